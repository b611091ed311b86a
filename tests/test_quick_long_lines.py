"""Lines that are too long to be read are no less so where a log is only vouched for."""

from __future__ import annotations

from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.regenerate_golden import DATA


@pytest.mark.parametrize("letters", [100, 3900, 4100, 7930, 7950, 30_000])
def test_long_names_are_checked_as_they_are_replayed(letters: int, tmp_path: Path) -> None:
    name = "x" * letters
    text = (DATA / "legal.tch").read_text(encoding="utf-8")
    log = tmp_path / "long.tch"
    log.write_text(text.replace("(0)Anouk", f"(0){name}").replace("Anouk: ", f"{name}: "), encoding="utf-8")
    replayed = [one.code for game in ta.read_games([str(log)]) for one in ta.replay(game).findings]
    assert [one.code for one in ta.check([str(log)])] == replayed
    assert ("T001" in replayed) == (letters > 7938)
