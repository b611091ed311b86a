"""Fills the tables from replayed games: what :mod:`tichu_analytics.replay` worked out, row by row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final, NamedTuple

import pyarrow as pa

from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.facts import CallFact, GameReplay, RoundReplay
from tichu_analytics.replay.findings import SEVERITIES, Finding
from tichu_analytics.replay.players import player_changes, seated
from tichu_analytics.rules.cards import CARD_RANK, PHOENIX
from tichu_analytics.rules.combinations import holds_bomb
from tichu_analytics.tables.buffers import NO_KEY, NULL, Rows
from tichu_analytics.tables.manifest import BEYOND
from tichu_analytics.tables.moves import MoveRows
from tichu_analytics.tables.schema import (
    CALLS,
    CODE_NAMES,
    DIRECTIONS,
    GAMES,
    INCOMPLETE,
    LAST_ROUND,
    MOMENTS,
    OUTCOMES,
    REASONS,
    TABLES,
    WORST,
)

_MOMENT_KEYS: Final = {moment: key for key, moment in enumerate(MOMENTS)}
_OUTCOME_KEYS: Final = {outcome: key for key, outcome in enumerate(OUTCOMES)}
_SEVERITY_KEYS: Final = {severity: key for key, severity in enumerate(SEVERITIES)}
_CODE_KEYS: Final = {name: key for key, name in enumerate(CODE_NAMES)}
_REASON_KEYS: Final = {reason: key for key, reason in enumerate(REASONS)}
_RULES_KEYS: Final = {name: key for key, name in enumerate(GAMES.column("rules").vocabulary)}
_NO_CALL: Final = CALLS.index("none")
_TICHU: Final = CALLS.index("tichu")
_GRAND: Final = CALLS.index("grand")


#: By seat, None where a name is not known.
Names = tuple[str | None, str | None, str | None, str | None]


class Tally:
    """What was counted while tables were filled.

    Attributes:
        logs: games that were read.
        rounds: rounds that were read.
        complete: rounds that were played to their end.
        kept: rounds that are complete and legally played; only these are in the tables of kept rounds.
        excluded: the other rounds by reason: the name of the first finding that made them so.
        findings: findings by code.
        engines: rounds by the way in which they were replayed.
        rules: games by rule set.
    """

    def __init__(self) -> None:
        self.logs = 0
        self.rounds = 0
        self.complete = 0
        self.kept = 0
        self.excluded: Counter[str] = Counter()
        self.findings: Counter[str] = Counter()
        self.engines: Counter[str] = Counter()
        self.rules: Counter[str] = Counter()


class GameFacts(NamedTuple):
    """What the table of games has of a game.

    Attributes:
        path, month, rules: see the table.
        rounds: complete rounds.
        totals: of both teams.
        winner, outcome: see :class:`tichu_analytics.replay.facts.GameReplay`.
        names: who sat where at first.
        changes: how often a seat got another name.
        findings: how many there are.
    """

    path: str
    month: str | None
    rules: str
    rounds: int
    totals: tuple[int, int]
    winner: int | None
    outcome: str
    names: Names
    changes: int
    findings: int


class Builder:
    """Fills the tables with one game after the other.

    Args:
        tables: the names of the tables that are wanted.

    Attributes:
        tally: what was counted.
        wanted: the names of the tables that are wanted.
        rows: the rows of all tables but the moves.
        moves: the moves.
    """

    def __init__(self, tables: Collection[str]) -> None:
        self.tally = Tally()
        self._ids: list[str] = []
        self.rows = {name: Rows(table) for name, table in TABLES.items() if name != "moves"}
        self.moves = MoveRows()
        self.wanted = frozenset(tables)

    def add(self, replay: GameReplay, game_id: str) -> None:
        """Adds a game.

        Args:
            replay: what the replay worked out.
            game_id: the id under which it goes into the tables.
        """
        rounds = replay.rounds
        totals = replay.totals
        if len(rounds) > LAST_ROUND:
            totals = rounds[LAST_ROUND - 1].total_after
        game = replay.game
        self.add_game(
            GameFacts(
                game.path,
                game.month,
                replay.rules,
                sum(one.complete for one in rounds),
                totals,
                replay.winner,
                replay.outcome,
                _first_names(rounds),
                player_changes(map(seated, rounds)),
                len(replay.findings),
            ),
            game_id,
        )
        for finding in replay.findings:
            self.add_finding(finding)
        for one in rounds:
            self.add_round(one)
        self.end_game()

    def add_game(self, game: GameFacts, game_id: str) -> None:
        """Adds a game by itself; its rounds follow, and :meth:`end_game` or ``end_games`` of its tables.

        Args:
            game: what is known of it.
            game_id: the id under which it goes into the tables.
        """
        self.tally.logs += 1
        self.tally.rules[game.rules] += 1
        self._ids.append(game_id)
        rows = self.rows["games"]
        texts = rows.texts
        texts["path"].append(game.path)
        for seat in range(4):
            texts[f"player_{seat}"].append(game.names[seat])
        texts["played_month"].append(game.month)
        rows.add(
            _RULES_KEYS[game.rules],
            game.rounds,
            *game.totals,
            _or_null(game.winner),
            _OUTCOME_KEYS[game.outcome],
            game.changes,
            game.findings,
        )

    def add_round(self, one: RoundReplay) -> None:
        """Adds a round of the game that was added last, without its findings."""
        tally = self.tally
        tally.rounds += 1
        tally.engines["careful"] += 1
        tally.complete += one.complete
        if one.number > LAST_ROUND:
            tally.excluded[BEYOND] += 1
            return
        reason = None if one.complete and one.legal else _reason(one)
        self._round(one, reason)
        if reason is not None:
            tally.excluded[reason] += 1
            return
        tally.kept += 1
        wanted = self.wanted
        if "hands" in wanted:
            self._hands(one)
        if "exchanges" in wanted:
            self._exchanges(one)
        if "tricks" in wanted:
            self._tricks(one)
        if "moves" in wanted:
            self.moves.add(one.number, one.tricks)

    def end_game(self) -> None:
        """Ends the game that was added last."""
        for rows in self.rows.values():
            rows.end_game()
        self.moves.end_game()

    def arrow(self, name: str) -> pa.Table:
        """A table that was wanted, with the declared schema."""
        return (self.moves if name == "moves" else self.rows[name]).arrow(self._ids)

    def pop(self, name: str) -> pa.Table:
        """What :meth:`arrow` gives, of which only that is left in memory; for each table once, at the end."""
        table = self.arrow(name)
        if name == "moves":
            self.moves = MoveRows()
        else:
            del self.rows[name]
        return table

    def add_finding(self, finding: Finding) -> None:
        """Adds a finding of the game that was added last."""
        self.tally.findings[finding.code] += 1
        rows = self.rows["findings"]
        texts = rows.texts
        texts["path"].append(finding.path)
        texts["message"].append(finding.message)
        texts["expected"].append(finding.expected)
        texts["found"].append(finding.found)
        number = finding.round
        key = _CODE_KEYS[finding.name]
        rows.add(
            NULL if number is None or number > LAST_ROUND else number,
            finding.line,
            _seat(finding.seat),
            key,
            key,
            _SEVERITY_KEYS[finding.severity],
        )

    def _round(self, one: RoundReplay, reason: str | None) -> None:
        score = one.score
        logged_0, logged_1 = one.logged_score
        agrees = NO_KEY
        if score is not None and logged_0 is not None and logged_1 is not None:
            agrees = int(score == (logged_0, logged_1))
        points = one.card_points
        finish = one.finish
        wish = one.wish
        plays = passes = bombs = 0
        for trick in one.tricks:
            plays += trick.n_plays
            passes += trick.n_passes
            bombs += trick.n_bombs
        self.rows["rounds"].add(
            one.number,
            one.first_line,
            one.last_line,
            one.complete,
            one.legal,
            agrees,
            worst_finding(one.findings),
            *((NULL, NULL) if score is None else score),
            _or_null(logged_0),
            _or_null(logged_1),
            *((NULL, NULL) if points is None else points),
            _or_null(one.double_victory),
            *[finish[place] if place < len(finish) else NULL for place in range(3)],
            *one.total_before,
            len(one.tricks),
            plays,
            passes,
            bombs,
            *(
                (NULL, NULL, NULL, NULL, NULL)
                if wish is None
                else (
                    _seat(wish.seat),
                    wish.rank,
                    wish.line,
                    _seat(wish.fulfilled_seat),
                    _or_null(wish.fulfilled_line),
                )
            ),
            NO_KEY if reason is None else _REASON_KEYS[reason],
        )

    def _hands(self, one: RoundReplay) -> None:
        rows = self.rows["hands"]
        players = rows.texts["player"]
        score = one.score
        assert score is not None  # a round that is legally played to its end has one
        calls = [_call(call) for call in one.calls]
        places = {seat: place for place, seat in enumerate(one.finish, 1)}
        for seat in range(4):
            team = seat & 1
            call = one.calls[seat]
            players.append(one.record.names[seat])
            rows.add(
                one.number,
                seat,
                team,
                one.first8[seat],
                one.dealt[seat],
                one.held[seat],
                holds_bomb(one.dealt[seat]),
                holds_bomb(one.held[seat]),
                calls[seat],
                *(
                    (NO_KEY, NULL, NULL, NO_KEY)
                    if call is None
                    else (
                        _MOMENT_KEYS[call.when],
                        call.line,
                        call.trick,
                        NO_KEY if call.success is None else call.success,
                    )
                ),
                calls[(seat + 2) % 4],
                places.get(seat, NULL),
                one.points_taken[seat],
                score[team],
                score[1 - team],
                one.total_before[team],
                one.total_before[1 - team],
            )

    def _exchanges(self, one: RoundReplay) -> None:
        rows = self.rows["exchanges"]
        for giver, cards in enumerate(one.exchanged):
            assert cards is not None
            for way, card in enumerate(cards):
                # To the right, to the partner, to the left; who sits right of me has me on the left.
                rank = NULL if card == PHOENIX else CARD_RANK[card]
                rows.add(one.number, giver, (giver + way + 1) % 4, way, len(DIRECTIONS) - 1 - way, card, rank)

    def _tricks(self, one: RoundReplay) -> None:
        rows = self.rows["tricks"]
        for trick in one.tricks:
            rows.add(
                one.number,
                trick.number,
                trick.lead_seat,
                _or_null(trick.winner_seat),
                _or_null(trick.taker_seat),
                trick.kind - 1,
                trick.length,
                trick.won_with - 1,
                trick.n_plays,
                trick.n_passes,
                trick.n_bombs,
                trick.points,
                trick.cards,
                _or_null(trick.dragon_to),
                trick.first_line,
                trick.last_line,
            )


def _first_names(rounds: Sequence[RoundReplay]) -> Names:
    """Who sat where at first: names hold from the exchange on, those of the deal may be in another order."""
    for one in rounds:
        if any(one.record.gifts):
            return one.record.names
    return names_before(rounds)


def names_before(rounds: Sequence[RoundReplay]) -> Names:
    """Who sat where in the first deal, for a game without an exchange."""
    for one in rounds:
        entries = [one.record.first8[seat] or one.record.dealt[seat] for seat in range(4)]
        first, second, third, fourth = (None if entry is None else entry.name for entry in entries)
        return first, second, third, fourth
    return None, None, None, None


def worst_finding(findings: Sequence[Finding]) -> int:
    """The worst severity of some findings, as a place in its vocabulary."""
    return max((WORST.index(finding.severity) for finding in findings), default=0)


def _reason(one: RoundReplay) -> str:
    """Why a round is not among the kept ones: the first finding that says so."""
    if one.complete or any(finding.severity == "error" for finding in one.findings):
        for finding in one.findings:
            if finding.severity == "error" and not BY_NAME[finding.name].code.startswith("T5"):
                return finding.name
    for finding in one.findings:
        if finding.name == "truncated" or finding.severity == "error":
            return finding.name
    return INCOMPLETE


def _call(call: CallFact | None) -> int:
    return _NO_CALL if call is None else _GRAND if call.grand else _TICHU


def _or_null(number: int | None) -> int:
    return NULL if number is None else number


def _seat(seat: int | None) -> int:
    """A seat, or null for one that is not known."""
    return NULL if seat is None or not 0 <= seat <= 3 else seat
