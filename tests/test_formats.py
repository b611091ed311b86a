"""What tells formats apart, and files with a game on each line."""

from __future__ import annotations

import gzip
import io
import json
import random
import subprocess
import sys
import tracemalloc
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

import tichu_analytics as ta
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats import registry
from tichu_analytics.formats.content import Content
from tichu_analytics.formats.inflate import Refused
from tichu_analytics.formats.registry import by_name, format_of, own_id
from tichu_analytics.formats.sources import (
    DEFAULT,
    Input,
    Limits,
    Trouble,
    keep_standard_input,
    log_ids,
    read_inputs,
)
from tichu_analytics.simulate import simulate_games

LOG = b"---------------Gr.Tichukarten------------------\n(0)Anouk Ma Hu Ph Dr S2 S3 S4 S5\n"
BOM = b"\xef\xbb\xbf"


def record(game_id: str | None = None, **more: object) -> bytes:
    """A small record on one line."""
    known = {"tgr": 1} | ({} if game_id is None else {"id": game_id})
    return json.dumps(known | {"rounds": []} | more).encode()


def read(*paths: Path | str, limits: Limits = DEFAULT) -> list[Input | Trouble]:
    return list(read_inputs(map(str, paths), limits))


def ids(results: list[Input | Trouble]) -> list[str]:
    return [one.game_id for one in results if isinstance(one, Input)]


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


# ---------------------------------------------------------------- what tells formats apart


@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        ("1.tch", LOG, "bsw"),
        ("1.tch", b"noise\n" + LOG[60:] + b"---------------Startkarten------------------", "bsw"),
        ("1.tgr.json", LOG, "bsw"),
        ("1.tgr.jsonl", LOG, "bsw"),
        ("1", LOG, "bsw"),
        ("1.tgr.json", b"{}", "tgr"),
        ("1.tch", b"{}", "tgr"),
        ("1", b'{"tgr":1}', "tgr"),
        ("1", BOM + b' \r\n\t{ \n "tgr": 1}', "tgr"),
        # A record may quote a log.
        ("1.tch", b'{"tgr":1,"rounds":[],"_was":"---------------Gr.Tichukarten------------------"}', "tgr"),
        # Neither: the name decides, and then it is a log.
        ("1.tgr.json", b"", "tgr"),
        ("1.TGR.JSONL.gz", b"garbage", "tgr"),
        ("1.tgr.json.zst", b"{tgr", "tgr"),
        ("1.tch", b"", "bsw"),
        ("1.tch.gz", b"{1", "bsw"),
        ("1.json", b"[]", "bsw"),
        ("-", b"\xff\xfe{\0", "bsw"),
        # Only the beginning counts.
        ("1.tgr.json", b" " * 5000 + LOG, "tgr"),
    ],
)
def test_content_decides_and_then_the_name(name: str, start: bytes, expected: str) -> None:
    assert format_of(name, start).name == expected


@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        ("1.tgr.jsonl", b'{"tgr":1}\n{"tgr":1}\n', True),
        ("1.tgr.jsonl", b'{"tgr":1}', True),
        ("1.TGR.JSONL.GZ", b'\r\n{"tgr":1}', True),
        ("1.tgr.jsonl", b"", True),
        ("1.tgr.jsonl", b'{\n  "tgr": 1\n}\n', False),
        ("1.tgr.jsonl.zst", BOM + b'\n{ \r\n  "tgr": 1\n}\n', False),
        ("1.tgr.json", b'{"tgr":1}\n{"tgr":1}\n', True),
        ("1", b'\n{"tgr":1} \r\n\r\n x', True),
        ("1.tgr.json", b'{"tgr":1}\n', False),
        ("1.tgr.json", b'{"tgr":1}\n \r\n\n', False),
        ("1.tgr.json", b'{"tgr":1}', False),
        ("1.tgr.json", b'{"tgr":1,\n"rounds":[]}\n', False),
        ("1", b'{"tgr":1,"rounds":[' + b" " * 9000, False),
        ("1.tgr.json", b"", False),
    ],
)
def test_whether_a_file_has_a_game_on_each_line(name: str, start: bytes, expected: bool) -> None:
    assert by_name("tgr").many(name, start) is expected
    assert not by_name("bsw").many(name, start)


def test_ids_that_can_be_used() -> None:
    form = by_name("tgr")
    assert own_id(form, record("club 3")) == "club 3"
    for data in (record(), record(""), b'{"id": 5}', b"[]", b"", b"\xff", b"{" * 100_000, record("x" * 401)):
        assert own_id(form, data) is None
    found = own_id(form, b'{"tgr":1,"id":"\\ud800x","rounds":[]}')
    assert found is not None and found.encode() == b"\\ud800x"
    assert own_id(by_name("bsw"), record("a")) is None


