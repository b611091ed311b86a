"""From the bytes of a BrettspielWelt log to numbers, a round at a time and without an object per line.

Only what is written quite regularly is read here; at the first other byte the round is given up, for the careful
reader. That a seat has another name than before is not irregular: the seat counts, and the difference is flagged.

These functions run interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.bulk.layout import (
    AT,
    BOMBS,
    DEALT,
    EARLY,
    EVENTS,
    FIRST8,
    FLAGS,
    GIFT,
    GIVEN,
    GRAND,
    KIND,
    LINE,
    LINES,
    LOGGED,
    MOST_EVENTS,
    NAME,
    NAME_LENGTH,
    OTHER_NAME,
    PASS,
    PLAY,
    SEAT,
    SMALL,
    VALUE,
    WISH,
)
from tichu_analytics.bulk.words import (
    BLANK,
    CARDS,
    COLON,
    HYPHEN,
    LF,
    ZERO,
    Bytes,
    Numbers,
    Table,
    after_end,
    after_text,
    card_at,
    cards_at,
    end_of_name,
    end_of_same_name,
    number_at,
    seat_at,
    text_of,
    window,
)
from tichu_analytics.formats.bsw.lines import (
    DEALT_HEADER,
    EXCHANGE_HEADER,
    FIRST8_HEADER,
    PLAY_HEADER,
)
from tichu_analytics.rules.calls import FIRST_CARDS, HAND_CARDS
from tichu_analytics.rules.cards import DECK

_OPEN: Final = ord("(")
_B: Final = ord("B")
_D: Final = ord("D")
_E: Final = ord("E")
_G: Final = ord("G")
_T: Final = ord("T")
_W: Final = ord("W")
_S: Final = ord("S")


_FIRST8_LINE: Final = text_of(FIRST8_HEADER + "\n")
_DEALT_LINE: Final = text_of(DEALT_HEADER + "\n")
_EXCHANGE_LINE: Final = text_of(EXCHANGE_HEADER + "\n")
_PLAY_LINE: Final = text_of(PLAY_HEADER + "\n")
_GIVES: Final = text_of(" gibt: ")
_BOMBS: Final = text_of("BOMBE:")
_PASSES: Final = text_of(" passt.")
_WISH: Final = text_of("Wunsch:")
_DRAGON: Final = text_of("Drache an: ")
_TICHU: Final = text_of("Tichu: ")
_GRAND: Final = text_of("Grosses Tichu: ")
_RESULT: Final = text_of("Ergebnis: ")


def after_round_header(data: Bytes, at: int) -> int:
    """The place behind the line that begins a round, -1 if it does not stand at a place."""
    return after_text(data, at, _FIRST8_LINE)


def scan_round(data: Bytes, at: int, facts: Numbers, events: Table) -> int:
    """Reads a round.

    Args:
        data: the buffer.
        at: where the header of the round stands.
        facts, events: where to write what the round has (:mod:`.layout`).

    Returns:
        The place behind the result; -1 for anything that is not quite regular.
    """
    facts[FLAGS] = 0
    at = _scan_deal(data, at, facts)
    if at >= 0:
        at = _scan_early_calls(data, at, facts, events)
    if at >= 0:
        at = _scan_exchange(data, at, facts)
    if at >= 0:
        at = _scan_course(data, at, facts, events)
    return at


def _scan_deal(data: Bytes, at: int, facts: Numbers) -> int:
    """Reads the first eight and the fourteen cards; the place behind them or -1."""
    at += int(_FIRST8_LINE[0])
    for seat in range(4):
        if seat_at(data, at) != seat:
            return -1
        facts[NAME + seat] = at + 3
        end = end_of_name(data, at + 3)
        facts[NAME_LENGTH + seat] = end - at - 3
        if data[end] != BLANK:
            return -1
        mask, count, at = cards_at(data, end + 1)
        if count != FIRST_CARDS:
            return -1
        facts[FIRST8 + seat] = mask
    at = after_text(data, at, _DEALT_LINE)
    if at < 0:
        return -1
    everything = 0
    for seat in range(4):
        if seat_at(data, at) != seat:
            return -1
        end = end_of_same_name(data, at + 3, facts, seat)
        if end < 0:
            facts[FLAGS] |= OTHER_NAME
            end = -end
        if data[end] != BLANK:
            return -1
        mask, count, at = cards_at(data, end + 1)
        if count != HAND_CARDS or int(facts[FIRST8 + seat]) & ~mask:
            return -1
        everything |= mask
        facts[DEALT + seat] = mask
    return at if everything == DECK else -1


def _scan_early_calls(data: Bytes, at: int, facts: Numbers, events: Table) -> int:
    """Reads the calls before the exchange; the place behind its header or -1."""
    count = 0
    line = 10
    while data[at] == _T or data[at] == _G:
        following = _scan_call(data, at, facts, events, count, line)
        if following < 0 or count == 16:
            return -1
        at = following
        count += 1
        line += 1
    facts[EARLY] = count
    return after_text(data, at, _EXCHANGE_LINE)


def _scan_call(data: Bytes, at: int, facts: Numbers, events: Table, row: int, line: int) -> int:
    """Reads a call; the place behind it or -1."""
    grand = data[at] == _G
    behind = after_text(data, at, _GRAND) if grand else after_text(data, at, _TICHU)
    if behind < 0:
        return -1
    return _scan_named(data, at, behind, facts, events, row, line, GRAND if grand else SMALL)


def _scan_named(data: Bytes, begin: int, at: int, facts: Numbers, events: Table, row: int, line: int, kind: int) -> int:
    """Reads the seat and name with which a line ends; the place behind it or -1.

    A seat out of range is irregular; the kind, the beginning and the number of the line go with the event.
    """
    seat = seat_at(data, at)
    if seat < 0:
        return -1
    end = end_of_same_name(data, at + 3, facts, seat)
    if end < 0:
        facts[FLAGS] |= OTHER_NAME
        end = -end
    _put(events, row, kind, seat, 0, line, begin)
    return after_end(data, end)


def _put(events: Table, row: int, kind: int, seat: int, value: int, line: int, at: int) -> None:
    events[row, KIND] = kind
    events[row, SEAT] = seat
    events[row, VALUE] = value
    events[row, LINE] = line
    events[row, AT] = at


def _scan_exchange(data: Bytes, at: int, facts: Numbers) -> int:
    """Reads what is given and who holds a bomb; the place behind the header of the course or -1."""
    for seat in range(4):
        if seat_at(data, at) != seat:
            return -1
        end = end_of_same_name(data, at + 3, facts, seat)
        if end < 0:
            # From here on the seat has this name.
            facts[FLAGS] |= OTHER_NAME
            end = -end
            facts[NAME + seat] = at + 3
            facts[NAME_LENGTH + seat] = end - at - 3
        at = after_text(data, end, _GIVES)
        if at < 0:
            return -1
        for step in range(3):
            end = end_of_same_name(data, at, facts, (seat + step + 1) % 4)
            if end < 0:
                facts[FLAGS] |= OTHER_NAME
                end = -end
            if data[end] != COLON or data[end + 1] != BLANK:
                return -1
            mask, at = card_at(data, end + 2)
            if mask == 0:
                return -1
            facts[GIVEN + 3 * seat + step] = mask
            if data[at] == BLANK and data[at + 1] == HYPHEN:
                at += 2
                if step < 2:
                    if data[at] != BLANK:
                        return -1
                    at += 1
            elif step < 2:
                return -1
        at = after_end(data, at)
        if at < 0:
            return -1
    facts[BOMBS] = 0
    if data[at] == _B:
        at = _scan_bombs(data, at, facts)
        if at < 0:
            return -1
    return after_text(data, at, _PLAY_LINE)


def _scan_bombs(data: Bytes, at: int, facts: Numbers) -> int:
    """Reads the line ``BOMBE:``, which names seats in their order; the place behind it or -1."""
    at = after_text(data, at, _BOMBS)
    if at < 0:
        return -1
    last = -1
    while data[at] == BLANK and data[at + 1] != LF:
        seat = seat_at(data, at + 1)
        if seat <= last:
            return -1
        last = seat
        at = end_of_same_name(data, at + 4, facts, seat)
        if at < 0:
            facts[FLAGS] |= OTHER_NAME
            at = -at
        facts[BOMBS] |= 1 << seat
    return after_end(data, at) if facts[BOMBS] else -1


def _scan_course(data: Bytes, at: int, facts: Numbers, events: Table) -> int:
    """Reads the course and the result of a round; the place behind it or -1."""
    row = int(facts[EARLY])
    # Two headers with four lines each, the exchange with five, the header of the course.
    line = 16 + row + (1 if facts[BOMBS] else 0)
    while row < MOST_EVENTS:
        first = data[at]
        if first == _OPEN:
            at = _scan_act(data, at, facts, events, row, line)
        elif first == _E:
            at = _scan_result(data, at, facts)
            facts[EVENTS] = row
            facts[LINES] = line + 1
            return at
        elif first == _W:
            at = _scan_wish(data, at, events, row, line)
        elif first == _D:
            behind = after_text(data, at, _DRAGON)
            at = -1 if behind < 0 else _scan_named(data, at, behind, facts, events, row, line, GIFT)
        elif first == _T:
            at = _scan_call(data, at, facts, events, row, line)
        else:
            return -1
        if at < 0:
            return -1
        row += 1
        line += 1
    return -1


def _scan_act(data: Bytes, at: int, facts: Numbers, events: Table, row: int, line: int) -> int:
    """Reads a pass or a play; the place behind it or -1."""
    seat = seat_at(data, at)
    if seat < 0:
        return -1
    end = end_of_same_name(data, at + 3, facts, seat)
    if end < 0:
        facts[FLAGS] |= OTHER_NAME
        end = -end
    if data[end] == BLANK:
        _put(events, row, PASS, seat, 0, line, at)
        end = after_text(data, end, _PASSES)
        return -1 if end < 0 else after_end(data, end)
    if data[end] != COLON or data[end + 1] != BLANK:
        return -1
    mask, count, behind = cards_at(data, end + 2)
    _put(events, row, PLAY, seat, mask, line, at)
    return behind if 1 <= count <= HAND_CARDS else -1


def _scan_wish(data: Bytes, at: int, events: Table, row: int, line: int) -> int:
    """Reads a wish; the place behind it or -1."""
    begin = at
    at = after_text(data, at, _WISH)
    if at < 0:
        return -1
    # A rank is written as in the name of a card, behind any suit; before it stands the colon.
    word = window(data, at)
    card = int(CARDS[_S | (word & 255) << 8])
    if card < 0 or (card > 63 and word >> 8 & 255 != ZERO):
        return -1
    _put(events, row, WISH, -1, (card & 63) // 4 + 2, line, begin)
    return after_end(data, at + 1 + (card >> 6))


def _scan_result(data: Bytes, at: int, facts: Numbers) -> int:
    """Reads the result; the place behind it or -1."""
    at = after_text(data, at, _RESULT)
    if at < 0:
        return -1
    facts[LOGGED], at = number_at(data, at)
    if at < 0 or data[at] != BLANK or data[at + 1] != HYPHEN or data[at + 2] != BLANK:
        return -1
    facts[LOGGED + 1], at = number_at(data, at + 3)
    return -1 if at < 0 else after_end(data, at)
