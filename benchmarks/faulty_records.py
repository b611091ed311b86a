"""TGR records with one fault each: two simulated rounds, the fault in the second one, and a file with a game a line."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from benchmarks.faulty_logs import acted, first_with, may_act, two_rounds
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.formats.tgr.layout import one_line, pretty
from tichu_analytics.rules.combinations import SINGLE
from tichu_analytics.rules.play import OTHER_COMBINATION
from tichu_analytics.simulate import candidates
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import Act, RoundPlay

Document = dict[str, Any]


class FaultyRecord(NamedTuple):
    """A kind of fault in records.

    Attributes:
        file: the name of its file.
        codes: the codes and names of the findings, in the order of the file.
        says: what is wrong, for the table.
        make: tries to make the text of such a file with this chance; None if there is no occasion.
    """

    file: str
    codes: tuple[str, ...]
    says: str
    make: Callable[[Dice, str], str | None]


def _document(dice: Dice, game_id: str) -> Document:
    """The record of two rounds in which all is in order."""
    return document_of_log(write_game(two_rounds(dice)).encode(), game_id)


def _place(events: list[Document], is_it: Callable[[int], bool]) -> int | None:
    """The first event in the middle of a round with which something can be done."""
    return next((index for index in range(8, len(events) - 12) if is_it(index)), None)


def _pair_on_single(play: RoundPlay) -> Act | None:
    if not may_act(play) or play.table.kind != SINGLE or play.table.wish:
        return None
    seat = play.table.turn
    return first_with(play, seat, candidates.groups(play.table.hands[seat], 2), OTHER_COMBINATION)


def _wrong_combination(dice: Dice, game_id: str) -> str | None:
    made = acted(_pair_on_single)(dice)
    if made is None:
        return None
    document = document_of_log(made.text.encode(), game_id)
    # A log with a finding is told as the log that it is; this is to be a record in its own right.
    return pretty(document) if document.pop("bsw", {}) == {} else None


def _unknown_card(dice: Dice, game_id: str) -> str | None:
    """One of two cards of a play has a rank that there is not."""
    document = _document(dice, game_id)
    events = document["rounds"][1]["events"]
    index = _place(events, lambda at: len(events[at].get("cards", "").split()) == 2 and "Ph" not in events[at]["cards"])
    if index is None:
        return None
    events[index]["cards"] = events[index]["cards"][:-1].rstrip("1") + "1"
    return pretty(document)


def _field_missing(dice: Dice, game_id: str) -> str:
    document = _document(dice, game_id)
    del document["rounds"][1]["dealt"]
    return pretty(document)


def _no_json(dice: Dice, game_id: str) -> str:
    """The quotation mark after a word is lost."""
    lines = pretty(_document(dice, game_id)).split("\n")
    at = [index for index, line in enumerate(lines) if '"event": "pass"' in line][-5]
    lines[at] = lines[at].replace('"pass"', '"pass')
    return "\n".join(lines)


def _taken_early(dice: Dice, game_id: str) -> str | None:
    """The last pass before a trick is taken is not there."""
    document = _document(dice, game_id)
    events = document["rounds"][1]["events"]
    index = _place(
        events,
        lambda at: events[at]["event"] == "collect" and [events[at - n]["event"] for n in (1, 2)] == ["pass"] * 2,
    )
    if index is None:
        return None
    del events[index - 1]
    return pretty(document)


def _turn_marked(dice: Dice, game_id: str) -> str | None:
    document = _document(dice, game_id)
    events = document["rounds"][1]["events"]
    index = _place(events, lambda at: [one["event"] for one in events[at - 1 : at + 1]] == ["pass", "play"])
    if index is None or len(events[index]["cards"].split()) > 3:
        return None
    events[index]["turn"] = "out"
    return pretty(document)


def _three_games(dice: Dice, game_id: str) -> str:
    """A sound game, one whose line is not whole, one with a seat that there is not."""
    good, cut, wrong = (_document(dice, f"{game_id}_{number}") for number in (1, 2, 3))
    next(event for event in wrong["rounds"][1]["events"][8:] if event["event"] == "play")["seat"] = 4
    text = one_line(cut)
    return "".join(f"{line}\n" for line in (one_line(good), text[: len(text) // 2], one_line(wrong)))


RECORDS: Final = (
    FaultyRecord(
        "record_wrong_combination.tgr.json", ("T305 wrong-combination",), "a pair on a single card", _wrong_combination
    ),
    FaultyRecord("record_unknown_card.tgr.json", ("T041 record-invalid",), "a card that there is not", _unknown_card),
    FaultyRecord(
        "record_field_missing.tgr.json", ("T041 record-invalid",), "the field `dealt` is missing", _field_missing
    ),
    FaultyRecord("record_no_json.tgr.json", ("T040 not-json",), "a quotation mark is lost, so it is no JSON", _no_json),
    FaultyRecord(
        "record_taken_early.tgr.json",
        ("T330 collect-not-due",),
        "a trick is taken while somebody has yet to play or pass",
        _taken_early,
    ),
    FaultyRecord(
        "record_turn_marked.tgr.json",
        ("T331 turn-marked-wrong",),
        "a play in turn is marked as one out of turn",
        _turn_marked,
    ),
    FaultyRecord(
        "three_games.tgr.jsonl",
        ("T040 not-json", "T041 record-invalid"),
        "three games: a sound one, one whose line breaks off, one with a seat that there is not",
        _three_games,
    ),
)


def make_record(fault: FaultyRecord) -> str:
    """The text of a faulty file: the first of a fixed series of games that gives an occasion for it."""
    game_id = fault.file.split(".")[0]
    number = 0
    while True:
        text = fault.make(Dice(f"faulty:{fault.file}:{number}"), game_id)
        if text is not None:
            return text
        number += 1