def test_the_name_of_a_log_does_not_make_it_one(tmp_path: Path) -> None:
    text = next(simulate_games(1, 4)).text.encode()
    paths = [write(tmp_path / "a.tch", record("own")), write(tmp_path / "b.tgr.json", text)]
    first, second = read(*paths)
    assert first == Input(str(paths[0]), "own", record("own"), None, "tgr")
    assert second == Input(str(paths[1]), "b", text, None, "bsw")
    assert list(log_ids(map(str, paths))) == ["own", "b"]
    assert [game.format for game in ta.read_games(paths)] == ["tgr", "bsw"]


def test_one_record_in_a_file(tmp_path: Path) -> None:
    pretty = b'{\n  "tgr": 1,\n  "id": "in it",\n  "rounds": []\n}\n'
    for name, data in (("a.tgr.json", pretty), ("b.tgr.jsonl", pretty), ("c", pretty), ("d.json", record("in it"))):
        path = write(tmp_path / name, data)
        assert read(path) == [Input(str(path), "in it", data, None, "tgr")]
    for name, data in (("201402/a.tgr.json.gz", gzip.compress(record())), ("201402/a.tgr.json", b"{")):
        (one,) = read(write(tmp_path / name, data))
        assert isinstance(one, Input) and (one.game_id, one.month, one.format) == ("a", "201402", "tgr")


# ---------------------------------------------------------------- a game on each line

LINES = BOM + record("one") + b"\r\n\n" + record() + b"\n \t\r\n{ broken\n" + record("four, the last")
EXPECTED = [
    ("one", BOM + record("one"), 1),
    ("club-3", record(), 3),
    ("club-5", b"{ broken", 5),
    ("four, the last", record("four, the last"), 6),
]


def expected(path: str, month: str | None = None, stem: str = "club") -> list[Input]:
    return [Input(path, name.replace("club", stem), data, month, "tgr", line) for name, data, line in EXPECTED]


@pytest.mark.parametrize(
    ("ending", "packed"),
    [
        ("", LINES),
        (".gz", gzip.compress(LINES)),
        (".gz", gzip.compress(LINES[:40]) + gzip.compress(LINES[40:]) + bytes(100)),
        (".zst", zstandard.compress(LINES)),
        (
            ".zst",
            zstandard.compress(LINES[:40]) + b"\x52\x2a\x4d\x18\x03\x00\x00\x00abc" + zstandard.compress(LINES[40:]),
        ),
    ],
    ids=["plain", "gz", "gz-in-parts", "zst", "zst-in-parts"],
)
def test_wherever_the_lines_stand(tmp_path: Path, monkeypatch, ending: str, packed: bytes) -> None:
    path = write(tmp_path / "201402" / f"club.tgr.jsonl{ending}", packed)
    assert read(path) == expected(str(path), "201402")
    assert read(tmp_path) == expected(f"201402/club.tgr.jsonl{ending}", "201402")
    archive = tmp_path / "all.zip"
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        with zipfile.ZipFile(archive, "w", method) as file:
            file.writestr(f"201403/club.tgr.jsonl{ending}", packed)
        assert read(archive) == expected(f"{archive}!/201403/club.tgr.jsonl{ending}", "201403")
        assert list(log_ids([str(archive)])) == [name for name, _, _ in EXPECTED]
    assert list(log_ids([str(path)])) == [name for name, _, _ in EXPECTED]
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed)))
    assert read("-") == expected("-", stem="stdin")


def test_lines_on_standard_input_are_told_by_the_first_two_of_them(monkeypatch) -> None:
    long = record("long", _filler="x" * 200_000)
    for data, found in (
        (long + b"\n" + record(), ["long", "stdin-2"]),
        (long + b"\n", ["long"]),
        (record(), ["stdin"]),
    ):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
        assert ids(read("-")) == found


def test_a_file_without_a_game_is_one_without_rounds(tmp_path: Path) -> None:
    for data in (b"", b"\n", BOM, BOM + b" \r\n\n"):
        path = write(tmp_path / "none.tgr.jsonl", data)
        assert read(path) == [Input(str(path), "none", b"", None, "tgr")]
        (found,) = check_paths([str(path)])
        assert isinstance(found, CheckedGame) and [one.name for one in found.findings] == ["no-rounds"]
    path = write(tmp_path / "none.tgr.jsonl.gz", gzip.compress(b""))
    assert read(path) == [Input(str(path), "none", b"", None, "tgr")]


