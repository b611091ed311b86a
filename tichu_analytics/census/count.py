"""Counts what a check says about an archive: games and rounds by outcome, by finding, by year, with examples."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from tichu_analytics.census.published import ROUNDS, WRONG_SCORE
from tichu_analytics.checking import CheckedGame
from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.findings import SEVERITIES, Finding, Severity

#: Examples that are kept of a code: the first ones in the order of the inputs.
EXAMPLES: Final = 3
#: What stands for the year of games of which no folder tells the month.
UNKNOWN: Final = "unknown"
#: The outcomes a game may have.
OUTCOMES: Final = ("finished", "unfinished", "overplayed")

_WRONG_SCORE: Final = frozenset(WRONG_SCORE)
#: What is counted of games by outcome and by year.
_COUNTED: Final = (
    "games",
    "failed_games",
    "wrong_score_games",
    "player_change_games",
    "rounds",
    "complete_rounds",
    "clean_rounds",
    "failed_rounds",
    "wrong_score_rounds",
)
_CLASSES: Final = ("games_without_fault", "games_unfinished", "games_overplayed", "games_with_failed_round")


class Census:
    """Counts games as they are checked.

    Attributes:
        rules: the rule set that was asked for, or ``auto``.
        unreadable: inputs that could not be read, and games that could not be checked.
        files: games that were checked; the same game twice is one.
        empty: those of them without a round that was played to its end.
        rounds: counts of rounds: ``read``, ``complete`` (played to their end), ``clean`` (no finding of any severity),
            ``sound`` (complete, no finding of severity error).
        codes: counts of findings, rounds and games, by code and severity.
        examples: by code the first findings.
        groups: rounds that have an error of a group of codes, for each of ``ROUNDS``.
    """

    def __init__(self, rules: str) -> None:
        self.rules = rules
        self.unreadable = 0
        self.files = 0
        self.empty = 0
        self.rounds: Counter[str] = Counter()
        self.codes: dict[tuple[str, Severity], Counter[str]] = {}
        self.examples: dict[str, list[Finding]] = {}
        self.groups = [0] * len(ROUNDS)
        self._games: Counter[str] = Counter()
        self._outcomes = {outcome: Counter(dict.fromkeys(_COUNTED, 0)) for outcome in OUTCOMES}
        self._years: dict[str, Counter[str]] = {}

    def add(self, game: CheckedGame) -> None:
        """Counts a game, the course of which is known."""
        course = game.course
        assert course is not None
        self.files += 1
        self.rounds["read"] += game.rounds
        self.rounds["complete"] += course.complete
        self.rounds["clean"] += game.clean_rounds
        failed = wrong = 0
        if game.findings:
            failed, wrong = self._add_findings(game.findings)
        self.rounds["sound"] += course.sound
        if not course.complete:
            self.empty += 1
            return
        numbers = (
            1,
            failed > 0,
            wrong > 0,
            course.player_changes > 0,
            game.rounds,
            course.complete,
            game.clean_rounds,
            failed,
            wrong,
        )
        year = course.month[:4] if course.month else UNKNOWN
        if year not in self._years:
            self._years[year] = Counter(dict.fromkeys((*_COUNTED, *(f"{outcome}_games" for outcome in OUTCOMES)), 0))
        for counts in (self._outcomes[course.outcome], self._years[year]):
            for name, number in zip(_COUNTED, numbers, strict=True):
                counts[name] += number
        self._years[year][f"{course.outcome}_games"] += 1
        self._games[_class(course.outcome, failed > 0)] += 1
        self._games["games_with_player_change"] += course.player_changes > 0
        self._games["games_without_fault_and_change"] += (
            course.outcome == "finished" and not failed and not course.player_changes
        )

    def _add_findings(self, findings: list[Finding]) -> tuple[int, int]:
        """Counts the findings of a game; how many of its rounds have an error, and how many a wrong score."""
        seen: dict[tuple[str, Severity], set[int | None]] = {}
        by_code: dict[str, set[int]] = {}
        failed: set[int] = set()
        for finding in findings:
            key = (finding.code, finding.severity)
            counts = self.codes.setdefault(key, Counter(findings=0, rounds=0, games=0))
            counts["findings"] += 1
            seen.setdefault(key, set()).add(finding.round)
            examples = self.examples.setdefault(finding.code, [])
            if len(examples) < EXAMPLES:
                examples.append(finding)
            if finding.round is not None and finding.severity == "error":
                by_code.setdefault(finding.code, set()).add(finding.round)
                failed.add(finding.round)
        for key, rounds in seen.items():
            self.codes[key]["games"] += 1
            self.codes[key]["rounds"] += len(rounds - {None})
        for place, figure in enumerate(ROUNDS):
            self.groups[place] += len(set().union(*(by_code.get(code, ()) for code in figure.codes)))
        wrong = set().union(*(rounds for code, rounds in by_code.items() if code in _WRONG_SCORE))
        return len(failed), len(wrong)

    def totals(self) -> dict[str, int]:
        """The counts of the whole archive, by name."""
        return {
            "files": self.files,
            "unreadable": self.unreadable,
            "files_without_usable_round": self.empty,
            "games": self.files - self.empty,
            **{name: self._games[name] for name in _CLASSES},
            "games_with_player_change": self._games["games_with_player_change"],
            "games_without_fault_and_change": self._games["games_without_fault_and_change"],
            "rounds_read": self.rounds["read"],
            "rounds_complete": self.rounds["complete"],
            "rounds_clean": self.rounds["clean"],
            "rounds_complete_without_error": self.rounds["sound"],
        }

    def outcomes(self) -> dict[str, dict[str, int]]:
        """By outcome the counts of games that have a complete round, and of their rounds."""
        return {outcome: dict(counts) for outcome, counts in self._outcomes.items()}

    def years(self) -> dict[str, dict[str, int]]:
        """By year, and for games of an unknown one, the same counts and those of games by outcome."""
        return {year: dict(self._years[year]) for year in sorted(self._years)}

    def record(self) -> dict[str, Any]:
        """All of it, as it is written as JSON."""
        from tichu_analytics import __version__

        return {
            "type": "census",
            "tool_version": __version__,
            "rules": self.rules,
            "totals": self.totals(),
            "outcomes": self.outcomes(),
            "codes": {
                code: {
                    "name": CODES[code].name,
                    "severities": {
                        severity: dict(self.codes[code, severity])
                        for severity in SEVERITIES
                        if (code, severity) in self.codes
                    },
                    "examples": [
                        {name: getattr(finding, name) for name in ("path", "game_id", "round", "line", "message")}
                        for finding in self.examples[code]
                    ],
                }
                for code in sorted(self.examples)
            },
            "years": self.years(),
            "compared": [
                {
                    "published": figure.published,
                    "published_rounds": figure.rounds,
                    "codes": figure.codes,
                    "rounds": rounds,
                }
                for figure, rounds in zip(ROUNDS, self.groups, strict=True)
            ],
        }


def _class(outcome: str, has_failed: bool) -> str:
    """The one class that a game is in; a failed round goes before the outcome."""
    if has_failed:
        return "games_with_failed_round"
    return "games_without_fault" if outcome == "finished" else f"games_{outcome}"
