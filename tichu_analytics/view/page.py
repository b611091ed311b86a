"""A game as a page for a browser: one file that needs nothing else, asks nothing of the network and keeps nothing."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.view.escape import for_terminal
from tichu_analytics.view.page_data import game_data, script_json
from tichu_analytics.view.saying import pair_text

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

_PAGES: Final = Path(__file__).parent / "pages"
_OUTCOMES: Final = {"finished": "finished", "unfinished": "not finished", "overplayed": "played on after its end"}


def game_page(game: GameReplay, *, start: tuple[int, int] = (0, 0)) -> str:
    """A game as an HTML page that plays it.

    Args:
        game: the game, in whatever state.
        start: the round and the scene that the page opens at, both counted from 0.

    Returns:
        The page, in ASCII and characters of names. Its policy forbids every request; scripts and styles are in it and
        known by their hashes. Text from the log is in it as data only.
    """
    from tichu_analytics.view.fragments import findings_html

    whole = [finding for finding in game.findings if finding.round is None]
    end = _OUTCOMES[game.outcome]
    if game.winner is not None:
        end += f", won by team {game.winner}"
    n_rounds = len(game.rounds)
    rounds = f"{n_rounds} round" if n_rounds == 1 else f"{n_rounds} rounds"
    about = f"{for_terminal(game.game.path)}: {rounds}, total {pair_text(game.totals)}, {end}; rules {game.rules}"
    return _page(
        title=f"Game {for_terminal(game.game.game_id)}",
        game_id=for_terminal(game.game.game_id),
        whole=True,
        about=for_terminal(about),
        findings=findings_html(whole) if whole else "",
        n_rounds=n_rounds,
        data=game_data(game, start),
    )


def round_page(one: RoundReplay, *, title: str = "") -> str:
    """A round by itself as an HTML page that plays it.

    Args:
        one: the round.
        title: what stands above it; by default its number.
    """
    from tichu_analytics.view.page_data import round_data
    from tichu_analytics.view.scenes import round_view

    view = round_view(one)
    data = {"game": "", "rules": "", "totals": list(one.total_after), "start": [0, 0], "rounds": [round_data(view)]}
    return _page(
        title=title or f"Round {one.number}",
        game_id="",
        whole=False,
        about=f"lines {view.span[0]} to {view.span[1]}",
        findings="",
        n_rounds=1,
        data=data,
    )


def _page(*, data: object, **values: object) -> str:
    from tichu_analytics import __version__

    style, script = part("base.css") + "\n" + part("page.css"), part("player.js")
    template = environment().get_template("page.html")
    return template.render(
        version=__version__,
        style=style,
        script=script,
        style_hash=policy_source(style),
        script_hash=policy_source(script),
        symbols=part("symbols.html"),
        data=_trusted(script_json(data)),
        **values,
    )


@cache
def environment(folder: Path = _PAGES) -> Environment:
    """What fills in the templates of a folder; every value is escaped that is not said to be markup."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


@cache
def part(name: str, folder: Path = _PAGES) -> Markup:
    """A file of the package that becomes part of a page as it is."""
    return _trusted((folder / name).read_text(encoding="utf-8").strip())


def _trusted(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def policy_source(text: str) -> str:
    """A style or a script as the policy of a page names it."""
    from base64 import b64encode
    from hashlib import sha256

    return f"sha256-{b64encode(sha256(text.encode()).digest()).decode()}"
