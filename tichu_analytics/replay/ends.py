"""The end of a trick: who takes it, and who leads the next."""

from __future__ import annotations

from tichu_analytics.replay.base import StateBase
from tichu_analytics.replay.facts import Trick
from tichu_analytics.rules.calls import (
    gift_is_due,
)
from tichu_analytics.rules.cards import DRAGON_MASK, points
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
)
from tichu_analytics.rules.turns import (
    NOBODY,
    is_double_victory,
    leader_after_trick,
)

_new = tuple.__new__


class TrickEnds(StateBase):
    """Ends tricks and gives them away."""

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
        is_doubtful = self.tainted or self.unreadable
        self._clear_trick()
        self.tainted = self.unreadable = self.wish_first_trick = False
        self.early_gift = NOBODY
        if not dog:
            self.turn = leader_after_trick(owner, self.active) if self.active else NOBODY
            self.after_dog = False
        # A gift that came too early means nothing if the Dragon was bombed after it, as far as one can tell.
        if early >= 0 and (due or (is_doubtful and self.tricks[-1].cards & DRAGON_MASK)):
            self.give(early, line)
        elif due:
            self.gift_due = owner

    def last_pass_as_collection(self) -> int | None:
        """Takes the owner's pass at the end of a doubtful trick as the taking of it; its line, or None."""
        if self.collected():
            return self.collect_line
        if not self.explicit_ends or not self.moves:
            return None
        last = self.moves[-1]
        if last.cards or last.seat != self.owner:
            return None
        self.moves.pop()
        self.n_passes -= 1
        return last.line

    def collected(self) -> bool:
        """Whether the last thing that happened in a doubtful trick is an event by which its owner took it."""
        return self.collect_line != 0 and self.collect_line == self.last_line and self.last_passer == self.owner

    def give(self, receiver: int, line: int) -> None:
        """Moves the last trick to the receiver of a Dragon gift."""
        trick = self.tricks[-1]
        if trick.taker_seat is not None:
            self.taken[trick.taker_seat] -= trick.points
        self.taken[receiver] += trick.points
        self.tricks[-1] = trick._replace(taker_seat=receiver, dragon_to=receiver, last_line=max(line, trick.last_line))

    def finish_with(self, seat: int) -> tuple[int, int, int]:
        """The order of going out if this seat were out too, by the last plays."""
        order = sorted((*self.finish, seat), key=lambda out: self.last_play[out])
        padded = [*order, NOBODY, NOBODY, NOBODY]
        return padded[0], padded[1], padded[2]
