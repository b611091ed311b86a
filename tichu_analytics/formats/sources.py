"""Turns the paths that a user names into a stream of games: files, folders, archives, compressed files, standard input.

Nothing that a path can hold raises an error here: an input that cannot be read becomes a :class:`Trouble` in the
stream, and those after it are read all the same. One game is held in memory at a time.
"""

from __future__ import annotations

import errno
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from io import BufferedReader, BytesIO
from itertools import chain
from typing import BinaryIO, Final, NamedTuple, cast

from tichu_analytics.formats import registry
from tichu_analytics.formats.content import Content, Line, lines_of
from tichu_analytics.formats.inflate import DEFAULT, PIECE, Limits, Refused, compression_of, pieces_of
from tichu_analytics.formats.remote import is_url, local_path, names_of, objects
from tichu_analytics.formats.walk import is_wanted, log_endings, plain, reason_of, split_name, walk
from tichu_analytics.formats.zips import read_zip

__all__ = [
    "DEFAULT",
    "Input",
    "Limits",
    "Trouble",
    "keep_standard_input",
    "log_endings",
    "log_ids",
    "plain",
    "read_inputs",
    "reason_of",
]

_BUFFER: Final = 1 << 16
#: As much of a file is looked at to tell whether it has a game on each line; most games have far less.
_AHEAD: Final = 1 << 20
#: Standard input that is kept is held in memory up to so many bytes, and in a file beyond.
_IN_MEMORY: Final = 1 << 24
_MONTH: Final = re.compile(r"(?:19|20)[0-9]{2}(?:0[1-9]|1[0-2])")


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


class _Place(NamedTuple):
    """Where something is: what it is called in the output (``shown``), its last name, and the folders it lies in."""

    shown: str
    name: str
    folders: tuple[str, ...]


class _How(NamedTuple):
    """How inputs are read: within which limits, and whether no more is wanted than the games' ids."""

    limits: Limits
    ids_only: bool = False


def read_inputs(
    paths: Iterable[str], limits: Limits = DEFAULT, stdin: BinaryIO | None = None
) -> Iterator[Input | Trouble]:
    """Reads everything that the paths name, one game after the other.

    Args:
        paths: files, folders (searched through in the order of their names), zip archives, ``.gz`` and ``.zst`` files,
            or ``-`` for standard input; also at URLs (``s3://bucket/logs``). A file named here is always read, and its
            first bytes decide how; in folders and archives only names with one of the :func:`log_endings` are read.
        limits: how much is read at most.
        stdin: what is read for ``-``; by default standard input.

    Yields:
        The games in the order of the paths, and in their places the inputs that could not be read.
    """
    return _read(paths, _How(limits), stdin)


def log_ids(paths: Iterable[str], stdin: BinaryIO | None = None) -> Iterator[str]:
    """The ids that the games under some paths go by.

    Files whose names tell the ids are not read for it, only looked at. What cannot be read may give an id or none.

    Args:
        paths: as for :func:`read_inputs`.
        stdin: what is read for ``-``, which is passed over without it.
    """
    for one in _read((path for path in paths if path != "-" or stdin is not None), _How(DEFAULT, True), stdin):
        if isinstance(one, Input):
            yield one.game_id


def keep_standard_input(limits: Limits = DEFAULT) -> BinaryIO:
    """Reads standard input into a file without a name, from where it can be read several times.

    It is read as far as something in it may be used: no further than the longest log, unless it has a game on each
    line. The file stands at its beginning.

    Raises:
        OSError: if standard input cannot be read, or not be kept.
        ValueError: if it is closed.
    """
    from tempfile import SpooledTemporaryFile

    if sys.stdin is None:
        raise ValueError("standard input is closed")
    source = sys.stdin.buffer
    kept = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115
    try:
        head = source.read(_AHEAD)
        kept.write(head)
        is_many = False
        if compression_of(head) != "zip":
            start = Content([head], "stdin", limits).start(_AHEAD)
            is_many = registry.format_of("stdin", start).many("stdin", start)
        left = (limits.archive_bytes if is_many else limits.log_bytes) + 1 - len(head)
        while left > 0 and (piece := source.read(min(left, _AHEAD))):
            kept.write(piece)
            left -= len(piece)
        if left <= 0 and is_many:
            raise OSError(errno.EFBIG, f"has more than {limits.archive_bytes} bytes, the most that is read")
        kept.seek(0)
    except BaseException:
        kept.close()
        raise
    return cast("BinaryIO", kept)


