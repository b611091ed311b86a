"""Reads JSON text strictly, and tells where it is wrong."""

from __future__ import annotations

import json
import re
from typing import Any, Final, NoReturn

from tichu_analytics.formats.tgr.layout import excerpt
from tichu_analytics.formats.tgr.locate import TOKEN, pointer_to

#: Arrays and objects may stand within each other to this depth; a record needs 7.
MOST_LEVELS: Final = 200
#: A whole number may have so many digits.
MOST_DIGITS: Final = 4_300

_BOM: Final = b"\xef\xbb\xbf"
#: Up to here every whole number is a float of its own.
_EXACT_FLOATS: Final = 2.0**53
_SURROGATE: Final = re.compile(r"\\u[dD][89a-fA-F]")
_CONSTANTS: Final = ("NaN", "Infinity", "-Infinity")

#: What the parser of the standard library says, and what is expected there.
_EXPECTED: Final = {
    "Expecting value": "a value",
    "Expecting property name": "a name in double quotes",
    "Expecting ':'": "a colon after the name",
    "Expecting ','": "a comma or the closing bracket",
    "Unterminated string": "a double quote that ends the text",
    "Invalid control character": "an escape such as \\n for a control character",
    "Invalid \\uXXXX": "four hexadecimal digits after \\u",
    "Invalid \\": 'one of " \\ / b f n r t u after the backslash',
    "Extra data": "nothing more",
    "Illegal trailing comma": "no comma before the closing bracket",
}

#: Where little is left of the stack, or long numbers are switched off, less than the usual limits is too much.
_TOO_MUCH: Final = (
    "is nested too deeply or has too long a number", "", "less of it", "more than this program can read here",
)  # fmt: skip


class BadText(ValueError):
    """The text is not the JSON that is asked for.

    Attributes:
        message: a sentence without the place.
        line: the line, from 1; line feeds separate lines.
        column: the character within the line, from 1; a byte order mark is not counted.
        pointer: the JSON pointer of the object or value that is wrong; empty where the text is no JSON at all.
        expected, found: what should stand there and what does.
    """

    def __init__(
        self, message: str, line: int, column: int, pointer: str = "", expected: str = "", found: str = ""
    ) -> None:
        super().__init__(message, line, column, pointer, expected, found)
        self.message = message
        self.line = line
        self.column = column
        self.pointer = pointer
        self.expected = expected
        self.found = found

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.message}"


class _NotAllowed(Exception):
    """The parser has come to something that is not allowed here; where, has to be found."""


def parse(text: bytes | str) -> Any:
    """The value of a JSON text.

    Numbers that are whole (``1.0``, ``2e3``) become integers whatever their notation, so that a whole number is an
    ``int`` always; those beyond 2 to the power of 53 stay floats if they are written as such.

    Args:
        text: UTF-8 bytes or a text, with or without a byte order mark.

    Raises:
        BadText: for text that is no JSON, and for what JSON leaves open: names that stand twice in an object, NaN and
            infinite numbers, numbers too large for a float or of more than ``MOST_DIGITS`` digits, halves of pairs of
            surrogates, more than ``MOST_LEVELS`` levels. Nothing else is raised, whatever the text is.
    """
    text = _decoded(text)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise _syntax_fault(text, error) from None
    except (_NotAllowed, RecursionError, ValueError):
        raise _first_fault(text) or _fault(text, 0, *_TOO_MUCH) from None
    if _too_deep(value) or _SURROGATE.search(text) is not None:
        fault = _first_fault(text)
        if fault is not None:
            raise fault
    return value


def _decoded(text: bytes | str) -> str:
    """Text without a byte order mark.

    Raises:
        BadText: for bytes that are not UTF-8, and for halves of pairs of surrogates.
    """
    if isinstance(text, str):
        text = text.removeprefix("\ufeff")
        if not text.isascii():
            try:
                text.encode()
            except UnicodeEncodeError as error:
                found = f"U+{ord(text[error.start]):04X}"
                raise _fault(text, error.start, "is no text", "", "characters", f"{found}, half of a pair") from None
        return text
    data = text.removeprefix(_BOM)
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8")
        found = f"byte 0x{data[error.start]:02X}"
        if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
            found = "UTF-16"
        raise _fault(before, len(before), "is not UTF-8", "", "UTF-8", found) from None


def _fault(text: str, at: int, what: str, pointer: str = "", expected: str = "", found: str = "") -> BadText:
    """A fault at an offset of a text; ``what`` goes on after "the text"."""
    more = f": expected {expected}, found {found}" if expected else ""
    line = text.count("\n", 0, at) + 1
    column = at - text.rfind("\n", 0, at)
    return BadText(f"the text {what}{more}", line, column, pointer, expected, found)


