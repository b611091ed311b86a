"""The ways of ``tichu show`` beside plain text: a page, a walk on the terminal, position by position."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, NamedTuple

import typer

if TYPE_CHECKING:
    from tichu_analytics.replay.facts import GameReplay
    from tichu_analytics.view.frame import Hands, Look
    from tichu_analytics.view.walk import Place, Walk

#: What every page has near its beginning, so that it may be written anew and nothing else is.
_MARK: Final = b'<meta name="generator" content="tichu_analytics '

_HANDS: Final[dict[str, Hands]] = {"open": "open", "seat": "seat", **{str(seat): seat for seat in range(4)}}


class Wish(NamedTuple):
    """What was asked for on the command line.

    Attributes:
        html: the file of a page, or None.
        step: whether to walk through the game.
        from_: the place to begin at, as typed.
        hands: whose hands to show, as typed.
        round, trick: what ``--round`` and ``--trick`` name.
        place: the place to begin at, from ``from_``, or from ``round`` and ``trick``.
        line: the line to begin at, named behind the path, in the round ``round``.
    """

    html: str | None
    step: bool
    from_: str | None
    hands: str | None
    round: int | None
    trick: int | None
    place: Place | None = None
    line: int | None = None


def check_wish(wish: Wish) -> Wish:
    """Puts together where to begin.

    Raises:
        typer.BadParameter: for options that do not go together, and for what is no place or no hand.
    """
    from tichu_analytics.view.walk import Place, parse_place

    if wish.html is not None and wish.step:
        raise typer.BadParameter("cannot be had together with --step", param_hint="--html")
    if wish.hands is not None:
        if wish.hands not in _HANDS:
            raise typer.BadParameter(f"{wish.hands!a} is none of open, seat and the seats 0 to 3", param_hint="--hands")
        if wish.html is not None:
            raise typer.BadParameter("cannot be had together with --html", param_hint="--hands")
        if not (wish.step or wish.from_):
            raise typer.BadParameter("needs --step or --from", param_hint="--hands")
    if wish.from_ is None:
        if not wish.step and wish.html is None:
            return wish
        if wish.trick is not None and wish.round is None:
            raise typer.BadParameter("needs --round as well", param_hint="--trick")
        return wish if wish.round is None else wish._replace(place=Place(None, wish.round, wish.trick, None))
    if wish.round is not None or wish.trick is not None:
        raise typer.BadParameter("cannot be had together with --round and --trick", param_hint="--from")
    try:
        return wish._replace(place=parse_place(wish.from_))
    except ValueError as trouble:
        raise typer.BadParameter(str(trouble), param_hint="--from") from None


def at_line(wish: Wish, replay: GameReplay, line: int) -> Wish:
    """What was asked for, beginning at a line of the file.

    It is the whole game where all of it stands on one line, and where a finding stands on that line and no round does.

    Raises:
        typer.BadParameter: if another place is named too, or no round has such a line.
    """
    if wish.place is not None or wish.round is not None or wish.trick is not None:
        raise typer.BadParameter("a line behind the path and --from, --round or --trick do not go together")
    places = replay.game.places
    spans = [(one.first_line, one.last_line) for one in replay.rounds]
    if places is not None:
        # Rounds of such records have running numbers, and what is named is a line of the file.
        spans = [(places.line(places.pointer(first)), places.line(places.pointer(last))) for first, last in spans]
        if spans and spans[0][0] == spans[-1][1] == line:
            return wish
    for one, (first, last) in zip(replay.rounds, spans, strict=True):
        if first <= line <= last:
            return wish._replace(round=one.number, line=line)
    if any(finding.line == line for finding in replay.findings):
        return wish
    lines = f"{spans[0][0]} to {spans[-1][1]}" if spans else "none"
    raise typer.BadParameter(f"line {line} is in no round of the game; the lines of its rounds are {lines}")


def _walk(replay: GameReplay, wish: Wish) -> Walk:
    """The walk, at the place to begin with.

    Raises:
        typer.Exit: if the game has no round.
        typer.BadParameter: if it has no such place.
    """
    from tichu_analytics.view.escape import for_terminal
    from tichu_analytics.view.walk import Walk

    if not replay.rounds:
        sys.stderr.write(f"tichu: {for_terminal(replay.game.path)} has no round to show\n")
        raise typer.Exit(2)
    walk = Walk(replay)
    if wish.line is not None and wish.round is not None:
        walk.go_to_line(wish.round, wish.line)
    if wish.place is not None:
        try:
            walk.go_to(wish.place)
        except ValueError as trouble:
            hint = "--from" if wish.from_ is not None else "--round / --trick"
            raise typer.BadParameter(str(trouble), param_hint=hint) from None
    return walk


def _look(wish: Wish, *, symbols: bool) -> Look:
    """How positions are drawn on standard output."""
    from tichu_analytics.view.faces import symbols_fit
    from tichu_analytics.view.frame import Look

    encoding = sys.stdout.encoding or "utf-8"
    return Look(None, encoding, symbols and symbols_fit(encoding), _HANDS[wish.hands or "open"])


def step_through(replay: GameReplay, wish: Wish) -> None:
    """Walks through a game on the terminal.

    Raises:
        typer.BadParameter: if there is no terminal, or the game has no such place.
    """
    from tichu_cli.output import has_colours
    from tichu_cli.step import walk_through, why_no_walk

    if (reason := why_no_walk()) is not None:
        raise typer.BadParameter(f"{reason}; --from 1 writes every position of round 1 as text", param_hint="--step")
    walk_through(_walk(replay, wish), _look(wish, symbols=True), colours=has_colours(sys.stdout))


def show_positions(replay: GameReplay, wish: Wish) -> None:
    """Writes every position from a place to the end of its round.

    Raises:
        typer.BadParameter: if the game has no such place.
    """
    from tichu_analytics.view.frame import frame_rows, transcript
    from tichu_cli.output import has_colours

    walk = _walk(replay, wish)
    look = _look(wish, symbols=False)
    if sys.stdout.isatty():
        from shutil import get_terminal_size

        look = look._replace(width=get_terminal_size().columns)
    if not has_colours(sys.stdout):
        sys.stdout.writelines(transcript(replay, walk.view, look, walk.at))
        return
    from tichu_analytics.view.colours import console, painted

    writer = console(sys.stdout, colours=True)
    for index in range(walk.at, len(walk.view.scenes)):
        sys.stdout.write("".join(f"{line}\n" for line in painted(frame_rows(replay, walk.view, index, look), writer)))
        sys.stdout.write("\n")


def show_page(replay: GameReplay, wish: Wish, file: str) -> None:
    """Writes a game as a page.

    Raises:
        typer.BadParameter: if the game has no place to begin at as it was named.
        typer.Exit: with 2 if the page cannot be written.
    """
    from pathlib import Path

    from tichu_analytics.tables.files import CannotWrite, is_others, write_whole, writing
    from tichu_analytics.view.escape import for_terminal
    from tichu_analytics.view.page import game_page

    start = (0, 0)
    if wish.place is not None or wish.line is not None:
        walk = _walk(replay, wish)
        start = (walk.at_round, walk.at)
    page = game_page(replay, start=start).encode()
    if file == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(page)
        sys.stdout.buffer.flush()
        return
    path = Path(file)
    try:
        if not path.name or path.is_dir():
            raise CannotWrite(file, "it is a folder")
        if is_others(path, _MARK):
            raise CannotWrite(file, "a file is there already that is not such a page; name another one, or remove it")
        if path.exists() and not path.is_file():
            # A pipe or a device; a file would take its place.
            with writing(path):
                path.write_bytes(page)
        else:
            write_whole(path, page)
    except CannotWrite as trouble:
        sys.stderr.write(f"tichu: {for_terminal(str(trouble))}\n")
        raise typer.Exit(2) from None
