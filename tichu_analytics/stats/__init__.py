"""Statistics over a data set: rates and means with honest intervals, one function a subject.

>>> import tichu_analytics as ta
>>> ta.stats.tichu("data", by=["seat"], where="has(held, 'Dr')")  # doctest: +SKIP

Each function gives a data frame with the columns ``measure, population, n, k, n_games, estimate, low, high, unit`` and
those of the groups; ``frame.attrs["rounds"]`` says which rounds were left out, by reason. docs/statistics.md explains
measures, groups and intervals; docs/own_measures.md tells how to add a measure.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from tichu_analytics.stats.registry import Measure, Spread, UnknownName, WrongMeasure, measures, register, unregister

if TYPE_CHECKING:
    import pandas as pd

    from tichu_analytics.tables.dataset import Dataset

    Data = Dataset | str | os.PathLike[str]

__all__ = [
    "Measure",
    "Spread",
    "UnknownName",
    "WrongMeasure",
    "bombs",
    "compare",
    "compute",
    "estimate",
    "exchange",
    "measures",
    "players",
    "rating",
    "register",
    "results",
    "tichu",
    "unregister",
]


def __dir__() -> list[str]:
    # Neither what is imported above nor the modules that happen to be loaded.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__") and name.endswith("__"))})


def compute(
    data: Data,
    subject: str | None = None,
    *,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
    distribution: bool = False,
) -> pd.DataFrame:
    """Works out measures of a subject, or of all.

    Args:
        data: a data set, its folder, or logs, of which a data set is made for the time being.
        subject: ``tichu``, ``bombs``, ``exchange``, ``results``, ``players`` or one of your own; None for all
            but players, of whom there may be very many.
        by: columns of hands, rounds or games to group by, or worked-out ones such as ``score_gap``; a single one may be
            a text. Measures of a population that does not have such a column are left out, with a remark.
        where: an SQL expression that picks the rows of the population, such as ``has(held, 'Dr')``.
        measures: names of measures; all of the subject by default.
        min_n: groups with a smaller ``n`` are left out.
        players: a condition on players, such as ``games >= 50 and win_rate >= 0.5``; only games count at which four
            such players sit. What is known of a player comes from the other games.
        distribution: of means only, with how their values are spread: columns ``sd`` (standard deviation), ``least``,
            ``p1`` to ``p99`` (quantiles in percent), ``greatest``.

    Returns:
        A row a measure and group: ``measure``, ``population``, ``n``, ``k`` (for a mean the sum), ``n_games``,
        ``estimate``, ``low`` and ``high`` (95 %; missing where a single game says nothing), ``unit``, the columns of
        the groups (those of ``by``, then those of the measures), and what else is told of each. Columns, their order
        and types are the same whether there are rows or not. ``attrs["rounds"]`` and ``attrs["remarks"]`` say what
        was left out.

    Raises:
        UnknownName, WrongMeasure: for a measure, subject or column that there is not, or that is not as it should be.
        QueryRefused, QueryFailed: for a condition that is none or cannot be worked out.
        ValueError: if the data cannot be opened, or no measure can be grouped so; all of the above are ValueErrors.
    """
    from tichu_analytics.stats.answering import compute as work_out
    from tichu_analytics.stats.opening import opened

    with opened(data) as found:
        return work_out(
            found.data,
            subject,
            by=by,
            where=where,
            measures=measures,
            min_n=min_n,
            players=players,
            distribution=distribution,
        ).to_pandas()


def compare(
    data: Data,
    subject: str | None = None,
    *,
    by: Iterable[str],
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> pd.DataFrame:
    """Compares each two groups of measures: their difference, its interval, and how surprising it is.

    Args:
        data, subject, by, where, measures, min_n, players: as for :func:`compute`.

    Returns:
        A row a measure and pair of groups: ``n`` and ``k`` of the first, ``other_n`` and ``other_k`` of the second,
        ``n_games``, ``difference``, ``low``, ``high``, ``p``, ``p_holm`` (adjusted for the number of comparisons of the
        measure), ``unit``, the columns of the first group, and those of the second with ``other_`` before them.

    Raises:
        ValueError: as :func:`compute` does, and for too many groups.
    """
    from tichu_analytics.stats.comparing import compare as work_out
    from tichu_analytics.stats.opening import opened

    with opened(data) as found:
        return work_out(
            found.data, subject, by=by, where=where, measures=measures, min_n=min_n, players=players
        ).to_pandas()


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
    """Gives counts of your own the intervals of these statistics, with games as what is drawn.

    >>> import tichu_analytics as ta
    >>> sql = "select game_id, call, count(*) as n, count(*) filter (finish = 1) as k from hands group by all"
    >>> ta.stats.estimate(ta.Dataset("data").sql(sql), by=["call"])  # doctest: +SKIP

    Args:
        counts: an answer of :meth:`tichu_analytics.tables.dataset.Dataset.sql`, a data frame of pandas or Polars, or
            an Arrow table. Its rows may be games, rounds, seats or whatever; those of a game are added up.
        by: columns to group by; a single one may be a text. Null is a group.
        game: the column that tells which rows are of one game.
        n: the column with how many there are in a row; None if each row counts once.
        k: the column with how many of them are meant (true and false are 1 and 0), or the sum of a value.
        unit: for a mean ``k / n`` in place of a rate: what it is a mean of, such as ``points``.
        divisor: of a mean: ``k`` counts in parts of so many a unit, 2 for halves.
        name: the ``measure`` in the result, for which figures may have a label.

    Returns:
        The same columns as :func:`compute`, a row a group: words in their usual order, null last. ``n``, ``k`` and
        ``n_games`` are sums, ``low`` and ``high`` the ends of the 95 % interval; they are missing for a single game.
        ``attrs["remarks"]`` has what is to be said about it.

    Raises:
        ValueError: for a column that there is not, a count that is missing, no whole number, negative, too large for 64
            bits or more than there are, a row of no game, or values to group by that have no order, such as numbers
            beside words. The text names column, row (counted from 0) and value.
        TypeError: if the counts are no table.
    """
    from tichu_analytics.stats.own_counts import Columns, measure_of
    from tichu_analytics.stats.own_counts import estimate as work_out

    return work_out(counts, by, Columns(game, n, k), measure_of(name, unit, divisor))


def rating(data: Data, min_n: int = 1) -> pd.DataFrame:
    """Rates players by who won with and against whom, see :mod:`tichu_analytics.stats.strength`.

    Args:
        data: a data set, its folder, or logs, of which a data set is made for the time being.
        min_n: players with fewer rated games are left out of the result.

    Returns:
        A row a player, the best first: ``n`` is the number of rated games, ``k`` of those that were won, ``estimate``
        and ``mu`` the rating, ``low`` and ``high`` its interval, and ``sigma`` and ``conservative`` (mu less three
        sigma, by which they are sorted).

    Raises:
        ValueError: if the data cannot be opened.
        ImportError: if openskill is not installed.
    """
    from tichu_analytics.stats.answering import rate
    from tichu_analytics.stats.opening import opened

    with opened(data) as found:
        return rate(found.data, min_n).to_pandas()


def tichu(
    data: Data,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> pd.DataFrame:
    """Calls of Tichu and Grand Tichu; see :func:`compute` for what goes in and comes out."""
    return compute(data, "tichu", by=by, where=where, measures=measures, min_n=min_n, players=players)


def bombs(
    data: Data,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> pd.DataFrame:
    """Bombs that are dealt, held and played; see :func:`compute` for what goes in and comes out."""
    return compute(data, "bombs", by=by, where=where, measures=measures, min_n=min_n, players=players)


def exchange(
    data: Data,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> pd.DataFrame:
    """Cards that are received in the exchange; see :func:`compute` for what goes in and comes out."""
    return compute(data, "exchange", by=by, where=where, measures=measures, min_n=min_n, players=players)


def results(
    data: Data,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> pd.DataFrame:
    """How rounds end and how long they take; see :func:`compute` for what goes in and comes out."""
    return compute(data, "results", by=by, where=where, measures=measures, min_n=min_n, players=players)


def players(
    data: Data,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> pd.DataFrame:
    """Single players; see :func:`compute` for what goes in and comes out."""
    return compute(data, "players", by=by, where=where, measures=measures, min_n=min_n, players=players)
