"""Writes the tables in docs/odds.md anew: ``python -m tests.regenerate_odds``.

They are what ``tichu odds SUBJECT --format markdown`` writes.
"""

from __future__ import annotations

import contextlib
import io
from pathlib import Path
from typing import Final

from tichu_cli.odds import command
from tichu_cli.tabular import Format

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "odds.md"
MARK: Final = "<!-- What follows is written by: python -m tests.regenerate_odds -->\n"
SUBJECTS: Final = ("bombs", "flushes", "straights", "high")


def written() -> str:
    """The page with its tables as they should be."""
    before, mark, _ = PAGE.read_text(encoding="utf-8").partition(MARK)
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        for subject in SUBJECTS:
            print()
            command(subject, output=Format.MARKDOWN)
    return before + mark + out.getvalue()


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
