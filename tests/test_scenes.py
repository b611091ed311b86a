"""Rounds as scenes: what every view draws, for logs in whatever state, and the transcripts of every position."""

from __future__ import annotations

import re
import time
from itertools import pairwise
from pathlib import Path

import pytest

from tests.regenerate_golden import DATA, POSITIONS, rendered
from tests.test_show import FAULTY, HARMFUL, LEGAL, replayed, with_names
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.registry import read_input
from tichu_analytics.formats.sources import Input, read_inputs
from tichu_analytics.record import EventKind
from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import PHOENIX_MASK
from tichu_analytics.rules.combinations import DOG_PLAY
from tichu_analytics.view.columns import cell_width
from tichu_analytics.view.frame import Look, fold, frame_rows, game_transcript, row_text
from tichu_analytics.view.page import game_page
from tichu_analytics.view.saying import plain
from tichu_analytics.view.scenes import RoundView, round_view


def games(*folders: Path) -> list[GameReplay]:
    """All games in folders, records of several games among them."""
    found = []
    for item in read_inputs([str(folder) for folder in folders]):
        assert isinstance(item, Input)
        found.append(replay(read_input(item)))
    return found


def views(game: GameReplay) -> list[RoundView]:
    return [round_view(one, game.game.places) for one in game.rounds]


def assert_complete(view: RoundView) -> None:
    """Every event and every finding has its scene, in the order of the log, and every scene can be drawn."""
    one = view.one
    numbers = [scene.number for scene in view.scenes]
    assert numbers == sorted(numbers)
    course = [
        scene for scene in view.scenes if scene.kind not in ("first8", "deal", "call", "exchange", "start", "result")
    ]
    assert [scene.number for scene in course] == [event.line for event in one.record.events]
    assert [scene.kind for scene in view.scenes].count("result") == 1
    shown = [finding for scene in view.scenes for finding in scene.findings]
    assert sorted(shown) == sorted(one.findings)
    assert len(view.tricks) == len(one.tricks)
    assert list(view.tricks) == sorted(view.tricks)
    lines = {event.line for event in one.record.events}
    moves = [move for move in one.moves if move.line in lines]
    assert max((scene.move for scene in view.scenes), default=0) == len(moves)
    for before, after in pairwise(view.scenes):
        assert 0 <= after.move - before.move <= 1
        assert after.trick >= before.trick
    for scene in view.scenes:
        assert plain(scene.said, view.labels)
        assert not HARMFUL.search(plain(scene.said, view.labels))


def assert_as_played(view: RoundView) -> None:
    """In a round that was legally played the table follows from the moves alone."""
    one = view.one
    by_line = {move.line: move for move in one.moves}
    for scene, position in zip([s for s in view.scenes if s.kind in COURSE], one.positions(), strict=True):
        assert (scene.hands, scene.points, scene.finish) == (position.hands, position.points, position.finish)
        assert (scene.turn, scene.wish, scene.over) == (position.turn, position.wish, position.over)
        move = by_line.get(scene.number)
        if move is not None and move.cards:
            assert scene.kind == "play" and scene.seat == move.seat
            assert scene.table[-1].cards == move.cards and not scene.passed
            assert bool(scene.table[-1].stands) == bool(move.phoenix or move.mask == PHOENIX_MASK)
        elif position.owner is None:
            assert not scene.table and not scene.passed
        else:
            assert scene.table[-1].seat == position.owner
            assert scene.passed == passed_since(one, scene.number)
    calls = {call.line: call for call in one.calls if call is not None}
    for scene in view.scenes:
        called = [call for line, call in calls.items() if line <= scene.number]
        assert sorted(seat for seat in range(4) if scene.calls[seat]) == sorted(call.seat for call in called)
    takes = [trick for trick in one.tricks if trick.kind != DOG_PLAY]
    said = [plain(scene.said, view.labels) for scene in view.scenes]
    assert sum("takes the trick" in text or "wins the trick" in text for text in said) == len(takes)


