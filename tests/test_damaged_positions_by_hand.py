"""Damaged rounds, written by hand from the rules, with the positions that must be shown at the damage and after it.

All are one legal round, each with one thing wrong in it: ``data/damaged_by_hand.txt`` has them, and how it is read.
What must come of them was written down from the rules and from how damaged logs are to be taken (the log's word is
taken as far as it goes, one cause is one finding, a card that is not held leaves no other hand), before the tool had
seen them. Where the two differed, the documents of the rules and the findings decided; what they leave open is not
among the positions.
"""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.test_scenes_second import compared
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.bsw.lines import CARD_BITS
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.view.scenes import Scene, round_view

DATA = Path(__file__).parent / "data"
LOG = (DATA / "damaged_by_hand.tch").read_text(encoding="utf-8")


class Case(NamedTuple):
    """A damaged round.

    Attributes:
        log: its text.
        outcome: finding and score.
        positions: rows as they stand in the file.
    """

    log: str
    outcome: str
    positions: tuple[str, ...]


def numbers(text: str) -> range:
    """The numbers from ``46-49`` or ``46``."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def case(rows: list[str]) -> Case:
    """A damaged round out of the rows of the file."""
    lines = {number: [line] for number, line in enumerate(LOG.splitlines(), start=1)}
    changed: set[int] = set()
    end, outcome, positions = "\n", "", []
    for row in rows:
        if change := re.match(r"(\d+) > (.*)", row):
            number = int(change[1])
            lines[number] = [*lines[number], change[2]] if number in changed else [change[2]]
            changed.add(number)
        elif row.endswith(" left out"):
            lines.update((number, []) for number in numbers(row.removesuffix(" left out")))
        elif row == "no line end":
            end = ""
        elif row.startswith("finding "):
            outcome = row
        else:
            positions.append(row)
    return Case("\n".join(line for number in lines for line in lines[number]) + end, outcome, tuple(positions))


def cases() -> dict[str, Case]:
    """All damaged rounds by name."""
    text = (DATA / "damaged_by_hand.txt").read_text(encoding="utf-8")
    blocks = [block.split("\n") for block in text.rstrip("\n").split("\n== ")[1:]]
    return {name: case([row for row in rows if row]) for name, *rows in blocks}


CASES = cases()


def replayed(log: str) -> GameReplay:
    return replay(read_game(log.encode(), "by hand", "by hand"), "bsw")


def cards(words: list[str]) -> int:
    """A set of cards in the log's own notation."""
    return sum(1 << CARD_BITS[word] for word in words)


def shown(scene: Scene) -> dict[str, Any]:
    """What a scene shows, by the names of the fields."""
    return {
        **{str(seat): scene.hands[seat] for seat in range(4)},
        "on": [(laid.seat, sum(1 << card for card in set(laid.cards))) for laid in scene.table],
        "passed": list(scene.passed),
        "turn": scene.turn,
        "wish": scene.wish,
        "points": list(scene.points),
        "out": list(scene.finish),
        "called": [seat for seat in range(4) if scene.calls[seat]],
    }


def wanted(field: str, words: list[str], before: Any) -> Any:
    """What a field says, where the round itself has ``before``."""
    if field in "0123":
        if not any(word[0] in "+-" for word in words):
            return cards(words)
        more = cards([word[1:] for word in words if word[0] == "+"])
        return (before | more) & ~cards([word[1:] for word in words if word[0] == "-"])
    if field == "on":
        return [(int(word[0]), cards(word[2:].split("+"))) for word in words]
    if field in ("turn", "wish"):
        return None if words == ["-"] else int(words[0])
    return [int(word) for word in words]


def scenes(log: str) -> dict[int, Scene]:
    """The scenes of a log of one round by line, without that of its result."""
    (one,) = replayed(log).rounds
    return {scene.number: scene for scene in round_view(one).scenes if scene.kind != "result"}


ITSELF = {number: shown(scene) for number, scene in scenes(LOG).items()}


def test_the_round_itself() -> None:
    """It is legal, and its positions are those of the second computation, which the others are measured by."""
    assert not replayed(LOG).findings
    assert compared(LOG.encode(), "by hand", Counter()) == 67


def test_there_are_many() -> None:
    assert len(CASES) > 30
    assert len({one.outcome.split()[2] for one in CASES.values()}) > 20
    assert all(one.positions for one in CASES.values())


@pytest.mark.parametrize("name", CASES)
def test_finding_and_score(name: str) -> None:
    game = replayed(CASES[name].log)
    (finding,) = game.findings
    score = game.rounds[0].score
    told = "-" if score is None else f"{score[0]} {score[1]}"
    assert f"finding {finding.line} {finding.code}, score {told}" == CASES[name].outcome
    placed = [scene.number for scene in round_view(game.rounds[0]).scenes if finding in scene.findings]
    # What is wrong in the set-up stands with the scene of all lines of that sort.
    assert placed == [finding.line] or finding.line < 17


@pytest.mark.parametrize("name", CASES)
def test_positions(name: str) -> None:
    found = scenes(CASES[name].log)
    for row in CASES[name].positions:
        place, *fields = row.split(" | ")
        lines, _, like = place.partition(" = ")
        for step, line in enumerate(numbers(lines)):
            expected = dict(ITSELF[int(like) + step])
            for field in fields:
                key, *words = field.split()
                expected[key] = wanted(key, words, expected[key])
            assert shown(found[line]) == expected, f"line {line}: {row}"


@pytest.mark.parametrize("name", CASES)
def test_nothing_changes_before_the_damage(name: str) -> None:
    """Up to the first line that differs, a damaged round shows what the round itself shows."""
    pairs = zip(CASES[name].log.split("\n"), LOG.split("\n"), strict=False)
    first = next(number for number, (line, own) in enumerate(pairs, start=1) if line.rstrip() != own.rstrip())
    found = scenes(CASES[name].log)
    for line in range(17, first):
        assert shown(found[line]) == ITSELF[line]
