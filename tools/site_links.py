"""Links and blocks of the guides, as plain text: they are written for the repository and have to hold on the site too.

A page of ``docs/`` links to files of the repository, ``../sample_logs/README.md`` say. The site has a page of its own
for each such file, below ``repository/``: Markdown and notebooks as pages, anything else as a listing.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final, NamedTuple

from tools.site_notebooks import ENDING, as_markdown

#: The folder of the pages, and the folder of the site in which files of the repository are shown.
DOCS: Final = "docs"
REPOSITORY: Final = "repository"

#: Pages of the repository that the site shows whether or not another page leads to them.
ALWAYS: Final = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "LICENSE", "sample_logs/README.md")

#: How a listing is coloured, by the ending; anything else is plain.
LANGUAGES: Final = {
    ".py": "python",
    ".sql": "sql",
    ".json": "json",
    ".toml": "toml",
    ".md": "markdown",
    ".css": "css",
    ".js": "javascript",
}

_FENCE: Final = re.compile(r"^( {0,3})(`{3,}|~{3,})(.*)$")
_LINK: Final = re.compile(r"(!?\[(?:[^\]\[`]|`[^`]*`|\[[^\]]*\])*\]\()([^()\s]+)(\))")
_CODE: Final = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_SCHEME: Final = re.compile(r"[a-z][a-z0-9+.-]*:")


class BrokenLink(ValueError):
    """A link to something that is not in the repository; the text says where it stands and what it leads to."""


class Link(NamedTuple):
    """A link of a page: the line on which it stands, from 1, and what stands in its brackets."""

    line: int
    target: str


def prose(text: str) -> Iterator[tuple[int, str, bool]]:
    """The lines of a page.

    Args:
        text: the page in Markdown.

    Yields:
        The number of the line from 1, the line, and whether it is prose and not part of a fenced block. (A block that
        is indented by four blanks is prose here: nothing in it looks like a link.)
    """
    fence = ""
    for number, line in enumerate(text.split("\n"), 1):
        found = _FENCE.match(line)
        if fence:
            yield number, line, False
            if found and found[2].startswith(fence) and not found[3].strip():
                fence = ""
        elif found and "`" not in found[3]:
            fence = found[2]
            yield number, line, False
        else:
            yield number, line, True


def links(text: str) -> list[Link]:
    """The links within the repository that a page has, images too; links elsewhere (``https:``) are left out."""
    found = []
    for number, line, is_prose in prose(text):
        if is_prose:
            targets = (match[2] for match in _LINK.finditer(line) if not _in_code(line, match.start(2)))
            found += [Link(number, target) for target in targets if not _SCHEME.match(target)]
    return found


def with_links(text: str, change: Callable[[str], str]) -> str:
    """The page with every link within the repository changed by a function; text in blocks and code stays."""

    def changed(line: str) -> str:
        def one(match: re.Match[str]) -> str:
            if _SCHEME.match(match[2]) or _in_code(line, match.start(2)):
                return match[0]
            return match[1] + change(match[2]) + match[3]

        return _LINK.sub(one, line)

    return "\n".join(changed(line) if is_prose else line for _, line, is_prose in prose(text))


def _in_code(line: str, place: int) -> bool:
    return any(match.start() < place < match.end() for match in _CODE.finditer(line))


def plain_fences(text: str) -> str:
    """The page with the first word alone behind each fence: Python's Markdown would take no block of the others."""
    lines = []
    inside = False
    for _, line, is_prose in prose(text):
        found = _FENCE.match(line)
        if not is_prose and not inside and found:
            line = f"{found[1]}{found[2]}{' '.join(found[3].split()[:1])}"
        inside = not is_prose and not (inside and found is not None and not found[3].strip())
        lines.append(line)
    return "\n".join(lines)


