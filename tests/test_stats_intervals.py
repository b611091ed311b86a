"""Intervals hold the true value as often as they say, in simulations in which the truth is known.

Players differ, and games differ: both effects are put in, since without them an interval that takes every round for an
independent draw would pass as well. Each simulation is also given to such a wrong interval, which has to fail.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from tichu_analytics.stats.intervals import (
    Estimate,
    Products,
    Sums,
    design_effect,
    difference,
    holm,
    inside,
    mean,
    rate,
    student,
)

REPEATS = 3_000
#: Comparisons take longer.
FEWER = 1_200
#: Abilities of a pool of players, and two kinds of games; all that is added up is known exactly.
POOL = np.linspace(-0.3, 0.3, 40)
KINDS = np.array([-0.14, 0.14])


def sums(n: np.ndarray, k: np.ndarray) -> list[Sums]:
    """The sums of each repetition; both arrays have a row a repetition and a column a game."""
    columns = (n.sum(1), k.sum(1), (n * n).sum(1), (n * k).sum(1), (k * k).sum(1), (n > 0).sum(1))
    return [Sums(*map(int, row)) for row in zip(*columns, strict=True)]


def products(a: tuple[np.ndarray, np.ndarray], b: tuple[np.ndarray, np.ndarray]) -> list[Products]:
    (n, k), (m, j) = a, b
    columns = ((k * j).sum(1), (k * m).sum(1), (n * j).sum(1), (n * m).sum(1), ((n > 0) | (m > 0)).sum(1))
    return [Products(*map(int, row)) for row in zip(*columns, strict=True)]


def games(
    dice: np.random.Generator, count: int, base: float, repeats: int = REPEATS
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rounds a game, the kind of each game, and the chance of each of its four players in a round.

    Games of the second kind are longer, as games of good or bad players may be.
    """
    kind = dice.integers(0, 2, (repeats, count))
    rounds = dice.integers(4, 12, (repeats, count)) + 4 * kind
    players = POOL[dice.integers(0, len(POOL), (repeats, count, 4))]
    return rounds, kind, base + players + KINDS[kind][..., None]


def true_rate(base: float) -> float:
    rounds = np.array([7.5, 11.5])
    return float(base + (rounds * KINDS).sum() / rounds.sum())


def coverage(estimates, truth: float) -> float:
    return float(np.mean([one.low <= truth <= one.high for one in estimates]))


def independent(one: Sums) -> Sums:
    """The sums as they were if every single thing counted were a game of its own."""
    return Sums(one.n, one.k, one.n, one.k, one.k, one.n)


@pytest.mark.parametrize(("count", "base"), [(200, 0.5), (60, 0.46), (25, 0.5)])
def test_rates(count: int, base: float) -> None:
    dice = np.random.default_rng(count)
    rounds, _, chances = games(dice, count, base)
    k = dice.binomial(rounds[..., None], chances).sum(2)
    of_games = sums(4 * rounds, k)
    assert np.mean([design_effect(one) for one in of_games]) > 2
    assert 0.93 <= coverage(map(rate, of_games), true_rate(base)) <= 0.97
    assert coverage((rate(independent(one)) for one in of_games), true_rate(base)) < 0.9


def test_rare_events_without_effects() -> None:
    """Where nothing belongs together, the interval is hardly wider than Wilson's own."""
    dice = np.random.default_rng(3)
    rounds = dice.integers(4, 16, (REPEATS, 300))
    of_games = sums(rounds, dice.binomial(rounds, 0.02))
    assert 0.94 <= coverage(map(rate, of_games), 0.02) <= 0.975


@pytest.mark.parametrize("count", [200, 8])
def test_means(count: int) -> None:
    dice = np.random.default_rng(count)
    kind = dice.integers(0, 2, (REPEATS, count))
    rounds = dice.integers(4, 12, (REPEATS, count)) + 4 * kind
    effect = 60 * (2 * kind - 1) + np.rint(dice.normal(0, 50, (REPEATS, count))).astype(int)
    noise = np.rint(dice.normal(0, 1, (REPEATS, count)) * 100 * np.sqrt(rounds)).astype(int)
    of_games = sums(rounds, rounds * effect + noise)
    truth = 60 * (11.5 - 7.5) / (11.5 + 7.5)
    # Few games of unequal length are hard: the ratio is not quite symmetric.
    assert (0.93 if count > 20 else 0.915) <= coverage((mean(one) for one in of_games), truth) <= 0.97
    naive = 100 / np.sqrt([one.n for one in of_games])
    means = np.array([one.k / one.n for one in of_games])
    assert float(np.mean(abs(means - truth) <= 1.96 * naive)) < 0.9


