"""The sentences of findings about the course of a round, written for players."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from tichu_analytics.record import Event, Places
from tichu_analytics.record.notation import CARD_CODES, RANK_NAMES, cards_text, mask_cards, mask_text, rank_text
from tichu_analytics.replay.findings import Severity
from tichu_analytics.rules import play as verdicts
from tichu_analytics.rules.cards import DRAGON_MASK, PHOENIX_MASK, RANK_MASK
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    DRAGON_RANK2,
    FOUR_BOMB,
    FULL_HOUSE,
    PAIR,
    SINGLE,
    STAIRS,
    STRAIGHT,
    STRAIGHT_BOMB,
    TRIPLE,
    Readings,
    bomb_cards,
)
from tichu_analytics.rules.options import YES
from tichu_analytics.rules.scoring import GRAND_TICHU
from tichu_analytics.rules.turns import NOBODY
from tichu_analytics.rules.wish import meets_wish

if TYPE_CHECKING:
    from tichu_analytics.replay.base import StateBase


#: Longer names are cut in messages.
LONGEST_NAME: Final = 40


class Breach(NamedTuple):
    """A rule that an event breaks: the finding's name and words, without place in path and round."""

    name: str
    line: int
    seat: int | None
    message: str
    expected: str | None = None
    found: str | None = None
    severity: Severity = "error"


def who(state: StateBase, seat: int) -> str:
    """A player as messages name it: ``7Oskar (seat 2)``, without a name ``seat 2``."""
    return player_text(state.names, seat)


def player_text(names: Sequence[str], seat: int) -> str:
    """The same with the names by seat."""
    name = names[seat] if 0 <= seat <= 3 else ""
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1] + "…"
    return f"{name} (seat {seat})" if name else f"seat {seat}"


def place_text(places: Places | None, line: int) -> str:
    """Where an element stands, as messages name it: ``line 58``, or the JSON pointer that a record has instead."""
    return f"line {line}" if places is None else places.pointer(line)


def combination_text(kind: int, length: int, rank2: int) -> str:
    """A combination in words: ``pair of 8``, ``straight of 5 up to J``, ``single 9``."""
    rank = rank_text(rank2)
    if kind == SINGLE:
        return "the Dragon" if rank2 == DRAGON_RANK2 else "the Mah Jong" if rank2 == 2 else f"single {rank}"
    if kind == PAIR:
        return f"pair of {rank}"
    if kind == TRIPLE:
        return f"triple of {rank}"
    if kind == STAIRS:
        return f"stairs of {length // 2} pairs up to {rank}"
    if kind == FULL_HOUSE:
        return f"full house of {rank}"
    if kind == STRAIGHT:
        return f"straight of {length} up to {rank}"
    if kind == FOUR_BOMB:
        return f"bomb of four {rank}"
    if kind == STRAIGHT_BOMB:
        return f"straight bomb of {length} up to {rank}"
    return "the Dog" if kind == DOG_PLAY else "no combination"


def _played(event: Event, found: Readings) -> str:
    """What was played, in words and cards."""
    cards = cards_text(event.cards)
    if len(event.cards) == 1 or found.ways == 0:
        return cards
    return f"{combination_text(found.kind, found.length, found.rank2)} ({cards})"


def _table(state: StateBase) -> str:
    if state.top_mask == PHOENIX_MASK:
        return f"the Phoenix as {rank_text(state.table_rank2)}"
    return combination_text(state.table_kind, state.table_length, state.table_rank2)


_HIGHER: Final = {
    SINGLE: "a higher single",
    PAIR: "a higher pair",
    TRIPLE: "a higher triple",
    FULL_HOUSE: "a higher full house",
    FOUR_BOMB: "a bigger bomb",
    STRAIGHT_BOMB: "a bigger bomb",
}