def site_place(path: str) -> str:
    """Where the site has the page of a file of the repository: ``docs/show.md`` has its own, others a listing.

    Args:
        path: the file's path in the repository, with slashes.

    Returns:
        The page's path among the sources of the site: ``show.md``, ``repository/CHANGELOG.md``,
        ``repository/tichu_analytics/rules/play.py.md``.
    """
    if path.startswith(f"{DOCS}/"):
        return path.removeprefix(f"{DOCS}/")
    return f"{REPOSITORY}/{path}" if path.endswith(".md") else f"{REPOSITORY}/{path}.md"


def repository_place(page: str) -> str:
    """The other way round: which file of the repository a page of the site shows."""
    if not page.startswith(f"{REPOSITORY}/"):
        return f"{DOCS}/{page}"
    path = page.removeprefix(f"{REPOSITORY}/")
    shown = path.removesuffix(".md")
    return shown if "." in posixpath.basename(shown) or shown == "LICENSE" else path


def target_of(source: str, target: str, root: Path) -> tuple[str, str]:
    """The file of the repository that a link leads to.

    Args:
        source: the file in which it stands, its path in the repository.
        target: what stands in the link.
        root: the folder of the repository.

    Returns:
        The path in the repository, a folder's as that of its README.md, and the anchor with its ``#`` or an empty
        text.

    Raises:
        BrokenLink: if there is no such file, or it is outside of the repository.
    """
    name, mark, anchor = target.partition("#")
    path = posixpath.normpath(posixpath.join(posixpath.dirname(source), name)) if name else source
    if path.startswith(("..", "/")):
        raise BrokenLink(f"{source}: the link {target!a} leads out of the repository")
    if (root / path).is_dir():
        path = posixpath.join(path, "README.md")
    if not (root / path).is_file():
        raise BrokenLink(f"{source}: the link {target!a} leads to {path}, which there is not")
    return path, mark + anchor


def site_link(source: str, target: str, root: Path) -> str:
    """A link as it has to be on the site; see :func:`target_of` for what goes in.

    Raises:
        BrokenLink: as :func:`target_of` does.
    """
    path, anchor = target_of(source, target, root)
    if path == source:
        return anchor or posixpath.basename(site_place(path))
    start = posixpath.dirname(site_place(source)) or "."
    return posixpath.relpath(site_place(path), start) + anchor


def listing(path: str, text: str) -> str:
    """The page that shows a file of the repository.

    Args:
        path: its path in the repository.
        text: what is in it.

    Returns:
        The page in Markdown: the file itself if it is Markdown, a notebook without its outputs, or else a heading and
        the file as a block.
    """
    if path.endswith(".md"):
        return text
    if path.endswith(ENDING):
        return as_markdown(text)
    fence = "`" * max([3, *(len(run) + 1 for run in re.findall(r"`{3,}", text))])
    language = LANGUAGES.get(posixpath.splitext(path)[1], "text")
    body = text if text.endswith("\n") else f"{text}\n"
    # A search is for what is written for readers.
    head = "---\nsearch:\n  exclude: true\n---\n"
    return (
        f"{head}# {path}\n\nA file of the repository, as it is in this version.\n\n{fence}{language}\n{body}{fence}\n"
    )


def shown_files(root: Path) -> list[str]:
    """The files of the repository that the site has to show: those to which a page leads, and on from them.

    Returns:
        Their paths in the repository, sorted. A link to a file that there is not is passed over: the page on which it
        stands tells of it when it is built, and the other pages are as they should be.
    """
    pages = [path.relative_to(root).as_posix() for path in sorted((root / DOCS).rglob("*.md"))]
    found: set[str] = set()
    waiting = [*pages, *ALWAYS]
    while waiting:
        path = waiting.pop()
        if path in found:
            continue
        found.add(path)
        if path.endswith((".md", ENDING)):
            text = listing(path, (root / path).read_text(encoding="utf-8"))
            for link in links(text):
                with suppress(BrokenLink):
                    waiting.append(target_of(path, link.target, root)[0])
    return sorted(path for path in found if not path.startswith(f"{DOCS}/"))
