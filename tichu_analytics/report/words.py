"""How measures, columns and values are called in a report: short names for readers, numbers with units."""

from __future__ import annotations

from typing import Any, Final

from tichu_analytics.report.labels import column_label, measure_label, value_label
from tichu_analytics.report.measure_words import BELOW
from tichu_analytics.report.model import Cell

#: Columns by their headings.
TITLES: Final[dict[str, str]] = {
    "whose": "whose",
    "n": "n",
    "k": "k",
    "n_games": "games",
    "estimate": "estimate",
    "low": "from",
    "high": "to",
    "shrunk": "drawn to the mean",
    "shrunk_low": "from",
    "shrunk_high": "to",
    "conservative": "mu less 3 sigma",
    "sd": "standard deviation",
    "score_gap": "score before the round",
    "opponent_bomb": "opponents' bomb",
    "opponent_call": "opponents' call",
    "broken_by": "went out first",
    "rank_of_bomb": "rank",
    "bomb_is": "what becomes of it",
    "given_to": "given to",
    "passed_to": "given to",
    "received_from": "received from",
    "winning_team": "seats",
    "wish_rank": "rank",
    "made_by": "made by",
    "thrown_on": "thrown on",
}

_VALUES: Final[dict[tuple[str, Any], str]] = {
    ("score_gap", -600): "behind by more than 400",
    ("score_gap", -400): "behind by 201 to 400",
    ("score_gap", -200): "behind by 1 to 200",
    ("score_gap", 0): "even, or ahead by up to 199",
    ("score_gap", 200): "ahead by 200 to 399",
    ("score_gap", 400): "ahead by 400 to 599",
    ("score_gap", 600): "ahead by 600 or more",
    ("opponent_bomb", False): "opponents: no bomb",
    ("opponent_bomb", True): "opponents: a bomb",
    ("opponent_call", "none"): "opponents: no call",
    ("opponent_call", "tichu"): "opponents: Tichu",
    ("opponent_call", "grand"): "opponents: Grand Tichu",
    ("parity", "odd_left"): "odd left, even right",
    ("parity", "odd_right"): "even left, odd right",
    ("parity", "both_odd"): "both odd",
    ("parity", "both_even"): "both even",
    ("parity", "special"): "a special card",
}


#: As many characters of a name stand in a table; a CSV file has all of them.
_LONGEST: Final = 60


def label(measure: str) -> str:
    """What a measure is called, in tables as in figures."""
    return measure_label(measure, BELOW)


def title(column: str) -> str:
    """How a column is headed."""
    return TITLES.get(column) or column_label(column)


def value_words(column: str, value: Any) -> str:
    """A value of a group for readers, harmless, and cut if it is very long: a name may be."""
    words = own_words(column, value) or value_label("player" if column == "whose" else column, value)
    return words if len(words) <= _LONGEST else f"{words[: _LONGEST - 1]}…"


def own_words(column: str, value: Any) -> str:
    """What a report calls a value; empty if it has no words of its own for it."""
    return _VALUES.get((column, value), "") if isinstance(value, (str, int)) else ""


def number(value: float | None, unit: str) -> str:
    """An estimate or an end of an interval with its unit, with as many digits as can be of use."""
    if value is None:
        return "–"  # noqa: RUF001 - a dash for what is not known
    if unit == "proportion":
        return f"{100 * value:.1f} %" if value in (0, 1) or 0.001 <= value <= 0.999 else f"{100 * value:.2f} %"
    text = f"{value:,.2f}" if abs(value) < 100 else f"{value:,.1f}"
    return text.replace("-", "\u2212")


def count(value: int | None) -> str:
    """A whole number with commas."""
    return "–" if value is None else f"{value:,}".replace("-", "\u2212")  # noqa: RUF001 - as above


def many(n: int, noun: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def figure_cell(name: str, value: Any, unit: str) -> Cell:
    """A figure of a row as a cell."""
    if name in ("n", "k", "n_games", "calls", "others") or value is None:
        return Cell(value, count(value))
    return Cell(value, number(value, unit))
