"""Reading BrettspielWelt logs: what is worth a finding, how severe, and on which line."""

from __future__ import annotations

import pytest

from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.bsw.lines import CARD_BITS, CARD_NAMES, LineKind, parse_cards, result_numbers, split_line
from tichu_analytics.record import EventKind
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate import simulate_games

HEADER = "---------------Gr.Tichukarten------------------"


@pytest.fixture(scope="module")
def lines() -> list[str]:
    """Three rounds of one simulated game, without faults."""
    text = next(simulate_games(1, 5)).text
    parts = [HEADER + "\n" + part for part in text.split(HEADER + "\n")[1:4]]
    found = "".join(parts).rstrip("\n").split("\n")
    assert not findings(found)
    return found


def findings(lines: list[str] | bytes, rules: str = "bsw", end: str = "\n"):
    data = lines if isinstance(lines, bytes) else "\n".join(lines).encode() + end.encode()
    found = replay(read_game(data, "1.tch", "1"), rules).findings
    return [(one.round, one.line, one.name, one.severity) for one in found]


def starts(lines: list[str]) -> list[int]:
    return [index for index, line in enumerate(lines) if line == HEADER]


def where(lines: list[str], wanted: str, after: int = 0) -> int:
    return next(index for index in range(after, len(lines)) if wanted in lines[index])


def test_cards_and_lines():
    assert len(CARD_NAMES) == 56 and CARD_BITS["S2"] == 0 and CARD_BITS["RA"] == 51
    assert "RZ" not in CARD_BITS and "SQ" not in CARD_BITS and "SJ" not in CARD_BITS
    assert parse_cards("S10 Ph ").cards == (CARD_BITS["S10"], CARD_BITS["Ph"])
    assert parse_cards("S10  Ph").blanks
    assert parse_cards("S1 Ph").unknown == ("S1",)
    for name in ("", "gibt", "passt.", "Schupfen", "BOMBE", "(1)x", "1000", "Jolly\u00a0Jumper", "knuffi\u00a0", "<b>"):
        assert split_line(f"(2){name} passt.")[:3] == (LineKind.PASS, 2, name)
        assert split_line(f"(2){name}: S5 ")[:4] == (LineKind.PLAY, 2, name, "S5 ")
        assert split_line(f"(2){name} gibt: a: S5 - : G5 - c: R5 - ")[:3] == (LineKind.GIFT, 2, name)
        assert split_line(f"(2){name} S5 G5 R5 B5 S6 G6 R6 B6 ")[:3] == (LineKind.DEAL, 2, name)
        assert split_line(f"Drache an: (2){name}")[:3] == (LineKind.DRAGON, 2, name)
        assert split_line(f"Grosses Tichu: (2){name}") == (LineKind.CALL, 2, name, "Grosses Tichu", True)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (" 240 - -40", (240, -40)),
        (" 0 - 0 ", (0, 0)),
        (" 1_0 - 90", None),
        (" ١٠ - 90", None),
        (" +10 - 90", None),
        (" 10 -90", None),
        ("10 - 90", None),
        (" 10 - 90 - 5", None),
        (" " + "9" * 5000 + " - 5", (None, 5)),
        (" " + "0" * 5000 + "5 - 5", (5, 5)),
        (" 1001 - 5", (None, 5)),
    ],
)
def test_result_numbers(text, numbers):
    assert result_numbers(text) == numbers


@pytest.mark.parametrize("rules", ["bsw", "official"])
def test_file_level(lines, rules):
    data = "\n".join(lines).encode() + b"\n"
    assert findings(b"") == [(None, 1, "no-rounds", "warning")]
    assert findings(b"\n \n\n") == [(None, 1, "no-rounds", "warning")]
    assert findings(b"\xef\xbb\xbf" + data, rules) == [(None, 1, "byte-order-mark", "note")]
    assert findings(data.replace(b"\n", b"\r\n"), rules) == [(None, 1, "line-ends", "note")]
    assert findings(data[:-1], rules) == []
    assert findings(data + b"\n\n", rules) == []
    latin = data.decode().replace("(0)", "(0)Jörg").encode("latin-1", "replace")
    assert findings(latin, rules)[0] == (None, 1, "not-utf8", "note")


