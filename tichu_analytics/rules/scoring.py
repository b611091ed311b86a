"""What a round scores, and when a game is over."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.rules.options import YES, Options
from tichu_analytics.rules.turns import is_double_victory

NO_CALL: Final = 0
TICHU: Final = 1
GRAND_TICHU: Final = 2

TICHU_BONUS: Final = 100
GRAND_BONUS: Final = 200
DOUBLE_VICTORY_POINTS: Final = 200
#: Card points of a round: all of them, and the least (the Phoenix alone) and the most that one side can have.
ALL_CARD_POINTS: Final = 100
LEAST_CARD_POINTS: Final = -25
MOST_CARD_POINTS: Final = 125

# game_winner
NOT_OVER: Final = -1
DRAW: Final = 2


class Pair(NamedTuple):
    """A number for each team: 0 (seats 0 and 2) and 1 (seats 1 and 3)."""

    team_0: int
    team_1: int


def call_bonus(call: int, went_out_first: bool) -> int:
    """What a call adds to its team's score: plus 100 or 200 if the caller was the first out, else minus.

    All seeds and the official rules; the partner's going out first does not help (seeds 002 and 003).
    """
    worth = TICHU_BONUS if call == TICHU else GRAND_BONUS if call == GRAND_TICHU else 0
    return worth if went_out_first else -worth


def card_points(
    taken_0: int, taken_1: int, taken_2: int, taken_3: int, first: int, last: int, last_hand_points: int
) -> Pair:
    """Card points of both teams at the end of a round without double victory.

    Args:
        taken_0, taken_1, taken_2, taken_3: card points in the tricks of each seat.
        first: the seat that went out first; it gets the last player's tricks, be it a partner or not.
        last: the seat that is left over; its hand goes to the opposing team.
        last_hand_points: card points in that hand.
    """
    team_0 = taken_0 + taken_2
    team_1 = taken_1 + taken_3
    moved = taken_0 if last == 0 else taken_1 if last == 1 else taken_2 if last == 2 else taken_3
    if last & 1:
        team_1 -= moved
        team_0 += last_hand_points
    else:
        team_0 -= moved
        team_1 += last_hand_points
    if first & 1:
        return Pair(team_0, team_1 + moved)
    return Pair(team_0 + moved, team_1)


def round_score(
    points_0: int, points_1: int, first: int, second: int, call_0: int, call_1: int, call_2: int, call_3: int
) -> Pair:
    """The score of a round: card points, or 200 to 0 after a double victory, and the calls.

    Args:
        points_0, points_1: card points after the last player's cards have moved; not counted in a double victory.
        first, second: the seats that went out first and second.
        call_0, call_1, call_2, call_3: each seat's call (``NO_CALL``, ``TICHU``, ``GRAND_TICHU``).
    """
    score_0 = points_0
    score_1 = points_1
    if is_double_victory(first, second):
        score_0 = 0 if first & 1 else DOUBLE_VICTORY_POINTS
        score_1 = DOUBLE_VICTORY_POINTS - score_0
    score_0 += call_bonus(call_0, first == 0) + call_bonus(call_2, first == 2)
    score_1 += call_bonus(call_1, first == 1) + call_bonus(call_3, first == 3)
    return Pair(score_0, score_1)


def game_winner(total_0: int, total_1: int, rounds: int, options: Options) -> int:
    """Who has won after a round: 0 or 1 for a team, ``DRAW``, or ``NOT_OVER``.

    A team at or over the target ends the game, the higher total wins (seed 001, official rules); level totals are
    ``tie_at_target``. ``lower_limit`` and ``max_rounds`` end it otherwise where a rule set has them.
    """
    over = total_0 >= options.target or total_1 >= options.target
    if options.lower_limit < 0 and (total_0 <= options.lower_limit or total_1 <= options.lower_limit):
        over = True
    if options.max_rounds > 0 and rounds >= options.max_rounds:
        over = True
    if not over:
        return NOT_OVER
    if total_0 == total_1:
        return DRAW if options.tie_at_target == YES else NOT_OVER
    return 0 if total_0 > total_1 else 1
