"""Tasks spread over the workers of a Dask cluster (``dask.distributed``), in the manner of :mod:`.processes`.

A worker that goes away costs only the tasks that it had: the scheduler gives them to others. Nothing of Dask is loaded
before a connection is asked for.
"""

from __future__ import annotations

import os
import pickle
import pkgutil
import socket
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import Any, Final, NamedTuple, TypeVar

from tichu_analytics.jobs.processes import Done, Lost, Report

Task = TypeVar("Task")
Result = TypeVar("Result")

#: What :func:`pkgutil.resolve_name` makes the version of a package of.
TICHU: Final = "tichu_analytics:__version__"
PYARROW: Final = "pyarrow:__version__"

#: Seconds that a scheduler has to answer.
_PATIENCE: Final = 10
_SCHEMES: Final = ("tcp", "tls", "ws", "wss", "ucx")
#: Bytes with which a scheduler begins.
_GREETING: Final = 8
#: Seconds after which it is looked up although no task is done.
_TICK: Final = 0.2
#: Seconds after which it is asked again how many workers there are.
_LOOK: Final = 2.0
#: Seconds without any worker after which no more is waited; a cluster that grows on demand needs a while.
_ALONE: Final = 120.0
#: How often a task that ends its workers is tried; the scheduler gives it to several workers each time.
_TRIES: Final = 2

#: Two tasks at a time in one process would not be faster, and what the work keeps from task to task is not shared.
_one_at_a_time: Final = threading.Lock()


class ClusterTrouble(OSError):
    """A cluster that cannot be reached, or that cannot do this work; the text says why."""


class _Job(NamedTuple):
    """A task with its number and how often it was tried before."""

    number: int
    task: Any
    tries: int


class _Call:
    """A piece of work as it goes to a worker: it is done by being unpickled.

    So the scheduler, which looks into what it passes on, sees bytes, and needs nothing of this package.
    """

    def __init__(self, *what: object) -> None:
        self._what = what

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        return _do, self._what


def _do(work: bytes, versions: dict[str, str]) -> tuple[int, int, Any]:
    """What a worker does: compares the versions, then the work; the rounds, the bytes and the result of it.

    Raises:
        ClusterTrouble: if a version is another one than wanted.
        Exception: what the work raises.
    """
    for name, version in versions.items():
        _compare(socket.gethostname(), name, version, pkgutil.resolve_name(name))
    function, task = pickle.loads(work)
    told = [0, 0]

    def report(rounds: int, size: int) -> None:
        told[0] += rounds
        told[1] += size

    with _one_at_a_time:
        result = function(task, report)
    return told[0], told[1], result


def _compare(where: str, name: str, wanted: str, found: object) -> None:
    """Compares the version of a package on a worker with the one here.

    Raises:
        ClusterTrouble: if it is another one, or the package is missing there.
    """
    package = name.partition(":")[0]
    if isinstance(found, ImportError):
        raise ClusterTrouble(f"the worker {where} cannot load {package} ({found}); install version {wanted} there")
    if isinstance(found, OSError):
        return  # it has gone away meanwhile
    if found != wanted:
        raise ClusterTrouble(
            f"the worker {where} has {package} {found}, and here it is {wanted}; results might differ, so install the "
            "same on all machines"
        )


@contextmanager
def connected(address: str, packages: Iterable[str] = ()) -> Iterator[Cluster]:
    """A cluster for a while; what is still under way at the end is cancelled.

    Args:
        address: where its scheduler is: ``tcp://host:8786``, ``tls://...``, or just ``host:8786``.
        packages: of which packages besides this one all workers have to have the same version as this process.

    Raises:
        ClusterTrouble: if no scheduler answers there, or it or a worker has other versions than this process.
    """
    try:
        from distributed import Client
        from distributed.versions import VersionMismatchWarning
    except ImportError as trouble:
        raise ClusterTrouble(
            f"work on a cluster needs {trouble.name or 'distributed'}, which is not installed: "
            "pip install 'tichu_analytics[cluster]'"
        ) from None
    versions = {name: str(pkgutil.resolve_name(name)) for name in (TICHU, *packages)}
    with _quiet():
        _knock(address)
        client: Any = Client.__new__(Client)
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", VersionMismatchWarning)  # versions that matter are compared below
                client.__init__(address, timeout=_PATIENCE, set_as_default=False)
        except Exception as trouble:
            client.status = "closed"  # so that it does not try to say goodbye
            raise ClusterTrouble(f"no Dask scheduler answers at {address} ({_line(trouble)})") from None
        try:
            cluster = Cluster(client, address, versions)
            cluster.compare()
            yield cluster
        finally:
            with suppress(Exception):
                client.close(timeout=2)


