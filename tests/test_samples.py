"""The sample logs: what is in the folder is what is made, and is as its pages say."""

from __future__ import annotations

import io
import re
import subprocess
import sys
import zipfile
from collections import Counter
from itertools import islice
from pathlib import Path

import pytest

from benchmarks import make_samples
from benchmarks.faulty_logs import FAULTS, make_faulty
from benchmarks.faulty_records import RECORDS
from tests.conftest import ROOT
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.converting import convert_game
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.sources import Input, read_inputs
from tichu_analytics.simulate import SimulatedGame

FOLDER = ROOT / "sample_logs"
LOGS = [*sorted(map(str, FOLDER.glob("*.tch"))), str(FOLDER / "games.zip")]
MADE_AGAIN = 20
LINES = re.compile(
    r"^(?P<path>\S+):(?P<line>\d+): (?P<code>T\d{3}) (?P<name>\S+): .* \[(?P<severity>\w+)\]$", re.MULTILINE
)


@pytest.fixture(scope="module")
def loose() -> list[SimulatedGame]:
    return make_samples.loose_games()


def kept(pattern: str) -> dict[str, bytes]:
    return {path.relative_to(FOLDER).as_posix(): path.read_bytes() for path in FOLDER.glob(pattern) if path.is_file()}


def members() -> list[tuple[str, bytes]]:
    with zipfile.ZipFile(FOLDER / "games.zip") as archive:
        return [(name, archive.read(name)) for name in archive.namelist()]


def checked(paths: list[str], rules: str = "auto") -> list[CheckedGame]:
    games = list(check_paths(paths, rules))
    assert all(isinstance(one, CheckedGame) for one in games), "an input that cannot be read, or an id that is taken"
    return [one for one in games if isinstance(one, CheckedGame)]


# What is made -------------------------------------------------------------------------------------------------------


def test_loose_games_are_as_they_are_made(loose: list[SimulatedGame]) -> None:
    assert kept("*.tch") == make_samples.loose_files(loose)
    assert len(loose) == 12


def test_records_are_as_they_are_made(loose: list[SimulatedGame]) -> None:
    assert kept("tgr/*") == make_samples.record_files(loose)


def test_faulty_games_are_as_they_are_made() -> None:
    assert kept("faulty/*") == make_samples.faulty_files()


def test_the_archive_is_as_it_is_made() -> None:
    """A part of it, since all of it takes long; how well the members are compressed is a matter of the library."""
    made = make_samples.archive_of(islice(make_samples.archived_games(), MADE_AGAIN))
    with zipfile.ZipFile(io.BytesIO(made)) as archive, zipfile.ZipFile(FOLDER / "games.zip") as stored:
        assert [archive.read(name) for name in archive.namelist()] == [data for _, data in members()[:MADE_AGAIN]]
        for one, other in zip(archive.infolist(), stored.infolist(), strict=False):
            assert (one.filename, one.date_time, one.external_attr) == (
                other.filename,
                other.date_time,
                other.external_attr,
            )


def test_the_page_is_as_it_is_made(loose: list[SimulatedGame]) -> None:
    made = make_samples.readme(loose, (FOLDER / "games.zip").read_bytes())
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == made


def test_there_is_nothing_else() -> None:
    folders = {path.name for path in FOLDER.iterdir() if path.is_dir()}
    files = {path.name for path in FOLDER.iterdir() if path.is_file() and path.suffix != ".tch"}
    assert (folders, files) == ({"tgr", "faulty"}, {"README.md", "games.zip"})
    assert sum(path.stat().st_size for path in FOLDER.rglob("*") if path.is_file()) < 3_000_000


def test_a_folder_is_written(tmp_path: Path) -> None:
    make_samples.write_files({"a/b.txt": b"x", "c.txt": b"y"}, tmp_path / "new")
    assert (tmp_path / "new" / "a" / "b.txt").read_bytes() == b"x"
    assert (tmp_path / "new" / "c.txt").read_bytes() == b"y"


# Games without errors -----------------------------------------------------------------------------------------------


