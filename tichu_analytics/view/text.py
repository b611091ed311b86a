"""A game, a round or a trick as a person would write it down: plain text for a terminal or a file."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tichu_analytics.record import Call, Deal, Event, Gift
from tichu_analytics.record.model import UNKNOWN_CARD
from tichu_analytics.record.notation import CARD_CODES, cards_text, mask_cards, mask_text
from tichu_analytics.replay.facts import GameReplay, RoundReplay
from tichu_analytics.replay.positions import Position, positions
from tichu_analytics.rules.cards import points
from tichu_analytics.rules.combinations import bomb_cards
from tichu_analytics.view.columns import cut, fit, fit_right, wrap
from tichu_analytics.view.course import Course, points_text
from tichu_analytics.view.saying import called, pair_text, plain
from tichu_analytics.view.score import score_rows
from tichu_analytics.view.sheet import PLACES, Paper, Sheet, available, finding_rows, shown

_HAND: Final = 14
#: The columns of the score: what it is, and a number for each team.
_WHAT: Final = 32
_NUMBER: Final = 10
_HIGH_TO_LOW: Final = {card: place for place, card in enumerate(mask_cards((1 << UNKNOWN_CARD) - 1))}


def game_text(game: GameReplay, *, width: int | None = None, encoding: str = "utf-8") -> str:
    """A whole game: what it is, then every round.

    Args:
        game: the game.
        width: lines are broken to so many cells of a terminal; None leaves them as long as they are.
        encoding: what the text will be encoded in; characters that it does not have are shown as escapes.

    Returns:
        The text, which ends with a line end. Everything from the log is harmless in it.
    """
    paper = Paper(width, encoding)
    lines = _game_lines(game, paper)
    for one in game.rounds:
        lines += ["", *_round_sheet(game, one, paper).lines()]
    return _joined(lines)


def round_text(game: GameReplay, number: int, *, width: int | None = None, encoding: str = "utf-8") -> str:
    """One round: seats, cards dealt, exchange, tricks, score, with the findings at the lines where they show.

    Args:
        game: the game.
        number: the number of the round, from 1.
        width, encoding: as for :func:`game_text`.

    Raises:
        ValueError: if the game has no such round; the message says which it has.
    """
    return _joined(_round_sheet(game, _round(game, number), Paper(width, encoding)).lines())


def trick_text(game: GameReplay, number: int, trick: int, *, width: int | None = None, encoding: str = "utf-8") -> str:
    """One trick: the hands before it and its moves.

    Args:
        game: the game.
        number: the number of the round, from 1.
        trick: the number of the trick in that round, from 1.
        width, encoding: as for :func:`game_text`.

    Raises:
        ValueError: if there is no such round or trick; the message says which there are.
    """
    one = _round(game, number)
    if not 1 <= trick <= len(one.tricks):
        raise ValueError(f"there is no trick {trick} in round {number}: {available('trick', len(one.tricks))}")
    paper = Paper(width, encoding)
    places = game.game.places
    sheet = Sheet(one, paper, places)
    _heading(sheet, game, one)
    position = _position_before(one, trick)
    sheet.heading(f"Hands before trick {trick}")
    for seat in range(4):
        held = mask_text(position.hands[seat]) or ("out" if seat not in position.active else "not known")
        sheet.row(None, f"{sheet.player(seat)}  {held}", 4)
    top = sheet.lines()
    course = Sheet(one, paper, places)
    Course(course, one).write()
    return _joined([*top, *course.lines(trick)])


def _round(game: GameReplay, number: int) -> RoundReplay:
    for one in game.rounds:
        if one.number == number:
            return one
    raise ValueError(f"there is no round {number} in this game: {available('round', len(game.rounds))}")


def _position_before(one: RoundReplay, trick: int) -> Position:
    first_line = one.tricks[trick - 1].first_line
    steps = positions(one)
    last = next(steps)
    for position in steps:
        if position.event is not None and position.event.line >= first_line:
            break
        last = position
    return last


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(lines) + "\n"


# Headings -----------------------------------------------------------------------------------------------------------


def _game_lines(game: GameReplay, paper: Paper) -> list[str]:
    """What the game is, how it ended, and the findings that concern no single round."""
    record = game.game
    n_rounds = len(game.rounds)
    rows = [f"Game {shown(record.game_id, paper)}", f"  file:   {shown(record.path, paper)}"]
    if record.month is not None:
        rows.append(f"  month:  {record.month[:4]}-{record.month[4:]}")
    rows.append(f"  rules:  {shown(game.rules, paper)}")
    end = {"finished": "finished", "unfinished": "not finished", "overplayed": "played on after its end"}[game.outcome]
    won = "" if game.winner is None else f", won by team {game.winner}"
    places = record.places
    if places is not None and record.rounds:
        ends = (record.rounds[0].first_line, record.rounds[-1].last_line)
        first, last = (places.line(places.pointer(number)) for number in ends)
        if first == last:
            rows.append(f"  line:   {first}, on which the whole record stands; in front of rows are running numbers")
    rows.append(f"  rounds: {n_rounds}; total {pair_text(game.totals)}; {end}{won}")
    for finding in game.findings:
        if finding.round is None:
            start = f"  line {finding.line}  >>> "
            for row in finding_rows(finding, paper):
                rows.append(start + row)
                start = " " * len(start)
    if paper.width is None:
        return rows
    return [part for row in rows for part in wrap(row, max(paper.width, 20), 10)]


def _heading(sheet: Sheet, game: GameReplay, one: RoundReplay) -> None:
    """What the round is, and who sits where."""
    game_id = shown(game.game.game_id, sheet.paper)
    first, last = sheet.span
    lines = f"line {first}" if first == last and game.game.places is not None else f"lines {first}-{last}"
    sheet.title(
        f"Round {one.number} of {len(game.rounds)}, {lines}; game {game_id}, rules {shown(game.rules, sheet.paper)}"
    )
    sheet.heading("Seats")
    for seat in range(4):
        name = sheet.names[seat] or "(no name)"
        dealt_to = [deal.name for deal in (one.record.first8[seat], one.record.dealt[seat]) if deal is not None]
        others = [shown(other, sheet.paper) for other in dict.fromkeys(dealt_to) if other != one.record.names[seat]]
        note = f"   (in the deal: {', '.join(other or 'no name' for other in others)})" if others else ""
        sheet.row(None, f"{seat}  team {seat % 2}  {name}{note}", 11)


# A round ------------------------------------------------------------------------------------------------------------


def _round_sheet(game: GameReplay, one: RoundReplay, paper: Paper) -> Sheet:
    sheet = Sheet(one, paper, game.game.places)
    _heading(sheet, game, one)
    _set_up(sheet, one)
    _held(sheet, one)
    course = Course(sheet, one)
    late: tuple[Event, ...] = ()
    if one.record.play_line or one.record.events:
        late = course.write()
    _score(sheet, one)
    if late:
        course.late(late)
    sheet.findings()
    return sheet


def _set_up(sheet: Sheet, one: RoundReplay) -> None:
    """What was dealt, called and given before the course of the round, in the order of the log."""
    record = one.record
    entries: list[tuple[int, str, Deal | Gift | Call]] = [
        *((deal.line, "First eight cards", deal) for deal in record.first8 if deal is not None),
        *((deal.line, "Dealt", deal) for deal in record.dealt if deal is not None),
        *((gift.line, "Exchange", gift) for gift in record.gifts if gift is not None),
        *((call.line, "", call) for call in record.calls),
    ]
    entries.sort(key=lambda entry: entry[0])
    section = ""
    for line, heading, entry in entries:
        sheet.findings(line - 1)
        if heading and heading != section:
            section = heading
            sheet.heading(heading)
        player = sheet.player(entry.seat)
        if isinstance(entry, Deal):
            sheet.row(line, f"{player}  {_high_to_low(entry.cards)}", len(player) + 2)
        elif isinstance(entry, Gift):
            sheet.row(line, f"{player}  {_given(sheet, entry)}", len(player) + 2)
        else:
            sheet.row(line, f"{player}  {called(entry)}", len(player) + 2)


def _high_to_low(cards: Iterable[int]) -> str:
    """The cards of a line from high to low, those that could not be read last; nothing is left out."""
    text = cards_text(sorted(cards, key=lambda card: _HIGH_TO_LOW.get(card, UNKNOWN_CARD)))
    return text or "no cards"


def _given(sheet: Sheet, gift: Gift) -> str:
    parts = []
    for card, step in zip(gift.cards, (1, 2, 3), strict=True):
        parts.append(f"{CARD_CODES[card]} to {sheet.label((gift.seat + step) % 4)}")
    return ", ".join(parts)


def _held(sheet: Sheet, one: RoundReplay) -> None:
    """The hands after the exchange and the bombs in them, and whose bombs the log tells of."""
    record = one.record
    if not any(one.held) or not (any(record.gifts) or record.events):
        return
    sheet.heading("Held after the exchange")
    for seat in range(4):
        player = sheet.player(seat)
        cards = one.held[seat]
        count = cards.bit_count()
        said = mask_text(cards) or "not known"
        if cards and count != _HAND:
            said += f" ({count} cards are known)"
        sheet.row(None, f"{player}  {said}", len(player) + 2)
        bomb = bomb_cards(cards)
        if bomb:
            sheet.row(None, f"{' ' * len(player)}  has a bomb in {mask_text(bomb)}", len(player) + 2)
    bombs = record.bomb_line
    if bombs is not None:
        names = [
            sheet.label(seat) if 0 <= seat <= 3 else cut(shown(name, sheet.paper), 24) or "?"
            for seat, name in zip(bombs.seats, bombs.names, strict=False)
        ]
        sheet.row(bombs.line, f"the log gives a bomb to: {', '.join(names) or 'nobody'}")
    sheet.findings(record.play_line)


# Score --------------------------------------------------------------------------------------------------------------


def _score(sheet: Sheet, one: RoundReplay) -> None:
    """How the round came out: finish, points, calls, score against the log, totals."""
    sheet.heading("Result")
    _finish(sheet, one)
    teams = (f"{sheet.label(0)}, {sheet.label(2)}", f"{sheet.label(1)}, {sheet.label(3)}")
    sheet.row(None, f"team 0: {teams[0]}")
    sheet.row(None, f"team 1: {teams[1]}")
    _numbers(sheet, None, "", ("team 0", "team 1"))
    labels = [sheet.label(seat) for seat in range(4)]
    for row in score_rows(one):
        _numbers(sheet, row.number, plain(row.what, labels), row.numbers)


def _numbers(sheet: Sheet, line: int | None, what: str, numbers: tuple[str, str]) -> None:
    """Writes a row with a number for each team."""
    first, second = (fit_right(number, _NUMBER) for number in numbers)
    sheet.row(line, f"{fit(what, _WHAT)}{first}{second}")


def _finish(sheet: Sheet, one: RoundReplay) -> None:
    """Who went out when, and what became of the last player's cards."""
    out = [f"{PLACES[place]} {sheet.label(seat)}" for place, seat in enumerate(one.finish)]
    sheet.row(None, f"out: {', '.join(out) or 'nobody'}")
    if one.complete:
        taken = [f"{sheet.label(seat)} {one.points_taken[seat]}" for seat in range(4)]
        sheet.row(None, f"points taken: {', '.join(taken)}")
    if not one.complete or one.double_victory is not None or len(one.finish) != 3:
        return
    last = 6 - sum(one.finish)
    *_, end = positions(one)
    left = end.hands[last]
    sheet.row(
        None,
        f"last is {sheet.label(last)}: {points_text(one.points_taken[last])} taken go to {sheet.label(one.finish[0])}, "
        f"{mask_text(left) or 'no cards'} ({points_text(points(left))}) to team {1 - last % 2}",
    )
