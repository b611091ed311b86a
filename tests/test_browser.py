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
from tichu_analytics.replay.game import replay
from tichu_analytics.view.escape import for_terminal
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
    opened.close()
    opened = Opened(browser, file, page, "#round=99&move=x")
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


def press(opened: Opened, key: str, times: int, *, held: bool = False) -> None:
    """Presses a key in the page itself, faster than a keyboard can; held, all but the first are repetitions."""
    opened.page.evaluate(
        """([key, times, held]) => { for (let i = 0; i < times; i++) document.body.dispatchEvent(
            new KeyboardEvent('keydown', { key, repeat: held && i > 0, bubbles: true, cancelable: true })); }""",
        [key, times, held],
    )


def test_a_key_held_down_writes_few_addresses(browser: Browser, tmp_path: Path) -> None:
    """Browsers allow some two hundred addresses in ten seconds, then complain and lose them; the last one is right."""
    page = game_page(replayed(LEGAL))
    opened = Opened(browser, tmp_path / "game.html", page, viewport={"width": 1400, "height": 900})
    opened.page.evaluate(
        """() => { window.written = 0; const before = history.replaceState.bind(history);
        history.replaceState = (...all) => { window.written++; before(...all); }; }"""
    )
    begun = opened.page.evaluate("performance.now()")
    press(opened, "ArrowRight", 40, held=True)
    opened.page.wait_for_function("() => window.location.hash !== '#round=1&step=1'")
    opened.page.wait_for_timeout(500)
    passed = opened.page.evaluate("performance.now()") - begun
    assert opened.page.evaluate("window.written") <= 2 + passed / 350
    address, slider = opened.page.evaluate("window.location.hash"), opened.state()["slider"]
    assert slider == 40
    opened.page.goto("about:blank")
    opened.page.goto(opened.url + address)
    assert opened.state()["slider"] == slider
    opened.trouble = [one for one in opened.trouble if one != "about:blank"]
    opened.close()


def test_playing_is_not_read_out_and_a_held_key_does_not_flicker(browser: Browser, tmp_path: Path) -> None:
    opened = Opened(browser, tmp_path / "game.html", game_page(replayed(LEGAL)))
    live = "['said', 'here'].map((id) => document.getElementById(id).getAttribute('aria-live'))"
    assert opened.page.evaluate(live) == ["polite", "polite"]
    press(opened, "p", 6, held=True)
    assert opened.page.get_attribute("#run", "aria-label") == "Pause"
    assert opened.page.evaluate(live) == ["off", "off"]
    press(opened, "ArrowRight", 1)
    assert opened.page.get_attribute("#run", "aria-label") == "Play"
    assert opened.page.evaluate(live) == ["polite", "polite"]
    # At the very end it stops by itself, and what is said there is read.
    last = len(replayed(LEGAL).rounds)
    opened.page.evaluate(f"() => {{ window.location.hash = '#round={last}&step=99999'; }}")
    opened.page.wait_for_function(f"() => document.getElementById('round').value === '{last - 1}'")
    press(opened, "ArrowLeft", 1)
    press(opened, "p", 1)
    opened.page.wait_for_function("() => document.getElementById('run').getAttribute('aria-label') === 'Play'")
    assert opened.page.get_attribute("#on", "aria-disabled") == "true"
    assert opened.page.evaluate(live) == ["polite", "polite"]
    opened.close()


def test_a_link_right_after_a_key_is_followed(browser: Browser, tmp_path: Path) -> None:
    """An address that waits to be written must not get in the way of one that is asked for."""
    opened = Opened(browser, tmp_path / "game.html", game_page(replayed(LEGAL)))
    for at in range(10, 16):
        press(opened, "ArrowRight", 2)
        opened.page.evaluate(
            """(at) => new Promise((done) => {
            window.addEventListener('hashchange', () => done(), { once: true });
            window.location.hash = '#round=1&step=' + at;
            const until = performance.now() + 400;
            while (performance.now() < until);
        })""",
            at,
        )
        assert opened.state()["slider"] == at - 1
        assert opened.page.evaluate("window.location.hash").startswith("#round=1&")
    opened.close()


