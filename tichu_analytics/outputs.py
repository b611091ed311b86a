"""Where converted games are written to: one file, a file with a game a line, a folder, a zip archive, standard output.

What is written to a file is there whole or not at all; it goes by another name until it is complete.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import IO, Final, Protocol, cast

from tichu_analytics.formats.walk import UNFINISHED
from tichu_analytics.tables.files import writing

#: The endings of names that decide what is written, each with the kind of record.
ENDINGS: Final = {".tgr.jsonl": "tgr.jsonl", ".tgr.json": "tgr.json", ".tch": "tch"}
PACKED: Final = (".gz", ".zst")
#: No name of a file that is written has more characters; file systems take 255 bytes.
_LONGEST_NAME: Final = 120
_PLAIN: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._~-")
#: Names that mean a device on some systems, whatever their ending.
_DEVICES: Final = frozenset(
    ("con", "prn", "aux", "nul", *(f"{name}{digit}" for name in ("com", "lpt") for digit in "123456789"))
)


class Output(Protocol):
    """Something that games are written to, one after the other."""

    def add(self, name: str, data: bytes) -> None:
        """Writes a game; ``name`` is the name of its file, folder included, where there are several."""

    def finish(self) -> None:
        """All games are written: what has gone by another name gets its own."""

    def give_up(self) -> None:
        """Takes away what is not complete."""


def file_name(game_id: str) -> str:
    """A name for the file of a game, without an ending: the id if that can be one.

    Other characters stand there as ``%`` and the hex digits of their bytes in UTF-8; a name that would be too long, no
    name at all, hidden, or that of a device is made different, and a long one ends with a part of its hash.
    """
    quoted = "".join(
        [
            character if character in _PLAIN else "".join([f"%{byte:02X}" for byte in character.encode()])
            for character in game_id
        ]
    )
    if not quoted or quoted[0] in ".~-" or quoted.split(".")[0].lower() in _DEVICES:
        quoted = f"_{quoted}"
    if quoted[-1] == ".":
        quoted = f"{quoted[:-1]}%2E"
    if len(quoted) > _LONGEST_NAME:
        from hashlib import sha256

        quoted = f"{quoted[: _LONGEST_NAME - 17]}~{sha256(game_id.encode()).hexdigest()[:16]}"
    return quoted


def packer(name: str) -> Callable[[IO[bytes]], IO[bytes]]:
    """What compresses the bytes of a file with this name; files without such an ending stay as they are."""
    ending = name.lower()
    if ending.endswith(".gz"):
        from gzip import GzipFile

        # No name and no time inside, so that the same games give the same bytes.
        return lambda file: cast("IO[bytes]", GzipFile("", "wb", 9, file, 0))
    if ending.endswith(".zst"):
        import zstandard

        return lambda file: zstandard.ZstdCompressor(level=10, write_checksum=True).stream_writer(file, closefd=False)
    return lambda file: file


class Stream:
    """Standard output, or another stream that is open; games follow one another."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def add(self, name: str, data: bytes) -> None:
        """Writes a game."""
        self._file.write(data)

    def finish(self) -> None:
        """Writes out what is held back."""
        self._file.flush()

    def give_up(self) -> None:
        """What is written is written."""


class OneFile:
    """A file for one game, or for a game a line."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._unfinished = path.with_name(f"{UNFINISHED}{os.getpid()}-{path.name}")
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self.file = self._unfinished.open("wb")
        self._packed = packer(path.name)(self.file)

    def add(self, name: str, data: bytes) -> None:
        """Writes a game."""
        with writing(self._path):
            self._packed.write(data)

    def finish(self) -> None:
        """Closes the file and gives it its name."""
        with writing(self._path):
            if self._packed is not self.file:
                self._packed.close()
            self.file.close()
            self._unfinished.replace(self._path)

    def give_up(self) -> None:
        """Takes the file away."""
        for file in (self._packed, self.file):
            with suppress(OSError, ValueError):
                file.close()
        with suppress(OSError):
            self._unfinished.unlink()


class Folder:
    """A folder with a file for every game; each is there whole or not at all."""

    def __init__(self, path: Path) -> None:
        self._path = path
        with writing(path):
            path.mkdir(parents=True, exist_ok=True)

    def add(self, name: str, data: bytes) -> None:
        """Writes the file of a game."""
        one = OneFile(self._path / name)
        try:
            one.add(name, data)
            one.finish()
        except BaseException:
            one.give_up()
            raise

    def finish(self) -> None:
        """Every file is complete by itself."""

    def give_up(self) -> None:
        """Files of games that are complete stay."""


class ZipFile:
    """A zip archive with a member for every game; members carry no time, so that the same games give the same bytes."""

    def __init__(self, path: Path) -> None:
        import zipfile

        self._whole = OneFile(path)
        self._path = path
        self._archive = zipfile.ZipFile(self._whole.file, "w", zipfile.ZIP_DEFLATED)

    def add(self, name: str, data: bytes) -> None:
        """Writes a member."""
        import zipfile

        member = zipfile.ZipInfo(name)
        member.compress_type = zipfile.ZIP_DEFLATED
        member.external_attr = 0o644 << 16
        with writing(self._path):
            self._archive.writestr(member, data)

    def finish(self) -> None:
        """Writes the directory and gives the archive its name."""
        with writing(self._path):
            self._archive.close()
        self._whole.finish()

    def give_up(self) -> None:
        """Takes the archive away."""
        with suppress(OSError, ValueError):
            self._archive.close()
        self._whole.give_up()
