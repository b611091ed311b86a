"""Intervals for counts of one's own: rows of a question in SQL, or of any data frame, with the games they are of.

Everything of ``tichu stats`` holds for them, since it is done by the same functions: the game is what is drawn, a rate
has Wilson's interval on the effective number, a mean that of the ratio estimator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

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


def estimate(
    counts: Any,
    *,
    by: Iterable[str] | None = (),
    game: str = "game_id",
    n: str | None = "n",
    k: str = "k",
    unit: str = "proportion",
    divisor: int = 1,
    name: str = "own.count",
) -> pd.DataFrame:
    """Adds up counts by game and works out what :func:`tichu_analytics.stats.estimate` tells of.

    Args:
        counts, by, game, n, k, unit, divisor, name: as there.

    Raises:
        UnknownName: for a column that there is not.
        WrongCount: for a count that is missing or no whole number, a game without a name, a rate of more than all.
        WrongMeasure: for a name, unit or divisor that is none.
    """
    means = unit != "proportion"
    what = {"value": "k", "unit": unit, "divisor": divisor} if means else {"counted": "k", "divisor": divisor}
    measure = Measure(name, "own", "games", _POPULATION, "", **what)  # type: ignore[arg-type]
    columns = columns_to_group(by)
    taken = [column for column in columns if column in COLUMNS]
    if taken:
        raise WrongCount(f"every result has a column {taken[0]}; name the one to group by otherwise")
    cells = _cells(counts, [*columns, game, *([] if n is None else [n]), k])
    by_game: dict[tuple[Any, ...], dict[Any, list[int]]] = {}
    numbers = _whole(cells[k], k)
    ones = iter(int, 1) if n is None else _whole(cells[n], n)
    games = _games(cells[game], game)
    for group, one, its_n, its_k in zip(_groups(cells, columns, len(cells[k])), games, ones, numbers, strict=False):
        both = by_game.setdefault(group, {}).setdefault(one, [0, 0])
        both[0] += 1 if n is None else its_n
        both[1] += its_k
    sums = {group: _sums(columns, group, found, is_rate=measure.is_rate) for group, found in by_game.items()} or (
        {} if columns else {(): Sums()}
    )
    rows = [
        Row(measure, dict(zip(columns, group, strict=True)), sums[group], estimate_of(measure, sums[group]))
        for group in in_their_order(sums, columns)
    ]
    frame = Result(rows, Rounds(0, 0, {}), tuple(about(rows))).to_pandas()
    del frame.attrs["rounds"]  # of which nothing is known here
    for column in columns:
        if column not in frame:  # without any row
            frame[column] = None
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


def _groups(cells: Cells, columns: tuple[str, ...], length: int) -> Iterator[tuple[Any, ...]]:
    if not columns:
        return iter([()] * length)
    return zip(*(cells[name] for name in columns), strict=True)


def _games(values: list[Any], name: str) -> list[Any]:
    for row, value in enumerate(values):
        if value is None:
            raise WrongCount(f"{name} is missing in row {row}; an interval needs to know which rows are of one game")
    return values


def _whole(values: list[Any], name: str) -> Iterator[int]:
    """The numbers as whole ones; sums come out of SQL as numbers of other kinds, too."""
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
        yield number


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
