"""Reads BrettspielWelt logs into records. Reading never stops at a damage: the rest of the file is still read."""

from __future__ import annotations

from tichu_analytics.formats.bsw.builder import RoundBuilder
from tichu_analytics.formats.bsw.lines import (
    CARD_BITS,
    CARD_MASKS,
    FIRST8_HEADER,
    LONGEST_LINE,
    LineKind,
    parse_cards,
    result_numbers,
    split_line,
)
from tichu_analytics.formats.bsw.sections import Section, shorten
from tichu_analytics.formats.bsw.text import LogText, read_text
from tichu_analytics.record import Deal, Event, EventKind, Game, Gift, Problem, Round

_SEATS = ("(0)", "(1)", "(2)", "(3)")
_new = tuple.__new__


def read_game(data: bytes, path: str, game_id: str, month: str | None = None) -> Game:
    """Reads one log.

    Args:
        data: the bytes of the file.
        path: how the log is named in findings.
        game_id: the id of the game.
        month: ``YYYYMM`` where the archive's folder tells it.

    Returns:
        The game with all its rounds, and what was noticed in reading them as problems. Never raises for anything that
        a file may contain.
    """
    text = read_text(data)
    reader = _Reader(text.lines, text.cut)
    reader.read()
    problems = [*text.problems, *reader.problems]
    rounds = reader.rounds
    if not rounds:
        what = "the file is empty" if not data.strip() else "the file has no round of Tichu"
        # Of a file that is no log, one thing is wrong: encoding, line ends and blank lines are not worth a word.
        odd = [problem for problem in reader.problems if problem.name != "blank-line"]
        problems = [Problem(1, "no-rounds", None, what, "rounds of a BrettspielWelt log", None), *odd[:1]]
        if len(odd) > 1:
            problems[1] = odd[0]._replace(message=f"{odd[0].message}; neither are {len(odd) - 1} other places below")
    kept: list[Problem] = []
    for problem in problems:
        home = _round_with(rounds, problem.line) if problem.name == "control-characters" else None
        if home is None:
            kept.append(problem)
        else:
            rounds[home] = rounds[home]._replace(problems=(*rounds[home].problems, problem))
    return Game(path, game_id, "bsw", None, tuple(rounds), tuple(kept), month)


def read_rounds(text: LogText, first: int, stop: int, number: int) -> tuple[Round, ...] | None:
    """Reads a part of a log that begins with the header of a round, as if the whole log were read.

    Args:
        text: the whole log; there is nothing to say about the file itself.
        first: the index of the line with the header. Before it stands nothing, or a whole round with its result.
        stop: the index of a later line with the header of a round, or the number of lines.
        number: the number of the first round.

    Returns:
        The rounds; None if by the lines before it no round begins at ``stop``.
    """
    reader = _Reader(text.lines, text.cut, number)
    reader.read(first, stop)
    if stop < len(text.lines) and not reader.begins_at(stop):
        return None
    return None if reader.problems else tuple(reader.rounds)


def _round_with(rounds: list[Round], line: int) -> int | None:
    for index, one in enumerate(rounds):
        if one.first_line <= line <= one.last_line:
            return index
    return None


