"""Files that are there whole or not at all: written under another name, and renamed when they are complete."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tichu_analytics.formats.walk import UNFINISHED
from tichu_analytics.tables.places import Place, UrlPath

#: How far from its beginning a file says what it is.
_NEAR: Final = 4096


class CannotWrite(OSError):
    """Something cannot be written: no room, no permission, no folder.

    Attributes:
        path: what was to be written.
        reason: why it cannot be, in the words of the system.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason

    def __str__(self) -> str:
        return f"cannot write {self.path}: {self.reason}"


@contextmanager
def writing(path: Place) -> Iterator[None]:
    """Turns errors of the system inside into :class:`CannotWrite` with the path."""
    try:
        yield
    except CannotWrite:
        raise
    except OSError as trouble:
        reason = trouble.strerror or str(trouble)
        raise CannotWrite(os.fspath(path), reason[:1].lower() + reason[1:]) from trouble


def write_whole(path: Place, data: bytes | memoryview) -> None:
    """Writes a file so that it is never there in part, even if the machine stops; one of that name is replaced.

    Raises:
        CannotWrite: if that is not possible; nothing is left behind then.
    """
    if isinstance(path, UrlPath):
        with writing(path):
            path.write_bytes(data)
        return
    unfinished = path.with_name(f"{UNFINISHED}{os.getpid()}-{path.name}")
    with writing(path):
        try:
            with unfinished.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            unfinished.replace(path)
        except BaseException:
            with suppress(OSError):
                unfinished.unlink()
            raise


def is_others(path: Path, mark: bytes) -> bool:
    """Whether a file is there that is not one of ours, so that nothing should be written over it.

    Args:
        path: the file; one that is not there, is empty, or is a pipe or a device, is nobody's.
        mark: what stands near the beginning of every file of the kind that is to be written.

    Raises:
        CannotWrite: if it cannot be looked at.
    """
    if not path.is_file():
        return False
    with writing(path), path.open("rb") as file:
        beginning = file.read(_NEAR)
    return bool(beginning) and mark not in beginning


def write_json(path: Place, value: object, *, indent: int | None = None) -> None:
    """Writes a value as JSON in ASCII, whole or not at all.

    Raises:
        CannotWrite: as :func:`write_whole` does.
    """
    write_whole(path, (json.dumps(value, indent=indent) + "\n").encode())


def read_json(path: Place) -> dict[str, Any] | None:
    """The object in a JSON file; None if there is no such file or it holds something else.

    Raises:
        OSError: if a file at a URL cannot be reached; that does not mean that it is not there.
    """
    try:
        if isinstance(path, Path) and not path.is_file():  # a pipe would be waited for
            return None
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError, FileNotFoundError):
        return None
    except OSError:
        if isinstance(path, UrlPath):
            raise
        return None
    return value if isinstance(value, dict) else None


@contextmanager
def locked(folder: Place) -> Iterator[None]:
    """Keeps a folder for this process while it is written to, where the system can do that; nothing at a URL.

    Raises:
        CannotWrite: if another process has it.
    """
    if isinstance(folder, UrlPath):
        yield
        return
    try:
        import fcntl
    except ImportError:  # Windows
        yield
        return
    with writing(folder):
        handle = os.open(folder, os.O_RDONLY)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise CannotWrite(os.fspath(folder), "another export is writing there") from None
        except OSError:
            pass  # some network file systems have no locks
        yield
    finally:
        os.close(handle)
