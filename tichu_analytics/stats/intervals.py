"""Estimates with 95 % intervals, from whole numbers that are summed up by game.

The rounds of a game are not independent: the same four people play them, and how the game stands changes what they do.
So the unit that is drawn is the game. Of each game two whole numbers count, ``n`` (how many there are) and ``k`` (how
many of them are meant, or the sum of a value). Over all games the sums of ``n``, ``k``, ``n*n``, ``n*k`` and ``k*k``
are enough for everything here, and sums of parts of the data can be added. They are whole numbers of any size; each
floating point number is worked out from them at the very end, so that it depends on nothing else.

- The estimate is ``K / N``. Its variance with games as clusters is that of a ratio estimator,
  ``G / (G - 1) * sum((k - p * n) ** 2) / N ** 2`` with G games that have any ``n``.
- A rate gets Wilson's interval on the effective number ``N / d``. The design effect ``d`` is that variance divided by
  the binomial one, ``p * (1 - p) / N``, and at least 1.
- A mean gets the estimate plus and minus a multiple of the standard error.
- The multiple is Student's for ``G - 1`` degrees of freedom, which is 1.96 for many games and more for few.
- A single game says nothing about how games differ: it has an estimate and no interval. Where all or none of ``n`` are
  meant, the games show no difference either, and ``d`` is 1.

The difference of two groups is that of their estimates. Where both are in the same games, their covariance counts:
people who sit at one table are compared with each other, and what the table has in common cancels.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Final, NamedTuple

#: The share of intervals that are to hold the true value.
LEVEL: Final = 0.95

# Beyond so many degrees of freedom a transformation to the normal distribution is exact to six digits and quicker.
_MANY: Final = 1_000


class Sums(NamedTuple):
    """Sums over games of whole numbers of each game, see the module.

    Attributes:
        n, k: the sums of both numbers.
        nn, nk, kk: the sums of their squares and products.
        games: the number of games with an ``n`` that is not 0.
    """

    n: int = 0
    k: int = 0
    nn: int = 0
    nk: int = 0
    kk: int = 0
    games: int = 0

    def plus(self, other: Sums) -> Sums:
        """The sums over these games and others; no game may be in both."""
        return Sums(*(mine + its for mine, its in zip(self, other, strict=True)))

    @property
    def residual(self) -> int:
        """The sum over games of ``(N * k - K * n) ** 2``, that is N squared times the sum of squared residuals."""
        return self.n * self.n * self.kk - 2 * self.n * self.k * self.nk + self.k * self.k * self.nn


class Products(NamedTuple):
    """Sums over games of the products of the numbers of two groups a and b, and the number of games with either.

    Attributes:
        kk, kn, nk, nn: of the numbers of a and b, in this order: ``kn`` is the sum of ``k`` of a times ``n`` of b.
        games: the number of games in which a or b has an ``n`` that is not 0.
    """

    kk: int = 0
    kn: int = 0
    nk: int = 0
    nn: int = 0
    games: int = 0


class Estimate(NamedTuple):
    """An estimate and its interval; None for what cannot be known.

    Attributes:
        value: the estimate; None without anything to be counted.
        low, high: the ends of the interval; None for a single game.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class Difference(NamedTuple):
    """The difference of two groups.

    Attributes:
        value, low, high: as in :class:`Estimate`.
        p: the probability of a difference as large as this one if there is none; None without an interval.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    p: float | None = None


def rate(sums: Sums, level: float = LEVEL) -> Estimate:
    """A rate ``k`` of ``n`` with Wilson's interval on the effective number.

    Args:
        sums: the sums over games; of each game ``0 <= k <= n``.
        level: the share of such intervals that hold the true value.
    """
    if not sums.n:
        return Estimate(None)
    if sums.games < 2:
        return Estimate(sums.k / sums.n)
    low, high = _wilson(sums, design_effect(sums), student(level, sums.games - 1))
    return Estimate(sums.k / sums.n, low, high)


def mean(sums: Sums, divisor: int = 1, level: float = LEVEL) -> Estimate:
    """A mean ``k / n`` with the interval of the ratio estimator.

    Args:
        sums: the sums over games.
        divisor: ``k`` counts in parts of so many a unit: 2 for halves.
        level: the share of such intervals that hold the true value.
    """
    if not sums.n:
        return Estimate(None)
    value = sums.k / (sums.n * divisor)
    if sums.games < 2:
        return Estimate(value)
    half = student(level, sums.games - 1) * math.sqrt(_variance(sums)) / divisor
    return Estimate(value, value - half, value + half)


def design_effect(sums: Sums) -> float:
    """By how much the variance with games as clusters is larger than that of independent draws; at least 1.

    It is 1 where it cannot be known: in a single game, and where all or none are meant.
    """
    spread = sums.n * sums.k * (sums.n - sums.k) * (sums.games - 1)
    return max(1.0, sums.games * sums.residual / spread) if spread else 1.0


def difference(
    a: Sums, b: Sums, both: Products, *, is_rate: bool, divisor: int = 1, level: float = LEVEL
) -> Difference:
    """The estimate of group a minus that of group b, with games that have both counted as such.

    For rates the interval is Newcombe's: it is put together from Wilson's intervals of the two rates, and the
    correlation of the two estimates. For means it is the estimate and the standard error of the difference. The degrees
    of freedom are those of the group with fewer games.

    Args:
        a, b: the sums of the two groups.
        both: the sums of their products.
        is_rate: whether it is a rate, else a mean.
        divisor: as for :func:`mean`.
        level: the share of such intervals that hold the true value.

    Returns:
        The difference; without an interval if one of the groups is in less than two games.
    """
    if not a.n or not b.n:
        return Difference(None)
    exact = Fraction(a.k, a.n) - Fraction(b.k, b.n)
    value = float(exact / divisor)
    freedom = min(a.games, b.games) - 1
    if freedom < 1:
        return Difference(value)
    covariance = _covariance(a, b, both)
    if is_rate:
        ends = _newcombe(a, b, covariance)
        low, high = ends(student(level, freedom))
        return Difference(value, low, high, _p_of(ends, value, freedom))
    variance = max(0.0, _variance(a) + _variance(b) - 2 * covariance)
    error = math.sqrt(variance) / divisor
    half = student(level, freedom) * error
    p = (1.0 if value == 0 else 0.0) if error == 0 else 1 - inside(abs(value) / error, freedom)
    return Difference(value, value - half, value + half, p)


def holm(p_values: list[float | None]) -> list[float | None]:
    """Adjusts the p-values of several comparisons by Holm's method.

    If those below 0.05 count as differences, then with a probability of at most 5 % there is even one among them where
    there is none in truth.

    Args:
        p_values: one a comparison; those without one count for nothing.
    """
    known = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    most = 0.0
    for rank, (p, place) in enumerate(known):
        most = max(most, min(1.0, p * (len(known) - rank)))
        adjusted[place] = most
    return adjusted


@lru_cache(maxsize=100_000)
def student(level: float, freedom: int) -> float:
    """The t within plus and minus which Student's distribution has that share, for whole degrees of freedom.

    Raises:
        ValueError: for a level that is not between 0 and 1, or less than one degree.
    """
    if not 0 < level < 1 or freedom < 1:
        raise ValueError(f"no quantile for level {level} and {freedom} degrees of freedom")
    return _where(lambda t: inside(t, freedom) - level)


def inside(t: float, freedom: int) -> float:
    """The share of Student's distribution between -t and t, for whole degrees of freedom and t from 0 on.

    The finite sums for whole degrees of freedom; for many of them, a transformation to the normal distribution
    (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3, 26.7.4 and 26.7.8).
    """
    if freedom > _MANY:
        z = t * (1 - 1 / (4 * freedom)) / math.sqrt(1 + t * t / (2 * freedom))
        return math.erf(z / math.sqrt(2))
    angle = math.atan2(t, math.sqrt(freedom))
    square = math.cos(angle) ** 2
    odd = freedom % 2
    term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(2 + odd, freedom - 1, 2):
        term *= square * (step - 1) / step
        total += term
    share = math.sin(angle) * total
    return (angle + share) * 2 / math.pi if odd else share


def _variance(sums: Sums) -> float:
    return sums.games * sums.residual / ((sums.games - 1) * sums.n**4)


def _covariance(a: Sums, b: Sums, both: Products) -> float:
    residual = a.n * b.n * both.kk - a.n * b.k * both.kn - a.k * b.n * both.nk + a.k * b.k * both.nn
    return both.games * residual / ((both.games - 1) * a.n**2 * b.n**2)


def _wilson(sums: Sums, design: float, t: float) -> tuple[float, float]:
    p, n = sums.k / sums.n, sums.n / design
    square = t * t
    middle = (p + square / (2 * n)) / (1 + square / n)
    half = t / (1 + square / n) * math.sqrt(p * (1 - p) / n + square / (4 * n * n))
    low = 0.0 if sums.k == 0 else max(0.0, min(p, middle - half))
    high = 1.0 if sums.k == sums.n else min(1.0, max(p, middle + half))
    return low, high


def _newcombe(a: Sums, b: Sums, covariance: float) -> Callable[[float], tuple[float, float]]:
    """The ends of the interval of a difference of rates, for any t."""
    p, q = a.k / a.n, b.k / b.n
    design_a, design_b = design_effect(a), design_effect(b)
    spread = math.sqrt(p * (1 - p) / a.n * design_a * q * (1 - q) / b.n * design_b)
    correlation = max(-1.0, min(1.0, covariance / spread)) if spread else 0.0

    def ends(t: float) -> tuple[float, float]:
        low_a, high_a = _wilson(a, design_a, t)
        low_b, high_b = _wilson(b, design_b, t)
        down = _together(p - low_a, high_b - q, correlation)
        up = _together(high_a - p, q - low_b, correlation)
        return p - q - down, p - q + up

    return ends


def _together(one: float, other: float, correlation: float) -> float:
    return math.sqrt(max(0.0, one * one + other * other - 2 * correlation * one * other))


def _p_of(ends: Callable[[float], tuple[float, float]], value: float, freedom: int) -> float:
    """The p-value that belongs to an interval: the level at which it just reaches 0."""
    if value == 0:
        return 1.0
    side = 0 if value > 0 else 1
    return 1 - inside(_where(lambda t: -ends(t)[side] * (1 if value > 0 else -1)), freedom)


def _where(rising: Callable[[float], float]) -> float:
    """The t from 0 on at which a rising function becomes 0, by halving; a very large one if it never does."""
    low, high = 0.0, 1.0
    while rising(high) < 0 and high < 1e6:
        low, high = high, 2 * high
    for _ in range(50):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if rising(middle) < 0:
            low = middle
        else:
            high = middle
    return high
