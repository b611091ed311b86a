"""Exports: the same files whatever happens on the way, clear words where it cannot be done, ids that stand twice."""

from __future__ import annotations

import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import pytest

import tichu_analytics as ta
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.dataset import NoDataset
from tichu_analytics.tables.export import ExportRefused, export_inputs
from tichu_analytics.tables.files import CannotWrite
from tichu_analytics.tables.plan import make_plan, sources
from tichu_analytics.tables.schema import TABLES

#: Small enough that a few games make several parts.
PART = 60_000

PROGRAM = """
import sys
from tichu_analytics.tables.export import export_inputs
if __name__ == "__main__":
    out, jobs, part, *paths = sys.argv[1:]
    export_inputs(paths, out, jobs=int(jobs), part_bytes=int(part))
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Path:
    """Thirty simulated games in a folder, and some of the kinds of trouble that logs have."""
    folder = tmp_path_factory.mktemp("logs")
    games = list(simulate_games(30, 5))
    for game in games:
        (folder / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    (folder / "broken.tch").write_text(games[0].text[:5000] + "nonsense\n" + games[1].text[:2000], encoding="utf-8")
    (folder / "empty.tch").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("program") / "export_program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def undisturbed(logs: Path, tmp_path_factory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed") / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    return tree(out)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if not path.is_dir()}


def environment() -> dict[str, str]:
    root = Path(__file__).parent.parent
    return os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{root / 'cli'}"}


def run_program(program: Path, out: Path, jobs: int, *paths: Path, part: int = PART) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(program), str(out), str(jobs), str(part), *map(str, paths)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def tichu(*args: object, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", *map(str, args)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **more,
    )


# The same bytes


def test_the_number_of_processes_changes_no_byte(logs: Path, tmp_path: Path, undisturbed):
    parts = [name for name in undisturbed if name.startswith("moves/")]
    assert len(parts) > 5
    assert undisturbed.keys() == {"_dataset.json"} | {
        f"{table}/{name.removeprefix('moves/')}" for table in TABLES for name in parts
    }
    for jobs in (2, 3):
        export_inputs([str(logs)], tmp_path / str(jobs), part_bytes=PART, jobs=jobs)
        assert tree(tmp_path / str(jobs)) == undisturbed


def test_where_the_data_set_lies_changes_no_byte(logs: Path, tmp_path: Path, undisturbed):
    export_inputs([str(logs)], tmp_path / "a" / "b" / "c", part_bytes=PART)
    assert tree(tmp_path / "a" / "b" / "c") == undisturbed


def written(out: Path) -> int:
    """How many files there are in a folder, whole ones and others."""
    return sum(len(files) for _, _, files in os.walk(out))


@pytest.mark.parametrize("jobs", [1, 2])
def test_killed_exports_go_on_to_the_same_bytes(logs: Path, tmp_path: Path, program: Path, undisturbed, jobs: int):
    """SIGKILL at random moments, again and again, before a run comes to its end."""
    rng = random.Random(jobs)
    kills = unfinished = 0
    for turn in range(3):
        out = tmp_path / f"{turn}"
        for _ in range(5):
            process = run_program(program, out, jobs, logs)
            enough = written(out) + rng.randrange(1, 30)
            while process.poll() is None and written(out) < enough:
                time.sleep(0.001)
            time.sleep(rng.uniform(0, 0.03))
            kills += process.poll() is None
            process.send_signal(signal.SIGKILL)
            process.communicate()
            # What is there is a whole data set or none at all.
            if (out / "_dataset.json").exists():
                assert ta.Dataset(out).validate() == []
            else:
                unfinished += any(out.glob("*/*.parquet"))
                with pytest.raises(NoDataset):
                    ta.Dataset(out)
        process = run_program(program, out, jobs, logs)
        assert process.communicate(timeout=120) == ("", "")
        assert tree(out) == undisturbed
    assert kills >= 6
    assert unfinished >= 4


def test_workers_end_with_the_process_that_started_them(logs: Path, tmp_path: Path, program: Path):
    process = run_program(program, tmp_path / "data", 2, logs)
    workers: list[int] = []
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.parent.parent.exists():
        pytest.skip("there is no /proc here that tells the children of a process")
    for _ in range(200):
        time.sleep(0.02)
        workers = [int(word) for word in children.read_text().split()]
        if len(workers) >= 3:  # two workers and what keeps track of them
            break
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert len(workers) >= 2
    for _ in range(200):
        time.sleep(0.05)
        if not any(is_running(pid) for pid in workers):
            return
    raise AssertionError("workers were left running")


def is_running(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


def test_parts_that_are_there_are_not_made_again(logs: Path, tmp_path: Path):
    out = tmp_path / "data"
    first = export_inputs([str(logs)], out, part_bytes=PART)
    stamps = {path: path.stat().st_mtime_ns for path in out.rglob("*.*")}
    again = export_inputs([str(logs)], out, part_bytes=PART)
    assert (again.parts_made, again.parts_kept) == (0, first.parts_made)
    assert {path: path.stat().st_mtime_ns for path in out.rglob("*.*")} == stamps


def test_force_makes_everything_again(logs: Path, tmp_path: Path, undisturbed):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    inodes = {path.stat().st_ino for path in (out / "moves").iterdir()}
    forced = export_inputs([str(logs)], out, part_bytes=PART, force=True)
    assert forced.parts_made == len(inodes)
    assert tree(out) == undisturbed


@pytest.mark.parametrize("harm", ["cut", "gone", "table gone"])
def test_a_damaged_data_set_is_mended_by_the_same_command(logs: Path, tmp_path: Path, undisturbed, harm: str):
    out = tmp_path / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    file = sorted((out / "tricks").iterdir())[2]
    if harm == "cut":
        file.write_bytes(file.read_bytes()[:-10])
    elif harm == "gone":
        file.unlink()
    else:
        shutil.rmtree(out / "tricks")
    with pytest.raises(NoDataset, match="tricks"):
        ta.Dataset(out)
    mended = export_inputs([str(logs)], out, part_bytes=PART)
    assert mended.parts_made == (len(list((out / "moves").iterdir())) if harm == "table gone" else 1)
    assert tree(out) == undisturbed


# Parts and changed inputs


def months(folder: Path, names: list[str], seed: int = 40) -> None:
    """A folder a month, with three games each that depend on the month alone."""
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for game in simulate_games(3, seed + int(name)):
            (folder / name / f"{name}_{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")


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


# No room, no permission


def test_a_full_disk_is_told_and_leaves_nothing_half_written(logs: Path, tmp_path: Path):
    out = tmp_path / "small"
    out.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=150k", "tmpfs", str(out)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip("a small file system can be mounted by root only")
    try:
        for jobs in (1, 2):
            done = tichu("export", logs, "--out", out / "data", "--jobs", jobs)
            assert (done.returncode, done.stdout) == (2, "")
            assert "no space left on device" in done.stderr and "Traceback" not in done.stderr
            assert "cannot write" in done.stderr and str(out) in done.stderr
            assert not [name for name in tree(out) if ".unfinished-" in name]
            with pytest.raises(NoDataset):
                ta.Dataset(out / "data")
    finally:
        subprocess.run(["umount", str(out)], check=True)


def small_files() -> None:
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))


def test_a_file_that_cannot_grow_is_told_and_leaves_nothing_half_written(logs: Path, tmp_path: Path, undisturbed):
    out = tmp_path / "data"
    for _ in range(2):
        done = tichu("export", logs, "--out", out, "--jobs", "1", preexec_fn=small_files)
        assert (done.returncode, done.stdout) == (2, "")
        assert "cannot write" in done.stderr and "file too large" in done.stderr
        assert "Traceback" not in done.stderr
        assert not out.exists() or tree(out) == {}
    export_inputs([str(logs)], out, part_bytes=PART)
    assert tree(out) == undisturbed


@contextmanager
def as_nobody() -> Iterator[None]:
    """Without the rights of root, whom a read-only folder does not stop."""
    if os.geteuid():
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_read_only_folder_is_told_and_left_alone(logs: Path):
    place = Path(tempfile.mkdtemp())
    try:
        log = place / "1.tch"
        log.write_bytes(sorted(logs.glob("[0-9]*.tch"))[0].read_bytes())
        out = place / "data"
        export_inputs([str(log)], out)
        before = tree(out)
        log.write_bytes(log.read_bytes() + b"\n")
        for path in (log, *out.rglob("*")):
            path.chmod(0o555 if path.is_dir() else 0o444)
        out.chmod(0o555)
        place.chmod(0o555)
        with as_nobody():
            with pytest.raises(CannotWrite, match="permission denied"):
                export_inputs([str(log)], out)
            with pytest.raises(CannotWrite, match="permission denied"):
                export_inputs([str(log)], place / "new" / "data")
            assert len(ta.Dataset(out).games) == 1
        assert tree(out) == before
    finally:
        place.chmod(0o755)
        out.chmod(0o755)
        for path in out.rglob("*"):
            path.chmod(0o755)
        shutil.rmtree(place)


def test_a_file_in_the_place_of_the_folder(logs: Path, tmp_path: Path):
    (tmp_path / "data").write_text("mine")
    done = tichu("export", logs, "--out", tmp_path / "data")
    assert done.returncode == 2
    assert "cannot write" in done.stderr and "Traceback" not in done.stderr
    assert tree(tmp_path) == {"data": b"mine"}


def test_two_exports_do_not_write_to_the_same_folder(logs: Path, tmp_path: Path):
    from tichu_analytics.tables.files import locked

    pytest.importorskip("fcntl")
    (tmp_path / "data").mkdir()
    with locked(tmp_path / "data"), pytest.raises(CannotWrite, match="another export"):
        export_inputs([str(logs)], tmp_path / "data")


# Ids that stand several times


def contents(seed: int) -> bytes:
    return next(iter(simulate_games(1, seed))).text.encode()


def short(content: bytes) -> str:
    return sha256(content).hexdigest()[:8]


def exported_ids(paths: list[Path], out: Path) -> list[str]:
    data = ta.export(paths, out)
    ids = data.games.to_pandas()["game_id"].tolist()
    for name in ("rounds", "hands", "moves"):
        assert data.table(name).to_pandas()["game_id"].drop_duplicates().tolist() == ids
    return ids


def test_colliding_ids_in_any_order(tmp_path: Path):
    """The same id with the same content is read once; with other content all of them get a longer one."""
    one, two, three = contents(1), contents(2), contents(3)
    for folder, name, content in (
        ("a", "17.tch", one),
        ("b", "17.tch", two),
        ("c", "17.tch", one),
        ("d", "17.tch", three),
        ("e", "18.tch", three),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(content)
    new = {"a": f"17~{short(one)}", "b": f"17~{short(two)}", "d": f"17~{short(three)}", "e": "18"}
    for turn, order in enumerate(itertools.permutations("abcde")):
        if turn % 7:
            continue
        paths = [tmp_path / name for name in order]
        wanted = [new[name] for name in ["a" if name == "c" else name for name in order]]
        assert exported_ids(paths, tmp_path / f"out{turn}") == list(dict.fromkeys(wanted))


def test_the_same_log_twice_is_one_game(tmp_path: Path):
    (tmp_path / "17.tch").write_bytes(contents(1))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("201402/17.tch", contents(1))
    done = export_inputs([str(tmp_path / "17.tch"), str(tmp_path / "all.zip")], tmp_path / "out")
    data = ta.Dataset(tmp_path / "out")
    assert data.games.to_pandas()["game_id"].tolist() == ["17"]
    assert data.info["inputs"]["logs"] == 2 and data.info["inputs"]["read_once"] == 1
    (same,) = done.same
    assert (same.game_id, same.logs, same.ids) == ("17", 2, ())
    assert same.paths == (str(tmp_path / "17.tch"), f"{tmp_path / 'all.zip'}!/201402/17.tch")


def test_an_id_that_is_just_what_another_log_would_get(tmp_path: Path):
    """A file may be called 17~12345678 itself; ids stay different, whatever the order."""
    one, two, three = contents(1), contents(2), contents(3)
    names = {"17.tch": one, "x/17.tch": two, f"y/17~{short(one)}.tch": three, f"z/17~{short(two)}.tch": two}
    for name, content in names.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    seen = set()
    for turn, order in enumerate(itertools.permutations(names)):
        ids = exported_ids([tmp_path / name for name in order], tmp_path / f"out{turn}")
        assert len(set(ids)) == len(ids) == 3
        seen.add(frozenset(ids))
    assert seen == {frozenset({f"17~{short(one)}", f"17~{short(two)}", f"17~{short(one)}~{short(three)}"})}


def test_contents_with_the_same_beginning_of_their_hash(tmp_path: Path, monkeypatch):
    """Eight hex digits can be made to be the same; then all 64 are taken."""
    from tichu_analytics.formats import ids as module

    class Weak:
        def __init__(self, data: bytes = b"") -> None:
            self.real = sha256(data)

        def update(self, data: bytes) -> None:
            self.real.update(data)

        def digest(self) -> bytes:
            return b"same" + self.real.digest()[4:]

        def hexdigest(self) -> str:
            return self.digest().hex()

    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "17.tch").write_bytes(contents(ord(name)))
    monkeypatch.setattr(module, "sha256", Weak)
    plan = make_plan(sources([str(tmp_path / "a"), str(tmp_path / "b")]), "")
    ids = [str(new) for new in plan.new_ids.values()]
    assert len(set(ids)) == 2 and all(len(name) == 3 + 64 for name in ids)


# The command


def test_the_command_says_what_it_did(logs: Path, tmp_path: Path):
    done = tichu("export", logs, "--out", tmp_path / "data")
    assert (done.returncode, done.stderr) == (0, "")
    assert "moves" in done.stdout and "32 games" in done.stdout
    info = json.loads((tmp_path / "data" / "_dataset.json").read_text())
    assert info["rounds_by_engine"] == {"careful": info["rounds"]}
    assert info["rounds"] - info["rounds_kept"] == sum(info["rounds_excluded"].values()) > 0
    again = tichu("export", logs, "--out", tmp_path / "data")
    assert again.returncode == 0 and "up to date" in again.stdout


def test_unreadable_inputs_do_not_take_the_others_with_them(logs: Path, tmp_path: Path):
    done = tichu("export", tmp_path / "missing", logs, "--out", tmp_path / "data", "--quiet")
    assert (done.returncode, done.stdout) == (2, "")
    assert "missing: no such file or directory" in done.stderr
    data = ta.Dataset(tmp_path / "data")
    assert len(data.games) == 32
    assert data.info["inputs"]["unreadable"] == 1
    with pytest.raises(ta.UnreadableInput):
        ta.export([tmp_path / "missing", logs], tmp_path / "data")


def test_nothing_to_export_makes_no_folder(tmp_path: Path):
    (tmp_path / "empty").mkdir()
    done = tichu("export", tmp_path / "empty", tmp_path / "missing", "--out", tmp_path / "data")
    assert done.returncode == 2
    assert "nothing to export" in done.stderr and "has no logs" in done.stderr
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--tables", "moves,hadns"], "did you mean 'hands'"),
        (["--tables", ","], "names no table"),
        (["--rules", "bws"], "there is no rule set 'bws'"),
        (["--engine", "compiled"], "no compiled engine"),
        (["--jobs", "0"], "--jobs"),
    ],
)
def test_wrong_use(logs: Path, tmp_path: Path, options: list[str], words: str):
    done = tichu("export", logs, "--out", tmp_path / "data", *options)
    assert done.returncode == 2
    assert words in " ".join(done.stderr.replace("\n", " ").split())
    assert not (tmp_path / "data").exists()


def test_standard_input(logs: Path, tmp_path: Path):
    text = sorted(logs.glob("[0-9]*.tch"))[0].read_text(encoding="utf-8")
    done = tichu("export", "-", "--out", tmp_path / "data", input=text)
    assert done.returncode == 0, done.stderr
    assert ta.Dataset(tmp_path / "data").games.to_pandas()["game_id"].tolist() == ["stdin"]


def test_interrupting_leaves_whole_files_and_ends_with_130(logs: Path, tmp_path: Path, undisturbed):
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        process = subprocess.Popen(
            [sys.executable, "-m", "tichu_cli.main", "export", str(logs), "--out", str(out), "--jobs", str(jobs)],
            env=environment(),
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(500):
            if (out / "_unfinished").exists():
                break
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 130, said
        assert said == "tichu: interrupted; no part was complete yet\n"
        assert not [name for name in tree(out) if ".unfinished-" in name]
        with pytest.raises(NoDataset):
            ta.Dataset(out)


def test_names_of_inputs_are_escaped_in_what_is_said(tmp_path: Path):
    bad = tmp_path / "\x1b[31mred\u202e"
    done = tichu("export", bad, "--out", tmp_path / "data")
    assert done.returncode == 2
    assert "\x1b" not in done.stderr and "\u202e" not in done.stderr
    assert "\\u001b" in done.stderr


def test_progress_on_a_terminal(logs: Path, tmp_path: Path):
    """On a terminal a line tells percent, rounds, speed and time left; elsewhere there is nothing of it."""
    pty = pytest.importorskip("pty")
    master, slave = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tichu_cli.main", "export", str(logs), "--out", str(tmp_path / "data"), "--jobs", "1"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=slave,
    )
    os.close(slave)
    shown = b""
    while process.poll() is None or shown[-3:] != b"\x1b[K":
        try:
            shown += os.read(master, 10_000)
        except OSError:  # the other end is closed
            break
    os.close(master)
    process.communicate()
    assert process.returncode == 0
    text = shown.decode()
    assert "rounds/s" in text and " left" in text and "%" in text
    assert text.endswith("\r\x1b[K")
