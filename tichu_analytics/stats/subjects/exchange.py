"""The exchange: which cards come from where, and bombs made and broken by them."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.masks import holds
from tichu_analytics.stats.registry import Measure, Spread

#: The ranks as texts, each with its number as the tables have it; the Phoenix, which has none there, is 16.
CARDS: Final = (
    *((str(rank), rank) for rank in range(2, 11)),
    *(("J", 11), ("Q", 12), ("K", 13), ("A", 14), ("Ma", 1), ("Do", 0), ("Ph", 16), ("Dr", 15)),
)

MEASURES: Final[tuple[Measure, ...]] = (
    Measure(
        "exchange.received_rate",
        "exchange",
        "received",
        "seat-rounds",
        "How often a seat receives a card of this rank from the player on its left, its partner, or on its right.",
        always_by=("received_from",),
        spread=Spread("card", tuple((name, f"received_rank = {rank}") for name, rank in CARDS)),
        by=("seat", "call", "partner_call"),
    ),
    Measure(
        "exchange.dog_to_partner_rate",
        "exchange",
        "hands",
        "seat-rounds dealt the Dog",
        "How often a seat that is dealt the Dog passes it to its partner.",
        of=holds("dealt", "Do"),
        counted="given_partner = 'Do'",
        by=("call", "partner_call"),
    ),
    Measure(
        "exchange.dog_received_rate",
        "exchange",
        "hands",
        "seat-rounds not dealt the Dog",
        "How often a seat that is not dealt the Dog gets it in the exchange.",
        of=f"NOT {holds('dealt', 'Do')}",
        counted=holds("held", "Do"),
        by=("call", "partner_call"),
    ),
    Measure(
        "exchange.ace_to_partner_rate",
        "exchange",
        "hands",
        "seat-rounds",
        "How often a seat passes an ace to its partner.",
        counted="given_partner = 'A'",
        by=("call", "partner_call"),
    ),
    Measure(
        "exchange.bomb_made_rate",
        "exchange",
        "hands",
        "seat-rounds dealt no bomb",
        "How often a hand without a bomb has one after the exchange.",
        of="NOT dealt_bomb",
        counted="held_bomb",
        by=("triples", "call", "partner_call"),
    ),
    Measure(
        "exchange.bomb_broken_rate",
        "exchange",
        "hands",
        "seat-rounds dealt a bomb",
        "How often a hand that is dealt a bomb has none after the exchange.",
        of="dealt_bomb",
        counted="NOT held_bomb",
        by=("call", "partner_call"),
    ),
)