def test_few_games_need_student() -> None:
    """With five games of equal length, 1.96 standard errors would not do."""
    dice = np.random.default_rng(5)
    values = np.rint(dice.normal(50, 100, (REPEATS, 5))).astype(int)
    of_games = sums(np.full_like(values, 10), 10 * values)
    assert 0.93 <= coverage((mean(one) for one in of_games), 50) <= 0.97
    assert coverage((mean(one, 1, inside(1.96, 4)) for one in of_games), 50) < 0.93


@pytest.mark.parametrize("count", [200, 40])
def test_differences_of_rates_in_the_same_games(count: int) -> None:
    """Two seats at the same table share what the table is like; without the covariance the interval is too wide."""
    dice = np.random.default_rng(count)
    rounds, kind, _ = games(dice, count, 0.5, FEWER)
    base = 0.45 + 2.2 * KINDS[kind]
    first, second = dice.binomial(rounds, base + 0.1), dice.binomial(rounds, base)
    a, b, both = sums(rounds, first), sums(rounds, second), products((rounds, first), (rounds, second))
    found = [difference(*three, is_rate=True) for three in zip(a, b, both, strict=True)]
    assert 0.93 <= coverage(found, 0.1) <= 0.97
    apart = [difference(x, y, Products(games=count), is_rate=True) for x, y in zip(a, b, strict=True)]
    assert coverage(apart, 0.1) > 0.985
    for one in found:
        assert one.p is not None and one.low is not None and one.high is not None
        assert (one.p < 0.05) == (not one.low <= 0 <= one.high)


@pytest.mark.parametrize("is_rate", [True, False])
def test_differences_of_opponents(is_rate: bool) -> None:
    """What one team wins the other loses: without the covariance the interval is too narrow."""
    dice = np.random.default_rng(11)
    rounds, kind, _ = games(dice, 150, 0.5, FEWER)
    tilt = 2 * KINDS[kind]
    if is_rate:
        first = dice.binomial(rounds, 0.5 + tilt)
        second = rounds - first
        # The game is longer where the tilt is positive, so that the first team does win more in all.
        truth = 2 * (rounds * tilt).sum() / rounds.sum()
    else:
        first = np.rint(1000 * rounds * tilt + dice.normal(0, 100, rounds.shape)).astype(int)
        second = -first
        truth = 2 * 1000 * (rounds * tilt).sum() / rounds.sum()
    both = products((rounds, first), (rounds, second))
    pairs = list(zip(sums(rounds, first), sums(rounds, second), both, strict=True))
    found = [difference(a, b, c, is_rate=is_rate) for a, b, c in pairs]
    assert 0.93 <= coverage(found, truth) <= 0.97
    apart = [difference(a, b, Products(games=150), is_rate=is_rate) for a, b, c in pairs]
    assert coverage(apart, truth) < 0.9


def test_differences_of_groups_in_different_games() -> None:
    """Groups that share no game: nothing belongs together, and few events are no trouble."""
    dice = np.random.default_rng(12)
    rounds = dice.integers(2, 6, (FEWER, 60))
    left, right = rounds[:, :30], rounds[:, 30:]
    a, b = sums(left, dice.binomial(left, 0.08)), sums(right, dice.binomial(right, 0.03))
    found = [difference(x, y, Products(games=60), is_rate=True) for x, y in zip(a, b, strict=True)]
    assert 0.93 <= coverage(found, 0.05) <= 0.985


def test_no_difference_is_seldom_found() -> None:
    """Where groups do not differ, p is below 0.05 in a twentieth of cases, and after Holm any p in as many."""
    dice = np.random.default_rng(13)
    rounds = dice.integers(4, 12, (500, 80))
    groups = [dice.binomial(rounds, 0.3) for _ in range(4)]
    added = [sums(rounds, k) for k in groups]
    alone = all_in_all = 0
    for repeat in range(len(rounds)):
        p_values = []
        for one in range(4):
            for other in range(one + 1, 4):
                n = rounds[repeat : repeat + 1]
                k, j = groups[one][repeat : repeat + 1], groups[other][repeat : repeat + 1]
                (both,) = products((n, k), (n, j))
                p_values.append(difference(added[one][repeat], added[other][repeat], both, is_rate=True).p)
        alone += sum(p is not None and p < 0.05 for p in p_values)
        all_in_all += any(p is not None and p < 0.05 for p in holm(p_values))
    assert 0.03 <= alone / (6 * len(rounds)) <= 0.06
    assert 0.02 <= all_in_all / len(rounds) <= 0.06


