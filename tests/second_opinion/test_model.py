"""The slow model itself, against positions worked out by hand from the text of the rules."""

from __future__ import annotations

from itertools import combinations

import pytest

from .model import (
    DECK,
    Reading,
    beats,
    hand_of,
    is_legal_play,
    legal_plays,
    lying,
    on_table,
    readings,
    subsets,
    why_illegal,
)

Shape = tuple[str, int, float, int | None]

# --- combinations -----------------------------------------------------------------------------------------------------

SHAPES: list[tuple[str, list[Shape]]] = [
    ("Ma", [("single", 1, 1, None)]),
    ("S2", [("single", 1, 2, None)]),
    ("G10", [("single", 1, 10, None)]),
    ("RA", [("single", 1, 14, None)]),
    ("Dr", [("single", 1, 15, None)]),
    ("Ph", [("single", 1, 1.5, None)]),
    ("Do", [("dog", 1, 0, None)]),
    ("S5 G5", [("pair", 2, 5, None)]),
    ("S5 Ph", [("pair", 2, 5, 5)]),
    ("S5 S6", []),
    ("Ma Ph", []),
    ("Dr Ph", []),
    ("Do Ph", []),
    ("Dr Do", []),
    ("SJ GJ BJ", [("triple", 3, 11, None)]),
    ("SJ GJ Ph", [("triple", 3, 11, 11)]),
    ("SJ GJ BQ", []),
    ("SJ Ma Ph", []),
    ("S2 G2 B2 R2", [("four_bomb", 4, 2, None)]),
    ("S7 G7 B7 Ph", []),
    ("S7 G7 B8 R8", [("stairs", 4, 8, None)]),
    ("S7 G7 B9 R9", []),
    ("S7 G7 B8 Ph", [("stairs", 4, 8, 8)]),
    ("SA GA B2 R2", []),
    ("SK GK BA RA", [("stairs", 4, 14, None)]),
    ("Ma Ph S2 G2", []),
    ("S6 G6 S7 G7 S8 Ph S9 G9", [("stairs", 8, 9, 8)]),
    ("S6 G6 S7 G7 S8 G8 S9 G9 SJ GJ", []),
    ("S3 G3 B3 S4 G4 B4", []),
    ("S3 G3 S4 S5", []),
    ("S2 B2 G2 S9 B9", [("full_house", 5, 2, None)]),
    ("S2 B2 Ph S9 B9", [("full_house", 5, 2, 2), ("full_house", 5, 9, 9)]),
    ("S2 B2 G2 S9 Ph", [("full_house", 5, 2, 9)]),
    ("S2 B2 G2 Ma Ph", []),
    ("S3 B3 G3 R3 Ph", []),
    ("S3 B3 G3 R3 S4", []),
    ("S2 G3 B4 R5 S6", [("straight", 5, 6, None)]),
    ("S2 G3 B4 R5 Ph", [("straight", 5, 6, 6)]),
    ("Ma S2 G3 B4 R5", [("straight", 5, 5, None)]),
    ("Ma S2 S3 S4 S5", [("straight", 5, 5, None)]),
    ("Ma S3 B4 R5 Ph", [("straight", 5, 5, 2)]),
    ("Ma S2 B3 R4 Ph", [("straight", 5, 5, 5)]),
    ("SJ BQ RK GA Ph", [("straight", 5, 14, 10)]),
    ("S5 B6 R7 G8 Ph", [("straight", 5, 8, 4), ("straight", 5, 9, 9)]),
    ("S5 S6 S7 S8 Ph", [("straight", 5, 8, 4), ("straight", 5, 9, 9)]),
    ("S5 B6 R8 G9 Ph", [("straight", 5, 9, 7)]),
    ("S5 B6 R9 G10 Ph", []),
    ("S5 B6 R7 Ph", []),
    ("SA G2 B3 R4 S5", []),
    ("SQ GK BA R2 S3", []),
    ("S4 S5 S6 S7 S8", [("straight_bomb", 5, 8, None)]),
    ("S4 S5 S6 S7 S8 S9", [("straight_bomb", 6, 9, None)]),
    ("S10 SJ SQ SK SA", [("straight_bomb", 5, 14, None)]),
    ("S4 S5 S6 S7", []),
    ("S2 G3 B4 R5 S6 S7 S8 S9 S10 SJ SQ SK SA", [("straight", 13, 14, None)]),
    ("S2 G3 B4 R5 S6 S7 S8 S9 S10 SJ SQ SK SA Ma", [("straight", 14, 14, None)]),
    ("S2 G3 B4 R5 S6 S7 S8 S9 S10 SJ SQ SK SA Ph", []),
    ("S3 G3 S4 G4 S5 G5 S6 G6 S7 G7 S8 G8 S9 Ph", [("stairs", 14, 9, 9)]),
    ("S5 G5 Do", []),
]


