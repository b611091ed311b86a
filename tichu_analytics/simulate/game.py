"""Plays rounds and games: deals, asks the players, tells the table, writes the record."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from tichu_analytics.record import EventKind, Game, Round
from tichu_analytics.record.model import NO_SEAT
from tichu_analytics.rules.calls import FIRST_CARDS, HAND_CARDS, may_call_grand, may_call_tichu, may_exchange
from tichu_analytics.rules.cards import MAH_JONG_MASK
from tichu_analytics.rules.combinations import NO_COMBINATION, holds_bomb, readings
from tichu_analytics.rules.options import OFFICIAL, YES
from tichu_analytics.rules.scoring import DRAW, GRAND_TICHU, NO_CALL, NOT_OVER, TICHU, Pair, game_winner
from tichu_analytics.rules.turns import NOBODY, partner_of
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.names import another_name, four_names
from tichu_analytics.simulate.players import (
    Player,
    calls_grand,
    calls_tichu,
    gives,
    receives_dragon,
    wishes,
)
from tichu_analytics.simulate.recorder import Names, Recorder, printed_order
from tichu_analytics.simulate.table import Table

#: The rules that the players keep. What is legal under them is legal under ``bsw`` too: a doubtful Phoenix counts as
#: its highest reading, and no bomb in turn leaves an owed wish open.
RULES: Final = OFFICIAL

# A game that is level at or over the target goes on under one rule set and ends under another; simulated games avoid
# that, see `play_game`.
_LEVEL_ENDS: Final = RULES._replace(tie_at_target=YES)


class Act(NamedTuple):
    """What somebody does in the course of a round.

    Attributes:
        kind: ``EventKind.PLAY``, ``PASS`` (also to take a trick), ``TICHU`` or, where a Dragon's trick is to be given
            away, ``GIFT``.
        seat: who; the receiver of a gift, ``NO_SEAT`` for a trick that is kept.
        mask: the cards of a play.
    """

    kind: int
    seat: int
    mask: int = 0


#: Is asked before every decision and may have somebody act in another way, legal or not; None leaves it to the players.
Mischief = Callable[["RoundPlay"], Act | None]


class RoundPlay:
    """One round from the deal to the score.

    Args:
        dice: the game's chance.
        recorder: takes everything down.
        mischief: see :data:`Mischief`; after an illegal act the round goes on from where it leads.
    """

    def __init__(self, dice: Dice, recorder: Recorder, mischief: Mischief | None = None) -> None:
        self.dice = dice
        self.recorder = recorder
        self.mischief = mischief
        self.calls = [NO_CALL] * 4
        # Whoever has made up his mind to call later: the seat calls at the latest with its first card.
        self.will_call = [False] * 4
        self.calls_early = [False] * 4
        self.gifts: list[tuple[int, int, int]] = []
        self.score = Pair(0, 0)
        hands = self.deal_and_exchange()
        self.table = Table(hands, RULES)
        self.players = self.sit_down()

    def sit_down(self) -> Sequence[Player]:
        """The players at the table, by seat."""
        return [Player(self.dice, self.table, seat) for seat in range(4)]

    # Before the first card ------------------------------------------------------------------------------------------

    def deal_and_exchange(self) -> list[int]:
        """Deals, lets the players call and exchange; returns the hands after it."""
        dice, recorder = self.dice, self.recorder
        first8, dealt = self.deal()
        for seat in range(4):
            if calls_grand(dice, first8[seat]) and may_call_grand(FIRST_CARDS, self.calls[seat]):
                self.calls[seat] = GRAND_TICHU
                recorder.call(seat, True)
        for seat in range(4):
            if self.would_call(seat, dealt[seat]) and dice.chance(12) and self.may_call(seat, False, 0):
                self.calls[seat] = TICHU
                recorder.call(seat, False)
        held = self.exchange(
            dealt, lambda seat: gives(dice, dealt[seat], self.calls[seat], self.calls[partner_of(seat)])
        )
        for seat in range(4):
            if self.would_call(seat, held[seat]):
                self.will_call[seat] = True
                self.calls_early[seat] = dice.chance(15)
        return held

    def deal(self) -> tuple[list[int], list[int]]:
        """Deals, and returns the first eight and the fourteen cards of each seat."""
        first8, dealt = [0] * 4, [0] * 4
        for place, card in enumerate(self.dice.shuffled(56)):
            dealt[place % 4] |= 1 << card
            if place < 4 * FIRST_CARDS:
                first8[place % 4] |= 1 << card
        self.recorder.deal(first8, dealt)
        return first8, dealt

    def exchange(self, dealt: Sequence[int], give: Callable[[int], tuple[int, int, int]]) -> list[int]:
        """Has every seat give its three cards, to the right, the partner, the left; returns the hands after it."""
        held = list(dealt)
        for seat in range(4):
            cards = give(seat)
            right, partner, left = (1 << card for card in cards)
            assert may_exchange(dealt[seat], right, partner, left)
            held[seat] &= ~(right | partner | left)
            self.gifts.append(cards)
        for seat, cards in enumerate(self.gifts):
            for step, card in enumerate(cards, start=1):
                held[(seat + step) % 4] |= 1 << card
        self.recorder.exchange(self.gifts, [seat for seat in range(4) if holds_bomb(held[seat])])
        return held

    def would_call(self, seat: int, hand: int) -> bool:
        """Whether a player wants to call Tichu with these fourteen cards."""
        partner = partner_of(seat)
        partner_calls = self.calls[partner] != NO_CALL or self.will_call[partner]
        return calls_tichu(self.dice, hand, partner_calls) and self.calls[seat] == NO_CALL

    def may_call(self, seat: int, exchanged: bool, cards_played: int) -> bool:
        """Whether a seat may still call Tichu."""
        return may_call_tichu(HAND_CARDS, exchanged, cards_played, self.calls[seat], RULES)

    # The course -----------------------------------------------------------------------------------------------------

    def run(self) -> Round:
        """Plays the round to its end and returns its record."""
        table = self.table
        for seat in range(4):
            self.tell_calls(seat)
        while not table.over:
            self.carry_out(self.next_act())
        self.score = table.score(self.calls)
        return self.recorder.finish(self.score.team_0, self.score.team_1)

    def next_act(self) -> Act:
        """What happens next."""
        if self.mischief is not None:
            act = self.mischief(self)
            if act is not None:
                return act
        return self.early_call() or self.interrupt() or self.in_turn()

    def early_call(self) -> Act | None:
        """A Tichu before the caller's own turn, or by somebody who has no card on the table when another is out."""
        table = self.table
        if not table.finish and True not in self.calls_early:
            return None
        for seat in range(4):
            if table.has_played[seat] or self.calls[seat] != NO_CALL:
                continue
            early = self.calls_early[seat] and self.dice.chance(35)
            late = bool(table.finish) and self.dice.chance(4)
            if (early or late) and self.may_call(seat, True, 0):
                return Act(EventKind.TICHU, seat)
        return None

    def interrupt(self) -> Act | None:
        """A bomb of a player who is not to act, or of the owner in place of taking the trick."""
        table = self.table
        if table.kind == NO_COMBINATION:
            return None
        for step in range(4):
            seat = (table.turn + step) % 4
            player = self.players[seat]
            if player.has_bomb and (step > 0 or table.takes(seat)):
                mask = player.bomb()
                if mask:
                    return Act(EventKind.PLAY, seat, mask)
        return None

    def in_turn(self) -> Act:
        """What the player does whose turn it is."""
        table = self.table
        seat = table.turn
        if table.kind == NO_COMBINATION:
            return Act(EventKind.PLAY, seat, self.players[seat].lead())
        if table.takes(seat):
            return Act(EventKind.PASS, seat)
        mask = self.players[seat].follow()
        return Act(EventKind.PLAY if mask else EventKind.PASS, seat, mask)

    def carry_out(self, act: Act) -> None:
        """Has an act happen, whether it is legal or not, with all that goes with it."""
        table, recorder, seat = self.table, self.recorder, act.seat
        if act.kind == EventKind.TICHU:
            self.call_tichu(seat)
            return
        if act.kind == EventKind.PASS:
            recorder.event(EventKind.PASS, seat)
            if table.takes(seat):
                table.end_trick()
            else:
                table.pass_turn(seat)
        else:
            if self.will_call[seat] and self.may_call(seat, True, int(table.has_played[seat])):
                self.call_tichu(seat)
            found = readings(act.mask, RULES)
            recorder.event(EventKind.PLAY, seat, printed_order(act.mask, found), act.mask)
            table.play(seat, act.mask)
            if act.mask & MAH_JONG_MASK and not table.over:
                rank = self.wished_rank(seat)
                if rank:
                    recorder.wish(rank)
                    table.make_wish(rank)
        if table.gift_due != NOBODY:
            self.give_dragon()

    def wished_rank(self, seat: int) -> int:
        """The rank that the player of the Mah Jong wishes for, 0 for none."""
        return wishes(self.dice, self.table.hands[seat], self.gifts[seat])

    def dragon_receiver(self) -> int:
        """The opponent to whom the Dragon's trick is given."""
        return receives_dragon(self.dice, self.table)

    def call_tichu(self, seat: int) -> None:
        """A seat calls Tichu in the course of the round."""
        self.recorder.event(EventKind.TICHU, seat)
        self.calls[seat] = TICHU
        self.will_call[seat] = self.calls_early[seat] = False
        self.tell_calls(seat)

    def tell_calls(self, seat: int) -> None:
        """Lets the players know of a seat's call."""
        self.players[seat].call = self.calls[seat]
        self.players[partner_of(seat)].partner_called = self.calls[seat] != NO_CALL

    def give_dragon(self) -> None:
        """The trick that the Dragon won is given away."""
        act = self.mischief(self) if self.mischief is not None else None
        receiver = self.dragon_receiver() if act is None else act.seat
        if receiver == NO_SEAT:
            self.table.give(self.table.gift_due)
            return
        self.recorder.event(EventKind.GIFT, receiver)
        self.table.give(receiver)


