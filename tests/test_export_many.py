"""Exports of folders with many files, of which each has a number of its own."""

from __future__ import annotations

from pathlib import Path

import tichu_analytics as ta
from tests.conftest import ROOT
from tichu_analytics.formats.places import game_number
from tichu_analytics.tables.plan import Numbers

ROUND = "---------------Gr.Tichukarten------------------"


def test_a_folder_of_more_than_256_files(tmp_path: Path) -> None:
    """Every file is read, and of those with the same id beyond the first 256 it is told which is which."""
    text = (ROOT / "sample_logs" / "1001.tch").read_text(encoding="utf-8")
    first = text.index(ROUND)
    short = text[: text.index(ROUND, first + 1)]
    for number in range(290):
        (tmp_path / "logs" / f"{number:03}").mkdir(parents=True)
        (tmp_path / "logs" / f"{number:03}" / f"{number:03}.tch").write_text(short, encoding="utf-8")
    other = text[text.index(ROUND, first + 1) :]
    for number in (5, 280):
        (tmp_path / "logs" / f"{number:03}" / "same.tch").write_text(short if number == 5 else other, encoding="utf-8")
    data = ta.export(tmp_path / "logs", tmp_path / "data")
    ids = data.games.to_pandas()["game_id"].tolist()
    assert len(ids) == 292 and len(set(ids)) == 292
    assert sum(one.startswith("same~") for one in ids) == 2
    assert data.info["rounds"] >= 292


def test_numbers_of_any_size() -> None:
    """Millions of files, members and lines at once are told apart."""
    numbers = Numbers()
    wanted = [0, game_number(255 << 56, 3, 7), game_number(256 << 56, 0, 1), game_number(5_000_000 << 56, 2**23, 2**31)]
    for number in wanted:
        numbers.append(number)
    assert len(numbers) == 4 and [numbers[place] for place in range(4)] == wanted == sorted(wanted)
