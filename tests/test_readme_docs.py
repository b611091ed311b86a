"""What the README shows is what the tool says."""

from __future__ import annotations

import contextlib
import io
import re
import tomllib
from pathlib import Path

import pytest
from typer import Exit

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.pages import fences, shell
from tichu_analytics.formats import bsw, tgr
from tichu_analytics.replay.game import replay
from tichu_cli.check import command

# The README -----------------------------------------------------------------------------------------------------------

README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_two_samples_of_the_readme_are_the_same_moment() -> None:
    (log,), (record,) = (fences(README, info) for info in ("text", "json"))
    lines = (ROOT / "sample_logs" / "1001.tch").read_text(encoding="utf-8").splitlines()
    assert log in "\n".join(line.rstrip() for line in lines) + "\n"
    sample = (ROOT / "sample_logs" / "tgr" / "1001.tgr.json").read_text(encoding="utf-8")
    assert record in re.sub(r"^ +", "", sample, flags=re.MULTILINE)
    count = record.count("\n")
    replayed = replay(tgr.loads(sample)).rounds[0].record.events
    game = bsw.loads("\n".join(lines).encode() + b"\n")
    first = next(number for number, line in enumerate(lines, 1) if line.rstrip() == log.splitlines()[0])
    ours = [event for event in game.rounds[0].events if first <= event.line < first + count]
    assert [(one.seat, one.cards) for one in ours] == [
        (one.seat, one.cards) for one in replayed if first <= one.line < first + count
    ]


def test_the_query_of_the_readme(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```\n(\$ tichu export .*?)^```$", README, re.MULTILINE | re.DOTALL)
    _, query, *answer = shown.splitlines()
    sql = re.fullmatch(r'\$ tichu query data "(.*)"', query)
    assert sql is not None
    logs = ROOT / "sample_logs"
    ta.export([*sorted(logs.glob("*.tch")), logs / "games.zip"], tmp_path / "data", tables=["hands"])
    assert shell("query", tmp_path / "data", sql[1]).splitlines() == answer


def test_the_statistics_of_the_readme(tmp_path: Path) -> None:
    (shown,) = re.findall(r"^```\n(\$ tichu stats .*?)^```$", README, re.MULTILINE | re.DOTALL)
    command, *answer = shown.splitlines()
    logs = ROOT / "sample_logs"
    ta.export([*sorted(logs.glob("*.tch")), logs / "games.zip"], tmp_path / "data")
    words = command.removeprefix("$ tichu stats data").split()
    assert shell("stats", tmp_path / "data", *words).splitlines() == answer


def test_the_finding_of_the_readme() -> None:
    (shown,) = re.findall(r"^```\n\$ tichu check (.*?)^```$", README, re.MULTILINE | re.DOTALL)
    path, *lines = shown.splitlines()
    out = io.StringIO()
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(out), pytest.raises(Exit):
        command([path], quiet=True, form="text")
    assert out.getvalue().splitlines() == lines


def test_the_status_of_the_readme() -> None:
    assert f"Version {ta.__version__}, alpha" in README
    classifiers = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["classifiers"]
    assert "Development Status :: 3 - Alpha" in classifiers
    speed = re.search(r"about ([\d,]+) rounds a second", README)
    row = re.search(r"^\| `check` \| ([\d,]+) \|", (ROOT / "docs" / "performance.md").read_text(encoding="utf-8"), re.M)
    assert speed is not None and row is not None
    told, measured = (int(found[1].replace(",", "")) for found in (speed, row))
    assert abs(told - measured) < 0.05 * measured