@pytest.mark.parametrize(("cards", "expected"), SHAPES, ids=[cards for cards, _ in SHAPES])
def test_readings(cards: str, expected: list[Shape]) -> None:
    assert readings(hand_of(cards)) == {Reading(*shape) for shape in expected}


def test_no_cards_are_no_combination() -> None:
    assert not readings(frozenset())


def test_options_of_the_shapes() -> None:
    quad_and_phoenix = hand_of("S3 B3 G3 R3 Ph")
    assert readings(quad_and_phoenix, fullhouse_same_rank="allow") == {Reading("full_house", 5, 3, 3)}
    run = hand_of("S4 S5 S6 S7 S8")
    assert readings(run, straight_flush_as_straight="allow") == {
        Reading("straight_bomb", 5, 8),
        Reading("straight", 5, 8),
    }


def test_numbers_of_combinations_counted_by_hand() -> None:
    """78 pairs and 52 with the Phoenix, 52 triples and 78 with it; 9 + 8 + .. + 1 straight flushes a suit."""
    sizes = {2: "pair", 3: "triple"}
    for size, kind in sizes.items():
        found = [way for cards in combinations(sorted(DECK), size) for way in readings(frozenset(cards))]
        assert {way.kind for way in found} == {kind}
        assert len(found) == 130
    one_suit = [card for card in DECK if card.startswith("S")]
    runs = [way for cards in subsets(one_suit) for way in readings(cards) if len(cards) > 1]
    assert {way.kind for way in runs} == {"straight_bomb"}
    assert len(runs) == 45


def test_full_houses_of_two_ranks_and_the_phoenix_counted_by_hand() -> None:
    """48 without the Phoenix, 32 with it beside a triple, 36 (with two readings each) beside two pairs."""
    cards = hand_of("S5 B5 G5 R5 S9 B9 G9 R9 Ph")
    houses = [way for chosen in subsets(cards) for way in readings(chosen) if way.kind == "full_house"]
    assert len(houses) == 48 + 32 + 2 * 36
    assert len([way for way in houses if way.rank == 9]) == len([way for way in houses if way.rank == 5])


# --- beating ----------------------------------------------------------------------------------------------------------

