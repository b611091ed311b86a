"""What happens in a round, as sentences: rows of parts (text, seats, cards) that every view draws in its own way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from tichu_analytics.record import Call, Event, EventKind
from tichu_analytics.record.notation import cards_text, rank_text
from tichu_analytics.replay.facts import Move, RoundReplay, Trick, WishFact
from tichu_analytics.replay.messages import combination_text
from tichu_analytics.replay.positions import Position
from tichu_analytics.rules.cards import PHOENIX_MASK
from tichu_analytics.rules.combinations import DOG_PLAY
from tichu_analytics.view.columns import cut
from tichu_analytics.view.course import READINGS, points_text
from tichu_analytics.view.escape import for_terminal
from tichu_analytics.view.sheet import PLACES, rank_name

__all__ = ["PLACES", "Words", "points_text"]

#: Parts of a sentence: a text is text (safe to show), an int the player at a seat, a tuple cards in that order.
Part = str | int | tuple[int, ...]
Words = tuple[Part, ...]

#: The most characters of a line or a wish that could not be read.
_UNREADABLE: Final = 120

_SET_UP: Final = {
    "first8": "Everybody has taken up eight cards.",
    "deal": "All cards are dealt.",
    "exchange": "Everybody gives a card to each of the others.",
}
#: The same where something is not known, before and behind the players of whom it is not.
_SET_UP_IN_PART: Final = {
    "first8": ("Eight cards are taken up; not known are those of ", "."),
    "deal": ("The cards are dealt; not known are those of ", "."),
    "exchange": ("Cards are given; not known are those of ", "."),
}


def set_up_words(kind: str, missing: Sequence[int]) -> Words:
    """What is done before the course.

    Args:
        kind: ``first8``, ``deal`` or ``exchange``.
        missing: the seats of which the record does not tell it.
    """
    if not missing:
        return (_SET_UP[kind],)
    before, behind = _SET_UP_IN_PART[kind]
    players: list[Part] = []
    for place, seat in enumerate(missing):
        if place:
            players.append(" and " if place == len(missing) - 1 else ", ")
        players.append(seat)
    return (before, *players, behind)


def plain(words: Words, labels: Sequence[str], cards: Callable[[Iterable[int]], str] = cards_text) -> str:
    """A sentence as text.

    Args:
        words: its parts.
        labels: what the players are called, by seat.
        cards: what makes a text of cards.
    """
    return "".join(
        part if isinstance(part, str) else labels[part] if isinstance(part, int) else cards(part) for part in words
    )


def joined(sentences: Iterable[Words]) -> Words:
    """Sentences one behind the other."""
    parts: list[Part] = []
    for words in sentences:
        if parts:
            parts.append(" ")
        parts += words
    return tuple(parts)


def called(call: Call) -> str:
    """What a player does who calls before the course."""
    # The log has a Grand Tichu below the fourteen cards, but it was called on the first eight.
    first8 = call.seen == 8 or (call.grand and not call.seen and not call.exchange_begun)
    when = " on the first eight cards" if first8 else ""
    return f"calls {'Grand Tichu' if call.grand else 'Tichu'}{when}"


def call_words(call: Call) -> Words:
    """A call before the course."""
    return (*_actor(call.seat), f" {called(call)}.")


def start_words(first: Position, goes_on: bool) -> Words:
    """The beginning of the course; ``goes_on`` if anything follows."""
    if first.turn is None:
        return ("The course of the round begins.",)
    return ("The cards have been exchanged. ", first.turn, " leads." if goes_on else " is to lead.")


def laid_words(move: Move) -> tuple[str, str]:
    """What a play is: in words where the cards alone do not say it, and the rank that its Phoenix stands for."""
    if move.mask == PHOENIX_MASK:
        rank = rank_text(move.rank2)
        return f"as {rank}", rank
    if len(move.cards) < 2:
        return "", ""
    words = combination_text(move.kind, move.length, move.rank2)
    if not move.phoenix:
        return words, ""
    rank = rank_name(move.phoenix)
    return f"{words}, Phoenix as {rank}{READINGS.get(move.phoenix_reading, '')}", rank


def move_words(move: Move, before: Position, after: Position, wish: WishFact | None) -> Words:
    """A play."""
    words, _ = laid_words(move)
    notes = []
    if move.mask == PHOENIX_MASK:
        start: Words = (move.seat, " plays ", move.cards, f" {words}")
    else:
        start = (move.seat, " plays ", move.cards, f": {words}" if words else "")
    if move.out_of_turn:
        notes.append("out of turn")
    if wish is not None and (wish.fulfilled_seat, wish.fulfilled_line) == (move.seat, move.line):
        notes.append(f"meets the wish of {rank_name(wish.rank)}")
    if move.seat in after.finish and move.seat not in before.finish:
        notes.append(f"goes out {PLACES[after.finish.index(move.seat)]}")
    return (*start, *(f"; {note}" for note in notes), ".")


def event_words(event: Event, where: str = "") -> Words:
    """An event that is no move of a trick.

    Args:
        event: the event.
        where: what is said behind it, with a blank in front.
    """
    kind = event.kind
    actor = _actor(event.seat)
    if kind == EventKind.PLAY:
        return (*actor, " plays ", event.cards, f"{where}.")
    if kind == EventKind.PASS:
        return (*actor, f" passes{where}.")
    if kind == EventKind.COLLECT:
        return (*actor, f" takes the trick{where}.")
    if kind == EventKind.TICHU:
        return (*actor, f" calls Tichu{where}.")
    if kind == EventKind.GRAND:
        return (*actor, f" calls Grand Tichu{where}.")
    if kind == EventKind.GIFT:
        return (*actor, f" is named for the Dragon's trick{where}.")
    text = for_terminal(cut(event.text, _UNREADABLE))
    if kind == EventKind.WISH:
        wished = rank_name(event.value) if event.value else text or "?"
        if 0 <= event.seat <= 3:
            return (event.seat, f" wishes for {wished}{where}.")
        return (f"Wish: {wished}{where}.",)
    return (f"Something that cannot be read{where}{': ' if text else '.'}{text}",)


def _actor(seat: int) -> Words:
    return (seat,) if 0 <= seat <= 3 else ("Somebody",)


def taking_words(trick: Trick, turn: int | None, named: int | None) -> Words:
    """What became of a trick.

    Args:
        trick: the trick.
        turn: the seat to act after it.
        named: the seat that was named for the Dragon's trick before, if any.
    """
    if trick.kind == DOG_PLAY:
        return () if turn is None else ("The lead goes to ", turn, ".")
    points = points_text(trick.points)
    winner: Words = ("Nobody",) if trick.winner_seat is None else (trick.winner_seat,)
    if trick.taker_seat is None:
        return (*winner, f" wins the trick with the Dragon; its {points} count for nobody after a double victory.")
    if trick.dragon_to is not None:
        receiver: Words = (trick.dragon_to,) if named == trick.dragon_to else ("an opponent",)
        return (*winner, f" wins the trick with the Dragon; its {points} go to ", *receiver, ".")
    return (trick.taker_seat, f" takes the trick: {points}.")


def result_words(one: RoundReplay, last: Position) -> Words:
    """How a round ends."""
    said: list[Words] = []
    if one.complete and one.score is not None:
        said.append((f"The round is over: {pair_text(one.score)}.",))
    elif one.complete:
        said.append(("The round is over; what it scores is not certain.",))
    elif last.event is not None and not last.over and last.active:
        players: list[Part] = []
        for seat in last.active:
            players += [", ", seat] if players else [seat]
        said.append(("The round is not finished. Still in: ", *players, "."))
    else:
        said.append(("The round is not finished.",))
    if one.record.result is not None and one.logged_score != one.score:
        said.append((f"The log says {pair_text(one.logged_score)}.",))
    if one.total_after != one.total_before:
        said.append((f"Total: {pair_text(one.total_after)}.",))
    return joined(said)


def pair_text(numbers: Sequence[int | None]) -> str:
    """A number for each team, ``100 - 0``; ``?`` for one that is not known."""
    first, second = ("?" if number is None else str(number) for number in numbers)
    return f"{first} - {second}"
