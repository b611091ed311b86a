"""From logs to records and back: the same bytes, the same replay, and no copy of the text carried along."""

from __future__ import annotations

import json
import random
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.records import documents, log_games
from tichu_analytics.formats import bsw, tgr
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.formats.tgr.convert import document_of_game, document_of_log, log_of_document
from tichu_analytics.formats.tgr.from_log import read_log
from tichu_analytics.formats.tgr.layout import one_line, pretty
from tichu_analytics.formats.tgr.loglines import read_line, write_line
from tichu_analytics.formats.tgr.reader import describes_log, game_of, read_game
from tichu_analytics.formats.tgr.schema import faults
from tichu_analytics.formats.tgr.text import parse
from tichu_analytics.formats.tgr.to_log import write_log
from tichu_analytics.record import EventKind, Game
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate.faults import FAULTS
from tichu_analytics.simulate.series import Wants, simulate_series

SLOW = settings(max_examples=60, suppress_health_check=list(HealthCheck))
#: Words of the logs, which a record says in its own way.
GERMAN = re.compile(r"passt\.|gibt:|Wunsch:|Drache an|Ergebnis:|BOMBE|Schupfen|Karten|karten|Rundenverlauf|Grosses")


def there_and_back(data: bytes, month: str | None = None) -> dict:
    """The document of a log, after all that must hold of it has been seen to."""
    document = document_of_log(data, "x", month)
    text = pretty(document)
    assert faults(document) == []
    assert parse(text) == document == parse(one_line(document))
    game = read_game(text.encode(), "x", "x")
    assert log_of_document(document, game).data == data
    for rules in ("auto", "bsw", "official"):
        same_replay(replay(bsw.read_game(data, "x", "x", month), rules), replay(game, rules))
    return document


def same_replay(one: GameReplay, other: GameReplay) -> None:
    """Makes sure that a log and the record made of it give the same facts and findings."""
    assert one.totals == other.totals
    assert (one.winner, one.outcome, one.rules) == (other.winner, other.outcome, other.rules)
    assert [facts(found) for found in one.rounds] == [facts(found) for found in other.rounds]
    # A record's findings stand in the order of its file, in which oddities come behind what they are about.
    assert sorted(map(said, one.findings), key=repr) == sorted(map(said, other.findings), key=repr)


def facts(found):
    return found._replace(record=None, findings=())


def said(finding):
    """A finding without its place and its words: a record has no lines, and says other things in other words."""
    return finding._replace(path="", line=0, pointer=None, message="")


