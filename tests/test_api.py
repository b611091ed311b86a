"""The Python entry points: reading, replaying, checking."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta
from tests.test_show import HARMFUL
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import DECK


def test_replay_of_several_games(root: Path) -> None:
    games = list(ta.read_games(root / "sample_logs" / "1001.tch"))
    games += ta.read_games([str(root / "sample_logs" / "1002.tch"), str(root / "sample_logs" / "1003.tch")])
    assert [game.game_id for game in games] == ["1001", "1002", "1003"]
    for game in games:
        found = ta.replay(game)
        assert found.rules == "bsw"
        assert found == replay(game, "bsw")
        assert found.outcome == "finished"
        assert max(found.totals) >= 1000


def test_the_function_replay_stays_a_function() -> None:
    """It has the name of a sub-package, which the import of a module of it must not put in its place."""
    program = (
        "import tichu_analytics as ta; import tichu_analytics.replay.state; from tichu_analytics import replay;"
        "assert callable(ta.replay) and callable(replay)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_check(root: Path) -> None:
    folder = root / "sample_logs" / "faulty"
    findings = list(ta.check(folder))
    assert {finding.path for finding in findings} == {path.name for path in folder.iterdir()} - {"README.md"}
    assert not list(ta.check(root / "sample_logs" / "1001.tch", rules="official"))


def test_unreadable_inputs_come_last(root: Path) -> None:
    paths = [root / "missing.tch", root / "sample_logs" / "1001.tch"]
    games = ta.read_games(paths)
    assert next(games).game_id == "1001"
    with pytest.raises(ta.UnreadableInput, match=r"missing\.tch"):
        next(games)
    with pytest.raises(ta.UnreadableInput):
        list(ta.check(paths))


def test_unknown_rule_set(root: Path) -> None:
    game = next(ta.read_games(root / "sample_logs" / "1001.tch"))
    with pytest.raises(ValueError, match="official"):
        ta.replay(game, rules="house")
    with pytest.raises(ValueError, match="official"):
        list(ta.check(root / "sample_logs", rules="house"))


# What is not a game, not cards ----------------------------------------------------------------------------------------


def the_game(root: Path) -> Any:
    return next(ta.read_games(root / "sample_logs" / "1001.tch"))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (lambda root: str(root), r"a path: ta\.replay\(next\(ta\.read_games\('"),
        (lambda root: root / "sample_logs" / "1001.tch", r"a path: ta\.replay\(next\(ta\.read_games\("),
        (lambda root: "\x1b[2J\u202e", r"read_games\('\\x1b\[2J\\u202e'\)"),
        (lambda root: "x" * 5000, r"read_games\(path\)"),
        (lambda root: ta.read_games(root / "sample_logs"), r"generator: ta\.replay\(next\(games\)\), or \[ta"),
        (lambda root: [the_game(root)], r"the type list: \[ta\.replay\(game\) for game in games\]"),
        (lambda root: (the_game(root), the_game(root)), r"the type tuple: \[ta"),
        (lambda root: the_game(root).rounds[0], "the type Round: ta.replay"),
        (lambda root: ta.replay(the_game(root)), "replayed already; its record is its field game"),
        (lambda root: None, "the type NoneType: ta.replay"),
        (lambda root: 1001, "the type int: ta.replay"),
        (lambda root: b"1001.tch", "the type bytes: ta.replay"),
    ],
)
def test_what_is_no_game(root: Path, given: Callable[[Path], Any], told: str) -> None:
    with pytest.raises(TypeError, match=told) as raised:
        ta.replay(given(root))
    assert "takes one game of ta.read_games" in str(raised.value)
    assert len(str(raised.value)) < 250 and not HARMFUL.search(str(raised.value))


@pytest.mark.parametrize("given", [["Ph", "RA"], ("Ph",), {"Ph"}, None, b"Ph RA", 5, 1.5, ta.Hand(1)])
def test_cards_in_words_are_one_text(given: Any) -> None:
    with pytest.raises(TypeError, match=r"Hand\.of takes the cards as one text, Hand\.of\('Ph RA'\), not "):
        ta.Hand.of(given)


@pytest.mark.parametrize("given", ["Ph RA", "", "5", "\x1b[2J\u202e", "x" * 5000, None, ["Ph"], b"5", 1.5, 3.0])
def test_a_hand_by_its_number_takes_a_number(given: Any) -> None:
    with pytest.raises(TypeError, match=r"whole number.*Hand\.of\('Ph RA'\)") as raised:
        ta.Hand(given)
    assert len(str(raised.value)) < 250 and not HARMFUL.search(str(raised.value))


@pytest.mark.parametrize(
    "given", [-1, -DECK, DECK + 1, 1 << 56, 1 << 60, 1 << 20000, -1 << 20000, True, False], ids=hex
)
def test_a_number_that_is_no_set_of_cards(given: int) -> None:
    with pytest.raises(ValueError, match="is no set of cards"):
        ta.Hand(given)


def test_numbers_that_are_sets_of_cards() -> None:
    import numpy as np

    assert ta.Hand() == ta.Hand(0) == ta.Hand.of("") == 0
    assert ta.Hand(DECK).bit_count() == 56
    for given in (np.int64(5), np.uint64(5), ta.Hand(5)):
        hand = ta.Hand(given)
        assert type(hand) is ta.Hand and hand == 5
    with pytest.raises(ValueError, match="-1 is no set of cards"):
        ta.Hand(np.int64(-1))


def test_hands_of_every_log_are_sets_of_cards(shared: Path, root: Path) -> None:
    games = list(
        ta.read_games([shared / "real_logs", shared / "checks" / "one_fault", root / "sample_logs" / "faulty"])
    )
    assert len(games) > 50
    for game in games:
        for one in ta.replay(game).rounds:
            assert one.hands == one.held


# What completion offers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tichu_analytics", "tichu_analytics.stats", "tichu_analytics.formats.bsw"])
def test_names_for_completion(name: str) -> None:
    """In a process of its own: what is loaded late must be there before it is loaded, and afterwards too."""
    program = (
        f"import {name} as module, importlib, sys\n"
        "def public(): return [name for name in dir(module) if not name.startswith('__') or name == '__version__']\n"
        "assert public() == sorted(module.__all__), public()\n"
        "assert {'__name__', '__doc__', '__all__'} <= set(dir(module)) and 'pyarrow' not in sys.modules\n"
        "assert all(hasattr(module, name) for name in dir(module))\n"
        "assert public() == sorted(module.__all__), public()\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize("name", ["", ".stats", ".record", ".simulate", ".formats.bsw", ".formats.tgr"])
def test_every_public_name_is_offered(name: str) -> None:
    module = import_module(f"tichu_analytics{name}")
    assert set(module.__all__) <= set(dir(module))
