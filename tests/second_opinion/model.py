"""A slow model of Tichu's rules, written a second time, to check the rulebook against.

It is made from the text of the rules alone and shares nothing with the package but the option names. Cards are names
(``S2`` .. ``RA``, ``Ma``, ``Do``, ``Ph``, ``Dr``), hands are frozensets of them, every question is answered by trying
all that is possible: every subset of a hand, every rank that the Phoenix could stand for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

Hand = frozenset[str]

SUITS = "SBGR"
RANK_NAMES = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
RANK_OF = {name: number for number, name in enumerate(RANK_NAMES, start=2)}
NATURALS = tuple(suit + name for name in RANK_NAMES for suit in SUITS)
DECK = frozenset((*NATURALS, "Ma", "Do", "Ph", "Dr"))
MAH_JONG, ACE, DRAGON = 1, 14, 15
BOMBS = ("four_bomb", "straight_bomb")


class Reading(NamedTuple):
    """One way to see cards as a combination.

    A Phoenix played alone has the rank 1.5 here, as when it is led; on a single it counts half more than that one.
    ``phoenix_as`` is the rank that the Phoenix stands for inside a combination, None without it or when it is alone.
    """

    kind: str
    length: int
    rank: float
    phoenix_as: int | None = None


def hand_of(text: str) -> Hand:
    """The cards named in a text, which has to be well formed: ``hand_of("S5 G5 Ph")``."""
    names = text.split()
    cards = frozenset(names)
    assert cards <= DECK, text
    assert len(cards) == len(names), text
    return cards


def rank_of(card: str) -> int:
    """The rank of a natural card or of the Mah Jong."""
    return MAH_JONG if card == "Ma" else RANK_OF[card[1:]]


def has_rank(cards: Iterable[str], rank: int) -> bool:
    """Whether a natural card of the rank is among the cards; the Phoenix is never one."""
    return any(card in NATURALS and rank_of(card) == rank for card in cards)


def subsets(cards: Iterable[str]) -> Iterator[Hand]:
    """Every subset but the empty one."""
    ordered = sorted(cards)
    for size in range(1, len(ordered) + 1):
        for chosen in combinations(ordered, size):
            yield frozenset(chosen)


# --- combinations -----------------------------------------------------------------------------------------------------


def _consecutive(ranks: Sequence[int]) -> bool:
    return list(ranks) == list(range(ranks[0], ranks[0] + len(ranks)))


def _shapes(ranks: Sequence[int], same_rank: bool) -> set[tuple[str, int]]:
    """Kind and rank of the combinations, bombs apart, that two or more cards of these ranks are."""
    ranks = sorted(ranks)
    different = sorted(set(ranks))
    how_often = {rank: ranks.count(rank) for rank in different}
    found = set()
    if len(ranks) == 2 and len(different) == 1 and ranks[0] != MAH_JONG:
        found.add(("pair", ranks[0]))
    if len(ranks) == 3 and len(different) == 1:
        found.add(("triple", ranks[0]))
    if len(ranks) == 5 and sorted(how_often.values()) == [2, 3]:
        found.add(("full_house", next(rank for rank in different if how_often[rank] == 3)))
    if len(ranks) == 5 and len(different) == 1 and same_rank:
        found.add(("full_house", ranks[0]))
    if len(ranks) >= 4 and set(how_often.values()) == {2} and _consecutive(different):
        found.add(("stairs", different[-1]))
    if len(ranks) >= 5 and set(how_often.values()) == {1} and _consecutive(different):
        found.add(("straight", different[-1]))
    return found


@lru_cache(maxsize=300_000)
def readings(
    cards: Hand, *, fullhouse_same_rank: str = "forbid", straight_flush_as_straight: str = "forbid"
) -> frozenset[Reading]:
    """Every way in which the cards are a combination; empty if they are none."""
    if len(cards) == 1:
        (card,) = cards
        if card == "Do":
            return frozenset({Reading("dog", 1, 0)})
        if card == "Ph":
            return frozenset({Reading("single", 1, 1.5)})
        return frozenset({Reading("single", 1, DRAGON if card == "Dr" else rank_of(card))})
    if not cards or "Do" in cards or "Dr" in cards:
        return frozenset()
    others = sorted(cards - {"Ph"})
    ranks = [rank_of(card) for card in others]
    length = len(cards)
    if "Ph" in cards:
        return frozenset(
            Reading(kind, length, rank, phoenix_as)
            for phoenix_as in range(2, ACE + 1)
            for kind, rank in _shapes([*ranks, phoenix_as], fullhouse_same_rank == "allow")
        )
    found = {Reading(kind, length, rank) for kind, rank in _shapes(ranks, False)}
    if length == 4 and len(set(ranks)) == 1:
        found.add(Reading("four_bomb", 4, ranks[0]))
    one_suit = "Ma" not in cards and len({card[0] for card in cards}) == 1
    for straight in [reading for reading in found if reading.kind == "straight"]:
        if one_suit:
            found.add(Reading("straight_bomb", length, straight.rank))
            if straight_flush_as_straight == "forbid":
                found.remove(straight)
    return frozenset(found)


def lying(text: str) -> frozenset[Reading]:
    """The readings of cards that lie on the table, none for an empty text."""
    return readings(hand_of(text))


def is_bomb(reading: Reading) -> bool:
    """Whether the reading is a four of a kind or a straight flush."""
    return reading.kind in BOMBS


def beats(play: Reading, table: Reading | None) -> bool:
    """Whether the play may be put on what lies on the table (None: the play is a lead)."""
    if table is None:
        return True
    if play.kind == "dog" or table.kind == "dog":
        return False
    if is_bomb(play) and is_bomb(table):
        return (play.length, play.rank) > (table.length, table.rank)
    if is_bomb(play) or is_bomb(table):
        return is_bomb(play)
    if play.kind != table.kind or play.length != table.length:
        return False
    if is_single_phoenix(play):
        return table.rank != DRAGON
    return play.rank > table.rank


def is_single_phoenix(reading: Reading) -> bool:
    """Whether the reading is the Phoenix alone: no other combination has half a rank."""
    return reading.rank % 1 == 0.5


def on_table(play: Reading, table: Reading | None) -> Reading:
    """The play as it then lies on the table: a single Phoenix takes half more than the single that it covers."""
    if is_single_phoenix(play) and table is not None:
        return play._replace(rank=table.rank + 0.5)
    return play


# --- plays from a hand ------------------------------------------------------------------------------------------------


def playable(cards: Hand, table: Reading | None, **shapes: str) -> frozenset[Reading]:
    """The readings of the cards that may be put on the table; `shapes` are the options of :func:`readings`."""
    return frozenset(way for way in readings(cards, **shapes) if beats(way, table))


def legal_plays(hand: Hand, table: Reading | None, **shapes: str) -> set[Hand]:
    """All sets of cards that the seat to act may play, a wish left aside."""
    return {cards for cards in subsets(hand) if playable(cards, table, **shapes)}


def meets_wish(cards: Hand, rank: int, *, singles_only: bool = False) -> bool:
    """Whether playing these cards fulfils the wish; with `singles_only` nothing but a card alone does."""
    return has_rank(cards, rank) and (len(cards) == 1 or not singles_only)


@lru_cache(maxsize=10_000)
def wish_plays(
    hand: Hand,
    rank: int,
    table: Reading | None,
    *,
    later_trick: bool = False,
    wish_later_tricks: str = "any_combination",
    wish_held_as_bomb: str = "free_choice",
    **shapes: str,
) -> frozenset[Hand]:
    """The plays with which the seat to act may fulfil the wish; it owes one of them if there are any.

    `later_trick` says that the wish was made in an earlier trick than this one.
    """
    singles_only = later_trick and wish_later_tricks == "singles_only"
    ways = {cards for cards in legal_plays(hand, table, **shapes) if meets_wish(cards, rank, singles_only=singles_only)}
    if wish_held_as_bomb == "must_bomb":
        held_bombs = [cards for cards in subsets(hand) if any(is_bomb(way) for way in readings(cards))]
        in_bombs = {card for bomb_cards in held_bombs for card in bomb_cards}
        bombs = {cards for cards in ways if any(is_bomb(way) for way in playable(cards, table))}
        if bombs and not has_rank(hand - in_bombs, rank):
            return frozenset(bombs)
    return frozenset(ways)


def wish_binds(hand: Hand, rank: int, table: Reading | None, *, later_trick: bool = False, **options: str) -> bool:
    """Whether the seat to act owes the wished rank: some legal play has a natural card of it, bombs included.

    `options` are those of :func:`wish_plays`.
    """
    return bool(wish_plays(hand, rank, table, later_trick=later_trick, **options))


def why_illegal(
    hand: Hand,
    cards: Hand,
    table: Iterable[Reading] = (),
    wish: int | None = None,
    in_turn: bool = True,
    *,
    later_trick: bool = False,
    all_passed: bool = False,
    first_play: bool = False,
    after_dog: bool = False,
    round_over: bool = False,
    wish_later_tricks: str = "any_combination",
    wish_held_as_bomb: str = "free_choice",
    wish_bomb_in_turn: str = "forbid",
    wish_dog_lead: str = "forbid",
    bomb_on_empty_table: str = "leader_only",
    bomb_first_play: str = "allow",
    bomb_on_dog: str = "forbid",
    bomb_after_all_passed: str = "until_collected",
    last_player_may_bomb: str = "false",
    fullhouse_same_rank: str = "forbid",
    straight_flush_as_straight: str = "forbid",
) -> str | None:
    """Why a play is not allowed, in a word, or None if it is.

    `table` holds the readings that are still open for what lies there, none when the table is empty. `all_passed`: all
    others have passed and the trick still lies; in turn is then its owner. `first_play`: nothing has been played in the
    round. `after_dog`: the table is empty because the Dog was played last.
    """
    tables: tuple[Reading | None, ...] = tuple(table) or (None,)
    lead = tables == (None,)
    shapes = {
        "fullhouse_same_rank": fullhouse_same_rank,
        "straight_flush_as_straight": straight_flush_as_straight,
    }
    if not cards or not cards <= hand:
        return "not held"
    ways = readings(cards, **shapes)
    if not ways:
        return "no combination"
    if round_over and last_player_may_bomb == "false":
        return "round over"
    if not in_turn or all_passed or round_over:
        ways = frozenset(way for way in ways if is_bomb(way))
        if not ways:
            return "not in turn"
    if all_passed and bomb_after_all_passed == "forbid":
        return "all passed"
    # Bombing the Dog has an option of its own, whatever may be done on other empty tables.
    anyone_may = bomb_on_dog == "allow" if after_dog else bomb_on_empty_table == "anyone"
    if lead and not in_turn and not anyone_may:
        return "empty table"
    if first_play and bomb_first_play == "forbid":
        ways = frozenset(way for way in ways if not is_bomb(way))
        if not ways:
            return "bomb first"
    fitting = frozenset(way for way in ways if any(beats(way, lying) for lying in tables))
    if not fitting:
        return "does not beat"
    if wish is None or not in_turn or all_passed or round_over:
        return None
    owed = [
        wish_plays(
            hand,
            wish,
            lying,
            later_trick=later_trick,
            wish_later_tricks=wish_later_tricks,
            wish_held_as_bomb=wish_held_as_bomb,
            **shapes,
        )
        for lying in tables
    ]
    if not all(owed):
        return None
    if any(cards in fulfilling for fulfilling in owed):
        return None
    if lead and cards == {"Do"} and wish_dog_lead == "allow":
        return None
    if not lead and wish_bomb_in_turn == "allow" and any(is_bomb(way) for way in fitting):
        return None
    return "wish"


def is_legal_play(
    hand: Hand,
    cards: Hand,
    table: Iterable[Reading] = (),
    wish: int | None = None,
    in_turn: bool = True,
    **more: bool | str,
) -> bool:
    """Whether the play is allowed; see :func:`why_illegal`."""
    return why_illegal(hand, cards, table, wish, in_turn, **more) is None  # type: ignore[arg-type]


def may_pass(
    hand: Hand, table: Iterable[Reading], wish: int | None = None, *, later_trick: bool = False, **options: str
) -> bool:
    """Whether the seat to act may pass: never on lead, and not while it owes the wish under every open reading."""
    tables = tuple(table)
    if not tables or wish is None:
        return bool(tables)
    return not all(wish_binds(hand, wish, lying, later_trick=later_trick, **options) for lying in tables)
