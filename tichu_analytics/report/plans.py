"""What a report on a collection of games shows, section by section: data for :mod:`tichu_analytics.report.work`."""

from __future__ import annotations

from typing import Final

from tichu_analytics.report.model import Ask, Plan, SectionPlan
from tichu_analytics.report.players import PLAYERS

CALLS: Final = SectionPlan(
    "calls",
    "Tichu calls",
    "How often Tichu and Grand Tichu are called, how often the caller goes out first, and with what.",
    (
        Plan(
            "call-rates",
            "How often it is called",
            "Of all seats in all rounds. A Grand Tichu is not counted as a Tichu.",
            "rates",
            (Ask(("tichu.call_rate", "grand.call_rate")),),
        ),
        Plan(
            "call-aces",
            "Grand Tichu called, by the aces among eight cards",
            "Grand Tichu is called after the first eight cards; how often these hold so many aces is told below.",
            "along",
            (Ask(("grand.call_rate",), by=("aces8",)),),
        ),
        Plan(
            "call-success",
            "How often it is made",
            "Of all calls.",
            "rates",
            (Ask(("tichu.success_rate", "grand.success_rate")),),
        ),
        Plan(
            "call-strength",
            "Made, by the high cards of the hand",
            "Aces, Dragon and Phoenix in the hand after the exchange.",
            "strength",
            (Ask(("tichu.success_rate", "grand.success_rate"), by=("high_cards",)),),
        ),
        Plan(
            "odds-aces",
            "Aces in eight cards, beside the exact odds",
            "What was dealt in these games, and what a fair deal gives. Standard errors beyond 3 would be a surprise.",
            "",
            odds=("aces", 8),
            is_wide=True,
        ),
        Plan(
            "call-gap",
            "Called, by the score before the round",
            "From far behind (left) to far ahead (right), in steps of 200 points.",
            "along",
            (Ask(("tichu.call_rate", "grand.call_rate"), by=("score_gap",)),),
        ),
        Plan(
            "call-opponents",
            "Made, by the opponents' call",
            "What the opponents have called in the same round; Grand Tichu if there are both.",
            "rates",
            (Ask(("tichu.success_rate", "grand.success_rate"), by=("opponent_call",)),),
        ),
        Plan(
            "call-bomb",
            "Made, by a bomb of the opponents",
            "Whether a hand of the opponents has a bomb after the exchange.",
            "rates",
            (Ask(("tichu.success_rate", "grand.success_rate"), by=("opponent_bomb",)),),
        ),
        Plan(
            "call-worth",
            "What a call brings",
            "Points of the call alone (plus or minus 100 or 200), and by how much the team of the caller does better "
            "in the round. It is no advice: hands with which nobody calls are weaker.",
            "means",
            (
                Ask(
                    (
                        "tichu.points_per_call",
                        "grand.points_per_call",
                        "tichu.score_difference",
                        "grand.score_difference",
                    )
                ),
            ),
        ),
        Plan(
            "call-broken",
            "Who goes out first where a call fails",
            "Seen from the caller.",
            "rates",
            (Ask(("tichu.broken_by_rate", "grand.broken_by_rate")),),
        ),
    ),
)

BOMBS: Final = SectionPlan(
    "bombs",
    "Bombs",
    "Fours of a kind and straight flushes: how often they are dealt, held and played, and what they do.",
    (
        Plan(
            "bombs-dealt",
            "A bomb that is dealt",
            "How often a hand holds one before the exchange; the marks are the exact odds of a fair deal.",
            "odds",
            (Ask(("bombs.dealt8_rate", "bombs.dealt_rate", "bombs.dealt_four_rate", "bombs.dealt_straight_rate")),),
        ),
        Plan(
            "bombs-held",
            "A bomb after the exchange",
            "In a hand, in the two hands of a team, at the table.",
            "rates",
            (
                Ask(
                    (
                        "bombs.held_rate",
                        "bombs.held_four_rate",
                        "bombs.held_straight_rate",
                        "bombs.team_rate",
                        "bombs.round_rate",
                    )
                ),
            ),
        ),
        Plan(
            "odds-bombs",
            "Bombs, beside the exact odds",
            "What was dealt in these games, and what a fair deal gives. Standard errors beyond 3 would be a surprise.",
            "",
            odds=("bombs", 0),
            is_wide=True,
        ),
        Plan(
            "bombs-rank",
            "Bombs by rank",
            "Of which rank the bombs are that are held and that are played; of straight flushes the highest.",
            "ranks",
            (Ask(("bombs.held_rank_rate", "bombs.played_rank_rate"), by=("kind",)),),
        ),
        Plan(
            "bombs-fate",
            "What becomes of bombs",
            "Played as bombs, split among other plays, or still in the hand at the end.",
            "rates",
            (Ask(("bombs.fate_rate",)),),
        ),
        Plan(
            "bombs-origin",
            "Where bombs come from",
            "Dealt, or completed by a card of the exchange.",
            "rates",
            (Ask(("bombs.origin_rate",)),),
        ),
        Plan(
            "bombs-thrown",
            "What bombs are thrown on",
            "The play that a bomb beats; led where it beats none.",
            "rates",
            (Ask(("bombs.thrown_on_rate",)),),
        ),
        Plan(
            "bombs-calls",
            "Calls with bombs about",
            "How often a call of Tichu or Grand Tichu is made, by who has a bomb, and who plays one.",
            "rates",
            (
                Ask(
                    tuple(
                        f"bombs.success_with_{who}_{what}"
                        for what in ("held", "played")
                        for who in ("own", "partner", "opponent")
                    )
                ),
            ),
        ),
        Plan(
            "bombs-worth",
            "What a bomb is worth",
            "By how many points the team does better in the round, and what is in the trick.",
            "means",
            (Ask(("bombs.score_difference", "bombs.score_difference_played", "bombs.points_won")),),
        ),
    ),
)

