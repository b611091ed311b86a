"""How values are spread: strips from quantile to quantile, and bars of score ranges."""

from __future__ import annotations

import re
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
    shortened,
    text_width,
    thinned,
    write_remarks,
)
from tichu_analytics.report.labels import counted, counted_rows, measure_label, number, percent
from tichu_analytics.report.palette import BANDS, GRID, INK, MUTED, PAPER, RULE, SERIES
from tichu_analytics.report.rows import Row, limited, of_measures
from tichu_analytics.report.scale import Scale, scale_of, tick_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_NEEDED: Final = ("p1", "p5", "p25", "p50", "p75", "p95", "p99")
_ROW: Final = 42.0
_HEAD: Final = 24.0
_KEY: Final = 22.0
_RANGE: Final = re.compile(r"(?:(below|above) (-?\d+)|from (-?\d+) to (-?\d+)|(-?\d+))")


def draw_spreads(rows: Sequence[Row], title: str, labels: Mapping[str, str] | None, limit: int) -> ReportFigure:
    """Draws how the values of means are spread.

    Args:
        rows: with quantiles; others are left out. Those of a unit have one axis.
        title: drawn above; empty for none.
        labels: words for measures.
        limit: how many rows are drawn.
    """
    found = [row for row in rows if all(name in row.more for name in _NEEDED)]
    scores = [row for row in found if row.measure.endswith("score_difference")]
    drawn, left_out = limited(scores or found, limit)
    if not drawn:
        return nothing(title)
    panels = _panels(drawn)
    remarks = remark_lines([one for one in ("Quantiles of what was counted, not intervals.", left_out) if one])
    page = Page(title)
    key = page.top + 8
    tops = []
    at = page.top + 2 * _KEY - 2
    for panel in panels:
        tops.append(at)
        at += _HEAD + _ROW * len(panel) + 6
    with own_settings():
        sheet = Sheet(at + 8 + LINE * len(remarks) + 8, title, _in_words(drawn, labels, left_out))
        page.write(sheet)
        _key(sheet, key)
        for top, panel in zip(tops, panels, strict=True):
            _panel(sheet, top, panel, labels)
        write_remarks(sheet, at + 4, remarks)
        return sheet.finish()


