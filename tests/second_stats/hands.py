"""Calls, the exchange, results and players."""

from __future__ import annotations

import hashlib
import math
from typing import Any

import numpy as np
import pandas as pd

from tests.second_stats.base import (
    DOG,
    DRAGON,
    MAH_JONG,
    NAMES,
    PHOENIX,
    SIDES,
    Figure,
    Tables,
    bombs,
    per_rank,
    rank_number,
    ranks_there,
)
from tichu_analytics.stats.intervals import student

CARDS = [*NAMES[2:15], "Ma", "Do", "Ph", "Dr"]
KINDS = ("single", "pair", "triple", "stairs", "full_house", "straight", "four_bomb", "straight_bomb", "dog")
SPECIALS = {"Do": DOG, "Ma": MAH_JONG, "Ph": PHOENIX, "Dr": DRAGON}
PARTS = 40


def calls(t: Tables) -> None:
    """The subject tichu."""
    first = t.order[:, [0]]
    side = np.array(SIDES)[(first - np.arange(4)) % 4]
    for call, worth in (("tichu", 100), ("grand", 200)):
        made = t.call == call
        t.rate(f"{call}.call_rate", t.seat_game, made)
        t.rate(f"{call}.success_rate", t.seat_game, t.success, made)
        t.mean(f"{call}.points_per_call", t.seat_game, np.where(t.success, worth, -worth), made)
        t.mean(f"{call}.score_difference", t.seat_game, t.gain, made)
        t.cells(f"{call}.broken_by_rate", t.seat_game, side, SIDES[1:], made & ~t.success)
        _association(t, f"{call}.call_association", call, t.held)
    _association(t, "grand.call_association_first8", "grand", t.first8)


def _association(t: Tables, name: str, call: str, cards: Any) -> None:
    """Callers beside others of the same aces and special cards."""
    t.names.add(name)
    parts = [int(hashlib.md5(one.encode()).hexdigest()[:6], 16) % PARTS for one in t.of_games["game_id"]]
    kinds = per_rank(cards)[..., 12] * 16
    for place, card in enumerate((DRAGON, PHOENIX, DOG, MAH_JONG)):
        kinds = kinds + cards[..., card] * (1 << place)
    frame = pd.DataFrame(
        {
            "part": np.array(parts)[t.seat_game].ravel(),
            "kind": kinds.ravel(),
            "call": t.call.ravel(),
            "gain": t.gain.ravel(),
        }
    )[cards.any(-1).ravel()]
    callers, others = frame[frame["call"] == call], frame[frame["call"] == "none"]

    def difference(one: pd.DataFrame, other: pd.DataFrame) -> tuple[float, pd.DataFrame]:
        means = other.groupby("kind")["gain"].mean()
        covered = one[one["kind"].isin(means.index)]
        return float((covered["gain"] - covered["kind"].map(means)).mean()), covered

    value, covered = difference(callers, others)
    without = np.array(
        [
            difference(callers[callers["part"] != part], others[others["part"] != part])[0]
            for part in sorted(set(frame["part"]))
        ]
    )
    count = len(without)
    half = student(0.95, count - 1) * math.sqrt((count - 1) / count * ((without - without.mean()) ** 2).sum())
    games = len(set(t.seat_game[t.call == call]))
    figure = Figure(len(covered), int(covered["gain"].sum()), games, value, value - half, value + half)
    t.figures[(name,)] = figure


