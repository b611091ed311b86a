"""The hands of a round: dealing and exchange as claimed, and what cannot be true about them."""

from __future__ import annotations

from typing import NamedTuple

from tichu_analytics.record import Deal, Gift, Places, Problem, Round
from tichu_analytics.record.model import UNKNOWN_CARD, UNKNOWN_MASK
from tichu_analytics.record.notation import CARD_CODES, mask_text
from tichu_analytics.replay.messages import LONGEST_NAME, place_text
from tichu_analytics.rules.calls import may_exchange
from tichu_analytics.rules.cards import DECK, MAH_JONG_MASK
from tichu_analytics.rules.combinations import holds_bomb
from tichu_analytics.rules.turns import NOBODY


class Hands(NamedTuple):
    """Hands at the beginning of the course of a round.

    Attributes:
        first8, dealt, held: sets of cards by seat; ``held`` after the exchange.
        exchanged: by giving seat the cards given to the right, the partner, the left; None where they are not known.
        maybe: by seat, cards that it may hold as well because a damaged line leaves it open.
        fuzzy: seats, as bits, whose hand is not known for certain.
        leader: who holds the Mah Jong, or ``NOBODY`` where that is not certain.
    """

    first8: tuple[int, int, int, int]
    dealt: tuple[int, int, int, int]
    held: tuple[int, int, int, int]
    exchanged: tuple[tuple[int, int, int] | None, ...]
    maybe: tuple[int, int, int, int]
    fuzzy: int
    leader: int


_ALL_SEATS = (0, 1, 2, 3)


def set_up(one: Round, problems: list[Problem], places: Places | None = None) -> Hands:
    """Works out the hands of a round and adds what is wrong with deal and exchange to ``problems``.

    ``places`` leads from running numbers to JSON pointers, for messages.
    """
    first8, dealt = one.first8, one.dealt
    if _sound_deal(first8, dealt):
        eight = (first8[0].mask, first8[1].mask, first8[2].mask, first8[3].mask)  # type: ignore[union-attr]
        hands = [deal.mask for deal in dealt]  # type: ignore[union-attr]
        maybe = [0, 0, 0, 0]
        fuzzy = 0
    else:
        damaged = _DamagedDeal(one, places)
        damaged.look(problems)
        eight, hands, maybe, fuzzy = damaged.result()
    return _exchange(one, eight, hands, maybe, fuzzy, problems)


def _sound_deal(first8: tuple[Deal | None, ...], dealt: tuple[Deal | None, ...]) -> bool:
    """Whether the deal is the whole deck, 14 cards each, with the first eight among them."""
    everything = 0
    for seat in _ALL_SEATS:
        eight, fourteen = first8[seat], dealt[seat]
        if (
            eight is None
            or fourteen is None
            or len(fourteen.cards) != 14
            or len(eight.cards) != 8
            or eight.mask & ~fourteen.mask
            or eight.mask.bit_count() != 8
        ):
            return False
        everything |= fourteen.mask
    return everything == DECK


