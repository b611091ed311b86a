"""Records have places in a file: findings, messages and views name its lines and JSON pointers."""

from __future__ import annotations

import re

from tests.replayed_records import (
    collects,
    games,
    numbered,
    twice,
    with_collects,
)
from tichu_analytics.record import Call, Event, EventKind, Game, Problem
from tichu_analytics.replay.game import replay
from tichu_analytics.view.text import game_text, round_text, trick_text


class FakePlaces:
    """Running number n is element n - 1 of a file that has two lines for each and its elements in reverse order."""

    def __init__(self, last: int) -> None:
        self.last = last

    def pointer(self, number: int) -> str:
        return f"/rounds/0/events/{number - 1}"

    def line(self, pointer: str) -> int:
        match = re.fullmatch(r"/rounds/0/events/(\d+)(?:/\w+)?", pointer)
        assert match, pointer
        return 2 * (self.last - int(match[1])) + 1000


def with_places() -> tuple[Game, Game]:
    """A game with faults in its first round, once without and once with places."""
    game = games()[0]
    first = with_collects(game.rounds[0])
    place = collects(first)[2]
    events = twice(list(first.events), place)
    place = collects(first)[4]
    events[place + 1] = events[place + 1]._replace(kind=EventKind.PASS)
    first = numbered(first, events)
    deep = Problem(first.events[3].line, "unknown-card", 1, "S1 is no card", None, None, None)
    first = first._replace(problems=(deep,))
    game = game._replace(rounds=(first,), problems=(Problem(1, "no-rounds", None, "nothing here"),))
    placed = deep._replace(pointer=f"/rounds/0/events/{deep.line - 1}/cards")
    record = game._replace(
        rounds=(first._replace(problems=(placed,)),), places=FakePlaces(first.last_line), format="tgr"
    )
    return game, record


def test_findings_have_the_lines_of_the_file() -> None:
    game, record = with_places()
    plain, found = replay(game, "bsw"), replay(record, "bsw")
    assert [finding.name for finding in plain.findings] == [
        "no-rounds",
        "unknown-card",
        "collect-not-due",
        "pass-for-collect",
    ]
    assert record.places is not None
    # Lines of a file need not rise with running numbers; findings of a round stand in the order of lines.
    assert [finding.line for finding in found.rounds[0].findings] == sorted(
        finding.line for finding in found.rounds[0].findings
    )
    same = {finding.code: finding for finding in found.findings}
    for before in plain.findings:
        after = same.pop(before.code)
        pointer = f"/rounds/0/events/{before.line - 1}" + ("/cards" if before.name == "unknown-card" else "")
        assert after == before._replace(
            line=record.places.line(pointer), pointer=pointer, message=f"{before.message} (at {pointer})"
        )
        assert before.pointer is None
    assert found.rounds[0].findings == found.findings[1:]
    # Everything else has running numbers.
    assert found.rounds[0].tricks == plain.rounds[0].tricks
    assert found.rounds[0].calls == plain.rounds[0].calls
    assert found.rounds[0].first_line == plain.rounds[0].first_line


def test_what_concerns_the_whole_record_names_no_pointer() -> None:
    class Whole(FakePlaces):
        def line(self, pointer: str) -> int:
            assert pointer == ""
            return 4

    problem = Problem(1, "record-invalid", None, "there is nothing in it", pointer="")
    game = games()[0]._replace(rounds=(), problems=(problem,), places=Whole(0), format="tgr")
    (finding,) = replay(game).findings
    assert (finding.line, finding.pointer, finding.message) == (4, "", "there is nothing in it")


