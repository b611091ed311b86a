"""Inputs that other processes read by themselves: nothing of what comes of them depends on who reads them."""

from __future__ import annotations

import gzip
import json
import os
import pickle
import random
import struct
import subprocess
import sys
import textwrap
import zipfile
import zlib
from pathlib import Path

import pytest

from tests.damage import KINDS
from tichu_analytics.bulk import choice
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats import pieces as module
from tichu_analytics.formats.ids import distinct_inputs
from tichu_analytics.formats.pieces import Files, Ready, Run, pieces, read_piece
from tichu_analytics.formats.sources import Input, Trouble, read_inputs
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.jobs import checks
from tichu_analytics.simulate import simulate_games

SMALL = 8_000

# The command with tiny pieces, in other processes however few they are; they read this file as well. A game with a
# certain word in it ends the process whose compiled pass meets it.
RUNNER = textwrap.dedent(
    """
    import os, signal
    from tichu_analytics.bulk import choice, engine
    from tichu_analytics.jobs import checks

    real = engine.Engine.run
    is_worker = __name__ != "__main__"

    def run(self, logs, *more, **others):
        if is_worker and any(b"END-ALL" in log for log in logs):
            os.kill(os.getpid(), signal.SIGKILL)
        return real(self, logs, *more, **others)

    engine.Engine.run = run
    checks.BATCH_BYTES = 8_000
    checks.WORTH_SPREADING = 1
    choice.FEW_BYTES = 0
    if __name__ == "__main__":
        from tichu_cli.main import run
        run()
    """
)


def entries(data: bytes) -> list[int]:
    """Where the entries of an archive's directory begin."""
    found = []
    at = data.find(b"PK\x01\x02")
    while at >= 0:
        found.append(at)
        at = data.find(b"PK\x01\x02", at + 1)
    return found


def lying(path: Path) -> None:
    """An archive whose members say that they are small; it is to be read to where they have come to too much."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for number in range(60):
            file.writestr(f"{number}.tch", bytes(900_000))
    data = bytearray(path.read_bytes())
    for at in entries(bytes(data)):
        struct.pack_into("<L", data, at + 24, 100)
    path.write_bytes(bytes(data))


def overlapping(path: Path) -> None:
    """An archive with the same member many times over."""
    content = random.Random("overlapping").randbytes(1000)
    body = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = body.compress(content) + body.flush()
    numbers = (zlib.crc32(content), len(packed), len(content), 5, 0)
    local = struct.pack("<4s5HL2L2H", b"PK\x03\x04", 20, 0, 8, 0, 0, *numbers) + b"1.tch" + packed
    entry = struct.pack("<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 0, 20, 0, 0, 8, 0, 0, *numbers, 0, 0, 0, 0, 0) + b"1.tch"
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, 1000 * len(entry), len(local), 0)
    path.write_bytes(local + entry * 1000 + end)


@pytest.fixture(scope="module")
def mixture(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of archives and files of every kind, many of them with something wrong."""
    folder = tmp_path_factory.mktemp("mixture")
    (folder / "run.py").write_text(RUNNER)
    rng = random.Random("pieces")
    texts = [game.text for game in simulate_games(16, 21)]
    damaged = ["\n".join(rng.choice(KINDS)(rng, text.rstrip("\n").split("\n")).lines) + "\n" for text in texts]
    inside = folder / "in"
    (inside / "201402").mkdir(parents=True)
    with zipfile.ZipFile(inside / "a.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number, text in enumerate(texts):
            file.writestr(f"201401/{number}.tch", text)
            file.writestr(f"201401/{number}.txt", "no log")
            file.writestr(f"201403/d{number}.tch", damaged[number])
    # The same names once more, some with the same content; a member that is encrypted, one that is damaged.
    with zipfile.ZipFile(inside / "b.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number, text in enumerate(texts):
            file.writestr(f"{number}.tch", text if number % 3 else damaged[number])
    data = bytearray((inside / "b.zip").read_bytes())
    struct.pack_into("<H", data, entries(bytes(data))[5] + 8, 1)
    data[entries(bytes(data))[9] + 16] ^= 1
    (inside / "b.zip").write_bytes(bytes(data))
    (inside / "c.zip").write_bytes(bytes(data)[: len(data) - 30])
    record = [json.dumps(document_of_log(text.encode(), f"r{number % 5}")) for number, text in enumerate(texts)]
    with zipfile.ZipFile(inside / "d.zip", "w", zipfile.ZIP_DEFLATED) as file:
        file.write(inside / "a.zip", "nested.zip")
        file.writestr("1.tch.gz", gzip.compress(texts[1].encode()))
        file.writestr("2.tch", gzip.compress(texts[2].encode()))
        file.writestr("3.tch", record[3])
        file.writestr("many.tgr.jsonl", "\n".join(record[:4]))
        file.writestr("4.tgr.json", "not a record")
        file.writestr("x.tch", texts[4])
    lying(inside / "e.zip")
    overlapping(inside / "f.zip")
    with zipfile.ZipFile(inside / "g.zip", "w") as file:
        file.writestr("nothing.txt", bytes(20_000))
    for number, text in enumerate(damaged[:8]):
        (inside / "201402" / f"{number}.tch").write_text(text)
    (inside / "h.tch.gz").write_bytes(gzip.compress("".join(texts).encode() + os.urandom(10_000)))
    (inside / "i.tgr.jsonl").write_text("\n".join(record))
    (inside / "j.tgr.jsonl.gz").write_bytes(gzip.compress("\n".join(record).encode()))
    (inside / "k.tch").symlink_to("nothing")
    (inside / "l.tch.gz").write_bytes(b"\x1f\x8bnothing")
    (inside / "m.tch").write_text(damaged[0] + "nonsense\n" * 2_000)
    return folder


PATHS = ("gone.tch", "in", "-", "in/a.zip", "-", "in/201402")


def check(folder: Path, *args: str, kept: Path, paths: tuple[str, ...] = PATHS) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "run.py", "check", *paths, "--format", "json", *args],
        cwd=folder,
        env={**os.environ, "XDG_CACHE_HOME": str(kept)},
        input=(folder / "in" / "j.tgr.jsonl.gz").read_bytes(),
        capture_output=True,
        timeout=200,
        check=False,
    )


