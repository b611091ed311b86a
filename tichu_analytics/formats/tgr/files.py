"""Loading and dumping TGR records, in the manner of the ``json`` module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

from tichu_analytics.formats.tgr.convert import document_of_game
from tichu_analytics.formats.tgr.layout import one_line, pretty
from tichu_analytics.formats.tgr.reader import own_id, read_game
from tichu_analytics.record import Game, Problem

#: What a record that is no record at all, or not as the format asks for, is reported as.
INVALID = frozenset(("not-json", "record-invalid", "unknown-rules"))


class InvalidRecord(ValueError):
    """A text that is no valid TGR record. The message has every fault with its place.

    Attributes:
        game_id: the id of the record, as far as it has one.
        faults: what is wrong: lines of the file, JSON pointers, sentences.
    """

    def __init__(self, game_id: str, faults: tuple[Fault, ...]) -> None:
        super().__init__(
            "; ".join(f"game {game_id!r}, line {one.line}, {one.pointer!r}: {one.message}" for one in faults)
        )
        self.game_id = game_id
        self.faults = faults


class Fault:
    """One thing that is wrong with a record.

    Attributes:
        line: the line of the file where it stands.
        pointer: the JSON pointer of the place; empty for the whole record.
        message: what is wrong, in a sentence.
    """

    __slots__ = ("line", "message", "pointer")

    def __init__(self, line: int, pointer: str, message: str) -> None:
        self.line = line
        self.pointer = pointer
        self.message = message

    def __repr__(self) -> str:
        return f"Fault(line={self.line}, pointer={self.pointer!r}, message={self.message!r})"


def loads(text: str | bytes, *, game_id: str = "", line: int = 1) -> Game:
    """Reads one record.

    What players did wrong is no fault of a record: a record of an illegal play is valid, and the replay reports it.

    Args:
        text: the record.
        game_id: the id of a record that has none.
        line: the line of its file on which it begins, for messages.

    Raises:
        InvalidRecord: for a text that is no valid record.
    """
    data = text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text
    game = read_game(data, "", own_id(data) or game_id, None, line)
    # Of a record without rounds nothing is wrong; of a text without a record there is.
    wrong = [problem for problem in game.problems if problem.name in INVALID or game.document is None]
    wrong += [problem for one in game.rounds for problem in one.problems if problem.name == "record-invalid"]
    if wrong:
        raise InvalidRecord(game.game_id, tuple([_fault(game, problem) for problem in wrong]))
    return game


def _fault(game: Game, problem: Problem) -> Fault:
    places = game.places
    if places is None:
        return Fault(problem.line, problem.pointer or "", problem.message)
    pointer = places.pointer(problem.line) if problem.pointer is None else problem.pointer
    return Fault(places.line(pointer), pointer, problem.message)


def load(file: IO[Any]) -> Game:
    """Reads one record from a file that is open for reading text or bytes; raises as :func:`loads` does."""
    return loads(file.read())


def load_all(file: IO[Any]) -> Iterator[Game]:
    """Reads records one by one from a file with one a line (``.tgr.jsonl``), which is open for text or bytes.

    Memory holds one at a time. A record without an id is called by its line. Blank lines are passed over.

    Raises:
        InvalidRecord: for the first record that is not valid, after all others have been read.
    """
    first: InvalidRecord | None = None
    for number, line in enumerate(file, 1):
        if not line.strip():
            continue
        try:
            yield loads(line, game_id=str(number), line=number)
        except InvalidRecord as trouble:
            first = first or trouble
    if first is not None:
        raise first


def dumps(game: Game, *, indent: bool = True) -> str:
    """The record of a game as text, for people or on one line; both end with a line end.

    A game that was loaded and has not been changed is written with everything that its record had, free fields
    included.

    Args:
        game: any game; one that was read from a BrettspielWelt log must come from ``formats.bsw.load`` if there is
            something odd about the log.
        indent: spread over lines; otherwise on one line.

    Raises:
        NotForRecord: if the record does not tell all that is odd about its log.
    """
    document = document_of_game(game)
    return pretty(document) if indent else one_line(document) + "\n"


def dump(game: Game, file: IO[str], *, indent: bool = True) -> None:
    """Writes the record of a game to a file that is open for writing text (UTF-8); raises as :func:`dumps` does."""
    file.write(dumps(game, indent=indent))


def dump_all(games: Iterable[Game], file: IO[str]) -> None:
    """Writes records to a file, one a line (``.tgr.jsonl``), as they come; raises as :func:`dumps` does."""
    for game in games:
        file.write(dumps(game, indent=False))
