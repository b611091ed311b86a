"""Fills the tables with rounds that the compiled pass has vouched for: whole columns at once, from its numbers.

Their rows are those that :mod:`.build` makes of the same rounds on the careful path.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final, NamedTuple

import numpy as np

from tichu_analytics.bulk.engine import Engine, Passed
from tichu_analytics.bulk.layout import (
    BOMBS,
    BOMBS_PLAYED,
    CALL_LINE,
    CALL_TRICK,
    CALL_WHEN,
    CALLED,
    CLEAN,
    DEALT,
    DEALT_BOMBS,
    FINISH,
    FIRST8,
    FIRST_LINE,
    G_FIRST,
    G_ROUNDS,
    G_STATE,
    GIVEN,
    IN_PARTS,
    LINES,
    LOGGED,
    MET_LINE,
    MET_SEAT,
    MOVES,
    MOVES_END,
    NAME,
    NAME_LENGTH,
    NUMBER,
    PASSES,
    PLAYS,
    POINTS,
    SCORE,
    START,
    T_BOMBS,
    T_CARDS,
    T_FIRST_LINE,
    T_GIFT,
    T_KIND,
    T_LAST_LINE,
    T_LEAD,
    T_LENGTH,
    T_NUMBER,
    T_PASSES,
    T_PLAYS,
    T_POINTS,
    T_TAKER,
    T_WINNER,
    T_WON_WITH,
    TAKEN,
    TOTAL,
    TRICKS,
    TRICKS_END,
    WISH_LINE,
    WISH_RANK,
    WISH_SEAT,
)
from tichu_analytics.bulk.parts import InParts, Vouched, replay_parts
from tichu_analytics.bulk.words import Table
from tichu_analytics.formats.sources import Input
from tichu_analytics.replay.facts import Outcome, RoundReplay
from tichu_analytics.replay.players import ALL_SEATS, Seated, player_changes, seated
from tichu_analytics.rules.cards import CARD_RANK, PHOENIX
from tichu_analytics.rules.options import Options
from tichu_analytics.rules.scoring import DRAW, NO_CALL, NOT_OVER, game_winner
from tichu_analytics.rules.turns import NOBODY, is_double_victory
from tichu_analytics.tables.buffers import NO_KEY, NULL
from tichu_analytics.tables.build import Builder, GameFacts, Names, names_before
from tichu_analytics.tables.columns import Numbers
from tichu_analytics.tables.schema import DIRECTIONS, WORST

_NO_FINDING: Final = WORST.index("none")
_RANKS: Final = np.array([NULL if card == PHOENIX else rank for card, rank in enumerate(CARD_RANK)], np.int64)
_SEATS: Final = np.arange(4)
#: Column by column which team has made a double victory if the first two out are these; null for none.
_DOUBLE: Final = np.array(
    [[first & 1 if is_double_victory(first, second) else NULL for second in range(4)] for first in range(4)]
)


class Filler:
    """Puts games through the compiled pass and into the tables.

    Args:
        builder: the tables.
        engine: the pass.
        rules: the name of the rule set, as it stands in the tables.
        options: its choices, under which the pass replays.
        careful: adds a game on the careful path alone.
    """

    def __init__(
        self, builder: Builder, engine: Engine, rules: str, options: Options, careful: Callable[[Input], None]
    ) -> None:
        self._careful = careful
        self._builder = builder
        self._engine = engine
        self._rules = rules
        self._options = options
        self._names: dict[bytes, str] = {}

    def add(self, logs: Sequence[Input]) -> None:
        """Adds BrettspielWelt logs in their order."""
        passed = self._engine.run([one.data for one in logs], keep=True)
        self._names.clear()
        clean: list[tuple[int, int]] = []
        for one, row in zip(logs, passed.games.tolist(), strict=True):
            first, count = row[G_FIRST], row[G_ROUNDS]
            if row[G_STATE] == CLEAN:
                self._add_clean(one, passed, first, count)
                clean.append((first, first + count))
                continue
            self._end_clean(passed, clean)
            found = None
            if row[G_STATE] == IN_PARTS:
                found = replay_parts(one, passed.rounds[first : first + count], self._options)
            if found is None:
                self._careful(one)
            else:
                self._add_in_parts(one, passed, first, found)
        self._end_clean(passed, clean)

    def _add_clean(self, one: Input, passed: Passed, first: int, count: int) -> None:
        """Adds a game without a finding, its rounds not yet."""
        facts = passed.facts[first : first + count]
        names = [Seated(names, ALL_SEATS) for names in self._names_of(passed, facts)]
        last = facts[-1]
        totals = (int(last[TOTAL] + last[SCORE]), int(last[TOTAL + 1] + last[SCORE + 1]))
        winner = game_winner(totals[0], totals[1], count, self._options)
        outcome: Outcome = "unfinished" if winner == NOT_OVER else "finished"
        self._add_game(one, count, totals, winner, outcome, names[0].names, names, 0)

    def _add_game(
        self,
        one: Input,
        rounds: int,
        totals: tuple[int, int],
        winner: int,
        outcome: Outcome,
        first: Names,
        names: Sequence[Seated],
        findings: int,
    ) -> None:
        self._builder.add_game(
            GameFacts(
                one.path,
                one.month,
                self._rules,
                rounds,
                totals,
                None if winner in (NOT_OVER, DRAW) else winner,
                outcome,
                first,
                player_changes(names),
                findings,
            ),
            one.game_id,
        )

    def _end_clean(self, passed: Passed, clean: list[tuple[int, int]]) -> None:
        """Adds the rounds of games that came one after the other, which are none any more then."""
        if not clean:
            return
        begin = clean[0][0]
        block = _block(passed, slice(begin, clean[-1][1]))
        self._extend(passed, block)
        starts = np.array([first - begin for first, _ in clean])
        _end_games(self._builder, block, starts)
        clean.clear()

    def _add_in_parts(self, one: Input, passed: Passed, first: int, found: InParts) -> None:
        """Adds a game of which some rounds were replayed on the careful path."""
        builder = self._builder
        names = []
        complete = 0
        for each in found.rounds:
            if isinstance(each, Vouched):
                facts = passed.facts[first + each.row]
                facts[NUMBER] = each.number
                facts[TOTAL], facts[TOTAL + 1] = each.total_before
                names.append(Seated(self._names_of(passed, facts[None])[0], ALL_SEATS))
                complete += 1
            else:
                names.append(seated(each))
                complete += each.complete
        course = found.course
        findings = found.findings
        # Without an exchange in any round, none is vouched for.
        before = names_before([each for each in found.rounds if isinstance(each, RoundReplay)])
        first_names: Names = next((each.names for each in names if any(each.known)), before)
        self._add_game(one, complete, course.total, course.winner, course.outcome, first_names, names, len(findings))
        for finding in findings:
            builder.add_finding(finding)
        for is_vouched, some in groupby(found.rounds, lambda each: isinstance(each, Vouched)):
            if is_vouched:
                rows = [first + each.row for each in some if isinstance(each, Vouched)]
                self._extend(passed, _block(passed, rows))
            else:
                for each in some:
                    assert isinstance(each, RoundReplay)
                    builder.add_round(each)
        builder.end_game()

    def _names_of(self, passed: Passed, facts: Table) -> list[tuple[str, str, str, str]]:
        """The players of each round."""
        data, known = passed.data, self._names
        found = []
        for row in facts[:, NAME : NAME_LENGTH + 4].tolist():
            names = []
            for at, length in zip(row[:4], row[4:], strict=True):
                raw = data[at : at + length]
                name = known.get(raw)
                if name is None:
                    name = known[raw] = raw.decode()
                names.append(name)
            found.append((names[0], names[1], names[2], names[3]))
        return found

    def _extend(self, passed: Passed, block: _Block) -> None:
        """Adds rounds that follow each other to all tables."""
        builder = self._builder
        facts = block.facts
        tally = builder.tally
        count = len(facts)
        tally.rounds += count
        tally.engines["compiled"] += count
        tally.complete += count
        tally.kept += count
        _add_rounds(builder, facts)
        wanted = builder.wanted
        if "hands" in wanted:
            _add_hands(builder, facts)
            builder.rows["hands"].texts["player"] += [name for four in self._names_of(passed, facts) for name in four]
        if "exchanges" in wanted:
            _add_exchanges(builder, facts)
        if "tricks" in wanted:
            _add_tricks(builder, block)
        if "moves" in wanted:
            builder.moves.extend(facts[:, NUMBER], block.moves, facts[:, MOVES])


class _Block(NamedTuple):
    """Rounds that follow each other in the tables, with their tricks and moves."""

    facts: Table
    tricks: Table
    moves: Table


def _block(passed: Passed, rows: slice | list[int]) -> _Block:
    """Rounds with nothing but rounds that were not vouched for between them."""
    facts = passed.facts[rows]
    first, last = facts[0], facts[-1]
    return _Block(
        facts,
        passed.tricks[:, first[TRICKS_END] - first[TRICKS] : last[TRICKS_END]],
        passed.moves[:, first[MOVES_END] - first[MOVES] : last[MOVES_END]],
    )


def _end_games(builder: Builder, block: _Block, starts: Numbers) -> None:
    """Notes which rows belong to which game.

    Args:
        builder: the tables.
        block: the rounds of some games, which have been added.
        starts: the place of the first round of each game among them.
    """
    facts = block.facts
    rounds = np.diff([*starts, len(facts)])
    counts = {
        "games": np.ones(len(starts), np.int64),
        "rounds": rounds,
        "hands": 4 * rounds if "hands" in builder.wanted else 0 * rounds,
        "exchanges": 12 * rounds if "exchanges" in builder.wanted else 0 * rounds,
        "tricks": np.add.reduceat(facts[:, TRICKS], starts) if "tricks" in builder.wanted else 0 * rounds,
        "findings": 0 * rounds,
    }
    for name, rows in builder.rows.items():
        rows.end_games(counts[name])
    builder.moves.end_games(np.add.reduceat(facts[:, MOVES], starts) if "moves" in builder.wanted else 0 * rounds)


def _or_null(numbers: Numbers) -> Numbers:
    """Seats, with null for nobody."""
    return np.where(numbers == NOBODY, NULL, numbers)


def _add_rounds(builder: Builder, facts: Table) -> None:
    columns = facts.T
    first, second, third = columns[FINISH], columns[FINISH + 1], columns[FINISH + 2]
    double = _DOUBLE[first, second]
    is_double = double != NULL
    wished = columns[WISH_SEAT] != NOBODY
    met = columns[MET_SEAT] != NOBODY
    builder.rows["rounds"].extend(
        (
            columns[NUMBER],
            columns[FIRST_LINE],
            columns[FIRST_LINE] + columns[LINES] - 1,
            1,  # complete
            1,  # legal
            1,  # the score agrees
            _NO_FINDING,
            columns[SCORE],
            columns[SCORE + 1],
            columns[LOGGED],
            columns[LOGGED + 1],
            np.where(is_double, NULL, columns[POINTS]),
            np.where(is_double, NULL, columns[POINTS + 1]),
            double,
            first,
            second,
            _or_null(third),
            columns[TOTAL],
            columns[TOTAL + 1],
            columns[TRICKS],
            columns[PLAYS],
            columns[PASSES],
            columns[BOMBS_PLAYED],
            _or_null(columns[WISH_SEAT]),
            np.where(wished, columns[WISH_RANK], NULL),
            np.where(wished, columns[WISH_LINE], NULL),
            _or_null(columns[MET_SEAT]),
            np.where(met, columns[MET_LINE], NULL),
            NO_KEY,
        )
    )


def _add_hands(builder: Builder, facts: Table) -> None:
    count = len(facts)

    def by_seat(place: int) -> Numbers:
        """Four facts that lie side by side, one a seat."""
        return facts[:, place : place + 4].ravel()

    def by_team(place: int, flip: int) -> Numbers:
        """The fact of each seat's team, or with 1 of the other one."""
        return facts[:, [place + (seat + flip) % 2 for seat in range(4)]].ravel()

    def each(values: Numbers) -> Numbers:
        """Numbers by seat, for every round."""
        return np.tile(values, count)

    calls = by_seat(CALLED)
    called = calls != NO_CALL
    seats = each(_SEATS)
    out = facts[:, FINISH : FINISH + 3]
    finish = np.full((count, 4), NULL)
    for place in range(3):
        finish[np.where(out[:, [place]] == _SEATS, True, False)] = place + 1
    builder.rows["hands"].extend(
        (
            np.repeat(facts[:, NUMBER], 4),
            seats,
            seats & 1,
            by_seat(FIRST8),
            by_seat(DEALT),
            by_seat(START),
            np.repeat(facts[:, DEALT_BOMBS], 4) >> seats & 1,
            np.repeat(facts[:, BOMBS], 4) >> seats & 1,
            calls,
            np.where(called, by_seat(CALL_WHEN), NO_KEY),
            np.where(called, by_seat(CALL_LINE), NULL),
            np.where(called, by_seat(CALL_TRICK), NULL),
            np.where(called, np.repeat(facts[:, FINISH], 4) == seats, NO_KEY),
            facts[:, [CALLED + (seat + 2) % 4 for seat in range(4)]].ravel(),
            finish.ravel(),
            by_seat(TAKEN),
            by_team(SCORE, 0),
            by_team(SCORE, 1),
            by_team(TOTAL, 0),
            by_team(TOTAL, 1),
        )
    )


