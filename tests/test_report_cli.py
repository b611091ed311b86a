"""The verb ``report``: what it writes and does not write, what it says, and what it ends with."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.exporting import environment
from tests.report_pages import ReportPage
from tests.test_report import with_players
from tichu_analytics.report.making import collection_report, player_report
from tichu_analytics.report.page import report_page
from tichu_analytics.report.writing import write_files
from tichu_analytics.stats.answering import compute
from tichu_analytics.tables.files import CannotWrite

LOG = ROOT / "sample_logs" / "1001.tch"


def tichu(*args: object, temp: Path | None = None, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", "report", *map(str, args)],
        env=environment() | {"PYTHONUTF8": "1"} | ({"TMPDIR": str(temp)} if temp else {}),
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
        **more,
    )


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    return ta.export(LOG, tmp_path_factory.mktemp("report_cli") / "data")


def test_page_and_tables_of_a_data_set(data: ta.Dataset, tmp_path: Path) -> None:
    out, tables = tmp_path / "new" / "page.html", tmp_path / "tables"
    result = tichu(data.path, "--out", out, "--csv", tables)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    report = collection_report(data)
    assert out.read_text(encoding="utf-8") == report_page(report)
    assert sorted(path.stem for path in tables.iterdir()) == sorted(report.tables())
    with (tables / "call-strength.csv").open(encoding="utf-8", newline="") as file:
        found = list(csv.DictReader(file))
    names = ["tichu.success_rate", "grand.success_rate"]
    wanted = [row.values() for row in compute(data, by=["high_cards"], measures=names).rows]
    assert [(row["measure"], row["n"], row["estimate"], row["high_cards"]) for row in found] == [
        (row["measure"], str(row["n"]), str(row["estimate"]), str(row["high_cards"])) for row in wanted
    ]
    # The tables behind the figures are those of the page, with every digit.
    parsed = ReportPage(out.read_text(encoding="utf-8"))
    for name, (_, rows) in report.tables().items():
        assert len(rows) >= len(parsed.articles[name].rows) > 0
        text = (tables / f"{name}.csv").read_text(encoding="utf-8")
        assert len(list(csv.reader(text.splitlines()))) == len(rows) + 1


def test_logs_are_exported_for_the_time_being(data: ta.Dataset, tmp_path: Path) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    archive = tmp_path / "logs.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(LOG, "1001.tch")
        file.write(LOG, "again/1001.tch")
        file.writestr("broken.tgr.json", "{")
        file.writestr("nested.zip", "no archive")
    result = tichu(archive, "--out", "-", temp=temp)
    assert result.returncode == 2
    assert "nested.zip" in result.stderr and "have the id 1001 and the same content" in result.stderr
    assert result.stdout.endswith("</html>\n") or result.stdout.endswith("</html>")
    parsed = ReportPage(result.stdout)
    assert "What could not be read" in parsed.text and "nested.zip" in parsed.text
    assert not list(temp.glob("tichu*"))
    plain = tichu(LOG, "--out", "-", temp=temp)
    assert plain.returncode == 0 and plain.stdout == report_page(collection_report(data))


def test_a_player(data: ta.Dataset, tmp_path: Path) -> None:
    out = tmp_path / "page.html"
    result = tichu(data.path, "--player", "Kisam", "--out", out, "--where", "seat < 2")
    assert (result.returncode, result.stderr) == (0, "")
    assert out.read_text(encoding="utf-8") == report_page(player_report(data, "Kisam", "seat < 2"))
    for name, said in (("Kisan", "did you mean 'Kisam'?"), ("kisam", "did you mean 'Kisam'?"), ("\x1b[2J", "\\u001b")):
        result = tichu(data.path, "--player", name, "--out", tmp_path / "other.html", "--csv", tmp_path / "tables")
        assert result.returncode == 2 and said in result.stderr and "Traceback" not in result.stderr
    assert sorted(tmp_path.iterdir()) == [out]


def test_other_spellings_are_told(tmp_path: Path) -> None:
    (tmp_path / "1.tgr.json").write_text(json.dumps(with_players("Anna", "ANNA", "=1+1", "<b>")), encoding="utf-8")
    result = tichu(tmp_path / "1.tgr.json", "--player", "Anna", "--out", tmp_path / "anna.html")
    assert result.returncode == 0 and "other spellings as well" in result.stderr and "'ANNA' (1 game)" in result.stderr
    result = tichu(tmp_path / "1.tgr.json", "--out", tmp_path / "all.html", "--csv", tmp_path / "tables")
    assert result.returncode == 0
    text = (tmp_path / "tables" / "players-wins.csv").read_text(encoding="utf-8")
    assert ",'=1+1," in text and ",=1+1," not in text and ",<b>," in text


def test_nothing_is_written_over_unasked(data: ta.Dataset, tmp_path: Path) -> None:
    out, tables = tmp_path / "page.html", tmp_path / "tables"
    out.write_text("mine", encoding="utf-8")
    tables.mkdir()
    (tables / "mine.csv").write_text("mine", encoding="utf-8")
    for args in (("--out", out), ("--out", tmp_path / "new.html", "--csv", tables)):
        result = tichu(data.path, *args)
        assert result.returncode == 2 and "--force writes all the same" in result.stderr
    assert out.read_text(encoding="utf-8") == "mine" and not (tmp_path / "new.html").exists()
    result = tichu(data.path, "--out", out, "--csv", tables, "--force")
    assert result.returncode == 0 and out.stat().st_size > 10_000
    assert (tables / "mine.csv").read_text(encoding="utf-8") == "mine" and (tables / "call-rates.csv").exists()
    assert not [path for path in (*tmp_path.iterdir(), *tables.iterdir()) if path.name.startswith(".")]


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--rules", "nonsense"), "--rules"),
        (("--rules", "official"), "was exported with --rules auto"),
        (("--where", "nonsense"), "there is no column"),
        (("--where", "1 ="), "is not one condition"),
        (("--csv", ""), "the name of the folder is empty"),
        (("--csv", str(LOG)), "it is no folder"),
    ],
)
def test_wrong_use(data: ta.Dataset, tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    result = tichu(data.path, "--out", tmp_path / "page.html", *args)
    assert result.returncode == 2 and said in result.stderr and "Traceback" not in result.stderr
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("out", ["", "FOLDER", "FOLDER/file/page.html"])
def test_a_page_that_cannot_be_written(data: ta.Dataset, tmp_path: Path, out: str) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    result = tichu(data.path, "--out", out.replace("FOLDER", str(tmp_path)), "--csv", tmp_path / "tables")
    assert result.returncode == 2 and "Traceback" not in result.stderr and result.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["file"]


@pytest.mark.parametrize("path", ["missing.tch", "empty"])
def test_there_is_nothing_to_read(tmp_path: Path, path: str) -> None:
    (tmp_path / "empty").mkdir()
    result = tichu(tmp_path / path, "--out", tmp_path / "page.html")
    assert result.returncode == 2 and "is no data set, and as logs" in result.stderr
    assert not (tmp_path / "page.html").exists()


def test_rules_of_logs(tmp_path: Path) -> None:
    result = tichu(LOG, "--out", tmp_path / "page.html", "--rules", "official")
    assert result.returncode == 0
    assert "official (1 game)" in ReportPage((tmp_path / "page.html").read_text(encoding="utf-8")).text


@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize(("pause", "number"), [(1.0, signal.SIGINT), (3.5, signal.SIGINT), (3.5, signal.SIGTERM)])
def test_an_interruption_leaves_nothing(tmp_path: Path, pause: float, number: signal.Signals) -> None:
    temp = tmp_path / "temp"
    temp.mkdir()
    args = ["--out", str(tmp_path / "page.html"), "--csv", str(tmp_path / "tables")]
    started = subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "report", str(ROOT / "sample_logs" / "games.zip"), *args],
        env=environment() | {"TMPDIR": str(temp)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    time.sleep(pause)
    os.killpg(started.pid, number)
    _, said = started.communicate(timeout=60)
    assert b"Traceback" not in said, said
    assert started.returncode in (128 + number, -number)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["temp"]
    assert not list(temp.glob("tichu*"))


def test_files_are_written_together_or_not_at_all(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("before", encoding="utf-8")
    (tmp_path / "blocked").write_text("x", encoding="utf-8")
    files = {kept: b"after", tmp_path / "new" / "a": b"a", tmp_path / "blocked" / "b": b"b"}
    with pytest.raises(CannotWrite):
        write_files(files)
    assert kept.read_text(encoding="utf-8") == "before"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["blocked", "kept"]
    files.popitem()
    write_files(files)
    assert kept.read_bytes() == b"after" and (tmp_path / "new" / "a").read_bytes() == b"a"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["a", "blocked", "kept", "new"]
