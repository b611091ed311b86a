"""What an export has to do: which logs there are, under which ids, and how they are cut into parts.

A log is one game here, whatever its format; a file may have many. The inputs are read once from end to end. That tells
every log's content, so that the same id with other content is noticed wherever it stands, and so that parts that are
already there can be recognised. Parts are cut by the inputs alone: at the borders of archives and months, and after a
number of bytes, which may be in the middle of a file of many games.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, BinaryIO, Final, NamedTuple

from tichu_analytics.formats.ids import Same, Scan, collisions
from tichu_analytics.formats.sources import Input, Trouble, plain, read_inputs

#: Bytes of logs after which a part ends: about 14,000 rounds, and nearly a million moves.
PART_BYTES: Final = 32_000_000
_DIGEST: Final = 32


class Part(NamedTuple):
    """Some logs that come one after the other and go into files of their own.

    Attributes:
        number: from 0.
        key: says what is in it: the same for the same logs with the same ids under the same settings.
        first: the path of its first log, with the line if the part begins in the middle of a file: ``a.tgr.jsonl, line
            501``.
        start, stop: the numbers of its logs among all of them, the second excluded.
        size: bytes of its logs.
    """

    number: int
    key: str
    first: str
    start: int
    stop: int
    size: int

    @property
    def name(self) -> str:
        """The name of its files, without an ending; sorted by name, parts stand in the order of the input."""
        return f"{self.number:06d}-{self.key}"


class Plan(NamedTuple):
    """All that is to be exported.

    Attributes:
        parts: the parts in order.
        new_ids: by number of a log, the id that it gets; None if it is not read a second time.
        same: the ids that several logs have, in the order of their first logs.
        troubles: inputs that could not be read.
        logs, size: how many logs there are, and their bytes.
        digests: the SHA-256 of every log, one after the other.
    """

    parts: tuple[Part, ...]
    new_ids: dict[int, str | None]
    same: tuple[Same, ...]
    troubles: tuple[Trouble, ...]
    logs: int
    size: int
    digests: bytes

    def digest(self, number: int) -> bytes:
        """The SHA-256 of a log by its number."""
        return self.digests[_DIGEST * number : _DIGEST * (number + 1)]


class Source(NamedTuple):
    """A log with where it comes from.

    Attributes:
        log: the log, or why there is none.
        origin: changes from one log to the next at the border of an archive, of a folder or archive that was named, or
            of a month.
    """

    log: Input | Trouble
    origin: tuple[str, ...]


def sources(paths: Iterable[str], stdin: BinaryIO | None = None) -> Iterator[Source]:
    """Everything that the paths name, in order; see :func:`tichu_analytics.formats.sources.read_inputs`.

    Args:
        paths: files, folders, archives, ``-`` for standard input.
        stdin: what is read in place of standard input, so that this can be done twice.
    """
    paths = list(paths)
    if paths.count("-") > 1:
        second = len(paths) - paths[::-1].index("-") - 1
        paths = [path for index, path in enumerate(paths) if path != "-" or index < second]
        yield Source(Trouble("-", "is named twice"), ())
    for index, path in enumerate(paths):
        named = plain(path)
        for log in read_inputs([path], stdin=stdin):
            if isinstance(log, Trouble):
                yield Source(log, ())
            else:
                archive, mark, _ = log.path.partition("!/")
                # Files that were named one by one belong together; a folder or an archive stands for itself.
                origin = "" if log.path == named else str(index)
                yield Source(log, (origin, archive if mark else "", log.month or ""))


def make_plan(
    inputs: Iterable[Source],
    settings: str,
    part_bytes: int = PART_BYTES,
    seen: Callable[[int, int], None] | None = None,
) -> Plan:
    """Reads all inputs once and plans their export.

    Args:
        inputs: what :func:`sources` gives.
        settings: all else that decides about the content of the files.
        part_bytes: bytes of logs after which a part ends.
        seen: is told the number of logs and of bytes read so far.
    """
    cut = _Cut(part_bytes)
    troubles = []
    for log, origin in inputs:
        if isinstance(log, Trouble):
            troubles.append(log)
            continue
        cut.add(log, origin)
        if seen is not None:
            seen(cut.scan.logs, cut.size)
    cut.cut()
    new_ids, same = collisions(cut.scan)
    parts = []
    keys: set[str] = set()
    start = 0
    for number, (first, stop, size, digest) in enumerate(cut.parts):
        total = sha256(f"{settings}\n".encode())
        total.update(digest)
        for index in range(start, stop):
            if index in new_ids:
                total.update(f"{index - start} {new_ids[index]!a}\n".encode())
        key = total.hexdigest()[:16]
        # A folder that is named twice gives the same part twice: nothing but logs that are not read again.
        while key in keys:
            total.update(b"once more")
            key = total.hexdigest()[:16]
        keys.add(key)
        parts.append(Part(number, key, first, start, stop, size))
        start = stop
    return Plan(tuple(parts), new_ids, tuple(same), tuple(troubles), cut.scan.logs, cut.size, bytes(cut.scan.digests))


class _Cut:
    """Cuts the logs into parts as they come."""

    def __init__(self, part_bytes: int) -> None:
        self.scan = Scan()
        self.size = 0
        self.parts: list[tuple[str, int, int, bytes]] = []
        self._part_bytes = part_bytes
        self._origin: tuple[str, ...] = ()
        self._path = ""
        self._first = ""
        self._open = 0
        self._begun = 0
        self._total: Any = sha256()

    def add(self, log: Input, origin: tuple[str, ...]) -> None:
        """Takes a log into the part that is open, or begins a new one."""
        if self._begun < self.scan.logs and (origin != self._origin or self._open >= self._part_bytes):
            self.cut()
        if self._begun == self.scan.logs:
            self._first = f"{log.path}, line {log.line}" if log.path == self._path and log.line > 1 else log.path
            self._origin = origin
        self._path = log.path
        digest = self.scan.add(log)
        size = len(log.data)
        # The line counts as well, since findings tell it.
        known = f"{log.path!a} {log.game_id!a} {log.month} {log.format} {log.line} {size} {digest.hex()}\n"
        self._total.update(known.encode())
        self.size += size
        self._open += size

    def cut(self) -> None:
        """Ends the part that is open, if it has a log."""
        if self._begun < self.scan.logs:
            self.parts.append((self._first, self.scan.logs, self._open, self._total.digest()))
        self._begun = self.scan.logs
        self._open = 0
        self._total = sha256()
