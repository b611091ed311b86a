"""Works out measures over a data set: which passes there are, the rows of the result, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from tichu_analytics.stats import intervals
from tichu_analytics.stats.bases import BASES
from tichu_analytics.stats.contrasts import Contrast, ContrastPass
from tichu_analytics.stats.groupings import columns_of, order_of
from tichu_analytics.stats.intervals import Estimate, Sums
from tichu_analytics.stats.outcome import Result, Rounds, Row, type_in_frame
from tichu_analytics.stats.ranking import PLAYER, in_order, shrunken
from tichu_analytics.stats.registry import CONTRAST, RATING, SHRUNK, SPREAD, Measure, UnknownName, chosen, short
from tichu_analytics.stats.spreads import spread
from tichu_analytics.stats.sums import Group, NotForBase, Pass

if TYPE_CHECKING:
    from tichu_analytics.tables.dataset import Dataset
    from tichu_analytics.tables.query import Asker

#: From so many intervals on it is worth a word that some miss the true value.
_MANY: Final = 20


def compute(
    data: Dataset,
    subject: str | None = None,
    *,
    by: Iterable[str] | None = (),
    where: str | None = None,
    measures: Iterable[str] | None = None,
    min_n: int = 1,
    players: str | None = None,
    distribution: bool = False,
) -> Result:
    """Works out measures.

    Args:
        data: the data set.
        subject: the measures of this subject; None for all.
        by: columns to group by.
        where: a condition on the rows of the population.
        measures: the names of the measures that are wanted; None for all of the subject.
        min_n: groups with a smaller ``n`` are left out; without columns to group by, all rows are there in any case.
        players: a condition on players (:data:`tichu_analytics.stats.company.OF_PLAYERS`); only games count at which
            four such players sit.
        distribution: tell how the values of means are spread (:mod:`tichu_analytics.stats.spreads`); rates are left
            out then.

    Raises:
        UnknownName: for a measure, subject or column that there is not.
        NotForBase: if a measure that was asked for by name cannot be had so, or none of the subject can.
        WrongMeasure: for a measure of one's own that cannot be worked out.
        QueryRefused, QueryFailed: for a condition that is none or cannot be worked out.
    """
    columns = columns_to_group(by)
    names = names_of(measures)
    asked = chosen(subject, names, columns)
    if distribution:
        asked = _means(asked)
    asker = data.asker()
    passes, remarks = passes_for(asker, plain(asked), columns, where, players, is_named=names is not None)
    found: dict[str, list[Row]] = {}
    small = 0
    for one in passes:
        sums = one.sums()
        for measure in one.measures:
            named = [*one.groups, *((measure.spread.column,) if measure.spread else ())]
            words = _words(one, measure)
            groups = dict.fromkeys(words, Sums()) | sums[measure.name]
            kept = {group: its for group, its in groups.items() if its.n >= min_n or group in words}
            # What nobody has done at all is no group of it; whatever else is missing is told.
            small += sum(0 < its.n < min_n for its in groups.values())
            order_of_groups = in_their_order(kept, named, measure)
            more = shrunken(measure, named, groups) if PLAYER in named else {}
            if more:
                sort = partial(in_their_order, measure=measure)
                order_of_groups = in_order(order_of_groups, named, more, sort)
            if distribution:
                values = one.values(measure)
                for group in order_of_groups:
                    more[group] = more.get(group, {}) | spread(values.get(group, {}), measure.divisor)
            found[measure.name] = [
                Row(
                    measure,
                    dict(zip(named, group, strict=True)),
                    kept[group],
                    estimate_of(measure, kept[group]),
                    more.get(group, {}),
                )
                for group in order_of_groups
            ]
    compared = [ContrastPass(asker, one, columns, where, players) for one in asked if one.within]
    for each in compared:
        contrasts = each.contrasts()
        small += sum(0 < one.sums.n < min_n for one in contrasts.values())
        found[each.measure.name] = _contrasted(each, contrasts, max(min_n, 1) if columns else 0)
    rows = [row for measure in asked for row in found.get(measure.name, ())]
    rounds = rounds_of(data, [*passes, *(each.whole for each in compared)])
    groups_of_passes = group_columns(passes)
    further = (
        *(*columns, *groups_of_passes),
        *(SHRUNK if PLAYER in groups_of_passes else ()),
        *(CONTRAST if compared else ()),
        *(SPREAD if distribution else ()),
    )
    remarks += about(rows, small, min_n)
    types = group_types([*passes, *(each.whole for each in compared)])
    if distribution:
        # Values in parts of a unit may have a fraction.
        types |= dict.fromkeys(SPREAD[1:], "Int64" if all(one.divisor == 1 for one in asked) else "Float64")
    return Result(rows, rounds, tuple(dict.fromkeys(remarks)), further=further, types=types)


def rate(data: Dataset, min_n: int = 1) -> Result:
    """Rates players by who won with and against whom, see :mod:`tichu_analytics.stats.strength`.

    Args:
        data: the data set.
        min_n: players with fewer rated games are left out; they are rated all the same.

    Raises:
        NotForBase: if the data set has no table of games.
        ImportError: if openskill is not installed.
    """
    from tichu_analytics.stats.strength import MEASURE, rate_players

    ratings = rate_players(data)
    rows = [
        Row(
            MEASURE,
            {PLAYER: one.player},
            Sums(one.games, one.won, one.games, one.won, one.won, one.games),
            Estimate(one.mu, *one.ends),
            one.more(),
        )
        for one in ratings.players
        if one.games >= min_n
    ]
    small = len(ratings.players) - len(rows)
    remarks = [*ratings.sentences()]
    if small:
        remarks.append(f"{number(small, 'player')} with n below {min_n} left out")
    return Result(rows, rounds_of(data, ()), tuple(remarks), further=(PLAYER, *RATING), types={PLAYER: "string"})


def plain(measures: Iterable[Measure]) -> list[Measure]:
    """Those that are no comparison within categories."""
    return [one for one in measures if one.within is None]


def _means(measures: Iterable[Measure]) -> list[Measure]:
    """Those that are means, of which there is a distribution.

    Raises:
        NotForBase: if there are none.
    """
    found = [one for one in measures if not one.is_rate and one.within is None]
    if not found:
        raise NotForBase("only means have a distribution, and there are none among these measures")
    return found


def _contrasted(one: ContrastPass, contrasts: dict[Group, Contrast], min_n: int) -> list[Row]:
    """The rows of a comparison within categories."""
    found = {group: its for group, its in contrasts.items() if its.sums.n >= min_n}
    rows = []
    for group in in_their_order(found, one.by, one.measure):
        its = found[group]
        rows.append(Row(one.measure, dict(zip(one.by, group, strict=True)), its.sums, its.estimate, its.more()))
    return rows


def columns_to_group(by: Iterable[str] | None) -> tuple[str, ...]:
    """The columns to group by, each once; a single one may be a text.

    Raises:
        UnknownName: for what cannot be the name of a column, such as a list.
    """
    names = [by] if isinstance(by, str) else list(by or ())
    for name in names:
        if not isinstance(name, Hashable):
            raise UnknownName(f"{short(repr(name))} is no name of a column")
    return tuple(dict.fromkeys(names))


def names_of(measures: Iterable[str] | None) -> list[str] | None:
    """The names of measures; a single one may be a text."""
    return None if measures is None else [measures] if isinstance(measures, str) else list(measures)


def passes_for(
    asker: Asker,
    measures: Sequence[Measure],
    by: tuple[str, ...],
    where: str | None,
    players: str | None,
    *,
    is_named: bool,
    is_comparison: bool = False,
) -> tuple[list[Pass], list[str]]:
    """The passes for some measures, and what is to be said about those that cannot be had."""
    wanted: dict[tuple[str, tuple[str, ...], str], list[Measure]] = {}
    for measure in measures:
        asked = measure.spread.column if measure.spread and measure.spread.column in by else ""
        wanted.setdefault((measure.base, measure.always_by, asked), []).append(measure)
    passes: list[Pass] = []
    refused: dict[str, list[str]] = {}
    for (base, always, _), some in wanted.items():
        own_by = partial(_own_by, by=by, always=() if is_comparison else always, is_comparison=is_comparison)
        try:
            passes.append(Pass(asker, base, some, own_by(some), where, players))
            continue
        except NotForBase as refusal:
            if is_named:
                raise NotForBase(f"{some[0].name}: {refusal}") from None
        # Some of them may do all the same: each for itself may need other tables.
        fine = []
        for measure in some:
            try:
                Pass(asker, base, [measure], own_by([measure]), where, players)
                fine.append(measure)
            except NotForBase as refusal:
                refused.setdefault(str(refusal), []).append(measure.name)
        if fine:
            passes.append(Pass(asker, base, fine, own_by(fine), where, players))
    remarks = [f"without {', '.join(names)}: {refusal}" for refusal, names in refused.items()]
    if refused and not passes:
        raise NotForBase(next(iter(refused)))
    for one in passes:
        remarks += one.remarks
    return passes, remarks


def _own_by(some: Sequence[Measure], *, by: tuple[str, ...], always: tuple[str, ...], is_comparison: bool) -> list[str]:
    """The columns to group some measures of a base by, without those by which they are told apart in any case.

    Groups can be compared by any column of theirs but that of a spread, whose cases belong together.

    Raises:
        NotForBase: if nothing is left by which to compare.
    """
    own = {*always, *(one.spread.column for one in some if one.spread)} - set(columns_of(BASES[some[0].base]))
    found = [name for name in by if name not in own and name not in always]
    if is_comparison and not found:
        raise NotForBase(f"{' and '.join(by)} tells cases apart that are counted together; groups can be compared")
    return found


def group_columns(passes: Iterable[Pass]) -> list[str]:
    """The columns by which the measures of some passes are grouped, each once."""
    spreads = [(one, measure.spread) for one in passes for measure in one.measures]
    return list(dict.fromkeys(name for one, its in spreads for name in (*one.groups, *((its.column,) if its else ()))))


def group_types(passes: Iterable[Pass]) -> dict[str, str]:
    """The types of these columns in a data frame, whether there are rows or not; the sums have been worked out."""
    found: dict[str, dict[str, None]] = {}
    for one in passes:
        words = [measure.spread.column for measure in one.measures if measure.spread]
        for name, type_ in (*one.types.items(), *((name, "VARCHAR") for name in words)):
            found.setdefault(name, {})[type_] = None
    return {name: type_in_frame(types) for name, types in found.items()}


def rounds_of(data: Dataset, passes: Sequence[Pass]) -> Rounds:
    """Which rounds the figures of some passes rest on."""
    removed: dict[str, None] = {}
    if passes and passes[0].company is not None:
        removed[passes[0].company.sentence()] = None
    for one in passes:
        gone = one.removed()
        if gone is None:
            continue
        of_rounds = (
            f", and with them {gone.rounds:,} of {number(gone.all_rounds, 'round')} altogether"
            if gone.all_rounds and one.base.name not in ("rounds",)
            else ""
        )
        removed[f"the condition leaves out {gone.rows:,} of {gone.all_rows:,} {one.base.rows}{of_rounds}"] = None
    info = data.info
    return Rounds(info["rounds"], info["rounds_kept"], dict(info["rounds_excluded"]), tuple(removed))


def _words(one: Pass, measure: Measure) -> dict[Group, None]:
    """The rows that a measure has without columns to group by, whether there is anything to be counted or not.

    There is a single one, or one for each word of its own columns. Columns of any text, such as names, have none.
    """
    if one.by:
        return {}
    words: list[tuple[str, ...]] = [order_of(name) for name in measure.always_by]
    if measure.spread is not None:
        words.append(tuple(cell for cell, _ in measure.spread.cells))
    return dict.fromkeys(product(*words))


def estimate_of(measure: Measure, sums: Sums) -> Estimate:
    """The estimate of a measure and its interval, from the sums over games."""
    return intervals.rate(sums) if measure.is_rate else intervals.mean(sums, measure.divisor)


def about(rows: Sequence[Row], small: int = 0, min_n: int = 1) -> Iterator[str]:
    """What has to be said about rows: those that are missing, those without an interval, and that there are many."""
    if small:
        yield f"{number(small, 'group')} with n below {min_n} left out"
    alone = sum(row.sums.games == 1 for row in rows)
    if alone:
        each = "" if alone == 1 else " each"
        yield f"{number(alone, 'row')} of a single game{each}: no interval, since nothing is known of other games"
    flat = sum(_is_flat(row) for row in rows)
    if flat:
        yield f"{number(flat, 'row')} without any difference between games: the interval has no width and says nothing"
    count = sum(row.estimate.low is not None for row in rows)
    if count >= _MANY:
        yield f"{count} intervals of 95 %: about {count * 0.05:.0f} of them miss the true value"


def _is_flat(row: Row) -> bool:
    """Whether the games of a mean have the same mean all, other than 0, which may be so by its definition."""
    low, high = row.estimate.low, row.estimate.high
    return not row.measure.is_rate and low is not None and low == high and row.sums.k != 0


def in_their_order(groups: Iterable[Group], names: Sequence[str], measure: Measure | None = None) -> list[Group]:
    """Groups in the order in which they are shown: words as in their list, null last."""
    orders = [{word: place for place, word in enumerate(order_of(name))} for name in names]
    if measure is not None and measure.spread is not None:
        orders[-1] = {cell: place for place, (cell, _) in enumerate(measure.spread.cells)}

    def key(group: Group) -> tuple[Any, ...]:
        return tuple(
            (value is None, order.get(value, len(order)), _comparable(value))
            if not isinstance(value, str)
            else (False, order.get(value, len(order)), value)
            for value, order in zip(group, orders, strict=True)
        )

    return sorted(groups, key=key)


def _comparable(value: Any) -> Any:
    if value is None:
        return 0
    return str(value) if isinstance(value, list) else value


def number(count: int, noun: str) -> str:
    """A number with a noun."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
