"""The replay of one round: from the record to facts and findings."""

from __future__ import annotations

from collections.abc import Sequence

from tichu_analytics.record import Places, Problem, Round
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.deal import Hands, check_bomb_line, set_up
from tichu_analytics.replay.facts import CallFact, RoundReplay, Trick, WishFact
from tichu_analytics.replay.findings import NO_FINDINGS, Finding, Findings
from tichu_analytics.replay.messages import Breach, gift_missing
from tichu_analytics.replay.result import Outcome, check_result, outcome
from tichu_analytics.replay.state import RoundState
from tichu_analytics.rules.calls import HAND_CARDS
from tichu_analytics.rules.options import Options
from tichu_analytics.rules.scoring import GRAND_TICHU, TICHU

#: A message names no longer pointer in full.
_LONGEST_POINTER = 200
#: Findings about the result do not make a round's play illegal.
RESULT_FINDINGS = frozenset(code.name for code in BY_NAME.values() if code.code.startswith("T5"))


def start(
    one: Round, options: Options, problems: list[Problem] | None = None, places: Places | None = None
) -> RoundState:
    """The state of a round before its first event, the calls before the course included.

    Args:
        one: the record of the round.
        options: the rule set's choices.
        problems: where to add what is wrong with deal and exchange.
        places: leads from running numbers to JSON pointers, for messages.
    """
    noticed: list[Problem] = [] if problems is None else problems
    hands = set_up(one, noticed, places)
    if one.play_line or one.bomb_line is not None:
        check_bomb_line(one, hands, noticed)
    return _state(one, hands, options, places)


def _state(one: Round, hands: Hands, options: Options, places: Places | None) -> RoundState:
    events = one.events
    if one.result is not None and events and events[-1].line > one.result.line:
        # Lines after the result tell nothing about who was still in.
        events = tuple(event for event in events if event.line < one.result.line)
    gaps = tuple(sorted(problem.line for problem in one.problems if problem.name in ("blank-line", "odd-blanks")))
    state = RoundState(
        options,
        hands,
        one.names,
        events,
        explicit_ends=one.explicit_ends,
        marks_collects=one.marks_collects,
        gaps=gaps,
        places=places,
    )
    for call in one.calls:
        # In a BrettspielWelt log a Tichu below the header of the exchange was called before it was over.
        exchanged = call.exchange_begun and (call.grand or call.seen == HAND_CARDS)
        state.call(call.seat, GRAND_TICHU if call.grand else TICHU, call.line, False, exchanged, call.seen)
        if exchanged and not call.grand and state.last_call[2] == call.line:
            # It is followed at once by the first event of the course.
            state.last_call = (call.seat, TICHU, one.play_line)
    return state


def replay_round(
    one: Round,
    options: Options,
    path: str,
    game_id: str,
    total_before: tuple[int, int],
    places: Places | None = None,
) -> RoundReplay:
    """Replays a round event by event.

    Args:
        one: what the log says.
        options: the rule set's choices.
        path, game_id: for the findings.
        total_before: both teams' totals before the round.
        places: leads from the running numbers of a record that is no text of lines to its file; findings then have the
            lines of the file, everything else the running numbers.

    Returns:
        The facts of the round and its findings, by line or running number. Never raises for anything that a record
        can say.
    """
    problems = list(one.problems)
    state = start(one, options, problems, places)
    do = state.do
    early = False
    for event in one.events:
        if one.result is not None and event.line > one.result.line and not state.over:
            early = True
            break
        do(event)
    end = outcome(state)
    breaches = state.breaches
    if state.gift_due >= 0 and state.over and (one.result is not None or not one.score_due):
        state.note_odd_gift()
        line = one.last_line if one.result is None else one.result.line
        breaches.append(gift_missing(state, line, state.gift_due))
    result = check_result(one, state, end)
    if result is not None:
        breaches.append(result)
    if end.score is not None and one.result is not None:
        # Only now is it known what the unreadable result should be.
        problems = [
            problem._replace(expected=f"{end.score[0]} - {end.score[1]}")
            if problem.name in ("result-unreadable", "result-out-of-range")
            else problem
            for problem in problems
        ]
    findings = NO_FINDINGS
    if problems or breaches:
        findings = round_findings(one.number, problems, breaches, path, game_id, places)
    return _replay(one, state, end, findings, total_before, early)


