"""Reading records in which something is wrong: one fault is one finding, at its place, and the rest is read."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from tichu_analytics.formats import tgr
from tichu_analytics.formats.bsw import read_game as read_log
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.formats.tgr.layout import one_line, pretty
from tichu_analytics.formats.tgr.reader import own_id, read_game
from tichu_analytics.formats.tgr.text import parse
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate.series import simulate_series

LOGS = [one.text.encode() for one in simulate_series(12, 3)]
DOCUMENTS = [document_of_log(log, str(number)) for number, log in enumerate(LOGS)]


def found_in(document: Any) -> list[tuple[str, int | None, str | None]]:
    """What a replay says about a document: codes, rounds, pointers."""
    text = pretty(document).encode()
    findings = replay(read_game(text, "x", "x")).findings
    lines = text.decode().split("\n")
    for finding in findings:
        assert 0 < finding.line <= len(lines)
    return [(finding.code, finding.round, finding.pointer) for finding in findings]


def at(document: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        document = document[int(part)] if isinstance(document, list) else document[part]
    return document


def damaged(document: Any, pointer: str, value: Any) -> Any:
    """A copy with another value at a place, or without the place where the value is ``...``."""
    copy = json.loads(json.dumps(document))
    parent, _, last = pointer.rpartition("/")
    home = at(copy, parent)
    if value is ...:
        del home[last]
    else:
        home[int(last) if isinstance(home, list) else last] = value
    return copy


def events_of(document: Any, kind: str) -> list[tuple[int, int]]:
    return [
        (number, place)
        for number, one in enumerate(document["rounds"])
        for place, event in enumerate(one["events"])
        if event["event"] == kind
    ]


# What can be wrong with one element without touching what it says: only that is reported.
HARMLESS = [
    ("/rounds/1/events/{play}/at", -1),
    ("/rounds/1/events/{play}/at", "soon"),
    ("/rounds/1/events/{play}/turn", "maybe"),
    ("/rounds/1/events/{play}/phoenix_as", "Z"),
    ("/rounds/1/events/{play}/crads", "S5"),
    ("/rounds/1/comment", "x"),
    ("/rounds/1/bombs", [7]),
    ("/rounds/1/score", [1]),
    ("/rounds/1/score", "100:0"),
    ("/rounds/1/deal_players", ["a"]),
    ("/played_at", "yesterday"),
    ("/comment", 1),
    ("/target", -3),
    ("/source", "here"),
    ("/id", 7),
    ("/trick_ends", "somehow"),
    ("/rounds/1/bsw", {"lines": 3}),
]


@pytest.mark.parametrize(("pointer", "value"), HARMLESS)
def test_a_wrong_field_is_one_finding(pointer: str, value: Any) -> None:
    for document in DOCUMENTS[:4]:
        place = next(place for number, place in events_of(document, "play") if number == 1)
        where = pointer.replace("{play}", str(place))
        number = 2 if where.startswith("/rounds/1/") else None
        found = found_in(damaged(document, where, value))
        assert [(code, number_) for code, number_, _ in found] == [("T041", number)], found
        assert str(found[0][2]).startswith(where.rsplit("/", 1)[0])


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("/rounds/1/first8/2", "S5 S6 X"),
        ("/rounds/1/first8/2", 5),
        ("/rounds/1/dealt/1", "S5,S6"),
        ("/rounds/1/exchange", ...),
        ("/rounds/1/exchange", "none"),
        ("/rounds/1/calls", [{"seat": 0, "call": "tichu", "when": "late"}]),
        ("/rounds/1/calls", {}),
        ("/rounds/1/events", {}),
        ("/rounds/1", None),
        ("/rounds/1", []),
    ],
)
def test_a_wrong_part_is_one_kind_of_finding(change: str, value: Any) -> None:
    """Whatever is wrong with a part of a round, the round has that finding and the others have none."""
    for document in DOCUMENTS[:6]:
        found = found_in(damaged(document, change, value))
        assert found
        assert {number for _, number, _ in found} == {2}, found
        assert {code for code, _, _ in found} <= {"T041", "T010"}, found


def _wrong_cards(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "cards": f"{event['cards'][:-1]}x"}


def _wrong_seat(event: dict[str, Any]) -> dict[str, Any]:
    return {**event, "seat": 4}


def _misnamed(event: dict[str, Any]) -> dict[str, Any]:
    name = next(name for name in event if name != "event")
    return {f"{name}s" if field == name else field: value for field, value in event.items()}


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("play", _wrong_cards),
        ("play", _wrong_seat),
        ("pass", _wrong_seat),
        ("pass", _misnamed),
        ("collect", _wrong_seat),
        ("wish", _misnamed),
        ("gift", _misnamed),
        ("call", _misnamed),
        ("call", _wrong_seat),
    ],
)
def test_a_wrong_event_is_one_finding_nearly_always(kind: str, change: Callable[[Any], Any]) -> None:
    """What a lost event leaves open is not reported beside it; only its own round is touched."""
    tried = clean = 0
    for document in DOCUMENTS:
        for number, place in events_of(document, kind)[::7]:
            pointer = f"/rounds/{number}/events/{place}"
            found = found_in(damaged(document, pointer, change(at(document, pointer))))
            assert ("T041", number + 1) in [(code, number_) for code, number_, _ in found]
            assert {number_ for _, number_, _ in found} == {number + 1}
            tried += 1
            clean += {code for code, _, _ in found} == {"T041"}
    assert tried > 3
    assert clean >= 0.93 * tried, (clean, tried)


def test_lines_and_pointers_of_findings() -> None:
    document = damaged(DOCUMENTS[0], "/rounds/0/score", [1000, -1000])
    text = pretty(document)
    finding = replay(read_game(text.encode(), "x", "x", None, 5)).findings[0]
    assert finding.pointer == "/rounds/0/score"
    assert '"score": [1000, -1000]' in text.split("\n")[finding.line - 5]
    assert finding.message.endswith("(at /rounds/0/score)")
    on_a_line = replay(read_game(one_line(document).encode(), "x", "x", None, 5)).findings[0]
    assert (on_a_line.line, on_a_line.pointer) == (5, "/rounds/0/score")


@pytest.mark.parametrize(
    ("data", "line"),
    [
        (b'{"tgr": 1,\n"rounds": [],\n}', 2),
        (b'{"tgr": 1,\n"rounds": [\n]', 3),
        (b'{"tgr": 1, "tgr": 1, "rounds": []}', 1),
        (b'{"tgr": 1, "rounds": [NaN]}', 1),
        (b"\xff\xfe{", 1),
        (b"[" * 100_000, 1),
        (b'{"tgr": 1, "rounds": [', 1),
        (b'{"tgr": 1, "id": "\\ud800", "rounds": []}', 1),
        (b'{"tgr": 1, "rounds": []}\n{}', 2),
        (b"null", 1),
        (b"7", 1),
        (b'"{}"', 1),
        (b"[]", 1),
        (b'{"tgr": 2, "rounds": []}', 1),
        (b'{"tgr": true, "rounds": []}', 1),
        (b'{"tgr": 1}', 1),
        (b'{"tgr": 1, "rounds": {}}', 1),
    ],
)
def test_what_is_no_record(data: bytes, line: int) -> None:
    game = read_game(data, "x", "x", None, 10)
    found = replay(game).findings
    assert [finding.code for finding in found] in (["T040"], ["T041"])
    assert found[0].line == 9 + line
    assert game.rounds == ()
    with pytest.raises(tgr.InvalidRecord) as caught:
        tgr.loads(data, line=10)
    assert [fault.line for fault in caught.value.faults] == [9 + line]
    assert caught.value.faults[0].message in str(caught.value)


def test_a_word_that_is_no_card_in_what_is_given() -> None:
    """The two other cards of the line still count."""
    clean = 0
    for document in DOCUMENTS:
        words = document["rounds"][1]["exchange"][3].split(" ")
        found = found_in(damaged(document, "/rounds/1/exchange/3", " ".join([*words[:2], "SX"])))
        assert found[0] == ("T041", 2, "/rounds/1/exchange/3")
        clean += len(found) == 1
    assert clean >= len(DOCUMENTS) - 1


def test_empty_texts_and_records() -> None:
    for data in (b"", b" \n"):
        assert [finding.code for finding in replay(read_game(data, "x", "x")).findings] == ["T025"]
        with pytest.raises(tgr.InvalidRecord):
            tgr.loads(data)
    empty = b'{"tgr": 1, "rounds": []}'
    assert [finding.code for finding in replay(read_game(empty, "x", "x")).findings] == ["T025"]
    assert tgr.loads(empty).rounds == ()


def test_rules_and_options_that_do_not_exist() -> None:
    document = DOCUMENTS[0] | {"rules": "house", "options": {"target": 900, "no_such": "x", "bomb_on_dog": "maybe"}}
    game = read_game(pretty(document).encode(), "x", "x")
    found = replay(game).findings
    assert [(finding.code, finding.pointer) for finding in found if finding.code == "T042"] == [
        ("T042", "/rules"),
        ("T042", "/options/no_such"),
        ("T042", "/options/bomb_on_dog"),
    ]
    assert (game.rules, game.options) == (None, (("target", 900),))
    assert replay(game).rules == "official"


def test_options_of_a_record_hold() -> None:
    """The target of a record ends its game; a rule set named on the command line overrides the record's word."""
    document = {**DOCUMENTS[0], "target": 300}
    game = read_game(pretty(document).encode(), "x", "x")
    assert replay(game).outcome == "overplayed"
    assert replay(game, "bsw").outcome == "finished"


