"""The verdict on a play or a pass: legal, or the first rule that it breaks."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.rules.cards import PHOENIX_MASK
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    FOUR_BOMB,
    NO_COMBINATION,
    STRAIGHT_BOMB,
    Readings,
    beats,
    is_bomb,
    single_phoenix_rank2,
)
from tichu_analytics.rules.options import NO, YES, Options
from tichu_analytics.rules.wish import wish_forbids

# Verdicts, in the order in which they are looked for.
LEGAL: Final = 0
NOT_HELD: Final = 1
AFTER_END: Final = 2
IS_NO_COMBINATION: Final = 3
DOG_BOMBED: Final = 4
EMPTY_TABLE_BOMBED: Final = 5
NOT_THE_LEADER: Final = 6
NOT_ON_TURN: Final = 7
TRICK_CLOSED: Final = 8
DOG_NOT_LED: Final = 9
OTHER_COMBINATION: Final = 10
NOT_HIGHER: Final = 11
FIRST_PLAY_BOMB: Final = 12
PASS_BINDS: Final = 13
WISH_IGNORED: Final = 14
PASS_ON_LEAD: Final = 15

#: The names of the verdicts, by number.
VERDICT_NAMES: Final = (
    "legal",
    "not held",
    "after the end",
    "no combination",
    "Dog bombed",
    "empty table bombed",
    "not the leader",
    "not on turn",
    "trick closed",
    "Dog not led",
    "other combination",
    "not higher",
    "first play a bomb",
    "pass binds",
    "wish ignored",
    "pass on lead",
)


class Situation(NamedTuple):
    """What a verdict depends on beside hand and cards; all fields are integers, flags 0 or 1.

    Attributes:
        table_kind, table_length, table_rank2: the last play, as it was read; kind 0 while no card lies on the table.
        table_kind_low, table_rank2_low: a second reading of it that is still open, kind 0 without one.
        in_turn: it is the player's turn (on an empty table: the player leads).
        taking: the player owns the trick and all others have passed: the play comes instead of taking it.
        others_passed: all others with cards have passed since the last play.
        after_dog: the last thing played was a Dog, and nobody has led since.
        first_play: no card has been played in this round.
        passed: the player has passed in this trick.
        over: the round is over.
        wish: the rank of an open wish, 0 for none.
        wish_first_trick: this is still the trick in which the wish was made.
    """

    table_kind: int = NO_COMBINATION
    table_length: int = 0
    table_rank2: int = 0
    table_kind_low: int = NO_COMBINATION
    table_rank2_low: int = 0
    in_turn: int = YES
    taking: int = NO
    others_passed: int = NO
    after_dog: int = NO
    first_play: int = NO
    passed: int = NO
    over: int = NO
    wish: int = 0
    wish_first_trick: int = NO


def reading_fits(
    kind: int, length: int, rank2: int, mask: int, table_kind: int, table_length: int, table_rank2: int
) -> bool:
    """Whether one reading of played cards may be played on one reading of the table (an empty one takes any).

    Args:
        kind, length, rank2: the reading: its kind, its number of cards, twice its rank.
        mask: the cards; a Phoenix by itself is half above what lies there, whatever ``rank2`` says.
        table_kind, table_length, table_rank2: the same of the table.
    """
    if kind == NO_COMBINATION:
        return False
    if table_kind == NO_COMBINATION:
        return True
    if mask == PHOENIX_MASK:
        rank2 = single_phoenix_rank2(table_kind, table_rank2)
    return beats(kind, length, rank2, table_kind, table_length, table_rank2)


def fitting_readings(mask: int, found: Readings, s: Situation) -> int:
    """Which readings of played cards fit the table: bit 0 for the first (higher), bit 1 for the second.

    A reading fits if it beats some reading of the table that is still open.

    Args:
        mask: the cards played.
        found: their readings.
        s: the situation, of which the table counts here.
    """
    length = found.length
    table_kind = s.table_kind
    low_open = s.table_kind_low != NO_COMBINATION
    fits = 0
    if reading_fits(found.kind, length, found.rank2, mask, table_kind, s.table_length, s.table_rank2) or (
        low_open
        and reading_fits(found.kind, length, found.rank2, mask, s.table_kind_low, s.table_length, s.table_rank2_low)
    ):
        fits = 1
    if found.ways > 1 and (
        reading_fits(found.kind_low, length, found.rank2_low, mask, table_kind, s.table_length, s.table_rank2)
        or (
            low_open
            and reading_fits(
                found.kind_low, length, found.rank2_low, mask, s.table_kind_low, s.table_length, s.table_rank2_low
            )
        )
    ):
        fits |= 2
    return fits


def beaten_readings(mask: int, found: Readings, s: Situation) -> int:
    """Which readings of a table with two of them a play beats: bit 0 for the first, bit 1 for the second.

    Where both stay open until a later play decides (``phoenix_ambiguity``), the only one that it beats holds.

    Args:
        mask: the cards played on it.
        found: their readings.
        s: the situation, with both readings of the table.
    """
    length = found.length
    beaten = 0
    if reading_fits(found.kind, length, found.rank2, mask, s.table_kind, s.table_length, s.table_rank2) or reading_fits(
        found.kind_low, length, found.rank2_low, mask, s.table_kind, s.table_length, s.table_rank2
    ):
        beaten = 1
    if reading_fits(
        found.kind, length, found.rank2, mask, s.table_kind_low, s.table_length, s.table_rank2_low
    ) or reading_fits(
        found.kind_low, length, found.rank2_low, mask, s.table_kind_low, s.table_length, s.table_rank2_low
    ):
        beaten |= 2
    return beaten


def wish_forbids_here(hand: int, mask: int, kind: int, s: Situation, options: Options) -> bool:
    """Whether an open wish forbids a play or pass (mask 0) in turn, under every reading of the table still open."""
    if s.wish == 0 or not s.in_turn or s.taking:
        return False
    first = s.wish_first_trick == YES
    if not wish_forbids(hand, mask, kind, s.wish, s.table_kind, s.table_length, s.table_rank2, first, options):
        return False
    return s.table_kind_low == NO_COMBINATION or wish_forbids(
        hand, mask, kind, s.wish, s.table_kind_low, s.table_length, s.table_rank2_low, first, options
    )


def judge_play(hand: int, mask: int, found: Readings, s: Situation, options: Options) -> int:
    """The verdict on a play: ``LEGAL`` or the first rule that it breaks.

    Args:
        hand: the player's cards.
        mask: the cards played, one or more.
        found: their readings (:func:`tichu_analytics.rules.combinations.readings`); leave only the declared one
            where the player has said what the Phoenix stands for.
        s: the situation.
        options: the rule set's choices.
    """
    if mask & ~hand:
        return NOT_HELD
    kind = found.kind
    bomb = kind == FOUR_BOMB or kind == STRAIGHT_BOMB
    if s.over and not (bomb and options.last_player_may_bomb == YES):
        return AFTER_END
    if found.ways == 0:
        return IS_NO_COMBINATION
    if not s.in_turn:
        if s.table_kind == NO_COMBINATION:
            if not bomb:
                return NOT_THE_LEADER
            if s.after_dog:
                if options.bomb_on_dog == NO:
                    return DOG_BOMBED
            elif options.bomb_on_empty_table == NO:
                return EMPTY_TABLE_BOMBED
        elif not bomb:
            return NOT_ON_TURN
    if s.table_kind != NO_COMBINATION:
        if s.others_passed and options.bomb_after_all_passed == YES:
            return TRICK_CLOSED
        if s.taking and not bomb:
            return TRICK_CLOSED
        if kind == DOG_PLAY:
            return DOG_NOT_LED
        if fitting_readings(mask, found, s) == 0:
            if bomb == is_bomb(s.table_kind) and (bomb or (kind == s.table_kind and found.length == s.table_length)):
                return NOT_HIGHER
            return OTHER_COMBINATION
    # A straight flush that may also be announced as a plain straight has a second reading.
    if bomb and s.first_play and options.bomb_first_play == NO and found.ways == 1:
        return FIRST_PLAY_BOMB
    if s.passed and options.pass_and_out == YES and not bomb:
        return PASS_BINDS
    if s.wish and wish_forbids_here(hand, mask, kind, s, options):
        return WISH_IGNORED
    return LEGAL


def judge_pass(hand: int, s: Situation, options: Options) -> int:
    """The verdict on a pass: always allowed in turn on a trick, except when an open wish can be met (all seeds).

    Taking a trick is no pass and is not judged here.

    Args:
        hand: the player's cards.
        s: the situation.
        options: the rule set's choices.

    Returns:
        ``LEGAL``, ``AFTER_END``, ``NOT_ON_TURN``, ``PASS_ON_LEAD`` or ``WISH_IGNORED``.
    """
    if s.over:
        return AFTER_END
    if not s.in_turn:
        return NOT_ON_TURN
    if s.table_kind == NO_COMBINATION:
        return PASS_ON_LEAD
    if s.wish and wish_forbids_here(hand, 0, NO_COMBINATION, s, options):
        return WISH_IGNORED
    return LEGAL
