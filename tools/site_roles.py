"""Docstrings as the site shows them: an extension for griffe that turns what is written for Sphinx into Markdown.

Docstrings of the project name other things by roles, such as ``:func:`read_games```, and show calls behind ``>>>``.
Both would stand on the page as they are. A role becomes the name as code, with a link wherever the site has that thing;
a call becomes a block; a remark behind ``#:`` counts as the docstring of a constant. The sources are not touched.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Final

import griffe

if TYPE_CHECKING:
    #: Gives the full name of what a role and a name mean, or None.
    Resolve = Callable[[str, str], str | None]

#: Names that a module hides from griffe, which reads sources without running them.
HIDDEN: Final = {("func", "tichu_analytics.replay"): "tichu_analytics.replay.game.replay"}

_ROLE: Final = re.compile(r":(func|mod|class|meth|data|attr|exc|const|obj):`(~?)([^`]+)`")
_PAGE: Final = re.compile(r"\bdocs/(\w+)\.md\b")
_COMMENT: Final = re.compile(r"^\s*#: ?(.*)$")
_SECTION: Final = re.compile(r"^(Args|Returns|Raises|Yields|Attributes|Examples):$")
_SEVERAL: Final = re.compile(r"^( +)((?:\*{0,2}\w+, )+\*{0,2}\w+): (.*)$")


def in_markdown(text: str, resolve: Resolve) -> str:
    """A docstring as Markdown.

    Args:
        text: the docstring, without the blanks in front of its lines.
        resolve: gives the full name of what a role and a name mean there, or None.

    Returns:
        The docstring with links in the place of roles, blocks in the place of calls, and a line for each of several
        arguments that are described together.
    """

    def link(match: re.Match[str]) -> str:
        role, short, name = match.groups()
        label = name.rpartition(".")[2] if short or name.startswith(".") else name.removeprefix("tichu_analytics.")
        full = resolve(role, name)
        code = f"`{label}`"
        return code if full is None else f'<autoref identifier="{full}" optional>{code}</autoref>'

    # Docstrings are shown on the pages of docs/api/ alone, from which other pages are one folder up.
    return _blocks(_apart(_PAGE.sub(r'<a href="../\1.html">docs/\1.md</a>', _ROLE.sub(link, text))))


def _blocks(text: str) -> str:
    """Puts calls behind ``>>>``, with what they print, into blocks."""
    lines: list[str] = []
    indent: str | None = None
    for line in [*text.split("\n"), ""]:
        blank = line[: len(line) - len(line.lstrip())]
        if indent is None and line.lstrip().startswith(">>> "):
            indent = blank
            lines += [f"{indent}```pycon"]
        elif indent is not None and not line.strip():
            lines += [f"{indent}```"]
            indent = None
        lines.append(re.sub(r"\s+# doctest: \+\w+$", "", line) if indent is not None else line)
    return "\n".join(lines[:-1])


def _apart(text: str) -> str:
    """Gives each of several arguments or attributes that are described in one entry an entry of its own."""
    lines: list[str] = []
    source = text.split("\n")
    section = ""
    at = 0
    while at < len(source):
        line = source[at]
        at += 1
        if line and not line[0].isspace():
            section = line if _SECTION.match(line) else ""
        found = _SEVERAL.match(line) if section in ("Args:", "Attributes:") else None
        if found is None:
            lines.append(line)
            continue
        more = []
        while at < len(source) and source[at].startswith(found[1] + " "):
            more.append(source[at])
            at += 1
        for name in found[2].split(", "):
            lines += [f"{found[1]}{name}: {found[3]}", *more]
    return "\n".join(lines)


def comment_above(lines: Sequence[str], line: int) -> str:
    """The remark behind ``#:`` that stands directly above a constant, in the place of a docstring.

    Args:
        lines: the lines of the module.
        line: the line of the constant, from 1.

    Returns:
        The remark as a docstring, an empty text if there is none.
    """
    found: list[str] = []
    for text in reversed(lines[: line - 1]):
        match = _COMMENT.match(text)
        if match is None:
            break
        found.append(match[1])
    return "\n".join(reversed(found))


class Roles(griffe.Extension):
    """Changes every docstring once its package has been read."""

    def on_package(self, *, pkg: griffe.Module, **kwargs: Any) -> None:
        """Goes through a package."""
        self._walk(pkg, set())

    def _walk(self, one: Any, seen: set[str]) -> None:
        if one.is_alias or one.path in seen:
            return
        seen.add(one.path)
        if one.docstring is None and one.is_attribute and one.lineno and not one.name.startswith("_"):
            remark = comment_above(one.module.lines_collection[one.module.filepath], one.lineno)
            if remark:
                one.docstring = griffe.Docstring(remark, lineno=one.lineno, parent=one)
        if one.docstring is not None:
            one.docstring.value = in_markdown(one.docstring.value, lambda role, name: resolved(one, role, name))
        for member in one.members.values():
            self._walk(member, seen)


def resolved(one: Any, role: str, name: str) -> str | None:
    """The full name of what a role means in the docstring of a thing.

    Args:
        one: the module, class, function or attribute that has the docstring, as griffe knows it.
        role: ``func``, ``mod`` and so on.
        name: the name as written: full, relative to the package (``.cards``), or as it is known there.

    Returns:
        The full name, or None for what is not of the package.
    """
    name = name.removesuffix("()")
    package = one.package.path
    if name.startswith("."):
        module = one.module
        base = module if module.is_init_module else module.parent
        full = f"{base.path}{name}"
    elif name.split(".")[0] == package:
        full = name
    else:
        try:
            full = one.resolve(name)
        except griffe.NameResolutionError:
            return None
    full = HIDDEN.get((role, full), full)
    return full if full.startswith(f"{package}.") else None
