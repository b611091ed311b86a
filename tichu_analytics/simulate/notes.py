"""A simulated game, and what was put into it on purpose."""

from __future__ import annotations

from typing import NamedTuple

from tichu_analytics.record import Game


class Note(NamedTuple):
    """Something that was put into a simulated game on purpose.

    Attributes:
        kind: what kind of fault or anomaly.
        round: the round's number, 0 for the game as a whole.
        line: the line at which it shows, 0 where it shows at no line.
        finding: the name of the finding that a check under ``bsw`` reports for it, None if it reports none.
        what: the same in words.
    """

    kind: str
    round: int
    line: int
    finding: str | None
    what: str


class SimulatedGame(NamedTuple):
    """One simulated game.

    Attributes:
        game_id: its number as text.
        game: its record.
        text: the same as a BrettspielWelt log.
        notes: what was put in on purpose, by line.
    """

    game_id: str
    game: Game
    text: str
    notes: tuple[Note, ...] = ()
