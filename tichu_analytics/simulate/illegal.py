"""Illegal acts for simulated rounds, from each of which the round is really played on.

A kind is a function that looks at a round in progress and does one illegal act of its kind, or nothing if there is no
occasion. ``INSERTED`` put a line into the record that did not happen; ``ACTED`` happen, and the players go on from
there. Whether an act is illegal is asked of the rulebook like everything else.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Final

from tichu_analytics.record import EventKind
from tichu_analytics.record.model import NO_SEAT
from tichu_analytics.rules.calls import may_call_tichu, may_receive_dragon
from tichu_analytics.rules.cards import CARD_RANK, DOG_MASK, DRAGON_MASK, PHOENIX_MASK
from tichu_analytics.rules.combinations import NO_COMBINATION, SINGLE, holds_bomb, is_bomb, readings
from tichu_analytics.rules.play import (
    DOG_BOMBED,
    DOG_NOT_LED,
    EMPTY_TABLE_BOMBED,
    IS_NO_COMBINATION,
    NOT_HIGHER,
    NOT_ON_TURN,
    NOT_THE_LEADER,
    OTHER_COMBINATION,
    TRICK_CLOSED,
    WISH_IGNORED,
)
from tichu_analytics.rules.scoring import NO_CALL
from tichu_analytics.rules.turns import NOBODY, next_seat, partner_of
from tichu_analytics.simulate import candidates
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import RULES, Act, RoundPlay
from tichu_analytics.simulate.recorder import printed_order

#: Does an act of its kind: an act to be carried out, True if it is done already, None or False without an occasion.
Kind = Callable[[RoundPlay, Dice], Act | bool | None]


def _picked(play: RoundPlay, dice: Dice, seat: int, masks: list[int], verdict: int, bombs: bool = False) -> Act | None:
    """One of the plays on which the rulebook gives this verdict."""
    found = [
        mask
        for mask in masks
        if play.table.judge(seat, mask) == verdict and (bombs or not is_bomb(readings(mask, RULES).kind))
    ]
    return Act(EventKind.PLAY, seat, dice.pick(found)) if found else None


def _in_trick(play: RoundPlay) -> bool:
    """Somebody is to play or pass, on a combination that can be read in one way only."""
    table = play.table
    if table.gift_due != NOBODY or table.kind == NO_COMBINATION or table.takes(table.turn):
        return False
    return readings(table.top, RULES).ways < 2


def _on_lead(play: RoundPlay) -> bool:
    return play.table.gift_due == NOBODY and play.table.kind == NO_COMBINATION


def _others(play: RoundPlay) -> list[int]:
    table = play.table
    return [seat for seat in range(4) if seat != table.turn and table.active >> seat & 1]


def _all_plays(hand: int) -> list[int]:
    return candidates.leads(hand, holds_bomb(hand))


# Acts that happen ---------------------------------------------------------------------------------------------------


def not_higher(play: RoundPlay, dice: Dice) -> Act | None:
    """A play of the right kind that does not beat the table."""
    if not _in_trick(play):
        return None
    seat = play.table.turn
    return _picked(play, dice, seat, _all_plays(play.table.hands[seat]), NOT_HIGHER)


def phoenix_on_dragon(play: RoundPlay, dice: Dice) -> Act | None:
    """The Phoenix on the Dragon."""
    seat = play.table.turn
    if not _in_trick(play) or play.table.top != DRAGON_MASK or not play.table.hands[seat] & PHOENIX_MASK:
        return None
    return _picked(play, dice, seat, [PHOENIX_MASK], NOT_HIGHER)


def other_combination(play: RoundPlay, dice: Dice) -> Act | None:
    """A play of another kind or length than the trick asks for."""
    if not _in_trick(play):
        return None
    seat = play.table.turn
    return _picked(play, dice, seat, _all_plays(play.table.hands[seat]), OTHER_COMBINATION)


def no_combination(play: RoundPlay, dice: Dice) -> Act | None:
    """Two cards that are no combination."""
    if play.table.gift_due != NOBODY or play.table.takes(play.table.turn):
        return None
    seat = play.table.turn
    cards = candidates.singles(play.table.hands[seat])
    masks = [low | high for low, high in itertools.pairwise(cards)]
    return _picked(play, dice, seat, masks, IS_NO_COMBINATION)


def wish_passed(play: RoundPlay, dice: Dice) -> Act | None:
    """A pass by a player who could meet the wish."""
    table = play.table
    if not _in_trick(play) or not table.wish or table.may_pass(table.turn):
        return None
    return Act(EventKind.PASS, table.turn)


def wish_not_followed(play: RoundPlay, dice: Dice) -> Act | None:
    """A play without the wished rank by a player who could meet the wish."""
    table = play.table
    if not _in_trick(play) or not table.wish:
        return None
    hand = table.hands[table.turn]
    masks = candidates.follows(hand, table.kind, table.length, table.rank2)
    return _picked(play, dice, table.turn, masks, WISH_IGNORED)


def wish_not_led(play: RoundPlay, dice: Dice) -> Act | None:
    """A lead without the wished rank by a player who holds it."""
    if not _on_lead(play) or not play.table.wish:
        return None
    seat = play.table.turn
    return _picked(play, dice, seat, _all_plays(play.table.hands[seat]), WISH_IGNORED, True)


def wrong_leader(play: RoundPlay, dice: Dice) -> Act | None:
    """A lead by somebody who has not the lead."""
    if not _on_lead(play):
        return None
    seat = dice.pick(_others(play))
    return _picked(play, dice, seat, _all_plays(play.table.hands[seat]), NOT_THE_LEADER)


def bomb_on_empty_table(play: RoundPlay, dice: Dice) -> Act | None:
    """A bomb before the player on lead has led, or on the Dog."""
    if not _on_lead(play):
        return None
    for seat in _others(play):
        verdict = DOG_BOMBED if play.table.after_dog else EMPTY_TABLE_BOMBED
        act = _picked(play, dice, seat, candidates.bombs(play.table.hands[seat]), verdict, True)
        if act:
            return act
    return None


def skipped_pass(play: RoundPlay, dice: Dice) -> Act | None:
    """The next but one passes: the player between is skipped."""
    table = play.table
    if not _in_trick(play):
        return None
    seat = next_seat(table.turn, table.active)
    return Act(EventKind.PASS, seat) if seat not in (table.owner, table.turn) else None


def skipped_play(play: RoundPlay, dice: Dice) -> Act | None:
    """Somebody plays, no bomb, before the turn comes to him."""
    table = play.table
    if not _in_trick(play):
        return None
    seat = dice.pick(_others(play))
    masks = candidates.follows(table.hands[seat], table.kind, table.length, table.rank2)
    return _picked(play, dice, seat, masks, NOT_ON_TURN)


def dog_on_trick(play: RoundPlay, dice: Dice) -> Act | None:
    """The Dog on a trick."""
    seat = play.table.turn
    if not _in_trick(play) or not play.table.hands[seat] & DOG_MASK:
        return None
    return _picked(play, dice, seat, [DOG_MASK], DOG_NOT_LED)


def pass_on_lead(play: RoundPlay, dice: Dice) -> Act | None:
    """A pass by the player on lead."""
    return Act(EventKind.PASS, play.table.turn) if _on_lead(play) else None


def not_taken(play: RoundPlay, dice: Dice) -> Act | None:
    """The owner leads without having taken the trick."""
    table = play.table
    seat = table.turn
    if table.gift_due != NOBODY or not table.takes(seat) or table.top == DRAGON_MASK:
        return None
    act = _picked(play, dice, seat, _all_plays(table.hands[seat]), TRICK_CLOSED)
    if act and not (table.wish and table.hands[seat]):
        table.end_trick()
        return act
    return None


def taken_early(play: RoundPlay, dice: Dice) -> Act | bool | None:
    """The owner takes the trick although somebody has not passed."""
    table = play.table
    if not _in_trick(play) or not table.active >> table.owner & 1 or table.top == DRAGON_MASK:
        return None
    play.recorder.event(EventKind.PASS, table.owner)
    table.end_trick()
    return True


def dragon_kept(play: RoundPlay, dice: Dice) -> Act | None:
    """The Dragon's trick is not given away."""
    return Act(EventKind.GIFT, NO_SEAT) if play.table.gift_due != NOBODY else None


