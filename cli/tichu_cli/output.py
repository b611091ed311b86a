"""How findings and the summary of a check are written: as text, as JSON Lines, as GitHub workflow commands."""

from __future__ import annotations

import os
from collections import Counter
from typing import Final, Literal, Protocol, TextIO

from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.findings import Finding, Severity
from tichu_analytics.view.escape import NOTHING, for_github, for_terminal, value_shown

Format = Literal["text", "json", "github"]

_COLOURS: Final[dict[Severity, str]] = {"error": "31", "warning": "33", "note": "36"}
_GITHUB_LEVELS: Final[dict[Severity, str]] = {"error": "error", "warning": "warning", "note": "notice"}


class Summary:
    """What a check comes to, added up game by game.

    Attributes:
        games: the number of games that were read.
        rounds: their rounds.
        clean_rounds: rounds without a finding that was asked for.
        counts: number of findings by code and severity.
    """

    def __init__(self) -> None:
        self.games = 0
        self.rounds = 0
        self.clean_rounds = 0
        self.counts: Counter[tuple[str, Severity]] = Counter()

    def add(self, rounds: int, clean_rounds: int, findings: list[Finding], shown: list[Finding]) -> None:
        """Adds one game.

        Args:
            rounds: the number of its rounds.
            clean_rounds: those of them without any finding.
            findings: all its findings.
            shown: those of them that were asked for; a round with none of these counts as clean.
        """
        self.games += 1
        self.rounds += rounds
        self.clean_rounds += clean_rounds
        if not findings:  # as in nearly all games
            return
        self.clean_rounds += len(_rounds(findings)) - len(_rounds(shown))
        self.counts.update((finding.code, finding.severity) for finding in shown)

    def worst(self, severity: Severity) -> bool:
        """Whether there is a finding of that severity."""
        return any(found == severity for _, found in self.counts)


def _rounds(findings: list[Finding]) -> set[int]:
    return {finding.round for finding in findings if finding.round is not None}


class Writer(Protocol):
    """One way of writing findings and the summary."""

    def finding(self, finding: Finding) -> None:
        """Writes a finding."""

    def summary(self, summary: Summary, *, quiet: bool) -> None:
        """Writes the summary at the end; with ``quiet`` only where it is part of the format."""


def make_writer(form: Format, out: TextIO, remarks: TextIO) -> Writer:
    """The writer for a format.

    Args:
        form: ``text``, ``json`` or ``github``.
        out: where the findings go.
        remarks: where what is no result goes.
    """
    if form == "json":
        return _JsonWriter(out)
    if form == "github":
        return _GithubWriter(out, remarks)
    return _TextWriter(out, colours=has_colours(out))


def has_colours(out: TextIO) -> bool:
    """Whether text to that stream is coloured: on a terminal that can, unless NO_COLOR is set."""
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


class _TextWriter:
    """Lines for people: ``path:line: CODE name: message [severity]``, with the place and the reasons below."""

    def __init__(self, out: TextIO, *, colours: bool) -> None:
        self._out = out
        self._colours = colours

    def finding(self, finding: Finding) -> None:
        severity = self._paint(finding.severity, finding.severity)
        text = for_terminal(f"{finding.path}:{finding.line}: {finding.code} {finding.name}: {finding.message}")
        self._out.write(f"{text} [{severity}]\n")
        details = [
            f"{label} {value_shown(str(value))}"
            for label, value in (
                ("round", finding.round),
                ("seat", finding.seat),
                ("expected:", finding.expected),
                ("found:", finding.found),
            )
            if value is not None
        ]
        if details:
            self._out.write(f"    {'; '.join(details)}\n")

    def summary(self, summary: Summary, *, quiet: bool) -> None:
        if not quiet:
            for line in summary_lines(summary):
                self._out.write(f"{line}\n")

    def _paint(self, text: str, severity: Severity) -> str:
        return f"\033[{_COLOURS[severity]}m{text}\033[0m" if self._colours else text


class _JsonWriter:
    """JSON Lines, in ASCII, so that no character of a log can disturb what reads or shows them."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def finding(self, finding: Finding) -> None:
        self._write(
            {
                "type": "finding",
                "path": finding.path,
                "game_id": finding.game_id,
                "round": finding.round,
                "line": finding.line,
                "seat": finding.seat,
                "code": finding.code,
                "name": finding.name,
                "severity": finding.severity,
                "message": finding.message,
                "expected": finding.expected,
                "found": finding.found,
            }
        )

    def summary(self, summary: Summary, *, quiet: bool) -> None:
        del quiet  # the summary is the last line of the format
        counts: Counter[str] = Counter()
        for (code, _), count in summary.counts.items():
            counts[code] += count
        self._write(
            {
                "type": "summary",
                "games": summary.games,
                "rounds": summary.rounds,
                "clean_rounds": summary.clean_rounds,
                "findings": dict(sorted(counts.items())),
            }
        )

    def _write(self, record: dict[str, object]) -> None:
        import json

        self._out.write(json.dumps(record) + "\n")


class _GithubWriter:
    """Workflow commands that GitHub shows beside the lines of a file; the summary is a remark."""

    def __init__(self, out: TextIO, remarks: TextIO) -> None:
        self._out = out
        self._remarks = remarks

    def finding(self, finding: Finding) -> None:
        path = for_github(finding.path, is_property=True)
        title = for_github(f"{finding.code} {finding.name}", is_property=True)
        message = finding.message
        if finding.expected is not None:
            message += f"\nexpected: {finding.expected or NOTHING}"
        if finding.found is not None:
            message += f"\nfound: {finding.found or NOTHING}"
        level = _GITHUB_LEVELS[finding.severity]
        self._out.write(f"::{level} file={path},line={finding.line},title={title}::{for_github(message)}\n")

    def summary(self, summary: Summary, *, quiet: bool) -> None:
        if not quiet:
            for line in summary_lines(summary):
                self._remarks.write(f"{line}\n")


def summary_lines(summary: Summary) -> list[str]:
    """The summary as lines of text: a table of codes if there are findings, and a last line with the totals."""
    lines = []
    if summary.counts:
        width = max(len(CODES[code].name) for code, _ in summary.counts)
        lines.append(f"{'code':<4}  {'name':<{width}}  {'severity':<8}  count")
        for (code, severity), count in sorted(summary.counts.items()):
            lines.append(f"{code:<4}  {CODES[code].name:<{width}}  {severity:<8}  {count:>5}")
    total = sum(summary.counts.values())
    lines.append(
        f"{_number(total, 'finding')} in {_number(summary.games, 'game')}, {_number(summary.rounds, 'round')},"
        f" {summary.clean_rounds} of them clean"
    )
    return lines


def _number(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
