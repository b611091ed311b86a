"""Columns about bombs: who plays one, on what it is thrown, what it wins, and what becomes of those that are held.

What they are worked out from goes over all moves and is read only where one of them is asked for.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.bases import Derived, Source
from tichu_analytics.stats.beside import PASSED
from tichu_analytics.stats.masks import HELD_BOMBS, together, without
from tichu_analytics.tables.schema import CALLS, KINDS

#: What may be beaten by a bomb, in the order in which it is shown; the Dog cannot.
BEATEN: Final = (
    *("led", "dragon", "phoenix", "ace", "single"),
    *(kind for kind in KINDS if kind not in ("single", "dog", "four_bomb", "straight_bomb")),
    "bomb",
)
#: Seats as a bomber sees them.
WHOSE: Final = ("self", "right", "partner", "left")
#: Where the cards of a bomb come from.
ORIGINS: Final = ("dealt", "partner", "right", "left", "several")
TEAM_ORIGINS: Final = ("dealt", "partner", "opponent", "several")
#: What becomes of a bomb in a hand.
FATES: Final = ("played", "split", "kept")

_SAME_ROUND: Final = "{0}.game_id = {1}.game_id AND {0}.round = {1}.round"

#: Bit n is set if seat n plays a bomb; joined to hands or to rounds.
_BOMBERS: Final = Source(
    "bombers",
    "(SELECT game_id, round, bit_or(CAST(1 AS INTEGER) << seat) AS seats FROM moves WHERE bomb "
    "GROUP BY game_id, round)",
    _SAME_ROUND.format("bombers", "{}"),
    ("moves",),
)
_BEFORE: Final = (
    "(SELECT bombs.game_id, bombs.round, bombs.move, bombs.seat, arg_max(before.seat, before.move) AS other, "
    "arg_max(CAST(before.kind AS VARCHAR), before.move) AS kind, arg_max(before.rank, before.move) AS rank, "
    "arg_max(before.bomb, before.move) AS bomb, count(*) = 1 AS lead FROM moves AS bombs JOIN moves AS before "
    "ON before.game_id = bombs.game_id AND before.round = bombs.round AND before.trick = bombs.trick "
    "AND before.move < bombs.move WHERE bombs.bomb AND before.action = 'play' GROUP BY ALL)"
)
#: The play that a bomb beats.
_BEATEN: Final = Source(
    "beaten",
    _BEFORE,
    f"{_SAME_ROUND.format('beaten', 'moves')} AND beaten.move = moves.move",
    ("moves",),
)
#: The call of whoever made that play.
_BEATEN_HANDS: Final = Source(
    "beaten_hands",
    f"(SELECT plays.game_id, plays.round, plays.move, hands.call FROM {_BEFORE} AS plays JOIN hands "
    "ON hands.game_id = plays.game_id AND hands.round = plays.round AND hands.seat = plays.other)",
    f"{_SAME_ROUND.format('beaten_hands', 'moves')} AND beaten_hands.move = moves.move",
    ("moves", "hands"),
)
#: The last bomb of each trick, which wins it: nothing but a bomb beats a bomb.
_WINNERS: Final = Source(
    "winning",
    "(SELECT last.game_id, last.round, last.move, tricks.points "
    "FROM (SELECT game_id, round, trick, max(move) AS move FROM moves WHERE bomb GROUP BY ALL) AS last "
    "JOIN tricks ON tricks.game_id = last.game_id AND tricks.round = last.round AND tricks.trick = last.trick)",
    f"{_SAME_ROUND.format('winning', 'moves')} AND winning.move = moves.move",
    ("moves", "tricks"),
)
_SAME_BOMB: Final = f"{_SAME_ROUND} AND {{0}}.seat = {{1}}.seat AND {{0}}.cards = {{1}}.cards"
#: Which bombs in hands are played as bombs. A part of a long straight flush is a bomb of it too.
_THROWN: Final = Source(
    "thrown",
    f"(SELECT DISTINCT bombs.game_id, bombs.round, bombs.seat, bombs.cards FROM {HELD_BOMBS} AS bombs JOIN moves "
    "ON moves.game_id = bombs.game_id AND moves.round = bombs.round AND moves.seat = bombs.seat "
    "AND (moves.cards & bombs.cards) = moves.cards WHERE moves.bomb)",
    _SAME_BOMB.format("thrown", "in_hand"),
    ("hands", "moves"),
)
#: What is played of the bombs in hands: as a bomb, or otherwise.
_USED: Final = Source(
    "used",
    "(SELECT bombs.game_id, bombs.round, bombs.seat, bombs.cards, "
    "bool_or(moves.bomb AND (moves.cards & bombs.cards) = moves.cards) AS bomb "
    f"FROM {HELD_BOMBS} AS bombs JOIN moves "
    "ON moves.game_id = bombs.game_id AND moves.round = bombs.round AND moves.seat = bombs.seat "
    "AND (moves.cards & bombs.cards) <> 0 WHERE moves.action = 'play' GROUP BY ALL)",
    _SAME_BOMB.format("used", "in_hand"),
    ("hands", "moves"),
)


def _origin(bomb: str, kept: str, cards: str = "received") -> str:
    """The first way in which there is a bomb within some cards: from those kept alone, or with one that was received.

    Args:
        bomb: the cards in which there is one.
        kept: the cards that the seat was dealt.
        cards: the alias of the source that has the cards it received.
    """
    ways = " ".join(
        f"WHEN bombs({together(kept, f'{cards}.{side}_card')} & {bomb}) > 0 THEN '{side}'"
        for side in ("partner", "right", "left")
    )
    return f"CASE WHEN bombs({kept} & {bomb}) > 0 THEN 'dealt' {ways} ELSE 'several' END"


# The hands of a team with the way in which each has a bomb: 0 dealt, 1 with the partner's card, 2 with one of an
# opponent's, 3 with several.
_WAYS: Final = (
    f"(SELECT hands.game_id, hands.round, hands.team, CASE {_origin('hands.held', 'hands.dealt')} "
    "WHEN 'dealt' THEN 0 WHEN 'partner' THEN 1 WHEN 'several' THEN 3 ELSE 2 END AS way "
    f"FROM hands JOIN {PASSED['received'].text} AS received ON {PASSED['received'].on} WHERE hands.held_bomb)"
)
_TEAMS: Final = Source(
    "ways",
    f"(SELECT game_id, round, team, min(way) AS way FROM {_WAYS} GROUP BY game_id, round, team)",
    f"{_SAME_ROUND.format('ways', 'rounds')} AND ways.team = sides.team",
    ("hands", "exchanges"),
)
#: The hand that a card goes to.
_TAKERS: Final = Source(
    "takers",
    "hands",
    f"{_SAME_ROUND.format('takers', 'exchanges')} AND takers.seat = exchanges.receiver",
    ("hands",),
)


def _plays(name: str, meaning: str, source: str, seats: str, other: str = "") -> Derived:
    """Whether one of some seats, given as bits, plays a bomb."""
    joined = _BOMBERS._replace(on=_BOMBERS.on.replace("{}", other or source))
    also = (other,) if other else ()
    return Derived(name, meaning, source, f"(coalesce(bombers.seats, 0) & ({seats})) <> 0", joined, (), also)


OF_BOMBS: Final[tuple[Derived, ...]] = (
    _plays("bomb_played", "the seat plays a bomb", "hands", "1 << hands.seat"),
    _plays("partner_bomb_played", "the partner plays a bomb", "hands", "1 << (hands.seat + 2) % 4"),
    _plays("team_bomb_played", "the team plays a bomb", "hands", "5 << hands.team"),
    _plays("opponent_bomb_played", "an opponent plays a bomb", "hands", "5 << (1 - hands.team)"),
    _plays("team_bomb_played", "the team plays a bomb", "sides", "5 << sides.team", "rounds"),
    _plays("opponent_bomb_played", "an opponent plays a bomb", "sides", "5 << (1 - sides.team)", "rounds"),
    Derived(
        "bomb_origin",
        "what suffices for a bomb in the hand after the exchange, the first of: dealt, that is the cards kept; those "
        "and the card of the partner, of the right, of the left; several cards; null without a bomb",
        "hands",
        f"CASE WHEN hands.held_bomb THEN {_origin('hands.held', 'hands.dealt')} END",
        PASSED["received"],
        ORIGINS,
    ),
    Derived(
        "team_bomb_origin",
        "what suffices for a bomb in one of the hands of the team, the first of: dealt; the card of a partner; one of "
        "an opponent; several cards; null without a bomb",
        "sides",
        f"[{', '.join(repr(word) for word in TEAM_ORIGINS)}][ways.way + 1]",
        _TEAMS,
        TEAM_ORIGINS,
    ),
    Derived(
        "origin",
        "what suffices for this bomb, the first of: dealt, that is the cards kept; those and the card of the partner, "
        "of the right, of the left; several cards",
        "in_hand",
        _origin("in_hand.cards", "hands.dealt"),
        PASSED["received"],
        ORIGINS,
        ("hands",),
    ),
    Derived(
        "is_played",
        "the bomb, or a part of it that is one, is played as a bomb",
        "in_hand",
        "thrown.cards IS NOT NULL",
        _THROWN,
    ),
    Derived(
        "fate",
        "what becomes of the bomb: played as a bomb; split, that is cards of it are played, but not as a bomb; kept "
        "in the hand",
        "in_hand",
        "CASE WHEN used.bomb THEN 'played' WHEN used.bomb IS NULL THEN 'kept' ELSE 'split' END",
        _USED,
        FATES,
    ),
    Derived(
        "beaten",
        "what a bomb is thrown on: dragon, phoenix, ace (as single cards), single for all others, bomb, other kinds, "
        "led for nothing; null for plays other than bombs and for passes",
        "moves",
        "CASE WHEN NOT moves.bomb THEN NULL WHEN beaten.move IS NULL THEN 'led' WHEN beaten.bomb THEN 'bomb' "
        "WHEN beaten.kind <> 'single' THEN beaten.kind WHEN beaten.rank = 15 THEN 'dragon' "
        "WHEN beaten.rank <> floor(beaten.rank) THEN 'phoenix' WHEN beaten.rank = 14 THEN 'ace' ELSE 'single' END",
        _BEATEN,
        BEATEN,
    ),
    Derived(
        "beaten_seat",
        "whose play a bomb is thrown on, seen from the bomber: self, right, partner, left; null without one",
        "moves",
        f"[{', '.join(repr(word) for word in WHOSE)}][CAST(beaten.other + 4 - beaten.seat AS INTEGER) % 4 + 1]",
        _BEATEN,
        WHOSE,
    ),
    Derived(
        "beaten_lead",
        "whether the play that a bomb is thrown on is the lead of the trick; null without one",
        "moves",
        "beaten.lead",
        _BEATEN,
    ),
    Derived(
        "beaten_call",
        "the call, in this round, of whoever made the play that a bomb is thrown on; null without one",
        "moves",
        "beaten_hands.call",
        _BEATEN_HANDS,
        CALLS,
    ),
    Derived(
        "bomb_wins",
        "whether a bomb wins its trick; null for plays other than bombs and for passes",
        "moves",
        "CASE WHEN moves.bomb THEN winning.move IS NOT NULL END",
        _WINNERS,
    ),
    Derived(
        "bomb_points",
        "card points of the trick that a bomb wins; null if it wins none",
        "moves",
        "winning.points",
        _WINNERS,
    ),
    Derived(
        "bomb_leads",
        "whether the bomber leads the next trick after a bomb that wins one; null if it wins none",
        "moves",
        # Nothing is played after it in its trick, and without a play no round ends.
        "CASE WHEN winning.move IS NOT NULL THEN moves.cards_left > 0 END",
        _WINNERS,
    ),
    Derived(
        "completes_bomb",
        "whether the hand of the receiver would have a bomb less without the card",
        "exchanges",
        f"takers.held_bomb AND bombs({without('takers.held', 'exchanges.card')}) < bombs(takers.held)",
        _TAKERS,
    ),
    Derived("receiver_call", "the call of the receiver in this round", "exchanges", "takers.call", _TAKERS, CALLS),
)
