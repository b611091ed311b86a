"""Every fact that is known about made-up games and real logs is found in the tables again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta

Row = dict[str, Any]

DIRECTIONS = {1: ("right", "left"), 2: ("partner", "partner"), 3: ("left", "right")}
RANKS = dict(zip("23456789", range(2, 10), strict=True)) | {"10": 10, "B": 11, "D": 12, "K": 13, "A": 14}
SPECIALS = {"Ma": 1, "Hu": 0, "Dr": 15, "Ph": None}


def bit(card: str) -> int:
    """The bit of a card of the log, worked out from the convention: 4 * rank + suit, then the special cards."""
    if card in SPECIALS:
        return {"Ma": 52, "Hu": 53, "Ph": 54, "Dr": 55}[card]
    return 4 * (RANKS[card[1:]] - 2) + "SBGR".index(card[0])


def mask(cards: list[str]) -> int:
    return sum(1 << bit(card) for card in cards)


def card_rank(card: str) -> int | None:
    return SPECIALS[card] if card in SPECIALS else RANKS[card[1:]]


class Tables:
    """All tables of a data set as rows by game and round, in their order."""

    def __init__(self, data: ta.Dataset) -> None:
        self.rows: dict[str, dict[tuple[str, int], list[Row]]] = {}
        for name in data.tables:
            by_round: dict[tuple[str, int], list[Row]] = {}
            for row in data.table(name).to_arrow().to_pylist():
                by_round.setdefault((row["game_id"], row.get("round")), []).append(row)
            self.rows[name] = by_round

    def of(self, table: str, facts: Row) -> list[Row]:
        return self.rows[table].get((facts["game"], facts["round"]), [])


@pytest.fixture(scope="module", params=["bsw", "official"])
def known(shared: Path, tmp_path_factory, request) -> tuple[Tables, list[Row]]:
    """The tables of the made-up games, and all that is true about them."""
    folders = [shared / "checks" / name for name in ("legal", "legal_odd_names")]
    data = ta.export(folders, tmp_path_factory.mktemp("known") / "data", rules=request.param)
    assert data.validate() == []
    expected = [
        json.loads(line)
        for folder in folders
        for line in (folder / "expected.jsonl").read_text(encoding="utf-8").splitlines()
    ]
    return Tables(data), expected


def test_every_round_is_there(known):
    tables, expected = known
    rounds = {(facts["game"], facts["round"]) for facts in expected}
    assert len(rounds) == len(expected) == 232
    for name, rows in tables.rows.items():
        if name not in ("games", "findings"):
            assert rows.keys() == rounds, name
    assert tables.rows["findings"] == {}


def test_rounds(known):
    tables, expected = known
    for facts in expected:
        (row,) = tables.of("rounds", facts)
        double = facts["double_victory"]
        finish = facts["finish_order"]
        points = facts["card_points"] or (None, None)
        tricks = facts["tricks"]
        wish = facts["wish"] or dict.fromkeys(("seat", "rank", "line", "fulfilled_by", "fulfilled_line"))
        assert row == {
            "game_id": facts["game"],
            "round": facts["round"],
            "first_line": facts["first_line"],
            "last_line": facts["first_line"] + facts["n_lines"] - 1,
            "complete": True,
            "legal": True,
            "score_agrees": True,
            "severity": "none",
            "score_0": facts["score"][0],
            "score_1": facts["score"][1],
            "logged_score_0": facts["score"][0],
            "logged_score_1": facts["score"][1],
            "card_points_0": points[0],
            "card_points_1": points[1],
            "double_victory": double,
            "finish_1": finish[0],
            "finish_2": finish[1],
            "finish_3": finish[2] if double is None else None,
            "total_before_0": facts["game_score_after"][0] - facts["score"][0],
            "total_before_1": facts["game_score_after"][1] - facts["score"][1],
            "n_tricks": len(tricks),
            "n_plays": sum(trick["n_plays"] for trick in tricks),
            "n_passes": sum(trick["n_passes"] for trick in tricks),
            "n_bombs": len(facts["bombs"]),
            "wish_seat": wish["seat"],
            "wish_rank": wish["rank"],
            "wish_line": wish["line"],
            "wish_fulfilled_seat": wish["fulfilled_by"],
            "wish_fulfilled_line": wish["fulfilled_line"],
            "excluded_by": None,
        }


def test_hands(known):
    tables, expected = known
    for facts in expected:
        rows = tables.of("hands", facts)
        assert [row["seat"] for row in rows] == [0, 1, 2, 3]
        calls = {call["seat"]: call for call in facts["calls"]}
        given = {seat: [e for e in facts["exchanges"] if e["from"] == seat] for seat in range(4)}
        got = {seat: [e for e in facts["exchanges"] if e["to"] == seat] for seat in range(4)}
        out = facts["finish_order"] if facts["double_victory"] is not None else facts["finish_order"][:3]
        before = [after - score for after, score in zip(facts["game_score_after"], facts["score"], strict=True)]
        for seat, row in enumerate(rows):
            team = seat % 2
            held = mask(facts["hands_after_exchange"][seat])
            call = calls.get(seat)
            partner = calls.get((seat + 2) % 4)
            dealt = held - mask([e["card"] for e in got[seat]]) + mask([e["card"] for e in given[seat]])
            assert row["first8"].bit_count() == 8 and row["first8"] & ~dealt == 0
            expected_row = {
                "team": team,
                "player": facts["names"][seat],
                "dealt": dealt,
                "held": held,
                "held_bomb": seat in facts["bomb_holders"],
                "call": call["kind"] if call else "none",
                "call_when": call and call["when"],
                "call_line": call and call["line"],
                "call_success": call and call["success"],
                "partner_call": partner["kind"] if partner else "none",
                "finish": out.index(seat) + 1 if seat in out else None,
                "score_own": facts["score"][team],
                "score_opponents": facts["score"][1 - team],
                "total_before_own": before[team],
                "total_before_opponents": before[1 - team],
            }
            assert {name: row[name] for name in expected_row} == expected_row
            if call:
                begun = [t["index"] for t in facts["tricks"] if t["first_line"] < call["line"]]
                assert row["call_trick"] == max(begun, default=0)
            else:
                assert row["call_trick"] is None


def test_exchanges(known):
    tables, expected = known
    for facts in expected:
        rows = tables.of("exchanges", facts)
        assert [(row["giver"], row["receiver"], row["card"], row["rank"]) for row in rows] == [
            (e["from"], e["to"], bit(e["card"]), card_rank(e["card"])) for e in facts["exchanges"]
        ]
        for row in rows:
            way = DIRECTIONS[(row["receiver"] - row["giver"]) % 4]
            assert (row["passed_to"], row["received_from"]) == way


def test_tricks(known):
    tables, expected = known
    for facts in expected:
        rows = tables.of("tricks", facts)
        assert len(rows) == len(facts["tricks"])
        taken = [0, 0, 0, 0]
        for row, trick in zip(rows, facts["tricks"], strict=True):
            plays = trick["plays"]
            taker = trick["winner_seat"] if trick["dragon_to"] is None else trick["dragon_to"]
            if trick["ended_round"] and plays[-1]["cards"] == ["Dr"] and facts["double_victory"] is not None:
                taker = None
            if taker is not None:
                taken[taker] += trick["points"]
            assert row == {
                "game_id": facts["game"],
                "round": facts["round"],
                "trick": trick["index"],
                "lead_seat": trick["lead_seat"],
                "winner_seat": trick["winner_seat"],
                "taker_seat": taker,
                "kind": plays[0]["kind"],
                "length": plays[0]["length"],
                "won_with": plays[-1]["kind"],
                "n_plays": trick["n_plays"],
                "n_passes": trick["n_passes"],
                "n_bombs": sum(play["is_bomb"] for play in plays),
                "points": trick["points"],
                "cards": mask(trick["cards"]),
                "dragon_to": trick["dragon_to"],
                "first_line": trick["first_line"],
                "last_line": trick["last_line"],
            }
        assert [row["points_taken"] for row in tables.of("hands", facts)] == taken


def test_moves(known):
    tables, expected = known
    for facts in expected:
        rows = tables.of("moves", facts)
        assert [row["move"] for row in rows] == list(range(1, len(rows) + 1))
        assert [row["line"] for row in rows] == sorted({row["line"] for row in rows})
        hands = [mask(hand) for hand in facts["hands_after_exchange"]]
        plays = iter([(trick["index"], play) for trick in facts["tricks"] for play in trick["plays"]])
        wish, wish_line, fulfilled = None, 0, 0
        if facts["wish"]:
            wish, wish_line = facts["wish"]["rank"], facts["wish"]["line"]
            fulfilled = facts["wish"]["fulfilled_line"] or 10**9
        for row in rows:
            assert row["hand_before"] == hands[row["seat"]]
            assert row["wish_open"] == (wish if wish_line < row["line"] <= fulfilled else None)
            if row["action"] == "pass":
                empty = dict.fromkeys(("kind", "rank", "length", "phoenix_rank", "phoenix_reading"))
                empty |= {"cards": 0, "bomb": False, "out_of_turn": False}
                assert {name: row[name] for name in empty} == empty
            else:
                number, play = next(plays)
                cards = mask(play["cards"])
                assert (row["trick"], row["line"], row["seat"]) == (number, play["line"], play["seat"])
                assert (row["cards"], row["kind"]) == (cards, play["kind"])
                assert (row["rank"], row["length"]) == (play["rank"], play["length"])
                assert (row["bomb"], row["out_of_turn"]) == (play["is_bomb"], play["out_of_turn"])
                combined = "Ph" in play["cards"] and len(play["cards"]) > 1
                assert (row["phoenix_reading"] is not None) == (row["phoenix_rank"] is not None) == combined
                hands[row["seat"]] -= cards
            assert row["cards_left"] == hands[row["seat"]].bit_count()
        assert next(plays, None) is None
        for trick in facts["tricks"]:
            passes = [row for row in rows if row["trick"] == trick["index"] and row["action"] == "pass"]
            assert len(passes) == trick["n_passes"]


def test_games(known):
    tables, expected = known
    last = {facts["game"]: facts for facts in expected}
    first = {facts["game"]: facts for facts in reversed(expected)}
    assert len(tables.rows["games"]) == 12
    for (game_id, _), (row,) in tables.rows["games"].items():
        names = [facts["names"] for facts in expected if facts["game"] == game_id]
        changes = sum(a != b for before, after in pairwise(names) for a, b in zip(before, after, strict=True))
        total = last[game_id]["game_score_after"]
        assert [row[f"player_{seat}"] for seat in range(4)] == first[game_id]["names"]
        assert [row["total_0"], row["total_1"]] == total
        assert (row["n_rounds"], row["n_player_changes"], row["n_findings"]) == (len(names), changes, 0)
        assert row["outcome"] == ("finished" if max(total) >= 1000 else "unfinished")
        if max(total) >= 1000 and total[0] != total[1]:
            assert row["winner"] == total.index(max(total))


def bomb_lines(path: Path) -> Iterator[set[int]]:
    """The seats that each round of a log itself names as holders of a bomb, read from its text."""
    holders: set[int] = set()
    for line in path.read_text(encoding="utf-8", errors="replace").split("\n"):
        if line.startswith("BOMBE:"):
            holders = {
                int(word[1]) for word in line.split() if word[0] == "(" and word[1:3] in ("0)", "1)", "2)", "3)")
            }
        if line.startswith("Ergebnis:"):
            yield holders
            holders = set()


def test_bomb_lines_of_real_logs(shared: Path, tmp_path: Path):
    data = ta.export(shared / "real_logs", tmp_path / "data")
    tables = Tables(data)
    seats = 0
    for path in sorted((shared / "real_logs").glob("*.tch")):
        for number, holders in enumerate(bomb_lines(path), 1):
            rows = tables.rows["hands"].get((path.stem, number))
            if rows is not None:
                assert {row["seat"] for row in rows if row["held_bomb"]} == holders, (path.name, number)
                seats += len(holders)
    assert seats > 20
    info = data.info
    assert info["rounds_complete"] == 66
    assert info["rounds_kept"] + sum(info["rounds_excluded"].values()) == info["rounds"]
    reasons = data.rounds.to_pandas()["excluded_by"].value_counts()
    assert {reason: count for reason, count in reasons.items() if count} == info["rounds_excluded"]
