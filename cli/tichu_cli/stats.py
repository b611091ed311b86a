"""The verb ``stats``: rates and means over a data set or logs, with intervals."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, NoReturn

import typer

from tichu_cli.ending import end_at_once
from tichu_cli.naming import a_data_set, a_file
from tichu_cli.tabular import Format, write_rows

if TYPE_CHECKING:
    from tichu_analytics.formats.sources import Trouble
    from tichu_analytics.stats.outcome import Result
    from tichu_analytics.stats.registry import Measure
    from tichu_analytics.tables.dataset import Dataset

#: Of so many measures the notes below a table tell what they are, so that it has room for other columns.
_EXPLAINED = 20
#: As many letters a name has in a table at most; the other formats have all of it.
_LONGEST = 60


def command(
    data: Annotated[
        str | None,
        typer.Argument(
            callback=a_data_set,
            metavar="DATA",
            help="A data set (a folder that 'tichu export' has written), or logs, which are read first: a file, a "
            "folder, an archive, or - for standard input.",
            show_default=False,
        ),
    ] = None,
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]",
            help="tichu, bombs, exchange, results, players, or one of your own.",
            show_default="all but players",
        ),
    ] = None,
    by: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMNS",
            help="Group by these columns, parted by commas: any of hands, rounds and games, or a worked-out one.",
            show_default=False,
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Only rows for which this holds: an SQL expression as in 'tichu query'.",
            show_default=False,
        ),
    ] = None,
    measures: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="These measures only, parted by commas.", show_default=False),
    ] = None,
    players: Annotated[
        str | None,
        typer.Option(
            metavar="CONDITION",
            help="Only games of four such players: an SQL expression over player, games, wins and win_rate, which come "
            "from their other games.",
            show_default=False,
        ),
    ] = None,
    distribution: Annotated[
        bool,
        typer.Option("--distribution", help="Of means only: how their values are spread, with quantiles in percent."),
    ] = False,
    rating: Annotated[
        bool, typer.Option("--rating", help="Rate players by who won with and against whom, instead of counting.")
    ] = False,
    min_n: Annotated[int, typer.Option(metavar="N", min=0, help="Leave out groups with a smaller n.")] = 1,
    differences: Annotated[
        bool, typer.Option("--differences", help="Compare each two groups instead of telling each for itself.")
    ] = False,
    measures_from: Annotated[
        list[str] | None,
        typer.Option(
            callback=a_file,
            metavar="FILE.py",
            help="Run this Python file first, which registers measures of your own. It can do all that you can: run "
            "only what you have read.",
            show_default=False,
        ),
    ] = None,
    show_list: Annotated[
        bool, typer.Option("--list", help="List measures and the columns to group by, and compute nothing.")
    ] = False,
    output: Annotated[Format, typer.Option("--format", help="How to write the rows.")] = Format.TABLE,
    limit: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="The most rows to write, 0 for all. Without it, a table has 100 rows, every other format all.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Works out statistics: rates and means with 95 % intervals that respect that the rounds of a game belong together.

    Every measure says of what it is a share or a mean (n), how many of it are counted (k, for a mean the sum), and in
    how many games. Only rounds that are complete and legally played count; what is left out is listed by reason, below
    a table, and on standard error for CSV and JSON. 'tichu stats --list' shows measures and columns to group by.

    Exit codes: 0 all fine, 2 wrong use, or a log that could not be read (all others are counted).

    Example: tichu stats out tichu --by seat --where "has(held, 'Dr')"
    """
    for file in measures_from or ():
        _run_file(file)
    if show_list:
        if data is not None and subject is None:
            from tichu_analytics.stats.registry import subjects

            # A data set may be named as well; what is none is a subject with a slip.
            subject = data if data in subjects() or not Path(data).exists() else None
        _list(subject, output)
        return
    if data is None:
        raise typer.BadParameter("name a data set or logs, or ask for --list", param_hint="DATA")
    if output is Format.CSV and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(newline="")  # the lines of CSV bring their own ends
    try:
        wanted = _Wanted(
            subject, _parted(by), where, _parted(measures), min_n, players, differences, rating, distribution
        )
        result, troubles = _work_out(data, wanted)
    except KeyboardInterrupt:
        end_at_once()  # DuckDB may go on for a while, and the process would wait for it
    _write(result, output, limit)
    for trouble in troubles:
        _say(f"{trouble.path}: {trouble.message}")
    raise typer.Exit(2 if troubles else 0)


