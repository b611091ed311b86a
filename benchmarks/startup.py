"""Measures how long ``tichu --help`` takes against starting Python and doing nothing, as whole processes.

Run it with the Python of an environment in which the project is installed:

    python benchmarks/startup.py [ROUNDS]

The two commands are called in turn, so that a machine that gets slower or faster meanwhile does so for both. Medians
and the median of the ratios of neighbouring calls are printed; the ratio must stay below 10.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from statistics import median


def seconds(command: list[str]) -> float:
    """Wall seconds of one call, from the start of the process to its end.

    Raises:
        subprocess.CalledProcessError: if the command fails.
    """
    start = time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Prints the medians and the ratio."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    tichu = Path(sysconfig.get_path("scripts")) / "tichu"
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "tichu --help": [str(tichu), "--help"],
        "tichu check --help": [str(tichu), "check", "--help"],
    }
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
        print(f"{name:<20} {1000 * median(taken):7.1f} ms {ratio:6.2f} x")


if __name__ == "__main__":
    main()
