"""Makes other people's text safe to show: player names and file names may hold control and bidirectional characters."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_WORKFLOW: Final = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_WORKFLOW_PROPERTY: Final = _WORKFLOW | {":": "%3A", ",": "%2C"}
_MARKDOWN: Final = re.compile(r"[\\`*_\[\]#|~$!^={}]")
_LINKS: Final = re.compile(r"(https?|ftp)(:)|(www)(\.)|(@)", re.IGNORECASE)
_ENTITIES: Final = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})

#: Stands where a finding expected or found an empty text.
NOTHING: Final = "(nothing)"


def _is_shown(char: str) -> bool:
    """Whether a character is safe as it is: all that has a shape of its own, and blanks (a no-break space is one)."""
    return char.isprintable() or unicodedata.category(char) == "Zs"


def _code(char: str) -> str:
    number = ord(char)
    return f"\\u{number:04x}" if number <= 0xFFFF else f"\\U{number:08x}"


def for_terminal(text: str) -> str:
    r"""Text as it can be written to a terminal, on one line.

    Letters of every script stay as they are. Control characters (a line end, a tab and ESC among them), characters
    that change the direction of writing, invisible ones, line separators, halves of surrogate pairs and code points
    without a meaning become visible as ``\u001b`` or ``\U000e0001``.

    Args:
        text: any text.

    Returns:
        The text with every such character replaced by its escape.
    """
    if text.isprintable():
        return text
    return "".join(char if _is_shown(char) else _code(char) for char in text)


def value_shown(text: str) -> str:
    """What was expected or found, as :func:`for_terminal` shows it; :data:`NOTHING` in place of an empty text."""
    return for_terminal(text) or NOTHING


def for_github(text: str, *, is_property: bool = False) -> str:
    """Text as it stands in a GitHub workflow command, ``::error file=PROPERTY::MESSAGE``.

    ``%`` and line ends are written as the runner decodes them again; other characters that are not safe to show become
    visible as with :func:`for_terminal`.

    Args:
        text: any text.
        is_property: True for the value of a property, where ``:`` and ``,`` have a meaning as well.

    Returns:
        The escaped text, which has no line end.
    """
    table = _WORKFLOW_PROPERTY if is_property else _WORKFLOW
    return "".join(table.get(char) or (char if _is_shown(char) else _code(char)) for char in text)


def for_markdown(text: str) -> str:
    """Text as it stands in Markdown, in a cell of a table too: on one line, nothing in it is markup, HTML or a link.

    Characters that are not safe to show become visible as with :func:`for_terminal`.

    Args:
        text: any text.
    """
    escaped = _MARKDOWN.sub(r"\\\g<0>", for_terminal(text)).translate(_ENTITIES)
    # A character by its number is no longer the beginning of an address, nor of a mention.
    return _LINKS.sub(lambda found: "".join(_numbered(part) for part in found.groups() if part), escaped)


def _numbered(part: str) -> str:
    return f"&#{ord(part)};" if len(part) == 1 else part
