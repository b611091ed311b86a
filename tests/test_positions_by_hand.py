"""Records of one or two rounds, each about one point of the rules, with what must come of it written beside it.

They were made by hand from the rules, and the expectations were written down before the tool had seen them:
``_expected`` has the point, and by rule set (``auto``: what the record names) the findings as code, first letter of the
severity and JSON pointer, and texts that a transcript must have (``show``). Positions about which rules and tool were
not of one mind, and which a decision settles, are not among them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tichu_analytics.formats.tgr.reader import read_game
from tichu_analytics.formats.tgr.schema import faults
from tichu_analytics.replay.game import replay
from tichu_analytics.view.text import game_text

LINES = (Path(__file__).parent / "data" / "positions.tgr.jsonl").read_bytes().splitlines()
POSITIONS: list[dict[str, Any]] = [json.loads(line) for line in LINES]


def test_there_are_many() -> None:
    assert len(POSITIONS) > 300
    assert len({position["id"] for position in POSITIONS}) == len(POSITIONS)
    codes = {code for position in POSITIONS for code, _, _ in position["_expected"]["official"]}
    assert len(codes) > 40


@pytest.mark.parametrize(
    ("line", "position"),
    [*zip(LINES, POSITIONS, strict=True)],
    ids=[f"{position['id']}: {position['_expected']['point']}"[:70] for position in POSITIONS],
)
def test_position(line: bytes, position: dict[str, Any]) -> None:
    expected = position["_expected"]
    for rules in ("official", "bsw", "auto"):
        if rules not in expected:
            continue
        found = replay(read_game(line, "x", "x"), rules)
        said = sorted([finding.code, finding.severity[0], finding.pointer] for finding in found.findings)
        assert said == sorted(expected[rules]), rules
        text = re.sub(r"\s+", " ", game_text(found))
        for words in expected.get("show", {}).get(rules, ()):
            assert words in text
    if not any(code in ("T041", "T042") for code, _, _ in expected["official"]):
        assert faults(position) == []
