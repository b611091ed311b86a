"""Writes down a simulated round as a record, with the lines that it will have in a log."""

from __future__ import annotations

from tichu_analytics.record import Call, Deal, Event, EventKind, Gift, Result, Round
from tichu_analytics.record.model import NO_SEAT, BombLine
from tichu_analytics.record.notation import mask_cards
from tichu_analytics.rules.cards import CARD_RANK, PHOENIX, PHOENIX_MASK
from tichu_analytics.rules.combinations import Readings

Names = tuple[str, str, str, str]


def printed_order(mask: int, found: Readings) -> tuple[int, ...]:
    """Played cards as a log prints them: from high to low, the Phoenix in front of the rank it stands for.

    Args:
        mask: the cards.
        found: their readings; the first one holds.
    """
    cards = mask_cards(mask)
    if mask & PHOENIX_MASK and len(cards) > 1:
        cards.remove(PHOENIX)
        place = next((index for index, card in enumerate(cards) if CARD_RANK[card] <= found.phoenix), len(cards))
        cards.insert(place, PHOENIX)
    return tuple(cards)


class Recorder:
    """One round in the making.

    Args:
        number: the round's number in its game, from 1.
        first_line: the line of its first header.
        names: the players' names by seat.
    """

    def __init__(self, number: int, first_line: int, names: Names) -> None:
        self.number = number
        self.first_line = first_line
        self.line = first_line
        self.names = names
        self.first8: list[Deal] = []
        self.dealt: list[Deal] = []
        self.calls: list[Call] = []
        self.gifts: list[Gift] = []
        self.bomb_line: BombLine | None = None
        self.play_line = 0
        self.events: list[Event] = []

    def deal(self, first8: list[int], dealt: list[int]) -> None:
        """The deal: each seat's first eight and all fourteen cards, as sets."""
        for hands, deals in ((first8, self.first8), (dealt, self.dealt)):
            self.line += 1
            for seat, mask in enumerate(hands):
                deals.append(Deal(self.line, seat, self.names[seat], tuple(mask_cards(mask)), mask))
                self.line += 1

    def call(self, seat: int, grand: bool) -> None:
        """A call before the course of the round."""
        self.calls.append(Call(self.line, seat, self.names[seat], grand, False))
        self.line += 1

    def exchange(self, gifts: list[tuple[int, int, int]], bomb_holders: list[int]) -> None:
        """What each seat gives to the right, the partner and the left, and who holds a bomb afterwards."""
        self.line += 1
        names = self.names
        for seat, cards in enumerate(gifts):
            receivers = (names[(seat + 1) % 4], names[(seat + 2) % 4], names[(seat + 3) % 4])
            self.gifts.append(Gift(self.line, seat, names[seat], receivers, cards, True))
            self.line += 1
        if bomb_holders:
            holders = tuple(bomb_holders)
            self.bomb_line = BombLine(self.line, holders, tuple(names[seat] for seat in holders))
            self.line += 1
        self.play_line = self.line
        self.line += 1

    def event(self, kind: int, seat: int, cards: tuple[int, ...] = (), mask: int = 0, value: int = 0) -> None:
        """An event of the course; a wish has no seat."""
        name = self.names[seat] if seat != NO_SEAT else ""
        self.events.append(Event(kind, self.line, seat, name, cards, mask, value))
        self.line += 1

    def last_play_line(self) -> int:
        """The line of the last play."""
        return next(event.line for event in reversed(self.events) if event.kind == EventKind.PLAY)

    def reprint(self, cards: tuple[int, ...]) -> None:
        """Has the cards of the last play stand in another order."""
        place = max(index for index, event in enumerate(self.events) if event.kind == EventKind.PLAY)
        self.events[place] = self.events[place]._replace(cards=cards)

    def wish(self, rank: int) -> None:
        """A wish."""
        self.event(EventKind.WISH, NO_SEAT, value=rank)

    def finish(self, score_0: int, score_1: int) -> Round:
        """The finished record; ``line`` is then that of the next round's header."""
        result = Result(self.line, score_0, score_1, f"{score_0} - {score_1}")
        last_line = self.line
        self.line += 1
        return Round(
            self.number,
            self.first_line,
            last_line,
            tuple(self.first8),
            tuple(self.dealt),
            tuple(self.calls),
            tuple(self.gifts),
            self.bomb_line,
            self.play_line,
            tuple(self.events),
            result,
            self.names,
            True,
            (),
            False,
            False,
        )
