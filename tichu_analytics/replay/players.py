"""Who sat where, over the rounds of a game."""

from __future__ import annotations

from collections.abc import Sequence

from tichu_analytics.replay.facts import RoundReplay


def player_changes(rounds: Sequence[RoundReplay]) -> int:
    """How often a seat has another name than before, of those that it has from an exchange on."""
    changes = 0
    known: list[str | None] = [None] * 4
    last: Sequence[str] = ()
    for one in rounds:
        names = one.record.names
        if names == last and all(one.record.gifts):
            continue
        for seat, gift in enumerate(one.record.gifts):
            if gift is not None and names[seat]:
                changes += known[seat] is not None and known[seat] != names[seat]
                known[seat] = names[seat]
        last = names if all(one.record.gifts) else ()
    return changes
