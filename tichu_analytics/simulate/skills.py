"""How well simulated players play, and a pool of named players who meet again from game to game."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.names import make_name, odd_name


class Skill(NamedTuple):
    """What a player can do; percentages and hundredths of a lead, all whole numbers.

    Attributes:
        name: the level in a word.
        slips: in how many of a hundred decisions the player does not think: a lead or a play is taken as it comes.
        counts: in how many of a hundred decisions the player knows which cards are still out.
        keeps: in how many of a hundred exchanges an odd card goes left and an even one right.
        supports: in how many of a hundred cases the player steps back for a partner who has called.
        doubt: how far, up or down, the player misjudges a hand.
        bold: how much less than others it takes to call Tichu.
        grand: the same for Grand Tichu, in the points of :func:`tichu_analytics.simulate.judging.first_strength`.
    """

    name: str
    slips: int
    counts: int
    keeps: int
    supports: int
    doubt: int
    bold: int
    grand: int


#: The levels from weak to strong.
LEVELS: Final = (
    Skill("beginner", 32, 20, 5, 50, 60, -30, -13),
    Skill("casual", 16, 45, 15, 75, 42, -10, -5),
    Skill("regular", 7, 70, 35, 90, 28, 2, 1),
    Skill("strong", 2, 90, 60, 96, 18, 8, 6),
    Skill("expert", 0, 100, 85, 100, 8, 10, 9),
)
# Of a hundred players so many are of each level; most people are neither new nor masters.
_SHARES: Final = (15, 25, 30, 20, 10)


class Member(NamedTuple):
    """A player of the pool: the name, the skill, which never changes, and how many seats out of all are this one's."""

    name: str
    skill: Skill
    weight: int


class Pool:
    """The players of a run, with the level that each one has from the first game to the last.

    Some play often and many seldom, as on a server: the player at place n plays about 1/(n + a few) as often as the
    first. Where a player stands says nothing about the level.

    Args:
        seed: the seed of the run; the same seed and size give the same players.
        size: how many, at least 8.
        odd: whether every other name is an odd one.
    """

    def __init__(self, seed: int, size: int, odd: bool = False) -> None:
        dice = Dice(f"{seed}:pool:{size}")
        names: list[str] = []
        while len(names) < size:
            name = odd_name(dice) if odd and dice.chance(50) else make_name(dice)
            if name not in names:
                names.append(name)
        levels = [level for level, share in zip(LEVELS, _SHARES, strict=True) for _ in range(share)]
        order = [levels[index * 100 // size] for index in range(size)]
        shuffled = [order[place] for place in dice.shuffled(size)]
        self.members = [
            Member(name, skill, 10_000 // (place + 1 + size // 4))
            for place, (name, skill) in enumerate(zip(names, shuffled, strict=True))
        ]
        self._total = sum([member.weight for member in self.members])

    def draw(self, dice: Dice) -> Member:
        """A player, the busy ones more often."""
        ticket = dice.below(self._total)
        for member in self.members:
            ticket -= member.weight
            if ticket < 0:
                return member
        raise AssertionError("a ticket beyond the last player")

    def another(self, dice: Dice, taken: list[str]) -> Member:
        """A player whose name is not among those at the table."""
        while True:
            member = self.draw(dice)
            if member.name not in taken:
                return member

    def four(self, dice: Dice) -> tuple[Member, Member, Member, Member]:
        """Four different players for a table."""
        found: list[Member] = []
        while len(found) < 4:
            found.append(self.another(dice, [member.name for member in found]))
        return found[0], found[1], found[2], found[3]