def dragon_to_own_team(play: RoundPlay, dice: Dice) -> Act | None:
    """The Dragon's trick goes to its owner's team."""
    table = play.table
    if table.gift_due == NOBODY:
        return None
    receiver = partner_of(table.gift_due) if dice.chance(70) else table.gift_due
    assert not may_receive_dragon(table.gift_due, receiver, table.active, RULES)
    return Act(EventKind.GIFT, receiver)


def card_not_held(play: RoundPlay, dice: Dice) -> bool:
    """A single card is played, but the log has another one, higher too, that lies in another hand."""
    table = play.table
    if not _in_trick(play) or table.kind != SINGLE or table.wish:
        return False
    seat = table.turn
    hand = table.hands[seat]
    cards = [card for card in candidates.follows(hand, SINGLE, 1, table.rank2) if card not in (hand, DRAGON_MASK)]
    own = [card for card in cards if table.may_play(seat, card)]
    held = table.hands[(seat + 1) % 4] | table.hands[(seat + 2) % 4] | table.hands[(seat + 3) % 4]
    foreign = [card for card in range(52) if held >> card & 1 and 2 * CARD_RANK[card] > table.rank2]
    if not own or not foreign:
        return False
    card = dice.pick(foreign)
    play.recorder.event(EventKind.PLAY, seat, (card,), 1 << card)
    play.will_call[seat] = play.calls_early[seat] = False
    table.play(seat, dice.pick(own))
    return True


