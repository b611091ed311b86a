"""Turns the paths that a user names into a stream of logs: files, folders, archives, compressed files, standard input.

Nothing that a path can hold raises an error here: an input that cannot be read becomes a :class:`Trouble` in the
stream, and those after it are read all the same. One log is held in memory at a time.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats.inflate import DEFAULT, Limits, Refused, compression_of, unpack
from tichu_analytics.formats.zips import member_names, read_zip

__all__ = ["DEFAULT", "LOG_ENDINGS", "Input", "Limits", "Trouble", "log_ids", "plain", "read_inputs"]

#: Names with these endings are read in a folder or an archive, in small or capital letters; all others are passed over.
LOG_ENDINGS: Final = (".tch", ".tgr.json", ".tgr.jsonl", ".zip", ".gz", ".zst")

_PACKED_ENDINGS: Final = (".gz", ".zst")
_RECORD_ENDINGS: Final = (".tch", ".tgr.json", ".tgr.jsonl")
_BUFFER: Final = 1 << 16
_MONTH: Final = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])")


class Input(NamedTuple):
    """One log as it was found.

    Attributes:
        path: the file as it was named; a file found in a folder relative to that folder; ``a.zip!/201402/1.tch`` for a
            member of an archive. Always text that UTF-8 can hold: other bytes in a name stand there as escapes.
        game_id: the file's name without its endings, ``stdin`` for standard input.
        data: the bytes of the log, no longer compressed.
        month: ``YYYYMM`` if the log lies in a folder (or an archive) of such a name, otherwise None.
    """

    path: str
    game_id: str
    data: bytes
    month: str | None


class Trouble(NamedTuple):
    """An input that could not be read.

    Attributes:
        path: as in :class:`Input`.
        message: why, for example ``is encrypted``; it goes after the path and a colon.
    """

    path: str
    message: str


class _Place(NamedTuple):
    """Where a file is (``file``), what it is called in the output (``shown``), and the folders that it lies in."""

    file: str
    shown: str
    folders: tuple[str, ...]


def read_inputs(
    paths: Iterable[str], limits: Limits = DEFAULT, stdin: BinaryIO | None = None
) -> Iterator[Input | Trouble]:
    """Reads everything that the paths name, one log after the other.

    Args:
        paths: files, folders (searched through in the order of their names), zip archives, ``.gz`` and ``.zst`` files,
            or ``-`` for standard input. A file named here is always read, and its first bytes decide how; in folders
            and archives only names with one of :data:`LOG_ENDINGS` are read.
        limits: how much is read at most.
        stdin: what is read for ``-``; by default standard input.

    Yields:
        The logs in the order of the paths, and in their places the inputs that could not be read.
    """
    has_read_stdin = False
    for path in paths:
        if path == "-":
            yield from _standard_input(limits, stdin) if not has_read_stdin else [Trouble("-", "is named twice")]
            has_read_stdin = True
            continue
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as trouble:
            yield Trouble(plain(path), _reason(trouble))
            continue
        if stat.S_ISDIR(mode):
            yield from _folder(path, limits)
        else:
            yield from _file(_Place(path, plain(path), _parts(path)[:-1]), mode, limits)


def log_ids(paths: Iterable[str]) -> Iterator[str]:
    """The ids that the logs under some paths go by, without reading the logs: by their names alone.

    Args:
        paths: as for :func:`read_inputs`, but standard input is passed over, and so is what cannot be read.
    """
    for path in paths:
        if path == "-":
            continue
        with suppress(OSError, ValueError):
            if not os.path.isdir(path):
                yield from _ids_in(path)
                continue
            for found in _walk(path):
                if found.mode is not None:
                    yield from _ids_in(found.file)


def _ids_in(file: str) -> Iterator[str]:
    """The ids of the logs in a file: of one, or of all the members of an archive."""
    with suppress(OSError, Refused):
        if not os.path.isfile(file):
            return
        with open(file, "rb") as opened:
            if _is_archive(compression_of(opened.read(4)), file):
                for name in member_names(opened):
                    if _is_wanted(name):
                        yield _game_id(_split(name)[-1])
                return
        yield _game_id(plain(os.path.basename(file)))


def _is_archive(packed: str | None, file: str) -> bool:
    """Whether a file is read as an archive: by its first bytes, or by its name if they say nothing."""
    return packed == "zip" or (packed is None and file.lower().endswith(".zip"))


def _standard_input(limits: Limits, stdin: BinaryIO | None) -> Iterator[Input | Trouble]:
    """The log on standard input, which may be compressed, or the logs of an archive there."""
    if stdin is None and sys.stdin is None:
        yield Trouble("-", "standard input is closed")
        return
    try:
        data = (stdin or sys.stdin.buffer).read(limits.log_bytes + 1)
    except (OSError, ValueError) as trouble:
        yield Trouble("-", _reason(trouble))
        return
    if len(data) > limits.log_bytes:
        yield Trouble("-", _too_long(limits))
    elif compression_of(data) == "zip":
        yield from _archive(BytesIO(data), "-", (), limits)
    else:
        yield _log(data, "-", "stdin", (), limits)


class _Found(NamedTuple):
    """A file below a folder that is to be read, or a place that cannot be looked at.

    Attributes:
        file: where it is.
        parts: its path below the folder.
        mode: what kind of file it is; None if that cannot be told.
        reason: why it cannot be.
    """

    file: str
    parts: tuple[str, ...]
    mode: int | None
    reason: str = ""


def _walk(folder: str) -> Iterator[_Found]:
    """What is to be read below a folder, by name; a folder that is reached in several ways (by links) counts once."""
    seen: set[tuple[int, int]] = set()
    # The parts of the path below the folder, last first, so that the next one is at the end.
    waiting: list[tuple[str, ...]] = [()]
    while waiting:
        parts = waiting.pop()
        file = os.path.join(folder, *parts)
        named_as_log = bool(parts) and _is_wanted("/".join(parts))
        try:
            info = os.stat(file)
            if stat.S_ISDIR(info.st_mode):
                if (info.st_dev, info.st_ino) not in seen:
                    seen.add((info.st_dev, info.st_ino))
                    waiting.extend((*parts, name) for name in sorted(os.listdir(file), reverse=True))
                continue
        except OSError as trouble:
            # Links in a circle, and links to nothing that is called a log, are no inputs; a log or folder is.
            if trouble.errno != errno.ELOOP and (named_as_log or not parts or not os.path.islink(file)):
                yield _Found(file, parts, None, _reason(trouble))
            continue
        if named_as_log:
            yield _Found(file, parts, info.st_mode)


def _folder(folder: str, limits: Limits) -> Iterator[Input | Trouble]:
    """Everything below a folder."""
    above = _parts(folder)
    is_empty = True
    for file, parts, mode, reason in _walk(folder):
        is_empty = False
        shown = "/".join(map(plain, parts))
        if mode is None:
            yield Trouble(shown or plain(folder), reason)
        else:
            yield from _file(_Place(file, shown, (*above, *map(plain, parts[:-1]))), mode, limits)
    if is_empty:
        yield Trouble(plain(folder), f"has no logs: no name in this folder ends in {', '.join(LOG_ENDINGS)}")


def _file(place: _Place, mode: int, limits: Limits) -> Iterator[Input | Trouble]:
    """The log in a file, or the logs if it is an archive."""
    if not stat.S_ISREG(mode):
        # Opening a pipe or a device may wait for ever, or do something.
        yield Trouble(place.shown, "is no regular file; name - to have standard input read")
        return
    try:
        with open(place.file, "rb", buffering=_BUFFER) as file:
            packed = compression_of(file.read(4))
            file.seek(0)
            if _is_archive(packed, place.file):
                yield from _archive(file, place.shown, place.folders, limits)
                return
            size = os.fstat(file.fileno()).st_size
            # Some files of the system say that they have no bytes, and have.
            data = file.read(size or limits.log_bytes + 1) if size <= limits.log_bytes else None
    except OSError as trouble:
        yield Trouble(place.shown, _reason(trouble))
        return
    if data is None or len(data) > limits.log_bytes:
        yield Trouble(place.shown, _too_long(limits))
    else:
        yield _log(data, place.shown, plain(os.path.basename(place.file)), place.folders, limits)


def _archive(file: BinaryIO, shown: str, folders: tuple[str, ...], limits: Limits) -> Iterator[Input | Trouble]:
    """The logs in an archive; what lies in it lies in folders of its own, and in one with the archive's name."""
    stem = os.path.basename(shown)
    stem = stem[:-4] if stem.lower().endswith(".zip") else stem
    is_empty = True
    try:
        for name, content in read_zip(file, _is_wanted, limits):
            is_empty = False
            member = f"{shown}!/{name}"
            if isinstance(content, Refused):
                yield Trouble(member, str(content))
                continue
            *inner, last = _split(name)
            yield Input(member, _game_id(last), content, _month((*folders, stem, *inner)))
    except Refused as trouble:
        yield Trouble(shown, str(trouble))
    except OSError as trouble:
        yield Trouble(shown, _reason(trouble))
    else:
        if is_empty:
            yield Trouble(shown, f"has no logs: no name in this archive ends in {', '.join(LOG_ENDINGS)}")


