"""The formats of recorded games that can be read: what tells them apart, and who reads them.

A new format is a class with the members of :class:`Format` and an entry in the list below. What a format needs for
reading is imported when the first game in it is read.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from tichu_analytics.formats.sources import Input
    from tichu_analytics.record import Game

#: By so many of its first bytes a format is recognised.
START: Final = 1 << 12
#: So many are enough for :func:`is_surely_log`.
FEW: Final = 64
_LOG: Final = b"---------------Gr.Tichukarten"

_LOG_ENDING: Final = ".tch"
_PACKED_ENDINGS: Final = (".gz", ".zst")
#: No id of a record is longer; what is would fill every message.
_LONGEST_ID: Final = 400


class Format(Protocol):
    """A format of recorded games.

    Attributes:
        name: what it is called in :class:`tichu_analytics.record.Game` and in tables, ``bsw``.
        title: what a record in it is called in messages, ``BrettspielWelt log``.
        endings: the endings of its files' names, in small letters, before ``.gz`` or ``.zst``.
        has_ids: whether a record may have an id of its own. If not, names of files are enough to know all ids.
    """

    name: str
    title: str
    endings: tuple[str, ...]
    has_ids: bool

    def recognises(self, start: bytes) -> bool:
        """Whether a content is in this format, by its first bytes, at most :data:`START`."""

    def many(self, name: str, start: bytes) -> bool:
        """Whether a file has a game on each line rather than one game.

        Args:
            name: the name of the file.
            start: its first bytes, no longer compressed: all of them, or at least some hundred thousand.
        """

    def game_id(self, data: bytes) -> str | None:
        """The id that a record itself has; None if it has none, or if that cannot be told. Never raises."""

    def read_game(self, data: bytes, path: str, game_id: str, month: str | None, line: int) -> Game:
        """Reads one game. Never raises for anything that the data may hold.

        Args:
            data: the bytes of the record.
            path: how its file is named in findings.
            game_id: the id of the game.
            month: ``YYYYMM`` where the archive's folder tells it.
            line: the line of the file on which the bytes begin, from 1.
        """


class _Bsw:
    """Logs of BrettspielWelt; what no other format recognises is read as one and found to be none."""

    name = "bsw"
    title = "BrettspielWelt log"
    endings: tuple[str, ...] = (_LOG_ENDING,)
    has_ids = False

    def recognises(self, start: bytes) -> bool:
        return b"Gr.Tichukarten" in start or b"Startkarten" in start

    def many(self, name: str, start: bytes) -> bool:
        return False

    def game_id(self, data: bytes) -> str | None:
        return None

    def read_game(self, data: bytes, path: str, game_id: str, month: str | None, line: int) -> Game:
        from tichu_analytics.formats.bsw import read_game

        return read_game(data, path, game_id, month)


class _Tgr:
    """Tichu game records: JSON, one game in a file (``.tgr.json``) or a game on each line (``.tgr.jsonl``)."""

    name = "tgr"
    title = "TGR record"
    endings: tuple[str, ...] = (".tgr.json", ".tgr.jsonl")
    has_ids = True

    # An array of games is no record; it is taken for one all the same, and found to be none.
    _BEGINNING: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*(?:\[[ \t\r\n]*)?\{[ \t\r\n]*[\"}]")
    _FIRST_LINE: Final = re.compile(rb"(?:\xef\xbb\xbf)?[ \t\r\n]*([^\n]*)(\n?)")

    def recognises(self, start: bytes) -> bool:
        return self._BEGINNING.match(start) is not None

    def many(self, name: str, start: bytes) -> bool:
        first = self._FIRST_LINE.match(start)
        assert first is not None  # it may be empty
        line = first[1].rstrip()
        if unpacked_name(name).endswith(".tgr.jsonl"):
            if line == b"{":
                # A single game over several lines, unless a whole game follows on the next line.
                return start[first.end() :].lstrip()[:2] == b'{"'
            return line[:1] != b"["
        # A single game may stand on a line as well: what follows tells. Without an end of the line nothing does.
        return line.endswith(b"}") and first[2] != b"" and start[first.end() :].strip() != b""

    def game_id(self, data: bytes) -> str | None:
        from tichu_analytics.formats.tgr.reader import own_id

        return own_id(data)

    def read_game(self, data: bytes, path: str, game_id: str, month: str | None, line: int) -> Game:
        from tichu_analytics.formats.tgr.reader import read_game

        return read_game(data, path, game_id, month, line)


# The first one reads what nobody recognises. The others are asked before it: BrettspielWelt logs are recognised by
# words that a record in another format may quote.
_formats: tuple[Format, ...] = (_Bsw(), _Tgr())
# For which of them there are short cuts; with any other, here or registered, every file is looked at.
_OWN: Final = ("bsw", "tgr")
_names: tuple[str, ...] = tuple(one.name for one in _formats)
_endings: tuple[str, ...] = tuple(ending for one in _formats for ending in one.endings)


def formats() -> tuple[Format, ...]:
    """All formats that can be read."""
    return _formats


def register(one: Format) -> None:
    """Adds a format, which is asked before the others; in this process only, not in those that several jobs
    are done by.

    Raises:
        ValueError: if its name or one of its endings is taken.
    """
    if one.name in [other.name for other in _formats] or not set(one.endings).isdisjoint(_endings):
        raise ValueError(f"the name or an ending of the format {one.name!r} is taken")
    _set((*_formats, one))


def unregister(name: str) -> None:
    """Takes a format away that :func:`register` has added."""
    _set(tuple(one for one in _formats if one.name != name))


def _set(some: tuple[Format, ...]) -> None:
    global _formats, _names, _endings
    _formats = some
    _names = tuple(one.name for one in some)
    _endings = tuple(ending for one in some for ending in one.endings)


def endings() -> tuple[str, ...]:
    """The endings of the names of files in any of the formats, in small letters, without those of compression."""
    return _endings


def by_name(name: str) -> Format:
    """The format of a name.

    Raises:
        LookupError: if there is none.
    """
    for one in _formats:
        if one.name == name:
            return one
    raise LookupError(f"there is no format {name!r}; the formats are {', '.join(one.name for one in _formats)}")


def format_of(name: str, start: bytes) -> Format:
    """The format of a file.

    Args:
        name: its name, which counts if no format recognises its content.
        start: the first bytes of its content, no longer compressed; :data:`START` of them are enough.

    Returns:
        The format; ``bsw`` if neither content nor name tells it.
    """
    start = start[:START]
    for one in reversed(_formats):
        if one.recognises(start):
            return one
    bare = unpacked_name(name)
    for one in reversed(_formats):
        if bare.endswith(one.endings):
            return one
    return _formats[0]


def is_surely_log(start: bytes) -> bool:
    """Whether a file is a BrettspielWelt log by its first bytes, of which :data:`FEW` are enough; False if unsure.

    No other format can see something else in it: a record begins with a brace, and no format has been added.
    """
    return start.startswith(_LOG) and is_alone()


def is_alone() -> bool:
    """Whether there are no formats but those that short cuts know: logs are then told by their first words or name."""
    return _names == _OWN


def unpacked_name(name: str) -> str:
    """The name of a file in small letters, without the ending of a compression."""
    bare = name.lower()
    for ending in _PACKED_ENDINGS:
        if bare.endswith(ending):
            return bare[: -len(ending)]
    return bare


def stem(name: str) -> str:
    """The name of a file without its endings: ``x`` for ``x.tch.gz``; a name that is an ending is left as it is."""
    if name.endswith(_LOG_ENDING) and len(name) > len(_LOG_ENDING) and is_alone():
        return name[: -len(_LOG_ENDING)]
    bare = name.lower()
    taken = 0  # small letters may be more characters than capital ones, but those of endings are not
    for some in (_PACKED_ENDINGS, _endings):
        for ending in some:
            if bare.endswith(ending) and len(bare) > len(ending):
                bare = bare[: -len(ending)]
                taken += len(ending)
                break
    return name[: len(name) - taken]


def own_id(one: Format, data: bytes) -> str | None:
    """The id that a record itself has, as text that UTF-8 can hold; None if it has none that can be used."""
    found = one.game_id(data) if one.has_ids else None
    if not found or len(found) > _LONGEST_ID:
        return None
    return found.encode("utf-8", "backslashreplace").decode()


def read_input(one: Input) -> Game:
    """Reads a game that was found, whatever its format."""
    return by_name(one.format).read_game(one.data, one.path, one.game_id, one.month, one.line)
