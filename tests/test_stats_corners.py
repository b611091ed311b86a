"""Corners of statistics: every measure with any condition, compared by columns of its own, names and slips."""

from __future__ import annotations

import json

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.pages import shell, shell_code
from tichu_analytics.stats import contrasts
from tichu_analytics.stats.bases import BASES
from tichu_analytics.stats.contrasts import Cell
from tichu_analytics.stats.outcome import type_in_frame
from tichu_analytics.stats.registry import COLUMNS, CONTRAST, DIFFERENCE_COLUMNS, SHRUNK, measures

LONG = "x" * 300


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """A dozen games; one of the players has a name of three hundred letters."""
    folder = tmp_path_factory.mktemp("corners")
    (folder / "logs").mkdir()
    for path in sorted((ROOT / "sample_logs").glob("*.tch")):
        text = path.read_text(encoding="utf-8")
        name = text[text.index("(0)") + 3 :].split(" ")[0]
        text = text.replace(f"){name} ", f"){LONG} ").replace(f"){name}:", f"){LONG}:")
        (folder / "logs" / path.name).write_text(text, encoding="utf-8")
    return ta.export(folder / "logs", folder / "data")


@pytest.mark.parametrize("base", sorted({one.base for one in measures().values()}))
def test_a_condition_on_every_base(data: ta.Dataset, base: str) -> None:
    """One that all rows fulfil changes nothing, one that none does leaves nothing; both are told."""
    names = [name for name, one in measures().items() if one.base == base]
    plain = ta.stats.compute(data, measures=names)
    every = ta.stats.compute(data, measures=names, where="game_id <> ''")
    assert every.equals(plain)
    assert any("leaves out 0 of " in one and BASES[base].rows in one for one in every.attrs["rounds"]["removed"])
    none = ta.stats.compute(data, measures=names, where="game_id = ''")
    assert none["n"].sum() == 0


@pytest.mark.parametrize(
    ("name", "column"), [(name, column) for name, one in measures().items() for column in one.always_by]
)
def test_groups_of_a_measures_own(data: ta.Dataset, name: str, column: str) -> None:
    """Groups are compared by a column that the measure is grouped by in any case: all else is the same for both."""
    some = ta.stats.compute(data, measures=[name])
    some = some[some["n"] > 0]
    pairs = ta.stats.compare(data, measures=[name], by=[column])
    assert len(pairs) and (pairs[column] != pairs[f"other_{column}"]).all()
    kept = [one for one in measures()[name].columns if one != column]
    figures = {tuple(row[one] for one in (column, *kept)): row for row in some.astype(object).to_dict("records")}
    for row in pairs.astype(object).to_dict("records"):
        for mark in ("", "other_"):
            one = figures[(row[f"{mark}{column}"], *(row[other] for other in kept))]
            assert (one["n"], one["k"]) == (row[f"{mark}n" if mark else "n"], row[f"{mark}k" if mark else "k"])


def test_cases_are_not_compared_with_each_other(data: ta.Dataset) -> None:
    for name, one in measures().items():
        # Of bombs that are played the card of a bomb is a column as well.
        if one.spread is not None and one.spread.column not in BASES[one.base].columns:
            with pytest.raises(ValueError, match=f"{one.spread.column} tells cases apart"):
                ta.stats.compare(data, measures=[name], by=[one.spread.column])


def test_what_is_left_out_of_comparisons_is_told(data: ta.Dataset) -> None:
    frame = ta.stats.compare(data, measures=["tichu.call_association", "tichu.call_rate"], by=["seat"])
    assert set(frame["measure"]) == {"tichu.call_rate"}
    assert any(one.startswith("without tichu.call_association: ") for one in frame.attrs["remarks"])
    alone = ta.stats.compare(data, measures=["results.score_difference"], by=["game_id"])
    assert alone["low"].isna().all()
    assert any("comparisons with a group of a single game" in one for one in alone.attrs["remarks"])
    nothing = ta.stats.compare(data, measures=["tichu.call_rate"], by=["seat"], where="false")
    assert list(nothing.columns[: len(DIFFERENCE_COLUMNS)]) == list(DIFFERENCE_COLUMNS)
    assert list(ta.stats.compute(data, measures=["tichu.call_rate"], where="false").columns) == list(COLUMNS)


def test_means_without_any_difference_are_told(data: ta.Dataset) -> None:
    frame = ta.stats.compute(data, measures=["tichu.points_per_call"], where="call_success")
    assert frame["low"].tolist() == frame["high"].tolist() == [100]
    assert any("without any difference between games" in one for one in frame.attrs["remarks"])
    zero = ta.stats.compute(data, measures=["results.seat_score_difference"])
    assert not any("without any difference" in one for one in zero.attrs["remarks"])


def test_hands_of_an_unknown_kind_are_not_compared() -> None:
    known: dict[str | None, Cell] = {"a": Cell(2, 30, 3, 15)}
    one = contrasts.contrast({0: {**known, None: Cell(5, 1_000, 5, -1_000)}, 1: known}, 4)
    assert one.estimate.value == 10 and (one.sums.n, one.calls, one.others) == (4, 9, 6)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--by", "Seat"], "there is no column 'Seat'; did you mean seat"),
        (["--by", "a" * 3_000], "there is no column 'aaa"),
        (["--where", "sum(seat) > 1"], "WHERE clause cannot contain aggregates"),
        (["--where", "row_number() over () > 1"], "WHERE clause cannot contain window functions"),
    ],
)
def test_slips(data: ta.Dataset, words: list[str], said: str) -> None:
    code, text = shell_code("stats", str(data.path), "tichu", *words)
    (line,) = text.splitlines()
    assert code == 2 and said in line and "tichu.call_rate" not in line and len(line) < 200


