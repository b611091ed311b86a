"""What the compiled pass keeps of a round and of a game: places in arrays of 64-bit integers.

A round is worked on in two arrays. ``facts`` has the numbers below, ``events`` a row for every line of the course and,
before them, for every call before it. What is handed out is a row for every round and one for every game.
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
#: By seat: the call, and the card points in the tricks taken.
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
FACTS: Final = 52

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
