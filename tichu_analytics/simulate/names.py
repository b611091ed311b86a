"""Made-up names of players: mostly plain, some with the letters of other scripts, digits or a no-break space."""

from __future__ import annotations

from typing import Final

from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.recorder import Names

_PLAIN: Final = ("ba", "dor", "fi", "gul", "ha", "ki", "lo", "mer", "na", "pe", "quo", "ri", "sam", "tu", "vel", "zo")
_UMLAUT: Final = ("bär", "dö", "flü", "groß", "hüt", "jä", "mö", "tür")
_GREEK: Final = ("αλ", "βρο", "γε", "δι", "κα", "λιν", "πε", "τρο")
_CYRILLIC: Final = ("ба", "ве", "гор", "ди", "ко", "лу", "мир", "та")  # noqa: RUF001
_JAPANESE: Final = ("あ", "かな", "し", "たろ", "の", "はな", "み", "ゆき")

# Names that a log can hold and that programs stumble over: empty, like markup, formulas, lines of a log, file names;
# with signs that turn the direction of writing or that nobody sees.
_ODD: Final = (
    "",
    "<b>bold</b>",
    "<script>alert(1)</script>",
    "&amp;",
    "=1+1",
    "+49",
    "-2",
    "@sum",
    '"quoted"',
    "'",
    "a,b;c|d",
    "%s{0}${x}",
    "\\n",
    "../../x",
    "null",
    "NaN",
    "passt.",
    "gibt",
    "(1)",
    "Ma",
    "tim-4",
    "7!!",
    "knuffi\u00a0",
    "\u00a0",
    "\u202eabc",
    "a\u200bb",
    "\ufeffx",
    "e\u0301",
    "\u05d0\u05d1",
    "\U0001f409",
    "x" * 200,
)


def odd_name(dice: Dice) -> str:
    """A name of the kind that programs stumble over, at times with something added."""
    name = dice.pick(_ODD)
    return name if dice.chance(60) else f"{name}{dice.below(1000)}"


def make_name(dice: Dice) -> str:
    """A name without blank, tab and colon, which a log could not hold."""
    kind = dice.below(20)
    syllables = {0: _UMLAUT, 1: _GREEK, 2: _CYRILLIC, 3: _JAPANESE}.get(kind, _PLAIN)
    name = "".join([dice.pick(syllables) for _ in range(2 + dice.below(2))])
    if kind == 4:
        name = f"{name.capitalize()}\u00a0{dice.pick(_PLAIN).capitalize()}"
    elif kind == 5:
        name = f"{name}{dice.below(100)}"
    elif kind == 6:
        name = f"{1 + dice.below(9)}{name}!"
    elif kind == 7:
        name = f"{name}_{dice.pick(_PLAIN)}-{1 + dice.below(9)}"
    return name.capitalize() if dice.chance(60) else name


def another_name(dice: Dice, taken: Names) -> str:
    """A name that nobody at the table has."""
    while True:
        name = make_name(dice)
        if name not in taken:
            return name


def four_names(dice: Dice) -> Names:
    """Four different names."""
    names: Names = ("", "", "", "")
    for seat in range(4):
        name = another_name(dice, names)
        names = (*names[:seat], name, *names[seat + 1 :])  # type: ignore[assignment]
    return names
