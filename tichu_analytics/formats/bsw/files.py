"""Loading and dumping BrettspielWelt logs, in the manner of the ``json`` module, and without loss."""

from __future__ import annotations

from typing import IO, Any

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.record import Game


def loads(log: str | bytes, *, game_id: str = "", month: str | None = None) -> Game:
    """Reads one log, in whatever state it is. The game keeps how the log is written, so that it can be written again.

    Args:
        log: the log.
        game_id: the id of the game; a log has none of its own.
        month: ``YYYYMM`` if it is known.
    """
    from tichu_analytics.formats.tgr.convert import document_of_log

    data = log.encode("utf-8", "surrogatepass") if isinstance(log, str) else log
    return read_game(data, "", game_id, month)._replace(document=document_of_log(data, game_id, month))


def load(file: IO[Any], *, game_id: str = "", month: str | None = None) -> Game:
    """Reads one log from a file that is open for reading text or bytes (only bytes come back unchanged)."""
    return loads(file.read(), game_id=game_id, month=month)


def dumps(game: Game) -> bytes:
    """The game as the bytes of a ``.tch`` file; those of the log that it was read from by :func:`load`.

    What a log has no words for is left out, and what it must have comes from the replay (taking a trick, bombs after
    the exchange, results). :func:`tichu_analytics.formats.tgr.convert.log_of_document` tells what that is.

    Raises:
        ValueError: if the game has something that a log cannot say.
    """
    from tichu_analytics.formats.tgr.convert import document_of_game, log_of_document

    return log_of_document(document_of_game(game), game).data


def dump(game: Game, file: IO[bytes]) -> None:
    """Writes a game as a log to a file that is open for writing bytes; raises as :func:`dumps` does."""
    file.write(dumps(game))