def _add_exchanges(builder: Builder, facts: Table) -> None:
    count = len(facts)
    giver = np.tile(np.repeat(_SEATS, 3), count)
    way = np.tile(np.arange(3), 4 * count)
    cards = np.bitwise_count(facts[:, GIVEN : GIVEN + 12].ravel() - 1).astype(np.int64)
    builder.rows["exchanges"].extend(
        (
            np.repeat(facts[:, NUMBER], 12),
            giver,
            (giver + way + 1) % 4,
            way,
            len(DIRECTIONS) - 1 - way,
            cards,
            _RANKS[cards],
        )
    )


def _add_tricks(builder: Builder, block: _Block) -> None:
    tricks = block.tricks
    builder.rows["tricks"].extend(
        (
            np.repeat(block.facts[:, NUMBER], block.facts[:, TRICKS]),
            tricks[T_NUMBER],
            tricks[T_LEAD],
            _or_null(tricks[T_WINNER]),
            _or_null(tricks[T_TAKER]),
            tricks[T_KIND] - 1,
            tricks[T_LENGTH],
            tricks[T_WON_WITH] - 1,
            tricks[T_PLAYS],
            tricks[T_PASSES],
            tricks[T_BOMBS],
            tricks[T_POINTS],
            tricks[T_CARDS],
            _or_null(tricks[T_GIFT]),
            tricks[T_FIRST_LINE],
            tricks[T_LAST_LINE],
        )
    )
