"""Rounds and games of players who plan: the same course of a round as for the plain ones, other decisions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from tichu_analytics.record import EventKind, Game, Round
from tichu_analytics.rules.calls import FIRST_CARDS, may_call_grand
from tichu_analytics.rules.combinations import NO_COMBINATION, beats, readings
from tichu_analytics.rules.options import YES
from tichu_analytics.rules.scoring import DRAW, GRAND_TICHU, NO_CALL, NOT_OVER, TICHU, Pair, game_winner
from tichu_analytics.rules.turns import partner_of
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import RULES, Act, Mischief, RoundPlay
from tichu_analytics.simulate.judging import calls_grand, dragon_receiver, gives, wants_tichu, wish
from tichu_analytics.simulate.players import Player
from tichu_analytics.simulate.recorder import Recorder, printed_order
from tichu_analytics.simulate.skilled import SkilledPlayer
from tichu_analytics.simulate.skills import Member
from tichu_analytics.simulate.table import Table

Seated = tuple[Member, Member, Member, Member]

_LEVEL_ENDS: Final = RULES._replace(tie_at_target=YES)


class LowPhoenix:
    """Has the Phoenix now and then stand for the lower of two ranks, as the server lets players choose.

    Args:
        dice: for the choice; not the round's own chance.
        percent: in how many of a hundred cases the lower one is meant.
    """

    def __init__(self, dice: Dice, percent: int) -> None:
        self.dice = dice
        self.percent = percent
        #: Round and line of each play that beats nothing but a lower reading.
        self.needed: list[tuple[int, int]] = []
        self.high_rank2 = 0

    def after_play(self, table: Table, recorder: Recorder, mask: int, below: tuple[int, int, int]) -> None:
        """Looks at a play that has just been made, and may lower what it stands for on the table.

        Args:
            table: the table after the play.
            recorder: has the play as its last play.
            mask: the cards played.
            below: kind, length and doubled rank of what they were played on.
        """
        found = readings(mask, RULES)
        if self.high_rank2 and below[0] == found.kind and found.rank2 <= self.high_rank2:
            self.needed.append((recorder.number, recorder.last_play_line()))
        self.high_rank2 = 0
        if found.ways < 2 or table.top != mask or found.kind != found.kind_low:
            return
        if below[0] != NO_COMBINATION and not beats(found.kind_low, found.length, found.rank2_low, *below):
            return
        if self.dice.chance(self.percent):
            self.high_rank2 = found.rank2
            table.rank2 = found.rank2_low
            recorder.reprint(printed_order(mask, found._replace(phoenix=found.phoenix_low)))


class SkilledRound(RoundPlay):
    """One round from the deal to the score.

    Args:
        dice: the game's chance.
        recorder: takes everything down.
        members: who sits where.
        totals: the teams' points before the round.
        mischief: see :data:`tichu_analytics.simulate.game.Mischief`.
        low_phoenix: may lower what a Phoenix stands for.
    """

    def __init__(
        self,
        dice: Dice,
        recorder: Recorder,
        members: Seated,
        totals: Pair,
        mischief: Mischief | None = None,
        low_phoenix: LowPhoenix | None = None,
    ) -> None:
        self.low_phoenix = low_phoenix
        self.members = members
        self.totals = totals
        super().__init__(dice, recorder, mischief)

    def sit_down(self) -> Sequence[Player]:
        """The players at the table, by seat."""
        return [
            SkilledPlayer(self.dice, self.table, seat, member.skill, self.calls)
            for seat, member in enumerate(self.members)
        ]

    def behind(self, seat: int) -> int:
        """By how many points a seat's team is behind."""
        return (self.totals.team_1 - self.totals.team_0) * (1 if seat % 2 == 0 else -1)

    def deal_and_exchange(self) -> list[int]:
        """Deals, lets the players call and exchange; returns the hands after it."""
        dice, recorder, members = self.dice, self.recorder, self.members
        first8, dealt = self.deal()
        for seat in range(4):
            wants = calls_grand(dice, members[seat].skill, first8[seat], self.behind(seat))
            # Two partners who both call take points from each other.
            if wants and self.calls[partner_of(seat)] == NO_CALL and may_call_grand(FIRST_CARDS, self.calls[seat]):
                self.calls[seat] = GRAND_TICHU
                recorder.call(seat, True)
        for seat in range(4):
            if dice.chance(6) and self.would_call(seat, dealt[seat]) and self.may_call(seat, False, 0):
                self.calls[seat] = TICHU
                recorder.call(seat, False)

        def give(seat: int) -> tuple[int, int, int]:
            skill = members[seat].skill
            return gives(dice, skill, dealt[seat], self.calls, seat, dice.chance(skill.keeps))

        held = self.exchange(dealt, give)
        for seat in range(4):
            if self.would_call(seat, held[seat]):
                self.will_call[seat] = True
                self.calls_early[seat] = dice.chance(8)
        return held

    def would_call(self, seat: int, hand: int) -> bool:
        """Whether a player wants to call Tichu with these fourteen cards."""
        if self.calls[seat] != NO_CALL:
            return False
        partner = self.calls[partner_of(seat)] != NO_CALL or self.will_call[partner_of(seat)]
        opponents = [self.calls[(seat + step) % 4] for step in (1, 3)]
        return wants_tichu(self.dice, self.members[seat].skill, hand, partner, 2 - opponents.count(NO_CALL))

    def early_call(self) -> Act | None:
        """A Tichu before the caller's own turn."""
        table = self.table
        if True not in self.will_call:
            return None
        for seat in range(4):
            if not self.will_call[seat]:
                continue
            if table.finish or self.calls[partner_of(seat)] != NO_CALL:
                # Too late, or the partner was quicker; a few call all the same.
                if not self.dice.chance(3):
                    self.will_call[seat] = self.calls_early[seat] = False
            elif self.calls_early[seat] and self.dice.chance(35) and self.may_call(seat, True, 0):
                return Act(EventKind.TICHU, seat)
        return None

    def carry_out(self, act: Act) -> None:
        """Has an act happen, and sees to Phoenixes that stand for the lower rank."""
        table = self.table
        below = (table.kind, table.length, table.rank2)
        super().carry_out(act)
        if self.low_phoenix is not None and act.kind == EventKind.PLAY:
            self.low_phoenix.after_play(table, self.recorder, act.mask, below)

    def wished_rank(self, seat: int) -> int:
        """The rank that the player of the Mah Jong wishes for, 0 for none."""
        return wish(self.dice, self.members[seat].skill, self.table, seat, self.gifts[seat], self.calls)

    def dragon_receiver(self) -> int:
        """The opponent to whom the Dragon's trick is given."""
        return dragon_receiver(self.dice, self.members[self.table.gift_due].skill, self.table, self.calls)


