"""Works a report out: asks the statistics what its plan says, and puts rows, figure and words together.

Nothing is counted here: every number is one that ``tichu stats`` or ``tichu odds`` gives, and the command that gives it
stands below each table.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.report.drawing import drawn
from tichu_analytics.report.lead import lead
from tichu_analytics.report.model import Answer, Ask, Definition, Plan, Section, SectionPlan, Shown
from tichu_analytics.report.odds_beside import odds_shown
from tichu_analytics.report.table import csv_rows, result_table
from tichu_analytics.report.words import label
from tichu_analytics.stats.ranking import PLAYER
from tichu_analytics.stats.registry import measures
from tichu_analytics.stats.sums import NotForBase
from tichu_analytics.tables.walls import QueryRefused

if TYPE_CHECKING:
    from tichu_analytics.stats.outcome import Result, Row
    from tichu_analytics.tables.dataset import Dataset

#: What is said where there is nothing to be seen.
NOTHING: Final = "There is nothing to be counted here."
_RATINGS: Final = "Ratings go over all games; they cannot be had with a condition."
_ODDS: Final = "The exact odds are those of all hands that are dealt; they are not set beside hands under a condition."


class Scope(NamedTuple):
    """What a report goes over.

    Attributes:
        data: the data set.
        where: a condition on the rows; None for all.
        advance: is told that a figure is done, with its title.
    """

    data: Dataset
    where: str | None = None
    advance: Callable[[str], None] | None = None


def sections(scope: Scope, plans: Iterable[SectionPlan]) -> list[Section]:
    """Works out sections.

    Raises:
        UnknownName, QueryRefused, QueryFailed: for a condition that is none or cannot be worked out.
        ValueError: if no figure can be had with the condition; all of the above are ValueErrors.
    """
    if scope.where is not None and not scope.where.strip():
        # Else it would be taken for none where another condition stands beside it.
        raise QueryRefused("the condition is empty")
    found = []
    refusals: list[str] = []
    fine = 0
    for section in plans:
        shown = []
        for plan in section.plans:
            one, answers = _shown(scope, plan)
            refusals += [answer.refusal for answer in answers if answer.result is None]
            fine += sum(answer.result is not None for answer in answers)
            shown.append(one)
            if scope.advance is not None:
                scope.advance(plan.title)
        found.append(Section(section.key, section.title, section.text, tuple(shown)))
    if scope.where is not None and refusals and not fine:
        raise NotForBase(refusals[0])
    return found


def _shown(scope: Scope, plan: Plan) -> tuple[Shown, list[Answer]]:
    if plan.odds is not None:
        if scope.where is not None:
            return Shown(plan, "", "", (), (), None, _ODDS), []
        return odds_shown(scope.data, plan), []
    answers = [_answer(scope, ask, plan.top) for ask in plan.asks]
    refusals = list(dict.fromkeys(answer.refusal for answer in answers if answer.result is None))
    rows = [row for answer in answers for row in answer.rows]
    definitions = _definitions(row.measure.name for row in rows)
    if not any(row.sums.n for row in rows):
        nothing = " ".join(refusals) or NOTHING
        asked = _definitions(name for ask in plan.asks for name in ask.measures)
        return Shown(plan, "", "", asked, (), None, nothing), answers
    notes = [*refusals, *_notes(scope, plan, answers)]
    svg = drawn(plan, answers)
    table = result_table(answers, tuple(command(answer.ask, least(answer)) for answer in answers if answer.rows))
    return Shown(plan, svg, lead(plan, answers), definitions, tuple(notes), table, csv=csv_rows(answers)), answers


def _answer(scope: Scope, ask: Ask, top: int) -> Answer:
    """The answer to a question under the condition of the report."""
    if ask.rating:
        if scope.where is not None:
            return Answer(ask, None, _RATINGS)
        from tichu_analytics.stats.answering import rate

        try:
            return _of_most(ask, lambda least: rate(scope.data, least), top)
        except NotForBase as refusal:
            return Answer(ask, None, f"{refusal}.")
    from tichu_analytics.stats.answering import compute

    ask = ask._replace(where=both(scope.where, ask.where))

    def asked(least: int) -> Result:
        return compute(
            scope.data,
            by=ask.by,
            where=ask.where or None,
            measures=ask.measures,
            min_n=least,
            distribution=ask.distribution,
        )

    try:
        return _of_most(ask, asked, top)
    except NotForBase as refusal:
        return Answer(ask, None, f"{refusal}.")


def both(*conditions: str | None) -> str:
    """Several conditions as one; empty for none."""
    found = [one for one in conditions if one]
    return " and ".join(f"({one})" for one in found) if len(found) > 1 else "".join(found)


def _of_most(ask: Ask, asked: Callable[[int], Result], top: int) -> Answer:
    """An answer; of players or pairs, only those with the greatest n, so many at most."""
    result = asked(1)
    counts = sorted((row.sums.n for row in _somebody(result.rows)), reverse=True)
    if top and len(counts) > top:
        # Of those with the same n as the first that is left out none is shown, so that chance picks nobody.
        result = asked(next((n for n in counts[top - 1 :: -1] if n > counts[top]), counts[0]))
    rows = _somebody(result.rows)
    return Answer(ask, result, rows=tuple(rows[:top] if top else rows))


def _somebody(rows: Sequence[Any]) -> list[Row]:
    """Rows without those of players who have no name."""
    return [row for row in rows if all(row.groups.get(name, "-") not in ("", None) for name in (PLAYER, "partner"))]


def least(answer: Answer) -> int:
    """The smallest n of the rows of players; 1 for all others."""
    has_players = any(PLAYER in row.groups for row in answer.rows)
    return min(row.sums.n for row in answer.rows) if has_players else 1


def command(ask: Ask, min_n: int = 1) -> str:
    """How the rows of a question are had on the command line; DATA stands for the data set."""
    words = ["tichu", "stats", "DATA"]
    if ask.rating:
        words.append("--rating")
    else:
        words += ["--measures", ",".join(ask.measures)]
    if ask.by:
        words += ["--by", ",".join(ask.by)]
    if ask.where:
        words += ["--where", ask.where]
    if ask.distribution:
        words.append("--distribution")
    if min_n > 1:
        words += ["--min-n", str(min_n)]
    return " ".join(map(shlex.quote, words))


def _definitions(names: Iterable[str]) -> tuple[Definition, ...]:
    """What measures tell; those that are called the same tell the same of somebody else, and stand with the first."""
    from tichu_analytics.stats.strength import MEASURE

    known = measures() | {MEASURE.name: MEASURE}
    by_label: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        by_label.setdefault(label(name), []).append(name)
    return tuple(Definition(known[first], words, tuple(also)) for words, (first, *also) in by_label.items())


def _notes(scope: Scope, plan: Plan, answers: Sequence[Answer]) -> list[str]:
    """What has to be said of results beside their rows, each sentence once."""
    notes: list[str] = []
    for ask, answer in zip(plan.asks, answers, strict=True):
        if answer.result is None:
            continue
        named = len(_somebody(answer.result.rows))
        if named < len(answer.result.rows):
            notes.append("players without a name are left out")
        if named > len(answer.rows):
            more = named - len(answer.rows)
            notes.append(f"{more:,} more with the same n {'is' if more == 1 else 'are'} not shown")
        if scope.where is not None and not ask.where:
            notes += answer.result.rounds.removed
        notes += answer.result.remarks
    return list(dict.fromkeys(notes))
