"""What a measure is, and the list of all: what is counted, of what, by which unit, and a sentence for readers.

A measure is declared once and works everywhere: on the command line, in Python, in docs/statistics.md. Those that come
along stand in :mod:`tichu_analytics.stats.subjects`, a module a subject; whoever wants another one makes a
:class:`Measure` and calls :func:`register` (docs/own_measures.md).
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from pkgutil import iter_modules
from typing import Final, NamedTuple

from tichu_analytics.stats.bases import BASES

#: The subjects in the order in which they are shown. Those of measures of one's own come after them.
SUBJECTS: Final = ("tichu", "bombs", "exchange", "results", "players")

#: The columns of every result, before those of its groups.
COLUMNS: Final = ("measure", "population", "n", "k", "n_games", "estimate", "low", "high", "unit")
#: The columns of every comparison of two groups, before those of the groups.
DIFFERENCE_COLUMNS: Final = (
    *("measure", "population", "n", "k", "other_n", "other_k", "n_games"),
    *("difference", "low", "high", "p", "p_holm", "unit"),
)
#: Further columns, after those of the groups, where they make sense; numbers with a fraction.
SHRUNK: Final = ("shrunk", "shrunk_low", "shrunk_high")
#: Those of a comparison within categories, see :mod:`tichu_analytics.stats.contrasts`; the latter two are counts.
CONTRAST: Final = ("with_call", "without_call", "calls", "others")
#: Those of a rating, see :mod:`tichu_analytics.stats.strength`.
RATING: Final = ("mu", "sigma", "conservative")
#: Those of a distribution, see :mod:`tichu_analytics.stats.spreads`: in front the standard deviation.
QUANTILES: Final = {f"p{percent}": percent for percent in (1, 5, 10, 25, 50, 75, 90, 95, 99)}
SPREAD: Final = ("sd", "least", *QUANTILES, "greatest")
FLOATS: Final = (*SHRUNK, *CONTRAST[:2], *RATING, "sd")
#: All further columns.
MORE_COLUMNS: Final = (*SHRUNK, *CONTRAST, *RATING, *SPREAD)
#: Where names can be looked up.
LISTED: Final = "'tichu stats --list' shows all"

_NAME: Final = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")
_WORD: Final = re.compile(r"[a-z][a-z0-9_]*")


class WrongMeasure(ValueError):
    """A measure that is not declared as it should be; the text says what is wrong."""


class UnknownName(ValueError):
    """A name of a measure, a subject or a column that there is not; the text says what may be meant."""


class Spread(NamedTuple):
    """Makes a measure one of several rates of the same population, told apart by a column of the result.

    Attributes:
        column: the name of that column.
        cells: each value of the column, with the condition that is counted for it.
    """

    column: str
    cells: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Measure:
    """A rate (``counted``) or a mean (``value``) of the rows of a population.

    All conditions and values are SQL over the columns that the base has: see :mod:`tichu_analytics.stats.bases` and
    :mod:`tichu_analytics.stats.groupings`; the card functions can be used.

    Attributes:
        name: small letters with a dot, such as ``tichu.call_rate``.
        subject: under which it is found.
        base: what it goes over: ``hands`` (a seat in a round), ``rounds``, ``teams`` (a team in a round), ``games``,
            ``seats`` (a seat in a game), ``bombs`` (a bomb that is played), ``held_bombs`` (a bomb in a hand),
            ``held_straights``, ``moves``, ``tricks``, ``exchanges`` and ``gifts`` (a card that is passed, with the hand
            of the receiver or the giver), ``runs`` (four ranks in a row that are dealt).
        population: in words, what it is a share or a mean of.
        sentence: for readers: what it tells.
        of: the condition for a row to belong to the population; all rows by default.
        counted: for a rate, the condition for a row to be counted; null counts as no.
        value: for a mean, a whole number a row; rows without one (null) do not belong to the population.
        unit: of a mean; a rate is a ``proportion``.
        divisor: the value counts in parts of so many a unit, 2 for halves; ``k`` is the sum of such parts.
        always_by: columns by which it is grouped in any case.
        spread: for several rates in one, in the place of ``counted``.
        by: columns by which it makes sense to group it, as a proposal.
        against: for a comparison: the condition for the rows with which those of ``of`` are compared by their value.
        within: the column of the categories within which they are compared.
        on_request: only worked out where it is named, or its spread is grouped by; so that a subject has no more
            columns than it needs.
    """

    name: str
    subject: str
    base: str
    population: str
    sentence: str
    of: str | None = None
    counted: str | None = None
    value: str | None = None
    unit: str = "proportion"
    divisor: int = 1
    always_by: tuple[str, ...] = ()
    spread: Spread | None = None
    by: tuple[str, ...] = ()
    on_request: bool = False
    against: str | None = None
    within: str | None = None

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise WrongMeasure(f"{self.name!a} is no name for a measure; it is small letters with a dot: own.measure")
        if not _WORD.fullmatch(self.subject):
            raise WrongMeasure(f"{self.name}: {self.subject!a} is no name for a subject; it is a word of small letters")
        if self.base not in BASES:
            raise WrongMeasure(f"{self.name}: there is no base {self.base!a}; they are {', '.join(BASES)}")
        if sum(what is not None for what in (self.counted, self.value, self.spread)) != 1:
            raise WrongMeasure(f"{self.name}: exactly one of counted, value and spread says what it tells")
        if not isinstance(self.divisor, int) or self.divisor < 1:
            raise WrongMeasure(f"{self.name}: the divisor is a whole number from 1 on")
        if self.spread is not None and self.spread.column in (*COLUMNS, *DIFFERENCE_COLUMNS, *MORE_COLUMNS):
            raise WrongMeasure(
                f"{self.name}: every result has a column {self.spread.column}; name the spread otherwise"
            )
        if (self.against is None) != (self.within is None):
            raise WrongMeasure(f"{self.name}: a comparison has both against and within")
        if self.against is not None and (self.of is None or self.value is None or self.always_by):
            raise WrongMeasure(f"{self.name}: a comparison is one of values, has an of, and no always_by")
        if self.value is not None and self.unit == "proportion":
            raise WrongMeasure(f"{self.name}: a mean has a unit, such as points")
        if self.value is None and (self.unit, self.divisor) != ("proportion", 1):
            raise WrongMeasure(f"{self.name}: a rate is a proportion, without another unit or a divisor")

    @property
    def is_rate(self) -> bool:
        """Whether it is a rate; else it is a mean."""
        return self.value is None

    @property
    def texts(self) -> tuple[str, ...]:
        """All its SQL."""
        cells = self.spread.cells if self.spread else ()
        return tuple(
            text for text in (self.of, self.against, self.counted, self.value, *(sql for _, sql in cells)) if text
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns by which it is grouped in any case, that of a spread last."""
        return self.always_by + ((self.spread.column,) if self.spread else ())


