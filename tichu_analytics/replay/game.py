"""The replay of a game: its rounds, running totals and outcome."""

from __future__ import annotations

from tichu_analytics.record import Game
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.facts import GameReplay, Outcome, RoundReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.replay.round import placed, replay_round
from tichu_analytics.rules.options import Options, make_options
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


def options_for(game: Game, rules: str = "auto") -> Options:
    """The options to replay a game under.

    Args:
        game: the record.
        rules: a rule set's name, which then holds alone, or ``auto``: the rule set that :func:`rules_for` names, with
            the options that the record sets put on top.

    Raises:
        ValueError: for a rule set or an option that does not exist.
    """
    options = get_rule_set(rules_for(game, rules)).options
    if rules == "auto" and game.options:
        return make_options(dict(game.options), options)
    return options


def replay(game: Game, rules: str = "auto") -> GameReplay:
    """Replays a game move by move.

    Args:
        game: the record of the game.
        rules: the name of a rule set, or ``auto`` (see :func:`options_for`).

    Returns:
        Facts and findings of all rounds, running totals and outcome.

    Raises:
        ValueError: for a rule set that does not exist, or if the record sets an option that does not.
    """
    name = rules_for(game, rules)
    options = options_for(game, rules)
    places = game.places
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
            if places is not None:
                played_on = placed(played_on, places)
        found = replay_round(one, options, game.path, game.game_id, total, places)
        if places is not None:
            # The fields of a record may stand in any order.
            found = found._replace(findings=tuple(sorted(found.findings, key=lambda finding: finding.line)))
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
            problem.pointer,
        )
        for problem in game.problems
    ]
    if places is not None:
        findings = [placed(finding, places) for finding in findings]
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
