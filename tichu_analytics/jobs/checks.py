"""Checks games in several processes; what comes of it is the same as in one, in the same order.

A process gets pieces of the inputs, which it reads by itself as far as they can be named (:mod:`.formats.pieces`). What
this process does itself is to find the pieces, to compare the ids of the games, and to put the results in order.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tichu_analytics.bulk.choice import Way
from tichu_analytics.checking import (
    Checked,
    CheckedGame,
    How,
    Inputs,
    Remark,
    check_here,
    check_in_order,
    checker,
    worker_way,
)
from tichu_analytics.formats.ids import NewIds, distinct_ids, renamed, same_text
from tichu_analytics.formats.inflate import DEFAULT
from tichu_analytics.formats.pieces import Piece, Ready, Run, pieces, read_piece
from tichu_analytics.formats.places import spot_of
from tichu_analytics.formats.sources import Input, Trouble
from tichu_analytics.formats.zips import Budget
from tichu_analytics.jobs.collector import rare_collections

if TYPE_CHECKING:
    from tichu_analytics.jobs.processes import Lost, Report

#: Bytes of logs after which a piece ends. Results come a piece at a time, and sending one costs little beside it.
BATCH_BYTES: Final = 1 << 20
#: The compiled engine is so fast that a process would wait for its next piece longer than it works on one.
_TIMES: Final = 8
#: Inputs with fewer pieces are checked in this process: starting others would take longer than they save.
WORTH_WHILE: Final = 4
#: With the compiled engine, inputs with fewer bytes are: every process has to load it.
WORTH_SPREADING: Final = 32 << 20
#: Pieces that a process may be ahead of the first one that is not done.
_AHEAD: Final = 3

#: A flawless game, as it goes from process to process: its path, its id, and how many rounds it has.
_Clean = tuple[str, str, int]


class Task(NamedTuple):
    """What one process does at a time.

    Attributes:
        number: counted from 0.
        piece: the games; None for a process that loads the compiled engine, or compiles it.
        new_ids: the games that get another id, and those that are not checked, by their numbers.
        how: how games are checked.
        folder: where the code of the compiled engine is kept if it is to be used.
        remarks: what is to be told before what comes of the games.
    """

    number: int
    piece: Piece | None
    new_ids: dict[int, str | None]
    how: How
    folder: Path | None
    remarks: tuple[str, ...] = ()


class Result(NamedTuple):
    """What comes of a task.

    Attributes:
        checked: what comes of its inputs, in their order.
        inflated: bytes to which the members of an archive have inflated.
    """

    checked: list[Checked | _Clean]
    inflated: int = 0


class _Waiting(NamedTuple):
    """A task that is done, or lost with the exit code of its process, before its turn; some of it is forgotten."""

    task: Task
    result: Result | Lost[Task]


def check_side_by_side(
    inputs: Inputs, way: Way, check: Callable[[Input | Trouble], Checked], how: How, jobs: int
) -> Generator[Checked]:
    """Checks games in other processes, if there are enough of them.

    Args:
        inputs: the games.
        way: in which way they are checked, prepared if something was due.
        check: checks one in this process.
        how: how others check.
        jobs: how many processes at most.

    Yields:
        What comes of the inputs in their order, last the games that ended a process that had nothing else to do.

    Raises:
        ValueError: for a rule set that does not exist.
        OSError: if no process can be started.
    """
    spread = _Spread(inputs, way, check, how, jobs)
    if way.is_to_be_loaded and way.expected >= WORTH_SPREADING:
        yield from spread.run(spread.tasks())
        return
    first: list[Task] = []
    size = 0
    tasks = spread.tasks()
    for task in tasks:
        first.append(task)
        if task.piece is not None:
            size += task.piece.size
        if (size >= WORTH_SPREADING) if way.is_to_be_loaded else (len(first) >= WORTH_WHILE):
            yield from spread.run(chain(first, tasks))
            return
    if inputs.stdin is not None:
        inputs.stdin.seek(0)
    yield from check_here(inputs, way, check, how)


class _Spread:
    """A check that is spread over processes."""

    def __init__(
        self, inputs: Inputs, way: Way, check: Callable[[Input | Trouble], Checked], how: How, jobs: int
    ) -> None:
        self._inputs = inputs
        self._way = way
        self._check = check
        self._how = how
        self._jobs = jobs
        self._folder: Path | None = None
        self._is_decided = False
        self._count = 0
        self._fatal: list[Trouble] = []
        # Of the archive whose turn it is: its number, and what its members have come to.
        self._archive = -1
        self._budget = Budget(0, DEFAULT)
        self._is_over = False

    def tasks(self) -> Iterator[Task]:
        """The tasks, in the order of the inputs."""
        if self._way.is_to_be_loaded:
            yield self._loading()
        if self._inputs.trouble is not None:
            yield self._task(Ready(((0, self._inputs.trouble),), 0))
        by_number, same = distinct_ids(self._inputs.paths, self._inputs.stdin)
        new_ids = NewIds(by_number)
        if same:
            yield self._task(Ready((), 0), remarks=tuple(map(same_text, same)))
        seen = 0
        for piece in pieces(self._inputs.paths, self._inputs.stdin, BATCH_BYTES, self._times):
            seen += piece.size
            if not self._is_decided and self._way.is_due(seen // self._jobs):
                text = self._way.prepare(seen // self._jobs)
                if self._way.is_to_be_loaded and self._way.folder is not None:
                    if text is not None:
                        yield self._task(Ready((), 0), remarks=(text,))
                    yield self._loading()
            if isinstance(piece, Run):
                if self._is_over and _archive_of(piece) == self._archive:
                    continue
                first, last = piece.spot.number, piece.last
            elif isinstance(piece, Ready):
                # Troubles of an archive come last and have no number of their own.
                numbers = [number for number, _ in piece.inputs]
                first, last = min(numbers), max(numbers)
            else:
                first, last = piece.spots[0].number, piece.last
            yield self._task(piece, new_ids.between(first, last) if new_ids else {})

    def _times(self) -> int:
        return _TIMES if self._folder is not None else 1

    def _task(
        self, piece: Piece | None, new_ids: dict[int, str | None] | None = None, remarks: tuple[str, ...] = ()
    ) -> Task:
        self._count += 1
        return Task(self._count - 1, piece, new_ids or {}, self._how, self._folder, remarks)

    def _loading(self) -> Task:
        """A task that loads the compiled engine, or compiles it; the others load it when it is there."""
        self._is_decided = True
        self._folder = self._way.folder if self._way.is_kept else None
        return self._task(None)._replace(folder=self._way.folder)

    def run(self, tasks: Iterable[Task]) -> Generator[Checked]:
        """What comes of tasks, in their order."""
        from tichu_analytics.jobs.processes import Lost, run_apart

        early: dict[int, _Waiting] = {}
        following = 0
        ends = run_apart(tasks, check_task, self._jobs, _unheard, tries=1, ahead=1, window=_AHEAD * self._jobs)
        with closing(ends):
            for end in ends:
                task = end.task
                if isinstance(end, Lost):
                    early[task.number] = _Waiting(task, end)
                else:
                    if task.piece is None:
                        self._loaded(task)
                    # The bytes of games that were sent are needed no longer.
                    piece = task.piece if isinstance(task.piece, Run) else None
                    early[task.number] = _Waiting(task._replace(piece=piece), end.result)
                while following in early:
                    yield from self._settled(*early.pop(following))
                    following += 1
        yield from self._fatal

    def _loaded(self, task: Task) -> None:
        """Notes that the compiled engine is where others can load it, if it is."""
        from tichu_analytics.bulk.cache import has_code

        if task.folder is not None and has_code(task.folder):
            self._folder = task.folder

    def _settled(self, task: Task, result: Result | Lost[Task]) -> Iterator[Checked]:
        """What comes of a task whose turn it is."""
        yield from map(Remark, task.remarks)
        piece = task.piece
        budget = self._budget_of(piece) if isinstance(piece, Run) else None
        if budget is not None and self._is_over:
            return
        if not isinstance(result, Result):
            yield from self._one_by_one(task, budget)
        elif budget is not None and isinstance(piece, Run) and budget.inflated + result.inflated > budget.most:
            # Here the archive inflates to too much, and only this process knows where exactly.
            with rare_collections():
                yield from map(self._check, renamed(read_piece(piece, budget), task.new_ids))
        else:
            if budget is not None:
                budget.inflated += result.inflated
            for one in result.checked:
                yield one if isinstance(one, CheckedGame | Trouble | Remark) else CheckedGame(*one, one[2], [])
        if budget is not None:
            self._is_over = budget.inflated > budget.most

    def _budget_of(self, run: Run) -> Budget:
        """What the members of an archive have come to, up to a run."""
        if _archive_of(run) != self._archive:
            self._archive = _archive_of(run)
            self._budget = Budget(run.directory.length, DEFAULT)
            self._is_over = False
        return self._budget

    def _one_by_one(self, task: Task, budget: Budget | None) -> Iterator[Checked]:
        """What comes of a piece whose process went away; the games that end every process are told at the end."""
        from tichu_analytics.jobs.processes import Lost, run_apart

        if task.piece is None:
            return
        inputs = renamed(read_piece(task.piece, budget), task.new_ids)
        single = (task._replace(number=n, piece=Ready(((0, one),), 0), new_ids={}) for n, one in enumerate(inputs))
        with closing(run_apart(single, check_task, 1, _unheard)) as ends:
            for end in ends:
                if not isinstance(end, Lost):
                    for one in end.result.checked:
                        yield one if isinstance(one, CheckedGame | Trouble | Remark) else CheckedGame(*one, one[2], [])
                    continue
                assert isinstance(end.task.piece, Ready)
                ((_, lost),) = end.task.piece.inputs
                assert isinstance(lost, Input)  # nothing is done about the others
                how = f"killed by signal {-code}" if (code := end.exit_code or 0) < 0 else f"exit code {end.exit_code}"
                where = f" with the id {lost.game_id} on line {lost.line}" if lost.line > 1 else ""
                message = f"the process that checked the game{where} ended before it was done, twice ({how})"
                self._fatal.append(Trouble(lost.path, message))


def _archive_of(run: Run) -> int:
    return spot_of(run.spot.number)


def check_task(task: Task, report: Report) -> Result:
    """What comes of a task: the work of a process."""
    piece = task.piece
    if piece is None:
        return Result([*map(Remark, _load(task))])
    way, check = _prepared(task.how, task.folder)
    budget = Budget(piece.directory.length, DEFAULT) if isinstance(piece, Run) else None
    with rare_collections():
        inputs = renamed(read_piece(piece, budget), task.new_ids)
        if task.how.with_course:
            found: Iterable[Checked] = map(check, inputs)
        else:
            found = check_in_order(inputs, task.how.rules, way, check)
        checked = [_short(one) for one in found]
    return Result(checked, budget.inflated if budget is not None else 0)


def _short(one: Checked) -> Checked | _Clean:
    """What comes of an input as it is sent."""
    if isinstance(one, CheckedGame) and not one.findings and one.course is None:
        return one.path, one.game_id, one.rounds
    return one


def _load(task: Task) -> Iterator[str]:
    """Loads the compiled engine or compiles it; why that is not possible, if so."""
    from tichu_analytics.bulk.cache import has_code

    way = worker_way(task.how, None)
    if task.folder is not None:
        text = way.load_from(task.folder, has_code(task.folder))
        if text is not None:
            yield text


# Kept from piece to piece, with what they have worked out.
@lru_cache(maxsize=8)
def _prepared(how: How, folder: Path | None) -> tuple[Way, Callable[[Input | Trouble], Checked]]:
    return worker_way(how, folder), checker(*how)


def _unheard(rounds: int, size: int) -> None:
    pass
