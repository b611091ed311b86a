"""Checks games in several processes; what comes of it is the same as in one, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from tichu_analytics.checking import Checked, Engine, Remark, checker
from tichu_analytics.formats.sources import Input, Trouble
from tichu_analytics.jobs.collector import rare_collections

if TYPE_CHECKING:
    from tichu_analytics.jobs.processes import Done, Lost, Report

#: Bytes of logs after which a batch ends. Results come a batch at a time, and sending one costs little beside it.
BATCH_BYTES: Final = 1 << 20
#: What an input counts besides its bytes, so that a batch does not have any number of empty ones.
_EACH: Final = 1 << 10
#: Inputs with fewer batches are checked in this process: starting others would take longer than they save.
WORTH_WHILE: Final = 4
#: Batches that a process may be ahead of the first one that is not done.
_AHEAD: Final = 3


#: In which way games are checked: the arguments of :func:`tichu_analytics.checking.checker`.
How = tuple[str, Engine, bool]


class Batch(NamedTuple):
    """Games that one process checks together.

    Attributes:
        number: counted from 0.
        inputs: the games, and between them what was told about the inputs.
        how: in which way, see :data:`How`.
    """

    number: int
    inputs: tuple[Input | Trouble | Remark, ...]
    how: How


#: What comes of a batch from whoever was to check it.
End: TypeAlias = "Done[Batch, list[Checked]] | Lost[Batch]"


def check_batches(
    inputs: Iterable[Input | Trouble | Remark],
    check: Callable[[Input | Trouble | Remark], Checked],
    how: How,
    jobs: int,
) -> Generator[Checked]:
    """Checks games in other processes, if there are enough of them.

    Args:
        inputs: games, in between what was told about the inputs.
        check: checks one in this process.
        how: in which way others check.
        jobs: how many processes at most.

    Yields:
        What comes of the inputs in their order, last the games that ended a process that had nothing else to do.

    Raises:
        ValueError: for a rule set that does not exist.
        OSError: if no process can be started.
    """
    batches = _batches(inputs, how)
    first = list(islice(batches, WORTH_WHILE))
    if len(first) < WORTH_WHILE:
        for batch in first:
            with rare_collections():
                yield from map(check, batch.inputs)
        return
    yield from _side_by_side(chain(first, batches), jobs)


def check_on_cluster(inputs: Iterable[Input | Trouble | Remark], how: How, scheduler: str) -> Generator[Checked]:
    """Checks games on the workers of a cluster.

    Args:
        inputs, how: as for :func:`check_batches`.
        scheduler: the address of its scheduler.

    Yields:
        What :func:`check_batches` does.

    Raises:
        ClusterTrouble: if the cluster cannot be reached, or cannot do this work.
    """
    from tichu_analytics.jobs.cluster import connected

    with connected(scheduler) as cluster:

        def spread(batches: Iterable[Batch], is_again: bool) -> Generator[End]:
            # Games that are tried one by one wait for each other, so that each is blamed for itself alone.
            window, most = (None, 1) if is_again else (_AHEAD, None)
            return cluster.run(batches, check_batch, _unheard, tries=2 if is_again else 1, window=window, most=most)

        yield from _in_order(
            _batches(inputs, how), spread, "every worker that checked the game{where} ended before it was done"
        )


def _batches(inputs: Iterable[Input | Trouble | Remark], how: How) -> Iterator[Batch]:
    number = size = 0
    some: list[Input | Trouble | Remark] = []
    for one in inputs:
        some.append(one)
        size += _EACH + (len(one.data) if isinstance(one, Input) else 0)
        if size >= BATCH_BYTES:
            yield Batch(number, tuple(some), how)
            number += 1
            size = 0
            some = []
    if some:
        yield Batch(number, tuple(some), how)


def _side_by_side(batches: Iterable[Batch], jobs: int) -> Generator[Checked]:
    """What comes of batches, in their order, from processes."""
    from tichu_analytics.jobs.processes import run_apart

    def spread(batches: Iterable[Batch], is_again: bool) -> Generator[End]:
        if is_again:
            return run_apart(batches, check_batch, 1, _unheard)
        return run_apart(batches, check_batch, jobs, _unheard, tries=1, ahead=1, window=_AHEAD * jobs)

    return _in_order(batches, spread, "the process that checked the game{where} ended before it was done, twice")


def _in_order(
    batches: Iterable[Batch], spread: Callable[[Iterable[Batch], bool], Generator[End]], words: str
) -> Generator[Checked]:
    """What comes of batches, in their order.

    Args:
        batches: the batches.
        spread: has batches checked, the second time those of one game each that were lost together.
        words: what is said of a game that is lost for good.
    """
    from tichu_analytics.jobs.processes import Lost

    early: dict[int, list[Checked]] = {}
    fatal: dict[int, list[Trouble]] = {}
    following = 0
    with closing(spread(batches, False)) as ends:
        for end in ends:
            number = end.task.number
            if isinstance(end, Lost):
                early[number], fatal[number] = _one_by_one(end.task, spread, words)
            else:
                early[number] = end.result
            while following in early:
                yield from early.pop(following)
                following += 1
    for number in sorted(fatal):
        yield from fatal[number]


def _one_by_one(
    batch: Batch, spread: Callable[[Iterable[Batch], bool], Generator[End]], words: str
) -> tuple[list[Checked], list[Trouble]]:
    """What comes of a batch whose process went away, and apart from it the games that end every process."""
    from tichu_analytics.jobs.processes import Lost

    single = (Batch(number, (one,), batch.how) for number, one in enumerate(batch.inputs))
    done: list[Checked] = []
    fatal: list[Trouble] = []
    with closing(spread(single, True)) as ends:
        for end in ends:
            if not isinstance(end, Lost):
                done += end.result
                continue
            (one,) = end.task.inputs
            assert isinstance(one, Input)  # nothing is done about the others
            code = end.exit_code
            how = "" if code is None else f" (killed by signal {-code})" if code < 0 else f" (exit code {code})"
            where = f" with the id {one.game_id} on line {one.line}" if one.line > 1 else ""
            fatal.append(Trouble(one.path, words.replace("{where}", where) + how))
    return done, fatal


def check_batch(batch: Batch, report: Report) -> list[Checked]:
    """What comes of a batch, in its order: the work of a process."""
    with rare_collections():
        return list(map(_checker(*batch.how), batch.inputs))


# Kept from batch to batch, with what it has worked out.
_checker = lru_cache(maxsize=4)(checker)


def _unheard(rounds: int, size: int) -> None:
    pass
