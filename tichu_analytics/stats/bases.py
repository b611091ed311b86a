"""What measures go over: rows of which table, with which columns beside them.

A base is a table (or a part of one), and the tables whose columns stand beside each of its rows: to a seat in a round
belong that round and that game. Only what a question uses is read and joined.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.stats.masks import HELD_BOMBS, HELD_STRAIGHTS, RUN_STARTS, four_alone
from tichu_analytics.tables.schema import TABLES


class Source(NamedTuple):
    """A table, or what is worked out from tables, that stands beside the rows of a base.

    Attributes:
        alias: the name by which its columns are called.
        text: what stands behind FROM or JOIN.
        on: how it is joined, in terms of what comes before; empty for the first source of a base. What is joined on
            ``true`` makes several rows of one, and is always there.
        tables: the tables of the data set that are needed for it.
    """

    alias: str
    text: str
    on: str = ""
    tables: tuple[str, ...] = ()


class Base(NamedTuple):
    """What measures go over.

    Attributes:
        name: its name; also the name by which conditions may call its rows.
        row: what a row is, and several of them.
        rows: the word for several.
        sources: the table whose rows they are, and those beside it in the order in which they are joined.
        columns: each column with the alias of its source and how it is worked out.
        filter: which rows of the table belong to it; empty for all.
        hidden: columns of its sources that cannot be asked for, also among those that are worked out.
    """

    name: str
    row: str
    rows: str
    sources: tuple[Source, ...]
    columns: dict[str, tuple[str, str]]
    filter: str = ""
    hidden: tuple[str, ...] = ()

    @property
    def aliases(self) -> tuple[str, ...]:
        """The names of its sources."""
        return tuple(source.alias for source in self.sources)


class Derived(NamedTuple):
    """A column that is worked out.

    Attributes:
        name: its name.
        meaning: what it tells, in one line.
        source: the alias of the source that a base must have for it.
        expression: how it is worked out.
        beside: a further source that has to be joined for it; None for none.
        order: its values in the order in which they are shown; empty for the order of numbers or letters.
        also: further sources that the base must have for it.
    """

    name: str
    meaning: str
    source: str
    expression: str
    beside: Source | None = None
    order: tuple[str, ...] = ()
    also: tuple[str, ...] = ()

    @property
    def sources(self) -> tuple[str, ...]:
        """All sources of the base that are needed for it."""
        return (self.source, *self.also)


def _table(name: str, *keys: tuple[str, str]) -> Source:
    """A table beside others.

    Args:
        name: the table.
        keys: its columns that tell the row, each with what it has to be equal to.
    """
    on = " AND ".join(f"{name}.{column} = {other}" for column, other in keys)
    return Source(name, name, on, (name,))


def _columns(*sources: Source, hidden: tuple[str, ...] = ()) -> dict[str, tuple[str, str]]:
    """The columns of tables; of several with the same name, that of the first."""
    found: dict[str, tuple[str, str]] = {}
    for source in sources:
        if source.alias in TABLES:
            for column in TABLES[source.alias].columns:
                if column.name not in hidden:
                    found.setdefault(column.name, (source.alias, f'{source.alias}."{column.name}"'))
    return found


def _beside(name: str) -> tuple[Source, Source]:
    """The round and the game of a row."""
    game = ("game_id", f"{name}.game_id")
    return _table("rounds", game, ("round", f"{name}.round")), _table("games", game)


def _seat_of(name: str, seat: str) -> Source:
    """The hand of a seat of a row."""
    return _table("hands", ("game_id", f"{name}.game_id"), ("round", f"{name}.round"), ("seat", f"{name}.{seat}"))


def _base(
    row: str,
    rows: str,
    own: Source,
    *beside: Source,
    name: str = "",
    more: dict[str, tuple[str, str]] | None = None,
    hidden: tuple[str, ...] = (),
    only: str = "",
) -> Base:
    columns = _columns(own, *beside, hidden=hidden) | (more or {})
    return Base(name or own.alias, row, rows, (own, *beside), columns, only, hidden)


_GAMES: Final = _table("games")
_ROUNDS: Final = _table("rounds")
_HANDS: Final = _table("hands")
_TRICKS: Final = _table("tricks")
_MOVES: Final = _table("moves")
_EXCHANGES: Final = _table("exchanges")
_GAME_OF_ROUND: Final = _table("games", ("game_id", "rounds.game_id"))

#: Two rows a round: the alias ``sides`` has the number of the team.
_SIDES: Final = Source("sides", "(SELECT CAST(range AS TINYINT) AS team FROM range(2))", "true")
_OWN_AND_OTHER: Final = {
    "team": ("sides", "sides.team"),
    **{
        f"{name}_{whose}": (
            "sides",
            f"CASE sides.team WHEN {team} THEN rounds.{name}_0 ELSE rounds.{name}_1 END",
        )
        for name in ("score", "total_before")
        for whose, team in (("own", 0), ("opponents", 1))
    },
}

#: Four rows a game: the alias ``seats`` has the number of the seat.
_SEATS: Final = Source("seats", "(SELECT CAST(range AS TINYINT) AS seat FROM range(4))", "true")
_WON: Final = "games.winner = seats.seat % 2"
_OF_SEAT: Final = {
    "seat": ("seats", "seats.seat"),
    "team": ("seats", "seats.seat % 2"),
    "player": ("seats", f"[{', '.join(f'games.player_{seat}' for seat in range(4))}][seats.seat + 1]"),
    "partner": ("seats", f"[{', '.join(f'games.player_{seat}' for seat in (2, 3, 0, 1))}][seats.seat + 1]"),
    "won": ("seats", f"coalesce({_WON}, false)"),
}

#: The bombs in hands after the exchange.
_IN_HAND: Final = Source("in_hand", HELD_BOMBS, "", ("hands",))
_OF_BOMB: Final = {
    name: ("in_hand", f"in_hand.{name}") for name in ("game_id", "round", "seat", "kind", "rank", "length", "cards")
}

#: Where four ranks in a row may begin: the alias ``runs`` has the lowest of them.
_RUNS: Final = Source(
    "runs", f"(SELECT CAST(range AS TINYINT) AS low FROM range({RUN_STARTS[0]}, {RUN_STARTS[-1] + 1}))", "true"
)

#: The straights in hands after the exchange.
_IN_ROW: Final = Source("in_row", HELD_STRAIGHTS, "", ("hands",))
_OF_STRAIGHT: Final = {name: ("in_row", f"in_row.{name}") for name in ("game_id", "round", "seat", "rank", "length")}

# A condition on the card would take away from the seat-rounds that pass another one.
_OF_CARD: Final = ("card", "rank", "special", "from_pair", "completes_bomb")

#: Bases that only measures that come along go over.
INNER: Final = ("received", "given")

BASES: Final[dict[str, Base]] = {
    base.name: base
    for base in (
        _base("a seat in a round", "seat-rounds", _HANDS, *_beside("hands")),
        _base("a round", "rounds", _ROUNDS, _GAME_OF_ROUND, only="rounds.legal"),
        _base(
            "a team in a round",
            "team-rounds",
            _ROUNDS,
            _SIDES,
            _GAME_OF_ROUND,
            name="teams",
            more=_OWN_AND_OTHER,
            only="rounds.legal",
        ),
        _base("a game", "games", _GAMES),
        _base("a seat in a game", "seat-games", _GAMES, _SEATS, name="seats", more=_OF_SEAT),
        _base(
            "a bomb that is played",
            "bombs played",
            _MOVES,
            _seat_of("moves", "seat"),
            *_beside("moves"),
            name="bombs",
            only="moves.bomb",
        ),
        _base("a play or a pass", "moves", _MOVES, _seat_of("moves", "seat"), *_beside("moves")),
        _base("a trick", "tricks", _TRICKS, *_beside("tricks")),
        _base(
            "a card that is passed, with the hand of the seat that receives it",
            "cards passed",
            _EXCHANGES,
            _seat_of("exchanges", "receiver"),
            *_beside("exchanges"),
        ),
        _base(
            "a card that is passed, with the hand of the seat that gives it",
            "cards given",
            _EXCHANGES,
            _seat_of("exchanges", "giver"),
            *_beside("exchanges"),
            name="gifts",
        ),
        _base(
            "a bomb in a hand after the exchange: a four of a kind, or a straight flush as long as it is",
            "bombs held",
            _IN_HAND,
            _seat_of("in_hand", "seat"),
            *_beside("in_hand"),
            name="held_bombs",
            more=_OF_BOMB,
        ),
        _base(
            "four ranks in a row among the fourteen dealt cards, without the one below and the one above",
            "fours in a row",
            _HANDS,
            _RUNS,
            *_beside("hands"),
            name="runs",
            only=four_alone("hands.dealt", "runs.low"),
        ),
        _base(
            "five or more ranks in a row in a hand after the exchange, as many as there are, without the Phoenix",
            "straights held",
            _IN_ROW,
            _seat_of("in_row", "seat"),
            *_beside("in_row"),
            name="held_straights",
            more=_OF_STRAIGHT,
        ),
        # Every seat-round has one row for each direction. The card itself cannot be asked for.
        _base(
            "a seat in a round, three times: once for each of the others, of whom it receives a card",
            "cards received",
            _EXCHANGES,
            _seat_of("exchanges", "receiver"),
            *_beside("exchanges"),
            name="received",
            more={"received_rank": ("exchanges", 'coalesce(exchanges."rank", 16)')},
            hidden=("passed_to", "giver", *_OF_CARD),
        ),
        _base(
            "a seat in a round, three times: once for each of the others, to whom it gives a card",
            "cards given away",
            _EXCHANGES,
            _seat_of("exchanges", "giver"),
            *_beside("exchanges"),
            name="given",
            more={"given_rank": ("exchanges", 'coalesce(exchanges."rank", 16)')},
            hidden=("received_from", "receiver", *_OF_CARD),
        ),
    )
}
