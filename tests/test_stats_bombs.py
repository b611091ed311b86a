"""Bombs: the columns and measures about them, row by row and in sum, counted once more from replays in Python."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import tichu_analytics as ta
from tests.stats_rows import (
    NAMES,
    SIDES,
    Bomb,
    Counts,
    Seat,
    bombs_in,
    bombs_played,
    figures,
    is_bomb,
    number,
    rounds,
    seats,
    simulated,
    table,
    words,
)
from tichu_analytics.replay.facts import GameReplay, Move, Trick
from tichu_analytics.rules.combinations import KIND_NAMES
from tichu_analytics.stats.of_bombs import OF_BOMBS
from tichu_analytics.stats.registry import measures
from tichu_analytics.stats.subjects import bombs_held
from tichu_analytics.stats.subjects import bombs_played as subject

Games = tuple[ta.Dataset, list[GameReplay]]
BEATEN = ("led", "dragon", "phoenix", "ace", "single", "pair", "triple", "stairs", "full_house", "straight", "bomb")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> Games:
    return simulated(tmp_path_factory.mktemp("bombs"), 41)


def origin(seat: Seat, cards: frozenset[str] | None = None) -> str | None:
    """By which cards there is a bomb in the hand, or within some cards of it."""
    within = seat.held if cards is None else set(cards)
    if not bombs_in(within):
        return None
    kept = seat.held & seat.dealt & within
    if bombs_in(kept):
        return "dealt"
    for side in ("partner", "right", "left"):
        if bombs_in(kept | ({seat.received(side)} & within)):
            return side
    return "several"


def team_origin(seat: Seat) -> str | None:
    found = {origin(seat), origin(seat.other("partner"))}
    for name, ways in (("dealt", {"dealt"}), ("partner", {"partner"}), ("opponent", {"right", "left"})):
        if found & ways:
            return name
    return "several" if "several" in found else None


def fate(seat: Seat, bomb: Bomb) -> str:
    parts = [move for move in seat.plays() if words(move.mask) & bomb.cards]
    if any(is_bomb(move) and words(move.mask) <= bomb.cards for move in parts):
        return "played"
    return "split" if parts else "kept"


def before(trick: Trick, bomb: Move) -> Move | None:
    """The play that a bomb beats."""
    earlier = [move for move in trick.moves[: trick.moves.index(bomb)] if move.cards]
    return earlier[-1] if earlier else None


def beaten(trick: Trick, bomb: Move) -> str:
    play = before(trick, bomb)
    if play is None:
        return "led"
    kind = KIND_NAMES[play.kind]
    if is_bomb(play):
        return "bomb"
    if kind != "single":
        return kind
    (card,) = words(play.mask)
    return {15: "dragon", 16: "phoenix", 14: "ace"}.get(number(card), "single")


def beaten_by_whom(seat: Seat, trick: Trick, bomb: Move) -> tuple[str | None, str | None, bool | None]:
    """Whose play it was, what that seat has called, and whether it was the lead."""
    play = before(trick, bomb)
    if play is None:
        return None, None, None
    return SIDES[(play.seat - seat.seat) % 4], seat._replace(seat=play.seat).call, play is trick.moves[0]


def wins(trick: Trick, bomb: Move) -> bool:
    return [move for move in trick.moves if move.cards][-1] is bomb


def leads(seat: Seat, trick: Trick) -> bool:
    following = [one for one in seat.round.tricks if one.number == trick.number + 1]
    return bool(following) and following[0].lead_seat == seat.seat


def completes(giver: Seat, side: str) -> bool:
    taker = giver.other(side)
    return len(bombs_in(taker.held - {giver.given(side)})) < len(bombs_in(taker.held))


def straights_in(hand: set[str]) -> list[tuple[int, int]]:
    """The highest rank and the length of all runs of five or more, from Mah Jong to ace."""
    found = []
    length = 0
    for rank in range(1, 16):
        if any(number(card) == rank for card in hand) and rank < 15:
            length += 1
            continue
        if length >= 5:
            found.append((rank - 1, length))
        length = 0
    return found


def has_higher(hand: set[str], top: int, length: int) -> bool:
    """Whether there is a higher straight of that length, with the Phoenix or without."""
    there = {number(card) for card in hand}
    for highest in range(top + 1, 15):
        missing = set(range(highest - length + 1, highest + 1)) - there
        if len(missing) <= ("Ph" in hand) and 1 not in missing:
            return True
    return False


def test_every_straight_in_hands(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    counts = Counts()
    for seat in seats(replays):
        others = [seat.other(side).held for side in ("right", "left")]
        straight_flush = any(bomb.kind == "straight_bomb" for bomb in bombs_in(seat.held))
        for top, length in straights_in(seat.held):
            if not straight_flush:
                higher = any(has_higher(hand, top, length) for hand in others)
                bomb = any(bombs_in(hand) for hand in others)
                ways = (("straight", higher), ("bomb", bomb), ("either", higher or bomb))
                for way, beats in ways:
                    wanted[(*seat.key, top, length, higher, way)] = (1, beats)
                    counts.note(beats, way)
    measure = ["bombs.straight_beatable_rate"]
    by = ["game_id", "round", "seat", "rank", "length", "higher_straight"]
    assert table(ta.stats.compute(data, measures=measure, by=by)) == wanted
    assert table(ta.stats.compute(data, measures=measure)) == counts.done()
    assert len({key[4] for key in wanted}) > 4


def test_every_column_of_seats(games: Games) -> None:
    data, replays = games
    names = ["bomb_played", "partner_bomb_played", "team_bomb_played", "opponent_bomb_played", "bomb_origin"]
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        own, right, partner, left = (bool(seat.other(side).bombs_played) for side in SIDES)
        wanted[(*seat.key, own, partner, own or partner, right or left, origin(seat))] = (1, seat.gain)
    by = ["game_id", "round", "seat", *names]
    assert table(ta.stats.compute(data, measures=["results.seat_score_difference"], by=by)) == wanted
    assert {key[-1] for key in wanted} == {None, "dealt", "partner", "right", "left", "several"}


def test_every_column_of_teams(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        if seat.seat < 2:
            both = [bool(seat.other(side).bombs_played) for side in SIDES]
            own, other = both[0] or both[2], both[1] or both[3]
            held = bool(bombs_in(seat.held) or bombs_in(seat.other("partner").held))
            wanted[(*seat.key, own, other, team_origin(seat))] = (1, held)
    by = ["game_id", "round", "team", "team_bomb_played", "opponent_bomb_played", "team_bomb_origin"]
    assert table(ta.stats.compute(data, measures=["bombs.team_rate"], by=by)) == wanted
    assert {key[-1] for key in wanted} == {None, "dealt", "partner", "opponent", "several"}


def test_every_bomb_in_hands(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        for bomb in bombs_in(seat.held):
            end = fate(seat, bomb)
            told = (bomb.kind, bomb.rank, len(bomb.cards), origin(seat, bomb.cards), end, end == "played")
            wanted[(*seat.key, *told)] = (1, end == "played")
    by = ["game_id", "round", "seat", "kind", "rank", "length", "origin", "fate", "is_played"]
    assert table(ta.stats.compute(data, measures=["bombs.held_played_rate"], by=by)) == wanted
    assert {key[-2] for key in wanted} == {"played", "split", "kept"}
    assert max(key[5] for key in wanted) > 5


@pytest.fixture
def no_bombs() -> Iterator[str]:
    """A measure of one's own over all moves."""
    one = ta.stats.Measure("own.no_bombs", "own", "moves", "moves", "Moves other than bombs.", counted="NOT bomb")
    yield ta.stats.register(one).name
    ta.stats.unregister(one.name)


