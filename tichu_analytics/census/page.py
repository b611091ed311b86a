"""A census as files: JSON for programs, a page of Markdown for people, with published figures beside its own."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from tichu_analytics.census.count import OUTCOMES, UNKNOWN, Census
from tichu_analytics.census.published import ROUNDS, SOURCE, TOTALS, YEARS
from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.findings import SEVERITIES
from tichu_analytics.tables.files import write_whole
from tichu_analytics.view.escape import for_markdown

#: The endings of files, each with what is written into one.
ENDINGS: Final = (".json", ".md")
#: What stands near the beginning of such a file, by its ending.
MARKS: Final = {".json": b'"type": "census"', ".md": b"# Census\n"}

_TOTALS: Final = {
    "files": "logs and records that were read (the same game twice is one)",
    "unreadable": "inputs that could not be read, and games that could not be checked",
    "files_without_usable_round": "of those read: without a round that was played to its end",
    "games": "games: all others",
    "games_without_fault": "… finished, without a failed round",
    "games_unfinished": "… not finished, without a failed round",
    "games_overplayed": "… with rounds after the end, without a failed round",
    "games_with_failed_round": "… with a failed round",
    "games_with_player_change": "games with a change of players",
    "games_without_fault_and_change": "games finished without a failed round and without such a change",
    "rounds_read": "rounds that were read",
    "rounds_complete": "rounds that were played to their end",
    "rounds_clean": "rounds without any finding",
    "rounds_complete_without_error": "rounds played to their end without a finding of severity error",
}
_HEAD: Final = """\
# Census

Counted by `tichu check --census`, version {version}, rule set `{rules}`.

A round has *failed* if it has a finding of severity error; a game with a failed round is counted as such, whatever its
outcome. The columns *published* have the {source}, which were counted by
another program.
"""
_COMPARED: Final = """\
The published table gives a round one code only, that of its first fault; here a round counts wherever it has an error
with one of the codes named. Codes correspond by their meaning and need not agree on every round.
"""
_YEARS: Final = """\
The year is that of the archive's folder (`200801`). A wrong score is one of {codes}; the
published column beside it has the games with code 60 SCORE\\_NOT\\_POSSIBLE.
"""


def write_census(census: Census, path: Path) -> None:
    """Writes a census whole or not at all, as JSON or as a page by the ending of the file.

    Raises:
        CannotWrite: if that is not possible; a file that was there before stays.
    """
    is_page = path.suffix.lower() != ".json"
    write_whole(path, (page(census) if is_page else json.dumps(census.record(), indent=1) + "\n").encode())


def page(census: Census) -> str:
    """A census as Markdown."""
    from tichu_analytics import __version__

    parts = [_HEAD.format(version=__version__, rules=for_markdown(census.rules), source=SOURCE)]
    parts += ["## Games and rounds\n", _table("what|counted|published", _totals(census))]
    parts += ["## Games by outcome\n", _table("outcome|games|failed|player change|rounds|clean", _outcomes(census))]
    parts += ["## Findings\n", _table("code|name|severity|findings|rounds|games", _codes(census))]
    parts += ["## Beside the published table\n", _COMPARED]
    parts += [_table("published code|published rounds|rounds here|codes here", _compared(census))]
    wrong = ", ".join(ROUNDS[-1].codes)
    parts += ["## By year\n", _YEARS.format(codes=wrong), _table(_YEAR_HEAD, _years(census))]
    parts += ["## Examples\n", *_examples(census)]
    return "\n".join(parts)


_YEAR_HEAD: Final = (
    "year|games|published games|with a wrong score|published|finished|unfinished|overplayed|failed|rounds|clean"
)


def _table(head: str, rows: Iterable[Sequence[str | int | None]]) -> str:
    """A table; numbers get commas, what is not known is left empty. Texts have to be escaped already."""
    rows = list(rows)
    names = head.split("|")
    are_numbers = [any(isinstance(row[place], int) for row in rows) for place in range(len(names))]
    lines = [names, ["---:" if numbers else "---" for numbers in are_numbers]]
    lines += [["" if one is None else f"{one:,}" if isinstance(one, int) else one for one in row] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _totals(census: Census) -> Iterator[Sequence[str | int | None]]:
    for name, count in census.totals().items():
        yield _TOTALS[name], count, TOTALS.get(name)


def _outcomes(census: Census) -> Iterator[Sequence[str | int | None]]:
    for outcome, counts in census.outcomes().items():
        names = ("games", "failed_games", "player_change_games", "rounds", "clean_rounds")
        yield outcome, *(counts[name] for name in names)


def _codes(census: Census) -> Iterator[Sequence[str | int | None]]:
    for code in sorted(census.examples):
        for severity in SEVERITIES:
            if counts := census.codes.get((code, severity)):
                yield code, CODES[code].name, severity, counts["findings"], counts["rounds"], counts["games"]


def _compared(census: Census) -> Iterator[Sequence[str | int | None]]:
    for figure, rounds in zip(ROUNDS, census.groups, strict=True):
        codes = ", ".join(f"{code} {CODES[code].name}" for code in figure.codes)
        yield for_markdown(figure.published), figure.rounds, rounds, codes


def _years(census: Census) -> Iterator[Sequence[str | int | None]]:
    counted = census.years()
    for year in sorted({*counted, *YEARS} - {UNKNOWN}) + [UNKNOWN] * (UNKNOWN in counted):
        counts = counted.get(year, {})
        wrong, games = YEARS.get(year, (None, None))
        yield (
            year,
            counts.get("games", 0),
            games,
            counts.get("wrong_score_games", 0),
            wrong,
            *(counts.get(f"{outcome}_games", 0) for outcome in OUTCOMES),
            *(counts.get(name, 0) for name in ("failed_games", "rounds", "clean_rounds")),
        )


def _examples(census: Census) -> Iterator[str]:
    if not census.examples:
        yield "There are none, since nothing was found.\n"
    for code, findings in sorted(census.examples.items()):
        yield f"### {code} {CODES[code].name}: {CODES[code].title}\n"
        yield "".join(
            f"- {for_markdown(one.path)}, game {for_markdown(one.game_id)}"
            f"{'' if one.round is None else f', round {one.round}'}, line {one.line}: {for_markdown(one.message)}\n"
            for one in findings
        )
