"""The tables as arrays, and the figures of a measure from what each game counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import tichu_analytics as ta
from tichu_analytics.stats.intervals import student

#: Bit numbers of the special cards.
MAH_JONG, DOG, PHOENIX, DRAGON = 52, 53, 54, 55
NAMES = ("Do", "Ma", *map(str, range(2, 11)), "J", "Q", "K", "A", "Dr", "Ph")
#: Sides by how many seats further they are.
SIDES = ("self", "right", "partner", "left")


class Figure(NamedTuple):
    """A row of a result."""

    n: int
    k: int
    n_games: int
    estimate: float | None
    low: float | None
    high: float | None


def rank_number(card: Any) -> Any:
    """The number of the rank of a card by its bit number, 16 for the Phoenix."""
    special = np.array([1, 0, 16, 15])
    return np.where(card < 52, card // 4 + 2, special[np.maximum(card - 52, 0)])


def cards_of(masks: Any) -> Any:
    """Which of the 56 cards there are, along a further axis."""
    return (np.asarray(masks, dtype=np.int64)[..., None] >> np.arange(56) & 1).astype(bool)


def per_rank(cards: Any) -> Any:
    """How many cards there are of each rank from two to ace."""
    return cards[..., :52].reshape(*cards.shape[:-1], 13, 4).sum(-1)


def ranks_there(cards: Any) -> Any:
    """Which ranks from Mah Jong to ace there are, without the Phoenix."""
    return np.concatenate([cards[..., [MAH_JONG]], per_rank(cards) > 0], axis=-1)


def fours(cards: Any) -> Any:
    """How many fours of a kind there are."""
    return (per_rank(cards) == 4).sum(-1)


def flushes(cards: Any) -> Any:
    """How many straight flushes there are, each as long as it is: those whose lowest card has none below it."""
    suited = cards[..., :52].reshape(*cards.shape[:-1], 13, 4)
    found = np.zeros(cards.shape[:-1], dtype=int)
    for low in range(9):
        begins = suited[..., low : low + 5, :].all(-2)
        if low:
            begins &= ~suited[..., low - 1, :]
        found += begins.sum(-1)
    return found


def bombs(cards: Any) -> Any:
    """How many bombs there are."""
    return fours(cards) + flushes(cards)


def interval(n: Any, k: Any, *, is_rate: bool) -> Figure:
    """The figures from what each game counts, game by game and without sums of squares."""
    n, k = n[n > 0].astype(float), k[n > 0].astype(float)
    games, all_n, all_k = len(n), n.sum(), k.sum()
    counts = (int(all_n), int(all_k), games)
    if not games:
        return Figure(0, 0, 0, None, None, None)
    p = all_k / all_n
    if games == 1:
        return Figure(*counts, p, None, None)
    variance = games / (games - 1) * ((k - p * n) ** 2).sum() / all_n**2
    t = student(0.95, games - 1)
    if not is_rate:
        half = t * math.sqrt(variance)
        return Figure(*counts, p, p - half, p + half)
    design = max(1.0, variance / (p * (1 - p) / all_n)) if 0 < all_k < all_n else 1.0
    size = all_n / design
    middle = p + t * t / (2 * size)
    half = t * math.sqrt(p * (1 - p) / size + t * t / (4 * size * size))
    low, high = ((middle + sign * half) / (1 + t * t / size) for sign in (-1, 1))
    return Figure(*counts, p, 0.0 if all_k == 0 else low, 1.0 if all_k == all_n else high)


class Tables:
    """The tables of a data set: what belongs to a hand has a row a round and a column a seat.

    Attributes:
        figures: what is found, by the name of the measure and the columns that tell its rows apart.
        game: the number of the game of each round, and ``games`` how many there are.
    """

    def __init__(self, data: ta.Dataset) -> None:
        keys = ["game_id", "round"]
        self.figures: dict[tuple[Any, ...], Figure] = {}
        self.names: set[str] = set()
        self.of_games = data.games.to_pandas().sort_values("game_id").reset_index(drop=True)
        self.all_rounds = data.rounds.to_pandas().sort_values(keys)
        kept = self.all_rounds["complete"] & self.all_rounds["legal"]
        self.rounds = self.all_rounds[kept].reset_index(drop=True)
        self.games = len(self.of_games)
        number = dict(zip(self.of_games["game_id"], range(self.games), strict=True))
        self.game = self.rounds["game_id"].map(number).to_numpy(int)
        self.all_game = self.all_rounds["game_id"].map(number).to_numpy(int)
        self.places = pd.Series(range(len(self.rounds)), index=pd.MultiIndex.from_frame(self.rounds[keys]))
        hands = data.hands.to_pandas().sort_values([*keys, "seat"])
        assert (hands["seat"].to_numpy() == np.tile(range(4), len(self.rounds))).all()
        assert (self._place(hands) == np.repeat(range(len(self.rounds)), 4)).all()
        self.hands = {
            name: hands[name].to_numpy(object, na_value=None).reshape(-1, 4) for name in hands.columns if name != "seat"
        }
        self.first8, self.dealt, self.held = (cards_of(self.hands[name]) for name in ("first8", "dealt", "held"))
        own, other = (self.hands[name].astype(int) for name in ("score_own", "score_opponents"))
        self.gain = own - other
        self.call = self.hands["call"]
        #: Seats in the order of going out, -1 for nobody.
        self.order = self.rounds[["finish_1", "finish_2", "finish_3"]].fillna(-1).to_numpy(int)
        seats = np.arange(4)
        self.success = self.order[:, [0]] == seats
        self.double = (self.order[:, [0]] % 2 == self.order[:, [1]] % 2) & (self.order[:, [0]] % 2 == seats % 2)
        self.seat_game = np.repeat(self.game[:, None], 4, axis=1)
        self.tricks = data.tricks.to_pandas()
        self.tricks["place"] = self._place(self.tricks)
        self.moves = data.moves.to_pandas().sort_values([*keys, "move"])
        self.moves["place"] = self._place(self.moves)
        passed = data.exchanges.to_pandas()
        #: The card that each seat gives to the player that many seats further; -1 for itself.
        self.given = np.full((len(self.rounds), 4, 4), -1)
        giver, receiver = passed["giver"].to_numpy(int), passed["receiver"].to_numpy(int)
        self.given[self._place(passed), giver, (receiver - giver) % 4] = passed["card"].to_numpy(int)
        self.received = np.full_like(self.given, -1)
        for side in (1, 2, 3):
            self.received[:, :, side] = self.given[:, (seats + side) % 4, 4 - side]

    def _place(self, frame: pd.DataFrame) -> Any:
        """The number of the round of each row."""
        return self.places.reindex(pd.MultiIndex.from_frame(frame[["game_id", "round"]])).to_numpy(int)

    def other(self, values: Any, side: int) -> Any:
        """What the player so many seats further has."""
        return np.roll(values, -side, axis=1)

    def _note(self, name: str, game: Any, of: Any, added: Any, key: Sequence[Any], *, is_rate: bool) -> None:
        self.names.add(name)
        of, added = np.broadcast_to(of, game.shape), np.broadcast_to(added, game.shape)
        n = np.bincount(game.ravel(), weights=of.ravel(), minlength=self.games)
        k = np.bincount(game.ravel(), weights=(of * added).ravel(), minlength=self.games)
        assert (name, *key) not in self.figures
        self.figures[(name, *key)] = interval(n, k, is_rate=is_rate)

    def rate(self, name: str, game: Any, counted: Any, of: Any = True, key: Sequence[Any] = ()) -> None:
        """A rate, from the game of each row, whether the row is counted, and whether it belongs to the population."""
        self._note(name, game, np.asarray(of, dtype=bool), np.asarray(counted, dtype=bool), key, is_rate=True)

    def mean(self, name: str, game: Any, value: Any, of: Any = True, key: Sequence[Any] = ()) -> None:
        """A mean, from the game of each row, its value, and whether it belongs to the population."""
        self._note(name, game, np.asarray(of, dtype=bool), np.asarray(value, dtype=int), key, is_rate=False)

    def cells(self, name: str, game: Any, found: Any, words: Sequence[Any], of: Any = True, key: Any = ()) -> None:
        """A rate for each of several words."""
        for word in words:
            self.rate(name, game, np.asarray(found) == word, of, (*key, word))

    def each(self, name: str, game: Any, keys: Sequence[Any], added: Any, of: Any, *, is_rate: bool) -> None:
        """A rate or a mean for each that has a row, such as every player."""
        self.names.add(name)
        of = np.broadcast_to(of, game.shape).ravel().astype(bool)
        added = np.broadcast_to(added, game.shape).ravel().astype(int)[of]
        columns = {f"key{number}": key.ravel()[of] for number, key in enumerate(keys)}
        frame = pd.DataFrame({**columns, "game": game.ravel()[of], "n": 1, "k": added})
        by_game = frame.groupby([*columns, "game"], sort=False)[["n", "k"]].sum().reset_index()
        for key, some in by_game.groupby(list(columns)):
            self.figures[(name, *key)] = interval(some["n"].to_numpy(), some["k"].to_numpy(), is_rate=is_rate)
