"""A pass line with another seat's number: one finding on that line, and all that is true of the round is as without it.

The line is the pass, or the taking of the trick, of the seat to act: that is what the line after it says.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.regenerate_golden import DATA
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.replay.game import replay

LOGS = [ROOT / "tests" / "data" / "damaged_by_hand.tch", DATA / "legal.tch", ROOT / "sample_logs" / "1001.tch"]
PASS = re.compile(r"\(([0-3])\)(.*) passt\.")


def facts(one: Any) -> tuple[Any, ...]:
    taken = [(trick.winner_seat, trick.taker_seat, trick.dragon_to, trick.points) for trick in one.tricks]
    return one.score, one.card_points, one.points_taken, one.finish, taken


@pytest.mark.parametrize("log", LOGS, ids=lambda path: path.stem)
def test_every_pass_under_every_other_seat(log: Path) -> None:
    lines = log.read_text(encoding="utf-8").split("\n")
    sound = replay(read_game("\n".join(lines).encode(), "x.tch", "x"))
    assert not sound.findings
    count = 0
    for one in sound.rounds:
        for place in range(one.first_line - 1, one.last_line):
            found = PASS.fullmatch(lines[place])
            for seat in range(4) if found else ():
                if found is None or seat == int(found[1]):
                    continue
                line = f"({seat}){one.record.names[seat]} passt."
                changed = replay(
                    read_game("\n".join([*lines[:place], line, *lines[place + 1 :]]).encode(), "x.tch", "x")
                )
                assert [finding.line for finding in changed.findings] == [place + 1]
                assert facts(changed.rounds[one.number - 1]) == facts(one), place + 1
                count += 1
    assert count > 100
