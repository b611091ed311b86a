"""One pass over a base: the SQL that counts all measures of it by game, and the whole numbers that come out.

A pass reads the rows of its base once, whatever the number of measures: per game and group each measure counts ``n``
and ``k``, and over the games their sums, squares and products are added up
(:class:`tichu_analytics.stats.intervals.Sums`). All are whole numbers, so that neither the number of threads nor that
of files changes anything.

The SQL goes through the same walls as any question (:mod:`tichu_analytics.tables.walls`), so that a condition of the
user's can read the data set and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats.bases import BASES, Base, Source
from tichu_analytics.stats.company import Company
from tichu_analytics.stats.groupings import all_columns, columns_of, derived_of
from tichu_analytics.stats.intervals import Products, Sums
from tichu_analytics.stats.registry import LISTED, Measure, UnknownName, WrongMeasure, is_own, measures, nearest, short

if TYPE_CHECKING:
    from tichu_analytics.tables.query import Answer, Asker

_WORD: Final = re.compile(r"[A-Za-z_][A-Za-z_0-9]*")
_NO_COLUMN: Final = re.compile(r'Referenced column "([^"]+)" (?:was )?not found')
_WHOLE: Final = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"})

#: The values of the columns that tell groups apart.
Group = tuple[Any, ...]


class NotForBase(ValueError):
    """A column that a base does not have, or a table that the data set does not have; the text says which."""


class Removed(NamedTuple):
    """What a condition has removed from a base.

    Attributes:
        rows, all_rows: how many rows were removed, of how many.
        rounds, all_rounds: how many rounds without any row left, of how many; 0 where rows are games.
    """

    rows: int
    all_rows: int
    rounds: int
    all_rounds: int


class _Count(NamedTuple):
    """A measure, or a cell of one, in SQL.

    Attributes:
        measure: the measure.
        cell: the value of its spread; None without one.
        n, k: what is counted and added up.
    """

    measure: Measure
    cell: str | None
    n: str
    k: str


class Pass:
    """The measures of one base that are grouped by the same columns."""

    def __init__(
        self,
        asker: Asker,
        base: str,
        some: Sequence[Measure],
        by: Sequence[str],
        where: str | None = None,
        players: str | None = None,
    ) -> None:
        """Prepares the pass.

        Args:
            asker: answers it.
            base: the name of the base.
            some: measures of that base with the same ``always_by``.
            by: columns to group by, before those; one of those may be among them.
            where: a condition on the rows.
            players: a condition on players; only games of four such players count.

        Raises:
            NotForBase: if the base does not have a column, or the data set a table that is needed.
            UnknownName: for a column that there is nowhere.
            QueryRefused, QueryFailed: for a condition that is none or cannot be worked out.
            WrongMeasure: for a measure that cannot be worked out.
        """
        self._asker = asker
        self.base: Final = BASES[base]
        self.measures: Final = tuple(some)
        self.by: Final = tuple(by)
        self.groups: Final = (*self.by, *(name for name in some[0].always_by if name not in self.by))
        self.remarks: list[str] = []
        #: The types of the columns of the groups as DuckDB names them; known once the sums are.
        self.types: dict[str, str] = {}
        for name in self.groups:
            self._need(name)
        for measure in filter(is_own, self.measures):
            self._check_texts(measure)
        self._where = None if where is None else asker.condition(where)
        self.company = None if players is None else Company(asker, players)
        self._counts = [count for measure in some for count in _counts(measure)]
        self._rows = _rows(self.base, self._words())
        missing = [table for table in self._rows.tables if table not in asker.tables]
        if missing:
            raise NotForBase(f"the data set was exported without the table {missing[0]}")
        if self._where is not None:
            self._check_where()

    def sums(self) -> dict[str, dict[Group, Sums]]:
        """The sums of each measure by group; the value of a spread is the last of a group.

        Without groups there is one, with zeros if there are no rows.

        Raises:
            QueryFailed: if DuckDB cannot go on.
            WrongMeasure: for a measure that is not one of whole numbers.
        """
        number = len(self.groups)
        keys = ", ".join(f"g{index}" for index in range(number))
        added = ", ".join(
            f"sum(n{i}), sum(k{i}), sum(n{i} * n{i}), sum(n{i} * k{i}), sum(k{i} * k{i}), count_if(n{i} <> 0)"
            for i in range(len(self._counts))
        )
        text = f"{self._games()}\nSELECT {keys + ', ' if keys else ''}{added} FROM stats_games"
        found: dict[str, dict[Group, Sums]] = {measure.name: {} for measure in self.measures}
        with self._ask(f"{text} GROUP BY {keys}" if keys else text) as answer:
            self._check_whole(answer.types[number:])
            self.types = dict(zip(self.groups, answer.types[:number], strict=True))
            for row in answer:
                for index, count in enumerate(self._counts):
                    values = [int(value or 0) for value in row[number + 6 * index : number + 6 * index + 6]]
                    group = (*row[:number], *(() if count.cell is None else (count.cell,)))
                    found[count.measure.name][group] = Sums(*values)
        return found

    def values(self, measure: Measure) -> dict[Group, dict[int, int]]:
        """How often there is each value of a mean, by group.

        Raises:
            QueryFailed: if DuckDB cannot go on.
        """
        keys = "".join(f'"{name}", ' for name in self.groups)
        of = f" AND ({measure.of})" if measure.of else ""
        text = (
            f"{self._kept_rows()}\nSELECT {keys}({measure.value}) AS stats_value, count(*) "
            f"FROM stats_kept AS {self.base.name} WHERE ({measure.value}) IS NOT NULL{of} GROUP BY ALL"
        )
        found: dict[Group, dict[int, int]] = {}
        with self._ask(text) as answer:
            for *group, value, count in answer:
                found.setdefault(tuple(group), {})[int(value)] = count
        return found

    def products(self) -> dict[str, dict[tuple[Group, Group], Products]]:
        """The products of each measure for each two groups that are in the same games.

        The two groups differ in the columns of ``by``; all other columns are the same.

        Raises:
            QueryFailed: if DuckDB cannot go on.
        """
        number = len(self.groups)
        keys = [f"{side}.g{index}" for side in "ab" for index in range(number)]
        same = "".join(f" AND a.g{i} IS NOT DISTINCT FROM b.g{i}" for i in range(len(self.by), number))
        added = ", ".join(
            f"sum(a.k{i} * b.k{i}), sum(a.k{i} * b.n{i}), sum(a.n{i} * b.k{i}), sum(a.n{i} * b.n{i}), "
            f"count_if(a.n{i} <> 0 AND b.n{i} <> 0)"
            for i in range(len(self._counts))
        )
        ranked = ", ".join(f"g{index}" for index in range(len(self.by)))
        text = (
            f"{self._games()}, stats_ranked AS MATERIALIZED (SELECT *, dense_rank() OVER (ORDER BY {ranked}) AS place "
            f"FROM stats_games)\nSELECT {', '.join(keys)}, {added} FROM stats_ranked AS a JOIN stats_ranked AS b "
            f"ON a.stats_game = b.stats_game AND a.place < b.place{same} GROUP BY {', '.join(keys)}"
        )
        found: dict[str, dict[tuple[Group, Group], Products]] = {measure.name: {} for measure in self.measures}
        with self._ask(text) as answer:
            for row in answer:
                for index, count in enumerate(self._counts):
                    values = [int(value or 0) for value in row[2 * number + 5 * index : 2 * number + 5 * index + 5]]
                    cell = () if count.cell is None else (count.cell,)
                    pair = ((*row[:number], *cell), (*row[number : 2 * number], *cell))
                    found[count.measure.name][pair] = Products(*values)
        return found

    def removed(self) -> Removed | None:
        """What the condition has removed; None without a condition.

        Raises:
            QueryFailed: if DuckDB cannot go on.
        """
        if self._where is None:
            return None
        # A number behind GROUP BY would be the place of a column.
        rounds = ", stats_round" if "round" in self.base.columns else ""
        text = (
            f"WITH {self._chosen_rows()}, stats_rounds AS (SELECT count(*) AS n, count_if((\n{self._where}\n)) AS kept "
            f"FROM stats_rows AS {self.base.name} GROUP BY stats_game{rounds})\n"
            "SELECT sum(n) - sum(kept), sum(n), count_if(kept = 0), count(*) FROM stats_rounds"
        )
        with self._asker.ask(text) as answer:
            (row,) = answer
        rows, all_rows, rounds_gone, all_rounds = (int(value or 0) for value in row)
        if "round" not in self.base.columns:
            rounds_gone = all_rounds = 0
        return Removed(rows, all_rows, rounds_gone, all_rounds)

    def _words(self) -> set[str]:
        """All words in what is asked, among them the names of the columns that are needed."""
        texts: list[str] = [*self.groups, self._where or ""]
        for count in self._counts:
            texts += [count.n, count.k]
        return {word.lower() for text in texts for word in _WORD.findall(text)}

    def _check_texts(self, measure: Measure) -> None:
        """Makes sure that each text of a measure is one expression, which cannot leave its brackets."""
        for text in measure.texts:
            try:
                self._asker.condition(text)
            except ValueError as error:
                raise WrongMeasure(f"{measure.name}: {error}") from None

    def _need(self, name: str) -> None:
        if name in columns_of(self.base):
            return
        raise self._no_column(name)

    def _no_column(self, name: str) -> ValueError:
        spreads = {one.spread.column: f"a column of {one.name}" for one in measures().values() if one.spread}
        known = spreads | all_columns()
        if name in known:
            return NotForBase(f"{self.base.rows} have no column {name} ({known[name]})")
        return UnknownName(f"there is no column {short(name)}; {nearest(name, known, LISTED)}")

    def _check_where(self) -> None:
        from tichu_analytics.tables.query import QueryFailed, QueryRefused

        # Behind WHERE less is allowed than behind SELECT.
        condition = f"(\n{self._where}\n)"
        text = f"WITH {self._rows.text}\nSELECT {condition} FROM stats_rows AS {self.base.name} WHERE {condition}"
        try:
            with self._asker.ask(text) as answer:
                wrong = [type_ for type_ in answer.types if type_ not in ("BOOLEAN", '"NULL"')]
                self.remarks += answer.remarks
        except QueryFailed as error:
            missing = _NO_COLUMN.match(str(error))
            raise (self._no_column(missing[1]) if missing else error) from None
        if wrong:
            raise QueryRefused(f"the condition is of type {wrong[0]}, neither true nor false")

    def _kept_rows(self) -> str:
        """The WITH queries up to the rows that are left by the conditions."""
        kept = f"SELECT * FROM stats_rows AS {self.base.name}"
        if self._where is not None:
            kept += f" WHERE (\n{self._where}\n)"
        return f"WITH {self._chosen_rows()}, stats_kept AS ({kept})"

    def _games(self) -> str:
        """The WITH queries up to the counts by game and group."""
        keys = "".join(f', "{name}" AS g{index}' for index, name in enumerate(self.groups))
        counted = ", ".join(f"{count.n} AS n{i}, {count.k} AS k{i}" for i, count in enumerate(self._counts))
        return (
            f"{self._kept_rows()}, stats_games AS MATERIALIZED "
            f"(SELECT stats_game{keys}, {counted} FROM stats_kept AS {self.base.name} GROUP BY ALL)"
        )

    def _chosen_rows(self) -> str:
        """The WITH queries of the rows, of games of certain players if only those count."""
        return self._rows.text if self.company is None else self.company.only(self._rows.text)

    def _ask(self, text: str) -> Answer:
        from tichu_analytics.tables.query import QueryFailed, QueryRefused

        try:
            return self._asker.ask(text)
        except (QueryFailed, QueryRefused) as error:
            raise self._blamed(error) from None

    def _blamed(self, error: ValueError) -> WrongMeasure:
        """The error with the name of the measure that is to blame for it."""
        for count in self._counts:
            text = f"WITH {self._rows.text}\nSELECT {count.n}, {count.k} FROM stats_rows AS {self.base.name}"
            try:
                self._asker.ask(text).close()
            except ValueError as its:
                missing = _NO_COLUMN.match(str(its))
                return WrongMeasure(f"{count.measure.name}: {self._no_column(missing[1]) if missing else its}")
        return WrongMeasure(f"{', '.join(measure.name for measure in self.measures)}: {error}")

    def _check_whole(self, types: Sequence[str]) -> None:
        for index, count in enumerate(self._counts):
            if types[6 * index + 1] not in _WHOLE:
                raise WrongMeasure(
                    f"{count.measure.name}: its value is no whole number; double it, say, and give the divisor 2"
                )


class _Rows(NamedTuple):
    """The rows of a base with the columns that are needed, as a WITH query, and the tables that it reads."""

    text: str
    tables: tuple[str, ...]


def _rows(base: Base, words: Iterable[str]) -> _Rows:
    words = set(words)
    derived = derived_of(base)
    chosen: dict[str, str] = {}
    joined: dict[str, Source] = {base.sources[0].alias: base.sources[0]}
    needed = {source.alias for source in base.sources if source.on == "true"}
    beside: list[Source] = []
    for name, (alias, expression) in base.columns.items():
        if name in words:
            chosen[name] = expression
            needed.add(alias)
    for name, one in derived.items():
        if name in words:
            chosen[name] = one.expression
            needed.update(one.sources)
            if one.beside is not None and one.beside not in beside:
                beside.append(one.beside)
    joined |= {source.alias: source for source in base.sources if source.alias in needed}
    first = base.sources[0]
    text = f"SELECT {first.alias}.game_id AS stats_game"
    if "round" in base.columns:
        text += f", {first.alias}.round AS stats_round"
    text += "".join(f', {expression} AS "{name}"' for name, expression in chosen.items())
    text += f" FROM {first.text} AS {first.alias}"
    for source in list(joined.values())[1:]:
        text += f" JOIN {source.text} AS {source.alias} ON {source.on}"
    for source in beside:
        # Not every round has what is worked out beside it: a game without an end has no last round.
        text += f" LEFT JOIN {source.text} AS {source.alias} ON {source.on}"
    if base.filter:
        text += f" WHERE {base.filter}"
    tables = dict.fromkeys(table for source in (*joined.values(), *beside) for table in source.tables)
    return _Rows(f"stats_rows AS ({text})", tuple(tables))


def _counts(measure: Measure) -> list[_Count]:
    of = measure.of
    if measure.value is not None:
        only = f" FILTER (WHERE ({of}))" if of else ""
        value = f"({measure.value})"
        return [_Count(measure, None, f"count({value}){only}", f"coalesce(sum({value}){only}, 0)")]
    n = f"count_if(({of}))" if of else "count(*)"
    within = f"({of}) AND " if of else ""
    cells = measure.spread.cells if measure.spread else ((None, measure.counted),)
    return [_Count(measure, cell, n, f"count_if({within}({counted}))") for cell, counted in cells]
