"""Turns the paths that a user names into a stream of games: files, folders, archives, compressed files, standard input.

Nothing that a path can hold raises an error here: an input that cannot be read becomes a :class:`Trouble` in the
stream, and those after it are read all the same. One game is held in memory at a time.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from io import BufferedReader, BytesIO, RawIOBase
from itertools import chain
from typing import BinaryIO, Final, NamedTuple, cast

from tichu_analytics.formats import registry
from tichu_analytics.formats.content import Content, Line, lines_of
from tichu_analytics.formats.inflate import DEFAULT, PIECE, Limits, Refused, compression_of, is_tar, pieces_of
from tichu_analytics.formats.places import Input, Place, Spot, Trouble, fetched, game_number, open_named, spots
from tichu_analytics.formats.remote import is_url
from tichu_analytics.formats.walk import is_wanted, log_endings, plain, reason_of, split_name
from tichu_analytics.formats.zips import Member, read_zip

__all__ = [
    "DEFAULT",
    "How",
    "Input",
    "Limits",
    "Numbered",
    "Trouble",
    "keep_standard_input",
    "log_endings",
    "log_ids",
    "plain",
    "read_archive",
    "read_inputs",
    "read_numbered",
    "read_spot",
    "read_spots",
    "reason_of",
]

_BUFFER: Final = 1 << 16
#: As much of a file is looked at to tell whether it has a game on each line; most games have far less.
_AHEAD: Final = 1 << 20
#: Standard input that is kept is held in memory up to so many bytes, and in a file beyond.
_IN_MEMORY: Final = 1 << 24


#: A game with its number (see :func:`tichu_analytics.formats.places.game_number`), or a trouble in its place.
Numbered = tuple[int, Input | Trouble]


class How(NamedTuple):
    """How inputs are read.

    Attributes:
        limits: how much is read at most.
        passed_over: says by the id of a game whether no more of it is wanted than that; None if all of all is.
    """

    limits: Limits = DEFAULT
    passed_over: Callable[[str], bool] | None = None


_HOW: Final = How()


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
    for _, one in read_numbered(paths, How(limits), stdin):
        yield one


def read_numbered(paths: Iterable[str], how: How = _HOW, stdin: BinaryIO | None = None) -> Iterator[Numbered]:
    """What :func:`read_inputs` gives, with the numbers of the games.

    Args:
        paths, stdin: as for :func:`read_inputs`.
        how: in which way; of games that are passed over come path and id, if their name tells it without their being
            read, and no bytes.
    """
    yield from read_spots(spots(paths), how, stdin)


def read_spots(spots: Iterable[Spot | Trouble], how: How = _HOW, stdin: BinaryIO | None = None) -> Iterator[Numbered]:
    """Reads the games in files, one after the other; troubles as they are.

    Args:
        spots: the files.
        how, stdin: as for :func:`read_numbered`.
    """
    for spot in fetched(spots):
        if isinstance(spot, Trouble):
            yield 0, spot
        else:
            yield from read_spot(spot, how, stdin)


def log_ids(paths: Iterable[str], stdin: BinaryIO | None = None) -> Iterator[str]:
    """The ids that the games under some paths go by.

    Files whose names tell the ids are not read for it, only looked at. What cannot be read may give an id or none.

    Args:
        paths: as for :func:`read_inputs`.
        stdin: what is read for ``-``, which is passed over without it.
    """
    some = (path for path in paths if path != "-" or stdin is not None)
    for _, one in read_numbered(some, How(passed_over=lambda game_id: True), stdin):
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


def read_spot(spot: Spot, how: How, stdin: BinaryIO | None = None) -> Iterator[Numbered]:
    """Reads the games in a file, which may be an archive, or those on standard input.

    Args:
        spot: the file.
        how: in which way.
        stdin: what is read in place of standard input.
    """
    if spot.is_standard_input:
        return _standard_input(spot, how, stdin)
    return _file(spot, how)


def _standard_input(spot: Spot, how: How, stdin: BinaryIO | None) -> Iterator[Numbered]:
    """The games on standard input, which may be compressed, or those of an archive there."""
    if stdin is None and sys.stdin is None:
        yield spot.number, Trouble("-", "standard input is closed")
        return
    source = stdin or sys.stdin.buffer
    try:
        head = source.read(_BUFFER)
        if compression_of(head) == "zip":
            data = head + source.read(max(0, how.limits.log_bytes + 1 - len(head)))
            if len(data) > how.limits.log_bytes:
                message = f"has more than {how.limits.log_bytes} bytes, the most that is read of an archive here"
                yield spot.number, Trouble("-", message)
            else:
                yield from _archive(BytesIO(data), spot, how)
        else:
            yield from _games(Content(_pieces(head, source), spot.place.name, how.limits), spot, how)
    except (OSError, ValueError) as trouble:
        yield spot.number, Trouble("-", reason_of(trouble))


def _pieces(head: bytes, file: BinaryIO) -> Iterator[bytes]:
    """The bytes of a file of which the head has been read."""
    return chain((head,), iter(partial(file.read, PIECE), b""))


def _file(spot: Spot, how: How) -> Iterator[Numbered]:
    """The games in a file, which may be an archive."""
    place = spot.place
    if not stat.S_ISREG(spot.mode):
        # Opening a pipe or a device may wait for ever, or do something.
        yield spot.number, Trouble(place.shown, "is no regular file; name - to have standard input read")
        return
    try:
        with open_named(spot.path) as file:
            head = file.read(_BUFFER)
            if is_archive(place.name, head):
                file.seek(0)
                with BufferedReader(cast("RawIOBase", file), _BUFFER) as archive:
                    yield from _archive(cast("BinaryIO", archive), spot, how)
                return
            if (log := _plain_log(head, spot, how)) is not None:
                yield spot.number + 1, log
                return
            # Some files of the system say that they have no bytes, and have.
            size = (spot.size if is_url(spot.path) else os.fstat(file.fileno()).st_size) or None
            yield from _games(Content(_pieces(head, file), place.name, how.limits, size), spot, how)
    except OSError as trouble:
        yield spot.number, Trouble(place.shown, reason_of(trouble))


def _plain_log(head: bytes, spot: Spot, how: How) -> Input | None:
    """The game of a file that is surely one log, by its first bytes, if they are all that is wanted; None if unsure.

    Nearly all files are such ones, and there may be hundreds of thousands.
    """
    name = spot.place.name
    if not registry.is_surely_log(head) or not name.lower().endswith(registry.endings()) or is_tar(head):
        return None
    game_id = registry.stem(name)
    if how.passed_over is not None and how.passed_over(game_id):
        return Input(spot.place.shown, game_id, b"", None)
    if len(head) != spot.size or len(head) > how.limits.log_bytes:
        return None
    return Input(spot.place.shown, game_id, head, spot.place.month())


def is_archive(name: str, head: bytes) -> bool:
    """Whether a file is a zip archive, by its first bytes, or is to be one by its name."""
    packed = compression_of(head)
    return packed == "zip" or (packed is None and name.lower().endswith(".zip"))


def _archive(file: BinaryIO, spot: Spot, how: How) -> Iterator[Numbered]:
    """The games in an archive."""
    is_empty = True
    shown = spot.place.shown
    try:
        for found in read_archive(partial(read_zip, file, is_wanted, how.limits), spot, how):
            is_empty = False
            yield found
    except Refused as trouble:
        yield spot.number, Trouble(shown, str(trouble))
    except OSError as trouble:
        yield spot.number, Trouble(shown, reason_of(trouble))
    else:
        if is_empty:
            message = f"has no logs: no name in this archive ends in {', '.join(log_endings())}"
            yield spot.number, Trouble(shown, message)


def read_archive(
    members: Callable[[Callable[[str, Callable[[int], bytes]], bool] | None], Iterator[Member]], spot: Spot, how: How
) -> Iterator[Numbered]:
    """The games in members of an archive, which lie in folders of its own, and in one with the archive's name.

    Args:
        members: gives the members, for something that says of which ones the first bytes suffice.
        spot: the archive, with the number of the first of the members.
        how: in which way they are read.

    Raises:
        Refused, OSError: what comes of the members.
    """
    archive = spot.place
    name = archive.name[:-4] if archive.name.lower().endswith(".zip") else archive.name
    folders = (*archive.folders, name)
    suffices = None if how.passed_over is None else partial(_suffices, how.passed_over)
    for count, (member, content) in enumerate(members(suffices)):
        number = game_number(spot.number, count, 0)
        shown = f"{archive.shown}!/{member}"
        *inner, last = split_name(member)
        if isinstance(content, Refused):
            yield number, Trouble(shown, str(content))
        elif content is None:
            yield number + 1, Input(shown, registry.stem(last), b"", None)
        else:
            inside = Spot(number, spot.path, Place(shown, last, (*folders, *inner)))
            form = registry.format_of(last, content)
            if form.many(last, content):
                yield from _many(lines_of(pieces_of(content), how.limits.log_bytes), form, inside, how)
            else:
                yield _one(content, form, inside)


def _suffices(passed_over: Callable[[str], bool], name: str, start: Callable[[int], bytes]) -> bool:
    """Whether no more of a member of an archive is wanted than its id, and its name is the id, by its first bytes."""
    last = split_name(name)[-1]
    if not passed_over(registry.stem(last)):
        return False
    # Nearly all members are logs, and there may be millions of them.
    if registry.is_surely_log(start(registry.FEW)):
        return True
    head = start(registry.START)
    if compression_of(head) is not None:
        return False
    form = registry.format_of(name, head)
    return not form.has_ids and not form.many(name, head)


def _games(content: Content, spot: Spot, how: How) -> Iterator[Numbered]:
    """The game in a file, or all of them if there is one on each line."""
    name = spot.place.name
    form = registry.format_of(name, content.start(registry.START))
    try:
        if form.many(name, content.start(_AHEAD)):
            yield from _many(content.lines(), form, spot, how)
        elif how.passed_over is not None and not form.has_ids and how.passed_over(registry.stem(name)):
            yield _one(b"", form, spot)
        else:
            yield _one(content.whole(), form, spot)
    except Refused as trouble:
        yield spot.number, Trouble(spot.place.shown, str(trouble))
    except OSError as trouble:
        yield spot.number, Trouble(spot.place.shown, reason_of(trouble))


def _one(data: bytes, form: registry.Format, spot: Spot) -> Numbered:
    """The only game in a place."""
    place = spot.place
    game_id = registry.own_id(form, data) or registry.stem(place.name)
    return spot.number + 1, Input(place.shown, game_id, data, place.month(), form.name)


def _many(lines: Iterable[Line], form: registry.Format, spot: Spot, how: How) -> Iterator[Numbered]:
    """The games on the lines of a file; if there is none, a game that is empty."""
    place = spot.place
    stem = registry.stem(place.name)
    month = place.month()
    is_empty = True
    for line, data in lines:
        is_empty = False
        number = game_number(spot.number, 0, line)
        if data is None:
            most = how.limits.log_bytes
            message = f"line {line} has more than {most} bytes, the most that is read of a log"
            yield number, Trouble(place.shown, message)
        else:
            game_id = registry.own_id(form, data) or f"{stem}-{line}"
            yield number, Input(place.shown, game_id, data, month, form.name, line)
    if is_empty:
        yield spot.number + 1, Input(place.shown, stem, b"", month, form.name)
