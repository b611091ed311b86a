"""Turns BrettspielWelt logs into TGR documents, whatever state they are in, so that they can be written again.

Every line goes into the field that says what it says. What cannot stand in its regular place, and how a line departs
from the regular way of writing, goes into fields of its own (``bsw``); a text is kept of nothing but lines that are
none of the format.
"""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from tichu_analytics.formats.tgr.loglines import LogLine, read_line
from tichu_analytics.formats.tgr.slots import HEADER_RANKS, HEADERS, RANKS, Seated, names_at
from tichu_analytics.formats.tgr.to_log import BOM, NOBODY


class RawLine(NamedTuple):
    """A line of a log, taken apart, with how its bytes are written."""

    says: LogLine
    latin1: bool
    crlf: bool


def raw_lines(data: bytes) -> list[RawLine]:
    """The lines of a log without a byte order mark; the last one may have no end."""
    pieces = data.split(b"\n")
    tail = pieces.pop()
    lines = []
    for piece in pieces:
        crlf = piece.endswith(b"\r")
        text, latin1 = _decode(piece[:-1] if crlf else piece)
        lines.append(RawLine(read_line(text), latin1, crlf))
    if tail:
        text, latin1 = _decode(tail)
        lines.append(RawLine(read_line(text), latin1, False))
    return lines


def _decode(data: bytes) -> tuple[str, bool]:
    try:
        return data.decode("utf-8"), False
    except UnicodeDecodeError:
        return data.decode("latin-1"), True


def read_log(data: bytes) -> dict[str, Any]:
    """The document of a log: ``players``, ``rounds`` and ``bsw`` (where there is something odd about it).

    :func:`tichu_analytics.formats.tgr.to_log.write_log` gives the same bytes for it. Taking a trick is a pass here, as
    the log has it. Never raises.
    """
    log: dict[str, Any] = {}
    if data.startswith(BOM):
        log["byte_order_mark"] = True
        data = data[len(BOM) :]
    lines = raw_lines(data)
    ended = lines if data.endswith(b"\n") else lines[:-1]
    if 2 * sum(line.crlf for line in ended) > len(ended):
        log["line_ends"] = "crlf"
    usual_crlf = "line_ends" in log
    if data and not data.endswith(b"\n"):
        log["no_final_line_end"] = True
        # It has no end that could be unusual.
        lines[-1] = lines[-1]._replace(crlf=usual_crlf)
    starts = [index for index, line in enumerate(lines) if line.says.kind == "header" and line.says.value == "first8"]
    bounds = [*starts, len(lines)]
    rounds = []
    names: Sequence[str] | None = None
    players: Sequence[str] = NOBODY
    for start, stop in itertools.pairwise(bounds):
        one = _Round(lines[start:stop], usual_crlf)
        if names is None:
            players = one.who.players
        rounds.append(one.document(players if names is None else names))
        names = one.who.players
    before = lines[: bounds[0]]
    if before:
        who = Seated(players, players)
        log["lines"] = [_additional(number, line, who, usual_crlf) for number, line in enumerate(before, 1)]
    document: dict[str, Any] = {"players": list(players)} if rounds else {}
    document["rounds"] = rounds
    if log:
        document["bsw"] = log
    return document


class _Round:
    """The lines of one round, each of which is put into its place or noted as an additional one."""

    def __init__(self, lines: list[RawLine], usual_crlf: bool) -> None:
        self.lines = lines
        self.usual_crlf = usual_crlf
        self.kinds = _kinds(lines)
        ranks = [_rank(kind, line.says) for kind, line in zip(self.kinds, lines, strict=True)]
        self.placed = _longest(ranks)
        self._drop_idle_headers()
        self.who = self._names()

    def _drop_idle_headers(self) -> None:
        """A header that nothing follows is an additional line, but for the first one."""
        last = max((index for index in self.placed if self.kinds[index] != "header"), default=0)
        self.placed = {index for index in self.placed if index <= last or index == 0}

    def _names(self) -> Seated:
        deal: list[str | None] = [None] * 4
        players: list[str | None] = [None] * 4
        for index in sorted(self.placed):
            line = self.lines[index].says
            if self.kinds[index] == "gift":
                players[line.value["seat"]] = line.names[0]
            elif self.kinds[index] in ("first8", "dealt") and deal[line.value["seat"]] is None:
                deal[line.value["seat"]] = line.names[0]
        named = [player if player is not None else other for player, other in zip(players, deal, strict=True)]
        found = tuple(name or "" for name in named)
        return Seated(found, tuple(found[seat] if (name := deal[seat]) is None else name for seat in range(4)))

    def document(self, before: Sequence[str]) -> dict[str, Any]:
        """The round as a document has it; ``before`` are the names of the round before."""
        one: dict[str, Any] = {}
        if tuple(self.who.players) != tuple(before):
            one["players"] = list(self.who.players)
        if self.who.in_deal != self.who.players:
            one["deal_players"] = list(self.who.in_deal)
        fields: dict[str, list[Any]] = {"first8": [None] * 4, "dealt": [None] * 4, "gift": [None] * 4}
        calls: list[Any] = []
        events: list[Any] = []
        one |= {"first8": fields["first8"], "dealt": fields["dealt"], "exchange": fields["gift"], "events": events}
        late = 0
        odd = []
        headers = set()
        content = 0
        for index, (kind, line) in enumerate(zip(self.kinds, self.lines, strict=True)):
            says = line.says
            if index not in self.placed:
                odd.append(_additional(index + 1, line._replace(says=_named(kind, says)), self.who, self.usual_crlf))
                continue
            value = says.value
            if kind == "header":
                headers.add(value)
            elif kind in fields:
                fields[kind][value["seat"]] = value["cards"]
            elif kind == "call":
                value = {**value, "when": "first8" if value["call"] == "grand" else "before_exchange"}
                calls.append(value)
            elif kind in ("event", "late"):
                value = _event(says)
                events.append(value)
                late += kind == "late"
            else:
                one[kind] = value
            if kind != "header":
                content = HEADERS.index(_part(kind))
            oddity = _oddities(line, names_at(_plain(kind), value, self.who), self.usual_crlf)
            if oddity:
                odd.append({"line": index + 1, **oddity})
        if calls:
            one["calls"] = calls
        without = [header for header in HEADERS[: content + 1] if header not in headers]
        log: dict[str, Any] = {}
        if without:
            log["without"] = without
        if late:
            log["after_result"] = late
        if odd:
            log["lines"] = odd
        if log:
            one["bsw"] = log
        return one


