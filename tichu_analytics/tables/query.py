"""Questions in SQL about a data set: a DuckDB connection behind walls, and what it answers.

A question is one SELECT that reads the tables of the data set and nothing else. What holds that, from the outside in:

1. :mod:`tichu_analytics.tables.walls` lets only statements through of which every part is on a list.
2. DuckDB may not touch files, the network, or extensions, sees no Python variables, and its settings are locked. The
   tables are Arrow data sets that are handed over, so that it needs no folder. The one folder that it may use is for
   what does not fit into memory: it is made for this connection, nobody else may enter it, and it is removed at the
   end. (DuckDB's own choice would be ``.tmp`` in the current folder.)
3. Each answer is worked out on a connection of its own, within a transaction that can only read.

The card functions (cards.sql) are there in every question.
"""

from __future__ import annotations

import shutil
import tempfile
import threading
import weakref
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import closing, suppress
from html import escape
from importlib.resources import files
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tichu_analytics.tables.values import as_arrow, as_rows, is_number, narrowed, nullable_frame, value_text
from tichu_analytics.tables.walls import QueryFailed, QueryRefused, Walls, failure
from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa
    import pyarrow.dataset as ds
    from duckdb import DuckDBPyConnection

__all__ = ["Answer", "Asker", "QueryFailed", "QueryRefused", "macros"]

Result = TypeVar("Result")

_BATCH: Final = 10_000
_SHOWN: Final = 20
_SETTINGS: Final[dict[str, bool]] = {
    "enable_external_access": False,
    "python_enable_replacements": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "allow_community_extensions": False,
}


def macros() -> str:
    """The SQL text that makes the card functions (``cards``, ``has``, ``bombs``...) in any DuckDB."""
    return files(__package__).joinpath("cards.sql").read_text(encoding="utf-8")


class Asker:
    """Answers questions in SQL about tables; to be closed, or used with ``with``.

    Attributes:
        tables: the names of the tables.
    """

    def __init__(self, tables: Mapping[str, ds.Dataset]) -> None:
        """Opens a connection on tables.

        Args:
            tables: the tables by name.

        Raises:
            ImportError: if DuckDB is not installed.
        """
        import duckdb

        self.tables: Final = tuple(tables)
        self._sources = dict(tables)
        # Made with rights for the user alone; the folder below it is DuckDB's to make and to remove.
        folder = tempfile.mkdtemp(prefix="tichu-query-")
        self._end = weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        settings: dict[str, Any] = {**_SETTINGS, "temp_directory": str(Path(folder) / "spill")}
        try:
            self._connection = duckdb.connect(":memory:", config=settings)
            self._connection.execute(macros())
            self._connection.execute("SET lock_configuration = true")
            own = self._connection.execute(
                "SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal AND function_type = 'macro'"
            ).fetchall()
        except Exception as error:
            self._end()
            failure(error)  # which raises KeyboardInterrupt if it was that
            raise
        except BaseException:
            self._end()
            raise
        self._walls = Walls(self._connection, self.tables, [name for (name,) in own])

    def ask(self, sql: str) -> Answer:
        """Checks a question and returns its answer, which is worked out when it is read.

        Args:
            sql: one SELECT over the tables; DESCRIBE, SUMMARIZE and SHOW TABLES are possible as well.

        Raises:
            QueryRefused: if it is not exactly one SELECT, or asks for what is not allowed.
            QueryFailed: if DuckDB cannot answer it: wrong syntax, no such column, and the like. Mistakes that depend
                on the rows show when the answer is read.
        """
        body = self._walls.statement(sql)
        return Answer(self, body, tuple(self._walls.remarks(sql)))

    def check_where(self, table: str, expression: str) -> str:
        """Checks a condition on the rows of a table, and returns it as it can be put into brackets behind WHERE.

        Args:
            table: the name of the table.
            expression: one expression that is true or false, such as ``has(held, 'Dr') and seat = 0``; it may have
                subqueries over the tables.

        Raises:
            QueryRefused: if it is not a single expression, is neither true nor false, or asks for what is not allowed.
            QueryFailed: if DuckDB cannot work it out.
        """
        name = self._walls.table(table)
        condition = self._walls.condition(expression)
        with Answer(self, f'SELECT ({condition}) FROM "{name}"') as asked:
            wrong = [type_ for type_ in asked.types if type_ not in ("BOOLEAN", '"NULL"')]
        if wrong:
            raise QueryRefused(f"the condition is of type {wrong[0]}, neither true nor false")
        Answer(self, _where(name, condition)).close()
        return condition

    def condition(self, expression: str) -> str:
        """Checks that a text is one expression that may be asked, and returns it as it can be put into brackets.

        Unlike :meth:`check_where` it does not look at the columns: whatever is built with it goes through :meth:`ask`.

        Raises:
            QueryRefused: if it is not a single expression, or asks for what is not allowed.
        """
        return self._walls.condition(expression)

    def filtered(self, table: str, where: str) -> Answer:
        """The rows of a table for which a condition holds, see :meth:`check_where`."""
        condition = self.check_where(table, where)
        return Answer(self, self._walls.statement(_where(self._walls.table(table), condition)))

    def close(self) -> None:
        """Ends the connection; nothing can be asked any more."""
        with suppress(Exception):  # a query that does not listen keeps it busy
            self._connection.close()
        self._end()

    def abandon(self) -> None:
        """Removes what lies on the disk, for a process that ends at once while DuckDB is still at work."""
        self._end()

    def __enter__(self) -> Asker:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _cursor(self) -> DuckDBPyConnection:
        """A connection of its own on the tables, in a transaction that can only read."""
        try:
            with self._walls.lock:
                cursor = self._connection.cursor()
            for name, source in self._sources.items():
                cursor.register(name, source)
            cursor.execute("BEGIN TRANSACTION READ ONLY")
        except Exception as error:
            raise failure(error) from None
        return cursor