def _asked_for(state: StateBase) -> str:
    """What the table asks for, in words."""
    kind = state.table_kind
    if state.top_mask == DRAGON_MASK:
        return "a bomb or a pass"
    if kind in (FOUR_BOMB, STRAIGHT_BOMB):
        return "a bigger bomb or a pass"
    if kind == STAIRS:
        return f"higher stairs of {state.table_length // 2} pairs, a bomb or a pass"
    if kind == STRAIGHT:
        return f"a higher straight of {state.table_length} cards, a bomb or a pass"
    return f"{_HIGHER.get(kind, 'a higher combination')}, a bomb or a pass"


def play_breach(state: StateBase, event: Event, verdict: int, found: Readings) -> Breach:
    """The finding for a play with a verdict other than legal."""
    seat, line = event.seat, event.line
    player = who(state, seat)
    played = _played(event, found)
    cards = cards_text(event.cards)
    if verdict == verdicts.AFTER_END:
        return Breach(
            "play-after-end", line, seat, f"{player} played {played} after the round was over", "the result", cards
        )
    if verdict == verdicts.NOT_HELD:
        return _card_breach(state, event, found)
    if not state.active >> seat & 1 and state.n_plays + len(state.tricks):
        return Breach(
            "player-is-out", line, seat, f"{player} played {played}, but had no cards left", to_act(state), cards
        )
    if verdict == verdicts.NOT_ON_TURN:
        message = f"{player} played {played} while {to_act(state)} was to act"
        return Breach("out-of-turn", line, seat, message, to_act(state), who(state, seat))
    if verdict == verdicts.NOT_THE_LEADER:
        message = f"{player} led {played}, but the lead is {_whose(state)}"
        return Breach("wrong-leader", line, seat, message, to_act(state), who(state, seat))
    if verdict == verdicts.EMPTY_TABLE_BOMBED:
        message = f"{player} bombed an empty table ({cards}); {to_act(state)} is to lead"
        return Breach("bomb-on-empty-table", line, seat, message, to_act(state), who(state, seat))
    if verdict == verdicts.DOG_BOMBED:
        message = f"{player} bombed the Dog ({cards}); it hands the lead to {to_act(state)}"
        return Breach("bomb-on-dog", line, seat, message, to_act(state), who(state, seat))
    if verdict == verdicts.IS_NO_COMBINATION:
        return Breach("no-combination", line, seat, f"{player} played {cards}, which is no combination", None, cards)
    if verdict == verdicts.TRICK_CLOSED:
        message = f"{player} played {played} without having taken the trick"
        if seat != state.owner:
            message = f"{player} played {played} after all had passed"
        return Breach("trick-not-taken", line, seat, message, "the trick is taken first", cards)
    if verdict == verdicts.DOG_NOT_LED:
        message = f"{player} played the Dog on {_table(state)}; it can only be led"
        return Breach("dog-not-led", line, seat, message, _asked_for(state), cards)
    if verdict == verdicts.OTHER_COMBINATION:
        message = f"{player} played {played} on {_table(state)}; that takes {_asked_for(state)}"
        return Breach("wrong-combination", line, seat, message, _asked_for(state), cards)
    if verdict == verdicts.NOT_HIGHER:
        message = f"{player} played {played}, which does not beat {_table(state)}"
        return Breach("not-higher", line, seat, message, _asked_for(state), cards)
    if verdict == verdicts.FIRST_PLAY_BOMB:
        return Breach("bomb-as-first-play", line, seat, f"{player} began the round with a bomb ({cards})", None, cards)
    if verdict == verdicts.PASS_BINDS:
        return Breach("passed-before", line, seat, f"{player} played {played} after a pass in this trick", None, cards)
    return _wish_ignored(state, seat, line, f"played {cards}", cards, event.mask)


