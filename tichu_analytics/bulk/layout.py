"""What the compiled pass keeps of a round and of a game: places in arrays of 64-bit integers.

A round is worked on in two arrays. ``facts`` has the numbers below, ``events`` a row for every line of the course and,
before them, for every call before it. What is handed out is a row for every round and one for every game; where tables
are to be filled, also the facts of every round that is vouched for, its tricks and its moves.
"""

from __future__ import annotations

from typing import Final

# facts -----------------------------------------------------------------------------------------------------------

#: By seat: where the name begins in the buffer, and its bytes.
NAME: Final = 0
NAME_LENGTH: Final = 4
#: By seat, as masks: the first eight cards, the fourteen, the hand (after the exchange, then as it gets smaller).
FIRST8: Final = 8
DEALT: Final = 12
HELD: Final = 16
#: By giving seat three masks of one card: to the right, to the partner, to the left.
GIVEN: Final = 20
#: By seat: the call (as the rulebook numbers them), and the card points in the tricks taken.
CALLED: Final = 32
TAKEN: Final = 36
#: The seats that went out, in that order; -1 for nobody.
FINISH: Final = 40
#: The seats, as bits, that the line ``BOMBE:`` names; 0 without such a line.
BOMBS: Final = 43
#: How many rows of ``events`` are used, and how many of these are calls before the course.
EVENTS: Final = 44
EARLY: Final = 45
#: The lines of the round, from its header to its result.
LINES: Final = 46
#: The result as logged, and as replayed, by team.
LOGGED: Final = 47
SCORE: Final = 49
#: What is worth a finding, as the bits below.
FLAGS: Final = 51
#: The number of the round, the line of its header in the file, and the totals before it, by team.
NUMBER: Final = 52
FIRST_LINE: Final = 53
TOTAL: Final = 54
#: The card points by team, 0 after a double victory.
POINTS: Final = 56
#: The seats, as bits, whose fourteen cards hold a bomb.
DEALT_BOMBS: Final = 58
#: By seat, of the call: its line in the file, the tricks begun before it, and one of the moments below.
CALL_LINE: Final = 59
CALL_TRICK: Final = 63
CALL_WHEN: Final = 67
#: The wish: who made it, its rank, its line; who met it, on which line; -1 where there is nothing.
WISH_SEAT: Final = 71
WISH_RANK: Final = 72
WISH_LINE: Final = 73
MET_SEAT: Final = 74
MET_LINE: Final = 75
#: How many plays, passes and bombs there are; which columns of the tricks and of the moves are used up to its end, and
#: how many of these belong to the round.
PLAYS: Final = 76
PASSES: Final = 77
BOMBS_PLAYED: Final = 78
TRICKS_END: Final = 79
MOVES_END: Final = 80
TRICKS: Final = 81
MOVES: Final = 82
#: By seat, the hand after the exchange.
START: Final = 83
FACTS: Final = 87

#: Moments of a call, in the order of the vocabulary of the tables.
WITH_EIGHT: Final = 0
BEFORE_EXCHANGE: Final = 1
AFTER_EXCHANGE: Final = 2

# events ----------------------------------------------------------------------------------------------------------

#: One of the kinds below; who acts (the receiver of a gift), -1 for a wish; a play's cards as a mask or a wish's rank;
#: the line, the header of the round being 0; where the line begins in the buffer.
KIND: Final = 0
SEAT: Final = 1
VALUE: Final = 2
LINE: Final = 3
AT: Final = 4
EVENT_COLUMNS: Final = 5

PASS: Final = 0
PLAY: Final = 1
WISH: Final = 2
SMALL: Final = 3
GRAND: Final = 4
GIFT: Final = 5

#: A legal round has at most 56 plays, three passes and a collection to each, and a few lines more.
MOST_EVENTS: Final = 320

# moves and tricks: a row for every fact, so that a column of a table lies in one piece --------------------------------

#: A play or a pass: the trick and the line it is in, who moves, the cards (0 for a pass), kind, length, twice the rank,
#: what the Phoenix stands for, how that was settled (as in the words of the tables, -1 without it), whether another
#: seat was to act, the rank of the open wish, the hand before and after.
V_TRICK: Final = 0
V_LINE: Final = 1
V_SEAT: Final = 2
V_CARDS: Final = 3
V_KIND: Final = 4
V_LENGTH: Final = 5
V_RANK2: Final = 6
V_PHOENIX: Final = 7
V_READING: Final = 8
V_ODD_TURN: Final = 9
V_WISH: Final = 10
V_BEFORE: Final = 11
V_AFTER: Final = 12
MOVE_ROWS: Final = 13

#: A trick: its number, who led, who won it and who got it (-1: nobody), kind and length of the lead, kind of the last
#: play, plays, passes, bombs, card points, cards, who got it as a gift (-1 if it was none), first and last line.
T_NUMBER: Final = 0
T_LEAD: Final = 1
T_WINNER: Final = 2
T_TAKER: Final = 3
T_KIND: Final = 4
T_LENGTH: Final = 5
T_WON_WITH: Final = 6
T_PLAYS: Final = 7
T_PASSES: Final = 8
T_BOMBS: Final = 9
T_POINTS: Final = 10
T_CARDS: Final = 11
T_GIFT: Final = 12
T_FIRST_LINE: Final = 13
T_LAST_LINE: Final = 14
TRICK_ROWS: Final = 15

#: How the rank of the Phoenix was settled: the only reading, shown by a later play, the highest one.
ONLY: Final = 0
LATER: Final = 2
HIGHEST: Final = 4

# What is worth a finding in a round that is legal, and all of whose numbers are known -----------------------------

#: A line has another name than its seat.
OTHER_NAME: Final = 1
#: A call stands twice in direct succession.
CALL_DOUBLED: Final = 2
#: A wish comes after a pass.
WISH_LATE: Final = 4
#: A bomb leaves an owed wish open.
WISH_BOMBED: Final = 8
#: The result is not what the round comes to.
OTHER_SCORE: Final = 16

#: In place of flags: nothing is vouched for.
IRREGULAR: Final = -1

# rows of rounds ---------------------------------------------------------------------------------------------------

#: The game by its place in the batch; where the round begins in the buffer and where the next one does; its first line
#: in the file, from 0; the flags, or ``IRREGULAR``: then it may be several rounds or a part of one. The replayed score.
R_GAME: Final = 0
R_BEGIN: Final = 1
R_END: Final = 2
R_LINE: Final = 3
R_FLAGS: Final = 4
R_SCORE: Final = 5
ROUND_COLUMNS: Final = 7

# rows of games ----------------------------------------------------------------------------------------------------

#: Its first row among the rounds, how many rows it has, and one of the states below.
G_FIRST: Final = 0
G_ROUNDS: Final = 1
G_STATE: Final = 2
GAME_COLUMNS: Final = 3

#: Something about the file as a whole is odd: nothing is known of its rounds.
ODD_FILE: Final = 0
#: There is something to look at, be it flags, an irregular round or a round after the end of the game.
IN_PARTS: Final = 1
#: There is nothing that is worth a finding.
CLEAN: Final = 2
