"""Colours for a terminal: rows in styles, and the plain text of a round with its cards and findings coloured."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tichu_analytics.view.frame import Row, Span, Style

if TYPE_CHECKING:
    from typing import TextIO

    from rich.console import Console

#: The styles in the words of rich. The sword, black on the cards, has the colour of the text.
_STYLES: Final[dict[Style, str]] = {
    "": "",
    "S": "bold",
    "B": "bright_blue",
    "G": "green",
    "R": "red",
    "special": "bold magenta",
    "bold": "bold",
    "dim": "dim",
    "mark": "bold cyan",
    "error": "bold red",
    "warning": "yellow",
    "note": "cyan",
}
_CARD: Final = re.compile(r"(?<![^\s(])(?:([SBGR])(?:10|[2-9JQKA])|(Ma|Do|Ph|Dr))(?![^\s,;:)])")
_FINDING: Final = re.compile(r"(?:line +\d+|\d+)  >>> .*\[(error|warning|note)\]: ")


def console(out: TextIO, *, colours: bool) -> Console:
    """What writes styled rows to a terminal.

    Args:
        out: the terminal.
        colours: False for a terminal without colours.
    """
    from rich.console import Console

    # Rows have been broken already, so the console must not do that: it is told of more room than there is.
    return Console(
        file=out,
        force_terminal=True,
        color_system="standard" if colours else None,
        no_color=not colours,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
        width=100_000,
    )


def painted(rows: Iterable[Row], writer: Console) -> list[str]:
    """Rows as lines with the sequences of a terminal for their styles.

    Args:
        rows: the rows.
        writer: a console of :func:`console`.
    """
    from rich.text import Text

    lines = []
    for row in rows:
        text = Text(no_wrap=True, end="")
        for span in row:
            text.append(span.text, _STYLES[span.style] if writer.color_system else "")
        with writer.capture() as captured:
            writer.print(text, end="")
        lines.append(captured.get())
    return lines


def text_rows(text: str) -> list[Row]:
    """The plain text of a game, a round or a trick as rows: headings, cards and findings in their styles."""
    rows: list[Row] = []
    finding: Style = ""
    for line in text.splitlines():
        found = _FINDING.match(line.lstrip(" "))
        if found:
            finding = found[1]  # type: ignore[assignment]
        elif not line.startswith("     ") or line.lstrip(" ")[:1].isdigit():
            finding = ""
        if finding:
            rows.append([Span(line, finding)])
        elif line[:1] not in (" ", "="):
            rows.append([Span(line, "bold")])
        else:
            rows.append(_cards(line))
    return rows


def _cards(line: str) -> Row:
    row: Row = []
    start = 0
    for match in _CARD.finditer(line):
        if match.start() > start:
            row.append(Span(line[start : match.start()]))
        style: Style = match[1] or "special"  # type: ignore[assignment]
        row.append(Span(match[0], style))
        start = match.end()
    row.append(Span(line[start:]))
    return row
