"""Players beside each other: shrunken estimates of players whose true ability is known, and their order."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pandas as pd
import pytest

import tichu_analytics as ta
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.stats.intervals import Sums
from tichu_analytics.stats.shrinking import beta_below, beta_quantile, estimated_prior, shrink

# Players of known ability, without logs ------------------------------------------------------------------------------


class Player(NamedTuple):
    truth: float
    sums: Sums


def league(seed: int, players: int, spread: float, *, is_rate: bool, busiest: int = 300) -> list[Player]:
    """Players with games of 4 to 14 rounds; what happens in a game has something in common."""
    dice = random.Random(seed)
    found = []
    for _ in range(players):
        truth = min(0.9, max(0.02, dice.gauss(0.2, spread))) if is_rate else dice.gauss(0, 400 * spread)
        sums = Sums()
        for _ in range(max(1, int(busiest / (1 + dice.random() * players)))):
            n, luck = dice.randint(4, 14), dice.gauss(0, 0.03)
            if is_rate:
                k = sum(dice.random() < truth + luck for _ in range(n))
            else:
                k = round(sum(dice.gauss(truth + 400 * luck, 200) for _ in range(n)))
            sums = sums.plus(Sums(n, k, n * n, n * k, k * k, 1))
        found.append(Player(truth, sums))
    return found


@pytest.mark.parametrize("is_rate", [True, False])
def test_intervals_hold_the_truth_and_are_narrower_than_those_of_a_player_alone(is_rate: bool) -> None:
    held = count = 0
    shrunk_error = raw_error = 0.0
    for seed in range(12):
        some = league(seed, 60, 0.05, is_rate=is_rate)
        for player, one in zip(some, shrink([its.sums for its in some], is_rate=is_rate), strict=True):
            assert one.value is not None and one.low is not None and one.high is not None
            assert one.low <= one.value <= one.high
            held += one.low <= player.truth <= one.high
            count += 1
            shrunk_error += (one.value - player.truth) ** 2
            raw_error += (player.sums.k / player.sums.n - player.truth) ** 2
    assert 0.92 < held / count < 0.99
    assert shrunk_error < 0.7 * raw_error


@pytest.mark.parametrize("is_rate", [True, False])
@pytest.mark.parametrize(("players", "spread", "games"), [(60, 0.01, 20), (200, 0.01, 3), (200, 0.02, 3)])
def test_intervals_where_players_hardly_differ(is_rate: bool, players: int, spread: float, games: int) -> None:
    """Where the variance between players often comes out as 0, the intervals do not shut the truth out."""
    held = count = 0
    for seed in range(20 if players < 100 else 16):
        some = league(300 + seed, players, spread, is_rate=is_rate, busiest=games * players)
        for player, one in zip(some, shrink([its.sums for its in some], is_rate=is_rate), strict=True):
            if one.low is not None and one.high is not None:
                held += one.low <= player.truth <= one.high
                count += 1
    assert count > 800 and held / count >= 0.92


@pytest.mark.parametrize("is_rate", [True, False])
def test_the_top_of_the_shrunken_is_better_than_the_top_of_the_raw(is_rate: bool) -> None:
    by_raw = by_shrunk = 0.0
    for seed in range(12):
        some = league(100 + seed, 200, 0.04, is_rate=is_rate, busiest=2_000)
        values = shrink([its.sums for its in some], is_rate=is_rate)
        raw = sorted(range(200), key=lambda place: -some[place].sums.k / some[place].sums.n)
        shrunk = sorted(range(200), key=lambda place: -(values[place].value or 0))
        by_raw += sum(some[place].truth for place in raw[:10])
        by_shrunk += sum(some[place].truth for place in shrunk[:10])
        # Who has played least is not at the top.
        games = sorted(its.sums.games for its in some)
        assert sum(some[place].sums.games for place in shrunk[:10]) / 10 > games[100]
    assert by_shrunk > by_raw
    spread = 0.04 if is_rate else 16
    assert (by_shrunk - by_raw) / 120 > 0.1 * spread


def test_the_spread_of_players_is_found() -> None:
    for spread in (0.0, 0.03, 0.08):
        found = []
        for seed in range(8):
            some = league(200 + seed, 150, spread, is_rate=True, busiest=4_000)
            prior = estimated_prior([its.sums for its in some], is_rate=True)
            assert prior is not None and prior.players == 150
            assert abs(prior.mean - 0.2) < 0.02
            assert prior.design > 0.95
            found.append(prior.between)
        assert math.sqrt(sum(found) / 8) == pytest.approx(spread, abs=0.015)


def test_the_formula_by_hand() -> None:
    """Games of a single decision each: the plain beta-binomial, worked out step by step."""
    wins = [(10, 9), (8, 2), (4, 3), (20, 12), (2, 0), (1, 1), (0, 0)]
    some = [Sums(n, k, n, k, k, n) for n, k in wins]
    there = [(n, k) for n, k in wins if n]
    several = [(n, k) for n, k in wins if n > 1]
    c = sum(n * n / (n - 1) * k / n * (1 - k / n) for n, k in several) / sum(n for n, _ in several)

    def step(before: float) -> float:
        a = [1 / (c / n + before) for n, _ in there]
        m = sum(w * k / n for w, (n, k) in zip(a, there, strict=True)) / sum(a)
        seen = sum(w * (k / n - m) ** 2 for w, (n, k) in zip(a, there, strict=True))
        luck = sum(w * c / n for w, (n, _) in zip(a, there, strict=True))
        luck -= sum(w * w * c / n for w, (n, _) in zip(a, there, strict=True)) / sum(a)
        return max(0.0, (seen - luck) / (sum(a) - sum(w * w for w in a) / sum(a)))

    between = step(step(0.0))
    a = [1 / (c / n + between) for n, _ in there]
    m = sum(w * k / n for w, (n, k) in zip(a, there, strict=True)) / sum(a)
    assert between > 0
    for (n, k), one in zip(wins, shrink(some, is_rate=True), strict=True):
        b = 3 / 5 * (c / n / (c / n + between) if n else 1)
        assert one.value == pytest.approx(b * m + (1 - b) * (k / n if n else m), rel=1e-12)
    # The order of players changes nothing.
    turned = shrink(some[::-1], is_rate=True)[::-1]
    assert turned == shrink(some, is_rate=True)


def test_nothing_is_shrunk_where_nothing_is_known() -> None:
    four = [Sums(10, k, 10, k, k, 10) for k in (1, 3, 5, 7)]
    assert all(one.value is None for one in shrink(four, is_rate=True))
    one_game_each = [Sums(10, k, 100, 10 * k, k * k, 1) for k in range(1, 9)]
    assert all(one.value is None for one in shrink(one_game_each, is_rate=True))
    nobody_does = [Sums(10, 0, 10, 0, 0, 10)] * 9
    assert all(one.value is None for one in shrink(nobody_does, is_rate=True))
    assert shrink([], is_rate=True) == []
    huge = [Sums(10**7, k * 10**6, 10**9, k * 10**8, k * k * 10**7, 10**6) for k in range(1, 9)]
    for sums, one in zip(huge, shrink(huge, is_rate=True), strict=True):
        assert one.value == pytest.approx(sums.k / sums.n, rel=0.01)


@pytest.mark.parametrize(("a", "b"), [(1, 1), (3, 7), (40, 60), (2, 500), (0.4, 0.7), (3_000, 9_000)])
def test_the_beta_distribution(a: float, b: float) -> None:
    for share in (0.025, 0.5, 0.975):
        x = beta_quantile(share, a, b)
        assert beta_below(x, a, b) == pytest.approx(share, abs=1e-9)
    if isinstance(a, int) and isinstance(b, int) and a + b < 200:
        n, x = a + b - 1, a / (a + b)
        tail = sum(math.comb(n, j) * x**j * (1 - x) ** (n - j) for j in range(a, n + 1))
        assert beta_below(x, a, b) == pytest.approx(tail, abs=1e-12)


# Games that are recorded ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """Eighty games of twelve players, half of whom have names that programs stumble over."""
    folder = tmp_path_factory.mktemp("players")
    (folder / "logs").mkdir()
    for game in simulate_series(80, 41, wants=Wants(players=12, odd_names=True)):
        (folder / "logs" / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    return ta.export(folder / "logs", folder / "data")


def groups(frame: pd.DataFrame, *names: str) -> Iterator[pd.DataFrame]:
    for _, part in frame.groupby(list(names), sort=False):
        yield part


def test_players_stand_in_the_order_of_the_shrunken_value(data: ta.Dataset) -> None:
    frame = ta.stats.players(data)
    for part in groups(frame, "measure"):
        known = part["shrunk"].dropna()
        assert list(known) == sorted(known, reverse=True)
        assert list(part["shrunk"].isna()) == sorted(part["shrunk"].isna())
    of_seats = ta.stats.compute(data, measures=["tichu.call_rate"], by=["player", "seat"])
    assert list(of_seats["seat"]) == sorted(of_seats["seat"])
    for part in groups(of_seats, "seat"):
        assert list(part["shrunk"]) == sorted(part["shrunk"], reverse=True)
    # All players count, those as well that are left out of the result.
    some = ta.stats.players(data, min_n=30, measures=["players.win_rate"])
    everybody = frame[frame["measure"] == "players.win_rate"].set_index("player")
    assert 0 < len(some) < len(everybody)
    for row in some.itertuples():
        assert row.shrunk == everybody.loc[row.player, "shrunk"]


def test_pairs_have_one_row_each(data: ta.Dataset) -> None:
    frame = ta.stats.players(data, measures=["players.pair_win_rate"])
    games = data.games.to_pandas()
    games = games[games["outcome"] != "unfinished"]
    wanted: dict[tuple[str, ...], list[int]] = {}
    for game in games.to_dict("records"):
        for team in range(2):
            pair = tuple(sorted((game[f"player_{team}"], game[f"player_{team + 2}"])))
            counts = wanted.setdefault(pair, [0, 0])
            counts[0] += 1
            counts[1] += int(not pd.isna(game["winner"]) and game["winner"] == team)
    assert {(row.player, row.partner): [row.n, row.k] for row in frame.itertuples()} == wanted


def test_nobody_in_particular_is_not_shrunk(tmp_path: Path) -> None:
    (tmp_path / "logs").mkdir()
    for number, game in enumerate(simulate_series(12, 43, wants=Wants(players=8))):
        names = [game.game.rounds[0].names[seat] for seat in range(4)]
        text = game.text.replace(f"(0){names[0]} ", "(0) ")
        (tmp_path / "logs" / f"{number}.tch").write_text(text, encoding="utf-8", newline="\n")
    data = ta.export(tmp_path / "logs", tmp_path / "data")
    frame = ta.stats.players(data, measures=["players.score_difference"])
    nobody = frame[frame["player"] == ""]
    assert len(nobody) == 1 and nobody["shrunk"].isna().all() and list(frame["player"])[-1] == ""
    assert frame["shrunk"].notna().sum() >= 5
