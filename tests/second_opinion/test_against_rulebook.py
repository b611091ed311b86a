"""The rulebook against the slow model: combinations, beating, and the verdicts on every play that a hand could make."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, product
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tichu_analytics.rules import combinations as rulebook
from tichu_analytics.rules import play
from tichu_analytics.rules.play import fitting_readings, judge_pass, judge_play, reading_fits
from tichu_analytics.rules.wish import may_wish
from tichu_analytics.rules.wish import meets_wish as rulebook_meets_wish
from tichu_analytics.rules.wish import wish_binds as rulebook_wish_binds

from . import model
from .dense import (
    KIND,
    all_readings,
    any_hand,
    dense_hand,
    full_house_hand,
    mask_of,
    model_readings,
    options_of,
    ordered_readings,
    random_table,
    situation,
)
from .model import ACE, DECK, NATURALS, RANK_NAMES, SUITS, Hand, Reading, is_single_phoenix, subsets

SHAPE_OPTIONS = [
    {"fullhouse_same_rank": same, "straight_flush_as_straight": flush}
    for same in ("forbid", "allow")
    for flush in ("forbid", "allow")
]
RULE_SETS: list[dict[str, str]] = [
    {},
    {"wish_bomb_in_turn": "allow"},
    {"wish_dog_lead": "allow"},
    {"wish_held_as_bomb": "must_bomb"},
    {"wish_later_tricks": "singles_only"},
    {"fullhouse_same_rank": "allow"},
    {"straight_flush_as_straight": "allow"},
    {"bomb_on_empty_table": "anyone"},
    {"bomb_first_play": "forbid"},
    {"bomb_on_dog": "allow"},
    {"bomb_after_all_passed": "forbid"},
    {"wish_held_as_bomb": "must_bomb", "wish_bomb_in_turn": "allow", "fullhouse_same_rank": "allow"},
    {"wish_held_as_bomb": "must_bomb", "straight_flush_as_straight": "allow", "wish_bomb_in_turn": "allow"},
    {"bomb_on_empty_table": "anyone", "bomb_on_dog": "allow"},
    {"wish_held_as_bomb": "must_bomb", "bomb_first_play": "forbid", "wish_dog_lead": "allow"},
]
#: What the rulebook may say where the model has these words for a play that is not allowed.
WORDS = {
    None: {play.LEGAL},
    "not held": {play.NOT_HELD},
    "no combination": {play.IS_NO_COMBINATION},
    "not in turn": {play.NOT_THE_LEADER, play.NOT_ON_TURN, play.TRICK_CLOSED},
    "all passed": {play.TRICK_CLOSED},
    "empty table": {play.DOG_BOMBED, play.EMPTY_TABLE_BOMBED},
    "bomb first": {play.FIRST_PLAY_BOMB},
    "does not beat": {play.DOG_NOT_LED, play.OTHER_COMBINATION, play.NOT_HIGHER},
    "wish": {play.WISH_IGNORED},
}


def test_every_verdict_on_a_play_has_a_word() -> None:
    """So that a verdict that is new is looked for here; these three are no matter of the hands compared."""
    apart = {play.AFTER_END, play.PASS_BINDS, play.PASS_ON_LEAD}
    assert {*range(len(play.VERDICT_NAMES))} - apart == set().union(*WORDS.values())


def check_readings(cards: Hand, shapes: dict[str, str]) -> frozenset[Reading]:
    """Compares both on one set of cards and returns the readings."""
    expected = model.readings(cards, **shapes)
    found = rulebook.readings(mask_of(cards), options_of(shapes))
    assert model_readings(found) == expected, (sorted(cards), shapes)
    assert found.ways == len(expected), sorted(cards)
    if found.ways == 2 and "Ph" in cards:
        assert found.rank2 > found.rank2_low, sorted(cards)
    return expected


def test_readings_of_all_sets_of_up_to_three_cards() -> None:
    for size in (1, 2, 3):
        for cards in combinations(sorted(DECK), size):
            check_readings(frozenset(cards), {})


@pytest.mark.parametrize("shapes", SHAPE_OPTIONS, ids=lambda shapes: "-".join(shapes.values()))
def test_readings_of_every_subset_of_dense_hands(shapes: dict[str, str]) -> None:
    random = Random(1)
    kinds: Counter[str] = Counter()
    for size in (*range(6, 12), *range(6, 12), 12, 13):
        for cards in subsets(dense_hand(random, size)):
            kinds.update(way.kind for way in check_readings(cards, shapes))
    for _ in range(20):
        for cards in subsets(full_house_hand(random)):
            kinds.update(way.kind for way in check_readings(cards, shapes))
    assert set(kinds) == set(KIND) - {"none"}


def test_readings_of_long_combinations() -> None:
    """Straights and stairs of up to 14 cards at every place, with one card changed, and with the Phoenix for each."""
    random = Random(2)
    ranks = ["Ma", *RANK_NAMES]
    for length, bottom in product(range(4, 15), range(13)):
        names = ranks[bottom : bottom + length]
        run = [name if name == "Ma" else random.choice(SUITS) + name for name in names]
        double = [suit + name for name in names[: length // 2] if name != "Ma" for suit in random.sample(SUITS, 2)]
        for cards in (run, double):
            check_readings(frozenset(cards), {})
            for place in range(len(cards)):
                for other in ("Ph", random.choice(sorted(DECK))):
                    check_readings(frozenset([*cards[:place], other, *cards[place + 1 :]]), {})
            check_readings(frozenset([*cards, "Ph"]), {})


def rulebook_beats(way: Reading, table: Reading | None) -> bool:
    """The rulebook's answer to the model's question."""
    alone = is_single_phoenix(way)
    lying = (KIND[table.kind], table.length, int(2 * table.rank)) if table is not None else (0, 0, 0)
    rank2 = 0 if alone else int(2 * way.rank)
    return reading_fits(KIND[way.kind], way.length, rank2, mask_of({"Ph"} if alone else {"S2"}), *lying)


def test_beats_for_all_pairs_of_combinations() -> None:
    phoenix = Reading("single", 1, 1.5)
    dog = Reading("dog", 1, 0)
    plays = [*all_readings(), phoenix, dog]
    tables = [*all_readings(), *(Reading("single", 1, rank + 0.5) for rank in range(1, ACE + 1))]
    compared = 0
    for way in plays:
        assert rulebook_beats(way, None)
        for table in tables:
            if not (is_single_phoenix(way) and is_single_phoenix(table)):
                assert rulebook_beats(way, table) is model.beats(way, table), (way, table)
                compared += 1
    assert compared > 50_000


def test_rank_of_the_single_phoenix() -> None:
    phoenix = Reading("single", 1, 1.5)
    for table in [None, *(Reading("single", 1, rank) for rank in range(1, ACE + 1))]:
        lying = (0, 0) if table is None else (KIND["single"], int(2 * table.rank))
        assert rulebook.single_phoenix_rank2(*lying) == 2 * model.on_table(phoenix, table).rank


def held_in_bomb(hand: Hand, rank: int) -> bool:
    """Whether some bomb in the hand has a card of the rank."""
    return any(
        model.has_rank(cards, rank) and any(map(model.is_bomb, model.readings(cards)))
        for cards in subsets(hand)
        if len(cards) >= 4
    )


def check_hand(random: Random, hand: Hand, rules: dict[str, str]) -> Counter[str | None]:
    """Compares the verdicts on every subset of a hand, and on a pass, in one situation; returns the model's words."""
    options = options_of(rules)
    shapes = {name: value for name, value in rules.items() if name in SHAPE_OPTIONS[0]}
    flush = shapes.get("straight_flush_as_straight", "forbid")
    in_turn = random.random() < 0.85
    table: frozenset[Reading] = frozenset()
    if random.random() < 0.75:
        table = random_table(random, hand, straight_flush_as_straight=flush)
    all_passed = bool(table) and random.random() < 0.1
    first_play = not table and random.random() < 0.3
    after_dog = not table and not first_play and random.random() < 0.3
    wish: int | None = None
    held = sorted({model.rank_of(card) for card in hand if card in NATURALS})
    if not first_play and random.random() < 0.8:
        wish = random.choice(held) if held and random.random() < 0.9 else random.randint(2, ACE)
    later_trick = not table or random.random() < 0.5
    if rules.get("wish_later_tricks") == "singles_only" and wish is not None and held_in_bomb(hand, wish):
        # No source says whether a bomb with the rank counts beside the singles in later tricks.
        later_trick = False
        table = table or random_table(random, hand, straight_flush_as_straight=flush)
    now = situation(
        table,
        in_turn=int(in_turn),
        taking=int(in_turn and all_passed),
        others_passed=int(all_passed),
        after_dog=int(after_dog),
        first_play=int(first_play),
        wish=wish or 0,
        wish_first_trick=int(not later_trick),
    )
    place = (sorted(hand), table, wish, in_turn, later_trick, all_passed, first_play, rules)
    words: Counter[str | None] = Counter()
    strange = random.choice(sorted(DECK - hand))
    for cards in [*subsets(hand), frozenset({strange})]:
        why = model.why_illegal(
            hand,
            cards,
            table,
            wish,
            in_turn,
            later_trick=later_trick,
            all_passed=all_passed,
            first_play=first_play,
            after_dog=after_dog,
            **rules,  # type: ignore[arg-type]
        )
        mask = mask_of(cards)
        found = rulebook.readings(mask, options)
        verdict = judge_play(mask_of(hand), mask, found, now, options)
        if table:
            bits = fitting_readings(mask, found, now)
            fitting = {way for index, way in enumerate(ordered_readings(found)) if bits >> index & 1}
            assert fitting == {way for one in table for way in model.playable(cards, one, **shapes)}, (cards, place)
        assert verdict in WORDS[why], (sorted(cards), why, play.VERDICT_NAMES[verdict], place)
        if wish is not None:
            assert rulebook_meets_wish(mask, wish) is model.meets_wish(cards, wish)
        words[why] += 1
    if in_turn and not all_passed:
        wish_options = {name: value for name, value in rules.items() if name == "wish_later_tricks"} | shapes
        free = model.may_pass(hand, table, wish, later_trick=later_trick, **wish_options)
        verdict = judge_pass(mask_of(hand), now, options)
        assert (verdict == play.LEGAL) is free, ("pass", play.VERDICT_NAMES[verdict], place)
    return words


