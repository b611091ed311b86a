"""Places in a game, ``game:round:trick:move``, and walking from one position to the next."""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.view.scenes import RoundView, Scene, round_view
from tichu_analytics.view.sheet import available

_FORM: Final = "ROUND, ROUND:TRICK, ROUND:TRICK:MOVE or GAME:ROUND:TRICK:MOVE"


class Place(NamedTuple):
    """A place in a game; what is None is not named.

    Attributes:
        game: the id of the game.
        round: the number of the round.
        trick: the number of the trick in its round.
        move: the number of the play or pass in its round, as in the table of moves.
    """

    game: str | None
    round: int
    trick: int | None
    move: int | None


def parse_place(text: str) -> Place:
    """Reads a place: ``3``, ``3:5``, ``3:5:27``, ``1001:3:5:27``.

    Moves are counted through the round, so that the trick need not be said: ``3::27``. A game's id may have colons.

    Raises:
        ValueError: if it is none.
    """
    parts = text.rsplit(":", 3)
    game = parts.pop(0) if len(parts) == 4 else None
    numbers: list[int | None] = []
    for part in parts:
        if part and not (part.isascii() and part.isdecimal() and len(part) < 10):
            raise ValueError(f"{text!a} is no place; a place is {_FORM}, each but GAME a number from 1")
        numbers.append(int(part) if part else None)
    numbers += [None] * (3 - len(numbers))
    if numbers[0] is None:
        raise ValueError(f"{text!a} names no round; a place is {_FORM}")
    return Place(game, numbers[0], numbers[1], numbers[2])


class Walk:
    """Goes through the positions of a game.

    Args:
        game: the game; it must have a round.

    Attributes:
        game: the game.
        at_round: the round, counted from 0.
        at: the scene in it, counted from 0.
    """

    def __init__(self, game: GameReplay) -> None:
        self.game = game
        self.at_round = 0
        self.at = 0
        self._views: dict[int, RoundView] = {}

    @property
    def view(self) -> RoundView:
        """The round."""
        return self._view(self.at_round)

    @property
    def scene(self) -> Scene:
        """The scene."""
        return self.view.scenes[self.at]

    def _view(self, number: int) -> RoundView:
        found = self._views.get(number)
        if found is None:
            found = self._views[number] = round_view(self.game.rounds[number], self.game.game.places)
        return found

    def go_to(self, place: Place) -> None:
        """Goes to a place.

        Raises:
            ValueError: if the game has no such place; the message says what there is.
        """
        numbers = [one.number for one in self.game.rounds]
        if place.round not in numbers:
            raise ValueError(f"there is no round {place.round} in this game: {available('round', len(numbers))}")
        at_round = numbers.index(place.round)
        view = self._view(at_round)
        at = 0
        if place.trick is not None:
            if not 1 <= place.trick <= len(view.tricks):
                there = available("trick", len(view.tricks))
                raise ValueError(f"there is no trick {place.trick} in round {place.round}: {there}")
            at = view.tricks[place.trick - 1]
        if place.move is not None:
            at = self._move(view, place)
        self.at_round, self.at = at_round, at

    def go_to_line(self, number: int, line: int) -> None:
        """Goes to what stands on a line of the log, or before it.

        Args:
            number: the number of the round, which must be there.
            line: the line, as scenes show it.
        """
        self.at_round = [one.number for one in self.game.rounds].index(number)
        scenes = self.view.scenes
        self.at = max((index for index, scene in enumerate(scenes) if scene.line <= line), default=0)
        # Several scenes can have one line, such as a play and what is closed by it: the first one is meant.
        while self.at and scenes[self.at - 1].line == scenes[self.at].line:
            self.at -= 1

    def _move(self, view: RoundView, place: Place) -> int:
        """The scene of a move."""
        moves = {scene.move: index for index, scene in reversed(list(enumerate(view.scenes))) if scene.move}
        found = moves.get(place.move or 0)
        if found is None:
            raise ValueError(f"there is no move {place.move} in round {place.round}: {available('move', len(moves))}")
        trick = view.scenes[found].trick
        if place.trick not in (None, trick):
            raise ValueError(
                f"move {place.move} of round {place.round} is in trick {trick}, not in trick {place.trick}"
            )
        return found

    # Steps. Each tells whether there was somewhere to go. -------------------------------------------------------------

    def step(self, by: int) -> bool:
        """Goes one scene on (1) or back (-1), into the next round or the one before where a round ends."""
        at = self.at + by
        if 0 <= at < len(self.view.scenes):
            self.at = at
            return True
        at_round = self.at_round + by
        if not 0 <= at_round < len(self.game.rounds):
            return False
        self.at_round = at_round
        self.at = 0 if by > 0 else len(self.view.scenes) - 1
        return True

    def trick(self, by: int) -> bool:
        """Goes to the beginning of the next trick (1), or of this one or the one before (-1)."""
        view = self.view
        if by > 0:
            ahead = [index for index in view.tricks if index > self.at]
            if ahead:
                self.at = ahead[0]
                return True
            return self.step_round(1)
        behind = [index for index in view.tricks if index < self.at]
        if behind or self.at:
            self.at = behind[-1] if behind else 0
            return True
        if not self.step_round(-1):
            return False
        self.at = self.view.tricks[-1] if self.view.tricks else 0
        return True

    def step_round(self, by: int) -> bool:
        """Goes to the beginning of the next round (1) or of the one before (-1)."""
        if not 0 <= self.at_round + by < len(self.game.rounds):
            return False
        self.at_round += by
        self.at = 0
        return True

    def finding(self, by: int) -> bool:
        """Goes to the next scene with a finding (1) or to the one before (-1)."""
        at_round = self.at_round
        while 0 <= at_round < len(self.game.rounds):
            if self.game.rounds[at_round].findings:
                scenes = self._view(at_round).scenes
                found = [index for index, scene in enumerate(scenes) if scene.findings]
                if at_round == self.at_round:
                    found = [index for index in found if (index - self.at) * by > 0]
                if found:
                    self.at_round, self.at = at_round, found[0 if by > 0 else -1]
                    return True
            at_round += by
        return False

    def end(self, by: int) -> bool:
        """Goes to the last scene of the round (1) or to its first (-1)."""
        self.at = len(self.view.scenes) - 1 if by > 0 else 0
        return True
