"""What an export has to do: which logs there are, under which ids, and how they are cut into parts.

A log is one game here, whatever its format; a file may have many. The inputs are gone through once from end to end.
That tells every log's content, so that the same id with other content is noticed wherever it stands, and so that parts
that are already there can be recognised. Of most archives only the directory is read for it. Parts are cut by the
inputs alone: at the borders of archives and months, and after a number of bytes, which may be in the middle of a file
of many games.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any, Final, NamedTuple

from tichu_analytics.formats.ids import Same, Scan, collisions
from tichu_analytics.formats.members import Changed, read_claimed
from tichu_analytics.formats.pieces import Run
from tichu_analytics.formats.places import MEMBER as PLACE
from tichu_analytics.formats.places import Input, Spot, Trouble, spot_of
from tichu_analytics.formats.zipdirs import Directory
from tichu_analytics.tables.inputs import MEMBER, Source, sources

__all__ = ["PART_BYTES", "Part", "Plan", "Source", "make_plan", "sources"]

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
        start, stop: the places of its logs among all of them, the second excluded.
        size: bytes of its logs.
        run: the members of the archive that it consists of, if it does.
    """

    number: int
    key: str
    first: str
    start: int
    stop: int
    size: int
    run: Run | None = None

    @property
    def name(self) -> str:
        """The name of its files, without an ending; sorted by name, parts stand in the order of the input."""
        return f"{self.number:06d}-{self.key}"


class Numbers:
    """The numbers of logs in the order of the inputs, in sixteen bytes each.

    A number tells file, member and line apart, for which 64 bits are too few: there may be millions of each.
    """

    def __init__(self) -> None:
        self._high, self._low = array("Q"), array("Q")

    def append(self, number: int) -> None:
        """Takes a number behind the others."""
        self._high.append(number >> 64)
        self._low.append(number & 0xFFFF_FFFF_FFFF_FFFF)

    def __len__(self) -> int:
        return len(self._low)

    def __getitem__(self, place: int) -> int:
        return self._high[place] << 64 | self._low[place]


