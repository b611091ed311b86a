"""What the directory of an archive says about the logs in it, and how to be sure that it is so.

Name, size and CRC-32 of a member stand for its content here, so that an archive that has been seen before need not be
inflated again. That holds for members that are what they are called: one BrettspielWelt log, whole, that goes by its
name. An archive with anything else in it is read.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats import registry
from tichu_analytics.formats.inflate import DEFAULT, Refused
from tichu_analytics.formats.pieces import Run, buffered, read_run
from tichu_analytics.formats.places import MEMBER, Input, Place, Spot, Trouble, open_named, spot_of
from tichu_analytics.formats.sources import How, Numbered, read_archive
from tichu_analytics.formats.walk import is_wanted, split_name
from tichu_analytics.formats.zipdirs import Directory, Entry, directory_of, entries_of
from tichu_analytics.formats.zips import Budget, keeps_limits, read_members

#: Bytes of a fingerprint, as many as a SHA-256 has.
FINGERPRINT: Final = 32
_CLAIM: Final = struct.Struct("<QL20x")
_ENDING: Final = ".tch"
_LONGEST_NAME: Final = 4096
_READ: Final = (0, 8)
_HOW: Final = How()


class NotAsNamed(Exception):
    """A member of an archive is something else than its directory lets one expect.

    Attributes:
        spot: the number of the archive, see :class:`tichu_analytics.formats.places.Spot`.
        path: what the archive is called.
    """

    def __init__(self, spot: int, path: str) -> None:
        super().__init__(spot, path)
        self.spot = spot
        self.path = path


class Changed(Exception):
    """A game is no longer what it was.

    Attributes:
        path: which one, or its archive.
        reason: why it cannot be read, if it is at a URL and cannot; whoever could at first may have been another one.
    """

    def __init__(self, path: str, reason: str = "") -> None:
        super().__init__(path, reason)
        self.path = path
        self.reason = reason


class Found(NamedTuple):
    """A game or a trouble in an archive.

    Attributes:
        number: of the game.
        one: the game, without its bytes if the archive was not read, or the trouble.
        size: bytes of the game.
        weight: bytes of the member as the directory says, 0 for all games in it but the first one.
        claim: size and CRC-32 of a member that is what it is called; None for anything else.
        directory: its entry.
    """

    number: int
    one: Input | Trouble
    size: int
    weight: int
    claim: bytes | None
    directory: Directory


def claim_of(size: int, crc: int) -> bytes:
    """Size and CRC-32 as bytes that stand in the place of a SHA-256."""
    return _CLAIM.pack(size, crc)


def directory_to_trust(file: BinaryIO) -> Directory | None:
    """The directory of an archive that keeps all limits if its members are what it says; None for others.

    Raises:
        OSError: if the system does not give it.
    """
    try:
        directory = directory_of(file)
    except Refused:
        return None
    return directory if keeps_limits(file, directory, is_wanted, DEFAULT) else None


def is_plain(file: BinaryIO, directory: Directory) -> bool:
    """Whether all members that are read seem to be BrettspielWelt logs, by the directory of their archive alone."""
    if not registry.is_alone():
        return False
    for entry in entries_of(file, directory):
        name = entry.name()
        if name.endswith("/") or not is_wanted(name):
            continue
        if not name.lower().endswith(_ENDING) or entry.flags & 0x2041 or entry.method not in _READ:
            return False
        if len(entry.raw_name) > _LONGEST_NAME or entry.compressed > DEFAULT.log_bytes:
            return False
    return True


def by_directory(file: BinaryIO, spot: Spot, directory: Directory) -> Iterator[Found]:
    """The logs of an archive by its directory alone.

    Args:
        file: the archive.
        spot: the same.
        directory: its directory, see :func:`is_plain`.
    """
    archive = spot.place
    number = spot.number + 1
    start = directory.start
    for entry in entries_of(file, directory):
        name = entry.name()
        if not name.endswith("/") and is_wanted(name):
            one = Input(
                f"{archive.shown}!/{name}", registry.stem(split_name(name)[-1]), b"", month_of_member(archive, name)
            )
            claim = claim_of(entry.size, entry.crc)
            where = directory._replace(start=start, end=entry.end)
            yield Found(number, one, entry.size, entry.size, claim, where)
            number += 1 << MEMBER
        start = entry.end


def by_content(file: BinaryIO, spot: Spot, directory: Directory) -> Iterator[Found]:
    """The games of an archive, which is read.

    Args:
        file, spot, directory: as for :func:`by_directory`.

    Raises:
        Refused: if the archive inflates to too much.
        OSError: if the system does not give it.
    """
    here: Entry | None = None
    start = directory.start

    def entries() -> Iterator[Entry]:
        nonlocal here, start
        for entry in entries_of(file, directory):
            start = directory.start if here is None else here.end
            here = entry
            yield entry

    budget = Budget(directory.length, DEFAULT)
    counted: Entry | None = None
    numbered = read_archive(
        lambda suffices: read_members(file, entries(), directory, is_wanted, budget, suffices), spot, _HOW
    )
    for number, one in numbered:
        assert here is not None
        weight = 0 if counted is here else here.size
        counted = here
        size = len(one.data) if isinstance(one, Input) else 0
        claim = claim_of(here.size, here.crc)
        where = directory._replace(start=start, end=here.end)
        yield Found(number, one, size, weight, claim if is_as_claimed(one, claim) else None, where)


def month_of_member(archive: Place, name: str) -> str | None:
    """The month that the folders of a member tell, or those of its archive."""
    folder = archive.name[:-4] if archive.name.lower().endswith(".zip") else archive.name
    return Place("", "", (*archive.folders, folder, *split_name(name)[:-1])).month()


def is_as_claimed(one: Input | Trouble, claim: bytes) -> bool:
    """Whether a game is the one log that the directory of its archive lets one expect."""
    return (
        isinstance(one, Input)
        and one.format == "bsw"
        and one.line == 1
        and one.path.lower().endswith(_ENDING)
        and claim_of(len(one.data), zlib.crc32(one.data)) == claim
    )


def read_claimed(run: Run, claims: bytes) -> Iterator[Numbered]:
    """Reads a run of members of which the directory has been believed.

    Args:
        run: the members.
        claims: sizes and CRC-32 of all of them as they were.

    Raises:
        Changed: if the directory says something else by now.
        NotAsNamed: if a member is not what the directory says.
        OSError: if the system does not give the archive.
    """
    with open_named(run.spot.path, run.packed) as file, buffered(file) as archive:
        try:
            now = [claim_of(one.size, one.crc) for one in entries_of(archive, run.directory) if _is_read(one)]
        except Refused:
            now = []
        if b"".join(now) != claims or archive.seek(0, 2) != run.directory.length:
            raise Changed(run.spot.place.shown)
    expected = run.spot.number + 1
    count = 0
    with suppress(Refused):  # then some are missing
        for number, one in read_run(run, Budget(run.directory.length, DEFAULT)):
            claim = claims[FINGERPRINT * count : FINGERPRINT * (count + 1)]
            if number != expected or not is_as_claimed(one, claim):
                raise NotAsNamed(spot_of(run.spot.number), run.spot.place.shown)
            yield number, one
            count += 1
            expected += 1 << MEMBER
    if FINGERPRINT * count != len(claims):
        raise NotAsNamed(spot_of(run.spot.number), run.spot.place.shown)


def _is_read(entry: Entry) -> bool:
    name = entry.name()
    return not name.endswith("/") and is_wanted(name)
