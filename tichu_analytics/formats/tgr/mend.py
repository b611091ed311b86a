"""Takes out of a document what is not as the format asks for, so that the rest of it can be read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from tichu_analytics.formats.tgr.notation import NO_CARD, is_card

_HANDS: Final = ("first8", "dealt", "exchange")
#: Stands for what could not be read.
_LOST: Final[dict[str, Any]] = {"event": "unreadable", "text": None}
_REQUIRED: Final = {
    "play": {"seat", "cards"},
    "pass": {"seat"},
    "collect": {"seat"},
    "wish": {"rank"},
    "gift": {"to"},
    "call": {"seat", "call"},
    "unreadable": {"text"},
}
#: Fields of a round that are left out if there is anything wrong in them.
_WHOLE: Final = ("players", "deal_players", "bombs", "score")
_FIELDS: Final = frozenset((*_HANDS, *_WHOLE, "calls", "events", "bsw", None))


class Unmendable(Exception):
    """So much is wrong with a document that nothing of it can be read."""


def mended(document: Any, pointers: Iterable[str]) -> dict[str, Any]:
    """The document without the places that are wrong.

    Words that are no cards are marked as that, events without what they must have become unreadable without a text, and
    other fields are left out; so are all ``bsw`` fields, since a log that is described wrongly cannot be written out.

    Args:
        document: any JSON value.
        pointers: where something is wrong.

    Raises:
        Unmendable: if it is no game of this version with a list of rounds.
    """
    wrong: dict[str | None, Any] = {}
    for pointer in pointers:
        node = wrong
        for part in pointer.split("/")[1:]:
            node = node.setdefault(part.replace("~1", "/").replace("~0", "~"), {})
        # The place itself; a field may have any name.
        node[None] = True
    if not isinstance(document, dict) or document.get("tgr") != 1 or "tgr" in wrong:
        raise Unmendable
    rounds = document.get("rounds")
    bad_rounds = wrong.get("rounds", {})
    if not isinstance(rounds, list) or None in bad_rounds:
        raise Unmendable
    good = {name: value for name, value in document.items() if name not in wrong and name not in ("rounds", "bsw")}
    good["rounds"] = [_round(one, bad_rounds.get(str(index), {})) for index, one in enumerate(rounds)]
    return good


def _round(one: Any, wrong: Mapping[str | None, Any]) -> dict[str, Any]:
    if not isinstance(one, dict):
        one = {}
    good = {name: one[name] for name in _WHOLE if name in one and name not in wrong}
    for name in _HANDS:
        hands, bad = one.get(name), wrong.get(name, {})
        if not isinstance(hands, list) or len(hands) != 4 or None in bad:
            hands = [None] * 4
        good[name] = [_readable(cards) if str(seat) in bad else cards for seat, cards in enumerate(hands)]
    calls, bad = one.get("calls"), wrong.get("calls", {})
    if isinstance(calls, list) and None not in bad:
        good["calls"] = [call for index, call in enumerate(calls) if str(index) not in bad]
    if bad or None in wrong.get("events", {}) or ("calls" not in one and not wrong.keys() <= _FIELDS):
        # Without a call or events (an unknown field may be the calls) nobody can say what the score should be.
        good.pop("score", None)
    events, bad = one.get("events"), wrong.get("events", {})
    if not isinstance(events, list) or None in bad:
        good["events"] = [_LOST]
    else:
        good["events"] = [
            _event(event, bad[str(index)]) if str(index) in bad else event for index, event in enumerate(events)
        ]
    return good


def _event(event: Any, wrong: Mapping[str | None, Any]) -> dict[str, Any]:
    """An event without what is wrong with it; unreadable if it lacks what it must have."""
    if not isinstance(event, dict) or None in wrong or "event" in wrong:
        return _LOST
    good = {name: value for name, value in event.items() if name not in wrong}
    if "cards" in wrong and (cards := _readable(event.get("cards"))) is not None:
        good["cards"] = cards
    if _REQUIRED[event["event"]] <= good.keys():
        return good
    # The cards of a play tell whose it may have been.
    return {**_LOST, "cards": good["cards"]} if "cards" in good else _LOST


def _readable(cards: Any) -> str | None:
    """Cards text in which every word that is no card is marked as that; None if there is none."""
    words = cards.split() if isinstance(cards, str) else []
    return " ".join([word if is_card(word) else NO_CARD + word for word in words]) or None
