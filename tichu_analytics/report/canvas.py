"""What all figures are drawn on: a sheet as wide as a phone, measured in CSS pixels from its upper left corner.

A figure is 350 units wide, so that a page can show it in the column of a phone at about its own size, where a text of
12 units is 11 to 12 pixels high. Everything that is text is written by ``say`` of :class:`Sheet`, never by an axis of
matplotlib: it is placed by what is there, shortened to its room, and never taken for a formula. This module imports
matplotlib; those around it import it late.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal
from unicodedata import east_asian_width

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, get_font

from tichu_analytics.report.labels import cleaned
from tichu_analytics.report.palette import GRID, INK, MUTED, PAPER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backend_bases import RendererBase

#: Width of every figure in units, and what stays free at its left and right side.
WIDTH: Final = 350.0
MARGIN: Final = 8.0
#: Sizes of text: what is read first, and everything else.
HEADING: Final = 14.0
TEXT: Final = 12.0
#: From one line of text to the next.
LINE: Final = 15.0

#: Width in CSS pixels where a notebook has room for it.
_SHOWN: Final = 1.25 * WIDTH

_PER_INCH: Final = 72.0
_FONTS: Final = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
_FILES: Final = {False: _FONTS / "DejaVuSans.ttf", True: _FONTS / "DejaVuSans-Bold.ttf"}

Align = Literal["left", "center", "right"]


class ReportFigure(Figure):
    """A figure of matplotlib that shows itself in a notebook, and knows what it says in words.

    Whoever cannot see pictures, or reads a notebook where none are shown, gets the words.

    Attributes:
        heading: its title, whether or not it is drawn.
        description: what it shows in a sentence or two, for those who do not see it.
    """

    def __init__(self, width: float, height: float, heading: str = "", description: str = "") -> None:
        # Twice the pixels where it is shown as PNG after all; an SVG does not know of dots.
        super().__init__(figsize=(width / _PER_INCH, height / _PER_INCH), dpi=2 * _PER_INCH, facecolor=PAPER)
        self.heading = heading
        self.description = description

    def draw(self, renderer: RendererBase) -> None:
        """Draws it, without remarks on letters that the font of the layout does not have: the reader's may."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message="Glyph .* missing from")
            warnings.filterwarnings("ignore", message="Matplotlib currently does not support")
            super().draw(renderer)

    def _repr_html_(self) -> str:
        from tichu_analytics.report.svg import figure_img

        return figure_img(self, width=_SHOWN)

    def _repr_svg_(self) -> str:
        from tichu_analytics.report.svg import figure_svg

        return figure_svg(self, width=_SHOWN)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from tichu_analytics.report.svg import figure_words

        printer.text(figure_words(self))


@cache
def font(bold: bool = False) -> FontProperties:
    """The font by which texts are measured: it comes with matplotlib, so that figures are the same everywhere."""
    return FontProperties(family="sans-serif", fname=str(_FILES[bold]), weight="bold" if bold else "normal")


@cache
def _advance(char: str, bold: bool) -> float:
    """The width of a character, in parts of the size of the font."""
    if east_asian_width(char) in "WF":
        return 1.0
    face = get_font(str(_FILES[bold]))
    if face.get_char_index(ord(char)) == 0:
        return 0.8
    face.set_size(100, 72)
    return face.load_char(ord(char)).linearHoriAdvance / 65536 / 100


def text_width(text: str, size: float = TEXT, *, bold: bool = False) -> float:
    """About how wide a text is, in units; rather more, since the font of the layout is a wide one."""
    return size * sum(_advance(char, bold) for char in text)


def shortened(text: str, room: float, size: float = TEXT, *, bold: bool = False) -> str:
    """A text that fits into a room, with an ellipsis where something was left out."""
    if len(text) <= 400 and text_width(text, size, bold=bold) <= room:
        return text
    kept = 0
    used = text_width("\u2026", size, bold=bold)
    for char in text:
        used += size * _advance(char, bold)
        # Marks have no width, and a name may have hundreds of them.
        if used > room or kept >= 200:
            break
        kept += 1
    return text[:kept].rstrip() + "\u2026"


def wrapped(text: str, room: float, lines: int, size: float = TEXT, *, bold: bool = False) -> list[str]:
    """A text in at most so many lines, broken at blanks; the last one is shortened if need be."""
    found: list[str] = []
    words = text.split(" ")
    while words and len(found) < lines - 1:
        taken = 1
        while taken < len(words) and text_width(" ".join(words[: taken + 1]), size, bold=bold) <= room:
            taken += 1
        found.append(shortened(" ".join(words[:taken]), room, size, bold=bold))
        words = words[taken:]
    if words:
        found.append(shortened(" ".join(words), room, size, bold=bold))
    return found


@contextmanager
def own_settings() -> Iterator[None]:
    """The settings of matplotlib as it comes along, for the time being: figures look the same for everybody."""
    keep = {"backend", "backend_fallback", "interactive", "toolbar", "timezone"}
    usual = {name: value for name, value in matplotlib.rcParamsDefault.items() if name not in keep}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", matplotlib.MatplotlibDeprecationWarning)
        with matplotlib.rc_context(usual):
            yield


