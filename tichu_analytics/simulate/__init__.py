"""Simulated games: players that know the rules and keep them, for samples, tests and benchmarks.

The same seed gives the same games, byte for byte, on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.record import Game
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import play_game


class SimulatedGame(NamedTuple):
    """One simulated game.

    Attributes:
        game_id: its number as text.
        game: its record.
        text: the same as a BrettspielWelt log.
    """

    game_id: str
    game: Game
    text: str


def simulate_games(games: int, seed: int, *, first: int = 1, digits: int = 6) -> Iterator[SimulatedGame]:
    """Plays games to 1000 points.

    Every game depends on the seed and its own number alone, so that a part of a run is the same as in the whole run.

    Args:
        games: how many.
        seed: any whole number.
        first: the number of the first game.
        digits: how many digits a game id has at least.

    Yields:
        The games in the order of their numbers.
    """
    for number in range(first, first + games):
        game_id = str(number).zfill(digits)
        game = play_game(Dice(f"{seed}:{number}"), game_id)
        yield SimulatedGame(game_id, game, write_game(game))
