"""Checks many logs one after the other: the work behind ``tichu check`` and :func:`tichu_analytics.check`."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from io import BytesIO
from typing import BinaryIO, Literal, NamedTuple

from tichu_analytics.bulk.quick import QuickCheck
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.ids import distinct_ids, same_text
from tichu_analytics.formats.sources import DEFAULT, NOT_READ_YET, Input, Trouble, not_read_yet, read_inputs
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import get_rule_set

Engine = Literal["auto", "careful"]


class CheckedGame(NamedTuple):
    """What a check says about one log.

    Attributes:
        path, game_id: which log.
        rounds: how many rounds were read.
        clean_rounds: how many of them have no finding of any severity.
        findings: all findings, by line within a round; those about the whole file first.
    """

    path: str
    game_id: str
    rounds: int
    clean_rounds: int
    findings: list[Finding]


class Remark(NamedTuple):
    """Something about the inputs that is no finding: several logs with the same id."""

    text: str


def check_paths(
    paths: Sequence[str], rules: str = "auto", engine: Engine = "auto", stdin: BinaryIO | None = None
) -> Iterator[CheckedGame | Trouble | Remark]:
    """Checks all logs under some paths; games with the same id get different ones, the same game is checked once.

    Args:
        paths: as for :func:`tichu_analytics.formats.sources.read_inputs`.
        rules, engine: as for :func:`check_inputs`.
        stdin: what is read for ``-``, by default standard input, which is then held in memory.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    name = "bsw" if rules == "auto" else rules
    quick = QuickCheck(get_rule_set(name).options) if engine == "auto" else None
    return _check_paths(paths, name, quick, stdin)


def _check_paths(
    paths: Sequence[str], rules: str, quick: QuickCheck | None, stdin: BinaryIO | None
) -> Iterator[CheckedGame | Trouble | Remark]:
    if "-" in paths and stdin is None and sys.stdin is not None:
        # Kept, so that it can be read twice; why it cannot be read is told where it is read.
        with suppress(OSError, ValueError):
            stdin = BytesIO(sys.stdin.buffer.read(DEFAULT.log_bytes + 1))
    new_ids, same = distinct_ids(paths, stdin)
    for one in same:
        yield Remark(same_text(one))
    inputs: Iterable[Input | Trouble] = read_inputs(paths, stdin=stdin)
    if new_ids:
        inputs = _renamed(inputs, new_ids)
    yield from _check(inputs, rules, quick)


def _renamed(inputs: Iterable[Input | Trouble], new_ids: dict[int, str | None]) -> Iterator[Input | Trouble]:
    """The inputs with the ids that they get, without those that are the same game again."""
    number = -1
    for one in inputs:
        if isinstance(one, Trouble):
            yield one
            continue
        if not_read_yet(one.path):
            yield one
            continue
        number += 1
        new_id = new_ids.get(number, one.game_id)
        if new_id is not None:
            yield one if new_id == one.game_id else one._replace(game_id=new_id)


def check_inputs(
    inputs: Iterable[Input | Trouble], rules: str = "auto", engine: Engine = "auto"
) -> Iterator[CheckedGame | Trouble]:
    """Checks logs as they come; memory holds one at a time.

    Args:
        inputs: logs and troubles as :func:`tichu_analytics.formats.sources.read_inputs` gives them; a trouble is passed
            on unchanged.
        rules: a rule set's name, or ``auto``: ``bsw`` for BrettspielWelt logs.
        engine: ``careful`` replays every log with all facts; ``auto`` first tries to vouch for it on a shorter way and
            replays only those that it cannot vouch for. Both give the same answers.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    name = "bsw" if rules == "auto" else rules
    quick = QuickCheck(get_rule_set(name).options) if engine == "auto" else None
    return _check(inputs, name, quick)


def _check(inputs: Iterable[Input | Trouble], rules: str, quick: QuickCheck | None) -> Iterator[CheckedGame | Trouble]:
    with rare_collections():
        for one in inputs:
            if isinstance(one, Trouble):
                yield one
                continue
            if not_read_yet(one.path):
                yield Trouble(one.path, NOT_READ_YET)
                continue
            rounds = quick.vouch(one.data) if quick is not None else None
            if rounds is not None:
                yield CheckedGame(one.path, one.game_id, rounds, rounds, [])
            else:
                yield check_game(one, rules)


def check_game(one: Input, rules: str) -> CheckedGame:
    """Checks one log on the careful path.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    found = replay(read_game(one.data, one.path, one.game_id, one.month), rules)
    findings = list(found.findings)
    dirty = {finding.round for finding in findings if finding.round is not None}
    return CheckedGame(one.path, one.game_id, len(found.rounds), len(found.rounds) - len(dirty), findings)
