"""The verb ``explain``: what it prints, as text, as JSON, as Markdown, and about codes that there are not."""

from __future__ import annotations

import json

import pytest
import typer
from typer.testing import CliRunner

from tichu_analytics.replay import explain as module
from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.explain import all_pages, as_text, explain
from tichu_cli.explain import command

IDS = [page.code for page in all_pages()]


def run(*arguments: str) -> tuple[int, str, str]:
    app = typer.Typer()
    app.command()(command)
    result = CliRunner().invoke(app, list(arguments))
    return result.exit_code, result.stdout, result.stderr


def test_command_prints_pages_as_plain_text_when_piped() -> None:
    code, out, err = run("t312", "wish-missing", "T312")
    assert (code, err) == (0, "")
    assert out == as_text(explain("T312")) + "\n" + as_text(explain("T318"))


def test_command_lists_all_codes() -> None:
    code, out, _ = run()
    assert code == 0
    assert [line.split()[0] for line in out.split("\n") if line.startswith("  ")] == IDS
    headings = [line for line in out.split("\n") if line and not line.startswith(" ")]
    assert headings == list(module.group_names())


def test_command_on_unknown_codes() -> None:
    code, out, err = run("T312", "wish-ignord")
    assert code == 2
    assert out == as_text(explain("T312"))
    assert "T312 (wish-ignored)" in err


def test_command_as_json() -> None:
    code, out, _ = run("T317", "--format", "json")
    (page,) = json.loads(out)
    assert code == 0
    assert page["code"] == "T317" and page["options"] == ["wish_bomb_in_turn"] and "faq" in page["sources"]
    assert [line["text"] for line in page["example"] if line["is_wrong"]] == ["(1)Bertil: S4 B4 G4 R4"]
    code, out, _ = run("--format", "json")
    assert [entry["code"] for entry in json.loads(out)] == IDS
    code, out, err = run("nothing", "--format", "json")
    assert (code, json.loads(out)) == (2, []) and err


def test_command_as_markdown() -> None:
    code, out, _ = run("T001", "--format", "markdown")
    assert code == 0 and out == module.as_page_markdown(explain("T001"))
    code, out, _ = run("--format", "markdown")
    assert code == 0 and out.count("\n| T") == len(CODES)


def test_command_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tichu_cli.explain._is_terminal", lambda: True)
    code, out, _ = run("T312")
    assert code == 0
    assert "wish-ignored" in out and "> (2)Carla: SK" in out and "**" not in out


def test_groups_and_beginnings_of_codes(capsys):
    from tichu_cli.explain import Format, command

    command(["gifts"], Format.TEXT)
    group = capsys.readouterr().out
    command(["T4"], Format.TEXT)
    assert capsys.readouterr().out == group
    assert all(
        code in group for code, _, found in ((one.code, one.name, one.group) for one in all_pages()) if found == "gifts"
    )
