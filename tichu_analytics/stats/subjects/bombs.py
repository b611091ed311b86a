"""Bombs: dealt, held after the exchange, and played."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure

_SEAT: Final = ("seat", "call", "partner_call", "opponent_call", "player")
_PLAYED: Final = ("seat", "call", "partner_call", "opponent_call", "cards_left", "near_end")


def _of_seats(name: str, sentence: str, counted: str, of: str | None = None) -> Measure:
    return Measure(f"bombs.{name}", "bombs", "hands", "seat-rounds", sentence, of=of, counted=counted, by=_SEAT)


MEASURES: Final[tuple[Measure, ...]] = (
    _of_seats(
        "dealt8_rate",
        "How often the first eight cards contain a bomb; hands whose first eight are not recorded do not count.",
        "bombs(first8) > 0",
        "first8 <> 0",
    ),
    _of_seats("dealt_rate", "How often the fourteen cards that are dealt contain a bomb.", "dealt_bomb"),
    _of_seats("held_rate", "How often the hand after the exchange contains a bomb.", "held_bomb"),
    _of_seats(
        "held_four_rate", "How often the hand after the exchange contains a four of a kind.", "four_bombs(held) > 0"
    ),
    _of_seats(
        "held_straight_rate",
        "How often the hand after the exchange contains a straight flush of five or more.",
        "straight_bombs(held) > 0",
    ),
    Measure(
        "bombs.round_rate",
        "bombs",
        "rounds",
        "rounds",
        "How often some hand after the exchange contains a bomb.",
        counted="round_bomb",
        by=("score_gap", "near_end", "played_month"),
    ),
    Measure(
        "bombs.played_per_round",
        "bombs",
        "rounds",
        "rounds",
        "How many bombs are played in a round.",
        value="n_bombs",
        unit="bombs",
        by=("score_gap", "near_end", "played_month"),
    ),
    Measure(
        "bombs.played_straight_share",
        "bombs",
        "bombs",
        "bombs played",
        "How many of the bombs that are played are straight flushes; the others are fours of a kind.",
        counted="kind = 'straight_bomb'",
        by=_PLAYED,
    ),
    Measure(
        "bombs.out_of_turn_share",
        "bombs",
        "bombs",
        "bombs played",
        "How many of the bombs that are played are thrown in when it is another seat's turn.",
        counted="out_of_turn",
        by=("kind", *_PLAYED),
    ),
    Measure(
        "bombs.team_rate",
        "bombs",
        "teams",
        "team-rounds",
        "How often one of the two hands of a team contains a bomb after the exchange.",
        counted="team_bomb",
        by=("team", "opponent_bomb"),
    ),
    Measure(
        "bombs.opponent_rate",
        "bombs",
        "hands",
        "seat-rounds",
        "How often a hand of the opponents contains a bomb after the exchange.",
        counted="opponent_bomb",
        by=("held_bomb", "call", "triples", "high_cards"),
    ),
    Measure(
        "bombs.score_difference",
        "bombs",
        "teams",
        "team-rounds with a bomb",
        "By how many points a team does better in a round in which it holds a bomb after the exchange.",
        of="team_bomb",
        value="score_own - score_opponents",
        unit="points",
        by=("team", "opponent_bomb"),
    ),
)