def _knock(address: str) -> None:
    """Sees whether there is a scheduler at an address; Dask itself would wait for ever where something else listens.

    Raises:
        ClusterTrouble: if there is none.
    """
    scheme, mark, rest = address.rpartition("://")
    host, _, port = rest.rpartition(":")
    if (mark and scheme.lower() not in _SCHEMES) or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ClusterTrouble(f"{address!a} is no address of a scheduler, such as tcp://host:8786")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=_PATIENCE) as connection:
            if mark and scheme.lower() != "tcp":
                return
            # It speaks first: the length of what it says.
            said = connection.recv(_GREETING, socket.MSG_WAITALL)
    except (OSError, UnicodeError) as trouble:
        raise ClusterTrouble(f"no Dask scheduler answers at {address} ({_line(trouble)})") from None
    if len(said) < _GREETING or int.from_bytes(said, "little") > 1 << 20:
        raise ClusterTrouble(f"what answers at {address} is no Dask scheduler")


@contextmanager
def _quiet() -> Iterator[None]:
    """Keeps Dask from writing to the terminal about what is told in other words, or is no trouble."""
    import logging

    names = ("distributed", "distributed.client", "distributed.core", "tornado.application")
    before = {name: logging.getLogger(name).level for name in names}
    for name in names:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for name, level in before.items():
            logging.getLogger(name).setLevel(level)


def _line(trouble: BaseException) -> str:
    """What an error says, in one line."""
    return " ".join(str(trouble).split())[:200] or type(trouble).__name__


