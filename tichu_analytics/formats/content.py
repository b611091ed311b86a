"""The content of a file as it is read piece by piece: its beginning, all of it, or line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Final, NamedTuple

from tichu_analytics.formats.inflate import (
    Limits,
    Refused,
    check_content,
    check_promise,
    compression_of,
    inflate,
    too_much,
)

#: As many bytes as :func:`check_content` looks at.
_CHECKED: Final = 512
_BLANKS: Final = b" \t\r\n\v\f"
_BYTE_ORDER_MARK: Final = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """A line of a file: its number from 1, and its bytes without its end; None if it is longer than may be read."""

    number: int
    data: bytes | None


class Content:
    """What a file holds, no longer compressed, read as far as it is asked for.

    A trouble on the way is kept until everything before it has been given.
    """

    def __init__(self, pieces: Iterable[bytes], name: str, limits: Limits, size: int | None = None) -> None:
        """Begins to read.

        Args:
            pieces: the bytes of the file, which is no zip archive, from the first one on; an OSError may come of them.
            name: its name; an ending that promises a compression must be kept by the bytes.
            limits: how much is read at most.
            size: the number of its bytes, if it is known; what inflates is else measured by the bytes read so far.
        """
        self._limits = limits
        self._size = size
        self._read = 0
        self._head = b""
        self._trouble: Refused | OSError | None = None
        self._is_over = False
        self._pieces = self._opened(iter(pieces), name)
        self._is_packed = False

    def start(self, length: int) -> bytes:
        """The first bytes, as many as are asked for, or as there are up to the end or to some trouble."""
        if len(self._head) < length and not self._is_over:
            parts = [self._head]
            size = len(self._head)
            while size < length and (piece := self._next()):
                parts.append(piece)
                size += len(piece)
            self._head = b"".join(parts)
        return self._head[:length]

    def whole(self) -> bytes:
        """Everything.

        Raises:
            Refused: if it cannot be read or is more than is read of one log.
            OSError: if the system does not give it.
        """
        most = self._limits.log_bytes
        self.start(1)
        if not self._is_packed and self._size is not None and self._size > most:
            raise self._too_long()
        if not self._is_over:
            parts = [self._head]
            size = len(self._head)
            while size <= most and (piece := self._next()):
                parts.append(piece)
                size += len(piece)
            self._head = b"".join(parts)
        if self._trouble is not None:
            raise self._trouble
        if len(self._head) > most:
            raise self._too_long()
        return self._head

    def lines(self) -> Iterator[Line]:
        """The lines that are not blank, one after the other; memory holds one.

        Raises:
            Refused: if it cannot be read to the end; all lines before have been given, but not one that is cut.
            OSError: if the system does not give it.
        """
        return lines_of(self._rest(), self._limits.log_bytes)

    def _rest(self) -> Iterator[bytes]:
        """Everything, in pieces, and then the trouble if there was some."""
        yield self._head
        while piece := self._next():
            yield piece
        if self._trouble is not None:
            raise self._trouble

    def _next(self) -> bytes:
        """The next piece; empty at the end, and where something has gone wrong."""
        if not self._is_over:
            try:
                for piece in self._pieces:
                    if piece:
                        return piece
            except (Refused, OSError) as trouble:
                self._trouble = trouble
            self._is_over = True
        return b""

    def _opened(self, pieces: Iterator[bytes], name: str) -> Iterator[bytes]:
        """What comes out of the file."""
        first = next(pieces, b"")
        packed = compression_of(first)
        check_promise(packed, name)
        pieces = chain((first,), pieces)
        if packed == "gz" or packed == "zst":
            self._is_packed = True
            pieces = inflate(packed, self._counted(pieces), self._most)
        start = b""
        trouble: Refused | OSError | None = None
        try:
            while len(start) < _CHECKED and (piece := next(pieces, b"")):
                start += piece
        except (Refused, OSError) as caught:
            trouble = caught
        check_content(start, packed)
        yield start
        if trouble is not None:
            raise trouble
        yield from pieces

    def _counted(self, pieces: Iterator[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self._read += len(piece)
            yield piece

    def _most(self) -> int:
        """To how many bytes the file may inflate."""
        return self._limits.all_inflated(self._read if self._size is None else self._size)

    def _too_long(self) -> Refused:
        most = self._limits.log_bytes
        if self._is_packed:
            return too_much(len(self._head), most)
        return Refused(f"has more than {most} bytes, the most that is read of a log")


def lines_of(pieces: Iterable[bytes], most: int) -> Iterator[Line]:
    """The lines that are not blank, one after the other.

    Args:
        pieces: the bytes of a file, wherever it is cut.
        most: bytes that a line may have.
    """
    number = 0
    begun: list[bytes] = []  # what is known of the line that has not ended, if it is not too long already
    size = 0
    for piece in pieces:
        *ended, rest = piece.split(b"\n")
        if ended and size:
            size += len(ended[0])
            if size > most:
                number += 1
                yield Line(number, None)
                del ended[0]
            else:
                ended[0] = b"".join([*begun, ended[0]])
            begun.clear()
            size = 0
        for data in ended:
            number += 1
            # There may be millions of empty lines, which must not take longer than they need.
            if data and (len(data) > most or _is_text(data)):
                yield _line(number, data, most)
        size += len(rest)
        if size > most:
            begun.clear()
        elif rest:
            begun.append(rest)
    if size > most:
        yield Line(number + 1, None)
    elif _is_text(last := b"".join(begun)):
        yield _line(number + 1, last, most)


def _is_text(line: bytes) -> bool:
    """Whether a line is not blank."""
    return bool(line.removeprefix(_BYTE_ORDER_MARK).strip(_BLANKS))


def _line(number: int, data: bytes, most: int) -> Line:
    if len(data) > most:
        return Line(number, None)
    return Line(number, data[:-1] if data.endswith(b"\r") else data)
