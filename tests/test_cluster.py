"""Work on a Dask cluster: the same bytes as on one machine, whatever happens to a worker, and clear words else."""

from __future__ import annotations

import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

import tichu_analytics as ta
from tests.clusters import (
    await_workers,
    client,
    cluster,
    dask_cluster,
    dask_cluster_of_two,
    objects,
    store,
    system,
    worker_pids,
)
from tests.compiling import kept
from tests.damage import KINDS
from tests.exporting import PART, environment, tichu, tree
from tichu_analytics.bulk import choice
from tichu_analytics.bulk.choice import Wanted
from tichu_analytics.checking import Remark, check_paths
from tichu_analytics.formats.pieces import Files, Ready, Run
from tichu_analytics.formats.places import Input
from tichu_analytics.jobs import checks
from tichu_analytics.jobs import cluster as clusters
from tichu_analytics.jobs.cluster import PYARROW, TICHU, ClusterTrouble, connected
from tichu_analytics.jobs.means import Workers
from tichu_analytics.jobs.processes import Done, Lost, Report
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.export import ExportRefused, export_inputs
from tichu_analytics.tables.files import CannotWrite
from tichu_analytics.tables.store import Store

__all__ = ["cluster", "dask_cluster_of_two", "kept", "store"]  # fixtures

pytest.importorskip("distributed", reason="needs the extra [cluster]")

