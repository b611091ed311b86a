"""Reads zip archives member by member, with memory that does not grow with the number of members.

The archives of recorded games have hundreds of thousands of small members. The standard library's reader makes an
object of every member before the first can be read, and spends more time around a small member than on inflating it;
this one walks through the archive's directory once. It also takes nothing in an archive at its word: sizes are counted,
members must lie in the file side by side, and names are text and never a place on a disk.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats.inflate import Limits, Refused, inflate_raw, raw_start, unpack
from tichu_analytics.formats.zipdirs import LOCAL, Directory, Entry, directory_of, entries_of

_LOCAL_MAGIC: Final = b"PK\x03\x04"

#: No path on a disk is longer.
_LONGEST_NAME: Final = 4096

_STORED: Final = 0
_DEFLATED: Final = 8
_METHODS: Final = {1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "XZ"}
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
#: How many of a member's first bytes are looked at where they may suffice.
_START: Final = 1 << 12


class Member(NamedTuple):
    """A member of an archive: its name as text, and its bytes or why there are none; None if they were not wanted."""

    name: str
    content: bytes | Refused | None


class Budget:
    """What an archive may still inflate to, and how much of the file its members may still take.

    Attributes:
        limits: how much is read at most.
        length: the bytes of the file.
        most: bytes to which all members may inflate.
        inflated: bytes to which those that were read have inflated.
        taken: bytes that they take in the file.
    """

    def __init__(self, length: int, limits: Limits) -> None:
        self.limits = limits
        self.most = min(limits.archive_bytes, max(limits.ratio_free_bytes, limits.ratio * length))
        self.inflated = 0
        self.length = length
        self.taken = 0

    def spend(self, inflated: int) -> None:
        """Counts what came out of a member.

        Raises:
            Refused: if the archive has inflated to more than it may.
        """
        self.inflated += inflated
        if self.inflated > self.most:
            raise Refused(f"inflates to more than {self.most} bytes, the most that is read of an archive of its size")

    def take(self, entry: Entry) -> None:
        """Counts the room that a member takes in the file.

        Raises:
            Refused: if all of them take more room than there is: some lie over one another, as in an archive that is
                made to inflate to far more than its size.
        """
        self.taken += entry.room()
        if self.taken > self.length:
            raise Refused("has members that lie over one another")


def read_zip(
    file: BinaryIO,
    is_wanted: Callable[[str], bool],
    limits: Limits,
    suffices: Callable[[str, Callable[[int], bytes]], bool] | None = None,
) -> Iterator[Member]:
    """Reads the members of an archive in the order of its directory.

    Args:
        file: the archive, open for reading and able to seek.
        is_wanted: says by a member's name whether it is to be read; the others are passed over.
        limits: how much is read at most.
        suffices: says by a member's name and by a function that gives as many of its first bytes as one wants (as they
            come out of the archive, at most 4096) that no more is to be read.

    Yields:
        The members that are wanted; one that cannot be read has the reason in place of its bytes, and one of which the
        first bytes suffice has None.

    Raises:
        Refused: if the archive itself cannot be read, or not further: the members before were good.
    """
    directory = directory_of(file)
    budget = Budget(directory.length, limits)
    seen = 0

    def counted() -> Iterator[Entry]:
        nonlocal seen
        for entry in entries_of(file, directory):
            seen += 1
            if seen > limits.archive_members:
                raise Refused(f"has more than {limits.archive_members} members")
            yield entry

    yield from read_members(file, counted(), directory, is_wanted, budget, suffices)
    if seen & 0xFFFF != directory.members & 0xFFFF:
        raise Refused(f"is damaged: its directory has {seen} members, and should have {directory.members}")


def read_members(
    file: BinaryIO,
    entries: Iterable[Entry],
    directory: Directory,
    is_wanted: Callable[[str], bool],
    budget: Budget,
    suffices: Callable[[str, Callable[[int], bytes]], bool] | None = None,
) -> Iterator[Member]:
    """Reads some members of an archive.

    Args:
        file, is_wanted, suffices: as for :func:`read_zip`.
        entries: what the directory says about them.
        directory: the directory.
        budget: what they may inflate to.

    Yields:
        What :func:`read_zip` gives.

    Raises:
        Refused: if no more may be read.
    """
    for entry in entries:
        name = entry.name()
        if name.endswith("/") or not is_wanted(name):
            continue
        if suffices is not None and suffices(name, partial(_start, file, entry, directory)):
            yield Member(name, None)
            continue
        good = False
        try:
            if len(entry.raw_name) > _LONGEST_NAME:
                raise Refused(f"has a name of more than {_LONGEST_NAME} bytes")
            packed = _content(file, entry, directory.shift, budget)
            good = True
            content: bytes | Refused = unpack(packed, name, budget.limits)
        except Refused as trouble:
            content = trouble
        if good:
            # An entry that is damaged may claim any size; only what could be read has its place in the file.
            budget.take(entry)
        yield Member(name, content)
        budget.spend(content.inflated if isinstance(content, Refused) else len(content))


def keeps_limits(file: BinaryIO, directory: Directory, is_wanted: Callable[[str], bool], limits: Limits) -> bool:
    """Whether an archive keeps all limits that hold for it as a whole if its members are what the directory says.

    Then its directory has as many entries as it should, and members may be read in any order. If one comes to more
    than its entry says, all of them may still inflate to too much.

    Args:
        file, is_wanted, limits: as for :func:`read_zip`.
        directory: its directory.

    Raises:
        OSError: if the system does not give it.
    """
    budget = Budget(directory.length, limits)
    seen = 0
    try:
        for entry in entries_of(file, directory):
            seen += 1
            name = entry.name()
            if not name.endswith("/") and is_wanted(name):
                budget.take(entry)
                budget.spend(entry.size)
    except Refused:
        return False
    return seen <= limits.archive_members and seen & 0xFFFF == directory.members & 0xFFFF


def _content(file: BinaryIO, entry: Entry, shift: int, budget: Budget) -> bytes:
    """The bytes of a member.

    Raises:
        Refused: if they cannot be read.
    """
    if entry.flags & _ENCRYPTED:
        raise Refused("is encrypted")
    if entry.method not in (_STORED, _DEFLATED):
        method = _METHODS.get(entry.method, f"number {entry.method}")
        raise Refused(f"is compressed by a method that is not read ({method}); stored and deflated members are")
    limits = budget.limits
    if entry.compressed > limits.log_bytes:
        raise Refused(f"has more than {limits.log_bytes} bytes, the most that is read of a log")
    # A place far outside of the file is more than a seek can take.
    file.seek(min(entry.offset + shift, budget.length))
    header = file.read(LOCAL.size)
    if len(header) < LOCAL.size or header[:4] != _LOCAL_MAGIC:
        raise Refused("is damaged: it does not stand where the directory says")
    name_length, extra_length = struct.unpack_from("<2H", header, 26)
    data = file.read(name_length + extra_length + entry.compressed)
    if data[:name_length] != entry.raw_name:
        raise Refused("is damaged: it has another name than in the directory")
    data = data[name_length + extra_length :]
    if len(data) < entry.compressed:
        raise Refused("is cut off")
    content = data if entry.method == _STORED else inflate_raw(data, limits.inflated(entry.compressed))
    if len(content) != entry.size or zlib.crc32(content) != entry.crc:
        raise Refused("is damaged: its size or checksum is wrong", len(content))
    return content


def _start(file: BinaryIO, entry: Entry, directory: Directory, most: int) -> bytes:
    """The first bytes of a member; none if it is damaged, or packed in a way that is not read."""
    file.seek(min(entry.offset + directory.shift, directory.length))
    data = file.read(LOCAL.size + len(entry.raw_name) + _START)
    if len(data) < LOCAL.size or data[:4] != _LOCAL_MAGIC or entry.flags & _ENCRYPTED:
        return b""
    name_length, extra_length = struct.unpack_from("<2H", data, 26)
    data = data[LOCAL.size + name_length + extra_length :][: entry.compressed]
    if entry.method == _DEFLATED:
        return raw_start(data, min(most, _START))
    return data[:most] if entry.method == _STORED else b""