def test_every_bomb_that_is_played(games: Games, no_bombs: str) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat, place, trick, move in bombs_played(replays):
        won = wins(trick, move)
        told = (beaten(trick, move), *beaten_by_whom(seat, trick, move))
        won_so = (won, trick.points if won else None, leads(seat, trick) if won else None)
        wanted[(seat.key[0], seat.key[1], place, *told, *won_so)] = (1, won)
    by = ["game_id", "round", "move", "beaten", "beaten_seat", "beaten_call", "beaten_lead"]
    by += ["bomb_wins", "bomb_points", "bomb_leads"]
    assert table(ta.stats.compute(data, measures=["bombs.trick_won_rate"], by=by)) == wanted
    assert len({key[3] for key in wanted}) >= 9
    # Other moves have none of it.
    conditions = " OR ".join(f"{name} IS NOT NULL" for name in by[3:])
    (row,) = ta.stats.compute(data, measures=[no_bombs], where=conditions).itertuples()
    assert (row.n, row.k) == (len(wanted), 0)


def test_every_card_that_completes_a_bomb(games: Games) -> None:
    data, replays = games
    wanted: dict[Any, Any] = {}
    for seat in seats(replays):
        for side in ("right", "left"):
            done = completes(seat, side)
            wanted[(*seat.key, side, seat.other(side).call, done)] = (1, done)
    by = ["game_id", "round", "giver", "passed_to", "receiver_call", "completes_bomb"]
    assert table(ta.stats.compute(data, measures=["bombs.given_away_rate"], by=by)) == wanted