def _log(data: bytes, shown: str, name: str, folders: tuple[str, ...], limits: Limits) -> Input | Trouble:
    """The log in the bytes of a file that is no archive."""
    try:
        return Input(shown, _game_id(name), unpack(data, name, limits), _month(folders))
    except Refused as trouble:
        return Trouble(shown, str(trouble))


def _is_wanted(name: str) -> bool:
    """Whether a file in a folder or an archive is read, by its name.

    What macOS adds to archives and foreign disks (``__MACOSX/201402/._1.tch``) has the names of logs and is none.
    """
    parts = _split(name)
    return parts[-1].lower().endswith(LOG_ENDINGS) and not parts[-1].startswith("._") and "__MACOSX" not in parts


def _split(name: str) -> list[str]:
    """The folders and the last name in the name of a member; some archives made on Windows have backslashes there."""
    return name.split("/" if "/" in name else "\\")


def _game_id(name: str) -> str:
    """The name of a file without its endings: ``x`` for ``x.tch.gz``."""
    stem = name
    for endings in (_PACKED_ENDINGS, _RECORD_ENDINGS):
        for ending in endings:
            if stem.lower().endswith(ending) and len(stem) > len(ending):
                stem = stem[: -len(ending)]
                break
    return stem


def _month(folders: tuple[str, ...]) -> str | None:
    """The innermost folder that has a month for a name."""
    for folder in reversed(folders):
        if _MONTH.fullmatch(folder):
            return folder
    return None


def _parts(path: str) -> tuple[str, ...]:
    """The folders in which a path lies, and its last name."""
    with suppress(OSError):  # the folder in which the program was started may be gone
        path = os.path.abspath(path)
    return tuple(plain(path).split(os.sep))


#: Why a record of another format is refused.
NOT_READ_YET: Final = "is a TGR record; this version reads BrettspielWelt logs only"


def not_read_yet(path: str) -> bool:
    """Whether a path has the name of a record in a format that this version does not read."""
    return path.lower().endswith((".tgr.json", ".tgr.jsonl"))


def plain(path: str) -> str:
    """A path as text that UTF-8 can hold: what is no text in it stands there as escapes."""
    try:
        return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return path.encode("utf-8", "backslashreplace").decode()


def _reason(trouble: Exception) -> str:
    """Why the system does not give a file, in its own words."""
    reason = trouble.strerror if isinstance(trouble, OSError) and trouble.strerror else str(trouble)
    return reason[:1].lower() + reason[1:]


def _too_long(limits: Limits) -> str:
    return f"has more than {limits.log_bytes} bytes, the most that is read of a log"
