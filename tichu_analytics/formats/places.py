"""The files that paths name, one after the other: what each is called, where it lies, and what kind of file it is.

A path may be a URL. Whoever has a file's path can open it, in another process or on another machine, too.
"""

# Names on a disk need not be text that pathlib leaves alone.
# ruff: noqa: PTH100, PTH116, PTH119, PTH123, PTH206

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from io import BytesIO
from typing import BinaryIO, Final, NamedTuple, cast

from tichu_analytics.formats.remote import BLOCK, fetch, is_url, local_path, names_of, objects, open_url
from tichu_analytics.formats.walk import log_endings, plain, reason_of, walk

_MONTH: Final = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])")
#: Where the number of a file begins in the number of a game, and where that of a member of an archive does.
_FILE: Final = 56
MEMBER: Final = 32
#: Small files at URLs are fetched several at a time, since each takes a while to come: so many, and so many bytes.
_SMALL: Final = 1 << 20
_TOGETHER: Final = 64
_TOGETHER_BYTES: Final = 16 << 20

#: Files at URLs that have been fetched and are about to be opened, or why they cannot be read.
_fetched: dict[str, bytes | OSError] = {}


class Input(NamedTuple):
    """One game as it was found.

    Attributes:
        path: the file as it was named; a file found in a folder relative to that folder; ``a.zip!/201402/1.tch`` for a
            member of an archive. Always text that UTF-8 can hold: other bytes in a name stand there as escapes.
        game_id: the record's own id, or the file's name without its endings, ``stdin`` for standard input; in a file of
            many games with the number of the line behind it, ``club-3``. It is text that UTF-8 can hold, too.
        data: the bytes of the game, no longer compressed, in a file of many games without the end of the line.
        month: ``YYYYMM`` if the game lies in a folder (or an archive) of such a name, otherwise None.
        format: the name of its format in :mod:`tichu_analytics.formats.registry`.
        line: the line of the file on which the bytes begin, from 1.
    """

    path: str
    game_id: str
    data: bytes
    month: str | None
    format: str = "bsw"
    line: int = 1


class Trouble(NamedTuple):
    """An input that could not be read.

    Attributes:
        path: as in :class:`Input`.
        message: why, for example ``is encrypted``; it goes after the path and a colon.
    """

    path: str
    message: str


class Place(NamedTuple):
    """Where something is: what it is called in the output (``shown``), its last name, and the folders it lies in."""

    shown: str
    name: str
    folders: tuple[str, ...]

    def month(self) -> str | None:
        """The innermost folder that has a month for a name."""
        for folder in reversed(self.folders):
            if _MONTH.fullmatch(folder):
                return folder
        return None


class Spot(NamedTuple):
    """A file, or standard input.

    Attributes:
        number: of its games; they count on from here, see :func:`game_number`.
        path: where it is, also a URL; ``-`` for standard input.
        place: what it is called.
        mode: what kind of file it is, as the system tells it; at a URL all are regular files.
        size: the number of its bytes, as the system tells it; 0 if it does not.
        root: the number of the path under which it was found among those that were named.
    """

    number: int
    path: str
    place: Place
    mode: int = 0
    size: int = 0
    root: int = 0

    @property
    def is_standard_input(self) -> bool:
        """Whether it is no file but standard input."""
        return self.mode == 0


def game_number(spot: int, member: int, line: int) -> int:
    """A number for a game, by which games are in the order of the inputs.

    Args:
        spot: the number of its file, or of a member of an archive that comes before.
        member: how many members that are read come before it in the archive, or after the one of ``spot``.
        line: the line on which it begins.
    """
    return spot + (member << MEMBER) + line


def spot_of(number: int) -> int:
    """The number of the file in which a game with some number is."""
    return number >> _FILE << _FILE


