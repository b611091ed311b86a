"""Measures how long the report of 200 games takes against loading what it is made with, as whole processes.

Run it with the Python of an environment in which the project is installed:

    python benchmarks/report.py [REPEATS]

The report is made straight from an archive of logs: they are read, exported, counted and drawn. It and the imports take
turns, so that a machine that gets slower or faster meanwhile does so for both; the median of the ratios of neighbouring
runs must stay at most 30, and the page below 3 MB.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

LOGS = Path(__file__).resolve().parent.parent / "sample_logs" / "games.zip"
IMPORTS = "import matplotlib.pyplot, pandas, duckdb"
REPORT = "import sys; from tichu_cli.main import run; sys.argv[0] = 'tichu'; run()"
MOST_TIMES = 30.0
MOST_BYTES = 3_000_000


def seconds(command: list[str]) -> float:
    """Wall seconds of one call, from the start of the process to its end.

    Raises:
        subprocess.CalledProcessError: if the command fails.
    """
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> int:
    """Prints both times, the ratio and the size; 1 if one of them is beyond its bound."""
    repeats = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        imports = [sys.executable, "-c", IMPORTS]
        report = [sys.executable, "-c", REPORT, "report", str(LOGS), "--out", str(page), "--force"]
        for command in (imports, report):
            seconds(command)  # the first call may still have to write compiled modules and a list of fonts
        pairs = [(seconds(imports), seconds(report)) for _ in range(repeats)]
        size = page.stat().st_size
    ratio = median(one / other for other, one in pairs)
    print(f"medians of {repeats} rounds of measuring")
    print(f"imports             {median(one for one, _ in pairs):8.2f} s")
    print(f"report of 200 games {median(one for _, one in pairs):8.2f} s, {ratio:.1f} times the imports")
    print(f"page                {size / 1e6:8.2f} MB")
    return 0 if ratio <= MOST_TIMES and size < MOST_BYTES else 1


if __name__ == "__main__":
    sys.exit(main())
