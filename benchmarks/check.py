"""How fast and in how much memory logs are checked, measured against a bare loop over the same bytes.

    python benchmarks/check.py              # everything: about four minutes
    python benchmarks/check.py --speed      # the speed alone
    python benchmarks/check.py --compiled   # the compiled engine alone, beside inflating the same archive
    python benchmarks/check.py --memory     # the memory alone

The reference does what any reader of these logs must do and nothing else: split every line and look every card up in a
dict. All figures are ratios within one run, since machines differ and are noisy: each round of measuring takes the
reference and the checks in turn, on one core, and the median of the ratios is what counts.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

from tichu_analytics import __version__
from tichu_analytics.checking import CheckedGame, check_inputs, check_paths
from tichu_analytics.formats.bsw.lines import CARD_BITS
from tichu_analytics.formats.sources import Input, read_inputs
from tichu_analytics.simulate import simulate_games

MOST_TIMES_REFERENCE = 5.0
MOST_MEMORY_GROWTH = 1.2
#: For 100,000 rounds in a zip archive, the whole command with its start beside inflating all members.
MOST_TIMES_INFLATING = 3.0


def make_logs(folder: Path, games: int, seed: int) -> None:
    """Writes simulated games, one file each."""
    folder.mkdir(parents=True, exist_ok=True)
    for game in simulate_games(games, seed):
        (folder / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")


def logs(folder: Path) -> Iterator[Input]:
    """All logs of a folder as the check reads them."""
    for one in read_inputs([str(folder)]):
        assert isinstance(one, Input)
        yield one


def reference(folder: Path) -> int:
    """Reads every log, splits every line and looks every card up; the number of cards."""
    cards = 0
    get = CARD_BITS.get
    for one in logs(folder):
        for line in one.data.decode("utf-8").split("\n"):
            for word in line.split(" "):
                if get(word) is not None:
                    cards += 1
    return cards


def check(folder: Path, engine: str) -> tuple[int, int]:
    """Checks every log; the numbers of rounds and findings."""
    rounds = findings = 0
    for one in check_inputs(logs(folder), "bsw", engine):  # type: ignore[arg-type]
        assert isinstance(one, CheckedGame)
        rounds += one.rounds
        findings += len(one.findings)
    return rounds, findings


def timed(function: Callable[[], object]) -> float:
    start = time.process_time()
    function()
    return time.process_time() - start


def speed(games: int, repeats: int) -> bool:
    """Prints reference and checks side by side; whether the check keeps within its bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make_logs(folder, games, 1)
        rounds, findings = check(folder, "auto")
        size = sum(path.stat().st_size for path in folder.iterdir())
        check(folder, "careful")
        reference(folder)
        ways: list[Callable[[], object]] = [
            lambda: reference(folder),
            lambda: check(folder, "auto"),
            lambda: check(folder, "careful"),
        ]
        rows = [[timed(way) for way in ways] for _ in range(repeats)]
    print(f"{games} simulated games, {rounds} rounds, {size / 1e6:.1f} MB, {findings} findings")
    print(f"medians of {repeats} rounds of measuring")
    print(f"{'way':<28}{'rounds/s':>10}{'MB/s':>8}{'times the reference':>22}")
    names = ("reference: split and look up", "check", "check --engine careful")
    ratios = []
    for column, title in enumerate(names):
        seconds = statistics.median(row[column] for row in rows)
        ratio = statistics.median(row[column] / row[0] for row in rows)
        ratios.append(ratio)
        print(f"{title:<28}{rounds / seconds:>10,.0f}{size / 1e6 / seconds:>8.1f}{ratio:>22.2f}")
    return ratios[1] <= MOST_TIMES_REFERENCE


COMMAND = "from tichu_cli.main import run; run()"


def inflate(archive: Path) -> int:
    """Inflates all members of an archive with the standard library; the number of bytes."""
    with zipfile.ZipFile(archive) as file:
        return sum(len(file.read(member)) for member in file.infolist())


def check_archive(archive: Path) -> int:
    """Checks an archive in this process; the number of rounds."""
    ends = check_paths([str(archive)], "bsw", "compiled")
    return sum(one.rounds for one in ends if isinstance(one, CheckedGame))


