"""Short BrettspielWelt logs with one fault each: two simulated rounds, the fault in the second one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.record import Event, EventKind, Game, Round
from tichu_analytics.record.model import NO_SEAT
from tichu_analytics.rules.cards import CARD_RANK, DOG_MASK, SUITED
from tichu_analytics.rules.combinations import NO_COMBINATION, SINGLE
from tichu_analytics.rules.play import DOG_NOT_LED, EMPTY_TABLE_BOMBED, NOT_HIGHER, NOT_ON_TURN, NOT_THE_LEADER
from tichu_analytics.rules.turns import NOBODY
from tichu_analytics.simulate import candidates
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.game import Act, Mischief, RoundPlay, play_round
from tichu_analytics.simulate.names import another_name, four_names


class Faulty(NamedTuple):
    """A log with one fault: its text and the line at which the fault shows."""

    text: str
    line: int


class Fault(NamedTuple):
    """A kind of fault.

    Attributes:
        file: the name of its log without ending.
        code: the finding's code and name.
        says: what is wrong, for the table.
        make: tries to make such a log with this chance; None if there is no occasion.
    """

    file: str
    code: str
    says: str
    make: Callable[[Dice], Faulty | None]


# Illegal acts after which the round is really played on ------------------------------------------------------------


class _Once:
    """Lets one illegal act happen at the first occasion, and keeps its line."""

    def __init__(self, find: Callable[[RoundPlay], Act | None]) -> None:
        self.find = find
        self.line = 0

    def __call__(self, play: RoundPlay) -> Act | None:
        # A few acts pass first: a fault in the middle of a round is of more use as an example.
        if self.line or len(play.recorder.events) < 8:
            return None
        act = self.find(play)
        if act is not None:
            self.line = play.recorder.line
            play.will_call[act.seat] = False
        return act


def acted(find: Callable[[RoundPlay], Act | None]) -> Callable[[Dice], Faulty | None]:
    """Makes logs in which an illegal act happens at the first occasion that ``find`` sees."""

    def make(dice: Dice) -> Faulty | None:
        mischief = _Once(find)
        game = two_rounds(dice, mischief)
        return Faulty(write_game(game), mischief.line) if mischief.line else None

    return make


def two_rounds(dice: Dice, mischief: Mischief | None = None) -> Game:
    """A game of two rounds; the mischief is in the second one."""
    names = four_names(dice)
    first, _ = play_round(dice, 1, 1, names)
    second, _ = play_round(dice, 2, first.last_line + 1, names, mischief)
    return Game("", "", "bsw", None, (first, second._replace(is_last=True)), ())


def first_with(play: RoundPlay, seat: int, masks: list[int], verdict: int) -> Act | None:
    """The first of some sets of cards on which the rulebook has this verdict, as a play."""
    for mask in masks:
        if play.table.judge(seat, mask) == verdict:
            return Act(EventKind.PLAY, seat, mask)
    return None


def may_act(play: RoundPlay) -> bool:
    """A trick lies on the table and somebody is to play or pass."""
    table = play.table
    return table.gift_due == NOBODY and table.kind != NO_COMBINATION and not table.takes(table.turn)


def _wish_ignored(play: RoundPlay) -> Act | None:
    seat = play.table.turn
    return Act(EventKind.PASS, seat) if may_act(play) and play.table.wish and not play.table.may_pass(seat) else None


def _not_higher(play: RoundPlay) -> Act | None:
    if not may_act(play) or play.table.kind == SINGLE:
        return None
    seat = play.table.turn
    pairs = candidates.groups(play.table.hands[seat], 2)
    return first_with(play, seat, [pair for pair in pairs if pair & ~SUITED == 0], NOT_HIGHER)


def _out_of_turn(play: RoundPlay) -> Act | None:
    if not may_act(play) or play.table.kind != SINGLE:
        return None
    seat = (play.table.turn + 1) % 4
    cards = candidates.follows(play.table.hands[seat], SINGLE, 1, play.table.rank2)
    return first_with(play, seat, cards, NOT_ON_TURN) if seat != play.table.owner else None


def _wrong_leader(play: RoundPlay) -> Act | None:
    if play.table.gift_due != NOBODY or play.table.kind != NO_COMBINATION or play.table.finish:
        return None
    seat = (play.table.turn + 3) % 4
    return first_with(play, seat, candidates.singles(play.table.hands[seat]), NOT_THE_LEADER)


def _dog_on_trick(play: RoundPlay) -> Act | None:
    seat = play.table.turn
    held = play.table.hands[seat] & DOG_MASK
    return first_with(play, seat, [DOG_MASK], DOG_NOT_LED) if held and may_act(play) else None


def _bomb_on_empty_table(play: RoundPlay) -> Act | None:
    if play.table.gift_due != NOBODY or play.table.kind != NO_COMBINATION:
        return None
    for seat in range(4):
        if seat != play.table.turn:
            act = first_with(play, seat, candidates.bombs(play.table.hands[seat]), EMPTY_TABLE_BOMBED)
            if act is not None:
                return act
    return None


def _dragon_kept(play: RoundPlay) -> Act | None:
    return Act(EventKind.GIFT, NO_SEAT) if play.table.gift_due != NOBODY and not play.table.over else None


# Records that say something else than what happened ----------------------------------------------------------------


def _with(game: Game, last: Round) -> str:
    return write_game(game._replace(rounds=(*game.rounds[:-1], last)))


def _card_not_held(dice: Dice) -> Faulty | None:
    """A single card is replaced by one of the same suit one rank higher, which somebody else plays later."""
    game = two_rounds(dice)
    last = game.rounds[-1]
    events = list(last.events)
    for index in range(8, len(events) - 12):
        event = events[index]
        if event.kind != EventKind.PLAY or len(event.cards) != 1 or not event.mask & SUITED or event.cards[0] >= 48:
            continue
        card = event.cards[0] + 4
        later = [other for other in events[index + 4 :] if other.mask >> card & 1 and other.seat != event.seat]
        rest = events[index + 1 : index + 4]
        if later and all(other.kind == EventKind.PASS for other in rest) and not _wished(events, CARD_RANK[card]):
            events[index] = event._replace(cards=(card,), mask=1 << card)
            return Faulty(_with(game, last._replace(events=tuple(events))), event.line)
    return None


def _wished(events: list[Event], rank: int) -> bool:
    return any(event.kind == EventKind.WISH and event.value in (rank, rank - 1) for event in events)


def _wrong_score(dice: Dice) -> Faulty | None:
    game = two_rounds(dice)
    last = game.rounds[-1]
    result = last.result
    assert result is not None and result.score_0 is not None and result.score_1 is not None
    if 0 in (result.score_0, result.score_1):
        return None
    wrong = result._replace(score_0=result.score_0 + 10, score_1=result.score_1 - 10)
    return Faulty(_with(game, last._replace(result=wrong)), result.line)


def _grand_booked_once(dice: Dice) -> Faulty | None:
    """Both partners call Grand Tichu; the minus of the one who does not go out first is not booked."""
    game = two_rounds(dice)
    last = game.rounds[-1]
    seats = [call.seat for call in last.calls if call.grand]
    result = last.result
    assert result is not None and result.score_0 is not None and result.score_1 is not None
    if seats == [0, 2]:
        wrong = result._replace(score_0=result.score_0 + 200)
    elif seats == [1, 3]:
        wrong = result._replace(score_1=result.score_1 + 200)
    else:
        return None
    return Faulty(_with(game, last._replace(result=wrong)), result.line)


def _late_tichu(dice: Dice) -> Faulty | None:
    """A call of somebody who played long ago; the server books it as lost."""
    game = two_rounds(dice)
    last = game.rounds[-1]
    events = list(last.events)
    result = last.result
    assert result is not None and result.score_0 is not None and result.score_1 is not None
    lead = next((event for event in events if event.kind == EventKind.PLAY), None)
    called = any(event.kind == EventKind.TICHU for event in events) or bool(last.calls)
    if lead is None or called or len(events) < 40:
        return None
    seat, place = lead.seat, 20
    played = 0
    for event in events:
        if event.seat == seat and event.kind == EventKind.PLAY:
            played |= event.mask
    if played.bit_count() == 14:
        return None  # whoever keeps cards to the end has not gone out first
    call = Event(EventKind.TICHU, events[place].line, seat, lead.name)
    events.insert(place, call)
    scores = [result.score_0, result.score_1]
    scores[seat & 1] -= 100
    changed = last._replace(events=tuple(events), result=result._replace(score_0=scores[0], score_1=scores[1], line=0))
    return Faulty(_with(game, changed), call.line)


def _exchange_not_held(dice: Dice) -> Faulty | None:
    """The card for the partner is one that the partner holds already."""
    game = two_rounds(dice)
    last = game.rounds[-1]
    gift, partner = last.gifts[1], last.dealt[3]
    if gift is None or partner is None or last.bomb_line is not None:
        return None
    for card in partner.cards[4:]:
        if card not in (last.gifts[3].cards if last.gifts[3] else ()):
            gifts = (last.gifts[0], gift._replace(cards=(gift.cards[0], card, gift.cards[2])), *last.gifts[2:])
            return Faulty(_with(game, last._replace(gifts=gifts)), gift.line)
    return None


def _bomb_line(dice: Dice) -> Faulty | None:
    game = two_rounds(dice)
    last = game.rounds[-1]
    line = last.bomb_line
    if line is None or len(line.seats) != 1:
        return None
    seat = (line.seats[0] + 1) % 4
    wrong = line._replace(seats=(seat,), names=(last.names[seat],))
    return Faulty(_with(game, last._replace(bomb_line=wrong)), line.line)


def _doubled_call(dice: Dice) -> Faulty | None:
    game = two_rounds(dice)
    last = game.rounds[-1]
    if not last.calls or not last.calls[-1].grand:
        return None
    call = last.calls[-1]
    return Faulty(_with(game, last._replace(calls=(*last.calls, call))), call.line + 1)


def _substitute(dice: Dice) -> Faulty | None:
    """From the exchange on another player sits at seat 2."""
    game = two_rounds(dice)
    last = game.rounds[-1]
    if last.calls or last.gifts[2] is None:
        return None
    old, new = last.names[2], another_name(dice, last.names)
    gifts = tuple(
        gift._replace(
            name=new if gift.seat == 2 else gift.name, names=tuple(new if name == old else name for name in gift.names)
        )
        for gift in last.gifts
        if gift is not None
    )
    events = tuple(event._replace(name=new) if event.seat == 2 else event for event in last.events)
    bombs = last.bomb_line
    if bombs is not None:
        bombs = bombs._replace(names=tuple(new if name == old else name for name in bombs.names))
    changed = last._replace(gifts=gifts, events=events, bomb_line=bombs)
    return Faulty(_with(game, changed), last.gifts[2].line)


def _truncated(dice: Dice) -> Faulty | None:
    game = two_rounds(dice)
    text = write_game(game)
    line = game.rounds[-1].events[30].line if len(game.rounds[-1].events) > 40 else 0
    # The last line is whole but for its end.
    return Faulty("\n".join(text.split("\n")[:line])[:-1], line) if line else None


def _garbage(dice: Dice) -> Faulty | None:
    game = two_rounds(dice)
    lines = write_game(game).split("\n")
    line = game.rounds[-1].events[12].line
    lines.insert(line - 1, "<<< connection lost, trying again >>>")
    return Faulty("\n".join(lines), line)


def _unknown_card(dice: Dice) -> Faulty | None:
    """A damaged letter: a card of a pair has a suit that there is not."""
    game = two_rounds(dice)
    for event in game.rounds[-1].events[10:]:
        if event.kind == EventKind.PLAY and len(event.cards) == 2 and event.mask & ~SUITED == 0:
            lines = write_game(game).split("\n")
            words = lines[event.line - 1].split(" ")
            words[1] = "X" + words[1][1:]
            lines[event.line - 1] = " ".join(words)
            return Faulty("\n".join(lines), event.line)
    return None


FAULTS: Final = (
    Fault("wish_ignored", "T312 wish-ignored", "a player who could meet the wish passes", acted(_wish_ignored)),
    Fault("not_higher", "T306 not-higher", "a pair that is lower than the pair on the table", acted(_not_higher)),
    Fault("out_of_turn", "T307 out-of-turn", "the player after the next one plays", acted(_out_of_turn)),
    Fault("wrong_leader", "T308 wrong-leader", "somebody leads who did not win the trick", acted(_wrong_leader)),
    Fault("dog_on_trick", "T322 dog-not-led", "the Dog on a trick instead of as a lead", acted(_dog_on_trick)),
    Fault(
        "bomb_on_empty_table",
        "T323 bomb-on-empty-table",
        "a bomb before the player on lead has led",
        acted(_bomb_on_empty_table),
    ),
    Fault("dragon_kept", "T401 gift-missing", "the Dragon's trick is not given away", acted(_dragon_kept)),
    Fault("card_not_held", "T301 card-not-held", "a card that another player has and plays later", _card_not_held),
    Fault("exchange_not_held", "T151 exchange-not-held", "a card is given that its giver has not", _exchange_not_held),
    Fault("wrong_score", "T510 wrong-score", "ten points on the wrong side", _wrong_score),
    Fault(
        "grand_booked_once",
        "T511 grand-bonus-missing",
        "both partners called Grand Tichu, one of the two is not booked",
        _grand_booked_once,
    ),
    Fault("late_tichu", "T201 tichu-too-late", "Tichu long after the caller's first card", _late_tichu),
    Fault("doubled_call", "T205 call-doubled", "the same call on two lines in succession", _doubled_call),
    Fault("substitute", "T030 name-changed", "a substitute takes over from the exchange on", _substitute),
    Fault("bomb_line_wrong", "T103 bomb-line-wrong", "the line BOMBE: names another seat", _bomb_line),
    Fault("truncated", "T010 truncated", "the log breaks off in the middle of a line", _truncated),
    Fault("unknown_line", "T001 unknown-line", "a line that has nothing to do with the game", _garbage),
    Fault("unknown_card", "T002 unknown-card", "a damaged card", _unknown_card),
)


def make_faulty(fault: Fault) -> Faulty:
    """The log of a fault: the first of a fixed series of games that gives an occasion for it."""
    number = 0
    while True:
        found = fault.make(Dice(f"faulty:{fault.file}:{number}"))
        if found is not None:
            return found
        number += 1
