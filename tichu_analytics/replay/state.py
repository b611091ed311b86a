"""The state of a round that one can step through: ask why an event is not allowed, whether it is, and carry it out.

All rules are decided by :mod:`tichu_analytics.rules`; this module only holds what has happened. After an illegal act the
log's word is taken as far as it goes and the round goes on: the rest of the trick is not judged against what should
lie on the table or whose turn it should be, hands are reconciled with what the log has later, and the next trick is
judged in full again. So one cause gives one finding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tichu_analytics.record import Event, EventKind
from tichu_analytics.replay import messages
from tichu_analytics.replay.deal import Hands
from tichu_analytics.replay.facts import CallFact, Move, PhoenixReading, Trick
from tichu_analytics.replay.messages import Breach
from tichu_analytics.rules.calls import (
    FIRST_CARDS,
    HAND_CARDS,
    call_excludes,
    gift_is_due,
    may_call_grand,
    may_call_tichu,
    may_receive_dragon,
)
from tichu_analytics.rules.cards import DECK, DRAGON_MASK, MAH_JONG_MASK, PHOENIX_MASK, RANK_MASK, points
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    FOUR_BOMB,
    NO_COMBINATION,
    STRAIGHT_BOMB,
    Readings,
    readings,
    single_phoenix_rank2,
)
from tichu_analytics.rules.options import BSW_LAZY, BSW_POSITION, LOWEST_BEATING, NO, YES, Options
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
    judge_play,
    reading_fits,
)
from tichu_analytics.rules.scoring import GRAND_TICHU, NO_CALL, TICHU
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
    is_double_victory,
    leader_after_dog,
    leader_after_trick,
    next_seat,
    round_over,
)
from tichu_analytics.rules.wish import may_wish, meets_wish, wish_binds

_new = tuple.__new__
_NOTHING: Final[tuple[int, ...]] = ()

# Readings of card sets are asked for again and again; the tables are emptied when full so that memory stays flat.
_READINGS_SIZE: Final = 20_000
_readings: dict[tuple[int, int], dict[int, Readings]] = {}


# What a lost line can make of the next one.
_LOST_LINE: Final = frozenset(
    ("out-of-turn", "wrong-leader", "player-is-out", "pass-on-lead", "trick-not-taken", "bomb-on-empty-table")
)


class OpenWish(NamedTuple):
    """The wish of a round as it stands: who made it, rank, line, and who met it where."""

    seat: int
    rank: int
    line: int
    fulfilled_seat: int | None = None
    fulfilled_line: int | None = None


class RoundState:
    """A round at some moment of its course.

    ``why_not`` tells what rule an event would break, ``may`` whether it is allowed, ``do`` carries it out, legal or not,
    and adds what was wrong to ``breaches``.

    Args:
        options: the rule set's choices.
        hands: the hands after the exchange and what is in doubt about them.
        names: the players' names by seat, for messages.
        events: the whole course, so that after a fault the state can tell from what comes later who still holds what.
            Without it nothing is known of later events.
        explicit_ends: the record has an event for the taking of a trick; otherwise the last pass ends it.
        marks_interrupts: the record tells whether a bomb interrupted or was played in turn.
        gaps: blank lines, which may stand for a line that is lost.
    """

    def __init__(
        self,
        options: Options,
        hands: Hands,
        names: tuple[str, str, str, str] = ("", "", "", ""),
        events: Sequence[Event] = (),
        *,
        explicit_ends: bool = True,
        marks_interrupts: bool = False,
        gaps: Sequence[int] = (),
    ) -> None:
        self.options = options
        self.names = names
        self.events = events
        self.index = -1
        self.explicit_ends = explicit_ends
        self.marks_interrupts = marks_interrupts
        self.set_up = hands
        self.gaps = gaps
        self.last_event_line = 0
        self.broken = False
        self.end_in_doubt = False
        self.start_hands = hands.held
        self.hands = list(hands.held)
        self.maybe = list(hands.maybe)
        self.fuzzy = hands.fuzzy
        self.active = sum(1 << seat for seat in range(4) if hands.held[seat] or hands.maybe[seat])
        self.turn = hands.leader
        self.finish: list[int] = []
        self.last_play = [-1, -1, -1, -1]
        self.over = False
        self.breaches: list[Breach] = []
        # Any illegal act may have moved points; then a score that differs is no second finding.
        self.score_doubt = hands.fuzzy != 0
        self.played = 0
        self.first_play_line = [0, 0, 0, 0]
        key = (options.fullhouse_same_rank, options.straight_flush_as_straight)
        self.known_readings = _readings.setdefault(key, {})
        # Calls
        self.calls: list[CallFact | None] = [None, None, None, None]
        self.uncounted: list[tuple[int, int]] = []
        self.counted_late: list[tuple[int, int]] = []
        self.last_call: tuple[int, int, int] = (-1, -1, -1)
        # Wish
        self.wish = 0
        self.wish_fact: OpenWish | None = None
        self.wish_first_trick = False
        self.mah_jong_seat = NOBODY
        self.plays_since_mah_jong = 0
        self.passes_since_mah_jong = 0
        self.wish_owed = False
        # Trick
        self.tricks: list[Trick] = []
        self.taken = [0, 0, 0, 0]
        self.gift_due = NOBODY
        self.early_gift = NOBODY
        self.late_collect = NOBODY
        self.late_gift = False
        self.after_dog = False
        self.after_end = 0
        self.tainted = False
        self.unreadable = False
        self._clear_trick()

    def _clear_trick(self) -> None:
        self.owner = NOBODY
        self.lead_seat = NOBODY
        self.lead_kind = NO_COMBINATION
        self.lead_length = 0
        self.table_kind = NO_COMBINATION
        self.table_length = 0
        self.table_rank2 = 0
        self.low_kind = NO_COMBINATION
        self.low_rank2 = 0
        self.open_move = -1
        self.passed = 0
        self.ever_passed = 0
        self.last_passer = NOBODY
        self.moves: list[Move] = []
        self.trick_cards = 0
        self.top_mask = 0
        self.n_plays = 0
        self.n_passes = 0
        self.n_bombs = 0
        self.first_line = 0
        self.last_line = 0
        self.lead_next = False
        self.stray_pass = False
        self.pass_situation: Situation | None = None

    # Asking ---------------------------------------------------------------------------------------------------------

    def why_not(self, event: Event) -> Breach | None:
        """The first rule that an event would break now, or None if it is allowed. Changes nothing."""
        kind = event.kind
        if kind == EventKind.PLAY:
            found = self.read(event.mask, event.value)
            verdict = self.judge(event, found, self.situation(event.seat))
            if found.length != len(event.cards) and verdict != NOT_HELD:
                return messages.play_breach(self, event, NOT_HELD, found)
            return None if verdict == LEGAL else messages.play_breach(self, event, verdict, found)
        if kind == EventKind.PASS:
            if self.may_collect(event.seat):
                return None
            verdict = judge_pass(self.hands[event.seat], self.situation(event.seat), self.options)
            return None if verdict == LEGAL else messages.pass_breach(self, event, verdict)
        if kind == EventKind.WISH:
            return self.wish_breach(event)
        if kind == EventKind.GIFT:
            return self.gift_breach(event)
        if kind in (EventKind.TICHU, EventKind.GRAND):
            return self.call_breach(event.seat, GRAND_TICHU if kind == EventKind.GRAND else TICHU, event.line)
        return None

    def may(self, event: Event) -> bool:
        """Whether an event breaks no rule now."""
        breach = self.why_not(event)
        return breach is None or breach.severity == "note"

    def may_collect(self, seat: int) -> bool:
        """Whether a pass line of this seat would be the taking of its trick."""
        return (
            self.explicit_ends
            and self.n_plays > 0
            and seat == self.owner
            and self.active >> seat & 1 == 1
            and all_passed(seat, self.passed, self.active)
        )

    def read(self, mask: int, declared: int = 0) -> Readings:
        """The readings of played cards; with a declared rank of the Phoenix only that one."""
        found = self.known_readings.get(mask)
        if found is None:
            found = readings(mask, self.options)
            if len(self.known_readings) >= _READINGS_SIZE:
                self.known_readings.clear()
            self.known_readings[mask] = found
        if declared and mask & PHOENIX_MASK and mask != PHOENIX_MASK:
            if found.ways > 0 and found.phoenix == declared:
                return found._replace(ways=1, kind_low=0, rank2_low=0, phoenix_low=0)
            if found.ways > 1 and found.phoenix_low == declared:
                return Readings(1, found.kind_low, found.length, found.rank2_low, declared, 0, 0, 0)
            return Readings(0, NO_COMBINATION, found.length, 0, 0, 0, 0, 0)
        return found

    def situation(self, seat: int) -> Situation:
        """What a verdict on this seat's play depends on."""
        in_turn = seat == self.turn
        others = self.owner != NOBODY and all_passed(self.owner, self.passed, self.active)
        return _new(
            Situation,
            (
                self.table_kind,
                self.table_length,
                self.table_rank2,
                self.low_kind,
                self.low_rank2,
                YES if in_turn else NO,
                YES if in_turn and seat == self.owner and self.n_plays else NO,
                YES if others else NO,
                YES if self.after_dog else NO,
                NO if self.played else YES,
                self.ever_passed >> seat & 1,
                YES if self.over else NO,
                self.wish,
                YES if self.wish_first_trick else NO,
            ),
        )

    def judge(self, event: Event, found: Readings, situation: Situation) -> int:
        """The rulebook's verdict on a play, for the hand as far as it is known."""
        seat, mask = event.seat, event.mask
        hand = self.hands[seat]
        missing = mask & ~hand
        if missing and missing & ~self.maybe[seat] == 0:
            hand |= missing
        verdict = judge_play(hand, mask, found, situation, self.options)
        if verdict == WISH_IGNORED and self.fuzzy >> seat & 1:
            # Of a hand in doubt only what the log has later is certain.
            certain = hand & (self.cards_played_later(seat) | mask)
            verdict = judge_play(certain, mask, found, situation, self.options)
        return verdict

    # What the log has later -----------------------------------------------------------------------------------------

    def later_events(self) -> Sequence[Event]:
        """The events after the one that is being carried out."""
        return self.events[self.index + 1 :]

    def cards_played_later(self, seat: int) -> int:
        """All cards that the log has this seat play later on."""
        cards = 0
        for event in self.later_events():
            if event.seat == seat and event.kind in (EventKind.PLAY, EventKind.UNREADABLE):
                cards |= event.mask
        return cards & DECK

    def acts_later(self, seat: int) -> bool:
        """Whether the log has this seat play or pass later on."""
        return any(
            event.seat == seat and event.kind in (EventKind.PLAY, EventKind.PASS) for event in self.later_events()
        )

    # Doing ----------------------------------------------------------------------------------------------------------

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
        else:
            self.do_call(event)

    def look_for_gap(self, event: Event) -> None:
        """A blank line where the next act does not fit: a line is lost there, and its loss has been reported.

        Blanks too many inside a line may stand for a lost card; then the hand is in doubt.
        """
        before, self.last_event_line = self.last_event_line, event.line
        if event.kind not in (EventKind.PASS, EventKind.PLAY) or self.over or self.tainted:
            return
        lost = any(before < line < event.line for line in self.gaps)
        if lost and self.gift_due >= 0:
            self.gift_due = NOBODY
            self.broken = self.score_doubt = True
        if event.line in self.gaps:
            self.fuzzy |= 1 << event.seat
            self.score_doubt = True
        elif lost:
            breach = self.why_not(event)
            if breach is not None and breach.name in _LOST_LINE:
                self.tainted = self.score_doubt = self.broken = True
                self.stray_pass = event.kind == EventKind.PASS
                self.passed = 0 if breach.name != "trick-not-taken" else 15
                self.doubt_turn(event.seat)

    def breach(self, breach: Breach) -> None:
        """Takes note of a breach."""
        self.breaches.append(breach)
        if breach.severity == "error":
            self.score_doubt = True

    # Passes ---------------------------------------------------------------------------------------------------------

    def do_pass(self, event: Event) -> None:
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
            if late == seat:
                return
        if self.mah_jong_seat >= 0:
            self.passes_since_mah_jong += 1
            if self.wish_owed:
                self.wish_missing(event.line)
        if self.tainted:
            self.note_pass(event)
            return
        if seat != self.turn:
            self.settle_turn(seat)
        if seat == self.turn:
            if seat == self.owner and self.n_plays:
                # All others have passed: the owner takes the trick.
                self.end_trick(event.line, event.line)
                return
            situation = self.pass_situation
            if situation is None:
                situation = self.pass_situation = self.situation(seat)
            verdict = judge_pass(self.hands[seat], situation, self.options)
            if verdict == WISH_IGNORED and self.fuzzy >> seat & 1:
                certain = self.hands[seat] & self.cards_played_later(seat)
                verdict = judge_pass(certain, situation, self.options)
            if verdict == LEGAL:
                self.note_pass(event)
                return
        else:
            verdict = NOT_ON_TURN
        self.breach(messages.pass_breach(self, event, verdict))
        self.passes_since_mah_jong = 0
        self.doubt_turn(seat)
        if self.n_plays == 0:
            # Whoever leads next is taken at the log's word.
            self.tainted = True
            self.stray_pass = seat != self.turn
            return
        self.tainted = True
        self.note_pass(event)

    def note_pass(self, event: Event) -> None:
        """Puts a pass on record and hands the turn on; the last pass may end the trick."""
        seat = event.seat
        hand = self.hands[seat]
        if self.n_plays == 0:
            return
        bit = 1 << seat
        self.moves.append(
            _new(
                Move,
                (
                    len(self.tricks) + 1,
                    event.line,
                    seat,
                    _NOTHING,
                    0,
                    0,
                    0,
                    0,
                    0,
                    "",
                    False,
                    False,
                    self.wish,
                    hand,
                    hand,
                ),
            )
        )
        self.n_passes += 1
        self.passed |= bit
        self.ever_passed |= bit
        self.last_passer = seat
        self.last_line = event.line
        self.turn = turn = next_seat(seat, self.active)
        if self.tainted:
            return
        owner = self.owner
        if turn == owner:
            if not self.explicit_ends:
                self.end_trick(event.line, None)
        elif self.active >> owner & 1 == 0 and all_passed(owner, self.passed, self.active):
            self.end_trick(event.line, None)

    # Turns in doubt -------------------------------------------------------------------------------------------------

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

    def finish_with(self, seat: int) -> tuple[int, int, int]:
        """The order of going out if this seat were out too, by the last plays."""
        order = sorted((*self.finish, seat), key=lambda out: self.last_play[out])
        padded = [*order, NOBODY, NOBODY, NOBODY]
        return padded[0], padded[1], padded[2]

    def doubt_turn(self, seat: int) -> None:
        """After somebody acted out of turn: the seats passed over may have lines that are missing."""
        due = self.turn
        self.fuzzy |= 1 << seat
        step = due
        for _ in range(4):
            if step == seat or step == NOBODY:
                break
            self.fuzzy |= 1 << step
            self.doubt_wish(step)
            step = next_seat(step, self.active)
        if due >= 0 and due != seat and next_seat(due, self.active) == seat and self.never_seen(due):
            # A play of the seat passed over may be missing; passes count anew from there.
            self.passed = 0

    def never_seen(self, seat: int) -> int:
        """Cards that a seat should hold and that the log never has it play."""
        return self.hands[seat] & ~self.cards_played_later(seat)

    def doubt_wish(self, seat: int) -> None:
        """A card of the wished rank that is never seen may have met the wish on a line in doubt; nobody is held to it."""
        if self.wish and self.never_seen(seat) & RANK_MASK[self.wish]:
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
                if giver == seat and missing & bit:
                    instead = set_up.dealt[giver]
                elif receiver == seat and missing & set_up.dealt[giver]:
                    instead = missing & set_up.dealt[giver]
                    self.maybe[giver] |= bit
                    self.hands[giver] &= ~(instead & ~self.cards_played_later(giver))
                else:
                    continue
                self.maybe[receiver] |= instead
                self.hands[receiver] &= ~(bit & ~self.cards_played_later(receiver))
                self.fuzzy |= 1 << giver | 1 << receiver

    # Plays ----------------------------------------------------------------------------------------------------------

    def do_play(self, event: Event) -> None:
        seat = event.seat
        mask = event.mask
        found = self.read(mask, event.value)
        if self.over:
            if not self.after_end & 2:
                self.after_end |= 2
                self.breach(messages.play_breach(self, event, AFTER_END, found))
            return
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
            verdict = self.judge(event, found, situation)
        if verdict == LEGAL:
            if self.wish and situation.in_turn and not meets_wish(mask, self.wish):
                self.look_at_bomb_over_wish(event, found, situation)
            self.put(event, found, situation, True)
            return
        if verdict == WISH_IGNORED and self.n_plays and found.kind in (FOUR_BOMB, STRAIGHT_BOMB):
            # A log that does not mark interrupts cannot tell a bomb in turn from one just before the turn.
            self.breach(messages.bomb_over_wish(self, event, "error" if self.marks_interrupts else "warning"))
            if not self.marks_interrupts:
                self.put(event, found, situation, True)
                return
        elif verdict == TRICK_CLOSED and situation.taking:
            self.breach(messages.play_breach(self, event, verdict, found))
            self.end_trick(self.last_line, None)
            self.gift_due = NOBODY
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
        if verdict == NOT_HELD:
            self.doubt_exchange(seat, event.mask & ~self.hands[seat] & ~self.played)
        elif verdict in (OTHER_COMBINATION, NOT_HIGHER):
            self.doubt_table()
        self.tainted = True
        self.put(event, found, situation, False)
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
        if self.lead_next or (self.passed & bit and (not bomb or self.active & ~self.passed == 0)):
            owner, last_passer = self.owner, self.last_passer
            holds_on = self.active >> owner & 1 == 1
            if last_passer == seat and (holds_on or leader_after_trick(owner, self.active) != seat):
                self.owner = seat
            self.end_trick(self.last_line, None)
            self.gift_due = NOBODY
            # Where the owner took the trick and another seat leads, that is a fault of its own.
            gone = any(
                self.active >> other & 1 and self.fuzzy >> other & 1 and not self.acts_later(other)
                for other in range(4)
                if other != seat
            )
            if gone or not (holds_on and last_passer == owner != seat):
                self.turn = seat
            return False
        missing = event.mask & ~self.hands[seat] & ~self.maybe[seat]
        broken = found.length != len(event.cards) or missing != 0
        if broken or found.ways == 0:
            # What does not depend on the table is still judged.
            verdict = NOT_HELD if broken else IS_NO_COMBINATION
            self.breach(messages.play_breach(self, event, verdict, found))
            self.fuzzy |= bit
            if broken:
                self.doubt_exchange(seat, missing & ~self.played)
            self.put(event, found, self.situation(seat), False)
            self.doubt_wish(seat)
            return True
        self.put(event, found, self.situation(seat), True)
        return True

    def put(self, event: Event, found: Readings, situation: Situation, legal: bool) -> None:
        """Puts a play on the table, whatever was said about it."""
        seat, mask = event.seat, event.mask
        bit = 1 << seat
        hand = self.hands[seat]
        kind = found.kind
        # A Dog that the player did not hold was some other card.
        dog = kind == DOG_PLAY and (legal or mask & hand != 0)
        if dog and self.n_plays:
            # A Dog on a trick covers nothing; the trick goes on without it.
            self.hands[seat] = self.hand_after(seat, hand, mask, legal)
            self.played |= mask
            self.turn = next_seat(seat, self.active)
            self.after_play(event, seat)
            return
        rank2, phoenix = found.rank2, found.phoenix
        reading: PhoenixReading = ""
        low_kind = low_rank2 = 0
        if mask & PHOENIX_MASK:
            if mask == PHOENIX_MASK:
                rank2 = single_phoenix_rank2(self.table_kind, self.table_rank2)
            elif found.ways > 1:
                kind, rank2, phoenix, reading, low_kind, low_rank2 = self.choose_reading(event, found, situation)
            elif found.ways:
                reading = "declared" if event.value else "only"
        elif found.ways > 1:
            kind, rank2, phoenix, reading, low_kind, low_rank2 = self.choose_reading(event, found, situation)
        if self.low_kind and legal:
            self.narrow_table(found, mask)
        if self.n_plays == 0:
            self.lead_seat = seat
            self.lead_kind = kind
            self.lead_length = found.length
            self.first_line = event.line
        wish_before = self.wish
        if self.wish and meets_wish(mask, self.wish):
            fact = self.wish_fact
            if fact is not None:
                self.wish_fact = fact._replace(fulfilled_seat=seat, fulfilled_line=event.line)
            self.wish = 0
        bomb = kind == FOUR_BOMB or kind == STRAIGHT_BOMB
        after = self.hands[seat] = hand & ~mask if legal else self.hand_after(seat, hand, mask, legal)
        if legal and self.fuzzy:
            self.take_from_doubt(seat, mask, mask & ~hand)
        self.moves.append(
            _new(
                Move,
                (
                    len(self.tricks) + 1,
                    event.line,
                    seat,
                    event.cards,
                    mask,
                    kind,
                    found.length,
                    rank2,
                    phoenix,
                    reading,
                    bomb,
                    seat != self.turn,
                    wish_before,
                    hand,
                    after,
                ),
            )
        )
        if low_kind:
            self.open_move = len(self.moves) - 1
        self.n_plays += 1
        if bomb:
            self.n_bombs += 1
        self.trick_cards |= mask
        self.played |= mask
        self.top_mask = mask
        self.last_line = event.line
        self.owner = seat
        self.passed = 0
        self.last_passer = NOBODY
        self.table_kind = kind
        self.table_length = found.length
        self.table_rank2 = rank2
        self.low_kind = low_kind
        self.low_rank2 = low_rank2
        self.pass_situation = None
        self.after_dog = False
        self.turn = next_seat(seat, self.active & ~bit) if self.active & ~bit else seat
        if mask & MAH_JONG_MASK and self.wish_fact is None:
            self.mah_jong_seat = seat
            self.plays_since_mah_jong = self.passes_since_mah_jong = 0
            self.wish_owed = self.options.wish_optional == NO
        self.after_play(event, seat)
        if self.over:
            return
        if dog:
            active = self.active
            self.end_trick(event.line, None)
            self.turn = leader_after_dog(seat, active)
            self.after_dog = True
            self.pass_situation = None
        elif self.active >> seat & 1 == 0 and not self.tainted and all_passed(seat, 0, self.active):
            self.end_trick(event.line, None)

    def after_play(self, event: Event, seat: int) -> None:
        """Sees whether the player has gone out, and whether that ends the round."""
        self.last_play[seat] = self.index
        if not self.first_play_line[seat]:
            self.first_play_line[seat] = event.line
        hand = self.hands[seat]
        if self.fuzzy >> seat & 1:
            if self.acts_later(seat) or (hand and self.cards_left(seat) > 0):
                return
        elif hand:
            return
        if not self.active >> seat & 1:
            return
        self.hands[seat] = 0
        self.active &= ~(1 << seat)
        finish = self.finish_with(seat)
        self.finish = [other for other in finish if other >= 0]
        if round_over(*finish):
            self.over = True
            self.end_in_doubt = self.tainted
            if self.n_plays:
                self.end_trick(event.line, None)

    def cards_left(self, seat: int) -> int:
        """How many cards the seat has left by its lines, for hands in doubt.

        A card of its own that stands in several lines counts once, one that it never had counts each time.
        """
        own = foreign = 0
        for event in self.events[: self.index + 1]:
            if event.seat == seat and event.kind in (EventKind.PLAY, EventKind.UNREADABLE):
                own |= event.mask & self.start_hands[seat]
                foreign += (event.mask & ~self.start_hands[seat]).bit_count()
        return HAND_CARDS - own.bit_count() - foreign

    def hand_after(self, seat: int, hand: int, mask: int, legal: bool) -> int:
        """The hand after a play; after an illegal one, cards that the log has the seat play later are still there."""
        if legal:
            return hand & ~mask
        return hand & ~(mask & ~self.cards_played_later(seat))

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

    def choose_reading(
        self, event: Event, found: Readings, situation: Situation
    ) -> tuple[int, int, int, PhoenixReading, int, int]:
        """Settles which of two readings holds: kind, rank2, phoenix, how, and the second one where it stays open."""
        fits = fitting_readings(event.mask, found, situation)
        high = (found.kind, found.rank2, found.phoenix)
        low = (found.kind_low, found.rank2_low, found.phoenix_low)
        if not event.mask & PHOENIX_MASK:
            return (*high, "", found.kind_low, found.rank2_low) if fits == 3 else (*high, "", 0, 0)
        if fits == 1:
            return (*high, "only", 0, 0)
        if fits == 2:
            return (*low, "only", 0, 0)
        option = self.options.phoenix_ambiguity
        if option == LOWEST_BEATING:
            return (*low, "lowest", 0, 0)
        if option in (BSW_LAZY, BSW_POSITION) and fits == 3:
            if option == BSW_POSITION and event.cards and event.mask & PHOENIX_MASK != 1 << event.cards[0]:
                # Printed in the middle or last: the lower reading. Both stay open until a later play decides.
                return (*low, "position", found.kind, found.rank2)
            return (*high, "highest" if option == BSW_LAZY else "position", found.kind_low, found.rank2_low)
        return (*high, "highest", 0, 0)

    def narrow_table(self, found: Readings, mask: int) -> None:
        """A play on a table with two open readings: if it beats only one of them, that one holds."""
        fits = [
            any(
                reading_fits(kind, found.length, rank2, mask, table_kind, self.table_length, table_rank2)
                for kind, rank2 in ((found.kind, found.rank2), (found.kind_low, found.rank2_low))
            )
            for table_kind, table_rank2 in (
                (self.table_kind, self.table_rank2),
                (self.low_kind, self.low_rank2),
            )
        ]
        if fits[0] == fits[1] or self.open_move < 0:
            return
        move = self.moves[self.open_move]
        if not move.phoenix:
            return
        if fits[0]:
            self.moves[self.open_move] = move._replace(phoenix_reading="later")
            return
        both = self.read(move.mask)
        phoenix = both.phoenix_low if both.rank2_low == self.low_rank2 else both.phoenix
        self.moves[self.open_move] = move._replace(rank2=self.low_rank2, phoenix=phoenix, phoenix_reading="later")

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

    # Ends of tricks -------------------------------------------------------------------------------------------------

    def end_trick(self, line: int, collect_line: int | None) -> None:
        """Ends the trick on the table: its owner takes it, or has to give it away."""
        owner = self.owner
        kind = self.table_kind
        dog = self.lead_kind == DOG_PLAY
        double = self.over and len(self.finish) > 1 and is_double_victory(self.finish[0], self.finish[1])
        due = gift_is_due(self.top_mask == DRAGON_MASK, double)
        worth = points(self.trick_cards)
        taker: int | None = owner
        if dog or (self.top_mask == DRAGON_MASK and double):
            taker = None
        if collect_line is not None:
            self.last_line = collect_line
        self.tricks.append(
            _new(
                Trick,
                (
                    len(self.tricks) + 1,
                    self.lead_seat,
                    None if dog else owner,
                    taker,
                    self.lead_kind,
                    self.lead_length,
                    kind,
                    self.n_plays,
                    self.n_passes,
                    self.n_bombs,
                    worth,
                    self.trick_cards,
                    None,
                    self.first_line,
                    self.last_line,
                    collect_line,
                    tuple(self.moves),
                    True,
                ),
            )
        )
        if taker is not None:
            self.taken[taker] += worth
        early = self.early_gift
        self.late_gift = False
        self._clear_trick()
        self.tainted = self.unreadable = self.wish_first_trick = False
        self.early_gift = NOBODY
        if not dog:
            self.turn = leader_after_trick(owner, self.active) if self.active else NOBODY
            self.after_dog = False
        if early >= 0 and (due or self.tricks[-1].cards & DRAGON_MASK):
            self.give(early, line)
        elif due:
            self.gift_due = owner

    def give(self, receiver: int, line: int) -> None:
        """Moves the last trick to the receiver of a Dragon gift."""
        trick = self.tricks[-1]
        if trick.taker_seat is not None:
            self.taken[trick.taker_seat] -= trick.points
        self.taken[receiver] += trick.points
        self.tricks[-1] = trick._replace(taker_seat=receiver, dragon_to=receiver, last_line=max(line, trick.last_line))

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
            return
        if self.late_gift and self.gift_due < 0:
            # It is missing where it should stand, and that has been said.
            self.late_gift = False
            return
        breach = self.gift_breach(event)
        if breach is None:
            self.give(receiver, event.line)
            self.gift_due = NOBODY
            return
        self.breach(breach)
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

    def dragon_in_doubt(self) -> bool:
        """Whether the Dragon may be what really was played in this trick: held by a seat in doubt, never seen later."""
        for seat in range(4):
            if self.fuzzy >> seat & 1 and self.hands[seat] & DRAGON_MASK:
                return not self.cards_played_later(seat) & DRAGON_MASK
        return False

    def gift_follows(self) -> bool:
        """Whether a gift is the next thing that happens, calls and passes aside."""
        for event in self.later_events():
            if event.kind == EventKind.GIFT:
                return True
            if event.kind not in (EventKind.TICHU, EventKind.GRAND, EventKind.PASS):
                return False
        return False

    def gift_missing(self, line: int) -> None:
        """A trick won with the Dragon is not given away; the log's word is that its owner keeps it."""
        owner, self.gift_due = self.gift_due, NOBODY
        self.late_gift = True
        self.breach(messages.gift_missing(self, line, owner))

    # Wish -----------------------------------------------------------------------------------------------------------

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
            self.breaches.append(breach)
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

    # Calls ----------------------------------------------------------------------------------------------------------

    def call_breach(
        self, seat: int, call: int, line: int, in_course: bool = True, exchanged: bool = True
    ) -> Breach | None:
        """What is wrong with a call now.

        Args:
            seat: the caller.
            call: ``TICHU`` or ``GRAND_TICHU``.
            line: its line.
            in_course: the call stands in the course of the round, not before it.
            exchanged: the exchange has taken place.
        """
        already = self.calls[seat]
        made = NO_CALL if already is None else GRAND_TICHU if already.grand else TICHU
        if self.last_call == (seat, call, line - 1):
            return messages.call_doubled(self, seat, call, line)
        if call_excludes(made, call):
            return messages.both_calls(self, seat, call, line)
        if made == call:
            return messages.call_repeated(self, seat, call, line)
        if call == GRAND_TICHU:
            seen = HAND_CARDS if exchanged else FIRST_CARDS
            return None if may_call_grand(seen, made) else messages.grand_too_late(self, seat, line)
        cards_played = 1 if self.last_play[seat] >= 0 else 0
        if may_call_tichu(HAND_CARDS, exchanged, cards_played, made, self.options):
            return None
        if not cards_played:
            return messages.tichu_too_early(self, seat, line)
        next_line = line == self.first_play_line[seat] + 1
        counts = self.options.late_tichu == YES
        return messages.tichu_too_late(self, seat, line, "warning" if counts and next_line else "error")

    def do_call(self, event: Event) -> None:
        call = GRAND_TICHU if event.kind == EventKind.GRAND else TICHU
        self.call(event.seat, call, event.line)

    def call(self, seat: int, call: int, line: int, in_course: bool = True, exchanged: bool = True) -> None:
        """Carries out a call."""
        breach = self.call_breach(seat, call, line, in_course, exchanged)
        self.last_call = (seat, call, line)
        if breach is not None:
            self.breaches.append(breach)
            late = breach.name in ("tichu-too-late", "tichu-just-late")
            if late and self.options.late_tichu == YES:
                self.counted_late.append((seat, call))
            if not late or self.options.late_tichu == NO:
                if breach.name in ("tichu-too-late", "both-calls", "grand-too-late", "tichu-too-early"):
                    self.uncounted.append((seat, call))
                return
        when = "after_exchange" if exchanged else "first8" if call == GRAND_TICHU else "before_exchange"
        number = len(self.tricks) + (1 if self.n_plays else 0)
        self.calls[seat] = CallFact(seat, call == GRAND_TICHU, when, line, number, None)  # type: ignore[arg-type]

    # Unreadable lines -----------------------------------------------------------------------------------------------

    def do_unreadable(self, event: Event) -> None:
        """A line that could not be read: anything may have happened, so what follows is taken at the log's word."""
        if self.over:
            return
        self.score_doubt = True
        self.tainted = self.unreadable = True
        # What is lost may be the lead of a trick, or the taking of the one before.
        self.stray_pass = not self.n_plays
        seat = event.seat
        if seat < 0:
            if self.gift_due >= 0 and not self.gift_follows():
                self.gift_due = NOBODY  # the line may have been the gift
            self.fuzzy |= self.active
            self.passed = 0
            for other in range(4):
                self.doubt_wish(other)
            return
        self.fuzzy |= 1 << seat
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
