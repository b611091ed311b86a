"""Places in a game, and walking from one position to the next, as the walk on a terminal, pages and links do."""

from __future__ import annotations

from typing import Any

import pytest

from tests.test_show import FAULTY, HARMFUL, LEGAL, replayed
from tichu_analytics.view.walk import Place, Walk, parse_place


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("3", Place(None, 3, None, None)),
        ("3:4", Place(None, 3, 4, None)),
        ("3:4:27", Place(None, 3, 4, 27)),
        ("3::27", Place(None, 3, None, 27)),
        ("1001:3:4:27", Place("1001", 3, 4, 27)),
        ("a:b c:3:4:", Place("a:b c", 3, 4, None)),
        (":3:4:27", Place("", 3, 4, 27)),
    ],
)
def test_places(text: str, place: Place) -> None:
    assert parse_place(text) == place


@pytest.mark.parametrize("text", ["", "x", "3:x", "-1", "3:-4", "3:4:1.5", ":4", "٣", "1" * 5000, "a:b:c:d", "\x1b[2J"])
def test_no_places(text: str) -> None:
    with pytest.raises(ValueError, match="a place is ROUND") as trouble:
        parse_place(text)
    assert not HARMFUL.search(str(trouble.value))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("4", "no round 4 in this game: it has rounds 1 to 3"),
        ("1:99", "no trick 99 in round 1: it has tricks 1 to 10"),
        ("1:0", "no trick 0"),
        ("1::999", "no move 999 in round 1: it has moves 1 to "),
        ("1:2:1", "move 1 of round 1 is in trick 1, not in trick 2"),
    ],
)
def test_places_that_are_not_there(text: str, message: str) -> None:
    walk = Walk(replayed(LEGAL))
    with pytest.raises(ValueError, match=message):
        walk.go_to(parse_place(text))
    assert (walk.at_round, walk.at) == (0, 0)


def test_every_place_is_found() -> None:
    game = replayed(LEGAL)
    walk = Walk(game)
    for one in game.rounds:
        for number, move in enumerate(one.moves, start=1):
            walk.go_to(Place(None, one.number, move.trick, number))
            assert (walk.scene.number, walk.scene.move, walk.scene.trick) == (move.line, number, move.trick)
        for trick in one.tricks:
            walk.go_to(Place(None, one.number, trick.number, None))
            assert walk.scene.number == trick.moves[0].line


def test_forward_and_back_visit_everything() -> None:
    game = replayed(FAULTY)
    walk = Walk(game)
    there = [(walk.at_round, walk.at)]
    while walk.step(1):
        there.append((walk.at_round, walk.at))
    assert len(there) == len(set(there)) > 200
    back = [(walk.at_round, walk.at)]
    while walk.step(-1):
        back.append((walk.at_round, walk.at))
    assert back == there[::-1]


def test_tricks_rounds_and_findings() -> None:
    game = replayed(FAULTY)
    walk = Walk(game)
    tricks = []
    while walk.trick(1):
        tricks.append((walk.at_round, walk.scene.trick))
    assert [entry for entry in tricks if entry[1]] == [
        (index, trick.number) for index, one in enumerate(game.rounds) for trick in one.tricks
    ]
    back = []
    while walk.trick(-1):
        back.append((walk.at_round, walk.scene.trick))
    assert back[-1] == (0, 0) and set(tricks) <= {*back, tricks[-1]}
    found = []
    while walk.finding(1):
        found += [finding.code for finding in walk.scene.findings]
    assert found == [finding.code for one in game.rounds for finding in one.findings]
    last = (walk.at_round, walk.at)
    again = []
    while walk.finding(-1):
        again += [finding.code for finding in walk.scene.findings]
    assert sorted([*again, *(finding.code for finding in walk_at(game, last).scene.findings)]) == sorted(found)
    assert walk.step_round(1) and not walk.at
    assert walk.end(1) and walk.at == len(walk.view.scenes) - 1 and walk.end(-1) and walk.at == 0


def walk_at(game: Any, where: tuple[int, int]) -> Walk:
    walk = Walk(game)
    walk.at_round, walk.at = where
    return walk