def late_tichu(play: RoundPlay, dice: Dice) -> Act | None:
    """Tichu by a player who has played."""
    table = play.table
    for seat in range(4):
        late = table.has_played[seat] and table.active >> seat & 1 and play.calls[seat] == NO_CALL
        if late and not may_call_tichu(14, True, 1, NO_CALL, RULES):
            return Act(EventKind.TICHU, seat)
    return None


# Lines put in -------------------------------------------------------------------------------------------------------


def line_out_of_turn(play: RoundPlay, dice: Dice) -> bool:
    """A play of a card that its player holds, and goes on holding, while another is to act."""
    if not _in_trick(play) or play.table.kind != SINGLE:
        return False
    seat = dice.pick(_others(play))
    if not play.table.has_played[seat]:
        return False
    act = _picked(play, dice, seat, candidates.singles(play.table.hands[seat]), NOT_ON_TURN)
    if act:
        play.recorder.event(EventKind.PLAY, seat, printed_order(act.mask, readings(act.mask, RULES)), act.mask)
    return act is not None


def line_lower_single(play: RoundPlay, dice: Dice) -> bool:
    """A low card of the player who is to act, before what he really does."""
    seat = play.table.turn
    if not _in_trick(play) or play.table.kind != SINGLE or not play.table.has_played[seat]:
        return False
    act = _picked(play, dice, seat, candidates.singles(play.table.hands[seat]), NOT_HIGHER)
    if act:
        play.recorder.event(EventKind.PLAY, seat, printed_order(act.mask, readings(act.mask, RULES)), act.mask)
    return act is not None


def line_doubled_pass(play: RoundPlay, dice: Dice) -> bool:
    """A pass line stands twice."""
    events = play.recorder.events
    if not _in_trick(play) or not events or events[-1].kind != EventKind.PASS or play.table.takes(play.table.turn):
        return False
    if not play.table.passed >> events[-1].seat & 1:
        return False
    play.recorder.event(EventKind.PASS, events[-1].seat)
    return True


def line_gift(play: RoundPlay, dice: Dice) -> bool:
    """A Dragon gift where nothing is to be given."""
    if not _on_lead(play) or play.recorder.events[-1:] == [] or play.recorder.events[-1].kind == EventKind.GIFT:
        return False
    if any(event.mask & DRAGON_MASK for event in play.recorder.events[-12:]):
        return False  # it could be the gift that is due
    play.recorder.event(EventKind.GIFT, dice.below(4))
    return True


def line_wish(play: RoundPlay, dice: Dice) -> bool:
    """A second wish."""
    if not any(event.kind == EventKind.WISH for event in play.recorder.events):
        return False
    play.recorder.wish(2 + dice.below(13))
    return True


#: Acts that happen, by name.
ACTED: Final[dict[str, Kind]] = {
    kind.__name__: kind
    for kind in (
        not_higher,
        phoenix_on_dragon,
        other_combination,
        no_combination,
        wish_passed,
        wish_not_followed,
        wish_not_led,
        wrong_leader,
        bomb_on_empty_table,
        skipped_pass,
        skipped_play,
        dog_on_trick,
        pass_on_lead,
        not_taken,
        taken_early,
        dragon_kept,
        dragon_to_own_team,
        card_not_held,
        late_tichu,
    )
}
#: Lines that are put in, by name.
INSERTED: Final[dict[str, Kind]] = {
    kind.__name__: kind for kind in (line_out_of_turn, line_lower_single, line_doubled_pass, line_gift, line_wish)
}
#: All of them, by name.
KINDS: Final = ACTED | INSERTED
