"""What a player makes of cards before the first one is played: calls, the exchange, and later the wish and the gift."""

from __future__ import annotations

from collections.abc import Sequence
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
    SUITED,
)
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    FOUR_BOMB,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STAIRS,
    STRAIGHT,
    TRIPLE,
    bomb_cards,
)
from tichu_analytics.rules.scoring import NO_CALL
from tichu_analytics.rules.turns import partner_of
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.plans import plan
from tichu_analytics.simulate.skills import Skill
from tichu_analytics.simulate.table import Table

#: From here on a hand is worth a call: points for the first eight cards, and the prospect of fourteen.
GRAND_FROM: Final = 46
TICHU_FROM: Final = 38

# What each combination of a hand does for the prospect of being the first out, in hundredths of the logarithm of the
# odds, by the rank that counts; estimated from simulated rounds. Low single cards hurt, aces, Dragon and bombs help.
_SINGLES: Final = (0, -14, -65, -72, -77, -73, -60, -60, -58, -56, -38, -24, -12, 24, 59, 139)
_PAIRS: Final = (0, 0, -50, -52, -58, -50, -55, -48, -52, -50, -25, 0, 25, 50, 125)
_TRIPLES: Final = (0, 0, -55, -52, -45, -40, -35, -28, -20, -5, 0, 5, 20, 100, 160)
_FULL_HOUSES: Final = (0, 0, -58, -56, -51, -48, -32, -24, -16, -12, -8, 0, 25, 90, 140)
_STAIRS: Final = (0, 0, 0, -20, -28, -36, -48, -55, -48, -40, -30, -10, 10, 90, 150)
_STRAIGHTS: Final = (0, 0, 0, 0, 0, -30, -32, -50, -58, -50, -45, -48, -40, -15, 20)
_PHOENIX: Final = 99
_DOG: Final = -105
_FOUR_BOMB: Final = 103
_STRAIGHT_BOMB: Final = 75
_PER_CARD: Final = 13

_BY_KIND: Final = {
    SINGLE: _SINGLES,
    PAIR: _PAIRS,
    TRIPLE: _TRIPLES,
    FULL_HOUSE: _FULL_HOUSES,
    STAIRS: _STAIRS,
    STRAIGHT: _STRAIGHTS,
}

_KINGS: Final = RANK_MASK[13]
_ACES: Final = RANK_MASK[14]
_SPECIAL: Final = (DRAGON, PHOENIX, DOG, MAH_JONG)


