"""A figure as a piece of SVG that can stand in a page: no addresses, no dates, text that stays text, ids of its own."""

from __future__ import annotations

import re
from base64 import b64encode
from html import escape
from io import StringIO
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree

from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    from matplotlib.figure import Figure

#: Fonts of the reader's system; none is loaded.
FONTS: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'Liberation Sans', sans-serif"

_SVG: Final = "http://www.w3.org/2000/svg"
_LINK: Final = "{http://www.w3.org/1999/xlink}href"
_REFERENCE: Final = re.compile(r"url\(#([^)]+)\)")
_NUMBER: Final = re.compile(r"-?\d+\.\d+")
#: What browsers take for granted anyway, or what is set once for the whole figure.
_USUAL: Final = {
    "stroke-linejoin": {"miter"},
    "stroke-linecap": {"butt"},
    "stroke-width": {"1"},
    "opacity": {"1"},
    "font-weight": {"400"},
    "text-anchor": {"start"},
}
_ROUNDED: Final = ("d", "x", "y", "width", "height", "transform")
_STRANGE: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")


def figure_svg(
    figure: Figure,
    title: str = "",
    description: str = "",
    id_prefix: str = "figure",
    *,
    width: float | None = None,
) -> str:
    """Turns a figure into inline SVG.

    Args:
        figure: any figure of matplotlib; those of :mod:`tichu_analytics.report.figures` know what they show.
        title: its name for screen readers; else the figure's ``heading``.
        description: what can be seen; else the figure's ``description``.
        id_prefix: with what the ids begin; no other figure of the page may have it.
        width: in CSS pixels, for where there is no column, such as a notebook. Without it the figure is as wide as its
            column; a page limits that by its style of ``.tichu-figure``, to about 32rem.

    Returns:
        One ``<svg>`` element with ``role="img"``, ``<title>`` and ``<desc>``, the same bytes each time. It refers to
        nothing but itself and has no styles, so that a strict page can hold it.

    Raises:
        ValueError: if ``id_prefix`` is not an id: a letter, then letters, digits, ``-`` and ``_``.
    """
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", id_prefix):
        raise ValueError(f"{id_prefix!r} cannot begin ids: expected a letter, then letters, digits, - and _")
    drawn = ElementTree.fromstring(_drawn(figure))
    kept = _kept_ids(drawn, id_prefix)
    view = drawn.get("viewBox", "0 0 1 1")
    root = ElementTree.Element(
        "svg",
        {
            "xmlns": _SVG,
            "class": "tichu-figure",
            "viewBox": view,
            "role": "img",
            "aria-labelledby": f"{id_prefix}-title",
            "aria-describedby": f"{id_prefix}-desc",
            "font-family": FONTS,
        },
    )
    if width is not None:
        _, _, wide, high = (float(one) for one in view.split())
        root.set("width", f"{width:g}")
        root.set("height", f"{width * high / wide:g}")
    name = ElementTree.SubElement(root, "title", {"id": f"{id_prefix}-title"})
    name.text = _text(title or getattr(figure, "heading", "") or "Figure")
    words = ElementTree.SubElement(root, "desc", {"id": f"{id_prefix}-desc"})
    words.text = _text(description or getattr(figure, "description", "") or name.text)
    for child in drawn:
        _copy(child, root, kept)
    return ElementTree.tostring(root, encoding="unicode")


def figure_img(figure: Figure, *, width: float) -> str:
    """Turns a figure into an image in HTML that holds the SVG itself, with what can be seen in words beside it.

    Unlike inline SVG it keeps its ids to itself, so that a page can have many, and it is left alone by pages that take
    scripts, styles and SVG out of a notebook.

    Args:
        figure: any figure of matplotlib.
        width: in CSS pixels; in a narrower column it is as wide as the column.

    Returns:
        One ``<img>`` element with the figure's heading and description as ``alt``, the same bytes each time.
    """
    held = b64encode(figure_svg(figure, width=width).encode()).decode()
    # Without a height in the element the image keeps its proportions where the style is taken out.
    return (
        f'<img class="tichu-figure" src="data:image/svg+xml;base64,{held}" alt="{escape(figure_words(figure))}" '
        f'width="{width:.0f}" style="max-width: 100%; height: auto">'
    )