class _DamagedDeal:
    """A deal in which something is wrong or missing."""

    def __init__(self, one: Round, places: Places | None) -> None:
        self.one = one
        self.places = places
        self.maybe = [0, 0, 0, 0]
        self.fuzzy = 0
        # Lines on which the reader has found something: nothing more is said about them.
        self.known = {problem.line for problem in one.problems if problem.name not in ("name-changed", "name-missing")}

    def look(self, problems: list[Problem]) -> None:
        twice_in_eight = self.look_for_doubles(self.one.first8, 0, problems)
        suspect = 0
        seen = 0
        for seat in _ALL_SEATS:
            deal = self.one.dealt[seat]
            if deal is None:
                self.doubt(seat)
                continue
            mask = deal.mask & DECK
            if deal.line in self.known:
                suspect |= mask
                self.doubt(seat)
                seen |= mask
                continue
            double = _double_in_line(deal) | (mask & seen)
            lost = self.lost_from_eight(seat, mask) & ~twice_in_eight
            if double and double & ~suspect:
                self.report_double(deal, double & ~suspect, problems)
                suspect |= mask
                self.doubt_holders(double)
            elif lost:
                card = mask_text(lost)
                problems.append(
                    Problem(
                        deal.line,
                        "first-8-not-kept",
                        seat,
                        f"{card} of the first eight of {_player(self.one, seat)} is not among the fourteen cards",
                        card,
                        None,
                    )
                )
                suspect |= mask
                self.doubt(seat)
            elif double:
                self.doubt_holders(double)
            seen |= mask

    def lost_from_eight(self, seat: int, fourteen: int) -> int:
        eight = self.one.first8[seat]
        if eight is None or eight.line in self.known:
            return 0
        return eight.mask & DECK & ~fourteen

    def look_for_doubles(self, deals: tuple[Deal | None, ...], suspect: int, problems: list[Problem]) -> int:
        seen = 0
        found = 0
        for deal in deals:
            if deal is None:
                continue
            mask = deal.mask & DECK
            double = _double_in_line(deal) | (mask & seen)
            if deal.line not in self.known and double & ~suspect:
                self.report_double(deal, double & ~suspect, problems)
                found |= double
            elif deal.line in self.known:
                suspect |= mask
            seen |= mask
        return found

    def report_double(self, deal: Deal, double: int, problems: list[Problem]) -> None:
        card = mask_text(double)
        deals = self.one.dealt if deal in self.one.dealt else self.one.first8
        before = next(
            (other for other in deals if other is not None and other.line < deal.line and other.mask & double), None
        )
        where = ""
        if before:
            stands = f"{'on' if self.places is None else 'at'} {place_text(self.places, before.line)}"
            where = f", the first time to {_player(self.one, before.seat)} {stands}"
        message = f"{card} is dealt a second time{where}"
        problems.append(Problem(deal.line, "card-dealt-twice", deal.seat, message, "each card once", card))

    def doubt(self, seat: int) -> None:
        self.fuzzy |= 1 << seat

    def doubt_holders(self, cards: int) -> None:
        for deal in self.one.dealt:
            if deal is not None and deal.mask & cards:
                self.doubt(deal.seat)

    def result(self) -> tuple[tuple[int, int, int, int], list[int], list[int], int]:
        one = self.one
        eight = [deal.mask & DECK if deal is not None else 0 for deal in one.first8]
        hands = [deal.mask & DECK if deal is not None else eight[seat] for seat, deal in enumerate(one.dealt)]
        missing = DECK & ~(hands[0] | hands[1] | hands[2] | hands[3])
        if missing:
            for seat in _ALL_SEATS:
                if self.fuzzy >> seat & 1:
                    self.maybe[seat] |= missing
        return (eight[0], eight[1], eight[2], eight[3]), hands, self.maybe, self.fuzzy


def _double_in_line(deal: Deal) -> int:
    """Cards that stand twice in one line."""
    seen = 0
    double = 0
    for card in deal.cards:
        bit = 1 << card
        if seen & bit:
            double |= bit
        seen |= bit
    return double & DECK


def _exchange(
    one: Round,
    eight: tuple[int, int, int, int],
    hands: list[int],
    maybe: list[int],
    fuzzy: int,
    problems: list[Problem],
) -> Hands:
    dealt = (hands[0], hands[1], hands[2], hands[3])
    held = list(dealt)
    open_cards = list(maybe)
    exchanged: list[tuple[int, int, int] | None] = []
    for seat in _ALL_SEATS:
        gift = one.gifts[seat]
        receivers = ((seat + 1) % 4, (seat + 2) % 4, (seat + 3) % 4)
        if gift is not None and gift.complete:
            right, partner, left = (1 << gift.cards[0], 1 << gift.cards[1], 1 << gift.cards[2])
            if may_exchange(dealt[seat], right, partner, left):
                held[seat] &= ~(right | partner | left)
                held[receivers[0]] |= right
                held[receivers[1]] |= partner
                held[receivers[2]] |= left
                exchanged.append(gift.cards)
                continue
        exchanged.append(None)
        if gift is None and not any(one.gifts) and not one.events:
            continue  # broken off before the exchange
        fuzzy |= _doubtful_gifts(one, gift, seat, receivers, dealt, held, maybe, open_cards, problems)
    leader = NOBODY
    if not any(cards & MAH_JONG_MASK for cards in open_cards):
        holders = [seat for seat in _ALL_SEATS if held[seat] & MAH_JONG_MASK]
        if len(holders) == 1:
            leader = holders[0]
    return Hands(
        eight,
        dealt,
        (held[0], held[1], held[2], held[3]),
        tuple(exchanged),
        (open_cards[0], open_cards[1], open_cards[2], open_cards[3]),
        fuzzy,
        leader,
    )


