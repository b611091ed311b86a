"""Made-up games with everything that is true about them, logs with one fault each, and real logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tichu_analytics.bulk.quick import QuickCheck
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.bsw.lines import CARD_NAMES
from tichu_analytics.replay.facts import GameReplay, RoundReplay, Trick
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.combinations import KIND_NAMES, holds_bomb
from tichu_analytics.rules.rulesets import get_rule_set


def replayed(path: Path, rules: str) -> GameReplay:
    return replay(read_game(path.read_bytes(), path.name, path.stem), rules)


def card_names(mask: int) -> set[str]:
    return {name for bit, name in enumerate(CARD_NAMES) if mask >> bit & 1}


def written(cards: tuple[int, ...]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def json_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def games(shared: Path) -> Iterator[Path]:
    yield from sorted((shared / "checks").glob("legal*/*.tch"))


@pytest.mark.parametrize("rules", ["bsw", "official"])
def test_legal_games_have_no_finding(shared: Path, rules: str) -> None:
    paths = list(games(shared))
    assert len(paths) == 12
    for path in paths:
        found = replayed(path, rules)
        assert found.findings == (), path.name
        assert all(one.legal for one in found.rounds)
        assert QuickCheck(get_rule_set(rules).options).vouch(path.read_bytes()) == len(found.rounds)


def play_facts(trick: Trick) -> list[dict[str, Any]]:
    return [
        {
            "line": move.line,
            "seat": move.seat,
            "cards": written(move.cards),
            "kind": KIND_NAMES[move.kind],
            "rank": move.rank2 / 2,
            "length": move.length,
            "is_bomb": move.bomb,
            "out_of_turn": move.out_of_turn,
        }
        for move in trick.moves
        if move.cards
    ]


def trick_facts(trick: Trick, last: bool) -> dict[str, Any]:
    cards = [card for move in trick.moves for card in written(move.cards)]
    assert set(cards) == card_names(trick.cards)
    return {
        "index": trick.number,
        "lead_seat": trick.lead_seat,
        "winner_seat": trick.winner_seat,
        "points": trick.points,
        "cards": cards,
        "n_plays": trick.n_plays,
        "n_passes": trick.n_passes,
        "collect_line": trick.collect_line,
        "dragon_to": trick.dragon_to,
        "ended_round": last,
        "first_line": trick.first_line,
        "last_line": trick.last_line,
        "plays": play_facts(trick),
    }


def round_facts(game_id: str, one: RoundReplay) -> dict[str, Any]:
    tricks = [trick_facts(trick, trick is one.tricks[-1]) for trick in one.tricks]
    wish = one.wish
    return {
        "game": game_id,
        "round": one.number,
        "names": list(one.record.names),
        "first_line": one.first_line,
        "n_lines": one.last_line - one.first_line + 1,
        # The player left over stands last there.
        "finish_order": [*one.finish, *([6 - sum(one.finish)] if one.double_victory is None else [])],
        "hands_after_exchange": [sorted(card_names(hand)) for hand in one.held],
        "bomb_holders": [seat for seat in range(4) if holds_bomb(one.held[seat])],
        "calls": [
            {
                "seat": call.seat,
                "kind": "grand" if call.grand else "tichu",
                "when": call.when,
                "line": call.line,
                "success": call.success,
            }
            for call in one.calls
            if call is not None
        ],
        "exchanges": [
            {"from": seat, "to": (seat + step + 1) % 4, "card": CARD_NAMES[card]}
            for seat, cards in enumerate(one.exchanged)
            if cards is not None
            for step, card in enumerate(cards)
        ],
        "tricks": tricks,
        "bombs": [play | {"trick": trick["index"]} for trick in tricks for play in trick["plays"] if play["is_bomb"]],
        "wish": wish
        and {
            "seat": wish.seat,
            "rank": wish.rank,
            "line": wish.line,
            "fulfilled_line": wish.fulfilled_line,
            "fulfilled_by": wish.fulfilled_seat,
        },
        "card_points": None if one.card_points is None else list(one.card_points),
        "score": None if one.score is None else list(one.score),
        "double_victory": one.double_victory,
        "game_score_after": list(one.total_after),
    }


@pytest.mark.parametrize("folder", ["legal", "legal_odd_names"])
@pytest.mark.parametrize("rules", ["bsw", "official"])
def test_every_fact_of_the_legal_games(shared: Path, folder: str, rules: str) -> None:
    expected = json_lines(shared / "checks" / folder / "expected.jsonl")
    found = {}
    for path in sorted((shared / "checks" / folder).glob("*.tch")):
        for one in replayed(path, rules).rounds:
            found[path.stem, one.number] = round_facts(path.stem, one)
    assert len(found) == len(expected)
    for facts in expected:
        mine = found[facts["game"], facts["round"]]
        facts["hands_after_exchange"] = [sorted(hand) for hand in facts["hands_after_exchange"]]
        facts["calls"].sort(key=lambda call: call["seat"])
        assert mine.keys() == facts.keys()
        for key, value in facts.items():
            assert mine[key] == value, (facts["game"], facts["round"], key)


@pytest.mark.parametrize(("folder", "number"), [("one_fault", 54), ("one_illegal_move", 20)])
def test_one_fault_gives_one_finding(shared: Path, folder: str, number: int) -> None:
    faults = json_lines(shared / "checks" / folder / "faults.jsonl")
    assert len(faults) == number
    quick = QuickCheck(get_rule_set("bsw").options)
    for fault in faults:
        path = shared / "checks" / folder / fault["file"]
        findings = replayed(path, "bsw").findings
        assert [(finding.round, finding.line) for finding in findings] == [(fault["round"], fault["line"])], fault
        assert quick.vouch(path.read_bytes()) is None


#: What the README of the real logs says, by file: round, name and severity of each finding.
REAL_LOGS: dict[str, list[tuple[int, str, str]]] = {
    "2241381.tch": [],
    "2241402.tch": [(10, "truncated", "warning")],
    "900007.tch": [*[(1, "name-changed", "note")] * 4, (12, "bomb-over-wish", "note")],
    "900011.tch": [(4, "grand-bonus-missing", "error")],
    "10022_round10.tch": [(1, "call-doubled", "note")],
    "100920_round4.tch": [(1, "name-changed", "note")],
    "100952_round8.tch": [(1, "name-missing", "note")],
    "2417500_round1.tch": [],
    "2417501_round0.tch": [],
    "1.tch": [],
    "10078.tch": [],
    "one_round_no_tichu.tch": [],
}


def test_real_logs_under_bsw(shared: Path) -> None:
    paths = sorted((shared / "real_logs").glob("*.tch"))
    assert {path.name for path in paths} == set(REAL_LOGS)
    complete = 0
    for path in paths:
        found = replayed(path, "bsw")
        seen = [(finding.round, finding.name, finding.severity) for finding in found.findings]
        assert seen == REAL_LOGS[path.name], path.name
        complete += sum(one.complete for one in found.rounds)
    assert complete == 66


def test_bomb_lines_of_real_logs_agree(shared: Path) -> None:
    named = 0
    for path in sorted((shared / "real_logs").glob("*.tch")):
        for one in replayed(path, "bsw").rounds:
            line = one.record.bomb_line
            holders = tuple(seat for seat in range(4) if holds_bomb(one.held[seat]))
            if one.complete:
                assert (line.seats if line else ()) == holders
                named += len(holders)
    assert named > 20
