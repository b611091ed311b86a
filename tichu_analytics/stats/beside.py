"""What is worked out from whole tables for the columns of :mod:`tichu_analytics.stats.groupings`, to be joined to rows.

Each is read only where one of its columns is asked for.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.bases import Source
from tichu_analytics.tables.schema import DIRECTIONS

_RANK_OF_CALL: Final = "CASE call WHEN 'grand' THEN 2 WHEN 'tichu' THEN 1 ELSE 0 END"
_SAME_ROUND: Final = "{0}.game_id = {1}.game_id AND {0}.round = {1}.round"

#: What both hands of the other team have.
OPPONENTS: Final = Source(
    "opponents",
    "(SELECT game_id, round, team, bool_or(held_bomb) AS bomb, "
    f"max({_RANK_OF_CALL}) AS call FROM hands GROUP BY game_id, round, team)",
    f"{_SAME_ROUND.format('opponents', 'hands')} AND opponents.team = 1 - hands.team",
    ("hands",),
)
#: The partner's hand.
PARTNER: Final = Source(
    "partner",
    "hands",
    f"{_SAME_ROUND.format('partner', 'hands')} AND partner.seat = (hands.seat + 2) % 4",
    ("hands",),
)
#: The four hands of a round together, and by team.
TABLE: Final = Source(
    "all_hands",
    "(SELECT game_id, round, bool_or(held_bomb) AS bomb, "
    "coalesce(bool_or(held_bomb) FILTER (WHERE team = 0), false) AS bomb_0, "
    "coalesce(bool_or(held_bomb) FILTER (WHERE team = 1), false) AS bomb_1 FROM hands GROUP BY game_id, round)",
    _SAME_ROUND.format("all_hands", "rounds"),
    ("hands",),
)
#: The number of the last round of a finished game; joined to hands or to rounds.
LAST_ROUNDS: Final = Source(
    "last_rounds",
    "(SELECT rounds.game_id, max(rounds.round) AS last FROM rounds JOIN games ON games.game_id = rounds.game_id "
    "WHERE games.outcome = 'finished' GROUP BY rounds.game_id)",
    "last_rounds.game_id = {}.game_id",
    ("rounds", "games"),
)
#: The fewest cards that an opponent of a caller had left: hands only become smaller, so it is the least of all that
#: their plays before the call left over.
AT_CALL: Final = Source(
    "at_call",
    "(SELECT callers.game_id, callers.round, callers.seat, min(moves.cards_left) AS fewest "
    "FROM hands AS callers JOIN moves ON moves.game_id = callers.game_id AND moves.round = callers.round "
    "AND moves.line < callers.call_line AND (moves.seat + callers.seat) % 2 = 1 "
    "WHERE callers.call <> 'none' AND moves.action = 'play' GROUP BY ALL)",
    f"{_SAME_ROUND.format('at_call', 'hands')} AND at_call.seat = hands.seat",
    ("hands", "moves"),
)
#: What a seat gives to and gets from each of the others: the number of the rank, 16 for the Phoenix, and of the card.
PASSED: Final = {
    way: Source(
        way,
        f"(SELECT game_id, round, {seat} AS seat, "
        + ", ".join(
            f"max({what}) FILTER (WHERE {where} = '{side}') AS {side}_{name}"
            for side in DIRECTIONS
            for name, what in (("rank", "coalesce(rank, 16)"), ("card", "card"))
        )
        + f" FROM exchanges GROUP BY game_id, round, {seat})",
        f"{_SAME_ROUND.format(way, 'hands')} AND {way}.seat = hands.seat",
        ("exchanges",),
    )
    for way, seat, where in (("given", "giver", "passed_to"), ("received", "receiver", "received_from"))
}
#: The play with which each seat went out.
LAST_PLAYS: Final = Source(
    "last_plays",
    "(SELECT game_id, round, seat, max(CAST(kind AS VARCHAR)) AS kind, bool_or(bomb) AS bomb FROM moves "
    "WHERE action = 'play' AND cards_left = 0 GROUP BY game_id, round, seat)",
    f"{_SAME_ROUND.format('last_plays', 'rounds')} AND last_plays.seat = rounds.finish_1",
    ("moves",),
)
#: How far team 0 was ahead before the rounds of a game, at the least and at the most.
COURSES: Final = Source(
    "courses",
    "(SELECT game_id, min(total_before_0 - total_before_1) AS least, max(total_before_0 - total_before_1) AS most "
    "FROM rounds GROUP BY game_id)",
    "courses.game_id = games.game_id",
    ("rounds",),
)
#: The longest straight with which another seat led.
STRAIGHTS: Final = Source(
    "straights",
    "(SELECT others.game_id, others.round, others.seat, max(tricks.length) AS length "
    "FROM hands AS others JOIN tricks ON tricks.game_id = others.game_id AND tricks.round = others.round "
    "AND tricks.lead_seat <> others.seat WHERE tricks.kind = 'straight' GROUP BY ALL)",
    f"{_SAME_ROUND.format('straights', 'hands')} AND straights.seat = hands.seat",
    ("hands", "tricks"),
)
#: How often the Dragon was given away.
GIFTS: Final = Source(
    "gifts",
    "(SELECT game_id, round, count(*) AS n FROM tricks WHERE dragon_to IS NOT NULL GROUP BY game_id, round)",
    _SAME_ROUND.format("gifts", "rounds"),
    ("tricks",),
)
#: How many games that were played to their end each player has in the data, and how many of them were won. Who has no
#: name is nobody in particular.
RECORDS: Final = Source(
    "records",
    "(SELECT player, count(*) AS n, count_if(winner = team) AS won FROM "
    "(SELECT unnest([player_0, player_1, player_2, player_3]) AS player, unnest([0, 1, 0, 1]) AS team, winner "
    "FROM games WHERE outcome <> 'unfinished') WHERE player <> '' GROUP BY player)",
    "records.player = hands.player",
    ("games",),
)
#: Which of a player's games each is that was played to its end. Numbers of games grow with time, so that within a month
#: the longer id and then the greater one is the later.
CAREERS: Final = Source(
    "careers",
    "(SELECT game_id, seat, CAST(row_number() OVER (PARTITION BY player "
    "ORDER BY played_month NULLS LAST, length(game_id), game_id, seat) AS INTEGER) AS place, "
    "CAST(count(*) OVER (PARTITION BY player) AS INTEGER) AS games FROM "
    "(SELECT game_id, played_month, unnest([player_0, player_1, player_2, player_3]) AS player, "
    "unnest([0, 1, 2, 3]) AS seat FROM games WHERE outcome <> 'unfinished') WHERE player <> '')",
    "careers.game_id = games.game_id AND careers.seat = seats.seat",
    ("games",),
)
