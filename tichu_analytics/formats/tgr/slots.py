"""The places of a round in their order: what stands one below the other in a log, and is numbered so in a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple

#: The headers in order, each with the kind of what follows it.
HEADERS: Final = ("first8", "dealt", "exchange", "course")

#: The place of every kind in a round. Those of equal rank stand in the order in which they come.
RANKS: Final = {"first8": 1, "dealt": 6, "call": 10, "gift": 12, "bombs": 16, "event": 18, "score": 19, "late": 20}
HEADER_RANKS: Final = {"first8": 0, "dealt": 5, "exchange": 11, "course": 17}


class Slot(NamedTuple):
    """What stands in one place.

    Attributes:
        kind: ``header``, ``first8``, ``dealt``, ``call``, ``gift``, ``bombs``, ``event``, ``score``.
        value: a header's name; ``{"seat", "cards"}``; the call, event, seats or score as the record has them.
        pointer: the JSON pointer of it; for a header that of what follows.
    """

    kind: str
    value: Any
    pointer: str


_POINTERS: Final = {"first8": "first8", "dealt": "dealt", "exchange": "exchange", "course": "events"}


def slots(one: Mapping[str, Any], pointer: str, without: Sequence[str] = (), after_result: int = 0) -> list[Slot]:
    """The places of a round that are filled, in order.

    A header stands before its part unless that and everything after it is missing; that of the first part stands
    always.

    Args:
        one: the round of a document.
        pointer: its JSON pointer.
        without: headers that are missing all the same.
        after_result: how many of the events stand after the score.
    """
    parts = list(_parts(one, pointer, after_result))
    last = max((index for index, part in enumerate(parts) if part), default=0)
    found: list[Slot] = []
    for index, (header, part) in enumerate(zip(HEADERS, parts, strict=True)):
        if index <= last and header not in without:
            found.append(Slot("header", header, f"{pointer}/{_POINTERS[header]}"))
        found += part
    return found


def _parts(one: Mapping[str, Any], pointer: str, after_result: int) -> Iterator[list[Slot]]:
    """What stands after each header."""
    yield _hands(one, "first8", "first8", pointer)
    calls = [Slot("call", call, f"{pointer}/calls/{index}") for index, call in enumerate(one.get("calls", ()))]
    # A call after the exchange stands below its header, where a log has it.
    early = [slot for slot in calls if slot.value["when"] != "after_exchange"]
    late = [slot for slot in calls if slot.value["when"] == "after_exchange"]
    yield _hands(one, "dealt", "dealt", pointer) + early
    exchange = _hands(one, "exchange", "gift", pointer)
    if "bombs" in one:
        exchange.append(Slot("bombs", one["bombs"], f"{pointer}/bombs"))
    yield exchange + late
    course = [Slot("event", event, f"{pointer}/events/{index}") for index, event in enumerate(one["events"])]
    if one.get("score") is not None:
        course.insert(max(0, len(course) - after_result), Slot("score", one["score"], f"{pointer}/score"))
    yield course


def _hands(one: Mapping[str, Any], field: str, kind: str, pointer: str) -> list[Slot]:
    return [
        Slot(kind, {"seat": seat, "cards": cards}, f"{pointer}/{field}/{seat}")
        for seat, cards in enumerate(one[field])
        if cards is not None
    ]


class Seated(NamedTuple):
    """The names of the seats in a round: from the exchange on, and in the deal."""

    players: Sequence[str]
    in_deal: Sequence[str]


def seated(one: Mapping[str, Any], before: Sequence[str]) -> Seated:
    """Who sits where in a round.

    Args:
        one: the round of a document.
        before: the names of the round before, or of the game.
    """
    players = one.get("players", before)
    return Seated(players, one.get("deal_players", players))


def names_at(kind: str, value: Any, who: Seated) -> tuple[str, ...]:
    """The names that a regular log has on the line of a place, that of its seat first."""
    if kind in ("first8", "dealt"):
        return (who.in_deal[value["seat"]],)
    if kind == "call":
        early = value.get("when") != "after_exchange"
        return ((who.in_deal if early else who.players)[value["seat"]],)
    if kind == "gift":
        seat = value["seat"]
        count = value["cards"].count(" ") + 1
        return tuple([who.players[(seat + step) % 4] for step in range(count + 1)])
    if kind == "bombs":
        return tuple([who.players[seat] for seat in value])
    if kind == "event":
        seat = value.get("to", value.get("seat"))
        return () if seat is None else (who.players[seat],)
    return ()
