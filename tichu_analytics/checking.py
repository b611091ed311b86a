"""Checks many games one after the other: the work behind ``tichu check`` and :func:`tichu_analytics.check`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import BinaryIO, Literal, NamedTuple

from tichu_analytics.bulk.quick import QuickCheck
from tichu_analytics.census.course import Course, course_of, course_of_flawless
from tichu_analytics.formats.ids import distinct_inputs
from tichu_analytics.formats.registry import read_input
from tichu_analytics.formats.sources import Input, Trouble
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import get_rule_set

Engine = Literal["auto", "careful"]


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
    """Something about the inputs that is no finding: several games with the same id."""

    text: str


#: What comes of an input.
Checked = CheckedGame | Trouble | Remark


def check_paths(
    paths: Sequence[str],
    rules: str = "auto",
    engine: Engine = "auto",
    stdin: BinaryIO | None = None,
    jobs: int = 1,
    with_course: bool = False,
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
        with_course: whether :attr:`CheckedGame.course` is wanted.

    Raises:
        ValueError: for a rule set that does not exist, or less than one job.
    """
    if jobs < 1:
        raise ValueError(f"{jobs} jobs: there has to be one at least")
    check = checker(rules, engine, with_course)
    inputs = (Remark(one) if isinstance(one, str) else one for one in distinct_inputs(paths, stdin))
    if jobs > 1:
        from tichu_analytics.jobs.checks import check_batches

        return check_batches(inputs, check, (rules, engine, with_course), jobs)
    return _each(inputs, check)


def _quick(rules: str, engine: Engine) -> QuickCheck | None:
    """The short way for BrettspielWelt logs, if it is to be tried.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    options = get_rule_set("bsw" if rules == "auto" else rules).options
    return QuickCheck(options) if engine == "auto" else None


def checker(rules: str, engine: Engine, with_course: bool = False) -> Callable[[Input | Trouble | Remark], Checked]:
    """A function that says what comes of an input, whatever happens: one game is no reason to leave out those after it.

    Args:
        rules, engine: as for :func:`check_inputs`.
        with_course: as for :func:`check_paths`.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    quick = _quick(rules, engine)
    careful = check_game_with_course if with_course else check_game

    def check(one: Input | Trouble | Remark) -> Checked:
        if isinstance(one, Remark):
            return one
        try:
            found = _checked(one, rules, quick, careful)
            if with_course and isinstance(one, Input) and isinstance(found, CheckedGame) and found.course is None:
                course = course_of_flawless(one.data, one.month, rules, found.rounds)
                return careful(one, rules) if course is None else found._replace(course=course)
            return found
        except MemoryError:
            return Trouble(one.path, "takes more memory than there is")
        except Exception as trouble:
            what = f"{type(trouble).__name__}: {trouble}"
            return Trouble(one.path, f"could not be checked because of a fault in this program ({what})")

    return check


def _each(
    inputs: Iterable[Input | Trouble | Remark], check: Callable[[Input | Trouble | Remark], Checked]
) -> Generator[Checked]:
    with rare_collections():
        for one in inputs:
            yield check(one)


def check_inputs(
    inputs: Iterable[Input | Trouble], rules: str = "auto", engine: Engine = "auto"
) -> Iterator[CheckedGame | Trouble]:
    """Checks games as they come; memory holds one at a time.

    Args:
        inputs: games and troubles as :func:`tichu_analytics.formats.sources.read_inputs` gives them; a trouble is
            passed on unchanged.
        rules: a rule set's name, or ``auto``: ``bsw`` for BrettspielWelt logs, for other records the one that they
            name, or else ``official``.
        engine: ``careful`` replays every game with all facts; ``auto`` first tries to vouch for BrettspielWelt logs on
            a shorter way and replays only those that it cannot vouch for. Both give the same answers.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    return _check(inputs, rules, _quick(rules, engine))


def _check(inputs: Iterable[Input | Trouble], rules: str, quick: QuickCheck | None) -> Iterator[CheckedGame | Trouble]:
    with rare_collections():
        for one in inputs:
            yield _checked(one, rules, quick, check_game)


def _checked(
    one: Input | Trouble, rules: str, quick: QuickCheck | None, careful: Callable[[Input, str], CheckedGame]
) -> CheckedGame | Trouble:
    """What comes of an input; those that nobody vouches for are checked on the careful path given."""
    if isinstance(one, Trouble):
        return one
    if quick is not None and one.format == "bsw":
        rounds = quick.vouch(one.data)
        if rounds is not None:
            return CheckedGame(one.path, one.game_id, rounds, rounds, [])
    return careful(one, rules)


def check_game(one: Input, rules: str) -> CheckedGame:
    """Checks one game on the careful path.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    return _checked_game(one, replay(read_input(one), rules))


def check_game_with_course(one: Input, rules: str) -> CheckedGame:
    """Checks one game on the careful path and says how it went as well.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    found = replay(read_input(one), rules)
    return _checked_game(one, found)._replace(course=course_of(found))


def _checked_game(one: Input, found: GameReplay) -> CheckedGame:
    findings = list(found.findings)
    dirty = {finding.round for finding in findings if finding.round is not None}
    return CheckedGame(one.path, one.game_id, len(found.rounds), len(found.rounds) - len(dirty), findings)
