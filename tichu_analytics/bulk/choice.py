"""Which way games are replayed: by the compiled pass, by the short way in plain Python, or on the careful path alone.

The compiled pass takes a quarter of a second to load, and once, half a minute to compile; it then is about ten times as
fast as the short way. So it comes only where the input is large enough. Nothing heavy is imported before that.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal

from tichu_analytics.bulk.quick import QuickCheck, is_understood
from tichu_analytics.rules.options import BSW_LAZY, DECLARED_ELSE_HIGH, HIGHEST, Options
from tichu_analytics.rules.rulesets import get_rule_set

if TYPE_CHECKING:
    from pathlib import Path

    from tichu_analytics.bulk.engine import Engine
    from tichu_analytics.formats.sources import Input

Wanted = Literal["auto", "careful", "compiled"]

#: Bytes of logs from which loading the compiled pass pays: the short way takes a third of a second for them.
WORTH_LOADING: Final = 4 << 20
#: Bytes from which even compiling it pays within the one run: the short way takes more than half a minute.
WORTH_COMPILING: Final = 384 << 20
#: Filling tables takes so many times as long as checking by the short way, if every game is replayed for it.
_FILLING: Final = 4
#: The compiled pass gets games by the batch: so many bytes of logs, or so many inputs of any kind.
BATCH_BYTES: Final = 2 << 20
BATCH_INPUTS: Final = 1_000
#: A log with more bytes than that is none of a game as people play it.
_LARGEST_LOG: Final = 1 << 20
#: Files that are few and small: what spreads work over processes need not even be loaded for them.
_FEW_FILES: Final = 100
FEW_BYTES: Final = 1 << 20
#: Logs deflate to about a sixth.
_DEFLATED: Final = 6
_PACKED: Final = (".zip", ".gz", ".zst")


class Way:
    """The way in which the games of one run are checked, which may change as more and more of them come.

    Attributes:
        quick: the short way, if it is to be tried.
        compiled: the compiled pass, once it is there.
        options: the rule set's choices.
        expected: about how many bytes of logs are to come, as far as that was known beforehand.
        folder: where the code of the compiled pass is kept between runs; None if it is not, or not yet known.
        is_kept: whether it is there.
    """

    def __init__(self, options: Options, wanted: Wanted, expected: int = 0, worth: int = 1) -> None:
        """Nothing is loaded yet.

        Args:
            options: the rule set's choices.
            wanted: what the user has asked for.
            expected: about how many bytes of logs are to come, as far as that is known beforehand.
            worth: how many times as long as the check by the short way the work takes that the compiled pass spares.
        """
        self.quick = QuickCheck(options) if wanted != "careful" else None
        self.compiled: Engine | None = None
        self.options = options
        self._wanted = wanted
        self.expected = expected
        # From how many bytes on it is time to see about the compiled pass; None: never.
        self._due: int | None = None
        if wanted == "compiled":
            self._due = 0
        elif wanted == "auto":
            self._due = WORTH_LOADING // worth
        self._worth_compiling = WORTH_COMPILING // worth
        self.folder: Path | None = None
        self.is_kept = False

    def is_due(self, seen: int) -> bool:
        """Whether, after so many bytes of logs, it is time to see about the compiled pass: :meth:`prepare` it."""
        return self._due is not None and max(seen, self.expected) >= self._due

    def prepare(self, seen: int) -> str | None:
        """Sees what is there of the compiled pass; what the user is to be told before :meth:`load`, or None."""
        self._due = None
        asked = self._wanted == "compiled"
        reason = self.hindrance()
        if reason is not None:
            self.quick = None if asked else self.quick
            return f"{reason}, so every game is replayed on the careful way" if asked else None
        from tichu_analytics.bulk.cache import Untrusted, cache_folder, has_code, source_key

        words = "compiling the fast way of replaying, once; this takes about half a minute"
        try:
            self.folder = cache_folder(source_key())
        except Untrusted as trouble:
            self.folder = None
            words += f" (it cannot be kept: {trouble})"
        self.is_kept = self.folder is not None and has_code(self.folder)
        if self.is_kept:
            self._due = 0
            return None
        if not asked and max(seen, self.expected) < self._worth_compiling:
            self._due = self._worth_compiling
            return None
        self._due = 0
        return words

    @property
    def is_to_be_loaded(self) -> bool:
        """Whether :meth:`prepare` has found that the compiled pass is to be used, and it is not there yet."""
        return self._due == 0

    def settle(self, folder: Path | None) -> None:
        """Decides that nothing changes any more: another process has seen about everything.

        Args:
            folder: where that has found the compiled pass. If it cannot be loaded, it goes on without it.
        """
        self._due = None
        if folder is None:
            return
        with suppress(Exception):  # nothing depends on it but the speed
            from tichu_analytics.bulk.engine import Engine, loaded

            kept = loaded(folder)
            self.compiled = Engine(kept, self.options) if kept is not None else None

    def hindrance(self) -> str | None:
        """Why there can be no compiled pass here, or None."""
        if find_spec("numba") is None or find_spec("llvmlite") is None or find_spec("numpy") is None:
            return "Numba is not installed"
        if sys.byteorder != "little":
            return "the compiled engine is for processors that put the lowest byte first"
        return None if _covers(self.options) else "the compiled engine does not know all of these rules"

    def load(self) -> str | None:
        """Loads or compiles the compiled pass if :meth:`prepare` has found that it is to be used.

        Returns:
            None, or what the user is to be told if that has not worked; then it goes on without it.
        """
        if self._due != 0:
            return None
        self._due = None
        return self.load_from(self.folder)

    def load_from(self, folder: Path | None) -> str | None:
        """Loads or compiles the compiled pass.

        Args:
            folder: where it is kept, or None.

        Returns:
            As :meth:`load` does.
        """
        from tichu_analytics.bulk.engine import Engine, compiled

        try:
            self.compiled = Engine(compiled(folder), self.options)
        except Exception as trouble:
            # Whatever is wrong with this installation of Numba: nothing depends on it but the speed.
            reason = str(trouble).strip().partition("\n")[0] or type(trouble).__name__
            return f"the compiled engine cannot be used ({reason}); the work goes on without it"
        return None


def choose(rules: str, wanted: Wanted, size: int, remark: Callable[[str], None]) -> Literal["careful", "compiled"]:
    """Whether tables are filled by the compiled pass, which is there to be loaded then.

    Args:
        rules: a rule set, or ``auto``.
        wanted: what the user has asked for.
        size: bytes of logs.
        remark: is told what the user is to be told.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    way = Way(get_rule_set(rules_of_logs(rules)).options, wanted, size, _FILLING)
    if way.is_due(size):
        for step in (partial(way.prepare, size), way.load):
            text = step()
            if text is not None:
                remark(text)
    return "careful" if way.compiled is None else "compiled"


