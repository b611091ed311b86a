"""The rule sets: complete, true to the decisions behind them, and shown in full by ``tichu rules``."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from pathlib import Path

import pytest
import typer
from typer.testing import CliRunner

from tichu_analytics.rules import rulesets
from tichu_analytics.rules.options import OFFICIAL, OPTIONS, option_value
from tichu_analytics.rules.rulesets import RuleSet, get_rule_set, points_of_play, rule_set_names

NAMES = ("official", "bsw", "dodgr", "booklet", "tichugr", "finnish")

#: In what each set differs from ``official``, seat_layout apart.
DIFFERENCES = {
    "official": {},
    "bsw": {
        "phoenix_ambiguity": "bsw_lazy",
        "wish_bomb_in_turn": "allow",
        "late_tichu": "warn_next_line",
        "tie_at_target": "draw",
    },
    "dodgr": {},
    "booklet": {},
    "tichugr": {"wish_held_as_bomb": "must_bomb", "bomb_first_play": "forbid"},
    "finnish": {},
}

SEATS = {
    "official": "to_the_right",
    "bsw": "to_the_right",
    "dodgr": "unstated",
    "booklet": "unstated",
    "tichugr": "to_the_right",
    "finnish": "to_the_left",
}

#: Which source each set rests on; every place must name one of them.
SOURCES = {
    "official": r"pocket rules|German FAQ|English FAQ|publisher's FAQ|Rio Grande|Fuegi",
    "bsw": r"logs|statistics|help page",
    "dodgr": r"seed 00[02]",
    "booklet": r"seed 001",
    "tichugr": r"seed 003",
    "finnish": r"seed 004",
}

#: What a set's sources do and do not state, where that was settled.
STATED = {
    "dodgr": ({"tichu_with_8_cards", "pass_and_out", "target"}, {"both_over_target", "dog_partner_out", "bomb_on_dog"}),
    "booklet": (
        {"dog_partner_out", "wish_within_type", "wish_phoenix_straight", "both_over_target"},
        {"bomb_on_dog", "seat_layout", "dragon_bombed"},
    ),
    "tichugr": (
        {"wish_held_as_bomb", "bomb_first_play", "bomb_on_dog", "seat_layout"},
        {"wish_later_tricks", "dog_partner_out", "stairs_minimum", "double_victory_end", "both_over_target"},
    ),
    "finnish": ({"pass_and_out", "seat_layout", "phoenix_led", "dog_partner_out"}, {"both_over_target", "bomb_on_dog"}),
}


@pytest.fixture(params=NAMES)
def rules(request: pytest.FixtureRequest) -> RuleSet:
    return get_rule_set(request.param)


def test_names():
    assert rule_set_names() == NAMES


def test_values_of_options_by_name() -> None:
    assert option_value(OFFICIAL, "bomb_on_dog") == "forbid" and option_value(OFFICIAL, "target") == 1000
    for name in ("bomb_on_cat", "count", ""):
        with pytest.raises(ValueError, match="there is no option"):
            option_value(OFFICIAL, name)


def test_every_topic_has_a_statement(rules: RuleSet):
    topics = [option.name for option in OPTIONS] + [point.name for point in points_of_play()]
    assert list(rules.statements) == topics
    assert all(said.topic == topic for topic, said in rules.statements.items())


def test_values_are_those_of_the_options(rules: RuleSet):
    for said in rules.option_statements():
        assert said.value == str(option_value(rules.options, said.topic))
    for option in OPTIONS:
        assert not option.values or 0 <= getattr(rules.options, option.name) < len(option.values)


def test_differences_from_official(rules: RuleSet):
    assert rules.differences() == DIFFERENCES[rules.name] | (
        {"seat_layout": SEATS[rules.name]} if SEATS[rules.name] != "to_the_right" else {}
    )
    assert rules.statements["seat_layout"].value == SEATS[rules.name]


def test_official_has_the_defaults():
    assert get_rule_set("official").options == OFFICIAL


def test_what_is_not_stated_keeps_the_default(rules: RuleSet):
    for said in rules.option_statements():
        if not said.stated and said.topic not in rulesets.DRAWING_OPTIONS:
            assert getattr(rules.options, said.topic) == getattr(OFFICIAL, said.topic), said.topic


def test_statements_have_a_place_in_the_sources_of_the_set(rules: RuleSet):
    for said in rules.statements.values():
        assert bool(said.place) == bool(said.says), said.topic
        assert said.place or not said.stated, said.topic
        if said.place:
            assert re.search(SOURCES[rules.name], said.place), said
            assert {*re.findall(r"seed \d+", said.place)} <= {*re.findall(r"seed \d+", " ".join(rules.sources))}


@pytest.mark.parametrize("name", STATED)
def test_what_is_stated_and_what_is_silent(name: str):
    statements = get_rule_set(name).statements
    stated, silent = STATED[name]
    assert {topic for topic in stated if not statements[topic].stated} == set()
    assert {topic for topic in silent if statements[topic].stated} == set()


def test_slips_of_the_sources_are_noted():
    for name, word in (("booklet", "ten"), ("tichugr", "66778899JJ"), ("dodgr", "1-2"), ("finnish", "clockwise")):
        assert any(word in slip for slip in get_rule_set(name).slips), name


def test_unknown_name_lists_the_names():
    with pytest.raises(ValueError, match="official, bsw, dodgr, booklet, tichugr, finnish"):
        get_rule_set("house")


def test_a_rule_set_is_read_once_and_survives_pickling(rules: RuleSet):
    assert get_rule_set(rules.name) is rules
    assert pickle.loads(pickle.dumps(rules)) is rules


def _without(topic: str) -> dict[str, object]:
    data = rulesets._read("booklet")
    data["silent"].remove(topic)
    return data


def test_a_file_with_a_gap_is_refused():
    with pytest.raises(ValueError, match=r"booklet.*lower_limit"):
        rulesets._build(_without("lower_limit"))


def test_a_file_that_says_a_topic_twice_is_refused():
    data = rulesets._read("booklet")
    data["silent"].append("target")
    with pytest.raises(ValueError, match="target"):
        rulesets._build(data)


def test_a_file_with_an_unknown_topic_or_value_is_refused():
    data = rulesets._read("booklet")
    data["silent"].append("weather")
    with pytest.raises(ValueError, match="weather"):
        rulesets._build(data)
    data = rulesets._read("booklet") | {"options": {"bomb_on_dog": "perhaps"}}
    with pytest.raises(ValueError, match="perhaps"):
        rulesets._build(data)


def test_nothing_is_read_on_import(root: Path):
    code = (
        "from tichu_analytics.rules import rulesets\n"
        "print(rulesets.get_rule_set.cache_info().currsize, rulesets.points_of_play.cache_info().currsize)"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout == "0 0\n"


def test_the_page_of_the_documentation_is_up_to_date(root: Path):
    page = root / "docs" / "rule_sets.md"
    assert page.read_text(encoding="utf-8") == rulesets.as_markdown(), (
        "run: python -m tichu_analytics.rules.rulesets > docs/rule_sets.md"
    )


# The command.


@pytest.fixture(scope="module")
def app() -> typer.Typer:
    from tichu_cli.rules import command

    app = typer.Typer()
    app.command()(command)
    return app


def test_the_list_has_every_set_and_every_difference(app: typer.Typer):
    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for name in NAMES:
        assert any(line.split()[:1] == [name] and get_rule_set(name).description in line for line in lines)
    rows = {line.split()[0]: line.split()[1:] for line in lines if line}
    assert rows["option"] == list(NAMES)
    expected = {option for values in DIFFERENCES.values() for option in values} | {"seat_layout"}
    for option in expected:
        official = str(option_value(OFFICIAL, option))
        assert rows[option] == [
            SEATS[name] if option == "seat_layout" else DIFFERENCES[name].get(option, official) for name in NAMES
        ]
    assert rows.keys() & {option.name for option in OPTIONS} == expected


def test_a_set_is_shown_option_by_option(app: typer.Typer, rules: RuleSet):
    result = CliRunner().invoke(app, [rules.name])
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    for said in rules.statements.values():
        (line,) = (line for line in lines if line.startswith(said.topic + " "))
        assert said.value in line
        assert said.place in line
        assert said.says in line
        assert ("stated" if said.stated else "silent") in line[len(said.topic) :]
        assert said.stated or not re.search(r"  stated  ", line)
    for text in (*rules.sources, *rules.slips):
        assert text in result.stdout


def test_json(app: typer.Typer, rules: RuleSet):
    listed = json.loads(CliRunner().invoke(app, ["--format", "json"]).stdout)
    assert [entry["name"] for entry in listed["rule_sets"]] == list(NAMES)
    assert listed["differences"]["tie_at_target"]["bsw"] == "draw"
    shown = json.loads(CliRunner().invoke(app, [rules.name, "--format", "json"]).stdout)
    assert [said["topic"] for said in shown["options"]] == [option.name for option in OPTIONS]
    assert shown["options"] + shown["points_of_play"] == [said._asdict() for said in rules.statements.values()]
    assert shown["differs_from_official"] == rules.differences()


def test_markdown(app: typer.Typer, rules: RuleSet):
    assert CliRunner().invoke(app, [rules.name, "--format", "markdown"]).stdout == rulesets.set_as_markdown(rules)
    assert CliRunner().invoke(app, ["--format", "markdown"]).stdout == rulesets.overview_as_markdown()


def test_markdown_tables_are_not_broken_by_their_texts():
    for line in rulesets.as_markdown().splitlines():
        if line.startswith("| `") and ": " in line:
            assert line.count("|") == 5, line


def test_a_terminal_gets_all_of_it_too(app: typer.Typer, rules: RuleSet, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("tichu_cli.rules._is_terminal", lambda: True)
    monkeypatch.setenv("COLUMNS", "72")
    shown = re.sub(r"\s", "", CliRunner().invoke(app, [rules.name]).stdout)
    listed = CliRunner().invoke(app, []).stdout
    for said in rules.statements.values():
        assert said.topic in shown
    assert max(map(len, listed.splitlines()[-14:-2])) <= 72
    assert "bsw_lazy (bsw)" in listed
    assert "…" not in shown + listed


def test_an_unknown_set_is_wrong_use(app: typer.Typer):
    result = CliRunner().invoke(app, ["house\u202e"])
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "finnish" in result.stderr
    assert "\u202e" not in result.stderr
