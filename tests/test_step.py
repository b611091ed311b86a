"""``tichu show --step`` on a pseudo terminal, and what it says where there is none."""

from __future__ import annotations

import gzip
import os
import re
import select
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

import pytest

from tests.conftest import ROOT
from tests.regenerate_golden import DATA
from tests.test_show import FAULTY, HARMFUL, LEGAL, replayed, show, with_names
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.replay.game import replay
from tichu_analytics.view.colours import console, painted, text_rows
from tichu_analytics.view.columns import cell_width
from tichu_analytics.view.frame import Look, frame_rows, row_text
from tichu_analytics.view.text import game_text
from tichu_analytics.view.walk import Walk, parse_place
from tichu_cli.step import split_keys

SGR = re.compile(r"\x1b\[[0-9;]*m")


def test_keys() -> None:
    assert list(split_keys("n\x1b[C\x1bOD\x1b[5~ä\x1b")) == ["n", "\x1b[C", "\x1bOD", "\x1b[5~", "ä", "\x1b"]
    # A key together with Alt, an escape in what is pasted: neither is the key escape, which quits.
    assert list(split_keys("\x1bnq\x1b[n\x1b[")) == ["\x1bn", "q", "\x1b[n", "\x1b["]
    assert list(split_keys("\x1b\x1b[Cq\x1b\x1bOAn\x1b[<0;1;1Mn")) == [
        "\x1b\x1b[C",
        "q",
        "\x1b\x1bOA",
        "n",
        "\x1b[<0;1;1M",
        "n",
    ]
    assert list(split_keys("\x1b\x1b")) == ["\x1b", "\x1b"]


# ---------------------------------------------------------------- on a terminal


