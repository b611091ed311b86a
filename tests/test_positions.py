"""The positions of a round, step by step: each is compared with what follows from the log alone, worked out anew."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.record import EventKind
from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.replay.positions import positions
from tichu_analytics.replay.round import replay_round
from tichu_analytics.rules.cards import points
from tichu_analytics.rules.combinations import DOG_PLAY

DATA = Path(__file__).parent / "data" / "show"


def rounds_of(path: Path) -> tuple[RoundReplay, ...]:
    return replay(read_game(path.read_bytes(), path.name, path.stem)).rounds


def assert_sound(one: RoundReplay) -> None:
    """Compares every position of a legal round with a count from the record's events and the facts of the replay."""
    steps = list(one.positions())
    events = one.record.events
    assert len(steps) == len(events) + 1
    assert [step.step for step in steps] == list(range(len(steps)))
    assert steps[0].event is None and steps[0].move is None
    assert [step.event for step in steps[1:]] == list(events)
    assert [step.line for step in steps] == [one.record.play_line, *(event.line for event in events)]
    assert [step.move for step in steps if step.move is not None] == list(one.moves)

    first_moves = {trick.moves[0].line: trick for trick in one.tricks}
    for step in steps:
        played = [event for event in events[: step.step] if event.kind == EventKind.PLAY]
        hands = list(one.held)
        for event in played:
            hands[event.seat] &= ~event.mask
        assert step.hands == tuple(hands)
        out = list(dict.fromkeys(event.seat for event in played if not hands[event.seat]))
        assert sorted(step.finish) == sorted(out)
        assert step.active == tuple(seat for seat in range(4) if hands[seat])
        assert step.finish == one.finish[: len(step.finish)]

        over = one.tricks[: step.trick - 1]
        assert len(over) == step.trick - 1
        lines = [event.line for event in events[: step.step]]
        begun = [trick for line, trick in first_moves.items() if line in lines]
        assert len(begun) == step.trick - (step.owner is None)
        taken = [0, 0, 0, 0]
        for trick in over:
            if trick.taker_seat is None:
                continue
            # A Dragon's trick is with its winner until the line of the gift.
            given = trick.dragon_to is None or trick.last_line <= step.line
            taken[trick.taker_seat if given else trick.winner_seat] += trick.points  # type: ignore[index]
        assert step.points == tuple(taken)

        wish = one.wish
        rank = 0
        if wish is not None and wish.line <= step.line:
            is_met = wish.fulfilled_line is not None and wish.fulfilled_line <= step.line
            rank = 0 if is_met else wish.rank
        assert step.wish == rank

        if step.owner is None:
            assert (step.kind, step.length, step.rank2, step.cards) == (0, 0, 0, 0)
        else:
            top = [move for move in begun[-1].moves if move.cards and move.line <= step.line][-1]
            assert (step.owner, step.kind, step.length, step.cards) == (top.seat, top.kind, top.length, top.mask)
            assert step.rank2 == top.rank2 or top.phoenix_reading == "later"
    for before, after in pairwise(steps):
        if after.move is not None and not after.move.out_of_turn:
            assert before.turn == after.move.seat
    last = steps[-1]
    assert last.over and last.turn is None
    assert last.points == one.points_taken
    assert last.finish == one.finish
    assert last.trick == len(one.tricks) + 1


@pytest.mark.parametrize("number", [1, 2, 3])
def test_positions_of_a_legal_game(number: int) -> None:
    one = rounds_of(DATA / "legal.tch")[number - 1]
    assert one.legal
    assert_sound(one)


def test_a_game_of_the_first_round_in_numbers() -> None:
    one = rounds_of(DATA / "legal.tch")[0]
    *_, last = positions(one)
    left = [hand for hand in last.hands if hand]
    dog = sum(trick.points for trick in one.tricks if trick.kind == DOG_PLAY)
    assert dog == 0
    assert sum(last.points) + sum(map(points, left)) == 100


def test_positions_of_real_and_made_up_games(shared: Path) -> None:
    n_rounds = 0
    for path in sorted([*shared.glob("real_logs/*.tch"), *shared.glob("checks/legal*/*.tch")]):
        for one in rounds_of(path):
            if one.legal and not any(finding.severity != "note" for finding in one.findings):
                assert_sound(one)
                n_rounds += 1
    assert n_rounds > 200


def test_positions_of_damaged_rounds(shared: Path) -> None:
    """A damaged round is stepped through to where its replay stops, and ends as the replay does."""
    for path in sorted([DATA / "faulty.tch", *shared.glob("checks/one_*/*.tch")]):
        for one in rounds_of(path):
            steps = list(one.positions())
            result = one.record.result
            carried_out = [
                event for event in one.record.events if one.complete or result is None or event.line <= result.line
            ]
            assert [step.event for step in steps[1:]] == carried_out
            assert [step.move for step in steps if step.move is not None] == list(one.moves)
            assert steps[-1].points == one.points_taken
            assert steps[-1].over == one.complete
            assert steps[-1].finish == one.finish
            for step in steps:
                assert not any(step.hands[a] & step.hands[b] for a in range(4) for b in range(a)) or one.findings


def test_a_round_cut_short_ends_as_the_position_there() -> None:
    """Replaying only the first events from scratch leads to the position that stepping has after them."""
    one = rounds_of(DATA / "legal.tch")[1]
    for step in one.positions():
        record = one.record._replace(events=one.record.events[: step.step], result=None)
        cut = replay_round(record, one.options, "x", "x", (0, 0))
        assert cut.points_taken == step.points
        assert cut.complete == step.over
        assert cut.finish == step.finish
        *_, last = cut.positions()
        assert last._replace(move=None) == step._replace(move=None)


def test_a_round_without_a_course_has_one_position() -> None:
    lines = (DATA / "legal.tch").read_bytes().split(b"\n")[:12]
    one = replay(read_game(b"\n".join(lines), "x.tch", "x")).rounds[0]
    (only,) = one.positions()
    assert (only.step, only.line, only.event, only.over, only.trick) == (0, 0, None, False, 1)
