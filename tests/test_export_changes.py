"""Exports into a data set that is there: new, changed and missing logs, other options, damaged and foreign files."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.exporting import PART, months, tree
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.dataset import NoDataset
from tichu_analytics.tables.export import ExportRefused, export_inputs
from tichu_analytics.tables.plan import make_plan

# Parts and changed inputs


def test_a_new_month_leaves_the_other_months_alone(tmp_path: Path):
    logs, out = tmp_path / "logs", tmp_path / "data"
    months(logs, ["201401", "201403", "201404"])
    export_inputs([str(logs)], out)
    inodes = {path.name.partition("-")[2]: path.stat().st_ino for path in (out / "moves").iterdir()}
    assert len(inodes) == 3
    months(logs, ["201402"])
    done = export_inputs([str(logs)], out)
    assert (done.parts_made, done.parts_kept, done.parts_removed) == (1, 3, 0)
    after = {path.name.partition("-")[2]: path.stat().st_ino for path in (out / "moves").iterdir()}
    assert len(after) == 4 and inodes.items() <= after.items()
    # And it is what an export of everything at once gives, the rows in the order of the inputs included.
    export_inputs([str(logs)], tmp_path / "fresh")
    assert tree(out) == tree(tmp_path / "fresh")
    data = ta.Dataset(out)
    assert data.games.to_pandas()["played_month"].drop_duplicates().tolist() == ["201401", "201402", "201403", "201404"]


def test_a_month_that_goes_away_goes_from_the_data_set(tmp_path: Path):
    logs, out = tmp_path / "logs", tmp_path / "data"
    months(logs, ["201401", "201402", "201403"])
    export_inputs([str(logs)], out)
    shutil.rmtree(logs / "201402")
    done = export_inputs([str(logs)], out)
    assert (done.parts_made, done.parts_kept, done.parts_removed) == (0, 2, 1)
    export_inputs([str(logs)], tmp_path / "fresh")
    assert tree(out) == tree(tmp_path / "fresh")


def test_a_changed_log_is_noticed_even_if_name_and_size_stay(tmp_path: Path):
    logs, out = tmp_path / "logs", tmp_path / "data"
    months(logs, ["201401", "201402"])
    export_inputs([str(logs)], out)
    file = sorted((logs / "201402").iterdir())[0]
    stamp = file.stat()
    text = file.read_bytes()
    file.write_bytes(text.replace(b"passt.", b"passT.", 1))
    os.utime(file, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))
    done = export_inputs([str(logs)], out)
    assert (done.parts_made, done.parts_kept) == (1, 1)
    assert "unknown-line" in ta.Dataset(out).info["rounds_excluded"]


def test_tables_can_be_added_but_not_lost(logs: Path, tmp_path: Path, undisturbed):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART, tables=["hands", "rounds"])
    data = ta.Dataset(out)
    assert data.tables == ["rounds", "hands"]
    assert {path.name for path in out.iterdir()} == {"_dataset.json", "rounds", "hands"}
    with pytest.raises(NoDataset, match="no table 'moves'"):
        data.moves  # noqa: B018
    with pytest.raises(ExportRefused, match="rounds"):
        export_inputs([str(logs)], out, part_bytes=PART, tables=["hands"])
    export_inputs([str(logs)], out, part_bytes=PART)
    assert tree(out) == undisturbed


def test_another_data_set_is_not_replaced_unasked(logs: Path, tmp_path: Path):
    out = tmp_path / "data"
    export_inputs([str(logs)], out)
    before = tree(out)
    other = tmp_path / "other.tch"
    other.write_bytes(sorted(logs.glob("[0-9]*.tch"))[0].read_bytes())
    with pytest.raises(ExportRefused, match="--force"):
        export_inputs([str(other)], out)
    with pytest.raises(ExportRefused, match="rule set auto"):
        export_inputs([str(logs)], out, rules="official")
    assert tree(out) == before
    export_inputs([str(other)], out, force=True)
    assert len(ta.Dataset(out).games) == 1


def test_an_export_of_fewer_logs_does_not_drop_the_others_unasked(logs: Path, tmp_path: Path):
    """Refreshing one log of many is no wish to lose the others."""
    out = tmp_path / "data"
    paths = [str(path) for path in sorted(logs.glob("[0-9]*.tch"))]
    export_inputs(paths, out, part_bytes=PART)
    before = tree(out)
    for fewer in (paths[:1], paths[3:5], [*paths[:2], str(logs / "empty.tch")]):
        with pytest.raises(ExportRefused, match=r"not among these, up to 30 games.*name all together"):
            export_inputs(fewer, out)
    assert tree(out) == before
    # One more beside all of them is welcome, and so is the same again.
    more = export_inputs([*paths, str(logs / "empty.tch")], out, part_bytes=PART)
    assert more.parts_removed == 0
    assert len(ta.Dataset(out).games) == 31


def test_the_same_names_in_another_place_are_other_logs(tmp_path: Path, monkeypatch):
    for place, seed in (("a", 1), ("b", 2)):
        folder = tmp_path / place / "logs"
        folder.mkdir(parents=True)
        for game in simulate_games(2, seed):
            (folder / f"{place}{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    monkeypatch.chdir(tmp_path / "a")
    export_inputs(["logs"], "../data")
    monkeypatch.chdir(tmp_path / "b")
    with pytest.raises(ExportRefused, match="not among these"):
        export_inputs(["logs"], "../data")


def test_folders_that_are_named_several_times(tmp_path: Path):
    """The second and third time they have nothing but logs that are not read again; every part has its own files."""
    months(tmp_path / "logs", ["201401"])
    path = str(tmp_path / "logs")
    for jobs in (1, 2):
        out = tmp_path / f"data{jobs}"
        export_inputs([path, path], out, jobs=jobs)
        export_inputs([path, path, path], out, jobs=jobs)
        assert len(ta.Dataset(out).games) == 3
        assert len(list((out / "moves").iterdir())) == 3
        sorted((out / "games").iterdir())[1].unlink()
        export_inputs([path, path, path], out, jobs=jobs)
        assert ta.Dataset(out).validate() == []
    assert tree(tmp_path / "data1") == tree(tmp_path / "data2")


def test_a_lost_manifest_is_told_and_replaced_by_force(logs: Path, tmp_path: Path, undisturbed):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    (out / "_dataset.json").unlink()
    with pytest.raises(ExportRefused, match=r"has tables but no _dataset\.json; .*--force"):
        export_inputs([str(logs)], out, part_bytes=PART)
    export_inputs([str(logs)], out, part_bytes=PART, force=True)
    assert tree(out) == undisturbed


def test_files_of_other_people_among_the_tables_stay(logs: Path, tmp_path: Path):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    (out / "hands" / "2024-report.parquet").write_bytes(b"mine")
    (out / "hands" / "8-y.parquet").mkdir()
    export_inputs([str(logs)], out, part_bytes=PART, force=True)
    assert (out / "hands" / "2024-report.parquet").read_bytes() == b"mine"
    assert (out / "hands" / "8-y.parquet").is_dir()
    assert ta.Dataset(out).validate() == []


KEY = "0123456789abcdef"


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("tables",), 5),
        (("tables",), [[1]]),
        (("tables",), ["hands", "hands"]),
        (("paths",), {}),
        (("paths",), [1]),
        (("rules",), None),
        (("parts",), None),
        (("parts",), [5]),
        (("parts", 0, "key"), "x/../../../victim"),
        (("parts", 0, "key"), "\0"),
        (("parts", 0, "key"), KEY),
        (("parts", 0, "name"), f"../../{KEY}"),
        (("parts", 0, "name"), None),
        (("parts", 0, "games"), float("inf")),
        (("parts", 0, "games"), 777),
        (("parts", 0, "rounds"), -1),
        (("parts", 0, "excluded"), []),
        (("parts", 0, "excluded"), {"\x1b]0;pwned\x07": 3}),
        (("parts", 0, "findings"), {"x": 1}),
        (("parts", 0, "findings"), {"T312": "many"}),
        (("parts", 0, "files"), {"hands": 1}),
        (("parts", 0, "first"), 1),
        (("rows",), {"<script>alert(1)</script>": 3}),
        (("rounds_excluded",), {"<b>": 1}),
        (("schema_version",), "1"),
    ],
)
def test_nothing_in_a_manifest_is_believed_unseen(logs: Path, tmp_path: Path, undisturbed, place, value):
    """Edited by hand, it is refused or what is wrong is made anew; nothing outside of the folder is touched."""
    out = tmp_path / "place" / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    (out / "_unfinished" / "part-x").mkdir(parents=True)
    (tmp_path / "victim.json").write_text("mine")
    info = json.loads((out / "_dataset.json").read_text())
    inner = info
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = value
    (out / "_dataset.json").write_text(json.dumps(info))
    with pytest.raises(NoDataset):
        ta.Dataset(out)
    try:
        export_inputs([str(logs)], out, part_bytes=PART)
    except ExportRefused:
        export_inputs([str(logs)], out, part_bytes=PART, force=True)
    shutil.rmtree(out / "_unfinished")
    assert tree(out) == undisturbed
    assert (tmp_path / "victim.json").read_text() == "mine"


def test_a_pipe_in_the_place_of_the_manifest_is_not_waited_for(logs: Path, tmp_path: Path):
    (tmp_path / "data").mkdir()
    os.mkfifo(tmp_path / "data" / "_dataset.json")
    with pytest.raises(NoDataset):
        ta.Dataset(tmp_path / "data")
    with pytest.raises(ExportRefused):
        export_inputs([str(logs)], tmp_path / "data")


def test_folders_of_other_people_are_left_alone(logs: Path, tmp_path: Path):
    (tmp_path / "games").mkdir()
    (tmp_path / "games" / "mine.parquet").write_bytes(b"mine")
    for force in (False, True):
        with pytest.raises(ExportRefused, match="no export has made"):
            export_inputs([str(logs)], tmp_path, force=force)
    assert tree(tmp_path) == {"games/mine.parquet": b"mine"}


def test_an_unreadable_manifest_is_told_and_replaced_only_by_force(logs: Path, tmp_path: Path, undisturbed):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    for content in (b"", b"[]", b"{}", b"\xff\xfe", b"[" * 100_000):
        (out / "_dataset.json").write_bytes(content)
        with pytest.raises(NoDataset, match="damaged"):
            ta.Dataset(out)
    with pytest.raises(ExportRefused, match="cannot be read"):
        export_inputs([str(logs)], out, part_bytes=PART)
    export_inputs([str(logs)], out, part_bytes=PART, force=True)
    assert tree(out) == undisturbed


def test_a_log_that_changes_between_the_two_readings_is_noticed(tmp_path: Path, monkeypatch):
    months(tmp_path / "logs", ["201401"])

    def plan_then_change(*args, **more):
        plan = make_plan(*args, **more)
        file = next(iter((tmp_path / "logs" / "201401").iterdir()))
        file.write_bytes(file.read_bytes() + b"\n")
        return plan

    monkeypatch.setattr("tichu_analytics.tables.export.make_plan", plan_then_change)
    with pytest.raises(ExportRefused, match="has changed"):
        export_inputs([str(tmp_path / "logs")], tmp_path / "data")
    assert tree(tmp_path / "data") == {}


# Files of many games


def many_games(path: Path, count: int, seed: int = 3) -> list[str]:
    """Writes records, one on each line, and gives the lines."""
    lines = [json.dumps(document_of_log(game.text.encode(), game.game_id)) for game in simulate_games(count, seed)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", newline="\n")
    return lines


@pytest.mark.parametrize("jobs", [1, 2])
def test_parts_that_begin_in_the_middle_of_a_file(tmp_path: Path, jobs: int):
    """The same rows as of the logs one by one; whatever is appended leaves the parts before alone."""
    path, out = tmp_path / "club.tgr.jsonl", tmp_path / "data"
    lines = many_games(path, 12)
    first = export_inputs([str(path)], out, part_bytes=PART, jobs=jobs)
    assert first.parts_made > 3
    parts = first.manifest["parts"]
    assert parts[0]["first"] == str(path) and parts[1]["first"] == f"{path}, line {parts[0]['logs'] + 1}"
    data = ta.Dataset(out)
    for game in simulate_games(12, 3):
        (tmp_path / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    logs = ta.export(sorted(tmp_path.glob("*.tch")), tmp_path / "logs")
    for table in ("rounds", "hands", "tricks", "moves"):
        assert sorted(map(str, data.table(table).to_arrow().to_pylist())) == sorted(
            map(str, logs.table(table).to_arrow().to_pylist())
        )
    assert set(data.games.to_pandas()["path"]) == {str(path)}
    # Made again where something is missing, to the same bytes.
    before = tree(out)
    sorted((out / "moves").iterdir())[2].unlink()
    assert export_inputs([str(path)], out, part_bytes=PART, jobs=jobs).parts_made == 1
    assert tree(out) == before
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(json.dumps(json.loads(lines[0]) | {"id": "one more"}) + "\n")
    more = export_inputs([str(path)], out, part_bytes=PART, jobs=jobs)
    assert more.parts_made == 1 and more.parts_kept >= first.parts_made - 1
    assert len(ta.Dataset(out).games) == 13


def test_a_line_before_the_games_makes_the_parts_anew(tmp_path: Path):
    """Findings tell lines of the file, which are others then."""
    path, out = tmp_path / "club.tgr.jsonl", tmp_path / "data"
    many_games(path, 3)
    export_inputs([str(path)], out)
    path.write_bytes(b"\n" + path.read_bytes())
    done = export_inputs([str(path)], out)
    assert (done.parts_made, done.parts_kept) == (1, 0)


def test_records_are_counted_by_the_rules_that_they_name(tmp_path: Path):
    path = tmp_path / "club.tgr.jsonl"
    rules: list[str | None] = ["bsw", "dodgr", None]
    texts = [
        json.dumps({"tgr": 1, "id": f"{number}", "rounds": []} | ({"rules": name} if name else {}))
        for number, name in enumerate(rules)
    ]
    path.write_text("\n".join(texts), encoding="utf-8")
    log = tmp_path / "log.tch"
    log.write_text(next(simulate_games(1, 1)).text, encoding="utf-8", newline="\n")
    data = ta.export([path, log], tmp_path / "auto")
    assert data.info["rules"] == "auto"
    assert data.info["games_by_rules"] == {"bsw": 2, "dodgr": 1, "official": 1}
    assert data.games.to_pandas()["rules"].tolist() == ["bsw", "dodgr", "official", "bsw"]
    data = ta.export([path, log], tmp_path / "official", rules="official")
    assert data.info["games_by_rules"] == {"official": 4}
