"""What may be asked of a data set in SQL: which statements and conditions are let through to DuckDB.

A question may only read, only the tables of the data set, and is one single SELECT. DuckDB's own settings keep files,
extensions and settings closed, but not all of that: its type of a statement does not tell (``WITH a AS (INSERT ...)``
is a SELECT), the views and table functions of its catalog show paths and settings, and ``query()`` runs other text. So
each statement is parsed by DuckDB (``json_serialize_sql``), and its tree is walked with lists of what is allowed: kinds
of query, of tables, of expressions, names of tables, and table functions. What a later version of DuckDB adds is
refused until it is on a list. Only ordinary functions are let through by a rule, as there are hundreds: those that
depend on nothing but their arguments, and macros made of such. The settings of the connection and a transaction that
cannot write stand behind that as further walls, see :mod:`tichu_analytics.tables.query`.

A condition is accepted if ``SELECT condition`` and ``SELECT (condition)`` are the same tree, which is a single
expression without a name. So it cannot leave the brackets that it is put into: a bracket too many, a comma, an alias,
a comment to the end, a second statement or a UNION makes one of them another tree or none at all.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Collection, Iterator
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.tables.hints import quotation_marks_forgotten, strange_words
from tichu_analytics.tables.schema import TABLES

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

#: Statements longer than this are refused, so that none makes the parser work for minutes.
LONGEST: Final = 100_000
_MOST_SEMICOLONS: Final = 1_000
_LONGEST_MESSAGE: Final = 500

_QUERIES: Final = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLES: Final = frozenset(
    {"BASE_TABLE", "SUBQUERY", "JOIN", "EMPTY", "EXPRESSION_LIST", "TABLE_FUNCTION", "PIVOT", "SHOW_REF"}
)
_EXPRESSIONS: Final = frozenset(
    {
        *("BETWEEN", "CASE", "CAST", "COLLATE", "COLUMN_REF", "COMPARISON", "CONJUNCTION", "CONSTANT"),
        *("FUNCTION", "LAMBDA", "LAMBDA_REF", "OPERATOR", "POSITIONAL_REFERENCE", "STAR", "SUBQUERY", "TYPE"),
        *("WINDOW",),
    }
)
_OTHER: Final = frozenset(
    {
        *("ASCENDING", "DESCENDING", "DISTINCT_MODIFIER", "LIMIT_MODIFIER", "LIMIT_PERCENT_MODIFIER"),
        *("ORDER_DEFAULT", "ORDER_MODIFIER"),
    }
)
_TABLE_FUNCTIONS: Final = frozenset(
    {"generate_series", "json_each", "json_tree", "range", "repeat", "repeat_row", "unnest"}
)
#: Functions that DuckDB counts as changing from call to call, and that may be called all the same.
_HARMLESS: Final = frozenset({"error", "gen_random_uuid", "random", "uuid", "uuidv4", "uuidv7"})
#: Functions that may not be called whatever DuckDB says of them, which some versions do not say rightly: they tell
#: settings or what goes on inside, change something, plan other text, or work on states that no query makes safely.
_CLOSED: Final = frozenset(
    {
        *("combine", "combine_aggr", "create_sort_key", "current_connection_id", "current_query"),
        *("current_query_id", "current_setting", "current_transaction_id", "currval", "finalize", "getenv"),
        *("getvariable", "in_search_path", "index_key", "json_deserialize_sql", "json_serialize_plan"),
        *("json_serialize_sql", "nextval", "pg_sleep", "setseed", "setval", "sleep_ms", "stats"),
        *("to_aggregate_state", "txid_current", "vector_type", "write_log"),
    }
)
_SMALL: Final = {number: number + 32 for number in range(ord("A"), ord("Z") + 1)}
_TOO_DEEP: Final = "the statement is nested too deeply"
_CONTRACT: Final = tuple(TABLES)


class QueryRefused(ValueError):
    """A question that is not exactly one SELECT over the tables of the data set, or no single condition."""


#: What DuckDB tells of an interruption in the Python code that it calls, to see the schema of a table, say: the class
#: stands last in its line. In a value or a name of the question it would stand in quotation marks.
_INTERRUPTED: Final = re.compile(r"(?:^|: )KeyboardInterrupt:?[ \t]*$", re.MULTILINE)


class QueryFailed(ValueError):
    """A question that DuckDB cannot answer: a mistake in its SQL, or one that shows while it is worked out."""


def failure(error: Exception) -> QueryFailed:
    """An error of DuckDB as one line for people: without its class and without the excerpt of the statement.

    Raises:
        KeyboardInterrupt: if DuckDB was interrupted by Ctrl-C, which it tells as an error.
    """
    if type(error) is RuntimeError and "interrupted" in str(error):
        raise KeyboardInterrupt
    if _INTERRUPTED.search(str(error)):
        raise KeyboardInterrupt
    lines = []
    for line in str(error).split("\n"):
        if line.startswith("LINE "):
            break
        if line.strip():
            lines.append(line.strip())
    text = " ".join(lines) or type(error).__name__
    kind, colon, rest = text.partition(" Error: ")
    if colon and len(kind) < 40 and rest:
        text = f"DuckDB failed inside: {rest}" if kind.upper() in ("INTERNAL", "FATAL") else rest
    text = quotation_marks_forgotten(text) or text
    # It may write out the types of whole rows.
    return QueryFailed(text if len(text) <= _LONGEST_MESSAGE else f"{text[:_LONGEST_MESSAGE]}...")


class _Place(NamedTuple):
    """A part of a tree, and the names of the WITH queries that are known there."""

    part: Any
    known: frozenset[str]


class Walls:
    """Checks statements and conditions against the lists of what is allowed."""

    def __init__(self, connection: DuckDBPyConnection, tables: Collection[str], own_macros: Collection[str]) -> None:
        """Makes the walls for a data set.

        Args:
            connection: parses statements and knows the functions; no statement to be checked is run on it.
            tables: the tables of the data set.
            own_macros: macros that need no check.
        """
        self._connection = connection
        self._tables = {_folded(name): name for name in tables}
        self._allowed: dict[str, bool] = dict.fromkeys(own_macros, True)
        self._functions: dict[str, list[tuple[str, str | None, str | None]]] | None = None
        #: Held while the connection is used: two threads would get each other's answers.
        self.lock = threading.RLock()

    def statement(self, sql: str) -> str:
        """Checks a statement and returns its text without a semicolon or comments behind it.

        The text can be put into brackets on lines of their own.

        Raises:
            QueryRefused: if it is not exactly one SELECT, or asks for what is not allowed.
            QueryFailed: if it is no SQL.
        """
        _check_text(sql, "statement")
        try:
            tree = self._single(sql)
            self._walk(tree)
            body = self._without_end(sql)
            if not _is_show(tree):
                around = self._single(f"SELECT * FROM (\n{body}\n)")["from_table"]
                if around["type"] != "SUBQUERY" or around["subquery"]["node"] != tree:
                    raise QueryRefused("the statement cannot be told from what stands around it; simplify it")
        except RecursionError:
            raise QueryRefused(_TOO_DEEP) from None
        return body

    def remarks(self, sql: str) -> list[str]:
        """What is worth a word about a statement that is let through: words that a column never has."""
        return strange_words(self._single(sql))

    def condition(self, expression: str) -> str:
        """Checks that a text is one expression and returns it; in brackets, it can be put into a statement.

        Raises:
            QueryRefused: if it is anything else, or asks for what is not allowed.
        """
        _check_text(expression, "condition")
        refusal = QueryRefused(f"{_short(expression)} is not one condition as it stands behind WHERE")
        trees = []
        for text in (f"SELECT {expression}", f"SELECT ({expression})"):
            try:
                trees.append(self._single(text))
            except ValueError as error:
                raise QueryRefused(f"{refusal}: {error}") from None
            except RecursionError:
                raise QueryRefused(_TOO_DEEP) from None
        first, second = trees
        chosen = first.get("select_list", [])
        if (
            first["type"] != "SELECT_NODE"
            or len(chosen) != 1
            or chosen[0]["alias"]
            or chosen[0]["class"] == "STAR"
            or first["from_table"]["type"] != "EMPTY"
            or first != second
        ):
            raise refusal
        self._walk(first)
        return expression

    def table(self, name: str) -> str:
        """The name of a table of the data set, whatever the case in which it is written.

        Raises:
            QueryRefused: if there is none.
        """
        found = self._tables.get(_folded(name))
        if found is not None:
            return found
        there = ", ".join(self._tables.values()) or "none"
        if name.lower() in _CONTRACT:
            raise QueryRefused(f"the data set has no table {name.lower()}: it was exported with {there} only")
        near = get_close_matches(name.lower(), self._tables, n=1)
        hint = f"did you mean {near[0]}?" if near else f"the tables are {there}; nothing else can be read"
        raise QueryRefused(f"there is no table {_short(name)}; {hint}")

    def _single(self, sql: str) -> dict[str, Any]:
        """The tree of the only statement in a text.

        Raises:
            QueryRefused: if there is none, there are several, or it is no SELECT.
            QueryFailed: if the text is no SQL.
        """
        parsed = json.loads(self._serialized(sql), object_hook=_without_places)
        if parsed["error"]:
            if parsed["error_type"] == "parser":
                raise QueryFailed(" ".join(parsed["error_message"].split()) + _where_in(sql, parsed.get("position")))
            raise QueryRefused(self._what_it_is(sql))
        statements = parsed["statements"]
        if len(statements) != 1:
            raise QueryRefused(_number_of_statements(len(statements)))
        node: dict[str, Any] = statements[0]["node"]
        return node

    def _serialized(self, sql: str) -> str:
        try:
            with self.lock:
                row = self._connection.execute("SELECT json_serialize_sql(?)", [sql]).fetchone()
        except Exception as error:
            raise failure(error) from None
        return str(row[0]) if row else ""

    def _what_it_is(self, sql: str) -> str:
        """Says why a text that can be parsed is no SELECT."""
        try:
            with self.lock:
                kinds = [statement.type.name for statement in self._connection.extract_statements(sql)]
        except Exception:
            kinds = []
        if len(kinds) > 1:
            return _number_of_statements(len(kinds))
        if kinds == ["MULTI"]:
            return "PIVOT is possible only behind FROM, with the values named: FROM t PIVOT (sum(x) FOR k IN (1, 2))"
        kind = f"{kinds[0].replace('_', ' ')} is none" if kinds and kinds[0] != "SELECT" else "this is another one"
        return f"only a SELECT can be asked; {kind}"

    def _without_end(self, sql: str) -> str:
        """A single statement without the semicolon and comments behind it."""
        if sql.count(";") > _MOST_SEMICOLONS:
            raise QueryRefused(f"the statement has more than {_MOST_SEMICOLONS} semicolons")
        whole = self._serialized(sql)
        at = sql.find(";")
        while at >= 0:
            if self._serialized(sql[:at]) == whole:
                return sql[:at]
            at = sql.find(";", at + 1)
        return sql

    def _walk(self, tree: dict[str, Any], *, is_macro: bool = False) -> None:
        """Checks every part of a tree; that of a macro of DuckDB may read no table at all.

        Raises:
            QueryRefused: at the first part that is not allowed.
        """
        waiting = [_Place(tree, frozenset())]
        while waiting:
            place = waiting.pop()
            if isinstance(place.part, list):
                waiting.extend(_Place(part, place.known) for part in place.part)
            elif isinstance(place.part, dict):
                if is_macro and str(place.part.get("type")) in _TABLES - {"EMPTY"}:
                    raise QueryRefused("reads a table")
                self._check(place.part, place.known)
                waiting.extend(_parts(place.part, place.known))

    def _check(self, part: dict[str, Any], known: frozenset[str]) -> None:
        """Checks one part of a tree, without those inside it."""
        kind = part.get("type")
        if "class" in part:
            if part["class"] == "PARAMETER":
                raise QueryRefused("the statement has a parameter (? or $1), and there is no value for it")
            if part["class"] not in _EXPRESSIONS:
                raise QueryRefused(f"an expression of the kind {part['class']} cannot be used here")
            if part["class"] in ("FUNCTION", "WINDOW"):
                self._check_function(part["function_name"])
        elif kind == "BASE_TABLE":
            self._check_table(part, known)
        elif kind == "TABLE_FUNCTION":
            function = part["function"]
            if function["class"] != "FUNCTION" or function["function_name"].lower() not in _TABLE_FUNCTIONS:
                name = function.get("function_name", function["class"])
                raise QueryRefused(f"{_short(name)} cannot be read from; only the tables of the data set can")
        elif kind == "SHOW_REF":
            if part.get("query") is None and part["table_name"] != '"tables"':
                self.table(part["table_name"])
        elif isinstance(kind, str) and not (
            kind in _QUERIES or kind in _TABLES or kind in _OTHER or kind.endswith("_TYPE_INFO")
        ):
            what = kind.removesuffix("_NODE").removesuffix("_QUERY").replace("_", " ")
            raise QueryRefused(f"{what} is not possible: a question can only read")

    def _check_table(self, part: dict[str, Any], known: frozenset[str]) -> None:
        name = part["table_name"]
        if part["schema_name"] or part["catalog_name"]:
            raise QueryRefused(
                f"there is no table {_short(name)} of {_short(part['schema_name'])}; tables are named without a schema"
            )
        if _folded(name) not in known:
            self.table(name)

    def _check_function(self, name: str) -> None:
        if not self._is_allowed(name.lower()):
            raise QueryRefused(f"the function {_short(name)} cannot be used here")

    def _is_allowed(self, name: str) -> bool:
        """Whether a function may be called. Names that DuckDB does not know are left to its own message."""
        if name in self._allowed:
            return self._allowed[name]
        self._allowed[name] = name not in _CLOSED and not name.startswith("__internal")
        if self._allowed[name] and name not in _HARMLESS and name not in _TABLE_FUNCTIONS:
            entries = self._catalog().get(name, [])
            self._allowed[name] = all(self._is_allowed_entry(*entry) for entry in entries)
        return self._allowed[name]

    def _is_allowed_entry(self, kind: str, stability: str | None, definition: str | None) -> bool:
        if kind == "macro":
            try:
                self._walk(self._single(f"SELECT {definition}"), is_macro=True)
            except ValueError:
                return False
            return True
        return kind in ("scalar", "aggregate", "window") and stability != "VOLATILE"

    def _catalog(self) -> dict[str, list[tuple[str, str | None, str | None]]]:
        """All functions by name: kind, stability, and the definition of a macro."""
        with self.lock:
            if self._functions is None:
                try:
                    found = self._connection.execute(
                        "SELECT lower(function_name), function_type, stability, macro_definition"
                        " FROM duckdb_functions()"
                    ).fetchall()
                except Exception as error:
                    raise failure(error) from None
                functions: dict[str, list[tuple[str, str | None, str | None]]] = {}
                for name, *entry in found:
                    functions.setdefault(name, []).append((entry[0], entry[1], entry[2]))
                self._functions = functions
        return self._functions


def _parts(part: dict[str, Any], known: frozenset[str]) -> Iterator[_Place]:
    """What is inside a part, each with the names of the WITH queries known there.

    A query sees those before it, and the rest of the part sees all. A recursive query sees itself only in what is
    repeated: in what it begins with, its name is that of a table.
    """
    for entry in part.get("cte_map", {}).get("map", ()):
        yield _Place(entry["value"], known)
        known |= {_folded(str(entry["key"]))}
    inside_table = part["function"] if part.get("type") == "TABLE_FUNCTION" else {}
    name = _folded(str(part.get("cte_name", "")))
    if part.get("type") == "RECURSIVE_CTE_NODE":
        for key, value in part.items():
            if key != "cte_map":
                yield _Place(value, known | {name} if key == "right" else known)
        return
    for key, value in part.items():
        if inside_table and key == "function":
            # Its name has been looked at as that of a table function; what is left are the arguments.
            yield from (_Place(argument, known) for argument in inside_table.values())
        elif key == "query" and part.get("type") == "CTE_NODE":
            yield _Place(value, known)
        elif key != "cte_map":
            yield _Place(value, known | {name} if name else known)


def _folded(name: str) -> str:
    """A name as DuckDB compares names: small letters, but of ASCII alone (the sign of the kelvin is no k to it)."""
    return name.translate(_SMALL)


def _is_show(tree: dict[str, Any]) -> bool:
    """Whether a statement is DESCRIBE, SUMMARIZE or SHOW TABLES."""
    return bool(tree.get("from_table", {}).get("type") == "SHOW_REF")


def _where_in(sql: str, position: object) -> str:
    """Where in a text of several lines a mistake is."""
    if not isinstance(position, (int, str)) or not str(position).isdigit() or "\n" not in sql:
        return ""
    before = sql.encode()[: int(position)].decode("utf-8", "replace").split("\n")
    return f" (line {len(before)}, column {len(before[-1]) + 1})"


def _without_places(part: dict[str, Any]) -> dict[str, Any]:
    """A part of a tree without its place in the text."""
    return {key: value for key, value in part.items() if not key.startswith("query_location")}


def _check_text(text: str, what: str) -> None:
    """Refuses what is no text for SQL at all."""
    if not text.strip():
        raise QueryRefused(f"the {what} is empty")
    if len(text) > LONGEST:
        raise QueryRefused(f"the {what} has more than {LONGEST} characters")
    if "\0" in text or any("\ud800" <= char <= "\udfff" for char in text):
        raise QueryRefused(f"the {what} has characters that are no text")


def _number_of_statements(count: int) -> str:
    return f"there are {count} statements; just one SELECT can be asked" if count else "there is no statement"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}...")
