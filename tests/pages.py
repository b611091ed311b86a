"""The pages about formats as their tests read them: blocks, sections, tables, and what the tool says."""

from __future__ import annotations

import copy
import json
import os
import re
import subprocess
import sys
from typing import Any

from tests.conftest import ROOT
from tichu_analytics.formats.tgr.reader import read_game
from tichu_analytics.replay.game import replay

TEXT = (ROOT / "docs" / "tgr.md").read_text(encoding="utf-8")
FORMATS = (ROOT / "docs" / "formats.md").read_text(encoding="utf-8")
SCHEMA_FILE = ROOT / "tichu_analytics" / "formats" / "tgr" / "tgr-1.schema.json"
SCHEMA = json.loads(SCHEMA_FILE.read_text(encoding="utf-8"))
DEFS = SCHEMA["$defs"]

HEADING = re.compile(r"^#{2,3} (.+)$", re.MULTILINE)


def fences(text: str, info: str) -> list[str]:
    """The blocks with an info string, as they stand."""
    return re.findall(rf"^```{re.escape(info)}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def infos(text: str) -> set[str]:
    return {info for info in re.findall(r"^```(.*)$", text, re.MULTILINE) if info}


def section(title: str, text: str = TEXT) -> str:
    """What stands below a heading, up to the next one."""
    parts = HEADING.split(text)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    return found[title]


def tables(text: str) -> list[list[list[str]]]:
    """The tables in a text: rows of cells, the heading first, without the row of dashes."""
    found = []
    for block in re.findall(r"(?:^\|.*\n)+", text, re.MULTILINE):
        rows = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in block.splitlines()]
        found.append([rows[0], *rows[2:]])
    return found


def code(cell: str) -> str:
    """The text of the first code span in a cell."""
    match = re.search(r"`([^`]*)`", cell)
    assert match is not None, cell
    return match[1]


SMALL, WHOLE = fences(TEXT, "json record")


def said(data: bytes) -> list[str]:
    """What a check of one record says, as on the page."""
    found = replay(read_game(data, "x", "x"))
    return [f"{one.code} {one.name}: {one.message}" for one in found.findings]


def shell(*words: object) -> str:
    """What the command says on standard error, then what it prints."""
    exit_code, text = shell_code(*words)
    assert exit_code == 0, text
    return text


def shell_code(*words: object) -> tuple[int, str]:
    """The exit code too."""
    call = [sys.executable, "-c", "from tichu_cli.main import run; run()", *map(str, words)]
    env = {**os.environ, "PYTHONPATH": f"{ROOT}{os.pathsep}{ROOT / 'cli'}", "PYTHONUTF8": "1"}
    done = subprocess.run(call, capture_output=True, text=True, encoding="utf-8", timeout=60, env=env)
    return done.returncode, done.stderr + done.stdout


def changed(pointer: str, value: Any, how: str) -> dict[str, Any]:
    """The whole round with one change."""
    document: Any = json.loads(WHOLE)
    node = document
    *way, last = pointer.split("/")[1:]
    for step in way:
        node = node[int(step)] if isinstance(node, list) else node[step]
    place: Any = int(last) if isinstance(node, list) else last
    if how == "missing":
        del node[place]
    elif how == "in":
        node.insert(place, value)
    else:
        node[place] = value
    return copy.deepcopy(document)
