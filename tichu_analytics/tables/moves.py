"""The rows of the table ``moves``: by far the most, so they go into their buffers column by column."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from tichu_analytics.bulk.layout import (
    V_AFTER,
    V_BEFORE,
    V_CARDS,
    V_KIND,
    V_LENGTH,
    V_LINE,
    V_ODD_TURN,
    V_PHOENIX,
    V_RANK2,
    V_READING,
    V_SEAT,
    V_TRICK,
    V_WISH,
)
from tichu_analytics.replay.facts import Trick
from tichu_analytics.rules.cards import PHOENIX_MASK
from tichu_analytics.rules.combinations import FOUR_BOMB, NO_COMBINATION, STRAIGHT_BOMB
from tichu_analytics.tables.arrow import arrow_schema
from tichu_analytics.tables.buffers import NO_KEY, as_arrow
from tichu_analytics.tables.columns import Numbers, number_column, repeated
from tichu_analytics.tables.schema import ACTIONS, MOVES, READINGS

_READING_KEYS: Final = {"": NO_KEY} | {reading: key for key, reading in enumerate(READINGS)}


class MoveRows:
    """Plays and passes, as they come, in one buffer a column."""

    def __init__(self) -> None:
        self.count = 0
        self._games: list[int] = []
        self._round = array("h")
        self._move = array("h")
        self._trick = array("b")
        self._line = array("i")
        self._seat = array("b")
        self._cards = array("q")
        self._kind = array("b")
        self._length = array("b")
        self._rank2 = array("b")
        self._phoenix = array("b")
        self._reading = array("b")
        self._bomb = array("b")
        self._out_of_turn = array("b")
        self._wish = array("b")
        self._before = array("q")
        self._after = array("q")

    def add(self, number: int, tricks: Sequence[Trick]) -> None:
        """Adds all moves of a round."""
        moves = [move for trick in tricks for move in trick.moves]
        if not moves:
            return
        trick, line, seat, _, mask, kind, length, rank2, phoenix, reading, bomb, odd, wish, before, after = zip(
            *moves, strict=True
        )
        many = len(moves)
        self._round.extend([number] * many)
        self._move.extend(range(1, many + 1))
        self._trick.extend(trick)
        self._line.extend(line)
        self._seat.extend(seat)
        self._cards.extend(mask)
        self._kind.extend(kind)
        self._length.extend(length)
        self._rank2.extend(rank2)
        self._phoenix.extend(phoenix)
        self._reading.extend([_READING_KEYS[one] for one in reading])
        self._bomb.extend(bomb)
        self._out_of_turn.extend(odd)
        self._wish.extend(wish)
        self._before.extend(before)
        self._after.extend(after)
        self.count += many

    def extend(self, numbers: Numbers, rows: Numbers, counts: Numbers) -> None:
        """Adds moves of rounds that the compiled pass has vouched for.

        Args:
            numbers: the numbers of the rounds.
            rows: the moves, one in each column (:mod:`tichu_analytics.bulk.layout`).
            counts: how many of them each round has.
        """
        ends = np.cumsum(counts)
        many = rows.shape[1]
        firsts = np.repeat(ends - counts, counts)
        columns = (
            (self._round, np.repeat(numbers, counts)),
            (self._move, np.arange(1, many + 1) - firsts),
            (self._trick, rows[V_TRICK]),
            (self._line, rows[V_LINE]),
            (self._seat, rows[V_SEAT]),
            (self._cards, rows[V_CARDS]),
            (self._kind, rows[V_KIND]),
            (self._length, rows[V_LENGTH]),
            (self._rank2, rows[V_RANK2]),
            (self._phoenix, rows[V_PHOENIX]),
            (self._reading, rows[V_READING]),
            (self._bomb, (rows[V_KIND] == FOUR_BOMB) | (rows[V_KIND] == STRAIGHT_BOMB)),
            (self._out_of_turn, rows[V_ODD_TURN]),
            (self._wish, rows[V_WISH]),
            (self._before, rows[V_BEFORE]),
            (self._after, rows[V_AFTER]),
        )
        for buffer, values in columns:
            buffer.frombytes(values.astype(buffer.typecode).tobytes())
        self.count += many

    def end_game(self) -> None:
        """Notes that the rows since the last call belong to one game."""
        self._games.append(self.count)

    def end_games(self, counts: Numbers) -> None:
        """Notes that the rows since the last call belong to several games, so many to each."""
        self._games += (self.count - int(counts.sum()) + np.cumsum(counts)).tolist()

    def arrow(self, game_ids: list[str]) -> pa.Table:
        """The rows as an Arrow table with the declared schema.

        Args:
            game_ids: the id of each game, one for each call of :meth:`end_game`.
        """
        cards = np.frombuffer(self._cards, np.int64)
        kind = np.frombuffer(self._kind, np.int8)
        passes = cards == 0
        # Kinds are numbered from 1 in the rulebook, 0 being none; keys begin with 0, and -1 is null.
        simple: dict[str, Numbers] = {
            "round": np.frombuffer(self._round, np.int16),
            "move": np.frombuffer(self._move, np.int16),
            "trick": np.frombuffer(self._trick, np.int8),
            "line": np.frombuffer(self._line, np.int32),
            "seat": np.frombuffer(self._seat, np.int8),
            "action": np.where(passes, np.int8(ACTIONS.index("pass")), np.int8(ACTIONS.index("play"))),
            "cards": cards,
            "kind": kind - 1,
            # What the rulebook chose between without the Phoenix is no reading of it.
            "phoenix_reading": np.where(cards & PHOENIX_MASK, np.frombuffer(self._reading, np.int8), np.int8(NO_KEY)),
            "bomb": np.frombuffer(self._bomb, np.int8),
            "out_of_turn": np.frombuffer(self._out_of_turn, np.int8),
            "hand_before": np.frombuffer(self._before, np.int64),
            "cards_left": np.bitwise_count(np.frombuffer(self._after, np.int64)),
        }
        no_kind = kind == NO_COMBINATION
        rank = (np.frombuffer(self._rank2, np.int8) / 2).astype(np.float32)
        columns = {
            "game_id": repeated(game_ids, self._games),
            "rank": number_column(pa.float32(), rank, no_kind),
            "length": number_column(pa.int8(), np.frombuffer(self._length, np.int8), no_kind),
            "phoenix_rank": _null_where_zero(self._phoenix),
            "wish_open": _null_where_zero(self._wish),
        }
        for column in MOVES.columns:
            if column.name in simple:
                columns[column.name] = as_arrow(column, simple[column.name])
        return pa.Table.from_arrays([columns[column.name] for column in MOVES.columns], schema=arrow_schema("moves"))


def _null_where_zero(values: array[int]) -> pa.Array:
    numbers = np.frombuffer(values, np.int8)
    return number_column(pa.int8(), numbers, numbers == 0)
