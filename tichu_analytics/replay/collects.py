"""What records say that BrettspielWelt logs do not: who takes a trick, and whether a play was in turn or out of turn.

A record may mark the taking of a trick by an event of its own. Such an event is not always where it should be: a pass
before it can be missing, its seat can be another one's, it can stand a line too early, or be one too many. What follows
in the record shows which of these it is, so that one cause gives one finding.
"""

from __future__ import annotations

from tichu_analytics.record import Event, EventKind
from tichu_analytics.record.model import IN_TURN, OUT_OF_TURN
from tichu_analytics.replay import record_messages
from tichu_analytics.replay.messages import Breach
from tichu_analytics.replay.moves import Moves
from tichu_analytics.rules.combinations import FOUR_BOMB, STRAIGHT_BOMB, Readings
from tichu_analytics.rules.options import NO
from tichu_analytics.rules.play import LEGAL, Situation
from tichu_analytics.rules.turns import NOBODY, all_passed, next_seat

# In ``after_end``: what has been reported after the end of the round. Bits 0 and 1 are for passes and plays.
_COLLECT_AFTER_END = 4


class Collects(Moves):
    """Judges and carries out events that take a trick, and what a record says about turns."""

    # The rank of the Phoenix ------------------------------------------------------------------------------------------

    def without_wrong_rank(self, event: Event, found: Readings) -> tuple[Event, Readings]:
        """A play without the rank that the record gives the Phoenix in it, if it cannot stand for that one."""
        real = self.read(event.mask)
        if real.ways == 0:
            return event, found
        self.breach(record_messages.wrong_rank(self, event, real))
        return event._replace(value=0), real

    # Taking a trick -------------------------------------------------------------------------------------------------

    def collect_breach(self, event: Event) -> Breach | None:
        """What is wrong with an event that takes the trick now."""
        if not self.over and self.may_collect(event.seat):
            return None
        return record_messages.collect_not_due(self, event)

    def do_collect(self, event: Event) -> None:
        """Carries out an event that takes the trick, due or not."""
        seat = event.seat
        if self.over:
            if not self.after_end & _COLLECT_AFTER_END and not self.end_in_doubt:
                self.after_end |= _COLLECT_AFTER_END
                self.breach(record_messages.collect_not_due(self, event))
            return
        late, self.late_collect = self.late_collect, NOBODY
        if late == seat:
            # It is where it should be; what stands in its place has been reported.
            return
        if self.tainted:
            if seat != self.owner or not self.n_plays or self.unreadable or not self.collected():
                self.note_collect(event)
                return
            # The event before took the trick, so this one comes on an empty table.
            self.end_trick(self.last_line, self.last_pass_as_collection())
            if not self.gift_follows():
                self.gift_due = NOBODY
        if not self.n_plays:
            self.breach(record_messages.collect_not_due(self, event))
            return
        if self.mah_jong_seat >= 0:
            self.passes_since_mah_jong += 1
            if self.wish_owed:
                self.wish_missing(event.line)
        if seat != self.turn:
            self.settle_turn(seat)
        if self.n_plays and seat == self.turn == self.owner:
            self.end_trick(event.line, event.line)
            return
        self.breach(record_messages.collect_not_due(self, event))
        self.passes_since_mah_jong = 0
        if self.n_plays:
            self.after_odd_collect(event)

    def after_odd_collect(self, event: Event) -> None:
        """Takes the taking of a trick that is not due as the record goes on from it."""
        seat, owner = event.seat, self.owner
        follows = self.next_act()
        plays = follows.seat if follows is not None and follows.kind == EventKind.PLAY else NOBODY
        closed = all_passed(owner, self.passed, self.active) and self.active >> owner & 1 == 1
        if seat == owner and (follows is None or plays == seat):
            # Passes before it are missing, or the last play of somebody who has not a line left.
            for other in self.waiting():
                if not self.acts_later(other):
                    self.fuzzy |= 1 << other
                    self.score_doubt = True
            self.end_trick(event.line, event.line)
        elif closed and (follows is None or plays in (seat, owner) or self.gift_is_next() or not self.fits(follows)):
            # The wrong seat takes the trick. Whose it is, is told by the lead; by the rules it is the owner's.
            if plays == seat:
                self.score_doubt = True
                self.owner = seat
            self.end_trick(event.line, event.line)
        elif follows is not None and self.fits(follows):
            # It is one too many, or stands before a pass instead of after it.
            if seat == owner:
                self.early_collect = self.n_plays
        else:
            self.loose_cards |= 1 << seat
            self.score_doubt = self.tainted = True
            self.doubt_turn(seat)
            self.note_collect(event)

    def waiting(self) -> list[int]:
        """The seats that have to play or pass before the trick can be taken."""
        left = self.active & ~self.passed & ~(1 << self.owner)
        return [seat for seat in range(4) if left >> seat & 1]

    def gift_is_next(self) -> bool:
        """Whether the next thing that happens, calls and wishes aside, is a Dragon gift."""
        others = (EventKind.TICHU, EventKind.GRAND, EventKind.WISH)
        events = self.events[self.index + 1 : self.index + 12]
        return next((event.kind == EventKind.GIFT for event in events if event.kind not in others), False)

    def fits(self, event: Event) -> bool:
        """Whether an act of the record would be right now, with the trick as it lies on the table."""
        seat = event.seat
        if event.kind == EventKind.PLAY:
            found = self.read(event.mask, event.value)
            return found.length == len(event.cards) and self.judge(event, found, self.situation(seat)) == LEGAL
        if event.kind == EventKind.PASS:
            return seat == self.turn != self.owner
        return event.kind == EventKind.COLLECT and self.may_collect(seat)

    def note_collect(self, event: Event) -> None:
        """Keeps in mind that a seat takes a trick in doubt; whether it did shows with the next play, as for passes."""
        if not self.n_plays:
            return
        seat = event.seat
        self.passed |= 1 << seat
        self.last_passer = seat
        self.last_line = self.collect_line = event.line
        self.turn = next_seat(seat, self.active)

    def pass_for_collect(self, event: Event) -> None:
        """A pass by the owner who is to take the trick, where that has an event of its own."""
        self.breach(record_messages.pass_for_collect(self, event))
        seat = event.seat
        follows = self.next_act()
        if follows is None or (follows.kind == EventKind.PLAY and follows.seat == seat):
            self.end_trick(event.line, event.line)
            return
        if self.fits(follows):
            # It is one too many: the taking follows, or a bomb.
            return
        # The others go on with this trick: a play in it may be missing.
        self.loose_cards |= 1 << seat
        self.score_doubt = self.tainted = True
        self.doubt_turn(seat)
        self.note_pass(event)

    # In turn or out of turn -----------------------------------------------------------------------------------------

    def by_mark(self, event: Event, found: Readings, situation: Situation) -> Situation:
        """The situation for a play of which the record says whether it was in turn.

        A bomb on a trick that is marked as out of turn was thrown in before the turn came, even where that is next.
        """
        if event.turn == OUT_OF_TURN and self.n_plays and found.kind in (FOUR_BOMB, STRAIGHT_BOMB):
            return situation._replace(in_turn=NO, taking=NO)
        return situation

    def look_at_mark(self, event: Event, found: Readings) -> None:
        """Reports what a record says wrongly about the turn of a play that is right in itself."""
        if event.turn == IN_TURN:
            if event.seat != self.turn:
                self.breach(record_messages.turn_marked_wrong(self, event, "another player was to act"))
        elif found.kind not in (FOUR_BOMB, STRAIGHT_BOMB):
            self.breach(record_messages.turn_marked_wrong(self, event, "only a bomb can be"))
        elif not self.n_plays and event.seat == self.turn:
            self.breach(record_messages.turn_marked_wrong(self, event, "it is a lead"))
