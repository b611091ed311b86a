"""The wish in the slow model, against positions worked out by hand from the text of the rules."""

from __future__ import annotations

import pytest

from .model import Reading, hand_of, is_legal_play, lying, may_pass, wish_binds

BOUND: list[tuple[str, int, str, bool]] = [
    # hand, wish, table, bound
    ("S8 SK", 8, "Ma", True),
    ("S9 SK", 8, "Ma", False),
    ("S8 SK", 8, "S9", False),
    ("S8 SK", 8, "S8", False),
    ("Ph SK", 8, "Ma", False),  # the Phoenix is no eight
    ("S8 SK", 8, "S3 G3", False),
    ("S8 Ph SK", 8, "S3 G3", True),  # a pair with the Phoenix
    ("S8 G8 SK", 8, "S3 G3", True),
    ("S8 G8 SK", 8, "S9 G9", False),
    ("S8 G8 B8 R8", 8, "S9 G9", True),  # owed as a bomb
    ("S8 G8 B8 R8", 8, "SA GA BA RA", False),
    ("S4 S5 S6 S7 S8 SK", 8, "SA GA BA RA", True),
    ("S4 S5 S6 S7 S8 SK", 13, "SA GA BA RA", False),
    ("S8 G8 S2 G2", 8, "S3 G3 B3 S4 G4", False),
    ("S8 G8 S2 G2 Ph", 8, "S3 G3 B3 S4 G4", True),
    ("S8 G8 S2 G2 Ph", 2, "S3 G3 B3 S4 G4", True),  # the two are the pair in it
    ("S9 G9 S10 G10", 9, "S3 G3 S4 G4", True),
    ("S9 G9 S10 Ph", 10, "S3 G3 S4 G4", True),
    ("S9 G9 S10 Ph", 11, "S3 G3 S4 G4", False),
    ("S3 G4 B5 R6 Ph", 4, "Ma S2 G3 B4 R5", True),
    ("S3 G4 B5 R6 Ph", 7, "Ma S2 G3 B4 R5", False),  # only the Phoenix would be the seven
    ("S4 B5 G6 R7 B8", 4, "Ma S2 G3 B4 R5", True),
    ("S2 SK", 2, "", True),  # any card can be led
    ("S2 Do", 3, "", False),
]


@pytest.mark.parametrize(("hand", "rank", "table", "bound"), BOUND)
def test_whom_a_wish_binds(hand: str, rank: int, table: str, bound: bool) -> None:
    cards = hand_of(hand)
    tables = lying(table)
    for one in tables or {None}:
        assert wish_binds(cards, rank, one) is bound
    assert may_pass(cards, tables, rank) is (bool(tables) and not bound)


WISHED: list[tuple[str, str, int, str, bool]] = [
    # hand, cards, wish, table, legal
    ("S8 SK", "S8", 8, "Ma", True),
    ("S8 SK", "SK", 8, "Ma", False),
    ("S8 Ph", "Ph", 8, "Ma", False),
    ("Ph SK", "Ph", 8, "Ma", True),
    ("S8 SK", "SK", 8, "S10", True),
    ("S8 Ph SK GK", "SK GK", 8, "S3 G3", False),
    ("S8 Ph SK GK", "S8 Ph", 8, "S3 G3", True),
    ("S8 SK GK BK RK", "SK GK BK RK", 8, "Ma", False),
    ("S8 SK GK BK RK", "SK GK BK RK", 8, "S9", True),  # the eight cannot be played
    ("S8 G8 B8 R8 SK", "S8", 8, "Ma", True),
    ("S8 G8 B8 R8 SK", "S8 G8 B8 R8", 8, "Ma", True),
    ("S8 G8 B8 R8 SK", "SK", 8, "S9", False),  # only the bomb has it
    ("S8 G8 SK Do", "SK", 8, "", False),
    ("S8 G8 SK Do", "S8 G8", 8, "", True),
    ("S8 G8 SK Do", "Do", 8, "", False),
    ("S9 G9 SK Do", "Do", 8, "", True),
    ("S8 SK GK BK RK", "SK GK BK RK", 8, "", False),
]


