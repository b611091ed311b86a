"""Figures of statistics: each a function of a data frame of :mod:`tichu_analytics.stats`, for pages and notebooks.

>>> import tichu_analytics as ta
>>> from tichu_analytics.report import figures
>>> frame = ta.stats.tichu("data", by=["seat"], measures=["tichu.success_rate"])  # doctest: +SKIP
>>> figures.rate_dots(frame)  # doctest: +SKIP

All are 350 units wide, the width of a phone, and as high as they need to be. They bring their own light paper, into
dark pages too. In a notebook a figure shows itself; ``savefig`` writes it in every format of matplotlib, and
:func:`tichu_analytics.report.svg.figure_svg` makes a piece of a page of it. ``description`` is what it shows, in words.
A frame without anything to draw gives a figure that says so.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd

    from tichu_analytics.report.canvas import ReportFigure


def rate_dots(
    frame: pd.DataFrame,
    *,
    title: str = "",
    labels: Mapping[str, str] | None = None,
    beside: Mapping[str, float] | None = None,
    beside_label: str = "exact odds",
    limit: int = 40,
) -> ReportFigure:
    """Draws rates as dots on their intervals, with the share and ``n`` beside each.

    Args:
        frame: of any function of :mod:`tichu_analytics.stats`; rows whose unit is not ``proportion`` are left out. With
            groups, each measure has a heading and a row a group; without, a row a measure.
        title: drawn above it; empty for none.
        labels: words for measures, by their names.
        beside: a probability for measures, by their names: a second mark in the rows of the measure. A column
            ``beside`` of the frame does the same row by row.
        beside_label: what the second mark is.
        limit: how many rows are drawn; below stands how many there are beyond.
    """
    from tichu_analytics.report.dots import Look, draw
    from tichu_analytics.report.rows import BESIDE, RATE, read

    rows = [row for row in read(frame) if row.unit == RATE]
    chances = dict(beside or {})
    look = Look(
        labels=labels,
        beside=beside_label,
        beside_of=lambda row: row.more.get(BESIDE, chances.get(row.measure)),
        limit=limit,
    )
    return draw(rows, title, look)


def mean_dots(
    frame: pd.DataFrame, *, title: str = "", labels: Mapping[str, str] | None = None, limit: int = 40
) -> ReportFigure:
    """Draws means as dots on their intervals, with the mean and ``n`` beside each.

    Args:
        frame: of any function of :mod:`tichu_analytics.stats`; rates are left out. Each unit has an axis of its own, as
            points and tricks have none in common.
        title, labels, limit: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.dots import Look, draw
    from tichu_analytics.report.rows import RATE, RATING, read

    rows = [row for row in read(frame) if row.unit not in (RATE, RATING)]
    return draw(rows, title, Look(labels=labels, limit=limit))


def player_rates(frame: pd.DataFrame, *, title: str = "", limit: int = 30) -> ReportFigure:
    """Draws what is to be expected of players: rates drawn to the mean of all, and the plain rates as small rings.

    Args:
        frame: of :func:`tichu_analytics.stats.players`, with one measure; of several the first is taken.
        title, limit: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.dots import draw_players
    from tichu_analytics.report.rows import read

    rows = read(frame)
    return draw_players([row for row in rows if row.measure == rows[0].measure], title, limit)


def ratings(frame: pd.DataFrame, *, title: str = "", limit: int = 30) -> ReportFigure:
    """Draws ratings with how uncertain they are, and how many games were rated.

    Args:
        frame: of :func:`tichu_analytics.stats.rating`.
        title, limit: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.dots import Look, draw
    from tichu_analytics.report.rows import RATING, read

    rows = [row for row in read(frame) if row.unit == RATING]
    look = Look(
        value="rating", n="games", rule=(25.0, "unknown"), remarks=("Dashed: 25, somebody unknown.",), limit=limit
    )
    return draw(rows, title, look)


def exchange_heatmap(frame: pd.DataFrame, *, title: str = "", beside_label: str = "everybody") -> ReportFigure:
    """Draws how often a card of each rank is given to, or received from, the right, the partner and the left.

    Args:
        frame: of ``exchange.given_rate`` or ``exchange.received_rate``. A column ``beside`` stands in brackets; with a
            column ``whose``, everything that is not of the first one does.
        title: as for :func:`rate_dots`.
        beside_label: whose shares stand in the column ``beside``.
    """
    from tichu_analytics.report.ranks import draw_exchange
    from tichu_analytics.report.rows import read

    return draw_exchange(read(frame), title, beside_label)


def round_scores(
    frame: pd.DataFrame, *, title: str = "", labels: Mapping[str, str] | None = None, limit: int = 20
) -> ReportFigure:
    """Draws how score differences of rounds are spread; other means if the frame has none of these.

    Args:
        frame: of :func:`tichu_analytics.stats.compute` with ``distribution=True``.
        title, labels, limit: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.rows import RATE, read
    from tichu_analytics.report.spread import draw_spreads

    return draw_spreads([row for row in read(frame) if row.unit != RATE], title, labels, limit)


def score_ranges(frame: pd.DataFrame, *, title: str = "") -> ReportFigure:
    """Draws how many rounds end with a score difference in which range.

    Args:
        frame: of ``results.score_difference_rate``.
        title: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.rows import read
    from tichu_analytics.report.spread import draw_ranges

    rows = read(frame)
    if not rows:
        return rate_dots(frame, title=title)
    return draw_ranges(rows, title) or rate_dots(frame, title=title)


def rates_along(frame: pd.DataFrame, *, title: str = "", labels: Mapping[str, str] | None = None) -> ReportFigure:
    """Draws rates along a column of numbers, with their intervals and ``n``.

    Args:
        frame: rates by one column.
        title, labels: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.along import can_be_drawn, draw_along
    from tichu_analytics.report.rows import RATE, read

    rows = [row for row in read(frame) if row.unit == RATE]
    return draw_along(rows, title, labels) if can_be_drawn(rows) else rate_dots(frame, title=title, labels=labels)


def success_by_strength(
    frame: pd.DataFrame, *, title: str = "", labels: Mapping[str, str] | None = None, limit: int = 40
) -> ReportFigure:
    """Draws how often calls succeed by how strong the hand is.

    Args:
        frame: of ``tichu.success_rate`` and ``grand.success_rate`` by ``high_cards``, ``aces8``, ``specials8``...
        title, labels, limit: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.along import can_be_drawn, draw_along
    from tichu_analytics.report.rows import RATE, read

    rows = [row for row in read(frame) if row.unit == RATE and row.measure.endswith("success_rate")]
    if can_be_drawn(rows):
        return draw_along(rows, title, labels)
    return rate_dots(frame, title=title, labels=labels, limit=limit)


def bombs_by_rank(frame: pd.DataFrame, *, title: str = "") -> ReportFigure:
    """Draws of which rank bombs are, those in hands and those that are played, for each kind.

    Args:
        frame: of ``bombs.held_rank_rate`` and ``bombs.played_rank_rate``, by ``kind`` or without groups.
        title: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.ranks import draw_bombs
    from tichu_analytics.report.rows import read

    return draw_bombs(read(frame), title)


def wishes(frame: pd.DataFrame, *, title: str = "") -> ReportFigure:
    """Draws which ranks are wished, and how often such a wish is fulfilled.

    Args:
        frame: of ``results.wish_rate`` and ``results.wish_fulfilled_rate`` by ``wish_rank``.
        title: as for :func:`rate_dots`.
    """
    from tichu_analytics.report.ranks import draw_wishes
    from tichu_analytics.report.rows import read

    return draw_wishes(read(frame), title)
