"""Games with one fault of a chosen kind: what the fault is, where it shows, and a game in which there is occasion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.record import EventKind, Game, Round
from tichu_analytics.rules.cards import SUITED
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.edits import EDITS, with_round
from tichu_analytics.simulate.game import Act, RoundPlay
from tichu_analytics.simulate.illegal import KINDS
from tichu_analytics.simulate.mischief import Done, Mischief, shown
from tichu_analytics.simulate.notes import Note, SimulatedGame
from tichu_analytics.simulate.skilled_round import Course, Seated, SkilledRound, play_skilled_game

#: How many games are played at most to find one with an occasion for a fault.
_ATTEMPTS: Final = 500

# After these a replay may come to another score than the table did, and with it to another end of the game; so they
# happen in the last round only.
_LAST_ROUND: Final = ("line_out_of_turn", "line_lower_single", "card_not_held", "card_replaced")
_NEARLY_OVER: Final = 800


class FaultKind(NamedTuple):
    """A kind of fault: the finding that a check reports, under ``bsw``, and what is wrong in words."""

    finding: str
    what: str


#: The kinds of faults by name.
FAULTS: Final[dict[str, FaultKind]] = {
    "not_higher": FaultKind("not-higher", "a play that does not beat what lies on the table"),
    "phoenix_on_dragon": FaultKind("not-higher", "the Phoenix is played on the Dragon"),
    "other_combination": FaultKind("wrong-combination", "another kind or length than the trick asks for"),
    "no_combination": FaultKind("no-combination", "two cards that are no combination"),
    "wish_passed": FaultKind("wish-ignored", "a player who could meet the wish passes"),
    "wish_not_followed": FaultKind("wish-ignored", "a player who could meet the wish plays something else"),
    "wish_not_led": FaultKind("wish-ignored", "a player who holds the wished rank leads something else"),
    "wrong_leader": FaultKind("wrong-leader", "somebody leads who has not the lead"),
    "bomb_on_empty_table": FaultKind("bomb-on-empty-table", "a bomb before the player on lead has led"),
    "skipped_pass": FaultKind("out-of-turn", "a player is skipped: the next one passes"),
    "skipped_play": FaultKind("out-of-turn", "somebody plays, no bomb, before the turn comes round"),
    "dog_on_trick": FaultKind("dog-not-led", "the Dog is played on a trick"),
    "pass_on_lead": FaultKind("pass-on-lead", "the player on lead passes"),
    "not_taken": FaultKind("trick-not-taken", "the owner of a trick leads without having taken it"),
    "taken_early": FaultKind("out-of-turn", "the owner takes the trick although somebody has not passed"),
    "dragon_kept": FaultKind("gift-missing", "the Dragon's trick is not given away"),
    "dragon_to_own_team": FaultKind("gift-to-own-team", "the Dragon's trick goes to its owner's team"),
    "card_not_held": FaultKind("card-not-held", "a card is written that is in another hand"),
    "late_tichu": FaultKind("tichu-too-late", "Tichu by a player who has played cards"),
    "line_out_of_turn": FaultKind("out-of-turn", "a line of a play that did not happen, by somebody not to act"),
    "line_lower_single": FaultKind("not-higher", "a line of a play that did not happen, of too low a card"),
    "line_doubled_pass": FaultKind("out-of-turn", "a pass stands on two lines"),
    "line_gift": FaultKind("gift-not-due", "a Dragon gift where nothing is to be given"),
    "line_wish": FaultKind("wish-repeated", "a second wish"),
    "wrong_score": FaultKind("wrong-score", "ten points on the wrong side"),
    "dragon_shifted": FaultKind("dragon-points-shifted", "25 points on the wrong side"),
    "bonus_missing": FaultKind("call-bonus-missing", "the 200 of a Grand Tichu is not booked"),
    "bomb_line_wrong": FaultKind("bomb-line-wrong", "the line BOMBE: names another seat"),
    "call_doubled": FaultKind("call-doubled", "the same call on two lines in succession"),
    "late_call": FaultKind("tichu-just-late", "the line of a Tichu directly after the caller's first play"),
    "gift_nameless": FaultKind("name-missing", "a Dragon gift to a seat without its name"),
    "pass_after_end": FaultKind("pass-after-end", "a pass after the round is over"),
    "exchange_not_held": FaultKind("exchange-not-held", "a card is given that its giver has not"),
    "card_replaced": FaultKind("card-not-held", "a card is written one rank higher than it was"),
    "unknown_line": FaultKind("unknown-line", "a line that has nothing to do with the game"),
    "unknown_card": FaultKind("unknown-card", "a damaged card"),
    "truncated": FaultKind("truncated", "the log breaks off in the middle of a line"),
}


def unknown_line(game: Game, index: int) -> tuple[str, int] | None:
    """A remark of some program among the lines of a round; the text and the line."""
    lines = write_game(game).split("\n")
    line = game.rounds[index].events[12].line
    lines.insert(line - 1, "<<< connection lost, trying again >>>")
    return "\n".join(lines), line


def unknown_card(game: Game, index: int) -> tuple[str, int] | None:
    """A damaged letter: a card of a pair has a suit that there is not; the text and the line."""
    for event in game.rounds[index].events[10:]:
        if event.kind == EventKind.PLAY and len(event.cards) == 2 and event.mask & ~SUITED == 0:
            lines = write_game(game).split("\n")
            words = lines[event.line - 1].split(" ")
            words[1] = "X" + words[1][1:]
            lines[event.line - 1] = " ".join(words)
            return "\n".join(lines), event.line
    return None


def cut_within(game: Game, index: int, line: int, half: bool) -> str:
    """The text of a game that breaks off in a round: after a line, or, cut in half, in the middle of it.

    Args:
        game: the game.
        index: of the round.
        line: a line of the round before its result.
        half: whether the last line is not whole.
    """
    lines = write_game(game).split("\n")[:line]
    if half:
        last = lines[-1]
        lines[-1] = last[: max(1, len(last) // 2)]
        return "\n".join(lines)
    return "\n".join(lines) + "\n"


def _truncated(game: Game, index: int) -> tuple[str, int] | None:
    line = game.rounds[index].events[20].line
    return cut_within(game, index, line, True), line


_TEXTS: Final[dict[str, Callable[[Game, int], tuple[str, int] | None]]] = {
    "unknown_line": unknown_line,
    "unknown_card": unknown_card,
    "truncated": _truncated,
}


def faulty_game(kind: str, seed: str, game_id: str, members: Seated) -> SimulatedGame:
    """A game with one fault of a kind; from an illegal act the game is really played on.

    Args:
        kind: a name of :data:`FAULTS`.
        seed: of the game.
        game_id: its number as text.
        members: who sits where.

    Raises:
        ValueError: if there is no such kind.
    """
    if kind not in FAULTS:
        raise ValueError(f"there is no kind of fault {kind!a}; the kinds are {', '.join(FAULTS)}")
    for attempt in range(_ATTEMPTS):
        where = Dice(f"{seed}:fault:{attempt}")
        dice = Dice(f"{seed}:{attempt}")
        found = _acted(kind, dice, where, game_id, members) if kind in KINDS else None
        if kind not in KINDS:
            found = _edited(kind, play_skilled_game(dice, game_id, members), where)
        if found is not None:
            return found
    raise AssertionError(f"no occasion for {kind} in {_ATTEMPTS} games")


def _note(kind: str, number: int, line: int) -> Note:
    return Note(kind, number, line, FAULTS[kind].finding, FAULTS[kind].what)


def played_with(kind: str, dice: Dice, where: Dice, game_id: str, members: Seated) -> tuple[Game, Note] | None:
    """A game in which an illegal act of a kind happens once, and the note on it; None without an occasion.

    Args:
        kind: a name of :data:`tichu_analytics.simulate.illegal.KINDS`.
        dice: the game's chance.
        where: decides from which round on an occasion is looked for, and what is done.
        game_id: the game's number as text.
        members: who sits where.
    """
    begin = 1 + where.below(6)
    tried: list[tuple[int, Mischief]] = []

    def mischief(number: int) -> Callable[[RoundPlay], Act | None] | None:
        if number < begin or any(one.done for _, one in tried):
            return None
        one = Mischief((kind,), where)
        tried.append((number, one))
        return late(one) if kind in _LAST_ROUND else one

    game = play_skilled_game(dice, game_id, members, Course(mischief))
    for number, one in tried:
        if one.done:
            if number > len(game.rounds) or (kind in _LAST_ROUND and number < len(game.rounds)):
                return None
            done = shown(one.done, game.rounds[number - 1])
            return (game, _done_note(done[0], game.rounds[number - 1])) if done else None
    return None


def late(one: Mischief) -> Callable[[RoundPlay], Act | None]:
    """A mischief that waits until a team is near the end of the game."""

    def act(play: RoundPlay) -> Act | None:
        totals = play.totals if isinstance(play, SkilledRound) else (0, 0)
        return one(play) if max(totals) >= _NEARLY_OVER else None

    return act


def _acted(kind: str, dice: Dice, where: Dice, game_id: str, members: Seated) -> SimulatedGame | None:
    found = played_with(kind, dice, where, game_id, members)
    if found is None:
        return None
    game, note = found
    return SimulatedGame(game_id, game, write_game(game), (note,))


def _done_note(done: Done, one: Round) -> Note:
    note = _note(done.kind, one.number, done.line)
    if done.kind == "late_tichu":
        before = [event for event in one.events if event.line < done.line]
        caller = next(event.seat for event in one.events if event.line == done.line)
        plays = sum(event.kind == EventKind.PLAY and event.seat == caller for event in before)
        if plays == 1 and before[-1].kind == EventKind.PLAY and before[-1].seat == caller:
            return note._replace(finding="tichu-just-late")
    return note


def _edited(kind: str, game: Game, where: Dice) -> SimulatedGame | None:
    index = where.below(len(game.rounds))
    if kind in _TEXTS:
        if len(game.rounds[index].events) < 30:
            return None
        made = _TEXTS[kind](game, index)
        if made is None:
            return None
        text, line = made
        game = read_game(text.encode(), game.path, game.game_id)
        return SimulatedGame(game.game_id, game, text, (_note(kind, index + 1, line),))
    edit, _ = EDITS[kind]
    last = len(game.rounds) - 1
    for step in range(1 if kind in _LAST_ROUND else len(game.rounds)):
        place = last if kind in _LAST_ROUND else (index + step) % len(game.rounds)
        edited = edit(game.rounds[place], where)
        if edited is not None:
            game = with_round(game, place, edited.one)
            return SimulatedGame(game.game_id, game, write_game(game), (_note(kind, place + 1, edited.line),))
    return None