def _syntax_fault(text: str, error: json.JSONDecodeError) -> BadText:
    at = error.pos
    expected = next((words for start, words in _EXPECTED.items() if error.msg.startswith(start)), "JSON")
    if text[at : at + 1] in ("]", "}") and expected in ("a value", "a name in double quotes"):
        # Pythons differ in whether they point at the bracket or at the comma.
        before = len(text[:at].rstrip(" \t\r\n")) - 1
        if before >= 0 and text[before] == ",":
            at = before
            expected = _EXPECTED["Illegal trailing comma"]
    found = "the end of the text" if error.msg.startswith("Unterminated") else _found(text, at)
    return _fault(text, at, "is not JSON", "", expected, found)


def _found(text: str, at: int) -> str:
    """What stands at an offset, for a message."""
    if at >= len(text):
        return "the end of the text"
    character = text[at]
    if not character.isprintable():
        return f"U+{ord(character):04X}"
    word = re.compile(r'[^\s{}\[\],:"]+').match(text, at)
    return excerpt(word[0] if word else character, 30)


def _integer(digits: str) -> int:
    if len(digits) > MOST_DIGITS and len(digits) - digits.startswith("-") > MOST_DIGITS:
        raise _NotAllowed
    return int(digits)


def _number(text: str) -> int | float:
    number = float(text)
    if number.is_integer() and abs(number) <= _EXACT_FLOATS:
        return int(number)
    if number in (float("inf"), -float("inf")):
        raise _NotAllowed
    return number


def _constant(_name: str) -> NoReturn:
    raise _NotAllowed


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise _NotAllowed
    return fields


_DECODER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_integer, parse_constant=_constant
)


def _too_deep(value: Any) -> bool:
    level = [value]
    for _ in range(MOST_LEVELS):
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, dict | list)
        ]
        if not level:
            return False
    return True


def _first_fault(text: str) -> BadText | None:
    """The first thing that is not allowed in a text that is JSON up to there; None if there is none."""
    try:
        return _look_for_fault(text)
    except (IndexError, ValueError):
        return None  # no JSON, and nothing else is wrong up to there


def _look_for_fault(text: str) -> BadText | None:
    path: list[str | int] = []
    # The names that each open object has so far; None for an array.
    open_names: list[set[str] | None] = []
    name_next = False
    for match in TOKEN.finditer(text):
        token, at = match[0], match.start()
        first = token[0]
        if first in "{[":
            if len(open_names) == MOST_LEVELS:
                expected = f"at most {MOST_LEVELS} levels of arrays and objects"
                return _fault(text, at, "is nested too deeply", pointer_to(path), expected, "one more")
            name_next = first == "{"
            open_names.append(set() if name_next else None)
            path.append("" if name_next else 0)
        elif first in "}]":
            open_names.pop()
            path.pop()
            name_next = False
        elif first == ",":
            index = path[-1]
            name_next = isinstance(index, str)
            if not isinstance(index, str):
                path[-1] = index + 1
        elif first == '"':
            string = str(json.loads(token))
            try:
                string.encode()
            except UnicodeEncodeError as error:
                found = f"\\u{ord(string[error.start]):04x}"
                pointer = pointer_to(path[:-1] if name_next else path)
                return _fault(text, at, "has half a character", pointer, "pairs of surrogates", f"{found} alone")
            if name_next:
                names = open_names[-1]
                if names is not None and string in names:
                    pointer = pointer_to(path[:-1])
                    found = f"{excerpt(string)} twice"
                    return _fault(text, at, "has a name twice in one object", pointer, "every name once", found)
                if names is not None:
                    names.add(string)
                path[-1] = string
                name_next = False
        elif first != ":":
            fault = _number_fault(text, token, at, path)
            if fault is not None:
                return fault
    return None


def _number_fault(text: str, token: str, at: int, path: list[str | int]) -> BadText | None:
    if token in _CONSTANTS:
        return _fault(text, at, "has no number here", pointer_to(path), "a number, a text or null", token)
    if token[0] not in "-0123456789":
        return None
    if token.lstrip("-").isdecimal():
        digits = len(token.lstrip("-"))
        if digits > MOST_DIGITS:
            expected = f"at most {MOST_DIGITS} digits"
            return _fault(text, at, "has too long a number", pointer_to(path), expected, f"{digits} digits")
    elif abs(float(token)) == float("inf"):
        expected = "a number below 1.8e308"
        return _fault(text, at, "has too large a number", pointer_to(path), expected, token[:30])
    return None