def test_messages_name_pointers_and_not_running_numbers() -> None:
    game = games()[0]._replace(places=FakePlaces(100), format="tgr")
    first = with_collects(game.rounds[0])
    seat = next(event.seat for event in first.events if event.kind == EventKind.PLAY)
    late = [event for event in first.events if event.kind not in (EventKind.TICHU, EventKind.GRAND)]
    late.insert(12, Event(EventKind.TICHU, 0, seat, first.names[seat]))
    one = numbered(first._replace(calls=(), result=first.result), late)._replace(result=None)
    found = replay(game._replace(rounds=(one,)), "official").findings
    assert [finding.name for finding in found] == ["tichu-too-late"]
    assert re.search(r"after playing a card \(/rounds/0/events/\d+\) \(at /rounds/0/events/\d+\)$", found[0].message)
    again = replay(game._replace(rounds=(one,), places=None), "official").findings
    assert re.search(r"after playing a card \(line \d+\)$", again[0].message)
    ended = one._replace(events=one.events[:20], is_last=True)
    (cut,) = (f for f in replay(game._replace(rounds=(ended,)), "official").findings if f.name == "truncated")
    assert "the record ends here" in cut.message


def test_the_view_shows_the_lines_of_the_file() -> None:
    game, record = with_places()
    assert record.places is not None
    plain, found = game_text(replay(game, "bsw")).split("\n"), game_text(replay(record, "bsw")).split("\n")
    assert len(plain) == len(found)
    rows = 0
    for before, after in zip(plain, found, strict=True):
        match = re.match(r"(?=.{5}  ) *(\d+)  (?!>>>)", before)
        if match is None or match.end() != 7:
            continue
        line = record.places.line(record.places.pointer(int(match[1])))
        assert after == f"{line:>5}  {before[7:]}"
        rows += 1
    assert rows > 50
    # Findings stand at the rows of their elements.
    for code in ("T002", "T329", "T330"):
        (at,) = (place for place, row in enumerate(plain) if f">>> {code}" in row)
        assert f">>> {code}" in found[at]
        assert found[at].split()[0] == next(
            row.split()[0] for row in reversed(found[:at]) if re.match(r" *\d+  ", row) and ">>>" not in row
        )
    first, last = record.rounds[0].first_line, record.rounds[0].last_line
    ends = sorted(record.places.line(record.places.pointer(number)) for number in (first, last))
    assert f"Round 1 of 1, lines {ends[0]}-{ends[1]}; " in "\n".join(found)
    assert round_text(replay(record, "bsw"), 1) in "\n".join(found)
    assert "Hands before trick 2" in trick_text(replay(record, "bsw"), 1, 2)


def test_the_view_of_a_record_on_one_line() -> None:
    class OneLine(FakePlaces):
        def line(self, pointer: str) -> int:
            return 17

    _, record = with_places()
    text = game_text(replay(record._replace(places=OneLine(0)), "bsw"))
    assert "Round 1 of 1, line 17; " in text
    assert "  line:   17, on which the whole record stands; in front of rows are running numbers\n" in text
    # As in a log, numbers rise from row to row; each finding has that of its element.
    numbers = [int(number) for number in re.findall(r"^([ \d]{4}\d)  (?!>>>)", text, re.MULTILINE)]
    assert len(set(numbers)) == len(numbers) > 50
    assert "  line 17  >>> T025" in text
    shown = [int(number) for number in re.findall(r"^([ \d]{4}\d)  >>> T", text, re.MULTILINE)]
    assert len(shown) == 3 and set(shown) <= set(numbers)


def test_a_taking_that_is_not_due_is_shown_as_it_stands() -> None:
    game, _ = with_places()
    text = game_text(replay(game, "bsw"))
    assert re.search(r"^ *\d+  \d .* {2,}takes the trick\n *\d+  >>> T330 ", text, re.MULTILINE)


def test_when_a_call_was_made_is_shown() -> None:
    one = with_collects(games()[0].rounds[0])
    for grand, begun, seen, first8 in ((False, False, 8, True), (False, False, 14, False), (True, False, 14, False)):
        call = Call(one.play_line, 0, one.names[0], grand, begun, seen)
        game = games()[0]._replace(rounds=(one._replace(calls=(call,)),))
        text = game_text(replay(game, "official"))
        row = next(row for row in text.split("\n") if row.startswith(f"{one.play_line:>5}  0") and "calls" in row)
        assert row.endswith(" on the first eight cards") is first8
