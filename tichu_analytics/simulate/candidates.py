"""The plays that a hand suggests: a handful of card sets worth looking at, made without listing all subsets.

What is proposed here need not be legal: the table asks the rulebook. But whatever a wish can ask of a hand is among the
plays proposed, so that a player who is bound always finds one.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.rules.cards import (
    BITS_OF_FOUR,
    DOG_MASK,
    DRAGON_MASK,
    MAH_JONG_MASK,
    PHOENIX_MASK,
    SUITS,
)
from tichu_analytics.rules.combinations import FULL_HOUSE, PAIR, SINGLE, STAIRS, STRAIGHT, TRIPLE

# The lowest one, two and three cards of each set of up to four suits.
_LOWEST: Final = tuple(nibble & -nibble for nibble in range(16))
_TWO: Final = tuple(_LOWEST[n] | _LOWEST[n & ~_LOWEST[n]] for n in range(16))
_THREE: Final = tuple(_TWO[n] | _LOWEST[n & ~_TWO[n]] for n in range(16))


def nibbles(hand: int) -> list[int]:
    """The suits held of each rank 0..14 as four bits; ranks 0 and 1 are empty."""
    return [0, 0, *[(hand >> shift) & 15 for shift in range(0, 52, 4)]]


def singles(hand: int) -> list[int]:
    """One card of each rank from low to high, with the Phoenix before the Dragon; without the Dog."""
    found = [MAH_JONG_MASK] if hand & MAH_JONG_MASK else []
    rest = hand & (MAH_JONG_MASK - 1)
    while rest:
        bit = rest & -rest
        found.append(bit)
        rest &= ~(15 << (bit.bit_length() - 1 & ~3))
    if hand & PHOENIX_MASK:
        found.append(PHOENIX_MASK)
    if hand & DRAGON_MASK:
        found.append(DRAGON_MASK)
    return found


def groups(hand: int, size: int) -> list[int]:
    """Pairs (size 2) or triples (3) from low to high, completed by the Phoenix where one card is missing."""
    pick = _TWO if size == 2 else _THREE
    phoenix = hand & PHOENIX_MASK
    found = []
    for shift in range(0, 52, 4):
        suits = hand >> shift & 15
        held = BITS_OF_FOUR[suits]
        if held >= size:
            found.append(pick[suits] << shift)
        elif phoenix and held == size - 1:
            found.append((suits << shift) | phoenix)
    return found


def full_houses(hand: int, above: int = 0) -> list[int]:
    """Full houses whose triple is higher than a rank, by triple and then by pair; the Phoenix is used once at most."""
    pairs = groups(hand, 2)
    if len(pairs) < 2:
        return []
    found = []
    for triple in groups(hand, 3):
        rank = _rank(triple)
        if rank > above:
            found += [triple | pair for pair in pairs if not pair & triple & PHOENIX_MASK and _rank(pair) != rank]
    return found


def _rank(group: int) -> int:
    """The rank of the lowest card of a set."""
    return ((group & -group).bit_length() + 7) // 4


def stairs(hand: int, pairs: int, above: int = 0) -> list[int]:
    """Stairs of so many pairs whose top is higher than a rank, from low to high."""
    suits = nibbles(hand)
    phoenix = hand & PHOENIX_MASK
    found = []
    for top in range(max(pairs + 1, above + 1), 15):
        mask = 0
        for rank in range(top, top - pairs, -1):
            held = suits[rank]
            if held & (held - 1):
                mask |= _TWO[held] << (4 * rank - 8)
            elif held and phoenix and not mask & phoenix:
                mask |= (held << (4 * rank - 8)) | phoenix
            else:
                break
        else:
            found.append(mask)
    return found


def straights(hand: int, length: int, above: int = 0) -> list[int]:
    """Straights of a length whose top is higher than a rank, from low to high.

    The Phoenix fills at most one place. Where the cards allow it, they are not all of one suit.
    """
    suits = nibbles(hand)
    if hand & MAH_JONG_MASK:
        suits[1] = 1
    found = []
    for top in range(max(length, above + 1), 15):
        missing = -1
        for rank in range(top, top - length, -1):
            if not suits[rank]:
                if missing >= 0 or rank == 1 or not hand & PHOENIX_MASK:
                    break
                missing = rank
        else:
            found.append(lay_straight(suits, top, length, missing))
    return found


def lay_straight(suits: list[int], top: int, length: int, missing: int) -> int:
    """A straight from the suits held of each rank, the Phoenix at a missing rank (-1: none); no bomb if that can be."""
    mask = PHOENIX_MASK if missing >= 0 else 0
    common = 15
    for rank in range(top, top - length, -1):
        if rank == 1:
            mask |= MAH_JONG_MASK
            common = 0
        elif rank != missing:
            mask |= _LOWEST[suits[rank]] << (4 * rank - 8)
            common &= _LOWEST[suits[rank]]
    if common and missing < 0:
        for rank in range(top, top - length, -1):
            other = suits[rank] & ~common
            if other:
                return mask & ~(common << (4 * rank - 8)) | (_LOWEST[other] << (4 * rank - 8))
    return mask


def bombs(hand: int) -> list[int]:
    """Bombs from small to big: fours of a kind by rank, then straight flushes of every length by length and rank."""
    found = [15 << shift for shift in range(0, 52, 4) if hand >> shift & 15 == 15]
    flushes = []
    for suit, cards in enumerate(SUITS):
        row = hand & cards
        if row.bit_count() < 5:
            continue
        run = 0
        for rank in range(2, 16):
            if rank < 15 and row >> (4 * rank - 8 + suit) & 1:
                run += 1
                continue
            for length in range(5, run + 1):
                for bottom in range(rank - run, rank - length + 1):
                    flush = 0
                    for step in range(bottom, bottom + length):
                        flush |= 1 << (4 * step - 8 + suit)
                    flushes.append((length, bottom, flush))
            run = 0
    flushes.sort()
    return found + [flush for _, _, flush in flushes]


def follows(hand: int, kind: int, length: int, rank2: int) -> list[int]:
    """Plays of the kind and length on the table that look higher, from low to high; bombs are not looked for."""
    above = rank2 // 2
    if kind == SINGLE:
        lowest = max(0, min(4 * above - 4, 54))
        return [card for card in singles(hand) if card == PHOENIX_MASK or (card != MAH_JONG_MASK and card >> lowest)]
    if kind == PAIR:
        return [mask for mask in groups(hand, 2) if (mask & -mask) >> (4 * above - 4)]
    if kind == TRIPLE:
        return [mask for mask in groups(hand, 3) if (mask & -mask) >> (4 * above - 4)]
    if kind == FULL_HOUSE:
        return full_houses(hand, above)
    if kind == STAIRS:
        return stairs(hand, length // 2, above)
    if kind == STRAIGHT:
        return straights(hand, length, above)
    return []


def leads(hand: int, has_bomb: bool) -> list[int]:
    """Combinations to lead: every single rank, group, full house, the longest stairs and straights, bombs, the Dog."""
    found = singles(hand)
    pairs = groups(hand, 2)
    found += pairs
    if len(pairs) > 1:
        found += groups(hand, 3)
        found += full_houses(hand)
        for number in range(min(7, len(pairs) + 1), 1, -1):
            run = stairs(hand, number)
            if run:
                found += run
                break
    elif pairs:
        found += groups(hand, 3)
    without = hand & ~PHOENIX_MASK
    for cards in (without, hand) if hand & PHOENIX_MASK else (hand,):
        longest = min(14, cards.bit_count())
        for length in range(longest, 4, -1):
            run = straights(cards, length)
            if run:
                found += run
                break
    if has_bomb:
        found += bombs(hand)
    if hand & DOG_MASK:
        found.append(DOG_MASK)
    return found
