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
    must_be_what_jupyter_writes,
    run,
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


def test_opening_a_notebook_changes_nothing() -> None:
    # Jupyter puts in what the kernel says, and marks the notebook as changed if that is something else.
    told = METADATA["language_info"]
    must_be_what_jupyter_writes({**told, "version": "3.12.1"}, "x")
    for other in ({"name": "python"}, {**told, "file_extension": ".txt"}, {**told, "more": 1}):
        with pytest.raises(UnfitNotebook, match="x: Jupyter would put"):
            must_be_what_jupyter_writes(other, "x")


def test_games_of_your_own(place: Path) -> None:
    # What the notebooks say to change, for a folder in which there is one game.
    (place / "my_logs").mkdir()
    shutil.copy(ROOT / "sample_logs" / "1003.tch", place / "my_logs")
    for path in NOTEBOOKS[1:]:
        notebook = source(path)
        assert '`logs = "my_logs"`' in " ".join(words(path.stem).split())
        (first, *_) = (cell for cell in notebook.cells if cell.cell_type == "code")
        first.source, n = re.subn(r"^logs = .*$", 'logs = "my_logs"', first.source, flags=re.MULTILINE)
        assert n == 1 and '"../build/notebooks/data"' in first.source
        first.source = first.source.replace("notebooks/data", "notebooks/my_data")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            run(notebook, place)


@pytest.mark.parametrize("name", NAMES)
def test_no_output_is_nothing_where_scripts_and_pictures_are_left_out(name: str) -> None:
    """Pages that only show notebooks take out frames, styles and inline SVG; an untrusted notebook is no other."""
    for cell in cells(name):
        for output in cell.get("outputs", ()):
            if output.output_type == "stream":
                continue
            html = re.sub(r"<(style|iframe|svg|script)\b.*?</\1>", "", output.data["text/html"], flags=re.DOTALL)
            alts = re.findall(r'<img [^>]*\balt="([^"]+)"', html)
            assert alts or re.sub(r"<[^>]*>", "", html).strip(), cell.id
            assert len(alts) == html.count("<img") and "at 0x" not in output.data["text/plain"]
            assert not output.data["text/plain"].startswith("<ReportFigure")


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


#: What docs/show.md says to add, so that the page asks nothing of a network: there are no formulas and no modules.
QUIET = ("--HTMLExporter.mathjax_url=", "--HTMLExporter.require_js_url=")

#: Where a page of a notebook is asked for what it shows, outputs and not the page itself.
SHOWN = """() => ({
  wide: document.documentElement.scrollWidth > innerWidth,
  beyond: [...document.images].filter(one => one.getBoundingClientRect().right > innerWidth).length,
  mute: [...document.images].filter(one => one.alt.length < 40 || !one.naturalWidth).length,
  images: document.images.length,
  instead: [...document.querySelectorAll(".tichu-instead")].filter(one => one.offsetHeight).length,
  tall: [...document.querySelectorAll(".finding dt")].filter(one => one.offsetHeight > 40).length,
})"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra 'browser'")
    with playwright.sync_playwright() as running:
        opened = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


def opened(browser: Any, page: Path, width: int) -> tuple[Any, list[str], list[str]]:
    """A page in a tab without a network, with its errors and the addresses that it asks for."""
    tab = browser.new_page(viewport={"width": width, "height": 900})
    trouble: list[str] = []
    asked: list[str] = []
    tab.on("pageerror", lambda error: trouble.append(str(error)))

    def refuse(route: Any) -> None:
        asked.append(route.request.url)
        route.abort()

    tab.route(re.compile("^http"), refuse)
    tab.goto(page.as_uri())
    return tab, trouble, asked


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
@pytest.mark.parametrize("width", [390, 1400])
def test_an_exported_notebook_plays_without_a_server(tmp_path: Path, browser: Any, width: int) -> None:
    tab, trouble, asked = opened(browser, exported(NOTEBOOKS[0], tmp_path, QUIET), width)
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
    seen = tab.evaluate(SHOWN)
    assert (seen["wide"], seen["instead"], seen["tall"]) == (False, 0, 0)
    # What stands there in the place of a player is seen as soon as there is none.
    tab.evaluate("document.querySelectorAll('iframe').forEach(one => one.remove())")
    assert tab.evaluate(SHOWN)["instead"] == 2
    assert trouble == [] and asked == []


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_exported_figures_fit_and_can_be_read_to_somebody(tmp_path: Path, browser: Any) -> None:
    tab, trouble, asked = opened(browser, exported(NOTEBOOKS[2], tmp_path, QUIET), 390)
    seen = tab.evaluate(SHOWN)
    assert (seen["wide"], seen["beyond"], seen["mute"], seen["images"]) == (False, 0, 0, 7)
    assert trouble == [] and asked == []


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_what_an_export_asks_for_without_these_options(tmp_path: Path, browser: Any) -> None:
    # Should that be nothing one day, the options need not be told.
    _, _, asked = opened(browser, exported(NOTEBOOKS[4], tmp_path), 1400)
    assert asked
    guide = (ROOT / "docs" / "show.md").read_text(encoding="utf-8")
    assert all(option in guide for option in QUIET)


def exported(path: Path, folder: Path, options: tuple[str, ...] = ()) -> Path:
    """A notebook as ``jupyter nbconvert --to html`` writes it."""
    call = [
        *(sys.executable, "-m", "nbconvert", "--log-level=ERROR", "--to", "html"),
        *("--output-dir", str(folder), *options, str(path)),
    ]
    own = {"JUPYTER_PLATFORM_DIRS": "1", "JUPYTER_CONFIG_DIR": str(folder), "IPYTHONDIR": str(folder / "ipython")}
    subprocess.run(call, check=True, timeout=120, capture_output=True, env={**os.environ, **own})
    return folder / f"{path.stem}.html"
