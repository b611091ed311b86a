"""The page on which a round is written down: rows with the line of the log, players in columns, findings in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tichu_analytics.record import Places
from tichu_analytics.record.notation import RANK_NAMES, card_bit
from tichu_analytics.replay.facts import RoundReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.view.columns import cell_width, cut, fit, fit_right, wrap
from tichu_analytics.view.escape import for_terminal, value_shown

#: The widest column of names, on a narrow terminal, and what a terminal is narrow below.
_NAME: Final = 14
_NARROW_NAME: Final = 8
_NARROW: Final = 60
#: The most cells that a name takes in a sentence; the list of seats has all of it.
_NAME_IN_TEXT: Final = 24
#: The longest rule below a title.
_RULE: Final = 80
#: The fewest cells that rows are broken to.
_FEWEST: Final = 20

PLACES: Final = ("first", "second", "third", "fourth")


class Paper(NamedTuple):
    """What is written on.

    Attributes:
        width: cells to a line, None for lines of any length.
        encoding: what the text will be encoded in; characters that it does not have become escapes.
    """

    width: int | None = None
    encoding: str = "utf-8"


class _Row(NamedTuple):
    """A row: the trick that it belongs to (0 for none), its text, and where its columns of text begin."""

    trick: int
    text: str
    hang: int


def shown(text: str, paper: Paper) -> str:
    """Text of a log as it can be written to the terminal: on one line, harmless, in characters that there are."""
    return encodable(for_terminal(text), paper)


def encodable(text: str, paper: Paper) -> str:
    """Text with escapes in place of characters that the encoding does not have."""
    if text.isascii():
        return text
    try:
        return text.encode(paper.encoding, "backslashreplace").decode(paper.encoding)
    except (LookupError, UnicodeError):
        return text.encode("ascii", "backslashreplace").decode("ascii")


class Sheet:
    """Takes the rows of a round in the order of the log and puts its findings between them, each at its line.

    Args:
        one: the round.
        paper: what is written on.
        places: for a record that has running numbers in place of lines, where its elements stand in the file. Rows are
            in the order of the numbers and show the lines of the file.

    Attributes:
        span: the first and the last line of the round in the file.
    """

    def __init__(self, one: RoundReplay, paper: Paper, places: Places | None = None) -> None:
        self.paper = paper
        self.trick = 0
        self._places = places
        self._rows: list[_Row] = []
        self._findings = findings_in_place(one, places)
        self._next = 0
        self.span = one.first_line, one.last_line
        if places is not None:
            # Lines of a file need not rise with the running numbers: the fields of an object may have any order.
            lines = [self.file_line(number) for number in range(one.first_line, one.last_line + 1)]
            lines += [finding.line for _, finding in self._findings]
            self.span = min(lines, default=0), max(lines, default=0)
        self._digits = max(5, len(str(self.span[1])))
        self.names = [shown(name, paper) for name in one.record.names]
        self._labels = name_labels(self.names)
        widest = _NAME if paper.width is None or paper.width >= _NARROW else _NARROW_NAME
        self._name_width = min(widest, max(map(cell_width, self.names)))

    def label(self, seat: int | None) -> str:
        """A player in a sentence: the name; with the seat where names are missing, the same, or like cards."""
        return "nobody" if seat is None or not 0 <= seat <= 3 else self._labels[seat]

    def player(self, seat: int | None) -> str:
        """A player as a column: seat and name, cut and filled up."""
        if seat is None or not 0 <= seat <= 3:
            return " " * (self._name_width + 2)
        return f"{seat} {fit(self.names[seat], self._name_width)}"

    def file_line(self, number: int) -> int:
        """The line of the file for a line of the log or a running number."""
        return number if self._places is None else self._places.line(self._places.pointer(number))

    def shown_line(self, number: int, line: int | None = None) -> int:
        """What stands in front of a row: the line of the file; in a record on a single line the running number.

        Args:
            number: the line or running number.
            line: the line of the file where that is known already.
        """
        if self._places is not None and self.span[0] == self.span[1]:
            return number
        return self.file_line(number) if line is None else line

    def heading(self, text: str) -> None:
        """Writes a heading below an empty line."""
        self._rows.append(_Row(self.trick, "", 0))
        self._rows.append(_Row(self.trick, text, 4))

    def title(self, text: str) -> None:
        """Writes a line with a rule below it."""
        rule = min(cell_width(text), self.paper.width or _RULE, _RULE)
        self._rows += [_Row(self.trick, text, 4), _Row(self.trick, "=" * rule, 0)]

    def row(self, line: int | None, text: str, hang: int = 0) -> None:
        """Writes a row for a line of the log, after the findings of the lines before it and before its own.

        Args:
            line: the line or running number, None for what has none of its own.
            text: what stands behind the line's number.
            hang: where in ``text`` its last column begins, to which a row that is broken is moved in.
        """
        start = self._digits + 2
        if line is not None:
            self.findings(line - 1)
        number = "" if line is None else str(self.shown_line(line))
        self._rows.append(_Row(self.trick, f"{fit_right(number, self._digits)}  {text}", start + hang))
        if line is not None:
            self.findings(line)

    def findings(self, up_to: int | None = None) -> None:
        """Writes the findings that are left up to a line or running number, or all."""
        while self._next < len(self._findings):
            at, finding = self._findings[self._next]
            if up_to is not None and at > up_to:
                return
            self._next += 1
            start = f"{fit_right(str(self.shown_line(at, finding.line)), self._digits)}  >>> "
            for text in finding_rows(finding, self.paper):
                self._rows.append(_Row(self.trick, start + text, len(start)))
                start = " " * len(start)

    def lines(self, trick: int | None = None) -> list[str]:
        """The rows as lines of text: all, or those of one trick."""
        width = self.paper.width
        written: list[str] = []
        for row in self._rows:
            if trick is not None and row.trick != trick:
                continue
            line = encodable(row.text.rstrip(" "), self.paper)
            written += [line] if width is None else wrap(line, max(width, _FEWEST), row.hang)
        return written


def findings_in_place(one: RoundReplay, places: Places | None) -> list[tuple[int, Finding]]:
    """The findings of a round in order, each with its line or running number.

    Args:
        one: the round.
        places: for a record that has running numbers in place of lines, where its elements stand in the file.
    """
    if places is None or not one.findings:
        return sorted(((finding.line, finding) for finding in one.findings), key=lambda entry: entry[0])
    numbers: dict[str, int] = {}
    for number in range(one.first_line, one.last_line + 1):
        numbers.setdefault(places.pointer(number), number)
    found = []
    for finding in one.findings:
        pointer = finding.pointer or ""
        # A place within an element belongs to it.
        while pointer and pointer not in numbers:
            pointer = pointer.rpartition("/")[0]
        found.append((numbers.get(pointer, one.first_line), finding))
    return sorted(found, key=lambda entry: entry[0])


def name_labels(names: Sequence[str]) -> list[str]:
    """The four players as they are called in a sentence: by name, cut to 24 cells.

    Where names are missing, the same, or would be taken for a number or a card, the seat stands with each.

    Args:
        names: the names by seat, safe to show.
    """
    short = [cut(name.strip(), _NAME_IN_TEXT) for name in names]
    plain = len(set(short)) == 4 and not any(map(_misleads, short))
    return [name if plain else f"{name} (seat {seat})" if name else f"seat {seat}" for seat, name in enumerate(short)]


def _misleads(name: str) -> bool:
    """Whether a name in a sentence would be taken for something else: an empty one, a number, a card."""
    if not name or name.isdecimal():
        return True
    try:
        card_bit(name)
    except ValueError:
        return False
    return True


def finding_rows(finding: Finding, paper: Paper) -> list[str]:
    """A finding in words: what is wrong, and below what was expected and found where it says so."""
    rows = [f"{finding.code} {finding.name} [{finding.severity}]: {shown(finding.message, paper)}"]
    details = [
        f"{label}: {shown(value_shown(value), paper)}"
        for label, value in (("expected", finding.expected), ("found", finding.found))
        if value is not None
    ]
    return [*rows, "; ".join(details)] if details else rows


def rank_name(rank: int) -> str:
    """The rank of a wish: ``5``, ``A``."""
    return RANK_NAMES[rank] if 0 <= rank < len(RANK_NAMES) else str(rank)


def available(noun: str, count: int) -> str:
    """What there is in place of what was asked for."""
    if count == 0:
        return f"it has no {noun}s"
    return f"it has only {noun} 1" if count == 1 else f"it has {noun}s 1 to {count}"
