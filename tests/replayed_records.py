"""Rounds of simulated games as records that say more than logs, for tests of their replay."""

from __future__ import annotations

from functools import cache

from tichu_analytics.record import Event, EventKind, Game, Round
from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.replay.round import replay_round, start
from tichu_analytics.rules.options import Options
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.simulate import simulate_games

BSW = get_rule_set("bsw").options

# Rounds of simulated games -------------------------------------------------------------------------------------------


@cache
def games() -> tuple[Game, ...]:
    return tuple(one.game for one in simulate_games(20, 77))


def replayed(one: Round, options: Options = BSW) -> RoundReplay:
    return replay_round(one, options, "game.tgr.json", "game", (0, 0))


def names(one: Round, options: Options = BSW) -> list[str]:
    return [finding.name for finding in replayed(one, options).findings]


def with_collects(one: Round) -> Round:
    """The same round as a record has it: events of their own take the tricks, nothing else need be there."""
    taken = {trick.collect_line for trick in replayed(one).tricks if trick.collect_line is not None}
    events = tuple(event._replace(kind=EventKind.COLLECT) if event.line in taken else event for event in one.events)
    return one._replace(events=events, marks_collects=True, score_due=False, bombs_due=False)


def without_ends(one: Round) -> Round:
    """The same round in a record that does not mark the taking of tricks."""
    taken = {trick.collect_line for trick in replayed(one).tricks}
    events = tuple(event for event in one.events if event.line not in taken)
    return one._replace(events=events, explicit_ends=False)


def numbered(one: Round, events: list[Event]) -> Round:
    """The round with another course, numbered anew."""
    start = one.events[0].line
    assert one.result is not None
    end = start + len(events)
    course = tuple(event._replace(line=start + place) for place, event in enumerate(events))
    return one._replace(events=course, result=one.result._replace(line=end), last_line=end)


def bombed_late(one: Round) -> bool:
    """Whether a trick is bombed after all others have passed; only a record that marks takings can show that."""
    state = start(one, BSW)
    for event in one.events:
        if event.kind == EventKind.PLAY and any(map(state.may_collect, range(4))):
            return True
        state.do(event)
    return False


def facts(one: RoundReplay, *, ends: bool) -> tuple[object, ...]:
    """What is true about a round; without the lines on which tricks end where a form of the record has none."""
    tricks = one.tricks
    if not ends:
        tricks = tuple(trick._replace(collect_line=None, last_line=0) for trick in tricks)
    return (
        tricks,
        one.finish,
        one.score,
        one.card_points,
        one.points_taken,
        one.calls,
        one.wish,
        one.complete,
        one.legal,
    )


def collects(one: Round) -> list[int]:
    return [place for place, event in enumerate(one.events) if event.kind == EventKind.COLLECT]


def twice(events: list[Event], place: int) -> list[Event]:
    return [*events[: place + 1], *events[place:]]
