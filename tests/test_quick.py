"""The short way vouches only for logs in which the careful replay finds nothing, under every rule set."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.damage import KINDS
from tichu_analytics.bulk.quick import QuickCheck
from tichu_analytics.checking import CheckedGame, check_inputs
from tichu_analytics.formats.sources import Input
from tichu_analytics.rules.options import OFFICIAL
from tichu_analytics.rules.rulesets import get_rule_set, rule_set_names
from tichu_analytics.simulate import simulate_games


@pytest.fixture(scope="module")
def logs() -> list[Input]:
    """Simulated games, and the same games with one fault each."""
    rng = random.Random("quick")
    found = []
    for game in simulate_games(15, 77):
        found.append(Input(f"{game.game_id}.tch", game.game_id, game.text.encode(), None))
        lines = rng.choice(KINDS)(rng, game.text.rstrip("\n").split("\n")).lines
        found.append(Input(f"{game.game_id}x.tch", f"{game.game_id}x", ("\n".join(lines) + "\n").encode(), None))
    return found


@pytest.mark.parametrize("rules", rule_set_names())
def test_both_ways_find_the_same(logs, rules):
    quick = list(check_inputs(logs, rules, "auto"))
    careful = list(check_inputs(logs, rules, "careful"))
    assert quick == careful
    assert any(isinstance(one, CheckedGame) and one.findings for one in careful)


def test_most_flawless_games_are_vouched_for(logs):
    quick = QuickCheck(get_rule_set("bsw").options)
    clean = [one for one in check_inputs(logs, "bsw", "careful") if isinstance(one, CheckedGame) and not one.findings]
    data = {one.path: one.data for one in logs}
    vouched = [quick.vouch(data[one.path]) for one in clean]
    assert [one.rounds for one, rounds in zip(clean, vouched, strict=True) if rounds is not None] == [
        rounds for rounds in vouched if rounds is not None
    ]
    assert sum(rounds is not None for rounds in vouched) >= 0.9 * len(clean)


def test_real_logs(shared: Path):
    logs = [Input(path.name, path.stem, path.read_bytes(), None) for path in sorted(shared.glob("*/*.tch"))]
    logs += [Input(path.name, path.stem, path.read_bytes(), None) for path in sorted(shared.glob("checks/*/*.tch"))]
    assert len(logs) > 90
    for rules in ("bsw", "official"):
        assert list(check_inputs(logs, rules, "auto")) == list(check_inputs(logs, rules, "careful"))


def test_rule_sets_that_ask_for_more_are_left_to_the_careful_way(logs):
    for change in ({"pass_and_out": 1}, {"wish_optional": 0}, {"bomb_on_empty_table": 1}):
        assert QuickCheck(OFFICIAL._replace(**change)).vouch(logs[0].data) is None
