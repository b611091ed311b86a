"""The census of an archive, against a count of its own that asks the replay alone."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
import zipfile
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.damage import KINDS
from tests.exporting import tichu
from tichu_analytics.bulk.quick import QuickCheck
from tichu_analytics.census.count import Census
from tichu_analytics.census.course import course_of, course_of_flawless
from tichu_analytics.census.page import page, write_census
from tichu_analytics.census.published import ROUNDS, TOTALS, YEARS
from tichu_analytics.checking import CheckedGame, check_game_with_course, check_paths
from tichu_analytics.formats.sources import Input
from tichu_analytics.replay.codes import CODES
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_cli.check import command


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games with the oddities of the real archive in folders of several months, damaged ones, and no month for some."""
    folder = tmp_path_factory.mktemp("census")
    rng = random.Random("census")
    wants = Wants(players=12, odd_names=True, anomalies=60, abandoned=10)
    with zipfile.ZipFile(folder / "a.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for number, game in enumerate(simulate_series(36, 9, wants=wants)):
            month = ("200712", "200801", "201504")[number % 3]
            packed.writestr(f"{month}/{game.game_id}.tch", game.text)
        packed.writestr("200712/empty.tch", b"")
        packed.writestr("200712/cut.tch", game.text.encode()[:900])
        (whole,) = simulate_games(1, 11)
        first = whole.text[: whole.text.index("-----", whole.text.index("Ergebnis"))]
        packed.writestr("201504/more.tch", whole.text + first)
    (folder / "loose").mkdir()
    for number, game in enumerate(simulate_games(24, 10)):
        lines = game.text.rstrip("\n").split("\n")
        if number % 3:
            lines = rng.choice(KINDS)(rng, lines).lines
        (folder / "loose" / f"x{game.game_id}.tch").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def inputs(archive: Path) -> list[str]:
    return [str(archive / "a.zip"), str(archive / "loose")]


def run(archive: Path, *args: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tichu_cli.main", "check", *inputs(archive), "--quiet", *map(str, args)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture(scope="module")
def record(archive: Path) -> dict[str, Any]:
    census = Census("auto")
    for one in check_paths(inputs(archive), with_course=True):
        assert isinstance(one, CheckedGame)
        census.add(one)
    found: dict[str, Any] = json.loads(json.dumps(census.record()))
    return found


def counted(archive: Path) -> dict[str, Any]:
    """What a census should say, from nothing but the facts of the replay."""
    totals = Counter(dict.fromkeys([*TOTALS, "unreadable", "rounds_read", "rounds_clean"], 0))
    codes: dict[str, Any] = {}
    outcomes: dict[str, Counter[str]] = {}
    years: dict[str, Counter[str]] = {}
    compared = Counter[int]()
    for game in ta.read_games(inputs(archive)):
        found = ta.replay(game)
        totals["files"] += 1
        of_round: dict[int, list[str]] = {one.number: [] for one in found.rounds}
        with_any = set()
        for finding in found.findings:
            entry = codes.setdefault(finding.code, {"name": finding.name, "severities": {}, "examples": []})
            count = entry["severities"].setdefault(finding.severity, {"findings": 0, "rounds": set(), "games": set()})
            count["findings"] += 1
            count["games"].add(game.path)
            if finding.round is not None:
                with_any.add(finding.round)
                count["rounds"].add((game.path, finding.round))
                if finding.severity == "error":
                    of_round[finding.round].append(finding.code)
            if len(entry["examples"]) < 3:
                kept = {"path": finding.path, "game_id": finding.game_id, "round": finding.round}
                entry["examples"].append(kept | {"line": finding.line, "message": finding.message})
        for errors in of_round.values():
            for place, figure in enumerate(ROUNDS):
                compared[place] += not set(errors).isdisjoint(figure.codes)
        complete = sum(one.complete for one in found.rounds)
        clean = len(found.rounds) - len(with_any)
        totals["rounds_read"] += len(found.rounds)
        totals["rounds_complete"] += complete
        totals["rounds_clean"] += clean
        totals["rounds_complete_without_error"] += sum(
            one.complete and not of_round[one.number] for one in found.rounds
        )
        if not complete:
            totals["files_without_usable_round"] += 1
            continue
        names = [one.record.names for one in found.rounds if all(one.record.gifts)]
        changed = any(
            before[seat] != after[seat]
            for seat in range(4)
            for seats in [[row for row in names if row[seat]]]
            for before, after in pairwise(seats)
        )
        failed = sum(bool(errors) for errors in of_round.values())
        wrong = sum(any(code in ROUNDS[-1].codes for code in errors) for errors in of_round.values())
        totals["games"] += 1
        totals["games_with_player_change"] += changed
        if failed:
            totals["games_with_failed_round"] += 1
        else:
            kind = "without_fault" if found.outcome == "finished" else found.outcome
            totals[f"games_{kind}"] += 1
            totals["games_without_fault_and_change"] += found.outcome == "finished" and not changed
        numbers = Counter(
            games=1,
            failed_games=bool(failed),
            wrong_score_games=bool(wrong),
            player_change_games=changed,
            rounds=len(found.rounds),
            complete_rounds=complete,
            clean_rounds=clean,
            failed_rounds=failed,
            wrong_score_rounds=wrong,
        )
        outcomes.setdefault(found.outcome, Counter()).update(numbers)
        numbers |= {
            f"{outcome}_games": found.outcome == outcome for outcome in ("finished", "unfinished", "overplayed")
        }
        years.setdefault(game.month[:4] if game.month else "unknown", Counter()).update(numbers)
    for entry in codes.values():
        for count in entry["severities"].values():
            count |= {"rounds": len(count["rounds"]), "games": len(count["games"])}
    return {"totals": totals, "codes": codes, "outcomes": outcomes, "years": years, "compared": compared}


def test_all_counts(archive: Path, record: dict[str, Any]) -> None:
    expected = counted(archive)
    assert record["totals"] == dict(expected["totals"])
    assert record["codes"] == expected["codes"]
    assert {name: counts for name, counts in record["outcomes"].items() if counts["games"]} == expected["outcomes"]
    assert {year: Counter(counts) for year, counts in record["years"].items()} == expected["years"]
    assert [one["rounds"] for one in record["compared"]] == [expected["compared"][n] for n in range(len(ROUNDS))]
    # All that a census tells apart is there.
    assert [name for name in TOTALS if not record["totals"][name]] == []
    assert list(record["years"]) == ["2007", "2008", "2015", "unknown"]
    assert sum(one["rounds"] > 0 for one in record["compared"]) >= 4
    assert len(record["codes"]) > 12 and any(len(one["examples"]) == 3 for one in record["codes"].values())


def test_how_a_flawless_game_went_is_read_from_its_lines_as_from_the_replay(archive: Path) -> None:
    games = list(simulate_series(40, 12, wants=Wants(players=12, odd_names=True, anomalies=6)))
    for rules in ("auto", "bsw", "official"):
        quick = QuickCheck(get_rule_set("bsw" if rules == "auto" else rules).options)
        outcomes = Counter[str]()
        for game in games:
            # Also games that break off after some of their rounds, which has no finding.
            starts = [found.start() for found in re.finditer("^-+Gr.Tichukarten", game.text, re.MULTILINE)]
            for text in (game.text, game.text[: max(starts, default=0)]):
                data = text.encode()
                rounds = quick.vouch(data)
                if rounds is None:
                    continue
                one = check_game_with_course(Input("x.tch", "x", data, "201001"), rules)
                assert one.course == course_of_flawless(data, "201001", rules, rounds)
                assert one.course is not None
                assert course_of_flawless(data, "201001", rules, rounds + 1) is None
                outcomes[f"{one.course.outcome}{one.course.player_changes > 0}"] += 1
        assert set(outcomes) == {"finishedTrue", "finishedFalse", "unfinishedTrue", "unfinishedFalse"}


def test_a_game_that_cannot_be_followed_line_by_line_is_replayed(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = list(check_paths(inputs(archive), with_course=True))
    monkeypatch.setattr("tichu_analytics.census.course.course_of_flawless", lambda *args: None)
    assert list(check_paths(inputs(archive), with_course=True)) == expected


def test_an_empty_name_is_no_change(archive: Path) -> None:
    head = "---------------Gr.Tichukarten------------------\n"
    cards = " S2 S3 S4 S5 S6 S7 S8 S9 "
    rounds = [("A", "B", "", "D"), ("A", "", "C", "D"), ("A", "B", "C", "E"), ("A", "B", "X\u00a0Y", "D")]
    text = "".join(
        head + "".join(f"({seat}){name}{cards}\n" for seat, name in enumerate(names)) + "Ergebnis: 100 - 0\n"
        for names in rounds
    )
    course = course_of_flawless(text.encode(), None, "bsw", 4)
    assert course is not None
    assert (course.outcome, course.complete, course.player_changes, course.month) == ("unfinished", 4, 3, None)


@pytest.mark.parametrize("ending", ["json", "md", "JSON"])
def test_the_same_files_whatever_the_number_of_processes(
    archive: Path, tmp_path: Path, record: dict[str, Any], ending: str
) -> None:
    (tmp_path / "run.py").write_text(
        "import sys\nfrom tichu_analytics.jobs import checks\nchecks.BATCH_BYTES = 60_000\n"
        "from tichu_analytics.bulk import choice\nchoice.FEW_BYTES = 0\n"
        "if __name__ == '__main__':\n    from tichu_cli.main import run\n    run()\n"
    )
    written = []
    for jobs in ("1", "2", "3"):
        file = tmp_path / f"{jobs}.{ending}"
        args = ["check", *inputs(archive), "--jobs", jobs, "--census", file.name, "--select", "T601"]
        done = subprocess.run([sys.executable, "run.py", *args], cwd=tmp_path, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")
        written.append(file.read_bytes())
    assert written[0] == written[1] == written[2]
    if ending != "md":
        assert json.loads(written[0]) == record


def test_both_files_at_once_and_what_cannot_be_read(archive: Path, tmp_path: Path) -> None:
    done = run(archive, archive / "gone.tch", "--census", tmp_path / "c.json", "--census", tmp_path / "c.md")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    assert json.loads((tmp_path / "c.json").read_text())["totals"]["unreadable"] == 1
    assert (tmp_path / "c.md").read_text(encoding="utf-8").startswith("# Census\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["c.json", "c.md"]


@pytest.mark.parametrize("name", ["game.tgr.json", "notes.md"])
def test_a_census_takes_no_other_file_s_place(name: str, tmp_path: Path) -> None:
    other = tmp_path / name
    data = (ROOT / "sample_logs" / "tgr" / "1001.tgr.json").read_bytes() if name.endswith("json") else b"# Notes\n"
    other.write_bytes(data)
    log = ROOT / "sample_logs" / "1001.tch"
    for source in (log, other):
        result = tichu("check", source, "--census", other)
        assert (result.returncode, result.stdout) == (2, "")
        assert "is there already and is no census; name another file, or remove it" in " ".join(result.stderr.split())
    assert other.read_bytes() == data
    other.write_bytes(b"")
    for _ in range(2):
        assert tichu("check", log, "--census", other).returncode == 0
    assert b"ensus" in other.read_bytes()[:40]


def test_a_census_changes_nothing_else(archive: Path, tmp_path: Path) -> None:
    plain, with_census = run(archive), run(archive, "--census", tmp_path / "c.md")
    assert (plain.returncode, plain.stdout, plain.stderr) == (
        with_census.returncode,
        with_census.stdout,
        with_census.stderr,
    )


@pytest.mark.parametrize(
    ("file", "said"), [("c.txt", "ends with none of .json, .md"), ("none/c.md", "there is no folder"), ("d.md", "is a")]
)
def test_wrong_use_is_told_before_anything_is_read(tmp_path: Path, file: str, said: str) -> None:
    (tmp_path / "d.md").mkdir()
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(command)
    done = CliRunner().invoke(app, ["gone.tch", "--census", str(tmp_path / file)], terminal_width=300)
    assert done.exit_code == 2
    assert said in done.stderr and "gone.tch" not in done.stderr


def test_a_file_that_cannot_be_written_is_told(
    archive: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "c.md").write_text("# Census\n\nbefore")

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(typer.Exit) as end:
        command([str(archive / "loose")], jobs=1, quiet=True, census=[str(tmp_path / "c.md")])
    assert end.value.exit_code == 2
    assert "c.md: no space left on device" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["c.md"] and (
        tmp_path / "c.md"
    ).read_text() == "# Census\n\nbefore"


def test_names_that_are_markup_do_no_harm(tmp_path: Path) -> None:
    (game,) = simulate_games(1, 21)
    text = game.text
    names = sorted({line.split(" ")[0][3:] for line in text.split("\n")[1:5]}, key=len, reverse=True)
    odd = ["<script>|x", "[a](http://x.y)`", "\u202e\x1b[2J**", "*_|www.x.y@z"]
    for name, new in zip(names, odd, strict=True):
        text = text.replace(name, new)
    # The scores are wrong, calls too late, and the trick is passed on lead: messages with names.
    lines = [f"Tichu: {line.split(':')[0]}\n{line}" if line.startswith("(0)") else line for line in text.split("\n")]
    path = tmp_path / "a|b<i>.tch"
    path.write_text("\n".join(lines), encoding="utf-8")
    census = Census("auto")
    for one in check_paths([str(path)], with_course=True):
        assert isinstance(one, CheckedGame)
        census.add(one)
    shown = page(census)
    assert shown.isascii() or not set("\u202e\x1b") & set(shown)
    examples = shown.split("## Examples")[1]
    assert "script" in examples and "<" not in examples and "http:" not in examples and "www." not in examples
    assert not re.search(r"(?<!\\)[|\[\]`*_]", examples)
    write_census(census, tmp_path / "c.json")
    assert (tmp_path / "c.json").read_bytes().isascii()


def test_the_page_of_nothing() -> None:
    shown = page(Census("bsw"))
    assert "There are none" in shown
    rows = [line for line in shown.split("\n") if line.startswith("|")]
    assert all(rows) and "| 2010 | 0 | 219,729 | 0 | 2,794 | 0 |" in shown


def test_published_figures_and_codes() -> None:
    assert sum(figure.rounds for figure in ROUNDS) == 20_495
    assert TOTALS["rounds_complete"] - TOTALS["rounds_complete_without_error"] == 20_495
    assert TOTALS["files"] - TOTALS["files_without_usable_round"] == TOTALS["games"]
    classes = ("games_without_fault", "games_unfinished", "games_overplayed", "games_with_failed_round")
    assert sum(TOTALS[name] for name in classes) == TOTALS["games"]
    assert sum(games for _, games in YEARS.values()) in range(TOTALS["games"] - 1_000, TOTALS["games"] + 1_000)
    named = [code for figure in ROUNDS for code in figure.codes]
    assert len(set(named)) == len(named) and set(named) <= set(CODES)


def test_course_of_a_replay(archive: Path) -> None:
    for game in ta.read_games(inputs(archive)):
        found = ta.replay(game)
        course = course_of(found)
        assert course.sound <= course.complete <= len(found.rounds)
        assert (course.outcome, course.month) == (found.outcome, game.month)
