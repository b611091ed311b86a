"""The course of a round in words: trick by trick, one row for every line of the log."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from tichu_analytics.record import Event, EventKind
from tichu_analytics.record.notation import cards_text, rank_text
from tichu_analytics.replay.facts import Move, PhoenixReading, RoundReplay, Trick
from tichu_analytics.replay.messages import combination_text
from tichu_analytics.replay.positions import Position, positions
from tichu_analytics.rules.cards import DOG_MASK, DRAGON_MASK, MAH_JONG_MASK, PHOENIX_MASK
from tichu_analytics.rules.combinations import DOG_PLAY
from tichu_analytics.view.columns import cut, fit
from tichu_analytics.view.sheet import PLACES, Sheet, rank_name, shown

#: The width of the column of cards; more cards than fit move the words behind them to the right.
_CARDS: Final = 16
#: The most characters of an unreadable line that are shown.
_UNREADABLE: Final = 120

#: How the rank of a Phoenix was settled, as it stands behind the rank.
READINGS: Final[dict[PhoenixReading, str]] = {
    "": "",
    "only": "",
    "declared": " (declared)",
    "later": " (as the next play shows)",
    "position": " (by its place among the cards)",
    "highest": " (the higher of two readings)",
    "lowest": " (the lower of two readings)",
}
_SPECIAL: Final = {MAH_JONG_MASK: "the Mah Jong", DOG_MASK: "the Dog", DRAGON_MASK: "the Dragon"}


def points_text(points: int) -> str:
    """Points in words: ``1 point``, ``25 points``."""
    return f"{points} point" if points in (1, -1) else f"{points} points"


class Course:
    """Writes the course of a round on a sheet.

    Args:
        sheet: where to write.
        one: the round.
    """

    def __init__(self, sheet: Sheet, one: RoundReplay) -> None:
        self.sheet = sheet
        self.one = one
        self.opened = 0
        self.closed = 0
        self.named = -1
        self.table: Move | None = None

    def write(self) -> tuple[Event, ...]:
        """Writes everything up to the result, and returns the events whose lines come after it."""
        sheet, result = self.sheet, self.one.record.result
        self._columns()
        done = 0
        last: Position | None = None
        for before, after in pairwise(positions(self.one)):
            event = after.event
            assert event is not None
            if result is not None and event.line > result.line:
                break
            done += 1
            last = after
            self._event(event, before, after)
        sheet.trick = 0
        if self.one.tricks and not self.one.tricks[-1].complete:
            sheet.trick = len(self.one.tricks)
            sheet.row(None, "the trick is not finished")
            sheet.trick = 0
        if done == 0:
            sheet.row(None, "nothing was played")
        elif last is not None and not last.over:
            sheet.row(None, f"the round is not finished; still in: {', '.join(map(sheet.label, last.active))}")
        return self.one.record.events[done:]

    def late(self, events: tuple[Event, ...]) -> None:
        """Writes lines that come after the result, as the log has them."""
        self.sheet.heading("After the result")
        for event in events:
            self._row(event.line, event.seat, "", self._said(event), "")

    def _event(self, event: Event, before: Position, after: Position) -> None:
        sheet, move = self.sheet, after.move
        begins = before.owner is None and after.owner is not None and after.trick > self.closed
        if move is not None:
            self._close(move.trick - 1, event, before, after)
        if (move is not None and move.trick > self.opened) or (move is None and begins):
            self._open(after.trick if move is None else move.trick, event.seat, before)
        sheet.trick = self.opened
        if move is not None:
            self._move(move, before, after)
        elif event.kind in (EventKind.PASS, EventKind.COLLECT) and self._takes(event):
            # The row about the taking of the trick is this line's, also where that is known only with the next play.
            self._close(self.closed + 1, event, before, after)
        elif event.kind == EventKind.GIFT:
            self._gift(event, after)
        else:
            seat = event.seat
            if event.kind == EventKind.WISH and self.one.wish is not None and self.one.wish.line == event.line:
                seat = self.one.wish.seat
            note = "after the end of the round" if before.over else ""
            self._row(event.line, seat, "", self._said(event), note)
        self._outs(event, before, after)
        self._close(after.trick - 1, event, before, after)

    # Rows -----------------------------------------------------------------------------------------------------------

    def _columns(self) -> None:
        """Writes what the columns are."""
        sheet = self.sheet
        width = len(sheet.player(None))
        sheet.heading("Course of the round (left: cards left in hand)")
        sheet.row(None, f"{fit('player', width)}  {fit('left', 4)}  {fit('cards', _CARDS)}  table")

    def _row(self, line: int | None, seat: int | None, left: str, said: str, note: str) -> None:
        sheet = self.sheet
        start = f"{sheet.player(seat)}  {left:>4}  "
        sheet.row(line, f"{start}{fit(said, max(_CARDS, len(said)))}  {note}" if note else f"{start}{said}", 4)

    def _open(self, number: int, seat: int, before: Position) -> None:
        sheet = self.sheet
        self.opened = sheet.trick = number
        self.table = None
        trick = self.one.tricks[number - 1]
        if trick.moves:
            seat = trick.lead_seat
        wish = f"; wish of {rank_name(before.wish)} still open" if before.wish else ""
        sheet.heading(f"Trick {number}, {sheet.label(seat)} leads{wish}")

    def _move(self, move: Move, before: Position, after: Position) -> None:
        sheet = self.sheet
        left = str(move.hand_after.bit_count())
        if not move.cards:
            table = ""
            if self.table is not None:
                table = f"on {self._lies(self.table)} by {sheet.label(self.table.seat)}"
            self._row(move.line, move.seat, left, "pass", table)
            return
        notes = [self._words(move)]
        if move.out_of_turn:
            notes.append("out of turn")
        wish = self.one.wish
        if wish is not None and (wish.fulfilled_seat, wish.fulfilled_line) == (move.seat, move.line):
            notes.append(f"meets the wish of {rank_name(wish.rank)}")
        if move.seat in after.finish and move.seat not in before.finish:
            notes.append(f"goes out {PLACES[after.finish.index(move.seat)]}")
        self._row(move.line, move.seat, left, cards_text(move.cards), "; ".join(filter(None, notes)))
        self.table = move

    def _lies(self, move: Move) -> str:
        """What lies on the table: a single card by its code, more in words."""
        if len(move.cards) == 1:
            return f"Ph as {rank_text(move.rank2)}" if move.mask == PHOENIX_MASK else cards_text(move.cards)
        return combination_text(move.kind, move.length, move.rank2) if move.kind else cards_text(move.cards)

    def _words(self, move: Move) -> str:
        """What was played, in words where the cards alone do not say it."""
        if move.mask == PHOENIX_MASK:
            return f"as {rank_text(move.rank2)}"
        if len(move.cards) == 1:
            return _SPECIAL.get(move.mask, "")
        words = combination_text(move.kind, move.length, move.rank2)
        if move.phoenix:
            words += f", Ph as {rank_name(move.phoenix)}{READINGS.get(move.phoenix_reading, '')}"
        return words

    def _said(self, event: Event) -> str:
        """What an event that is no move says."""
        kind = event.kind
        if kind == EventKind.PLAY:
            return cards_text(event.cards)
        if kind == EventKind.PASS:
            return "pass"
        if kind == EventKind.WISH:
            what = rank_name(event.value) if event.value else shown(event.text, self.sheet.paper) or "?"
            return f"wish: {cut(what, _UNREADABLE)}"
        if kind == EventKind.TICHU:
            return "calls Tichu"
        if kind == EventKind.GRAND:
            return "calls Grand Tichu"
        if kind == EventKind.GIFT:
            return "is named for the Dragon's trick"
        if kind == EventKind.COLLECT:
            return "takes the trick"
        return f"unreadable: {cut(shown(event.text, self.sheet.paper), _UNREADABLE)}"

    # Ends of tricks -------------------------------------------------------------------------------------------------

    def _takes(self, event: Event) -> bool:
        """Whether a pass line or the like is the taking of the trick that lies on the table."""
        tricks = self.one.tricks
        return self.closed < len(tricks) and tricks[self.closed].collect_line == event.line

    def _close(self, number: int, event: Event, before: Position, after: Position) -> None:
        """Writes what became of the tricks up to this number."""
        while self.closed < number:
            trick = self.one.tricks[self.closed]
            self.closed += 1
            if trick.number > self.opened:
                self._open(trick.number, trick.lead_seat, before)
            self.sheet.trick = trick.number
            takes = event.kind in (EventKind.PASS, EventKind.COLLECT) and trick.collect_line == event.line
            line = event.line if takes else None
            if trick.kind == DOG_PLAY:
                if after.turn is not None:
                    self._row(line, None, "", f"the lead goes to {self.sheet.label(after.turn)}", "")
                continue
            self._row(line, trick.winner_seat, "", self._taking(trick), "")
            self.named = -1

    def _taking(self, trick: Trick) -> str:
        points = points_text(trick.points)
        if trick.taker_seat is None:
            return f"wins the trick with the Dragon; its {points} count for nobody after a double victory"
        if trick.dragon_to is not None:
            if self.named == trick.dragon_to:
                return f"wins the trick with the Dragon; its {points} go to {self.sheet.label(trick.dragon_to)}"
            return f"wins the trick with the Dragon; its {points} go to an opponent"
        if trick.winner_seat is None:
            return f"takes the trick: {points}"
        # From the facts: after a fault the position may learn of the taking only with the next play.
        so_far = sum(one.points for one in self.one.tricks[: trick.number] if one.taker_seat == trick.taker_seat)
        return f"takes the trick: {points}, {so_far} so far"

    def _gift(self, event: Event, after: Position) -> None:
        said = self._said(event)
        given = [trick for trick in self.one.tricks[: self.closed] if trick.dragon_to == event.seat]
        if given and given[-1].last_line == event.line:
            so_far = f", {after.points[event.seat]} so far"
            said = f"is given the Dragon's trick: {points_text(given[-1].points)}{so_far}"
        else:
            self.named = event.seat
        self._row(event.line, event.seat, "", said, "")

    def _outs(self, event: Event, before: Position, after: Position) -> None:
        """Writes who is out by the word of the log, without a play on this line."""
        for place, seat in enumerate(after.finish):
            if seat not in before.finish and (after.move is None or seat != event.seat):
                self._row(None, seat, "", f"is out ({PLACES[place]}): plays no more", "")
