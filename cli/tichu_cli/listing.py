"""Lists for reading: a table that wraps on a terminal, and aligned columns, one row a line, where output is piped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import typer

#: On a narrower terminal, tables lose their columns; plain lines can be read all the same.
_NARROWEST: Final = 60


def is_terminal() -> bool:
    """Whether output goes to a terminal that is wide enough for tables."""
    import sys

    return sys.stdout.isatty() and terminal_width() >= _NARROWEST


def terminal_width() -> int:
    """The width of the terminal."""
    from rich.console import Console

    return Console().width


def widths(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column."""
    return [max(map(len, column)) for column in zip(head, *rows, strict=True)]


def print_table(heading: str, head: Sequence[str], rows: Sequence[Sequence[str]], *, wrap: bool) -> None:
    """Prints a table.

    Args:
        heading: stands above it; an empty text for none.
        head: the titles of the columns.
        rows: the rows, each with a text a column.
        wrap: within the width of the terminal; else aligned columns of any width.
    """
    if wrap:
        from rich import box
        from rich.console import Console
        from rich.table import Table
        from rich.text import Text

        table = Table(title=heading or None, title_justify="left", box=box.SIMPLE_HEAD)
        for number, column in enumerate(head):
            table.add_column(column, overflow="fold", no_wrap=number == 0)
        for row in rows:
            table.add_row(*map(Text, row))
        Console().print(table)
        return
    if heading:
        typer.echo(heading)
    wide = widths(head, rows)
    for row in (head, *rows):
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, wide, strict=True)).rstrip())
