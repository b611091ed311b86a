"""The Python entry points: reading, replaying, checking."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import tichu_analytics as ta
from tichu_analytics.replay.game import replay


def test_replay_of_several_games(root: Path) -> None:
    games = list(ta.read_games(root / "sample_logs" / "1001.tch"))
    games += ta.read_games([str(root / "sample_logs" / "1002.tch"), str(root / "sample_logs" / "1003.tch")])
    assert [game.game_id for game in games] == ["1001", "1002", "1003"]
    for game in games:
        found = ta.replay(game)
        assert found.rules == "bsw"
        assert found == replay(game, "bsw")
        assert found.outcome == "finished"
        assert max(found.totals) >= 1000


def test_the_function_replay_stays_a_function() -> None:
    """It has the name of a sub-package, which the import of a module of it must not put in its place."""
    program = (
        "import tichu_analytics as ta; import tichu_analytics.replay.state; from tichu_analytics import replay;"
        "assert callable(ta.replay) and callable(replay)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_check(root: Path) -> None:
    folder = root / "sample_logs" / "faulty"
    findings = list(ta.check(folder))
    assert {finding.path for finding in findings} == {path.name for path in folder.iterdir()} - {"README.md"}
    assert not list(ta.check(root / "sample_logs" / "1001.tch", rules="official"))


def test_unreadable_inputs_come_last(root: Path) -> None:
    paths = [root / "missing.tch", root / "sample_logs" / "1001.tch"]
    games = ta.read_games(paths)
    assert next(games).game_id == "1001"
    with pytest.raises(ta.UnreadableInput, match=r"missing\.tch"):
        next(games)
    with pytest.raises(ta.UnreadableInput):
        list(ta.check(paths))


def test_unknown_rule_set(root: Path) -> None:
    game = next(ta.read_games(root / "sample_logs" / "1001.tch"))
    with pytest.raises(ValueError, match="official"):
        ta.replay(game, rules="house")
    with pytest.raises(ValueError, match="official"):
        list(ta.check(root / "sample_logs", rules="house"))
