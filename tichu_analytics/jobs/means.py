"""Who checks games for this process: other processes of this machine, or the workers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from typing import TYPE_CHECKING, Any, Final, Protocol

from tichu_analytics.formats.remote import is_everywhere, is_private

if TYPE_CHECKING:
    from tichu_analytics.jobs.checks import Result, Task
    from tichu_analytics.jobs.cluster import Cluster
    from tichu_analytics.jobs.processes import Done, Lost, Report

    End = Done[Task, Result] | Lost[Task]
    Work = Callable[[Task, Report], Result]

#: Pieces that one may be ahead of the first one that is not done.
_AHEAD: Final = 3


class Means(Protocol):
    """Those who check games."""

    #: Whether they are on other machines, where other files are kept.
    is_far: bool

    @property
    def jobs(self) -> int:
        """How many work side by side."""

    def can_open(self, path: str) -> bool:
        """Whether they can open what this process has found under a path."""

    def run(self, tasks: Iterable[Task], work: Work) -> Generator[End]:
        """Does tasks and gives what comes of them in any order; each is tried once."""

    def again(self, tasks: Iterable[Task], work: Work) -> Generator[End]:
        """Does tasks once more that were lost together, each by itself; in any order."""

    def fate(self, where: str, exit_code: int | None) -> str:
        """What is said of a game that ended whoever was to check it."""


class Processes:
    """Processes of this machine.

    Args:
        jobs: how many at most.
    """

    is_far = False

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs

    def can_open(self, path: str) -> bool:
        """Whether they can open what this process has found under a path."""
        return not is_private(path)

    def run(self, tasks: Iterable[Task], work: Work) -> Generator[End]:
        """See :class:`Means`.

        Raises:
            OSError: if no process can be started.
        """
        from tichu_analytics.jobs.processes import run_apart

        return run_apart(tasks, work, self.jobs, _unheard, tries=1, ahead=1, window=_AHEAD * self.jobs)

    def again(self, tasks: Iterable[Task], work: Work) -> Generator[End]:
        """See :class:`Means`."""
        from tichu_analytics.jobs.processes import run_apart

        return run_apart(tasks, work, 1, _unheard)

    def fate(self, where: str, exit_code: int | None) -> str:
        """See :class:`Means`."""
        how = f"killed by signal {-code}" if (code := exit_code or 0) < 0 else f"exit code {exit_code}"
        return f"the process that checked the game{where} ended before it was done, twice ({how})"


class Workers:
    """The workers of a cluster.

    Args:
        cluster: a connection to it.
    """

    is_far = True

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster

    @property
    def jobs(self) -> int:
        """How many work side by side now."""
        return self._cluster.threads

    def can_open(self, path: str) -> bool:
        """Whether they can open what this process has found under a path: what is at a URL, no file of this machine."""
        return is_everywhere(path)

    def run(self, tasks: Iterable[Task], work: Work) -> Generator[End]:
        """See :class:`Means`.

        Raises:
            ClusterTrouble: if the cluster does not answer, or its workers cannot do this work.
        """
        return self._run(tasks, work, tries=1, window=_AHEAD)

    def again(self, tasks: Iterable[Task], work: Work) -> Generator[End]:
        """See :class:`Means`; they wait for each other, so that each is blamed for itself alone."""
        return self._run(tasks, work, tries=2, most=1)

    def _run(self, tasks: Iterable[Task], work: Work, **how: Any) -> Generator[End]:
        return self._cluster.run(tasks, work, _unheard, **how)

    def fate(self, where: str, exit_code: int | None) -> str:
        """See :class:`Means`."""
        how = f" (exit code {exit_code})" if exit_code is not None else ""
        return f"every worker that checked the game{where} ended before it was done{how}"


def _unheard(rounds: int, size: int) -> None:
    pass
