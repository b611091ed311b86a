"""One line of a BrettspielWelt log at a time: what kind of line it is and what it says."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tichu_analytics.record.model import UNKNOWN_CARD, UNKNOWN_MASK

FIRST8_HEADER: Final = "---------------Gr.Tichukarten------------------"
DEALT_HEADER: Final = "---------------Startkarten------------------"
EXCHANGE_HEADER: Final = "Schupfen:"
PLAY_HEADER: Final = "---------------Rundenverlauf------------------"

#: A line longer than this is no line of a log: four names and fourteen cards need far less.
LONGEST_LINE: Final = 8_000

_SUITS: Final = "SBGR"
_RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "B", "D", "K", "A")

#: The log's own names of the cards, by bit.
CARD_NAMES: Final = (*(suit + rank for rank in _RANKS for suit in _SUITS), "Ma", "Hu", "Ph", "Dr")

#: The bit of each card by its name.
CARD_BITS: Final = {name: bit for bit, name in enumerate(CARD_NAMES)}

#: The mask of each card, and of ``UNKNOWN_CARD``, by bit.
CARD_MASKS: Final = (*(1 << bit for bit in range(56)), UNKNOWN_MASK)

#: The ranks of a wish by the log's name.
WISH_RANKS: Final = {name: number for number, name in enumerate(_RANKS, start=2)}


class Cards(NamedTuple):
    """Cards as written: bits in that order, as a set, and what of them could not be read."""

    cards: tuple[int, ...]
    mask: int
    unknown: tuple[str, ...]
    blanks: bool


_cache: dict[str, Cards] = {}
# Enough for all singles and pairs and the commoner plays; emptied when full, so that memory stays flat.
_CACHE_SIZE: Final = 20_000


def parse_cards(text: str) -> Cards:
    """Reads cards separated by single blanks; one blank may follow the last.

    ``blanks`` of the answer tells that there are more blanks than that.
    """
    found = _cache.get(text)
    if found is not None:
        return found
    tokens = text.split(" ")
    if tokens[-1] == "":
        tokens.pop()
    blanks = "" in tokens
    if blanks:
        tokens = [token for token in tokens if token]
    cards = tuple([CARD_BITS.get(token, UNKNOWN_CARD) for token in tokens])
    mask = 0
    for card in cards:
        mask |= CARD_MASKS[card]
    unknown = tuple([token for token in tokens if token not in CARD_BITS]) if mask & UNKNOWN_MASK else ()
    found = Cards(cards, mask, unknown, blanks)
    if len(text) <= 60:
        if len(_cache) >= _CACHE_SIZE:
            _cache.clear()
        _cache[text] = found
    return found


class LineKind:
    """What kinds of lines there are."""

    UNKNOWN: Final = 0
    BLANK: Final = 1
    FIRST8_HEADER: Final = 2
    DEALT_HEADER: Final = 3
    EXCHANGE_HEADER: Final = 4
    PLAY_HEADER: Final = 5
    DEAL: Final = 6
    CALL: Final = 7
    GIFT: Final = 8
    BOMBS: Final = 9
    PLAY: Final = 10
    PASS: Final = 11
    WISH: Final = 12
    DRAGON: Final = 13
    RESULT: Final = 14


class Line(NamedTuple):
    """A line taken apart.

    Attributes:
        kind: one of :class:`LineKind`.
        seat: the seat number as written, or -1; it may be out of range.
        name: the name behind it.
        rest: what follows: cards, a rank, gifts, numbers.
        exact: headers only: written just as it should be.
    """

    kind: int
    seat: int = -1
    name: str = ""
    rest: str = ""
    exact: bool = True


_HEADER: Final = re.compile(r"-* ?(Gr\.Tichukarten|Startkarten|Rundenverlauf) ?-*")
_HEADERS: Final = {
    "Gr.Tichukarten": LineKind.FIRST8_HEADER,
    "Startkarten": LineKind.DEALT_HEADER,
    "Rundenverlauf": LineKind.PLAY_HEADER,
}
_EXACT: Final = {
    FIRST8_HEADER: Line(LineKind.FIRST8_HEADER),
    DEALT_HEADER: Line(LineKind.DEALT_HEADER),
    EXCHANGE_HEADER: Line(LineKind.EXCHANGE_HEADER),
    PLAY_HEADER: Line(LineKind.PLAY_HEADER),
}
# A seat in parentheses and a name without blank, tab and colon, possibly empty. The number may be anything here.
_SEAT_NAME: Final = r"\(([0-9]{1,9})\)([^ \t:]*)"
_PLAY: Final = re.compile(rf"{_SEAT_NAME}: ?(.*)", re.DOTALL)
_PASS: Final = re.compile(rf"{_SEAT_NAME} passt\. ?", re.DOTALL)
_GIFT: Final = re.compile(rf"{_SEAT_NAME} gibt: ?(.*)", re.DOTALL)
_DEAL: Final = re.compile(rf"{_SEAT_NAME} (.*)", re.DOTALL)
_CALL: Final = re.compile(rf"(Tichu|Grosses Tichu): {_SEAT_NAME} ?", re.DOTALL)
_DRAGON: Final = re.compile(rf"Drache an: {_SEAT_NAME} ?", re.DOTALL)
_BOMB_SEAT: Final = re.compile(_SEAT_NAME)
_NUMBER: Final = re.compile(r"-?[0-9]+")

#: The kind of a card-like word: what could be meant as a card, right or wrong.
_CARD_LIKE: Final = re.compile(r"[A-Za-z]{1,2}[0-9]{0,2}[A-Za-z]?|[0-9]{1,2}")


def split_line(line: str) -> Line:
    """Tells what kind of line a line is, whatever the place it stands in. Never raises."""
    exact = _EXACT.get(line.rstrip(" ") if line[-1:] == " " else line)
    if exact is not None:
        return exact
    if not line.strip(" "):
        return Line(LineKind.BLANK)
    if len(line) > LONGEST_LINE:
        return Line(LineKind.UNKNOWN)
    if line[0] == "(":
        return _seat_line(line)
    match = _CALL.fullmatch(line)
    if match:
        kind = match[1]
        return Line(LineKind.CALL, int(match[2]), match[3], kind)
    if line.startswith("Wunsch:"):
        return Line(LineKind.WISH, rest=line[7:].rstrip(" "))
    match = _DRAGON.fullmatch(line)
    if match:
        return Line(LineKind.DRAGON, int(match[1]), match[2])
    if line.startswith("BOMBE:"):
        return Line(LineKind.BOMBS, rest=line[6:])
    if line.startswith("Ergebnis:"):
        return Line(LineKind.RESULT, rest=line[9:])
    match = _HEADER.fullmatch(line.rstrip(" "))
    if match:
        return Line(_HEADERS[match[1]], exact=False)
    if line.rstrip(" ") in ("Schupfen", "Schupfen :"):
        return Line(LineKind.EXCHANGE_HEADER, exact=False)
    return Line(LineKind.UNKNOWN)


def _seat_line(line: str) -> Line:
    match = _PASS.fullmatch(line)
    if match:
        return Line(LineKind.PASS, int(match[1]), match[2])
    match = _GIFT.fullmatch(line)
    if match and (":" in match[3] or not match[3].strip(" ")):
        return Line(LineKind.GIFT, int(match[1]), match[2], match[3])
    match = _PLAY.fullmatch(line)
    if match and ":" not in match[3]:
        return Line(LineKind.PLAY, int(match[1]), match[2], match[3])
    match = _DEAL.fullmatch(line)
    if match and ":" not in match[3]:
        words = [word for word in match[3].split(" ") if word]
        like = sum(1 for word in words if _CARD_LIKE.fullmatch(word))
        if len(words) >= 4 and 2 * like > len(words):
            return Line(LineKind.DEAL, int(match[1]), match[2], match[3])
    return Line(LineKind.UNKNOWN)


def bomb_seats(rest: str) -> tuple[tuple[int, ...], tuple[str, ...], str | None]:
    """The seats and names of a ``BOMBE:`` line, and the first word of it that is none (or None)."""
    seats: list[int] = []
    names: list[str] = []
    for word in rest.split(" "):
        if not word:
            continue
        match = _BOMB_SEAT.fullmatch(word)
        if match is None:
            return tuple(seats), tuple(names), word
        seats.append(int(match[1]))
        names.append(match[2])
    return tuple(seats), tuple(names), None


#: No round can score more than this: 200 for the double victory and four calls of 200.
LARGEST_SCORE: Final = 1000


def result_numbers(rest: str) -> tuple[int | None, int | None] | None:
    """The two numbers behind ``Ergebnis:``; None where it is not two numbers; a None within for one that cannot be.

    Numbers are ASCII digits with an optional minus.
    """
    parts = rest.removesuffix(" ").split(" - ")
    if len(parts) != 2 or not parts[0].startswith(" "):
        return None
    words = (parts[0][1:], parts[1])
    if not all(_NUMBER.fullmatch(word) for word in words):
        return None
    return _number(words[0]), _number(words[1])


def _number(word: str) -> int | None:
    # Longer numbers are not even turned into integers: nobody's score has four digits.
    digits = word.lstrip("-").lstrip("0")
    if len(digits) > 4:
        return None
    number = int(digits or "0") * (-1 if word.startswith("-") else 1)
    return number if abs(number) <= LARGEST_SCORE else None
