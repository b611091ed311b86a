"""How many deals leave several hands at once without a bomb, counted exactly, and with it how many hands have one.

Two hands of one deal are not independent: what one has, the other has not. So deals are counted, not hands. A deal is
a way of giving so many cards each to one hand after the other; the rest of the deck stays where it is.

The count is one of inclusion and exclusion over everything that makes a bomb: "hand h has all cards of rank r" and
"hand h has these five cards in a row of one suit". Deals in which several such things hold at the same time are added
or taken off, as their number is even or odd. Several fives in a row that share cards are taken together: of all the
ways in which they can cover a run of ``n`` cards, what is left of the signs is -1 for ``n`` = 5, +1 for 6, -1 for 10,
+1 for 11 and nothing for all other lengths (the series of ``-x^5 (1 - x) / (1 - x^5)``), so that only runs of these
lengths have to be laid. They are laid rank by rank. All that matters of a hand is how many of its cards are fixed, and
for how many more ranks each of its runs goes on; hands are alike, and so are suits.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from math import comb, factorial
from typing import Final

from tichu_analytics.stats.counting import TICHU, Deck

#: How many players there are.
HANDS: Final = 4

#: For one hand: how many of its cards are fixed, and the ranks that each of its runs has left, in ascending order.
#: 0 is a single card that ends a run for good.
_Hand = tuple[int, tuple[int, ...]]
_Layer = dict[tuple[_Hand, ...], int]

#: Deals in which none of the first, the first two, three, four hands of 14 cards has a bomb, and those in which none
#: has a straight flush. Counting them takes a dozen seconds; a test counts them anew.
WITHOUT_BOMB_14: Final = (
    5_510_068_764_162,
    276_563_598_036_072_704_251_152,
    10_537_984_517_403_836_525_414_746_282_632,
    10_012_008_435_809_707_582_212_430_679_040,
)
WITHOUT_FLUSH_14: Final = (
    5_712_459_663_966,
    297_183_712_451_846_681_348_560,
    11_734_194_144_791_503_311_655_239_079_200,
    11_550_166_787_358_225_364_504_667_572_800,
)


def deal_count(hands: int, size: int, deck: Deck = TICHU) -> int:
    """How many ways there are to give ``size`` cards each to so many hands, one after the other."""
    return _ways(deck.cards, [size] * hands)


def without_bomb(hands: int, size: int, deck: Deck = TICHU, *, fours: bool = True, flushes: bool = True) -> int:
    """How many deals leave every one of the first hands without a bomb.

    Args:
        hands: how many hands are looked at, 0 to 4.
        size: cards in each hand.
        deck: the deck.
        fours: whether four of a kind is a bomb; False to count deals without a straight flush alone.
        flushes: whether a straight flush is a bomb.

    Returns:
        The number of deals out of ``deal_count(hands, size, deck)``.
    """
    if hands == 0:
        return 1
    if (size, deck) == (14, TICHU) and flushes:
        return (WITHOUT_BOMB_14 if fours else WITHOUT_FLUSH_14)[hands - 1]
    return count_without_bomb(hands, size, deck, fours=fours, flushes=flushes)


def hands_with_bomb(
    hands: int, size: int, deck: Deck = TICHU, *, fours: bool = True, flushes: bool = True
) -> list[int]:
    """Deals by the number of hands that have a bomb.

    Args:
        hands, size, deck, fours, flushes: as for :func:`without_bomb`.

    Returns:
        Element ``n`` is the number of deals with ``n`` such hands; they add up to ``deal_count(hands, size, deck)``.
    """
    total = deal_count(hands, size, deck)
    # Deals in which certain ``n`` hands have none, whatever the others have: all hands are alike.
    none = [
        without_bomb(n, size, deck, fours=fours, flushes=flushes) * total // deal_count(n, size, deck)
        for n in range(hands + 1)
    ]
    return [
        comb(hands, having)
        * sum((-1) ** more * comb(having, more) * none[hands - having + more] for more in range(having + 1))
        for having in range(hands + 1)
    ]


def count_without_bomb(hands: int, size: int, deck: Deck = TICHU, *, fours: bool = True, flushes: bool = True) -> int:
    """What :func:`without_bomb` gives, always counted anew, which takes a dozen seconds for hands of 14 cards."""
    total = 0
    for fixed, weight in fixed_cards(size, deck, fours, flushes).items():
        # Only hands that are looked at may have fixed cards; there are so many choices of the others.
        free = fixed.count(0)
        if free < HANDS - hands:
            continue
        wanted = [size - cards for cards in fixed if cards] + [size] * (free - (HANDS - hands))
        ways = _ways(deck.cards - sum(fixed), wanted)
        total += weight * comb(free, HANDS - hands) * ways
    return total // comb(HANDS, hands)


@cache
def fixed_cards(size: int, deck: Deck, fours: bool, flushes: bool) -> Mapping[tuple[int, ...], int]:
    """The signed number of ways to lay bombs, by the cards that they fix in each of four hands, in ascending order."""
    layer: _Layer = {((0, ()),) * HANDS: 1}
    for rank in range(deck.ranks):
        left = deck.ranks - rank
        if flushes and left >= deck.run:
            layer = _with_new_runs(layer, size, deck)
        if fours:
            layer = _with_fours(layer, size, deck)
        layer = _next_rank(layer, size, deck.run, left - 1)
    found: dict[tuple[int, ...], int] = {}
    for hands, weight in layer.items():
        fixed = tuple(cards for cards, _ in hands)
        found[fixed] = found.get(fixed, 0) + weight
    return found


def _with_new_runs(layer: _Layer, size: int, deck: Deck) -> _Layer:
    """Begins runs in suits that have none: in each of them, one for any of the hands, or none."""
    by_free_suits: list[_Layer] = [{} for _ in range(deck.suits + 1)]
    for hands, weight in layer.items():
        by_free_suits[deck.suits - sum(len(runs) for _, runs in hands)][hands] = weight
    # The suits that are free are gone through one by one, so that each gets a run once at most.
    for suits in range(deck.suits, 0, -1):
        fewer = by_free_suits[suits - 1]
        for hands, weight in by_free_suits[suits].items():
            fewer[hands] = fewer.get(hands, 0) + weight
            for place, (cards, runs) in enumerate(hands):
                if cards + deck.run <= size and (place == 0 or hands[place - 1] != hands[place]):
                    new = _replaced(hands, place, (cards + deck.run, tuple(sorted((*runs, deck.run)))))
                    fewer[new] = fewer.get(new, 0) - weight * hands.count(hands[place])
    return by_free_suits[0]


def _with_fours(layer: _Layer, size: int, deck: Deck) -> _Layer:
    """Gives one hand all cards of the rank, or none does; the cards of its own runs are fixed already."""
    found = dict(layer)
    for hands, weight in layer.items():
        running = sum(len(runs) for _, runs in hands)
        for place, (cards, runs) in enumerate(hands):
            new_cards = cards + deck.suits - len(runs)
            if len(runs) == running and new_cards <= size and (place == 0 or hands[place - 1] != hands[place]):
                new = _replaced(hands, place, (new_cards, runs))
                found[new] = found.get(new, 0) - weight * hands.count(hands[place])
    return found


def _next_rank(layer: _Layer, size: int, run: int, left: int) -> _Layer:
    """Goes on to the next rank, of ``left``: runs get shorter; one that is at its end ends, or is made longer.

    It may get one card more, which turns the sign and is the last; or as many as a run has, with the same sign.
    """
    found: _Layer = {}
    for hands, weight in layer.items():
        ways: list[tuple[tuple[_Hand, ...], int]] = [((), weight)]
        for hand in hands:
            steps = _steps(hand, size, run, left)
            ways = [((*before, after), sign * so_far) for before, so_far in ways for after, sign in steps]
        for new, signed in ways:
            key = tuple(sorted(new))
            found[key] = found.get(key, 0) + signed
    return found


@cache
def _steps(hand: _Hand, size: int, run: int, left: int) -> list[tuple[_Hand, int]]:
    """What can become of a hand at the next rank, each with a sign."""
    cards, runs = hand
    ways: list[tuple[int, tuple[int, ...], int]] = [(cards, (), 1)]
    for rest in runs:
        if rest > 1:
            ways = [(n, (*after, rest - 1), sign) for n, after, sign in ways]
        elif rest == 1:
            longer = [(n + 1, (*after, 0), -sign) for n, after, sign in ways if left >= 1]
            much_longer = [(n + run, (*after, run), sign) for n, after, sign in ways if left >= run]
            ways = [one for one in (*ways, *longer, *much_longer) if one[0] <= size]
    return [((n, tuple(sorted(after))), sign) for n, after, sign in ways]


def _replaced(hands: tuple[_Hand, ...], place: int, hand: _Hand) -> tuple[_Hand, ...]:
    return tuple(sorted((*hands[:place], hand, *hands[place + 1 :])))


def _ways(cards: int, wanted: list[int]) -> int:
    """How many ways there are to give so many of the cards to each hand."""
    ways = factorial(cards)
    for size in wanted:
        ways //= factorial(size)
    return ways // factorial(cards - sum(wanted))