class Plan(NamedTuple):
    """All that is to be exported.

    Attributes:
        parts: the parts in order.
        new_ids: by place of a log among all of them, the id that it gets; None if it is not read a second time.
        same: the ids that several logs have, in the order of their first logs.
        troubles: inputs that could not be read.
        logs, size: how many logs there are, and their bytes.
        digests: the SHA-256 of every log, one after the other, or what stands in its place.
        numbers: the numbers of the logs, see :func:`tichu_analytics.formats.places.game_number`.
        kinds: how each can be had: see :mod:`.inputs`.
    """

    parts: tuple[Part, ...]
    new_ids: dict[int, str | None]
    same: tuple[Same, ...]
    troubles: tuple[Trouble, ...]
    logs: int
    size: int
    digests: bytes
    numbers: Numbers
    kinds: bytes

    def digests_of(self, start: int, stop: int) -> bytes:
        """The digests of some logs, by their places."""
        return self.digests[_DIGEST * start : _DIGEST * stop]

    def ids_of(self, part: Part) -> dict[int, str | None]:
        """The new ids of the logs of a part, by their numbers."""
        some = range(part.start, part.stop) if self.new_ids else ()
        return {self.numbers[index]: self.new_ids[index] for index in some if index in self.new_ids}


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
        seen: is told the number of logs and of bytes so far.

    Raises:
        NotAsNamed: if it turns out that a member of an archive is something else than its directory says.
        Changed: if a log cannot be read that could be before.
    """
    cut = _Cut(part_bytes)
    troubles = []
    for one in inputs:
        if isinstance(one.log, Trouble):
            troubles.append(one.log)
            cut.pass_over(one)
            continue
        cut.add(one.log, one)
        if seen is not None:
            seen(cut.scan.logs, cut.size)
    cut.cut()
    new_ids, same = collisions(cut.scan)
    parts = []
    keys: set[str] = set()
    start = 0
    for number, (first, stop, size, digest, run) in enumerate(cut.parts):
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
        parts.append(Part(number, key, first, start, stop, size, run))
        start = stop
    scan = cut.scan
    digests, kinds = bytes(scan.digests), bytes(cut.kinds)
    return Plan(tuple(parts), new_ids, tuple(same), tuple(troubles), scan.logs, cut.size, digests, cut.numbers, kinds)


class _Cut:
    """Cuts the logs into parts as they come."""

    def __init__(self, part_bytes: int) -> None:
        self.scan = Scan(self._read)
        self.size = 0
        self.parts: list[tuple[str, int, int, bytes, Run | None]] = []
        self.numbers = Numbers()
        self.kinds = bytearray()
        # Of members of archives where their entries begin and end, to be read if need be; of other logs zeros.
        self._starts = array("Q")
        self._ends = array("Q")
        self._archives: dict[int, tuple[Spot, Directory]] = {}
        self._part_bytes = part_bytes
        self._origin: tuple[str, ...] = ()
        self._path = ""
        self._first = ""
        self._open = 0
        self._part_size = 0
        self._begun = 0
        self._total: Any = sha256()

    def add(self, log: Input, one: Source) -> None:
        """Takes a log into the part that is open, or begins a new one."""
        self._end_if_full(one)
        if self._begun == self.scan.logs:
            self._first = f"{log.path}, line {log.line}" if log.path == self._path and log.line > 1 else log.path
            self._origin = one.origin
        self._path = log.path
        digest = self.scan.add(log, one.claim)
        # The line counts as well, since findings tell it.
        known = f"{log.path!a} {log.game_id!a} {log.month} {log.format} {log.line} {one.size} {digest.hex()}\n"
        self._total.update(known.encode())
        self.size += one.size
        self._part_size += one.size
        self._open += one.weight
        self.numbers.append(one.number)
        self.kinds.append(one.kind)
        self._starts.append(one.directory.start if one.directory is not None else 0)
        self._ends.append(one.directory.end if one.directory is not None else 0)
        if one.kind == MEMBER and one.spot is not None and one.directory is not None:
            self._archives.setdefault(one.spot.number, (one.spot, one.directory))

    def pass_over(self, one: Source) -> None:
        """Counts something that is no log: parts are cut where they would be if it were one."""
        if one.weight:
            self._end_if_full(one)
            self._open += one.weight

    def _end_if_full(self, one: Source) -> None:
        if self._begun < self.scan.logs and (one.origin != self._origin or self._open >= self._part_bytes):
            self.cut()

    def cut(self) -> None:
        """Ends the part that is open, if it has a log."""
        if self._begun < self.scan.logs:
            self.parts.append((self._first, self.scan.logs, self._part_size, self._total.digest(), self._run()))
        self._begun = self.scan.logs
        self._open = self._part_size = 0
        self._total = sha256()

    def _run(self) -> Run | None:
        """The part that is open as members of one archive that follow one another, if it is nothing else."""
        start, stop = self._begun, self.scan.logs
        if self.kinds.count(MEMBER, start, stop) < stop - start:
            return None
        spot, directory = self._archives[spot_of(self.numbers[start])]
        # Something that is no log, or several, may lie between them.
        if (self.numbers[stop - 1] - self.numbers[start]) >> PLACE != stop - 1 - start:
            return None
        directory = directory._replace(start=self._starts[start], end=self._ends[stop - 1])
        return Run(spot._replace(number=self.numbers[start] - 1), directory, stop - start, self._part_size)

    def _read(self, place: int) -> bytes:
        """The SHA-256 of a member of an archive."""
        number = self.numbers[place]
        spot, directory = self._archives[spot_of(number)]
        directory = directory._replace(start=self._starts[place], end=self._ends[place])
        run = Run(spot._replace(number=number - 1), directory, 1, 0)
        try:
            ((_, log),) = read_claimed(run, bytes(self.scan.digests[_DIGEST * place : _DIGEST * (place + 1)]))
        except OSError:
            raise Changed(spot.place.shown) from None
        assert isinstance(log, Input)  # or else it is not what was claimed
        return sha256(log.data).digest()
