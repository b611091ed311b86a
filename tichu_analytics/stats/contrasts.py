"""Rows that did something beside rows that did not, of the same category: calls, by what was in the hand.

Whoever calls Tichu has a better hand than whoever does not. So callers are compared with others of the same category,
and the differences of all categories are put together with the share that each has among the callers::

    estimate = sum over c of N1(c) / N1 * (mean of callers in c - mean of others in c)

Only categories with both are covered; ``N1`` counts the callers in them. What is left is an association and not an
effect: of two hands with the same aces and special cards the better one is called all the same.

The interval is that of a jackknife over parts of the games: all is worked out
:data:`tichu_analytics.stats.groupings.PARTS` times over, each time without one of the parts into which games are sorted
by their ids. With J parts the variance is ``(J - 1) / J`` times the sum of the squared distances from the mean of
these, and the multiple is Student's for ``J - 1`` degrees of freedom (Efron and Tibshirani, An Introduction to the
Bootstrap, 1993, chapter 11). All comes from whole numbers that are added up by part and category, so that threads
change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from tichu_analytics.stats.groupings import PART
from tichu_analytics.stats.intervals import LEVEL, Estimate, Sums, student
from tichu_analytics.stats.registry import Measure, WrongMeasure
from tichu_analytics.stats.sums import Group, NotForBase, Pass

if TYPE_CHECKING:
    from tichu_analytics.tables.query import Asker


class Cell(NamedTuple):
    """Callers and others of a category: how many, and the sum of their values."""

    n: int = 0
    k: int = 0
    other_n: int = 0
    other_k: int = 0

    def plus(self, other: Cell, sign: int = 1) -> Cell:
        """Both together; with the sign -1 what is left without the other."""
        return Cell(*(mine + sign * its for mine, its in zip(self, other, strict=True)))


class Contrast(NamedTuple):
    """A group of a comparison within categories.

    Attributes:
        sums: ``n`` and ``k`` of the callers that are covered; ``games`` are those with any caller. Squares are 0.
        estimate: the difference with its interval.
        calls: all callers, covered or not.
        others: the others in the categories that are covered.
        own, other: the mean of the callers that are covered, and that of the others with the same weights.
    """

    sums: Sums
    estimate: Estimate
    calls: int
    others: int
    own: float | None
    other: float | None

    def more(self) -> dict[str, float | int | None]:
        """The values of the columns :data:`tichu_analytics.stats.registry.CONTRAST`."""
        return {"with_call": self.own, "without_call": self.other, "calls": self.calls, "others": self.others}


class ContrastPass:
    """A measure with ``against``, grouped by columns."""

    def __init__(
        self, asker: Asker, measure: Measure, by: Sequence[str], where: str | None = None, players: str | None = None
    ) -> None:
        """Prepares it.

        Raises:
            NotForBase, UnknownName, QueryRefused, QueryFailed, WrongMeasure: as :class:`Pass` does.
        """
        assert measure.within is not None and measure.against is not None
        if measure.within in by:
            raise NotForBase(f"{measure.name} compares within {measure.within} already")
        try:
            asker.condition(measure.against)
        except ValueError as error:
            raise WrongMeasure(f"{measure.name}: {error}") from None
        plain = replace(measure, against=None, within=None)
        self._names = (f"{measure.name}.own", f"{measure.name}.other")
        own, other = replace(plain, name=self._names[0]), replace(plain, name=self._names[1], of=measure.against)
        #: Tells how many games there are, and what a condition leaves out.
        self.whole = Pass(asker, measure.base, [plain], by, where, players)
        self._cells = Pass(asker, measure.base, [own, other], [*by, measure.within, PART], where, players)
        self.measure = measure
        self.by = tuple(by)

    def contrasts(self) -> dict[Group, Contrast]:
        """Each group with what came out."""
        count = len(self.by)
        found: dict[Group, dict[int, dict[str | None, Cell]]] = {}
        sums = self._cells.sums()
        for name, is_own in zip(self._names, (True, False), strict=True):
            for group, its in sums[name].items():
                cell = Cell(its.n, its.k) if is_own else Cell(0, 0, its.n, its.k)
                parts = found.setdefault(group[:count], {})
                cells = parts.setdefault(group[count + 1], {})
                cells[group[count]] = cells.get(group[count], Cell()).plus(cell)
        wholes = self.whole.sums()[self.measure.name]
        return {
            group: contrast(found.get(group, {}), whole.games, self.measure.divisor) for group, whole in wholes.items()
        }


def contrast(parts: dict[int, dict[str | None, Cell]], games: int, divisor: int = 1) -> Contrast:
    """Compares callers with others of the same category.

    Args:
        parts: for each part of the games its categories; None is that of rows of which it is not known, and which are
            not compared.
        games: games with any caller.
        divisor: values count in parts of so many a unit.
    """
    total: dict[str | None, Cell] = {}
    for cells in parts.values():
        for category, cell in cells.items():
            total[category] = total.get(category, Cell()).plus(cell)
    calls = sum(cell.n for cell in total.values())
    total.pop(None, None)
    covered = [cell for cell in total.values() if cell.n and cell.other_n]
    n, k = sum(cell.n for cell in covered), sum(cell.k for cell in covered)
    others = sum(cell.other_n for cell in covered)
    value = _difference(total.values(), divisor)
    sums = Sums(n, k, games=games if n else 0)
    if value is None:
        return Contrast(sums, Estimate(None), calls, others, None, None)
    without = [_difference(_less(total, cells), divisor) for cells in parts.values() if any(_any(cells))]
    own = k / (n * divisor)
    return Contrast(sums, _jackknifed(value, without, games), calls, others, own, own - value)


def _any(cells: dict[str | None, Cell]) -> Iterable[bool]:
    return (cell.n + cell.other_n > 0 for cell in cells.values())


def _less(total: dict[str | None, Cell], cells: dict[str | None, Cell]) -> list[Cell]:
    return [cell.plus(cells.get(category, Cell()), -1) for category, cell in total.items()]


def _difference(cells: Iterable[Cell], divisor: int) -> float | None:
    """The weighted difference; None where no category has both."""
    covered = [cell for cell in cells if cell.n and cell.other_n]
    n = sum(cell.n for cell in covered)
    if not n:
        return None
    other = math.fsum(cell.n * cell.other_k / cell.other_n for cell in covered)
    return (sum(cell.k for cell in covered) - other) / (n * divisor)


def _jackknifed(value: float, without: Sequence[float | None], games: int) -> Estimate:
    known = [one for one in without if one is not None]
    count = len(known)
    if count < 2 or count < len(without) or games < 2:
        return Estimate(value)
    middle = math.fsum(known) / count
    variance = (count - 1) / count * math.fsum((one - middle) ** 2 for one in known)
    half = student(LEVEL, count - 1) * math.sqrt(variance)
    return Estimate(value, value - half, value + half)
