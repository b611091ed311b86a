"""Exports recorded games as a data set: what there is to do, who does it, and what is written down in the end."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext, suppress
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, Protocol

from tichu_analytics.bulk.choice import Wanted, choose, choose_for_others, expected_bytes
from tichu_analytics.formats.ids import Same
from tichu_analytics.formats.members import Changed, NotAsNamed
from tichu_analytics.formats.remote import is_everywhere, is_private, is_url
from tichu_analytics.formats.sources import Trouble, keep_standard_input, reason_of
from tichu_analytics.jobs.processes import Lost, early_workers, run
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.tables.files import CannotWrite, locked, writing
from tichu_analytics.tables.inputs import sources
from tichu_analytics.tables.manifest import FORMAT, Info, manifest_of
from tichu_analytics.tables.part import ExportRefused, PartTask, changed, make_part, prepare
from tichu_analytics.tables.places import Place, UrlPath, place
from tichu_analytics.tables.plan import PART_BYTES, Part, Plan, make_plan
from tichu_analytics.tables.schema import SCHEMA_VERSION, TABLES
from tichu_analytics.tables.second import part_pieces
from tichu_analytics.tables.store import HEADER, MANIFEST, WORK, Store

if TYPE_CHECKING:
    from tichu_analytics.jobs.cluster import Cluster
    from tichu_analytics.jobs.processes import Done, Worker
    from tichu_analytics.tables.fill import FillWay

__all__ = ["ExportRefused", "Exported", "Progress", "export_inputs", "settings_text"]

_REPLACE: Final = "take another folder, or --force (in Python force=True) to replace what is there"


class Progress(Protocol):
    """Is told how an export goes on."""

    def reading(self, logs: int, size: int) -> None:
        """So many logs and bytes have been read so far; the first pass over the inputs."""

    def begin(self, size: int) -> None:
        """The work begins: so many bytes of logs are to be replayed."""

    def done(self, rounds: int, size: int) -> None:
        """So many more rounds and bytes have been replayed; zeros now and then."""


class _Silent:
    def reading(self, logs: int, size: int) -> None:
        pass

    def begin(self, size: int) -> None:
        pass

    def done(self, rounds: int, size: int) -> None:
        pass


def _unheard(text: str) -> None:
    pass


class _How(NamedTuple):
    """How the parts are made: by which rule set, which tables, by a cluster or so many processes, with which engine.

    Processes that have been started early are used by the first attempt.
    """

    rules: str
    tables: tuple[str, ...]
    means: Cluster | int
    engine: Wanted
    remark: Callable[[str], None]
    workers: list[Worker] | None


class Exported(NamedTuple):
    """What an export came to.

    Attributes:
        folder: the folder of the data set.
        manifest: the content of its ``_dataset.json``.
        troubles: inputs that could not be read.
        same: ids that several logs have.
        parts_made, parts_kept, parts_removed: how many parts were made, were there already, and were there for logs
            that are gone.
    """

    folder: Place
    manifest: dict[str, Any]
    troubles: tuple[Trouble, ...]
    same: tuple[Same, ...]
    parts_made: int
    parts_kept: int
    parts_removed: int


def export_inputs(
    paths: Sequence[str],
    out: str | os.PathLike[str],
    *,
    rules: str = "auto",
    tables: Collection[str] | None = None,
    jobs: int = 1,
    force: bool = False,
    progress: Progress | None = None,
    part_bytes: int = PART_BYTES,
    engine: Wanted = "auto",
    remark: Callable[[str], None] | None = None,
    scheduler: str | None = None,
) -> Exported:
    """Writes the tables of recorded games as a data set, or brings the one that is there up to date.

    Args:
        paths: as for :func:`tichu_analytics.read_games`.
        out: the folder of the data set; it is made if it is not there, with those above. Also a URL that fsspec
            reaches, such as ``s3://bucket/data``; nothing is locked there.
        rules: a rule set, or ``auto``.
        tables: names of the tables that are wanted; all by default.
        jobs: how many processes; the files do not depend on it.
        force: begin anew, whatever data set is there.
        progress: is told how it goes on.
        part_bytes: bytes of logs after which a part ends.
        engine: ``compiled`` lets the compiled engine vouch for rounds of BrettspielWelt logs and fill their rows,
            ``careful`` replays everything in full, ``auto`` takes the compiled engine where there are enough logs. The
            files do not depend on it.
        remark: is told what a user should know about the engine, in a sentence.
        scheduler: the address of a Dask scheduler whose workers do the work in place of processes here. They read what
            lies at URLs and write the files themselves, so ``out`` has to be the same place for all of them. They take
            the compiled engine where they have Numba; nothing is told if not.

    Raises:
        ValueError: for a rule set or a table that does not exist.
        ClusterTrouble: if the scheduler cannot be reached, or its workers cannot do this work.
        ExportRefused: if there is nothing to export, or something else is in the folder, or a log changed meanwhile.
        CannotWrite: if the folder cannot be written to; what is complete stays, and the same call goes on there.
    """
    if rules != "auto":
        get_rule_set(rules)
    wanted = _table_names(tables)
    if not os.fspath(out):
        raise ValueError("the name of the folder for the data set is empty")
    folder = place(out)
    if isinstance(folder, UrlPath) and is_private(folder.url):
        if scheduler is not None:
            raise ExportRefused(f"{folder} is in the memory of this process; the workers cannot write there")
        jobs = 1
    progress = progress or _Silent()
    early = jobs if scheduler is None and _is_large(paths, folder, part_bytes) else 1
    with (
        _standard_input(paths) as stdin,
        _connected(scheduler) as cluster,
        early_workers(make_part, early, prepare) as workers,
    ):
        how = _How(rules, wanted, cluster or jobs, engine, remark or _unheard, workers)
        inputs = _Inputs(list(paths), stdin, set())
        is_begun = False
        while True:
            is_planned = False
            try:
                plan = _plan(inputs, settings_text(rules), part_bytes, progress)
                is_planned = True
                with writing(folder):
                    folder.mkdir(parents=True, exist_ok=True)
                with locked(folder):
                    return _export(plan, inputs, folder, how, force and not is_begun, is_begun, progress)
            except NotAsNamed as found:
                # Its directory has been believed in vain; parts that are done are not made again.
                if found.spot in inputs.odd:
                    raise ExportRefused(changed(found.path)) from None
                inputs.odd.add(found.spot)
                is_begun = is_begun or (is_planned and (folder / WORK / HEADER).exists())
            except Changed as trouble:
                raise ExportRefused(changed(trouble.path, trouble.reason)) from None


def _is_large(paths: Sequence[str], folder: Place, part_bytes: int) -> bool:
    """Whether there is surely enough to do for several processes, so that they may start before all is known."""
    if isinstance(folder, UrlPath) or any(map(is_url, paths)) or expected_bytes(paths) < 4 * part_bytes:
        return False
    try:
        return not (folder / MANIFEST).exists()
    except OSError:
        return False


def settings_text(rules: str) -> str:
    """All besides the logs that decides about the content of the files."""
    from tichu_analytics import __version__

    return f"tichu_analytics {__version__} schema {SCHEMA_VERSION} rules {rules}"


def _table_names(tables: Collection[str] | None) -> tuple[str, ...]:
    if tables is None:
        return tuple(TABLES)
    for name in tables:
        if name not in TABLES:
            raise ValueError(f"there is no table {name!r}; the tables are {', '.join(TABLES)}")
    if not tables:
        raise ValueError(f"no table is named; the tables are {', '.join(TABLES)}")
    return tuple(name for name in TABLES if name in tables)


def _nothing(plan: Plan) -> str:
    if not plan.troubles:
        return "there is nothing to export"
    first, *more = [f"{trouble.path}: {trouble.message}" for trouble in plan.troubles]
    return f"there is nothing to export: {first}" + (f" (and {len(more)} more)" if more else "")


@contextmanager
def _standard_input(paths: Iterable[str]) -> Iterator[BinaryIO | None]:
    """What stands on standard input if it is asked for, kept in a file so that it can be read twice."""
    if "-" not in paths or sys.stdin is None:
        yield None
        return
    try:
        kept = keep_standard_input()
    except (OSError, ValueError) as trouble:
        raise ExportRefused(f"standard input cannot be read: {reason_of(trouble)}") from None
    with kept:
        yield kept


def _connected(scheduler: str | None) -> AbstractContextManager[Cluster | None]:
    """A connection to a cluster, if there is to be one.

    Raises:
        ClusterTrouble: if it cannot be reached.
    """
    if scheduler is None:
        return nullcontext()
    from tichu_analytics.jobs.cluster import PYARROW, connected

    # What wrote a file is noted in it, so that another version would write other bytes.
    return connected(scheduler, (PYARROW,))


class _Inputs(NamedTuple):
    """What is exported: the paths, what is read for ``-``, and the archives whose directories are not believed."""

    paths: list[str]
    stdin: BinaryIO | None
    odd: set[int]


def _plan(inputs: _Inputs, settings: str, part_bytes: int, progress: Progress) -> Plan:
    """Goes through the inputs for the first time.

    Raises:
        ExportRefused: if there is nothing to export.
    """
    if inputs.stdin is not None:
        inputs.stdin.seek(0)
    plan = make_plan(sources(*inputs), settings, part_bytes, progress.reading)
    if not plan.parts:
        raise ExportRefused(_nothing(plan))
    return plan


def _export(
    plan: Plan,
    inputs: _Inputs,
    folder: Place,
    how: _How,
    force: bool,
    is_begun: bool,
    progress: Progress,
) -> Exported:
    with writing(folder):
        store = Store(folder)
    tables = how.tables
    header = {"format": FORMAT, "rules": how.rules, "tables": list(tables), "paths": inputs.paths}
    if store.is_foreign():
        raise ExportRefused(f"{folder} has folders that are named like tables, with files that no export has made")
    if store.is_without_manifest() and not force:
        raise ExportRefused(f"{folder} has tables but no {MANIFEST}; {_REPLACE}")
    if store.header is not None and not force and not is_begun:
        _refuse_others(store, header, plan)
    names = {part.key: part.name for part in plan.parts}
    done = set() if force else store.done(tables)
    todo = [part for part in plan.parts if part.key not in done]
    kept = [part for part in plan.parts if part.key in done]
    if not todo and store.is_finished and not (folder / WORK / HEADER).exists():
        manifest = manifest_of(plan, store.infos, header)
        if manifest == store.header:
            store.clean()
            return Exported(folder, manifest, plan.troubles, plan.same, 0, len(kept), 0)
    try:
        if force:
            with writing(folder / MANIFEST):
                (folder / MANIFEST).unlink(missing_ok=True)
            store.drop()
        store.begin(header, tables)
        progress.begin(sum(part.size for part in todo))
        _make(plan, todo, inputs, store, how, progress)
        infos = {key: store.infos[key] for key in names}
        manifest = manifest_of(plan, infos, header)
        store.finish(names, tables, manifest)
    except BaseException:
        _tidy(store)
        raise
    firsts = {part.first for part in plan.parts}
    removed = sum(key not in names and info["first"] not in firsts for key, info in store.infos.items())
    return Exported(folder, manifest, plan.troubles, plan.same, len(todo), len(kept), removed)


def _tidy(store: Store) -> None:
    """Removes what is of no use as far as that is possible, after something else has gone wrong."""
    with suppress(CannotWrite):
        store.clean()
        if not store.infos:
            store.drop()


def _refuse_others(store: Store, new: dict[str, Any], plan: Plan) -> None:
    """Refuses to replace a data set by another one unasked.

    Raises:
        ExportRefused: unless the new one has the same rule set, all the tables of the old one, and its logs.
    """
    old = store.header
    assert old is not None
    if not old:
        difference = f"has a {MANIFEST} that cannot be read"
    elif old["rules"] != new["rules"]:
        difference = f"was made with the rule set {old['rules']}"
    elif missing := [name for name in old["tables"] if name not in new["tables"]]:
        difference = f"has also the tables {', '.join(missing)}"
    elif lost := _lost(store, plan, set(old["paths"]) <= set(new["paths"])):
        games = sum(info["games"] for info in lost)
        named = ", ".join(old["paths"][:3]) + (", ..." if len(old["paths"]) > 3 else "")
        difference = (
            f"has logs that are not among these, up to {games} games (it was made from {named}): name all together"
        )
    else:
        return
    raise ExportRefused(f"{store.folder} {difference}; {_REPLACE}")


def _lost(store: Store, plan: Plan, has_same_paths: bool) -> list[Info]:
    """The parts that are there and that an export would remove unasked.

    Under the same paths, logs may come and go, as long as something stays; under others, everything has to stay.
    """
    keys = {part.key for part in plan.parts}
    # What came on standard input once has nothing to do with what comes there now.
    firsts = {part.first for part in plan.parts if part.first != "-" and not part.first.startswith("-, line ")}
    lost = [info for key, info in store.infos.items() if key not in keys]
    if has_same_paths and len(lost) < len(store.infos):
        return []
    if has_same_paths:
        return [] if any(info["first"] in firsts for info in lost) else lost
    return lost


def _make(
    plan: Plan,
    todo: list[Part],
    inputs: _Inputs,
    store: Store,
    how: _How,
    progress: Progress,
) -> None:
    """Makes the parts that are missing and notes each one that is done.

    Raises:
        ExportRefused: if a worker went away twice at the same part, all others are done then; if workers of a cluster
            write to some other place.
    """
    if not todo:
        return
    folder = os.fspath(store.folder)
    size = sum(part.size for part in todo)
    engine: FillWay
    if isinstance(how.means, int):
        engine = choose(how.rules, how.engine, size, how.remark)
    else:
        engine = choose_for_others(how.rules, how.engine, size // min(how.means.threads, len(todo)))
        if not isinstance(store.folder, UrlPath):
            folder = os.path.abspath(folder)  # noqa: PTH100 - workers have been started somewhere else
    tasks = (
        PartTask(
            name=part.name,
            key=part.key,
            first=part.first,
            pieces=pieces,
            digests=digests,
            new_ids=plan.ids_of(part),
            read=part.stop - part.start,
            folder=folder,
            rules=how.rules,
            tables=how.tables,
            engine=engine,
        )
        for part, pieces, digests in part_pieces(plan, todo, *inputs, _opener(how.means))
    )
    lost = []
    ends: Iterator[Done[PartTask, Info] | Lost[PartTask]]
    if isinstance(how.means, int):
        ends = run(tasks, make_part, min(how.means, len(todo)), progress.done, how.workers)
    else:
        ends = how.means.run(tasks, make_part, progress.done)
    with closing(ends) if isinstance(ends, Generator) else nullcontext():
        for end in ends:
            if isinstance(end, Lost):
                lost.append(end)
                continue
            if not isinstance(how.means, int):
                _see(store, end.task, end.result)
            store.note(end.result)
    if lost:
        first = lost[0]
        code = f" (exit code {first.exit_code})" if first.exit_code is not None else ""
        who = "the process" if isinstance(how.means, int) else "every worker"
        often = " twice" if isinstance(how.means, int) else ""
        raise ExportRefused(
            f"{who} that worked on {first.task.first} and the logs after it ended{often} before it was done{code}"
            + (f", and so for {len(lost) - 1} more parts" if len(lost) > 1 else "")
            + "; all else is done, and the same command tries only these again"
        )


def _opener(means: Cluster | int) -> Callable[[str], bool]:
    """Says of a path whether those who make the parts can open it."""
    if means == 1:
        return lambda path: True
    return (lambda path: not is_private(path)) if isinstance(means, int) else is_everywhere


def _see(store: Store, task: PartTask, info: Info) -> None:
    """Looks whether the files that a worker on another machine has written have come to where they should be.

    Raises:
        ExportRefused: if they have not.
    """
    for table in task.tables:
        file = store.folder / table / f"{task.name}.parquet"
        with writing(file):
            try:
                is_there = file.stat().st_size == info["files"][table]["bytes"]
            except FileNotFoundError:
                is_there = False
        if not is_there:
            raise ExportRefused(
                f"a worker has written {file}, and it is not there: it has that folder to itself; "
                "take one that all machines share, or a URL"
            )
