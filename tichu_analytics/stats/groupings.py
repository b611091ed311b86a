"""Columns that no table has and that people group by: what a hand is worth, how the game stands, who has called.

They can be used like columns in ``--by``, ``--where`` and in measures. Each is declared for the source that it is
worked out from; a base that has this source has the column.
"""

from __future__ import annotations

from itertools import combinations
from typing import Final

from tichu_analytics.stats.bases import BASES, Base, Derived
from tichu_analytics.stats.beside import (
    AT_CALL,
    CAREERS,
    COURSES,
    GIFTS,
    LAST_PLAYS,
    LAST_ROUNDS,
    OPPONENTS,
    PARTNER,
    PASSED,
    RECORDS,
    STRAIGHTS,
    TABLE,
)
from tichu_analytics.stats.masks import holds
from tichu_analytics.stats.of_bombs import OF_BOMBS
from tichu_analytics.stats.of_exchange import OF_EXCHANGE
from tichu_analytics.stats.of_straights import OF_STRAIGHTS
from tichu_analytics.tables.schema import CALLS, DIRECTIONS, KINDS, TABLES

#: Points between two steps of the score gap, and the last step.
_STEP: Final = 200
_LAST_STEP: Final = 600
#: Rounds before the end of a game that are told apart.
_MOST_LEFT: Final = 5
#: With fewer other games nothing is said of a player's strength, which is told in steps of so many percent.
_FEWEST_GAMES: Final = 10
_PERCENT: Final = 5
#: Games are sorted into so many parts by their ids.
PARTS: Final = 40
#: The column of these parts.
PART: Final = "game_part"
#: From this total on a team may win with the next round by cards alone, as 200 points at most are in a round.
NEAR_END: Final = 800


#: The names of ranks in the order of their numbers.
_RANKS: Final = ("Do", "Ma", *map(str, range(2, 11)), "J", "Q", "K", "A", "Dr", "Ph")
_SIDES: Final = ("self", "right", "partner", "left")


def _rank(number: str) -> str:
    names = ", ".join(f"'{name}'" for name in _RANKS)
    return f"[{names}][CAST({number} AS INTEGER) + 1]"


def _triples(mask: str) -> str:
    """How many ranks the mask has three or four cards of: four bits in a row, of which three are set in some way."""
    one, two, three, four = (f"(({mask} & 4503599627370495) >> {shift})" for shift in range(4))
    some = " | ".join(f"({a} & {b} & {c})" for a, b, c in combinations((one, two, three, four), 3))
    return f"CAST(bit_count(({some}) & 300239975158033) AS INTEGER)"


def _gap(own: str, other: str) -> str:
    gap = f"({own} - {other})"
    # Whole numbers only: // rounds towards zero in some versions.
    step = f"CAST(floor({gap} / {_STEP}) AS INTEGER) * {_STEP}"
    return f"greatest(-{_LAST_STEP}, least({_LAST_STEP}, {step}))"


def _specials(mask: str) -> str:
    names = ", ".join(f"CASE WHEN {holds(mask, card)} THEN '{card}' END" for card in ("Dr", "Ph", "Ma", "Do"))
    return f"coalesce(nullif(concat_ws(' ', {names}), ''), 'none')"


#: All kinds of hands by aces and special cards, from the fewest aces to the most.
HONOURS: Final = tuple(
    ", ".join([aces, *some])
    for aces in ("no ace", "1 ace", "2 aces", "3 aces", "4 aces")
    for number in range(5)
    for some in combinations(("Dragon", "Phoenix", "Dog", "Mah Jong"), number)
)


def _honours(mask: str) -> str:
    words = (("Dragon", "Dr"), ("Phoenix", "Ph"), ("Dog", "Do"), ("Mah Jong", "Ma"))
    names = ", ".join(f"CASE WHEN {holds(mask, card)} THEN '{name}' END" for name, card in words)
    aces = "'no ace', '1 ace', '2 aces', '3 aces', '4 aces'"
    return f"concat_ws(', ', [{aces}][CAST(count_rank({mask}, 'A') AS INTEGER) + 1], {names})"


def _high(mask: str) -> str:
    return f"count_rank({mask}, 'A') + count_rank({mask}, 'Dr') + count_rank({mask}, 'Ph')"


def _of_eight(expression: str) -> str:
    """Null where a record does not have the first eight cards."""
    return f"CASE WHEN hands.first8 <> 0 THEN {expression} END"


def _left(source: str) -> str:
    # least() passes over nulls.
    return f"CASE WHEN last_rounds.last IS NOT NULL THEN least(last_rounds.last - {source}.round, {_MOST_LEFT}) END"


def _call(rank: str) -> str:
    return f"CASE {rank} WHEN 2 THEN 'grand' WHEN 1 THEN 'tichu' ELSE 'none' END"


