"""The site of the guides: every page has its place, links hold, docstrings read well, nothing comes from elsewhere."""

from __future__ import annotations

import base64
import importlib
import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from markdown_it import MarkdownIt

from tests.conftest import ROOT
from tests.sites import build, needs, warnings
from tools.site_built import BuiltPage, is_elsewhere, troubles
from tools.site_links import (
    ALWAYS,
    BrokenLink,
    Link,
    links,
    listing,
    plain_fences,
    repository_place,
    shown_files,
    site_link,
    site_place,
    target_of,
    with_links,
)
from tools.site_notebooks import with_outputs

CONFIG = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
PAGES = sorted(path.relative_to(ROOT / "docs").as_posix() for path in (ROOT / "docs").rglob("*.md"))
#: Pages whose text stands in docs/ alone, not in docstrings.
WRITTEN = [page for page in PAGES if not page.startswith("api/")]


# Where pages stand ----------------------------------------------------------------------------------------------------


def test_every_page_has_a_place_and_every_place_a_page() -> None:
    (nav,) = re.findall(r"^nav:\n((?:[ #].*\n)+)", CONFIG, re.MULTILINE)
    named = re.findall(r"^ +- (?:[^:#\n]+: )?(\S+\.md)$", nav, re.MULTILINE)
    assert len(named) == len(set(named))
    assert sorted(one for one in named if not one.startswith("repository/")) == PAGES
    shown = {site_place(path) for path in shown_files(ROOT)}
    assert {one for one in named if one.startswith("repository/")} <= shown


@pytest.mark.parametrize("page", PAGES)
def test_pages_begin_with_a_title_and_a_sentence(page: str) -> None:
    first, *rest = (ROOT / "docs" / page).read_text(encoding="utf-8").split("\n")
    assert first.startswith("# ")
    text = next(line for line in rest if line and not line.startswith("<!--"))
    assert text[0].isalnum() or text[0] == "`" or text.startswith("    "), text


# Links and blocks -----------------------------------------------------------------------------------------------------

PAGE = """# A page

See [the tables](tables.md#moves), [`code` too](../README.md) and ![a picture](a.png), not `[code](no.md)`,
``[`twice`](no.md)`` or [elsewhere](https://example.org/x.md) or [by mail](mailto:a@example.org).

```text evening.mini
[in a block](no.md)
```

~~~
[in another](no.md)
```
[still](no.md)
~~~

[after it](#a-page)
"""


def test_links_of_a_page() -> None:
    found = links(PAGE)
    assert found == [Link(3, "tables.md#moves"), Link(3, "../README.md"), Link(3, "a.png"), Link(16, "#a-page")]
    changed = with_links(PAGE, lambda target: f"<{target}>")
    assert [link.target for link in links(changed)] == [f"<{link.target}>" for link in found]
    assert changed.replace("<", "").replace(">", "") == PAGE


def test_info_strings_lose_all_but_the_first_word() -> None:
    assert plain_fences("a\n```json record\nx\n```\n```json event\n``` \n\n```\n```") == (
        "a\n```json\nx\n```\n```json\n``` \n\n```\n```"
    )
    inner = "````text a b\n```json record\n````\n"
    assert plain_fences(inner) == "````text\n```json record\n````\n"


@pytest.mark.parametrize(
    ("source", "target", "wanted"),
    [
        ("docs/show.md", "tables.md#moves", "tables.md#moves"),
        ("docs/show.md", "#places", "#places"),
        ("docs/show.md", "../README.md", "repository/README.md"),
        ("docs/show.md", "../sample_logs", "repository/sample_logs/README.md"),
        ("docs/show.md", "../tichu_analytics/rules/play.py", "repository/tichu_analytics/rules/play.py.md"),
        ("docs/api/rules.md", "../rule_sets.md", "../rule_sets.md"),
        ("docs/api/rules.md", "../../README.md#in-python", "../repository/README.md#in-python"),
        ("README.md", "docs/show.md", "../show.md"),
        ("README.md", "LICENSE", "LICENSE.md"),
        ("sample_logs/README.md", "faulty/README.md", "faulty/README.md"),
        ("sample_logs/faulty/README.md", "../../docs/findings.md#x", "../../../findings.md#x"),
    ],
)
def test_links_on_the_site(source: str, target: str, wanted: str) -> None:
    assert site_link(source, target, ROOT) == wanted


@pytest.mark.parametrize("target", ["no.md", "../no.py", "../../README.md", "/README.md", "../tests"])
def test_links_that_lead_nowhere(target: str) -> None:
    with pytest.raises(BrokenLink, match=re.escape(target)):
        target_of("docs/show.md", target, ROOT)


def test_places_lead_back() -> None:
    for path in (*shown_files(ROOT), "docs/show.md", "docs/api/index.md"):
        assert repository_place(site_place(path)) == path
    assert {*ALWAYS} <= {*shown_files(ROOT)}


DRAWING = b'<svg><title id="t">A &amp; B</title><desc>One dot.</desc></svg>'


def test_a_notebook_is_a_page() -> None:
    text = json.dumps(
        {
            "cells": [
                {"cell_type": "markdown", "source": ["# Title\n", "[link](../docs/show.md)"]},
                {
                    "cell_type": "code",
                    "source": "x[0](1)",
                    "outputs": [
                        {"output_type": "stream", "text": ["<b>\n"]},
                        {"output_type": "execute_result", "data": {"text/html": "<p>a</p>", "text/plain": "b"}},
                        {"output_type": "display_data", "data": {"image/svg+xml": "<svg/>", "text/plain": '"c"'}},
                        {
                            "output_type": "display_data",
                            "data": {"image/svg+xml": DRAWING.decode(), "text/plain": "<F>"},
                        },
                        {"output_type": "display_data", "data": {"image/png": "AAAA\n", "text/plain": "d"}},
                    ],
                },
            ]
        }
    )
    page = listing("notebooks/a.ipynb", text)
    assert page.startswith("# Title\n[link](../docs/show.md)\n\n```python\nx[0](1)\n```\n\n<div ")
    assert [link.target for link in links(page)] == ["../docs/show.md"]
    assert re.findall(r'<div class="output">(.*?)</div>', with_outputs(page, text), re.DOTALL) == [
        "<pre><code>&lt;b&gt;\n</code></pre>",
        "<p>a</p>",
        '<img src="data:image/svg+xml;base64,PHN2Zy8+" alt="&quot;c&quot;">',
        f'<img src="data:image/svg+xml;base64,{base64.b64encode(DRAWING).decode()}" alt="A &amp; B. One dot.">',
        '<img src="data:image/png;base64,AAAA" alt="d">',
    ]


def test_every_notebook_has_a_place() -> None:
    names = sorted(path.name for path in (ROOT / "notebooks").glob("*.ipynb"))
    assert re.findall(r"repository/notebooks/(.*)\.md$", CONFIG, re.MULTILINE) == names


def test_a_listing_holds_any_text() -> None:
    assert listing("a/README.md", "# A\n") == "# A\n"
    page = listing("a/b.py", 'x = """\n````\n"""')
    assert "exclude: true" in page.partition("\n# a/b.py\n")[0] and page.endswith(
        '`````python\nx = """\n````\n"""\n`````\n'
    )
    assert "\n```text\n" in listing("LICENSE", "word\n")


# Docstrings -----------------------------------------------------------------------------------------------------------

DOCSTRING = """Reads games, see :func:`read_games` and :mod:`.cards`; :class:`~a.b.Thing` is not known.

>>> import tichu_analytics as ta
>>> ta.check("x")  # doctest: +SKIP
[]

More in docs/show.md.

Args:
    data, subject, *by: what is
        looked at.
    taken_0 to taken_3: points.

Returns:
    one, two: no arguments.
"""


def test_docstrings_become_markdown() -> None:
    needs("griffe")
    from tools.site_roles import in_markdown

    known = {"read_games": "tichu_analytics.read_games", ".cards": "tichu_analytics.rules.cards"}
    assert in_markdown(DOCSTRING, lambda role, name: known.get(name)).split("\n") == [
        'Reads games, see <autoref identifier="tichu_analytics.read_games" optional>`read_games`</autoref> and '
        '<autoref identifier="tichu_analytics.rules.cards" optional>`cards`</autoref>; `Thing` is not known.',
        "",
        "```pycon",
        ">>> import tichu_analytics as ta",
        '>>> ta.check("x")',
        "[]",
        "```",
        "",
        'More in <a href="../show.html">docs/show.md</a>.',
        "",
        "Args:",
        *("    data: what is", "        looked at.", "    subject: what is", "        looked at."),
        *("    *by: what is", "        looked at.", "    taken_0 to taken_3: points."),
        "",
        "Returns:",
        "    one, two: no arguments.",
        "",
    ]


def test_remarks_above_constants() -> None:
    needs("griffe")
    from tools.site_roles import comment_above

    lines = ["# no", "#: One", "#:  and two.", "A = 1", "", "#: apart", "", "B = 2"]
    assert comment_above(lines, 4) == "One\n and two."
    assert comment_above(lines, 8) == comment_above(lines, 1) == ""


@pytest.fixture(scope="module")
def loaded() -> Any:
    """The package as griffe reads it."""
    needs("griffe")
    import griffe

    return griffe.load("tichu_analytics", search_paths=[str(ROOT)])


def test_members_that_pages_name_are_there(loaded: Any) -> None:
    """A name in ``members`` that there is not would be left out without a word."""
    named = 0
    for path in (ROOT / "docs" / "api").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for module, options in re.findall(r"^::: (\S+)\n((?: {4}.*\n)*)", text, re.MULTILINE):
            place = module.removeprefix("tichu_analytics").removeprefix(".")
            members = (loaded[place] if place else loaded).members
            for some in re.findall(r"members: \[(.*)\]", options):
                names = some.split(", ")
                named += len(names)
                assert [name for name in names if name not in members] == [], (path.name, module)
    assert named > 30


def test_what_roles_mean(loaded: Any) -> None:
    from tools.site_roles import resolved

    rules = loaded["rules"]
    assert resolved(rules, "mod", ".cards") == "tichu_analytics.rules.cards"
    assert resolved(loaded["rules.play"], "mod", ".cards") == "tichu_analytics.rules.cards"
    assert resolved(loaded["stats.rating"], "func", "compute") == "tichu_analytics.stats.compute"
    assert resolved(loaded, "func", "replay") == "tichu_analytics.replay.game.replay"
    assert resolved(loaded, "mod", "struct") is None


def test_roles_lead_somewhere(loaded: Any) -> None:
    """What a docstring names by a role is there; on the site it would be code without a link, and no warning."""
    from tools.site_roles import _ROLE, resolved

    lost = []
    waiting = [loaded]
    seen = set()
    while waiting:
        one = waiting.pop()
        if one.is_alias or one.path in seen:
            continue
        seen.add(one.path)
        waiting += one.members.values()
        for role, _, name in _ROLE.findall(one.docstring.value if one.docstring else ""):
            full = resolved(one, role, name)
            try:
                loaded[str(full).removeprefix("tichu_analytics.")]
            except KeyError:
                lost.append((one.path, role, name))
    assert lost == []
    assert len(seen) > 1000


# The built site -------------------------------------------------------------------------------------------------------


def page_of(site: Path, page: str) -> BuiltPage:
    return BuiltPage((site / page).with_suffix(".html").read_text(encoding="utf-8"))


def test_nothing_is_wrong_with_the_site(site: Path) -> None:
    assert list(troubles(site)) == []
    assert all((site / page).with_suffix(".html").is_file() for page in PAGES)


@pytest.mark.parametrize(
    "module",
    [
        "tichu_analytics",
        "tichu_analytics.stats",
        "tichu_analytics.record",
        "tichu_analytics.simulate",
        "tichu_analytics.formats.bsw",
        "tichu_analytics.formats.tgr",
    ],
)
def test_public_names_are_described(site: Path, module: str) -> None:
    anchors = set().union(*(page_of(site, page).anchors for page in PAGES if page.startswith("api/")))
    elsewhere = {
        "tichu_analytics.replay": "tichu_analytics.replay.game.replay",
        "tichu_analytics.Dataset": "tichu_analytics.tables.dataset.Dataset",
        "tichu_analytics.Hand": "tichu_analytics.record.Hand",
        "tichu_analytics.Findings": "tichu_analytics.replay.findings.Findings",
    }
    names = [f"{module}.{name}" for name in importlib.import_module(module).__all__ if name != "__version__"]
    assert [name for name in names if elsewhere.get(name, name) not in anchors] == []


