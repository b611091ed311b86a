"""How the values behind a mean are spread: standard deviation and quantiles, from how often there is each value."""

from __future__ import annotations

import math
from collections.abc import Mapping

from tichu_analytics.stats.registry import QUANTILES

Spread = dict[str, float | int | None]


def spread(counts: Mapping[int, int], divisor: int = 1) -> Spread:
    """The columns :data:`tichu_analytics.stats.registry.SPREAD`.

    The standard deviation is the root of the mean squared distance from the mean. A quantile is the least of the values
    than which at least so many percent are not greater; it is one of the values that there are.

    Args:
        counts: how often there is each value, in parts of a unit.
        divisor: how many parts a unit has.

    Returns:
        The values in units, whole numbers as such; None for all of them without any value.
    """
    values = sorted(value for value, count in counts.items() if count)
    if not values:
        return dict.fromkeys(("sd", "least", *QUANTILES, "greatest"))
    n = sum(counts.values())
    total = sum(value * count for value, count in counts.items())
    squares = sum(value * value * count for value, count in counts.items())
    found: Spread = {"sd": math.sqrt(n * squares - total * total) / (n * divisor), "least": _units(values[0], divisor)}
    below = 0
    wanted = iter(QUANTILES.items())
    name, percent = next(wanted)
    for value in values:
        below += counts[value]
        while 100 * below >= percent * n and name not in found:
            found[name] = _units(value, divisor)
            name, percent = next(wanted, (name, percent))
    found["greatest"] = _units(values[-1], divisor)
    return found


def _units(value: int, divisor: int) -> float | int:
    return value // divisor if value % divisor == 0 else value / divisor
