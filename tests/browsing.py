"""Pages in a browser: what their tests share. Whoever imports this is skipped where there is no browser.

It needs the extra ``browser`` and a Chromium on the path (or its place in ``CHROMIUM``).
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
if CHROMIUM is None:
    pytest.skip("needs chromium", allow_module_level=True)

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]


@contextmanager
def running() -> Iterator[Browser]:
    """A browser without a window."""
    with playwright.sync_playwright() as started:
        found = started.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield found
        found.close()


class Opened:
    """A page in the browser, and what it complained of or asked for."""

    def __init__(self, browser: Browser, file: Path, page: str, hash_: str = "", **context: Any) -> None:
        file.write_text(page, encoding="utf-8")
        self.url = file.as_uri()
        self.context = browser.new_context(**context)
        self.page: Page = self.context.new_page()
        self.trouble: list[str] = []
        self.page.on("console", lambda message: self.trouble.append(message.text))
        self.page.on("pageerror", lambda error: self.trouble.append(str(error)))
        self.page.on("dialog", lambda dialog: self.trouble.append(dialog.message))
        self.page.on("request", lambda one: self.trouble.append(one.url) if one.url.split("#")[0] != self.url else None)
        self.page.goto(self.url + hash_)

    def close(self) -> None:
        self.context.close()
        assert self.trouble == []
