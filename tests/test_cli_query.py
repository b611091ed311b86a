"""The verb ``query``, each call a process of its own."""

from __future__ import annotations

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.conftest import ROOT


def tichu(*args: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", *args], capture_output=True, text=True, timeout=60, check=False, **more
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> str:
    out = str(tmp_path_factory.mktemp("query") / "data")
    result = tichu("export", str(ROOT / "sample_logs"), "--out", out)
    assert result.returncode == 0, result.stderr
    return out


def test_a_table(data: str) -> None:
    result = tichu("query", data, "SELECT seat, count(*) AS hands FROM hands GROUP BY seat ORDER BY seat")
    assert (result.returncode, result.stderr) == (0, "")
    lines = result.stdout.splitlines()
    assert lines[0] == "seat  hands"
    assert [line.split()[0] for line in lines[1:]] == ["0", "1", "2", "3"]
    assert len({line.split()[1] for line in lines[1:]}) == 1


def test_the_card_functions(data: str) -> None:
    sql = "SELECT card_text(held) AS cards, has(held, 'Dr') AS dragon, bombs(held) AS n, held_bomb FROM hands"
    result = tichu("query", data, sql, "--format", "json")
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(rows) > 100
    for row in rows:
        assert row["dragon"] == row["cards"].startswith("Dr")
        assert (row["n"] > 0) == row["held_bomb"]
        assert len(row["cards"].split()) == 14


def test_all_formats_have_the_same_rows(data: str) -> None:
    sql = "SELECT game_id, player, sum(points_taken) AS points FROM hands GROUP BY ALL ORDER BY ALL"
    as_json = [json.loads(line) for line in tichu("query", data, sql, "--format", "json").stdout.splitlines()]
    text = tichu("query", data, sql, "--format", "csv", encoding="utf-8").stdout
    as_csv = list(csv.DictReader(io.StringIO(text)))
    assert [row["points"] for row in as_csv] == [str(row["points"]) for row in as_json]
    assert [row["player"].removeprefix("'") for row in as_csv] == [row["player"].removeprefix("'") for row in as_json]
    markdown = tichu("query", data, sql, "--format", "markdown").stdout.splitlines()
    table = tichu("query", data, sql, "--limit", "0").stdout.splitlines()
    assert len(markdown) - 2 == len(table) - 1 == len(as_json)


def test_csv_lines_end_with_cr_lf(data: str) -> None:
    args = [sys.executable, "-m", "tichu_cli.main", "query", data, "SELECT 1 AS a", "--format", "csv"]
    assert subprocess.run(args, capture_output=True, check=True, timeout=60).stdout == b"a\r\n1\r\n"


def test_limits(data: str) -> None:
    result = tichu("query", data, "FROM range(1000)")
    assert len(result.stdout.splitlines()) == 101
    assert result.stderr == "only the first 100 rows are written; --limit 0 writes all\n"
    assert len(tichu("query", data, "FROM range(1000)", "--limit", "0").stdout.splitlines()) == 1001
    # An endless answer of which little is wanted is not worked out to its end.
    result = tichu("query", data, "FROM range(1000000000000)", "--format", "csv", "--limit", "2")
    assert result.stdout.splitlines() == ["range", "0", "1"]


def test_a_statement_on_standard_input(data: str) -> None:
    result = tichu(
        "query", data, "-", input="\ufeff-- the number of games\nSELECT count(*) AS n\nFROM games;\n", encoding="utf-8"
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.split()[0] == "n"
    args = [sys.executable, "-m", "tichu_cli.main", "query", data, "-"]
    bad = subprocess.run(args, input=b"SELECT '\xff'", capture_output=True, check=False, timeout=60)
    assert (bad.returncode, bad.stdout) == (2, b"")
    assert bad.stderr == b"tichu: the statement on standard input is not UTF-8\n"


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("", "the statement is empty"),
        ("SELECT x FROM hands", 'Referenced column "x" not found'),
        ("SELEC", "syntax error"),
        ("DROP TABLE hands", "only a SELECT can be asked"),
        ("SELECT 1; SELECT 2", "2 statements"),
        ("SELECT cards('XX')", "'XX' is no card"),
        ("SELECT * FROM nowhere", "no table 'nowhere'"),
        ("SELECT * FROM '\x1b[2J'", r"\x1b[2J"),
        ("SELECT error('a\nb\x1b[2J')", r"a b\u001b[2J"),
        ("SELECT '\udcff'", "characters that are no text"),
        ("SELECT player::INT FROM hands", "Could not convert"),
        ("SELECT * FROM read_text('/etc/passwd')", "'read_text' cannot be read from"),
    ],
)
def test_what_cannot_be_answered(data: str, sql: str, expected: str) -> None:
    result = tichu("query", data, sql)
    assert (result.returncode, result.stdout) == (2, "")
    assert expected in result.stderr
    assert result.stderr.startswith("tichu: ")
    assert len(result.stderr.splitlines()) == 1


