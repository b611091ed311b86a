"""Single lines of a BrettspielWelt log, there and back to the byte: text to what it says, and that to text.

:mod:`tichu_analytics.formats.bsw.lines` tells what a line means, however it is written; here it is kept how it is
written. A line that is none of the format is kept as its text, which is all that it says.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from tichu_analytics.formats.bsw.lines import EXCHANGE_HEADER, FIRST8_HEADER, LONGEST_LINE
from tichu_analytics.formats.bsw.sections import shorten
from tichu_analytics.formats.tgr.notation import cards_for_log, cards_from_log, rank_for_log, rank_from_log

#: The headers of a log by the name of what follows, as word between dashes.
_TITLES: Final = {"first8": "Gr.Tichukarten", "dealt": "Startkarten", "course": "Rundenverlauf"}
_HEADERS: Final = {title: header for header, title in _TITLES.items()}
#: Dashes before and after the word.
_DASHES: Final = (FIRST8_HEADER.index("G"), len(FIRST8_HEADER) - len(FIRST8_HEADER.rstrip("-")))

_HEADER: Final = re.compile(r"(-*)(Gr\.Tichukarten|Startkarten|Rundenverlauf)(-*)")
_PLAYER: Final = re.compile(r"\(([0-3])\)([^ :\n]*)")
_WORD: Final = re.compile("[^ ]+")
_NUMBER: Final = re.compile("-?(?:0|[1-9][0-9]{0,8})")

#: Kinds of lines that end with a blank.
_WITH_BLANK: Final = frozenset(("first8", "dealt", "gift", "bombs", "play"))


class LogLine(NamedTuple):
    """A line of a log taken apart.

    Attributes:
        kind: a content field of a line object: ``header``, ``first8``, ``dealt``, ``call``, ``gift``, ``bombs``,
            ``event``, ``score``, ``blank``, ``unreadable``. All that is dealt is ``first8`` here.
        value: what the field has. A call is always a ``call`` here.
        names: the players' names on the line, that of its seat first.
        blanks: the places with another number of blanks than usual, and their numbers.
        dashes: the dashes before and after a header's word if they are not as usual.
    """

    kind: str
    value: Any
    names: tuple[str, ...] = ()
    blanks: tuple[tuple[int, int], ...] = ()
    dashes: tuple[int, int] | None = None


class NotForLog(ValueError):
    """Something that a line of a log cannot say."""


def read_line(text: str) -> LogLine:
    """Takes a line apart. What it gives is written as the same text by :func:`write_line`. Never raises."""
    found = _read(text) if len(text) <= LONGEST_LINE else None
    if found is not None:
        try:
            if write_line(found) == text:
                return found
        except ValueError:
            pass
    return LogLine("unreadable", text)


def _read(text: str) -> LogLine | None:
    words = []
    gaps = []
    end = 0
    for match in _WORD.finditer(text):
        words.append(match[0])
        gaps.append(match.start() - end)
        end = match.end()
    gaps.append(len(text) - end)
    if not words:
        return LogLine("blank", True, (), ((0, gaps[0]),) if gaps[0] else ())
    found = _seat_line(words) if text.lstrip(" ")[0] == "(" else _other_line(words)
    if found is None:
        return None
    usual = [0, *[1] * (len(words) - 1), 1 if _ends_with_blank(found) else 0]
    blanks = [(place, number) for place, number in enumerate(gaps) if number != usual[place]]
    return found._replace(blanks=tuple(blanks)) if blanks else found


def _ends_with_blank(line: LogLine) -> bool:
    return line.kind in _WITH_BLANK or (line.kind == "event" and line.value.get("event") == "play")


def _seat_line(words: list[str]) -> LogLine | None:
    """A line that begins with a player."""
    first = words[0]
    is_play = first[-1] == ":"
    player = _PLAYER.fullmatch(first[:-1] if is_play else first)
    if player is None or len(words) < 2:
        return None
    seat, name = int(player[1]), player[2]
    rest = words[1:]
    if is_play:
        return LogLine("event", {"event": "play", "seat": seat, "cards": cards_from_log(rest)}, (name,))
    if rest == ["passt."]:
        return LogLine("event", {"event": "pass", "seat": seat}, (name,))
    if rest[0] == "gibt:":
        to, cards, dashes = rest[1::3], rest[2::3], rest[3::3]
        if not cards or not len(to) == len(cards) == len(dashes) or {*dashes} != {"-"}:
            return None
        if not all(one[-1] == ":" for one in to):
            return None
        value = {"seat": seat, "cards": cards_from_log(cards)}
        return LogLine("gift", value, (name, *[one[:-1] for one in to]))
    cards_text = cards_from_log(rest)
    if 2 * cards_text.count("?") > len(rest):
        return None
    return LogLine("first8", {"seat": seat, "cards": cards_text}, (name,))


def _other_line(words: list[str]) -> LogLine | None:
    """A line that does not begin with a player."""
    first, count = words[0], len(words)
    if count == 1:
        if first == EXCHANGE_HEADER:
            return LogLine("header", "exchange")
        header = _HEADER.fullmatch(first)
        if header is not None:
            dashes = (len(header[1]), len(header[3]))
            return LogLine("header", _HEADERS[header[2]], dashes=None if dashes == _DASHES else dashes)
        if first.startswith("Wunsch:"):
            return LogLine("event", {"event": "wish", "rank": rank_from_log(first[7:])})
        return None
    if first == "BOMBE:":
        holders = [_PLAYER.fullmatch(word) for word in words[1:]]
        seats = [int(holder[1]) for holder in holders if holder]
        if len(seats) < len(holders):
            return None
        return LogLine("bombs", seats, tuple([holder[2] for holder in holders if holder]))
    if first == "Ergebnis:":
        if count != 4 or words[2] != "-" or not (_NUMBER.fullmatch(words[1]) and _NUMBER.fullmatch(words[3])):
            return None
        return LogLine("score", [int(words[1]), int(words[3])])
    player = _PLAYER.fullmatch(words[-1])
    if player is None:
        return None
    seat, names = int(player[1]), (player[2],)
    start = words[:-1]
    if start == ["Tichu:"] or start == ["Grosses", "Tichu:"]:
        return LogLine("call", {"seat": seat, "call": "tichu" if count == 2 else "grand"}, names)
    if start == ["Drache", "an:"]:
        return LogLine("event", {"event": "gift", "to": seat}, names)
    return None


def write_line(line: LogLine) -> str:
    """The text of a line.

    Raises:
        NotForLog: if no line of a log says that.
        ValueError: for cards and ranks that a record cannot have.
    """
    words = _words(line)
    if words is None:
        text = line.value
        if "\n" in text:
            raise NotForLog("a line of a log cannot have a line end within")
        return str(text)
    if line.kind != "blank" and not all(words):
        raise NotForLog("something is empty that a log cannot leave out")
    gaps = [0, *[1] * (len(words) - 1), 1 if _ends_with_blank(line) else 0] if words else [0]
    if sum([number for _, number in line.blanks]) > LONGEST_LINE:
        raise NotForLog(f"no line of a log has more than {LONGEST_LINE} characters")
    for place, number in line.blanks:
        if place >= len(gaps):
            raise NotForLog(f"the line has no place {place} for blanks")
        gaps[place] = number
    parts = [" " * gaps[0]]
    for word, gap in zip(words, gaps[1:], strict=True):
        parts += (word, " " * gap)
    return "".join(parts)


def _words(line: LogLine) -> list[str] | None:
    """The words of a line; None if its text is all there is."""
    kind, value, names = line.kind, line.value, line.names
    if kind == "unreadable":
        return None
    if kind == "blank":
        return []
    if kind == "header":
        if value == "exchange":
            return [EXCHANGE_HEADER]
        before, after = line.dashes or _DASHES
        return ["-" * before + _TITLES[value] + "-" * after]
    if kind in ("first8", "dealt"):
        return [_player(value["seat"], names[0]), *cards_for_log(value["cards"])]
    if kind == "gift":
        cards = cards_for_log(value["cards"])
        if len(names) != len(cards) + 1:
            raise NotForLog(f"a line with {len(cards)} gifts names as many players")
        words = [_player(value["seat"], names[0]), "gibt:"]
        for name, card in zip(names[1:], cards, strict=True):
            words += (f"{checked_name(name)}:", card, "-")
        return words
    if kind == "bombs":
        if len(names) != len(value):
            raise NotForLog("a line of bomb holders names each of them")
        return ["BOMBE:", *[_player(seat, name) for seat, name in zip(value, names, strict=True)]]
    if kind == "score":
        return ["Ergebnis:", str(value[0]), "-", str(value[1])]
    if kind == "call" or value["event"] == "call":
        start = ["Tichu:"] if value["call"] == "tichu" else ["Grosses", "Tichu:"]
        return [*start, _player(value["seat"], names[0])]
    return _event_words(value, names)


def _event_words(event: dict[str, Any], names: tuple[str, ...]) -> list[str] | None:
    kind = event["event"]
    if kind == "play":
        return [f"{_player(event['seat'], names[0])}:", *cards_for_log(event["cards"])]
    if kind in ("pass", "collect"):
        return [_player(event["seat"], names[0]), "passt."]
    if kind == "wish":
        return [f"Wunsch:{rank_for_log(event['rank'])}"]
    if kind == "gift":
        return ["Drache", "an:", _player(event["to"], names[0])]
    raise NotForLog(f"a log has no line for the event {kind!r}")


def _player(seat: int, name: str) -> str:
    return f"({seat}){checked_name(name)}"


def checked_name(name: str) -> str:
    """The name itself.

    Raises:
        NotForLog: if a log cannot hold it.
    """
    for sign, what in ((" ", "a blank"), (":", "a colon"), ("\n", "a line end")):
        if sign in name:
            raise NotForLog(f"a log cannot hold the name {shorten(name)!r}, which has {what}")
    return name
