"""The page of a game: its data are the replay, nothing from a log becomes markup, and no request can leave it."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.test_scenes import games
from tests.test_show import FAULTY, HARMFUL, LEGAL, replayed, show, with_names
from tichu_analytics.record.notation import cards_text, mask_text
from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate import simulate_games
from tichu_analytics.view.page import game_page
from tichu_analytics.view.page_data import CARRIED, script_json
from tichu_analytics.view.scenes import round_view

#: Names that would do harm if a page took them for anything but text.
HOSTILE = [
    ("<script>alert(1)</script>", "</script><script>alert(1)</script>", "<!--<script>", "]]><svg/onload=alert(1)>"),
    ("<img/src=x/onerror=alert(1)>", '"onmouseover="alert(1)', "'><iframe/src=//x>", "&lt;b&gt;"),
    ("\x1b[2J\x1b]0;t\x07", "\u202eevil\u2066", "\u200b\ufeff", "\u2028\u2029"),
    ("x" * 300, "<b>" * 100, "本" * 300, "e\u0301" * 150),
    ("", "", "", ""),
    ("{{7*7}}", "{%raw%}", "${7*7}", "javascript:alert(1)"),
    ("__proto__", "constructor", "hasOwnProperty", "toString"),
]


class Page(HTMLParser):
    """The elements of a page with their attributes, and the texts of its scripts, data and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, str, str | None]] = []
        self.inside: dict[str, list[str]] = {"script": [], "style": []}
        self.text: list[str] = []
        self._open = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.attributes += [(tag, name, value) for name, value in attrs]
        self._open = tag
        if tag in self.inside:
            self.inside[tag].append("")

    def handle_endtag(self, tag: str) -> None:
        self._open = ""

    def handle_data(self, data: str) -> None:
        if self._open in self.inside:
            self.inside[self._open][-1] += data
        else:
            self.text.append(data)

    @property
    def data(self) -> Any:
        return json.loads(self.inside["script"][0])

    def named(self, tag: str, name: str) -> list[str | None]:
        return [value for where, what, value in self.attributes if (where, what) == (tag, name)]


# ---------------------------------------------------------------- the data


def expanded(one: dict[str, Any]) -> list[dict[str, Any]]:
    """The scenes of a round with all that holds in each, as the page puts them together."""
    now: dict[str, Any] = dict(CARRIED)
    hands = ["", "", "", ""]
    scenes = []
    for scene in one["scenes"]:
        now = {key: scene.get(key, value) for key, value in now.items()}
        hands = [scene.get("hands", {}).get(str(seat), hand) for seat, hand in enumerate(hands)]
        table = one["laid"][slice(*now["table"])]
        scenes.append(
            {
                **now,
                "kind": scene["kind"],
                "line": scene["line"],
                "hands": hands,
                "table": table,
                **{"findings": scene.get("findings", [])},
            }
        )
    return scenes


def assert_the_replay(one: RoundReplay, data: dict[str, Any], is_record: bool) -> None:
    """The data of a round are what the replay says, position by position."""
    scenes = expanded(data)
    before_result = [scene for scene in scenes if scene["kind"] not in ("first8", "deal", "call", "exchange", "result")]
    positions = list(one.positions())
    if not (one.record.play_line or one.record.events):
        assert before_result == []
        positions = []
    assert len(before_result) >= len(positions)
    for scene, position in zip(before_result, positions, strict=False):
        assert scene["hands"] == [mask_text(cards) for cards in position.hands]
        assert scene["points"] == list(position.points) and scene["out"] == list(position.finish)
        assert scene["turn"] == position.turn and scene["over"] == position.over
        assert scene["active"] == list(position.active)
        assert bool(scene["wish"]) == bool(position.wish)
        if position.event is not None and one.legal and not one.findings:
            # A record has running numbers in place of lines.
            assert is_record or scene["line"] == position.event.line
            if position.cards:
                assert set(scene["table"][-1][1].split()) == set(mask_text(position.cards).split())
    assert [data["before"], data["after"]] == [list(one.total_before), list(one.total_after)]
    assert data["score"] == (None if one.score is None else list(one.score))
    assert data["logged"] == list(one.logged_score)
    assert len(data["tricks"]) == len(one.tricks)
    for trick, shown in zip(one.tricks, data["tricks"], strict=True):
        assert (shown["lead"], shown["taker"], shown["points"]) == (trick.lead_seat, trick.taker_seat, trick.points)
        plays = [cards_text(move.cards) for move in trick.moves if move.cards]
        assert set(plays) <= {laid[1] for laid in data["laid"]}
    codes = [finding["code"] for scene in scenes for finding in scene["findings"]]
    assert sorted(codes) == sorted(finding.code for finding in one.findings)


