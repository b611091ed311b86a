"""Whose turn it is: seats in play order, the end of a trick, the lead after it, the end of a round.

``active`` is a set of seats as four bits (bit s for seat s): those who still hold cards. Partner of s is s+2.
"""

from __future__ import annotations

from typing import Final

NOBODY: Final = -1

# _NEXT[16 * seat + active]: the first active seat after a seat, the seat itself last; -1 if nobody is active.
_NEXT: Final = tuple(
    next(((seat + step) % 4 for step in (1, 2, 3, 4) if active >> ((seat + step) % 4) & 1), NOBODY)
    for seat in range(4)
    for active in range(16)
)


def partner_of(seat: int) -> int:
    """The seat across the table."""
    return (seat + 2) % 4


def next_seat(seat: int, active: int) -> int:
    """The first seat after one in play order that still holds cards; the seat itself if it is the only one."""
    return _NEXT[16 * seat + active]


def leader_after_trick(owner: int, active: int) -> int:
    """Who leads after a trick: its owner, or the next in play order with cards (seed 001, official rules)."""
    if active >> owner & 1:
        return owner
    return _NEXT[16 * owner + active]


def leader_after_dog(seat: int, active: int) -> int:
    """Who leads after a Dog: the partner, or the next in play order after the partner who has cards.

    That may be the player of the Dog (seed 001, official rules; ``active`` is taken after the Dog has left the hand).
    """
    return leader_after_trick((seat + 2) % 4, active)


def all_passed(owner: int, passed: int, active: int) -> bool:
    """Whether all others who hold cards have passed since the last play, ``passed`` being seats as bits."""
    return active & ~passed & ~(1 << owner) == 0


def round_over(first: int, second: int, third: int) -> bool:
    """Whether a round is over: three players are out, or the first two out are partners (all seeds, official rules).

    Args:
        first, second, third: the seats in the order of going out, -1 where nobody is out yet.
    """
    return third >= 0 or is_double_victory(first, second)


def is_double_victory(first: int, second: int) -> bool:
    """Whether the first two players out are partners; -1 stands for nobody."""
    return first >= 0 and second >= 0 and (first ^ second) == 2
