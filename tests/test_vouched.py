"""The tables that the compiled pass fills: cell by cell, and as files byte by byte, those of the careful path."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from tests.exporting import tichu, tree
from tests.passing import all_kinds_of_games, damaged, log, short, that_do_not_break_off
from tichu_analytics.bulk import layout
from tichu_analytics.formats.registry import read_input
from tichu_analytics.formats.sources import Input, read_inputs
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.rules.scoring import GRAND_TICHU, NO_CALL, TICHU
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.faults import FAULTS
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.tables.build import Builder, Tally
from tichu_analytics.tables.schema import CALLS, MOMENTS, READINGS, TABLES

if os.environ.get("CI") != "true":
    # In CI its absence is a failure, not a reason to skip.
    pytest.importorskip("numba", reason="the compiled pass needs Numba, an extra")

from tichu_analytics.bulk.engine import Engine, Pass, interpreted
from tichu_analytics.tables.vouched import Filler

RULES = ("bsw", "official")
Tables = dict[str, pa.Table]


def tables_of(builder: Builder) -> Tables:
    return {name: builder.arrow(name) for name in builder.wanted}


def carefully(logs: Sequence[Input], rules: str, names: Sequence[str] = tuple(TABLES)) -> tuple[Tables, Tally]:
    builder = Builder(names)
    for one in logs:
        builder.add(replay(read_input(one), rules), one.game_id)
    return tables_of(builder), builder.tally


def by_pass(
    function: Pass,
    logs: Sequence[Input],
    rules: str,
    names: Sequence[str] = tuple(TABLES),
    careful: Callable[[Input, Builder], None] | None = None,
) -> tuple[Tables, Tally]:
    builder = Builder(names)
    options = get_rule_set(rules).options

    def alone(one: Input) -> None:
        if careful is not None:
            careful(one, builder)
        else:
            builder.add(replay(read_input(one), rules), one.game_id)

    filler = Filler(builder, Engine(function, options), rules, options, alone)
    for begin in range(0, len(logs), 50):
        filler.add(logs[begin : begin + 50])
    return tables_of(builder), builder.tally


def assert_same(
    function: Pass, logs: Sequence[Input], rules: str, names: Sequence[str] = tuple(TABLES)
) -> tuple[Tables, Tally]:
    expected, counted = carefully(logs, rules, names)
    found, tally = by_pass(function, logs, rules, names)
    assert found.keys() == expected.keys()
    for name, table in expected.items():
        if not found[name].equals(table):
            assert found[name].num_rows == table.num_rows, name
            for column in table.column_names:
                assert found[name][column].to_pylist() == table[column].to_pylist(), (name, column)
        assert found[name].equals(table), name
    whole, other = vars(tally) | {"engines": None}, vars(counted) | {"engines": None}
    assert whole == other
    assert sum(tally.engines.values()) == tally.rounds == counted.engines["careful"]
    return found, tally


@pytest.fixture(scope="module")
def games() -> list[str]:
    return all_kinds_of_games()


@pytest.fixture(scope="module")
def whole(games) -> list[str]:
    return that_do_not_break_off(games)


def test_words_of_the_pass_are_those_of_the_tables():
    assert (CALLS[NO_CALL], CALLS[TICHU], CALLS[GRAND_TICHU]) == ("none", "tichu", "grand")
    moments = (layout.WITH_EIGHT, layout.BEFORE_EXCHANGE, layout.AFTER_EXCHANGE)
    assert tuple(MOMENTS[moment] for moment in moments) == ("first8", "before_exchange", "after_exchange")
    readings = (layout.ONLY, layout.LATER, layout.HIGHEST)
    assert tuple(READINGS[reading] for reading in readings) == ("only", "later", "highest")


@pytest.mark.parametrize("rules", RULES)
def test_real_logs_and_checks(compiled_pass, shared: Path, rules: str):
    paths = [*sorted(shared.glob("*/*.tch")), *sorted(shared.glob("checks/*/*.tch"))]
    logs = [log(path.stem, path.read_bytes()) for path in paths]
    assert len(logs) > 90
    assert_same(compiled_pass, logs, rules)


def test_sample_logs(compiled_pass, root: Path):
    archive = [one for one in read_inputs([str(root / "sample_logs" / "games.zip")]) if isinstance(one, Input)]
    _, tally = assert_same(compiled_pass, archive, "bsw")
    assert tally.engines["compiled"] > 0.98 * tally.rounds
    loose = [one for one in read_inputs([str(root / "sample_logs" / "faulty")]) if isinstance(one, Input)]
    assert_same(compiled_pass, [one for one in loose if one.format == "bsw"], "bsw")


@pytest.mark.parametrize("rules", RULES)
def test_simulated_games_with_all_that_can_happen(compiled_pass, games, rules: str):
    found, tally = assert_same(compiled_pass, [log(str(number), text) for number, text in enumerate(games)], rules)
    assert tally.engines["compiled"] > 200
    hands, rounds, tricks, moves = (found[name] for name in ("hands", "rounds", "tricks", "moves"))
    # Each of these is filled by the pass in a way of its own, so the games must have them.
    assert set(hands["call_when"].to_pylist()) == {None, *MOMENTS}
    assert set(hands["call_success"].to_pylist()) == {None, True, False}
    assert set(rounds["double_victory"].to_pylist()) == {None, 0, 1}
    assert {None, 0, 1, 2, 3} == set(rounds["wish_seat"].to_pylist()) == set(rounds["wish_fulfilled_seat"].to_pylist())
    assert {None, 0, 1, 2, 3} == set(tricks["dragon_to"].to_pylist()) == set(tricks["winner_seat"].to_pylist())
    readings = {None, "only", "highest", "later"} if rules == "bsw" else {None, "only", "highest"}
    assert set(moves["phoenix_reading"].to_pylist()) == readings
    assert set(moves["out_of_turn"].to_pylist()) == set(moves["bomb"].to_pylist()) == {True, False}


def test_many_seeds(compiled_pass):
    """Other games than those above, a few of each seed."""
    engines: Counter[str] = Counter()
    for seed in range(100, 160):
        wants = Wants(anomalies=seed % 4, abandoned=10 * (seed % 3), odd_names=seed % 2 == 0)
        texts = [game.text for game in (*simulate_series(1, seed, wants=wants), *simulate_games(1, seed))]
        logs = [log(f"{seed}-{number}", text) for number, text in enumerate(texts)]
        _, tally = assert_same(compiled_pass, logs, RULES[seed % 2])
        engines += tally.engines
    assert engines["compiled"] > 1_000 and engines["careful"] > 10


@pytest.mark.parametrize("kind", FAULTS)
def test_simulated_faults(compiled_pass, kind):
    logs = [log(game.game_id, game.text) for game in simulate_series(2, 12, wants=Wants(faults=(kind,)))]
    assert_same(compiled_pass, logs, "bsw")


def test_a_thousand_damaged_logs(compiled_pass, whole):
    rng = random.Random("tables")
    logs = [log(str(number), damaged(rng, short(rng, rng.choice(whole)))) for number in range(1_000)]
    _, tally = assert_same(compiled_pass, logs, "bsw")
    assert tally.engines["compiled"] > 500 and tally.engines["careful"] > 500
    assert len(tally.findings) > 40


def test_interpreted_and_compiled_fill_the_same(compiled_pass, whole):
    rng = random.Random("filled")
    logs = [log(str(number), short(rng, rng.choice(whole))) for number in range(12)]
    for rules in RULES:
        fast, _ = by_pass(compiled_pass, logs, rules)
        slow, tally = by_pass(interpreted(), logs, rules)
        assert fast == slow
        assert tally.engines["compiled"] > 12


def test_legal_rounds_without_the_careful_path(compiled_pass):
    """Nothing of the careful path has a part in the rows of flawless games."""

    def refused(one: Input, builder: Builder) -> None:
        raise AssertionError(f"{one.path} is not vouched for")

    logs = [log(game.game_id, game.text) for game in (*simulate_games(10, 77), *simulate_series(60, 77))]
    expected, _ = carefully(logs, "bsw")
    flawless = [one for one in logs if not replay(read_input(one), "bsw").findings]
    assert len(flawless) == len(logs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("tichu_analytics.tables.vouched.replay_parts", refused)
        found, tally = by_pass(compiled_pass, logs, "bsw", careful=refused)
    assert found == expected
    assert tally.engines.keys() == {"compiled"}


def test_some_tables_only(compiled_pass, games):
    logs = [log(str(number), text) for number, text in enumerate(games[:12])]
    for name in TABLES:
        assert_same(compiled_pass, logs, "bsw", [name])
    assert_same(compiled_pass, logs, "bsw", ["moves", "rounds"])


def test_nobody_takes_the_dragon_of_a_double_victory(compiled_pass):
    """The points of such a trick belong to no seat, whichever way the round goes into the tables."""
    logs = [log(game.game_id, game.text) for game in simulate_series(60, 5)]
    found, _ = assert_same(compiled_pass, logs, "bsw", ["tricks", "hands", "rounds"])
    tricks = found["tricks"].to_pylist()
    assert any(one["taker_seat"] is None and one["winner_seat"] is not None for one in tricks)


def test_a_game_without_an_exchange_has_the_names_of_the_deal(compiled_pass, whole):
    """For every place at which a game of one round may break off."""
    lines = short(random.Random(1), whole[0]).split("\n")
    logs = [log(str(count), "\n".join(lines[:count]) + "\n") for count in range(1, 40)]
    found, _ = assert_same(compiled_pass, logs, "bsw")
    names = found["games"]["player_0"].to_pylist()
    assert names[0] is None and names[3] is not None


def test_rounds_before_between_and_after_those_on_the_careful_path(compiled_pass, whole):
    """Numbers of rounds and totals go on, wherever rounds are left to the careful path."""
    header = "---------------Gr.Tichukarten------------------\n"
    text = max(whole, key=len)
    rounds = text.split(header)[1:]
    logs = []
    for index in range(len(rounds)):
        for damage in ("x\n", "Wunsch:9\n", ""):
            changed = [*rounds]
            at = changed[index].index("Ergebnis")
            changed[index] = changed[index][:at] + damage + (changed[index][at:] if damage else "")
            logs.append(log(f"{index}{damage[:1]}", header + header.join(changed)))
    logs.append(log("twice", text * 2))
    _, tally = assert_same(compiled_pass, logs, "bsw")
    assert tally.engines["compiled"] > tally.engines["careful"]


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_the_command_writes_the_same_files(kept: Path, root: Path, tmp_path: Path, jobs: str):
    env = {"XDG_CACHE_HOME": str(kept)}
    sources = [root / "sample_logs" / name for name in ("games.zip", "faulty", "tgr")]
    for engine in ("careful", "compiled"):
        done = tichu("export", *sources, "--out", tmp_path / engine, "--engine", engine, "--jobs", jobs, env=env)
        assert done.returncode == 0, done.stderr
        assert "compiling" not in done.stderr
    careful, compiled = tree(tmp_path / "careful"), tree(tmp_path / "compiled")
    manifests = [json.loads(files.pop("_dataset.json")) for files in (careful, compiled)]
    assert compiled == careful
    engines = manifests[1]["rounds_by_engine"]
    assert engines["compiled"] > 1_900 and sum(engines.values()) == manifests[1]["rounds"]
    assert manifests[0]["rounds_by_engine"] == {"careful": manifests[0]["rounds"]}
    # What the one has written, the other one need not do again.
    done = tichu("export", *sources, "--out", tmp_path / "compiled", "--engine", "careful", env=env)
    assert "is up to date" in done.stdout


def test_without_numba_the_export_says_so_and_goes_on(root: Path, tmp_path: Path):
    (tmp_path / "numba.py").write_text('raise ImportError("no Numba here")', encoding="utf-8")
    paths = os.pathsep.join((str(tmp_path), str(root), str(root / "cli")))
    env = {"PYTHONPATH": paths, "XDG_CACHE_HOME": str(tmp_path / "cache")}
    log_path = root / "sample_logs" / "1001.tch"
    done = tichu("export", log_path, "--out", tmp_path / "data", "--engine", "compiled", env=env)
    assert done.returncode == 0
    assert "tichu: the compiled engine cannot be used (no Numba here); the work goes on without it\n" in done.stderr
    assert json.loads((tmp_path / "data" / "_dataset.json").read_bytes())["rounds_by_engine"].keys() == {"careful"}