def test_a_line_that_is_too_long_leaves_the_others(tmp_path: Path) -> None:
    limits = Limits(log_bytes=1_000)
    for length, is_read in ((1_000, True), (1_001, False), (200_000, False)):
        data = b"\n".join([record("a"), b"x" * length, record("b"), b"y" * length])
        for name, packed in (("x.tgr.jsonl", data), ("x.tgr.jsonl.gz", gzip.compress(data))):
            path = write(tmp_path / name, packed)
            results = read(path, limits=limits)
            if is_read:
                assert ids(results) == ["a", "x-2", "b", "x-4"]
                continue
            assert ids(results) == ["a", "b"]
            message = "has more than 1000 bytes, the most that is read of a log"
            assert results[1::2] == [Trouble(str(path), f"line {line} {message}") for line in (2, 4)]


def many_lines(count: int) -> Iterator[bytes]:
    rng = random.Random(count)
    for number in range(count):
        yield record(f"g{number}", _noise=f"{rng.getrandbits(256):x}") + b"\n"


@pytest.mark.parametrize("cut", [1, 4, 9, 100, 2_000, 50_000])
def test_a_gzip_file_that_is_cut_off_keeps_the_games_before(tmp_path: Path, cut: int) -> None:
    data = b"".join(many_lines(3_000))
    packed = gzip.compress(data)
    path = write(tmp_path / "x.tgr.jsonl.gz", packed[:-cut])
    *games, trouble = read(path)
    assert trouble == Trouble(str(path), "is cut off: its compressed data have no end")
    came_out = zlib.decompressobj(31).decompress(packed[:-cut])
    assert ids(games) == [f"g{number}" for number in range(came_out.count(b"\n"))]
    assert len(games) > 1_000


def test_a_single_game_that_is_cut_off_is_not_read(tmp_path: Path) -> None:
    packed = gzip.compress(record("a") + b"\n")
    for cut in range(1, len(packed) - 2):
        path = write(tmp_path / "x.tgr.json.gz", packed[:-cut])
        assert read(path) == [Trouble(str(path), "is cut off: its compressed data have no end")]


def test_a_damaged_file_keeps_the_games_before(tmp_path: Path) -> None:
    data = b"".join(many_lines(20_000))
    for name, pack in (("x.tgr.jsonl.gz", gzip.compress), ("x.tgr.jsonl.zst", zstandard.compress)):
        packed = bytearray(pack(data))
        half = len(packed) // 2
        packed[half:] = random.Random(name).randbytes(half)
        *games, trouble = read(write(tmp_path / name, bytes(packed)))
        assert isinstance(trouble, Trouble) and "is damaged" in trouble.message
        found = [one for one in games if isinstance(one, Input) and one.game_id == f"g{one.line - 1}"]
        assert len(found) > 8_000
    with_more = read(write(tmp_path / "x.tgr.jsonl.gz", gzip.compress(data) + b"more"))
    assert len(with_more) == 20_001 and isinstance(with_more[-1], Trouble)


def test_what_is_damaged_from_the_beginning(tmp_path: Path) -> None:
    for data in (b"", b"\x1f", b"{}", gzip.compress(record())[:5], gzip.compress(gzip.compress(record()))):
        (trouble,) = read(write(tmp_path / "x.tgr.jsonl.gz", data))
        assert isinstance(trouble, Trouble)
    (trouble,) = read(write(tmp_path / "x.tgr.jsonl.gz", gzip.compress(bytes(257) + b"ustar" + bytes(600))))
    assert isinstance(trouble, Trouble) and "tar archive" in trouble.message


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("content", [b"\0", b"\n", b'{"tgr":1}\n'])
def test_a_bomb_is_stopped(tmp_path: Path, pack: Callable[[bytes], bytes], content: bytes) -> None:
    path = write(tmp_path / "x.tgr.jsonl.gz", pack(content * 3_000_000))
    for limits, most in (
        (Limits(log_bytes=100_000, archive_bytes=1_500_000, ratio=10**6), 1_500_000),
        (Limits(log_bytes=100_000, ratio_free_bytes=1_000_000, ratio=1), 1_000_000),
    ):
        *games, last = read(path, limits=limits)
        assert isinstance(last, Trouble)
        assert f"inflates to more than {most} bytes, the most that is read of something of its size" in last.message
        assert len(games) <= most / 10


