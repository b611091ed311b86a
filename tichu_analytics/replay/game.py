"""The replay of a game: its rounds, running totals and outcome."""

from __future__ import annotations

from tichu_analytics.record import Game
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.facts import GameReplay, Outcome, RoundReplay
from tichu_analytics.replay.findings import Finding, Findings
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


class GameCourse:
    """The totals of a game from round to round, and when it is over.

    Attributes:
        total: both teams' totals.
        winner: who has won, as :func:`tichu_analytics.rules.scoring.game_winner` says.
        outcome: how the game stands.
    """

    def __init__(self, path: str, game_id: str, options: Options) -> None:
        self.total = (0, 0)
        self.winner = NOT_OVER
        self.outcome: Outcome = "unfinished"
        self._path = path
        self._game_id = game_id
        self._options = options
        self._played = 0
        self._over_after = 0

    def begin(self, number: int, first_line: int) -> Finding | None:
        """Begins a round; the finding for the first one after the end of the game."""
        if self.outcome != "finished":
            return None
        self.outcome = "overplayed"
        code = BY_NAME["played-on"]
        total = self.total
        message = f"the game was over after round {self._over_after} ({total[0]} - {total[1]}), but goes on"
        return Finding(
            self._path,
            self._game_id,
            number,
            first_line,
            None,
            code.code,
            code.name,
            code.severity,
            message,
            "the end of the game",
            None,
        )

    def end(self, number: int, total: tuple[int, int], is_complete: bool) -> None:
        """Ends a round, with the totals after it; ``is_complete`` if it was played to its end."""
        self.total = total
        self._played += is_complete
        if self.outcome == "unfinished":
            self.winner = game_winner(total[0], total[1], self._played, self._options)
            if self.winner != NOT_OVER:
                self.outcome = "finished"
                self._over_after = number


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
    course = GameCourse(game.path, game.game_id, options)
    for one in game.rounds:
        played_on = course.begin(one.number, one.first_line)
        found = replay_round(one, options, game.path, game.game_id, course.total, places)
        if places is not None:
            # The fields of a record may stand in any order.
            found = found._replace(findings=Findings(sorted(found.findings, key=lambda finding: finding.line)))
        if played_on is not None:
            if places is not None:
                played_on = placed(played_on, places)
            found = found._replace(findings=Findings((played_on, *found.findings)))
        rounds.append(found)
        course.end(one.number, found.total_after, found.complete)
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
        course.total,
        None if course.winner in (NOT_OVER, DRAW) else course.winner,
        course.outcome,
        Findings(findings),
    )
