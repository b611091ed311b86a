"""Intervals for counts of one's own: the same as of measures, from tables of any kind, and clear words otherwise."""

from __future__ import annotations

import random
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.second_stats.base import interval
from tichu_analytics.stats.registry import COLUMNS, UnknownName, WrongMeasure

FIGURES = ["n", "k", "n_games", "estimate", "low", "high"]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    return ta.export(ROOT / "sample_logs" / "games.zip", tmp_path_factory.mktemp("own") / "data")


def figures(frame: pd.DataFrame) -> list[list[Any]]:
    return frame[FIGURES].astype(object).where(frame[FIGURES].notna(), None).values.tolist()


def test_rows_of_a_game_are_added_up(data: ta.Dataset) -> None:
    counts = data.sql("""
        select game_id, seat, score_own > score_opponents as ahead, count(*) as n, count(*) filter (call = 'tichu') as k
        from hands group by all
    """)
    mine = ta.stats.estimate(counts, by=["seat"])
    assert list(mine) == [*COLUMNS, "seat"]
    assert mine["seat"].tolist() == [0, 1, 2, 3]
    assert mine["n"].sum() == len(data.hands)
    again = ta.stats.estimate(data.sql("select game_id, seat, call = 'tichu' as k from hands"), by="seat", n=None)
    assert figures(again) == figures(mine)


def test_the_figures_of_measures_exactly(data: ta.Dataset) -> None:
    won = ta.stats.tichu(data, by=["seat"], measures=["tichu.success_rate"])
    mine = ta.stats.estimate(
        data.sql("select game_id, seat, finish is not distinct from 1 as k from hands where call = 'tichu'"),
        by=["seat"],
        n=None,
    )
    assert figures(mine) == figures(won)
    assert mine["unit"].tolist() == ["proportion"] * 4
    calls = ta.stats.compute(data, measures=["results.tricks_per_round"])
    counted = data.sql("select game_id, 1 as n, n_tricks as tricks from rounds where legal and complete")
    assert figures(ta.stats.estimate(counted, k="tricks", unit="tricks")) == figures(calls)


@pytest.mark.parametrize("is_rate", [True, False])
def test_against_a_second_computation(is_rate: bool) -> None:
    draw = random.Random(7)
    rows = [(draw.randrange(40), draw.randrange(5)) for _ in range(400)]
    frame = pd.DataFrame([(game, n, draw.randint(0, n)) for game, n in rows], columns=["game_id", "n", "k"])
    found = ta.stats.estimate(frame, unit="proportion" if is_rate else "points")
    sums = frame.groupby("game_id").sum()
    wanted = interval(sums["n"].to_numpy(), sums["k"].to_numpy(), is_rate=is_rate)
    assert figures(found)[0][:3] == list(wanted[:3])
    assert figures(found)[0][3:] == pytest.approx(list(wanted[3:]))
    # The order of rows is nothing, and neither is whether a game comes in one row or in many.
    assert figures(ta.stats.estimate(frame[::-1], unit=found["unit"][0])) == figures(found)
    assert figures(ta.stats.estimate(sums.reset_index(), unit=found["unit"][0])) == figures(found)


def test_tables_of_all_kinds_say_the_same(data: ta.Dataset) -> None:
    polars = pytest.importorskip("polars", reason="Polars is not installed")
    sql = "select game_id, call, sum(1) as n, sum((finish is not distinct from 1)::int) as k from hands group by all"
    answer = data.sql(sql)
    frame = answer.to_pandas()
    arrow = pa.Table.from_pandas(frame)
    wanted = ta.stats.estimate(answer, by="call")
    assert wanted["call"].tolist() == ["none", "tichu", "grand"]  # as everywhere, not by letters
    for other in (frame, arrow, polars.from_arrow(arrow), frame.assign(k=[Decimal(int(k)) for k in frame["k"]])):
        pd.testing.assert_frame_equal(ta.stats.estimate(other, by=["call"]), wanted)
    as_float = frame.assign(k=frame["k"].astype(float), n=frame["n"].astype(np.float32))
    pd.testing.assert_frame_equal(ta.stats.estimate(as_float, by="call"), wanted)


