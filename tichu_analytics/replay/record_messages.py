"""The sentences of findings about what only records with events of their own for it can say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tichu_analytics.record import Event
from tichu_analytics.record.model import OUT_OF_TURN
from tichu_analytics.record.notation import RANK_NAMES, cards_text
from tichu_analytics.replay.messages import Breach, to_act, who

if TYPE_CHECKING:
    from tichu_analytics.replay.base import StateBase
    from tichu_analytics.rules.combinations import Readings


def pass_for_collect(state: StateBase, event: Event) -> Breach:
    """A pass where the owner of the trick is to take it, in a record that has an event of its own for that."""
    message = f"{who(state, event.seat)} passed, but all others have passed and the trick is to be taken"
    return Breach("pass-for-collect", event.line, event.seat, message, "the taking of the trick", "pass")


def collect_not_due(state: StateBase, event: Event) -> Breach:
    """A trick is taken that is not to be taken now, or not by this seat."""
    seat = event.seat
    player = who(state, seat)
    took = f"{player} took the trick"
    owner = state.owner
    if state.over:
        message, expected = f"{player} took a trick after the round was over", "the result"
    elif not state.n_plays:
        message, expected = f"{player} took a trick, but no card lies on the table", f"a lead of {to_act(state)}"
    else:
        waiting = [other for other in range(4) if other != owner and state.active & ~state.passed & 1 << other]
        names = " and ".join(who(state, other) for other in waiting)
        yet = f"{names} {'has' if len(waiting) == 1 else 'have'} not passed yet"
        expected = f"a play or a pass of {to_act(state)}"
        if seat == owner:
            message = f"{took}, but {yet}"
        elif not state.active >> owner & 1:
            message = f"{took}, but it belongs to {who(state, owner)}, who is out: the last pass ends it"
        elif waiting:
            message = f"{took}, but it belongs to {who(state, owner)}, and {yet}"
        else:
            message = f"{took}, but it belongs to {who(state, owner)}"
            expected = f"{who(state, owner)} takes the trick"
    return Breach("collect-not-due", event.line, seat, message, expected, player)


def wrong_rank(state: StateBase, event: Event, real: Readings) -> Breach:
    """The record gives the Phoenix a rank with which the cards are no combination."""
    ranks = {real.phoenix, real.phoenix_low} - {0}
    can = " or ".join(RANK_NAMES[rank] for rank in sorted(ranks, reverse=True))
    declared = RANK_NAMES[event.value]
    cards = cards_text(event.cards)
    message = f"{who(state, event.seat)} played {cards} with the Phoenix as {declared}, which is no combination"
    if can:
        message += f"; here it can stand for {can}"
    found = f"the Phoenix as {declared}"
    return Breach("no-combination", event.line, event.seat, message, f"the Phoenix as {can}" if can else None, found)


def turn_marked_wrong(state: StateBase, event: Event, why: str) -> Breach:
    """The record says wrongly of a play that it was in turn or out of turn."""
    expected, found = ("in turn", "out of turn") if event.turn == OUT_OF_TURN else ("out of turn", "in turn")
    message = f"{cards_text(event.cards)} of {who(state, event.seat)} is marked as played {found}, but {why}"
    return Breach("turn-marked-wrong", event.line, event.seat, message, expected, found, "warning")
