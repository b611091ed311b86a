"""From the bytes of a log to its lines: encoding, line ends, control characters."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from tichu_analytics.record import Problem

_BOM: Final = b"\xef\xbb\xbf"
# C0 without the line feed, DEL, and C1: none of them belongs to a log.
_CONTROL: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
# In Latin-1 text the C1 range holds what Windows programs put there, mostly quotes and dashes in names.
_CONTROL_LATIN1: Final = re.compile("[\x00-\x09\x0b-\x1f\x7f]")
_WITHOUT_CONTROL: Final = dict.fromkeys((*range(32), *range(127, 160))) | {9: " "}


class LogText(NamedTuple):
    """The lines of a log without their ends.

    Attributes:
        lines: the lines; control characters are taken out of lines that have other text.
        cut: the last line has no end.
        problems: what concerns the file as a whole; the one about control characters stands on their line.
    """

    lines: list[str]
    cut: bool
    problems: list[Problem]


def _decode(data: bytes, problems: list[Problem]) -> tuple[str, re.Pattern[str]]:
    if data.startswith(_BOM):
        data = data[len(_BOM) :]
        problems.append(Problem(1, "byte-order-mark", None, "the file begins with a byte order mark"))
    try:
        return data.decode("utf-8"), _CONTROL
    except UnicodeDecodeError:
        pass
    # A file that breaks off may do so in the middle of a character; that is no matter of the encoding.
    start = data.rfind(b"\n") + 1
    try:
        return data[:start].decode("utf-8") + data[start:].decode("utf-8", "replace"), _CONTROL
    except UnicodeDecodeError:
        problems.append(
            Problem(1, "not-utf8", None, "the text is not UTF-8; it is read as Latin-1", "UTF-8", "Latin-1")
        )
    lines = []
    for line in data.split(b"\n"):
        try:
            lines.append(line.decode("utf-8"))
        except UnicodeDecodeError:
            lines.append(line.decode("latin-1"))
    return "\n".join(lines), _CONTROL_LATIN1


def plain_text(data: bytes) -> LogText:
    """What :func:`read_text` gives, for a log known to be UTF-8 without a byte order mark or control characters.

    Raises:
        UnicodeDecodeError: if it is not UTF-8.
    """
    lines = data.decode("utf-8").split("\n")
    cut = lines[-1] != ""
    if not cut:
        lines.pop()
    return LogText(lines, cut, [])


def read_text(data: bytes) -> LogText:
    """Splits the bytes of a log into lines.

    UTF-8 is expected; lines that are not are read as Latin-1. Only line feeds separate lines. Never raises.
    """
    problems: list[Problem] = []
    text, control = _decode(data, problems)
    if "\r\n" in text:
        problems.append(Problem(1, "line-ends", None, "lines end with CR LF instead of LF", "LF", "CR LF"))
        text = text.replace("\r\n", "\n").removesuffix("\r")
    lines = text.split("\n")
    cut = lines[-1] != ""
    if not cut:
        lines.pop()
    if control.search(text):
        _take_out_control_characters(lines, control, problems)
    return LogText(lines, cut, problems)


def _take_out_control_characters(lines: list[str], control: re.Pattern[str], problems: list[Problem]) -> None:
    first: Problem | None = None
    count = 0
    for index, line in enumerate(lines):
        here = control.findall(line)
        if not here:
            continue
        rest = line.translate(_WITHOUT_CONTROL)
        if not rest.strip(" "):
            continue  # stays as it is and becomes an unknown line
        count += len(here)
        lines[index] = rest
        if first is None:
            names = ", ".join(sorted({f"U+{ord(character):04X}" for character in here}))
            first = Problem(index + 1, "control-characters", None, "", "no control characters", names)
    if first is not None:
        many = f"; there are {count} in the file" if count > 1 else ""
        problems.append(
            first._replace(message=f"the line has control characters ({first.found}), which are passed over{many}")
        )
