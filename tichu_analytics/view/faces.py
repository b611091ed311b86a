"""What a card looks like: its rank, its suit with a symbol and a colour, its name in words."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.record.model import UNKNOWN_CARD
from tichu_analytics.record.notation import CARD_CODES

#: The suits in the order of their bits, by the letters of the card codes.
SUITS: Final = "SBGR"

#: What a suit is called.
SUIT_NAMES: Final = {"S": "sword", "B": "pagoda", "G": "jade", "R": "star"}

#: One character for each suit, one cell wide on a terminal.
SYMBOLS: Final = {"S": "\u2020", "B": "\u2302", "G": "\u25c6", "R": "\u2605"}

_SPECIAL: Final = {"Ma": "Mah Jong", "Do": "Dog", "Ph": "Phoenix", "Dr": "Dragon", "?": "unreadable card"}
_RANKS: Final = {"J": "jack", "Q": "queen", "K": "king", "A": "ace"}


class Face(NamedTuple):
    """A card as it is shown.

    Attributes:
        code: its code, ``S5``, ``Dr``; ``?`` for a card that could not be read.
        suit: ``S``, ``B``, ``G`` or ``R``; an empty text for a special card.
        rank: the rank on a card with a suit, else the code.
        name: the card in words, ``sword 5``, ``Mah Jong``.
    """

    code: str
    suit: str
    rank: str
    name: str


def _face(card: int) -> Face:
    code = CARD_CODES[card]
    if card >= 4 * 13:
        return Face(code, "", code, _SPECIAL[code])
    suit, rank = code[0], code[1:]
    return Face(code, suit, rank, f"{SUIT_NAMES[suit]} {_RANKS.get(rank, rank)}")


#: The face of each card by its bit; the last is a card that could not be read.
FACES: Final = tuple(_face(card) for card in range(UNKNOWN_CARD + 1))


def symbols_fit(encoding: str) -> bool:
    """Whether an encoding has the symbols of the suits."""
    try:
        "".join(SYMBOLS.values()).encode(encoding)
    except (LookupError, UnicodeError):
        return False
    return True
