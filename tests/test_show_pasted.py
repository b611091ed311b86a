"""``tichu show`` with a game as findings name it: member of an archive, and line."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.exporting import tichu
from tests.regenerate_golden import DATA
from tests.test_page import Page
from tests.test_step import Terminal
from tichu_analytics import read_games
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.replay.game import replay
from tichu_analytics.view.walk import Walk
from tichu_cli.pasted import Named, as_named

FINDING = re.compile(r"^(\S.*?:\d+): (T\d+) ", re.MULTILINE)
FAULTY = DATA / "faulty.tch"


def show(*args: str | Path) -> subprocess.CompletedProcess[str]:
    return tichu("show", *args)


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two games of one id in two months, another one whose name has a ``!/`` in it."""
    path = tmp_path_factory.mktemp("pasted") / "odd!name.zip"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("201401/7.tch", (DATA / "legal.tch").read_bytes())
        file.writestr("201402/7.tch", FAULTY.read_bytes())
        file.writestr("a.zip!/8.tch", FAULTY.read_bytes())
    return path


@pytest.mark.parametrize("source", [ROOT / "sample_logs" / "games.zip", ROOT / "sample_logs" / "faulty"])
def test_what_check_names_can_be_pasted(source: Path) -> None:
    said = tichu("check", source, "--exit-zero").stdout
    names = FINDING.findall(said)
    assert len(names) > 12
    for name, code in names[::3]:
        # Names in a folder are relative to it.
        name = name if source.is_file() else f"{source}{os.sep}{name}"
        shown = show(name)
        # A record that cannot be read has no round, one on a single line no lines of rounds: all of it is shown.
        assert shown.returncode == 0 and shown.stdout.startswith(("Round ", "Game "))
        assert f">>> {code} " in shown.stdout


def test_every_line_of_a_record_leads_to_its_round() -> None:
    path = ROOT / "sample_logs" / "faulty" / "record_taken_early.tgr.json"
    game = replay(next(iter(read_games(path))))
    places = game.game.places
    assert places is not None
    spans = [[places.line(places.pointer(at)) for at in (one.first_line, one.last_line)] for one in game.rounds]
    assert spans[1][0] > spans[0][1] > game.rounds[0].last_line
    for number, span in enumerate(spans, start=1):
        for line in (span[0], sum(span) // 2, span[1]):
            shown = show(f"{path}:{line}")
            assert shown.returncode == 0 and shown.stdout.startswith(f"Round {number} of 2, lines {span[0]}-{span[1]};")
    nowhere = show(f"{path}:{spans[1][1] + 50}")
    assert nowhere.returncode == 2
    assert f"its rounds are {spans[0][0]} to {spans[1][1]}" in " ".join(nowhere.stderr.split())


def test_members_of_an_archive(archive: Path) -> None:
    legal, faulty = show(f"{archive}!/201401/7.tch"), show(f"{archive}!/201402/7.tch")
    assert legal.returncode == faulty.returncode == 0
    assert ">>> T" not in legal.stdout and ">>> T" in faulty.stdout
    assert show(f"{archive}!/a.zip!/8.tch:100").stdout.startswith("Round ")
    nothing = show(f"{archive}!/201403/7.tch")
    assert (nothing.returncode, nothing.stdout) == (2, "")
    assert nothing.stderr == f"tichu: there is no game {archive}!/201403/7.tch in the archive\n"
    assert "choose one with --game" in show(archive).stderr


def test_a_damaged_archive_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "cut.zip"
    path.write_bytes((ROOT / "sample_logs" / "games.zip").read_bytes()[:5000])
    result = show(f"{path}!/201401/2011.tch:4")
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1 and "cut off" in result.stderr


def test_every_line_is_found() -> None:
    game = replay(read_game(FAULTY.read_bytes(), "faulty.tch", "faulty"))
    walk = Walk(game)
    for one in game.rounds:
        for line in range(one.first_line, one.last_line + 1):
            walk.go_to_line(one.number, line)
            lines = [scene.line for scene in walk.view.scenes]
            assert walk.view.one.number == one.number
            if line in lines:
                assert walk.at == lines.index(line)
            else:
                assert walk.scene.line == max((there for there in lines if there < line), default=lines[0])


def test_a_line_in_all_three_ways(tmp_path: Path) -> None:
    (name, code), *_ = [one for one in FINDING.findall(tichu("check", FAULTY).stdout) if one[1] == "T301"]
    line = int(name.rpartition(":")[2])
    assert f"{line}  >>> T301" in show(name).stdout
    page = Page(show(name, "--html", "-").stdout)
    at_round, at = page.data["start"]
    scene = page.data["rounds"][at_round]["scenes"][at]
    assert scene["line"] == line and [one["code"] for one in scene["findings"]] == [code]
    with Terminal(name, "--step") as terminal:
        assert any(f"line {line}," in row for row in terminal.read(code))
        assert terminal.quit() == 0


@pytest.mark.parametrize(
    ("args", "words"),
    [
        ((f"{FAULTY}:99999",), "line 99999 is in no round of the game; the lines of its rounds are 1 to "),
        ((f"{FAULTY}:0",), "line 0 is in no round"),
        ((f"{FAULTY}:5", "--round", "1"), "a line behind the path and --from, --round or --trick do not go together"),
        ((f"{FAULTY}:5", "--from", "2"), "do not go together"),
        ((f"{FAULTY}x:5",), "faulty.tchx:5: no such file or directory"),
        (("no.zip!/1.tch",), "no.zip!/1.tch: no such file or directory"),
    ],
)
def test_wrong_use(args: tuple[str, ...], words: str) -> None:
    result = show(*args)
    assert (result.returncode, result.stdout) == (2, "")
    assert words in " ".join(result.stderr.split()) and "Traceback" not in result.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_file_that_is_there_goes_by_its_whole_name(tmp_path: Path) -> None:
    odd = tmp_path / "1.tch:5"
    odd.write_bytes(FAULTY.read_bytes())
    assert as_named(str(odd)) == Named(str(odd))
    assert as_named(f"{odd}:7") == Named(str(odd), line=7)
    assert as_named(f"{odd}:7:") == Named(str(odd), line=7)
    assert as_named("-") == Named("-") and as_named("s3://b/x.zip!/1.tch:5") == Named("s3://b/x.zip!/1.tch:5")
    assert show(odd).returncode == 0


def test_no_more_than_two_games_of_an_archive_are_kept(archive: Path) -> None:
    from tichu_analytics.formats.sources import Input
    from tichu_cli.show import _Found

    for wanted, line in ((None, 1), (None, None)):
        found = _Found(wanted, line)
        for number in range(50):
            found.add(Input(f"{number}.tch", str(number), b"x" * number, None))
        assert len(found._at_line) + len(found._kept) <= 2 and len(found.ids()) == 50
    refused = show(f"{archive}:1")
    assert refused.returncode == 2 and "has 3 games; choose one with --game" in refused.stderr