def figure_words(figure: Figure) -> str:
    """A figure in words, in one line: its heading, and what can be seen."""
    heading, description = (_text(getattr(figure, name, "")) for name in ("heading", "description"))
    if heading and not heading.endswith((".", "?", "!")):
        heading += "."
    return " ".join(filter(None, (heading, description))) or "Figure"


def _drawn(figure: Figure) -> str:
    """What matplotlib writes, without a date, with texts as texts."""
    import matplotlib

    from tichu_analytics.report.canvas import own_settings

    out = StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with own_settings(), matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "tichu_analytics"}):
        figure.savefig(out, format="svg", metadata=nothing)
    # The document type names an address that nothing reads.
    return re.sub(r"<!DOCTYPE[^>]*>", "", out.getvalue())


def _kept_ids(drawn: ElementTree.Element, prefix: str) -> dict[str, str]:
    """The ids that something refers to, with what they are called in the page."""
    found: dict[str, str] = {}
    for one in drawn.iter():
        targets = [
            one.get(_LINK, "").removeprefix("#"),
            *(match for value in one.attrib.values() for match in _REFERENCE.findall(value)),
        ]
        for target in targets:
            if target:
                found.setdefault(target, f"{prefix}-{len(found) + 1}")
    return found


def _copy(one: ElementTree.Element, into: ElementTree.Element, kept: dict[str, str]) -> None:
    """Copies an element and what is in it, without what a page does not need."""
    tag = one.tag.rpartition("}")[2]
    if tag in ("metadata", "style", "title", "desc"):
        return
    if one.get("id") == "paper":
        # The class stands at the shape itself, where a style for print has its say over the attribute.
        for shape in one:
            found = _attributes("path", shape, kept)
            ElementTree.SubElement(into, "path", {**found, "class": "paper"})
        return
    attributes = _attributes(tag, one, kept)
    if tag in ("g", "defs") and not len(one):
        return
    here = into if tag == "g" and not attributes else ElementTree.SubElement(into, tag, attributes)
    if tag == "text":
        here.text = one.text
    for child in one:
        _copy(child, here, kept)
    if here is not into and tag in ("g", "defs") and not len(here):
        into.remove(here)


def _attributes(tag: str, one: ElementTree.Element, kept: dict[str, str]) -> dict[str, str]:
    found: dict[str, str] = {}
    for name, value in one.attrib.items():
        if name == "id":
            if value in kept:
                found["id"] = kept[value]
        elif name == _LINK:
            found["href"] = f"#{kept[value.removeprefix('#')]}"
        elif name == "style":
            found.update(_style(value, kept))
        elif name == "transform" and tag == "text" and value.startswith(("rotate(-0 ", "rotate(0 ")):
            continue
        else:
            rounded = _NUMBER.sub(_short, value) if name in _ROUNDED else value
            found[name] = _referred(" ".join(rounded.split()), kept)
    return found


def _style(value: str, kept: dict[str, str]) -> dict[str, str]:
    """A style as attributes, without what is usual: a page may forbid styles that stand in elements."""
    found: dict[str, str] = {}
    for part in value.split(";"):
        name, _, said = (piece.strip() for piece in part.partition(":"))
        if name == "font":  # as matplotlib wrote it before 3.10: weight, size and family in one
            size = re.search(r"([0-9.]+)px", said)
            found |= {"font-size": size[1]} if size else {}
            found |= {"font-weight": "700"} if re.match(r"(bold|[5-9]00)\b", said) else {}
        elif name and name != "font-family" and said not in _USUAL.get(name, ()):
            found[name] = _referred(said.removesuffix("px") if name == "font-size" else said, kept)
    return found


def _referred(value: str, kept: dict[str, str]) -> str:
    return _REFERENCE.sub(lambda match: f"url(#{kept[match[1]]})", value)


def _short(match: re.Match[str]) -> str:
    """A number with two digits behind the point: a hundredth of a pixel."""
    written = f"{float(match[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if written == "-0" else written


def _text(text: str) -> str:
    """A text that XML can hold."""
    return _STRANGE.sub("\ufffd", for_terminal(" ".join(text.split())))
