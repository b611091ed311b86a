"""The notebooks: all of them run, and give what is saved in them.

Outputs are compared to the letter, figures as well: their SVG does not depend on the machine, and constraints.txt pins
the libraries that have a say in it. After an intended change: ``python -m tests.regenerate_notebooks``.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.regenerate_notebooks import (
    METADATA,
    NOTEBOOKS,
    UnfitNotebook,
    executed,
    must_be_lasting,
    source,
    text_of,
    tree,
)

NAMES = [path.stem for path in NOTEBOOKS]
MOST_BYTES = 1_000_000
#: A number that is a result, such as 61 % or 0.14; counts of cards and the like are written in words or stand in code.
FIGURE = re.compile(r"\d+(\.\d+)? ?%|\b0\.\d+|\b\d{2,},?\d* (calls|hands|games|rounds|bombs)\b")
#: Those that are no results: the level of intervals, what is true of any deal or game, and how to read a remark.
KNOWN = {"95 %", "100 %", "50 %"}

Cell = Any


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with tree(tmp_path_factory.mktemp("notebooks")) as found:
        yield found


@cache
def cells(name: str) -> list[Cell]:
    found: list[Cell] = source(NOTEBOOKS[NAMES.index(name)]).cells
    return found


def words(name: str) -> str:
    return "\n".join(cell.source for cell in cells(name) if cell.cell_type == "markdown")


def test_there_are_five() -> None:
    assert [name[:2] for name in NAMES] == ["01", "02", "03", "04", "05"]


@pytest.mark.parametrize("name", NAMES)
def test_it_gives_what_is_saved(name: str, place: Path, record_property: Callable[[str, object], None]) -> None:
    path = NOTEBOOKS[NAMES.index(name)]
    start = time.monotonic()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the libraries that talk to the kernel; a warning in a cell is an error
        now = executed(path, place)
    record_property("seconds", round(time.monotonic() - start, 1))
    for new, old in zip(now.cells, cells(name), strict=True):
        assert new.get("outputs") == old.get("outputs"), f"{name}, cell {old.id}"
    assert text_of(now) == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", NAMES)
def test_every_cell_answers_a_question_in_words(name: str) -> None:
    kinds = [cell.cell_type for cell in cells(name)]
    assert kinds[0] == "markdown" and kinds[-1] == "markdown"
    for at, cell in enumerate(cells(name)):
        if cell.cell_type == "code":
            before, after = cells(name)[at - 1], cells(name)[at + 1]
            assert before.cell_type == after.cell_type == "markdown"
            assert re.fullmatch(r"## .+\?", before.source), before.source
            assert not after.source.startswith("#") and after.source.endswith(".")
            assert "\n#" not in cell.source and not cell.source.startswith("#")
    assert len({cell.id for cell in cells(name)}) == len(kinds)


@pytest.mark.parametrize("name", NAMES)
def test_what_stands_in_words_stays_true(name: str) -> None:
    assert "All games here are simulated" in cells(name)[0].source
    text = words(name)
    assert {match[0] for match in FIGURE.finditer(text)} <= KNOWN
    for command in re.findall(r"`tichu ([^`]*)`", text):
        verb, *rest = command.split()
        assert verb in {"explain", "export", "rules", "schema"} and len(rest) < 2
    for file in re.findall(r"\bdocs/\w+\.md", text):
        assert (ROOT / file).is_file()


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_a_machine_is_saved(name: str) -> None:
    path = NOTEBOOKS[NAMES.index(name)]
    raw = json.loads(path.read_text(encoding="utf-8"))
    assert raw["metadata"] == METADATA
    assert path.stat().st_size < MOST_BYTES
    code = [cell for cell in raw["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    for cell in raw["cells"]:
        assert cell["metadata"] == {}
        for output in cell.get("outputs", ()):
            assert output["output_type"] in {"execute_result", "display_data", "stream"}
            assert not output.get("metadata")
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"(?<![\w.])/(home|root|tmp|Users|work)/|[A-Z]:\\\\", text)


def test_all_outputs_are_seen(place: Path) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": "<object object at 0x7f0000000000>"}
    for changes in (
        {},
        {"text": f"{place.parent}/data"},
        {"text": f"{ROOT}/README.md"},
        {"name": "stderr", "text": "!"},
    ):
        with pytest.raises(UnfitNotebook, match="x, cell 1"):
            must_be_lasting({**output, **changes}, "x", "1", place)
    shown = {"output_type": "display_data", "data": {"text/html": "<x at 0x00>"}, "metadata": {}}
    with pytest.raises(UnfitNotebook):
        must_be_lasting(shown, "x", "1", place)
    must_be_lasting({**output, "text": "../build/notebooks/data"}, "x", "1", place)


# What the notebooks say in words about the games, counted without them ----------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    logs = ROOT / "sample_logs"
    return ta.export([*sorted(logs.glob("*.tch")), logs / "games.zip"], tmp_path_factory.mktemp("notebook") / "data")


def test_a_rank_of_which_one_keeps_a_card_makes_no_four(data: ta.Dataset) -> None:
    # 04: of gifts from a pair only straight flushes remain.
    (found,) = data.sql("""
        select count(*) from exchanges as e
        join hands as g on (g.game_id, g.round, g.seat) = (e.game_id, e.round, e.giver)
        join hands as r on (r.game_id, r.round, r.seat) = (e.game_id, e.round, e.receiver)
        where count_rank(g.dealt, rank) >= 2 and count_rank(r.held, rank) = 4 and rank between 2 and 14
    """)
    assert found == (0,)


def test_gains_and_differences_that_cancel(data: ta.Dataset) -> None:
    # 03 and 04: both teams with a bomb; aces gained over all seats.
    worth = ta.stats.bombs(data, by=["opponent_bomb"], measures=["bombs.score_difference"])
    assert worth[worth["opponent_bomb"]]["k"].sum() == 0
    assert ta.stats.exchange(data, by=["call"], measures=["exchange.aces_gained"])["k"].sum() == 0


def test_shares_that_add_up(data: ta.Dataset) -> None:
    # 04: each direction of the heat map, and what becomes of each special card.
    given = ta.stats.exchange(data, measures=["exchange.given_rate"])
    received = ta.stats.exchange(data, measures=["exchange.received_rate"])
    for frame, column in ((given, "passed_to"), (received, "received_from")):
        assert all(frame.groupby(column, observed=True)["estimate"].sum().sub(1).abs() < 1e-9)
    to_right = given[given["passed_to"] == "right"].set_index("card")["k"]
    from_left = received[received["received_from"] == "left"].set_index("card")["k"]
    assert to_right.to_dict() == from_left.to_dict()
    for card in ("dog", "mah_jong", "phoenix", "dragon"):
        kept = ta.stats.exchange(data, measures=[f"exchange.{card}_given_rate"])
        assert abs(kept["estimate"].sum() - 1) < 1e-9


def test_rounds_get_fewer(data: ta.Dataset) -> None:
    # 05: the n-th rounds.
    counts = [
        n for _, n in data.sql("select round, count(*) from rounds where round <= 8 group by round order by round")
    ]
    assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1]


def test_the_finding_is_where_the_notebook_looks() -> None:
    # 01: one finding, in a round, of a wish that could have been met.
    found = ta.Findings(ta.check(ROOT / "sample_logs" / "faulty" / "wish_ignored.tch"))
    assert isinstance(found, tuple) and [(one.code, one.round) for one in found] == [("T312", 2)]
    assert "no findings" in ta.Findings()._repr_html_()


# Exported -----------------------------------------------------------------------------------------------------------

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("width", [390, 1400])
def test_an_exported_notebook_plays_without_a_server(tmp_path: Path, width: int) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    page = exported(NOTEBOOKS[0], tmp_path)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": width, "height": 900})
        trouble = troubles(tab)
        tab.goto(page.as_uri())
        frames = [frame for frame in tab.frames if frame is not tab.main_frame]
        assert len(frames) == 2
        for frame in frames:
            assert frame.evaluate("document.documentElement.scrollWidth <= innerWidth")
            slider = frame.locator("#slider")
            slider.focus()
            said = []
            for _ in range(5):
                said.append(frame.locator("#said").text_content())
                tab.keyboard.press("ArrowRight")
            assert slider.evaluate("one => Number(one.value)") == 5
            assert len(set(said)) > 3
        frames[1].locator("#finding-on").click()
        assert "T312" in (frames[1].locator("#here").text_content() or "")
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.close()
    assert trouble == []


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("name", NAMES[1:])
def test_figures_of_an_exported_notebook_have_words_and_fit_a_phone(tmp_path: Path, name: str) -> None:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    page = exported(NOTEBOOKS[NAMES.index(name)], tmp_path)
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 390, "height": 844})
        trouble = troubles(tab)
        tab.goto(page.as_uri())
        pictures = tab.locator("img").evaluate_all(
            "all => all.map(one => [one.alt, one.naturalWidth, one.getBoundingClientRect().right])"
        )
        browser.close()
    assert len(pictures) > 0
    for words, width, right in pictures:
        assert len(words) > 40 and ": " in words
        assert width > 0 and right <= 390
    assert trouble == []


def troubles(tab: Any) -> list[str]:
    """Collects errors of a page, and whatever it asks of a network."""
    found: list[str] = []
    tab.on("pageerror", lambda error: found.append(str(error)))
    tab.on("console", lambda said: found.append(said.text) if said.type == "error" else None)
    tab.on("request", lambda request: None if request.url.startswith(("file:", "data:")) else found.append(request.url))
    return found


def exported(path: Path, folder: Path) -> Path:
    """A notebook as the command in the guide writes it."""
    guide = (ROOT / "docs" / "show.md").read_text(encoding="utf-8")
    (command,) = re.findall(r"^ {4}jupyter (nbconvert .*) notebooks/\*\.ipynb$", guide, re.MULTILINE)
    call = [sys.executable, "-m", *command.split(), "--log-level=ERROR", "--output-dir", str(folder), str(path)]
    own = {"JUPYTER_PLATFORM_DIRS": "1", "JUPYTER_CONFIG_DIR": str(folder), "IPYTHONDIR": str(folder / "ipython")}
    subprocess.run(call, check=True, timeout=120, capture_output=True, env={**os.environ, **own})
    return folder / f"{path.stem}.html"
