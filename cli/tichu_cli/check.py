"""The verb ``check``: replays every game and reports what is wrong with it."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from tichu_cli.checked import report
from tichu_cli.naming import a_file
from tichu_cli.output import Format
from tichu_cli.selection import UnknownSelector, selected_codes

if TYPE_CHECKING:
    from tichu_analytics.census.count import Census

Engine = Literal["auto", "careful", "compiled"]


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
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The rule set; 'tichu rules' lists them. With auto, .tch logs are checked by bsw and other records by "
            "the rule set that they name, or else by official.",
        ),
    ] = "auto",
    form: Annotated[Format, typer.Option("--format", help="How findings are written.")] = "text",
    select: Annotated[
        list[str] | None,
        typer.Option(
            metavar="CODES",
            help="Report these findings only: codes, beginnings of codes (T3), names or groups, parted by commas.",
        ),
    ] = None,
    ignore: Annotated[
        list[str] | None,
        typer.Option(metavar="CODES", help="Leave these findings out, even if they are selected."),
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 for warnings as well.")] = False,
    exit_zero: Annotated[bool, typer.Option("--exit-zero", help="Exit with 0 whatever the findings are.")] = False,
    census: Annotated[
        list[str] | None,
        typer.Option(
            callback=a_file,
            metavar="FILE",
            help="Write also how many games and rounds there are by outcome, finding and year, with examples and with "
            "published counts beside them: FILE.json for programs, FILE.md to be read; may be given twice. It counts "
            "all findings, whatever is selected.",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Write findings only: no summary, no progress.")] = False,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            max=512,
            help="How many processes do the work, if there is enough of it. What is written does not depend on it.",
            show_default="as many as there are cores",
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            metavar="ADDRESS",
            help="Let the workers of a Dask cluster do the work, in place of processes of this machine: the address of "
            "its scheduler, such as tcp://host:8786. What is written does not depend on it; see docs/cluster.md.",
            show_default=False,
        ),
    ] = None,
    engine: Annotated[
        Engine,
        typer.Option(
            help="With careful every game is replayed in full; auto does so for those that it cannot vouch for on a "
            "shorter way, and lets compiled code (with Numba) do the rest where there is much to check; compiled does "
            "so from the beginning. All find the same."
        ),
    ] = "auto",
) -> None:
    """Replays every game move by move and reports findings: what a log says against what the rules allow.

    Exit codes: 0 no error was found, 1 some log has a finding of severity error, 2 wrong use or an input that could
    not be read at all (the others are checked all the same).

    A game that ends the process that checks it, for want of memory say, is named at the end; it is no reason to stop.

    Example: tichu check logs.zip --select moves,T4 --format json
    """
    try:
        codes = selected_codes(select or (), ignore or ())
    except UnknownSelector as trouble:
        raise typer.BadParameter(str(trouble), param_hint="--select / --ignore") from None
    files = [Path(file) for file in census or []]
    for file in files:
        _refuse_unwritable(file)
    from tichu_analytics.checking import check_paths
    from tichu_analytics.jobs.cores import usable_cores

    try:
        # A name that is no rule set is refused here, before anything is read.
        results = check_paths(
            paths, rules, engine, jobs=jobs or usable_cores(), with_course=bool(files), scheduler=scheduler
        )
    except ValueError as trouble:
        raise typer.BadParameter(str(trouble), param_hint="--rules") from None
    counts = _new_census(rules) if files else None
    with closing(results):
        try:
            code = report(results, codes, form, counts, strict=strict, quiet=quiet)
        except OSError as trouble:
            if scheduler is None or not _is_of_cluster(trouble):
                raise
            raise typer.Exit(2) from None
    if counts is not None and not _write(counts, files):
        code = 2
    raise typer.Exit(0 if code == 1 and exit_zero else code)


def _is_of_cluster(trouble: OSError) -> bool:
    """Tells what a cluster has to do with an error, if it has."""
    from tichu_analytics.jobs.cluster import ClusterTrouble
    from tichu_analytics.view.escape import for_terminal

    if not isinstance(trouble, ClusterTrouble):
        return False
    sys.stderr.write(f"tichu: {for_terminal(str(trouble))}\n")
    return True


def _refuse_unwritable(file: Path) -> None:
    """Refuses a file for a census before anything is read, if it is clear that it cannot be written.

    Raises:
        BadParameter: if it has another ending than those there are, or no folder to be in.
    """
    from tichu_analytics.census.page import ENDINGS, MARKS
    from tichu_analytics.tables.files import CannotWrite, is_others

    if file.suffix.lower() not in ENDINGS:
        raise typer.BadParameter(f"{str(file)!a} ends with none of {', '.join(ENDINGS)}", param_hint="--census")
    if not file.parent.is_dir():
        raise typer.BadParameter(f"there is no folder {str(file.parent)!a}", param_hint="--census")
    if file.is_dir():
        raise typer.BadParameter(f"{str(file)!a} is a folder", param_hint="--census")
    try:
        is_no_census = is_others(file, MARKS[file.suffix.lower()])
    except CannotWrite as trouble:
        raise typer.BadParameter(str(trouble), param_hint="--census") from None
    if is_no_census:
        raise typer.BadParameter(
            f"{str(file)!a} is there already and is no census; name another file, or remove it", param_hint="--census"
        )


def _new_census(rules: str) -> Census:
    from tichu_analytics.census.count import Census

    return Census(rules)


def _write(census: Census, files: list[Path]) -> bool:
    """Writes a census into files; whether that could be done with all of them."""
    from tichu_analytics.census.page import write_census
    from tichu_analytics.tables.files import CannotWrite
    from tichu_analytics.view.escape import for_terminal

    are_written = True
    for file in files:
        try:
            write_census(census, file)
        except CannotWrite as trouble:
            sys.stderr.write(f"tichu: {for_terminal(str(trouble))}\n")
            are_written = False
    return are_written
