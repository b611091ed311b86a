"""A set of cards that shows itself: an integer like any other set of cards, for people."""

from __future__ import annotations

from typing import Any

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

    @classmethod
    def of(cls, text: str) -> Hand:
        """The set of typed cards, ``Hand.of("S5 G5 Ph")``.

        Raises:
            ValueError: for a word that is no card and for a card that stands twice.
        """
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
