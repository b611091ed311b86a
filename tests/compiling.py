"""The compiled pass for tests: compiled once in a run, whichever process of the run needs it first."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tichu_analytics.bulk.engine import Pass

#: Seconds to wait for another process of this run that compiles.
_PATIENCE = 300


@pytest.fixture(scope="session")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for ``XDG_CACHE_HOME`` that all processes of this run share, in which the compiled pass is kept."""
    if os.environ.get("CI") != "true":
        # In CI its absence is a failure, not a reason to skip.
        pytest.importorskip("numba", reason="the compiled pass needs Numba, an extra")
    from tichu_analytics.bulk.cache import cache_folder, has_code, source_key
    from tichu_analytics.bulk.engine import compiled

    base = tmp_path_factory.getbasetemp()
    home = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "kept"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(home))
        folder = cache_folder(source_key())
    try:
        (home / "taken").mkdir()
    except FileExistsError:
        end = time.monotonic() + _PATIENCE
        while not has_code(folder) and time.monotonic() < end:
            time.sleep(0.5)
    else:
        compiled(folder)
    return home


@pytest.fixture(scope="session")
def compiled_pass(kept: Path) -> Pass:
    """The compiled pass, loaded from where it is kept."""
    from tichu_analytics.bulk.cache import cache_folder, source_key
    from tichu_analytics.bulk.engine import compiled

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(kept))
        folder = cache_folder(source_key())
    return compiled(folder)
