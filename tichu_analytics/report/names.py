"""Players by name: whether there is such a player, who may be meant, and other spellings of the same name."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from typing import TYPE_CHECKING, Final, NamedTuple

from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    from tichu_analytics.tables.dataset import Dataset

_NAMES: Final = (
    "select player, count(distinct game_id) as games, count(*) as rounds from hands where player <> '' "
    "group by player order by games desc, player"
)
#: So many names are proposed, and so much is shown of a long one.
_NEAR: Final = 5
_LONGEST: Final = 60


class UnknownPlayer(ValueError):
    """A name that nobody has; the text says who may be meant."""


class Found(NamedTuple):
    """A player.

    Attributes:
        name: the name as records have it.
        games, rounds: in how many there are hands of this player.
        spellings: other names that differ from it in case, width or blanks alone, each with its games.
    """

    name: str
    games: int
    rounds: int
    spellings: tuple[tuple[str, int], ...]

    def remarks(self) -> tuple[str, ...]:
        """What is to be said of other spellings."""
        if not self.spellings:
            return ()
        names = ", ".join(
            f"{short(name)} ({games:,} game{'' if games == 1 else 's'})" for name, games in self.spellings
        )
        return (f"The name occurs in other spellings as well, which count as other players: {names}",)


def find_player(data: Dataset, wanted: str) -> Found:
    """Finds a player by the exact name.

    Raises:
        UnknownPlayer: if nobody has it; names that differ in case or blanks alone are named first, then near ones.
        NoTable: if the data set has no table of hands.
    """
    data.table("hands")
    with data.sql(_NAMES) as answer:
        there = {str(name): (int(games), int(rounds)) for name, games, rounds in answer}
    same = [name for name in there if plain(name) == plain(wanted) and name != wanted]
    if wanted in there:
        games, rounds = there[wanted]
        return Found(wanted, games, rounds, tuple((name, there[name][0]) for name in same))
    if not there:
        raise UnknownPlayer(f"there is no player {short(wanted)}: no counted round has a player with a name")
    near = same or _near(wanted, there)
    hint = f"did you mean {' or '.join(map(short, near))}?" if near else _others(len(there))
    raise UnknownPlayer(f"there is no player {short(wanted)}; {hint}")


def _others(number: int) -> str:
    return "there is 1 other" if number == 1 else f"there are {number:,} others"


def _near(wanted: str, names: Iterable[str]) -> list[str]:
    by_plain: dict[str, str] = {}
    for name in names:
        by_plain.setdefault(plain(name)[:_LONGEST], name)
    asked = plain(wanted)[:_LONGEST]
    near = get_close_matches(asked, by_plain, n=_NEAR, cutoff=0.6)
    near += [name for name in by_plain if asked and name.startswith(asked) and name not in near]
    return [by_plain[name] for name in near[:_NEAR]]


def plain(name: str) -> str:
    """A name without what people overlook: case, width of letters, blanks at the ends and in a row."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def short(name: str) -> str:
    """A name as it stands in a sentence: in quotation marks, safe to show, and not too long."""
    text = for_terminal(name)
    return f"'{text if len(text) <= _LONGEST else text[: _LONGEST - 1] + '…'}'"
