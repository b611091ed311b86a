"""Undoes gzip and Zstandard compression and the two methods of zip members, within limits.

The limits are kept by counting what really comes out. What a header says about sizes is not believed: files made to
fill memory or disk lie about them.
"""

from __future__ import annotations

import zlib
from typing import Final, Literal, NamedTuple

_GZIP_MAGIC: Final = b"\x1f\x8b"
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_ZIP_MAGICS: Final = (b"PK\x03\x04", b"PK\x05\x06")
#: A Zstandard file may also begin with a frame to be passed over; its magic number has 16 values.
_ZSTD_SKIPPABLE: Final = tuple(bytes((0x50 + n, 0x2A, 0x4D, 0x18)) for n in range(16))

#: A Zstandard block takes at least 4 bytes and gives at most 128 KiB, so that one step gives at most 32 MiB.
_ZSTD_STEP: Final = 1024
#: The largest window that is given to a Zstandard file, in bytes; more is needed by no setting of its own tool
#: except one that asks for the same when unpacking.
_ZSTD_WINDOW: Final = 1 << 27

Compression = Literal["gz", "zst", "zip"]


class Refused(Exception):
    """Data that cannot be read, or are not read for good reasons; the text says why.

    Attributes:
        inflated: the bytes that had been inflated by then.
    """

    def __init__(self, message: str, inflated: int = 0) -> None:
        super().__init__(message)
        self.inflated = inflated


class Limits(NamedTuple):
    """How much is read at most.

    No log comes near these: a game has 10 to 60 kB, and deflates to a fifth or a tenth of that.

    Attributes:
        log_bytes: bytes of one log, inflated.
        ratio: how many times its compressed size something may inflate to, once that is more than ``ratio_free_bytes``.
        ratio_free_bytes: bytes up to which the ratio does not matter.
        archive_bytes: bytes that all members of an archive may inflate to.
        archive_members: members of an archive, whatever they are.
    """

    log_bytes: int = 256 << 20
    ratio: int = 200
    ratio_free_bytes: int = 1 << 20
    archive_bytes: int = 64 << 30
    archive_members: int = 5_000_000

    def inflated(self, compressed: int) -> int:
        """Bytes to which one log of so many compressed bytes may inflate."""
        return min(self.log_bytes, max(self.ratio_free_bytes, self.ratio * compressed))


DEFAULT: Final = Limits()


def compression_of(data: bytes) -> Compression | None:
    """How data are packed, by their first bytes: ``gz``, ``zst``, ``zip`` or None."""
    start = data[:4]
    if start.startswith(_GZIP_MAGIC):
        return "gz"
    if start == _ZSTD_MAGIC or start in _ZSTD_SKIPPABLE:
        return "zst"
    return "zip" if start in _ZIP_MAGICS else None


def unpack(data: bytes, name: str, limits: Limits) -> bytes:
    """The log in the bytes of a file or of a member of an archive, which may be compressed with gzip or Zstandard.

    Args:
        data: the bytes as they are stored.
        name: its name; an ending that promises a compression must be kept by the bytes.
        limits: how much is read at most.

    Raises:
        Refused: if the bytes are damaged, inflate to too much, or hold an archive.
    """
    packed = compression_of(data)
    if packed == "gz":
        data = _inflate_gzip(data, limits.inflated(len(data)))
    elif packed == "zst":
        data = _inflate_zstd(data, limits.inflated(len(data)))
    elif packed is None and name.lower().endswith((".gz", ".zst", ".zip")):
        raise Refused(f"is not what its ending {name[name.rindex('.') :]} says, or damaged from the beginning")
    if packed == "zip" or compression_of(data) is not None:
        raise Refused("is packed twice; archives inside other files are not read, unpack it first", len(data))
    if data[257:262] == b"ustar":
        raise Refused("is a tar archive, which is not read; unpack it first", len(data))
    return data


def inflate_raw(data: bytes, most: int) -> bytes:
    """Inflates a deflated member of a zip archive.

    Args:
        data: the compressed bytes.
        most: the number of bytes to which they may inflate.

    Raises:
        Refused: if the data are damaged, or inflate to more than that.
    """
    worker = zlib.decompressobj(-zlib.MAX_WBITS)
    try:
        out = worker.decompress(data, most + 1)
    except zlib.error as trouble:
        raise Refused(f"is damaged ({_reason(trouble)})") from None
    if len(out) > most:
        raise _too_much(len(out), most)
    if not worker.eof:
        raise Refused("is cut off: its compressed data have no end")
    return out


def _too_much(inflated: int, most: int) -> Refused:
    return Refused(f"inflates to more than {most} bytes, the most that is read of something of its size", inflated)


_PIECE: Final = 1 << 14


def _inflate_gzip(data: bytes, most: int) -> bytes:
    """A gzip file: one or more compressed parts one after the other, perhaps zero bytes after them."""
    parts: list[bytes] = []
    size = 0
    start = 0
    view = memoryview(data)
    while start < len(data):
        worker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        here = start
        # In pieces: what lies behind a part comes back as a copy, which must not be the whole rest of the file.
        while not worker.eof and here < len(data):
            piece = view[here : here + _PIECE]
            here += len(piece)
            try:
                part = worker.decompress(piece, most - size + 1)
                while worker.unconsumed_tail and size + len(part) <= most:
                    part += worker.decompress(worker.unconsumed_tail, most - size - len(part) + 1)
            except zlib.error as trouble:
                raise Refused(f"is damaged ({_reason(trouble)})") from None
            size += len(part)
            if size > most:
                raise _too_much(size, most)
            parts.append(part)
        if not worker.eof:
            raise Refused("is cut off: its compressed data have no end")
        start = here - len(worker.unused_data)
        if not data.startswith(_GZIP_MAGIC, start):
            if data[start:].strip(b"\0"):
                raise Refused("has something else after its compressed data")
            break
    return b"".join(parts)


def _inflate_zstd(data: bytes, most: int) -> bytes:
    """A Zstandard file: one or more frames one after the other, some of which may be there to be passed over."""
    import zstandard

    source = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    out: list[bytes] = []
    size = 0
    place = 0
    while place < len(data):
        if data[place : place + 4] in _ZSTD_SKIPPABLE:
            place += 8 + int.from_bytes(data[place + 4 : place + 8], "little")
            if place > len(data):
                raise Refused("is cut off: its compressed data have no end")
            continue
        worker = source.decompressobj()
        while not worker.eof:
            step = data[place : place + _ZSTD_STEP]
            if not step:
                raise Refused("is cut off: its compressed data have no end")
            place += len(step)
            try:
                part = worker.decompress(step)
            except zstandard.ZstdError as trouble:
                raise Refused(f"is damaged ({_reason(trouble)})") from None
            size += len(part)
            if size > most:
                raise _too_much(size, most)
            out.append(part)
        place -= len(worker.unused_data)
    return b"".join(out)


def _reason(trouble: Exception) -> str:
    """What a library says about damaged data, without its own way of saying where."""
    return str(trouble).rpartition(": ")[2]
