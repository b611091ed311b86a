"""Converts recorded games from one format into another: the work behind ``tichu convert``."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

from tichu_analytics.formats.sources import Input

#: What a game can be written as.
Kind = Literal["tch", "tgr.json", "tgr.jsonl"]


class Converted(NamedTuple):
    """A game in another format.

    Attributes:
        game_id: its id.
        month: ``YYYYMM`` if it is known.
        data: what is to be written.
        dropped: what the new format has no words for.
        added: what the new format must have and the game did not say.
        note: what else there is to say, or an empty text.
    """

    game_id: str
    month: str | None
    data: bytes
    dropped: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    note: str = ""


class NotConverted(ValueError):
    """A game that cannot be converted; the text says why, with every place."""


def convert_game(one: Input, kind: Kind) -> Converted:
    """Converts a game.

    From a log to a record and back gives the same bytes. Records are written anew, with all that they say. A game in a
    further format becomes a record first; only one that was read without a problem can be.

    Args:
        one: the game as it was found.
        kind: what it is to be.

    Raises:
        NotConverted: if the game is no valid record, or says something that the new format cannot say.
    """
    if one.format == "bsw":
        if kind == "tch":
            return Converted(one.game_id, one.month, one.data)
        from tichu_analytics.formats.tgr.convert import NotForRecord, document_of_log
        from tichu_analytics.formats.tgr.loglines import NotForLog

        try:
            document: Any = document_of_log(one.data, one.game_id, one.month)
        except (NotForRecord, NotForLog) as trouble:
            raise NotConverted(str(trouble)) from None
        note = "" if document["rounds"] else "there is no round of Tichu in it; what is there is kept as it is"
        return Converted(one.game_id, one.month, _text(document, kind), note=note)
    if one.format != "tgr":
        one = _as_record(one)
    from tichu_analytics.formats.tgr.convert import log_of_document
    from tichu_analytics.formats.tgr.files import InvalidRecord, loads
    from tichu_analytics.formats.tgr.loglines import NotForLog

    try:
        game = loads(one.data, game_id=one.game_id, line=one.line)
    except InvalidRecord as trouble:
        raise NotConverted(
            "; ".join(f"line {fault.line}: {fault.message}{_at(fault.pointer)}" for fault in trouble.faults)
        ) from None
    document = game.document
    assert document is not None  # it is valid
    month = game.month or one.month
    if kind != "tch":
        in_own_file = kind == "tgr.json"
        if document.get("id", one.game_id if in_own_file else None) != one.game_id:
            document = {**document, "id": one.game_id}
        if month is not None and "played_at" not in document and not in_own_file:
            document = {**document, "played_at": f"{month[:4]}-{month[4:]}"}
        return Converted(one.game_id, month, _text(document, kind))
    try:
        log = log_of_document(document, game)
    except NotForLog as trouble:
        pointer, _, why = str(trouble).partition(": ")
        raise NotConverted(f"a BrettspielWelt log cannot say this: {why}{_at(pointer)}") from None
    lacking = sum(played["first8"] == [None] * 4 for played in document["rounds"] if played["events"])
    rounds = "1 round" if lacking == 1 else f"{lacking} rounds"
    note = f"the first eight cards of {rounds} are not known, and a log must have them" if lacking else ""
    return Converted(one.game_id, month, log.data, log.dropped, log.added, note)


def _as_record(one: Input) -> Input:
    """A game in a further format as the record of it."""
    from tichu_analytics.formats import tgr
    from tichu_analytics.formats.registry import read_input

    game = read_input(one)
    problems = [*game.problems, *(problem for played in game.rounds for problem in played.problems)]
    if problems:
        raise NotConverted("; ".join(f"line {problem.line}: {problem.message}" for problem in problems))
    try:
        text = tgr.dumps(game, indent=False)
    except ValueError as trouble:
        raise NotConverted(str(trouble)) from None
    return one._replace(data=text.encode(), format="tgr", line=1)


def _at(pointer: str) -> str:
    return f" (at {pointer})" if pointer else ""


def _text(document: Any, kind: Kind) -> bytes:
    from tichu_analytics.formats.tgr.layout import one_line, pretty

    return (pretty(document) if kind == "tgr.json" else one_line(document) + "\n").encode()
