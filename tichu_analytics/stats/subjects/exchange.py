"""The exchange: which cards come from where."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure, Spread

#: The ranks as texts, each with its number as the tables have it; the Phoenix, which has none there, is 16.
_CARDS: Final = (
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
        spread=Spread("card", tuple((name, f"received_rank = {rank}") for name, rank in _CARDS)),
        by=("seat", "call", "partner_call"),
    ),
)
