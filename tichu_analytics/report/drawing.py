"""Which figure draws which plan, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

from tichu_analytics.report.measure_words import BELOW
from tichu_analytics.report.model import WHOSE, Answer, Plan
from tichu_analytics.report.words import own_words
from tichu_analytics.stats.registry import COLUMNS

if TYPE_CHECKING:
    import pandas as pd

#: The names of figures in plans, each with the function of :mod:`tichu_analytics.report.figures` that draws it.
DRAWN: Final[dict[str, str]] = {
    "rates": "rate_dots",
    "odds": "rate_dots",
    "means": "mean_dots",
    "heatmap": "exchange_heatmap",
    "spreads": "round_scores",
    "ranges": "score_ranges",
    "strength": "success_by_strength",
    "along": "rates_along",
    "ranks": "bombs_by_rank",
    "players": "player_rates",
    "partners": "player_rates",
    "ratings": "ratings",
}
#: What is dealt, by the measure of it: the number of cards and the event among the exact odds of bombs.
_DEALT: Final = {
    "bombs.dealt8_rate": (8, "a bomb"),
    "bombs.dealt_rate": (14, "a bomb"),
    "bombs.dealt_four_rate": (14, "four of a kind"),
    "bombs.dealt_straight_rate": (14, "straight flush"),
}
#: The figures that tell measures by their labels.
_LABELLED: Final = frozenset({"rates", "odds", "means", "spreads", "strength", "along"})


#: The figures that have a row for each group, which can be called anything.
_IN_ROWS: Final = frozenset({"rates", "odds", "means"})


def drawn(plan: Plan, answers: Sequence[Answer]) -> str:
    """The figure of a plan as SVG for a page; empty for a plan without one."""
    if not plan.figure:
        return ""
    from tichu_analytics.report import figures
    from tichu_analytics.report.svg import figure_svg

    draw: Callable[..., Any] = getattr(figures, DRAWN[plan.figure])
    more: dict[str, Any] = {}
    if plan.figure in _LABELLED:
        more["labels"] = BELOW
    if plan.figure == "odds":
        more["beside"] = exact_odds()
    frame = _frame(plan, answers)
    if plan.figure in _IN_ROWS:
        frame = _worded(frame)
    if "beside" in frame.columns and plan.figure != "odds":
        more["beside_label"] = answers[1].ask.whose
    figure = draw(frame, **more)
    return figure_svg(figure, title=plan.title, id_prefix=f"{plan.key}-figure")


def exact_odds() -> dict[str, float]:
    """The exact odds of what some measures count, by measure."""
    from tichu_analytics.stats.odds import exact

    rows = {(row.cards, row.event): row.probability for row in exact("bombs") if row.who == "hand"}
    return {measure: rows[event] for measure, event in _DEALT.items()}


def _frame(plan: Plan, answers: Sequence[Answer]) -> pd.DataFrame:
    """The rows as a data frame; of two answers the second stands beside the first, or below it where it cannot."""
    import pandas as pd

    frames = []
    for answer in answers:
        if answer.result is not None and answer.rows:
            frame = answer.result._replace(rows=answer.rows).to_pandas()
            if answer.ask.whose:
                frame[WHOSE] = answer.ask.whose
            frames.append(frame)
    if plan.figure == "partners":
        return frames[0].drop(columns=["player"])
    if len(frames) == 1 or not answers[0].ask.whose:
        return pd.concat(frames, ignore_index=True) if len(frames) > 1 else frames[0]
    if plan.figure in ("rates", "odds"):
        return _with_beside(answers)
    return pd.concat(frames, ignore_index=True)


def _worded(frame: pd.DataFrame) -> pd.DataFrame:
    """The rows with a report's own words for the values of groups."""
    for name in frame.columns[len(COLUMNS) :]:
        values = [value.item() if hasattr(value, "item") else value for value in frame[name].tolist()]
        words = [own_words(name, value) for value in values]
        if all(words):
            frame[name] = words
    return frame


def _with_beside(answers: Sequence[Answer]) -> pd.DataFrame:
    """The rows of the first answer, with the estimates of the second for the same measure and group."""
    first, second = answers[:2]
    assert first.result is not None
    places = {name: place for place, name in enumerate(second.ask.measures)}
    other = {(places[row.measure.name], _key(row.groups)): row.estimate.value for row in second.rows}
    order = {name: place for place, name in enumerate(first.ask.measures)}
    frame = first.result._replace(rows=first.rows).to_pandas()
    beside = [other.get((order[row.measure.name], _key(row.groups))) for row in first.rows]
    frame["beside"] = pd_floats(beside)
    return frame.drop(columns=["player"], errors="ignore")


def pd_floats(values: list[float | None]) -> pd.Series:
    """Numbers as a column, those that are not known as missing."""
    import pandas as pd

    return pd.Series(values, dtype="float64")


def _key(groups: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for name, value in groups.items() if name != "player")
