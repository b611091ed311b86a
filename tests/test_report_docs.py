"""What docs/report.md says, and that the sample report is that of the sample games."""

from __future__ import annotations

import re
import shlex
from importlib.metadata import version
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.pages import fences, section, shell, tables
from tests.report_pages import ReportPage
from tichu_analytics.report.making import collection_report
from tichu_analytics.report.page import report_page
from tichu_analytics.report.plans import SECTIONS

TEXT = (ROOT / "docs" / "report.md").read_text(encoding="utf-8")
SAMPLE = ROOT / "docs" / "sample_report.html"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data set and the logs that the page names."""
    folder = tmp_path_factory.mktemp("report_docs")
    logs = ROOT / "sample_logs"
    ta.export([*sorted(logs.glob("*.tch")), logs / "games.zip"], folder / "data")
    (folder / "logs.zip").symlink_to(logs / "games.zip")
    return folder


def test_the_sample_is_that_of_the_sample_games(here: Path) -> None:
    """After an intended change: make demo."""
    page = report_page(collection_report(ta.Dataset(here / "data")))
    committed = SAMPLE.read_text(encoding="utf-8")
    new, old = ReportPage(page), ReportPage(committed)
    assert {key: (one.text, one.rows) for key, one in new.articles.items()} == {
        key: (one.text, one.rows) for key, one in old.articles.items()
    }
    # How figures are drawn may differ between versions of what draws them; with those that are pinned it does not.
    pinned = dict(re.findall(r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(encoding="utf-8"), re.M))
    if all(version(name) == pinned[name] for name in ("matplotlib", "numpy", "pandas", "Jinja2")):
        assert page == committed


def test_commands_of_the_page(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    (block,) = fences(TEXT, "sh")
    lines = [shlex.split(line, comments=True) for line in block.splitlines()]
    assert len(lines) == 4
    for name, *words in lines:
        assert name == "tichu"
        shell(*words, "--force")
    assert len(list(here.glob("*.html"))) == 3 and len(list((here / "tables").iterdir())) > 30


def test_python_of_the_page(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(here)
    (block,) = fences(TEXT, "python")
    names: dict[str, object] = {}
    exec(compile(block, "report.md", "exec"), names)
    assert str(names["page"]).startswith("<!doctype html>")
    assert "('whose', 'measure', 'population')" in capsys.readouterr().out


def test_sections_and_options_are_those_that_there_are() -> None:
    listed = re.findall(r"^\d\. \*\*(.+):\*\*", section("The page", TEXT), re.M)
    assert listed == ["Overview and data quality", *(one.title for one in SECTIONS)]
    (options,) = tables(section("Options", TEXT))
    said = shell("report", "--help")
    named = {re.search(r"--[a-z]+", row[0])[0] for row in options[1:]}  # type: ignore[index]
    assert named == set(re.findall(r"--[a-z]+", said)) - {"--help"} | named
    assert all(name in said for name in named)
