"""The verb ``report``: a page with the figures of a collection of games, or of one player in it."""

from __future__ import annotations

import io
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from tichu_cli.ending import end_at_once
from tichu_cli.naming import a_data_set, a_file, a_folder
from tichu_cli.progress import Line

if TYPE_CHECKING:
    from tichu_analytics.report.making import Report
    from tichu_analytics.stats.opening import Opened

#: How many ids that several logs have are named.
_NAMED: Final = 5


def command(
    data: Annotated[
        str,
        typer.Argument(
            callback=a_data_set,
            metavar="DATA",
            help="A data set (a folder that 'tichu export' has written), or logs, which are read first: a file, a "
            "folder, an archive, or - for standard input.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            callback=a_file,
            metavar="FILE.html",
            help="The page, all in one file; - for standard output.",
            show_default=False,
        ),
    ],
    player: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="A page about this player beside everybody; the name as it stands in the records.",
            show_default=False,
        ),
    ] = None,
    csv: Annotated[
        str | None,
        typer.Option(
            "--csv",
            callback=a_folder,
            metavar="DIR",
            help="Write all tables behind the figures there, as CSV.",
            show_default=False,
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Only rows for which this holds: an SQL expression as in 'tichu stats'.",
            show_default=False,
        ),
    ] = None,
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The rule set by which logs are replayed; 'tichu rules' lists them. With auto, .tch logs are replayed "
            "by bsw and other records by the rule set that they name, or else by official.",
        ),
    ] = "auto",
    force: Annotated[
        bool,
        typer.Option("--force", help="Write even if FILE.html or DIR is there; files of other names stay in DIR."),
    ] = False,
) -> None:
    """Makes a page with figures: calls, bombs, exchange, results and players, with intervals and the tables behind.

    The page is one file that loads nothing; it can be read on a phone, on paper and by a screen reader. Every number is
    one of 'tichu stats' or 'tichu odds', and below each table stands the command that gives it. The same games give
    the same page.

    Exit codes: 0 all is written, 2 wrong use, no room, or a log that could not be read (all others are in the page).

    Example: tichu report logs.zip --out season.html

    Example: tichu report data --player Nape --out nape.html --csv tables
    """
    from tichu_analytics.rules.rulesets import get_rule_set

    if rules != "auto":
        try:
            get_rule_set(rules)
        except ValueError as trouble:
            raise typer.BadParameter(str(trouble), param_hint="--rules") from None
    _check_apart(data, out, csv)
    _check_free(out, csv, force=force)
    try:
        has_troubles = _make(data, out, player, csv, where, rules)
    except KeyboardInterrupt:
        end_at_once()  # DuckDB may go on for a while, and the process would wait for it
    raise typer.Exit(2 if has_troubles else 0)


def _check_apart(data: str, out: str, csv: str | None) -> None:
    """Sees to it that the page, the tables and what is read do not take each other's places, not even by force.

    Raises:
        typer.Exit: with 2 if they do.
    """
    if out == "-":
        return
    with suppress(OSError, ValueError):
        page = Path(out).resolve()
        if data != "-" and page.is_file() and Path(data).exists() and page.samefile(data):
            _fail(f"cannot write {out}: it is what is to be read")
        if csv is not None:
            folder = Path(csv).resolve()
            if page in (folder, *folder.parents):
                _fail(f"cannot write {out}: the folder of the tables, {csv}, would have its place")
            if page.parent == folder and page.suffix.lower() == ".csv":
                _fail(f"cannot write {out}: a table may have this name; a page there needs one that ends in .html")


def _check_free(out: str, csv: str | None, *, force: bool) -> None:
    """Sees to it that nothing is written over unasked, before any work is done.

    Raises:
        typer.Exit: with 2 if there is something in the way.
    """
    with suppress(OSError, ValueError):
        if out != "-" and Path(out).is_dir():
            _fail(f"cannot write {out}: it is a folder")
        if csv is not None and Path(csv).exists() and not Path(csv).is_dir():
            _fail(f"cannot write {csv}: it is no folder")
        if force:
            return
        if out != "-" and (Path(out).is_file() or Path(out).is_symlink()):
            _fail(f"{out} is there already; --force writes all the same")
        if csv is not None and Path(csv).is_dir() and any(Path(csv).iterdir()):
            _fail(f"{csv} is there already and has files; --force writes all the same")


