"""Exports that cannot be written: clear words, and nothing left half-written."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.exporting import PART, tichu, tree
from tichu_analytics.tables.dataset import NoDataset
from tichu_analytics.tables.export import export_inputs
from tichu_analytics.tables.files import CannotWrite

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

    pytest.importorskip("fcntl", reason="this system has no locks on folders")
    (tmp_path / "data").mkdir()
    with locked(tmp_path / "data"), pytest.raises(CannotWrite, match="another export"):
        export_inputs([str(logs)], tmp_path / "data")
