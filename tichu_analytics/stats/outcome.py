"""What comes out of statistics: the lines of a result, which rounds they rest on, and what has to be said of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats.intervals import Difference, Estimate, Sums
from tichu_analytics.stats.registry import COLUMNS, CONTRAST, DIFFERENCE_COLUMNS, FLOATS, Measure

if TYPE_CHECKING:
    import pandas as pd

_COUNTS: Final = ("n", "k", "other_n", "other_k", "n_games", *CONTRAST[2:])
_FIGURES: Final = ("estimate", "difference", "low", "high", "p", "p_holm", *FLOATS)
#: Types of DuckDB that a column of groups may have, with those of a data frame.
_TYPES: Final = {
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "Int64"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "Float64"),
    "BOOLEAN": "boolean",
    "VARCHAR": "string",
}


class Row(NamedTuple):
    """A line of a result.

    Attributes:
        measure: its measure.
        groups: the columns that tell the group, with their values.
        sums: the sums over its games.
        estimate: the estimate and its interval.
        more: further columns of the result, of :data:`tichu_analytics.stats.registry.MORE_COLUMNS`.
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
        of = "1 round is" if self.read == 1 else f"{self.read:,} rounds are"
        text = f"{self.kept:,} of {of} counted"
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
        columns: the columns that every line has, before those of its groups.
        further: all other columns in their order: those of groups, and of what else is told of each; a data frame has
            them even without a row.
        types: those of them of which it is known, whatever rows there are, with their types in a data frame.
    """

    rows: Sequence[Row | Pair]
    rounds: Rounds
    remarks: tuple[str, ...]
    columns: tuple[str, ...] = COLUMNS
    further: tuple[str, ...] = ()
    types: Mapping[str, Any] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """All columns, in one order whether a row has something in them or not."""
        return tuple(dict.fromkeys((*self.columns, *self.further)))

    def to_pandas(self) -> pd.DataFrame:
        """The rows as a data frame; ``attrs`` has ``rounds`` and ``remarks``."""
        import pandas as pd

        values = [row.values() for row in self.rows]
        names = self.names
        frame = pd.DataFrame({name: pd.Series([row.get(name) for row in values], dtype=object) for name in names})
        for name in names:
            if name in _COUNTS:
                frame[name] = frame[name].astype("Int64")
            elif name in _FIGURES:
                frame[name] = frame[name].astype("float64")
            elif name in self.types:
                frame[name] = frame[name].astype(self.types[name])
            elif name not in self.columns:
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


def type_in_frame(types: Iterable[str]) -> str:
    """The type in a data frame of a column that has these types in DuckDB, one for each population that has it.

    Numbers go together; numbers and words in one column are objects.
    """
    found = {_TYPES.get(one, "string" if one.startswith("ENUM") else "object") for one in types}
    if found == {"Int64", "Float64"}:
        return "Float64"
    return found.pop() if len(found) == 1 else "object"
