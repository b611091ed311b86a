"""Estimates of many players at once: each is drawn to the mean of all, the more the less is known of the player.

Of a hundred players with three games each some have won all three, by luck. What is to be expected of a player lies
between the own rate and that of all players; where, follows from how much players differ beyond luck, and that can be
seen from all of them together (empirical Bayes). With ``p = k/n`` of a player, ``v`` the variance of ``p`` by luck
and ``T`` the variance between players::

    shrunk = B * m + (1 - B) * p        B = (P - 3) / (P - 1) * v / (v + T)

- *Luck.* ``v = c / n``. The variance ``c`` of a single one is the same for all players: the mean of what is seen
  between the games of each player, ``G / (G - 1) * sum((k - p * n) ** 2)``, over all who have at least two games. Games
  are clusters, as everywhere here; of a rate ``c`` is at least that of independent draws. ``d`` is the ratio of both.
- *Players.* ``T`` and the mean ``m`` of all players are estimated by moments: the sum of ``a * (p - m) ** 2`` over
  players is compared with what luck alone would give, first with the weights ``a = 1 / v``, then once more with
  ``a = 1 / (v + T)`` (DerSimonian and Kacker, Contemporary Clinical Trials 28, 2007, 105-114, the two-step estimate).
  ``m`` is the mean with the latter weights, so that busy players do not count for many.
- *Few players.* The factor ``(P - 3) / (P - 1)`` with P players allows for ``T`` being estimated (Morris, Journal of
  the American Statistical Association 78, 1983, 47-55). Below :data:`FEWEST` players nothing is shrunk.
- *Rates* are beta-binomial: given ``n / d`` draws and the beta distribution of all players, that of one player is a
  beta distribution with the mean ``shrunk`` and the variance ``shrunk * (1 - shrunk) / (n / d / (1 - B) + 1)``. *Means*
  are normal, with the variance ``v * (1 - B)``.
- *How far T is known.* ``T`` may come out as 0 by luck where players hardly differ, and then everybody's variance would
  be too small. So in these two variances ``B`` is worked out with what is to be expected of ``T``: the mean of a normal
  distribution above 0 with the estimate (before it is set to 0 if it is less) and the variance ``2 / sum(a ** 2)``,
  that of the best estimate of ``T`` for normal players.
- Both variances grow by what is not known of ``m`` and ``T``: ``B ** 2 / sum(a)`` and, after Morris,
  ``2 / (P - 3) * B ** 2 * (p - m) ** 2 * (w + T) / (v + T)`` with ``w`` the mean of ``v`` in the weights ``a``.
- The interval holds 95 % of a distribution with that mean and that variance: beta for rates, normal for means.

All comes from the same whole numbers as the intervals (:class:`tichu_analytics.stats.intervals.Sums`); floating point
sums are rounded once, so that the order of players does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import Final, NamedTuple

from tichu_analytics.stats.intervals import LEVEL, Sums

#: With fewer players there is no telling how much players differ.
FEWEST: Final = 5


class Shrunk(NamedTuple):
    """What is to be expected of a player.

    Attributes:
        value: the estimate drawn to the mean of all; None if it cannot be had.
        low, high: the ends of the interval that holds the true value of a player with 95 %.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class Prior(NamedTuple):
    """How players differ.

    Attributes:
        players: how many were looked at.
        mean: the mean of all players.
        between: the variance between them.
        likely: the variance between them that is to be expected, never 0: see the module.
        one: the variance of a single draw by luck.
        design: for rates, by how much it is larger than that of independent draws; else 1.
        weight: the sum of the weights of all players in the mean.
        luck: the mean over players of the variance by luck, in the same weights.
    """

    players: int
    mean: float
    between: float
    likely: float
    one: float
    design: float
    weight: float
    luck: float


def shrink(some: Sequence[Sums], *, is_rate: bool, divisor: int = 1, level: float = LEVEL) -> list[Shrunk]:
    """Shrinks the estimates of all players.

    Args:
        some: the sums of each player.
        is_rate: whether ``k`` of ``n`` is a rate; else a mean.
        divisor: ``k`` counts in parts of so many a unit.
        level: the share of intervals that are to hold the true value.

    Returns:
        One for each of them, in their order; without values if there are less than :data:`FEWEST` players with any
        ``n``, or none of them has been seen to vary.
    """
    prior = estimated_prior(some, is_rate=is_rate)
    if prior is None:
        return [Shrunk(None)] * len(some)
    known: dict[tuple[int, int], Shrunk] = {}
    found = []
    for sums in some:
        key = (sums.n, sums.k)
        if key not in known:
            known[key] = _shrunk(sums, prior, is_rate, divisor, level)
        found.append(known[key])
    return found


def estimated_prior(some: Sequence[Sums], *, is_rate: bool) -> Prior | None:
    """How players differ, from the sums of each; means in the parts in which they count.

    Returns:
        None for less than :data:`FEWEST` players with any ``n``, and if nobody has two games.
    """
    there = [sums for sums in some if sums.n]
    several = [sums for sums in there if sums.games > 1]
    if len(there) < FEWEST or not several:
        return None
    total = sum(sums.n for sums in several)
    one = math.fsum(sums.games / (sums.games - 1) * (sums.residual / sums.n**2) for sums in several) / total
    design = 1.0
    if is_rate:
        alone = math.fsum(sums.k * (sums.n - sums.k) / (sums.n - 1) for sums in several if sums.n > 1) / total
        if not alone:
            return None
        design = max(1.0, one / alone)
        one = design * alone
    if not one:
        return None
    values = [sums.k / sums.n for sums in there]
    luck = [one / sums.n for sums in there]
    between = max(0.0, _between(values, luck, 0.0))
    seen = _between(values, luck, between)
    between = max(0.0, seen)
    weights = [1 / (its + between) for its in luck]
    weight = math.fsum(weights)
    mean = _weighted(values, weights)
    likely = _above_zero(seen, math.sqrt(2 / math.fsum(one * one for one in weights)))
    return Prior(len(there), mean, between, likely, one, design, weight, _weighted(luck, weights))