def _card_breach(state: StateBase, event: Event, found: Readings) -> Breach:
    """The finding for cards that the player cannot have."""
    seat, line = event.seat, event.line
    player = who(state, seat)
    cards = cards_text(event.cards)
    if found.length != len(event.cards):
        double = next(card for card in event.cards if event.cards.count(card) > 1)
        message = f"{player} played {CARD_CODES[double]} twice at once"
        return Breach("card-twice-in-play", line, seat, message, "each card once", cards)
    missing = event.mask & ~state.hands[seat]
    before = missing & state.played
    lacking = mask_text(before or missing)
    if before:
        message = f"{player} played {lacking}, which had been played before"
        return Breach("card-played-before", line, seat, message, mask_text(state.hands[seat]), cards)
    message = f"{player} played {lacking} without holding {'it' if len(lacking) <= 3 else 'them'}"
    return Breach("card-not-held", line, seat, message, mask_text(state.hands[seat]), cards)


def to_act(state: StateBase) -> str:
    """Who is to act, as messages name it."""
    return "nobody" if state.turn == NOBODY else who(state, state.turn)


def _whose(state: StateBase) -> str:
    reason = ", who holds the Mah Jong" if not state.tricks and not state.played else ""
    return f"with {to_act(state)}{reason}"


def _wish_ignored(state: StateBase, seat: int, line: int, did: str, found: str, mask: int = 0) -> Breach:
    rank = RANK_NAMES[state.wish]
    cards = [CARD_CODES[card] for card in mask_cards(state.hands[seat] & RANK_MASK[state.wish])]
    could = " or ".join(cards)
    if mask and meets_wish(mask, state.wish):
        bombs = mask_text(bomb_cards(state.hands[seat]))
        message = f"{who(state, seat)} holds the wished {rank} in a bomb ({bombs}) and had to play it so, but {did}"
        expected = f"a bomb with {could}"
        if state.options.wish_later_tricks == YES and not state.wish_first_trick:
            message = f"{who(state, seat)} had to play the wished {rank} as a single, but {did}"
            expected = f"{could} as a single"
        return Breach("wish-ignored", line, seat, message, expected, found)
    message = f"{who(state, seat)} had to play {_article(rank)} {rank} and could have ({could}), but {did}"
    return Breach("wish-ignored", line, seat, message, f"a play with {could}", found)


def _article(rank: str) -> str:
    return "an" if rank in ("8", "A") else "a"


def pass_breach(state: StateBase, event: Event, verdict: int) -> Breach:
    """The finding for a pass with a verdict other than legal."""
    seat, line = event.seat, event.line
    player = who(state, seat)
    if verdict == verdicts.AFTER_END:
        return pass_after_end(state, event)
    if verdict == verdicts.WISH_IGNORED:
        return _wish_ignored(state, seat, line, "passed", "pass")
    if verdict == verdicts.PASS_ON_LEAD:
        return Breach("pass-on-lead", line, seat, f"{player} passed, but has the lead", "a lead", "pass")
    if not state.active >> seat & 1:
        return Breach("player-is-out", line, seat, f"{player} passed, but had no cards left", to_act(state), "pass")
    message = f"{player} passed while {to_act(state)} was to act"
    if state.n_plays and state.turn == state.owner:
        message = f"{player} passed, but all have passed and {to_act(state)} is to take the trick"
    elif not state.n_plays:
        message = f"{player} passed while {to_act(state)} is to lead"
    return Breach("out-of-turn", line, seat, message, to_act(state), player)


def pass_after_end(state: StateBase, event: Event) -> Breach:
    """A pass after the round is over."""
    message = f"{who(state, event.seat)} passed after the round was over"
    return Breach("pass-after-end", event.line, event.seat, message, "the result", "pass", "note")


def bomb_over_wish(state: StateBase, event: Event, severity: Severity) -> Breach:
    """A bomb in turn that leaves open a wish which could have been met."""
    rank = RANK_NAMES[state.wish]
    message = (
        f"{who(state, event.seat)} bombed ({cards_text(event.cards)}) in turn although a wished {rank} could have "
        "been played; the wish stays open"
    )
    if severity == "error":
        return Breach("wish-ignored", event.line, event.seat, message, f"a play with a {rank}", cards_text(event.cards))
    found = cards_text(event.cards)
    return Breach("bomb-over-wish", event.line, event.seat, message, f"a play with a {rank}", found, severity)


