"""The slow model's second part: turns, the end of a trick and of a round, points and scores, from plain data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence


def partner(seat: int) -> int:
    """The seat across the table."""
    return (seat + 2) % 4


def next_with_cards(seat: int, out: Iterable[int]) -> int:
    """The next seat after this one that still has cards; the seat itself if no other has."""
    gone = set(out)
    after = [(seat + step) % 4 for step in (1, 2, 3, 4)]
    return next(candidate for candidate in after if candidate not in gone)


def leader_after_trick(owner: int, out: Iterable[int]) -> int:
    """Who leads after a trick: its owner, or the next seat with cards if the owner is out."""
    gone = set(out)
    return owner if owner not in gone else next_with_cards(owner, gone)


def leader_after_dog(seat: int, out: Iterable[int]) -> int:
    """Who leads after the Dog: the partner, or the next with cards after the partner, be it the Dog's own player."""
    return leader_after_trick(partner(seat), out)


def turn_in_trick(actions: Sequence[tuple[int, str]], out: Iterable[int], *, collecting: bool) -> tuple[str, int]:
    """What comes after these actions of one trick, each a seat with ``play`` or ``pass``; the Dog is not one of them.

    `out` are the seats without cards by now. The answer is ``acts`` with the seat whose turn it is, ``collects`` with
    the owner who takes the trick by an act of his own (only with `collecting`), or ``leads`` with the next leader.
    """
    gone = set(out)
    last_play = max(place for place, (_, action) in enumerate(actions) if action == "play")
    owner = actions[last_play][0]
    passed_since = {seat for seat, _ in actions[last_play + 1 :]}
    still_to_act = set(range(4)) - gone - passed_since - {owner}
    if still_to_act:
        last_seat = actions[-1][0]
        return "acts", next_with_cards(last_seat, set(range(4)) - still_to_act)
    if collecting and owner not in gone:
        return "collects", owner
    return "leads", leader_after_trick(owner, gone)


def is_double_victory(finish: Sequence[int]) -> bool:
    """Whether the first two who went out are partners."""
    return len(finish) >= 2 and finish[1] == partner(finish[0])


def is_round_over(finish: Sequence[int]) -> bool:
    """Whether the round is over when these seats have gone out, in this order."""
    return is_double_victory(finish) or len(finish) >= 3


def may_take_dragon(owner: int, target: int, out: Iterable[int], *, dragon_gift_target: str = "any_opponent") -> bool:
    """Whether the owner of a trick won by the Dragon may give it to the target."""
    if target in (owner, partner(owner)):
        return False
    return dragon_gift_target == "any_opponent" or target not in set(out)


def points(cards: Iterable[str]) -> int:
    """Card points: 5 for a five, 10 for a ten or king, 25 for the Dragon, -25 for the Phoenix."""
    total = 0
    for card in cards:
        if card == "Dr":
            total += 25
        elif card == "Ph":
            total -= 25
        elif card[1:] in ("10", "K"):
            total += 10
        elif card[1:] == "5":
            total += 5
    return total


def card_points(
    tricks: Sequence[tuple[int, Iterable[str]]], hands_left: Mapping[int, Iterable[str]], finish: Sequence[int]
) -> tuple[int, int]:
    """Card points of both teams after a round that was not a double victory.

    `tricks` has the taker of each (who got the Dragon's, not who won it) and its cards, the last trick included.
    """
    (last,) = set(range(4)) - set(finish)
    by_seat = [0, 0, 0, 0]
    for taker, cards in tricks:
        by_seat[taker] += points(cards)
    left_over = points(hands_left[last])
    by_team = [0, 0]
    for seat in range(4):
        if seat == last:
            by_team[finish[0] % 2] += by_seat[seat]
            by_team[1 - last % 2] += left_over
        else:
            by_team[seat % 2] += by_seat[seat]
    return by_team[0], by_team[1]


def round_score(
    tricks: Sequence[tuple[int, Iterable[str]]],
    hands_left: Mapping[int, Iterable[str]],
    finish: Sequence[int],
    calls: Mapping[int, str],
) -> tuple[int, int]:
    """Score of a round for seats 0 and 2, and for seats 1 and 3; calls are ``tichu`` or ``grand`` by seat."""
    score = [0, 0]
    if is_double_victory(finish):
        score[finish[0] % 2] = 200
    else:
        score[0], score[1] = card_points(tricks, hands_left, finish)
    for seat, call in calls.items():
        stake = {"tichu": 100, "grand": 200}[call]
        score[seat % 2] += stake if seat == finish[0] else -stake
    return score[0], score[1]


def is_game_over(totals: tuple[int, int], *, target: int = 1000, tie_at_target: str = "play_on") -> bool:
    """Whether a game is over with these totals at a round's end, without limits below or on the rounds."""
    if totals[0] == totals[1]:
        return totals[0] >= target and tie_at_target == "draw"
    return max(totals) >= target
