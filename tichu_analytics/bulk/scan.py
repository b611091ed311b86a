"""From the bytes of a BrettspielWelt log to numbers, a round at a time and without an object per line.

Only what is written quite regularly is read here; at the first other byte the round is given up, for the careful
reader. That a seat has another name than before is not irregular: the seat counts, and the difference is flagged.

Bytes come as signed 8-bit integers. A byte 0 behind every log ends all that would read on. These functions run
interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

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
from tichu_analytics.formats.bsw.lines import (
    CARD_NAMES,
    DEALT_HEADER,
    EXCHANGE_HEADER,
    FIRST8_HEADER,
    LARGEST_SCORE,
    PLAY_HEADER,
)
from tichu_analytics.rules.calls import FIRST_CARDS, HAND_CARDS
from tichu_analytics.rules.cards import DECK

Bytes = npt.NDArray[np.int8]
#: One row of numbers, and several. The names tell the compiler the dimensions.
Numbers = npt.NDArray[np.int64]
Table = npt.NDArray[np.int64]

_LF: Final = 10
_BLANK: Final = 32
_HYPHEN: Final = 45
_ZERO: Final = 48
_COLON: Final = 58
_OPEN: Final = 40
_CLOSE: Final = 41
_B: Final = ord("B")
_D: Final = ord("D")
_E: Final = ord("E")
_G: Final = ord("G")
_T: Final = ord("T")
_W: Final = ord("W")
_S: Final = ord("S")


#: Longer names, in bytes, are left to the careful reader, and with them lines that are too long.
_LONGEST_NAME: Final = 500


def _text(words: str) -> Bytes:
    return np.frombuffer(words.encode(), np.int8)


_FIRST8_LINE: Final = _text(FIRST8_HEADER + "\n")
_DEALT_LINE: Final = _text(DEALT_HEADER + "\n")
_EXCHANGE_LINE: Final = _text(EXCHANGE_HEADER + "\n")
_PLAY_LINE: Final = _text(PLAY_HEADER + "\n")
_GIVES: Final = _text(" gibt: ")
_BOMBS: Final = _text("BOMBE:")
_PASSES: Final = _text(" passt.")
_WISH: Final = _text("Wunsch:")
_DRAGON: Final = _text("Drache an: ")
_TICHU: Final = _text("Tichu: ")
_GRAND: Final = _text("Grosses Tichu: ")
_RESULT: Final = _text("Ergebnis: ")


def _card_table() -> Bytes:
    """The bit of each card by the first two bytes of its name, -1 for what begins no card."""
    table = np.full(1 << 16, -1, np.int8)
    for bit, name in enumerate(CARD_NAMES):
        table[ord(name[0]) << 8 | ord(name[1])] = bit
    return table


_CARDS: Final = _card_table()
#: By bit, how many bytes the name of a card has.
_CARD_LENGTHS: Final = np.array([len(name) for name in CARD_NAMES], np.int8)


def is_plain(data: Bytes, begin: int, end: int) -> bool:
    """Whether a log is UTF-8 without control characters, so that nothing is to be said about the file as a whole."""
    odd = 0
    for at in range(begin, end):
        # Bytes from 128 on are negative here.
        odd |= (data[at] < _BLANK and data[at] != _LF) or data[at] == 127
    return not odd or _is_plain_utf8(data, begin, end)


def _is_plain_utf8(data: Bytes, begin: int, end: int) -> bool:
    """The same for a log that is not all ASCII. Well-formed byte sequences are those of the Unicode Standard, 3.9."""
    at = begin
    while at < end:
        first = int(data[at])
        at += 1
        if first >= 0:
            if first == 127 or (first < _BLANK and first != _LF):
                return False
            continue
        first += 256
        # The range of the second byte; all others go from 80 to BF.
        low, high = 0x80, 0xBF
        if 0xC2 <= first <= 0xDF:
            more = 1
            if first == 0xC2:
                low = 0xA0  # below are control characters
        elif 0xE0 <= first <= 0xEF:
            more = 2
            if first == 0xE0:
                low = 0xA0
            elif first == 0xED:
                high = 0x9F
        elif 0xF0 <= first <= 0xF4:
            more = 3
            if first == 0xF0:
                low = 0x90
            elif first == 0xF4:
                high = 0x8F
        else:
            return False
        for _ in range(more):
            if at >= end:
                return False
            other = int(data[at]) & 255
            if other < low or other > high:
                return False
            low, high = 0x80, 0xBF
            at += 1
    return True


def after_text(data: Bytes, at: int, text: Bytes) -> int:
    """The place behind a text that should stand at a place, -1 if it does not."""
    for step in range(text.size):
        if data[at + step] != text[step]:
            return -1
    return at + text.size


def after_round_header(data: Bytes, at: int) -> int:
    """The place behind the line that begins a round, -1 if it does not stand at a place."""
    return after_text(data, at, _FIRST8_LINE)


def after_end(data: Bytes, at: int) -> int:
    """The place behind the end of a line, before which a blank may stand; -1 if there is something else."""
    if data[at] == _BLANK:
        at += 1
    return at + 1 if data[at] == _LF else -1


def seat_at(data: Bytes, at: int) -> int:
    """The seat whose number stands in parentheses at a place, -1 if there is none."""
    seat = int(data[at + 1]) - _ZERO
    if data[at] != _OPEN or data[at + 2] != _CLOSE or seat < 0 or seat > 3:
        return -1
    return seat


def end_of_name(data: Bytes, at: int) -> int:
    """Where the name that begins at a place ends: before a blank, a colon, or the end of the line.

    A name that is too long, or not plain, ends where it begins, and that is no place for it to end.
    """
    begin = at
    while data[at] != _BLANK and data[at] != _COLON and data[at] != _LF and data[at] != 0:
        at += 1
    return at if at - begin <= _LONGEST_NAME and is_plain(data, begin, at) else begin


def end_of_same_name(data: Bytes, at: int, facts: Numbers, seat: int) -> int:
    """Where the name ends that begins at a place; minus that place if it is not the seat's name."""
    begin = int(facts[NAME + seat])
    length = int(facts[NAME_LENGTH + seat])
    step = 0
    while step < length and data[at + step] == data[begin + step]:
        step += 1
    end = at + step
    if step == length and (data[end] == _BLANK or data[end] == _COLON or data[end] == _LF):
        return end
    return -end_of_name(data, at)


