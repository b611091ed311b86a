"""Bombs that are dealt, held and played."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from tests.second_stats.base import NAMES, PHOENIX, SIDES, Tables, bombs, flushes, fours, ranks_there

BEATEN = ("led", "dragon", "phoenix", "ace", "single", "pair", "triple", "stairs", "full_house", "straight", "bomb")
LENGTHS = (*map(str, range(4, 11)), "11 or more")
ORIGINS = ("dealt", "partner", "right", "left", "several")


class Held(NamedTuple):
    """A bomb in a hand: the round, the seat, and its cards as bit numbers."""

    place: int
    seat: int
    cards: frozenset[int]
    rank: int


def dealt_and_held(t: Tables) -> None:
    """What hands contain."""
    game = t.seat_game
    known = t.first8.any(-1)
    held = bombs(t.held) > 0
    t.rate("bombs.dealt8_rate", game, bombs(t.first8) > 0, known)
    t.rate("bombs.dealt_rate", game, bombs(t.dealt) > 0)
    t.rate("bombs.held_rate", game, held)
    t.rate("bombs.held_four_rate", game, fours(t.held) > 0)
    t.rate("bombs.held_straight_rate", game, flushes(t.held) > 0)
    t.rate("bombs.dealt_four_rate", game, fours(t.dealt) > 0)
    t.rate("bombs.dealt_straight_rate", game, flushes(t.dealt) > 0)
    t.rate("bombs.made_share", game, bombs(t.dealt) == 0, held)
    t.rate("bombs.round_rate", t.game, held.any(1))
    enemy = t.other(held, 1) | t.other(held, 3)
    t.rate("bombs.opponent_rate", game, enemy)
    team = held[:, :2] | held[:, 2:]
    t.rate("bombs.team_rate", game[:, :2], team)
    t.mean("bombs.score_difference", game[:, :2], t.gain[:, :2], team)
    played = np.zeros(game.shape, dtype=bool)
    thrown = t.moves[t.moves["bomb"].to_numpy(bool)]
    played[thrown["place"], thrown["seat"].to_numpy(int)] = True
    t.mean("bombs.score_difference_played", game[:, :2], t.gain[:, :2], played[:, :2] | played[:, 2:])
    called = t.call != "none"
    for word, has in (("held", held), ("played", played)):
        for whose, of in (
            ("own", has),
            ("partner", t.other(has, 2)),
            ("opponent", t.other(has, 1) | t.other(has, 3)),
        ):
            t.rate(f"bombs.success_with_{whose}_{word}", game, t.success, called & of)
    fewer = {}
    for side in (1, 2, 3):
        less = t.other(t.held, side).copy()
        np.put_along_axis(less, t.given[..., side, None], False, axis=-1)
        fewer[side] = bombs(less) < bombs(t.other(t.held, side))
    t.rate("bombs.given_to_partner_rate", game, fewer[2])
    t.rate("bombs.given_away_rate", np.stack([game, game]), np.stack([fewer[1], fewer[3]]))


def _all_held(t: Tables) -> list[Held]:
    """Every bomb in a hand, by going up each rank and each suit."""
    found = []
    for place, seat in np.argwhere(bombs(t.held) > 0).tolist():
        hand = set(np.flatnonzero(t.held[place, seat]).tolist())
        for rank in range(13):
            four = frozenset(range(4 * rank, 4 * rank + 4))
            if four <= hand:
                found.append(Held(place, seat, four, rank + 2))
        for suit in range(4):
            run: list[int] = []
            for rank in range(14):
                card = 4 * rank + suit
                if rank < 13 and card in hand:
                    run.append(card)
                    continue
                if len(run) >= 5:
                    found.append(Held(place, seat, frozenset(run), rank + 1))
                run = []
    return found


def _origin(t: Tables, place: int, seat: int, cards: Any) -> str:
    """Which cards suffice for a bomb among some cards of a hand."""
    kept = t.held[place, seat] & t.dealt[place, seat] & cards
    if bombs(kept):
        return "dealt"
    for side in (2, 1, 3):
        some = kept.copy()
        card = t.received[place, seat, side]
        some[card] = cards[card]
        if bombs(some):
            return SIDES[side]
    return "several"


def held_bombs(t: Tables) -> None:
    """Every bomb in a hand: where it comes from, and what becomes of it."""
    found = _all_held(t)
    game = np.array([t.game[one.place] for one in found], dtype=int)
    at = {(one.place, one.seat) for one in found}
    plays: dict[tuple[int, int], list[tuple[set[int], bool]]] = {one: [] for one in at}
    moves = t.moves[t.moves["action"] == "play"]
    columns = (moves[name].tolist() for name in ("place", "seat", "cards", "bomb"))
    for place, seat, mask, is_bomb in zip(*columns, strict=True):
        if (place, seat) in at:
            plays[place, seat].append(({bit for bit in range(56) if mask >> bit & 1}, is_bomb))
    fates, origins = [], []
    for one in found:
        parts = [(cards, is_bomb) for cards, is_bomb in plays[one.place, one.seat] if cards & one.cards]
        thrown = any(is_bomb and cards <= one.cards for cards, is_bomb in parts)
        fates.append("played" if thrown else "split" if parts else "kept")
        cards = np.zeros(56, dtype=bool)
        cards[list(one.cards)] = True
        origins.append(_origin(t, one.place, one.seat, cards))
    t.rate("bombs.held_played_rate", game, np.array(fates) == "played")
    t.cells("bombs.fate_rate", game, fates, ("played", "split", "kept"))
    t.cells("bombs.origin_rate", game, origins, ORIGINS)
    t.cells("bombs.held_length_rate", game, [_length(len(one.cards)) for one in found], LENGTHS)
    t.cells("bombs.held_rank_rate", game, [NAMES[one.rank] for one in found], NAMES[2:15])
    best = np.full((len(t.game), 2), "none    ")
    order = ("dealt", "partner", "opponent", "several")
    whole = np.ones(56, dtype=bool)
    for place, seat in at:
        way = _origin(t, place, seat, whole)
        way = "opponent" if way in ("right", "left") else way
        was = str(best[place, seat % 2]).strip()
        if was == "none" or order.index(way) < order.index(was):
            best[place, seat % 2] = way
    t.cells("bombs.team_origin_rate", t.seat_game[:, :2], np.char.strip(best), order)


def _length(length: int) -> str:
    return str(length) if length < 11 else "11 or more"


def played_bombs(t: Tables) -> None:
    """Every bomb that is played, by going through the tricks that have one."""
    thrown = t.moves[t.moves["bomb"].to_numpy(bool)]
    t.mean("bombs.played_per_round", t.game, np.bincount(thrown["place"], minlength=len(t.game)))
    with_bomb = t.moves.merge(thrown[["place", "trick"]].drop_duplicates(), on=["place", "trick"])
    points = dict(zip(zip(t.tricks["place"], t.tricks["trick"], strict=True), t.tricks["points"], strict=True))
    leader = dict(zip(zip(t.tricks["place"], t.tricks["trick"], strict=True), t.tricks["lead_seat"], strict=True))
    rows: list[dict[str, Any]] = []
    for (place, trick), some in with_bomb[with_bomb["action"] == "play"].groupby(["place", "trick"], sort=False):
        plays = some.sort_values("move").to_dict("records")
        for number, one in enumerate(plays):
            if not one["bomb"]:
                continue
            last = number == len(plays) - 1
            before = plays[number - 1] if number else None
            whose = SIDES[(before["seat"] - one["seat"]) % 4] if before else "nobody"
            enemy = before is not None and whose in ("right", "left") and t.call[place, before["seat"]] != "none"
            rows.append(
                {
                    "game": t.game[place],
                    "straight": one["kind"] == "straight_bomb",
                    "out_of_turn": bool(one["out_of_turn"]),
                    "won": last,
                    "points": points[place, trick] if last else 0,
                    "leads": last and leader.get((place, trick + 1)) == one["seat"],
                    "end": one["cards_left"] == 0,
                    "on": _beaten(before),
                    "at": whose,
                    "enemy": enemy,
                    "enemy_lead": enemy and number == 1,
                    "length": _length(one["length"]),
                    "rank": NAMES[int(one["rank"])],
                }
            )
    one = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    game = one["game"].astype(int)
    t.rate("bombs.played_straight_share", game, one["straight"])
    t.rate("bombs.out_of_turn_share", game, one["out_of_turn"])
    t.rate("bombs.trick_won_rate", game, one["won"])
    t.mean("bombs.points_won", game, one["points"], one["won"])
    t.rate("bombs.lead_after_rate", game, one["leads"], one["won"])
    t.rate("bombs.last_cards_share", game, one["end"])
    t.cells("bombs.thrown_on_rate", game, one["on"], BEATEN)
    t.cells("bombs.thrown_at_rate", game, one["at"], (*SIDES, "nobody"))
    t.rate("bombs.on_call_share", game, one["enemy"])
    t.rate("bombs.on_lead_of_call_share", game, one["enemy_lead"])
    t.cells("bombs.played_length_rate", game, one["length"], LENGTHS)
    t.cells("bombs.played_rank_rate", game, one["rank"], NAMES[2:15])


def _beaten(before: dict[str, Any] | None) -> str:
    if before is None:
        return "led"
    if before["bomb"]:
        return "bomb"
    if before["kind"] != "single":
        return str(before["kind"])
    (card,) = (bit for bit in range(56) if before["cards"] >> bit & 1)
    return {55: "dragon", PHOENIX: "phoenix"}.get(card, "ace" if card // 4 == 12 else "single")


def straights(t: Tables) -> None:
    """Straights in hands without a straight flush, and whether an opponent's hand could beat them."""
    there = np.pad(ranks_there(t.held), [(0, 0), (0, 0), (1, 1)])
    has_bomb = bombs(t.held) > 0
    rows = []
    for place, seat in np.argwhere(flushes(t.held) == 0).tolist():
        ranks = there[place, seat]
        low = 1
        while low <= 10:
            top = low
            while ranks[top]:
                top += 1
            if top - low >= 5:
                rows.append((place, seat, top - 1, top - low))
            low = top + 1
    game = np.array([t.game[row[0]] for row in rows], dtype=int)
    higher = np.array([_any_higher(t, there, *row) for row in rows])
    enemy = np.array([has_bomb[place, [(seat + 1) % 4, (seat + 3) % 4]].any() for place, seat, _, _ in rows])
    for word, counted in (("straight", higher), ("bomb", enemy), ("either", higher | enemy)):
        t.rate("bombs.straight_beatable_rate", game, counted, True, [word])


def _any_higher(t: Tables, there: Any, place: int, seat: int, top: int, length: int) -> bool:
    for other in ((seat + 1) % 4, (seat + 3) % 4):
        spare = int(t.held[place, other, PHOENIX])
        for highest in range(top + 1, 15):
            # The lowest rank of a higher straight is two or more, which the Phoenix may stand for.
            if length - there[place, other, highest - length + 1 : highest + 1].sum() <= spare:
                return True
    return False


def everything(t: Tables) -> None:
    """The subject bombs."""
    dealt_and_held(t)
    held_bombs(t)
    played_bombs(t)
    straights(t)
