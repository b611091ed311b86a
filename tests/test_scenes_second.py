"""Every position that is shown, beside a second computation from the text of the log (``tests.second_views``).

Scenes come out of the replay, and goldens out of the scenes; here neither has a say. The logs are legal ones: samples,
simulated games, checks and real logs; of damaged rounds it is not known what a position should be.
"""

from __future__ import annotations

import re
import zipfile
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.second_views.table import DOG, DRAGON, MAH_JONG, PHOENIX, Card, Round, Table, phoenix, rounds_of, score
from tests.test_page import Page
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.record.notation import mask_text
from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate import simulate_games
from tichu_analytics.view.frame import Look, game_transcript
from tichu_analytics.view.page import game_page
from tichu_analytics.view.scenes import Scene, round_view

SPECIAL = {"Ma": MAH_JONG, "Do": DOG, "Ph": PHOENIX, "Dr": DRAGON}
RANKS = {**{str(rank): rank for rank in range(2, 11)}, "J": 11, "Q": 12, "K": 13, "A": 14}
COURSE = ("start", "play", "pass", "take", "wish", "tichu", "gift")

Shown = dict[str, Any]


def cards(text: str) -> tuple[Card, ...]:
    """Cards in the notation of the toolkit."""
    return tuple(SPECIAL.get(word) or (word[0], RANKS[word[1:]]) for word in text.split())


@cache
def hands_of(mask: int) -> frozenset[Card]:
    return frozenset(cards(mask_text(mask)))


def shown(scene: Scene) -> Shown:
    return {
        "kind": scene.kind,
        "trick": scene.trick,
        "move": scene.move,
        "hands": tuple(map(hands_of, scene.hands)),
        "active": tuple(seat for seat in range(4) if scene.hands[seat]),
        "table": tuple((laid.seat, sorted(map(card_of, laid.cards))) for laid in scene.table),
        "turn": scene.turn,
        "wish": scene.wish,
        "finish": scene.finish,
        "points": scene.points,
        "calls": scene.calls,
    }


def card_of(bit: int) -> Card:
    (one,) = hands_of(1 << bit)
    return one


def wanted(table: Table) -> Shown:
    return {
        "kind": table.kind,
        "trick": table.trick,
        "move": table.move,
        "hands": table.hands,
        "active": tuple(seat for seat in range(4) if table.hands[seat]),
        "table": tuple((seat, sorted(laid)) for seat, laid in table.laid),
        "turn": table.turn,
        "wish": table.wish,
        "finish": table.out,
        "points": table.points,
        "calls": table.calls,
    }


def flawless(game: GameReplay) -> Iterator[RoundReplay]:
    """Rounds that were played to their end without an error or a warning."""
    for one in game.rounds:
        if one.complete and all(finding.severity == "note" for finding in one.findings):
            yield one


def compared(data: bytes, name: str, seen: Counter[str]) -> int:
    """Compares all positions of a log; how many there are."""
    game = replay(read_game(data, name, name))
    second = {one.number: one for one in rounds_of(data.decode())}
    count = 0
    for one in flawless(game):
        expected = second[one.number]
        view = round_view(one)
        scenes = {scene.number: scene for scene in view.scenes if scene.kind in COURSE}
        for table in expected.tables:
            assert shown(scenes[table.line]) == wanted(table), f"{name}:{table.line}"
            compare_phoenix(scenes[table.line], table, seen)
            seen[table.kind] += 1
        assert len(scenes) == len(expected.tables)
        count += len(expected.tables)
        compare_end(one, view.scenes, expected)
        if len(expected.tables[-1].out) == 2:
            seen["double victory"] += 1
        note(expected, seen)
    return count


def compare_phoenix(scene: Scene, table: Table, seen: Counter[str]) -> None:
    if table.kind != "play" or not table.laid:
        return
    _, last = table.laid[-1]
    stands = phoenix(last, table.laid[-2][1] if len(table.laid) > 1 else None)
    if stands is not None:
        seen["a single Phoenix" if len(last) == 1 else "a Phoenix among others"] += bool(stands)
        assert scene.table[-1].stands == stands, (scene.line, last)


def compare_end(one: RoundReplay, scenes: tuple[Scene, ...], expected: Round) -> None:
    last = scenes[-1]
    assert (last.kind, last.over, last.turn) == ("result", True, None)
    assert tuple(map(hands_of, last.hands)) == expected.tables[-1].hands
    assert last.finish == expected.tables[-1].out
    if not one.findings:
        assert one.score == score(expected) == expected.result


def note(expected: Round, seen: Counter[str]) -> None:
    """Counts what is rare, so that a test can say that it was there."""
    wish = 0
    for before, table in zip(expected.tables, expected.tables[1:], strict=False):
        if wish and not table.wish and table.kind == "play":
            seen["a wish is met"] += 1
        wish = table.wish
        if table.kind == "play":
            seat, laid = table.laid[-1]
            seen["a bomb out of turn"] += before.turn not in (None, seat)
            seen["the Dog"] += laid == (DOG,)
            seen["the Dog to a partner who is out"] += laid == (DOG,) and table.turn != (seat + 2) % 4
        seen["the taking of a trick without a line"] += table.kind == "pass" and not table.laid
        seen["Tichu within a trick"] += table.kind == "tichu" and bool(table.laid)


def assert_all_was_there(seen: Counter[str], *rare: str) -> None:
    for what in (*COURSE, *rare):
        assert seen[what] > 0, what


