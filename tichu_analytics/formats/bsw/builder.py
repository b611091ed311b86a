"""Puts the lines of one round of a BrettspielWelt log together, in whatever order and state they come."""

from __future__ import annotations

from typing import Final

from tichu_analytics.formats.bsw.lines import (
    DEALT_HEADER,
    EXCHANGE_HEADER,
    FIRST8_HEADER,
    LONGEST_LINE,
    PLAY_HEADER,
    WISH_RANKS,
    Cards,
    Line,
    LineKind,
    bomb_seats,
    parse_cards,
    result_numbers,
    split_line,
)
from tichu_analytics.formats.bsw.names import check_names, names_of_round
from tichu_analytics.record import Call, Deal, Event, EventKind, Gift, Problem, Result, Round
from tichu_analytics.record.model import NO_SEAT, UNKNOWN_CARD, BombLine

# How far lines ahead are looked at: a round has some 100 lines, of which the deal and the exchange are 20.
_LOOK_AHEAD: Final = 60
#: More problems than this in one round are only counted: it is not a round any more.
_MOST_PROBLEMS: Final = 1_000

_NO_CARDS: Final = Cards((), 0, (), False)


class Section:
    """The parts of a round, in order."""

    FIRST8: Final = 0
    DEALT: Final = 1
    EXCHANGE: Final = 2
    PLAY: Final = 3
    AFTER: Final = 4


_HEADER_SECTION: Final = {
    LineKind.FIRST8_HEADER: Section.FIRST8,
    LineKind.DEALT_HEADER: Section.DEALT,
    LineKind.EXCHANGE_HEADER: Section.EXCHANGE,
    LineKind.PLAY_HEADER: Section.PLAY,
}
_HEADER_TEXT: Final = (FIRST8_HEADER, DEALT_HEADER, EXCHANGE_HEADER, PLAY_HEADER)
_HEADER_TITLE: Final = (
    "the header of the first eight cards",
    "the header Startkarten",
    "the line Schupfen:",
    "the header Rundenverlauf",
)
_PART_TITLE: Final = ("the first eight cards", "the fourteen cards", "what is given")


