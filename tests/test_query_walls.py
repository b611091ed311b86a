"""Questions in SQL: there is no way around the walls, in statements and in conditions."""

from __future__ import annotations

import tempfile
import threading
from pathlib import Path

import pyarrow.dataset as ds
import pytest

from tests.asking import ANSWER, HANDS, HIDDEN, files
from tichu_analytics.tables.query import Asker, QueryFailed, QueryRefused
from tichu_analytics.tables.walls import LONGEST

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
