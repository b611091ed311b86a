"""The reference toolkit for recorded Tichu: replays games move by move and says exactly what is wrong.

>>> import tichu_analytics as ta
>>> for game in ta.read_games("sample_logs"):  # doctest: +SKIP
...     print(game.game_id, ta.replay(game).totals)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import os

    from tichu_analytics import stats
    from tichu_analytics.bulk.choice import Wanted
    from tichu_analytics.record import Game, Hand
    from tichu_analytics.replay.facts import GameReplay
    from tichu_analytics.replay.findings import Finding, Findings
    from tichu_analytics.tables.dataset import Dataset

    Paths = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]

__version__ = "0.3.0"

# The sub-package has the name of a function below. Loaded first, it gives way to the function; loaded later, by the
# first import of one of its modules, it would take the function's place.
import_module("tichu_analytics.replay")

__all__ = [
    "Dataset",
    "Findings",
    "Hand",
    "UnreadableInput",
    "__version__",
    "check",
    "export",
    "read_games",
    "replay",
    "stats",
]


def __getattr__(name: str) -> object:
    # pyarrow and pandas take longer to import than a short check; they come with the first use of a data set.
    if name == "Dataset":
        from tichu_analytics.tables.dataset import Dataset

        return Dataset
    if name == "stats":
        return import_module("tichu_analytics.stats")
    if name == "Hand":
        from tichu_analytics.record.hand import Hand

        return Hand
    if name == "Findings":
        from tichu_analytics.replay.findings import Findings

        return Findings
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    # What is loaded late belongs to it before it is loaded, and what is imported above does not.
    return sorted({*__all__, *(name for name in globals() if name.startswith("__") and name.endswith("__"))})


class UnreadableInput(OSError):
    """An input that could not be read at all: missing, no permission, a broken archive, beyond a limit.

    Attributes:
        path: which one.
        reason: why.
    """

    def __init__(self, path: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.reason = reason


def _list(paths: Paths) -> list[str]:
    import os

    if isinstance(paths, (str, os.PathLike)):
        return [os.fspath(paths)]
    return [os.fspath(path) for path in paths]


def read_games(paths: Paths) -> Iterator[Game]:
    """Reads recorded games one by one; memory holds one at a time.

    Args:
        paths: a path or several: BrettspielWelt logs (``.tch``) and TGR records (``.tgr.json``, ``.tgr.jsonl``),
            folders, zips, ``.gz`` and ``.zst`` files, ``-`` for standard input; also URLs (``s3://bucket/logs``).

    Yields:
        The record of each game, what the log says with the line of every element; damaged logs are read as far as they
        go, and what was noticed is in the records.

    Raises:
        UnreadableInput: when it comes to an input that cannot be read at all; all others are read first.
    """
    from tichu_analytics.formats.registry import read_input
    from tichu_analytics.formats.sources import Trouble, read_inputs

    first: Trouble | None = None
    for one in read_inputs(_list(paths)):
        if isinstance(one, Trouble):
            first = first or one
        else:
            yield read_input(one)
    if first is not None:
        raise UnreadableInput(first.path, first.message)


def replay(game: Game, rules: str = "auto") -> GameReplay:
    """Replays a game move by move.

    Args:
        game: a record from :func:`read_games`.
        rules: a rule set (``official``, ``bsw``, ...), or ``auto``: ``bsw`` for BrettspielWelt logs, for TGR records
            the one that they name, or else ``official``.

    Returns:
        All facts of the game (rounds, tricks, moves, totals, outcome) and all findings.

    Raises:
        TypeError: for what is no game, such as a path or several games.
        ValueError: for a rule set that does not exist.
    """
    from tichu_analytics.record import Game
    from tichu_analytics.replay.game import replay as replay_game

    if not isinstance(game, Game):
        raise TypeError(f"replay takes one game of ta.read_games, not {_told_instead(game)}")
    return replay_game(game, rules)


def _told_instead(given: object) -> str:
    """What was given in the place of a game, and what to give instead."""
    import os

    from tichu_analytics.replay.facts import GameReplay

    if isinstance(given, (str, os.PathLike)):
        path = ascii(os.fspath(given))
        if len(path) > 100:
            path = "path"
        return f"a path: ta.replay(next(ta.read_games({path})))"
    kind = f"a value of the type {type(given).__name__}"
    if isinstance(given, GameReplay):
        return "a game that is replayed already; its record is its field game"
    if hasattr(given, "_fields"):  # a round, say, which is a tuple as well
        return f"{kind}: ta.replay(next(ta.read_games(path)))"
    if isinstance(given, Iterator):
        return f"{kind}: ta.replay(next(games)), or [ta.replay(game) for game in games]"
    if isinstance(given, Iterable) and not isinstance(given, bytes):
        return f"{kind}: [ta.replay(game) for game in games]"
    return f"{kind}: ta.replay(next(ta.read_games(path)))"


def check(paths: Paths, rules: str = "auto", *, jobs: int = 1, scheduler: str | None = None) -> Iterator[Finding]:
    """Checks recorded games and yields what is wrong with them, game by game, by line within a round.

    Args:
        paths: as for :func:`read_games`.
        rules: as for :func:`replay`.
        jobs: how many processes do the work, if there is enough of it; the findings and their order do not depend on
            it. With more than one, a script needs the usual ``if __name__ == "__main__":``.
        scheduler: the address of a Dask scheduler, ``tcp://host:8786``; its workers do the work then, in place of
            processes of this machine (docs/cluster.md).

    Raises:
        ValueError: for a rule set that does not exist, or less than one job.
        OSError: if the scheduler cannot be reached, or its workers cannot do this work.
        UnreadableInput: as :func:`read_games` does, after everything else; also for a game that could not be checked.
    """
    from tichu_analytics.checking import CheckedGame, check_paths
    from tichu_analytics.formats.sources import Trouble

    first: Trouble | None = None
    with closing(check_paths(_list(paths), rules, jobs=jobs, scheduler=scheduler)) as results:
        for one in results:
            if isinstance(one, CheckedGame):
                yield from one.findings
            elif isinstance(one, Trouble):
                first = first or one
    if first is not None:
        raise UnreadableInput(first.path, first.message)


def export(
    paths: Paths,
    out: str | os.PathLike[str],
    *,
    rules: str = "auto",
    tables: Iterable[str] | None = None,
    jobs: int = 1,
    force: bool = False,
    engine: Wanted = "auto",
    scheduler: str | None = None,
) -> Dataset:
    """Writes the tables of recorded games as a data set: Parquet files, a folder for each table.

    The same call again goes on where it was interrupted, and takes in what has been added to the inputs.

    Args:
        paths: as for :func:`read_games`.
        out: the folder of the data set; it is made if it is not there. It may be a URL, such as ``s3://bucket/data``.
        rules: as for :func:`replay`.
        tables: the tables that are wanted; all by default. ``tichu schema`` explains them.
        jobs: how many processes do the work; the files do not depend on it. With more than one, a script needs the
            usual ``if __name__ == "__main__":``.
        force: begin anew and replace whatever data set is in the folder.
        engine: ``auto`` takes the compiled engine where there are enough logs and Numba is installed, ``compiled``
            takes it in any case, ``careful`` replays everything in full; the files do not depend on it.
        scheduler: the address of a Dask scheduler, ``tcp://host:8786``; its workers do the work then, in place of
            processes of this machine (docs/cluster.md).

    Returns:
        The data set.

    Raises:
        ValueError: for a rule set or a table that does not exist; if there is nothing to export, or the folder holds
            the data set of other logs or rules.
        OSError: if the folder cannot be written to, or the scheduler not be reached. What is complete stays, and the
            same call goes on there.
        UnreadableInput: if an input could not be read; all others have been exported, and ``Dataset(out)`` opens them.
    """
    from tichu_analytics.tables.dataset import Dataset
    from tichu_analytics.tables.export import export_inputs

    wanted = None if tables is None else list(tables)
    done = export_inputs(
        _list(paths),
        out,
        rules=rules,
        tables=wanted,
        jobs=jobs,
        force=force,
        engine=engine,
        scheduler=scheduler,
    )
    for trouble in done.troubles:
        raise UnreadableInput(trouble.path, trouble.message)
    return Dataset(done.folder)
