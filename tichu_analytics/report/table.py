"""The table behind a figure: for readers with words and rounded numbers, for CSV as the statistics have it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from tichu_analytics.report.model import FIGURES, NO_GROUPS, WHOSE, Answer, Cell, Column, Table
from tichu_analytics.report.words import count, figure_cell, label, title, value_words
from tichu_analytics.stats.outcome import Row
from tichu_analytics.stats.ranking import PLAYER
from tichu_analytics.stats.registry import COLUMNS, RATING, SHRUNK, SPREAD

#: Further columns that a page has room for; a CSV file has all.
_MORE: Final = (*SHRUNK, *RATING, *SPREAD)
#: Columns that hold names.
_NAMES: Final = (PLAYER, "partner", WHOSE)


def result_table(answers: Sequence[Answer], commands: tuple[str, ...]) -> Table:
    """The rows of all answers as a table for readers.

    Args:
        answers: the answers; where there are several, the first column tells them apart.
        commands: how the same rows are had on the command line.
    """
    rows = [(answer.ask.whose, row) for answer in answers for row in answer.rows]
    has_whose = any(whose for whose, _ in rows)
    has_measures = len({row.measure.name for _, row in rows}) > 1
    groups = list(dict.fromkeys(name for _, row in rows for name in row.groups if name not in NO_GROUPS))
    if has_whose and len({row.groups[PLAYER] for _, row in rows if PLAYER in row.groups}) == 1:
        # The player whom the whole table is about; rows of everybody have none.
        groups.remove(PLAYER)
    more = [name for name in _MORE if any(name in row.more for _, row in rows) and not (has_whose and name in SHRUNK)]
    columns = [Column(WHOSE, title(WHOSE), is_name=True)] if has_whose else []
    if has_measures:
        columns.append(Column("measure", "measure"))
    columns += [Column(name, title(name), is_name=name in _NAMES) for name in groups]
    columns += [Column(name, title(name), is_number=True) for name in (*FIGURES, *more)]
    cells = []
    for whose, row in rows:
        values = row.values()
        line = [Cell(whose, value_words(WHOSE, whose))] if has_whose else []
        if has_measures:
            line.append(Cell(row.measure.name, label(row.measure.name)))
        line += [Cell(values.get(name), value_words(name, values[name]) if name in values else "") for name in groups]
        line += [figure_cell(name, values[name], _unit(row, name)) for name in FIGURES]
        line += [figure_cell(name, values.get(name), _unit(row, name)) for name in more]
        cells.append(line)
    return Table(tuple(columns), cells, commands)


def _unit(row: Row, name: str) -> str:
    return "rating" if name in RATING else row.measure.unit


def csv_rows(answers: Sequence[Answer]) -> tuple[tuple[str, ...], list[list[Any]]]:
    """The rows of all answers with the columns of ``tichu stats --format csv``."""
    rows = [(answer.ask.whose, row.values()) for answer in answers for row in answer.rows]
    names = list(dict.fromkeys([*COLUMNS, *(name for _, values in rows for name in values)]))
    if any(whose for whose, _ in rows):
        return (WHOSE, *names), [[whose, *map(values.get, names)] for whose, values in rows]
    return tuple(names), [list(map(values.get, names)) for _, values in rows]


def plain_table(columns: Sequence[Column], rows: Sequence[Sequence[Any]], command: tuple[str, ...] = ()) -> Table:
    """A table of values that are shown as they are."""
    shown = [
        [Cell(value, count(value) if isinstance(value, int) else "" if value is None else str(value)) for value in row]
        for row in rows
    ]
    return Table(tuple(columns), shown, command)
