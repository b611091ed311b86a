"""Column buffers: rows are packed as they come and become Arrow columns in one go.

Every table has one :class:`Rows`. Its fixed columns are packed into bytes by ``struct``, which NumPy then reads as
columns without a copy; texts are lists. The column ``game_id`` is kept as a count of rows for each game.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Final

import numpy as np
import pyarrow as pa

from tichu_analytics.tables.arrow import arrow_schema, arrow_type
from tichu_analytics.tables.columns import Numbers, number_column, repeated, text_column, word_column
from tichu_analytics.tables.schema import Column, Table

#: Stands for null in the buffer of a column of numbers.
NULL: Final = -(2**31)
#: Stands for null in the buffer of truth values and vocabularies.
NO_KEY: Final = -1

_CODES: Final = {"int8": "b", "int16": "h", "int32": "i", "int64": "q", "bool": "b", "vocabulary": "b"}


def _code(column: Column) -> str:
    """How a column is packed: with room for :data:`NULL` where it may be null."""
    if column.nullable and column.type in ("int8", "int16", "int32"):
        return "i"
    return _CODES[column.type]


class Rows:
    """The rows of one table, as they come.

    Attributes:
        table: its declaration.
        count: number of rows so far.
        texts: the columns of text but ``game_id``, by name.
    """

    def __init__(self, table: Table) -> None:
        self.table = table
        self.count = 0
        columns = table.columns[1:]
        self.texts: dict[str, list[str | None]] = {column.name: [] for column in columns if column.type == "string"}
        self._fixed = tuple(column for column in columns if column.type != "string")
        layout = "".join(_code(column) for column in self._fixed)
        self._struct = struct.Struct("<" + layout)
        self._dtype = np.dtype(
            [
                (column.name, f"<i{struct.calcsize('<' + code)}")
                for column, code in zip(self._fixed, layout, strict=True)
            ]
        )
        self._packed = bytearray()
        self._games: list[int] = []

    def add(self, *values: int) -> None:
        """Adds a row: the fixed columns but ``game_id`` in order, nulls as :data:`NULL` or :data:`NO_KEY`.

        Raises:
            struct.error: if a value does not fit into its column; then nothing is added.
        """
        self._packed += self._struct.pack(*values)
        self.count += 1

    def extend(self, columns: Sequence[Numbers | int]) -> None:
        """Adds rows.

        Args:
            columns: the fixed columns but ``game_id`` in order, each with as many numbers as there are rows, or with
                one number that stands in all of them (not the first one); nulls as in :meth:`add`.
        """
        packed = np.empty(len(columns[0]), self._dtype)  # type: ignore[arg-type]
        for column, values in zip(self._fixed, columns, strict=True):
            packed[column.name] = values
        self._packed += packed.tobytes()
        self.count += len(packed)

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
        packed = np.frombuffer(self._packed, self._dtype)
        columns = {self.table.columns[0].name: repeated(game_ids, self._games)}
        for column in self._fixed:
            columns[column.name] = as_arrow(column, packed[column.name])
        for name, texts in self.texts.items():
            columns[name] = text_column(texts)
        return pa.Table.from_arrays(
            [columns[column.name] for column in self.table.columns], schema=arrow_schema(self.table.name)
        )


def as_arrow(column: Column, values: Numbers) -> pa.Array:
    """A buffer of numbers as the Arrow column that is declared.

    Raises:
        ValueError: if a value lies outside of the bounds of the column, which no log may bring about.
    """
    nulls = None
    if column.nullable:
        nulls = values == (NO_KEY if column.type in ("bool", "vocabulary") else NULL)
        values = np.where(nulls, column.low or 0, values)
    low, high = _bounds(column)
    if len(values) and not low <= int(values.min()) <= int(values.max()) <= high:
        raise ValueError(f"{column.name} has values from {values.min()} to {values.max()} instead of {low} to {high}")
    if column.type == "vocabulary":
        return word_column(column.vocabulary, values, nulls)
    return number_column(arrow_type(column), values, nulls)


def _bounds(column: Column) -> tuple[int, int]:
    """The least and the greatest number in the buffer of a column."""
    if column.type == "bool":
        return 0, 1
    if column.type == "vocabulary":
        return 0, len(column.vocabulary) - 1
    assert column.low is not None and column.high is not None
    return column.low, column.high