def logs_of(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.tch"))


def test_real_logs_come_back_to_the_byte(shared: Path) -> None:
    found = logs_of(shared / "real_logs")
    assert len(found) >= 12
    for log in found:
        there_and_back(log.read_bytes(), "200701")


@pytest.mark.parametrize("folder", ["legal", "legal_odd_names", "one_fault", "one_illegal_move"])
def test_checks_come_back_to_the_byte(shared: Path, folder: str) -> None:
    found = logs_of(shared / "checks" / folder)
    assert found
    for log in found:
        there_and_back(log.read_bytes())


def test_sample_logs_come_back_to_the_byte(root: Path) -> None:
    found = logs_of(root / "sample_logs")
    assert len(found) > 20
    for log in found:
        there_and_back(log.read_bytes())


@pytest.mark.parametrize(
    "wants",
    [Wants(), Wants(odd_names=True), Wants(anomalies=60, abandoned=30), Wants(faults=tuple(FAULTS))],
    ids=["plain", "odd-names", "anomalies", "faults"],
)
def test_simulated_games_come_back_to_the_byte(wants: Wants) -> None:
    for one in simulate_series(12, 5, wants=wants):
        there_and_back(one.text.encode())


def test_a_flawless_log_becomes_a_record_like_any_other(shared: Path) -> None:
    document = there_and_back((shared / "real_logs" / "10078.tch").read_bytes())
    assert not describes_log(document)
    game = game_of(document, "x", "x", None, pretty(document), 1)
    assert all(one.marks_collects for one in game.rounds)


def test_no_text_of_a_log_is_carried_along(shared: Path) -> None:
    for log in logs_of(shared):
        try:
            text = log.read_text("utf-8")
        except UnicodeDecodeError:
            continue
        document = document_of_log(log.read_bytes(), "x")
        strings = re.findall(r'"((?:[^"\\]|\\.)*)"', json.dumps(document, ensure_ascii=False))
        kept = [string for string in strings if GERMAN.search(string)]
        # Only of lines that are none of the format nothing but their text can be kept.
        assert len(kept) <= 2, (log.name, kept)
        assert all(read_line(json.loads(f'"{string}"')).kind == "unreadable" for string in kept)
        assert all(len(string) < 120 for string in strings), text


# Damaged logs ---------------------------------------------------------------------------------------------------------

JUNK = (b" ", b"\n", b"\t", b"\0", b"\r", b":", b"  ", b"\xff", b"?", b"\xc3", b"\xef\xbb\xbf", b"\r\n", b"(5)x: S5 \n")


def damaged(rng: random.Random, data: bytes) -> bytes:
    """A log with one damage of any kind that bytes and lines can have."""
    kind = rng.randrange(10)
    lines = data.split(b"\n")
    one, other = rng.randrange(len(lines)), rng.randrange(len(lines))
    place = rng.randrange(len(data) + 1)
    if kind == 0:
        return data[:place] + bytes([rng.randrange(256)]) + data[place + 1 :]
    if kind == 1:
        return data[:place] + data[place + rng.randrange(300) :]
    if kind == 2:
        lines[one], lines[other] = lines[other], lines[one]
    elif kind == 3:
        lines.insert(other, lines[one])
    elif kind == 4:
        del lines[one]
    elif kind == 5:
        return data[:place]
    elif kind == 6:
        return data.replace(b"\n", b"\r\n")
    elif kind == 7:
        return data[:place] + rng.choice(JUNK) + data[place:]
    elif kind == 8:
        some = lines[min(one, other) : max(one, other)]
        rng.shuffle(some)
        lines[min(one, other) : max(one, other)] = some
    else:
        lines[one] = lines[one].rstrip(b" ")
    return b"\n".join(lines)


@pytest.mark.parametrize("seed", range(10))
def test_damaged_logs_come_back_to_the_byte(shared: Path, seed: int) -> None:
    rng = random.Random(seed)
    texts = [log.read_bytes() for log in logs_of(shared / "real_logs") + logs_of(shared / "checks" / "legal")]
    for number in range(40):
        data = rng.choice(texts)[:7000]
        for _ in range(rng.choice((1, 1, 2, 5, 20))):
            data = damaged(rng, data)
        if number % 4:
            assert write_log(read_log(data)).data == data
        else:
            there_and_back(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\n",
        b"\r\n",
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\n",
        b"x",
        b"x\n\n\n",
        b"\r",
        b"   \n",
        b"BOMBE: \n",
        b"Ergebnis: 007 - 5\n",
        b"Wunsch:\n",
        b"(0)\n(0)a\n(0)a:\n(0) passt.\n",
        b"---------------Gr.Tichukarten------------------\n",
        b"--Gr.Tichukarten-\n---------------Startkarten------------------",
        bytes(range(256)) * 3,
    ],
)
def test_texts_that_are_hardly_logs_come_back(data: bytes) -> None:
    there_and_back(data)


@given(st.binary(max_size=200))
def test_any_bytes_come_back(data: bytes) -> None:
    assert write_log(read_log(data)).data == data


WORDS = st.sampled_from(
    [
        "(0)a",
        "(1)",
        "(2)b:",
        "(3):",
        "gibt:",
        "passt.",
        "a:",
        ":",
        "-",
        "S5",
        "BB",
        "Hu",
        "SQ",
        "Tichu:",
        "Grosses",
        "Drache",
        "an:",
        "Wunsch:5",
        "Wunsch:",
        "Wunsch:x",
        "BOMBE:",
        "Ergebnis:",
        "5",
        "-10",
        "007",
        "Schupfen:",
        "",
        "---------------Startkarten------------------",
        "-Gr.Tichukarten-",
        "Rundenverlauf",
        "\u00a0",
        "\t",
        "ü",
        "?",
    ]
)
LINES = st.lists(WORDS, max_size=12).map(" ".join)


@given(LINES)
def test_any_line_comes_back(text: str) -> None:
    line = read_line(text)
    assert text == (line.value if line.kind == "unreadable" else write_line(line))