def play_round(
    dice: Dice, number: int, first_line: int, names: Names, mischief: Mischief | None = None
) -> tuple[Round, Pair]:
    """Plays one round.

    Args:
        dice: the chance.
        number, first_line, names: of the round, as in its record.
        mischief: see :data:`Mischief`.

    Returns:
        Its record and its score.
    """
    play = RoundPlay(dice, Recorder(number, first_line, names), mischief)
    one = play.run()
    return one, play.score


def play_game(dice: Dice, game_id: str) -> Game:
    """Plays a game until a team has the target.

    A last round that would leave both teams level at or over the target is dealt again. Between rounds a player is
    now and then replaced by a substitute.
    """
    names = four_names(dice)
    rounds: list[Round] = []
    total_0 = total_1 = 0
    line = 1
    while True:
        one, score = play_round(dice, len(rounds) + 1, line, names)
        after = (total_0 + score.team_0, total_1 + score.team_1)
        winner = game_winner(after[0], after[1], len(rounds) + 1, _LEVEL_ENDS)
        if winner == DRAW:
            continue
        total_0, total_1 = after
        line = one.last_line + 1
        rounds.append(one)
        if winner != NOT_OVER:
            break
        if dice.chance(1):
            seat = dice.below(4)
            names = (*names[:seat], another_name(dice, names), *names[seat + 1 :])  # type: ignore[assignment]
    rounds[-1] = rounds[-1]._replace(is_last=True)
    return Game(f"{game_id}.tch", game_id, "bsw", None, tuple(rounds), ())
