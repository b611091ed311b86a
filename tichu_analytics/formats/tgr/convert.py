"""From BrettspielWelt logs to TGR documents and back, and from records of any origin to documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from tichu_analytics.formats.tgr.from_log import read_log
from tichu_analytics.formats.tgr.loglines import NotForLog
from tichu_analytics.formats.tgr.reader import describes_log, game_of
from tichu_analytics.formats.tgr.to_log import write_log
from tichu_analytics.record import Event, EventKind, Game, Round
from tichu_analytics.record.notation import RANK_NAMES
from tichu_analytics.replay.facts import GameReplay, RoundReplay

VERSION: Final = 1
#: What a log cannot hold in a name, and what stands for it: a no-break space, as the server has it for a blank, and the
#: colon of East Asian type.
_IN_NAMES: Final = dict.fromkeys((*range(33), *range(127, 160)), "\u00a0") | {ord(":"): "\uff1a"}


class NotForRecord(ValueError):
    """A game of which more is known to be odd than its record can tell."""


class Log(NamedTuple):
    """A game written as a BrettspielWelt log.

    Attributes:
        data: the bytes of the log.
        dropped: what the document says and the log cannot, in words.
        added: what the log must have and the document lacks, in words.
    """

    data: bytes
    dropped: tuple[str, ...]
    added: tuple[str, ...]


def document_of_log(data: bytes, game_id: str, month: str | None = None) -> dict[str, Any]:
    """The document of a BrettspielWelt log; :func:`log_of_document` gives the same bytes for it.

    A log in which nothing is odd and nothing wrong becomes a record like any other. Otherwise the record describes the
    log (``bsw``), and is read as that.

    Args:
        data: the bytes of the log.
        game_id: the id of the game.
        month: ``YYYYMM`` where the archive's folder tells it.

    Raises:
        NotForRecord: if the log would not come back as it is; there should be no such log.
    """
    from tichu_analytics.formats.bsw.reader import read_game
    from tichu_analytics.replay.game import replay

    body = read_log(data)
    log = body.pop("bsw", None)
    rounds = body.pop("rounds")
    document: dict[str, Any] = {"tgr": VERSION, "id": game_id, "source": {"format": "bsw"}, "rules": "bsw"}
    if month is not None:
        document["played_at"] = f"{month[:4]}-{month[4:]}"
    document |= body
    document["trick_ends"] = "collect"
    if log is not None:
        document["bsw"] = log
    document["rounds"] = rounds
    found = replay(read_game(data, game_id, game_id, month), "bsw")
    written = write_log(document)
    if written.data != data:
        raise NotForRecord("this log cannot be told in a record so that it comes back as it is")
    _mark_collects(document, found, written.pointers)
    if not describes_log(document) and (found.findings or not _is_same(document, found.game)):
        document = {**{name: document[name] for name in document if name != "rounds"}, "bsw": {}, "rounds": rounds}
    return document


def _mark_collects(document: Mapping[str, Any], found: GameReplay, pointers: list[str]) -> None:
    """Tells the taking of tricks from passes, as the replay does."""
    for one in found.rounds:
        for trick in one.tricks:
            if trick.collect_line is None:
                continue
            parts = pointers[trick.collect_line - 1].split("/")
            if len(parts) == 5 and parts[3] == "events":
                event = document["rounds"][int(parts[2])]["events"][int(parts[4])]
                if event["event"] == "pass":
                    event["event"] = "collect"


def _is_same(document: Mapping[str, Any], game: Game) -> bool:
    """Whether a document without more ado says what the log says."""
    other = game_of(document, game.path, game.game_id, game.month, "", 1)
    return not other.problems and [*map(_claims, other.rounds)] == [*map(_claims, game.rounds)]


def _claims(one: Round) -> Round:
    """A round without what a log and a record say in different ways."""
    events = tuple(
        [event._replace(kind=EventKind.PASS) if event.kind == EventKind.COLLECT else event for event in one.events]
    )
    return one._replace(events=events, explicit_ends=True, marks_collects=False, score_due=True, bombs_due=True)


def log_of_document(document: Mapping[str, Any], game: Game) -> Log:
    """A document as a BrettspielWelt log.

    A document that describes a log gives just that. Otherwise the lines that such a log must have and a record need not
    (taking a trick, bombs after the exchange, the result) come from the replay.

    Args:
        document: a valid document.
        game: the game read from it.

    Raises:
        NotForLog: if it says something that a log cannot say; the text begins with the JSON pointer.
    """
    dropped = _dropped(document)
    if describes_log(document):
        return Log(write_log(document).data, dropped, ())
    from tichu_analytics.replay.game import replay

    for number, one in enumerate(document["rounds"]):
        for place, event in enumerate(one["events"]):
            if event["event"] == "unreadable":
                pointer = f"/rounds/{number}/events/{place}"
                raise NotForLog(f"{pointer}: what could not be read cannot be written as a line of a log")
    completed, added = _completed(document, replay(game))
    renamed, changed = _with_log_names(completed)
    if changed:
        what = "blanks, colons and control characters as no-break spaces and other colons"
        dropped = (*dropped, f"the spelling of {_number(changed, 'name')} ({what})")
    return Log(write_log(renamed).data, dropped, added)


def _number(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"


def _dropped(document: Mapping[str, Any]) -> tuple[str, ...]:
    """What a document says that a log has no words for."""
    events = [event for one in document["rounds"] for event in one["events"]]
    calls = [call for one in document["rounds"] for call in one.get("calls", ())]
    said = []
    counts = (
        ("declared rank of the Phoenix", "declared ranks of the Phoenix", "phoenix_as"),
        ("mark that a play was in or out of turn", "marks that a play was in or out of turn", "turn"),
        ("time of an event or call", "times of events and calls", "at"),
    )
    for one_of, many, field in counts:
        count = sum(field in event for event in (*events, *calls))
        if count:
            said.append(f"{count} {one_of if count == 1 else many}")
    source = document.get("source", {})
    if any(field != "format" for field in source):
        said.append("the source")
    if document.get("rules") not in (None, "bsw"):
        said.append(f"the rule set {document['rules']}")
    said += [f"the field {field}" for field in ("options", "target") if field in document]
    if len(document.get("played_at", "")) > len("2014-02"):
        said.append("the time of the game")
    odd = sum(call["when"] != ("first8" if call["call"] == "grand" else "before_exchange") for call in calls)
    if odd:
        said.append(f"the moment of {_number(odd, 'call')}")
    free = _free_fields(document)
    if free:
        said.append(_number(free, "free field"))
    return tuple(said)


def _free_fields(value: Any) -> int:
    """How many free fields there are; those within others are part of them."""
    if isinstance(value, list):
        return sum(map(_free_fields, value))
    if not isinstance(value, dict):
        return 0
    return sum(1 if name.startswith("_") else _free_fields(inner) for name, inner in value.items())


def _completed(document: Mapping[str, Any], found: GameReplay) -> tuple[dict[str, Any], tuple[str, ...]]:
    """The document with what a log must have, and what that is."""
    collects = scores = 0
    rounds = []
    for one, replayed in zip(document["rounds"], found.rounds, strict=True):
        new = dict(one)
        if not replayed.record.explicit_ends:
            new["events"] = _with_collects(one["events"], replayed)
            collects += len(new["events"]) - len(one["events"])
        if "score" not in one and replayed.score is not None:
            new["score"] = list(replayed.score)
            scores += 1
        if "bombs" not in one and replayed.record.play_line:
            from tichu_analytics.rules.combinations import holds_bomb

            new["bombs"] = [seat for seat in range(4) if holds_bomb(replayed.held[seat])]
        rounds.append(new)
    added = []
    if collects:
        added.append(f"{collects} lines for the taking of tricks")
    if scores:
        added.append(("the result of 1 round" if scores == 1 else f"the results of {scores} rounds") + ", as replayed")
    return {**document, "rounds": rounds}, tuple(added)


def _with_collects(events: list[Any], replayed: RoundReplay) -> list[Any]:
    """The events with the taking of every trick whose owner still has cards."""
    numbers = [event.line for event in replayed.record.events]
    after: dict[int, int] = {}
    for trick in replayed.tricks:
        owner = trick.winner_seat
        is_last = replayed.complete and trick.number == len(replayed.tricks)
        if not trick.complete or owner is None or is_last:
            continue
        plays = [move for move in trick.moves if move.cards and move.seat == owner]
        if plays and plays[-1].hand_after:
            after[trick.moves[-1].line] = owner
    found = []
    for number, event in zip(numbers, events, strict=True):
        found.append(event)
        if number in after:
            found.append({"event": "collect", "seat": after[number]})
    return found


def _with_log_names(document: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """The document with players' names that a log can hold, and how many of them are other ones now."""
    changed: set[str] = set()

    def plain(names: list[str]) -> list[str]:
        found = [name.translate(_IN_NAMES) for name in names]
        changed.update(name for name, other in zip(names, found, strict=True) if name != other)
        return found

    new = dict(document)
    if "players" in new:
        new["players"] = plain(new["players"])
    rounds = []
    for one in document["rounds"]:
        fields = {field: plain(one[field]) for field in ("players", "deal_players") if field in one}
        rounds.append({**one, **fields})
    new["rounds"] = rounds
    return new, len(changed)


