"""Games, rounds, tricks, hands and findings in a notebook: what they show, and that nothing in it can do harm."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta
from tests.differing import SHORT, explained
from tests.test_page import HOSTILE, Page
from tests.test_scenes import games
from tests.test_show import FAULTY, HARMFUL, LEGAL, replayed, with_names
from tichu_analytics.record.notation import parse_mask
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.findings import Findings
from tichu_analytics.replay.game import replay
from tichu_analytics.view.page import game_page


class Printer:
    """Takes the text that an object prints of itself."""

    def __init__(self) -> None:
        self.written = ""

    def text(self, text: str) -> None:
        self.written += text


def words(shown: Any) -> str:
    printer = Printer()
    shown._repr_pretty_(printer, False)
    assert not HARMFUL.search(printer.written)
    cycle = Printer()
    shown._repr_pretty_(cycle, True)
    return printer.written


def html(shown: Any) -> Page:
    """What an object shows, as elements; a frame is opened."""
    text = shown._repr_html_()
    assert not HARMFUL.search(text)
    outer = Page(text)
    frames = outer.named("iframe", "srcdoc")
    assert not [name for _, name, _ in outer.attributes if name.startswith("on")]
    if frames:
        assert [tag for tag, _ in outer.tags] == ["style", "p", "iframe"]
        assert outer.named("iframe", "sandbox") == ["allow-scripts"]
        assert frames[0] is not None
        return Page(frames[0])
    assert "script" not in [tag for tag, _ in outer.tags]
    return outer


def assert_all_show_themselves(game: GameReplay) -> None:
    assert len(html(game).data["rounds"] if game.rounds else []) == len(game.rounds)
    assert words(game)
    assert len(html(game.game).named("html", "lang")) == 1 and words(game.game)
    html(game.findings)
    assert len(words(game.findings).splitlines()) == max(1, min(len(game.findings), 201))
    for one in game.rounds[:1]:
        assert html(one).data["rounds"][0]["number"] == one.number
        assert html(one.record).data["rounds"][0]["number"] == one.number
        assert words(one) and words(one.record)
        html(one.findings)
        for hand in one.hands:
            assert html(hand).tags.count(("span", ("class", "role", "aria-label"))) == hand.bit_count()
            assert words(hand)
        for trick in one.tricks[-4:]:
            assert sum(tag == "tr" for tag, _ in html(trick).tags) == len(trick.moves) + 1
            assert len(words(trick).splitlines()) == len(trick.moves) + 1


def test_samples(root: Path) -> None:
    for game in games(root / "sample_logs" / "faulty", root / "sample_logs" / "1009.tch"):
        assert_all_show_themselves(game)


def test_real_and_made_up_logs(shared: Path) -> None:
    found = games(shared / "real_logs", shared / "checks" / "one_fault", shared / "checks" / "one_illegal_move")
    assert len(found) > 80
    for game in found:
        assert_all_show_themselves(game)


@pytest.mark.parametrize("data", [b"", b"\x00\xff\xfe garbage \x1b[2J", b"Ergebnis: 1 - 2\n", b"(0)a: S2 \n"])
def test_what_is_no_log(data: bytes) -> None:
    assert_all_show_themselves(replayed(data))


@pytest.mark.parametrize("names", HOSTILE)
def test_hostile_names(names: tuple[str, str, str, str]) -> None:
    game = with_names(*names, data=FAULTY)
    assert_all_show_themselves(game)
    odd = replay(game.game._replace(game_id=names[0], path=names[1]))
    assert_all_show_themselves(odd)


def all_short(game: GameReplay) -> list[Any]:
    return [game, game.game, *game.rounds, *game.game.rounds]


@pytest.mark.parametrize("names", HOSTILE)
def test_plain_python_shows_games_and_rounds_in_a_line(names: tuple[str, str, str, str]) -> None:
    game = with_names(*names, data=FAULTY)
    odd = replay(game.game._replace(game_id=names[0], path=names[1]))
    assert {type(shown) for shown in all_short(odd)} == {*SHORT}
    for shown in all_short(odd):
        assert repr(shown) == str(shown) == f"<{words(shown)}>"
        assert not HARMFUL.search(repr(shown)) and "\n" not in repr(shown)
        assert len(repr(shown)) < 200 + len(names[0]) * 10 + len(names[1]) * 10


def test_lists_of_games_and_rounds_are_short(root: Path) -> None:
    game = games(root / "sample_logs" / "1009.tch")[0]
    for shown in all_short(game):
        assert len(repr(shown)) < 250
    assert len(repr(game.rounds)) < 120 * len(game.rounds)


def test_a_failed_comparison_says_where_games_differ() -> None:
    game = replayed(LEGAL)
    one = game.rounds[2]
    trick = one.tricks[0]
    moves = (trick.moves[0]._replace(line=7), *trick.moves[1:])
    changed = one._replace(tricks=(trick._replace(moves=moves), *one.tricks[1:]))
    other = game._replace(rounds=(*game.rounds[:2], changed, *game.rounds[3:]))
    line = trick.moves[0].line
    assert repr(game) == repr(other)
    assert explained("==", game, other) == [
        "equal games or rounds; they differ in",
        f".rounds[2].tricks[0].moves[0].line: {line} != 7",
    ]
    assert (explained("==", [one], [changed]) or [])[1:] == [f"[0].tricks[0].moves[0].line: {line} != 7"]
    assert (explained("==", game.game, game.game._replace(month="201401")) or [])[1:] == [".month: None != '201401'"]
    assert explained("==", 1, 2) is None and explained("!=", game, game) is None


def test_the_frame_holds_the_page() -> None:
    game = replayed(FAULTY)
    frame = Page(game._repr_html_()).named("iframe", "srcdoc")
    assert frame == [game_page(game)]


def test_words_in_the_place_of_a_frame() -> None:
    # Where the frame is taken out the style goes too, or does not hide them.
    game = replayed(FAULTY)
    for shown in (game, game.rounds[0], game.game, game.game.rounds[0]):
        text = shown._repr_html_()
        style, rest = text.split("<p", 1)
        assert style == "<style>.tichu-instead:has(+ iframe) { display: none; }</style>"
        outer = Page("<p" + rest)
        said = "".join(outer.text).strip()
        assert said.startswith(words(game) if shown in (game, game.game) else words(shown).split(",")[0])
        assert "trust the notebook" in said
        assert re.search("</p><iframe ", rest)


def test_a_record_is_not_judged_by_itself() -> None:
    game = replayed(FAULTY)
    scenes = html(game.game.rounds[1]).data["rounds"][0]["scenes"]
    assert not [scene for scene in scenes if "findings" in scene]
    judged = html(game.rounds[1]).data["rounds"][0]["scenes"]
    assert [scene for scene in judged if "findings" in scene]
    unknown = game.game._replace(format="tgr", rules="no such rules")
    assert len(html(unknown).data["rounds"]) == 3


def test_findings_of_a_record_by_itself(root: Path) -> None:
    game = games(root / "sample_logs" / "faulty" / "record_turn_marked.tgr.json")[0]
    assert game.findings
    for one in game.rounds:
        scenes = html(one).data["rounds"][0]["scenes"]
        found = [finding["code"] for scene in scenes for finding in scene.get("findings", [])]
        assert found == [finding.code for finding in one.findings]


def test_what_is_said() -> None:
    game = replayed(FAULTY)
    assert words(game) == (
        f"Game game (game.tch), rules bsw: 3 rounds, total -140 - 240, unfinished, {len(game.findings)} findings"
    )
    assert words(game.rounds[0]).startswith("Round 1, lines 1-")
    assert words(replayed(LEGAL).findings) == "no findings"
    assert "no findings" in "".join(html(replayed(LEGAL).findings).text)
    many = Findings(game.findings * 100)
    assert words(many).endswith(f"and {len(many) - 200} more")
    assert f"and {len(many) - 200} more" in "".join(html(many).text)
    trick = replayed(LEGAL).rounds[2].tricks[0]
    assert words(trick).splitlines()[0] == "Trick 1, led by seat 0, taken by seat 3: 40 points"
    assert "RK BK BQ SQ  stairs of 2 pairs up to K" in words(replayed(LEGAL).rounds[2].tricks[0])


def test_hands() -> None:
    hand = ta.Hand.of("S5 Ph RA")
    assert hand == parse_mask("Ph RA S5") and hand & 1 == 0
    assert (str(hand), repr(hand), f"{hand}") == ("Ph RA S5", "Hand.of('Ph RA S5')", "Ph RA S5")
    assert (str(ta.Hand(0)), words(ta.Hand(0))) == ("", "no cards")
    assert "no cards" in "".join(html(ta.Hand(0)).text)
    assert pickle.loads(pickle.dumps(hand)) == hand
    with pytest.raises(ValueError, match="is no card"):
        ta.Hand.of("x")
    names = html(hand).named("span", "aria-label")
    assert names == ["Phoenix", "star ace", "sword 5"]
    one = replayed(LEGAL).rounds[0]
    assert one.hands == one.held


def test_findings_are_a_tuple() -> None:
    game = replayed(FAULTY)
    assert isinstance(game.findings, Findings) and isinstance(game.rounds[0].findings, Findings)
    assert pickle.loads(pickle.dumps(game)) == game
    assert game.findings == tuple(game.findings)


def test_nothing_of_the_views_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys, tichu_analytics as ta; from tichu_analytics.replay.game import replay;"
        "import tichu_analytics.record, tichu_analytics.replay.facts;"
        "print([name for name in sys.modules if name.startswith('tichu_analytics.view') or name in ('jinja2', 'rich')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "[]\n"
