"""How strong players are, from who won with and against whom: a rating with its uncertainty.

A share of games won says nothing of partners and opponents. A rating does: each player has a number, ``mu``, and how
uncertain it is, ``sigma``; after each game both sides move towards what happened, the more the less is known of them
(Weng and Lin, A Bayesian approximation method for online ranking, Journal of Machine Learning Research 12, 2011,
267-300; here their Plackett-Luce model as the library ``openskill`` has it, which for two teams is that of Bradley and
Terry). A player nobody has seen has mu 25 and sigma 25/3.

Ratings depend on the order of the games. They are taken month by month, those of no known month last, and within a
month in the order of the table, which is that of the input. It is one run through all games, so threads change nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats.registry import RATING, Measure
from tichu_analytics.stats.sums import NotForBase

if TYPE_CHECKING:
    from openskill.models import PlackettLuceRating

    from tichu_analytics.tables.dataset import Dataset

#: What a rating is, in the words of a measure. It is no rate and no mean, and counted otherwise.
MEASURE: Final = Measure(
    "players.rating",
    "players",
    "seats",
    "games to their end",
    "How strong a player is by results with and against others; somebody unknown has 25.",
    value="0",
    unit="rating",
    always_by=("player",),
)
#: As many sigma below mu a player is with hardly any doubt.
_CAUTION: Final = 3
#: The multiple of sigma for an interval of 95 %.
_TIMES: Final = 1.959963984540054
#: So many rated games a player has before it is looked at how well the rating foretells.
KNOWN: Final = 10
_BATCH: Final = 1 << 16


class Rated(NamedTuple):
    """The rating of a player.

    Attributes:
        player: the name.
        games, won: games that were rated, and how many of them were won.
        mu, sigma: the rating and its uncertainty.
    """

    player: str
    games: int
    won: int
    mu: float
    sigma: float

    @property
    def conservative(self) -> float:
        """What the player is worth with hardly any doubt: mu less three times sigma."""
        return self.mu - _CAUTION * self.sigma

    def more(self) -> dict[str, Any]:
        """The values of the columns :data:`RATING`."""
        return dict(zip(RATING, (self.mu, self.sigma, self.conservative), strict=True))

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the interval that holds the player's strength with 95 %, if the model is right."""
        return self.mu - _TIMES * self.sigma, self.mu + _TIMES * self.sigma


class Fit(NamedTuple):
    """How well ratings foretell games that somebody wins, each told before it is rated itself.

    Attributes:
        games: games of four players each of whom had at least :data:`KNOWN` rated games before.
        better: how many of them the team with the higher rating won; half of those of equal ratings.
        error: the sum of the squared difference between the chance that was foretold and what happened.
    """

    games: int = 0
    better: float = 0.0
    error: float = 0.0

    def after(self, chance: float, won: bool) -> Fit:
        """With one more game; ``chance`` was that of the team that may have ``won``."""
        better = 0.5 if chance == 0.5 else float((chance > 0.5) == won)
        return Fit(self.games + 1, self.better + better, self.error + (chance - won) ** 2)

    def sentences(self) -> list[str]:
        """The same in words."""
        if not self.games:
            return []
        return [
            f"in {self.games:,} games of players with {KNOWN} rated games or more before, the team with the higher "
            f"rating won {100 * self.better / self.games:.1f} %; the mean squared error of the chance to win that "
            f"follows from ratings is {self.error / self.games:.4f}, and 0.25 for who says a half every time"
        ]


class Ratings(NamedTuple):
    """The ratings of all players.

    Attributes:
        players: each player, those first that are the best with hardly any doubt.
        games: games that were rated.
        left_out: by reason, games that were not.
        fit: how well ratings foretold games.
    """

    players: list[Rated]
    games: int
    left_out: dict[str, int]
    fit: Fit

    def sentences(self) -> list[str]:
        """Which games were rated, in words."""
        left = sum(self.left_out.values())
        games = "game" if self.games + left == 1 else "games"
        text = f"{self.games:,} of {self.games + left:,} {games} {'is' if self.games == 1 else 'are'} rated"
        reasons = [f"{reason} {count:,}" for reason, count in self.left_out.items() if count]
        return [text + (f"; {left:,} left out: " + ", ".join(reasons) if reasons else ""), *self.fit.sentences()]


