"""The Python examples of the README run as they stand, on the logs that they name."""

from __future__ import annotations

import re
from pathlib import Path

import pytest


def test_examples(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", (root / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) >= 3
    # They write a data set; that does not belong into the tree.
    (tmp_path / "sample_logs").symlink_to(root / "sample_logs")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), names)
    printed = capsys.readouterr().out
    # What stands behind a print as its output is what it prints.
    said = re.findall(r"print\(.*\)\s+# (\S+ \([0-9, ]+\) \w+)$", "\n".join(blocks), re.MULTILINE)
    assert said
    assert all(line in printed.splitlines() for line in said)
