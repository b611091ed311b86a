"""Has simulated players break the rules at a chosen moment, and notes what was done and where.

The round goes on from each illegal act as the table then stands, so that nothing else in it is wrong.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.record import EventKind, Game, Round
from tichu_analytics.rules.turns import NOBODY
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import Act, RoundPlay
from tichu_analytics.simulate.illegal import KINDS
from tichu_analytics.simulate.names import four_names
from tichu_analytics.simulate.recorder import Recorder

_PUT_IN_PLAYS: Final = ("line_out_of_turn", "line_lower_single")


class Done(NamedTuple):
    """An illegal act that took place: its kind, its line, the number of the trick."""

    kind: str
    line: int
    trick: int


class Mischief:
    """Does illegal acts of the kinds named, in this order, each in a trick of its own.

    Args:
        kinds: names of ``KINDS``.
        dice: when and with which cards; not the round's own chance.
    """

    def __init__(self, kinds: tuple[str, ...], dice: Dice) -> None:
        self.open = list(kinds)
        self.dice = dice
        self.done: list[Done] = []
        self.wait = dice.below(12)

    def __call__(self, play: RoundPlay) -> Act | None:
        """The next illegal act, if this is an occasion for it; None leaves the move to the players."""
        trick = play.table.trick
        if not self.open or (self.done and self.done[-1].trick >= trick):
            return None
        if self.wait:
            self.wait -= 1
            return None
        # A gift is asked for after its trick.
        trick -= play.table.gift_due != NOBODY
        if self.done and self.done[-1].trick >= trick:
            return None
        line = play.recorder.line
        act = KINDS[self.open[0]](play, self.dice)
        if not act:
            return None
        kind = self.open.pop(0)
        # Whoever leads without taking the trick does so on the first line of the next.
        self.done.append(Done(kind, line, trick + (kind == "not_taken")))
        self.wait = self.dice.below(8)
        if isinstance(act, Act):
            play.will_call[act.seat] = False
            return act
        return None if play.table.gift_due != NOBODY or play.table.over else play.next_act()


def play_with(kinds: tuple[str, ...], seed: str) -> tuple[Game, list[Done]]:
    """A game of one round in which illegal acts of these kinds are done, as far as there was an occasion."""
    dice = Dice(seed)
    names = four_names(dice)
    mischief = Mischief(kinds, Dice(f"{seed}:mischief"))
    one = RoundPlay(dice, Recorder(1, 1, names), mischief).run()
    game = Game("1.tch", "1", "bsw", None, (one._replace(is_last=True),), ())
    return game, shown(mischief.done, one) or []


def shown(done: list[Done], one: Round) -> list[Done] | None:
    """The acts done in a round with the lines at which they show; None if one of them may not show at all.

    Args:
        done: what was done.
        one: the finished round.
    """
    if any(act.kind in _PUT_IN_PLAYS and not _played_later(act, one) for act in done):
        # Then nothing tells that the card was still held, and the player may have been out.
        return None
    return [_shown(act, one) for act in done]


def _played_later(act: Done, one: Round) -> bool:
    """Whether the card of a line that was put in is really played later on."""
    there = next(event for event in one.events if event.line == act.line)
    return any(event.line > act.line and event.seat == there.seat and event.mask & there.mask for event in one.events)


def _shown(act: Done, one: Round) -> Done:
    """The act with the line at which it shows: that a gift is missing, at the next play or pass or at the result."""
    if act.kind != "dragon_kept":
        return act
    moves = [event.line for event in one.events if event.kind in (EventKind.PLAY, EventKind.PASS)]
    assert one.result is not None
    return act._replace(line=next((line for line in moves if line >= act.line), one.result.line))
