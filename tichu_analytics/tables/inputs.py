"""The inputs of an export, as they are planned and as they are read."""

from __future__ import annotations

import stat
from collections.abc import Collection, Iterable, Iterator
from hashlib import sha256
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats.inflate import Refused
from tichu_analytics.formats.members import (
    FINGERPRINT,
    Changed,
    Found,
    by_content,
    by_directory,
    directory_to_trust,
    is_plain,
    month_of_member,
    read_claimed,
)
from tichu_analytics.formats.pieces import Files, Piece, Ready, Run, buffered, read_piece
from tichu_analytics.formats.places import Input, Spot, Trouble, fetched, open_named, spots
from tichu_analytics.formats.remote import is_url, local_path
from tichu_analytics.formats.sources import How, is_archive, read_spot
from tichu_analytics.formats.walk import plain, reason_of
from tichu_analytics.formats.zipdirs import Directory

#: How a log can be had: only by reading all inputs, by reading its file alone, or by reading its entry in an archive.
READ: Final = 0
FILE: Final = 1
MEMBER: Final = 2

_HEAD: Final = 1 << 16
_HOW: Final = How()


class Source(NamedTuple):
    """A log with where it comes from.

    Attributes:
        log: the log, without its bytes if there is a claim about them, or why there is none.
        origin: changes from one log to the next at the border of an archive, of a folder or archive that was named, or
            of a month.
        number: of the log, see :func:`tichu_analytics.formats.places.game_number`.
        kind: how it can be had.
        size: its bytes.
        weight: what it counts where parts are cut, in bytes.
        claim: what stands in the place of the SHA-256 of its content.
        spot: the file in which it is.
        directory: its entry if it is a member of an archive.
    """

    log: Input | Trouble
    origin: tuple[str, ...]
    number: int = 0
    kind: int = READ
    size: int = 0
    weight: int = 0
    claim: bytes | None = None
    spot: Spot | None = None
    directory: Directory | None = None


def sources(paths: Iterable[str], stdin: BinaryIO | None = None, odd: Collection[int] = ()) -> Iterator[Source]:
    """Everything that the paths name, in order; see :func:`tichu_analytics.formats.sources.read_inputs`.

    Of archives in which nothing but BrettspielWelt logs seems to be, only the directories are read.

    Args:
        paths: files, folders, archives, ``-`` for standard input.
        stdin: what is read in place of standard input, so that this can be done twice.
        odd: the numbers of archives in which not everything is what it seems; they are read.
    """
    paths = list(paths)
    for spot in fetched(spots(paths)):
        if isinstance(spot, Trouble):
            yield Source(spot, ())
        else:
            yield from source(spot, paths[spot.root], stdin, odd)


def source(spot: Spot, named: str, stdin: BinaryIO | None, odd: Collection[int]) -> Iterator[Source]:
    """What is in a file.

    Args:
        spot: the file.
        named: the path under which it was found.
        stdin, odd: as for :func:`sources`.
    """
    named = plain(local_path(named))
    if stat.S_ISREG(spot.mode):
        try:
            with open_named(spot.path) as file:
                if is_archive(spot.place.name, file.read(_HEAD)):
                    with buffered(file) as archive:
                        directory = directory_to_trust(archive)
                        if directory is not None:
                            yield from _members(archive, spot, directory, named, odd)
                            return
        except OSError as trouble:
            yield Source(Trouble(spot.place.shown, reason_of(trouble)), ())
            return
    kind = READ if spot.is_standard_input else FILE
    waiting: Source | None = None
    for number, log in read_spot(spot, _HOW, stdin):
        if waiting is not None:
            # More than one log in a file: then it is read as a whole.
            kind = READ
            yield waiting._replace(kind=kind)
        size = len(log.data) if isinstance(log, Input) else 0
        waiting = Source(log, _origin(log, named, spot), number, kind, size, size, None, spot)
    if waiting is not None:
        yield waiting._replace(kind=kind)


def _members(file: BinaryIO, spot: Spot, directory: Directory, named: str, odd: Collection[int]) -> Iterator[Source]:
    """What is in an archive."""
    is_trusted = spot.number not in odd and is_plain(file, directory)
    is_empty = True
    found: Iterable[Found] = (by_directory if is_trusted else by_content)(file, spot, directory)
    try:
        for number, one, size, weight, claim, where in found:
            is_empty = False
            kind = READ if claim is None else MEMBER
            yield Source(one, _origin(one, named, spot), number, kind, size, weight, claim, spot, where)
    except Refused as trouble:
        yield Source(Trouble(spot.place.shown, str(trouble)), ())
    if is_empty:
        for _, one in read_spot(spot, _HOW):
            yield Source(one, ())


def _origin(log: Input | Trouble, named: str, spot: Spot) -> tuple[str, ...]:
    archive, mark, member = log.path.partition("!/")
    # Files that were named one by one belong together; a folder or an archive stands for itself.
    origin = "" if log.path == named else str(spot.root)
    month = log.month if isinstance(log, Input) else month_of_member(spot.place, member)
    return origin, archive if mark else "", month or ""


def read_logs(pieces: Iterable[Piece], digests: bytes, new_ids: dict[int, str | None]) -> Iterator[tuple[int, Input]]:
    """Reads the logs of a part.

    Args:
        pieces: where they are.
        digests: the SHA-256 of every log that is named, or what stands in its place.
        new_ids: by the numbers of logs, the ids that they get; None for those that are not read a second time.

    Yields:
        The logs with their numbers.

    Raises:
        Changed: if a log is no longer what it was.
        NotAsNamed: if a member of an archive is something else than its directory says.
    """
    count = 0
    for piece in pieces:
        if isinstance(piece, Run):
            stop = count + piece.logs
            try:
                inputs = read_claimed(piece, digests[FINGERPRINT * count : FINGERPRINT * stop])
                for number, one in inputs:
                    if isinstance(one, Input) and (log := _with_id(one, number, new_ids)) is not None:
                        yield number, log
            except OSError as trouble:
                reason = reason_of(trouble) if is_url(piece.spot.path) else ""
                raise Changed(piece.spot.place.shown, reason) from None
            count = stop
            continue
        is_ready = isinstance(piece, Ready)
        is_remote = isinstance(piece, Files) and is_url(piece.spots[0].path)
        for number, one in read_piece(piece):
            if isinstance(one, Trouble):
                raise Changed(one.path, one.message if is_remote else "")
            if not is_ready:
                if sha256(one.data).digest() != digests[FINGERPRINT * count : FINGERPRINT * (count + 1)]:
                    raise Changed(one.path)
                count += 1
            if (log := _with_id(one, number, new_ids)) is not None:
                yield number, log
    if FINGERPRINT * count != len(digests):
        raise Changed("one of the files")


def _with_id(log: Input, number: int, new_ids: dict[int, str | None]) -> Input | None:
    """A log with the id that it gets; None if it is not read a second time."""
    if number not in new_ids:
        return log
    new_id = new_ids[number]
    return None if new_id is None else log._replace(game_id=new_id)
