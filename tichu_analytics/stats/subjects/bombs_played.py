"""Bombs that are played: on what they are thrown, and what they win."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.of_bombs import BEATEN, WHOSE
from tichu_analytics.stats.registry import Measure, Spread
from tichu_analytics.stats.subjects.bombs_held import LENGTHS, RANKS

_PLAYED: Final = ("kind", "length", "seat", "call", "partner_call", "opponent_call", "cards_left", "near_end")

MEASURES: Final[tuple[Measure, ...]] = (
    Measure(
        "bombs.trick_won_rate",
        "bombs",
        "bombs",
        "bombs played",
        "How many of the bombs that are played win their trick; the others are beaten by a bomb.",
        counted="bomb_wins",
        by=_PLAYED,
    ),
    Measure(
        "bombs.points_won",
        "bombs",
        "bombs",
        "bombs played that win their trick",
        "How many card points are in a trick that a bomb wins.",
        value="bomb_points",
        unit="points",
        by=("beaten", *_PLAYED),
    ),
    Measure(
        "bombs.lead_after_rate",
        "bombs",
        "bombs",
        "bombs played that win their trick",
        "How often the bomber leads the next trick; else it was the bomber's last cards.",
        of="bomb_wins",
        counted="bomb_leads",
        by=_PLAYED,
    ),
    Measure(
        "bombs.last_cards_share",
        "bombs",
        "bombs",
        "bombs played",
        "How many of the bombs that are played are the bomber's last cards.",
        counted="cards_left = 0",
        by=("kind", "seat", "call", "partner_call", "opponent_call", "near_end"),
    ),
    Measure(
        "bombs.score_difference_played",
        "bombs",
        "teams",
        "team-rounds with a bomb played",
        "By how many points a team does better in a round in which it plays a bomb.",
        of="team_bomb_played",
        value="score_own - score_opponents",
        unit="points",
        by=("team", "opponent_bomb_played", "score_gap", "near_end"),
    ),
    Measure(
        "bombs.thrown_on_rate",
        "bombs",
        "bombs",
        "bombs played",
        "On what bombs are thrown: Dragon, Phoenix, ace or another single card, another bomb, other kinds, or led.",
        spread=Spread("thrown_on", tuple((what, f"beaten = '{what}'") for what in BEATEN)),
        by=("beaten_seat", "beaten_call", "beaten_lead", "out_of_turn", *_PLAYED),
        on_request=True,
    ),
    Measure(
        "bombs.thrown_at_rate",
        "bombs",
        "bombs",
        "bombs played",
        "On whose play bombs are thrown, seen from the bomber; nobody where a bomb is led.",
        spread=Spread(
            "thrown_at", (*((who, f"beaten_seat = '{who}'") for who in WHOSE), ("nobody", "beaten_seat IS NULL"))
        ),
        by=("beaten", "beaten_call", "beaten_lead", "out_of_turn", *_PLAYED),
        on_request=True,
    ),
    Measure(
        "bombs.on_call_share",
        "bombs",
        "bombs",
        "bombs played",
        "How many of the bombs that are played are thrown on a card of an opponent who has called in this round.",
        counted="beaten_seat IN ('right', 'left') AND beaten_call <> 'none'",
        by=("beaten", "beaten_call", "beaten_lead", "out_of_turn", *_PLAYED),
        on_request=True,
    ),
    Measure(
        "bombs.on_lead_of_call_share",
        "bombs",
        "bombs",
        "bombs played",
        "How many of the bombs that are played are thrown on the lead of an opponent who has called in this round.",
        counted="beaten_seat IN ('right', 'left') AND beaten_call <> 'none' AND beaten_lead",
        by=("beaten", "beaten_call", "out_of_turn", *_PLAYED),
        on_request=True,
    ),
    Measure(
        "bombs.played_length_rate",
        "bombs",
        "bombs",
        "bombs played",
        "How long the bombs that are played are; fours of a kind have four cards.",
        spread=Spread("cards_of_bomb", LENGTHS),
        by=("beaten", "out_of_turn", "seat", "call"),
        on_request=True,
    ),
    Measure(
        "bombs.played_rank_rate",
        "bombs",
        "bombs",
        "bombs played",
        "Of which rank the bombs that are played are; of straight flushes the highest.",
        spread=Spread("rank_of_bomb", RANKS),
        by=("kind", "beaten", "out_of_turn", "seat", "call"),
        on_request=True,
    ),
)
