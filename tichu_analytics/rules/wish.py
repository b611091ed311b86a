"""The Mah Jong's wish: who is bound by it, what meets it, and what an open wish forbids.

A player is bound if some legal play contains a natural card of the rank; no list of plays is ever made. Sources:
RULES 6 (seeds 001 and 003, official rules, publisher's FAQ); the Phoenix is never the wished card.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.rules.cards import (
    DOG_MASK,
    MAH_JONG_MASK,
    ONES,
    PHOENIX_MASK,
    RANK_MASK,
    SUITED,
    SUITS,
    count_of_rank,
    rank_counts,
    ranks_present,
)
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    FOUR_BOMB,
    FULL_HOUSE,
    NO_COMBINATION,
    PAIR,
    SINGLE,
    STAIRS,
    STRAIGHT,
    STRAIGHT_BOMB,
    TRIPLE,
    beats,
)
from tichu_analytics.rules.options import NO, YES, Options

LOWEST_WISH: Final = 2
HIGHEST_WISH: Final = 14


def may_wish(rank: int) -> bool:
    """Whether a rank may be wished for: 2 to ace, no special card (seeds 001 and 004, official rules)."""
    return LOWEST_WISH <= rank <= HIGHEST_WISH


def meets_wish(mask: int, rank: int) -> bool:
    """Whether played cards meet an open wish: a natural card of the rank is among them, in any combination."""
    return mask & RANK_MASK[rank] & SUITED != 0


def bomb_with_rank(hand: int, rank: int, table_kind: int, table_length: int, table_rank2: int) -> bool:
    """Whether a hand has a bomb that contains a card of the rank and beats what lies on the table.

    An empty table has kind ``NO_COMBINATION``.
    """
    if count_of_rank(hand, rank) == 4 and beats(FOUR_BOMB, 4, 2 * rank, table_kind, table_length, table_rank2):
        return True
    for suit in range(4):
        if not hand & SUITS[suit] & RANK_MASK[rank]:
            continue
        bottom = rank
        while bottom > 2 and hand & SUITS[suit] & RANK_MASK[bottom - 1]:
            bottom -= 1
        top = rank
        while top < 14 and hand & SUITS[suit] & RANK_MASK[top + 1]:
            top += 1
        # The whole run is the biggest bomb with the card.
        length = top - bottom + 1
        if length >= 5 and beats(STRAIGHT_BOMB, length, 2 * top, table_kind, table_length, table_rank2):
            return True
    return False


def can_follow_with_rank(
    hand: int, rank: int, table_kind: int, table_length: int, table_rank2: int, options: Options
) -> bool:
    """Whether a hand can beat a combination on the table by a play that contains a natural card of the rank.

    The play is of the same kind and length, completed by the Phoenix or not, or a bomb.
    """
    held = count_of_rank(hand, rank)
    if held == 0:
        return False
    phoenix = 1 if hand & PHOENIX_MASK else 0
    higher = 2 * rank > table_rank2
    if table_kind == SINGLE:
        fits = higher
    elif table_kind == PAIR:
        fits = higher and held + phoenix >= 2
    elif table_kind == TRIPLE:
        fits = higher and held + phoenix >= 3
    elif table_kind == FULL_HOUSE:
        fits = _full_house_with_rank(hand, rank, held, phoenix, table_rank2, options)
    elif table_kind == STAIRS:
        fits = _stairs_with_rank(hand, rank, phoenix, table_length, table_rank2)
    elif table_kind == STRAIGHT:
        fits = _straight_with_rank(hand, rank, phoenix, table_length, table_rank2)
    else:
        fits = False
    return fits or bomb_with_rank(hand, rank, table_kind, table_length, table_rank2)


def _full_house_with_rank(hand: int, rank: int, held: int, phoenix: int, table_rank2: int, options: Options) -> bool:
    counts = rank_counts(hand & SUITED)
    # The rank as the triple, any other as the pair; then the rank as the pair below any higher triple.
    lack_of_triple = max(0, 3 - held)
    lack_of_pair = max(0, 2 - held)
    for other in range(2, 15):
        count = (counts >> (4 * other - 8)) & 15
        if other == rank:
            if options.fullhouse_same_rank == YES and count == 4 and phoenix and 2 * rank > table_rank2:
                return True
            continue
        if count == 0:
            continue
        if 2 * rank > table_rank2 and lack_of_triple + max(0, 2 - count) <= phoenix:
            return True
        if 2 * other > table_rank2 and lack_of_pair + max(0, 3 - count) <= phoenix:
            return True
    return False


def _stairs_with_rank(hand: int, rank: int, phoenix: int, length: int, table_rank2: int) -> bool:
    counts = rank_counts(hand & SUITED)
    pairs = length // 2
    lowest_top = max(rank, pairs + 1, table_rank2 // 2 + 1)
    for top in range(lowest_top, min(14, rank + pairs - 1) + 1):
        lacking = 0
        for step in range(top - pairs + 1, top + 1):
            lacking += max(0, 2 - ((counts >> (4 * step - 8)) & 15))
        if lacking <= phoenix:
            return True
    return False


def _straight_with_rank(hand: int, rank: int, phoenix: int, length: int, table_rank2: int) -> bool:
    # One bit a rank, the Mah Jong as bit 0, the two as bit 4.
    ranks = ranks_present(hand & SUITED) << 4
    if hand & MAH_JONG_MASK:
        ranks |= 1
    lowest_top = max(rank, length, table_rank2 // 2 + 1)
    for top in range(lowest_top, min(14, rank + length - 1) + 1):
        window = ((ONES << 4 | 1) & ((1 << (4 * length)) - 1)) << (4 * (top - length))
        missing = window & ~ranks
        # The Phoenix may fill one place, but never the 1.
        if missing == 0 or (phoenix and missing & (missing - 1) == 0 and missing != 1):
            return True
    return False


def wish_binds(
    hand: int,
    rank: int,
    table_kind: int,
    table_length: int,
    table_rank2: int,
    first_trick: bool,
    options: Options,
) -> bool:
    """Whether a player whose turn it is has to meet an open wish.

    Args:
        hand: the player's cards.
        rank: the rank asked for, 2..14, or 0 for no open wish.
        table_kind, table_length, table_rank2: what is to be beaten; kind ``NO_COMBINATION`` on lead.
        first_trick: whether this is still the trick in which the wish was made.
        options: the rule set's choices; ``wish_later_tricks`` decides what is owed in later tricks.

    On lead any combination will do, so whoever holds the rank is bound (publisher's FAQ, seed 003). Where later tricks
    ask for singles only, nothing else is owed in them, no bomb either.
    """
    if rank == 0 or count_of_rank(hand, rank) == 0:
        return False
    if table_kind == NO_COMBINATION or table_kind == DOG_PLAY:
        return True
    if options.wish_later_tricks == YES and not first_trick:
        return table_kind == SINGLE and 2 * rank > table_rank2
    return can_follow_with_rank(hand, rank, table_kind, table_length, table_rank2, options)


def must_bomb(hand: int, rank: int, table_kind: int, table_length: int, table_rank2: int, options: Options) -> bool:
    """Whether a wished rank is held as nothing but a bomb and so has to be played as one.

    Only under ``wish_held_as_bomb = must_bomb`` (seed 003). A card of the rank outside the bomb leaves the choice
    free (seed 003's open question 2, so decided).
    """
    if options.wish_held_as_bomb == NO:
        return False
    if not bomb_with_rank(hand, rank, table_kind, table_length, table_rank2):
        return False
    spare = hand & RANK_MASK[rank]
    if count_of_rank(hand, rank) == 4:
        return True
    for suit in range(4):
        if spare & SUITS[suit] and bomb_with_rank(hand & SUITS[suit], rank, NO_COMBINATION, 0, 0):
            spare &= ~SUITS[suit]
    return spare == 0


def wish_forbids(
    hand: int,
    mask: int,
    kind: int,
    rank: int,
    table_kind: int,
    table_length: int,
    table_rank2: int,
    first_trick: bool,
    options: Options,
) -> bool:
    """Whether an open wish forbids a play, otherwise legal, of a player whose turn it is.

    Args:
        hand: the player's cards before the play.
        mask: the cards played, 0 for a pass.
        kind: the kind of combination that they are; ignored for a pass.
        rank, table_kind, table_length, table_rank2, first_trick, options: as for :func:`wish_binds`.

    A bomb that leaves the wish open while following is forbidden under ``wish_bomb_in_turn = forbid`` (publisher's
    FAQ), let through under ``allow`` (BrettspielWelt); a leader has to lead the rank in any case.
    """
    if not wish_binds(hand, rank, table_kind, table_length, table_rank2, first_trick, options):
        return False
    leading = table_kind == NO_COMBINATION or table_kind == DOG_PLAY
    bomb = mask != 0 and (kind == FOUR_BOMB or kind == STRAIGHT_BOMB)
    singles_only = options.wish_later_tricks == YES and not first_trick
    if mask != 0 and meets_wish(mask, rank) and (kind == SINGLE or not singles_only):
        if bomb:
            return False
        return not singles_only and must_bomb(hand, rank, table_kind, table_length, table_rank2, options)
    if mask == DOG_MASK and leading:
        return options.wish_dog_lead == NO
    return not (bomb and not leading and options.wish_bomb_in_turn == YES)