def choose_for_others(rules: str, wanted: Wanted, size: int) -> Literal["careful", "kept", "compiled"]:
    """How others fill tables, on machines of which it is not known what is kept there.

    See :mod:`tichu_analytics.tables.fill`.

    Args:
        rules, wanted: as for :func:`choose`.
        size: bytes of logs that each of them gets.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    if wanted == "careful" or not _covers(get_rule_set(rules_of_logs(rules)).options):
        return "careful"
    if wanted == "compiled" or size * _FILLING >= WORTH_COMPILING:
        return "compiled"
    return "kept" if size * _FILLING >= WORTH_LOADING else "careful"


def _covers(options: Options) -> bool:
    """Whether the compiled pass decides all that a rule set asks for."""
    return is_understood(options) and options.phoenix_ambiguity in (DECLARED_ELSE_HIGH, HIGHEST, BSW_LAZY)


def rules_of_logs(rules: str) -> str:
    """The rule set for BrettspielWelt logs where the user has asked for one, or for ``auto``."""
    return "bsw" if rules == "auto" else rules


def is_for_batch(one: Input) -> bool:
    """Whether a game can go through the compiled pass."""
    return one.format == "bsw" and len(one.data) <= _LARGEST_LOG


def are_few(paths: Sequence[str]) -> bool:
    """Whether some paths are files so few and small that other processes are surely not worth while."""
    if not 0 < len(paths) <= _FEW_FILES:
        return False
    for path in paths:
        try:
            state = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            return False
        if not stat.S_ISREG(state.st_mode):
            return False
    return expected_bytes(paths) <= FEW_BYTES


def expected_bytes(paths: Iterable[str]) -> int:
    """About how many bytes of logs some paths have; folders, URLs and standard input count nothing: nobody knows."""
    total = 0
    for path in paths:
        try:
            state = os.stat(path)  # noqa: PTH116
        except (OSError, ValueError):
            continue
        if stat.S_ISREG(state.st_mode):
            total += state.st_size * (_DEFLATED if path.lower().endswith(_PACKED) else 1)
    return total
