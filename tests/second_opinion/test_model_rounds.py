"""Turns, ends and scores of the slow model, against cases worked out by hand from the text of the rules."""

from __future__ import annotations

import pytest

from .model import DECK, hand_of
from .model_rounds import (
    is_double_victory,
    is_game_over,
    is_round_over,
    leader_after_dog,
    leader_after_trick,
    may_take_dragon,
    next_with_cards,
    points,
    round_score,
    turn_in_trick,
)


def test_points() -> None:
    assert points(DECK) == 100
    assert points(hand_of("Dr Ph")) == 0
    assert points(hand_of("S5 G5 B10 RK SA Ma Do")) == 30
    assert points(hand_of("Ph SJ GQ")) == -25


def test_next_seat_and_leaders() -> None:
    assert next_with_cards(3, []) == 0
    assert next_with_cards(0, [1, 2]) == 3
    assert next_with_cards(0, [1, 2, 3]) == 0
    assert leader_after_trick(2, [0]) == 2
    assert leader_after_trick(2, [2]) == 3
    assert leader_after_trick(2, [2, 3]) == 0
    assert leader_after_dog(0, []) == 2
    assert leader_after_dog(0, [2]) == 3
    assert leader_after_dog(0, [2, 3]) == 0
    assert leader_after_dog(1, [0, 3]) == 1
    assert leader_after_dog(1, [1]) == 3


TURNS: list[tuple[str, list[int], bool, tuple[str, int]]] = [
    # seat and p (play) or - (pass), seats out by now, whether the owner takes the trick by an act, what comes
    ("0p", [], True, ("acts", 1)),
    ("0p 1- 2-", [], True, ("acts", 3)),
    ("0p 1- 2- 3-", [], True, ("collects", 0)),
    ("0p 1- 2- 3-", [], False, ("leads", 0)),
    ("0p 1- 2p 3- 0-", [], True, ("acts", 1)),
    ("0p 1- 2p 3- 0- 1-", [], False, ("leads", 2)),
    ("0p 1-", [2], True, ("acts", 3)),
    ("0p 1- 3-", [2], True, ("collects", 0)),
    ("0p 1- 2- 3-", [0], True, ("leads", 1)),
    ("0p 2- 3-", [0, 1], True, ("leads", 2)),
    ("0p 1- 3-", [0, 2], False, ("leads", 1)),
    ("2p 3p 1p", [], True, ("acts", 2)),  # a bomb by 1 out of turn: the seat after the bomber goes on
    ("0p 1- 2- 3p 0- 1- 2-", [], False, ("leads", 3)),
    ("0p 1- 2- 3- 2p", [], True, ("acts", 3)),  # a bomb before the trick was taken
    ("0p 1- 2- 3- 0p", [], True, ("acts", 1)),  # the owner bombs his own play
    ("0p 1- 0p", [], True, ("acts", 1)),
]


@pytest.mark.parametrize(("actions", "out", "collecting", "expected"), TURNS)
def test_turn_in_trick(actions: str, out: list[int], collecting: bool, expected: tuple[str, int]) -> None:
    done = [(int(act[0]), "play" if act[1] == "p" else "pass") for act in actions.split()]
    assert turn_in_trick(done, out, collecting=collecting) == expected


def test_end_of_a_round() -> None:
    assert not is_round_over([0])
    assert not is_round_over([0, 1])
    assert is_round_over([0, 1, 2])
    assert is_round_over([3, 1])
    assert is_double_victory([2, 0])
    assert not is_double_victory([2, 1, 0])


def test_who_may_get_the_dragon() -> None:
    assert [may_take_dragon(0, target, []) for target in range(4)] == [False, True, False, True]
    assert may_take_dragon(0, 1, [1])
    assert not may_take_dragon(0, 1, [1], dragon_gift_target="active_only")


def test_scores() -> None:
    nothing: dict[int, list[str]] = {3: []}
    # a double victory counts no cards; calls count all the same
    assert round_score([(1, DECK)], {}, [0, 2], {}) == (200, 0)
    assert round_score([(1, DECK)], {}, [3, 1], {3: "grand", 0: "tichu"}) == (-100, 400)
    assert round_score([(1, DECK)], {}, [0, 2], {2: "tichu"}) == (100, 0)
    # seat 3 is last: its tricks go to seat 0, first out, its hand to the team of 0 and 2
    tricks = [(0, hand_of("SK GK")), (1, hand_of("S10 G10 B10")), (3, hand_of("S5 Dr"))]
    assert round_score(tricks, nothing, [0, 1, 2], {}) == (50, 30)
    assert round_score(tricks, {3: hand_of("RK BK")}, [0, 1, 2], {}) == (70, 30)
    # seat 3 is last and its partner 1 the first: the tricks stay with the team, the hand does not
    assert round_score(tricks, {3: hand_of("RK BK")}, [1, 0, 2], {}) == (40, 60)
    # the last hand goes to the other team also where the last player's team was first
    assert round_score([(2, hand_of("Ph"))], {3: hand_of("Dr")}, [1, 0, 2], {}) == (0, 0)
    # with the Phoenix in the other tricks a team has 125
    rest = DECK - hand_of("Ph")
    assert round_score([(0, rest), (1, hand_of("Ph"))], nothing, [0, 1, 2], {}) == (125, -25)
    assert round_score([(0, rest), (1, hand_of("Ph"))], nothing, [0, 1, 2], {0: "grand", 1: "tichu"}) == (325, -125)
    assert round_score([(0, DECK)], nothing, [1, 0, 2], {0: "grand", 2: "tichu"}) == (-200, 0)


def test_end_of_a_game() -> None:
    assert not is_game_over((995, -1200))
    assert is_game_over((1000, 995))
    assert is_game_over((1010, 1200))
    assert not is_game_over((1000, 1000))
    assert is_game_over((1000, 1000), tie_at_target="draw")
    assert not is_game_over((500, 500), tie_at_target="draw")