def test_many_faults_are_counted_not_listed() -> None:
    document = damaged(DOCUMENTS[0], "/rounds/0/events", [{"event": "nothing"}] * 300)
    found = replay(read_game(pretty(document).encode(), "x", "x")).findings
    faults = [finding for finding in found if finding.code == "T041"]
    assert len(faults) == 20
    assert "280 more" in faults[-1].message
    assert {finding.round for finding in found} == {1}


def test_records_of_a_million_faults_are_refused_as_a_whole() -> None:
    document = damaged(DOCUMENTS[0], "/rounds/0/events", [1] * 20_000)
    game = read_game(one_line(document).encode(), "x", "x")
    assert game.rounds == ()
    assert len(replay(game).findings) == 20


@pytest.mark.parametrize("document", DOCUMENTS[:3])
def test_any_value_at_any_place_is_survived(document: Any) -> None:
    """Whatever stands where, nothing is raised, and nothing is said of other rounds."""
    values: tuple[Any, ...] = (None, True, -1, 10**30, 1.5, "", "x", "\u202e", [], {}, [[]], {"": {}}, ["S5"] * 5)
    fields = [
        "tgr",
        "id",
        "source",
        "rules",
        "options",
        "target",
        "played_at",
        "players",
        "trick_ends",
        "bsw",
        "rounds",
    ]
    inside = ["players", "deal_players", "first8", "dealt", "calls", "exchange", "bombs", "events", "score", "bsw"]
    places = ["/rounds", *[f"/{field}" for field in fields]] + [f"/rounds/1/{field}" for field in inside]
    places += ["/rounds/1/events/4", "/rounds/1/events/4/event", "/rounds/1/first8/0", "/rounds/1/exchange/3"]
    for place in places:
        for value in values:
            game = read_game(one_line(damaged(document, place, value)).encode(), "x", "x")
            found = replay(game).findings
            if place.startswith("/rounds/1"):
                assert {finding.round for finding in found} <= {2, None}, (place, value)


