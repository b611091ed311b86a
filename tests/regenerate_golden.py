"""Writes the golden transcripts anew: ``python -m tests.regenerate_golden``. Look at what changes in them.

Each log in ``tests/data/show`` has its transcripts beside it, one for every entry of ``GOLDEN``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.replay.game import replay
from tichu_analytics.view.text import game_text, round_text, trick_text

DATA: Final = Path(__file__).parent / "data" / "show"

#: Transcript, and the log, round, trick and width of which it is.
GOLDEN: Final[dict[str, tuple[str, int | None, int | None, int | None]]] = {
    "legal.txt": ("legal.tch", None, None, None),
    "faulty.txt": ("faulty.tch", None, None, None),
    "faulty_narrow.txt": ("faulty.tch", 2, None, 50),
    "legal_trick.txt": ("legal.tch", 3, 1, None),
}


def rendered(name: str) -> str:
    """What a transcript has to be."""
    log, number, trick, width = GOLDEN[name]
    game = replay(read_game((DATA / log).read_bytes(), log, Path(log).stem))
    if number is None:
        return game_text(game, width=width)
    if trick is None:
        return round_text(game, number, width=width)
    return trick_text(game, number, trick, width=width)


def main() -> None:
    """Writes all transcripts and says which of them have changed."""
    for name in GOLDEN:
        path = DATA / name
        text = rendered(name)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"written: {path.relative_to(DATA.parent.parent.parent)}")


if __name__ == "__main__":
    main()
