"""Pages of reports as their tests read them, and what the statistics say to the commands that stand in them."""

from __future__ import annotations

import math
import shlex
from dataclasses import dataclass, field
from html.parser import HTMLParser

import tichu_analytics as ta
from tichu_analytics.stats.answering import compute, rate
from tichu_analytics.stats.observed import observed
from tichu_analytics.stats.odds import exact_events
from tichu_analytics.stats.registry import MORE_COLUMNS

#: What the tables of a page tell of each row of a result, in this order, before further columns.
FIGURES = ("n", "k", "n_games", "estimate", "low", "high")
_VOID = frozenset(("meta", "link", "br", "img", "use", "path", "rect", "circle", "line"))


@dataclass
class Cell:
    """A cell: its text, and its value if it is a number that is known."""

    text: str = ""
    value: float | None = None
    is_number: bool = False


@dataclass
class Article:
    """A figure with its table."""

    key: str
    title: str = ""
    text: str = ""
    head: list[str] = field(default_factory=list)
    rows: list[list[Cell]] = field(default_factory=list)
    commands: list[str] = field(default_factory=list)
    definitions: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    has_figure: bool = False
    has_details: bool = False


class ReportPage(HTMLParser):
    """A page taken apart."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.articles: dict[str, Article] = {}
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.headings: list[tuple[int, str]] = []
        self.svg: list[dict[str, str]] = []
        self.style = ""
        self.text = ""
        self._stack: list[str] = []
        self._article: Article | None = None
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.elements.append((tag, values))
        if tag not in _VOID:
            self._stack.append(tag)
        if tag == "article" and "shown" in (values.get("class") or "").split():
            self._article = self.articles[values["id"] or ""] = Article(values["id"] or "")
        if tag in ("h1", "h2", "h3", "h4"):
            self.headings.append((int(tag[1]), ""))
        if tag == "svg":
            self.svg.append({"title": "", "desc": "", "text": ""})
        one = self._article
        if one is None:
            return
        one.has_figure |= tag == "figure"
        one.has_details |= tag == "details"
        if tag == "tr" and "tbody" in self._stack:
            one.rows.append([])
        elif tag in ("td", "th") and "tbody" in self._stack:
            one.rows[-1].append(Cell(is_number="n" in (values.get("class") or "").split()))
        elif tag == "th":
            one.head.append("")
        elif tag == "data":
            one.rows[-1][-1].value = float(values["value"] or "nan")
        elif tag == "code" and "tbody" not in self._stack and "p" in self._stack:
            one.commands.append("")
        elif tag == "dt":
            one.definitions.append("")
        elif tag == "li":
            one.notes.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._stack:
            while self._stack.pop() != tag:
                pass
        if tag == "article":
            self._article = None

    def handle_data(self, data: str) -> None:
        if self._stack[-1:] == ["style"]:
            self.style += data
            return
        self.text += data
        if (
            self.headings
            and self._stack[-1:] in (["h1"], ["h2"], ["h3"], ["bdi"])
            and self._stack[-2:] != ["td", "bdi"]
        ):
            level, words = self.headings[-1]
            if f"h{level}" in self._stack:
                self.headings[-1] = (level, words + data)
        if "svg" in self._stack and self._stack[-1] in ("title", "desc", "text", "tspan"):
            self.svg[-1]["text" if self._stack[-1] == "tspan" else self._stack[-1]] += data
        one = self._article
        if one is None:
            return
        one.text += data
        if "tbody" in self._stack and one.rows and one.rows[-1]:
            one.rows[-1][-1].text += data
        elif "th" in self._stack:
            one.head[-1] += data
        elif "h3" in self._stack:
            one.title += data
        elif "code" in self._stack and "p" in self._stack and one.commands:
            one.commands[-1] += data
        elif "dt" in self._stack or "dd" in self._stack:
            one.definitions[-1] += data
        elif "li" in self._stack:
            one.notes[-1] += data


def figures(one: Article) -> list[list[float | None]]:
    """The numbers of a table, row by row; what is not known is None."""
    return [[cell.value for cell in row if cell.is_number] for row in one.rows]


def answers(data: ta.Dataset, command: str) -> list[list[float | None]]:
    """What the command that stands below a table gives, asked in Python."""
    name, verb, *words = shlex.split(command)
    assert name == "tichu"
    if verb == "odds":
        return _odds(data, words)
    assert verb in ("stats", "query")
    if verb == "query":
        _, sql = words
        with data.sql(sql) as answer:
            return [[float(value) for value in row if isinstance(value, int)] for row in answer]
    assert words.pop(0) == "DATA"
    options: dict[str, str] = {}
    while words:
        option = words.pop(0)
        options[option] = "" if option in ("--rating", "--distribution") else words.pop(0)
    least = int(options.pop("--min-n", "1"))
    if "--rating" in options:
        result = rate(data, least)
    else:
        result = compute(
            data,
            by=options.pop("--by", "").split(",") if "--by" in options else (),
            where=options.pop("--where", None),
            measures=options.pop("--measures").split(","),
            min_n=least,
            distribution=options.pop("--distribution", None) is not None,
        )
    assert set(options) <= {"--rating"}
    rows = [row.values() for row in result.rows if all(row.groups.get(one, "-") for one in ("player", "partner"))]
    more = [name for name in MORE_COLUMNS if any(name in row for row in rows)]
    return [[row.get(name) for name in (*FIGURES, *more)] for row in rows]


def _odds(data: ta.Dataset, words: list[str]) -> list[list[float | None]]:
    cards = int(words[words.index("--cards") + 1]) if "--cards" in words else None
    events = exact_events(words[0], cards)
    return [
        [row.cards, seen.k, seen.n, seen.rate, seen.low, seen.high, row.probability, seen.standard_errors]
        for (_, row), seen in zip(events, observed(data, events).rows, strict=True)
        if seen.n and (seen.k or seen.n * row.probability >= 1)
    ]


def is_rounded(text: str, value: float) -> bool:
    """Whether a text is the value as it is rounded for readers."""
    plain = text.replace("\u2212", "-").replace(",", "").replace("+", "").strip()
    if plain.endswith("%"):
        shown = float(plain.removesuffix("%")) / 100
        return math.isclose(shown, value, abs_tol=0.00051) and (value == 0) <= (shown == 0)
    return math.isclose(float(plain), value, abs_tol=0.051 if abs(value) >= 100 else 0.0051) or (
        "." in plain and math.isclose(float(plain), value, abs_tol=0.051)
    )