def test_prose_is_no_log():
    found = findings(b"Dear all,\n\nthis is no log.\n\nYours\n")
    assert found == [(None, 1, "no-rounds", "warning"), (None, 1, "unknown-line", "error")]


def test_control_characters_are_one_finding_a_file(lines):
    place = where(lines, " passt.", starts(lines)[1])
    changed = list(lines)
    changed[place] = changed[place].replace(" passt.", "\x00 passt.")
    changed[place + 3] = changed[place + 3].replace("(", "\x1b(", 1)
    assert findings(changed) == [(2, place + 1, "control-characters", "warning")]
    changed = [*lines[:place], "\x00\x00", *lines[place:]]
    assert findings(changed) == [(2, place + 1, "unknown-line", "error")]


def test_blank_lines(lines):
    second = starts(lines)[1]
    assert findings([*lines[:second], "", "", *lines[second:]]) == []
    place = where(lines, " passt.", second)
    assert findings([*lines[:place], "", *lines[place:]]) == [(2, place + 1, "blank-line", "warning")]
    assert findings([*lines[:place], "", " ", *lines[place:]]) == [(2, place + 1, "blank-line", "warning")]
    assert findings(["", *lines]) == [(None, 1, "blank-line", "warning")]


def test_trailing_blanks_may_be_missing(lines):
    assert findings([line.rstrip(" ") for line in lines]) == []


def test_a_log_cut_at_any_line_is_one_warning(lines):
    second = starts(lines)[1]
    third = starts(lines)[2]
    for end in range(second + 1, third - 1):
        assert findings(lines[:end]) == [(2, end, "truncated", "warning")], lines[end - 1]
    # The last play is there and only the result is missing: in the last round that is a truncation too.
    assert findings(lines[: third - 1]) == [(2, third - 1, "truncated", "warning")]


def test_a_half_line_belongs_to_the_truncation(lines):
    second, third = starts(lines)[1:]
    text = "\n".join(lines)
    begin = len("\n".join(lines[:second])) + 1
    end = len("\n".join(lines[: third - 1])) + 1
    for cut in range(begin + 1, end, 7):
        part = text[:cut]
        if part.endswith("\n"):
            continue
        assert findings(part.encode()) == [(2, part.count("\n") + 1, "truncated", "warning")], part[-40:]


def test_a_file_cut_inside_a_character_is_no_matter_of_encoding(lines):
    name = lines[4].partition(" ")[0][3:]
    changed = [line.replace(f"(3){name}", "(3)Jörund").replace(f" {name}: ", " Jörund: ") for line in lines]
    data = "\n".join(changed).encode()
    place = data.rfind("ö".encode())
    found = findings(data[: place + 1])
    assert [name for _, _, name, _ in found] == ["truncated"]


def test_a_round_that_breaks_off_before_another_is_an_error(lines):
    second, third = starts(lines)[1:]
    for end in (second + 7, second + 12, second + 30, third - 3):
        found = findings([*lines[:end], *lines[third:]])
        assert found == [(2, end, "truncated", "error")]
    assert findings([*lines[: third - 1], *lines[third:]]) == [(2, third - 1, "result-missing", "error")]


@pytest.mark.parametrize(
    ("result", "name"),
    [
        ("Ergebnis: 200 - x", "result-unreadable"),
        ("Ergebnis:", "result-unreadable"),
        (f"Ergebnis: {'9' * 5000} - 0", "result-out-of-range"),
        ("Ergebnis: 123 - 7", "wrong-score"),
    ],
)
def test_results(lines, result, name):
    third = starts(lines)[2]
    changed = [*lines[: third - 1], result, *lines[third:]]
    assert findings(changed) == [(2, third, name, "error")]


