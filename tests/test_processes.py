"""Work spread over processes: results, progress, errors, workers that go away."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tichu_analytics.jobs.processes import Done, Lost, Report, run, usable_cores
from tichu_analytics.tables.files import CannotWrite


def squared(number: int, report: Report) -> int:
    report(number, 10 * number)
    return number * number


def refusing(number: int, report: Report) -> int:
    if number == 3:
        raise CannotWrite("somewhere", "no room")
    return number


def dying(task: tuple[int, str], report: Report) -> int:
    """Kills its own process at number 2, once or always, as running out of memory would."""
    number, folder = task
    if number == 2:
        tries = Path(folder) / f"{time.monotonic_ns()}"
        tries.touch()
        if len(list(Path(folder).iterdir())) <= 1 or folder.endswith("always"):
            os.kill(os.getpid(), signal.SIGKILL)
    return number


def silent(rounds: int, size: int) -> None:
    pass


@pytest.mark.parametrize("jobs", [1, 3])
def test_every_task_is_done_once_and_progress_adds_up(jobs: int) -> None:
    told = [0, 0]

    def report(rounds: int, size: int) -> None:
        told[0] += rounds
        told[1] += size

    ends = list(run(range(20), squared, jobs, report))
    assert all(isinstance(end, Done) for end in ends)
    assert sorted((end.task, end.result) for end in ends if isinstance(end, Done)) == [(n, n * n) for n in range(20)]
    assert told == [190, 1900]


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_error_comes_back_as_it_was(jobs: int) -> None:
    with pytest.raises(CannotWrite) as caught:
        list(run(range(10), refusing, jobs, silent))
    assert (caught.value.path, caught.value.reason) == ("somewhere", "no room")
    assert str(caught.value) == "cannot write somewhere: no room"


def test_a_task_whose_worker_was_killed_is_done_by_another(tmp_path: Path) -> None:
    ends = list(run([(n, str(tmp_path)) for n in range(5)], dying, 2, silent))
    assert sorted(end.result for end in ends if isinstance(end, Done)) == [0, 1, 2, 3, 4]


def test_a_task_that_kills_every_worker_costs_only_itself(tmp_path: Path) -> None:
    folder = tmp_path / "always"
    folder.mkdir()
    ends = list(run([(n, str(folder)) for n in range(5)], dying, 2, silent))
    assert sorted(end.result for end in ends if isinstance(end, Done)) == [0, 1, 3, 4]
    (lost,) = [end for end in ends if isinstance(end, Lost)]
    assert lost.task[0] == 2 and lost.exit_code == -signal.SIGKILL
    assert len(list(folder.iterdir())) == 2


def test_tasks_are_asked_for_only_when_a_worker_is_free() -> None:
    asked = 0

    def tasks():
        nonlocal asked
        for number in range(10):
            asked += 1
            yield number

    done = 0
    for _ in run(tasks(), squared, 2, silent):
        done += 1
        assert asked <= done + 2
    assert asked == done == 10


def test_leaving_early_stops_the_workers() -> None:
    ends = run(range(100), squared, 2, silent)
    next(ends)
    ends.close()  # type: ignore[attr-defined]


def test_there_is_at_least_one_core() -> None:
    assert usable_cores() >= 1