#: Those that came by :func:`register`, by name.
_own: dict[str, Measure] = {}
_shipped: dict[str, Measure] = {}


def register(measure: Measure) -> Measure:
    """Adds a measure to the list, for this process, and returns it. The same one again changes nothing.

    Raises:
        WrongMeasure: if there is another one of that name.
    """
    there = measures().get(measure.name)
    if there is not None and there != measure:
        raise WrongMeasure(f"there is a measure {measure.name} already; take another name")
    if there is None:
        _own[measure.name] = measure
    return measure


def unregister(name: str) -> None:
    """Takes a measure off the list that :func:`register` has added; does nothing if there is none."""
    _own.pop(name, None)


def is_own(measure: Measure) -> bool:
    """Whether it came by :func:`register`."""
    return measure.name in _own


def measures() -> dict[str, Measure]:
    """All measures by name, in the order in which they are shown."""
    if not _shipped:
        from tichu_analytics.stats import subjects

        names = [module.name for module in iter_modules(subjects.__path__)]
        modules = [import_module(f"{subjects.__name__}.{name}") for name in sorted(names)]
        found: list[Measure] = [measure for module in modules for measure in module.MEASURES]
        for measure in sorted(found, key=lambda one: SUBJECTS.index(one.subject)):
            _shipped[measure.name] = measure
    return _shipped | _own


def subjects() -> tuple[str, ...]:
    """The names of all subjects that have a measure."""
    return tuple(dict.fromkeys(measure.subject for measure in measures().values()))


def chosen(subject: str | None = None, names: Iterable[str] | None = None, by: Collection[str] = ()) -> list[Measure]:
    """The measures of a subject, or those of some names, or all.

    Args:
        subject: a subject; None for all but single players.
        names: names of measures; None for all of the subject that are not on request.
        by: what it will be grouped by; asks for measures with such a spread.

    Raises:
        UnknownName: for a name that there is not, and a measure of another subject.
    """
    known = measures()
    if subject in known:
        raise UnknownName(f"{subject} is a measure, not a subject; ask for it by --measures, in Python by measures=")
    if subject is not None and subject not in subjects():
        near = nearest(subject, subjects(), f"they are {', '.join(subjects())}")
        raise UnknownName(f"there is no subject {short(subject)}; {near}")
    if names is None:
        asked = [one for one in known.values() if not one.on_request or (one.spread and one.spread.column in by)]
        if subject is None:
            # Of each player by name there may be a hundred thousand rows.
            return [one for one in asked if "player" not in one.always_by]
        return [one for one in asked if one.subject == subject]
    found = []
    for name in names:
        if name not in known:
            raise UnknownName(f"there is no measure {short(name)}; {nearest(name, known, LISTED)}")
        if subject not in (None, known[name].subject):
            raise UnknownName(f"{name} belongs to the subject {known[name].subject}, not to {subject}")
        found.append(known[name])
    if not found:
        raise UnknownName("no measure is named")
    return list(dict.fromkeys(found))


def nearest(name: str, names: Iterable[str], otherwise: str) -> str:
    """What may be meant by a name that there is not: the nearest names; without any, another text."""
    there = list(names)
    near = get_close_matches(name.lower()[:80], there, n=3, cutoff=0.6)
    # The last word alone is what people remember of a measure.
    near += [one for one in there if one.rpartition(".")[2] == name.lower() and one not in near]
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def short(text: str) -> str:
    """A name that somebody has asked for, in quotation marks; of a very long one the beginning."""
    return ascii(text if len(text) <= 60 else f"{text[:57]}...")
