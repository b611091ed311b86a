"""The tables and their columns in words: for ``tichu schema``, for programs, and as docs/tables.md.

Everything about a single column comes from :mod:`tichu_analytics.tables.schema`; only what holds for all tables, such
as how cards become numbers, stands here.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.tables.schema import INT16, INT32, KINDS, SCHEMA_VERSION, TABLES, Column, Rows, Table

#: Which games, rounds or findings a table has rows for.
HOLDS: Final[dict[Rows, str]] = {
    "games": "every game",
    "all rounds": "every round that was read",
    "kept rounds": "rounds that are complete and legally played",
    "findings": "everything that was found, in any round or about a whole file",
}

#: The columns that together tell the rows of a table apart; findings have none.
KEYS: Final[dict[str, tuple[str, ...]]] = {
    "games": ("game_id",),
    "rounds": ("game_id", "round"),
    "hands": ("game_id", "round", "seat"),
    "exchanges": ("game_id", "round", "giver", "receiver"),
    "tricks": ("game_id", "round", "trick"),
    "moves": ("game_id", "round", "move"),
    "findings": (),
}

# Lists of words longer than this are only counted.
_LONG_LIST: Final = 12


def find_table(name: str) -> Table:
    """The table of a name as a person types it, in any case.

    Raises:
        ValueError: if there is none; the message names the nearest one, or all.
    """
    table = TABLES.get(name.strip().lower())
    if table is not None:
        return table
    from difflib import get_close_matches

    short = name if len(name) <= 40 else name[:39] + "..."
    near = get_close_matches(short.strip().lower(), TABLES, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"the tables are {', '.join(TABLES)}"
    raise ValueError(f"there is no table {short!a}; {hint}")


def arrow_type(column: Column) -> str:
    """The Arrow type of a column in words: ``int8``, ``string``, ``dictionary<int8, string>``."""
    return "dictionary<int8, string>" if column.type == "vocabulary" else column.type


def values_text(column: Column) -> str:
    """What may stand in a column: its words, its bounds, or what kind of thing it is.

    An upper bound that is only the largest number of the type is left out.
    """
    if column.type == "vocabulary":
        words = column.vocabulary
        return ", ".join(words) if len(words) <= _LONG_LIST else f"one of {len(words)} words"
    if column.is_mask:
        return "set of cards"
    if column.low is None or column.high is None:
        return "true, false" if column.type == "bool" else "text"
    return f"from {column.low}" if column.high in (INT16, INT32) else f"{column.low} to {column.high}"


def meaning_text(column: Column) -> str:
    """The meaning of a column, with a mark where it may still change."""
    return column.meaning if column.stable else f"{column.meaning} (provisional)"


def table_as_dict(table: Table) -> dict[str, object]:
    """A table as an object for JSON.

    Returns:
        ``name``, ``row``, ``holds``, ``key`` and ``columns``; each column with ``name``, ``type`` (the Arrow type),
        ``nullable``, ``vocabulary`` (None where any value of the type may stand), ``low`` and ``high`` (None for text,
        words and truth values), ``meaning`` and ``stable``.
    """
    return {
        "name": table.name,
        "row": table.row,
        "holds": HOLDS[table.holds],
        "key": list(KEYS[table.name]),
        "columns": [
            {
                "name": column.name,
                "type": arrow_type(column),
                "nullable": column.nullable,
                "vocabulary": list(column.vocabulary) or None,
                "low": column.low,
                "high": column.high,
                "meaning": column.meaning,
                "stable": column.stable,
            }
            for column in table.columns
        ],
    }


def table_sentence(table: Table) -> str:
    """What a table has rows for, in words."""
    return f"A row is {table.row}. There are rows for {HOLDS[table.holds]}."


def table_as_markdown(table: Table) -> str:
    """A table as a section of Markdown, with a line end at its end."""
    lines = [
        f"## {table.name}",
        "",
        table_sentence(table),
        "",
        "| column | type | null | values | meaning |",
        "|---|---|---|---|---|",
    ]
    for column in table.columns:
        values = values_text(column)
        if column.type == "vocabulary" and len(column.vocabulary) <= _LONG_LIST:
            values = ", ".join(f"`{word}`" for word in column.vocabulary)
        null = "yes" if column.nullable else ""
        cells = (f"`{column.name}`", f"`{arrow_type(column)}`", null, values, meaning_text(column))
        lines.append(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(lines) + "\n"


def as_markdown() -> str:
    """All tables as one Markdown document, with what holds for all of them before; with a line end at its end."""
    overview = ["| table | a row is | there are rows for | rows differ in |", "|---|---|---|---|"]
    for table in TABLES.values():
        key = ", ".join(f"`{name}`" for name in KEYS[table.name]) or "-"
        overview.append(f"| [{table.name}](#{table.name}) | {table.row} | {HOLDS[table.holds]} | {key} |")
    parts = [
        _DATA_SET.format(version=SCHEMA_VERSION, folders="\n".join(f"    {name}/*.parquet" for name in TABLES)),
        "\n".join(overview) + "\n",
        _ROUNDS,
        _CONVENTIONS.format(kinds=", ".join(f"`{kind}`" for kind in KINDS)),
        _GAME_IDS,
        _FUNCTIONS,
        _READING,
        *(table_as_markdown(table) for table in TABLES.values()),
    ]
    return "\n".join(parts)


_DATA_SET: Final = """\
# Tables