def wrong_receiver(state: StateBase, event: Event, owner: int) -> Breach:
    """The Dragon's trick goes to somebody who may not have it."""
    right, left = (owner + 1) % 4, (owner + 3) % 4
    expected = f"{who(state, right)} or {who(state, left)}"
    found = who(state, event.seat)
    if (owner ^ event.seat) & 1:
        message = f"{who(state, owner)} gave the Dragon's trick to {found}, who is out"
        return Breach("gift-to-finished-player", event.line, event.seat, message, expected, found)
    whom = "itself" if owner == event.seat else f"the partner {found}"
    message = f"{who(state, owner)} gave the Dragon's trick to {whom} instead of an opponent"
    return Breach("gift-to-own-team", event.line, event.seat, message, expected, found)


def gift_too_early(state: StateBase, event: Event) -> Breach:
    """A gift before the Dragon's trick has been taken."""
    message = f"the Dragon's trick is given to {who(state, event.seat)} before {who(state, state.owner)} has taken it"
    return Breach("gift-too-early", event.line, event.seat, message, "the trick is taken first", None)


def gift_repeated(state: StateBase, event: Event, before: int | None) -> Breach:
    """The same trick is given a second time."""
    first = who(state, before) if before is not None else None
    message = f"the Dragon's trick is given to {who(state, event.seat)}, but {first} has it already"
    return Breach("gift-repeated", event.line, event.seat, message, first, who(state, event.seat))


def gift_not_due(state: StateBase, event: Event) -> Breach:
    """A gift without a trick that the Dragon has won."""
    message = f"a Dragon gift to {who(state, event.seat)}, but no trick was won with the Dragon"
    if state.tricks and state.tricks[-1].cards & DRAGON_MASK and not state.n_plays:
        message = f"a Dragon gift to {who(state, event.seat)}, but the Dragon was bombed"
    return Breach("gift-not-due", event.line, event.seat, message, "no gift", who(state, event.seat))


def gift_missing(state: StateBase, line: int, owner: int) -> Breach:
    """The owner of a trick won with the Dragon keeps it."""
    expected = f"{who(state, (owner + 1) % 4)} or {who(state, (owner + 3) % 4)}"
    message = f"{who(state, owner)} won a trick with the Dragon and has not given it to an opponent"
    return Breach("gift-missing", line, owner, message, f"a gift to {expected}", None)


def wish_no_rank(state: StateBase, event: Event) -> Breach:
    """A wish for something that is no rank."""
    message = f"{event.text or 'nothing'} cannot be wished for; a wish is for a rank from 2 to A"
    return Breach("wish-no-rank", event.line, _wisher(state), message, "a rank from 2 to A", event.text)


def _wisher(state: StateBase) -> int | None:
    return state.mah_jong_seat if state.mah_jong_seat >= 0 else None


def wish_repeated(state: StateBase, event: Event, line: int) -> Breach:
    """A second wish in the same round."""
    where = "on" if state.places is None else "at"
    message = f"a second wish ({RANK_NAMES[event.value]}); the first stands {where} {place_text(state.places, line)}"
    return Breach("wish-repeated", event.line, _wisher(state), message, "one wish", RANK_NAMES[event.value])


def wish_without_mah_jong(state: StateBase, event: Event) -> Breach:
    """A wish while the Mah Jong has not been played."""
    message = f"a wish ({RANK_NAMES[event.value]}), but the Mah Jong has not been played"
    return Breach("wish-without-mah-jong", event.line, None, message, "no wish", RANK_NAMES[event.value])


