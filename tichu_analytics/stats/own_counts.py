"""Intervals for counts of one's own: rows of a question in SQL, or of any data frame, with the games they are of.

Everything of ``tichu stats`` holds for them, since it is done by the same functions: the game is what is drawn, a rate
has Wilson's interval on the effective number, a mean that of the ratio estimator.
"""

from __future__ import annotations

import math
import reprlib
from collections.abc import Hashable, Iterable
from decimal import Decimal
from numbers import Number
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats.answering import about, columns_to_group, estimate_of, in_their_order
from tichu_analytics.stats.intervals import Sums
from tichu_analytics.stats.outcome import Result, Rounds, Row
from tichu_analytics.stats.registry import COLUMNS, Measure, UnknownName, short

if TYPE_CHECKING:
    import pandas as pd

#: Rows are rows of the question; nothing is known of the rounds behind them.
_POPULATION: Final = "rows of one's own"
#: What a column may add up to: more does not fit into a data frame.
_MOST: Final = 2**63 - 1
#: So many letters of a value are shown.
_SHOWN: Final = 60
#: Numbers with more digits are told by how many there are.
_LONG: Final = 10**_SHOWN


class WrongCount(ValueError):
    """A count of which no rate or mean can be made; the text says where it is and what is wrong."""


class Columns(NamedTuple):
    """Where the counts stand.

    Attributes:
        game: the column that tells which rows are of one game.
        n: the column with how many there are; None if each row counts once.
        k: the column with how many of them are meant, or the sum of a value.
    """

    game: str
    n: str | None
    k: str


def measure_of(name: str, unit: str, divisor: int) -> Measure:
    """What is counted, as a measure: a rate, or with a unit of its own a mean.

    Raises:
        WrongMeasure: for a name, unit or divisor that is none.
        WrongCount: for a divisor that is larger than any count.
    """
    if isinstance(divisor, int) and divisor > _MOST:
        raise WrongCount(f"the divisor is {_shown(divisor)}, more than {_MOST:,}")
    if unit == "proportion":
        return Measure(name, "own", "games", _POPULATION, "", counted="k", divisor=divisor)
    return Measure(name, "own", "games", _POPULATION, "", value="k", unit=unit, divisor=divisor)


def estimate(counts: Any, by: Iterable[str] | None, named: Columns, measure: Measure) -> pd.DataFrame:
    """Adds up counts by game and works out what :func:`tichu_analytics.stats.estimate` tells of.

    Args:
        counts, by: as there.
        named: the columns of the counts.
        measure: what they count.

    Raises:
        UnknownName: for a column that there is not.
        WrongCount: for a count that is missing, no whole number, less than none, or too large, a game without a name, a
            rate of more than all, and values that cannot be grouped by.
    """
    columns = columns_to_group(by)
    taken = [column for column in columns if column in COLUMNS]
    if taken:
        raise WrongCount(f"every result has a column {taken[0]}; name the one to group by otherwise")
    game, n, k = named
    frame = _columns(counts, [*columns, game, *([] if n is None else [n]), k])
    cells = {name: _cells(frame[name]) for name in frame}
    for name in columns:
        _check_groups(cells[name], name)
    numbers = _whole(cells[k], k, is_share=measure.is_rate)
    ones = [1] * len(numbers) if n is None else _whole(cells[n], n, is_share=True)
    groups = zip(*(cells[name] for name in columns), strict=True) if columns else [()] * len(numbers)
    by_game: dict[tuple[Any, ...], dict[Any, list[int]]] = {}
    for group, one, its_n, its_k in zip(groups, _games(cells[game], game), ones, numbers, strict=True):
        both = by_game.setdefault(group, {}).setdefault(one, [0, 0])
        both[0] += its_n
        both[1] += its_k
    sums = {group: _sums(columns, group, found, is_rate=measure.is_rate) for group, found in by_game.items()} or (
        {} if columns else {(): Sums()}
    )
    rows = [
        Row(measure, dict(zip(columns, group, strict=True)), sums[group], estimate_of(measure, sums[group]))
        for group in in_their_order(sums, columns)
    ]
    # Without a row there is no value to tell the type of a column by, only that of the counts.
    types = {} if rows else {name: _type_without_rows(frame[name]) for name in columns}
    found = Result(rows, Rounds(0, 0, {}), tuple(about(rows)), further=tuple(columns), types=types).to_pandas()
    del found.attrs["rounds"]  # of which nothing is known here
    return found


def _columns(counts: Any, names: list[str]) -> dict[str, pd.Series[Any]]:
    """The columns that are needed."""
    import pandas as pd

    frame = counts.to_pandas() if hasattr(counts, "to_pandas") else counts
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"counts are an answer to a question or a table, not {type(counts).__name__}")
    missing = [name for name in names if not isinstance(name, Hashable) or name not in frame]
    if missing:
        there = _cut(", ".join(map(str, frame)), 10 * _SHOWN)
        raise UnknownName(f"no column {_shown(missing[0])} among the counts; they have {_plain(there)}")
    found = {}
    for name in names:
        column = frame[name]
        if isinstance(column, pd.DataFrame):
            raise WrongCount(f"there are {column.shape[1]} columns {_shown(name)} among the counts")
        found[name] = column
    return found


def _cells(column: pd.Series[Any]) -> list[Any]:
    """The values of a column as those of Python, with None for what is missing."""
    import numpy as np

    column = column.astype(object)
    try:
        there = column.notna()
    except ArithmeticError:
        # There are decimal numbers that no comparison is allowed with, not even one with themselves.
        column = column.map(lambda value: None if isinstance(value, Decimal) and value.is_nan() else value)
        there = column.notna()
    return [
        None if not known else value.item() if isinstance(value, np.generic) and value.dtype.kind in "biufU" else value
        for value, known in zip(column.tolist(), there.tolist(), strict=True)
    ]


