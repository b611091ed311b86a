"""Hooks of the site (mkdocs.yml names them): files of the repository become pages, and what is built is looked at.

MkDocs calls the functions ``on_...``. What they find wrong is a warning, and ``mkdocs build --strict`` fails on it.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.site_built import is_elsewhere, troubles
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
from tools.site_notebooks import ENDING, with_outputs

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files
    from mkdocs.structure.pages import Page

_LOG: Final = logging.getLogger("mkdocs.hooks.site")


#: In the place of the script that the theme would load for search without a server.
WORKER: Final = "assets/worker.js"


def on_config(config: MkDocsConfig) -> None:
    """Takes scripts of other hosts out of what the theme loads; plugins have set their options before."""
    scripts = config.extra.get("polyfills", [])
    config.extra["polyfills"] = [*(one for one in scripts if not is_elsewhere(one)), WORKER]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds a page for each file of the repository that a page leads to."""
    from mkdocs.structure.files import File

    root = _root(config)
    for path in shown_files(root):
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


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Puts the saved outputs of a notebook into its page."""
    path = repository_place(page.file.src_uri)
    if not path.endswith(ENDING):
        return html
    return with_outputs(html, (_root(config) / path).read_text(encoding="utf-8"))


def on_post_build(config: MkDocsConfig) -> None:
    """Warns of whatever the built site should not have."""
    for sentence in troubles(Path(config.site_dir)):
        _LOG.warning("%s", sentence)


def _root(config: MkDocsConfig) -> Path:
    return Path(config.config_file_path).resolve().parent
