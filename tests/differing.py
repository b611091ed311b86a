"""Where two facts or records differ, for failing comparisons: games and rounds show themselves in a line alone."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from tichu_analytics.record import Game, Round
from tichu_analytics.replay.facts import GameReplay, RoundReplay

#: What shows itself in a line.
SHORT = (Game, Round, GameReplay, RoundReplay)


def differences(left: Any, right: Any, where: str = "") -> Iterator[str]:
    """Each place at which two values differ, ``.rounds[2].tricks[0].points: 10 != 15``."""
    if left == right:
        return
    if type(left) is type(right) and hasattr(left, "_fields"):
        for name in left._fields:
            yield from differences(getattr(left, name), getattr(right, name), f"{where}.{name}")
    elif type(left) is type(right) and isinstance(left, tuple | list) and len(left) == len(right):
        for number, (one, other) in enumerate(zip(left, right, strict=True)):
            yield from differences(one, other, f"{where}[{number}]")
    else:
        yield f"{where}: {left!r} != {right!r}"


def explained(operator: str, left: Any, right: Any) -> list[str] | None:
    """What a failed comparison says of games and rounds, alone or in a list; None for everything else."""
    firsts = [side[0] if type(side) in (tuple, list) and side else side for side in (left, right)]
    if operator != "==" or not all(isinstance(first, SHORT) for first in firsts):
        return None
    return ["equal games or rounds; they differ in", *islice(differences(left, right), 20)]