class Course(NamedTuple):
    """What is to happen in a game beside what the players decide.

    Attributes:
        mischief: gives the mischief of the round with a number, None for a round that is left alone.
        changes: before the rounds with these numbers a seat gets another player.
        low_phoenix: chance for a Phoenix that can be read in two ways to be played as the lower one; None for never.
        extra_rounds: how many rounds are played after a team has the target.
    """

    mischief: Callable[[int], Mischief | None] = lambda number: None
    changes: Mapping[int, tuple[int, Member]] = MappingProxyType({})
    low_phoenix: LowPhoenix | None = None
    extra_rounds: int = 0


def play_skilled_game(dice: Dice, game_id: str, members: Seated, course: Course | None = None) -> Game:
    """Plays a game until a team has the target; a last round that would leave both level there is dealt again.

    Args:
        dice: the game's chance.
        game_id: its number as text.
        members: who sits where in the first round.
        course: what is to happen beside.
    """
    course = course or Course()
    rounds: list[Round] = []
    total = Pair(0, 0)
    line = 1
    over = 0
    while True:
        number = len(rounds) + 1
        if number in course.changes:
            seat, member = course.changes[number]
            members = cast("Seated", (*members[:seat], member, *members[seat + 1 :]))
        names = (members[0].name, members[1].name, members[2].name, members[3].name)
        recorder = Recorder(number, line, names)
        play = SkilledRound(dice, recorder, members, total, course.mischief(number), course.low_phoenix)
        one = play.run()
        after = Pair(total.team_0 + play.score.team_0, total.team_1 + play.score.team_1)
        winner = game_winner(after.team_0, after.team_1, number, _LEVEL_ENDS)
        if winner == DRAW and not over:
            continue
        total = after
        line = one.last_line + 1
        rounds.append(one)
        if winner != NOT_OVER or over:
            if over == course.extra_rounds:
                break
            over += 1
    rounds[-1] = rounds[-1]._replace(is_last=True)
    return Game(f"{game_id}.tch", game_id, "bsw", None, tuple(rounds), ())
