"""What all tests share: the material beside the clone, and how Hypothesis runs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from tests.asking import asker, here
from tests.compiling import compiled_pass, kept
from tests.differing import explained
from tests.exporting import logs, program, undisturbed
from tests.sites import site

__all__ = [
    "asker",
    "compiled_pass",
    "here",
    "kept",
    "logs",
    "program",
    "site",
    "undisturbed",
]  # fixtures of several modules

ROOT = Path(__file__).resolve().parent.parent

# No deadline: the machines that run this are shared, and a slow example is no fault. In CI the examples are the same
# in every run, so that a failure there is the change's own.
settings.register_profile("local", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True, print_blob=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "local")


def pytest_assertrepr_compare(op: str, left: Any, right: Any) -> list[str] | None:
    """What pytest says of two games or rounds that are not equal."""
    return explained(op, left, right)


@pytest.fixture(scope="session")
def root() -> Path:
    """The folder of the project."""
    return ROOT


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder with real logs and made-up games that lies beside a clone of the project.

    A test that asks for it is skipped where the folder is missing, since the project has to work without it. In CI it
    must be there: a skip would let a broken test pass unseen.
    """
    folder = ROOT.parent / "shared"
    if folder.is_dir():
        return folder
    if os.environ.get("CI") == "true":
        pytest.fail(f"the folder {folder.name}/ must lie beside the clone in CI", pytrace=False)
    pytest.skip(f"needs the folder {folder.name}/ beside the clone")