class RoundBuilder:
    """The state of reading one round.

    ``section`` tells where in the round the reading is; lines of an earlier part are out of place, lines of a later
    part mean that something between is missing.
    """

    def __init__(self, number: int, index: int, lines: list[str]) -> None:
        self.number = number
        self.lines = lines
        self.first_line = index + 1
        self.last_line = index + 1
        self.section: int = Section.FIRST8
        self.headers_seen = {Section.FIRST8}
        self.first8: list[Deal | None] = [None] * 4
        self.dealt: list[Deal | None] = [None] * 4
        self.gifts: list[Gift | None] = [None] * 4
        # How many seats have been read in their order; 4 also closes the short way for regular lines.
        self.first8_count = 0
        self.dealt_count = 0
        self.gift_count = 0
        self.calls: list[Call] = []
        self.bomb_line: BombLine | None = None
        self.play_line = 0
        self.events: list[Event] = []
        self.result: Result | None = None
        self.problems: list[Problem] = []
        self.passes: dict[str, tuple[int, str]] = {}
        self.heads: dict[str, tuple[int, str]] = {}
        self.cut = False
        self.further = 0
        self.odd_names = False
        # An unreadable line may be the one that is missing next; then it has been reported already.
        self.unread_lines = 0
        self.disorder: set[int] = set()
        # The header did not come first; one that follows is not a second one.
        self.header_is_late = False
        self.late_header: int = LineKind.UNKNOWN
        self.late_line = -1

    # Problems -----------------------------------------------------------------------------------------------------

    def problem(
        self,
        index: int,
        name: str,
        message: str,
        expected: str | None = None,
        found: str | None = None,
        seat: int | None = None,
    ) -> None:
        """Takes note of a problem on a line, given by its index."""
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Problem(index + 1, name, seat, message, expected, found))
            return
        last = self.problems[-1]
        words = last.message.removesuffix(_further(self.further))
        self.further += 1
        self.problems[-1] = last._replace(message=words + _further(self.further))

    def odd_line(self, index: int, unreadable: bool, text: str) -> None:
        """Takes note of a blank or unreadable line, which has been reported."""
        self.last_line = max(self.last_line, index + 1)
        if unreadable and self.section != Section.AFTER:
            self.unread_lines += 1
            if self.section == Section.PLAY:
                self.events.append(Event(EventKind.UNREADABLE, index + 1, NO_SEAT, "", text=text[:80]))

    def damaged_header(self, index: int, expected: str) -> None:
        """Reports a header that is not written as it should be."""
        self.problem(
            index, "unknown-line", "a header of the format is damaged", expected, self.lines[index].rstrip(" ")[:80]
        )

    def header_missing(self, index: int) -> None:
        """Reports that the round begins without its first header."""
        self.header_is_late = True
        self.problem(
            index,
            "part-missing",
            "a round begins here without its header",
            FIRST8_HEADER,
            self.lines[index][:60].rstrip(" "),
        )

    # Lines --------------------------------------------------------------------------------------------------------

    def feed(self, index: int, line: Line, text: str) -> None:
        """Takes in a line that has been told apart, wherever it stands."""
        kind = line.kind
        self.last_line = index + 1
        if kind in _HEADER_SECTION:
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

    def seat_of(self, index: int, line: Line, instead: int) -> int:
        """The seat of a line; an impossible one is reported and replaced by the one whose line is due."""
        if 0 <= line.seat <= 3:
            return line.seat
        self.problem(
            index, "seat-out-of-range", f"there is no seat {line.seat}", "a seat from 0 to 3", f"({line.seat})"
        )
        return instead

    def read_cards(self, index: int, rest: str, seat: int, least: int, most: int) -> Cards:
        """Reads cards; reports at most one thing: what is no card, blanks too many where the number is right."""
        found = parse_cards(rest)
        if found.unknown:
            word = found.unknown[0]
            more = f" (and {len(found.unknown) - 1} more)" if len(found.unknown) > 1 else ""
            self.problem(
                index, "unknown-card", f"{_short(word)} is no card{more}", "a card such as S5 or Ph", _short(word), seat
            )
        elif found.blanks and least <= len(found.cards) <= most:
            self.problem(index, "odd-blanks", "there are blanks too many between the cards", seat=seat)
        return found

    def follows(self, index: int, kind: int, seat: int | None = None) -> bool:
        """Whether a line of a kind (and of a seat) comes before the next header."""
        for text in self.lines[index + 1 : index + 1 + _LOOK_AHEAD]:
            found = split_line(text)
            if found.kind == kind and (seat is None or found.seat == seat):
                return True
            if found.kind in _HEADER_SECTION:
                return False
        return False

    def header_follows(self, index: int, kind: int) -> bool:
        """Whether a header comes further down in this round."""
        for text in self.lines[index + 1 : index + 1 + _LOOK_AHEAD]:
            if text[:1] == "(":
                continue
            found = split_line(text).kind
            if found == kind:
                return True
            if found == LineKind.FIRST8_HEADER or found == LineKind.RESULT:
                return False
        return False

    # Sections -----------------------------------------------------------------------------------------------------

    def missing_parts(self, section: int, header_read: bool) -> list[str]:
        """What should have come before a section begins and has not."""
        parts = []
        for earlier in range(self.section, section):
            if earlier > self.section and earlier not in self.headers_seen:
                parts.append(_HEADER_TITLE[earlier])
            entries = (self.first8, self.dealt, self.gifts)[earlier]
            lacking = [seat for seat in range(4) if entries[seat] is None]
            if lacking and not (len(lacking) < 4 and earlier in self.disorder):
                seats = "all seats" if len(lacking) == 4 else f"seat {' and '.join(map(str, lacking))}"
                parts.append(f"{_PART_TITLE[earlier]} of {seats}")
        if not header_read:
            parts.append(_HEADER_TITLE[section])
        return parts

    def advance(self, index: int, section: int, header_read: bool) -> None:
        """Goes on to a later section; what is missing before it is reported here, once."""
        parts = self.missing_parts(section, header_read)
        if parts and not (len(parts) == 1 and self.unread_lines > 0):
            self.problem(
                index,
                "part-missing",
                f"{' and '.join(parts)} should stand before this line",
                "; ".join(parts),
                _short(self.lines[index].rstrip(" ")),
            )
        self.unread_lines = 0
        self.headers_seen.update(range(section + 1))
        if header_read and section > Section.FIRST8:
            self.look_for_late_line(index + 1, section - 1)
        self.section = section
        if section == Section.PLAY:
            self.play_line = index + 1
            self.prepare_course()

    def look_for_late_line(self, index: int, part: int) -> None:
        """A seat's line just behind the header that should follow it has only changed places with it."""
        if index < len(self.lines):
            line = split_line(self.lines[index])
            entries = (self.first8, self.dealt, self.gifts)[part]
            kind = LineKind.GIFT if part == Section.EXCHANGE else LineKind.DEAL
            if line.kind == kind and 0 <= line.seat <= 3 and entries[line.seat] is None:
                self.late_line = index

    def prepare_course(self) -> None:
        """Makes ready the beginnings of regular lines: only those with the seat's own name take the short way."""
        for seat, name in enumerate(names_of_round(self.first8, self.dealt, self.gifts)):
            head = f"({seat}){name}"
            self.heads[head] = (seat, name)
            self.passes[f"{head} passt."] = (seat, name)

    def header(self, index: int, line: Line) -> None:
        """Takes in a header."""
        section = _HEADER_SECTION[line.kind]
        if line.kind == self.late_header:
            # It has changed places with the line before, where that has been said.
            self.late_header = LineKind.UNKNOWN
            return
        if not line.exact:
            self.damaged_header(index, _HEADER_TEXT[section])
        if section in self.headers_seen and section <= self.section:
            again = section == self.section and section != Section.AFTER
            if again:
                self.problem(index, "part-doubled", f"{_HEADER_TITLE[section]} stands twice")
            else:
                self.problem(index, "line-out-of-place", f"{_HEADER_TITLE[section]} stands here once more")
            return
        self.headers_seen.add(section)
        self.advance(index, section, True)

    def place(self, index: int, section: int, header: int) -> bool:
        """Whether a line of a section is in its place; goes on to the section if only its header is missing."""
        if self.section == section:
            return True
        if self.section < section:
            comes_next = index + 1 < len(self.lines) and split_line(self.lines[index + 1]).kind == header
            if comes_next or not self.header_follows(index, header):
                self.advance(index, section, False)
                self.late_header = header if comes_next else LineKind.UNKNOWN
                return True
        self.problem(
            index,
            "line-out-of-place",
            "the line does not belong into this part of the round",
            found=_short(self.lines[index].rstrip(" ")),
            seat=None,
        )
        return False

    def seat_in_order(
        self, index: int, entries: list[Deal | None] | list[Gift | None], seat: int, part: int, kind: int
    ) -> int:
        """The seat that a seat's line of a part is for, or ``NO_SEAT`` for one that is too much.

        Lines stand in the order of seats. What is doubled, missing or has another seat's number is reported, once a
        part; a line with a wrong number is taken for the seat whose line is due if that seat has no other.
        """
        title = _PART_TITLE[part]
        due = next((other for other in range(4) if entries[other] is None), NO_SEAT)
        if seat == due:
            return seat
        new = part not in self.disorder
        if entries[seat] is not None and (due == NO_SEAT or self.follows(index, kind, due)):
            if new:
                self.problem(index, "part-doubled", f"{title} of seat {seat} stand twice", seat=seat)
            return NO_SEAT
        if new:
            self.disorder.add(part)
            if self.unread_lines == 0:
                self.problem(
                    index, "part-missing", f"{title} of seat {due} should stand here", f"({due})", f"({seat})", due
                )
        if entries[seat] is not None or (self.follows(index, kind, seat) and not self.follows(index, kind, due)):
            return due
        return seat

    # Kinds of lines -----------------------------------------------------------------------------------------------

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

    def report_lacking(self, index: int, part: int, seats: list[int]) -> None:
        """Reports the last seats' lines of a part as missing where another line stands in their place."""
        if part not in self.disorder:
            self.disorder.add(part)
            lacking = " and ".join(map(str, seats))
            self.problem(
                index,
                "part-missing",
                f"{_PART_TITLE[part]} of seat {lacking} should stand before this line",
                f"({lacking})",
                _short(self.lines[index].rstrip(" ")),
            )

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
                self.problem(index, "unknown-card", f"{_short(piece)!s} is no gift", "name: card", _short(piece), seat)
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
                index, "unknown-line", f"{_short(odd)} in the line BOMBE: is no player", "(0)name", _short(odd)
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
            self.problem(index, "result-repeated", "a second result for the same round", None, _short(text))
            return
        if self.section < Section.PLAY:
            self.advance(index, Section.PLAY, False)
        if numbers is None:
            self.problem(index, "result-unreadable", "the result is not two numbers", "two numbers", _short(text))
            numbers = (None, None)
        elif None in numbers:
            self.problem(index, "result-out-of-range", "no round can score that", None, _short(text))
        self.result = Result(index + 1, numbers[0], numbers[1], _short(text))
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
                    found=_short(self.lines[index].rstrip(" ")),
                )
            return
        number = index + 1
        if line.kind == LineKind.WISH:
            rank = WISH_RANKS.get(line.rest, 0)
            self.events.append(
                Event(EventKind.WISH, number, NO_SEAT, "", value=rank, text="" if rank else _short(line.rest))
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

    # End ----------------------------------------------------------------------------------------------------------

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


def _further(number: int) -> str:
    return f" (and {number} more problems in this round)" if number else ""


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
