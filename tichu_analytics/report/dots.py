"""Interval dots: a row a group, the estimate as a dot on its interval, its value and ``n`` beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    wrapped,
    write_remarks,
)
from tichu_analytics.report.labels import cleaned, counted, measure_label
from tichu_analytics.report.palette import GRID, INK, MUTED, PAPER, RULE, SERIES, Series
from tichu_analytics.report.rows import RATE, RATING, Row, in_words, limited, of_measures
from tichu_analytics.report.scale import Scale, scale_of, tick_number, tick_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW: Final = 23.0
_HEAD: Final = 25.0
_GAP: Final = 8.0
#: How much of the width labels may take, and what is left to the marks at the least.
_MOST_LABEL: Final = 122.0
_LEAST_LABEL: Final = 40.0
_STACKED: Final = 4.0
_TALL: Final = 420.0


@dataclass
class Line:
    """A row of the figure: its label in one or two lines, and what is drawn."""

    row: Row
    label: list[str]
    middle: float = 0.0
    stacked: bool = False

    @property
    def height(self) -> float:
        """What the row takes."""
        return _ROW + LINE * (len(self.label) - 1) + (LINE + 4 if self.stacked else 0)


@dataclass
class Block:
    """Rows below a heading of their own."""

    heading: str
    series: Series
    lines: list[Line] = field(default_factory=list)
    middle: float = 0.0


@dataclass(frozen=True)
class Look:
    """What differs between figures of this kind.

    Attributes:
        value: the heading of the values; else the unit says it.
        n: the heading of the counts.
        labels: words for measures.
        beside: what a mark beside the estimate is; None if there is none to be drawn.
        beside_of: the value of that mark for a row, or None.
        rule: a value at which a line is drawn, with its label.
        remarks: what is said below.
        limit: how many rows are drawn.
        hollow_beside: whether the mark beside the estimate is a ring, and the estimate one that is drawn to the mean.
    """

    value: str = ""
    n: str = "n"
    labels: Mapping[str, str] | None = None
    beside: str = ""
    beside_of: Callable[[Row], float | None] = lambda row: None
    rule: tuple[float, str] | None = None
    remarks: tuple[str, ...] = ()
    limit: int = 40
    hollow_beside: bool = False


def series_of(measure: str) -> Series:
    """Grand Tichu has its own colour and shape wherever it appears."""
    return SERIES[1] if "grand" in measure else SERIES[0]


@dataclass
class Panel:
    """Rows that have an axis together, as they have the same unit."""

    rows: list[Row]
    blocks: list[Block]
    scale: Scale
    values: list[str]
    head: float = 0.0
    bottom: float = 0.0


def draw(rows: Sequence[Row], title: str, look: Look) -> ReportFigure:
    """Draws rows, those of each unit on an axis of their own.

    Args:
        rows: what is drawn, in this order.
        title: drawn above it; empty for none.
        look: see :class:`Look`.
    """
    if not any(row.estimate is not None for row in rows):
        return nothing(title)
    drawn, left_out = limited(rows, look.limit)
    besides = [value for row in drawn if (value := look.beside_of(row)) is not None]
    remarks = remark_lines([*look.remarks, *_remarks(drawn, left_out)])
    by_unit: dict[str, list[Row]] = {}
    for row in drawn:
        by_unit.setdefault(row.unit, []).append(row)
    panels = [_panel(group, look) for group in by_unit.values()]
    headed = _are_headed(panels, title)
    lines = [line for panel in panels for block in panel.blocks for line in block.lines]
    if any(line.stacked for line in lines):
        for line in lines:
            line.stacked, line.label = True, [shortened(" ".join(line.label), WIDTH - 2 * MARGIN)]

    # The columns of numbers are as wide as what stands in them, the labels as far as there is room.
    value_width = max(text_width(one) for panel in panels for one in (*panel.values, _value_head(panel, look)))
    n_width = max(text_width(one) for one in (*(counted(row.n) for row in drawn), look.n))
    left = MARGIN + _label_width([block for panel in panels for block in panel.blocks]) + 14
    n_right = WIDTH - MARGIN
    value_right = n_right - n_width - 10
    right = value_right - value_width - 22

    page = Page(title)
    key = page.top
    at = page.top + (22 if besides else 0)
    for panel in panels:
        panel.head = at + 8
        panel.bottom = _place(panel.blocks, at + 20, headed=headed)
        at = panel.bottom + (24 if panel.bottom - at > _TALL else 14)
    height = at + LINE * len(remarks) + (8 if remarks else 0)

    with own_settings():
        sheet = Sheet(height, title, _description(drawn, look, besides, left_out))
        page.write(sheet)
        if besides:
            _key(sheet, key + 8, look, panels[0].blocks[0].series)
        for panel in panels:
            top = panel.head + 12
            axes = sheet.axes(left, top, right - left, panel.bottom - top, (panel.scale.low, panel.scale.high))
            tall = panel.bottom - panel.head > _TALL
            for line_at in (panel.head, panel.bottom + 12) if tall else (panel.head,):
                _ticks(sheet, panel.scale, panel.rows[0].unit, left, right, line_at)
                sheet.say(value_right, line_at, _value_head(panel, look), align="right", colour=MUTED)
                sheet.say(n_right, line_at, look.n, align="right", colour=MUTED)
            values = iter(panel.values)
            for block in panel.blocks:
                if headed and block.heading:
                    sheet.say(MARGIN, block.middle, block.heading, bold=True, room=WIDTH - 2 * MARGIN)
                _grid(axes, panel.scale, block, look)
                for line in block.lines:
                    _line(sheet, axes, line, block.series if block.heading else series_of(line.row.measure), look)
                    sheet.say(value_right, line.middle, next(values), align="right")
                    sheet.say(n_right, line.middle, counted(line.row.n), align="right", colour=MUTED)
        write_remarks(sheet, at, remarks)
        return sheet.finish()


def draw_players(rows: Sequence[Row], title: str, limit: int) -> ReportFigure:
    """Draws what is to be expected of players, and plain estimates as rings beside it.

    Args:
        rows: of one measure; where nothing is drawn to the mean, the plain estimates are drawn as dots.
        title: drawn above; empty for none.
        limit: how many rows are drawn.
    """
    plain: dict[int, float | None] = {}
    drawn = []
    for row in rows:
        shrunk = row.more.get("shrunk")
        if shrunk is None:
            drawn.append(row)
        else:
            ends = row.more.get("shrunk_low"), row.more.get("shrunk_high")
            drawn.append(replace(row, estimate=shrunk, low=ends[0], high=ends[1]))
            plain[id(drawn[-1])] = row.estimate
    look = Look(beside="plain", beside_of=lambda row: plain.get(id(row)), hollow_beside=True, limit=limit)
    return draw(drawn, title, look)


def _panel(rows: list[Row], look: Look) -> Panel:
    by_measure = of_measures(rows)
    as_rows = all(len(group) == 1 for group in by_measure.values()) and (len(by_measure) > 1 or not rows[0].groups)
    besides = [value for row in rows if (value := look.beside_of(row)) is not None]
    size = max((abs(row.estimate) for row in rows if row.estimate is not None), default=0.0)
    values = [row.written(row.estimate, size) if row.estimate is not None else "\u2013" for row in rows]
    return Panel(rows, _blocks(by_measure, look.labels, as_rows=as_rows), _scale(rows, besides, look), values)


def _are_headed(panels: Sequence[Panel], title: str) -> bool:
    """Whether blocks have headings; a single one has none where the title or its column says what it is."""
    blocks = [block for panel in panels for block in panel.blocks]
    if not any(block.heading for block in blocks):
        return False
    return len(blocks) > 1 or not (title or panels[0].rows[0].unit == RATING)


def _value_head(panel: Panel, look: Look) -> str:
    unit = panel.rows[0].unit
    return look.value or ("share" if unit == RATE else cleaned(unit))


def _blocks(by_measure: dict[str, list[Row]], labels: Mapping[str, str] | None, *, as_rows: bool) -> list[Block]:
    """One block of measures, or one of groups for each measure."""
    if as_rows:
        rows = [group[0] for group in by_measure.values()]
        return [Block("", SERIES[0], _lines(rows, [_whole_label(row, labels) for row in rows]))]
    return [
        Block(
            measure_label(measure, labels),
            series_of(measure),
            _lines(group, [row.group_label() or "all" for row in group]),
        )
        for measure, group in by_measure.items()
    ]


def _lines(rows: Sequence[Row], labels: Sequence[str]) -> list[Line]:
    """Rows with labels at their left; above them if many of them are long."""
    long = sum(text_width(label) > _MOST_LABEL for label in labels)
    if 3 * long > len(labels):
        room = WIDTH - 2 * MARGIN
        return [Line(row, [shortened(label, room)], stacked=True) for row, label in zip(rows, labels, strict=True)]
    return [Line(row, wrapped(label, _MOST_LABEL, 2)) for row, label in zip(rows, labels, strict=True)]


def _label_width(blocks: Sequence[Block]) -> float:
    """What labels at the left take."""
    beside = [line for block in blocks for line in block.lines if not line.stacked]
    if not beside:
        return _STACKED
    widest = max(text_width(text) for line in beside for text in line.label)
    return min(max(widest, _LEAST_LABEL), _MOST_LABEL)


def _whole_label(row: Row, labels: Mapping[str, str] | None) -> str:
    group = row.group_label()
    return f"{measure_label(row.measure, labels)}{', ' if group else ''}{group}"


def _place(blocks: Sequence[Block], top: float, *, headed: bool) -> float:
    """Gives every heading and row its height; what comes back is where they end."""
    at = top
    for number, block in enumerate(blocks):
        if headed:
            at += _GAP if number else 0
            block.middle = at + _HEAD / 2
            at += _HEAD if block.heading else 0
        for line in block.lines:
            line.middle = at + (line.height + (LINE if line.stacked else 0)) / 2
            at += line.height
    return at + 4


def _scale(rows: Sequence[Row], besides: Sequence[float], look: Look) -> Scale:
    ends = [value for row in rows for value in (row.estimate, row.low, row.high) if value is not None]
    ends += [*besides, *([look.rule[0]] if look.rule else [])]
    if rows[0].unit != RATE:
        return scale_of(ends, most=4)
    # A single rate has nothing to be compared with but none at all.
    return scale_of(ends, most=5, least=0, greatest=1, zero=len(rows) == 1)


def _ticks(sheet: Sheet, scale: Scale, unit: str, left: float, right: float, at: float) -> None:
    step = scale.ticks[1] - scale.ticks[0] if len(scale.ticks) > 1 else 1.0
    texts = [tick_percent(tick, step) if unit == RATE else tick_number(tick, step) for tick in scale.ticks]
    every = thinned(texts, (right - left) * step / (scale.high - scale.low))
    for tick, text in list(zip(scale.ticks, texts, strict=True))[::every]:
        x = left + (right - left) * (tick - scale.low) / (scale.high - scale.low)
        sheet.say(x, at, text, align="center", colour=MUTED)


def _grid(axes: Axes, scale: Scale, block: Block, look: Look) -> None:
    """Lines down the rows of a block, not through headings and the labels above rows."""
    if any(line.stacked for line in block.lines):
        parts = [(line.middle - 9, line.middle + 9) for line in block.lines]
    else:
        parts = [(block.lines[0].middle - _ROW / 2, block.lines[-1].middle + _ROW / 2)]
    for top, bottom in parts:
        for tick in scale.ticks:
            strong = tick == 0 and scale.low < 0
            axes.plot([tick] * 2, [top, bottom], color=RULE if strong else GRID, linewidth=1, zorder=0, clip_on=False)
        if look.rule:
            axes.plot(
                [look.rule[0]] * 2, [top, bottom], color=RULE, linewidth=1, dashes=(3, 3), zorder=0, clip_on=False
            )


def _key(sheet: Sheet, at: float, look: Look, series: Series) -> None:
    """What the two marks are."""
    sheet.mark(MARGIN + 5, at, series.marker, colour=series.colour)
    own = "drawn to the mean" if look.hollow_beside else "observed"
    sheet.say(MARGIN + 16, at, own)
    x = MARGIN + 16 + text_width(own) + 18
    if look.hollow_beside:
        sheet.mark(x, at, "o", colour=MUTED, size=6, markerfacecolor=PAPER, markeredgewidth=1.2)
    else:
        sheet.mark(x, at, "|", colour=INK, size=14, markeredgewidth=2)
    sheet.say(x + 11, at, look.beside, room=WIDTH - MARGIN - x - 11)


def _line(sheet: Sheet, axes: Axes, line: Line, series: Series, look: Look) -> None:
    """The label, the interval, the dot, and what stands beside it."""
    row, y = line.row, line.middle
    first = y - LINE if line.stacked else y - LINE * (len(line.label) - 1) / 2
    for number, text in enumerate(line.label):
        sheet.say(MARGIN, first + LINE * number, text)
    beside = look.beside_of(row)
    if row.estimate is None:
        return
    if row.low is not None and row.high is not None:
        axes.plot(
            [row.low, row.high], [y, y], color=series.colour, linewidth=2, label="interval", clip_on=False,
            solid_capstyle="round", zorder=2,
        )  # fmt: skip
    if beside is not None and look.hollow_beside:
        axes.plot(
            [beside], [y], "o", color=MUTED, markersize=6, markerfacecolor=PAPER, markeredgewidth=1.2, label="beside",
            clip_on=False, zorder=3,
        )  # fmt: skip
    axes.plot(
        [row.estimate],
        [y],
        series.marker,
        color=series.colour,
        markersize=8 if series.marker == "o" else 7,
        markerfacecolor=series.colour if row.has_interval else PAPER,
        markeredgewidth=1.5,
        label="estimate",
        clip_on=False,
        zorder=4,
    )
    if beside is not None and not look.hollow_beside:
        axes.plot(
            [beside], [y], "|", color=INK, markersize=15, markeredgewidth=2, label="beside", clip_on=False, zorder=5
        )


def _remarks(rows: Sequence[Row], left_out: str) -> list[str]:
    found = []
    populations = {row.population for row in rows if row.population}
    of = f"; n counts {populations.pop()}" if len(populations) == 1 else ""
    if any(row.has_interval for row in rows):
        found.append(f"Lines are 95 % intervals{of}.")
    elif of:
        found.append(f"{of[2:]}.")
    if any(row.estimate is not None and not row.has_interval for row in rows):
        found.append("Hollow: without interval, too few games.")
    if left_out:
        found.append(left_out)
    return found


def _description(rows: Sequence[Row], look: Look, besides: Sequence[float], left_out: str) -> str:
    said = in_words(rows, look.labels)
    beside = f" Beside each: {look.beside}." if besides else ""
    return f"Dots with 95 % intervals. {said}{beside} {left_out}".strip()