def _between(values: Sequence[float], luck: Sequence[float], before: float) -> float:
    """The variance between players by moments, with the weights that would be best if it were ``before``.

    It comes out below 0 where players differ less than luck alone would make them.
    """
    weights = [1 / (its + before) for its in luck]
    total = math.fsum(weights)
    mean = _weighted(values, weights)
    seen = math.fsum(a * (value - mean) ** 2 for a, value in zip(weights, values, strict=True))
    by_luck = math.fsum(a * its * (1 - a / total) for a, its in zip(weights, luck, strict=True))
    return (seen - by_luck) / (total - math.fsum(a * a for a in weights) / total)


def _above_zero(middle: float, error: float) -> float:
    """The mean of what is above 0 of a normal distribution."""
    x = max(middle / error, -30.0)
    density = math.exp(-x * x / 2) / math.sqrt(2 * math.pi)
    return error * (x + density / (math.erfc(-x / math.sqrt(2)) / 2))


def _weighted(values: Sequence[float], weights: Sequence[float]) -> float:
    return math.fsum(a * value for a, value in zip(weights, values, strict=True)) / math.fsum(weights)


def _shrunk(sums: Sums, prior: Prior, is_rate: bool, divisor: int, level: float) -> Shrunk:
    luck = prior.one / sums.n if sums.n else math.inf
    few = (prior.players - 3) / (prior.players - 1)
    share = few * (luck / (luck + prior.between) if sums.n else 1.0)
    least_share = few * (luck / (luck + prior.likely) if sums.n else 1.0)
    own = sums.k / sums.n if sums.n else prior.mean
    value = share * prior.mean + (1 - share) * own
    unknown = share**2 / prior.weight
    if sums.n:
        size = (prior.luck + prior.between) / (luck + prior.between)
        unknown += 2 / (prior.players - 3) * share**2 * (own - prior.mean) ** 2 * size
    if is_rate:
        variance = value * (1 - value) / (sums.n / prior.design / (1 - least_share) + 1) + unknown
        return Shrunk(value, *_beta_ends(value, variance, level))
    half = NormalDist().inv_cdf((1 + level) / 2) * math.sqrt(prior.one / sums.n * (1 - least_share) + unknown)
    return Shrunk(value / divisor, (value - half) / divisor, (value + half) / divisor)


def _beta_ends(mean: float, variance: float, level: float) -> tuple[float, float]:
    """The middle share of a beta distribution with that mean and variance."""
    if not 0 < mean < 1:
        return mean, mean
    size = max(mean * (1 - mean) / variance - 1, 1e-6)
    a, b = mean * size, (1 - mean) * size
    return beta_quantile((1 - level) / 2, a, b), beta_quantile((1 + level) / 2, a, b)


def beta_quantile(share: float, a: float, b: float) -> float:
    """The x below which a beta distribution has that share; by Newton's method, kept within halved bounds."""
    mean = a / (a + b)
    spread = math.sqrt(mean * (1 - mean) / (a + b + 1))
    low, high = 0.0, 1.0
    x = min(max(mean + NormalDist().inv_cdf(share) * spread, mean / 100), 1 - (1 - mean) / 100)
    for _ in range(200):
        error = beta_below(x, a, b) - share
        low, high = (x, high) if error < 0 else (low, x)
        slope = math.exp((a - 1) * math.log(x) + (b - 1) * math.log1p(-x) - _log_beta(a, b))
        step = error / slope if slope else math.inf
        following = x - step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) <= 1e-12 * x or following in (0.0, 1.0):
            return following
        x = following
    return x


def beta_below(x: float, a: float, b: float) -> float:
    """The share of a beta distribution below x (Abramowitz and Stegun, Handbook of Mathematical Functions, 26.5.8)."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - beta_below(1 - x, b, a)
    front = math.exp(a * math.log(x) + b * math.log1p(-x) - _log_beta(a, b)) / a
    return front / _fraction(lambda m: _term(m, x, a, b))


def _term(m: int, x: float, a: float, b: float) -> float:
    half = m // 2
    if m % 2:
        return -(a + half) * (a + b + half) * x / ((a + m - 1) * (a + m))
    return half * (b - half) * x / ((a + m - 1) * (a + m))


def _fraction(term: Callable[[int], float]) -> float:
    """``1 + d1/(1 + d2/(1 + ...))``, from the front (the modified method of Lentz)."""
    tiny = 1e-300
    value, upper, lower = 1.0, 1.0, 0.0
    for m in range(1, 10_000):
        d = term(m)
        lower = 1 / ((1 + d * lower) or tiny)
        upper = (1 + d / upper) or tiny
        value *= upper * lower
        if abs(upper * lower - 1) < 1e-14:
            break
    return value


@lru_cache(maxsize=1_000)
def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
