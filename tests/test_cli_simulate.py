"""``tichu simulate``: what it writes, what it refuses. Each call is a process of its own, as for a user."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.faults import FAULTS
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_cli.progress import Line
from tichu_cli.simulate import _watched


def tichu(*args: str | Path, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", *map(str, args)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        **more,
    )


def simulate(out: Path, *args: str, games: int = 3, seed: int = 4) -> subprocess.CompletedProcess[str]:
    return tichu("simulate", "--games", str(games), "--seed", str(seed), "--out", out, *args)


def test_a_folder_of_logs_that_a_check_finds_nothing_in(tmp_path):
    out = tmp_path / "a" / "games"
    result = simulate(out)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout == f"3 games written to {out}\n"
    files = sorted(out.iterdir())
    assert [path.name for path in files] == ["000001.tch", "000002.tch", "000003.tch"]
    assert [path.read_bytes() for path in files] == [one.text.encode() for one in simulate_series(3, 4)]
    assert sorted(tmp_path.rglob("*.jsonl")) == []
    checked = tichu("check", "--engine", "careful", out)
    assert checked.returncode == 0 and checked.stdout.startswith("0 findings in 3 games")


def test_a_zip_is_the_same_byte_for_byte_each_time(tmp_path):
    first, second = tmp_path / "first.zip", tmp_path / "second.ZIP"
    for out in (first, second):
        result = simulate(out, "--quiet")
        assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    assert first.read_bytes() == second.read_bytes()
    with zipfile.ZipFile(first) as archive:
        assert archive.namelist() == [f"200701/00000{number}.tch" for number in (1, 2, 3)]
        assert archive.read("200701/000002.tch").decode() == list(simulate_series(3, 4))[1].text
    assert sorted(path.name for path in tmp_path.iterdir()) == ["first.zip", "second.ZIP"]


def test_plain_players_are_those_of_the_samples(tmp_path):
    assert simulate(tmp_path / "plain", "--style", "plain", games=1).returncode == 0
    assert (tmp_path / "plain" / "000001.tch").read_text() == next(simulate_games(1, 4)).text


def test_nothing_is_overwritten_without_force(tmp_path):
    folder, archive = tmp_path / "games", tmp_path / "games.zip"
    folder.mkdir()
    assert simulate(folder, games=1).returncode == 0, "an empty folder is no obstacle"
    (folder / "000001.tch").write_text("mine")
    (folder / "other.txt").write_text("mine too")
    archive.write_text("mine")
    for out in (folder, archive):
        result = simulate(out, games=1)
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr == f"tichu: {out} is there already; --force writes all the same\n"
    assert (folder / "000001.tch").read_text() == "mine" and archive.read_text() == "mine"
    for out in (folder, archive):
        assert simulate(out, "--force", games=1).returncode == 0
    assert (folder / "000001.tch").read_text() == next(iter(simulate_series(1, 4))).text
    assert (folder / "other.txt").read_text() == "mine too"
    assert zipfile.is_zipfile(archive)


def test_notes_say_what_a_check_finds(tmp_path):
    out = tmp_path / "faulty.zip"
    result = simulate(out, "--faults", "wrong-score, pass_on_lead", games=4)
    notes = tmp_path / "faulty.zip.notes.jsonl"
    assert result.returncode == 0
    assert result.stdout == f"4 games written to {out}, notes to {notes}\n"
    noted = [json.loads(line) for line in notes.read_text().splitlines()]
    checked = tichu("check", "--format", "json", "--exit-zero", out)
    found = [json.loads(line) for line in checked.stdout.splitlines()][:-1]
    assert [(one["game_id"], one["round"], one["line"], one["finding"]) for one in noted] == [
        (one["game_id"], one["round"], one["line"], one["name"]) for one in found
    ]
    assert len(noted) == 4 and {one["kind"] for one in noted} == {"wrong_score", "pass_on_lead"}
    again = simulate(out, "--force", games=1)
    assert again.returncode == 0 and not notes.exists(), "notes on other games would be wrong"
    notes.write_text("mine")
    out.unlink()
    assert simulate(out, "--abandoned", "50").returncode == 2
    assert notes.read_text() == "mine"


def test_anomalies_names_and_leaving(tmp_path):
    out = tmp_path / "games"
    args = ("--anomalies", "10", "--odd-names", "--players", "30", "--abandoned", "20")
    assert simulate(out, *args, games=5).returncode == 0
    wanted = simulate_series(5, 4, wants=Wants(players=30, odd_names=True, anomalies=10, abandoned=20))
    for one in wanted:
        assert (out / f"{one.game_id}.tch").read_bytes() == one.text.encode()
    assert (tmp_path / "games.notes.jsonl").is_file()


def test_faults_are_listed_without_anything_else():
    result = tichu("simulate", "--list-faults")
    assert result.returncode == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == list(FAULTS)


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        ([], "--games"),
        (["--games", "-1", "--seed", "1", "--out", "x"], "--games"),
        (["--games", "1", "--seed", "one", "--out", "x"], "--seed"),
        (["--games", "1", "--seed", "1"], "--out"),
        (["--games", "1", "--seed", "1", "--out", "x", "--players", "7"], "--players"),
        (["--games", "1", "--seed", "1", "--out", "x", "--abandoned", "101"], "--abandoned"),
        (["--games", "1", "--seed", "1", "--out", "x", "--faults", "wrng_score"], "did you mean 'wrong_score'?"),
        (["--games", "1", "--seed", "1", "--out", "x", "--faults", "\x1b[2J"], "no kind of fault"),
        (["--games", "1", "--seed", "1", "--out", "x", "--faults", ","], "names no kind"),
        (["--games", "1", "--seed", "1", "--out", "x", "--faults", "all", "--anomalies", "1"], "come alone"),
        (["--games", "1", "--seed", "1", "--out", "x", "--style", "plain", "--odd-names"], "plain"),
    ],
)
def test_wrong_use(args: list[str], expected: str, tmp_path: Path) -> None:
    result = tichu("simulate", *args, cwd=tmp_path, env=with_root())
    assert (result.returncode, result.stdout) == (2, "")
    assert expected in result.stderr
    assert "Traceback" not in result.stderr and "\x1b" not in result.stderr
    assert list(tmp_path.iterdir()) == []


def with_root() -> dict[str, str]:
    root = Path(__file__).resolve().parent.parent
    return {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{root / 'cli'}"}


def test_a_place_that_cannot_be_written_to(tmp_path):
    (tmp_path / "file").write_text("mine")
    for name in ("file/games", "file/games.zip", "file/more/games.zip"):
        for more in ((), ("--faults", "all")):
            result = simulate(tmp_path / name, *more, games=1)
            assert (result.returncode, result.stdout) == (2, "")
            assert result.stderr.startswith(f"tichu: {tmp_path / 'file'}") and "Traceback" not in result.stderr


def test_no_games_are_an_empty_folder_or_archive(tmp_path):
    assert simulate(tmp_path / "none", games=0).returncode == 0
    assert list((tmp_path / "none").iterdir()) == []
    assert simulate(tmp_path / "none.zip", games=0).returncode == 0
    with zipfile.ZipFile(tmp_path / "none.zip") as archive:
        assert archive.namelist() == []


def test_progress_counts_the_games():
    out = io.StringIO()
    progress = Line(out, shown=True, pause=0)
    assert len(list(_watched(simulate_games(2, 1), 2000, progress))) == 2
    progress.clear()
    assert out.getvalue() == "\r1 of 2,000 games\033[K\r2 of 2,000 games\033[K\r\033[K"
    silent = io.StringIO()
    list(_watched(simulate_games(1, 1), 1, Line(silent, shown=False)))
    assert silent.getvalue() == ""
