"""What measures are called in figures and reports: one table, with words for each place."""

from __future__ import annotations

from typing import Final, NamedTuple


class Words(NamedTuple):
    """What a measure is called.

    Attributes:
        alone: where nothing else says what it is of, as in a figure by itself; empty for its name taken apart.
        below: in a report, below a heading that says the rest; empty for the same words.
    """

    alone: str = ""
    below: str = ""


#: Measures with their words.
MEASURES: Final[dict[str, Words]] = {
    "tichu.call_rate": Words("Tichu called"),
    "grand.call_rate": Words("Grand Tichu called"),
    "tichu.success_rate": Words("Tichu made"),
    "grand.success_rate": Words("Grand Tichu made"),
    "tichu.points_per_call": Words("Points per Tichu", "points of the Tichu alone"),
    "grand.points_per_call": Words("Points per Grand Tichu", "points of the Grand Tichu alone"),
    "tichu.score_difference": Words("Score difference with a Tichu", "rounds with a Tichu"),
    "grand.score_difference": Words("Score difference with a Grand Tichu", "rounds with a Grand Tichu"),
    "tichu.broken_by_rate": Words("Tichu broken by", "Tichu failed"),
    "grand.broken_by_rate": Words("Grand Tichu broken by", "Grand Tichu failed"),
    "bombs.dealt8_rate": Words("Bomb in the first eight", "in the first eight cards"),
    "bombs.dealt_rate": Words("Bomb in the fourteen dealt", "in all fourteen"),
    "bombs.held_rate": Words("Bomb after the exchange", "in a hand"),
    "bombs.held_four_rate": Words("Four of a kind after the exchange", "a four of a kind in a hand"),
    "bombs.held_straight_rate": Words("Straight flush after the exchange", "a straight flush in a hand"),
    "bombs.round_rate": Words("Round with a bomb in a hand", "at the table"),
    "bombs.team_rate": Words("Team with a bomb", "in a team"),
    "bombs.opponent_rate": Words("Opponents with a bomb"),
    "bombs.made_share": Words("Hands with a bomb made by the exchange"),
    "bombs.held_played_rate": Words("Bombs in hands that are played"),
    "bombs.fate_rate": Words("What becomes of bombs"),
    "bombs.origin_rate": Words("What makes a bomb"),
    "bombs.held_rank_rate": Words("held"),
    "bombs.played_rank_rate": Words("played"),
    "bombs.played_straight_share": Words("Straight flushes among bombs played"),
    "bombs.out_of_turn_share": Words("Bombs played out of turn"),
    "bombs.trick_won_rate": Words("Bombs played that win the trick"),
    "bombs.lead_after_rate": Words("Bombs that win, with the lead afterwards"),
    "bombs.last_cards_share": Words("Bombs played as the last cards"),
    "bombs.played_per_round": Words("Bombs played in a round"),
    "bombs.points_won": Words("Points won by a bomb", "card points in the trick"),
    "bombs.score_difference": Words("Score difference with a bomb", "teams that hold a bomb"),
    "bombs.score_difference_played": Words("Score difference with a bomb played", "teams that play a bomb"),
    "bombs.dealt_four_rate": Words(below="a four of a kind"),
    "bombs.dealt_straight_rate": Words(below="a straight flush"),
    "bombs.thrown_on_rate": Words(below="Thrown on"),
    "bombs.success_with_own_held": Words(below="the caller has a bomb"),
    "bombs.success_with_partner_held": Words(below="the partner has a bomb"),
    "bombs.success_with_opponent_held": Words(below="an opponent has a bomb"),
    "bombs.success_with_own_played": Words(below="the caller plays a bomb"),
    "bombs.success_with_partner_played": Words(below="the partner plays a bomb"),
    "bombs.success_with_opponent_played": Words(below="an opponent plays a bomb"),
    "exchange.dog_given_rate": Words("Dog"),
    "exchange.mah_jong_given_rate": Words("Mah Jong"),
    "exchange.phoenix_given_rate": Words("Phoenix"),
    "exchange.dragon_given_rate": Words("Dragon"),
    "exchange.dog_to_partner_rate": Words("Dog passed to the partner", "the Dog to the partner"),
    "exchange.dog_received_rate": Words("Dog received"),
    "exchange.ace_to_partner_rate": Words("Ace passed to the partner", "an ace to the partner"),
    "exchange.bomb_made_rate": Words("Bomb made by the exchange", "a bomb comes up"),
    "exchange.bomb_broken_rate": Words("Bomb broken by the exchange", "a dealt bomb is gone"),
    "exchange.straight_made_rate": Words("Straight made by the exchange", "a straight comes up"),
    "exchange.straight_broken_rate": Words("Straight broken by the exchange", "a dealt straight is gone"),
    "exchange.odd_even_kept_rate": Words("Odd to one side, even to the other", "odd to one, even to the other"),
    "exchange.doubled_given_rate": Words("Both cards for opponents of a pair", "both from pairs or more"),
    "exchange.lower_left_rate": Words("Lower card to the left", "the lower card to the left"),
    "exchange.aces_given": Words("Aces given away"),
    "exchange.odd_even_rate": Words(below="Cards for the opponents"),
    "exchange.given_rate": Words(below="given"),
    "results.double_victory_rate": Words("Double victory"),
    "results.seat_double_victory_rate": Words("Double victory"),
    "results.score_difference": Words("Score difference of a round"),
    "results.seat_score_difference": Words("Score difference, by seat"),
    "results.score_difference_rate": Words("Score difference of a round"),
    "results.tricks_per_round": Words("Tricks in a round"),
    "results.moves_per_round": Words("Plays and passes in a round"),
    "results.moves_per_trick": Words("Plays and passes in a trick"),
    "results.points_per_trick": Words("Card points in a trick"),
    "results.rounds_per_game": Words("Rounds in a game"),
    "results.dragon_gifts_per_round": Words("Dragon gifts in a round"),
    "results.total_before": Words("Total before a round"),
    "results.game_won_rate": Words("Game won"),
    "results.game_winner_rate": Words("Game won by"),
    "results.comeback_rate": Words("Game won after being behind by 200", "won after 200 behind"),
    "results.wish_rate": Words("Wish made"),
    "results.wish_fulfilled_rate": Words("Wish fulfilled"),
    "results.first_lead_rate": Words("First lead of a round"),
    "results.seat_win_rate": Words("Game won", "games won"),
    "results.seat_ahead_rate": Words(below="once ahead by 200"),
    "results.seat_behind_rate": Words(below="once behind by 200"),
    "players.win_rate": Words("Games won", "games won"),
    "players.ahead_rate": Words("Ahead by 200 or more", "once ahead by 200"),
    "players.behind_rate": Words("Behind by 200 or more", "once behind by 200"),
    "players.comeback_rate": Words("Won after being behind by 200", "won after 200 behind"),
    "players.score_difference": Words("Score difference of a round"),
    "players.double_victory_rate": Words("Double victory"),
    "players.first_out_rate": Words("First to go out"),
    "players.tichu_call_rate": Words("Tichu called"),
    "players.tichu_success_rate": Words("Tichu made"),
    "players.grand_call_rate": Words("Grand Tichu called"),
    "players.grand_success_rate": Words("Grand Tichu made"),
    "players.rating": Words("Rating"),
}
#: The words of a report where they are not those for the measure alone.
BELOW: Final[dict[str, str]] = {name: words.below for name, words in MEASURES.items() if words.below}