EXCHANGE: Final = SectionPlan(
    "exchange",
    "Exchange",
    "Which cards are passed to whom, by which conventions, and what they make of the hands.",
    (
        Plan(
            "exchange-given",
            "Cards that are given",
            "How often a seat gives a card of a rank to the player on its right, its partner, and on its left; each "
            "column adds up to 100 %.",
            "heatmap",
            (Ask(("exchange.given_rate",)),),
        ),
        Plan(
            "exchange-specials",
            "Where special cards go",
            "Of the seats that are dealt the card.",
            "rates",
            (
                Ask(
                    (
                        "exchange.dog_given_rate",
                        "exchange.mah_jong_given_rate",
                        "exchange.phoenix_given_rate",
                        "exchange.dragon_given_rate",
                    )
                ),
            ),
        ),
        Plan(
            "exchange-parity",
            "Odd and even",
            "Many pairs agree to give odd ranks to one side and even ones to the other, lest bombs come together.",
            "rates",
            (Ask(("exchange.odd_even_rate",)),),
        ),
        Plan(
            "exchange-habits",
            "Habits",
            "",
            "rates",
            (
                Ask(
                    (
                        "exchange.ace_to_partner_rate",
                        "exchange.dog_to_partner_rate",
                        "exchange.lower_left_rate",
                        "exchange.odd_even_kept_rate",
                        "exchange.doubled_given_rate",
                    )
                ),
            ),
        ),
        Plan(
            "exchange-effect",
            "What the exchange makes and breaks",
            "Bombs and straights of five or more that are there after the exchange and were not before, and the other "
            "way round.",
            "rates",
            (
                Ask(
                    (
                        "exchange.bomb_made_rate",
                        "exchange.bomb_broken_rate",
                        "exchange.straight_made_rate",
                        "exchange.straight_broken_rate",
                    )
                ),
            ),
        ),
    ),
)

RESULTS: Final = SectionPlan(
    "results",
    "Results",
    "How rounds and games end, and how long they take.",
    (
        Plan(
            "results-ranges",
            "How far apart rounds end",
            "Points of seats 0 and 2 less those of seats 1 and 3, calls included.",
            "ranges",
            (Ask(("results.score_difference_rate",)),),
        ),
        Plan(
            "results-scores",
            "Scores with and without a call",
            "By how many points the team of a seat does better in a round, by the call of the seat: the middle, half "
            "of all rounds, nine in ten.",
            "spreads",
            (Ask(("results.seat_score_difference",), by=("call",), distribution=True),),
        ),
        Plan(
            "results-lead",
            "What a lead is worth",
            "How often the team wins the game, by its score before a round less that of the opponents.",
            "along",
            (Ask(("results.game_won_rate",), by=("score_gap",)),),
        ),
        Plan(
            "results-ends",
            "Double victories, wishes, comebacks",
            "",
            "rates",
            (
                Ask(
                    (
                        "results.double_victory_rate",
                        "results.comeback_rate",
                        "results.wish_rate",
                        "results.wish_fulfilled_rate",
                    )
                ),
            ),
        ),
        Plan(
            "results-winner",
            "Who wins games",
            "The seats are those of the log: nobody should have an advantage by where they sit.",
            "rates",
            (Ask(("results.game_winner_rate",)),),
        ),
        Plan(
            "results-first-lead",
            "What the first trick is led with",
            "By whoever has the Mah Jong.",
            "rates",
            (Ask(("results.first_lead_rate",)),),
        ),
        Plan(
            "results-wishes",
            "Wishes by rank",
            "How often a wish is met, by the rank that is wished for; n is how often it is.",
            "rates",
            (Ask(("results.wish_fulfilled_rate",), by=("wish_rank",)),),
        ),
        Plan(
            "results-lengths",
            "How long games and rounds take",
            "The middle, half of all, nine in ten.",
            "spreads",
            (
                Ask(
                    ("results.rounds_per_game", "results.tricks_per_round", "results.moves_per_round"),
                    distribution=True,
                ),
            ),
        ),
    ),
)

SECTIONS: Final = (CALLS, BOMBS, EXCHANGE, RESULTS, PLAYERS)