def _replay(
    one: Round,
    state: RoundState,
    end: Outcome,
    findings: Findings,
    total_before: tuple[int, int],
    early: bool,
) -> RoundReplay:
    hands = state.set_up
    legal = state.over and not early and not state.broken
    for finding in findings:
        if finding.severity == "error" and finding.name not in RESULT_FINDINGS:
            legal = False
    logged = (None, None) if one.result is None else (one.result.score_0, one.result.score_1)
    if state.lost and end.score is not None and None not in logged and logged != end.score:
        # A line that could not be read may have been a call or a gift; then the log knows better.
        end = end._replace(score=None, card_points=None)
    score = end.score
    add = score or (0, 0)
    if score is None and logged[0] is not None and logged[1] is not None:
        add = (logged[0], logged[1])
    wish = state.wish_fact
    calls: list[CallFact | None] = []
    for call in state.calls:
        if call is not None and end.finish:
            call = call._replace(success=end.finish[0] == call.seat)
        calls.append(call)
    tricks = state.tricks if not state.n_plays else [*state.tricks, _open_trick(state)]
    return RoundReplay(
        one.number,
        one.first_line,
        one.last_line,
        one,
        state.over,
        legal,
        hands.first8,
        hands.dealt,
        hands.held,
        hands.exchanged,
        tuple(tricks),
        end.finish,
        end.double_victory,
        end.card_points,
        (state.taken[0], state.taken[1], state.taken[2], state.taken[3]),
        score,
        logged,
        tuple(calls),
        None if wish is None else WishFact(*wish),
        total_before,
        (total_before[0] + add[0], total_before[1] + add[1]),
        findings,
        state.options,
    )


def _open_trick(state: RoundState) -> Trick:
    """The trick that still lies on the table where a round breaks off."""
    return Trick(
        len(state.tricks) + 1,
        state.lead_seat,
        None,
        None,
        state.lead_kind,
        state.lead_length,
        state.table_kind,
        state.n_plays,
        state.n_passes,
        state.n_bombs,
        0,
        state.trick_cards,
        None,
        state.first_line,
        state.last_line,
        None,
        tuple(state.moves),
        False,
    )


def round_findings(
    number: int,
    problems: Sequence[Problem],
    breaches: Sequence[Breach],
    path: str,
    game_id: str,
    places: Places | None = None,
) -> Findings:
    """Problems and breaches as findings, in the order of lines; one line gives no name finding beside an error.

    Args:
        number: the number of the round.
        problems: what is wrong with the lines.
        breaches: what is against the rules.
        path, game_id, places: as for :func:`replay_round`.
    """
    found: list[Finding] = []
    errors = {breach.line for breach in breaches if breach.severity == "error"}
    errors |= {problem.line for problem in problems if BY_NAME[problem.name].severity == "error"}
    for problem in problems:
        code = BY_NAME[problem.name]
        if code.name in ("other-name", "name-missing", "odd-blanks") and problem.line in errors:
            continue
        found.append(
            Finding(
                path,
                game_id,
                number,
                problem.line,
                problem.seat,
                code.code,
                code.name,
                code.severity,
                problem.message,
                problem.expected,
                problem.found,
                problem.pointer,
            )
        )
    for breach in breaches:
        code = BY_NAME[breach.name]
        found.append(
            Finding(
                path,
                game_id,
                number,
                breach.line,
                breach.seat,
                code.code,
                code.name,
                breach.severity,
                breach.message,
                breach.expected,
                breach.found,
            )
        )
    found.sort(key=lambda finding: finding.line)
    return Findings(found if places is None else (placed(finding, places) for finding in found))


def placed(finding: Finding, places: Places) -> Finding:
    """A finding whose line is a running number, with its place in the file: line and JSON pointer.

    Where the finding has a pointer already, that is the place. The empty one, the whole record, is not named.
    """
    pointer = places.pointer(finding.line) if finding.pointer is None else finding.pointer
    shown = pointer if len(pointer) <= _LONGEST_POINTER else pointer[: _LONGEST_POINTER - 1] + "…"
    message = f"{finding.message} (at {shown})" if pointer else finding.message
    return finding._replace(line=places.line(pointer), message=message, pointer=pointer)