def test_what_is_no_data_set(data: str, tmp_path: Path) -> None:
    for path in (str(tmp_path), str(tmp_path / "nothing"), str(ROOT / "README.md")):
        result = tichu("query", path, "SELECT 1")
        assert (result.returncode, result.stdout) == (2, "")
        assert len(result.stderr.splitlines()) == 1
        assert result.stderr.startswith("tichu: ")


def test_a_data_set_with_fewer_tables_says_so(tmp_path: Path) -> None:
    out = str(tmp_path / "data")
    assert tichu("export", str(ROOT / "sample_logs"), "--out", out, "--tables", "games,rounds").returncode == 0
    result = tichu("query", out, "SELECT * FROM hands")
    assert result.returncode == 2
    assert result.stderr == "tichu: the data set has no table hands: it was exported with games, rounds only\n"
    assert tichu("query", out, "SELECT count(*) FROM rounds").returncode == 0


@pytest.mark.parametrize("args", [["--format", "xml"], ["--limit", "-1"], ["--limit", "x"]])
def test_wrong_use(data: str, args: list[str]) -> None:
    result = tichu("query", data, "SELECT 1", *args)
    assert (result.returncode, result.stdout) == (2, "")


def test_nothing_is_left_behind(data: str, tmp_path: Path) -> None:
    (tmp_path / "temp").mkdir()
    (tmp_path / "here").mkdir()
    environment = {**os.environ, "TMPDIR": str(tmp_path / "temp"), "PYTHONPATH": os.pathsep.join(sys.path)}
    sql = "SELECT a.i, b.i FROM range(300000) a(i), range(3) b(i) ORDER BY hash(a.i) LIMIT 1"
    result = tichu("query", data, sql, cwd=tmp_path / "here", env=environment)
    assert result.returncode == 0, result.stderr
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["here", "temp"]


@pytest.mark.skipif(os.name != "posix", reason="sends a signal")
@pytest.mark.parametrize("form", ["table", "csv"])
def test_ctrl_c(data: str, form: str) -> None:
    sql = "SELECT i FROM range(1000000000000) t(i) WHERE i < 1 OR i > 999999999998"
    with subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "query", data, sql, "--format", form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(3)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "Traceback" not in err


@pytest.mark.skipif(os.name != "posix", reason="pipes end differently elsewhere")
def test_a_reader_that_goes_away(data: str) -> None:
    args = [sys.executable, "-m", "tichu_cli.main", "query", data, "FROM range(100000000)", "--format", "csv"]
    with subprocess.Popen(args, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline() == b"range\r\n"
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) == 141


def test_a_statement_may_begin_with_a_comment(data: str) -> None:
    done = tichu("query", data, "-- how many hands\nselect count(*) as n from hands", "--format", "csv")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "n")


@pytest.mark.skipif(os.name != "posix", reason="signals come differently elsewhere")
def test_ctrl_c_while_duckdb_does_not_listen(data: str) -> None:
    """While it plans, it takes no notice; the command ends soon and cleanly all the same."""
    sql = "SELECT 1" + " UNION ALL SELECT 1" * 5000
    with subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "query", data, sql],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=30)
    assert "Traceback" not in err
    assert process.returncode in (0, 2, 130)