@pytest.mark.parametrize("typed", ["#round=999", "#round=-1&move=abc", "#round=%", "#__proto__=1", "#", "#%E0%A4%A"])
def test_a_link_typed_wrong_changes_nothing(browser: Browser, tmp_path: Path, typed: str) -> None:
    opened = Opened(browser, tmp_path / "game.html", game_page(replayed(LEGAL)), "#round=2&step=5")
    opened.page.evaluate("(typed) => { window.location.hash = typed; }", typed)
    opened.page.wait_for_function("() => window.location.hash.startsWith('#round=2&')")
    assert (opened.state()["round"], opened.state()["slider"]) == (1, 4)
    opened.close()


#: Where the table may not be hidden: phones on their side, a window at 200 %, notebooks, and where columns begin.
SCREENS = [
    (844, 390),
    (667, 375),
    (700, 450),
    (1000, 420),
    (1000, 768),
    (1190, 768),
    (1210, 768),
    (320, 640),
    (1400, 900),
]


@pytest.mark.parametrize(("width", "height"), SCREENS)
def test_the_table_has_room(browser: Browser, tmp_path: Path, width: int, height: int) -> None:
    """The middle of the table holds cards, and more than half of the table is above the controls."""
    page = game_page(replayed(FAULTY))
    opened = Opened(
        browser, tmp_path / "game.html", page, "#round=2&move=20", viewport={"width": width, "height": height}
    )
    table, centre, controls = (
        opened.page.evaluate(
            "(one) => { const box = document.querySelector(one).getBoundingClientRect().toJSON(); return box; }", one
        )
        for one in (".table", ".centre", ".controls")
    )
    assert centre["width"] >= 110
    assert controls["bottom"] <= height + 1
    shown = min(controls["top"], table["bottom"]) - table["top"]
    assert shown >= 0.55 * table["height"]
    for _ in range(30):
        opened.page.keyboard.press("ArrowRight")
        assert not opened.state()["wide"]
    opened.close()


#: Windows of usual laptops and screens, in which the table has its four sides.
LAPTOPS = [(1000, 700), (1280, 620), (1280, 720), (1366, 650), (1366, 768), (1440, 789), (1536, 730), (1920, 950)]


@pytest.mark.parametrize(("width", "height"), LAPTOPS)
def test_findings_and_hands_are_seen_without_scrolling(
    browser: Browser, tmp_path: Path, width: int, height: int
) -> None:
    """What was expected and found stands where it happens, and all hands are above the controls; nothing moves."""
    page = game_page(replayed(FAULTY))
    opened = Opened(browser, tmp_path / "game.html", page, "#round=1", viewport={"width": width, "height": height})
    box = "(one) => { const box = document.querySelector(one).getBoundingClientRect().toJSON(); return box; }"
    places = set()
    for key in ("Home", *["f"] * 9):
        opened.page.keyboard.press(key)
        controls = opened.page.evaluate(box, ".controls")
        assert controls["bottom"] <= height + 1
        assert opened.page.evaluate(box, "#seat-0")["bottom"] <= controls["top"] + 1
        if key == "f":
            shown = opened.page.evaluate(box, "#here .finding")
            assert shown["top"] >= 0 and shown["bottom"] <= opened.page.evaluate(box, ".table")["top"] + 1
        # Within a round the table stays where it is.
        places.add((opened.state()["round"], round(opened.page.evaluate(box, ".table")["top"])))
    assert len(places) == len({one for one, _ in places}) > 1
    opened.close()