def _part(kind: str) -> str:
    """The header before what is of a kind."""
    if kind == "first8":
        return "first8"
    if kind in ("dealt", "call"):
        return "dealt"
    return "exchange" if kind in ("gift", "bombs") else "course"


def _plain(kind: str) -> str:
    return "event" if kind == "late" else kind


def _named(kind: str, says: LogLine) -> LogLine:
    """An additional line under the name that a line object has for its kind."""
    if kind in ("event", "late"):
        if says.kind == "unreadable":
            return says
        return says._replace(kind="event", value=_event(says))
    return says._replace(kind=kind)


def _event(says: LogLine) -> dict[str, Any]:
    """A line of the course of a round as an event."""
    if says.kind == "call":
        return {"event": "call", **says.value}
    if says.kind == "unreadable":
        return {"event": "unreadable", "text": says.value}
    return dict(says.value)


def _kinds(lines: list[RawLine]) -> list[str]:
    """The kind of every line, by what it says and by where it stands."""
    kinds = []
    part = "first8"
    course = _course_start(lines)
    scored = False
    for index, line in enumerate(lines):
        kind = line.says.kind
        in_course = index > course
        if kind == "header":
            part = line.says.value
        elif kind == "first8":
            count = line.says.value["cards"].count(" ") + 1
            kind = "dealt" if count > 11 or (count != 8 and part != "first8") else "first8"
        elif kind in ("event", "call", "unreadable") and in_course:
            kind = "late" if scored else "event"
        elif kind == "score" and in_course:
            scored = True
        kinds.append(kind)
    return kinds


def _course_start(lines: list[RawLine]) -> int:
    """The index of the line after which the course of the round begins."""
    first_event = len(lines)
    for index, line in enumerate(lines):
        if line.says.kind == "header" and line.says.value == "course":
            return index
        if line.says.kind == "event" and first_event == len(lines):
            first_event = index
    return first_event - 1


def _rank(kind: str, says: LogLine) -> int | None:
    """The place in a round where a line of a kind belongs; None for one that has none."""
    if kind == "header":
        return HEADER_RANKS[says.value]
    if kind in ("first8", "dealt", "gift"):
        rank = RANKS[kind] + int(says.value["seat"])
        return None if kind == "gift" and says.value["cards"].count(" ") > 13 else rank
    if kind == "bombs" and not says.value:
        return None
    return RANKS.get(kind)


#: Places that any number of lines can stand in.
_SHARED = (RANKS["call"], RANKS["event"], RANKS["late"])


def _longest(ranks: list[int | None]) -> set[int]:
    """The indexes of as many lines as can stand in their places in the order in which they come.

    It is the longest run of rising ranks, in which those that can be shared may stand several times.
    """
    ends: list[int] = []
    last: list[int] = []
    before: dict[int, int | None] = {}
    for index, rank in enumerate(ranks):
        if rank is None:
            continue
        at = (bisect_right if rank in _SHARED else bisect_left)(ends, rank)
        before[index] = last[at - 1] if at else None
        if at == len(ends):
            ends.append(rank)
            last.append(index)
        else:
            ends[at] = rank
            last[at] = index
    found: set[int] = set()
    index_or_none = last[-1] if last else None
    while index_or_none is not None:
        found.add(index_or_none)
        index_or_none = before[index_or_none]
    return found


def _oddities(line: RawLine, names: tuple[str, ...], usual_crlf: bool) -> dict[str, Any]:
    """How a line departs from the regular way of writing."""
    says = line.says
    odd: dict[str, Any] = {}
    if says.names != names:
        if says.kind == "bombs":
            odd["names"] = list(says.names)
        else:
            if says.names[:1] != names[:1]:
                odd["name"] = says.names[0]
            if says.names[1:] != names[1:]:
                odd["names"] = list(says.names[1:])
    if says.blanks:
        odd["blanks"] = [list(entry) for entry in says.blanks]
    if says.dashes is not None:
        odd["dashes"] = list(says.dashes)
    if line.latin1:
        odd["encoding"] = "latin-1"
    if line.crlf != usual_crlf:
        odd["line_end"] = "crlf" if line.crlf else "lf"
    return odd


def _additional(number: int, line: RawLine, who: Seated, usual_crlf: bool) -> dict[str, Any]:
    """A line object with content."""
    says = line.says
    return {
        "line": number,
        says.kind: says.value,
        **_oddities(line, names_at(says.kind, says.value, who), usual_crlf),
    }
