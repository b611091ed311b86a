"""How fast an archive is checked and exported, careful and compiled, with one process and with two, cold and warm.

    python -m benchmarks.archive                    # half an hour: prints the table
    python -m benchmarks.archive --write            # and puts it into docs/performance.md
    python -m benchmarks.archive --copies 3 --repeats 1

The archive is a zip of simulated games that have the oddities of the public archive at their rates: changed players,
truncated games, doubtful Phoenix plays, wrong results. All ways take turns on the same archive, each as a process of
its own with its start; beside them stand the limits, measured in the same turns: inflating the archive with `zipfile`
and with nothing but zlib, and rewriting the exported tables with pyarrow. Figures that the project promises are ratios
of computing time (user and system, so that other work on the machine matters less), two processes against one a ratio
of elapsed time.
"""

from __future__ import annotations

import argparse
import datetime
import os
import platform
import resource
import shutil
import statistics
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

from tichu_analytics import __version__
from tichu_analytics.simulate.series import Wants, simulate_series

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "performance.md"
BEGIN = "<!-- begin: python -m benchmarks.archive --write -->"
END = "<!-- end -->"

MOST_TIMES_INFLATING = 3.0
MOST_TIMES_REWRITING = 2.5
LEAST_SPEED_UP = 1.8
MOST_MEMORY_MB = 400.0
LEAST_COMPILED = 0.99

COMMAND = "import sys; sys.argv[0] = 'tichu'; from tichu_cli.main import run; run()"

REWRITE = """
import sys
from pathlib import Path
import pyarrow.parquet as pq
from tichu_analytics.tables.arrow import parquet_bytes
from tichu_analytics.tables.schema import TABLES
out = Path(sys.argv[2])
for path in sorted(Path(sys.argv[1]).glob("*/*.parquet")):
    (out / path.name).write_bytes(parquet_bytes(pq.read_table(path), TABLES[path.parent.name]))
    (out / path.name).unlink()
"""

INFLATE = """
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as file:
    for member in file.infolist()[int(sys.argv[2]) :: int(sys.argv[3])]:
        file.read(member)
"""

#: The same by two processes, each with every other member: as much as a second one brings on this machine at best.
INFLATE_BOTH = """
import subprocess, sys
both = [subprocess.Popen([sys.executable, "-c", *sys.argv[1:], number, "2"]) for number in "01"]
assert not any([one.wait() for one in both])
"""


class Cost(NamedTuple):
    """What a process has taken: elapsed and computing seconds, peak memory in MB of the largest one."""

    elapsed: float
    computing: float
    memory: float


def cost(*arguments: str, cores: int = 1, cache: Path | None = None) -> Cost:
    """Runs a Python program with arguments on so many cores."""
    environment = dict(os.environ)
    if cache is not None:
        environment["XDG_CACHE_HOME"] = str(cache)
        # An installation has its modules compiled; a source tree may be told not to keep them.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment["PYTHONPYCACHEPREFIX"] = str(cache / "modules")
    # The program tells its own peak and that of its workers.
    program = arguments[0] + (
        "\nimport resource as r, sys\n"
        "print(max(r.getrusage(w).ru_maxrss for w in (r.RUSAGE_SELF, r.RUSAGE_CHILDREN)), file=sys.stderr)\n"
    )
    if arguments[0] == COMMAND:
        program = f"try:\n    {COMMAND}\nexcept SystemExit:\n    pass\n" + program.removeprefix(COMMAND)
    usable = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

    def pinned() -> None:
        if usable:
            os.sched_setaffinity(0, set(usable[:cores]))

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments[1:]],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
        preexec_fn=pinned,
    )
    elapsed = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    computing = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(elapsed, computing, int(done.stderr.split()[-1]) / 1024)


def inflate_bare(archive: Path) -> float:
    """Computing seconds of inflating an archive with zlib alone, in this process: the members one after the other."""
    with zipfile.ZipFile(archive) as file:
        places = [(member.header_offset, member.compress_size) for member in file.infolist()]
    begun = time.process_time()
    with archive.open("rb") as data:
        for offset, size in places:
            data.seek(offset + 26)
            name, extra = struct.unpack("<2H", data.read(4))
            zlib.decompress(data.read(name + extra + size)[name + extra :], -15)
    return time.process_time() - begun


