"""The course of a round that was read by :mod:`.scan`: the rulebook is asked about every act, and nothing is explained.

At the first thing that no rule allows the round is given up, for the careful replay. What is legal and yet worth a
finding is flagged. These functions run interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from tichu_analytics.bulk.layout import (
    BOMBS,
    CALL_DOUBLED,
    CALLED,
    DEALT,
    EARLY,
    EVENTS,
    FINISH,
    FLAGS,
    GIFT,
    GIVEN,
    GRAND,
    HELD,
    IRREGULAR,
    KIND,
    LINE,
    LOGGED,
    OTHER_SCORE,
    PASS,
    PLAY,
    SCORE,
    SEAT,
    TAKEN,
    VALUE,
    WISH,
    WISH_BOMBED,
    WISH_LATE,
)
from tichu_analytics.bulk.words import Numbers, Table
from tichu_analytics.rules.calls import (
    FIRST_CARDS,
    HAND_CARDS,
    gift_is_due,
    may_call_grand,
    may_call_tichu,
    may_exchange,
    may_receive_dragon,
)
from tichu_analytics.rules.cards import DRAGON_MASK, MAH_JONG_MASK, PHOENIX_MASK, points
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    NO_COMBINATION,
    Readings,
    holds_bomb,
    is_bomb,
    readings,
    single_phoenix_rank2,
)
from tichu_analytics.rules.options import BSW_LAZY, Options
from tichu_analytics.rules.play import LEGAL, WISH_IGNORED, Situation, fitting_readings, judge_pass, judge_play
from tichu_analytics.rules.scoring import GRAND_TICHU, NO_CALL, TICHU, card_points, round_score
from tichu_analytics.rules.turns import (
    NOBODY,
    all_passed,
    is_double_victory,
    leader_after_dog,
    leader_after_trick,
    next_seat,
    round_over,
)
from tichu_analytics.rules.wish import meets_wish


def replay_round(facts: Numbers, events: Table, options: Options, strict: Options) -> int:
    """Replays a round.

    Args:
        facts, events: the round as read; hands, calls, tricks, order of going out and score are written to ``facts``.
        options: the rule set's choices.
        strict: the same, but no bomb may leave an owed wish open.

    Returns:
        What is worth a finding in a legal round, as flags; ``IRREGULAR`` if anything is not legal, or might not be.
    """
    if not _exchange(facts):
        return IRREGULAR
    flags = int(facts[FLAGS])
    early = _early_calls(facts, events, options)
    if early < 0:
        return IRREGULAR
    course = _course(facts, events, options, strict)
    if course < 0:
        return IRREGULAR
    return flags | early | course | _result(facts)


def _exchange(facts: Numbers) -> bool:
    """Makes the hands after the exchange; whether all that was given and the line ``BOMBE:`` are in order."""
    for seat in range(4):
        facts[HELD + seat] = facts[DEALT + seat]
    for seat in range(4):
        right = int(facts[GIVEN + 3 * seat])
        partner = int(facts[GIVEN + 3 * seat + 1])
        left = int(facts[GIVEN + 3 * seat + 2])
        if not may_exchange(int(facts[DEALT + seat]), right, partner, left):
            return False
        facts[HELD + seat] &= ~(right | partner | left)
        facts[HELD + (seat + 1) % 4] |= right
        facts[HELD + (seat + 2) % 4] |= partner
        facts[HELD + (seat + 3) % 4] |= left
    holders = 0
    for seat in range(4):
        if holds_bomb(int(facts[HELD + seat])):
            holders |= 1 << seat
    return holders == int(facts[BOMBS])


def _is_doubled(events: Table, row: int) -> bool:
    """Whether a call is the same as on the line before."""
    return (
        row > 0
        and int(events[row - 1, KIND]) == int(events[row, KIND])
        and int(events[row - 1, SEAT]) == int(events[row, SEAT])
        and int(events[row - 1, LINE]) == int(events[row, LINE]) - 1
    )


def _early_calls(facts: Numbers, events: Table, options: Options) -> int:
    """Carries out the calls before the exchange; flags or ``IRREGULAR``."""
    flags = 0
    for seat in range(4):
        facts[CALLED + seat] = NO_CALL
    for row in range(int(facts[EARLY])):
        seat = int(events[row, SEAT])
        made = int(facts[CALLED + seat])
        if _is_doubled(events, row):
            flags |= CALL_DOUBLED
        elif events[row, KIND] == GRAND:
            if not may_call_grand(FIRST_CARDS, made):
                return IRREGULAR
            facts[CALLED + seat] = GRAND_TICHU
        else:
            if not may_call_tichu(HAND_CARDS, False, 0, made, options):
                return IRREGULAR
            facts[CALLED + seat] = TICHU
    return flags


def _new_table(
    mask: int, found: Readings, fits: int, table_kind: int, table_rank2: int, options: Options
) -> tuple[int, int, int]:
    """What lies on the table after a play: its rank, and a second reading that stays open as kind and rank."""
    if mask == PHOENIX_MASK:
        return single_phoenix_rank2(table_kind, table_rank2), 0, 0
    if found.ways == 2:
        if fits == 2:
            return found.rank2_low, 0, 0
        if fits == 3 and options.phoenix_ambiguity == BSW_LAZY:
            return found.rank2, found.kind_low, found.rank2_low
    return found.rank2, 0, 0


def _course(facts: Numbers, events: Table, options: Options, strict: Options) -> int:
    """Carries out the course of a round; flags or ``IRREGULAR``."""
    flags = 0
    active = 15
    first = second = third = NOBODY
    turn = NOBODY
    for seat in range(4):
        facts[TAKEN + seat] = 0
        if int(facts[HELD + seat]) & MAH_JONG_MASK:
            turn = seat
    has_played = 0
    over = False
    # The trick: its owner, who has passed since the last play, what lies on top in every reading that is open.
    owner = NOBODY
    passed = kind = length = rank2 = low_kind = low_rank2 = top = worth = 0
    after_dog = 0
    wish = first_trick = 0
    # Whether a wish may be made now, and what has come since the Mah Jong.
    may_wish_now = False
    passes_since = 0
    # Who has to give a trick away, and its points.
    due = NOBODY
    due_worth = 0
    for row in range(int(facts[EARLY]), int(facts[EVENTS])):
        act = int(events[row, KIND])
        seat = int(events[row, SEAT])
        if act == PASS:
            if over or due >= 0 or kind == NO_COMBINATION or seat != turn:
                return IRREGULAR
            passes_since += 1
            if turn != owner:
                s = Situation(kind, length, rank2, low_kind, low_rank2, 1, 0, 0, 0, 0, 0, 0, wish, first_trick)
                if judge_pass(int(facts[HELD + seat]), s, options) != LEGAL:
                    return IRREGULAR
                passed |= 1 << seat
                turn = next_seat(turn, active)
                if active >> owner & 1 or not all_passed(owner, passed, active):
                    continue
            # All others have passed, so the owner takes the trick.
            if gift_is_due(top == DRAGON_MASK, False):
                due = owner
                due_worth = worth
            else:
                facts[TAKEN + owner] += worth
            turn = leader_after_trick(owner, active)
            owner = NOBODY
            passed = kind = length = rank2 = low_kind = low_rank2 = top = worth = first_trick = 0
        elif act == PLAY:
            mask = int(events[row, VALUE])
            hand = int(facts[HELD + seat])
            if over or due >= 0:
                return IRREGULAR
            found = readings(mask, options)
            in_turn = 1 if seat == turn else 0
            taking = 1 if in_turn and kind != NO_COMBINATION and seat == owner else 0
            s = Situation(
                kind,
                length,
                rank2,
                low_kind,
                low_rank2,
                in_turn,
                taking,
                0,
                after_dog,
                0 if has_played else 1,
                0,
                0,
                wish,
                first_trick,
            )
            verdict = judge_play(hand, mask, found, s, options)
            if verdict == WISH_IGNORED and kind != NO_COMBINATION and is_bomb(found.kind):
                flags |= WISH_BOMBED
            elif verdict != LEGAL:
                return IRREGULAR
            elif wish and not meets_wish(mask, wish) and judge_play(hand, mask, found, s, strict) != LEGAL:
                flags |= WISH_BOMBED
            if wish and meets_wish(mask, wish):
                wish = 0
            may_wish_now = mask & MAH_JONG_MASK != 0
            passes_since = 0
            fits = fitting_readings(mask, found, s) if found.ways == 2 else 1
            rank2, low_kind, low_rank2 = _new_table(mask, found, fits, kind, rank2, options)
            kind = found.kind
            length = found.length
            hand ^= mask
            facts[HELD + seat] = hand
            has_played |= 1 << seat
            if hand == 0:
                active ^= 1 << seat
                if first < 0:
                    first = seat
                elif second < 0:
                    second = seat
                else:
                    third = seat
                over = round_over(first, second, third)
            after_dog = 0
            if kind == DOG_PLAY and not over:
                turn = leader_after_dog(seat, active)
                after_dog = 1
                kind = length = rank2 = 0
                continue
            top = mask
            worth += points(mask)
            owner = seat
            passed = 0
            if not over:
                turn = next_seat(seat, active)
            elif gift_is_due(top == DRAGON_MASK, is_double_victory(first, second)):
                due = owner
                due_worth = worth
            else:
                facts[TAKEN + owner] += worth
        elif act == WISH:
            if not may_wish_now:
                return IRREGULAR
            may_wish_now = False
            if passes_since > 0:
                flags |= WISH_LATE
            wish = int(events[row, VALUE])
            first_trick = 1 if kind != NO_COMBINATION else 0
        elif act == GIFT:
            if due < 0:
                # The Dragon that ends a double victory is given to nobody, whatever a line says.
                if over and top == DRAGON_MASK:
                    continue
                return IRREGULAR
            if not may_receive_dragon(due, seat, active, options):
                return IRREGULAR
            facts[TAKEN + seat] += due_worth
            due = NOBODY
            if over:
                top = 0
        else:
            made = int(facts[CALLED + seat])
            if over:
                return IRREGULAR
            if _is_doubled(events, row):
                flags |= CALL_DOUBLED
            elif may_call_tichu(HAND_CARDS, True, has_played >> seat & 1, made, options):
                facts[CALLED + seat] = TICHU
            else:
                return IRREGULAR
    facts[FINISH] = first
    facts[FINISH + 1] = second
    facts[FINISH + 2] = third
    return flags if over and due < 0 else IRREGULAR


def _result(facts: Numbers) -> int:
    """Works out the score of a round that is over; a flag if the log has another one."""
    first = int(facts[FINISH])
    second = int(facts[FINISH + 1])
    points_0 = points_1 = 0
    if not is_double_victory(first, second):
        last = 6 - first - second - int(facts[FINISH + 2])
        pair = card_points(
            int(facts[TAKEN]),
            int(facts[TAKEN + 1]),
            int(facts[TAKEN + 2]),
            int(facts[TAKEN + 3]),
            first,
            last,
            points(int(facts[HELD + last])),
        )
        points_0 = pair.team_0
        points_1 = pair.team_1
    score = round_score(
        points_0,
        points_1,
        first,
        second,
        int(facts[CALLED]),
        int(facts[CALLED + 1]),
        int(facts[CALLED + 2]),
        int(facts[CALLED + 3]),
    )
    facts[SCORE] = score.team_0
    facts[SCORE + 1] = score.team_1
    return 0 if facts[LOGGED] == score.team_0 and facts[LOGGED + 1] == score.team_1 else OTHER_SCORE