def test_the_same_bytes_whatever_reads_the_inputs(mixture: Path, kept: Path):
    first = check(mixture, "--engine", "careful", "--jobs", "1", kept=kept)
    assert first.returncode == 2
    said = first.stderr.decode()
    for words in (
        *("is encrypted", "size or checksum is wrong", "no directory", "lie over one another", "packed twice"),
        *("inflates to more than", "an archive of its size", "is named twice", "has no logs", "not the same content"),
        *("the same content (", "no such file"),
    ):
        assert words in said, words
    for engine in ("careful", "compiled"):
        for jobs in ("1", "2", "3"):
            other = check(mixture, "--engine", engine, "--jobs", jobs, kept=kept)
            assert (other.returncode, other.stdout, other.stderr) == (2, first.stdout, first.stderr), (engine, jobs)


def test_every_kind_of_piece_comes(mixture: Path, monkeypatch: pytest.MonkeyPatch):
    """And together they are what reading everything at once gives, whatever the size of a piece."""
    monkeypatch.chdir(mixture)
    paths = ["gone.tch", "in", "in/a.zip", "in/m.tch"]
    whole = list(read_inputs(paths))
    kinds = set()
    for most in (1, SMALL, 100_000, 1 << 30):
        found: list[Input | Trouble] = []
        numbers = []
        for piece in pieces(paths, most=most):
            kinds.add(type(piece))
            for number, one in read_piece(pickle.loads(pickle.dumps(piece))):
                found.append(one)
                if isinstance(one, Input):
                    numbers.append(number)
        # An archive that inflates to too much is noticed by whoever adds up what its pieces have come to.
        without = [one for one in whole if not one.path.startswith("in/e.zip") and not one.path.startswith("e.zip")]
        assert [one for one in found if not one.path.startswith("e.zip")] == without, most
        assert numbers == sorted(set(numbers))
    assert kinds == {Run, Files, Ready}