def _panels(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows that have an axis together: groups of the same measure, or measures of points."""
    if all(row.unit == "points" for row in rows) and len({row.measure for row in rows}) == len(rows):
        return [list(rows)]
    return list(of_measures(rows).values())


def _key(sheet: Sheet, at: float) -> None:
    """What the parts of a strip are, in two lines."""
    x = MARGIN
    for width, colour, text in ((8, BANDS[0], "middle half"), (8, BANDS[1], "90 %"), (2, BANDS[1], "98 % of all")):
        sheet.line((x, x + 20), (at, at), colour=colour, width=width)
        sheet.say(x + 26, at, text)
        x += 26 + text_width(text) + 16
    at += 19
    sheet.line((MARGIN + 10, MARGIN + 10), (at - 6, at + 6), colour=INK, width=3)
    sheet.say(MARGIN + 26, at, "median")
    x = MARGIN + 26 + text_width("median") + 16
    sheet.mark(x + 8, at, "D", colour=SERIES[1].colour, size=6)
    sheet.say(x + 20, at, "mean")


def _panel(sheet: Sheet, top: float, rows: Sequence[Row], labels: Mapping[str, str] | None) -> None:
    several = len({row.measure for row in rows}) > 1
    names = [_name(row, labels, several=several) for row in rows]
    n_width = max(text_width(text) for text in (*(f"n {counted(row.n)}" for row in rows),))
    left, right = MARGIN + 14, WIDTH - MARGIN - 18
    scale = scale_of((value for row in rows for value in (row.more["p1"], row.more["p99"])), most=7)
    bottom = top + _HEAD + _ROW * len(rows)
    axes = sheet.axes(left, top + _HEAD, right - left, bottom - top - _HEAD, (scale.low, scale.high))
    step = scale.ticks[1] - scale.ticks[0] if len(scale.ticks) > 1 else 1.0
    for tick in scale.ticks:
        x = left + (right - left) * (tick - scale.low) / (scale.high - scale.low)
        sheet.say(x, top + 10, tick_number(tick, step), align="center", colour=MUTED)
    for index, (row, name) in enumerate(zip(rows, names, strict=True)):
        label = top + _HEAD + _ROW * index + 9
        y = label + 18
        for tick in scale.ticks:
            strong = tick == 0 and scale.low < 0
            axes.plot([tick] * 2, [y - 10, y + 10], color=RULE if strong else GRID, linewidth=1, clip_on=False)
        sheet.say(WIDTH - MARGIN, label, f"n {counted(row.n)}", align="right", colour=MUTED)
        median = f"median {_whole(row.more['p50'])}"
        sheet.say(WIDTH - MARGIN - n_width - 10, label, median, align="right", colour=MUTED)
        room = WIDTH - 2 * MARGIN - n_width - text_width(median) - 20
        sheet.say(MARGIN, label, shortened(name, room, bold=True), bold=True)
        _strip(axes, row, y)


def _strip(axes: Axes, row: Row, y: float) -> None:
    """The strip, its median and its mean."""
    more = row.more
    for low, high, width, colour in (
        ("p1", "p99", 2.0, BANDS[1]),
        ("p5", "p95", 9.0, BANDS[1]),
        ("p25", "p75", 9.0, BANDS[0]),
    ):
        axes.plot(
            [more[low], more[high]],
            [y, y],
            color=colour,
            linewidth=width,
            solid_capstyle="butt",
            label=f"{low} {high}",
            clip_on=False,
            zorder=2,
        )
    axes.plot(
        [more["p50"]] * 2, [y - 7, y + 7], color=PAPER, linewidth=5, solid_capstyle="butt", clip_on=False, zorder=3
    )
    axes.plot(
        [more["p50"]] * 2, [y - 7, y + 7], color=INK, linewidth=2.5, solid_capstyle="butt", label="p50",
        clip_on=False, zorder=4,
    )  # fmt: skip
    if row.estimate is not None:
        axes.plot(
            [row.estimate], [y], "D", color=SERIES[1].colour, markersize=6.5, markeredgecolor=PAPER, label="estimate",
            clip_on=False, zorder=5,
        )  # fmt: skip


def _whole(value: float) -> str:
    """A quantile: a value that was counted, mostly a whole number."""
    return tick_number(value, 1) if value == int(value) else number(value)


def _name(row: Row, labels: Mapping[str, str] | None, *, several: bool) -> str:
    group = row.group_label()
    return ", ".join(
        part for part in (measure_label(row.measure, labels) if several or not group else "", group) if part
    )


def _in_words(rows: Sequence[Row], labels: Mapping[str, str] | None, left_out: str) -> str:
    said = []
    for row in rows[:8]:
        more = row.more
        name = ", ".join(part for part in (measure_label(row.measure, labels), row.group_label()) if part)
        said.append(
            f"{name}: median {_whole(more['p50'])} {row.unit}, middle half {_whole(more['p25'])} to "
            f"{_whole(more['p75'])}, 98 % from {_whole(more['p1'])} to {_whole(more['p99'])} (n {counted(row.n)})."
        )
    return f"Strips from quantile to quantile. {' '.join(said)} {left_out}".strip()


# Ranges ---------------------------------------------------------------------------------------------------------------


def bounds(words: str) -> tuple[float, float] | None:
    """A range in words as numbers: ``from 1 to 100`` is (1, 100), ``below -400`` (-inf, -401); None for other words."""
    found = _RANGE.fullmatch(words)
    if not found:
        return None
    side, end, low, high, one = found.groups()
    if side:
        return (-float("inf"), float(end) - 1) if side == "below" else (float(end) + 1, float("inf"))
    return (float(low), float(high)) if low else (float(one), float(one))


def draw_ranges(rows: Sequence[Row], title: str) -> ReportFigure | None:
    """Draws the shares of ranges as bars that stand side by side.

    Args:
        rows: each with one group, ``range``.
        title: drawn above; empty for none.

    Returns:
        The figure; None if rows are grouped otherwise, or the ranges are not in order.
    """
    found = [(span, row) for row in rows for span in [bounds(str(row.groups.get("range")))] if span]
    if len(found) != len(rows) or any(len(row.groups) != 1 for row in rows) or len(rows) > 16:
        return None
    if not any(row.estimate for row in rows):
        return nothing(title)
    found.sort(key=lambda one: one[0])
    page = Page(title)
    sides = page.top + 6
    top = sides + 16
    high, left, right = 190.0, MARGIN, WIDTH - MARGIN
    bottom = top + high
    n = max(row.n for row in rows)
    remarks = remark_lines([f"Percent of {counted_rows(n, rows[0].population or 'rounds')}; lines are 95 % intervals."])
    ends = [value for row in rows for value in (row.estimate, row.high) if value is not None]
    scale: Scale = scale_of(ends, most=5, least=0, greatest=1, zero=True)
    with own_settings():
        sheet = Sheet(bottom + 32 + LINE * len(remarks) + 6, title, _ranges_in_words([row for _, row in found], n))
        page.write(sheet)
        sheet.say(left, sides, "\u2190 seats 1 and 3 ahead", colour=MUTED)
        sheet.say(right, sides, "seats 0 and 2 ahead \u2192", align="right", colour=MUTED)
        axes = sheet.upright(left, top, right - left, high, (0, len(found)), (0, scale.high * 1.12 or 1.0))
        unit = (right - left) / len(found)
        for index, (span, row) in enumerate(found):
            share = row.estimate or 0.0
            colour = MUTED if span[0] == span[1] == 0 else BANDS[1]
            axes.bar(index + 0.5, share, width=0.9, color=colour, label="estimate", zorder=1)
            if row.low is not None and row.high is not None:
                axes.plot(
                    [index + 0.5] * 2, [row.low, row.high], color=INK, linewidth=1.2, label="interval", zorder=2,
                    clip_on=False,
                )  # fmt: skip
            reach = max(share, row.high or 0.0) / (scale.high * 1.12 or 1.0)
            sheet.say(left + unit * (index + 0.5), bottom - high * reach - 10, _short(share), align="center")
        sheet.line((left, right), (bottom, bottom), colour=RULE)
        edges = _edges([span for span, _ in found])
        for x, text in edges[:: thinned([text for _, text in edges], unit)]:
            sheet.say(left + unit * x, bottom + 12, text, align="center", colour=MUTED)
        write_remarks(sheet, bottom + 26, remarks)
        return sheet.finish()


def _short(share: float) -> str:
    value = 100 * share
    return "0" if value == 0 else f"{value:.1f}" if value >= 0.05 else "<0.1"


def _edges(spans: Sequence[tuple[float, float]]) -> list[tuple[float, str]]:
    """What is written below the bars: the ends of ranges between them, and single values in the middle."""
    found: list[tuple[float, str]] = []
    for index, (low, high) in enumerate(spans):
        if low == high:
            found.append((index + 0.5, tick_number(low, 1)))
        elif low < 0 <= high + 1 or high < 0:
            if low > -float("inf"):
                found.append((index, tick_number(low, 1)))
        elif high < float("inf"):
            found.append((index + 1, tick_number(high, 1)))
    return found


def _ranges_in_words(rows: Sequence[Row], n: int) -> str:
    said = "; ".join(f"{row.groups['range']} {percent(row.estimate or 0.0)}" for row in rows)
    return f"Bars: score difference of {counted_rows(n, 'rounds')}, seats 0 and 2 less seats 1 and 3. {said}."
