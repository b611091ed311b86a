"""What a report is made of: sections, what is shown in them, and the questions to the statistics behind each figure.

A plan says what is to be shown; it is data, and its figures come from :mod:`tichu_analytics.stats` alone. An answered
plan has the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats.registry import MORE_COLUMNS, Measure

if TYPE_CHECKING:
    from tichu_analytics.stats.outcome import Result, Row

#: The column of a table that tells apart several questions behind one figure.
WHOSE: Final = "whose"
#: What of a result is told besides the columns of the group.
FIGURES: Final = ("n", "k", "n_games", "estimate", "low", "high")


class Ask(NamedTuple):
    """A question to the statistics.

    Attributes:
        measures: names of measures.
        by: columns to group by.
        where: a condition of its own, beside that of the whole report.
        whose: what tells its rows from those of the other questions behind the same figure; empty for the only one.
        distribution: asks how the values of means are spread.
        rating: asks for the ratings of players instead; there are no measures then.
    """

    measures: tuple[str, ...]
    by: tuple[str, ...] = ()
    where: str = ""
    whose: str = ""
    distribution: bool = False
    rating: bool = False


class Plan(NamedTuple):
    """A figure with its table, as it is to be worked out.

    Attributes:
        key: its name in links and of its CSV file: small letters and hyphens.
        title: its heading.
        text: what it shows and how it is read.
        figure: how it is drawn, a name in :data:`tichu_analytics.report.drawing.DRAWN`; empty for a table alone.
        asks: the questions behind it.
        is_wide: it takes the whole width of a wide page.
        top: of players or pairs, so many are shown, those with the most games; 0 for all rows.
        odds: a subject of the exact odds that stand beside what was dealt; then there are no questions.
    """

    key: str
    title: str
    text: str
    figure: str = ""
    asks: tuple[Ask, ...] = ()
    is_wide: bool = False
    top: int = 0
    odds: tuple[str, int] | None = None


class SectionPlan(NamedTuple):
    """A section of a report.

    Attributes:
        key: its name in links.
        title: its heading.
        text: what it is about.
        plans: what is shown.
    """

    key: str
    title: str
    text: str
    plans: tuple[Plan, ...]


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: its name, as the statistics have it.
        title: how it is headed for readers.
        is_number: whether it holds numbers.
        is_name: whether it holds names of people, as logs have them.
        is_long: whether it holds sentences.
    """

    name: str
    title: str
    is_number: bool = False
    is_name: bool = False
    is_long: bool = False


class Cell(NamedTuple):
    """A value of a table.

    Attributes:
        value: the value, as the statistics have it.
        text: how it is shown.
    """

    value: Any
    text: str


class Table(NamedTuple):
    """The table behind a figure.

    Attributes:
        columns: its columns.
        rows: its rows, a value a column.
        command: how the same figures are had on the command line; several commands for several questions.
    """

    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Cell]]
    command: tuple[str, ...] = ()


class Answer(NamedTuple):
    """A question with its answer.

    Attributes:
        ask: the question, with the condition of the whole report in it.
        result: the answer; None if it cannot be had.
        refusal: why not.
        rows: the rows that are shown.
    """

    ask: Ask
    result: Result | None
    refusal: str = ""
    rows: tuple[Row, ...] = ()


class Definition(NamedTuple):
    """What a measure tells.

    Attributes:
        measure: the measure.
        label: its name for readers.
        also: measures that tell the same of everybody.
    """

    measure: Measure
    label: str
    also: tuple[str, ...] = ()


class Shown(NamedTuple):
    """What is shown under a heading: a figure with what has to be said of it, and the table behind it.

    Attributes:
        plan: what it was to be.
        svg: the figure; empty without one.
        lead: the most important numbers, in a sentence.
        definitions: what its measures tell.
        notes: what else is to be said: rows that are missing, the number of comparisons.
        table: the table; None if there is nothing to be counted.
        nothing: why there is nothing to be seen; empty if there is something.
        csv: the columns and rows of the CSV file, with every row and digit.
    """

    plan: Plan
    svg: str
    lead: str
    definitions: tuple[Definition, ...]
    notes: tuple[str, ...]
    table: Table | None
    nothing: str = ""
    csv: tuple[tuple[str, ...], list[list[Any]]] = ((), [])


class Section(NamedTuple):
    """A section of a report that is worked out."""

    key: str
    title: str
    text: str
    shown: tuple[Shown, ...]


#: Columns that are no groups.
NO_GROUPS: Final = frozenset({"measure", "population", *FIGURES, "unit", *MORE_COLUMNS, WHOSE})
