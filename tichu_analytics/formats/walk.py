"""Finds the files below a folder, and says by their names which of them are read."""

# Names on a disk need not be text that pathlib leaves alone.
# ruff: noqa: PTH114, PTH116, PTH118, PTH208

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from typing import Final, NamedTuple

from tichu_analytics.formats.registry import endings

_LOG: Final = ".tch"
_CONTAINER_ENDINGS: Final = (".zip", ".gz", ".zst")


#: Begins the name of a file that this tool has not written to its end. Such files are left by runs that were killed;
#: they are nobody's games, and are passed over in folders.
UNFINISHED: Final = ".unfinished-"


def log_endings() -> tuple[str, ...]:
    """The endings, in small letters, of the names that are read in a folder or an archive; others are passed over."""
    return (*endings(), *_CONTAINER_ENDINGS)


class Found(NamedTuple):
    """A file below a folder that is to be read, or a place that cannot be looked at.

    Attributes:
        file: where it is.
        parts: its path below the folder.
        mode: what kind of file it is; None if that cannot be told.
        size: the number of its bytes, as the system tells it.
        reason: why nothing can be told.
    """

    file: str
    parts: tuple[str, ...]
    mode: int | None
    size: int = 0
    reason: str = ""


def walk(folder: str) -> Iterator[Found]:
    """What is to be read below a folder, by name; a folder that is reached in several ways (by links) counts once."""
    seen: set[tuple[int, int]] = set()
    # The folders that are being looked through, innermost last: their parts below the folder, and the names to come.
    waiting: list[tuple[tuple[str, ...], Iterator[str]]] = [((), iter(("",)))]
    while waiting:
        above, names = waiting[-1]
        name = next(names, None)
        if name is None:
            waiting.pop()
            continue
        parts = (*above, name) if name else ()
        file = os.path.join(folder, *parts)
        named_as_log = bool(parts) and is_wanted("/".join(parts))
        try:
            info = os.stat(file)
            if stat.S_ISDIR(info.st_mode):
                if (info.st_dev, info.st_ino) not in seen:
                    seen.add((info.st_dev, info.st_ino))
                    waiting.append((parts, iter(sorted(os.listdir(file)))))
                continue
        except OSError as trouble:
            # Links in a circle, and links to nothing that is called a log, are no inputs; a log or folder is.
            if trouble.errno != errno.ELOOP and (named_as_log or not parts or not os.path.islink(file)):
                yield Found(file, parts, None, reason=reason_of(trouble))
            continue
        if named_as_log:
            yield Found(file, parts, info.st_mode, info.st_size)


def is_wanted(name: str) -> bool:
    """Whether a file in a folder or an archive is read, by its name.

    What macOS adds to archives and foreign disks (``__MACOSX/201402/._1.tch``) has the names of logs and is none.
    """
    if name.endswith(_LOG) and "._" not in name and "__MACOSX" not in name and UNFINISHED not in name:
        return True  # as nearly all are, of which an archive has hundreds of thousands
    parts = split_name(name)
    if parts[-1].startswith(UNFINISHED):
        return False  # what this tool has not written to its end
    return parts[-1].lower().endswith(log_endings()) and not parts[-1].startswith("._") and "__MACOSX" not in parts


def split_name(name: str) -> list[str]:
    """The folders and the last name in the name of a member; some archives made on Windows have backslashes there."""
    return name.split("/" if "/" in name else "\\")


def plain(path: str) -> str:
    """A path as text that UTF-8 can hold: what is no text in it stands there as escapes."""
    try:
        return path if path.isascii() else os.fsencode(path).decode("utf-8", "backslashreplace")
    except UnicodeEncodeError:
        return path.encode("utf-8", "backslashreplace").decode()


def reason_of(trouble: Exception) -> str:
    """Why the system does not give a file, in its own words."""
    reason = trouble.strerror if isinstance(trouble, OSError) and trouble.strerror else str(trouble)
    return reason[:1].lower() + reason[1:]
