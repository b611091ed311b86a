"""A round event by event: what every seat holds, what lies on the table and whose turn it is, before and after each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tichu_analytics.record import Event
from tichu_analytics.replay.facts import Move, RoundReplay
from tichu_analytics.replay.round import start
from tichu_analytics.replay.state import RoundState


class Position(NamedTuple):
    """A round at one moment.

    Attributes:
        step: how many events of the record's course have been carried out, from 0.
        line: the line of the last of them; before the first one the line of the header of the course (0 without one).
        event: the last of them, or None before the first one.
        move: the play or pass that this event made, with all that the rest of the round tells about it; None for
            other events, for the taking of a trick and for what is no move (a pass after the end, for example).
        hands: the cards of each seat as sets; after a fault, what is known of them. A seat that is out has 0.
        active: the seats that still hold cards, in ascending order.
        turn: the seat to act, or None where the round is over or that is not known.
        kind, length, rank2: the combination on the table as far as it is known at this moment: number of its kind,
            number of its cards, twice the rank that counts. All 0 on an empty table.
        cards: the cards of that combination as a set.
        owner: the seat whose combination it is; None on an empty table.
        wish: the rank (2..14) of the wish that is open, 0 for none.
        points: card points in the tricks that each seat has taken so far, Dragon gifts included.
        finish: the seats in the order of going out so far.
        trick: the number of the trick on the table, on an empty table that of the next one. One less is the number of
            the tricks that are over.
        over: whether the round is over.
    """

    step: int
    line: int
    event: Event | None
    move: Move | None
    hands: tuple[int, int, int, int]
    active: tuple[int, ...]
    turn: int | None
    kind: int
    length: int
    rank2: int
    cards: int
    owner: int | None
    wish: int
    points: tuple[int, int, int, int]
    finish: tuple[int, ...]
    trick: int
    over: bool


def positions(round_replay: RoundReplay) -> Iterator[Position]:
    """Steps through a round: the position before its first event and after each one.

    Args:
        round_replay: the round. It may be damaged; then each position has what is known at that moment.

    Yields:
        One position more than there are events that the replay has carried out. Events after a logged result are
        carried out only where the round was over before it.
    """
    record = round_replay.record
    state = start(record, round_replay.options)
    moves = {move.line: move for trick in round_replay.tricks for move in trick.moves}
    yield _position(state, 0, record.play_line, None, None)
    result = record.result
    for step, event in enumerate(record.events, start=1):
        if result is not None and event.line > result.line and not state.over:
            return
        state.do(event)
        yield _position(state, step, event.line, event, moves.get(event.line))


def _position(state: RoundState, step: int, line: int, event: Event | None, move: Move | None) -> Position:
    hands, taken = state.hands, state.taken
    lies = state.n_plays > 0
    return Position(
        step,
        line,
        event,
        move,
        (hands[0], hands[1], hands[2], hands[3]),
        tuple(seat for seat in range(4) if state.active >> seat & 1),
        None if state.over or state.turn < 0 else state.turn,
        state.table_kind,
        state.table_length,
        state.table_rank2,
        state.top_mask if lies else 0,
        state.owner if lies and state.owner >= 0 else None,
        state.wish,
        (taken[0], taken[1], taken[2], taken[3]),
        tuple(state.finish),
        len(state.tricks) + 1,
        state.over,
    )
