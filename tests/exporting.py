"""What the tests of the export share: logs, an export that nothing disturbed, and ways to run one."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.export import export_inputs

#: Small enough that a few games make several parts.
PART = 60_000

PROGRAM = """
import sys
from tichu_analytics.tables.export import export_inputs
if __name__ == "__main__":
    out, jobs, part, *paths = sys.argv[1:]
    export_inputs(paths, out, jobs=int(jobs), part_bytes=int(part))
"""


@pytest.fixture(scope="module")
def logs(tmp_path_factory) -> Path:
    """Thirty simulated games in a folder, and some of the kinds of trouble that logs have."""
    folder = tmp_path_factory.mktemp("logs")
    games = list(simulate_games(30, 5))
    for game in games:
        (folder / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    (folder / "broken.tch").write_text(games[0].text[:5000] + "nonsense\n" + games[1].text[:2000], encoding="utf-8")
    (folder / "empty.tch").write_bytes(b"")
    return folder


@pytest.fixture(scope="module")
def program(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("program") / "export_program.py"
    path.write_text(PROGRAM, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def undisturbed(logs: Path, tmp_path_factory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("undisturbed") / "data"
    export_inputs([str(logs)], out, part_bytes=PART)
    return tree(out)


def tree(folder: Path) -> dict[str, bytes]:
    """Every file below a folder with its content."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if not path.is_dir()}


def environment() -> dict[str, str]:
    root = Path(__file__).parent.parent
    return os.environ | {"PYTHONPATH": f"{root}{os.pathsep}{root / 'cli'}"}


def run_program(program: Path, out: Path, jobs: int, *paths: Path, part: int = PART) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, str(program), str(out), str(jobs), str(part), *map(str, paths)],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def tichu(*args: object, env: dict[str, str] | None = None, **more) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tichu_cli.main", *map(str, args)],
        env=environment() | (env or {}),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        **more,
    )


def months(folder: Path, names: list[str], seed: int = 40) -> None:
    """A folder a month, with three games each that depend on the month alone."""
    for name in names:
        (folder / name).mkdir(parents=True, exist_ok=True)
        for game in simulate_games(3, seed + int(name)):
            (folder / name / f"{name}_{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")


def heed_the_end_of_the_terminal() -> None:
    """For a process that is to be ended by SIGHUP (``preexec_fn``), also where all this runs under nohup."""
    signal.signal(signal.SIGHUP, signal.SIG_DFL)
