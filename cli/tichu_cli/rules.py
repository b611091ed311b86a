"""``tichu rules``: the rule sets, the points on which they differ, and what the source of each says."""

from __future__ import annotations

import enum
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from tichu_cli.listing import is_terminal, print_table, terminal_width, widths

if TYPE_CHECKING:
    from tichu_analytics.rules.rulesets import RuleSet, Statement


class Format(enum.StrEnum):
    """What the rule sets are printed as."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def command(
    name: Annotated[
        str | None,
        typer.Argument(metavar="[NAME]", help="A rule set, such as bsw; none for a list of all and their differences."),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TEXT,
) -> None:
    """List the rule sets, or show what the source of one says, point by point.

    Example: tichu rules finnish
    """
    from tichu_analytics.rules.rulesets import get_rule_set

    if name is None:
        _print_list(output)
        return
    try:
        rules = get_rule_set(name)
    except ValueError as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(2) from None
    _print_set(rules, output)


def _print_list(output: Format) -> None:
    """All rule sets with a line each, and the options on which they differ."""
    from tichu_analytics.rules.rulesets import differing_options, get_rule_set, overview_as_markdown, rule_set_names

    if output is Format.MARKDOWN:
        typer.echo(overview_as_markdown(), nl=False)
        return
    sets = [get_rule_set(name) for name in rule_set_names()]
    differing = differing_options()
    if output is Format.JSON:
        _print_json(
            {
                "rule_sets": [
                    {"name": rules.name, "title": rules.title, "description": rules.description} for rules in sets
                ],
                "differences": differing,
            }
        )
        return
    _print_table("", ("rule set", "what it is"), [(rules.name, rules.description) for rules in sets])
    typer.echo()
    head: tuple[str, ...] = ("option", *rule_set_names())
    rows: list[tuple[str, ...]] = [(option, *values.values()) for option, values in differing.items()]
    if _is_terminal() and sum(widths(head, rows)) + 4 * len(head) > terminal_width():
        head = ("option", "official", "elsewhere")
        rows = [(option, values["official"], _elsewhere(values)) for option, values in differing.items()]
    _print_table("Where they differ", head, rows)
    typer.echo("\n'tichu rules NAME' shows what the source of a rule set says, option by option.")


def _print_set(rules: RuleSet, output: Format) -> None:
    """One rule set: its sources, and every option and point of play with the place where it is stated."""
    from tichu_analytics.rules.rulesets import difference_sentence, set_as_markdown

    if output is Format.MARKDOWN:
        typer.echo(set_as_markdown(rules), nl=False)
        return
    if output is Format.JSON:
        _print_json(
            {
                "name": rules.name,
                "title": rules.title,
                "description": rules.description,
                "sources": rules.sources,
                "slips": rules.slips,
                "differs_from_official": rules.differences(),
                "options": [said._asdict() for said in rules.option_statements()],
                "points_of_play": [said._asdict() for said in rules.point_statements()],
            }
        )
        return
    typer.echo(f"{rules.name}: {rules.title}\n{rules.description}\n")
    _print_entries("Sources", rules.sources)
    _print_entries("Slips in the sources, and how they are read", rules.slips)
    if rules.name != "official":
        typer.echo(f"{difference_sentence(rules)}\n")
    _print_statements("Options", rules, rules.option_statements())
    typer.echo()
    _print_statements("Points of play (the same in every rule set)", rules, rules.point_statements())


def _print_entries(heading: str, entries: Sequence[str]) -> None:
    if entries:
        typer.echo(f"{heading}:")
        for entry in entries:
            typer.echo(f"  - {entry}")
        typer.echo()


def _elsewhere(values: Mapping[str, str]) -> str:
    """The values other than that of ``official``, each with the rule sets that have it."""
    names: dict[str, list[str]] = {}
    for name, value in values.items():
        if value != values["official"]:
            names.setdefault(value, []).append(name)
    return "; ".join(f"{value} ({', '.join(having)})" for value, having in names.items())


def _print_statements(heading: str, rules: RuleSet, statements: Sequence[Statement]) -> None:
    from tichu_analytics.rules.rulesets import default_note

    rows = []
    for said in statements:
        source = "stated" if said.stated else default_note(rules, said)
        remark = f"{said.place}: {said.says}" if said.place else ""
        rows.append((said.topic, said.value, source, remark))
    if _is_terminal():  # a column less leaves more room for the text
        rows_there = [(topic, value, ". ".join(filter(None, rest))) for topic, value, *rest in rows]
        _print_table(heading, ("topic", "value", "source, place, and what it says"), rows_there)
    else:
        _print_table(heading, ("topic", "value", "source", "place, and what it says"), rows)


def _print_table(heading: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print_table(heading, head, rows, wrap=_is_terminal())


def _is_terminal() -> bool:
    return is_terminal()


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))
