"""Chance that falls the same on every machine and Python version."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

_T = TypeVar("_T")


class Dice:
    """A source of chance for one game.

    Only ``random.random()`` is used, since Python promises the same numbers for the same seed for that method alone;
    how it shuffles and chooses may change from version to version.

    Args:
        seed: any text; a text is spread over the generator's state by SHA-512, so that neighbouring numbers in it do
            not give similar games.
    """

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed).random

    def chance(self, percent: int) -> bool:
        """True in so many of a hundred cases."""
        return self._random() * 100 < percent

    def below(self, count: int) -> int:
        """A number from 0 to ``count - 1``."""
        return int(self._random() * count)

    def pick(self, choices: Sequence[_T]) -> _T:
        """One of several, all equally likely."""
        return choices[int(self._random() * len(choices))]

    def shuffled(self, count: int) -> list[int]:
        """The numbers from 0 to ``count - 1`` in any order."""
        order = list(range(count))
        for last in range(count - 1, 0, -1):
            other = int(self._random() * (last + 1))
            order[last], order[other] = order[other], order[last]
        return order
