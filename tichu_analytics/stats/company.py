"""Which games only certain players sit at: a condition on each of the four, by what the data say of other games.

``games >= 100 and win_rate >= 0.55`` picks the games of four players with as many games and wins. The game itself does
not count for that: who has won it would else be more likely to be among the good players for having won it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tichu_analytics.stats.registry import UnknownName, nearest

if TYPE_CHECKING:
    from tichu_analytics.tables.query import Asker

#: What can be asked of a player, and what it is.
OF_PLAYERS: Final = {
    "player": "the name",
    "games": "other games that the player has played to their end",
    "wins": "how many of them the player has won",
    "win_rate": "wins divided by games; null without games",
}
_NO_COLUMN: Final = re.compile(r'Referenced column "([^"]+)" (?:was )?not found')

_SEATED: Final = (
    "stats_seated AS (SELECT game_id, unnest([player_0, player_1, player_2, player_3]) AS player, "
    "CASE WHEN outcome <> 'unfinished' THEN 1 ELSE 0 END AS over, n_player_changes AS changes, "
    "coalesce(outcome <> 'unfinished' AND winner = unnest([0, 1, 0, 1]), false) AS won FROM games), "
    "stats_careers AS (SELECT player, sum(over) AS n, count_if(won) AS won FROM stats_seated GROUP BY player), "
    "stats_players AS (SELECT game_id, player, changes, CAST(n - over AS BIGINT) AS games, "
    "CAST(careers.won - CAST(seated.won AS INTEGER) AS BIGINT) AS wins, "
    "(careers.won - CAST(seated.won AS INTEGER)) / nullif(n - over, 0) AS win_rate "
    "FROM stats_seated AS seated JOIN stats_careers AS careers USING (player) WHERE player <> '')"
)


class Company:
    """The games at which only players sit for whom a condition holds, from the first round to the last."""

    def __init__(self, asker: Asker, condition: str) -> None:
        """Checks the condition.

        Args:
            asker: answers it.
            condition: an SQL expression over the columns :data:`OF_PLAYERS`.

        Raises:
            NotForBase: if the data set has no table of games.
            UnknownName: for a column that players do not have.
            QueryRefused, QueryFailed: for a condition that is none or cannot be worked out.
        """
        from tichu_analytics.stats.sums import NotForBase
        from tichu_analytics.tables.query import QueryFailed, QueryRefused

        if "games" not in asker.tables:
            raise NotForBase("the data set was exported without the table games")
        self._asker = asker
        checked = asker.condition(condition)
        self._text = (
            f"{_SEATED}, stats_company AS MATERIALIZED (SELECT game_id FROM "
            "(SELECT game_id, player, games, wins, win_rate, changes FROM stats_players) AS players "
            f"GROUP BY game_id HAVING count(*) = 4 AND max(changes) = 0 AND bool_and(coalesce((\n{checked}\n), false)))"
        )
        try:
            shown = "SELECT player, games, wins, win_rate FROM stats_players"
            with asker.ask(f"WITH {_SEATED} SELECT (\n{checked}\n) FROM ({shown}) AS players") as answer:
                wrong = [type_ for type_ in answer.types if type_ not in ("BOOLEAN", '"NULL"')]
        except QueryFailed as error:
            missing = _NO_COLUMN.match(str(error))
            if not missing:
                raise
            known = ", ".join(OF_PLAYERS)
            hint = nearest(missing[1], OF_PLAYERS, f"they have {known}")
            raise UnknownName(f"players have no column {missing[1]!a}; {hint}") from None
        if wrong:
            raise QueryRefused(f"the condition on players is of type {wrong[0]}, neither true nor false")

    def only(self, rows: str) -> str:
        """A WITH query ``stats_rows`` that is left with the rows of these games.

        Args:
            rows: the query, which begins with ``stats_rows AS (``.
        """
        every = rows.replace("stats_rows AS (", "stats_all_rows AS (", 1)
        chosen = "SELECT * FROM stats_all_rows WHERE stats_game IN (SELECT game_id FROM stats_company)"
        return f"{self._text}, {every}, stats_rows AS ({chosen})"

    def sentence(self) -> str:
        """How many games there are, in words.

        Raises:
            QueryFailed: if the condition cannot be worked out.
        """
        text = f"WITH {self._text} SELECT (SELECT count(*) FROM stats_company), (SELECT count(*) FROM games)"
        with self._asker.ask(text) as answer:
            ((kept, games),) = answer
        return f"only such players sit from the first round to the last in {kept:,} of {games:,} games"
