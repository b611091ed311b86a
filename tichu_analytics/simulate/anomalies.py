"""The mix of oddities that the archive of real logs has, put into simulated games at the archive's rates.

The rates are those counted in all 2.4 million logs of 2007 to 2025 where somebody counted them; for the others, which
are marked, about as often as they were seen in the few logs at hand.
"""

from __future__ import annotations

from typing import Final

from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.record import Game
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.edits import EDITS, other_in_deal, renumbered, unsorted, with_round
from tichu_analytics.simulate.faults import FAULTS, cut_within, played_with
from tichu_analytics.simulate.notes import Note, SimulatedGame
from tichu_analytics.simulate.skilled_round import Course, LowPhoenix, Seated, play_skilled_game
from tichu_analytics.simulate.skills import Pool

#: Of a million games so many have it.
PER_GAME: Final[dict[str, int]] = {
    # A player change in 6.7 % of games; how it divides is a guess.
    "player_changed": 44_000,
    "player_changed_in_round": 15_000,
    "names_in_other_order": 9_000,
    # Logs up to about the hundred thousandth.
    "first8_unsorted": 42_000,
    # Games that stop short: 2.8 % in all, 0.6 % in the middle of a round; logs without any whole round.
    "abandoned": 22_000,
    "truncated": 6_000,
    "no_round": 5_800,
    "overplayed": 820,
}
#: Of a million rounds so many have it.
PER_ROUND: Final[dict[str, int]] = {
    "phoenix_low": 950,
    "bonus_missing": 770,
    "dragon_shifted": 45,
    "wrong_score": 60,
    "dragon_to_own_team": 14,
    "late_tichu": 13,
    "wish_passed": 9,
    # Guesses: seen once or twice in the logs at hand.
    "call_doubled": 3_000,
    "gift_nameless": 1_000,
    "late_call": 60,
    "pass_after_end": 60,
}
_MILLION: Final = 1_000_000
_ACTS: Final = ("dragon_to_own_team", "late_tichu", "wish_passed")
# Lines are put in before others are noted, so that no note loses its line; all others leave the lines as they are.
_EDITED: Final = (
    "call_doubled",
    "pass_after_end",
    "late_call",
    "gift_nameless",
    "bonus_missing",
    "dragon_shifted",
    "wrong_score",
)
#: About how many rounds a game has, and how often a doubtful Phoenix that is meant low is beaten by what is in between.
_ROUNDS: Final = 10
_LOW_PERCENT: Final = 7


def anomalous_game(seed: str, game_id: str, members: Seated, pool: Pool, times: int) -> SimulatedGame:
    """A game with the oddities that chance gives it.

    Args:
        seed: of the game.
        game_id: its number as text.
        members: who sits where.
        pool: where substitutes come from.
        times: how many times as often as in the archive, 0 for never.
    """
    luck = Dice(f"{seed}:anomalies")
    happens = {kind: luck.below(_MILLION) < rate * times for kind, rate in PER_GAME.items()}
    number = 2 + luck.below(3)
    seat = luck.below(4)
    changes = {}
    if happens["player_changed"] or happens["player_changed_in_round"]:
        changes[number] = (seat, pool.another(luck, [member.name for member in members]))
    low = LowPhoenix(Dice(f"{seed}:phoenix"), min(100, _LOW_PERCENT * times)) if times else None
    course = Course(changes=changes, low_phoenix=low, extra_rounds=int(happens["overplayed"]))
    notes: list[Note] = []
    for kind in _ACTS:
        if luck.below(_MILLION) < PER_ROUND[kind] * times * _ROUNDS:
            acted = played_with(kind, Dice(seed), luck, game_id, members)
            if acted is not None:
                game, note = acted
                return SimulatedGame(game_id, game, write_game(game), (note,))
    game = play_skilled_game(Dice(seed), game_id, members, course)
    if happens["overplayed"]:
        last = game.rounds[-1]
        notes.append(Note("overplayed", last.number, last.first_line, "played-on", "a round after the game is over"))
    if low is not None:
        notes += [
            Note("phoenix_low", one, line, None, "a play that beats only the lower reading of the Phoenix below it")
            for one, line in low.needed
        ]
    game = _edit_rounds(game, luck, times, notes)
    game = _change_names(game, luck, happens, number, seat, members[seat].name, notes)
    if happens["first8_unsorted"]:
        game = renumbered(game._replace(rounds=tuple(unsorted(one, luck) for one in game.rounds)))
        notes.append(Note("first8_unsorted", 0, 0, None, "the first eight cards stand in the order of the deal"))
    text = _cut(game, luck, happens, notes)
    if text is not None:
        game = read_game(text.encode(), game.path, game_id)
    return SimulatedGame(game_id, game, write_game(game) if text is None else text, tuple(sorted(notes, key=_place)))


