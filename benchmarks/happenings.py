"""How often what happens in games: calls, wishes, bombs, Dogs, gifts, counted over their replay."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable

from tichu_analytics.record import Game
from tichu_analytics.replay.facts import Move, RoundReplay, Trick
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import DOG_MASK, DRAGON_MASK, PHOENIX_MASK
from tichu_analytics.rules.combinations import readings
from tichu_analytics.rules.options import OFFICIAL
from tichu_analytics.rules.wish import meets_wish


def happenings(games: Iterable[Game]) -> Counter[str]:
    """How often what happened in games, in words; found by replaying them."""
    counts: Counter[str] = Counter()
    for game in games:
        names = [one.names for one in game.rounds]
        counts["rounds"] += len(names)
        counts["substitutes between rounds"] += sum(a != b for a, b in itertools.pairwise(names))
        for one in replay(game).rounds:
            _count_calls(one, counts)
            out: set[int] = set()
            for trick in one.tricks:
                _count_trick(trick, out, counts)
    return counts


def _count_calls(one: RoundReplay, counts: Counter[str]) -> None:
    plays = [move for trick in one.tricks for move in trick.moves if move.mask]
    first_out = next(move.line for move in plays if not move.hand_after)
    for call in one.calls:
        if call is not None:
            counts["calls of Grand Tichu" if call.grand else "calls of Tichu"] += 1
            counts["calls of Tichu before the exchange"] += call.when == "before_exchange"
            counts["calls of Tichu after somebody was out"] += call.when == "after_exchange" and call.line > first_out
    if one.wish is not None:
        counts["wishes"] += 1
        counts["wishes that somebody met"] += one.wish.fulfilled_line is not None


def _count_trick(trick: Trick, out: set[int], counts: Counter[str]) -> None:
    """Counts what happened in a trick; ``out`` are the seats without cards, and grows."""
    below: Move | None = None
    for move in trick.moves:
        if not move.mask:
            continue
        if move.bomb:
            counts["bombs"] += 1
            counts["bombs out of turn"] += move.out_of_turn
            if below is not None:
                counts["bombs on the Dragon"] += below.mask == DRAGON_MASK
                own = below.seat == move.seat
                counts["bombs on one's own trick in place of taking it"] += own and not move.out_of_turn
            if move.wish and meets_wish(move.mask, move.wish):
                counts["wishes met by a bomb"] += 1
                counts["wishes met by a bomb out of turn"] += move.out_of_turn
        if move.mask == DOG_MASK:
            counts["Dogs"] += 1
            counts["Dogs with the partner out"] += (move.seat + 2) % 4 in out
            counts["Dogs as the last card"] += not move.hand_after
        found = readings(move.mask, OFFICIAL)
        counts["plays with a Phoenix that can be read in two ways"] += found.ways > 1
        if move.mask & PHOENIX_MASK and move.wish and meets_wish(move.mask, move.wish):
            counts["wishes met with the help of the Phoenix"] += 1
        if not move.hand_after:
            out.add(move.seat)
        below = move
    if trick.dragon_to is not None:
        counts["gifts of the Dragon's trick"] += 1
        counts["gifts to a player who is out"] += trick.dragon_to in out
