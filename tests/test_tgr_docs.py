"""The specification of TGR: its examples, fields and messages are what the format and the tool have."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from jsonschema_rs import Draft202012Validator
from typer import Exit

from tests.pages import (
    DEFS,
    FORMATS,
    SCHEMA,
    SMALL,
    TEXT,
    WHOLE,
    changed,
    code,
    fences,
    infos,
    said,
    section,
    shell,
    tables,
)
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats import tgr
from tichu_analytics.formats.tgr.convert import document_of_game
from tichu_analytics.formats.tgr.layout import pretty
from tichu_analytics.formats.tgr.reader import describes_log, read_game
from tichu_analytics.formats.tgr.schema import faults
from tichu_analytics.formats.tgr.text import parse
from tichu_analytics.formats.tgr.to_log import CONTENT, write_log
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import rule_set_names
from tichu_cli.check import command

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


# Mistakes -------------------------------------------------------------------------------------------------------------

ENTRY = re.compile(r"^- \*\*(.+?)\*\* (.+)\\\n  `(T\d{3} .+)`\\\n  (.+)$", re.MULTILINE)
CHANGE = re.compile(r"`(/[^`]*)` (?:is `(.+)`|is (missing)|comes in as `(.+)`)\.")
MISTAKES = ENTRY.findall(section("Common mistakes"))


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
