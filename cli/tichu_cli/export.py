"""The verb ``export``: writes the tables of recorded games as a Parquet data set."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Annotated, Final, Literal, TextIO

import typer

from tichu_cli.naming import a_folder
from tichu_cli.progress import Line

if TYPE_CHECKING:
    from tichu_analytics.tables.export import Exported

Engine = Literal["auto", "careful", "compiled"]

#: How many ids that several logs have are named.
_NAMED: Final = 5


def command(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH",
            help="Logs (.tch) and TGR records (.tgr.json, .tgr.jsonl), folders (searched through), zip archives, "
            ".gz or .zst files, URLs of such (s3://bucket/logs), or - for standard input.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            callback=a_folder,
            metavar="DIR",
            help="The folder of the data set; it is made if it is not there. It may be a URL, such as s3://bucket/data.",
        ),
    ],
    tables: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TABLES",
            help="Write these tables only, parted by commas; 'tichu schema' lists them.",
            show_default="all",
        ),
    ] = None,
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The rule set; 'tichu rules' lists them. With auto, .tch logs are replayed by bsw and other records "
            "by the rule set that they name, or else by official.",
        ),
    ] = "auto",
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=512,
            help="How many processes do the work. The files do not depend on it.",
            show_default="as many as there are cores",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of a Dask cluster do the work, in place of processes of this machine: the address of "
            "its scheduler, such as tcp://host:8786. They write the files, so DIR has to be the same place for all of "
            "them; see docs/cluster.md.",
            show_default=False,
        ),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Begin anew, whatever data set is in DIR; it is replaced.")
    ] = False,
    engine: Annotated[
        Engine,
        typer.Option(
            help="compiled takes rounds that it can vouch for from the compiled engine; careful replays everything in "
            "full; auto takes the compiled engine where there are enough logs. The files do not depend on it."
        ),
    ] = "auto",
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Write no progress and no summary, only what went wrong.")
    ] = False,
) -> None:
    """Writes the tables of recorded games as a data set: Parquet files for DuckDB, pandas, polars or R.

    The same command again goes on where it was interrupted, and takes in what has been added to the inputs; parts that
    are there already are not made again. The same inputs always give the same files. 'tichu schema' explains the
    tables, 'tichu query' asks them questions.

    Exit codes: 0 all is written, 2 wrong use, no room, or an input that could not be read (all others are exported).

    Example: tichu export logs.zip --out data --jobs 4
    """
    if out.endswith("://"):
        raise typer.BadParameter("the name of the folder is empty", param_hint="--out")
    from tichu_analytics.jobs.cluster import ClusterTrouble
    from tichu_analytics.jobs.processes import usable_cores
    from tichu_analytics.rules.rulesets import get_rule_set
    from tichu_analytics.tables.export import ExportRefused, export_inputs
    from tichu_analytics.tables.files import CannotWrite
    from tichu_analytics.tables.places import place
    from tichu_analytics.tables.schema import TABLES
    from tichu_analytics.tables.store import Store

    wanted = [name.strip() for names in tables for name in names.split(",") if name.strip()] if tables else None
    for name in wanted or ():
        if name not in TABLES:
            raise typer.BadParameter(_no_table(name, list(TABLES)), param_hint="--tables")
    if wanted == []:
        raise typer.BadParameter("names no table", param_hint="--tables")
    if rules != "auto":
        try:
            get_rule_set(rules)
        except ValueError as trouble:
            raise typer.BadParameter(str(trouble), param_hint="--rules") from None
    progress = ProgressLine(sys.stderr, shown=not quiet and sys.stderr.isatty())
    try:
        done = export_inputs(
            paths,
            out,
            rules=rules,
            tables=wanted,
            jobs=jobs or usable_cores(),
            force=force,
            progress=progress,
            engine=engine,
            remark=progress.remark,
            scheduler=scheduler,
        )
    except (ExportRefused, CannotWrite, ClusterTrouble) as trouble:
        progress.clear()
        _say(str(trouble))
        raise typer.Exit(2) from None
    except KeyboardInterrupt:
        progress.clear()
        kept = len(Store(place(out)).infos)
        parts = f"{kept} complete part{'s are' if kept != 1 else ' is'} kept, and the same command goes on from there"
        _say(f"interrupted; {parts if kept else 'no part was complete yet'}")
        raise
    finally:
        progress.clear()
    _remarks(done)
    if not quiet:
        _summary(done, progress.seconds)
    raise typer.Exit(2 if done.troubles else 0)


def _no_table(name: str, names: list[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, names, n=1)
    return f"there is no table {name!a}; " + (f"did you mean {near[0]!r}?" if near else f"they are {', '.join(names)}")


def _remarks(done: Exported) -> None:
    """Says what the inputs had that a person should know about."""
    from tichu_analytics.formats.ids import same_text

    for trouble in done.troubles:
        _say(f"{trouble.path}: {trouble.message}")
    for same in done.same[:_NAMED]:
        _say(same_text(same))
    if len(done.same) > _NAMED:
        _say(f"{len(done.same) - _NAMED} more ids belong to several logs; _dataset.json has more of them")


def _summary(done: Exported, seconds: float) -> None:
    manifest = done.manifest
    left_out = manifest["rounds"] - manifest["rounds_kept"]
    if not done.parts_made and not done.parts_removed:
        typer.echo(f"{_shown(str(done.folder))} is up to date")
    for table, rows in manifest["rows"].items():
        typer.echo(f"{table:<10} {rows:>12,} rows")
    if left_out:
        reasons = sorted(manifest["rounds_excluded"].items(), key=lambda item: (-item[1], item[0]))
        named = ", ".join(f"{_shown(reason)} {count:,}" for reason, count in reasons[:8])
        more = f", {len(reasons) - 8} more reasons" if len(reasons) > 8 else ""
        typer.echo(f"{left_out:,} of {manifest['rounds']:,} rounds are in rounds and findings only: {named}{more}")
    parts = f"{done.parts_made} of {done.parts_made + done.parts_kept} parts made" if done.parts_kept else ""
    removed = f"{done.parts_removed} parts of logs that are gone removed" if done.parts_removed else ""
    speed = f"{_number(manifest['games'], 'game')}, {_number(manifest['rounds'], 'round')} in {_duration(seconds)}"
    typer.echo("; ".join(filter(None, (speed, parts, removed))))


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _say(text: str) -> None:
    sys.stderr.write(f"tichu: {_shown(text)}\n")


def _shown(text: str) -> str:
    from tichu_analytics.view.escape import for_terminal

    return for_terminal(text)


def _duration(seconds: float) -> str:
    """A time for people: ``3.2 s``, ``4 min 5 s``, ``2 h 10 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class ProgressLine:
    """A line on a terminal that says how far an export is, how fast, and how long it will still take."""

    def __init__(self, out: TextIO, *, shown: bool) -> None:
        self._line = Line(out, shown=shown)
        self._begun = time.monotonic()
        self._work_begun = self._begun
        self._rounds = 0
        self._size = 0
        self._total = 0

    @property
    def seconds(self) -> float:
        """How long the export has taken so far."""
        return time.monotonic() - self._begun

    def reading(self, logs: int, size: int) -> None:
        """Shows how much has been read in the first pass over the inputs."""
        self._line.show(lambda: f"reading: {logs:,} logs, {size / 1e6:,.0f} MB")

    def begin(self, size: int) -> None:
        """Notes how many bytes of logs there are to be replayed."""
        self._work_begun = time.monotonic()
        self._total = size

    def done(self, rounds: int, size: int) -> None:
        """Adds rounds and bytes and shows how far the work is."""
        self._rounds += rounds
        self._size += size
        self._line.show(self._text)

    def _text(self) -> str:
        seconds = time.monotonic() - self._work_begun
        text = f"{self._rounds:,} rounds"
        if self._size and seconds:
            left = seconds * max(self._total - self._size, 0) / self._size
            text = (
                f"{100 * self._size // max(self._total, 1)} %, {text}, {self._rounds / seconds:,.0f} rounds/s,"
                f" {_duration(left)} left"
            )
        return text

    def remark(self, text: str) -> None:
        """Says something that is no result, on a line of its own."""
        self._line.clear()
        _say(text)

    def clear(self) -> None:
        """Takes the line away."""
        self._line.clear()
