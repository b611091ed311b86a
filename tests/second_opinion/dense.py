"""Random hands and tables full of combinations, and the way from the slow model's names to the rulebook's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from random import Random

from tichu_analytics.rules import combinations as rulebook
from tichu_analytics.rules.options import Options, make_options
from tichu_analytics.rules.play import Situation

from .model import DECK, NATURALS, RANK_NAMES, RANK_OF, SUITS, Hand, Reading, is_bomb, is_single_phoenix, readings

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
    return frozenset(_model_reading(rulebook.reading(found, index)) for index in range(found.ways))


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


def dense_hand(random: Random, size: int, without: Hand = frozenset()) -> Hand:
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
    others = [card for card in pool if card not in cards and card not in without]
    cards -= without
    cards.update(random.sample(others, min(len(others), max(0, size - len(cards)))))
    return frozenset(random.sample(sorted(cards), min(size, len(cards))))


def _of_ranks(ranks: Iterable[int]) -> list[str]:
    return [card for card in NATURALS if RANK_OF[card[1:]] - 2 in ranks]


def full_house_hand(random: Random) -> Hand:
    """Cards of two or three ranks, mostly with the Phoenix."""
    names = random.sample(RANK_NAMES, 3)
    pool = [suit + name for name in names for suit in SUITS]
    return frozenset(random.sample(pool, random.randint(4, 8))) | ({"Ph"} if random.random() < 0.8 else frozenset())


def random_table(random: Random, hand: Hand, **shapes: str) -> frozenset[Reading]:
    """Open readings of a combination from cards that are not in the hand, mostly low and of a kind the hand has.

    Where only one of two readings is to be open, one is drawn; a single Phoenix lies half above some single.
    """
    rest = DECK - hand
    for _ in range(40):
        cards = _table_cards(random, sorted(rest), hand)
        found = [way for way in readings(cards, **shapes) if way.kind != "dog"]
        if not found:
            continue
        if is_single_phoenix(found[0]):
            return frozenset({found[0]._replace(rank=random.randint(1, 14) + 0.5)})
        if len(found) == 2 and random.random() < 0.5:
            return frozenset({random.choice(found)})
        return frozenset(found)
    return frozenset({Reading("single", 1, 2)})


def _table_cards(random: Random, rest: Sequence[str], hand: Hand) -> Hand:
    """Cards that may be a combination: a shape of the hand's moved elsewhere, or something from a dense hand."""
    if random.random() < 0.6 and len(hand) > 1:
        size = random.randint(1, min(len(hand), random.choice((1, 2, 4, 5, 6, 14))))
        for _ in range(60):
            shape = random.sample(sorted(hand), size)
            ways = readings(frozenset(shape))
            if not ways:
                continue
            way = random.choice(sorted(ways, key=str))
            moved = _cards_for(random, way, rest)
            if moved:
                return moved
    other = dense_hand(random, random.randint(1, 8), without=hand)
    return other if readings(other) else frozenset({random.choice(rest)})


def _cards_for(random: Random, way: Reading, rest: Sequence[str]) -> Hand:
    """Cards of the rest that have the shape of a reading at another rank, the Phoenix perhaps among them; or none."""
    top = random.randint(2, 14)
    needed: list[int] = []
    if way.kind in ("straight", "straight_bomb"):
        needed = list(range(top - way.length + 1, top + 1))
    elif way.kind == "stairs":
        needed = sorted([*range(top - way.length // 2 + 1, top + 1)] * 2)
    elif way.kind == "full_house":
        needed = [top] * 3 + [random.randint(2, 14)] * 2
    else:
        needed = [top] * way.length
    use_phoenix = "Ph" in rest and len(needed) > 1 and random.random() < 0.5
    if use_phoenix:
        needed.remove(random.choice(needed))
    chosen: set[str] = {"Ph"} if use_phoenix else set()
    suit = random.choice(SUITS) if way.kind == "straight_bomb" else ""
    for rank in needed:
        fitting = [
            card
            for card in rest
            if card not in chosen and card in NATURALS and RANK_OF[card[1:]] == rank and card.startswith(suit)
        ]
        if rank == 1 and "Ma" in rest:
            fitting = ["Ma"]
        if not fitting:
            return frozenset()
        chosen.add(random.choice(fitting))
    return frozenset(chosen)