@pytest.mark.parametrize(("hand", "cards", "rank", "table", "legal"), WISHED)
def test_plays_under_a_wish(hand: str, cards: str, rank: int, table: str, legal: bool) -> None:
    assert is_legal_play(hand_of(hand), hand_of(cards), lying(table), rank) is legal


def test_out_of_turn_and_in_place_of_collecting_nobody_is_bound() -> None:
    hand = hand_of("S8 SK GK BK RK")
    kings = hand_of("SK GK BK RK")
    assert is_legal_play(hand, kings, lying("Ma"), 8, False)
    assert is_legal_play(hand, kings, lying("Ma"), 8, True, all_passed=True)


def test_bsw_lets_any_bomb_through_but_not_on_lead() -> None:
    hand = hand_of("S8 SK GK BK RK")
    kings = hand_of("SK GK BK RK")
    assert is_legal_play(hand, kings, lying("Ma"), 8, wish_bomb_in_turn="allow")
    assert not is_legal_play(hand, hand_of("SK"), lying("Ma"), 8, wish_bomb_in_turn="allow")
    assert not is_legal_play(hand, kings, (), 8, wish_bomb_in_turn="allow")


def test_the_dog_may_be_led_where_that_is_allowed() -> None:
    hand = hand_of("S8 SK Do")
    assert is_legal_play(hand, hand_of("Do"), (), 8, wish_dog_lead="allow")
    assert not is_legal_play(hand, hand_of("SK"), (), 8, wish_dog_lead="allow")


def test_a_rank_held_as_a_bomb_where_the_bomb_is_due() -> None:
    fours = hand_of("S8 G8 B8 R8 SK")
    for cards, legal in (("S8", False), ("S8 G8 B8 R8", True), ("SK", False)):
        assert is_legal_play(fours, hand_of(cards), lying("Ma"), 8, wish_held_as_bomb="must_bomb") is legal
    assert not is_legal_play(fours, hand_of("S8 G8"), lying("S3 G3"), 8, wish_held_as_bomb="must_bomb")
    run = hand_of("S4 S5 S6 S7 S8")
    assert not is_legal_play(run, hand_of("S6"), lying("Ma"), 6, wish_held_as_bomb="must_bomb")
    assert is_legal_play(run, run, lying("Ma"), 6, wish_held_as_bomb="must_bomb")
    spare = run | {"G6"}
    assert is_legal_play(spare, hand_of("G6"), lying("Ma"), 6, wish_held_as_bomb="must_bomb")
    assert is_legal_play(spare, run, lying("Ma"), 6, wish_held_as_bomb="must_bomb")
    assert not is_legal_play(spare, hand_of("S5"), lying("Ma"), 6, wish_held_as_bomb="must_bomb")


def test_singles_only_in_later_tricks() -> None:
    hand = hand_of("S8 G8 B8 S3 G3 SK")
    eights = hand_of("S8 G8 B8")
    full = hand_of("S8 G8 B8 S3 G3")
    assert is_legal_play(hand, full, (), 8, later_trick=True)
    assert not is_legal_play(hand, full, (), 8, later_trick=True, wish_later_tricks="singles_only")
    assert is_legal_play(hand, hand_of("G8"), (), 8, later_trick=True, wish_later_tricks="singles_only")
    threes = lying("R3 B3 Ph")
    assert not may_pass(hand, threes, 8, later_trick=True)
    assert may_pass(hand, threes, 8, later_trick=True, wish_later_tricks="singles_only")
    assert not may_pass(hand, threes, 8, wish_later_tricks="singles_only")
    assert is_legal_play(hand, eights, threes, 8, later_trick=True, wish_later_tricks="singles_only")


def test_a_wish_binds_only_under_every_open_reading() -> None:
    """On twos or aces over the other, threes and fours full are owed only if the twos' reading is settled."""
    hand = hand_of("S3 B3 G3 S4 G4 SK")
    table = lying("R2 G2 Ph SA BA")
    assert may_pass(hand, table, 4)
    assert not may_pass(hand, [Reading("full_house", 5, 2, 2)], 4)
    assert may_pass(hand, [Reading("full_house", 5, 14, 14)], 4)
