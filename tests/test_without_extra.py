"""What is said where the extra for clusters and URLs is not installed, and that nothing of it is loaded unasked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.exporting import environment

EXTRA = "which is not installed: pip install 'tichu_analytics[cluster]'\n"


def without(module: str, *args: object) -> subprocess.CompletedProcess[str]:
    """The command where a module cannot be imported; at its end it says what it has loaded."""
    program = (
        f"import sys; sys.modules[{module!r}] = None\n"
        "from tichu_cli.main import run\n"
        "try: run()\n"
        "finally:\n"
        "    for name in ('dask', 'distributed', 'fsspec', 's3fs', 'botocore', 'aiohttp'):\n"
        "        if sys.modules.get(name): print('loaded', name)\n"
    )
    return subprocess.run(
        [sys.executable, "-c", program, *map(str, args)],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("verb", ["check", "export", "query"])
@pytest.mark.parametrize("module", ["fsspec", "s3fs"])
def test_a_url(root: Path, verb: str, module: str) -> None:
    if module == "s3fs":
        pytest.importorskip("fsspec", reason="needs fsspec, without s3fs")
    url = "s3://bucket/games"
    log = root / "sample_logs" / "1001.tch"
    args = {"check": (url,), "export": (log, "--out", url), "query": (url, "select 1")}[verb]
    done = without(module, verb, *args)
    assert done.returncode == 2
    assert done.stderr.startswith("tichu: ") and done.stderr.count("\n") == 1
    assert url in done.stderr and done.stderr.endswith(f"needs {module}, {EXTRA}")


@pytest.mark.parametrize("verb", ["check", "export"])
def test_a_scheduler(root: Path, tmp_path: Path, verb: str) -> None:
    log = root / "sample_logs" / "1001.tch"
    out = ("--out", tmp_path / "data") if verb == "export" else ()
    done = without("distributed", verb, log, *out, "--scheduler", "127.0.0.1:9")
    assert done.returncode == 2
    assert done.stderr == f"tichu: work on a cluster needs distributed, {EXTRA}"
    assert not (tmp_path / "data").exists()


def test_nothing_of_it_is_loaded_unasked(root: Path, tmp_path: Path) -> None:
    log = root / "sample_logs" / "1001.tch"
    for args in (("check", log, "--jobs", "2"), ("export", log, "--out", tmp_path / "data", "--jobs", "1")):
        done = without("nothing", *args)
        assert done.returncode == 0, done.stderr
        assert "loaded" not in done.stdout
