"""A file or folder whose name is empty, as an unset variable of a shell leaves it, is told as such by every verb.

Python takes an empty path for the current folder, which would be read, or written into, without anybody having meant
it. Each command runs in a folder that is a data set, where that would go unnoticed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest
import typer

from tests.regenerate_golden import DATA
from tichu_analytics.tables.export import export_inputs
from tichu_cli.main import VERBS

LOG = str(DATA / "legal.tch")
#: What stands for files and folders in the help.
METAVARS = {"DATA", "DIR", "FILE", "FILE.html", "FILE.py", "IN", "OUT", "PATH", "[DATA]"}
#: The command with an empty name for each argument and option that names a file or folder.
CASES = {
    "check PATH": ["check", ""],
    "check --census": ["check", LOG, "--census", ""],
    "show PATH": ["show", ""],
    "show --html": ["show", LOG, "--html", ""],
    "export PATH": ["export", "", "--out", "new"],
    "export --out": ["export", LOG, "--out", ""],
    "stats DATA": ["stats", ""],
    "stats --measures-from": ["stats", ".", "--measures-from", ""],
    "report DATA": ["report", "", "--out", "new.html"],
    "report --out": ["report", ".", "--out", ""],
    "report --csv": ["report", ".", "--out", "new.html", "--csv", ""],
    "query DATA": ["query", "", "SELECT 1"],
    "convert IN": ["convert", "", "new.tgr.json"],
    "convert OUT": ["convert", LOG, ""],
    "simulate --out": ["simulate", "--games", "1", "--seed", "1", "--out", ""],
    "odds --data": ["odds", "--data", ""],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data set, in which a command is run."""
    out = tmp_path_factory.mktemp("named") / "data"
    export_inputs([LOG], out)
    return out


def test_every_name_is_tried() -> None:
    named = set()
    for verb in VERBS:
        app = typer.Typer(add_completion=False, rich_markup_mode=None)
        app.command(verb)(import_module(f"tichu_cli.{verb}").command)
        for param in typer.main.get_command(app).params:
            if getattr(param, "metavar", None) in METAVARS:
                is_option = param.param_type_name == "option"
                named.add(f"{verb} {param.opts[-1] if is_option else str(param.metavar).strip('[]')}")
    assert named == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_an_empty_name(case: str, folder: Path) -> None:
    before = sorted(path.name for path in folder.iterdir())
    result = subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", *CASES[case]],
        cwd=folder,
        env={**os.environ, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 2
    assert "is empty" in result.stderr and "Traceback" not in result.stderr, result.stderr
    assert sorted(path.name for path in folder.iterdir()) == before


def test_an_empty_name_takes_no_other_input_with_it(tmp_path: Path) -> None:
    log = shutil.copy(LOG, tmp_path / "game.tch")
    result = subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", "check", "", str(log)],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert result.returncode == 2 and "'': the name is empty" in result.stderr
    assert "in 1 game, 3 rounds" in result.stdout
