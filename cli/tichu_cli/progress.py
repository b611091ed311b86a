"""A line on a terminal that says how far a run is; it is written over and over, and cleared before other lines."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final, TextIO

#: Seconds between two updates.
_PAUSE: Final = 0.2


class Line:
    """Such a line; nothing is written unless a person reads along."""

    def __init__(self, out: TextIO, *, shown: bool, pause: float = _PAUSE) -> None:
        self._out = out
        self._is_on = shown
        self._is_written = False
        self._pause = pause
        self._next = time.monotonic() + pause

    def show(self, text: Callable[[], str]) -> None:
        """Updates the line, unless that was done a moment ago; the text is made only if it is needed."""
        if self._is_on and time.monotonic() >= self._next:
            self._out.write(f"\r{text()}\033[K")
            self._out.flush()
            self._is_written = True
            self._next = time.monotonic() + self._pause

    def clear(self) -> None:
        """Takes the line away."""
        if self._is_written:
            self._out.write("\r\033[K")
            self._out.flush()
            self._is_written = False