BEATING: list[tuple[str, str, bool]] = [
    ("S6", "G5", True),
    ("S5", "G5", False),
    ("S2", "Ma", True),
    ("Dr", "SA", True),
    ("SA", "Dr", False),
    ("S6 G6", "S5 B5", True),
    ("S5 G5", "R5 B5", False),
    ("R5 Ph", "G5 B5", False),
    ("S6 G6", "S5", False),
    ("S6 G6 B6", "S5 G5", False),
    ("S6 G6 S7 G7", "S5 G5 B6 R6", True),
    ("S9 G9 S10 G10", "S5 G5 S6 B6 R7 B7", False),
    ("SA BA GA S2 B2", "SK BK GK S3 B3", True),
    ("S3 B3 G3 SA BA", "S4 B4 G4 S2 G2", False),
    ("S6 G7 B8 R9 S10", "S5 B6 G7 R8 B9", True),
    ("S6 G7 B8 R9 S10 GJ", "S5 B6 G7 R8 B9", False),
    ("S5 G6 B7 R8 S9", "B5 R6 G7 S8 G9", False),
    ("S2 G2 B2 R2", "Dr", True),
    ("S2 G2 B2 R2", "SA GA BA", True),
    ("S3 G3 B3 R3", "S2 G2 B2 R2", True),
    ("S2 G2 B2 R2", "S3 G3 B3 R3", False),
    ("S2 S3 S4 S5 S6", "SA GA BA RA", True),
    ("SA GA BA RA", "S2 S3 S4 S5 S6", False),
    ("S3 S4 S5 S6 S7", "G2 G3 G4 G5 G6", True),
    ("S2 S3 S4 S5 S6", "G2 G3 G4 G5 G6", False),
    ("S2 S3 S4 S5 S6 S7", "G10 GJ GQ GK GA", True),
    ("S2 S3 S4 S5 S6", "G7 R8 B9 S10 GJ", True),
    ("S10 GJ SQ SK SA", "G2 G3 G4 G5 G6", False),
    ("Ph", "Ma", True),
    ("Ph", "SA", True),
    ("Ph", "Dr", False),
    ("Ph", "S5 G5", False),
    ("Ph", "S2 G2 B2 R2", False),
    ("Do", "Ma", False),
    ("Do", "S5 G5", False),
]


@pytest.mark.parametrize(("play", "table", "expected"), BEATING)
def test_beats(play: str, table: str, expected: bool) -> None:
    (lying_there,) = readings(hand_of(table))
    assert any(beats(way, lying_there) for way in readings(hand_of(play))) is expected


def test_everything_may_be_led() -> None:
    for text in ("Ma", "Do", "Ph", "Dr", "S2", "S5 G5", "S2 G2 B2 R2", "Ma S2 G3 B4 R5"):
        assert all(beats(way, None) for way in readings(hand_of(text)))


def test_the_phoenix_alone_counts_half_more_than_what_it_covers() -> None:
    (phoenix,) = readings(hand_of("Ph"))
    assert on_table(phoenix, None).rank == 1.5
    assert on_table(phoenix, Reading("single", 1, 1)).rank == 1.5
    assert on_table(phoenix, Reading("single", 1, 14)).rank == 14.5
    on_ten = on_table(phoenix, Reading("single", 1, 10))
    assert not beats(Reading("single", 1, 10), on_ten)
    assert beats(Reading("single", 1, 11), on_ten)
    on_ace = on_table(phoenix, Reading("single", 1, 14))
    assert beats(Reading("single", 1, 15), on_ace)
    led = on_table(phoenix, None)
    assert beats(Reading("single", 1, 2), led)
    assert not beats(Reading("single", 1, 1), led)


def test_a_full_house_with_two_readings_is_beaten_by_what_is_between_them() -> None:
    low, high = sorted(readings(hand_of("R2 G2 Ph SA BA")), key=lambda way: way.rank)
    threes = Reading("full_house", 5, 3)
    assert beats(threes, low)
    assert not beats(threes, high)


# --- plays from a hand ------------------------------------------------------------------------------------------------


def test_all_leads_from_a_small_hand() -> None:
    assert legal_plays(hand_of("S5 G5 Ph Do"), None) == {
        hand_of(text) for text in ("S5", "G5", "Ph", "Do", "S5 G5", "S5 Ph", "G5 Ph", "S5 G5 Ph")
    }


def test_all_plays_on_a_single() -> None:
    hand = hand_of("S4 S9 G9 B9 R9 Ph Do")
    assert legal_plays(hand, Reading("single", 1, 8)) == {
        hand_of(text) for text in ("S9", "G9", "B9", "R9", "Ph", "S9 G9 B9 R9")
    }


