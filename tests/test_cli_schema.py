"""The verb ``schema``: the overview, a table, JSON and Markdown, and names that there are not."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
import typer
from typer.testing import CliRunner

from tichu_analytics.tables import describe
from tichu_analytics.tables.schema import TABLES, Table


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    from tichu_cli.schema import command

    app = typer.Typer()
    app.command()(command)
    return app


def shown(app: typer.Typer, *arguments: str) -> str:
    """What the command prints, which has to end well."""
    result = CliRunner().invoke(app, list(arguments))
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def test_the_overview(app: typer.Typer):
    lines = shown(app).splitlines()
    for table in TABLES.values():
        (line,) = (line for line in lines if line.split()[:1] == [table.name])
        assert line.split()[1] == str(len(table.columns))
        assert table.row in line and describe.HOLDS[table.holds] in line


@pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
def test_a_table(app: typer.Typer, table: Table):
    first, blank, head, *lines = shown(app, table.name).splitlines()
    assert table.row in first and describe.HOLDS[table.holds] in first and blank == ""
    starts = [head.index(word) for word in ("column", "type", "null?", "values", "meaning")]
    assert len(lines) == len(table.columns)
    for line, column in zip(lines, table.columns, strict=True):
        cells = [line[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
        assert cells == [
            column.name,
            describe.arrow_type(column),
            "null" if column.nullable else "",
            describe.values_text(column),
            column.meaning,
        ]


def test_json(app: typer.Typer):
    every = json.loads(shown(app, "--format", "json"))
    assert [table["name"] for table in every] == list(TABLES)
    for table in every:
        assert json.loads(shown(app, table["name"], "--format", "json")) == table
    assert shown(app, "moves", "--format", "json").startswith('{\n  "name": "moves",\n')


def test_markdown(app: typer.Typer):
    assert shown(app, "--format", "markdown") == describe.as_markdown()
    assert shown(app, "moves", "--format", "markdown") == describe.table_as_markdown(TABLES["moves"])


def test_names_in_any_case(app: typer.Typer):
    assert shown(app, "Hands ") == shown(app, "hands")


@pytest.mark.parametrize("width", [60, 80, 160])
def test_a_terminal_gets_all_of_it_within_its_width(app: typer.Typer, width: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tichu_cli.schema._is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", str(width))
    out = shown(app, "moves").partition("\n\n")[2]
    assert max(map(len, out.splitlines())) <= width
    # A word that does not fit is folded, so blanks tell nothing.
    words = {word for line in out.splitlines() for word in line.split()}
    for column in TABLES["moves"].columns:
        assert column.name in words
        if width >= 80:
            assert words.issuperset(column.meaning.split())
    assert "…" not in out
    assert len(re.sub(r"\s", "", out)) >= sum(len(re.sub(r"\s", "", one.meaning)) for one in TABLES["moves"].columns)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("hnads", "did you mean 'hands'?"),
        ("Round", "did you mean 'rounds'?"),
        ("xyzzy", "the tables are games, rounds, hands, exchanges, tricks, moves, findings"),
        ("", "the tables are games"),
        ("hands\u202e\x1b[2J", "did you mean 'hands'?"),
        ("Ω" * 100_000, "the tables are games"),
    ],
)
@pytest.mark.parametrize("output", ["table", "json", "markdown"])
def test_an_unknown_table_is_wrong_use(app: typer.Typer, name: str, hint: str, output: str):
    result = CliRunner().invoke(app, [name, "--format", output])
    assert (result.exit_code, result.stdout) == (2, "")
    (line,) = result.stderr.splitlines()
    assert hint in line and line.isascii() and line.isprintable() and len(line) < 400


def test_nothing_heavy_is_loaded():
    code = (
        "import sys\nfrom tichu_cli.main import run\nsys.argv = ['tichu', 'schema', *sys.argv[1:]]\n"
        "try: run()\nexcept SystemExit: print([name for name in ('pyarrow', 'duckdb', 'pandas', 'polars', 'numpy',"
        " 'numba', 'zstandard', 'rich') if name in sys.modules], file=sys.stderr)"
    )
    for arguments in ([], ["hands"], ["--format", "json"], ["moves", "--format", "markdown"]):
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=60, check=True
        )
        assert done.stdout and done.stderr.strip() == "[]"
