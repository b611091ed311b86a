"""What a state of a round holds, what can be asked of it, and what the log has later."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tichu_analytics.record import Event, EventKind, Places
from tichu_analytics.replay.deal import Hands
from tichu_analytics.replay.facts import CallFact, Move, Trick
from tichu_analytics.replay.messages import Breach
from tichu_analytics.rules.calls import (
    HAND_CARDS,
)
from tichu_analytics.rules.cards import DECK, PHOENIX_MASK
from tichu_analytics.rules.combinations import (
    NO_COMBINATION,
    Readings,
    readings,
)
from tichu_analytics.rules.options import NO, YES, Options
from tichu_analytics.rules.play import (
    WISH_IGNORED,
    Situation,
    judge_play,
)
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
)

_new = tuple.__new__
_NOTHING: Final[tuple[int, ...]] = ()

# Readings of card sets are asked for again and again; the tables are emptied when full so that memory stays flat.
_READINGS_SIZE: Final = 20_000
_readings: dict[tuple[int, int], dict[int, Readings]] = {}


class OpenWish(NamedTuple):
    """The wish of a round as it stands: who made it, rank, line, and who met it where."""

    seat: int
    rank: int
    line: int
    fulfilled_seat: int | None = None
    fulfilled_line: int | None = None


#: More findings than this about the course of one round are only counted: it is not a round any more.
MOST_BREACHES: Final = 1_000


class Course:
    """What a log has of each seat before and after every event of a round.

    Attributes:
        later: by seat and index, the cards that the seat plays in that event or a later one.
        gone: by seat and index, how many cards have left its hand by the events before: each of its own once, others
            each time.
        last_act: by seat, the index of its last play, pass or taking of a trick, -1 without.
    """

    def __init__(self, events: Sequence[Event], hands: tuple[int, int, int, int]) -> None:
        count = len(events)
        self.later = [[0] * (count + 1) for _ in range(4)]
        self.gone = [[0] * (count + 1) for _ in range(4)]
        self.last_act = [-1, -1, -1, -1]
        own = [0, 0, 0, 0]
        foreign = [0, 0, 0, 0]
        for index, event in enumerate(events):
            seat = event.seat
            if seat >= 0:
                if event.kind in (EventKind.PLAY, EventKind.UNREADABLE):
                    own[seat] |= event.mask & hands[seat]
                    foreign[seat] += (event.mask & ~hands[seat]).bit_count()
                if event.kind in (EventKind.PLAY, EventKind.PASS, EventKind.COLLECT):
                    self.last_act[seat] = index
            for other in range(4):
                self.gone[other][index + 1] = own[other].bit_count() + foreign[other]
        cards = [0, 0, 0, 0]
        for index in range(count - 1, -1, -1):
            event = events[index]
            if event.seat >= 0 and event.kind in (EventKind.PLAY, EventKind.UNREADABLE):
                cards[event.seat] |= event.mask & DECK
            for other in range(4):
                self.later[other][index] = cards[other]


class StateBase:
    """Holds a round at some moment; see :class:`tichu_analytics.replay.state.RoundState` for the arguments."""

    def __init__(
        self,
        options: Options,
        hands: Hands,
        names: tuple[str, str, str, str] = ("", "", "", ""),
        events: Sequence[Event] = (),
        *,
        explicit_ends: bool = True,
        marks_collects: bool = False,
        marks_interrupts: bool = False,
        gaps: Sequence[int] = (),
        places: Places | None = None,
    ) -> None:
        self.options = options
        self.names = names
        self.events = events
        self.index = -1
        self.known_course: Course | None = None
        self.further = 0
        self.explicit_ends = explicit_ends
        self.marks_collects = marks_collects
        self.marks_interrupts = marks_interrupts
        self.set_up = hands
        self.gaps = gaps
        self.places = places
        self.last_event_line = 0
        self.broken = False
        self.end_in_doubt = False
        self.start_hands = hands.held
        self.hands = list(hands.held)
        self.maybe = list(hands.maybe)
        self.fuzzy = hands.fuzzy
        # Of these seats, cards are in doubt, not only whether a line of theirs is missing.
        self.unsure = hands.fuzzy
        self.active = sum(1 << seat for seat in range(4) if hands.held[seat] or hands.maybe[seat])
        self.turn = hands.leader
        self.finish: list[int] = []
        self.last_play = [-1, -1, -1, -1]
        self.over = False
        self.breaches: list[Breach] = []
        # Any illegal act may have moved points; then a score that differs is no second finding.
        # Who took which points is in doubt; then no score of a round can be called wrong.
        self.score_doubt = hands.fuzzy != 0
        # Seats, as bits, that acted illegally with cards they hold: what they are left with may be on the table.
        self.loose_cards = 0
        # Tricks (by index) whose gift was not in order, and everybody who may have got them.
        self.odd_gifts: list[tuple[int, tuple[int, ...]]] = []
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
        # How many tricks there were when a gift was found missing; it may come one line late.
        self.late_gift = -1
        self.after_dog = False
        self.after_end = 0
        self.tainted = False
        self.unreadable = False
        #: Some line of the round could not be read.
        self.lost = False
        self._clear_trick()

    def _clear_trick(self) -> None:
        self.owner = NOBODY
        self.owner_before = NOBODY
        self.kept_passes = 0
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
        # The line of the latest event that took the trick, where that did not end it (yet).
        self.collect_line = 0
        # How many plays there were when the owner took the trick before its time.
        self.early_collect = 0

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
        if verdict == WISH_IGNORED and self.hand_in_doubt(seat):
            # Of a hand in doubt only what the log has later is certain.
            certain = hand & (self.cards_played_later(seat) | mask)
            verdict = judge_play(certain, mask, found, situation, self.options)
        return verdict

    def hand_in_doubt(self, seat: int) -> bool:
        """Whether a seat may not hold all the cards that it seems to hold."""
        return self.fuzzy >> seat & 1 == 1 and (self.unsure >> seat & 1 == 1 or not self.ends_consistently())

    def ends_consistently(self) -> bool:
        """Whether the hands as they are known fit the end of the log.

        So it is if the players whose cards are all seen later are three, or partners: then what the others are left
        with is no sign of a play that is missing.
        """
        seen = [self.never_seen(seat) == 0 for seat in range(4)]
        return sum(seen) >= 3 or (seen[0] and seen[2]) or (seen[1] and seen[3])

    def course(self) -> Course:
        """What the log has of each seat before and after every event; worked out once, when it is first asked for."""
        if self.known_course is None:
            self.known_course = Course(self.events, self.start_hands)
        return self.known_course

    def known_events(self) -> int:
        """How many of the events that were told beforehand have been carried out; without any nothing comes later."""
        return min(self.index + 1, len(self.events))

    def cards_played_later(self, seat: int) -> int:
        """All cards that the log has this seat play later on."""
        return self.course().later[seat][self.known_events()]

    def acts_later(self, seat: int) -> bool:
        """Whether the log has this seat play, pass or take a trick later on."""
        return self.course().last_act[seat] > self.index

    def never_seen(self, seat: int) -> int:
        """Cards that a seat should hold and that the log never has it play."""
        return self.hands[seat] & ~self.cards_played_later(seat)

    def may_collect(self, seat: int) -> bool:
        """Whether this seat is the owner of a trick that it may take now.

        A pass line of this seat is then the taking, unless the record has events of their own for it.
        """
        return (
            self.explicit_ends
            and self.n_plays > 0
            and seat == self.owner
            and self.active >> seat & 1 == 1
            and all_passed(seat, self.passed, self.active)
        )

    def cards_left(self, seat: int) -> int:
        """How many cards the seat has left by its lines, for hands in doubt.

        A card of its own that stands in several lines counts once, one that it never had counts each time.
        """
        return HAND_CARDS - self.course().gone[seat][self.known_events()]

    def breach(self, breach: Breach) -> None:
        """Takes note of a breach; of very many only their number."""
        if len(self.breaches) < MOST_BREACHES:
            self.breaches.append(breach)
            return
        last = self.breaches[-1]
        words = last.message.removesuffix(_further(self.further))
        self.further += 1
        self.breaches[-1] = last._replace(message=words + _further(self.further))


def _further(number: int) -> str:
    return f" (and {number} more findings in this round)" if number else ""
