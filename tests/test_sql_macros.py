"""The card functions in SQL say the same as the Python ones: the same masks, texts, counts, and refusals."""

from __future__ import annotations

import random
from collections.abc import Iterator

import duckdb
import pyarrow as pa
import pytest

from tichu_analytics.record.notation import CARD_CODES, RANK_NAMES, mask_text, parse_mask, rank_text
from tichu_analytics.rules.cards import CARD_RANK, DECK, PHOENIX, SUITED, SUITS
from tichu_analytics.rules.combinations import count_bombs, holds_bomb
from tichu_analytics.tables.query import macros

RANDOM_MASKS = 100_000


def some_masks() -> list[int]:
    """Hands of 14 cards, half decks, single cards, runs of every length in every suit, all fours, empty and full."""
    rng = random.Random(56)
    masks = [0, DECK, SUITED, *SUITS, *(1 << bit for bit in range(56)), *(15 << 4 * rank for rank in range(13))]
    for suit in range(4):
        for low in range(13):
            for high in range(low, 13):
                masks.append(sum(1 << 4 * rank + suit for rank in range(low, high + 1)))
    while len(masks) < RANDOM_MASKS:
        chance = rng.randrange(4)
        if chance == 0:
            masks.append(rng.getrandbits(56))
        elif chance == 1:
            masks.append(rng.getrandbits(56) | rng.getrandbits(56))
        else:
            masks.append(sum(1 << bit for bit in rng.sample(range(56), 14)))
    return masks


MASKS = some_masks()


def brute_force_bombs(hand: int) -> int:
    """Counted card by card: ranks of which all four are there, and in each suit the runs of five or more."""
    there = {(bit // 4, bit % 4) for bit in range(52) if hand >> bit & 1}
    count = sum(all((rank, suit) in there for suit in range(4)) for rank in range(13))
    for suit in range(4):
        length = 0
        for rank in range(14):
            if (rank, suit) in there:
                length += 1
                continue
            count += length >= 5
            length = 0
    return count


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as con:
        con.execute(macros())
        con.register("masks", pa.table({"m": pa.array(MASKS, pa.int64())}))
        yield con


def value(con: duckdb.DuckDBPyConnection, expression: str, *parameters: object):
    (row,) = con.execute(f"SELECT {expression}", parameters or None).fetchall()
    return row[0]


def column(con: duckdb.DuckDBPyConnection, expression: str, source: str = "masks") -> list:
    return [row[0] for row in con.execute(f"SELECT {expression} FROM {source}").fetchall()]


def test_count_bombs_is_what_brute_force_counts() -> None:
    for mask in MASKS[:50_000]:
        assert count_bombs(mask) == brute_force_bombs(mask), mask_text(mask)
        assert (count_bombs(mask) > 0) == holds_bomb(mask)


def test_count_bombs_compiled() -> None:
    numba = pytest.importorskip("numba", reason="the rulebook is compiled by Numba, an extra")
    from tichu_analytics.rules.compiled import compile_rulebook

    assert numba is not None
    compiled = compile_rulebook().count_bombs
    assert [compiled(mask) for mask in MASKS[:20_000]] == [count_bombs(mask) for mask in MASKS[:20_000]]


@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("S2 S3 S4 S5", 0),
        ("S2 S3 S4 S5 S6", 1),
        ("S2 S3 S4 S5 S6 S7 S8", 1),
        ("S10 SJ SQ SK SA", 1),
        ("Ma S2 S3 S4 S5", 0),
        ("S2 S3 S4 S5 Ph S6", 1),
        ("S2 B2 G2 R2", 1),
        ("S2 B2 G2 Ph", 0),
        ("SJ SQ SK SA S2 S3", 0),
        ("SA B2 B3 B4 B5", 0),
        ("S2 B2 G2 R2 S3 S4 S5 S6", 2),
        ("S2 S3 S4 S5 S6 S8 S9 S10 SJ SQ", 2),
        ("S2 S3 S4 S5 S6 B2 B3 B4 B5 B6 SA BA GA RA", 3),
        ("Ma Do Ph Dr", 0),
    ],
)
def test_bombs_of_a_hand(connection: duckdb.DuckDBPyConnection, cards: str, expected: int) -> None:
    assert count_bombs(parse_mask(cards)) == expected
    assert value(connection, f"bombs(cards('{cards}'))") == expected


def test_bombs_and_texts_of_random_masks(connection: duckdb.DuckDBPyConnection) -> None:
    assert column(connection, "bombs(m)") == [count_bombs(mask) for mask in MASKS]
    assert column(connection, "card_text(m)") == [mask_text(mask) for mask in MASKS]


