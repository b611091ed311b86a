"""Checks many games one after the other: the work behind ``tichu check`` and :func:`tichu_analytics.check`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, BinaryIO, NamedTuple, TypeGuard

from tichu_analytics.bulk.choice import (
    BATCH_BYTES,
    BATCH_INPUTS,
    Wanted,
    Way,
    are_few,
    expected_bytes,
    is_for_batch,
    rules_of_logs,
)
from tichu_analytics.formats.ids import distinct_ids, kept_input, renamed, same_text
from tichu_analytics.formats.sources import Input, Trouble, read_numbered
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.rules.rulesets import get_rule_set

if TYPE_CHECKING:
    from pathlib import Path

    # The careful replay takes as long to load as a few flawless games to check.
    from tichu_analytics.bulk.engine import Passed
    from tichu_analytics.bulk.parts import NameBook
    from tichu_analytics.census.course import Course
    from tichu_analytics.replay.facts import GameReplay
    from tichu_analytics.replay.findings import Finding
    from tichu_analytics.rules.options import Options

Engine = Wanted


class CheckedGame(NamedTuple):
    """What a check says about one game.

    Attributes:
        path, game_id: which game.
        rounds: how many rounds were read.
        clean_rounds: how many of them have no finding of any severity.
        findings: all findings, by line within a round; those about the whole file first.
        course: how the game went, if that was asked for.
    """

    path: str
    game_id: str
    rounds: int
    clean_rounds: int
    findings: list[Finding]
    course: Course | None = None


class Remark(NamedTuple):
    """Something that is no finding: several games with the same id, or what is to be known about the engine."""

    text: str


class How(NamedTuple):
    """How games are checked: the arguments of :func:`checker`."""

    rules: str
    engine: Engine
    with_course: bool


class Inputs(NamedTuple):
    """What is to be checked.

    Attributes:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        stdin: what is read for ``-``, from its beginning.
        trouble: why standard input cannot be read if that is so.
    """

    paths: Sequence[str]
    stdin: BinaryIO | None
    trouble: Trouble | None


#: What comes of an input.
Checked = CheckedGame | Trouble | Remark


def check_paths(
    paths: Sequence[str],
    rules: str = "auto",
    engine: Engine = "auto",
    stdin: BinaryIO | None = None,
    jobs: int = 1,
    with_course: bool = False,
    scheduler: str | None = None,
) -> Generator[Checked]:
    """Checks all games under some paths; those with the same id get different ones, the same game is checked once.

    A game that cannot be checked because of a fault in this program is a trouble like an input that cannot be read.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        rules, engine: as for :func:`check_inputs`.
        stdin: what is read for ``-``, from its beginning; by default standard input, which is kept in a file meanwhile.
        jobs: how many processes do the work, if it is worth while to start any; what comes does not depend on it. In
            memory are a few batches of games a process. The games that end their process, by more memory than there is
            or otherwise, come last, as troubles.
        with_course: whether the ``course`` of a :class:`CheckedGame` is wanted.
        scheduler: the address of a Dask scheduler whose workers do the work in place of processes here; with less than
            a few megabytes of logs it is not worth asking them.

    Raises:
        ValueError: for a rule set that does not exist, or less than one job.
        ClusterTrouble: later, if the scheduler cannot be reached, or its workers cannot do this work.
    """
    if jobs < 1:
        raise ValueError(f"{jobs} jobs: there has to be one at least")
    way = _way(rules, engine, expected_bytes(paths))
    check = checker(rules, engine, with_course)
    if scheduler is not None:
        return _check_on_cluster(paths, stdin, way, check, How(rules, engine, with_course), scheduler)
    return _check_paths(paths, stdin, way, check, How(rules, engine, with_course), jobs)


def _check_paths(
    paths: Sequence[str],
    stdin: BinaryIO | None,
    way: Way,
    check: Callable[[Input | Trouble], Checked],
    how: How,
    jobs: int,
) -> Generator[Checked]:
    """What comes of paths, in this process or in several."""
    if how.with_course:
        way.settle(None)
    if way.is_due(0):
        text = way.prepare(0)
        if text is not None:
            yield Remark(text)
        if way.quick is None:
            how = how._replace(engine="careful")
    with kept_input(paths, stdin) as (named, source, trouble):
        if jobs > 1 and not (way.is_to_be_loaded and way.folder is None) and not are_few(paths):
            from tichu_analytics.jobs.checks import check_side_by_side

            yield from check_side_by_side(Inputs(named, source, trouble), way, check, how, jobs)
        else:
            yield from check_here(Inputs(named, source, trouble), way, check, how)


def _check_on_cluster(
    paths: Sequence[str],
    stdin: BinaryIO | None,
    way: Way,
    check: Callable[[Input | Trouble], Checked],
    how: How,
    scheduler: str,
) -> Generator[Checked]:
    """What comes of paths, on the workers of a cluster.

    Raises:
        ClusterTrouble: if it cannot be reached, or its workers cannot do this work.
    """
    from tichu_analytics.jobs.checks import check_spread
    from tichu_analytics.jobs.cluster import connected
    from tichu_analytics.jobs.means import Workers

    with connected(scheduler) as cluster, kept_input(paths, stdin) as (named, source, trouble):
        yield from check_spread(Inputs(named, source, trouble), way, check, how, Workers(cluster))


def check_here(inputs: Inputs, way: Way, check: Callable[[Input | Trouble], Checked], how: How) -> Iterator[Checked]:
    """Checks games in this process; they get their ids first.

    Args:
        inputs: the games.
        way: in which way they are checked as long as nothing else is due; loaded first if that has been prepared.
        check: checks one game.
        how: how games are checked.
    """
    with rare_collections():
        text = way.load()
        if text is not None:
            yield Remark(text)
        if inputs.trouble is not None:
            yield inputs.trouble
        new_ids, same = distinct_ids(inputs.paths, inputs.stdin)
        for several in same:
            yield Remark(same_text(several))
        found = renamed(read_numbered(inputs.paths, stdin=inputs.stdin), new_ids)
        if how.with_course:
            yield from map(check, found)
        else:
            yield from check_in_order(found, how.rules, way, check)


def _prepared(way: Way, seen: int) -> Iterator[Remark]:
    """Sees about the compiled engine; what is to be told comes before the compiling that it tells of."""
    for step in (partial(way.prepare, seen), way.load):
        text = step()
        if text is not None:
            yield Remark(text)


def worker_way(how: How, folder: Path | None) -> Way:
    """How a process checks games for another one, which has seen about the compiled engine.

    Args:
        how: how games are checked.
        folder: where the code of the compiled engine is kept if that is to be used.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    way = _way(how.rules, how.engine)
    way.settle(folder)
    return way