def spots(paths: Iterable[str]) -> Iterator[Spot | Trouble]:
    """The files that some paths name, in order; for a path that names none, or a folder without logs, a trouble.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
    """
    count = 0
    has_standard_input = False
    for root, path in enumerate(paths):
        if path == "-":
            if has_standard_input:
                yield Trouble("-", "is named twice")
            else:
                yield Spot(count << _FILE, "-", Place("-", "stdin", ()), root=root)
                count += 1
            has_standard_input = True
            continue
        if not path:
            yield Trouble("''", "the name is empty")
            continue
        path = local_path(path)
        if is_url(path):
            for one in _at_url(path, root):
                if isinstance(one, Trouble):
                    yield one
                else:
                    yield one._replace(number=count << _FILE)
                    count += 1
            continue
        try:
            state = os.stat(path)
        except (OSError, ValueError) as trouble:
            yield Trouble(plain(path), reason_of(trouble))
            continue
        if not stat.S_ISDIR(state.st_mode):
            place = Place(plain(path), plain(os.path.basename(path)), _parts(path)[:-1])
            yield Spot(count << _FILE, path, place, state.st_mode, state.st_size, root)
            count += 1
            continue
        above = _parts(path)
        is_empty = True
        for file, parts, mode, size, reason in walk(path):
            is_empty = False
            names = [plain(part) for part in parts]
            shown = "/".join(names)
            if mode is None:
                yield Trouble(shown or plain(path), reason)
            else:
                place = Place(shown, names[-1], (*above, *names[:-1]))
                yield Spot(count << _FILE, file, place, mode, size, root)
                count += 1
        if is_empty:
            yield Trouble(plain(path), f"has no logs: no name in this folder ends in {', '.join(log_endings())}")


def _at_url(url: str, root: int) -> Iterator[Spot | Trouble]:
    """The files at a URL; those below a folder are called as if it were one on a disk."""
    above = names_of(url)
    is_empty = True
    for one in objects(url):
        is_empty = False
        parts = [plain(part) for part in one.parts]
        shown = "/".join(parts) or plain(url)
        if one.reason:
            yield Trouble(shown, one.reason)
        else:
            names = ("", *above, *parts)
            yield Spot(0, one.url, Place(shown, names[-1], names[:-1]), stat.S_IFREG, one.size, root)
    if is_empty:
        yield Trouble(plain(url), f"has no logs: no name below ends in {', '.join(log_endings())}")


def fetched(spots: Iterable[Spot | Trouble]) -> Iterator[Spot | Trouble]:
    """Passes files on, to be opened before the next one is asked for; small ones at URLs are fetched several at a time.

    Args:
        spots: files and troubles.
    """
    some: list[Spot] = []
    size = 0
    for spot in spots:
        small = spot if isinstance(spot, Spot) and is_url(spot.path) and 0 < spot.size <= _SMALL else None
        is_full = len(some) == _TOGETHER or size >= _TOGETHER_BYTES
        if some and (small is None or small.root != some[0].root or is_full):
            yield from _one_by_one(some)
            some = []
            size = 0
        if small is None:
            yield spot
        else:
            some.append(small)
            size += small.size
    if some:
        yield from _one_by_one(some)


def _one_by_one(spots: list[Spot]) -> Iterator[Spot]:
    contents = fetch([spot.path for spot in spots], [spot.size for spot in spots])
    for spot, content in zip(spots, contents, strict=True):
        _fetched[spot.path] = content
        try:
            yield spot
        finally:
            _fetched.pop(spot.path, None)


def open_named(path: str, block: int = BLOCK) -> BinaryIO:
    """Opens a file that was named, for reading; it can seek. All inputs but standard input are opened here.

    Args:
        path: where it is: a path of this machine, or a URL.
        block: how many bytes are fetched at a time from a URL, about.

    Raises:
        OSError: if the system, or the service, does not give it.
    """
    if not is_url(path):
        return cast("BinaryIO", open(path, "rb", buffering=0))
    content = _fetched.get(path)
    if isinstance(content, OSError):
        raise content
    return BytesIO(content) if content is not None else cast("BinaryIO", open_url(path, block))


def _parts(path: str) -> tuple[str, ...]:
    """The folders in which a path lies, and its last name."""
    with suppress(OSError):  # the folder in which the program was started may be gone
        path = os.path.abspath(path)
    return tuple(plain(path).split(os.sep))