class _Reader:
    """Goes through the lines of a log once; regular lines take a short way, all others are taken apart."""

    def __init__(self, lines: list[str], cut: bool, number: int = 1) -> None:
        self.lines = lines
        self.cut = cut
        # The number of the first round that is read.
        self.number = number
        self.rounds: list[Round] = []
        self.problems: list[Problem] = []
        self.builder: RoundBuilder | None = None
        # A run of unreadable or blank lines is one finding.
        self.run_kind = LineKind.PASS
        self.run_length = 0

    def read(self, index: int = 0, stop: int | None = None) -> None:
        """Reads the lines from an index to another, at which a round begins, or to the end."""
        lines = self.lines
        count = len(lines) if stop is None else stop
        while index < count:
            builder = self.builder
            if builder is not None:
                if builder.section == Section.PLAY:
                    index = self.read_course(builder, index)
                elif builder.section != Section.AFTER:
                    index = self.read_regular(builder, index)
                if index >= count:
                    break
            self.read_line(index)
            index += 1
        if count == len(lines):
            self.close(True)

    def begins_at(self, index: int) -> bool:
        """Whether the line at an index, the next one, begins a round in its own right; the one before is closed."""
        rounds = len(self.rounds)
        self.read_line(index)
        builder = self.builder
        return (
            len(self.rounds) == rounds + 1
            and builder is not None
            and builder.first_line == index + 1
            and not builder.problems
        )

    def close(self, is_last: bool) -> None:
        if self.builder is not None:
            self.rounds.append(self.builder.build(is_last))
            self.builder = None

    def new_builder(self, index: int) -> RoundBuilder:
        return RoundBuilder(self.number + len(self.rounds), index, self.lines)

    # Regular lines ------------------------------------------------------------------------------------------------

    def read_regular(self, builder: RoundBuilder, index: int) -> int:
        """Reads regular lines of deal and exchange as far as they go; returns the index of the first other line."""
        lines = self.lines
        count = len(lines) - 1 if self.cut else len(lines)
        get = CARD_BITS.get
        while index < count:
            if len(lines[index]) > LONGEST_LINE:
                return index
            words = lines[index].split(" ")
            section = builder.section
            if section == Section.EXCHANGE:
                seat = builder.gift_count
                if (
                    seat == 4
                    or len(words) != 12
                    or words[1] != "gibt:"
                    or not words[4] == words[7] == words[10] == "-"
                    or words[11]
                    or words[0][:3] != _SEATS[seat]
                ):
                    return index
                cards = (get(words[3]), get(words[6]), get(words[9]))
                names = (words[2], words[5], words[8])
                if None in cards or not (names[0][-1:] == names[1][-1:] == names[2][-1:] == ":"):
                    return index
                builder.add_regular_gift(
                    _new(
                        Gift,
                        (
                            index + 1,
                            seat,
                            words[0][3:],
                            (names[0][:-1], names[1][:-1], names[2][:-1]),
                            cards,
                            True,
                        ),
                    )
                )
            else:
                size = 8 if section == Section.FIRST8 else 14
                deals = builder.first8 if size == 8 else builder.dealt
                seat = builder.first8_count if size == 8 else builder.dealt_count
                if len(words) != size + 2 or words[-1] or seat == 4 or words[0][:3] != _SEATS[seat]:
                    return index
                bits = [get(word) for word in words[1:-1]]
                if None in bits or ":" in words[0]:
                    return index
                mask = 0
                for bit in bits:
                    mask |= CARD_MASKS[bit]  # type: ignore[index]
                deals[seat] = _new(Deal, (index + 1, seat, words[0][3:], tuple(bits), mask))
                if size == 8:
                    builder.first8_count = seat + 1
                else:
                    builder.dealt_count = seat + 1
                builder.last_line = index + 1
            index += 1
            self.run_kind = LineKind.PASS
        return index

    def read_course(self, builder: RoundBuilder, index: int) -> int:
        """Reads regular passes and plays as far as they go; returns the index of the first other line."""
        lines = self.lines
        count = len(lines) - 1 if self.cut else len(lines)
        passes = builder.passes
        heads = builder.heads
        events = builder.events
        append = events.append
        start = index
        none = ()
        while index < count:
            line = lines[index]
            index += 1
            hit = passes.get(line)
            if hit is not None:
                append(_new(Event, (EventKind.PASS, index, hit[0], hit[1], none, 0, 0, "", 0)))
                continue
            head, _, rest = line.partition(": ")
            hit = heads.get(head)
            if hit is None or not rest:
                index -= 1
                break
            found = parse_cards(rest)
            if found.unknown or found.blanks or len(found.cards) > 14:
                index -= 1
                break
            append(_new(Event, (EventKind.PLAY, index, hit[0], hit[1], found.cards, found.mask, 0, "", 0)))
        if index > start:
            builder.last_line = index
            self.run_kind = LineKind.PASS
        return index

    # Any line -----------------------------------------------------------------------------------------------------

    def problem(
        self, index: int, name: str, message: str, expected: str | None = None, found: str | None = None
    ) -> None:
        problem = Problem(index + 1, name, None, message, expected, found)
        if self.builder is None:
            self.problems.append(problem)
        else:
            self.builder.problems.append(problem)

    def read_line(self, index: int) -> None:
        """Reads one line of any kind in the place where it stands."""
        text = self.lines[index]
        line = split_line(text)
        kind = line.kind
        if self.cut and index == len(self.lines) - 1 and self.read_half_line(index, kind, text):
            return
        if kind in (LineKind.BLANK, LineKind.UNKNOWN):
            self.read_odd_line(index, kind, text)
            return
        self.run_kind = kind
        builder = self.builder
        if kind == LineKind.FIRST8_HEADER:
            self.first8_header(index, line.exact)
            return
        if builder is None or (builder.section == Section.AFTER and kind in (LineKind.DEAL, LineKind.DEALT_HEADER)):
            if kind in (LineKind.DEAL, LineKind.DEALT_HEADER) and self.opens_round(index, line.seat):
                lost = self.lost_header(index)
                self.close(False)
                builder = self.builder = self.new_builder(index)
                if lost is None:
                    builder.header_missing(index)
                else:
                    builder.header_is_late = True
                    builder.first_line = lost.line
                    builder.problems.append(lost)
            elif builder is None:
                self.problem(index, "line-out-of-place", "the line stands before any round", found=shorten(text))
                return
        builder.feed(index, line, text)

    def read_half_line(self, index: int, kind: int, text: str) -> bool:
        """The last line of a file that has no end: a result is a result, anything else belongs to a truncation."""
        builder = self.builder
        if kind == LineKind.BLANK:
            return False
        if kind == LineKind.RESULT and result_numbers(text[9:]) is not None:
            if builder is not None:
                # It may lack digits; that shows when the score is compared.
                builder.cut = True
            return False
        if builder is not None and builder.section != Section.AFTER:
            builder.cut = True
            builder.last_line = index + 1
            return True
        if FIRST8_HEADER.startswith(text):
            self.close(False)
            self.builder = self.new_builder(index)
            self.builder.cut = True
            return True
        return False

    def read_odd_line(self, index: int, kind: int, text: str) -> None:
        builder = self.builder
        if kind == LineKind.BLANK and builder is not None and builder.section == Section.AFTER:
            return
        if self.run_kind == kind:
            self.run_length += 1
            problems = self.problems if builder is None else builder.problems
            what = "blank lines" if kind == LineKind.BLANK else "lines that are none of a BrettspielWelt log"
            problems[-1] = problems[-1]._replace(message=f"{self.run_length} {what} from here on")
        elif kind == LineKind.BLANK:
            self.run_length = 1
            self.problem(index, "blank-line", "a blank line inside a round")
        else:
            self.run_length = 1
            what = "the line is none of a BrettspielWelt log"
            if len(text) > len(shorten(text)):
                what += f" ({len(text):,} characters)"
            self.problem(index, "unknown-line", what, "a line of the format", shorten(text))
        self.run_kind = kind
        if builder is not None:
            builder.odd_line(index, kind == LineKind.UNKNOWN, text)

    def first8_header(self, index: int, exact: bool) -> None:
        builder = self.builder
        if builder is not None and builder.section != Section.AFTER:
            if builder.section == Section.FIRST8 and builder.header_is_late:
                builder.header_is_late = False
                builder.last_line = index + 1
                return
            if builder.section == Section.FIRST8 and not any(builder.first8):
                builder.problem(index, "part-doubled", "the header of the first eight cards stands twice")
                builder.last_line = index + 1
                return
            if not self.begins_round(index):
                builder.problem(
                    index,
                    "line-out-of-place",
                    "the header of a new round stands inside a round",
                    found=shorten(self.lines[index]),
                )
                builder.last_line = index + 1
                return
        self.close(False)
        self.builder = self.new_builder(index)
        if not exact:
            self.builder.damaged_header(index, FIRST8_HEADER)

    def lost_header(self, index: int) -> Problem | None:
        """Takes back the problem of an unreadable or blank line just before a round that has no header.

        That line was the header; its problem belongs to the round that begins here.
        """
        problems = self.problems if self.builder is None else self.builder.problems
        if problems and problems[-1].line == index and problems[-1].name in ("unknown-line", "blank-line"):
            return problems.pop()
        return None

    def opens_round(self, index: int, seat: int) -> bool:
        """Whether a deal line behind a result begins a round whose header is missing or comes one line late.

        Otherwise it is a stray line, and the next round has its own header.
        """
        kinds = [split_line(text) for text in self.lines[index + 1 : index + 3]]
        if not kinds or kinds[0].kind != LineKind.FIRST8_HEADER:
            return True
        return seat == 0 and len(kinds) > 1 and kinds[1].kind == LineKind.DEAL and kinds[1].seat == 1

    def begins_round(self, index: int) -> bool:
        """Whether the header at this place really begins a round: the next line is of a deal, or nothing comes."""
        for following in self.lines[index + 1 : index + 4]:
            kind = split_line(following).kind
            if kind in (LineKind.DEAL, LineKind.FIRST8_HEADER, LineKind.DEALT_HEADER):
                return True
            if kind not in (LineKind.BLANK, LineKind.UNKNOWN):
                return False
        return True