# Edges ----------------------------------------------------------------------------------------------------------------


def test_nothing_and_single_games() -> None:
    assert rate(Sums()) == Estimate(None)
    assert mean(Sums()) == Estimate(None)
    assert rate(Sums(10, 4, 100, 40, 16, 1)) == Estimate(0.4, None, None)
    assert mean(Sums(10, -40, 100, -400, 1600, 1)) == Estimate(-4.0, None, None)
    assert difference(Sums(), Sums(4, 1, 16, 4, 1, 1), Products(), is_rate=True).value is None
    alone = difference(Sums(4, 2, 16, 8, 4, 1), Sums(8, 2, 32, 8, 2, 2), Products(games=3), is_rate=True)
    assert alone == (0.25, None, None, None)


def test_all_or_none_are_wilson_with_the_number_itself() -> None:
    none = rate(Sums(400, 0, 4000, 0, 0, 100))
    every = rate(Sums(400, 400, 4000, 4000, 4000, 100))
    t = student(0.95, 99)
    assert none.low == 0.0 and every.high == 1.0
    assert none.high == pytest.approx(t * t / (400 + t * t))
    assert every.low == pytest.approx(1 - t * t / (400 + t * t))
    assert difference(Sums(40, 0, 200, 0, 0, 10), Sums(40, 0, 200, 0, 0, 10), Products(games=10), is_rate=True).p == 1.0


def test_by_the_formulas_of_the_textbook() -> None:
    """Both intervals from the numbers of each game, without the sums."""
    n, k = np.array([40, 36, 52, 44, 60]), np.array([7, 2, 9, 3, 15])
    (added,) = sums(n[None], k[None])
    p, games_ = k.sum() / n.sum(), len(n)
    cluster = games_ / (games_ - 1) * ((k - p * n) ** 2).sum() / n.sum() ** 2
    d = max(1, cluster / (p * (1 - p) / n.sum()))
    assert design_effect(added) == pytest.approx(d)
    t, m = 2.7764451052, n.sum() / d
    middle, half = (
        (p + t**2 / (2 * m)) / (1 + t**2 / m),
        t / (1 + t**2 / m) * math.sqrt(p * (1 - p) / m + t**2 / (4 * m * m)),
    )
    assert rate(added) == pytest.approx((p, middle - half, middle + half))
    assert mean(added) == pytest.approx((p, p - t * math.sqrt(cluster), p + t * math.sqrt(cluster)))
    assert mean(added, 2) == pytest.approx([value / 2 for value in mean(added) if value is not None])


def test_sums_of_parts_are_the_sums() -> None:
    dice = np.random.default_rng(1)
    n = dice.integers(1, 60, (1, 90))
    k = dice.binomial(n, 0.2)
    (whole,) = sums(n, k)
    (first,), (second,) = sums(n[:, :31], k[:, :31]), sums(n[:, 31:], k[:, 31:])
    assert first.plus(second) == second.plus(first) == whole
    assert Fraction(whole.residual, whole.n**2) == sum(
        (Fraction(int(one)) - Fraction(whole.k, whole.n) * int(all_)) ** 2 for one, all_ in zip(k[0], n[0], strict=True)
    )


def test_huge_numbers() -> None:
    """Sums of an archive of a hundred million rounds are whole numbers beyond 64 bits on the way."""
    n, k = 4 * 10**8, 10**8
    found = rate(Sums(n, k, 40 * n, 40 * k, 12 * k, 10**7))
    assert found.value == 0.25 and found.low is not None and found.high is not None
    assert found.low < 0.25 < found.high < 0.2502


@pytest.mark.parametrize(
    ("freedom", "t"),
    [(1, 12.7062047), (2, 4.30265273), (3, 3.18244631), (9, 2.26215716), (30, 2.04227246), (1000, 1.96233908)],
)
def test_student(freedom: int, t: float) -> None:
    assert student(0.95, freedom) == pytest.approx(t, rel=1e-7)
    assert student(0.95, freedom + 10**7) == pytest.approx(1.959964, rel=1e-6)
    assert inside(t, freedom) == pytest.approx(0.95, rel=1e-7)


def test_student_has_no_seam() -> None:
    below, above = student(0.95, 1000), student(0.95, 1001)
    assert 0 < below - above < 5e-6


def test_holm() -> None:
    assert holm([0.01, 0.04, None, 0.03]) == pytest.approx([0.03, 0.06, None, 0.06], nan_ok=True)
    assert holm([]) == []
    assert holm([0.9, 0.8]) == [1.0, 1.0]