class Answer:
    """The answer to a question; each reading works it out anew, so that nothing is kept in memory.

    Attributes:
        columns: the names of its columns; a name may stand twice.
        types: their types as DuckDB names them.
        remarks: what is worth a word about the question: a text that a column never has.
    """

    def __init__(self, asker: Asker, body: str, remarks: tuple[str, ...] = ()) -> None:
        """Prepares the answer to a statement that has been checked.

        Raises:
            QueryFailed: if DuckDB cannot answer it.
        """
        self._asker = asker
        self._body = body
        self.remarks: Final = remarks
        self._open: set[DuckDBPyConnection] = set()
        cursor = self._cursor()
        try:
            described = _run(cursor, lambda: cursor.execute(f"DESCRIBE (\n{body}\n)").fetchall())
        finally:
            self._done(cursor)
        self.columns: Final[tuple[str, ...]] = tuple(row[0] for row in described)
        self.types: Final[tuple[str, ...]] = tuple(row[1] for row in described)

    @property
    def numeric(self) -> tuple[bool, ...]:
        """Which columns hold numbers."""
        return tuple(map(is_number, self.types))

    def batches(self, size: int = _BATCH, *, limit: int | None = None) -> Generator[list[tuple[Any, ...]], None, None]:
        """The rows in lists of at most ``size``, as they come.

        Truth values, numbers, texts and lists of them are Python values; dates, times, structures and rarer types are
        the text that DuckDB writes for them.

        Args:
            size: the most rows in a list.
            limit: the most rows in all; None for all.

        Raises:
            QueryFailed: if DuckDB cannot go on.
        """
        cursor = self._cursor()
        try:
            statement = self._statement(as_rows(self.types), limit)
            _run(cursor, lambda: cursor.execute(statement))
            while rows := _run(cursor, lambda: cursor.fetchmany(size)):
                yield rows
        finally:
            self._done(cursor)

    def rows(self, *, limit: int | None = None) -> Generator[tuple[Any, ...], None, None]:
        """The rows one by one, as in :meth:`batches`."""
        with closing(self.batches(limit=limit)) as batches:
            for rows in batches:
                yield from rows

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return self.rows()

    def to_arrow(self) -> pa.Table:
        """The whole answer as an Arrow table.

        Sums of whole numbers, 128 bits wide in DuckDB, are ``int64`` where they fit and ``decimal128(38, 0)`` else.

        Raises:
            QueryFailed: if DuckDB cannot go on.
        """
        cursor = self._cursor()
        try:
            statement = self._statement(as_arrow(self.types), None)

            # A relation: Arrow tables from an executed statement are copied once more.
            table = _run(cursor, lambda: cursor.sql(statement).to_arrow_table())
            return narrowed(table, self.columns, self.types)
        finally:
            self._done(cursor)

    def to_pandas(self) -> pd.DataFrame:
        """The whole answer as a data frame with nullable integers and truth values, never floats for integers."""
        return nullable_frame(self.to_arrow())

    def fetchall(self) -> list[tuple[Any, ...]]:
        """All rows, under the name that DuckDB has for it."""
        return list(self.rows())

    def df(self) -> pd.DataFrame:
        """The whole answer as a data frame, under the name that DuckDB has for it; see :meth:`to_pandas`."""
        return self.to_pandas()

    def close(self) -> None:
        """Ends what is being read."""
        for cursor in list(self._open):
            self._done(cursor)

    def __enter__(self) -> Answer:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        columns = ", ".join(f"{name} {type_}" for name, type_ in zip(self.columns, self.types, strict=True))
        return for_terminal(f"Answer({columns})")

    def _repr_html_(self) -> str:
        """The first rows as a table for a notebook."""
        rows = list(self.rows(limit=_SHOWN + 1))
        head = "".join(f"<th>{_html(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>"
            + "".join(
                f'<td style="text-align: {"right" if number else "left"}">{_html(value_text(value))}</td>'
                for value, number in zip(row, self.numeric, strict=True)
            )
            + "</tr>"
            for row in rows[:_SHOWN]
        )
        more = f"<p>The first {_SHOWN} rows.</p>" if len(rows) > _SHOWN else ""
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}"

    def _statement(self, chosen: list[str], limit: int | None) -> str:
        """What is run for the answer: the question, with columns as text where that is asked for."""
        if limit is None and all(item.startswith("#") for item in chosen):
            return self._body
        end = "" if limit is None else f" LIMIT {int(limit)}"
        return f"SELECT {', '.join(chosen)} FROM (\n{self._body}\n){end}"

    def _cursor(self) -> DuckDBPyConnection:
        cursor = self._asker._cursor()
        self._open.add(cursor)
        return cursor

    def _done(self, cursor: DuckDBPyConnection) -> None:
        self._open.discard(cursor)
        with suppress(Exception):
            cursor.close()


