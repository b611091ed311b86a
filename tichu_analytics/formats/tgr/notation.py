"""Cards and ranks as a TGR record has them, and as a BrettspielWelt log writes them.

A record has the English codes; the German ones of the logs are understood as well. What stands in the place of a card
or a rank and is none is written as ``?`` and that word, so that nothing of a log is lost.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.lines import CARD_BITS, CARD_MASKS, CARD_NAMES, WISH_RANKS
from tichu_analytics.record.model import UNKNOWN_CARD
from tichu_analytics.record.notation import CARD_CODES, RANK_NAMES, card_bit

#: Begins a word that stands in the place of a card or of a rank.
NO_CARD: Final = "?"

_TO_ENGLISH: Final = {name: CARD_CODES[bit] for name, bit in CARD_BITS.items()}
_BITS: Final = {**{code: bit for bit, code in enumerate(CARD_CODES[:-1])}, **CARD_BITS}
_GERMAN_RANKS: Final = {number: name for name, number in WISH_RANKS.items()}
_RANKS: Final = {RANK_NAMES[number]: number for number in WISH_RANKS.values()} | WISH_RANKS


class CardsRead(NamedTuple):
    """Cards of a record: bits in their order, as a set, and the words that are no cards."""

    cards: tuple[int, ...]
    mask: int
    unknown: tuple[str, ...]


def read_cards(text: str) -> CardsRead:
    """Reads cards text that is valid in a record.

    Raises:
        ValueError: for a word that is neither a card nor marked as none.
    """
    words = text.split(" ") if text else []
    cards = tuple([UNKNOWN_CARD if word[:1] == NO_CARD else _bit(word) for word in words])
    mask = 0
    for card in cards:
        mask |= CARD_MASKS[card]
    return CardsRead(cards, mask, tuple([word[1:] for word in words if word[:1] == NO_CARD]))


def is_card(word: str) -> bool:
    """Whether a word is a card, or marked as something that is none."""
    return word in _BITS or (word[:1] == NO_CARD and len(word) > 1)


def _bit(word: str) -> int:
    bit = _BITS.get(word)
    return card_bit(word) if bit is None else bit


def cards_from_bits(cards: tuple[int, ...]) -> str:
    """Cards text for bits, in their order.

    Raises:
        ValueError: for a card that could not be read, whose word is not known any more.
    """
    if UNKNOWN_CARD in cards:
        raise ValueError("a card could not be read, and what stands in its place is not known")
    return " ".join([CARD_CODES[card] for card in cards])


def cards_from_log(words: list[str]) -> str:
    """Cards text for the words of a log, whatever they are."""
    return " ".join([_TO_ENGLISH.get(word) or NO_CARD + word for word in words])


def cards_for_log(text: str) -> list[str]:
    """The words of a log for cards text.

    Raises:
        ValueError: as :func:`read_cards`.
    """
    return [word[1:] if word[:1] == NO_CARD else CARD_NAMES[_bit(word)] for word in text.split(" ")]


def read_rank(text: str) -> int:
    """The rank from 2 to 14 in a record, 0 for what is marked as none.

    Raises:
        ValueError: for a word that is neither a rank nor marked as none.
    """
    if text[:1] == NO_CARD:
        return 0
    number = _RANKS.get(text)
    if number is None:
        raise ValueError(f"{text!r} is no rank")
    return number


def rank_from_log(word: str) -> str:
    """The rank of a record for the word of a log, whatever it is."""
    number = WISH_RANKS.get(word)
    return NO_CARD + word if number is None else RANK_NAMES[number]


def rank_for_log(text: str) -> str:
    """The word of a log for a rank of a record.

    Raises:
        ValueError: as :func:`read_rank`.
    """
    return text[1:] if text[:1] == NO_CARD else _GERMAN_RANKS[read_rank(text)]
