"""A round as a list of scenes, which text, page and notebook draw. A scene is the table at one moment, all hands open.

Scenes are there for whatever a log says: first eight cards, deal, calls, exchange, every line of the course, the result
and what comes after it. In a damaged round they show what is known at that moment.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import Final, Literal, NamedTuple

from tichu_analytics.record import Call, Event, EventKind, Places
from tichu_analytics.replay.facts import FOUR_NOTHINGS, Move, RoundReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.positions import Position, positions
from tichu_analytics.rules.calls import HAND_CARDS
from tichu_analytics.rules.cards import DECK
from tichu_analytics.view import saying
from tichu_analytics.view.saying import Words
from tichu_analytics.view.sheet import Paper, Sheet, findings_in_place

Kind = Literal[
    "first8",
    "deal",
    "call",
    "exchange",
    "start",
    "play",
    "pass",
    "take",
    "wish",
    "tichu",
    "grand",
    "gift",
    "unreadable",
    "result",
]
Four = tuple[int, int, int, int]

_KINDS: Final[dict[int, Kind]] = {
    EventKind.PASS: "pass",
    EventKind.PLAY: "play",
    EventKind.WISH: "wish",
    EventKind.TICHU: "tichu",
    EventKind.GRAND: "grand",
    EventKind.GIFT: "gift",
    EventKind.COLLECT: "take",
}


#: The most plays that are shown on the table; no trick that is legally played has more.
_MOST_PLAYS: Final = 56


class Laid(NamedTuple):
    """Cards that were played and lie on the table.

    Attributes:
        number: line or running number of the play.
        seat: whose cards they are.
        cards: the cards in the order written.
        words: what they are, where the cards alone do not say it; possibly empty.
        stands: the rank that the Phoenix among them stands for, else an empty text.
        bomb: whether they are a bomb.
        out_of_turn: whether another seat was to act.
    """

    number: int
    seat: int
    cards: tuple[int, ...]
    words: str
    stands: str
    bomb: bool
    out_of_turn: bool


class Scene(NamedTuple):
    """The table at one moment of a round, after what ``said`` tells.

    Attributes:
        kind: what happened.
        number: its line in the log, or its running number in a record that is no text of lines; where a scene stands
            for several lines, the last.
        line: the line to show: that of the file, or the running number where a whole record is on one line.
        seat: who acts or whom it concerns, or None.
        said: what happened, as a sentence.
        trick: the number of the trick it belongs to, 0 before the first.
        move: how many plays and passes there have been so far: the number of this one, if it is one.
        hands: the cards of each seat as sets; after a fault, what is known of them.
        marked: cards in the hands to point out: those that are given away, or have been received.
        table: the plays of the trick so far, the last one at the end; of more than 56 the last.
        passed: the seats that have passed since.
        turn: the seat to act, or None.
        wish: the rank of the open wish, 0 for none.
        active: the seats that still hold cards.
        finish: the seats in the order of going out so far.
        points: card points in the tricks that each seat has taken so far.
        calls: by seat ``tichu``, ``grand`` or an empty text.
        findings: what is wrong here.
        over: whether the round is over.
    """

    kind: Kind
    number: int
    line: int
    seat: int | None
    said: Words
    trick: int
    move: int
    hands: Four
    marked: Four
    table: tuple[Laid, ...]
    passed: tuple[int, ...]
    turn: int | None
    wish: int
    active: tuple[int, ...]
    finish: tuple[int, ...]
    points: Four
    calls: tuple[str, ...]
    findings: tuple[Finding, ...]
    over: bool


class RoundView(NamedTuple):
    """A round for showing.

    Attributes:
        one: the round.
        names: the players' names by seat, safe to show on one line.
        labels: what the players are called in a sentence.
        span: its first and last line in the file.
        scenes: its scenes in the order of the log, at least one.
        tricks: for each trick the number (from 0) of its first scene.
    """

    one: RoundReplay
    names: tuple[str, ...]
    labels: tuple[str, ...]
    span: tuple[int, int]
    scenes: tuple[Scene, ...]
    tricks: tuple[int, ...]


def round_view(one: RoundReplay, places: Places | None = None) -> RoundView:
    """The scenes of a round.

    Args:
        one: the round, in whatever state.
        places: for a record that is no text of lines, where its elements stand in the file (``Game.places``).
    """
    sheet = Sheet(one, Paper(), places)
    scenes = _Builder(one, sheet).build()
    scenes = _with_findings(scenes, one, places)
    numbers = [scene.trick for scene in scenes]
    tricks = tuple(min(bisect_left(numbers, trick.number), len(scenes) - 1) for trick in one.tricks)
    labels = tuple(sheet.label(seat) for seat in range(4))
    return RoundView(one, tuple(sheet.names), labels, sheet.span, tuple(scenes), tricks)


def _with_findings(scenes: list[Scene], one: RoundReplay, places: Places | None) -> list[Scene]:
    """Puts every finding of the round to the scene of its line, or to the next one that there is."""
    if not one.findings:
        return scenes
    placed = findings_in_place(one, places)
    if places is None and any(finding.pointer is not None for finding in one.findings):
        # A round of a record by itself does not know where its elements stand.
        placed = [(0, finding) for finding in one.findings]
    at: dict[int, list[Finding]] = {}
    numbers = [scene.number for scene in scenes]
    for number, finding in placed:
        index = min(bisect_left(numbers, number), len(scenes) - 1)
        at.setdefault(index, []).append(finding)
    return [scene._replace(findings=tuple(at[index])) if index in at else scene for index, scene in enumerate(scenes)]


class _Builder:
    """Makes the scenes of a round, one after the other."""

    def __init__(self, one: RoundReplay, sheet: Sheet) -> None:
        self.one = one
        self.sheet = sheet
        self.scenes: list[Scene] = []
        self.opened = 0
        self.closed = 0
        self.named: int | None = None
        self.moves = 0
        self._on_table = 0
        self._plays: tuple[Laid, ...] = ()
        self._passed: tuple[int, ...] = ()

    def build(self) -> list[Scene]:
        """All scenes, in the order of the log."""
        one, record = self.one, self.one.record
        steps = positions(one)
        first = next(steps)
        self._set_up()
        if record.play_line or record.events:
            number = record.play_line or record.first_line
            marked = _exchanged(one, received=True)
            self._add("start", number, first.turn, saying.start_words(first, bool(record.events)), first, marked)
        last, done = first, 0
        result = record.result
        for after in steps:
            assert after.event is not None
            if result is not None and last.line <= result.line < after.event.line:
                self._result(last)
            self._event(after.event, last, after)
            last, done = after, done + 1
        if result is None or not any(scene.kind == "result" for scene in self.scenes):
            self._result(last)
        for event in record.events[done:]:
            kind = _KINDS.get(event.kind, "unreadable")
            self._add(kind, event.line, _seat(event.seat), saying.event_words(event, " after the result"), last)
        return self.scenes

    # Before the course ------------------------------------------------------------------------------------------------

    def _set_up(self) -> None:
        """What was dealt, called and given, in the order of the log; lines of one sort next to each other are one."""
        one, record = self.one, self.one.record
        entries: list[tuple[int, Kind, Call | None]] = [
            *((deal.line, "first8", None) for deal in record.first8 if deal is not None),
            *((deal.line, "deal", None) for deal in record.dealt if deal is not None),
            *((gift.line, "exchange", None) for gift in record.gifts if gift is not None),
            *((call.line, "call", call) for call in record.calls),
        ]
        entries.sort(key=lambda entry: entry[0])
        hands = FOUR_NOTHINGS
        for line, kind, call in entries:
            if call is not None:
                self._quiet(kind, line, hands, _seat(call.seat), saying.call_words(call))
                continue
            marked = FOUR_NOTHINGS
            # Of who has no line of fourteen cards the eight are known, or what the three others leave.
            whole = [cards.bit_count() == HAND_CARDS for cards in one.dealt]
            known: Sequence[object] = [deal or is_whole for deal, is_whole in zip(record.dealt, whole, strict=True)]
            if kind == "first8":
                known = hands = one.first8
            else:
                hands = one.dealt
                if kind == "exchange":
                    marked = _exchanged(one, received=False)
                    known = [None if cards is None else True for cards in one.exchanged]
            missing = [seat for seat in range(4) if not known[seat]]
            if self.scenes and self.scenes[-1].kind == kind:
                self.scenes[-1] = self.scenes[-1]._replace(number=line)
                continue
            self._quiet(kind, line, hands, None, saying.set_up_words(kind, missing), marked)

    def _quiet(
        self, kind: Kind, number: int, hands: Four, seat: int | None, said: Words, marked: Four = FOUR_NOTHINGS
    ) -> None:
        """Adds a scene before the course."""
        active = tuple(range(4))
        position = Position(
            0, number, None, None, hands, active, None, 0, 0, 0, 0, None, 0, FOUR_NOTHINGS, (), 1, False
        )
        self._add(kind, number, seat, said, position, marked)

    # The course -------------------------------------------------------------------------------------------------------

    def _event(self, event: Event, before: Position, after: Position) -> None:
        """Adds the scene of an event."""
        one, move = self.one, after.move
        said: list[Words] = []
        kind: Kind = _KINDS.get(event.kind, "unreadable")
        seat = _seat(event.seat)
        table: tuple[Laid, ...] | None = None
        passed: tuple[int, ...] = ()
        trick = None
        if move is not None:
            self.moves += 1
            said += self._closings(move.trick - 1, after)
            self.opened = max(self.opened, move.trick)
            table, passed = self._table(move)
            if not move.cards and after.owner is None:
                table, passed = (), ()
            said.append(saying.move_words(move, before, after, one.wish) if move.cards else (move.seat, " passes."))
        elif event.kind in (EventKind.PASS, EventKind.COLLECT) and self._takes(event):
            kind = "take"
            trick, table = self.closed + 1, ()
            said += self._closings(trick, after)
        elif event.kind == EventKind.GIFT:
            said.append(self._gift(event, after))
        else:
            if event.kind == EventKind.WISH and one.wish is not None and one.wish.line == event.line:
                seat = one.wish.seat
            said.append(saying.event_words(event._replace(seat=-1 if seat is None else seat), _where(before)))
        for place, out in enumerate(after.finish):
            if out not in before.finish and (move is None or out != event.seat):
                said.append((out, f" is out {saying.PLACES[place]} and plays no more."))
        said += self._closings(after.trick - 1, after)
        self._add(kind, event.line, seat, saying.joined(said), after, table=table, passed=passed, trick=trick)

    def _takes(self, event: Event) -> bool:
        """Whether a pass line or the like is the taking of the trick that lies on the table."""
        tricks = self.one.tricks
        return self.closed < len(tricks) and tricks[self.closed].collect_line == event.line

    def _closings(self, number: int, after: Position) -> list[Words]:
        """What became of the tricks up to this number, as sentences."""
        said = []
        while self.closed < min(number, len(self.one.tricks)):
            trick = self.one.tricks[self.closed]
            self.closed += 1
            self.opened = max(self.opened, self.closed)
            said.append(saying.taking_words(trick, after.turn, self.named))
            self.named = None
        return [words for words in said if words]

    def _gift(self, event: Event, after: Position) -> Words:
        """The naming of the receiver of the Dragon's trick."""
        given = [trick for trick in self.one.tricks[: self.closed] if trick.dragon_to == event.seat]
        if given and given[-1].last_line == event.line:
            return (event.seat, f" is given the Dragon's trick: {saying.points_text(given[-1].points)}.")
        self.named = event.seat
        return saying.event_words(event, _where(after) if after.over else "")

    def _table(self, move: Move) -> tuple[tuple[Laid, ...], tuple[int, ...]]:
        """The plays of the trick up to a move, and who has passed since the last of them."""
        if move.trick != self._on_table:
            self._on_table, self._plays, self._passed = move.trick, (), ()
        if move.cards:
            words, stands = saying.laid_words(move)
            laid = Laid(move.line, move.seat, move.cards, words, stands, move.bomb, move.out_of_turn)
            self._plays = (*self._plays[1 - _MOST_PLAYS :], laid)
            self._passed = ()
        elif move.seat not in self._passed:
            self._passed = (*self._passed, move.seat)
        return self._plays, self._passed

    def _result(self, last: Position) -> None:
        """Adds the scene of the result."""
        result = self.one.record.result
        number = max(
            self.one.last_line if result is None else result.line, self.scenes[-1].number if self.scenes else 0
        )
        self._add("result", number, None, saying.result_words(self.one, last), last._replace(turn=None), table=())

    def _add(
        self,
        kind: Kind,
        number: int,
        seat: int | None,
        said: Words,
        position: Position,
        marked: Four = FOUR_NOTHINGS,
        *,
        table: tuple[Laid, ...] | None = None,
        passed: tuple[int, ...] = (),
        trick: int | None = None,
    ) -> None:
        """Adds a scene with what is known at a position."""
        if table is None:
            # A wish or a call changes nothing on the table.
            lies = self.scenes and position.owner is not None
            table, passed = (self.scenes[-1].table, self.scenes[-1].passed) if lies else ((), ())
        calls = tuple(
            "" if call is None or call.line > number else "grand" if call.grand else "tichu" for call in self.one.calls
        )
        self.scenes.append(
            Scene(
                kind,
                number,
                self.sheet.shown_line(number),
                seat,
                said,
                self.opened if trick is None else trick,
                self.moves,
                position.hands,
                marked,
                table,
                passed,
                position.turn,
                position.wish,
                position.active,
                position.finish,
                position.points,
                calls,
                (),
                position.over,
            )
        )


def _seat(seat: int) -> int | None:
    return seat if 0 <= seat <= 3 else None


def _where(position: Position) -> str:
    """What is said of events behind the end of the round."""
    return " after the end of the round" if position.over else ""


def _exchanged(one: RoundReplay, *, received: bool) -> Four:
    """By seat the cards that came in the exchange, or those that are given away."""
    marked = [0, 0, 0, 0]
    for seat, cards in enumerate(one.exchanged):
        for step, card in enumerate(cards or (), start=1):
            marked[(seat + step) % 4 if received else seat] |= 1 << card & DECK
    return (marked[0], marked[1], marked[2], marked[3])
