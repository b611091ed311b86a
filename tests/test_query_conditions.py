"""Conditions on rows: what they pick, and what is refused as none."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.asking import HANDS, files
from tichu_analytics.tables.query import Asker, QueryFailed, QueryRefused


@pytest.mark.parametrize(
    ("where", "seats"),
    [
        ("seat = 1", [1]),
        ("has(held, 'Dr') OR bombs(held) > 0", [0, 1, 3]),
        ("seat = 1 or true", [0, 1, 2, 3]),
        ("game_id IN (SELECT game_id FROM moves)", [0, 1]),
        ("EXISTS (FROM moves m WHERE m.game_id = hands.game_id)", [0, 1]),
        ("(SELECT true)", [0, 1, 2, 3]),
        ("call_success", [1]),
        ("NOT call_success", [2]),
        ("player = '--' OR seat = 2 -- the third\n", [2]),
        ("seat = 2 /* the third */", [2]),
        ("player = '); DROP TABLE hands; --' OR seat = 0", [0]),
        ("CASE WHEN seat = 0 THEN true ELSE false END", [0]),
        ("seat BETWEEN 1 AND 2", [1, 2]),
    ],
)
def test_conditions(asker: Asker, where: str, seats: list[int]) -> None:
    with asker.filtered("hands", where) as answer:
        assert answer.columns == tuple(HANDS.column_names)
        assert [row[1] for row in answer] == seats
    condition = asker.check_where("hands", where)
    asked = asker.ask(f"SELECT seat FROM hands WHERE false OR ({condition}) AND true ORDER BY seat")
    assert [seat for (seat,) in asked] == seats


@pytest.mark.parametrize(
    "where",
    [
        "",
        " ",
        "1=1) or (1=1",
        "true; drop view hands",
        "true;",
        "1=1 -- ",
        "1=1 --",
        "1=1 # x",
        "1=1 union select 1",
        "1=1 union all (select 1)",
        "(1=1",
        "1=1)",
        "1=1, 2=2",
        "1=1,",
        "1=1 as x",
        "1=1 x",
        "x: 1=1",
        "1=1 /* ",
        "1=1 /* x",
        "*/ 1=1 /*",
        "'",
        '"',
        "$$",
        "true or '",
        "true limit 1",
        "true order by 1",
        "true group by all",
        "true from hands",
        "true where true",
        "true window w as ()",
        "true qualify true",
        "true using sample 1",
        "distinct true",
        "all true",
        "on true",
        "from hands",
        "select true",
        "values (true)",
        "*",
        "hands.*",
        "seat",
        "player",
        "'true'",
        "(true, true)",
        "1 := 1",
        "? = 1",
        "$1",
        "seat = 1\0",
        "seat in (select oid from pg_class)",
        "exists (from read_text('../secret.csv'))",
        "exists (with x as (delete from hands returning 1) from x)",
        "current_setting('threads') = 1",
        "seat in (from exchanges)",
    ],
)
def test_what_is_no_condition(asker: Asker, here: Path, where: str) -> None:
    before = files(here)
    for use in (asker.check_where, asker.filtered):
        with pytest.raises(QueryRefused) as refused:
            use("hands", where)
        assert "\n" not in str(refused.value)
    assert files(here) == before


@pytest.mark.parametrize("where", ["count(*) > 1", "row_number() OVER () = 1", "no_such = 1", "cards = 1"])
def test_conditions_that_cannot_be_worked_out(asker: Asker, where: str) -> None:
    with pytest.raises(QueryFailed):
        asker.check_where("hands", where)


def test_conditions_on_tables_that_are_not_there(asker: Asker) -> None:
    with pytest.raises(QueryRefused, match="no table exchanges"):
        asker.check_where("exchanges", "true")
    with pytest.raises(QueryRefused, match="no table"):
        asker.check_where('hands" --', "true")