class _Wanted(NamedTuple):
    """What is asked."""

    subject: str | None
    by: list[str] | None
    where: str | None
    measures: list[str] | None
    min_n: int
    players: str | None
    differences: bool
    rating: bool
    distribution: bool

    def work_out(self, data: Dataset) -> Result:
        """The answer from a data set."""
        from tichu_analytics.stats.answering import compute, rate
        from tichu_analytics.stats.comparing import compare

        if self.rating:
            return rate(data, self.min_n)
        some: dict[str, Any] = {
            "by": self.by or (),
            "where": self.where,
            "measures": self.measures,
            "min_n": self.min_n,
        }
        if self.differences:
            return compare(data, self.subject, players=self.players, **some)
        return compute(data, self.subject, players=self.players, distribution=self.distribution, **some)


def _work_out(data: str, wanted: _Wanted) -> tuple[Result, tuple[Trouble, ...]]:
    """The result and the logs that could not be read; ends the command for anything that is not possible."""
    from tichu_analytics.jobs.processes import usable_cores
    from tichu_analytics.stats.opening import opened
    from tichu_analytics.stats.registry import chosen
    from tichu_analytics.tables.files import CannotWrite
    from tichu_cli.export import ProgressLine

    if wanted.distribution and wanted.differences:
        _fail("--distribution and --differences cannot be had at once")
    if wanted.rating and (
        wanted.subject not in (None, "players")
        or wanted.differences
        or wanted.by
        or wanted.where
        or wanted.measures is not None
        or wanted.players
        or wanted.distribution
    ):
        _fail("--rating goes over all games and players; it can be had with --min-n, --format and --limit only")
    progress = ProgressLine(sys.stderr, shown=sys.stderr.isatty())
    try:
        chosen(wanted.subject, wanted.measures)  # before logs are read for nothing
        with opened(data, jobs=usable_cores(), progress=progress) as found:
            progress.clear()
            return wanted.work_out(found.data), found.troubles
    except (ValueError, CannotWrite) as error:
        progress.clear()
        _fail(str(error))
    except ImportError as error:
        _fail(f"statistics need {error.name or 'duckdb'}, which is not installed")
    finally:
        progress.clear()


def _write(result: Result, form: Format, limit: int | None) -> None:
    """Writes the rows and what has to be said of them."""
    from tichu_analytics.stats.registry import MORE_COLUMNS

    rows = [(row.measure, row.values()) for row in result.rows]
    fixed, order = result.columns, result.names
    sections: list[list[dict[str, Any]]] = []
    for _, values in rows:
        # In CSV there is one head for all rows; elsewhere rows with the same columns stand together.
        if sections and (form is Format.CSV or list(sections[-1][0]) == list(values)):
            sections[-1].append(values)
        else:
            sections.append([values])
    told = {measure.name: measure for measure, _ in rows}
    is_explained = form is Format.TABLE and len(told) <= _EXPLAINED
    left_out = () if form is not Format.TABLE else ("population", "unit") if is_explained else ("population",)
    if not sections and form is not Format.JSON:
        write_rows(form, sys.stdout, sys.stderr, order, [True] * len(order), ())
    for number, section in enumerate(sections):
        # A program that reads CSV finds its columns whether there is something to be told in them or not.
        names = [name for name in order if name not in left_out and (form is Format.CSV or name in section[0])]
        if form in (Format.TABLE, Format.MARKDOWN):
            # What is told apart comes first for people.
            groups = [name for name in names if name not in (*fixed, *MORE_COLUMNS)]
            names = ["measure", *groups, *(name for name in names if name not in ("measure", *groups))]
            if number:
                sys.stdout.write("\n")
        numeric = [any(isinstance(one.get(name), (int, float)) for one in section) for name in names]
        lines = ([_cell(one.get(name), name, one, form) for name in names] for one in section)
        write_rows(form, sys.stdout, sys.stderr, names, numeric, lines, limit)
    notes = [*result.rounds.sentences(), *result.remarks]
    if is_explained:
        notes = [*(f"{one.name} ({_of(one)} {one.population}): {one.sentence}" for one in told.values()), *notes]
    if form in (Format.TABLE, Format.MARKDOWN):
        sys.stdout.write("\n" + "".join(f"{_line(note, form)}\n" for note in notes))
    else:
        for note in notes:
            _say(note)


