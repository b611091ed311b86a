"""Undoes gzip and Zstandard compression and the two methods of zip members, within limits.

The limits are kept by counting what really comes out. What a header says about sizes is not believed: files made to
fill memory or disk lie about them. Data come and go piece by piece, so that a file of many games needs no more memory
than one of them.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator
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

#: Bytes of a gzip file that come out at once. Damage takes with it what would have come out together with it.
_GZIP_STEP: Final = 1 << 14
#: Bytes that go in at once: what lies behind a part comes back as a copy, which must not be the rest of the file.
PIECE: Final = 1 << 14

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
        log_bytes: bytes of one log, inflated; in a file of many games, bytes of one of them.
        ratio: how many times its compressed size something may inflate to, once that is more than ``ratio_free_bytes``.
        ratio_free_bytes: bytes up to which the ratio does not matter.
        archive_bytes: bytes that all members of an archive, or all games of a file, may inflate to.
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

    def all_inflated(self, compressed: int) -> int:
        """Bytes to which many games of so many compressed bytes together may inflate."""
        return min(self.archive_bytes, max(self.ratio_free_bytes, self.ratio * compressed))


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
    """The content of a member of an archive, which may be compressed once more with gzip or Zstandard.

    Args:
        data: the bytes as they are stored.
        name: its name; an ending that promises a compression must be kept by the bytes.
        limits: how much is read at most.

    Raises:
        Refused: if the bytes are damaged, inflate to too much, or hold an archive.
    """
    packed = compression_of(data)
    check_promise(packed, name)
    if packed == "gz" or packed == "zst":
        most = limits.inflated(len(data))
        data = b"".join(inflate(packed, pieces_of(data), lambda: most))
    check_content(data, packed)
    return data


def pieces_of(data: bytes) -> Iterator[bytes]:
    """Bytes in memory as they would come from a file: in pieces."""
    return (data[start : start + PIECE] for start in range(0, len(data), PIECE))


def check_promise(packed: Compression | None, name: str) -> None:
    """Checks that bytes are packed if their name says so.

    Raises:
        Refused: if they are not.
    """
    if packed is None and name.lower().endswith((".gz", ".zst", ".zip")):
        raise Refused(f"is not what its ending {name[name.rindex('.') :]} says, or damaged from the beginning")


def check_content(start: bytes, packed: Compression | None) -> None:
    """Checks that what came out of a file, or its first few hundred bytes, is no archive.

    Args:
        start: what came out.
        packed: how it was packed.

    Raises:
        Refused: if it is one.
    """
    if packed == "zip" or compression_of(start) is not None:
        raise Refused("is packed twice; archives inside other files are not read, unpack it first", len(start))
    if is_tar(start):
        raise Refused("is a tar archive, which is not read; unpack it first", len(start))


def is_tar(start: bytes) -> bool:
    """Whether a file is a tar archive, by its first few hundred bytes."""
    return start[257:262] == b"ustar"


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
        raise too_much(len(out), most)
    if not worker.eof:
        raise _cut_off()
    return out


def raw_start(data: bytes, length: int) -> bytes:
    """The first bytes that come out of the beginning of a deflated member, as far as there are any."""
    try:
        return zlib.decompressobj(-zlib.MAX_WBITS).decompress(data, length)
    except zlib.error:
        return b""


def inflate(packed: Literal["gz", "zst"], pieces: Iterable[bytes], most: Callable[[], int]) -> Iterator[bytes]:
    """Inflates gzip or Zstandard data as they come.

    Args:
        packed: what they are.
        pieces: the compressed bytes, from the first one on, in pieces of any size that are not empty.
        most: the number of bytes to which they may inflate, asked for after each step.

    Yields:
        What comes out, in pieces; all that came out before a damage is given.

    Raises:
        Refused: if the data are damaged or cut off, or inflate to more than that.
    """
    size = 0
    for piece in _gzip(iter(pieces)) if packed == "gz" else _zstd(iter(pieces)):
        size += len(piece)
        if size > most():
            raise too_much(size, most())
        yield piece


def too_much(inflated: int, most: int) -> Refused:
    """The refusal of data that inflate to more than they may."""
    return Refused(f"inflates to more than {most} bytes, the most that is read of something of its size", inflated)


def _cut_off() -> Refused:
    return Refused("is cut off: its compressed data have no end")


def _gzip(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A gzip file: one or more compressed parts one after the other, perhaps zero bytes after them."""
    data = b""
    while True:
        worker = zlib.decompressobj(16 + zlib.MAX_WBITS)
        while not worker.eof:
            is_over = not data and not (data := next(pieces, b""))
            try:
                part = worker.decompress(data, _GZIP_STEP)
            except zlib.error as trouble:
                raise Refused(f"is damaged ({_reason(trouble)})") from None
            # Something may still come out when everything has gone in.
            if is_over and not part and not worker.eof:
                raise _cut_off()
            data = worker.unconsumed_tail
            if part:
                yield part
        data = worker.unused_data
        while len(data) < len(_GZIP_MAGIC) and (more := next(pieces, b"")):
            data += more
        if not data.startswith(_GZIP_MAGIC):
            break
    while data:
        if data.strip(b"\0"):
            raise Refused("has something else after its compressed data")
        data = next(pieces, b"")


def _zstd(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A Zstandard file: one or more frames one after the other, some of which may be there to be passed over."""
    import zstandard

    source = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
    data = b""
    while True:
        while len(data) < 8 and (more := next(pieces, b"")):
            data += more
        if not data:
            return
        if data[:4] in _ZSTD_SKIPPABLE:
            left = 8 + int.from_bytes(data[4:8], "little")
            while len(data) < left:
                left -= len(data)
                if not (data := next(pieces, b"")):
                    raise _cut_off()
            data = data[left:]
            continue
        worker = source.decompressobj()
        while not worker.eof:
            if not data and not (data := next(pieces, b"")):
                raise _cut_off()
            step, data = data[:_ZSTD_STEP], data[_ZSTD_STEP:]
            try:
                part = worker.decompress(step)
            except zstandard.ZstdError as trouble:
                raise Refused(f"is damaged ({_reason(trouble)})") from None
            if part:
                yield part
        data = worker.unused_data + data


def _reason(trouble: Exception) -> str:
    """What a library says about damaged data, without its own way of saying where."""
    return str(trouble).rpartition(": ")[2]
