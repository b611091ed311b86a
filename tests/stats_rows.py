"""Rows of statistics counted once more from replays in plain Python: cards as words, seats as numbers, no masks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd

import tichu_analytics as ta
from tichu_analytics.record.notation import mask_text
from tichu_analytics.replay.facts import GameReplay, Move, RoundReplay, Trick
from tichu_analytics.rules.combinations import KIND_NAMES
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.series import Wants, simulate_series

NUMBERS = {
    "Do": 0,
    "Ma": 1,
    **{str(n): n for n in range(2, 11)},
    "J": 11,
    "Q": 12,
    "K": 13,
    "A": 14,
    "Dr": 15,
    "Ph": 16,
}
NAMES = {number: name for name, number in NUMBERS.items()}
#: Where a seat sits, by how many seats further it is.
SIDES = ("self", "right", "partner", "left")


def simulated(folder: Path, seed: int) -> tuple[ta.Dataset, list[GameReplay]]:
    """Games of both styles of play, exported, and what the replay says of them."""
    (folder / "logs").mkdir()
    series = simulate_series(40, seed, wants=Wants(abandoned=10, players=8))
    for style, some in (("a", series), ("b", simulate_games(40, seed + 1))):
        for game in some:
            (folder / "logs" / f"{style}{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    replays = [ta.replay(game) for game in ta.read_games(folder / "logs")]
    return ta.export(folder / "logs", folder / "data"), replays


def rounds(games: list[GameReplay]) -> Iterator[tuple[GameReplay, RoundReplay]]:
    """The rounds that are counted."""
    for game in games:
        for one in game.rounds:
            if one.legal:
                yield game, one


def words(mask: int) -> set[str]:
    """Cards by their codes."""
    return set(mask_text(mask).split())


def number(card: str) -> int:
    """The number of the rank of a card; 16 for the Phoenix."""
    return NUMBERS[card] if card in NUMBERS else NUMBERS[card[1:]]


def many(hand: set[str], rank: int) -> int:
    """How many cards of a rank there are."""
    return sum(number(card) == rank for card in hand)


class Bomb(NamedTuple):
    kind: str
    rank: int
    cards: frozenset[str]


def bombs_in(hand: set[str]) -> list[Bomb]:
    """All fours of a kind, and all runs of five or more cards in a suit, each as long as it is."""
    found = []
    for rank in range(2, 15):
        cards = frozenset(card for card in hand if number(card) == rank)
        if len(cards) == 4:
            found.append(Bomb("four_bomb", rank, cards))
    for suit in "SBGR":
        run: list[str] = []
        for rank in range(2, 16):
            card = suit + NAMES[rank] if rank < 15 else ""
            if card in hand:
                run.append(card)
                continue
            if len(run) >= 5:
                found.append(Bomb("straight_bomb", rank - 1, frozenset(run)))
            run = []
    return found


def longest_run(hand: set[str]) -> int:
    """How many ranks from Mah Jong to ace follow each other at the most."""
    there = {number(card) for card in hand}
    best = now = 0
    for rank in range(1, 15):
        now = now + 1 if rank in there else 0
        best = max(best, now)
    return best


class Seat(NamedTuple):
    """A seat in a round."""

    game: GameReplay
    round: RoundReplay
    seat: int

    @property
    def key(self) -> tuple[str, int, int]:
        return self.game.game.game_id, self.round.number, self.seat

    @property
    def dealt(self) -> set[str]:
        return words(self.round.dealt[self.seat])

    @property
    def held(self) -> set[str]:
        return words(self.round.held[self.seat])

    @property
    def call(self) -> str:
        call = self.round.calls[self.seat]
        return "none" if call is None else "grand" if call.grand else "tichu"

    @property
    def gain(self) -> int:
        assert self.round.score is not None
        return self.round.score[self.seat % 2] - self.round.score[1 - self.seat % 2]

    def other(self, side: str) -> Seat:
        """The seat on that side."""
        return self._replace(seat=(self.seat + SIDES.index(side)) % 4)

    def given(self, side: str) -> str:
        """The card that the seat gives to that side."""
        gift = self.round.exchanged[self.seat]
        assert gift is not None
        (card,) = words(1 << gift[SIDES.index(side) - 1])
        return card

    def received(self, side: str) -> str:
        """The card that it gets from there: of the player on the right, what that one gives to its left."""
        back = {"right": "left", "partner": "partner", "left": "right"}[side]
        return self.other(side).given(back)

    def plays(self) -> list[Move]:
        """What it plays, in order."""
        return [move for trick in self.round.tricks for move in trick.moves if move.seat == self.seat and move.cards]

    @property
    def bombs_played(self) -> list[Move]:
        return [move for move in self.plays() if is_bomb(move)]


def is_bomb(move: Move) -> bool:
    return KIND_NAMES[move.kind] in ("four_bomb", "straight_bomb")


def seats(games: list[GameReplay]) -> Iterator[Seat]:
    for game, one in rounds(games):
        for seat in range(4):
            yield Seat(game, one, seat)


def bombs_played(games: list[GameReplay]) -> Iterator[tuple[Seat, int, Trick, Move]]:
    """Every bomb: the seat, its number among the moves of the round, the trick, the move."""
    for game, one in rounds(games):
        place = 0
        for trick in one.tricks:
            for move in trick.moves:
                place += 1
                if is_bomb(move):
                    yield Seat(game, one, move.seat), place, trick, move


def table(frame: pd.DataFrame) -> dict[tuple[Any, ...], tuple[int, int]]:
    """n and k of each row of a result, by the columns of the groups."""
    found = {}
    for row in frame.astype(object).itertuples(index=False):
        key = tuple(None if pd.isna(value) else value for value in row[9:])
        assert key not in found
        found[key] = (row[2], row[3])
    return found


def figures(data: ta.Dataset, names: Iterable[str]) -> dict[tuple[Any, ...], tuple[int, int]]:
    """n and k of measures, by name and columns of their own."""
    return {
        (name, *key): pair for name in names for key, pair in table(ta.stats.compute(data, measures=[name])).items()
    }


class Counts:
    """n and k by any key."""

    def __init__(self) -> None:
        self._pairs: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])

    def note(self, k: int, *key: Any, n: int = 1) -> None:
        """Counts one, and adds up ``k``."""
        self._pairs[key][0] += n
        self._pairs[key][1] += k

    def cells(self, found: Any, wanted: Iterable[Any], *key: Any) -> None:
        """Counts one for each cell, and adds one to that which is found."""
        for one in wanted:
            self.note(found == one, *key, one)

    def done(self) -> dict[tuple[Any, ...], tuple[int, int]]:
        return {key: (n, k) for key, (n, k) in self._pairs.items()}
