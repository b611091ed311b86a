"""Reports on collections of games: figures (:mod:`tichu_analytics.report.figures`), and a page of them."""
