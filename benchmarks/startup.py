"""Measures how long ``tichu --help`` takes against starting Python and doing nothing, as whole processes.

Run it with the Python of an environment in which the project is installed:

    python benchmarks/startup.py [ROUNDS]

The commands are called in turn, so that a machine that gets slower or faster meanwhile does so for all. Medians and the
medians of the ratios of neighbouring calls are printed; that of ``tichu --help`` to Python must stay below 10, and a
check of one game should take no more than three times ``tichu --help``, without loading Numba.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from statistics import median

LOG = Path(__file__).resolve().parent.parent / "sample_logs" / "1001.tch"
LOADED = """
import sys
sys.argv = ["tichu", "check", sys.argv[1]]
from tichu_cli.main import run
try:
    run()
except SystemExit:
    heavy = sorted({"numba", "numpy", "pandas", "pyarrow", "typer"} & sys.modules.keys())
    print(", ".join(heavy), file=sys.stderr)
"""


def seconds(command: list[str]) -> float:
    """Wall seconds of one call, from the start of the process to its end.

    Raises:
        subprocess.CalledProcessError: if the command fails.
    """
    # An installation has its modules compiled; a source tree may be told not to keep them.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True, env=environment)
    return time.perf_counter() - start


def main() -> None:
    """Prints the medians and the ratio."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    tichu = Path(sysconfig.get_path("scripts")) / "tichu"
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "tichu --help": [str(tichu), "--help"],
        "tichu check --help": [str(tichu), "check", "--help"],
        "tichu check, one game": [str(tichu), "check", str(LOG)],
    }
    loaded = subprocess.run([sys.executable, "-c", LOADED, str(LOG)], capture_output=True, text=True, check=True)
    print(f"a check of one game loads {loaded.stderr.strip() or 'nothing heavy'}")
    for command in commands.values():
        seconds(command)  # the first call may still have to write compiled modules
    times: dict[str, list[float]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, command in commands.items():
            times[name].append(seconds(command))
    nothing = times["python -c pass"]
    print(f"medians of {rounds} calls in turn, Python {sys.version.split()[0]}")
    for name, taken in times.items():
        ratio = median(a / b for a, b in zip(taken, nothing, strict=True))
        helps = median(a / b for a, b in zip(taken, times["tichu --help"], strict=True))
        print(f"{name:<24} {1000 * median(taken):7.1f} ms {ratio:6.2f} x {helps:6.2f} x tichu --help")


if __name__ == "__main__":
    main()
