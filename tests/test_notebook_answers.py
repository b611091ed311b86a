"""What the notebooks say about the sample games: each sentence that begins with "Here" is checked, and none is not.

Intervals that do not touch are what such a sentence needs where it says that one thing is more than another.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.regenerate_notebooks import NOTEBOOKS, source
from tichu_analytics.replay.facts import GameReplay
from tichu_analytics.stats import odds

LOGS: Final = ROOT / "sample_logs"
SAID: Final = re.compile(r"\bHere\b(?!\*)")

Check = Callable[[ta.Dataset], None]
CHECKS: dict[tuple[str, str], Check] = {}


def said_in(notebook: str, cell: int) -> Callable[[Check], Check]:
    """Marks the check of what a cell of words says."""

    def mark(check: Check) -> Check:
        CHECKS[notebook, f"words-{cell:02}"] = check
        return check

    return mark


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> ta.Dataset:
    return ta.export([*sorted(LOGS.glob("*.tch")), LOGS / "games.zip"], tmp_path_factory.mktemp("answers") / "data")


def words() -> dict[tuple[str, str], str]:
    return {
        (path.name[:2], cell.id): cell.source
        for path in NOTEBOOKS
        for cell in source(path).cells
        if cell.cell_type == "markdown"
    }


def test_all_that_is_said_is_checked() -> None:
    said = {place for place, text in words().items() if SAID.search(text)}
    assert said == set(CHECKS)
    for (_, cell), text in words().items():
        if cell == "words-01":
            assert "Sentences that begin with *Here* are about these games" in " ".join(text.split())


def game() -> GameReplay:
    return ta.replay(next(ta.read_games(LOGS / "1001.tch")))


def test_cards_left_when_a_trick_begins() -> None:
    # The last one of a round keeps cards, and does not move in the last trick.
    (cell,) = (cell for cell in source(NOTEBOOKS[0]).cells if cell.id == "code-07")
    shown = [list(map(int, line.split())) for line in cell.outputs[0].data["text/plain"].splitlines()[2:]]
    one = game().rounds[2]
    for (number, leader, *held), trick in zip(shown, one.tricks, strict=True):
        assert (number, leader) == (trick.number, trick.lead_seat)
        for seat in range(4):
            played = sum(len(move.cards) for move in one.moves if move.trick < number and move.seat == seat)
            assert held[seat] == 14 - played
    assert shown[-1][2:] == [4, 0, 0, 10]


# How a check looks at a frame ---------------------------------------------------------------------------------------


def by(frame: Any, column: str) -> dict[Any, Any]:
    """The rows of a frame by what stands in a column, as plain Python values where there are some."""
    return {getattr(row[column], "item", lambda row=row: row[column])(): row for _, row in frame.iterrows()}


def apart(more: Any, less: Any) -> bool:
    """Whether an interval lies above another."""
    return bool(more["low"] > less["high"])


def touch(rows: Any) -> bool:
    """Whether no interval lies above another."""
    return not any(apart(one, other) for one in rows for other in rows)


# 01 -----------------------------------------------------------------------------------------------------------------


@said_in("01", 9)
def behind_and_won(data: ta.Dataset) -> None:
    gaps = [one.total_after[0] - one.total_after[1] for one in game().rounds]
    assert max(gaps[:6]) < 0 < gaps[6] and gaps[-1] > 0
    assert game().outcome == "finished"


@said_in("01", 17)
def nothing_to_say(data: ta.Dataset) -> None:
    assert not list(ta.check(sorted(LOGS.glob("*.tch"))))


# 02 -----------------------------------------------------------------------------------------------------------------


@said_in("02", 5)
def more_often_than_not(data: ta.Dataset) -> None:
    found = ta.stats.tichu(data, measures=["tichu.success_rate", "grand.success_rate"])
    assert all(found["low"] > 0.5)


@said_in("02", 7)
def right_of_zero(data: ta.Dataset) -> None:
    found = ta.stats.tichu(data, measures=["tichu.points_per_call", "grand.points_per_call"])
    assert all(found["low"] > 0)


@said_in("02", 9)
def three_are_better_than_two(data: ta.Dataset) -> None:
    found = by(ta.stats.tichu(data, by=["high_cards"], measures=["tichu.success_rate"]), "high_cards")
    assert apart(found[3], found[2])
    assert touch([found[3], found[4], found[5]]) and max(found) == 5


@said_in("02", 11)
def between_two_errors(data: ta.Dataset) -> None:
    off = odds.frame("high", cards=8, data=data)["standard_errors"].dropna()
    assert len(off) == 10 and off.abs().max() < 2


@said_in("02", 13)
def rise_and_overlap(data: ta.Dataset) -> None:
    found = ta.stats.tichu(data, by=["aces8"], measures=["grand.success_rate"], min_n=10)
    assert list(found["aces8"]) == [0, 1, 2, 3] and found["estimate"].is_monotonic_increasing
    assert touch([row for _, row in found.iterrows()])


@said_in("02", 15)
def more_aces_more_calls(data: ta.Dataset) -> None:
    found = by(ta.stats.tichu(data, by=["aces8"], measures=["grand.call_rate"]), "aces8")
    assert apart(found[1], found[0]) and apart(found[2], found[1]) and apart(found[3], found[2])
    assert found[4]["n"] == 1 and found[4]["low"] != found[4]["low"]


@said_in("02", 17)
def overlap_a_little(data: ta.Dataset) -> None:
    high = "(has(first8, 'Dr') or has(first8, 'Ph'))"
    more, fewer = (
        ta.stats.tichu(data, where=f"{high} and count_rank(first8, 'A') {aces}", measures=["grand.success_rate"]).iloc[
            0
        ]
        for aces in (">= 2", "< 2")
    )
    assert fewer["high"] - 0.05 < more["low"] < fewer["high"] < more["estimate"]


@said_in("02", 19)
def less_often_against_a_call(data: ta.Dataset) -> None:
    found = by(ta.stats.tichu(data, by=["opponent_call"], measures=["tichu.success_rate"]), "opponent_call")
    assert apart(found["none"], found["tichu"]) and apart(found["none"], found["grand"])


@said_in("02", 21)
def no_call_differs(data: ta.Dataset) -> None:
    found = ta.stats.compare(data, "tichu", by=["opponent_call"], measures=["tichu.success_rate"])
    for _, row in found.iterrows():
        assert (
            (row["p_holm"] < 0.01) == (row["low"] > 0) == ("none" in (row["opponent_call"], row["other_opponent_call"]))
        )
    assert len(found) == 3


@said_in("02", 23)
def less_often_against_a_bomb(data: ta.Dataset) -> None:
    for name in ("tichu.success_rate", "grand.success_rate"):
        found = by(ta.stats.tichu(data, by=["opponent_bomb"], measures=[name]), "opponent_bomb")
        assert apart(found[False], found[True])


@said_in("02", 25)
def the_score_does_not_matter(data: ta.Dataset) -> None:
    for name in ("tichu.call_rate", "tichu.success_rate"):
        found = ta.stats.tichu(data, by=["score_gap"], measures=[name])
        assert touch([row for _, row in found.iterrows()])


@said_in("02", 27)
def the_partner_breaks_fewer(data: ta.Dataset) -> None:
    found = by(ta.stats.tichu(data, measures=["tichu.broken_by_rate"]), "broken_by")
    assert apart(found["left"], found["partner"]) and apart(found["right"], found["partner"])


@said_in("02", 29)
def better_ends_and_wider_ones(data: ta.Dataset) -> None:
    found = by(
        data.sql("""
            select call, median(score_own - score_opponents) as middle, stddev(score_own - score_opponents) as spread
            from hands group by call
        """).to_pandas(),
        "call",
    )
    assert found["none"]["middle"] < found["tichu"]["middle"] < found["grand"]["middle"]
    assert found["grand"]["spread"] > max(found["none"]["spread"], found["tichu"]["spread"])


@said_in("02", 31)
def callers_do_better(data: ta.Dataset) -> None:
    assert ta.stats.tichu(data, measures=["tichu.call_association"])["low"].item() > 0


# 03 -----------------------------------------------------------------------------------------------------------------


@said_in("03", 5)
def within_all_of_them(data: ta.Dataset) -> None:
    chance = {(one.cards, one.event): one.probability for one in odds.exact("bombs") if one.who == "hand"}
    events = {"dealt8": (8, "a bomb"), "dealt": (14, "a bomb")}
    events |= {"dealt_four": (14, "four of a kind"), "dealt_straight": (14, "straight flush")}
    for name, event in events.items():
        found = ta.stats.bombs(data, measures=[f"bombs.{name}_rate"]).iloc[0]
        assert found["low"] < chance[event] < found["high"]


@said_in("03", 7)
def none_is_far_off(data: ta.Dataset) -> None:
    table = odds.frame("bombs", cards=14, data=data)
    table = table[table["event"].isin(["a bomb", "four of a kind", "straight flush"])]
    assert len(table) == 9 and table["standard_errors"].abs().max() < 2


@said_in("03", 9)
def more_than_twice_as_many(data: ta.Dataset) -> None:
    (dealt, held) = next(iter(data.sql("select sum(dealt_bomb::int), sum(held_bomb::int) from hands")))
    assert held > 2 * dealt


@said_in("03", 11)
def opponents_as_often_as_partners(data: ta.Dataset) -> None:
    found = by(ta.stats.bombs(data, measures=["bombs.origin_rate"]), "made_by")
    assert touch([found["partner"], found["left"], found["right"]])


@said_in("03", 13)
def bombs_of_low_ranks(data: ta.Dataset) -> None:
    found = ta.stats.bombs(data, by=["kind"], measures=["bombs.held_rank_rate"])
    fours = found[found["kind"] == "four_bomb"].set_index("rank_of_bomb")["k"]
    low = sum(int(fours[rank]) for rank in fours.index if str(rank) in {"2", "3", "4", "5", "6"})
    assert 2 * low > fours.sum() > 0


@said_in("03", 15)
def most_are_played(data: ta.Dataset) -> None:
    found = ta.stats.bombs(data, by=["kind"], measures=["bombs.fate_rate"])
    assert all(found[found["bomb_is"] == "played"]["low"] > 0.5)


@said_in("03", 17)
def on_the_dragon(data: ta.Dataset) -> None:
    found = by(ta.stats.bombs(data, measures=["bombs.thrown_on_rate"]), "thrown_on")
    assert all(apart(found["dragon"], row) for name, row in found.items() if name != "dragon") and len(found) == 11


@said_in("03", 19)
def nearly_all_win(data: ta.Dataset) -> None:
    assert ta.stats.bombs(data, measures=["bombs.trick_won_rate"])["low"].item() > 0.95


@said_in("03", 21)
def the_richest_tricks(data: ta.Dataset) -> None:
    found = by(ta.stats.bombs(data, by=["beaten"], measures=["bombs.points_won"], min_n=20), "beaten")
    rich = {"dragon", "bomb"}
    assert all(apart(found[one], row) for one in rich for name, row in found.items() if name not in rich)


@said_in("03", 23)
def the_only_bomb(data: ta.Dataset) -> None:
    found = by(ta.stats.bombs(data, by=["opponent_bomb"], measures=["bombs.score_difference"]), "opponent_bomb")
    assert found[False]["low"] > 0


@said_in("03", 25)
def calls_beside_bombs(data: ta.Dataset) -> None:
    names = [f"bombs.success_with_{who}_held" for who in ("partner", "opponent")]
    (all_calls,) = next(iter(data.sql("select avg(call_success::int) from hands where call <> 'none'")))
    assert all(ta.stats.bombs(data, measures=names)["high"] < all_calls)


# 04 -----------------------------------------------------------------------------------------------------------------


@said_in("04", 5)
def high_to_partners(data: ta.Dataset) -> None:
    found = data.sql("""
        select passed_to = 'partner' as to_partner, avg((rank between 12 and 14)::int) as high, median(rank) as middle
        from exchanges where rank between 2 and 14 group by 1
    """).to_pandas()
    both = by(found, "to_partner")
    assert both[True]["high"] > 0.5 > 10 * both[False]["high"]
    assert both[True]["middle"] > 10 > 7 > both[False]["middle"]


@said_in("04", 11)
def the_dog_alone(data: ta.Dataset) -> None:
    found = data.sql(
        "select card, count(*) from exchanges where passed_to <> 'partner' and rank not between 2 and 14 group by 1"
    )
    assert len(list(found)) == 1
    dog = ta.stats.exchange(data, measures=["exchange.dog_given_rate"])
    assert all(dog["k"] > 0)


@said_in("04", 13)
def odd_to_the_left(data: ta.Dataset) -> None:
    found = by(ta.stats.exchange(data, measures=["exchange.odd_even_rate"]), "parity")
    assert apart(found["odd_left"], found["odd_right"])


@said_in("04", 15)
def lower_to_the_right(data: ta.Dataset) -> None:
    assert ta.stats.exchange(data, measures=["exchange.lower_left_rate"])["high"].item() < 0.5


@said_in("04", 17)
def makes_more_than_it_breaks(data: ta.Dataset) -> None:
    for kind, times in (("bomb", 10), ("straight", 1)):
        made, broken = (
            ta.stats.exchange(data, measures=[f"exchange.{kind}_{what}_rate"])["k"].item()
            for what in ("made", "broken")
        )
        assert made > times * broken


@said_in("04", 21)
def more_triples_more_bombs(data: ta.Dataset) -> None:
    found = by(ta.stats.exchange(data, by=["triples"], measures=["exchange.bomb_made_rate"]), "triples")
    assert apart(found[1], found[0]) and apart(found[2], found[1]) and touch([found[2], found[3]])


@said_in("04", 23)
def gifts_not_from_a_pair(data: ta.Dataset) -> None:
    for name in ("bombs.given_away_rate", "bombs.given_to_partner_rate"):
        found = by(ta.stats.bombs(data, by=["from_pair"], measures=[name]), "from_pair")
        assert apart(found[False], found[True])


@said_in("04", 27)
def grand_gets_an_ace_and_no_dog(data: ta.Dataset) -> None:
    (ace,) = next(
        iter(
            data.sql("""
                select avg((coalesce(e.rank, 0) = 14)::int) from exchanges as e
                join hands as h on (h.game_id, h.round, h.seat) = (e.game_id, e.round, e.receiver)
                where h.call = 'grand' and e.passed_to = 'partner'
            """)
        )
    )
    assert ace > 0.5
    names = ["exchange.ace_to_partner_rate", "exchange.dog_to_partner_rate"]
    found = ta.stats.exchange(data, by=["partner_call"], measures=names)
    grand = by(found[found["partner_call"] == "grand"], "measure")
    assert grand[names[0]]["estimate"] == pytest.approx(ace) and grand[names[0]]["low"] > 0.5
    assert grand[names[1]]["k"] == 0


@said_in("04", 29)
def callers_gain_aces(data: ta.Dataset) -> None:
    found = by(ta.stats.exchange(data, by=["call"], measures=["exchange.aces_gained"]), "call")
    assert found["tichu"]["low"] > 0 and apart(found["grand"], found["tichu"])


@said_in("04", 31)
def fewer_lone_cards(data: ta.Dataset) -> None:
    assert all(ta.stats.exchange(data, by=["call"], measures=["exchange.singles_gained"])["high"] < 0)


# 05 -----------------------------------------------------------------------------------------------------------------


@said_in("05", 9)
def callers_write_down_more(data: ta.Dataset) -> None:
    found = by(
        data.sql("select call, avg(score_own - score_opponents) as more from hands group by call").to_pandas(), "call"
    )
    assert found["tichu"]["more"] > 0 and found["grand"]["more"] > 0 > found["none"]["more"]


@said_in("05", 15)
def chance_of_both(data: ta.Dataset) -> None:
    (both, hands) = next(iter(data.sql("select count(*) filter (has(dealt, 'Dr Ph')), count(*) from hands")))
    chance = 14 * 13 / (56 * 55)
    assert abs(both / hands - chance) < 1.96 * (chance * (1 - chance) / hands) ** 0.5


@said_in("05", 17)
def aces_are_wished_for(data: ta.Dataset) -> None:
    found = data.sql("""
        select wish_rank from rounds where legal and wish_rank is not null
        group by wish_rank order by count(*) desc limit 1
    """)
    assert list(found) == [(14,)]


@said_in("05", 29)
def the_further_ahead_the_better(data: ta.Dataset) -> None:
    found = ta.stats.results(data, by=["score_gap"], measures=["results.game_won_rate"])
    assert found["score_gap"].is_monotonic_increasing and found["estimate"].is_monotonic_increasing
    steps = by(found, "score_gap")
    assert list(steps) == [-600, -400, -200, 0, 200, 400, 600] and steps[0]["low"] > 0.5 > steps[-200]["high"]


# After all of them are known -------------------------------------------------------------------------------------


@pytest.mark.parametrize("place", sorted(CHECKS), ids="-".join)
def test_it_is_so(place: tuple[str, str], data: ta.Dataset) -> None:
    CHECKS[place](data)
