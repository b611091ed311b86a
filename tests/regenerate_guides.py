"""Writes the output of the commands in the guides anew: ``python -m tests.regenerate_guides``. Look at what changes.

In a block of ``console`` a line with ``$`` is a command, and what stands below it is what it writes, standard error
included. The commands of a page run one after the other in a folder that has nothing but the sample logs.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parent.parent
#: The pages with such blocks.
PAGES: Final = ("start.md", "check.md")

_BLOCK: Final = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SECONDS: Final = re.compile(r"\bin \d+\.\d s$", re.MULTILINE)


def commands(page: str) -> list[str]:
    """The commands of a page, in order."""
    return [
        line.removeprefix("$ ")
        for block in _BLOCK.findall(page)
        for line in block.splitlines()
        if line.startswith("$ ")
    ]


def renewed(page: str, folder: Path) -> str:
    """A page with what its commands write now.

    Args:
        page: the page in Markdown.
        folder: an empty folder; the commands run there.
    """
    (folder / "sample_logs").symlink_to(ROOT / "sample_logs")
    tool = folder / "bin" / "tichu"
    tool.parent.mkdir()
    program = "import sys; sys.argv[0] = 'tichu'; from tichu_cli.main import run; run()"
    tool.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -c "{program}" "$@"\n', encoding="utf-8")
    tool.chmod(0o755)
    environment = {
        **os.environ,
        "PATH": f"{tool.parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}",
        "PYTHONUTF8": "1",
        "LC_ALL": "C.UTF-8",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }
    code = 0

    def run(block: re.Match[str]) -> str:
        nonlocal code
        lines = []
        for command in commands(block[0]):
            # What "$?" gives is the exit code of the command before.
            done = subprocess.run(
                ["sh", "-c", f"(exit {code}); {command}"],
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                encoding="utf-8",
                timeout=120,
                check=False,
            )
            code = done.returncode
            lines.append(f"$ {command}\n{done.stdout}")
        return f"```console\n{''.join(lines)}```"

    return _BLOCK.sub(run, page)


def timeless(page: str) -> str:
    """A page without the seconds that something took."""
    return _SECONDS.sub("in ... s", page)


def main() -> None:
    """Writes the pages and says which have changed."""
    for name in PAGES:
        path = ROOT / "docs" / name
        page = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            text = renewed(page, Path(folder))
        if timeless(text) != timeless(page):
            path.write_text(text, encoding="utf-8", newline="\n")
            print(f"written: docs/{name}")


if __name__ == "__main__":
    main()
