"""Writes the golden transcripts anew: ``python -m tests.regenerate_golden``. Look at what changes in them.

Each log in ``tests/data/show`` has its transcripts beside it, one for every entry of ``GOLDEN`` (as text) and of
``POSITIONS`` (position by position).
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.view.frame import Look, game_transcript
from tichu_analytics.view.text import game_text, round_text, trick_text

DATA: Final = Path(__file__).parent / "data" / "show"

#: Transcript, and the log, round, trick and width of which it is.
GOLDEN: Final[dict[str, tuple[str, int | None, int | None, int | None]]] = {
    "legal.txt": ("legal.tch", None, None, None),
    "faulty.txt": ("faulty.tch", None, None, None),
    "faulty_narrow.txt": ("faulty.tch", 2, None, 50),
    "legal_trick.txt": ("legal.tch", 3, 1, None),
}

#: Transcript of every position of a whole game, and the log and the look of which it is.
POSITIONS: Final[dict[str, tuple[str, Look]]] = {
    "legal_positions.txt": ("legal.tch", Look()),
    "faulty_positions.txt": ("faulty.tch", Look()),
    "faulty_positions_narrow.txt": ("faulty.tch", Look(46, symbols=True, hands="seat")),
}


def rendered(name: str) -> str:
    """What a transcript has to be."""
    if name in POSITIONS:
        log, look = POSITIONS[name]
        return game_transcript(_replayed(log), look)
    log, number, trick, width = GOLDEN[name]
    game = _replayed(log)
    if number is None:
        return game_text(game, width=width)
    if trick is None:
        return round_text(game, number, width=width)
    return trick_text(game, number, trick, width=width)


def _replayed(log: str) -> GameReplay:
    return replay(read_game((DATA / log).read_bytes(), log, Path(log).stem))


def main() -> None:
    """Writes all transcripts and says which of them have changed."""
    for name in (*GOLDEN, *POSITIONS):
        path = DATA / name
        text = rendered(name)
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        path.write_text(text, encoding="utf-8", newline="\n")
        print(f"written: {path.relative_to(DATA.parent.parent.parent)}")


if __name__ == "__main__":
    main()
