"""Inputs cut into pieces that another process can read by itself: named where that is possible, else read already.

What is named is a run of members of a zip archive, by the archive's path and the place of their entries in its
directory, or some files, by their paths. Everything else is read while the pieces are cut: standard input, large files
that hold many games or are compressed, archives that may come to more than is read of one, and what nobody else could
open.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterable, Iterator
from io import BufferedReader, RawIOBase
from itertools import groupby
from typing import BinaryIO, Final, NamedTuple, cast

from tichu_analytics.formats import registry
from tichu_analytics.formats.inflate import DEFAULT, Refused, compression_of
from tichu_analytics.formats.places import MEMBER, Input, Spot, Trouble, game_number, open_named, spots
from tichu_analytics.formats.remote import is_private
from tichu_analytics.formats.sources import How, Numbered, is_archive, read_archive, read_spot, read_spots
from tichu_analytics.formats.walk import is_wanted, reason_of
from tichu_analytics.formats.zipdirs import Directory, directory_of, entries_of
from tichu_analytics.formats.zips import Budget, keeps_limits, read_members

#: Bytes of games after which a piece ends.
PIECE_BYTES: Final = 1 << 20
#: What a game counts besides its bytes, so that a piece does not have any number of empty ones.
_EACH: Final = 1 << 10
_BUFFER: Final = 1 << 16
#: Logs deflate to about a sixth.
_DEFLATED: Final = 6
#: Numbers of games within one file.
_SPOT: Final = (1 << 56) - 1
_HOW: Final = How()


class Run(NamedTuple):
    """Some members of an archive that follow one another.

    They may be read in any order and by several processes as long as none comes to more than the directory says. The
    reader has to add up what they come to (:class:`tichu_analytics.formats.zips.Budget`) to be sure of that.

    Attributes:
        spot: the archive, with the number of the first of the games.
        directory: their entries.
        logs: how many members are read.
        size: their bytes as the directory says.
    """

    spot: Spot
    directory: Directory
    logs: int
    size: int

    @property
    def last(self) -> int:
        """The largest number that a game in it can have."""
        return game_number(self.spot.number, self.logs, 0) - 1

    @property
    def packed(self) -> int:
        """About how many bytes of the archive they take."""
        return self.size // _DEFLATED


class Files(NamedTuple):
    """Some files, whatever they are.

    Attributes:
        spots: the files.
        size: their bytes.
    """

    spots: tuple[Spot, ...]
    size: int

    @property
    def last(self) -> int:
        """The largest number that a game in them can have."""
        return self.spots[-1].number | _SPOT


class Ready(NamedTuple):
    """Some games that have been read, with their numbers, and troubles between them.

    Attributes:
        inputs: the games and troubles.
        size: their bytes.
    """

    inputs: tuple[Numbered, ...]
    size: int


Piece = Run | Files | Ready


def pieces(
    paths: Iterable[str],
    stdin: BinaryIO | None = None,
    most: int = PIECE_BYTES,
    times: Callable[[], int] = lambda: 1,
    can_open: Callable[[str], bool] = lambda path: not is_private(path),
) -> Iterator[Piece]:
    """Cuts everything that the paths name into pieces, in order.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        stdin: what is read for ``-``; by default standard input.
        most: bytes of games after which a piece ends.
        times: how many times as much may be named in one.
        can_open: says of a path whether those who read the pieces can open it; by default they are other processes of
            this machine.
    """
    for is_named, some in groupby(spots(paths), lambda spot: can_open(spot.path)):
        if is_named:
            yield from _named(some, stdin, most, times)
        else:
            yield from _ready(read_spots(some, _HOW, stdin), most)


def _named(
    spots: Iterable[Spot | Trouble], stdin: BinaryIO | None, most: int, times: Callable[[], int]
) -> Iterator[Piece]:
    """The pieces of files that can be named."""
    files: list[Spot] = []
    size = 0
    for spot in spots:
        if isinstance(spot, Spot) and not spot.is_standard_input and spot.size < most and stat.S_ISREG(spot.mode):
            files.append(spot)
            size += spot.size + _EACH
            if size >= most * times():
                yield Files(tuple(files), size)
                files = []
                size = 0
            continue
        if files:
            yield Files(tuple(files), size)
            files = []
            size = 0
        if isinstance(spot, Trouble):
            yield Ready(((0, spot),), 0)
        else:
            yield from _large(spot, stdin, most, times)
    if files:
        yield Files(tuple(files), size)


def _large(spot: Spot, stdin: BinaryIO | None, most: int, times: Callable[[], int]) -> Iterator[Piece]:
    """The pieces of a file that is larger than one, or no regular file."""
    if stat.S_ISREG(spot.mode):
        try:
            with open_named(spot.path) as file:
                head = file.read(_BUFFER)
                if is_archive(spot.place.name, head):
                    with buffered(file) as archive:
                        is_empty = True
                        for run in runs(archive, spot, lambda: most * times()) or ():
                            is_empty = False
                            yield run
                        if not is_empty:
                            return
                elif compression_of(head) is None and not _is_many(file, spot, head):
                    yield Files((spot,), spot.size)
                    return
        except OSError as trouble:
            yield Ready(((spot.number, Trouble(spot.place.shown, reason_of(trouble))),), 0)
            return
    yield from _ready(read_spot(spot, _HOW, stdin), most)


def _is_many(file: BinaryIO, spot: Spot, head: bytes) -> bool:
    """Whether a file that is not compressed may have a game on each line."""
    form = registry.format_of(spot.place.name, head)
    return form.has_ids and form.many(spot.place.name, head + file.read(1 << 20))


def _ready(inputs: Iterable[Numbered], most: int) -> Iterator[Ready]:
    some: list[Numbered] = []
    size = 0
    for number, one in inputs:
        some.append((number, one))
        size += _EACH + (len(one.data) if isinstance(one, Input) else 0)
        if size >= most:
            yield Ready(tuple(some), size)
            some = []
            size = 0
    if some:
        yield Ready(tuple(some), size)


def runs(file: BinaryIO, spot: Spot, most: Callable[[], int]) -> Iterator[Run] | None:
    """Cuts an archive into runs of members; None if it has to be read from its beginning to its end.

    Args:
        file: the archive.
        spot: the same.
        most: says after how many bytes of games a run ends.

    Raises:
        OSError: if the system does not give it.
    """
    try:
        directory = directory_of(file)
    except Refused:
        return None
    return _runs(file, spot, directory, most) if keeps_limits(file, directory, is_wanted, DEFAULT) else None


def _runs(file: BinaryIO, spot: Spot, directory: Directory, most: Callable[[], int]) -> Iterator[Run]:
    start = end = directory.start
    number = spot.number
    logs = size = 0
    for entry in entries_of(file, directory):
        end = entry.end
        name = entry.name()
        if name.endswith("/") or not is_wanted(name):
            continue
        logs += 1
        size += entry.size + _EACH
        if size >= most():
            yield Run(spot._replace(number=number), directory._replace(start=start, end=end), logs, size)
            number += logs << MEMBER
            start = end
            logs = size = 0
    if logs:
        yield Run(spot._replace(number=number), directory._replace(start=start, end=end), logs, size)


def read_piece(piece: Piece, budget: Budget | None = None) -> Iterator[Numbered]:
    """Reads a piece.

    Args:
        piece: the piece; files and archives are opened, and what cannot be read is a trouble.
        budget: for a run: what it may inflate to, where what it does inflate to is counted; by default it may
            inflate to as much as the whole archive.
    """
    if isinstance(piece, Ready):
        yield from piece.inputs
    elif isinstance(piece, Files):
        yield from read_spots(piece.spots)
    else:
        yield from _read_run(piece, budget or Budget(piece.directory.length, DEFAULT))


def _read_run(run: Run, budget: Budget) -> Iterator[Numbered]:
    spot = run.spot
    try:
        yield from read_run(run, budget)
    except Refused as trouble:
        yield spot.number, Trouble(spot.place.shown, str(trouble))
    except OSError as trouble:
        yield spot.number, Trouble(spot.place.shown, reason_of(trouble))


def read_run(run: Run, budget: Budget) -> Iterator[Numbered]:
    """Reads some members of an archive.

    Args:
        run: the members.
        budget: what they may inflate to.

    Raises:
        Refused: if no more may be read.
        OSError: if the archive cannot be read.
    """
    directory = run.directory
    with open_named(run.spot.path, run.packed) as file, buffered(file) as archive:
        yield from read_archive(
            lambda suffices: read_members(
                archive, entries_of(archive, directory), directory, is_wanted, budget, suffices
            ),
            run.spot,
            _HOW,
        )


def buffered(file: BinaryIO) -> BinaryIO:
    """A file that is read in blocks, as the directory of an archive wants it."""
    return cast("BinaryIO", BufferedReader(cast("RawIOBase", file), _BUFFER))
