"""What the bytes of a BrettspielWelt log are read with: texts, names, cards and numbers at a place.

Bytes come one by one, as signed 8-bit integers, and as windows: the eight bytes from a place on as one number, the
first byte lowest, so that a text or a name is compared in a step or two. A byte 0 behind every log ends all that would
read on. These functions run interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from tichu_analytics.bulk.layout import NAME, NAME_LENGTH
from tichu_analytics.formats.bsw.lines import CARD_NAMES, LARGEST_SCORE

Bytes = npt.NDArray[np.int8]
#: What :func:`text_of` gives.
Text = npt.NDArray[np.int64]
#: One row of numbers, and several. The names tell the compiler the dimensions.
Numbers = npt.NDArray[np.int64]
Table = npt.NDArray[np.int64]

LF: Final = 10
BLANK: Final = 32
HYPHEN: Final = 45
ZERO: Final = 48
COLON: Final = 58
#: Parentheses around a byte.
_PARENTHESES: Final = 41 << 16 | 40

#: Longer names, in bytes, are left to the careful reader, and with them lines that are too long.
_LONGEST_NAME: Final = 500


#: What tells a card in the table below from its length.
_BIT: Final = 63
#: The bytes that a window has.
WINDOW: Final = 8


def _card_table() -> Bytes:
    """The bit of each card by the first two bytes of its name, and 64 if it has a third one; -1 for all others."""
    table = np.full(1 << 16, -1, np.int8)
    for bit, name in enumerate(CARD_NAMES):
        table[ord(name[0]) | ord(name[1]) << 8] = bit | (len(name) - 2) << 6
    return table


CARDS: Final = _card_table()
#: By number, a mask with so many bytes.
_MASKS: Final = np.array([(1 << 8 * length) - 1 for length in range(WINDOW)] + [-1], np.int64)


def window(data: Bytes, at: int) -> int:
    """The eight bytes from a place on. Compiled, this is one instruction (:mod:`.engine`)."""
    return int.from_bytes(data[at : at + WINDOW].tobytes(), "little", signed=True)


def text_of(words: str) -> Text:
    """A text as :func:`after_text` takes it: its length, and its windows, the last one filled up with zeros."""
    data = words.encode()
    padded = data + bytes(-len(data) % WINDOW)
    return np.array([len(data), *np.frombuffer(padded, "<i8").tolist()], np.int64)


def is_plain(data: Bytes, begin: int, end: int) -> bool:
    """Whether a log is UTF-8 without control characters, so that nothing is to be said about the file as a whole."""
    odd = 0
    for at in range(begin, end):
        # Bytes from 128 on are negative here.
        odd |= (data[at] < BLANK and data[at] != LF) or data[at] == 127
    return not odd or _is_plain_utf8(data, begin, end)


def _is_plain_utf8(data: Bytes, begin: int, end: int) -> bool:
    """The same for a log that is not all ASCII. Well-formed byte sequences are those of the Unicode Standard, 3.9."""
    at = begin
    while at < end:
        first = int(data[at])
        at += 1
        if first >= 0:
            if first == 127 or (first < BLANK and first != LF):
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


def after_text(data: Bytes, at: int, text: Text) -> int:
    """The place behind a text (see :func:`text_of`) that should stand at a place, -1 if it does not."""
    left = int(text[0])
    number = 1
    while left > WINDOW:
        if window(data, at) != text[number]:
            return -1
        number += 1
        at += WINDOW
        left -= WINDOW
    return at + left if window(data, at) & int(_MASKS[left]) == text[number] else -1


def after_end(data: Bytes, at: int) -> int:
    """The place behind the end of a line, before which a blank may stand; -1 if there is something else."""
    word = window(data, at)
    if word & 255 == BLANK:
        at += 1
        word >>= 8
    return at + 1 if word & 255 == LF else -1


def seat_at(data: Bytes, at: int) -> int:
    """The seat whose number stands in parentheses at a place, -1 if there is none."""
    word = window(data, at)
    seat = (word >> 8 & 255) - ZERO
    if word & 0xFF00FF != _PARENTHESES or seat < 0 or seat > 3:
        return -1
    return seat


def end_of_name(data: Bytes, at: int) -> int:
    """Where the name that begins at a place ends: before a blank, a colon, or the end of the line.

    A name that is too long, or not plain, ends where it begins, and that is no place for it to end.
    """
    begin = at
    while data[at] != BLANK and data[at] != COLON and data[at] != LF and data[at] != 0:
        at += 1
    return at if at - begin <= _LONGEST_NAME and is_plain(data, begin, at) else begin


def end_of_same_name(data: Bytes, at: int, facts: Numbers, seat: int) -> int:
    """Where the name ends that begins at a place; minus that place if it is not the seat's name."""
    begin = int(facts[NAME + seat])
    left = int(facts[NAME_LENGTH + seat])
    end = at
    while left > WINDOW and window(data, end) == window(data, begin):
        begin += WINDOW
        end += WINDOW
        left -= WINDOW
    if left <= WINDOW and (window(data, end) ^ window(data, begin)) & int(_MASKS[left]) == 0:
        end += left
        following = window(data, end) & 255
        if following == BLANK or following == COLON or following == LF:
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
        word = window(data, at)
        card = int(CARDS[word & 0xFFFF])
        if card < 0:
            return 0, -1, at
        word >>= 16
        at += 2
        if card > _BIT:
            # The one name with three bytes ends with a zero.
            if word & 255 != ZERO:
                return 0, -1, at
            word >>= 8
            at += 1
        bit = 1 << (card & _BIT)
        if mask & bit:
            return 0, -1, at
        mask |= bit
        count += 1
        if word & 255 == BLANK:
            at += 1
            if word >> 8 & 255 == LF:
                return mask, count, at + 1
        elif word & 255 == LF:
            return mask, count, at + 1
        else:
            return 0, -1, at


def card_at(data: Bytes, at: int) -> tuple[int, int]:
    """The mask of the card at a place and the place behind it; mask 0 if there is none."""
    word = window(data, at)
    card = int(CARDS[word & 0xFFFF])
    if card < 0 or (card > _BIT and word >> 16 & 255 != ZERO):
        return 0, at
    return 1 << (card & _BIT), at + 2 + (card >> 6)


def number_at(data: Bytes, at: int) -> tuple[int, int]:
    """The number at a place and the place behind it, which is -1 if there is none that can be a score."""
    minus = data[at] == HYPHEN
    if minus:
        at += 1
    begin = at
    number = 0
    while ZERO <= data[at] <= ZERO + 9 and at < begin + 5:
        number = 10 * number + int(data[at]) - ZERO
        at += 1
    if at == begin or at == begin + 5 or number > LARGEST_SCORE:
        return 0, -1
    return -number if minus else number, at
