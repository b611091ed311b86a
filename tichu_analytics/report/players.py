"""What a report on a collection of games shows of its players: data for :mod:`tichu_analytics.report.work`."""

from __future__ import annotations

from typing import Final

from tichu_analytics.report.model import Ask, Plan, SectionPlan

#: Of so many players and pairs, those with the most games, a page has a row.
MOST_PLAYERS: Final = 30

PLAYERS: Final = SectionPlan(
    "players",
    "Players",
    "A name counts as a person, as far as logs let that be known. Players with few games are hardly told apart from "
    "chance: estimates that are drawn to the mean of all allow for that, and the interval says how much is open.",
    (
        Plan(
            "players-wins",
            "Games won",
            "Those who play most, sorted by the estimate that is drawn to the mean.",
            "players",
            (Ask(("players.win_rate",)),),
            top=MOST_PLAYERS,
        ),
        Plan(
            "players-ratings",
            "Ratings",
            "From who won with and against whom, by the library openskill (the model of Plackett and Luce): 25 is what "
            "everybody begins with.",
            "ratings",
            (Ask((), rating=True),),
            top=MOST_PLAYERS,
        ),
        Plan(
            "players-points",
            "Points a round",
            "By how many points the team of a player does better in a round.",
            "means",
            (Ask(("players.score_difference",)),),
            top=MOST_PLAYERS,
        ),
        Plan(
            "players-calls",
            "Tichu called",
            "How often those who play most call it.",
            "players",
            (Ask(("players.tichu_call_rate",)),),
            top=MOST_PLAYERS,
        ),
        Plan(
            "players-success",
            "Tichu made",
            "Of those who call most.",
            "players",
            (Ask(("players.tichu_success_rate",)),),
            top=MOST_PLAYERS,
        ),
        Plan(
            "players-grand",
            "Grand Tichu made",
            "Of those who call most.",
            "players",
            (Ask(("players.grand_success_rate",)),),
            top=MOST_PLAYERS,
        ),
        Plan(
            "players-pairs",
            "Pairs",
            "How many of their games two partners win, of those pairs that play most.",
            "players",
            (Ask(("players.pair_win_rate",)),),
            top=MOST_PLAYERS,
        ),
    ),
)
