"""Every measure equals a second computation in pandas, on as many simulated games as one likes."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import tichu_analytics as ta
from tests.second_stats import bombs, hands
from tests.second_stats.base import Figure, Tables
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.stats.registry import CONTRAST, SHRUNK, is_own, measures

#: How many games are simulated; CONTRIBUTING.md tells when it is worth to take more.
GAMES = int(os.environ.get("TICHU_STATS_GAMES", "200"))


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """Games of both styles of play, of players who meet again; some are left early, some are damaged."""
    folder = tmp_path_factory.mktemp("second")
    (folder / "logs").mkdir()
    half = GAMES // 2
    series = simulate_series(GAMES - half, 61, wants=Wants(players=24, abandoned=10))
    for style, some in (("a", series), ("b", simulate_games(half, 62))):
        for number, game in enumerate(some):
            text = game.text
            if number % 9 == 4:
                # A line twice in the middle: that round is not played legally, or not complete.
                lines = text.splitlines(keepends=True)
                lines.insert(len(lines) // 2, lines[len(lines) // 2])
                text = "".join(lines)
            (folder / "logs" / f"{style}{game.game_id}.tch").write_text(text, encoding="utf-8", newline="\n")
    return ta.export(folder / "logs", folder / "data")


def counted(data: ta.Dataset) -> Tables:
    """All figures by the second computation."""
    found = Tables(data)
    for work in (hands.calls, hands.exchange, hands.results, hands.players, bombs.everything):
        work(found)
    return found


@pytest.fixture(scope="module")
def tables(data: ta.Dataset) -> Tables:
    return counted(data)


def shipped() -> list[str]:
    return [name for name, one in measures().items() if not is_own(one)]


def test_every_measure_has_a_second_computation(tables: Tables) -> None:
    assert tables.names == set(shipped())


def rows_of(frame: pd.DataFrame) -> dict[tuple[Any, ...], Figure]:
    """The figures of each row, by the columns that tell them apart."""
    groups = [name for name in frame.columns[9:] if name not in (*SHRUNK, *CONTRAST)]
    found = {}
    for row in frame.astype(object).to_dict("records"):
        ends = [None if pd.isna(row[name]) else row[name] for name in ("estimate", "low", "high")]
        found[(row["measure"], *(row[name] for name in groups))] = Figure(row["n"], row["k"], row["n_games"], *ends)
    return found


def assert_same(data: ta.Dataset, tables: Tables, name: str) -> None:
    """Counts are the same exactly; what is worked out from them with fractions, but for rounding."""
    wanted = {key: figure for key, figure in tables.figures.items() if key[0] == name}
    found = rows_of(ta.stats.compute(data, measures=[name]))
    assert set(found) == set(wanted)
    assert sum(figure.n for figure in wanted.values()) > 0
    for key, figure in wanted.items():
        assert found[key][:3] == figure[:3], key
        for mine, its in zip(found[key][3:], figure[3:], strict=True):
            assert (mine is None) == (its is None), key
            assert mine is None or mine == pytest.approx(its, rel=1e-9, abs=1e-9), key


@pytest.mark.parametrize("name", shipped())
def test_a_measure(data: ta.Dataset, tables: Tables, name: str) -> None:
    assert_same(data, tables, name)


def test_where_anything_is_passed(shared: Path, tmp_path: Path) -> None:
    """Games in which any card is passed to anybody, which no player would do: the Phoenix to an opponent, say."""
    data = ta.export([shared / "checks" / name for name in ("legal", "legal_odd_names")], tmp_path / "data")
    passed = data.exchanges.to_pandas()
    assert len(set(zip(passed["card"], passed["passed_to"], strict=True))) == 56 * 3
    tables = counted(data)
    # All at once as well: what one measure asks for may not stand in the way of others.
    assert set(ta.stats.compute(data)["measure"]) < tables.names
    for name in shipped():
        assert_same(data, tables, name)
