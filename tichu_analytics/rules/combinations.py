"""Which cards form a combination, in every way in which the Phoenix allows it, and what beats what.

Ranks are doubled (``rank2``) so that the single Phoenix, half a rank above what it covers, stays an integer.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.rules.cards import (
    DOG_MASK,
    DRAGON_MASK,
    MAH_JONG_MASK,
    ONES,
    PHOENIX_MASK,
    SUITED,
    SUITS,
    bit_position,
    card_count,
    rank_counts,
    ranks_present,
)
from tichu_analytics.rules.options import NO, Options

# Kinds of combination, in the order of KIND_NAMES.
NO_COMBINATION: Final = 0
SINGLE: Final = 1
PAIR: Final = 2
TRIPLE: Final = 3
STAIRS: Final = 4
FULL_HOUSE: Final = 5
STRAIGHT: Final = 6
FOUR_BOMB: Final = 7
STRAIGHT_BOMB: Final = 8
DOG_PLAY: Final = 9

#: The names of the kinds in tables and messages, by number; 0 is no combination.
KIND_NAMES: Final = (
    "none",
    "single",
    "pair",
    "triple",
    "stairs",
    "full_house",
    "straight",
    "four_bomb",
    "straight_bomb",
    "dog",
)

#: ``rank2`` of the Dragon, and of the Phoenix that is led (official rules, seed 004: 1.5).
DRAGON_RANK2: Final = 30
PHOENIX_LED_RANK2: Final = 3

# _RUN[k]: k ranks in a row from the two upwards, one bit each; _PAIRS[k]: two of each.
_RUN: Final = tuple(ONES & ((1 << (4 * length)) - 1) for length in range(15))
_PAIRS: Final = tuple(2 * run for run in _RUN)


class Combination(NamedTuple):
    """A set of cards read as a combination.

    Attributes:
        kind: one of the kind numbers of this module, ``NO_COMBINATION`` for no combination.
        length: number of cards.
        rank2: twice the rank that counts: its card, the triple of a full house, the top of stairs and straights.
            A single Phoenix has 0 here; :func:`single_phoenix_rank2` gives its rank on a table.
        phoenix: the rank (2..14) that the Phoenix stands for, 0 without it and for a single Phoenix.
    """

    kind: int
    length: int
    rank2: int
    phoenix: int


class Readings(NamedTuple):
    """All ways in which a set of cards is a combination: none, one or two, the higher one first.

    Attributes:
        ways: how many.
        kind, length, rank2, phoenix: the first reading, see :class:`Combination`.
        kind_low, rank2_low, phoenix_low: the second one, which has the same length; 0 if there is none.
    """

    ways: int
    kind: int
    length: int
    rank2: int
    phoenix: int
    kind_low: int
    rank2_low: int
    phoenix_low: int


def is_bomb(kind: int) -> bool:
    """Whether a kind of combination is a bomb: four of a kind or a straight flush."""
    return kind == FOUR_BOMB or kind == STRAIGHT_BOMB


def _none(length: int) -> Readings:
    return Readings(0, NO_COMBINATION, length, 0, 0, 0, 0, 0)


def _one(kind: int, length: int, rank: int, phoenix: int) -> Readings:
    return Readings(1, kind, length, 2 * rank, phoenix, 0, 0, 0)


def readings(mask: int, options: Options) -> Readings:
    """Every way in which a set of one or more cards is a combination (RULES 3 and 3.1; all seeds, official rules).

    Two readings exist for two pairs with the Phoenix and for a gap-free run with the Phoenix at a free end; under the
    option ``straight_flush_as_straight`` also for a straight flush.

    Args:
        mask: the cards, one or more.
        options: the rule set's choices; they say which shapes there are, and not what beats what.
    """
    length = card_count(mask)
    suited = mask & SUITED
    if length == 1:
        return _single(mask)
    if length > 14 or mask & (DOG_MASK | DRAGON_MASK):
        return _none(length)
    if mask & PHOENIX_MASK:
        return _with_phoenix(mask, suited, length, options)
    present = ranks_present(suited)
    if present == 0:
        return _none(length)
    lowest = bit_position(present & -present)
    if mask & MAH_JONG_MASK:
        # The Mah Jong is the 1 below a run from the two; it has no suit, so this is never a bomb.
        if length >= 5 and suited == mask ^ MAH_JONG_MASK and rank_counts(suited) == _RUN[length - 1]:
            return _one(STRAIGHT, length, length, 0)
        return _none(length)
    counts = rank_counts(suited)
    rank = lowest // 4 + 2
    if length <= 4 and counts == length << lowest:
        return _one(PAIR if length == 2 else TRIPLE if length == 3 else FOUR_BOMB, length, rank, 0)
    if length >= 5 and counts == _RUN[length] << lowest:
        return _straight(suited, length, rank + length - 1, options)
    if length % 2 == 0 and counts == _PAIRS[length // 2] << lowest:
        return _one(STAIRS, length, rank + length // 2 - 1, 0)
    if length == 5:
        triple = _full_house_triple(counts, present)
        if triple != 0:
            return _one(FULL_HOUSE, 5, triple, 0)
    return _none(length)


def _single(mask: int) -> Readings:
    if mask == PHOENIX_MASK:
        return Readings(1, SINGLE, 1, 0, 0, 0, 0, 0)
    if mask == DOG_MASK:
        return Readings(1, DOG_PLAY, 1, 0, 0, 0, 0, 0)
    if mask == DRAGON_MASK:
        return Readings(1, SINGLE, 1, DRAGON_RANK2, 0, 0, 0, 0)
    if mask == MAH_JONG_MASK:
        return _one(SINGLE, 1, 1, 0)
    return _one(SINGLE, 1, bit_position(mask) // 4 + 2, 0)


def _straight(suited: int, length: int, top: int, options: Options) -> Readings:
    """A run of suited cards: a bomb if all are of one suit (and by option a plain straight as well)."""
    suit = SUITS[bit_position(suited & -suited) % 4]
    if suited & suit != suited:
        return _one(STRAIGHT, length, top, 0)
    if options.straight_flush_as_straight == NO:
        return _one(STRAIGHT_BOMB, length, top, 0)
    return Readings(2, STRAIGHT_BOMB, length, 2 * top, 0, STRAIGHT, 2 * top, 0)


def _full_house_triple(counts: int, present: int) -> int:
    """The rank of the triple if the counts are three of one rank and two of another, else 0."""
    threes = counts & (counts >> 1) & ONES
    twos = present ^ threes
    if threes & (threes - 1) or twos & (twos - 1) or threes == 0 or twos == 0 or counts != 3 * threes + 2 * twos:
        return 0
    return bit_position(threes) // 4 + 2


def _with_phoenix(mask: int, suited: int, length: int, options: Options) -> Readings:
    """Readings of two or more cards with the Phoenix and without Dog and Dragon; it stands for a rank 2..14 only."""
    present = ranks_present(suited)
    if present == 0:
        return _none(length)
    counts = rank_counts(suited)
    lowest = bit_position(present & -present)
    rank = lowest // 4 + 2
    if mask & MAH_JONG_MASK == 0:
        if length <= 3 and counts == (length - 1) << lowest:
            return _one(PAIR if length == 2 else TRIPLE, length, rank, rank)
        if length == 5:
            house = _full_house_with_phoenix(counts, present, options)
            if house.ways > 0:
                return house
        if length % 2 == 0 and length >= 4:
            pairs = length // 2
            lacking = (_PAIRS[pairs] << lowest) - counts
            # One rank of the run of pairs has one card only; the Phoenix is the other.
            if lacking > 0 and lacking & (lacking - 1) == 0 and lacking & present:
                return _one(STAIRS, length, rank + pairs - 1, bit_position(lacking) // 4 + 2)
    if length >= 5 and counts == present:
        return _straight_with_phoenix(mask, present, length)
    return _none(length)


def _full_house_with_phoenix(counts: int, present: int, options: Options) -> Readings:
    """Four suited cards and the Phoenix as a full house."""
    rest = present & (present - 1)
    low = bit_position(present ^ rest) // 4 + 2
    if rest == 0:
        # Four of a kind: the pair would have the rank of the triple (publisher's FAQ: no full house).
        if options.fullhouse_same_rank == NO:
            return _none(5)
        return _one(FULL_HOUSE, 5, low, low)
    if rest & (rest - 1):
        return _none(5)
    high = bit_position(rest) // 4 + 2
    lows = (counts >> (4 * low - 8)) & 15
    if lows == 2:
        return Readings(2, FULL_HOUSE, 5, 2 * high, high, FULL_HOUSE, 2 * low, low)
    if lows == 3:
        return _one(FULL_HOUSE, 5, low, high)
    return _one(FULL_HOUSE, 5, high, low)


def _straight_with_phoenix(mask: int, present: int, length: int) -> Readings:
    """A run of ``length`` ranks of which the Phoenix is one; all suited cards are of different ranks."""
    # Shift everything up by one rank so that the Mah Jong can be the lowest bit.
    ranks = present << 4
    if mask & MAH_JONG_MASK:
        ranks |= 1
    lowest = bit_position(ranks & -ranks)
    bottom = lowest // 4 + 1
    natural = length - 1
    run = (1 << (4 * natural)) - 1
    if ranks == ((ONES << 4 | 1) & run) << lowest:
        top = bottom + natural - 1
        if top < 14:
            if bottom > 2:
                return Readings(2, STRAIGHT, length, 2 * top + 2, top + 1, STRAIGHT, 2 * top, bottom - 1)
            return _one(STRAIGHT, length, top + 1, top + 1)
        if bottom > 2:
            return _one(STRAIGHT, length, 14, bottom - 1)
        return _none(length)
    run = (1 << (4 * length)) - 1
    gap = (((ONES << 4 | 1) & run) << lowest) ^ ranks
    # With one inner rank missing, the gap is a single bit.
    if gap & (gap - 1):
        return _none(length)
    return _one(STRAIGHT, length, bottom + length - 1, bit_position(gap) // 4 + 1)


def reading(found: Readings, index: int) -> Combination:
    """The first (0) or second (1) reading of a set of cards; one that is not there has ``NO_COMBINATION``."""
    if index == 0:
        return Combination(found.kind, found.length, found.rank2, found.phoenix)
    return Combination(found.kind_low, found.length, found.rank2_low, found.phoenix_low)


def single_phoenix_rank2(table_kind: int, table_rank2: int) -> int:
    """Twice the rank of a single Phoenix: 1.5 when led, half above the single it covers, never above the Dragon.

    All seeds and the official rules; 1.5 on lead: official rules and seed 004. On the Dragon it gets 14.5, which does
    not beat it.

    Args:
        table_kind: the kind of the last play, ``NO_COMBINATION`` on an empty table.
        table_rank2: twice its rank.
    """
    if table_kind != SINGLE:
        return PHOENIX_LED_RANK2
    if table_rank2 >= DRAGON_RANK2:
        return 29
    # On a Phoenix (odd) nothing can be a Phoenix again; the sum only keeps the function total.
    return table_rank2 + 1


def beats(kind: int, length: int, rank2: int, table_kind: int, table_length: int, table_rank2: int) -> bool:
    """Whether a combination beats the one on the table: same kind and length and higher, or a bomb.

    Bombs compare by number of cards, then by rank (official rules, seeds 000 and 001); equal never beats. A single
    Phoenix comes with the rank that :func:`single_phoenix_rank2` gives it. Nothing beats a Dog.
    """
    if table_kind == DOG_PLAY or kind == DOG_PLAY or kind == NO_COMBINATION:
        return False
    if kind == FOUR_BOMB or kind == STRAIGHT_BOMB:
        if table_kind != FOUR_BOMB and table_kind != STRAIGHT_BOMB:
            return True
        return length > table_length or (length == table_length and rank2 > table_rank2)
    return kind == table_kind and length == table_length and rank2 > table_rank2


def bomb_cards(hand: int) -> int:
    """All cards of a hand that belong to a bomb it contains: four of a kind, five or more in a row of one suit."""
    pairs = hand & SUITED & (hand >> 1)
    fours = pairs & (pairs >> 2) & ONES
    cards = 15 * fours
    for suit in range(4):
        row = hand & SUITS[suit]
        starts = row & (row >> 4) & (row >> 8) & (row >> 12) & (row >> 16)
        cards |= starts | (starts << 4) | (starts << 8) | (starts << 12) | (starts << 16)
    return cards


def holds_bomb(hand: int) -> bool:
    """Whether a hand contains a bomb."""
    return bomb_cards(hand) != 0


def count_bombs(hand: int) -> int:
    """How many fours of a kind and maximal straight flushes a hand contains.

    Straight flushes are counted as runs of five or more cards of one suit that cannot be made longer: one of seven
    cards counts once. A card may belong to a four of a kind and to a straight flush as well; then both count.
    """
    pairs = hand & SUITED & (hand >> 1)
    fours = pairs & (pairs >> 2) & ONES
    suited = hand & SUITED
    # Every fourth bit is of the same suit: a bit is left where five in a row begin, and a longer run leaves several
    # neighbours, of which only the highest has no next one.
    starts = suited & (suited >> 4) & (suited >> 8) & (suited >> 12) & (suited >> 16)
    runs = starts ^ (starts & (starts >> 4))
    return card_count(fours) + card_count(runs)