@pytest.mark.parametrize("rules", RULE_SETS, ids=lambda rules: "-".join(rules) or "official")
def test_verdicts_on_every_play_of_dense_hands(rules: dict[str, str]) -> None:
    random = Random(3)
    words: Counter[str | None] = Counter()
    for _ in range(200):
        words += check_hand(random, any_hand(random), rules)
    for _ in range(10):
        words += check_hand(random, dense_hand(random, random.randint(8, 9)), rules)
    expected = {None, "not held", "no combination", "not in turn", "does not beat", "wish"}
    assert expected <= set(words)
    assert words[None] > 500
    assert words["wish"] > 200


def test_which_ranks_may_be_wished_for() -> None:
    assert [rank for rank in range(16) if may_wish(rank)] == sorted(model.RANK_OF.values())


def check_wishes_on_all_tables(hand: Hand, shapes: dict[str, str]) -> int:
    """Compares for every rank and every single reading that can lie on a table; returns how often the wish binds."""
    options = options_of(shapes)
    plays = {
        (way, frozenset(model.rank_of(card) for card in cards if card in NATURALS))
        for cards in subsets(hand)
        for way in model.readings(cards, **shapes)
    }
    half = [Reading("single", 1, rank + 0.5) for rank in range(1, ACE + 1)]
    bound = 0
    for table in [None, *all_readings(), *half]:
        owed = {rank for way, ranks in plays if model.beats(way, table) for rank in ranks}
        lying = (KIND[table.kind], table.length, int(2 * table.rank)) if table else (0, 0, 0)
        for rank in range(2, ACE + 1):
            found = rulebook_wish_binds(mask_of(hand), rank, *lying, False, options)
            assert found is (rank in owed), (sorted(hand), rank, table, shapes)
        bound += len(owed)
    return bound


