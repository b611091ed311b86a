"""The page of a game in a browser: stepped through by keys and slider, at two widths, without an error or a request.

It needs the extra ``browser`` and a Chromium on the path (or its place in ``CHROMIUM``); without them it is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.browsing import Opened as Plain
from tests.browsing import running
from tests.test_page import HOSTILE, expanded
from tests.test_show import FAULTY, LEGAL, replayed, with_names
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.view.page import game_page
from tichu_analytics.view.page_data import game_data
from tichu_analytics.view.saying import plain
from tichu_analytics.view.scenes import round_view

if TYPE_CHECKING:
    from playwright.sync_api import Browser

STATE = """() => ({
  said: document.getElementById('said').textContent,
  place: document.getElementById('place').textContent,
  slider: Number(document.getElementById('slider').value),
  round: Number(document.getElementById('round').value),
  hands: [0, 1, 2, 3].map((seat) => [...document.querySelectorAll(`#seat-${seat} .hand .sr`)].length),
  laid: document.querySelectorAll('#laid > li').length,
  findings: [...document.querySelectorAll('#here .finding b')].map((one) => one.textContent),
  wide: document.documentElement.scrollWidth > window.innerWidth || [...document.querySelectorAll('.seat')].some(
    (one) => one.getBoundingClientRect().right > document.getElementById('table').getBoundingClientRect().right
      || one.getBoundingClientRect().left < document.getElementById('table').getBoundingClientRect().left),
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with running() as found:
        yield found


class Opened(Plain):
    """The page of a game, with where it stands."""

    def state(self) -> dict[str, Any]:
        state: dict[str, Any] = self.page.evaluate(STATE)
        return state


def scenes_of(game: GameReplay) -> list[tuple[int, int, dict[str, Any]]]:
    rounds = game_data(game)["rounds"]
    return [(index, at, scene) for index, one in enumerate(rounds) for at, scene in enumerate(expanded(one))]


def assert_shown(state: dict[str, Any], where: int, at: int, scene: dict[str, Any]) -> None:
    assert (state["round"], state["slider"]) == (where, at)
    assert state["hands"] == [len(hand.split()) for hand in scene["hands"]]
    assert state["laid"] == len(scene["table"])
    assert state["findings"] == [f"{finding['code']} {finding['name']}" for finding in scene["findings"]]
    assert state["place"].endswith(f"line {scene['line']}")
    assert not state["wide"]


@pytest.mark.parametrize("width", [390, 1400])
def test_a_whole_game_by_the_keyboard(browser: Browser, tmp_path: Path, width: int) -> None:
    game = replayed(FAULTY)
    opened = Opened(browser, tmp_path / "game.html", game_page(game), viewport={"width": width, "height": 844})
    scenes = scenes_of(game)
    for where, at, scene in scenes:
        assert_shown(opened.state(), where, at, scene)
        opened.page.keyboard.press("ArrowRight")
    for where, at, scene in scenes[::-1] if width == 390 else ():
        assert_shown(opened.state(), where, at, scene)
        opened.page.keyboard.press("ArrowLeft")
    opened.close()


def test_a_round_by_the_slider(browser: Browser, tmp_path: Path) -> None:
    game = replayed(LEGAL)
    opened = Opened(
        browser, tmp_path / "game.html", game_page(game), "#round=2", viewport={"width": 390, "height": 844}
    )
    slider = opened.page.locator("#slider")
    for where, at, scene in scenes_of(game):
        if where == 1:
            slider.evaluate("(one, at) => { one.value = at; one.dispatchEvent(new Event('input')); }", at)
            assert_shown(opened.state(), where, at, scene)
    slider.focus()
    opened.page.keyboard.press("Home")
    assert opened.state()["slider"] == 0
    opened.page.keyboard.press("ArrowRight")
    assert opened.state()["slider"] == 1
    opened.close()


def test_findings_links_and_other_keys(browser: Browser, tmp_path: Path) -> None:
    game = replayed(FAULTY)
    file, page = tmp_path / "game.html", game_page(game)
    opened = Opened(browser, file, page, "#round=3&move=17", viewport={"width": 1400, "height": 900})
    view = round_view(game.rounds[2])
    at = next(index for index, scene in enumerate(view.scenes) if scene.move == 17)
    assert opened.state()["slider"] == at and "move 17" in opened.state()["place"]
    assert plain(view.scenes[at].said, view.labels).split(" ")[0] in opened.state()["said"]
    codes = []
    for _ in game.findings:
        opened.page.keyboard.press("f")
        codes += opened.state()["findings"]
    assert sorted(set(codes)) == sorted({f"{one.code} {one.name}" for one in game.findings if one.round is not None})
    opened.page.click("#findings button >> nth=0")
    assert opened.state()["findings"]
    assert opened.page.locator("#here dd").count() >= 1
    opened.page.keyboard.press("r")
    assert opened.state()["round"] == 1 and opened.state()["slider"] == 0
    opened.page.keyboard.press("Shift+ArrowRight")
    assert "trick 1" in opened.state()["place"]
    opened.page.keyboard.press("End")
    assert opened.state()["slider"] == len(round_view(game.rounds[1]).scenes) - 1
    opened.page.evaluate("() => { window.location.hash = '#round=1&trick=2'; }")
    opened.page.wait_for_function("() => document.getElementById('place').textContent.startsWith('trick 2,')")
    address = opened.page.evaluate("window.location.hash")
    assert address.startswith("#round=1&move=")
    opened.page.goto(opened.url + "#round=99&move=x")
    opened.page.reload()
    assert opened.state()["slider"] == 0 and opened.state()["round"] == 0
    opened.close()


def test_only_the_keyboard_is_needed(browser: Browser, tmp_path: Path) -> None:
    """Every control can be reached by Tab and has a name; what can be pressed is large enough for a finger."""
    opened = Opened(browser, tmp_path / "game.html", game_page(replayed(LEGAL)), viewport={"width": 390, "height": 844})
    reached = []
    for _ in range(14):
        opened.page.keyboard.press("Tab")
        reached.append(opened.page.evaluate("document.activeElement.id"))
    wanted = ["round", "slider", "to-first", "trick-back", "back", "run", "on", "trick-on", "to-last"]
    assert [one for one in reached if one in wanted] == wanted
    opened.page.focus("#on")
    opened.page.keyboard.press("Enter")
    assert opened.state()["slider"] == 1
    for box in opened.page.locator(".buttons button:visible").evaluate_all(
        "(all) => all.map((one) => [one.offsetWidth, one.offsetHeight])"
    ):
        assert box[0] >= 38 and box[1] >= 44
    opened.close()


def test_playing_and_less_motion(browser: Browser, tmp_path: Path) -> None:
    game = replayed(LEGAL)
    opened = Opened(
        browser,
        tmp_path / "game.html",
        game_page(game),
        viewport={"width": 800, "height": 900},
        reduced_motion="reduce",
    )
    opened.page.keyboard.press("p")
    opened.page.wait_for_function("() => Number(document.getElementById('slider').value) === 2", timeout=20_000)
    opened.page.keyboard.press("p")
    stopped = opened.state()["slider"]
    opened.page.wait_for_timeout(1500)
    assert opened.state()["slider"] == stopped
    opened.page.evaluate("() => { window.location.hash = '#round=1&move=1'; }")
    opened.page.wait_for_selector("#laid li")
    assert opened.page.evaluate("document.getAnimations().length") == 0
    opened.close()


@pytest.mark.parametrize("names", HOSTILE)
def test_hostile_names(browser: Browser, tmp_path: Path, names: tuple[str, str, str, str]) -> None:
    game = with_names(*names, data=FAULTY)
    opened = Opened(browser, tmp_path / "game.html", game_page(game), viewport={"width": 390, "height": 844})
    elements = opened.page.evaluate(
        "document.querySelectorAll('script, img, iframe, object, [onload], [onerror]').length"
    )
    for width in (390, 1400):
        opened.page.set_viewport_size({"width": width, "height": 844})
        for _ in range(4):
            opened.page.keyboard.press("Shift+ArrowRight")
            assert not opened.state()["wide"], width
    count = "document.querySelectorAll('script, img, iframe, object, [onload], [onerror]').length"
    assert opened.page.evaluate(count) == elements == 2
    opened.close()


def test_in_a_frame_of_a_notebook(browser: Browser, tmp_path: Path) -> None:
    game = replayed(LEGAL)
    shown = f"<!doctype html><meta charset=utf-8><body>{game._repr_html_()}"
    opened = Opened(browser, tmp_path / "notebook.html", shown, viewport={"width": 900, "height": 900})
    frame = opened.page.frames[1]
    frame.click("#on")
    frame.click("#trick-on")
    assert frame.evaluate(STATE)["place"].startswith("trick 1, move 1, ")
    opened.trouble = [one for one in opened.trouble if one != "about:srcdoc"]
    opened.close()
