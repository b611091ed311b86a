"""Hints for questions in SQL that DuckDB would answer, or refuse, without a word about what was meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any, Final

from tichu_analytics.record.notation import CARD_CODES, RANK_NAMES
from tichu_analytics.tables.schema import TABLES

#: The words of each column that has a fixed list of them, of all tables together.
_VOCABULARIES: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(dict.fromkeys(w for t in TABLES.values() for c in t.columns if c.name == name for w in c.vocabulary))
    for name in {c.name for t in TABLES.values() for c in t.columns if c.vocabulary}
}
#: What people may write without quotation marks: cards, ranks, and the words in the columns.
_WORDS: Final = frozenset({*CARD_CODES, *RANK_NAMES, *(word for words in _VOCABULARIES.values() for word in words)})
_MISSING: Final = re.compile(r'Referenced column "([^"]+)" (?:was )?not found')
_SHOWN: Final = 12


def quotation_marks_forgotten(message: str) -> str | None:
    """A better text for DuckDB's message about a column that is none, if it is a card or a word of a column."""
    missing = _MISSING.match(message)
    if missing is None or missing[1] not in _WORDS:
        return None
    return f"there is no column {missing[1]}; a text stands in single quotation marks: '{missing[1]}'"


def strange_words(tree: dict[str, Any]) -> list[str]:
    """The texts in a parsed statement that a column of words is compared with and never has, a sentence each."""
    found: dict[str, None] = {}
    waiting: list[Any] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, list):
            waiting.extend(part)
        elif isinstance(part, dict):
            waiting.extend(part.values())
            found.update(dict.fromkeys(_in_comparison(part)))
    return sorted(found)


def _in_comparison(part: dict[str, Any]) -> Iterator[str]:
    if part.get("class") == "COMPARISON":
        both = [part.get("left"), part.get("right")]
    elif part.get("type") in ("COMPARE_IN", "COMPARE_NOT_IN"):
        both = part.get("children", [])
    else:
        return
    sides: list[dict[str, Any]] = [side for side in both if isinstance(side, dict)]
    columns = [side["column_names"][-1] for side in sides if side.get("column_names")]
    if len(columns) != 1 or columns[0] not in _VOCABULARIES:
        return
    words = _VOCABULARIES[columns[0]]
    for text in filter(None, map(_text, sides)):
        if text not in words:
            near = get_close_matches(text.lower(), words, n=1, cutoff=0.5)
            some = ", ".join(words[:_SHOWN]) + (", ..." if len(words) > _SHOWN else "")
            shown = text if len(text) <= 40 else f"{text[:39]}..."
            yield f"{columns[0]} is never {shown!a}; " + (
                f"did you mean {near[0]!r}?" if near else f"its words are {some}"
            )


def _text(side: dict[str, Any]) -> str | None:
    """A constant text; older and newer versions of DuckDB write it differently."""
    if side.get("class") != "CONSTANT":
        return None
    literal, value = side.get("literal"), side.get("value")
    if isinstance(literal, dict) and literal.get("kind") == "STRING":
        return str(literal.get("text"))
    if isinstance(value, dict) and isinstance(value.get("value"), str):
        return str(value["value"])
    return None
