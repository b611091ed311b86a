"""The pages that tell what a finding means, the rule behind it, and an example.

The texts are data, one TOML file a group in :mod:`tichu_analytics.replay.pages`, and are read when they are asked for.
``python -m tichu_analytics.replay.explain`` prints all of them as Markdown; that is ``docs/findings.md``.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from tichu_analytics.replay.codes import BY_NAME, CODES, GROUPS, group_of
from tichu_analytics.replay.findings import Severity

#: The sources that pages refer to, by the tag that they use, in the order in which they are named.
SOURCES: Final[dict[str, str]] = {
    "official": "the publisher's pocket rules (German, 7th edition 2011)",
    "faq": "the publisher's FAQ",
    "faq2": "parts of the publisher's FAQ that are known from quotations only",
    "000": "seed 000, rules page of dod.gr (Greek)",
    "001": "seed 001, rules after the booklet of the original deck (Greek)",
    "002": "seed 002, scoring page of dod.gr (Greek)",
    "003": "seed 003, a player's page with house readings (Greek)",
    "004": "seed 004, a guide with questions and answers (Finnish)",
    "bsw": "how BrettspielWelt plays and writes its logs",
    "tool": "a decision of this toolkit, where rules and logs leave it open",
}

_SHORT_SOURCES: Final = {"official": "official rules", "faq": "FAQ", "faq2": "FAQ (quoted)", "bsw": "BrettspielWelt"}

_KEYS: Final = frozenset({"meaning", "rule", "sources", "line", "example", "message", "advice"})
_OPTIONAL_KEYS: Final = frozenset({"options", "severity_note"})
_TEXT_WIDTH: Final = 96


class ExampleLine(NamedTuple):
    """One line of an example.

    Attributes:
        text: a line of a log; a remark, without its ``#``; or ``...`` where lines are left out.
        is_remark: the line is no part of the log but says something about it.
        is_wrong: the finding stands at this line.
    """

    text: str
    is_remark: bool
    is_wrong: bool


class Page(NamedTuple):
    """What there is to say about a finding. Longer texts are paragraphs without line breaks.

    Attributes:
        code, name, title, severity: as in :class:`tichu_analytics.replay.codes.Code`.
        group: the group of the code, ``wish``.
        severity_note: the severity in words where it depends on something; otherwise empty.
        meaning: what the finding means.
        rule: the rule behind it.
        sources: where the rule comes from, tags of :data:`SOURCES`.
        options: the options that decide about it (:data:`tichu_analytics.rules.options.OPTIONS`).
        line: at which line it is reported.
        example: a few lines of a made-up log.
        message: what is reported about them, without place, code and name.
        advice: what often causes it and what to do.
    """

    code: str
    name: str
    title: str
    severity: Severity
    group: str
    severity_note: str
    meaning: tuple[str, ...]
    rule: tuple[str, ...]
    sources: tuple[str, ...]
    options: tuple[str, ...]
    line: str
    example: tuple[ExampleLine, ...]
    message: str
    advice: tuple[str, ...]


def group_names() -> tuple[str, ...]:
    """The groups of codes, each once, in their order."""
    return tuple(dict.fromkeys(GROUPS.values()))


def explain(code_or_name: str) -> Page:
    """The page of a finding.

    Args:
        code_or_name: a code or a name in any case, ``T312``, ``t312`` or ``wish-ignored``.

    Raises:
        ValueError: if there is no such code; the message names those that are near.
    """
    wanted = code_or_name.strip()
    code = CODES.get(wanted.upper()) or BY_NAME.get(wanted.lower().replace("_", "-"))
    if code is not None:
        return _pages()[code.code]
    near = near_matches(wanted)
    hint = f"; did you mean {' or '.join(near)}?" if near else "; tichu explain lists all of them"
    # What was typed may be anything: it is shown with escapes and cut.
    shown = ascii(wanted[:40])
    raise ValueError(f"there is no finding {shown}{hint}")


def near_matches(wanted: str) -> list[str]:
    """Up to three codes with their names that resemble what was asked for, the nearest first."""
    import difflib

    digits = wanted.upper().removeprefix("T")
    if digits.isascii() and digits.isdigit() and len(digits) <= 4:
        # Of two codes equally far away the lower one comes first.
        number = int(digits)
        near = sorted(CODES, key=lambda code: (abs(int(code[1:]) - number), code))
        return [f"{code} ({CODES[code].name})" for code in near[:3]]
    names = difflib.get_close_matches(wanted.lower().replace("_", "-")[:60], list(BY_NAME), n=3, cutoff=0.6)
    return [f"{BY_NAME[name].code} ({name})" for name in names]


def all_pages() -> tuple[Page, ...]:
    """Every page, by group and code."""
    order = {group: place for place, group in enumerate(group_names())}
    return tuple(sorted(_pages().values(), key=lambda page: (order[page.group], page.code)))


@functools.cache
def _pages() -> dict[str, Page]:
    """All pages by code.

    Raises:
        ValueError: if pages and codes do not go together; the tests see to it that they do.
    """
    import tomllib
    from importlib import resources

    folder = resources.files("tichu_analytics.replay.pages")
    found: dict[str, Page] = {}
    for group in group_names():
        tables = tomllib.loads((folder / f"{group}.toml").read_text(encoding="utf-8"))
        for code, table in tables.items():
            if code not in CODES or group_of(code) != group:
                raise ValueError(f"the page {code} does not belong into the group {group}")
            found[code] = _page(code, table)
    missing = CODES.keys() - found.keys()
    if missing:
        raise ValueError(f"there is no page for {', '.join(sorted(missing))}")
    return found


def _page(code: str, table: dict[str, Any]) -> Page:
    keys = set(table)
    if not keys >= _KEYS or not keys <= _KEYS | _OPTIONAL_KEYS:
        raise ValueError(f"the page {code} lacks {sorted(_KEYS - keys)} or has {sorted(keys - _KEYS - _OPTIONAL_KEYS)}")
    entry = CODES[code]
    return Page(
        code,
        entry.name,
        entry.title,
        entry.severity,
        group_of(code),
        " ".join(table.get("severity_note", "").split()),
        _paragraphs(table["meaning"]),
        _paragraphs(table["rule"]),
        tuple(table["sources"]),
        tuple(table.get("options", ())),
        " ".join(table["line"].split()),
        tuple(_example_line(line) for line in table["example"].rstrip("\n").split("\n")),
        table["message"],
        _paragraphs(table["advice"]),
    )


def _paragraphs(text: str) -> tuple[str, ...]:
    return tuple(" ".join(part.split()) for part in text.strip().split("\n\n"))


def _example_line(line: str) -> ExampleLine:
    """A line of an example: two characters of margin (``>`` for the wrong line), then ``#`` before a remark."""
    text = line[2:]
    if text.startswith("# "):
        return ExampleLine(text[2:], True, False)
    return ExampleLine(text, False, line.startswith(">"))


