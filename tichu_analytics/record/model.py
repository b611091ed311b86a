"""The record of a game: claims of a log, nothing worked out, nothing repaired.

Cards are bit numbers (:mod:`tichu_analytics.rules.cards`) in the order in which the log has them; a card that could not
be read is ``UNKNOWN_CARD``. Lines are numbered from 1. A record that is no text of lines (TGR) has running numbers in
their place, those of the lines that it would have as a BrettspielWelt log; :class:`Places` leads from them to the file.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, Protocol

#: Stands for a card that the log names but that is none; no bit of a hand.
UNKNOWN_CARD: Final = 56
UNKNOWN_MASK: Final = 1 << UNKNOWN_CARD

#: Stands for a seat that could not be read.
NO_SEAT: Final = -1


class EventKind:
    """The kinds of :class:`Event`, small integers."""

    PASS: Final = 0
    PLAY: Final = 1
    WISH: Final = 2
    TICHU: Final = 3
    GRAND: Final = 4
    GIFT: Final = 5
    #: A line of which nothing but its place is known: something may have happened here.
    UNREADABLE: Final = 6
    #: The owner takes the trick, in records that mark it by an event of its own (see ``Round.marks_collects``).
    COLLECT: Final = 7


#: Values of ``Event.turn``; 0 where the record does not say it.
IN_TURN: Final = 1
OUT_OF_TURN: Final = 2


class Event(NamedTuple):
    """One line of the course of a round.

    Attributes:
        kind: one of :class:`EventKind`. A pass may be the owner's taking of the trick; the record does not say which.
        line: its line.
        seat: who acts; the receiver for a Dragon gift; ``NO_SEAT`` for a wish or where it could not be read.
        name: the player's name on this line, possibly empty.
        cards: the cards of a play in the order written.
        mask: the same cards as a set; a card written twice is in it once.
        value: the rank of a wish (0 for something that is no rank), the rank declared for the Phoenix in a play (0 for
            none).
        text: what stands for the rank of a wish that is none, or the unreadable line.
        turn: whether the record says of a play that it was ``IN_TURN`` or ``OUT_OF_TURN``; 0 if it does not.
    """

    kind: int
    line: int
    seat: int
    name: str
    cards: tuple[int, ...] = ()
    mask: int = 0
    value: int = 0
    text: str = ""
    turn: int = 0


class Deal(NamedTuple):
    """The cards of a seat as dealt: the first eight, or all fourteen."""

    line: int
    seat: int
    name: str
    cards: tuple[int, ...]
    mask: int


class Gift(NamedTuple):
    """What a seat gives away in the exchange, in the order right (seat + 1), partner, left (seat + 3).

    Attributes:
        names: the receivers' names as the line has them, in that order.
        cards: the cards in that order; ``UNKNOWN_CARD`` where one is missing or could not be read.
        complete: whether the line has just three readable gifts.
    """

    line: int
    seat: int
    name: str
    names: tuple[str, ...]
    cards: tuple[int, int, int]
    complete: bool


class Call(NamedTuple):
    """A call before the course of the round.

    Attributes:
        grand: Grand Tichu, else Tichu.
        exchange_begun: the line stands after the header of the exchange.
        seen: how many cards the caller had taken up by the word of the record: 8, 14, or 0 if it does not say; then
            Grand Tichu was called with 8 and Tichu with 14.
    """

    line: int
    seat: int
    name: str
    grand: bool
    exchange_begun: bool
    seen: int = 0


class BombLine(NamedTuple):
    """The ``BOMBE:`` line: the seats and names it gives, in its order; ``NO_SEAT`` for what is no seat."""

    line: int
    seats: tuple[int, ...]
    names: tuple[str, ...]


class Result(NamedTuple):
    """The score as logged; None for a number that is missing, unreadable or out of range."""

    line: int
    score_0: int | None
    score_1: int | None
    text: str


class Problem(NamedTuple):
    """Something that a reader noticed while reading.

    Attributes:
        line: where it shows.
        name: the name of the finding that it becomes, ``unknown-card``.
        seat: the seat it concerns, or None.
        message: a sentence without place and code.
        expected, found: as in a finding.
        pointer: the JSON pointer of the place where that is none of those with a line.
    """

    line: int
    name: str
    seat: int | None
    message: str
    expected: str | None = None
    found: str | None = None
    pointer: str | None = None


class Round(NamedTuple):
    """One round as the log has it.

    Attributes:
        number: from 1.
        first_line, last_line: its lines in the file; blank lines after the result are not counted.
        first8, dealt: one entry a seat, None where the line is missing.
        calls: the calls before the course of the round, in the order of the log.
        gifts: one entry a seat that gives, None where the line is missing.
        bomb_line: the log's own list of who holds a bomb after the exchange.
        play_line: the line of the header of the course of the round, or of what stands in its place; 0 if the round
            breaks off before.
        events: the course of the round, in the order of the log. Lines after the result belong to it too.
        result: the logged score, or None.
        names: the name of each seat from the exchange on; from the deal where the round breaks off before.
        plain_names: every line has the name of its seat, so that names need no further look.
        problems: what the reader noticed in this round.
        is_last: no further round follows in the file.
        cut: the file ends without an end of line, and this last line is part of the round but no event.
        explicit_ends: the log marks the taking of a trick; otherwise the last pass ends it.
        marks_collects: it does so by events of their own, and a pass is always a pass; otherwise the owner's pass
            takes the trick.
        score_due: the record must have the score.
        bombs_due: the record must name those who hold a bomb after the exchange.
    """

    number: int
    first_line: int
    last_line: int
    first8: tuple[Deal | None, ...]
    dealt: tuple[Deal | None, ...]
    calls: tuple[Call, ...]
    gifts: tuple[Gift | None, ...]
    bomb_line: BombLine | None
    play_line: int
    events: tuple[Event, ...]
    result: Result | None
    names: tuple[str, str, str, str]
    plain_names: bool
    problems: tuple[Problem, ...]
    is_last: bool
    cut: bool
    explicit_ends: bool = True
    marks_collects: bool = False
    score_due: bool = True
    bombs_due: bool = True

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import recorded_round_in_notebook

        return recorded_round_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self._in_words())

    def __repr__(self) -> str:
        return f"<{self._in_words()}>"

    def _in_words(self) -> str:
        return f"Round {self.number} as recorded, lines {self.first_line}-{self.last_line}"


class Places(Protocol):
    """Leads from the running numbers of a record that is no text of lines to places in its file."""

    def pointer(self, number: int) -> str:
        """The JSON pointer of the element that has a number in place of a line."""

    def line(self, pointer: str) -> int:
        """The line in the file on which an element begins."""


class Game(NamedTuple):
    """One recorded game.

    Attributes:
        path: the log as it was named.
        game_id: the record's own id, or the file's name without its ending.
        format: ``bsw`` for a BrettspielWelt log, ``tgr`` for a TGR record.
        rules: the rule set that the record names, or None.
        rounds: its rounds.
        problems: what the reader noticed about the file as a whole.
        month: ``YYYYMM`` where the archive's folder or the record tells it, else None.
        options: the options that the record sets beside the rule set, as names and values.
        places: where the elements stand in the file, if their numbers are no lines.
        document: the TGR document of the game where there is one; it has all that a record has no place for.
    """

    path: str
    game_id: str
    format: str
    rules: str | None
    rounds: tuple[Round, ...]
    problems: tuple[Problem, ...]
    month: str | None = None
    options: tuple[tuple[str, str | int], ...] = ()
    places: Places | None = None
    document: Mapping[str, Any] | None = None

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import recorded_game_in_notebook

        return recorded_game_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(self._in_words())

    def __repr__(self) -> str:
        return f"<{self._in_words()}>"

    def _in_words(self) -> str:
        from tichu_analytics.view.escape import for_terminal

        number = "1 round" if len(self.rounds) == 1 else f"{len(self.rounds)} rounds"
        return for_terminal(f"Game {self.game_id} as recorded in {self.path}: {number}")
