"""The pages of the findings, one file a group; :mod:`tichu_analytics.replay.explain` reads them."""
