"""The exchange: the columns and measures about it, row by row and in sum, counted once more from replays in Python."""

from __future__ import annotations

from typing import Any

import pytest

import tichu_analytics as ta
from tests.stats_rows import (
    NAMES,
    NUMBERS,
    SIDES,
    Counts,
    Seat,
    bombs_in,
    figures,
    longest_run,
    many,
    number,
    seats,
    simulated,
    table,
)
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.stats.of_exchange import OF_EXCHANGE
from tichu_analytics.stats.subjects import exchange_effects, exchange_given

Games = tuple[ta.Dataset, list[GameReplay]]
CARDS = [*map(str, range(2, 11)), "J", "Q", "K", "A", "Ma", "Do", "Ph", "Dr"]
PARITIES = ("odd_left", "odd_right", "both_odd", "both_even", "special")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Games:
    return simulated(tmp_path_factory.mktemp("exchange"), 51)


def opponents_get(seat: Seat) -> tuple[int, int]:
    """The numbers of the ranks for the left and for the right."""
    return number(seat.given("left")), number(seat.given("right"))


def odd_even(seat: Seat) -> str:
    odd = []
    for rank in opponents_get(seat):
        if NAMES[rank] in ("Do", "Ma", "Ph", "Dr"):
            return "special"
        odd.append(NAMES[rank] in ("3", "5", "7", "9", "J", "K"))
    return {(1, 0): "odd_left", (0, 1): "odd_right", (1, 1): "both_odd", (0, 0): "both_even"}[odd[0], odd[1]]


def pair_odd_even(seat: Seat) -> str:
    both = [odd_even(one) for one in (seat, seat.other("partner"))]
    kept = [one for one in both if one in ("odd_left", "odd_right")]
    if len(kept) == 2:
        return kept[0] if kept[0] == kept[1] else "opposite"
    return "one" if kept else "none"


def doubled(seat: Seat) -> int:
    return sum(many(seat.dealt, rank) > 1 for rank in opponents_get(seat))


def lower(seat: Seat) -> str:
    left, right = opponents_get(seat)
    return "neither" if left == right else "left" if left < right else "right"


def aces(seat: Seat) -> tuple[int, int]:
    """Given and received."""
    given = [seat.given(side) for side in SIDES[1:]]
    received = [seat.received(side) for side in SIDES[1:]]
    assert seat.dealt - set(given) | set(received) == seat.held
    return many(set(given), 14), many(set(received), 14)


def single_cards(hand: set[str]) -> int:
    return sum(many(hand, rank) == 1 for rank in range(2, 15))


def fours_in_a_row(hand: set[str]) -> list[int]:
    """The lowest ranks of runs of exactly four."""
    there = [any(number(card) == rank for card in hand) and 1 <= rank <= 14 for rank in range(17)]
    return [low for low in range(1, 12) if there[low - 1 : low + 5] == [False, *[True] * 4, False]]


def kept(seat: Seat, low: int) -> bool:
    return {number(card) for card in seat.held} >= set(range(low, low + 4))


def grows(seat: Seat, low: int) -> bool:
    ranks = {number(card) for card in seat.held}
    return kept(seat, low) and ((low > 1 and low - 1 in ranks) or (low < 11 and low + 4 in ranks))


def run_name(low: int) -> str:
    return f"{NAMES[low]} to {NAMES[low + 3]}"


def special(card: str) -> str | None:
    return card if card in ("Do", "Ma", "Ph", "Dr") else None


def test_every_column_of_seats(games: Games) -> None:
    data, replays = games
    names = ["odd_even", "doubled_given", "lower_given", "aces_given", "aces_received"]
    names += ["dealt_straight", "held_straight", "dealt_singles", "held_singles"]
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        both = seat.dealt, seat.held
        told = (*(longest_run(hand) >= 5 for hand in both), *(single_cards(hand) for hand in both))
        key = (*seat.key, odd_even(seat), doubled(seat), lower(seat), *aces(seat), *told)
        wanted[key] = (1, seat.gain)
    by = ["game_id", "round", "seat", *names]
    assert table(ta.stats.compute(data, measures=["results.seat_score_difference"], by=by)) == wanted
    assert {key[3] for key in wanted} == set(PARITIES)
    assert {key[4] for key in wanted} == {0, 1, 2}
    assert {key[5] for key in wanted} == {"left", "right", "neither"}


