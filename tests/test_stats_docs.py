"""The pages about statistics: their lists are what is declared, and what they show works as it stands."""

from __future__ import annotations

import re
import shlex
from itertools import combinations
from pathlib import Path

import pandas as pd
import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.pages import fences, section, shell, tables
from tests.regenerate_statistics import PAGE, renewed
from tichu_analytics.stats.bases import BASES
from tichu_analytics.stats.groupings import columns_of
from tichu_analytics.stats.registry import SUBJECTS, measures

TEXT = PAGE.read_text(encoding="utf-8")
OWN = (ROOT / "docs" / "own_measures.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the data set and the logs that the pages name."""
    folder = tmp_path_factory.mktemp("pages")
    ta.export([ROOT / "sample_logs" / "games.zip", ROOT / "sample_logs" / "faulty"], folder / "data")
    (folder / "logs.zip").symlink_to(ROOT / "sample_logs" / "games.zip")
    return folder


def test_the_lists_are_those_of_the_declarations() -> None:
    assert renewed(TEXT) == TEXT, "run python -m tests.regenerate_statistics"


def test_proposals_can_be_had() -> None:
    for measure in measures().values():
        assert measure.subject in SUBJECTS
        assert set(measure.by) <= set(columns_of(BASES[measure.base])), measure.name
        assert measure.sentence.endswith(".") and len(measure.sentence) < 120
        assert len(set(measure.by)) == len(measure.by) and not set(measure.by) & set(measure.columns)


def test_commands_of_the_page(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(here)
    (block,) = fences(TEXT, "sh")
    lines = [line.partition("#")[0] for line in block.splitlines()]
    assert len(lines) >= 6
    for line in lines:
        name, verb, *words = shlex.split(line)
        assert name == "tichu"
        if verb != "export":
            assert shell(verb, *words).count("\n") > 3, line


def test_python_of_the_page(here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(here)
    (block,) = fences(TEXT, "python")
    exec(compile(block, "statistics.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "tichu.call_rate" in printed and "'excluded'" in printed


def rows_of_published() -> list[list[str]]:
    return [row for table in tables(section("Published figures", TEXT)) for row in table[1:]]


def test_every_published_figure_has_an_answer_or_says_so(here: Path) -> None:
    """The measures, columns and conditions of that table exist and give figures."""
    data = ta.Dataset(here / "data")
    asked = 0
    for what, answer in rows_of_published():
        assert what and answer
        spans = re.findall(r"`([^`]*)`", answer)
        names = [span.split()[0] for span in spans if span.split()[0] in measures()]
        assert names or "not yet" in answer or not re.search(r"\w\.\w", "".join(spans)), answer
        unknown = [span for span in spans if re.match(r"[a-z]+\.[a-z_]+", span) and span.split()[0] not in names]
        assert not unknown, unknown
        if names:
            text = " ".join(spans)
            by = [name for found in re.findall(r"--by ([a-z0-9_,]+)", text) for name in found.split(",")]
            conditions = re.findall(r'--where "([^"]*)"', text) or [None]
            for condition in conditions:
                frame = ta.stats.compute(data, measures=names, by=by, where=condition)
                assert len(frame), answer
                asked += 1
    assert asked > 40


def test_the_guide_to_own_measures(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The file of the guide works on the command line and in Python alike, and counts what it says."""
    monkeypatch.chdir(here)
    declared, used, of_counts = fences(OWN, "python")
    assert len(declared.splitlines()) <= 35
    (here / "own.py").write_text(declared, encoding="utf-8")
    (block,) = fences(OWN, "sh")
    said = [shell(*shlex.split(line)[1:]) for line in block.splitlines()]
    before = set(measures())
    names: dict[str, object] = {}
    try:
        exec(compile(declared + used, "own_measures.md", "exec"), names)
        assert set(measures()) - before == {"own.first_out_rate", "own.points_of_singles"}
        frame = names["frame"]
        assert isinstance(frame, pd.DataFrame)
        hands = ta.Dataset("data").hands.to_pandas(where="count_rank(held, 'A') >= 2 and call = 'none'")
        counted = hands.groupby("seat")["finish"].agg(["size", lambda finish: (finish == 1).sum()])
        assert frame[["seat", "n", "k"]].astype(int).to_numpy().tolist() == [
            [seat, *pair] for seat, pair in zip(counted.index, counted.to_numpy().tolist(), strict=True)
        ]
        for row in frame.itertuples():
            assert re.search(rf"own.first_out_rate +{row.seat} +{row.n} +{row.k} ", said[0])
        tricks = ta.Dataset("data").tricks.to_pandas(where="kind = 'single'")
        (points,) = ta.stats.compute("data", measures=["own.points_of_singles"]).itertuples()
        assert (points.n, points.k, points.unit) == (len(tricks), tricks["points"].sum(), "points")
        differences = names["differences"]
        assert isinstance(differences, pd.DataFrame) and len(differences)
        dragons = ta.Dataset("data").hands.to_pandas(
            where="count_rank(held, 'A') >= 2 and call = 'none' and has(held, 'Dr')"
        )
        of_aces = dragons.groupby([ta.Hand(held).__and__(0xF << 48).bit_count() for held in dragons["held"]])["finish"]
        wins = {aces: (len(finish), int((finish == 1).sum())) for aces, finish in of_aces}
        assert {(row.aces, row.other_aces) for row in differences.itertuples()} == {*combinations(sorted(wins), 2)}
        for row in differences.itertuples():
            assert ((row.n, row.k), (row.other_n, row.other_k)) == (wins[row.aces], wins[row.other_aces])
        exec(compile(of_counts, "own_measures.md", "exec"), names)
        mine, means = names["frame"], names["means"]
        assert isinstance(mine, pd.DataFrame) and isinstance(means, pd.DataFrame)
        firsts = ta.stats.compute("data", measures=["own.first_out_rate"])
        assert mine.loc[mine["call"] == "none", ["n", "k"]].values.tolist() == firsts[["n", "k"]].values.tolist()
        assert means.loc[means["kind"] == "single", "estimate"].tolist() == [points.estimate]
    finally:
        for name in set(measures()) - before:
            ta.stats.unregister(name)
    assert "own.first_out_rate" in said[1] and "tichu.call_rate" not in said[1]
