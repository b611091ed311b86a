"""Reports: on a collection of games, and on one player in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tichu_analytics.report.model import Section
from tichu_analytics.report.overview import Fact, Overview, overview
from tichu_analytics.report.plans import SECTIONS
from tichu_analytics.report.work import Scope, sections
from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    from tichu_analytics.tables.dataset import Dataset


class Report(NamedTuple):
    """A report that is worked out.

    Attributes:
        kind: what it is, in a few words.
        title: its title, safe to show.
        about: what it goes over, in a sentence.
        facts: the numbers at its top.
        overview: what was read, left out and found.
        sections: its sections.
        condition: the condition under which rows are counted; empty for none.
        remarks: what else is to be said at its top.
    """

    kind: str
    title: str
    about: str
    facts: tuple[Fact, ...]
    overview: Overview
    sections: tuple[Section, ...]
    condition: str = ""
    remarks: tuple[str, ...] = ()

    def tables(self) -> dict[str, tuple[tuple[str, ...], list[list[Any]]]]:
        """All tables behind its figures by name, with their columns and rows; none without rows."""
        shown = [*self.overview.shown, *(one for section in self.sections for one in section.shown)]
        return {one.plan.key: one.csv for one in shown if one.table is not None}


def collection_report(
    data: Dataset, where: str | None = None, advance: Callable[[str], None] | None = None
) -> Report:
    """The report on a collection.

    Args:
        data: the data set.
        where: a condition on the rows that are counted, as in :func:`tichu_analytics.stats.compute`.
        advance: is told how it goes on, by the title of each figure that is done.

    Raises:
        ValueError: for a condition that is none or cannot be worked out, and if no figure can be had with it.
    """
    about = overview(data)
    found = sections(Scope(data, where, advance), SECTIONS)
    games = about.facts[0]
    title = f"{games.text} {games.what} of Tichu"
    words = f"Played {about.months}. " if about.months else ""
    text = f"{words}Calls, bombs, exchange, results and players, with what is behind each figure."
    return Report("Tichu report", for_terminal(title), text, about.facts, about, tuple(found), where or "")
