"""How a command ends that is interrupted: by Ctrl-C, from outside (SIGTERM), or with its terminal (SIGHUP).

It is a module of its own so that it is there once, also where the command was started as ``python -m tichu_cli.main``.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from types import FrameType

#: The exit code after Ctrl-C; after any other signal it is 128 and the number of the signal.
_CTRL_C: Final = 130

#: The numbers of the signals that have come to end this process.
_ENDED_BY: Final[list[int]] = []


def end_at_once() -> NoReturn:
    """Ends a command that was interrupted, although threads of it are still at work."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    os._exit(interrupted())


def interrupted() -> int:
    """The exit code of what was interrupted: 128 and the number of the signal, Ctrl-C if it was no other."""
    return 128 + _ENDED_BY[0] if _ENDED_BY else _CTRL_C


def heed_signals() -> None:
    """Lets a command be ended from outside, or with its terminal, as tidily as by Ctrl-C; the second time at once."""
    import signal

    def end(number: int, frame: FrameType | None) -> None:
        _ENDED_BY.append(number)
        if number != signal.SIGINT:
            signal.signal(number, signal.SIG_DFL)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # What is ignored stays so: nohup asks for that. Threads of other programs cannot set anything.
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, end)
    with suppress(ValueError):
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, end)


def was_ended() -> bool:
    """Whether a signal has come to end this command."""
    return bool(_ENDED_BY)
