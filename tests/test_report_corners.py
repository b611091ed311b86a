"""Reports in corners: names of blanks, counts of one, files that want each other's place, an interruption anywhere."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.exporting import environment
from tests.report_pages import ReportPage
from tests.test_report import assert_all_answered, made, one_round, with_players
from tests.test_report_cli import LOG, tichu
from tichu_analytics.report.labels import counted_rows, measure_label
from tichu_analytics.report.making import collection_report, player_report
from tichu_analytics.report.measure_words import BELOW, MEASURES
from tichu_analytics.report.names import UnknownPlayer, find_player
from tichu_analytics.report.page import report_page
from tichu_analytics.report.words import label
from tichu_analytics.tables.walls import failure

#: One of something, told as if there were several.
PLURAL_OF_ONE = re.compile(
    r"(?<![\d.,\u2212-])\b1 (?:(?:seat-|team-)?(?:games|rounds|rows|players|others|wishes|things|groups|intervals)\b"
    r"|row of a single game each|more with the same n are|of the rounds are|of \d+ games are)"
)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    return ta.export(LOG, tmp_path_factory.mktemp("corners") / "data")


@pytest.mark.parametrize("name", ["   ", "\u3000", "\u0301\u0301\u0301", "everybody", "None", "nan", "\u200b"])
def test_names_that_hardly_are_some(tmp_path: Path, name: str) -> None:
    """A page about a player tells the player from everybody, whatever the name is."""
    found = made(tmp_path, with_players(name, "B", "C", "D"))
    report = player_report(found, name)
    assert report.title.strip()
    assert_all_answered(found, report)
    for one in ReportPage(report_page(report)).articles.values():
        if one.head and one.head[0] == "whose":
            whose = {row[0].text for row in one.rows}
            assert len(whose) == 2 and all(text.strip() for text in whose)
            assert "player" not in one.head


@pytest.mark.parametrize("kind", ["round", "game", "no calls"])
def test_one_is_told_in_the_singular(tmp_path: Path, kind: str) -> None:
    logs = (one_round(),) if kind == "round" else (LOG.read_text(encoding="utf-8"),)
    found = made(tmp_path, logs=logs)
    name = next(iter(found.sql("select min(player) from hands")))[0]
    where = "call = 'none'" if kind == "no calls" else None
    for report in (collection_report(found, where), player_report(found, name, where)):
        text = " ".join(re.sub(r"<(?!/?(?:strong|bdi|b)\b)[^>]*>", "\n", report_page(report)).split(" "))
        assert not PLURAL_OF_ONE.findall(text)


def test_counted_rows() -> None:
    assert [counted_rows(1, name) for name in ("rounds", "seat-rounds", "Tichu calls")] == [
        *("1 round", "1 seat-round", "1 Tichu calls"),
    ]
    assert counted_rows(1, "rounds with a wish") == "1 round with a wish"
    assert counted_rows(1234, "rounds with a wish") == "1,234 rounds with a wish"


def test_one_other_player(tmp_path: Path) -> None:
    with pytest.raises(UnknownPlayer, match=r"there is no player 'zzzz'; there is 1 other$"):
        find_player(made(tmp_path, with_players("A", "A", "A", "A")), "zzzz")


def test_counts_in_figures_have_marks_between_thousands_and_n_stays_small(tmp_path: Path) -> None:
    from tichu_analytics.report.along import _short

    assert [_short(n) for n in (999, 1000, 9999, 10_000, 2_500_000)] == ["999", "1,000", "9,999", "10k", "2.5M"]
    page = report_page(collection_report(made(tmp_path, logs=(one_round(),))))
    assert "n counts" in page and "N counts" not in page


def test_each_measure_has_its_words_in_one_place() -> None:
    for name, words in MEASURES.items():
        assert words.alone or words.below
        assert label(name) == (words.below or words.alone)
        assert not words.alone or measure_label(name) == words.alone
    assert set(BELOW) <= set(MEASURES)


@pytest.mark.parametrize("where", ["", " \n "])
@pytest.mark.parametrize("player", [None, "Kisam"])
def test_an_empty_condition_is_none(data: ta.Dataset, where: str, player: str | None) -> None:
    with pytest.raises(ValueError, match="the condition is empty"):
        if player is None:
            collection_report(data, where)
        else:
            player_report(data, player, where)


@pytest.mark.parametrize(
    ("out", "tables"),
    [("t/call-rates.csv", "t"), ("t/X.CSV", "t"), ("same", "same"), ("page.html", "page.html/t"), ("log.tch", "t")],
)
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_no_file_takes_the_place_of_another(tmp_path: Path, out: str, tables: str, force: list[str]) -> None:
    log = tmp_path / "log.tch"
    log.write_bytes(LOG.read_bytes())
    result = tichu(log, "--out", tmp_path / out, "--csv", tmp_path / tables, *force)
    assert result.returncode == 2 and f"cannot write {tmp_path / out}" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["log.tch"] and log.read_bytes() == LOG.read_bytes()


def test_a_page_beside_the_tables(data: ta.Dataset, tmp_path: Path) -> None:
    result = tichu(data.path, "--player", "Kisam", "--out", tmp_path / "t" / "page.html", "--csv", tmp_path / "t")
    assert result.returncode == 0 and (tmp_path / "t" / "page.html").exists()
    assert (tmp_path / "t" / "player-games.csv").exists()


def test_an_interruption_that_duckdb_tells_as_an_error_of_its_own() -> None:
    """Ctrl-C may come while DuckDB asks Python for the schema of a table."""
    for text in (
        "Invalid Input Error: reading the schema of the object registered as 'moves' failed: KeyboardInterrupt: ",
        "Invalid Input Error: Python exception occurred: KeyboardInterrupt: \n\nAt:\n  x.py(1): schema",
        "KeyboardInterrupt",
    ):
        with pytest.raises(KeyboardInterrupt):
            failure(ValueError(text))
    for text in ("Could not convert string 'a: KeyboardInterrupt' to INT32", 'no column ": KeyboardInterrupt:"'):
        assert "KeyboardInterrupt" in str(failure(ValueError(text)))


def holds_back_ctrl_c(_: int, __: object) -> bool:
    """Work of a worker: whether Ctrl-C has been held back from it since it began."""
    return signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="signals as on POSIX")
def test_ctrl_c_is_for_no_worker_not_even_while_the_first_one_starts() -> None:
    code = (
        "from tests.test_report_corners import holds_back_ctrl_c as work\n"
        "from tichu_analytics.jobs.processes import run_apart\n"
        "print([done.result for done in run_apart([1, 2, 3, 4], work, 2, lambda *_: None)])"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env=environment(),
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (result.stdout, result.returncode) == ("[True, True, True, True]\n", 0), result.stderr


def test_words_of_a_page_do_not_part_over_paper() -> None:
    style = (ROOT / "tichu_analytics" / "report" / "pages" / "report.css").read_text(encoding="utf-8")
    paper = style[style.index("@media print") :]
    assert re.search(r"\.text \{ break-inside: avoid; \}", paper)
