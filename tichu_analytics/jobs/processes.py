"""Tasks spread over processes of this machine.

A worker that goes away, killed or out of memory, costs only the task that it had: that is tried once more in a fresh
worker and else reported as lost. Workers end with the process that started them, however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Final, Generic, NamedTuple, TypeVar

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Is told by the work what it has done since the last time, in whatever is counted: ``report(rounds, bytes)``.
Report = Callable[[int, int], None]

#: Seconds after which :func:`run` looks up although no worker has said anything.
_TICK: Final = 0.2
#: How often a task is given to a worker.
_TRIES: Final = 2


class Done(NamedTuple, Generic[Task, Result]):
    """A task that was done.

    Attributes:
        task: which one.
        result: what came of it.
    """

    task: Task
    result: Result


class Lost(NamedTuple, Generic[Task]):
    """A task whose worker went away each time that it was tried.

    Attributes:
        task: which one.
        exit_code: how the last worker ended: minus the number of a signal, or an exit code; None if not known.
    """

    task: Task
    exit_code: int | None


def usable_cores() -> int:
    """The number of cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def run(
    tasks: Iterable[Task],
    work: Callable[[Task, Report], Result],
    jobs: int,
    report: Report,
) -> Iterator[Done[Task, Result] | Lost[Task]]:
    """Does tasks side by side and gives the results as they come, in any order.

    Args:
        tasks: the tasks; the next one is asked for only when a worker is free.
        work: does one; with more than one job it must be a function of a module, and tasks and results go from process
            to process.
        jobs: how many processes; with 1 all is done in this one.
        report: is told how far the work is, and with zeros now and then.

    Raises:
        Exception: what the work raises; the other workers are stopped then.
    """
    if jobs == 1:
        for task in tasks:
            yield Done(task, work(task, report))
        return
    workers: list[_Worker[Task]] = []
    try:
        yield from _spread(iter(tasks), work, jobs, report, workers)
    finally:
        for worker in workers:
            worker.stop()


def _spread(
    tasks: Iterator[Task],
    work: Callable[[Task, Report], Any],
    jobs: int,
    report: Report,
    workers: list[_Worker[Task]],
) -> Iterator[Done[Task, Any] | Lost[Task]]:
    again: list[tuple[Task, int]] = []
    is_more = True
    while True:
        while is_more and sum(worker.is_busy for worker in workers) < jobs:
            if again:
                task, tries = again.pop()
            else:
                try:
                    task, tries = next(tasks), 0
                except StopIteration:
                    is_more = False
                    break
            free = next((worker for worker in workers if not worker.is_busy), None)
            if free is None:
                free = _Worker(work)
                workers.append(free)
            free.give(task, tries + 1)
        busy = {worker.pipe: worker for worker in workers if worker.is_busy}
        if not busy:
            return
        ready = wait(list(busy), timeout=_TICK)
        if not ready:
            report(0, 0)
        for pipe in ready:
            worker = busy[pipe]  # type: ignore[index]
            try:
                kind, *said = worker.pipe.recv()
            except (EOFError, OSError):
                workers.remove(worker)
                exit_code = worker.stop()
                task = worker.take()
                if worker.tries < _TRIES:
                    again.append((task, worker.tries))
                    is_more = True
                else:
                    yield Lost(task, exit_code)
                continue
            if kind == "progress":
                report(*said)
            elif kind == "failed":
                raise said[0]
            else:
                yield Done(worker.take(), said[0])


class _Worker(Generic[Task]):
    """A process that does one task after the other."""

    def __init__(self, work: Callable[[Task, Report], Any]) -> None:
        # Not forked: libraries that have threads of their own do not survive that.
        context = multiprocessing.get_context("spawn")
        self.pipe: Connection
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, work), daemon=True)
        with _without_interrupts():
            self._process.start()
        other.close()
        self._task: list[Task] = []
        self.tries = 0

    @property
    def is_busy(self) -> bool:
        return bool(self._task)

    def give(self, task: Task, tries: int) -> None:
        """Sends it a task, for the given time."""
        self._task.append(task)
        self.tries = tries
        with suppress(OSError):  # a worker that has gone away is noticed when it is waited for
            self.pipe.send(task)

    def take(self) -> Task:
        """The task that it has, which it has no longer."""
        return self._task.pop()

    def stop(self) -> int | None:
        """Ends it at once; how it had ended if it had."""
        self.pipe.close()
        self._process.join(0.1)
        exit_code = self._process.exitcode
        if exit_code is None:
            self._process.kill()
            self._process.join()
        self._process.close()
        return exit_code


@contextmanager
def _without_interrupts() -> Iterator[None]:
    """Lets a process that is started here begin without Ctrl-C, which is for this one alone."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, work: Callable[[Any, Report], Any]) -> None:
    """What a worker does: tasks, until there are no more."""
    # Ctrl-C is for the process that started this one, which then stops it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    with suppress(EOFError, OSError):
        while True:
            task = pipe.recv()
            try:
                result = work(task, lambda *done: pipe.send(("progress", *done)))
            except Exception as trouble:
                pipe.send(("failed", trouble))
            else:
                pipe.send(("done", result))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
