"""A game as the data of a page: plain JSON values, all that is shown, and only what differs from scene to scene.

Everything from the log is safe to show as text. Cards are codes, players are seats. Parts of a sentence are a text, a
seat as a number, or a list with one text of card codes.
"""

from __future__ import annotations

import json
from typing import Any, Final

from tichu_analytics.record.notation import CARD_CODES, cards_text, mask_text
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.replay.findings import Finding
from tichu_analytics.view.escape import for_terminal, value_shown
from tichu_analytics.view.saying import Words
from tichu_analytics.view.scenes import RoundView, Scene, round_view
from tichu_analytics.view.score import score_rows
from tichu_analytics.view.sheet import rank_name

#: What may begin markup, and the line ends of JavaScript, are escapes in JSON that stands in a page.
_IN_SCRIPT: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})

#: What a scene has in common with the one before until it says otherwise, with its value before the first scene.
CARRIED: Final[dict[str, Any]] = {
    "trick": 0,
    "move": 0,
    "table": [0, 0],
    "passed": [],
    "turn": None,
    "wish": "",
    "active": [0, 1, 2, 3],
    "out": [],
    "points": [0, 0, 0, 0],
    "calls": ["", "", "", ""],
    "over": False,
}


def game_data(game: GameReplay, start: tuple[int, int] = (0, 0)) -> dict[str, Any]:
    """The data of the page of a game.

    Args:
        game: the game.
        start: the round and the scene to begin with, both counted from 0.
    """
    views = [round_view(one, game.game.places) for one in game.rounds]
    return {
        "game": for_terminal(game.game.game_id),
        "rules": for_terminal(game.rules),
        "totals": list(game.totals),
        "start": list(start),
        "rounds": [round_data(view) for view in views],
    }


def round_data(view: RoundView) -> dict[str, Any]:
    """The data of a round: names, score, tricks, the plays of the round in order, and the scenes."""
    one = view.one
    laid: list[Any] = []
    places: dict[int, int] = {}
    for scene in view.scenes:
        for play in scene.table:
            if play.number not in places:
                places[play.number] = len(laid)
                laid.append([play.seat, cards_text(play.cards), play.words, play.stands, play.bomb, play.out_of_turn])
    tricks = [
        {
            "scene": at,
            "lead": trick.lead_seat,
            "taker": trick.taker_seat,
            "points": trick.points,
            "complete": trick.complete,
            "dragon": trick.dragon_to is not None,
        }
        for at, trick in zip(view.tricks, one.tricks, strict=True)
    ]
    return {
        "number": one.number,
        "names": list(view.names),
        "labels": list(view.labels),
        "lines": list(view.span),
        "before": list(one.total_before),
        "after": list(one.total_after),
        "score": None if one.score is None else list(one.score),
        "logged": list(one.logged_score),
        "rows": [[_words(row.what), *row.numbers] for row in score_rows(one)],
        "exchange": [None if cards is None else [CARD_CODES[card] for card in cards] for cards in one.exchanged],
        "tricks": tricks,
        "laid": laid,
        "scenes": _scenes(view, places),
    }


def _scenes(view: RoundView, places: dict[int, int]) -> list[dict[str, Any]]:
    """The scenes, each with what differs from the one before."""
    scenes = []
    before: dict[str, Any] = dict(CARRIED)
    hands = (0, 0, 0, 0)
    for scene in view.scenes:
        values = _carried(scene, places)
        data: dict[str, Any] = {"kind": scene.kind, "line": scene.line, "said": _words(scene.said)}
        if scene.seat is not None:
            data["seat"] = scene.seat
        data |= {key: value for key, value in values.items() if value != before[key]}
        changed = {
            str(seat): mask_text(now)
            for seat, (now, then) in enumerate(zip(scene.hands, hands, strict=True))
            if now != then
        }
        if changed:
            data["hands"] = changed
        if any(scene.marked):
            data["marked"] = [mask_text(cards) for cards in scene.marked]
        if scene.findings:
            data["findings"] = [finding_data(finding) for finding in scene.findings]
        scenes.append(data)
        before, hands = values, scene.hands
    return scenes


def _carried(scene: Scene, places: dict[int, int]) -> dict[str, Any]:
    table = scene.table
    first = places[table[0].number] if table else 0
    return {
        "trick": scene.trick,
        "move": scene.move,
        "table": [first, first + len(table)] if table else [0, 0],
        "passed": list(scene.passed),
        "turn": scene.turn,
        "wish": rank_name(scene.wish) if scene.wish else "",
        "active": list(scene.active),
        "out": list(scene.finish),
        "points": list(scene.points),
        "calls": list(scene.calls),
        "over": scene.over,
    }


def _words(words: Words) -> list[Any]:
    return [[cards_text(part)] if isinstance(part, tuple) else part for part in words]


def finding_data(finding: Finding) -> dict[str, Any]:
    """A finding, its texts safe to show on one line."""
    data: dict[str, Any] = {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "line": finding.line,
        "message": for_terminal(finding.message),
    }
    if finding.expected is not None:
        data["expected"] = value_shown(finding.expected)
    if finding.found is not None:
        data["found"] = value_shown(finding.found)
    return data


def script_json(data: object) -> str:
    """Data as JSON that can stand in a script element: ASCII, and nothing in it ends the element or begins markup."""
    return json.dumps(data, separators=(",", ":")).translate(_IN_SCRIPT)
