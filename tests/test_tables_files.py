"""The files as other programs see them: types, masks to the last bit, descriptions, size, and what validation finds."""

from __future__ import annotations

import json
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet as pq
import pytest

import tichu_analytics as ta
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import DECK
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.arrow import arrow_schema, parquet_bytes
from tichu_analytics.tables.export import export_inputs
from tichu_analytics.tables.schema import TABLES
from tichu_analytics.tables.validate import table_problems

GAMES = 40
#: Bytes a move in the files of the table moves, at most.
MOST_BYTES_A_MOVE = 6.0


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A data set of simulated games in several parts."""
    logs = tmp_path_factory.mktemp("logs")
    for game in simulate_games(GAMES, 11):
        (logs / f"{game.game_id}.tch").write_text(game.text, encoding="utf-8", newline="\n")
    export_inputs([str(logs)], logs / "data", part_bytes=400_000)
    assert len(list((logs / "data" / "moves").iterdir())) >= 2
    return logs / "data"


@pytest.fixture(scope="module")
def truth(folder: Path) -> dict[str, list[int]]:
    """All sets of cards, straight from the replay."""
    masks: dict[str, list[int]] = {name: [] for name in ("first8", "dealt", "held", "tricks", "moves", "hand_before")}
    for path in sorted(folder.parent.glob("*.tch")):
        for one in replay(read_game(path.read_bytes(), path.name, path.stem)).rounds:
            masks["first8"] += one.first8
            masks["dealt"] += one.dealt
            masks["held"] += one.held
            masks["tricks"] += [trick.cards for trick in one.tricks]
            masks["moves"] += [move.mask for move in one.moves]
            masks["hand_before"] += [move.hand_before for move in one.moves]
    # Numbers that a float cannot hold.
    assert any(mask != int(float(mask)) for mask in masks["held"])
    return masks


def test_pandas_reads_them(folder: Path, truth):
    hands = pd.read_parquet(folder / "hands")
    for name in ("first8", "dealt", "held"):
        assert hands[name].dtype == "int64"
        assert hands[name].tolist() == truth[name]
    moves = pd.read_parquet(folder / "moves")
    assert moves["cards"].tolist() == truth["moves"]
    assert moves["hand_before"].tolist() == truth["hand_before"]
    assert isinstance(moves["kind"].dtype, pd.CategoricalDtype)
    assert pd.read_parquet(folder / "tricks")["cards"].tolist() == truth["tricks"]


def test_polars_reads_them(folder: Path, truth):
    hands = pl.read_parquet(folder / "hands" / "*.parquet")
    for name in ("first8", "dealt", "held"):
        assert hands[name].dtype == pl.Int64
        assert hands[name].to_list() == truth[name]
    moves = pl.read_parquet(folder / "moves" / "*.parquet")
    assert moves["cards"].to_list() == truth["moves"]
    assert moves["hand_before"].to_list() == truth["hand_before"]
    assert set(moves["action"].cast(pl.String).unique()) == {"play", "pass"}
    assert pl.read_parquet(folder / "tricks" / "*.parquet")["cards"].to_list() == truth["tricks"]


def test_duckdb_reads_them(folder: Path, truth):
    connection = duckdb.connect()

    def column(table: str, name: str) -> list[object]:
        rows = connection.execute(f"select {name} from '{folder}/{table}/*.parquet'").fetchall()
        return [row[0] for row in rows]

    for name in ("first8", "dealt", "held"):
        assert column("hands", name) == truth[name]
        assert set(column("hands", f"typeof({name})")) == {"BIGINT"}
    assert column("moves", "cards") == truth["moves"]
    assert column("moves", "hand_before") == truth["hand_before"]
    assert column("tricks", "cards") == truth["tricks"]
    assert set(column("moves", "action")) == {"play", "pass"}


def test_pyarrow_reads_them(folder: Path, truth):
    hands = pyarrow.dataset.dataset(folder / "hands").to_table()
    for name in ("first8", "dealt", "held"):
        assert hands.schema.field(name).type == pa.int64()
        assert hands[name].to_pylist() == truth[name]
    assert pq.read_table(folder / "moves")["hand_before"].to_pylist() == truth["hand_before"]


def test_the_dataset_gives_nullable_types_and_the_same_masks(folder: Path, truth):
    data = ta.Dataset(folder)
    for name in data.tables:
        frame = data.table(name).to_pandas()
        small = data.table(name).to_pandas(small=True)
        assert list(frame.columns) == data.table(name).columns
        for column in TABLES[name].columns:
            kind = str(frame[column.name].dtype)
            if column.type.startswith("int"):
                assert kind == "Int64"
                assert str(small[column.name].dtype) == column.type.replace("int", "Int")
            elif column.type == "bool":
                assert kind == "boolean"
            elif column.type == "vocabulary":
                assert kind == "category"
            assert column.nullable or not frame[column.name].isna().any()
    assert data.hands.to_pandas()["held"].tolist() == truth["held"]
    assert data.moves.to_pandas(columns=["cards"])["cards"].tolist() == truth["moves"]
    assert pd.api.types.is_integer_dtype(data.rounds.to_pandas()["finish_3"])


def test_sums_and_products_have_room(folder: Path):
    """Small whole numbers would overflow in pandas without a word."""
    data = ta.Dataset(folder)
    hands = data.hands.to_pandas()
    assert (hands["points_taken"] + 100).max() == hands["points_taken"].max() + 100 > 127
    assert (hands["score_own"] ** 2).max() >= 40_000
    answer = data.sql("select points_taken, score_own from hands").to_pandas()
    assert (answer["points_taken"] * 10).max() == 10 * hands["points_taken"].max()


def test_hands_of_a_round_are_the_whole_pack(folder: Path):
    hands = ta.Dataset(folder).hands.to_pandas()
    for name in ("dealt", "held"):
        sums = hands.groupby(["game_id", "round"])[name].sum()
        assert (sums == DECK).all()


def test_the_files_have_the_declared_schema_and_say_what_columns_mean(folder: Path):
    for name, table in TABLES.items():
        for path in sorted((folder / name).iterdir()):
            schema = pq.read_schema(path)
            assert schema.equals(arrow_schema(name), check_metadata=True)
            assert schema.metadata[b"table"] == name.encode()
            for column in table.columns:
                field = schema.field(column.name)
                assert field.metadata[b"description"].decode() == column.meaning
                assert field.nullable == column.nullable
            columns = pq.ParquetFile(path).metadata.row_group(0)
            assert {columns.column(n).compression for n in range(columns.num_columns)} == {"ZSTD"}


def test_the_data_set_is_valid(folder: Path):
    assert ta.Dataset(folder).validate() == []


def test_moves_are_small(folder: Path):
    size = sum(path.stat().st_size for path in (folder / "moves").iterdir())
    moves = len(ta.Dataset(folder).moves)
    assert moves > 20_000
    assert size / moves <= MOST_BYTES_A_MOVE


def test_row_groups_have_about_a_million_rows():
    table = pa.table({"seat": pa.array([1] * 2_500_000, pa.int8())})
    declared = TABLES["hands"]._replace(columns=(TABLES["hands"].column("seat"),))
    groups = pq.ParquetFile(pa.BufferReader(parquet_bytes(table, declared))).metadata
    assert [groups.row_group(n).num_rows for n in range(groups.num_row_groups)] == [1_000_000, 1_000_000, 500_000]


# What validation finds


def hands(folder: Path) -> pa.Table:
    return pq.read_table(folder / "hands")


def changed(table: pa.Table, name: str, value: object) -> pa.Table:
    """The table with one value of a column replaced."""
    field = table.schema.field(name)
    values = table[name].to_pylist()
    values[3] = value
    column = pa.array(values, field.type if not pa.types.is_dictionary(field.type) else pa.string())
    if pa.types.is_dictionary(field.type):
        column = column.dictionary_encode()
    return table.set_column(table.schema.names.index(name), pa.field(name, column.type), column)


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("seat", 4, "column seat has values from 0 to 4, and may have 0 to 3"),
        ("held", -1, "column held has values from -1"),
        ("held", DECK + 1, "and may have 0 to 72057594037927935"),
        ("call", "schneider", "column call has words that are not in its vocabulary: 'schneider'"),
        ("player", None, "column player has 1 nulls and may have none"),
        ("finish", 0, "column finish has values from 0 to 3, and may have 1 to 3"),
    ],
)
def test_validation_names_the_column(folder: Path, column: str, value: object, words: str):
    good = hands(folder)
    assert table_problems(good, TABLES["hands"]) == []
    (problem,) = table_problems(changed(good, column, value), TABLES["hands"])
    assert words in problem


def test_validation_names_the_file(folder: Path, tmp_path: Path):
    import shutil

    shutil.copytree(folder, tmp_path / "data")
    out = tmp_path / "data"
    info = json.loads((out / "_dataset.json").read_text())
    first, second, *_ = sorted((out / "hands").iterdir())
    table = pq.read_table(first)
    pq.write_table(table.drop_columns(["seat"]), first)
    second.write_bytes(second.read_bytes()[:-1] + b"x")
    for part in info["parts"]:
        part["files"]["hands"]["bytes"] = (out / "hands" / f"{part['name']}.parquet").stat().st_size
    info["rows"]["rounds"] += 1
    (out / "_dataset.json").write_text(json.dumps(info))
    problems = ta.Dataset(out).validate()
    assert f"hands/{first.name}: does not have the columns of hands as they are declared" in problems
    assert any(problem.startswith(f"hands/{second.name}: cannot be read") for problem in problems)
    assert any(problem.startswith("rounds: has ") for problem in problems)
    assert len(problems) == 4  # the rows of hands cannot be counted either
