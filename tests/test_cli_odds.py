"""The odds as a user meets them: the verb, the functions in Python, the page, and recorded games beside them."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections import defaultdict
from fractions import Fraction
from itertools import permutations
from math import comb, sqrt
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.dataset as ds
import pytest

import tichu_analytics as ta
from tests import regenerate_odds
from tests.conftest import ROOT
from tests.exporting import tichu
from tests.pages import fences, tables
from tests.second_stats.base import interval
from tichu_analytics.rules.cards import DECK, DRAGON_MASK
from tichu_analytics.stats import observed as module
from tichu_analytics.stats import odds
from tichu_analytics.stats.classes import CLASSES
from tichu_analytics.stats.observed import observed
from tichu_cli.odds import one_in, percent

PAGE = (ROOT / "docs" / "odds.md").read_text(encoding="utf-8")

BOMBS_OF_EIGHT = """\
Bombs (first 8 cards of a hand)
event                                        %     one in                          k of n
a bomb                                 0.29776        336      4,229,667 of 1,420,494,075
four of a kind                         0.24776        404      3,519,347 of 1,420,494,075
straight flush                        0.050018      1,999        710,500 of 1,420,494,075
four of a kind and straight flush  0.000012672  7,891,634            180 of 1,420,494,075
no bomb                                 99.702       1.00  1,416,264,408 of 1,420,494,075
exactly 1 bomb                         0.29774        336      4,229,409 of 1,420,494,075
exactly 2 bombs                    0.000018163  5,505,791            258 of 1,420,494,075

Bombs (first 8 cards of two partners)
"""


def find(event: str, cards: int, who: str = "hand", subject: str | None = None) -> odds.Odds:
    (found,) = [row for row in odds.exact(subject, cards) if row.event == event and row.who == who]
    return found


# In Python ------------------------------------------------------------------------------------------------------------


def test_the_known_figure_is_not_reduced() -> None:
    bomb = find("a bomb", 8)
    assert (bomb.k, bomb.n, bomb.fraction) == (4_229_667, 1_420_494_075, "4229667/1420494075")
    assert bomb.probability == 4_229_667 / 1_420_494_075
    assert bomb.one_in == pytest.approx(335.84, abs=0.005)


@pytest.mark.parametrize(
    ("event", "cards", "published"),
    [
        ("no ace, no special card", 8, 26.56463),
        ("an ace and the Dragon or Phoenix, or both of these", 8, 12.690),
        ("the same, and the Dog or Mah Jong", 8, 2.787),
        ("two aces and the Dragon or Phoenix, or an ace and both", 8, 2.622),
    ],
)
def test_published_exact_figures(event: str, cards: int, published: float) -> None:
    digits = len(str(published).partition(".")[2])
    assert round(100 * find(event, cards).probability, digits) == published


def test_figures_that_are_easily_worked_out() -> None:
    for cards in odds.SIZES:
        n = comb(56, cards)
        assert Fraction(find("the Dragon", cards).k, n) == Fraction(cards, 56)
        assert find("4 aces", cards).k == comb(52, cards - 4)
        assert find("no special card", cards).k == comb(52, cards)
        assert find("Dragon and Phoenix", cards).k == comb(54, cards - 2)
        assert find("2 aces, Dragon, Mah Jong", cards).k == comb(4, 2) * comb(48, cards - 4)
    # Mah Jong to ace in suits as one likes, and that without the ace is no straight of 14.
    assert find("Phoenix left aside: longest of 14 cards", 14).k == 4**13
    # From the two, three, ... seven on in each suit; eight cards have nothing longer.
    assert find("longest of 8 cards", 8, subject="flushes").k == 4 * 6


def test_what_excludes_one_another_adds_up_to_all() -> None:
    groups = defaultdict(list)
    for row in odds.exact():
        words = row.event.replace("exactly ", "").split(" ")
        if row.odds in ("flushes", "categories", "aces"):
            groups[row.odds, row.who, row.cards, ""].append(row)
        elif row.odds == "straights" and not row.event.endswith("a straight"):
            groups[row.odds, row.who, row.cards, row.event.partition(":")[0]].append(row)
        elif words[0] == "no" or words[0].isdigit():
            groups[row.odds, row.who, row.cards, words[1].rstrip("s")].append(row)
    # Per number of cards: bombs of a hand, of team and table, flushes, two of straights, three of groups, and so on.
    assert len(groups) == 2 * (1 + 2 + 1 + 2 + 3 + 1 + 1 + 1 + 1)
    for key, rows in groups.items():
        assert sum(row.k for row in rows) == rows[0].n, key
        assert len({row.n for row in rows}) == 1


def test_every_figure_is_there_once_and_can_be() -> None:
    rows = odds.exact()
    assert len({(row.odds, row.who, row.cards, row.event) for row in rows}) == len(rows) == 335
    assert all(0 < row.k < row.n for row in rows)
    assert [row.odds for row in rows] == sorted((row.odds for row in rows), key=list(odds.SUBJECTS).index)
    assert len(odds.exact("categories", 8)) == 80
    assert [row for row in rows if row.odds == "high" and row.cards == 14] == odds.exact("high", 14)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("bomb",), "no odds of 'bomb'; the subjects are bombs, flushes, "),
        (("bombs", 9), "no odds of 9 cards"),
    ],
)
def test_what_there_is_not(arguments: tuple, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        odds.exact(*arguments)
    with pytest.raises(ValueError, match=message):
        odds.frame(*arguments)


def test_a_frame() -> None:
    rows = odds.exact("bombs")
    made = odds.frame("bombs")
    assert list(made) == ["odds", "who", "cards", "event", "k", "n", "fraction", "probability"]
    assert made[["odds", "who", "cards", "event", "k", "n"]].values.tolist() == [list(row) for row in rows]
    assert made["k"].map(type).unique().tolist() == [int]
    assert made["probability"].dtype == "float64"
    assert made["fraction"].tolist() == [row.fraction for row in rows]


def test_the_odds_need_nothing_heavy() -> None:
    code = """