def exchange(t: Tables) -> None:
    """The subject exchange."""
    game, dealt, held = t.seat_game, t.dealt, t.held
    for side in (1, 2, 3):
        word = SIDES[side]
        for name, cards in (("received", t.received), ("given", t.given)):
            t.cells(f"exchange.{name}_rate", game, np.array(NAMES)[rank_number(cards[..., side])], CARDS, True, [word])
        gift = t.given[..., side]
        suited = np.take_along_axis(per_rank(dealt), np.minimum(gift // 4, 12)[..., None], axis=-1)[..., 0]
        t.rate("exchange.from_pair_rate", game, (gift < 52) & (suited >= 2), True, [word])
        for special, card in SPECIALS.items():
            t.mean("exchange.special_score_difference", game, t.gain, gift == card, [special, word])
    has_dog = dealt[..., DOG]
    t.rate("exchange.dog_to_partner_rate", game, t.given[..., 2] == DOG, has_dog)
    t.rate("exchange.dog_received_rate", game, held[..., DOG], ~has_dog)
    t.rate("exchange.ace_to_partner_rate", game, rank_number(t.given[..., 2]) == 14)
    for word, card in (("dog", DOG), ("mah_jong", MAH_JONG), ("phoenix", PHOENIX), ("dragon", DRAGON)):
        to = np.full(game.shape, "kept   ")
        for side in (1, 2, 3):
            to = np.where(t.given[..., side] == card, SIDES[side], to)
        t.cells(f"exchange.{word}_given_rate", game, np.char.strip(to), ("kept", *SIDES[1:]), dealt[..., card])
    before, after = bombs(dealt), bombs(held)
    t.rate("exchange.bomb_made_rate", game, after > 0, before == 0)
    t.rate("exchange.bomb_broken_rate", game, after == 0, before > 0)
    t.mean("exchange.bombs_gained", game, after - before)
    runs = [np.any([ranks_there(cards)[..., low : low + 5].all(-1) for low in range(10)], 0) for cards in (dealt, held)]
    t.rate("exchange.straight_made_rate", game, runs[1], ~runs[0])
    t.rate("exchange.straight_broken_rate", game, ~runs[1], runs[0])
    padded = [np.pad(ranks_there(cards), [(0, 0), (0, 0), (1, 1)]) for cards in (dealt, held)]
    for low in range(1, 12):
        was, now = (there[..., low - 1 : low + 5] for there in padded)
        alone = was[..., 1:5].all(-1) & ~was[..., 0] & ~was[..., 5]
        grown = now[..., 1:5].all(-1) & (now[..., 0] | now[..., 5])
        t.rate("exchange.run_grows_rate", game, grown, alone, [f"{NAMES[low]} to {NAMES[low + 3]}"])
    aces = per_rank(dealt)[..., 12], per_rank(held)[..., 12]
    given = (rank_number(t.given[..., 1:]) == 14).sum(-1)
    t.mean("exchange.aces_given", game, given)
    t.mean("exchange.aces_gained", game, aces[1] - aces[0])
    t.mean("exchange.singles_gained", game, (per_rank(held) == 1).sum(-1) - (per_rank(dealt) == 1).sum(-1))
    _conventions(t)


def _conventions(t: Tables) -> None:
    game = t.seat_game
    left, right = (rank_number(t.given[..., side]) for side in (3, 1))
    special = (left < 2) | (left > 14) | (right < 2) | (right > 14)
    words = np.array([["both_even", "odd_right"], ["odd_left", "both_odd"]])[left % 2, right % 2]
    parity = np.where(special, "special", words)
    t.cells("exchange.odd_even_rate", game, parity, ("odd_left", "odd_right", "both_odd", "both_even", "special"))
    t.rate("exchange.odd_even_kept_rate", game, np.isin(parity, ["odd_left", "odd_right"]))
    lower = np.where(left < right, "left", np.where(left > right, "right", "neither"))
    t.cells("exchange.lower_given_rate", game, lower, ("left", "right", "neither"))
    t.rate("exchange.lower_left_rate", game, left < right, left != right)
    both = np.ones(game.shape, dtype=bool)
    for rank in (left, right):
        suited = np.take_along_axis(per_rank(t.dealt), np.clip(rank - 2, 0, 12)[..., None], axis=-1)[..., 0]
        both &= (rank >= 2) & (rank <= 14) & (suited >= 2)
    t.rate("exchange.doubled_given_rate", game, both)
    ways = [(parity == way)[:, :2].astype(int) + (parity == way)[:, 2:] for way in ("odd_left", "odd_right")]
    pair = np.select(
        [ways[0] == 2, ways[1] == 2, ways[0] + ways[1] == 2, ways[0] + ways[1] == 1],
        ["odd_left", "odd_right", "opposite", "one"],
        "none",
    )
    t.cells("exchange.pair_odd_even_rate", game[:, :2], pair, ("odd_left", "odd_right", "opposite", "one", "none"))


def results(t: Tables) -> None:
    """The subject results."""
    rounds, game, seats, teams = t.rounds, t.game, t.seat_game, t.seat_game[:, :2]
    gain = (rounds["score_0"] - rounds["score_1"]).to_numpy(int)
    t.rate("results.double_victory_rate", teams, t.double[:, :2])
    t.rate("results.seat_double_victory_rate", seats, t.double)
    t.mean("results.score_difference", game, gain)
    t.mean("results.clipped_score_difference", game, np.clip(gain, -400, 400))
    t.mean("results.seat_score_difference", seats, np.stack([gain, -gain, gain, -gain], axis=1))
    edges = [-10_000, -400, -300, -200, -100, 0, 1, 101, 201, 301, 401, 10_000]
    names = ["below -400", *(f"from {low} to {low + 99}" for low in edges[1:5]), "0"]
    names += [*(f"from {low} to {low + 99}" for low in edges[6:10]), "above 400"]
    t.cells("results.score_difference_rate", game, np.array(names)[np.searchsorted(edges, gain, "right") - 1], names)
    in_round = t.tricks.groupby("place").size().reindex(range(len(game)), fill_value=0).to_numpy()
    t.mean("results.tricks_per_round", game, in_round)
    t.mean("results.moves_per_round", game, t.moves.groupby("place").size().to_numpy())
    totals = t.rounds[["total_before_0", "total_before_1"]].to_numpy(int)
    t.mean("results.total_before", teams, totals)
    finished = (t.of_games["outcome"] == "finished").to_numpy(bool)
    over = (t.of_games["outcome"] != "unfinished").to_numpy(bool)
    winner = t.of_games["winner"].fillna(-1).to_numpy(int)
    t.rate("results.game_won_rate", teams, winner[teams] == [0, 1], finished[teams])
    led = t.tricks[t.tricks["kind"] == "straight"]
    longest = np.zeros(seats.shape, dtype=int)
    for seat in range(4):
        of_others = led[led["lead_seat"] != seat].groupby("place")["length"].max()
        longest[of_others.index.to_numpy(int), seat] = of_others.to_numpy(int)
    for least in range(5, 15):
        t.rate("results.straight_of_others_rate", seats, longest >= least, True, [str(least)])
    place = t.tricks["place"].to_numpy()
    counted = t.moves.groupby(["place", "trick"]).size()
    index = pd.MultiIndex.from_frame(t.tricks[["place", "trick"]])
    t.mean("results.moves_per_trick", game[place], counted.reindex(index).to_numpy())
    taken = t.tricks["taker_seat"].notna().to_numpy(bool)
    t.mean("results.points_per_trick", game[place], t.tricks["points"].to_numpy(int), taken)
    gifts = t.tricks.loc[t.tricks["dragon_to"].notna(), "place"]
    t.mean("results.dragon_gifts_per_round", game, np.bincount(gifts, minlength=len(game)))
    wish = rounds["wish_rank"].notna().to_numpy(bool)
    t.rate("results.wish_rate", game, wish)
    t.rate("results.wish_fulfilled_rate", game, rounds["wish_fulfilled_seat"].notna().to_numpy(bool), wish)
    firsts = t.tricks[t.tricks["trick"] == 1]
    t.cells("results.first_lead_rate", game[firsts["place"]], firsts["kind"].to_numpy(object), KINDS)
    every = np.arange(t.games)
    complete = np.bincount(t.all_game, weights=t.all_rounds["complete"].to_numpy(bool), minlength=t.games)
    t.mean("results.rounds_per_game", every, complete, finished)
    words = np.where(winner < 0, "draw", winner.astype(str))
    t.cells("results.game_winner_rate", every, words, ("0", "1", "draw"), over)
    of_seats = np.repeat(every[:, None], 4, axis=1)
    won = winner[:, None] == np.arange(4) % 2
    t.rate("results.seat_win_rate", of_seats, won, over[:, None])
    _careers(t, over)
    leads = _leads(t)
    t.rate("results.seat_ahead_rate", of_seats, leads[1] >= 200, over[:, None])
    t.rate("results.seat_behind_rate", of_seats, leads[0] <= -200, over[:, None])
    t.rate("results.comeback_rate", of_seats[:, :2], won[:, :2], over[:, None] & (leads[0][:, :2] <= -200))


def _careers(t: Tables, over: Any) -> None:
    """Games a player; the first of them, by month and id, is the one in which the player is counted."""
    frame = t.of_games[over]
    order = frame.assign(game=frame.index, size=frame["game_id"].str.len(), month=frame["played_month"].astype(object))
    order = order.sort_values(["month", "size", "game_id"], na_position="last")
    long = pd.concat([order[["game"]].assign(player=order[f"player_{seat}"], seat=seat) for seat in range(4)])
    long = long.loc[order.index].sort_values("seat", kind="stable")
    place = {game: number for number, game in enumerate(order["game"])}
    firsts: dict[str, int] = {}
    for player, game in sorted(zip(long["player"], long["game"], strict=True), key=lambda one: place[one[1]]):
        firsts.setdefault(player, game)
    played = long["player"].value_counts()
    names = list(firsts)
    t.mean("results.games_per_player", np.array([firsts[name] for name in names]), played[names].to_numpy(int))


def _leads(t: Tables) -> tuple[Any, Any]:
    """How far each seat's team was ahead before the rounds of a game, at the least and at the most."""
    ahead = (t.all_rounds["total_before_0"] - t.all_rounds["total_before_1"]).to_numpy(int)
    by_game = pd.Series(ahead).groupby(t.all_game).agg(["min", "max"]).reindex(range(t.games), fill_value=0)
    least, most = by_game["min"].to_numpy(), by_game["max"].to_numpy()
    return np.stack([least, -most] * 2, axis=1), np.stack([most, -least] * 2, axis=1)


def players(t: Tables) -> None:
    """The subject players."""
    names = t.of_games[[f"player_{seat}" for seat in range(4)]].to_numpy(object)
    partners = np.roll(names, -2, axis=1)
    game = np.repeat(np.arange(t.games)[:, None], 4, axis=1)
    over = (t.of_games["outcome"] != "unfinished").to_numpy(bool)[:, None]
    won = t.of_games["winner"].fillna(-1).to_numpy(int)[:, None] == np.arange(4) % 2
    least, most = _leads(t)
    for name, counted, of in (
        ("win_rate", won, over),
        ("ahead_rate", most >= 200, over),
        ("behind_rate", least <= -200, over),
        ("comeback_rate", won, over & (least <= -200)),
    ):
        t.each(f"players.{name}", game, [names], counted, of, is_rate=True)
    t.each("players.pair_win_rate", game, [names, partners], won, over & (names < partners), is_rate=True)
    player = t.hands["player"]
    partner = t.other(player, 2)
    seats = t.seat_game
    t.each("players.score_difference", seats, [player], t.gain, True, is_rate=False)
    t.each("players.double_victory_rate", seats, [player], t.double, True, is_rate=True)
    t.each("players.first_out_rate", seats, [player], t.success, True, is_rate=True)
    for call in ("tichu", "grand"):
        t.each(f"players.{call}_call_rate", seats, [player], t.call == call, True, is_rate=True)
        t.each(f"players.{call}_success_rate", seats, [player], t.success, t.call == call, is_rate=True)
    both = [player, partner]
    t.each("players.pair_score_difference", seats, both, t.gain, player < partner, is_rate=False)
    t.each("players.pair_double_victory_rate", seats, both, t.double, player < partner, is_rate=True)