def test_a_list_of_what_there_is_not() -> None:
    code, text = shell_code("stats", "--list", "tihcu")
    assert code == 2 and "there is no subject 'tihcu'; did you mean tichu?" in text


def test_long_names_are_shortened_in_tables_alone(data: ta.Dataset) -> None:
    asked = ("stats", str(data.path), "--measures", "players.win_rate", "--format")
    table = shell(*asked, "table")
    assert f" {LONG[:57]}... " in table and LONG not in table
    assert max(map(len, table.splitlines())) < 200
    assert all(LONG in shell(*asked, form) for form in ("csv", "json", "markdown"))


@pytest.mark.parametrize("by", [[], ["seat"], ["call", "aces8"], ["player"]])
@pytest.mark.parametrize("distribution", [False, True])
def test_a_result_without_rows_has_the_same_columns(data: ta.Dataset, by: list[str], distribution: bool) -> None:
    names = ["tichu.success_rate", "tichu.points_per_call", "tichu.call_association", "bombs.points_won"]
    names += ["exchange.given_rate", "bombs.thrown_on_rate"]
    for one in names:
        try:
            some = ta.stats.compute(data, measures=[one], by=by, distribution=distribution)
        except ValueError:
            continue
        none = ta.stats.compute(data, measures=[one], by=by, distribution=distribution, where="game_id = ''")
        assert list(none.dtypes.items()) == list(some.dtypes.items()), one
        assert list(some)[: len(COLUMNS)] == list(none)[: len(COLUMNS)] == list(COLUMNS)
        if by and not distribution and one != "tichu.call_association":
            pairs = ta.stats.compare(data, measures=[one], by=by, min_n=20)
            without = ta.stats.compare(data, measures=[one], by=by, where="game_id = ''")
            assert not len(without) and {*DIFFERENCE_COLUMNS, *by, *(f"other_{name}" for name in by)} <= set(without)
            assert list(pairs.dtypes.items()) == list(without.dtypes.items()), one


@pytest.mark.parametrize(
    ("subject", "column", "wanted"),
    [
        ("tichu", "seat", "Int64"),
        ("tichu", "player", "string"),
        ("tichu", "legal", "boolean"),
        ("tichu", "score_gap", "Int64"),
        ("bombs", "rank", "Float64"),  # of plays it is 14.5 for a Phoenix, of bombs in a hand a whole number
        ("exchange", "card", "string"),
        ("tichu", "broken_by", "string"),
    ],
)
def test_the_types_of_groups_are_the_same_without_rows(
    data: ta.Dataset, subject: str, column: str, wanted: str
) -> None:
    some = ta.stats.compute(data, subject, by=[column])
    assert len(some) and some[column].dtype == wanted
    for none in (
        ta.stats.compute(data, subject, by=[column], where="game_id = ''"),
        ta.stats.compute(data, subject, by=[column], min_n=10**9),
    ):
        # Without another column to group by, the cases of a spread have a row each in any case.
        assert len(none) <= len(some) and list(none.dtypes.items()) == list(some.dtypes.items())


def test_types_of_several_populations() -> None:
    assert type_in_frame(["TINYINT", "BIGINT"]) == "Int64"
    assert type_in_frame(["TINYINT", "FLOAT"]) == "Float64"
    assert type_in_frame(["VARCHAR", "ENUM('a', 'b')"]) == "string"
    assert type_in_frame(["TINYINT", "VARCHAR"]) == type_in_frame(["DATE"]) == "object"


def test_columns_have_one_order(data: ta.Dataset) -> None:
    """Those that are asked for, those of the measures, and what else is told, whatever rows there are."""
    wanted = [*COLUMNS, "player", "received_from", "card", *SHRUNK, *CONTRAST]
    names = ["tichu.call_association", "exchange.received_rate", "tichu.call_rate"]
    asked = ["--by", "player", "--measures", ",".join(names), "--format"]
    for more in ([], ["--min-n", "1000000"], ["--where", "1=0"]):
        text = shell("stats", data.path, *asked, "csv", *more)
        assert [line.split(",") for line in text.splitlines() if line.startswith("measure,")] == [wanted]
    frame = ta.stats.compute(data, measures=names, by="player")
    assert list(frame) == wanted
    for line in shell("stats", data.path, *asked, "json").splitlines():
        if line.startswith("{"):
            there = list(json.loads(line))
            assert there == [name for name in wanted if name in there]
    pairs = ta.stats.compare(data, measures=["exchange.received_rate"], by=["seat"], where="round = 1")
    assert list(pairs)[len(DIFFERENCE_COLUMNS) :] == ["seat", "other_seat", "received_from", "card"]


def test_the_heads_of_csv_are_the_same_without_rows(data: ta.Dataset) -> None:
    words = ["tichu", "--by", "seat", "--measures", "tichu.success_rate", "--format", "csv"]
    some = shell("stats", data.path, *words)
    none = shell("stats", data.path, *words, "--where", "game_id = ''")
    rows = [[line for line in one.splitlines() if not line.startswith("tichu: ")] for one in (some, none)]
    assert rows[1] == rows[0][:1] and "seat" in rows[1][0].split(",")
