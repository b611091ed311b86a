"""The tables and their columns, declared once.

What the writers write, what the validation asks for, what ``tichu schema`` and docs/tables.md say, and the descriptions
inside the Parquet files all come from here. Nothing heavy is imported: the declaration is plain data.
"""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.findings import SEVERITIES
from tichu_analytics.rules.cards import DECK
from tichu_analytics.rules.combinations import KIND_NAMES
from tichu_analytics.rules.rulesets import rule_set_names
from tichu_analytics.rules.scoring import LEAST_CARD_POINTS, MOST_CARD_POINTS

#: Goes up by one with every change after which older files could be misread.
SCHEMA_VERSION: Final = 1

#: ``vocabulary`` is text out of a fixed list, kept as a dictionary with ``int8`` keys.
Type = Literal["int8", "int16", "int32", "int64", "float32", "bool", "string", "vocabulary"]

Rows = Literal["games", "all rounds", "findings", "kept rounds"]

INT16: Final = 2**15 - 1
INT32: Final = 2**31 - 1


class Column(NamedTuple):
    """A column of a table.

    Attributes:
        name: its name, for good.
        type: what is kept in it.
        meaning: what it tells, in one line.
        nullable: whether it may be null.
        vocabulary: the texts that it may have, in the order of their keys; only for the type ``vocabulary``.
        low, high: the least and the greatest value that it may have; None for text and truth values.
        stable: False if the meaning may still change.
    """

    name: str
    type: Type
    meaning: str
    nullable: bool = False
    vocabulary: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    stable: bool = True

    @property
    def is_mask(self) -> bool:
        """Whether it holds sets of cards."""
        return self.type == "int64"


