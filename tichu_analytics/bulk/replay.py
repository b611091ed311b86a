"""The course of a round that was read by :mod:`.scan`: the rulebook is asked about every act, and nothing is explained.

At the first thing that no rule allows the round is given up, for the careful replay. What is legal and yet worth a
finding is flagged. These functions run interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from tichu_analytics.bulk.keep import keep_gift, keep_later, keep_move, keep_reading, keep_trick
from tichu_analytics.bulk.layout import (
    AFTER_EXCHANGE,
    BEFORE_EXCHANGE,
    BOMBS,
    BOMBS_PLAYED,
    CALL_DOUBLED,
    CALL_LINE,
    CALL_TRICK,
    CALL_WHEN,
    CALLED,
    DEALT,
    DEALT_BOMBS,
    EARLY,
    EVENTS,
    FINISH,
    FIRST_LINE,
    FLAGS,
    GIFT,
    GIVEN,
    GRAND,
    HELD,
    IRREGULAR,
    KIND,
    LINE,
    LOGGED,
    MET_LINE,
    MET_SEAT,
    MOVES,
    MOVES_END,
    OTHER_SCORE,
    PASS,
    PASSES,
    PLAY,
    PLAYS,
    POINTS,
    SCORE,
    SEAT,
    START,
    TAKEN,
    TRICKS,
    TRICKS_END,
    VALUE,
    WISH,
    WISH_BOMBED,
    WISH_LATE,
    WISH_LINE,
    WISH_RANK,
    WISH_SEAT,
    WITH_EIGHT,
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
from tichu_analytics.rules.play import (
    LEGAL,
    WISH_IGNORED,
    Situation,
    beaten_readings,
    fitting_readings,
    judge_pass,
    judge_play,
)
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


def replay_round(facts: Numbers, events: Table, options: Options, strict: Options, tricks: Table, moves: Table) -> int:
    """Replays a round.

    Args:
        facts, events: the round as read; hands, calls, order of going out and score are written to ``facts``.
        options: the rule set's choices.
        strict: the same, but no bomb may leave an owed wish open.
        tricks, moves: where tricks and moves are written, behind those that are there already; nothing is where there
            is no room at all.

    Returns:
        What is worth a finding in a legal round, as flags; ``IRREGULAR`` if anything is not legal, or might not be.
    """
    if not _exchange(facts):
        return IRREGULAR
    flags = int(facts[FLAGS])
    early = _early_calls(facts, events, options)
    if early < 0:
        return IRREGULAR
    course = _course(facts, events, options, strict, tricks, moves)
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
    holders = dealt = 0
    for seat in range(4):
        facts[START + seat] = facts[HELD + seat]
        if holds_bomb(int(facts[HELD + seat])):
            holders |= 1 << seat
        if holds_bomb(int(facts[DEALT + seat])):
            dealt |= 1 << seat
    facts[DEALT_BOMBS] = dealt
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
            _note_call(facts, seat, GRAND_TICHU, WITH_EIGHT, int(events[row, LINE]), 0)
        else:
            if not may_call_tichu(HAND_CARDS, False, 0, made, options):
                return IRREGULAR
            _note_call(facts, seat, TICHU, BEFORE_EXCHANGE, int(events[row, LINE]), 0)
    return flags


def _note_call(facts: Numbers, seat: int, call: int, when: int, line: int, trick: int) -> None:
    """Writes down a call, with its line within the round and the number of tricks begun."""
    facts[CALLED + seat] = call
    facts[CALL_WHEN + seat] = when
    facts[CALL_LINE + seat] = int(facts[FIRST_LINE]) + line
    facts[CALL_TRICK + seat] = trick


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


def _course(facts: Numbers, events: Table, options: Options, strict: Options, tricks: Table, moves: Table) -> int:
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
    # Tricks and moves are written down only if somebody wants them.
    keep = moves.size > 0
    first_line = int(facts[FIRST_LINE])
    trick_at = int(facts[TRICKS_END])
    move_at = int(facts[MOVES_END])
    number = 0
    all_plays = all_passes = all_bombs = 0
    # The trick: its owner, who has passed since the last play, what lies on top in every reading that is open.
    owner = lead = NOBODY
    passed = kind = length = rank2 = low_kind = low_rank2 = top = cards = 0
    lead_kind = lead_length = lead_line = last_line = plays = passes = bombs = 0
    # Where the play with the open readings is written, and what the Phoenix stands for in the second one.
    open_at = low_phoenix = 0
    after_dog = 0
    wish = first_trick = 0
    facts[WISH_SEAT] = facts[MET_SEAT] = NOBODY
    mah_jong = NOBODY
    # Whether a wish may be made now, and what has come since the Mah Jong.
    may_wish_now = False
    passes_since = 0
    # Who has to give a trick away, and its points.
    due = NOBODY
    due_worth = 0
    for row in range(int(facts[EARLY]), int(facts[EVENTS])):
        act = int(events[row, KIND])
        seat = int(events[row, SEAT])
        line = first_line + int(events[row, LINE])
        if act == PASS:
            if over or due >= 0 or kind == NO_COMBINATION or seat != turn:
                return IRREGULAR
            passes_since += 1
            last_line = line
            if turn != owner:
                s = Situation(kind, length, rank2, low_kind, low_rank2, 1, 0, 0, 0, 0, 0, 0, wish, first_trick)
                hand = int(facts[HELD + seat])
                if judge_pass(hand, s, options) != LEGAL:
                    return IRREGULAR
                if keep:
                    keep_move(moves, move_at, number, line, seat, 0, wish, hand, 0)
                    move_at += 1
                passes += 1
                passed |= 1 << seat
                turn = next_seat(turn, active)
                if active >> owner & 1 or not all_passed(owner, passed, active):
                    continue
            # All others have passed, so the owner takes the trick.
            if gift_is_due(top == DRAGON_MASK, False):
                due = owner
                due_worth = points(cards)
            else:
                facts[TAKEN + owner] += points(cards)
            turn = leader_after_trick(owner, active)
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
            if plays == 0:
                number += 1
                lead = seat
                lead_kind = found.kind
                lead_length = found.length
                lead_line = line
            if keep:
                if low_kind != NO_COMBINATION and low_phoenix:
                    beaten = beaten_readings(mask, found, s)
                    if beaten == 1:
                        keep_later(moves, open_at, 0, 0)
                    elif beaten == 2:
                        keep_later(moves, open_at, low_rank2, low_phoenix)
                keep_move(moves, move_at, number, line, seat, mask, wish, hand, 1 - in_turn)
            if wish and meets_wish(mask, wish):
                wish = 0
                facts[MET_SEAT] = seat
                facts[MET_LINE] = line
            may_wish_now = mask & MAH_JONG_MASK != 0
            if may_wish_now:
                mah_jong = seat
            passes_since = 0
            fits = fitting_readings(mask, found, s) if found.ways == 2 else 1
            rank2, low_kind, low_rank2 = _new_table(mask, found, fits, kind, rank2, options)
            if keep:
                keep_reading(moves, move_at, mask, found, fits, rank2)
                open_at = move_at
                low_phoenix = found.phoenix_low
                move_at += 1
            kind = found.kind
            length = found.length
            hand ^= mask
            facts[HELD + seat] = hand
            has_played |= 1 << seat
            cards |= mask
            plays += 1
            if is_bomb(kind):
                bombs += 1
            top = mask
            owner = seat
            passed = 0
            last_line = line
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
            elif not over:
                turn = next_seat(seat, active)
                continue
            elif gift_is_due(top == DRAGON_MASK, is_double_victory(first, second)):
                due = owner
                due_worth = points(cards)
            elif top != DRAGON_MASK:
                facts[TAKEN + owner] += points(cards)
        elif act == WISH:
            if not may_wish_now:
                return IRREGULAR
            may_wish_now = False
            if passes_since > 0:
                flags |= WISH_LATE
            wish = int(events[row, VALUE])
            first_trick = 1 if kind != NO_COMBINATION else 0
            facts[WISH_SEAT] = mah_jong
            facts[WISH_RANK] = wish
            facts[WISH_LINE] = line
            continue
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
            if keep:
                keep_gift(tricks, trick_at - 1, seat, line)
            continue
        else:
            made = int(facts[CALLED + seat])
            if over:
                return IRREGULAR
            if _is_doubled(events, row):
                flags |= CALL_DOUBLED
            elif may_call_tichu(HAND_CARDS, True, has_played >> seat & 1, made, options):
                _note_call(facts, seat, TICHU, AFTER_EXCHANGE, int(events[row, LINE]), number)
            else:
                return IRREGULAR
            continue
        # The trick is over.
        if keep:
            keep_trick(
                tricks,
                trick_at,
                number,
                lead,
                owner,
                over and due < 0 and top == DRAGON_MASK,
                lead_kind,
                lead_length,
                kind,
                plays,
                passes,
                bombs,
                cards,
                lead_line,
                last_line,
            )
            trick_at += 1
        all_plays += plays
        all_passes += passes
        all_bombs += bombs
        if not over:
            top = 0
        owner = NOBODY
        passed = kind = length = rank2 = low_kind = low_rank2 = cards = plays = passes = bombs = first_trick = 0
    facts[FINISH] = first
    facts[FINISH + 1] = second
    facts[FINISH + 2] = third
    facts[PLAYS] = all_plays
    facts[PASSES] = all_passes
    facts[BOMBS_PLAYED] = all_bombs
    facts[TRICKS] = number
    facts[MOVES] = move_at - int(facts[MOVES_END])
    facts[TRICKS_END] = trick_at
    facts[MOVES_END] = move_at
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
    facts[POINTS] = points_0
    facts[POINTS + 1] = points_1
    facts[SCORE] = score.team_0
    facts[SCORE + 1] = score.team_1
    return 0 if facts[LOGGED] == score.team_0 and facts[LOGGED + 1] == score.team_1 else OTHER_SCORE