def severity_text(page: Page) -> str:
    """The severity of a finding, and when it is another one, in words."""
    return page.severity_note.rstrip(".") or page.severity


def _example_text(page: Page) -> list[str]:
    """The example for a fixed-width face, the message below it."""
    lines = []
    for line in page.example:
        mark = ">" if line.is_wrong else " "
        lines.append(f"{mark} {'# ' if line.is_remark else ''}{line.text}".rstrip())
    lines.append("")
    lines += textwrap.wrap(
        f"{page.code} {page.name}: {page.message}",
        _TEXT_WIDTH,
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )
    return lines


def as_text(page: Page) -> str:
    """A page as plain text, with a line end at its end."""

    def wrapped(paragraphs: Iterable[str]) -> list[str]:
        lines: list[str] = []
        for paragraph in paragraphs:
            if lines:
                lines.append("")
            lines += textwrap.wrap(
                paragraph,
                _TEXT_WIDTH,
                initial_indent="  ",
                subsequent_indent="  ",
                break_long_words=False,
                break_on_hyphens=False,
            )
        return lines

    lines = [f"{page.code} {page.name} ({page.severity})", f"{page.title[0].upper()}{page.title[1:]}.", ""]
    lines += ["What it means", *wrapped(page.meaning), "", "The rule", *wrapped(page.rule)]
    lines += ["", "Sources", *(f"  {SOURCES[tag]}" for tag in page.sources)]
    if page.options:
        lines += ["", "Options (tichu rules shows them)", *wrapped([", ".join(page.options)])]
    lines += ["", "Severity", *wrapped([severity_text(page)]), "", "Reported at", *wrapped([page.line])]
    lines += ["", "Example", *(f"  {line}".rstrip() for line in _example_text(page))]
    lines += ["", "Causes and what to do", *wrapped(page.advice)]
    return "\n".join(lines) + "\n"


