"""Checks games in several processes or on a cluster; what comes of it is the same as in one, in the same order.

Those who do it get pieces of the inputs, which they read by themselves as far as they can be named
(:mod:`tichu_analytics.formats.pieces`) and they can open them. What this process does itself is to find the pieces, to
compare the ids of the games, and to put the results in order.
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
    open_way,
    worker_way,
)
from tichu_analytics.formats.ids import NewIds, renamed, same_text
from tichu_analytics.formats.inflate import DEFAULT
from tichu_analytics.formats.pieces import Piece, Ready, Run, pieces, read_piece
from tichu_analytics.formats.places import spot_of
from tichu_analytics.formats.remote import is_url
from tichu_analytics.formats.sources import Input, Trouble
from tichu_analytics.formats.zips import Budget
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.jobs.comparison import Comparison
from tichu_analytics.jobs.means import Means, Processes

if TYPE_CHECKING:
    from tichu_analytics.jobs.processes import Lost, Report

#: Bytes of logs after which a piece ends. Results come a piece at a time, and sending one costs little beside it.
BATCH_BYTES: Final = 1 << 20
#: The compiled engine is so fast that a process would wait for its next piece longer than it works on one.
_TIMES: Final = 8
#: Inputs with fewer pieces are checked in this process: starting others would take longer than they save.
WORTH_WHILE: Final = 4
#: With the compiled engine, inputs with fewer bytes are: every process has to load it.
WORTH_SPREADING: Final = 64 << 20

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
        seen: for a worker of a cluster, which sees about the compiled engine by itself: bytes of logs that each of them
            has got so far, about.
    """

    number: int
    piece: Piece | None
    new_ids: dict[int, str | None]
    how: How
    folder: Path | None
    remarks: tuple[str, ...] = ()
    seen: int = 0


class Result(NamedTuple):
    """What comes of a task.

    Attributes:
        checked: what comes of its inputs, in their order.
        inflated: bytes to which the members of an archive have inflated.
        unread: files of it that could not be read.
        remark: what is to be told of the worker: its machine's name, and a sentence that is told once.
    """

    checked: list[Checked | _Clean]
    inflated: int = 0
    unread: tuple[Trouble, ...] = ()
    remark: tuple[str, str] | None = None


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
    spread = _Spread(inputs, way, check, how, Processes(jobs))
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


def check_spread(
    inputs: Inputs, way: Way, check: Callable[[Input | Trouble], Checked], how: How, means: Means
) -> Generator[Checked]:
    """Lets others check games, however few there are.

    Args:
        inputs, way, check, how: as for :func:`check_side_by_side`; nothing has been prepared.
        means: who checks them.

    Yields:
        What :func:`check_side_by_side` does.

    Raises:
        ValueError: for a rule set that does not exist.
        OSError: if they cannot.
    """
    spread = _Spread(inputs, way, check, how, means)
    yield from spread.run(spread.tasks())