@pytest.mark.parametrize("shapes", SHAPE_OPTIONS[::2], ids=lambda shapes: shapes["fullhouse_same_rank"])
def test_whom_every_wish_binds_on_every_table(shapes: dict[str, str]) -> None:
    random = Random(9)
    bound = 0
    for _ in range(90):
        bound += check_wishes_on_all_tables(dense_hand(random, random.randint(4, 10)), shapes)
        bound += check_wishes_on_all_tables(any_hand(random), shapes)
    assert bound > 10_000


def test_whom_wishes_bind_with_long_hands() -> None:
    random = Random(10)
    assert sum(check_wishes_on_all_tables(dense_hand(random, 12), {}) for _ in range(5)) > 1000


def test_verdicts_on_hands_long_enough_for_long_straights() -> None:
    random = Random(4)
    words: Counter[str | None] = Counter()
    for _ in range(12):
        words += check_hand(random, dense_hand(random, 11), {})
    assert words[None] > 50


@settings(max_examples=150, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32), rules=st.sampled_from(RULE_SETS))
def test_verdicts_on_drawn_hands(seed: int, rules: dict[str, str]) -> None:
    random = Random(seed)
    check_hand(random, any_hand(random), rules)


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    cards=st.frozensets(st.sampled_from(sorted(DECK)), min_size=1, max_size=14), shapes=st.sampled_from(SHAPE_OPTIONS)
)
def test_readings_of_drawn_cards(cards: Hand, shapes: dict[str, str]) -> None:
    check_readings(cards, shapes)


@pytest.mark.parametrize("option", ["false", "true"])
def test_the_play_that_ends_the_round(option: str) -> None:
    """A bomb on it is for those who are not on turn: nobody is, any more."""
    random = Random(5)
    options = options_of({"last_player_may_bomb": option})
    for _ in range(60):
        hand = dense_hand(random, random.randint(4, 7))
        table = random_table(random, hand)
        now = situation(table, in_turn=0, over=1)
        for cards in subsets(hand):
            mask = mask_of(cards)
            verdict = judge_play(mask_of(hand), mask, rulebook.readings(mask, options), now, options)
            why = model.why_illegal(hand, cards, table, None, False, round_over=True, last_player_may_bomb=option)
            assert (verdict == play.LEGAL) is (why is None), (sorted(hand), sorted(cards), table)
