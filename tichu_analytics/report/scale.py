"""Axes: from where to where, and which values are written."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

_STEPS: Final = (1.0, 2.0, 2.5, 5.0, 10.0)


class Scale(NamedTuple):
    """An axis.

    Attributes:
        low, high: its ends.
        ticks: the values that are written, at most as many as were asked for.
    """

    low: float
    high: float
    ticks: tuple[float, ...]


def scale_of(
    values: Iterable[float], *, most: int = 5, least: float = -math.inf, greatest: float = math.inf, zero: bool = False
) -> Scale:
    """An axis on which all values have their place and both ends are round numbers.

    Args:
        values: what is drawn.
        most: how many ticks there may be.
        least, greatest: what no value can be below and above, such as 0 and 1 for rates.
        zero: whether the axis begins (or ends) at 0 even if the values are far from it.

    Returns:
        The axis. If all values are between a third of the greatest and the greatest, it need not begin at 0: dots, not
        bars, stand on it.
    """
    found = sorted(value for value in values if math.isfinite(value))
    if not found:
        found = [0.0, 1.0]
    low, high = found[0], found[-1]
    if zero or 0 <= low < high / 3 or low == high == 0:
        low = min(low, 0.0)
    if zero or low / 3 < high <= 0:
        high = max(high, 0.0)
    if high - low < 1e-9 * max(abs(low), abs(high), 1e-3):
        room = abs(low) / 10 or 1.0
        low, high = max(low - room, least), min(high + room, greatest)
    step = _step((high - low) / max(most - 1, 1))
    while True:
        first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if last - first < most:
            break
        step = _step(step * 1.01)
    begin, end = max(first * step, least), min(last * step, greatest)
    ticks = tuple(one for number in range(first, last + 1) if begin - 1e-9 <= (one := number * step) <= end + 1e-9)
    return Scale(begin, end, ticks)


def _step(wanted: float) -> float:
    """The next round number that is not less."""
    power = 10.0 ** math.floor(math.log10(wanted))
    return next(step * power for step in _STEPS if step * power >= wanted * (1 - 1e-9))


def tick_percent(value: float, step: float) -> str:
    """A rate at an axis."""
    digits = max(0, -math.floor(math.log10(step * 100) + 1e-9)) if step < 0.01 else 0
    if step * 100 >= 1 and abs(step * 100 - round(step * 100)) > 1e-6:
        digits = 1
    return f"{100 * value:.{digits}f}"


def tick_number(value: float, step: float) -> str:
    """A mean at an axis, with a true minus."""
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) if step < 1 else 0
    if step >= 1 and abs(step - round(step)) > 1e-6:
        digits = 1
    written = f"{value:,.{digits}f}"
    return ("0" if float(written.replace(",", "")) == 0 else written).replace("-", "\u2212")
