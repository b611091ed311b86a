"""The schema of TGR: what it lets through, what it reports, and in which words."""

from __future__ import annotations

import copy
import json
from importlib.resources import files
from typing import Any

import jsonschema_rs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tichu_analytics.formats.tgr import layout
from tichu_analytics.formats.tgr.schema import VERSION, Fault, faults
from tichu_analytics.record.notation import CARD_CODES

SCHEMA: dict[str, Any] = json.loads(
    files("tichu_analytics.formats.tgr").joinpath("tgr-1.schema.json").read_text(encoding="utf-8")
)
DEFS: dict[str, Any] = SCHEMA["$defs"]

MINIMAL: dict[str, Any] = {"tgr": 1, "rounds": []}

HANDS8 = ["S2 S3 S4 S5 S6 S7 S8 S9", "B2 B3 B4 B5 B6 B7 B8 B9", "G2 G3 G4 G5 G6 G7 G8 G9", "R2 R3 R4 R5 R6 R7 R8 R9"]
LAST6 = ["S10 SJ SQ SK SA Ma", "B10 BB BD BK BA Hu", "G10 GJ GQ GK GA Ph", "R10 RJ RQ RK RA Dr"]

#: Every field of the format at least once.
FULL: dict[str, Any] = {
    "tgr": 1,
    "id": "game 1",
    "source": {"name": "somewhere", "url": "https://example.org/1", "file": "1.tch", "format": "bsw", "_seen": True},
    "rules": "official",
    "options": {"target": 500, "wish_optional": "true", "max_rounds": 3, "_why": [None]},
    "target": 500,
    "played_at": "2024-02-29T20:15:30.125+02:00",
    "players": ["Ann", "", "Борис", "李"],
    "trick_ends": "collect",
    "_rating": {"Ann": 1500.5},
    "bsw": {
        "byte_order_mark": True,
        "line_ends": "crlf",
        "no_final_line_end": True,
        "lines": [{"line": 1, "blank": True, "blanks": [[0, 3]]}, {"line": 2, "unreadable": "hello\there"}],
        "_": 0,
    },
    "rounds": [
        {"first8": [None] * 4, "dealt": [None] * 4, "exchange": [None] * 4, "events": []},
        {
            "players": ["Ann", "Zoe", "Борис", "李"],
            "deal_players": ["Ann", "", "Борис", "李"],
            "first8": [*HANDS8[:3], None],
            "dealt": [f"{first} {last}" for first, last in zip(HANDS8, LAST6, strict=True)],
            "calls": [
                {"seat": 0, "call": "grand", "when": "first8"},
                {"seat": 1, "call": "tichu", "when": "before_exchange", "_sure": False},
                {"seat": 2, "call": "tichu", "when": "after_exchange"},
            ],
            "exchange": ["S2 S3 S4", "B2 ?B11 B4", "", "R2 R3 R4"],
            "bombs": [0, 3],
            "events": [
                {"event": "play", "seat": 0, "cards": "Ma S2 S3 S4 Ph", "phoenix_as": "5", "turn": "in", "at": 12},
                {"event": "wish", "rank": "10", "at": 12.5},
                {"event": "play", "seat": 3, "cards": "R2 R3 R4 R5 R6", "turn": "out"},
                {"event": "pass", "seat": 1, "at": 0},
                {"event": "collect", "seat": 3, "at": 99.75},
                {"event": "gift", "to": 1, "at": 100, "_note": "Dragon"},
                {"event": "call", "seat": 2, "call": "tichu", "at": 101},
                {"event": "wish", "rank": "?13"},
                {"event": "wish", "rank": "?"},
                {"event": "unreadable", "text": "(0)", "at": 103},
            ],
            "score": [-100, 225],
            "_comment": "",
            "bsw": {
                "without": ["first8", "dealt", "exchange", "course"],
                "after_result": 1,
                "lines": [
                    {"line": 1, "header": "first8", "dashes": [3, 0]},
                    {"line": 2, "first8": {"seat": 0, "cards": "S2 ?S11", "_": 1}, "encoding": "latin-1"},
                    {"line": 3, "dealt": {"seat": 1, "cards": ""}, "line_end": "crlf"},
                    {"line": 4, "call": {"seat": 1, "call": "grand"}, "name": "Zoé"},
                    {"line": 5, "gift": {"seat": 1, "cards": "S2 S3 S4"}, "names": ["a", "b", "c"]},
                    {"line": 6, "bombs": [3, 0, 3]},
                    {"line": 7, "event": {"event": "pass", "seat": 0}},
                    {"line": 8, "score": [0, 0]},
                    {"line": 9, "blank": True},
                    {"line": 10, "unreadable": ""},
                    {"line": 11, "line_end": "lf", "blanks": [[0, 0], [8000, 8000]], "_": {}},
                ],
            },
        },
    ],
}


