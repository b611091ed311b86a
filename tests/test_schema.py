"""The declaration of the tables, what is said about them, and ``tichu schema``.

What is promised about tables is written down here a second time, by hand, so that a change of the declaration that
would break a promise fails.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import pytest

from tichu_analytics.replay.codes import CODES
from tichu_analytics.replay.facts import CallMoment, Outcome, PhoenixReading
from tichu_analytics.tables import describe
from tichu_analytics.tables.schema import INT16, INT32, TABLES, Column, Table

KINDS = ["single", "pair", "triple", "stairs", "full_house", "straight", "four_bomb", "straight_bomb", "dog"]
CALLS = ["none", "tichu", "grand"]

# Text, truth values, sets of cards, and words of a list are "text", "bool", "mask" and "words"; seats, teams, lines and
# counts are numbers with those least and greatest values; "?" after a name marks a column that may be null.
TEXT, BOOL, MASK, WORDS, LINE, COUNT = "text", "bool", "mask", "words", (1, INT32), (0, INT32)
SEAT, TEAM = (0, 3), (0, 1)
SCORE, TOTAL, POINTS = "score", "total", (-25, 125)
# In a round with errors a card may have been taken twice.
WIDE_POINTS = "card points"
GAME = {"game_id": TEXT}
ROUND = {**GAME, "round": (1, INT16)}

PROMISED: dict[str, dict[str, object]] = {
    "games": {
        **GAME,
        "path": TEXT,
        "rules": WORDS,
        "n_rounds": COUNT,
        "total_0": TOTAL,
        "total_1": TOTAL,
        "winner?": TEAM,
        "outcome": WORDS,
        "player_0?": TEXT,
        "player_1?": TEXT,
        "player_2?": TEXT,
        "player_3?": TEXT,
        "n_player_changes": COUNT,
        "played_month?": TEXT,
        "n_findings": COUNT,
    },
    "rounds": {
        **ROUND,
        "first_line": LINE,
        "last_line": LINE,
        "complete": BOOL,
        "legal": BOOL,
        "score_agrees?": BOOL,
        "severity": WORDS,
        "score_0?": SCORE,
        "score_1?": SCORE,
        "logged_score_0?": SCORE,
        "logged_score_1?": SCORE,
        "card_points_0?": WIDE_POINTS,
        "card_points_1?": WIDE_POINTS,
        "double_victory?": TEAM,
        "finish_1?": SEAT,
        "finish_2?": SEAT,
        "finish_3?": SEAT,
        "total_before_0": TOTAL,
        "total_before_1": TOTAL,
        "n_tricks": COUNT,
        "n_plays": COUNT,
        "n_passes": COUNT,
        "n_bombs": COUNT,
        "wish_seat?": SEAT,
        "wish_rank?": (2, 14),
        "wish_line?": LINE,
        "wish_fulfilled_seat?": SEAT,
        "wish_fulfilled_line?": LINE,
        "excluded_by?": WORDS,
    },
    "hands": {
        **ROUND,
        "seat": SEAT,
        "team": TEAM,
        "player": TEXT,
        "first8": MASK,
        "dealt": MASK,
        "held": MASK,
        "dealt_bomb": BOOL,
        "held_bomb": BOOL,
        "call": WORDS,
        "call_when?": WORDS,
        "call_line?": LINE,
        "call_trick?": (0, 56),
        "call_success?": BOOL,
        "partner_call": WORDS,
        "finish?": (1, 3),
        "points_taken": POINTS,
        "score_own": SCORE,
        "score_opponents": SCORE,
        "total_before_own": TOTAL,
        "total_before_opponents": TOTAL,
    },
    "exchanges": {
        **ROUND,
        "giver": SEAT,
        "receiver": SEAT,
        "passed_to": WORDS,
        "received_from": WORDS,
        "card": (0, 55),
        "rank?": (0, 15),
    },
    "tricks": {
        **ROUND,
        "trick": (1, 56),
        "lead_seat": SEAT,
        "winner_seat?": SEAT,
        "taker_seat?": SEAT,
        "kind": WORDS,
        "length": (1, 14),
        "won_with": WORDS,
        "n_plays": "at least 1",
        "n_passes": "at least 0",
        "n_bombs": "at least 0",
        "points": POINTS,
        "cards": MASK,
        "dragon_to?": SEAT,
        "first_line": LINE,
        "last_line": LINE,
    },
    "moves": {
        **ROUND,
        "move": "at least 1",
        "trick": (1, 56),
        "line": LINE,
        "seat": SEAT,
        "action": WORDS,
        "cards": MASK,
        "kind?": WORDS,
        "rank?": "float32",
        "length?": (1, 14),
        "phoenix_rank?": (2, 14),
        "phoenix_reading?": WORDS,
        "bomb": BOOL,
        "out_of_turn": BOOL,
        "wish_open?": (2, 14),
        "hand_before": MASK,
        "cards_left": "at least 0",
    },
    "findings": {
        **GAME,
        "round?": (1, INT16),
        "path": TEXT,
        "line": LINE,
        "seat?": SEAT,
        "code": WORDS,
        "name": WORDS,
        "severity": WORDS,
        "message": TEXT,
        "expected?": TEXT,
        "found?": TEXT,
    },
}

VOCABULARIES: dict[str, list[str]] = {
    "games.rules": ["official", "bsw", "dodgr", "booklet", "tichugr", "finnish"],
    "games.outcome": ["finished", "unfinished", "overplayed"],
    "rounds.severity": ["none", "note", "warning", "error"],
    "rounds.excluded_by": [*(code.name for code in CODES.values()), "incomplete"],
    "hands.call": CALLS,
    "hands.call_when": ["first8", "before_exchange", "after_exchange"],
    "hands.partner_call": CALLS,
    "exchanges.passed_to": ["right", "partner", "left"],
    "exchanges.received_from": ["right", "partner", "left"],
    "tricks.kind": KINDS,
    "tricks.won_with": KINDS,
    "moves.action": ["play", "pass"],
    "moves.kind": KINDS,
    "moves.phoenix_reading": ["only", "declared", "later", "position", "highest", "lowest"],
    "findings.code": list(CODES),
    "findings.name": [code.name for code in CODES.values()],
    "findings.severity": ["note", "warning", "error"],
}

#: Least and greatest number of each integer type.
SIZES = {f"int{bits}": (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) for bits in (8, 16, 32, 64)}

ALL = [(table, column) for table in TABLES.values() for column in table.columns]
every_table = pytest.mark.parametrize("table", TABLES.values(), ids=list(TABLES))
every_column = pytest.mark.parametrize(("table", "column"), ALL, ids=[f"{one.name}.{two.name}" for one, two in ALL])


def words_of(name: str) -> list[str]:
    """The vocabulary of ``table.column``."""
    table, column = name.split(".")
    return list(TABLES[table].column(column).vocabulary)


# The declaration ------------------------------------------------------------------------------------------------------


def test_the_tables_are_those_promised():
    assert list(TABLES) == list(PROMISED)
    assert {table.name: table.holds for table in TABLES.values()} == {
        "games": "games",
        "rounds": "all rounds",
        "hands": "kept rounds",
        "exchanges": "kept rounds",
        "tricks": "kept rounds",
        "moves": "kept rounds",
        "findings": "findings",
    }


@every_table
def test_every_promised_column_is_there_in_its_place(table: Table):
    """In the promised order too; columns may be added between them, but are named here then."""
    assert [column.name + "?" * column.nullable for column in table.columns] == list(PROMISED[table.name])
    assert [column.name for column in table.columns[:2]] == ["game_id", "path" if table.name == "games" else "round"]


@every_column
def test_the_type_and_bounds_are_those_promised(table: Table, column: Column):
    promised = PROMISED[table.name][column.name + "?" * column.nullable]
    simple = {TEXT: "string", BOOL: "bool", MASK: "int64", WORDS: "vocabulary", "float32": "float32"}
    if promised in simple:
        assert column.type == simple[promised]
        return
    assert column.low is not None and column.high is not None
    if promised == SCORE:
        # 200 for a double victory and 400 for two Grand Tichus, or all of that against; a log may claim more.
        assert column.low <= -400 and column.high >= 600
    elif promised == WIDE_POINTS:
        assert column.low <= -25 and column.high >= 125
    elif promised == TOTAL:
        assert column.low <= -400 * INT16 and column.high >= 600 * INT16
    elif isinstance(promised, str):
        assert column.low == int(promised.removeprefix("at least "))
    else:
        assert (column.low, column.high) == promised


@every_column
def test_numbers_have_the_smallest_type_that_holds_their_bounds(table: Table, column: Column):
    if column.type not in SIZES:
        assert column.type == "float32" or (column.low is None and column.high is None)
        return
    assert column.low is not None and column.high is not None and column.low < column.high
    fitting = [name for name, (low, high) in SIZES.items() if low <= column.low and column.high <= high]
    assert column.type == fitting[0]


def test_sets_of_cards_are_never_null():
    masks = [(table.name, column) for table, column in ALL if column.is_mask]
    assert {f"{table}.{column.name}" for table, column in masks} == {
        "hands.first8",
        "hands.dealt",
        "hands.held",
        "tricks.cards",
        "moves.cards",
        "moves.hand_before",
    }
    assert {(column.nullable, column.low, column.high) for _, column in masks} == {(False, 0, 2**56 - 1)}


def test_the_rank_of_a_move_goes_from_the_dog_to_the_dragon_in_halves():
    rank = TABLES["moves"].column("rank")
    assert (rank.type, rank.low, rank.high) == ("float32", 0, 15)


def test_vocabularies():
    assert {f"{table.name}.{column.name}": list(column.vocabulary) for table, column in ALL if column.vocabulary} == (
        VOCABULARIES
    )


@every_column
def test_words_have_a_list_and_nothing_else_has(table: Table, column: Column):
    assert bool(column.vocabulary) == (column.type == "vocabulary")
    assert len(set(column.vocabulary)) == len(column.vocabulary)
    # The keys of the Arrow dictionary are int8.
    assert len(column.vocabulary) <= 128
    assert all(column.vocabulary)


def test_what_a_replay_can_say_has_a_word():
    assert set(words_of("moves.phoenix_reading")) == set(get_args(PhoenixReading)) - {""}
    assert set(words_of("hands.call_when")) == set(get_args(CallMoment))
    assert set(words_of("games.outcome")) == set(get_args(Outcome))


@every_table
def test_names_are_unique_and_plain(table: Table):
    names = [column.name for column in table.columns]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z][a-z0-9_]*", name) for name in (table.name, *names))
    assert table.column("game_id") is table.columns[0]
    with pytest.raises(KeyError):
        table.column("nothing")


@every_column
def test_meanings_say_something_on_one_line(table: Table, column: Column):
    assert column.meaning == column.meaning.strip() and column.meaning.isprintable()
    assert column.meaning.replace(" ", "_") not in ("", column.name)
    assert not column.meaning.endswith(".")


@every_column
def test_a_meaning_that_speaks_of_null_belongs_to_a_column_that_may_be_null(table: Table, column: Column):
    assert column.nullable or not re.search(r"\bnull\b", column.meaning)


# What is said about it ------------------------------------------------------------------------------------------------


def test_the_page_of_the_documentation_is_up_to_date(root: Path):
    page = root / "docs" / "tables.md"
    assert page.read_text(encoding="utf-8") == describe.as_markdown(), (
        "run: tichu schema --format markdown > docs/tables.md"
    )


def test_the_page_can_be_written_in_any_encoding():
    assert describe.as_markdown().isascii()


@every_table
def test_the_page_has_every_table_and_column_with_its_meaning(table: Table):
    page = describe.as_markdown()
    assert describe.table_as_markdown(table) in page
    section = page.partition(f"\n## {table.name}\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) == len(table.columns)
    for row, column in zip(rows, table.columns, strict=True):
        name, type_, null, values, meaning = (cell.strip() for cell in row.strip("|").split(" | "))
        assert (name, type_) == (f"`{column.name}`", f"`{describe.arrow_type(column)}`")
        assert (null == "yes") == column.nullable and values and meaning == column.meaning


def test_links_of_the_page_lead_somewhere(root: Path):
    page = describe.as_markdown()
    anchors = {heading.lower().replace(" ", "-") for heading in re.findall(r"^##+ (.*)$", page, re.MULTILINE)}
    for link in re.findall(r"\]\(([^)]*)\)", page):
        assert link[1:] in anchors if link.startswith("#") else (root / "docs" / link).is_file()


def test_a_mark_where_a_meaning_may_still_change():
    column = TABLES["games"].columns[0]
    assert describe.meaning_text(column) == column.meaning
    assert describe.meaning_text(column._replace(stable=False)) == f"{column.meaning} (provisional)"


@pytest.mark.parametrize(
    ("name", "type_", "values"),
    [
        ("hands.held", "int64", "set of cards"),
        ("hands.seat", "int8", "0 to 3"),
        ("hands.player", "string", "text"),
        ("hands.held_bomb", "bool", "true, false"),
        ("hands.call", "dictionary<int8, string>", "none, tichu, grand"),
        ("hands.points_taken", "int8", "-25 to 125"),
        ("rounds.round", "int16", "from 1"),
        ("rounds.last_line", "int32", "from 1"),
        ("moves.rank", "float32", "0 to 15"),
        ("findings.code", "dictionary<int8, string>", f"one of {len(CODES)} words"),
    ],
)
def test_types_and_values_in_words(name: str, type_: str, values: str):
    table, column = name.split(".")
    found = TABLES[table].column(column)
    assert (describe.arrow_type(found), describe.values_text(found)) == (type_, values)


def test_a_table_as_an_object():
    shown = json.loads(json.dumps(describe.table_as_dict(TABLES["hands"])))
    assert {key: shown[key] for key in ("name", "row", "holds", "key")} == {
        "name": "hands",
        "row": "one seat in one round",
        "holds": "rounds that are complete and legally played",
        "key": ["game_id", "round", "seat"],
    }
    columns = {column["name"]: column for column in shown["columns"]}
    assert list(columns) == [name.rstrip("?") for name in PROMISED["hands"]]
    assert columns["call"].pop("meaning")
    assert columns["call"] == {
        "name": "call",
        "type": "dictionary<int8, string>",
        "nullable": False,
        "vocabulary": CALLS,
        "low": None,
        "high": None,
        "stable": True,
    }
    finish = columns["finish"]
    assert (finish["type"], finish["nullable"], finish["vocabulary"]) == ("int8", True, None)
    assert (finish["low"], finish["high"]) == (1, 3)


def test_keys_are_columns_that_always_have_a_value():
    assert set(describe.KEYS) == set(TABLES)
    for name, key in describe.KEYS.items():
        assert not any(TABLES[name].column(column).nullable for column in key)
        assert key[:1] == ("game_id",) or name == "findings"


# The examples of reading ----------------------------------------------------------------------------------------------


def write_hands(folder: Path) -> None:
    """Writes two files of hands after the declaration: four seats, of which seat 2 has the Dragon, in each."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    types = {"string": pa.string(), "bool": pa.bool_(), "vocabulary": pa.dictionary(pa.int8(), pa.string())}
    table = TABLES["hands"]
    schema = pa.schema(
        [
            pa.field(column.name, types.get(column.type) or getattr(pa, column.type)(), column.nullable)
            for column in table.columns
        ]
    )
    folder.mkdir(parents=True)
    for number in (1, 2):
        columns = []
        for column in table.columns:
            values: list[object] = []
            for seat in range(4):
                value: object = column.low
                if column.nullable and seat % 2:
                    value = None
                elif column.vocabulary:
                    value = column.vocabulary[seat % len(column.vocabulary)]
                elif column.is_mask:
                    value = 1 << 55 if seat == 2 else 5
                elif column.type == "bool":
                    value = seat > 0
                elif column.type == "string":
                    value = "a name"
                elif column.name in ("seat", "round"):
                    value = seat if column.name == "seat" else number
                values.append(value)
            columns.append(pa.array(values, schema.field(column.name).type))
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), folder / f"{number}.parquet")


