"""Checks games in several processes; what comes of it is the same as in one, in the same order."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from tichu_analytics.checking import Checked, Engine, Remark, checker
from tichu_analytics.formats.sources import Input, Trouble
from tichu_analytics.jobs.collector import rare_collections

if TYPE_CHECKING:
    from tichu_analytics.jobs.processes import Report

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
    """What comes of batches, in their order."""
    from tichu_analytics.jobs.processes import Lost, run_apart

    early: dict[int, list[Checked]] = {}
    fatal: dict[int, list[Trouble]] = {}
    following = 0
    with closing(run_apart(batches, check_batch, jobs, _unheard, tries=1, ahead=1, window=_AHEAD * jobs)) as ends:
        for end in ends:
            number = end.task.number
            if isinstance(end, Lost):
                early[number], fatal[number] = _one_by_one(end.task)
            else:
                early[number] = end.result
            while following in early:
                yield from early.pop(following)
                following += 1
    for number in sorted(fatal):
        yield from fatal[number]


def _one_by_one(batch: Batch) -> tuple[list[Checked], list[Trouble]]:
    """What comes of a batch whose process went away, and apart from it the games that end every process."""
    from tichu_analytics.jobs.processes import Lost, run_apart

    single = (Batch(number, (one,), batch.how) for number, one in enumerate(batch.inputs))
    done: list[Checked] = []
    fatal: list[Trouble] = []
    with closing(run_apart(single, check_batch, 1, _unheard)) as ends:
        for end in ends:
            if not isinstance(end, Lost):
                done += end.result
                continue
            (one,) = end.task.inputs
            assert isinstance(one, Input)  # nothing is done about the others
            how = f"killed by signal {-code}" if (code := end.exit_code or 0) < 0 else f"exit code {end.exit_code}"
            where = f" with the id {one.game_id} on line {one.line}" if one.line > 1 else ""
            fatal.append(
                Trouble(one.path, f"the process that checked the game{where} ended before it was done, twice ({how})")
            )
    return done, fatal


def check_batch(batch: Batch, report: Report) -> list[Checked]:
    """What comes of a batch, in its order: the work of a process."""
    with rare_collections():
        return list(map(_checker(*batch.how), batch.inputs))


# Kept from batch to batch, with what it has worked out.
_checker = lru_cache(maxsize=4)(checker)


def _unheard(rounds: int, size: int) -> None:
    pass
