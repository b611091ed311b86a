"""Whatever a log holds, tables can be made of it, and every round is counted once."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests import damage
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.replay.game import replay
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.build import Builder
from tichu_analytics.tables.manifest import BEYOND
from tichu_analytics.tables.schema import LAST_ROUND, TABLES
from tichu_analytics.tables.validate import table_problems


def tables_of(text: str, rules: str = "bsw") -> Builder:
    """Fills all tables from one log and holds them against their declaration."""
    found = replay(read_game(text.encode("utf-8", "surrogatepass"), "a/1.tch", "1"), rules)
    builder = Builder(TABLES)
    builder.add(found, "1")
    tally = builder.tally
    assert tally.rounds == len(found.rounds) == tally.kept + sum(tally.excluded.values())
    rows = {name: builder.arrow(name) for name in TABLES}
    for name, table in rows.items():
        table.validate(full=True)
        assert table_problems(table, TABLES[name]) == []
    assert rows["rounds"].num_rows == min(len(found.rounds), LAST_ROUND)
    assert rows["hands"].num_rows == 4 * tally.kept
    assert rows["exchanges"].num_rows == 12 * tally.kept
    assert rows["findings"].num_rows == len(found.findings)
    return builder


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return [game.text for game in simulate_games(6, 77)]


@pytest.mark.parametrize("seed", range(8))
def test_damaged_logs(texts: list[str], seed: int):
    rng = random.Random(seed)
    for _ in range(25):
        lines = rng.choice(texts).split("\n")[:400]
        for _ in range(rng.choice((1, 2, 3, 8, 30))):
            try:
                lines = rng.choice(damage.KINDS)(rng, lines).lines
            except (IndexError, ValueError):  # nothing is left there that this kind of damage needs
                continue
        tables_of("\n".join(lines), rng.choice(("bsw", "official", "tichugr", "finnish")))


def test_faulty_logs(shared: Path):
    paths = sorted((shared / "checks").glob("one*/*.tch")) + sorted((shared / "real_logs").glob("*.tch"))
    assert len(paths) > 80
    for path in paths:
        tables_of(path.read_bytes().decode("utf-8", "replace"))


@pytest.mark.parametrize("times", [10, 50, 400, 2000])
def test_points_that_no_round_can_have_are_not_known(texts: list[str], times: int):
    """The same kings taken again and again: no card points, no score, and a finding for every such play."""
    lines = texts[0].split("\n")
    end = next(index for index, line in enumerate(lines) if line.startswith("Ergebnis:"))
    play = next(index for index, line in enumerate(lines) if line.startswith("---------------Rundenverlauf"))
    lead = lines[play + 1].partition(": ")[0]
    trick = [
        f"{lead}: RK GK BK SK",
        *[f"({seat}){name} passt." for seat, name in _others(lines, lead)],
        f"{lead} passt.",
    ]
    for index in range(play + 2, end):
        if lines[index] == f"{lead} passt.":
            lines[index + 1 : index + 1] = trick * times
            break
    else:
        pytest.fail("the leader takes no trick")
    builder = tables_of("\n".join(lines))
    (first, *_) = builder.arrow("rounds").to_pylist()
    assert not first["legal"]
    assert first["score_0"] is None or abs(first["score_0"]) <= 500


def _others(lines: list[str], lead: str) -> list[tuple[int, str]]:
    heads = [line.split(" ")[0] for line in lines[1:5]]
    seat = int(lead[1])
    return [((seat + step) % 4, heads[(seat + step) % 4][3:]) for step in (1, 2, 3)]


def test_more_rounds_than_a_table_can_number(tmp_path: Path):
    one = "---------------Gr.Tichukarten------------------\nErgebnis: 0 - 0\n"
    builder = tables_of(one * (LAST_ROUND + 5))
    assert builder.tally.excluded[BEYOND] == 5
    (game,) = builder.arrow("games").to_pylist()
    assert game["n_rounds"] == 0


@pytest.mark.parametrize(
    "text", ["", "\n\n", "\x00" * 100, "Ergebnis: 1000 - -1000\n" * 50, "\ufeff", "=1+1\n" * 20, "(0)\ud800: S2\n"]
)
def test_hardly_a_log(text: str):
    tables_of(text)


def test_names_that_mean_something_elsewhere(tmp_path: Path, texts: list[str]):
    """Markup, formulas, control and bidirectional characters, empty names: kept as they are, letter by letter."""
    heads = sorted({line.split(" ")[0] for line in texts[0].split("\n")[1:5]})
    names = ["<script>alert(1)</script>", "=cmd|'/c'!A0", "\u202eevil\u2066", "x" * 300]
    text = texts[0]
    for head, name in zip(heads, names, strict=True):
        text = text.replace(f" {head[3:]}: ", f" {name}: ").replace(head, head[:3] + name)
    path = tmp_path / "1.tch"
    path.write_text(text, encoding="utf-8", newline="\n")
    (game,) = ta.export(path, tmp_path / "data").games.to_arrow().to_pylist()
    assert [game[f"player_{seat}"] for seat in range(4)] == names


HEADERS = (
    "---------------Gr.Tichukarten------------------",
    "---------------Startkarten------------------",
)


def games_row(text: str) -> dict[str, object]:
    builder = Builder(TABLES)
    builder.add(replay(read_game(text.encode(), "1.tch", "1")), "1")
    (row,) = builder.arrow("games").to_pylist()
    return dict(row)


def players(row: dict[str, object]) -> list[object]:
    return [row[f"player_{seat}"] for seat in range(4)]


def one_round(text: str) -> list[str]:
    lines = text.split("\n")
    end = next(index for index, line in enumerate(lines) if line.startswith("Ergebnis:"))
    return lines[: end + 1]


def test_names_of_a_round_without_exchange_do_not_count(texts: list[str]):
    """A first round that breaks off in the deal may name the players in another order."""
    lines = one_round(texts[0])
    heads = [line.split(" ")[0] for line in lines[1:5]]
    names = [head[3:] for head in heads]
    deal = [f"({seat}){names[seat - 1]}{lines[seat + 1][len(heads[seat]) :]}" for seat in range(4)]
    row = games_row("\n".join([HEADERS[0], *deal, *lines, ""]))
    assert players(row) == names
    assert row["n_player_changes"] == 0


def test_a_seat_that_no_line_names_has_no_player(texts: list[str]):
    lines = one_round(texts[0])
    row = games_row("\n".join([*lines[:3], ""]))
    names = [line.split(" ")[0][3:] for line in lines[1:3]]
    assert players(row) == [*names, None, None]
    assert players(games_row("")) == [None] * 4


def test_a_round_cut_in_the_deal_is_no_change_of_players(texts: list[str]):
    lines = one_round(texts[0])
    row = games_row("\n".join([*lines, *lines[:3], *lines, ""]))
    assert row["n_player_changes"] == 0


def test_substitutes_are_counted_once_each(texts: list[str]):
    lines = one_round(texts[0])
    name = lines[1].split(" ")[0][3:]

    def renamed(new: str) -> list[str]:
        return [line.replace(f"(0){name}", f"(0){new}").replace(f" {name}: ", f" {new}: ") for line in lines]

    row = games_row("\n".join([*lines, *renamed("Else"), *renamed("Else"), *renamed(""), *lines, ""]))
    # Away to Else, and back to the first one; the round without a name is neither.
    assert row["n_player_changes"] == 2
    assert players(row)[0] == name


def test_half_a_result_counts_for_neither_team(texts: list[str]):
    """Where the round cannot be replayed to its end and only one of the logged numbers can be read."""
    lines = one_round(texts[0])
    broken = [line for line in lines if not line.startswith("Ergebnis:")][:40]
    found = replay(read_game("\n".join([*broken, "Ergebnis: 5000 - 40", *lines, ""]).encode(), "1.tch", "1"))
    assert found.rounds[0].score is None
    assert found.rounds[0].logged_score == (None, 40)
    assert found.rounds[1].total_before == (0, 0)
