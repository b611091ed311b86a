"""Who sat where, over the rounds of a game."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from tichu_analytics.replay.facts import RoundReplay

ALL_SEATS: Final = (True, True, True, True)


class Seated(NamedTuple):
    """Who sits where in a round.

    Attributes:
        names: the names by seat, from the exchange on.
        known: by seat, whether the round has an exchange that tells the name.
    """

    names: tuple[str, str, str, str]
    known: tuple[bool, ...]


def seated(one: RoundReplay) -> Seated:
    """Who sits where in a round that has been replayed."""
    return Seated(one.record.names, tuple(gift is not None for gift in one.record.gifts))


def player_changes(rounds: Iterable[Seated]) -> int:
    """How often a seat has another name than before, of those that it has from an exchange on."""
    changes = 0
    known: list[str | None] = [None] * 4
    last: Sequence[str] = ()
    for names, gave in rounds:
        if names == last and all(gave):
            continue
        for seat in range(4):
            if gave[seat] and names[seat]:
                changes += known[seat] is not None and known[seat] != names[seat]
                known[seat] = names[seat]
        last = names if all(gave) else ()
    return changes