class Cluster:
    """A connection to the scheduler of a cluster."""

    def __init__(self, client: Any, address: str, versions: dict[str, str]) -> None:
        self._client = client
        self._address = address
        self._versions = versions
        self._threads = 0
        self._looked = float("-inf")
        self._seen = time.monotonic()

    @property
    def threads(self) -> int:
        """How many tasks the workers can do side by side, one at least."""
        self._look()
        return max(1, self._threads)

    def compare(self) -> None:
        """Compares versions on the scheduler and on the workers that there are with those here.

        Raises:
            ClusterTrouble: if some are others.
        """
        import distributed

        with self._answering():
            told = self._client.get_versions()
        for where, one in (("the scheduler", told["scheduler"]), *told["workers"].items()):
            found = ((one or {}).get("packages") or {}).get("distributed")
            if found != distributed.__version__:
                raise ClusterTrouble(
                    f"{where if where == 'the scheduler' else f'the worker {where}'} at {self._address} runs "
                    f"distributed {found}, and here it is {distributed.__version__}; install the same on all machines"
                )
        for name, version in self._versions.items():
            with self._answering():
                # A function of the standard library: a worker without this package has to be able to answer.
                answers = self._client.run(pkgutil.resolve_name, name, on_error="return")
            for worker, found in answers.items():
                _compare(worker, name, version, found)

    @contextmanager
    def _answering(self) -> Iterator[None]:
        try:
            yield
        except Exception as trouble:
            raise ClusterTrouble(f"the cluster at {self._address} does not answer ({_line(trouble)})") from None

    def run(
        self,
        tasks: Iterable[Task],
        work: Callable[[Task, Report], Result],
        report: Report,
        *,
        tries: int = _TRIES,
        window: int | None = None,
        most: int | None = None,
    ) -> Generator[Done[Task, Result] | Lost[Task]]:
        """Does tasks on the workers and gives the results as they come, in any order.

        A task under which several workers have gone away (the scheduler's ``allowed-failures``, 3, and one more) is
        tried again at the end or when all wait for it, with nothing beside it: often it was another one's fault.

        Args:
            tasks: the tasks; the next one is asked for when a worker will soon be free.
            work: does one; a function of a module. Tasks and results go from machine to machine.
            report: is told the rounds and bytes of each task that is done, and zeros now and then.
            tries: how often this is done before the task is lost.
            window: no task is asked for while the one that came so many, for each thread of a worker, before it is not
                done.
            most: how many tasks are under way at most.

        Raises:
            Exception: what the work raises; all that is under way is cancelled then.
            ClusterTrouble: if the scheduler goes away, there is no worker for two minutes, or one has other versions.
        """
        flying: dict[str, tuple[_Job, Any]] = {}
        try:
            yield from self._spread(iter(tasks), work, report, tries, window, most, flying)
        finally:
            with suppress(Exception):
                if flying:
                    self._client.cancel([future for _, future in flying.values()], force=True)

    def _spread(
        self,
        tasks: Iterator[Task],
        work: Callable[[Task, Report], Any],
        report: Report,
        tries: int,
        window: int | None,
        most: int | None,
        flying: dict[str, tuple[_Job, Any]],
    ) -> Generator[Done[Task, Any] | Lost[Task]]:
        ends: SimpleQueue[Any] = SimpleQueue()
        again: deque[_Job] = deque()
        unfinished: set[int] = set()
        asked = 0
        is_more = True
        is_alone = False
        while True:
            self._look()
            # A little more than there are threads, so that none has to wait; the scheduler holds what is too much.
            room = most or self._threads + max(1, self._threads // 4)
            while is_more and not is_alone and len(flying) < room:
                if window is not None and unfinished and asked - min(unfinished) >= window * max(1, self._threads):
                    break
                try:
                    task = next(tasks)
                except StopIteration:
                    is_more = False
                    break
                self._send(_Job(asked, task, 0), work, flying, ends)
                unfinished.add(asked)
                asked += 1
            if not flying:
                if not again:
                    return
                is_alone = True
                self._send(again.popleft(), work, flying, ends)
            try:
                ended = ends.get(timeout=_TICK)
            except Empty:
                report(0, 0)
                continue
            job, future = flying.pop(ended.key)
            is_alone = False
            done = self._result(future)
            if done is not None:
                report(*done[:2])
                unfinished.remove(job.number)
                yield Done(job.task, done[2])
            elif job.tries + 1 < tries:
                again.append(job._replace(tries=job.tries + 1))
            else:
                unfinished.remove(job.number)
                yield Lost(job.task, None)

    def _send(
        self,
        job: _Job,
        work: Callable[[Any, Report], Any],
        flying: dict[str, tuple[_Job, Any]],
        ends: SimpleQueue[Any],
    ) -> None:
        """Gives a task to the scheduler."""
        import dask

        call = pickle.dumps(_Call(pickle.dumps((work, job.task)), self._versions))
        # A task may hold all logs of a part.
        with self._answering(), dask.config.set({"distributed.admin.large-graph-warning-threshold": "2 GiB"}):
            future = self._client.submit(pickle.loads, call, key=_name(job), pure=False)
            flying[future.key] = job, future
            future.add_done_callback(ends.put)

    def _result(self, future: Any) -> tuple[int, int, Any] | None:
        """What came of a task; None if its workers went away.

        Raises:
            Exception: what the work has raised.
            ClusterTrouble: if there is no answer for another reason.
        """
        from distributed import CancelledError, KilledWorker

        try:
            done: tuple[int, int, Any] = future.result()
        except (KilledWorker, MemoryError):
            return None
        except CancelledError as trouble:
            raise ClusterTrouble(f"the scheduler at {self._address} has gone away ({_line(trouble)})") from None
        except ImportError as trouble:
            raise ClusterTrouble(
                f"a worker cannot load what the work needs ({_line(trouble)}); install tichu_analytics "
                f"{self._versions[TICHU]} on all of them"
            ) from None
        return done

    def _look(self) -> None:
        """Sees how many threads the workers have, now and then.

        Raises:
            ClusterTrouble: if the scheduler does not answer, or there have been no workers for long.
        """
        now = time.monotonic()
        if now - self._looked < _LOOK:
            return
        self._looked = now
        if self._client.status in ("closed", "closing"):
            raise ClusterTrouble(f"the connection to the scheduler at {self._address} was lost")
        if self._client.status == "running":
            with self._answering():
                self._threads = sum(self._client.nthreads().values())
        if self._threads:
            self._seen = now
        elif now - self._seen > _ALONE:
            raise ClusterTrouble(f"the cluster at {self._address} has no workers")


def _name(job: _Job) -> str:
    """A name for a task that no other one has, also not from another run."""
    return f"tichu-{os.urandom(8).hex()}-{job.number}-{job.tries}"
