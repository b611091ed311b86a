"""Wishes, Dragon gifts and calls in the course of a round."""

from __future__ import annotations

from tichu_analytics.record import Event, EventKind
from tichu_analytics.replay import messages
from tichu_analytics.replay.base import OpenWish
from tichu_analytics.replay.doubt import Doubts
from tichu_analytics.replay.facts import CallFact
from tichu_analytics.replay.messages import Breach
from tichu_analytics.rules.calls import (
    FIRST_CARDS,
    HAND_CARDS,
    call_excludes,
    may_call_grand,
    may_call_tichu,
    may_receive_dragon,
)
from tichu_analytics.rules.cards import DRAGON_MASK, MAH_JONG_MASK
from tichu_analytics.rules.combinations import (
    FOUR_BOMB,
    STRAIGHT_BOMB,
    Readings,
)
from tichu_analytics.rules.options import NO, YES
from tichu_analytics.rules.play import (
    Situation,
)
from tichu_analytics.rules.scoring import GRAND_TICHU, NO_CALL, TICHU
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
)
from tichu_analytics.rules.wish import may_wish, wish_binds

_new = tuple.__new__


class Announcements(Doubts):
    """Judges and carries out what is said rather than played."""

    def gift_breach(self, event: Event) -> Breach | None:
        """What is wrong with a Dragon gift now."""
        receiver = event.seat
        if self.gift_due >= 0:
            owner = self.gift_due
            if may_receive_dragon(owner, receiver, self.active, self.options):
                return None
            return messages.wrong_receiver(self, event, owner)
        if self.n_plays and self.top_mask == DRAGON_MASK:
            return messages.gift_too_early(self, event)
        if self.n_plays == 0 and self.tricks and self.tricks[-1].dragon_to is not None:
            return messages.gift_repeated(self, event, self.tricks[-1].dragon_to)
        return messages.gift_not_due(self, event)

    def do_gift(self, event: Event) -> None:
        """Carries a Dragon gift out."""
        receiver = event.seat
        if self.n_plays and not self.tainted and self.turn == self.owner and self.may_be_out(self.owner):
            self.mark_out(self.owner)
        if self.over and self.gift_due < 0 and self.tricks and self.tricks[-1].taker_seat is None:
            return  # a double victory with the Dragon: a gift means nothing
        if self.unreadable and not self.n_plays and self.gift_due < 0:
            return
        if (
            self.tainted
            and self.n_plays
            and (self.trick_cards & DRAGON_MASK or self.unreadable or self.dragon_in_doubt())
        ):
            # Whether it comes in time cannot be told any more; the next play is a lead.
            self.early_gift = receiver
            self.lead_next = True
            self.score_doubt = True
            return
        if self.gift_due < 0 and self.late_gift == len(self.tricks) - (1 if self.over else 0):
            # It is missing where it should stand, and that has been said.
            self.late_gift = -1
            return
        breach = self.gift_breach(event)
        if breach is None:
            self.give(receiver, event.line)
            self.gift_due = NOBODY
            return
        self.breach(breach)
        self.note_odd_gift()
        if self.gift_due >= 0:
            self.give(receiver, event.line)
            self.gift_due = NOBODY
        elif self.n_plays and self.top_mask == DRAGON_MASK:
            if all_passed(self.owner, self.passed, self.active) and self.active >> self.owner & 1:
                # Only the taking is missing or comes after the gift.
                owner = self.owner
                self.end_trick(event.line, None)
                self.give(receiver, event.line)
                self.gift_due = NOBODY
                self.late_collect = owner
            else:
                self.early_gift = receiver

    def note_odd_gift(self) -> None:
        """Keeps in mind that the Dragon's trick, taken or still lying, may have gone to others than the log says."""
        index = len(self.tricks) - (0 if self.n_plays else 1)
        if index >= 0:
            self.odd_gifts.append((index, (0, 1, 2, 3)))

    def gift_missing(self, line: int) -> None:
        """A trick won with the Dragon is not given away; the log's word is that its owner keeps it."""
        owner, self.gift_due = self.gift_due, NOBODY
        self.late_gift = len(self.tricks)
        self.note_odd_gift()
        self.breach(messages.gift_missing(self, line, owner))

    def wish_breach(self, event: Event) -> Breach | None:
        """What is wrong with a wish now; a note where it comes after a pass."""
        if not may_wish(event.value):
            return messages.wish_no_rank(self, event)
        if self.wish_fact is not None:
            return messages.wish_repeated(self, event, self.wish_fact.line)
        if self.mah_jong_seat < 0:
            return messages.wish_without_mah_jong(self, event)
        if self.plays_since_mah_jong:
            return messages.wish_too_late(self, event)
        if self.passes_since_mah_jong:
            return messages.wish_after_pass(self, event)
        return None

    def do_wish(self, event: Event) -> None:
        """Carries a wish out; one that is not allowed binds nobody."""
        breach = self.wish_breach(event)
        if breach is not None and breach.name == "wish-without-mah-jong":
            holder = next((seat for seat in range(4) if self.never_seen(seat) & MAH_JONG_MASK), NOBODY)
            if holder >= 0 and self.fuzzy >> holder & 1:
                # The play that could not be right was the Mah Jong's.
                self.mah_jong_seat = holder
                breach = None
            elif self.unreadable:
                return
            elif holder >= 0:
                # The line with the Mah Jong may be missing or cut; what follows is taken at the log's word.
                self.tainted = True
                self.stray_pass = not self.n_plays
                self.fuzzy |= 1 << holder
        if breach is not None:
            self.breach(breach)
            if breach.severity != "note":
                self.score_doubt = True
                return
        self.wish = event.value
        self.wish_owed = False
        self.wish_first_trick = self.n_plays > 0
        self.wish_fact = OpenWish(self.mah_jong_seat, event.value, event.line)
        self.pass_situation = None

    def wish_missing(self, line: int) -> None:
        """The Mah Jong was played without a wish under a rule set that asks for one."""
        self.wish_owed = False
        if self.wish_fact is None:
            self.breach(messages.wish_missing(self, line))

    def call_breach(
        self, seat: int, call: int, line: int, in_course: bool = True, exchanged: bool = True, seen: int = 0
    ) -> Breach | None:
        """What is wrong with a call now.

        Args:
            seat: the caller.
            call: ``TICHU`` or ``GRAND_TICHU``.
            line: its line.
            in_course: the call stands in the course of the round, not before it.
            exchanged: the exchange has taken place.
            seen: how many cards the caller had taken up; 0 if the record does not say it.
        """
        if self.over and in_course:
            return messages.call_after_end(self, seat, call, line)
        already = self.calls[seat]
        made = NO_CALL if already is None else GRAND_TICHU if already.grand else TICHU
        if self.last_call == (seat, call, line - 1):
            return messages.call_doubled(self.names, seat, call, line)
        if call_excludes(made, call):
            return messages.both_calls(self, seat, call, line)
        if made == call:
            return messages.call_repeated(self, seat, call, line)
        if call == GRAND_TICHU:
            seen = seen or (HAND_CARDS if exchanged else FIRST_CARDS)
            return None if may_call_grand(seen, made) else messages.grand_too_late(self, seat, line, exchanged)
        cards_played = 1 if self.last_play[seat] >= 0 else 0
        if may_call_tichu(seen or HAND_CARDS, exchanged, cards_played, made, self.options):
            return None
        if not cards_played:
            return messages.tichu_too_early(self, seat, line, seen == FIRST_CARDS)
        next_line = line == self.first_play_line[seat] + 1
        counts = self.options.late_tichu == YES
        return messages.tichu_too_late(self, seat, line, "warning" if counts and next_line else "error")

    def do_call(self, event: Event) -> None:
        """Carries out a call in the course of the round."""
        call = GRAND_TICHU if event.kind == EventKind.GRAND else TICHU
        self.call(event.seat, call, event.line)

    def call(
        self, seat: int, call: int, line: int, in_course: bool = True, exchanged: bool = True, seen: int = 0
    ) -> None:
        """Carries out a call; for the arguments see :meth:`call_breach`."""
        breach = self.call_breach(seat, call, line, in_course, exchanged, seen)
        if breach is None or breach.name != "tichu-too-early":
            # A call that came too early may be made again in time.
            self.last_call = (seat, call, line)
        if breach is not None:
            self.breach(breach)
            late = breach.name in ("tichu-too-late", "tichu-just-late") and not self.over
            if late and self.options.late_tichu == YES:
                self.counted_late.append((seat, call))
            if not late or self.options.late_tichu == NO:
                if breach.name in (
                    "tichu-too-late",
                    "both-calls",
                    "call-repeated",
                    "grand-too-late",
                    "tichu-too-early",
                ):
                    self.uncounted.append((seat, call))
                return
        first8 = seen == FIRST_CARDS or (call == GRAND_TICHU and not seen)
        when = "after_exchange" if exchanged else "first8" if first8 else "before_exchange"
        number = len(self.tricks) + (1 if self.n_plays else 0)
        self.calls[seat] = CallFact(seat, call == GRAND_TICHU, when, line, number, None)  # type: ignore[arg-type]

    def look_at_bomb_over_wish(self, event: Event, found: Readings, situation: Situation) -> None:
        """Under rule sets that let a bomb through in turn: notes that it leaves an owed wish open."""
        if not self.n_plays or situation.taking or found.kind not in (FOUR_BOMB, STRAIGHT_BOMB):
            return
        hand = self.hands[event.seat]
        tables = [(self.table_kind, self.table_rank2)]
        if self.low_kind:
            tables.append((self.low_kind, self.low_rank2))
        if all(
            wish_binds(hand, self.wish, kind, self.table_length, rank2, self.wish_first_trick, self.options)
            for kind, rank2 in tables
        ):
            self.breach(messages.bomb_over_wish(self, event, "note"))