def plain() -> dict[str, Any]:
    """A valid document that describes no log, with one round, to be damaged."""
    return {
        "tgr": 1,
        "rounds": [
            {
                "first8": list(HANDS8),
                "dealt": [None] * 4,
                "exchange": ["S2 S3 S4", "B2 B3 B4", "G2 G3 G4", "R2 R3 R4"],
                "events": [
                    {"event": "play", "seat": 0, "cards": "S5 Ph", "phoenix_as": "5"},
                    {"event": "pass", "seat": 1},
                ],
                "score": [100, 0],
            }
        ],
    }


def with_value(pointer: str, value: Any) -> dict[str, Any]:
    """A document with a value at a pointer, whatever is there; steps that are missing are made."""
    document = plain()
    *way, last = pointer.split("/")[1:]
    node: Any = document
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node.setdefault(step, {})
    if isinstance(node, list):
        node[int(last)] = value
    else:
        node[last] = value
    return document


def without(pointer: str) -> dict[str, Any]:
    document = with_value(pointer, None)
    *way, last = pointer.split("/")[1:]
    node: Any = document
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node[step]
    del node[last]
    return document


#: A document, the pointer of what is wrong with it, and words that the message must have.
WRONG: list[tuple[Any, str, list[str]]] = [
    ([], "", ["the document is []", "an object: one game"]),
    (None, "", ["the document is null"]),
    ({}, "/tgr", ['the field "tgr" is missing']),
    ({"tgr": 1}, "/rounds", ['the field "rounds" is missing']),
    ({"tgr": 2, "rounds": 5}, "/tgr", ["this is version 2 of the format", "this program reads version 1"]),
    ({"tgr": "1", "rounds": []}, "/tgr", ['"tgr" is "1"', "the whole number 1"]),
    ({"tgr": True, "rounds": []}, "/tgr", ['"tgr" is true', "the whole number 1"]),
    ({"tgr": 1, "rounds": {}}, "/rounds", ['"rounds" is {}', "an array of rounds"]),
    ({"tgr": 1, "rounds": [], "": 1}, "/", ['there is no field "" here']),
    ({"tgr": 1, "rounds": [], "a/b~c": 1}, "/a~1b~0c", ['there is no field "a/b~c" here', "begin with _"]),
    ({"tgr": 1, "rounds": [], "7": 1}, "/7", ['there is no field "7" here']),
    ({"tgr": 1, "rounds": [], "Player": []}, "/Player", ['did you mean "players"? free fields begin with _']),
    (with_value("/id", "x" * 401), "/id", ["401 characters", "at most 400"]),
    (with_value("/id", 5), "/id", ['"id" is 5', "a text"]),
    (with_value("/source", "here"), "/source", ['"source" is "here"', "an object"]),
    (with_value("/source/link", ""), "/source/link", ['no field "link"']),
    (with_value("/source/url", None), "/source/url", ['"url" is null', "a text"]),
    (with_value("/rules", 1), "/rules", ['"rules" is 1']),
    (with_value("/options", []), "/options", ["an object of options"]),
    (with_value("/options/wish_optional", True), "/options/wish_optional", ['"wish_optional" is true', "a text or a"]),
    (with_value("/options/max_rounds", 10**12), "/options/max_rounds", ["at most nine digits"]),
    (with_value("/options/target", 0), "/options/target", ["points from 1"]),
    (with_value("/options/007", "x"), "/options/007", ["no option", '"007"']),
    (with_value("/options/", 3), "/options/", ["no option", '""']),
    (with_value("/target", -1000), "/target", ['"target" is -1000', "points from 1"]),
    (with_value("/target", 12.5), "/target", ['"target" is 12.5']),
    (with_value("/played_at", "31.12.2024"), "/played_at", ['"31.12.2024"', '"2024-05-31"']),
    (with_value("/played_at", "2024-12-31T10:00"), "/played_at", ["Z or an offset"]),
    (with_value("/played_at", "2024-12-31T10:00Z\n"), "/played_at", ["Z or an offset"]),
    (with_value("/played_at", "2023-02-29"), "/played_at", ["no calendar", "2023-02-29"]),
    (with_value("/played_at", "0000-02"), "/played_at", ["no calendar", "0000-02"]),
    (with_value("/players", ["a", "b", "c"]), "/players", ["3 entries", "four names"]),
    (with_value("/players", ["a", "b", "c", 4]), "/players/3", ['entry 3 of "players" is 4', "a text"]),
    (with_value("/trick_ends", "pass"), "/trick_ends", ['"collect" or "last_pass"']),
    (with_value("/rounds/0", "lost"), "/rounds/0", ['entry 0 of "rounds"', "one round"]),
    (without("/rounds/0/events"), "/rounds/0/events", ['the field "events" is missing']),
    (without("/rounds/0/exchange"), "/rounds/0/exchange", ['the field "exchange" is missing']),
    (with_value("/rounds/0/evnts", []), "/rounds/0/evnts", ['no field "evnts"', 'did you mean "events"?']),
    (with_value("/rounds/0/players", ["a"]), "/rounds/0/players", ["1 entry", "four names"]),
    (with_value("/rounds/0/first8", HANDS8[:3]), "/rounds/0/first8", ["3 entries", "seats 0 to 3"]),
    (with_value("/rounds/0/first8/1", "S2 S1"), "/rounds/0/first8/1", ['"S1" is no card']),
    (with_value("/rounds/0/dealt/0", "SX S2 s3"), "/rounds/0/dealt/0", ['"SX" and "s3" are no cards']),
    (with_value("/rounds/0/dealt/0", "a b c"), "/rounds/0/dealt/0", ['"a" and 2 more words are no cards']),
    (with_value("/rounds/0/dealt/3", ["S2", "S3"]), "/rounds/0/dealt/3", ["or null"]),
    (with_value("/rounds/0/exchange/2", "S2  S3 S4"), "/rounds/0/exchange/2", ["a blank too many"]),
    (with_value("/rounds/0/exchange/2", "S2 S3 S4 "), "/rounds/0/exchange/2", ["a blank too many"]),
    (with_value("/rounds/0/exchange/2", "S2\nS3 S4"), "/rounds/0/exchange/2", ['"S2\\nS3" is no card']),
    (with_value("/rounds/0/exchange/2", "S2 ? S4"), "/rounds/0/exchange/2", ['"?" is no card']),
    (with_value("/rounds/0/calls", [{"seat": 0, "call": "tichu"}]), "/rounds/0/calls/0/when", ['"when" is missing']),
    (
        with_value("/rounds/0/calls", [{"seat": 0, "call": "Tichu", "when": "first8"}]),
        "/rounds/0/calls/0/call",
        ['"call" is "Tichu"', '"tichu" or "grand"'],
    ),
    (
        with_value("/rounds/0/calls", [{"seat": 0, "call": "grand", "when": "later"}]),
        "/rounds/0/calls/0/when",
        ['"before_exchange"'],
    ),
    (with_value("/rounds/0/bombs", [1, 1]), "/rounds/0/bombs", ["each at most once"]),
    (with_value("/rounds/0/bombs", [3, 1]), "/rounds/0/bombs", ["not ascending", "[3,1]"]),
    (with_value("/rounds/0/bombs", ["0"]), "/rounds/0/bombs/0", ['entry 0 of "bombs" is "0"', "a seat"]),
    (with_value("/rounds/0/score", [100]), "/rounds/0/score", ["1 entry", "two whole numbers"]),
    (with_value("/rounds/0/score", [100, None]), "/rounds/0/score/1", ['entry 1 of "score" is null']),
    (with_value("/rounds/0/score", [10**30, 0]), "/rounds/0/score/0", ["at most nine digits"]),
    (with_value("/rounds/0/events/1/seat", 4), "/rounds/0/events/1/seat", ["seat 4 does not exist; seats are 0 to 3"]),
    (with_value("/rounds/0/events/1/seat", -1), "/rounds/0/events/1/seat", ["seat -1 does not exist"]),
    (with_value("/rounds/0/events/1/seat", True), "/rounds/0/events/1/seat", ['"seat" is true', "0, 1, 2 or 3"]),
    (with_value("/rounds/0/events/1/seat", "1"), "/rounds/0/events/1/seat", ['"seat" is "1"']),
    (with_value("/rounds/0/events/1/cards", "S5"), "/rounds/0/events/1/cards", ['no field "cards"']),
    (with_value("/rounds/0/events/1/turn", "in"), "/rounds/0/events/1/turn", ['no field "turn"']),
    (with_value("/rounds/0/events/1/at", -0.5), "/rounds/0/events/1/at", ['"at" is -0.5', "0 or more"]),
    (with_value("/rounds/0/events/1/at", "0:30"), "/rounds/0/events/1/at", ["a number of seconds"]),
    (with_value("/rounds/0/events/1", {"seat": 1}), "/rounds/0/events/1/event", ['"event" is missing']),
    (with_value("/rounds/0/events/1", {"event": "bomb"}), "/rounds/0/events/1/event", ['"event" is "bomb"', '"play"']),
    (with_value("/rounds/0/events/1", None), "/rounds/0/events/1", ['entry 1 of "events" is null']),
    (with_value("/rounds/0/events/1", {"event": "wish", "rank": "1"}), "/rounds/0/events/1/rank", ['"1" is no rank']),
    (with_value("/rounds/0/events/1", {"event": "wish", "rank": 8}), "/rounds/0/events/1/rank", ['"rank" is 8']),
    (with_value("/rounds/0/events/1", {"event": "gift"}), "/rounds/0/events/1/to", ['"to" is missing']),
    (
        with_value("/rounds/0/events/1", {"event": "unreadable", "text": "a\nb"}),
        "/rounds/0/events/1/text",
        ['"a\\nb"', "without a line feed"],
    ),
    (without("/rounds/0/events/0/cards"), "/rounds/0/events/0/cards", ['"cards" is missing']),
    (with_value("/rounds/0/events/0/cards", ""), "/rounds/0/events/0/cards", ["one or more cards"]),
    (with_value("/rounds/0/events/0/turn", 1), "/rounds/0/events/0/turn", ['"in" or "out"']),
    (with_value("/rounds/0/events/0/phoenix_as", "Dr"), "/rounds/0/events/0/phoenix_as", ["no rank"]),
    (with_value("/rounds/0/events/0/phoenix_as", "?5"), "/rounds/0/events/0/phoenix_as", ["no rank"]),
    (with_value("/rounds/0/events/0/cards", "S5 S6"), "/rounds/0/events/0/phoenix_as", ["the Phoenix is not in it"]),
    (with_value("/bsw", True), "/bsw", ['"bsw" is true']),
    (with_value("/bsw/byte_order_mark", False), "/bsw/byte_order_mark", ["should be true"]),
    (with_value("/bsw/line_ends", "cr"), "/bsw/line_ends", ['"crlf"']),
    (with_value("/bsw/without", []), "/bsw/without", ['no field "without"']),
    (with_value("/rounds/0/bsw/line_ends", "crlf"), "/rounds/0/bsw/line_ends", ['no field "line_ends"']),
    (with_value("/rounds/0/bsw/without", ["score"]), "/rounds/0/bsw/without/0", ['"course"']),
    (with_value("/rounds/0/bsw/after_result", 0), "/rounds/0/bsw/after_result", ["1 or more"]),
    (with_value("/rounds/0/bsw/lines", [{}]), "/rounds/0/bsw/lines/0/line", ['"line" is missing']),
    (with_value("/rounds/0/bsw/lines", [{"line": 0}]), "/rounds/0/bsw/lines/0/line", ['"line" is 0', "1 or more"]),
    (
        with_value("/rounds/0/bsw/lines", [{"line": 1, "blank": True, "score": [0, 0]}]),
        "/rounds/0/bsw/lines/0/blank",
        ["says something already", '"blank" is too much'],
    ),
    (
        with_value("/rounds/0/bsw/lines", [{"line": 1, "blanks": [[0]]}]),
        "/rounds/0/bsw/lines/0/blanks/0",
        ['entry 0 of "blanks" has 1 entry'],
    ),
    (
        with_value("/rounds/0/bsw/lines", [{"line": 1, "blanks": [[0, 8001]]}]),
        "/rounds/0/bsw/lines/0/blanks/0/1",
        ['entry 1 of entry 0 of "blanks" is 8001'],
    ),
    (with_value("/rounds/0/bsw/lines", [{"line": 1, "dashes": [1, -1]}]), "/rounds/0/bsw/lines/0/dashes/1", ["-1"]),
    (
        with_value("/rounds/0/bsw/lines", [{"line": 1, "encoding": "utf-16"}]),
        "/rounds/0/bsw/lines/0/encoding",
        ['"latin-1"'],
    ),
    (
        with_value("/rounds/0/bsw/lines", [{"line": 1, "gift": {"seat": 9, "cards": "S2"}}]),
        "/rounds/0/bsw/lines/0/gift/seat",
        ["seat 9 does not exist"],
    ),
    (
        with_value("/rounds/0/bsw/lines", [{"line": 1, "event": {"event": "play", "seat": 0}}]),
        "/rounds/0/bsw/lines/0/event/cards",
        ['"cards" is missing'],
    ),
    ({**plain(), "target": 500, "options": {"target": 1000}}, "/options/target", ["is 1000", "is 500"]),
    (
        {**with_value("/rounds/0/events/1/event", "collect"), "trick_ends": "last_pass"},
        "/rounds/0/events/1",
        ["the last pass ends a trick"],
    ),
    (
        {
            **with_value("/rounds/0/bsw/lines", [{"line": 1, "event": {"event": "collect", "seat": 0}}]),
            "trick_ends": "last_pass",
        },
        "/rounds/0/bsw/lines/0/event",
        ["the last pass ends a trick"],
    ),
]


