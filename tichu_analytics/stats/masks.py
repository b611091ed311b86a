"""Sets of cards in SQL, beyond the functions of tables/cards.sql: ranks in a row, single cards, the bombs in a hand.

A set of cards is a whole number with bit ``4*r + s`` for rank ``r`` (0 is two, 12 is ace) and suit ``s``, Mah Jong 52,
Dog 53, Phoenix 54, Dragon 55. All texts here are expressions of DuckDB; what goes in is evaluated several times.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.record.notation import CARD_CODES

#: The lowest bit of each rank from two to ace.
FIRST_BITS: Final = sum(1 << (4 * rank) for rank in range(13))
#: All cards that have a suit.
SUITED: Final = (1 << 52) - 1
#: The lowest ranks of which four in a row begin, with Mah Jong as 1: 1 to 4, ..., jack to ace.
RUN_STARTS: Final = tuple(range(1, 12))
#: Four ranks in a row, with one missing on both sides, from the lowest bit on.
_FOUR_ALONE: Final = 0x011110
_WITH_SIDES: Final = 0x111111


def holds(mask: str, card: str) -> str:
    """SQL for whether a single card is in a mask: what ``has`` tells, without its way from texts to masks.

    Args:
        mask: SQL for the mask.
        card: the code of the card, such as ``Dr``.
    """
    return f"(((({mask}) >> {CARD_CODES.index(card)}) & 1) = 1)"


def ranks_of(mask: str) -> str:
    """The ranks that are there, bit ``4*n`` for rank ``n`` from Mah Jong (1) to ace (14); the Phoenix is none."""
    some = " | ".join(f"({mask} >> {shift})" for shift in range(4))
    return f"(((({some}) & {FIRST_BITS}) << 8) | ((({mask} >> 52) & 1) << 4))"


def has_straight(mask: str) -> str:
    """Whether five or more ranks from Mah Jong to ace follow each other, without the Phoenix."""
    ranks = ranks_of(mask)
    return "((" + " & ".join(f"({ranks} >> {4 * step})" for step in range(5)) + ") <> 0)"


def singles(mask: str) -> str:
    """The number of ranks from two to ace of which there is exactly one card."""
    a, b, c, d = (f"({mask} >> {shift})" for shift in range(4))
    some = f"({a} | {b} | {c} | {d})"
    two = f"(({a} & {b}) | (({a} | {b}) & ({c} | {d})) | ({c} & {d}))"
    return f"CAST(bit_count({some} & ~{two} & {FIRST_BITS}) AS INTEGER)"


def _window(mask: str, low: str) -> str:
    """Six ranks, from the one below ``low`` on."""
    return f"(({ranks_of(mask)} >> (4 * ({low} - 1))) & {_WITH_SIDES})"


def four_alone(mask: str, low: str) -> str:
    """Whether there are the four ranks from ``low`` on, but neither the one below nor the one above them."""
    return f"({_window(mask, low)} = {_FOUR_ALONE})"


def four_there(mask: str, low: str) -> str:
    """Whether there are the four ranks from ``low`` on."""
    return f"(({_window(mask, low)} & {_FOUR_ALONE}) = {_FOUR_ALONE})"


def four_and_more(mask: str, low: str) -> str:
    """Whether there are the four ranks from ``low`` on, and the one below or the one above them."""
    return f"({four_there(mask, low)} AND {_window(mask, low)} <> {_FOUR_ALONE})"


def without(mask: str, card: str) -> str:
    """The cards without one of them, given by its bit number."""
    return f"({mask} & ~(CAST(1 AS BIGINT) << {card}))"


def together(mask: str, card: str) -> str:
    """The cards and another one, given by its bit number."""
    return f"({mask} | (CAST(1 AS BIGINT) << {card}))"


def _bombs_to_look_for() -> str:
    """Rows of kind, lowest rank, the least cards, the card that must be missing below, and the place of the lowest.

    A straight flush begins where five are there and none below.
    """
    rows = [f"('four_bomb', {rank + 2}, {15 << 4 * rank}, 0, 0)" for rank in range(13)]
    for suit in range(4):
        for rank in range(9):
            place = 4 * rank + suit
            five = sum(1 << (place + 4 * step) for step in range(5))
            below = 1 << (place - 4) if rank else 0
            rows.append(f"('straight_bomb', {rank + 2}, {five}, {below}, {place})")
    return f"(VALUES {', '.join(rows)}) AS wanted(kind, low, least, below, place)"


# The lowest bit of the run that is missing: what lies below it is the run.
_GAP: Final = f"((~((hands.held & {SUITED}) >> wanted.place) & {FIRST_BITS}) | (CAST(1 AS BIGINT) << {4 * 13}))"
_RUN: Final = f"((({_GAP} & -{_GAP}) - 1) & {FIRST_BITS})"

#: All bombs of all hands after the exchange: each four of a kind, each straight flush as long as it is.
HELD_BOMBS: Final = (
    "(SELECT game_id, round, seat, kind, CAST(bit_count(cards) AS TINYINT) AS length, "
    "CAST(CASE kind WHEN 'four_bomb' THEN low ELSE low + bit_count(cards) - 1 END AS TINYINT) AS rank, cards FROM "
    "(SELECT hands.game_id, hands.round, hands.seat, wanted.kind, wanted.low, "
    f"CASE wanted.kind WHEN 'four_bomb' THEN wanted.least ELSE {_RUN} << wanted.place END AS cards "
    f"FROM hands JOIN {_bombs_to_look_for()} "
    "ON (hands.held & wanted.least) = wanted.least AND (hands.held & wanted.below) = 0 WHERE hands.held_bomb))"
)

# Ranks from the lowest of a straight on; the lowest that is missing tells how many there are.
_FROM_LOW: Final = "(hands.ranks >> (4 * starts.low))"
_END: Final = f"(~{_FROM_LOW} & {sum(1 << (4 * rank) for rank in range(15))})"

#: All straights of all hands after the exchange: five or more ranks in a row, as many as there are, no Phoenix.
HELD_STRAIGHTS: Final = (
    "(SELECT hands.game_id, hands.round, hands.seat, CAST(starts.low AS TINYINT) AS low, "
    f"CAST(bit_count(({_END} & -{_END}) - 1) // 4 AS TINYINT) AS length, "
    f"CAST(starts.low + bit_count(({_END} & -{_END}) - 1) // 4 - 1 AS TINYINT) AS rank "
    f"FROM (SELECT game_id, round, seat, {ranks_of('held')} AS ranks FROM hands) AS hands "
    "JOIN (SELECT range AS low FROM range(1, 11)) AS starts "
    f"ON ((hands.ranks >> (4 * (starts.low - 1))) & {_WITH_SIDES}) = {_WITH_SIDES - 1})"
)