def make_archive(archive: Path, games: int, copies: int) -> tuple[int, int]:
    """Writes an archive of simulated games with the oddities of the public one; its games and its bytes of logs.

    The same games come again under other ids and in other months: what counts is how many there are.
    """
    texts = [(game.game_id, game.text) for game in simulate_series(games, 1, wants=Wants(anomalies=1))]
    size = 0
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        for copy in range(copies):
            for game_id, text in texts:
                data = text.encode("utf-8", "surrogatepass")
                size += len(data)
                file.writestr(f"{2007 + copy // 12}{copy % 12 + 1:02}/{copy}{game_id}.tch", data)
    return games * copies, size


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=1_000, help="simulated games")
    parser.add_argument("--copies", type=int, default=18, help="how often each comes")
    parser.add_argument("--repeats", type=int, default=5, help="rounds of measuring")
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        text, fine = measured(Path(name), arguments.games, arguments.copies, arguments.repeats)
    print(text)
    if arguments.write:
        page = PAGE.read_text(encoding="utf-8")
        head, _, rest = page.partition(BEGIN)
        PAGE.write_text(f"{head}{BEGIN}\n{text}\n{END}{rest.partition(END)[2]}", encoding="utf-8")
    return 0 if fine else 1


def measured(folder: Path, games: int, copies: int, repeats: int) -> tuple[str, bool]:
    """The page's section, and whether all promises are kept."""
    archive, few, cache, data = folder / "logs.zip", folder / "few.zip", folder / "cache", folder / "data"
    cache.mkdir()
    number, size = make_archive(archive, games, copies)
    make_archive(few, games, 1)
    counts: dict[str, int] = {}

    def export(engine: str, jobs: int, source: Path = archive) -> Cost:
        shutil.rmtree(data, ignore_errors=True)
        found = cost(
            *(COMMAND, "export", str(source), "--out", str(data), "--quiet", "--engine", engine, "--jobs", str(jobs)),
            cores=jobs,
            cache=cache,
        )
        import json

        manifest = json.loads((data / "_dataset.json").read_bytes())
        counts.update(
            rounds=manifest["rounds"],
            kept=manifest["rounds_kept"],
            compiled=manifest["rounds_by_engine"].get("compiled", 0),
            moves=manifest["rows"]["moves"],
            bytes=sum(path.stat().st_size for path in (data / "moves").iterdir()),
        )
        return found

    def check(engine: str, jobs: int, source: Path = archive) -> Cost:
        return cost(
            *(COMMAND, "check", str(source), "--quiet", "--engine", engine, "--jobs", str(jobs)),
            cores=jobs,
            cache=cache,
        )

    def rewrite() -> Cost:
        (folder / "again").mkdir(exist_ok=True)
        return cost(REWRITE, str(data), str(folder / "again"))

    cold = check("compiled", 1, few)
    small = {"check": check("compiled", 1, few), "export": export("compiled", 1, few)}
    ways: dict[str, Callable[[], Cost]] = {
        "inflating with `zipfile`": lambda: cost(INFLATE, str(archive), "0", "1"),
        "inflating with zlib alone": lambda: Cost(0, inflate_bare(archive), 0),
        "inflating with `zipfile`, 2 processes": lambda: cost(INFLATE_BOTH, INFLATE, str(archive), cores=2),
        "check, compiled": lambda: check("compiled", 1),
        "check, compiled, 2 processes": lambda: check("compiled", 2),
        "export, compiled": lambda: export("compiled", 1),
        "rewriting the tables with pyarrow": rewrite,
        "export, compiled, 2 processes": lambda: export("compiled", 2),
    }
    rows = [{way: run() for way, run in ways.items()} for _ in range(repeats)]
    compiled_share = counts["compiled"] / counts["kept"]
    whole = dict(counts)
    # The careful path is slow: a part of the archive tells as much.
    careful = {
        "check, careful": check("careful", 1, few),
        "check, careful, 2 processes": check("careful", 2, few),
        "export, careful": export("careful", 1, few),
        "export, careful, 2 processes": export("careful", 2, few),
    }
    part = counts["rounds"]

    def middle(function: Callable[[dict[str, Cost]], float]) -> float:
        return statistics.median(map(function, rows))

    rounds = whole["rounds"]
    inflating = "inflating with `zipfile`"
    lines = [
        f"Measured on {datetime.datetime.now(tz=datetime.UTC):%d %B %Y}: {platform.system()}, {platform.machine()},"
        f" {os.cpu_count()} cores; tichu_analytics {__version__}, CPython {platform.python_version()}, Numba"
        f" {version('numba')}, pyarrow {version('pyarrow')}.",
        "",
        f"{number:,} games in a zip archive, {rounds:,} rounds, {size / 1e6:,.0f} MB of logs, {whole['moves']:,} moves;"
        f" medians of {repeats} rounds of measuring in which the ways take turns, every one a process with its start."
        f" The careful path was given {part:,} of the rounds, once.",
        "",
        "| way | rounds/s | MB/s | computing, times inflating | peak memory, MB |",
        "|---|---|---|---|---|",
    ]
    for way in ways:
        seconds = middle(lambda row, way=way: row[way].elapsed or row[way].computing)  # type: ignore[misc]
        ratio = middle(lambda row, way=way: row[way].computing / row[inflating].computing)  # type: ignore[misc]
        memory = middle(lambda row, way=way: row[way].memory)  # type: ignore[misc]
        lines.append(
            f"| {way} | {rounds / seconds:,.0f} | {size / 1e6 / seconds:,.0f} | {ratio:.2f} |"
            f" {f'{memory:.0f}' if memory else ''} |"
        )
    for way, once in careful.items():
        ratio = once.computing / rows[0][inflating].computing * rounds / part
        lines.append(
            f"| {way} | {part / once.elapsed:,.0f} | {size / rounds * part / 1e6 / once.elapsed:,.1f} | {ratio:.1f} |"
            f" {once.memory:.0f} |"
        )
    promises = [
        (
            "check, compiled, beside inflating",
            middle(lambda row: row["check, compiled"].computing / row[inflating].computing),
            f"at most {MOST_TIMES_INFLATING}",
            lambda figure: figure <= MOST_TIMES_INFLATING,
        ),
        (
            "export, compiled, beside inflating and rewriting the tables",
            middle(
                lambda row: (
                    row["export, compiled"].computing
                    / (row[inflating].computing + row["rewriting the tables with pyarrow"].computing)
                )
            ),
            f"at most {MOST_TIMES_REWRITING}",
            lambda figure: figure <= MOST_TIMES_REWRITING,
        ),
        (
            "check, one process beside two (elapsed)",
            middle(lambda row: row["check, compiled"].elapsed / row["check, compiled, 2 processes"].elapsed),
            f"at least {LEAST_SPEED_UP}",
            lambda figure: figure >= LEAST_SPEED_UP,
        ),
        (
            "export, one process beside two (elapsed)",
            middle(lambda row: row["export, compiled"].elapsed / row["export, compiled, 2 processes"].elapsed),
            f"at least {LEAST_SPEED_UP}",
            lambda figure: figure >= LEAST_SPEED_UP,
        ),
        (
            "legal rounds that need no careful replay",
            compiled_share,
            f"at least {LEAST_COMPILED}",
            lambda figure: figure >= LEAST_COMPILED,
        ),
        (
            "peak memory of a process, MB",
            max(cost.memory for row in rows for cost in row.values()),
            f"at most {MOST_MEMORY_MB:.0f}",
            lambda figure: figure <= MOST_MEMORY_MB,
        ),
    ]
    lines += ["", "| promise | figure | bound |", "|---|---|---|"]
    fine = True
    for what, figure, bound, holds in promises:
        is_kept = holds(figure)
        fine &= is_kept
        lines.append(f"| {what} | {figure:.4g} | {bound}{'' if is_kept else ' (missed)'} |")
    limit = middle(lambda row: row[inflating].elapsed / row[f"{inflating}, 2 processes"].elapsed)
    peaks = " and ".join(
        f"{small[verb].memory:.0f} MB for the {verb} of {part:,} rounds, "
        f"{middle(lambda row, verb=verb: row[f'{verb}, compiled'].memory):.0f} MB of {rounds:,}"  # type: ignore[misc]
        for verb in ("check", "export")
    )
    lines += [
        "",
        f"Two processes that do nothing but inflate every other member take {1 / limit:.2f} of the time of one"
        f" ({limit:.2f} times as fast): more than that, two cores of this machine do not give.",
        "",
        f"Cold start: the first check ever, which compiles, takes {cold.elapsed:.0f} s for {part:,} rounds; the next"
        f" one {small['check'].elapsed:.1f} s. Peak memory: {peaks}. A move takes"
        f" {whole['bytes'] / whole['moves']:.2f} bytes in the files.",
    ]
    return "\n".join(lines), fine


if __name__ == "__main__":
    sys.exit(main())
