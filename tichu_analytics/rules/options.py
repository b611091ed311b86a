"""The points on which sources of Tichu's rules differ, as small integers.

A rule set (see :mod:`tichu_analytics.rules.rulesets`) chooses one value for each option. The rule functions
take the choices as an :class:`Options` tuple of integers, so that they compile under Numba unchanged.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NamedTuple

NO: Final = 0
YES: Final = 1

# phoenix_ambiguity
DECLARED_ELSE_HIGH: Final = 0
HIGHEST: Final = 1
LOWEST_BEATING: Final = 2
BSW_POSITION: Final = 3
BSW_LAZY: Final = 4


class Options(NamedTuple):
    """One choice for every point on which rule sources differ; all fields are integers.

    The order of a field's values is that of :data:`OPTIONS`; the defaults are those of ``official``.
    """

    phoenix_ambiguity: int = DECLARED_ELSE_HIGH
    fullhouse_same_rank: int = NO
    straight_flush_as_straight: int = NO
    wish_optional: int = YES
    wish_held_as_bomb: int = 0
    wish_later_tricks: int = 0
    wish_bomb_in_turn: int = NO
    wish_dog_lead: int = NO
    bomb_on_empty_table: int = 0
    bomb_first_play: int = YES
    bomb_on_dog: int = NO
    bomb_after_all_passed: int = 0
    last_player_may_bomb: int = NO
    pass_and_out: int = NO
    tichu_before_exchange: int = YES
    tichu_with_8_cards: int = NO
    late_tichu: int = 0
    dragon_gift_target: int = 0
    tie_at_target: int = 0
    lower_limit: int = 0
    target: int = 1000
    max_rounds: int = 0
    seat_layout: int = 0


class Option(NamedTuple):
    """What can be chosen at one such point: its name, the values in the order of their numbers, the question."""

    name: str
    values: tuple[str, ...]
    question: str


_FORBID_ALLOW: Final = ("forbid", "allow")
_NO_YES: Final = ("false", "true")

#: Every option, in the order of the fields of :class:`Options`. An empty tuple of values means a whole number.
OPTIONS: Final[tuple[Option, ...]] = (
    Option(
        "phoenix_ambiguity",
        ("declared_else_high", "highest", "lowest_beating", "bsw_position", "bsw_lazy"),
        "Which rank counts when the Phoenix fits a combination in two ways and nobody said which?",
    ),
    Option("fullhouse_same_rank", _FORBID_ALLOW, "Are four of a kind with the Phoenix a full house?"),
    Option("straight_flush_as_straight", _FORBID_ALLOW, "May a straight flush be announced as a plain straight?"),
    Option("wish_optional", _NO_YES, "May the player of the Mah Jong do without a wish?"),
    Option(
        "wish_held_as_bomb",
        ("free_choice", "must_bomb"),
        "Must a wished rank that is held as a bomb be played as that bomb?",
    ),
    Option(
        "wish_later_tricks",
        ("any_combination", "singles_only"),
        "How is a wish met in tricks after the one in which it was made?",
    ),
    Option(
        "wish_bomb_in_turn",
        _FORBID_ALLOW,
        "May a bomb without the rank be played in turn, on a trick, by a player who could meet the wish?",
    ),
    Option("wish_dog_lead", _FORBID_ALLOW, "May the Dog be led by a player who could lead the wished rank?"),
    Option(
        "bomb_on_empty_table",
        ("leader_only", "anyone"),
        "Who may play a bomb while no card lies on the table?",
    ),
    Option("bomb_first_play", _FORBID_ALLOW, "May a bomb be the first play of a round?"),
    Option("bomb_on_dog", _FORBID_ALLOW, "May the Dog be bombed?"),
    Option(
        "bomb_after_all_passed",
        ("until_collected", "forbid"),
        "May a trick still be bombed after all others have passed?",
    ),
    Option("last_player_may_bomb", _NO_YES, "May the play that ends the round still be bombed?"),
    Option("pass_and_out", _NO_YES, "Does a pass bind until the trick ends?"),
    Option("tichu_before_exchange", _FORBID_ALLOW, "May Tichu be called before the exchange?"),
    Option("tichu_with_8_cards", _FORBID_ALLOW, "May Tichu be called with the first eight cards?"),
    Option(
        "late_tichu",
        ("error", "warn_next_line"),
        "What of a Tichu that the log has after the caller's first play?",
    ),
    Option(
        "dragon_gift_target",
        ("any_opponent", "active_only"),
        "May the Dragon's trick go to an opponent who is out?",
    ),
    Option("tie_at_target", ("play_on", "draw"), "What if both teams are level at or over the target?"),
    Option("lower_limit", (), "Does a game end when a team falls to this total (0: no such limit)?"),
    Option("target", (), "At how many points does a game end?"),
    Option("max_rounds", (), "After how many rounds does a game end (0: no limit)?"),
    Option(
        "seat_layout",
        ("to_the_right", "to_the_left", "unstated"),
        "Which way does the turn go round the table (for drawing it only)?",
    ),
)

#: The defaults, as the official rules have them.
OFFICIAL: Final = Options()


def make_options(values: Mapping[str, str | int], base: Options = OFFICIAL) -> Options:
    """Turns option values as written in rule sets into an :class:`Options` tuple.

    Args:
        values: option name to value.
        base: what holds for the options that are not among them.

    Raises:
        ValueError: for an unknown option or a value that it does not have.
    """
    numbers: dict[str, int] = {}
    known = {option.name: option for option in OPTIONS}
    for name, value in values.items():
        option = known.get(name)
        if option is None:
            raise ValueError(f"there is no option {name!r}; the options are {', '.join(known)}")
        if not option.values:
            if not isinstance(value, int):
                raise ValueError(f"option {name} takes a whole number, not {value!r}")
            numbers[name] = value
        elif value in option.values:
            numbers[name] = option.values.index(str(value))
        else:
            raise ValueError(f"option {name} has no value {value!r}; it has {', '.join(option.values)}")
    return base._replace(**numbers)


def option_value(options: Options, name: str) -> str | int:
    """The value of one option as it is written in a rule set.

    Args:
        options: the choices.
        name: the name of the option.

    Returns:
        One of its values, or a whole number for an option that takes any.

    Raises:
        ValueError: for an unknown option.
    """
    for option in OPTIONS:
        if option.name == name:
            number: int = getattr(options, name)
            return option.values[number] if option.values else number
    raise ValueError(f"there is no option {name!r}")
