"""Players beside each other: what is to be expected of each, and who stands above whom in a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from tichu_analytics.stats.intervals import Sums
from tichu_analytics.stats.registry import SHRUNK, Measure
from tichu_analytics.stats.shrinking import Shrunk, shrink
from tichu_analytics.stats.sums import Group

#: The column of players, and those that tell who is meant.
PLAYER: Final = "player"
_PEOPLE: Final = (PLAYER, "partner")


def shrunken(measure: Measure, names: Sequence[str], groups: Mapping[Group, Sums]) -> dict[Group, dict[str, Any]]:
    """The shrunken estimate of each player, or pair, among those for whom all other columns are the same.

    Who has no name is nobody in particular: such a group is neither shrunk nor looked at for the others.

    Args:
        measure: the measure.
        names: the columns of the groups, ``player`` among them.
        groups: the sums of all groups, however small.

    Returns:
        The columns :data:`tichu_analytics.stats.registry.SHRUNK` of each group.
    """
    beside: dict[Group, list[Group]] = {}
    for group, sums in groups.items():
        if sums.n and _is_somebody(group, names):
            beside.setdefault(_others(group, names), []).append(group)
    found = {group: _columns(Shrunk(None)) for group in groups}
    for some in beside.values():
        several = shrink([groups[group] for group in some], is_rate=measure.is_rate, divisor=measure.divisor)
        found |= {group: _columns(one) for group, one in zip(some, several, strict=True)}
    return found


def in_order(
    groups: Sequence[Group],
    names: Sequence[str],
    more: Mapping[Group, Mapping[str, Any]],
    sort: Callable[[Iterable[Group], Sequence[str]], list[Group]],
) -> list[Group]:
    """Groups of players from the greatest shrunken estimate to the least, those without one behind.

    What else they are grouped by goes first.

    Args:
        groups: the groups in the order that is kept among equals.
        names: their columns.
        more: the shrunken estimates.
        sort: sorts groups of all columns but those of people, given with the names of these columns.
    """
    others = [name for name in names if name not in _PEOPLE]
    places = {group: place for place, group in enumerate(sort({_others(one, names) for one in groups}, others))}

    def key(group: Group) -> tuple[int, bool, float]:
        value = more[group]["shrunk"]
        return places[_others(group, names)], value is None, -(value or 0.0)

    return sorted(groups, key=key)


def _is_somebody(group: Group, names: Sequence[str]) -> bool:
    return all(value != "" for value, name in zip(group, names, strict=True) if name in _PEOPLE)


def _others(group: Group, names: Sequence[str]) -> Group:
    return tuple(value for value, name in zip(group, names, strict=True) if name not in _PEOPLE)


def _columns(one: Shrunk) -> dict[str, Any]:
    return dict(zip(SHRUNK, one, strict=True))
