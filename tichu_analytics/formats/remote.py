"""Files and folders at URLs (``s3://bucket/logs``), read through fsspec where it is installed.

Whatever a service answers becomes an OSError with a reason in one line: no such bucket, no permission, no credentials,
no network. Credentials and endpoints come from where the service's own library looks for them: the environment, files
in the home folder, the machine's role.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from io import BufferedReader, BytesIO, RawIOBase
from typing import Any, BinaryIO, Final, NamedTuple, cast

from tichu_analytics.formats.walk import is_wanted, plain

#: What is to be installed for all this.
EXTRA: Final = "pip install 'tichu_analytics[cluster]'"
_EXTRA_HAS: Final = ("fsspec", "s3fs", "aiobotocore", "aiohttp")

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_FILE: Final = "file://"
#: Bytes that are fetched at a time from a large file; members of an archive mostly lie one after the other.
_BLOCK: Final = 4 << 20
#: Small files are fetched several at a time, since each takes a while to come: so many, and so many bytes together.
_SMALL: Final = 1 << 20
_TOGETHER: Final = 64
_TOGETHER_BYTES: Final = 16 << 20
#: Characters of what a service says that are told.
_LONGEST: Final = 200


class Object(NamedTuple):
    """A file at a URL.

    Attributes:
        parts: its path below the folder that was named; empty if it was named itself.
        file: its content, from the beginning, until the next one is asked for; None if it cannot be read.
        size: its bytes, if they are known.
        reason: why it cannot be read.
    """

    parts: tuple[str, ...]
    file: BinaryIO | None
    size: int | None = None
    reason: str = ""


def is_url(path: str) -> bool:
    """Whether a path begins with a scheme, such as ``s3://``."""
    return _URL.match(path) is not None


def local_path(path: str) -> str:
    """The path on this machine for a ``file://`` URL; any other path as it is."""
    return path[len(_FILE) :] if path[: len(_FILE)].lower() == _FILE else path


def names_of(url: str) -> tuple[str, ...]:
    """The bucket or host, the folders and the last name in a URL, as text that UTF-8 can hold."""
    return tuple(plain(name) for name in url.partition("://")[2].split("/") if name)


def file_system(url: str) -> tuple[Any, str]:
    """What fsspec has for a URL: a file system, and the path there.

    Raises:
        OSError: if there is none for this scheme, or it is not installed.
    """
    with as_os_errors():
        from fsspec.core import url_to_fs

        system, path = url_to_fs(url)
        system.invalidate_cache()  # what others have written there meanwhile is to be seen
        return system, cast("str", path)


@contextmanager
def as_os_errors() -> Iterator[None]:
    """Turns whatever a file system raises inside into an OSError, with a reason in one line.

    What is not there stays a FileNotFoundError, what is not allowed a PermissionError.
    """
    try:
        yield
    except ImportError as trouble:
        raise OSError(errno.ENOSYS, _needs(trouble)) from None
    except OSError as trouble:
        if isinstance(trouble, FileNotFoundError):
            number = errno.ENOENT
        elif isinstance(trouble, PermissionError):
            number = errno.EACCES
        else:
            number = trouble.errno or errno.EIO
        raise OSError(number, _reason(trouble)) from None
    except Exception as trouble:
        raise OSError(errno.EIO, _reason(trouble)) from None


def _needs(trouble: ImportError) -> str:
    """What is to be installed so that it goes on."""
    said = re.search(r"[Ii]nstall ([a-z]\w+)|\"(\w+)\" to be installed", str(trouble))
    name = (trouble.name or (said and (said[1] or said[2])) or "fsspec").partition(".")[0]
    own = name in _EXTRA_HAS
    return f"reading and writing there needs {name}, which is not installed: {EXTRA if own else f'pip install {name}'}"


def _reason(trouble: Exception) -> str:
    """Why it cannot be, in a part of a sentence."""
    said = trouble.strerror if isinstance(trouble, OSError) and trouble.strerror else str(trouble)
    line = " ".join(said.split())[:_LONGEST].rstrip(".:")
    if isinstance(trouble, FileNotFoundError) and (" " not in line or line == "Not Found"):
        return "there is nothing of this name"  # only the name was said
    if isinstance(trouble, PermissionError) and "permission" not in line.lower():
        return f"permission denied ({line})" if line else "permission denied"
    if not line:
        return f"it does not answer as it should ({type(trouble).__name__})"
    return line[:1].lower() + line[1:]


