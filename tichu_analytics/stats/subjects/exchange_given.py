"""What is given in the exchange: cards, conventions, special cards."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.masks import holds
from tichu_analytics.stats.of_exchange import LOWER, PAIR_PARITIES, PARITIES
from tichu_analytics.stats.registry import Measure, Spread
from tichu_analytics.stats.subjects.exchange import CARDS

_SEAT: Final = ("seat", "player", "call", "partner_call", "opponent_call")
#: Special cards: a word for the name of a measure, the name, the code, who is asked about.
_SPECIALS: Final = (
    ("dog", "Dog", "Do"),
    ("mah_jong", "Mah Jong", "Ma"),
    ("phoenix", "Phoenix", "Ph"),
    ("dragon", "Dragon", "Dr"),
)

MEASURES: Final[tuple[Measure, ...]] = (
    Measure(
        "exchange.given_rate",
        "exchange",
        "given",
        "seat-rounds",
        "How often a seat gives a card of this rank to the player on its right, its partner, or on its left.",
        always_by=("passed_to",),
        spread=Spread("card", tuple((name, f"given_rank = {rank}") for name, rank in CARDS)),
        by=("seat", "player", "call", "receiver_call"),
        on_request=True,
    ),
    Measure(
        "exchange.odd_even_kept_rate",
        "exchange",
        "hands",
        "seat-rounds",
        "How often a seat gives an odd rank to one opponent and an even one to the other; jack to ace are 11 to 14.",
        counted="odd_even IN ('odd_left', 'odd_right')",
        by=_SEAT,
    ),
    Measure(
        "exchange.odd_even_rate",
        "exchange",
        "hands",
        "seat-rounds",
        "Which opponent gets an odd rank and which an even one; special if one of the cards is a special card.",
        spread=Spread("parity", tuple((parity, f"odd_even = '{parity}'") for parity in PARITIES)),
        by=_SEAT,
        on_request=True,
    ),
    Measure(
        "exchange.pair_odd_even_rate",
        "exchange",
        "teams",
        "team-rounds",
        "Whether both partners give odd to the left, or both to the right, one each, only one of them, or none.",
        spread=Spread("pair_parity", tuple((parity, f"pair_odd_even = '{parity}'") for parity in PAIR_PARITIES)),
        by=("team", "opponent_bomb"),
        on_request=True,
    ),
    Measure(
        "exchange.doubled_given_rate",
        "exchange",
        "hands",
        "seat-rounds",
        "How often both cards for the opponents are of ranks of which the seat is dealt two or more.",
        counted="doubled_given = 2",
        by=_SEAT,
    ),
    Measure(
        "exchange.from_pair_rate",
        "exchange",
        "gifts",
        "cards given",
        "How many of the cards that are given are of a rank of which the giver is dealt two or more.",
        always_by=("passed_to",),
        counted="from_pair",
        by=("rank", "seat", "call", "receiver_call"),
        on_request=True,
    ),
    Measure(
        "exchange.lower_left_rate",
        "exchange",
        "hands",
        "seat-rounds with different ranks for the opponents",
        "How often the lower card for the opponents goes to the left.",
        of="lower_given <> 'neither'",
        counted="lower_given = 'left'",
        by=_SEAT,
    ),
    Measure(
        "exchange.lower_given_rate",
        "exchange",
        "hands",
        "seat-rounds",
        "Which opponent gets the lower card; neither if both get the same rank.",
        spread=Spread("lower_card", tuple((who, f"lower_given = '{who}'") for who in LOWER)),
        by=_SEAT,
        on_request=True,
    ),
    *(
        Measure(
            f"exchange.{word}_given_rate",
            "exchange",
            "hands",
            f"seat-rounds dealt the {name}",
            f"Whether a seat that is dealt the {name} keeps it, or gives it to the right, the partner, or the left.",
            of=holds("dealt", code),
            spread=Spread(
                "given_to",
                (
                    ("kept", holds("held", code)),
                    *((side, f"given_{side} = '{code}'") for side in ("right", "partner", "left")),
                ),
            ),
            by=_SEAT,
            on_request=True,
        )
        for word, name, code in _SPECIALS
    ),
    Measure(
        "exchange.special_score_difference",
        "exchange",
        "gifts",
        "special cards given",
        "By how many points the team of the giver of a special card does better in the round.",
        of="special IS NOT NULL",
        always_by=("special", "passed_to"),
        value="score_own - score_opponents",
        unit="points",
        by=("call", "receiver_call", "score_gap"),
        on_request=True,
    ),
)
