"""Compares groups of measures with each other: which pairs there are, and what has to be said of so many."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Final

from tichu_analytics.stats import intervals
from tichu_analytics.stats.answering import (
    columns_to_group,
    group_columns,
    group_types,
    in_their_order,
    names_of,
    number,
    passes_for,
    plain,
    rounds_of,
)
from tichu_analytics.stats.intervals import Products, Sums
from tichu_analytics.stats.outcome import Pair, Result
from tichu_analytics.stats.registry import DIFFERENCE_COLUMNS, Measure, UnknownName, chosen
from tichu_analytics.stats.sums import Group, NotForBase, Pass

if TYPE_CHECKING:
    from tichu_analytics.tables.dataset import Dataset

#: As many groups are compared with each other at most.
MOST_COMPARED: Final = 30


def compare(
    data: Dataset,
    subject: str | None = None,
    *,
    by: Iterable[str],
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
) -> Result:
    """Compares each two groups of measures, see :func:`tichu_analytics.stats.intervals.difference`.

    Args:
        data, subject, by, where, measures, min_n, players: as for :func:`compute`; there has to be something to group
            by.

    Raises:
        ValueError: as :func:`compute` does; also without groups, and for more than :data:`MOST_COMPARED` of them.
    """
    columns = columns_to_group(by)
    if not columns:
        raise UnknownName("there is nothing to compare without a column to group by")
    names = names_of(measures)
    asked = chosen(subject, names, columns)
    wanted = plain(asked)
    if not wanted:
        raise NotForBase(f"{asked[0].name} is a comparison already; its groups are told one by one")
    passes, remarks = passes_for(
        data.asker(), wanted, columns, where, players, is_named=names is not None, is_comparison=True
    )
    told_already = [one.name for one in asked if one.within is not None]
    if told_already:
        remarks.append(f"without {', '.join(told_already)}: a comparison already, whose groups are told one by one")
    found: dict[str, list[Pair]] = {}
    for one in passes:
        sums = one.sums()
        for measure in one.measures:
            count = len({group[: len(one.by)] for group, its in sums[measure.name].items() if its.n >= max(min_n, 1)})
            if count > MOST_COMPARED:
                raise UnknownName(
                    f"{measure.name} has {count} groups, and at most {MOST_COMPARED} are compared with each other; "
                    "a larger --min-n or a condition leaves fewer"
                )
        products = one.products()
        for measure in one.measures:
            found[measure.name] = _pairs(one, measure, sums[measure.name], products[measure.name], max(min_n, 1))
    rows = [pair for measure in wanted for pair in found.get(measure.name, ())]
    for measure in wanted:
        of_it = [pair for pair in found.get(measure.name, ()) if pair.difference.p is not None]
        if of_it:
            alone = sum(pair.difference.p is not None and pair.difference.p < 0.05 for pair in of_it)
            all_in_all = sum(pair.p_holm is not None and pair.p_holm < 0.05 for pair in of_it)
            remarks.append(
                f"{measure.name}: {number(len(of_it), 'comparison')}; if no two groups differed, "
                f"{len(of_it) * 0.05:.2g} of them would look different by chance (p below 0.05); {alone} do, and "
                f"{all_in_all} after Holm's correction for the number of comparisons (p_holm)"
            )
    alone = sum(pair.difference.low is None for pair in rows)
    if alone:
        remarks.append(
            f"{number(alone, 'comparison')} with a group of a single game: no interval, since nothing is known of "
            "other games"
        )
    further = (*columns, *(f"other_{name}" for name in columns), *group_columns(passes))
    types = group_types(passes)
    types |= {f"other_{name}": types[name] for name in columns if name in types}
    remarks = list(dict.fromkeys(remarks))
    return Result(rows, rounds_of(data, passes), tuple(remarks), DIFFERENCE_COLUMNS, further, types)


def _pairs(
    one: Pass, measure: Measure, sums: dict[Group, Sums], products: dict[tuple[Group, Group], Products], min_n: int
) -> list[Pair]:
    named = [*one.groups, *((measure.spread.column,) if measure.spread else ())]
    count = len(one.by)
    groups = in_their_order({group: its for group, its in sums.items() if its.n >= min_n}, named, measure)
    pairs = []
    for a, b in combinations(groups, 2):
        if a[count:] != b[count:]:
            continue
        both = products.get((a, b))
        turned = products.get((b, a))
        if both is None:
            both = Products(turned.kk, turned.nk, turned.kn, turned.nn, turned.games) if turned else Products()
        games = sums[a].games + sums[b].games - both.games
        found = intervals.difference(
            sums[a], sums[b], both._replace(games=games), is_rate=measure.is_rate, divisor=measure.divisor
        )
        told = dict(zip(one.by, a, strict=False))
        told |= {f"other_{name}": value for name, value in zip(one.by, b, strict=False)}
        told |= dict(zip(named[count:], a[count:], strict=True))
        pairs.append(Pair(measure, told, sums[a], sums[b], games, found, None))
    adjusted = intervals.holm([pair.difference.p for pair in pairs])
    return [pair._replace(p_holm=p) for pair, p in zip(pairs, adjusted, strict=True)]
