"""Ratings of players, statistics of games of certain players alone, and calls beside hands of the same honours."""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import random
from collections import defaultdict
from dataclasses import replace
from typing import Any

import pandas as pd
import pytest

import tichu_analytics as ta
from tests.pages import shell
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.simulate.skills import LEVELS, Pool
from tichu_analytics.stats import contrasts, strength
from tichu_analytics.stats.contrasts import Cell
from tichu_analytics.stats.groupings import PARTS
from tichu_analytics.stats.intervals import student
from tichu_analytics.stats.registry import COLUMNS, CONTRAST, QUANTILES, RATING, SHRUNK, SPREAD, Measure, WrongMeasure
from tichu_analytics.stats.spreads import spread

HOSTILE = ("=1+1", "x" * 300, "\u05d0\u05d1\u202eabc", "<b>Ann</b>")
GAMES, SEED, PLAYERS = 150, 51, 12


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """Games of twelve players, four of whom have names that programs stumble over; some are unfinished."""
    folder = tmp_path_factory.mktemp("ratings")
    (folder / "logs").mkdir()
    names = dict(zip([one.name for one in Pool(SEED, PLAYERS).members], HOSTILE, strict=False))
    for game in simulate_series(GAMES, SEED, wants=Wants(players=PLAYERS, abandoned=10)):
        text = game.text
        for was, name in names.items():
            text = text.replace(f"){was} ", f"){name} ").replace(f"){was}:", f"){name}:")
        (folder / "logs" / f"{game.game_id}.tch").write_text(text, encoding="utf-8", newline="\n")
    return ta.export(folder / "logs", folder / "data")


class Listed:
    """Stands for a data set of which only the list of games is asked."""

    tables = ("games",)


def rated(monkeypatch: pytest.MonkeyPatch, rows: list[tuple[Any, ...]]) -> strength.Ratings:
    monkeypatch.setattr(strength, "_rows", lambda data: iter(rows))
    return strength.rate_players(Listed())  # type: ignore[arg-type]


def series(seed: int, count: int, players: int) -> tuple[list[tuple[Any, ...]], dict[str, float]]:
    """Games of players of known strength, of whom some play often; the better team wins more often."""
    dice = random.Random(seed)
    strength = {f"p{number:03}": dice.gauss(0, 1) for number in range(players)}
    names = list(strength)
    rows: list[tuple[Any, ...]] = []
    for _ in range(count):
        four: list[str] = []
        while len(set(four)) < 4:
            four = [names[int(players * dice.random() ** 1.5)] for _ in range(4)]
        gap = sum(strength[name] * (1, -1, 1, -1)[seat] for seat, name in enumerate(four))
        rows.append((None, "finished", 0, 0 if dice.random() < 1 / (1 + math.exp(-gap)) else 1, four))
    return rows, strength


def rank_correlation(pairs: list[tuple[float, float]]) -> float:
    frame = pd.DataFrame(pairs).rank()
    return float(frame[0].corr(frame[1]))


