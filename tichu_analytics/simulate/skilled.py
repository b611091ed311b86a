"""Players who plan: they lay their hand out in combinations and weigh every play by what it does to that plan.

They know what a player can know: their own cards, what has been played, how many cards the others hold, what was
called. They decide no rule: of what they would like to do they take the first that the table lets pass.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.rules.cards import DRAGON_MASK, MAH_JONG_MASK, points
from tichu_analytics.rules.combinations import DOG_PLAY, SINGLE, is_bomb
from tichu_analytics.rules.scoring import NO_CALL
from tichu_analytics.rules.turns import partner_of
from tichu_analytics.simulate import candidates
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.plans import Part, change, plan
from tichu_analytics.simulate.players import Player
from tichu_analytics.simulate.skills import Skill
from tichu_analytics.simulate.table import Table

#: A play that ends the hand, and one that is out of the question.
_GO_OUT: Final = -10_000
_NEVER: Final = 10_000

# What a trick of an opponent is worth, in hundredths of a lead.
_TRICK: Final = 22
_POINT: Final = 2
_LAST_CHANCE: Final = 40
_OWN_CALL: Final = 22
_AGAINST_CALL: Final = 35
_FOR_PARTNER: Final = 60
_AGAINST_DOUBLE: Final = 30
_NEARLY_OUT: Final = 40
# What a bomb is worth by the number of combinations that are left after it, without and with a call.
_BOMB: Final = (80, 75, 40, 12, 0, 0)
_CALLERS_BOMB: Final = (95, 90, 75, 50, 30, 15)
_FEW_PARTS: Final = (0, 60, 50, 35, 15)


class SkilledPlayer(Player):
    """One seat's decisions during a round.

    Args:
        dice: the table's chance.
        table: the table.
        seat: where the player sits.
        skill: how well the seat plays.
        calls: the calls of all seats, kept up to date by the round.
    """

    def __init__(self, dice: Dice, table: Table, seat: int, skill: Skill, calls: list[int]) -> None:
        super().__init__(dice, table, seat)
        self.skill = skill
        self.calls = calls
        # How much a trick must be worth for a bomb; whoever hurries does not wait until all others have passed.
        self.bomb_from = 50 + dice.below(1 + skill.doubt // 2) - skill.doubt // 6
        self.hurries = dice.chance(30 + 2 * skill.slips)

    # What a player sees -----------------------------------------------------------------------------------------------

    def unseen(self) -> int:
        """The cards that the others still hold, for a player who has counted."""
        hands = self.table.hands
        return (hands[0] | hands[1] | hands[2] | hands[3]) & ~hands[self.seat]

    def cards_left(self, seat: int) -> int:
        """How many cards a seat holds; everybody sees that."""
        return self.table.hands[seat].bit_count()

    def is_sure(self, part: Part, unseen: int) -> bool:
        """Whether nothing that is still out beats a combination, bombs apart."""
        if part.kind == DOG_PLAY:
            return False
        return is_bomb(part.kind) or not candidates.follows(unseen, part.kind, part.length, part.rank2)

    def threat(self) -> int:
        """How few cards an opponent who is not out has left."""
        found = 14
        for seat in ((self.seat + 1) % 4, (self.seat + 3) % 4):
            left = self.table.hands[seat].bit_count()
            if 0 < left < found:
                found = left
        return found

    def backs_partner(self) -> bool:
        """Whether the partner has called and can still make it."""
        return self.partner_called and not self.table.finish

    def called(self, seat: int) -> bool:
        """Whether a seat has called and can still make it."""
        return self.calls[seat] != NO_CALL and not self.table.finish

    # Leading ----------------------------------------------------------------------------------------------------------

    def lead(self) -> int:
        """The cards to lead."""
        table, seat = self.table, self.seat
        hand = table.hands[seat]
        parts = plan(hand).parts
        order = sorted([(self.lead_rank(part, len(parts)), part.mask) for part in parts])
        if 1 < len(parts) <= 4:
            order = self.run_out(parts) + order
        for _, mask in order:
            if table.may_play(seat, mask):
                return mask
        raise AssertionError("a player on lead finds nothing to lead")

    def run_out(self, parts: tuple[Part, ...]) -> list[tuple[int, int]]:
        """A combination that surely wins, if all but one of the hand do so: then the rest can follow."""
        if not self.dice.chance(self.skill.counts):
            return []
        unseen = self.unseen()
        sure = [part for part in parts if self.is_sure(part, unseen)]
        if len(sure) < len(parts) - 1:
            return []
        # A bomb is as good later, and in the meantime it guards against others.
        first = min(sure, key=lambda part: (is_bomb(part.kind), -part.length, part.mask))
        return [(0, first.mask)]

    def lead_rank(self, part: Part, count: int) -> int:
        """How little a lead is to be liked: what is hard to get rid of goes first, what wins tricks stays."""
        dice, skill = self.dice, self.skill
        weight = dice.below(12 + skill.doubt // 2) - part.cost - 8 * (part.length - 1)
        if dice.chance(skill.slips):
            weight = dice.below(300) - 150
        partner = partner_of(self.seat)
        helps = self.backs_partner() and dice.chance(skill.supports)
        if part.kind == DOG_PLAY:
            if not self.cards_left(partner):
                return 40
            if helps:
                return -400
            if self.called(self.seat):
                return 30 if count > 2 else 120
            return -90 if dice.chance(45) else 10
        if part.mask == MAH_JONG_MASK:
            weight -= 45
        threat = self.threat()
        if helps and part.length > 2:
            weight += 50
        if part.length == threat and part.length <= 2:
            # Whoever has that many cards left could go out on it; if need be, the highest.
            weight += 150 - part.rank2
        elif part.kind == SINGLE and self.cards_left(partner) == 1 and not helps:
            weight -= 120
        if is_bomb(part.kind) and count > 3:
            weight += 60
        return weight

    # Following --------------------------------------------------------------------------------------------------------

    def follow(self) -> int:
        """The cards to play on the trick, 0 for a pass."""
        table, seat = self.table, self.seat
        hand = table.hands[seat]
        if table.wish and not table.may_pass(seat):
            return self.obey(hand)
        size = hand.bit_count()
        if size > table.length and table.owner != partner_of(seat) and self.dice.chance(self.skill.slips):
            mask = self.thoughtless(hand)
            if mask:
                return mask
        elif size >= table.length and not is_bomb(table.kind):
            limit = self.limit(hand, size)
            if limit > -_NEVER:
                for weight, mask in self.weighed(hand, size):
                    if weight > limit:
                        break
                    if table.may_play(seat, mask):
                        return mask
        return self.bomb()

    def thoughtless(self, hand: int) -> int:
        """The first play that comes to mind, whatever it breaks up, or a pass."""
        table = self.table
        if is_bomb(table.kind) or self.dice.chance(40):
            return 0
        found = candidates.follows(hand, table.kind, table.length, table.rank2)
        return next((mask for mask in found if table.may_play(self.seat, mask)), 0)

    def weighed(self, hand: int, size: int) -> list[tuple[int, int]]:
        """The plays that may beat the table with what they do to the plan, the best first."""
        table = self.table
        found = candidates.follows(hand, table.kind, table.length, table.rank2)
        if not found:
            return []
        if len(found) > 8:
            del found[8:]
        holds = self.threat() <= table.length and table.owner != partner_of(self.seat)
        weighed = []
        for mask in found:
            weight = _GO_OUT if mask == hand else change(hand, mask)
            if holds:
                # Low cards do not keep a player with few cards from going out.
                weight -= 4 * self.top_rank(mask)
            weighed.append((weight, mask))
        weighed.sort()
        return weighed

    def obey(self, hand: int) -> int:
        """The play that meets the wish at least cost; where nothing else does, a bomb."""
        table = self.table
        found = candidates.follows(hand, table.kind, table.length, table.rank2)
        order = sorted([(change(hand, mask), mask) for mask in found])
        for mask in [mask for _, mask in order] + self.bombs():
            if table.may_play(self.seat, mask):
                return mask
        raise AssertionError("a player bound by a wish finds nothing that meets it")

    def limit(self, hand: int, size: int) -> int:
        """How much a play on the trick may cost the plan."""
        table, dice, skill = self.table, self.dice, self.skill
        partner = partner_of(self.seat)
        backs = self.backs_partner() and dice.chance(skill.supports)
        if table.owner == partner:
            return self.limit_on_partner(size, backs)
        limit = _TRICK + _POINT * points(table.trick_cards) + dice.below(20 + skill.doubt // 2)
        waiting = table.active & ~table.passed & ~(1 << self.seat) & ~(1 << table.owner)
        if not waiting:
            limit += _LAST_CHANCE
        if backs:
            # A caller who is still to play decides; one who has passed is glad of help.
            limit += -25 if waiting >> partner & 1 else _FOR_PARTNER
        if self.called(self.seat):
            limit += _OWN_CALL
        if self.called(table.owner):
            limit += _AGAINST_CALL
        if len(table.finish) == 1 and table.finish[0] == partner_of(table.owner):
            limit += _AGAINST_DOUBLE
        if self.cards_left(table.owner) <= 3:
            limit += _NEARLY_OUT
        count = len(plan(hand).parts)
        if count < len(_FEW_PARTS):
            limit += _FEW_PARTS[count]
        if backs and size == table.length:
            # Going out now would break the partner's call.
            return -_NEVER
        return limit

    def limit_on_partner(self, size: int, backs: bool) -> int:
        """How much a play on the partner's trick may cost: little, and nothing while the partner's call is open."""
        table = self.table
        if backs:
            return -_NEVER
        if size == table.length:
            return _GO_OUT
        if self.partner_called and not table.finish:
            return -70
        if table.rank2 >= 22 or table.length > 3:
            return -_NEVER
        opponents = 0b1010 if self.seat % 2 == 0 else 0b0101
        waiting = opponents & table.active & ~table.passed
        return -62 if waiting or self.dice.chance(25) else -_NEVER

    # Bombs ------------------------------------------------------------------------------------------------------------

    def bomb(self) -> int:
        """The smallest bomb that may be played now, if the player wants to, else 0."""
        if not self.has_bomb:
            return 0
        table = self.table
        if (
            table.turn != self.seat
            and not self.hurries
            and not table.takes(table.turn)
            and table.active >> table.owner & 1
        ):
            # There is time: others may play something, and at last it is the owner's turn to take the trick.
            return 0
        found = self.bombs()
        if not found:
            return 0
        for mask in found:
            if table.may_play(self.seat, mask):
                return mask if self.worth_a_bomb(mask) else 0
        return 0

    def worth_a_bomb(self, mask: int) -> bool:
        """Whether to bomb the trick on the table just now."""
        table, seat = self.table, self.seat
        hand = table.hands[seat]
        owner, partner = table.owner, partner_of(seat)
        rest = hand & ~mask
        count = len(plan(rest).parts) if rest else 0
        mine = self.called(seat)
        worth = (_CALLERS_BOMB if mine else _BOMB)[min(count, 5)]
        if owner == partner:
            if self.backs_partner() or count > 1:
                return False
            return worth >= self.bomb_from + 20
        if owner == seat:
            return table.takes(seat) and table.top == DRAGON_MASK and worth >= 40
        if self.backs_partner() and not rest and self.dice.chance(self.skill.supports):
            return False
        worth += points(table.trick_cards)
        if table.top == DRAGON_MASK:
            worth += 30
        left = self.cards_left(owner)
        if self.called(owner):
            worth += 20 if left > 5 else 50
        if left <= 2:
            worth += 40
        elif left <= 4:
            worth += 15
        if hand.bit_count() <= 9:
            worth += 12
        if self.dice.chance(self.skill.slips):
            worth += self.dice.below(40)
        return worth >= self.bomb_from
