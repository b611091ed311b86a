"""What was dealt in recorded games, beside the exact odds of it.

Deals are independent of one another, and the four hands of one deal are not: what one player has, no other can have. So
the standard error is that of sums over whole deals, with how the hands of a deal go together; one round is one deal.
The interval of an observed rate is that of any other rate, with deals in the place of games.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.stats import intervals
from tichu_analytics.stats.classes import CLASSES
from tichu_analytics.stats.intervals import Sums
from tichu_analytics.stats.odds import WHO, Event, Odds

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tichu_analytics.tables.dataset import Dataset

#: The columns of the table of hands that hold the cards, by how many there are.
COLUMNS: Final = {8: "first8", 14: "dealt"}

#: Below so many expected cases, or so few expected other ones, a standard error means little and none is given.
_LEAST_EXPECTED: Final = 5

_BATCH: Final = 1 << 18

# Rounds by the classes of their four hands, in the order of the seats.
_Rounds = Counter[tuple[int, ...]]


class Observed(NamedTuple):
    """How often something was dealt in recorded games.

    Attributes:
        k: the number of hands, teams or tables of which it holds.
        n: how many there are.
        low, high: the ends of the 95 % interval of the rate; None for less than two rounds.
        standard_errors: by how many standard errors the rate is above the exact odds (below: negative); None where
            fewer than five cases, or five other ones, are to be expected, and where it cannot be otherwise, as with the
            Dragon in 14 cards, which somebody always has.
    """

    k: int
    n: int
    low: float | None
    high: float | None
    standard_errors: float | None

    @property
    def rate(self) -> float | None:
        """``k`` divided by ``n``; None if there are no hands."""
        return self.k / self.n if self.n else None


class Beside(NamedTuple):
    """The odds with what was observed.

    Attributes:
        rows: the observed figure for each of the odds, in their order.
        rounds: rounds in the table of hands.
        without: how many of them were left out, by number of cards, because cards of a hand are not recorded.
    """

    rows: list[Observed]
    rounds: int
    without: dict[int, int]


def observed(data: Dataset, events: Iterable[tuple[Event, Odds]]) -> Beside:
    """Counts in the table ``hands`` how often each of the events was dealt.

    Args:
        data: a data set; its rounds are those that are complete and legally played.
        events: what :func:`tichu_analytics.stats.odds.exact_events` gives.

    Returns:
        The figures. A round is left out where the first eight cards of a hand are not recorded (``first8`` = 0).

    Raises:
        ValueError: if the data set has no table of hands, or its rows are not four to a round, seat by seat.
    """
    events = list(events)
    wanted = sorted({(row.cards, event.classes) for event, row in events})
    found: dict[tuple[int, str], _Rounds] = {key: Counter() for key in wanted}
    rounds = 0
    without = dict.fromkeys(sorted({size for size, _ in wanted}), 0)
    for hands in _deals(data, [COLUMNS[size] for size in without]):
        for size in without:
            masks = hands[COLUMNS[size]]
            recorded = masks[(masks != 0).all(axis=1)]
            without[size] += len(masks) - len(recorded)
            for key in wanted:
                if key[0] == size:
                    found[key].update(_by_classes(recorded, key[1]))
        rounds += len(masks)
    return Beside([_figure(event, row, found[row.cards, event.classes]) for event, row in events], rounds, without)


def _deals(data: Dataset, columns: list[str]) -> Iterator[dict[str, NDArray[np.int64]]]:
    """The hands of many rounds at a time: for each column an array with a row a round and a column a seat."""
    import numpy as np

    data.table("hands")  # which says so if there is none
    kept: dict[str, NDArray[Any]] = {}
    for batch in data.arrow_dataset("hands").to_batches(columns=["round", "seat", *columns], batch_size=_BATCH):
        now = {name: batch.column(name).to_numpy(zero_copy_only=False) for name in batch.schema.names}
        joined = {name: np.concatenate([kept[name], now[name]]) if kept else now[name] for name in now}
        whole = len(joined["seat"]) // 4 * 4
        kept = {name: values[whole:] for name, values in joined.items()}
        deals = {name: values[:whole].reshape(-1, 4) for name, values in joined.items()}
        if (deals["seat"] != np.arange(4)).any() or (deals["round"] != deals["round"][:, :1]).any():
            raise ValueError(_disorder(data))
        yield deals
    if kept and len(kept["seat"]):
        raise ValueError(_disorder(data))


def _disorder(data: Dataset) -> str:
    return f"{data.path} is damaged: the table of hands has not four rows for each round, seat by seat"


def _by_classes(masks: NDArray[np.int64], name: str) -> dict[tuple[int, ...], int]:
    """Counts rounds by the classes of their four hands."""
    import numpy as np

    classes = CLASSES[name]
    places = classes.size ** np.arange(3, -1, -1, dtype=np.int64)
    codes, counts = np.unique((classes.of(masks) * places).sum(axis=1), return_counts=True)
    seats = (codes[:, None] // places) % classes.size
    return {tuple(of): count for of, count in zip(seats.tolist(), counts.tolist(), strict=True)}


def _figure(event: Event, row: Odds, rounds: _Rounds) -> Observed:
    """Adds up how often an event is so, and the squares of how often in one round."""
    groups = 4 // WHO[event.who]
    total = squares = n_rounds = 0
    for classes, count in rounds.items():
        there = _times(event, [event.holds(one) for one in classes])
        total += count * there
        squares += count * there * there
        n_rounds += count
    n, p = groups * n_rounds, row.probability
    expected = n * p
    # The variance of the sum: of each hand by the odds themselves, since few cases tell little about it; and of every
    # two hands of a round, which may have to do with one another, by how often both have it.
    both = squares - total - 2 * (groups - 1) * p * total + n * (groups - 1) * p * p
    variance = n * p * (1 - p) + both
    tellable = min(expected, n - expected) >= _LEAST_EXPECTED and variance > 1e-9 * n
    _, low, high = intervals.rate(Sums(n, total, groups * n, groups * total, squares, n_rounds))
    return Observed(total, n, low, high, (total - expected) / sqrt(variance) if tellable else None)


def _times(event: Event, holds: list[bool]) -> int:
    """For how many hands, teams or tables of one round the event is so."""
    if event.who == "hand":
        return sum(holds)
    if event.who == "team":
        return sum(holds[seat] + holds[seat + 2] in event.hands for seat in range(2))
    return int(sum(holds) in event.hands)
