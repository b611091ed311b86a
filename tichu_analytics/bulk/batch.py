"""Many games in one call: their rounds are found, read, replayed, and each gets a row of numbers.

These functions run interpreted as well as compiled by Numba (:mod:`.engine`).
"""

from __future__ import annotations

from tichu_analytics.bulk.layout import (
    CLEAN,
    FACTS,
    FIRST_LINE,
    G_FIRST,
    G_ROUNDS,
    G_STATE,
    IN_PARTS,
    IRREGULAR,
    LINES,
    MOVES_END,
    NUMBER,
    ODD_FILE,
    R_BEGIN,
    R_END,
    R_FLAGS,
    R_GAME,
    R_LINE,
    R_SCORE,
    SCORE,
    TOTAL,
    TRICKS_END,
)
from tichu_analytics.bulk.replay import replay_round
from tichu_analytics.bulk.scan import after_round_header, scan_round
from tichu_analytics.bulk.words import BLANK, LF, Bytes, Numbers, Table, is_plain
from tichu_analytics.rules.options import Options
from tichu_analytics.rules.scoring import NOT_OVER, game_winner


def check_games(
    data: Bytes,
    spans: Table,
    options: Options,
    strict: Options,
    rounds: Table,
    games: Table,
    facts: Numbers,
    events: Table,
    kept: Table,
    tricks: Table,
    moves: Table,
) -> int:
    """Goes through the games of a batch.

    Args:
        data: the bytes of all games, with at least one byte 0 behind each and 64 at the end.
        spans: for each game where it begins and where it ends.
        options, strict: as for :func:`tichu_analytics.bulk.replay.replay_round`.
        rounds: where the rows of the rounds are written (:mod:`.layout`); one for every 47 bytes is enough.
        games: where the rows of the games are written.
        facts, events: room to work in.
        kept: where the facts of the rounds are written, one in each row, which count where the flags are 0; no row if
            they are not wanted.
        tricks, moves: where tricks and moves are written, one in each column; no column if they are not wanted.

    Returns:
        How many rows of rounds there are.
    """
    row = 0
    facts[TRICKS_END] = facts[MOVES_END] = 0
    for game in range(spans.shape[0]):
        begin = int(spans[game, 0])
        end = int(spans[game, 1])
        games[game, G_FIRST] = row
        games[game, G_ROUNDS] = 0
        games[game, G_STATE] = ODD_FILE
        if after_round_header(data, begin) >= 0:
            row = _check_game(
                data, begin, end, game, options, strict, rounds, row, games, facts, events, kept, tricks, moves
            )
    return row


def _check_game(
    data: Bytes,
    begin: int,
    end: int,
    game: int,
    options: Options,
    strict: Options,
    rounds: Table,
    row: int,
    games: Table,
    facts: Numbers,
    events: Table,
    kept: Table,
    tricks: Table,
    moves: Table,
) -> int:
    """Goes through one game, which begins with the header of a round; the number of the next row of rounds."""
    at = begin
    line = 0
    total_0 = total_1 = 0
    first = row
    is_clean = True
    is_over = False
    while at < end:
        flags = IRREGULAR
        lines = 0
        tricks_before = int(facts[TRICKS_END])
        moves_before = int(facts[MOVES_END])
        facts[NUMBER] = row - first + 1
        facts[FIRST_LINE] = line + 1
        facts[TOTAL] = total_0
        facts[TOTAL + 1] = total_1
        behind = scan_round(data, at, facts, events)
        if behind >= 0:
            flags = replay_round(facts, events, options, strict, tricks, moves)
        if flags >= 0:
            behind, blank = _after_blank_lines(data, behind)
            lines = int(facts[LINES]) + blank
            # What stands behind a result belongs to its round, unless it is the header of the next one.
            if behind < end and after_round_header(data, behind) < 0:
                flags = IRREGULAR
        if flags >= 0:
            rounds[row, R_SCORE] = facts[SCORE]
            rounds[row, R_SCORE + 1] = facts[SCORE + 1]
        else:
            behind, lines = _next_header(data, at, end)
            rounds[row, R_SCORE] = 0
            rounds[row, R_SCORE + 1] = 0
        if flags != 0 or is_over:
            is_clean = False
        if flags != 0:
            facts[TRICKS_END] = tricks_before
            facts[MOVES_END] = moves_before
        elif kept.size > 0:
            for number in range(FACTS):
                kept[row, number] = facts[number]
        rounds[row, R_GAME] = game
        rounds[row, R_BEGIN] = at
        rounds[row, R_END] = behind
        rounds[row, R_LINE] = line
        rounds[row, R_FLAGS] = flags
        total_0 += int(rounds[row, R_SCORE])
        total_1 += int(rounds[row, R_SCORE + 1])
        row += 1
        is_over = game_winner(total_0, total_1, row - first, options) != NOT_OVER
        at = behind
        line += lines
    games[game, G_ROUNDS] = row - first
    if is_clean:
        # Every byte has been read: only names could have been anything else than plain.
        games[game, G_STATE] = CLEAN
    else:
        games[game, G_STATE] = IN_PARTS if is_plain(data, begin, end) else ODD_FILE
    return row


def _after_blank_lines(data: Bytes, at: int) -> tuple[int, int]:
    """The place behind lines that have nothing but blanks, and how many there are."""
    lines = 0
    behind = at
    while data[at] == BLANK or data[at] == LF:
        at += 1
        if data[at - 1] == LF:
            lines += 1
            behind = at
    return behind, lines


def _next_header(data: Bytes, at: int, end: int) -> tuple[int, int]:
    """Where the next round may begin after the line at a place, at the latest at the end, and the lines before it."""
    lines = 0
    while at < end:
        while at < end and data[at] != LF:
            at += 1
        at += 1
        lines += 1
        if at < end and after_round_header(data, at) >= 0:
            break
    return min(at, end), lines
