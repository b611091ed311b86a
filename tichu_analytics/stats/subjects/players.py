"""Single players: games, results and calls. A name counts as a person, as far as logs let that be known."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure

_OVER: Final = "outcome <> 'unfinished'"


def _of_games(name: str, population: str, sentence: str, counted: str, of: str) -> Measure:
    return Measure(
        f"players.{name}",
        "players",
        "seats",
        population,
        sentence,
        of=of,
        counted=counted,
        always_by=("player",),
        by=("partner", "team", "played_month"),
    )


def _of_hands(name: str, population: str, sentence: str, counted: str, of: str | None = None) -> Measure:
    return Measure(
        f"players.{name}",
        "players",
        "hands",
        population,
        sentence,
        of=of,
        counted=counted,
        always_by=("player",),
        by=("partner", "score_gap", "near_end", "high_cards"),
    )


_DIFFERENCE: Final = "score_own - score_opponents"
_DOUBLE: Final = "double_victory = team"
#: Of both seats of a team, the one whose player's name comes first stands for the pair.
_PAIR: Final = "player < partner"


MEASURES: Final[tuple[Measure, ...]] = (
    _of_games("win_rate", "games to their end", "How many of their games a player wins; n is the games.", "won", _OVER),
    _of_games(
        "ahead_rate",
        "games to their end",
        "In how many games a player is ahead by 200 points or more before some round.",
        "greatest_lead >= 200",
        _OVER,
    ),
    _of_games(
        "behind_rate",
        "games to their end",
        "In how many games a player is behind by 200 points or more before some round.",
        "least_lead <= -200",
        _OVER,
    ),
    _of_games(
        "comeback_rate",
        "games to their end, once behind by 200 or more",
        "How many of the games in which they were behind by 200 points or more a player wins.",
        "won",
        f"{_OVER} AND least_lead <= -200",
    ),
    Measure(
        "players.score_difference",
        "players",
        "hands",
        "rounds",
        "By how many points the team of a player does better in a round, calls included.",
        value=_DIFFERENCE,
        unit="points",
        always_by=("player",),
        by=("partner", "score_gap", "near_end", "high_cards"),
    ),
    _of_hands("double_victory_rate", "rounds", "How often the team of a player goes out first and second.", _DOUBLE),
    _of_hands("first_out_rate", "rounds", "How often a player goes out first.", "finish = 1"),
    _of_hands("tichu_call_rate", "rounds", "How often a player calls Tichu.", "call = 'tichu'"),
    _of_hands(
        "tichu_success_rate", "Tichu calls", "How often a player's Tichu succeeds.", "call_success", "call = 'tichu'"
    ),
    _of_hands("grand_call_rate", "rounds", "How often a player calls Grand Tichu.", "call = 'grand'"),
    _of_hands(
        "grand_success_rate",
        "Grand Tichu calls",
        "How often a player's Grand Tichu succeeds.",
        "call_success",
        "call = 'grand'",
    ),
    Measure(
        "players.pair_win_rate",
        "players",
        "seats",
        "games of a pair to their end",
        "How many of their games two partners win; each pair has one row.",
        of=f"{_OVER} AND {_PAIR}",
        counted="won",
        always_by=("player", "partner"),
        by=("played_month",),
        on_request=True,
    ),
    Measure(
        "players.pair_score_difference",
        "players",
        "hands",
        "rounds of a pair",
        "By how many points two partners do better in a round, calls included; each pair has one row.",
        of=_PAIR,
        value=_DIFFERENCE,
        unit="points",
        always_by=("player", "partner"),
        by=("score_gap", "near_end"),
        on_request=True,
    ),
    Measure(
        "players.pair_double_victory_rate",
        "players",
        "hands",
        "rounds of a pair",
        "How often two partners go out first and second; each pair has one row.",
        of=_PAIR,
        counted=_DOUBLE,
        always_by=("player", "partner"),
        by=("score_gap", "near_end"),
        on_request=True,
    ),
)