def _place(note: Note) -> tuple[int, str]:
    return note.line, note.kind


def _edit_rounds(game: Game, luck: Dice, times: int, notes: list[Note]) -> Game:
    """Edits rounds by chance; adds to the notes, and moves those that stand after lines that come in."""
    for kind in _EDITED:
        if luck.below(_MILLION) >= PER_ROUND[kind] * times * len(game.rounds):
            continue
        begin = luck.below(len(game.rounds))
        edit, finding = EDITS[kind]
        for step in range(len(game.rounds)):
            index = (begin + step) % len(game.rounds)
            one = game.rounds[index]
            # One oddity a round: two may hide each other.
            edited = None if any(note.round == one.number for note in notes) else edit(one, luck)
            if edited is None:
                continue
            game = with_round(game, index, edited.one)
            notes[:] = [
                note._replace(line=note.line + edited.added) if note.line >= edited.line else note for note in notes
            ]
            notes.append(Note(kind, one.number, edited.line, finding, FAULTS[kind].what))
            break
    return game


def _change_names(
    game: Game, luck: Dice, happens: dict[str, bool], number: int, seat: int, old: str, notes: list[Note]
) -> Game:
    """Notes a change of players, and gives seats other names in the deal than from the exchange on."""
    rounds = len(game.rounds)
    if number <= rounds and (happens["player_changed"] or happens["player_changed_in_round"]):
        one = game.rounds[number - 1]
        edited = other_in_deal(one, seat, old) if happens["player_changed_in_round"] else None
        if edited is not None:
            game = with_round(game, number - 1, edited.one)
            what = "another player from the exchange on"
            notes.append(Note("player_changed_in_round", number, edited.line, "name-changed", what))
        else:
            notes.append(Note("player_changed", number, one.first_line, None, "another player since the round before"))
    if happens["names_in_other_order"] and not game.rounds[0].calls:
        one, names = game.rounds[0], game.rounds[0].names
        step = 1 + luck.below(3)
        lines = []
        for place in range(4):
            edited = other_in_deal(one, place, names[(place + step) % 4])
            assert edited is not None
            one = edited.one
            lines.append(edited.line)
        game = with_round(game, 0, one)
        what = "another name in the deal than from the exchange on"
        notes += [Note("names_in_other_order", 1, line, "name-changed", what) for line in lines]
    return game


def _cut(game: Game, luck: Dice, happens: dict[str, bool], notes: list[Note]) -> str | None:
    """The text of a game that stops short, None if it does not; drops the notes on what is not there any more."""
    if happens["no_round"]:
        return abandon(game, luck, 0, notes, "no_round")
    if happens["truncated"]:
        return abandon(game, luck, luck.below(len(game.rounds)), notes, "truncated")
    if happens["abandoned"]:
        return after_round(game, luck, notes)
    return None


def after_round(game: Game, luck: Dice, notes: list[Note]) -> str:
    """The text of a game that stops after a round before its last one (if it has but one, after that)."""
    rounds = 1 + luck.below(max(1, len(game.rounds) - 1))
    last = game.rounds[rounds - 1]
    _keep(notes, last.last_line)
    notes.append(Note("abandoned", rounds, last.last_line, None, "the game stops after this round"))
    return write_game(game._replace(rounds=game.rounds[:rounds]))


def abandon(game: Game, luck: Dice, index: int, notes: list[Note], kind: str) -> str:
    """The text of a game that breaks off somewhere in a round, or, for ``no_round``, at times has no line at all.

    Args:
        game: the game.
        luck: chance.
        index: of the round.
        notes: of the game; those on what is not there any more are dropped, one on the break is added.
        kind: what the note is to be called.
    """
    if kind == "no_round" and luck.chance(20):
        notes[:] = [Note(kind, 0, 1, "no-rounds", "the log is empty")]
        return ""
    one = game.rounds[index]
    # At least the header stands, and at most the line before the result.
    first = one.first_line
    if any(note.round == one.number and note.finding == "name-changed" for note in notes):
        # New names only make sense if the whole exchange is there, which tells of each of them.
        first = one.play_line
    line = first + luck.below(one.last_line - first)
    half = luck.chance(50)
    _keep(notes, line - 1 if half else line)
    notes.append(Note(kind, one.number, line, "truncated", "the log breaks off" + (" in a line" if half else "")))
    return cut_within(game, index, line, half)


def _keep(notes: list[Note], line: int) -> None:
    notes[:] = [note for note in notes if note.line <= line]