def test_cards_of_texts_of_random_masks(connection: duckdb.DuckDBPyConnection) -> None:
    assert column(connection, "cards(card_text(m))", "(FROM masks LIMIT 20000)") == MASKS[:20_000]


def test_has(connection: duckdb.DuckDBPyConnection) -> None:
    for text in (*CARD_CODES[:56], "", "SA GA", "Dr Ph", "S2 S3 S4 S5 S6", "RB RD Hu"):
        wanted = parse_mask(text)
        found = column(connection, f"has(m, '{text}')", "(FROM masks LIMIT 5000)")
        assert found == [mask & wanted == wanted for mask in MASKS[:5_000]]


def test_count_rank(connection: duckdb.DuckDBPyConnection) -> None:
    for rank, name in enumerate(RANK_NAMES):
        cards = [bit for bit in range(56) if CARD_RANK[bit] == rank and bit != PHOENIX]
        expected = [sum(mask >> bit & 1 for bit in cards) for mask in MASKS[:20_000]]
        rows = "(FROM masks LIMIT 20000)"
        for written in (f"'{name}'", f"{rank}", f"{rank}::TINYINT", f"{rank}::FLOAT", f"{rank}.0"):
            assert column(connection, f"count_rank(m, {written})", rows) == expected, written
        con = f"(SELECT m, {rank}::TINYINT + 0 * (m % 2)::TINYINT AS rank FROM masks LIMIT 20000)"
        assert column(connection, "count_rank(m, rank)", con) == expected
    assert value(connection, "count_rank(cards('Ph Dr'), 'Ph')") == 1
    assert value(connection, "count_rank(cards('SJ'), 'B') + count_rank(cards('SQ'), 'D')") == 2
    # A percentage must not run over the smallest integers.
    assert value(connection, "count_rank(cards('SA BA'), 'A') * 100") == 200


def test_the_rank_of_a_single_phoenix_is_none_of_its_own(connection: duckdb.DuckDBPyConnection) -> None:
    assert value(connection, "count_rank(cards('S8'), 8.5::FLOAT)") is None
    assert value(connection, "count_rank(cards('S8'), 1.5)") is None


@pytest.mark.parametrize(
    "rank", ["'1'", "'0'", "'15'", "'11'", "'a'", "''", "'2 '", "16", "-1", "0.5", "8.25", "'8.5'"]
)
def test_what_is_no_rank(connection: duckdb.DuckDBPyConnection, rank: str) -> None:
    with pytest.raises(duckdb.Error, match=f"'{rank.strip(chr(39))}' is no rank; a rank is 2 to 10"):
        value(connection, f"count_rank(7, {rank})")
    with pytest.raises(duckdb.Error, match="is no rank"):
        column(connection, f"count_rank(m, {rank})")


GOOD_TEXTS = (
    "",
    " ",
    "S5",
    "S5 G5",
    "\tS5\n\u00a0G5\u2003R5\x1cB5\x85",
    "SB GB RB BB",
    "SD BD GD RD",
    "Hu",
    "Do Ma Ph Dr",
)
BAD_TEXTS = (
    "S5 S5",
    "SJ SB",
    "SB SJ",
    "Hu Do",
    "S5 S5 XX",
    "XX S5 S5",
    "S5 XX S5",
    "s5",
    "S1",
    "S11",
    "SZ",
    "S5,G5",
    "S5G5",
    "\u200bS5",
    "it's",
    'it\'s "so"',
    "back\\slash",
    "MA",
    "?",
    "10",
    "Ｓ５",
)


