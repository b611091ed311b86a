"""Figures by card rank: the exchange as a heat map, bombs held and played, wishes and their fulfilment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from tichu_analytics.report.canvas import (
    LINE,
    MARGIN,
    WIDTH,
    Page,
    ReportFigure,
    Sheet,
    nothing,
    own_settings,
    remark_lines,
    text_width,
    write_remarks,
)
from tichu_analytics.report.labels import (
    CARDS,
    RANKS,
    counted,
    counted_rows,
    measure_label,
    missing,
    percent,
    value_label,
)
from tichu_analytics.report.palette import BANDS, GRID, INK, MUTED, PAPER, RULE, SERIES, Series, ink_on, shade
from tichu_analytics.report.rows import BESIDE, Row, in_words, of_measures
from tichu_analytics.report.scale import Scale, scale_of, tick_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SIDES: Final = ("right", "partner", "left")
_ROW: Final = 21.0


# The exchange ---------------------------------------------------------------------------------------------------------


def draw_exchange(rows: Sequence[Row], title: str, beside_label: str) -> ReportFigure:
    """Draws the shares of cards by rank and side as cells, the darker the more, with the share in each.

    Args:
        rows: of ``exchange.given_rate`` or ``exchange.received_rate``; the first of both that there is. Rows of further
            groups are added up, but for ``whose``: what is not of the first one stands in brackets beside it, as does
            what a column ``beside`` says.
        title: drawn above; empty for none.
        beside_label: whose share stands in brackets.
    """
    rows = [row for row in rows if row.measure in ("exchange.given_rate", "exchange.received_rate")]
    rows = [row for row in rows if row.measure == rows[0].measure]
    given = bool(rows) and rows[0].measure == "exchange.given_rate"
    column = "passed_to" if given else "received_from"
    own = [row for row in rows if row.groups.get("whose") == rows[0].groups.get("whose")]
    shares = _shares(own, column)
    if not shares:
        return nothing(title)
    from matplotlib.patches import Rectangle

    others = [row for row in rows if row.groups.get("whose") != rows[0].groups.get("whose")]
    if others:
        beside, beside_label = _shares(others, column), value_label("whose", others[0].groups["whose"])
    else:
        beside = {_place(row, column): row.more[BESIDE] for row in own if BESIDE in row.more}
    n = sum(row.n for row in own if _place(row, column) == _place(own[0], column))
    said = f"Percent of {counted_rows(n, rows[0].population or 'seat-rounds')}."
    remarks = remark_lines([said, f"In brackets: {beside_label}."] if beside else [said])
    page = Page(title)
    head = page.top + 24
    top = head + 12
    label = max(text_width(name) for name in CARDS.values()) + 10
    left, right = MARGIN + label, WIDTH - MARGIN
    wide = (right - left) / len(_SIDES)
    tops = {card: top + _ROW * index + (8 if index >= len(RANKS) else 0) for index, card in enumerate(CARDS)}
    bottom = top + _ROW * len(CARDS) + 8
    most = max(shares.values())
    with own_settings():
        sheet = Sheet(bottom + 8 + LINE * len(remarks) + 8, title, _exchange_in_words(shares, n, given=given))
        page.write(sheet)
        axes = sheet.axes(left, top, right - left, bottom - top, (left, right))
        sheet.say(left, head - 16, "given to" if given else "received from", colour=MUTED)
        for index, side in enumerate(_SIDES):
            sheet.say(left + wide * (index + 0.5), head, f"the {side}", align="center", colour=MUTED)
        for card, at in tops.items():
            sheet.say(MARGIN, at + _ROW / 2, CARDS[card])
            for index, side in enumerate(_SIDES):
                share = shares.get((card, side))
                colour = PAPER if not share else shade(share / most)
                axes.add_patch(
                    Rectangle(
                        (left + wide * index + 1, at + 1),
                        wide - 2,
                        _ROW - 2,
                        facecolor=colour,
                        edgecolor=GRID if not share else "none",
                        linewidth=0.8,
                        label=f"{card} {side}",
                    )
                )
                text = "\u2013" if share is None else _cell(share)
                if (card, side) in beside:
                    text += f" ({_cell(beside[card, side])})"
                ink = MUTED if not share else ink_on(colour)
                sheet.say(left + wide * (index + 0.5), at + _ROW / 2, text, align="center", colour=ink)
        write_remarks(sheet, bottom + 4, remarks)
        return sheet.finish()


def _place(row: Row, column: str) -> tuple[str, str]:
    """The card of a row and the side."""
    return str(row.groups.get("card")), str(row.groups.get(column))


def _shares(rows: Sequence[Row], column: str) -> dict[tuple[str, str], float]:
    """The share of each card and side; groups are added up."""
    sums: dict[tuple[str, str], tuple[int, float]] = {}
    for row in rows:
        n, k = sums.get(_place(row, column), (0, 0.0))
        sums[_place(row, column)] = n + row.n, k + row.k
    return {place: k / n for place, (n, k) in sums.items() if n and place[0] in CARDS and place[1] in _SIDES}


def _cell(share: float) -> str:
    value = 100 * share
    return "0" if value == 0 else f"{value:.1f}" if value >= 0.05 else "<0.1"


def _exchange_in_words(shares: Mapping[tuple[str, str], float], n: int, *, given: bool) -> str:
    said = []
    for side in _SIDES:
        there = sorted(((share, card) for (card, one), share in shares.items() if one == side), reverse=True)[:3]
        most = ", ".join(f"{CARDS[card]} {percent(share)}" for share, card in there)
        said.append(f"{'To' if given else 'From'} the {side} most often {most}.")
    return f"Heat map of cards {'given' if given else 'received'} in the exchange, of {counted(n)}. {' '.join(said)}"


# Bombs ----------------------------------------------------------------------------------------------------------------

#: A straight flush has five cards or more, from the two upwards.
_NO_FLUSH: Final = ("2", "3", "4", "5")
_BOMBS: Final = {"bombs.held_rank_rate": SERIES[0], "bombs.played_rank_rate": SERIES[2]}


def draw_bombs(rows: Sequence[Row], title: str) -> ReportFigure:
    """Draws of which rank bombs are: a panel for each kind, side by side, and in it those held and those played.

    Args:
        rows: of ``bombs.held_rank_rate`` and ``bombs.played_rank_rate``, by ``kind`` or without groups.
        title: drawn above; empty for none.
    """
    panels: dict[str, list[Row]] = {}
    for row in rows:
        if row.measure in _BOMBS and row.groups.get("rank_of_bomb") in RANKS:
            kind = row.groups.get("kind", "all")
            panels.setdefault(value_label("kind", kind) if kind != "all" else "all bombs", []).append(row)
    panels = dict(list(panels.items())[:2])
    drawn = [row for panel in panels.values() for row in panel if row.estimate is not None]
    if not drawn:
        return nothing(title)
    ends = [value for row in drawn for value in (row.estimate, row.low, row.high) if value is not None]
    scale = scale_of(ends, most=4 if len(panels) > 1 else 6, least=0, greatest=1, zero=True)
    measures = [name for name in _BOMBS if any(row.measure == name for row in drawn)]
    intervals = "Lines are 95 % intervals. " if any(row.has_interval for row in drawn) else ""
    remarks = remark_lines([f"{intervals}Straight flushes by their highest card. Percent of the bombs of a kind."])
    page = Page(title)
    key = page.top + 8
    heads = page.top + 32
    top = heads + 14 + LINE * len(measures) + 18
    bottom = top + 24.0 * len(RANKS)
    left = MARGIN + 30
    gap = 22.0
    wide = (WIDTH - MARGIN - 14 - left - gap * (len(panels) - 1)) / len(panels)
    with own_settings():
        sheet = Sheet(bottom + 8 + LINE * len(remarks) + 8, title, f"Dots with 95 % intervals. {in_words(drawn)}")
        page.write(sheet)
        x = MARGIN
        for name in measures:
            series = _BOMBS[name]
            sheet.mark(x + 5, key, series.marker, colour=series.colour)
            sheet.say(x + 15, key, measure_label(name))
            x += 15 + text_width(measure_label(name)) + 18
        for index, rank in enumerate(RANKS):
            sheet.say(MARGIN + 20, top + 24 * index + 12, rank, align="right")
        for number, (kind, panel) in enumerate(panels.items()):
            start = left + number * (wide + gap)
            sheet.say(start, heads, kind, bold=True, room=wide + gap)
            for line, name in enumerate(measures):
                n = max((row.n for row in panel if row.measure == name), default=0)
                text = f"{counted(n)} {measure_label(name)}"
                sheet.say(start, heads + 16 + LINE * line, text, colour=MUTED)
            axes = sheet.axes(start, top, wide, bottom - top, (scale.low, scale.high))
            _ticks(sheet, axes, scale, (start, start + wide), (top - 10, top, bottom))
            for row in panel:
                if row.groups.get("kind") == "straight_bomb" and row.groups["rank_of_bomb"] in _NO_FLUSH and not row.k:
                    continue
                spread = 0.0 if len(measures) == 1 else -4.5 if row.measure == measures[0] else 4.5
                y = top + 24 * RANKS.index(row.groups["rank_of_bomb"]) + 12 + spread
                _dot(axes, row, y, _BOMBS[row.measure])
        write_remarks(sheet, bottom + 8, remarks)
        return sheet.finish()


def _dot(axes: Axes, row: Row, y: float, series: Series) -> None:
    """A dot on its interval, across."""
    if row.estimate is None:
        return
    if row.low is not None and row.high is not None:
        axes.plot([row.low, row.high], [y, y], color=series.colour, linewidth=1.8, label="interval", clip_on=False)
    axes.plot(
        [row.estimate],
        [y],
        series.marker,
        color=series.colour,
        markersize=6.5,
        markerfacecolor=series.colour if row.has_interval else PAPER,
        markeredgewidth=1.4,
        label="estimate",
        clip_on=False,
    )


def _ticks(
    sheet: Sheet, axes: Axes, scale: Scale, across: tuple[float, float], down: tuple[float, float, float]
) -> None:
    """Ticks at a height, and lines of the grid from there on."""
    left, right = across
    at, top, bottom = down
    step = scale.ticks[1] - scale.ticks[0] if len(scale.ticks) > 1 else 1.0
    for tick in scale.ticks:
        x = left + (right - left) * (tick - scale.low) / (scale.high - scale.low)
        sheet.say(x, at, tick_percent(tick, step), align="center", colour=MUTED)
        axes.plot([tick, tick], [top, bottom], color=GRID, linewidth=1, zorder=0, clip_on=False)


# Wishes ---------------------------------------------------------------------------------------------------------------


def draw_wishes(rows: Sequence[Row], title: str) -> ReportFigure:
    """Draws which ranks are wished as bars, and how often such a wish is fulfilled as dots.

    Args:
        rows: of ``results.wish_rate`` and ``results.wish_fulfilled_rate`` by ``wish_rank``; rounds without a wish are
            those without a rank.
        title: drawn above; empty for none.
    """
    measures = of_measures(row for row in rows if set(row.groups) == {"wish_rank"})
    made = {_rank(row): row for row in measures.get("results.wish_rate", ())}
    kept = {_rank(row): row for row in measures.get("results.wish_fulfilled_rate", ())}
    ranks = [str(rank) for rank in range(2, 15) if str(rank) in made or str(rank) in kept]
    total = sum(int(row.k) for row in made.values())
    if not ranks or not total:
        return nothing(title)
    none = made[""].n if "" in made else 0
    counts = {rank: int(made[rank].k) if rank in made else 0 for rank in ranks}
    most = max(counts.values()) / total
    words = {rank: value_label("wish_rank", int(rank)) for rank in ranks}
    remarks = remark_lines(
        [
            f"{_wishes(total)}; {counted_rows(none, 'rounds')} without one. Lines are 95 % intervals."
            if none
            else f"{_wishes(total)}. Lines are 95 % intervals."
        ]
    )
    page = Page(title)
    heads = page.top + 8
    top = heads + 32
    bottom = top + 24.0 * len(ranks)
    bars, dots = (MARGIN + 28, MARGIN + 138), (WIDTH - MARGIN - 140, WIDTH - MARGIN - 14)
    ends = [value for row in kept.values() for value in (row.estimate, row.low, row.high) if value is not None]
    scale = scale_of(ends, most=4, least=0, greatest=1)
    with own_settings():
        sheet = Sheet(bottom + 8 + LINE * len(remarks) + 8, title, _wishes_in_words(counts, total, words, kept))
        page.write(sheet)
        sheet.say(bars[0], heads, "share of wishes", bold=True)
        sheet.say(dots[0], heads, "fulfilled, percent", bold=True)
        left = sheet.axes(bars[0], top, bars[1] - bars[0], bottom - top, (0, most * 1.55))
        right = sheet.axes(dots[0], top, dots[1] - dots[0], bottom - top, (scale.low, scale.high))
        _ticks(sheet, right, scale, dots, (heads + 20, top, bottom))
        for index, rank in enumerate(ranks):
            y = top + 24 * index + 12
            share = counts[rank] / total
            sheet.say(MARGIN + 20, y, words[rank], align="right")
            left.barh(y, share, height=15, color=BANDS[1], label="estimate")
            end = bars[0] + (bars[1] - bars[0]) * share / (most * 1.55)
            sheet.say(end + 5, y, percent(share), colour=INK)
            if rank in kept:
                _dot(right, kept[rank], y, SERIES[0])
        sheet.line((bars[0], bars[0]), (top, bottom), colour=RULE)
        write_remarks(sheet, bottom + 8, remarks)
        return sheet.finish()


def _rank(row: Row) -> str:
    value = row.groups.get("wish_rank")
    return "" if missing(value) else str(int(float(value)))  # type: ignore[arg-type]


def _wishes(number: int) -> str:
    return "1 wish" if number == 1 else f"{counted(number)} wishes"


def _wishes_in_words(counts: Mapping[str, int], total: int, words: Mapping[str, str], kept: Mapping[str, Row]) -> str:
    said = []
    for rank, count in sorted(counts.items(), key=lambda one: -one[1])[:3]:
        row = kept.get(rank)
        done = f", fulfilled {percent(row.estimate)}" if row and row.estimate is not None else ""
        said.append(f"{words[rank]} {percent(count / total)}{done}")
    return f"Bars and dots by rank. Of {_wishes(total)} most often {'; '.join(said)}."
