"""The most important numbers of a figure in a sentence, for those who do not look at it."""

from __future__ import annotations

from collections.abc import Sequence

from tichu_analytics.report.model import Answer, Plan
from tichu_analytics.report.words import label, number
from tichu_analytics.stats.outcome import Row

#: More estimates are no sentence.
_MOST = 2


def lead(plan: Plan, answers: Sequence[Answer]) -> str:
    """One or two estimates with their intervals and n; empty where there are more, which the figure shows."""
    rows = [(answer.ask.whose, row) for answer in answers for row in answer.rows if row.sums.n]
    if not 1 <= len(rows) <= _MOST or plan.top:
        return ""
    return "; ".join(f"{label(row.measure.name)}{f' ({whose})' if whose else ''}: {words(row)}" for whose, row in rows)


def words(row: Row) -> str:
    """An estimate with its interval and n."""
    guess, unit = row.estimate, row.measure.unit
    ends = f" ({number(guess.low, unit)} to {number(guess.high, unit)})" if guess.low is not None else ""
    return f"{number(guess.value, unit)}{ends}, n {row.sums.n:,}"
