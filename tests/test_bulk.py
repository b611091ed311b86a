"""The compiled pass: it says what the careful path says, interpreted and compiled, and it takes nearly all rounds."""

from __future__ import annotations

import os
import random
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.passing import all_kinds_of_games, damaged, log, short, that_do_not_break_off
from tichu_analytics import checking
from tichu_analytics.bulk.choice import Way
from tichu_analytics.checking import CheckedGame, check_inputs
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.sources import Input, Trouble, read_inputs
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.rulesets import get_rule_set
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.faults import FAULTS
from tichu_analytics.simulate.series import Wants, simulate_series

if TYPE_CHECKING:
    from tichu_analytics.bulk.engine import Pass

if os.environ.get("CI") != "true":
    # In CI its absence is a failure, not a reason to skip.
    pytest.importorskip("numba", reason="the compiled pass needs Numba, an extra")

RULES = ("bsw", "official")


def by_pass(function: Pass, logs: Sequence[Input | Trouble], rules: str) -> list[CheckedGame | Trouble]:
    """What the check says of logs if all of them go through a pass."""
    from tichu_analytics.bulk.engine import Engine

    way = Way(get_rule_set(rules).options, "auto")
    way.compiled = Engine(function, way.options)
    found = []
    for one in checking.check_in_order(logs, rules, way):
        assert not isinstance(one, checking.Remark)
        found.append(one)
    return found


def assert_same(function: Pass, logs: Sequence[Input], rules: str) -> None:
    careful = list(check_inputs(logs, rules, "careful"))
    for one, expected in zip(by_pass(function, logs, rules), careful, strict=True):
        assert one == expected, (rules, expected.path)


@pytest.fixture(scope="module")
def games() -> list[str]:
    return all_kinds_of_games()


@pytest.fixture(scope="module")
def whole(games) -> list[str]:
    return that_do_not_break_off(games)


def test_real_logs(compiled_pass, shared: Path):
    logs = [log(path.stem, path.read_bytes()) for path in sorted(shared.glob("*/*.tch"))]
    logs += [log(path.stem, path.read_bytes()) for path in sorted(shared.glob("checks/*/*.tch"))]
    assert len(logs) > 90
    for rules in RULES:
        assert_same(compiled_pass, logs, rules)


def test_sample_logs(compiled_pass, root: Path):
    inputs = list(read_inputs([str(root / "sample_logs")]))
    for rules in RULES:
        assert by_pass(compiled_pass, inputs, rules) == list(check_inputs(inputs, rules, "careful"))


def test_simulated_games(compiled_pass, games):
    logs = [log(str(number), text) for number, text in enumerate(games)]
    for rules in RULES:
        assert_same(compiled_pass, logs, rules)


@pytest.mark.parametrize("kind", FAULTS)
def test_simulated_faults(compiled_pass, kind):
    logs = [log(game.game_id, game.text) for game in simulate_series(2, 11, wants=Wants(faults=(kind,)))]
    for rules in RULES:
        assert_same(compiled_pass, logs, rules)


def test_a_thousand_damaged_logs(compiled_pass, whole):
    rng = random.Random("bulk")
    logs = [log(str(number), damaged(rng, short(rng, rng.choice(whole)))) for number in range(1_000)]
    careful = list(check_inputs(logs, "bsw", "careful"))
    assert by_pass(compiled_pass, logs, "bsw") == careful
    assert sum(bool(one.findings) for one in careful if isinstance(one, CheckedGame)) > 900
    assert_same(compiled_pass, logs[:200], "official")


def test_interpreted_and_compiled_say_the_same(compiled_pass, whole):
    from tichu_analytics.bulk.engine import Engine, interpreted

    rng = random.Random("both")
    logs = [short(rng, rng.choice(whole)).encode("utf-8", "surrogatepass") for _ in range(15)]
    logs += [damaged(rng, one.decode("utf-8", "surrogatepass")) for one in logs for _ in range(3)]
    logs += [b"", b"\n", b"x", logs[0][:-1], logs[0] * 2]
    for rules in RULES:
        options = get_rule_set(rules).options
        fast = Engine(compiled_pass, options).run(logs)
        slow = Engine(interpreted(), options).run(logs)
        assert fast.rounds.tolist() == slow.rounds.tolist()
        assert fast.games.tolist() == slow.games.tolist()
        assert {int(row[4]) < 0 for row in fast.rounds} == {True, False}


