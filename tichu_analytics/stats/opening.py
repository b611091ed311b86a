"""What statistics are made of: a data set, or logs of which one is made for the time being."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tichu_analytics.formats.ids import Same
    from tichu_analytics.formats.sources import Trouble
    from tichu_analytics.tables.dataset import Dataset
    from tichu_analytics.tables.export import Progress


class OtherRules(ValueError):
    """A rule set that was asked for, and a data set that was made by another one."""


class Opened(NamedTuple):
    """A data set, and what there is to say of the logs that were read for it.

    Attributes:
        data: the data set.
        troubles: inputs that could not be read.
        same: ids that several logs have.
    """

    data: Dataset
    troubles: tuple[Trouble, ...] = ()
    same: tuple[Same, ...] = ()


@contextmanager
def opened(
    data: Dataset | str | os.PathLike[str],
    *,
    jobs: int = 1,
    progress: Progress | None = None,
    rules: str = "auto",
) -> Iterator[Opened]:
    """Opens a data set; logs are exported into a folder of their own first, which is removed at the end.

    Args:
        data: a data set, its folder, or logs: a file, a folder, an archive, ``-`` for standard input.
        jobs: how many processes read logs.
        progress: is told how the reading of logs goes on.
        rules: the rule set by which logs are replayed, or ``auto``. A data set has been made by one already.

    Raises:
        OtherRules: if a data set was made by another rule set than is asked for.
        NoDataset: if there is a data set that cannot be opened.
        ExportRefused: if it is no data set and there are no logs either.
        CannotWrite: if there is no room for the tables of logs.
    """
    from tichu_analytics.tables.dataset import Dataset
    from tichu_analytics.tables.export import ExportRefused, export_inputs

    if isinstance(data, Dataset):
        yield Opened(_with_rules(data, rules))
        return
    path = os.fspath(data)
    if _is_dataset(path):
        yield Opened(_with_rules(Dataset(path), rules))
        return
    # Nobody else may enter this folder.
    with tempfile.TemporaryDirectory(prefix="tichu-stats-") as folder:
        try:
            done = export_inputs([path], Path(folder) / "data", rules=rules, jobs=jobs, progress=progress)
        except ExportRefused as refusal:
            raise ExportRefused(f"{path} is no data set, and as logs: {refusal}") from None
        made = Dataset(done.folder)
        asker = made.asker()
        try:
            yield Opened(made, done.troubles, done.same)
        except KeyboardInterrupt:
            # DuckDB may be at work for a while yet; what lies on the disk is removed at once.
            asker.abandon()
            raise
        except BaseException:
            asker.close()
            raise
        asker.close()


def _with_rules(data: Dataset, rules: str) -> Dataset:
    if rules not in ("auto", data.info["rules"]):
        raise OtherRules(
            f"{data.path} was exported with --rules {data.info['rules']}; 'tichu export --rules {rules}' makes another "
            "data set from the logs"
        )
    return data


def _is_dataset(path: str) -> bool:
    """Whether a folder is one that an export has written, even an unfinished or damaged one."""
    from tichu_analytics.tables.store import HEADER, MANIFEST, WORK

    try:
        return (Path(path) / MANIFEST).exists() or (Path(path) / WORK / HEADER).exists()
    except (OSError, ValueError):
        return False