def _read(paths: Iterable[str], how: _How, stdin: BinaryIO | None) -> Iterator[Input | Trouble]:
    """Everything that the paths name."""
    has_read_stdin = False
    for path in paths:
        if path == "-":
            yield from _standard_input(how, stdin) if not has_read_stdin else [Trouble("-", "is named twice")]
            has_read_stdin = True
            continue
        path = local_path(path)
        if is_url(path):
            yield from _url(path, how)
            continue
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError) as trouble:
            yield Trouble(plain(path), reason_of(trouble))
            continue
        if stat.S_ISDIR(mode):
            yield from _folder(path, how)
        else:
            yield from _file(path, _Place(plain(path), plain(os.path.basename(path)), _parts(path)[:-1]), mode, how)


def _standard_input(how: _How, stdin: BinaryIO | None) -> Iterator[Input | Trouble]:
    """The games on standard input, which may be compressed, or those of an archive there."""
    if stdin is None and sys.stdin is None:
        yield Trouble("-", "standard input is closed")
        return
    source = stdin or sys.stdin.buffer
    place = _Place("-", "stdin", ())
    try:
        head = source.read(_BUFFER)
        if compression_of(head) == "zip":
            data = head + source.read(max(0, how.limits.log_bytes + 1 - len(head)))
            if len(data) > how.limits.log_bytes:
                yield Trouble(
                    "-", f"has more than {how.limits.log_bytes} bytes, the most that is read of an archive here"
                )
            else:
                yield from _archive(BytesIO(data), place, how)
        else:
            yield from _games(Content(_pieces(head, source), place.name, how.limits), place, how)
    except (OSError, ValueError) as trouble:
        yield Trouble("-", reason_of(trouble))


