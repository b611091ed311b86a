"""The site of the guides, built once for all tests of a process."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


def needs(module: str) -> None:
    """Skips a test where a module of the extra ``docs`` is not installed, except in CI, where everything is."""
    if importlib.util.find_spec(module) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{module} must be installed in CI: pip install '.[docs]'", pytrace=False)
        pytest.skip(f"needs {module}: pip install '.[docs]'")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built with every warning an error."""
    needs("mkdocs")
    folder = tmp_path_factory.mktemp("site")
    done = build(ROOT, folder)
    assert (done.returncode, done.stdout, warnings(done.stderr)) == (0, "", [])
    return folder


def build(root: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    """Builds the site of a tree into a folder, as ``make docs`` does: without ``--quiet``, which hides warnings."""
    return subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
        cwd=root,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def warnings(text: str) -> list[str]:
    """What a build has told beside its progress."""
    return [line for line in text.splitlines() if line.strip() and not line.startswith("INFO ")]
