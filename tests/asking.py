"""What the tests of questions in SQL share: two small tables, and one asker whom they may not bring down."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.dataset as ds
import pytest

from tichu_analytics.record.notation import parse_mask
from tichu_analytics.tables.query import Asker

WORDS = pa.dictionary(pa.int8(), pa.string())
HANDS = pa.table(
    {
        "game_id": pa.array(["1", "1", "2", "2"]),
        "seat": pa.array([0, 1, 2, 3], pa.int8()),
        "player": pa.array(["<b>Ann</b>", "Bob\u202e", "", "=1+1"]),
        "held": pa.array([parse_mask(text) for text in ("Dr S5", "S2 S3 S4 S5 S6", "", "SA BA GA RA")], pa.int64()),
        "call": pa.array(["none", "tichu", "grand", "none"]).cast(WORDS),
        "call_success": pa.array([None, True, False, None]),
        "finish": pa.array([1, None, 3, 2], pa.int8()),
    }
)
MOVES = pa.table(
    {
        "game_id": pa.array(["1", "1"]),
        "cards": pa.array([parse_mask("S5"), 0], pa.int64()),
        "rank": pa.array([5.5, None], pa.float32()),
    }
)
ANSWER = [(4,)]
HIDDEN = "words that nobody may see"


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An empty current folder, beside an empty one for temporary files and a file that must not be read."""
    folder = tmp_path_factory.mktemp("query")
    (folder / "secret.csv").write_text(f"a\n{HIDDEN}\n")
    for name in ("here", "temp"):
        (folder / name).mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder / "here")
        patch.setattr(tempfile, "tempdir", str(folder / "temp"))
        yield folder


@pytest.fixture(scope="module")
def asker(here: Path) -> Iterator[Asker]:
    """One for all tests: whatever is tried, it must go on answering."""
    before = files(here)
    with Asker({"hands": ds.dataset(HANDS), "moves": ds.dataset(MOVES)}) as made:
        yield made
    assert files(here) == before


def files(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))
