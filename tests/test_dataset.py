"""A data set as an object in programs and notebooks."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path

import pytest

import tichu_analytics as ta
from tichu_analytics.tables.query import QueryFailed, QueryRefused


@pytest.fixture(scope="module")
def data(root: Path, tmp_path_factory) -> ta.Dataset:
    logs = root / "sample_logs"
    return ta.export([*sorted(logs.glob("*.tch")), logs / "faulty"], tmp_path_factory.mktemp("dataset") / "data")


def test_tables_are_attributes(data: ta.Dataset):
    assert data.tables == ["games", "rounds", "hands", "exchanges", "tricks", "moves", "findings"]
    assert len(data.hands) == data.info["rows"]["hands"] == len(data.hands.to_pandas())
    assert data.hands.columns[:3] == ["game_id", "round", "seat"]
    assert all(path.exists() for path in data.hands.files)
    assert set(data.tables) <= set(dir(data))
    assert data["hands"].columns == data.hands.columns


def test_there_is_no_other_attribute(data: ta.Dataset):
    assert not hasattr(data, "hnds")
    with pytest.raises(AttributeError, match="its tables are games, rounds"):
        data.hnds  # noqa: B018


def test_a_missing_table_is_a_missing_attribute(root: Path, tmp_path: Path):
    data = ta.export(root / "sample_logs" / "faulty", tmp_path / "data", tables=["hands"])
    assert not hasattr(data, "moves")
    assert getattr(data, "moves", None) is None
    with pytest.raises(AttributeError, match="exported with hands"):
        data.moves  # noqa: B018


def test_copies_open_it_anew(data: ta.Dataset):
    data.sql("select 1").to_pandas()
    for again in (copy.copy(data), copy.deepcopy(data), pickle.loads(pickle.dumps(data))):
        assert again.path == data.path
        assert len(again.hands) == len(data.hands)


def test_where_and_columns(data: ta.Dataset):
    frame = data.hands.to_pandas(columns=["player", "held"], where="has(held, 'Dr') and seat = 2")
    assert list(frame.columns) == ["player", "held"]
    held = data.hands.to_pandas()
    wanted = held[(held["held"] // 2**55 % 2 == 1) & (held["seat"] == 2)]
    assert frame["held"].tolist() == wanted["held"].tolist()
    assert len(frame) > 5
    arrow = data.hands.to_arrow(where="seat = 1")
    assert arrow.schema == data.hands.to_arrow().schema


def test_where_has_the_walls_of_a_query(data: ta.Dataset, tmp_path: Path):
    for condition in ("true) or (true", "1 = 1; drop table hands", "seat", "game_id in (select * from '/etc/passwd')"):
        with pytest.raises((QueryRefused, QueryFailed)):
            data.hands.to_pandas(where=condition)
    with pytest.raises(QueryRefused):
        data.sql(f"copy hands to '{tmp_path / 'out.csv'}'")
    assert list(tmp_path.iterdir()) == []


def test_a_column_that_is_none(data: ta.Dataset):
    with pytest.raises(ValueError, match="hands has no column 'hold'"):
        data.hands.to_pandas(columns=["hold"])


def test_answers(data: ta.Dataset):
    answer = data.sql("select call, count(*) as n from hands group by call order by call")
    frame = answer.to_pandas()
    assert frame["n"].sum() == len(data.hands)
    assert str(frame["n"].dtype) == "Int64"
    assert [row[0] for row in answer] == ["grand", "none", "tichu"]
    assert answer.fetchall() == list(answer)
    assert answer.df().equals(frame)


def test_an_ordinary_connection_has_tables_and_card_functions(data: ta.Dataset, tmp_path: Path):
    with data.connect() as connection:
        (count,) = connection.execute("select count(*) from hands where has(held, 'Dr')").fetchone() or (0,)
        assert count == data.info["rounds_kept"]
        connection.execute(f"copy (select 1) to '{tmp_path / 'mine.csv'}'")
    assert (tmp_path / "mine.csv").exists()


def test_they_show_themselves(data: ta.Dataset):
    assert "39 games" in repr(data)
    assert "<table" in data._repr_html_()
    assert "rows of game_id" in repr(data.hands)
    shown = data.games._repr_html_()
    assert "<script" not in shown and "finished" in shown
