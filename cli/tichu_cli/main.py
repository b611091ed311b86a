"""The command ``tichu``: finds the verb and hands over to its module.

The bare ``tichu --help`` and ``tichu --version`` are answered here from a table, and the module of a verb is loaded
only when the verb is called: importing Typer takes longer than all the rest of a short call. Everything after the verb
is Typer's business.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NoReturn, cast

from tichu_cli.ending import heed_signals, interrupted, was_ended

if TYPE_CHECKING:
    from typing import TextIO

#: The verbs in the order of the help text, each with what it does. ``tichu_cli.VERB`` is its module.
VERBS: Final[dict[str, str]] = {
    "check": "Replays every game move by move and reports findings.",
    "show": "Shows a game or a round for reading: hands, exchange, tricks, score.",
    "export": "Writes the tables of recorded games as a Parquet data set.",
    "stats": "Works out rates and means with intervals: calls, bombs, exchange, results.",
    "report": "Makes a page with figures: a collection of games, or one player in it.",
    "query": "Answers a question in SQL about a data set.",
    "convert": "Converts games between BrettspielWelt logs and TGR records, without loss.",
    "simulate": "Writes games of simulated players who differ in skill, as BrettspielWelt logs.",
    "odds": "Gives exact probabilities of what is dealt, with what was dealt beside them.",
    "schema": "Lists the tables and their columns.",
    "rules": "Lists the rule sets and every point on which they differ.",
    "explain": "Tells what a finding means and which rule is behind it.",
}

#: Exit codes besides 0: wrong use or an unreadable input; the reader of the output went away. See also
#: :mod:`tichu_cli.ending`.
WRONG_USE: Final = 2
PIPE_CLOSED: Final = 141


def help_text() -> str:
    """The text of ``tichu --help``."""
    width = max(map(len, VERBS)) + 2
    verbs = "\n".join(f"  {verb:<{width}}{what}" for verb, what in VERBS.items())
    return f"""\
Usage: tichu VERB [OPTIONS] ...

  Re-validates recorded games of Tichu move by move.

Verbs:
{verbs}

Options:
  --version  Shows the version and exits.
  --help     Shows this text and exits.

'tichu VERB --help' explains a verb with an example.
"""


def run() -> NoReturn:
    """The entry point of the console script: runs the command on ``sys.argv`` and ends the process.

    Raises:
        SystemExit: always, with the exit code.
    """
    for stream in (sys.stdout, sys.stderr):
        # Text that the terminal's encoding does not have is shown as an escape; it is no reason to fail.
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    if sys.stdout is None:
        # Closed by the caller: the exit code is what is wanted then.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = cast("TextIO", _Remarks(sys.stderr))
    if sys.argv[1:2] and sys.argv[1] in VERBS:
        heed_signals()
    try:
        code = _main(sys.argv[1:])
    except KeyboardInterrupt:
        code = interrupted()
    except BrokenPipeError:
        code = PIPE_CLOSED
    except Exception as trouble:
        if was_ended():
            # A library in whose work the signal came may tell of it in a way of its own.
            code = interrupted()
        elif isinstance(trouble, OSError):
            # Only the output is left: what goes wrong with an input is told where it is read.
            code = _complain(f"cannot go on: {trouble.strerror or trouble}")
        else:
            raise
    code = _flushed(code)
    sys.exit(interrupted() if was_ended() else code)


def _main(args: list[str]) -> int:
    """Runs the command on the arguments after its name and returns the exit code."""
    if not args:
        sys.stderr.write(help_text())
        return WRONG_USE
    first, *rest = args
    if first in ("--help", "-h"):
        sys.stdout.write(help_text())
        return 0
    if first == "--version":
        from tichu_analytics import __version__

        sys.stdout.write(f"tichu {__version__}\n")
        return 0
    if first in VERBS:
        return _run_verb(first, rest)
    if first.startswith("-"):
        return _complain(f"there is no option {first!a} before the verb; see 'tichu --help'")
    from difflib import get_close_matches

    near = get_close_matches(first, VERBS, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the verbs are {', '.join(VERBS)}"
    return _complain(f"there is no verb {first!a}; {hint}")


def _run_verb(verb: str, args: list[str]) -> int:
    """Loads the module of a verb, gives its function ``command`` the arguments, and returns the exit code."""
    if verb == "check":
        from tichu_cli.checked import check_plainly, is_plain

        if is_plain(args):
            return check_plainly(args)
    from importlib import import_module

    import typer

    if verb in ("query", "report", "stats"):
        # An SQL text may begin with a comment, which is no option.
        args = [f" {arg}" if arg.startswith("--") and len(arg.split()) > 1 else arg for arg in args]
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(verb)(import_module(f"tichu_cli.{verb}").command)
    try:
        app(args, prog_name=f"tichu {verb}")
    except SystemExit as end:
        # Typer turns a closed pipe into exit code 1, which here says that a log has an error.
        if isinstance(end.__context__, BrokenPipeError):
            return PIPE_CLOSED
        return end.code if isinstance(end.code, int) else 0
    return 0


class _Remarks:
    """Standard error for remarks: if nobody takes them, that changes neither the work nor its exit code."""

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Writes a text if it can be written."""
        with suppress(OSError, ValueError):
            if self._stream is not None:
                self._stream.write(text)
                self._stream.flush()
        return len(text)

    def flush(self) -> None:
        """Does nothing: every text is written out at once."""

    def isatty(self) -> bool:
        """Whether a person reads along."""
        return self._stream is not None and self._stream.isatty()

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)


def _complain(message: str) -> int:
    """Writes a message about wrong use and returns the exit code for it."""
    sys.stderr.write(f"tichu: {message}\n")
    return WRONG_USE


def _flushed(code: int) -> int:
    """Writes out what is left and returns the exit code, which is another one if that cannot be done.

    What cannot be written is sent nowhere, so that Python does not complain about it while it ends.
    """
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as trouble:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        if isinstance(trouble, BrokenPipeError):
            return PIPE_CLOSED
        if code != WRONG_USE:
            return _complain(f"cannot go on: {trouble.strerror}")
    return code


if __name__ == "__main__":
    run()