def test_repeated_and_early_results(lines):
    third = starts(lines)[2]
    assert findings([*lines[:third], lines[third - 1], *lines[third:]]) == [(2, third + 1, "result-repeated", "error")]
    early = [*lines[: third - 4], lines[third - 1], *lines[third - 4 : third - 1], *lines[third:]]
    assert [(one[0], one[2]) for one in findings(early)] == [(2, "result-too-early")]


def test_missing_and_doubled_parts(lines):
    second = starts(lines)[1]
    headers = [index for index in range(second, starts(lines)[2]) if lines[index].startswith(("---", "Schupfen"))]
    assert len(headers) == 4
    for index in headers:
        assert findings([*lines[:index], *lines[index + 1 :]]) == [(2, index + 1, "part-missing", "error")]
        assert findings([*lines[: index + 1], *lines[index:]]) == [(2, index + 2, "part-doubled", "error")]
    schupfen = where(lines, "Schupfen:", second)
    for index in (*range(second + 1, second + 5), *range(second + 6, second + 10), *range(schupfen + 1, schupfen + 5)):
        assert findings([*lines[:index], *lines[index + 1 :]]) == [(2, index + 1, "part-missing", "error")], lines[
            index
        ]
        assert findings([*lines[: index + 1], *lines[index:]]) == [(2, index + 2, "part-doubled", "error")], lines[
            index
        ]


def test_a_long_line_is_an_unknown_line(lines):
    place = where(lines, " passt.", starts(lines)[1])
    for long in ("S5 " * 300_000, "(0)" + "x" * 1_000_000 + ": S5 ", "-" * 1_000_000):
        assert findings([*lines[:place], long, *lines[place:]]) == [(2, place + 1, "unknown-line", "error")]


def test_a_substitute_is_a_note_and_another_name_a_warning(lines):
    second, third = starts(lines)[1:]
    name = lines[second + 2].partition(" ")[0][3:]
    deal = [
        *lines[:second],
        *(line.replace(f"(1){name}", "(1)") for line in lines[second : second + 10]),
        *lines[second + 10 :],
    ]
    giver = where(lines, f"(1){name} gibt", second)
    calls = [index for index in range(second + 10, giver) if "Tichu:" in lines[index] and "(1)" in lines[index]]
    assert findings(deal) == [(2, (calls or [giver])[0] + 1, "name-changed", "note")]
    place = where(lines, f"(1){name}: ", giver)
    other = list(lines)
    other[place] = other[place].replace(f"(1){name}", "(1)Zorro")
    assert findings(other) == [(2, place + 1, "other-name", "warning")]
    other[place] = lines[place].replace(f"(1){name}", "(1)")
    assert findings(other) == [(2, place + 1, "name-missing", "note")]
    changed = [line.replace(f"(1){name}", "(1)Zorro").replace(f" {name}: ", " Zorro: ") for line in lines[third:]]
    assert findings([*lines[:third], *changed]) == []


def test_the_record_says_what_the_log_says(lines):
    game = read_game("\n".join(lines).encode() + b"\n", "a/1.tch", "1", "201402")
    assert (game.path, game.game_id, game.format, game.month) == ("a/1.tch", "1", "bsw", "201402")
    assert [one.first_line - 1 for one in game.rounds] == starts(lines)
    for one in game.rounds:
        assert lines[one.last_line - 1].startswith("Ergebnis: ")
        assert one.result is not None and one.result.line == one.last_line
        for deal in (*one.first8, *one.dealt):
            assert deal is not None
            text = " ".join(CARD_NAMES[card] for card in deal.cards)
            assert lines[deal.line - 1] == f"({deal.seat}){deal.name} {text} "
        for event in one.events:
            line = lines[event.line - 1]
            if event.kind == EventKind.PLAY:
                text = " ".join(CARD_NAMES[card] for card in event.cards)
                assert line == f"({event.seat}){event.name}: {text} "
            elif event.kind == EventKind.PASS:
                assert line == f"({event.seat}){event.name} passt."
