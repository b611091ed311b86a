"""Hooks of the site (mkdocs.yml names them): files of the repository become pages, and nothing is loaded from elsewhere.

MkDocs calls the functions ``on_...``. What they find wrong is a warning, and ``mkdocs build --strict`` fails on it.
"""

from __future__ import annotations

import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.site_links import (
    BrokenLink,
    listing,
    plain_fences,
    repository_place,
    shown_files,
    site_link,
    site_place,
    with_links,
)

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_LOG: Final = logging.getLogger("mkdocs.hooks.site")

# A browser loads what these name without being asked to; a link of a text is none of them.
_LOADED: Final = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|track|input)\b[^>]*?\s(?:src|srcset)\s*=\s*[\"']?\s*((?:https?:)?//[^\"'\s>]+)"
    r"|<(?:object)\b[^>]*?\sdata\s*=\s*[\"']?\s*((?:https?:)?//[^\"'\s>]+)"
    r"|<link\b(?![^>]*\brel\s*=\s*[\"']?(?:canonical|next|prev|alternate))[^>]*?\shref\s*=\s*[\"']?\s*((?:https?:)?//[^\"'\s>]+)",
    re.IGNORECASE,
)
_STYLED: Final = re.compile(r"(?:url\(\s*[\"']?|@import\s+[\"'])((?:https?:)?//[^\"')\s]+)", re.IGNORECASE)
# A role of Sphinx that was not turned into Markdown.
_ROLE: Final = re.compile(r":(?:func|mod|class|meth|data|attr|exc|const|obj):(?:`|<code>)")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds a page for each file of the repository that a page leads to."""
    from mkdocs.structure.files import File

    root = _root(config)
    try:
        paths = shown_files(root)
    except BrokenLink as trouble:
        _LOG.warning("%s", trouble)
        return files
    for path in paths:
        text = (root / path).read_text(encoding="utf-8")
        files.append(File.generated(config, site_place(path), content=listing(path, text)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Makes links and blocks of a page such as the site has them."""
    source = repository_place(page.file.src_uri)

    def changed(target: str) -> str:
        try:
            return site_link(source, target, _root(config))
        except BrokenLink as trouble:
            _LOG.warning("%s", trouble)
            return target

    return plain_fences(with_links(markdown, changed))


def on_post_build(config: MkDocsConfig) -> None:
    """Warns of whatever the built pages would load from another host, and of markup that was left over."""
    for path in sorted(Path(config.site_dir).rglob("*")):
        if path.suffix in (".html", ".css"):
            text = path.read_text(encoding="utf-8")
            for what in troubles(text, path.suffix):
                _LOG.warning("%s: %s", path.relative_to(config.site_dir), what)


def troubles(text: str, suffix: str) -> list[str]:
    """What is wrong with a built file.

    Args:
        text: what is in it.
        suffix: ``.html`` or ``.css``.
    """
    if suffix == ".css":
        return [f"loads {match[1]}" for match in _STYLED.finditer(text)]
    found = [f"loads {match[1] or match[2] or match[3]}" for match in _LOADED.finditer(text)]
    found += [f"loads {match[1]}" for match in _STYLED.finditer("".join(re.findall(r"<style.*?</style>", text, re.DOTALL)))]
    return found + [f"{match[0]} is left over" for match in _ROLE.finditer(text)]


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent
