"""The guides say what is so: commands write what is shown, files and names exist, folders import what they may."""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from tests.conftest import ROOT
from tests.pages import tables
from tests.regenerate_guides import PAGES, commands, renewed, timeless
from tichu_analytics.replay.codes import GROUPS
from tichu_analytics.rules.compiled import rule_functions
from tichu_cli.main import VERBS

LAYOUT = (ROOT / "docs" / "layout.md").read_text(encoding="utf-8")
ADDING = (ROOT / "docs" / "adding.md").read_text(encoding="utf-8")


def text_of(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


# Commands -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES)
def test_commands_write_what_is_shown(page: str, tmp_path: Path) -> None:
    text = text_of(page)
    assert len(commands(text)) >= 9
    assert timeless(renewed(text, tmp_path)) == timeless(text)


def test_pages_with_commands_are_known() -> None:
    found = {path.name for path in (ROOT / "docs").rglob("*.md") if "```console\n" in path.read_text(encoding="utf-8")}
    assert found == {*PAGES}


def test_the_page_on_the_check_names_what_there_is() -> None:
    page = text_of("check.md")
    (groups,) = re.findall(r"The\s+groups are (.*?)\.\n", page, re.DOTALL)
    assert re.findall(r"`(\w+)`", groups) == list(dict.fromkeys(GROUPS.values()))
    (fields,) = [table for table in tables(page) if table[0][0] == "field"]
    (written,) = re.findall(r'^(\{"type": "finding".*)$', page, re.MULTILINE)
    (summary,) = re.findall(r'^(\{"type": "summary".*)$', page, re.MULTILINE)
    keys = {*re.findall(r'"(\w+)": ', written), *re.findall(r'"(\w+)": ', summary)} - {"T312"}
    assert {name for row in fields[1:] for name in re.findall(r"`(\w+)`", row[0])} == keys


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z0-9-]*")


def test_every_option_is_told_somewhere_and_there_is_no_other() -> None:
    """Of the options of all verbs; a page may also name those of other programs, and of the benchmarks."""
    pages = [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]
    told = set(OPTION.findall("\n".join(path.read_text(encoding="utf-8") for path in pages)))
    known = {"--help"}
    for verb in VERBS:
        app = typer.Typer()
        app.command()(importlib.import_module(f"tichu_cli.{verb}").command)
        known |= {name for one in typer.main.get_command(app).params for name in one.opts if name.startswith("--")}
    assert {"--select", "--measures-from", "--tables"} <= known
    assert known - told - {"--help", "--install-completion", "--show-completion"} == set()
    others = {"--nworkers", "--nthreads", "--port", "--schemafile", "--spec", "--speed", "--write", "--version"}
    assert told - known - others == set()


# Files and names ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", ["layout.md", "adding.md"])
def test_named_files_exist(page: str) -> None:
    text = re.sub(r"```.*?```", "", text_of(page), flags=re.DOTALL)
    spans = re.findall(r"(?<!\[)`([^`\n]+)`", text) + re.findall(r"(?<![\w/(`])(tests/\w+\.py)", text)
    paths = [span for span in spans if "/" in span and " " not in span and span != "build/site"]
    assert len(paths) >= 6
    assert [path for path in paths if "VERB" not in path and not (ROOT / path).exists()] == []


