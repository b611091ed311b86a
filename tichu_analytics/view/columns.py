"""Columns of text on a terminal: how wide a text is there, cutting and filling it, breaking lines to a width."""

from __future__ import annotations

import unicodedata
from typing import Final

#: What stands at the end of a text that was cut; plain ASCII, so that every terminal has it.
ELLIPSIS: Final = "..."


def cell_width(text: str) -> int:
    """How many cells of a terminal a text takes: two for a wide character, none for a combining one."""
    if text.isascii():
        return len(text)
    return sum(map(_char_width, text))


def _char_width(char: str) -> int:
    if unicodedata.category(char) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(char) in ("W", "F") else 1


def cut(text: str, width: int) -> str:
    """A text of at most so many cells: a longer one is cut and ends in an ellipsis (where there is room for one)."""
    if cell_width(text) <= width:
        return text
    ending = ELLIPSIS if width > len(ELLIPSIS) else ""
    room = width - len(ending)
    kept = []
    for char in text:
        room -= _char_width(char)
        if room < 0:
            break
        kept.append(char)
    return "".join(kept) + ending


def end_of(text: str, width: int) -> str:
    """The end of a text, as much of it as there is room for in so many cells."""
    kept: list[str] = []
    for char in reversed(text):
        width -= _char_width(char)
        if width < 0:
            # A sign that combines with a letter is nothing without it.
            while kept and not _char_width(kept[-1]):
                kept.pop()
            break
        kept.append(char)
    return "".join(reversed(kept))


def fit(text: str, width: int) -> str:
    """A text of just so many cells: cut, or filled up with blanks on the right."""
    short = cut(text, width)
    return short + " " * (width - cell_width(short))


def fit_right(text: str, width: int) -> str:
    """As :func:`fit`, but filled up on the left, as numbers are."""
    short = cut(text, width)
    return " " * (width - cell_width(short)) + short


def wrap(line: str, width: int, hang: int) -> list[str]:
    """Breaks a line at blanks so that no part is wider than ``width`` cells; a word that is too long stays whole.

    Args:
        line: the line, with blanks at its beginning and between its columns that are kept.
        width: the most cells that a part may take.
        hang: by how many blanks the parts after the first are moved in.

    Returns:
        The parts, at least one.
    """
    parts = []
    indent = " " * min(hang, max(width // 2, 0))
    while cell_width(line) > width:
        break_at = _break(line, width)
        if break_at is None:
            break
        parts.append(line[:break_at].rstrip(" "))
        line = indent + line[break_at:].lstrip(" ")
    return [*parts, line]


def _break(line: str, width: int) -> int | None:
    """Where to break a line that is too wide: the last blank that leaves a part that fits, or else the first one."""
    start = len(line) - len(line.lstrip(" "))
    best = None
    used = start
    for index in range(start, len(line)):
        if line[index] == " ":
            if used > width:
                return index if best is None else best
            if index > start:
                best = index
        used += _char_width(line[index])
    return best
