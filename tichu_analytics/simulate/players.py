"""What simulated players decide: calls, exchange, leads, plays, passes, bombs, wishes, gifts.

They play sensibly and somewhat by chance, so that in many games everything happens that the rules provide for. They
decide no rule: of the plays that come to their mind they take the best one that the table lets pass. All weights are
whole numbers, so that no machine rounds them differently.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.record.notation import mask_cards
from tichu_analytics.rules.cards import (
    CARD_RANK,
    DOG,
    DOG_MASK,
    DRAGON,
    DRAGON_MASK,
    MAH_JONG,
    MAH_JONG_MASK,
    PHOENIX,
    PHOENIX_MASK,
    RANK_MASK,
    count_of_rank,
    points,
)
from tichu_analytics.rules.combinations import bomb_cards, is_bomb
from tichu_analytics.rules.scoring import NO_CALL
from tichu_analytics.rules.turns import partner_of
from tichu_analytics.rules.wish import meets_wish
from tichu_analytics.simulate import candidates
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.table import Table

# Strength in halves of an ace: from here on a hand is worth a call, give or take some chance.
_GRAND_FROM: Final = 7
_TICHU_FROM: Final = 8
_ACES: Final = RANK_MASK[14]
_KINGS: Final = RANK_MASK[13]


def strength(hand: int) -> int:
    """How strong a hand is, in halves of an ace."""
    total = 2 * (hand & _ACES).bit_count() + (hand & _KINGS).bit_count() // 2
    if hand & DRAGON_MASK:
        total += 3
    if hand & PHOENIX_MASK:
        total += 3
    if hand & DOG_MASK:
        total -= 1
    if bomb_cards(hand):
        total += 3
    return total


def calls_grand(dice: Dice, first8: int) -> bool:
    """Whether a player calls Grand Tichu with the first eight cards."""
    return strength(first8) + dice.below(3) >= _GRAND_FROM


def calls_tichu(dice: Dice, hand: int, partner_calls: bool) -> bool:
    """Whether a player calls Tichu with fourteen cards."""
    return strength(hand) + dice.below(3) >= _TICHU_FROM + (6 if partner_calls else 0)


def gives(dice: Dice, hand: int, call: int, partner_call: int) -> tuple[int, int, int]:
    """The cards to give to the right, the partner and the left: low ones to opponents, a high one to the partner."""
    broken = bomb_cards(hand)

    def weight(card: int) -> int:
        same = count_of_rank(hand, CARD_RANK[card]) if card < MAH_JONG else 1
        return 3 * CARD_RANK[card] + 6 * same + (60 if broken >> card & 1 else 0) + dice.below(8)

    usual = [card for card in mask_cards(hand) if card not in (DRAGON, PHOENIX, DOG, MAH_JONG)]
    order = sorted(usual, key=weight)
    low = [order[0], order[1]]
    if hand & DOG_MASK and dice.chance(30):
        low[1] = DOG
    if dice.chance(50):
        low.reverse()
    if partner_call != NO_CALL:
        high = next((card for card in (DRAGON, PHOENIX) if hand >> card & 1), order[-1])
    elif call != NO_CALL:
        high = MAH_JONG if hand & MAH_JONG_MASK and dice.chance(30) else order[2]
    elif hand & DRAGON_MASK and dice.chance(20):
        high = DRAGON
    elif hand & MAH_JONG_MASK and dice.chance(15):
        high = MAH_JONG
    else:
        alone = [card for card in order[3:] if CARD_RANK[card] >= 9 and not broken >> card & 1]
        high = dice.pick(alone) if alone else order[-1]
    return low[0], high, low[1]


def wishes(dice: Dice, hand: int, given: tuple[int, int, int]) -> int:
    """The rank wished for with the Mah Jong, 0 for none: what was given to an opponent, or a rank one does not hold."""
    if not dice.chance(80):
        return 0
    if dice.chance(35):
        rank = CARD_RANK[given[0] if dice.chance(50) else given[2]]
        if 2 <= rank <= 14:
            return rank
    lacking = [rank for rank in range(2, 15) if not hand & RANK_MASK[rank]]
    return dice.pick(lacking) if lacking and dice.chance(80) else 2 + dice.below(13)


def receives_dragon(dice: Dice, table: Table) -> int:
    """The opponent who gets the Dragon's trick: mostly the one to the left or who has more cards, at times one out."""
    right, left = (table.gift_due + 1) % 4, (table.gift_due + 3) % 4
    more = table.hands[left].bit_count() - table.hands[right].bit_count()
    if abs(more) >= 4 and dice.chance(70):
        return left if more > 0 else right
    return left if dice.chance(63) else right


