"""What a check reports: a difference between what a log says and what can be true."""

from __future__ import annotations

from typing import Any, Final, Literal, NamedTuple

Severity = Literal["note", "warning", "error"]

#: Severities from the mildest to the worst.
SEVERITIES: Final[tuple[Severity, ...]] = ("note", "warning", "error")


class Finding(NamedTuple):
    """One difference between a log and the rules.

    Attributes:
        path: the log as it was named, ``a.zip!/201402/1.tch`` for a member of an archive.
        game_id: the id of the game.
        round: the round's number from 1, or None where the finding concerns the whole file.
        line: line in the file, from 1, where the fault shows or the element begins in which it shows.
        seat: the seat 0-3 that it concerns, or None.
        code: the stable code, ``T312``.
        name: the stable name, ``wish-ignored``.
        severity: ``error``, ``warning`` or ``note``.
        message: one sentence for a player, in plain text as the log gives the names (escape it for its use).
        expected: what the rules ask for, or None.
        found: what the log has, or None.
        pointer: the JSON pointer of the element in a record that is no text of lines, else None.
    """

    path: str
    game_id: str
    round: int | None
    line: int
    seat: int | None
    code: str
    name: str
    severity: Severity
    message: str
    expected: str | None = None
    found: str | None = None
    pointer: str | None = None


class Findings(tuple[Finding, ...]):
    """Findings in order; a tuple that shows itself in a notebook."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        from tichu_analytics.view.notebook import findings_in_notebook

        return findings_in_notebook(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        from tichu_analytics.view.notebook import findings_in_words

        printer.text("..." if cycle else findings_in_words(self))


NO_FINDINGS: Final = Findings()
