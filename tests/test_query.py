"""Questions in SQL: what is answered, how the answer comes, and that there is no way around the walls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tichu_analytics.record.notation import parse_mask
from tichu_analytics.tables.query import Answer, Asker, QueryFailed, QueryRefused
from tichu_analytics.tables.walls import LONGEST

WORDS = pa.dictionary(pa.int8(), pa.string())
HANDS = pa.table(
    {
        "game_id": pa.array(["1", "1", "2", "2"]),
        "seat": pa.array([0, 1, 2, 3], pa.int8()),
        "player": pa.array(["<b>Ann</b>", "Bob\u202e", "", "=1+1"]),
        "held": pa.array([parse_mask(text) for text in ("Dr S5", "S2 S3 S4 S5 S6", "", "SA BA GA RA")], pa.int64()),
        "call": pa.array(["none", "tichu", "grand", "none"]).cast(WORDS),
        "call_success": pa.array([None, True, False, None]),
        "finish": pa.array([1, None, 3, 2], pa.int8()),
    }
)
MOVES = pa.table(
    {
        "game_id": pa.array(["1", "1"]),
        "cards": pa.array([parse_mask("S5"), 0], pa.int64()),
        "rank": pa.array([5.5, None], pa.float32()),
    }
)
ANSWER = [(4,)]
HIDDEN = "words that nobody may see"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty current folder, beside an empty one for temporary files and a file that must not be read."""
    folder = tmp_path_factory.mktemp("query")
    (folder / "secret.csv").write_text(f"a\n{HIDDEN}\n")
    for name in ("here", "temp"):
        (folder / name).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "here")
        patch.setattr(tempfile, "tempdir", str(folder / "temp"))
        yield folder


@pytest.fixture(scope="module")
def asker(here: Path) -> Iterator[Asker]:
    """One for all tests: whatever is tried, it must go on answering."""
    before = files(here)
    with Asker({"hands": ds.dataset(HANDS), "moves": ds.dataset(MOVES)}) as made:
        yield made
    assert files(here) == before


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


# --- what is answered


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT count(*) FROM hands", [(4,)]),
        ("select seat from HANDS where has(held, 'Dr')", [(0,)]),
        ("SELECT seat FROM hands ORDER BY seat DESC;", [(3,), (2,), (1,), (0,)]),
        ("/* one; */ SELECT 1 -- two;\n; -- three;\n ; /* four; */", [(1,)]),
        ("FROM moves", [("1", 1 << 12, 5.5), ("1", 0, None)]),
        ("TABLE moves", [("1", 1 << 12, 5.5), ("1", 0, None)]),
        ("VALUES (1), (2)", [(1,), (2,)]),
        ("(SELECT 1)", [(1,)]),
        ("SELECT 1 UNION ALL SELECT 2 ORDER BY 1", [(1,), (2,)]),
        ("WITH h AS (FROM hands), g AS (SELECT max(seat) AS s FROM h) SELECT s FROM g, h LIMIT 1", [(3,)]),
        ("WITH h AS MATERIALIZED (FROM hands) SELECT count(*) FROM h", [(4,)]),
        ("WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 3) FROM r", [(1,), (2,), (3,)]),
        ("SELECT (SELECT count(*) FROM moves m WHERE m.game_id = h.game_id) FROM hands h WHERE seat = 0", [(2,)]),
        ("SELECT sum(bombs(held)), max(count_rank(held, 'A')) FROM hands", [(2, 4)]),
        ("SELECT call, count(*) FROM hands GROUP BY ALL ORDER BY ALL", [("grand", 1), ("none", 2), ("tichu", 1)]),
        ("SELECT row_number() OVER (ORDER BY seat DESC) AS n FROM hands QUALIFY n = 1", [(1,)]),
        (
            "FROM hands PIVOT (count(*) FOR call IN ('none', 'grand') GROUP BY game_id) ORDER BY 1",
            [("1", 1, 0), ("2", 1, 1)],
        ),
        ("SELECT i, j FROM range(2) t(i), unnest([7]) u(j)", [(0, 7), (1, 7)]),
        ("SELECT [x * 2 FOR x IN [1, 2]], list_transform([1], lambda y: y + 1)", [([2, 4], [2])]),
        ("SELECT cards, card_text(cards) FROM moves WHERE has(cards, 'S5')", [(1 << 12, "S5")]),
        ("SELECT 1 AS a, 2 AS a", [(1, 2)]),
        ("SELECT seat FROM hands USING SAMPLE 100%", [(0,), (1,), (2,), (3,)]),
        ("SHOW TABLES", [("hands",), ("moves",)]),
        ("SELECT column_name FROM (DESCRIBE moves)", [("game_id",), ("cards",), ("rank",)]),
        ("SELECT 'a;b', 'it''s', $$x;y$$", [("a;b", "it's", "x;y")]),
    ],
)
def test_questions(asker: Asker, sql: str, expected: list) -> None:
    assert list(asker.ask(sql)) == expected


def test_describe_and_summarize(asker: Asker) -> None:
    assert ("rank", "FLOAT") in [row[:2] for row in asker.ask("DESCRIBE moves")]
    assert [row[0] for row in asker.ask("SUMMARIZE moves;")] == ["game_id", "cards", "rank"]