# Records of any origin ----------------------------------------------------------------------------------------------


def document_of_game(game: Game) -> Mapping[str, Any]:
    """The document of a game.

    A game that was read from a TGR record, and has not been changed, has its own. Any other is built from its fields; a
    record in the manner of logs, in which the owner's pass takes a trick, goes by the log that it would be.

    Raises:
        NotForRecord: if the record was made from a log in which something is odd: how it is written is no part of it.
            :func:`document_of_log` tells that.
    """
    kept = game.document
    if kept is not None and _says(kept, game):
        return kept if (kept.get("id") or game.game_id) == game.game_id else {**kept, "id": game.game_id}
    if any(one.explicit_ends and not one.marks_collects for one in game.rounds):
        from tichu_analytics.formats.bsw.writer import Unwritable, write_game

        if game.problems or any(one.problems or one.cut for one in game.rounds):
            raise NotForRecord("the log of this game is odd, and its record does not tell how it is written")
        try:
            data = write_game(game).encode()
        except Unwritable as trouble:
            raise NotForRecord(str(trouble)) from None
        return document_of_log(data, game.game_id, game.month)
    return _document(game)


def _says(document: Mapping[str, Any], game: Game) -> bool:
    """Whether a document still says what its game says, which may have been changed since."""
    from tichu_analytics.replay.game import rules_for

    other = game_of(document, game.path, game.game_id, game.month, "", 1)
    return (
        rules_for(other) == rules_for(game)
        and other.options == game.options
        and other.problems == game.problems
        and [*map(_claims, other.rounds)] == [*map(_claims, game.rounds)]
    )


