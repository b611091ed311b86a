"""Writes simulated games: ``python -m tichu_analytics.simulate --games 1000 --seed 1 --out logs.zip``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tichu_analytics.simulate import SimulatedGame, simulate_games

#: How many games a month has in a zip; the first month is January 2007, in which the archive of real logs begins.
GAMES_A_MONTH: Final = 500


def month_of(number: int) -> str:
    """The month, ``YYYYMM``, in whose folder a zip has the game of a number from 1."""
    months = (number - 1) // GAMES_A_MONTH
    return f"{2007 + months // 12}{1 + months % 12:02d}"


def write_folder(games: Iterator[SimulatedGame], folder: Path) -> None:
    """Writes each game as a file into a folder, which is made if need be."""
    folder.mkdir(parents=True, exist_ok=True)
    for one in games:
        (folder / f"{one.game_id}.tch").write_bytes(one.text.encode())


def write_zip(games: Iterator[SimulatedGame], path: Path) -> None:
    """Writes the games into a zip with one folder a month; its members carry no time, so that runs do not differ."""
    import zipfile

    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, one in enumerate(games, start=1):
            member = zipfile.ZipInfo(f"{month_of(number)}/{one.game_id}.tch")
            member.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(member, one.text.encode())


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
        if chosen.out.suffix.lower() == ".zip":
            write_zip(games, chosen.out)
        else:
            write_folder(games, chosen.out)
    except OSError as error:
        print(f"{chosen.out}: {error.strerror or error}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
