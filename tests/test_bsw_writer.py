"""Records written as logs: what was read comes out again byte for byte, and what a log cannot say is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.bsw.writer import Unwritable, write_game
from tichu_analytics.record import Event, EventKind, Game
from tichu_analytics.record.model import NO_SEAT, UNKNOWN_CARD


def written_again(path: Path) -> bytes:
    return write_game(read_game(path.read_bytes(), path.name, path.stem)).encode()


def test_real_logs_come_out_as_they_were(shared):
    logs = sorted((shared / "real_logs").glob("*.tch"))
    assert len(logs) >= 12
    for path in logs:
        assert written_again(path) == path.read_bytes(), path.name


def test_made_up_logs_come_out_as_they_were(shared):
    logs = sorted((shared / "checks").glob("legal*/*.tch"))
    assert len(logs) >= 12
    for path in logs:
        assert written_again(path) == path.read_bytes(), path.name


def test_sample_logs_come_out_as_they_were(root):
    logs = sorted((root / "sample_logs").glob("*.tch"))
    assert len(logs) == 12
    for path in logs:
        assert written_again(path) == path.read_bytes(), path.name


#: Faulty samples that cannot come out again: a line or card that is none, or a last line that is cut.
NOT_WRITTEN_AGAIN = {"unknown_line.tch", "unknown_card.tch", "truncated.tch"}


def test_faulty_sample_logs_come_out_as_they_were(root):
    for path in sorted((root / "sample_logs" / "faulty").glob("*.tch")):
        if path.name not in NOT_WRITTEN_AGAIN:
            assert written_again(path) == path.read_bytes(), path.name


@pytest.mark.parametrize("lines", [1, 3, 5, 6, 8, 10, 11, 13, 15, 16, 17, 19, 30])
def test_a_log_that_breaks_off_after_a_line_comes_out_as_it_was(root, lines):
    text = (root / "sample_logs" / "1001.tch").read_text(encoding="utf-8")
    part = "".join(text.splitlines(keepends=True)[:lines]).encode()
    assert write_game(read_game(part, "a.tch", "a")).encode() == part


def sample(root: Path) -> Game:
    path = root / "sample_logs" / "1001.tch"
    game = read_game(path.read_bytes(), path.name, path.stem)
    return game._replace(rounds=game.rounds[:1])


def with_event(game: Game, event: Event) -> Game:
    one = game.rounds[0]
    return game._replace(rounds=(one._replace(events=(event, *one.events)),))


@pytest.mark.parametrize(
    "event",
    [
        Event(EventKind.PASS, 1, 0, "two words"),
        Event(EventKind.PASS, 1, 0, "colon:"),
        Event(EventKind.PASS, 1, 0, "line\nend"),
        Event(EventKind.PASS, 1, 4, "seat"),
        Event(EventKind.PASS, 1, NO_SEAT, "seat"),
        Event(EventKind.PLAY, 1, 0, "card", (UNKNOWN_CARD,), 1 << UNKNOWN_CARD),
        Event(EventKind.WISH, 1, NO_SEAT, "", value=0, text="Ma"),
        Event(EventKind.UNREADABLE, 1, NO_SEAT, "", text="?"),
    ],
)
def test_what_a_log_cannot_say_is_refused(root, event):
    with pytest.raises(Unwritable):
        write_game(with_event(sample(root), event))


def test_a_round_without_cards_is_refused(root):
    game = sample(root)
    one = game.rounds[0]
    for damaged in (
        one._replace(first8=(None, *one.first8[1:])),
        one._replace(gifts=(None, *one.gifts[1:])),
        one._replace(result=one.result._replace(score_1=None) if one.result else None),
    ):
        with pytest.raises(Unwritable):
            write_game(game._replace(rounds=(damaged,)))


def test_names_with_a_no_break_space_are_written(root):
    game = with_event(sample(root), Event(EventKind.PASS, 1, 0, "Jolly\u00a0Jumper"))
    assert "(0)Jolly\u00a0Jumper passt.\n" in write_game(game)
