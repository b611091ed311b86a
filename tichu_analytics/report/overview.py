"""What was read for a report, what was left out and why: from what the data set says of itself, and its findings."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.replay.codes import BY_NAME, CODES
from tichu_analytics.replay.explain import explain
from tichu_analytics.report.model import Column, Plan, Shown, Table
from tichu_analytics.report.table import plain_table
from tichu_analytics.report.words import count, many
from tichu_analytics.tables.schema import INCOMPLETE
from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    from tichu_analytics.tables.dataset import Dataset

_INCOMPLETE: Final = "the round is not played to its end"
_BEYOND: Final = "rounds of a game beyond what the tables can number"
_NO_TABLE: Final = "The data set was exported without the table {}."
_FINDINGS: Final = (
    "select code, name, severity, count(*) as findings, count(distinct game_id) as games from findings "
    "group by all order by all"
)
_OUTCOMES: Final = (
    "select outcome, count(*) as games, sum(n_rounds) as rounds from games group by outcome order by outcome"
)
_PLAYERS: Final = "select count(distinct player) from hands where player <> ''"
_MONTHS: Final = "select min(played_month), max(played_month), count(*) filter (played_month is null) from games"


class Fact(NamedTuple):
    """A number that stands at the top of a report.

    Attributes:
        text: the number.
        what: what it counts.
    """

    text: str
    what: str


class Explained(NamedTuple):
    """What a finding of the collection means.

    Attributes:
        code, name, severity, title: as in :class:`tichu_analytics.replay.codes.Code`.
        meaning: what it means, in paragraphs.
    """

    code: str
    name: str
    severity: str
    title: str
    meaning: tuple[str, ...]


class Overview(NamedTuple):
    """What a report says of the collection.

    Attributes:
        facts: the numbers at its top.
        sentence: what was read, in a sentence.
        months: from when to when the games were played; empty if that is not known.
        rules: the rule sets under which they were replayed, with the number of games.
        shown: tables about what was read, left out and found.
        explained: what the findings mean.
        unreadable: inputs that could not be read, each with the reason.
    """

    facts: tuple[Fact, ...]
    sentence: str
    months: str
    rules: str
    shown: tuple[Shown, ...]
    explained: tuple[Explained, ...]
    unreadable: tuple[str, ...]


def overview(data: Dataset) -> Overview:
    """What there is to say of a data set."""
    info = data.info
    left = info["rounds"] - info["rounds_kept"]
    rules = ", ".join(f"{name} ({many(games, 'game')})" for name, games in info.get("games_by_rules", {}).items())
    facts = [
        Fact(count(info["games"]), "game" if info["games"] == 1 else "games"),
        Fact(count(info["rounds_kept"]), f"of {many(info['rounds'], 'round')} counted"),
    ]
    if "hands" in data.tables:
        players = int(_first(data, _PLAYERS)[0])
        facts.append(Fact(count(players), "player" if players == 1 else "players"))
    findings = info["rows"].get("findings")
    if findings is not None:
        facts.append(Fact(count(findings), "finding" if findings == 1 else "findings"))
    are = "is" if info["rounds_kept"] == 1 else "are"
    kept = f"{info['rounds_kept']:,} of the rounds {are} complete and legally played, and {are} counted; "
    kept += f"{left:,} left out."
    all_kept = "All rounds are complete and legally played, and are counted."
    if info["rounds"] == 1:
        kept = "It is not complete or not legally played, and is left out."
        all_kept = "It is complete and legally played, and is counted."
    were = "was" if info["games"] == 1 else "were"
    read = f"{many(info['games'], 'game')} with {many(info['rounds'], 'round')} {were} read."
    sentence = f"{read} {kept if left else all_kept}" if info["rounds"] else f"{read} There is nothing to be counted."
    codes = _finding_rows(data)
    return Overview(
        tuple(facts),
        sentence,
        _months(data),
        rules,
        (_read(data), _excluded(info), _findings(data, codes)),
        tuple(_explained(code) for code in dict.fromkeys(row[0] for row in codes or ())),
        _unreadable(info),
    )


def _first(data: Dataset, sql: str) -> tuple[Any, ...]:
    return next(iter(_rows(data, sql)))


def _rows(data: Dataset, sql: str) -> list[tuple[Any, ...]]:
    with data.sql(sql) as answer:
        return [tuple(row) for row in answer]


def _months(data: Dataset) -> str:
    if "games" not in data.tables:
        return ""
    first, last, unknown = _first(data, _MONTHS)
    if first is None:
        return ""
    span = _month(first) if first == last else f"{_month(first)} to {_month(last)}"
    return span + (f" (of {many(unknown, 'game')} the month is not known)" if unknown else "")


def _month(text: str) -> str:
    return f"{text[:4]}-{text[4:]}" if len(text) == 6 and text.isdigit() else for_terminal(text)


def _read(data: Dataset) -> Shown:
    """Games by their outcome."""
    plan = Plan("data-games", "Games", "finished, not finished, or played on after the end")
    if "games" not in data.tables:
        return Shown(plan, "", "", (), (), None, _NO_TABLE.format("games"))
    rows = _rows(data, _OUTCOMES)
    columns = (Column("outcome", "outcome"), Column("games", "games", True), Column("rounds", "complete rounds", True))
    return _table(plan, columns, [(outcome, games, int(rounds or 0)) for outcome, games, rounds in rows], _OUTCOMES)


def _excluded(info: dict[str, Any]) -> Shown:
    """Rounds that were left out, by reason."""
    plan = Plan(
        "data-left-out",
        "Rounds that are left out",
        "Only rounds that are complete and legally played are counted. A round is named once, by the first reason.",
    )
    reasons = sorted(info["rounds_excluded"].items(), key=lambda item: (-item[1], item[0]))
    if not reasons:
        return Shown(plan, "", "", (), (), None, "No round is left out.")
    columns = (
        Column("reason", "reason"),
        Column("rounds", "rounds", True),
        Column("meaning", "what it means", is_long=True),
    )
    return _table(plan, columns, [(reason, rounds, _reason(reason)) for reason, rounds in reasons], "")


def _reason(name: str) -> str:
    if name in BY_NAME:
        return BY_NAME[name].title
    return _INCOMPLETE if name == INCOMPLETE else _BEYOND


def _finding_rows(data: Dataset) -> list[tuple[Any, ...]] | None:
    return _rows(data, _FINDINGS) if "findings" in data.tables else None


def _findings(data: Dataset, rows: list[tuple[Any, ...]] | None) -> Shown:
    """Findings by code and severity."""
    plan = Plan(
        "data-findings",
        "Findings by code",
        "What is not in order in the records, in any round. An error leaves its round out, unless only the result is "
        "wrong; warnings and notes leave nothing out.",
        is_wide=True,
    )
    if rows is None:
        return Shown(plan, "", "", (), (), None, _NO_TABLE.format("findings"))
    if not rows:
        return Shown(plan, "", "", (), (), None, "Nothing was found: all records are in order.")
    columns = (
        Column("code", "code"),
        Column("name", "name"),
        Column("severity", "severity"),
        Column("findings", "findings", True),
        Column("games", "games", True),
        Column("meaning", "what it means", is_long=True),
    )
    return _table(plan, columns, [(*row, CODES[row[0]].title) for row in rows], _FINDINGS)


def _table(plan: Plan, columns: tuple[Column, ...], rows: list[tuple[Any, ...]], sql: str) -> Shown:
    table: Table = plain_table(columns, rows, (f'tichu query DATA "{sql}"',) if sql else ())
    return Shown(plan, "", "", (), (), table, csv=(tuple(one.name for one in columns), [list(row) for row in rows]))


def _explained(code: str) -> Explained:
    page = explain(code)
    return Explained(page.code, page.name, page.severity, page.title, page.meaning)


def _unreadable(info: dict[str, Any]) -> tuple[str, ...]:
    """Inputs that could not be read, by the last part of their names: a page may be given away."""
    inputs = info.get("inputs")
    if not isinstance(inputs, dict):
        return ()
    named = inputs.get("unreadable_first")
    found = []
    for one in named if isinstance(named, list) else []:
        if isinstance(one, dict):
            name = PurePath(str(one.get("path", ""))).name
            found.append(for_terminal(f"{name}: {one.get('message', 'cannot be read')}"))
    number = inputs.get("unreadable")
    if isinstance(number, int) and number > len(found):
        found.append(f"{number - len(found):,} more")
    return tuple(found)