def test_own_ids() -> None:
    assert own_id(b'{"tgr":1,"id":"a\\u0062","rounds":[]}') == "ab"
    assert own_id(b'{"rounds":[{"id":"no"}],"id":"yes"}') == "yes"
    assert own_id(b'{"rounds":[{"id":"no"}]}') is None
    assert own_id(b'{"id":7}') is None
    assert own_id(b'{"id":"') is None
    assert own_id(b"[" * 100_000) is None
    assert own_id(b'{"id":""}') is None


def test_ids_that_are_changed_keep_everything_else() -> None:
    document = {**DOCUMENTS[0], "_club": 1, "played_at": "2014-02-03T10:00Z"}
    game = tgr.loads(pretty(document))
    assert parse(tgr.dumps(game._replace(game_id="new"))) == {**document, "id": "new"}


def test_logs_and_records_of_them_have_the_same_numbers() -> None:
    for log, document in zip(LOGS[:3], DOCUMENTS[:3], strict=True):
        game = read_game(pretty(document).encode(), "x", "x")
        assert [one.first_line for one in game.rounds] == [one.first_line for one in read_log(log, "x", "x").rounds]


def test_null_hands_are_one_finding_each() -> None:
    assert found_in(damaged(DOCUMENTS[0], "/rounds/1/first8", [None] * 4)) == []
    assert [code for code, _, _ in found_in(damaged(DOCUMENTS[0], "/rounds/1/first8/2", None))] == ["T004"]
    for field in ("dealt", "exchange"):
        document = damaged(DOCUMENTS[0], f"/rounds/1/{field}", [None] * 4)
        found = found_in(document)
        assert {(code, number) for code, number, _ in found} == {("T004", 2)}, found
        assert {pointer for _, _, pointer in found} == {f"/rounds/1/{field}/{seat}" for seat in range(4)}
