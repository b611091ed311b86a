"""Exact odds of what is dealt: bombs, straights, equal cards, aces and special cards.

>>> from tichu_analytics.stats import odds
>>> odds.exact("bombs", 8)[0].fraction
'4229667/1420494075'

Each of the odds is a number of hands (or deals, where more than one hand is looked at) out of the number of all. They
are what a fair deal gives: no exchange, no player, no sampling. They hold for the first eight cards, on which Grand
Tichu is called, and for all 14 before the exchange.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import comb
from typing import TYPE_CHECKING, Final, NamedTuple

from tichu_analytics.stats.classes import CLASSES, SPECIALS, aces, flushes, fours, specials
from tichu_analytics.stats.counting import TICHU
from tichu_analytics.stats.deals import deal_count, hands_with_bomb

if TYPE_CHECKING:
    import pandas as pd

    from tichu_analytics.tables.dataset import Dataset

#: The subjects, each with what it is about.
SUBJECTS: Final[dict[str, str]] = {
    "bombs": "Bombs",
    "flushes": "Longest straight flush",
    "straights": "Longest straight",
    "groups": "Pairs, triples and fours of a kind",
    "aces": "Aces",
    "specials": "Special cards",
    "high": "High cards: aces, Phoenix and Dragon",
    "categories": "Aces by special cards",
}

#: How many cards can be looked at: those before the call of Grand Tichu, and all that are dealt.
SIZES: Final = (8, 14)

#: Whose cards are looked at, with how many hands that are.
WHO: Final[dict[str, int]] = {"hand": 1, "team": 2, "table": 4}


class Odds(NamedTuple):
    """How often something is dealt.

    Attributes:
        odds: the subject, one of ``SUBJECTS``.
        who: whose cards are looked at: one ``hand``, both hands of a ``team``, all four of the ``table``.
        cards: how many cards of each hand, 8 or 14.
        event: what they have.
        k: the number of hands, or deals, in which it is so.
        n: the number of all, not reduced: ``comb(56, cards)`` for a hand; for more hands, the ways to deal them.
    """

    odds: str
    who: str
    cards: int
    event: str
    k: int
    n: int

    @property
    def fraction(self) -> str:
        """``k/n`` as text."""
        return f"{self.k}/{self.n}"

    @property
    def probability(self) -> float:
        """``k`` divided by ``n``, correctly rounded."""
        return self.k / self.n

    @property
    def one_in(self) -> float:
        """In one of how many."""
        return self.n / self.k


class Event(NamedTuple):
    """Something that can be dealt; for every one of them the class of each hand is enough.

    Attributes:
        odds, who, event: as in :class:`Odds`.
        classes: the way of sorting hands, a name in ``CLASSES``.
        holds: for which classes it holds of a hand.
        hands: in how many hands of the team or table it must hold.
        kinds: which kinds of bombs it is about (four of a kind, straight flush), where there are several hands.
    """

    odds: str
    who: str
    event: str
    classes: str
    holds: Callable[[int], bool]
    hands: tuple[int, ...] = (1,)
    kinds: tuple[bool, bool] = (True, True)


def exact(subject: str | None = None, cards: int | None = None) -> list[Odds]:
    """The exact odds of what is dealt.

    Args:
        subject: one of ``SUBJECTS``; all without it.
        cards: 8 or 14 for the odds of that many cards only.

    Returns:
        The odds in a fixed order: by subject, number of cards, and hands that are looked at. What cannot be dealt, such
        as a straight of nine in eight cards, is left out.

    Raises:
        ValueError: for a subject or a number of cards that there is not.
    """
    return [row for _, row in exact_events(subject, cards)]


def exact_events(subject: str | None = None, cards: int | None = None) -> list[tuple[Event, Odds]]:
    """What :func:`exact` gives, each with the event of which it is the odds.

    Raises:
        ValueError: as :func:`exact` does.
    """
    if subject is not None and subject not in SUBJECTS:
        raise ValueError(f"there are no odds of {subject!a}; the subjects are {', '.join(SUBJECTS)}")
    if cards is not None and cards not in SIZES:
        raise ValueError(f"there are no odds of {cards} cards, only of the first 8 and of all 14")
    found = []
    for name in SUBJECTS if subject is None else (subject,):
        events = list(_EVENTS[name]())
        for size in SIZES if cards is None else (cards,):
            for event in events:
                row = Odds(name, event.who, size, event.event, *_counted(event, size))
                if row.k:
                    found.append((event, row))
    return found


def frame(subject: str | None = None, cards: int | None = None, data: Dataset | None = None) -> pd.DataFrame:
    """What :func:`exact` gives as a data frame.

    Args:
        subject, cards: as for :func:`exact`.
        data: a data set; how often each event was dealt there is set beside its odds.

    Returns:
        The columns ``odds``, ``who``, ``cards``, ``event``, ``k``, ``n`` (both Python integers: those of whole deals
        are beyond 64 bits), ``fraction`` (text) and ``probability``; with ``data`` also ``observed_k``, ``observed_n``,
        ``observed_rate``, ``observed_low``, ``observed_high`` (95 %) and ``standard_errors``, see
        :class:`tichu_analytics.stats.observed.Observed`.

    Raises:
        ValueError: as :func:`exact` and :func:`tichu_analytics.stats.observed.observed` do.
    """
    import pandas as pd

    events = exact_events(subject, cards)
    rows = [row for _, row in events]
    made = pd.DataFrame(rows, columns=list(Odds._fields))
    made["k"], made["n"] = (pd.Series([row[place] for row in rows], dtype="object") for place in (4, 5))
    made["fraction"] = [row.fraction for row in rows]
    made["probability"] = [row.probability for row in rows]
    if data is not None:
        from tichu_analytics.stats.observed import observed

        seen = observed(data, events).rows
        made["observed_k"] = pd.Series([one.k for one in seen], dtype="Int64")
        made["observed_n"] = pd.Series([one.n for one in seen], dtype="Int64")
        made["observed_rate"] = pd.Series([one.rate for one in seen], dtype="Float64")
        made["observed_low"] = pd.Series([one.low for one in seen], dtype="Float64")
        made["observed_high"] = pd.Series([one.high for one in seen], dtype="Float64")
        made["standard_errors"] = pd.Series([one.standard_errors for one in seen], dtype="Float64")
    return made


def _counted(event: Event, size: int) -> tuple[int, int]:
    """In how many hands or deals an event is so, and how many there are."""
    if event.who == "hand":
        counts = CLASSES[event.classes].counts(size)
        return sum(hands for number, hands in counts.items() if event.holds(number)), comb(TICHU.cards, size)
    hands = WHO[event.who]
    by_number = hands_with_bomb(hands, size, fours=event.kinds[0], flushes=event.kinds[1])
    return sum(by_number[number] for number in event.hands), deal_count(hands, size)


def _bombs() -> Iterator[Event]:
    def of_hand(event: str, holds: Callable[[int], bool]) -> Event:
        return Event("bombs", "hand", event, "bombs", holds)

    yield of_hand("a bomb", bool)
    yield of_hand("four of a kind", lambda bombs: fours(bombs) > 0)
    yield of_hand("straight flush", lambda bombs: flushes(bombs) > 0)
    yield of_hand("four of a kind and straight flush", lambda bombs: fours(bombs) > 0 and flushes(bombs) > 0)
    for number in range(5):
        what = "no bomb" if number == 0 else f"exactly {_number(number, 'bomb')}"
        yield of_hand(what, lambda bombs, number=number: fours(bombs) + flushes(bombs) == number)  # type: ignore[misc]
    for who, hands in list(WHO.items())[1:]:
        some = tuple(range(1, hands + 1))
        yield Event("bombs", who, "a bomb", "bombs", bool, some)
        yield Event("bombs", who, "four of a kind", "bombs", lambda bombs: fours(bombs) > 0, some, (True, False))
        yield Event("bombs", who, "straight flush", "bombs", lambda bombs: flushes(bombs) > 0, some, (False, True))
        for number in range(hands + 1):
            yield Event("bombs", who, f"{_number(number, 'hand')} with a bomb", "bombs", bool, (number,))


def _flushes() -> Iterator[Event]:
    yield _longest("flushes", "", "flush", 0, "no straight flush")
    for length in range(TICHU.run, TICHU.ranks + 1):
        yield _longest("flushes", "", "flush", length, f"longest of {length} cards")


def _straights() -> Iterator[Event]:
    for classes, start in (("straight", "Phoenix left aside: "), ("helped_straight", "with the Phoenix: ")):
        yield Event("straights", "hand", f"{start}a straight", classes, bool)
        yield _longest("straights", start, classes, 0, "no straight")
        for length in range(TICHU.run, TICHU.ranks + 2):
            yield _longest("straights", start, classes, length, f"longest of {length} cards")


def _longest(odds: str, start: str, classes: str, length: int, what: str) -> Event:
    return Event(odds, "hand", f"{start}{what}", classes, lambda longest: longest == length)


def _groups() -> Iterator[Event]:
    for name, classes, most in (("pair", "pairs", 7), ("triple", "triples", 4)):
        for number in range(most + 1):
            yield Event("groups", "hand", _number(number, name), classes, lambda found, n=number: found == n)  # type: ignore[misc]
    for number in range(4):
        what = f"{_number(number, 'four', 'fours')} of a kind"
        yield Event("groups", "hand", what, "bombs", lambda found, n=number: fours(found) == n)  # type: ignore[misc]


def _aces() -> Iterator[Event]:
    for number in range(TICHU.suits + 1):
        yield Event("aces", "hand", _number(number, "ace"), "honours", lambda found, n=number: aces(found) == n)  # type: ignore[misc]


def _specials() -> Iterator[Event]:
    for name, bit in SPECIALS.items():
        yield Event("specials", "hand", f"the {name}", "honours", lambda found, bit=bit: specials(found) & bit > 0)  # type: ignore[misc]
    for number in range(len(SPECIALS) + 1):
        what = _number(number, "special card")
        yield Event("specials", "hand", what, "honours", lambda found, n=number: specials(found).bit_count() == n)  # type: ignore[misc]


def _high() -> Iterator[Event]:
    """High cards, and rules of thumb for Grand Tichu that have been asked about."""

    def tops(honours: int) -> int:
        """How many of Dragon and Phoenix there are."""
        return (specials(honours) & (SPECIALS["Dragon"] | SPECIALS["Phoenix"])).bit_count()

    def good(honours: int) -> bool:
        return tops(honours) == 2 or (aces(honours) >= 1 and tops(honours) == 1)

    def low_special(honours: int) -> bool:
        return specials(honours) & (SPECIALS["Dog"] | SPECIALS["Mah Jong"]) > 0

    def of_hand(event: str, holds: Callable[[int], bool]) -> Event:
        return Event("high", "hand", event, "honours", holds)

    for number in range(TICHU.suits + 3):
        what = _number(number, "high card")
        yield of_hand(what, lambda found, n=number: aces(found) + tops(found) == n)  # type: ignore[misc]
    yield of_hand("Dragon or Phoenix", lambda found: tops(found) > 0)
    yield of_hand("Dragon and Phoenix", lambda found: tops(found) == 2)
    yield of_hand("an ace and the Dragon or Phoenix, or both of these", good)
    yield of_hand("the same, and the Dog or Mah Jong", lambda found: good(found) and low_special(found))
    yield of_hand(
        "two aces and the Dragon or Phoenix, or an ace and both",
        lambda found: (aces(found) >= 2 and tops(found) >= 1) or (aces(found) >= 1 and tops(found) == 2),
    )


def _categories() -> Iterator[Event]:
    for number in range(TICHU.suits + 1):
        for bits in range(1 << len(SPECIALS)):
            # The Dragon changes first, then the Phoenix, so that hands of like strength stand together.
            chosen = [name for place, name in enumerate(SPECIALS) if bits >> place & 1]
            wanted = 16 * number + sum(SPECIALS[name] for name in chosen)
            what = ", ".join([_number(number, "ace"), *(chosen or ["no special card"])])
            yield Event("categories", "hand", what, "honours", lambda found, wanted=wanted: found == wanted)  # type: ignore[misc]


def _number(number: int, one: str, many: str | None = None) -> str:
    """``no ace``, ``1 ace``, ``2 aces``."""
    return f"no {one}" if number == 0 else f"{number} {one if number == 1 else many or one + 's'}"


_EVENTS: Final[dict[str, Callable[[], Iterator[Event]]]] = {
    "bombs": _bombs,
    "flushes": _flushes,
    "straights": _straights,
    "groups": _groups,
    "aces": _aces,
    "specials": _specials,
    "high": _high,
    "categories": _categories,
}
