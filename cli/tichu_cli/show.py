"""The verb ``show``: a game, a round or a trick for reading."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final, NamedTuple

import typer

from tichu_cli.naming import a_file

if TYPE_CHECKING:
    from tichu_analytics.formats.sources import Input
    from tichu_analytics.replay.facts import GameReplay
    from tichu_cli.pasted import Named

#: How many games are named where one of them has to be chosen.
_NAMED: Final = 20


def command(
    path: Annotated[
        str,
        typer.Argument(
            metavar="PATH",
            help="A log (.tch) or TGR record (.tgr.json, .tgr.jsonl), a folder (searched through), a zip archive, a "
            ".gz or .zst file, or - for standard input; or a game as findings name it, with the line or without: "
            "logs.zip!/201401/2011.tch:274.",
            show_default=False,
        ),
    ],
    game: Annotated[
        str | None,
        typer.Option(metavar="ID", help="The game to show, needed where PATH has several.", show_default=False),
    ] = None,
    round_: Annotated[
        int | None,
        typer.Option("--round", metavar="N", help="Show this round only, from 1.", show_default=False),
    ] = None,
    trick: Annotated[
        int | None,
        typer.Option(metavar="N", help="Show this trick of the round only, from 1.", show_default=False),
    ] = None,
    rules: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="The rule set; 'tichu rules' lists them. With auto, .tch logs are replayed by bsw and other records "
            "by the rule set that they name, or else by official.",
        ),
    ] = "auto",
    html: Annotated[
        str | None,
        typer.Option(
            callback=a_file,
            metavar="FILE",
            help="Write the game as a page for a browser, all in one file; - for standard output.",
            show_default=False,
        ),
    ] = None,
    step: Annotated[
        bool,
        typer.Option("--step", help="Walk through the game on this terminal, position by position; ? lists the keys."),
    ] = False,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="PLACE",
            help="Begin there: ROUND, ROUND:TRICK, ROUND:TRICK:MOVE or GAME:ROUND:TRICK:MOVE. Moves are counted "
            "through the round, so 3::27 does as well. Without --step or --html every position from there to the end "
            "of the round is written.",
            show_default=False,
        ),
    ] = None,
    hands: Annotated[
        str | None,
        typer.Option(
            metavar="HANDS",
            help="With --step or --from: open shows all hands, seat only that of the seat to act, 0 to 3 only that of "
            "this seat.",
            show_default="open",
        ),
    ] = None,
) -> None:
    """Shows a game or a round for reading: hands, exchange, tricks, calls, score, and what is wrong with them.

    Every row has the line of the log in front. Cards are S sword, B pagoda, G jade, R star with 2..10, J, Q, K, A, and
    Ma, Do, Ph, Dr. Findings stand where they show, marked with >>>; 'tichu explain CODE' tells what one means.

    Example: tichu show logs.zip --game 2014 --round 3

    Example: tichu show game.tch --html game.html

    Example: tichu show game.tch:161 --step
    """
    from tichu_cli.pasted import as_named
    from tichu_cli.showing import Wish, at_line, check_wish, show_page, show_positions, step_through

    wish = check_wish(Wish(html, step, from_, hands, round_, trick))
    if wish.place is not None and wish.place.game is not None:
        if game is not None and game != wish.place.game:
            raise typer.BadParameter(f"names another game than --game {game}", param_hint="--from")
        game = wish.place.game
    named = as_named(path)
    chosen, unreadable = _choose(named, game)
    replay = _replayed(chosen, rules)
    if named.line is not None:
        wish = at_line(wish, replay, named.line)
        round_ = wish.round
    if html is not None:
        show_page(replay, wish, html)
    elif step and (replay.rounds or wish.place is not None):
        step_through(replay, wish)
    elif wish.place is not None:
        show_positions(replay, wish)
    else:
        # A walk where there is nothing to walk through ends here too: what is wrong can be told all the same.
        _write(_text(replay, round_, trick))
    raise typer.Exit(2 if unreadable else 0)


def _write(text: str) -> None:
    """Writes the text of a game, in colours on a terminal that has them."""
    from tichu_cli.output import has_colours

    if not has_colours(sys.stdout):
        sys.stdout.write(text)
        return
    from tichu_analytics.view.colours import console, painted, text_rows

    sys.stdout.write("".join(f"{line}\n" for line in painted(text_rows(text), console(sys.stdout, colours=True))))


class _Chosen(NamedTuple):
    """The game to show, and the id that it has among all those that were read."""

    log: Input
    game_id: str


def _choose(named: Named, wanted: str | None) -> tuple[_Chosen, bool]:
    """Finds the game to show, and tells whether some input could not be read.

    Raises:
        typer.Exit: with 2 if there is no such game or no single one; what there is has been said.
    """
    from tichu_analytics.formats.sources import How, Trouble, read_numbered
    from tichu_analytics.view.escape import for_terminal

    found = _Found(wanted, named.line)
    unreadable = False
    path = named.member or named.path
    # Of an archive of millions of games only those are inflated whose id is in the name that is wanted.
    how = How(passed_over=None if named.member is None else lambda game_id: game_id not in path)
    for _, item in read_numbered([named.path], how):
        if named.member is not None and item.path not in (named.member, named.path):
            continue
        if isinstance(item, Trouble):
            unreadable = True
            _say(f"{for_terminal(item.path)}: {for_terminal(item.message)}")
        else:
            found.add(item)
    ids = found.ids()
    logs = found.matching()
    if len(logs) == 1:
        return logs[0], unreadable
    if logs and wanted is not None:
        _say(f"there are {len(logs)} different games with the id {wanted!a}; choose one with --game")
        _list([chosen.game_id for chosen in logs])
    elif wanted is not None and ids:
        _say(f"there is no game {wanted!a} in {for_terminal(path)}; it has {_number(len(ids))}")
        _list(ids)
    elif ids:
        _say(f"{for_terminal(path)} has {_number(len(ids))}; choose one with --game")
        _list(ids)
    elif named.member is not None and not unreadable:
        _say(f"there is no game {for_terminal(path)} in the archive")
    elif not unreadable:
        _say(f"{for_terminal(path)} has no game")
    raise typer.Exit(2)


class _Found:
    """The logs among which one is to be shown: the ids of all, and the contents of those that may be the one.

    The same id with other contents becomes several ids, with the beginning of the content's SHA-256 behind ``~``.
    """

    def __init__(self, wanted: str | None, line: int | None = None) -> None:
        self._wanted = wanted
        #: A line of the file in which the game begins that is to be shown, where there is a game on each line.
        self._line = line
        self._at_line: list[tuple[Input, str]] = []
        self._digests: dict[str, list[str]] = {}
        self._kept: list[tuple[Input, str]] = []

    def add(self, log: Input) -> None:
        """Takes a log; the same game a second time is passed over."""
        from hashlib import sha256

        digest = sha256(log.data).hexdigest()
        if self._wanted is None and log.line == self._line and len(self._at_line) < 2:
            # In an archive all games begin on line 1, and from the second on nothing is clear.
            self._at_line.append((log, digest))
        known = self._digests.setdefault(log.game_id, [])
        if digest in known:
            return
        known.append(digest)
        if self._wanted is None:
            # With a second game nothing can be shown any more, and only the ids are needed.
            self._kept = [(log, digest)] if len(self._digests) == 1 and len(known) == 1 else []
        elif self._wanted in (log.game_id, f"{log.game_id}~{digest[:8]}"):
            self._kept.append((log, digest))

    def _id(self, game_id: str, digest: str) -> str:
        return game_id if len(self._digests[game_id]) == 1 else f"{game_id}~{digest[:8]}"

    def ids(self) -> list[str]:
        """The ids of all games in the order in which they were found."""
        return [self._id(game_id, digest) for game_id, digests in self._digests.items() for digest in digests]

    def matching(self) -> list[_Chosen]:
        """The games that may be the one to show; just one if it is clear."""
        kept = self._at_line if len(self._at_line) == 1 else self._kept
        matching = [_Chosen(log, self._id(log.game_id, digest)) for log, digest in kept]
        exact = [chosen for chosen in matching if chosen.game_id == self._wanted]
        return exact or matching


def _replayed(chosen: _Chosen, rules: str) -> GameReplay:
    from tichu_analytics.formats.registry import read_input
    from tichu_analytics.replay.game import replay

    try:
        return replay(read_input(chosen.log._replace(game_id=chosen.game_id)), rules)
    except ValueError as trouble:
        raise typer.BadParameter(str(trouble), param_hint="--rules") from None


def _text(replay: GameReplay, round_: int | None, trick: int | None) -> str:
    from tichu_analytics.view.text import game_text, round_text, trick_text

    width = None
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        width = get_terminal_size().columns
    encoding = sys.stdout.encoding or "utf-8"
    if trick is not None and round_ is None:
        if len(replay.rounds) != 1:
            raise typer.BadParameter(
                f"needs --round as well; the game has {len(replay.rounds)} rounds", param_hint="--trick"
            )
        round_ = replay.rounds[0].number
    try:
        if round_ is None:
            return game_text(replay, width=width, encoding=encoding)
        if trick is None:
            return round_text(replay, round_, width=width, encoding=encoding)
        return trick_text(replay, round_, trick, width=width, encoding=encoding)
    except ValueError as trouble:
        raise typer.BadParameter(str(trouble), param_hint="--round / --trick") from None


def _list(ids: list[str]) -> None:
    """Writes the first ids, and how many there are beyond them."""
    from tichu_analytics.view.escape import for_terminal

    for game_id in ids[:_NAMED]:
        sys.stderr.write(f"  {for_terminal(game_id)}\n")
    if len(ids) > _NAMED:
        sys.stderr.write(f"  and {len(ids) - _NAMED} more\n")


def _number(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"


def _say(message: str) -> None:
    sys.stderr.write(f"tichu: {message}\n")
