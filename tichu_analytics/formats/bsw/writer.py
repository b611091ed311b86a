"""Writes records as BrettspielWelt logs, to the byte as the server writes them."""

from __future__ import annotations

import re
from typing import Final

from tichu_analytics.formats.bsw.lines import (
    CARD_NAMES,
    DEALT_HEADER,
    EXCHANGE_HEADER,
    FIRST8_HEADER,
    PLAY_HEADER,
    WISH_RANKS,
)
from tichu_analytics.record import Call, Deal, Event, EventKind, Game, Gift, Round
from tichu_analytics.record.model import BombLine

_RANK_NAMES: Final = {number: name for name, number in WISH_RANKS.items()}
# What would make a line mean something else: blank, colon and control characters; the no-break space is allowed.
_NO_NAME: Final = re.compile("[\x00-\x20:\x7f-\x9f]")


class Unwritable(ValueError):
    """A record says something for which a BrettspielWelt log has no words."""


def write_game(game: Game) -> str:
    """The game as the text of a ``.tch`` file.

    Cards stand in the order in which the record has them. What has no place in such a log (rule set, game id, a
    declared rank of the Phoenix, blanks that were missing) is left out.

    Raises:
        Unwritable: for unknown cards and seats, unreadable lines, names with blanks, colons or control characters, and
            rounds that are damaged otherwise than by breaking off.
    """
    lines: list[str] = []
    for one in game.rounds:
        lines += _round_lines(one)
    return "".join([f"{line}\n" for line in lines])


def _round_lines(one: Round) -> list[str]:
    lines = [FIRST8_HEADER, *[_deal(deal) for deal in one.first8 if deal is not None]]
    later = bool(one.calls or any(one.gifts) or one.bomb_line or one.play_line)
    # A round that breaks off may do so just after a header.
    if later or any(one.dealt) or _room(one, lines):
        lines.append(DEALT_HEADER)
        lines += [_deal(deal) for deal in one.dealt if deal is not None]
    lines += [_call(call) for call in one.calls if not call.exchange_begun]
    if any(one.gifts) or one.play_line or _room(one, lines):
        lines.append(EXCHANGE_HEADER)
        lines += _exchange_lines(one)
    if one.play_line:
        if None in one.first8 or None in one.dealt or None in one.gifts:
            raise Unwritable(f"round {one.number} lacks cards of the deal or the exchange")
        lines.append(PLAY_HEADER)
        result = one.result
        lines += [_event(event) for event in one.events if result is None or not 0 < result.line < event.line]
        if result is not None:
            if result.score_0 is None or result.score_1 is None:
                raise Unwritable(f"round {one.number} has a result that is not two numbers")
            lines.append(f"Ergebnis: {result.score_0} - {result.score_1}")
            lines += [_event(event) for event in one.events if 0 < result.line < event.line]
    return lines


def _room(one: Round, lines: list[str]) -> bool:
    """Whether a round that breaks off has more lines in its log than are written so far."""
    cut = 1 if one.cut else 0
    return one.result is None and not one.play_line and one.last_line - one.first_line + 1 - cut > len(lines)


def _exchange_lines(one: Round) -> list[str]:
    entries: list[tuple[int, str]] = [(gift.line, _gift(gift)) for gift in one.gifts if gift is not None]
    entries += [(call.line, _call(call)) for call in one.calls if call.exchange_begun]
    if one.bomb_line is not None:
        entries.append((one.bomb_line.line, _bombs(one.bomb_line)))
    entries.sort(key=lambda entry: entry[0])
    return [text for _, text in entries]


def _player(seat: int, name: str) -> str:
    if not 0 <= seat <= 3:
        raise Unwritable(f"there is no seat {seat}")
    return f"({seat}){_name(name)}"


def _name(name: str) -> str:
    if _NO_NAME.search(name):
        raise Unwritable(f"a log cannot hold the name {name!r}")
    return name


def _cards(cards: tuple[int, ...]) -> str:
    if not all(0 <= card < len(CARD_NAMES) for card in cards):
        raise Unwritable("a card is unknown")
    return "".join([f"{CARD_NAMES[card]} " for card in cards])


def _deal(deal: Deal) -> str:
    return f"{_player(deal.seat, deal.name)} {_cards(deal.cards)}"


def _call(call: Call) -> str:
    return f"{'Grosses Tichu' if call.grand else 'Tichu'}: {_player(call.seat, call.name)}"


def _gift(gift: Gift) -> str:
    if not gift.complete or len(gift.names) != 3:
        raise Unwritable(f"seat {gift.seat} gives other than three known cards")
    given = "".join([f"{_name(name)}: {_cards((card,))}- " for name, card in zip(gift.names, gift.cards, strict=True)])
    return f"{_player(gift.seat, gift.name)} gibt: {given}"


def _bombs(line: BombLine) -> str:
    return "".join(["BOMBE: ", *[f"{_player(*holder)} " for holder in zip(line.seats, line.names, strict=True)]])


def _event(event: Event) -> str:
    kind = event.kind
    if kind == EventKind.PASS:
        return f"{_player(event.seat, event.name)} passt."
    if kind == EventKind.PLAY:
        return f"{_player(event.seat, event.name)}: {_cards(event.cards)}"
    if kind == EventKind.WISH:
        rank = _RANK_NAMES.get(event.value)
        if rank is None:
            raise Unwritable("a wish is for no rank")
        return f"Wunsch:{rank}"
    if kind == EventKind.GIFT:
        return f"Drache an: {_player(event.seat, event.name)}"
    if kind in (EventKind.TICHU, EventKind.GRAND):
        return f"{'Grosses Tichu' if kind == EventKind.GRAND else 'Tichu'}: {_player(event.seat, event.name)}"
    raise Unwritable(f"line {event.line} could not be read, so it cannot be written")