def test_what_is_named_is_not_read_by_the_process_that_cuts(mixture: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(*_: object) -> None:
        raise AssertionError

    monkeypatch.setattr(module, "read_spot", refuse)
    monkeypatch.setattr(module, "read_members", refuse)
    sizes = [len(pickle.dumps(piece)) for piece in pieces([str(mixture / "in" / "a.zip")], most=SMALL)]
    assert len(sizes) > 10 and max(sizes) < 500


def test_the_compiled_engine_in_other_processes_finds_what_a_killed_one_was_at(
    mixture: Path, kept: Path, tmp_path: Path
):
    """The games that end a process are named at the end; all others are checked, in their order."""
    (tmp_path / "run.py").write_text(RUNNER)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "j.tgr.jsonl.gz").write_bytes(b"")
    with zipfile.ZipFile(tmp_path / "z.zip", "w", zipfile.ZIP_DEFLATED) as file:
        for number, game in enumerate(simulate_games(24, 5)):
            text = game.text.replace("Schupfen:", "Schupfen:\nEND-ALL", 1) if number in (3, 17) else game.text
            file.writestr(f"{number:02}.tch", text + ("nonsense\n" if number % 4 == 0 else ""))
    one, two = (check(tmp_path, "--engine", "compiled", "--jobs", n, kept=kept, paths=("z.zip",)) for n in "12")
    assert (one.returncode, two.returncode) == (1, 2)
    assert two.stderr.decode().splitlines() == [
        f"tichu: z.zip!/{number:02}.tch: the process that checked the game ended before it was done, twice "
        "(killed by signal 9)"
        for number in (3, 17)
    ]
    fatal = ("z.zip!/03.tch", "z.zip!/17.tch")
    others = [line for line in one.stdout.splitlines() if json.loads(line).get("path") not in fatal]
    assert two.stdout.splitlines()[:-1] == others[:-1]
    assert json.loads(two.stdout.splitlines()[-1])["games"] == 22


def test_the_compiled_engine_is_compiled_once_whatever_the_number_of_processes(
    mixture: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
):
    """Those that do the work load it; this process need not even do that."""

    def refuse(self: object) -> None:
        raise AssertionError

    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    monkeypatch.setattr(checks, "BATCH_BYTES", SMALL)
    monkeypatch.setattr(choice, "FEW_BYTES", 0)
    monkeypatch.setattr(checks, "WORTH_SPREADING", 1)
    paths = [str(mixture / "in" / "a.zip")]
    expected = list(check_paths(paths, engine="careful"))
    monkeypatch.setattr(choice.Way, "load", refuse)
    assert list(check_paths(paths, engine="compiled", jobs=2)) == expected
    # Where there is too little to do, it is done here.
    monkeypatch.setattr(checks, "WORTH_SPREADING", 1 << 30)
    with pytest.raises(AssertionError):
        list(check_paths(paths, engine="compiled", jobs=2))


def test_the_engine_comes_in_the_middle_of_inputs_of_unknown_size(
    mixture: Path, kept: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    monkeypatch.setattr(choice, "WORTH_LOADING", 50_000)
    monkeypatch.setattr(checks, "BATCH_BYTES", SMALL)
    monkeypatch.setattr(choice, "FEW_BYTES", 0)
    folders: list[Path | None] = []
    real = checks.Task

    def noted(*args):
        task = real(*args)
        folders.append(task.folder)
        return task

    monkeypatch.setattr(checks._Spread, "_task", lambda self, piece, new_ids=None, remarks=(): counted(self, piece))

    def counted(self, piece):
        self._count += 1
        return noted(self._count - 1, piece, {}, self._how, self._folder, ())

    found = [one for one in check_paths([str(mixture / "in" / "201402")] * 2, jobs=2) if isinstance(one, CheckedGame)]
    assert len(found) == 16
    assert folders[0] is None and folders[-1] is not None


def test_ids_are_compared_without_reading_all_the_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from tichu_analytics.formats import ids

    with zipfile.ZipFile(tmp_path / "a.zip", "w") as file:
        for number in range(50):
            file.writestr(f"{number}.tch", f"---------------Gr.Tichukarten {number}")
        file.writestr("again/7.tch", "---------------Gr.Tichukarten other")
    compared = []
    real = ids.Scan.add

    def add(self, log, *more):
        compared.append(log.path.rpartition("!/")[2])
        return real(self, log, *more)

    monkeypatch.setattr(ids.Scan, "add", add)
    found = list(distinct_inputs([str(tmp_path / "a.zip")]))
    assert compared == ["7.tch", "again/7.tch"]
    assert isinstance(found[0], str) and len(found) == 52
