"""Puts the lines of one round of a BrettspielWelt log together, in whatever order and state they come."""

from __future__ import annotations

from typing import Final

from tichu_analytics.formats.bsw.lines import (
    LONGEST_LINE,
    WISH_RANKS,
    Cards,
    Line,
    LineKind,
    bomb_seats,
    parse_cards,
    result_numbers,
)
from tichu_analytics.formats.bsw.names import check_names, names_of_round
from tichu_analytics.formats.bsw.sections import HEADER_SECTION, Section, Sections, shorten
from tichu_analytics.record import Call, Deal, Event, EventKind, Gift, Result, Round
from tichu_analytics.record.model import NO_SEAT, UNKNOWN_CARD, BombLine

_NO_CARDS: Final = Cards((), 0, (), False)


class RoundBuilder(Sections):
    """The state of reading one round: takes in its lines, in whatever order and state they come.

    ``section`` tells where in the round the reading is; lines of an earlier part are out of place, lines of a later
    part mean that something between is missing.
    """

    def feed(self, index: int, line: Line, text: str) -> None:
        """Takes in a line that has been told apart, wherever it stands."""
        kind = line.kind
        self.last_line = index + 1
        if kind in HEADER_SECTION:
            self.header(index, line)
        elif kind == LineKind.DEAL:
            self.deal(index, line)
        elif kind == LineKind.CALL:
            self.call(index, line)
        elif kind == LineKind.GIFT:
            self.gift(index, line)
        elif kind == LineKind.BOMBS:
            self.bombs(index, line)
        elif kind == LineKind.RESULT:
            self.read_result(index, line)
        else:
            self.event(index, line)

    def read_cards(self, index: int, rest: str, seat: int, least: int, most: int) -> Cards:
        """Reads cards; reports at most one thing: what is no card, blanks too many where the number is right."""
        found = parse_cards(rest)
        if found.unknown:
            word = found.unknown[0]
            more = f" (and {len(found.unknown) - 1} more)" if len(found.unknown) > 1 else ""
            self.problem(
                index,
                "unknown-card",
                f"{shorten(word)} is no card{more}",
                "a card such as S5 or Ph",
                shorten(word),
                seat,
            )
        elif found.blanks and least <= len(found.cards) <= most:
            self.problem(index, "odd-blanks", "there are blanks too many between the cards", seat=seat)
        return found

    def deal(self, index: int, line: Line) -> None:
        """Takes in the first eight or the fourteen cards of a seat."""
        words = sum(1 for word in line.rest.split(" ") if word)
        late = self.section == Section.DEALT and words <= 9 and any(deal is None for deal in self.first8)
        early = self.section == Section.FIRST8 and words >= 12
        if late:
            part, entries, size = Section.FIRST8, self.first8, 8
        elif index == self.late_line:
            part, entries, size = Section.DEALT, self.dealt, 14
        elif early or self.section == Section.DEALT:
            if not self.place(index, Section.DEALT, LineKind.DEALT_HEADER):
                return
            part, entries, size = Section.DEALT, self.dealt, 14
        else:
            if not self.place(index, Section.FIRST8, LineKind.FIRST8_HEADER):
                return
            part, entries, size = Section.FIRST8, self.first8, 8
        seat = self.seat_of(index, line, next((s for s in range(4) if entries[s] is None), 0))
        found = self.read_cards(index, line.rest, seat, size, size)
        seat = self.seat_in_order(index, entries, seat, part, LineKind.DEAL)
        if seat == NO_SEAT:
            return
        if len(found.cards) != size and not found.unknown:
            self.problem(
                index,
                "wrong-card-count",
                f"seat {seat} is dealt {len(found.cards)} cards instead of {size}",
                str(size),
                str(len(found.cards)),
                seat,
            )
        entries[seat] = Deal(index + 1, seat, line.name, found.cards, found.mask)
        count = next((s for s in range(4) if entries[s] is None), 4)
        if part == Section.FIRST8:
            self.first8_count = count
        else:
            self.dealt_count = count

    def call(self, index: int, line: Line) -> None:
        """Takes in a call."""
        grand = line.rest == "Grosses Tichu"
        if not 0 <= line.seat <= 3:
            self.seat_of(index, line, NO_SEAT)
            return
        if self.section >= Section.PLAY:
            kind = EventKind.GRAND if grand else EventKind.TICHU
            self.events.append(Event(kind, index + 1, line.seat, line.name))
            return
        if self.section == Section.FIRST8 or (self.section == Section.DEALT and self.follows(index, LineKind.DEAL)):
            self.problem(index, "line-out-of-place", "a call stands between the cards that are dealt", seat=line.seat)
        elif self.section == Section.DEALT and 0 < self.dealt_count < 4 and Section.DEALT not in self.disorder:
            # The line of the last seat is missing, and this one stands in its place.
            self.report_lacking(index, Section.DEALT, [seat for seat in range(4) if self.dealt[seat] is None])
        elif self.section == Section.EXCHANGE and not grand:
            self.problem(index, "line-out-of-place", "a call stands inside the exchange", seat=line.seat)
        self.calls.append(Call(index + 1, line.seat, line.name, grand, self.section == Section.EXCHANGE))

    def add_regular_gift(self, gift: Gift) -> None:
        """Takes in a gift line that has been read on the short way."""
        self.gifts[gift.seat] = gift
        self.gift_count = gift.seat + 1
        self.last_line = gift.line

    def gift(self, index: int, line: Line) -> None:
        """Takes in what a seat gives away."""
        if index != self.late_line and not self.place(index, Section.EXCHANGE, LineKind.EXCHANGE_HEADER):
            return
        seat = self.seat_of(index, line, next((s for s in range(4) if self.gifts[s] is None), 0))
        names: list[str] = []
        cards: list[int] = []
        pieces = line.rest.removesuffix(" ").removesuffix(" -").split(" - ")
        reported = len(self.problems)
        for piece in pieces if line.rest.strip(" -") else ():
            name, sign, card = piece.rpartition(": ")
            found = parse_cards(card) if card and " " not in card else _NO_CARDS
            if not sign or len(found.cards) != 1 or ":" in name or " " in name:
                self.problem(
                    index, "unknown-card", f"{shorten(piece)!s} is no gift", "name: card", shorten(piece), seat
                )
                cards.append(UNKNOWN_CARD)
                names.append(name)
                continue
            if found.unknown:
                self.read_cards(index, card, seat, 1, 1)
            names.append(name)
            cards.append(found.cards[0])
        if len(cards) != 3 and len(self.problems) == reported:
            self.problem(
                index,
                "wrong-card-count",
                f"seat {seat} gives {len(cards)} cards instead of 3",
                "3",
                str(len(cards)),
                seat,
            )
        seat = self.seat_in_order(index, self.gifts, seat, Section.EXCHANGE, LineKind.GIFT)
        if seat == NO_SEAT:
            return
        complete = len(cards) == 3 and UNKNOWN_CARD not in cards
        padded = [*cards, UNKNOWN_CARD, UNKNOWN_CARD, UNKNOWN_CARD]
        if len(cards) != 3:
            # Which of the three is missing cannot be told by place.
            padded = [UNKNOWN_CARD] * 3
        self.gifts[seat] = Gift(index + 1, seat, line.name, tuple(names), (padded[0], padded[1], padded[2]), complete)
        self.gift_count = next((s for s in range(4) if self.gifts[s] is None), 4)

    def bombs(self, index: int, line: Line) -> None:
        """Takes in the line that tells who holds a bomb."""
        if self.bomb_line is not None:
            self.problem(index, "part-doubled", "a second line BOMBE:")
            return
        if self.section == Section.PLAY and not self.events:
            self.problem(index, "line-out-of-place", "the line BOMBE: stands before the header Rundenverlauf")
        elif self.section != Section.EXCHANGE and not self.place(index, Section.EXCHANGE, LineKind.EXCHANGE_HEADER):
            return
        lacking = [seat for seat in range(4) if self.gifts[seat] is None]
        if self.section == Section.EXCHANGE and lacking and len(lacking) < 4 and not self.follows(index, LineKind.GIFT):
            self.report_lacking(index, Section.EXCHANGE, lacking)
        if self.follows(index, LineKind.GIFT):
            self.problem(index, "line-out-of-place", "the line BOMBE: stands before all have given their cards")
        seats, names, odd = bomb_seats(line.rest)
        if odd is not None:
            self.problem(
                index, "unknown-line", f"{shorten(odd)} in the line BOMBE: is no player", "(0)name", shorten(odd)
            )
            seats = (*seats, NO_SEAT)
            names = (*names, odd)
        elif any(seat > 3 for seat in seats):
            worst = next(seat for seat in seats if seat > 3)
            self.problem(index, "seat-out-of-range", f"there is no seat {worst}", "a seat from 0 to 3", f"({worst})")
            seats = tuple(seat if seat <= 3 else NO_SEAT for seat in seats)
        self.bomb_line = BombLine(index + 1, seats, names)

    def read_result(self, index: int, line: Line) -> None:
        """Takes in the result."""
        numbers = result_numbers(line.rest)
        text = line.rest.strip(" ")
        if self.result is not None and self.events and self.events[-1].line > self.result.line:
            # The round went on after the first one, so that one stood too early.
            self.problem(
                self.result.line - 1,
                "result-too-early",
                "the result stands here although the round goes on",
                "the rest of the round",
                self.result.text,
            )
            self.result = None
        if self.result is not None:
            self.problem(index, "result-repeated", "a second result for the same round", None, shorten(text))
            return
        if self.section < Section.PLAY:
            self.advance(index, Section.PLAY, False)
        if numbers is None:
            self.problem(index, "result-unreadable", "the result is not two numbers", "two numbers", shorten(text))
            numbers = (None, None)
        elif None in numbers:
            self.problem(index, "result-out-of-range", "no round can score that", None, shorten(text))
        self.result = Result(index + 1, numbers[0], numbers[1], shorten(text))
        self.section = Section.AFTER

    def event(self, index: int, line: Line) -> None:
        """Takes in a line of the course of the round: play, pass, wish, Dragon gift."""
        if self.section < Section.PLAY and (
            line.kind in (LineKind.WISH, LineKind.DRAGON) or not self.place(index, Section.PLAY, LineKind.PLAY_HEADER)
        ):
            if line.kind in (LineKind.WISH, LineKind.DRAGON):
                self.problem(
                    index,
                    "line-out-of-place",
                    "the line does not belong into this part of the round",
                    found=shorten(self.lines[index].rstrip(" ")),
                )
            return
        number = index + 1
        if line.kind == LineKind.WISH:
            rank = WISH_RANKS.get(line.rest, 0)
            self.events.append(
                Event(EventKind.WISH, number, NO_SEAT, "", value=rank, text="" if rank else shorten(line.rest))
            )
            return
        seat = line.seat
        if seat > 3:
            self.seat_of(index, line, NO_SEAT)
            self.events.append(Event(EventKind.UNREADABLE, number, NO_SEAT, line.name, text=self.lines[index][:80]))
            return
        if line.kind == LineKind.PASS:
            self.events.append(Event(EventKind.PASS, number, seat, line.name))
        elif line.kind == LineKind.DRAGON:
            self.events.append(Event(EventKind.GIFT, number, seat, line.name))
        else:
            self.play(index, line, seat)

    def play(self, index: int, line: Line, seat: int) -> None:
        """Takes in a play."""
        found = self.read_cards(index, line.rest, seat, 1, 14) if len(line.rest) <= LONGEST_LINE else _NO_CARDS
        if not found.cards:
            self.problem(index, "wrong-card-count", "a play without cards", "1 to 14 cards", "none", seat)
        elif len(found.cards) > 14 and not found.unknown:
            self.problem(
                index, "wrong-card-count", "a play of more than 14 cards", "1 to 14 cards", str(len(found.cards)), seat
            )
        if not found.cards or found.unknown or len(found.cards) > 14:
            self.events.append(
                Event(
                    EventKind.UNREADABLE, index + 1, seat, line.name, found.cards, found.mask, 0, self.lines[index][:80]
                )
            )
            return
        self.events.append(Event(EventKind.PLAY, index + 1, seat, line.name, found.cards, found.mask))

    def build(self, is_last: bool) -> Round:
        """The finished record of the round."""
        names = names_of_round(self.first8, self.dealt, self.gifts)
        one = Round(
            self.number,
            self.first_line,
            self.last_line,
            tuple(self.first8),
            tuple(self.dealt),
            tuple(self.calls),
            tuple(self.gifts),
            self.bomb_line,
            self.play_line,
            tuple(self.events),
            self.result,
            names,
            True,
            tuple(self.problems),
            is_last,
            self.cut,
        )
        plain, problems = check_names(one)
        if plain and not problems:
            return one
        return one._replace(plain_names=plain, problems=(*one.problems, *problems))
