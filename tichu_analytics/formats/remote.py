"""Files and folders at URLs (``s3://bucket/logs``), read through fsspec where it is installed.

Whatever a service answers becomes an OSError with a reason in one line: no such bucket, no permission, no credentials,
no network. Credentials and endpoints come from where the service's own library looks for them: the environment, files
in the home folder, the machine's role.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from io import RawIOBase
from typing import Any, Final, NamedTuple

from tichu_analytics.formats.walk import is_wanted, plain

#: What is to be installed for all this.
EXTRA: Final = "pip install 'tichu_analytics[cluster]'"
_EXTRA_HAS: Final = ("fsspec", "s3fs", "aiobotocore", "aiohttp")

_URL: Final = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_FILE: Final = "file://"
_MEMORY: Final = "memory://"
#: Between two URLs of which the first is of something inside of the second (``simplecache://...::s3://...``).
_CHAIN: Final = "::"
#: Bytes that are fetched at a time from a large file; members of an archive mostly lie one after the other.
BLOCK: Final = 4 << 20
#: Fewer are not fetched at a time: asking for them takes longer than getting them.
_LEAST: Final = 1 << 18
#: Characters of what a service says that are told.
_LONGEST: Final = 200


class Object(NamedTuple):
    """A file at a URL.

    Attributes:
        parts: its path below the folder that was named; empty if it was named itself.
        url: its own URL.
        size: its bytes; 0 if they are not known.
        reason: why nothing can be told of it; empty if it is there.
    """

    parts: tuple[str, ...]
    url: str
    size: int = 0
    reason: str = ""


def is_url(path: str) -> bool:
    """Whether a path begins with a scheme, such as ``s3://``."""
    return _URL.match(path) is not None


def is_private(path: str) -> bool:
    """Whether a path is a URL that leads into the memory of this process, where nobody else can read."""
    return path[: len(_MEMORY)].lower() == _MEMORY


def is_everywhere(path: str) -> bool:
    """Whether a path is a URL that should lead to the same file from every machine."""
    return is_url(path) and not is_private(path) and _CHAIN not in path


def local_path(path: str) -> str:
    """The path on this machine for a ``file://`` URL; any other path as it is."""
    return path[len(_FILE) :] if path[: len(_FILE)].lower() == _FILE else path


def names_of(url: str) -> tuple[str, ...]:
    """The bucket or host, the folders and the last name in a URL, as text that UTF-8 can hold."""
    return tuple(plain(name) for name in url.partition(_CHAIN)[0].partition("://")[2].split("/") if name)


def _below_url(url: str, parts: Iterable[str]) -> str:
    """The URL of a file below a folder."""
    folder, mark, rest = url.partition(_CHAIN)
    return "/".join((folder.rstrip("/"), *parts)) + mark + rest


def file_system(url: str) -> tuple[Any, str]:
    """What fsspec has for a URL: a file system, and the path there.

    Raises:
        OSError: if there is none for this scheme, or it is not installed.
    """
    with as_os_errors():
        from fsspec.core import url_to_fs

        if _CHAIN in url and "://" not in url.partition(_CHAIN)[2]:
            system, path = _not_chained(url)
        else:
            system, path = url_to_fs(url)
        system.invalidate_cache()  # what others have written there meanwhile is to be seen
        return system, path


def _not_chained(url: str) -> tuple[Any, str]:
    """A file system, and the path there, for a URL that has two colons in a name."""
    from fsspec.core import get_filesystem_class

    kind = get_filesystem_class(url.partition("://")[0].lower())
    return kind(**kind._get_kwargs_from_urls(url)), kind._strip_protocol(url)


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

    Below a folder, only files are told whose names :func:`tichu_analytics.formats.walk.is_wanted` wants. Nothing is
    opened.
    """
    try:
        system, path = file_system(url)
        with as_os_errors():
            info = system.info(path)
            is_file = info["type"] != "directory"
            # An empty object may be the mark of a folder.
            found = [] if is_file and _size(info) else _below(system, path)
            if is_file and not found:
                found = [((), _size(info))]
    except OSError as trouble:
        yield Object((), url, reason=str(trouble.strerror))
        return
    for parts, size in found:
        yield Object(parts, _below_url(url, parts) if parts else url, size)


def _size(info: dict[str, Any]) -> int:
    size = info.get("size")
    return size if isinstance(size, int) else 0


def _below(system: Any, path: str) -> list[tuple[tuple[str, ...], int]]:
    """The files below a folder that are read, with their bytes, in the order in which one on a disk is gone through."""
    found = []
    above = path.rstrip("/") + "/"
    for name, info in system.find(path, detail=True).items():
        below = name[len(above) :] if name.startswith(above) else name.lstrip("/")
        if below and name.rstrip("/") != path.rstrip("/") and info["type"] == "file" and is_wanted(below):
            found.append((tuple(below.split("/")), _size(info)))
    found.sort()
    return found


def fetch(urls: Sequence[str], sizes: Sequence[int]) -> list[bytes | OSError]:
    """The content of small files in one file system, fetched side by side where it can do that.

    Args:
        urls: where they are.
        sizes: their bytes.

    Returns:
        For each its content, or why it cannot be read.
    """
    try:
        found = [file_system(url) for url in urls]
        with as_os_errors():
            paths = [path for _, path in found]
            contents = found[0][0].cat_ranges(paths, [0] * len(paths), list(sizes), on_error="return")
    except OSError as trouble:
        return [trouble] * len(urls)
    return [_as_os_error(one) if isinstance(one, Exception) else bytes(one) for one in contents]


def _as_os_error(trouble: Exception) -> OSError:
    try:
        with as_os_errors():
            raise trouble
    except OSError as told:
        return told


def open_url(url: str, block: int = BLOCK) -> RawIOBase:
    """Opens a file, of which is fetched what is read, and something of what follows.

    Args:
        url: where it is.
        block: how many bytes of what follows, about.

    Raises:
        OSError: if it cannot be read; so does what is done with it.
    """
    system, path = file_system(url)
    with as_os_errors():
        return _Raw(system.open(path, "rb", block_size=min(max(block, _LEAST), BLOCK), cache_type="readahead"))


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