def _short_sources(page: Page) -> str:
    """The sources of a page in a few words, as the document explains them at its beginning."""
    seeds = [tag for tag in page.sources if tag.isdigit()]
    words = [_SHORT_SOURCES[tag] for tag in page.sources if tag in _SHORT_SOURCES]
    if seeds:
        words.append(f"seed{'s' if len(seeds) > 1 else ''} {', '.join(seeds)}")
    if "tool" in page.sources:
        words.append("decided here")
    return "; ".join(words)


def as_page_markdown(page: Page, level: int = 1, brief: bool = False) -> str:
    """A page as Markdown, with a line end at its end.

    Args:
        page: the page.
        level: the level of its heading.
        brief: sources in short, for a document that explains them elsewhere.
    """
    sources = _short_sources(page) if brief else "; ".join(SOURCES[tag] for tag in page.sources)
    parts = [f"{'#' * level} {page.code} {page.name}", f"*{page.title[0].upper()}{page.title[1:]}.*", *page.meaning]
    parts += [f"**Rule.** {page.rule[0]}", *page.rule[1:], f"**Sources.** {sources}."]
    if page.options:
        parts.append(f"**Options.** {', '.join(f'`{name}`' for name in page.options)}.")
    parts += [f"**Severity.** {severity_text(page)}.", f"**Reported at.** {page.line[0].upper()}{page.line[1:]}."]
    parts.append("\n".join(["```text", *_example_text(page), "```"]))
    parts += [f"**Causes and what to do.** {page.advice[0]}", *page.advice[1:]]
    return "\n\n".join(parts) + "\n"


def as_markdown() -> str:
    """All pages as one Markdown document, with a line end at its end."""
    pages = all_pages()
    parts = [
        "# Findings",
        "<!-- Generated: python -m tichu_analytics.replay.explain > docs/findings.md -->",
        "Everything that `tichu check` can report. `tichu explain CODE` prints a single page. Codes and names are "
        "stable.",
        "An **error** is a breach of a rule or of the format, or a score that is not right. A **warning** is worth a "
        "look, but the log can still be read and understood. A **note** says that something is unusual and was "
        "understood.",
        "In the examples `>` marks the line at which the finding stands, and `#` begins a remark that is no part of "
        "the log. The players are Anouk (seat 0), Bertil (1), Carla (2) and Dolf (3); Anouk and Carla are partners. "
        "Cards in the lines are written as in the log (`D` queen, `B` jack, `Hu` Dog), in messages in English (`Q`, "
        "`J`, `Do`). Lines in braces are of a TGR record, which has its cards in English; BrettspielWelt logs do not "
        "have such findings.",
        "`official`, `bsw` and `tichugr` are rule sets; `.tch` logs are checked under `bsw` unless another is asked "
        "for.",
        "Sources: *official rules* are the publisher's pocket rules (German, 7th edition 2011), *FAQ* the publisher's "
        "questions and answers, *FAQ (quoted)* parts of them that are known from quotations only, *BrettspielWelt* how "
        "its server plays and writes the logs, *decided here* what neither rules nor logs settle. The seeds are five "
        f"further texts on the rules: {'; '.join(SOURCES[tag][5:] for tag in SOURCES if tag.isdigit())}.",
    ]
    for group in group_names():
        rows = [f"**{group.capitalize()}**", "", "| code | name | severity | what is wrong |", "|---|---|---|---|"]
        for page in pages:
            if page.group == group:
                anchor = f"{page.code}-{page.name}".lower()
                rows.append(f"| [{page.code}](#{anchor}) | {page.name} | {page.severity} | {page.title} |")
        parts.append("\n".join(rows))
    for group in group_names():
        parts.append(f"## {group.capitalize()}")
        parts += [as_page_markdown(page, 3, brief=True).rstrip("\n") for page in pages if page.group == group]
    return "\n\n".join(parts) + "\n"


if __name__ == "__main__":
    import sys

    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]
    sys.stdout.write(as_markdown())
