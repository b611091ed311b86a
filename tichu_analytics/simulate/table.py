"""The table at which simulated players sit: what has happened in a round, and the rulebook's word on what may.

It holds state only. It is kept apart from the state of ``replay`` so that each can be tested against the other, and it
carries out whatever it is told, so that a test can have somebody act against the rules and the round go on from there.
"""

from __future__ import annotations

from tichu_analytics.rules.calls import gift_is_due
from tichu_analytics.rules.cards import DRAGON_MASK, MAH_JONG_MASK, PHOENIX_MASK, points
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    NO_COMBINATION,
    STAIRS,
    Readings,
    readings,
    single_phoenix_rank2,
)
from tichu_analytics.rules.options import NO, YES, Options
from tichu_analytics.rules.play import LEGAL, Situation, judge_pass, judge_play
from tichu_analytics.rules.scoring import Pair, card_points, round_score
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
    is_double_victory,
    leader_after_dog,
    leader_after_trick,
    next_seat,
    round_over,
)
from tichu_analytics.rules.wish import HIGHEST_WISH, meets_wish


class Table:
    """One round from the first lead on.

    Args:
        hands: the cards of each seat after the exchange, the whole deck.
        options: the rule set's choices.
    """

    def __init__(self, hands: list[int], options: Options) -> None:
        self.options = options
        self.hands = list(hands)
        self.active = 15
        self.turn = next(seat for seat in range(4) if hands[seat] & MAH_JONG_MASK)
        self.finish: list[int] = []
        self.over = False
        self.has_played = [False] * 4
        self.first_play = True
        self.after_dog = False
        self.wish = 0
        self.wish_first_trick = False
        self.taken = [0, 0, 0, 0]
        self.gift_due = NOBODY
        self.gift_points = 0
        # The number of the trick that lies on the table or is to be led, from 1.
        self.trick = 0
        self.clear()

    def clear(self) -> None:
        """Empties the table for a new trick."""
        self.trick += 1
        self.owner = NOBODY
        self.kind = NO_COMBINATION
        self.length = 0
        self.rank2 = 0
        self.top = 0
        self.trick_cards = 0
        self.passed = 0
        self.ever_passed = 0

    # Asking ---------------------------------------------------------------------------------------------------------

    def situation(self, seat: int) -> Situation:
        """What a verdict on an act of this seat depends on."""
        in_turn = seat == self.turn
        lies = self.kind != NO_COMBINATION
        return Situation(
            self.kind,
            self.length,
            self.rank2,
            NO_COMBINATION,
            0,
            YES if in_turn else NO,
            YES if in_turn and lies and seat == self.owner else NO,
            YES if lies and all_passed(self.owner, self.passed, self.active) else NO,
            YES if self.after_dog else NO,
            YES if self.first_play else NO,
            self.ever_passed >> seat & 1,
            YES if self.over else NO,
            self.wish,
            YES if self.wish_first_trick else NO,
        )

    def judge(self, seat: int, mask: int) -> int:
        """The rulebook's verdict on a play."""
        return judge_play(self.hands[seat], mask, readings(mask, self.options), self.situation(seat), self.options)

    def may_play(self, seat: int, mask: int) -> bool:
        """Whether a play is legal."""
        return self.judge(seat, mask) == LEGAL

    def may_pass(self, seat: int) -> bool:
        """Whether a pass is legal; taking one's trick is none."""
        return judge_pass(self.hands[seat], self.situation(seat), self.options) == LEGAL

    def takes(self, seat: int) -> bool:
        """Whether a pass line of this seat would take its trick."""
        return seat == self.turn == self.owner

    # Doing ----------------------------------------------------------------------------------------------------------

    def play(self, seat: int, mask: int) -> None:
        """Plays cards, legal or not; an illegal play counts as its highest reading."""
        found = readings(mask, self.options)
        kind, rank2 = self.reading(mask, found)
        self.hands[seat] &= ~mask
        self.has_played[seat] = True
        self.first_play = False
        self.after_dog = False
        if self.wish and meets_wish(mask, self.wish):
            self.wish = 0
        if kind == DOG_PLAY and self.kind != NO_COMBINATION:
            # A Dog on a trick covers nothing.
            self.goes_on(seat)
            return
        self.kind, self.length, self.rank2 = kind, found.length, rank2
        self.owner = seat
        self.top = mask
        self.trick_cards |= mask
        self.passed = 0
        self.goes_on(seat)
        if self.over:
            return
        if kind == DOG_PLAY:
            self.clear()
            self.wish_first_trick = False
            self.turn = leader_after_dog(seat, self.active)
            self.after_dog = True

    def reading(self, mask: int, found: Readings) -> tuple[int, int]:
        """Kind and doubled rank of a play on this table: of two readings the higher, which fits where the lower does.

        What is no combination lies there as something that only a bomb beats.
        """
        if found.ways == 0:
            return STAIRS, 2 * HIGHEST_WISH
        if mask == PHOENIX_MASK:
            return found.kind, single_phoenix_rank2(self.kind, self.rank2)
        return found.kind, found.rank2

    def goes_on(self, seat: int) -> None:
        """After a play: the player may be out, the round over; otherwise the turn goes on."""
        if not self.hands[seat]:
            self.active &= ~(1 << seat)
            self.finish.append(seat)
            order = [*self.finish, NOBODY, NOBODY]
            if round_over(order[0], order[1], order[2]):
                self.over = True
                self.end_trick()
                return
        self.turn = next_seat(seat, self.active)

    def pass_turn(self, seat: int) -> None:
        """Passes, in turn or not; the last pass on the trick of somebody who is out ends it."""
        self.passed |= 1 << seat
        self.ever_passed |= 1 << seat
        self.turn = next_seat(seat, self.active)
        if self.owner == NOBODY:
            return
        if not self.active >> self.owner & 1 and all_passed(self.owner, self.passed, self.active):
            self.end_trick()

    def end_trick(self) -> None:
        """The owner takes the trick, or has to give it away."""
        double = self.over and is_double_victory(self.finish[0], self.finish[1])
        worth = points(self.trick_cards)
        owner = self.owner
        if owner != NOBODY:
            if gift_is_due(self.top == DRAGON_MASK, double):
                self.gift_due = owner
                self.gift_points = worth
            else:
                self.taken[owner] += worth
            if not self.over:
                self.turn = leader_after_trick(owner, self.active)
        self.clear()
        self.wish_first_trick = False

    def give(self, receiver: int) -> None:
        """Gives the Dragon's trick to a seat."""
        self.taken[receiver] += self.gift_points
        self.gift_due = NOBODY

    def make_wish(self, rank: int) -> None:
        """The wish that comes with the Mah Jong."""
        self.wish = rank
        self.wish_first_trick = self.kind != NO_COMBINATION

    # The end --------------------------------------------------------------------------------------------------------

    def score(self, calls: list[int]) -> Pair:
        """The score of the finished round with each seat's call."""
        first, second = self.finish[0], self.finish[1]
        pair = Pair(0, 0)
        if not is_double_victory(first, second):
            last = 6 - sum(self.finish)
            taken = self.taken
            pair = card_points(taken[0], taken[1], taken[2], taken[3], first, last, points(self.hands[last]))
        return round_score(pair.team_0, pair.team_1, first, second, calls[0], calls[1], calls[2], calls[3])
