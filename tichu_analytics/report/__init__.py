"""Reports on collections of games: figures of statistics (:mod:`tichu_analytics.report.figures`), and a page of them."""
