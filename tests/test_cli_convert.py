"""``tichu convert``: what it writes, what it says, and what it leaves behind when something goes wrong."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tichu_analytics.outputs import file_name
from tichu_analytics.simulate.series import simulate_series

GAMES = {one.game_id: one.text.encode() for one in simulate_series(3, 21)}


def tichu(*args: object, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    """Runs the command in a process of its own."""
    code = "from tichu_cli.main import run; run()"
    return subprocess.run(
        [sys.executable, "-c", code, "convert", *map(str, args)], input=stdin, capture_output=True, check=False
    )


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    for number, (name, data) in enumerate(GAMES.items()):
        home = folder / f"20140{number + 1}"
        home.mkdir(parents=True)
        (home / f"{name}.tch").write_bytes(data)
    return folder


def contents(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_there_and_back_in_every_shape(logs: Path, tmp_path: Path) -> None:
    """Folder, lines, zip and folder again, with the months, packed or not: the bytes are those of the beginning."""
    chain = ["a.tgr.jsonl", "b.zip", "c.tgr.jsonl.zst", "d.tgr.jsonl.gz", "e/"]
    source = logs
    for name in chain:
        target = tmp_path / name
        done = tichu(
            source, f"{target}/" if name.endswith("/") else target, *(["--to", "tgr.json"] if name == "b.zip" else [])
        )
        assert done.returncode == 0, done.stderr.decode()
        assert b"3 games written" in done.stderr
        assert done.stdout == b""
        source = target
    assert contents(source) == contents(logs)
    assert list(members(tmp_path / "b.zip")) == [name.replace(".tch", ".tgr.json") for name in contents(logs)]


def test_one_game_to_a_file_and_to_standard_output(logs: Path, tmp_path: Path) -> None:
    name, data = next(iter(GAMES.items()))
    log = logs / "201401" / f"{name}.tch"
    record = tmp_path / "x.tgr.json"
    assert tichu(log, record).returncode == 0
    assert json.loads(record.read_bytes())["played_at"] == "2014-01"
    done = tichu(log, "-")
    assert done.returncode == 0
    assert done.stderr == b""
    assert json.loads(done.stdout) == json.loads(record.read_bytes())
    back = tichu("-", "-", "--to", "tch", stdin=done.stdout)
    assert (back.returncode, back.stdout) == (0, data)


def test_packed_files_do_not_hold_the_time(logs: Path, tmp_path: Path) -> None:
    for name in ("a.tgr.jsonl.gz", "b.tgr.jsonl.gz"):
        assert tichu(logs, tmp_path / name).returncode == 0
    assert (tmp_path / "a.tgr.jsonl.gz").read_bytes() == (tmp_path / "b.tgr.jsonl.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.tgr.jsonl.gz").read_bytes()).count(b"\n") == 3


def test_several_games_do_not_go_into_a_file_for_one(logs: Path, tmp_path: Path) -> None:
    for name in ("x.tch", "x.tgr.json"):
        done = tichu(logs, tmp_path / name)
        assert done.returncode == 2
        assert b"more than one game" in done.stderr
        assert b"folder" in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"logs"}


@pytest.mark.parametrize(
    ("out", "args", "words"),
    [
        ("x.json", [], "names no format"),
        ("x.gz", [], "names no format"),
        ("x.jsonl", [], "names no format"),
        ("x.csv", [], "names no format"),
        ("x.tch", ["--to", "tgr.json"], "another ending"),
        ("x", ["--to", "tgr.jsonl"], "single file"),
        ("logs", [], "itself"),
        ("logs/deeper", [], "itself"),
        ("x", ["--to", "csv"], "--to"),
    ],
)
def test_wrong_use(logs: Path, tmp_path: Path, out: str, args: list[str], words: str) -> None:
    before = contents(tmp_path)
    done = tichu(logs, tmp_path / out, *args)
    assert done.returncode == 2
    assert words in done.stderr.decode()
    assert b"Traceback" not in done.stderr
    assert contents(tmp_path) == before


def test_a_file_is_not_converted_into_itself(tmp_path: Path) -> None:
    record = tmp_path / "x.tgr.json"
    assert tichu("-", record, stdin=next(iter(GAMES.values()))).returncode == 0
    before = record.read_bytes()
    done = tichu(record, record)
    assert done.returncode == 2
    assert record.read_bytes() == before


def test_what_is_left_out_is_told(tmp_path: Path) -> None:
    name, data = next(iter(GAMES.items()))
    record = tmp_path / "x.tgr.json"
    assert tichu("-", record, stdin=data).returncode == 0
    document = json.loads(record.read_bytes())
    document |= {"_club": "Nord", "played_at": "2020-05-06T20:00Z", "rules": "official", "target": 1000}
    plays = [event for one in document["rounds"] for event in one["events"] if event["event"] == "play"]
    plays[0]["at"], plays[1]["at"], plays[0]["turn"], plays[1]["_note"] = 1.5, 3, "in", "hm"
    del document["rounds"][0]["score"]
    record.write_text(json.dumps(document))
    done = tichu(record, tmp_path / "x.tch")
    assert done.returncode == 0
    said = done.stderr.decode()
    for words in (
        "left out:",
        "2 times of events and calls",
        "1 mark that a play was in or out of turn",
        "the rule set official",
        "the field target",
        "the time of the game",
        "2 free fields",
        "added: the result of 1 round, as replayed",
    ):
        assert words in said, words
    assert (tmp_path / "x.tch").read_bytes() == data
    quiet = tichu(record, tmp_path / "y.tch", "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, b"")
    assert name


def test_unknown_fields_survive_from_record_to_record(tmp_path: Path) -> None:
    record = tmp_path / "x.tgr.json"
    assert tichu("-", record, stdin=next(iter(GAMES.values()))).returncode == 0
    document = json.loads(record.read_bytes())
    document["_a"] = {"b": [1, None, "ü\u202e"]}
    document["rounds"][0]["_c"] = 1.25
    document["rounds"][0]["events"][3]["_d"] = "e"
    record.write_text(json.dumps(document))
    assert tichu(record, tmp_path / "y.tgr.jsonl").returncode == 0
    assert tichu(tmp_path / "y.tgr.jsonl", tmp_path / "z.tgr.json").returncode == 0
    assert json.loads((tmp_path / "z.tgr.json").read_bytes()) == document


def test_bad_games_do_not_take_the_good_ones_with_them(tmp_path: Path) -> None:
    lines = tmp_path / "x.tgr.jsonl"
    whole = tmp_path / "all.tgr.jsonl"
    folder = tmp_path / "in"
    folder.mkdir()
    for name, data in GAMES.items():
        (folder / f"{name}.tch").write_bytes(data)
    assert tichu(folder, whole).returncode == 0
    good = whole.read_bytes().splitlines(keepends=True)
    lines.write_bytes(good[0] + b'{"tgr": 1, "id": "bad"\n' + good[1].replace(b'"Ma', b'"Mx', 1) + good[2])
    done = tichu(lines, tmp_path / "out/")
    assert done.returncode == 2
    said = done.stderr.decode()
    assert "line 2" in said
    assert re.search(r"line 3: .*Mx.* \(at /rounds/[0-9]+/", said)
    assert set(contents(tmp_path / "out")) == {f"{name}.tch" for name in (next(iter(GAMES)), list(GAMES)[2])}
    assert tichu(tmp_path / "nothing.tch", tmp_path / "n.tgr.json").returncode == 2
    assert not (tmp_path / "n.tgr.json").exists()


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("An na", "An\u00a0na"),
        ("a:b", "a\uff1ab"),
        ("a\nb", "a\u00a0b"),
        ("\u202egnp.exe", "\u202egnp.exe"),
        ("\t", "\u00a0"),
    ],
)
def test_names_that_a_log_cannot_hold(tmp_path: Path, name: str, written: str) -> None:
    """They are written otherwise, which is told; the game is not lost for it."""
    record = tmp_path / "x.tgr.json"
    assert tichu("-", record, stdin=next(iter(GAMES.values()))).returncode == 0
    document = json.loads(record.read_bytes())
    document["players"][0] = name
    record.write_text(json.dumps(document))
    done = tichu(record, tmp_path / "x.tch")
    said = done.stderr.decode()
    assert done.returncode == 0
    assert "\u202e" not in said
    assert f"(0){written} " in (tmp_path / "x.tch").read_bytes().decode()
    assert ("the spelling of 1 name" in said) == (name != written)


def test_a_file_without_any_round_is_kept_and_told(tmp_path: Path) -> None:
    done = tichu("-", tmp_path / "x.tgr.json", stdin=b"no log\n\0\n")
    assert done.returncode == 0
    assert b"no round of Tichu" in done.stderr
    assert tichu(tmp_path / "x.tgr.json", "-", "--to", "tch").stdout == b"no log\n\0\n"


IDS = [
    "../../x",
    "",
    "a/b",
    "C:\\x",
    ".hidden",
    "-rf",
    "nul",
    "COM1.txt",
    "ü",
    "x" * 400,
    "a\x00b",
    "\u202e",
    "A",
    "a",
    "a.",
    "%41",
]


def test_ids_become_names_of_files(tmp_path: Path) -> None:
    """No id writes outside of the folder, and no two games get the same file."""
    lines = []
    for number, game_id in enumerate(IDS):
        document = {"tgr": 1, "id": game_id[:200], "players": [str(number)] * 4, "rounds": []}
        lines.append(json.dumps(document))
    source = tmp_path / "ids.tgr.jsonl"
    source.write_text("\n".join(lines))
    done = tichu(source, tmp_path / "deep" / "out/", "--to", "tgr.json")
    assert b"Traceback" not in done.stderr
    found = contents(tmp_path)
    found.pop("ids.tgr.jsonl")
    assert all(name.startswith("deep/out/") and name.count("/") == 2 for name in found)
    assert len({name.lower() for name in found}) == len(found)


@pytest.mark.parametrize("game_id", IDS)
def test_names_of_files_are_plain(game_id: str) -> None:
    name = file_name(game_id)
    assert name.isascii() and name
    assert not set(name) & set('/\\:*?"<>|\0 \n')
    assert name[0] not in ".-~" and name[-1] != "."
    assert len(name) <= 120
    assert name.split(".")[0].lower() not in ("nul", "com1")


def test_two_games_of_one_id_get_two_files(tmp_path: Path) -> None:
    source = tmp_path / "in"
    for folder, data in zip(("a", "b"), GAMES.values(), strict=False):
        (source / folder).mkdir(parents=True)
        (source / folder / "1.tch").write_bytes(data)
    done = tichu(source, tmp_path / "out.zip")
    assert done.returncode == 0
    assert b"the id 1" in done.stderr
    names = list(members(tmp_path / "out.zip"))
    assert len(names) == 2
    assert all(name.startswith("1~") for name in names)


def test_a_place_that_is_taken(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = tichu("-", tmp_path / "file" / "x.tgr.json", stdin=next(iter(GAMES.values())))
    assert done.returncode == 2
    assert b"cannot write" in done.stderr
    assert b"Traceback" not in done.stderr
    assert {path.name for path in tmp_path.iterdir()} == {"file"}


def test_a_record_of_a_tricks_last_passes_becomes_a_log(tmp_path: Path) -> None:
    name, data = list(GAMES.items())[1]
    record = tmp_path / "x.tgr.json"
    assert tichu("-", record, stdin=data).returncode == 0
    document = json.loads(record.read_bytes())
    del document["trick_ends"]
    for one in document["rounds"]:
        one["events"] = [event for event in one["events"] if event["event"] != "collect"]
    record.write_text(json.dumps(document))
    done = tichu(record, tmp_path / "x.tch")
    assert done.returncode == 0
    assert "lines for the taking of tricks" in done.stderr.decode()
    assert (tmp_path / "x.tch").read_bytes() == data
    assert name
