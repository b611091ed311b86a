"""The 56 cards as bits, sets of cards as masks, and what cards are worth.

Bit ``4*r + s`` for rank ``r`` (0 = two .. 12 = ace) and suit ``s`` (0 sword, 1 pagoda, 2 jade, 3 star); Mah Jong, Dog,
Phoenix and Dragon are bits 52 to 55. Masks are never negative and fit a signed 64-bit integer.

Ranks as numbers: Mah Jong 1, 2..10, jack 11, queen 12, king 13, ace 14; the Dragon counts 15, the Dog 0.
"""

from __future__ import annotations

from typing import Final

MAH_JONG: Final = 52
DOG: Final = 53
PHOENIX: Final = 54
DRAGON: Final = 55

MAH_JONG_MASK: Final = 1 << MAH_JONG
DOG_MASK: Final = 1 << DOG
PHOENIX_MASK: Final = 1 << PHOENIX
DRAGON_MASK: Final = 1 << DRAGON

#: All 52 cards that have a suit.
SUITED: Final = (1 << 52) - 1
#: All 56 cards.
DECK: Final = (1 << 56) - 1
#: The lowest bit of each rank's four: one bit a rank.
ONES: Final = 0x1111111111111

#: ``SUITS[s]``: the 13 cards of suit ``s``.
SUITS: Final = (ONES, ONES << 1, ONES << 2, ONES << 3)

#: ``RANK_MASK[rank]`` for ranks 0..15: the cards of that rank (Dog, Mah Jong, 2..ace, Dragon).
RANK_MASK: Final = (
    DOG_MASK,
    MAH_JONG_MASK,
    *tuple(15 << (4 * rank) for rank in range(13)),
    DRAGON_MASK,
)

FIVES: Final = RANK_MASK[5]
TENS_AND_KINGS: Final = RANK_MASK[10] | RANK_MASK[13]

#: ``CARD_RANK[bit]``: the rank of a card as a number; 0 for the Dog and, having none of its own, the Phoenix.
CARD_RANK: Final = (*tuple(2 + bit // 4 for bit in range(52)), 1, 0, 0, 15)

#: How many of four bits are set.
BITS_OF_FOUR: Final = (0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4)

# The powers of two up to 2**65 leave different remainders on division by 67, so a table finds the position of a single
# bit; int.bit_length would do it, but Numba does not know it.
_POSITION: Final = tuple(next((bit for bit in range(66) if pow(2, bit, 67) == remainder), 0) for remainder in range(67))


def card_count(mask: int) -> int:
    """How many cards a mask has (0 to 56)."""
    pairs = mask - ((mask >> 1) & 0x55555555555555)
    fours = (pairs & 0x33333333333333) + ((pairs >> 2) & 0x33333333333333)
    bytes_ = (fours + (fours >> 4)) & 0x0F0F0F0F0F0F0F
    halves = bytes_ + (bytes_ >> 32)
    quarters = halves + (halves >> 16)
    return (quarters + (quarters >> 8)) & 0x7F


def bit_position(bit: int) -> int:
    """The position of the only bit of a mask with one bit."""
    return _POSITION[bit % 67]


def rank_counts(mask: int) -> int:
    """How many suited cards of each rank a mask has, four bits a rank (two lowest), each 0 to 4."""
    return (mask & ONES) + ((mask >> 1) & ONES) + ((mask >> 2) & ONES) + ((mask >> 3) & ONES)


def ranks_present(mask: int) -> int:
    """One bit a rank (bit ``4*(rank-2)``) for each rank of which the mask has a suited card."""
    return (mask | (mask >> 1) | (mask >> 2) | (mask >> 3)) & ONES


def count_of_rank(mask: int, rank: int) -> int:
    """How many suited cards of a rank (2..14) a mask has; the Phoenix is none."""
    return BITS_OF_FOUR[(mask >> (4 * rank - 8)) & 15]


def points(mask: int) -> int:
    """What a set of cards is worth: fives 5, tens and kings 10, Dragon 25, Phoenix -25 (seeds 000-004, official)."""
    total = 5 * card_count(mask & FIVES) + 10 * card_count(mask & TENS_AND_KINGS)
    if mask & DRAGON_MASK:
        total += 25
    if mask & PHOENIX_MASK:
        total -= 25
    return total