<!-- Generated: tichu schema --format markdown > docs/tables.md -->

`tichu export` turns recorded games into tables for statistics programs. This page says what stands in them.
`tichu schema hands` shows a single table, `tichu schema --format json` gives all of this to programs.

This is version {version} of the tables. Columns keep their names and meanings; new ones may be added. A meaning
that may still change is marked as provisional.

## A data set

A data set is a folder with one sub-folder a table. The Parquet files of a sub-folder are together the table.

```
data/
    _dataset.json
{folders}
```

`_dataset.json` says what the tables were made from and by: the inputs, the version of the tool and of the tables,
the rule set, how many games and rounds were read and kept, and how many were left out for which reason.

`tichu export --tables rounds,hands` writes only the tables that are named. In a folder that has a data set already, the
same command goes on with it; `--force` begins anew.
"""

_ROUNDS: Final = """\
Every table begins with `game_id`, and all but `games` go on with `round`. These two join any table to any other.
Beyond them, `seat` in `hands` is the same as `seat` in `moves`, `giver` and `receiver` in `exchanges`, and
`lead_seat`, `winner_seat` and `taker_seat` in `tricks`; `trick` joins `moves` to `tricks`.

### Which rounds are in which table

A log may break off, have lines that nobody can read, or show moves that no rule allows. `rounds` has a row for each
round all the same, and `findings` says what is wrong with it. `hands`, `exchanges`, `tricks` and `moves` have only
rounds that were played to their end without an error; an error in the logged result alone keeps no round out, since
their scores are replayed ones. So these four tables can be counted as they are. In `rounds`, ask for `legal` to get
the same rounds. `games` has every game, with or without such a round.
"""

_CONVENTIONS: Final = """\
## Conventions

- **Seats** are 0 to 3, as in the log. After seat 0 it is the turn of seat 1, its neighbour on the right, and after
  seat 3 that of seat 0. Seats 0 and 2 are partners and make team 0; seats 1 and 3 make team 1.
- **Numbers** of rounds, tricks, moves and lines begin with 1. Lines are those of the log. A TGR record has running
  numbers in their place, those of the lines that the game would have as a log, so that a record and its log give the
  same tables; only in `findings` the line is that of the record's file, and the message ends with the JSON pointer.
- **A single card** is a number: `4 * (rank - 2) + suit` for a two (rank 2) up to an ace (rank 14), with suit 0 for
  sword (black), 1 for pagoda (blue), 2 for jade (green), 3 for star (red); 52 is the Mah Jong, 53 the Dog, 54 the
  Phoenix, 55 the Dragon. The red ace is 4 * 12 + 3 = 51.
- **A set of cards** is a 64-bit integer, the sum of `1 << card` over its cards. The black and the green five are
  `(1 << 12) + (1 << 14)` = 20480. No card at all is 0, never null. A set has the Dragon if `mask & (1 << 55)` is
  not 0.
- **Ranks** are numbers: Dog 0, Mah Jong 1, 2 to 10, jack 11, queen 12, king 13, ace 14, Dragon 15. A combination
  has the rank of its card or cards, a full house that of its triple, stairs and straights that of their highest
  card. A Phoenix played as a single card is half a rank above the card it covers, and 1.5 when it is led.
- **Kinds** of combination are
  {kinds}.
  The bombs are `four_bomb` (four of a kind) and `straight_bomb` (a straight of one suit); the Dog is a kind of its
  own.
