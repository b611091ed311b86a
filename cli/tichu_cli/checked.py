"""What ``tichu check`` does with what comes of the games, and the whole of it where no option is given.

Without options there is nothing for Typer to do, and loading it takes longer than checking a game.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from contextlib import closing
from typing import TYPE_CHECKING

from tichu_cli.output import Format, Summary, make_writer
from tichu_cli.progress import Line
from tichu_cli.selection import selected_codes

if TYPE_CHECKING:
    from tichu_analytics.census.count import Census
    from tichu_analytics.checking import Checked


def is_plain(args: list[str]) -> bool:
    """Whether the arguments of the verb are paths, one at least, and nothing else."""
    return bool(args) and all(arg == "-" or not arg.startswith("-") for arg in args)


def check_plainly(paths: list[str]) -> int:
    """Checks what the paths name as the verb does without options, and returns its exit code."""
    from tichu_analytics.checking import check_paths
    from tichu_analytics.jobs.cores import usable_cores

    results = check_paths(paths, "auto", "auto", jobs=usable_cores(), with_course=False, scheduler=None)
    with closing(results):
        return report(results, selected_codes((), ()), "text", None, strict=False, quiet=False)


def report(
    results: Iterable[Checked],
    codes: frozenset[str],
    form: Format,
    census: Census | None,
    *,
    strict: bool,
    quiet: bool,
) -> int:
    """Writes what comes of the inputs, as it comes, and returns the exit code."""
    from tichu_analytics.checking import Remark
    from tichu_analytics.formats.sources import Trouble
    from tichu_analytics.view.escape import for_terminal

    writer = make_writer(form, sys.stdout, sys.stderr)
    progress = Line(sys.stderr, shown=not quiet and sys.stderr.isatty())
    summary = Summary()
    unreadable = False
    try:
        for result in results:
            if isinstance(result, Remark):
                sys.stderr.write(f"tichu: {for_terminal(result.text)}\n")
                continue
            if isinstance(result, Trouble):
                unreadable = True
                if census is not None:
                    census.unreadable += 1
                progress.clear()
                sys.stderr.write(f"tichu: {for_terminal(result.path)}: {for_terminal(result.message)}\n")
                continue
            if census is not None:
                census.add(result)
            shown = [finding for finding in result.findings if finding.code in codes] if result.findings else []
            summary.add(result.rounds, result.clean_rounds, result.findings, shown)
            if shown:
                progress.clear()
            for finding in shown:
                writer.finding(finding)
            progress.show(lambda: f"{summary.games} games checked, {sum(summary.counts.values())} findings")
    finally:
        progress.clear()
    writer.summary(summary, quiet=quiet)
    if unreadable:
        return 2
    return int(summary.worst("error") or (strict and summary.worst("warning")))
