"""Files that belong together: all of them are there whole, or none is."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from tichu_analytics.formats.walk import UNFINISHED
from tichu_analytics.tables.files import writing


def write_files(files: Mapping[Path, bytes]) -> None:
    """Writes files; folders above them are made. They go by other names until all of them are complete.

    Args:
        files: each file with its content; files of those names are replaced.

    Raises:
        CannotWrite: if that is not possible; nothing is left behind then, and files that were there stay as they were.
    """
    unfinished = {path: path.with_name(f"{UNFINISHED}{os.getpid()}-{path.name}") for path in files}
    made: list[Path] = []
    try:
        for path, data in files.items():
            with writing(path):
                made += _made_folders(path.parent)
                with unfinished[path].open("wb") as file:
                    file.write(data)
                    file.flush()
                    os.fsync(file.fileno())
        for path in files:
            with writing(path):
                unfinished[path].replace(path)
        made.clear()
    finally:
        for path in unfinished.values():
            with suppress(OSError):
                path.unlink()
        for folder in reversed(made):
            with suppress(OSError):
                folder.rmdir()


def _made_folders(folder: Path) -> list[Path]:
    """Makes a folder and those above it; gives those that were not there, from the top."""
    missing = [one for one in (folder, *folder.parents) if not one.exists()]
    folder.mkdir(parents=True, exist_ok=True)
    return missing[::-1]
