"""``tichu schema``: the tables of a data set and their columns."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_cli.listing import is_terminal, print_table

if TYPE_CHECKING:
    from tichu_analytics.tables.schema import Table


class Format(enum.StrEnum):
    """What the tables are described in."""

    TABLE = "table"
    JSON = "json"
    MARKDOWN = "markdown"


def command(
    table: Annotated[
        str | None,
        typer.Argument(metavar="[TABLE]", help="A table, such as hands; none for an overview of all."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TABLE,
) -> None:
    """List the tables that an export writes, or the columns of one of them with type, values and meaning.

    Example: tichu schema hands
    """
    from tichu_analytics.tables.describe import find_table

    if table is None:
        _print_all(output)
        return
    try:
        found = find_table(table)
    except ValueError as error:
        typer.echo(f"tichu: {error}", err=True)
        raise typer.Exit(2) from None
    _print_one(found, output)


def _print_all(output: Format) -> None:
    """An overview of the tables; as JSON and Markdown all of their columns too."""
    from tichu_analytics.tables.describe import HOLDS, as_markdown, table_as_dict
    from tichu_analytics.tables.schema import TABLES

    if output is Format.JSON:
        _print_json([table_as_dict(table) for table in TABLES.values()])
    elif output is Format.MARKDOWN:
        typer.echo(as_markdown(), nl=False)
    else:
        rows = [(table.name, str(len(table.columns)), table.row, HOLDS[table.holds]) for table in TABLES.values()]
        _print_table(("table", "columns", "a row is", "there are rows for"), rows)
        typer.echo("\n'tichu schema TABLE' shows the columns of a table.")


def _print_one(table: Table, output: Format) -> None:
    """One table with all its columns."""
    from tichu_analytics.tables.describe import (
        arrow_type,
        meaning_text,
        table_as_dict,
        table_as_markdown,
        table_sentence,
        values_text,
    )

    if output is Format.JSON:
        _print_json(table_as_dict(table))
    elif output is Format.MARKDOWN:
        typer.echo(table_as_markdown(table), nl=False)
    else:
        typer.echo(f"{table.name}: {table_sentence(table)}\n")
        rows = [
            (
                column.name,
                arrow_type(column),
                "null" if column.nullable else "",
                values_text(column),
                meaning_text(column),
            )
            for column in table.columns
        ]
        if _is_terminal():  # columns less leave more room for the text
            rows_there = [
                (name, f"{type_}{null and ' or null'}: {values}", text) for name, type_, null, values, text in rows
            ]
            _print_table(("column", "type and values", "meaning"), rows_there)
        else:
            _print_table(("column", "type", "null?", "values", "meaning"), rows)


def _print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print_table("", head, rows, wrap=_is_terminal())


def _is_terminal() -> bool:
    return is_terminal()


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