@given(st.lists(LINES, max_size=25), st.sampled_from((b"\n", b"\r\n")), st.booleans())
def test_any_text_that_parses_prints_the_same(lines: list[str], end: bytes, ended: bool) -> None:
    data = end.join(line.encode() for line in lines) + (end if ended else b"")
    document = read_log(data)
    assert write_log(document).data == data
    assert read_log(write_log(document).data) == document


# Records --------------------------------------------------------------------------------------------------------------


@SLOW
@given(log_games())
def test_any_record_in_the_manner_of_logs_is_read_back_equal(game: Game) -> None:
    """Written as a log and as a record, read back, and replayed: always the same."""
    log = bsw.dumps(game)
    assert log.decode() == write_game(game)
    plain = bsw.read_game(log, "", game.game_id)
    assert strip(plain) == strip(game)
    assert strip(bsw.loads(log, game_id=game.game_id)) == strip(game)
    text = tgr.dumps(game)
    again = tgr.loads(text)
    assert tgr.dumps(again) == text
    assert bsw.dumps(again) == log
    for rules in ("bsw", "official"):
        same_replay(replay(plain, rules), replay(again, rules))


def strip(game: Game):
    """A game without what the reader noticed about the names and counts in it."""
    return [one._replace(problems=(), plain_names=True) for one in game.rounds]


@SLOW
@given(documents())
def test_any_document_is_read_back_equal(document: dict) -> None:
    assert faults(document) == []
    text = pretty(document)
    assert parse(text) == parse(one_line(document)) == document
    game = read_game(text.encode(), "x", document.get("id") or "x")
    assert document_of_game(game) == document
    assert parse(tgr.dumps(game)) == document
    replay(game)
    # Built anew from the record alone, it is the same record, unless there is something that could not be read.
    unread = any(event.kind == EventKind.UNREADABLE for one in game.rounds for event in one.events)
    if unread or any(
        problem.name in ("unknown-card", "wrong-card-count", "result-out-of-range")
        for one in game.rounds
        for problem in one.problems
    ):
        return
    try:
        built = document_of_game(game._replace(document=None))
    except tgr.NotForRecord:
        return
    other = game_of(built, "x", game.game_id, None, pretty(built), 1)
    assert other.rounds == game.rounds
    assert (other.rules, other.options) == (game.rules, game.options)


@SLOW
@given(documents())
def test_a_changed_game_is_not_written_as_it_was(document: dict) -> None:
    game = read_game(pretty(document).encode(), "x", document.get("id") or "x")
    if not game.rounds:
        return
    fewer = game._replace(rounds=game.rounds[:-1])
    try:
        assert document_of_game(fewer) is not document
        assert len(document_of_game(fewer)["rounds"]) == len(document["rounds"]) - 1
    except tgr.NotForRecord:
        pass


def test_three_ways_to_end_tricks_give_the_same_replay() -> None:
    tried = 0
    for one in simulate_series(16, 11):
        log = one.text.encode()
        if any(bombs_own_trick(trick) for found in replay(one.game).rounds for trick in found.tricks):
            continue  # after the last pass there is nothing to bomb in a record without the taking of tricks
        tried += 1
        document = document_of_log(log, "x")
        assert not describes_log(document)
        shorter = {**document, "trick_ends": "last_pass"}
        shorter["rounds"] = [
            {**played, "events": [event for event in played["events"] if event["event"] != "collect"]}
            for played in document["rounds"]
        ]
        bare = {**shorter}
        bare["rounds"] = [
            {name: value for name, value in played.items() if name not in ("score", "bombs")}
            for played in shorter["rounds"]
        ]
        for other in (document, shorter, bare):
            game = read_game(pretty(other).encode(), "x", "x")
            found = replay(game)
            assert found.findings == ()
            assert found.totals == replay(one.game).totals
            written = log_of_document(other, game)
            assert written.data == log
            assert bool(written.added) == (other is not document)
    assert tried > 3


def bombs_own_trick(trick) -> bool:
    """Whether a player has bombed what was its own already."""
    seats = [move.seat for move in trick.moves if move.cards]
    return any(one == other for one, other in pairwise(seats))
