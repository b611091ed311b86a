"""The verb ``convert``: writes recorded games in another format."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, Literal, NamedTuple, NoReturn

import typer

from tichu_cli.naming import a_file
from tichu_cli.progress import Line

if TYPE_CHECKING:
    from tichu_analytics.converting import Converted, Kind
    from tichu_analytics.formats.sources import Input, Trouble
    from tichu_analytics.outputs import Output

To = Literal["tch", "tgr.json", "tgr.jsonl"]

#: So many games are named of which something was left out.
_NAMED: Final = 20


def command(
    source: Annotated[
        str,
        typer.Argument(
            callback=a_file,
            metavar="IN",
            help="A log or record, a folder (searched through), a zip archive, a .gz or .zst file, or - for standard "
            "input.",
            show_default=False,
        ),
    ],
    out: Annotated[
        str,
        typer.Argument(
            callback=a_file,
            metavar="OUT",
            help="What is written: a file that ends with .tch or .tgr.json (one game) or .tgr.jsonl (a game a line), "
            "also with .gz or .zst behind; a .zip or a folder (a file a game, in folders YYYYMM where the month is "
            "known); or - for standard output.",
            show_default=False,
        ),
    ],
    to: Annotated[
        To | None,
        typer.Option(
            help="The format, where OUT does not say it.",
            show_default="tgr.json for BrettspielWelt logs, tch for TGR records",
        ),
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", help="Write no remarks, no progress and no summary.")] = False,
) -> None:
    """Converts recorded games between BrettspielWelt logs (.tch) and TGR records (.tgr.json, .tgr.jsonl).

    From logs to records and back gives the same bytes, however odd a log is. What a log has no words for (declared
    ranks of the Phoenix, times, free fields) is told on standard error.

    Exit codes: 0 all games are written, 2 wrong use, or a game that could not be read or written in the new format
    (all others are written).

    Example: tichu convert logs.zip games.tgr.jsonl
    """
    target = _target(source, out, to)
    run = _Run(target, quiet)
    code = run.all(source)
    raise typer.Exit(code)


class _Target(NamedTuple):
    """What is to be written: where, what kind, and whether in one file."""

    path: Path | None
    shape: Literal["stream", "file", "folder", "zip"]
    kind: To | None


def _target(source: str, out: str, to: To | None) -> _Target:
    """What the arguments ask for.

    Raises:
        typer.BadParameter: if they contradict one another.
    """
    from tichu_analytics.outputs import ENDINGS, PACKED

    if out == "-":
        return _Target(None, "stream", to)
    path = Path(out)
    name = path.name.lower()
    for ending in PACKED:
        name = name.removesuffix(ending)
    kind = next((kind for ending, kind in ENDINGS.items() if name.endswith(ending)), None)
    is_folder = path.is_dir() or out.endswith(("/", "\\"))
    if kind is not None and not is_folder:
        if to not in (None, kind):
            raise typer.BadParameter(f"is {to}, but {_shown(out)} has another ending", param_hint="--to")
        _refuse_same(source, path)
        return _Target(path.resolve() if path.is_symlink() else path, "file", kind)  # type: ignore[arg-type]
    if path.suffix.lower() == ".zip" and not is_folder:
        _refuse_same(source, path)
        shape: Literal["zip", "folder"] = "zip"
    elif not is_folder and (path.suffix or path.is_file()):
        raise typer.BadParameter(
            f"{_shown(out)} names no format; a file ends with .tch, .tgr.json or .tgr.jsonl (and .gz or .zst), an "
            "archive with .zip, and a new folder with a / or without any ending",
            param_hint="OUT",
        )
    else:
        shape = "folder"
        if source != "-" and Path(source).is_dir() and path.resolve().is_relative_to(Path(source).resolve()):
            raise typer.BadParameter("a folder cannot be converted into itself", param_hint="OUT")
    if to == "tgr.jsonl":
        raise typer.BadParameter("a .tgr.jsonl is a single file; name it as OUT", param_hint="--to")
    return _Target(path, shape, to)


def _refuse_same(source: str, path: Path) -> None:
    if path.exists() and not path.is_file():
        raise typer.BadParameter(
            f"{_shown(str(path))} is no regular file; name - for standard output", param_hint="OUT"
        )
    if source == "-" or not Path(source).exists():
        return
    if path.exists() and path.samefile(source):
        raise typer.BadParameter("a file cannot be converted into itself", param_hint="OUT")
    if Path(source).is_dir() and path.resolve().is_relative_to(Path(source).resolve()):
        raise typer.BadParameter(
            "OUT lies in the folder that is read, and would be read itself the next time; name another place",
            param_hint="OUT",
        )


class _Run:
    """The conversion of everything that is named."""

    def __init__(self, target: _Target, quiet: bool) -> None:
        self.target = target
        self.quiet = quiet
        self.kind: Kind | None = target.kind
        self.output: Output | None = None
        self.progress = Line(sys.stderr, shown=not quiet and sys.stderr.isatty())
        self.games = 0
        self.remarks = 0
        # Names of files that are taken, in small letters, each with the number that the next one of the name gets.
        self.names: dict[str, int] = {}
        self.is_complete = True

    def all(self, source: str) -> int:
        """Converts all games and returns the exit code."""
        from tichu_analytics.converting import NotConverted, convert_game
        from tichu_analytics.formats.sources import Trouble
        from tichu_analytics.tables.files import CannotWrite

        try:
            for one in _inputs(source):
                if isinstance(one, Trouble):
                    self.fail(one.path, one.message)
                    continue
                if self.kind is None:
                    self.kind = "tch" if one.format != "bsw" else "tgr.json" if self.target.path else "tgr.jsonl"
                try:
                    converted = convert_game(one, self.kind)
                except NotConverted as trouble:
                    self.fail(one.path, f"game {one.game_id}: {trouble}")
                    continue
                self.write(converted)
            if self.output is not None:
                self.output.finish()
        except CannotWrite as trouble:
            self.give_up()
            _complain(str(trouble))
        except BrokenPipeError:
            self.give_up()
            raise
        except OSError as trouble:
            self.give_up()
            _complain(f"{self.target.path or '-'}: {trouble.strerror or trouble}")
        except BaseException:
            self.give_up()
            raise
        finally:
            self.progress.clear()
        if self.games == 0:
            self.is_complete = False
            _say("no game was converted, and nothing is written")
        elif not self.quiet and self.target.path is not None:
            if self.remarks > _NAMED:
                _say(f"and {self.remarks - _NAMED:,} more games of which something was left out or added")
            count = "1 game" if self.games == 1 else f"{self.games:,} games"
            _say(f"{count} written to {self.target.path}")
        return 0 if self.is_complete else 2

    def give_up(self) -> None:
        """Takes away what is not complete."""
        self.progress.clear()
        if self.output is not None:
            self.output.give_up()

    def fail(self, path: str, message: str) -> None:
        """Tells of an input that is not converted."""
        self.is_complete = False
        self.progress.clear()
        _say(f"{path}: {message}")

    def write(self, game: Converted) -> None:
        """Writes a game, and tells what is not in it any more."""
        assert self.kind is not None
        if self.games == 1 and self.kind != "tgr.jsonl" and self.target.shape in ("file", "stream"):
            self.give_up()
            where = "standard output" if self.target.path is None else f"a .{self.kind}"
            _complain(f"there is more than one game, and {where} takes one; name a .tgr.jsonl, a .zip or a folder")
        if self.output is None:
            self.output = _open(self.target)
        name = self.name(game)
        self.output.add(name, game.data)
        self.games += 1
        said = [f"left out: {', '.join(game.dropped)}"] if game.dropped else []
        said += [f"added: {', '.join(game.added)}"] if game.added else []
        said += [game.note] if game.note else []
        if self.kind == "tch" and self.target.shape == "file" and not self.is_named(game.game_id):
            said.append("its id is not in the log, which goes by the name of its file")
        if said:
            self.remarks += 1
            if self.remarks <= _NAMED and not self.quiet:
                self.progress.clear()
                _say(f"game {game.game_id}: {'; '.join(said)}")
        self.progress.show(lambda: f"{self.games:,} games converted")

    def is_named(self, game_id: str) -> bool:
        """Whether the single file that is written has the id of its game for a name."""
        from tichu_analytics.formats.registry import stem

        return self.target.path is not None and stem(self.target.path.name) == game_id

    def name(self, game: Converted) -> str:
        """The name of the game's own file, where it gets one; no two games get the same."""
        if self.target.shape in ("file", "stream"):
            return ""
        from tichu_analytics.outputs import file_name

        stem = file_name(game.game_id)
        folder = f"{game.month}/" if game.month else ""
        first = name = f"{folder}{stem}.{self.kind}"
        # Some file systems take capital and small letters for the same.
        while name.lower() in self.names:
            number = self.names[first.lower()] = self.names[first.lower()] + 1
            name = f"{folder}{stem}~{number}.{self.kind}"
        self.names[name.lower()] = 1
        if stem != game.game_id and self.kind == "tch" and not self.quiet:
            self.progress.clear()
            _say(f"game {game.game_id!a}: its id cannot be the name of a file; it is now {name}")
        return name


def _open(target: _Target) -> Output:
    from tichu_analytics.outputs import Folder, OneFile, Stream, ZipFile

    if target.path is None:
        return Stream(sys.stdout.buffer)
    if target.shape == "folder":
        return Folder(target.path)
    return ZipFile(target.path) if target.shape == "zip" else OneFile(target.path)


def _inputs(source: str) -> Iterator[Input | Trouble]:
    """The games under a path, with ids of their own."""
    from tichu_analytics.formats.ids import distinct_inputs

    for one in distinct_inputs([source]):
        if isinstance(one, str):
            _say(one)
        else:
            yield one


def _complain(text: str) -> NoReturn:
    _say(text)
    raise typer.Exit(2)


def _say(text: str) -> None:
    sys.stderr.write(f"tichu: {_shown(text)}\n")


def _shown(text: str) -> str:
    from tichu_analytics.view.escape import for_terminal

    return for_terminal(text)