def test_every_type_is_readable(asker: Asker) -> None:
    asked = {
        "170141183460469231731687303715884105727::HUGEINT": 2**127 - 1,
        "340282366920938463463374607431768211455::UHUGEINT": 2**128 - 1,
        "1.50::DECIMAL(9, 2)": Decimal("1.50"),
        "0.1::FLOAT": 0.1,
        "'inf'::DOUBLE": float("inf"),
        "true": True,
        "NULL": None,
        "DATE '2020-02-29'": "2020-02-29",
        "'infinity'::DATE": "infinity",
        "'300000-01-01'::DATE": "300000-01-01",
        "TIMESTAMP '2020-01-01 10:00:00.5'": "2020-01-01 10:00:00.5",
        "TIMESTAMP_NS '2020-01-01 10:00:00.123456789'": "2020-01-01 10:00:00.123456789",
        "TIME '10:00'": "10:00:00",
        "INTERVAL 1 DAY": "1 day",
        "'\\xAB\\x00'::BLOB": "\\xAB\\x00",
        "'101'::BIT": "101",
        "{'a': 1}": "{'a': 1}",
        "MAP {1: 2}": "{1=2}",
        "[1, NULL]": [1, None],
        "[1, 2]::INT[2]": (1, 2),
        "[DATE '2020-01-01']": "[2020-01-01]",
        "'a'::ENUM('a', 'b')": "a",
        "union_value(k := 1)": "1",
        """'{"a": 1}'::JSON""": '{"a": 1}',
        "chr(0)": "\0",
    }
    answer = asker.ask(f"SELECT {', '.join(asked)}")
    assert list(answer) == [tuple(asked.values())]
    assert answer.to_arrow().num_rows == len(answer.to_pandas()) == 1
    assert len(answer._repr_html_()) > 100


def test_numbers_are_told_from_others(asker: Asker) -> None:
    answer = asker.ask("SELECT seat, player, held, 1.5::DECIMAL(4, 1), 1e3, true, [1], DATE '2020-01-01' FROM hands")
    assert answer.numeric == (True, False, True, True, True, False, False, False)


def test_pandas_has_nullable_integers(asker: Asker) -> None:
    frame = asker.ask("SELECT *, sum(seat) OVER () AS total FROM hands").to_pandas()
    types = {name: str(dtype) for name, dtype in frame.dtypes.items()}
    assert types["seat"] == types["finish"] == "Int64"
    assert types["held"] == types["total"] == "Int64"
    assert types["call_success"] == "boolean"
    assert frame["held"].tolist() == HANDS["held"].to_pylist()
    assert frame["finish"].isna().tolist() == [False, True, False, False]
    wide = asker.ask("SELECT 170141183460469231731687303715884105727::HUGEINT AS n, [1, NULL] AS l").to_pandas()
    assert wide.loc[0].tolist() == [2**127 - 1, [1, None]]
    assert asker.ask("SELECT 1 AS a, 2 AS a").to_pandas().to_numpy().tolist() == [[1, 2]]


def test_arrow_has_the_columns_of_the_answer(asker: Asker) -> None:
    table = asker.ask("SELECT seat, seat, count(*), sum(seat) FROM hands GROUP BY ALL ORDER BY ALL").to_arrow()
    assert table.column_names == ["seat", "seat", "count_star()", "sum(seat)"]
    assert table.schema.types == [pa.int8(), pa.int8(), pa.int64(), pa.int64()]


def test_rows_come_in_batches_and_need_not_be_read_to_the_end(asker: Asker) -> None:
    answer = asker.ask("SELECT i FROM range(1000000000000) t(i)")
    batches = answer.batches(1_000)
    first = next(batches)
    assert 0 < len(first) <= 1_000
    # Two readings of the same answer, and another answer, do not disturb one another.
    assert list(answer.rows(limit=2)) == [(0,), (1,)]
    assert list(asker.ask("SELECT count(*) FROM hands")) == ANSWER
    assert next(batches)[0] == (len(first),)
    batches.close()
    answer.close()


def test_answers_show_themselves(asker: Asker) -> None:
    answer = asker.ask('SELECT player, seat, 1 AS "<i>" FROM hands ORDER BY seat')
    assert repr(answer) == "Answer(player VARCHAR, seat TINYINT, <i> INTEGER)"
    shown = answer._repr_html_()
    assert '<td style="text-align: left">&lt;b&gt;Ann&lt;/b&gt;</td>' in shown
    assert "<th>&lt;i&gt;</th>" in shown
    assert "Bob\\u202e" in shown
    assert "first 20 rows" not in shown
    assert asker.ask("FROM range(21)")._repr_html_().count("<tr>") == 21
    assert "first 20 rows" in asker.ask("FROM range(21)")._repr_html_()
    assert "\x1b" not in repr(asker.ask('SELECT 1 AS "\x1b[2J"'))


def test_other_threads_can_ask(asker: Asker) -> None:
    found: list = []
    threads = [threading.Thread(target=lambda: found.extend(asker.ask("SELECT count(*) FROM hands"))) for _ in range(4)]
    for thread in threads:
        thread.start()
        thread.join()
    assert found == ANSWER * 4


