"""Writes TGR documents as BrettspielWelt logs, to the byte as the log was from which a document was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from tichu_analytics.formats.tgr.loglines import LogLine, NotForLog, write_line
from tichu_analytics.formats.tgr.slots import Seated, names_at, seated, slots

BOM: Final = b"\xef\xbb\xbf"
NOBODY: Final = ("", "", "", "")
#: No log that is written has more characters: a few bytes of a document can ask for thousands of blanks.
_LONGEST_LOG: Final = 300_000_000
#: The fields of a line object that make it a line of its own.
CONTENT: Final = (
    "header", "first8", "dealt", "call", "gift", "bombs", "event", "score", "blank", "unreadable",
)  # fmt: skip


class Written(NamedTuple):
    """A log, and where its lines come from.

    Attributes:
        data: the bytes of the log.
        pointers: for each line, the JSON pointer of what it says.
    """

    data: bytes
    pointers: list[str]


class _Line(NamedTuple):
    """A line before it is bytes, with what is odd about it, and the pointer of where that is said."""

    text: str
    pointer: str
    oddity: Mapping[str, Any]
    described: str


def write_log(document: Mapping[str, Any]) -> Written:
    """The log that a valid document describes.

    What has no place in such a log (rule set, times, declared ranks of the Phoenix) is left out.

    Raises:
        NotForLog: if it says something that a log cannot say; the text begins with the JSON pointer.
    """
    log = document.get("bsw", {})
    names: Sequence[str] = document.get("players", NOBODY)
    lines: list[_Line] = []
    left = _put_together([], log.get("lines", ()), "/bsw/lines", Seated(names, names), lines, _LONGEST_LOG)
    for index, one in enumerate(document["rounds"]):
        pointer = f"/rounds/{index}"
        odd = one.get("bsw", {})
        who = seated(one, names)
        names = who.players
        regular = slots(one, pointer, odd.get("without", ()), odd.get("after_result", 0))
        # A log has no line to say that nobody holds a bomb.
        pieces = [(slot.kind, slot.value, slot.pointer) for slot in regular if slot.kind != "bombs" or slot.value]
        left = _put_together(pieces, odd.get("lines", ()), f"{pointer}/bsw/lines", who, lines, left)
    return Written(_bytes(lines, log), [line.pointer for line in lines])


def _put_together(
    regular: list[tuple[str, Any, str]],
    oddities: Sequence[Mapping[str, Any]],
    pointer: str,
    who: Seated,
    lines: list[_Line],
    left: int,
) -> int:
    """Adds regular lines with additional ones between them, each written with what is odd about it.

    Returns:
        How many characters may still come, of the ``left`` that there were.
    """
    odd: dict[int, tuple[Mapping[str, Any], str]] = {}
    for index, oddity in enumerate(oddities):
        place = f"{pointer}/{index}"
        if oddity["line"] in odd:
            raise NotForLog(f"{place}: line {oddity['line']} is described twice")
        odd[oddity["line"]] = (oddity, place)
    waiting = iter(regular)
    following = next(waiting, None)
    number = 0
    while following is not None or odd:
        number += 1
        oddity, place = odd.pop(number, ({}, ""))
        field = next((name for name in CONTENT if name in oddity), None)
        if field is not None:
            kind, value, where = field, oddity[field], place
        elif following is not None:
            kind, value, where = following
            following = next(waiting, None)
        else:
            first = min(odd, default=number)
            raise NotForLog(f"{odd[first][1] if first in odd else place}: there is no line {first} in this part")
        try:
            text = write_line(_line(kind, value, oddity, who))
        except (NotForLog, ValueError) as trouble:
            raise NotForLog(f"{place or where}: {trouble}") from None
        left -= len(text) + 1
        if left < 0:
            raise NotForLog(f"{place or where}: the log would have more than {_LONGEST_LOG} characters")
        lines.append(_Line(text, where, oddity, place or where))
    return left


def _line(kind: str, value: Any, oddity: Mapping[str, Any], who: Seated) -> LogLine:
    if kind == "event" and value["event"] == "unreadable":
        return LogLine("unreadable", value["text"])
    names = names_at(kind, value, who)
    if "names" in oddity:
        others = tuple(oddity["names"])
        names = others if kind == "bombs" else (*names[:1], *others)
    if "name" in oddity:
        names = (oddity["name"], *names[1:])
    blanks = tuple([(place, count) for place, count in oddity.get("blanks", ())])
    dashes = oddity.get("dashes")
    return LogLine(kind, value, names, blanks, None if dashes is None else (dashes[0], dashes[1]))


def _bytes(lines: list[_Line], log: Mapping[str, Any]) -> bytes:
    usual = log.get("line_ends", "lf")
    parts = [BOM] if log.get("byte_order_mark") else []
    for line in lines:
        encoding = line.oddity.get("encoding", "utf-8")
        try:
            parts.append(line.text.encode(encoding))
        except UnicodeEncodeError:
            raise NotForLog(f"{line.described}: the line cannot be written in {encoding}") from None
        parts.append(b"\r\n" if line.oddity.get("line_end", usual) == "crlf" else b"\n")
    if lines and log.get("no_final_line_end"):
        parts.pop()
    return b"".join(parts)