TABLES = ["games", "rounds", "moves"]


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Games in order and games with damages, the same id twice, and something that cannot be read."""
    folder = tmp_path_factory.mktemp("logs")
    rng = random.Random("cluster")
    for game in simulate_games(24, 7):
        (folder / "good").mkdir(exist_ok=True)
        (folder / "good" / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
        lines = rng.choice(KINDS)(rng, game.text.rstrip("\n").split("\n")).lines
        (folder / f"{game.game_id}.tch").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (folder / "bad.zip").write_bytes(b"PK\x03\x04 and no more")
    return folder


def silent(rounds: int, size: int) -> None:
    pass


# The work itself


def squared(number: int, report: Report) -> int:
    report(number, 10 * number)
    report(0, 1)
    return number * number


def refusing(number: int, report: Report) -> int:
    if number == 3:
        raise CannotWrite("somewhere", "no room")
    return number


def dying(task: tuple[int, str], report: Report) -> int:
    """Ends its own process at number 2, once or always, as running out of memory would."""
    number, folder = task
    if number == 2:
        (Path(folder) / f"{time.monotonic_ns()}").touch()
        if len(list(Path(folder).iterdir())) <= 1 or folder.endswith("always"):
            os.kill(os.getpid(), signal.SIGKILL)
    return number


def slow(number: int, report: Report) -> int:
    time.sleep(0.01)
    return number


def held(task: tuple[int, str], report: Report) -> int:
    """Is held up at number 0 until there is a file."""
    until = time.monotonic() + 60
    while task[0] == 0 and not Path(task[1]).exists() and time.monotonic() < until:
        time.sleep(0.02)
    return task[0]


def test_every_task_is_done_once_and_progress_adds_up(cluster: str) -> None:
    told = [0, 0]

    def report(rounds: int, size: int) -> None:
        told[0] += rounds
        told[1] += size

    with connected(cluster) as one:
        ends = list(one.run(iter(range(20)), squared, report))
    assert sorted((end.task, end.result) for end in ends if isinstance(end, Done)) == [(n, n * n) for n in range(20)]
    assert told == [190, 1920]


def test_an_error_of_the_work_comes_back_as_it_was(cluster: str) -> None:
    with connected(cluster) as one, pytest.raises(CannotWrite) as caught:
        list(one.run(range(10), refusing, silent))
    assert str(caught.value) == "cannot write somewhere: no room"


def test_a_task_whose_worker_was_killed_is_done_by_another(cluster: str, tmp_path: Path) -> None:
    with connected(cluster) as one:
        ends = list(one.run([(n, str(tmp_path)) for n in range(5)], dying, silent))
    assert sorted(end.result for end in ends if isinstance(end, Done)) == [0, 1, 2, 3, 4]
    assert len(list(tmp_path.iterdir())) == 2


def test_a_task_that_kills_every_worker_costs_only_itself(cluster: str, tmp_path: Path) -> None:
    folder = tmp_path / "always"
    folder.mkdir()
    with connected(cluster) as one:
        ends = list(one.run([(n, str(folder)) for n in range(8)], dying, silent, tries=1))
        lost = {end.task[0] for end in ends if isinstance(end, Lost)}
        # Others that waited for the same workers may have been lost with it; alone they come through.
        assert 2 in lost
        again = list(one.run([(n, str(tmp_path)) for n in sorted(lost)], dying, silent, most=1))
    done = [end.result for end in ends + again if isinstance(end, Done)]
    assert sorted(done) == list(range(8))


@pytest.mark.parametrize("window", [2, 5])
def test_the_reader_does_not_run_ahead_of_a_slow_task(cluster: str, tmp_path: Path, window: int) -> None:
    asked = 0
    go = tmp_path / "go"

    def tasks():
        nonlocal asked
        for number in range(30):
            asked += 1
            yield number, str(go)

    results = []
    with connected(cluster) as one:
        for end in one.run(tasks(), held, silent, window=window):
            assert isinstance(end, Done)
            results.append(end.result)
            if 0 not in results:
                assert asked <= 2 * window
            if len(results) == 2 * window - 2:  # one more may wait behind the slow one
                go.touch()
    assert sorted(results) == list(range(30))
    assert results.index(0) >= 2 * window - 2


def test_leaving_early_cancels_what_is_under_way(cluster: str) -> None:
    with connected(cluster) as one, closing(one.run(range(1, 100), slow, silent)) as ends:
        next(ends)
    with client(cluster) as two:
        until = time.monotonic() + 20
        while any(two.processing().values()) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(two.processing().values())


# Checks


def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "BATCH_BYTES", 30_000)


@pytest.mark.parametrize("with_course", [False, True])
def test_a_check_finds_the_same(cluster: str, logs: Path, monkeypatch: pytest.MonkeyPatch, with_course: bool) -> None:
    small_batches(monkeypatch)
    paths = [str(logs), "gone.tch"]
    expected = list(check_paths(paths, with_course=with_course))
    assert len(expected) > 48
    assert list(check_paths(paths, with_course=with_course, scheduler=cluster)) == expected


def test_the_command_writes_the_same(cluster: str, logs: Path, tmp_path: Path) -> None:
    args = ("check", logs, "--format", "json")
    one, two = tichu(*args), tichu(*args, "--scheduler", cluster)
    assert (one.returncode, one.stdout, one.stderr) == (two.returncode, two.stdout, two.stderr)
    export = ("export", logs, "--out", tmp_path / "data", "--tables", ",".join(TABLES))
    one = tichu(*export)
    files = tree(tmp_path / "data")
    two = tichu(*export, "--force", "--scheduler", cluster)
    assert tree(tmp_path / "data") == files
    assert (two.returncode, two.stderr) == (one.returncode, one.stderr)
    assert two.stdout.splitlines()[:-1] == one.stdout.splitlines()[:-1]


@pytest.mark.parametrize("times", [1, 3])
def test_workers_that_are_killed_cost_nothing(
    cluster: str, logs: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    small_batches(monkeypatch)
    expected = list(check_paths([str(logs)]))
    found = []
    killed = 0
    for number, one in enumerate(check_paths([str(logs)], scheduler=cluster)):
        found.append(one)
        if number in range(30, 30 + times):
            pid = worker_pids(cluster)[0]
            os.kill(pid, signal.SIGKILL)
            killed += 1
            await_workers(cluster)
    assert killed == times
    assert found == expected


def test_a_game_that_ends_every_worker_is_named_at_the_end(tmp_path: Path, logs: Path) -> None:
    """The workers read a module that ends them at a certain game."""
    (tmp_path / "deadly.py").write_text(
        "import os\n"
        "from tichu_analytics import checking\n"
        "real = checking.check_game\n"
        "def check_game(one, rules):\n"
        "    if b'END-ALL' in one.data:\n"
        "        os._exit(3)\n"
        "    return real(one, rules)\n"
        "checking.check_game = check_game\n"
    )
    paths = []
    for number, game in enumerate(simulate_games(4, 9)):
        paths.append(tmp_path / f"{number}.tch")
        text = game.text.replace("Schupfen:", "Schupfen:\nEND-ALL", 1) if number == 2 else game.text
        paths[-1].write_text(text, newline="\n")
    whole = environment()["PYTHONPATH"]
    more = {
        "PYTHONPATH": f"{tmp_path}{os.pathsep}{whole}",
        "DASK_DISTRIBUTED__WORKER__PRELOAD": "deadly",
        "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "0",
    }
    with dask_cluster(tmp_path, 1, **more) as address:
        done = tichu("check", *paths, "--scheduler", address, "--format", "json")
    assert done.returncode == 2
    assert done.stderr == f"tichu: {paths[2]}: every worker that checked the game ended before it was done\n"
    here = tichu("check", *paths[:2], *paths[3:], "--format", "json")
    assert done.stdout == here.stdout


# The compiled engine, and what workers read themselves


def put(logs: Path, url: str) -> list[str]:
    """Puts logs into a store, loose and in an archive; their URLs."""
    with zipfile.ZipFile(logs / "good.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for path in sorted((logs / "good").iterdir()):
            packed.write(path, f"200801/{path.name}")
    one = system()
    for path in logs.rglob("*"):
        if path.is_file():
            one.pipe_file(f"{url[5:]}/{path.relative_to(logs)}", path.read_bytes())
    return [f"{url}/good.zip", url]


@pytest.mark.parametrize("engine", ["auto", "compiled"])
def test_workers_read_what_lies_at_urls(
    store: str, kept: Path, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Wanted
) -> None:
    """They check and export it with the compiled engine as well; this machine only names it."""
    small_batches(monkeypatch)
    copy = tmp_path / "copy"
    shutil.copytree(logs, copy)
    paths = put(copy, f"{store}/read-{engine}")
    expected = list(check_paths(paths, engine="careful"))
    export_inputs(paths, tmp_path / "data", part_bytes=PART, tables=TABLES, engine="careful")
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    # The logs are too few then for what decides by itself.
    monkeypatch.setattr(choice, "WORTH_LOADING", 1 << 30)
    sent = []
    real = Workers.run

    def run(self: Workers, tasks: Iterable[checks.Task], work: Any) -> Any:
        return real(self, (sent.append(task.piece) or task for task in tasks), work)  # type: ignore[func-returns-value]

    monkeypatch.setattr(Workers, "run", run)
    with dask_cluster(tmp_path) as address:
        assert list(check_paths(paths, engine=engine, scheduler=address)) == expected
        out = f"{store}/tables-{engine}"
        done = export_inputs(paths, out, part_bytes=PART, tables=TABLES, engine=engine, scheduler=address)
    assert {Run, Files} <= {type(piece) for piece in sent}
    assert not any(isinstance(one, Input) for piece in sent if isinstance(piece, Ready) for _, one in piece.inputs)
    here, there = tree(tmp_path / "data"), objects(out)
    assert set(here) == set(there)
    # The manifest tells who has replayed how many rounds.
    assert {name for name in here if here[name] != there[name]} <= {"_dataset.json"}
    assert ("compiled" in done.manifest["rounds_by_engine"]) == (engine == "compiled")


def test_workers_without_numba_go_on_without(
    logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, local: dict[str, bytes]
) -> None:
    small_batches(monkeypatch)
    (tmp_path / "hide.py").write_text("import sys\nsys.modules['numba'] = None\n")
    whole = environment()["PYTHONPATH"]
    more = {"PYTHONPATH": f"{tmp_path}{os.pathsep}{whole}", "DASK_DISTRIBUTED__WORKER__PRELOAD": "hide"}
    expected = list(check_paths([str(logs)]))
    with dask_cluster(tmp_path, 2, **more) as address:
        found = list(check_paths([str(logs)], engine="compiled", scheduler=address))
        out = tmp_path / "data"
        export_inputs([str(logs)], out, part_bytes=PART, tables=TABLES, engine="compiled", scheduler=address)
    assert tree(out) == local
    said = [one for one in found if one not in expected]
    assert [one for one in found if one in expected] == expected
    (remark,) = said
    assert isinstance(remark, Remark)
    words = "the compiled engine cannot be used (Numba is not installed); the work goes on without it"
    assert remark.text == f"on the worker {socket.gethostname()}: {words}"


def test_what_workers_cannot_read_is_read_here(
    store: str, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They have no rights there; an export says so, and a check goes on."""
    small_batches(monkeypatch)
    copy = tmp_path / "copy"
    shutil.copytree(logs, copy)
    paths = put(copy, f"{store}/mine")
    expected = list(check_paths(paths))
    (tmp_path / "home").mkdir()
    more = {"AWS_ACCESS_KEY_ID": "", "AWS_SECRET_ACCESS_KEY": "", "HOME": str(tmp_path / "home")}
    with dask_cluster(tmp_path, 1, **more) as address:
        found = list(check_paths(paths, scheduler=address))
        with pytest.raises(ExportRefused, match=r"could be read, and then could not \(.*credentials"):
            export_inputs(paths, tmp_path / "data", part_bytes=PART, tables=TABLES, scheduler=address)
    said = [one for one in found if one not in expected]
    assert [one for one in found if one in expected] == expected
    (remark,) = said
    assert isinstance(remark, Remark)
    assert remark.text.startswith("a worker cannot read ") and "credentials" in remark.text


