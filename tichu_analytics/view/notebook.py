"""How games, rounds, tricks, hands and findings show themselves in a notebook, a saved and an exported one included.

Games and rounds are players in a frame of their own, which needs no server and can ask nothing of the notebook around
it. What is smaller is a piece of HTML with its own style.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tichu_analytics.record import Game, Round
from tichu_analytics.record.notation import cards_text
from tichu_analytics.replay.facts import GameReplay, RoundReplay, Trick
from tichu_analytics.replay.findings import NO_FINDINGS, Finding
from tichu_analytics.view.escape import for_terminal
from tichu_analytics.view.fragments import MOST_FINDINGS, findings_html, hand_html, trick_caption, trick_html
from tichu_analytics.view.page import game_page, part, round_page
from tichu_analytics.view.saying import laid_words, pair_text

if TYPE_CHECKING:
    from collections.abc import Sequence

_NO_PLAYER: Final = (
    "Is there no player below? Then scripts are left out here: run the cell or trust the notebook in Jupyter, "
    "or export the notebook to HTML."
)


def game_in_notebook(game: GameReplay) -> str:
    """A player for a game."""
    return _frame(game_page(game), f"Game {for_terminal(game.game.game_id)}", game_in_words(game))


def round_in_notebook(one: RoundReplay) -> str:
    """A player for a round."""
    return _frame(round_page(one), f"Round {one.number}", round_in_words(one))


def recorded_game_in_notebook(game: Game) -> str:
    """A player for a game that has not been replayed yet, by its own rules as ``auto`` finds them."""
    from tichu_analytics.replay.game import replay

    try:
        return game_in_notebook(replay(game))
    except ValueError:  # the record names rules or options that do not exist; whoever built it did without a reader
        return game_in_notebook(replay(game, "official"))


def recorded_round_in_notebook(one: Round) -> str:
    """A player for a round as it is recorded; without its game it is not judged."""
    from tichu_analytics.replay.round import replay_round
    from tichu_analytics.rules.rulesets import get_rule_set

    found = replay_round(one, get_rule_set("official").options, "", "", (0, 0))
    words = f"Round {one.number} as recorded"
    return _frame(round_page(found._replace(findings=NO_FINDINGS), title=words), f"Round {one.number}", words)


def trick_in_notebook(trick: Trick) -> str:
    """A trick as a table of its moves."""
    return _piece(trick_html(trick))


def hand_in_notebook(mask: int) -> str:
    """A set of cards."""
    return _piece(hand_html(mask))


def findings_in_notebook(findings: Sequence[Finding]) -> str:
    """Findings with what was expected and found; beyond the first two hundred their number."""
    shown = findings_html(findings[:MOST_FINDINGS], places=True)
    if not findings:
        return _piece("no findings")
    more = len(findings) - MOST_FINDINGS
    return _piece(f"{shown}\n<p>and {more} more</p>" if more > 0 else shown)


def _piece(inner: str) -> str:
    """A piece of HTML with its style and the symbols of the cards."""
    return f'<div class="tichu-view"><style>{part("fragments.css")}</style>{part("symbols.html")}{inner}</div>'


def _frame(page: str, title: str, words: str) -> str:
    """A page in a frame; the sandbox lets its script run and keeps it from everything outside.

    Pages that only show notebooks take frames out, and Jupyter does until it trusts a notebook. They take out the style
    as well, or find no frame for it, and so the words stay, which are not to be seen beside a frame.
    """
    from markupsafe import escape

    # A single quote is the rarer one in a page full of JSON.
    source = page.replace("&", "&amp;").replace("'", "&#39;")
    return (
        "<style>.tichu-instead:has(+ iframe) { display: none; }</style>"
        f'<p class="tichu-instead">{escape(words)}. {_NO_PLAYER}</p>'
        f'<iframe title="{escape(title)}" sandbox="allow-scripts" '
        f"style=\"width: 100%; height: 56rem; border: 0\" srcdoc='{source}'></iframe>"
    )


# Plain text -----------------------------------------------------------------------------------------------------------


def game_in_words(game: GameReplay) -> str:
    """A game in a line."""
    record = game.game
    n_rounds, n_findings = len(game.rounds), len(game.findings)
    return for_terminal(
        f"Game {record.game_id} ({record.path}), rules {game.rules}: {_count(n_rounds, 'round')}, "
        f"total {pair_text(game.totals)}, {game.outcome}, {_count(n_findings, 'finding')}"
    )


def round_in_words(one: RoundReplay) -> str:
    """A round in a line."""
    score = "score not known" if one.score is None else f"score {pair_text(one.score)}"
    counts = f"{_count(len(one.tricks), 'trick')}, {score}, {_count(len(one.findings), 'finding')}"
    return f"Round {one.number}, lines {one.first_line}-{one.last_line}: {counts}"


def trick_in_words(trick: Trick) -> str:
    """A trick move by move."""
    lines = [trick_caption(trick)]
    for move in trick.moves:
        words, _ = laid_words(move)
        said = cards_text(move.cards) or "pass"
        lines.append(f"{move.line:>7}  {move.seat}  {said}{'  ' if words else ''}{words}")
    return "\n".join(lines)


def findings_in_words(findings: Sequence[Finding]) -> str:
    """Findings, a line each."""
    lines = [
        for_terminal(f"{one.path}:{one.line}: {one.code} {one.name}: {one.message} [{one.severity}]")
        for one in findings[:MOST_FINDINGS]
    ]
    if len(findings) > MOST_FINDINGS:
        lines.append(f"and {len(findings) - MOST_FINDINGS} more")
    return "\n".join(lines) or "no findings"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
