"""How rows with named columns are written: as a table for people, as CSV, as JSON Lines, as a Markdown table."""

from __future__ import annotations

import enum
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import islice
from types import NoneType
from typing import Any, Final, TextIO

from tichu_analytics.tables.values import unique_names, value_json, value_text
from tichu_analytics.view.columns import cell_width, fit, fit_right
from tichu_analytics.view.escape import for_markdown, for_terminal


class Format(enum.StrEnum):
    """What rows are written as."""

    TABLE = "table"
    CSV = "csv"
    JSON = "json"
    MARKDOWN = "markdown"


#: The most rows of a table where nothing else is asked for; the other formats write all.
TABLE_ROWS: Final = 100

#: What stands for null in tables; in CSV it is an empty field.
NULL: Final = "-"

#: What a spreadsheet would take for the beginning of a formula, in wide letters too.
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", "\uff0b", "\uff0d", "\uff20")
_QUOTED: Final = re.compile(r'[",\r\n]|^\s|\s$')
#: Texts whose form in CSV or JSON is kept.
_TEXTS_KEPT: Final = 10_000
#: A terminal that is narrower than this gets plain lines.
_NARROWEST: Final = 60
#: As narrow as a column may get by wrapping before each row is written as a list of its own.
_LEAST_WIDTH: Final = 12


def row_limit(form: Format, limit: int | None) -> int:
    """The most rows that are written, 0 for all; without a limit, 100 of a table, and all in the other formats."""
    if limit is not None:
        return limit
    return TABLE_ROWS if form is Format.TABLE else 0


def write_rows(
    form: Format,
    out: TextIO,
    remarks: TextIO,
    columns: Sequence[str],
    numeric: Sequence[bool],
    rows: Iterable[Sequence[Any]],
    limit: int | None = None,
) -> None:
    """Writes rows; CSV and JSON row by row as they come.

    Args:
        form: the format.
        out: where the rows go.
        remarks: where it is said that rows were left out.
        columns: the names of the columns. In JSON, where a name can stand once only, the second ``n`` becomes ``n_2``.
        numeric: which columns hold numbers; they stand at the right in tables.
        rows: the rows, each with a value a column: None, bool, int, float, Decimal, text, or a list of such.
        limit: the most rows to write, see :func:`row_limit`.
    """
    limit = row_limit(form, limit)
    shown = _Limited(rows, limit)
    if form is Format.CSV:
        _write_csv(out, columns, shown)
    elif form is Format.JSON:
        _write_json(out, columns, shown)
    elif form is Format.MARKDOWN:
        _write_markdown(out, columns, numeric, shown)
    else:
        _write_table(out, columns, numeric, list(shown))
    if shown.left_out:
        remarks.write(f"only the first {limit} rows are written; --limit 0 writes all\n")


class _Limited:
    """The first rows of many.

    Attributes:
        left_out: whether there are more; known when all are taken.
    """

    def __init__(self, rows: Iterable[Sequence[Any]], limit: int) -> None:
        self._rows = iter(rows)
        self._limit = limit
        self.left_out = False

    def __iter__(self) -> Iterator[Sequence[Any]]:
        if self._limit == 0:
            yield from self._rows
            return
        yield from islice(self._rows, self._limit)
        self.left_out = next(self._rows, None) is not None


