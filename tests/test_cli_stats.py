"""The verb ``stats``, most calls a process of its own."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.exporting import environment, heed_the_end_of_the_terminal
from tichu_analytics.simulate import simulate_games
from tichu_analytics.stats.registry import Measure, WrongMeasure, register

COLUMNS = ["measure", "population", "n", "k", "n_games", "estimate", "low", "high", "unit"]
NAMES = ["=1+1", "x" * 300, "\u05d0\u05d1\u05d2\u202e|abc", "<b>Ann</b>\x1b[31m"]


def tichu(*args: object, temp: Path | None = None, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", "stats", *map(str, args)],
        env=environment() | {"PYTHONUTF8": "1"} | ({"TMPDIR": str(temp)} if temp else {}),
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        **more,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("stats") / "data"
    ta.export([ROOT / "sample_logs" / "games.zip", ROOT / "sample_logs" / "faulty"], out)
    return out


def rows(text: str) -> list[dict]:
    return [json.loads(line) for line in text.splitlines()]


def test_json_is_what_python_gives(data: Path) -> None:
    result = tichu(data, "tichu", "--by", "seat", "--format", "json", "--where", "has(held, 'Dr')")
    assert result.returncode == 0
    found = rows(result.stdout)
    assert [list(row) for row in found] == [[*COLUMNS, "seat"]] * 32
    frame = ta.stats.tichu(data, by=["seat"], where="has(held, 'Dr')")
    assert list(frame.columns) == [*COLUMNS, "seat"]
    for row, wanted in zip(found, frame.astype(object).to_dict("records"), strict=True):
        assert all(row[name] == wanted[name] for name in row if row[name] is not None)
    # What is left out is told beside it.
    assert "rounds are counted; " in result.stderr and "seat-rounds, and with them" in result.stderr


def test_without_groups_there_are_no_columns_of_groups(data: Path) -> None:
    found = rows(tichu(data, "--format", "json").stdout)
    by_measure = {row["measure"]: list(row) for row in found}
    assert by_measure["tichu.call_rate"] == COLUMNS
    assert by_measure["exchange.received_rate"] == [*COLUMNS, "received_from", "card"]
    cards = [(row["received_from"], row["card"]) for row in found if row["measure"] == "exchange.received_rate"]
    names = [*map(str, range(2, 11)), "J", "Q", "K", "A", "Ma", "Do", "Ph", "Dr"]
    assert cards == [(way, name) for way in ("right", "partner", "left") for name in names]


def test_every_format_has_the_same_figures(data: Path) -> None:
    args = (data, "results", "--by", "near_end")
    wanted = rows(tichu(*args, "--format", "json").stdout)
    text = tichu(*args, "--format", "csv")
    found = list(csv.DictReader(io.StringIO(text.stdout)))
    assert [(row["measure"], row["n"], row["k"], row["estimate"]) for row in found] == [
        (row["measure"], str(row["n"]), str(row["k"]), str(row["estimate"])) for row in wanted
    ]
    assert "rounds are counted" in text.stderr and "rounds are counted" not in text.stdout
    for form in ("table", "markdown"):
        said = tichu(*args, "--format", form)
        for row in wanted:
            line = [row["measure"].replace("_", "\\_") if form == "markdown" else row["measure"], str(row["n"])]
            assert any(
                all(word in shown.replace("|", " ").split() for word in line) for shown in said.stdout.splitlines()
            )
        assert "rounds are counted; " in said.stdout
    assert "(share of team-rounds): How often a team goes out first and second." in tichu(*args).stdout


def test_exclusions_are_listed_by_reason(data: Path) -> None:
    said = tichu(data, "results", "--measures", "results.score_difference").stdout
    info = ta.Dataset(data).info
    assert f"{info['rounds_kept']:,} of {info['rounds']:,} rounds are counted" in said
    for reason, count in info["rounds_excluded"].items():
        assert f"{reason} {count}" in said
    said = tichu(data, "tichu", "--where", "seat = 0 and round > 2", "--measures", "tichu.call_rate").stdout
    rounds = ta.Dataset(data).rounds.to_pandas(where="legal")
    gone = int((rounds["round"] <= 2).sum())
    kept = len(rounds) - gone
    assert f"leaves out {4 * len(rounds) - kept:,} of {4 * len(rounds):,} seat-rounds, and with them {gone}" in said
    attrs = ta.stats.tichu(data, where="seat = 0").attrs
    assert attrs["rounds"]["excluded"] == info["rounds_excluded"] and attrs["rounds"]["removed"]


def test_logs_are_as_good_as_a_data_set(tmp_path: Path, data: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    args = ("bombs", "--format", "json", "--by", "seat")
    folder = tmp_path / "logs"
    folder.mkdir()
    for game in simulate_games(3, 8):
        (folder / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    ta.export(folder, tmp_path / "data")
    assert tichu(folder, *args, temp=temp).stdout == tichu(tmp_path / "data", *args).stdout != ""
    log = folder / "000001.tch"
    with log.open("rb") as stream:
        assert tichu("-", *args, stdin=stream, temp=temp).stdout == tichu(log, *args).stdout
    assert not list(temp.iterdir())


def test_unreadable_logs_are_named_and_the_others_counted(tmp_path: Path) -> None:
    (game,) = simulate_games(1, 9)
    (tmp_path / "fine.tch").write_text(game.text, encoding="utf-8", newline="\n")
    (tmp_path / "broken.zip").write_bytes(b"PK nonsense")
    result = tichu(tmp_path, "results", "--format", "json")
    assert result.returncode == 2
    assert "broken.zip" in result.stderr and len(rows(result.stdout)) > 5


def test_one_game_has_estimates_and_no_intervals(tmp_path: Path) -> None:
    (game,) = simulate_games(1, 9)
    (tmp_path / "one.tch").write_text(game.text, encoding="utf-8", newline="\n")
    result = tichu(tmp_path / "one.tch", "--format", "json")
    assert result.returncode == 0 and "of a single game each: no interval" in result.stderr
    for row in rows(result.stdout):
        assert (row["low"], row["high"]) == (None, None) and (row["estimate"] is None) == (row["n"] == 0)


def test_no_rounds_at_all(tmp_path: Path) -> None:
    (game,) = simulate_games(1, 9)
    (tmp_path / "cut.tch").write_text(game.text[:900], encoding="utf-8", newline="\n")
    result = tichu(tmp_path / "cut.tch", "--format", "json")
    assert result.returncode == 0 and "0 of 1 round is counted" in result.stderr
    found = rows(result.stdout)
    assert {(row["n"], row["k"], row["estimate"]) for row in found} == {(0, 0, None)}
    assert {row["measure"] for row in found} >= {"tichu.call_rate", "exchange.received_rate", "results.rounds_per_game"}
    result = tichu(tmp_path / "cut.tch", "tichu", "--by", "seat")
    assert result.returncode == 0 and result.stdout.startswith("measure")


@pytest.mark.parametrize("form", ["csv", "markdown", "table", "json"])
def test_names_of_players_do_no_harm(tmp_path: Path, form: str) -> None:
    for number, game in enumerate(simulate_games(2, 10)):
        text = game.text
        old = [line.partition(")")[2].split(" ")[0] for line in text.splitlines()[1:5]]
        for was, name in zip(old, NAMES, strict=True):
            text = text.replace(was, name)
        (tmp_path / f"{number}.tch").write_text(text, encoding="utf-8", newline="\n")
    result = tichu(tmp_path, "tichu", "--measures", "tichu.call_rate", "--by", "player", "--format", form)
    assert result.returncode == 0
    out = result.stdout
    assert out.count("tichu.call") >= 4 or "call\\_rate" in out
    assert "\x1b" not in out
    if form == "csv":
        players = [row["player"] for row in csv.DictReader(io.StringIO(out))]
        assert "'=1+1" in players and "=1+1" not in players and "x" * 300 in players
    if form in ("markdown", "table"):
        assert "\u202e" not in out
    if form == "markdown":
        assert "<b>" not in out
        assert len({line.replace("\\|", "").count("|") for line in out.splitlines() if line.startswith("|")}) == 1
    if form == "json":
        assert out.isascii() and {row["player"] for row in rows(out)} >= {"=1+1", "x" * 300}


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (["tishu"], "there is no subject 'tishu'; did you mean tichu?"),
        (["tichu.call_rate"], "tichu.call_rate is a measure, not a subject"),
        (["--measures", "call_rate"], "did you mean tichu.call_rate or grand.call_rate?"),
        (["bombs", "--measures", "tichu.call_rate"], "tichu.call_rate belongs to the subject tichu, not to bombs"),
        (["--measures", ","], "no measure is named"),
        (["tichu", "--by", "seet"], "there is no column 'seet'; did you mean seat"),
        (["tichu", "--by", "x" * 500], "there is no column 'xxx"),
        (
            ["results", "--measures", "results.score_difference", "--by", "held"],
            "results.score_difference: rounds have no",
        ),
        (["tichu", "--where", "helt = 3"], "there is no column 'helt'; did you mean held"),
        (["tichu", "--where", "seat"], "the condition is of type TINYINT, neither true nor false"),
        (["tichu", "--where", "true) or (true"], "is not one condition"),
        (["tichu", "--where", "seat = 0; drop table hands"], "is not one condition"),
        (["tichu", "--where", "seat = 0 --"], "is not one condition"),
        (["tichu", "--where", "exists (from read_csv('secret.csv'))"], "'read_csv' cannot be read from"),
        (["tichu", "--where", "exists (from stats_rows)"], "there is no table 'stats_rows'"),
        (["tichu", "--where", "count(*) > 3"], "WHERE clause cannot contain aggregates"),
        (["tichu", "--where", "error(player)"], ""),
        (["tichu", "--differences"], "there is nothing to compare without a column"),
        (["tichu", "--differences", "--by", "game_id"], "at most 30 are compared"),
        (["own"], "there is no subject 'own'; they are tichu, bombs, exchange, results, players"),
        (["--measures-from", "no_such.py"], "no_such.py: no such file"),
    ],
)
def test_wrong_use_is_told(data: Path, args: list[str], said: str) -> None:
    result = tichu(data, *args)
    assert (result.returncode, result.stdout) == (2, ""), result.stdout
    assert said in result.stderr and "Traceback" not in result.stderr
    assert len(result.stderr) < 700


def test_no_data(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    for args, said in (
        ([gone], f"is no data set, and as logs: there is nothing to export: {gone}: no such file"),
        ([tmp_path], "is no data set"),
        ([], "name a data set or logs"),
    ):
        result = tichu(*args)
        assert result.returncode == 2 and said in result.stderr
    (tmp_path / "_dataset.json").write_text("{")
    assert "damaged" in tichu(tmp_path).stderr


def test_a_table_that_was_not_exported(tmp_path: Path) -> None:
    ta.export(ROOT / "sample_logs" / "1001.tch", tmp_path / "data", tables=["hands"])
    result = tichu(tmp_path / "data", "tichu", "--format", "json")
    assert result.returncode == 0
    assert {row["measure"] for row in rows(result.stdout)} >= {"tichu.call_rate", "tichu.success_rate"}
    result = tichu(tmp_path / "data", "results", "--measures", "results.score_difference")
    assert result.returncode == 2 and "exported without the table rounds" in result.stderr


def test_measures_that_do_not_have_a_column_are_left_out_with_a_word(data: Path) -> None:
    result = tichu(data, "bombs", "--by", "call", "--format", "json")
    assert result.returncode == 0
    assert {row["measure"] for row in rows(result.stdout)} >= {"bombs.held_rate", "bombs.out_of_turn_share"}
    assert "without bombs.round_rate, bombs.played_per_round: rounds have no column call (a column of hands)" in (
        result.stderr
    )


def test_the_column_of_a_spread_is_no_column_of_others(data: Path) -> None:
    result = tichu(data, "tichu", "--by", "broken_by", "--format", "json")
    assert {row["measure"] for row in rows(result.stdout)} == {"tichu.broken_by_rate", "grand.broken_by_rate"}
    assert "without tichu.call_rate, " in result.stderr


def test_small_groups(data: Path) -> None:
    frame = ta.stats.tichu(data, by=["round"], measures=["tichu.success_rate"])
    few = int((frame["n"] < 20).sum())
    assert few > 2
    result = tichu(data, "--measures", "tichu.success_rate", "--by", "round", "--min-n", "20", "--format", "json")
    assert len(rows(result.stdout)) == len(frame) - few
    assert f"{few} groups with n below 20 left out" in result.stderr


def test_differences(data: Path) -> None:
    args = (data, "--measures", "tichu.success_rate,results.score_difference", "--by", "score_gap", "--differences")
    result = tichu(*args, "--format", "json")
    found = rows(result.stdout)
    assert len(found) == 2 * 21
    assert list(found[0]) == [
        *("measure", "population", "n", "k", "other_n", "other_k", "n_games", "difference", "low", "high"),
        *("p", "p_holm", "unit", "score_gap", "other_score_gap"),
    ]
    for row in found:
        assert row["difference"] == pytest.approx(row["k"] / row["n"] - row["other_k"] / row["other_n"])
        assert row["low"] < row["difference"] < row["high"] and row["p"] <= row["p_holm"] <= 1
        assert row["score_gap"] < row["other_score_gap"]
    assert "tichu.success_rate: 21 comparisons; if no two groups differed, 1.1 of them would" in result.stderr
    assert "p_holm" in tichu(*args).stdout


def test_the_list() -> None:
    said = tichu("--list").stdout
    assert "tichu.call_rate" in said and "score_gap" in said
    assert "bombs.held_rate" not in tichu("--list", "tichu").stdout
    assert {row["measure"] for row in rows(tichu("--list", "--format", "json").stdout)} >= {"bombs.held_rate"}
    assert tichu("--list", "--format", "markdown").stdout.startswith("## Measures\n")
    assert tichu("data", "tishu", "--list").returncode == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 / 0", "own.py:1: ZeroDivisionError: division by zero"),
        ("x = (", "own.py:1: SyntaxError"),
        ("raise SystemExit(3)", "own.py:1: SystemExit: 3"),
        (
            "stats.register(stats.Measure('own', 'own', 'hands', 'p', 's.', counted='true'))",
            "'own' is no name for a measure",
        ),
        ("m(base='hand', counted='true')", "there is no base 'hand'; they are hands, rounds"),
        ("m(counted='scor_own > 3')", "own.x: there is no column 'scor_own'; did you mean score_own"),
        ("m(counted='(seat')", "own.x: '(seat' is not one condition"),
        ("m(value='score_own / 3', unit='points')", "own.x: its value is no whole number"),
        ("m(counted='exists (from read_csv(player))')", "own.x: 'read_csv' cannot be read from"),
        ("m(of='finish_1 = seat and n_tricks > 99', counted='true')", ""),
    ],
)
def test_measures_of_ones_own(data: Path, tmp_path: Path, text: str, said: str) -> None:
    own = tmp_path / "own.py"
    head = "from tichu_analytics import stats; m = lambda base='hands', **more: stats.register(stats.Measure("
    own.write_text(f"{head}'own.x', 'own', base, 'p', 's.', **more)); {text}\n", encoding="utf-8")
    result = tichu(data, "own", "--measures-from", own)
    assert result.returncode == (2 if said else 0), result.stderr
    assert said in result.stderr and "Traceback" not in result.stderr


def test_a_name_is_given_once() -> None:
    with pytest.raises(WrongMeasure, match=r"there is a measure tichu\.call_rate already"):
        register(Measure("tichu.call_rate", "tichu", "hands", "seat-rounds", "Other.", counted="true"))
    there = ta.stats.measures()["tichu.call_rate"]
    assert register(there) is there


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("number", [2, 15, 1])  # Ctrl-C, kill, a terminal that is closed
def test_signals_end_it(tmp_path: Path, number: int) -> None:
    folder = tmp_path / "temp"
    folder.mkdir()
    slow = "exists (select sum(a.range * b.range) as s from range(100000) a, range(10000000) b having s > 0)"
    process = subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "stats", ROOT / "sample_logs" / "1001.tch", "--where", slow],
        env=environment() | {"TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=heed_the_end_of_the_terminal,
    )
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and not list(folder.glob("tichu-stats-*/data/_dataset.json")):
        time.sleep(0.1)
    time.sleep(1)
    process.send_signal(number)
    try:
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()  # for it would go on for hours
    assert process.returncode == 128 + number, err
    assert b"Traceback" not in err and not out
    assert not list(folder.iterdir())