def test_every_field_and_none() -> None:
    assert faults(FULL) == []
    assert faults(MINIMAL) == []
    assert faults(plain()) == []


def test_the_full_document_has_every_field() -> None:
    found: set[str] = set()

    def collect(value: Any) -> None:
        if isinstance(value, dict):
            found.update(value)
            for inner in value.values():
                collect(inner)
        elif isinstance(value, list):
            for inner in value:
                collect(inner)

    collect(FULL)
    known = {name for rule in DEFS.values() for name in rule.get("properties", ())}
    assert known <= found
    events = {event["event"] for one in FULL["rounds"] for event in one["events"]}
    assert events == set(DEFS["event"]["properties"]["event"]["enum"])


@pytest.mark.parametrize(("document", "pointer", "words"), WRONG)
def test_wrong_documents(document: Any, pointer: str, words: list[str]) -> None:
    by_pointer = {fault.pointer: fault for fault in faults(document)}
    assert pointer in by_pointer
    fault = by_pointer[pointer]
    for word in words:
        assert word in fault.message
    assert fault.expected
    assert 0 < len(fault.found) <= 60
    assert "\n" not in fault.message
    # One thing is wrong with each of these documents (but an object without any field lacks two).
    assert len(by_pointer) == (2 if document == {} else 1)


