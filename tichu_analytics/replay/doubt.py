"""After a fault: whose hand, whose turn, which table is in doubt, and what the log lets be known all the same."""

from __future__ import annotations

from tichu_analytics.record import Event, EventKind
from tichu_analytics.replay.ends import TrickEnds
from tichu_analytics.rules.cards import DRAGON_MASK, RANK_MASK
from tichu_analytics.rules.play import fitting_readings
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
    leader_after_trick,
    next_seat,
    round_over,
)
from tichu_analytics.rules.wish import meets_wish


class Doubts(TrickEnds):
    """Keeps one cause from giving a second finding."""

    def only_holder(self, mask: int) -> int:
        """The seat that holds all of some cards, if it is certain; else ``NOBODY``."""
        holders = [seat for seat in range(4) if mask & ~self.hands[seat] == 0]
        return holders[0] if len(holders) == 1 else NOBODY

    def settle_turn(self, seat: int) -> None:
        """Another seat acts than the one to act: looks for an explanation that is no new fault.

        The leader may be unknown after a damaged deal, and a seat whose hand is in doubt may be out by the log's word:
        it has no later line.
        """
        if self.turn == NOBODY:
            self.turn = seat
            return
        if not self.fuzzy or self.over:
            return
        for _ in range(3):
            due = self.turn
            if due == seat or not self.may_be_out(due):
                return
            if not self.mark_out(due):
                # The log goes on, so somebody else is still in; only the turn is taken at its word.
                self.turn = seat
                return

    def may_be_out(self, seat: int) -> bool:
        """Whether a seat whose hand is in doubt is out by the log's word: it has played and has no later line."""
        return self.fuzzy >> seat & 1 == 1 and self.last_play[seat] >= 0 and not self.acts_later(seat)

    def mark_out(self, seat: int) -> bool:
        """Takes a seat as out although it should still hold cards; False if that would end a round that goes on."""
        self.score_doubt = True
        finish = self.finish_with(seat)
        if round_over(*finish):
            return False
        self.finish = [other for other in finish if other >= 0]
        self.active &= ~(1 << seat)
        self.pass_situation = None
        if not self.n_plays:
            self.turn = leader_after_trick(seat, self.active)
        elif not all_passed(self.owner, self.passed, self.active):
            self.turn = next_seat(seat, self.active)
        elif self.active >> self.owner & 1:
            self.turn = self.owner
        else:
            self.end_trick(self.last_line, None)
        return True

    def doubt_turn(self, seat: int) -> None:
        """After somebody acted out of turn: the seats passed over may have lines that are missing."""
        due = self.turn
        self.fuzzy |= 1 << seat
        step = due
        while step not in (seat, NOBODY) and next_seat(seat, self.active) != due:
            self.fuzzy |= 1 << step
            self.doubt_wish(step)
            step = next_seat(step, self.active)
            if step == due:
                break
        if due >= 0 and due != seat and next_seat(due, self.active) == seat and self.never_seen(due):
            # A play of the seat passed over may be missing; passes count anew from there.
            self.kept_passes = self.passed
            self.passed = 0

    def doubt_wish(self, seat: int) -> None:
        """A card of the wished rank that is never seen may have met the wish on a line in doubt: it binds no more."""
        if self.wish and self.never_seen(seat) & RANK_MASK[self.wish] and self.hand_in_doubt(seat):
            self.wish = 0
            self.pass_situation = None

    def doubt_table(self) -> None:
        """A play that does not fit the table may be right and the one on the table wrong."""
        owner = self.owner
        if owner < 0:
            return
        self.fuzzy |= 1 << owner
        self.hands[owner] |= self.top_mask & self.cards_played_later(owner)
        self.doubt_wish(owner)

    def doubt_holder(self, missing: int) -> None:
        """Cards that the player of a line does not hold may be their holder's play under another seat's number.

        So it may be where the log never has the holder play them.
        """
        for seat in range(4):
            if self.never_seen(seat) & missing:
                self.fuzzy |= 1 << seat

    def doubt_exchange(self, seat: int, missing: int) -> None:
        """A card that a seat should not have any more, or not yet: the exchange may have been another than written."""
        set_up = self.set_up
        for giver in range(4):
            cards = set_up.exchanged[giver]
            if cards is None:
                continue
            for step, card in enumerate(cards, start=1):
                receiver = (giver + step) % 4
                bit = 1 << card
                # It was, if the other one plays what in return should be with this one.
                if giver == seat and missing & bit:
                    instead = self.cards_played_later(receiver) & set_up.dealt[giver] & ~self.hands[receiver]
                    if not instead:
                        continue
                elif receiver == seat and missing & set_up.dealt[giver] and self.cards_played_later(giver) & bit:
                    instead = missing & set_up.dealt[giver]
                    self.maybe[giver] |= bit
                    self.hands[giver] &= ~(instead & ~self.cards_played_later(giver))
                else:
                    continue
                self.maybe[receiver] |= instead
                self.hands[receiver] &= ~(bit & ~self.cards_played_later(receiver))
                both = 1 << giver | 1 << receiver
                self.fuzzy |= both
                self.unsure |= both

    def take_from_doubt(self, seat: int, mask: int, foreign: int) -> None:
        """A card played by one seat is with no other, wherever a damaged line had left it.

        Args:
            seat: who played.
            mask: the cards played.
            foreign: those that were not in the hand for certain.
        """
        for other in range(4):
            self.maybe[other] &= ~mask
            if other != seat and self.fuzzy >> other & 1:
                self.hands[other] &= ~foreign

    def hand_after(self, seat: int, hand: int, mask: int, legal: bool) -> int:
        """The hand after a play; after an illegal one, cards that the log has the seat play later are still there."""
        if legal:
            return hand & ~mask
        return hand & ~(mask & ~self.cards_played_later(seat))

    def dragon_in_doubt(self) -> bool:
        """Whether the Dragon may be what really was played in this trick: held by a seat in doubt, never seen later."""
        for seat in range(4):
            if self.fuzzy >> seat & 1 and self.hands[seat] & DRAGON_MASK:
                return not self.cards_played_later(seat) & DRAGON_MASK
        return False

    def next_act(self) -> Event | None:
        """The next play, pass, taking of a trick or unreadable line of the record; None if there is none near."""
        for event in self.events[self.index + 1 : self.index + 12]:
            if event.kind in (EventKind.PLAY, EventKind.PASS, EventKind.COLLECT, EventKind.UNREADABLE):
                return event
        return None

    def covers_next(self, seat: int) -> bool:
        """Whether the next act is a play by this seat of cards that it holds, beat the table and meet the wish."""
        act = self.next_act()
        if act is None or act.kind != EventKind.PLAY or act.seat != seat or act.mask & ~self.hands[seat]:
            return False
        found = self.read(act.mask, act.value)
        return meets_wish(act.mask, self.wish) and fitting_readings(act.mask, found, self.situation(seat)) != 0

    def is_of_due(self, seat: int) -> bool:
        """Whether a pass out of turn must be that of the seat to act under a wrong number: the next act says so.

        It is by the seat that acts after the one to act, and nobody else's turn would lead to it.
        """
        due, owner = self.turn, self.owner
        if not self.n_plays or due == NOBODY or not self.active >> due & 1 or self.fuzzy or seat == due:
            return False
        if due != owner:
            after = next_seat(due, self.active)
        elif self.marks_collects:
            return False
        else:
            after = leader_after_trick(owner, self.active)
        act = self.next_act()
        if act is None or act.seat != after:
            return False
        if due == owner:
            return act.kind == EventKind.PLAY
        # The owner takes the trick next, or somebody else plays or passes.
        return act.kind == EventKind.PASS or (act.kind == EventKind.PLAY and after != owner)

    def takes_now(self, seat: int) -> bool:
        """Whether a pass by the owner of a trick in doubt takes it beyond doubt: all passed, and it leads next."""
        if self.marks_collects or self.unreadable or not self.may_collect(seat):
            return False
        if self.top_mask != DRAGON_MASK and self.gift_follows():
            # Then it was the Dragon that won, and what lies on it is in doubt.
            return False
        act = self.next_act()
        return act is None or (act.kind == EventKind.PLAY and act.seat == seat)

    def gift_follows(self) -> bool:
        """Whether a gift is the next thing that happens; calls, passes and the taking of the trick aside."""
        for event in self.events[self.index + 1 : self.index + 12]:
            if event.kind == EventKind.GIFT:
                return True
            if event.kind not in (EventKind.TICHU, EventKind.GRAND, EventKind.PASS, EventKind.COLLECT):
                return False
        return False
