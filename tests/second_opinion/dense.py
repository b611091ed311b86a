"""Random hands and tables full of combinations, and the way from the slow model's names to the rulebook's numbers."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from random import Random

from tichu_analytics.rules import combinations as rulebook
from tichu_analytics.rules.options import Options, make_options
from tichu_analytics.rules.play import Situation

from .model import ACE, DRAGON, NATURALS, RANK_NAMES, RANK_OF, SUITS, Hand, Reading, is_bomb, readings, subsets

BIT = {card: 4 * (RANK_OF[card[1:]] - 2) + SUITS.index(card[0]) for card in NATURALS} | {
    "Ma": 52,
    "Do": 53,
    "Ph": 54,
    "Dr": 55,
}
KIND = {name: number for number, name in enumerate(rulebook.KIND_NAMES)}
SPECIALS = ("Ph", "Ph", "Ph", "Ma", "Do", "Dr")


def mask_of(cards: Iterable[str]) -> int:
    """The cards as a mask."""
    return sum(1 << BIT[card] for card in cards)


def options_of(choices: dict[str, str]) -> Options:
    """Options of the rulebook from values as the model takes them."""
    return make_options({**choices})


def model_readings(found: rulebook.Readings) -> frozenset[Reading]:
    """What the rulebook has found, as the model writes it."""
    return frozenset(ordered_readings(found))


def ordered_readings(found: rulebook.Readings) -> list[Reading]:
    """The same in the rulebook's order, the higher one first."""
    return [_model_reading(rulebook.reading(found, index)) for index in range(found.ways)]


def _model_reading(one: rulebook.Combination) -> Reading:
    kind = rulebook.KIND_NAMES[one.kind]
    rank = 1.5 if kind == "single" and one.rank2 == 0 else one.rank2 / 2
    return Reading(kind, one.length, rank, one.phoenix or None)


def situation(table: Iterable[Reading], **more: int) -> Situation:
    """A situation of the rulebook with the open readings of what lies on the table, the higher one first."""
    lying = sorted(table, key=lambda one: (is_bomb(one), one.rank), reverse=True)
    if not lying:
        return Situation(**more)
    high = lying[0]
    now = Situation(table_kind=KIND[high.kind], table_length=high.length, table_rank2=int(2 * high.rank), **more)
    if len(lying) == 1:
        return now
    low = lying[1]
    return now._replace(table_kind_low=KIND[low.kind], table_rank2_low=int(2 * low.rank))


def dense_hand(random: Random, size: int) -> Hand:
    """A hand of a few neighbouring ranks, or of runs in one suit, or of any cards; often with the Phoenix."""
    cards: set[str] = set()
    for special in random.sample(SPECIALS, 2):
        if random.random() < 0.6:
            cards.add(special)
    style = random.randrange(4)
    if style == 0:
        first = random.randrange(13)
        pool = _of_ranks(range(first, first + random.randint(2, 4)))
    elif style == 1:
        suit, first = random.choice(SUITS), random.randrange(10)
        run = [suit + name for name in RANK_NAMES[first : first + random.randint(5, 8)]]
        cards.update(random.sample(run, min(len(run), max(1, size - 2))))
        pool = _of_ranks(range(first, first + 6))
    elif style == 2:
        first = random.randrange(9)
        pool = _of_ranks(range(first, first + random.randint(5, 9)))
    else:
        pool = list(NATURALS)
    others = [card for card in pool if card not in cards]
    cards.update(random.sample(others, min(len(others), max(0, size - len(cards)))))
    return frozenset(random.sample(sorted(cards), min(size, len(cards))))


def _of_ranks(ranks: Iterable[int]) -> list[str]:
    return [card for card in NATURALS if RANK_OF[card[1:]] - 2 in ranks]


def full_house_hand(random: Random) -> Hand:
    """Cards of two or three ranks, mostly with the Phoenix."""
    names = random.sample(RANK_NAMES, random.choice((2, 3)))
    pool = [suit + name for name in names for suit in SUITS]
    return frozenset(random.sample(pool, random.randint(4, 7))) | ({"Ph"} if random.random() < 0.8 else frozenset())


def bomb_hand(random: Random) -> Hand:
    """A bomb with one to three other cards, mostly of ranks that are in it or beside it."""
    if random.random() < 0.4:
        first = random.randrange(13)
        cards = set(_of_ranks({first}))
        near = _of_ranks(range(first - 2, first + 3))
    else:
        length = random.choice((5, 5, 6))
        first = random.randint(0, 13 - length)
        suit = random.choice(SUITS)
        cards = {suit + name for name in RANK_NAMES[first : first + length]}
        near = _of_ranks(range(first - 1, first + length + 1))
    others = [card for card in [*near, "Ph", "Do"] if card not in cards]
    return frozenset(cards) | frozenset(random.sample(others, random.randint(1, 3)))


def any_hand(random: Random) -> Hand:
    """A small hand of one of these sorts."""
    sort = random.randrange(4)
    if sort == 0:
        return full_house_hand(random)
    if sort == 1:
        return bomb_hand(random)
    return dense_hand(random, random.randint(1, 7))


@cache
def all_readings() -> tuple[Reading, ...]:
    """Every kind, length and rank of combination that there is, the Dog apart; the Phoenix in it changes nothing."""
    found = [Reading("single", 1, rank) for rank in range(1, DRAGON + 1)]
    for kind, length in (("pair", 2), ("triple", 3), ("full_house", 5), ("four_bomb", 4)):
        found += [Reading(kind, length, rank) for rank in range(2, ACE + 1)]
    for pairs in range(2, 8):
        found += [Reading("stairs", 2 * pairs, rank) for rank in range(pairs + 1, ACE + 1)]
    for length in range(5, 15):
        found += [Reading("straight", length, rank) for rank in range(length, ACE + 1)]
    for length in range(5, 14):
        found += [Reading("straight_bomb", length, rank) for rank in range(length + 1, ACE + 1)]
    return tuple(found)


def random_table(random: Random, hand: Hand, *, straight_flush_as_straight: str = "forbid") -> frozenset[Reading]:
    """Open readings, one or two, of something on the table: mostly of a shape that is in the hand, a little lower.

    Whether there are cards enough for both is not asked; no rule depends on it.
    """
    ways = [way for cards in subsets(hand) for way in readings(cards) if way.kind != "dog"]
    shape = random.choice(all_readings())
    if ways and random.random() < 0.9:
        kind = random.choice(sorted({way.kind for way in ways}))
        shape = random.choice(sorted({way for way in ways if way.kind == kind}, key=str))
    alike = [one for one in all_readings() if (one.kind, one.length) == (shape.kind, shape.length)]
    near = [one for one in alike if shape.rank - 4 <= one.rank <= shape.rank + 1]
    table = random.choice(near if near and random.random() < 0.8 else alike)
    if table.kind == "single" and table.rank <= ACE and random.random() < 0.2:
        return frozenset({table._replace(rank=table.rank + 0.5)})
    if random.random() < 0.5:
        return frozenset({table})
    other = table
    if table.kind == "full_house":
        other = random.choice(alike)
    elif table.kind == "straight" and table.rank < ACE:
        other = table._replace(rank=table.rank + 1)
    elif table.kind == "straight_bomb" and straight_flush_as_straight == "allow":
        other = table._replace(kind="straight")
    return frozenset({table, other})