def test_all_plays_on_a_full_house() -> None:
    hand = hand_of("S4 G4 S9 G9 Ph")
    assert legal_plays(hand, Reading("full_house", 5, 8)) == {hand}
    assert legal_plays(hand, Reading("full_house", 5, 9)) == set()
    assert legal_plays(hand, Reading("full_house", 5, 3)) == {hand}


VERDICTS: list[tuple[str, str, str, bool, str | None]] = [
    # hand, cards, table, in turn, why not
    ("S5 S9", "S9", "S8", True, None),
    ("S5 S9", "S5", "S8", True, "does not beat"),
    ("S5 S9", "G9", "S8", True, "not held"),
    ("S5 S9", "S5 S9", "S8", True, "no combination"),
    ("S5 S9", "S9", "S8", False, "not in turn"),
    ("S5 Do", "Do", "", True, None),
    ("S5 Do", "Do", "S4", True, "does not beat"),
    ("S5 Do", "Do", "", False, "not in turn"),
    ("Ph S5", "Ph", "Dr", True, "does not beat"),
    ("Ph S5", "Ph", "SA", True, None),
    ("Ma S2", "Ma", "", True, None),
    ("S7 G7 B7 R7 S2", "S7 G7 B7 R7", "SA", False, None),
    ("S7 G7 B7 R7 S2", "S7 G7 B7 R7", "Dr", True, None),
    ("S7 G7 B7 R7 S2", "S7 G7 B7 R7", "", True, None),
    ("S7 G7 B7 R7 S2", "S7 G7 B7 R7", "", False, "empty table"),
    ("S7 G7 B7 R7 S2", "S7 G7 B7 R7", "S8 G8 B8 R8", False, "does not beat"),
    ("S7 G7 B7 R7 S2", "S7 G7", "S6 G6", False, "not in turn"),
]


@pytest.mark.parametrize(("hand", "cards", "table", "in_turn", "why"), VERDICTS)
def test_verdicts(hand: str, cards: str, table: str, in_turn: bool, why: str | None) -> None:
    assert why_illegal(hand_of(hand), hand_of(cards), lying(table), None, in_turn) == why


def test_bombs_at_the_edges_of_a_trick_and_of_a_round() -> None:
    sevens = hand_of("S7 G7 B7 R7")
    hand = sevens | {"S2"}
    ace = lying("SA")
    assert is_legal_play(hand, sevens, ace, None, False, all_passed=True)
    assert not is_legal_play(hand, sevens, ace, None, False, all_passed=True, bomb_after_all_passed="forbid")
    assert not is_legal_play(hand_of("RA S2"), hand_of("S2"), ace, None, True, all_passed=True)
    assert is_legal_play(hand, sevens, first_play=True)
    assert why_illegal(hand, sevens, first_play=True, bomb_first_play="forbid") == "bomb first"
    assert is_legal_play(hand, hand_of("S7 G7"), first_play=True, bomb_first_play="forbid")
    assert is_legal_play(hand, sevens, bomb_first_play="forbid")
    assert is_legal_play(hand, sevens, (), None, False, bomb_on_empty_table="anyone")
    assert why_illegal(hand, sevens, (), None, False, after_dog=True) == "empty table"
    assert why_illegal(hand, sevens, (), None, False, after_dog=True, bomb_on_dog="allow") is None
    assert why_illegal(hand, sevens, (), None, False, bomb_on_dog="allow") == "empty table"
    assert why_illegal(hand, sevens, (), None, False, after_dog=True, bomb_on_empty_table="anyone") == "empty table"
    assert why_illegal(hand, sevens, ace, None, True, round_over=True) == "round over"
    assert why_illegal(hand, sevens, ace, None, True, round_over=True, last_player_may_bomb="true") is None


def test_a_play_needs_to_beat_one_of_the_open_readings_only() -> None:
    hand = hand_of("S3 B3 G3 S4 G4")
    assert is_legal_play(hand, hand, lying("R2 G2 Ph SA BA"))
    assert not is_legal_play(hand, hand, [Reading("full_house", 5, 14, 14)])
