"""The work behind one part of an export: replay its logs, fill the tables, write the files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from tichu_analytics.formats.members import Changed
from tichu_analytics.formats.pieces import Piece
from tichu_analytics.formats.sources import Input
from tichu_analytics.tables.files import write_whole
from tichu_analytics.tables.inputs import read_logs
from tichu_analytics.tables.places import place
from tichu_analytics.tables.schema import TABLES

if TYPE_CHECKING:
    from tichu_analytics.tables.fill import FillWay


class ExportRefused(ValueError):
    """An export that is not begun, or not finished, for reasons that the text tells."""


class PartTask(NamedTuple):
    """A part to be made.

    Attributes:
        name: the name of its files without an ending.
        key: see :class:`tichu_analytics.tables.plan.Part`.
        first: where its first log is.
        pieces: where its logs are; members of archives and files are named, and whoever makes the part reads them.
        digests: the SHA-256 of those that are named, one after the other, or what stands in its place.
        new_ids: by their numbers, the ids that logs get; None for those that are not read a second time.
        read: how many logs it has with those.
        folder: the folder of the data set.
        rules: the rule set, or ``auto``.
        tables: the tables to be written.
        engine: the way of filling the tables, see :data:`tichu_analytics.tables.fill.FillWay`.
    """

    name: str
    key: str
    first: str
    pieces: tuple[Piece, ...]
    digests: bytes
    new_ids: dict[int, str | None]
    read: int
    folder: str
    rules: str
    tables: tuple[str, ...]
    engine: FillWay = "careful"


def changed(path: str, reason: str = "") -> str:
    """What is said of a log that is no longer what it was, or that cannot be read any more for a reason."""
    if reason:
        return f"{path} could be read, and then could not ({reason}); run the same command again"
    return f"{path} has changed while it was being exported; run the same command again"


def prepare() -> None:
    """Loads what every part needs."""
    import tichu_analytics.tables.arrow
    import tichu_analytics.tables.fill
    import tichu_analytics.tables.vouched  # noqa: F401


def make_part(task: PartTask, report: Callable[[int, int], None]) -> dict[str, Any]:
    """Replays the logs of a part and writes its files.

    Args:
        task: what is to be done.
        report: is told the rounds and bytes done since the last time.

    Returns:
        What is known of the part, for the list of parts in ``_dataset.json``: key, first log, numbers of logs and
        bytes, counts of rounds, the exclusions by reason, findings by code, rows and bytes of each file.

    Raises:
        CannotWrite: if a file cannot be written.
        ExportRefused: if a table has more text than a file can hold, or a log is no longer what it was.
        NotAsNamed: if a member of an archive is something else than its directory says.
        ValueError: for a rule set that does not exist.
    """
    import pyarrow as pa

    from tichu_analytics.tables.arrow import parquet_bytes
    from tichu_analytics.tables.build import Builder
    from tichu_analytics.tables.fill import fill

    builder = Builder(task.tables)
    tally = builder.tally
    size = 0

    def logs() -> Iterator[Input]:
        nonlocal size
        try:
            for _, log in read_logs(task.pieces, task.digests, task.new_ids):
                size += len(log.data)
                yield log
        except Changed as trouble:
            raise ExportRefused(changed(trouble.path, trouble.reason)) from None

    fill(builder, logs(), task.rules, task.engine, report)
    files = {}
    for name in task.tables:
        try:
            table = builder.pop(name)
        except pa.ArrowInvalid:
            raise ExportRefused(
                f"the table {name} of {task.first} and the logs after it has more text than a file can hold"
            ) from None
        data = parquet_bytes(table, TABLES[name])
        write_whole(place(task.folder) / name / f"{task.name}.parquet", memoryview(data))
        files[name] = {"rows": table.num_rows, "bytes": data.size}
        # Only one table is in memory as rows, as columns and as a file at the same time.
        del table, data
    return {
        "key": task.key,
        "first": task.first,
        "logs": task.read,
        "bytes": size,
        "games": tally.logs,
        "rounds": tally.rounds,
        "rounds_complete": tally.complete,
        "rounds_kept": tally.kept,
        "excluded": dict(sorted(tally.excluded.items())),
        "findings": dict(sorted(tally.findings.items())),
        "games_by_rules": dict(sorted(tally.rules.items())),
        "rounds_by_engine": dict(sorted(tally.engines.items())),
        "files": files,
    }
