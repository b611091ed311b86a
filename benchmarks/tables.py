"""How long an export takes beside a check that replays every game in full, and how large the files are.

    python benchmarks/tables.py            # about a minute
    python benchmarks/tables.py --games 50

Both do the same replay; what the export adds is reading the logs a second time, filling the columns and writing the
files. All figures are ratios within one run: each round of measuring takes the check and the export in turn, on one
core, and the median of the ratios is what counts.
"""

from __future__ import annotations

import argparse
import os
import platform
import statistics
import sys
import tempfile
from pathlib import Path

import pyarrow

from benchmarks.check import check, make_logs, timed
from tichu_analytics import __version__
from tichu_analytics.tables.export import export_inputs

MOST_TIMES_CHECK = 2.0
MOST_BYTES_A_MOVE = 6.0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=200, help="simulated games")
    parser.add_argument("--repeats", type=int, default=5, help="rounds of measuring")
    arguments = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(
        f"tichu_analytics {__version__}, Python {platform.python_version()}, pyarrow {pyarrow.__version__},"
        f" {platform.machine()}, one core"
    )
    with tempfile.TemporaryDirectory() as name:
        logs, out = Path(name, "logs"), Path(name, "data")
        make_logs(logs, arguments.games, 1)
        size = sum(path.stat().st_size for path in logs.iterdir())
        rounds, _ = check(logs, "careful")
        done = export_inputs([str(logs)], out)
        pairs = [
            (
                timed(lambda: check(logs, "careful")),
                timed(lambda: export_inputs([str(logs)], out, force=True)),
            )
            for _ in range(arguments.repeats)
        ]
        moves = done.manifest["rows"]["moves"]
        sizes = {
            table: sum(path.stat().st_size for path in (out / table).iterdir()) for table in done.manifest["tables"]
        }
    print(f"{arguments.games} simulated games, {rounds} rounds, {size / 1e6:.1f} MB, {moves:,} moves")
    print(f"medians of {arguments.repeats} rounds of measuring")
    print(f"{'way':<28}{'rounds/s':>10}{'MB/s':>8}{'times the check':>18}")
    for column, title in enumerate(("check --engine careful", "export of all tables")):
        seconds = statistics.median(pair[column] for pair in pairs)
        ratio = statistics.median(pair[column] / pair[0] for pair in pairs)
        print(f"{title:<28}{rounds / seconds:>10,.0f}{size / 1e6 / seconds:>8.1f}{ratio:>18.2f}")
    print(f"{'table':<12}{'rows':>12}{'bytes':>12}{'bytes a row':>14}")
    for table, total in sizes.items():
        rows = done.manifest["rows"][table]
        a_row = f"{total / rows:.2f}" if rows else ""
        print(f"{table:<12}{rows:>12,}{total:>12,}{a_row:>14}")
    print(f"all tables: {sum(sizes.values()) / size:.3f} times the bytes of the logs")
    return 0 if ratio <= MOST_TIMES_CHECK and sizes["moves"] / moves <= MOST_BYTES_A_MOVE else 1


if __name__ == "__main__":
    sys.exit(main())
