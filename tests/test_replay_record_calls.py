"""Records that say how many cards were seen at a call, and that set options of their own."""

from __future__ import annotations

import pytest

from tests.replayed_records import (
    BSW,
    games,
    numbered,
    replayed,
    with_collects,
)
from tichu_analytics.record import Call, EventKind
from tichu_analytics.replay.game import options_for, replay
from tichu_analytics.rules.options import OFFICIAL, YES, Options, make_options


def called(*, grand: bool, begun: bool, seen: int, options: Options = OFFICIAL) -> tuple[list[str], str | None]:
    """The findings about calls and the moment of the call that counts, of a seat that calls nothing in its game."""
    one, seat = next(
        (one, seat)
        for game in games()
        for one in map(with_collects, game.rounds)
        for seat in range(4)
        if not one.calls and not any(event.kind in (EventKind.TICHU, EventKind.GRAND) for event in one.events)
    )
    call = Call(one.play_line, seat, one.names[seat], grand, begun, seen)
    found = replayed(one._replace(calls=(call,), result=None), options)
    fact = found.calls[seat]
    return [finding.name for finding in found.findings], None if fact is None else fact.when


WITH_8 = make_options({"tichu_with_8_cards": "allow"})
LATE = make_options({"tichu_before_exchange": "forbid"})


@pytest.mark.parametrize(
    ("grand", "begun", "seen", "options", "expected"),
    [
        (True, False, 0, OFFICIAL, ([], "first8")),
        (True, False, 8, OFFICIAL, ([], "first8")),
        (True, False, 14, OFFICIAL, (["grand-too-late"], None)),
        (True, True, 14, OFFICIAL, (["grand-too-late"], None)),
        (True, True, 0, OFFICIAL, (["grand-too-late"], None)),
        (False, False, 0, OFFICIAL, ([], "before_exchange")),
        (False, True, 0, OFFICIAL, ([], "before_exchange")),
        (False, False, 14, OFFICIAL, ([], "before_exchange")),
        (False, True, 14, OFFICIAL, ([], "after_exchange")),
        (False, False, 8, OFFICIAL, (["tichu-too-early"], None)),
        (False, False, 8, WITH_8, ([], "first8")),
        (False, False, 14, LATE, (["tichu-too-early"], None)),
        (False, True, 14, LATE, ([], "after_exchange")),
        (False, True, 0, LATE, (["tichu-too-early"], None)),
    ],
)
def test_calls_by_the_number_of_cards_seen(
    grand: bool, begun: bool, seen: int, options: Options, expected: tuple[list[str], str | None]
) -> None:
    assert called(grand=grand, begun=begun, seen=seen, options=options) == expected


# Options -------------------------------------------------------------------------------------------------------------


def test_the_options_of_a_record() -> None:
    game = games()[0]._replace(format="tgr", rules="bsw", options=(("target", 500), ("pass_and_out", "true")))
    assert options_for(game) == BSW._replace(target=500, pass_and_out=YES)
    assert options_for(game, "official") == OFFICIAL
    assert options_for(game._replace(rules=None)) == OFFICIAL._replace(target=500, pass_and_out=YES)
    assert options_for(game._replace(options=())) is BSW
    assert replay(game).rules == "bsw"
    assert all(one.options.target == 500 for one in replay(game).rounds)
    assert replay(game).outcome == "overplayed" and replay(game, "bsw").outcome == "finished"
    with pytest.raises(ValueError, match="no option"):
        options_for(game._replace(options=(("colour", "red"),)))


def test_a_dragon_gift_is_missed_without_a_score_too() -> None:
    """Where a record has no score, the round's last event tells that the gift is missing."""
    tried = 0
    for game in games():
        for one in game.rounds:
            last = one.events[-1]
            if last.kind != EventKind.GIFT:
                continue
            tried += 1
            bare = with_collects(one)
            bare = numbered(bare, list(bare.events[:-1]))._replace(result=None, score_due=False, is_last=True)
            found = replay(game._replace(rounds=(bare,)), "official").findings
            assert [finding.name for finding in found] == ["gift-missing"]
    assert tried


def test_a_call_that_came_too_early_may_be_made_again() -> None:
    for game in games()[:4]:
        one = with_collects(game.rounds[0])
        line = one.events[0].line
        early = Call(line, 1, one.names[1], False, False, 8)
        again = Call(line, 1, one.names[1], False, False, 14)
        events = [event for event in one.events if event.kind not in (EventKind.TICHU, EventKind.GRAND)]
        one = numbered(one._replace(calls=(early, again)), events)._replace(result=None, score_due=False)
        found = replay(game._replace(rounds=(one,)), "official")
        assert [finding.name for finding in found.findings] == ["tichu-too-early"]
        call = found.rounds[0].calls[1]
        assert call is not None and call.when == "before_exchange"
