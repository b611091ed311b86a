"""The pages about formats: their examples are what they say they are, and say of the tool what it really does."""

from __future__ import annotations

import contextlib
import copy
import gzip
import inspect
import io
import json
import os
import random
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema_rs import Draft202012Validator
from typer import Exit

import tichu_analytics as ta
from tests.conftest import ROOT
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats import bsw, registry, tgr
from tichu_analytics.formats.tgr.convert import document_of_game, log_of_document
from tichu_analytics.formats.tgr.layout import pretty
from tichu_analytics.formats.tgr.reader import describes_log, read_game
from tichu_analytics.formats.tgr.schema import faults
from tichu_analytics.formats.tgr.text import parse
from tichu_analytics.formats.tgr.to_log import CONTENT, write_log
from tichu_analytics.record import EventKind, Result, Round
from tichu_analytics.record.model import NO_SEAT
from tichu_analytics.record.notation import CARD_CODES
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import rule_set_names
from tichu_analytics.tables.schema import TABLES
from tichu_cli.check import command

TEXT = (ROOT / "docs" / "tgr.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
SCHEMA_FILE = ROOT / "tichu_analytics" / "formats" / "tgr" / "tgr-1.schema.json"
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
DEFS = SCHEMA["$defs"]

HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)


def fences(text: str, info: str) -> list[str]:
    """The blocks with an info string, as they stand."""
    return re.findall(rf"^```{re.escape(info)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def infos(text: str) -> set[str]:
    return {info for info in re.findall(r"^```(.*)$", text, re.MULTILINE) if info}


def section(title: str, text: str = TEXT) -> str:
    """What stands below a heading, up to the next one."""
    parts = HEADING.split(text)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return found[title]


def tables(text: str) -> list[list[list[str]]]:
    """The tables in a text: rows of cells, the heading first, without the row of dashes."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in block.splitlines()]
        found.append([rows[0], *rows[2:]])
    return found


def code(cell: str) -> str:
    """The text of the first code span in a cell."""
    match = re.search(r"`([^`]*)`", cell)
    assert match is not None, cell
    return match[1]


SMALL, WHOLE = fences(TEXT, "json record")


def said(data: bytes) -> list[str]:
    """What a check of one record says, as on the page."""
    found = replay(read_game(data, "x", "x"))
    return [f"{one.code} {one.name}: {one.message}" for one in found.findings]


# Examples -------------------------------------------------------------------------------------------------------------


def test_every_kind_of_block_is_looked_at() -> None:
    assert infos(TEXT) == {"json record", "json round", "json event", "text", "python"}
    assert infos(FORMATS) == {"text evening.mini", "python"}


@pytest.mark.parametrize("text", [SMALL, WHOLE], ids=["smallest", "whole-round"])
def test_whole_records(text: str) -> None:
    document = parse(text)
    assert faults(document) == []
    assert Draft202012Validator(SCHEMA).is_valid(document)
    assert not describes_log(document)
    assert pretty(document) == text
    game = tgr.loads(text)
    found = replay(game)
    assert found.findings == ()
    assert found.rounds and all(one.complete for one in found.rounds)
    assert document_of_game(game) == document
    assert tgr.dumps(game) == text


def test_the_smallest_record_has_what_has_to_be_there_and_nothing_else() -> None:
    document = json.loads(SMALL)
    assert sorted(document) == sorted(DEFS["game"]["required"])
    assert all(sorted(one) == sorted(DEFS["round"]["required"]) for one in document["rounds"])
    assert all(event.keys() <= {"event", "seat", "cards"} for event in document["rounds"][0]["events"])
    found = replay(tgr.loads(SMALL))
    assert found.rounds[0].double_victory == 0
    assert found.totals == (200, 0)


def test_the_whole_round_has_all_that_can_happen() -> None:
    (one,) = json.loads(WHOLE)["rounds"]
    assert {event["event"] for event in one["events"]} == {*DEFS["event"]["properties"]["event"]["enum"]} - {
        "unreadable"
    }
    fields = {name for event in one["events"] for name in event}
    assert fields >= {"phoenix_as", "turn", "at"}
    assert {"calls", "bombs", "score"} <= one.keys()
    found = replay(tgr.loads(WHOLE)).rounds[0]
    assert found.finish[0] == 0
    assert found.score == tuple(one["score"]) == (95 + 100, 5 - 100)
    assert sorted(call.seat for call in found.calls if call is not None) == [0, 1]
    assert any(move.bomb for trick in found.tricks for move in trick.moves)
    assert any(trick.dragon_to is not None for trick in found.tricks)


def test_parts_of_records() -> None:
    parts = fences(TEXT, "json event")
    assert len(parts) >= 4
    event = Draft202012Validator({**SCHEMA, "$ref": "#/$defs/event"})
    for part in parts:
        value = parse(part)
        assert event.is_valid(value), part
        assert faults({"tgr": 1, "rounds": [{**json.loads(SMALL)["rounds"][0], "events": [value]}]}) == []


def test_all_json_in_the_tables_parses() -> None:
    spans = re.findall(r"`([\[{][^`]*[\]}])`", TEXT)
    assert len(spans) > 25
    wrong = section("Common mistakes")
    for span in spans:
        if f"`{span}`" not in wrong:
            parse(span)


def test_what_the_page_says_of_the_text() -> None:
    small = json.loads(SMALL)
    for text in (
        "\ufeff" + SMALL,
        SMALL.replace('"seat": 1', '"seat": 1.0'),
        SMALL.replace('"seat": 1', '"seat": 1e0'),
    ):
        assert tgr.loads(text).document == small
        assert said(text.encode()) == []
    backwards = {name: small[name] for name in reversed(small)}
    assert said(json.dumps(backwards).encode()) == []
    free = {**small, "_x": {"seat": [None, 9.5]}, "_": "ж\u202e"}
    free["rounds"] = [{**small["rounds"][0], "_moves": 9}]
    assert json.loads(tgr.dumps(tgr.loads(json.dumps(free)))) == free
    assert tgr.loads(json.dumps(free)).rounds[0].events == tgr.loads(SMALL).rounds[0].events
    for levels, codes in ((199, []), (200, ["T040"])):
        deep = SMALL.rstrip()[:-1] + ', "_deep": ' + "[" * levels + "]" * levels + "}"
        assert [message[:4] for message in said(deep.encode())] == codes


# Fields ---------------------------------------------------------------------------------------------------------------

KINDS = ["play", "pass", "collect", "wish", "gift", "call", "unreadable"]


class Field(NamedTuple):
    """A field as a table has it."""

    name: str
    type: str
    required: bool
    meaning: str


def fields(table: list[list[str]]) -> list[Field]:
    head = table[0]
    found = []
    for row in table[1:]:
        cells = dict(zip(head, row, strict=True))
        found.append(
            Field(code(cells["field"]), cells["type"].strip("`"), cells.get("req.") == "yes", cells["meaning"])
        )
    return found


LOG = "For converters: how a log is written"


def described() -> dict[str, list[Field]]:
    """The fields that the page describes, by definition of the schema."""
    found = {
        "game": fields(tables(section("The game"))[0]),
        "game/source": fields(tables(section("The source"))[0]),
        "round": fields(tables(section("A round"))[0]),
        "call": fields(tables(section("Calls"))[0]),
    }
    game, one, *lines = tables(section(LOG))
    found["game_bsw"] = fields(game)
    found["round_bsw"] = fields(one)
    found["line"] = [field for table in lines for field in fields(table)]
    return found


def rule(name: str) -> dict[str, Any]:
    if name == "game/source":
        return DEFS["game"]["properties"]["source"]
    return DEFS[name]


def type_of(value: dict[str, Any]) -> str:
    """The type that a part of the schema asks for, in the word of the page."""
    while True:
        if "type" in value:
            return str(value["type"])
        if "const" in value or "enum" in value:
            one = value["const"] if "const" in value else value["enum"][0]
            return "true" if one is True else "string" if isinstance(one, str) else "integer"
        if value["$ref"] == "#/$defs/event":
            return "object"
        value = DEFS[value["$ref"].rpartition("/")[2]]


@pytest.mark.parametrize("name", sorted(described()))
def test_the_tables_have_the_fields_of_the_schema(name: str) -> None:
    listed, properties = described()[name], rule(name)["properties"]
    assert sorted(field.name for field in listed) == sorted(properties)
    assert {field.name for field in listed if field.required} == {*rule(name).get("required", ())}
    for field in listed:
        assert field.type == type_of(properties[field.name]), field
        assert field.meaning


def test_the_tables_have_the_events_of_the_schema() -> None:
    kinds, listed = tables(section("Events"))
    assert [code(row[0]) for row in kinds[1:]] == KINDS == DEFS["event"]["properties"]["event"]["enum"]
    used = set()
    for kind, required, optional, _ in kinds[1:]:
        schema = DEFS[f"event_{code(kind)}"]
        must, may = re.findall(r"`(\w+)`", required), re.findall(r"`(\w+)`", optional)
        assert {"event", *must} == {*schema["required"]}
        assert sorted(["event", *must, *may]) == sorted(schema["properties"])
        used |= {"event", *must, *may}
    assert sorted(field.name for field in fields(listed)) == sorted(used)
    for field in fields(listed):
        types = {
            type_of(DEFS[f"event_{kind}"]["properties"][field.name])
            for kind in KINDS
            if field.name in DEFS[f"event_{kind}"]["properties"]
        }
        assert types == {field.type}, field


def test_no_object_of_the_schema_is_left_out() -> None:
    objects = {name for name, value in DEFS.items() if value.get("type") == "object"}
    assert objects == {*described()} - {"game/source"} | {"event", "options", "seat_cards"} | {
        f"event_{kind}" for kind in KINDS
    }


@pytest.mark.parametrize("name", sorted(name for name, value in DEFS.items() if value.get("type") == "object"))
def test_free_fields_may_stand_everywhere(name: str) -> None:
    # What an event may have is said for each kind of it.
    assert name == "event" or DEFS[name]["patternProperties"]["^_"] is True


def test_values_that_the_page_names() -> None:
    assert all(f'`"{value}"`' in section("The game") for value in DEFS["game"]["properties"]["trick_ends"]["enum"])
    assert all(f'`"{value}"`' in section("Calls") for value in DEFS["call"]["properties"]["when"]["enum"])
    assert all(f"`{value}`" in section(LOG) for value in DEFS["header"]["enum"])
    played = re.findall(
        r"`(\d{4}[^`]*)`", next(field for field in described()["game"] if field.name == "played_at").meaning
    )
    assert len(played) == 4
    for value in played:
        assert faults({"tgr": 1, "played_at": value, "rounds": []}) == []


# Replay and places ----------------------------------------------------------------------------------------------------


def test_running_numbers_are_the_lines_of_the_log() -> None:
    game = tgr.loads(WHOLE)
    lines = log_of_document(json.loads(WHOLE), game).data.decode().splitlines()
    assert game.places is not None
    assert game.rounds[0].last_line == len(lines)
    for event in game.rounds[0].events:
        pointer = game.places.pointer(event.line)
        assert f"({event.seat})" in lines[event.line - 1] or event.seat < 0
        assert WHOLE.splitlines()[game.places.line(pointer) - 1].strip(" ,") == json.dumps(
            json.loads(WHOLE)["rounds"][0]["events"][int(pointer.rpartition("/")[2])]
        )
    first, last = game.rounds[0].events[0], game.rounds[0].events[-1]
    numbers = re.search(r"Jong's straight is number (\d+) and the Dragon gift number (\d+)", TEXT.replace("\n", " "))
    assert numbers is not None
    assert [first.line, last.line] == [*map(int, numbers.groups())]
    assert f"`game.places.pointer({first.line})` gives\n`{game.places.pointer(first.line)}`" in TEXT
    # An empty list of bombs is an element of the record and no line of the log.
    small = json.loads(SMALL)
    small["rounds"][0]["bombs"] = []
    other = tgr.loads(pretty(small))
    assert other.rounds[0].events[0].line == tgr.loads(SMALL).rounds[0].events[0].line + 1
    written = log_of_document({**small, "trick_ends": "last_pass"}, other).data
    assert written == log_of_document(json.loads(SMALL), tgr.loads(SMALL)).data


def with_events(change: Callable[[list[Any]], list[Any]], **more: Any) -> dict[str, Any]:
    """The whole round with other events."""
    document = {**json.loads(WHOLE), **more}
    one = document["rounds"][0]
    one["events"] = change(one["events"])
    return document


def test_the_two_ways_of_ending_tricks() -> None:
    def shorter(events: list[Any]) -> list[Any]:
        return [event for event in events if event["event"] != "collect"]

    for more in ({"trick_ends": "last_pass"}, {"trick_ends": None}):
        document = with_events(shorter, **more)
        document = {name: value for name, value in document.items() if value is not None}
        found = replay(tgr.loads(pretty(document)))
        assert found.findings == ()
        assert found.totals == replay(tgr.loads(WHOLE)).totals


def late_bomb(events: list[Any]) -> list[Any]:
    """The bomb comes after all others have passed on what lies below it."""
    at = next(index for index, event in enumerate(events) if event.get("turn") == "in")
    passes = [{"event": "pass", "seat": seat} for seat in (0, 1, 2)]
    return [*events[:at], *passes, {**events[at], "turn": "out"}, *events[at + 1 :]]


def test_a_bomb_after_the_last_pass() -> None:
    assert said(pretty(with_events(late_bomb)).encode()) == []
    bare = with_events(
        lambda events: [event for event in late_bomb(events) if event["event"] != "collect"], trick_ends="last_pass"
    )
    (message,) = said(pretty(bare).encode())
    assert message.startswith(BY_NAME["bomb-on-empty-table"].code)


def test_a_rule_set_that_is_asked_for_holds_alone() -> None:
    document = {**json.loads(WHOLE), "target": 150}
    document["rounds"] = 2 * document["rounds"]
    game = tgr.loads(pretty(document))
    assert [one.name for one in replay(game).findings] == ["played-on"]
    assert replay(game, "bsw").findings == ()
    assert replay(game, "bsw").outcome == "unfinished"


def test_what_is_no_finding() -> None:
    document = json.loads(WHOLE)
    for name in ("score", "bombs"):
        del document["rounds"][0][name]
    document["rounds"] *= 2
    document["rounds"][1] = {**document["rounds"][0], "players": ["", "Eva", "", ""]}
    document["rounds"][1]["events"] = [event for event in document["rounds"][0]["events"] if event["event"] != "wish"]
    document["rounds"][1]["events"][3] = {**document["rounds"][1]["events"][3], "at": 1}
    document["rounds"][1]["first8"] = [None] * 4
    assert said(pretty(document).encode()) == []
    document["rounds"][1]["deal_players"] = ["Tom", "Eva", "", ""]
    assert [message.split(":")[0] for message in said(pretty(document).encode())] == ["T030 name-changed"]


@pytest.mark.parametrize(
    ("field", "seats", "expected"),
    [("first8", 4, 0), ("first8", 1, 1), ("first8", 3, 3), ("dealt", 1, 1), ("exchange", 1, 1), ("exchange", 4, 4)],
)
def test_parts_that_are_null_are_valid(field: str, seats: int, expected: int) -> None:
    document = json.loads(WHOLE)
    document["rounds"][0][field][:seats] = [None] * seats
    assert faults(document) == []
    found = [message.split(":")[0] for message in said(pretty(document).encode())]
    assert found == expected * ["T004 part-missing"]


def test_a_round_without_the_first_eight_cards_is_in_the_tables(tmp_path: Path) -> None:
    document = json.loads(WHOLE)
    document["rounds"][0]["first8"] = [None] * 4
    path = tmp_path / "x.tgr.json"
    path.write_text(pretty(document), encoding="utf-8")
    data = ta.export(path, tmp_path / "data")
    assert list(data.sql("select distinct first8 from hands")) == [(0,)]
    assert list(data.sql("select count(*) from moves")) == [(39,)]
    log = log_of_document(document, tgr.loads(pretty(document))).data
    assert [one.name for one in replay(bsw.loads(log)).findings] == ["part-missing"]


def test_the_month_is_that_of_the_date_as_written(tmp_path: Path) -> None:
    path = tmp_path / "x.tgr.json"
    path.write_text(pretty({**json.loads(WHOLE), "played_at": "2019-05-31T23:30:00-05:00"}), encoding="utf-8")
    data = ta.export(path, tmp_path / "data")
    assert list(data.sql("select played_month from games")) == [("201905",)]
    names = {one.name for table in TABLES.values() for one in table.columns}
    assert not names & {"at", "source", "played_at", "played_day", "time"}


def test_a_round_that_was_stopped() -> None:
    (text,) = fences(TEXT, "json round")
    one = parse(text)
    assert Draft202012Validator({**SCHEMA, "$ref": "#/$defs/round"}).is_valid(one)
    last, first = json.loads(WHOLE), json.loads(WHOLE)
    last["rounds"].append(one)
    first["rounds"].insert(0, one)
    for document, severity in ((last, "warning"), (first, "error")):
        assert faults(document) == []
        found = replay(tgr.loads(pretty(document)))
        assert [(finding.name, finding.severity) for finding in found.findings] == [("truncated", severity)]
        assert found.totals == (195, -95)
        assert [one.complete for one in found.rounds].count(False) == 1
    # In the play; with the score that the table wrote down.
    stopped = with_events(lambda events: events[:20])
    assert [message[:4] for message in said(pretty(stopped).encode())] == ["T504"]
    del stopped["rounds"][0]["score"]
    assert [message[:4] for message in said(pretty(stopped).encode())] == ["T010"]


def hands_for(*held: str) -> dict[str, Any]:
    """The deal and the exchange of a round after which each seat holds given cards, in the order of seats."""
    after = [cards.split() for cards in held]
    dealt = [[*cards] for cards in after]
    exchange: list[str] = []
    for seat in range(4):
        given = [after[(seat + step) % 4].pop() for step in (1, 2, 3)]
        for step, card in enumerate(given, 1):
            dealt[(seat + step) % 4].remove(card)
        dealt[seat] += given
        exchange.append(" ".join(given))
    return {"first8": [None] * 4, "dealt": [" ".join(cards) for cards in dealt], "exchange": exchange}


def plays(*acts: str) -> list[dict[str, Any]]:
    """Events, each as the seat and the cards; without cards a pass."""
    found: list[dict[str, Any]] = []
    for act in acts:
        seat, _, cards = act.partition(" ")
        found.append(
            {"event": "play", "seat": int(seat), "cards": cards} if cards else {"event": "pass", "seat": int(seat)}
        )
    return found


def test_a_wish_behind_the_end_of_the_round() -> None:
    straights = "S2 S3 S4 S5 S6 S7 S8 S9 G10 SJ SQ SK SA", "B3 B4 B5 B6 B7 B8 B9 R10 BJ BQ BK"
    held = (
        f"{straights[0]} B2",
        "G2 R2 G3 R3 G4 R4 G5 R5 G6 R6 G7 R7 G8 R8",
        f"{straights[1]} Do Ma Dr",
        "G9 R9 S10 B10 GJ RJ GQ RQ GK RK BA GA RA Ph",
    )
    events = plays(f"2 {straights[1]}", "3", "0", "1", "2 Do", f"0 {straights[0]}", "1", "2", "3", "0 B2", "1", "2 Dr")
    events += [*plays("3", "1"), {"event": "gift", "to": 1}, *plays("2 Ma"), {"event": "wish", "rank": "9"}]
    document = {"tgr": 1, "rounds": [{**hands_for(*held), "events": events}]}
    assert said(pretty(document).encode()) == []
    assert replay(tgr.loads(pretty(document))).totals == (200, 0)


@pytest.mark.parametrize(
    ("rules", "declared", "codes"),
    [
        ("official", None, ["T306"]),
        ("official", "7", ["T306"]),
        ("official", "4", []),
        ("official", "A", ["T304"]),
        ("bsw", None, []),
        ("bsw", "7", ["T306"]),
    ],
)
def test_a_phoenix_that_can_be_read_in_two_ways(rules: str, declared: str | None, codes: list[str]) -> None:
    """On sevens, fours and the Phoenix a full house of sixes: whether it is higher depends on the reading."""
    held = (
        "Ma S7 G7 S4 B4 Ph R2 G2 S2 B2 R3 G3 S3 B3",
        "S6 G6 R6 S8 B8 R4 G4 B6 R5 G5 S5 B5 R7 B7",
        "G8 R8 S9 B9 G9 R9 S10 B10 G10 R10 SJ BJ GJ Do",
        "RJ SQ BQ GQ RQ SK BK GK RK SA BA GA RA Dr",
    )
    events = plays("0 S7 G7 Ph S4 B4", "1 S6 G6 R6 S8 B8")
    if declared is not None:
        events[0]["phoenix_as"] = declared
    document = {"tgr": 1, "rules": rules, "rounds": [{**hands_for(*held), "events": events}]}
    found = [message[:4] for message in said(pretty(document).encode())]
    assert found == [*codes, "T010"]


def test_a_wrong_rank_of_the_phoenix_is_taken_for_none() -> None:
    facts = []
    for change in ({"phoenix_as": "9"}, {}):
        document = json.loads(WHOLE)
        event = document["rounds"][0]["events"][0]
        del event["phoenix_as"]
        event |= change
        found = replay(tgr.loads(pretty(document)))
        assert [finding.code for finding in found.findings] == (["T304"] if change else [])
        facts.append((found.totals, [(trick.cards, trick.points) for trick in found.rounds[0].tricks]))
    assert facts[0] == facts[1]


def test_a_bomb_over_an_open_wish() -> None:
    """Marked in turn an error, marked out of turn nothing, not marked a warning."""
    dealt = [
        "R7 G7 B7 S7 RA G9 G8 S6 R5 G4 R3 B3 G2 S2",
        "Ma GA BA SA RK GK SK BK RQ GQ SQ BQ RJ GJ",
        "Dr Ph Do BJ SJ R10 G10 B10 S10 R9 B9 S9 R8 B8",
        "S8 R6 G6 B6 B5 G5 S5 R4 B4 S4 G3 S3 R2 B2",
    ]
    exchange = ["S2 G2 R3", "RJ GJ RQ", "R8 B8 R9", "G3 S3 R2"]
    # After that Anouk holds RA and the sevens; Bertil leads the Mah Jong and wishes an ace, which only he could play.
    events: list[Any] = [
        {"event": "play", "seat": 1, "cards": "Ma"},
        {"event": "wish", "rank": "A"},
        {"event": "play", "seat": 2, "cards": "BJ"},
        {"event": "pass", "seat": 3},
    ]
    expected = {"in": ["error"], "out": [], None: ["warning"]}
    for mark, severities in expected.items():
        bomb: dict[str, Any] = {"event": "play", "seat": 0, "cards": "R7 G7 B7 S7"}
        if mark is not None:
            bomb["turn"] = mark
        one = {
            "first8": [" ".join(cards.split()[:8]) for cards in dealt],
            "dealt": dealt,
            "exchange": exchange,
            "events": [*events, bomb],
        }
        text = pretty({"tgr": 1, "rules": "official", "rounds": [one]})
        found = [finding for finding in replay(tgr.loads(text)).findings if finding.name != "truncated"]
        assert [finding.severity for finding in found] == severities, (mark, found)


# Mistakes -------------------------------------------------------------------------------------------------------------

ENTRY = re.compile(r"^- \*\*(.+?)\*\* (.+)\\\n  `(T\d{3} .+)`\\\n  (.+)$", re.MULTILINE)
CHANGE = re.compile(r"`(/[^`]*)` (?:is `(.+)`|is (missing)|comes in as `(.+)`)\.")
MISTAKES = ENTRY.findall(section("Common mistakes"))


def changed(pointer: str, value: Any, how: str) -> dict[str, Any]:
    """The whole round with one change."""
    document: Any = json.loads(WHOLE)
    node = document
    *way, last = pointer.split("/")[1:]
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node[step]
    place: Any = int(last) if isinstance(node, list) else last
    if how == "missing":
        del node[place]
    elif how == "in":
        node.insert(place, value)
    else:
        node[place] = value
    return copy.deepcopy(document)


def test_all_mistakes_are_read() -> None:
    assert section("Common mistakes").count("\n- **") == len(MISTAKES) > 25


@pytest.mark.parametrize(("title", "what", "message"), [entry[:3] for entry in MISTAKES], ids=[e[0] for e in MISTAKES])
def test_mistakes(title: str, what: str, message: str) -> None:
    change = CHANGE.fullmatch(what)
    if change is None:
        found = said(code(what).encode())
    else:
        pointer, value, missing, inserted = change.groups()
        how = "missing" if missing else "in" if inserted else "is"
        document = changed(pointer, None if missing else json.loads(value or inserted), how)
        found = said(pretty(document).encode())
    assert found[0] == message
    # One cause, one finding; a fault of the game as a whole may show in several places.
    assert title == "Two ways of ending tricks." or len(found) == 1
    assert all(one.startswith(message[:4]) for one in found)


def test_mistakes_that_show_in_many_places() -> None:
    document = json.loads(WHOLE)
    one = document["rounds"][0]
    held = [{*cards.split()} for cards in one["dealt"]]
    for seat, cards in enumerate(one["exchange"]):
        for step, card in enumerate(cards.split(), 1):
            held[seat].remove(card)
            held[(seat + step) % 4].add(card)
    one["dealt"] = [" ".join(sorted(cards)) for cards in held]
    assert {message[:4] for message in said(pretty(document).encode())} == {"T151", "T102"}
    document = json.loads(WHOLE)
    one = document["rounds"][0]
    del one["bombs"]
    one["exchange"] = [" ".join(reversed(cards.split())) for cards in one["exchange"]]
    assert {message[:4] for message in said(pretty(document).encode())} == {"T301"}
    one["bombs"] = [0]
    found = [message[:4] for message in said(pretty(document).encode())]
    assert {*found} == {"T301", "T103"} and found.count("T301") > 2


def test_the_message_about_another_version() -> None:
    (message,) = said(b'{"tgr": 2, "rounds": [], "something": "new"}')
    assert f"```text\n{message}\n```" in section("Versions")


def test_the_example_of_a_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("garden-17.tgr.json").write_text(pretty(changed("/rounds/0/events/46/seat", 4, "is")), encoding="utf-8")
    Path("friday.tgr.json").write_text(code(MISTAKES[0][1]), encoding="utf-8")
    for title, name in (("Where findings are placed", "garden-17"), ("Common mistakes", "friday")):
        (shown,) = fences(section(title), "text")
        out = io.StringIO()
        with contextlib.redirect_stdout(out), pytest.raises(Exit):
            command([f"{name}.tgr.json"], quiet=True, form="text")
        assert out.getvalue() == shown


def shell(*words: object) -> str:
    """What the command says on standard error, then what it prints."""
    exit_code, text = shell_code(*words)
    assert exit_code == 0, text
    return text


def shell_code(*words: object) -> tuple[int, str]:
    """The exit code too."""
    call = [sys.executable, "-c", "from tichu_cli.main import run; run()", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}", "PYTHONUTF8": "1"}
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", timeout=60, env=env)
    return done.returncode, done.stderr + done.stdout


def test_files_that_do_not_keep_to_their_endings(tmp_path: Path) -> None:
    line = json.dumps(json.loads(WHOLE)) + "\n"
    files = {"a.tgr.jsonl": (WHOLE, 1), "b.tgr.json": (line, 1), "c.tgr.json": (line + line.replace("-17", "-18"), 2)}
    for name, (text, count) in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
        found = [one for one in check_paths([str(tmp_path / name)]) if isinstance(one, CheckedGame)]
        assert [(one.rounds, one.findings) for one in found] == [(1, [])] * count


def test_rows_of_a_record_on_a_single_line(tmp_path: Path) -> None:
    path = tmp_path / "x.tgr.json"
    for text, number, told in ((json.dumps(json.loads(WHOLE)), 19, True), (WHOLE, 34, False)):
        path.write_text(text, encoding="utf-8")
        shown = shell("show", path)
        assert ("running numbers" in shown) == told
        assert re.search(rf"^ +{number}  2 Carla +.*Ph", shown, re.MULTILINE), shown


def test_what_convert_says_and_does(tmp_path: Path) -> None:
    record = tmp_path / "garden-17.tgr.json"
    record.write_text(pretty({**json.loads(WHOLE), "players": ["An na", "a:b", "x\ty", "Dolf"]}), encoding="utf-8")
    assert "its id is not in the log" in shell("convert", record, tmp_path / "x.tch")
    named = shell("convert", record, tmp_path / "garden-17.tch")
    assert "its id" not in named and "the spelling of 3 names" in named
    shell("convert", record, tmp_path / "records")
    assert (tmp_path / "records" / "201905" / "garden-17.tch").is_file()
    shell("convert", tmp_path / "garden-17.tch", tmp_path / "back.tgr.json")
    back = json.loads((tmp_path / "back.tgr.json").read_text(encoding="utf-8"))
    assert back["players"] == ["An\u00a0na", "a\uff1ab", "x\u00a0y", "Dolf"]
    assert "phoenix_as" not in json.dumps(back)


def test_rule_sets_and_options_that_the_page_names() -> None:
    assert {"official", "bsw"} <= {*rule_set_names()}
    found = tgr.loads(pretty({**json.loads(WHOLE), "options": {"late_tichu": "warn_next_line"}}))
    assert '`{"late_tichu": "warn_next_line"}`' in section("The game")
    assert found.options == (("late_tichu", "warn_next_line"),)


# Fields for converters ------------------------------------------------------------------------------------------------


def with_log(game: dict[str, Any] | None, one: dict[str, Any] | None) -> dict[str, Any]:
    document = json.loads(WHOLE)
    if game is not None:
        document["bsw"] = game
    if one is not None:
        document["rounds"][0]["bsw"] = one
    assert faults(document) == []
    return document


REGULAR = write_log(with_log(None, {})).data


def examples(number: int) -> dict[str, Any]:
    """The examples of a table about the field ``bsw``, by field."""
    head, *rows = tables(section(LOG))[number]
    at = head.index("example")
    found = {code(row[0]): json.loads(code(row[at])) for row in rows}
    assert all(field in example for field, example in found.items())
    return found


def test_examples_of_games_that_describe_logs() -> None:
    found = {field: write_log(with_log(example, None)).data for field, example in examples(0).items()}
    assert found == {
        "byte_order_mark": b"\xef\xbb\xbf" + REGULAR,
        "line_ends": REGULAR.replace(b"\n", b"\r\n"),
        "no_final_line_end": REGULAR[:-1],
        "lines": b"Table 4\n" + REGULAR,
    }


def test_examples_of_rounds_that_describe_logs() -> None:
    lines = REGULAR.splitlines(keepends=True)
    found = {field: write_log(with_log(None, example)).data for field, example in examples(1).items()}
    assert found == {
        "without": REGULAR.replace(b"Schupfen:\n", b""),
        "after_result": b"".join([*lines[:-2], lines[-1], lines[-2]]),
        "lines": b"".join([*lines[:33], b"\n", *lines[33:]]),
    }


ODD_LINES = [row for table in tables(section(LOG))[3:] for row in table[1:]]


@pytest.mark.parametrize("row", ODD_LINES, ids=[code(row[0]) for row in ODD_LINES])
def test_examples_of_odd_lines(row: list[str]) -> None:
    field, example = code(row[0]), json.loads(code(row[-2]))
    shown = code(row[-1]).replace("·", " ")
    assert field in example
    written = write_log(with_log(None, {"lines": [example]}))
    assert written.data != REGULAR
    lines = written.data.split(b"\n")[:-1]
    line = lines[example["line"] - 1]
    assert line.removesuffix(b"\r").decode(example.get("encoding", "utf-8")) == shown
    assert line.endswith(b"\r") == (example.get("line_end") == "crlf")
    is_content = field in CONTENT
    assert len(lines) == REGULAR.count(b"\n") + is_content
    assert (written.pointers[example["line"] - 1] == "/rounds/0/bsw/lines/0") == is_content
    # It comes back from the log in the same words.
    game = read_game(pretty(with_log(None, {"lines": [example]})).encode(), "x", "x")
    assert game.places is not None
    assert "record-invalid" not in [problem.name for problem in game.problems]


def test_contents_and_oddities_are_in_tables_of_their_own() -> None:
    contents, oddities = tables(section(LOG))[3:]
    assert [code(row[0]) for row in contents[1:]] == [*CONTENT]
    assert not {code(row[0]) for row in oddities[1:]} & {*CONTENT}


def test_an_empty_field_makes_a_log() -> None:
    plain, described_one = json.loads(WHOLE), with_log({}, None)
    assert describes_log(described_one) and not describes_log(plain)
    assert said(pretty(described_one).encode()) == []
    blank = {**described_one, "players": ["A B", "", "", ""]}
    (message,) = said(pretty(blank).encode())
    assert message.startswith("T041")
    for event in described_one["rounds"][0]["events"]:
        if event["event"] == "collect":
            event["event"] = "pass"
    assert said(pretty(described_one).encode()) == []
    for name, expected in (("score", "truncated"), ("bombs", "bomb-line-wrong")):
        document = copy.deepcopy(described_one)
        del document["rounds"][0][name]
        found = replay(read_game(pretty(document).encode(), "x", "x"), "bsw").findings
        assert [one.name for one in found] == [expected]


# Python ---------------------------------------------------------------------------------------------------------------


def test_the_python_of_the_page(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = fences(TEXT, "python")
    assert len(blocks) == 2
    Path("garden-17.tgr.json").write_text(pretty(changed("/rounds/0/events/46/seat", 4, "is")), encoding="utf-8")
    exec(compile(blocks[0], "docs/tgr.md", "exec"), {})
    assert capsys.readouterr().out == "rounds/0/events/46/seat 4 is greater than the maximum of 3\n"
    Path("garden-17.tgr.json").write_text(WHOLE, encoding="utf-8")
    exec(compile(blocks[0], "docs/tgr.md", "exec"), {})
    assert capsys.readouterr().out == ""
    exec(compile(blocks[1], "docs/tgr.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert lines[:4] == ["garden-17 ('Anouk', 'Bertil', 'Carla', 'Dolf')", "(195, -95)", "garden-17", "garden-18"]
    assert lines[4] == '1 /rounds/0/first8 the field "first8" is missing'
    assert len(lines) == 4 + 4 + 2
    assert all(f"# {line}" in blocks[1] for line in (lines[0], lines[1], lines[4]))
    assert lines[-2:] == ["{", '  "tgr":']


def test_the_functions_that_the_page_names() -> None:
    modules = {"tgr": tgr, "bsw": bsw}
    (rows,) = tables(section("In Python"))
    found = [match for row in rows[1:] for match in re.findall(r"`(tgr|bsw)\.(\w+)\(([^`]*)\)`", row[0])]
    assert {f"{module}.{name}" for module, name, _ in found} == {
        f"{module}.{name}"
        for module, names in modules.items()
        for name in names.__all__
        if name[0].islower() and name != "read_game"
    }
    for module, name, arguments in found:
        signature = inspect.signature(getattr(modules[module], name))
        for argument in filter(None, arguments.split(", ")):
            word, _, default = argument.partition("=")
            assert word in signature.parameters
            if default:
                assert repr(signature.parameters[word].default).replace("'", '"') == default.replace("'", '"')


# The README -----------------------------------------------------------------------------------------------------------

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_two_samples_of_the_readme_are_the_same_moment() -> None:
    (log,), (record,) = (fences(README, info) for info in ("text", "json"))
    lines = (ROOT / "sample_logs" / "1001.tch").read_text(encoding="utf-8").splitlines()
    assert log in "\n".join(line.rstrip() for line in lines) + "\n"
    sample = (ROOT / "sample_logs" / "tgr" / "1001.tgr.json").read_text(encoding="utf-8")
    assert record in re.sub(r"^ +", "", sample, flags=re.MULTILINE)
    count = record.count("\n")
    replayed = replay(tgr.loads(sample)).rounds[0].record.events
    game = bsw.loads("\n".join(lines).encode() + b"\n")
    first = next(number for number, line in enumerate(lines, 1) if line.rstrip() == log.splitlines()[0])
    ours = [event for event in game.rounds[0].events if first <= event.line < first + count]
    assert [(one.seat, one.cards) for one in ours] == [
        (one.seat, one.cards) for one in replayed if first <= one.line < first + count
    ]


def test_the_query_of_the_readme(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```\n(\$ tichu export .*?)^```$", README, re.MULTILINE | re.DOTALL)
    _, query, *answer = shown.splitlines()
    sql = re.fullmatch(r'\$ tichu query data "(.*)"', query)
    assert sql is not None
    logs = ROOT / "sample_logs"
    ta.export([*sorted(logs.glob("*.tch")), logs / "games.zip"], tmp_path / "data", tables=["hands"])
    assert shell("query", tmp_path / "data", sql[1]).splitlines() == answer


def test_the_finding_of_the_readme() -> None:
    (shown,) = re.findall(r"^```\n\$ tichu check (.*?)^```$", README, re.MULTILINE | re.DOTALL)
    path, *lines = shown.splitlines()
    out = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(out), pytest.raises(Exit):
        command([path], quiet=True, form="text")
    assert out.getvalue().splitlines() == lines


def test_the_status_of_the_readme() -> None:
    assert f"Version {ta.__version__}, alpha" in README
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    assert "Development Status :: 3 - Alpha" in classifiers
    speed = re.search(r"about ([\d,]+) rounds a second", README)
    row = re.search(r"^\| `check` \| ([\d,]+) \|", (ROOT / "docs" / "performance.md").read_text(encoding="utf-8"), re.M)
    assert speed is not None and row is not None
    told, measured = (int(found[1].replace(",", "")) for found in (speed, row))
    assert abs(told - measured) < 0.05 * measured


# The example format ---------------------------------------------------------------------------------------------------

(EVENING,) = fences(FORMATS, "text evening.mini")
READER, USE = fences(FORMATS, "python")


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the game, after the example has been run there; its format is gone afterwards."""
    before, endings = registry.formats(), registry.endings()
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evening.mini"
    path.write_text(EVENING, encoding="utf-8")
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(READER, "docs/formats.md", "exec"), {})
        assert f"  # {out.getvalue()}" in READER
        yield path
    finally:
        registry.unregister("mini")
        assert registry.formats() == before
        assert registry.endings() == endings


