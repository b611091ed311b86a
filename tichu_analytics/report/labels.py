"""Words for figures: measures, groups and values as readers say them, and other people's text made harmless."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any, Final

from tichu_analytics.report.measure_words import MEASURES
from tichu_analytics.view.escape import for_terminal

#: Combining marks that a letter keeps; what is beyond them would run over the lines above and below.
_MOST_MARKS: Final = 2

#: Cards in the order of ranks, the special ones after the others, with how they are written.
CARDS: Final = {
    **{str(rank): str(rank) for rank in range(2, 11)},
    **{name: name for name in "JQKA"},
    **{"Ma": "Mah Jong", "Do": "Dog", "Ph": "Phoenix", "Dr": "Dragon"},
}
RANKS: Final = (*(str(rank) for rank in range(2, 11)), *"JQKA")

_WORDS: Final = {
    **{name: name for name in RANKS},
    **{name: CARDS[name] for name in ("Ma", "Do", "Ph", "Dr")},
    **{"four_bomb": "four of a kind", "straight_bomb": "straight flush", "full_house": "full house"},
    **{"none": "none", "tichu": "Tichu", "grand": "Grand Tichu", "dog": "Dog", "dragon": "Dragon"},
    **{"phoenix": "Phoenix", "before_exchange": "before the exchange", "after_exchange": "after the exchange"},
}
#: Columns whose numbers are ranks, jack to ace being 11 to 14.
_OF_RANKS: Final = frozenset({"wish_rank", "rank"})
_FACES: Final = {11: "J", 12: "Q", 13: "K", 14: "A"}
_COLUMNS: Final = {
    "aces8": "aces among the first eight",
    "high_cards": "aces, Dragon and Phoenix held",
    "aces": "aces held",
    "specials8": "special cards among the first eight",
    "honours8": "honours among the first eight",
    "score_gap": "lead before the round",
    "rounds_left": "rounds left",
    "nth_game": "n-th game of the player",
    "triples": "ranks dealt three or four times",
    "wish_rank": "rank wished",
    "opponents_cards_at_call": "cards of an opponent at the call",
}
#: Columns of yes and no for which "no" before the name is no English: how the one and the other are said.
_YES_OR_NO: Final = {
    "from_pair": ("not from a pair", "from a pair"),
    "completes_bomb": ("completes no bomb", "completes a bomb"),
    "out_of_turn": ("in turn", "out of turn"),
}
#: Columns of which a bare value says nothing: the name of the column stands with it.
_NAMED: Final = frozenset({"seat", "team", "winning_team", "aces", "aces8", "high_cards", "score_gap", "rounds_left"})
_PARTNERS: Final = {"0": "seats 0 and 2", "1": "seats 1 and 3"}


def measure_label(name: str, labels: Mapping[str, str] | None = None) -> str:
    """A measure in words.

    Args:
        name: its name; that of a measure of one's own is taken apart.
        labels: words of the caller's, which come first.
    """
    if labels and name in labels:
        return cleaned(labels[name])
    if name in MEASURES and MEASURES[name].alone:
        return MEASURES[name].alone
    words = cleaned(name.rpartition(".")[2].removesuffix("_rate").replace("_", " "))
    return words[:1].upper() + words[1:]


def column_label(name: str) -> str:
    """A column in words."""
    return _COLUMNS.get(name) or cleaned(name.replace("_", " "))


def value_label(column: str, value: Any) -> str:
    """The value of a group in words, harmless.

    Args:
        column: the column of the groups.
        value: what stands in it: a number, a boolean, a text (a player's name, say) or nothing.
    """
    text = _plain(column, value)
    if column in ("team", "winning_team"):
        return _PARTNERS.get(text, text)
    if column in _NAMED and isinstance(value, (int, float)) and not isinstance(value, bool):
        return f"{column_label(column) if column == 'seat' else ''} {text}".strip()
    return text


def _plain(column: str, value: Any) -> str:
    """A value as it is written; whole numbers without a point, names made harmless."""
    if missing(value):
        return "not known" if column != "wish_rank" else "no wish"
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        said = _YES_OR_NO.get(column) or (f"no {column_label(column)}", column_label(column))
        return said[bool(value)]
    if isinstance(value, str):
        if value == "none" and column.endswith("call"):
            return "no call"
        if column.startswith("specials"):
            return ", ".join(_WORDS.get(one, cleaned(one)) for one in value.split(" "))
        if column in ("player", "partner") or column.startswith("player_"):
            return cleaned(value) or "(no name)"
        return _WORDS.get(value) or cleaned(value.replace("_", " ")) or "(empty)"
    try:
        number = float(value)
    except (TypeError, ValueError):
        return cleaned(str(value))
    whole = int(number) if number == number and abs(number) < 1e15 and number == int(number) else None
    if whole is None:
        return f"{number:.3g}".replace("-", "\u2212")
    return _FACES.get(whole, str(whole)) if column in _OF_RANKS else str(whole).replace("-", "\u2212")


def missing(value: Any) -> bool:
    """Whether a value is one of the many nothings of a data frame: None, NaN, ``pandas.NA``."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return bool(isinstance(value, float) and value != value)


def cleaned(text: str) -> str:
    """Other people's text as a label: on one line, control and bidirectional characters visible, few marks on a letter.

    ``$``, ``<`` and ``&`` stay: figures draw text as it is, and the SVG escapes it.
    """
    kept: list[str] = []
    marks = 0
    for char in for_terminal(text):
        marks = marks + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        if marks <= _MOST_MARKS:
            kept.append(char)
    return "".join(kept).strip()


def counted(number: float) -> str:
    """A count with marks between thousands."""
    return f"{int(number):,}"


def counted_rows(number: float, population: str) -> str:
    """A count of a population, of which a single one has no plural: ``1 round``, ``2 rounds``."""
    # Some populations are described beyond their noun, which comes first: "rounds with a wish".
    noun, blank, more = population.partition(" ")
    if int(number) == 1 and noun.endswith("s") and noun == noun.lower():
        noun = noun.removesuffix("s")
    return f"{counted(number)} {noun}{blank}{more}"


def percent(rate: float) -> str:
    """A rate in percent, with as many digits as it deserves: ``61.3 %``, ``5.3 %``, ``0.32 %``."""
    value = 100 * rate
    if value == 0 or value >= 99.95:
        digits = 0
    elif value >= 10:
        digits = 1
    else:
        digits = 1 if value >= 1 else 2
    written = f"{value:.{digits}f}"
    return "<0.01 %" if value > 0 and float(written) == 0 else f"{written} %"


def number(value: float, size: float | None = None) -> str:
    """A mean with a true minus, and as many digits as its size (or that of the greatest beside it) asks for."""
    size = abs(value) if size is None else size
    digits = 0 if size >= 1000 else 1 if size >= 10 else 2
    written = f"{value:.{digits}f}"
    return ("0" if float(written) == 0 else written).replace("-", "\u2212")
