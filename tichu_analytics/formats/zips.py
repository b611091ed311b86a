"""Reads zip archives member by member, with memory that does not grow with the number of members.

The archives of recorded games have hundreds of thousands of small members. The standard library's reader makes an
object of every member before the first can be read, and spends more time around a small member than on inflating it;
this one walks through the archive's directory once. It also takes nothing in an archive at its word: sizes are counted,
members must lie in the file side by side, and names are text and never a place on a disk.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats.inflate import Limits, Refused, inflate_raw, raw_start, unpack

_END: Final = struct.Struct("<4s4H2LH")
_END64_LOCATOR: Final = struct.Struct("<4sLQL")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_ENTRY: Final = struct.Struct("<4s4B4HL2L5H2L")
_LOCAL: Final = struct.Struct("<4s5HL2L2H")

_END_MAGIC: Final = b"PK\x05\x06"
_ENTRY_MAGIC: Final = b"PK\x01\x02"
_LOCAL_MAGIC: Final = b"PK\x03\x04"

#: No path on a disk is longer.
_LONGEST_NAME: Final = 4096

_STORED: Final = 0
_DEFLATED: Final = 8
_METHODS: Final = {1: "shrink", 6: "implode", 9: "deflate64", 12: "bzip2", 14: "LZMA", 93: "Zstandard", 95: "XZ"}
_ENCRYPTED: Final = 0x1 | 0x40 | 0x2000
_UTF8: Final = 0x800

_CHUNK: Final = 1 << 20
#: How many of a member's first bytes are looked at where they may suffice.
_START: Final = 1 << 12


class Member(NamedTuple):
    """A member of an archive: its name as text, and its bytes or why there are none; None if they were not wanted."""

    name: str
    content: bytes | Refused | None


class _Entry(NamedTuple):
    """What the directory says about a member."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    compressed: int
    size: int
    offset: int


class _Budget:
    """What an archive may still inflate to, and how much of the file its members may still take."""

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

    def take(self, entry: _Entry) -> None:
        """Counts the room that a member takes in the file.

        Raises:
            Refused: if all of them take more room than there is: some lie over one another, as in an archive that is
                made to inflate to far more than its size.
        """
        self.taken += entry.compressed + _LOCAL.size + len(entry.raw_name)
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
    length = file.seek(0, 2)
    start, end, shift, count = _directory(file, length)
    budget = _Budget(length, limits)
    seen = 0
    for entry in _entries(file, start, end):
        seen += 1
        if seen > limits.archive_members:
            raise Refused(f"has more than {limits.archive_members} members")
        name = _text(entry)
        if name.endswith("/") or not is_wanted(name):
            continue
        if suffices is not None and suffices(name, partial(_start, file, entry, shift, length)):
            yield Member(name, None)
            continue
        good = False
        try:
            if len(entry.raw_name) > _LONGEST_NAME:
                raise Refused(f"has a name of more than {_LONGEST_NAME} bytes")
            packed = _content(file, entry, shift, budget)
            good = True
            content: bytes | Refused = unpack(packed, name, limits)
        except Refused as trouble:
            content = trouble
        if good:
            # An entry that is damaged may claim any size; only what could be read has its place in the file.
            budget.take(entry)
        yield Member(name, content)
        budget.spend(content.inflated if isinstance(content, Refused) else len(content))
    if seen & 0xFFFF != count & 0xFFFF:
        raise Refused(f"is damaged: its directory has {seen} members, and should have {count}")


def _directory(file: BinaryIO, length: int) -> tuple[int, int, int, int]:
    """Where the directory begins and ends, what is to be added to all places, and the number of members it should have.

    Places are counted from the archive's beginning, which need not be the file's: a program may stand before it.
    """
    tail_start = max(0, length - _END.size - 0xFFFF)
    file.seek(tail_start)
    tail = file.read(length - tail_start)
    at = _end(tail)
    _, disk, first_disk, _, count, size, offset, _ = _END.unpack_from(tail, at)
    end = tail_start + at
    if disk == 0xFFFF or count == 0xFFFF or size == 0xFFFFFFFF or offset == 0xFFFFFFFF:
        end64 = _end64(file, end)
        if end64 is not None:
            end, disk, first_disk, count, size, offset = end64
    if disk != first_disk or disk != 0:
        raise Refused("is a part of an archive in several files")
    start = end - size
    shift = start - offset
    if start < 0 or shift < 0:
        raise Refused("is damaged: its directory is not where it should be")
    return start, end, shift, count


