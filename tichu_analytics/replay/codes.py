"""The findings there are: code, name, severity. Codes and names are stable; a code is never used again."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.replay.findings import Severity


class Code(NamedTuple):
    """A kind of finding.

    Attributes:
        code: ``T`` and three digits; the first digits are the group.
        name: a short name in words.
        severity: what it has unless the place says otherwise (see ``severities``).
        title: what is wrong, in half a sentence.
    """

    code: str
    name: str
    severity: Severity
    title: str


#: Groups of codes by the beginning of their codes, in the order in which they are checked.
GROUPS: Final[dict[str, str]] = {
    "T0": "reading",
    "T10": "deal",
    "T15": "exchange",
    "T2": "calls",
    "T30": "moves",
    "T31": "wish",
    "T32": "moves",
    "T33": "moves",
    "T4": "gifts",
    "T5": "result",
    "T6": "game",
}


def group_of(code: str) -> str:
    """The name of the group of a code, ``moves`` for ``T305``.

    Raises:
        ValueError: for a code of no group.
    """
    for start, group in GROUPS.items():
        if code.startswith(start):
            return group
    raise ValueError(f"{code!r} belongs to no group")


_ROWS: Final[tuple[tuple[str, str, Severity, str], ...]] = (
    ("T001", "unknown-line", "error", "a line that is none of the format's"),
    ("T002", "unknown-card", "error", "something stands for a card that is no card"),
    ("T003", "wrong-card-count", "error", "a line has more or fewer cards than it must have"),
    ("T004", "part-missing", "error", "a section header or a seat's line is missing"),
    ("T005", "part-doubled", "error", "a section header or a seat's line stands twice"),
    ("T006", "line-out-of-place", "error", "a line stands where its kind cannot stand"),
    ("T007", "seat-out-of-range", "error", "a seat number other than 0 to 3"),
    ("T010", "truncated", "error", "a round breaks off before its end (a warning in the last round of a file)"),
    ("T020", "blank-line", "warning", "an empty line inside a round"),
    ("T021", "control-characters", "warning", "NUL bytes or other control characters"),
    ("T022", "line-ends", "note", "lines end with CR LF"),
    ("T023", "byte-order-mark", "note", "the file begins with a byte order mark"),
    ("T024", "not-utf8", "note", "the text is Latin-1, not UTF-8"),
    ("T025", "no-rounds", "warning", "the file is empty or has no round"),
    ("T026", "odd-blanks", "warning", "more blanks than the format has"),
    ("T030", "name-changed", "note", "another name than in the deal from the exchange on"),
    ("T031", "other-name", "warning", "a line names another player than the one at that seat"),
    ("T032", "name-missing", "note", "a line has no name where the seat has one"),
    ("T040", "not-json", "error", "the text is not JSON"),
    ("T041", "record-invalid", "error", "the record is not as the format asks for"),
    ("T042", "unknown-rules", "error", "the record names a rule set or an option that does not exist"),
    ("T101", "card-dealt-twice", "error", "the same card is dealt twice"),
    ("T102", "first-8-not-kept", "error", "a card of the first eight is not among the fourteen"),
    ("T103", "bomb-line-wrong", "warning", "the BOMBE line does not name just the seats that hold a bomb"),
    ("T151", "exchange-not-held", "error", "a card is given that the giver does not hold"),
    ("T152", "exchange-twice", "error", "the same card is given to two players"),
    ("T201", "tichu-too-late", "error", "Tichu after the caller's own first card"),
    ("T202", "call-repeated", "error", "the same call again later on"),
    ("T203", "both-calls", "error", "Tichu and Grand Tichu by the same player"),
    ("T204", "grand-too-late", "error", "Grand Tichu after the exchange"),
    ("T205", "call-doubled", "note", "the same call twice in direct succession; it counts once"),
    ("T206", "tichu-just-late", "warning", "Tichu on the line after the caller's first play"),
    ("T207", "tichu-too-early", "error", "Tichu before it may be called under the rule set"),
    ("T301", "card-not-held", "error", "a card is played that the player does not hold"),
    ("T302", "card-played-before", "error", "a card is played a second time"),
    ("T303", "card-twice-in-play", "error", "the same card stands twice in one play"),
    ("T304", "no-combination", "error", "the cards are no combination"),
    ("T305", "wrong-combination", "error", "another type or length than the trick asks for"),
    ("T306", "not-higher", "error", "the play does not beat what lies on the table"),
    ("T307", "out-of-turn", "error", "somebody acts while it is another player's turn"),
    ("T308", "wrong-leader", "error", "somebody leads while another player has the lead"),
    ("T309", "player-is-out", "error", "somebody acts who has no cards left"),
    ("T320", "pass-on-lead", "error", "the player on lead passes"),
    ("T321", "trick-not-taken", "error", "the owner of a trick leads without having taken it"),
    ("T322", "dog-not-led", "error", "the Dog is played on a trick"),
    ("T323", "bomb-on-empty-table", "error", "a bomb by somebody else while a player is to lead"),
    ("T324", "bomb-on-dog", "error", "the Dog is bombed"),
    ("T325", "bomb-as-first-play", "error", "a bomb as the first play of the round under a rule set that forbids it"),
    ("T326", "passed-before", "error", "a play after a pass under a rule set in which a pass binds"),
    ("T327", "play-after-end", "error", "a play after the round is over"),
    ("T328", "pass-after-end", "note", "a pass after the round is over"),
    ("T329", "pass-for-collect", "error", "a pass by the owner of a trick who is to take it"),
    ("T330", "collect-not-due", "error", "a trick is taken that is not to be taken yet, or not by that player"),
    ("T331", "turn-marked-wrong", "warning", "the record says wrongly that a play was in turn or out of turn"),
    ("T311", "wish-no-rank", "error", "a wish for something other than a rank from 2 to ace"),
    ("T312", "wish-ignored", "error", "an open wish is not met by a player who could meet it"),
    ("T313", "wish-without-mah-jong", "error", "a wish although the Mah Jong was not played"),
    ("T314", "wish-too-late", "error", "a wish after another play than the Mah Jong's"),
    ("T315", "wish-repeated", "error", "a second wish in a round"),
    ("T316", "wish-after-pass", "note", "the wish stands after a pass that followed the Mah Jong"),
    ("T317", "bomb-over-wish", "warning", "a bomb in turn leaves a wish open that could have been met"),
    ("T318", "wish-missing", "error", "the Mah Jong without a wish under a rule set that asks for one"),
    ("T401", "gift-missing", "error", "a trick won with the Dragon is not given away"),
    ("T402", "gift-not-due", "error", "a Dragon gift where no trick was won with the Dragon"),
    ("T403", "gift-too-early", "error", "the Dragon's trick is given away before it is taken"),
    ("T404", "gift-to-own-team", "error", "the Dragon's trick goes to the giver's own team"),
    ("T405", "gift-repeated", "error", "a second gift of the same trick"),
    ("T406", "gift-to-finished-player", "error", "a gift to an opponent who is out, where that is forbidden"),
    ("T501", "result-missing", "error", "the round has no result although it was played to its end"),
    ("T502", "result-unreadable", "error", "the result is not two numbers"),
    ("T503", "result-out-of-range", "error", "a score that no round can have"),
    ("T504", "result-too-early", "error", "the result stands before the round is over"),
    ("T505", "result-repeated", "error", "a second result for the same round"),
    ("T510", "wrong-score", "error", "the score is not what the round comes to"),
    ("T511", "grand-bonus-missing", "error", "both partners called Grand Tichu and one of the two was not booked"),
    ("T512", "call-bonus-missing", "error", "a single 100 or 200 is missing from the score"),
    ("T513", "dragon-points-shifted", "error", "the Dragon's 25 points are on the other side"),
    ("T601", "played-on", "warning", "rounds after a team has reached the target"),
)

#: Every code, by code.
CODES: Final[dict[str, Code]] = {row[0]: Code(*row) for row in _ROWS}

#: Every code, by name.
BY_NAME: Final[dict[str, Code]] = {code.name: code for code in CODES.values()}