class Table(NamedTuple):
    """A table.

    Attributes:
        name: its name, and that of its folder.
        row: what a row stands for.
        holds: of what it holds rows: of all games, of all rounds that were read, or only of rounds that are complete
            and legally played.
        columns: its columns in order.
    """

    name: str
    row: str
    holds: Rows
    columns: tuple[Column, ...]

    def column(self, name: str) -> Column:
        """The column of that name.

        Raises:
            KeyError: if there is none.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)


CALLS: Final = ("none", "tichu", "grand")
MOMENTS: Final = ("first8", "before_exchange", "after_exchange")
OUTCOMES: Final = ("finished", "unfinished", "overplayed")
WORST: Final = ("none", *SEVERITIES)
DIRECTIONS: Final = ("right", "partner", "left")
ACTIONS: Final = ("play", "pass")
#: Kinds of combination, in the order of the kind numbers of the rulebook less one.
KINDS: Final = KIND_NAMES[1:]
#: How the Phoenix's role was settled; ``lowest`` only under a rule set that takes the lowest reading.
READINGS: Final = ("only", "declared", "later", "position", "highest", "lowest")
CODE_NAMES: Final = tuple(code.name for code in CODES.values())

#: Why a round is left out of the tables of kept rounds: a finding, or nothing that was found.
INCOMPLETE: Final = "incomplete"
REASONS: Final = (*CODE_NAMES, INCOMPLETE)

#: The largest number of a round that the tables can hold; later rounds of a game are left out and counted.
LAST_ROUND: Final = INT16

# What a log may claim as the score of a round; the replayed one lies well within.
_SCORE: Final = 1_000
_TOTAL: Final = _SCORE * LAST_ROUND


def _text(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, "string", meaning, nullable)


def _flag(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, "bool", meaning, nullable)


def _words(name: str, words: tuple[str, ...], meaning: str, *, nullable: bool = False) -> Column:
    return Column(name, "vocabulary", meaning, nullable, words)


def _mask(name: str, meaning: str) -> Column:
    return Column(name, "int64", meaning, False, (), 0, DECK)


def _int(name: str, low: int, high: int, meaning: str, *, nullable: bool = False) -> Column:
    """A whole number in the smallest type that holds its bounds."""
    type_: Type = "int32"
    if low >= -128 and high <= 127:
        type_ = "int8"
    elif low >= -INT16 - 1 and high <= INT16:
        type_ = "int16"
    return Column(name, type_, meaning, nullable, (), low, high)


def _seat(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return _int(name, 0, 3, meaning, nullable=nullable)


def _team(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return _int(name, 0, 1, meaning, nullable=nullable)


def _line(name: str, meaning: str, *, nullable: bool = False) -> Column:
    return _int(name, 1, INT32, meaning, nullable=nullable)


def _count(name: str, high: int, meaning: str, *, low: int = 0, nullable: bool = False) -> Column:
    return _int(name, low, high, meaning, nullable=nullable)


def _points(name: str, meaning: str) -> Column:
    """Card points of a team."""
    return _int(name, LEAST_CARD_POINTS, MOST_CARD_POINTS, meaning, nullable=True)


# In a round that is played legally no player has more than 14 plays, and no trick more passes than three a play.
_PLAYS: Final = 56
_TRICK_PASSES: Final = 127
# One pass of each player after each play at most.
_MOVES: Final = 4 * _PLAYS

_GAME: Final = _text(
    "game_id", "the record's own id, or the file's name without its ending; longer if another game has it too"
)
_ROUND: Final = _int(
    "round",
    1,
    LAST_ROUND,
    f"the number of the round in its game, from 1; rounds after the {LAST_ROUND}th are left out and counted",
)

GAMES: Final = Table(
    "games",
    "one game",
    "games",
    (
        _GAME,
        _text("path", "the log as it was named, in a folder relative to it; in an archive as a.zip!/201402/1.tch"),
        _words("rules", rule_set_names(), "the rule set that it was replayed under"),
        _count("n_rounds", INT32, "complete rounds"),
        _int(
            "total_0",
            -_TOTAL,
            _TOTAL,
            "total of team 0 (seats 0 and 2) after the last round, rounds after the end of the game included",
        ),
        _int(
            "total_1",
            -_TOTAL,
            _TOTAL,
            "total of team 1 (seats 1 and 3) after the last round, rounds after the end of the game included",
        ),
        _team(
            "winner",
            "the team that won when the target was first reached; null for a draw and for an unfinished game",
            nullable=True,
        ),
        _words(
            "outcome",
            OUTCOMES,
            "finished, unfinished (no team reached the target), or overplayed (rounds after one had)",
        ),
        *(
            _text(
                f"player_{seat}",
                f"the player at seat {seat} in the first round that has an exchange, or else a deal",
                nullable=True,
            )
            for seat in range(4)
        ),
        _count("n_player_changes", INT32, "how often a seat has another name from the exchange on than before"),
        _text(
            "played_month",
            "YYYYMM: of the day that the record gives, as written there; else the name of the log's folder or archive",
            nullable=True,
        ),
        _count("n_findings", INT32, "findings of any severity, those about the whole file included"),
    ),
)

ROUNDS: Final = Table(
    "rounds",
    "one round",
    "all rounds",
    (
        _GAME,
        _ROUND,
        _line("first_line", "its first line in the log"),
        _line("last_line", "its last line in the log"),
        _flag("complete", "played to its end; a missing result is a finding of its own"),
        _flag("legal", "complete, and no error other than in the result"),
        _flag("score_agrees", "the logged score is the replayed one; null if either is missing", nullable=True),
        _words("severity", WORST, "the worst finding"),
        _int("score_0", -_SCORE, _SCORE, "replayed score of team 0; null where it cannot be known", nullable=True),
        _int("score_1", -_SCORE, _SCORE, "replayed score of team 1; null where it cannot be known", nullable=True),
        _int("logged_score_0", -_SCORE, _SCORE, "score of team 0 as the log has it", nullable=True),
        _int("logged_score_1", -_SCORE, _SCORE, "score of team 1 as the log has it", nullable=True),
        _points("card_points_0", "card points of team 0; null after a double victory and where they cannot be known"),
        _points("card_points_1", "card points of team 1; null after a double victory and where they cannot be known"),
        _team("double_victory", "the team that went out first and second; null if none did", nullable=True),
        _seat("finish_1", "the seat that went out first; null if none did", nullable=True),
        _seat("finish_2", "the seat that went out second; null if none did", nullable=True),
        _seat("finish_3", "the seat that went out third; null after a double victory and if none did", nullable=True),
        _int(
            "total_before_0",
            -_TOTAL,
            _TOTAL,
            "total of team 0 before the round: of replayed scores, or logged ones where those are not known",
        ),
        _int(
            "total_before_1",
            -_TOTAL,
            _TOTAL,
            "total of team 1 before the round: of replayed scores, or logged ones where those are not known",
        ),
        _count("n_tricks", INT32, "tricks, Dogs included"),
        _count("n_plays", INT32, "plays"),
        _count("n_passes", INT32, "passes; taking a trick is none"),
        _count("n_bombs", INT32, "bombs played"),
        _seat("wish_seat", "who wished; null without a wish", nullable=True),
        _int("wish_rank", 2, 14, "the rank wished for; null without a wish", nullable=True),
        _line("wish_line", "the line of the wish; null without one", nullable=True),
        _seat("wish_fulfilled_seat", "who met the wish; null if nobody did", nullable=True),
        _line("wish_fulfilled_line", "the line of the play that met the wish; null if none did", nullable=True),
        _words(
            "excluded_by",
            REASONS,
            "the first finding for which the round is in rounds and findings only (incomplete without one); else null",
            nullable=True,
        ),
    ),
)

HANDS: Final = Table(
    "hands",
    "one seat in one round",
    "kept rounds",
    (
        _GAME,
        _ROUND,
        _seat("seat", "the seat"),
        _team("team", "its team: 0 for seats 0 and 2, 1 for seats 1 and 3"),
        _text("player", "the player's name, from the exchange on"),
        _mask("first8", "the first eight cards; 0 if a record does not have them"),
        _mask("dealt", "the fourteen cards dealt"),
        _mask("held", "the hand after the exchange"),
        _flag("dealt_bomb", "the fourteen cards dealt contain a bomb"),
        _flag("held_bomb", "the hand after the exchange contains a bomb"),
        _words("call", CALLS, "the seat's call that counts"),
        _words("call_when", MOMENTS, "the moment of the call; null without a call", nullable=True),
        _line("call_line", "the line of the call; null without a call", nullable=True),
        _count(
            "call_trick",
            _PLAYS,
            "tricks begun before the call, 0 before the first lead; null without a call",
            nullable=True,
        ),
        _flag("call_success", "the caller went out first; null without a call", nullable=True),
        _words("partner_call", CALLS, "the partner's call that counts"),
        _int("finish", 1, 3, "place in which the seat went out; null if it did not", nullable=True),
        _int(
            "points_taken",
            -25,
            125,
            "card points of the tricks it took, before the last player's are moved; also in double victories",
        ),
        _int("score_own", -_SCORE, _SCORE, "replayed score of the seat's team"),
        _int("score_opponents", -_SCORE, _SCORE, "replayed score of the other team"),
        _int("total_before_own", -_TOTAL, _TOTAL, "total of the seat's team before the round"),
        _int("total_before_opponents", -_TOTAL, _TOTAL, "total of the other team before the round"),
    ),
)

EXCHANGES: Final = Table(
    "exchanges",
    "one card passed in the exchange: three rows a seat and round",
    "kept rounds",
    (
        _GAME,
        _ROUND,
        _seat("giver", "who gives"),
        _seat("receiver", "who receives"),
        _words("passed_to", DIRECTIONS, "where the receiver sits, seen from the giver"),
        _words("received_from", DIRECTIONS, "where the giver sits, seen from the receiver"),
        _int("card", 0, 55, "the card's bit number"),
        _int("rank", 0, 15, "the card's rank; null for the Phoenix", nullable=True),
    ),
)

TRICKS: Final = Table(
    "tricks",
    "one trick; a Dog is a trick of its own",
    "kept rounds",
    (
        _GAME,
        _ROUND,
        _int("trick", 1, _PLAYS, "the number of the trick in its round, from 1"),
        _seat("lead_seat", "who led"),
        _seat("winner_seat", "owner of the last play; null for a Dog", nullable=True),
        _seat(
            "taker_seat",
            "who got the cards, after a Dragon gift; null for a Dog and a Dragon's trick that ends a double victory",
            nullable=True,
        ),
        _words("kind", KINDS, "kind of the lead"),
        _int("length", 1, 14, "number of cards of the lead"),
        _words("won_with", KINDS, "kind of the last play"),
        _count("n_plays", _PLAYS, "plays", low=1),
        _count("n_passes", _TRICK_PASSES, "passes, without the taking of the trick"),
        _count("n_bombs", _PLAYS, "bombs"),
        _int("points", -25, 125, "card points in it"),
        _mask("cards", "all cards played to it"),
        _seat("dragon_to", "who received it as a Dragon gift; null if it was none", nullable=True),
        _line("first_line", "the line of the lead"),
        _line("last_line", "its last line: with the taking and the Dragon gift, without later wish or call lines"),
    ),
)

MOVES: Final = Table(
    "moves",
    "one play or pass; taking a trick is no move",
    "kept rounds",
    (
        _GAME,
        _ROUND,
        _int("move", 1, _MOVES, "the number of the move in its round, from 1"),
        _int("trick", 1, _PLAYS, "the number of its trick"),
        _line("line", "its line in the log"),
        _seat("seat", "who moves"),
        _words("action", ACTIONS, "play or pass"),
        _mask("cards", "the cards played; 0 for a pass"),
        _words("kind", KINDS, "kind of the combination; null for a pass", nullable=True),
        Column(
            "rank",
            "float32",
            "rank of the combination, a half above what it covers for a single Phoenix; null for a pass",
            True,
            (),
            0,
            15,
        ),
        _int("length", 1, 14, "number of cards; null for a pass", nullable=True),
        _int(
            "phoenix_rank",
            2,
            14,
            "the rank that the Phoenix stands for in a combination; null without it, and for a single Phoenix",
            nullable=True,
        ),
        _words(
            "phoenix_reading",
            READINGS,
            "how that was settled: the only reading, declared in the record, shown by a later play, by the Phoenix's "
            "position in the line, or else the highest (lowest) reading; null like phoenix_rank",
            nullable=True,
        ),
        _flag("bomb", "whether it is a bomb"),
        _flag(
            "out_of_turn",
            "another seat was to act, or a record marks a bomb so; the owner's bomb in place of taking is in turn",
        ),
        _int("wish_open", 2, 14, "the rank of the wish that was open before the move; null if none was", nullable=True),
        _mask("hand_before", "the seat's cards before the move"),
        _count("cards_left", 14, "number of the seat's cards after the move"),
    ),
)

FINDINGS: Final = Table(
    "findings",
    "one finding",
    "findings",
    (
        _GAME,
        _ROUND._replace(
            nullable=True,
            meaning=f"the round that it concerns; null for the whole file, and for a round after the {LAST_ROUND}th",
        ),
        _text("path", "the log, as in games"),
        _line("line", "the line in the log where the fault shows"),
        _seat("seat", "the seat that it concerns", nullable=True),
        _words("code", tuple(CODES), "the code of the finding; tichu explain CODE tells more"),
        _words("name", CODE_NAMES, "its name"),
        _words("severity", SEVERITIES, "error, warning or note"),
        _text("message", "what is wrong, in a sentence"),
        _text("expected", "what the rules ask for; null where a word would not help", nullable=True),
        _text("found", "what the log has; null where a word would not help", nullable=True),
    ),
)

#: All tables, in the order in which they are shown.
TABLES: Final[dict[str, Table]] = {
    table.name: table for table in (GAMES, ROUNDS, HANDS, EXCHANGES, TRICKS, MOVES, FINDINGS)
}