def open_way(how: How) -> Way:
    """How a worker on another machine checks games, which sees about the compiled engine by itself.

    Args:
        how: how games are checked.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    way = _way(how.rules, how.engine)
    if how.with_course:
        way.settle(None)
    return way


def _way(rules: str, engine: Engine, expected: int = 0) -> Way:
    """How BrettspielWelt logs are checked; with the bytes that are expected.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    return Way(get_rule_set(rules_of_logs(rules)).options, engine, expected)


def checker(rules: str, engine: Engine, with_course: bool = False) -> Callable[[Input | Trouble], Checked]:
    """A function that says what comes of an input, whatever happens: one game is no reason to leave out those after it.

    Args:
        rules, engine: as for :func:`check_inputs`.
        with_course: as for :func:`check_paths`.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    way = _way(rules, engine)
    careful = check_game_with_course if with_course else check_game

    def check(one: Input | Trouble) -> Checked:
        try:
            found = _checked(one, rules, way, careful)
            if with_course and isinstance(one, Input) and isinstance(found, CheckedGame) and found.course is None:
                from tichu_analytics.census.course import course_of_flawless

                course = course_of_flawless(one.data, one.month, rules, found.rounds)
                return careful(one, rules) if course is None else found._replace(course=course)
            return found
        except MemoryError:
            return Trouble(one.path, "takes more memory than there is")
        except Exception as trouble:
            what = f"{type(trouble).__name__}: {trouble}"
            return Trouble(one.path, f"could not be checked because of a fault in this program ({what})")

    return check


def check_inputs(
    inputs: Iterable[Input | Trouble], rules: str = "auto", engine: Engine = "auto"
) -> Iterator[CheckedGame | Trouble]:
    """Checks games as they come; memory holds one at a time, or a few megabytes of them for the compiled engine.

    Args:
        inputs: games and troubles as :func:`tichu_analytics.formats.sources.read_inputs` gives them; a trouble is
            passed on unchanged.
        rules: a rule set's name, or ``auto``: ``bsw`` for BrettspielWelt logs, for other records the one that they
            name, or else ``official``.
        engine: ``careful`` replays every game with all facts; ``auto`` first tries to vouch for BrettspielWelt logs on
            a shorter way and replays only what it cannot vouch for, and after some megabytes of logs goes on with the
            compiled engine if Numba is installed; ``compiled`` uses that from the beginning. All give the same answers.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    return _check_inputs(inputs, rules, _way(rules, engine))