def _pieces(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file of which the head has been read."""
    return chain((head,), iter(partial(file.read, PIECE), b""))


def _folder(folder: str, how: _How) -> Iterator[Input | Trouble]:
    """Everything below a folder."""
    above = _parts(folder)
    is_empty = True
    for file, parts, mode, reason in walk(folder):
        is_empty = False
        names = [plain(part) for part in parts]
        shown = "/".join(names)
        if mode is None:
            yield Trouble(shown or plain(folder), reason)
        else:
            yield from _file(file, _Place(shown, names[-1], (*above, *names[:-1])), mode, how)
    if is_empty:
        yield Trouble(plain(folder), f"has no logs: no name in this folder ends in {', '.join(log_endings())}")


def _file(path: str, place: _Place, mode: int, how: _How) -> Iterator[Input | Trouble]:
    """The games in a file, which may be an archive."""
    if not stat.S_ISREG(mode):
        # Opening a pipe or a device may wait for ever, or do something.
        yield Trouble(place.shown, "is no regular file; name - to have standard input read")
        return
    try:
        with open(path, "rb", buffering=0) as file:
            head = file.read(_BUFFER)
            packed = compression_of(head)
            if packed == "zip" or (packed is None and path.lower().endswith(".zip")):
                file.seek(0)
                with BufferedReader(file, _BUFFER) as archive:
                    yield from _archive(archive, place, how)
                return
            # Some files of the system say that they have no bytes, and have.
            size = os.fstat(file.fileno()).st_size or None
            yield from _games(Content(_pieces(head, file), place.name, how.limits, size), place, how)
    except OSError as trouble:
        yield Trouble(place.shown, reason_of(trouble))


def _url(url: str, how: _How) -> Iterator[Input | Trouble]:
    """Everything at a URL; games in a folder there go by the same names as in a folder on a disk."""
    above = names_of(url)
    is_empty = True
    for one in objects(url):
        is_empty = False
        parts = tuple(plain(part) for part in one.parts)
        names = ("", *above, *parts)
        place = _Place("/".join(parts) or plain(url), names[-1], names[:-1])
        if one.file is None:
            yield Trouble(place.shown, one.reason)
            continue
        try:
            head = one.file.read(_BUFFER)
            packed = compression_of(head)
            if packed == "zip" or (packed is None and place.name.lower().endswith(".zip")):
                one.file.seek(0)
                yield from _archive(one.file, place, how)
            else:
                yield from _games(Content(_pieces(head, one.file), place.name, how.limits, one.size), place, how)
        except OSError as trouble:
            yield Trouble(place.shown, reason_of(trouble))
    if is_empty:
        yield Trouble(plain(url), f"has no logs: no name below ends in {', '.join(log_endings())}")


def _archive(file: BinaryIO, place: _Place, how: _How) -> Iterator[Input | Trouble]:
    """The games in an archive; what lies in it lies in folders of its own, and in one with the archive's name."""
    name = place.name[:-4] if place.name.lower().endswith(".zip") else place.name
    is_empty = True
    try:
        for member, content in read_zip(file, is_wanted, how.limits, _is_id if how.ids_only else None):
            is_empty = False
            shown = f"{place.shown}!/{member}"
            *inner, last = split_name(member)
            if isinstance(content, Refused):
                yield Trouble(shown, str(content))
            elif content is None:
                yield Input(shown, registry.stem(last), b"", None)
            else:
                inside = _Place(shown, last, (*place.folders, name, *inner))
                form = registry.format_of(last, content)
                if form.many(last, content):
                    yield from _many(lines_of(pieces_of(content), how.limits.log_bytes), form, inside, how)
                else:
                    yield _one(content, form, inside)
    except Refused as trouble:
        yield Trouble(place.shown, str(trouble))
    except OSError as trouble:
        yield Trouble(place.shown, reason_of(trouble))
    else:
        if is_empty:
            yield Trouble(place.shown, f"has no logs: no name in this archive ends in {', '.join(log_endings())}")


def _is_id(name: str, start: Callable[[int], bytes]) -> bool:
    """Whether the name of a member of an archive is the id of the only game in it, by its first bytes."""
    # Nearly all members are logs, and there may be millions of them.
    if registry.is_surely_log(start(registry.FEW)):
        return True
    head = start(registry.START)
    if compression_of(head) is not None:
        return False
    form = registry.format_of(name, head)
    return not form.has_ids and not form.many(name, head)


def _games(content: Content, place: _Place, how: _How) -> Iterator[Input | Trouble]:
    """The game in a file, or all of them if there is one on each line."""
    form = registry.format_of(place.name, content.start(registry.START))
    try:
        if form.many(place.name, content.start(_AHEAD)):
            yield from _many(content.lines(), form, place, how)
        elif how.ids_only and not form.has_ids:
            yield _one(b"", form, place)
        else:
            yield _one(content.whole(), form, place)
    except Refused as trouble:
        yield Trouble(place.shown, str(trouble))
    except OSError as trouble:
        yield Trouble(place.shown, reason_of(trouble))


def _one(data: bytes, form: registry.Format, place: _Place) -> Input:
    """The only game in a place."""
    game_id = registry.own_id(form, data) or registry.stem(place.name)
    return Input(place.shown, game_id, data, _month(place.folders), form.name)


def _many(lines: Iterable[Line], form: registry.Format, place: _Place, how: _How) -> Iterator[Input | Trouble]:
    """The games on the lines of a file; if there is none, a game that is empty."""
    stem = registry.stem(place.name)
    month = _month(place.folders)
    is_empty = True
    for number, line in lines:
        is_empty = False
        if line is None:
            most = how.limits.log_bytes
            yield Trouble(place.shown, f"line {number} has more than {most} bytes, the most that is read of a log")
        else:
            game_id = registry.own_id(form, line) or f"{stem}-{number}"
            yield Input(place.shown, game_id, line, month, form.name, number)
    if is_empty:
        yield Input(place.shown, stem, b"", month, form.name)


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