def test_a_mean_in_halves() -> None:
    frame = pd.DataFrame({"game_id": ["a", "b", "c"], "n": [1, 2, 1], "k": [3, 8, 2]})
    whole = ta.stats.estimate(frame, unit="points")
    halves = ta.stats.estimate(frame, unit="points", divisor=2)
    assert halves["k"].tolist() == whole["k"].tolist() == [13]
    assert halves[["estimate", "low", "high"]].values[0] == pytest.approx(
        whole[["estimate", "low", "high"]].values[0] / 2
    )


def test_groups_of_null_of_nothing_and_of_one_game() -> None:
    frame = pd.DataFrame({"game_id": [1, 1, 2, 3], "rank": [5, None, 5, 2], "n": [2, 1, 3, 0], "k": [1, 1, 2, 0]})
    found = ta.stats.estimate(frame, by=["rank"])
    assert found["rank"].isna().tolist() == [False, False, True]
    assert figures(found)[0] == [0, 0, 0, None, None, None]
    assert figures(found)[1][:4] == [5, 3, 2, 0.6]
    assert figures(found)[2] == [1, 1, 1, 1.0, None, None]
    assert found.attrs["remarks"] == ["1 row of a single game: no interval, since nothing is known of other games"]
    assert figures(ta.stats.estimate(frame[:0])) == [[0, 0, 0, None, None, None]]
    empty = ta.stats.estimate(frame[:0], by="rank")
    assert (list(empty), len(empty)) == ([*COLUMNS, "rank"], 0)


def rows(**columns: Any) -> pd.DataFrame:
    return pd.DataFrame({"game_id": ["g1", "g2"], "n": [2, 2], "k": [1, 0]} | columns)


@pytest.mark.parametrize(
    ("counts", "options", "words"),
    [
        (rows(), {"by": "seat"}, "no column 'seat' among the counts; they have game_id, n, k"),
        (rows(), {"k": "met"}, "no column 'met' among the counts"),
        (rows(), {"game": "game"}, "no column 'game' among the counts"),
        (rows(k=[1, None]), {}, r"k is missing in row 1; .* coalesce\(k, 0\)"),
        (rows(n=[2, float("inf")]), {}, "n is inf in row 1, not a whole number"),
        (rows(k=[0.5, 1]), {}, "k is 0.5 in row 0, not a whole number; halves are doubled, with divisor=2"),
        (rows(k=["1", 1]), {}, "k is '1' in row 0, not a whole number"),
        (rows(game_id=["g1", None]), {}, "game_id is missing in row 1; an interval needs to know"),
        (rows(k=[1, 3]), {}, "game g2 counts 3 of 2; a mean instead of a rate has a unit, such as unit='points'"),
        (rows(k=[1, -1], seat=[0, 1]), {"by": "seat"}, "k is -1 in row 1, less than none"),
        (rows(n=[2, -2]), {"unit": "points"}, "n is -2 in row 1, less than none$"),
        (rows(game_id=["g", "g"], n=[-1, 3]), {}, "n is -1 in row 0, less than none$"),
        (rows(game_id=["g", "g"], k=[2, -1]), {}, "k is -1 in row 1, less than none$"),
        (rows(k=[1, 3], seat=[0, 1]), {"by": "seat"}, "game g2, seat 1 counts 3 of 2"),
        (rows(game_id=["g\x1b[31m", "h"], k=[3, 1]), {}, r"game g\\u001b\[31m counts 3 of 2"),
        (rows(n=[2, 2**62], k=[0, 2**63]), {"unit": "points"}, "k is 9223372036854775808 in row 1, with which the col"),
        (
            rows(n=[2**62, 2**62]),
            {},
            "n is 4611686018427387904 in row 1, with which the column adds up to more than 9,2",
        ),
        (rows(n=[2, 10**300]), {}, "n is a number of about 301 digits in row 1, with which"),
        (rows(k=[10**400, 1]), {"unit": "points"}, "k is a number of about 401 digits in row 0, with which"),
        (rows(k=[Decimal("1E+999999999999"), 1]), {}, r"k is 1E\+999999999999 in row 0, with which"),
        (rows(k=[Decimal("inf"), 1]), {}, "k is Infinity in row 0, not a whole number"),
        (rows(k=[Decimal("snan"), 1]), {}, "k is missing in row 0"),
        (rows(k=[1e300, 1]), {}, r"k is 1e\+300 in row 0, with which"),
        (rows(k=["9" * 10_000, 1]), {}, r"k is '9{57}\.\.\.' in row 0, not a whole number"),
        (rows(k=[np.timedelta64(1, "s"), 1]), {}, "k is .*timedelta.* in row 0, not a whole number"),
        (rows(k=[[1], 1]), {}, r"k is \[1\] in row 0, not a whole number"),
        (rows(k=[1j, 1]), {}, "k is 1j in row 0, not a whole number"),
        (rows(g=[1, "x\x1b"]), {"by": "g"}, r"g is 'x\\x1b' in row 1 and 1 in row 0, which have no order"),
        (rows(g=[None, [1]]), {"by": "g"}, r"g is \[1\] in row 1; single values can be grouped by, no list"),
        (rows(g=[{}, 1]), {"by": "g"}, r"g is {} in row 0; single values can be grouped by, no dict"),
        (rows(g=pd.Series(["\ud800", "a"], dtype=object)), {"by": "g"}, r"g is '\\ud800' in row 0, which is no text"),
        (rows(game_id=[["g"], "h"]), {}, r"game_id is \['g'\] in row 0; a game has a single value, no list"),
        (rows(), {"by": [["n"]]}, "is no name of a column"),
        (rows(), {"unit": "points", "divisor": 10**400}, "the divisor is a number of about 401 digits"),
        (rows(n=[2, 0], k=[1, 4]), {"unit": "points"}, "game g2 counts 4 of 0"),
        (rows(), {"by": "n"}, "every result has a column n; name the one to group by otherwise"),
        (rows(), {"divisor": 2}, "a rate is a proportion, without another unit or a divisor"),
        (rows(), {"unit": "points", "divisor": 0}, "the divisor is a whole number from 1 on"),
        (rows(), {"name": "Mine"}, "'Mine' is no name for a measure"),
        (pd.concat([rows(), rows()[["k"]]], axis=1), {}, "there are 2 columns 'k' among the counts"),
    ],
)
def test_what_no_estimate_can_be_made_of(counts: pd.DataFrame, options: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words) as caught:
        ta.stats.estimate(counts, **options)
    assert issubclass(caught.type, (UnknownName, WrongMeasure)) or caught.type.__name__ == "WrongCount"


