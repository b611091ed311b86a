"""A check by several processes: the same bytes as by one, whatever happens to a process."""

from __future__ import annotations

import json
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta
from tests.damage import KINDS
from tichu_analytics.bulk import choice
from tichu_analytics.checking import CheckedGame, Remark, check_paths
from tichu_analytics.formats.ids import distinct_ids
from tichu_analytics.formats.sources import Trouble
from tichu_analytics.jobs import checks, comparison
from tichu_analytics.jobs.processes import Done, Lost, Report, run_apart
from tichu_analytics.simulate import simulate_games

posix = pytest.mark.skipif(os.name != "posix", reason="this system has no signals of that kind")

# The command with small batches. Processes that are started read this file as well, so that what it puts in for the
# check happens there: games with certain words in them end their process, hold it up, or meet a fault in the program.
RUNNER = textwrap.dedent(
    """
    import os, signal, sys, time
    from tichu_analytics import checking
    from tichu_analytics.bulk import choice
    from tichu_analytics.jobs import checks, comparison

    real = checking.check_game
    is_worker = __name__ != "__main__"

    def check_game(one, rules):
        if b"END-ALL" in one.data and is_worker:
            os.kill(os.getpid(), signal.SIGKILL)
        if b"NO-ROOM" in one.data:
            raise MemoryError
        if b"HOLD-UP" in one.data:
            time.sleep(60)
        if b"NO-ZERO" in one.data:
            1 / 0
        return real(one, rules)

    checking.check_game = check_game
    checks.BATCH_BYTES = 60_000
    choice.FEW_BYTES = 0
    if __name__ == "__main__":
        from tichu_cli.main import run
        sys.argv[0] = "tichu"
        run()
    """
)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with flawless and damaged games, the same id twice, and what cannot be read."""
    folder = tmp_path_factory.mktemp("jobs")
    (folder / "run.py").write_text(RUNNER)
    rng = random.Random("jobs")
    (folder / "loose").mkdir()
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for game in simulate_games(24, 4):
            packed.writestr(f"200801/{game.game_id}.tch", game.text)
            lines = rng.choice(KINDS)(rng, game.text.rstrip("\n").split("\n")).lines
            (folder / "loose" / f"{game.game_id}.tch").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "loose" / "bad.tch.gz").write_bytes(b"\x1f\x8bnothing")
    (folder / "loose" / "bad.zip").write_bytes(b"PK\x03\x04 and no more")
    (folder / "none").mkdir()
    return folder


def check(archive: Path, *args: str | Path) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "run.py", "check", *map(str, args)]
    return subprocess.run(command, cwd=archive, capture_output=True, timeout=120, check=False)


INPUTS = ("gone.tch", "a.zip", "none", "loose")


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_the_same_bytes_whatever_the_number_of_processes(archive: Path, form: str) -> None:
    one, *others = [check(archive, *INPUTS, "--format", form, "--jobs", str(jobs)) for jobs in (1, 2, 3)]
    assert one.returncode == 2
    assert one.stderr.count(b"no such file") == 1 and one.stderr.count(b"bad.") == 2
    assert one.stderr.count(b"have the id") == 24
    assert one.stdout.count(b"T") > 24
    for other in others:
        assert (other.returncode, other.stdout, other.stderr) == (one.returncode, one.stdout, one.stderr)


@pytest.mark.parametrize("code", [0, 1])
def test_exit_codes(archive: Path, code: int) -> None:
    inputs = ("a.zip", "loose") if code else [str(path) for path in sorted((archive / "loose").glob("*.tch"))]
    select = "T" if code else "T042"
    ends = [check(archive, *inputs, "--select", select, "--jobs", str(jobs)) for jobs in (1, 2)]
    assert ends[0].returncode == (2 if code else 0)
    assert (ends[0].returncode, ends[0].stdout) == (ends[1].returncode, ends[1].stdout)


def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "BATCH_BYTES", 60_000)
    monkeypatch.setattr(choice, "FEW_BYTES", 0)


@pytest.mark.parametrize("seconds", [0.0, 0.3, 5.0])
def test_ids_that_are_known_late(archive: Path, monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    """Games are checked before it is known which ids stand twice; nothing of it shows, however late that is known."""
    small_batches(monkeypatch)
    paths = [str(archive / name) for name in (*INPUTS, "loose")]
    alone = list(check_paths(paths))
    assert sum(isinstance(one, Remark) for one in alone) == 24
    again: list[int] = []

    def late(*args: Any) -> Any:
        time.sleep(seconds)
        return distinct_ids(*args)

    class Spread(checks._Spread):
        def _compared(self, *args: Any) -> Any:
            yield from super()._compared(*args)
            again.append(len(self._again))

    monkeypatch.setattr(comparison, "distinct_ids", late)
    monkeypatch.setattr(checks, "_Spread", Spread)
    assert list(check_paths(paths, jobs=2)) == alone
    (count,) = again
    assert count > 5 if seconds == 5 else count >= 0


def test_ids_that_cannot_be_compared(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)

    def fails(*args: Any) -> Any:
        raise OSError("no more file descriptors")

    monkeypatch.setattr(comparison, "distinct_ids", fails)
    with pytest.raises(OSError, match="no more file descriptors"):
        list(check_paths([str(archive / "a.zip")], jobs=2))


def test_in_python(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)
    paths = [archive / "a.zip", *sorted((archive / "loose").glob("*.tch"))]
    assert list(ta.check(paths, jobs=2)) == list(ta.check(paths))
    with pytest.raises(ta.UnreadableInput, match="no such file"):
        list(ta.check([archive / "gone.tch", *paths], jobs=2))
    with pytest.raises(ValueError, match="0 jobs"):
        list(ta.check(paths, jobs=0))
    with pytest.raises(ValueError, match="no rule set"):
        check_paths([], "nonsense", jobs=2)
    kinds = {type(one) for one in check_paths([str(archive / name) for name in INPUTS], jobs=3)}
    assert kinds == {CheckedGame, Trouble, Remark}


@posix
def test_a_process_that_is_killed_costs_nothing(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)
    paths = [str(archive / "a.zip"), *map(str, sorted((archive / "loose").glob("*.tch")))]
    expected = list(check_paths(paths))
    killed = 0
    found = []
    for number, one in enumerate(check_paths(paths, jobs=2)):
        found.append(one)
        if number in (3, 20):
            for process in multiprocessing.active_children():
                assert process.pid is not None
                with suppress(ProcessLookupError):
                    os.kill(process.pid, signal.SIGKILL)
                    killed += 1
    assert killed >= 3
    assert found == expected
    assert not multiprocessing.active_children()


def marked(archive: Path, folder: Path, *words: str) -> list[Path]:
    """Games of which some have a word in them that means something to the runner."""
    paths = []
    for number, game in enumerate(simulate_games(24, 5)):
        word = words[number % len(words)] if number % 8 == 3 else ""
        paths.append(folder / f"{number:02}.tch")
        paths[-1].write_text(game.text.replace("Schupfen:", f"Schupfen:\n{word}", 1) if word else game.text)
    return paths


@posix
def test_games_that_end_every_process_are_named_at_the_end(archive: Path, tmp_path: Path) -> None:
    paths = marked(archive, tmp_path, "END-ALL")
    one, two = [check(archive, *paths, "--jobs", jobs, "--format", "json") for jobs in ("1", "2")]
    assert (one.returncode, two.returncode) == (1, 2)
    fatal = [paths[number] for number in (3, 11, 19)]
    assert two.stderr.decode().splitlines() == [
        f"tichu: {path}: the process that checked the game ended before it was done, twice (killed by signal 9)"
        for path in fatal
    ]
    others = [line for line in one.stdout.splitlines() if json.loads(line).get("path") not in list(map(str, fatal))]
    assert two.stdout.splitlines()[:-1] == others[:-1]
    assert json.loads(two.stdout.splitlines()[-1])["games"] == 21


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("NO-ROOM", "takes more memory than there is"),
        ("NO-ZERO", "could not be checked because of a fault in this program (ZeroDivisionError: division by zero)"),
    ],
)
def test_a_fault_of_the_program_costs_one_game(archive: Path, tmp_path: Path, word: str, said: str) -> None:
    paths = marked(archive, tmp_path, word)
    one, two = [check(archive, *paths, "--jobs", jobs) for jobs in ("1", "2")]
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    assert one.returncode == 2
    assert one.stderr.decode().splitlines() == [f"tichu: {paths[number]}: {said}" for number in (3, 11, 19)]
    assert b"in 21 games" in one.stdout


@posix
@pytest.mark.parametrize("number", ["SIGINT", "SIGKILL"])
def test_the_end_of_the_command_is_the_end_of_its_processes(archive: Path, tmp_path: Path, number: str) -> None:
    paths = marked(archive, tmp_path, "HOLD-UP")
    command = [sys.executable, "run.py", "check", "gone.tch", *map(str, paths), "--jobs", "2"]
    with subprocess.Popen(
        command, cwd=archive, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as process:
        assert process.stderr is not None
        assert b"gone.tch" in process.stderr.readline()  # so the first batch is done
        if number == "SIGINT":  # from the keyboard it goes to all of them
            os.killpg(process.pid, signal.SIGINT)
        else:
            process.kill()
        _, errors = process.communicate(timeout=60)
    assert process.returncode == (130 if number == "SIGINT" else -signal.SIGKILL)
    assert errors == b""
    until = time.monotonic() + 30
    with pytest.raises(ProcessLookupError):
        while time.monotonic() < until:
            os.killpg(process.pid, 0)
            time.sleep(0.05)


def test_small_inputs_start_no_process(root: Path) -> None:
    program = (
        "import sys; from tichu_cli.main import run\n"
        "try: run()\n"
        "except SystemExit as end: print(end.code, [name for name in sys.modules if 'multiprocessing' in name])"
    )
    command = [sys.executable, "-c", program, "check", str(root / "sample_logs" / "faulty"), "--quiet", "--jobs", "4"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.splitlines()[-1] == "1 []", done.stderr


def loaded(task: int, report: Report) -> list[str]:
    return [name for name in ("numba", "numpy", "pyarrow", "pandas", "duckdb", "rich") if name in sys.modules]


def test_a_process_loads_nothing_heavy() -> None:
    (end,) = run_apart([0], loaded, 1, lambda rounds, size: None)
    assert isinstance(end, Done) and end.result == []


def test_a_script_without_a_guard_is_told(archive: Path, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(
        "import sys, tichu_analytics as ta\n"
        "from tichu_analytics.bulk import choice\nfrom tichu_analytics.jobs import checks\n"
        "checks.BATCH_BYTES = 60_000\n"
        "choice.FEW_BYTES = 0\n"
        "try:\n    list(ta.check(sys.argv[1], jobs=2))\n"
        "except OSError as trouble:\n    print(trouble)\n"
    )
    done = subprocess.run(
        [sys.executable, "script.py", str(archive / "a.zip")],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.stdout.count("end at once (exit code 1)") == 1
    assert 'if __name__ == "__main__":' in done.stdout


def slow_first(number: int, report: Report) -> int:
    if number == 0:
        time.sleep(2)
    return number


@pytest.mark.parametrize(("ahead", "window"), [(0, 5), (2, 7)])
def test_the_reader_does_not_run_ahead_of_a_slow_task(ahead: int, window: int) -> None:
    asked = 0

    def tasks():
        nonlocal asked
        for number in range(30):
            asked += 1
            yield number

    results = []
    for end in run_apart(tasks(), slow_first, 2, lambda rounds, size: None, ahead=ahead, window=window):
        assert not isinstance(end, Lost)
        results.append(end.result)
        if 0 not in results:
            assert asked <= window
    assert sorted(results) == list(range(30))
    assert results.index(0) == window - 1
