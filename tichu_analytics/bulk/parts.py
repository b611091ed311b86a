"""A game of which some rounds are not vouched for: only these are read and replayed on the careful path.

What comes of it is the same as if the careful path had had the whole game.
"""

from __future__ import annotations

from typing import NamedTuple

from tichu_analytics.bulk.layout import IRREGULAR, R_FLAGS, R_LINE, R_SCORE
from tichu_analytics.bulk.words import Table
from tichu_analytics.formats.bsw.reader import read_rounds
from tichu_analytics.formats.bsw.text import read_text
from tichu_analytics.formats.sources import Input
from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.game import GameCourse
from tichu_analytics.replay.round import replay_round
from tichu_analytics.rules.options import Options


class Vouched(NamedTuple):
    """A round that has been vouched for.

    Attributes:
        row: its row among those of the game.
        number: its number in the game.
        total_before: the totals before it.
    """

    row: int
    number: int
    total_before: tuple[int, int]


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
        return [finding for one in self.rounds if isinstance(one, RoundReplay) for finding in one.findings]


def replay_parts(one: Input, rows: Table, options: Options) -> InParts | None:
    """Replays a game of which some rounds have been vouched for.

    Args:
        one: the game.
        rows: the rows of its rounds (:mod:`.layout`).
        options: the rule set's choices.

    Returns:
        None if the careful path needs the whole game to tell where its rounds begin.
    """
    text = read_text(one.data)
    if text.problems:
        return None
    course = GameCourse(one.path, one.game_id, options)
    done: list[Vouched | RoundReplay] = []
    index = 0
    count = len(rows)
    while index < count:
        line = int(rows[index, R_LINE])
        flags = int(rows[index, R_FLAGS])
        following = index + 1
        # The first round after the end of the game has a finding.
        if flags == 0 and course.outcome != "finished":
            number = len(done) + 1
            course.begin(number, line + 1)
            done.append(Vouched(index, number, course.total))
            score = (int(rows[index, R_SCORE]), int(rows[index, R_SCORE + 1]))
            course.end(number, (course.total[0] + score[0], course.total[1] + score[1]), True)
            index = following
            continue
        if flags == IRREGULAR:
            # Where the careful reader sees a round begin can be told from the next one that is in order.
            while following < count and rows[following, R_FLAGS] == IRREGULAR:
                following += 1
        stop = int(rows[following, R_LINE]) if following < count else len(text.lines)
        rounds = read_rounds(text, line, stop, len(done) + 1)
        if rounds is None:
            return None
        for record in rounds:
            number = len(done) + 1
            played_on = course.begin(number, record.first_line)
            found = replay_round(record, options, one.path, one.game_id, course.total)
            if played_on is not None:
                found = found._replace(findings=(played_on, *found.findings))
            done.append(found)
            course.end(number, found.total_after, found.complete)
        index = following
    return InParts(done, course)
