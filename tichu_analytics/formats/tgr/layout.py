"""Writes TGR documents: for people and diffs, or as one line.

What is written is JSON whatever the document is like, valid or not. Letters of every script are kept as they are;
characters that no one sees (control characters, marks of direction, line separators) are written as escapes of JSON.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from json import JSONEncoder
from typing import Any, Final

_GAME: Final = (
    "tgr", "id", "source", "rules", "options", "target", "played_at", "players", "trick_ends", "bsw", "rounds",
)  # fmt: skip
_SOURCE: Final = ("name", "url", "file", "format")
_ROUND: Final = (
    "players", "deal_players", "first8", "dealt", "calls", "exchange", "bombs", "events", "score", "bsw",
)  # fmt: skip
_EVENT: Final = ("event", "seat", "to", "cards", "phoenix_as", "rank", "call", "text", "turn", "at")
_CALL: Final = ("seat", "call", "when", "at")
_LOG: Final = ("byte_order_mark", "line_ends", "no_final_line_end", "without", "after_result", "lines")
_LINE: Final = (
    "line", "header", "first8", "dealt", "call", "gift", "bombs", "event", "score", "blank", "unreadable", "name",
    "names", "blanks", "dashes", "encoding", "line_end",
)  # fmt: skip

#: Fields of a round or of a ``bsw`` object whose entries have a line each.
_ENTRY_PER_LINE: Final = frozenset(("first8", "dealt", "exchange", "calls", "events", "lines"))
#: Fields that stand on one line whatever their length.
_ON_ONE_LINE: Final = frozenset(("players", "deal_players", "bombs", "score", "without"))

#: Values of other fields are broken into lines if they are longer than this,
_WIDTH: Final = 100
#: but not within this many levels, where blanks would outweigh all else.
_DEEPEST: Final = 12

# Equal to json.dumps with these settings, without making the encoder anew each time.
_compact: Final = JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode
_spaced: Final = JSONEncoder(ensure_ascii=False, allow_nan=False).encode
# Piece by piece, whatever it is.
_patient: Final = JSONEncoder(ensure_ascii=False, separators=(",", ":"), default=repr, skipkeys=True).iterencode

_NOT_PLAIN: Final = re.compile("[^ -~]")
_HIDDEN: Final = frozenset(("Cc", "Cf", "Zl", "Zp", "Cs"))


def pretty(document: Any) -> str:
    """A document for people: a line for each field, hand, call and event; ends with a line feed.

    Args:
        document: any JSON value.

    Raises:
        ValueError: for a number that JSON cannot have (not a number, infinite).
        TypeError: for a value that is none of JSON.
    """
    try:
        document = _arranged(document)
        if not isinstance(document, dict):
            return _tree(document, 0) + "\n"
        fields = []
        for name, value in document.items():
            if name == "rounds" and isinstance(value, list) and value:
                text = _block("[]", [_fields(one, 2) for one in value], 1)
            elif name == "bsw":
                text = _fields(value, 1)
            else:
                text = _field(name, value, 1)
            fields.append(f"{_dump(name)}: {text}")
        return (_block("{}", fields, 0) if fields else "{}") + "\n"
    except RecursionError:
        return _flat(document) + "\n"


def one_line(document: Any) -> str:
    """A document on one line, without a line feed, as short as can be.

    Args:
        document: any JSON value.

    Raises:
        ValueError, TypeError: as :func:`pretty`.
    """
    try:
        return _visible(_compact(_arranged(document)))
    except RecursionError:
        return _flat(document)


def excerpt(value: Any, most: int = 60) -> str:
    """The beginning of a value as JSON on one line, for messages; long values end with ``…``.

    Takes no longer for a large array or object than for a small one. Never raises.
    """
    text = ""
    if isinstance(value, str):
        value = value[: most + 1]
    try:
        for piece in _patient(value):
            text += piece[: 2 * most]
            if len(text) > 2 * most:
                break
    except (ValueError, RecursionError):
        text += "…"  # a number too long to be written, or an array in itself
    text = _visible(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _visible(text: str) -> str:
    """JSON text without characters that no one sees; they can only stand in strings."""
    if text.isascii() and "\x7f" not in text:
        return text
    return _NOT_PLAIN.sub(_shown, text)


def _shown(match: re.Match[str]) -> str:
    return _escape(match[0])


@lru_cache(maxsize=4096)
def _escape(character: str) -> str:
    if unicodedata.category(character) not in _HIDDEN:
        return character
    units = character.encode("utf-16-be", "surrogatepass")
    return "".join([f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2)])


def _dump(value: Any) -> str:
    return _visible(_spaced(value))


def _arranged(document: Any) -> Any:
    """The document with its known fields in their order, free fields after them."""
    if not isinstance(document, dict):
        return document
    game = _ordered(document, _GAME)
    if "source" in game:
        game["source"] = _ordered(game["source"], _SOURCE)
    if "bsw" in game:
        game["bsw"] = _arranged_log(game["bsw"])
    if isinstance(game.get("rounds"), list):
        game["rounds"] = [_arranged_round(one) for one in game["rounds"]]
    return game


def _arranged_round(one: Any) -> Any:
    if not isinstance(one, dict):
        return one
    one = _ordered(one, _ROUND)
    if isinstance(one.get("calls"), list):
        one["calls"] = [_ordered(call, _CALL) for call in one["calls"]]
    if isinstance(one.get("events"), list):
        one["events"] = [_ordered(event, _EVENT) for event in one["events"]]
    if "bsw" in one:
        one["bsw"] = _arranged_log(one["bsw"])
    return one


def _arranged_log(log: Any) -> Any:
    if not isinstance(log, dict):
        return log
    log = _ordered(log, _LOG)
    if isinstance(log.get("lines"), list):
        log["lines"] = lines = [_ordered(line, _LINE) for line in log["lines"]]
        for line in lines:
            if isinstance(line, dict) and "event" in line:
                line["event"] = _ordered(line["event"], _EVENT)
    return log


def _ordered(value: Any, names: Sequence[str]) -> Any:
    """An object with the fields of these names first, in their order. Anything else as it is."""
    if not isinstance(value, dict):
        return value
    first = {name: value[name] for name in names if name in value}
    return first if len(first) == len(value) else first | {name: value[name] for name in value if name not in first}


def _fields(value: Any, level: int) -> str:
    """A round or a ``bsw`` object, a line for each field; anything else as a tree."""
    if not isinstance(value, dict) or not value or level > _DEEPEST:
        return _tree(value, level)
    fields = []
    for name, inner in value.items():
        text = _fields(inner, level + 1) if name == "bsw" else _field(name, inner, level + 1)
        fields.append(f"{_dump(name)}: {text}")
    return _block("{}", fields, level)


def _field(name: str, value: Any, level: int) -> str:
    if name in _ON_ONE_LINE:
        return _dump(value)
    if name in _ENTRY_PER_LINE and isinstance(value, list) and value:
        return _block("[]", [_dump(entry) for entry in value], level)
    return _tree(value, level)


def _tree(value: Any, level: int) -> str:
    """Any value: on one line if it is short, else with its entries on lines of their own."""
    if not value or level > _DEEPEST or not isinstance(value, dict | list):
        return _dump(value)
    if isinstance(value, dict):
        brackets = "{}"
        entries = [f"{_dump(name)}: {_tree(inner, level + 1)}" for name, inner in value.items()]
    else:
        brackets = "[]"
        entries = [_tree(inner, level + 1) for inner in value]
    if sum(map(len, entries)) + 2 * len(entries) <= _WIDTH and not any("\n" in entry for entry in entries):
        return brackets[0] + ", ".join(entries) + brackets[1]
    return _block(brackets, entries, level)


def _block(brackets: str, entries: list[str], level: int) -> str:
    pad = "  " * (level + 1)
    return brackets[0] + "\n" + pad + f",\n{pad}".join(entries) + "\n" + "  " * level + brackets[1]


def _flat(value: Any) -> str:
    """A value on one line, however deep it goes."""
    parts: list[str] = []
    waiting: list[Any] = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Written):
            parts.append(item)
        elif isinstance(item, dict):
            parts.append("{")
            waiting.append(_Written("}"))
            for index, (name, inner) in reversed([*enumerate(item.items())]):
                waiting += (inner, _Written(("," if index else "") + _visible(_compact(name)) + ":"))
        elif isinstance(item, list):
            parts.append("[")
            waiting.append(_Written("]"))
            for index, inner in reversed([*enumerate(item)]):
                waiting += (inner, _Written("," if index else ""))
        else:
            parts.append(_visible(_compact(item)))
    return "".join(parts)


class _Written(str):
    """JSON text that is done, among values that are not."""

    __slots__ = ()
