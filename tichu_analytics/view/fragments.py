"""Hands, tricks and findings as pieces of HTML; markup in them comes from the templates alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from tichu_analytics.record.notation import mask_cards
from tichu_analytics.replay.facts import Trick
from tichu_analytics.replay.findings import Finding
from tichu_analytics.view.escape import for_terminal, value_shown
from tichu_analytics.view.faces import FACES
from tichu_analytics.view.saying import laid_words, points_text

if TYPE_CHECKING:
    from markupsafe import Markup

#: The most findings that are shown at once.
MOST_FINDINGS: Final = 200


def findings_html(findings: Iterable[Finding], *, places: bool = False) -> Markup:
    """Findings, each with what was expected and found.

    Args:
        findings: the findings.
        places: whether each says its round.
    """
    found = [
        finding._replace(
            message=for_terminal(finding.message),
            expected=None if finding.expected is None else value_shown(finding.expected),
            found=None if finding.found is None else value_shown(finding.found),
        )
        for finding in findings
    ]
    return _rendered("findings", found=found, places=places)


def hand_html(mask: int) -> Markup:
    """A set of cards from high to low."""
    return _rendered("hand", faces=[FACES[card] for card in mask_cards(mask)])


def trick_html(trick: Trick) -> Markup:
    """A trick as a table of its moves."""
    rows = [
        {
            "line": move.line,
            "seat": move.seat,
            "faces": [FACES[card] for card in move.cards],
            "words": laid_words(move)[0],
            "left": move.hand_after.bit_count(),
        }
        for move in trick.moves
    ]
    return _rendered("trick", caption=trick_caption(trick), rows=rows)


def trick_caption(trick: Trick) -> str:
    """A trick in a few words."""
    text = f"Trick {trick.number}, led by seat {trick.lead_seat}"
    if not trick.complete:
        return f"{text}, not finished"
    if trick.taker_seat is None:
        return text
    given = "given to" if trick.dragon_to is not None else "taken by"
    return f"{text}, {given} seat {trick.taker_seat}: {points_text(trick.points)}"


def _rendered(kind: str, **values: object) -> Markup:
    from markupsafe import Markup

    from tichu_analytics.view.page import environment

    return Markup(environment().get_template("fragments.html").render(kind=kind, **values).strip())