import io, sys
from tichu_cli.main import run
from tichu_analytics.stats import odds
heavy = ("numpy", "pandas", "pyarrow", "duckdb", "numba", "rich")
odds.exact()
sys.argv, sys.stdout, kept = ["tichu", "odds", "aces"], io.StringIO(), sys.stdout
try:
    run()
except SystemExit:
    print([name for name in heavy if name in sys.modules], file=kept)
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert result.stdout == "[]\n"


# The verb -------------------------------------------------------------------------------------------------------------


def test_a_table() -> None:
    result = tichu("odds", "bombs", "--cards", 8)
    assert (result.returncode, result.stderr) == (0, "")
    assert result.stdout.startswith(BOMBS_OF_EIGHT)
    assert result.stdout.count("\n\n") == 2


def test_json_lines() -> None:
    result = tichu("odds", "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert lines[0] == {
        "odds": "bombs",
        "who": "hand",
        "cards": 8,
        "event": "a bomb",
        "fraction": "4229667/1420494075",
        "probability": 4229667 / 1420494075,
    }
    assert [(one["odds"], one["who"], one["cards"], one["event"], one["fraction"]) for one in lines] == [
        (row.odds, row.who, row.cards, row.event, row.fraction) for row in odds.exact()
    ]
    assert all(one["probability"] == float(Fraction(one["fraction"])) for one in lines)


def test_csv_has_the_same() -> None:
    as_json = [json.loads(line) for line in tichu("odds", "straights", "--format", "json").stdout.splitlines()]
    text = tichu("odds", "straights", "--format", "csv").stdout
    as_csv = list(csv.DictReader(io.StringIO(text)))
    assert list(as_csv[0]) == list(as_json[0])
    for one, other in zip(as_csv, as_json, strict=True):
        assert one == {name: str(value) for name, value in other.items() if name != "probability"} | {
            "probability": one["probability"]
        }
        assert float(one["probability"]) == other["probability"]


def test_markdown_has_a_heading_and_a_table_for_each_part() -> None:
    text = tichu("odds", "aces", "--format", "markdown").stdout
    assert [line for line in text.splitlines() if line.startswith("#")] == [
        "## Aces (first 8 cards of a hand)",
        "## Aces (14 cards of a hand)",
    ]
    first, _ = tables(text)
    assert first[:2] == [
        ["event", "%", "one in", "k of n"],
        ["no ace", "52.977", "1.89", "752,538,150 of 1,420,494,075"],
    ]