def test_the_good_games_have_no_error() -> None:
    program = [sys.executable, "-m", "tichu_cli.main", "check", *LOGS]
    done = subprocess.run(program, capture_output=True, text=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    rounds = re.search(r"in 212 games, ([\d,]+) rounds", done.stdout)
    assert rounds and int(rounds[1].replace(",", "")) > 2000


@pytest.mark.parametrize("rules", ["bsw", "official"])
@pytest.mark.parametrize("what", ["*.tch", "tgr/*.tgr.json"])
def test_nothing_is_found_in_the_loose_games(what: str, rules: str) -> None:
    games = checked(sorted(map(str, FOLDER.glob(what))), rules)
    assert len(games) == 12
    assert all(one.findings == [] and one.clean_rounds == one.rounds for one in games)


def test_every_game_has_an_id_of_its_own() -> None:
    found = [one for one in read_inputs(LOGS) if isinstance(one, Input)]
    assert len({one.game_id for one in found}) == len({one.data for one in found}) == len(found) == 212


def test_the_archive_has_a_folder_for_each_month() -> None:
    places = [re.fullmatch(r"(\d{6})/(\d{4})\.tch", name) for name, _ in members()]
    assert all(places)
    months = [place[1] for place in places if place]
    assert months == sorted(months)
    assert Counter(months) == dict.fromkeys(make_samples.MONTHS, 40)
    ids = [place[2] for place in places if place]
    assert ids == sorted(ids)


def test_records_are_the_loose_games() -> None:
    """As ``tichu convert`` writes them, and back again to the byte."""
    for path in sorted(FOLDER.glob("*.tch")):
        record = FOLDER / "tgr" / f"{path.stem}.tgr.json"
        log = Input(path.name, path.stem, path.read_bytes(), None)
        assert convert_game(log, "tgr.json").data == record.read_bytes()
        back = convert_game(Input(record.name, path.stem, record.read_bytes(), None, "tgr"), "tch")
        assert (back.data, back.dropped, back.added) == (path.read_bytes(), (), ())


# What the pages say -------------------------------------------------------------------------------------------------

#: What a line looks like at which something happens, and the line of the play before it.
LOOKS = {
    "a bomb on one's own trick in place of taking it": (r"\(\d\)\S+:( [SGBR]\S+){4,}", None),
    "a bomb on a bomb": (r"\(\d\)\S+:( [SGBR]\S+){4,}", r"\(\d\)\S+:( [SGBR]\S+){4,}"),
    "a bomb of five cards or more": (r"\(\d\)\S+:(( S\S+){5,}|( G\S+){5,}|( B\S+){5,}|( R\S+){5,})", None),
    "a bomb on the Dragon": (r"\(\d\)\S+:( [SGBR]\S+){4,}", r"\(\d\)\S+: Dr"),
    "the Dragon's trick given to a player who is out": (r"Drache an: \(\d\)\S+", None),
    "Tichu called before the exchange": (r"Tichu: \(\d\)\S+", None),
    "Grand Tichu made": (r"Grosses Tichu: \(\d\)\S+", None),
    "Grand Tichu not made": (r"Grosses Tichu: \(\d\)\S+", None),
    "a double victory with Grand Tichu": (r"Ergebnis: (400 - .*|.* - 400)", None),
    "a double victory": (r"Ergebnis: (0|-?\d00) - (0|-?\d00)", None),
    "a substitute between two rounds": (r"-+Gr\.Tichukarten-+", None),
    "the Dog led with the partner out": (r"\(\d\)\S+: Hu", None),
    "the Dog as the last card": (r"\(\d\)\S+: Hu", None),
    "a wish met with the help of the Phoenix": (r"\(\d\)\S+:.* Ph.*", None),
    "a wish that nobody met": (r"Wunsch:\S+", None),
    "a Phoenix that can be read in two ways": (r"\(\d\)\S+:.* Ph.*", None),
}


def happened() -> dict[str, tuple[int, list[tuple[str, int, int]]]]:
    """The table of the page: by what happened how often it did, and game, round and line of some places."""
    page = (FOLDER / "README.md").read_text(encoding="utf-8")
    table = {}
    for what, times, places in re.findall(r"^\| ([^|`]+) \| (\d+) \| (\d{4}, [\d,; ]+) \|$", page, re.MULTILINE):
        found = [tuple(place.split(", ")) for place in places.split("; ")]
        table[what] = int(times), [(game, int(number), int(line)) for game, number, line in found]
    return table


def test_everything_happens_in_the_loose_games() -> None:
    table = happened()
    assert list(table) == list(make_samples.TOLD.values())
    assert all(times >= len(places) >= 1 for times, places in table.values())


@pytest.mark.parametrize("what", LOOKS)
def test_where_it_happens(what: str) -> None:
    here, before = LOOKS[what]
    for game, number, line in happened()[what][1]:
        data = (FOLDER / f"{game}.tch").read_bytes()
        one = read_game(data, "x", "x").rounds[number - 1]
        assert one.first_line <= line <= one.last_line
        lines = data.decode().splitlines()
        assert re.fullmatch(here, lines[line - 1].strip()), lines[line - 1]
        if before:
            plays = [text.strip() for text in lines[: line - 1] if re.match(r"\(\d\)\S+: ", text)]
            assert re.fullmatch(before, plays[-1]), plays[-1]


def sections() -> dict[str, str]:
    """The blocks of the page on faulty files, by file."""
    page = (FOLDER / "faulty" / "README.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^### (\S+)\n\n.+?\n\n```text\n(.*?)```$", page, re.MULTILINE | re.DOTALL))


def test_each_faulty_file_has_just_the_findings_of_its_page() -> None:
    said = sections()
    assert {f"faulty/{name}" for name in said} == kept("faulty/*").keys() - {"faulty/README.md"}
    found: dict[str, list[tuple[str, ...]]] = {name: [] for name in said}
    for game in checked([str(FOLDER / "faulty")]):
        found[game.path] += [(one.path, str(one.line), one.code, one.name, one.severity) for one in game.findings]
        assert {one.round for one in game.findings} <= {2, None}
    assert {name: LINES.findall(text) for name, text in said.items()} == found
    wanted = {f"{one.file}.tch": (one.code,) for one in FAULTS} | {one.file: one.codes for one in RECORDS}
    assert {name: tuple(f"{one[2]} {one[3]}" for one in some) for name, some in found.items()} == wanted


def test_the_fault_of_a_log_stands_where_it_was_put(loose: list[SimulatedGame]) -> None:
    for fault in FAULTS:
        line = make_faulty(fault).line
        assert f"\n{fault.file}.tch:{line}: {fault.code}: " in f"\n{sections()[f'{fault.file}.tch']}"
