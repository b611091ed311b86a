"""The inputs of an export a second time: what goes to those who make the parts."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from hashlib import sha256
from typing import BinaryIO, Final

from tichu_analytics.formats.members import Changed
from tichu_analytics.formats.pieces import Files, Piece, Ready, Run
from tichu_analytics.formats.places import Input, Spot, Trouble, spot_of, spots
from tichu_analytics.formats.sources import Numbered
from tichu_analytics.tables.inputs import FILE, read_logs, source
from tichu_analytics.tables.plan import Part, Plan

_GONE: Final = "one of the inputs"


def part_pieces(
    plan: Plan,
    todo: Sequence[Part],
    paths: Sequence[str],
    stdin: BinaryIO | None,
    odd: Collection[int],
    can_open: Callable[[str], bool],
) -> Iterator[tuple[Part, tuple[Piece, ...], bytes]]:
    """What is to be read for the parts that are to be made; some of it is read here, since nobody else could.

    Args:
        plan: all that is to be exported.
        todo: the parts to be made, in order.
        paths, stdin, odd: as for :func:`tichu_analytics.tables.inputs.sources`.
        can_open: says of a path whether those who make the parts can open it.

    Yields:
        A part, where its logs are, and the digests of those of them that are named.

    Raises:
        Changed: if a log that is read here is no longer what it was the first time.
        NotAsNamed: if a member of an archive that is read here is something else than its directory says.
    """
    again = _Again(plan, paths, stdin, odd)
    for part in todo:
        if part.run is not None:
            pieces: tuple[Piece, ...] = (part.run,)
            digests = plan.digests_of(part.start, part.stop)
        else:
            pieces, digests = again.part(part)
        if not all(map(can_open, _paths(pieces))):
            # Where a part has some of both, all of it is read here.
            pieces = (Ready(tuple(read_logs(pieces, digests, plan.ids_of(part))), part.size),)
            digests = b""
        yield part, pieces, digests


def _paths(pieces: Iterable[Piece]) -> Iterator[str]:
    """The paths of all files that pieces name."""
    for piece in pieces:
        if isinstance(piece, Run):
            yield piece.spot.path
        elif isinstance(piece, Files):
            yield from (spot.path for spot in piece.spots)


class _Again:
    """The logs that are not in archives, or in some that have to be read, in order."""

    def __init__(self, plan: Plan, paths: Sequence[str], stdin: BinaryIO | None, odd: Collection[int]) -> None:
        self._plan = plan
        self._paths = paths
        self._stdin = stdin
        self._odd = odd
        self._wanted = 0
        self._logs = self._all()

    def part(self, part: Part) -> tuple[tuple[Piece, ...], bytes]:
        """The logs of a part."""
        plan = self._plan
        pieces: list[Piece] = []
        files: list[Spot] = []
        ready: list[Numbered] = []
        digests: list[bytes] = []

        def end() -> None:
            if files:
                pieces.append(Files(tuple(files), 0))
                files.clear()
            if ready:
                pieces.append(Ready(tuple(ready), 0))
                ready.clear()

        self._wanted = plan.numbers[part.start]
        for place in range(part.start, part.stop):
            number = plan.numbers[place]
            log, claim = self._log(number)
            if isinstance(log, Spot):
                if ready:
                    end()
                files.append(log)
                digests.append(plan.digests_of(place, place + 1))
                continue
            if (claim or sha256(log.data).digest()) != plan.digests_of(place, place + 1):
                raise Changed(log.path)
            if plan.new_ids.get(place, "") is not None:
                if files:
                    end()
                ready.append((number, log))
        end()
        return tuple(pieces), b"".join(digests)

    def _log(self, number: int) -> tuple[Input | Spot, bytes | None]:
        """The log of a number, which comes after those that were asked for before."""
        for found, log, claim in self._logs:
            if found == number:
                return log, claim
            if found > number:
                break
        raise Changed(_GONE)

    def _all(self) -> Iterator[tuple[int, Input | Spot, bytes | None]]:
        """Logs, or the files in which they are, and what has been compared of them already."""
        plan = self._plan
        if self._stdin is not None:
            self._stdin.seek(0)
        for spot in spots(self._paths):
            if isinstance(spot, Trouble) or spot.number < spot_of(self._wanted):
                continue
            place = bisect_left(plan.numbers, spot.number)
            if place == len(plan.numbers) or spot_of(plan.numbers[place]) != spot.number:
                continue  # it had no logs
            if plan.kinds[place] == FILE:
                yield plan.numbers[place], spot, None
                continue
            for one in source(spot, self._paths[spot.root], self._stdin, self._odd):
                if isinstance(one.log, Input):
                    yield one.number, one.log, one.claim
