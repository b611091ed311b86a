"""Finds the lines of a JSON text on which the values stand that JSON pointers lead to."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from typing import Final

#: The pieces of JSON text: strings, single signs, numbers, words. In text that is none, the rest is passed over.
TOKEN: Final = re.compile(
    r'"[^"\\]*+(?:\\.[^"\\]*+)*+"|[{}\[\],:]'
    r"|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null|NaN|-?Infinity"
)


def pointer_to(path: Iterable[str | int]) -> str:
    """The JSON pointer (RFC 6901) of the place that names of fields and indexes lead to."""
    return "".join(["/" + str(step).replace("~", "~0").replace("/", "~1") for step in path])


class _Node:
    """A place that is looked for or lies on the way to one.

    Attributes:
        inner: the places below it, by name of the field or by index as text.
        start: the offset in the text at which the value begins; -1 as long as it is not found.
        line: the line of that offset.
    """

    __slots__ = ("inner", "line", "start")

    def __init__(self) -> None:
        self.inner: dict[str, _Node] = {}
        self.start = -1
        self.line = 1


def lines_of(text: str, pointers: Collection[str]) -> dict[str, int]:
    """The lines on which values begin.

    Args:
        text: valid JSON; line feeds separate its lines.
        pointers: JSON pointers (RFC 6901).

    Returns:
        For each pointer the line, from 1, on which its value begins; for one that leads nowhere, that of the innermost
        array or object on the way to it that exists.
    """
    root = _Node()
    nodes = [root]
    ways = {pointer: _way(root, pointer, nodes) for pointer in pointers}
    _scan(text, root, len(nodes))
    found = sorted((node for node in nodes if node.start >= 0), key=lambda node: node.start)
    line, end = 1, 0
    for node in found:
        line += text.count("\n", end, node.start)
        end = node.start
        node.line = line
    return {
        pointer: next((node.line for node in reversed(way) if node.start >= 0), root.line)
        for pointer, way in ways.items()
    }


def _way(root: _Node, pointer: str, nodes: list[_Node]) -> list[_Node]:
    """The places from the whole text to where a pointer leads; new ones are added to ``nodes``."""
    way = [root]
    for part in pointer.split("/")[1:]:
        name = part.replace("~1", "/").replace("~0", "~")
        inner = way[-1].inner
        if name not in inner:
            inner[name] = _Node()
            nodes.append(inner[name])
        way.append(inner[name])
    return way


def _scan(text: str, root: _Node, wanted: int) -> None:
    """Notes where the wanted places start, in one pass over the text that ends with the last of them."""
    # The arrays and objects that are open and on the way to something wanted: the place of each, and for an array
    # the index of the entry that is read, for an object -1.
    open_nodes: list[tuple[_Node, int]] = []
    # The place of the value that comes next; None if nobody asks for it.
    node: _Node | None = root
    name_next = False
    skipped = 0
    for match in TOKEN.finditer(text):
        token = match[0]
        first = token[0]
        if skipped:
            skipped += (first in "{[") - (first in "}]")
        elif first == "," and open_nodes:
            holder, index = open_nodes[-1]
            if index < 0:
                name_next = True
            else:
                open_nodes[-1] = (holder, index + 1)
                node = holder.inner.get(str(index + 1))
        elif first in "}]":
            open_nodes.pop()
            name_next = False
        elif name_next:
            node = open_nodes[-1][0].inner.get(_plain(token))
            name_next = False
        elif first != ":":
            if node is not None:
                if node.start < 0:
                    wanted -= 1
                node.start = match.start()
                if not wanted:
                    return
            if first in "{[":
                if node is None or not node.inner:
                    skipped = 1
                else:
                    is_array = first == "["
                    open_nodes.append((node, 0 if is_array else -1))
                    name_next = not is_array
                    node = node.inner.get("0") if is_array else None


def _plain(token: str) -> str:
    """The text of a string as it stands in JSON."""
    if "\\" not in token:
        return token[1:-1]
    import json

    return str(json.loads(token))