def test_ratings_find_the_strength_of_players(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, known = series(1, 4_000, 100)
    found = rated(monkeypatch, rows)
    assert found.games == 4_000 and sum(one.games for one in found.players) == 16_000
    assert rank_correlation([(one.mu, known[one.player]) for one in found.players]) > 0.85
    # Better than the share of games won does, and the more certain the more games there are.
    by_wins = rank_correlation([(one.won / one.games, known[one.player]) for one in found.players])
    assert rank_correlation([(one.mu, known[one.player]) for one in found.players]) > by_wins - 0.02
    assert rank_correlation([(one.sigma, -one.games) for one in found.players]) > 0.7
    assert [one.conservative for one in found.players] == sorted(one.conservative for one in found.players)[::-1]
    assert found == rated(monkeypatch, rows)
    fit = found.fit
    assert 2_000 < fit.games < 4_000 and 0.7 < fit.better / fit.games < 0.9 and fit.error / fit.games < 0.19
    # Where there is nothing but luck nothing can be foretold.
    dice = random.Random(2)
    luck = rated(monkeypatch, [(*row[:3], dice.randrange(2), row[4]) for row in rows]).fit
    assert abs(luck.better / luck.games - 0.5) < 0.04 and luck.error / luck.games > 0.24


def test_a_game_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """One game of four unknown players, by the formulas of Weng and Lin for two teams."""
    found = rated(monkeypatch, [("200701", "finished", 0, 1, ["a", "b", "c", "d"])])
    sigma2 = (25 / 3) ** 2 + (25 / 300) ** 2
    c = math.sqrt(4 * sigma2 + 2 * (25 / 6) ** 2)
    # Both teams are as likely to win; omega is a half of the teams' variance over c.
    step = sigma2 / c * 0.5
    by_name = {one.player: one for one in found.players}
    assert by_name["b"].mu == by_name["d"].mu == pytest.approx(25 + step)
    assert by_name["a"].mu == by_name["c"].mu == pytest.approx(25 - step)
    assert [(one.player, one.won) for one in found.players] == [("b", 1), ("d", 1), ("a", 0), ("c", 0)]


def test_which_games_are_rated_and_in_which_order(monkeypatch: pytest.MonkeyPatch) -> None:
    four = ["a", "b", "c", "d"]
    good = [("200702", "finished", 0, 0, four), ("200701", "overplayed", 0, 1, four), (None, "finished", 0, None, four)]
    bad = [
        ("200701", "unfinished", 0, None, four),
        ("200701", "finished", 1, 0, four),
        ("200701", "finished", 0, 0, ["a", "", "c", "d"]),
        ("200701", "finished", 0, 0, ["a", None, "c", "d"]),
        ("200701", "finished", 0, 0, ["a", "b", "a", "d"]),
    ]
    found = rated(monkeypatch, [*good, *bad])
    assert found == rated(monkeypatch, [bad[0], good[1], bad[1], good[0], bad[2], good[2], bad[3], bad[4]])
    assert found != rated(monkeypatch, [("200703", *good[1][1:]), good[0], good[2], *bad])
    assert found.games == 3 and list(found.left_out.values()) == [1, 1, 2, 1]
    assert found.sentences() == [
        "3 of 8 games are rated; 5 left out: unfinished 1, a player was replaced 1, a player without a name 2, "
        "one name twice 1"
    ]
    assert rated(monkeypatch, bad).players == []


def test_simulated_players_of_known_skill(data: ta.Dataset) -> None:
    members = Pool(SEED, PLAYERS).members
    names = dict(zip([one.name for one in members], HOSTILE, strict=False))
    skill = {names.get(one.name, one.name): one.skill for one in members}
    frame = ta.stats.rating(data)
    assert set(frame["player"]) == set(skill)
    assert rank_correlation([(row.mu, LEVELS.index(skill[row.player])) for row in frame.itertuples()]) > 0.4


def test_a_rating_has_the_columns_of_all_results(data: ta.Dataset) -> None:
    frame = ta.stats.rating(data, min_n=5)
    assert list(frame.columns) == [*COLUMNS, "player", *RATING]
    assert (frame["estimate"] == frame["mu"]).all() and set(frame["unit"]) == {"rating"}
    assert ((frame["high"] - frame["low"]) / frame["sigma"]).tolist() == pytest.approx([2 * 1.959964] * len(frame))
    games = data.games.to_pandas()
    games = games[(games["outcome"] != "unfinished") & (games["n_player_changes"] == 0)]
    for row in frame.itertuples():
        seats = [(game, seat) for game in games.to_dict("records") for seat in range(4)]
        own = [game["winner"] == seat % 2 for game, seat in seats if game[f"player_{seat}"] == row.player]
        assert (row.n, row.k, row.n_games) == (len(own), sum(own), len(own)) and row.n >= 5


@pytest.mark.parametrize("form", ["table", "csv", "json", "markdown"])
def test_hostile_names_do_no_harm(data: ta.Dataset, form: str) -> None:
    asked = (["--rating"], ["--measures", "players.pair_win_rate"], ["--measures", "players.win_rate"])
    for words in asked:
        said = shell("stats", str(data.path), "players", *words, "--format", form)
        out = "".join(line for line in said.splitlines(keepends=True) if not line.startswith("tichu: "))
        assert "\u202e" not in out or form == "csv"
        if form == "csv":
            names = {row["player"] for row in csv.DictReader(io.StringIO(out))}
            assert "'=1+1" in names and "=1+1" not in names
        elif form == "json":
            rows = [json.loads(line) for line in out.splitlines()]
            assert {row["player"] for row in rows} >= {"=1+1", "x" * 300, HOSTILE[3]}
            assert all(list(row)[: len(COLUMNS)] == list(COLUMNS) for row in rows)
        elif form == "markdown":
            assert "<b>" not in out


# Games of certain players alone --------------------------------------------------------------------------------------


def test_only_games_of_certain_players(data: ta.Dataset) -> None:
    games = data.games.to_pandas().to_dict("records")
    careers: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for game, seat in itertools.product(games, range(4)):
        if game["outcome"] != "unfinished":
            careers[game[f"player_{seat}"]][0] += 1
            careers[game[f"player_{seat}"]][1] += game["winner"] == seat % 2
    kept = set()
    for game in games:
        fine = game["n_player_changes"] == 0
        for seat in range(4):
            played, won = careers[game[f"player_{seat}"]]
            if game["outcome"] != "unfinished":
                played, won = played - 1, won - (game["winner"] == seat % 2)
            fine = fine and played >= 30 and won / played >= 0.4
        if fine:
            kept.add(game["game_id"])
    assert 3 < len(kept) < len(games) / 2
    condition = "games >= 30 and win_rate >= 0.4"
    frame = ta.stats.compute(
        data,
        measures=["tichu.call_rate", "results.score_difference", "players.win_rate", "bombs.played_per_round"],
        by=(),
        players=condition,
    )
    hands = data.hands.to_pandas()
    hands = hands[hands["game_id"].isin(kept)]
    call = frame[frame["measure"] == "tichu.call_rate"].iloc[0]
    assert (call["n"], call["k"]) == (len(hands), (hands["call"] == "tichu").sum())
    rounds = data.rounds.to_pandas(where="legal")
    rounds = rounds[rounds["game_id"].isin(kept)]
    mean = frame[frame["measure"] == "results.score_difference"].iloc[0]
    assert (mean["n"], mean["k"]) == (len(rounds), (rounds["score_0"] - rounds["score_1"]).sum())
    over = sum(game["game_id"] in kept and game["outcome"] != "unfinished" for game in games)
    assert frame.loc[frame["measure"] == "players.win_rate", "n"].sum() == 4 * over
    said = f"only such players sit from the first round to the last in {len(kept)} of {len(games)} games"
    assert said in frame.attrs["rounds"]["removed"]
    # Together with a condition on rows, and in a comparison.
    one = ta.stats.tichu(data, where="seat = 0", players=condition, measures=["tichu.call_rate"]).iloc[0]
    assert one["n"] == len(hands) / 4
    pairs = ta.stats.compare(data, by=["team"], players=condition, measures=["tichu.call_rate"])
    assert pairs["n"].sum() + pairs["other_n"].sum() == len(hands)
    named = ta.stats.tichu(data, players="player <> '=1+1'", measures=["tichu.call_rate"]).iloc[0]
    without = [game["game_id"] for game in games if "=1+1" not in [game[f"player_{seat}"] for seat in range(4)]]
    assert named["n_games"] <= len(without)


@pytest.mark.parametrize(
    ("condition", "said"),
    [
        ("gamess > 1", "players have no column 'gamess'; did you mean games?"),
        ("seat = 1", "players have no column 'seat'; they have player, games, wins, win_rate"),
        ("games", "is of type BIGINT, neither true nor false"),
        ("1) or (1 = 1", "is not one condition"),
        ("exists (select 1 from read_csv('a'))", "read_csv"),
        ("exists (select 1 from stats_seated)", "there is no table 'stats_seated'"),
        ("", "condition"),
    ],
)
def test_conditions_on_players_go_through_the_walls(data: ta.Dataset, condition: str, said: str) -> None:
    with pytest.raises(ValueError) as error:
        ta.stats.tichu(data, players=condition)
    assert said in str(error.value)


# Calls beside hands of the same honours ------------------------------------------------------------------------------


def honours(mask: int) -> tuple[int, ...]:
    from tichu_analytics.record.notation import mask_text

    words = mask_text(mask).split()
    return (sum(word[1:] == "A" for word in words), *(name in words for name in ("Dr", "Ph", "Do", "Ma")))


@pytest.mark.parametrize(
    ("measure", "call", "cards"),
    [
        ("tichu.call_association", "tichu", "held"),
        ("grand.call_association", "grand", "held"),
        ("grand.call_association_first8", "grand", "first8"),
    ],
)
def test_association_of_a_call_once_more(data: ta.Dataset, measure: str, call: str, cards: str) -> None:
    import hashlib

    hands = data.hands.to_pandas(where="first8 <> 0")
    hands["category"] = [honours(int(mask)) for mask in hands[cards]]
    hands["gain"] = (hands["score_own"] - hands["score_opponents"]).astype(int)
    hands["part"] = [int(hashlib.md5(name.encode()).hexdigest()[:6], 16) % PARTS for name in hands["game_id"]]

    def difference(some: pd.DataFrame) -> tuple[float, int, int]:
        callers, others = some[some["call"] == call], some[some["call"] == "none"]
        means = others.groupby("category")["gain"].mean()
        callers = callers[callers["category"].isin(means.index)]
        expected = callers["category"].map(means)
        return float((callers["gain"] - expected).mean()), len(callers), int(callers["gain"].sum())

    (row,) = ta.stats.tichu(data, measures=[measure]).itertuples()
    value, n, k = difference(hands)
    assert (row.n, row.k, row.calls) == (n, k, (hands["call"] == call).sum())
    assert row.estimate == pytest.approx(value)
    assert row.with_call - row.without_call == pytest.approx(value) and row.with_call == pytest.approx(k / n)
    parts = sorted(set(hands["part"]))
    without = pd.Series([difference(hands[hands["part"] != part])[0] for part in parts])
    half = student(0.95, len(parts) - 1) * math.sqrt(
        (len(parts) - 1) / len(parts) * ((without - without.mean()) ** 2).sum()
    )
    assert (row.low, row.high) == pytest.approx((value - half, value + half))
    by_seat = ta.stats.tichu(data, measures=[measure], by=["seat"])
    assert list(by_seat.columns) == [*COLUMNS, "seat", *CONTRAST]
    assert by_seat["calls"].sum() == row.calls
    for one in by_seat.itertuples():
        assert one.estimate == pytest.approx(difference(hands[hands["seat"] == one.seat])[0])


def test_a_comparison_of_ones_own(data: ta.Dataset) -> None:
    """Hands with a bomb beside others with as many aces."""
    own = Measure(
        "own.bomb_association",
        "own",
        "hands",
        "hands with a bomb",
        "How much better hands with a bomb do.",
        of="held_bomb",
        value="score_own - score_opponents",
        unit="points",
        against="NOT held_bomb",
        within="aces",
    )
    try:
        ta.stats.register(own)
        (row,) = ta.stats.compute(data, measures=[own.name]).itertuples()
        hands = data.hands.to_pandas()
        hands["gain"] = (hands["score_own"] - hands["score_opponents"]).astype(int)
        hands["aces"] = [honours(int(mask))[0] for mask in hands["held"]]
        others = hands[~hands["held_bomb"]].groupby("aces")["gain"].mean()
        some = hands[hands["held_bomb"] & hands["aces"].isin(others.index)]
        assert row.n == len(some) and row.estimate == pytest.approx((some["gain"] - some["aces"].map(others)).mean())
        ta.stats.unregister(own.name)
        ta.stats.register(replace(own, against="true) or (true"))
        with pytest.raises(WrongMeasure, match="is not one condition"):
            ta.stats.compute(data, measures=[own.name])
    finally:
        ta.stats.unregister(own.name)


def test_the_jackknife_holds_the_truth() -> None:
    """Callers do better by 40 in every category; the better categories are called more often."""
    held = 0
    for seed in range(150):
        dice = random.Random(seed)
        parts: dict[int, dict[str | None, Cell]] = {}
        for game in range(200):
            luck = dice.gauss(0, 60)
            cells = parts.setdefault(game % PARTS, {})
            for _ in range(20):
                category = dice.randrange(4)
                called = dice.random() < (0.02, 0.1, 0.3, 0.6)[category]
                gain = round(30 * category + luck * (2 if called else 1) + dice.gauss(0, 150) + 40 * called)
                cell = Cell(1, gain) if called else Cell(0, 0, 1, gain)
                cells[str(category)] = cells.get(str(category), Cell()).plus(cell)
        found = contrasts.contrast(parts, 200).estimate
        assert found.low is not None and found.high is not None
        held += found.low <= 40 <= found.high
    assert 0.9 <= held / 150 <= 0.99


def test_where_nothing_can_be_compared(data: ta.Dataset) -> None:
    (row,) = ta.stats.tichu(data, measures=["tichu.call_association"], where="call <> 'none'").itertuples()
    assert (row.n, row.k) == (0, 0) and pd.isna(row.estimate) and pd.isna(row.low) and row.calls > 0
    with pytest.raises(ValueError, match="compares within honours already"):
        ta.stats.tichu(data, measures=["tichu.call_association"], by=["honours"])
    with pytest.raises(ValueError, match="is a comparison already"):
        ta.stats.compare(data, measures=["tichu.call_association"], by=["seat"])
    one = contrasts.contrast({0: {"a": Cell(2, 30, 3, 15)}}, 1)
    assert one.estimate.value == 10 and one.estimate.low is None
    with pytest.raises(WrongMeasure, match="both against and within"):
        Measure("own.a", "own", "hands", "p", "s.", of="true", value="1", unit="points", against="true")


def test_the_nth_game_of_a_player(data: ta.Dataset) -> None:
    games = [game for game in data.games.to_pandas().to_dict("records") if game["outcome"] != "unfinished"]
    games.sort(key=lambda game: (str(game["played_month"]), len(game["game_id"]), game["game_id"]))
    played: dict[str, int] = defaultdict(int)
    wanted: dict[int, list[int]] = defaultdict(lambda: [0, 0])
    for game in games:
        for seat in range(4):
            played[game[f"player_{seat}"]] += 1
            counts = wanted[played[game[f"player_{seat}"]]]
            counts[0] += 1
            counts[1] += game["winner"] == seat % 2
    frame = ta.stats.results(data, measures=["results.seat_win_rate"], by=["nth_game"])
    assert {row.nth_game: [row.n, row.k] for row in frame.itertuples()} == wanted


def test_how_values_are_spread(data: ta.Dataset) -> None:
    frame = ta.stats.compute(data, measures=["results.score_difference"], distribution=True)
    assert list(frame.columns) == [*COLUMNS, *SPREAD]
    rounds = data.rounds.to_pandas(where="legal")
    values = (rounds["score_0"] - rounds["score_1"]).astype(int)
    (row,) = frame.itertuples()
    assert (row.n, row.least, row.greatest) == (len(values), values.min(), values.max())
    assert row.sd == pytest.approx(values.std(ddof=0))
    for name, percent in QUANTILES.items():
        assert getattr(row, name) == values.quantile(percent / 100, interpolation="inverted_cdf")
    by_seat = ta.stats.tichu(data, by=["seat"])
    some = ta.stats.compute(data, "tichu", by=["seat"], distribution=True, where="aces > 1")
    assert set(some["measure"]) < set(by_seat["measure"]) and set(some["unit"]) == {"points"}
    players = ta.stats.compute(data, measures=["players.score_difference"], distribution=True)
    assert list(players.columns) == [*COLUMNS, "player", *SHRUNK, *SPREAD]
    for one in players.itertuples():
        hands = data.hands.to_pandas()
        own = hands[hands["player"] == one.player]
        assert one.sd == pytest.approx((own["score_own"] - own["score_opponents"]).astype(int).std(ddof=0))
    with pytest.raises(ValueError, match="only means have a distribution"):
        ta.stats.compute(data, measures=["tichu.call_rate"], distribution=True)
    halves = spread({3: 1, 4: 2, 7: 1}, 2)
    assert [halves[name] for name in ("least", "p25", "p50", "p75", "p90", "greatest")] == [1.5, 1.5, 2, 2, 3.5, 3.5]
    assert set(spread({}).values()) == {None}


def test_the_order_of_files_changes_nothing_but_ratings(data: ta.Dataset) -> None:
    asked = ["tichu.call_association", "players.win_rate", "players.score_difference"]
    one = ta.stats.compute(data, measures=asked).to_json()
    assert all(ta.stats.compute(str(data.path), measures=asked).to_json() == one for _ in range(3))