def _where(table: str, condition: str) -> str:
    return f'SELECT * FROM "{table}" WHERE ({condition})'


def _html(text: str) -> str:
    return escape(for_terminal(text))


def _run(cursor: DuckDBPyConnection, work: Callable[[], Result]) -> Result:
    """Does something with a connection in such a way that Ctrl-C ends it.

    DuckDB looks for signals in some of its calls only. So the work is done in another thread, and the main one, which
    gets the signals, waits and tells DuckDB to stop.

    Raises:
        QueryFailed: for any error of DuckDB or of the reading of the tables.
        KeyboardInterrupt: if it was ended.
    """
    if threading.current_thread() is not threading.main_thread():
        return _translated(work)
    done = threading.Event()
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(_translated(work))
        except BaseException as error:
            errors.append(error)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    try:
        # Waiting without an end cannot be interrupted on every system.
        while not done.wait(1):
            pass
    except BaseException:
        # Not for ever: while DuckDB plans a query, it does not listen.
        for _ in range(20):
            with suppress(Exception):
                cursor.interrupt()
            if done.wait(0.1):
                break
        raise
    if errors:
        raise errors[0]
    return results[0]


def _translated(work: Callable[[], Result]) -> Result:
    try:
        return work()
    except (MemoryError, RecursionError):
        raise QueryFailed("there is not enough memory for the answer") from None
    except Exception as error:
        raise failure(error) from None
