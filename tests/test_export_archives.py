"""Exports of archives: what is read of them, and that nothing depends on it."""

from __future__ import annotations

import gzip
import json
import shutil
import struct
import zipfile
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.exporting import PART, tree
from tests.test_pieces import entries
from tichu_analytics.formats import zips
from tichu_analytics.formats.tgr.convert import document_of_log
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.export import ExportRefused, export_inputs
from tichu_analytics.tables.plan import make_plan, sources


def month(folder: Path, name: str, games: int = 6) -> Path:
    path = folder / f"{name}.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for game in simulate_games(games, int(name)):
            file.writestr(f"{name}_{game.game_id}.tch", game.text)
    return path


@pytest.fixture
def inflated(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the members that are inflated by this process."""
    names: list[str] = []
    real = zips._content

    def content(file, entry, shift, budget):
        names.append(entry.name())
        return real(file, entry, shift, budget)

    monkeypatch.setattr(zips, "_content", content)
    return names


def test_only_what_is_new_is_inflated(tmp_path: Path, inflated: list[str]):
    logs, out = tmp_path / "logs", tmp_path / "data"
    logs.mkdir()
    for name in ("201401", "201402", "201404"):
        month(logs, name)
    first = export_inputs([str(logs)], out, part_bytes=PART)
    assert len(inflated) == len(set(inflated)) == 18  # each once, for the rows
    inflated.clear()
    assert export_inputs([str(logs)], out, part_bytes=PART).parts_made == 0
    assert inflated == []
    month(logs, "201403")
    done = export_inputs([str(logs)], out, part_bytes=PART)
    assert done.parts_kept == first.parts_made and done.parts_made > 1
    assert len(inflated) == 6 and all(name.startswith("201403_") for name in inflated)
    assert done.manifest["inputs"]["logs"] == 24
    export_inputs([str(logs)], tmp_path / "fresh", part_bytes=PART, jobs=2)
    assert tree(out) == tree(tmp_path / "fresh")


def test_a_log_that_changes_makes_its_part_anew(tmp_path: Path):
    path, out = month(tmp_path, "201401"), tmp_path / "data"
    before = export_inputs([str(path)], out, part_bytes=PART)
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    name = next(iter(members))
    members[name] = members[name].replace(b"passt.", b"passT.", 1)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for key, data in members.items():
            file.writestr(key, data)
    done = export_inputs([str(path)], out, part_bytes=PART)
    assert (done.parts_made, done.parts_kept) == (1, before.parts_made - 1)


def test_only_logs_with_the_same_id_are_compared(tmp_path: Path, inflated: list[str]):
    one = month(tmp_path, "201401")
    (tmp_path / "x").mkdir()
    two = tmp_path / "x" / "more.zip"
    with zipfile.ZipFile(one) as file, zipfile.ZipFile(two, "w") as more:
        names = file.namelist()
        more.writestr(names[0], file.read(names[0]))
        more.writestr(names[1], file.read(names[2]))
    plan = make_plan(sources([str(one), str(two)]), "")
    assert sorted(inflated) == sorted([*names[:2]] * 2)
    assert plan.new_ids[6] is None
    assert str(plan.new_ids[1]).startswith(f"{names[1][:-4]}~") and plan.new_ids[1] != plan.new_ids[7]
    done = export_inputs([str(one), str(two)], tmp_path / "data")
    ids = ta.Dataset(tmp_path / "data").games.to_pandas()["game_id"].tolist()
    assert len(ids) == 7 and {plan.new_ids[1], plan.new_ids[7]} < set(ids)
    assert [same.logs for same in done.same] == [2, 2]


def odd_members(folder: Path) -> Path:
    """Two archives; in the second one some members are not what they seem: a record, a packed log, a damaged one."""
    month(folder, "201401", 12)
    path = folder / "201402.zip"
    games = list(simulate_games(24, 8))
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for number, game in enumerate(games):
            data = game.text.encode()
            if number == 9:
                data = json.dumps(document_of_log(data, "own")).encode()
            elif number == 10:
                data = gzip.compress(data)
            file.writestr(f"b{number:02}.tch", data)
    raw = bytearray(path.read_bytes())
    raw[entries(bytes(raw))[12] + 16] ^= 1
    path.write_bytes(bytes(raw))
    return path


@pytest.mark.parametrize("jobs", [1, 2])
def test_members_that_are_not_what_they_seem(tmp_path: Path, jobs: int, inflated: list[str]):
    """They are found when they are read, and all is as if they had been known; other parts are not made again."""
    logs, out = tmp_path / "logs", tmp_path / "data"
    logs.mkdir()
    odd_members(logs)
    done = export_inputs([str(logs)], out, part_bytes=PART, jobs=jobs)
    assert [trouble.message for trouble in done.troubles] == ["is damaged: its size or checksum is wrong"]
    assert done.manifest["inputs"]["logs"] == 35 and done.manifest["games"] == 35
    ids = ta.Dataset(out).games.to_pandas()["game_id"].tolist()
    wanted = ["own" if number == 9 else f"b{number:02}" for number in range(24) if number != 12]
    assert ids[12:] == wanted
    before = tree(out)
    # What is there is recognised, although the directory alone would not tell all of it.
    again = export_inputs([str(logs)], out, part_bytes=PART, jobs=jobs)
    assert again.parts_made == 0 and tree(out) == before
    # Parts in which everything is what it seems are the same as if the directory had been believed.
    trusted = make_plan(sources([str(logs)]), "x", PART)
    looked_into = make_plan(sources([str(logs)], None, {1 << 56}), "x", PART)
    keys = [{part.key for part in plan.parts} for plan in (trusted, looked_into)]
    assert len(keys[0] & keys[1]) >= len(keys[0]) - 2 > 4
    export_inputs([str(logs)], tmp_path / "fresh", part_bytes=PART, jobs=3 - jobs)
    assert tree(out) == tree(tmp_path / "fresh")


def test_an_archive_that_is_all_right_but_for_what_it_says(tmp_path: Path):
    """Sizes that are too large for the archive, and an encrypted member: it is read, and the good logs are there."""
    path = month(tmp_path, "201401")
    raw = bytearray(path.read_bytes())
    struct.pack_into("<L", raw, entries(bytes(raw))[1] + 24, 0x7FFFFFFF)
    struct.pack_into("<H", raw, entries(bytes(raw))[2] + 8, 1)
    path.write_bytes(bytes(raw))
    done = export_inputs([str(path)], tmp_path / "data", jobs=2, part_bytes=PART)
    assert [trouble.message for trouble in done.troubles] == [
        "is damaged: its size or checksum is wrong",
        "is encrypted",
    ]
    assert len(ta.Dataset(tmp_path / "data").games) == 4


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_archive_that_changes_meanwhile_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jobs: int):
    path = month(tmp_path, "201401")
    other = month(tmp_path, "201402", 7)

    def plan_then_change(*args, **more):
        plan = make_plan(*args, **more)
        shutil.copy(other, path)
        return plan

    monkeypatch.setattr("tichu_analytics.tables.export.make_plan", plan_then_change)
    with pytest.raises(ExportRefused, match=r"201401\.zip has changed"):
        export_inputs([str(path)], tmp_path / "data", jobs=jobs)
    assert tree(tmp_path / "data") == {}


def test_what_goes_to_a_process_is_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import pickle

    from tichu_analytics.jobs.processes import run as real

    for game in simulate_games(6, 3):
        (tmp_path / f"{game.game_id}.tch").write_text(game.text)
    path = month(tmp_path, "201401")
    sizes = []

    def run(tasks, *more):
        for task in tasks:
            sizes.append(len(pickle.dumps(task)))
            yield from real(iter([task]), *more)

    monkeypatch.setattr("tichu_analytics.tables.export.run", run)
    done = export_inputs([str(tmp_path)], tmp_path / "data")
    assert done.manifest["games"] == 12 and len(sizes) == 2
    assert path.exists() and max(sizes) < 3_000
