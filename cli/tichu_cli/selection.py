"""Which findings are asked for: what ``--select`` and ``--ignore`` take."""

from __future__ import annotations

import re
from collections.abc import Iterable

from tichu_analytics.replay.codes import BY_NAME, CODES, GROUPS, group_of


class UnknownSelector(ValueError):
    """A word in ``--select`` or ``--ignore`` that names no finding; its text says what may be meant."""


def codes_of(word: str) -> frozenset[str]:
    """The codes that one word stands for.

    Args:
        word: a code (``T312``), the beginning of codes (``T3``), a name (``wish-ignored``) or a group (``moves``);
            small and capital letters are the same.

    Raises:
        UnknownSelector: if it stands for nothing.
    """
    if re.fullmatch(r"[tT][0-9]*", word):
        found = frozenset(code for code in CODES if code.startswith(word.upper()))
    elif word.lower() in BY_NAME:
        found = frozenset((BY_NAME[word.lower()].code,))
    else:
        found = frozenset(code for code in CODES if group_of(code) == word.lower())
    if not found:
        raise UnknownSelector(f"{word!a} is no code, name or group of findings{_suggestion(word)}")
    return found


def selected_codes(select: Iterable[str], ignore: Iterable[str]) -> frozenset[str]:
    """The codes that are left after both options.

    Args:
        select: values of ``--select``, each with words parted by commas; without any, all codes are selected.
        ignore: values of ``--ignore``; what they name is left out, even if it is selected as well.

    Raises:
        UnknownSelector: for a word that stands for nothing, and for a value without a word.
    """
    wanted = _union(select)
    return (frozenset(CODES) if wanted is None else wanted) - (_union(ignore) or frozenset())


def _union(values: Iterable[str]) -> frozenset[str] | None:
    """The codes of all words in all values, or None if there is no value."""
    found: frozenset[str] | None = None
    for value in values:
        words = [word for word in map(str.strip, value.split(",")) if word]
        if not words:
            raise UnknownSelector(f"{value!a} names no finding")
        found = (found or frozenset()).union(*map(codes_of, words))
    return found


def _suggestion(word: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word.upper(), CODES, n=1) or get_close_matches(
        word.lower(), (*BY_NAME, *GROUPS.values()), n=1
    )
    return f"; did you mean {near[0]}?" if near else f"; the groups are {', '.join(dict.fromkeys(GROUPS.values()))}"