def test_expected_and_found() -> None:
    assert faults(with_value("/rounds/0/events/1/seat", 4)) == [
        Fault(
            "/rounds/0/events/1/seat", "a seat: 0, 1, 2 or 3", "4", "seat 4 does not exist; seats are 0 to 3"
        )
    ]  # fmt: skip
    (missing,) = faults(without("/rounds/0/events"))
    assert (missing.expected, missing.found) == ("an array of events", "nothing")
    (word,) = faults(with_value("/rounds/0/first8/1", "S2 S1"))
    assert word.found == '"S1"'
    (long,) = faults(with_value("/rules", ["x" * 50] * 50))
    assert len(long.found) == 60
    assert long.found.endswith("…")


def test_found_has_no_hidden_characters() -> None:
    (fault,) = faults(with_value("/trick_ends", "a\u202eb\x9b\u2028"))
    assert fault.found == '"a\\u202eb\\u009b\\u2028"'
    assert "\u202e" not in fault.message
    (fault,) = faults(with_value("/a\u202eb", 1))
    assert "\u202e" not in fault.message


def test_faults_stand_in_the_order_of_the_document_one_a_place() -> None:
    document = {
        "wrong": 1,
        "rounds": [
            {"events": [{"event": "pass", "seat": 9}, 5], "first8": 0, "exchange": [None] * 4, "more": 1},
            7,
        ],
        "tgr": 1,
        "players": ["a", 1, "c", "d", "e"],
        "played_at": "2024-13-01",
    }
    assert [fault.pointer for fault in faults(document)] == [
        "/wrong",
        "/rounds/0/events/0/seat",
        "/rounds/0/events/1",
        "/rounds/0/first8",
        "/rounds/0/more",
        "/rounds/1",
        "/players",
        "/played_at",
    ]
    assert [fault.pointer for fault in faults(document, 3)] == [
        "/wrong",
        "/rounds/0/events/0/seat",
        "/rounds/0/events/1",
    ]


