"""Tasks spread over processes of this machine.

A worker that goes away, killed or out of memory, costs only the task that it had: that is tried once more in a fresh
worker and else reported as lost. Workers end with the process that started them, however that ends.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from multiprocessing.connection import Connection, wait
from typing import Any, Final, Generic, NamedTuple, TypeVar

from tichu_analytics.jobs.cores import usable_cores

__all__ = ["Done", "Lost", "NotStarted", "Report", "Worker", "early_workers", "run", "run_apart", "usable_cores"]

Task = TypeVar("Task")
Result = TypeVar("Result")

#: Is told by the work what it has done since the last time, in whatever is counted: ``report(rounds, bytes)``.
Report = Callable[[int, int], None]

#: Seconds after which :func:`run` looks up although no worker has said anything.
_TICK: Final = 0.2
#: Seconds that workers have to end by themselves when there is nothing more for them to do.
_END: Final = 0.1
#: How often a task is given to a worker.
_TRIES: Final = 2
#: After so many workers in succession that ended before they were ready, no more are started.
_STARTS: Final = 3


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


class NotStarted(OSError):
    """Workers end before they can do anything."""

    def __init__(self, exit_code: int | None) -> None:
        super().__init__(
            f"the processes that are to do the work end at once (exit code {exit_code}); use one job. A script that "
            'asks for several needs its statements under if __name__ == "__main__":'
        )


def run(
    tasks: Iterable[Task],
    work: Callable[[Task, Report], Result],
    jobs: int,
    report: Report,
    workers: list[Worker] | None = None,
) -> Iterator[Done[Task, Result] | Lost[Task]]:
    """Does tasks side by side and gives the results as they come, in any order.

    Args:
        tasks: the tasks; the next one is asked for only when a worker is free.
        work: does one; with more than one job it must be a function of a module, and tasks and results go from process
            to process.
        jobs: how many processes; with 1 all is done in this one.
        report: is told how far the work is, and with zeros now and then.
        workers: those that :func:`early_workers` has started for the same work.

    Raises:
        Exception: what the work raises; the other workers are stopped then.
        NotStarted: if no worker can begin.
    """
    if jobs == 1:
        for task in tasks:
            yield Done(task, work(task, report))
        return
    with closing(run_apart(tasks, work, jobs, report, workers=workers)) as ends:
        yield from ends


def run_apart(
    tasks: Iterable[Task],
    work: Callable[[Task, Report], Result],
    jobs: int,
    report: Report,
    *,
    tries: int = _TRIES,
    ahead: int = 0,
    window: int | None = None,
    workers: list[Worker] | None = None,
) -> Generator[Done[Task, Result] | Lost[Task]]:
    """Does what :func:`run` does, in other processes than this one even if it is one job.

    Args:
        tasks, work, jobs, report: as for :func:`run`.
        tries: how often a task is given to a worker before it is lost.
        ahead: so many tasks are asked for before a worker is free, so that it need not wait for them.
        window: no task is asked for while the one that came so many before it is not done; without it, there may be any
            number of results of later tasks before that of a slow one.
        workers: as for :func:`run`.

    Raises:
        Exception, NotStarted: as :func:`run` does.
    """
    workers = workers if workers is not None else []
    try:
        yield from _spread(iter(tasks), work, jobs, report, workers, tries, ahead, window)
    finally:
        _stop(workers)


@contextmanager
def early_workers(
    work: Callable[[Any, Report], Any], jobs: int, prepare: Callable[[], None]
) -> Iterator[list[Worker] | None]:
    """Starts workers before it is known what there is to do, so that they are ready when it is.

    Args:
        work: what they will do.
        jobs: how many; with 1 none is started.
        prepare: what each does first, a function of a module; what it raises is of no account.

    Yields:
        The workers, for :func:`run`; they are stopped in the end if that has not been done.

    Raises:
        OSError: if the system cannot start a process.
    """
    workers: list[Worker] = []
    try:
        # One by one, so that those that have been started are stopped if the next one cannot be.
        workers.extend(Worker(work, prepare) for _ in range(jobs if jobs > 1 else 0))
        yield workers or None
    finally:
        _stop(workers)


class _Job(NamedTuple, Generic[Task]):
    """A task with its number and how often a worker has had it."""

    number: int
    task: Task
    tries: int


def _spread(
    tasks: Iterator[Task],
    work: Callable[[Task, Report], Any],
    jobs: int,
    report: Report,
    workers: list[Worker],
    tries: int,
    ahead: int,
    window: int | None,
) -> Generator[Done[Task, Any] | Lost[Task]]:
    waiting: deque[_Job[Task]] = deque()
    unfinished: set[int] = set()
    asked = failed_starts = 0
    is_more = True
    while True:
        while True:
            free = jobs - sum(worker.is_busy for worker in workers)
            if waiting and free:
                _idle(workers, work).give(waiting.popleft())
                continue
            is_open = window is None or not unfinished or asked - min(unfinished) < window
            if not is_more or not is_open or len(waiting) >= free + ahead:
                break
            try:
                task = next(tasks)
            except StopIteration:
                is_more = False
                break
            waiting.append(_Job(asked, task, 0))
            unfinished.add(asked)
            asked += 1
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
                job = worker.take()
                if not worker.is_ready:
                    failed_starts += 1
                    if failed_starts == _STARTS:
                        raise NotStarted(exit_code) from None
                    waiting.appendleft(job)
                elif job.tries + 1 < tries:
                    waiting.appendleft(job._replace(tries=job.tries + 1))
                else:
                    unfinished.remove(job.number)
                    yield Lost(job.task, exit_code)
                continue
            if kind == "ready":
                failed_starts = 0
                worker.begin()
            elif kind == "progress":
                report(*said)
            elif kind == "failed":
                raise said[0]
            else:
                job = worker.take()
                unfinished.remove(job.number)
                yield Done(job.task, said[0])


def _idle(workers: list[Worker], work: Callable[[Task, Report], Any]) -> Worker:
    """A worker that has nothing to do, a new one if need be."""
    for worker in workers:
        if not worker.is_busy:
            return worker
    worker = Worker(work)
    workers.append(worker)
    return worker


def _stop(workers: list[Worker]) -> None:
    """Ends workers, those with nothing to do by telling them, all others at once; then there are none."""
    for worker in workers:
        worker.pipe.close()
    until = time.monotonic() + _END
    for worker in workers:
        worker.stop(max(0.0, until - time.monotonic()))
    workers.clear()


class Worker:
    """A process that does one task after the other."""

    def __init__(self, work: Callable[[Any, Report], Any], prepare: Callable[[], None] | None = None) -> None:
        # Not forked: libraries that have threads of their own do not survive that.
        context = multiprocessing.get_context("spawn")
        self.pipe: Connection
        self.pipe, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, work, prepare), daemon=True)
        with _without_interrupts():
            self._process.start()
        other.close()
        self._job: list[_Job[Any]] = []
        self.is_ready = False

    @property
    def is_busy(self) -> bool:
        """Whether it has a task."""
        return bool(self._job)

    def give(self, job: _Job[Any]) -> None:
        """Gives it a task, which it gets when it is ready."""
        self._job.append(job)
        if self.is_ready:
            self._send()

    def begin(self) -> None:
        """Notes that it is ready and sends it what it was given meanwhile."""
        self.is_ready = True
        if self._job:
            self._send()

    def _send(self) -> None:
        with suppress(OSError):  # a worker that has gone away is noticed when it is waited for
            self.pipe.send(self._job[0].task)

    def take(self) -> _Job[Any]:
        """The task that it has, which it has no longer."""
        return self._job.pop()

    def stop(self, patience: float = _END) -> int | None:
        """Ends it; how it had ended if it had.

        Args:
            patience: seconds that it has to end by itself.
        """
        self.pipe.close()
        self._process.join(patience)
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
    from multiprocessing import resource_tracker

    # It is started with the first process, and lets signals through again before that process begins.
    resource_tracker.ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _serve(pipe: Connection, work: Callable[[Any, Report], Any], prepare: Callable[[], None] | None) -> None:
    """What a worker does: tasks, until there are no more."""
    # Ctrl-C is for the process that started this one, which then stops it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    if prepare is not None:
        with suppress(Exception):
            prepare()
    try:
        # A task is sent only now: sending a large one to a process that is still starting would keep the other up.
        pipe.send(("ready",))
        while True:
            task = pipe.recv()
            try:
                result = work(task, lambda *done: pipe.send(("progress", *done)))
            except MemoryError:
                raise
            except Exception as trouble:
                pipe.send(("failed", trouble))
            else:
                pipe.send(("done", result))
            del task
    except (EOFError, OSError):
        pass
    except MemoryError:
        os._exit(1)  # as if it had been killed for it


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
