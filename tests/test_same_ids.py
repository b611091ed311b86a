"""Several logs with the same id: the same game is checked once, different games get different ids, in any order."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

import tichu_analytics as ta
from tichu_analytics.checking import CheckedGame, Remark, check_paths
from tichu_analytics.formats.sources import Input, log_ids, read_inputs
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.simulate import simulate_games

NAMES = ("a/17.tch", "b/17.tch", "c/17.tch", "d/18.tch")


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    """Two different games and a copy under one id, each with a fault of its own, and a game with another id."""
    texts = [game.text for game in simulate_games(2, 9)]
    for name, text in zip(NAMES, (texts[0], texts[1], texts[0], texts[1]), strict=True):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text(text + "nonsense\n", encoding="utf-8", newline="\n")
    return tmp_path


def new_id(log: Path) -> str:
    return f"{log.stem}~{sha256(log.read_bytes()).hexdigest()[:8]}"


def test_check_in_any_order(logs: Path):
    expected = {new_id(logs / "a/17.tch"), new_id(logs / "b/17.tch"), "18"}
    for order in itertools.permutations(NAMES):
        ends = list(check_paths([str(logs / name) for name in order]))
        games = [end for end in ends if isinstance(end, CheckedGame)]
        assert {game.game_id for game in games} == expected and len(games) == 3
        assert all(finding.game_id == game.game_id for game in games for finding in game.findings)
        assert sum(len(game.findings) for game in games) == 3
        (remark,) = [end for end in ends if isinstance(end, Remark)]
        assert remark.text.startswith("3 logs have the id 17 and not the same content")
        # The paths tell which is which, and the first of two copies is the one that is read.
        copies = [name for name in order if name[0] in "ac"]
        assert str(logs / copies[0]) in {game.path for game in games}


def test_the_command_tells_it_on_stderr(logs: Path, root: Path):
    done = subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", "check", "--format", "json", str(logs)],
        env={"PYTHONPATH": f"{root}:{root / 'cli'}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "3 logs have the id 17" in done.stderr
    *findings, summary = map(json.loads, done.stdout.splitlines())
    assert [finding["game_id"] for finding in findings] == [
        new_id(logs / "a/17.tch"),
        new_id(logs / "b/17.tch"),
        "18",
    ]
    assert summary["games"] == 3


def test_the_python_check_as_well(logs: Path):
    assert len(list(ta.check(logs))) == 3


def test_standard_input_counts_with_the_others(logs: Path):
    copy = io.BytesIO((logs / "a/17.tch").read_bytes())
    ends = list(check_paths(["-", str(logs / "d/18.tch")], stdin=copy))
    assert [end.game_id for end in ends if isinstance(end, CheckedGame)] == ["stdin", "18"]
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as file:
        file.write(logs / "a/17.tch", "1/17.tch")
        file.write(logs / "b/17.tch", "2/17.tch")
    archive.seek(0)
    ends = list(check_paths(["-"], stdin=archive))
    assert {end.game_id for end in ends if isinstance(end, CheckedGame)} == {
        new_id(logs / "a/17.tch"),
        new_id(logs / "b/17.tch"),
    }


def record(log: Path, game_id: str | None) -> bytes:
    """A log as a record on one line."""
    document = document_of_log(log.read_bytes(), game_id or "")
    if game_id is None:
        del document["id"]
    return json.dumps(document).encode()


def test_games_in_one_file_and_in_files_of_several_formats(logs: Path):
    """The id is that of the record, the content is the game's own, wherever it stands."""
    records = [record(logs / "a/17.tch", "17"), record(logs / "b/17.tch", "17"), record(logs / "d/18.tch", "17~x")]
    many = logs / "many.tgr.jsonl"
    many.write_bytes(b"\r\n".join([*records, records[0], record(logs / "a/17.tch", None)]))
    one = logs / "one.tgr.json"
    one.write_bytes(records[0])
    new = {f"17~{sha256(data).hexdigest()[:8]}" for data in (*records[:2], (logs / "a/17.tch").read_bytes())}
    for order in itertools.permutations([many, one, logs / "a/17.tch"]):
        ends = list(check_paths(list(map(str, order))))
        games = [end.game_id for end in ends if isinstance(end, CheckedGame)]
        assert set(games) == {*new, "17~x", "many-5"} and len(games) == 5
        (remark,) = [end for end in ends if isinstance(end, Remark)]
        assert remark.text.startswith("5 logs have the id 17 and not the same content")


def test_records_in_files_that_are_called_logs_have_their_own_ids(logs: Path):
    """Whether on a disk or in an archive, compressed or not: the id in the record counts, and so it does beforehand."""
    data = record(logs / "a/17.tch", "18")
    with zipfile.ZipFile(logs / "e.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("e.tch", data)
    with zipfile.ZipFile(logs / "f.zip", "w") as file:
        file.writestr("f.tch.gz", gzip.compress(data))
    (logs / "g.tch").write_bytes(data)
    (logs / "h.tch.gz").write_bytes(gzip.compress(data))
    for name in ("e.zip", "f.zip", "g.tch", "h.tch.gz"):
        paths = [str(logs / name), str(logs / "d/18.tch")]
        assert list(log_ids(paths)) == ["18", "18"]
        games = [end.game_id for end in check_paths(paths) if isinstance(end, CheckedGame)]
        assert games == [f"18~{sha256(data).hexdigest()[:8]}", new_id(logs / "d/18.tch")]


def test_ids_without_reading_are_those_of_reading(logs: Path, root: Path):
    with zipfile.ZipFile(logs / "all.zip", "w") as file:
        file.write(logs / "a/17.tch", "201402/17.tch")
        file.writestr("201402/readme.txt", "no log")
    (logs / "odd.tch").write_bytes((logs / "all.zip").read_bytes())  # an archive, whatever its name
    (logs / "notes.txt").write_text("no log")
    (logs / "x.tgr.jsonl").write_bytes(b"\n".join([record(logs / "d/18.tch", "a"), b"broken", b'{"id":"b"}']))
    (logs / "y.tgr.json.gz").write_bytes(gzip.compress(record(logs / "d/18.tch", None)))
    with zipfile.ZipFile(logs / "z.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for name in ("x.tgr.jsonl", "y.tgr.json.gz", "d/18.tch"):
            file.write(logs / name, name)
        file.writestr("w.tch", b"x" * 100_000)
    for paths in ([str(logs)], [str(root / "sample_logs"), str(logs / "all.zip"), str(logs / "missing")]):
        read = [one.game_id for one in read_inputs(paths) if isinstance(one, Input)]
        assert sorted(log_ids(paths)) == sorted(read)