@pytest.mark.parametrize("library", ["pandas", "polars", "duckdb", "pyarrow"])
def test_the_examples_of_reading_find_the_dragon(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    blocks = re.findall(r"```python\n(.*?)```", describe.as_markdown(), re.DOTALL)
    (block,) = (block for block in blocks if block.startswith(f"import {library}"))
    write_hands(tmp_path / "data" / "hands")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(block, "docs/tables.md", "exec"), names)
    dragon: object = names["dragon"]
    if library == "pandas":
        rows = dragon[["round", "seat", "held"]].values.tolist()  # type: ignore[index]
        assert str(dragon["finish"].dtype) == "Int8"  # type: ignore[index]
        assert str(dragon["call"].dtype) == "category"  # type: ignore[index]
    elif library == "polars":
        rows = dragon.select("round", "seat", "held").rows()  # type: ignore[attr-defined]
    elif library == "duckdb":
        rows = dragon.project("round, seat, held").fetchall()  # type: ignore[attr-defined]
    else:
        rows = [[row["round"], row["seat"], row["held"]] for row in dragon.to_pylist()]  # type: ignore[attr-defined]
    assert sorted(map(list, rows)) == [[1, 2, 1 << 55], [2, 2, 1 << 55]]


def test_the_sql_for_r_is_that_for_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    import duckdb

    query = re.search(r'dbGetQuery\(con, "(.*)"\)', describe.as_markdown())
    assert query
    write_hands(tmp_path / "data" / "hands")
    monkeypatch.chdir(tmp_path)
    assert len(duckdb.connect().execute(query[1]).fetchall()) == 2


# The command ----------------------------------------------------------------------------------------------------------