class Terminal:
    """``tichu show`` on a pseudo terminal, and a simple idea of what is on its screen."""

    def __init__(self, *args: str | Path, columns: int = 90, lines: int = 24, **environment: str) -> None:
        pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")
        self.ours, theirs = pty.openpty()
        self.size(columns, lines)
        env = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES", "NO_COLOR")}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tichu_cli.main", "show", *map(str, args)],
            stdin=theirs,
            stdout=theirs,
            stderr=subprocess.PIPE,
            env={**env, "TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment},
            start_new_session=True,
        )
        os.close(theirs)
        self.raw = ""

    def size(self, columns: int, lines: int) -> None:
        import fcntl
        import struct
        import termios

        fcntl.ioctl(self.ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()
        os.close(self.ours)

    def read(self, until: str) -> list[str]:
        """The lines of the screen, once the last frame has a text."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.frame_with(until):
                return self.screen()
            if select.select([self.ours], [], [], 0.2)[0]:
                try:
                    self.raw += os.read(self.ours, 65536).decode("utf-8", "replace")
                except OSError:
                    break
        raise AssertionError(f"{until!r} was not shown; last: {self.screen()}")

    def frame_with(self, until: str) -> bool:
        return self.raw.endswith("\x1b[J") and any(until in line for line in self.screen())

    def screen(self) -> list[str]:
        frame = self.raw.rpartition("\x1b[H")[2].partition("\x1b[J")[0]
        return [SGR.sub("", line).removesuffix("\x1b[K").rstrip(" ") for line in frame.split("\r\n")]

    def press(self, keys: str, until: str) -> list[str]:
        self.raw = ""
        os.write(self.ours, keys.encode())
        return self.read(until)

    def quit(self, keys: str = "q") -> int:
        os.write(self.ours, keys.encode())
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if not select.select([self.ours], [], [], 0.2)[0]:
                continue
            try:
                self.raw += os.read(self.ours, 65536).decode("utf-8", "replace")
            except OSError:
                break
        return self.process.wait(timeout=60)


@pytest.fixture
def faulty() -> Iterator[Terminal]:
    with Terminal(DATA / "faulty.tch", "--step") as terminal:
        yield terminal


def test_walking_with_the_keys(faulty: Terminal) -> None:
    game = replay(read_game(FAULTY, "faulty.tch", "faulty"))
    walk = Walk(game)
    look = Look(90, "utf-8", True)

    def drawn() -> list[str]:
        return [row_text(row) for row in frame_rows(game, walk.view, walk.at, look)]

    def place() -> str:
        return f"{walk.at + 1}/{len(walk.view.scenes)} "

    screen = faulty.read(place())
    assert screen[: len(drawn())] == drawn()
    assert "? keys" in screen[-1] and len(screen) == 23
    for keys, act, by in (
        ("n", walk.step, 1),
        ("\x1b[C", walk.step, 1),
        (" ", walk.step, 1),
        ("\x1b[D", walk.step, -1),
        ("t", walk.trick, 1),
        ("\x1b[B", walk.trick, 1),
        ("T", walk.trick, -1),
        ("r", walk.step_round, 1),
        ("f", walk.finding, 1),
        ("f", walk.finding, 1),
        ("F", walk.finding, -1),
        ("G", walk.end, 1),
        ("g", walk.end, -1),
    ):
        assert act(by)
        screen = faulty.press(keys, place())
        assert screen[: len(drawn())] == drawn(), keys
    screen = faulty.press("RR", "this is the first round")
    screen = faulty.press("?", "the next finding")
    assert any("page down" in line for line in screen)
    faulty.press("x", "Round 1 of 3")
    walk.at_round = walk.at = 0
    screen = faulty.press("gtn", "trick 1")
    screen = faulty.press("o", " 14 cards")
    assert sum(bool(re.search(r"\d+ cards$", line)) for line in screen) == 3
    assert faulty.quit() == 0
    assert faulty.raw.endswith("\x1b[?25h\x1b[?1049l")
    assert faulty.process.stderr is not None and faulty.process.stderr.read() == b""


def test_going_to_a_place_that_is_typed(faulty: Terminal) -> None:
    game = replay(read_game(FAULTY, "faulty.tch", "faulty"))
    faulty.read("Round 1 of 3")
    assert faulty.press(":", "go to")[-1] == "go to round:trick:move  _"
    assert faulty.press("3:2", "3:2_")[-1] == "go to round:trick:move  3:2_"
    for typed, place in (("\r", "3:2"), (":2::9\r", "2::9"), (":faulty:1:3:\n", "1:3"), (":99\x7f\x7f3\r", "3")):
        walk = Walk(game)
        walk.go_to(parse_place(place))
        faulty.press(typed, f"{walk.at + 1}/{len(walk.view.scenes)} ")
        assert faulty.screen()[0].startswith(f"Round {walk.at_round + 1} of 3, "), typed
    for typed, said in (
        (":9\r", "there is no round 9 in this game"),
        (":3:77\r", "there is no trick 77 in round 3"),
        (":what\r", "is no place; a place is ROUND"),
        (":other:1:1:1\r", "this is game 'faulty', not 'other'"),
    ):
        assert faulty.press(typed, said)[0].startswith("Round 3 of 3, ")
    # Keys of the walk and others are no part of a place, and leaving it does not leave the walk.
    faulty.press(":\x1b[C\x1b[5~\x01\u202e2", "go to round:trick:move  2_")
    faulty.press("\x1b", "? keys")
    faulty.press(":2\x7f\x7f", "? keys")
    faulty.press(":\r", "? keys")
    faulty.press(":" + "7" * 400, "7" * 89 + "_")
    assert max(map(cell_width, faulty.screen())) <= 90
    faulty.press("\x04", "? keys")
    assert faulty.quit() == 0


def test_what_is_pasted_is_not_cut(faulty: Terminal) -> None:
    """Keys are read 64 bytes at a time, and a letter or a sequence may begin in one and end in the next."""
    faulty.read("Round 1 of 3")
    letters = "\xe9" * 40
    screen = faulty.press(":" + "a" * 62 + letters, f"{letters}_")
    assert screen[-1] == f"{'a' * 49}{letters}_"
    faulty.press("\x1b", "? keys")
    faulty.press(f":{'x' * 60}\x1b[5~y", "xy_")
    faulty.press("\x1b", "? keys")
    faulty.press("o" * 61 + "\x1b[6~", "Round 2 of 3")
    faulty.press("\x1b\x1b[C\x1b\x1bOCp", "Round 1 of 3")
    assert faulty.quit() == 0


def test_wide_letters_of_a_place(faulty: Terminal) -> None:
    faulty.read("Round 1 of 3")
    screen = faulty.press(":" + "\u6f22" * 80 + "7", "7_")
    assert screen[-1] == "\u6f22" * 44 + "7_"
    screen = faulty.press("e\u0301" * 90 + "8", "8_")
    assert screen[-1] == "e\u0301" * 88 + "8_"
    assert faulty.press("\x7f\x7f", "e_")[-1] == "e\u0301" * 88 + "e_"
    faulty.press("\x1b", "? keys")
    assert faulty.quit() == 0


def test_a_place_in_a_terminal_without_its_letters() -> None:
    with Terminal(DATA / "faulty.tch", "--step", columns=60, PYTHONIOENCODING="ascii") as terminal:
        terminal.read("Round 1 of 3")
        assert len(terminal.press(":" + "\u6f22" * 80 + "7", "\\u6f227_")[-1]) == 60
        terminal.press("\x1b", "? keys")
        assert terminal.quit() == 0


@pytest.mark.parametrize("columns", [1, 2, 7, 19])
def test_a_terminal_of_few_columns(columns: int) -> None:
    with Terminal(DATA / "faulty.tch", "--step", columns=columns) as terminal:
        begun = "R" if columns == 1 else "Ro"
        assert len(terminal.read(begun)) == 23
        for keys in ("n", "?", "x", ":3", "\r", ":9\r"):
            screen = terminal.press(keys, "")
            assert len(screen) == 23 and max(map(cell_width, screen)) <= columns, keys
        assert terminal.quit() == 0


def test_all_of_a_message_is_told(faulty: Terminal) -> None:
    faulty.read("Round 1 of 3")
    screen = faulty.press(":what\r", "is no place")
    assert "each but GAME a number from 1" in " ".join(line.strip() for line in screen[-2:]) and len(screen) == 23
    assert faulty.quit() == 0


@pytest.mark.parametrize("name", ["SIGWINCH", "SIGTSTP"])
def test_signals_while_the_terminal_takes_nothing(name: str) -> None:
    """As after Ctrl-S, or over a slow line: a frame is written in part, and nothing can be written into it."""
    import signal

    with Terminal(DATA / "legal.tch", "--step", PYTHONUNBUFFERED="") as terminal:
        terminal.read("Round 1 of 3")
        os.write(terminal.ours, b"o" * 500)
        time.sleep(1)
        terminal.process.send_signal(getattr(signal, name))
        time.sleep(0.3)
        terminal.process.send_signal(signal.SIGCONT)
        # What is typed before the walk goes on is not for it.
        while select.select([terminal.ours], [], [], 1)[0]:
            os.read(terminal.ours, 65536)
        assert terminal.quit() == 0
        assert terminal.process.stderr is not None and terminal.process.stderr.read() == b""


def test_walking_to_the_end_and_resizing(faulty: Terminal) -> None:
    import signal

    faulty.read("Round 1 of 3")
    faulty.press("rrG", "Round 3 of 3")
    faulty.press("n", "this is the end of the game")
    faulty.press("f", "there is no further finding")
    faulty.size(40, 12)
    faulty.raw = ""
    faulty.process.send_signal(signal.SIGWINCH)
    screen = faulty.read("Round 3 of 3")
    assert len(screen) == 11 and max(map(cell_width, screen)) <= 40
    assert faulty.quit("\x1b") == 0


def test_starting_at_a_place_without_colours() -> None:
    with Terminal(DATA / "legal.tch", "--step", "--from", "2:3", "--hands", "1", NO_COLOR="1") as terminal:
        screen = terminal.read("trick 3")
        assert screen[0].startswith("Round 2 of 3, trick 3, move ")
        assert sum(bool(re.search(r"\d+ cards?$", line)) for line in screen) == 3
        assert not SGR.search(terminal.raw)
        assert terminal.quit("\x04") == 0


def test_colours_on_a_terminal() -> None:
    with Terminal(DATA / "faulty.tch", "--step", "--from", "2::45") as terminal:
        terminal.read("T301")
        assert "\x1b[1;31m>>> " in terminal.raw and "\x1b[31m" in terminal.raw
        assert terminal.quit() == 0


@pytest.mark.parametrize("number", [2, 15])
def test_signals_end_the_walk_and_leave_the_terminal_as_it_was(number: int) -> None:
    with Terminal(DATA / "legal.tch", "--step") as terminal:
        terminal.read("Round 1 of 3")
        terminal.process.send_signal(number)
        assert terminal.quit("") == 128 + number
        assert "\x1b[?25h\x1b[?1049l" in terminal.raw


@pytest.mark.parametrize("width", [30, 80])
def test_hostile_names_on_a_terminal(tmp_path: Path, width: int) -> None:
    game = with_names("\x1b[2J\x1b]0;t\x07", "\u202eevil", "x" * 300, "")
    for one in game.rounds[:1]:
        walk = Walk(game)
        assert one is walk.view.one
        while walk.step(1):
            lines = painted(frame_rows(game, walk.view, walk.at, Look(width)), console(sys.stdout, colours=True))
            for line in lines:
                assert not HARMFUL.search(SGR.sub("", line))


# ---------------------------------------------------------------- without a terminal


def test_no_terminal_no_walk() -> None:
    result = show(DATA / "legal.tch", "--step", COLUMNS="200")
    assert (result.returncode, result.stdout) == (2, "")
    assert "needs a terminal" in result.stderr and "Traceback" not in result.stderr


def test_a_dumb_terminal_is_none_to_walk_on() -> None:
    with Terminal(DATA / "legal.tch", "--step", TERM="dumb") as terminal:
        assert terminal.process.wait(60) == 2
        assert terminal.process.stderr is not None
        said = terminal.process.stderr.read()
        assert b"needs a terminal" in said and b"TERM=dumb" in b"".join(said.split())


def test_out_of_the_help_without_leaving_the_walk() -> None:
    with Terminal(DATA / "legal.tch", "--step", "--from", "2:3") as terminal:
        terminal.read("trick 3")
        for key in ("q", "\x1b", "?"):
            terminal.press("?", "the next finding")
            terminal.press(key, "Round 2 of 3, trick 3")
        terminal.press("?", "the next finding")
        assert terminal.quit("\x04") == 0


def test_the_hand_that_was_asked_for_comes_back() -> None:
    with Terminal(DATA / "legal.tch", "--step", "--from", "2:3", "--hands", "1") as terminal:
        one = terminal.read("trick 3")
        every = terminal.press("o", "trick 3")
        assert every != one and terminal.press("o", "trick 3") == one


@pytest.mark.parametrize("columns", [24, 40, 60])
def test_narrow_terminals_tell_how_to_see_the_keys(columns: int) -> None:
    with Terminal(DATA / "legal.tch", "--step", columns=columns) as terminal:
        assert terminal.read("? keys")[-1].endswith("? keys  q quit")


def test_positions_from_a_place_on() -> None:
    whole = (DATA / "legal_positions.txt").read_text(encoding="utf-8")
    result = show(DATA / "legal.tch", "--from", "3")
    assert (result.returncode, result.stderr) == (0, "")
    assert whole.endswith(result.stdout) and result.stdout.startswith("Round 3 of 3, line ")
    result = show(DATA / "legal.tch", "--from", "legal:3:2:")
    assert whole.endswith(result.stdout) and result.stdout.startswith("Round 3 of 3, trick 2, move ")
    closed = show(DATA / "legal.tch", "--from", "3", "--hands", "seat").stdout
    assert closed.count(" 14 cards\n") > 5 and len(closed) < len(show(DATA / "legal.tch", "--from", "3").stdout)


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--from", "x"], "is no place"),
        (["--from", "9"], "there is no round 9"),
        (["--from", "other:1:1:1"], "there is no game 'other'"),
        (["--from", "other:1:1:1", "--game", "legal"], "names another game"),
        (["--from", "1", "--round", "1"], "cannot be had together"),
        (["--step", "--html", "x.html"], "cannot be had together"),
        (["--hands", "seat"], "needs --step or --from"),
        (["--hands", "seat", "--from", "1", "--html", "x.html"], "cannot be had together with --html"),
        (["--hands", "five", "--from", "1"], "none of open, seat and the seats 0 to 3"),
        (["--html", "x.html", "--trick", "1"], "needs --round as well"),
        (["--html", ""], "the name of the file is empty"),
        (["--html", "."], "cannot write .: it is a folder"),
        (["--html", "x.html", "--round", "9"], "there is no round 9"),
    ],
)
def test_wrong_use(args: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = show(DATA / "legal.tch", *args, COLUMNS="200")
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr and "Traceback" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_game_without_rounds() -> None:
    result = show("-", "--from", "1", data=b"\xff\x00")
    assert result.returncode == 2 and "has no round to show" in result.stderr


@pytest.mark.parametrize("data", [b"", b"\xff\x00"])
def test_without_rounds_all_ways_tell_what_is_wrong(data: bytes, tmp_path: Path) -> None:
    log = tmp_path / "game.tch"
    log.write_bytes(data)
    text, walk, page = show(log), show(log, "--step"), show(log, "--html", "-")
    assert "T025" in text.stdout
    assert (walk.returncode, walk.stdout, walk.stderr) == (text.returncode, text.stdout, text.stderr)
    assert page.returncode == text.returncode == 0 and "T025" in page.stdout


@pytest.mark.parametrize("name", ["game.tch", "game.tch.gz", "games.zip", "game.tgr.json", "notes.html"])
def test_a_page_takes_no_other_file_s_place(name: str, tmp_path: Path) -> None:
    """Neither that of the log itself nor any other; pages are written anew, and empty files filled."""
    log, other = DATA / "legal.tch", tmp_path / name
    data = {
        "game.tch": log.read_bytes(),
        "game.tch.gz": gzip.compress(log.read_bytes()),
        "games.zip": (ROOT / "sample_logs" / "games.zip").read_bytes()[:100_000],
        "game.tgr.json": (ROOT / "sample_logs" / "tgr" / "1001.tgr.json").read_bytes(),
        "notes.html": b"<!doctype html><title>mine</title>",
    }[name]
    other.write_bytes(data)
    for source in {other, log} if name in ("game.tch", "game.tch.gz", "game.tgr.json") else {log}:
        result = show(source, "--html", other)
        assert (result.returncode, result.stdout) == (2, "")
        assert f"{name}: a file is there already that is not such a page; name another one" in result.stderr
    assert other.read_bytes() == data
    other.write_bytes(b"")
    assert show(log, "--html", other).returncode == 0
    page = other.read_bytes()
    other.write_bytes(page.replace(b"tichu_analytics 0", b"tichu_analytics 9"))
    assert show(log, "--html", other).returncode == 0
    assert other.read_bytes() == page
    assert list(tmp_path.iterdir()) == [other]


# ---------------------------------------------------------------- colours of the plain text


@pytest.mark.parametrize("data", [LEGAL, FAULTY])
def test_colours_change_no_letter(data: bytes) -> None:
    text = game_text(replayed(data))
    rows = text_rows(text)
    assert [row_text(row) for row in rows] == [line.rstrip(" ") for line in text.splitlines()]
    lines = painted(rows, console(sys.stdout, colours=True))
    assert [SGR.sub("", line) for line in lines] == text.splitlines()
    assert "\x1b[" not in "".join(painted(rows, console(sys.stdout, colours=False)))
    styles = {span.text: span.style for row in rows for span in row}
    assert (styles["RK"], styles["B8"], styles["Dr"]) == ("R", "B", "special")
    if data is FAULTY:
        assert [span.style for row in rows for span in row if "T301 card-not-held" in span.text] == ["error"]


def test_show_is_coloured_on_a_terminal() -> None:
    with Terminal(DATA / "legal.tch", "--round", "1", "--trick", "2", columns=200) as terminal:
        assert terminal.quit("") == 0
        written = terminal.raw.replace("\r\n", "\n")
    assert "\x1b[1mTrick 2, Anouk leads\x1b[0m\n" in written
    assert SGR.sub("", written) == show(DATA / "legal.tch", "--round", "1", "--trick", "2").stdout
    with Terminal(DATA / "legal.tch", "--round", "1", "--trick", "2", NO_COLOR="1") as terminal:
        assert terminal.quit("") == 0
        assert "\x1b" not in terminal.raw