def _write_csv(out: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """CSV as in RFC 4180: commas, quotation marks doubled, lines ending in CR LF; null is an empty field, an empty
    text a quoted one. A text that a spreadsheet would take for a formula gets an apostrophe in front.
    """
    visible = out.isatty()
    out.write(",".join(_csv_text(name, visible=visible) for name in columns) + "\r\n")
    field = partial(_csv_field, visible=visible)
    # Most values are of these types, and the same texts come again and again.
    fields: dict[type, Callable[[Any], str]] = {
        int: str,
        NoneType: lambda _: "",
        bool: value_text,
        str: lru_cache(_TEXTS_KEPT)(field),
    }
    for row in rows:
        out.write(",".join([fields.get(type(value), field)(value) for value in row]) + "\r\n")


def _csv_field(value: Any, *, visible: bool) -> str:
    if value is None:
        return ""
    if isinstance(value, (bool, int, float)):
        return value_text(value)
    # Decimals are numbers as well, and a list begins with a bracket.
    text = value_text(value)
    return _csv_text(text, visible=visible) if isinstance(value, (str, list, tuple)) else text


def _csv_text(text: str, *, visible: bool) -> str:
    if text.startswith(_FORMULA):
        text = f"'{text}"
    if visible:
        text = for_terminal(text)
    if not text or _QUOTED.search(text) or not text.isprintable():
        doubled = text.replace('"', '""')
        return f'"{doubled}"'
    return text


def _write_json(out: TextIO, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """JSON Lines in ASCII: an object a row; NaN and infinity are null."""
    keys = [f"{value_json(name)}: " for name in unique_names(columns)]
    fields: dict[type, Callable[[Any], str]] = {
        int: str,
        NoneType: lambda _: "null",
        bool: value_text,
        str: lru_cache(_TEXTS_KEPT)(value_json),
    }
    for row in rows:
        values = [key + fields.get(type(value), value_json)(value) for key, value in zip(keys, row, strict=True)]
        out.write(f"{{{', '.join(values)}}}\n")


def _write_markdown(
    out: TextIO, columns: Sequence[str], numeric: Sequence[bool], rows: Iterable[Sequence[Any]]
) -> None:
    """A table of GitHub's Markdown that renders as the text that it is."""
    out.write(f"| {' | '.join(map(for_markdown, columns))} |\n")
    out.write(f"| {' | '.join('---:' if number else '---' for number in numeric)} |\n")
    for row in rows:
        cells = (
            value_text(value) if number and value is not None else for_markdown(_cell(value))
            for value, number in zip(row, numeric, strict=True)
        )
        out.write(f"| {' | '.join(cells)} |\n")


def _cell(value: Any) -> str:
    return NULL if value is None else value_text(value)


def _write_table(out: TextIO, columns: Sequence[str], numeric: Sequence[bool], rows: list[Sequence[Any]]) -> None:
    """A table that fits a terminal; anywhere else, aligned columns of any width, one row a line."""
    head = [for_terminal(name) for name in columns]
    cells = [[for_terminal(_cell(value)) for value in row] for row in rows]
    widths = [max(map(cell_width, column)) for column in zip(head, *cells, strict=True)]
    width = _terminal_width(out)
    if width < _NARROWEST:
        for line in (head, *cells):
            fitted = (
                fit_right(cell, wide) if number else fit(cell, wide)
                for cell, wide, number in zip(line, widths, numeric, strict=True)
            )
            out.write("  ".join(fitted).rstrip() + "\n")
    elif sum(min(wide, _LEAST_WIDTH) + 2 for wide in widths) > width:
        _write_records(out, head, cells)
    else:
        _write_rich(out, head, numeric, cells)


def _write_records(out: TextIO, head: list[str], cells: list[list[str]]) -> None:
    """Each row as a list of names and values, for more columns than a terminal can show side by side."""
    name_width = max(map(cell_width, head))
    for number, row in enumerate(cells, 1):
        out.write(f"-- row {number}\n")
        for name, cell in zip(head, row, strict=True):
            out.write(f"{fit(name, name_width)}  {cell}\n")
    if not cells:
        out.write(f"{', '.join(head)}: no rows\n")


def _write_rich(out: TextIO, head: list[str], numeric: Sequence[bool], cells: list[list[str]]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for name, number in zip(head, numeric, strict=True):
        table.add_column(Text(name), justify="right" if number else "left", overflow="fold")
    for row in cells:
        table.add_row(*map(Text, row))
    Console(file=out).print(table)


def _terminal_width(out: TextIO) -> int:
    """The width of the terminal that is written to; 0 if it is none."""
    if not out.isatty():
        return 0
    from shutil import get_terminal_size

    return get_terminal_size().columns if os.environ.get("TERM") != "dumb" else 0