def _document(game: Game) -> dict[str, Any]:
    document: dict[str, Any] = {"tgr": VERSION, "id": game.game_id}
    if game.rules is not None:
        document["rules"] = game.rules
    if game.options:
        document["options"] = dict(game.options)
    if game.month is not None:
        document["played_at"] = f"{game.month[:4]}-{game.month[4:]}"
    names: tuple[str, ...] | None = None
    if game.rounds:
        names = game.rounds[0].names
        document["players"] = list(names)
        document["trick_ends"] = "collect" if game.rounds[0].marks_collects else "last_pass"
    rounds = []
    for one in game.rounds:
        fields = {} if one.names == names else {"players": list(one.names)}
        names = one.names
        rounds.append(fields | _round(one))
    document["rounds"] = rounds
    return document


def _round(one: Round) -> dict[str, Any]:
    from tichu_analytics.formats.tgr.notation import cards_from_bits

    fields: dict[str, Any] = {}
    try:
        first8 = [None if deal is None else cards_from_bits(deal.cards) for deal in one.first8]
        dealt = [None if deal is None else cards_from_bits(deal.cards) for deal in one.dealt]
        exchange = [None if gift is None else cards_from_bits(gift.cards) for gift in one.gifts]
        events = [_event(event) for event in one.events]
    except ValueError as trouble:
        raise NotForRecord(f"round {one.number}: {trouble}") from None
    in_deal = list(one.names)
    early = [call for call in one.calls if not call.exchange_begun]
    # Who is named first in what comes before the exchange.
    for entry in (*early, *one.dealt, *one.first8):
        if entry is not None:
            in_deal[entry.seat] = entry.name
    if in_deal != list(one.names):
        fields["deal_players"] = in_deal
    fields |= {"first8": first8, "dealt": dealt}
    if one.calls:
        fields["calls"] = [
            {
                "seat": call.seat,
                "call": "grand" if call.grand else "tichu",
                "when": "after_exchange"
                if call.exchange_begun
                else "first8"
                if (call.seen or (8 if call.grand else 14)) == 8
                else "before_exchange",
            }
            for call in one.calls
        ]
    fields["exchange"] = exchange
    if one.bomb_line is not None or one.bombs_due:
        fields["bombs"] = [] if one.bomb_line is None else list(one.bomb_line.seats)
    fields["events"] = events
    if one.result is not None:
        fields["score"] = [one.result.score_0, one.result.score_1]
        if None in fields["score"]:
            raise NotForRecord(f"round {one.number} has a result that is not two numbers")
    return fields


def _event(event: Event) -> dict[str, Any]:
    from tichu_analytics.formats.tgr.notation import cards_from_bits

    kind = event.kind
    if kind == EventKind.PLAY:
        play: dict[str, Any] = {"event": "play", "seat": event.seat, "cards": cards_from_bits(event.cards)}
        if event.value:
            play["phoenix_as"] = RANK_NAMES[event.value]
        if event.turn:
            play["turn"] = ("", "in", "out")[event.turn]
        return play
    if kind in (EventKind.PASS, EventKind.COLLECT):
        return {"event": "pass" if kind == EventKind.PASS else "collect", "seat": event.seat}
    if kind == EventKind.WISH:
        return {"event": "wish", "rank": RANK_NAMES[event.value] if event.value else f"?{event.text}"}
    if kind == EventKind.GIFT:
        return {"event": "gift", "to": event.seat}
    if kind in (EventKind.TICHU, EventKind.GRAND):
        return {"event": "call", "seat": event.seat, "call": "grand" if kind == EventKind.GRAND else "tichu"}
    raise ValueError("an event could not be read, so it cannot be written")
