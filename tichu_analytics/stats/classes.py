"""Into which classes hands are sorted for their odds: how many hands of the deck are in each, and in which a hand is.

A class is a small whole number. For each way of sorting there is an exact count (:mod:`tichu_analytics.stats.counting`)
and a function that looks at a mask. The latter is made of operations on bits alone, so that it takes a mask, or a NumPy
array of masks (``int64``) for all of them at once. What a bomb is, is asked of the rulebook.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.rules.cards import MAH_JONG, ONES, PHOENIX, SUITED, card_count, rank_counts, ranks_present
from tichu_analytics.rules.combinations import count_bombs
from tichu_analytics.stats import counting

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Masks = int | NDArray[np.int64]

#: The least number of cards of a straight, and of a straight flush.
_RUN: Final = counting.TICHU.run

#: The bits of ``honour_class`` below the aces, in the order in which cards are written.
SPECIALS: Final = {"Dragon": 8, "Phoenix": 4, "Dog": 2, "Mah Jong": 1}


class Classes(NamedTuple):
    """A way of sorting hands.

    Attributes:
        size: all classes are below this number.
        counts: for a number of cards, how many hands are in each class; hands of the real deck.
        of: the class of a mask, or of each mask of an array.
    """

    size: int
    counts: Callable[[int], Mapping[int, int]]
    of: Callable[[Any], Any]


def fours(bombs: int) -> int:
    """How many fours of a kind hands of a class of ``bombs`` have."""
    return bombs // 4


def flushes(bombs: int) -> int:
    """How many straight flushes hands of a class of ``bombs`` have."""
    return bombs % 4


def aces(honours: int) -> int:
    """How many aces hands of a class of ``honours`` have."""
    return honours // 16


def specials(honours: int) -> int:
    """Which special cards hands of a class of ``honours`` have: bits as in ``SPECIALS``."""
    return honours % 16


def bomb_class(mask: Masks) -> Masks:
    """Four times the number of fours of a kind, and the number of straight flushes (see ``count_bombs``)."""
    n_fours = card_count((rank_counts(mask & SUITED) >> 2) & ONES)  # type: ignore[arg-type]
    return 4 * n_fours + (count_bombs(mask) - n_fours)  # type: ignore[arg-type]


def flush_class(mask: Masks) -> Masks:
    """The length of the longest straight flush, 0 without one."""
    suited = mask & SUITED
    return _longest([(length, _row(suited, length)) for length in range(_RUN, 14)])


def straight_class(mask: Masks) -> Masks:
    """The length of the longest straight without the Phoenix, 0 without one; a straight flush counts as well."""
    ranks = _ranks(mask)
    return _longest([(length, _row(ranks, length)) for length in range(_RUN, 15)])


def helped_straight_class(mask: Masks) -> Masks:
    """The length of the longest straight, in which the Phoenix may stand for any rank from the two on."""
    ranks = _ranks(mask)
    joker = ((mask >> PHOENIX) & 1) * (ONES << 4)
    plain, helped = ranks, ranks | joker
    found = []
    for length in range(2, 15):
        # A straight of this length begins with a card, or with the Phoenix and goes on with cards alone.
        plain, helped = ranks & (plain >> 4), (ranks & (helped >> 4)) | (joker & (plain >> 4))
        if length >= _RUN:
            found.append((length, helped))
    return _longest(found)


def pair_class(mask: Masks) -> Masks:
    """The number of ranks with exactly two natural cards."""
    counts = rank_counts(mask & SUITED)  # type: ignore[arg-type]
    return card_count((counts >> 1) & ~counts & ONES)


def triple_class(mask: Masks) -> Masks:
    """The number of ranks with exactly three natural cards."""
    counts = rank_counts(mask & SUITED)  # type: ignore[arg-type]
    return card_count((counts >> 1) & counts & ONES)


def honour_class(mask: Masks) -> Masks:
    """Sixteen times the number of aces, and a bit for each special card (see ``SPECIALS``)."""
    return 16 * card_count((mask >> (MAH_JONG - 4)) & 15) + ((mask >> MAH_JONG) & 15)  # type: ignore[arg-type]


def _ranks(mask: Masks) -> Masks:
    """One bit for each rank of which there is a card, every fourth bit from the Mah Jong at bit 0 to the ace."""
    return (ranks_present(mask & SUITED) << 4) | ((mask >> MAH_JONG) & 1)  # type: ignore[arg-type]


def _row(bits: Masks, length: int) -> Masks:
    """The bits from which on there are so many, each four places above the one before."""
    row = bits
    for place in range(1, length):
        row = row & (bits >> (4 * place))
    return row


def _longest(rows: list[tuple[int, Masks]]) -> Masks:
    """The last of the lengths for which there is any bit, 0 if there is none."""
    longest: Masks = 0
    for length, bits in rows:
        there = bits != 0
        longest = length * there + longest * (1 - there)
    return longest


#: The ways of sorting by name.
CLASSES: Final[dict[str, Classes]] = {
    "bombs": Classes(
        16, lambda size: {4 * n + m: hands for (n, m), hands in counting.bomb_counts(size).items()}, bomb_class
    ),
    "flush": Classes(14, counting.flush_counts, flush_class),
    "straight": Classes(15, lambda size: counting.straight_counts(size, phoenix=False), straight_class),
    "helped_straight": Classes(15, lambda size: counting.straight_counts(size, phoenix=True), helped_straight_class),
    "pairs": Classes(8, lambda size: counting.equal_counts(size, 2), pair_class),
    "triples": Classes(5, lambda size: counting.equal_counts(size, 3), triple_class),
    "honours": Classes(
        80,
        lambda size: {16 * n + bits: hands for (n, bits), hands in counting.honour_counts(size).items()},
        honour_class,
    ),
}