# Exports


@pytest.fixture(scope="module")
def local(logs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("local") / "data"
    export_inputs([str(logs)], out, part_bytes=PART, tables=TABLES)
    return tree(out)


def test_an_export_writes_the_same_bytes(
    cluster: str, logs: Path, tmp_path: Path, local: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the workers are somewhere else
    done = export_inputs([str(logs)], "data", part_bytes=PART, tables=TABLES, scheduler=cluster)
    assert tree(tmp_path / "data") == local
    again = export_inputs([str(logs)], "data", part_bytes=PART, tables=TABLES, scheduler=cluster)
    assert (again.parts_made, again.parts_kept) == (0, done.parts_made)


def test_an_export_of_which_a_worker_is_killed(
    cluster: str, logs: Path, tmp_path: Path, local: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    noted = []
    real = Store.note

    def note(self: Store, info: dict) -> None:
        real(self, info)
        noted.append(info)
        if len(noted) in (1, 4):
            os.kill(worker_pids(cluster)[-1], signal.SIGKILL)
            await_workers(cluster)

    monkeypatch.setattr(Store, "note", note)
    export_inputs([str(logs)], tmp_path / "data", part_bytes=PART, tables=TABLES, scheduler=cluster)
    assert len(noted) > 6
    assert tree(tmp_path / "data") == local


def test_an_export_by_workers_to_an_object_store(
    store: str, logs: Path, tmp_path: Path, local: dict[str, bytes]
) -> None:
    with dask_cluster(tmp_path) as address:  # with the store in its environment
        out = f"{store}/by-workers"
        export_inputs([str(logs)], out, part_bytes=PART, tables=TABLES, scheduler=address)
        assert objects(out) == local
        with pytest.raises(CannotWrite, match="bucket does not exist"):
            export_inputs([str(logs)], "s3://no-such-bucket/x", part_bytes=PART, scheduler=address)


def test_a_folder_that_a_worker_has_to_itself(
    cluster: str, logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.path.abspath
    other = tmp_path / "other"
    for table in TABLES:
        (other / table).mkdir(parents=True)
    # As if another folder were at this path on the worker's machine.
    there = {str(tmp_path / "data"): str(other)}
    monkeypatch.setattr(os.path, "abspath", lambda path: there.get(str(path)) or real(path))
    with pytest.raises(ExportRefused, match=r"a worker has written .*data.*, and it is not there"):
        export_inputs([str(logs)], tmp_path / "data", part_bytes=PART, tables=TABLES, scheduler=cluster)
    assert list((other / "moves").iterdir())


# Clusters that cannot be reached, or are not right


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("127.0.0.1:9", "no Dask scheduler answers at 127.0.0.1:9 ([Errno 111] Connection refused)"),
        ("tls://no-such-host.invalid:8786", "no Dask scheduler answers at tls://no-such-host.invalid:8786 ("),
        ("nonsense", "'nonsense' is no address of a scheduler, such as tcp://host:8786"),
        ("strange://x:1", "'strange://x:1' is no address of a scheduler"),
        ("127.0.0.1:22x", "'127.0.0.1:22x' is no address of a scheduler"),
    ],
)
def test_a_scheduler_that_is_not_there(root: Path, tmp_path: Path, address: str, said: str) -> None:
    begun = time.monotonic()
    with pytest.raises(ClusterTrouble) as caught, connected(address):
        pass
    assert said in str(caught.value) and "\n" not in str(caught.value)
    assert time.monotonic() - begun < 30
    if address != "nonsense":
        return
    log = root / "sample_logs" / "1001.tch"
    for args in (("check", log), ("export", log, "--out", tmp_path / "data")):
        done = tichu(*args, "--scheduler", address)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"tichu: {caught.value}\n")
    assert not (tmp_path / "data").exists()


@pytest.mark.parametrize("answer", [b"", b"SSH-2.0-other\r\n" + bytes(100), b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_something_else_that_listens_there(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> None:
    monkeypatch.setattr(clusters, "_PATIENCE", 2)
    taken = []

    def serve() -> None:
        with suppress(OSError):
            while True:
                taken.append(listener.accept()[0])
                if answer:
                    taken[-1].sendall(answer)
                    taken[-1].close()

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        address = f"127.0.0.1:{listener.getsockname()[1]}"
        begun = time.monotonic()
        said = rf"answers at {address} (\(timed out|is no Dask)"
        with pytest.raises(ClusterTrouble, match=said), connected(address):
            pass
        assert time.monotonic() - begun < 20
        listener.shutdown(socket.SHUT_RDWR)
    thread.join(10)
    for one in taken:
        one.close()


def test_other_versions_are_told(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import distributed

    with monkeypatch.context() as patch:
        patch.setattr(ta, "__version__", "9.9")
        with pytest.raises(ClusterTrouble, match=r"the worker \S+ has tichu_analytics .*, and here it is 9.9"):
            list(ta.check("sample_logs", scheduler=cluster))
    with monkeypatch.context() as patch:
        patch.setattr(distributed, "__version__", "1.0")
        said = r"the scheduler at \S+ runs distributed .*, and here it is 1.0; install the same"
        with pytest.raises(ClusterTrouble, match=said):
            list(ta.check("sample_logs", scheduler=cluster))
    with pytest.raises(ClusterTrouble, match=r"cannot load no_such_package"):
        clusters._compare("x", "no_such_package:__version__", "1", ImportError("no_such_package"))
    # A worker that has come later says it when it gets its first task.
    with connected(cluster, (PYARROW,)) as one:
        assert set(one._versions) == {TICHU, PYARROW}
        one._versions[PYARROW] = "1.2.3"
        with pytest.raises(ClusterTrouble, match=r"has pyarrow .*, and here it is 1.2.3"):
            list(one.run([1], squared, silent))


def test_workers_without_this_package(tmp_path: Path) -> None:
    """They have Dask alone; so has the scheduler."""
    (tmp_path / "hide.py").write_text("import sys\nsys.modules['tichu_analytics'] = None\n")
    more = {"PYTHONPATH": str(tmp_path), "DASK_DISTRIBUTED__WORKER__PRELOAD": "hide"}
    with dask_cluster(tmp_path, 1, **more) as address:
        done = tichu("check", Path(__file__).parent.parent / "sample_logs" / "1001.tch", "--scheduler", address)
        assert done.returncode == 2
        assert "cannot load tichu_analytics" in done.stderr and done.stderr.count("\n") == 1
        with client(address) as one:
            later = clusters.Cluster(one, address, {TICHU: ta.__version__})
            with pytest.raises(ClusterTrouble, match="a worker cannot load what the work needs"):
                list(later.run([1], squared, silent))


def test_a_cluster_without_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clusters, "_ALONE", 0.5)
    monkeypatch.setattr(clusters, "_LOOK", 0.2)
    there = tmp_path / "scheduler.json"
    with dask_cluster(tmp_path, 1) as address:
        assert there.exists()
        with client(address) as one:
            one.retire_workers()
        with pytest.raises(ClusterTrouble, match="has no workers"):
            list(ta.check("sample_logs/1001.tch", scheduler=address))


def test_a_scheduler_that_goes_away(logs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small_batches(monkeypatch)
    monkeypatch.setattr(clusters, "_PATIENCE", 2)
    with dask_cluster(tmp_path, 1) as address:
        with client(address) as one:
            pid = one.run_on_scheduler(os.getpid)
        with pytest.raises(ClusterTrouble, match=r"gone away|does not answer|was lost"):
            for number, _ in enumerate(check_paths([str(logs)], scheduler=address)):
                if number == 30:
                    os.kill(pid, signal.SIGKILL)


@pytest.mark.skipif(os.name != "posix", reason="this system has no signals of that kind")
def test_ctrl_c_cancels_what_is_under_way(cluster: str, logs: Path, tmp_path: Path) -> None:
    program = (
        "import sys\n"
        "from tichu_analytics.tables import export\n"
        "real = export.Store.note\n"
        "def note(self, info):\n"
        "    real(self, info)\n"
        "    print('noted', flush=True)\n"
        "export.Store.note = note\n"
        "export.PART_BYTES = 60_000\n"
        "export.export_inputs.__kwdefaults__['part_bytes'] = 60_000\n"
        "from tichu_cli.main import run\n"
        "run()\n"
    )
    args = ["export", str(logs), "--out", str(tmp_path / "data"), "--scheduler", cluster]
    with subprocess.Popen(
        [sys.executable, "-c", program, *args],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "noted\n"
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert errors.startswith("tichu: interrupted; ") and errors.count("\n") == 1
    with client(cluster) as one:
        until = time.monotonic() + 20
        while any(one.processing().values()) and time.monotonic() < until:
            time.sleep(0.05)
        assert not any(one.processing().values())
