"""When Tichu and Grand Tichu may be called, what may be exchanged, and to whom the Dragon's trick goes."""

from __future__ import annotations

from typing import Final

from tichu_analytics.rules.options import NO, YES, Options
from tichu_analytics.rules.scoring import NO_CALL

FIRST_CARDS: Final = 8
HAND_CARDS: Final = 14


def may_call_grand(cards_seen: int, already: int) -> bool:
    """Whether Grand Tichu may be called: with the first eight cards and before the ninth (all seeds, official).

    Args:
        cards_seen: how many of one's cards one has taken up.
        already: the call that the player has made before.
    """
    return cards_seen == FIRST_CARDS and already == NO_CALL


def may_call_tichu(cards_seen: int, exchanged: bool, cards_played: int, already: int, options: Options) -> bool:
    """Whether Tichu may be called: from 14 cards until one's own first card, also out of turn and after passes.

    Official rules, seeds 000 and 004. The Dog and a bomb out of turn are cards like any other.

    Args:
        cards_seen: how many of one's cards one has taken up.
        exchanged: whether the exchange has taken place.
        cards_played: how many cards the player has played in this round.
        already: the call that the player has made before; nobody makes two (seed 000).
        options: ``tichu_before_exchange`` and ``tichu_with_8_cards`` matter.
    """
    if already != NO_CALL or cards_played > 0:
        return False
    if cards_seen < HAND_CARDS:
        return cards_seen >= FIRST_CARDS and options.tichu_with_8_cards == YES
    return exchanged or options.tichu_before_exchange == YES


def call_excludes(already: int, call: int) -> bool:
    """Whether a call cannot stand beside the other kind that the same player has made (seed 000)."""
    return already != NO_CALL and already != call


def may_exchange(hand: int, to_right: int, to_partner: int, to_left: int) -> bool:
    """Whether three cards, each a mask of one, may be given: all held, all different (all seeds, official rules).

    ``hand`` is the 14 cards before anything is received: received cards are not seen before giving.
    """
    given = to_right | to_partner | to_left
    if given & ~hand or to_right == to_partner or to_right == to_left or to_partner == to_left:
        return False
    # Each is one card: not none, and nothing is left without its lowest bit.
    more = (to_right & (to_right - 1)) | (to_partner & (to_partner - 1)) | (to_left & (to_left - 1))
    return more == 0 and to_right != 0 and to_partner != 0 and to_left != 0


def may_receive_dragon(owner: int, receiver: int, active: int, options: Options) -> bool:
    """Whether the Dragon's trick may go to a seat: an opponent of its owner (all seeds, official rules).

    An opponent who is out may get it too unless ``dragon_gift_target`` says otherwise; ``active`` are the seats with
    cards, as bits.
    """
    if (owner ^ receiver) & 1 == 0:
        return False
    return options.dragon_gift_target == NO or active >> receiver & 1 == 1


def gift_is_due(top_is_dragon: bool, double_victory: bool) -> bool:
    """Whether a trick has to be given away: the Dragon won it and the round did not end in a double victory."""
    return top_is_dragon and not double_victory
