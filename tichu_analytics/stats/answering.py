"""Works out measures over a data set: which passes there are, the rows of the result, and what has to be said of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations, product
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats import intervals
from tichu_analytics.stats.bases import BASES
from tichu_analytics.stats.contrasts import Contrast, ContrastPass
from tichu_analytics.stats.groupings import columns_of, order_of
from tichu_analytics.stats.intervals import Difference, Estimate, Products, Sums
from tichu_analytics.stats.ranking import PLAYER, in_order, shrunken
from tichu_analytics.stats.registry import COLUMNS, DIFFERENCE_COLUMNS, FLOATS, Measure, UnknownName, chosen
from tichu_analytics.stats.spreads import spread
from tichu_analytics.stats.sums import Group, NotForBase, Pass

if TYPE_CHECKING:
    import pandas as pd

    from tichu_analytics.tables.dataset import Dataset
    from tichu_analytics.tables.query import Asker

#: As many groups are compared with each other at most.
MOST_COMPARED: Final = 30
#: From so many intervals on it is worth a word that some miss the true value.
_MANY: Final = 20


class Row(NamedTuple):
    """A line of a result.

    Attributes:
        measure: its measure.
        groups: the columns that tell the group, with their values.
        sums: the sums over its games.
        estimate: the estimate and its interval.
        more: further columns of the result, of :data:`MORE_COLUMNS`.
    """

    measure: Measure
    groups: dict[str, Any]
    sums: Sums
    estimate: Estimate
    more: dict[str, Any] = {}  # noqa: RUF012 - nobody writes into it

    def values(self) -> dict[str, Any]:
        """The values of the columns :data:`COLUMNS`, of those of the group, and of further ones."""
        one, sums, guess = self.measure, self.sums, self.estimate
        fixed = (one.name, one.population, sums.n, sums.k, sums.games, guess.value, guess.low, guess.high, one.unit)
        return dict(zip(COLUMNS, fixed, strict=True)) | self.groups | self.more


class Pair(NamedTuple):
    """A comparison of two groups.

    Attributes:
        measure: the measure.
        groups: the columns that tell both groups, with their values; those of the second begin with ``other_``.
        a, b: their sums.
        games: the number of games that have one of them or both.
        difference: the first less the second.
        p_holm: the p-value adjusted for the number of comparisons of the measure.
    """

    measure: Measure
    groups: dict[str, Any]
    a: Sums
    b: Sums
    games: int
    difference: Difference
    p_holm: float | None

    def values(self) -> dict[str, Any]:
        """The values of the columns :data:`DIFFERENCE_COLUMNS` and of those of the groups."""
        one, found = self.measure, self.difference
        fixed = (
            *(one.name, one.population, self.a.n, self.a.k, self.b.n, self.b.k, self.games),
            *(found.value, found.low, found.high, found.p, self.p_holm, one.unit),
        )
        return dict(zip(DIFFERENCE_COLUMNS, fixed, strict=True)) | self.groups


class Rounds(NamedTuple):
    """Which rounds the figures rest on.

    Attributes:
        read: rounds that the logs have.
        kept: those of them that are complete and legally played.
        excluded: how many of the others there are for each reason.
        removed: what a condition has removed beyond that, in words, a sentence for each kind of rows.
    """

    read: int
    kept: int
    excluded: dict[str, int]
    removed: tuple[str, ...] = ()

    def sentences(self) -> list[str]:
        """The same in words."""
        left = self.read - self.kept
        text = f"{self.kept:,} of {self.read:,} rounds are counted"
        if left:
            reasons = sorted(self.excluded.items(), key=lambda item: (-item[1], item[0]))
            text += f"; {left:,} left out: " + ", ".join(f"{reason} {count:,}" for reason, count in reasons)
        return [text, *self.removed]


class Result(NamedTuple):
    """Rows with what has to be said of them.

    Attributes:
        rows: the lines of the result: estimates, or comparisons.
        rounds: which rounds they rest on.
        remarks: what else is worth a word, a sentence each.
    """

    rows: Sequence[Row | Pair]
    rounds: Rounds
    remarks: tuple[str, ...]

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a data frame; ``attrs`` has ``rounds`` and ``remarks``."""
        import pandas as pd

        first: tuple[str, ...] = COLUMNS
        if self.rows and isinstance(self.rows[0], Pair):
            first = DIFFERENCE_COLUMNS
        values = [row.values() for row in self.rows]
        names = dict.fromkeys([*first, *(name for row in values for name in row)])
        frame = pd.DataFrame({name: pd.Series([row.get(name) for row in values], dtype=object) for name in names})
        for name in names:
            if name in ("n", "k", "other_n", "other_k", "n_games"):
                frame[name] = frame[name].astype("Int64")
            elif name in ("estimate", "difference", "low", "high", "p", "p_holm") or name in FLOATS:
                frame[name] = frame[name].astype("float64")
            elif name not in first:
                frame[name] = frame[name].convert_dtypes()
        frame.attrs = {
            "rounds": {
                "read": self.rounds.read,
                "kept": self.rounds.kept,
                "excluded": dict(self.rounds.excluded),
                "removed": list(self.rounds.removed),
            },
            "remarks": list(self.remarks),
        }
        return frame


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
    columns = _by(by)
    names = _names(measures)
    asked = chosen(subject, names, columns)
    if distribution:
        asked = _means(asked)
    asker = data.asker()
    passes, remarks = _passes(asker, _plain(asked), columns, where, players, is_named=names is not None)
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
            order_of_groups = _sorted(kept, named, measure)
            more = shrunken(measure, named, groups) if PLAYER in named else {}
            if more:
                sort = partial(_sorted, measure=measure)
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
                    _estimate(measure, kept[group]),
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
    rounds = _rounds(data, [*passes, *(each.whole for each in compared)])
    return Result(rows, rounds, tuple(dict.fromkeys([*remarks, *_about(rows, small, min_n)])))


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
    columns = _by(by)
    if not columns:
        raise UnknownName("there is nothing to compare without a column to group by")
    names = _names(measures)
    asked = chosen(subject, names, columns)
    wanted = _plain(asked)
    if not wanted:
        raise NotForBase(f"{asked[0].name} is a comparison already; its groups are told one by one")
    passes, remarks = _passes(data.asker(), wanted, columns, where, players, is_named=names is not None)
    found: dict[str, list[Pair]] = {}
    for one in passes:
        sums = one.sums()
        for measure in one.measures:
            count = len({group[: len(columns)] for group, its in sums[measure.name].items() if its.n >= max(min_n, 1)})
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
                f"{measure.name}: {_number(len(of_it), 'comparison')}; if no two groups differed, "
                f"{len(of_it) * 0.05:.2g} of them would look different by chance (p below 0.05); {alone} do, and "
                f"{all_in_all} after Holm's correction for the number of comparisons (p_holm)"
            )
    return Result(rows, _rounds(data, passes), tuple(dict.fromkeys(remarks)))


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
        remarks.append(f"{_number(small, 'player')} with n below {min_n} left out")
    return Result(rows, _rounds(data, ()), tuple(remarks))


