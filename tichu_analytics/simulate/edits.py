"""Changes to the record of a finished game: what a server, a download or a damaged file does to a log.

An edit looks at one round of a game and changes one thing of its kind in it, or finds no occasion and gives None. The
lines of the record are renumbered afterwards (:func:`renumbered`); an edit says how many lines it put in or took out.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.record import Event, EventKind, Game, Round
from tichu_analytics.rules.cards import CARD_RANK, SUITED
from tichu_analytics.rules.scoring import GRAND_BONUS
from tichu_analytics.simulate.dice import Dice


class Edited(NamedTuple):
    """What an edit did: the changed round, the line at which it shows, and how many lines came in before it."""

    one: Round
    line: int
    added: int = 0


Edit = Callable[[Round, Dice], Edited | None]


def renumbered(game: Game) -> Game:
    """The game as it is read from its own log, so that its lines are numbered as they stand there."""
    return read_game(write_game(game).encode(), game.path, game.game_id)


def with_round(game: Game, index: int, one: Round) -> Game:
    """The game with another round at an index, renumbered."""
    return renumbered(game._replace(rounds=(*game.rounds[:index], one, *game.rounds[index + 1 :])))


def scores_of(one: Round) -> tuple[int, int]:
    """The logged score of a round that has one."""
    result = one.result
    assert result is not None and result.score_0 is not None and result.score_1 is not None
    return result.score_0, result.score_1


def _scored(one: Round, score_0: int, score_1: int) -> Edited:
    assert one.result is not None
    return Edited(one._replace(result=one.result._replace(score_0=score_0, score_1=score_1)), one.result.line)


def wrong_score(one: Round, dice: Dice) -> Edited | None:
    """Ten points on the wrong side."""
    first, second = scores_of(one)
    return _scored(one, first + 10, second - 10) if first % 100 else None


def dragon_shifted(one: Round, dice: Dice) -> Edited | None:
    """The Dragon's 25 points on the wrong side, in a round that the Dragon's trick ended."""
    first, second = scores_of(one)
    # After a double victory both scores are whole hundreds.
    if not first % 100 or not one.events or not any(event.kind == EventKind.GIFT for event in one.events):
        return None
    by = 25 if dice.chance(50) else -25
    return _scored(one, first + by, second - by)


def bonus_missing(one: Round, dice: Dice) -> Edited | None:
    """The 200 of a Grand Tichu is not booked; nobody else of the team has called."""
    first, second = scores_of(one)
    callers = [call.seat for call in one.calls] + [event.seat for event in one.events if event.kind == EventKind.TICHU]
    for call in one.calls:
        if call.grand and sum(seat % 2 == call.seat % 2 for seat in callers) == 1:
            made = _first_out(one) == call.seat
            by = -GRAND_BONUS if made else GRAND_BONUS
            return _scored(one, first + by, second) if call.seat % 2 == 0 else _scored(one, first, second + by)
    return None


def _first_out(one: Round) -> int:
    """The seat whose cards are played first."""
    played = [0, 0, 0, 0]
    for event in one.events:
        if event.kind == EventKind.PLAY:
            played[event.seat] += len(event.cards)
            if played[event.seat] == 14:
                return event.seat
    raise AssertionError("nobody has gone out")


def bomb_line_wrong(one: Round, dice: Dice) -> Edited | None:
    """The BOMBE line names another seat."""
    line = one.bomb_line
    if line is None or len(line.seats) != 1:
        return None
    seat = (line.seats[0] + 1) % 4
    wrong = line._replace(seats=(seat,), names=(one.names[seat],))
    return Edited(one._replace(bomb_line=wrong), line.line)


def call_doubled(one: Round, dice: Dice) -> Edited | None:
    """A call before the course of the round stands on two lines in succession."""
    if not one.calls:
        return None
    place = dice.below(len(one.calls))
    call = one.calls[place]
    calls = (*one.calls[: place + 1], call, *one.calls[place + 1 :])
    return Edited(one._replace(calls=calls), call.line + 1, 1)


def late_call(one: Round, dice: Dice) -> Edited | None:
    """The line of a Tichu stands directly after the caller's first play instead of before it."""
    events = list(one.events)
    for index, event in enumerate(events[:-1]):
        after = events[index + 1]
        if event.kind != EventKind.TICHU or after.kind != EventKind.PLAY or after.seat != event.seat:
            continue
        if index + 2 < len(events) and events[index + 2].kind == EventKind.WISH:
            continue
        events[index], events[index + 1] = after._replace(line=event.line), event._replace(line=after.line)
        return Edited(one._replace(events=tuple(events)), after.line)
    return None