@pytest.mark.parametrize(
    ("name", "other"), [("cards", "card"), ("cards", "Cards"), ("seat", "seats"), ("seat", "player")]
)
def test_a_field_under_another_name_is_one_fault(name: str, other: str) -> None:
    event = {"event": "play", "seat": 0, "cards": "S5"}
    event[other] = event.pop(name)
    (fault,) = faults(with_value("/rounds/0/events", [event]))
    assert fault.pointer == f"/rounds/0/events/0/{other}"
    assert f'"{name}"' in fault.message


def test_far_names_are_no_guess() -> None:
    (fault,) = faults(with_value("/rounds/0/events", [{"event": "wish", "rank": "5", "seat": 1}]))
    assert "did you mean" not in fault.message


def test_faults_beside_others_are_seen_too() -> None:
    document = {**with_value("/rounds/0/events/0/cards", "S5 S6"), "more": 1}
    assert [fault.pointer for fault in faults(document)] == ["/rounds/0/events/0/phoenix_as", "/more"]


def test_as_many_faults_as_asked_for() -> None:
    document = {"tgr": 1, "rounds": [{"first8": 1, "dealt": 2, "exchange": 3, "events": [4] * 300}] * 300}
    assert len(faults(document)) == 20
    assert len(faults(document, 1001)) == 1001
    assert [fault.pointer for fault in faults(document, 305)][-2:] == ["/rounds/1/first8", "/rounds/1/dealt"]
    assert len(faults({"tgr": 1, "rounds": [{"exchange": 1}] * 100_000}, 30)) == 30


