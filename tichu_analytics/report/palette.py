"""The colours and marks of all figures: one ink, one paper, and a few series that are told apart without colour too.

Figures bring their own paper: every contrast below holds on it whatever the page around them looks like, in dark mode
and in print. ``tests/test_figures.py`` works out contrasts (WCAG 2) and the distances for colour-blind eyes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

#: What everything is drawn on; so light that it is white on paper.
PAPER: Final = "#fdfdfb"
#: Text and what matters.
INK: Final = "#20242b"
#: Text that may be read later: axes, remarks.
MUTED: Final = "#565d68"
#: Lines that guide the eye, and nothing else.
GRID: Final = "#e4e3dc"
#: A line that means something: zero, an even chance.
RULE: Final = "#9b9a92"


class Series(NamedTuple):
    """How one of several things in a figure is drawn.

    Attributes:
        colour: of its marks and its label.
        marker: the shape of its marks, in the words of matplotlib.
    """

    colour: str
    marker: str


#: In the order in which they are used. Shapes differ as well, and so does lightness, as far as contrast allows.
SERIES: Final = (
    Series("#1868c9", "o"),
    Series("#b5520b", "D"),
    Series("#0b4a35", "s"),
    Series("#663a74", "^"),
)
#: The middle of a distribution, and its ends; the latter are also the colour of bars.
BANDS: Final = ("#14558f", "#6c9cc9")

#: The colours of a heat map from nothing to most.
_RAMP: Final = ("#fdfdfb", "#7fb0dd", "#0c3c6c")


def channels(colour: str) -> tuple[int, int, int]:
    """Red, green and blue of ``#rrggbb``, each 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def luminance(colour: str) -> float:
    """Relative luminance of a colour as WCAG 2 defines it, 0 (black) to 1 (white)."""
    red, green, blue = (_linear(one / 255) for one in channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(value: float) -> float:
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def contrast(one: str, other: str) -> float:
    """Contrast of two colours as WCAG 2 defines it, 1 to 21."""
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


def shade(share: float) -> str:
    """The colour of a cell of a heat map.

    Args:
        share: how full it is, 0 (paper) to 1 (the darkest blue); values beyond are cut off.

    Returns:
        ``#rrggbb``, darker the higher the share.
    """
    # The root makes small shares visible beside great ones.
    place = min(max(share, 0.0), 1.0) ** 0.6 * (len(_RAMP) - 1)
    first = min(int(place), len(_RAMP) - 2)
    ends = zip(channels(_RAMP[first]), channels(_RAMP[first + 1]), strict=True)
    return "#" + "".join(f"{round(low + (high - low) * (place - first)):02x}" for low, high in ends)


def ink_on(colour: str) -> str:
    """The colour of text on a colour: ink if it can be read well, else paper; black where neither can."""
    return next((ink for ink in (INK, PAPER) if contrast(ink, colour) >= 4.5), "#000000")
