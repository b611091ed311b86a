"""Rates along a column of numbers: dots on upright intervals, a series a measure, and ``n`` below every place."""

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
    thinned,
    write_remarks,
)
from tichu_analytics.report.labels import column_label, counted, measure_label, missing, value_label
from tichu_analytics.report.palette import GRID, MUTED, PAPER, SERIES, Series
from tichu_analytics.report.rows import Row, in_words, of_measures
from tichu_analytics.report.scale import scale_of, tick_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HIGH: Final = 210.0
#: More places than this are too narrow for a finger, and for the eye.
_MOST: Final = 60


def can_be_drawn(rows: Sequence[Row]) -> bool:
    """Whether rows are grouped by one column of numbers and of few measures."""
    known = [row for row in rows if row.groups]
    if not known or len({tuple(row.groups) for row in known}) != 1 or len(known[0].groups) != 1:
        return False
    if len({row.measure for row in rows}) > len(SERIES):
        return False
    values = [value for row in known for value in row.groups.values() if not missing(value)]
    return bool(values) and all(_is_number(value) for value in values) and len(set(values)) <= _MOST


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def draw_along(rows: Sequence[Row], title: str, labels: Mapping[str, str] | None = None) -> ReportFigure:
    """Draws rates along a column of numbers.

    Args:
        rows: those of :func:`can_be_drawn`; rows without a number are left out, and told.
        title: drawn above; empty for none.
        labels: words for measures.
    """
    column = next((next(iter(row.groups)) for row in rows if row.groups), "")
    known = [row for row in rows if row.groups and not missing(row.groups[column]) and row.estimate is not None]
    if not known:
        return nothing(title)
    by_measure = of_measures(known)
    places = sorted({float(row.groups[column]) for row in known})
    series = _series(list(by_measure))
    names = {measure: measure_label(measure, labels) for measure in by_measure}
    remarks = remark_lines(_remarks(rows, known, column))
    page = Page(title)
    key = page.top + 8
    top = key + LINE * len(by_measure) + 12
    bottom = top + _HIGH
    ends = [value for row in known for value in (row.estimate, row.low, row.high) if value is not None]
    scale = scale_of(ends, most=6, least=0, greatest=1)
    step = scale.ticks[1] - scale.ticks[0] if len(scale.ticks) > 1 else 1.0
    ticks = [f"{tick_percent(tick, step)} %" for tick in scale.ticks]
    counts = {
        measure: {float(row.groups[column]): _short(row.n) for row in group} for measure, group in by_measure.items()
    }
    left = MARGIN + max(*(text_width(text) for text in ticks), text_width("n") + 16) + 6
    right = WIDTH - MARGIN
    unit = (right - left) / len(places)
    table = bottom + 40
    height = table + LINE * len(by_measure) + 10 + LINE * len(remarks) + 6
    with own_settings():
        sheet = Sheet(height, title, f"Dots with 95 % intervals, by {column_label(column)}. {in_words(known, labels)}")
        page.write(sheet)
        axes = sheet.upright(left, top, right - left, _HIGH, (0, len(places)), (scale.low, scale.high))
        for tick, text in zip(scale.ticks, ticks, strict=True):
            y = bottom - _HIGH * (tick - scale.low) / (scale.high - scale.low)
            sheet.say(left - 6, y, text, align="right", colour=MUTED)
            axes.plot([0, len(places)], [tick, tick], color=GRID, linewidth=1, zorder=0, clip_on=False)
        _below(sheet, [value_label("", place) for place in places], left, unit, bottom + 12)
        sheet.say(
            (left + right) / 2,
            bottom + 14 + LINE,
            column_label(column),
            align="center",
            colour=MUTED,
            room=right - left,
        )
        for index, (measure, group) in enumerate(by_measure.items()):
            one = series[measure]
            sheet.mark(MARGIN + 5, key + LINE * index, one.marker, colour=one.colour)
            sheet.say(MARGIN + 16, key + LINE * index, names[measure], colour=one.colour, bold=True, room=WIDTH - 40)
            shift = (index - (len(by_measure) - 1) / 2) * min(0.28, 9 / unit)
            _series_of_dots(axes, group, column, places, one, shift)
            at = table + LINE * index + 6
            sheet.say(MARGIN, at, "n", colour=MUTED)
            sheet.mark(MARGIN + 16, at, one.marker, colour=one.colour, size=6)
            _below(sheet, [counts[measure].get(place, "\u2013") for place in places], left, unit, at)
        write_remarks(sheet, table + LINE * len(by_measure) + 6, remarks)
        return sheet.finish()


def _series(measures: Sequence[str]) -> dict[str, Series]:
    """Tichu and Grand Tichu as everywhere, others in order."""
    if all(name.startswith(("tichu.", "grand.")) for name in measures) and len(measures) <= 2:
        return {name: SERIES[1] if name.startswith("grand.") else SERIES[0] for name in measures}
    return dict(zip(measures, SERIES, strict=False))


def _below(sheet: Sheet, texts: Sequence[str], left: float, unit: float, at: float) -> None:
    """Texts below their places; only every second, third... where there is no room for all."""
    for index in range(0, len(texts), thinned(texts, unit)):
        sheet.say(left + unit * (index + 0.5), at, texts[index], align="center", colour=MUTED)


def _series_of_dots(
    axes: Axes, rows: Sequence[Row], column: str, places: Sequence[float], series: Series, shift: float
) -> None:
    """The dots of a measure, on their intervals."""
    for row in rows:
        x = places.index(float(row.groups[column])) + 0.5 + shift
        if row.low is not None and row.high is not None:
            axes.plot([x, x], [row.low, row.high], color=series.colour, linewidth=2, label="interval", clip_on=False)
        if row.estimate is None:
            continue
        axes.plot(
            [x],
            [row.estimate],
            series.marker,
            color=series.colour,
            markersize=7,
            markerfacecolor=series.colour if row.has_interval else PAPER,
            markeredgewidth=1.4,
            label="estimate",
            clip_on=False,
            zorder=3,
        )


def _short(n: int) -> str:
    """A count that fits below its place."""
    if n < 10_000:
        return counted(n)
    return f"{n / 1000:.0f}k" if n < 1_000_000 else f"{n / 1_000_000:.1f}M"


def _remarks(rows: Sequence[Row], known: Sequence[Row], column: str) -> list[str]:
    found = []
    populations = {row.population for row in known if row.population}
    of = f"; n counts {populations.pop()}" if len(populations) == 1 else ""
    if any(row.has_interval for row in known):
        found.append(f"Lines are 95 % intervals{of}.")
    if any(not row.has_interval for row in known):
        found.append("Hollow: without interval, too few games.")
    left_out = sum(row.n for row in rows if row.groups and missing(row.groups[column]))
    if left_out:
        found.append(f"Not known of {counted(left_out)}, which are left out.")
    return found
