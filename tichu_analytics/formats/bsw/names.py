"""Who sits where in a round of a BrettspielWelt log, and lines that name somebody else.

The seat number is the identity, the name comes with it. A substitute's name appears from the exchange on; the deal
still has the old one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tichu_analytics.record import Deal, EventKind, Gift, Problem, Round

Names = tuple[str, str, str, str]


def names_of_round(first8: Sequence[Deal | None], dealt: Sequence[Deal | None], gifts: Sequence[Gift | None]) -> Names:
    """The name of each seat from the exchange on; the deal's where the round breaks off before."""
    names = []
    for seat in range(4):
        entry = gifts[seat] or first8[seat] or dealt[seat]
        names.append(entry.name if entry is not None else "")
    return names[0], names[1], names[2], names[3]


def check_names(one: Round) -> tuple[bool, list[Problem]]:
    """Compares the names of all lines of a round.

    Returns:
        Whether every line has the name of its seat, and what is worth a finding: a name that changes with the exchange
        (note, one a seat), another name elsewhere (warning, one for each other name), a missing name (note).
    """
    names = one.names
    if _all_plain(one, names):
        return True, []
    return False, _differences(one)


def _all_plain(one: Round, names: Names) -> bool:
    for seat in range(4):
        first8, dealt, gift = one.first8[seat], one.dealt[seat], one.gifts[seat]
        name = names[seat]
        if (first8 is not None and first8.name != name) or (dealt is not None and dealt.name != name):
            return False
        if gift is not None and gift.names != (names[(seat + 1) % 4], names[(seat + 2) % 4], names[(seat + 3) % 4]):
            return False
    if any(call.name != names[call.seat] for call in one.calls):
        return False
    if one.bomb_line is not None and any(
        seat >= 0 and name != names[seat] for seat, name in zip(one.bomb_line.seats, one.bomb_line.names, strict=True)
    ):
        return False
    return not any(event.seat >= 0 and event.name != names[event.seat] for event in one.events)


def _lines_with_names(one: Round) -> Iterator[tuple[int, int, str]]:
    """All lines that name a player, but for the receivers of gifts: line, seat, name, in the order of the log."""
    found = [(deal.line, deal.seat, deal.name) for deal in (*one.first8, *one.dealt) if deal is not None]
    found += [(call.line, call.seat, call.name) for call in one.calls]
    found += [(gift.line, gift.seat, gift.name) for gift in one.gifts if gift is not None]
    if one.bomb_line is not None:
        found += [
            (one.bomb_line.line, seat, name)
            for seat, name in zip(one.bomb_line.seats, one.bomb_line.names, strict=True)
            if seat >= 0
        ]
    found += [(event.line, event.seat, event.name) for event in one.events if event.seat >= 0]
    yield from sorted(found, key=lambda entry: entry[0])


def _settled_names(one: Round, old: Names) -> Names:
    """The names that hold from the exchange on.

    The giver's name, unless the later lines of the seat all go back to the name of the deal: then that one line is odd.
    """
    settled = []
    for seat in range(4):
        gift = one.gifts[seat]
        name = one.names[seat]
        if gift is not None and gift.name != old[seat]:
            later = {event.name for event in one.events if event.seat == seat and event.kind != EventKind.UNREADABLE}
            if old[seat] in later and gift.name not in later:
                name = old[seat]
        settled.append(name)
    return settled[0], settled[1], settled[2], settled[3]


def _differences(one: Round) -> list[Problem]:
    deal_names = []
    odd = {problem.line for problem in one.problems}
    for seat in range(4):
        entry = one.first8[seat] or one.dealt[seat]
        if entry is not None and entry.line in odd and one.dealt[seat] is not None:
            # A line on which something else is wrong may have another seat's number.
            entry = one.dealt[seat]
        deal_names.append(entry.name if entry is not None else one.names[seat])
    old: Names = (deal_names[0], deal_names[1], deal_names[2], deal_names[3])
    new = _settled_names(one, old)
    exchange = min((gift.line for gift in one.gifts if gift is not None), default=one.play_line or one.last_line + 1)
    problems: list[Problem] = []
    reported: set[tuple[int, str]] = set()
    receivers = _wrong_receivers(one, new)
    for line, seat, name in _lines_with_names(one):
        problems += receivers.pop(line, [])
        if name == new[seat]:
            if name == old[seat] or (seat, name) in reported:
                continue
            reported.add((seat, name))
            was = f"the deal names {_quoted(old[seat])} at seat {seat}, from here on it is {_quoted(name)}"
            problems.append(Problem(line, "name-changed", seat, was, _short(old[seat]), _short(name)))
        elif (name == old[seat] and line < exchange) or (seat, name) in reported:
            continue
        else:
            reported.add((seat, name))
            problems.append(_other(line, seat, new[seat] if line >= exchange else old[seat], name))
    return problems


def _other(line: int, seat: int, expected: str, found: str) -> Problem:
    expected, found = _short(expected), _short(found)
    if not found:
        return Problem(line, "name-missing", seat, f"the name of {expected} (seat {seat}) is missing", expected, found)
    message = f"seat {seat} is {_quoted(expected)}, but the line names {_quoted(found)}"
    return Problem(line, "other-name", seat, message, expected, found)


def _wrong_receivers(one: Round, names: Names) -> dict[int, list[Problem]]:
    """Gift lines whose receivers have other names than the seats in those places: by line, one a line."""
    found: dict[int, list[Problem]] = {}
    for gift in one.gifts:
        if gift is None or len(gift.names) != 3:
            continue
        for step, name in enumerate(gift.names, start=1):
            seat = (gift.seat + step) % 4
            if name != names[seat]:
                found[gift.line] = [_other(gift.line, seat, names[seat], name)]
                break
    return found


def _quoted(name: str) -> str:
    return _short(name) or "nobody"


def _short(name: str) -> str:
    return name if len(name) <= 40 else name[:39] + "…"
