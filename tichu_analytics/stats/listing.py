"""Measures and columns in words: what ``tichu stats --list`` and docs/statistics.md say, from the declarations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tichu_analytics.stats.bases import BASES, INNER
from tichu_analytics.stats.groupings import DERIVED, derived_of
from tichu_analytics.stats.registry import Measure, measures, subjects
from tichu_analytics.tables.schema import TABLES

#: The columns of the list of measures.
HEAD: Final = ("measure", "unit", "of", "what it tells", "may be grouped by")


def measure_row(measure: Measure) -> tuple[str, str, str, str, str]:
    """A measure as a row under :data:`HEAD`; by which columns it is grouped in any case stands first.

    What is on request is worked out only where the measure is named, or its own column.
    """
    always = [f"always {' and '.join(measure.columns)}"] if measure.columns else []
    if measure.on_request:
        always.append("on request")
    by = "; ".join([*always, *filter(None, [", ".join(measure.by)])])
    return measure.name, measure.unit, measure.population, measure.sentence, by


def measure_rows(subject: str | None = None) -> list[tuple[str, str, str, str, str]]:
    """All measures, or those of a subject, as rows under :data:`HEAD`."""
    return [measure_row(one) for one in measures().values() if subject in (None, one.subject)]


def derived_rows() -> list[tuple[str, str, str]]:
    """The columns that are worked out, each with the bases that have it and what it tells."""
    rows = []
    for name in dict.fromkeys(one.name for one in DERIVED):
        of = [base for base in BASES.values() if name in derived_of(base) and base.name not in INNER]
        rows.append(
            (name, ", ".join(base.name for base in of), next(one.meaning for one in DERIVED if one.name == name))
        )
    return rows


def base_rows() -> list[tuple[str, str, str]]:
    """The bases of measures: name, what a row is, and the tables whose columns it has."""
    rows = []
    for base in BASES.values():
        if base.name not in INNER:
            of = [source.alias for source in base.sources if source.alias in TABLES]
            more = [name for name, (alias, _) in base.columns.items() if alias not in TABLES]
            rows.append((base.name, base.row, ", ".join(of) + (f"; and {', '.join(more)}" if more else "")))
    return rows


def as_markdown() -> str:
    """All of it as sections of a page."""
    parts = ["## Measures"]
    for subject in subjects():
        parts += [f"### {subject}", markdown_table(HEAD, measure_rows(subject), code=(0,))]
    parts += [
        "## Columns to group by",
        "Any column of these tables can stand behind `--by`, in `--where` and in a measure of one's own:",
        markdown_table(("measures that go over", "a row is", "columns of the tables"), base_rows(), code=(0,)),
        "And these, which are worked out:",
        markdown_table(("column", "for measures that go over", "what it tells"), derived_rows(), code=(0,)),
    ]
    return "\n\n".join(parts) + "\n"


def markdown_table(head: Sequence[str], rows: Sequence[Sequence[str]], *, code: Sequence[int] = ()) -> str:
    """A Markdown table; the columns with the numbers in ``code`` are names."""
    lines = [f"| {' | '.join(head)} |", f"|{'---|' * len(head)}"]
    for row in rows:
        cells = [f"`{cell}`" if index in code else cell.replace("|", "\\|") for index, cell in enumerate(row)]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
