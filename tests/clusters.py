"""What the tests of clusters and object stores share: a scheduler with workers, and a store, both on this machine."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

import pytest

from tests.exporting import environment


@contextmanager
def dask_cluster(folder: Path, workers: int = 2, **more: str) -> Iterator[str]:
    """A scheduler and workers, each a process of one thread, on the loopback; the scheduler's address.

    Args:
        folder: where they write.
        workers: how many.
        more: goes into their environment.
    """
    pytest.importorskip("distributed", reason="needs the extra [cluster]")
    there = folder / "scheduler.json"
    command = [sys.executable, "-m", "dask"]
    where = ["--scheduler-file", str(there), "--no-dashboard"]
    variables = environment() | {"DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "false"} | more
    processes = []
    with (folder / "cluster.txt").open("w") as log:
        for args in (
            ["scheduler", "--host", "127.0.0.1", "--port", "0", *where],
            ["worker", "--host", "127.0.0.1", "--nworkers", str(workers), "--nthreads", "1", *where],
        ):
            processes.append(
                subprocess.Popen([*command, *args], cwd=folder, env=variables, stdout=log, stderr=subprocess.STDOUT)
            )
            until = time.monotonic() + 60
            while not there.exists() and time.monotonic() < until:
                time.sleep(0.05)
        try:
            address = json.loads(there.read_text())["address"]
            with client(address) as one:
                one.wait_for_workers(workers, timeout=60)
            yield address
        finally:
            for process in reversed(processes):
                process.terminate()
            for process in processes:
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()


@contextmanager
def client(address: str) -> Iterator:
    """A connection to a scheduler."""
    from distributed import Client

    with Client(address, timeout=30, set_as_default=False) as one:
        yield one


def worker_pids(address: str) -> list[int]:
    """The processes of the workers that answer."""
    with client(address) as one:
        return [pid for pid in one.run(os.getpid, on_error="return").values() if isinstance(pid, int)]


def await_workers(address: str, count: int = 2) -> None:
    with client(address) as one:
        one.wait_for_workers(count, timeout=60)


@pytest.fixture(scope="module")
def dask_cluster_of_two(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with dask_cluster(tmp_path_factory.mktemp("cluster")) as address:
        yield address


@pytest.fixture
def cluster(dask_cluster_of_two: str) -> str:
    """The address of a scheduler with two workers, whatever the test before did to them."""
    await_workers(dask_cluster_of_two)
    return dask_cluster_of_two


@pytest.fixture(scope="module")
def store() -> Iterator[str]:
    """The URL of an empty bucket in an object store of this machine; the environment leads there, and nowhere else."""
    pytest.importorskip("s3fs", reason="needs the extra [cluster]")
    pytest.importorskip("moto.server", reason="needs moto[server]")
    import s3fs
    from moto.server import ThreadedMotoServer

    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    reset = Request(f"http://{host}:{port}/moto-api/reset", method="POST")
    urlopen(reset, timeout=30).close()  # the store of another module is in the same memory
    with pytest.MonkeyPatch.context() as patch:
        for name in [name for name in os.environ if name.startswith("AWS_")]:
            patch.delenv(name)
        patch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
        patch.setenv("AWS_ACCESS_KEY_ID", "nobody")
        patch.setenv("AWS_SECRET_ACCESS_KEY", "nothing")
        patch.setenv("AWS_DEFAULT_REGION", "us-east-1")
        patch.setenv("AWS_EC2_METADATA_DISABLED", "true")
        s3fs.S3FileSystem.clear_instance_cache()  # another module may have had another store
        system().mkdir("games")
        yield "s3://games"
    server.stop()


def system():
    """The file system of the store."""
    import s3fs

    one = s3fs.S3FileSystem()
    one.invalidate_cache()
    return one


def objects(url: str) -> dict[str, bytes]:
    """All objects below a URL, by their names below it."""
    one = system()
    above = url.partition("://")[2] + "/"
    return {name.removeprefix(above): one.cat_file(name) for name in sorted(one.find(above))}
