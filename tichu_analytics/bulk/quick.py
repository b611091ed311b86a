"""Vouches for flawless BrettspielWelt logs without building a record of them.

Most logs have nothing worth a finding. This pass goes straight over the lines, asks the rulebook about every play, and
gives up at the first thing that is not perfectly regular: then the log goes to the careful replay, which explains. It
never reports anything itself, and it decides no rule.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from tichu_analytics.formats.bsw.lines import (
    CARD_BITS,
    CARD_MASKS,
    DEALT_HEADER,
    EXCHANGE_HEADER,
    FIRST8_HEADER,
    LONGEST_LINE,
    PLAY_HEADER,
    WISH_RANKS,
    parse_cards,
    result_numbers,
)
from tichu_analytics.formats.bsw.text import read_text
from tichu_analytics.rules.calls import (
    FIRST_CARDS,
    HAND_CARDS,
    gift_is_due,
    may_call_grand,
    may_call_tichu,
    may_exchange,
    may_receive_dragon,
)
from tichu_analytics.rules.cards import DECK, DRAGON_MASK, MAH_JONG_MASK, PHOENIX_MASK, points
from tichu_analytics.rules.combinations import (
    DOG_PLAY,
    SINGLE,
    Readings,
    holds_bomb,
    readings,
    single_phoenix_rank2,
)
from tichu_analytics.rules.options import BSW_LAZY, NO, OFFICIAL, Options
from tichu_analytics.rules.play import LEGAL, Situation, fitting_readings, judge_pass, judge_play
from tichu_analytics.rules.scoring import GRAND_TICHU, NO_CALL, NOT_OVER, TICHU, card_points, game_winner, round_score
from tichu_analytics.rules.turns import (
    all_passed,
    is_double_victory,
    leader_after_dog,
    leader_after_trick,
    next_seat,
    round_over,
)
from tichu_analytics.rules.wish import meets_wish

_new = tuple.__new__
_SEATS: Final = ("(0)", "(1)", "(2)", "(3)")
#: The mask of each card by its name in the log.
_MASKS: Final = {name: CARD_MASKS[bit] for name, bit in CARD_BITS.items()}
# Asked of the rulebook once for all: next_seat, by seat and set of active seats.
_NEXT: Final = tuple(tuple(next_seat(seat, active) for active in range(16)) for seat in range(4))
_CACHE_SIZE: Final = 20_000
# The options of which any value is understood here; all others have to be as in ``official``.
_FREE: Final = {
    "phoenix_ambiguity": 0,
    "fullhouse_same_rank": 0,
    "wish_held_as_bomb": 0,
    "wish_later_tricks": 0,
    "wish_bomb_in_turn": 0,
    "wish_dog_lead": 0,
    "bomb_first_play": 0,
    "late_tichu": 0,
    "dragon_gift_target": 0,
    "tichu_before_exchange": 0,
    "tie_at_target": 0,
    "lower_limit": 0,
    "target": 0,
    "max_rounds": 0,
    "seat_layout": 0,
}


#: No line has more than the four names and a hand; with longer names one may be too long to be read.
_LONGEST_NAMES: Final = LONGEST_LINE // 2


class _Names(NamedTuple):
    """The lines that depend on the players' names alone, for one set of names."""

    heads: tuple[str, ...]
    passes: tuple[str, ...]
    plays: dict[str, int]
    starts: tuple[str, ...]
    calls: dict[str, tuple[int, int]]
    gifts: dict[str, int]
    receivers: tuple[tuple[str, str, str, str], ...]


def _names(heads: tuple[str, ...]) -> _Names:
    names = [head[3:] for head in heads]
    calls = {f"Tichu: {head}": (TICHU, seat) for seat, head in enumerate(heads)}
    calls |= {f"Grosses Tichu: {head}": (GRAND_TICHU, seat) for seat, head in enumerate(heads)}
    return _Names(
        heads,
        tuple(f"{head} passt." for head in heads),
        {head: seat for seat, head in enumerate(heads)},
        tuple(f"{head}: " for head in heads),
        calls,
        {f"Drache an: {head}": seat for seat, head in enumerate(heads)},
        tuple(
            (heads[seat], *(f"{names[(seat + step) % 4]}:" for step in (1, 2, 3)))  # type: ignore[misc]
            for seat in range(4)
        ),
    )


class _Irregular(Exception):
    """Something here is for the careful replay."""


def is_understood(options: Options) -> bool:
    """Whether a rule set asks for nothing but what the ways that vouch for rounds look at."""
    may_pass = judge_pass(0, Situation(SINGLE, 1, 4), options) == LEGAL
    return may_pass and options._replace(**_FREE) == OFFICIAL._replace(**_FREE)


