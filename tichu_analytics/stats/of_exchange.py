"""Columns about the exchange: conventions, special cards, and what the three cards do to a hand."""

from __future__ import annotations

from typing import Final

from tichu_analytics.stats.bases import Derived, Source
from tichu_analytics.stats.beside import PASSED
from tichu_analytics.stats.masks import RUN_STARTS, four_and_more, four_there, has_straight, singles

#: Special cards by their bit numbers.
SPECIALS: Final = {52: "Ma", 53: "Do", 54: "Ph", 55: "Dr"}
#: Fours in a row, by their lowest and highest rank.
RUNS: Final = tuple(
    f"{low} to {high}"
    for names in [("Ma", *map(str, range(2, 11)), "J", "Q", "K", "A")]
    for low, high in zip(names[: len(RUN_STARTS)], names[3:], strict=True)
)
#: How the ranks for the two opponents go together.
PARITIES: Final = ("odd_left", "odd_right", "both_odd", "both_even", "special")
#: How the two partners' exchanges go together.
PAIR_PARITIES: Final = ("odd_left", "odd_right", "opposite", "one", "none")
LOWER: Final = ("left", "right", "neither")

_SAME_ROUND: Final = "{0}.game_id = {1}.game_id AND {0}.round = {1}.round"
_LEFT, _RIGHT = "given.left_rank", "given.right_rank"


def _parity(left: str, right: str) -> str:
    return (
        f"CASE WHEN {left} NOT BETWEEN 2 AND 14 OR {right} NOT BETWEEN 2 AND 14 THEN 'special' "
        f"WHEN {left} % 2 = 1 AND {right} % 2 = 0 THEN 'odd_left' WHEN {left} % 2 = 0 AND {right} % 2 = 1 "
        f"THEN 'odd_right' WHEN {left} % 2 = 1 THEN 'both_odd' ELSE 'both_even' END"
    )


#: How many partners of a team give odd ranks to the left and even ones to the right, and how many the other way round.
_PAIRS: Final = Source(
    "pairs",
    "(SELECT game_id, round, seat % 2 AS team, count_if(parity = 'odd_left') AS odd_left, "
    "count_if(parity = 'odd_right') AS odd_right FROM "
    f"(SELECT given.game_id, given.round, given.seat, {_parity(_LEFT, _RIGHT)} AS parity "
    f"FROM {PASSED['given'].text} AS given) GROUP BY ALL)",
    f"{_SAME_ROUND.format('pairs', 'rounds')} AND pairs.team = sides.team",
    ("exchanges",),
)
#: The hand that a card comes from.
_GIVERS: Final = Source(
    "givers",
    "hands",
    f"{_SAME_ROUND.format('givers', 'exchanges')} AND givers.seat = exchanges.giver",
    ("hands",),
)
_GIVEN: Final = "(hands.dealt & ~hands.held)"
_RECEIVED: Final = "(hands.held & ~hands.dealt)"

OF_EXCHANGE: Final[tuple[Derived, ...]] = (
    Derived(
        "odd_even",
        "ranks for the opponents, jack to ace being 11 to 14: odd_left is odd to the left and even to the right, "
        "odd_right the other way round, then both_odd, both_even; special if one of the cards is a special one",
        "hands",
        _parity(_LEFT, _RIGHT),
        PASSED["given"],
        PARITIES,
    ),
    Derived(
        "pair_odd_even",
        "odd_even of both partners: odd_left or odd_right if both give so, opposite if one gives so and the other the "
        "other way round, one if only one of them gives odd to one side and even to the other, none",
        "sides",
        "CASE WHEN pairs.odd_left = 2 THEN 'odd_left' WHEN pairs.odd_right = 2 THEN 'odd_right' "
        "WHEN pairs.odd_left + pairs.odd_right = 2 THEN 'opposite' WHEN pairs.odd_left + pairs.odd_right = 1 "
        "THEN 'one' ELSE 'none' END",
        _PAIRS,
        PAIR_PARITIES,
    ),
    Derived(
        "doubled_given",
        "how many of the two cards for the opponents are of a rank of which the seat is dealt two or more",
        "hands",
        " + ".join(
            f"CASE WHEN count_rank(hands.dealt, {rank}) >= 2 THEN 1 ELSE 0 END"
            for rank in (f"nullif({_LEFT}, 16)", f"nullif({_RIGHT}, 16)")
        ),
        PASSED["given"],
    ),
    Derived(
        "lower_given",
        "who of the opponents gets the lower card: left, right, or neither where both are of the same rank; the Dog is "
        "below the Mah Jong, the Phoenix above the Dragon",
        "hands",
        f"CASE WHEN {_LEFT} < {_RIGHT} THEN 'left' WHEN {_LEFT} > {_RIGHT} THEN 'right' ELSE 'neither' END",
        PASSED["given"],
        LOWER,
    ),
    Derived("aces_given", "aces that the seat gives away", "hands", f"count_rank({_GIVEN}, 'A')"),
    Derived("aces_received", "aces that the seat gets in the exchange", "hands", f"count_rank({_RECEIVED}, 'A')"),
    *(
        Derived(
            f"{name}_straight",
            f"the {words} five or more ranks in a row, from Mah Jong to ace, without the Phoenix",
            "hands",
            has_straight(f"hands.{name}"),
        )
        for name, words in (("dealt", "fourteen dealt cards have"), ("held", "hand after the exchange has"))
    ),
    *(
        Derived(
            f"{name}_singles",
            f"ranks from two to ace of which the {words} exactly one card",
            "hands",
            singles(f"hands.{name}"),
        )
        for name, words in (("dealt", "fourteen dealt cards have"), ("held", "hand after the exchange has"))
    ),
    Derived(
        "special",
        "the special card that is passed: Do, Ma, Ph, Dr; null for others",
        "exchanges",
        "CASE exchanges.card " + " ".join(f"WHEN {bit} THEN '{name}'" for bit, name in SPECIALS.items()) + " END",
        None,
        ("Do", "Ma", "Ph", "Dr"),
    ),
    Derived(
        "from_pair",
        "whether the giver is dealt two or more cards of the rank that is passed",
        "exchanges",
        "coalesce(count_rank(givers.dealt, exchanges.rank) >= 2, false)",
        _GIVERS,
    ),
    Derived(
        "run",
        "the four ranks in a row, by the lowest and the highest",
        "runs",
        f"[{', '.join(repr(word) for word in RUNS)}][runs.low]",
        None,
        RUNS,
    ),
    Derived(
        "run_kept",
        "whether the hand after the exchange still has these ranks",
        "runs",
        four_there("hands.held", "runs.low"),
        None,
        (),
        ("hands",),
    ),
    Derived(
        "run_grows",
        "whether the hand after the exchange has these ranks and the one below or the one above them",
        "runs",
        four_and_more("hands.held", "runs.low"),
        None,
        (),
        ("hands",),
    ),
)
