"""What must hold of the built site: nothing comes from another host, no link or picture is dead, no role left over."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from tools.site_links import REPOSITORY

# What a style sheet loads, and a role of Sphinx as it would stand on a page.
_STYLED: Final = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)
_ROLE: Final = re.compile(r":(?:func|mod|class|meth|data|attr|exc|const|obj):[`\w]+")
# Attributes that make a browser load something without being asked to, by element.
_LOADING: Final = {
    "audio": ("src",),
    "embed": ("src",),
    "iframe": ("src",),
    "img": ("src", "srcset"),
    "input": ("src",),
    "link": ("href",),
    "object": ("data",),
    "script": ("src",),
    "source": ("src", "srcset"),
    "track": ("src",),
    "video": ("src", "poster"),
}
# Relations of a link element that load nothing.
_IDLE: Final = frozenset({"alternate", "canonical", "next", "prev"})


class BuiltPage(HTMLParser):
    """A page of the site, as far as it matters here.

    Attributes:
        loads: addresses that a browser loads for it.
        links: addresses to which it leads.
        anchors: the places in it to which a link may lead.
        text: what can be read on it, scripts and styles left out.
        styles: its style sheets.
    """

    def __init__(self, html: str) -> None:
        super().__init__()
        self.loads: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.text = ""
        self.styles = ""
        self._inside = ""
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Notes what an element loads, where it leads, and its name."""
        given = {name: value or "" for name, value in attrs}
        self._inside = tag if tag in ("script", "style") else self._inside
        self.anchors |= {given[name] for name in ("id", "name") if given.get(name)}
        self.styles += given.get("style", "")
        if tag == "a" and given.get("href"):
            self.links.append(given["href"])
        elif tag != "link" or not _IDLE.intersection(given.get("rel", "").split()):
            self.loads += [given[name] for name in _LOADING.get(tag, ()) if given.get(name)]

    def handle_endtag(self, tag: str) -> None:
        """Notes the end of a script or a style sheet."""
        if tag == self._inside:
            self._inside = ""

    def handle_data(self, data: str) -> None:
        """Notes text, or a style sheet."""
        if self._inside == "style":
            self.styles += data
        elif not self._inside:
            self.text += data


def is_elsewhere(address: str) -> bool:
    """Whether an address is that of another host; ``data:`` is none."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https")


def troubles(site: Path) -> Iterator[str]:
    """What is wrong with a built site, a sentence each.

    Args:
        site: its folder.
    """
    pages = {
        path.relative_to(site).as_posix(): BuiltPage(path.read_text(encoding="utf-8"))
        for path in sorted(site.rglob("*.html"))
    }
    for path in sorted(site.rglob("*.css")):
        for match in _STYLED.finditer(path.read_text(encoding="utf-8")):
            yield f"{path.relative_to(site).as_posix()} loads {match[1]}"
    for name, page in pages.items():
        outside = [address for address in page.loads if is_elsewhere(address)]
        outside += [match[1] for match in _STYLED.finditer(page.styles)]
        yield from (f"{name} loads {address}" for address in outside)
        if not name.startswith(f"{REPOSITORY}/"):
            yield from (f"{name} has {match[0]} left over" for match in _ROLE.finditer(page.text))
        # The page for what is not found is shown at any address, so its links begin at the root of the server.
        if name != "404.html":
            yield from (f"{name} leads to {link}, which there is not" for link in _dead(site, name, pages, page.links))
            yield from (f"{name} loads {link}, which there is not" for link in _dead(site, name, pages, page.loads))


def _dead(site: Path, name: str, pages: dict[str, BuiltPage], addresses: list[str]) -> Iterator[str]:
    for link in dict.fromkeys(addresses):
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = name
        if parts.path:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(name), unquote(parts.path)))
        if (site / target).is_dir():
            target = posixpath.join(target, "index.html")
        anchor = unquote(parts.fragment)
        is_there = target in pages or (site / target).is_file()
        if not is_there or (anchor and target in pages and anchor not in pages[target].anchors):
            yield link
