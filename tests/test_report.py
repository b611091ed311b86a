"""Reports: every number is one of the statistics, names do no harm, and there is a page whatever the games are."""

from __future__ import annotations

import base64
import copy
import hashlib
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.report_pages import FIGURES, ReportPage, answers, figures, is_rounded
from tests.test_show import HARMFUL
from tichu_analytics.report.drawing import DRAWN, exact_odds
from tichu_analytics.report.making import Report, collection_report, player_report
from tichu_analytics.report.measure_words import MEASURES
from tichu_analytics.report.names import UnknownPlayer, find_player
from tichu_analytics.report.one_player import condition, player_sections
from tichu_analytics.report.page import report_page
from tichu_analytics.report.plans import SECTIONS
from tichu_analytics.simulate import simulate_games
from tichu_analytics.stats.odds import exact
from tichu_analytics.stats.registry import measures
from tichu_analytics.stats.strength import MEASURE as STRENGTH
from tichu_analytics.view.escape import for_terminal

RECORD = json.loads((ROOT / "sample_logs" / "tgr" / "1001.tgr.json").read_text(encoding="utf-8"))
HEADER = "---------------Gr.Tichukarten------------------"
#: As large as a page of 200 games may be.
MOST_BYTES = 3_000_000
HOSTILE = [
    ("<img src=x onerror=alert(1)>", "</style><script>alert(1)</script>", "x" * 300, "\u05d0\u05d1\u202e|abc\x1b[31m"),
    ("=1+1", "'; drop table hands; --", "a\nb\tc\x00", "$x^2$ \\alpha {{7*7}}"),
    ("-- no", "e\u0301" * 150, "\u200b", "本" * 300),
]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """Games with all kinds of trouble, so that rounds are left out and there are findings."""
    return ta.export(
        [ROOT / "sample_logs" / "games.zip", ROOT / "sample_logs" / "faulty"],
        tmp_path_factory.mktemp("report") / "data",
    )


@pytest.fixture(scope="module")
def page(data: ta.Dataset) -> str:
    return report_page(collection_report(data))


def made(folder: Path, *records: dict[str, Any], logs: tuple[str, ...] = ()) -> ta.Dataset:
    """A data set of records and logs."""
    (folder / "logs").mkdir()
    for number, record in enumerate(records):
        (folder / "logs" / f"{number}.tgr.json").write_text(json.dumps(record), encoding="utf-8")
    for number, log in enumerate(logs):
        (folder / "logs" / f"{number}.tch").write_text(log, encoding="utf-8", newline="\n")
    return ta.export(folder / "logs", folder / "data")


def with_players(*names: str) -> dict[str, Any]:
    record = copy.deepcopy(RECORD)
    record["players"] = list(names)
    return record


# Numbers --------------------------------------------------------------------------------------------------------------


def assert_all_answered(data: ta.Dataset, report: Report) -> int:
    """Every table of the page has the numbers that its commands give; how many tables there are."""
    parsed = ReportPage(report_page(report))
    tables = [one for one in parsed.articles.values() if one.rows]
    for one in tables:
        if not one.commands:
            assert one.key == "data-left-out"
            continue
        wanted = [row for command in one.commands for row in answers(data, command)]
        found = figures(one)
        assert len(found) == len(wanted), one.key
        for numbers, row in zip(found, wanted, strict=True):
            # Of a player beside everybody there is nothing to be drawn to the mean.
            assert numbers == row[: len(numbers)] and len(numbers) >= min(len(row), len(FIGURES)), one.key
        for cell in (cell for cells in one.rows for cell in cells):
            assert cell.text or not cell.is_number
            assert cell.value is None or is_rounded(cell.text, cell.value), (one.key, cell)
    return len(tables)


def test_every_number_of_the_page_is_one_of_the_statistics(data: ta.Dataset) -> None:
    report = collection_report(data)
    assert assert_all_answered(data, report) == sum(len(section.plans) for section in SECTIONS) + 3


def test_so_it_is_under_a_condition(data: ta.Dataset) -> None:
    where = "has(held, 'Dr') -- the Dragon\nor 1 > 2"
    report = collection_report(data, where)
    assert assert_all_answered(data, report) > 20
    parsed = ReportPage(report_page(report))
    assert where in parsed.text and "the condition leaves out" in parsed.text
    # What is told of whole rounds, games and deals cannot be had so, and says it.
    assert "cannot be had with a condition" in parsed.articles["players-ratings"].text
    assert "not set beside hands under a condition" in parsed.articles["odds-bombs"].text
    assert not parsed.articles["results-ranges"].rows and parsed.articles["results-ranges"].text