def _plain(measures: Iterable[Measure]) -> list[Measure]:
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
    for group in _sorted(found, one.by, one.measure):
        its = found[group]
        rows.append(Row(one.measure, dict(zip(one.by, group, strict=True)), its.sums, its.estimate, its.more()))
    return rows


def _by(by: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(dict.fromkeys([by] if isinstance(by, str) else by or ()))


def _names(measures: Iterable[str] | None) -> list[str] | None:
    return None if measures is None else [measures] if isinstance(measures, str) else list(measures)


def _passes(
    asker: Asker,
    measures: Sequence[Measure],
    by: tuple[str, ...],
    where: str | None,
    players: str | None,
    *,
    is_named: bool,
) -> tuple[list[Pass], list[str]]:
    """The passes for some measures, and what is to be said about those that cannot be had."""
    wanted: dict[tuple[str, tuple[str, ...], str], list[Measure]] = {}
    for measure in measures:
        asked = measure.spread.column if measure.spread and measure.spread.column in by else ""
        wanted.setdefault((measure.base, measure.always_by, asked), []).append(measure)
    passes: list[Pass] = []
    refused: dict[str, list[str]] = {}
    for (base, always, _), some in wanted.items():
        try:
            passes.append(_pass(asker, base, some, by, always, where, players))
            continue
        except NotForBase as refusal:
            if is_named:
                raise NotForBase(f"{some[0].name}: {refusal}") from None
        # Some of them may do all the same: each for itself may need other tables.
        fine = []
        for measure in some:
            try:
                _pass(asker, base, [measure], by, always, where, players)
                fine.append(measure)
            except NotForBase as refusal:
                refused.setdefault(str(refusal), []).append(measure.name)
        if fine:
            passes.append(_pass(asker, base, fine, by, always, where, players))
    remarks = [f"without {', '.join(names)}: {refusal}" for refusal, names in refused.items()]
    if refused and not passes:
        raise NotForBase(next(iter(refused)))
    for one in passes:
        remarks += one.remarks
    return passes, remarks


def _pass(
    asker: Asker,
    base: str,
    some: Sequence[Measure],
    by: tuple[str, ...],
    always: tuple[str, ...],
    where: str | None,
    players: str | None,
) -> Pass:
    """A pass grouped by columns that the measures do not have of their own."""
    own = {*always, *(one.spread.column for one in some if one.spread)} - set(columns_of(BASES[base]))
    return Pass(asker, base, some, [name for name in by if name not in own and name not in always], where, players)


def _rounds(data: Dataset, passes: Sequence[Pass]) -> Rounds:
    removed: dict[str, None] = {}
    if passes and passes[0].company is not None:
        removed[passes[0].company.sentence()] = None
    for one in passes:
        gone = one.removed()
        if gone is None:
            continue
        of_rounds = (
            f", and with them {gone.rounds:,} of {_number(gone.all_rounds, 'round')} altogether"
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


def _estimate(measure: Measure, sums: Sums) -> Estimate:
    return intervals.rate(sums) if measure.is_rate else intervals.mean(sums, measure.divisor)


def _about(rows: Sequence[Row], small: int, min_n: int) -> Iterator[str]:
    """What has to be said about rows: those that are missing, those without an interval, and that there are many."""
    if small:
        yield f"{_number(small, 'group')} with n below {min_n} left out"
    alone = sum(row.sums.games == 1 for row in rows)
    if alone:
        yield f"{_number(alone, 'row')} of a single game each: no interval, since nothing is known of other games"
    count = sum(row.estimate.low is not None for row in rows)
    if count >= _MANY:
        yield f"{count} intervals of 95 %: about {count * 0.05:.0f} of them miss the true value"


def _pairs(
    one: Pass, measure: Measure, sums: dict[Group, Sums], products: dict[tuple[Group, Group], Products], min_n: int
) -> list[Pair]:
    named = [*one.groups, *((measure.spread.column,) if measure.spread else ())]
    count = len(one.by)
    groups = _sorted({group: its for group, its in sums.items() if its.n >= min_n}, named, measure)
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


def _sorted(groups: Iterable[Group], names: Sequence[str], measure: Measure) -> list[Group]:
    """Groups in the order in which they are shown: words as in their list, null last."""
    orders = [{word: place for place, word in enumerate(order_of(name))} for name in names]
    if measure.spread is not None:
        orders[-1] = {cell: place for place, (cell, _) in enumerate(measure.spread.cells)}

    def key(group: Group) -> tuple[Any, ...]:
        return tuple(
            (value is None, order.get(value, len(order)), str(value) if isinstance(value, list) else value or 0)
            if not isinstance(value, str)
            else (False, order.get(value, len(order)), value)
            for value, order in zip(group, orders, strict=True)
        )

    return sorted(groups, key=key)


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
