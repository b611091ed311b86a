"""A set of cards that shows itself: an integer like any other set of cards, for people."""

from __future__ import annotations

from operator import index
from typing import Any, SupportsIndex

from tichu_analytics.record.notation import mask_text, parse_mask
from tichu_analytics.rules.cards import DECK


class Hand(int):
    """A set of cards as a mask, written and shown as cards.

    >>> Hand.of("S5 Ph RA")
    Hand.of('Ph RA S5')
    >>> Hand(1 << 55 | 1)
    Hand.of('Dr S2')
    """

    __slots__ = ()

    def __new__(cls, mask: SupportsIndex = 0) -> Hand:
        """The set of cards of a mask.

        Args:
            mask: a whole number, of Python or NumPy, with a bit for each card.

        Raises:
            TypeError: for what is no whole number; cards in words are for :meth:`of`.
            ValueError: for a number that is no set of cards.
        """
        try:
            number = index(mask)
        except TypeError:
            raise TypeError(
                "Hand takes a set of cards as a whole number, such as replay.rounds[0].held[0], "
                f"not {_told(mask)}; cards in words are Hand.of('Ph RA')"
            ) from None
        if isinstance(mask, bool) or number & ~DECK:
            told = str(mask) if number.bit_length() <= 64 else f"a number of {number.bit_length()} bits"
            raise ValueError(f"{told} is no set of cards, which is a number with a bit for each card, 0 to 2**56 - 1")
        return super().__new__(cls, number)

    @classmethod
    def of(cls, text: str) -> Hand:
        """The set of typed cards, ``Hand.of("S5 G5 Ph")``.

        Raises:
            TypeError: for what is no text.
            ValueError: for a word that is no card and for a card that stands twice.
        """
        if not isinstance(text, str):
            raise TypeError(f"Hand.of takes the cards as one text, Hand.of('Ph RA'), not {_told(text)}")
        return cls(parse_mask(text))

    def __str__(self) -> str:
        return mask_text(self & DECK)

    def __repr__(self) -> str:
        return f"Hand.of({str(self)!r})"

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import hand_in_notebook

        return hand_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self) or "no cards")


def _told(given: object) -> str:
    """What was given, in a few words: a short text as it is, of everything else the type."""
    if given is None or (isinstance(given, str) and len(given) <= 60):
        return ascii(given)
    return f"a value of the type {type(given).__name__}"
