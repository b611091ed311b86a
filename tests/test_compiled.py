"""The rulebook compiled by Numba gives the same answers as interpreted: on the rule cases and on random positions."""

from __future__ import annotations

import os
import random
import typing
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from tests.test_rule_cases import CASES, answer, options_for
from tichu_analytics.rules import combinations, play
from tichu_analytics.rules.compiled import RULE_MODULES, compile_rulebook, rule_functions
from tichu_analytics.rules.options import OFFICIAL, OPTIONS, Options

if os.environ.get("CI") != "true":
    # In CI its absence is a failure, not a reason to skip.
    pytest.importorskip("numba", reason="the rulebook is compiled by Numba, an extra")

POSITIONS = 100_000


@pytest.fixture(scope="module")
def compiled() -> SimpleNamespace:
    return compile_rulebook()


def some_options(rng: random.Random) -> Options:
    """Official rules with a few options at other values."""
    chosen = [option for option in OPTIONS if option.values and rng.random() < 0.3]
    numbers = {option.name: rng.randrange(len(option.values)) for option in chosen}
    return OFFICIAL._replace(**numbers)


def some_hand(rng: random.Random, count: int) -> int:
    """Cards close together: many equal ranks and runs, often with the Phoenix."""
    low = rng.randrange(0, 10)
    pool = [4 * rank + suit for rank in range(low, min(13, low + rng.randrange(2, 9))) for suit in range(4)]
    pool += [card for card in range(52, 56) if rng.random() < 0.4]
    return sum(1 << card for card in rng.sample(pool, min(count, len(pool))))


def some_situation(rng: random.Random, options: Options) -> play.Situation:
    found = combinations.readings(some_hand(rng, rng.choice((1, 1, 2, 3, 4, 5, 5, 6))), options)
    empty = found.ways == 0 or found.kind == combinations.DOG_PLAY or rng.random() < 0.2
    in_turn, *rare = (int(rng.random() < chance) for chance in (0.8, 0.1, 0.1, 0.1, 0.1, 0.1, 0.05))
    return play.Situation(
        0 if empty else found.kind,
        0 if empty else found.length,
        0 if empty else found.rank2,
        0 if empty else found.kind_low,
        0 if empty else found.rank2_low,
        in_turn,
        taking=rare[0],
        others_passed=rare[1],
        after_dog=rare[2],
        first_play=rare[3],
        passed=rare[4],
        over=rare[5],
        wish=rng.choice((0, 0, *range(2, 15))),
        wish_first_trick=rng.randrange(2),
    )


def test_every_rule_function_compiles(compiled: SimpleNamespace) -> None:
    assert set(vars(compiled)) == set(rule_functions())
    assert len(vars(compiled)) > 40
    arguments: dict[type, Any] = {int: 1, bool: True, Options: OFFICIAL, play.Situation: play.Situation()}
    arguments[combinations.Readings] = combinations.readings(1, OFFICIAL)
    for name, function in rule_functions().items():
        kinds = [kind for key, kind in typing.get_type_hints(function).items() if key != "return"]
        getattr(compiled, name)(*(arguments[kind] for kind in kinds))


def test_random_positions(compiled: SimpleNamespace) -> None:
    rng = random.Random(20260101)
    seen = set()
    for _ in range(POSITIONS // 10):
        options = some_options(rng)
        for _ in range(10):
            hand = some_hand(rng, rng.randrange(1, 15))
            mask = some_hand(rng, rng.choice((1, 1, 2, 3, 4, 5, 6, 7)))
            if rng.random() < 0.5:
                mask &= hand
            s = some_situation(rng, options)
            found = combinations.readings(mask or 1, options)
            assert compiled.readings(mask or 1, options) == found
            verdict = play.judge_play(hand, mask or 1, found, s, options)
            assert compiled.judge_play(hand, mask or 1, found, s, options) == verdict
            passing = play.judge_pass(hand, s, options)
            assert compiled.judge_pass(hand, s, options) == passing
            seen.add(verdict)
            seen.add(100 + passing)
    assert seen >= {play.LEGAL, play.NOT_HELD, play.NOT_HIGHER, play.OTHER_COMBINATION, play.WISH_IGNORED}
    assert 100 + play.WISH_IGNORED in seen


def test_random_hands_wishes_and_points(compiled: SimpleNamespace) -> None:
    rng = random.Random(7)
    interpreted = SimpleNamespace(**rule_functions())
    for _ in range(20_000):
        options = some_options(rng)
        hand = some_hand(rng, rng.randrange(1, 15))
        s = some_situation(rng, options)
        table = (s.table_kind, s.table_length, s.table_rank2)
        rank = rng.randrange(2, 15)
        first = bool(s.wish_first_trick)
        seat, other, active, passed = rng.randrange(4), rng.randrange(4), rng.randrange(16), rng.randrange(16)
        order = rng.sample(range(4), 4)
        made = [rng.randrange(3) for _ in range(4)]
        taken = [rng.randrange(-5, 20) * 5 for _ in range(4)]
        totals = [rng.choice((0, 995, 1000, 1000, 1100)) for _ in range(2)]
        cards = [1 << rng.randrange(56) for _ in range(3)]
        questions: list[tuple[str, tuple[Any, ...]]] = [
            ("wish_binds", (hand, rank, *table, first, options)),
            ("must_bomb", (hand, rank, *table, options)),
            ("bomb_cards", (hand,)),
            ("points", (hand,)),
            ("card_count", (hand,)),
            ("next_seat", (seat, active)),
            ("leader_after_dog", (seat, active)),
            ("all_passed", (other, passed, active)),
            ("card_points", (*taken, order[0], order[3], 10)),
            ("round_score", (40, 60, order[0], order[1], *made)),
            ("game_winner", (*totals, 9, options)),
            ("may_call_tichu", (rng.choice((8, 14)), first, rng.randrange(2), made[0], options)),
            ("may_receive_dragon", (other, seat, active, options)),
            ("may_exchange", (hand, *cards)),
        ]
        for name, arguments in questions:
            assert getattr(compiled, name)(*arguments) == getattr(interpreted, name)(*arguments), (name, arguments)
        assert interpreted.card_count(hand) == hand.bit_count()


@pytest.mark.skipif(not CASES, reason="the rule cases are not beside the project")
def test_rule_cases_compiled(compiled: SimpleNamespace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases once more, with the compiled functions in the place of the interpreted ones everywhere."""
    names = ("base", "announcements", "deal", "doubt", "ends", "moves", "result", "state")
    users = [*RULE_MODULES, *(import_module(f"tichu_analytics.replay.{name}") for name in names)]
    for module in users:
        for name in rule_functions():
            if hasattr(module, name):
                monkeypatch.setattr(module, name, getattr(compiled, name))
    for case in CASES:
        assert answer(case, options_for(case)) == case["expected"], case["id"]
