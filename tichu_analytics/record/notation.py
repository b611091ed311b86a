"""Cards and seats as text for people: English codes, sets from high to low.

Suit ``S`` sword, ``B`` pagoda, ``G`` jade, ``R`` star, then ``2``..``10``, ``J``, ``Q``, ``K``, ``A``; ``Ma`` Mah Jong,
``Do`` Dog, ``Ph`` Phoenix, ``Dr`` Dragon.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tichu_analytics.rules.cards import DOG, DRAGON, MAH_JONG, PHOENIX

_SUITS: Final = "SBGR"

#: The names of the ranks by number: 0 Dog, 1 Mah Jong, 2..10, 11 jack .. 14 ace, 15 Dragon.
RANK_NAMES: Final = ("Do", "Ma", *(str(rank) for rank in range(2, 11)), "J", "Q", "K", "A", "Dr")

#: The code of each card by its bit; the last is a card that could not be read.
CARD_CODES: Final = (
    *(suit + RANK_NAMES[rank] for rank in range(2, 15) for suit in _SUITS),
    "Ma",
    "Do",
    "Ph",
    "Dr",
    "?",
)

_ORDER: Final = (DRAGON, PHOENIX, *range(51, -1, -1), MAH_JONG, DOG)

_BITS: Final = {code: bit for bit, code in enumerate(CARD_CODES[:-1])} | {
    "Hu": DOG,
    **{f"{suit}B": CARD_CODES.index(f"{suit}J") for suit in _SUITS},
    **{f"{suit}D": CARD_CODES.index(f"{suit}Q") for suit in _SUITS},
}


def cards_text(cards: Iterable[int]) -> str:
    """Cards as text in the order given: ``[0, 54]`` is ``S2 Ph``."""
    return " ".join([CARD_CODES[card] for card in cards])


def mask_cards(mask: int) -> list[int]:
    """The cards of a set from high to low, Dragon and Phoenix first, Mah Jong and Dog last."""
    return [bit for bit in _ORDER if mask >> bit & 1]


def mask_text(mask: int) -> str:
    """A set of cards as text from high to low; the empty set is an empty text."""
    return cards_text(mask_cards(mask))


def card_bit(code: str) -> int:
    """The bit of a typed card, English or in the letters of BrettspielWelt logs (``SB`` is the sword jack).

    Raises:
        ValueError: if it is no card.
    """
    bit = _BITS.get(code)
    if bit is None:
        raise ValueError(f"{code!r} is no card; a card is written like S5, RQ or Ph")
    return bit


def parse_mask(text: str) -> int:
    """The set of typed cards separated by blanks.

    Raises:
        ValueError: for a word that is no card and for a card that stands twice.
    """
    mask = 0
    for code in text.split():
        bit = 1 << card_bit(code)
        if mask & bit:
            raise ValueError(f"{code} stands twice")
        mask |= bit
    return mask


def rank_text(rank2: int) -> str:
    """A doubled rank as text: ``12`` is ``6``, ``28`` is ``A``, ``17`` (a Phoenix on an 8) is ``8.5``."""
    if rank2 & 1:
        return "1.5" if rank2 == 3 else f"{RANK_NAMES[rank2 // 2]}.5" if rank2 <= 21 else f"{RANK_NAMES[rank2 // 2]}+½"
    return RANK_NAMES[rank2 // 2]
