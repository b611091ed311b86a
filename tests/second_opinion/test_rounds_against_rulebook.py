"""The rulebook's turns, ends and scores against the slow model, everywhere where all cases can be gone through."""

from __future__ import annotations

from itertools import permutations, product
from random import Random

import pytest

from tichu_analytics.rules import calls as rulebook_calls
from tichu_analytics.rules import cards as rulebook_cards
from tichu_analytics.rules import scoring, turns

from . import model_rounds as model
from .dense import BIT, mask_of, options_of
from .model import DECK, NATURALS, rank_of

OUT_SETS = [frozenset(seat for seat in range(4) if bits >> seat & 1) for bits in range(16)]
CALLS = {None: scoring.NO_CALL, "tichu": scoring.TICHU, "grand": scoring.GRAND_TICHU}


def active_of(out: frozenset[int]) -> int:
    """The seats with cards as the rulebook takes them."""
    return sum(1 << seat for seat in range(4) if seat not in out)


def test_points_and_ranks_of_the_cards() -> None:
    for card in DECK:
        assert rulebook_cards.points(1 << BIT[card]) == model.points({card})
    for card in (*NATURALS, "Ma"):
        assert rulebook_cards.CARD_RANK[BIT[card]] == rank_of(card)
    random = Random(6)
    for _ in range(500):
        cards = random.sample(sorted(DECK), random.randint(0, 56))
        assert rulebook_cards.points(mask_of(cards)) == model.points(cards)
        assert rulebook_cards.card_count(mask_of(cards)) == len(cards)


def test_next_seat_and_leaders() -> None:
    for seat, out in product(range(4), OUT_SETS):
        if len(out) == 4:
            continue
        active = active_of(out)
        assert turns.next_seat(seat, active) == model.next_with_cards(seat, out)
        assert turns.leader_after_trick(seat, active) == model.leader_after_trick(seat, out)
        assert turns.leader_after_dog(seat, active) == model.leader_after_dog(seat, out)
        assert turns.partner_of(seat) == model.partner(seat)


def test_turns_through_tricks_played_at_random() -> None:
    """Tricks with passes, plays, bombs out of turn and players going out, step by step in both."""
    random = Random(7)
    for _ in range(2000):
        out = set(random.sample(range(4), random.choice((0, 0, 1, 2))))
        leader = random.choice([seat for seat in range(4) if seat not in out])
        actions = [(leader, "play")]
        owner, passed, turn = leader, 0, turns.next_seat(leader, active_of(frozenset(out)))
        for _ in range(14):
            if len(out) < 2 and random.random() < 0.1:
                out.add(owner)
            active = active_of(frozenset(out))
            ended = turns.all_passed(owner, passed, active)
            what, seat = model.turn_in_trick(actions, out, collecting=True)
            assert ended is (what != "acts"), (actions, out)
            if ended:
                assert turns.leader_after_trick(owner, active) == seat, (actions, out)
            else:
                turn = turns.next_seat(actions[-1][0], active)
                assert turn == seat, (actions, out)
            bomber = random.choice([one for one in range(4) if one not in out])
            if random.random() < 0.12:
                owner, passed = bomber, 0
                actions.append((bomber, "play"))
            elif ended:
                break
            elif random.random() < 0.25:
                owner, passed = turn, 0
                actions.append((turn, "play"))
            else:
                passed |= 1 << turn
                actions.append((turn, "pass"))


def test_end_of_a_round() -> None:
    for number in range(4):
        for finish in permutations(range(4), number):
            places = [*finish, -1, -1, -1][:3]
            assert turns.round_over(places[0], places[1], places[2]) is model.is_round_over(finish)
            assert turns.is_double_victory(places[0], places[1]) is model.is_double_victory(finish)


@pytest.mark.parametrize("target", ["any_opponent", "active_only"])
def test_who_may_get_the_dragon(target: str) -> None:
    options = options_of({"dragon_gift_target": target})
    for owner, receiver, out in product(range(4), range(4), OUT_SETS):
        expected = model.may_take_dragon(owner, receiver, out, dragon_gift_target=target)
        assert rulebook_calls.may_receive_dragon(owner, receiver, active_of(out), options) is expected


def test_scores_of_rounds_dealt_at_random() -> None:
    """Every finish, the cards in tricks of random takers and in the last hand, calls at random."""
    random = Random(8)
    for finish in [*permutations(range(4), 3), *((seat, (seat + 2) % 4) for seat in range(4))]:
        for _ in range(60):
            last = next(seat for seat in range(4) if seat not in finish)
            deck = random.sample(sorted(DECK), 56)
            in_hand = random.choice((0, 1, 5, 14))
            hands_left = {last: deck[:in_hand]}
            tricks = [(random.randrange(4), deck[start : start + 7]) for start in range(in_hand, 56, 7)]
            called = {seat: random.choice(("tichu", "grand")) for seat in range(4) if random.random() < 0.4}
            taken = [sum(model.points(trick) for taker, trick in tricks if taker == seat) for seat in range(4)]
            moved = scoring.card_points(
                taken[0], taken[1], taken[2], taken[3], finish[0], last, model.points(hands_left[last])
            )
            if len(finish) == 3:
                assert sum(moved) == 100
                assert tuple(moved) == model.card_points(tricks, hands_left, finish)
            numbers = [CALLS[called.get(seat)] for seat in range(4)]
            score = scoring.round_score(moved[0], moved[1], finish[0], finish[1], *numbers)
            assert tuple(score) == model.round_score(tricks, hands_left, finish, called)


@pytest.mark.parametrize("tie", ["play_on", "draw"])
def test_end_of_a_game(tie: str) -> None:
    options = options_of({"tie_at_target": tie})
    totals = (-1500, -1000, 0, 500, 995, 1000, 1005, 1200)
    for first, second in product(totals, totals):
        over = scoring.game_winner(first, second, 9, options) != scoring.NOT_OVER
        assert over is model.is_game_over((first, second), tie_at_target=tie)
        if over and first != second:
            assert scoring.game_winner(first, second, 9, options) == (0 if first > second else 1)