def command(archive: Path) -> float:
    """The processor time of a process that checks an archive."""
    arguments = [sys.executable, "-c", COMMAND, "check", "--quiet", "--engine", "compiled", str(archive)]
    before = os.times()
    subprocess.run(arguments, capture_output=True, check=True)
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def compiled_speed(games: int, copies: int, repeats: int) -> bool:
    """Prints the compiled engine beside inflating the same archive; whether the command keeps within its bound."""
    with tempfile.TemporaryDirectory() as name:
        archive = Path(name) / "logs.zip"
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
            texts = [(game.game_id, game.text) for game in simulate_games(games, 1)]
            for copy in range(copies):
                for game_id, text in texts:
                    # The same games under other names: what counts is how many there are.
                    file.writestr(f"{2007 + copy}/{copy}{game_id}.tch", text)
        size = inflate(archive)
        command(archive)  # compiles if need be
        rounds = check_archive(archive)
        ways: list[Callable[[], float]] = [
            lambda: timed(lambda: inflate(archive)),
            lambda: timed(lambda: check_archive(archive)),
            lambda: command(archive),
        ]
        rows = [[way() for way in ways] for _ in range(repeats)]
    print(f"{copies} copies of {games} simulated games in a zip archive, {rounds} rounds, {size / 1e6:.1f} MB")
    print(f"medians of {repeats} rounds of measuring")
    print(f"{'way':<42}{'rounds/s':>10}{'MB/s':>8}{'times inflating':>18}")
    names = ("inflating with zipfile", "check, compiled and loaded", "tichu check --engine compiled, with start")
    ratios = []
    for column, title in enumerate(names):
        seconds = statistics.median(row[column] for row in rows)
        ratio = statistics.median(row[column] / row[0] for row in rows)
        ratios.append(ratio)
        print(f"{title:<42}{rounds / seconds:>10,.0f}{size / 1e6 / seconds:>8.1f}{ratio:>18.2f}")
    return ratios[2] <= MOST_TIMES_INFLATING


MEMORY_PROGRAM = """
import resource, sys
sys.argv = ["tichu", "check", "--quiet", sys.argv[1]]
from tichu_cli.main import run
try:
    run()
except SystemExit:
    pass
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, file=sys.stderr)
"""


def peak_memory(folder: Path) -> int:
    """The peak memory in kB of a process that checks a folder."""
    done = subprocess.run(
        [sys.executable, "-c", MEMORY_PROGRAM, str(folder)], capture_output=True, text=True, check=True
    )
    return int(done.stderr.split()[-1])


def memory(small: int, large: int) -> bool:
    """Prints the peak memory for two numbers of games; whether the larger one keeps within its bound."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = folder / "few", folder / "many"
        make_logs(few, small, 2)
        many.mkdir()
        sources = sorted(few.iterdir())
        for copy in range(large // small):
            for source in sources:
                # The same games under other names: what counts is how many there are.
                (many / f"{copy}_{source.name}").write_bytes(source.read_bytes())
        figures = [statistics.median(peak_memory(path) for _ in range(3)) for path in (few, many)]
    growth = figures[1] / figures[0]
    few_mb, many_mb = (figure / 1024 for figure in figures)
    print(f"peak memory: {small:,} games {few_mb:.1f} MB, {large:,} games {many_mb:.1f} MB, ratio {growth:.2f}")
    return growth <= MOST_MEMORY_GROWTH


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--speed", action="store_true", help="measure the speed alone")
    parser.add_argument("--compiled", action="store_true", help="measure the compiled engine alone")
    parser.add_argument("--memory", action="store_true", help="measure the memory alone")
    parser.add_argument("--games", type=int, default=200, help="games for the speed")
    parser.add_argument("--repeats", type=int, default=7, help="rounds of measuring")
    arguments = parser.parse_args()
    everything = not (arguments.speed or arguments.compiled or arguments.memory)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"tichu_analytics {__version__}, Python {platform.python_version()}, {platform.machine()}, one core")
    fine = True
    if arguments.speed or everything:
        fine &= speed(arguments.games, arguments.repeats)
    if arguments.compiled or everything:
        fine &= compiled_speed(arguments.games, 45, arguments.repeats)
    if arguments.memory or everything:
        fine &= memory(1_000, 10_000)
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
