"""Records and logs of strangers that are made, or have become, as bad as can be."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.exporting import heed_the_end_of_the_terminal
from tests.test_cli_convert import GAMES, contents, tichu
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats.ids import distinct_inputs
from tichu_analytics.formats.sources import Input
from tichu_analytics.formats.tgr import loglines, to_log
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.formats.tgr.layout import pretty
from tichu_analytics.formats.tgr.reader import read_game
from tichu_analytics.formats.tgr.schema import faults
from tichu_analytics.formats.walk import UNFINISHED
from tichu_analytics.replay.game import replay

LOGS = list(GAMES.values())
DOCUMENT = document_of_log(LOGS[0], "x")


def said_of(document: Any) -> list[tuple[str, str | None]]:
    found = replay(read_game(json.dumps(document).encode(), "x", "x")).findings
    assert all(len(finding.message) < 700 for finding in found)
    return [(finding.code, finding.pointer) for finding in found]


# What is written out -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("out", ["sub/out.tgr.jsonl", "out.zip", "sub/out.tch"])
def test_what_is_written_is_not_read(tmp_path: Path, out: str) -> None:
    """A file below the folder that is read would be read as well, while it grows or the next time."""
    source = tmp_path / "in"
    (source / "sub").mkdir(parents=True)
    (source / "a.tch").write_bytes(LOGS[0])
    before = contents(source)
    done = tichu(source, source / out)
    assert done.returncode == 2
    assert b"another place" in done.stderr
    assert contents(source) == before


def test_unfinished_files_are_passed_over(tmp_path: Path) -> None:
    for name in ("1.tgr.json", "1.tgr.jsonl", "1.zip", "1.tch"):
        (tmp_path / f"{UNFINISHED}77-{name}").write_bytes(b"half")
    (tmp_path / "good.tch").write_bytes(LOGS[0])
    results = list(check_paths([str(tmp_path)]))
    assert [result.game_id for result in results if isinstance(result, CheckedGame)] == ["good"]
    assert len(results) == 1


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals")
@pytest.mark.parametrize("number", [2, 15, 1, 9])  # Ctrl-C, kill, a terminal that is closed, kill -9
def test_killed_conversions_leave_no_half_file(tmp_path: Path, number: int) -> None:
    source = tmp_path / "in"
    source.mkdir()
    for copy in range(200):
        (source / f"{copy}.tch").write_bytes(LOGS[copy % 3])
    out = tmp_path / "out.tgr.jsonl"
    code = "from tichu_cli.main import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "convert", str(source), str(out)],
        stderr=subprocess.PIPE,
        preexec_fn=heed_the_end_of_the_terminal,
    )
    for _ in range(600):
        if list(tmp_path.glob(f"{UNFINISHED}*")):
            break
        time.sleep(0.05)
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    assert b"Traceback" not in said
    assert process.returncode != 0
    assert not out.exists()
    if number != 9:
        assert process.returncode == 128 + number
        assert [path.name for path in tmp_path.iterdir()] == ["in"]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes")
def test_pipes_and_links_as_output(tmp_path: Path) -> None:
    pipe = tmp_path / "p.tgr.json"
    os.mkfifo(pipe)
    done = tichu("-", pipe, stdin=LOGS[0])
    assert done.returncode == 2
    assert b"no regular file" in done.stderr
    assert pipe.is_fifo()
    target, link = tmp_path / "t.tgr.json", tmp_path / "l.tgr.json"
    target.write_text("old")
    link.symlink_to(target)
    assert tichu("-", link, stdin=LOGS[0]).returncode == 0
    assert link.is_symlink()
    assert target.read_text() != "old"


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    for number in range(60):
        (tmp_path / f"{number}.tch").write_bytes(LOGS[number % 3])
    code = "from tichu_cli.main import run; run()"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "convert", str(tmp_path), "-"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert process.stdout is not None
    process.stdout.read(100)
    process.stdout.close()
    assert process.stderr is not None
    said = process.stderr.read()
    process.stderr.close()
    assert process.wait(60) == 141
    assert said == b""


def test_a_log_that_no_record_can_tell_does_not_take_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tichu_analytics.converting import NotConverted, convert_game

    monkeypatch.setattr(to_log, "_LONGEST_LOG", 1000)
    with pytest.raises(NotConverted, match="more than 1000 characters"):
        convert_game(Input("x", "x", LOGS[0], None), "tgr.json")


def test_what_could_not_be_read_is_not_written_as_a_line(tmp_path: Path) -> None:
    for text in ("(1)Bertil passt.", "Ergebnis: 100 - 0", "---------------Gr.Tichukarten------------------"):
        document = json.loads(json.dumps(DOCUMENT))
        document["rounds"][0]["events"].insert(3, {"event": "unreadable", "text": text})
        done = tichu("-", "-", "--to", "tch", stdin=json.dumps(document).encode())
        assert (done.returncode, done.stdout) == (2, b"")
        assert b"/rounds/0/events/3" in done.stderr


# Records of logs that there cannot be --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ([{"line": 999_999_999, "blank": True}], "there is no line"),
        ([{"line": 3}, {"line": 3}], "twice"),
        ([{"line": 2, "blanks": [[50, 1]]}], "no place 50"),
        ([{"line": 2, "blanks": [[place, 8000] for place in range(8)]}], "8000 characters"),
        ([{"line": 2, "name": "a b"}], "a blank"),
        ([{"line": 2, "name": "x" * 100_000 + " "}], "a blank"),
        ([{"line": 2, "encoding": "latin-1", "name": "\u20ac"}], "latin-1"),
    ],
)
def test_impossible_logs_are_one_finding_at_its_place(lines: list[Any], words: str) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    document["rounds"][0]["bsw"] = {"lines": lines}
    assert faults(document) == []
    found = replay(read_game(pretty(document).encode(), "x", "x")).findings
    assert [finding.code for finding in found] == ["T041"]
    assert words in found[0].message
    assert len(found[0].message) < 400
    assert str(found[0].pointer).startswith("/rounds/0/bsw/lines/")


def test_a_small_record_does_not_ask_for_gigabytes(monkeypatch: pytest.MonkeyPatch) -> None:
    """The size of the log is counted while it is written, also before the first round."""
    written: list[int] = []
    write = loglines.write_line

    def counted(line: Any) -> str:
        text = write(line)
        written.append(len(text))
        return text

    monkeypatch.setattr(to_log, "_LONGEST_LOG", 1_000_000)
    monkeypatch.setattr(to_log, "write_line", counted)
    lines = [{"line": number, "blank": True, "blanks": [[0, 8000]]} for number in range(1, 2000)]
    for document in ({"tgr": 1, "rounds": [], "bsw": {"lines": lines}},):
        assert [code for code, _ in said_of(document)] == ["T041"]
        assert sum(written) < 1_100_000


# Many and long ------------------------------------------------------------------------------------------------------


def test_thousands_of_games_with_one_id(tmp_path: Path) -> None:
    path = tmp_path / "x.tgr.jsonl"
    path.write_text("".join(f'{{"tgr":1,"id":"x","rounds":[],"_n":{number}}}\n' for number in range(30_000)))
    found = list(distinct_inputs([str(path)]))
    remarks = [one for one in found if isinstance(one, str)]
    assert len(remarks) == 1
    assert len(remarks[0]) < 1000
    assert len({one.game_id for one in found if isinstance(one, Input)}) == 30_000


def test_thousands_of_calls_and_rounds() -> None:
    document = json.loads(json.dumps(DOCUMENT))
    calls = [{"seat": 0, "call": "tichu", "when": when} for when in ("after_exchange", "first8") for _ in range(20_000)]
    document["rounds"][0]["calls"] = calls
    assert read_game(json.dumps(document).encode(), "x", "x").rounds
    empty = {"first8": [None] * 4, "dealt": [None] * 4, "exchange": [None] * 4, "events": [], "bsw": {}}
    many = {"tgr": 1, "rounds": [empty] * 20_000}
    assert read_game(json.dumps(many).encode(), "x", "x").rounds


def test_long_values_do_not_fill_messages() -> None:
    long = "x" * 1_000_000
    for change in (
        {"options": {"late_tichu": long}},
        {"options": {f"no_{number}": "x" for number in range(5000)}},
        {long: 1},
        {"rules": long},
        {"played_at": long},
    ):
        found = said_of(DOCUMENT | change)
        assert 0 < len(found) <= 20


@pytest.mark.parametrize("length", [200, 240, 250])
def test_long_ids_stay_valid(tmp_path: Path, length: int) -> None:
    """The name of a file is an id, and so is an id with a hash behind: what is made of them is a valid record."""
    name = "a" * length
    (tmp_path / f"{name}.tch").write_bytes(LOGS[0])
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / f"{name}.tch").write_bytes(LOGS[1])
    lines = tmp_path.parent / f"{tmp_path.name}.tgr.jsonl"
    assert tichu(tmp_path, lines).returncode == 0
    documents = [json.loads(line) for line in lines.read_text().splitlines()]
    assert len(documents) == 2
    assert all(faults(document) == [] and len(document["id"]) > length for document in documents)
    back = tichu(lines, f"{tmp_path.parent / tmp_path.name}-back/")
    assert back.returncode == 0


def test_a_brace_alone_does_not_take_the_games_behind_it(tmp_path: Path) -> None:
    path = tmp_path / "x.tgr.jsonl"
    line = json.dumps(DOCUMENT)
    path.write_text(f"{{\n{line}\n{line.replace(chr(34) + 'x' + chr(34), chr(34) + 'y' + chr(34), 1)}\n")
    results = [result for result in check_paths([str(path)]) if isinstance(result, CheckedGame)]
    assert [result.rounds for result in results] == [0, len(DOCUMENT["rounds"]), len(DOCUMENT["rounds"])]
    assert [finding.code for result in results for finding in result.findings] == ["T040"]


# One fault, one finding ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({"call": [{"seat": 0, "call": "tichu", "when": "first8"}]}, "/rounds/0/call"),
        ({"score": [None]}, "/rounds/0/score"),
        ({"players": [None]}, "/rounds/0/players"),
        ({"bombs": [[]]}, "/rounds/0/bombs/0"),
        ({"": 1}, "/rounds/0/"),
        ({"a/b~c": 1}, "/rounds/0/a~1b~0c"),
        ({"events": None}, "/rounds/0/events"),
    ],
)
def test_one_fault_of_a_round_is_one_finding(change: dict[str, Any], pointer: str) -> None:
    document = json.loads(json.dumps(DOCUMENT))
    if "call" in change:
        document["rounds"][0].pop("calls", None)
    document["rounds"][0] |= change
    assert said_of(document) == [("T041", pointer)]


def test_an_unknown_field_of_any_name_costs_no_event() -> None:
    for name in ("", "x", "a/b", "~", "note"):
        document = json.loads(json.dumps(DOCUMENT))
        document["rounds"][0]["events"][0][name] = 1
        assert [code for code, _ in said_of(document)] == ["T041"]


def test_a_misspelt_phoenix_is_one_finding() -> None:
    document = json.loads(json.dumps(DOCUMENT))
    for one in document["rounds"]:
        for event in one["events"]:
            cards = event.get("cards", "").split(" ")
            if "Ph" in cards and len(cards) > 1:
                event |= {"cards": " ".join(cards).replace("Ph", "ph"), "phoenix_as": "5"}
                assert [code for code, _ in said_of(document)] == ["T041"]
                return
    pytest.fail("the game has no combination with the Phoenix")
