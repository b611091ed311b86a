"""The state of a round that one can step through: ask why an event is not allowed, whether it is, and carry it out.

All rules are decided by :mod:`tichu_analytics.rules`; here stands only what has happened. After an illegal act the
log's word is taken as far as it goes and the round goes on: the rest of the trick is not judged against what should
lie on the table or whose turn it should be, hands are reconciled with what the log has later (:mod:`.doubt`), and the
next trick is judged in full again. So one cause gives one finding.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Final

from tichu_analytics.record import Event, EventKind
from tichu_analytics.record.model import IN_TURN
from tichu_analytics.replay import messages, record_messages
from tichu_analytics.replay.collects import Collects
from tichu_analytics.replay.messages import Breach
from tichu_analytics.rules.cards import DECK
from tichu_analytics.rules.combinations import (
    FOUR_BOMB,
    STRAIGHT_BOMB,
    Readings,
)
from tichu_analytics.rules.play import (
    AFTER_END,
    IS_NO_COMBINATION,
    LEGAL,
    NOT_HELD,
    NOT_HIGHER,
    NOT_ON_TURN,
    OTHER_COMBINATION,
    PASS_ON_LEAD,
    TRICK_CLOSED,
    WISH_IGNORED,
    Situation,
    fitting_readings,
    judge_pass,
)
from tichu_analytics.rules.scoring import GRAND_TICHU, TICHU
from tichu_analytics.rules.turns import (
    NOBODY,
    leader_after_trick,
    next_seat,
)
from tichu_analytics.rules.wish import meets_wish

# What a lost line can make of the next one.
_LOST_LINE: Final = frozenset(
    ("out-of-turn", "wrong-leader", "player-is-out", "pass-on-lead", "trick-not-taken", "bomb-on-empty-table")
)


class RoundState(Collects):
    """A round at some moment of its course.

    ``why_not`` tells what rule an event would break, ``may`` whether it is allowed, ``do`` carries it out, legal or
    not, and adds what was wrong to ``breaches``.

    Args:
        options: the rule set's choices.
        hands: the hands after the exchange and what is in doubt about them.
        names: the players' names by seat, for messages.
        events: the whole course, so that after a fault the state can tell from what comes later who still holds what.
            Without it nothing is known of later events.
        explicit_ends: the record has an event for the taking of a trick; otherwise the last pass ends it.
        marks_collects: it has one of its own kind; a pass is then always a pass. Otherwise the owner's pass takes it.
        marks_interrupts: the record tells whether a bomb interrupted or was played in turn; plays of which it does not
            say it are where the turn is.
        gaps: blank lines, which may stand for a line that is lost.
        places: leads from the record's running numbers to JSON pointers, for messages.
    """

    def why_not(self, event: Event) -> Breach | None:
        """The first rule that an event would break now, or None if it is allowed. Changes nothing."""
        kind = event.kind
        if kind == EventKind.PLAY:
            found = self.read(event.mask, event.value)
            if event.value and found.ways == 0 and self.read(event.mask).ways:
                return record_messages.wrong_rank(self, event, self.read(event.mask))
            situation = self.situation(event.seat)
            verdict = self.judge(event, found, self.by_mark(event, found, situation) if event.turn else situation)
            if found.length != len(event.cards) and verdict != NOT_HELD:
                return messages.play_breach(self, event, NOT_HELD, found)
            return None if verdict == LEGAL else messages.play_breach(self, event, verdict, found)
        if kind == EventKind.PASS:
            if self.may_collect(event.seat):
                return record_messages.pass_for_collect(self, event) if self.marks_collects else None
            verdict = judge_pass(self.hands[event.seat], self.situation(event.seat), self.options)
            return None if verdict == LEGAL else messages.pass_breach(self, event, verdict)
        if kind == EventKind.WISH:
            return self.wish_breach(event)
        if kind == EventKind.GIFT:
            return self.gift_breach(event)
        if kind in (EventKind.TICHU, EventKind.GRAND):
            return self.call_breach(event.seat, GRAND_TICHU if kind == EventKind.GRAND else TICHU, event.line)
        if kind == EventKind.COLLECT:
            return self.collect_breach(event)
        return None

    def may(self, event: Event) -> bool:
        """Whether an event breaks no rule now."""
        breach = self.why_not(event)
        return breach is None or breach.severity == "note"

    def do(self, event: Event) -> None:
        """Carries an event out, legal or not; what was wrong is added to ``breaches``."""
        self.index += 1
        kind = event[0]
        if self.gaps:
            self.look_for_gap(event)
        if kind == EventKind.PASS:
            self.do_pass(event)
        elif kind == EventKind.PLAY:
            self.do_play(event)
        elif kind == EventKind.WISH:
            self.do_wish(event)
        elif kind == EventKind.GIFT:
            self.do_gift(event)
        elif kind == EventKind.UNREADABLE:
            self.do_unreadable(event)
        elif kind == EventKind.COLLECT:
            self.do_collect(event)
        else:
            self.do_call(event)

    def look_for_gap(self, event: Event) -> None:
        """A blank line where the next act does not fit: a line is lost there, and its loss has been reported.

        Blanks too many inside a line may stand for a lost card; then the hand is in doubt.
        """
        before, self.last_event_line = self.last_event_line, event.line
        if event.kind not in (EventKind.PASS, EventKind.PLAY) or self.over or self.tainted:
            return
        lost = bisect_right(self.gaps, before) < bisect_left(self.gaps, event.line)
        if lost and self.gift_due >= 0:
            self.gift_due = NOBODY
            self.broken = self.score_doubt = True
        if bisect_left(self.gaps, event.line) < bisect_right(self.gaps, event.line):
            self.fuzzy |= 1 << event.seat
            self.unsure |= 1 << event.seat
            self.score_doubt = True
        elif lost:
            breach = self.why_not(event)
            if breach is not None and breach.name in _LOST_LINE:
                self.tainted = self.score_doubt = self.broken = True
                self.stray_pass = event.kind == EventKind.PASS
                self.passed = 0 if breach.name != "trick-not-taken" else 15
                self.doubt_turn(event.seat)

    def do_pass(self, event: Event) -> None:
        """Carries a pass line out: a pass, or the taking of the trick by its owner."""
        seat = event.seat
        if self.over:
            if not self.after_end & 1 and not self.end_in_doubt:
                self.after_end |= 1
                self.breach(messages.pass_after_end(self, event))
            return
        if self.gift_due >= 0:
            if self.gift_follows():
                # Only this line is too much; the gift comes.
                self.breach(messages.pass_breach(self, event, PASS_ON_LEAD if seat == self.turn else NOT_ON_TURN))
                return
            self.gift_missing(event.line)
        if self.late_collect >= 0:
            late, self.late_collect = self.late_collect, NOBODY
            if late == seat and not self.marks_collects:
                return
        if self.mah_jong_seat >= 0:
            self.passes_since_mah_jong += 1
            if self.wish_owed:
                self.wish_missing(event.line)
        if (
            self.tainted
            and seat == self.owner == self.last_passer
            and self.n_plays
            and not self.unreadable
            and (not self.marks_collects or self.collected())
        ):
            # It took the trick before, so this pass comes on lead.
            self.end_trick(self.last_line, self.last_pass_as_collection())
            self.gift_due = NOBODY
        if self.tainted:
            if self.takes_now(seat):
                self.end_trick(event.line, event.line)
                if self.gift_due >= 0 and not self.gift_follows():
                    self.gift_due = NOBODY
                return
            self.note_pass(event)
            return
        if seat != self.turn:
            self.settle_turn(seat)
        if seat == self.turn:
            if seat == self.owner and self.n_plays:
                # All others have passed: the owner takes the trick.
                if self.marks_collects:
                    self.pass_for_collect(event)
                else:
                    self.end_trick(event.line, event.line)
                return
            situation = self.pass_situation
            if situation is None:
                situation = self.pass_situation = self.situation(seat)
            verdict = judge_pass(self.hands[seat], situation, self.options)
            if verdict == WISH_IGNORED and self.hand_in_doubt(seat):
                certain = self.hands[seat] & self.cards_played_later(seat)
                verdict = judge_pass(certain, situation, self.options)
            if verdict == LEGAL:
                self.note_pass(event)
                return
        else:
            verdict = NOT_ON_TURN
        self.breach(messages.pass_breach(self, event, verdict))
        if verdict == WISH_IGNORED and self.covers_next(seat):
            # What the wish asked for comes on the next line, so that the pass is only a line too many.
            self.note_pass_line(event)
            return
        if verdict == NOT_ON_TURN and self.is_of_due(seat):
            self.score_doubt = True
            if self.turn == self.owner:
                self.end_trick(event.line, event.line)
            else:
                self.note_pass(event, self.turn)
            return
        self.loose_cards |= 1 << seat
        self.score_doubt |= seat != self.turn
        self.passes_since_mah_jong = 0
        self.doubt_turn(seat)
        if verdict == WISH_IGNORED:
            # The pass may stand for a play that met the wish.
            self.doubt_wish(seat)
        if self.n_plays == 0:
            # Whoever leads next is taken at the log's word.
            self.tainted = True
            self.stray_pass = seat != self.turn
            return
        self.tainted = True
        self.note_pass(event)

    def do_play(self, event: Event) -> None:
        """Carries a play out."""
        seat = event.seat
        mask = event.mask
        found = self.read(mask, event.value)
        if self.over:
            if not self.after_end & 2:
                self.after_end |= 2
                self.breach(messages.play_breach(self, event, AFTER_END, found))
            return
        doubtful = False
        if event.value and found.ways == 0:
            event, found = self.without_wrong_rank(event, found)
            doubtful = found.ways > 1
        if self.gift_due >= 0:
            self.gift_missing(event.line)
        self.late_collect = NOBODY
        if self.mah_jong_seat >= 0:
            self.plays_since_mah_jong += 1
            if self.wish_owed:
                self.wish_missing(event.line)
        if self.tainted and self.play_in_tainted_trick(event, found):
            return
        if seat != self.turn:
            self.settle_turn(seat)
        situation = self.situation(seat)
        if found.length != len(event.cards):
            verdict = NOT_HELD
        elif not self.active >> seat & 1:
            verdict = NOT_ON_TURN
        else:
            if event.turn:
                situation = self.by_mark(event, found, situation)
            verdict = self.judge(event, found, situation)
        if verdict == LEGAL:
            if event.turn:
                self.look_at_mark(event, found)
            if self.wish and situation.in_turn and not meets_wish(mask, self.wish):
                self.look_at_bomb_over_wish(event, found, situation)
            self.put(event, found, situation, True)
            # With which of two readings the table was covered, nobody can say.
            self.tainted |= doubtful and self.n_plays > 0
            return
        if verdict == WISH_IGNORED and self.n_plays and found.kind in (FOUR_BOMB, STRAIGHT_BOMB):
            # A log that does not mark interrupts cannot tell a bomb in turn from one just before the turn.
            marked = self.marks_interrupts or event.turn == IN_TURN
            self.breach(messages.bomb_over_wish(self, event, "error" if marked else "warning"))
            if not marked:
                self.put(event, found, situation, True)
                return
        elif verdict == TRICK_CLOSED and situation.taking:
            if self.explicit_ends:
                self.breach(messages.play_breach(self, event, verdict, found))
            self.end_trick(self.last_line, None)
            self.gift_due = NOBODY
            if self.marks_collects or not self.explicit_ends:
                # Whose trick it is, is clear, so this is a lead like any other.
                situation = self.situation(seat)
                if self.judge(event, found, situation) == LEGAL:
                    self.put(event, found, situation, True)
                    self.late_collect = seat if self.marks_collects else NOBODY
                    return
            self.put_illegal(event, found, self.situation(seat), verdict)
            self.late_collect = seat
            return
        else:
            self.breach(messages.play_breach(self, event, verdict, found))
        self.put_illegal(event, found, situation, verdict)

    def put_illegal(self, event: Event, found: Readings, situation: Situation, verdict: int) -> None:
        """Takes an illegal play at the log's word: the cards leave the hand, the play stands, the turn goes on."""
        seat = event.seat
        if seat != self.turn:
            self.doubt_turn(seat)
        self.fuzzy |= 1 << seat
        self.owner_before = self.owner
        if verdict == NOT_HELD:
            self.unsure |= 1 << seat
            self.doubt_holder(event.mask & ~self.hands[seat])
            self.doubt_exchange(seat, event.mask & ~self.hands[seat] & ~self.played)
        elif verdict in (OTHER_COMBINATION, NOT_HIGHER):
            self.doubt_table()
        self.tainted = True
        again = event.mask & self.cards_played_later(seat)
        self.loose_cards |= 1 << seat
        if verdict == NOT_HELD or again or seat != self.turn:
            self.score_doubt = True
        self.put(event, found, situation, False)
        if verdict == NOT_HELD or again:
            # What really was played here may have met the wish.
            self.doubt_wish(seat)

    def play_in_tainted_trick(self, event: Event, found: Readings) -> bool:
        """A play in a trick in which something was wrong: taken at the log's word unless it begins a new trick.

        Returns:
            Whether the play has been dealt with; otherwise a new trick begins with it, which is judged in full.
        """
        seat = event.seat
        bit = 1 << seat
        if self.n_plays == 0:
            # After a pass out of turn on an empty table the trick stays in doubt: that line is missing in it.
            stays_in_doubt, self.stray_pass = self.stray_pass, False
            self.tainted = stays_in_doubt
            self.turn = seat
            if stays_in_doubt:
                self.put(event, found, self.situation(seat), True)
            return stays_in_doubt
        bomb = found.kind in (FOUR_BOMB, STRAIGHT_BOMB)
        # The owner's own pass takes the trick, also if the player who leads next has been passed over in it.
        collected = self.last_passer == self.owner and self.active & ~self.passed & ~self.kept_passes & ~bit == 0
        # Unless that player goes on with what beats the table: then only the owner's line stands too early.
        collected = collected and not self.unreadable and not fitting_readings(event.mask, found, self.situation(seat))
        passed = self.passed & bit and (not bomb or self.active & ~self.passed == 0)
        if self.lead_next or passed or collected:
            owner, last_passer, before = self.owner, self.last_passer, self.owner_before
            holds_on = self.active >> owner & 1 == 1
            if last_passer == seat and (holds_on or leader_after_trick(owner, self.active) != seat):
                self.score_doubt |= self.owner != seat
                self.owner = seat
            self.end_trick(self.last_line, self.last_pass_as_collection())
            self.gift_due = NOBODY
            # Where the owner took the trick and another seat leads, that is a fault of its own.
            gone = any(
                self.active >> other & 1 and self.fuzzy >> other & 1 and not self.acts_later(other)
                for other in range(4)
                if other != seat
            )
            # So it is not if the owner before an illegal play was out and the lead is rightly here.
            led_rightly = (
                before >= 0 and not self.active >> before & 1 and leader_after_trick(before, self.active) == seat
            )
            if gone or led_rightly or not (holds_on and last_passer == owner != seat):
                self.turn = seat
            return False
        missing = event.mask & ~self.hands[seat] & ~self.maybe[seat]
        broken = found.length != len(event.cards) or missing != 0
        if broken or found.ways == 0:
            # What does not depend on the table is still judged.
            verdict = NOT_HELD if broken else IS_NO_COMBINATION
            self.breach(messages.play_breach(self, event, verdict, found))
            self.fuzzy |= bit
            self.unsure |= bit
            self.score_doubt = True
            if broken:
                self.doubt_exchange(seat, missing & ~self.played)
            self.put(event, found, self.situation(seat), False)
            self.doubt_wish(seat)
            return True
        self.put(event, found, self.situation(seat), True)
        return True

    def do_unreadable(self, event: Event) -> None:
        """A line that could not be read: anything may have happened, so what follows is taken at the log's word."""
        self.lost = True
        if self.over:
            if self.gift_due >= 0 and event.seat < 0:
                # The line may have been the gift of the last trick.
                self.gift_due = NOBODY
                self.score_doubt = self.broken = True
            return
        self.score_doubt = True
        self.tainted = self.unreadable = True
        # What is lost may be the lead of a trick, or the taking of the one before.
        self.stray_pass = not self.n_plays
        seat = event.seat
        if seat < 0 and event.mask:
            seat = self.only_holder(event.mask)
        if seat < 0:
            if self.gift_due >= 0 and not self.gift_follows():
                self.gift_due = NOBODY  # the line may have been the gift
            self.fuzzy |= self.active
            self.passed = 0
            for other in range(4):
                self.doubt_wish(other)
            return
        self.fuzzy |= 1 << seat
        self.unsure |= 1 << seat
        self.doubt_wish(seat)
        cards = event.mask & DECK
        self.hands[seat] = self.hand_after(seat, self.hands[seat], cards, False)
        self.played |= cards
        self.trick_cards |= cards
        if event.cards:
            if self.n_plays == 0:
                self.lead_seat = seat
                self.first_line = event.line
            self.owner = seat
            self.passed = 0
            self.last_passer = NOBODY
            self.n_plays += 1
            self.top_mask = 0
            self.last_line = event.line
            self.turn = next_seat(seat, self.active)
            self.after_play(event, seat)
        if self.wish and meets_wish(cards, self.wish):
            self.wish = 0