def assert_page(game: GameReplay) -> str:
    """The page holds the replay, and nothing but text of the log."""
    page = game_page(game)
    assert not HARMFUL.search(page)
    parsed = Page(page)
    data = parsed.data
    assert len(data["rounds"]) == len(game.rounds)
    for one, shown in zip(game.rounds, data["rounds"], strict=True):
        assert_the_replay(one, shown, game.game.places is not None)
    whole = [finding for finding in game.findings if finding.round is None]
    assert parsed.named("div", "class").count("finding error") == sum(one.severity == "error" for one in whole)
    return page


def test_samples(root: Path) -> None:
    found = games(root / "sample_logs" / "faulty", root / "sample_logs" / "1002.tch", root / "sample_logs" / "tgr")
    assert len(found) > 30
    for game in found:
        assert_page(game)


def test_real_and_made_up_logs(shared: Path) -> None:
    found = games(shared / "real_logs", shared / "checks")
    assert len(found) > 90
    for game in found:
        assert_page(game)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x00\xff\xfe garbage \x1b[2J", b"Ergebnis: 1 - 2\n", b"(0)a: S2 \n"])
def test_what_is_no_log(data: bytes) -> None:
    assert_page(replayed(data))


def test_ten_rounds_are_small() -> None:
    text = next(simulate_games(1, 5)).text
    head = "---------------Gr.Tichukarten------------------"
    rounds = text.split(head)[1:]
    assert len(rounds) >= 5
    game = replayed((head + head.join((rounds * 3)[:10])).encode())
    assert len(game.rounds) == 10
    assert len(game_page(game).encode()) < 200_000
    long = with_names(*("本" * 300 for _ in range(4)))
    assert len(game_page(long).encode()) < 300_000


def test_the_findings_stand_at_their_move() -> None:
    data = Page(game_page(replayed(FAULTY))).data
    scene = next(scene for scene in expanded(data["rounds"][1]) if scene["line"] == 160)
    assert scene["findings"] == [
        {
            "code": "T301",
            "name": "card-not-held",
            "severity": "error",
            "line": 160,
            "message": "Anouk (seat 0) played R10 without holding it",
            "expected": "SQ R9",
            "found": "R9 R10",
        }
    ]


# ---------------------------------------------------------------- harmless


def skeleton(page: str) -> list[tuple[str, tuple[str, ...]]]:
    return Page(page).tags


@pytest.mark.parametrize("names", HOSTILE)
def test_names_are_text(names: tuple[str, str, str, str]) -> None:
    game = with_names(*names)
    page = game_page(game)
    assert not HARMFUL.search(page)
    # The same findings as with harmless names; then the page has the same elements.
    plain = with_names("a", "b", "c", "d")
    if [one.code for one in game.findings if one.round is None] == [one.code for one in plain.findings]:
        assert skeleton(page) == skeleton(game_page(plain))
    parsed = Page(page)
    assert [tag for tag, _ in parsed.tags].count("script") == 2
    assert not [name for _, name, _ in parsed.attributes if name.startswith("on")]
    source = parsed.inside["script"][0]
    assert not set(source) & set("<>&") and source.isascii()
    for one, shown in zip(game.rounds, parsed.data["rounds"], strict=True):
        assert shown["names"] == list(round_view(one).names)


@pytest.mark.parametrize("names", HOSTILE)
def test_ids_and_paths_are_text(names: tuple[str, str, str, str]) -> None:
    game = replayed(LEGAL)
    for name in names:
        odd = replay(game.game._replace(game_id=name, path=f"{name}/{name}.tch"))
        page = game_page(odd)
        assert not HARMFUL.search(page)
        assert skeleton(page) == skeleton(game_page(game))


def test_texts_of_lines_and_wishes_are_text() -> None:
    lines = [b"</script><script>alert(1)</script>", b"Wunsch:<img src=x onerror=alert(1)>", b"(0)Anouk: <b>"]
    at = LEGAL.index(b"Ergebnis:")
    game = replayed(LEGAL[:at] + b"\n".join(lines) + b"\n" + LEGAL[at:])
    assert len(game.findings) >= 2
    page = game_page(game)
    parsed = Page(page)
    assert [tag for tag, _ in parsed.tags].count("script") == 2 and "img" not in [tag for tag, _ in parsed.tags]


def test_a_file_that_is_no_log_tells_its_findings_as_text() -> None:
    game = replayed(b"<script>alert(1)</script>\x1b[2J")
    parsed = Page(game_page(game))
    assert [tag for tag, _ in parsed.tags].count("script") == 2
    assert any(one.code in "".join(parsed.text) for one in game.findings)


def test_json_cannot_end_its_element() -> None:
    text = "</script><!--<script>&\u2028\u2029\ud800\x00"
    found = script_json([text])
    assert found.isascii() and not set(found) & set("<>&\x00")
    assert json.loads(found) == [text]


# ---------------------------------------------------------------- the page by itself


def test_no_request_can_leave() -> None:
    page = game_page(replayed(FAULTY))
    parsed = Page(page)
    policy = dict(zip(parsed.named("meta", "http-equiv"), parsed.named("meta", "content")[:1], strict=True))[
        "Content-Security-Policy"
    ]
    assert policy is not None
    rules = dict(rule.strip().split(" ", 1) for rule in policy.split(";"))
    assert rules["default-src"] == rules["base-uri"] == rules["form-action"] == "'none'"
    assert set(rules) == {"default-src", "style-src", "script-src", "base-uri", "form-action"}
    for rule, text in (("style-src", parsed.inside["style"][0]), ("script-src", parsed.inside["script"][1])):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert rules[rule] == f"'sha256-{digest}'"
    assert not [entry for entry in parsed.attributes if entry[1] in ("src", "action", "data", "style", "srcdoc")]
    assert "://" not in page.replace("http://www.w3.org/2000/svg", "")


def test_the_script_uses_nothing_that_parses_markup() -> None:
    script = Page(game_page(replayed(LEGAL))).inside["script"][1]
    for word in (
        "innerHTML",
        "outerHTML",
        "insertAdjacentHTML",
        "document.write",
        "eval(",
        "Function(",
        "fetch(",
        "XMLHttpRequest",
        "import(",
        "localStorage",
        "cookie",
        "DOMParser",
    ):
        assert word not in script


def test_what_readers_need() -> None:
    """Language, title, one main part, a live line of text, and a name for every control."""
    parsed = Page(game_page(replayed(LEGAL)))
    assert parsed.named("html", "lang") == ["en"]
    tags = [tag for tag, _ in parsed.tags]
    assert tags.count("h1") == tags.count("main") == tags.count("title") == 1
    assert parsed.named("p", "aria-live") == ["polite"]
    names = [name for tag, name in parsed.tags if tag == "button"]
    assert len(names) == 8 and all("aria-label" in name and "type" in name for name in names)
    style = parsed.inside["style"][0]
    assert "prefers-reduced-motion" in style and "prefers-color-scheme: dark" in style and "@media print" in style
    ids = parsed.named("p", "id") + parsed.named("div", "id") + parsed.named("section", "id")
    assert len(ids) == len(set(ids))
    # The line of text comes before the table, and the controls after it.
    order = [value for _, name, value in parsed.attributes if name == "id"]
    assert order.index("said") < order.index("here") < order.index("table") < order.index("slider")


def test_the_same_game_gives_the_same_bytes() -> None:
    assert game_page(replayed(FAULTY)) == game_page(replayed(FAULTY))
    assert re.search(r"\d{4}-\d{2}-\d{2}T", game_page(replayed(FAULTY))) is None


# ---------------------------------------------------------------- the command


def test_html_is_written_whole(tmp_path: Path) -> None:
    from tests.regenerate_golden import DATA

    path = tmp_path / "game.html"
    result = show(DATA / "legal.tch", "--html", path)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    page = path.read_text(encoding="utf-8")
    assert page.startswith("<!doctype html>") and page.rstrip().endswith("</html>")
    assert Page(page).data["start"] == [0, 0]
    assert [one.name for one in tmp_path.iterdir()] == ["game.html"]
    result = show(DATA / "legal.tch", "--html", "-", "--from", "2:3")
    assert result.returncode == 0 and result.stderr == ""
    start = Page(result.stdout).data["start"]
    assert start[0] == 1 and Page(result.stdout).data["rounds"][1]["tricks"][2]["scene"] == start[1]
    assert Page(show(DATA / "legal.tch", "--html", "-", "--round", "3").stdout).data["start"] == [2, 0]


@pytest.mark.parametrize("where", ["none/game.html", "."])
def test_a_page_that_cannot_be_written(tmp_path: Path, where: str) -> None:
    from tests.regenerate_golden import DATA

    result = show(DATA / "legal.tch", "--html", tmp_path / where)
    assert result.returncode == 2 and result.stdout == ""
    assert "cannot write" in result.stderr and "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []
