"""The page of a report in a browser: at two widths and in print, every figure in its place, no error, no request.

It needs the extra ``browser`` and a Chromium on the path (or its place in ``CHROMIUM``); without them it is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import tichu_analytics as ta
from tests.browsing import Opened, running
from tests.conftest import ROOT
from tests.test_report import HOSTILE, made, with_players
from tichu_analytics.report.making import collection_report, player_report
from tichu_analytics.report.page import report_page

if TYPE_CHECKING:
    from playwright.sync_api import Browser

WIDTHS = [390, 1400]
#: Figures with the boxes of what they are in and what is drawn in them, and what is wider than the page.
PLACES = """() => {
  const box = (one) => {
    const {left, right, top, bottom} = one.getBoundingClientRect();
    return [left, right, top, bottom];
  };
  const size = (text, svg) =>
    parseFloat(getComputedStyle(text).fontSize) * svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  return {
    width: document.documentElement.clientWidth,
    scroll: document.documentElement.scrollWidth,
    figures: [...document.querySelectorAll('svg')].map((one) => ({
      name: one.querySelector('title').textContent,
      box: box(one),
      column: box(one.closest('article')),
      parts: one.querySelectorAll('path, rect, circle, use, text').length,
      texts: [...one.querySelectorAll('text')].map(box),
      sizes: [...one.querySelectorAll('text')].map((text) => size(text, one)),
    })),
    wide: [...document.querySelectorAll('main *, nav *, header *')].filter((one) =>
      !one.closest('.scroll') && !one.closest('svg') && !one.closest('.sr') && one.getClientRects().length
      && (one.getBoundingClientRect().right > document.documentElement.clientWidth + 1
        || one.getBoundingClientRect().left < -1)).map((one) => one.outerHTML.slice(0, 80)),
    tables: [...document.querySelectorAll('.scroll')].map(
      (one) => [one.getClientRects().length, one.scrollWidth > one.clientWidth]),
  };
}"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as found:
        yield found


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The page of the sample games."""
    logs = ROOT / "sample_logs"
    folder = tmp_path_factory.mktemp("browser")
    return report_page(collection_report(ta.export([logs / "games.zip", logs / "faulty"], folder / "data")))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    records = [{**with_players(*names), "id": str(number)} for number, names in enumerate(HOSTILE)]
    return made(tmp_path_factory.mktemp("hostile"), *records)


def assert_in_place(places: dict[str, Any], figures: int) -> None:
    """Nothing is wider than the page, and every figure is drawn inside of its column, its texts inside of it."""
    assert places["scroll"] <= places["width"] and places["wide"] == []
    assert len(places["figures"]) == figures
    for one in places["figures"]:
        left, right, top, bottom = one["box"]
        assert right - left > 200 and bottom - top > 40, one["name"]
        assert one["column"][0] <= left and right <= one["column"][1], one["name"]
        assert one["column"][2] <= top and bottom <= one["column"][3], one["name"]
        assert one["parts"] >= 3 and one["texts"], one["name"]
        for text in one["texts"]:
            assert text[0] >= left - 1 and text[1] <= right + 1 and text[2] >= top - 1 and text[3] <= bottom + 1, one


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_every_figure_at_each_width(browser: Browser, tmp_path: Path, page: str, width: int, scheme: Any) -> None:
    opened = Opened(
        browser, tmp_path / "page.html", page, viewport={"width": width, "height": 900}, color_scheme=scheme
    )
    places = opened.page.evaluate(PLACES)
    assert_in_place(places, page.count("<svg"))
    for one in places["figures"]:
        assert min(one["sizes"]) >= 9.5, one["name"]
    # With all tables open it is still no wider.
    opened.page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    places = opened.page.evaluate(PLACES)
    assert_in_place(places, page.count("<svg"))
    assert all(shown for shown, _ in places["tables"])
    assert width == 1400 or any(scrolls for _, scrolls in places["tables"])
    opened.close()


def test_print(browser: Browser, tmp_path: Path, page: str) -> None:
    """On paper nothing scrolls, is cut off or folded away."""
    opened = Opened(browser, tmp_path / "page.html", page, viewport={"width": 700, "height": 1000})
    opened.page.emulate_media(media="print")
    places = opened.page.evaluate(PLACES)
    assert_in_place(places, page.count("<svg"))
    assert all(shown and not scrolls for shown, scrolls in places["tables"])
    heights = opened.page.evaluate(
        "() => [...document.querySelectorAll('details table')].map((one) => one.offsetHeight)"
    )
    assert len(heights) == page.count("<details>") and min(heights) > 20
    assert opened.page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    paper = opened.page.pdf(format="A4", prefer_css_page_size=True)
    assert paper.startswith(b"%PDF") and 10 < paper.count(b"/Type /Page\n") + paper.count(b"/Type /Page ") < 200
    opened.close()


def test_what_a_screen_reader_is_told(browser: Browser, tmp_path: Path, page: str) -> None:
    opened = Opened(browser, tmp_path / "page.html", page, viewport={"width": 1400, "height": 900})
    tree = opened.page.locator("body").aria_snapshot()
    for landmark in ("- banner:", "- navigation ", "- main:", "- contentinfo:"):
        assert landmark in tree, landmark
    # Each figure is one image with a name, and described.
    for one in opened.page.get_by_role("img").all():
        name = one.evaluate("(one) => document.getElementById(one.getAttribute('aria-labelledby')).textContent")
        words = one.evaluate("(one) => document.getElementById(one.getAttribute('aria-describedby')).textContent")
        assert name and len(words) > 40 and f'- img "{name}"' in tree
    assert opened.page.get_by_role("img").count() == page.count("<svg")
    assert opened.page.get_by_role("heading", level=1).count() == 1
    for title in ("Tichu calls", "Bombs", "Exchange", "Results", "Players"):
        assert opened.page.get_by_role("region", name=title, exact=True).count() == 1
        assert opened.page.get_by_role("link", name=title, exact=True).count() == 1
    # Tables that are folded up are not read out before they are asked for.
    assert opened.page.get_by_role("table").count() == page.count("<table") - page.count("<details>")
    opened.close()


def test_only_the_keyboard_is_needed(browser: Browser, tmp_path: Path, page: str) -> None:
    opened = Opened(browser, tmp_path / "page.html", page, viewport={"width": 390, "height": 844})
    opened.page.keyboard.press("Tab")
    skip = opened.page.locator(".skip")
    assert skip.evaluate("(one) => one === document.activeElement && one.getBoundingClientRect().left >= 0")
    opened.page.keyboard.press("Enter")
    assert opened.page.evaluate("() => location.hash") == "#main"
    summary = opened.page.locator("#call-rates summary")
    summary.focus()
    opened.page.keyboard.press("Enter")
    assert opened.page.locator("#call-rates table").is_visible()
    # The next stop is the box of the table, which scrolls by the arrow keys.
    opened.page.keyboard.press("Tab")
    assert opened.page.evaluate("() => document.activeElement.className") == "scroll"
    opened.page.keyboard.press("ArrowRight")
    opened.page.wait_for_function("() => document.activeElement.scrollLeft > 0")
    targets = opened.page.evaluate("() => [...document.querySelectorAll('summary')].map((one) => one.offsetHeight)")
    assert min(targets) >= 30
    opened.close()


@pytest.mark.parametrize("name", [None, HOSTILE[0][2], HOSTILE[0][0]])
def test_hostile_names(browser: Browser, tmp_path: Path, hostile: ta.Dataset, name: str | None) -> None:
    report = collection_report(hostile) if name is None else player_report(hostile, name)
    text = report_page(report)
    for width in WIDTHS:
        opened = Opened(browser, tmp_path / "page.html", text, viewport={"width": width, "height": 844})
        assert_in_place(opened.page.evaluate(PLACES), text.count("<svg"))
        opened.page.evaluate("() => document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        assert_in_place(opened.page.evaluate(PLACES), text.count("<svg"))
        assert opened.page.evaluate("document.querySelectorAll('script, img, iframe, [onerror], [onload]').length") == 0
        opened.close()
