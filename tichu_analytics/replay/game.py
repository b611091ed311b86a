"""The replay of a game: its rounds, running totals and outcome."""

from __future__ import annotations

from tichu_analytics.record import Game
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.facts import GameReplay, Outcome, RoundReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.round import replay_round
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.rules.scoring import DRAW, NOT_OVER, game_winner


def rules_for(game: Game, rules: str = "auto") -> str:
    """The name of the rule set to replay a game under.

    Args:
        game: the record.
        rules: a rule set's name, or ``auto``: ``bsw`` for BrettspielWelt logs, else what the record names, else
            ``official``.
    """
    if rules != "auto":
        return rules
    if game.format == "bsw":
        return "bsw"
    return game.rules or "official"


def replay(game: Game, rules: str = "auto") -> GameReplay:
    """Replays a game move by move.

    Args:
        game: the record of the game.
        rules: the name of a rule set, or ``auto`` (see :func:`rules_for`).

    Returns:
        Facts and findings of all rounds, running totals and outcome.

    Raises:
        ValueError: for a rule set that does not exist.
    """
    name = rules_for(game, rules)
    options = get_rule_set(name).options
    rounds: list[RoundReplay] = []
    total = (0, 0)
    over_after: int | None = None
    played_on: Finding | None = None
    winner = NOT_OVER
    played = 0
    for one in game.rounds:
        if over_after is not None and played_on is None:
            code = BY_NAME["played-on"]
            message = f"the game was over after round {over_after} ({total[0]} - {total[1]}), but goes on"
            played_on = Finding(
                game.path,
                game.game_id,
                one.number,
                one.first_line,
                None,
                code.code,
                code.name,
                code.severity,
                message,
                "the end of the game",
                None,
            )
        found = replay_round(one, options, game.path, game.game_id, total)
        if played_on is not None and played_on.round == one.number:
            found = found._replace(findings=(played_on, *found.findings))
        rounds.append(found)
        total = found.total_after
        played += found.complete
        if over_after is None:
            winner = game_winner(total[0], total[1], played, options)
            if winner != NOT_OVER:
                over_after = one.number
    outcome: Outcome = "unfinished" if over_after is None else "overplayed" if played_on is not None else "finished"
    findings = [
        Finding(
            game.path,
            game.game_id,
            None,
            problem.line,
            problem.seat,
            BY_NAME[problem.name].code,
            problem.name,
            BY_NAME[problem.name].severity,
            problem.message,
            problem.expected,
            problem.found,
        )
        for problem in game.problems
    ]
    for found in rounds:
        findings += found.findings
    return GameReplay(
        game,
        name,
        tuple(rounds),
        total,
        None if winner in (NOT_OVER, DRAW) else winner,
        outcome,
        tuple(findings),
    )
