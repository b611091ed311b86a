"""The rule sets: which choices each source of the rules makes, and where it says so.

Rule sets are data, one TOML file each beside this module. A file holds the option values in which the set differs
from ``official``, and for every option and every point of play either what the source states, with the place, or that
it is silent. Nothing is read before the first call. ``python -m tichu_analytics.rules.rulesets`` prints the page of
the documentation that describes them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from tichu_analytics.rules.options import OFFICIAL, OPTIONS, Options, make_options, option_value

#: The names in the order in which they are shown.
_NAMES: Final = ("official", "bsw", "dodgr", "booklet", "tichugr", "finnish")

#: Options that do not touch the play, only how a table is drawn.
DRAWING_OPTIONS: Final = ("seat_layout",)


class Statement(NamedTuple):
    """What a rule set's sources say on one topic.

    Attributes:
        topic: name of an option or of a point of play.
        value: what holds under the rule set: the option's value, or the rule of the point.
        stated: whether a source says it; if not, the value is the default of ``official`` (or the common rule).
        place: source and place in it, empty where there is nothing to point to.
        says: what the source says, in English; if not stated, what it says nearby, empty if nothing.
    """

    topic: str
    value: str
    stated: bool
    place: str
    says: str


class Point(NamedTuple):
    """A point of play that is no option: its name, the question, and the rule that holds in every rule set."""

    name: str
    question: str
    rule: str


class RuleSet(NamedTuple):
    """The choices of one source of the rules.

    Attributes:
        name: what ``--rules`` takes.
        title: the source in a word or two.
        description: one sentence.
        sources: what was read, each with the name by which ``Statement.place`` refers to it.
        slips: errors and contradictions in the sources, and how they are read.
        options: the values for the rule functions.
        statements: topic to statement, for every option and then every point of play.
    """

    name: str
    title: str
    description: str
    sources: tuple[str, ...]
    slips: tuple[str, ...]
    options: Options
    statements: Mapping[str, Statement]

    def __reduce__(self) -> tuple[Callable[[str], RuleSet], tuple[str]]:
        """A rule set travels to another process by its name."""
        return get_rule_set, (self.name,)

    def option_statements(self) -> tuple[Statement, ...]:
        """The statements on the options, in the order of ``OPTIONS``."""
        return tuple(self.statements[option.name] for option in OPTIONS)

    def point_statements(self) -> tuple[Statement, ...]:
        """The statements on the points of play, in the order of :func:`points_of_play`."""
        return tuple(self.statements[point.name] for point in points_of_play())

    def differences(self) -> dict[str, str]:
        """The options in which the set differs from ``official``, with its values."""
        return {
            option.name: self.statements[option.name].value
            for option in OPTIONS
            if getattr(self.options, option.name) != getattr(OFFICIAL, option.name)
        }


def rule_set_names() -> tuple[str, ...]:
    """The names of all rule sets, ``official`` first."""
    return _NAMES


@cache
def get_rule_set(name: str) -> RuleSet:
    """The rule set of that name, read when first asked for.

    Raises:
        ValueError: if there is no such rule set; the message lists the names.
    """
    if name not in _NAMES:
        raise ValueError(f"there is no rule set {name!r}; the rule sets are {', '.join(_NAMES)}")
    return _build(_read(name))


@cache
def points_of_play() -> tuple[Point, ...]:
    """The points on which sources are stated or silent although the rule is the same in every rule set."""
    return tuple(Point(entry["name"], entry["question"], entry["rule"]) for entry in _read("points")["point"])


def differing_options() -> dict[str, dict[str, str]]:
    """The options on which the rule sets differ: option name to the value of each rule set by its name."""
    sets = [get_rule_set(name) for name in _NAMES]
    table = {option.name: {rules.name: rules.statements[option.name].value for rules in sets} for option in OPTIONS}
    return {name: values for name, values in table.items() if len(set(values.values())) > 1}


def questions() -> dict[str, str]:
    """Topic to the question behind it, for every option and point of play."""
    asked = {option.name: option.question for option in OPTIONS}
    return asked | {point.name: point.question for point in points_of_play()}


def _read(stem: str) -> dict[str, Any]:
    import tomllib

    # Looking for a file of the package through importlib.resources takes longer than checking a game.
    with open(os.path.join(os.path.dirname(__file__), "rulesets", f"{stem}.toml"), "rb") as file:  # noqa: PTH118, PTH120, PTH123
        return tomllib.load(file)


def _build(data: Mapping[str, Any]) -> RuleSet:
    """Makes a rule set of its file.

    Raises:
        ValueError: for a topic that is missing, unknown or said twice, or an option value that does not exist.
    """
    name = data["name"]
    options = make_options(data["options"])
    stated, remarks, silent = data.get("stated", {}), data.get("remark", {}), data["silent"]
    topics = [option.name for option in OPTIONS] + [point.name for point in points_of_play()]
    given = [*stated, *remarks, *silent]
    faults = sorted(set(topics) ^ set(given)) + sorted(topic for topic in set(given) if given.count(topic) > 1)
    if faults:
        raise ValueError(f"rule set {name}: each topic must be dealt with exactly once: {', '.join(faults)}")
    rules = {point.name: point.rule for point in points_of_play()}
    statements = {}
    for topic in topics:
        entry = stated.get(topic) or remarks.get(topic) or {"place": "", "says": ""}
        value = rules[topic] if topic in rules else str(option_value(options, topic))
        statements[topic] = Statement(topic, value, topic in stated, entry["place"], entry["says"])
    return RuleSet(
        name=name,
        title=data["title"],
        description=data["description"],
        sources=tuple(data["sources"]),
        slips=tuple(data["slips"]),
        options=options,
        statements=MappingProxyType(statements),
    )


def default_note(rules: RuleSet, statement: Statement) -> str:
    """What holds where the sources are silent, in a few words; empty for what is stated."""
    if statement.stated:
        return ""
    if statement.topic in {point.name for point in points_of_play()}:
        return "silent; the common rule holds"
    if statement.topic in rules.differences():
        return "silent"
    return "silent; default" if rules.name == "official" else "silent; as in official"


def difference_sentence(rules: RuleSet) -> str:
    """In which options a set differs from ``official``, those for drawing only told apart."""
    differing = rules.differences()
    play, drawing = (
        ", ".join(f"{name}={value}" for name, value in differing.items() if (name in DRAWING_OPTIONS) == is_drawing)
        for is_drawing in (False, True)
    )
    return f"Differs from official in: {play or 'nothing in the play'}" + (
        f"; for drawing, {drawing}" if drawing else ""
    )


def set_as_markdown(rules: RuleSet) -> str:
    """One rule set as a section of Markdown: sources, slips, and every topic with its place."""
    asked = questions()
    lines = [f"## {rules.name}: {rules.title}", "", rules.description, "", "Sources:", ""]
    lines += [f"- {source}" for source in rules.sources]
    if rules.slips:
        lines += ["", "Slips in the sources, and how they are read:", ""]
        lines += [f"- {slip}" for slip in rules.slips]
    if rules.name != "official":
        lines += ["", f"{difference_sentence(rules)}."]
    for heading, statements in (("Options", rules.option_statements()), ("Points of play", rules.point_statements())):
        lines += ["", f"### {heading} under {rules.name}", ""]
        lines += ["| question | value | where | what it says |", "|---|---|---|---|"]
        for said in statements:
            where = said.place if said.stated else "; ".join(filter(None, (default_note(rules, said), said.place)))
            value = f"`{said.value}`" if heading == "Options" else said.value
            lines.append(f"| `{said.topic}`: {asked[said.topic]} | {value} | {where} | {said.says} |")
    return "\n".join(lines) + "\n"


def overview_as_markdown() -> str:
    """The list of the rule sets and the table of the options on which they differ, as Markdown."""
    lines = ["| rule set | what it is |", "|---|---|"]
    lines += [f"| `{name}` | {get_rule_set(name).title}. {get_rule_set(name).description} |" for name in _NAMES]
    lines += ["", f"| option | {' | '.join(_NAMES)} |", "|---" * (len(_NAMES) + 1) + "|"]
    lines += [f"| `{option}` | {' | '.join(values.values())} |" for option, values in differing_options().items()]
    return "\n".join(lines) + "\n"


def as_markdown() -> str:
    """The whole page on the rule sets, as it stands in the documentation."""
    intro = (
        "# Rule sets\n\n"
        "Sources of Tichu's rules differ in some points and are silent on many. A rule set chooses one value for each\n"
        "such point (an option). Only what its sources state is set; where they are silent, the value of `official`\n"
        "holds. Points of play are no options: the rule is the same in every set, but it is shown which source\n"
        "states it. `seat_layout` is used for drawing only and never decides what is legal.\n\n"
        'A note on "silent" rows: a place there is where the source comes nearest to the question.\n\n'
        "This page is made with `python -m tichu_analytics.rules.rulesets`.\n\n"
        "## Overview\n\n"
    )
    return intro + overview_as_markdown() + "\n" + "\n".join(set_as_markdown(get_rule_set(name)) for name in _NAMES)


if __name__ == "__main__":
    print(as_markdown(), end="")
