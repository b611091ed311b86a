"""How measures, columns and values are called in a report: short names for readers, numbers with units."""

from __future__ import annotations

from typing import Any, Final

from tichu_analytics.report.model import Cell

#: Measures by what they are called beside a dot or in a row of a table. Their sentences tell more.
LABELS: Final[dict[str, str]] = {
    "tichu.call_rate": "Tichu called",
    "grand.call_rate": "Grand Tichu called",
    "tichu.success_rate": "Tichu made",
    "grand.success_rate": "Grand Tichu made",
    "tichu.points_per_call": "points of a Tichu",
    "grand.points_per_call": "points of a Grand Tichu",
    "tichu.score_difference": "round with a Tichu",
    "grand.score_difference": "round with a Grand Tichu",
    "tichu.broken_by_rate": "failed Tichu",
    "grand.broken_by_rate": "failed Grand Tichu",
    "bombs.dealt8_rate": "in the first eight cards",
    "bombs.dealt_rate": "in the fourteen dealt cards",
    "bombs.dealt_four_rate": "a four of a kind, dealt",
    "bombs.dealt_straight_rate": "a straight flush, dealt",
    "bombs.held_rate": "a bomb in a hand",
    "bombs.held_four_rate": "a four of a kind in a hand",
    "bombs.held_straight_rate": "a straight flush in a hand",
    "bombs.team_rate": "a bomb in a team",
    "bombs.round_rate": "a bomb at the table",
    "bombs.held_rank_rate": "held",
    "bombs.played_rank_rate": "played",
    "bombs.fate_rate": "bombs held",
    "bombs.held_played_rate": "bombs held that are played",
    "bombs.origin_rate": "made by",
    "bombs.thrown_on_rate": "thrown on",
    "bombs.success_with_own_held": "the caller has a bomb",
    "bombs.success_with_partner_held": "the partner has a bomb",
    "bombs.success_with_opponent_held": "an opponent has a bomb",
    "bombs.success_with_own_played": "the caller plays a bomb",
    "bombs.success_with_partner_played": "the partner plays a bomb",
    "bombs.success_with_opponent_played": "an opponent plays a bomb",
    "bombs.score_difference": "team with a bomb in a hand",
    "bombs.score_difference_played": "team that plays a bomb",
    "bombs.points_won": "card points in a trick that a bomb wins",
    "bombs.played_per_round": "bombs played in a round",
    "exchange.received_rate": "received",
    "exchange.given_rate": "given",
    "exchange.odd_even_rate": "cards for the opponents",
    "exchange.dog_given_rate": "Dog",
    "exchange.mah_jong_given_rate": "Mah Jong",
    "exchange.phoenix_given_rate": "Phoenix",
    "exchange.dragon_given_rate": "Dragon",
    "exchange.bomb_made_rate": "a bomb comes up",
    "exchange.bomb_broken_rate": "a dealt bomb is gone",
    "exchange.straight_made_rate": "a straight comes up",
    "exchange.straight_broken_rate": "a dealt straight is gone",
    "exchange.ace_to_partner_rate": "an ace for the partner",
    "exchange.dog_to_partner_rate": "the Dog for the partner",
    "exchange.doubled_given_rate": "both opponents get from pairs",
    "exchange.lower_left_rate": "the lower card goes to the left",
    "exchange.odd_even_kept_rate": "odd to one, even to the other",
    "results.score_difference": "seats 0 and 2 against seats 1 and 3",
    "results.score_difference_rate": "rounds",
    "results.seat_score_difference": "round",
    "results.seat_double_victory_rate": "double victory",
    "results.double_victory_rate": "double victory of a team",
    "results.wish_rate": "a wish is made",
    "results.wish_fulfilled_rate": "a wish is met",
    "results.comeback_rate": "won after 200 behind",
    "results.game_won_rate": "games won",
    "results.game_winner_rate": "games won by",
    "results.rounds_per_game": "rounds of a game",
    "results.tricks_per_round": "tricks of a round",
    "results.moves_per_round": "plays and passes of a round",
    "results.first_lead_rate": "first lead",
    "results.seat_win_rate": "games won",
    "results.seat_ahead_rate": "once ahead by 200",
    "results.seat_behind_rate": "once behind by 200",
    "players.win_rate": "games won",
    "players.ahead_rate": "once ahead by 200",
    "players.behind_rate": "once behind by 200",
    "players.comeback_rate": "won after 200 behind",
    "players.score_difference": "points a round",
    "players.tichu_call_rate": "Tichu called",
    "players.tichu_success_rate": "Tichu made",
    "players.grand_call_rate": "Grand Tichu called",
    "players.grand_success_rate": "Grand Tichu made",
    "players.pair_win_rate": "games won",
    "players.rating": "rating",
}