def checked(path: Path | str) -> CheckedGame:
    (one,) = check_paths([str(path)])
    assert isinstance(one, CheckedGame), one
    return one


def test_the_example_reads_the_game(evening: Path) -> None:
    game = registry.by_name("mini").read_game(evening.read_bytes(), "evening.mini", "evening", None, 1)
    found = replay(game)
    assert (found.rules, found.totals, found.findings) == ("official", (200, 0), ())
    # It is the same game as the smallest record.
    other = replay(tgr.loads(SMALL))
    assert [one.score for one in found.rounds] == [one.score for one in other.rounds]
    assert [one.held for one in found.rounds] == [one.held for one in other.rounds]
    assert [[trick.cards for trick in one.tricks] for one in found.rounds] == [
        [trick.cards for trick in one.tricks] for one in other.rounds
    ]


def test_the_example_in_python(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(USE, "docs/formats.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert f"  # {lines[0]}\n" in USE
    assert lines[1].endswith(" 9")
    assert replay(tgr.loads(Path("evening.tgr.json").read_text(encoding="utf-8"))).totals == (200, 0)
    assert "0 findings in 1 game" in shell("check", "evening.tgr.json")
    exit_code, said_of_mini = shell_code("check", "evening.mini")
    assert exit_code == 1 and "T001" in said_of_mini


def test_what_goes_where() -> None:
    """The table about records names what there is, and says of it what a record in order shows."""
    (rows,) = [table for table in tables(section("Adding a format", FORMATS)) if table[0][0] == "in the file"]
    text = "\n".join(row[1] for row in rows)
    kinds = {name for name in vars(EventKind) if name.isupper()}
    assert {*re.findall(r"EventKind\.(\w+)", text)} == kinds
    for name in re.findall(r"`Round\.(\w+)`", text):
        assert name in Round._fields
    assert {"first8", "dealt", "gifts", "calls", "bomb_line", "result"} <= {*re.findall(r"`Round\.(\w+)`", text)}
    assert {*Result._fields} == {"line", "score_0", "score_1", "text"}
    one = tgr.loads(WHOLE).rounds[0]
    by_kind = {event.kind: event for event in reversed(one.events)}
    assert (by_kind[EventKind.WISH].seat, by_kind[EventKind.WISH].value) == (NO_SEAT, 10)
    assert by_kind[EventKind.GIFT].seat == 1
    assert by_kind[EventKind.PLAY].value == 3
    assert (one.calls[0].exchange_begun, one.calls[0].seen) == (False, 0)
    assert one.result is not None and (one.result.score_0, one.result.score_1) == (195, -95)
    assert [CARD_CODES[card] for card in one.dealt[0].cards[:2]] == ["RK", "GK"]  # type: ignore[union-attr]


def test_the_example_is_found_by_content_and_by_name(evening: Path, tmp_path: Path) -> None:
    data = evening.read_bytes()
    (tmp_path / "game.txt").write_bytes(data)
    assert checked(tmp_path / "game.txt").findings == []
    folder = tmp_path / "201905"
    folder.mkdir()
    (folder / "a.mini").write_bytes(data)
    (folder / "b.mini.gz").write_bytes(gzip.compress(data + b"\n"))
    (folder / "c.txt").write_bytes(data)
    found = [one for one in check_paths([str(folder)]) if isinstance(one, CheckedGame)]
    assert [(one.game_id, one.rounds, one.findings) for one in found] == [("a", 1, []), ("b", 1, [])]
    (tmp_path / "odd.mini").write_bytes(b"what is this?\n")
    assert [finding.message for finding in checked(tmp_path / "odd.mini").findings] == ["there is no round"]


def test_without_the_example_its_format_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "evening.mini"
    path.write_text(EVENING, encoding="utf-8")
    assert checked(path).rounds == 0
    with pytest.raises(LookupError):
        registry.by_name("mini")


def test_the_example_finds_what_is_wrong(evening: Path) -> None:
    lines = EVENING.splitlines()

    def with_line(number: int, *texts: str) -> list[tuple[int, str]]:
        changed = [*lines[: number - 1], *texts, *lines[number:]]
        evening.write_text("\n".join(changed) + "\n", encoding="utf-8")
        return [(finding.line, finding.name) for finding in checked(evening).findings]

    numbers = {start: number for number, line in reversed([*enumerate(lines, 1)]) for start in (line[:7], line[:8])}
    hand, play = numbers["dealt 2"], numbers["plays 0"]
    assert with_line(hand, lines[hand - 1] + " S5") == [(hand, "unknown-line")]
    assert with_line(hand, lines[hand - 1].replace("RQ", "RX")) == [(hand, "unknown-line")]
    assert with_line(hand) == [(play - 1, "part-missing")]
    assert with_line(hand, lines[hand - 1].replace("RQ", "SA")) != []
    assert with_line(play, "leads 0") == [(play, "unknown-line")]
    assert with_line(numbers["passes 1"], "passes 4") == [(numbers["passes 1"], "unknown-line")]
    assert with_line(numbers["passes 1"]) != []
    assert with_line(len(lines)) == [(len(lines) - 1, "truncated")]


def test_the_example_never_raises(evening: Path) -> None:
    one = registry.by_name("mini")
    good = evening.read_bytes()
    rng = random.Random(7)
    for _ in range(300):
        data = bytearray(good)
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.randrange(200)]
        elif kind == 2:
            data[at:at] = rng.choice((b"\n", b" ", b"\0", b"round\n", b"\xff", b"9" * 5000, b"passes\n"))
        else:
            rows = bytes(data).split(b"\n")
            rng.shuffle(rows)
            data = bytearray(b"\n".join(rows))
        replay(one.read_game(bytes(data), "x", "x", None, 1))
    for data in (bytearray(), bytearray(rng.randbytes(500)), bytearray(b"MINI 1\nround")):
        replay(one.read_game(bytes(data), "x", "x", None, 1))


def test_the_page_on_formats_names_what_there_is() -> None:
    (rows, *_) = tables(section("Which formats there are", FORMATS))
    assert [code(row[0]) for row in rows[1:]] == [one.name for one in registry.formats()]
    for row, one in zip(rows[1:], registry.formats(), strict=True):
        assert re.findall(r"`(\.[\w.]+)`", row[2]) == [*one.endings]
    words = re.findall(r"`([a-z]+-[a-z-]+)`", section("Adding a format", FORMATS))
    assert words and all(word in BY_NAME for word in words)


@pytest.mark.parametrize("page", ["tgr.md", "formats.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    for link in links:
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / "docs" / name).resolve() if name else ROOT / "docs" / page
        assert target.is_file(), link
        if anchor:
            titles = HEADING.findall(target.read_text(encoding="utf-8"))
            assert anchor in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles], link
