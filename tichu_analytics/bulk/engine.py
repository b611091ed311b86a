"""Makes the pass over a batch ready to be called: compiled, loaded from where it was kept, or as it is, interpreted."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from tichu_analytics.bulk import batch, replay, scan, words
from tichu_analytics.bulk import keep as keeping
from tichu_analytics.bulk.batch import check_games
from tichu_analytics.bulk.cache import Code, keep, kept
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
from tichu_analytics.bulk.machine import Unusable, callable_code, code_of
from tichu_analytics.bulk.words import Table, window
from tichu_analytics.rules.combinations import Readings
from tichu_analytics.rules.options import NO, OFFICIAL, Options
from tichu_analytics.rules.play import Situation

Pass = Callable[..., int]

_ENTRY: Final = "check_games"
#: Called for every line, some with as many as fifty numbers.
_INLINED: Final = (
    *("cards_at", "end_of_same_name", "seat_at", "after_end", "_put", "_scan_act"),
    *("fitting_readings", "judge_pass", "judge_play", "_new_table"),
    *("keep_move", "keep_reading", "keep_trick"),
)
#: Nothing is allocated in the pass, so references to arrays need not be counted, which takes as long as all the rest.
_NUMBA_OPTIONS: Final[dict[str, Any]] = {"_nrt": False}
_MODULES: Final = (words, scan, keeping, replay, batch)
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


def compiled(folder: Path | None) -> Pass:
    """The pass as machine code; what is kept is loaded.

    If there is nothing that can be used, it is compiled, which takes a long time; other processes that want to keep it
    in the same folder wait meanwhile, and then load it.

    Args:
        folder: where it is kept, or None.

    Raises:
        ImportError: if Numba is not installed, or told not to compile.
        Unusable: if this Numba cannot be used.
    """
    if folder is not None and (ready := loaded(folder)) is not None:
        return ready
    if folder not in _loaded:
        with _alone(folder):
            code = kept(folder) if folder is not None else None
            if code is None:
                code = _compiled()
                if folder is not None:
                    with suppress(OSError):  # on a full disk, say; then it is compiled anew the next time
                        keep(code, folder)
            _loaded[folder] = callable_code(code)
    return _loaded[folder]


def loaded(folder: Path) -> Pass | None:
    """The pass as it is kept in a folder; None if it cannot be used. Nothing is compiled, and nothing removed.

    Raises:
        ImportError: as :func:`compiled` does.
    """
    _check_wanted()
    if folder not in _loaded:
        code = kept(folder)
        if code is None:
            return None
        with suppress(Unusable):
            _loaded[folder] = callable_code(code)
    return _loaded.get(folder)


def _check_wanted() -> None:
    """Checks that Numba is not told to compile nothing; then nothing compiled is wanted.

    Raises:
        ImportError: if it is.
    """
    if os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        raise ImportError("Numba is told not to compile anything, by NUMBA_DISABLE_JIT")


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


def _compiled() -> Code:
    """The machine code of the pass, compiled.

    Raises:
        ImportError, Unusable: as :func:`compiled` does.
    """
    from tichu_analytics.rules.compiled import RULE_MODULES, compile_modules

    _check_wanted()
    instead = {window.__name__: _window()}
    functions = compile_modules((*RULE_MODULES, *_MODULES), (), _INLINED, instead, **_NUMBA_OPTIONS)
    _compile_callees(functions, _ENTRY, set(instead))
    _ready(functions[_ENTRY])
    return code_of(functions[_ENTRY], _examples())


def _window() -> Any:
    """What :func:`tichu_analytics.bulk.words.window` does, as one instruction. Whoever calls it stays in the buffer."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    codegen: Any = import_module("numba.core.cgutils")

    def load(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        data = context.make_array(signature.args[0])(context, builder, arguments[0]).data
        place = codegen.gep_inbounds(builder, data, arguments[1])
        return builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    @intrinsic
    def window(typing: Any, data: Any, at: Any) -> Any:
        return types.int64(data, at), load

    return window


def _examples() -> tuple[Any, ...]:
    """Arguments of the pass, as far as their types matter."""
    table, numbers = np.empty((0, 0), np.int64), np.empty(0, np.int64)
    kinds = {"Bytes": np.empty(0, np.int8), "Numbers": numbers, "Table": table, "Options": OFFICIAL}
    # Annotations are text, since the modules put off evaluating them.
    return tuple(kinds[parameter.annotation] for parameter in inspect.signature(check_games).parameters.values())


def _ready(function: Any) -> None:
    """Compiles a function for the types that its annotations tell, and for no others."""
    function.compile(_signature(function.py_func))
    function.disable_compile()


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
        "Text": numba.types.Array(numba.int64, 1, "C", readonly=True),
        "Numbers": numba.int64[::1],
        "Table": numba.int64[:, ::1],
        "Options": numba.typeof(OFFICIAL),
        "Situation": numba.typeof(Situation()),
        "Readings": numba.typeof(Readings(0, 0, 0, 0, 0, 0, 0, 0)),
    }
    # Annotations are text, since the modules put off evaluating them.
    return tuple(types[parameter.annotation] for parameter in inspect.signature(function).parameters.values())
