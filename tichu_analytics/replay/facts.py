"""What a replay works out: moves, tricks, rounds, games, as immutable facts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tichu_analytics.record import Game, Hand, Round
from tichu_analytics.replay.findings import Findings
from tichu_analytics.rules.options import Options

if TYPE_CHECKING:
    from tichu_analytics.replay.positions import Position

#: How the rank of a combination with the Phoenix was settled; an empty text where it needs no settling.
PhoenixReading = Literal["", "only", "declared", "later", "position", "highest", "lowest"]

#: When a call was made.
CallMoment = Literal["first8", "before_exchange", "after_exchange"]

Outcome = Literal["finished", "unfinished", "overplayed"]

FOUR_NOTHINGS: Final = (0, 0, 0, 0)


class Move(NamedTuple):
    """A play or a pass; taking a trick is none.

    Attributes:
        trick: number of the trick, from 1.
        line: its line in the log.
        seat: who moved.
        cards: the cards in the order written, empty for a pass.
        mask: the same cards as a set.
        kind: kind number of the combination, 0 for a pass or what is no combination.
        length: number of cards.
        rank2: twice the rank that counts; for a single Phoenix the rank on this table.
        phoenix: what the Phoenix stands for in a combination, 0 without it.
        phoenix_reading: how that was settled.
        bomb: whether it is a bomb.
        out_of_turn: whether another seat was to act, or the record marks a bomb as thrown in before the seat's turn.
        wish: the rank of the wish open before the move, 0 for none.
        hand_before: the seat's cards before the move.
        hand_after: the seat's cards after it.
    """

    trick: int
    line: int
    seat: int
    cards: tuple[int, ...]
    mask: int
    kind: int
    length: int
    rank2: int
    phoenix: int
    phoenix_reading: PhoenixReading
    bomb: bool
    out_of_turn: bool
    wish: int
    hand_before: int
    hand_after: int


class Trick(NamedTuple):
    """A trick, from the lead to its being taken; a Dog is a trick of its own.

    Attributes:
        number: from 1.
        lead_seat: who led.
        winner_seat: owner of the last play, None for a Dog.
        taker_seat: who got the cards; None for a Dog and for a Dragon's trick that ends a double victory.
        kind, length: of the lead.
        won_with: kind of the last play.
        n_plays, n_passes, n_bombs: counts; taking the trick is no pass.
        points: card points.
        cards: all cards played, as a set.
        dragon_to: who received the Dragon's trick, else None.
        first_line, last_line: from the lead to the last pass, the taking and the Dragon gift included.
        collect_line: the line on which the owner took it, or None.
        moves: its moves in order.
        complete: whether it was played to its end.
    """

    number: int
    lead_seat: int
    winner_seat: int | None
    taker_seat: int | None
    kind: int
    length: int
    won_with: int
    n_plays: int
    n_passes: int
    n_bombs: int
    points: int
    cards: int
    dragon_to: int | None
    first_line: int
    last_line: int
    collect_line: int | None
    moves: tuple[Move, ...]
    complete: bool

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import trick_in_notebook

        return trick_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from tichu_analytics.view.notebook import trick_in_words

        printer.text("..." if cycle else trick_in_words(self))


class CallFact(NamedTuple):
    """A call that counts.

    Attributes:
        seat: the caller.
        grand: Grand Tichu, else Tichu.
        when: when it was made.
        line: its line.
        trick: the number of the trick in which it was made, 0 before the first.
        success: whether the caller was the first out; None where that is not known.
    """

    seat: int
    grand: bool
    when: CallMoment
    line: int
    trick: int
    success: bool | None


class WishFact(NamedTuple):
    """The wish of a round: who made it, for which rank (2..14), where, and who met it (None if nobody did)."""

    seat: int
    rank: int
    line: int
    fulfilled_seat: int | None
    fulfilled_line: int | None


class RoundReplay(NamedTuple):
    """What is true about a round, as far as the log lets it be known.

    Attributes:
        number, first_line, last_line: as in the record.
        record: what the log says.
        complete: played to its end.
        legal: complete, and no error other than in the result.
        dealt: hands of 14 by seat, as sets; 0 where unknown.
        first8: the first eight cards by seat.
        held: hands after the exchange.
        exchanged: by giving seat, the cards given to the right, the partner, the left; None where not known.
        tricks: all tricks in order.
        finish: the seats in the order of going out.
        double_victory: the team that went out first and second, or None.
        card_points: card points of both teams; None after a double victory and where not known.
        points_taken: card points in the tricks that each seat took, before the last player's are moved.
        score: replayed score of both teams; None where the round cannot be replayed to its end.
        logged_score: the score in the log, None for a number that is missing.
        calls: the calls that count, by seat; None without.
        wish: the wish, or None.
        total_before: running totals before the round.
        total_after: running totals after it, from the replayed score, or the logged one where that is None.
        findings: what was found in this round, by line.
    """

    number: int
    first_line: int
    last_line: int
    record: Round
    complete: bool
    legal: bool
    first8: tuple[int, int, int, int]
    dealt: tuple[int, int, int, int]
    held: tuple[int, int, int, int]
    exchanged: tuple[tuple[int, int, int] | None, ...]
    tricks: tuple[Trick, ...]
    finish: tuple[int, ...]
    double_victory: int | None
    card_points: tuple[int, int] | None
    points_taken: tuple[int, int, int, int]
    score: tuple[int, int] | None
    logged_score: tuple[int | None, int | None]
    calls: tuple[CallFact | None, ...]
    wish: WishFact | None
    total_before: tuple[int, int]
    total_after: tuple[int, int]
    findings: Findings
    options: Options

    @property
    def moves(self) -> Iterator[Move]:
        """All moves of the round in order."""
        for trick in self.tricks:
            yield from trick.moves

    @property
    def n_bombs(self) -> int:
        """How many bombs were played."""
        return sum(trick.n_bombs for trick in self.tricks)

    def positions(self) -> Iterator[Position]:
        """The round event by event: the position before the first and after each one."""
        from tichu_analytics.replay.positions import positions

        return positions(self)

    @property
    def hands(self) -> tuple[Hand, Hand, Hand, Hand]:
        """The hands after the exchange by seat, as :attr:`held` has them, in a form that shows itself."""
        first, second, third, fourth = map(Hand, self.held)
        return first, second, third, fourth

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import round_in_notebook

        return round_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from tichu_analytics.view.notebook import round_in_words

        printer.text("..." if cycle else round_in_words(self))

    def __repr__(self) -> str:
        from tichu_analytics.view.notebook import round_in_words

        return f"<{round_in_words(self)}>"


class GameReplay(NamedTuple):
    """What is true about a game.

    Attributes:
        game: the record.
        rules: name of the rule set it was replayed under.
        rounds: all rounds that were read.
        totals: final totals of both teams.
        winner: the team that won, or None for a draw and an unfinished game.
        outcome: ``finished``, ``unfinished``, or ``overplayed`` with rounds after a team had reached the target.
        findings: everything found, in the order of rounds and lines.
    """

    game: Game
    rules: str
    rounds: tuple[RoundReplay, ...]
    totals: tuple[int, int]
    winner: int | None
    outcome: Outcome
    findings: Findings

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import game_in_notebook

        return game_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from tichu_analytics.view.notebook import game_in_words

        printer.text("..." if cycle else game_in_words(self))

    def __repr__(self) -> str:
        from tichu_analytics.view.notebook import game_in_words

        return f"<{game_in_words(self)}>"
