"""The verb ``query``: a question in SQL about a data set."""

from __future__ import annotations

import sys
from contextlib import closing
from typing import Annotated, NoReturn

import typer

from tichu_cli.ending import end_at_once
from tichu_cli.naming import a_data_set
from tichu_cli.tabular import Format, row_limit, write_rows


def command(
    data: Annotated[
        str,
        typer.Argument(
            callback=a_data_set,
            metavar="DATA",
            help="A data set: a folder, or its URL, that 'tichu export' has written.",
            show_default=False,
        ),
    ],
    sql: Annotated[
        str,
        typer.Argument(metavar="SQL", help="One SELECT over its tables, or - for standard input.", show_default=False),
    ],
    output: Annotated[Format, typer.Option("--format", help="How to write the rows.")] = Format.TABLE,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="The most rows to write, 0 for all. Without it, a table has 100 rows, every other format all.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Answers a question in SQL about a data set: one SELECT, as DuckDB understands it.

    'tichu schema' lists the tables and columns. Sets of cards are numbers; these functions help: cards('S5 G5') is the
    number of a set, has(held, 'Dr') tells whether cards are in it, count_rank(held, 'A') counts a rank, bombs(held)
    counts bombs, card_text(held) writes it out, card_name(card) and rank_name(rank) write a single card and a rank.
    A question can only read, and nothing but the data set.

    Example: tichu query out "SELECT seat, count(*) AS hands, sum(bombs(held)) AS bombs FROM hands GROUP BY seat"
    """
    from tichu_analytics.tables.dataset import Dataset
    from tichu_analytics.tables.query import Asker

    statement = _read() if sql == "-" else sql
    if output is Format.CSV and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(newline="")  # the lines of CSV bring their own ends
    most = row_limit(output, limit)
    try:
        dataset = Dataset(data)
        with Asker({name: dataset.arrow_dataset(name) for name in dataset.tables}) as asker:
            try:
                with (
                    asker.ask(statement) as answer,
                    closing(answer.rows(limit=most + 1 if most else None)) as rows,
                ):
                    for remark in answer.remarks:
                        _say(remark)
                    write_rows(output, sys.stdout, sys.stderr, answer.columns, answer.numeric, rows, limit)
            except KeyboardInterrupt:
                # DuckDB may go on for a while, and the process would wait for it.
                asker.abandon()
                end_at_once()
    except ValueError as error:
        _fail(str(error))
    except ImportError as error:
        _fail(f"questions in SQL need {error.name or 'duckdb'}, which is not installed")


def _read() -> str:
    """The statement on standard input."""
    try:
        return sys.stdin.buffer.read().decode("utf-8-sig")
    except UnicodeDecodeError:
        _fail("the statement on standard input is not UTF-8")


def _say(message: str) -> None:
    from tichu_analytics.view.escape import for_terminal

    sys.stderr.write(f"tichu: {for_terminal(message)}\n")


def _fail(message: str) -> NoReturn:
    _say(message)
    raise typer.Exit(2)
