"""What the specification of TGR says of replays and of Python is what the tool does."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema_rs import Draft202012Validator

import tichu_analytics as ta
from tests.pages import SCHEMA, SMALL, TEXT, WHOLE, changed, fences, said, section, tables
from tichu_analytics.formats import bsw, tgr
from tichu_analytics.formats.tgr.convert import log_of_document
from tichu_analytics.formats.tgr.layout import pretty
from tichu_analytics.formats.tgr.schema import faults
from tichu_analytics.formats.tgr.text import parse
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.game import replay
from tichu_analytics.tables.schema import TABLES

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
