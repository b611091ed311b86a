"""Notebooks as pages of the site: their text and code as Markdown, their saved outputs as they are."""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterator
from html import escape, unescape
from typing import Any, Final

#: How a notebook's name ends.
ENDING: Final = ".ipynb"

_PLACE: Final = re.compile(r'<div class="output" data-output="(\d+)"></div>')
# What a drawing says of itself, which is not heard any more where it is a picture.
_WORDS: Final = re.compile(r"<(?:title|desc)\b[^>]*>([^<]+)</(?:title|desc)>")


def as_markdown(text: str) -> str:
    """The page of a notebook, with a place for each output.

    Args:
        text: the file.

    Returns:
        Texts as they stand, code as blocks, and ``<div class="output" data-output="0"></div>`` and so on.
    """
    parts = []
    number = 0
    for cell in json.loads(text)["cells"]:
        source = _joined(cell["source"])
        if cell["cell_type"] != "code":
            parts.append(source)
            continue
        parts.append(f"```python\n{source}\n```")
        for _ in cell["outputs"]:
            parts.append(f'<div class="output" data-output="{number}"></div>')
            number += 1
    return "\n\n".join(parts) + "\n"


def outputs(text: str) -> list[str]:
    """The outputs of a notebook as HTML, in order: what is HTML already, pictures, or else text."""
    return [html for cell in json.loads(text)["cells"] if cell["cell_type"] == "code" for html in _outputs(cell)]


def with_outputs(html: str, text: str) -> str:
    """The built page of a notebook with its outputs in their places.

    Args:
        html: the page as it was made of :func:`as_markdown`.
        text: the file.
    """
    found = outputs(text)
    return _PLACE.sub(lambda place: f'<div class="output">{found[int(place[1])]}</div>', html)


def _outputs(cell: dict[str, Any]) -> Iterator[str]:
    for output in cell["outputs"]:
        data = {kind: _joined(value) for kind, value in output.get("data", {}).items()}
        plain = data.get("text/plain", _joined(output.get("text", "")))
        if "text/html" in data:
            yield data["text/html"]
        elif "image/svg+xml" in data:
            drawing = data["image/svg+xml"]
            words = [unescape(found) for found in _WORDS.findall(drawing)]
            picture = base64.b64encode(drawing.encode()).decode()
            yield _picture("image/svg+xml", picture, ". ".join(words) or plain)
        elif "image/png" in data:
            yield _picture("image/png", data["image/png"].strip(), plain)
        else:
            yield f"<pre><code>{escape(plain)}</code></pre>"


def _picture(kind: str, picture: str, words: str) -> str:
    return f'<img src="data:{kind};base64,{picture}" alt="{escape(words)}">'


def _joined(text: str | list[str]) -> str:
    return text if isinstance(text, str) else "".join(text)
