"""The notebooks are there to be run on logs of one's own, which may have little or nothing of what they ask for.

Each runs here, cell by cell, on a single short game, on a log without any round, on a game of the samples, and on an
archive, named as the notebooks say. What is not to be found is said, no cell ends in an error, and no sentence has a
number that is none.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import re
import shutil
import warnings
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import ROOT
from tests.regenerate_golden import DATA
from tests.regenerate_notebooks import NOTEBOOKS

pytest.importorskip("matplotlib", reason="figures need matplotlib, of the extra [notebook]")

#: The first notebook is about certain games of the samples; the others make a data set of logs, which can be replaced.
GENERAL = [path for path in NOTEBOOKS if not path.name.startswith("01_")]
LOGS = re.compile(r"^logs = .*$", re.MULTILINE)
FOLDER = "../build/notebooks/data"


def shown(value: Any) -> str:
    """What a notebook shows of a value, as HTML or text."""
    html = getattr(value, "_repr_html_", None)
    return str(html() if html is not None else repr(value))


def run(cell: str, names: dict[str, Any]) -> str:
    """Runs a cell as a notebook does; what it prints."""
    tree = ast.parse(cell)
    last = tree.body[-1]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        if isinstance(last, ast.Expr):
            exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)
            value = eval(compile(ast.Expression(last.value), "cell", "eval"), names)
            if value is not None:
                assert shown(value)
        else:
            exec(compile(tree, "cell", "exec"), names)
    return printed.getvalue()


@pytest.mark.parametrize("notebook", GENERAL, ids=lambda path: path.stem[:2])
@pytest.mark.parametrize("log", ["short", "without a round", "sample", "archive"])
def test_logs_with_little_to_find(notebook: Path, log: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tichu_analytics import stats

    logs = tmp_path / "my logs"
    (logs / "201401").mkdir(parents=True)
    if log == "without a round":
        (logs / "empty.tch").write_bytes(b"")
    elif log == "archive":
        logs = ROOT / "sample_logs" / "games.zip"
    else:
        shutil.copy(DATA / "legal.tch" if log == "short" else ROOT / "sample_logs" / "1001.tch", logs / "201401")
    monkeypatch.chdir(ROOT / "notebooks")
    names: dict[str, Any] = {"display": lambda *values: [shown(value) for value in values]}
    replaced = 0
    before = set(stats.measures())
    try:
        for cell in json.loads(notebook.read_text(encoding="utf-8"))["cells"]:
            if cell["cell_type"] != "code":
                continue
            text = "".join(cell["source"])
            own = LOGS.sub(lambda _: f"logs = {str(logs)!r}", text).replace(FOLDER, str(tmp_path / "data"))
            replaced += own != text
            printed = run(own, names)
            assert not re.search(r"\bnan\b|\bNone\b|\bNaT\b|<NA>", printed), printed
    finally:
        for name in set(stats.measures()) - before:
            stats.unregister(name)
    assert replaced == 1
    if log == "without a round":
        assert names["data"].info["rounds"] == 0