def test_a_bomb_takes_no_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tgr.jsonl.gz", gzip.compress(b"\n" + bytes(50_000_000) + b"\n" + record("a")))
    tracemalloc.start()
    try:
        assert ids(read(path, limits=Limits(log_bytes=1_000_000, ratio=10**6))) == ["a"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 6_000_000


def test_empty_lines_take_no_time(tmp_path: Path) -> None:
    """A hundredth of a second each would be half a day; they take about a second together."""
    path = write(tmp_path / "x.tgr.jsonl.gz", gzip.compress(b"\n" * 5_000_000 + record("a")))
    (one,) = read(path, limits=Limits(ratio=10**6))
    assert isinstance(one, Input) and (one.game_id, one.line) == ("a", 5_000_001)


def test_empty_lines_in_an_archive_take_no_memory(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("x.tgr.jsonl", b"\n" * 5_000_000 + record("a"))
    tracemalloc.start()
    try:
        assert ids(read(tmp_path / "x.zip", limits=Limits(ratio=10**6))) == ["a"]
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 25_000_000


@pytest.mark.parametrize("pack", [bytes, gzip.compress, zstandard.compress])
def test_memory_does_not_grow_with_the_number_of_lines(tmp_path: Path, pack: Callable[[bytes], bytes]) -> None:
    path = write(tmp_path / "x.tgr.jsonl", pack(b"".join(many_lines(50_000))))
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_inputs([str(path)]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 50_000
    assert peak < 6_000_000


@given(st.binary(max_size=40), st.lists(st.integers(1, 9), min_size=1, max_size=8), st.integers(1, 12))
def test_lines_do_not_depend_on_the_pieces(data: bytes, sizes: list[int], most: int) -> None:
    data = data.replace(b"\x1f", b"").replace(b"\x28", b"").replace(b"P", b"\n")
    pieces = []
    rest = data
    while rest:
        for size in sizes:
            pieces.append(rest[:size])
            rest = rest[size:]
    found = list(Content(pieces, "x", Limits(log_bytes=most)).lines())
    wanted: list[tuple[int, bytes | None]] = []
    for number, line in enumerate(data.split(b"\n"), start=1):
        if len(line) > most:
            wanted.append((number, None))
        elif line.removeprefix(BOM).strip():
            wanted.append((number, line[:-1] if line.endswith(b"\r") else line))
    assert found == wanted
    content = Content(pieces, "x", Limits(log_bytes=most))
    assert content.start(3) == data[:3]
    if len(data) <= most:
        assert content.whole() == data
    else:
        with pytest.raises(Refused, match="has more than"):
            content.whole()


# ---------------------------------------------------------------- standard input that is read several times


def test_standard_input_with_lines_is_kept_as_a_whole(monkeypatch) -> None:
    data = record("a") + b"\n" + b"".join(many_lines(5_000))
    for packed in (data, gzip.compress(data)):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed)))
        with keep_standard_input(Limits(log_bytes=1_000)) as kept:
            assert kept.read() == packed
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(packed * 30)))
        with pytest.raises(OSError, match="has more than"):
            keep_standard_input(Limits(log_bytes=1_000, archive_bytes=2_000_000))
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(LOG * 100)))
    with keep_standard_input(Limits(log_bytes=1_000)) as kept:
        assert len(list(read_inputs(["-"], Limits(log_bytes=1_000), kept))) == 1
    monkeypatch.setattr(sys, "stdin", None)
    assert list(check_paths(["-"])) == [Trouble("-", "standard input is closed")]


def test_games_with_the_same_id_on_standard_input(monkeypatch) -> None:
    data = b"\n".join([record("a"), record("b"), record("a", target=500), record("b")])
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))
    games = [one.game_id for one in check_paths(["-"]) if isinstance(one, CheckedGame)]
    assert len(games) == 3 and games[1] == "b" and all(name.startswith("a~") for name in games[::2])


# ---------------------------------------------------------------- rules


def test_records_are_checked_by_the_rules_that_they_name(tmp_path: Path) -> None:
    path = write(tmp_path / "x.tgr.jsonl", record("a", rules="dodgr") + b"\n" + record("b") + b"\n")
    assert [ta.replay(game).rules for game in ta.read_games(path)] == ["dodgr", "official"]
    assert [ta.replay(game, "bsw").rules for game in ta.read_games(path)] == ["bsw", "bsw"]
    for engine in ("auto", "careful"):
        with pytest.raises(ValueError, match="no rule set"):
            check_paths([str(path)], "house", engine)


def test_names_without_their_endings() -> None:
    for name, stem in (
        ("x.tch", "x"),
        ("x.TGR.JSONL.Gz", "x"),
        ("x.tgr", "x.tgr"),
        (".tch", ".tch"),
        (".tch.gz", ".tch"),
        ("İİ.TCH", "İİ"),
        ("x.tch.tch", "x.tch"),
    ):
        assert registry.stem(name) == stem


# ---------------------------------------------------------------- what logs do without


def test_checking_logs_loads_nothing_of_other_formats(root: Path) -> None:
    program = (
        "import sys; from tichu_analytics.checking import check_paths;"
        "print(len(list(check_paths(sys.argv[1:]))));"
        "print([name for name in sys.modules if name in ('json', 'jsonschema_rs', 'zstandard')"
        " or name.startswith('tichu_analytics.formats.tgr')])"
    )
    logs = sorted((root / "sample_logs").glob("**/*.tch"))
    command = [sys.executable, "-c", program, *map(str, logs)]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=root)
    count, modules = done.stdout.split("\n")[:2]
    assert int(count) > 10 and modules == "[]"