class Sheet:
    """A figure in the making: positions are units from the upper left corner, ``y`` downwards.

    Args:
        height: of the figure, in units.
        heading: its title.
        drawn: whether the title is drawn as well.
        description: what it shows, in words.
    """

    def __init__(self, height: float, heading: str, description: str) -> None:
        self.height = height
        self.figure = ReportFigure(WIDTH, height, heading, description)
        self.figure.patch.set_gid("paper")

    def axes(self, left: float, top: float, width: float, height: float, xlim: tuple[float, float]) -> Axes:
        """A field for marks: across, ``xlim``; down, the units of the sheet itself, so that rows and texts agree."""
        box = (left / WIDTH, 1 - (top + height) / self.height, width / WIDTH, height / self.height)
        axes = self.figure.add_axes(box)
        axes.set_axis_off()
        axes.set_xlim(*xlim)
        axes.set_ylim(top + height, top)
        return axes

    def upright(
        self, left: float, top: float, width: float, height: float, xlim: tuple[float, float], ylim: tuple[float, float]
    ) -> Axes:
        """A field for marks whose heights mean something: up, ``ylim``."""
        axes = self.axes(left, top, width, height, xlim)
        axes.set_ylim(*ylim)
        return axes

    def say(
        self,
        x: float,
        y: float,
        text: str,
        *,
        align: Align = "left",
        colour: str = INK,
        size: float = TEXT,
        bold: bool = False,
        room: float | None = None,
    ) -> None:
        """Writes a text whose middle is at a height ``y``, shortened to its room."""
        text = cleaned(text)
        if room is not None:
            text = shortened(text, room, size, bold=bold)
        # The middle of capital letters, not that of whatever letters the text has: rows stay in line.
        baseline = y + 0.36 * size
        self.figure.text(
            x / WIDTH,
            1 - baseline / self.height,
            text,
            ha=align,
            va="baseline",
            color=colour,
            fontproperties=font(bold),
            fontsize=size,
            parse_math=False,
            usetex=False,
        )

    def line(self, xs: Sequence[float], ys: Sequence[float], *, colour: str = GRID, width: float = 1.0) -> None:
        """A line on the sheet itself, in units; for rules and keys."""
        from matplotlib.lines import Line2D

        self.figure.add_artist(
            Line2D(
                [x / WIDTH for x in xs],
                [1 - y / self.height for y in ys],
                color=colour,
                linewidth=width,
                solid_capstyle="butt",
            )
        )

    def mark(self, x: float, y: float, marker: str, *, colour: str, size: float = 7.0, **more: Any) -> None:
        """A mark on the sheet itself; for keys."""
        from matplotlib.lines import Line2D

        self.figure.add_artist(
            Line2D(
                [x / WIDTH],
                [1 - y / self.height],
                linestyle="none",
                marker=marker,
                color=colour,
                markersize=size,
                **more,
            )
        )

    def finish(self) -> ReportFigure:
        """The figure."""
        return self.figure


def thinned(texts: Sequence[str], room: float) -> int:
    """Every how many of texts side by side there is room for.

    Args:
        texts: what is to be written.
        room: from the middle of one to that of the next, in units.
    """
    return max(1, -int(-(max(map(text_width, texts), default=0.0) + 6) // room))


class Page:
    """Where the next thing goes, before the height of a sheet is known: title at the top, remarks at the end."""

    def __init__(self, title: str) -> None:
        self.title = wrapped(cleaned(title), WIDTH - 2 * MARGIN, 3, HEADING, bold=True) if title else []
        self.top = 10.0 + (len(self.title) * 18 + 6 if self.title else 0)

    def write(self, sheet: Sheet) -> None:
        """Writes the title."""
        for number, line in enumerate(self.title):
            sheet.say(MARGIN, 16 + 18 * number, line, size=HEADING, bold=True)


def remark_lines(remarks: Sequence[str]) -> list[str]:
    """Remarks below a figure, broken into lines of its width."""
    return [line for remark in remarks for line in wrapped(cleaned(remark), WIDTH - 2 * MARGIN, 4)]


def write_remarks(sheet: Sheet, top: float, lines: Sequence[str]) -> None:
    """Writes remarks from a height on."""
    for number, line in enumerate(lines):
        sheet.say(MARGIN, top + LINE * number + LINE / 2, line, colour=MUTED)


def nothing(title: str, what: str = "No data") -> ReportFigure:
    """A figure that says that there is nothing to draw."""
    page = Page(title)
    with own_settings():
        sheet = Sheet(page.top + 64, title, f"{what}.")
        page.write(sheet)
        middle = page.top + 28
        sheet.line((MARGIN, WIDTH - MARGIN), (middle - 24, middle - 24))
        sheet.line((MARGIN, WIDTH - MARGIN), (middle + 24, middle + 24))
        sheet.say(WIDTH / 2, middle, what, align="center", colour=MUTED)
        return sheet.finish()