@pytest.mark.parametrize("text", GOOD_TEXTS)
def test_texts_of_cards(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    assert value(connection, "cards(?)", text) == parse_mask(text)


@pytest.mark.parametrize("text", BAD_TEXTS)
def test_texts_that_are_no_cards(connection: duckdb.DuckDBPyConnection, text: str) -> None:
    with pytest.raises(ValueError) as refused:
        parse_mask(text)
    constant = "'" + text.replace("'", "''") + "'"
    expected = str(refused.value)
    if "\\u" not in expected:  # the only difference: invisible characters stay as they are
        for expression in (f"cards({constant})", f"has(7, {constant})"):
            with pytest.raises(duckdb.Error) as error:
                value(connection, expression)
            assert str(error.value).partition("Error: ")[2] == expected
    with pytest.raises(duckdb.Error, match=r"is no card|stands twice"):
        column(connection, f"cards({constant} || left(m::VARCHAR, 0))")


def test_random_texts(connection: duckdb.DuckDBPyConnection) -> None:
    rng = random.Random(7)
    words = [*CARD_CODES[:56], "SB", "GD", "Hu", "Do", "x"]
    for _ in range(100):
        text = rng.choice((" ", "  ", "\n")).join(rng.choices(words, k=rng.randrange(6)))
        try:
            expected: int | str = parse_mask(text)
        except ValueError as refused:
            expected = str(refused)
        try:
            found = value(connection, "cards(?)", text)
        except duckdb.Error as error:
            found = str(error).partition("Error: ")[2]
        assert found == expected, text


@pytest.mark.parametrize(
    "expression",
    [
        "cards(NULL)",
        "has(NULL, 'Dr')",
        "has(7, NULL)",
        "count_rank(NULL, 'A')",
        "count_rank(7, NULL)",
        "card_text(NULL)",
        "bombs(NULL)",
        "card_name(NULL)",
        "rank_name(NULL)",
    ],
)
def test_null_in_null_out(connection: duckdb.DuckDBPyConnection, expression: str) -> None:
    assert value(connection, expression) is None


def test_names_of_single_cards_and_ranks(connection: duckdb.DuckDBPyConnection) -> None:
    assert column(connection, "card_name(i)", "range(56) t(i)") == list(CARD_CODES[:56])
    assert column(connection, "rank_name(i::TINYINT)", "range(16) t(i)") == list(RANK_NAMES)
    assert column(connection, "rank_name((i / 2)::FLOAT)", "range(3, 30) t(i)") == [rank_text(i) for i in range(3, 30)]
    for wrong in ("card_name(56)", "card_name(-1)", "rank_name(16)", "rank_name(0.5)", "rank_name(15.5)"):
        with pytest.raises(duckdb.Error, match=r"is no rank|number of no card"):
            value(connection, wrong)


def test_columns_with_the_names_of_functions_and_parameters(connection: duckdb.DuckDBPyConnection) -> None:
    made = """(SELECT cards('S5 Dr') AS mask, 'Dr' AS typed, cards('S5 Dr') AS cards, 'S5' AS has, 'A' AS rank,
        5 AS number, 4 AS bit, cards('S2 S3 S4 S5 S6') AS suited, 'x' AS said, cards('SA') AS bombs, 3 AS bits)"""
    asked = """[has(mask, typed), has(cards, has), count_rank(bombs, rank) = 1, count_rank(cards, number) = 1,
        card_name(bit) = 'S3', bombs(suited) = 1, bombs(bombs) = 0, cards = cards('Dr S5'), card_text(cards) = 'Dr S5',
        rank_name(number) = '5', (cards & cards(has)) = cards('S5')]"""
    assert value(connection, f"{asked} FROM {made} AS made") == [True] * 11


def test_arguments_are_taken_as_a_whole(connection: duckdb.DuckDBPyConnection) -> None:
    assert value(connection, "has(cards('S5') | cards('S6'), 'S5 S6') AND NOT has(0 | 1, 'S5')") is True
    assert value(connection, "bombs(15 << 4 | 1) + count_rank(15 << 4 | 1, 1 + 2) * 2") == 1 + 4 * 2
    assert value(connection, "card_text(1 | 2)") == "B2 S2"


def test_constants_are_computed_once(connection: duckdb.DuckDBPyConnection) -> None:
    ((_, plan),) = connection.execute(
        "EXPLAIN SELECT sum(m) FROM masks WHERE has(m, 'Dr S2') AND (m & cards('RQ')) <> 0 AND count_rank(m, 'A') > 2"
    ).fetchall()
    assert str(parse_mask("Dr S2")) in plan
    assert str(parse_mask("RQ")) in plan
    for left in ("error", "CASE", "list", "split", "lambda"):
        assert left not in plan.replace("Filter", "")


def test_the_file_can_be_read_twice_and_uses_free_names_only() -> None:
    with duckdb.connect() as con:
        before = {name for (name,) in con.execute("SELECT function_name FROM duckdb_functions()").fetchall()}
        con.execute(macros())
        con.execute(macros())
        own = con.execute("SELECT DISTINCT function_name FROM duckdb_functions() WHERE NOT internal").fetchall()
        names = {name for (name,) in own}
        assert names >= {"cards", "has", "count_rank", "card_text", "bombs", "card_name", "rank_name"}
        assert not names & before


def test_numbers_get_a_half_as_numbers_do() -> None:
    """A Phoenix on a 10 is 10.5, as on an 8 it is 8.5; only letters have the sign."""
    names = [rank_text(rank2) for rank2 in range(3, 31, 2)]
    assert names[:10] == ["1.5", "2.5", "3.5", "4.5", "5.5", "6.5", "7.5", "8.5", "9.5", "10.5"]
    assert names[10:] == ["J+½", "Q+½", "K+½", "A+½"]
