"""Calls of Tichu and Grand Tichu: how often, and how they end."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.registry import Measure, Spread

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
            by=(*_WHEN_CALLING, "player", *(("aces8", "specials8", "honours8") if call == "grand" else ())),
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
            by=(*_WHEN_CALLED, "player", *(("aces8", "specials8", "honours8") if call == "grand" else ())),
        )
        for call, name in _NAMES
    ),
    *(
        Measure(
            f"{call}.points_per_call",
            "tichu",
            "hands",
            f"{name} calls",
            f"What a call of {name} brings by itself: {worth} points if it succeeds, as many less if it fails.",
            of=f"call = '{call}'",
            value=f"CASE WHEN call_success THEN {worth} ELSE -{worth} END",
            unit="points",
            by=_WHEN_CALLED,
        )
        for call, name, worth in (("tichu", "Tichu", 100), ("grand", "Grand Tichu", 200))
    ),
    *(
        Measure(
            f"{call}.score_difference",
            "tichu",
            "hands",
            f"{name} calls",
            f"By how many points the team of a caller of {name} does better in that round, calls included.",
            of=f"call = '{call}'",
            value="score_own - score_opponents",
            unit="points",
            by=_WHEN_CALLED,
        )
        for call, name in _NAMES
    ),
    *(
        Measure(
            f"{call}.broken_by_rate",
            "tichu",
            "hands",
            f"failed {name} calls",
            f"Who went out first where a call of {name} failed, seen from the caller.",
            of=f"call = '{call}' AND NOT call_success",
            spread=Spread("broken_by", tuple((side, f"first_out = '{side}'") for side in ("right", "partner", "left"))),
            by=("first_out_with", "first_out_bomb", "opponent_call", "partner_call", "opponent_bomb", "call_when"),
            on_request=True,
        )
        for call, name in _NAMES
    ),
    *(
        Measure(
            f"{call}.call_association{ending}",
            "tichu",
            "hands",
            f"{name} calls with a hand such as others have without a call",
            f"How much better callers do than others of the same honours{words}: an association, not an effect.",
            of=f"call = '{call}'",
            value="score_own - score_opponents",
            unit="points",
            by=("seat", "score_gap", "near_end"),
            on_request=True,
            against="call = 'none'",
            within=within,
        )
        for call, name, ending, within, words in (
            ("tichu", "Tichu", "", "honours", ""),
            ("grand", "Grand Tichu", "", "honours", ""),
            ("grand", "Grand Tichu", "_first8", "honours8", " in eight cards"),
        )
    ),
)
