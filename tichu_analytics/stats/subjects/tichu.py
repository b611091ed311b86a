"""Calls of Tichu and Grand Tichu: how often, and how they end."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure

_WHEN_CALLING: Final = ("seat", "score_gap", "near_end", "rounds_left", "high_cards", "specials", "opponent_call")
_WHEN_CALLED: Final = (
    *("seat", "call_when", "call_trick", "opponents_cards_at_call", "score_gap", "near_end", "high_cards", "specials"),
    *("held_bomb", "partner_bomb", "opponent_bomb", "opponent_call", "partner_call"),
)
_NAMES: Final = (("tichu", "Tichu"), ("grand", "Grand Tichu"))

MEASURES: Final[tuple[Measure, ...]] = (
    *(
        Measure(
            f"{call}.call_rate",
            "tichu",
            "hands",
            "seat-rounds",
            f"How often a seat calls {name}"
            + (", of all its rounds; a Grand Tichu is another call." if call == "tichu" else ", of all its rounds."),
            counted=f"call = '{call}'",
            by=(*_WHEN_CALLING, "player", *(("aces8", "specials8") if call == "grand" else ())),
        )
        for call, name in _NAMES
    ),
    *(
        Measure(
            f"{call}.success_rate",
            "tichu",
            "hands",
            f"{name} calls",
            f"How often a call of {name} succeeds: the caller goes out first.",
            of=f"call = '{call}'",
            counted="call_success",
            by=(*_WHEN_CALLED, "player", *(("aces8", "specials8") if call == "grand" else ())),
        )
        for call, name in _NAMES
    ),
)
