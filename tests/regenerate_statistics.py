"""Writes the lists in docs/statistics.md anew: ``python -m tests.regenerate_statistics``. Look at what changes in them.

They are what ``tichu stats --list --format markdown`` says of the measures that are declared.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from tichu_analytics.stats.listing import as_markdown

PAGE: Final = Path(__file__).resolve().parent.parent / "docs" / "statistics.md"

_LISTS: Final = re.compile(r"(^<!-- Between these marks: [^\n]* -->\n).*?(^<!-- end -->$)", re.MULTILINE | re.DOTALL)


def renewed(page: str) -> str:
    """The page with its lists as they are declared."""
    assert _LISTS.search(page)
    return _LISTS.sub(lambda found: f"{found[1]}\n{as_markdown()}\n{found[2]}", page)


def main() -> None:
    """Writes the page and says whether it has changed."""
    page = PAGE.read_text(encoding="utf-8")
    text = renewed(page)
    if text != page:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
        print(f"written: docs/{PAGE.name}")


if __name__ == "__main__":
    main()
