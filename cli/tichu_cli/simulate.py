"""The verb ``simulate``: writes games of simulated players."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal

import typer

from tichu_cli.naming import a_file
from tichu_cli.progress import Line

if TYPE_CHECKING:
    from tichu_analytics.simulate import SimulatedGame

Style = Literal["skilled", "plain"]

#: A game has at least so many digits in its id.
_DIGITS: Final = 6


def _list_faults(wanted: bool) -> None:
    """Lists the kinds of faults and ends the command, if that is wanted."""
    if wanted:
        from tichu_analytics.simulate.faults import FAULTS

        width = max(map(len, FAULTS)) + 2
        for name, kind in FAULTS.items():
            typer.echo(f"{name:<{width}}{kind.what} ({kind.finding})")
        raise typer.Exit(0)


def command(
    games: Annotated[int, typer.Option(metavar="N", min=0, help="How many games.", show_default=False)],
    seed: Annotated[
        int,
        typer.Option(
            metavar="S", help="A whole number: the same gives the same games on every machine.", show_default=False
        ),
    ],
    out: Annotated[
        str,
        typer.Option(
            callback=a_file,
            metavar="PATH",
            help="A folder for one file a game, or a file that ends with .zip for an archive with a folder a month.",
            show_default=False,
        ),
    ],
    style: Annotated[
        Style,
        typer.Option(
            help="skilled: players who plan, of several levels, from a pool of names. plain: players who see to it "
            "that everything happens that the rules provide for."
        ),
    ] = "skilled",
    players: Annotated[
        int, typer.Option(metavar="N", min=8, max=5000, help="How many players there are in the pool.")
    ] = 48,
    odd_names: Annotated[
        bool, typer.Option("--odd-names", help="Give half of the players names that programs stumble over.")
    ] = False,
    anomalies: Annotated[
        int,
        typer.Option(
            metavar="TIMES",
            min=0,
            max=1000,
            help="Put in the oddities of the archive of real logs: 1 as often as there, 10 ten times as often.",
        ),
    ] = 0,
    faults: Annotated[
        str | None,
        typer.Option(
            metavar="KINDS",
            help="Put one fault into every game, of one of these kinds, parted by commas, or of 'all' kinds.",
            show_default="none",
        ),
    ] = None,
    abandoned: Annotated[
        int, typer.Option(metavar="PERCENT", min=0, max=100, help="In how many of a hundred games the players leave.")
    ] = 0,
    list_faults: Annotated[
        bool,
        typer.Option("--list-faults", is_eager=True, callback=_list_faults, help="List the kinds of faults and exit."),
    ] = False,
    force: Annotated[
        bool, typer.Option("--force", help="Write even if PATH is there; files of other names stay in a folder.")
    ] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Write no progress and no summary.")] = False,
) -> None:
    """Writes games of simulated players as BrettspielWelt logs, the same bytes for the same seed and options.

    What is put in on purpose (--anomalies, --faults, --abandoned) is listed in PATH.notes.jsonl: game, round, line,
    kind, and the finding that 'tichu check' reports for it. Without these, a check finds nothing.

    Exit codes: 0 all is written, 2 wrong use, or PATH cannot be written or is there already.

    Example: tichu simulate --games 1000 --seed 1 --out games.zip
    """
    del list_faults  # its callback has seen to it
    if style == "plain" and (faults or anomalies or abandoned or odd_names):
        raise typer.BadParameter("has none of the other options; leave it out for them", param_hint="--style plain")
    from tichu_analytics.simulate import simulate_games
    from tichu_analytics.simulate.faults import FAULTS
    from tichu_analytics.simulate.series import Wants, check_wants, simulate_series

    wants = Wants(players, odd_names, anomalies, _kinds(faults, list(FAULTS)), abandoned)
    try:
        check_wants(wants)
    except ValueError as trouble:
        raise typer.BadParameter(str(trouble)) from None
    if style == "plain":
        series = simulate_games(games, seed, digits=_DIGITS)
    else:
        series = simulate_series(games, seed, digits=_DIGITS, wants=wants)
    target = Path(out)
    with_notes = bool(wants.faults or anomalies or abandoned)
    if not force:
        _refuse_to_overwrite(target, with_notes=with_notes)
    progress = Line(sys.stderr, shown=not quiet and sys.stderr.isatty())
    try:
        noted = _write(_watched(series, games, progress), target, with_notes=with_notes)
    except OSError as trouble:
        progress.clear()
        _complain(f"{trouble.filename or out}: {trouble.strerror or trouble}")
    finally:
        progress.clear()
    if not quiet:
        typer.echo(f"{games:,} games written to {_shown(out)}" + (f", notes to {_shown(str(noted))}" if noted else ""))


def _kinds(text: str | None, known: list[str]) -> tuple[str, ...]:
    """The kinds of faults that an option names."""
    if text is None:
        return ()
    names = [name.strip().replace("-", "_") for name in text.split(",") if name.strip()]
    if not names:
        raise typer.BadParameter("names no kind of fault", param_hint="--faults")
    if names == ["all"]:
        return tuple(known)
    for name in names:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, n=1)
            hint = f"did you mean {near[0]!r}?" if near else "--list-faults lists them"
            raise typer.BadParameter(f"there is no kind of fault {name!a}; {hint}", param_hint="--faults")
    return tuple(names)


def _refuse_to_overwrite(target: Path, *, with_notes: bool) -> None:
    """Ends the command if there is something at the place to write to; an empty folder is nothing."""
    from tichu_analytics.simulate.storing import notes_path

    try:
        if target.is_dir():
            taken = target.suffix.lower() == ".zip" or any(target.iterdir())
        else:
            taken = target.exists() or target.is_symlink()
    except OSError as trouble:
        _complain(f"{target}: {trouble.strerror or trouble}")
    notes = notes_path(target)
    if taken or (with_notes and notes.exists()):
        _complain(f"{target if taken else notes} is there already; --force writes all the same")


def _write(games: Iterable[SimulatedGame], target: Path, *, with_notes: bool) -> Path | None:
    """Writes games, and notes beside them; where the notes are.

    Raises:
        OSError: if something cannot be written.
    """
    from tichu_analytics.simulate.storing import is_zip, noted, notes_path, write_folder, write_zip

    write = write_zip if is_zip(target) else write_folder
    games = _rarely_collected(games)
    path = notes_path(target)
    if not with_notes:
        write(games, target)
        # Notes on other games that were here before would be wrong.
        path.unlink(missing_ok=True)
        return None
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="\n") as out:
        write(noted(games, out), target)
    return path


def _rarely_collected(games: Iterable[SimulatedGame]) -> Iterator[SimulatedGame]:
    """Passes games on while the cyclic garbage collector runs rarely: what players remember makes no cycles."""
    from tichu_analytics.jobs.collector import rare_collections

    with rare_collections():
        yield from games


def _watched(series: Iterable[SimulatedGame], total: int, progress: Line) -> Iterator[SimulatedGame]:
    """Passes games on and shows how many there are."""
    for number, one in enumerate(series, start=1):
        yield one
        progress.show(lambda number=number: f"{number:,} of {total:,} games")  # type: ignore[misc]


def _complain(text: str) -> None:
    sys.stderr.write(f"tichu: {_shown(text)}\n")
    raise typer.Exit(2)


def _shown(text: str) -> str:
    from tichu_analytics.view.escape import for_terminal

    return for_terminal(text)