def test_a_fault_behind_many_entries_is_found() -> None:
    names = ["a"] * 5_000
    document = with_value("/rounds/0/bsw/lines", [{"line": 1, "names": [*names, 5]}])
    assert [fault.pointer for fault in faults(document)] == ["/rounds/0/bsw/lines/0/names/5000"]


def test_only_free_fields_may_be_added_anywhere() -> None:
    """In each object of the full document an unknown name is wrong, and a free one is not looked at."""

    def objects(value: Any, pointer: str) -> list[str]:
        found = []
        if isinstance(value, dict):
            found.append(pointer)
            for name, inner in value.items():
                if not name.startswith("_"):
                    found += objects(inner, f"{pointer}/{name}")
        elif isinstance(value, list):
            for index, inner in enumerate(value):
                found += objects(inner, f"{pointer}/{index}")
        return found

    places = objects(FULL, "")
    assert len(places) > 35
    for pointer in places:
        document = copy.deepcopy(FULL)
        node: Any = document
        for step in pointer.split("/")[1:]:
            node = node[int(step)] if isinstance(node, list) else node[step]
        node["_free"] = [{"tgr": 2}, None, 1e300]
        assert faults(document) == []
        node["Wrong"] = None
        assert [fault.pointer for fault in faults(document)] == [f"{pointer}/Wrong"]


