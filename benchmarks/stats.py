"""How long all measures take beside a full scan of the tables of hands and moves, and how much memory.

    python benchmarks/stats.py                    # a million rounds, some minutes
    python benchmarks/stats.py --rounds 100000

A few simulated games are exported, and their rows are repeated under new game ids until there are enough rounds. The
scan reads every column of ``hands`` and ``moves`` once, with the same DuckDB and the same threads; measures and scan
take turns within one run, and the median of the ratios is what counts. Memory is the peak of a process that does
nothing else.
"""

from __future__ import annotations

import argparse
import json
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import duckdb
import pyarrow.compute as pc
import pyarrow.parquet as pq

import tichu_analytics as ta
from tichu_analytics.simulate import simulate_games
from tichu_analytics.stats.answering import compute

MOST_TIMES_SCAN = 10.0
MOST_MEMORY = 2e9
#: Copies of the games that stand in one file.
COPIES = 20


def make_data(folder: Path, games: int, rounds: int) -> Path:
    """A data set of about so many rounds, made of copies of some games."""
    logs, small, large = folder / "logs", folder / "small", folder / "large"
    logs.mkdir()
    for game in simulate_games(games, 1):
        (logs / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    data = ta.export(logs, small)
    copies = -(-rounds // data.info["rounds"])
    (part,) = data.info["parts"]
    parts: list[dict] = []
    for first in range(0, copies, COPIES):
        last = min(first + COPIES, copies)
        key = f"{first:016x}"
        parts.append({**part, "name": f"{len(parts):06}-{key}", "key": key, "files": {}})
        for name in ("logs", "bytes", "games", "rounds", "rounds_complete", "rounds_kept"):
            parts[-1][name] = part[name] * (last - first)
        for name in ("games_by_rules", "rounds_by_engine"):
            parts[-1][name] = {word: count * (last - first) for word, count in part[name].items()}
        for table in data.tables:
            (large / table).mkdir(parents=True, exist_ok=True)
            rows = data.table(table).to_arrow()
            file = large / table / f"{parts[-1]['name']}.parquet"
            with pq.ParquetWriter(file, rows.schema, compression="zstd", compression_level=1) as writer:
                for copy in range(first, last):
                    ids = pc.binary_join_element_wise(rows.column("game_id"), f"{copy}", "-")
                    writer.write_table(rows.set_column(0, rows.schema.field(0), ids))
            parts[-1]["files"][table] = {"rows": len(rows) * (last - first), "bytes": file.stat().st_size}
    info = {**data.info, "parts": parts}
    for name in ("games", "rounds", "rounds_complete", "rounds_kept"):
        info[name] = sum(one[name] for one in parts)
    info["rows"] = {table: sum(one["files"][table]["rows"] for one in parts) for table in data.tables}
    (large / "_dataset.json").write_text(json.dumps(info), encoding="utf-8")
    return large


def scan(data: ta.Dataset) -> None:
    """Reads every value of both tables."""
    for table in ("hands", "moves"):
        data.sql(f"SELECT count(COLUMNS(*)) FROM {table}").fetchall()


def timed(work) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def peak(folder: Path) -> int:
    """The peak memory in bytes of a process that works out all measures."""
    done = subprocess.run([sys.executable, __file__, "--only", str(folder)], check=True, capture_output=True, text=True)
    return int(done.stdout)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=200, help="simulated games that are copied")
    parser.add_argument("--rounds", type=int, default=1_000_000, help="rounds of the data set")
    parser.add_argument("--repeats", type=int, default=3, help="rounds of measuring")
    parser.add_argument("--only", type=Path, help="work out all measures of this data set once, tell the peak memory")
    arguments = parser.parse_args()
    if arguments.only:
        compute(ta.Dataset(arguments.only))
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024))
        return 0
    with tempfile.TemporaryDirectory() as name:
        folder = make_data(Path(name), arguments.games, arguments.rounds)
        data = ta.Dataset(folder)
        memory = peak(folder)
        pairs = [(timed(lambda: scan(data)), timed(lambda: compute(data))) for _ in range(arguments.repeats)]
        by_seat = timed(lambda: compute(data, by=["seat"]))
        rows = data.info["rows"]
    print(
        f"tichu_analytics {ta.__version__}, Python {platform.python_version()}, DuckDB {duckdb.__version__},"
        f" {platform.machine()}"
    )
    print(f"{data.info['rounds']:,} rounds, {rows['hands']:,} hands, {rows['moves']:,} moves")
    ratio = statistics.median(measures / one for one, measures in pairs)
    print(f"medians of {arguments.repeats} rounds of measuring")
    print(f"scan of hands and moves  {statistics.median(one for one, _ in pairs):8.2f} s")
    print(f"all measures             {statistics.median(one for _, one in pairs):8.2f} s, {ratio:.2f} times the scan")
    print(f"all measures by seat     {by_seat:8.2f} s")
    print(f"peak memory              {memory / 1e6:8.0f} MB")
    return 0 if ratio <= MOST_TIMES_SCAN and memory <= MOST_MEMORY else 1


if __name__ == "__main__":
    sys.exit(main())