class Player:
    """One seat's decisions during a round.

    Args:
        dice: the game's chance.
        table: the table.
        seat: where the player sits.
    """

    def __init__(self, dice: Dice, table: Table, seat: int) -> None:
        self.dice = dice
        self.table = table
        self.seat = seat
        self.call = NO_CALL
        self.partner_called = False
        # Bombs only ever leave a hand, so most players need not look for one.
        self.has_bomb = bomb_cards(table.hands[seat]) != 0

    # Bombs ----------------------------------------------------------------------------------------------------------

    def bombs(self) -> list[int]:
        """The bombs still held, from small to big."""
        if not self.has_bomb:
            return []
        found = candidates.bombs(self.table.hands[self.seat])
        self.has_bomb = bool(found)
        return found

    def wants_to_bomb(self) -> bool:
        """Whether the trick on the table is worth a bomb just now."""
        table = self.table
        if table.owner == self.seat:
            if not table.takes(self.seat):
                return self.dice.below(400) == 0
            return self.dice.chance(30 if table.top == DRAGON_MASK else 2)
        if table.owner == partner_of(self.seat):
            return self.dice.below(200) == 0
        percent = 2
        if table.top == DRAGON_MASK:
            percent = 40
        elif points(table.trick_cards) >= 20:
            percent = 15
        elif table.hands[table.owner].bit_count() <= 3:
            percent = 12
        if table.wish and meets_wish(bomb_cards(table.hands[self.seat]), table.wish):
            percent += 15
        return self.dice.chance(percent)

    def bomb(self) -> int:
        """The smallest bomb that may be played now, if the player wants to, else 0."""
        found = self.bombs()
        if not found or not self.wants_to_bomb():
            return 0
        return next((mask for mask in found if self.table.may_play(self.seat, mask)), 0)

    # Leading --------------------------------------------------------------------------------------------------------

    def lead(self) -> int:
        """The cards to lead."""
        hand = self.table.hands[self.seat]
        order = sorted([(self.lead_weight(hand, mask), mask) for mask in candidates.leads(hand, self.has_bomb)])
        for _, mask in order:
            if self.table.may_play(self.seat, mask):
                return mask
        raise AssertionError("a player on lead finds nothing to lead")

    def lead_weight(self, hand: int, mask: int) -> int:
        """How little a lead is to be liked: low cards and many of them go first, bombs and high cards stay."""
        if mask == hand:
            return -1000
        dice = self.dice
        if mask == DOG_MASK:
            if self.partner_called:
                return -60
            return -20 if dice.chance(30) else 45
        length = mask.bit_count()
        weight = 2 * self.top_rank(mask) - 7 * (length - 1) + dice.below(10)
        if mask & PHOENIX_MASK:
            weight += 14
        if mask & MAH_JONG_MASK:
            weight -= 14
        if mask & DRAGON_MASK:
            weight += 20
        if length == 1:
            weight += 5 * (count_of_rank(hand, self.top_rank(mask)) - 1) if mask < MAH_JONG_MASK else 0
        return weight + self.bomb_weight(hand, mask)

    def bomb_weight(self, hand: int, mask: int) -> int:
        """What speaks against playing cards of a bomb."""
        if not self.has_bomb:
            return 0
        return 60 if mask & bomb_cards(hand) else 0

    @staticmethod
    def top_rank(mask: int) -> int:
        """The highest rank among cards, 15 for the Dragon, 12 for the Phoenix alone."""
        if mask & DRAGON_MASK:
            return 15
        suited = mask & (MAH_JONG_MASK - 1)
        if suited:
            return (suited.bit_length() + 7) // 4
        return 12 if mask & PHOENIX_MASK else 1

    # Following ------------------------------------------------------------------------------------------------------

    def follow(self) -> int:
        """The cards to play on the trick, 0 for a pass."""
        table, seat = self.table, self.seat
        hand = table.hands[seat]
        if table.wish and not table.may_pass(seat):
            return self.obey(hand)
        size = hand.bit_count()
        budget = self.budget(hand)
        # On a trick left to the partner only going out is of interest.
        if size == table.length or (size > table.length and budget > 0):
            for weight, mask in self.ranked_follows(hand):
                if weight > budget:
                    break
                if table.may_play(seat, mask):
                    return mask
        return self.bomb()

    def ranked_follows(self, hand: int) -> list[tuple[int, int]]:
        """The plays that may beat the table with what they cost, the cheapest first."""
        table = self.table
        found = candidates.follows(hand, table.kind, table.length, table.rank2)
        return sorted([(self.follow_weight(hand, mask), mask) for mask in found])

    def obey(self, hand: int) -> int:
        """The cheapest play that meets the wish; where nothing else does, a bomb."""
        for mask in [mask for _, mask in self.ranked_follows(hand)] + self.bombs():
            if self.table.may_play(self.seat, mask):
                return mask
        raise AssertionError("a player bound by a wish finds nothing that meets it")

    def follow_weight(self, hand: int, mask: int) -> int:
        """How much it costs to play cards on a trick."""
        if mask == hand:
            return -1000
        weight = 2 * self.top_rank(mask)
        if mask & PHOENIX_MASK:
            weight += 4 if mask == PHOENIX_MASK else 10
        elif mask < MAH_JONG_MASK and mask & (mask - 1) == 0:
            weight += 4 * (count_of_rank(hand, self.top_rank(mask)) - 1)
        return weight + self.bomb_weight(hand, mask)

    def budget(self, hand: int) -> int:
        """How much the trick on the table is worth to the player."""
        table, dice = self.table, self.dice
        if table.owner == partner_of(self.seat):
            if self.partner_called or table.rank2 >= 20 or is_bomb(table.kind) or not dice.chance(35):
                return -2000 if self.partner_called else -500
            return 10 + dice.below(12)
        budget = 14 + dice.below(20) + points(table.trick_cards) // 5
        if self.call != NO_CALL:
            budget += 6
        left = table.hands[table.owner].bit_count()
        if left <= 4:
            budget += 10
        if hand.bit_count() <= 4:
            budget += 8
        return budget
