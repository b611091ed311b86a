"""How a game went, as far as a census asks: its outcome, its complete rounds, changes of players, its month."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.lines import FIRST8_HEADER, result_numbers
from tichu_analytics.replay.facts import GameReplay, Outcome
from tichu_analytics.replay.players import player_changes, seated
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.rules.scoring import NOT_OVER, game_winner

_RESULT: Final = b"\nErgebnis:"
_DEAL: Final = FIRST8_HEADER.encode() + b"\n"


class Course(NamedTuple):
    """How a game went.

    Attributes:
        outcome: as in :class:`tichu_analytics.replay.facts.GameReplay`.
        complete: how many rounds were played to their end.
        sound: how many of them have no finding of severity error.
        player_changes: how often a seat has another name than before.
        month: ``YYYYMM`` where the archive's folder tells it.
    """

    outcome: Outcome
    complete: int
    sound: int
    player_changes: int
    month: str | None


def course_of(found: GameReplay) -> Course:
    """How a game went that was replayed."""
    complete = [one for one in found.rounds if one.complete]
    wrong = {finding.round for finding in found.findings if finding.severity == "error"}
    sound = sum(one.number not in wrong for one in complete)
    return Course(found.outcome, len(complete), sound, player_changes(map(seated, found.rounds)), found.game.month)


def course_of_flawless(data: bytes, month: str | None, rules: str, rounds: int) -> Course | None:
    """How a game went of which it is known that a check finds nothing in its BrettspielWelt log.

    In such a log every round is complete, its result is right, the names of its deal are those of its exchange, and
    nothing follows after the game is over. So results and names are all that has to be read.

    Args:
        data: the bytes of the log.
        month: the month of the game.
        rules: the rule set, or ``auto``.
        rounds: how many rounds it has.

    Returns:
        The course of the game; None if so many rounds are not found here, and it has to be replayed.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    results = data.split(_RESULT)[1:]
    deals = data.split(_DEAL)[1:]
    if len(results) != rounds or len(deals) != rounds:
        return None
    total_0 = total_1 = 0
    for rest in results:
        score_0, score_1 = result_numbers(rest.partition(b"\n")[0].decode()) or (None, None)
        if score_0 is None or score_1 is None:
            return None
        total_0 += score_0
        total_1 += score_1
    options = get_rule_set("bsw" if rules == "auto" else rules).options
    is_over = game_winner(total_0, total_1, rounds, options) != NOT_OVER
    return Course("finished" if is_over else "unfinished", rounds, rounds, _changes(deals), month)


def _changes(deals: list[bytes]) -> int:
    """How often a seat has another name in a deal than before; an empty name is none.

    Args:
        deals: of every round what stands below the header of the first eight cards.
    """
    changes = 0
    known = [b"", b"", b"", b""]
    for deal in deals:
        for seat, line in enumerate(deal.split(b"\n", 4)[:4]):
            # The name stands between the seat, (0), and the eight cards.
            name = line.rstrip(b" ").rsplit(b" ", 8)[0][3:]
            if name != known[seat] and name:
                changes += known[seat] != b""
                known[seat] = name
    return changes
