"""A report as a page: one file that needs nothing else and asks nothing of the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tichu_analytics.report.model import Section, Shown
from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    from markupsafe import Markup

    from tichu_analytics.report.making import Report

_PAGES: Final = Path(__file__).parent / "pages"


def report_page(report: Report) -> str:
    """A report as an HTML page.

    Returns:
        The page. Its policy forbids every request and every script; its style is known by its hash. Text from records
        is in it as text only. The same report gives the same page.
    """
    from tichu_analytics import __version__
    from tichu_analytics.view.page import environment, part, policy_source

    style = part("base.css") + "\n" + part("report.css", _PAGES)
    ready = report._replace(sections=tuple(_trusted(section) for section in report.sections))
    template = environment(_PAGES).get_template("report.html")
    page: str = template.render(
        report=ready, version=__version__, style=style, style_hash=policy_source(style), safe=for_terminal
    )
    return page


def _trusted(section: Section) -> Any:
    """A section whose figures are markup: they come from the figures' own module, which escapes what is in them."""
    return section._replace(shown=tuple(_with_markup(shown) for shown in section.shown))


def _with_markup(shown: Shown) -> Shown:
    return shown._replace(svg=_markup(shown.svg))


def _markup(svg: str) -> Markup:
    """A figure as a part of the page, with attributes in place of the styles that the policy of the page forbids."""
    from markupsafe import Markup

    if 'style="' not in svg:
        return Markup(svg)
    from xml.etree import ElementTree

    root = ElementTree.fromstring(svg)
    for one in root.iter():
        one.tag = one.tag.rpartition("}")[2]
        for part in one.attrib.pop("style", "").split(";"):
            name, _, value = (piece.strip() for piece in part.partition(":"))
            if value and one is not root:
                one.set(name, value)
    return Markup(ElementTree.tostring(root, encoding="unicode"))
