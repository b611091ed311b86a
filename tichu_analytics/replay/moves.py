"""Putting passes and plays on the table, and what follows from them."""

from __future__ import annotations

from typing import Final

from tichu_analytics.record import Event
from tichu_analytics.record.model import OUT_OF_TURN
from tichu_analytics.replay.announcements import Announcements
from tichu_analytics.replay.facts import Move, PhoenixReading
from tichu_analytics.rules.cards import MAH_JONG_MASK, PHOENIX_MASK
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    FOUR_BOMB,
    STRAIGHT_BOMB,
    Readings,
    single_phoenix_rank2,
)
from tichu_analytics.rules.options import BSW_LAZY, BSW_POSITION, LOWEST_BEATING, NO
from tichu_analytics.rules.play import (
    Situation,
    beaten_readings,
    fitting_readings,
)
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
    leader_after_dog,
    next_seat,
    round_over,
)
from tichu_analytics.rules.wish import meets_wish

_new = tuple.__new__
_NOTHING: Final[tuple[int, ...]] = ()


class Moves(Announcements):
    """Carries out moves that have been judged."""

    def note_pass(self, event: Event, due: int = NOBODY) -> None:
        """Puts a pass on record and hands the turn on; the last pass may end the trick.

        Args:
            event: the pass.
            due: the seat whose pass it counts as, if the line has a wrong number.
        """
        seat = event.seat if due == NOBODY else due
        if self.n_plays == 0:
            return
        bit = 1 << seat
        self.note_pass_line(event)
        self.passed |= bit
        self.ever_passed |= bit
        self.last_passer = seat
        self.turn = turn = next_seat(seat, self.active)
        if self.tainted:
            return
        owner = self.owner
        if turn == owner:
            if not self.explicit_ends:
                self.end_trick(event.line, None)
            elif self.early_collect == self.n_plays:
                # The owner has taken the trick too early, and that has been said; it may do so again in time.
                self.end_trick(event.line, None)
                self.late_collect = owner
        elif self.active >> owner & 1 == 0 and all_passed(owner, self.passed, self.active):
            self.end_trick(event.line, None)

    def note_pass_line(self, event: Event) -> None:
        """Puts a pass on record, without anything following from it."""
        seat = event.seat
        hand = self.hands[seat]
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
        self.last_line = event.line

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
            self.narrow_table(found, mask, situation)
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
                    seat != self.turn or (bomb and event.turn == OUT_OF_TURN and self.n_plays > 0),
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
        self.passed = self.kept_passes = 0
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

    def narrow_table(self, found: Readings, mask: int, situation: Situation) -> None:
        """A play on a table with two open readings: if it beats only one of them, that one holds."""
        beaten = beaten_readings(mask, found, situation)
        if beaten in (0, 3) or self.open_move < 0:
            return
        move = self.moves[self.open_move]
        if not move.phoenix:
            return
        if beaten == 1:
            self.moves[self.open_move] = move._replace(phoenix_reading="later")
            return
        both = self.read(move.mask)
        phoenix = both.phoenix_low if both.rank2_low == self.low_rank2 else both.phoenix
        self.moves[self.open_move] = move._replace(rank2=self.low_rank2, phoenix=phoenix, phoenix_reading="later")