class QuickCheck:
    """Vouches for logs under one rule set; keeps what it has worked out about combinations between logs."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.known: dict[str, tuple[int, Readings]] = {}
        # By table, plays in turn without an open wish that the rulebook has allowed.
        self.on_table: dict[int, set[int]] = {}
        self.remembered = 0
        self.names = _names(_SEATS)
        self.strict = options._replace(wish_bomb_in_turn=NO)
        # Rule sets that ask for more than is looked at here are left to the careful replay. Of the others it is known
        # that without an open wish the verdict on a pass in turn does not depend on the hand.
        self.usable = is_understood(options)

    def vouch(self, data: bytes) -> int | None:
        """The number of rounds of a log in which the careful replay would find nothing at all; None if unsure.

        Args:
            data: the bytes of the log.
        """
        text = read_text(data)
        if text.cut or text.problems or not self.usable:
            return None
        lines = text.lines
        count = len(lines)
        index = rounds = 0
        total_0 = total_1 = 0
        over = False
        try:
            while index < count:
                if not lines[index].strip(" ") and rounds:
                    index += 1
                    continue
                if over:
                    return None
                index, score_0, score_1 = self.round(lines, index)
                rounds += 1
                total_0 += score_0
                total_1 += score_1
                over = game_winner(total_0, total_1, rounds, self.options) != NOT_OVER
        except (_Irregular, IndexError):
            return None
        return rounds or None

    def round(self, lines: list[str], index: int) -> tuple[int, int, int]:
        """Vouches for the round that begins at a line.

        Returns:
            The index behind its last line and its score.

        Raises:
            _Irregular: if anything is not perfectly regular.
            IndexError: if the lines end before the round does.
        """
        if lines[index] != FIRST8_HEADER or lines[index + 5] != DEALT_HEADER:
            raise _Irregular
        heads, hands = self.deal(lines, index + 1)
        names = self.names
        if heads != names.heads:
            if sum(map(len, heads)) > _LONGEST_NAMES:
                raise _Irregular
            names = self.names = _names(heads)
        index += 10
        options = self.options
        calls = [NO_CALL, NO_CALL, NO_CALL, NO_CALL]
        while lines[index] != EXCHANGE_HEADER:
            call, seat = names.calls.get(lines[index]) or _irregular()
            may = (
                may_call_grand(FIRST_CARDS, calls[seat])
                if call == GRAND_TICHU
                else may_call_tichu(HAND_CARDS, False, 0, calls[seat], options)
            )
            if not may:
                raise _Irregular
            calls[seat] = call
            index += 1
        self.exchange(lines, index + 1, names, hands)
        index += 5
        holders = [seat for seat in range(4) if holds_bomb(hands[seat])]
        if holders:
            if lines[index].removesuffix(" ") != f"BOMBE: {' '.join([heads[seat] for seat in holders])}":
                raise _Irregular
            index += 1
        if lines[index] != PLAY_HEADER:
            raise _Irregular
        return self.course(lines, index + 1, names, hands, calls)

    def deal(self, lines: list[str], index: int) -> tuple[tuple[str, ...], list[int]]:
        """The seats with their names and the dealt hands."""
        get = _MASKS.__getitem__
        heads = []
        hands = []
        everything = 0
        try:
            for seat in range(4):
                words = lines[index + seat].split(" ")
                others = lines[index + 5 + seat].split(" ")
                head = words[0]
                # One trailing blank gives an empty last word; without it the count differs and the careful path reads.
                if (
                    len(words) != 10
                    or len(others) != 16
                    or words[9]
                    or others[15]
                    or head != others[0]
                    or head[:3] != _SEATS[seat]
                    or ":" in head
                ):
                    raise _Irregular
                # Powers of two add up to as many bits as there are summands only if all of them differ.
                eight = sum(map(get, words[1:9]))
                fourteen = sum(map(get, others[1:15]))
                if eight & ~fourteen or eight.bit_count() != 8 or fourteen.bit_count() != 14:
                    raise _Irregular
                everything += fourteen
                heads.append(head)
                hands.append(fourteen)
        except KeyError:
            raise _Irregular from None
        if everything != DECK:
            raise _Irregular
        return tuple(heads), hands

    def exchange(self, lines: list[str], index: int, names: _Names, hands: list[int]) -> None:
        """Takes the exchange into the hands."""
        get = _MASKS.__getitem__
        given = []
        try:
            for seat in range(4):
                words = lines[index + seat].split(" ")
                expected = names.receivers[seat]
                if (
                    len(words) != 12
                    or words[1] != "gibt:"
                    or not words[4] == words[7] == words[10] == "-"
                    or words[11]
                    or (words[0], words[2], words[5], words[8]) != expected
                ):
                    raise _Irregular
                cards = (get(words[3]), get(words[6]), get(words[9]))
                if not may_exchange(hands[seat], *cards):
                    raise _Irregular
                given.append(cards)
        except KeyError:
            raise _Irregular from None
        for seat in range(4):
            cards = given[seat]
            hands[seat] &= ~(cards[0] | cards[1] | cards[2])
            hands[seat] |= given[(seat + 3) % 4][0] | given[(seat + 2) % 4][1] | given[(seat + 1) % 4][2]

    def course(
        self, lines: list[str], index: int, names: _Names, hands: list[int], calls: list[int]
    ) -> tuple[int, int, int]:
        """Vouches for the course of a round and its result; see :meth:`round`."""
        options = self.options
        known = self.known
        passes = names.passes
        plays = names.plays
        starts = names.starts
        on_table = self.on_table
        active = 15
        finish: list[int] = []
        taken = [0, 0, 0, 0]
        has_played = 0
        turn = next(seat for seat in range(4) if hands[seat] & MAH_JONG_MASK)
        # The trick: owner, who has passed since the last play, what lies on top in every reading that is open.
        owner = -1
        passed = kind = length = rank2 = low_kind = low_rank2 = top = cards = 0
        after_dog = 0
        first_play = 1
        wish = first_trick = 0
        wish_now = wish_made = False
        due = -1
        while True:
            line = lines[index]
            index += 1
            taker = -1
            if line == passes[turn]:
                if due >= 0 or not kind:
                    raise _Irregular
                wish_now = False
                if turn == owner:
                    # All others have passed, so this line takes the trick.
                    taker = owner
                else:
                    if wish and not self.may_pass_under_wish(
                        hands[turn],
                        Situation(kind, length, rank2, low_kind, low_rank2, 1, 0, 0, 0, 0, 0, 0, wish, first_trick),
                    ):
                        raise _Irregular
                    passed |= 1 << turn
                    turn = _NEXT[turn][active]
                    if not active >> owner & 1 and all_passed(owner, passed, active):
                        taker = owner
                if taker < 0:
                    continue
            else:
                start = starts[turn]
                if line.startswith(start):
                    seat = turn
                    rest = line[len(start) :]
                else:
                    head, _, rest = line.partition(": ")
                    seat = plays.get(head, -1)
                if seat < 0:
                    if line[:7] == "Wunsch:":
                        wish = WISH_RANKS.get(line[7:], 0)
                        if not wish or not wish_now or wish_made:
                            raise _Irregular
                        wish_made = True
                        first_trick = 1 if kind else 0
                    elif due >= 0:
                        receiver = names.gifts.get(line, -1)
                        if receiver < 0 or not may_receive_dragon(due, receiver, active, options):
                            raise _Irregular
                        taken[receiver] |= cards
                        due = -1
                        cards = 0
                    else:
                        call, caller = names.calls.get(line) or _irregular()
                        if call != TICHU or not may_call_tichu(
                            HAND_CARDS, True, has_played >> caller & 1, calls[caller], options
                        ):
                            raise _Irregular
                        calls[caller] = TICHU
                    continue
                mask, found = known.get(rest) or self.combination(rest)
                hand = hands[seat]
                if due >= 0:
                    raise _Irregular
                # In turn and without an open wish the verdict depends on cards and table alone: asked once.
                plain = not (wish or low_kind or first_play or seat != turn or seat == owner)
                fitting = on_table.get((kind << 12) + (length << 6) + rank2)
                if not (plain and fitting is not None and mask in fitting and hand | mask == hand):
                    in_turn = 1 if seat == turn else 0
                    situation = _new(
                        Situation,
                        (
                            kind,
                            length,
                            rank2,
                            low_kind,
                            low_rank2,
                            in_turn,
                            1 if in_turn and kind and seat == owner else 0,
                            0,
                            after_dog,
                            first_play,
                            0,
                            0,
                            wish,
                            first_trick,
                        ),
                    )
                    if judge_play(hand, mask, found, situation, options) != LEGAL:
                        raise _Irregular
                    if plain and found.ways == 1:
                        self.remember((kind << 12) + (length << 6) + rank2, mask)
                played = found.kind
                new_rank2 = found.rank2
                new_low_kind = new_low_rank2 = 0
                if mask == PHOENIX_MASK:
                    new_rank2 = single_phoenix_rank2(kind, rank2)
                elif found.ways == 2:
                    fits = fitting_readings(mask, found, situation)
                    if fits == 2:
                        new_rank2 = found.rank2_low
                    elif fits == 3 and options.phoenix_ambiguity == BSW_LAZY:
                        new_low_kind, new_low_rank2 = found.kind_low, found.rank2_low
                wish_now = False
                if wish:
                    if meets_wish(mask, wish):
                        wish = 0
                    elif judge_play(hand, mask, found, situation, self.strict) != LEGAL:
                        # A bomb that leaves an owed wish open is worth a note.
                        raise _Irregular
                hand ^= mask
                hands[seat] = hand
                has_played |= 1 << seat
                first_play = 0
                if mask & MAH_JONG_MASK:
                    wish_now = True
                if not hand:
                    active ^= 1 << seat
                    finish.append(seat)
                    if round_over(
                        finish[0], finish[1] if len(finish) > 1 else -1, finish[2] if len(finish) > 2 else -1
                    ):
                        top = mask
                        cards |= mask
                        owner = seat
                        break
                if played == DOG_PLAY:
                    turn = leader_after_dog(seat, active)
                    after_dog = 1
                    continue
                after_dog = 0
                kind, length, rank2 = played, found.length, new_rank2
                low_kind, low_rank2 = new_low_kind, new_low_rank2
                top = mask
                cards |= mask
                owner = seat
                passed = 0
                turn = _NEXT[seat][active]
                continue
            # A trick has been taken.
            if gift_is_due(top == DRAGON_MASK, False):
                due = taker
            else:
                taken[taker] |= cards
                cards = 0
            turn = leader_after_trick(taker, active)
            owner = -1
            passed = kind = length = rank2 = low_kind = low_rank2 = top = first_trick = 0
        return self.end(lines, index, names, hands, calls, finish, taken, cards, top, owner, wish_now and not wish_made)

    def combination(self, text: str) -> tuple[int, Readings]:
        """The cards of a play as a set, and what combination they are.

        Raises:
            _Irregular: if not every word is a card, or one stands twice.
        """
        written = parse_cards(text)
        mask = written.mask
        if written.unknown or written.blanks or mask.bit_count() != len(written.cards):
            raise _Irregular
        found = (mask, readings(mask, self.options))
        if len(self.known) >= _CACHE_SIZE:
            self.known.clear()
        self.known[text] = found
        return found

    def remember(self, table: int, mask: int) -> None:
        """Keeps a play that may be played in turn on a table."""
        if self.remembered >= _CACHE_SIZE:
            self.on_table.clear()
            self.remembered = 0
        self.on_table.setdefault(table, set()).add(mask)
        self.remembered += 1

    def may_pass_under_wish(self, hand: int, situation: Situation) -> bool:
        """Whether a pass in turn on a trick is legal while a wish is open."""
        return judge_pass(hand, situation, self.options) == LEGAL

    def end(
        self,
        lines: list[str],
        index: int,
        names: _Names,
        hands: list[int],
        calls: list[int],
        finish: list[int],
        taken: list[int],
        cards: int,
        top: int,
        owner: int,
        may_wish: bool,
    ) -> tuple[int, int, int]:
        """Vouches for what follows the last play of a round: wish, Dragon gift, result."""
        first, second = finish[0], finish[1]
        double = is_double_victory(first, second)
        if may_wish and lines[index][:7] == "Wunsch:" and lines[index][7:] in WISH_RANKS:
            index += 1
        if gift_is_due(top == DRAGON_MASK, double):
            active = sum(1 << seat for seat in range(4) if hands[seat])
            owner_of_trick = owner
            owner = names.gifts.get(lines[index], -1)
            index += 1
            if owner < 0 or not may_receive_dragon(owner_of_trick, owner, active, self.options):
                raise _Irregular
        taken[owner] |= cards
        points_0 = points_1 = 0
        if not double:
            last = 6 - sum(finish)
            pair = card_points(
                points(taken[0]), points(taken[1]), points(taken[2]), points(taken[3]), first, last, points(hands[last])
            )
            points_0, points_1 = pair.team_0, pair.team_1
        score = round_score(points_0, points_1, first, second, calls[0], calls[1], calls[2], calls[3])
        line = lines[index]
        if not line.startswith("Ergebnis:") or result_numbers(line[9:]) != (score.team_0, score.team_1):
            raise _Irregular
        return index + 1, score.team_0, score.team_1


def _irregular() -> tuple[int, int]:
    raise _Irregular
