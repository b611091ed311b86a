"""Games with the same id: which are the same game, and what the others are called instead.

The same id with the same content is one game and is read once. The same id with other content becomes a longer one,
``ID~`` and the first eight hex digits of the content's SHA-256, for all of them, whatever the order of the logs.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, Final, NamedTuple

from tichu_analytics.formats.places import Input, Trouble
from tichu_analytics.formats.sources import How, Numbered, keep_standard_input, log_ids, read_numbered, reason_of

#: Up to this many logs their paths are kept, for messages about ids that stand several times.
_PATHS_KEPT: Final = 100_000
_DIGEST: Final = 32
#: So many new ids are told one by one.
_TOLD: Final = 10
#: Stands between an id and the beginning of the content's SHA-256.
_SIGN: Final = "~"
#: Fewer numbers are counted without numpy, which takes longer to load.
_FEW: Final = 100_000


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


def same_text(same: Same) -> str:
    """What there is to tell about an id that several logs have, in a sentence without a full stop."""
    more = ", ..." if same.logs > len(same.paths) else ""
    where = f" ({', '.join(same.paths)}{more})" if same.paths else ""
    if same.ids:
        now = ", ".join(same.ids[:_TOLD]) + (f" and {len(same.ids) - _TOLD} more" if len(same.ids) > _TOLD else "")
        return f"{same.logs} logs have the id {same.game_id} and not the same content{where}; they are now {now}"
    return f"{same.logs} logs have the id {same.game_id} and the same content{where}; it is read once"


class Scan:
    """What is kept of logs to tell which have the same id: little, since there may be millions.

    Attributes:
        logs: how many logs there are.
        digests: the SHA-256 of every log, one after the other, or what stands in its place.
        paths: the paths of the first logs.

    Args:
        read: gives the SHA-256 of a log, by its number, in whose place something else stands.
    """

    def __init__(self, read: Callable[[int], bytes] | None = None) -> None:
        self.logs = 0
        self.digests = bytearray()
        self.paths: list[str] = []
        self._ids = bytearray()
        self._ends = array("Q", [0])
        self._read = read
        self._is_claimed = bytearray()
        self._exact: dict[int, bytes] = {}

    def add(self, log: Input, claim: bytes | None = None) -> bytes:
        """Takes a log and gives its SHA-256, or what stands in its place if that is given."""
        self._is_claimed.append(claim is not None)
        if claim is None:
            from hashlib import sha256

            claim = sha256(log.data).digest()
        self.digests += claim
        self._ids += log.game_id.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._ids))
        if self.logs < _PATHS_KEPT:
            # Of a file with a game a line the line is told as well.
            self.paths.append(log.path if log.line == 1 else f"{log.path}:{log.line}")
        self.logs += 1
        return claim

    def digest(self, number: int) -> bytes:
        """The SHA-256 of a log by its number, which is read for it if need be."""
        if not self._is_claimed[number] or self._read is None:
            return bytes(self.digests[_DIGEST * number : _DIGEST * (number + 1)])
        if number not in self._exact:
            self._exact[number] = self._read(number)
        return self._exact[number]

    def raw_id(self, number: int) -> bytes:
        """The id of a log by its number, in UTF-8."""
        return bytes(self._ids[self._ends[number] : self._ends[number + 1]])

    def game_id(self, number: int) -> str:
        """The id of a log by its number."""
        return self.raw_id(number).decode("utf-8", "surrogatepass")


def collisions(scan: Scan) -> tuple[dict[int, str | None], list[Same]]:
    """The logs that get another id or are not read again, and the ids that several logs have.

    Returns:
        By number of a log the id that it gets, or None if it is not read a second time; and what there is to tell.
    """
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
            beginnings = Counter([digest[:4] for digest in firsts])
            for digest, number in firsts.items():
                ids.append(_with_digest(name, digest, beginnings[digest[:4]] == 1))
                new_ids[number] = ids[-1]
                taken[ids[-1]] = number
        paths = tuple(scan.paths[number] for number in numbers[:5] if number < len(scan.paths))
        same.append(Same(name, len(numbers), tuple(ids), paths))
    if taken:
        same += _settle(scan, taken, new_ids)
    return new_ids, same


def _with_digest(name: str, digest: bytes, is_single: bool = True) -> str:
    """An id with the first eight hex digits of the content behind it; all 64 if others begin with the same ones."""
    return f"{name}{_SIGN}{(digest[:4] if is_single else digest).hex()}"


def _settle(scan: Scan, taken: dict[str, int], new_ids: dict[int, str | None]) -> list[Same]:
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
            longer = _with_digest(name, digest)
            while longer in taken:
                longer = _with_digest(longer, digest)
            new_ids[number] = longer
            taken[longer] = number
            same.append(Same(name, 2, (name, longer), paths))
    return same


def _groups(scan: Scan) -> list[list[int]]:
    """The numbers of the logs that share an id, in the order of their first ones; most logs share none."""
    import numpy as np

    hashes = np.fromiter((hash(scan.raw_id(number)) for number in range(scan.logs)), np.int64, scan.logs)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    again = np.flatnonzero(ordered[1:] == ordered[:-1])
    by_id: dict[str, list[int]] = {}
    suspects = sorted({int(order[place]) for place in again} | {int(order[place + 1]) for place in again})
    for number in suspects:
        by_id.setdefault(scan.game_id(number), []).append(number)
    return [numbers for numbers in by_id.values() if len(numbers) > 1]


class NewIds:
    """The games that get another id, or are not read a second time, by their numbers; most get none.

    Args:
        by_number: the new ids by the numbers of the games, None for a game that is not read again.
    """

    def __init__(self, by_number: dict[int, str | None]) -> None:
        self._by_number = by_number
        self._numbers = array("Q", sorted(by_number))

    def between(self, first: int, last: int) -> dict[int, str | None]:
        """Those of the games whose numbers are between two numbers, both included."""
        some = self._numbers[bisect_left(self._numbers, first) : bisect_right(self._numbers, last)]
        return {number: self._by_number[number] for number in some}

    def __len__(self) -> int:
        return len(self._numbers)


def renamed(inputs: Iterable[Numbered], new_ids: Mapping[int, str | None]) -> Iterator[Input | Trouble]:
    """Games with their new ids, without those that are not read a second time; troubles as they are."""
    for number, one in inputs:
        if number in new_ids and isinstance(one, Input):
            new_id = new_ids[number]
            if new_id is not None:
                yield one._replace(game_id=new_id)
        else:
            yield one


def distinct_ids(paths: Sequence[str], stdin: BinaryIO | None = None) -> tuple[dict[int, str | None], list[Same]]:
    """What :func:`collisions` gives for all games under some paths, by their numbers; they are compared if need be.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        stdin: what is read in place of standard input, from its beginning, and where it is left then.
    """
    hashes = array("q", map(hash, log_ids(paths, stdin)))
    if stdin is not None:
        stdin.seek(0)
    again = _repeated(hashes)
    if not again:
        return {}, []
    del hashes

    def is_single(game_id: str) -> bool:
        # An id with such a sign may be what another game is called in the end.
        return hash(game_id) not in again and _SIGN not in game_id

    scan = Scan()
    numbers = array("Q")
    for number, log in read_numbered(paths, How(passed_over=is_single), stdin):
        if isinstance(log, Input) and not is_single(log.game_id):
            scan.add(log)
            numbers.append(number)
    if stdin is not None:
        stdin.seek(0)
    new_ids, same = collisions(scan)
    return {numbers[index]: new_id for index, new_id in new_ids.items()}, same


def _repeated(hashes: array[int]) -> set[int]:
    """The numbers that stand in an array more than once."""
    if len(hashes) < _FEW:
        return {number for number, count in Counter(hashes).items() if count > 1}
    import numpy as np

    ordered = np.sort(np.frombuffer(hashes, np.int64))
    return set(ordered[1:][ordered[1:] == ordered[:-1]].tolist())


@contextmanager
def kept_input(
    paths: Sequence[str], stdin: BinaryIO | None = None
) -> Iterator[tuple[Sequence[str], BinaryIO | None, Trouble | None]]:
    """Keeps what comes on standard input as long as it is needed, if it is among the paths.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        stdin: what is read in place of standard input; by default that is kept in a file meanwhile.

    Yields:
        The paths that are to be read; what is read for ``-``; why standard input cannot be read if that is so.
    """
    if "-" not in paths or stdin is not None:
        yield paths, stdin, None
        return
    try:
        kept = keep_standard_input()
    except (OSError, ValueError) as trouble:
        yield [path for path in paths if path != "-"], None, Trouble("-", reason_of(trouble))
        return
    with kept:
        yield paths, kept, None


def distinct_inputs(paths: Sequence[str], stdin: BinaryIO | None = None) -> Iterator[Input | Trouble | str]:
    """Reads everything that the paths name, with ids that no two games share; the same game comes once.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        stdin: what is read for ``-``, from its beginning; by default standard input, which is kept in a file meanwhile.

    Yields:
        First a sentence (see :func:`same_text`) for each id that several games have, then the games in the order of the
        paths, and in their places the inputs that could not be read.
    """
    with kept_input(paths, stdin) as (named, source, trouble):
        if trouble is not None:
            yield trouble
        new_ids, same = distinct_ids(named, source)
        yield from map(same_text, same)
        yield from renamed(read_numbered(named, stdin=source), new_ids)
