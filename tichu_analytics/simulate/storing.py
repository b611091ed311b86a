"""Writes simulated games into a folder or a zip archive, and notes of what was put into them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO, Final

from tichu_analytics.simulate.notes import SimulatedGame

#: How many games a month has in a zip; the first month is January 2007, in which the archive of real logs begins.
GAMES_A_MONTH: Final = 500


def month_of(number: int) -> str:
    """The month, ``YYYYMM``, in whose folder a zip has the game of a number from 1."""
    months = (number - 1) // GAMES_A_MONTH
    return f"{2007 + months // 12}{1 + months % 12:02d}"


def is_zip(path: Path) -> bool:
    """Whether games go into a zip archive rather than a folder, which the name alone decides."""
    return path.suffix.lower() == ".zip"


def write_folder(games: Iterable[SimulatedGame], folder: Path) -> None:
    """Writes each game as a file into a folder, which is made if need be.

    Raises:
        OSError: if that cannot be done.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for one in games:
        (folder / f"{one.game_id}.tch").write_bytes(one.text.encode())


def write_zip(games: Iterable[SimulatedGame], path: Path) -> None:
    """Writes the games into a zip with one folder a month; its members carry no time, so that runs do not differ.

    The archive gets its name when it is complete.

    Raises:
        OSError: if that cannot be done.
    """
    import zipfile

    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f"{path.name}.part")
    try:
        with zipfile.ZipFile(partial, "w", zipfile.ZIP_DEFLATED) as archive:
            for number, one in enumerate(games, start=1):
                member = zipfile.ZipInfo(f"{month_of(number)}/{one.game_id}.tch")
                member.compress_type = zipfile.ZIP_DEFLATED
                archive.writestr(member, one.text.encode())
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)


def notes_path(out: Path) -> Path:
    """Where the notes on the games of a folder or an archive are written: beside it."""
    return out.with_name(f"{out.name}.notes.jsonl")


def noted(games: Iterable[SimulatedGame], out: IO[str]) -> Iterator[SimulatedGame]:
    """Passes games on and writes their notes, one JSON object a line, as ``Note`` has them and the game's id."""
    for one in games:
        for note in one.notes:
            out.write(json.dumps({"game_id": one.game_id, **note._asdict()}, ensure_ascii=True) + "\n")
        yield one