def test_every_measure(games: Games) -> None:
    """All measures of bombs in hands and of bombs played, from the rows of this file."""
    data, replays = games
    counts = Counts()
    ranks = list(map(NAMES.__getitem__, range(2, 15)))
    lengths = [*map(str, range(4, 11)), "11 or more"]

    def of_bomb(way: str, rank: int, length: int) -> None:
        counts.cells(NAMES[rank], ranks, f"bombs.{way}_rank_rate")
        counts.cells(str(length) if length < 11 else "11 or more", lengths, f"bombs.{way}_length_rate")

    for seat in seats(replays):
        held = bombs_in(seat.held)
        for kind in ("four", "straight"):
            dealt = any(bomb.kind == f"{kind}_bomb" for bomb in bombs_in(seat.dealt))
            counts.note(dealt, f"bombs.dealt_{kind}_rate")
        if held:
            counts.note(not bombs_in(seat.dealt), "bombs.made_share")
        for bomb in held:
            end = fate(seat, bomb)
            counts.note(end == "played", "bombs.held_played_rate")
            counts.cells(end, ("played", "split", "kept"), "bombs.fate_rate")
            counts.cells(
                origin(seat, bomb.cards), ("dealt", "partner", "right", "left", "several"), "bombs.origin_rate"
            )
            of_bomb("held", bomb.rank, len(bomb.cards))
        for side in SIDES[1:]:
            whom = "to_partner" if side == "partner" else "away"
            counts.note(completes(seat, side), f"bombs.given_{whom}_rate")
        if seat.call != "none":
            success = seat.round.finish[0] == seat.seat
            for holder, sides in (("own", ["self"]), ("partner", ["partner"]), ("opponent", ["right", "left"])):
                if any(bombs_in(seat.other(side).held) for side in sides):
                    counts.note(success, f"bombs.success_with_{holder}_held")
                if any(seat.other(side).bombs_played for side in sides):
                    counts.note(success, f"bombs.success_with_{holder}_played")
        if seat.seat < 2:
            counts.cells(team_origin(seat), ("dealt", "partner", "opponent", "several"), "bombs.team_origin_rate")
            if seat.bombs_played or seat.other("partner").bombs_played:
                counts.note(seat.gain, "bombs.score_difference_played")
    for seat, _, trick, move in bombs_played(replays):
        counts.note(wins(trick, move), "bombs.trick_won_rate")
        if wins(trick, move):
            counts.note(trick.points, "bombs.points_won")
            counts.note(leads(seat, trick), "bombs.lead_after_rate")
        counts.note(move.hand_after == 0, "bombs.last_cards_share")
        whose, call, lead = beaten_by_whom(seat, trick, move)
        counts.cells(beaten(trick, move), BEATEN, "bombs.thrown_on_rate")
        counts.cells(whose or "nobody", (*SIDES, "nobody"), "bombs.thrown_at_rate")
        called = whose in ("right", "left") and call in ("tichu", "grand")
        counts.note(called, "bombs.on_call_share")
        counts.note(called and bool(lead), "bombs.on_lead_of_call_share")
        of_bomb("played", move.rank2 // 2, len(move.cards))
    wanted = counts.done()
    names = {key[0] for key in wanted}
    assert figures(data, sorted(names)) == wanted
    # That of straights has a test of its own.
    here = {one.name for one in (*bombs_held.MEASURES, *subject.MEASURES)} - {"bombs.straight_beatable_rate"}
    assert names == here
    assert names <= set(measures())


def test_every_column_is_counted_here() -> None:
    assert {one.name for one in OF_BOMBS} == {
        *("bomb_played", "partner_bomb_played", "team_bomb_played", "opponent_bomb_played", "bomb_origin"),
        *("team_bomb_origin", "origin", "is_played", "fate", "beaten", "beaten_seat", "beaten_lead", "beaten_call"),
        *("bomb_wins", "bomb_points", "bomb_leads", "completes_bomb", "receiver_call"),
    }


def test_bombs_in_hands_are_as_many_as_the_card_functions_count(games: Games) -> None:
    data, replays = games
    count = sum(len(bombs_in(words(one.held[seat]))) for _, one in rounds(replays) for seat in range(4))
    (row,) = ta.stats.bombs(data, measures=["bombs.held_played_rate"]).itertuples()
    assert row.n == count
    assert data.sql("SELECT sum(bombs(held)) FROM hands").fetchall() == [(count,)]