def test_docstrings_read_well(site: Path) -> None:
    text = page_of(site, "api/index.md").text
    assert "Sphinx" not in text and "doctest" not in text
    # Sections are lists, not paragraphs that begin with a word and a colon.
    assert not re.search(r"(Args|Returns|Raises|Yields|Attributes):\s+\w+:", text)
    assert "Parameters:" in text and "UnreadableInput – " in re.sub(r"\s+", " ", text)
    html = (site / "api" / "stats.html").read_text(encoding="utf-8")
    assert 'href="../statistics.html"' in html and 'href="#tichu_analytics.stats.compute"' in html


def parts_as_written(text: str) -> dict[str, int]:
    """How many of what a page has by the rules that GitHub shows it by."""
    counted = dict.fromkeys(("tables", "cells", "items", "blocks", "headings"), 0)
    kinds = {
        **{"table_open": "tables", "td_open": "cells", "th_open": "cells", "list_item_open": "items"},
        **{"fence": "blocks", "code_block": "blocks", "heading_open": "headings"},
    }
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type in kinds:
            counted[kinds[token.type]] += 1
    return counted


@pytest.mark.parametrize("page", WRITTEN)
def test_a_page_is_on_the_site_what_it_is_elsewhere(site: Path, page: str) -> None:
    """Python's Markdown has rules of its own about lists and blocks; a page must not depend on them."""
    html = (site / page).with_suffix(".html").read_text(encoding="utf-8")
    (body,) = re.findall(r"<article[^>]*>(.*)</article>", html, re.DOTALL)
    shown = {
        "tables": len(re.findall(r"<table\b", body)),
        "cells": len(re.findall(r"<t[dh]\b", body)),
        "items": len(re.findall(r"<li\b", body)),
        "blocks": len(re.findall(r"<pre\b", body)),
        "headings": len(re.findall(r"<h[1-6]\b", body)),
    }
    assert shown == parts_as_written((ROOT / "docs" / page).read_text(encoding="utf-8"))


# What is looked for in it ---------------------------------------------------------------------------------------------

FINE = (
    '<link rel="canonical" href="https://example.org/"><link rel="stylesheet" href="a.css"><img src="data:image/png,x">'
    '<script>var x = "https://example.org/x.js"</script><a id="here" href="https://example.org/">:) a:b</a>'
    '<a href="#here">x</a><a href="folder/#there">x</a><a href="a.css">x</a><a href="mailto:a@example.org">x</a>'
)


def built(folder: Path, **pages: str) -> list[str]:
    (folder / "folder").mkdir(exist_ok=True)
    (folder / "folder" / "index.html").write_text('<p id="there">', encoding="utf-8")
    (folder / "a.css").write_text(pages.pop("css", "p { background: url(data:x) }"), encoding="utf-8")
    for name, text in pages.items():
        (folder / f"{name}.html").write_text(text, encoding="utf-8")
    return list(troubles(folder))


@pytest.mark.parametrize(
    ("pages", "wanted"),
    [
        ({"a": FINE}, []),
        ({"a": '<script src="https://example.org/x.js">'}, ["a.html loads https://example.org/x.js"]),
        ({"a": "<img src=//example.org/x.png>"}, ["a.html loads //example.org/x.png"]),
        ({"a": '<link rel="preconnect stylesheet" href="http://example.org">'}, ["a.html loads http://example.org"]),
        ({"a": "<style>@import 'https://example.org/x'</style>"}, ["a.html loads https://example.org/x"]),
        ({"a": '<p style="background: url(https://example.org/x)">'}, ["a.html loads https://example.org/x"]),
        ({"css": 'a { src: url("https://example.org/f") }'}, ["a.css loads https://example.org/f"]),
        ({"a": "<p>see :func:<code>x</code></p>"}, ["a.html has :func:x left over"]),
        ({"a": '<a href="b.html">x</a>'}, ["a.html leads to b.html, which there is not"]),
        ({"a": '<a href="folder/#here">x</a>'}, ["a.html leads to folder/#here, which there is not"]),
        ({"a": '<a href="#here">x</a>'}, ["a.html leads to #here, which there is not"]),
        ({"a": '<img src="no.png">'}, ["a.html loads no.png, which there is not"]),
        ({"a": '<script src="folder/no.js">'}, ["a.html loads folder/no.js, which there is not"]),
    ],
)
def test_what_is_wrong_is_found(tmp_path: Path, pages: dict[str, Any], wanted: list[str]) -> None:
    assert built(tmp_path, **pages) == wanted


