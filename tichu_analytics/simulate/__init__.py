"""Simulated games: players that know the rules and keep them, for samples, tests, benchmarks and analyses.

The same seed gives the same games, byte for byte, on every machine. There are two styles of play: the plain players of
:func:`simulate_games` see to it that everything happens that the rules provide for; those of
:func:`tichu_analytics.simulate.series.simulate_series` plan, differ in skill and meet again.
"""

from __future__ import annotations

from collections.abc import Iterator

from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import play_game
from tichu_analytics.simulate.notes import Note, SimulatedGame

__all__ = ["Note", "SimulatedGame", "simulate_games"]


def simulate_games(games: int, seed: int, *, first: int = 1, digits: int = 6) -> Iterator[SimulatedGame]:
    """Plays games to 1000 points with plain players.

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