def test_so_it_is_of_a_player(data: ta.Dataset) -> None:
    report = player_report(data, "Nape")
    assert assert_all_answered(data, report) == sum(len(one.plans) for one in player_sections("Nape", "Nape")) + 3
    parsed = ReportPage(report_page(report))
    games = parsed.articles["player-games"]
    assert [row[0].text for row in games.rows] == ["Nape"] * 4 + ["everybody"] * 4
    frame = ta.stats.players(data, measures=["players.win_rate"])
    n, k = frame.loc[frame["player"] == "Nape", ["n", "k"]].iloc[0]
    assert figures(games)[0][:2] == [n, k]
    assert "the condition leaves out" not in parsed.text


def test_the_numbers_at_the_top(data: ta.Dataset, page: str) -> None:
    info = data.info
    hands = data.sql("select count(distinct player) from hands where player <> ''")
    ((players,),) = list(hands)
    top = [f"{info['games']} games", f"{info['rounds_kept']:,} of {info['rounds']:,} rounds counted"]
    top += [f"{players} players", f"{info['rows']['findings']:,} findings"]
    text = " ".join(ReportPage(page).text.split())
    assert " ".join(top) in text
    left_out = ReportPage(page).articles["data-left-out"]
    assert {row[0].text: row[1].value for row in left_out.rows} == info["rounds_excluded"]
    findings = ReportPage(page).articles["data-findings"]
    counted: dict[str, float] = {}
    for row in findings.rows:
        counted[row[0].text] = counted.get(row[0].text, 0) + (row[3].value or 0)
    assert counted == {code: one["count"] for code, one in info["findings"].items()}


def test_the_exact_odds_beside_what_was_dealt(page: str) -> None:
    odds = {(row.cards, row.event): row.probability for row in exact("bombs") if row.who == "hand"}
    assert exact_odds()["bombs.dealt8_rate"] == odds[8, "a bomb"]
    assert exact_odds()["bombs.dealt_straight_rate"] == odds[14, "straight flush"]
    parsed = ReportPage(page)
    (drawn,) = [one for one in parsed.svg if one["title"] == "A bomb that is dealt"]
    assert "exact odds" in drawn["text"]
    assert parsed.articles["odds-bombs"].head[-2:] == ["exact odds", "standard errors"]


# The page -------------------------------------------------------------------------------------------------------------