def wish_too_late(state: StateBase, event: Event) -> Breach:
    """A wish after another play."""
    message = f"the wish ({RANK_NAMES[event.value]}) comes after another play than the Mah Jong's; it binds nobody"
    expected = "the wish right after the Mah Jong"
    return Breach("wish-too-late", event.line, _wisher(state), message, expected, RANK_NAMES[event.value])


def wish_after_pass(state: StateBase, event: Event) -> Breach:
    """A wish with passes between it and the Mah Jong."""
    message = f"the wish ({RANK_NAMES[event.value]}) comes after a pass; it binds from here on"
    expected = "the wish right after the Mah Jong"
    return Breach("wish-after-pass", event.line, _wisher(state), message, expected, RANK_NAMES[event.value], "note")


def wish_missing(state: StateBase, line: int) -> Breach:
    """No wish where the rule set asks for one."""
    message = f"{who(state, state.mah_jong_seat)} played the Mah Jong without a wish"
    return Breach("wish-missing", line, _wisher(state), message, "a wish", None)


def _call_name(call: int) -> str:
    return "Grand Tichu" if call == GRAND_TICHU else "Tichu"


def call_doubled(names: Sequence[str], seat: int, call: int, line: int) -> Breach:
    """The same call on the very next line."""
    message = f"{player_text(names, seat)} called {_call_name(call)} twice in a row; it counts once"
    return Breach("call-doubled", line, seat, message, "one call", _call_name(call), "note")


def call_repeated(state: StateBase, seat: int, call: int, line: int) -> Breach:
    """The same call again later on."""
    fact = state.calls[seat]
    before = f" ({place_text(state.places, fact.line)})" if fact is not None else ""
    message = f"{who(state, seat)} called {_call_name(call)} again{before}"
    return Breach("call-repeated", line, seat, message, "one call", _call_name(call))


def both_calls(state: StateBase, seat: int, call: int, line: int) -> Breach:
    """A call by somebody who has made the other one."""
    other = "Tichu" if call == GRAND_TICHU else "Grand Tichu"
    message = f"{who(state, seat)} called {_call_name(call)} after {other}; it does not count"
    return Breach("both-calls", line, seat, message, f"{other} alone", _call_name(call))


def grand_too_late(state: StateBase, seat: int, line: int, exchanged: bool = True) -> Breach:
    """Grand Tichu after the exchange, or with all fourteen cards before it."""
    when = "after the exchange" if exchanged else "with all fourteen cards"
    message = f"{who(state, seat)} called Grand Tichu {when}; it does not count"
    return Breach("grand-too-late", line, seat, message, "Grand Tichu with the first eight cards", "Grand Tichu")


def call_after_end(state: StateBase, seat: int, call: int, line: int) -> Breach:
    """A call after the play that ended the round."""
    message = f"{who(state, seat)} called {_call_name(call)} after the round was over; it does not count"
    name = "grand-too-late" if call == GRAND_TICHU else "tichu-too-late"
    return Breach(name, line, seat, message, "the result", _call_name(call))


def tichu_too_early(state: StateBase, seat: int, line: int, first8: bool = False) -> Breach:
    """Tichu with the first eight cards, or before the exchange, under a rule set that forbids it."""
    if first8:
        message = f"{who(state, seat)} called Tichu with the first eight cards"
        return Breach("tichu-too-early", line, seat, message, "Tichu with all fourteen cards", "Tichu")
    message = f"{who(state, seat)} called Tichu before the exchange"
    return Breach("tichu-too-early", line, seat, message, "Tichu after the exchange", "Tichu")


def tichu_too_late(state: StateBase, seat: int, line: int, severity: Severity) -> Breach:
    """Tichu after the caller's own first card."""
    first = place_text(state.places, state.first_play_line[seat])
    message = f"{who(state, seat)} called Tichu after playing a card ({first})"
    name = "tichu-just-late" if severity == "warning" else "tichu-too-late"
    return Breach(name, line, seat, message, "Tichu before the first card", "Tichu", severity)