def test_nearly_all_legal_rounds_of_an_archive_are_vouched_for(compiled_pass):
    """At the rates of the real archive; of rounds with a note, the numbers are right as well."""
    from tichu_analytics.bulk.engine import Engine
    from tichu_analytics.bulk.layout import R_BEGIN, R_FLAGS, R_LINE, R_SCORE

    texts = [game.text.encode() for game in simulate_series(150, 2, wants=Wants(anomalies=1))]
    passed = Engine(compiled_pass, get_rule_set("bsw").options).run(texts)
    legal = silent = known = 0
    first = passed.games[:, 0].tolist()
    for number, text in enumerate(texts):
        begin, count = first[number], int(passed.games[number, 1])
        rows = {int(row[R_LINE]) + 1: row for row in passed.rounds[begin : begin + count]}
        assert all(int(row[R_BEGIN]) >= 0 for row in rows.values())
        for one in replay(read_game(text, "", "")).rounds:
            row = rows.get(one.first_line)
            if row is not None and row[R_FLAGS] >= 0:
                assert one.legal
                assert (bool(row[R_FLAGS] == 0)) == (not one.findings or one.findings[0].name == "played-on")
                assert tuple(row[R_SCORE : R_SCORE + 2].tolist()) == one.score
            if one.legal:
                legal += 1
                known += row is not None and bool(row[R_FLAGS] >= 0)
                silent += row is not None and bool(row[R_FLAGS] == 0)
    assert legal > 1_000
    assert silent >= 0.99 * legal
    assert known >= 0.999 * legal


def changed(text: str) -> dict[str, tuple[bytes, str]]:
    """A game written in other ways, each with what is known of the file: clean, in parts, or odd as a whole."""
    header = "---------------Gr.Tichukarten------------------\n"
    first, second, *others = text.split(header)[1:]
    name = first.split("\n", 1)[0].split(" ")[0][3:]
    assert name
    lines = first.split("\n")
    shuffled = [lines[0].split(" ")[0], *reversed(lines[0].split(" ")[1:9]), ""]
    many = header + first + header + second.replace(name, "Jörund\u00a0") + "".join(header + one for one in others)
    ways = {
        "as it is": (text, "clean"),
        "without trailing blanks": ("\n".join(line.rstrip(" ") for line in text.split("\n")), "clean"),
        "blank lines between rounds": (text.replace(header, "\n  \n" + header).lstrip("\n "), "clean"),
        "another player from the second round on": (many, "clean"),
        "a name of a hundred bytes": (text.replace(name, "x" * 100), "clean"),
        "no name": (text.replace(name, ""), "clean"),
        "another order of the first eight": (text.replace(lines[0], " ".join(shuffled), 1), "clean"),
        "a name that is too long": (text.replace(name, "x" * 600), "parts"),
        "another name in the deal": (text.replace(name, "nobody", 1), "parts"),
        "no end of line": (text[:-1], "parts"),
        "a round too many": (text + text, "parts"),
        "a line after the result": (text.replace(header, "x\n" + header)[2:], "parts"),
        "control characters": (text.replace(name, name + "\u0085", 1), "odd"),
        "carriage returns": (text.replace("\n", "\r\n"), "odd"),
        "a byte order mark": ("\ufeff" + text, "odd"),
        "another beginning": ("\n" + text, "odd"),
        "nothing": ("", "odd"),
    }
    found = {what: (way.encode(), state) for what, (way, state) in ways.items()}
    found["Latin-1"] = (text.replace(name, "Jörund").encode("latin-1"), "odd")
    return found


def test_other_ways_of_writing(compiled_pass):
    from tichu_analytics.bulk.engine import Engine
    from tichu_analytics.bulk.layout import CLEAN, G_STATE, IN_PARTS, ODD_FILE

    (game,) = simulate_games(1, 21)
    ways = changed(game.text)
    states = Engine(compiled_pass, get_rule_set("bsw").options).run([data for data, _ in ways.values()]).games
    names = {CLEAN: "clean", IN_PARTS: "parts", ODD_FILE: "odd"}
    found = {what: names[int(row[G_STATE])] for what, row in zip(ways, states, strict=True)}
    assert found == {what: state for what, (_, state) in ways.items()}
    assert_same(compiled_pass, [log(what, data) for what, (data, _) in ways.items()], "bsw")
