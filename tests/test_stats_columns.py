"""The columns that are worked out and the measures beyond the fixed ones: counted once more from replays, in Python."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import pytest

import tichu_analytics as ta
from tichu_analytics.record.notation import mask_text
from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.rules.combinations import KIND_NAMES, holds_bomb
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.stats.bases import BASES
from tichu_analytics.stats.groupings import DERIVED, all_columns, derived_of
from tichu_analytics.stats.of_bombs import OF_BOMBS
from tichu_analytics.stats.of_exchange import OF_EXCHANGE
from tichu_analytics.stats.of_straights import OF_STRAIGHTS
from tichu_analytics.stats.registry import COLUMNS, DIFFERENCE_COLUMNS, MORE_COLUMNS, SHRUNK, measures
from tichu_analytics.stats.subjects import bombs_held, bombs_played, exchange_effects, exchange_given
from tichu_analytics.tables.schema import TABLES

RANKS = ("Do", "Ma", *map(str, range(2, 11)), "J", "Q", "K", "A", "Dr", "Ph")
SIDES = ("self", "right", "partner", "left")


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> tuple[ta.Dataset, list[GameReplay]]:
    """Sixty games, some of which the players leave before the end, and what the replay says of them."""
    folder = tmp_path_factory.mktemp("columns")
    (folder / "logs").mkdir()
    series = simulate_series(35, 31, wants=Wants(abandoned=20, players=8))
    for style, some in (("a", series), ("b", simulate_games(25, 32))):
        for game in some:
            (folder / "logs" / f"{style}{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    replays = [ta.replay(game) for game in ta.read_games(folder / "logs")]
    return ta.export(folder / "logs", folder / "data"), replays


class Hand(NamedTuple):
    game: GameReplay
    round: RoundReplay
    seat: int

    @property
    def partner(self) -> int:
        return (self.seat + 2) % 4

    @property
    def others(self) -> tuple[int, int]:
        return (self.seat + 1) % 4, (self.seat + 3) % 4

    @property
    def call(self) -> str:
        return call_of(self.round, self.seat)

    @property
    def gap(self) -> int:
        before = self.round.total_before
        return int(before[self.seat % 2] - before[1 - self.seat % 2])

    @property
    def gain(self) -> int:
        assert self.round.score is not None
        return self.round.score[self.seat % 2] - self.round.score[1 - self.seat % 2]


def call_of(one: RoundReplay, seat: int) -> str:
    call = one.calls[seat]
    return "none" if call is None else "grand" if call.grand else "tichu"


def kept(games: list[GameReplay]) -> Iterator[tuple[GameReplay, RoundReplay]]:
    for game in games:
        for one in game.rounds:
            if one.legal:
                yield game, one


def hands(games: list[GameReplay]) -> Iterator[Hand]:
    for game, one in kept(games):
        for seat in range(4):
            yield Hand(game, one, seat)


def words(mask: int) -> list[str]:
    return mask_text(mask).split()


def count(mask: int, *ranks: str) -> int:
    return sum(word in ranks or word[1:] in ranks for word in words(mask))


def specials(mask: int) -> str:
    return " ".join(name for name in ("Dr", "Ph", "Ma", "Do") if name in words(mask)) or "none"


def honours(mask: int) -> str:
    aces = sum(word[1:] == "A" for word in words(mask))
    named = (("Dragon", "Dr"), ("Phoenix", "Ph"), ("Dog", "Do"), ("Mah Jong", "Ma"))
    some = [name for name, card in named if card in words(mask)]
    return ", ".join([f"{aces or 'no'} ace{'s' if aces > 1 else ''}", *some])


def rank_name(card: int) -> str:
    return {52: "Ma", 53: "Do", 54: "Ph", 55: "Dr"}.get(card) or RANKS[card // 4 + 2]


def step(gap: int) -> int:
    return max(-600, min(600, gap // 200 * 200))


def rounds_left(hand: Hand) -> int | None:
    if hand.game.outcome != "finished":
        return None
    return min(5, hand.game.rounds[-1].number - hand.round.number)


def cards_at_call(hand: Hand) -> int | None:
    """The fewest cards of an opponent when the seat called, by following the hands line by line."""
    call = hand.round.calls[hand.seat]
    if call is None:
        return None
    left = dict.fromkeys(hand.others, 14)
    for trick in hand.round.tricks:
        for move in trick.moves:
            if move.line < call.line and move.seat in left:
                left[move.seat] -= len(move.cards)
    return min(left.values())


def last_kind(one: RoundReplay) -> str:
    first = one.finish[0]
    return [KIND_NAMES[move.kind] for trick in one.tricks for move in trick.moves if move.cards and move.seat == first][
        -1
    ]


def bomb(hand: Hand, *seats: int) -> bool:
    return any(holds_bomb(hand.round.held[seat]) for seat in seats)


def given(hand: Hand, side: int) -> str:
    gift = hand.round.exchanged[hand.seat]
    assert gift
    return rank_name(gift[side])


def received(hand: Hand, side: int) -> str:
    """Of the player on the right one gets what it gives to its left."""
    gift = hand.round.exchanged[(hand.seat + side + 1) % 4]
    assert gift
    return rank_name(gift[2 - side])


def other_games(hand: Hand, games: list[GameReplay]) -> list[bool]:
    """Of all other games that this player has played to their end: whether each was won."""
    name = hand.round.record.names[hand.seat]
    found = []
    for game in games:
        if game is not hand.game and game.outcome != "unfinished" and name:
            names = game.rounds[0].record.names
            found += [game.winner == seat % 2 for seat in range(4) if names[seat] == name]
    return found


def wins(hand: Hand, games: list[GameReplay]) -> int | None:
    found = other_games(hand, games)
    return None if len(found) < 10 else 100 * sum(found) // len(found) // 5 * 5


def straight_of_others(hand: Hand) -> int | None:
    leads = [trick.moves[0] for trick in hand.round.tricks if trick.moves[0].seat != hand.seat]
    return max((len(move.cards) for move in leads if KIND_NAMES[move.kind] == "straight"), default=None)


def triples(hand: Hand) -> int:
    return sum(count(hand.round.dealt[hand.seat], rank) >= 3 for rank in RANKS[2:15])


OF_HANDS: dict[str, Callable[[Hand], Any]] = {
    "aces": lambda hand: count(hand.round.held[hand.seat], "A"),
    "aces8": lambda hand: count(hand.round.first8[hand.seat], "A"),
    "high_cards": lambda hand: count(hand.round.held[hand.seat], "A", "Dr", "Ph"),
    "dealt_high_cards": lambda hand: count(hand.round.dealt[hand.seat], "A", "Dr", "Ph"),
    "straight_of_others": straight_of_others,
    "specials": lambda hand: specials(hand.round.held[hand.seat]),
    "specials8": lambda hand: specials(hand.round.first8[hand.seat]),
    "honours": lambda hand: honours(hand.round.held[hand.seat]),
    "honours8": lambda hand: honours(hand.round.first8[hand.seat]),
    "game_part": lambda hand: int(hashlib.md5(hand.game.game.game_id.encode()).hexdigest()[:6], 16) % 40,
    "partner": lambda hand: hand.round.record.names[hand.partner],
    "partner_bomb": lambda hand: bomb(hand, hand.partner),
    "team_bomb": lambda hand: bomb(hand, hand.seat, hand.partner),
    "opponent_bomb": lambda hand: bomb(hand, *hand.others),
    "round_bomb": lambda hand: bomb(hand, *range(4)),
    "opponent_call": lambda hand: max(
        (call_of(hand.round, seat) for seat in hand.others), key=("none", "tichu", "grand").index
    ),
    "opponents_cards_at_call": cards_at_call,
    "score_gap": lambda hand: step(hand.gap),
    "rounds_left": rounds_left,
    "near_end": lambda hand: max(hand.round.total_before) >= 800,
    "triples": triples,
    "first_out": lambda hand: SIDES[(hand.round.finish[0] - hand.seat) % 4],
    "first_out_bomb": lambda hand: "bomb" in last_kind(hand.round),
    "first_out_with": lambda hand: last_kind(hand.round),
    "dragon_gifts": lambda hand: sum(trick.dragon_to is not None for trick in hand.round.tricks),
    **{f"given_{name}": partial(given, side=side) for side, name in enumerate(SIDES[1:])},
    **{f"received_{name}": partial(received, side=side) for side, name in enumerate(SIDES[1:])},
}


def test_every_column_is_counted_here() -> None:
    # Those of bombs, of the exchange and of straights are counted in files of their own.
    elsewhere = {one.name for one in (*OF_BOMBS, *OF_EXCHANGE, *OF_STRAIGHTS)}
    assert {*OF_HANDS, "player_games", "player_wins"} == set(derived_of(BASES["hands"])) - elsewhere
    of_seats = set(derived_of(BASES["seats"]))
    assert {*OF_HANDS, "player_games", "player_wins"} | of_seats | elsewhere == {one.name for one in DERIVED}
    declared = {column.name for table in TABLES.values() for column in table.columns}
    # The partner is a column of seats in a game as well.
    assert not declared & {one.name for one in DERIVED}
    assert set(all_columns()) >= {one.name for one in DERIVED}
    # The columns of results have to be told from those of groups.
    assert not {*COLUMNS, *DIFFERENCE_COLUMNS} & set(all_columns())


@pytest.mark.parametrize("name", [*OF_HANDS, "player_games", "player_wins"])
def test_a_column(games: tuple[ta.Dataset, list[GameReplay]], name: str) -> None:
    data, replays = games
    of_players = {
        "player_games": lambda hand: len(other_games(hand, replays)),
        "player_wins": lambda hand: wins(hand, replays),
    }
    wanted: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for hand in hands(replays):
        pair = wanted[(OF_HANDS | of_players)[name](hand)]
        pair[0] += 1
        pair[1] += hand.gain
    frame = ta.stats.compute(data, measures=["results.seat_score_difference"], by=[name])
    found = {}
    for value, n, k in frame[[name, "n", "k"]].astype(object).itertuples(index=False):
        found[None if pd.isna(value) else value] = [n, k]
    assert found == wanted
    assert len(found) > 1
    # The same as a condition.
    value, (n, k) = max(wanted.items(), key=lambda item: item[1][0])
    text = f"{name} IS NOT DISTINCT FROM " + (
        "NULL" if value is None else f"'{value}'" if isinstance(value, str) else str(value)
    )
    (row,) = ta.stats.results(data, measures=["results.seat_score_difference"], where=text).itertuples()
    assert (row.n, row.k) == (n, k)


def figures(frame: Any) -> dict[tuple[Any, ...], tuple[int, int]]:
    """What is counted for each measure and group."""
    groups = [name for name in frame.columns[9:] if name not in MORE_COLUMNS]
    rows = frame[[*frame.columns[:9], *groups]].astype(object).itertuples(index=False)
    return {(row[0], *(row[9:] if groups else ())): (row[2], row[3]) for row in rows}


def test_bases_agree_on_columns_of_the_same_name(games: tuple[ta.Dataset, list[GameReplay]]) -> None:
    data, replays = games
    teams: dict[Any, list[int]] = defaultdict(lambda: [0, 0])
    for hand in hands(replays):
        if hand.seat < 2:
            double = hand.round.finish[0] % 2 == hand.round.finish[1] % 2 == hand.seat
            pair = teams[hand.seat, bomb(hand, hand.seat, hand.partner), bomb(hand, *hand.others), step(hand.gap)]
            pair[0] += 1
            pair[1] += double
    by = ["team", "team_bomb", "opponent_bomb", "score_gap"]
    found = figures(ta.stats.compute(data, measures=["results.double_victory_rate"], by=by))
    assert {key[1:]: list(pair) for key, pair in found.items()} == teams
    for column in ("score_gap", "rounds_left", "near_end"):
        of_rounds = ta.stats.compute(data, measures=["results.score_difference"], by=[column])
        of_seat = ta.stats.compute(data, measures=["results.seat_score_difference"], by=[column], where="seat = 0")
        assert list(figures(of_rounds).values()) == list(figures(of_seat).values())


def test_further_measures(games: tuple[ta.Dataset, list[GameReplay]]) -> None:
    """Each measure without a promise in its name, counted from the replays."""
    data, replays = games
    wanted: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])

    def note(n: int, k: int, *key: Any) -> None:
        pair = wanted[key]
        pair[0] += n
        pair[1] += k

    for hand in hands(replays):
        made = hand.round.finish[0] == hand.seat
        if hand.call != "none":
            worth = 100 if hand.call == "tichu" else 200
            note(1, worth if made else -worth, f"{hand.call}.points_per_call")
            note(1, hand.gain, f"{hand.call}.score_difference")
            for side in SIDES[1:]:
                if not made:
                    note(1, OF_HANDS["first_out"](hand) == side, f"{hand.call}.broken_by_rate", side)
        note(1, bomb(hand, *hand.others), "bombs.opponent_rate")
        longest = straight_of_others(hand) or 0
        for least in range(5, 15):
            note(1, longest >= least, "results.straight_of_others_rate", str(least))
        if hand.seat < 2:
            note(1, hand.round.total_before[hand.seat], "results.total_before")
            if hand.game.outcome == "finished":
                note(1, hand.game.winner == hand.seat, "results.game_won_rate")
            own = bomb(hand, hand.seat, hand.partner)
            note(1, own, "bombs.team_rate")
            if own:
                note(1, hand.gain, "bombs.score_difference")
        dealt, held = hand.round.dealt[hand.seat], hand.round.held[hand.seat]
        if "Do" in words(dealt):
            note(1, given(hand, 1) == "Do", "exchange.dog_to_partner_rate")
        else:
            note(1, "Do" in words(held), "exchange.dog_received_rate")
        note(1, given(hand, 1) == "A", "exchange.ace_to_partner_rate")
        if holds_bomb(dealt):
            note(1, not holds_bomb(held), "exchange.bomb_broken_rate")
        else:
            note(1, holds_bomb(held), "exchange.bomb_made_rate")
        note(1, hand.gain, "results.seat_score_difference")
        double = hand.round.finish[0] % 2 == hand.round.finish[1] % 2 == hand.seat % 2
        note(1, double, "results.seat_double_victory_rate")
    for _, one in kept(replays):
        note(1, sum(trick.dragon_to is not None for trick in one.tricks), "results.dragon_gifts_per_round")
        assert one.score is not None
        gain = one.score[0] - one.score[1]
        size = min(-(-abs(gain) // 100), 5)
        for sign in (-1, 1):
            for step in range(1, 5):
                ends = sorted((sign * (100 * step - 99), sign * 100 * step))
                holds = size == step and gain * sign > 0
                note(1, holds, "results.score_difference_rate", f"from {ends[0]} to {ends[1]}")
        note(1, max(-400, min(400, gain)), "results.clipped_score_difference")
        note(1, gain == 0, "results.score_difference_rate", "0")
        note(1, gain > 400, "results.score_difference_rate", "above 400")
        note(1, gain < -400, "results.score_difference_rate", "below -400")
        note(1, one.wish is not None, "results.wish_rate")
        if one.wish:
            note(1, one.wish.fulfilled_seat is not None, "results.wish_fulfilled_rate")
        for trick in one.tricks:
            note(1, len(trick.moves), "results.moves_per_trick")
            if trick.taker_seat is not None:
                note(1, trick.points, "results.points_per_trick")
        for kind in KIND_NAMES[1:]:
            note(1, KIND_NAMES[one.tricks[0].kind] == kind, "results.first_lead_rate", kind)
    for game in replays:
        if game.outcome == "finished":
            note(1, sum(one.complete for one in game.rounds), "results.rounds_per_game")
        if game.outcome != "unfinished":
            for name, team in (("0", 0), ("1", 1), ("draw", None)):
                note(1, game.winner == team, "results.game_winner_rate", name)
            for seat in range(4):
                note(1, game.winner == seat % 2, "results.seat_win_rate")
                gaps = [one.total_before[seat % 2] - one.total_before[1 - seat % 2] for one in game.rounds]
                note(1, max(gaps) >= 200, "results.seat_ahead_rate")
                note(1, min(gaps) <= -200, "results.seat_behind_rate")
            for team in range(2):
                leads = [one.total_before[team] - one.total_before[1 - team] for one in game.rounds]
                if min(leads) <= -200:
                    note(1, game.winner == team, "results.comeback_rate")
    played = Counter(
        game.rounds[0].record.names[seat] for game in replays if game.outcome != "unfinished" for seat in range(4)
    )
    played.pop("", None)
    note(len(played), played.total(), "results.games_per_player")
    names = {key[0] for key in wanted}
    found = {
        key: list(pair) for name in names for key, pair in figures(ta.stats.compute(data, measures=[name])).items()
    }
    assert found == wanted
    fixed = {"tichu.call_rate", "grand.call_rate", "tichu.success_rate", "grand.success_rate"}
    # Comparisons within categories are counted once more beside the ratings of players.
    beside = {name for name, one in measures().items() if one.subject in ("players", "own") or one.within}
    rest = set(measures()) - beside - names
    elsewhere = {one.name for module in ELSEWHERE for one in module.MEASURES}
    assert {name for name in rest - fixed - elsewhere if name not in FIXED} == set()


#: Subjects whose measures are counted in tests/test_stats_bombs.py and tests/test_stats_exchange.py.
ELSEWHERE = (bombs_held, bombs_played, exchange_effects, exchange_given)
FIXED = {
    *("results.double_victory_rate", "results.score_difference", "results.tricks_per_round"),
    *("results.moves_per_round", "bombs.dealt8_rate", "bombs.dealt_rate", "bombs.held_rate", "bombs.held_four_rate"),
    *("bombs.held_straight_rate", "bombs.round_rate", "bombs.played_per_round", "bombs.played_straight_share"),
    *("bombs.out_of_turn_share", "exchange.received_rate"),
}


def test_players(games: tuple[ta.Dataset, list[GameReplay]]) -> None:
    data, replays = games
    wanted: dict[tuple[Any, ...], list[int]] = defaultdict(lambda: [0, 0])

    def note(k: int, *key: Any) -> None:
        wanted[key][0] += 1
        wanted[key][1] += k

    players = {row["game_id"]: row for row in data.games.to_pandas().to_dict("records")}
    for hand in hands(replays):
        name = hand.round.record.names[hand.seat]
        note(hand.round.finish[0] == hand.seat, "players.first_out_rate", name)
        double = {seat % 2 for seat in hand.round.finish[:2]} == {hand.seat % 2}
        note(hand.gain, "players.score_difference", name)
        note(double, "players.double_victory_rate", name)
        partner = hand.round.record.names[hand.partner]
        if name < partner:
            note(hand.gain, "players.pair_score_difference", name, partner)
            note(double, "players.pair_double_victory_rate", name, partner)
        for call in ("tichu", "grand"):
            note(hand.call == call, f"players.{call}_call_rate", name)
            if hand.call == call:
                note(hand.round.finish[0] == hand.seat, f"players.{call}_success_rate", name)
    for game in replays:
        if game.outcome == "unfinished":
            continue
        for seat in range(4):
            name = players[game.game.game_id][f"player_{seat}"]
            leads = [one.total_before[seat % 2] - one.total_before[1 - seat % 2] for one in game.rounds]
            won = game.winner == seat % 2
            note(won, "players.win_rate", name)
            partner = players[game.game.game_id][f"player_{(seat + 2) % 4}"]
            if name < partner:
                note(won, "players.pair_win_rate", name, partner)
            note(max(leads) >= 200, "players.ahead_rate", name)
            note(min(leads) <= -200, "players.behind_rate", name)
            if min(leads) <= -200:
                note(won, "players.comeback_rate", name)
    frame = ta.stats.players(data)
    names = [name for name in measures() if name.startswith("players.pair_")]
    pairs = ta.stats.players(data, measures=names)
    found = figures(frame) | figures(pairs)
    assert {key: list(pair) for key, pair in found.items()} == wanted
    assert {key[0] for key in wanted} == {one.name for one in measures().values() if one.subject == "players"}
    partners = ta.stats.players(data, by=["partner"], measures=["players.win_rate"])
    assert partners["n"].sum() == frame.loc[frame["measure"] == "players.win_rate", "n"].sum()
    assert list(partners.columns[9:]) == ["partner", "player", *SHRUNK]


def test_a_condition_on_games(games: tuple[ta.Dataset, list[GameReplay]]) -> None:
    """Rows that are games, or seats of games, have no rounds that a condition could leave out."""
    data, replays = games
    frame = ta.stats.compute(data, measures=["results.rounds_per_game"], where="total_0 > total_1")
    wanted = [game for game in replays if game.outcome == "finished" and game.totals[0] > game.totals[1]]
    assert frame["n"].tolist() == [len(wanted)]
    player = ta.stats.players(data, measures=["players.win_rate"])["player"][0]
    one = ta.stats.players(data, measures=["players.win_rate"], where=f"player = '{player}'")
    all_of_them = ta.stats.players(data, measures=["players.win_rate"])
    assert one.iloc[0, :9].tolist() == all_of_them[all_of_them["player"] == player].iloc[0, :9].tolist()
    (said,) = one.attrs["rounds"]["removed"]
    assert said.endswith("seat-games") and "rounds" not in said


def test_a_path_is_as_good_as_a_data_set(games: tuple[ta.Dataset, list[GameReplay]], tmp_path: Path) -> None:
    data, _ = games
    logs = Path(data.info["paths"][0])
    of_logs = ta.stats.bombs(logs)
    assert of_logs.equals(ta.stats.bombs(data)) and of_logs.equals(ta.stats.bombs(str(data.path)))
    assert not list(tmp_path.iterdir())