def _of(measure: Measure) -> str:
    if measure.unit == "rating":
        return "from"
    return "share of" if measure.is_rate else f"{measure.unit}, mean over"


def _cell(value: Any, name: str, row: dict[str, Any], form: Format) -> Any:
    """A value as it is written: for people, figures have as many digits as can be of use."""
    from tichu_analytics.stats.registry import MORE_COLUMNS

    if form is Format.TABLE and isinstance(value, str) and len(value) > _LONGEST:
        return f"{value[: _LONGEST - 3]}..."
    if form not in (Format.TABLE, Format.MARKDOWN) or not isinstance(value, float):
        return value
    if name in ("p", "p_holm"):
        return Decimal(f"{value:.4f}")
    if name in ("estimate", "difference", "low", "high") or name in MORE_COLUMNS:
        return Decimal(f"{value:.4f}" if row["unit"] == "proportion" else f"{value:.2f}")
    return value


def _line(note: str, form: Format) -> str:
    from tichu_analytics.view.escape import for_markdown, for_terminal

    return f"- {for_markdown(note)}" if form is Format.MARKDOWN else for_terminal(note)


def _list(subject: str | None, form: Format) -> None:
    """Lists measures and the columns to group by."""
    from tichu_analytics.stats.listing import HEAD, as_markdown, derived_rows, measure_rows
    from tichu_analytics.stats.registry import UnknownName, chosen
    from tichu_cli.listing import is_terminal, print_table

    try:
        chosen(subject)
    except UnknownName as error:
        _fail(str(error))
    if form is Format.MARKDOWN and subject is None:
        sys.stdout.write(as_markdown())
        return
    rows = measure_rows(subject)
    if form is not Format.TABLE:
        write_rows(form, sys.stdout, sys.stderr, HEAD, [False] * len(HEAD), rows, 0)
        return
    print_table("", HEAD[:4], [row[:4] for row in rows], wrap=is_terminal())
    sys.stdout.write("\nColumns to group by: those of hands, rounds and games ('tichu schema'), and these:\n\n")
    head = ("column", "for measures that go over", "what it tells")
    print_table("", head, derived_rows(), wrap=is_terminal())


def _parted(values: Iterable[str] | None) -> list[str] | None:
    """What an option names, parted by commas."""
    if values is None:
        return None
    return [word for value in values for word in map(str.strip, value.split(",")) if word]


def _run_file(path: str) -> None:
    """Runs a Python file that registers measures."""
    import runpy
    import traceback

    if Path(path).is_dir():
        _fail(f"{path}: is a folder, not a Python file")
    try:
        runpy.run_path(path, run_name="tichu_measures")
    except (Exception, SystemExit) as error:
        places: Sequence[traceback.FrameSummary] = traceback.extract_tb(error.__traceback__)
        line = next((place.lineno for place in reversed(places) if place.filename == path), None)
        if isinstance(error, OSError) and line is None:
            _fail(f"{path}: {(error.strerror or str(error)).lower()}")
        if isinstance(error, SyntaxError):
            line = error.lineno
        where = f"{path}:{line}" if line else path
        _fail(f"{where}: {type(error).__name__}: {error}")


def _say(message: str) -> None:
    from tichu_analytics.view.escape import for_terminal

    sys.stderr.write(f"tichu: {for_terminal(message)}\n")


def _fail(message: str) -> NoReturn:
    _say(message)
    raise typer.Exit(2)
