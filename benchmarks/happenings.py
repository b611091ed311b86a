"""What happens in games and where: calls, wishes, bombs, Dogs, gifts, substitutes, found by replaying them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from tichu_analytics.record import Game
from tichu_analytics.replay.facts import GameReplay, Move, RoundReplay, Trick
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import DOG_MASK, DRAGON_MASK, PHOENIX_MASK
from tichu_analytics.rules.combinations import STRAIGHT_BOMB, readings
from tichu_analytics.rules.options import OFFICIAL
from tichu_analytics.rules.wish import meets_wish

#: So many points a team must have been behind before a game that it wins is a comeback.
COMEBACK: Final = 400


class Happening(NamedTuple):
    """Something that happened: what, in words and in the plural, in which round, and at which line of the log."""

    what: str
    round: int
    line: int


def happenings(games: Iterable[Game]) -> Counter[str]:
    """How often what happened in games, in words."""
    return Counter(one.what for game in games for one in happenings_of(replay(game)))


def happenings_of(found: GameReplay) -> Iterator[Happening]:
    """What happened in a game; every kind in the order in which it happened."""
    names: tuple[str, ...] | None = None
    for one in found.rounds:
        yield Happening("rounds", one.number, one.first_line)
        if names not in (None, one.record.names):
            yield Happening("substitutes between rounds", one.number, one.first_line)
        names = one.record.names
        for deal, gift in zip(one.record.dealt, one.record.gifts, strict=True):
            if deal and gift and deal.name != gift.name:
                yield Happening("substitutes between deal and exchange", one.number, gift.line)
        for what, line in _round(one):
            yield Happening(what, one.number, line)
    if found.winner is not None:
        behind = [one.total_before[1 - found.winner] - one.total_before[found.winner] for one in found.rounds]
        if max(behind) >= COMEBACK:
            worst = found.rounds[behind.index(max(behind))]
            yield Happening(f"games won by a team that was {COMEBACK} points behind", worst.number, worst.first_line)
    if found.outcome == "unfinished" and found.rounds:
        last = found.rounds[-1]
        yield Happening("games that the players left before the end", last.number, last.last_line)


def _round(one: RoundReplay) -> Iterator[tuple[str, int]]:
    yield from _calls(one)
    if one.wish is not None:
        yield "wishes", one.wish.line
        met = one.wish.fulfilled_line
        yield ("wishes that nobody met", one.wish.line) if met is None else ("wishes that somebody met", met)
    out: set[int] = set()
    for trick in one.tricks:
        yield from _trick(trick, out)
    if one.complete and one.double_victory is not None:
        yield "double victories", one.last_line
        if one.score is not None and max(one.score) >= 400:
            yield "rounds of 400 points or more", one.last_line


def _calls(one: RoundReplay) -> Iterator[tuple[str, int]]:
    plays = [move for trick in one.tricks for move in trick.moves if move.mask]
    first_out = next((move.line for move in plays if not move.hand_after), one.last_line)
    calls = [call for call in one.calls if call is not None]
    for call in calls:
        name = "Grand Tichu" if call.grand else "Tichu"
        yield f"calls of {name}", call.line
        if call.success is not None:
            yield f"calls of {name} that were {'made' if call.success else 'not made'}", call.line
        if call.when == "before_exchange" and not call.grand:
            yield "calls of Tichu before the exchange", call.line
        if call.when == "after_exchange" and call.line > first_out:
            yield "calls of Tichu after somebody was out", call.line
    if len({call.seat % 2 for call in calls}) == 2:
        yield "rounds with calls of both teams", max([call.line for call in calls])


def _trick(trick: Trick, out: set[int]) -> Iterator[tuple[str, int]]:
    """What happened in a trick; ``out`` are the seats without cards, and grows."""
    below: Move | None = None
    for move in trick.moves:
        if move.mask:
            for what in _play(move, below, out):
                yield what, move.line
            if not move.hand_after:
                out.add(move.seat)
            below = move
    if trick.dragon_to is not None:
        yield "gifts of the Dragon's trick", trick.last_line
        if trick.dragon_to in out:
            yield "gifts of the Dragon's trick to a player who is out", trick.last_line


def _play(move: Move, below: Move | None, out: set[int]) -> Iterator[str]:
    met = move.wish and meets_wish(move.mask, move.wish)
    if move.bomb:
        yield "bombs"
        if move.kind == STRAIGHT_BOMB:
            yield "bombs of five cards or more"
        if move.out_of_turn:
            yield "bombs out of turn"
        if below is not None:
            if below.mask == DRAGON_MASK:
                yield "bombs on the Dragon"
            if below.bomb:
                yield "bombs on a bomb"
            if below.seat == move.seat and not move.out_of_turn:
                yield "bombs on one's own trick in place of taking it"
        if met:
            yield "wishes met by a bomb"
            if move.out_of_turn:
                yield "wishes met by a bomb out of turn"
    if move.mask == DOG_MASK:
        yield "Dogs"
        if (move.seat + 2) % 4 in out:
            yield "Dogs with the partner out"
        if not move.hand_after:
            yield "Dogs as the last card"
    if readings(move.mask, OFFICIAL).ways > 1:
        yield "plays with a Phoenix that can be read in two ways"
    if move.mask & PHOENIX_MASK and met:
        yield "wishes met with the help of the Phoenix"
