"""Writes simulated games: ``python -m tichu_analytics.simulate --games 1000 --seed 1 --out logs.zip``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.storing import is_zip, month_of, write_folder, write_zip

__all__ = ["main", "month_of"]


def main(arguments: list[str] | None = None) -> int:
    """Runs the command; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m tichu_analytics.simulate",
        description="Writes legal games of simulated players as BrettspielWelt logs, the same for the same seed.",
    )
    parser.add_argument("--games", type=int, required=True, help="how many games")
    parser.add_argument("--seed", type=int, required=True, help="a whole number; other seeds give other games")
    parser.add_argument("--out", type=Path, required=True, help="a folder, or a file that ends with .zip")
    chosen = parser.parse_args(arguments)
    if chosen.games < 0:
        parser.error("--games must not be negative")
    games = simulate_games(chosen.games, chosen.seed)
    try:
        if is_zip(chosen.out):
            write_zip(games, chosen.out)
        else:
            write_folder(games, chosen.out)
    except OSError as error:
        print(f"{chosen.out}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
