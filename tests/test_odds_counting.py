"""The exact counts of hands and deals against small decks of which every hand or deal is looked at.

Whether there is a bomb or a straight in a hand is asked of the rulebook wherever it knows such cards; decks with other
numbers of suits or shorter runs are judged here, card by card.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb

import numpy as np
import pytest

from tests.test_sql_macros import brute_force_bombs
from tichu_analytics.record.notation import mask_text, parse_mask
from tichu_analytics.rules.cards import MAH_JONG, PHOENIX, PHOENIX_MASK, RANK_MASK
from tichu_analytics.rules.combinations import STRAIGHT, STRAIGHT_BOMB, count_bombs, holds_bomb, readings
from tichu_analytics.rules.options import Options
from tichu_analytics.stats import classes, counting, deals
from tichu_analytics.stats.classes import CLASSES
from tichu_analytics.stats.counting import TICHU, Deck

OPTIONS = Options()


def random_hands(count: int, size: int, seed: int) -> list[int]:
    rng = random.Random(seed)
    return [sum(1 << bit for bit in rng.sample(range(56), size)) for _ in range(count)]


# What a hand holds: the functions on masks against the rulebook -------------------------------------------------------


def longest_by_readings(hand: int, *, phoenix: bool) -> int:
    """The longest set of cards of a small hand that the rulebook calls a straight or a straight flush."""
    cards = [1 << bit for bit in range(56) if hand >> bit & 1 and (phoenix or bit != PHOENIX)]
    for length in range(len(cards), 4, -1):
        for chosen in combinations(cards, length):
            found = readings(sum(chosen), OPTIONS)
            if found.kind in (STRAIGHT, STRAIGHT_BOMB):
                return length
    return 0


def longest_by_windows(hand: int, *, phoenix: bool) -> int:
    """The same for a hand of any size: a card of every rank there is between two ranks, and the Phoenix for one."""
    longest = 0
    for low in range(1, 11):
        for high in range(low + 4, 15):
            there = [hand & RANK_MASK[rank] for rank in range(low, high + 1)]
            chosen = sum(cards & -cards for cards in there)
            if phoenix and there.count(0) == 1:
                chosen |= hand & PHOENIX_MASK
            found = readings(chosen, OPTIONS) if chosen else None
            if found and found.kind in (STRAIGHT, STRAIGHT_BOMB) and found.length == high - low + 1:
                longest = max(longest, found.length)
    return longest


def test_straights_of_small_hands_are_those_of_the_rulebook() -> None:
    # One suit and the special cards: many straights, with the Phoenix in every place.
    rng = random.Random(1)
    deck = [4 * rank + rank % 4 for rank in range(13)] + [52, 53, 54, 55]
    for _ in range(3000):
        hand = sum(1 << bit for bit in rng.sample(deck, rng.randint(5, 8)))
        wanted = longest_by_readings(hand, phoenix=False), longest_by_readings(hand, phoenix=True)
        assert (classes.straight_class(hand), classes.helped_straight_class(hand)) == wanted, mask_text(hand)
        assert wanted == (longest_by_windows(hand, phoenix=False), longest_by_windows(hand, phoenix=True))


def test_straights_of_whole_hands_are_those_of_the_rulebook() -> None:
    for hand in random_hands(1500, 14, 2):
        wanted = longest_by_windows(hand, phoenix=False), longest_by_windows(hand, phoenix=True)
        assert (classes.straight_class(hand), classes.helped_straight_class(hand)) == wanted, mask_text(hand)


@pytest.mark.parametrize(
    ("cards", "plain", "helped"),
    [
        ("Ph SA SK SQ SJ S10 S9 S8 S7 S6 S5 S4 S3 S2", 13, 13),  # the Phoenix is no 1
        ("SA SK SQ SJ S10 S9 S8 S7 S6 S5 S4 S3 S2 Ma", 14, 14),
        ("Ph SA SK SQ SJ S10 S9 S8 S7 S6 S5 S4 S3 Ma", 12, 14),
        ("Ph SA SK SQ SJ Do Dr", 0, 5),
        ("Ph S5 S4 S3 Ma Do Dr", 0, 5),
        ("Ph SA S5 S4 S3 Do Dr", 0, 0),
        ("Ph SA SK S5 S4 S3 S2", 0, 5),
        ("Ph S9 S8 S6 S5 S4 S3", 0, 7),
        ("Ph S10 S9 S7 S6 S4 S3 S2", 0, 6),
    ],
)
def test_straights_by_hand(cards: str, plain: int, helped: int) -> None:
    hand = parse_mask(cards)
    assert (classes.straight_class(hand), classes.helped_straight_class(hand)) == (plain, helped)


def hands_with_much() -> list[int]:
    """Random hands, and some with two thirds of a few suits and ranks, so that there are bombs in them."""
    rng = random.Random(3)
    dense = []
    for _ in range(3000):
        low = rng.randrange(10)
        near = range(4 * low, min(4 * low + 28, 52))
        dense.append(sum(1 << bit for bit in rng.sample(near, min(14, len(near)))))
    return [0, *random_hands(3000, 14, 4), *random_hands(1000, 8, 5), *dense]


def test_bombs_of_a_class_are_those_of_the_rulebook() -> None:
    several = 0
    for hand in hands_with_much():
        found = int(classes.bomb_class(hand))
        fours = sum(hand & RANK_MASK[rank] == RANK_MASK[rank] for rank in range(2, 15))
        assert (classes.fours(found), classes.fours(found) + classes.flushes(found)) == (fours, count_bombs(hand))
        assert (found > 0) == holds_bomb(hand)
        assert brute_force_bombs(hand) == count_bombs(hand)
        assert (classes.flush_class(hand) > 0) == (classes.flushes(found) > 0)
        several += count_bombs(hand) > 1
    assert several > 100


def test_other_classes_card_by_card() -> None:
    for hand in hands_with_much():
        cards = {(bit // 4, bit % 4) for bit in range(52) if hand >> bit & 1}
        ranks = Counter(Counter(rank for rank, _ in cards).values())
        assert (classes.pair_class(hand), classes.triple_class(hand)) == (ranks[2], ranks[3])
        assert classes.honour_class(hand) == 16 * sum(rank == 12 for rank, _ in cards) + (hand >> MAH_JONG)
        longest = 0
        for rank, suit in cards:
            length = next(length for length in range(1, 15) if (rank + length, suit) not in cards)
            longest = max(longest, length)
        assert classes.flush_class(hand) == (longest if longest >= 5 else 0)


@pytest.mark.parametrize("name", CLASSES)
def test_classes_of_arrays_are_those_of_each_mask(name: str) -> None:
    ways = CLASSES[name]
    masks = hands_with_much()
    of_array = ways.of(np.array(masks, np.int64))
    assert of_array.tolist() == [int(ways.of(mask)) for mask in masks]
    assert of_array.min() >= 0
    assert of_array.max() < ways.size


# Counts of hands ------------------------------------------------------------------------------------------------------


def all_hands(bits: list[int]) -> tuple[np.ndarray, np.ndarray]:
    """Every hand of a deck of these bits, with its number of cards."""
    numbers = np.arange(1 << len(bits), dtype=np.int64)
    masks = np.zeros_like(numbers)
    sizes = np.zeros_like(numbers)
    for place, bit in enumerate(bits):
        masks |= ((numbers >> place) & 1) << bit
        sizes += (numbers >> place) & 1
    return masks, sizes


def tally(found: np.ndarray, sizes: np.ndarray) -> dict[int, Counter[int]]:
    by_size: dict[int, Counter[int]] = {}
    for code, count in enumerate(np.bincount(100 * sizes + found).tolist()):
        if count:
            by_size.setdefault(code // 100, Counter())[code % 100] = count
    return by_size


def test_bombs_of_every_hand_of_the_five_lowest_ranks() -> None:
    deck = Deck(ranks=5, specials=1)
    masks, sizes = all_hands([*range(20), PHOENIX])
    bombs, flush = (tally(CLASSES[name].of(masks), sizes) for name in ("bombs", "flush"))
    equal = {2: tally(CLASSES["pairs"].of(masks), sizes), 3: tally(CLASSES["triples"].of(masks), sizes)}
    for size in range(22):
        found = {4 * n + m: hands for (n, m), hands in counting.bomb_counts(size, deck).items()}
        assert found == bombs[size]
        assert counting.flush_counts(size, deck) == flush[size]
        for number, counts in equal.items():
            assert counting.equal_counts(size, number, deck) == counts[size]


def test_straights_and_flushes_of_every_hand_of_one_suit() -> None:
    deck = Deck(suits=1)
    masks, sizes = all_hands([*range(0, 52, 4), 52, 53, 54, 55])
    names = ("straight", "helped_straight", "flush")
    plain, helped, flush = (tally(CLASSES[name].of(masks), sizes) for name in names)
    for size in range(18):
        assert counting.straight_counts(size, deck, phoenix=False) == plain[size]
        assert counting.straight_counts(size, deck, phoenix=True) == helped[size]
        assert counting.flush_counts(size, deck) == flush[size]


def test_straights_of_six_cards_of_two_suits() -> None:
    deck = Deck(suits=2)
    bits = [*range(0, 52, 4), *range(1, 52, 4), 52, 53, 54, 55]
    hands = np.fromiter((sum(chosen) for chosen in combinations([1 << bit for bit in bits], 6)), np.int64)
    for phoenix, of in ((False, classes.straight_class), (True, classes.helped_straight_class)):
        lengths, counts = np.unique(of(hands), return_counts=True)
        found = counting.straight_counts(6, deck, phoenix=phoenix)
        assert found == dict(zip(lengths.tolist(), counts.tolist(), strict=True))


def runs_and_sets(cards: frozenset[tuple[int, int]], deck: Deck) -> tuple[int, int]:
    """Ranks of which all suits are there, and runs in a suit that cannot be made longer, in a deck of any shape."""
    ranks = Counter(rank for rank, _ in cards)
    runs = 0
    for rank, suit in cards:
        if (rank - 1, suit) not in cards:
            length = next(length for length in range(1, 99) if (rank + length, suit) not in cards)
            runs += length >= deck.run
    return sum(count == deck.suits for count in ranks.values()), runs


@pytest.mark.parametrize("deck", [Deck(7, 2, 1, 2), Deck(5, 3, 0, 3), Deck(15, 1, 0, 2), Deck(4, 4, 0, 3)])
def test_bombs_of_every_hand_of_other_decks(deck: Deck) -> None:
    cards = [(rank, suit) for rank in range(deck.ranks) for suit in range(deck.suits)]
    cards += [(100, suit) for suit in range(deck.specials)]
    for size in range(0, len(cards) + 1, 2):
        wanted: Counter[tuple[int, int]] = Counter()
        for chosen in combinations(cards, size):
            wanted[runs_and_sets(frozenset(card for card in chosen if card[0] < 100), deck)] += 1
        assert counting.bomb_counts(size, deck) == wanted


@pytest.mark.parametrize("name", CLASSES)
@pytest.mark.parametrize("size", [8, 14])
def test_classes_add_up_to_all_hands_and_fit_drawn_ones(name: str, size: int) -> None:
    ways = CLASSES[name]
    counts = ways.counts(size)
    total = comb(56, size)
    assert sum(counts.values()) == total
    assert all(0 <= one < ways.size for one in counts)
    drawn = 20_000
    found = Counter(ways.of(np.array(random_hands(drawn, size, 6), np.int64)).tolist())
    assert found.keys() <= counts.keys()
    for one, hands in counts.items():
        expected = drawn * hands / total
        assert abs(found[one] - expected) <= 5 * expected**0.5 + 2, one


def test_two_ways_of_counting_agree() -> None:
    for size in (8, 14):
        bombs = counting.bomb_counts(size)
        equal = counting.equal_counts(size, 4)
        for number in equal:
            assert sum(hands for (fours, _), hands in bombs.items() if fours == number) == equal[number]
        assert sum(hands for (_, flushes), hands in bombs.items() if not flushes) == counting.flush_counts(size)[0]


def test_the_known_figure() -> None:
    total = sum(counting.bomb_counts(8).values())
    assert (total - counting.bomb_counts(8)[0, 0], total) == (4_229_667, 1_420_494_075)


# Counts of deals ------------------------------------------------------------------------------------------------------


def all_deals(cards: frozenset[tuple[int, int]], hands: int, size: int) -> Iterator[list[frozenset[tuple[int, int]]]]:
    if hands == 0:
        yield []
        return
    for chosen in combinations(sorted(cards), size):
        hand = frozenset(chosen)
        for rest in all_deals(cards - hand, hands - 1, size):
            yield [hand, *rest]


@pytest.mark.parametrize(
    ("deck", "hands", "size"),
    [
        (Deck(4, 2, 1, 2), 4, 2),
        (Deck(5, 2, 0, 2), 3, 3),
        (Deck(6, 2, 0, 3), 2, 6),
        (Deck(6, 2, 0, 3), 3, 4),
        (Deck(7, 1, 1, 2), 4, 2),
        (Deck(8, 1, 0, 2), 2, 4),
        (Deck(9, 1, 1, 2), 2, 5),
        (Deck(10, 1, 0, 2), 1, 8),
        (Deck(10, 1, 0, 3), 2, 5),
        (Deck(4, 3, 0, 3), 2, 5),
    ],
    ids=str,
)
def test_every_deal_of_small_decks(deck: Deck, hands: int, size: int) -> None:
    cards = {(rank, suit) for rank in range(deck.ranks) for suit in range(deck.suits)}
    cards |= {(100, suit) for suit in range(deck.specials)}
    both, fours, flushes = ([0] * (hands + 1) for _ in range(3))
    for deal in all_deals(frozenset(cards), hands, size):
        found = [runs_and_sets(frozenset(card for card in hand if card[0] < 100), deck) for hand in deal]
        both[sum(n + m > 0 for n, m in found)] += 1
        fours[sum(n > 0 for n, _ in found)] += 1
        flushes[sum(m > 0 for _, m in found)] += 1
    assert sum(both) == deals.deal_count(hands, size, deck)
    assert deals.hands_with_bomb(hands, size, deck) == both
    assert deals.hands_with_bomb(hands, size, deck, flushes=False) == fours
    assert deals.hands_with_bomb(hands, size, deck, fours=False) == flushes


@pytest.mark.parametrize("size", [8, 14])
def test_one_hand_of_a_deal_is_any_hand(size: int) -> None:
    bombs = counting.bomb_counts(size)
    assert deals.without_bomb(1, size) == bombs[0, 0]
    assert deals.without_bomb(1, size, fours=False) == counting.flush_counts(size)[0]
    assert deals.without_bomb(1, size, flushes=False) == counting.equal_counts(size, 4)[0]
    assert deals.without_bomb(0, size) == 1
    for hands in range(1, 5):
        by_number = deals.hands_with_bomb(hands, size)
        assert sum(by_number) == deals.deal_count(hands, size)
        # Each hand has as many bombs as any.
        have = sum(number * count for number, count in enumerate(by_number))
        assert have * comb(56, size) == hands * (comb(56, size) - bombs[0, 0]) * deals.deal_count(hands, size)


def test_the_counts_that_are_kept_are_those_that_are_counted() -> None:
    for hands in range(1, 5):
        assert deals.count_without_bomb(hands, 14) == deals.WITHOUT_BOMB_14[hands - 1]
        assert deals.count_without_bomb(hands, 14, fours=False) == deals.WITHOUT_FLUSH_14[hands - 1]


def test_drawn_deals() -> None:
    rng = np.random.default_rng(7)
    drawn = 20_000
    order = rng.permuted(np.tile(np.arange(56, dtype=np.int64), (drawn, 1)), axis=1)
    for size in (8, 14):
        hands = [(1 << order[:, size * hand : size * (hand + 1)]).sum(axis=1) for hand in range(4)]
        having = (CLASSES["bombs"].of(np.stack(hands)) > 0).sum(axis=0)
        exact = deals.hands_with_bomb(4, size)
        for number, count in enumerate(exact):
            expected = drawn * count / deals.deal_count(4, size)
            assert abs((having == number).sum() - expected) <= 5 * expected**0.5 + 2


def test_the_deck() -> None:
    assert TICHU.cards == 56
    assert deals.deal_count(4, 14) == comb(56, 14) * comb(42, 14) * comb(28, 14)