def _type_without_rows(column: pd.Series[Any]) -> Any:
    import pandas as pd

    none = column.iloc[:0]
    if isinstance(none.dtype, pd.CategoricalDtype):
        none = none.astype(none.dtype.categories.dtype)
    return none.convert_dtypes().dtype


def _check_groups(values: list[Any], name: str) -> None:
    """Makes sure that values can be told apart and put in an order: all are of a kind."""
    first: tuple[int, Any] | None = None
    for row, value in enumerate(values):
        if value is None:
            continue
        try:
            hash(value)
        except TypeError:
            raise WrongCount(
                f"{_name(name)} is {_shown(value)} in row {row}; single values can be grouped by, no {_kind(value)}"
            ) from None
        if isinstance(value, str) and not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value):
            raise WrongCount(f"{_name(name)} is {_shown(value)} in row {row}, which is no text: half of a letter")
        if first is None:
            first = (row, value)
        elif type(value) is not type(first[1]) or not isinstance(value, (str, int, float)):
            try:
                _ = value == first[1] or (value < first[1], first[1] < value)
            except (TypeError, ValueError, ArithmeticError):
                raise WrongCount(
                    f"{_name(name)} is {_shown(value)} in row {row} and {_shown(first[1])} in row {first[0]}, which "
                    "have no order; values to group by are of one kind"
                ) from None


def _games(values: list[Any], name: str) -> list[Any]:
    for row, value in enumerate(values):
        if value is None:
            raise WrongCount(
                f"{_name(name)} is missing in row {row}; an interval needs to know which rows are of one game"
            )
        try:
            hash(value)
        except TypeError:
            raise WrongCount(
                f"{_name(name)} is {_shown(value)} in row {row}; a game has a single value, no {_kind(value)}"
            ) from None
    return values


def _whole(values: list[Any], name: str, *, is_share: bool) -> list[int]:
    """The numbers as whole ones; sums come out of SQL as numbers of other kinds, too.

    Args:
        values: the numbers.
        name: the column that they stand in.
        is_share: whether they tell how many there are, and not the sum of a value, which may be less than 0.
    """
    found = []
    total = 0
    for row, value in enumerate(values):
        if value is None:
            shown = _name(name)
            raise WrongCount(
                f"{shown} is missing in row {row}; say what it counts as, such as coalesce({shown}, 0) in SQL"
            )
        number = _number(value)
        if number is None:
            raise WrongCount(
                f"{_name(name)} is {_shown(value)} in row {row}, not a whole number; halves are doubled, with divisor=2"
            )
        if is_share and number < 0:
            raise WrongCount(f"{_name(name)} is {_shown(value)} in row {row}, less than none")
        total += abs(number)
        if total > _MOST:
            raise WrongCount(
                f"{_name(name)} is {_shown(value)} in row {row}, with which the column adds up to more than {_MOST:,}"
            )
        found.append(number)
    return found


def _number(value: Any) -> int | None:
    """A value as a whole number; None if it is none. What is too large to be counted with becomes a number that is."""
    if isinstance(value, int):
        return int(value)
    if not isinstance(value, (Number, Decimal)):
        return None
    try:
        if value in (math.inf, -math.inf):
            return None
        # A decimal number of a few letters may have more digits than there is memory for.
        if not -_MOST <= value <= _MOST:  # type: ignore[operator]
            return _MOST + 1 if value > 0 else -_MOST - 1  # type: ignore[operator]
        number = int(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, ArithmeticError):
        return None
    return number if number == value else None


def _sums(columns: tuple[str, ...], group: tuple[Any, ...], found: dict[Any, list[int]], *, is_rate: bool) -> Sums:
    all_n = all_k = squares_n = products = squares_k = games = 0
    for game, (n, k) in found.items():
        if (is_rate and k > n) or (not n and k):
            where = "".join(f", {_name(name)} {_name(value)}" for name, value in zip(columns, group, strict=True))
            hint = "; a mean instead of a rate has a unit, such as unit='points'" if is_rate else ""
            raise WrongCount(f"game {_name(game)}{where} counts {k} of {n}{hint}")
        all_n, all_k, games = all_n + n, all_k + k, games + (n > 0)
        squares_n, products, squares_k = squares_n + n * n, products + n * k, squares_k + k * k
    return Sums(all_n, all_k, squares_n, products, squares_k, games)


def _shown(value: Any) -> str:
    """A value as it may stand in a message: in one line and without control characters; of a long one the beginning."""
    if isinstance(value, str):
        return short(value)
    if isinstance(value, int) and abs(value) >= _LONG:
        return f"a number of about {int(value.bit_length() * math.log10(2)) + 1:,} digits"
    try:
        return _plain(_cut(str(value) if isinstance(value, Decimal) else reprlib.repr(value)))
    except ValueError:  # whole numbers of very many digits inside of other values
        return f"a {_kind(value)}"


def _name(value: Any) -> str:
    """The same for what has a name: texts without quotation marks."""
    return _plain(_cut(value)) if isinstance(value, str) else _shown(value)


def _kind(value: Any) -> str:
    return _plain(_cut(type(value).__name__))


def _plain(text: str) -> str:
    """A text with escapes in place of what has no shape of its own, such as control characters."""
    return "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)


def _cut(text: str, most: int = _SHOWN) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."
