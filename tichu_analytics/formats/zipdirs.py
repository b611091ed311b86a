"""Reads the directory of a zip archive entry by entry, with memory that does not grow with the number of members."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats.inflate import Refused

_END: Final = struct.Struct("<4s4H2LH")
_END64_LOCATOR: Final = struct.Struct("<4sLQL")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_ENTRY: Final = struct.Struct("<4s4B4HL2L5H2L")
#: What stands before the bytes of a member.
LOCAL: Final = struct.Struct("<4s5HL2L2H")

_END_MAGIC: Final = b"PK\x05\x06"
_ENTRY_MAGIC: Final = b"PK\x01\x02"

_UTF8: Final = 0x800
_CHUNK: Final = 1 << 20


class Directory(NamedTuple):
    """The directory of an archive, or a run of its entries.

    Attributes:
        start, end: where its entries begin and end in the file.
        shift: what is to be added to all places: a program may stand before the archive.
        length: the bytes of the file.
        members: how many it should have.
    """

    start: int
    end: int
    shift: int
    length: int
    members: int


class Entry(NamedTuple):
    """What the directory says about a member; ``end`` is where its entry ends in the file."""

    raw_name: bytes
    flags: int
    method: int
    crc: int
    compressed: int
    size: int
    offset: int
    end: int

    def name(self) -> str:
        """Its name as text; bytes that are not in its encoding become visible as escapes."""
        try:
            return self.raw_name.decode()
        except UnicodeDecodeError:
            # Only names that do not claim to be UTF-8 are in the code page of the first zip programs.
            return self.raw_name.decode("utf-8" if self.flags & _UTF8 else "cp437", "backslashreplace")

    def room(self) -> int:
        """The bytes that the member takes in the file at least."""
        return self.compressed + LOCAL.size + len(self.raw_name)


def directory_of(file: BinaryIO) -> Directory:
    """Where the directory of an archive is.

    Raises:
        Refused: if it has none.
        OSError: if the system does not give it.
    """
    length = file.seek(0, 2)
    start, end, shift, count = _directory(file, length)
    return Directory(start, end, shift, length, count)


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


def entries_of(file: BinaryIO, directory: Directory) -> Iterator[Entry]:
    """The entries of a directory, which is read piece by piece.

    Raises:
        Refused: where it is damaged.
        OSError: if the system does not give it.
    """
    buffer = b""
    at = 0
    place, end = directory.start, directory.end
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
        raw_name = buffer[at + _ENTRY.size : name_end]
        at = following
        yield Entry(raw_name, flags, method, crc, compressed, size, offset, place - len(buffer) + at)


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
