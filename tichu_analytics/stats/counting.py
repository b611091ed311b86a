"""How many hands of a given size hold what, counted exactly: bombs, straight flushes, straights, equal cards, aces.

Every count is a sum over all hands, taken rank by rank or suit by suit, in whole numbers; no hand is looked at twice or
drawn at random. What is counted is what the rulebook calls by that name (``rules/combinations.py``); the tests compare
both on every hand of small decks. A polynomial is a list whose element ``n`` is the number of ways with ``n`` cards.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from itertools import combinations
from math import comb
from typing import Final, NamedTuple

Polynomial = list[int]


class Deck(NamedTuple):
    """What there is to be dealt. Decks other than the real one are for tests.

    Attributes:
        ranks: ranks in each suit, the ace the highest.
        suits: suits, each with one card of every rank; four of a kind is a card of each.
        specials: cards without a suit.
        run: the least number of cards of a straight and of a straight flush.
    """

    ranks: int = 13
    suits: int = 4
    specials: int = 4
    run: int = 5

    @property
    def cards(self) -> int:
        """How many cards there are."""
        return self.ranks * self.suits + self.specials


#: The 56 cards of Tichu.
TICHU: Final = Deck()


@cache
def bomb_counts(size: int, deck: Deck = TICHU) -> Mapping[tuple[int, int], int]:
    """Hands by the number of fours of a kind and of straight flushes.

    A straight flush is a run of five or more cards of one suit that cannot be made longer, as in
    :func:`tichu_analytics.rules.combinations.count_bombs`; neither Phoenix nor Mah Jong can be in a bomb.

    Args:
        size: cards in the hand.
        deck: the deck.

    Returns:
        ``{(fours, flushes): hands}``; the hands add up to ``comb(deck.cards, size)``.
    """
    # For each suit, how many cards in a row end at the rank that was last dealt: no more than ``run``, which is
    # where a straight flush has been counted. The suits are alike, so their order does not matter.
    layer: dict[tuple[int, ...], Counter[tuple[int, int, int]]] = {(0,) * deck.suits: Counter({(0, 0, 0): 1})}
    for _ in range(deck.ranks):
        following: dict[tuple[int, ...], Counter[tuple[int, int, int]]] = {}
        for runs, held in layer.items():
            for (new, cards, fours, flushes), ways in _next_rank(runs, deck.run).items():
                target = following.setdefault(new, Counter())
                for (n, n_fours, n_flushes), hands in held.items():
                    if n + cards <= size:
                        target[n + cards, n_fours + fours, n_flushes + flushes] += ways * hands
        layer = following
    found: Counter[tuple[int, int]] = Counter()
    for held in layer.values():
        for (n, fours, flushes), hands in held.items():
            found[fours, flushes] += hands * comb(deck.specials, size - n)
    return {bombs: found[bombs] for bombs in sorted(found) if found[bombs]}


@cache
def _next_rank(runs: tuple[int, ...], run: int) -> Counter[tuple[tuple[int, ...], int, int, int]]:
    """The ways of taking cards of the next rank: the runs after it, how many cards, new fours and flushes."""
    ways: Counter[tuple[tuple[int, ...], int, int, int]] = Counter()
    for cards in range(len(runs) + 1):
        for suits in combinations(range(len(runs)), cards):
            new = [0] * len(runs)
            flushes = 0
            for suit in suits:
                new[suit] = min(runs[suit] + 1, run)
                flushes += runs[suit] == run - 1
            ways[tuple(sorted(new)), cards, int(cards == len(runs)), flushes] += 1
    return ways


@cache
def flush_counts(size: int, deck: Deck = TICHU) -> Mapping[int, int]:
    """Hands by the length of the longest straight flush, 0 without one; the arguments are those of ``bomb_counts``."""
    longest = min(size, deck.ranks)
    specials = [comb(deck.specials, n) for n in range(deck.specials + 1)]

    def shorter(length: int) -> int:
        """Hands without a straight flush of ``length`` or more: the suits have nothing to do with one another."""
        total = specials
        one = _suit_without_run(length, deck.ranks)
        for _ in range(deck.suits):
            total = _product(total, one, size)
        return total[size] if size < len(total) else 0

    return _differences(shorter, deck.run, longest)


def _suit_without_run(length: int, ranks: int) -> Polynomial:
    """Sets of cards of one suit in which no ``length`` are in a row."""
    ending: list[Polynomial] = [[1], *([0] for _ in range(length - 1))]  # by how many in a row are at the end
    for _ in range(ranks):
        ending = [_sum(ending), *([0, *one] for one in ending[:-1])]
    return _sum(ending)


@cache
def straight_counts(size: int, deck: Deck = TICHU, *, phoenix: bool) -> Mapping[int, int]:
    """Hands by the length of the longest straight that can be made of them, 0 without one.

    A straight is five or more ranks in a row from Mah Jong (1) to ace; the suits do not matter, so that a straight
    flush, though it is a bomb, counts as well. The Phoenix stands for one rank that is missing, inside or at an end,
    but for no 1 (RULES: official rules, all seeds). Neither Dog nor Dragon can be in it.

    Args:
        size: cards in the hand.
        deck: the deck; Mah Jong and Phoenix are two of its special cards.
        phoenix: whether a Phoenix in the hand may be used; otherwise it is left aside.

    Returns:
        ``{length: hands}``; the hands add up to ``comb(deck.cards, size)``.
    """
    longest = min(size, deck.ranks + 1)
    rest = [comb(deck.specials - 2, n) for n in range(deck.specials - 1)]

    def shorter(length: int) -> int:
        without, having = (_without_straight(length, deck, joker=joker) for joker in (False, phoenix))
        total = _product(_sum([without, [0, *having]]), rest, size)
        return total[size] if size < len(total) else 0

    return _differences(shorter, deck.run, longest)


def _without_straight(length: int, deck: Deck, *, joker: bool) -> Polynomial:
    """Sets of Mah Jong and suited cards out of which no straight of ``length`` can be made, with or without a joker."""
    some = [comb(deck.suits, n) for n in range(deck.suits + 1)]
    some[0] = 0
    # By how many ranks in a row end here without the joker, and how many with it at the best.
    layer: dict[tuple[int, int], Polynomial] = {(0, 0): [1], (1, 1 if joker else 0): [0, 1]}
    if length == 1:
        return []
    for _ in range(deck.ranks):
        following: dict[tuple[int, int], list[Polynomial]] = {}
        for (plain, helped), ways in layer.items():
            present = (plain + 1, helped + 1 if joker else 0)
            missing = (0, plain + 1 if joker else 0)
            for state, now in ((present, _product(ways, some)), (missing, ways)):
                if max(state) < length:
                    following.setdefault(state, []).append(now)
        layer = {state: _sum(several) for state, several in following.items()}
    return _sum(list(layer.values()))


@cache
def equal_counts(size: int, equal: int, deck: Deck = TICHU) -> Mapping[int, int]:
    """Hands by the number of ranks of which they have exactly ``equal`` natural cards: pairs, triples and so on.

    Args:
        size: cards in the hand.
        equal: 2 for pairs, 3 for triples, 4 for fours of a kind.
        deck: the deck.
    """
    found: dict[int, int] = {}
    others = [comb(deck.suits, n) for n in range(deck.suits + 1)]
    others[equal] = 0
    for ranks in range(size // equal + 1):
        total = [comb(deck.specials, n) for n in range(deck.specials + 1)]
        for _ in range(deck.ranks - ranks):
            total = _product(total, others, size)
        left = size - ranks * equal
        hands = total[left] if left < len(total) else 0
        found[ranks] = comb(deck.ranks, ranks) * comb(deck.suits, equal) ** ranks * hands
    return {ranks: hands for ranks, hands in found.items() if hands}


@cache
def honour_counts(size: int, deck: Deck = TICHU) -> Mapping[tuple[int, int], int]:
    """Hands by the number of aces and by which special cards they have.

    Returns:
        ``{(aces, specials): hands}`` with one bit a special card: Mah Jong 1, Dog 2, Phoenix 4, Dragon 8.
    """
    found: dict[tuple[int, int], int] = {}
    others = deck.cards - deck.suits - deck.specials
    for aces in range(deck.suits + 1):
        for specials in range(1 << deck.specials):
            left = size - aces - specials.bit_count()
            if 0 <= left <= others:
                found[aces, specials] = comb(deck.suits, aces) * comb(others, left)
    return found


def _differences(shorter: Callable[[int], int], least: int, longest: int) -> dict[int, int]:
    """Counts by the greatest length out of the counts of hands in which every length is less than a given one."""
    found: dict[int, int] = {}
    before = 0
    # In a hand that is too small for any, all lengths are 0.
    for length in range(least, max(longest + 1, least) + 1):
        up_to = shorter(length)
        if up_to > before:
            found[0 if length == least else length - 1] = up_to - before
        before = up_to
    return found


def _sum(several: list[Polynomial]) -> Polynomial:
    total = [0] * max(map(len, several), default=0)
    for one in several:
        for n, ways in enumerate(one):
            total[n] += ways
    return total


def _product(one: Polynomial, other: Polynomial, most: int | None = None) -> Polynomial:
    """The product of two polynomials, without the terms beyond ``most`` cards."""
    length = len(one) + len(other) - 1 if one and other else 0
    if most is not None:
        length = min(length, most + 1)
    total = [0] * length
    for n, ways in enumerate(one):
        if ways:
            for m, more in enumerate(other[: max(0, length - n)]):
                total[n + m] += ways * more
    return total