def _make(data: str, out: str, player: str | None, csv: str | None, where: str | None, rules: str) -> bool:
    """Makes the page and writes it; tells whether some log could not be read.

    Raises:
        typer.Exit: with 2 for anything that is not possible; what it is has been said.
    """
    from tichu_analytics.jobs.processes import usable_cores
    from tichu_analytics.stats.opening import opened
    from tichu_analytics.tables.files import CannotWrite
    from tichu_cli.export import ProgressLine

    reading = ProgressLine(sys.stderr, shown=sys.stderr.isatty())
    drawing = Line(sys.stderr, shown=sys.stderr.isatty())
    try:
        with opened(data, jobs=usable_cores(), progress=reading, rules=rules) as found:
            reading.clear()
            report = _report(found, player, where, drawing)
            drawing.clear()
            _write(report, out, csv)
            for remark in report.remarks:
                _say(remark)
            _say_of_logs(found)
            return bool(found.troubles)
    except (ValueError, CannotWrite) as error:
        reading.clear()
        drawing.clear()
        _fail(str(error))
    except ImportError as error:
        _fail(f"a report needs {error.name or 'matplotlib'}, which is not installed")
    finally:
        reading.clear()
        drawing.clear()


def _report(found: Opened, player: str | None, where: str | None, line: Line) -> Report:
    import logging

    # It tells of the list of fonts that it makes once, and of where it may not keep it.
    logging.getLogger("matplotlib").setLevel(logging.ERROR)
    from tichu_analytics.report.making import collection_report, player_report

    done = 0

    def advance(title: str) -> None:
        nonlocal done
        done += 1
        line.show(lambda: f"figures: {done}, {title}")

    if player is None:
        return collection_report(found.data, where, advance)
    return player_report(found.data, player, where, advance)


def _write(report: Report, out: str, csv: str | None) -> None:
    """Writes the page and the tables: all of them, or nothing.

    Raises:
        CannotWrite: if that is not possible.
    """
    from tichu_analytics.report.page import report_page
    from tichu_analytics.report.writing import write_files
    from tichu_analytics.tables.files import writing

    page = report_page(report).encode()
    files: dict[Path, bytes] = {}
    if csv is not None:
        files = {Path(csv) / f"{name}.csv": _csv(*table) for name, table in report.tables().items()}
    path = Path(out)
    if out == "-":
        write_files(files)
        sys.stdout.flush()
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
    elif path.exists() and not path.is_file():
        # A pipe or a device; a file would take its place.
        write_files(files)
        with writing(path):
            path.write_bytes(page)
    else:
        write_files({path: page, **files})


def _csv(columns: tuple[str, ...], rows: list[list[object]]) -> bytes:
    from tichu_cli.tabular import Format, write_rows

    text = io.StringIO(newline="")
    write_rows(Format.CSV, text, text, columns, [], rows, 0)
    return text.getvalue().encode()


def _say_of_logs(found: Opened) -> None:
    """Says what the logs had that a person should know about, as ``tichu export`` does."""
    from tichu_analytics.formats.ids import same_text

    for trouble in found.troubles:
        _say(f"{trouble.path}: {trouble.message}")
    for same in found.same[:_NAMED]:
        _say(same_text(same))
    if len(found.same) > _NAMED:
        _say(f"{len(found.same) - _NAMED} more ids belong to several logs")


def _say(message: str) -> None:
    from tichu_analytics.view.escape import for_terminal

    sys.stderr.write(f"tichu: {for_terminal(message)}\n")


def _fail(message: str) -> NoReturn:
    _say(message)
    raise typer.Exit(2)