def objects(url: str) -> Iterator[Object]:
    """What is at a URL: the file of this name, or the files below it, in the order of their names.

    Below a folder, only files are read whose names :func:`tichu_analytics.formats.walk.is_wanted` wants.
    """
    try:
        system, path = file_system(url)
        with as_os_errors():
            info = system.info(path)
            found = [] if info["type"] == "file" and info.get("size") else _below(system, path)
            # An empty object may be the mark of a folder.
            if info["type"] == "file" and not found:
                found = [_Found((), path, _size(info))]
    except OSError as trouble:
        yield Object((), None, reason=str(trouble.strerror))
        return
    for some in _together(found):
        if len(some) > 1:
            yield from _fetched(system, some)
        else:
            yield from _opened(system, some[0])


class _Found(NamedTuple):
    """A file: its path below the folder, its path in the file system, its bytes if known."""

    parts: tuple[str, ...]
    path: str
    size: int | None


def _size(info: dict[str, Any]) -> int | None:
    size = info.get("size")
    return size if isinstance(size, int) else None


def _below(system: Any, path: str) -> list[_Found]:
    """The files below a folder that are read, in the order in which a folder on a disk is searched through."""
    found = []
    above = path.rstrip("/") + "/"
    for name, info in system.find(path, detail=True).items():
        below = name[len(above) :] if name.startswith(above) else name.lstrip("/")
        if below and info["type"] == "file" and is_wanted(below):
            found.append(_Found(tuple(below.split("/")), name, _size(info)))
    found.sort(key=lambda one: one.parts)
    return found


def _together(found: Iterable[_Found]) -> Iterator[list[_Found]]:
    """The files in order, small ones that follow each other together."""
    some: list[_Found] = []
    size = 0
    for one in found:
        is_small = one.size is not None and one.size <= _SMALL
        if some and (not is_small or len(some) == _TOGETHER or size >= _TOGETHER_BYTES):
            yield some
            some = []
            size = 0
        if is_small:
            some.append(one)
            size += one.size or 0
        else:
            yield [one]
    if some:
        yield some


def _fetched(system: Any, found: list[_Found]) -> Iterator[Object]:
    """Small files, fetched side by side where the file system can do that."""
    wanted = [one for one in found if one.size]
    contents: list[Any] = []
    try:
        with as_os_errors():
            paths = [one.path for one in wanted]
            contents = system.cat_ranges(paths, [0] * len(wanted), [one.size for one in wanted], on_error="return")
    except OSError as trouble:
        contents = [trouble] * len(wanted)
    by_path = dict(zip((one.path for one in wanted), contents, strict=True))
    for one in found:
        content = by_path.pop(one.path, b"")
        if isinstance(content, Exception):
            try:
                with as_os_errors():
                    raise content
            except OSError as trouble:
                yield Object(one.parts, None, reason=str(trouble.strerror))
        else:
            yield Object(one.parts, BytesIO(content), len(content) or None)


def _opened(system: Any, found: _Found) -> Iterator[Object]:
    """A file, of which is fetched what is read."""
    try:
        with as_os_errors():
            file = system.open(found.path, "rb", block_size=_BLOCK, cache_type="readahead")
    except OSError as trouble:
        yield Object(found.parts, None, reason=str(trouble.strerror))
        return
    with closing(BufferedReader(_Raw(file), 1 << 16)) as read:
        yield Object(found.parts, read, found.size or None)


class _Raw(RawIOBase):
    """A file of fsspec whose troubles are OSErrors."""

    def __init__(self, file: Any) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, room: Any) -> int:
        with as_os_errors():
            data = self._file.read(len(room))
        room[: len(data)] = data
        return len(data)

    def seek(self, place: int, whence: int = 0) -> int:
        with as_os_errors():
            return int(self._file.seek(place, whence))

    def tell(self) -> int:
        return int(self._file.tell())

    def close(self) -> None:
        if not self.closed:
            with as_os_errors():
                self._file.close()
        super().close()
