"""Where a data set lies: in a folder of this machine, or at a URL that fsspec reaches, such as ``s3://bucket/data``.

A place at a URL does what ``pathlib.Path`` does, as far as data sets need it, and raises the same errors. Nothing
there can be locked, and nothing is written under another name first: an object store has an object whole or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, BinaryIO, Final, NamedTuple, cast

from tichu_analytics.formats.remote import as_os_errors, file_system, is_url, local_path

#: Object stores: they have no folders, and what makes one elsewhere would make a bucket there.
_STORES: Final = frozenset(("s3", "s3a", "gs", "gcs", "az", "abfs", "abfss", "adl", "oci", "oss", "r2"))


class _State(NamedTuple):
    st_size: int


class UrlPath(os.PathLike[str]):
    """A file or folder at a URL.

    Attributes:
        url: the URL, without a slash at its end.
    """

    def __init__(self, url: str, size: int | None = None) -> None:
        """Nothing is asked of the file system yet.

        Args:
            url: where it is.
            size: its bytes, if a list of its folder has just told them: then it is a file that is there.
        """
        scheme, mark, rest = url.partition("://")
        self.url = f"{scheme}{mark}{rest.rstrip('/')}"
        self._size = size

    def __fspath__(self) -> str:
        return self.url

    def __str__(self) -> str:
        return self.url

    def __repr__(self) -> str:
        return f"UrlPath({self.url!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UrlPath) and other.url == self.url

    def __hash__(self) -> int:
        return hash(self.url)

    def __truediv__(self, name: str) -> UrlPath:
        return UrlPath(f"{self.url}/{name}")

    @property
    def scheme(self) -> str:
        """What stands before ``://``, in small letters."""
        return self.url.partition("://")[0].lower()

    @property
    def name(self) -> str:
        """The last name."""
        return self.url.rpartition("/")[2]

    @property
    def stem(self) -> str:
        """The last name without its last ending."""
        return self.name.rpartition(".")[0] or self.name

    @property
    def parent(self) -> UrlPath:
        """The folder in which it lies."""
        return UrlPath(self.url.rpartition("/")[0])

    def with_name(self, name: str) -> UrlPath:
        """A neighbour."""
        return UrlPath(f"{self.url.rpartition('/')[0]}/{name}")

    def relative_to(self, folder: UrlPath) -> str:
        """The path below a folder."""
        return self.url.removeprefix(f"{folder.url}/")

    def system(self) -> tuple[Any, str]:
        """The file system, and the path there.

        Raises:
            OSError: if there is none for this scheme, or it is not installed.
        """
        return file_system(self.url)

    def _kind(self) -> str | None:
        """``file``, ``directory``, or None if there is nothing."""
        if self._size is not None:
            return "file"
        system, path = self.system()
        try:
            with as_os_errors():
                return cast("str", system.info(path)["type"])
        except FileNotFoundError:
            return None

    def exists(self) -> bool:
        """Whether there is anything."""
        return self._kind() is not None

    def is_file(self) -> bool:
        """Whether there is a file."""
        return self._kind() == "file"

    def is_dir(self) -> bool:
        """Whether there is a folder, in an object store: whether there is anything below."""
        return self._kind() == "directory"

    def stat(self) -> _State:
        """The size of a file.

        Raises:
            FileNotFoundError: if it is not there.
        """
        if self._size is None:
            system, path = self.system()
            with as_os_errors():
                return _State(int(system.info(path)["size"] or 0))
        return _State(self._size)

    def iterdir(self) -> Iterator[UrlPath]:
        """What lies in a folder, by name; nothing if there is no such folder. The files know their sizes."""
        system, path = self.system()
        try:
            with as_os_errors():
                found = system.ls(path, detail=True)
        except FileNotFoundError:
            return
        for info in sorted(found, key=lambda info: str(info["name"])):
            name = info["name"].rstrip("/").rpartition("/")[2]
            # Some stores list a folder's own mark as if it were in it.
            if info["name"].rstrip("/") != path.rstrip("/"):
                yield UrlPath(f"{self.url}/{name}", int(info["size"] or 0) if info["type"] == "file" else None)

    def glob(self, pattern: str) -> list[UrlPath]:
        """What lies in a folder under names of a pattern."""
        return [one for one in self.iterdir() if fnmatchcase(one.name, pattern)]

    def open(self) -> BinaryIO:
        """A file for reading.

        Raises:
            OSError: if it cannot be read.
        """
        system, path = self.system()
        with as_os_errors():
            return cast("BinaryIO", system.open(path, "rb"))

    def read_bytes(self) -> bytes:
        """The content of a file.

        Raises:
            OSError: if it cannot be read.
        """
        system, path = self.system()
        with as_os_errors():
            return cast("bytes", system.cat_file(path))

    def write_bytes(self, data: bytes | memoryview) -> None:
        """Writes a file; what is there is replaced.

        Raises:
            OSError: if that is not possible.
        """
        system, path = self.system()
        with as_os_errors():
            system.pipe_file(path, bytes(data))

    def unlink(self, missing_ok: bool = False) -> None:
        """Removes a file.

        Raises:
            FileNotFoundError: if it is not there, unless that is all right.
            OSError: if it cannot be removed.
        """
        system, path = self.system()
        try:
            with as_os_errors():
                system.rm_file(path)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def replace(self, target: os.PathLike[str]) -> None:
        """Gives a file another name; in an object store it is copied, and then removed.

        Raises:
            OSError: if that is not possible.
        """
        system, path = self.system()
        with as_os_errors():
            system.mv(path, file_system(os.fspath(target))[1])

    def mkdir(self, parents: bool = False, exist_ok: bool = False) -> None:
        """Makes a folder where there are folders.

        Raises:
            OSError: if that is not possible.
        """
        if self.scheme not in _STORES:
            system, path = self.system()
            with as_os_errors():
                system.makedirs(path, exist_ok=exist_ok)

    def rmdir(self) -> None:
        """Removes an empty folder where there are folders.

        Raises:
            OSError: if that is not possible.
        """
        if self.scheme not in _STORES:
            system, path = self.system()
            with as_os_errors():
                system.rmdir(path)


Place = Path | UrlPath


def place(path: str | os.PathLike[str]) -> Place:
    """The place that a user names: a URL, or a path on this machine.

    Raises:
        ValueError: for a URL without a name behind the scheme.
    """
    text = os.fspath(path)
    if isinstance(text, str) and is_url(text):
        text = local_path(text)
        if is_url(text):
            if not text.partition("://")[2].strip("/"):
                raise ValueError(f"{text!a} names nothing behind ://")
            return UrlPath(text)
        return Path(text)
    return Path(path)
