"""What the three cards of the exchange do to a hand: bombs, straights, aces, single cards."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure

_SEAT: Final = ("seat", "player", "call", "partner_call", "opponent_call")

MEASURES: Final[tuple[Measure, ...]] = (
    Measure(
        "exchange.straight_made_rate",
        "exchange",
        "hands",
        "seat-rounds dealt no straight",
        "How often a hand without five ranks in a row has them after the exchange; the Phoenix is left out.",
        of="NOT dealt_straight",
        counted="held_straight",
        by=_SEAT,
    ),
    Measure(
        "exchange.straight_broken_rate",
        "exchange",
        "hands",
        "seat-rounds dealt a straight",
        "How often a hand with five ranks in a row has none after the exchange; the Phoenix is left out.",
        of="dealt_straight",
        counted="NOT held_straight",
        by=_SEAT,
    ),
    Measure(
        "exchange.run_grows_rate",
        "exchange",
        "runs",
        "fours in a row that are dealt",
        "How often exactly four ranks in a row become five or more by the exchange; the Phoenix is left out.",
        always_by=("run",),
        counted="run_grows",
        by=("run_kept", "seat", "call", "partner_call"),
        on_request=True,
    ),
    Measure(
        "exchange.aces_given",
        "exchange",
        "hands",
        "seat-rounds",
        "How many aces a seat gives away.",
        value="aces_given",
        unit="aces",
        by=_SEAT,
    ),
    Measure(
        "exchange.aces_gained",
        "exchange",
        "hands",
        "seat-rounds",
        "How many aces more a seat has after the exchange; of all seats together that is 0, so pick some.",
        value="aces_received - aces_given",
        unit="aces",
        by=("call", "partner_call", "opponent_call", "seat", "player"),
        on_request=True,
    ),
    Measure(
        "exchange.bombs_gained",
        "exchange",
        "hands",
        "seat-rounds",
        "How many bombs more a hand has after the exchange than the fourteen dealt cards had.",
        value="bombs(held) - bombs(dealt)",
        unit="bombs",
        by=("triples", *_SEAT),
    ),
    Measure(
        "exchange.singles_gained",
        "exchange",
        "hands",
        "seat-rounds",
        "How many more ranks a hand has a single card of after the exchange; special cards are left out.",
        value="held_singles - dealt_singles",
        unit="single cards",
        by=_SEAT,
    ),
)