def test_every_column_of_teams(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        if seat.seat < 2:
            held = bool(bombs_in(seat.held) or bombs_in(seat.other("partner").held))
            wanted[(*seat.key, pair_odd_even(seat))] = (1, held)
    by = ["game_id", "round", "team", "pair_odd_even"]
    assert table(ta.stats.compute(data, measures=["bombs.team_rate"], by=by)) == wanted
    assert {key[-1] for key in wanted} == {"odd_left", "odd_right", "opposite", "one", "none"}


def test_every_card_that_is_given(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        for side in SIDES[1:]:
            card = seat.given(side)
            several = many(seat.dealt, number(card)) >= 2
            wanted[(*seat.key, special(card), seat.other(side).call, seat.call, several, side)] = (1, several)
    by = ["game_id", "round", "giver", "special", "receiver_call", "call", "from_pair"]
    assert table(ta.stats.compute(data, measures=["exchange.from_pair_rate"], by=by)) == wanted


def test_every_four_in_a_row(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        for low in fours_in_a_row(seat.dealt):
            wanted[(*seat.key, kept(seat, low), grows(seat, low), run_name(low))] = (1, grows(seat, low))
    by = ["game_id", "round", "seat", "run_kept", "run_grows"]
    assert table(ta.stats.compute(data, measures=["exchange.run_grows_rate"], by=by)) == wanted
    assert {key[-1] for key in wanted} == {run_name(low) for low in range(1, 12)}


def test_every_measure(games: Games) -> None:
    """All measures of what is given and of what it does, from the rows of this file."""
    data, replays = games
    counts = Counts()
    # Without anything to group by all words have a row, whether there is anything to count or not.
    for name in ("Do", "Ma", "Ph", "Dr"):
        for side in SIDES[1:]:
            counts.note(0, "exchange.special_score_difference", name, side, n=0)
    for seat in seats(replays):
        for side in SIDES[1:]:
            card = seat.given(side)
            counts.cells(NAMES[number(card)], CARDS, "exchange.given_rate", side)
            counts.note(many(seat.dealt, number(card)) > 1, "exchange.from_pair_rate", side)
            if special(card):
                counts.note(seat.gain, "exchange.special_score_difference", card, side)
        for word, name in (("dog", "Do"), ("mah_jong", "Ma"), ("phoenix", "Ph"), ("dragon", "Dr")):
            if name in seat.dealt:
                to = [side for side in SIDES[1:] if seat.given(side) == name] or ["kept"]
                counts.cells(to[0], ("kept", *SIDES[1:]), f"exchange.{word}_given_rate")
        counts.note(odd_even(seat) in PARITIES[:2], "exchange.odd_even_kept_rate")
        counts.cells(odd_even(seat), PARITIES, "exchange.odd_even_rate")
        counts.note(doubled(seat) == 2, "exchange.doubled_given_rate")
        counts.cells(lower(seat), ("left", "right", "neither"), "exchange.lower_given_rate")
        if lower(seat) != "neither":
            counts.note(lower(seat) == "left", "exchange.lower_left_rate")
        if seat.seat < 2:
            ways = ("odd_left", "odd_right", "opposite", "one", "none")
            counts.cells(pair_odd_even(seat), ways, "exchange.pair_odd_even_rate")
        before, after = longest_run(seat.dealt) >= 5, longest_run(seat.held) >= 5
        counts.note(after != before, f"exchange.straight_{'broken' if before else 'made'}_rate")
        for low in fours_in_a_row(seat.dealt):
            counts.note(grows(seat, low), "exchange.run_grows_rate", run_name(low))
        given, received = aces(seat)
        counts.note(given, "exchange.aces_given")
        counts.note(received - given, "exchange.aces_gained")
        counts.note(len(bombs_in(seat.held)) - len(bombs_in(seat.dealt)), "exchange.bombs_gained")
        counts.note(single_cards(seat.held) - single_cards(seat.dealt), "exchange.singles_gained")
    wanted = counts.done()
    names = {key[0] for key in wanted}
    assert figures(data, sorted(names)) == wanted
    assert names == {one.name for one in (*exchange_given.MEASURES, *exchange_effects.MEASURES)}


@pytest.mark.parametrize("condition", ["receiver_call = 'grand'", "call = 'grand'"])
def test_what_callers_of_grand_tichu_get_and_give(games: Games, condition: str) -> None:
    """The grid of cards given, for receivers and for givers who have called; cards received say the same."""
    data, replays = games
    counts = Counts()
    for seat in seats(replays):
        for side in SIDES[1:]:
            whose = seat.other(side) if condition.startswith("receiver") else seat
            if whose.call == "grand":
                counts.cells(NAMES[number(seat.given(side))], CARDS, side)
    given = table(ta.stats.exchange(data, measures=["exchange.given_rate"], where=condition))
    assert given == counts.done()
    if condition.startswith("receiver"):
        received = table(ta.stats.exchange(data, measures=["exchange.received_rate"], where="call = 'grand'"))
        back = {"right": "left", "partner": "partner", "left": "right"}
        assert {(back[side], card): pair for (side, card), pair in received.items()} == given


def test_the_card_cannot_be_asked_for_where_each_card_is_a_case(games: Games) -> None:
    data, _ = games
    for name in ("exchange.given_rate", "exchange.received_rate"):
        for column in ("special", "from_pair", "completes_bomb", "rank"):
            with pytest.raises(ValueError, match=f"have no column {column}"):
                ta.stats.exchange(data, measures=[name], by=[column])


def test_every_column_is_counted_here() -> None:
    assert set(NUMBERS) == set(CARDS)
    assert {one.name for one in OF_EXCHANGE} == {
        *("odd_even", "pair_odd_even", "doubled_given", "lower_given", "aces_given", "aces_received"),
        *("dealt_straight", "held_straight", "dealt_singles", "held_singles", "special", "from_pair", "run"),
        *("run_kept", "run_grows"),
    }