#: Columns by their headings.
TITLES: Final[dict[str, str]] = {
    "whose": "whose",
    "n": "n",
    "k": "k",
    "n_games": "games",
    "estimate": "estimate",
    "low": "from",
    "high": "to",
    "shrunk": "drawn to the mean",
    "shrunk_low": "from",
    "shrunk_high": "to",
    "conservative": "mu − 3 sigma",
    "sd": "standard deviation",
    "high_cards": "aces, Dragon, Phoenix",
    "aces8": "aces in eight cards",
    "score_gap": "score before the round",
    "opponent_bomb": "opponents' bomb",
    "opponent_call": "opponents' call",
    "broken_by": "went out first",
    "rank_of_bomb": "rank",
    "bomb_is": "what becomes of it",
    "given_to": "given to",
    "passed_to": "given to",
    "received_from": "received from",
    "winning_team": "seats",
    "wish_rank": "rank",
    "made_by": "made by",
    "thrown_on": "thrown on",
}

_VALUES: Final[dict[tuple[str, Any], str]] = {
    ("score_gap", -600): "behind by more than 400",
    ("score_gap", -400): "behind by 201 to 400",
    ("score_gap", -200): "behind by 1 to 200",
    ("score_gap", 0): "even, or ahead by up to 199",
    ("score_gap", 200): "ahead by 200 to 399",
    ("score_gap", 400): "ahead by 400 to 599",
    ("score_gap", 600): "ahead by 600 or more",
    ("opponent_bomb", False): "opponents without a bomb",
    ("opponent_bomb", True): "opponents with a bomb",
    ("opponent_call", "none"): "no call of the opponents",
    ("opponent_call", "tichu"): "opponents called Tichu",
    ("opponent_call", "grand"): "opponents called Grand Tichu",
    ("winning_team", "0"): "0 and 2",
    ("winning_team", "1"): "1 and 3",
    ("parity", "odd_left"): "odd left, even right",
    ("parity", "odd_right"): "even left, odd right",
    ("parity", "both_odd"): "both odd",
    ("parity", "both_even"): "both even",
    ("parity", "special"): "a special card",
}
_RANKS: Final = {11: "J", 12: "Q", 13: "K", 14: "A"}


def label(measure: str) -> str:
    """What a measure is called; one without a name of its own by the last part of it."""
    return LABELS.get(measure) or measure.rpartition(".")[2].replace("_", " ")


def title(column: str) -> str:
    """How a column is headed."""
    return TITLES.get(column) or column.replace("_", " ")


def value_words(column: str, value: Any) -> str:
    """A value of a group for readers, still with whatever characters a name may hold."""
    if value is None:
        return "not known"
    if (column, value) in _VALUES:
        return _VALUES[column, value]
    if column == "wish_rank":
        return _RANKS.get(value, str(value))
    if column in ("player", "partner", "whose"):
        return str(value) or "(no name)"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value.replace("_", " ")
    return f"{value:,}" if isinstance(value, int) else str(value)


def number(value: float | None, unit: str) -> str:
    """An estimate or an end of an interval with its unit, with as many digits as can be of use."""
    if value is None:
        return "–"  # noqa: RUF001 - a dash for what is not known
    if unit == "proportion":
        return f"{100 * value:.1f} %" if value in (0, 1) or 0.001 <= value <= 0.999 else f"{100 * value:.2f} %"
    text = f"{value:,.2f}" if abs(value) < 100 else f"{value:,.1f}"
    return text.replace("-", "\u2212")


def count(value: int | None) -> str:
    """A whole number with commas."""
    return "–" if value is None else f"{value:,}".replace("-", "\u2212")  # noqa: RUF001 - as above


def many(n: int, noun: str) -> str:
    """``1 game``, ``2 games``."""
    return f"{n:,} {noun}" if n == 1 else f"{n:,} {noun}s"


def figure_cell(name: str, value: Any, unit: str) -> Cell:
    """A figure of a row as a cell."""
    if name in ("n", "k", "n_games", "calls", "others") or value is None:
        return Cell(value, count(value))
    return Cell(value, number(value, unit))
