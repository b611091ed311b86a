"""What was dealt in these games beside the exact odds of it, as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tichu_analytics.report.model import Cell, Column, Plan, Shown, Table
from tichu_analytics.report.words import count, many, number

if TYPE_CHECKING:
    from tichu_analytics.stats.observed import Observed
    from tichu_analytics.stats.odds import Odds
    from tichu_analytics.tables.dataset import Dataset

_WHO: Final = {"hand": "a hand", "team": "a team", "table": "the table"}
_NOTE: Final = (
    "A standard error is how far the share of these games may be expected to be from the odds by chance; two in three "
    "are within one, one in twenty is beyond two. None is given where fewer than five cases are expected."
)


def odds_shown(data: Dataset, plan: Plan) -> Shown:
    """The odds of a subject with what was observed; the observed figures are those of ``tichu odds --data``."""
    from tichu_analytics.stats.observed import observed
    from tichu_analytics.stats.odds import exact_events

    assert plan.odds is not None
    subject, cards = plan.odds
    events = exact_events(subject, cards or None)
    try:
        beside = observed(data, events)
    except ValueError as trouble:
        return Shown(plan, "", "", (), (), None, f"{trouble}.")
    if not any(one.n for one in beside.rows):
        return Shown(plan, "", "", (), (), None, "There is nothing to be counted here.")
    lines = [(row, one) for (_, row), one in zip(events, beside.rows, strict=True) if row.n]
    names = ("who", "cards", "event", "k", "n", "rate", "low", "high", "probability", "standard_errors")
    columns = (
        Column("who", "who"),
        Column("cards", "cards", is_number=True),
        Column("event", "what is dealt"),
        Column("k", "k", is_number=True),
        Column("n", "n", is_number=True),
        Column("rate", "observed", is_number=True),
        Column("low", "from", is_number=True),
        Column("high", "to", is_number=True),
        Column("probability", "exact odds", is_number=True),
        Column("standard_errors", "standard errors", is_number=True),
    )
    shown = [line for line in lines if not _is_rare(*line)]
    notes = [_NOTE]
    if len(shown) < len(lines):
        rare = len(lines) - len(shown)
        things = "1 thing that is" if rare == 1 else f"{rare:,} things that are"
        notes.append(f"{things} expected less than once and never came {'is' if rare == 1 else 'are'} left out")
    notes += [
        f"{without:,} of {many(beside.rounds, 'round')} {'is' if without == 1 else 'are'} left out: the first {size} "
        "cards of a hand are not recorded"
        for size, without in beside.without.items()
        if without
    ]
    some = " --cards " + str(cards) if cards else ""
    table = Table(columns, [_cells(*line) for line in shown], (f"tichu odds {subject}{some} --data DATA",))
    exact = ("odds", *names)
    return Shown(
        plan, "", "", (), tuple(notes), table, csv=(exact, [[row.odds, *_values(row, one)] for row, one in lines])
    )


def _is_rare(row: Odds, one: Observed) -> bool:
    return one.k == 0 and one.n * row.probability < 1


def _values(row: Odds, one: Observed) -> list[Any]:
    return [
        row.who,
        row.cards,
        row.event,
        one.k,
        one.n,
        one.rate,
        one.low,
        one.high,
        row.probability,
        one.standard_errors,
    ]


def _cells(row: Odds, one: Observed) -> list[Cell]:
    # Adding 0 turns -0.0 into 0.0.
    errors = "–" if one.standard_errors is None else f"{round(one.standard_errors, 1) + 0:+.1f}"  # noqa: RUF001
    texts = [
        *(_WHO[row.who], str(row.cards), row.event, count(one.k), count(one.n)),
        *(
            _percent(one.rate),
            _percent(one.low),
            _percent(one.high),
            _percent(row.probability),
            errors.replace("-", "\u2212"),
        ),
    ]
    return [Cell(value, text) for value, text in zip(_values(row, one), texts, strict=True)]


def _percent(value: float | None) -> str:
    """Small shares with as many digits as tell them from 0."""
    if value and value < 0.001:
        return f"{100 * value:.2g} %" if value >= 1e-6 else f"{100 * value:.1e} %"
    return number(value, "proportion")