def prospect(hand: int) -> int:
    """How likely a hand of fourteen is to be the first out: the higher the likelier, 0 at about one in three."""
    total = 0
    for part in plan(hand).parts:
        values = _BY_KIND.get(part.kind)
        if part.mask == PHOENIX_MASK:
            total += _PHOENIX
        elif values is not None:
            total += values[part.rank2 // 2]
            if part.kind == STAIRS:
                total += _PER_CARD * (part.length - 4)
            elif part.kind == STRAIGHT:
                total += _PER_CARD * (part.length - 5)
        elif part.kind == FOUR_BOMB:
            total += _FOUR_BOMB
        else:
            total += _DOG if part.kind == DOG_PLAY else _STRAIGHT_BOMB
    return total


def first_strength(first8: int) -> int:
    """What the first eight cards promise, in points: mostly what aces, Dragon, Phoenix and bombs are worth."""
    total = 14 * (first8 & _ACES).bit_count() + 3 * (first8 & _KINGS).bit_count()
    if first8 & DRAGON_MASK:
        total += 26
    if first8 & PHOENIX_MASK:
        total += 27
    if first8 & DOG_MASK:
        total -= 5
    if bomb_cards(first8):
        total += 35
    return total


def calls_grand(dice: Dice, skill: Skill, first8: int, behind: int) -> bool:
    """Whether a player calls Grand Tichu.

    Args:
        dice: the game's chance.
        skill: the player's.
        first8: the first eight cards.
        behind: by how many points the own team is behind.
    """
    spread = 5 + skill.doubt // 5
    doubt = dice.below(2 * spread + 1) + dice.below(2 * spread + 1) - 2 * spread
    bold = skill.grand + (max(-400, min(behind, 600)) // 100)
    return first_strength(first8) + doubt + bold >= GRAND_FROM


def wants_tichu(dice: Dice, skill: Skill, hand: int, partner_calls: bool, opponents_call: int) -> bool:
    """Whether a player means to call Tichu with fourteen cards.

    Args:
        dice: the game's chance.
        skill: the player's.
        hand: the fourteen cards, before or after the exchange.
        partner_calls: the partner has called; then hardly anybody does.
        opponents_call: how many opponents have called.
    """
    limit = TICHU_FROM - skill.bold + 60 * opponents_call
    if partner_calls:
        limit += 400
    doubt = dice.below(2 * skill.doubt + 1) - skill.doubt
    return prospect(hand) + doubt >= limit


def gives(
    dice: Dice, skill: Skill, hand: int, calls: Sequence[int], seat: int, convention: bool
) -> tuple[int, int, int]:
    """The cards to give to the right, the partner and the left.

    The opponents get what is of least use, usually low single cards, odd ones to the left and even ones to the right;
    the partner gets a high one, the better the weaker the own hand is. The Dog goes to a partner or past an opponent's
    call, or stays for a hand that can use it.

    Args:
        dice: the game's chance.
        skill: the player's.
        hand: the fourteen cards.
        calls: the calls of all seats so far.
        seat: who gives.
        convention: whether the player keeps to odd left, even right this time.
    """
    right, partner, left = (seat + 1) % 4, partner_of(seat), (seat + 3) % 4
    own, partners = calls[seat] != NO_CALL, calls[partner] != NO_CALL
    fixed: dict[int, int] = {}
    if hand & DOG_MASK:
        to = _dog_goes_to(dice, calls, seat)
        if to != seat:
            fixed[to] = DOG
    rest = hand & ~DOG_MASK
    low: list[int] = []
    for _ in range(2 - (right in fixed) - (left in fixed)):
        card = _least_used(dice, skill, rest)
        low.append(card)
        rest &= ~(1 << card)
    high = fixed[partner] if partner in fixed else _for_partner(dice, skill, rest, own, partners)
    if right in fixed:
        return DOG, high, low[0]
    if left in fixed:
        return low[0], high, DOG
    first, second = low
    if convention:
        # Even to the right; of two of a kind the lower one goes where it belongs.
        if CARD_RANK[first] % 2 != CARD_RANK[second] % 2:
            return (first, high, second) if CARD_RANK[first] % 2 == 0 else (second, high, first)
        odd = CARD_RANK[first] % 2 == 1
        lower, higher = sorted(low)
        return (higher, high, lower) if odd else (lower, high, higher)
    return (first, high, second) if dice.chance(50) else (second, high, first)


def _dog_goes_to(dice: Dice, calls: Sequence[int], seat: int) -> int:
    """Who gets the Dog; the seat itself if it is kept."""
    partner = partner_of(seat)
    if calls[seat] != NO_CALL:
        return partner if dice.chance(75) else seat
    if calls[partner] != NO_CALL:
        return seat
    for opponent in ((seat + 1) % 4, (seat + 3) % 4):
        if calls[opponent] != NO_CALL:
            return opponent if dice.chance(65) else seat
    roll = dice.below(100)
    if roll < 18:
        return (seat + 1) % 4
    if roll < 36:
        return (seat + 3) % 4
    return partner if roll < 48 else seat


def _least_used(dice: Dice, skill: Skill, hand: int) -> int:
    """The card, no special one, without which the hand is best."""
    best, found = 10_000, -1
    suited = _suited_runs(hand)
    for part in plan(hand).parts:
        rest = part.mask & SUITED
        while rest:
            bit = rest & -rest
            rest ^= bit
            card = bit.bit_length() - 1
            left = part.mask ^ bit
            rank = CARD_RANK[card]
            loss = (plan(left).cost if left else 0) - part.cost + 3 * rank + dice.below(6 + skill.doubt // 3)
            if suited & bit:
                loss += 35
            if rank > 10:
                loss += 25 * (rank - 10)
            if loss < best:
                best, found = loss, card
    return found


def _suited_runs(hand: int) -> int:
    """The cards of a hand that stand four in a row in one suit: a fifth card would make a bomb of them."""
    # Every fourth bit is of the same suit.
    row = hand & SUITED
    starts = row & row >> 4 & row >> 8 & row >> 12
    return starts | starts << 4 | starts << 8 | starts << 12


def _for_partner(dice: Dice, skill: Skill, hand: int, own: bool, partners: bool) -> int:
    """The card for the partner: the best for one who has called, otherwise the better the weaker the own hand is."""
    cards = [card for card in mask_cards(hand) if card not in (DOG, MAH_JONG)]
    if partners:
        for card in (DRAGON, PHOENIX):
            if hand >> card & 1 and dice.chance(55):
                return card
        return next((card for card in cards if card not in _SPECIAL), cards[0])
    if hand & MAH_JONG_MASK and dice.chance(6):
        return MAH_JONG
    strength = plan(hand).cost + dice.below(2 * skill.doubt + 1) - skill.doubt
    bombs = bomb_cards(hand)
    plain = [card for card in cards if card not in _SPECIAL and not bombs >> card & 1]
    if not plain:
        return cards[-1]
    if own or strength < 0:
        return _least_used(dice, skill, hand)
    for card, percent in ((DRAGON, 70), (PHOENIX, 40)):
        # Whoever is weak without it makes a player who can do more with it stronger.
        if hand >> card & 1 and plan(hand & ~(1 << card)).cost > 235 and dice.chance(percent):
            return card
    if strength > 200:
        return plain[0]
    # In between, the highest card that does not win tricks by itself and is not part of something better.
    best, found = 10_000, plain[0]
    for card in plain:
        rank = CARD_RANK[card]
        if rank < 14:
            same = (hand & RANK_MASK[rank]).bit_count()
            loss = 7 * (14 - rank) + 24 * (same - 1) + dice.below(60)
            if loss < best:
                best, found = loss, card
    return found


def wish(dice: Dice, skill: Skill, table: Table, seat: int, given: tuple[int, int, int], calls: Sequence[int]) -> int:
    """The rank to wish for with the Mah Jong, 0 for none.

    Against a call an ace is wished for; otherwise what the next player is known to hold, since it was given there, or
    a rank one does not hold, which may break something up.

    Args:
        dice: the game's chance.
        skill: the player's.
        table: the table after the Mah Jong was played.
        seat: who wishes.
        given: what the seat gave to the right, the partner and the left.
        calls: the calls of all seats.
    """
    hand = table.hands[seat]
    if dice.chance(18):
        return 0
    if dice.chance(skill.slips):
        return 2 + dice.below(13)
    opponents = (calls[(seat + 1) % 4], calls[(seat + 3) % 4])
    if (opponents[0] != NO_CALL or opponents[1] != NO_CALL) and (hand & _ACES).bit_count() < 3:
        return 14
    rank = CARD_RANK[given[0]]
    if calls[partner_of(seat)] == NO_CALL and not dice.chance(60):
        rank = CARD_RANK[given[2]] if dice.chance(30) else 14
    if 2 <= rank <= 14 and not hand & RANK_MASK[rank]:
        return rank
    lacking = [rank for rank in range(2, 15) if not hand & RANK_MASK[rank]]
    return lacking[-1] if lacking and dice.chance(40) else dice.pick(lacking) if lacking else 0


def dragon_receiver(dice: Dice, skill: Skill, table: Table, calls: Sequence[int]) -> int:
    """The opponent who gets the Dragon's trick: the harmless one, who has more cards or did not call, else the left.

    What the last player has taken goes to whoever is out first, so that a trick given to the slower one may come back.
    """
    right, left = (table.gift_due + 1) % 4, (table.gift_due + 3) % 4
    if not dice.chance(skill.slips):
        more = table.hands[left].bit_count() - table.hands[right].bit_count()
        if abs(more) >= 3:
            return left if more > 0 else right
        if (calls[left] == NO_CALL) != (calls[right] == NO_CALL):
            return left if calls[left] == NO_CALL else right
        if more:
            return left if more > 0 or dice.chance(40) else right
    return left if dice.chance(68) else right