# --- what is wrong with a question


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELEC 1", 'syntax error at or near "SELEC"'),
        ("SELECT", "SELECT clause without selection list"),
        ("SELECT 'a", "unterminated"),
        ("SELECT 1 /* ", "unterminated /* comment"),
        ("SELECT x FROM hands", 'Referenced column "x" not found'),
        ("SELECT no_such(1)", "no_such does not exist"),
        ("SELECT seat FROM hands GROUP BY call", "must appear in the GROUP BY"),
        ("SELECT cards('S5 XX')", "'XX' is no card; a card is written like S5, RQ or Ph"),
        ("SELECT count_rank(held, 'X') FROM hands", "'X' is no rank"),
        ("SELECT error('by hand')", "by hand"),
        ("SELECT player::INT FROM hands", "Could not convert string"),
        ("SELECT json_extract('{', '$')", "Malformed JSON"),
        ("SELECT x::no_such_type FROM (SELECT 1 AS x)", "no_such_type does not exist"),
        (f"SELECT {'NOT ' * 3000}true", "Max expression depth"),
    ],
)
def test_mistakes(asker: Asker, sql: str, expected: str) -> None:
    with pytest.raises(QueryFailed) as failed:
        list(asker.ask(sql))
    text = str(failed.value)
    assert expected in text
    assert "\n" not in text
    assert "LINE 1" not in text
    assert not text.startswith(("Parser Error", "Binder Error", "Invalid Input Error"))
    assert list(asker.ask("SELECT count(*) FROM hands")) == ANSWER


def test_tables_that_are_not_there(asker: Asker) -> None:
    with pytest.raises(QueryRefused, match="no table exchanges: it was exported with hands, moves only"):
        asker.ask("SELECT * FROM exchanges")
    with pytest.raises(QueryRefused, match=r"no table 'hand'; did you mean hands\?"):
        asker.ask("SELECT * FROM hand")
    with pytest.raises(QueryRefused, match="no table 'weather'; the tables are hands, moves"):
        asker.ask("SELECT * FROM weather")


def test_a_file_that_is_damaged_is_told(tmp_path: Path) -> None:
    path = tmp_path / "hands.parquet"
    pq.write_table(HANDS, path)
    source = ds.dataset(str(path), format="parquet")
    path.write_bytes(path.read_bytes()[:100])
    with Asker({"hands": source}) as asker, pytest.raises(QueryFailed) as failed:
        list(asker.ask("SELECT max(held) FROM hands"))
    assert "\n" not in str(failed.value)


# --- the walls

