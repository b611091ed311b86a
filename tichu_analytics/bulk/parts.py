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
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.game import GameCourse
from tichu_analytics.replay.round import replay_round
from tichu_analytics.rules.options import Options


class InParts(NamedTuple):
    """What a check in parts says about a game.

    Attributes:
        rounds: how many rounds it has.
        careful: how many of them were replayed on the careful path.
        findings: all findings, in their order.
    """

    rounds: int
    careful: int
    findings: list[Finding]


def check_parts(one: Input, rows: Table, options: Options) -> InParts | None:
    """Checks a game of which some rounds have been vouched for.

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
    findings: list[Finding] = []
    number = careful = 0
    index = 0
    count = len(rows)
    while index < count:
        line = int(rows[index, R_LINE])
        flags = int(rows[index, R_FLAGS])
        following = index + 1
        if flags == 0:
            number += 1
            played_on = course.begin(number, line + 1)
            if played_on is not None:
                findings.append(played_on)
            score = (int(rows[index, R_SCORE]), int(rows[index, R_SCORE + 1]))
            course.end(number, (course.total[0] + score[0], course.total[1] + score[1]), True)
            index = following
            continue
        if flags == IRREGULAR:
            # Where the careful reader sees a round begin can be told from the next one that is in order.
            while following < count and rows[following, R_FLAGS] == IRREGULAR:
                following += 1
        stop = int(rows[following, R_LINE]) if following < count else len(text.lines)
        rounds = read_rounds(text, line, stop, number + 1)
        if rounds is None:
            return None
        for record in rounds:
            number += 1
            careful += 1
            played_on = course.begin(number, record.first_line)
            if played_on is not None:
                findings.append(played_on)
            found = replay_round(record, options, one.path, one.game_id, course.total)
            findings += found.findings
            course.end(number, found.total_after, found.complete)
        index = following
    return InParts(number, careful, findings)