def gift_nameless(one: Round, dice: Dice) -> Edited | None:
    """A Dragon gift to a seat without its name."""
    for index, event in enumerate(one.events):
        if event.kind == EventKind.GIFT and event.name:
            events = (*one.events[:index], event._replace(name=""), *one.events[index + 1 :])
            return Edited(one._replace(events=events), event.line)
    return None


def pass_after_end(one: Round, dice: Dice) -> Edited | None:
    """A pass of somebody who is left with cards after the round is over."""
    if not one.events or one.events[-1].kind != EventKind.PLAY or one.result is None:
        return None
    played = [0, 0, 0, 0]
    for event in one.events:
        if event.kind == EventKind.PLAY:
            played[event.seat] += len(event.cards)
    left = [seat for seat in range(4) if played[seat] < 14]
    seat = left[0]
    line = one.result.line
    extra = Event(EventKind.PASS, line, seat, one.names[seat])
    changed = one._replace(events=(*one.events, extra), result=one.result._replace(line=line + 1))
    return Edited(changed, line, 1)


def exchange_not_held(one: Round, dice: Dice) -> Edited | None:
    """A seat gives its partner a card that the partner has been dealt."""
    seat = dice.below(4)
    gift, partner, others = one.gifts[seat], one.dealt[(seat + 2) % 4], one.gifts[(seat + 2) % 4]
    if gift is None or partner is None or others is None or one.bomb_line is not None:
        return None
    cards = [card for card in partner.cards[4:] if card not in others.cards and card < 52]
    card = dice.pick(cards)
    changed = gift._replace(cards=(gift.cards[0], card, gift.cards[2]))
    gifts = (*one.gifts[:seat], changed, *one.gifts[seat + 1 :])
    return Edited(one._replace(gifts=gifts), gift.line)


def card_not_held_line(one: Round, dice: Dice) -> Edited | None:
    """A single card on a trick is written one rank higher than it was; somebody else plays that card later."""
    events = list(one.events)
    wished = {event.value for event in events if event.kind == EventKind.WISH}
    for index in range(8, len(events) - 12):
        event = events[index]
        if event.kind != EventKind.PLAY or len(event.cards) != 1 or not event.mask & SUITED or event.cards[0] >= 48:
            continue
        card = event.cards[0] + 4
        later = any(other.mask >> card & 1 and other.seat != event.seat for other in events[index + 4 :])
        quiet = all(other.kind == EventKind.PASS for other in events[index + 1 : index + 4])
        if later and quiet and not wished & {CARD_RANK[card], CARD_RANK[card] - 1}:
            events[index] = event._replace(cards=(card,), mask=1 << card)
            return Edited(one._replace(events=tuple(events)), event.line)
    return None


def other_in_deal(one: Round, seat: int, name: str) -> Edited | None:
    """A seat has another name in the deal than from the exchange on; not where the seat calls in between.

    Args:
        one: the round.
        seat: which seat.
        name: its name in the deal.
    """
    gift = one.gifts[seat]
    if gift is None or any(call.seat == seat for call in one.calls):
        return None
    first8 = tuple(deal._replace(name=name) if deal and deal.seat == seat else deal for deal in one.first8)
    dealt = tuple(deal._replace(name=name) if deal and deal.seat == seat else deal for deal in one.dealt)
    return Edited(one._replace(first8=first8, dealt=dealt), gift.line)


def unsorted(one: Round, dice: Dice) -> Round:
    """The first eight cards in the order in which they were dealt, as in the oldest logs."""
    first8 = tuple(
        deal._replace(cards=tuple(deal.cards[place] for place in dice.shuffled(len(deal.cards)))) if deal else deal
        for deal in one.first8
    )
    return one._replace(first8=first8)


#: Edits by name, each with the finding that it brings.
EDITS: Final[dict[str, tuple[Edit, str]]] = {
    "wrong_score": (wrong_score, "wrong-score"),
    "dragon_shifted": (dragon_shifted, "dragon-points-shifted"),
    "bonus_missing": (bonus_missing, "call-bonus-missing"),
    "bomb_line_wrong": (bomb_line_wrong, "bomb-line-wrong"),
    "call_doubled": (call_doubled, "call-doubled"),
    "late_call": (late_call, "tichu-just-late"),
    "gift_nameless": (gift_nameless, "name-missing"),
    "pass_after_end": (pass_after_end, "pass-after-end"),
    "exchange_not_held": (exchange_not_held, "exchange-not-held"),
    "card_replaced": (card_not_held_line, "card-not-held"),
}
