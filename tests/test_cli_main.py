"""The command as a whole: its help, wrong use, how it ends. Each call is a process of its own, as for a user."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

import tichu_analytics
from tichu_cli.main import VERBS, help_text

MODULES = ("typer", "rich", "numba", "numpy", "zstandard", "zipfile", "pydantic", "tichu_analytics")


def tichu(*args: str, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", *args], capture_output=True, text=True, timeout=60, check=False, **more
    )


def test_help_names_every_verb_that_has_a_module(root: Path) -> None:
    modules = {path.stem for path in (root / "cli" / "tichu_cli").glob("*.py")}
    helpers = {
        "checked",
        "ending",
        "listing",
        "naming",
        "progress",
        "tabular",
        "__init__",
        "main",
        "output",
        "pasted",
        "selection",
        "showing",
        "step",
    }
    assert set(VERBS) == modules - helpers
    lines = re.findall(r"^  (\w+) +(\w.*\.)$", help_text(), re.MULTILINE)
    assert dict(lines) == VERBS


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_what_nohup_ignores_stays_ignored(root: Path) -> None:
    code = (
        "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_IGN);"
        "import tichu_analytics.checking; from tichu_cli import main, checked;"
        "checked.check_plainly = lambda args: (os.kill(os.getpid(), signal.SIGHUP), 0)[1];"
        "sys.argv = ['tichu', 'check', 'x.tch']; main.run()"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=60, check=False).returncode == 0
    code = code.replace("signal.SIG_IGN", "signal.SIG_DFL")
    assert subprocess.run([sys.executable, "-c", code], cwd=root, timeout=60, check=False).returncode == 129


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help(option: str) -> None:
    result = tichu(option)
    assert (result.returncode, result.stdout, result.stderr) == (0, help_text(), "")


def test_version() -> None:
    result = tichu("--version")
    assert (result.returncode, result.stdout) == (0, f"tichu {tichu_analytics.__version__}\n")
    try:
        installed = version("tichu_analytics")
    except PackageNotFoundError:
        pytest.skip("the project is not installed here")
    assert installed == tichu_analytics.__version__


def test_no_verb_is_wrong_use() -> None:
    result = tichu()
    assert (result.returncode, result.stdout, result.stderr) == (2, "", help_text())


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_explains_itself_with_an_example(verb: str) -> None:
    result = tichu(verb, "--help", env={**os.environ, "COLUMNS": "100"})
    assert result.returncode == 0, result.stderr
    assert f"Usage: tichu {verb}" in result.stdout
    assert f"tichu {verb}" in result.stdout.partition("Usage:")[2].partition("\n")[2], "no example"


@pytest.mark.parametrize(
    ("args", "expected"),
    [
        (["chekc"], "did you mean 'check'?"),
        (["--quiet"], "no option '--quiet'"),
        (["\x1b[2J"], r"no verb '\x1b[2J'"),
        (["check"], "Missing argument"),
        (["check", "--formt", "x"], "--format"),
        (["check", "--format", "xml", "x.tch"], "xml"),
        (["check", "--jobs", "0", "x.tch"], "--jobs"),
        (["check", "--engine", "fast", "x.tch"], "'fast' is not one of"),
        (["check", "--select", "wish-ignord", "x.tch"], "did you mean wish-ignored?"),
        (["check", "--ignore", "T99", "x.tch"], "'T99' is no code"),
        (["check", "--select", ",", "x.tch"], "names no finding"),
    ],
)
def test_wrong_use(args: list[str], expected: str) -> None:
    result = tichu(*args)
    assert (result.returncode, result.stdout) == (2, "")
    assert expected in result.stderr
    assert "Traceback" not in result.stderr


def test_help_loads_next_to_nothing() -> None:
    code = (
        "import sys\nfrom tichu_cli.main import run\nsys.argv = ['tichu', '--help']\n"
        f"try: run()\nexcept SystemExit: print([name for name in {MODULES!r} if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert result.stderr.strip() == "[]"


@pytest.mark.parametrize("verb", VERBS)
def test_the_help_of_a_verb_loads_nothing_heavy(verb: str) -> None:
    code = (
        f"import sys\nfrom tichu_cli.main import run\nsys.argv = ['tichu', {verb!r}, '--help']\n"
        "try: run()\nexcept SystemExit: print([name for name in ('rich', 'numba', 'numpy', 'zstandard', 'pydantic')"
        " if name in sys.modules], file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert result.stderr.strip() == "[]"
