"""The verb ``odds``: exact probabilities of what is dealt, and what was dealt in recorded games beside them."""

from __future__ import annotations

import enum
import sys
from collections.abc import Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Annotated, Any, Final, NoReturn

import typer

from tichu_cli.naming import a_data_set
from tichu_cli.tabular import Format, write_rows

if TYPE_CHECKING:
    from tichu_analytics.stats.observed import Observed
    from tichu_analytics.stats.odds import Odds

#: What the columns of a table for reading hold; of CSV and JSON see ``_write_flat``.
_HEAD: Final = ("event", "%", "one in", "k of n")
_HEAD_OBSERVED: Final = ("event", "%", "one in", "observed %", "95 % interval", "observed", "std. errors", "k of n")

#: Whose cards a section is about.
_WHO: Final = {
    ("hand", 8): "first 8 cards of a hand",
    ("hand", 14): "14 cards of a hand",
    ("team", 8): "first 8 cards of two partners",
    ("team", 14): "14 cards of two partners",
    ("table", 8): "first 8 cards of all four hands",
    ("table", 14): "14 cards of all four hands",
}


class Cards(enum.StrEnum):
    """How many cards are looked at."""

    FIRST = "8"
    ALL = "14"


def command(
    subject: Annotated[
        str | None,
        typer.Argument(
            metavar="[SUBJECT]",
            help="bombs, flushes, straights, groups, aces, specials, high or categories; none for all of them.",
            show_default=False,
        ),
    ] = None,
    cards: Annotated[
        Cards | None,
        typer.Option(help="Only the first 8 cards, or all 14 before the exchange.", show_default=False),
    ] = None,
    data: Annotated[
        str | None,
        typer.Option(
            callback=a_data_set,
            metavar="DATA",
            help="A data set that 'tichu export' has written: what was dealt there stands beside.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to write them.")] = Format.TABLE,
) -> None:
    """Gives exact probabilities of what is dealt in Tichu, counted over all hands that there are.

    Each is a fraction k of n, not reduced: n is the number of all hands of 8 or 14 cards, or of all ways to deal them
    to two or four players. 'hand' is any one player, 'team' two partners, 'table' all four.

    Example: tichu odds bombs --cards 8
    """
    from tichu_analytics.stats.odds import exact_events

    try:
        events = exact_events(subject, None if cards is None else int(cards))
    except ValueError as error:
        _fail(str(error))
    beside: Sequence[Observed] | None = None
    if data is not None:
        beside = _observed(data, events)
    rows = [row for _, row in events]
    if output in (Format.CSV, Format.JSON):
        _write_flat(output, rows, beside)
    else:
        _write_sections(output, rows, beside)


def _observed(data: str, events: Any) -> Sequence[Observed]:
    """What was dealt in the games of a data set; says what was left out."""
    try:
        from tichu_analytics.stats.observed import observed
        from tichu_analytics.tables.dataset import Dataset

        found = observed(Dataset(data), events)
    except (ValueError, OSError) as error:
        _fail(str(error))
    except ImportError as error:
        _fail(f"a data set needs {error.name or 'pyarrow'}, which is not installed")
    for size, without in found.without.items():
        if without:
            which = "first 8" if size == 8 else str(size)
            _say(f"{without:,} of {found.rounds:,} rounds are left out: the {which} cards of a hand are not recorded")
    return found.rows


def _write_flat(output: Format, rows: Sequence[Odds], beside: Sequence[Observed] | None) -> None:
    """All odds in one list, for programs."""
    columns = ["odds", "who", "cards", "event", "fraction", "probability"]
    lines: list[list[Any]] = [[row.odds, row.who, row.cards, row.event, row.fraction, row.probability] for row in rows]
    if beside is not None:
        columns += ["observed_k", "observed_n", "observed_rate", "observed_low", "observed_high", "standard_errors"]
        for line, seen in zip(lines, beside, strict=True):
            errors = None if seen.standard_errors is None else round(seen.standard_errors, 4)
            line += [seen.k, seen.n, seen.rate, seen.low, seen.high, errors]
    if output is Format.CSV and hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(newline="")  # the lines of CSV bring their own ends
    write_rows(output, sys.stdout, sys.stderr, columns, [], lines, 0)


def _write_sections(output: Format, rows: Sequence[Odds], beside: Sequence[Observed] | None) -> None:
    """A table with a heading for each subject and what is looked at, for reading."""
    from tichu_analytics.stats.odds import SUBJECTS

    head = _HEAD if beside is None else _HEAD_OBSERVED
    numeric = [place > 0 for place in range(len(head))]
    numbered = list(enumerate(rows))
    first = True
    for (name, who, size), section in groupby(numbered, lambda one: (one[1].odds, one[1].who, one[1].cards)):
        title = f"{SUBJECTS[name]} ({_WHO[who, size]})"
        lines = [_line(row, None if beside is None else beside[place]) for place, row in section]
        sys.stdout.write("" if first else "\n")
        sys.stdout.write(f"## {title}\n\n" if output is Format.MARKDOWN else f"{title}\n")
        write_rows(output, sys.stdout, sys.stderr, head, numeric, lines, 0)
        first = False


def _line(row: Odds, seen: Observed | None) -> list[str | None]:
    """A line of a table for reading."""
    exact = [row.event, percent(row.k, row.n), one_in(row.k, row.n)]
    fraction = f"{row.k:,} of {row.n:,}"
    if seen is None:
        return [*exact, fraction]
    # Adding 0 turns -0.0 into 0.0.
    errors = None if seen.standard_errors is None else f"{round(seen.standard_errors, 1) + 0:+.1f}"
    rate = percent(seen.k, seen.n) if seen.n else None
    return [*exact, rate, _interval(seen), f"{seen.k:,} of {seen.n:,}", errors, fraction]


def _interval(seen: Observed) -> str | None:
    """Both ends in per cent, with three decimals or what the upper end needs to show three digits."""
    if seen.low is None or seen.high is None:
        return None
    decimals = 3
    while decimals < 40 and seen.high * 10 ** (decimals + 2) < 100:
        decimals += 1
    return " to ".join(f"{100 * end:.{decimals}f}" if end else "0" for end in (seen.low, seen.high))


def percent(k: int, n: int) -> str:
    """``k`` of ``n`` in per cent with five digits that count, and at least three behind the point, without exponent."""
    if k == 0:
        return "0"
    decimals = 3
    while decimals < 40 and 10**decimals * 100 * k < 10**4 * n:
        decimals += 1
    # Rounded half up in whole numbers: nothing is lost with large ones.
    scaled = (2 * 100 * k * 10**decimals + n) // (2 * n)
    return f"{scaled // 10**decimals}.{scaled % 10**decimals:0{decimals}}"


def one_in(k: int, n: int) -> str:
    """``N`` of "one in N": with two decimals below 100, else whole and with commas."""
    if n < 100 * k:
        scaled = (2 * 100 * n + k) // (2 * k)
        return f"{scaled // 100}.{scaled % 100:02}"
    return f"{(2 * n + k) // (2 * k):,}"


def _say(message: str) -> None:
    from tichu_analytics.view.escape import for_terminal

    sys.stderr.write(f"tichu: {for_terminal(message)}\n")


def _fail(message: str) -> NoReturn:
    _say(message)
    raise typer.Exit(2)
