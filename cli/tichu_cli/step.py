"""Walks through a game on a terminal, position by position, with the keys: ``tichu show --step``."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from types import FrameType

    from tichu_analytics.view.frame import Look, Row
    from tichu_analytics.view.walk import Walk

#: What each key does; the sequences of a terminal for arrows and the like stand beside the letters.
_KEYS: Final[dict[str, str]] = {
    **dict.fromkeys(("\x1b[C", "\x1bOC", "n", "l", " ", "\r", "\n"), "on"),
    **dict.fromkeys(("\x1b[D", "\x1bOD", "p", "h", "\x7f", "\x08"), "back"),
    **dict.fromkeys(("\x1b[B", "\x1bOB", "t", "j"), "trick"),
    **dict.fromkeys(("\x1b[A", "\x1bOA", "T", "k"), "trick back"),
    **dict.fromkeys(("\x1b[6~", "r"), "round"),
    **dict.fromkeys(("\x1b[5~", "R"), "round back"),
    "f": "finding",
    "F": "finding back",
    **dict.fromkeys(("\x1b[H", "\x1bOH", "\x1b[1~", "g"), "first"),
    **dict.fromkeys(("\x1b[F", "\x1bOF", "\x1b[4~", "G"), "last"),
    ":": "place",
    "o": "hands",
    "?": "help",
    **dict.fromkeys(("q", "Q", "\x1b", "\x04"), "quit"),
}
#: While a place is typed: the keys that end it, take it back, and erase the last character.
_ENTER: Final = ("\r", "\n")
_LEAVE: Final = ("\x1b", "\x04")
_ERASE: Final = ("\x7f", "\x08")
#: What signals ask for stands among the keys: to stop, and to draw anew in another size.
_STOP: Final = "stop"
_RESIZED: Final = "resized"
#: A sequence of a terminal, with Alt or without; a key with Alt; a character. Then what may be the beginning of one.
_KEY: Final = re.compile(r"\x1b?\x1b\[[0-?]*[ -/]*[@-~]|\x1b?\x1bO[A-Za-z]|\x1b[^\x1b]|.", re.DOTALL)
_UNFINISHED: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|O)?\Z")
#: The most characters of a place; ids of games may be long.
_LONGEST: Final = 300
#: Ctrl-D.
_END: Final = "\x04"
_FEW_KEYS: Final = "? keys  q quit"
_HINT: Final = "n on  p back  t trick  r round  f finding  ? keys  q quit"
_HELP: Final = (
    "n, right, space   the next position        p, left        the one before",
    "t, down           the next trick           T, up          the trick before",
    "r, page down      the next round           R, page up     the round before",
    "f                 the next finding         F              the finding before",
    "g, home           first of the round       G, end         last of the round",
    ":                 a place that you type: round, round:trick or round:trick:move",
    "o                 all hands, or only one: that of the seat to act, or of --hands",
    "q, escape         quit",
)
#: The words for where there is nowhere to go.
_NOWHERE: Final = {
    "on": "this is the end of the game",
    "back": "this is the beginning of the game",
    "trick": "there is no further trick",
    "trick back": "there is no trick before",
    "round": "this is the last round",
    "round back": "this is the first round",
    "finding": "there is no further finding",
    "finding back": "there is no finding before",
}


def why_no_walk() -> str | None:
    """What is missing for a walk, in words; None if there is a terminal on which keys can be read one by one."""
    try:
        import termios  # noqa: F401 - not there on Windows
    except ImportError:
        return "reads keys one by one, which this system does not provide"
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return "needs a terminal for the keys and for the picture"
    if os.environ.get("TERM") == "dumb":
        # It would show the signs for colours and places as text.
        return "needs a terminal that can place text, and this one says of itself that it cannot (TERM=dumb)"
    return None


def walk_through(walk: Walk, look: Look, *, colours: bool) -> None:
    """Shows a game position by position until the reader quits.

    Args:
        walk: the game, at the position to begin with.
        look: how it is drawn; the width is that of the terminal at the time.
        colours: whether to use colours.
    """
    screen = _Screen(walk, look, colours=colours)
    with _signals() as asked, _terminal() as stop:
        screen.draw()
        for key in _read_keys(asked):
            if key == _STOP:
                stop()
            elif key != _RESIZED and not screen.press(key):
                return
            screen.draw()


class _Screen:
    """What is on the screen: the position, and a line at the bottom."""

    def __init__(self, walk: Walk, look: Look, *, colours: bool) -> None:
        from tichu_analytics.view.colours import console

        self._walk = walk
        self._look = look
        #: Whose hand is shown where not all are.
        self._closed = look.hands if look.hands != "open" else "seat"
        self._message = ""
        self._help = False
        #: What has been typed of a place to go to; None when none is being typed.
        self._typed: str | None = None
        self._console = console(sys.stdout, colours=colours)

    def press(self, key: str) -> bool:
        """Does what a key asks for; False to quit."""
        if self._typed is not None:
            self._type(self._typed, key)
            return True
        walk = self._walk
        action = _KEYS.get(key, "")
        self._message = ""
        was_help, self._help = self._help, action == "help" and not self._help
        if action == "quit":
            # Out of the help first, as a pager does; the end of the input is the end of the walk in any case.
            return was_help and key != _END
        if action == "place":
            self._typed = ""
            return True
        if action == "hands":
            self._look = self._look._replace(hands=self._closed if self._look.hands == "open" else "open")
            return True
        name, _, back = action.partition(" ")
        by = -1 if back or name in ("back", "first") else 1
        moves: dict[str, Callable[[int], bool]] = {
            "on": walk.step,
            "back": walk.step,
            "trick": walk.trick,
            "round": walk.step_round,
            "finding": walk.finding,
            "first": walk.end,
            "last": walk.end,
        }
        if name in moves and not moves[name](by):
            self._message = _NOWHERE[action]
        return True

    def _type(self, typed: str, key: str) -> None:
        """Takes a key of a place that is being typed; what is no part of one and no end of it has no effect."""
        if key in _ENTER:
            self._typed = None
            if typed:
                self._go_to(typed)
        elif key in _LEAVE or (key in _ERASE and not typed):
            self._typed = None
        elif key in _ERASE:
            self._typed = typed[:-1]
        elif len(key) == 1 and key.isprintable() and len(typed) < _LONGEST:
            self._typed = typed + key

    def _go_to(self, text: str) -> None:
        """Goes to a place; says so if it is none."""
        from tichu_analytics.view.walk import parse_place

        try:
            place = parse_place(text.strip())
            if place.game not in (None, self._walk.game.game.game_id):
                raise ValueError(f"this is game {self._walk.game.game.game_id!a}, not {place.game!a}")
            self._walk.go_to(place)
        except ValueError as trouble:
            self._message = str(trouble)

    def draw(self) -> None:
        """Draws the position anew, as much of it as the terminal has room for."""
        from shutil import get_terminal_size

        from tichu_analytics.view.colours import painted
        from tichu_analytics.view.columns import ELLIPSIS, cut, end_of
        from tichu_analytics.view.frame import Span, fold, frame_rows
        from tichu_analytics.view.sheet import Paper, encodable

        size = get_terminal_size()
        walk = self._walk
        rows: list[Row]
        if self._help:
            rows = [[Span(line)] for line in _HELP]
        else:
            rows = frame_rows(walk.game, walk.view, walk.at, self._look._replace(width=size.columns))
        # The rows of a position have a least width, and a terminal may have less.
        rows = [part for row in rows for part in fold(row, size.columns)]
        where = f"{walk.at + 1}/{len(walk.view.scenes)}"
        has_room = len(where) + 2 + len(_HINT) <= size.columns
        bottom = self._message or f"{where}  {_HINT if has_room else _FEW_KEYS}"
        if self._typed is not None:
            # Where it is longer than the terminal is wide its end is what is being typed.
            asked = f"go to round:trick:move  {self._typed}_"
            bottom = end_of(encodable(asked, Paper(None, self._look.encoding)), size.columns)
        # What there is to be said is said to its end, the keys as far as there is room for them.
        most = max(size.lines // 2, 1) if self._message else 1
        below = fold([Span(bottom, "dim")], size.columns)[:most]
        room = max(size.lines - 1 - len(below), 1)
        if len(rows) > room:
            rows = [*rows[: room - 1], [Span(cut(ELLIPSIS, size.columns), "dim")]] if room > 1 else rows[:1]
        rows += [[]] * (room - len(rows)) + below
        lines = painted(rows, self._console)
        sys.stdout.write("\x1b[H" + "\x1b[K\n".join(lines) + "\x1b[K\x1b[J")
        sys.stdout.flush()


@contextmanager
def _terminal() -> Iterator[Callable[[], None]]:
    """Gives each key as it is pressed, on a screen of its own; everything is as before in the end.

    Yields:
        What stops the walk, as Ctrl-Z asks for: everything is as before for so long, and the screen is there again when
        it goes on.
    """
    import signal
    import termios
    import tty

    keys = sys.stdin.fileno()
    before = termios.tcgetattr(keys)

    def enter() -> None:
        tty.setcbreak(keys)
        sys.stdout.write("\x1b[?1049h\x1b[?25l")

    def leave() -> None:
        sys.stdout.write("\x1b[?25h\x1b[?1049l")
        sys.stdout.flush()
        termios.tcsetattr(keys, termios.TCSADRAIN, before)

    def stop() -> None:
        leave()
        stopping = signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)
        # From here on it has been continued.
        signal.signal(signal.SIGTSTP, stopping)
        enter()

    try:
        enter()
        yield stop
    finally:
        leave()


@contextmanager
def _signals() -> Iterator[int]:
    """Takes Ctrl-Z and another size of the terminal as if they were keys.

    A signal may come in the middle of writing a frame, where nothing else can be written.

    Yields:
        A file in which there is something to be read for each: what is to be done.
    """
    import signal

    ours, theirs = os.pipe()
    os.set_blocking(theirs, False)

    def ask(number: int, _frame: FrameType | None) -> None:
        with suppress(BlockingIOError):  # there is more than enough to do already
            os.write(theirs, b"z" if number == signal.SIGTSTP else b"r")

    before = {signal.SIGWINCH: signal.signal(signal.SIGWINCH, ask)}
    if signal.getsignal(signal.SIGTSTP) is signal.SIG_DFL:  # a shell without job control has it ignored; so it stays
        before[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, ask)
    try:
        yield ours
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        os.close(ours)
        os.close(theirs)


def _read_keys(asked: int) -> Iterator[str]:
    """The keys, one after the other, until there are no more; what signals ask for is among them.

    Args:
        asked: the file of :func:`_signals`.
    """
    import select
    from codecs import getincrementaldecoder

    file = sys.stdin.fileno()
    decoder = getincrementaldecoder("utf-8")("replace")  # the rest of a character may come with the next read
    while True:
        ready = select.select([file, asked], [], [])[0]
        if asked in ready:
            wanted = os.read(asked, 4096)
            yield _STOP if b"z" in wanted else _RESIZED
            continue
        if not (data := os.read(file, 64)):
            return
        text = decoder.decode(data)
        # The rest of a sequence may come a moment later.
        while _UNFINISHED.search(text) and select.select([file], [], [], 0.05)[0]:
            if not (data := os.read(file, 64)):
                break
            text += decoder.decode(data)
        yield from split_keys(text)


def split_keys(text: str) -> Iterator[str]:
    """What was read from a terminal as keys: characters, and the sequences that begin with an escape.

    An escape with a character or a sequence right behind it is that key pressed together with Alt, and not the key
    escape.
    """
    yield from _KEY.findall(text)
