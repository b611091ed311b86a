"""Ctrl-Z while walking through a game: the shell gets its terminal as it was, the walk its screen when it goes on."""

from __future__ import annotations

import os
import select
import shlex
import shutil
import sys
import time

import pytest

from tests.regenerate_golden import DATA


def read_until(terminal: int, wanted: str, seconds: float = 30) -> str:
    """What a terminal gives until a text is in it."""
    raw = ""
    deadline = time.monotonic() + seconds
    while wanted not in raw and time.monotonic() < deadline:
        if select.select([terminal], [], [], 0.2)[0]:
            raw += os.read(terminal, 65536).decode("utf-8", "replace")
    assert wanted in raw, f"{wanted!r} was not shown; last: {raw[-300:]!r}"
    return raw


def test_stopped_and_continued_under_a_shell() -> None:
    pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")
    bash = shutil.which("bash") or pytest.skip("needs a shell with job control")
    process, terminal = pty.fork()
    if process == 0:
        os.environ.update(TERM="xterm", PS1="ready> ", PYTHONIOENCODING="utf-8")
        os.execv(bash, [bash, "--norc", "--noprofile", "--noediting", "-i"])
    try:
        command = [sys.executable, "-m", "tichu_cli.main", "show", str(DATA / "legal.tch"), "--step"]
        os.write(terminal, f"{shlex.join(command)}\n".encode())
        read_until(terminal, "Round 1 of 3")
        os.write(terminal, b"\x1a")
        raw = read_until(terminal, "ready> ")
        assert "\x1b[?25h\x1b[?1049l" in raw
        os.write(terminal, b"fg\n")
        raw = read_until(terminal, "Round 1 of 3")
        assert "\x1b[?1049h\x1b[?25l" in raw
        os.write(terminal, b"q")
        assert "\x1b[?25h\x1b[?1049l" in read_until(terminal, "ready> ")
        os.write(terminal, b"exit\n")
    finally:
        os.close(terminal)
        os.kill(process, 9)
        os.waitpid(process, 0)
