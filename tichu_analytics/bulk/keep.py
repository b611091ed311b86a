"""Writes down what the compiled pass works out of a round: its moves and its tricks, for the tables.

These functions run interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from tichu_analytics.bulk.layout import (
    HIGHEST,
    LATER,
    ONLY,
    T_BOMBS,
    T_CARDS,
    T_FIRST_LINE,
    T_GIFT,
    T_KIND,
    T_LAST_LINE,
    T_LEAD,
    T_LENGTH,
    T_NUMBER,
    T_PASSES,
    T_PLAYS,
    T_POINTS,
    T_TAKER,
    T_WINNER,
    T_WON_WITH,
    V_AFTER,
    V_BEFORE,
    V_CARDS,
    V_KIND,
    V_LENGTH,
    V_LINE,
    V_ODD_TURN,
    V_PHOENIX,
    V_RANK2,
    V_READING,
    V_SEAT,
    V_TRICK,
    V_WISH,
)
from tichu_analytics.bulk.words import Table
from tichu_analytics.rules.cards import DOG_MASK, PHOENIX_MASK, points
from tichu_analytics.rules.combinations import NO_COMBINATION, Readings
from tichu_analytics.rules.turns import NOBODY

#: In place of a reading.
_NONE = -1


def keep_move(
    moves: Table, at: int, trick: int, line: int, seat: int, mask: int, wish: int, hand: int, odd_turn: int
) -> None:
    """Writes a play or a pass (mask 0) without what a combination has.

    Args:
        moves: the moves.
        at: which column.
        trick: number of the trick.
        line: the line in the file.
        seat: who moves.
        mask: the cards.
        wish: the rank of the wish that is open before it.
        hand: the seat's cards before it.
        odd_turn: 1 if another seat was to act.
    """
    moves[V_TRICK, at] = trick
    moves[V_LINE, at] = line
    moves[V_SEAT, at] = seat
    moves[V_CARDS, at] = mask
    moves[V_KIND, at] = NO_COMBINATION
    moves[V_LENGTH, at] = 0
    moves[V_RANK2, at] = 0
    moves[V_PHOENIX, at] = 0
    moves[V_READING, at] = _NONE
    moves[V_ODD_TURN, at] = odd_turn
    moves[V_WISH, at] = wish
    moves[V_BEFORE, at] = hand
    moves[V_AFTER, at] = hand ^ mask


def keep_reading(moves: Table, at: int, mask: int, found: Readings, fits: int, rank2: int) -> None:
    """Writes as what a play counts.

    Args:
        moves: the moves.
        at: which column.
        mask: the cards.
        found: their readings.
        fits: which of them fit the table, as :func:`tichu_analytics.rules.play.fitting_readings` says.
        rank2: twice the rank that counts.
    """
    moves[V_KIND, at] = found.kind
    moves[V_LENGTH, at] = found.length
    moves[V_RANK2, at] = rank2
    if mask & PHOENIX_MASK and mask != PHOENIX_MASK:
        moves[V_PHOENIX, at] = found.phoenix_low if fits == 2 else found.phoenix
        moves[V_READING, at] = HIGHEST if fits == 3 else ONLY


def keep_later(moves: Table, at: int, rank2: int, phoenix: int) -> None:
    """Writes as what a play has turned out to count, by a later one; a rank of 0 is no other than before."""
    moves[V_READING, at] = LATER
    if rank2:
        moves[V_RANK2, at] = rank2
        moves[V_PHOENIX, at] = phoenix


def keep_trick(
    tricks: Table,
    at: int,
    number: int,
    lead: int,
    owner: int,
    is_nobodys: bool,
    kind: int,
    length: int,
    won_with: int,
    plays: int,
    passes: int,
    bombs: int,
    cards: int,
    first_line: int,
    last_line: int,
) -> None:
    """Writes a trick that is over.

    Args:
        tricks: the tricks.
        at: which column.
        number: its number in the round.
        lead: who led.
        owner: who made the last play.
        is_nobodys: nobody gets the cards, since the Dragon wins it in a double victory.
        kind, length: of the lead.
        won_with: kind of the last play.
        plays, passes, bombs: how many.
        cards: all cards played to it.
        first_line, last_line: in the file.
    """
    is_dog = cards == DOG_MASK
    tricks[T_NUMBER, at] = number
    tricks[T_LEAD, at] = lead
    tricks[T_WINNER, at] = NOBODY if is_dog else owner
    tricks[T_TAKER, at] = NOBODY if is_dog or is_nobodys else owner
    tricks[T_KIND, at] = kind
    tricks[T_LENGTH, at] = length
    tricks[T_WON_WITH, at] = won_with
    tricks[T_PLAYS, at] = plays
    tricks[T_PASSES, at] = passes
    tricks[T_BOMBS, at] = bombs
    tricks[T_POINTS, at] = points(cards)
    tricks[T_CARDS, at] = cards
    tricks[T_GIFT, at] = NOBODY
    tricks[T_FIRST_LINE, at] = first_line
    tricks[T_LAST_LINE, at] = last_line


def keep_gift(tricks: Table, at: int, receiver: int, line: int) -> None:
    """Writes to whom a trick was given, and on which line."""
    tricks[T_TAKER, at] = receiver
    tricks[T_GIFT, at] = receiver
    if line > int(tricks[T_LAST_LINE, at]):
        tricks[T_LAST_LINE, at] = line
