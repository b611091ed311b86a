"""The replay of records that say more than logs: who takes a trick, turns, cards seen at a call, places in a file."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.replayed_records import (
    BSW,
    bombed_late,
    collects,
    facts,
    games,
    names,
    numbered,
    replayed,
    twice,
    with_collects,
    without_ends,
)
from tichu_analytics.record import Event, EventKind, Round
from tichu_analytics.record.model import IN_TURN, OUT_OF_TURN, BombLine
from tichu_analytics.record.notation import card_bit, parse_mask
from tichu_analytics.replay.deal import Hands
from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.replay.state import RoundState
from tichu_analytics.rules.options import OFFICIAL, Options
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.view.text import game_text


@pytest.mark.parametrize("rules", ["bsw", "official"])
def test_the_same_facts_in_three_forms(rules: str) -> None:
    options = get_rule_set(rules).options
    compared = 0
    for game in games():
        for one in game.rounds:
            log = replayed(one, options)
            record = replayed(with_collects(one), options)
            assert log.findings == record.findings == ()
            assert facts(log, ends=True) == facts(record, ends=True)
            if bombed_late(one):
                continue
            plain = replayed(without_ends(one), options)
            assert plain.findings == ()
            assert facts(plain, ends=False) == facts(log, ends=False)
            compared += 1
    assert compared > 150


def test_positions_are_the_same_too() -> None:
    for one in games()[0].rounds:
        log, record = list(replayed(one).positions()), list(replayed(with_collects(one)).positions())
        assert [step._replace(event=None) for step in record] == [step._replace(event=None) for step in log]
        assert any(step.event is not None and step.event.kind == EventKind.COLLECT for step in record)


def test_the_view_is_the_same_too() -> None:
    game = games()[1]
    record = game._replace(rounds=tuple(with_collects(one) for one in game.rounds))
    assert game_text(replay(record, "bsw")) == game_text(replay(game, "bsw"))


# One fault each in rounds of simulated games -------------------------------------------------------------------------


def faulty(change: Callable[[list[Event], int], list[Event] | None]) -> Iterator[tuple[Round, RoundReplay, int]]:
    """Every third taking of the rounds of three games with a change, the sound replay, and its place in the course."""
    for game in games()[2:5]:
        for one in map(with_collects, game.rounds):
            sound = replayed(one)
            for place in collects(one)[::3]:
                events = change(list(one.events), place)
                if events is not None:
                    yield numbered(one, events), sound, place


def owner_bombs_next(events: list[Event], place: int) -> bool:
    """Whether a bomb follows: then it may as well be one on the trick that lies there."""
    follows = next((event for event in events[place + 1 :] if event.kind == EventKind.PLAY), None)
    return follows is not None and len(follows.cards) >= 4


def pass_missing(events: list[Event], place: int) -> list[Event] | None:
    return [*events[: place - 1], *events[place:]] if events[place - 1].kind == EventKind.PASS else None


def two_passes_missing(events: list[Event], place: int) -> list[Event] | None:
    both = [event.kind for event in events[place - 2 : place]] == [EventKind.PASS] * 2
    return [*events[: place - 2], *events[place:]] if both else None


def a_line_early(events: list[Event], place: int) -> list[Event] | None:
    if events[place - 1].kind != EventKind.PASS:
        return None
    return [*events[: place - 1], events[place], events[place - 1], *events[place + 1 :]]


def by_next_seat(events: list[Event], place: int) -> list[Event]:
    events[place] = events[place]._replace(seat=(events[place].seat + 1) % 4)
    return events


def by_partner(events: list[Event], place: int) -> list[Event]:
    events[place] = events[place]._replace(seat=(events[place].seat + 2) % 4)
    return events


def on_empty_table(events: list[Event], place: int) -> list[Event]:
    other = events[place]._replace(seat=(events[place].seat + 3) % 4)
    return [*events[: place + 1], other, *events[place + 1 :]]


def too_many(events: list[Event], place: int) -> list[Event] | None:
    # By another seat, two events before the trick is taken.
    other = events[place]._replace(seat=(events[place].seat + 1) % 4)
    return None if owner_bombs_next(events, place) else [*events[: place - 2], other, *events[place - 2 :]]


def a_pass_instead(events: list[Event], place: int) -> list[Event]:
    events[place] = events[place]._replace(kind=EventKind.PASS)
    return events


def a_pass_before(events: list[Event], place: int) -> list[Event]:
    return [*events[:place], events[place]._replace(kind=EventKind.PASS), *events[place:]]


def missing(events: list[Event], place: int) -> list[Event] | None:
    # A bomb in its place is right, and without the taking a gift comes too early: other tests.
    gift = events[place + 1].kind == EventKind.GIFT
    return None if gift or owner_bombs_next(events, place) else [*events[:place], *events[place + 1 :]]


@pytest.mark.parametrize(
    ("change", "name"),
    [
        (twice, "collect-not-due"),
        (pass_missing, "collect-not-due"),
        (two_passes_missing, "collect-not-due"),
        (a_line_early, "collect-not-due"),
        (by_next_seat, "collect-not-due"),
        (by_partner, "collect-not-due"),
        (on_empty_table, "collect-not-due"),
        (too_many, "collect-not-due"),
        (a_pass_instead, "pass-for-collect"),
        (a_pass_before, "pass-for-collect"),
        (missing, "trick-not-taken"),
    ],
)
def test_one_cause_gives_one_finding(change: Callable[[list[Event], int], list[Event] | None], name: str) -> None:
    count = 0
    for one, sound, place in faulty(change):
        found = replayed(one)
        assert [finding.name for finding in found.findings] == [name], (one.number, place)
        assert abs(found.findings[0].line - (one.events[0].line + place)) <= 2
        assert not found.legal
        # What is true besides is as before: who won which trick with how many points, and the score.
        won = [(trick.winner_seat, trick.taker_seat, trick.points) for trick in sound.tricks]
        assert [(trick.winner_seat, trick.taker_seat, trick.points) for trick in found.tricks] == won
        assert found.score == sound.score and found.finish == sound.finish
        count += 1
    assert count > 60


def test_all_takings_written_as_passes() -> None:
    one = with_collects(games()[0].rounds[0])
    events = [event._replace(kind=EventKind.PASS) if event.kind == EventKind.COLLECT else event for event in one.events]
    assert names(numbered(one, events)) == ["pass-for-collect"] * len(collects(one))


def test_a_wrong_score_is_found_beside_a_missing_pass() -> None:
    # A missing pass leaves no doubt about who took which points, unless it was the last line of that seat.
    found = []
    for one, sound, _ in faulty(pass_missing):
        result = one.result
        if sound.card_points is not None and result is not None and result.score_0 is not None:
            wrong = result._replace(score_0=result.score_0 + 5, score_1=(result.score_1 or 0) - 5)
            found.append(names(one._replace(result=wrong)))
    assert found.count(["collect-not-due", "wrong-score"]) > 0.9 * len(found) > 50
    assert {tuple(one) for one in found} <= {("collect-not-due", "wrong-score"), ("collect-not-due",)}


def test_a_gift_without_the_taking() -> None:
    count = 0
    for one in map(with_collects, games()[3].rounds):
        for place in collects(one):
            if one.events[place + 1].kind != EventKind.GIFT:
                continue
            late = [*one.events[:place], one.events[place + 1], one.events[place], *one.events[place + 2 :]]
            gone = [*one.events[:place], *one.events[place + 1 :]]
            assert names(numbered(one, late)) == names(numbered(one, gone)) == ["gift-too-early"]
            count += 1
    assert count


def test_a_record_that_breaks_off_and_ends_after_a_round() -> None:
    one = with_collects(games()[0].rounds[0])._replace(result=None, is_last=True)
    assert names(one) == []
    assert names(one._replace(is_last=False)) == []
    assert names(one._replace(score_due=True)) == ["truncated"]
    assert names(one._replace(score_due=True, is_last=False)) == ["result-missing"]
    broken = one._replace(events=one.events[:-5])
    assert names(broken) == ["truncated"]
    assert replayed(broken).findings[0].severity == "warning"
    assert replayed(broken._replace(is_last=False)).findings[0].severity == "error"


def test_the_list_of_bombs() -> None:
    holds = next(one for game in games() for one in game.rounds if one.bomb_line is not None)
    lacks = next(one for game in games() for one in game.rounds if one.bomb_line is None)
    record = with_collects(holds)
    assert holds.bomb_line is not None
    line, seats = holds.bomb_line.line, holds.bomb_line.seats
    assert names(record) == []
    assert names(record._replace(bomb_line=None)) == []
    assert names(record._replace(bomb_line=None, bombs_due=True)) == ["bomb-line-wrong"]
    other = BombLine(line, tuple((seat + 1) % 4 for seat in seats), ("",) * len(seats))
    (finding,) = replayed(record._replace(bomb_line=other)).findings
    assert finding.name == "bomb-line-wrong" and finding.message.startswith("the list of bombs names seat")
    assert names(record._replace(bomb_line=BombLine(line, (), ()))) == ["bomb-line-wrong"]
    free = with_collects(lacks)
    assert names(free._replace(bomb_line=BombLine(lacks.play_line, (), ()))) == []
    (finding,) = replayed(free._replace(bomb_line=BombLine(lacks.play_line, (2,), ("",)))).findings
    assert finding.message == "the list of bombs stands although nobody holds a bomb"


# Made by hand --------------------------------------------------------------------------------------------------------


def event_of(step: str, line: int) -> Event:
    """An event: ``0:S5 R5``, ``1:pass``, ``0:collect``, ``wish:8``, ``gift:1``.

    A play may end in ``!``, marked as out of turn, or ``=``, marked as in turn.
    """
    who, _, what = step.partition(":")
    if who == "wish":
        return Event(EventKind.WISH, line, -1, "", value=int(what))
    if who == "gift":
        return Event(EventKind.GIFT, line, int(what), "")
    seat = int(who)
    if what in ("pass", "collect"):
        return Event(EventKind.PASS if what == "pass" else EventKind.COLLECT, line, seat, "")
    turn = OUT_OF_TURN if what.endswith("!") else IN_TURN if what.endswith("=") else 0
    cards = what.rstrip("!=")
    return Event(EventKind.PLAY, line, seat, "", tuple(map(card_bit, cards.split())), parse_mask(cards), turn=turn)


HELD = (
    "S5 R8 G8 SK RA S2 B2 G2 R2",
    "S6 R9 G9 BK BA S3 B3 G3 R3 B10",
    "S7 R10 G10 GK Dr S4 B4 G4 R4",
    "Ma G7 SJ RK GA SQ BQ GQ RQ",
)


def state_after(
    *steps: str,
    leader: int = 0,
    options: Options = OFFICIAL,
    ahead: bool = True,
    held: tuple[str, str, str, str] = HELD,
    collects: bool = True,
    interrupts: bool = False,
) -> RoundState:
    """A round with these hands after some steps; ``ahead``: the state knows what comes later."""
    events = [event_of(step, line) for line, step in enumerate(steps, start=1)]
    masks = (parse_mask(held[0]), parse_mask(held[1]), parse_mask(held[2]), parse_mask(held[3]))
    hands = Hands((0,) * 4, (0,) * 4, masks, (None,) * 4, (0,) * 4, 0, leader)
    state = RoundState(
        options, hands, events=events if ahead else (), marks_collects=collects, marks_interrupts=interrupts
    )
    for event in events:
        state.do(event)
    return state


def breaches(*steps: str, **more: object) -> list[str]:
    return [breach.name for breach in state_after(*steps, **more).breaches]  # type: ignore[arg-type]


K_PASSED = ("0:SK", "1:pass", "2:pass", "3:pass")


@pytest.mark.parametrize("ahead", [True, False])
def test_a_trick_is_taken_when_all_others_have_passed(ahead: bool) -> None:
    assert breaches(*K_PASSED, "0:collect", "0:S5", ahead=ahead) == []
    assert breaches(*K_PASSED, "0:S2 B2 G2 R2", "1:pass", "2:pass", "3:pass", "0:collect", ahead=ahead) == []
    assert breaches(*K_PASSED, "3:SQ BQ GQ RQ", "0:pass", "1:pass", "2:pass", "3:collect", ahead=ahead) == []
    assert breaches(*K_PASSED, "0:pass", "0:S5", ahead=ahead) == ["pass-for-collect"]
    assert breaches(*K_PASSED, "0:S5", ahead=ahead) == ["trick-not-taken"]
    assert breaches(*K_PASSED, "0:S5", "0:collect", "1:S6", ahead=ahead) == ["trick-not-taken"]
    assert breaches(*K_PASSED[:3], "0:collect", "0:S5", ahead=ahead) == ["collect-not-due"]
    # In a log the owner's pass takes the trick.
    assert breaches(*K_PASSED, "0:pass", "0:S5", ahead=ahead, collects=False) == []


def test_who_may_take_a_trick() -> None:
    taking = [event_of(f"{seat}:collect", 9) for seat in range(4)]
    state = state_after(*K_PASSED)
    assert [state.may(event) for event in taking] == [True, False, False, False]
    assert not state.may(event_of("0:pass", 9)) and not state.may(event_of("0:S5", 9))
    breach = state.why_not(event_of("0:pass", 9))
    assert breach is not None and breach.name == "pass-for-collect"
    assert state.breaches == []  # asking changes nothing
    for steps in (K_PASSED[:1], K_PASSED[:3], (*K_PASSED, "0:collect")):
        assert not any(state_after(*steps).may(event) for event in taking)
    log = state_after(*K_PASSED, collects=False)
    assert log.may(event_of("0:pass", 9)) and not log.may(event_of("1:pass", 9))


@pytest.mark.parametrize(
    ("steps", "message", "expected"),
    [
        (
            ("0:SK", "1:pass", "0:collect"),
            "seat 0 took the trick, but seat 2 and seat 3 have not passed yet",
            "a play or a pass of seat 2",
        ),
        (
            (*K_PASSED[:3], "0:collect"),
            "seat 0 took the trick, but seat 3 has not passed yet",
            "a play or a pass of seat 3",
        ),
        ((*K_PASSED, "2:collect"), "seat 2 took the trick, but it belongs to seat 0", "seat 0 takes the trick"),
        (
            (*K_PASSED[:3], "3:collect"),
            "seat 3 took the trick, but it belongs to seat 0, and seat 3 has not passed yet",
            "a play or a pass of seat 3",
        ),
        (
            (*K_PASSED, "0:collect", "0:collect"),
            "seat 0 took a trick, but no card lies on the table",
            "a lead of seat 0",
        ),
    ],
)
def test_why_a_taking_is_not_due(steps: tuple[str, ...], message: str, expected: str) -> None:
    (breach,) = state_after(*steps).breaches
    assert (breach.name, breach.message, breach.expected) == ("collect-not-due", message, expected)
    assert (breach.line, breach.severity) == (len(steps), "error")


def test_a_taking_where_the_owner_is_out_or_the_round_is_over() -> None:
    held = ("SK", "S6 R9", "S7 R10", "Ma G7")
    (breach,) = state_after("0:SK", "1:pass", "2:pass", "0:collect", held=held).breaches
    assert breach.message == "seat 0 took the trick, but seat 3 has not passed yet"
    (breach,) = state_after("0:SK", "1:pass", "1:collect", "2:pass", "3:pass", held=held).breaches
    assert "it belongs to seat 0, who is out: the last pass ends it" in breach.message
    # The last pass has ended the trick.
    assert breaches(*K_PASSED, "1:S6", held=held) == []
    (breach,) = state_after(*K_PASSED, "1:collect", "1:S6", held=held).breaches
    assert breach.message == "seat 1 took a trick, but no card lies on the table"
    over = ("0:SK", "1:pass", "2:RA", "3:collect", "3:collect")
    (breach,) = state_after(*over, held=("SK", "S6 R9", "RA", "Ma G7")).breaches
    assert breach.message == "seat 3 took a trick after the round was over"
    assert breach.expected == "the result"


def test_the_next_trick_is_judged_in_full() -> None:
    lead = ("0:R8 G8", "1:S6", "2:pass")
    for before in (
        (*K_PASSED[:3], "0:collect"),
        (*K_PASSED, "1:collect"),
        (*K_PASSED, "0:pass"),
        (*K_PASSED[:3], "0:collect", "3:pass"),
    ):
        found = breaches(*before, *lead)
        assert len(found) == 2 and found[1] == "wrong-combination", before


def test_who_leads_tells_whose_trick_it_was() -> None:
    state = state_after(*K_PASSED, "1:collect", "0:S5", "1:S6")
    assert (state.tricks[0].taker_seat, len(state.breaches)) == (0, 1)
    state = state_after(*K_PASSED, "1:collect", "1:S6", "2:S7")
    assert (state.tricks[0].taker_seat, len(state.breaches)) == (1, 1)
    assert breaches(*K_PASSED, "1:collect", "2:S7") == ["collect-not-due", "wrong-leader"]


def test_others_go_on_with_a_trick_that_was_taken_too_early() -> None:
    state = state_after("0:SK", "0:collect", "1:pass", "2:pass", "3:GA", "0:pass", "1:pass", "2:pass", "3:collect")
    assert [breach.line for breach in state.breaches] == [2]
    assert [(trick.taker_seat, trick.n_passes) for trick in state.tricks] == [(3, 5)]


def test_a_trick_in_doubt() -> None:
    # Seat 2 is passed over; from then on a taking is handled as a pass of the seat in a log.
    start = ("0:SK", "1:pass", "3:GA", "0:pass", "1:pass", "2:pass")
    for end in (("3:collect", "3:G7", "0:R8"), ("3:pass", "3:G7")):
        assert breaches(*start, *end) == ["out-of-turn"]
    assert breaches(*start, "3:collect", "3:collect", "3:G7") == ["out-of-turn", "collect-not-due"]
    state = state_after(*start, "3:collect", "3:G7")
    assert state.tricks[0].collect_line == 7 and state.tricks[0].taker_seat == 3
    assert all(move.line != 7 for move in state.tricks[0].moves)
    # The taking comes first: a pass after it is one on lead.
    assert breaches(*start, "3:collect", "3:pass") == ["out-of-turn", "pass-on-lead"]
    assert breaches(*start, "3:pass", "3:collect", "3:G7") == ["out-of-turn"]


# Wish and bombs ------------------------------------------------------------------------------------------------------

WISHER = ("Ma S5 SK", "S8 S3 B3 G3 R3 SA", "S10 B10 G10 R10 S6 S7", "S9 B9 G9 R9 SJ BJ")
WISH = ("0:Ma", "wish:8")


def severities(*steps: str, **more: object) -> list[tuple[str, str]]:
    state = state_after(*steps, held=WISHER, **more)  # type: ignore[arg-type]
    return [(breach.name, breach.severity) for breach in state.breaches]


def test_a_bomb_in_turn_over_an_owed_wish() -> None:
    bomb = "1:S3 B3 G3 R3"
    assert severities(*WISH, bomb) == [("bomb-over-wish", "warning")]
    assert severities(*WISH, bomb + "=") == [("wish-ignored", "error")]
    assert severities(*WISH, bomb + "!") == []
    for mark in ("", "="):
        assert severities(*WISH, bomb + mark, options=BSW) == [("bomb-over-wish", "note")]
    assert severities(*WISH, bomb + "!", options=BSW) == []
    # Where the record is known to mark interrupts, what it does not mark is where the turn is.
    assert severities(*WISH, bomb, interrupts=True) == [("wish-ignored", "error")]
    assert severities(*WISH, bomb + "!", interrupts=True) == []


def test_a_bomb_of_the_seat_to_act_can_be_an_interruption() -> None:
    for mark, out in (("", False), ("=", False), ("!", True)):
        state = state_after(*WISH, f"1:S3 B3 G3 R3{mark}", held=WISHER)
        assert state.moves[-1].out_of_turn is out
        assert state.wish == 8
        state = state_after("0:S5", f"1:S3 B3 G3 R3{mark}", held=WISHER)
        assert state.moves[-1].out_of_turn is out and not state.breaches
    state = state_after(*WISH, "3:S9 B9 G9 R9!", held=WISHER)
    assert state.moves[-1].out_of_turn and not state.breaches
    event = event_of("1:S3 B3 G3 R3!", 3)
    assert state_after(*WISH, held=WISHER).may(event)
    assert not state_after(*WISH, held=WISHER).may(event._replace(turn=IN_TURN))


@pytest.mark.parametrize(
    ("steps", "why"),
    [
        (("0:S5", "1:S8!"), "only a bomb can be"),
        (("0:S5!",), "only a bomb can be"),
        (("0:S5", "2:S10 B10 G10 R10="), "another player was to act"),
        (("0:S5", "1:pass", "3:S9 B9 G9 R9="), "another player was to act"),
    ],
)
def test_turns_that_are_marked_wrong(steps: tuple[str, ...], why: str) -> None:
    (breach,) = state_after(*steps, held=WISHER).breaches
    assert (breach.name, breach.severity, breach.line) == ("turn-marked-wrong", "warning", len(steps))
    assert breach.message.endswith(f", but {why}")


def test_a_lead_is_in_turn() -> None:
    assert breaches("0:S2 B2 G2 R2=") == []
    assert breaches("0:S2 B2 G2 R2!") == ["turn-marked-wrong"]


@pytest.mark.parametrize(
    "steps",
    [
        ("0:S5=", "1:S8=", "2:S10=", "3:SJ="),
        ("0:S5", "2:S10 B10 G10 R10!"),
        ("0:S5", "1:pass", "2:S10 B10 G10 R10!"),
        ("0:S5", "1:pass", "2:S10 B10 G10 R10="),
    ],
)
def test_turns_that_are_marked_rightly(steps: tuple[str, ...]) -> None:
    assert breaches(*steps, held=WISHER) == []


def test_no_second_finding_beside_an_error() -> None:
    assert breaches("0:S5", "2:S6=", held=WISHER) == ["out-of-turn"]
    assert breaches("0:S5", "2:S6!", held=WISHER) == ["out-of-turn"]
    assert breaches("0:SK", "1:S8!", held=WISHER) == ["not-higher"]
    assert breaches("0:S5", "2:B9 S9 G9 R9=", held=WISHER) == ["card-not-held"]
