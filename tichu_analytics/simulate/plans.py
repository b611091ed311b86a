"""How a hand is best laid out in combinations, and how hard each of them is to get rid of.

Everything is counted in hundredths of a lead: a combination that can only be led costs about a hundred, one that
probably wins its trick, and so brings a lead, costs less than nothing. The sum over a hand tells how far it is from
being played out. Nothing here decides a rule; which cards may be played is asked of the rulebook at the table.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.rules.cards import (
    BITS_OF_FOUR,
    DOG_MASK,
    DRAGON_MASK,
    MAH_JONG,
    MAH_JONG_MASK,
    PHOENIX_MASK,
    SUITED,
    ranks_present,
)
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    DRAGON_RANK2,
    FOUR_BOMB,
    FULL_HOUSE,
    PAIR,
    PHOENIX_LED_RANK2,
    SINGLE,
    STAIRS,
    STRAIGHT,
    STRAIGHT_BOMB,
    TRIPLE,
    bomb_cards,
)
from tichu_analytics.simulate.candidates import bombs, lay_straight, nibbles

# What combinations cost, by the rank that counts (the Mah Jong is 1, the Dragon 15).
SINGLE_COST: Final = (0, 60, 100, 99, 97, 95, 92, 88, 84, 79, 73, 65, 50, 25, -35, -90)
PAIR_COST: Final = (0, 0, 100, 98, 96, 93, 90, 86, 81, 75, 68, 57, 40, 12, -45)
TRIPLE_COST: Final = (0, 0, 80, 78, 75, 72, 68, 63, 57, 50, 42, 30, 12, -15, -50)
FULL_HOUSE_COST: Final = (0, 0, 72, 68, 63, 58, 52, 46, 38, 29, 19, 6, -12, -35, -60)
STAIRS_COST: Final = (0, 0, 0, 85, 82, 79, 75, 70, 64, 57, 48, 36, 18, -10, -45)
STRAIGHT_COST: Final = (0, 0, 0, 0, 0, 78, 75, 70, 63, 55, 45, 33, 18, -5, -40)
PHOENIX_COST: Final = -55
DOG_COST: Final = 75
FOUR_BOMB_COST: Final = -110
STRAIGHT_BOMB_COST: Final = -125
#: What every pair of stairs beyond two, and every card of a straight beyond five, takes off.
LONGER_STAIRS: Final = 14
LONGER_STRAIGHT: Final = 9

#: How many ways to lay a straight are looked at for one hand.
_MOST_STRAIGHTS: Final = 5
_CACHE_SIZE: Final = 30_000


class Part(NamedTuple):
    """A combination of a plan.

    Attributes:
        cost: hundredths of a lead that it costs to get rid of it, below 0 where it brings one.
        mask: its cards.
        kind, length, rank2: as in :class:`tichu_analytics.rules.combinations.Combination`.
    """

    cost: int
    mask: int
    kind: int
    length: int
    rank2: int


def _of_rank(rank: int, suits: int) -> Part:
    """All cards of a rank that a hand has: a single card, a pair, a triple or a bomb."""
    mask = suits << (4 * rank - 8)
    count = BITS_OF_FOUR[suits]
    if count == 4:
        return Part(FOUR_BOMB_COST, mask, FOUR_BOMB, 4, 2 * rank)
    cost, kind = ((SINGLE_COST, SINGLE), (PAIR_COST, PAIR), (TRIPLE_COST, TRIPLE))[count - 1]
    return Part(cost[rank], mask, kind, count, 2 * rank)


# _OF_RANK[rank][suits held]: made once, since most of a plan is of this kind.
_OF_RANK: Final = tuple(
    tuple(_of_rank(rank, suits) if rank > 1 and suits else Part(0, 0, 0, 0, 0) for suits in range(16))
    for rank in range(15)
)
_DRAGON_PART: Final = Part(SINGLE_COST[15], DRAGON_MASK, SINGLE, 1, DRAGON_RANK2)
_MAH_JONG_PART: Final = Part(SINGLE_COST[1], MAH_JONG_MASK, SINGLE, 1, 2)
_DOG_PART: Final = Part(DOG_COST, DOG_MASK, DOG_PLAY, 1, 0)
_PHOENIX_PART: Final = Part(PHOENIX_COST, PHOENIX_MASK, SINGLE, 1, PHOENIX_LED_RANK2)


class Plan(NamedTuple):
    """A hand laid out in combinations: the sum of their costs, and the combinations."""

    cost: int
    parts: tuple[Part, ...]


_RANK_PLANS: Final = tuple(tuple(Plan(part.cost, (part,)) for part in row) for row in _OF_RANK[2:])
_plans: dict[int, Plan] = {}


def plan(hand: int) -> Plan:
    """The cheapest layout of a hand that was found; the same for the same hand, whatever was asked before."""
    found = _plans.get(hand)
    if found is None:
        if hand < MAH_JONG_MASK and hand:
            # What is left of a pair or triple is of one rank.
            shift = hand.bit_length() - 1 & ~3
            if not hand & ((1 << shift) - 1):
                return _RANK_PLANS[shift // 4][hand >> shift]
        if len(_plans) >= _CACHE_SIZE:
            _plans.clear()
        found = _plans[hand] = _best(hand)
    return found


def _best(hand: int) -> Plan:
    best = _grouped(hand)
    if hand.bit_count() < 5:
        return best
    runs = _runs(hand)
    # A straight flush is a straight too, so that without one there is no need to look.
    if runs and not runs[0][2] and bomb_cards(hand):
        for mask in bombs(hand):
            if mask.bit_count() > 4:
                rest = plan(hand & ~mask)
                part = Part(STRAIGHT_BOMB_COST, mask, STRAIGHT_BOMB, mask.bit_count(), 2 * _top(mask))
                best = min(best, Plan(rest.cost + part.cost, (part, *rest.parts)))
    for bottom, top, missing in runs:
        part = _straight(hand, bottom, top, missing)
        rest = plan(hand & ~part.mask)
        if rest.cost + part.cost < best.cost:
            best = Plan(rest.cost + part.cost, (part, *rest.parts))
    return best


def _top(mask: int) -> int:
    """The highest rank among the suited cards of a set."""
    return ((mask & SUITED).bit_length() + 7) // 4


def _straight(hand: int, bottom: int, top: int, missing: int) -> Part:
    suits = nibbles(hand & SUITED)
    suits[1] = 1 if hand & MAH_JONG_MASK else 0
    length = top - bottom + 1
    mask = lay_straight(suits, top, length, missing or -1)
    if bomb_cards(mask) == mask:
        return Part(STRAIGHT_BOMB_COST, mask, STRAIGHT_BOMB, length, 2 * top)
    return Part(STRAIGHT_COST[top] - LONGER_STRAIGHT * (length - 5), mask, STRAIGHT, length, 2 * top)


def _runs(hand: int) -> list[tuple[int, int, int]]:
    """Straights worth a look: bottom, top, the rank that the Phoenix fills (0 without it); those without it first."""
    if not hand & PHOENIX_MASK:
        # One bit a rank, the Mah Jong below the two; without five in a row there is nothing to look for.
        ranks = ranks_present(hand & SUITED) << 4 | (hand >> MAH_JONG & 1)
        if not ranks & ranks >> 4 & ranks >> 8 & ranks >> 12 & ranks >> 16:
            return []
    suits = nibbles(hand & SUITED)
    held = [False, hand & MAH_JONG_MASK != 0, *[n != 0 for n in suits[2:]], False]
    many = [False, False, *[BITS_OF_FOUR[n] > 1 for n in suits[2:]], False]
    found: list[tuple[int, int, int]] = []
    start = 0
    for rank in range(1, 16):
        if held[rank]:
            if not start:
                start = rank
        elif start:
            if rank - start >= 5:
                bottom, top = start, rank - 1
                found.append((bottom, top, 0))
                # Shorter ones that leave pairs, or the highest card, whole.
                low, high = bottom, top
                while high - low >= 5 and many[low]:
                    low += 1
                while high - low >= 5 and (many[high] or high == top == 14):
                    high -= 1
                if (low, high) != (bottom, top):
                    found.append((low, high, 0))
            start = 0
    if hand & PHOENIX_MASK:
        for missing in range(2, 15):
            if held[missing]:
                continue
            low, high = missing, missing
            while low > 1 and held[low - 1]:
                low -= 1
            while high < 14 and held[high + 1]:
                high += 1
            if high - low >= 4:
                found.append((low, high, missing))
    if len(found) > _MOST_STRAIGHTS:
        found.sort(key=lambda run: (run[2] > 0, run[0] - run[1], run))
        del found[_MOST_STRAIGHTS:]
    return found


def _grouped(hand: int) -> Plan:
    """A hand laid out without straights: bombs, full houses, stairs, triples, pairs, single cards."""
    parts: list[Part] = []
    pairs: list[int] = []
    triples: list[int] = []
    ones: list[int] = []
    suits = [0] * 15
    rest = hand & SUITED
    while rest:
        bit = rest & -rest
        shift = bit.bit_length() - 1 & ~3
        four = hand >> shift & 15
        rest &= ~(15 << shift)
        rank = shift // 4 + 2
        suits[rank] = four
        count = BITS_OF_FOUR[four]
        if count == 1:
            ones.append(rank)
        elif count == 2:
            pairs.append(rank)
        elif count == 3:
            triples.append(rank)
        else:
            parts.append(_OF_RANK[rank][15])
    if hand & DRAGON_MASK:
        parts.append(_DRAGON_PART)
    if hand & MAH_JONG_MASK:
        parts.append(_MAH_JONG_PART)
    if hand & DOG_MASK:
        parts.append(_DOG_PART)
    if len(pairs) > 1:
        _take_stairs(parts, pairs, suits)
    if pairs and triples:
        _take_full_houses(parts, pairs, triples, suits)
    if hand & PHOENIX_MASK:
        _use_phoenix(parts, ones, pairs, triples, suits)
    for ranks in (ones, pairs, triples):
        parts += [_OF_RANK[rank][suits[rank]] for rank in ranks]
    return Plan(sum([part.cost for part in parts]), tuple(parts))


def _take_stairs(parts: list[Part], pairs: list[int], suits: list[int]) -> None:
    """Makes stairs of neighbouring pairs where that is cheaper than the pairs by themselves."""
    index = 0
    while index < len(pairs):
        end = index + 1
        while end < len(pairs) and pairs[end] == pairs[end - 1] + 1:
            end += 1
        if end - index > 1:
            run = pairs[index:end]
            cost = STAIRS_COST[run[-1]] - LONGER_STAIRS * (len(run) - 2)
            if cost < sum([PAIR_COST[rank] for rank in run]):
                mask = 0
                for rank in run:
                    mask |= suits[rank] << (4 * rank - 8)
                parts.append(Part(cost, mask, STAIRS, 2 * len(run), 2 * run[-1]))
                del pairs[index:end]
                end = index
        index = end


def _take_full_houses(parts: list[Part], pairs: list[int], triples: list[int], suits: list[int]) -> None:
    """Makes full houses of triples and low pairs, the highest triple first."""
    while triples and pairs:
        triple, pair = triples[-1], pairs[0]
        if FULL_HOUSE_COST[triple] >= TRIPLE_COST[triple] + PAIR_COST[pair]:
            return
        mask = (suits[triple] << (4 * triple - 8)) | (suits[pair] << (4 * pair - 8))
        parts.append(Part(FULL_HOUSE_COST[triple], mask, FULL_HOUSE, 5, 2 * triple))
        triples.pop()
        del pairs[0]


def _use_phoenix(parts: list[Part], ones: list[int], pairs: list[int], triples: list[int], suits: list[int]) -> None:
    """Adds the Phoenix where it saves most: by itself, to a pair, a triple or a full house."""
    best, use, first, second = PHOENIX_COST, SINGLE, 0, 0
    if ones:
        rank = ones[-1]
        saved = PAIR_COST[rank] - SINGLE_COST[rank]
        if saved < best:
            best, use, first = saved, PAIR, rank
        if triples:
            saved = FULL_HOUSE_COST[triples[-1]] - TRIPLE_COST[triples[-1]] - SINGLE_COST[ones[0]]
            if saved < best:
                best, use, first, second = saved, FULL_HOUSE, triples[-1], ones[0]
    if pairs:
        rank = pairs[-1]
        saved = TRIPLE_COST[rank] - PAIR_COST[rank]
        if saved < best:
            best, use, first = saved, TRIPLE, rank
        if len(pairs) > 1:
            saved = FULL_HOUSE_COST[rank] - PAIR_COST[rank] - PAIR_COST[pairs[0]]
            if saved < best:
                best, use, first, second = saved, FULL_HOUSE, rank, pairs[0]
    if use == SINGLE:
        parts.append(_PHOENIX_PART)
        return
    mask = PHOENIX_MASK | (suits[first] << (4 * first - 8))
    cost, length = (PAIR_COST[first], 2) if use == PAIR else (TRIPLE_COST[first], 3)
    if use == FULL_HOUSE:
        cost, length = FULL_HOUSE_COST[first], 5
        mask |= suits[second] << (4 * second - 8)
    parts.append(Part(cost, mask, use, length, 2 * first))
    for ranks in (ones, pairs, triples):
        for rank in (first, second):
            if rank in ranks:
                ranks.remove(rank)


def change(hand: int, mask: int) -> int:
    """What playing cards does to the cost of a hand: below 0 where the hand comes nearer to being played out.

    Every part of the plan that is touched counts with what is left of it.
    """
    total = 0
    for part in plan(hand).parts:
        if part.mask & mask:
            left = part.mask & ~mask
            total -= part.cost
            if left:
                total += plan(left).cost
    return total
