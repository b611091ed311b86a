"""A report as a page: one file that needs nothing else and asks nothing of the network."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tichu_analytics.report.model import Section, Shown
from tichu_analytics.view.escape import for_terminal

if TYPE_CHECKING:
    from markupsafe import Markup

    from tichu_analytics.report.making import Report

_PAGES: Final = Path(__file__).parent / "pages"
_VIEW: Final = re.compile(r'viewBox="0 0 ([0-9.]+) ([0-9.]+)"')
#: How wide a figure is in a column of a wide page, in pixels.
_COLUMN: Final = 484.0


def report_page(report: Report) -> str:
    """A report as an HTML page.

    Returns:
        The page. Its policy forbids every request and every script; its style is known by its hash. Text from records
        is in it as text only. The same report gives the same page.
    """
    from tichu_analytics import __version__
    from tichu_analytics.view.page import environment, part, policy_source

    style = part("base.css") + "\n" + part("report.css", _PAGES)
    template = environment(_PAGES).get_template("report.html")
    page: str = template.render(
        report=report,
        sections=[_laid(section) for section in report.sections],
        version=__version__,
        style=style,
        style_hash=policy_source(style),
        safe=for_terminal,
        safe_lines=_lines,
    )
    return page


def _lines(text: str) -> str:
    """A text of several lines, safe to show."""
    return "\n".join(map(for_terminal, text.split("\n")))


class _Laid(NamedTuple):
    """A section as it is laid out.

    Attributes:
        key, title, text, shown: as in :class:`tichu_analytics.report.model.Section`; figures are markup.
        groups: what is shown in order, in columns that stand side by side on a wide page: one or two of them.
        nothing: why nothing at all is shown; empty if there is something.
    """

    key: str
    title: str
    text: str
    shown: tuple[Shown, ...]
    groups: tuple[tuple[tuple[Shown, ...], ...], ...]
    nothing: str = ""


def _laid(section: Section) -> _Laid:
    reasons = list(dict.fromkeys(one.nothing for one in section.shown))
    if all(reasons):
        # One word for all of them will do.
        return _Laid(section.key, section.title, section.text, (), (), " ".join(reasons))
    # Figures come from their own module, which escapes what is in them.
    shown = tuple(one._replace(svg=_markup(one.svg)) for one in section.shown)
    groups: list[tuple[tuple[Shown, ...], ...]] = []
    for is_wide, some in groupby(shown, lambda one: one.plan.is_wide):
        if is_wide:
            groups += [((one,),) for one in some]
        else:
            groups.append(_columns(tuple(some)))
    return _Laid(section.key, section.title, section.text, shown, tuple(groups))


def _columns(shown: tuple[Shown, ...]) -> tuple[tuple[Shown, ...], ...]:
    """Splits what is shown into two columns of about the same height; the order stays."""
    heights = [_height(one) for one in shown]
    split = min(range(1, len(shown) + 1), key=lambda at: max(sum(heights[:at]), sum(heights[at:])))
    return shown[:split], shown[split:]


def _height(shown: Shown) -> float:
    """About how high something is in a column of a wide page, in pixels."""
    words = sum(len(one.measure.sentence) + len(one.measure.name) + 90 for one in shown.definitions)
    words += sum(map(len, (shown.plan.text, shown.lead, shown.nothing, *shown.notes)))
    found = _VIEW.search(shown.svg)
    figure = _COLUMN * float(found[2]) / float(found[1]) if found else 0.0
    return 140 + figure + 0.31 * words


def _markup(svg: str) -> Markup:
    from markupsafe import Markup

    return Markup(svg)