def _doubtful_gifts(
    one: Round,
    gift: Gift | None,
    seat: int,
    receivers: tuple[int, int, int],
    dealt: tuple[int, int, int, int],
    held: list[int],
    maybe: list[int],
    open_cards: list[int],
    problems: list[Problem],
) -> int:
    """Takes in a gift line that cannot be wholly true; returns the seats whose hands it leaves in doubt, as bits."""
    doubtful = 1 << seat
    cards = gift.cards if gift is not None else (UNKNOWN_CARD,) * 3
    reported = gift is None or not gift.complete
    for place, card in enumerate(cards):
        bit = 1 << card
        receiver = receivers[place]
        twice = card != UNKNOWN_CARD and cards.count(card) > 1
        in_hand = bit & dealt[seat] != 0
        if card != UNKNOWN_CARD and in_hand and not twice:
            held[seat] &= ~bit
            held[receiver] |= bit
            continue
        doubtful |= 1 << receiver
        open_cards[receiver] |= dealt[seat] | maybe[seat] | (bit & ~UNKNOWN_MASK)
        if in_hand:
            held[seat] &= ~bit
        if reported or gift is None or (not in_hand and bit & maybe[seat]) or (twice and place == cards.index(card)):
            continue
        reported = True
        code = CARD_CODES[card]
        if twice:
            message = f"{_player(one, seat)} gives {code} to two players"
            problems.append(Problem(gift.line, "exchange-twice", seat, message, "three different cards", code))
        else:
            message = f"{_player(one, seat)} gives {code} without holding it"
            problems.append(Problem(gift.line, "exchange-not-held", seat, message, mask_text(dealt[seat]), code))
    return doubtful


def check_bomb_line(one: Round, hands: Hands, problems: list[Problem]) -> None:
    """Compares the record's list of bomb holders with the hands after the exchange, where these are known.

    A record that need not have one is not asked for it.
    """
    if not one.bombs_due and one.bomb_line is None:
        return
    if hands.fuzzy or None in one.gifts or (one.play_line == 0 and one.bomb_line is None):
        return
    holders = tuple(seat for seat in _ALL_SEATS if holds_bomb(hands.held[seat]))
    line = one.bomb_line
    named = line.seats if line is not None else ()
    if named == holders or -1 in named:
        return
    where = line.line if line is not None else one.play_line
    what = "the line BOMBE:" if one.bombs_due else "the list of bombs"
    if not holders:
        message = f"{what} stands although nobody holds a bomb"
    elif line is None:
        message = f"{what} is missing; {_seats_text(holders)} {_hold(holders)} a bomb"
    else:
        message = f"{what} names {_seats_text(named)}, but {_seats_text(holders)} {_hold(holders)} a bomb"
    problems.append(Problem(where, "bomb-line-wrong", None, message, _seats_text(holders), _seats_text(named)))


def _player(one: Round, seat: int) -> str:
    """A player as messages name it."""
    name = one.names[seat]
    if len(name) > LONGEST_NAME:
        name = name[: LONGEST_NAME - 1] + "…"
    return f"{name} (seat {seat})" if name else f"seat {seat}"


def _seats_text(seats: tuple[int, ...]) -> str:
    if not seats:
        return "nobody"
    return ("seat " if len(seats) == 1 else "seats ") + ", ".join(map(str, seats))


def _hold(seats: tuple[int, ...]) -> str:
    return "holds" if len(seats) == 1 else "hold"
