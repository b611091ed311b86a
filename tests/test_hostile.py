"""Logs and streams made to hurt: time, memory and output stay bounded, other inputs are still read."""

from __future__ import annotations

import gzip
import io
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tichu_analytics.checking import check_inputs
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.sources import Input, Trouble, read_inputs
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate import simulate_games

HEADER = "---------------Gr.Tichukarten------------------"


@pytest.fixture(scope="module")
def text() -> str:
    """One simulated round."""
    return HEADER + next(simulate_games(1, 31)).text.split(HEADER)[1]


def findings(text: str):
    return replay(read_game(text.encode(), "1.tch", "1"), "bsw").findings


def with_lines(text: str, lines: list[str], before: str = "Ergebnis:") -> str:
    start = text.index(before)
    return text[:start] + "\n".join(lines) + "\n" + text[start:]


def test_many_calls_and_a_wrong_result(text):
    names = [line.split(" ")[0] for line in text.split("\n")[1:5]]
    calls = [f"Grosses Tichu: {names[number % 4]}" for number in range(400)]
    wrong = text[: text.index("Ergebnis:")] + "Ergebnis: 777 - 777\n"
    found = findings(with_lines(wrong, calls, "Schupfen:"))
    assert "wrong-score" in [one.name for one in found]


LINES = (
    "{0}: S5 ",
    "{0} passt.",
    "{1}: Ph ",
    "{2}: G2 S2 B2 R2 ",
    "{3}: Hu ",
    "Tichu: {0}",
    "Wunsch:8",
    "{0}:  S5 ",
    "xyz",
    "",
)


@pytest.mark.parametrize("line", LINES)
def test_a_round_of_24_000_lines_comes_to_an_end(text, line):
    """In linear time it takes a second; anything quadratic would take many minutes and be noticed by everybody."""
    names = [word.split(" ")[0] for word in text.split("\n")[1:5]]
    other = f"{names[1]} passt."
    assert findings(with_lines(text, [line.format(*names), other] * 12_000))


def test_very_many_problems_are_counted_not_kept(text):
    found = findings(with_lines(text, ["(9)a: S5 "] * 20_000))
    assert len(found) <= 2_100
    assert sum("more problems in this round" in one.message for one in found) == 1
    players = [word.split(" ")[0] for word in text.split("\n")[1:5]]
    plays = [
        line for _ in range(3_000) for line in (f"{players[0]}: S5 G5 ", f"{players[0]} passt.", f"{players[1]} passt.")
    ]
    assert len(findings(with_lines(text, plays, "Ergebnis:"))) <= 2_100


def test_long_names_do_not_fill_messages(text):
    name = text.split("\n")[1].split(" ")[0][3:]
    long = "x" * 1_500
    longer = text.replace(f"(0){name}", f"(0){long}").replace(f" {name}: ", f" {long}: ")
    assert findings(longer) == ()
    place = longer.index(f"(0){long} passt.")
    found = findings(longer[:place] + longer[place:].replace(f"(0){long}", "(0)" + "y" * 1_500, 1))
    assert [one.name for one in found] == ["other-name"]
    assert len(found[0].message) < 250 and len(found[0].expected or "") < 50


def test_gzip_of_very_many_parts(tmp_path: Path, text):
    path = tmp_path / "a.tch.gz"
    path.write_bytes(gzip.compress(b"") * 30_000 + gzip.compress(text.encode()) + b"\0" * 100)
    (found,) = read_inputs([str(path)])
    assert isinstance(found, Input) and found.data == text.encode()


def test_a_damaged_entry_of_a_zip_costs_only_itself(tmp_path: Path, text):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("a.tch", "b.tch", "c.tch"):
            archive.writestr(name, text)
    data = bytearray(buffer.getvalue())
    entry = data.index(b"PK\x01\x02")
    data[entry + 22] ^= 0x40  # the compressed size of the first member is now millions of bytes
    (tmp_path / "x.zip").write_bytes(data)
    found = list(check_inputs(read_inputs([str(tmp_path / "x.zip")])))
    assert isinstance(found[0], Trouble) and found[0].path.endswith("a.tch")
    assert [one.path[-5:] for one in found[1:]] == ["b.tch", "c.tch"]
    assert not any(isinstance(one, Trouble) for one in found[1:])


@pytest.mark.skipif(sys.platform == "win32", reason="a shell with descriptors is needed")
@pytest.mark.parametrize(
    ("redirection", "inputs", "code"),
    [
        (">&-", "1001.tch", 0),
        ("2>&-", "1001.tch", 0),
        (">&-", "faulty/not_higher.tch", 1),
        ("2>&-", "missing.tch", 2),
        ("2>/dev/full", "missing.tch faulty/not_higher.tch", 2),
        (">/dev/full 2>/dev/full", "1001.tch", 2),
    ],
)
def test_closed_and_full_streams(root: Path, redirection, inputs, code):
    program = f"'{sys.executable}' -m tichu_cli.main check {inputs} {redirection}"
    done = subprocess.run(program, shell=True, cwd=root / "sample_logs", capture_output=True, text=True)
    assert done.returncode == code
    assert "Traceback" not in done.stderr + done.stdout
    if "faulty" in inputs and not redirection.startswith(">"):
        assert "T306" in done.stdout


@pytest.mark.parametrize("line", ["Wunsch:8", "Tichu: (0)", "(0): S2 "])
def test_very_many_findings_of_a_round_are_counted_not_kept(text, line):
    lines = text.split("\n")
    end = next(index for index, one in enumerate(lines) if one.startswith("Ergebnis:"))
    found = findings("\n".join([*lines[: end - 3], *[line] * 5_000, *lines[end - 3 :]]))
    first = [finding for finding in found if finding.round == 1]
    assert 900 < len(first) <= 1_000
    assert any("more findings in this round" in finding.message for finding in first)