def cards_at(data: Bytes, at: int) -> tuple[int, int, int]:
    """The cards from a place to the end of the line.

    Returns:
        Their mask, how many there are, the place behind the line; for anything but different cards with single blanks
        between them the number is -1.
    """
    mask = 0
    count = 0
    while True:
        card = int(_CARDS[(int(data[at]) & 255) << 8 | (int(data[at + 1]) & 255)])
        if card < 0:
            return 0, -1, at
        at += int(_CARD_LENGTHS[card])
        # The one name with three bytes ends with a zero.
        if _CARD_LENGTHS[card] == 3 and data[at - 1] != _ZERO:
            return 0, -1, at
        bit = 1 << card
        if mask & bit:
            return 0, -1, at
        mask |= bit
        count += 1
        if data[at] == _BLANK:
            at += 1
            if data[at] == _LF:
                return mask, count, at + 1
        elif data[at] == _LF:
            return mask, count, at + 1
        else:
            return 0, -1, at


def _card_at(data: Bytes, at: int) -> tuple[int, int]:
    """The mask of the card at a place and the place behind it; mask 0 if there is none."""
    card = int(_CARDS[(int(data[at]) & 255) << 8 | (int(data[at + 1]) & 255)])
    if card < 0:
        return 0, at
    at += int(_CARD_LENGTHS[card])
    if _CARD_LENGTHS[card] == 3 and data[at - 1] != _ZERO:
        return 0, at
    return 1 << card, at


def number_at(data: Bytes, at: int) -> tuple[int, int]:
    """The number at a place and the place behind it, which is -1 if there is none that can be a score."""
    minus = data[at] == _HYPHEN
    if minus:
        at += 1
    begin = at
    number = 0
    while _ZERO <= data[at] <= _ZERO + 9 and at < begin + 5:
        number = 10 * number + int(data[at]) - _ZERO
        at += 1
    if at == begin or at == begin + 5 or number > LARGEST_SCORE:
        return 0, -1
    return -number if minus else number, at


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
    at += _FIRST8_LINE.size
    for seat in range(4):
        if seat_at(data, at) != seat:
            return -1
        facts[NAME + seat] = at + 3
        end = end_of_name(data, at + 3)
        facts[NAME_LENGTH + seat] = end - at - 3
        if data[end] != _BLANK:
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
        if data[end] != _BLANK:
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
            if data[end] != _COLON or data[end + 1] != _BLANK:
                return -1
            mask, at = _card_at(data, end + 2)
            if mask == 0:
                return -1
            facts[GIVEN + 3 * seat + step] = mask
            if data[at] == _BLANK and data[at + 1] == _HYPHEN:
                at += 2
                if step < 2:
                    if data[at] != _BLANK:
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
    while data[at] == _BLANK and data[at + 1] != _LF:
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
    if data[end] == _BLANK:
        _put(events, row, PASS, seat, 0, line, at)
        end = after_text(data, end, _PASSES)
        return -1 if end < 0 else after_end(data, end)
    if data[end] != _COLON or data[end + 1] != _BLANK:
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
    # A rank is written as in the name of a card, behind any suit.
    card = int(_CARDS[_S << 8 | (int(data[at]) & 255)])
    if card < 0:
        return -1
    at += int(_CARD_LENGTHS[card]) - 1
    if _CARD_LENGTHS[card] == 3 and data[at - 1] != _ZERO:
        return -1
    _put(events, row, WISH, -1, card // 4 + 2, line, begin)
    return after_end(data, at)


def _scan_result(data: Bytes, at: int, facts: Numbers) -> int:
    """Reads the result; the place behind it or -1."""
    at = after_text(data, at, _RESULT)
    if at < 0:
        return -1
    facts[LOGGED], at = number_at(data, at)
    if at < 0 or data[at] != _BLANK or data[at + 1] != _HYPHEN or data[at + 2] != _BLANK:
        return -1
    facts[LOGGED + 1], at = number_at(data, at + 3)
    return -1 if at < 0 else after_end(data, at)