def defined(path: Path) -> set[str]:
    """The names that a module defines, at any level."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
    return found


@pytest.mark.parametrize(("page", "fewest"), [("layout.md", 20), ("adding.md", 15)])
def test_named_names_stand_in_the_named_files(page: str, fewest: int) -> None:
    """``judge_play`` and ``judge_pass`` in [rules/play.py](...): both are defined there."""
    said = re.findall(r"((?:`\w+`(?:,\s+|\s+and\s+)?)+)\s+in\s+\[([^\]]+)\]\(([^)]+)\)", text_of(page))
    names = [(name, shown, target) for some, shown, target in said for name in re.findall(r"`(\w+)`", some)]
    assert len(names) >= fewest
    for name, shown, target in names:
        if not target.endswith(".py"):
            continue
        path = (ROOT / "docs" / target).resolve()
        assert path.as_posix().endswith(shown), target
        assert name in defined(path), (name, target)


def test_named_commands_can_be_run() -> None:
    modules = [module for module in re.findall(r"python -m ([\w.]+)", ADDING) if module != "pytest"]
    assert len(modules) >= 5
    for module in modules:
        assert "__main__" in (ROOT / f"{module.replace('.', '/')}.py").read_text(encoding="utf-8"), module


def test_the_functions_without_options_and_their_callers() -> None:
    """A scoring option has to reach every place that the page names, and there is no other."""
    step = ADDING[ADDING.index("There only `game_winner`") : ADDING.index("Only integers, tuples")]
    package = ROOT / "tichu_analytics"
    for name, function in rule_functions().items():
        if function.__module__.endswith(".scoring"):
            assert f"`{name}`" in step
            assert ("options" in inspect.signature(function).parameters) == (name == "game_winner"), name
    assert "options" not in inspect.signature(rule_functions()["may_exchange"]).parameters
    callers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("card_points", "round_score", "call_bonus")
    }
    assert {*re.findall(r"\[(\w+/\w+\.py)\]", step)} == callers - {"rules/scoring.py"} | {"rules/calls.py"}


# What may import what -------------------------------------------------------------------------------------------------


def unit(module: str) -> str:
    """The part of the project to which a module belongs, as it is called in the table; empty for the package itself."""
    names = module.split(".")
    if names[0] == "tichu_cli":
        return "tichu_cli"
    return names[1] if len(names) > 1 else ""


def imports(node: ast.AST, is_late: bool = False) -> Iterator[tuple[str, bool]]:
    """The modules of the project that a module imports, and whether inside of a function; not those for types alone."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING":
            continue
        names = []
        if isinstance(child, ast.Import):
            names = [alias.name for alias in child.names]
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0
            whole = child.module == "tichu_analytics"
            names = [f"{child.module}.{alias.name}" for alias in child.names] if whole else [child.module or ""]
        yield from ((name, is_late) for name in names if name.split(".")[0] in ("tichu_analytics", "tichu_cli"))
        yield from imports(child, is_late or isinstance(child, ast.FunctionDef))


@pytest.fixture(scope="module")
def found() -> dict[str, dict[str, bool]]:
    """For each part of the project those that it imports, and whether only inside of functions."""
    parts: dict[str, dict[str, bool]] = {}
    for folder in (ROOT / "tichu_analytics", ROOT / "cli" / "tichu_cli"):
        for path in sorted(folder.rglob("*.py")):
            own = unit(".".join(path.relative_to(folder.parent).with_suffix("").parts).removesuffix(".__init__"))
            parts.setdefault(own, {})
            for module, is_late in imports(ast.parse(path.read_text(encoding="utf-8"))):
                other = unit(module)
                if other not in (own, "", "__version__"):
                    parts[own][other] = is_late and parts[own].get(other, True)
    return parts


def test_folders_import_only_what_the_page_says(found: dict[str, dict[str, bool]]) -> None:
    (rows,) = [table for table in tables(LAYOUT) if table[0][-1] == "may import"]
    told = {Path(row[0].strip("`")).stem: row[2] for row in rows[1:]}
    assert {*told} == {part for part in found if part}
    for part, words in told.items():
        if words == "everything":
            continue
        bracketed = {name for some in re.findall(r"\(([^)]*)\)", words) for name in re.findall(r"`(\w+)`", some)}
        allowed = {*re.findall(r"`(\w+)`", words)}
        assert (allowed == set()) == (words == "nothing of the project")
        assert {*found[part]} <= allowed, part
        assert all(found[part].get(name, True) for name in bracketed), part


def test_nothing_imports_the_command_line(found: dict[str, dict[str, bool]]) -> None:
    assert [part for part, others in found.items() if "tichu_cli" in others] == []
