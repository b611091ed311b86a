"""Exports: the same files whatever happens on the way, and what the command says."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.exporting import PART, environment, run_program, tichu, tree
from tichu_analytics.tables.dataset import NoDataset
from tichu_analytics.tables.export import export_inputs
from tichu_analytics.tables.schema import TABLES

# The same bytes


def test_the_number_of_processes_changes_no_byte(logs: Path, tmp_path: Path, undisturbed):
    parts = [name for name in undisturbed if name.startswith("moves/")]
    assert len(parts) > 5
    assert undisturbed.keys() == {"_dataset.json"} | {
        f"{table}/{name.removeprefix('moves/')}" for table in TABLES for name in parts
    }
    for jobs in (2, 3):
        export_inputs([str(logs)], tmp_path / str(jobs), part_bytes=PART, jobs=jobs)
        assert tree(tmp_path / str(jobs)) == undisturbed


def test_where_the_data_set_lies_changes_no_byte(logs: Path, tmp_path: Path, undisturbed):
    export_inputs([str(logs)], tmp_path / "a" / "b" / "c", part_bytes=PART)
    assert tree(tmp_path / "a" / "b" / "c") == undisturbed


def written(out: Path) -> int:
    """How many files there are in a folder, whole ones and others."""
    return sum(len(files) for _, _, files in os.walk(out))


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_exports_go_on_to_the_same_bytes(logs: Path, tmp_path: Path, program: Path, undisturbed, jobs: int):
    """SIGKILL at random moments, again and again, before a run comes to its end."""
    rng = random.Random(jobs)
    kills = unfinished = 0
    for turn in range(3):
        out = tmp_path / f"{turn}"
        for _ in range(5):
            process = run_program(program, out, jobs, logs)
            enough = written(out) + rng.randrange(1, 30)
            while process.poll() is None and written(out) < enough:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.03))
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.communicate()
            # What is there is a whole data set or none at all.
            if (out / "_dataset.json").exists():
                assert ta.Dataset(out).validate() == []
            else:
                unfinished += any(out.glob("*/*.parquet"))
                with pytest.raises(NoDataset):
                    ta.Dataset(out)
        process = run_program(program, out, jobs, logs)
        assert process.communicate(timeout=120) == ("", "")
        assert tree(out) == undisturbed
    assert kills >= 6
    assert unfinished >= 4


def test_workers_end_with_the_process_that_started_them(logs: Path, tmp_path: Path, program: Path):
    process = run_program(program, tmp_path / "data", 2, logs)
    workers: list[int] = []
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.parent.parent.exists():
        pytest.skip("there is no /proc here that tells the children of a process")
    for _ in range(200):
        time.sleep(0.02)
        workers = [int(word) for word in children.read_text().split()]
        if len(workers) >= 3:  # two workers and what keeps track of them
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(workers) >= 2
    for _ in range(200):
        time.sleep(0.05)
        if not any(is_running(pid) for pid in workers):
            return
    raise AssertionError("workers were left running")


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_parts_that_are_there_are_not_made_again(logs: Path, tmp_path: Path):
    out = tmp_path / "data"
    first = export_inputs([str(logs)], out, part_bytes=PART)
    stamps = {path: path.stat().st_mtime_ns for path in out.rglob("*.*")}
    again = export_inputs([str(logs)], out, part_bytes=PART)
    assert (again.parts_made, again.parts_kept) == (0, first.parts_made)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.*")} == stamps


def test_force_makes_everything_again(logs: Path, tmp_path: Path, undisturbed):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    inodes = {path.stat().st_ino for path in (out / "moves").iterdir()}
    forced = export_inputs([str(logs)], out, part_bytes=PART, force=True)
    assert forced.parts_made == len(inodes)
    assert tree(out) == undisturbed


@pytest.mark.parametrize("harm", ["cut", "gone", "table gone"])
def test_a_damaged_data_set_is_mended_by_the_same_command(logs: Path, tmp_path: Path, undisturbed, harm: str):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    file = sorted((out / "tricks").iterdir())[2]
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-10])
    elif harm == "gone":
        file.unlink()
    else:
        shutil.rmtree(out / "tricks")
    with pytest.raises(NoDataset, match="tricks"):
        ta.Dataset(out)
    mended = export_inputs([str(logs)], out, part_bytes=PART)
    assert mended.parts_made == (len(list((out / "moves").iterdir())) if harm == "table gone" else 1)
    assert tree(out) == undisturbed


# The command


def test_the_command_says_what_it_did(logs: Path, tmp_path: Path):
    done = tichu("export", logs, "--out", tmp_path / "data")
    assert (done.returncode, done.stderr) == (0, "")
    assert "moves" in done.stdout and "32 games" in done.stdout
    info = json.loads((tmp_path / "data" / "_dataset.json").read_text())
    assert info["rounds_by_engine"] == {"careful": info["rounds"]}
    assert info["rounds"] - info["rounds_kept"] == sum(info["rounds_excluded"].values()) > 0
    again = tichu("export", logs, "--out", tmp_path / "data")
    assert again.returncode == 0 and "up to date" in again.stdout


def test_unreadable_inputs_do_not_take_the_others_with_them(logs: Path, tmp_path: Path):
    done = tichu("export", tmp_path / "missing", logs, "--out", tmp_path / "data", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing: no such file or directory" in done.stderr
    data = ta.Dataset(tmp_path / "data")
    assert len(data.games) == 32
    assert data.info["inputs"]["unreadable"] == 1
    with pytest.raises(ta.UnreadableInput):
        ta.export([tmp_path / "missing", logs], tmp_path / "data")


def test_nothing_to_export_makes_no_folder(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    done = tichu("export", tmp_path / "empty", tmp_path / "missing", "--out", tmp_path / "data")
    assert done.returncode == 2
    assert "nothing to export" in done.stderr and "has no logs" in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tables", "moves,hadns"], "did you mean 'hands'"),
        (["--tables", ","], "names no table"),
        (["--rules", "bws"], "there is no rule set 'bws'"),
        (["--engine", "fast"], "--engine"),
        (["--jobs", "0"], "--jobs"),
    ],
)
def test_wrong_use(logs: Path, tmp_path: Path, options: list[str], words: str):
    done = tichu("export", logs, "--out", tmp_path / "data", *options)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.replace("\n", " ").split())
    assert not (tmp_path / "data").exists()


def test_standard_input(logs: Path, tmp_path: Path):
    text = sorted(logs.glob("[0-9]*.tch"))[0].read_text(encoding="utf-8")
    done = tichu("export", "-", "--out", tmp_path / "data", input=text)
    assert done.returncode == 0, done.stderr
    assert ta.Dataset(tmp_path / "data").games.to_pandas()["game_id"].tolist() == ["stdin"]
    records = "".join(f'{{"tgr":1,"id":"{number}","rounds":[]}}\n' for number in (7, 8, 7))
    done = tichu("export", "-", "--out", tmp_path / "records", input=records + '{"tgr":1,"rounds":[]}')
    assert done.returncode == 0 and "2 logs have the id 7 and the same content" in done.stderr
    assert ta.Dataset(tmp_path / "records").games.to_pandas()["game_id"].tolist() == ["7", "8", "stdin-4"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupting_leaves_whole_files(logs: Path, tmp_path: Path, undisturbed, number: signal.Signals):
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        process = subprocess.Popen(
            [sys.executable, "-m", "tichu_cli.main", "export", str(logs), "--out", str(out), "--jobs", str(jobs)],
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(500):
            if (out / "_unfinished").exists():
                break
            time.sleep(0.01)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
        # Python ends by the signal itself where it came while a text was worked out: a shell sees the same.
        assert process.returncode in (128 + number, -number), said
        assert said == "tichu: interrupted; no part was complete yet\n"
        assert not [name for name in tree(out) if ".unfinished-" in name]
        with pytest.raises(NoDataset):
            ta.Dataset(out)


def test_names_of_inputs_are_escaped_in_what_is_said(tmp_path: Path):
    bad = tmp_path / "\x1b[31mred\u202e"
    done = tichu("export", bad, "--out", tmp_path / "data")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr and "\u202e" not in done.stderr
    assert "\\u001b" in done.stderr


def test_progress_on_a_terminal(logs: Path, tmp_path: Path):
    """On a terminal a line tells percent, rounds, speed and time left; elsewhere there is nothing of it."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "export", str(logs), "--out", str(tmp_path / "data"), "--jobs", "1"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    shown = b""
    while process.poll() is None or shown[-3:] != b"\x1b[K":
        try:
            shown += os.read(master, 10_000)
        except OSError:  # the other end is closed
            break
    os.close(master)
    process.communicate()
    assert process.returncode == 0
    text = shown.decode()
    assert "rounds/s" in text and " left" in text and "%" in text
    assert text.endswith("\r\x1b[K")