def test_each_card_and_rank() -> None:
    german = ["SB", "BD", "Hu"]
    for code in [*CARD_CODES[:-1], *german, "?S11", "??", "?é"]:
        assert faults(with_value("/rounds/0/first8/0", code)) == []
        assert faults(with_value("/rounds/0/first8/0", f"S2 {code} S3")) == []
    for code in ["s5", "S11", "S0", "S5.", "5S", "MA", "ma", "S", "10", "?", "S5,S6", "S5\u00a0S6", "\tS5", "S5\r"]:
        assert [fault.pointer for fault in faults(with_value("/rounds/0/first8/0", code))] == ["/rounds/0/first8/0"]
    for rank in [*(str(number) for number in range(2, 11)), *"JQKABD"]:
        assert faults(with_value("/rounds/0/events/0/phoenix_as", rank)) == []
        assert faults(with_value("/rounds/0/events/1", {"event": "wish", "rank": rank})) == []


@pytest.mark.parametrize(
    "text",
    ["2024", "2024-05", "2024-05-31", "2024-05-31T00:00Z", "2024-05-31T23:59:59-11:30", "2024-05-31T23:59:59.123456Z"],
)
def test_times(text: str) -> None:
    assert faults(with_value("/played_at", text)) == []


def test_the_schema_is_a_schema() -> None:
    assert SCHEMA["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert jsonschema_rs.meta.is_valid(SCHEMA)
    assert DEFS["game"]["properties"]["tgr"]["const"] == VERSION
    # Any program can use it: nothing but the file itself is referred to.
    assert jsonschema_rs.Draft202012Validator(SCHEMA).is_valid(FULL)
    assert not jsonschema_rs.Draft202012Validator(SCHEMA).is_valid({"tgr": 1})


def test_every_rule_says_what_is_expected() -> None:
    def look(rule: Any) -> None:
        if not isinstance(rule, dict):
            return
        deciding = set(rule) & {"type", "enum", "const", "pattern", "minimum", "required", "not", "items"}
        assert not deciding or rule.get("description"), rule
        assert "$ref" not in rule or rule["$ref"].rpartition("/")[2] in DEFS
        inner = [*rule.get("properties", {}).values(), rule.get("items")]
        inner += [one["then"] for one in rule.get("allOf", ())]
        for one in inner:
            look(one)

    for rule in DEFS.values():
        look(rule)
        if rule.get("type") == "object" and "allOf" not in rule:
            assert rule["additionalProperties"] is False
            assert rule["patternProperties"]["^_"] is True


def test_the_layout_knows_every_field() -> None:
    assert tuple(DEFS["game"]["properties"]) == layout._GAME
    assert tuple(DEFS["game"]["properties"]["source"]["properties"]) == layout._SOURCE
    assert tuple(DEFS["round"]["properties"]) == layout._ROUND
    assert tuple(DEFS["call"]["properties"]) == layout._CALL
    assert tuple(DEFS["line"]["properties"]) == layout._LINE
    assert set(layout._LOG) == {*DEFS["game_bsw"]["properties"], *DEFS["round_bsw"]["properties"]}
    kinds = [rule["properties"] for name, rule in DEFS.items() if name.startswith("event_")]
    assert set(layout._EVENT) == {name for names in kinds for name in names}
    for names in kinds:
        order = [layout._EVENT.index(name) for name in names]
        assert order == sorted(order)


NAMES = sorted({name for rule in DEFS.values() for name in rule.get("properties", ())} | {"_", "", "0", "x/~"})
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.sampled_from(["", "S5", "play"])
VALUES = st.recursive(
    SCALARS | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=15,
)


def paths(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    found = [path]
    if isinstance(value, dict):
        for name, inner in value.items():
            found += paths(inner, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            found += paths(inner, (*path, index))
    return found


def leads_somewhere(document: Any, pointer: str) -> bool:
    node = document
    for part in pointer.split("/")[1:]:
        step = part.replace("~1", "/").replace("~0", "~")
        if isinstance(node, dict) and step in node:
            node = node[step]
        elif isinstance(node, list) and step.isdecimal() and int(step) < len(node):
            node = node[int(step)]
        else:
            return False
    return True


def check_faults(document: Any) -> None:
    found = faults(document, 1_000)
    assert bool(found) or jsonschema_rs.Draft202012Validator(SCHEMA).is_valid(document)
    for fault in found:
        place = fault.pointer.rpartition("/")[0] if fault.found == "nothing" else fault.pointer
        assert leads_somewhere(document, place)
        assert leads_somewhere(document, fault.pointer) == (fault.found != "nothing")
        assert fault.message
        assert fault.expected
        assert len(fault.found) <= 60
    assert len({fault.pointer for fault in found}) == len(found)
    assert faults(document, 2) == found[:2]


@given(document=VALUES)
def test_any_document_gets_an_answer(document: Any) -> None:
    check_faults(document)
    if isinstance(document, dict):
        check_faults({**document, "tgr": 1, "rounds": [document]})


@given(data=st.data())
def test_a_value_changed_anywhere_gets_an_answer(data: st.DataObject) -> None:
    document = copy.deepcopy(FULL)
    path = data.draw(st.sampled_from(paths(document)[1:]))
    node: Any = document
    for step in path[:-1]:
        node = node[step]
    if data.draw(st.booleans()):
        node[path[-1]] = data.draw(VALUES)
    else:
        del node[path[-1]]
    check_faults(document)


def test_deep_free_fields_are_not_looked_at() -> None:
    deep: list[Any] = []
    for _ in range(5_000):
        deep = [deep]
    assert faults({**plain(), "_deep": deep}) == []
    found = faults({**plain(), "_deep": deep, "rules": 5})
    assert [fault.pointer for fault in found] == ["/rules"]
    assert faults({**plain(), "rules": deep}) != []


def test_no_json_at_all() -> None:
    document: dict[Any, Any] = {"tgr": 1, "rounds": [], 5: 5}
    (fault,) = faults(document)
    assert "no JSON value" in fault.message
    assert faults({"tgr": 1, "rounds": [object()]}) != []