A = "'../secret.csv'"
WAYS = [
    # not one SELECT
    ("", "empty"),
    (" \n", "empty"),
    ("-- nothing", "no statement|SELECT"),
    (";", "no statement|SELECT"),
    ("SELECT 1; SELECT 2", "2 statements"),
    ("SELECT 1; DROP TABLE hands", "2 statements"),
    ("SELECT 1;;SELECT 2", "2 statements"),
    ("SELECT 1\0; SELECT 2", "characters that are no text"),
    ("SELECT '\ud800'", "characters that are no text"),
    (f"SELECT {'1' * LONGEST}", f"more than {LONGEST} characters"),
    (f"SELECT 1{';' * 2000}", "more than 1000 semicolons"),
    ("SELECT ?", "parameter"),
    ("SELECT $1", "parameter"),
    ("SELECT $a", "parameter"),
    ("PIVOT hands ON call", "PIVOT is possible only behind FROM|2 statements"),
    ("SELECT * FROM (PIVOT hands ON call)", "PIVOT is possible only behind FROM|2 statements"),
    # statements that write, or change what is there
    *(
        (sql, "only a SELECT can be asked")
        for sql in (
            "CREATE TABLE x AS FROM hands",
            "CREATE TEMP TABLE x (i INT)",
            "CREATE VIEW x AS FROM hands",
            "CREATE OR REPLACE MACRO has(a, b) AS true",
            "CREATE SECRET s (TYPE s3)",
            "CREATE SCHEMA x",
            "CREATE SEQUENCE x",
            "CREATE TYPE x AS INT",
            "INSERT INTO hands VALUES (1)",
            "UPDATE hands SET seat = 1",
            "DELETE FROM hands",
            "TRUNCATE hands",
            "ALTER TABLE hands ADD COLUMN x INT",
            "DROP VIEW hands",
            "COPY hands TO 'x.csv'",
            f"COPY hands FROM {A}",
            "COPY (SELECT 1) TO 'x.parquet'",
            "EXPORT DATABASE 'x'",
            "IMPORT DATABASE 'x'",
            "ATTACH 'x.db'",
            "ATTACH ':memory:' AS x",
            "DETACH memory",
            "USE memory",
            "INSTALL httpfs",
            "LOAD httpfs",
            "SET threads = 1",
            "SET GLOBAL enable_external_access = true",
            "SET temp_directory = '.'",
            "RESET threads",
            "SET VARIABLE x = 1",
            "PRAGMA threads = 1",
            "PRAGMA version",
            "PRAGMA database_list",
            "PRAGMA enable_profiling",
            "CALL pragma_version()",
            "CALL enable_logging()",
            "CALL duckdb_settings()",
            "PREPARE x AS SELECT 1",
            "EXECUTE x",
            "DEALLOCATE x",
            "BEGIN",
            "COMMIT",
            "ROLLBACK",
            "CHECKPOINT",
            "FORCE CHECKPOINT",
            "VACUUM",
            "ANALYZE",
            "EXPLAIN SELECT 1",
            "EXPLAIN ANALYZE SELECT 1",
            "COMMENT ON VIEW hands IS 'x'",
        )
    ),
    ("WITH x AS (INSERT INTO hands VALUES (1) RETURNING *) SELECT * FROM x", "INSERT is not|only a SELECT"),
    ("WITH x AS (DELETE FROM hands RETURNING *) SELECT * FROM x", "DELETE is not|only a SELECT"),
    ("WITH x AS (UPDATE hands SET seat = 1 RETURNING *) SELECT * FROM x", "UPDATE is not|only a SELECT"),
    ("WITH x AS (COPY (SELECT 1) TO 'x.csv') SELECT 1", "COPY is not|only a SELECT"),
    ("SELECT (WITH x AS (INSERT INTO hands VALUES (1) RETURNING 1) FROM x)", "INSERT is not|only a SELECT"),
    ("SELECT 1 WHERE EXISTS (WITH x AS (DELETE FROM hands RETURNING 1) FROM x)", "DELETE is not|only a SELECT"),
    ("DESCRIBE WITH x AS (DELETE FROM hands RETURNING 1) FROM x", "DELETE is not|only a SELECT"),
    # files and the network
    *(
        (f"SELECT * FROM {name}", "no table")
        for name in (
            A,
            "'/etc/passwd'",
            "'https://localhost/x.parquet'",
            "'s3://x/y.csv'",
            "'x.db'",
            '"../secret.csv"',
            "'glob*.csv'",
        )
    ),
    *(
        (f"SELECT * FROM {call}", "cannot be read from")
        for call in (
            f"read_csv({A})",
            f"read_csv_auto({A})",
            f"read_text({A})",
            f"READ_TEXT({A})",
            f'"read_text"({A})',
            f"read_blob({A})",
            f"read_json({A})",
            f"read_ndjson_objects({A})",
            f"read_parquet({A})",
            f"parquet_scan([{A}])",
            f"read_duckdb({A})",
            f"sniff_csv({A})",
            f"parquet_metadata({A})",
            f"parquet_schema({A})",
            f"parquet_kv_metadata({A})",
            "glob('*')",
            "glob('/etc/*')",
            # text that is run
            "query('SELECT 1')",
            "query('COPY hands TO ''x.csv''')",
            "query_table('hands')",
            "query_table(['hands', 'duckdb_settings'])",
            "json_execute_serialized_sql(json_serialize_sql('SELECT 1'))",
            # memory of the process
            "arrow_scan(1, 2, 3)",
            "arrow_scan_dumb(1, 2, 3)",
            "pandas_scan(1)",
            "python_map_function(1, 2)",
            "seq_scan('hands')",
            # what is told about the machine, and what changes it
            "duckdb_settings()",
            "duckdb_secrets()",
            "duckdb_databases()",
            "duckdb_temporary_files()",
            "duckdb_extensions()",
            "duckdb_functions()",
            "duckdb_views()",
            "duckdb_logs()",
            "duckdb_variables()",
            "pragma_version()",
            "pragma_database_size()",
            "pragma_table_info('hands')",
            "which_secret('x', 's3')",
            "checkpoint()",
            "force_checkpoint()",
            "enable_logging()",
            "disable_logging()",
            "enable_profiling()",
            "truncate_duckdb_logs()",
            "test_all_types()",
            "test_vector_types(NULL::INT)",
            "summary((FROM hands))",
            "histogram(hands, seat)",
            "duckdb_logs_parsed('x')",
            "system.main.read_text('x')",
            "main.duckdb_settings()",
            "load_aws_credentials()",
            "add_grammar_extension('x')",
            "create_external_resource('x')",
        )
    ),
    (f"SELECT (SELECT content FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT * FROM hands WHERE EXISTS (FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT * FROM hands, LATERAL (FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT 1 LIMIT (SELECT 1 FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT 1 ORDER BY (SELECT 1 FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"FROM hands PIVOT (max((SELECT content FROM read_text({A}))) FOR seat IN (1))", "'read_text' cannot be read"),
    (f"DESCRIBE FROM read_text({A})", "'read_text' cannot be read from"),
    (f"SUMMARIZE {A}", "no table"),
    (f"DESCRIBE {A}", "no table"),
    (f"VALUES ((SELECT content FROM read_text({A})))", "'read_text' cannot be read from"),
    (f"SELECT [(SELECT content FROM read_text({A})) FOR x IN [1]]", "'read_text' cannot be read from"),
    (f"SELECT sum(seat) FILTER ((SELECT 1 FROM read_text({A})) = 1) FROM hands", "'read_text' cannot be read from"),
    (f"SELECT sum(seat) OVER (ORDER BY (SELECT 1 FROM read_text({A}))) FROM hands", "'read_text' cannot be read"),
    (f"SELECT x FROM range((SELECT 1 FROM read_text({A}))) t(x)", "'read_text' cannot be read from"),
    (f"SELECT 1 UNION (SELECT content FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT * REPLACE ((SELECT 1 FROM read_text({A})) AS seat) FROM hands", "'read_text' cannot be read from"),
    (f"SELECT 1 GROUP BY (SELECT 1 FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT DISTINCT ON ((SELECT 1 FROM read_text({A}))) 1", "'read_text' cannot be read from"),
    (f"SELECT * FROM hands h JOIN moves m ON (SELECT true FROM read_text({A}))", "'read_text' cannot be read from"),
    (f"SELECT card_text((SELECT 1 FROM read_text({A})))", "'read_text' cannot be read from"),
    (f"SELECT read_text({A})", "'read_text' cannot be used"),
    # the catalog
    *(
        (f"SELECT * FROM {name}", "no table")
        for name in (
            "duckdb_settings",
            "duckdb_tables",
            "duckdb_views",
            "sqlite_master",
            "pg_class",
            "pragma_database_list",
            "information_schema.tables",
            "pg_catalog.pg_class",
            "main.hands",
            "memory.main.hands",
            "temp.main.hands",
            "system.main.duckdb_settings",
        )
    ),
    ("SELECT (WITH duckdb_tables AS (SELECT 1) SELECT 1), * FROM duckdb_tables", "no table 'duckdb_tables'"),
    ("WITH a AS (FROM pg_class), pg_class AS (SELECT 1) FROM a", "no table 'pg_class'"),
    ("WITH pg_class AS (FROM pg_class) FROM pg_class", "no table 'pg_class'"),
    ("SHOW DATABASES", "no table"),
    ("SHOW ALL TABLES", "no table"),
    ("DESCRIBE", "no table"),
    ("SHOW duckdb_settings", "no table"),
    # variables of Python
    ("SELECT * FROM HANDS_OF_PYTHON", "no table"),
    ("SELECT * FROM WAYS", "no table"),
    # functions
    *(
        (f"SELECT {call}", "cannot be used here")
        for call in (
            "current_setting('temp_directory')",
            "CURRENT_SETTING('temp_directory')",
            "\"current_setting\"('temp_directory')",
            "system.main.current_setting('temp_directory')",
            "main.current_setting('temp_directory')",
            "('temp_directory').current_setting()",
            "list_transform(['temp_directory'], lambda x: current_setting(x))",
            "[current_setting(x) FOR x IN ['temp_directory']]",
            "has(7, current_setting('temp_directory'))",
            "getvariable('x')",
            "current_query()",
            "nextval('x')",
            "setseed(0.5)",
            "write_log('x')",
            "txid_current()",
            "json_serialize_plan('SELECT 1')",
            "json_serialize_sql('SELECT 1')",
            "json_deserialize_sql('{}')",
            "__internal_compress_string_hugeint('x')",
            "vector_type(1)",
            "stats(1)",
            "pg_get_viewdef(1)",
            "get_block_size('memory')",
            "duckdb_settings()",
            "parquet_metadata('x')",
            "pragma_version()",
            "query('SELECT 1')",
            "getenv('HOME')",
            "sleep_ms(1)",
            "pg_sleep(1)",
        )
    ),
]
HANDS_OF_PYTHON = HANDS


#: Where a query can stand within another; each must be looked into.
WITHIN = [
    "SELECT 1 HAVING (Q) = 1",
    "SELECT 1 QUALIFY (Q) = 1",
    "SELECT sum(1) OVER (PARTITION BY (Q))",
    "SELECT sum(1) OVER (ORDER BY 1 ROWS BETWEEN (Q) PRECEDING AND CURRENT ROW)",
    "SELECT sum(1) OVER w WINDOW w AS (ORDER BY (Q))",
    "SELECT lag(1, (Q)) OVER ()",
    "SELECT list(1 ORDER BY (Q))",
    "SELECT CASE (Q) WHEN 1 THEN 1 END",
    "SELECT CASE WHEN false THEN 1 ELSE (Q) END",
    "SELECT 1 BETWEEN 0 AND (Q)",
    "SELECT 1 IN (2, (Q))",
    "SELECT 1 IN (Q)",
    "SELECT 1 = ANY (Q)",
    "SELECT NOT EXISTS (Q)",
    "SELECT ARRAY(Q)",
    "SELECT {'a': (Q)}",
    "SELECT MAP {1: (Q)}",
    "SELECT [1][(Q)]",
    "SELECT [1, 2][1:(Q)]",
    "SELECT (Q)::VARCHAR COLLATE nocase",
    "SELECT coalesce(NULL, (Q))",
    "SELECT list_transform([1], lambda x: x + (Q))",
    "SELECT to_days((Q)::INT)",
    "SELECT INTERVAL (Q) DAY",
    "SELECT EXTRACT(year FROM (Q)::DATE)",
    "SELECT DATE '2020-01-01' AT TIME ZONE (Q)",
    "SELECT TRY((Q))",
    "SELECT format('{}', (Q))",
    "SELECT a := (Q)",
    "SELECT COLUMNS(c -> c = (Q)) FROM hands",
    "SELECT COLUMNS(lambda c: c = (Q)) FROM hands",
    "SELECT * FROM (VALUES ((Q))) v",
    "SELECT * FROM (Q)",
    "SELECT * FROM ((Q) UNION ALL BY NAME SELECT 1)",
    "SELECT * FROM hands POSITIONAL JOIN (Q)",
    "SELECT * FROM hands ASOF JOIN (Q) q ON hands.seat >= q.seat",
    "SELECT * FROM hands SEMI JOIN (Q) q ON true",
    "SELECT * FROM range(1, (Q))",
    "SELECT * FROM unnest([(Q)])",
    "SELECT unnest((Q))",
    "FROM (Q) UNPIVOT (v FOR n IN (a))",
    "FROM (Q) PIVOT (count(*) FOR a IN (1))",
    "SELECT 1 GROUP BY GROUPING SETS ((), ((Q)))",
    "SELECT 1 LIMIT 1 OFFSET (Q)",
    "SELECT 1 LIMIT (Q) %",
    "SELECT 1 UNION ALL SELECT 2 ORDER BY (Q)",
    "WITH x AS (Q) SELECT 1",
    "WITH x AS MATERIALIZED (Q) SELECT 1",
    "WITH x AS (WITH y AS (Q) FROM y) SELECT 1",
    "WITH RECURSIVE x(n) AS (SELECT 1 UNION ALL (Q)) SELECT 1",
    "WITH RECURSIVE x(n) AS ((Q) UNION ALL SELECT n FROM x) SELECT 1",
    "DESCRIBE Q",
    "SUMMARIZE Q",
    "(Q)",
    "SELECT cards((Q))",
]


@pytest.mark.parametrize("frame", WITHIN)
def test_every_part_of_a_statement_is_looked_into(asker: Asker, frame: str) -> None:
    before = asker.ask("SELECT count(*) FROM hands")
    for inner, reason in (
        (f"SELECT content FROM read_text({A})", "read_text"),
        ("SELECT 1 FROM pg_class", "pg_class"),
        ("SELECT current_setting('threads')", "current_setting"),
    ):
        sql = frame.replace("(Q)", f"({inner})").replace(" Q", f" {inner}")
        # What the parser of a version of DuckDB does not know at all is refused by it.
        with pytest.raises(
            (QueryRefused, QueryFailed), match=f"{reason}.* (cannot be|no table)|no table '{reason}|^syntax"
        ):
            list(asker.ask(sql))
    assert list(before) == ANSWER


@pytest.mark.parametrize(("sql", "reason"), WAYS, ids=[sql[:60].replace("\0", "0") or "nothing" for sql, _ in WAYS])
def test_no_way_around(asker: Asker, here: Path, sql: str, reason: str) -> None:
    before = files(here)
    with pytest.raises((QueryRefused, QueryFailed), match=reason) as refused:
        list(asker.ask(sql))
    assert "does not exist" not in str(refused.value), "it was DuckDB that did not know it"
    assert "\n" not in str(refused.value)
    assert files(here) == before
    assert list(asker.ask("SELECT count(*) FROM hands")) == ANSWER


OUTRIGHT = [
    *(sql for sql, reason in WAYS if reason == "only a SELECT can be asked" and not sql.startswith("EXPLAIN")),
    f"FROM read_text({A})",
    "FROM glob('*')",
    f"FROM {A}",
    "FROM HANDS_OF_PYTHON",
    "FROM query('FROM read_text(''../secret.csv'')')",
    "WITH x AS (COPY (SELECT 1) TO 'x.csv') SELECT 1",
    "WITH x AS (INSERT INTO hands VALUES (1) RETURNING *) SELECT * FROM x",
]
#: What DuckDB does when it is told directly, and what changes nothing outside of a connection that nobody else has.
HARMLESS = (
    *("PREPARE", "USE", "BEGIN", "COMMIT", "ROLLBACK", "PRAGMA", "CALL", "SET VARIABLE", "VACUUM", "ANALYZE"),
    *("CHECKPOINT", "FORCE", "ATTACH ':memory:'", "CREATE TEMP", "CREATE SECRET", "DROP VIEW"),
)


@pytest.mark.parametrize("sql", OUTRIGHT)
def test_the_connection_holds_without_the_walls(asker: Asker, here: Path, sql: str) -> None:
    """What would happen if the check of statements let something through: the connection itself can do nothing."""
    before = files(here)
    cursor = asker._cursor()
    try:
        found = cursor.execute(sql).fetchall()
        assert sql.startswith(HARMLESS), found
        assert HIDDEN not in str(found)
    except Exception as error:
        assert HIDDEN not in str(error)
    finally:
        cursor.close()
    assert files(here) == before
    assert list(asker.ask("SELECT count(*) FROM hands")) == ANSWER


def test_the_folder_for_what_is_too_large_is_private_and_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    asker = Asker({"hands": ds.dataset(HANDS)})
    (folder,) = tmp_path.iterdir()
    assert folder.stat().st_mode & 0o777 == 0o700
    asker.close()
    assert not folder.exists()
    asker = Asker({"hands": ds.dataset(HANDS)})
    answer = asker.ask("SELECT count(*) FROM hands")
    del asker
    assert list(answer) == ANSWER
    del answer
    assert list(tmp_path.iterdir()) == []


def test_an_answer_of_a_closed_asker_fails_cleanly(here: Path) -> None:
    with Asker({"hands": ds.dataset(HANDS)}) as asker:
        answer = asker.ask("FROM hands")
    with pytest.raises(QueryFailed):
        list(answer)


# --- conditions


@pytest.mark.parametrize(
    ("where", "seats"),
    [
        ("seat = 1", [1]),
        ("has(held, 'Dr') OR bombs(held) > 0", [0, 1, 3]),
        ("seat = 1 or true", [0, 1, 2, 3]),
        ("game_id IN (SELECT game_id FROM moves)", [0, 1]),
        ("EXISTS (FROM moves m WHERE m.game_id = hands.game_id)", [0, 1]),
        ("(SELECT true)", [0, 1, 2, 3]),
        ("call_success", [1]),
        ("NOT call_success", [2]),
        ("player = '--' OR seat = 2 -- the third\n", [2]),
        ("seat = 2 /* the third */", [2]),
        ("player = '); DROP TABLE hands; --' OR seat = 0", [0]),
        ("CASE WHEN seat = 0 THEN true ELSE false END", [0]),
        ("seat BETWEEN 1 AND 2", [1, 2]),
    ],
)
def test_conditions(asker: Asker, where: str, seats: list[int]) -> None:
    with asker.filtered("hands", where) as answer:
        assert answer.columns == tuple(HANDS.column_names)
        assert [row[1] for row in answer] == seats
    condition = asker.check_where("hands", where)
    asked = asker.ask(f"SELECT seat FROM hands WHERE false OR ({condition}) AND true ORDER BY seat")
    assert [seat for (seat,) in asked] == seats


@pytest.mark.parametrize(
    "where",
    [
        "",
        " ",
        "1=1) or (1=1",
        "true; drop view hands",
        "true;",
        "1=1 -- ",
        "1=1 --",
        "1=1 # x",
        "1=1 union select 1",
        "1=1 union all (select 1)",
        "(1=1",
        "1=1)",
        "1=1, 2=2",
        "1=1,",
        "1=1 as x",
        "1=1 x",
        "x: 1=1",
        "1=1 /* ",
        "1=1 /* x",
        "*/ 1=1 /*",
        "'",
        '"',
        "$$",
        "true or '",
        "true limit 1",
        "true order by 1",
        "true group by all",
        "true from hands",
        "true where true",
        "true window w as ()",
        "true qualify true",
        "true using sample 1",
        "distinct true",
        "all true",
        "on true",
        "from hands",
        "select true",
        "values (true)",
        "*",
        "hands.*",
        "seat",
        "player",
        "'true'",
        "(true, true)",
        "1 := 1",
        "? = 1",
        "$1",
        "seat = 1\0",
        "seat in (select oid from pg_class)",
        f"exists (from read_text({A}))",
        "exists (with x as (delete from hands returning 1) from x)",
        "current_setting('threads') = 1",
        "seat in (from exchanges)",
    ],
)
def test_what_is_no_condition(asker: Asker, here: Path, where: str) -> None:
    before = files(here)
    for use in (asker.check_where, asker.filtered):
        with pytest.raises(QueryRefused) as refused:
            use("hands", where)
        assert "\n" not in str(refused.value)
    assert files(here) == before


@pytest.mark.parametrize("where", ["count(*) > 1", "row_number() OVER () = 1", "no_such = 1", "cards = 1"])
def test_conditions_that_cannot_be_worked_out(asker: Asker, where: str) -> None:
    with pytest.raises(QueryFailed):
        asker.check_where("hands", where)


def test_conditions_on_tables_that_are_not_there(asker: Asker) -> None:
    with pytest.raises(QueryRefused, match="no table exchanges"):
        asker.check_where("exchanges", "true")
    with pytest.raises(QueryRefused, match="no table"):
        asker.check_where('hands" --', "true")


# --- Ctrl-C


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize(
    "use",
    [
        "list(asker.ask('SELECT sum(i * i) FROM range(1000000000000) t(i)'))",
        "list(asker.ask('SELECT i FROM range(1000000000000) t(i) WHERE i > 999999999990'))",
        "asker.ask('SELECT sum(i * i) FROM range(1000000000000) t(i)').to_arrow()",
        "asker.ask('SELECT sum(i * i) FROM range(1000000000000) t(i)')._repr_html_()",
    ],
)
def test_ctrl_c_ends_a_question(use: str) -> None:
    program = f"""
        import sys
        import pyarrow as pa, pyarrow.dataset as ds
        from tichu_analytics.tables.query import Asker
        with Asker({{"hands": ds.dataset(pa.table({{"seat": [1]}}))}}) as asker:
            print("asked", flush=True)
            try:
                {use}
            except KeyboardInterrupt:
                print(list(asker.ask("SELECT seat FROM hands")))
    """
    with subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(program)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "asked\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(1)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=20)
    assert (out, err, process.returncode) == ("[(1,)]\n", "", 0)


def test_the_library_is_not_loaded_before_it_is_needed() -> None:
    code = "import sys, tichu_analytics.tables.query\n"
    code += "print([name for name in ('duckdb', 'pyarrow', 'pandas') if name in sys.modules])"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert result.stdout == "[]\n"
    assert Answer.__module__ == "tichu_analytics.tables.query"


# --- names that are not what they seem


@pytest.mark.parametrize(
    "name", ["pg_settings", "duckdb_views", "duckdb_databases", "duckdb_columns", "sqlite_master", "pg_views"]
)
@pytest.mark.parametrize(
    "form",
    [
        "WITH RECURSIVE {0} AS (SELECT * FROM {0} UNION SELECT * FROM {0} WHERE false) SELECT * FROM {0}",
        "WITH RECURSIVE {0} AS (SELECT * FROM {0} UNION ALL SELECT * FROM {0} WHERE false) SELECT * FROM {0}",
        "WITH {0} AS (SELECT * FROM {0}) SELECT * FROM {0}",
        "SELECT * FROM (WITH RECURSIVE {0} AS (FROM {0} UNION FROM {0}) SELECT 1) t",
        "WITH a AS (SELECT * FROM {0}), {0} AS (SELECT 1) SELECT * FROM a",
    ],
)
def test_what_a_query_begins_with_does_not_know_its_own_name(asker: Asker, name: str, form: str) -> None:
    with pytest.raises(QueryRefused, match=f"there is no table '?{name}"):
        asker.ask(form.format(name))


def test_a_recursive_query_knows_itself_where_it_is_repeated(asker: Asker) -> None:
    sql = "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 4) SELECT sum(x) FROM n"
    assert list(asker.ask(sql)) == [(10,)]


@pytest.mark.parametrize("name", ["duc\u212adb_views", "duc\u212adb_settings", "\uff44uckdb_views"])
def test_letters_that_only_look_alike(asker: Asker, name: str) -> None:
    """The sign of the kelvin is a small k to Python and none to DuckDB."""
    with pytest.raises((QueryRefused, QueryFailed)):
        list(asker.ask(f'WITH "{name}" AS (SELECT 1) SELECT * FROM duckdb_views'))
    with pytest.raises((QueryRefused, QueryFailed)):
        list(asker.ask(f'SELECT * FROM "{name}"'))


def test_threads_do_not_get_each_others_statements(here: Path) -> None:
    """What is allowed for one must not let through what another asks at the same time."""
    wrong: list[object] = []
    with Asker({"hands": ds.dataset(HANDS)}) as shared:
        shared.ask("SELECT 1")

        def ask(sql: str, expected: object) -> None:
            for _ in range(60):
                try:
                    found: object = list(shared.ask(sql))
                except QueryRefused:
                    found = "refused"
                except Exception as error:
                    found = error
                if found != expected:
                    wrong.append((sql, found))

        threads = [
            threading.Thread(target=ask, args=args)
            for args in (
                ("SHOW TABLES", [("hands",)]),
                ("SELECT current_setting('temp_directory')", "refused"),
                ("SELECT count(*) FROM hands", ANSWER),
                ("SELECT * FROM duckdb_settings()", "refused"),
            )
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert wrong == []


# --- messages


def test_where_a_mistake_is_in_several_lines(asker: Asker) -> None:
    with pytest.raises(QueryFailed, match=r'syntax error at or near "were" \(line 2, column 12\)|line 2'):
        asker.ask("SELECT seat\nFROM hands were seat = 1\nORDER BY 1")


@pytest.mark.parametrize(("condition", "word"), [("has(held, Dr)", "Dr"), ("call = tichu", "tichu")])
def test_forgotten_quotation_marks(asker: Asker, condition: str, word: str) -> None:
    with pytest.raises(
        QueryFailed, match=f"there is no column {word}; a text stands in single quotation marks: '{word}'"
    ):
        list(asker.ask(f"SELECT * FROM hands WHERE {condition}"))


def test_card_functions_inside_each_other_give_what_they_should(asker: Asker) -> None:
    """Macros paste their arguments: pasted for every card, the text of such a query would grow beyond measure."""
    assert list(asker.ask("SELECT card_text(cards(card_text(held))) FROM hands ORDER BY seat")) == [
        ("Dr S5",),
        ("S6 S5 S4 S3 S2",),
        ("",),
        ("RA GA BA SA",),
    ]
    text = asker._connection.execute(
        "SELECT macro_definition FROM duckdb_functions() WHERE function_name = 'card_text'"
    )
    (definition,) = text.fetchone() or ("",)
    assert 1 <= definition.count("mask") <= 2


@pytest.mark.parametrize(
    ("sql", "remarks"),
    [
        ("SELECT * FROM hands WHERE call = 'Grand'", ("call is never 'Grand'; did you mean 'grand'?",)),
        (
            "SELECT * FROM hands h WHERE h.call IN ('grand', 'Tichuu')",
            ("call is never 'Tichuu'; did you mean 'tichu'?",),
        ),
        ("SELECT * FROM hands WHERE 'xyz' <> call", ("call is never 'xyz'; its words are none, tichu, grand",)),
        ("SELECT * FROM hands WHERE call = 'grand' AND player = 'Grand'", ()),
        ("SELECT count(*) FILTER (call = 'tichu') FROM hands", ()),
    ],
)
def test_words_that_a_column_never_has_are_remarked(asker: Asker, sql: str, remarks: tuple[str, ...]) -> None:
    answer = asker.ask(sql)
    assert answer.remarks == remarks
    list(answer)
