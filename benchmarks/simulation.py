"""Simulated games beside what has been published about real ones, and how long simulating takes.

    python -m benchmarks.simulation                 # 2,000 games: about three minutes
    python -m benchmarks.simulation --games 300     # a rough look
    python -m benchmarks.simulation --write         # puts the tables into docs/simulation.md
    python -m benchmarks.simulation --speed         # the time alone, as a ratio to a careful check of the same games

The tables are the same for the same number of games and seed, on every machine. Everything in them is found by
replaying the games from their logs, not asked of the simulator.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

from tichu_analytics.checking import CheckedGame, check_inputs
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.sources import Input
from tichu_analytics.jobs.collector import rare_collections
from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import CARD_RANK, PHOENIX, RANK_MASK, SUITS
from tichu_analytics.rules.combinations import FOUR_BOMB, bomb_cards
from tichu_analytics.simulate.notes import SimulatedGame
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.simulate.skills import LEVELS, Pool

MOST_TIMES_CHECKING: Final = 8.0
BEGIN: Final = "<!-- figures: written by python -m benchmarks.simulation --write -->"
END: Final = "<!-- end of figures -->"


class Figure(NamedTuple):
    """A published figure: what, its value, and where the simulated one is counted (numerator, denominator, factor)."""

    title: str
    published: float
    over: str
    of: str
    factor: float = 1
    asked: bool = False


FIGURES: Final = (
    Figure("Tichu, % of seats and rounds", 13.916, "tichu", "seats", 100, True),
    Figure("Tichu made, %", 73.409, "tichu made", "tichu", 100, True),
    Figure("Grand Tichu, % of seats and rounds", 7.825, "grand", "seats", 100, True),
    Figure("Grand Tichu made, %", 61.781, "grand made", "grand", 100, True),
    Figure("double victories, % a team and round", 11.841, "double victories", "teams", 100, True),
    Figure("tricks a round", 11.0148, "tricks", "rounds", 1, True),
    Figure("moves a round", 56.4447, "moves", "rounds", 1, True),
    Figure("bombs played a round", 0.4433, "bombs", "rounds", 1, True),
    Figure("hands with a bomb after the exchange, %", 11.689, "held bomb", "seats", 100, True),
    Figure("... with four of a kind, %", 8.573, "held four", "seats", 100),
    Figure("... with a straight flush, %", 3.300, "held flush", "seats", 100),
    Figure("hands with a bomb in the first eight, %", 0.2978, "first bomb", "seats", 100),
    Figure("hands with a bomb as dealt, %", 5.0664, "dealt bomb", "seats", 100),
    Figure("rounds in which somebody holds a bomb, %", 37.916, "round bomb", "rounds", 100),
    Figure("four of a kind among the bombs played, %", 73.037, "fours", "bombs", 100),
    Figure("moves a trick", 5.1245, "moves", "tricks"),
    Figure("rounds a game", 9.4916, "rounds", "games"),
    Figure("Tichu with a bomb in the own hand, %", 23.671, "tichu with bomb", "held bomb", 100),
    Figure("... made, %", 79.308, "tichu with bomb made", "tichu with bomb", 100),
    Figure("the Dragon's trick goes to the left, %", 63, "dragon left", "dragons", 100),
    Figure("first round: Tichu, % of seats", 14.629, "tichu in first", "seats in first", 100),
    Figure("first round: Grand Tichu, % of seats", 6.595, "grand in first", "seats in first", 100),
)

#: Ranks in the order of the published exchange figures: Dog, 2 to ace, Phoenix, Dragon, Mah Jong.
RANKS: Final = (0, *range(2, 15), 16, 15, 1)
RANK_TITLES: Final = ("Dog", *map(str, range(2, 11)), "J", "Q", "K", "A", "Phoenix", "Dragon", "Mah Jong")
# Received from the left, the partner, the right, in hundredths of a percent; and the index of the gift that it is.
RECEIVED: Final = (
    ("left", 0, (516, 2585, 1219, 1498, 849, 1053, 669, 723, 444, 280, 97, 35, 5, 1, 0, 0, 27)),
    ("partner", 1, (355, 32, 33, 64, 96, 134, 205, 308, 422, 664, 992, 1280, 1604, 2123, 521, 969, 200)),
    ("right", 2, (487, 1867, 2149, 1089, 1282, 774, 893, 542, 545, 220, 103, 34, 4, 1, 0, 0, 12)),
)


class Found(NamedTuple):
    """What was counted: over all rounds, the squares of score differences, what was received, and by level."""

    counts: Counter[str]
    squares: list[int]
    received: Counter[tuple[int, int]]
    levels: Counter[tuple[str, str]]


def replays(games: Iterable[SimulatedGame]) -> Iterator[GameReplay]:
    """The games replayed from their logs.

    Raises:
        AssertionError: if one of them has a finding.
    """
    for one in games:
        found = replay(read_game(one.text.encode(), f"{one.game_id}.tch", one.game_id), "bsw")
        assert found.findings == (), found.findings[:3]
        yield found


def count(games: Iterable[GameReplay], levels: dict[str, str]) -> Found:
    """Counts everything that the tables need.

    Args:
        games: replayed games.
        levels: the level of each player by name.
    """
    found = Found(Counter(), [], Counter(), Counter())
    for game in games:
        found.counts["games"] += 1
        for seat, name in enumerate(game.rounds[0].record.names):
            found.levels[levels[name], "games"] += 1
            found.levels[levels[name], "wins"] += game.winner == seat % 2
        for one in game.rounds:
            _count_round(one, found, levels)
    return found


def _count_round(one: RoundReplay, found: Found, levels: dict[str, str]) -> None:
    counts = found.counts
    assert one.score is not None
    counts["rounds"] += 1
    counts["teams"] += 2
    counts["seats"] += 4
    counts["seats in first"] += 4 * (one.number == 1)
    counts["double victories"] += one.double_victory is not None
    counts["round bomb"] += any(bomb_cards(hand) for hand in one.held)
    found.squares.append((one.score[0] - one.score[1]) ** 2)
    for trick in one.tricks:
        counts["tricks"] += 1
        counts["moves"] += len(trick.moves)
        for move in trick.moves:
            if move.bomb:
                counts["bombs"] += 1
                counts["fours"] += move.kind == FOUR_BOMB
                found.levels[levels[one.record.names[move.seat]], "bombs"] += 1
        if trick.dragon_to is not None and trick.winner_seat is not None:
            counts["dragons"] += 1
            counts["dragon left"] += (trick.dragon_to - trick.winner_seat) % 4 == 3
    for seat in range(4):
        level = levels[one.record.names[seat]]
        found.levels[level, "seats"] += 1
        held = one.held[seat]
        bomb = bomb_cards(held) != 0
        counts["first bomb"] += bomb_cards(one.first8[seat]) != 0
        counts["dealt bomb"] += bomb_cards(one.dealt[seat]) != 0
        counts["held bomb"] += bomb
        counts["held four"] += any(held & cards == cards for cards in RANK_MASK[2:15])
        counts["held flush"] += any(bomb_cards(held & suit) for suit in SUITS)
        call = one.calls[seat]
        if call is not None:
            kind = "grand" if call.grand else "tichu"
            made = bool(call.success)
            counts[kind] += 1
            counts[f"{kind} made"] += made
            counts[f"{kind} in first"] += one.number == 1
            found.levels[level, kind] += 1
            found.levels[level, f"{kind} made"] += made
            if bomb and not call.grand:
                counts["tichu with bomb"] += 1
                counts["tichu with bomb made"] += made
        gifts = one.exchanged[seat]
        assert gifts is not None
        for index, card in enumerate(gifts):
            found.received[index, 16 if card == PHOENIX else CARD_RANK[card]] += 1


def figure_table(found: Found) -> list[str]:
    """The published figures and the simulated ones, as a table in Markdown."""
    lines = [
        "| figure | published | simulated | ratio | within a third |",
        "|---|---:|---:|---:|---|",
    ]
    for figure in FIGURES:
        value = figure.factor * found.counts[figure.over] / max(1, found.counts[figure.of])
        lines.append(_row(f"**{figure.title}**" if figure.asked else figure.title, figure.published, value))
    deviation = (sum(found.squares) / len(found.squares)) ** 0.5
    lines.append(_row("spread of the score difference of a round", 213.65, deviation))
    return lines


def _row(title: str, published: float, value: float) -> str:
    ratio = value / published
    fits = "yes" if 2 / 3 <= ratio <= 4 / 3 else "**no**"
    digits = 3 if published < 1 else 2 if published < 20 else 1
    return f"| {title} | {published:.{digits}f} | {value:.{digits}f} | {ratio:.2f} | {fits} |"


def received_table(found: Found) -> list[str]:
    """What is received from the left, the partner and the right, in percent, published and simulated."""
    lines = [
        "| card | left, published | simulated | partner, published | simulated | right, published | simulated |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    seats = found.counts["seats"]
    for place, (rank, title) in enumerate(zip(RANKS, RANK_TITLES, strict=True)):
        cells = []
        for _, index, published in RECEIVED:
            # A gift to the right is received from the left.
            share = 100 * found.received[index, rank] / seats
            cells += [f"{published[place] / 100:.1f}", f"{share:.1f}"]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    return lines


def level_table(found: Found) -> list[str]:
    """What players of each level do and reach, in percent."""
    lines = [
        "| level | games | won | Tichu | made | Grand Tichu | made | bombs a seat and round |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for level in LEVELS:
        get = {what: found.levels[level.name, what] for what in ("games", "wins", "seats", "bombs", "tichu", "grand")}
        made = {kind: found.levels[level.name, f"{kind} made"] for kind in ("tichu", "grand")}
        cells = [
            f"{get['games']:,}",
            *(
                f"{100 * over / max(1, of):.1f}"
                for over, of in (
                    (get["wins"], get["games"]),
                    (get["tichu"], get["seats"]),
                    (made["tichu"], get["tichu"]),
                    (get["grand"], get["seats"]),
                    (made["grand"], get["grand"]),
                )
            ),
            f"{get['bombs'] / max(1, get['seats']):.3f}",
        ]
        lines.append(f"| {level.name} | " + " | ".join(cells) + " |")
    return lines


def tables(games: int, seed: int) -> str:
    """All tables for a number of games."""
    pool = Pool(seed, Wants().players)
    levels = {member.name: member.skill.name for member in pool.members}
    found = count(replays(simulate_series(games, seed)), levels)
    rounds = found.counts["rounds"]
    return "\n".join(
        [
            f"{games:,} games with seed {seed}, {rounds:,} rounds; none of them has a finding.",
            "",
            *figure_table(found),
            "",
            "### What is received in the exchange, in percent",
            "",
            *received_table(found),
            "",
            "### By level of skill, in percent",
            "",
            *level_table(found),
            "",
        ]
    )


def speed(games: int, repeats: int) -> bool:
    """Prints how long simulating takes beside a careful check of the same games; whether it keeps within its bound."""
    ratios, rounds, spent = [], 0, 0.0
    for turn in range(repeats):
        start = time.process_time()
        with rare_collections():
            made = list(simulate_series(games, 1000 + turn))
        between = time.process_time()
        inputs = [Input(f"{one.game_id}.tch", one.game_id, one.text.encode(), None) for one in made]
        begun = time.process_time()
        for one in check_inputs(inputs, "bsw", "careful"):
            assert isinstance(one, CheckedGame) and not one.findings
            rounds += one.rounds
        ratios.append((between - start) / (time.process_time() - begun))
        spent += between - start
    ratio = statistics.median(ratios)
    print(f"simulating takes {ratio:.2f} times as long as a careful check of the same games", end=" ")
    print(f"(median of {repeats}; {rounds / spent:,.0f} rounds a second; bound {MOST_TIMES_CHECKING:.0f})")
    return ratio <= MOST_TIMES_CHECKING


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--games", type=int, default=2000, help="how many games")
    parser.add_argument("--seed", type=int, default=1, help="their seed")
    parser.add_argument("--write", action="store_true", help="put the tables into docs/simulation.md")
    parser.add_argument("--speed", action="store_true", help="measure the time alone")
    arguments = parser.parse_args()
    if arguments.speed:
        return 0 if speed(60, 5) else 1
    text = tables(arguments.games, arguments.seed)
    print(text)
    if arguments.write:
        path = Path(__file__).resolve().parent.parent / "docs" / "simulation.md"
        page = path.read_text(encoding="utf-8")
        before, after = page[: page.index(BEGIN)], page[page.index(END) :]
        path.write_text(f"{before}{BEGIN}\n\n{text}\n{after}", encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
