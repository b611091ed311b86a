"""A game of which some rounds are not vouched for: only these are read and replayed on the careful path.

What comes of it is the same as if the careful path had had the whole game.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from tichu_analytics.bulk.layout import (
    DOUBLED,
    DOUBLED_CALLS,
    IRREGULAR,
    NAME,
    NAME_LENGTH,
    OTHER_NAME,
    R_FLAGS,
    R_LINE,
    R_SCORE,
    TOLD_WITHOUT_REPLAY,
)
from tichu_analytics.bulk.words import Numbers, Table
from tichu_analytics.formats.bsw.reader import read_rounds
from tichu_analytics.formats.bsw.text import LogText, plain_text
from tichu_analytics.formats.sources import Input
from tichu_analytics.record import Round
from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.replay.findings import Finding, Findings
from tichu_analytics.replay.game import GameCourse
from tichu_analytics.replay.messages import call_doubled
from tichu_analytics.replay.round import replay_round, round_findings
from tichu_analytics.rules.options import Options

#: The names of players by seat.
Names = tuple[str, str, str, str]


class Vouched(NamedTuple):
    """A round that has been vouched for.

    Attributes:
        row: its row among those of the game.
        number: its number in the game.
        total_before: the totals before it.
        names: the players by seat.
        findings: what was found in it.
    """

    row: int
    number: int
    total_before: tuple[int, int]
    names: Names
    findings: tuple[Finding, ...]


class InParts(NamedTuple):
    """What a replay in parts says about a game.

    Attributes:
        rounds: its rounds in their order, replayed on the careful path where they are not vouched for.
        course: totals and outcome.
    """

    rounds: list[Vouched | RoundReplay]
    course: GameCourse

    @property
    def findings(self) -> list[Finding]:
        """All findings, in their order."""
        return [finding for one in self.rounds for finding in one.findings]


class NameBook:
    """The names of players in the bytes of some games; each is decoded once.

    Args:
        data: the bytes.
    """

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._known: dict[bytes, str] = {}

    def of(self, row: Sequence[int]) -> Names:
        """The names in a round, by seat, from the facts that say where they are: four places, then four lengths."""
        names = []
        for at, length in zip(row[:4], row[4:], strict=True):
            raw = self._data[at : at + length]
            name = self._known.get(raw)
            if name is None:
                name = self._known[raw] = raw.decode()
            names.append(name)
        return names[0], names[1], names[2], names[3]


def replay_parts(one: Input, rows: Table, facts: Table, book: NameBook, options: Options) -> InParts | None:
    """Replays a game of which some rounds have been vouched for.

    Args:
        one: the game.
        rows: the rows of its rounds (:mod:`.layout`).
        facts: their facts.
        book: knows the names.
        options: the rule set's choices.

    Returns:
        None if the careful path needs the whole game to tell where its rounds begin.
    """
    course = GameCourse(one.path, one.game_id, options)
    done: list[Vouched | RoundReplay] = []
    text: LogText | None = None
    index = 0
    count = len(rows)
    known: list[list[int]] = rows.tolist()
    while index < count:
        line = known[index][R_LINE]
        flags = known[index][R_FLAGS]
        following = index + 1
        number = len(done) + 1
        # The first round after the end of the game has a finding.
        is_vouched = flags & ~TOLD_WITHOUT_REPLAY == 0 and course.outcome != "finished"
        record: Round | None = None
        if not is_vouched or flags & OTHER_NAME:
            if text is None:
                # Only of such logs is anything known.
                text = plain_text(one.data)
            if flags == IRREGULAR:
                # Where the careful reader sees a round begin can be told from the next one that is in order.
                while following < count and known[following][R_FLAGS] == IRREGULAR:
                    following += 1
            stop = known[following][R_LINE] if following < count else len(text.lines)
            rounds = read_rounds(text, line, stop, number)
            if rounds is None:
                return None
            if not is_vouched:
                done += [_replayed(one, record, options, course) for record in rounds]
                index = following
                continue
            if len(rounds) != 1:
                return None
            record = rounds[0]
        course.begin(number, line + 1)
        names = book.of(facts[index, NAME : NAME_LENGTH + 4].tolist())
        findings = _findings(one, number, record, facts[index], names) if flags else ()
        done.append(Vouched(index, number, course.total, names, findings))
        score_0, score_1 = known[index][R_SCORE : R_SCORE + 2]
        course.end(number, (course.total[0] + score_0, course.total[1] + score_1), True)
        index = following
    return InParts(done, course)


def _replayed(one: Input, record: Round, options: Options, course: GameCourse) -> RoundReplay:
    """A round replayed on the careful path."""
    played_on = course.begin(record.number, record.first_line)
    found = replay_round(record, options, one.path, one.game_id, course.total)
    course.end(record.number, found.total_after, found.complete)
    return found if played_on is None else found._replace(findings=Findings((played_on, *found.findings)))


def _findings(one: Input, number: int, record: Round | None, facts: Numbers, names: Names) -> tuple[Finding, ...]:
    """What is worth a finding in a round that is vouched for: what its reader found, and calls that stand twice."""
    breaches = []
    for place in range(DOUBLED_CALLS, DOUBLED_CALLS + 3 * int(facts[DOUBLED]), 3):
        line, seat, call = facts[place : place + 3].tolist()
        breaches.append(call_doubled(names, seat, call, line))
    problems = () if record is None else record.problems
    return round_findings(number, problems, breaches, one.path, one.game_id)
