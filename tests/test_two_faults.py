"""Illegal acts in simulated rounds: one gives one finding, two in different tricks give two, each at its own line.

From each act the round is really played on, or a line is put in that did not happen (see ``tests.mischief``).
"""

from __future__ import annotations

import pytest

from tests.mischief import KINDS, Done, play_with
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.record import Game
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate.dice import Dice


def compare(game: Game, done: list[Done]) -> None:
    text = write_game(game)
    read = read_game(text.encode(), "1.tch", "1")
    for rules in ("bsw", "official"):
        found = replay(read, rules).findings
        lines = sorted(act.line for act in done)
        assert [finding.line for finding in found] == lines, (rules, done, [tuple(one[3:9]) for one in found], text)


@pytest.mark.parametrize("kind", KINDS)
def test_one_illegal_act_is_one_finding(kind):
    occasions = 0
    for number in range(60):
        game, done = play_with((kind,), f"one:{number}")
        if done:
            occasions += 1
            compare(game, done)
    assert occasions >= 3, "too few rounds have an occasion for such an act"


def left_open(game: Game, done: list[Done]) -> bool:
    """Pairs of acts that a log cannot tell from others."""
    first, second = done[0].kind, done[1].kind
    return (
        # Just before the end, a player in doubt who has no later line may as well be out.
        done[1].line > game.rounds[0].last_line - 8
        # The owner takes the trick too early and somebody leads what would also beat the table: the same lines come
        # about if only the owner's line stands too early.
        or (first, second) == ("taken_early", "wrong_leader")
        or (first == "skipped_pass" and second in ("wrong_leader", "bomb_on_empty_table"))
    )


def test_two_illegal_acts_are_two_findings():
    kinds = list(KINDS)
    compared = 0
    for number in range(900):
        dice = Dice(f"two:{number}")
        game, done = play_with((dice.pick(kinds), dice.pick(kinds)), f"two:{number}")
        if len(done) == 2 and not left_open(game, done):
            compared += 1
            compare(game, done)
    assert compared > 400
