"""What a report on one player shows: the player's figures beside everybody's."""

from __future__ import annotations

from itertools import groupby
from typing import Final

from tichu_analytics.report.model import Ask, Plan, SectionPlan
from tichu_analytics.report.players import MOST_PLAYERS

#: What the figures of all players together are called.
EVERYBODY: Final = "everybody"
#: The same of a player and of all seats, where the measures have other names.
_GAMES: Final = ("players.win_rate", "players.ahead_rate", "players.behind_rate", "players.comeback_rate")
_GAMES_OF_ALL: Final = (
    "results.seat_win_rate",
    "results.seat_ahead_rate",
    "results.seat_behind_rate",
    "results.comeback_rate",
)


def condition(name: str) -> str:
    """The rows of a player, as a condition of characters that can be seen and copied."""
    parts = []
    for is_shown, some in groupby(name, str.isprintable):
        text = "".join(some)
        parts += ["'" + text.replace("'", "''") + "'"] if is_shown else [f"chr({ord(char)})" for char in text]
    return f"player = {' || '.join(parts) or repr('')}"


def player_sections(name: str, shown: str) -> tuple[SectionPlan, ...]:
    """The sections of a report on a player.

    Args:
        name: the name as records have it.
        shown: the name as it is shown.
    """
    own = condition(name)
    others = EVERYBODY if shown != EVERYBODY else "all players"

    def beside(*measures: str, by: tuple[str, ...] = (), all_of: tuple[str, ...] = ()) -> tuple[Ask, ...]:
        return (
            Ask(measures, by, own, shown),
            Ask(all_of or measures, by, "", others),
        )

    def rates(key: str, title: str, text: str, *measures: str, by: tuple[str, ...] = ()) -> Plan:
        return Plan(key, title, text, "rates", beside(*measures, by=by))

    def alone(measure: str, *by: str) -> tuple[Ask, ...]:
        return (Ask((measure,), by, own),)

    return (
        SectionPlan(
            "games",
            "Games",
            "Won, and how they went: in how many games the team was ahead or behind by 200 points or more before some "
            "round, and what came of it.",
            (
                Plan("player-games", "Games won, ahead and behind", "", "rates", beside(*_GAMES, all_of=_GAMES_OF_ALL)),
                Plan(
                    "player-points",
                    "Points a round",
                    "By how many points the team does better, by the call of the player.",
                    "spreads",
                    (Ask(("results.seat_score_difference",), ("call",), own, distribution=True),),
                ),
                rates(
                    "player-rounds",
                    "Rounds",
                    "How often the team goes out first and second.",
                    "results.seat_double_victory_rate",
                ),
                Plan(
                    "player-partners",
                    "Partners",
                    "Games won with each partner, drawn to the mean of all partners; those with the most games.",
                    "partners",
                    alone("players.win_rate", "partner"),
                    top=MOST_PLAYERS,
                ),
            ),
        ),
        SectionPlan(
            "calls",
            "Tichu calls",
            "How often the player calls and goes out first, beside everybody's figures.",
            (
                rates("player-call-rates", "How often it is called", "", "tichu.call_rate", "grand.call_rate"),
                rates("player-call-success", "How often it is made", "", "tichu.success_rate", "grand.success_rate"),
                rates(
                    "player-call-strength",
                    "Tichu made, by the high cards of the hand",
                    "Aces, Dragon and Phoenix in the hand after the exchange.",
                    "tichu.success_rate",
                    by=("high_cards",),
                ),
                rates(
                    "player-call-gap",
                    "Called, by the score before the round",
                    "Tichu and Grand Tichu, from far behind to far ahead.",
                    "tichu.call_rate",
                    "grand.call_rate",
                    by=("score_gap",),
                ),
            ),
        ),
        SectionPlan(
            "bombs",
            "Bombs",
            "Bombs that are dealt are luck; those that are held and played are so in part.",
            (
                Plan(
                    "player-bombs-dealt",
                    "A bomb that is dealt",
                    "How often a hand holds one before the exchange; the marks are the exact odds of a fair deal.",
                    "odds",
                    (
                        Ask(
                            (
                                "bombs.dealt8_rate",
                                "bombs.dealt_rate",
                                "bombs.dealt_four_rate",
                                "bombs.dealt_straight_rate",
                            ),
                            (),
                            own,
                        ),
                    ),
                ),
                rates(
                    "player-bombs",
                    "Bombs held and played",
                    "",
                    "bombs.held_rate",
                    "bombs.held_played_rate",
                    "bombs.out_of_turn_share",
                    "bombs.trick_won_rate",
                ),
                rates("player-bombs-thrown", "What bombs are thrown on", "", "bombs.thrown_on_rate"),
            ),
        ),
        SectionPlan(
            "exchange",
            "Exchange",
            "The player's habits beside everybody's.",
            (
                Plan(
                    "player-given",
                    "Cards that are given",
                    "How often a card of a rank goes to the player on the right, the partner, and the left; each "
                    "column adds up to 100 %.",
                    "heatmap",
                    alone("exchange.given_rate"),
                ),
                Plan(
                    "everybody-given",
                    "Cards that everybody gives",
                    "The same of all players.",
                    "heatmap",
                    (Ask(("exchange.given_rate",)),),
                ),
                rates("player-parity", "Odd and even", "", "exchange.odd_even_rate"),
                rates(
                    "player-habits",
                    "Habits",
                    "",
                    "exchange.ace_to_partner_rate",
                    "exchange.dog_to_partner_rate",
                    "exchange.lower_left_rate",
                    "exchange.odd_even_kept_rate",
                    "exchange.doubled_given_rate",
                ),
                rates(
                    "player-specials",
                    "Where special cards go",
                    "Of the hands that are dealt the card.",
                    "exchange.dog_given_rate",
                    "exchange.mah_jong_given_rate",
                    "exchange.phoenix_given_rate",
                    "exchange.dragon_given_rate",
                ),
            ),
        ),
    )