def test_nothing_can_leave_the_page(page: str) -> None:
    parsed = ReportPage(page)
    tags = {tag for tag, _ in parsed.elements}
    assert not tags & {"script", "img", "iframe", "object", "embed", "link", "form", "base", "foreignobject", "image"}
    (policy,) = [values["content"] for _, values in parsed.elements if "http-equiv" in values]
    digest = base64.b64encode(hashlib.sha256(parsed.style.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    for tag, values in parsed.elements:
        assert not [name for name in values if name.startswith("on") or name in ("style", "src", "action", "data")], tag
        assert (values.get("href") or "#").startswith("#")
    assert "@import" not in parsed.style and "url(" not in parsed.style
    assert re.findall(r"https?://[^\"' ]*", page.replace("http://www.w3.org/2000/svg", "")) == []


def test_headings_landmarks_names_and_links(page: str) -> None:
    parsed = ReportPage(page)
    ids = [values["id"] for _, values in parsed.elements if "id" in values]
    assert len(ids) == len(set(ids))
    for _, values in parsed.elements:
        for name in ("aria-labelledby", "aria-describedby"):
            assert set((values.get(name) or "").split()) <= set(ids)
        target = values.get("href")
        assert target is None or target[1:] in ids
    levels = [level for level, _ in parsed.headings]
    assert levels[0] == 1 and levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    assert all(words.strip() for _, words in parsed.headings)
    for landmark in ("header", "nav", "main", "footer"):
        assert sum(tag == landmark for tag, _ in parsed.elements) == 1
    skip = next(values for tag, values in parsed.elements if tag == "a")
    assert skip["href"] == "#main"
    assert ("html", {"lang": "en"}) in parsed.elements


def test_each_figure_has_its_words_definition_and_table(page: str) -> None:
    parsed = ReportPage(page)
    with_figures = [one for one in parsed.articles.values() if one.has_figure]
    assert len(with_figures) == len(parsed.svg) == sum(bool(plan.figure) for one in SECTIONS for plan in one.plans)
    for one, drawn in zip(with_figures, parsed.svg, strict=True):
        assert one.has_details and one.rows and one.definitions and one.commands
        assert drawn["title"] == one.title and len(drawn["desc"]) > 40
        names = {name for name in re.findall(r"[a-z]+\.[a-z_0-9]+", " ".join(one.definitions)) if name in measures()}
        rated = one.key == "players-ratings"
        assert names or rated
        assert all(measures()[name].sentence in " ".join(one.definitions) for name in names)
        asked = {name for command in one.commands for name in re.findall(r"[a-z]+\.[a-z_0-9]+", command)}
        assert {name for name in asked if name in measures()} == names
        assert {"n", "games", "from", "to"} <= set(one.head)
        shown = sum(cell.value is not None for row in one.rows for cell in row[-3:-2])
        assert any("intervals of 95 %" in note for note in one.notes) or shown < 20 or rated


def test_the_plans_name_what_there_is() -> None:
    plans = [plan for one in (*SECTIONS, *player_sections("x", "x")) for plan in one.plans]
    keys = [plan.key for plan in plans]
    assert len(set(keys)) == len(keys) and all(re.fullmatch(r"[a-z0-9-]+", key) for key in keys)
    for plan in plans:
        assert plan.figure in ("", *DRAWN)
        for ask in plan.asks:
            assert set(ask.measures) <= set(measures()) and (ask.measures or ask.rating)
    assert set(MEASURES) <= {*measures(), STRENGTH.name}


def test_the_same_games_give_the_same_page(tmp_path: Path) -> None:
    logs = [ROOT / "sample_logs" / "1001.tch", ROOT / "sample_logs" / "faulty"]
    pages = []
    for name in "ab":
        found = ta.export(logs, tmp_path / name)
        pages.append(report_page(collection_report(found)))
    assert pages[0] == pages[1]
    assert str(tmp_path) not in pages[0]


def test_the_page_of_200_games_is_small(page: str) -> None:
    assert 100_000 < len(page.encode()) < MOST_BYTES


# Names ----------------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    """Games of players whose names would do harm if a page took them for anything but text."""
    records = [{**with_players(*names), "id": str(number)} for number, names in enumerate(HOSTILE)]
    return made(tmp_path_factory.mktemp("hostile"), *records)


@pytest.mark.parametrize("name", [None, HOSTILE[0][0], HOSTILE[0][3], HOSTILE[1][2]])
def test_names_do_no_harm(hostile: ta.Dataset, name: str | None) -> None:
    report = collection_report(hostile) if name is None else player_report(hostile, name)
    page = report_page(report)
    parsed = ReportPage(page)
    assert not HARMFUL.search(page.replace("\n", ""))
    assert not {tag for tag, _ in parsed.elements} & {"script", "img", "b"}
    assert not [values for _, values in parsed.elements if any(name.startswith("on") for name in values)]
    assert_rows(parsed)
    if name is None:
        shown = {row[0].text for row in parsed.articles["players-wins"].rows}
        wanted = [for_terminal(name) for name in (*HOSTILE[0], HOSTILE[1][1], HOSTILE[2][3])]
        assert {name if len(name) <= 60 else f"{name[:59]}…" for name in wanted} <= shown
    else:
        assert_all_answered(hostile, report)
        assert for_terminal(name) in parsed.text


def assert_rows(parsed: ReportPage) -> None:
    """Every row of a table has a cell for each heading."""
    assert all(len(row) == len(one.head) for one in parsed.articles.values() for row in one.rows)


def test_a_player_is_found_by_the_exact_name(tmp_path: Path) -> None:
    found = made(
        tmp_path,
        with_players("Anna", "anna ", "O'Neil", "Bert"),
        {**with_players("ANNA", "Carl", "Dora", "Bert"), "id": "2"},
    )
    anna = find_player(found, "Anna")
    assert anna.games == 1 and sorted(name for name, _ in anna.spellings) == ["ANNA", "anna "]
    assert "other spellings" in ReportPage(report_page(player_report(found, "Anna"))).text
    assert find_player(found, "O'Neil").spellings == () and condition("O'Neil") == "player = 'O''Neil'"
    assert player_report(found, "O'Neil").facts[0].text == "1"
    for wanted, hint in (
        ("aNNa", "'Anna'"),
        ("Brt", "did you mean 'Bert'?"),
        ("zzz", "there are 7 others"),
        ("", "there are 7 others"),
        ("x" * 5000, "there are 7 others"),
        ("\x1b\x00", "\\u001b"),
    ):
        with pytest.raises(UnknownPlayer) as trouble:
            find_player(found, wanted)
        assert hint in str(trouble.value) and len(str(trouble.value)) < 300
        assert not HARMFUL.search(str(trouble.value))


# Little or nothing ----------------------------------------------------------------------------------------------------


def without_calls() -> dict[str, Any]:
    """A round in which nobody calls."""
    record = copy.deepcopy(RECORD)
    for one in record["rounds"]:
        one.pop("calls", None)
        for name in list(one):
            if isinstance(one[name], list):
                one[name] = [event for event in one[name] if not (isinstance(event, dict) and "call" in event)]
        one.pop("result", None)
    record["rounds"] = record["rounds"][:2]
    return record


def one_round() -> str:
    return HEADER + next(simulate_games(1, 31)).text.split(HEADER)[1]


def test_one_round(tmp_path: Path) -> None:
    found = made(tmp_path, logs=(one_round(),))
    report = collection_report(found)
    parsed = ReportPage(report_page(report))
    assert found.info["rounds_kept"] == 1 and "1 game with 1 round was read" in parsed.text
    assert_all_answered(found, report)
    assert "a single game" in parsed.text


@pytest.mark.parametrize("log", ["", one_round()[:500]])
def test_nothing_to_be_counted(tmp_path: Path, log: str) -> None:
    found = made(tmp_path, logs=(log,))
    assert not found.info["rounds_kept"]
    parsed = ReportPage(report_page(collection_report(found)))
    assert not parsed.svg and parsed.text.count("There is nothing to be counted here.") >= 4
    assert [words for level, words in parsed.headings if level == 2][:3] == [
        "Contents",
        "Overview and data quality",
        "Tichu calls",
    ]
    with pytest.raises(UnknownPlayer, match="no counted round has a player with a name"):
        player_report(found, "Nape")


def test_no_calls_at_all(tmp_path: Path) -> None:
    found = made(tmp_path, without_calls())
    ((calls, hands),) = list(found.sql("select count(*) filter (call <> 'none'), count(*) from hands"))
    assert (calls, hands) == (0, 8)
    for report, key in (
        (collection_report(found), "call-success"),
        (player_report(found, "Kisam"), "player-call-success"),
    ):
        parsed = ReportPage(report_page(report))
        assert_all_answered(found, report)
        assert parsed.articles[key].text.strip().startswith("How often it is made")
        assert "There is nothing to be counted here." in parsed.articles[key].text
        assert not parsed.articles[key].has_figure


def test_one_player(tmp_path: Path) -> None:
    found = made(tmp_path, with_players("A", "A", "A", "A"))
    assert_rows(ReportPage(report_page(player_report(found, "A"))))
    nobody = tmp_path / "nobody"
    nobody.mkdir()
    found = made(nobody, with_players("", "", "", ""))
    parsed = ReportPage(report_page(collection_report(found)))
    assert "0 players" in " ".join(parsed.text.split())


@pytest.mark.parametrize("tables", [["hands"], ["findings"]])
def test_a_data_set_with_some_tables_only(tmp_path: Path, tables: list[str]) -> None:
    found = ta.export(ROOT / "sample_logs" / "1001.tch", tmp_path / "data", tables=tables)
    parsed = ReportPage(report_page(collection_report(found)))
    assert "exported without the table" in parsed.text
    if "hands" in tables:
        assert parsed.articles["call-rates"].rows
        assert player_report(found, "Kisam").title == "Kisam"
    else:
        with pytest.raises(ValueError, match="no table 'hands'"):
            player_report(found, "Kisam")


@pytest.mark.parametrize(
    ("where", "message"),
    [
        ("nonsense", "there is no column"),
        ("1 = ", "is not one condition"),
        ("seat = 0; drop table hands", "is not one condition"),
        ("(select count(*) from read_csv('/etc/passwd')) > 0", "read_csv"),
    ],
)
def test_a_condition_that_is_none(tmp_path: Path, where: str, message: str) -> None:
    found = ta.export(ROOT / "sample_logs" / "1001.tch", tmp_path / "data")
    with pytest.raises(ValueError, match=message):
        collection_report(found, where)


def test_a_condition_that_leaves_nothing(tmp_path: Path) -> None:
    found = ta.export(ROOT / "sample_logs" / "1001.tch", tmp_path / "data")
    parsed = ReportPage(report_page(collection_report(found, "seat > 7")))
    assert not [one for one in parsed.articles.values() if one.has_figure and one.key.startswith("call")]
