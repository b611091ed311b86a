"""Intervals for counts of one's own: rows of a question in SQL, or of any data frame, with the games they are of.

Everything of ``tichu stats`` holds for them, since it is done by the same functions: the game is what is drawn, a rate
has Wilson's interval on the effective number, a mean that of the ratio estimator.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats.answering import about, columns_to_group, estimate_of, in_their_order
from tichu_analytics.stats.intervals import Sums
from tichu_analytics.stats.outcome import Result, Rounds, Row
from tichu_analytics.stats.registry import COLUMNS, Measure, UnknownName

if TYPE_CHECKING:
    import pandas as pd

    Cells = dict[str, list[Any]]

#: Rows are rows of the question; nothing is known of the rounds behind them.
_POPULATION: Final = "rows of one's own"


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
    """
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
        WrongCount: for a count that is missing or no whole number, a game without a name, a rate of more than all.
    """
    columns = columns_to_group(by)
    taken = [column for column in columns if column in COLUMNS]
    if taken:
        raise WrongCount(f"every result has a column {taken[0]}; name the one to group by otherwise")
    game, n, k = named
    cells = _cells(counts, [*columns, game, *([] if n is None else [n]), k])
    numbers = _whole(cells[k], k)
    ones = [1] * len(numbers) if n is None else _whole(cells[n], n)
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
    frame = Result(rows, Rounds(0, 0, {}), tuple(about(rows)), further=tuple(columns)).to_pandas()
    del frame.attrs["rounds"]  # of which nothing is known here
    return frame


def _cells(counts: Any, names: list[str]) -> Cells:
    """The columns that are needed, as lists of Python values with None for what is missing."""
    import pandas as pd

    frame = counts.to_pandas() if hasattr(counts, "to_pandas") else counts
    if not isinstance(frame, pd.DataFrame):
        raise TypeError(f"counts are an answer to a question or a table, not {type(counts).__name__}")
    missing = [name for name in names if name not in frame]
    if missing:
        raise UnknownName(f"no column {missing[0]!r} among the counts; they have {', '.join(map(str, frame))}")
    found = {}
    for name in names:
        column = frame[name]
        if isinstance(column, pd.DataFrame):
            raise WrongCount(f"there are {column.shape[1]} columns {name!r} among the counts")
        found[name] = column.astype(object).where(column.notna(), None).tolist()
    return found


def _games(values: list[Any], name: str) -> list[Any]:
    for row, value in enumerate(values):
        if value is None:
            raise WrongCount(f"{name} is missing in row {row}; an interval needs to know which rows are of one game")
    return values


def _whole(values: list[Any], name: str) -> list[int]:
    """The numbers as whole ones; sums come out of SQL as numbers of other kinds, too."""
    found = []
    for row, value in enumerate(values):
        try:
            number = None if isinstance(value, str) else int(value)
        except (TypeError, ValueError, OverflowError):
            number = None
        if value is None:
            raise WrongCount(
                f"{name} is missing in row {row}; say what it counts as, such as coalesce({name}, 0) in SQL"
            )
        if number is None or number != value:
            raise WrongCount(
                f"{name} is {value!r} in row {row}, not a whole number; halves are doubled, with divisor=2"
            )
        found.append(number)
    return found


def _sums(columns: tuple[str, ...], group: tuple[Any, ...], found: dict[Any, list[int]], *, is_rate: bool) -> Sums:
    all_n = all_k = squares_n = products = squares_k = games = 0
    for game, (n, k) in found.items():
        if n < 0 or (is_rate and not 0 <= k <= n) or (not n and k):
            where = "".join(f", {name} {value}" for name, value in zip(columns, group, strict=True))
            hint = "; a mean instead of a rate has a unit, such as unit='points'" if is_rate and n >= 0 else ""
            raise WrongCount(f"game {game}{where} counts {k} of {n}{hint}")
        all_n, all_k, games = all_n + n, all_k + k, games + (n > 0)
        squares_n, products, squares_k = squares_n + n * n, products + n * k, squares_k + k * k
    return Sums(all_n, all_k, squares_n, products, squares_k, games)
