"""Games, rounds and tricks as text, and the verb ``show`` around them."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.regenerate_golden import DATA, GOLDEN, rendered
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.view.columns import cell_width, cut, fit, fit_right, wrap
from tichu_analytics.view.text import game_text, round_text, trick_text

LEGAL = (DATA / "legal.tch").read_bytes()
FAULTY = (DATA / "faulty.tch").read_bytes()

#: What must not reach a terminal: control characters (line ends aside), changes of direction, invisible characters.
HARMFUL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]")


def replayed(data: bytes, name: str = "game.tch") -> GameReplay:
    return replay(read_game(data, name, "game"))


# ---------------------------------------------------------------- whole transcripts


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_transcript(name: str) -> None:
    """After an intended change: python -m tests.regenerate_golden, then look at the difference."""
    assert rendered(name) == (DATA / name).read_text(encoding="utf-8")


def assert_all_shown(game: GameReplay) -> None:
    """Every line of the course, every finding and every trick is there, and nothing harmful."""
    whole = game_text(game)
    assert not HARMFUL.search(whole)
    assert len(re.findall(r"^ *(?:line )?\d+  >>> ", whole, re.MULTILINE)) == len(game.findings)
    for one in game.rounds:
        text = round_text(game, one.number)
        assert text in whole
        rows = text.splitlines()
        numbers = [row.split()[0] for row in rows if re.match(r" *\d+  (?!>>>|team)", row) and row[:1] == " "]
        for event in one.record.events:
            assert numbers.count(str(event.line)) >= 1, (one.number, event)
        lines = [int(row.split()[0]) for row in rows if re.match(r" *\d+  \S", row) and not row.startswith("       ")]
        if not one.findings:
            assert lines == sorted(lines)
        for finding in one.findings:
            assert any(
                re.match(rf" *{finding.line}  >>> {finding.code} {finding.name} \[{finding.severity}\]: ", row)
                for row in rows
            )
        assert len(re.findall(r"^Trick \d+, ", text, re.MULTILINE)) == len(one.tricks)


def test_every_real_and_every_faulty_log(shared: Path) -> None:
    paths = sorted([*shared.glob("real_logs/*.tch"), *shared.glob("checks/*/*.tch")])
    assert len(paths) > 90
    for path in paths:
        game = replay(read_game(path.read_bytes(), path.name, path.stem))
        assert_all_shown(game)
        last = game.rounds[-1]
        assert cell_widths(round_text(game, last.number, width=40)) <= 70


def cell_widths(text: str) -> int:
    """The width of the widest line that could have been broken."""
    return max(cell_width(line) for line in text.splitlines() if len(line.split()) > 3)


@pytest.mark.parametrize("length", range(0, len(LEGAL) // 3, 97))
def test_a_log_cut_anywhere(length: int) -> None:
    game = replayed(LEGAL[:length])
    assert_all_shown(game)
    for one in game.rounds:
        for trick in one.tricks:
            assert f"Trick {trick.number}, " in trick_text(game, one.number, trick.number)


@pytest.mark.parametrize("left_out", range(1, 89, 3))
def test_a_log_without_one_line(left_out: int) -> None:
    lines = LEGAL.split(b"\n")
    assert_all_shown(replayed(b"\n".join(lines[:left_out] + lines[left_out + 1 :])))


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\x00\xff\xfe garbage \x1b[2J", b"Ergebnis: 1 - 2\n", b"(0)a: S2 \n"])
def test_what_is_no_log(data: bytes) -> None:
    game = replayed(data)
    assert ">>> T" in game_text(game)
    assert not HARMFUL.search(game_text(game))


# ---------------------------------------------------------------- what a round says


def test_cards_are_in_english_and_moves_as_written() -> None:
    game = replayed(LEGAL)
    text = round_text(game, 3)
    assert "  203  0 Anouk             10  RK BK BQ SQ       stairs of 2 pairs up to K\n" in text
    assert "  204  3 D_Ωmega_of_...    10  R5 G5 B5 S5       bomb of four 5; out of turn\n" in text
    assert "  205  0 Anouk             10  pass              on bomb of four 5 by D_Ωmega_of_Longname\n" in text
    assert "  210  2 Céline                calls Tichu\n" in text
    assert "BD" not in text and " Hu" not in text


def test_the_phoenix_says_what_it_is() -> None:
    text = game_text(replayed(LEGAL))
    assert re.search(r" Ph +as 8\.5$", text, re.MULTILINE)
    assert "straight of 7 up to 8, Ph as 6" in text
    assert "full house of 5, Ph as 5 (as the next play shows)" in text


def test_calls_wish_gift_and_double_victory() -> None:
    text = game_text(replayed(LEGAL))
    for row in (
        "   11  0 Anouk           calls Grand Tichu on the first eight cards",
        "   37  1 Bente                 wins the trick with the Dragon; its 35 points go to an opponent",
        "   38  0 Anouk                 is given the Dragon's trick: 35 points, 35 so far",
        "   87  1 Bente              0  B9                goes out second",
        "       double victory                           0       200",
        "       Grand Tichu lost by Anouk             -200",
        "   88  score in the log                      -200       200",
        "       total after                           -200       200",
        "       Tichu won by Céline                   +100",
        "  201  the log gives a bomb to: D_Ωmega_of_Longname",
    ):
        assert f"\n{row}\n" in text, row
    assert re.search(r"\n +\d+  3 D_Ωmega_of_... +wish: 2\n +\d+  0 Anouk +\d+  G2 +meets the wish of 2\n", text)
    assert "                               the lead goes to Anouk\n" in text


def test_the_last_player_s_cards_and_tricks() -> None:
    text = round_text(replayed(LEGAL), 2)
    assert re.search(r"\n +last is \S+: -?\d+ points taken go to \S+, .* \(-?\d+ points\) to team [01]\n", text)


def test_a_wish_that_stays_open_is_told_at_the_next_tricks(shared: Path) -> None:
    texts = [
        game_text(replay(read_game(path.read_bytes(), path.name, path.stem)))
        for path in sorted(shared.glob("checks/legal/*.tch"))[:2]
    ]
    assert any(re.search(r"^Trick \d+, .* leads; wish of \w+ still open$", text, re.MULTILINE) for text in texts)


def test_findings_stand_below_their_line() -> None:
    rows = round_text(replayed(FAULTY), 2).splitlines()
    at = next(index for index, row in enumerate(rows) if "T301 card-not-held" in row)
    line = rows[at].split()[0]
    assert rows[at - 1].split()[0] == line and "R9 R10" in rows[at - 1]
    assert rows[at].startswith(f"  {line}  >>> T301 card-not-held [error]: ")
    assert rows[at + 1].strip().startswith("expected: ")


def test_lines_after_the_result_stand_after_it() -> None:
    text = round_text(replayed(FAULTY), 2)
    _, found, after = text.partition("\nAfter the result\n")
    assert found and "pass" in after and "Trick" not in after


def test_a_trick_has_the_hands_before_it_and_its_rows_only() -> None:
    game = replayed(LEGAL)
    text = trick_text(game, 1, 3)
    assert "\nHands before trick 3\n" in text
    assert "3 D_Ωmega_of_...  RA GA RK BQ B10 B7 R5 R4 B3\n" in text
    assert re.findall(r"^Trick (\d+), ", text, re.MULTILINE) == ["3"]
    assert "   27  3 " in text and "   38  0 Anouk" in text
    assert "   26  " not in text and "   39  " not in text
    assert "0 Anouk           out" in trick_text(game, 2, 12)


@pytest.mark.parametrize(
    ("number", "trick", "message"),
    [
        (0, None, "no round 0 in this game: it has rounds 1 to 3"),
        (4, None, "no round 4"),
        (1, 0, "no trick 0 in round 1: it has tricks 1 to 10"),
        (1, 11, "no trick 11"),
    ],
)
def test_what_is_not_there(number: int, trick: int | None, message: str) -> None:
    game = replayed(LEGAL)
    with pytest.raises(ValueError, match=message):
        _ = round_text(game, number) if trick is None else trick_text(game, number, trick)


# ---------------------------------------------------------------- names


def with_names(*names: str, data: bytes = LEGAL) -> GameReplay:
    text = data.decode()
    for seat, old in enumerate(("Anouk", "Bente", "Céline", "D_Ωmega_of_Longname")):
        stand_in = chr(0xE000 + seat)
        text = text.replace(f"({seat}){old}", f"({seat}){stand_in}").replace(f"{old}: ", f"{stand_in}: ")
    for seat, new in enumerate(names):
        text = text.replace(chr(0xE000 + seat), new)
    return replayed(text.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize(
    "names",
    [
        ("\x1b[2J", "\u202eevil\u2066", "\u200b", "a\x07b"),
        ("", "", "", ""),
        ("same", "same", "same", "same"),
        ("x" * 5000, "本" * 300, "e\u0301" * 80, "\U0001f409" * 50),
        ("R5", "7", "passt.", "Hu"),
        ("[bold]b[/]", "=cmd()", "<b>", "%s{0}"),
        ("a\u00a0b", "\u00a0", "Δίας", "ß"),
    ],
)
def test_hostile_names(names: tuple[str, str, str, str]) -> None:
    game = with_names(*names)
    for width in (None, 80, 30):
        text = game_text(game, width=width)
        assert not HARMFUL.search(text)
    plain = game_text(game, width=None)
    for one in game.rounds:
        text = round_text(game, one.number)
        rows = re.findall(r"^ *\d+  [0-3] .*?(?= +\d+  pass +on )", text, re.MULTILINE)
        assert all(cell_width(row) < 30 for row in rows)
    for encoding in ("ascii", "latin-1", "cp1252", "utf-8", "no such"):
        text = game_text(game, encoding=encoding)
        if encoding != "no such":
            text.encode(encoding)
    assert plain.count("Result\n") == 3


def test_long_and_wide_names_keep_the_columns() -> None:
    game = with_names("x" * 60, "本" * 30, "C", "D_Ωmega_of_Longname")
    for text in (round_text(game, 1), round_text(game, 1, encoding="ascii")):
        passes = [row for row in text.splitlines() if re.search(r"  pass  ", row)]
        assert len(passes) > 20
        assert len({cell_width(row[: row.index("pass ")]) for row in passes}) == 1
    assert "x" * 60 in round_text(game, 1) and "本" * 30 in round_text(game, 1)


def test_names_that_say_nothing_get_their_seat() -> None:
    assert "Trick 1, seat 2 leads" in round_text(with_names("", "", "", ""), 1)
    assert "Trick 1, same (seat 2) leads" in round_text(with_names("same", "same", "same", "same"), 1)
    assert "Trick 1, R5 (seat 2) leads" in round_text(with_names("a", "b", "R5", "c"), 1)


def test_another_name_in_the_deal_is_told() -> None:
    data = LEGAL.replace(b"(1)Bente", b"(1)Bella", 2)
    assert "1  team 1  Bente   (in the deal: Bella)\n" in round_text(replayed(data), 1)


# ---------------------------------------------------------------- columns


def test_cells() -> None:
    assert [cell_width(text) for text in ("", "abc", "本", "e\u0301", "\u00a0")] == [0, 3, 2, 1, 1]
    assert cut("abcdef", 6) == "abcdef" and cut("abcdefg", 6) == "abc..." and cut("abcd", 2) == "ab"
    assert cut("本本本", 5) == "本..." and cell_width(fit("本本本本", 6)) == 6 and fit("本", 3) == "本 "
    assert fit_right("7", 3) == "  7" and fit("", 2) == "  "


def test_wrap() -> None:
    assert wrap("  ab cd ef", 7, 4) == ["  ab cd", "   ef"]
    assert wrap("short", 20, 4) == ["short"]
    assert wrap("x" * 30 + " y", 10, 2) == ["x" * 30, "  y"]
    assert wrap("y " + "x" * 30, 10, 2) == ["y", "  " + "x" * 30]
    assert wrap("", 10, 2) == [""]


# ---------------------------------------------------------------- the command


def show(*args: str | Path, data: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", "show", *map(str, args)],
        capture_output=True,
        text=True,
        encoding="utf-8",
        errors="surrogateescape",
        input=None if data is None else data.decode("utf-8", "surrogateescape"),
        timeout=60,
        check=False,
        env={**os.environ, "PYTHONIOENCODING": "utf-8", **environment},
    )


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "logs.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("201402/1.tch", LEGAL)
        file.writestr("201402/2.tch", FAULTY)
        file.writestr("201403/1.tch", LEGAL)
    return path


def test_a_game_a_round_and_a_trick() -> None:
    game = replay(read_game(LEGAL, str(DATA / "legal.tch"), "legal"))
    result = show(DATA / "legal.tch")
    assert (result.returncode, result.stdout, result.stderr) == (0, game_text(game), "")
    assert show(DATA / "legal.tch", "--round", "2").stdout == round_text(game, 2)
    assert show(DATA / "legal.tch", "--round", "2", "--trick", "3").stdout == trick_text(game, 2, 3)
    assert show("-", "--round", "2", data=LEGAL).stdout == round_text(game, 2).replace("game legal", "game stdin")


def test_faults_are_shown_and_no_reason_to_fail() -> None:
    result = show(DATA / "faulty.tch")
    assert (result.returncode, result.stderr) == (0, "")
    assert "T401 gift-missing" in result.stdout
    assert show("-", data=b"\xff\x00").returncode == 0


def test_one_of_several_games(archive: Path) -> None:
    result = show(archive)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"tichu: {archive} has 2 games; choose one with --game\n  1\n  2\n"
    result = show(archive, "--game", "2", "--round", "1")
    assert result.returncode == 0 and "; game 2, rules bsw\n" in result.stdout
    result = show(archive, "--game", "3")
    assert (result.returncode, result.stdout) == (2, "")
    assert "there is no game '3'" in result.stderr and "it has 2 games\n  1\n  2\n" in result.stderr


def test_many_games_are_counted(tmp_path: Path) -> None:
    for number in range(30):
        (tmp_path / f"{number:02}.tch").write_bytes(LEGAL + b"\n" * number)
    result = show(tmp_path)
    assert result.returncode == 2
    assert "has 30 games; choose one with --game\n  00\n" in result.stderr
    assert result.stderr.endswith("  19\n  and 10 more\n")


def test_the_same_id_twice(tmp_path: Path) -> None:
    for folder, data in (("a", LEGAL), ("b", FAULTY), ("c", LEGAL)):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "1.tch").write_bytes(data)
    result = show(tmp_path, "--game", "1")
    ids = re.findall(r"^  (1~[0-9a-f]{8})$", result.stderr, re.MULTILINE)
    assert result.returncode == 2 and len(ids) == 2 and "2 different games with the id '1'" in result.stderr
    for game_id in ids:
        result = show(tmp_path, "--game", game_id, "--round", "1")
        assert result.returncode == 0 and f"; game {game_id}, rules" in result.stdout


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--round", "4"], "there is no round 4 in this game: it has rounds 1 to 3"),
        (["--round", "0"], "there is no round 0"),
        (["--round", "x"], "not a valid int"),
        (["--round", "1", "--trick", "99"], "there is no trick 99 in round 1: it has tricks 1 to 10"),
        (["--trick", "1"], "needs --round as well; the game has 3 rounds"),
        (["--rules", "nonsense"], "nonsense"),
        (["--game", "nonsense"], "there is no game 'nonsense'"),
    ],
)
def test_wrong_use(args: list[str], message: str) -> None:
    result = show(DATA / "legal.tch", *args, COLUMNS="200")
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    result = show(tmp_path / "none.tch")
    assert result.returncode == 2 and "none.tch: no such file" in result.stderr
    (tmp_path / "good.tch").write_bytes(LEGAL)
    (tmp_path / "torn.zip").write_bytes(b"PK\x03\x04torn")
    result = show(tmp_path, "--round", "1")
    assert result.returncode == 2 and "torn.zip: " in result.stderr and result.stdout.startswith("Round 1 of 3")


def test_every_sample_log(root: Path) -> None:
    for path in sorted([*root.glob("sample_logs/*.tch"), *root.glob("sample_logs/faulty/*.tch")]):
        assert_all_shown(replay(read_game(path.read_bytes(), path.name, path.stem)))


def test_one_game_of_a_file_of_many(tmp_path: Path) -> None:
    documents = [document_of_log(data, game_id) for data, game_id in ((LEGAL, "in it"), (FAULTY, "other"), (LEGAL, ""))]
    del documents[2]["id"]
    path = tmp_path / "club.tgr.jsonl"
    path.write_text("\n".join(json.dumps(one) for one in documents), encoding="utf-8")
    result = show(path)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == f"tichu: {path} has 3 games; choose one with --game\n  in it\n  other\n  club-3\n"
    for game_id, log in (("in it", LEGAL), ("other", FAULTY), ("club-3", LEGAL)):
        for source, data in ((path, None), ("-", path.read_bytes())):
            result = show(
                source, "--game", game_id.replace("club", "stdin" if data else "club"), "--round", "2", data=data
            )
            assert (result.returncode, result.stderr) == (0, "")
            wanted = round_text(replayed(log), 2)
            assert result.stdout.count("\n") == wanted.count("\n")
            assert re.findall("T[0-9]{3}", result.stdout) == re.findall("T[0-9]{3}", wanted)
    (tmp_path / "x.tgr.json").write_text("{}")
    result = show(tmp_path / "x.tgr.json")
    assert result.returncode == 0 and result.stderr == "" and result.stdout.startswith("Game x\n")


def test_other_rules_are_taken() -> None:
    assert "rules official" in show(DATA / "legal.tch", "--round", "1", "--rules", "official").stdout


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1", "utf-8"])
def test_other_encodings(encoding: str) -> None:
    result = show(DATA / "legal.tch", PYTHONIOENCODING=encoding, NO_COLOR="1")
    assert result.returncode == 0 and result.stderr == ""
    passes = [row for row in result.stdout.splitlines() if re.search(r"  pass  ", row)]
    assert len({row.index("pass ") for row in passes if encoding == "ascii"}) <= 1


def test_a_terminal_gets_its_width(tmp_path: Path) -> None:
    pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "show", str(DATA / "legal.tch"), "--round", "1", "--trick", "2"],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "COLUMNS": "44", "PYTHONIOENCODING": "utf-8", "NO_COLOR": "1"},
    ) as process:
        process.wait(timeout=60)
    os.close(theirs)
    written = b""
    while chunk := _read(ours):
        written += chunk
    os.close(ours)
    lines = written.decode().replace("\r\n", "\n").splitlines()
    assert "Trick 2, Anouk leads" in lines
    assert max(map(cell_width, lines)) <= 44
    assert not HARMFUL.search("".join(lines))


def _read(file: int) -> bytes:
    try:
        return os.read(file, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""
