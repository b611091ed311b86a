"""Builds the record of a game from a TGR document."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from tichu_analytics.formats.bsw.lines import LARGEST_SCORE
from tichu_analytics.formats.bsw.names import check_names
from tichu_analytics.formats.bsw.sections import shorten
from tichu_analytics.formats.tgr.notation import read_cards, read_rank
from tichu_analytics.formats.tgr.slots import RANKS, Seated, Slot, names_at, seated, slots
from tichu_analytics.formats.tgr.to_log import NOBODY
from tichu_analytics.record import Call, Deal, Event, EventKind, Gift, Problem, Result, Round
from tichu_analytics.record.model import IN_TURN, NO_SEAT, OUT_OF_TURN, UNKNOWN_CARD, BombLine

_TURNS: Final = {"in": IN_TURN, "out": OUT_OF_TURN}
_HAND_SIZES: Final = {"first8": 8, "dealt": 14, "gift": 3}
_PARTS: Final = {"first8": "the first eight cards", "dealt": "the fourteen cards", "exchange": "what is given"}
_KINDS: Final = {"first8": "first8", "dealt": "dealt", "exchange": "gift"}
#: No play has more cards.
_MOST_CARDS: Final = 14


class Rounds:
    """The rounds of a document as records, with a running number for everything that has a line in a log.

    Args:
        document: a document whose fields are all valid; ``bsw`` fields are not looked at.
        known: by pointer of a part that the record lacks or that could not be read: it has been reported.

    Attributes:
        rounds: the records, without what was noticed elsewhere.
        pointers: by running number less one, the JSON pointer of what has it.
    """

    def __init__(self, document: Mapping[str, Any], known: frozenset[str] = frozenset()) -> None:
        self.known = known
        self.pointers: list[str] = []
        self._numbers: dict[str, int] | None = None
        self.rounds: list[Round] = []
        ends = document.get("trick_ends")
        if ends is None:
            marked = any(event["event"] == "collect" for one in document["rounds"] for event in one["events"])
            ends = "collect" if marked else "last_pass"
        self.marks_collects = ends == "collect"
        names: Sequence[str] = document.get("players", NOBODY)
        count = len(document["rounds"])
        for index, one in enumerate(document["rounds"]):
            who = seated(one, names)
            names = who.players
            self.rounds.append(self._round(one, index, who, index == count - 1))

    def number(self, pointer: str) -> int:
        """The running number of what a pointer leads to, or of what it is in; 1 for what has none."""
        if self._numbers is None:
            self._numbers = {other: number for number, other in reversed([*enumerate(self.pointers, 1)])}
            self._numbers |= {f"/rounds/{one.number - 1}": one.first_line for one in self.rounds}
        while pointer:
            number = self._numbers.get(pointer)
            if number is not None:
                return number
            pointer = pointer.rpartition("/")[0]
        return 1

    def _round(self, one: Mapping[str, Any], index: int, who: Seated, is_last: bool) -> Round:
        pointer = f"/rounds/{index}"
        first_line = len(self.pointers) + 1
        made = _Made(self.known)
        for slot in slots(one, pointer):
            self.pointers.append(slot.pointer)
            made.add(slot, len(self.pointers), names_at(slot.kind, slot.value, who))
        self._look_for_gaps(one, pointer, made)
        players = who.players
        record = Round(
            index + 1,
            first_line,
            len(self.pointers),
            tuple(made.hands["first8"]),
            tuple(made.hands["dealt"]),
            tuple(made.calls),
            tuple(made.gifts),
            made.bombs,
            made.headers.get("course", 0),
            tuple(made.events),
            made.result,
            (players[0], players[1], players[2], players[3]),
            True,
            tuple(made.problems),
            is_last,
            False,
            self.marks_collects,
            self.marks_collects,
            False,
            False,
        )
        plain, problems = check_names(record)
        if plain and not problems:
            return record
        return record._replace(plain_names=plain, problems=(*record.problems, *problems))

    def _look_for_gaps(self, one: Mapping[str, Any], pointer: str, made: _Made) -> None:
        """Reports cards that the record lacks although the round goes on after them."""
        for field, title in _PARTS.items():
            if field == "first8" and one[field] == [None] * 4:
                continue  # many tables do not keep them, and no play depends on them
            for seat, cards in enumerate(one[field]):
                place = f"{pointer}/{field}/{seat}"
                if cards is not None or not self.known.isdisjoint((pointer, f"{pointer}/{field}", place)):
                    continue
                if made.last_rank > RANKS[_KINDS[field]] + seat:
                    message = f"{title} of seat {seat} are not in the record"
                    if field == "exchange":
                        message = f"{title} by seat {seat} is not in the record"
                    number = made.headers.get(field, made.first)
                    made.problems.append(Problem(number, "part-missing", seat, message, "cards", "null", place))


class _Made:
    """The elements of one round as they are made."""

    def __init__(self, known: frozenset[str]) -> None:
        self.known = known
        # Cards that have been reported as wrong in themselves.
        self.reported = False
        self.first = 0
        self.last_rank = 0
        self.headers: dict[str, int] = {}
        self.hands: dict[str, list[Deal | None]] = {"first8": [None] * 4, "dealt": [None] * 4}
        self.calls: list[Call] = []
        self.gifts: list[Gift | None] = [None] * 4
        self.bombs: BombLine | None = None
        self.events: list[Event] = []
        self.result: Result | None = None
        self.problems: list[Problem] = []

    def add(self, slot: Slot, number: int, names: tuple[str, ...]) -> None:
        """Makes an element of what stands in a place."""
        self.first = self.first or number
        self.reported = bool(self.known) and not self.known.isdisjoint((slot.pointer, f"{slot.pointer}/cards"))
        kind, value = slot.kind, slot.value
        if kind == "header":
            self.headers[value] = number
            return
        self.last_rank = RANKS[kind] + (value["seat"] if kind in _HAND_SIZES else 0)
        if kind == "event":
            self.events.append(self._event(value, number, names))
        elif kind in ("first8", "dealt"):
            cards, mask = self._cards(value, number, _HAND_SIZES[kind])
            self.hands[kind][value["seat"]] = Deal(number, value["seat"], names[0], cards, mask)
        elif kind == "gift":
            self.gifts[value["seat"]] = self._gift(value, number, names)
        elif kind == "call":
            grand, when = value["call"] == "grand", value["when"]
            usual = "first8" if grand else "before_exchange"
            seen = 0 if when == usual else 8 if when == "first8" else 14
            self.calls.append(Call(number, value["seat"], names[0], grand, when == "after_exchange", seen))
        elif kind == "bombs":
            self.bombs = BombLine(number, tuple(value), names)
        else:
            self.result = self._result(value, number)

    def _cards(self, value: Mapping[str, Any], number: int, size: int) -> tuple[tuple[int, ...], int]:
        """Cards and what is wrong with them: words that are no cards, or another number of them."""
        found = read_cards(value["cards"])
        if found.unknown:
            self._unknown(found.unknown, number, value["seat"])
        elif len(found.cards) != size:
            verb = "gives" if size == _HAND_SIZES["gift"] else "is dealt"
            message = f"seat {value['seat']} {verb} {len(found.cards)} cards instead of {size}"
            self._problem(number, "wrong-card-count", value["seat"], message, str(size), str(len(found.cards)))
        return found.cards, found.mask

    def _unknown(self, words: tuple[str, ...], number: int, seat: int) -> None:
        more = f" (and {len(words) - 1} more)" if len(words) > 1 else ""
        word = shorten(words[0])
        self._problem(number, "unknown-card", seat, f"{word} is no card{more}", "a card such as S5 or Ph", word)

    def _problem(
        self, number: int, name: str, seat: int | None, message: str, expected: str | None, found: str | None
    ) -> None:
        if not self.reported:
            self.problems.append(Problem(number, name, seat, message, expected, found))

    def _gift(self, value: Mapping[str, Any], number: int, names: tuple[str, ...]) -> Gift:
        cards, _ = self._cards(value, number, _HAND_SIZES["gift"])
        if len(cards) != 3:
            # Which of the three is missing cannot be told by place.
            cards = (UNKNOWN_CARD,) * 3
        complete = UNKNOWN_CARD not in cards
        return Gift(number, value["seat"], names[0], names[1:], (cards[0], cards[1], cards[2]), complete)

    def _event(self, value: Mapping[str, Any], number: int, names: tuple[str, ...]) -> Event:
        kind = value["event"]
        if kind == "play":
            return self._play(value, number, names[0])
        if kind == "pass":
            return Event(EventKind.PASS, number, value["seat"], names[0])
        if kind == "collect":
            return Event(EventKind.COLLECT, number, value["seat"], names[0])
        if kind == "wish":
            rank = read_rank(value["rank"])
            return Event(EventKind.WISH, number, NO_SEAT, "", value=rank, text="" if rank else value["rank"][1:])
        if kind == "gift":
            return Event(EventKind.GIFT, number, value["to"], names[0])
        if kind == "call":
            grand = value["call"] == "grand"
            return Event(EventKind.GRAND if grand else EventKind.TICHU, number, value["seat"], names[0])
        text = value["text"]
        if text is not None:
            message = "the record has something here that could not be read"
            self._problem(number, "unknown-line", None, message, "an event", shorten(text))
        cards = read_cards(value.get("cards", ""))
        return Event(EventKind.UNREADABLE, number, NO_SEAT, "", cards.cards, cards.mask, text=(text or "")[:80])

    def _play(self, value: Mapping[str, Any], number: int, name: str) -> Event:
        seat = value["seat"]
        found = read_cards(value["cards"])
        if found.unknown:
            self._unknown(found.unknown, number, seat)
        elif len(found.cards) > _MOST_CARDS:
            message = f"a play of more than {_MOST_CARDS} cards"
            self._problem(number, "wrong-card-count", seat, message, "1 to 14 cards", str(len(found.cards)))
        else:
            declared = read_rank(value["phoenix_as"]) if "phoenix_as" in value else 0
            turn = _TURNS.get(value.get("turn", ""), 0)
            return Event(EventKind.PLAY, number, seat, name, found.cards, found.mask, declared, "", turn)
        return Event(EventKind.UNREADABLE, number, seat, name, found.cards, found.mask, 0, value["cards"][:80])

    def _result(self, value: Sequence[int], number: int) -> Result:
        text = f"{value[0]} - {value[1]}"
        first, second = (int(score) if abs(score) <= LARGEST_SCORE else None for score in value)
        if first is None or second is None:
            self._problem(number, "result-out-of-range", None, "no round can score that", None, shorten(text))
        return Result(number, first, second, shorten(text))