COURSE = ("start", "play", "pass", "take", "wish", "tichu", "grand", "gift", "unreadable")


def passed_since(one: RoundReplay, line: int) -> tuple[int, ...]:
    """Who has passed since the last play, from the moves."""
    passed: list[int] = []
    for move in one.moves:
        if move.line <= line:
            passed = [] if move.cards else [*passed, move.seat]
    return tuple(passed)


def test_legal_rounds(root: Path) -> None:
    n_rounds = 0
    for game in [replayed(LEGAL), *games(root / "sample_logs" / "1004.tch", root / "sample_logs" / "tgr")]:
        for view in views(game):
            assert_complete(view)
            if view.one.legal and not view.one.findings:
                assert_as_played(view)
                n_rounds += 1
    assert n_rounds > 100


def test_every_real_and_every_made_up_log(shared: Path) -> None:
    found = games(shared / "real_logs", shared / "checks")
    assert len(found) > 90
    n_rounds = 0
    for game in found:
        for view in views(game):
            assert_complete(view)
            if view.one.legal and not view.one.findings:
                assert_as_played(view)
                n_rounds += 1
        assert not HARMFUL.search(game_transcript(game))
    assert n_rounds > 200


def test_every_faulty_log(root: Path) -> None:
    found = games(root / "sample_logs" / "faulty")
    assert len(found) > 20
    for game in found:
        for view in views(game):
            assert_complete(view)
        text = game_transcript(game)
        assert not HARMFUL.search(text)
        if game.rounds:
            assert text.count("\n>>> ") == len(game.findings)


