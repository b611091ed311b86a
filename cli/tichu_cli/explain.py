"""``tichu explain``: what a finding means, the rule behind it, an example."""

from __future__ import annotations

import enum
import os
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from tichu_analytics.replay.explain import Page


class Format(enum.StrEnum):
    """What the pages are printed as."""

    TEXT = "text"
    JSON = "json"
    MARKDOWN = "markdown"


def command(
    codes: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CODE]...", help="Codes, names or groups: T312, wish-ignored, T3, wish. None for a list of all."
        ),
    ] = None,
    output: Annotated[Format, typer.Option("--format", help="How to print it.")] = Format.TEXT,
) -> None:
    """Explain a finding: what it means, the rule behind it, an example.

    Example: tichu explain T312 wish-missing
    """
    from tichu_analytics.replay.explain import all_pages, explain

    if not codes:
        _print_list(all_pages(), output)
        return
    pages: list[Page] = []
    errors: list[str] = []
    for code in codes:
        group = code.strip().lower()
        several = [page for page in all_pages() if page.group == group or page.code.lower().startswith(group)]
        if not (several and (len(group) >= 2 or several[0].group == group)):
            try:
                several = [explain(code)]
            except ValueError as error:
                errors.append(str(error))
                continue
        pages += [page for page in several if page not in pages]
    if pages or output is Format.JSON:
        _print_pages(pages, output)
    for message in errors:
        typer.echo(message, err=True)
    if errors:
        raise typer.Exit(2)


def _print_pages(pages: list[Page], output: Format) -> None:
    from tichu_analytics.replay.explain import as_page_markdown, as_text

    if output is Format.JSON:
        _print_json([_as_object(page) for page in pages])
    elif output is Format.MARKDOWN:
        typer.echo("\n".join(as_page_markdown(page) for page in pages), nl=False)
    elif _is_terminal():
        from rich.console import Console
        from rich.markdown import Markdown

        console = Console()
        for page in pages:
            console.print(Markdown(as_page_markdown(page)))
    else:
        typer.echo("\n".join(as_text(page) for page in pages), nl=False)


def _print_list(pages: tuple[Page, ...], output: Format) -> None:
    """All codes by group, with severity and title."""
    if output is Format.JSON:
        keys = ("code", "name", "severity", "group", "title")
        _print_json([{key: getattr(page, key) for key in keys} for page in pages])
        return
    if output is Format.MARKDOWN:
        typer.echo("| code | name | group | severity | what is wrong |\n|---|---|---|---|---|")
        for page in pages:
            typer.echo(f"| {page.code} | {page.name} | {page.group} | {page.severity} | {page.title} |")
        return
    width = max(len(page.name) for page in pages)
    bold = not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    group = ""
    for page in pages:
        if page.group != group:
            if group:
                typer.echo()
            group = page.group
            typer.secho(group, bold=bold)
        typer.echo(f"  {page.code}  {page.name:<{width}}  {page.severity:<7}  {page.title}")


def _as_object(page: Page) -> dict[str, object]:
    """A page as an object of JSON; sources by tag and in words."""
    from tichu_analytics.replay.explain import SOURCES

    return {
        **page._asdict(),
        "sources": {tag: SOURCES[tag] for tag in page.sources},
        "example": [line._asdict() for line in page.example],
    }


def _print_json(value: object) -> None:
    import json

    typer.echo(json.dumps(value, ensure_ascii=False, indent=2))


def _is_terminal() -> bool:
    import sys

    return sys.stdout.isatty()
