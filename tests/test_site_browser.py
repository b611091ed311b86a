"""The site in a browser: opened from the disk, on a phone, searched; nothing of it asks another host for anything.

It needs the extras ``browser`` and ``docs`` and a Chromium on the path (or its place in ``CHROMIUM``); without them it
is skipped.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browsing import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PAGES = (
    "index",
    "start",
    "check",
    "rule_sets",
    "statistics",
    "findings",
    "layout",
    "api/index",
    "api/rules",
    "repository/notebooks/01_check_and_replay_a_game.ipynb",
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as found:
        yield found


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args: Any) -> None:
        pass


@pytest.fixture(params=["disk", "server"])
def start(request: pytest.FixtureRequest, site: Path) -> Iterator[str]:
    """Where the site begins: a folder, or a server of this machine."""
    if request.param == "disk":
        yield f"{site.as_uri()}/"
        return
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=str(site))) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()
        thread.join()


def opened(browser: Browser, start: str, width: int) -> tuple[Page, list[str]]:
    """A page that is about to be opened, and what will be wrong with it."""
    page = browser.new_context(viewport={"width": width, "height": 800}).new_page()
    trouble: list[str] = []
    page.on("console", lambda message: trouble.append(message.text))
    page.on("pageerror", lambda error: trouble.append(str(error)))
    page.on("requestfailed", lambda one: trouble.append(f"{one.failure}: {one.url}"))
    page.on("request", lambda one: trouble.append(one.url) if not one.url.startswith((start, "data:")) else None)
    return page, trouble


def test_pages_on_a_phone(browser: Browser, start: str) -> None:
    page, trouble = opened(browser, start, 390)
    for name in PAGES:
        page.goto(f"{start}{name}.html", wait_until="load")
        # Wide tables and blocks scroll by themselves.
        assert page.evaluate("document.documentElement.scrollWidth") == 390, name
    page.context.close()
    # What is still on its way when the next page is asked for is given up.
    assert [one for one in trouble if not one.startswith("net::ERR_ABORTED")] == []


CONTRAST = """([selector]) => {
  const paint = text => {
    const area = document.createElement("canvas").getContext("2d");
    area.fillStyle = text;
    area.fillRect(0, 0, 1, 1);
    return [...area.getImageData(0, 0, 1, 1).data].map((part, at) => at === 3 ? part / 255 : part);
  };
  const over = (top, below) => [0, 1, 2].map(at => top[at] * top[3] + below[at] * (1 - top[3]));
  const light = colour => colour.map(part => part / 255)
    .map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, at) => sum + part * [0.2126, 0.7152, 0.0722][at], 0);
  const element = document.querySelector(selector);
  const layers = [];
  for (let one = element; one; one = one.parentElement) layers.unshift(paint(getComputedStyle(one).backgroundColor));
  const ground = layers.reduce((below, top) => over(top, below), [255, 255, 255]);
  const [a, b] = [light(over(paint(getComputedStyle(element).color), ground)), light(ground)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read(browser: Browser, site: Path, scheme: Any) -> None:
    """Links, the bar at the top, and what commands write have the contrast that WCAG asks for (AA)."""
    page = browser.new_context(viewport={"width": 1400, "height": 800}, color_scheme=scheme).new_page()
    page.goto((site / "start.html").as_uri())
    places = ("article p", "article p a", "article pre .go", ".md-header__title", ".md-tabs__link", ".md-nav__link")
    assert {one: page.evaluate(CONTRAST, [one]) for one in places if page.evaluate(CONTRAST, [one]) < 4.5} == {}
    page.context.close()


def test_search(browser: Browser, start: str) -> None:
    page, trouble = opened(browser, start, 1400)
    page.goto(f"{start}index.html", wait_until="load")
    page.click("input.md-search__input")
    page.keyboard.type("exit code", delay=20)
    page.wait_for_selector(".md-search-result__item", timeout=20_000)
    found = page.eval_on_selector_all(".md-search-result__link", "all => all.map(one => one.getAttribute('href'))")
    assert any("check.html" in link for link in found)
    # Listings of sources would stand in the way of what is written for readers.
    assert not any(".py.html" in link for link in found)
    page.context.close()
    assert trouble == []