@pytest.mark.parametrize("length", range(0, len(LEGAL) // 3, 97))
def test_a_log_cut_anywhere(length: int) -> None:
    for view in views(replayed(LEGAL[:length])):
        assert_complete(view)


@pytest.mark.parametrize("left_out", range(1, 89, 3))
def test_a_log_without_one_line(left_out: int) -> None:
    lines = LEGAL.split(b"\n")
    for view in views(replayed(b"\n".join(lines[:left_out] + lines[left_out + 1 :]))):
        assert_complete(view)


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x00\xff\xfe garbage \x1b[2J", b"Ergebnis: 1 - 2\n", b"(0)a: S2 \n"])
def test_what_is_no_log(data: bytes) -> None:
    game = replayed(data)
    for view in views(game):
        assert_complete(view)
    assert not HARMFUL.search(game_transcript(game))


def test_endless_tricks_take_no_endless_time() -> None:
    """Plays and passes that no round can have, in one trick: every view stays in proportion to the log."""
    at = LEGAL.index(b"Ergebnis:")
    more = b"(0)Anouk: S5 \n(1)Bente passt.\n(2)C\xc3\xa9line: x\n" * 4000
    lines = LEGAL[:at].splitlines(keepends=True)
    game = replayed(b"".join(lines[:24]) + more + b"".join(lines[24:]) + LEGAL[at:])
    start = time.monotonic()
    found = views(game)
    assert max(len(scene.table) for scene in found[0].scenes) <= 56
    assert len(found[0].scenes) > 12_000
    assert len(game_page(game)) < 6_000_000
    assert time.monotonic() - start < 30


def test_exchange_and_what_came_of_it() -> None:
    view = views(replayed(LEGAL))[0]
    exchange = next(scene for scene in view.scenes if scene.kind == "exchange")
    start = next(scene for scene in view.scenes if scene.kind == "start")
    for seat in range(4):
        assert exchange.hands[seat] == view.one.dealt[seat] and start.hands[seat] == view.one.held[seat]
        assert exchange.marked[seat].bit_count() == start.marked[seat].bit_count() == 3
        assert exchange.hands[seat] & ~exchange.marked[seat] == start.hands[seat] & ~start.marked[seat]


def test_lines_after_the_result_come_after_it() -> None:
    view = views(replayed(FAULTY))[1]
    at = [scene.kind for scene in view.scenes].index("result")
    assert [event.kind for event in view.one.record.events][-1] == EventKind.PASS
    assert [scene.kind for scene in view.scenes[at:]] == ["result", "pass"]


def test_the_table_keeps_the_trick_until_it_is_taken() -> None:
    view = views(replayed(LEGAL))[2]
    stairs = next(scene for scene in view.scenes if scene.number == 204)
    assert [plain((laid.cards,), view.labels) for laid in stairs.table][-2:] == ["RK BK BQ SQ", "R5 G5 B5 S5"]
    assert stairs.table[-1].bomb and stairs.table[-1].out_of_turn
    assert plain(stairs.said, view.labels) == "D_Ωmega_of_Longname plays R5 G5 B5 S5: bomb of four 5; out of turn."


# ---------------------------------------------------------------- transcripts


@pytest.mark.parametrize("name", POSITIONS)
def test_golden_positions(name: str) -> None:
    """After an intended change: python -m tests.regenerate_golden, then look at the difference."""
    assert rendered(name) == (DATA / name).read_text(encoding="utf-8")


def test_only_one_hand_is_open() -> None:
    game = replayed(LEGAL)
    view = views(game)[0]
    for index, scene in enumerate(view.scenes):
        for hands in ("seat", 2):
            text = "\n".join(row_text(row) for row in frame_rows(game, view, index, Look(hands=hands)))
            seats = [line for line in text.splitlines() if re.match(r"[ >] [0-3] ", line)]
            closed = [seat for seat, line in enumerate(seats) if re.search(r" \d+ cards?$", line)]
            open_seat = scene.turn if hands == "seat" else hands
            assert closed == [seat for seat in range(4) if seat != open_seat and scene.hands[seat]]


@pytest.mark.parametrize("width", [20, 33, 60, 100])
def test_frames_keep_to_the_width(width: int) -> None:
    names = ("x" * 300, "本" * 30, "", "\u202eevil\x1b[2J")
    for game in (replayed(FAULTY), with_names(*names)):
        for view in views(game):
            for index in range(len(view.scenes)):
                for symbols in (True, False):
                    for row in frame_rows(game, view, index, Look(width, "utf-8", symbols)):
                        assert cell_width(row_text(row)) <= width
                        assert not HARMFUL.search(row_text(row))


def test_fold_breaks_between_words_only() -> None:
    view = views(replayed(LEGAL))[0]
    game = replayed(LEGAL)
    for index in range(len(view.scenes)):
        whole = frame_rows(game, view, index, Look())
        for row in whole:
            parts = fold(row, 30)
            said = " ".join(row_text(part).strip() for part in parts)
            assert said.split() == row_text(row).split()


def test_an_encoding_without_the_letters() -> None:
    for encoding in ("ascii", "latin-1"):
        game_transcript(replayed(LEGAL), Look(None, encoding)).encode(encoding)


def test_only_what_the_log_tells_is_said_of_deal_and_exchange() -> None:
    """A log that breaks off before the course, after each of its lines."""
    lines = LEGAL.decode().split("\n")
    seen = set()
    for count in range(2, 18):
        game = replay(read_game("\n".join([*lines[:count], ""]).encode(), "cut.tch", "cut"))
        one = game.rounds[0]
        whole = [hand.bit_count() == 14 for hand in one.dealt]
        told = {"first8": one.first8, "deal": whole, "exchange": one.exchanged}
        view = round_view(one)
        for scene in view.scenes:
            if scene.kind not in told:
                continue
            missing = [seat for seat in range(4) if not told[scene.kind][seat]]
            said = plain(scene.said, view.labels)
            assert ("not known" in said) == bool(missing), said
            assert [part for part in scene.said if isinstance(part, int)] == missing
            seen.add((scene.kind, len(missing)))
    assert {("first8", 0), ("first8", 2), ("deal", 0), ("exchange", 0), ("exchange", 2)} <= seen
    assert any(kind == "deal" and count for kind, count in seen)
