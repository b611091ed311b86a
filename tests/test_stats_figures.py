"""The measures that are relied on: counted once more by hand, from what is known of games and from the tables."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import duckdb
import numpy as np
import pandas as pd
import pytest

import tichu_analytics as ta
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.series import simulate_series
from tichu_analytics.stats.intervals import Sums, mean, rate
from tichu_analytics.stats.registry import COLUMNS, SHRUNK
from tichu_analytics.tables.export import export_inputs

#: The contract: names, populations, and which are means.
FIXED = {
    "tichu.call_rate": "seat-rounds",
    "grand.call_rate": "seat-rounds",
    "tichu.success_rate": "Tichu calls",
    "grand.success_rate": "Grand Tichu calls",
    "results.double_victory_rate": "team-rounds",
    "results.score_difference": "rounds",
    "results.tricks_per_round": "rounds",
    "results.moves_per_round": "rounds",
    "bombs.dealt8_rate": "seat-rounds",
    "bombs.dealt_rate": "seat-rounds",
    "bombs.held_rate": "seat-rounds",
    "bombs.held_four_rate": "seat-rounds",
    "bombs.held_straight_rate": "seat-rounds",
    "bombs.round_rate": "rounds",
    "bombs.played_per_round": "rounds",
    "bombs.played_straight_share": "bombs played",
    "bombs.out_of_turn_share": "bombs played",
    "exchange.received_rate": "seat-rounds",
}
MEANS = {
    "results.score_difference",
    "results.tricks_per_round",
    "results.moves_per_round",
    "bombs.played_per_round",
}
CARDS = [*map(str, range(2, 11)), "J", "Q", "K", "A", "Ma", "Do", "Ph", "Dr"]
#: A key of a figure: its measure, and for the exchange where the card comes from and which it is.
Key = tuple[str, ...]
#: What a game counts for a key.
Counted = dict[Key, list[tuple[int, int]]]


def added(counted: Counted) -> dict[Key, Sums]:
    return {
        key: Sums(
            sum(n for n, _ in pairs),
            sum(k for _, k in pairs),
            sum(n * n for n, _ in pairs),
            sum(n * k for n, k in pairs),
            sum(k * k for _, k in pairs),
            sum(n > 0 for n, _ in pairs),
        )
        for key, pairs in counted.items()
    }


def assert_same(frame: pd.DataFrame, counted: Counted) -> None:
    """The frame has these figures, no others, and the intervals that belong to them."""
    wanted = added(counted)
    found = {}
    for row in frame.to_dict("records"):
        key = (row["measure"], *([row["received_from"], row["card"]] if "exchange" in row["measure"] else ()))
        found[key] = (row["n"], row["k"], row["n_games"], row["estimate"], row["low"], row["high"])
        assert row["population"] == FIXED[row["measure"]]
    assert set(found) == set(wanted)
    for key, sums in wanted.items():
        guess = mean(sums) if key[0] in MEANS else rate(sums)
        exact = (sums.n, sums.k, sums.games, guess.value, guess.low, guess.high)
        assert found[key] == pytest.approx(exact, rel=1e-12, abs=0, nan_ok=True), key
        assert found[key][:3] == exact[:3]


# From the records of games whose every fact is written down ----------------------------------------------------------


class Card(NamedTuple):
    suit: str
    rank: str


def card(text: str) -> Card:
    """A card of a log, with English names."""
    if text in ("Ma", "Ph", "Dr"):
        return Card("", text)
    if text in ("Hu", "Do"):
        return Card("", "Do")
    return Card(text[0], {"B": "J", "D": "Q"}.get(text[1:], text[1:]))


def has_four(hand: list[str]) -> bool:
    return 4 in Counter(card(text).rank for text in hand).values()


def has_straight_flush(hand: list[str]) -> bool:
    there = {card(text) for text in hand}
    return any(
        all(Card(suit, rank) in there for rank in CARDS[first : first + 5]) for suit in "SBGR" for first in range(9)
    )


def has_bomb(hand: list[str]) -> bool:
    return has_four(hand) or has_straight_flush(hand)


def first_eights(log: Path) -> list[list[list[str]]]:
    """The first eight cards of each seat in each round, as the log has them."""
    text = log.read_text(encoding="utf-8")
    eights = []
    for block in re.findall(r"-+Gr\.Tichukarten-+\n(.*?)\n-+Startkarten", text, re.DOTALL):
        lines = [line.split() for line in block.splitlines() if re.match(r"\(\d\)", line)]
        eights.append([line[-8:] for line in lines])
    return eights


def by_hand(folder: Path) -> Counted:
    """Every fixed measure from expected.jsonl, by plain counting."""
    games: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        games[record["game"]].append(record)
    counted: Counted = defaultdict(list)
    for game, rounds in games.items():
        seats = 4 * len(rounds)
        calls = [call for one in rounds for call in one["calls"]]
        for name, kind in (("tichu", "tichu"), ("grand", "grand")):
            made = [call for call in calls if call["kind"] == kind]
            counted[f"{name}.call_rate",].append((seats, len(made)))
            counted[f"{name}.success_rate",].append((len(made), sum(call["success"] for call in made)))
        doubles = sum(one["double_victory"] is not None for one in rounds)
        counted["results.double_victory_rate",].append((2 * len(rounds), doubles))
        counted["results.score_difference",].append(
            (len(rounds), sum(one["score"][0] - one["score"][1] for one in rounds))
        )
        tricks = [trick for one in rounds for trick in one["tricks"]]
        counted["results.tricks_per_round",].append((len(rounds), len(tricks)))
        moves = sum(trick["n_plays"] + trick["n_passes"] for trick in tricks)
        counted["results.moves_per_round",].append((len(rounds), moves))
        held = [hand for one in rounds for hand in one["hands_after_exchange"]]
        eights = [hand for one in first_eights(folder / f"{game}.tch") for hand in one]
        assert len(eights) == len(held) == seats
        dealt = []
        for one in rounds:
            for seat, hand in enumerate(one["hands_after_exchange"]):
                kept = [text for text in hand if text not in {e["card"] for e in one["exchanges"] if e["to"] == seat}]
                dealt.append(kept + [e["card"] for e in one["exchanges"] if e["from"] == seat])
        for name, hands, holds in (
            ("dealt8_rate", eights, has_bomb),
            ("dealt_rate", dealt, has_bomb),
            ("held_rate", held, has_bomb),
            ("held_four_rate", held, has_four),
            ("held_straight_rate", held, has_straight_flush),
        ):
            counted[f"bombs.{name}",].append((seats, sum(map(holds, hands))))
        with_bomb = sum(any(map(has_bomb, one["hands_after_exchange"])) for one in rounds)
        counted["bombs.round_rate",].append((len(rounds), with_bomb))
        bombs = [bomb for one in rounds for bomb in one["bombs"]]
        counted["bombs.played_per_round",].append((len(rounds), len(bombs)))
        counted["bombs.played_straight_share",].append((len(bombs), sum(b["kind"] == "straight_bomb" for b in bombs)))
        counted["bombs.out_of_turn_share",].append((len(bombs), sum(bomb["out_of_turn"] for bomb in bombs)))
        passed = Counter(
            ({1: "right", 2: "partner", 3: "left"}[(e["from"] - e["to"]) % 4], card(e["card"]).rank)
            for one in rounds
            for e in one["exchanges"]
        )
        for way in ("right", "partner", "left"):
            for rank in CARDS:
                counted["exchange.received_rate", way, rank].append((seats, passed[way, rank]))
    return counted


@pytest.mark.parametrize("name", ["legal", "legal_odd_names"])
def test_records_of_every_fact(shared: Path, name: str, tmp_path: Path) -> None:
    folder = shared / "checks" / name
    data = ta.export(folder, tmp_path / "data")
    assert_same(ta.stats.compute(data, measures=FIXED), by_hand(folder))


# From the tables, in pandas ------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """Two hundred games of both styles of play; some are damaged, so that rounds are left out."""
    folder = tmp_path_factory.mktemp("stats")
    (folder / "logs").mkdir()
    for style, games in (("a", simulate_series(100, 21)), ("b", simulate_games(100, 22))):
        for number, game in enumerate(games):
            text = game.text
            if number % 9 == 4:
                # A pass too many in the middle: that round is not played legally.
                lines = text.splitlines(keepends=True)
                lines.insert(len(lines) // 2, lines[len(lines) // 2])
                text = "".join(lines)
            (folder / "logs" / f"{style}{game.game_id}.tch").write_text(text, encoding="utf-8", newline="\n")
    return ta.export(folder / "logs", folder / "data")


def in_pandas(data: ta.Dataset) -> Counted:
    """Every fixed measure by another way than SQL over several tables: whole tables in pandas and numpy."""
    rounds = data.rounds.to_pandas()
    rounds = rounds[rounds["complete"] & rounds["legal"]].set_index(["game_id", "round"])
    hands, exchanges, tricks, moves = (data[name].to_pandas() for name in ("hands", "exchanges", "tricks", "moves"))
    ids = list(rounds.index.get_level_values(0).unique())
    counted: Counted = {}

    def note(n: pd.Series, k: pd.Series, *key: str) -> None:
        n, k = (series.reindex(ids, fill_value=0).astype(int) for series in (n, k))
        counted[key] = list(zip(n.tolist(), k.tolist(), strict=True))

    def per_game(frame: pd.DataFrame, rows: Any = None) -> pd.Series:
        return (frame if rows is None else frame[rows]).groupby("game_id").size()

    seats = per_game(hands)
    for name in ("tichu", "grand"):
        called = (hands["call"] == name).fillna(False)
        note(seats, per_game(hands, called), f"{name}.call_rate")
        note(
            per_game(hands, called),
            per_game(hands, called & (hands["finish"] == 1).fillna(False)),
            f"{name}.success_rate",
        )
    n_rounds = rounds.groupby("game_id").size()
    order = rounds[["finish_1", "finish_2"]].astype(int)
    double = order["finish_1"] % 2 == order["finish_2"] % 2
    note(2 * n_rounds, double.groupby("game_id").sum(), "results.double_victory_rate")
    scores = hands[hands["seat"] == 0].set_index(["game_id", "round"])
    gained = (scores["score_own"] - scores["score_opponents"]).groupby("game_id").sum()
    note(n_rounds, gained, "results.score_difference")
    note(n_rounds, per_game(tricks), "results.tricks_per_round")
    note(n_rounds, per_game(moves), "results.moves_per_round")

    def bits(masks: pd.Series) -> Any:
        return (masks.to_numpy(np.int64)[:, None] >> np.arange(52) & 1).reshape(-1, 13, 4).astype(bool)

    def fours(masks: pd.Series) -> Any:
        return bits(masks).all(2).any(1)

    def straights(masks: pd.Series) -> Any:
        there = bits(masks)
        return np.any([there[:, first : first + 5].all(1) for first in range(9)], axis=(0, 2))

    held_bomb = fours(hands["held"]) | straights(hands["held"])
    note(seats, per_game(hands, fours(hands["first8"]) | straights(hands["first8"])), "bombs.dealt8_rate")
    note(seats, per_game(hands, fours(hands["dealt"]) | straights(hands["dealt"])), "bombs.dealt_rate")
    note(seats, per_game(hands, held_bomb), "bombs.held_rate")
    note(seats, per_game(hands, fours(hands["held"])), "bombs.held_four_rate")
    note(seats, per_game(hands, straights(hands["held"])), "bombs.held_straight_rate")
    with_bomb = hands[held_bomb].drop_duplicates(["game_id", "round"])
    note(n_rounds, per_game(with_bomb), "bombs.round_rate")
    played = moves[moves["kind"].isin(["four_bomb", "straight_bomb"])]
    note(n_rounds, per_game(played), "bombs.played_per_round")
    note(per_game(played), per_game(played, played["kind"] == "straight_bomb"), "bombs.played_straight_share")
    note(per_game(played), per_game(played, played["out_of_turn"]), "bombs.out_of_turn_share")
    bit = exchanges["card"].to_numpy(int)
    names = np.where(bit < 52, np.array(CARDS)[np.minimum(bit // 4, 12)], np.array(["Ma", "Do", "Ph", "Dr"])[bit % 4])
    way = np.array(["", "right", "partner", "left"])[(exchanges["giver"] - exchanges["receiver"]).to_numpy(int) % 4]
    for one in ("right", "partner", "left"):
        for name in CARDS:
            note(seats, per_game(exchanges, (way == one) & (names == name)), "exchange.received_rate", one, name)
    return counted


def test_a_second_computation(data: ta.Dataset) -> None:
    assert data.info["rounds_kept"] < data.info["rounds"]
    assert_same(ta.stats.compute(data, measures=FIXED), in_pandas(data))


def test_each_subject_has_its_own(data: ta.Dataset) -> None:
    whole = ta.stats.compute(data)
    functions = (ta.stats.tichu, ta.stats.bombs, ta.stats.exchange, ta.stats.results)
    parts = [function(data) for function in functions]
    assert [name for part in parts for name in part["measure"]] == list(whole["measure"])
    for part in parts:
        assert list(part.columns[: len(COLUMNS)]) == list(COLUMNS)
        rows = whole[whole["measure"].isin(set(part["measure"]))].reset_index(drop=True)
        assert part.equals(rows[list(part.columns)])
        assert part["n"].dtype == "Int64" and part["estimate"].dtype == "float64"
    assert list(parts[0].columns) == list(COLUMNS)
    assert list(parts[2].columns) == [*COLUMNS, "received_from", "card"]
    assert list(ta.stats.players(data).columns) == [*COLUMNS, "player", *SHRUNK]


def test_single_names_need_no_list(data: ta.Dataset) -> None:
    wanted = ta.stats.tichu(data, by=["seat"], measures=["tichu.call_rate"])
    assert ta.stats.tichu(data, by="seat", measures="tichu.call_rate").equals(wanted)
    assert ta.stats.tichu(data, by=None).equals(ta.stats.tichu(data))


def test_groups_are_the_whole_by_parts(data: ta.Dataset) -> None:
    """What is counted in the groups of any column adds up to what is counted without."""
    pooled = ta.stats.compute(data).set_index("measure")
    for column in ("seat", "team", "score_gap", "round", "outcome", "player"):
        grouped = ta.stats.compute(data, by=[column])
        assert grouped.groupby("measure")["n"].sum().gt(0).all()
        for name, rows in grouped.groupby("measure"):
            assert rows["k"].sum() == pooled.loc[[name], "k"].sum(), (column, name)


# The same data give the same bytes -----------------------------------------------------------------------------------


def texts(data: ta.Dataset) -> Iterator[str]:
    for by, where in (((), None), (("seat",), None), (("player",), "aces >= 1"), (("score_gap", "call"), "near_end")):
        yield ta.stats.compute(data, by=by, where=where).to_json(orient="records", double_precision=15)
    yield ta.stats.compare(data, by=["seat"]).to_json(orient="records", double_precision=15)


def test_neither_parts_nor_threads_change_a_byte(
    data: ta.Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = list(texts(data))
    export_inputs(data.info["paths"], tmp_path / "parts", part_bytes=200_000)
    parted = ta.Dataset(tmp_path / "parts")
    assert len(parted.info["parts"]) > 10
    assert list(texts(parted)) == wanted
    connect = duckdb.connect
    for threads in (1, 7):

        def limited(*args: Any, _threads: int = threads, **more: Any) -> Any:
            return connect(*args, **{**more, "config": {**more.get("config", {}), "threads": _threads}})

        monkeypatch.setattr(duckdb, "connect", limited)
        again = ta.Dataset(parted.path)
        assert list(texts(again)) == wanted