- **Lengths** count cards: stairs of three pairs have length 6.
- **Calls**: `tichu` is the small call, `grand` the Grand Tichu.
- **Scores** are worked out from the cards and calls; only `logged_score_0` and `logged_score_1` are what the log
  says. Totals add up such scores. Where a round's score cannot be known, they take the logged one, or nothing
  without one.
- **null** means that there is nothing to say: it does not apply (nobody has wished, so there is no rank of the
  wish) or the log does not let it be known (the score of a round that breaks off). It never stands for 0, false or
  an empty text. A player without a name in the log has an empty name.
- **Words** out of a fixed list are stored as an Arrow dictionary: categories in pandas and polars, text in DuckDB.
  The words of `code` and `name` in `findings` are listed in [findings.md](findings.md).
- **Names and paths** are texts from other people's files. They may look like formulas, markup or commands: take
  care where a spreadsheet or a web page would act on them.
- **Small types**: numbers in the files have the smallest type that holds them. Sums and means are safe; before adding
  to a column or multiplying it, convert it to a larger type (in pandas `.astype("Int64")`), since many programs keep
  the small one and overflow without a word. `Dataset` in Python gives `Int64` at once.
"""

_GAME_IDS: Final = """\
### Game ids

`game_id` is the id that the record itself has, or else the name of its file without the ending: `1234.tch` is game
`1234`. It is a text and differs between all games of a data set:

- The same id with the same content again (a log that lies both in a folder and in an archive, say) is one game and
  is read once.
- The same id with other content means different games. Each of them gets a longer id, `1234~` and the first eight
  hex digits of the SHA-256 of its content, as in `1234~9f86d081`. None keeps the plain id, so it does not matter in
  which order the logs were named.
"""

_FUNCTIONS: Final = """\
## Functions on cards

`tichu query`, `where` in Python, and any DuckDB that has read
[cards.sql](../tichu_analytics/tables/cards.sql) know these; null gives null.

| function | what it gives |
|---|---|
| `cards('S5 G5 Ph')` | the set of these cards; jack and queen also as `B` and `D`, the Dog also as `Hu` |
| `has(held, 'Dr')` | whether all of these cards are in the set; several as `has(held, 'Dr Ph')` |
| `count_rank(held, 'A')` | how many cards of a rank: `2` to `10`, `J` to `A`, `Ma`, `Do`, `Ph`, `Dr`, or its number |
| `bombs(held)` | number of fours of a kind and of straight flushes; a run of five or more in a suit counts once |
| `four_bombs(held)`, `straight_bombs(held)` | the two kinds each for itself |
| `card_text(held)` | the cards from high to low: `Dr Ph RA S2 Ma Do` |
| `card_name(card)` | the name of a single card by its number, as in `exchanges.card` |
| `rank_name(rank)` | the name of a rank by its number |
"""

_READING: Final = """\
## Reading it

`tichu query data "select count(*) from hands where has(held, 'Dr')"` answers questions in SQL and knows cards by
name. Any program that reads Parquet will do as well. In each example, `dragon` is the hands that have the Dragon
after the exchange.

pandas (without `dtype_backend`, numbers with nulls become floats):

```python
import pandas as pd

hands = pd.read_parquet("data/hands", dtype_backend="numpy_nullable")
dragon = hands[(hands["held"] & (1 << 55)) != 0]
```

polars (`pip install polars`; it does not come with the tool):

```python
import polars as pl

hands = pl.scan_parquet("data/hands/*.parquet")
dragon = hands.filter((pl.col("held") & (1 << 55)) != 0).collect()
```

DuckDB, here from Python; the SQL is the same everywhere:

```python
import duckdb

hands = duckdb.read_parquet("data/hands/*.parquet")
dragon = duckdb.sql("select * from hands where held & (1::bigint << 55) <> 0")
```

pyarrow:

```python
import pyarrow.compute as pc
import pyarrow.dataset as ds

hands = ds.dataset("data/hands").to_table(columns=["game_id", "round", "seat", "held"])
dragon = hands.filter(pc.not_equal(pc.bit_wise_and(hands["held"], 1 << 55), 0))
```

R has no bit operations on 64-bit integers of its own, so let DuckDB pick the rows (packages duckdb and bit64;
without `bigint`, sets of cards come as floating point numbers and lose cards):

```r
con <- DBI::dbConnect(duckdb::duckdb(), bigint = "integer64")
dragon <- DBI::dbGetQuery(con, "select * from 'data/hands/*.parquet' where held & (1::bigint << 55) <> 0")
```
"""
