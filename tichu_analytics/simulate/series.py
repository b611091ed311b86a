"""Series of games of players who plan: a pool of named players of fixed skill who meet again from game to game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.simulate.anomalies import abandon, after_round, anomalous_game
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.faults import FAULTS, faulty_game
from tichu_analytics.simulate.notes import Note, SimulatedGame
from tichu_analytics.simulate.skilled_round import play_skilled_game
from tichu_analytics.simulate.skills import Pool

#: The least number of players in a pool.
FEWEST_PLAYERS: Final = 8


class Wants(NamedTuple):
    """What a series is to have beside games by the rules.

    Attributes:
        players: how many players there are.
        odd_names: half of them have names that programs stumble over.
        anomalies: how many times as often as in the archive of real logs its oddities happen; 0 for never.
        faults: kinds of faults (:data:`tichu_analytics.simulate.faults.FAULTS`); every game has one of one of them.
        abandoned: in how many of a hundred games the players leave before the end, after a round or within one.
    """

    players: int = 48
    odd_names: bool = False
    anomalies: int = 0
    faults: tuple[str, ...] = ()
    abandoned: int = 0


def check_wants(wants: Wants) -> None:
    """Makes sure that a series can be had.

    Raises:
        ValueError: for a number out of its range, a kind of fault that there is not, and for faults along with
            anomalies or abandoned games, of which one could hide the other.
    """
    if wants.players < FEWEST_PLAYERS:
        raise ValueError(f"{wants.players} players are too few; {FEWEST_PLAYERS} is the least")
    if wants.anomalies < 0 or not 0 <= wants.abandoned <= 100:
        raise ValueError("anomalies must not be negative, abandoned must be from 0 to 100")
    for kind in wants.faults:
        if kind not in FAULTS:
            raise ValueError(f"there is no kind of fault {kind!a}; the kinds are {', '.join(FAULTS)}")
    if wants.faults and (wants.anomalies or wants.abandoned):
        raise ValueError("faults come alone: anomalies and abandoned games could hide them")


def simulate_series(
    games: int, seed: int, *, first: int = 1, digits: int = 6, wants: Wants | None = None
) -> Iterator[SimulatedGame]:
    """Plays games to 1000 points with players who plan.

    Every game depends on the seed and its own number alone, so that a part of a run is the same as in the whole run.
    Without anomalies, faults and abandoned games, everything in them is by the rules, both of ``official`` and of
    ``bsw``.

    Args:
        games: how many.
        seed: any whole number; it gives the players as well.
        first: the number of the first game.
        digits: how many digits a game id has at least.
        wants: what else there is to be.

    Returns:
        The games in the order of their numbers.

    Raises:
        ValueError: as :func:`check_wants`, at once.
    """
    chosen = wants or Wants()
    check_wants(chosen)
    pool = Pool(seed, chosen.players, chosen.odd_names)
    return (
        _game(pool, f"{seed}:{number}", str(number).zfill(digits), chosen) for number in range(first, first + games)
    )


def _game(pool: Pool, seed: str, game_id: str, wants: Wants) -> SimulatedGame:
    members = pool.four(Dice(f"{seed}:table"))
    if wants.faults:
        kind = Dice(f"{seed}:kind").pick(wants.faults)
        return faulty_game(kind, seed, game_id, members)
    if wants.anomalies:
        one = anomalous_game(seed, game_id, members, pool, wants.anomalies)
    else:
        game = play_skilled_game(Dice(seed), game_id, members)
        one = SimulatedGame(game_id, game, write_game(game))
    luck = Dice(f"{seed}:abandoned")
    short = any(note.kind in ("abandoned", "truncated", "no_round") for note in one.notes)
    return _left(one, luck) if wants.abandoned and luck.chance(wants.abandoned) and not short else one


def _left(one: SimulatedGame, luck: Dice) -> SimulatedGame:
    """The game as it is if the players leave before its end."""
    notes: list[Note] = list(one.notes)
    game = one.game
    if luck.chance(50):
        text = after_round(game, luck, notes)
    else:
        text = abandon(game, luck, luck.below(len(game.rounds)), notes, "abandoned")
    return SimulatedGame(one.game_id, read_game(text.encode(), game.path, game.game_id), text, tuple(notes))