class _Spread:
    """A check that is spread over processes or workers."""

    def __init__(
        self, inputs: Inputs, way: Way, check: Callable[[Input | Trouble], Checked], how: How, means: Means
    ) -> None:
        self._inputs = inputs
        self._way = way
        self._check = check
        self._how = how
        self._means = means
        self._seen = 0
        self._told: set[str] = set()
        self._folder: Path | None = None
        self._is_decided = False
        self._count = 0
        self._fatal: list[Trouble] = []
        # Of the archive whose turn it is: its number, and what its members have come to.
        self._archive = -1
        self._budget = Budget(0, DEFAULT)
        self._is_over = False
        # Tasks that have been given out a second time: nothing counts that comes of the first one.
        self._again: set[int] = set()
        self._early: dict[int, _Waiting] = {}

    def tasks(self) -> Iterator[Task]:
        """The tasks, in the order of the inputs, as far as that is possible."""
        means = self._means
        if self._way.is_to_be_loaded and not means.is_far:
            if self._way.is_kept:
                self._is_decided = True
                self._folder = self._way.folder
            else:
                yield self._loading()
        if self._inputs.trouble is not None:
            yield self._task(Ready(((0, self._inputs.trouble),), 0))
        # Its turn is before all games, so nothing is told of them before the ids are known.
        remarks = self._task(Ready((), 0))
        ids = Comparison(self._inputs.paths, self._inputs.stdin, is_aside=not means.is_far)
        # What has been given out without them.
        early: list[tuple[Task, int, int]] = []
        new_ids: NewIds | None = None
        for piece in pieces(self._inputs.paths, self._inputs.stdin, BATCH_BYTES, self._times, means.can_open):
            # Games that have been read would have to be kept.
            if new_ids is None and (ids.is_over or (isinstance(piece, Ready) and piece.size)):
                new_ids = ids.new_ids()
                yield from self._compared(ids, remarks, early)
            self._seen += piece.size
            seen = self._seen // means.jobs
            if not means.is_far and not self._is_decided and self._way.is_due(seen):
                text = self._way.prepare(seen)
                if self._way.is_to_be_loaded and self._way.folder is not None:
                    if text is not None:
                        yield self._task(Ready((), 0), remarks=(text,))
                    yield self._loading()
            if isinstance(piece, Run):
                if self._is_over and _archive_of(piece) == self._archive:
                    continue
                first, last = piece.spot.number, piece.last
            elif isinstance(piece, Ready):
                # Troubles have no number of their own.
                numbers = [number for number, one in piece.inputs if isinstance(one, Input)] or [0]
                first, last = min(numbers), max(numbers)
            else:
                first, last = piece.spots[0].number, piece.last
            task = self._task(piece, new_ids.between(first, last) if new_ids else {})
            if new_ids is None:
                early.append((task, first, last))
            yield task
        if new_ids is None:
            yield from self._compared(ids, remarks, early)

    def _compared(self, ids: Comparison, remarks: Task, early: list[tuple[Task, int, int]]) -> Iterator[Task]:
        """What is to be done when ids are known: to tell of them, and once more what has games with other ones."""
        new_ids = ids.new_ids()
        again = [task._replace(new_ids=some) for task, *numbers in early if (some := new_ids.between(*numbers))]
        for task in again:
            # All of them at once, before the turn of any comes.
            self._again.add(task.number)
            self._early.pop(task.number, None)
        yield remarks._replace(remarks=tuple(map(same_text, ids.same())))
        yield from again
        early.clear()

    def _times(self) -> int:
        is_fast = self._folder is not None
        if self._means.is_far and not self._how.with_course:
            # What is kept on other machines is not known here.
            is_fast = self._way.is_due(self._seen // self._means.jobs)
        return _TIMES if is_fast else 1

    def _task(
        self, piece: Piece | None, new_ids: dict[int, str | None] | None = None, remarks: tuple[str, ...] = ()
    ) -> Task:
        self._count += 1
        task = Task(self._count - 1, piece, new_ids or {}, self._how, self._folder, remarks)
        if not self._means.is_far:
            return task
        return task._replace(seen=max(self._seen, self._way.expected) // self._means.jobs)

    def _loading(self) -> Task:
        """A task that loads the compiled engine, or compiles it; the others load it when it is there."""
        self._is_decided = True
        self._folder = self._way.folder if self._way.is_kept else None
        return self._task(None)._replace(folder=self._way.folder)

    def run(self, tasks: Iterable[Task]) -> Generator[Checked]:
        """What comes of tasks, in their order."""
        from tichu_analytics.jobs.processes import Lost

        early = self._early
        following = 0
        with closing(self._means.run(tasks, self._work)) as ends:
            for end in ends:
                task = end.task
                if task.number in self._again and not task.new_ids:
                    continue
                if isinstance(end, Lost):
                    early[task.number] = _Waiting(task, end)
                else:
                    if task.piece is None:
                        self._loaded(task)
                    # The bytes of games that were sent are needed no longer.
                    piece = None if isinstance(task.piece, Ready) else task.piece
                    early[task.number] = _Waiting(task._replace(piece=piece), end.result)
                while following in early:
                    yield from self._settled(*early.pop(following))
                    following += 1
        yield from self._fatal

    @property
    def _work(self) -> Callable[[Task, Report], Result]:
        return check_far_task if self._means.is_far else check_task

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
        if isinstance(result, Result) and result.remark is not None:
            yield from self._once(result.remark[1], "on the worker {}: {}".format(*result.remark))
        if not isinstance(result, Result):
            yield from self._one_by_one(task, budget)
        elif result.unread and piece is not None and not _cannot_be_read(piece, result.unread):
            path, reason = result.unread[0]
            text = f"a worker cannot read {path} ({reason}); what workers cannot read, this machine reads itself"
            yield from self._once("unread", text)
            with rare_collections():
                yield from map(self._check, renamed(read_piece(piece, budget), task.new_ids))
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

    def _once(self, key: str, text: str) -> Iterator[Remark]:
        """Something that is told the first time only."""
        if key not in self._told:
            self._told.add(key)
            yield Remark(text)

    def _budget_of(self, run: Run) -> Budget:
        """What the members of an archive have come to, up to a run."""
        if _archive_of(run) != self._archive:
            self._archive = _archive_of(run)
            self._budget = Budget(run.directory.length, DEFAULT)
            self._is_over = False
        return self._budget

    def _one_by_one(self, task: Task, budget: Budget | None) -> Iterator[Checked]:
        """What comes of a piece whose process went away; the games that end every process are told at the end."""
        from tichu_analytics.jobs.processes import Lost

        if task.piece is None:
            return
        inputs = renamed(read_piece(task.piece, budget), task.new_ids)
        single = (task._replace(number=n, piece=Ready(((0, one),), 0), new_ids={}) for n, one in enumerate(inputs))
        with closing(self._means.again(single, self._work)) as ends:
            for end in ends:
                if not isinstance(end, Lost):
                    for one in end.result.checked:
                        yield one if isinstance(one, CheckedGame | Trouble | Remark) else CheckedGame(*one, one[2], [])
                    continue
                assert isinstance(end.task.piece, Ready)
                ((_, lost),) = end.task.piece.inputs
                assert isinstance(lost, Input)  # nothing is done about the others
                where = f" with the id {lost.game_id} on line {lost.line}" if lost.line > 1 else ""
                self._fatal.append(Trouble(lost.path, self._means.fate(where, end.exit_code)))


def _archive_of(run: Run) -> int:
    return spot_of(run.spot.number)


def check_task(task: Task, report: Report) -> Result:
    """What comes of a task: the work of a process."""
    piece = task.piece
    if piece is None:
        return Result([*map(Remark, _load(task))])
    return _checked(task, piece, *_prepared(task.how, task.folder))


def check_far_task(task: Task, report: Report) -> Result:
    """What comes of a task: the work of a worker on another machine, which sees about the compiled engine by itself."""
    from socket import gethostname

    assert task.piece is not None
    way, check = _prepared(task.how, None, True)
    remark = None
    if way.is_due(task.seen):
        text = way.hindrance()
        if text is not None:
            way.settle(None)
            if task.how.engine == "compiled":
                remark = f"the compiled engine cannot be used ({text}); the work goes on without it"
        else:
            way.prepare(task.seen)
            remark = way.load()
    result = _checked(task, task.piece, way, check)
    return result._replace(remark=(gethostname(), remark)) if remark is not None else result


def _checked(task: Task, piece: Piece, way: Way, check: Callable[[Input | Trouble], Checked]) -> Result:
    """What comes of a piece."""
    budget = Budget(piece.directory.length, DEFAULT) if isinstance(piece, Run) else None
    files = set(_files_of(piece))
    unread: list[Trouble] = []

    def noted(inputs: Iterable[Input | Trouble]) -> Iterator[Input | Trouble]:
        for one in inputs:
            if isinstance(one, Trouble) and one.path in files:
                unread.append(one)
            yield one

    with rare_collections():
        inputs = noted(renamed(read_piece(piece, budget), task.new_ids))
        if task.how.with_course:
            found: Iterable[Checked] = map(check, inputs)
        else:
            found = check_in_order(inputs, task.how.rules, way, check)
        checked = [_short(one) for one in found]
    return Result(checked, budget.inflated if budget is not None else 0, tuple(unread))


def _files_of(piece: Piece) -> Iterator[str]:
    """What the files that a piece names, if they are at URLs, are called in the output."""
    if not isinstance(piece, Ready):
        for spot in (piece.spot,) if isinstance(piece, Run) else piece.spots:
            if is_url(spot.path):
                yield spot.place.shown


def _cannot_be_read(piece: Piece, unread: tuple[Trouble, ...]) -> bool:
    """Whether files that somebody else could not read cannot be read here either, for the same reasons."""
    files = set(_files_of(piece))
    mine = [one for _, one in read_piece(piece) if isinstance(one, Trouble) and one.path in files]
    return tuple(mine) == unread


def _short(one: Checked) -> Checked | _Clean:
    """What comes of an input as it is sent."""
    if isinstance(one, CheckedGame) and not one.findings and one.course is None:
        return one.path, one.game_id, one.rounds
    return one


def _load(task: Task) -> Iterator[str]:
    """Loads the compiled engine or compiles it; why that is not possible, if so."""
    way = worker_way(task.how, None)
    if task.folder is not None:
        text = way.load_from(task.folder)
        if text is not None:
            yield text


# Kept from piece to piece, with what they have worked out.
@lru_cache(maxsize=8)
def _prepared(how: How, folder: Path | None, is_open: bool = False) -> tuple[Way, Callable[[Input | Trouble], Checked]]:
    return (open_way(how) if is_open else worker_way(how, folder)), checker(*how)