class _Games(NamedTuple):
    """Games in the order of the table: the month, the numbers of four players, and the winner (-1 for a draw)."""

    months: list[str]
    seats: list[tuple[int, int, int, int]]
    winners: list[int]


def rate_players(data: Dataset) -> Ratings:
    """Rates all players of a data set.

    Games count that were played to their end by the same four players with four different names.

    Raises:
        NotForBase: if the data set has no table of games.
        ImportError: if openskill is not installed.
    """
    from openskill.models import PlackettLuce

    if "games" not in data.tables:
        raise NotForBase("the data set was exported without the table games")
    names: dict[str, int] = {}
    left_out = {"unfinished": 0, "a player was replaced": 0, "a player without a name": 0, "one name twice": 0}
    games = _Games([], [], [])
    for month, outcome, changes, winner, players in _rows(data):
        reason = _reason(outcome, changes, players)
        if reason:
            left_out[reason] += 1
            continue
        a, b, c, d = (names.setdefault(name, len(names)) for name in players)
        # A month that is not known comes last.
        games.months.append(month or "~")
        games.seats.append((a, b, c, d))
        games.winners.append(-1 if winner is None else winner)
    model = PlackettLuce()
    ratings: list[PlackettLuceRating] = [model.rating() for _ in names]
    counts = [0] * len(names)
    won = [0] * len(names)
    fit = Fit()
    ranks = {0: [0.0, 1.0], 1: [1.0, 0.0], -1: [0.0, 0.0]}
    for place in sorted(range(len(games.seats)), key=games.months.__getitem__):
        a, b, c, d = games.seats[place]
        winner = games.winners[place]
        if winner >= 0 and min(counts[player] for player in (a, b, c, d)) >= KNOWN:
            chance = _chance((ratings[a], ratings[c]), (ratings[b], ratings[d]), model.beta)
            fit = fit.after(chance, winner == 0)
        after = model.rate([[ratings[a], ratings[c]], [ratings[b], ratings[d]]], ranks=ranks[winner])
        (ratings[a], ratings[c]), (ratings[b], ratings[d]) = after
        for seat, player in enumerate((a, b, c, d)):
            counts[player] += 1
            won[player] += seat % 2 == winner
    found = [
        Rated(name, counts[number], won[number], ratings[number].mu, ratings[number].sigma)
        for name, number in names.items()
    ]
    found.sort(key=lambda one: (-one.conservative, one.player))
    return Ratings(found, len(games.seats), left_out, fit)


def _chance(own: Sequence[PlackettLuceRating], others: Sequence[PlackettLuceRating], beta: float) -> float:
    """The chance to win that follows from ratings, as the model has it when it rates."""
    spread = math.sqrt(sum(one.sigma**2 for one in (*own, *others)) + 2 * beta**2)
    gap = sum(one.mu for one in own) - sum(one.mu for one in others)
    return 1 / (1 + math.exp(-gap / spread))


def _reason(outcome: str, changes: int, players: list[str]) -> str | None:
    """Why a game is not rated; None if it is."""
    if outcome == "unfinished":
        return outcome
    if changes:
        return "a player was replaced"
    if not all(players):
        return "a player without a name"
    return "one name twice" if len(set(players)) < 4 else None


def _rows(data: Dataset) -> Iterator[tuple[str | None, str, int, int | None, list[str]]]:
    seats = [f"player_{seat}" for seat in range(4)]
    columns = ["played_month", "outcome", "n_player_changes", "winner", *seats]
    for batch in data.arrow_dataset("games").to_batches(columns=columns, batch_size=_BATCH):
        values = [batch.column(name).to_pylist() for name in columns]
        for month, outcome, changes, winner, *players in zip(*values, strict=True):
            yield month, outcome, changes, winner, players