def test_the_help_names_every_subject() -> None:
    text = " ".join(tichu("odds", "--help").stdout.split())
    subjects = list(odds.SUBJECTS)
    assert f"{', '.join(subjects[:-1])} or {subjects[-1]}" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["bomb"], "tichu: there are no odds of 'bomb'; the subjects are bombs"),
        (["\x1b[2J"], r"there are no odds of '\x1b[2J'"),
        (["--cards", "9"], "'9' is not one of"),
        (["--data", "nowhere"], "tichu: nowhere is no data set"),
    ],
)
def test_wrong_use(arguments: list[str], message: str) -> None:
    result = tichu("odds", *arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_numbers_for_reading() -> None:
    assert [percent(*one) for one in ((0, 5), (1, 4), (1, 3), (1, 1000), (1, 3_000_000), (999_999, 10**6))] == [
        "0",
        "25.000",
        "33.333",
        "0.10000",
        "0.000033333",
        "100.000",
    ]
    assert [one_in(*one) for one in ((1, 2), (2, 3), (1, 99), (1, 100), (3, 1_000_000))] == [
        "2.00",
        "1.50",
        "99.00",
        "100",
        "333,333",
    ]


# Recorded games -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    return ta.export(ROOT / "sample_logs" / "games.zip", tmp_path_factory.mktemp("odds") / "data", tables=["hands"])


def test_observed_figures_are_those_of_questions_in_sql(data: ta.Dataset) -> None:
    events = odds.exact_events()
    seen = {
        (row.who, row.cards, row.event): one for (_, row), one in zip(events, observed(data, events).rows, strict=True)
    }
    round_ = "select game_id, round, {} as one from hands group by all"
    for who, cards, event, sql in (
        ("hand", 8, "a bomb", "select bombs(first8) > 0 as one from hands"),
        ("hand", 14, "a bomb", "select dealt_bomb as one from hands"),
        ("hand", 14, "exactly 2 bombs", "select bombs(dealt) = 2 as one from hands"),
        ("hand", 14, "2 aces", "select count_rank(dealt, 'A') = 2 as one from hands"),
        ("hand", 8, "Dragon and Phoenix", "select has(first8, 'Dr Ph') as one from hands"),
        ("hand", 8, "1 ace, Dog", "select has(first8, 'Do') and count_rank(first8, 'A') = 1"
         " and not has(first8, 'Ma') and not has(first8, 'Ph') and not has(first8, 'Dr') as one from hands"),
        ("table", 14, "a bomb", round_.format("bool_or(dealt_bomb)")),
        ("table", 14, "2 hands with a bomb", round_.format("count(*) filter (dealt_bomb) = 2")),
        ("team", 14, "a bomb", "select game_id, round, team, bool_or(dealt_bomb) as one from hands group by all"),
    ):  # fmt: skip
        ((k, n),) = data.sql(f"select count(*) filter (one), count(*) from ({sql})").fetchall()
        assert (seen[who, cards, event].k, seen[who, cards, event].n) == (k, n), event
    dragon = seen["hand", 14, "the Dragon"]
    assert (dragon.rate, dragon.standard_errors) == (0.25, None)


def test_observed_figures_round_by_round(data: ta.Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    # Batches that end within a round.
    monkeypatch.setattr(module, "_BATCH", 1001)
    events = odds.exact_events()
    found = observed(data, events)
    by_round = defaultdict(list)
    for row in data.hands.to_arrow(["game_id", "round", "seat", "first8", "dealt"]).to_pylist():
        by_round[row["game_id"], row["round"]].append(row)
    assert (found.rounds, found.without) == (len(by_round), {8: 0, 14: 0})
    errors = []
    for (event, row), seen in zip(events[::7], found.rows[::7], strict=True):
        column = {8: "first8", 14: "dealt"}[row.cards]
        rounds = []
        for hands in by_round.values():
            having = [event.holds(int(CLASSES[event.classes].of(hand[column]))) for hand in hands]
            groups = {"hand": having, "table": [sum(having) in event.hands]}.get(
                event.who, [having[0] + having[2] in event.hands, having[1] + having[3] in event.hands]
            )
            rounds.append(groups)
        n = len(groups) * len(rounds)
        assert (seen.k, seen.n) == (sum(map(sum, rounds)), n)
        ends = interval(np.array([len(groups)] * len(rounds)), np.array([sum(all_) for all_ in rounds]), is_rate=True)
        assert (seen.low, seen.high) == pytest.approx((ends.low, ends.high))
        if seen.standard_errors is not None:
            # Every two hands of a round by themselves, and the variance of each by the odds.
            p = row.probability
            pairs = sum((one - p) * (other - p) for all_ in rounds for one, other in permutations(all_, 2))
            error = (seen.k - n * p) / sqrt(n * p * (1 - p) + pairs)
            assert seen.standard_errors == pytest.approx(error)
            errors.append(seen.standard_errors)
        else:
            assert min(n * row.probability, n - n * row.probability) < 5 or row.event == "the Dragon"
    assert len(errors) > 20
    assert max(map(abs, errors)) < 4  # simulated deals are fair


class Fake:
    """A table of hands in memory."""

    path = Path("fake")

    def __init__(self, rows: list[tuple[int, int, int, int]]) -> None:
        types = (pa.int16(), pa.int8(), pa.int64(), pa.int64())
        columns = [pa.array([row[place] for row in rows], type_) for place, type_ in enumerate(types)]
        self._table = pa.table(columns, ["round", "seat", "first8", "dealt"])

    def table(self, name: str) -> None:
        assert name == "hands"

    def arrow_dataset(self, name: str) -> ds.Dataset:
        assert name == "hands"
        return ds.dataset(self._table)


def deal(round_: int, *, first8: int = 255) -> list[tuple[int, int, int, int]]:
    """Each player has 14 bits in a row; the last one, with Phoenix and Dragon, has a first eight of one's own."""
    hands = [((1 << 14) - 1) << 14 * seat for seat in range(4)]
    return [(round_, seat, hand & 255 << 14 * seat if seat < 3 else first8, hand) for seat, hand in enumerate(hands)]


def test_rounds_without_recorded_first_eight_are_left_out() -> None:
    events = odds.exact_events("specials")
    data = Fake([*deal(1, first8=DRAGON_MASK | 127), *deal(2, first8=0), *deal(3)])
    found = observed(data, events)  # type: ignore[arg-type]
    seen = {(row.cards, row.event): one for (_, row), one in zip(events, found.rows, strict=True)}
    assert (found.rounds, found.without) == (3, {8: 1, 14: 0})
    assert seen[8, "the Dragon"][:2] == (1, 8)
    assert seen[14, "the Dragon"][:2] == (3, 12)
    nothing = observed(Fake([]), events).rows[0]  # type: ignore[arg-type]
    assert (nothing.rate, *nothing) == (None, 0, 0, None, None, None)


@pytest.mark.parametrize("missing", [0, 2, 3, 7])
def test_hands_that_are_not_four_to_a_round(missing: int) -> None:
    rows = [*deal(1), *deal(2)]
    del rows[missing]
    with pytest.raises(ValueError, match="fake is damaged: the table of hands has not four rows for each round"):
        observed(Fake(rows), odds.exact_events("aces"))  # type: ignore[arg-type]
    moved = [(1 if place < 6 else 2, *row[1:]) for place, row in enumerate([*deal(1), *deal(2)])]
    with pytest.raises(ValueError, match="damaged"):
        observed(Fake(moved), odds.exact_events("aces"))  # type: ignore[arg-type]


def test_the_verb_with_a_data_set(data: ta.Dataset, tmp_path: Path) -> None:
    result = tichu("odds", "aces", "--data", data.path, "--format", "json")
    assert (result.returncode, result.stderr) == (0, "")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    frame = odds.frame("aces", data=data)
    assert list(lines[0]) == [
        *("odds", "who", "cards", "event", "fraction", "probability"),
        *("observed_k", "observed_n", "observed_rate", "observed_low", "observed_high", "standard_errors"),
    ]
    assert [one["observed_k"] for one in lines] == frame["observed_k"].tolist()
    assert sum(one["observed_k"] for one in lines if one["cards"] == 8) == lines[0]["observed_n"] == len(data.hands)
    assert [one["standard_errors"] for one in lines] == [
        None if pd.isna(one) else round(one, 4) for one in frame["standard_errors"]
    ]
    table = tichu("odds", "aces", "--data", data.path).stdout.splitlines()
    assert table[1].split("  ")[0] == "event"
    assert table[1].split()[4:9] == ["observed", "%", "95", "%", "interval"]
    assert f"{lines[0]['observed_k']:,} of {len(data.hands):,}" in table[2]
    ta.export(ROOT / "sample_logs" / "1001.tch", tmp_path / "games", tables=["games"])
    no_hands = tichu("odds", "--data", tmp_path / "games")
    assert (no_hands.returncode, no_hands.stdout) == (2, "")
    assert "has no table 'hands'" in no_hands.stderr


# The page -------------------------------------------------------------------------------------------------------------


def test_the_tables_of_the_page() -> None:
    assert regenerate_odds.written() == PAGE, "run: python -m tests.regenerate_odds"


def test_what_the_page_says() -> None:
    subjects, published, *_ = tables(PAGE)
    assert [row[0].strip("`") for row in subjects[1:]] == list(odds.SUBJECTS)
    assert f"all of it, {len(odds.exact())} figures" in PAGE
    assert f"With {len(odds.exact())} figures" in PAGE
    for what, here, _ in published[1:4:2]:
        row = find("no ace, no special card" if what.startswith("no ace") else "a bomb", 8)
        assert f"{100 * row.probability:.5f} %" in here
    assert f"{100 * find('a bomb', 14).probability:.4f} %" == published[2][1]
    for what, here, _ in published[4:]:
        assert f"{100 * find(what, 8).probability:.3f} %" == here
    for size in odds.SIZES:
        assert f"{comb(56, size):,}" in PAGE


def test_the_example_of_the_page(capsys: pytest.CaptureFixture[str]) -> None:
    (example,) = fences(PAGE, "python")
    exec(compile(example, "docs/odds.md", "exec"), {})
    assert capsys.readouterr().out.startswith("hand a bomb 4229667/1420494075 0.00297")


def test_the_deck_of_the_fake_is_whole() -> None:
    assert sum(row[3] for row in deal(1)) == DECK