def test_what_is_elsewhere() -> None:
    assert all(is_elsewhere(one) for one in ("https://a.org", "//a.org/x", "HTTP://a.org"))
    assert not any(is_elsewhere(one) for one in ("a.js", "../a.js", "/a.js", "data:text/css,x", "#x"))


# That a build fails ---------------------------------------------------------------------------------------------------

#: What may be wrong in a page, and what a build says of it; each is added to a page of its own kind.
FAULTS = (
    (
        "docs/show.md",
        "[a](no_page.md)",
        "docs/show.md: the link 'no_page.md' leads to docs/no_page.md, which there is not",
    ),
    ("docs/show.md", "[a](tables.md#no-place)", "'tables.md' does not contain an anchor '#no-place'"),
    ("docs/show.md", "[a](#no-own-place)", "show.html leads to #no-own-place, which there is not"),
    ("docs/show.md", "![a](assets/no_picture.png)", "leads to docs/assets/no_picture.png, which there is not"),
    ("docs/show.md", '<a href="no_raw.html">a</a>', "show.html leads to no_raw.html, which there is not"),
    ("docs/show.md", '<img src="no_raw.png" alt="a">', "show.html loads no_raw.png, which there is not"),
    ("docs/show.md", '<img src="//example.org/a.png" alt="a">', "show.html loads //example.org/a.png"),
    ("docs/show.md", "[a](<no_brackets.md>)", "no_brackets.md"),
    ("docs/show.md", '[a](no_title.md "words")', "no_title.md"),
    ("docs/show.md", "[a][away]\n\n[away]: no_reference.md", "no_reference.md"),
    ("docs/show.md", "[a\nb](no_wrapped.md)", "no_wrapped.md"),
    ("docs/show.md", "[a](../tests/no_test.py)", "leads to tests/no_test.py, which there is not"),
    ("docs/api/index.md", "[a](rules.md#tichu_analytics.rules.no_name)", "#tichu_analytics.rules.no_name"),
    ("docs/api/index.md", "[a][tichu_analytics.no_such_name]", "tichu_analytics.no_such_name"),
    ("CHANGELOG.md", "[a](docs/no_change.md)", "CHANGELOG.md: the link 'docs/no_change.md'"),
    ("docs/no_nav.md", "# A page", "no_nav.md"),
)


def test_a_build_fails_for_whatever_is_wrong(tmp_path: Path) -> None:
    """A build of a tree with one fault of each kind tells of all of them."""
    needs("mkdocs")
    tree = tmp_path / "tree"
    left = shutil.ignore_patterns(".*", "build", "__pycache__", "*.egg-info")
    shutil.copytree(ROOT, tree, ignore=left)
    for path, text, _ in FAULTS:
        with (tree / path).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")
    notebook = tree / "notebooks" / "01_check_and_replay_a_game.ipynb"
    cells = json.loads(notebook.read_text(encoding="utf-8"))
    cells["cells"][0]["source"] = "# A\n\n[a](../docs/no_cell.md)"
    notebook.write_text(json.dumps(cells), encoding="utf-8")
    module = tree / "tichu_analytics" / "simulate" / "series.py"
    module.write_text(module.read_text(encoding="utf-8").replace('"""', '"""See docs/no_doc.md. ', 1), encoding="utf-8")
    done = build(tree, tmp_path / "site")
    told = warnings(done.stderr)
    assert done.returncode == 1
    asked = [wanted for *_, wanted in FAULTS] + ["the link '../docs/no_cell.md'", "no_doc.html"]
    assert [wanted for wanted in asked if not any(wanted in line for line in told)] == []
    # What is right is not complained about.
    assert not any("README" in line for line in told)
