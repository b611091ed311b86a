"""The score of a round: what it comes to, and what the log says instead."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.record import EventKind, Round
from tichu_analytics.record.notation import mask_cards
from tichu_analytics.replay.messages import Breach, who
from tichu_analytics.replay.state import RoundState
from tichu_analytics.rules.cards import points
from tichu_analytics.rules.scoring import (
    ALL_CARD_POINTS,
    DOUBLE_VICTORY_POINTS,
    GRAND_TICHU,
    LEAST_CARD_POINTS,
    MOST_CARD_POINTS,
    NO_CALL,
    TICHU,
    call_bonus,
    card_points,
    round_score,
)
from tichu_analytics.rules.turns import is_double_victory

_DRAGON_POINTS: Final = 25


class Outcome(NamedTuple):
    """How a round that was played to its end came out; None for what is not known.

    Attributes:
        finish: seats in the order of going out.
        double_victory: the team that made it, or None.
        card_points: of both teams, None after a double victory.
        score: of both teams.
    """

    finish: tuple[int, ...]
    double_victory: int | None
    card_points: tuple[int, int] | None
    score: tuple[int, int] | None


def call_numbers(state: RoundState) -> list[int]:
    """The call of each seat that counts, as the rulebook numbers calls."""
    return [NO_CALL if call is None else GRAND_TICHU if call.grand else TICHU for call in state.calls]


def outcome(state: RoundState) -> Outcome:
    """Works out how a round came out."""
    finish = tuple(state.finish)
    if not state.over:
        return Outcome(finish, None, None, None)
    calls = call_numbers(state)
    first, second = finish[0], finish[1]
    if is_double_victory(first, second):
        score = round_score(0, 0, first, second, calls[0], calls[1], calls[2], calls[3])
        return Outcome(finish, first & 1, None, (score.team_0, score.team_1))
    last = 6 - sum(finish)
    pair = card_points(
        state.taken[0], state.taken[1], state.taken[2], state.taken[3], first, last, points(state.hands[last])
    )
    if not (min(pair) >= LEAST_CARD_POINTS and max(pair) <= MOST_CARD_POINTS):
        # Cards that were played again and again in a log have no meaningful points.
        return Outcome(finish, None, None, None)
    score = round_score(pair.team_0, pair.team_1, first, second, calls[0], calls[1], calls[2], calls[3])
    return Outcome(finish, None, (pair.team_0, pair.team_1), (score.team_0, score.team_1))


def check_result(one: Round, state: RoundState, found: Outcome) -> Breach | None:
    """Compares the logged result with the replayed one.

    A round that breaks off and a result that is missing or too early are findings too. After an illegal act a
    difference is reported only if no course of the round could have led to the logged score.
    """
    result = one.result
    if result is None:
        return _without_result(one, state)
    if not state.over:
        if (
            state.score_doubt
            or any(breach.severity == "error" for breach in state.breaches)
            or any(problem.name == "part-missing" for problem in one.problems)
        ):
            return None
        left = [seat for seat in range(4) if state.active >> seat & 1]
        message = f"the result stands here although {len(left)} players still hold cards"
        return Breach("result-too-early", result.line, None, message, "the rest of the round", result.text)
    logged = (result.score_0, result.score_1)
    score = found.score
    if score is None or None in logged or logged == score:
        return None
    if one.cut and one.is_last and f"{score[0]} - {score[1]}".startswith(result.text):
        return _truncated(one, state)
    numbers = (int(logged[0] or 0), int(logged[1] or 0))
    if _explained(state, found, numbers, score):
        return None
    return _wrong_score(one, state, found, (numbers[0] - score[0], numbers[1] - score[1]), score)


def _without_result(one: Round, state: RoundState) -> Breach | None:
    if one.events and one.events[-1].kind == EventKind.UNREADABLE and (state.over or not one.score_due):
        return None  # that line may have been the result, and in a record all the rest
    if state.over and not one.score_due:
        return None
    if state.over and not one.is_last:
        message = "the round is over, but its result is missing"
        return Breach("result-missing", one.last_line, None, message, "Ergebnis", None)
    return _truncated(one, state)


def _truncated(one: Round, state: RoundState) -> Breach:
    where = f"the {'file' if state.places is None else 'record'} ends" if one.is_last else "a new round begins"
    what = "with only its result missing" if state.over else "before it is over"
    message = f"the round breaks off {what}: {where} here"
    severity = "warning" if one.is_last else "error"
    return Breach("truncated", one.last_line, None, message, "the rest of the round", None, severity)  # type: ignore[arg-type]


def _bonus_variants(state: RoundState, first: int) -> set[tuple[int, int]]:
    """What the calls add to both teams' scores, in every way in which the log may have counted those in question.

    A call that does not count may have been counted beside the caller's other one or in its place, a late one that
    counts may have been left out. ``first`` is who went out first.
    """
    calls = call_numbers(state)
    base = [0, 0]
    for seat, call in enumerate(calls):
        base[seat & 1] += call_bonus(call, seat == first)
    variants = {(base[0], base[1])}
    changes: list[tuple[int, set[int]]] = []
    for seat, call in dict.fromkeys(state.uncounted):
        bonus = call_bonus(call, seat == first)
        changes.append((seat, {bonus, bonus - call_bonus(calls[seat], seat == first)}))
    changes += [(seat, {-call_bonus(call, seat == first)}) for seat, call in dict.fromkeys(state.counted_late)]
    for seat, extras in changes:
        variants |= {
            (pair[0], pair[1] + by) if seat & 1 else (pair[0] + by, pair[1]) for pair in variants for by in extras
        }
    if state.lost:
        # A line that could not be read may have been a call.
        new = [(seat, call_bonus(TICHU, seat == first)) for seat in range(4) if calls[seat] == NO_CALL]
        variants |= {
            (pair[0], pair[1] + by) if seat & 1 else (pair[0] + by, pair[1]) for pair in variants for seat, by in new
        }
    return variants


def _explained(state: RoundState, found: Outcome, logged: tuple[int, int], score: tuple[int, int]) -> bool:
    """Whether a finding that there is already can explain a score that differs.

    So it is if calls in question were counted otherwise; and after an illegal act, which leaves it open who took which
    points (and who went out first where hands are in doubt), if any distribution of points gives the logged score.
    """
    first = found.finish[0]
    counted = [0, 0]
    for seat, call in enumerate(call_numbers(state)):
        counted[seat & 1] += call_bonus(call, seat == first)
    cards = _card_variants(state, found, (score[0] - counted[0], score[1] - counted[1]))
    for bonus in _bonus_variants(state, first):
        if any((pair[0] + bonus[0], pair[1] + bonus[1]) == logged for pair in cards):
            return True
    if not state.score_doubt:
        return False
    return any(
        _thinkable((logged[0] - bonus[0], logged[1] - bonus[1]), other)
        for other in (range(4) if state.fuzzy else (first,))
        for bonus in _bonus_variants(state, other)
    )


def _card_variants(state: RoundState, found: Outcome, base: tuple[int, int]) -> set[tuple[int, int]]:
    """Both teams' points without calls, in every way that findings about gifts and single moves leave open.

    A Dragon's trick may have gone to others than the log says, and what the last player is left with after an illegal
    act may have been played in it.
    """
    variants = {base}
    if found.double_victory is not None:
        return variants
    last = 6 - sum(found.finish)
    for index, seats in state.odd_gifts[:20]:
        if index >= len(state.tricks):
            continue
        trick = state.tricks[index]
        for seat in seats:
            taken = list(state.taken)
            if trick.taker_seat is not None:
                taken[trick.taker_seat] -= trick.points
            taken[seat] += trick.points
            pair = card_points(taken[0], taken[1], taken[2], taken[3], found.finish[0], last, points(state.hands[last]))
            variants.add((pair.team_0, pair.team_1))
    if state.loose_cards >> last & 1:
        sums = {0}
        for card in mask_cards(state.hands[last]):
            sums |= {so_far + points(1 << card) for so_far in sums}
        sign = 1 if last & 1 == 0 else -1
        variants |= {(pair[0] + sign * by, pair[1] - sign * by) for pair in variants for by in sums}
    return variants


def _thinkable(rest: tuple[int, int], first: int) -> bool:
    """Whether a round can score this without calls."""
    double = (DOUBLE_VICTORY_POINTS, 0) if first & 1 == 0 else (0, DOUBLE_VICTORY_POINTS)
    low = ALL_CARD_POINTS - MOST_CARD_POINTS
    cards = sum(rest) == ALL_CARD_POINTS and low <= rest[0] <= MOST_CARD_POINTS and rest[0] % 5 == 0
    return cards or rest == double


def _wrong_score(
    one: Round, state: RoundState, found: Outcome, difference: tuple[int, int], score: tuple[int, int]
) -> Breach:
    result = one.result
    assert result is not None
    logged = f"{result.score_0} - {result.score_1}"
    expected = f"{score[0]} - {score[1]}"
    calls = call_numbers(state)
    first = found.finish[0]
    name, why = "wrong-score", ""
    for team in (0, 1):
        if difference[1 - team] != 0:
            continue
        seats = (team, team + 2)
        bonuses = {seat: call_bonus(calls[seat], seat == first) for seat in seats if calls[seat] != NO_CALL}
        missing = [seat for seat, bonus in bonuses.items() if difference[team] == -bonus]
        if missing:
            both = all(calls[seat] == GRAND_TICHU for seat in seats)
            name = "grand-bonus-missing" if both else "call-bonus-missing"
            seat = missing[0]
            call = "Grand Tichu" if calls[seat] == GRAND_TICHU else "Tichu"
            player = who(state, seat)
            booked = "seems not booked" if both else "is not booked"
            why = f": the {bonuses[seat]:+d} for the {call} of {player} {booked}"
        elif found.double_victory == team and difference[team] == -DOUBLE_VICTORY_POINTS:
            name, why = "call-bonus-missing", ": the 200 for the double victory are not booked"
    shifted = difference in ((_DRAGON_POINTS, -_DRAGON_POINTS), (-_DRAGON_POINTS, _DRAGON_POINTS))
    if name == "wrong-score" and shifted and found.card_points is not None:
        name, why = "dragon-points-shifted", ": 25 points, as many as the Dragon's, are on the other side"
    message = f"the result is {logged}, but the round comes to {expected}{why}"
    return Breach(name, result.line, None, message, expected, logged)