def _check_inputs(inputs: Iterable[Input | Trouble], rules: str, way: Way) -> Iterator[CheckedGame | Trouble]:
    with rare_collections():
        for one in check_in_order(inputs, rules, way):
            if not isinstance(one, Remark):
                yield one


def check_in_order(
    inputs: Iterable[Input | Trouble],
    rules: str,
    way: Way,
    check: Callable[[Input | Trouble], Checked] | None = None,
) -> Iterator[Checked]:
    """What comes of inputs, in their order, and remarks about the compiled engine once it is due.

    Args:
        inputs: games and troubles.
        rules: as for :func:`check_inputs`.
        way: in which way games are checked.
        check: checks one by itself.
    """
    if check is None:
        check = partial(_checked, rules=rules, way=way, careful=check_game)
    seen = size = 0
    batch: list[Input | Trouble] = []
    for one in inputs:
        if isinstance(one, Input) and one.format == "bsw":
            seen += len(one.data)
            if way.is_due(seen):
                yield from _prepared(way, seen)
        if way.compiled is None:
            yield check(one)
            continue
        batch.append(one)
        size += len(one.data) if isinstance(one, Input) else 0
        if size >= BATCH_BYTES or len(batch) >= BATCH_INPUTS:
            yield from _checked_batch(batch, rules, way, check)
            batch = []
            size = 0
    yield from _checked_batch(batch, rules, way, check)


def _checked(
    one: Input | Trouble, rules: str, way: Way, careful: Callable[[Input, str], CheckedGame]
) -> CheckedGame | Trouble:
    """What comes of an input; those that nobody vouches for are checked on the careful path given."""
    if isinstance(one, Trouble):
        return one
    if way.quick is not None and one.format == "bsw":
        rounds = way.quick.vouch(one.data)
        if rounds is not None:
            return CheckedGame(one.path, one.game_id, rounds, rounds, [])
    return careful(one, rules)


def _checked_batch(
    batch: list[Input | Trouble], rules: str, way: Way, check: Callable[[Input | Trouble], Checked]
) -> Iterator[Checked]:
    """What comes of several inputs that go through the compiled pass together."""
    if not batch or way.compiled is None:
        return
    from tichu_analytics.bulk.layout import CLEAN, G_FIRST, G_ROUNDS, G_STATE, IN_PARTS
    from tichu_analytics.bulk.parts import NameBook

    logs = [one for one in batch if _is_for_batch(one)]
    passed = way.compiled.run([one.data for one in logs])
    rows = iter(passed.games.tolist())
    book = NameBook(passed.data)
    for one in batch:
        if not _is_for_batch(one):
            yield check(one)
            continue
        row = next(rows)
        rounds = row[G_ROUNDS]
        if row[G_STATE] == CLEAN:
            yield CheckedGame(one.path, one.game_id, rounds, rounds, [])
        elif row[G_STATE] == IN_PARTS:
            yield _check_in_parts(one, passed, slice(row[G_FIRST], row[G_FIRST] + rounds), book, rules, way.options)
        else:
            yield check(one)


def _is_for_batch(one: Input | Trouble) -> TypeGuard[Input]:
    return isinstance(one, Input) and is_for_batch(one)


def _check_in_parts(
    one: Input, passed: Passed, rows: slice, book: NameBook, rules: str, options: Options
) -> CheckedGame:
    """Checks a game of which the compiled pass has vouched for some rounds."""
    from tichu_analytics.bulk.parts import replay_parts

    found = replay_parts(one, passed.rounds[rows], passed.facts[rows], book, options)
    if found is None:
        return check_game(one, rules)
    return _checked_game(one, len(found.rounds), found.findings)


def check_game(one: Input, rules: str) -> CheckedGame:
    """Checks one game on the careful path.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    from tichu_analytics.formats.registry import read_input
    from tichu_analytics.replay.game import replay

    return _replayed(one, replay(read_input(one), rules))


def check_game_with_course(one: Input, rules: str) -> CheckedGame:
    """Checks one game on the careful path and says how it went as well.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    from tichu_analytics.census.course import course_of
    from tichu_analytics.formats.registry import read_input
    from tichu_analytics.replay.game import replay

    found = replay(read_input(one), rules)
    return _replayed(one, found)._replace(course=course_of(found))


def _replayed(one: Input, found: GameReplay) -> CheckedGame:
    return _checked_game(one, len(found.rounds), list(found.findings))


def _checked_game(one: Input, rounds: int, findings: list[Finding]) -> CheckedGame:
    dirty = {finding.round for finding in findings if finding.round is not None}
    return CheckedGame(one.path, one.game_id, rounds, rounds - len(dirty), findings)
