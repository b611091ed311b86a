"""Bombs in hands: where their cards come from, what becomes of them, and how calls and rounds go with them."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.of_bombs import FATES, ORIGINS, TEAM_ORIGINS
from tichu_analytics.stats.registry import Measure, Spread

_HELD: Final = ("kind", "length", "rank", "origin", "seat", "call", "partner_call", "opponent_call")
_CALLS: Final = ("call", "seat", "score_gap", "near_end", "high_cards")
_RANK_NAMES: Final = (*((str(rank), rank) for rank in range(2, 11)), ("J", 11), ("Q", 12), ("K", 13), ("A", 14))
#: Lengths of bombs: a four of a kind, straight flushes, and all that are longer than ten.
LENGTHS: Final = (*((str(n), f"length = {n}") for n in range(4, 11)), ("11 or more", "length >= 11"))
#: Ranks of bombs; of a straight flush the highest.
RANKS: Final = tuple((name, f"rank = {rank}") for name, rank in _RANK_NAMES)
#: Words for whose bomb it is, seen from a caller, with the columns that tell whether there is one.
_WHOSE: Final = (
    ("own", "the caller", "held_bomb", "bomb_played"),
    ("partner", "the caller's partner", "partner_bomb", "partner_bomb_played"),
    ("opponent", "an opponent of the caller", "opponent_bomb", "opponent_bomb_played"),
)

MEASURES: Final[tuple[Measure, ...]] = (
    *(
        Measure(
            f"bombs.dealt_{kind}_rate",
            "bombs",
            "hands",
            "seat-rounds",
            f"How often the fourteen cards that are dealt contain a {words}.",
            counted=f"{kind}_bombs(dealt) > 0",
            by=("seat", "call", "partner_call", "opponent_call"),
            on_request=True,
        )
        for kind, words in (("four", "four of a kind"), ("straight", "straight flush of five or more"))
    ),
    Measure(
        "bombs.made_share",
        "bombs",
        "hands",
        "seat-rounds with a bomb",
        "How many of the hands with a bomb after the exchange were dealt none.",
        of="held_bomb",
        counted="NOT dealt_bomb",
        by=("call", "partner_call", "triples"),
    ),
    Measure(
        "bombs.held_played_rate",
        "bombs",
        "held_bombs",
        "bombs held",
        "How many of the bombs in hands after the exchange are played as bombs.",
        counted="is_played",
        by=_HELD,
    ),
    Measure(
        "bombs.fate_rate",
        "bombs",
        "held_bombs",
        "bombs held",
        "What becomes of the bombs in hands: played as bombs, split among other plays, or kept to the end.",
        spread=Spread("bomb_is", tuple((fate, f"fate = '{fate}'") for fate in FATES)),
        by=_HELD,
        on_request=True,
    ),
    Measure(
        "bombs.held_length_rate",
        "bombs",
        "held_bombs",
        "bombs held",
        "How long the bombs in hands after the exchange are; fours of a kind have four cards.",
        spread=Spread("cards_of_bomb", LENGTHS),
        by=("origin", "seat", "call"),
        on_request=True,
    ),
    Measure(
        "bombs.held_rank_rate",
        "bombs",
        "held_bombs",
        "bombs held",
        "Of which rank the bombs in hands after the exchange are; of straight flushes the highest.",
        spread=Spread("rank_of_bomb", RANKS),
        by=("kind", "origin", "seat", "call"),
        on_request=True,
    ),
    Measure(
        "bombs.origin_rate",
        "bombs",
        "held_bombs",
        "bombs held",
        "What makes a bomb in a hand: the dealt cards alone, one card of another seat, or several cards.",
        spread=Spread("made_by", tuple((origin, f"origin = '{origin}'") for origin in ORIGINS)),
        by=("kind", "length", "rank", "seat", "call"),
        on_request=True,
    ),
    Measure(
        "bombs.team_origin_rate",
        "bombs",
        "teams",
        "team-rounds",
        "How often a team has a bomb by its dealt cards, else by a partner's card, an opponent's, or several.",
        spread=Spread("made_by", tuple((origin, f"team_bomb_origin = '{origin}'") for origin in TEAM_ORIGINS)),
        by=("team",),
        on_request=True,
    ),
    Measure(
        "bombs.given_away_rate",
        "bombs",
        "gifts",
        "cards given to opponents",
        "How many of the cards that are given to opponents complete a bomb of the receiver's.",
        of="passed_to <> 'partner'",
        counted="completes_bomb",
        by=("passed_to", "rank", "from_pair", "odd_even", "lower_given", "call", "receiver_call"),
        on_request=True,
    ),
    Measure(
        "bombs.given_to_partner_rate",
        "bombs",
        "gifts",
        "cards given to partners",
        "How many of the cards that are given to the partner complete a bomb of the partner's.",
        of="passed_to = 'partner'",
        counted="completes_bomb",
        by=("rank", "from_pair", "call", "receiver_call"),
        on_request=True,
    ),
    Measure(
        "bombs.straight_beatable_rate",
        "bombs",
        "held_straights",
        "straights in hands without a straight flush",
        "How often an opponent's hand has a straight or a bomb that beats a straight in a hand, played in full.",
        of="straight_bombs(held) = 0",
        spread=Spread(
            "beatable_by",
            (
                ("straight", "higher_straight"),
                ("bomb", "opponent_bomb"),
                ("either", "higher_straight OR opponent_bomb"),
            ),
        ),
        by=("length", "rank", "call"),
        on_request=True,
    ),
    *(
        Measure(
            f"bombs.success_with_{whose}_{state}",
            "bombs",
            "hands",
            f"calls where {words} {does} a bomb",
            f"How often a call succeeds if {words} {does} a bomb" + (" after the exchange." if index == 0 else "."),
            of=f"call <> 'none' AND {columns[index]}",
            counted="call_success",
            by=_CALLS,
            on_request=True,
        )
        for index, (state, does) in enumerate((("held", "has"), ("played", "plays")))
        for whose, words, *columns in _WHOSE
    ),
)
