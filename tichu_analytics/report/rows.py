"""What figures draw, read out of the data frames of :mod:`tichu_analytics.stats` into plain numbers and words."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tichu_analytics.report.labels import counted, measure_label, missing, number, percent, value_label

if TYPE_CHECKING:
    import pandas as pd

#: The unit of a rate, and that of a rating.
RATE: Final = "proportion"
RATING: Final = "rating"
#: A column that may be added to a frame: what is drawn beside the estimate.
BESIDE: Final = "beside"


@dataclass(frozen=True)
class Row:
    """A row of a frame.

    Attributes:
        measure: name of the measure.
        population: what ``n`` counts.
        unit: ``proportion`` for a rate.
        n: how many there are.
        k: how many of them count, or the sum of a mean.
        estimate, low, high: the figure and its interval; None where there is none.
        groups: the columns of the groups with their values.
        more: further columns (quantiles, shrunk estimates, what stands beside) that have a number.
    """

    measure: str
    population: str
    unit: str
    n: int
    k: float
    estimate: float | None
    low: float | None
    high: float | None
    groups: dict[str, Any] = field(default_factory=dict)
    more: dict[str, float] = field(default_factory=dict)

    @property
    def has_interval(self) -> bool:
        """Whether both ends of the interval are known."""
        return self.low is not None and self.high is not None

    def group_label(self) -> str:
        """The groups in words; empty without any."""
        return ", ".join(value_label(column, value) for column, value in self.groups.items())

    def written(self, value: float, size: float | None = None) -> str:
        """A value in the unit of the row; a mean with the digits that values of some size have."""
        return percent(value) if self.unit == RATE else number(value, size)


def read(frame: pd.DataFrame) -> list[Row]:
    """Reads a frame.

    Args:
        frame: of :func:`tichu_analytics.stats.compute` or :func:`~tichu_analytics.stats.rating`; columns that are
            missing are taken as not known, so that an empty frame without any columns can be read as well.
    """
    from tichu_analytics.stats.registry import COLUMNS, MORE_COLUMNS

    columns = [str(name) for name in frame.columns]
    further = [name for name in columns if name in (*MORE_COLUMNS, BESIDE)]
    groups = [name for name in columns if name not in COLUMNS and name not in further]
    if not {"measure", "estimate"} <= set(columns):
        return []
    found = []
    for values in zip(*(frame[name].tolist() for name in columns), strict=True):
        cells = dict(zip(columns, values, strict=True))
        more = {name: value for name in further if (value := _number(cells[name])) is not None}
        found.append(
            Row(
                str(cells["measure"]),
                str(cells.get("population", "")),
                str(cells.get("unit", RATE)),
                int(_number(cells.get("n")) or 0),
                _number(cells.get("k")) or 0.0,
                _number(cells["estimate"]),
                _number(cells.get("low")),
                _number(cells.get("high")),
                {name: cells[name] for name in groups},
                more,
            )
        )
    return found


def _number(value: Any) -> float | None:
    """A finite number, or None."""
    if missing(value):
        return None
    try:
        found = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def of_measures(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Rows by their measure, in the order in which they come."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.measure, []).append(row)
    return found


def limited(rows: Sequence[Row], limit: int) -> tuple[list[Row], str]:
    """The first rows up to a limit, with a remark on the others; empty if there are none."""
    left = len(rows) - limit
    if left <= 0:
        return list(rows), ""
    return list(rows[:limit]), f"{counted(left)} more {'row is' if left == 1 else 'rows are'} not drawn."


def in_words(rows: Sequence[Row], labels: Mapping[str, str] | None = None) -> str:
    """Rows as sentences, for those who do not see them: all if they are few, else the highest and the lowest."""
    said = []
    for measure, group in of_measures(row for row in rows if row.estimate is not None).items():
        name = measure_label(measure, labels)
        if len(group) == 1:
            said.append(f"{_of(group[0], name)}.")
        elif len(group) <= 6:
            said.append(f"{name}: {'; '.join(_of(row, row.group_label()) for row in group)}.")
        else:
            highest = max(group, key=lambda row: row.estimate or 0.0)
            lowest = min(group, key=lambda row: row.estimate or 0.0)
            said.append(
                f"{name}, {len(group)} groups: highest {_of(highest, highest.group_label())}; "
                f"lowest {_of(lowest, lowest.group_label())}."
            )
    return " ".join(said)


def _of(row: Row, name: str) -> str:
    if row.estimate is None:
        return f"{name} not known"
    label = f"{name} {row.written(row.estimate)}".strip()
    span = (
        f", {row.written(row.low)} to {row.written(row.high)}" if row.low is not None and row.high is not None else ""
    )
    return f"{label} (n {counted(row.n)}{span})"
