"""Reports: on a collection of games, and on one player in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from tichu_analytics.report.labels import value_label
from tichu_analytics.report.model import Section
from tichu_analytics.report.names import find_player
from tichu_analytics.report.one_player import player_sections
from tichu_analytics.report.overview import Fact, Overview, overview
from tichu_analytics.report.plans import SECTIONS
from tichu_analytics.report.words import many, number
from tichu_analytics.report.work import Scope, sections
from tichu_analytics.stats.outcome import Row
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


def collection_report(data: Dataset, where: str | None = None, advance: Callable[[str], None] | None = None) -> Report:
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


def player_report(
    data: Dataset, name: str, where: str | None = None, advance: Callable[[str], None] | None = None
) -> Report:
    """The report on one player.

    Args:
        data: the data set.
        name: the name of the player, as records have it.
        where, advance: as for :func:`collection_report`.

    Raises:
        UnknownPlayer: if nobody has that name; the text says who may be meant.
        ValueError: as :func:`collection_report` does.
    """
    player = find_player(data, name)
    about = overview(data)
    shown = value_label("player", name)
    found = sections(Scope(data, where, advance), player_sections(name, shown))
    facts = [
        Fact(f"{player.games:,}", f"of {many(data.info['games'], 'game')}"),
        Fact(f"{player.rounds:,}", f"of {many(data.info['rounds_kept'], 'counted round')}"),
    ]
    if where is None and "games" in data.tables:
        facts += _rating(data, name)
    text = f"Beside everybody in {many(data.info['games'], 'game')}: all players together, this one included."
    return Report(
        "Tichu report on a player", shown, text, tuple(facts), about, tuple(found), where or "", player.remarks()
    )


def _rating(data: Dataset, name: str) -> list[Fact]:
    """The rating of a player; nothing for one without rated games."""
    from tichu_analytics.stats.answering import rate

    rows = rate(data).rows
    for row in rows:
        if isinstance(row, Row) and row.groups["player"] == name:
            guess = row.estimate
            fact = Fact(
                number(guess.value, "rating"),
                f"rating ({number(guess.low, 'rating')} to {number(guess.high, 'rating')}), "
                f"from {many(row.sums.n, 'game')}; 25 is what everybody begins with",
            )
            return [fact]
    return []
