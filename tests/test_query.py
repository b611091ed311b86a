"""Questions in SQL: what is answered, how the answer comes, and how mistakes are told."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tests.asking import ANSWER, HANDS
from tichu_analytics.tables.query import Answer, Asker, QueryFailed, QueryRefused

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