CONTRAST = """() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
  const over = (under, colour, alpha) => {
    canvas.globalAlpha = 1; canvas.fillStyle = `rgb(${under})`; canvas.fillRect(0, 0, 1, 1);
    canvas.globalAlpha = alpha; canvas.fillStyle = colour; canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3);
  };
  const light = (colour) => { const [r, g, b] = colour.map((one) => one / 255).map(
    (one) => (one <= 0.03928 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const poor = new Set();
  const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walk.nextNode(); node; node = walk.nextNode()) {
    const own = node.parentElement;
    const words = node.textContent.trim();
    if (!words || !own.getClientRects().length || own.closest('.sr, script, [aria-disabled="true"]')) continue;
    let ground = [255, 255, 255], alpha = 1;
    for (const one of [...document.querySelectorAll('*')].filter((all) => all.contains(own))) {
      const style = getComputedStyle(one);
      alpha *= Number(style.opacity);
      ground = over(ground, style.backgroundColor, alpha);
    }
    const text = over(ground, getComputedStyle(own).color, alpha);
    const [low, high] = [light(ground), light(text)].sort((a, b) => a - b);
    const found = (high + 0.05) / (low + 0.05);
    if (found < 4.5) poor.add(`${own.className || own.tagName} ${words.slice(0, 20)} ${found.toFixed(2)}`);
  }
  return [...poor];
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out(browser: Browser, tmp_path: Path, scheme: str) -> None:
    """WCAG AA, 4.5 to 1, for all text that is shown: cards of all suits, older plays, calls, findings."""
    page = game_page(replayed(FAULTY))
    opened = Opened(browser, tmp_path / "game.html", page, "#round=1", color_scheme=scheme, reduced_motion="reduce")
    for at in (3, 8, 14, 20, 37):
        opened.page.evaluate(f"() => {{ window.location.hash = '#round=1&step={at}'; }}")
        opened.page.wait_for_function(f"() => document.getElementById('slider').value === '{at - 1}'")
        assert opened.page.evaluate(CONTRAST) == []
    opened.close()


def test_everything_to_press_is_large_enough(browser: Browser, tmp_path: Path) -> None:
    """24 by 24 pixels at least (WCAG 2.2, 2.5.8), and each has a name."""
    page = game_page(replayed(FAULTY))
    opened = Opened(browser, tmp_path / "game.html", page, viewport={"width": 390, "height": 844})
    small = opened.page.evaluate(
        """() => [...document.querySelectorAll('button, select, input')].filter((one) => {
        const box = one.getBoundingClientRect(); return box.width && (box.width < 24 || box.height < 24);
        }).map((one) => one.id || one.textContent)"""
    )
    assert small == []
    assert opened.page.get_by_role("button", name="Round 2", exact=True).count() == 1
    opened.close()


def test_many_findings_leave_the_score_in_reach(browser: Browser, tmp_path: Path) -> None:
    game = with_names("本" * 300, "Maximiliane-Wilhelmine von Hohenstein", "x" * 300, "Jo Jo Jo Jo Jo", data=FAULTY)
    assert len(game.findings) > 50
    opened = Opened(browser, tmp_path / "game.html", game_page(game), viewport={"width": 1400, "height": 900})
    assert opened.page.evaluate("document.getElementById('scores').getBoundingClientRect().top") < 900
    opened.close()


@pytest.mark.parametrize("width", [320, 390, 844])
def test_a_long_path_breaks(browser: Browser, tmp_path: Path, width: int) -> None:
    game = replayed(LEGAL)
    page = game_page(replay(game.game._replace(path="an_archive_of_many_years/" + "x" * 90 + ".tgr.json")))
    opened = Opened(browser, tmp_path / "game.html", page, viewport={"width": width, "height": 390})
    assert not opened.state()["wide"]
    opened.close()


#: What lines, ids and paths may hold to get out of the data, the page, or the attribute that a notebook's frame is in.
ODD = (
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>'><img src=x onerror=alert(1)>",
    "\u2028\u2029\u202e\u2066\x1b[2J\x07\x85",
    "' onload='alert(1)",
    "&#39; onload=&#39;alert(1)",
    "{{7*7}}{% raw %}${7*7}",
    "</iframe></title></style><svg/onload=alert(1)>",
)


@pytest.mark.parametrize("in_notebook", [False, True])
def test_odd_lines_ids_and_paths(browser: Browser, tmp_path: Path, in_notebook: bool) -> None:
    """They are shown as text, by the page and within a notebook, and nothing of them runs or asks for anything."""
    at = LEGAL.index(b"Ergebnis:")
    game = replayed(LEGAL[:at] + "\n".join(ODD).encode() + b"\n" + LEGAL[at:])
    for text in ODD:
        odd = replay(game.game._replace(game_id=text, path=text + ".tch"))
        shown = f"<!doctype html><meta charset=utf-8><body>{odd._repr_html_()}" if in_notebook else game_page(odd)
        opened = Opened(browser, tmp_path / "odd.html", shown, viewport={"width": 390, "height": 844})
        page = opened.page.frames[1] if in_notebook else opened.page.main_frame
        page.click("#finding-on")
        assert page.evaluate("document.querySelectorAll('#here .finding').length") >= 1
        count = "document.querySelectorAll('script, img, iframe, title, style, [onload], [onerror]').length"
        assert page.evaluate(count) == 4
        assert opened.page.evaluate("document.querySelectorAll('iframe').length") == int(in_notebook)
        heading = page.evaluate("document.querySelector('h1').textContent")
        assert heading == f"Game {for_terminal(text)}"
        opened.trouble = [one for one in opened.trouble if one != "about:srcdoc"]
        opened.close()