#: Whether the game of a row is among those that the record of its player counts, and whether it was won.
_COUNTED: Final = (
    "CASE WHEN games.outcome <> 'unfinished' AND hands.player = "
    "[games.player_0, games.player_1, games.player_2, games.player_3][hands.seat + 1] THEN {} ELSE 0 END"
)
_OTHER_GAMES: Final = f"(CASE WHEN hands.player <> '' THEN coalesce(records.n, 0) - {_COUNTED.format(1)} END)"
_OTHER_WINS: Final = f"records.won - {_COUNTED.format('CASE WHEN games.winner = hands.team THEN 1 ELSE 0 END')}"

_GAP: Final = (
    f"own total less that of the opponents before the round, in steps of {_STEP}: 0 is a lead of 0 to {_STEP - 1}, "
    f"-{_STEP} is 1 to {_STEP} behind; -{_LAST_STEP} and {_LAST_STEP} stand for all beyond"
)
_ROUNDS_LEFT: Final = f"rounds of a finished game after this one, {_MOST_LEFT} for more; else null"
_CLOSE: Final = f"whether a team has {NEAR_END} points or more before the round"

DERIVED: Final[tuple[Derived, ...]] = (
    Derived("aces", "aces in the hand after the exchange", "hands", "count_rank(hands.held, 'A')"),
    Derived(
        "dealt_high_cards", "aces, Dragon and Phoenix among the fourteen dealt cards", "hands", _high("hands.dealt")
    ),
    Derived("aces8", "aces among the first eight cards", "hands", _of_eight("count_rank(hands.first8, 'A')")),
    Derived("high_cards", "aces, Dragon and Phoenix in the hand after the exchange", "hands", _high("hands.held")),
    Derived(
        "specials",
        "Dragon, Phoenix, Mah Jong and Dog in the hand after the exchange; none without any",
        "hands",
        _specials("hands.held"),
    ),
    Derived(
        "specials8",
        "Dragon, Phoenix, Mah Jong and Dog among the first eight cards; none without any",
        "hands",
        _of_eight(_specials("hands.first8")),
    ),
    Derived(
        "honours",
        "aces and special cards in the hand after the exchange in words, such as '2 aces, Dragon, Phoenix'",
        "hands",
        _honours("hands.held"),
        None,
        HONOURS,
    ),
    Derived(
        "honours8",
        "the same of the first eight cards",
        "hands",
        _of_eight(_honours("hands.first8")),
        None,
        HONOURS,
    ),
    Derived(
        PART,
        f"0 to {PARTS - 1}, by the id of the game: parts of the data without a common game, to try things out on one",
        "hands",
        f"CAST(concat('0x', substr(md5(hands.game_id), 1, 6)) AS INTEGER) % {PARTS}",
    ),
    Derived("partner", "the name of the partner", "hands", "partner.player", PARTNER),
    Derived(
        "partner_bomb", "the partner's hand after the exchange contains a bomb", "hands", "partner.held_bomb", PARTNER
    ),
    Derived(
        "opponent_bomb",
        "a hand of the opponents after the exchange contains a bomb",
        "hands",
        "opponents.bomb",
        OPPONENTS,
    ),
    Derived(
        "opponent_call",
        "the opponents' call that counts; grand if there are both",
        "hands",
        _call("opponents.call"),
        OPPONENTS,
        CALLS,
    ),
    Derived(
        "opponents_cards_at_call",
        "fewest cards that one of the opponents had when the seat called; null without a call",
        "hands",
        "CASE WHEN hands.call <> 'none' THEN coalesce(at_call.fewest, 14) END",
        AT_CALL,
    ),
    Derived(
        "team_bomb",
        "a hand of the team after the exchange contains a bomb",
        "hands",
        "hands.held_bomb OR partner.held_bomb",
        PARTNER,
    ),
    Derived("triples", "ranks of which the fourteen dealt cards have three or four", "hands", _triples("hands.dealt")),
    *(
        Derived(
            f"{way}_{side}",
            f"rank of the card that the seat {'gives to' if way == 'given' else 'gets from'} "
            + ("its partner" if side == "partner" else f"the player on its {side}"),
            "hands",
            _rank(f"{way}.{side}_rank"),
            source,
            _RANKS,
        )
        for way, source in PASSED.items()
        for side in DIRECTIONS
    ),
    Derived(
        "first_out",
        "who went out first, seen from the seat: self, right, partner, left",
        "hands",
        "['self', 'right', 'partner', 'left'][CAST(rounds.finish_1 + 4 - hands.seat AS INTEGER) % 4 + 1]",
        None,
        _SIDES,
        ("rounds",),
    ),
    Derived(
        "straight_of_others",
        "cards of the longest straight with which another seat led a trick; null without one",
        "hands",
        "straights.length",
        STRAIGHTS,
    ),
    Derived(
        "player_games",
        "other games of the player in the data, played to their end; null for a player without a name",
        "hands",
        _OTHER_GAMES,
        RECORDS,
        (),
        ("games",),
    ),
    Derived(
        "player_wins",
        f"how many percent of these other games the player won, in steps of {_PERCENT}: {_PERCENT * 11} is "
        f"{_PERCENT * 11} to {_PERCENT * 12 - 1}; null for less than {_FEWEST_GAMES} games",
        "hands",
        f"CASE WHEN {_OTHER_GAMES} >= {_FEWEST_GAMES} "
        f"THEN CAST(floor(100 * ({_OTHER_WINS}) / {_OTHER_GAMES} / {_PERCENT}) AS INTEGER) * {_PERCENT} END",
        RECORDS,
        (),
        ("games",),
    ),
    Derived("score_gap", _GAP, "hands", _gap("hands.total_before_own", "hands.total_before_opponents")),
    Derived(
        "rounds_left",
        _ROUNDS_LEFT,
        "hands",
        _left("hands"),
        LAST_ROUNDS._replace(on=LAST_ROUNDS.on.format("hands")),
    ),
    Derived(
        "near_end",
        _CLOSE,
        "hands",
        f"greatest(hands.total_before_own, hands.total_before_opponents) >= {NEAR_END}",
    ),
    Derived(
        "team_bomb",
        "a hand of the team after the exchange contains a bomb",
        "sides",
        "CASE sides.team WHEN 0 THEN all_hands.bomb_0 ELSE all_hands.bomb_1 END",
        TABLE,
    ),
    Derived(
        "opponent_bomb",
        "a hand of the opponents after the exchange contains a bomb",
        "sides",
        "CASE sides.team WHEN 1 THEN all_hands.bomb_0 ELSE all_hands.bomb_1 END",
        TABLE,
    ),
    Derived(
        "score_gap",
        _GAP,
        "sides",
        _gap("(rounds.total_before_0 - rounds.total_before_1) * (1 - 2 * sides.team)", "0"),
    ),
    Derived(
        "first_out_with",
        "kind of the combination with which the first player went out",
        "rounds",
        "last_plays.kind",
        LAST_PLAYS,
        KINDS,
    ),
    Derived(
        "first_out_bomb",
        "whether the first player went out with a bomb",
        "rounds",
        "last_plays.bomb",
        LAST_PLAYS,
    ),
    Derived(
        "dragon_gifts", "how often the Dragon was given away in the round", "rounds", "coalesce(gifts.n, 0)", GIFTS
    ),
    Derived("round_bomb", "some hand after the exchange contains a bomb", "rounds", "all_hands.bomb", TABLE),
    Derived(
        "score_gap",
        f"{_GAP}; where there is no own team, that of seats 0 and 2 is meant",
        "rounds",
        _gap("rounds.total_before_0", "rounds.total_before_1"),
    ),
    Derived(
        "rounds_left",
        _ROUNDS_LEFT,
        "rounds",
        _left("rounds"),
        LAST_ROUNDS._replace(on=LAST_ROUNDS.on.format("rounds")),
    ),
    Derived("near_end", _CLOSE, "rounds", f"greatest(rounds.total_before_0, rounds.total_before_1) >= {NEAR_END}"),
    Derived(
        "nth_game",
        "which of the player's games that were played to their end it is, by month and id of the game; else null",
        "seats",
        "careers.place",
        CAREERS,
    ),
    Derived(
        "career_games",
        "how many games the player has in the data, played to their end; null for a game that was not",
        "seats",
        "careers.games",
        CAREERS,
    ),
    *(
        Derived(
            name,
            f"how far the team was ahead before a round, at the {which}; negative for behind",
            "seats",
            f"CASE seats.seat % 2 WHEN 0 THEN courses.{own} ELSE -courses.{other} END",
            COURSES,
        )
        for name, which, own, other in (
            ("least_lead", "least", "least", "most"),
            ("greatest_lead", "most", "most", "least"),
        )
    ),
    *OF_BOMBS,
    *OF_EXCHANGE,
    *OF_STRAIGHTS,
)


def derived_of(base: Base) -> dict[str, Derived]:
    """The columns that are worked out for a base, by name."""
    found: dict[str, Derived] = {}
    for one in DERIVED:
        if set(one.sources) <= set(base.aliases) and one.name not in base.hidden:
            found.setdefault(one.name, one)
    return found


def columns_of(base: Base) -> list[str]:
    """All columns that can be used with a base."""
    return [*base.columns, *derived_of(base)]


def all_columns() -> dict[str, str]:
    """Every column that some base has, each with where it comes from, in words."""
    found: dict[str, str] = {}
    for base in BASES.values():
        for name, (alias, _) in base.columns.items():
            found.setdefault(name, f"a column of {alias}" if alias in TABLES else f"a column of {base.rows}")
        for name in derived_of(base):
            found.setdefault(name, f"worked out for {base.rows}")
    return found


def order_of(name: str) -> tuple[str, ...]:
    """The words of a column in the order in which they are shown; empty for numbers and free text."""
    for one in DERIVED:
        if one.name == name and one.order:
            return one.order
    for table in TABLES.values():
        for column in table.columns:
            if column.name == name and column.vocabulary:
                return column.vocabulary
    return ()
