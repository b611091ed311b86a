"""Writes the answers in docs/cookbook.md anew: ``python -m tests.regenerate_cookbook``. Look at what changes in them.

An answer is what ``tichu query`` writes where it does not write to a terminal. The first one below a query is that for
the sample logs without errors, a second one that for the faulty ones as well.
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path
from typing import Final, NamedTuple

import tichu_analytics as ta
from tichu_cli.tabular import Format, write_rows

ROOT: Final = Path(__file__).resolve().parent.parent
PAGE: Final = ROOT / "docs" / "cookbook.md"

_HEADING: Final = re.compile(r"^## (\d+)\. (.+)$")


class Question(NamedTuple):
    """A question of the page: its number, title, the text of its query, and the answers that stand below."""

    number: int
    title: str
    sql: str
    answers: list[str]


def questions(page: str) -> list[Question]:
    """The questions of the page: the numbered sections, each with a block of ``sql`` and blocks of ``text``."""
    found = []
    for section in re.split(r"^(?=## )", page, flags=re.MULTILINE):
        head = _HEADING.match(section.partition("\n")[0])
        if head:
            (sql,) = re.findall(r"^```sql\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
            answers = re.findall(r"^```text\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
            found.append(Question(int(head[1]), head[2], sql, answers))
    return found


#: The loose logs and the archive, as the page's command names them, and the folder that its other command adds.
GOOD: Final = [*sorted((ROOT / "sample_logs").glob("*.tch")), ROOT / "sample_logs" / "games.zip"]
FAULTY: Final = ROOT / "sample_logs" / "faulty"


def exported(folder: Path) -> list[ta.Dataset]:
    """The data sets that are asked: the good sample logs, and these with the faulty ones."""
    return [ta.export(GOOD, folder / "good"), ta.export([*GOOD, FAULTY], folder / "all")]


def answer(data: ta.Dataset, sql: str) -> str:
    """What ``tichu query`` prints."""
    out, remarks = io.StringIO(), io.StringIO()
    with data.sql(sql) as asked:
        write_rows(Format.TABLE, out, remarks, asked.columns, asked.numeric, asked)
    assert not remarks.getvalue(), "an answer of the page must not be cut"
    return out.getvalue()


def renewed(page: str, datasets: list[ta.Dataset]) -> str:
    """The page with its answers worked out."""
    for question in questions(page):
        start = page.index(question.sql)
        for data, old in zip(datasets, question.answers, strict=False):
            block = f"```text\n{old}```\n"
            new = f"```text\n{answer(data, question.sql)}```\n"
            start = page.index(block, start)
            page = page[:start] + new + page[start + len(block) :]
            start += len(new)
    return page


def main() -> None:
    """Writes the page and says whether it has changed."""
    page = PAGE.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        text = renewed(page, exported(Path(folder)))
    if text != page:
        PAGE.write_text(text, encoding="utf-8", newline="\n")
        print(f"written: {PAGE.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
