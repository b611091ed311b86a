"""The parts of a round in a BrettspielWelt log: what comes next, what is missing, doubled or out of place."""

from __future__ import annotations

from typing import Final

from tichu_analytics.formats.bsw.lines import (
    DEALT_HEADER,
    EXCHANGE_HEADER,
    FIRST8_HEADER,
    PLAY_HEADER,
    Line,
    LineKind,
    split_line,
)
from tichu_analytics.formats.bsw.names import names_of_round
from tichu_analytics.record import Call, Deal, Event, EventKind, Gift, Problem, Result
from tichu_analytics.record.model import NO_SEAT, BombLine

# How far lines ahead are looked at: a round has some 100 lines, of which the deal and the exchange are 20.
LOOK_AHEAD: Final = 60
#: More problems than this in one round are only counted: it is not a round any more.
_MOST_PROBLEMS: Final = 1_000


class Section:
    """The parts of a round, in order."""

    FIRST8: Final = 0
    DEALT: Final = 1
    EXCHANGE: Final = 2
    PLAY: Final = 3
    AFTER: Final = 4


HEADER_SECTION: Final = {
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
PART_TITLE: Final = ("the first eight cards", "the fourteen cards", "what is given")


class Sections:
    """How far the reading of a round has come; see :class:`tichu_analytics.formats.bsw.builder.RoundBuilder`."""

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
        # An unreadable line may be the one that is missing next; then it has been reported already.
        self.unread_lines = 0
        self.disorder: set[int] = set()
        # The header did not come first; one that follows is not a second one.
        self.header_is_late = False
        self.late_header: int = LineKind.UNKNOWN
        self.late_line = -1

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

    def follows(self, index: int, kind: int, seat: int | None = None) -> bool:
        """Whether a line of a kind (and of a seat) comes before the next header."""
        for text in self.lines[index + 1 : index + 1 + LOOK_AHEAD]:
            found = split_line(text)
            if found.kind == kind and (seat is None or found.seat == seat):
                return True
            if found.kind in HEADER_SECTION:
                return False
        return False

    def header_follows(self, index: int, kind: int) -> bool:
        """Whether a header comes further down in this round."""
        for text in self.lines[index + 1 : index + 1 + LOOK_AHEAD]:
            if text[:1] == "(":
                continue
            found = split_line(text).kind
            if found == kind:
                return True
            if found == LineKind.FIRST8_HEADER or found == LineKind.RESULT:
                return False
        return False

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
                parts.append(f"{PART_TITLE[earlier]} of {seats}")
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
                shorten(self.lines[index].rstrip(" ")),
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
        section = HEADER_SECTION[line.kind]
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
            found=shorten(self.lines[index].rstrip(" ")),
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
        title = PART_TITLE[part]
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

    def report_lacking(self, index: int, part: int, seats: list[int]) -> None:
        """Reports the last seats' lines of a part as missing where another line stands in their place."""
        if part not in self.disorder:
            self.disorder.add(part)
            lacking = " and ".join(map(str, seats))
            self.problem(
                index,
                "part-missing",
                f"{PART_TITLE[part]} of seat {lacking} should stand before this line",
                f"({lacking})",
                shorten(self.lines[index].rstrip(" ")),
            )

    def seat_of(self, index: int, line: Line, instead: int) -> int:
        """The seat of a line; an impossible one is reported and replaced by the one whose line is due."""
        if 0 <= line.seat <= 3:
            return line.seat
        self.problem(
            index, "seat-out-of-range", f"there is no seat {line.seat}", "a seat from 0 to 3", f"({line.seat})"
        )
        return instead


def _further(number: int) -> str:
    return f" (and {number} more problems in this round)" if number else ""


def shorten(text: str, most: int = 60) -> str:
    """A text for a message, cut to a length that can be read."""
    return text if len(text) <= most else text[: most - 1] + "…"