RARE = (
    *("double victory", "a wish is met", "a bomb out of turn", "the Dog", "a single Phoenix", "a Phoenix among others"),
    *("the taking of a trick without a line", "Tichu within a trick"),
)


def test_sample_games() -> None:
    seen: Counter[str] = Counter()
    count = 0
    with zipfile.ZipFile(ROOT / "sample_logs" / "games.zip") as file:
        for name in [name for name in file.namelist() if name.endswith(".tch")][::3]:
            count += compared(file.read(name), name, seen)
    for path in sorted((ROOT / "sample_logs").glob("*.tch")):
        count += compared(path.read_bytes(), path.name, seen)
    assert count > 50_000
    assert_all_was_there(seen, *RARE)


@pytest.mark.parametrize("seed", [5, 6])
def test_simulated_games(seed: int) -> None:
    seen: Counter[str] = Counter()
    for number, game in enumerate(simulate_games(8, seed)):
        compared(game.text.encode(), str(number), seen)
    assert_all_was_there(seen, "double victory", "the Dog")


def test_checks_and_real_logs(shared: Path) -> None:
    seen: Counter[str] = Counter()
    logs = [*sorted((shared / "checks" / "legal").glob("*.tch")), *sorted((shared / "real_logs").glob("*.tch"))]
    assert sum(compared(path.read_bytes(), path.name, seen) for path in logs) > 8_000
    assert_all_was_there(seen, *RARE)


FRAME = re.compile(r"^Round (\d+) of \d+,(?: trick (\d+),)?(?: move (\d+),)? line (\d+), total (-?\d+) - (-?\d+)$")
SEAT = re.compile(r"^([> ]) (\d) .*?  +(-?\d+)  (Tichu  |Grand Tichu  )?(.*)$")
CODE = r"(?:[SBGR](?:10|[2-9JQKA])|Ma|Do|Ph|Dr)"
LAID = re.compile(rf"^  (?:table: |       )({CODE}(?: {CODE})*)(?=:? )")
CALLS = {None: "", "Tichu  ": "tichu", "Grand Tichu  ": "grand"}


def drawn(frame: str) -> tuple[int, Shown]:
    """What can be read in one position of a transcript, and its line."""
    rows = frame.replace("[", "").replace("]", "").split("\n")  # which point out cards that were received
    head = FRAME.match(rows[0])
    assert head is not None, frame
    seats = [found for row in rows[1:5] if (found := SEAT.match(row))]
    assert [int(found[2]) for found in seats] == [0, 1, 2, 3], frame
    laid = [found[1] for row in rows[5:] if (found := LAID.match(row))]
    hands = [found[5] if re.fullmatch(rf"{CODE}(?: {CODE})*", found[5]) else "" for found in seats]
    return int(head[4]), {
        "trick": int(head[2] or 0),
        "hands": tuple(frozenset(cards(hand)) for hand in hands),
        "table": [sorted(cards(one)) for one in reversed(laid)],
        "turn": next((int(found[2]) for found in seats if found[1] == ">"), None),
        "points": tuple(int(found[3]) for found in seats),
        "calls": tuple(CALLS[found[4]] for found in seats),
        "wish": next((row.split()[1] for row in rows[5:] if row.startswith("  wish: ")), ""),
    }


def stepped(data: dict[str, Any]) -> Iterator[tuple[int, Shown]]:
    """The positions of a round on the page, each put together as the player does: what has changed on what was."""
    now: dict[str, Any] = {"trick": 0, "move": 0, "table": [0, 0], "turn": None, "wish": "", "out": []}
    now |= {"points": [0, 0, 0, 0], "calls": [""] * 4}
    hands = ["", "", "", ""]
    for scene in data["scenes"]:
        now |= {key: scene[key] for key in now if key in scene}
        for seat, text in scene.get("hands", {}).items():
            hands[int(seat)] = text
        yield (
            scene["line"],
            {
                "kind": scene["kind"],
                **{key: now[key] for key in ("trick", "move", "turn")},
                "hands": tuple(frozenset(cards(hand)) for hand in hands),
                "table": tuple((one[0], sorted(cards(one[1]))) for one in data["laid"][slice(*now["table"])]),
                "wish": RANKS.get(now["wish"], 0),
                "finish": tuple(now["out"]),
                "points": tuple(now["points"]),
                "calls": tuple(now["calls"]),
            },
        )


@pytest.mark.parametrize("name", ["1001", "1002", "1005", "1009"])
def test_what_is_drawn_is_the_same(name: str) -> None:
    """Read back from the data of the page, and from the transcript of all positions."""
    path = ROOT / "sample_logs" / f"{name}.tch"
    game = replay(read_game(path.read_bytes(), path.name, name))
    flawless_rounds = {one.number for one in flawless(game)}
    page = Page(game_page(game)).data["rounds"]
    on_page = {line: values for one in page for line, values in stepped(one)}
    text = "".join(game_transcript(game, Look()))
    frames = dict(drawn(frame) for frame in re.split(r"\n\n(?=Round )", text[text.index("\nRound ") + 1 :]))
    count = 0
    for expected in rounds_of(path.read_text(encoding="utf-8")):
        if expected.number not in flawless_rounds:
            continue
        for table in expected.tables:
            want = wanted(table)
            assert on_page[table.line] == {key: want[key] for key in on_page[table.line]}, table.line
            frame = dict(frames[table.line])
            want["table"] = [laid for _, laid in want["table"]]
            wish = frame.pop("wish")
            assert RANKS.get(wish, 0) == table.wish, table.line
            assert frame == {key: want[key] for key in frame}, table.line
            count += 1
    assert count > 300
