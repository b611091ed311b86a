"""Makes the pass over a batch ready to be called: compiled, loaded from where it was kept, or as it is, interpreted."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tichu_analytics.bulk import batch, keep, replay, scan, words
from tichu_analytics.bulk.batch import check_games
from tichu_analytics.bulk.cache import has_code
from tichu_analytics.bulk.layout import (
    EVENT_COLUMNS,
    FACTS,
    GAME_COLUMNS,
    MOST_EVENTS,
    MOVE_ROWS,
    MOVES_END,
    ROUND_COLUMNS,
    TRICK_ROWS,
    TRICKS_END,
)
from tichu_analytics.bulk.words import Table
from tichu_analytics.rules.combinations import Readings
from tichu_analytics.rules.compiled import RULE_MODULES, compile_modules
from tichu_analytics.rules.options import NO, OFFICIAL, Options
from tichu_analytics.rules.play import Situation

Pass = Callable[..., int]

_ENTRY: Final = "check_games"
#: Called for every line, some with as many as fifty numbers.
_INLINED: Final = (
    *("cards_at", "end_of_same_name", "seat_at", "after_end", "_put"),
    *("fitting_readings", "judge_pass", "judge_play", "_new_table"),
    *("keep_move", "keep_reading", "keep_trick"),
)
#: Nothing is allocated in the pass, so references to arrays need not be counted, which takes as long as all the rest.
_NUMBA_OPTIONS: Final[dict[str, Any]] = {"_nrt": False}
_MODULES: Final = (*RULE_MODULES, words, scan, keep, replay, batch)
#: Bytes behind the last game: no more than that is looked at at once.
_PADDING: Final = 64
#: The least number of bytes that a row of rounds stands for.
_ROW_BYTES: Final = 47
#: The least number of bytes of a line with a move, ``(0)a: Ma`` and the end of the line or longer.
_MOVE_BYTES: Final = 8


class Passed(NamedTuple):
    """What is known of the games of a batch; columns as in :mod:`.layout`.

    Attributes:
        rounds: a row for each round, or for something that may be several or less than one.
        games: a row for each game.
        data: the bytes of the games, in which the places that rows name lie.
        facts: the facts of each round, as far as it is vouched for.
        tricks, moves: those of these rounds, one in each column; none if they were not asked for.
    """

    rounds: Table
    games: Table
    data: bytes
    facts: Table
    tricks: Table
    moves: Table


class Engine:
    """The pass over a batch under one rule set.

    Args:
        function: :func:`tichu_analytics.bulk.batch.check_games`, compiled or interpreted.
        options: the rule set's choices.
    """

    def __init__(self, function: Pass, options: Options) -> None:
        self._function = function
        self._options = options
        self._strict = options._replace(wish_bomb_in_turn=NO)
        self._facts = np.zeros(FACTS, np.int64)
        self._events = np.zeros((MOST_EVENTS, EVENT_COLUMNS), np.int64)
        self._room = _rooms(0, 0)

    def run(self, logs: Sequence[bytes], keep: bool = False) -> Passed:
        """Goes through some logs; they need not be logs at all.

        Args:
            logs: the bytes of some games.
            keep: whether tricks and moves are wanted, too.

        Returns:
            What is known, which holds until the next call.
        """
        spans = np.empty((len(logs), 2), np.int64)
        pieces: list[bytes] = []
        at = 0
        for number, log in enumerate(logs):
            spans[number, 0] = at
            at += len(log)
            spans[number, 1] = at
            at += 1
            pieces.append(log)
        pieces.append(bytes(_PADDING))
        data = b"\0".join(pieces)
        # Only what is written to takes memory.
        rows = at // _ROW_BYTES + len(logs) + 1
        rounds = np.empty((rows, ROUND_COLUMNS), np.int64)
        games = np.empty((len(logs), GAME_COLUMNS), np.int64)
        self._make_room(rows, at // _MOVE_BYTES + 1 if keep else 0)
        kept, tricks, moves = self._room
        if not keep:
            tricks, moves = tricks[:, :0].copy(), moves[:, :0].copy()
        count = self._function(
            np.frombuffer(data, np.int8),
            spans,
            self._options,
            self._strict,
            rounds,
            games,
            self._facts,
            self._events,
            kept,
            tricks,
            moves,
        )
        return Passed(
            rounds[:count],
            games,
            data,
            kept[:count],
            tricks[:, : self._facts[TRICKS_END]],
            moves[:, : self._facts[MOVES_END]],
        )

    def _make_room(self, rows: int, columns: int) -> None:
        """Sees that there is room for the facts of so many rounds and for so many moves; memory is used again."""
        kept, _, moves = self._room
        if kept.shape[0] < rows or moves.shape[1] < columns:
            self._room = _rooms(max(rows, kept.shape[0]), max(columns, moves.shape[1]))


def _rooms(rows: int, columns: int) -> tuple[Table, Table, Table]:
    """Room for the facts of so many rounds, and for so many tricks and moves."""
    return (
        np.empty((rows, FACTS), np.int64),
        np.empty((TRICK_ROWS, columns), np.int64),
        np.empty((MOVE_ROWS, columns), np.int64),
    )


#: What has been loaded or compiled in this process, by the folder in which it is kept.
_loaded: dict[Path | None, Pass] = {}


def interpreted() -> Pass:
    """The pass as ordinary Python: slow, for tests."""
    return check_games


def compiled(folder: Path | None, is_kept: bool) -> Pass:
    """The pass as machine code.

    Args:
        folder: where it is kept, or None.
        is_kept: it should be there already. If it is not, or what is there cannot be used, it is compiled, which takes
            a long time; other processes that want to keep it in the same folder wait meanwhile, and then load it.

    Raises:
        ImportError: if Numba is not installed, or told not to compile.
    """
    if folder in _loaded:
        return _loaded[folder]
    with _keeping(folder), _alone(folder if not is_kept else None):
        if folder is not None and not is_kept:
            is_kept = has_code(folder)
        ready = _kept() if folder is not None and is_kept else None
        if ready is None:
            # Compiled for another machine, or damaged: then it must not be there when it is compiled anew.
            for path in folder.glob("*/*.nb[ci]") if folder is not None and is_kept else ():
                path.unlink(missing_ok=True)
            ready = _compiled(folder is not None)
        _loaded[folder] = ready
        return ready


def loaded(folder: Path) -> Pass | None:
    """The pass as it is kept in a folder; None if it cannot be used. Nothing is compiled, and nothing removed.

    Raises:
        ImportError: as :func:`compiled` does.
    """
    if folder not in _loaded:
        with _keeping(folder):
            ready = _kept()
        if ready is None:
            return None
        _loaded[folder] = ready
    return _loaded[folder]


@contextmanager
def _alone(folder: Path | None) -> Iterator[None]:
    """Keeps other processes from compiling into the same folder, where the system can do that."""
    try:
        import fcntl
    except ImportError:  # Windows
        folder = None
    with ExitStack() as stack:
        if folder is not None:
            with suppress(OSError):  # a disk of the network may know no locks; then several compile, and that is all
                lock = stack.enter_context((folder / "lock").open("w"))
                fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@contextmanager
def _keeping(folder: Path | None) -> Iterator[None]:
    """Tells Numba where code is kept.

    Raises:
        ImportError: if Numba is not installed, or told not to compile.
    """
    numba: Any = import_module("numba")
    if numba.config.DISABLE_JIT:
        raise ImportError("Numba is told not to compile anything, by NUMBA_DISABLE_JIT")
    before = numba.config.CACHE_DIR
    if folder is not None:
        numba.config.CACHE_DIR = str(folder)
    try:
        yield
    finally:
        numba.config.CACHE_DIR = before


def _kept() -> Pass | None:
    """The pass as it is kept where Numba has been told, None if it cannot be used."""
    # Without the functions that it calls, the pass can be loaded but not compiled.
    entry = compile_modules((batch,), (_ENTRY,), cache=True, **_NUMBA_OPTIONS)[_ENTRY]
    try:
        return _ready(entry)
    except Exception:
        return None


def _compiled(is_to_be_kept: bool) -> Pass:
    """The pass, compiled, and kept in the folder that Numba has been told of."""
    functions = compile_modules(_MODULES, (_ENTRY,), _INLINED, cache=is_to_be_kept, **_NUMBA_OPTIONS)
    _compile_callees(functions, _ENTRY, set())
    return _ready(functions[_ENTRY])


def _ready(entry: Any) -> Pass:
    entry.compile(_signature(entry.py_func))
    entry.disable_compile()
    ready: Pass = entry
    return ready


def _compile_callees(functions: dict[str, Any], name: str, done: set[str]) -> None:
    """Compiles all that a function calls, once each, for the types that the annotations tell.

    Left alone, Numba compiles a function again for every constant that it is called with.
    """
    for callee in functions[name].py_func.__code__.co_names:
        if callee in functions and callee not in done:
            done.add(callee)
            _compile_callees(functions, callee, done)
            _ready(functions[callee])


def _signature(function: Callable[..., Any]) -> tuple[Any, ...]:
    """The types of a function's arguments, as Numba has them."""
    numba: Any = import_module("numba")
    types = {
        "int": numba.int64,
        "bool": numba.boolean,
        "Bytes": numba.types.Array(numba.int8, 1, "C", readonly=True),
        "Numbers": numba.int64[::1],
        "Table": numba.int64[:, ::1],
        "Options": numba.typeof(OFFICIAL),
        "Situation": numba.typeof(Situation()),
        "Readings": numba.typeof(Readings(0, 0, 0, 0, 0, 0, 0, 0)),
    }
    # Annotations are text, since the modules put off evaluating them.
    return tuple(types[parameter.annotation] for parameter in inspect.signature(function).parameters.values())