def _end(tail: bytes) -> int:
    """Where the record stands that ends an archive: a comment follows it, and as a rule nothing else."""
    fallback = -1
    at = tail.rfind(_END_MAGIC, 0, len(tail) - _END.size + len(_END_MAGIC))
    while at >= 0:
        following = at + _END.size + int.from_bytes(tail[at + 20 : at + 22], "little")
        if following == len(tail):
            return at
        if following < len(tail) and fallback < 0:
            fallback = at
        at = tail.rfind(_END_MAGIC, 0, at + len(_END_MAGIC) - 1)
    if fallback < 0:
        raise Refused("is no zip archive, or cut off: it has no directory")
    return fallback


def _end64(file: BinaryIO, end: int) -> tuple[int, int, int, int, int, int] | None:
    """The same facts for an archive with large numbers: end of the directory, disk, first disk, count, size, offset."""
    at = end - _END64_LOCATOR.size
    if at < _END64.size:
        return None
    file.seek(at)
    magic, _, offset, _ = _END64_LOCATOR.unpack(file.read(_END64_LOCATOR.size))
    if magic != b"PK\x06\x07":
        return None
    # As a rule the record stands right before its locator, whatever stands before the archive.
    for place in (at - _END64.size, offset):
        if 0 <= place <= at - _END64.size:
            file.seek(place)
            record = _END64.unpack(file.read(_END64.size))
            if record[0] == b"PK\x06\x06":
                _, _, _, _, disk, first_disk, _, count, size, start = record
                return place, disk, first_disk, count, size, start
    raise Refused("is damaged: its directory is not where it should be")


def _entries(file: BinaryIO, start: int, end: int) -> Iterator[_Entry]:
    """The entries of the directory, which is read piece by piece."""
    buffer = b""
    at = 0
    place = start
    while True:
        if len(buffer) - at < _ENTRY.size + 3 * 0xFFFF and place < end:
            file.seek(place)
            more = file.read(min(_CHUNK, end - place))
            if not more:
                raise Refused("is cut off in its directory")
            place += len(more)
            buffer = buffer[at:] + more
            at = 0
        if at == len(buffer):
            return
        if len(buffer) - at < _ENTRY.size:
            raise Refused("is damaged: its directory breaks off")
        (
            magic, _, _, _, _, flags, method, _, _, crc, compressed, size,
            name_length, extra_length, comment_length, _, _, _, offset,
        ) = _ENTRY.unpack_from(buffer, at)  # fmt: skip
        if magic != _ENTRY_MAGIC:
            raise Refused("is damaged: its directory has something that is no entry")
        name_end = at + _ENTRY.size + name_length
        extra_end = name_end + extra_length
        following = extra_end + comment_length
        if following > len(buffer):
            raise Refused("is damaged: its directory breaks off")
        if size == 0xFFFFFFFF or compressed == 0xFFFFFFFF or offset == 0xFFFFFFFF:
            size, compressed, offset = _large(buffer[name_end:extra_end], size, compressed, offset)
        yield _Entry(buffer[at + _ENTRY.size : name_end], flags, method, crc, compressed, size, offset)
        at = following


def _large(extra: bytes, size: int, compressed: int, offset: int) -> tuple[int, int, int]:
    """Replaces those of the three numbers that have no room in the entry by the ones in its extra field."""
    at = 0
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            field = extra[at + 4 : at + 4 + length]
            numbers = iter([number for (number,) in struct.iter_unpack("<Q", field[: len(field) // 8 * 8])])
            size, compressed, offset = (
                next(numbers, number) if number == 0xFFFFFFFF else number for number in (size, compressed, offset)
            )
            break
        at += 4 + length
    return size, compressed, offset


def _content(file: BinaryIO, entry: _Entry, shift: int, budget: _Budget) -> bytes:
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
    header = file.read(_LOCAL.size)
    if len(header) < _LOCAL.size or header[:4] != _LOCAL_MAGIC:
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


def _start(file: BinaryIO, entry: _Entry, shift: int, length: int, most: int) -> bytes:
    """The first bytes of a member; none if it is damaged, or packed in a way that is not read."""
    file.seek(min(entry.offset + shift, length))
    data = file.read(_LOCAL.size + len(entry.raw_name) + _START)
    if len(data) < _LOCAL.size or data[:4] != _LOCAL_MAGIC or entry.flags & _ENCRYPTED:
        return b""
    name_length, extra_length = struct.unpack_from("<2H", data, 26)
    data = data[_LOCAL.size + name_length + extra_length :][: entry.compressed]
    if entry.method == _DEFLATED:
        return raw_start(data, min(most, _START))
    return data[:most] if entry.method == _STORED else b""


def _text(entry: _Entry) -> str:
    """A member's name as text; bytes that are not in its encoding become visible as escapes."""
    try:
        return entry.raw_name.decode()
    except UnicodeDecodeError:
        # Only names that do not claim to be UTF-8 are in the code page of the first zip programs.
        return entry.raw_name.decode("utf-8" if entry.flags & _UTF8 else "cp437", "backslashreplace")
