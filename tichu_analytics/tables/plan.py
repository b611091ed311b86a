"""What an export has to do: which logs there are, under which ids, and how they are cut into parts.

The inputs are read once from end to end. That tells every log's content, so that the same id with other content is
noticed wherever it stands, and so that parts that are already there can be recognised. Parts are cut by the inputs
alone: at the borders of archives and months, and after a number of bytes.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from typing import Any, BinaryIO, Final, NamedTuple

from tichu_analytics.checking import NOT_READ_YET, not_read_yet
from tichu_analytics.formats.sources import Input, Trouble, plain, read_inputs

#: Bytes of logs after which a part ends: about 15,000 rounds, and a million moves.
PART_BYTES: Final = 40_000_000
#: Up to this many logs their paths are kept, for messages about ids that stand several times.
_PATHS_KEPT: Final = 100_000
_DIGEST: Final = 32


class Same(NamedTuple):
    """An id that several logs have.

    Attributes:
        game_id: the id.
        logs: how many logs have it.
        ids: the ids that they get instead; empty if all have the same content, which is read once.
        paths: where some of them are, as far as that is known.
    """

    game_id: str
    logs: int
    ids: tuple[str, ...]
    paths: tuple[str, ...]


class Part(NamedTuple):
    """Some logs that come one after the other and go into files of their own.

    Attributes:
        number: from 0.
        key: says what is in it: the same for the same logs with the same ids under the same settings.
        first: the path of its first log.
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
            elif not_read_yet(log.path):
                yield Source(Trouble(log.path, NOT_READ_YET), ())
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
    scan = _Scan(part_bytes)
    troubles = []
    for log, origin in inputs:
        if isinstance(log, Trouble):
            troubles.append(log)
            continue
        scan.add(log, origin)
        if seen is not None:
            seen(scan.logs, scan.size)
    scan.cut()
    new_ids, same = _collisions(scan)
    parts = []
    start = 0
    for number, (first, stop, size, digest) in enumerate(scan.parts):
        total = sha256(f"{settings}\n".encode())
        total.update(digest)
        for index in range(start, stop):
            if index in new_ids:
                total.update(f"{index - start} {new_ids[index]!a}\n".encode())
        parts.append(Part(number, total.hexdigest()[:16], first, start, stop, size))
        start = stop
    return Plan(tuple(parts), new_ids, tuple(same), tuple(troubles), scan.logs, scan.size, bytes(scan.digests))


class _Scan:
    """What is kept of the logs while they are read: little, since there may be millions."""

    def __init__(self, part_bytes: int) -> None:
        self.logs = 0
        self.size = 0
        self.digests = bytearray()
        self.ids = bytearray()
        self.id_ends = array("Q", [0])
        self.paths: list[str] = []
        self.parts: list[tuple[str, int, int, bytes]] = []
        self._part_bytes = part_bytes
        self._origin: tuple[str, ...] = ()
        self._first = ""
        self._open = 0
        self._begun = 0
        self._total: Any = sha256()

    def add(self, log: Input, origin: tuple[str, ...]) -> None:
        """Takes a log into the part that is open, or begins a new one."""
        if self._begun < self.logs and (origin != self._origin or self._open >= self._part_bytes):
            self.cut()
        if self._begun == self.logs:
            self._first = log.path
            self._origin = origin
        digest = sha256(log.data).digest()
        size = len(log.data)
        self._total.update(f"{log.path!a} {log.game_id!a} {log.month} {size} {digest.hex()}\n".encode())
        self.digests += digest
        self.ids += log.game_id.encode("utf-8", "surrogatepass")
        self.id_ends.append(len(self.ids))
        if self.logs < _PATHS_KEPT:
            self.paths.append(log.path)
        self.logs += 1
        self.size += size
        self._open += size

    def cut(self) -> None:
        """Ends the part that is open, if it has a log."""
        if self._begun < self.logs:
            self.parts.append((self._first, self.logs, self._open, self._total.digest()))
        self._begun = self.logs
        self._open = 0
        self._total = sha256()

    def digest(self, number: int) -> bytes:
        """The SHA-256 of a log by its number."""
        return bytes(self.digests[_DIGEST * number : _DIGEST * (number + 1)])

    def game_id(self, number: int) -> str:
        """The id of a log by its number."""
        return self.ids[self.id_ends[number] : self.id_ends[number + 1]].decode("utf-8", "surrogatepass")


def _collisions(scan: _Scan) -> tuple[dict[int, str | None], list[Same]]:
    """The logs that get another id or are not read again, by number, and the ids that several logs have."""
    groups = _groups(scan)
    new_ids: dict[int, str | None] = {}
    same = []
    # The log that got an id here, by that id.
    taken: dict[str, int] = {}
    for numbers in groups:
        name = scan.game_id(numbers[0])
        firsts: dict[bytes, int] = {}
        for number in numbers:
            digest = scan.digest(number)
            if digest in firsts:
                new_ids[number] = None
            else:
                firsts[digest] = number
        ids: list[str] = []
        if len(firsts) > 1:
            for digest, number in firsts.items():
                ids.append(_with_digest(name, digest, firsts))
                new_ids[number] = ids[-1]
                taken[ids[-1]] = number
        paths = tuple(scan.paths[number] for number in numbers[:5] if number < len(scan.paths))
        same.append(Same(name, len(numbers), tuple(ids), paths))
    if taken:
        same += _settle(scan, taken, new_ids)
    return new_ids, same


def _with_digest(name: str, digest: bytes, others: Iterable[bytes]) -> str:
    """An id with the first eight hex digits of the content behind it; all 64 if others begin with the same ones."""
    short = digest[:4]
    if sum(other[:4] == short for other in others) > 1:
        return f"{name}~{digest.hex()}"
    return f"{name}~{digest[:4].hex()}"


def _settle(scan: _Scan, taken: dict[str, int], new_ids: dict[int, str | None]) -> list[Same]:
    """Deals with logs whose own id is just what another log got: that is the same id once more."""
    same = []
    is_settled = False
    while not is_settled:
        is_settled = True
        for number in range(scan.logs):
            if number in new_ids or (name := scan.game_id(number)) not in taken:
                continue
            is_settled = False
            digest = scan.digest(number)
            paths = tuple(scan.paths[one] for one in (taken[name], number) if one < len(scan.paths))
            if digest == scan.digest(taken[name]):
                new_ids[number] = None
                same.append(Same(name, 2, (), paths))
                continue
            longer = _with_digest(name, digest, ())
            while longer in taken:
                longer = _with_digest(longer, digest, ())
            new_ids[number] = longer
            taken[longer] = number
            same.append(Same(name, 2, (name, longer), paths))
    return same


def _groups(scan: _Scan) -> list[list[int]]:
    """The numbers of the logs that share an id, in the order of their first ones; most logs share none."""
    import numpy as np

    hashes = np.fromiter(
        (hash(bytes(scan.ids[scan.id_ends[n] : scan.id_ends[n + 1]])) for n in range(scan.logs)), np.int64, scan.logs
    )
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    by_id: dict[str, list[int]] = {}
    suspects = sorted({int(order[place]) for place in again} | {int(order[place + 1]) for place in again})
    for number in suspects:
        by_id.setdefault(scan.game_id(number), []).append(number)
    return [numbers for numbers in by_id.values() if len(numbers) > 1]
