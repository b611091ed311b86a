"""What a column that is worked out is; the columns themselves are in :mod:`tichu_analytics.stats.groupings`."""

from __future__ import annotations

from typing import NamedTuple

from tichu_analytics.stats.bases import Source


class Derived(NamedTuple):
    """A column that is worked out.

    Attributes:
        name: its name.
        meaning: what it tells, in one line.
        source: the alias of the source that a base must have for it.
        expression: how it is worked out.
        beside: a further source that has to be joined for it; None for none.
        order: its values in the order in which they are shown; empty for the order of numbers or letters.
        also: further sources that the base must have for it.
    """

    name: str
    meaning: str
    source: str
    expression: str
    beside: Source | None = None
    order: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """All sources of the base that are needed for it."""
        return (self.source, *self.also)
