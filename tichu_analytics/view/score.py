"""How a round came out, as rows with a number for each team."""

from __future__ import annotations

from typing import NamedTuple

from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.rules.scoring import DOUBLE_VICTORY_POINTS, GRAND_TICHU, TICHU, call_bonus
from tichu_analytics.view.saying import Words


class ScoreRow(NamedTuple):
    """A row of the score.

    Attributes:
        number: the line or running number that it stands on, or None for what is worked out.
        what: what the numbers are.
        numbers: for each team; an empty text where there is none, ``?`` for one that is not known.
    """

    number: int | None
    what: Words
    numbers: tuple[str, str]


def score_rows(one: RoundReplay) -> list[ScoreRow]:
    """Card points, calls, score, the score in the log and the totals of a round."""
    rows: list[ScoreRow] = []
    if one.card_points is not None:
        rows.append(_row("card points", one.card_points))
    elif one.double_victory is not None:
        double = (DOUBLE_VICTORY_POINTS, 0) if one.double_victory == 0 else (0, DOUBLE_VICTORY_POINTS)
        rows.append(_row("double victory", double))
    for call in one.calls:
        if call is None:
            continue
        # How it went comes before the name, of which columns may cut the end.
        what = "Grand Tichu" if call.grand else "Tichu"
        if call.success is None:
            rows.append(ScoreRow(None, (f"{what} left open by ", call.seat), ("", "")))
            continue
        bonus = f"{call_bonus(GRAND_TICHU if call.grand else TICHU, call.success):+d}"
        numbers = (bonus, "") if call.seat % 2 == 0 else ("", bonus)
        rows.append(ScoreRow(None, (f"{what} {'won' if call.success else 'lost'} by ", call.seat), numbers))
    rows.append(_row("score", one.score or (None, None)))
    result = one.record.result
    if result is None:
        rows.append(ScoreRow(None, ("score in the log: none",), ("", "")))
    else:
        rows.append(_row("score in the log", one.logged_score, result.line))
    rows.append(_row("total before", one.total_before))
    total = "total after" if one.score is not None or result is None else "total after, by the log"
    rows.append(_row(total, one.total_after))
    return rows


def _row(what: str, numbers: tuple[int | None, int | None], line: int | None = None) -> ScoreRow:
    first, second = ("?" if number is None else str(number) for number in numbers)
    return ScoreRow(line, (what,), (first, second))
