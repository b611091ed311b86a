"""How rows are written: each format read back by something else, and what other people's text may do to it."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

import pytest

from tichu_analytics.tables.values import unique_names, value_json, value_text
from tichu_cli.tabular import Format, write_rows

NASTY = (
    "plain",
    "",
    " blanks ",
    'comma, and "quotes"',
    "two\nlines",
    "cr\r\nlf",
    "=1+1",
    "+1",
    "-1",
    "@SUM(A1)",
    "\t=1",
    "\r=1",
    "nul\0esc\x1b[2J",
    "right\u202eto left",
    "a|b",
    "`code` *bold* _it_ <b>html</b> & &amp; [a](b) ~~x~~ \\ $x$ #1",
    "https://example.org www.example.org @someone a@b.example",
    "日本語 é ﷽",
    "-",
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def written(
    form: Format,
    columns: Sequence[str],
    rows: Sequence[Sequence[Any]],
    *,
    numeric: Sequence[bool] | None = None,
    limit: int | None = None,
    terminal: bool = False,
) -> tuple[str, str]:
    out, remarks = Terminal() if terminal else io.StringIO(), io.StringIO()
    write_rows(form, out, remarks, columns, numeric or [False] * len(columns), iter(rows), limit)
    return out.getvalue(), remarks.getvalue()


@pytest.fixture
def wide(monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 100)


def set_width(monkeypatch: pytest.MonkeyPatch, columns: int) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("LINES", "40")
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert shutil.get_terminal_size().columns == columns


# --- CSV


def test_csv_reads_back_with_the_same_rows_and_formulas_defused() -> None:
    text, remarks = written(Format.CSV, ["n", "text"], [(i, text) for i, text in enumerate(NASTY)])
    rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    assert rows[0] == ["n", "text"]
    expected = ["'" + text if text[:1] in tuple("=+-@\t\r") else text for text in NASTY]
    assert [row[1] for row in rows[1:]] == expected
    assert [row[0] for row in rows[1:]] == [str(i) for i in range(len(NASTY))]
    assert remarks == ""


def test_csv_lines_end_as_the_standard_says() -> None:
    assert written(Format.CSV, ["a", "b"], [(1, "x"), (None, "")])[0] == 'a,b\r\n1,x\r\n,""\r\n'


def test_csv_numbers_are_left_alone() -> None:
    row = (-1, -1.5, Decimal("-2.50"), True, None, float("nan"), 2**100, [-1, None])
    text = written(Format.CSV, ["=c"] * len(row), [row])[0]
    head, line = text.splitlines()
    assert line == f'-1,-1.5,-2.50,true,,nan,{2**100},"[-1, null]"'
    assert head == ",".join(["'=c"] * len(row))


def test_csv_on_a_terminal_has_no_control_characters() -> None:
    text = written(Format.CSV, ["t"], [(text,) for text in NASTY], terminal=True)[0]
    assert all(char.isprintable() or char in "\r\n" for char in text)
    assert len(text.split("\r\n")) == len(NASTY) + 2


# --- JSON Lines


def test_json_reads_back() -> None:
    rows = [(text, i, None, True, 1.5, 2**100, [1, None, "x"]) for i, text in enumerate(NASTY)]
    names = ["t", "i", "null", "b", "f", "big", "l"]
    text = written(Format.JSON, names, rows)[0]
    assert text.isascii()
    assert [tuple(json.loads(line).values()) for line in text.splitlines()] == rows
    assert list(json.loads(text.splitlines()[0])) == names


def test_json_has_no_number_that_is_none() -> None:
    row = (float("nan"), float("inf"), -float("inf"), Decimal("NaN"), [float("nan")])
    (line,) = written(Format.JSON, list("abcde"), [row])[0].splitlines()
    assert json.loads(line, parse_constant=pytest.fail) == {"a": None, "b": None, "c": None, "d": None, "e": [None]}


def test_json_keeps_decimals_exact() -> None:
    text = written(Format.JSON, ["d"], [(Decimal("12345678901234567890.10"),)])[0]
    assert text == '{"d": 12345678901234567890.10}\n'
    assert json.loads(text, parse_float=Decimal)["d"] == Decimal("12345678901234567890.10")


def test_json_loses_no_column() -> None:
    text = written(Format.JSON, ["n", "n", "n_2", "n", ""], [(1, 2, 3, 4, 5)])[0]
    assert json.loads(text) == {"n": 1, "n_3": 2, "n_2": 3, "n_4": 4, "": 5}
    assert unique_names(["a", "b"]) == ["a", "b"]
    for names in (["a", "a", "a_2", "a_2", "a_2_2"], ["x"] * 5, ["x_2", "x", "x"]):
        assert len(set(unique_names(names))) == len(names)
        assert len(unique_names(names)) == len(names)


@pytest.mark.parametrize("form", [Format.CSV, Format.JSON])
def test_rows_are_written_as_they_come(form: Format) -> None:
    out = io.StringIO()

    def rows() -> Iterator[tuple[int]]:
        for i in range(3):
            assert len(out.getvalue().splitlines()) == i + (form is Format.CSV)
            yield (i,)

    write_rows(form, out, io.StringIO(), ["i"], [True], rows())


# --- Markdown


def test_markdown_is_one_line_a_row_and_reads_as_the_text() -> None:
    text = written(Format.MARKDOWN, ["n|m", "t"], [(i, text) for i, text in enumerate(NASTY)], numeric=[True, False])[0]
    lines = text.splitlines()
    assert len(lines) == len(NASTY) + 2
    assert lines[:2] == ["| n\\|m | t |", "| ---: | --- |"]
    for line in lines[2:]:
        assert len(re.findall(r"(?<!\\)\|", line)) == 3
        rest = re.sub(r"\\[\\`*_\[\]#|~$!^={}]|&(amp|lt|gt|#\d+);", "", line)
        assert not re.search(r"[`*_<>\[\]&~$\\@]|https:|www\.", rest), line
    # Without the escapes of Markdown, it is what a terminal would be shown.
    plain = re.sub(r"\\([\\`*_\[\]#|~$!^={}])", r"\1", lines[2 + 15])
    assert "`code` *bold* _it_ &lt;b&gt;html&lt;/b&gt; &amp; &amp;amp; [a](b)" in plain


def test_markdown_numbers_and_null() -> None:
    text = written(Format.MARKDOWN, ["n", "t"], [(-1.5, None), (None, "-")], numeric=[True, False])[0]
    assert text.splitlines()[2:] == ["| -1.5 | - |", "| - | - |"]


# --- tables


def test_a_piped_table_is_aligned_text() -> None:
    rows = [(1, "x", None), (-20, "日本", 2.5), (None, "", True)]
    text, remarks = written(Format.TABLE, ["n", "t", "c"], rows, numeric=[True, False, False])
    assert text == "  n  t     c\n  1  x     -\n-20  日本  2.5\n  -        true\n"
    assert remarks == ""


def test_no_rows_and_no_columns() -> None:
    assert written(Format.TABLE, ["a"], [])[0] == "a\n"
    assert written(Format.CSV, ["a"], [])[0] == "a\r\n"
    assert written(Format.JSON, ["a"], [])[0] == ""
    assert written(Format.MARKDOWN, ["a"], [])[0] == "| a |\n| --- |\n"


@pytest.mark.parametrize("form", [Format.TABLE, Format.MARKDOWN])
@pytest.mark.parametrize("terminal", [False, True])
@pytest.mark.usefixtures("wide")
def test_tables_have_no_control_characters(form: Format, terminal: bool) -> None:
    text = written(form, NASTY[:3], [NASTY[i : i + 3] for i in range(len(NASTY) - 2)], terminal=terminal)[0]
    text = re.sub(r"\x1b\[[\d;]*m", "", text) if terminal else text
    assert all(char.isprintable() or char == "\n" for char in text)
    assert "\\u001b" in text
    assert "\\u202e" in text


@pytest.mark.usefixtures("wide")
def test_a_terminal_gets_a_table_that_fits() -> None:
    rows = [(7, "word " * 40, "[red]markup[/red]")]
    text = written(Format.TABLE, ["n", "long", "text"], rows, numeric=[True, False, False], terminal=True)[0]
    plain = re.sub(r"\x1b\[[\d;]*m", "", text)
    assert max(map(len, plain.splitlines())) <= 100
    assert "[red]markup[/red]" in plain
    assert plain.count("word") == 40


def test_no_colours_where_none_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 100)
    monkeypatch.setenv("NO_COLOR", "1")
    text = written(Format.TABLE, ["n"], [(7,)], terminal=True)[0]
    assert not re.search(r"\x1b\[[\d;]*3\dm", text)
    monkeypatch.setenv("TERM", "dumb")
    assert written(Format.TABLE, ["n"], [(7,)], terminal=True)[0] == "n\n7\n"


def test_a_narrow_terminal_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 40)
    assert written(Format.TABLE, ["name"], [("x" * 50,)], terminal=True)[0].splitlines() == ["name", "x" * 50]


def test_many_columns_on_a_terminal_become_a_list_a_row(monkeypatch: pytest.MonkeyPatch) -> None:
    set_width(monkeypatch, 80)
    names = [f"a_long_name_{i}" for i in range(20)]
    text = written(Format.TABLE, names, [range(20), range(20)], terminal=True)[0]
    lines = text.splitlines()
    assert len(lines) == 42
    assert lines[0] == "-- row 1"
    assert lines[1].split() == ["a_long_name_0", "0"]
    assert "no rows" in written(Format.TABLE, names, [], terminal=True)[0]


# --- how many rows


@pytest.mark.parametrize(
    ("form", "limit", "expected"),
    [
        (Format.TABLE, None, 100),
        (Format.TABLE, 0, 150),
        (Format.TABLE, 7, 7),
        (Format.MARKDOWN, None, 150),
        (Format.CSV, None, 150),
        (Format.JSON, None, 150),
        (Format.CSV, 7, 7),
        (Format.JSON, 7, 7),
        (Format.MARKDOWN, 7, 7),
        (Format.CSV, 150, 150),
    ],
)
def test_limits(form: Format, limit: int | None, expected: int) -> None:
    text, remarks = written(form, ["i"], [(i,) for i in range(150)], limit=limit)
    head = {Format.TABLE: 1, Format.CSV: 1, Format.MARKDOWN: 2, Format.JSON: 0}[form]
    assert len(text.splitlines()) == expected + head
    said = f"only the first {expected} rows are written; --limit 0 writes all\n"
    assert remarks == (said if expected < 150 else "")


def test_values_as_text_and_json() -> None:
    for value, text, as_json in (
        (None, "", "null"),
        (False, "false", "false"),
        (0.1, "0.1", "0.1"),
        (1e300, "1e+300", "1e+300"),
        (Decimal("1E+2"), "100", "100"),
        ([[1], [None, "a"]], "[[1], [null, a]]", '[[1], [null, "a"]]'),
        ("\u2028", "\u2028", '"\\u2028"'),
    ):
        assert (value_text(value), value_json(value)) == (text, as_json)
