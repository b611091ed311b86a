"""How rounds end: double victories, scores, and how long they take."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure

_ROUND: Final = ("score_gap", "near_end", "rounds_left", "round_bomb", "played_month")

MEASURES: Final[tuple[Measure, ...]] = (
    Measure(
        "results.double_victory_rate",
        "results",
        "teams",
        "team-rounds",
        "How often a team goes out first and second.",
        counted="double_victory = team",
        by=("team", "score_gap", "near_end", "team_bomb", "opponent_bomb"),
    ),
    Measure(
        "results.score_difference",
        "results",
        "rounds",
        "rounds",
        "By how many points seats 0 and 2 do better in a round than seats 1 and 3, calls included.",
        value="score_0 - score_1",
        unit="points",
        by=_ROUND,
    ),
    Measure(
        "results.tricks_per_round",
        "results",
        "rounds",
        "rounds",
        "How many tricks a round has; a Dog is a trick.",
        value="n_tricks",
        unit="tricks",
        by=_ROUND,
    ),
    Measure(
        "results.moves_per_round",
        "results",
        "rounds",
        "rounds",
        "How many plays and passes a round has; taking a trick is neither.",
        value="n_plays + n_passes",
        unit="moves",
        by=_ROUND,
    ),
)