@pytest.mark.parametrize(
    "kind",
    [int, float, bool, Decimal, np.int8, np.uint64, np.float32, np.longdouble, np.bool_],
    ids=lambda one: one.__name__,
)
def test_whole_numbers_of_all_kinds(kind: Callable[[int], Any]) -> None:
    counts = rows(n=pd.Series([kind(1), kind(1)], dtype=object), k=pd.Series([kind(1), kind(0)], dtype=object))
    assert figures(ta.stats.estimate(counts)) == figures(ta.stats.estimate(rows(n=[1, 1])))


def test_the_types_of_groups_of_ones_own() -> None:
    times = pd.to_datetime(["2020-01-01", "2021-01-01"])
    counts = rows(seat=[0, 1], name=["a", "b"], yes=[True, False], month=times, kind=pd.Categorical(["x", "y"]))
    by = ["seat", "name", "yes", "month", "kind"]
    some, none = ta.stats.estimate(counts, by=by), ta.stats.estimate(counts[:0], by=by)
    assert list(some.dtypes.items()) == list(none.dtypes.items())
    durations = rows(time=pd.to_timedelta([0, 1], unit="s"))
    assert ta.stats.estimate(durations, by="time")["time"].is_monotonic_increasing
    mixed = pd.Series([1, Decimal("0.5")], dtype=object)
    assert ta.stats.estimate(rows(g=mixed), by="g")["g"].tolist() == [Decimal("0.5"), 1]


@pytest.mark.parametrize("counts", [[(1, 2)], "hands", None, Path("data")])
def test_what_is_no_table(counts: Any) -> None:
    with pytest.raises(TypeError, match="counts are an answer to a question or a table, not "):
        ta.stats.estimate(counts)
