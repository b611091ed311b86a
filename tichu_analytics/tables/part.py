"""The work behind one part of an export: replay its logs, fill the tables, write the files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from tichu_analytics.formats.registry import read_input
from tichu_analytics.formats.sources import Input
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.replay.game import replay
from tichu_analytics.tables.files import write_whole
from tichu_analytics.tables.places import place
from tichu_analytics.tables.schema import TABLES

#: Rounds after which progress is reported.
_REPORT: Final = 100


class ExportRefused(ValueError):
    """An export that is not begun, or not finished, for reasons that the text tells."""


class PartTask(NamedTuple):
    """A part to be made.

    Attributes:
        name: the name of its files without an ending.
        key: see :class:`tichu_analytics.tables.plan.Part`.
        first: where its first log is.
        logs: its logs with the ids that they go by; the same log a second time is not among them.
        read: how many logs it has with those.
        folder: the folder of the data set.
        rules: the rule set, or ``auto``.
        tables: the tables to be written.
    """

    name: str
    key: str
    first: str
    logs: tuple[Input, ...]
    read: int
    folder: str
    rules: str
    tables: tuple[str, ...]


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
        ExportRefused: if a table has more text than a file can hold.
        ValueError: for a rule set that does not exist.
    """
    import pyarrow as pa

    from tichu_analytics.tables.arrow import parquet_bytes
    from tichu_analytics.tables.build import Builder

    builder = Builder(task.tables)
    tally = builder.tally
    rounds = size = 0
    with rare_collections():
        for log in task.logs:
            found = replay(read_input(log), task.rules)
            builder.add(found, log.game_id)
            rounds += len(found.rounds)
            size += len(log.data)
            if rounds >= _REPORT:
                report(rounds, size)
                rounds = size = 0
    files = {}
    for name in task.tables:
        try:
            table = builder.arrow(name)
        except pa.ArrowInvalid:
            raise ExportRefused(
                f"the table {name} of {task.first} and the logs after it has more text than a file can hold"
            ) from None
        data = parquet_bytes(table, TABLES[name])
        write_whole(place(task.folder) / name / f"{task.name}.parquet", memoryview(data))
        files[name] = {"rows": table.num_rows, "bytes": data.size}
    report(rounds, size)
    return {
        "key": task.key,
        "first": task.first,
        "logs": task.read,
        "bytes": sum(len(log.data) for log in task.logs),
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
