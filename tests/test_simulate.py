"""Simulated games: the same for the same seed, legal under two rule sets, and with everything in them."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import zipfile

import pytest

from benchmarks.happenings import happenings
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import DECK, MAH_JONG_MASK, PHOENIX_MASK
from tichu_analytics.rules.combinations import KIND_NAMES, STRAIGHT, holds_bomb, readings
from tichu_analytics.rules.options import OFFICIAL
from tichu_analytics.rules.wish import can_follow_with_rank, meets_wish
from tichu_analytics.simulate import candidates, simulate_games
from tichu_analytics.simulate.__main__ import main, month_of
from tichu_analytics.simulate.dice import Dice

#: SHA-256 of the logs of games 1 to 5 with seed 1; changes whenever the players change their minds.
GOLDEN = "fd4835c1af77640098c45028c85c80bab48ef06137aa7de1ef71d7cc51327283"


def digest(games: int, seed: int) -> str:
    text = "".join(one.text for one in simulate_games(games, seed))
    return hashlib.sha256(text.encode()).hexdigest()


def test_the_same_seed_gives_the_same_bytes_everywhere():
    assert digest(5, 1) == GOLDEN


def test_hash_randomness_has_no_influence(root):
    code = "from tests.test_simulate import digest; print(digest(2, 3))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": "."},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {digest(2, 3)}


def test_a_game_depends_on_its_own_number_only():
    games = [one.text for one in simulate_games(4, 9)]
    assert [one.text for one in simulate_games(2, 9, first=3)] == games[2:]
    assert len(set(games)) == 4
    assert next(simulate_games(1, 8)).text != games[0]


@pytest.mark.parametrize("seed", range(150))
def test_simulated_games_are_legal(seed):
    for one in simulate_games(1, seed):
        game = read_game(one.text.encode(), one.game.path, one.game_id)
        assert game == one.game, "what was written down is what happened, lines included"
        for rules in ("bsw", "official"):
            found = replay(game, rules)
            assert found.findings == (), rules
            assert found.outcome == "finished"
            assert all(a.score == a.logged_score for a in found.rounds)
            assert found.winner is not None


def test_everything_happens_that_the_rules_provide_for():
    counts = happenings([one.game for one in simulate_games(60, 1)])
    rounds = counts["rounds"]
    assert 8 < rounds / 60 < 14
    for what, least in {
        "bombs out of turn": 50,
        "bombs on the Dragon": 20,
        "bombs on one's own trick in place of taking it": 3,
        "gifts of the Dragon's trick": 200,
        "gifts of the Dragon's trick to a player who is out": 10,
        "Dogs with the partner out": 20,
        "Dogs as the last card": 20,
        "wishes met by a bomb": 3,
        "wishes met by a bomb out of turn": 1,
        "wishes met with the help of the Phoenix": 3,
        "plays with a Phoenix that can be read in two ways": 30,
        "calls of Tichu before the exchange": 5,
        "calls of Tichu after somebody was out": 1,
        "substitutes between rounds": 1,
    }.items():
        assert counts[what] >= least, what
    assert 0.05 < counts["calls of Grand Tichu"] / (4 * rounds) < 0.12
    assert 0.08 < counts["calls of Tichu"] / (4 * rounds) < 0.2
    assert 0.6 < counts["wishes"] / rounds < 0.9


# The plays that come to a player's mind ------------------------------------------------------------------------------


def random_hand(dice: Dice, cards: int) -> int:
    return sum(1 << card for card in dice.shuffled(56)[:cards])


def test_what_a_wish_asks_for_is_among_the_plays_looked_at() -> None:
    dice = Dice("wishes")
    bound = 0
    for _ in range(4000):
        # Hands of few ranks make many combinations.
        hand = random_hand(dice, 8 + dice.below(7)) & (DECK if dice.chance(40) else random_hand(dice, 40))
        tables = candidates.leads(random_hand(dice, 14), False)
        mask = dice.pick(tables)
        table = readings(mask, OFFICIAL)
        if table.ways == 0:
            continue
        for rank in range(2, 15):
            if not can_follow_with_rank(hand, rank, table.kind, table.length, table.rank2, OFFICIAL):
                continue
            bound += 1
            plays = candidates.follows(hand, table.kind, table.length, table.rank2) + candidates.bombs(hand)
            assert any(meets_wish(play, rank) for play in plays), (hand, KIND_NAMES[table.kind], table.length, rank)
    assert bound > 2000


def test_proposed_plays_are_combinations_of_the_hand():
    dice = Dice("plays")
    for _ in range(1000):
        hand = random_hand(dice, 1 + dice.below(14))
        for mask in candidates.leads(hand, holds_bomb(hand)):
            assert mask & ~hand == 0
            assert readings(mask, OFFICIAL).ways > 0
        for length in range(5, 9):
            for mask in candidates.straights(hand, length):
                assert readings(mask, OFFICIAL).length == length


def test_a_straight_is_no_bomb_where_another_card_serves():
    run = sum(1 << (4 * rank) for rank in range(5))
    assert readings(candidates.straights(run, 5)[0], OFFICIAL).kind != STRAIGHT
    assert readings(candidates.straights(run | 2, 5)[0], OFFICIAL).kind == STRAIGHT
    low = sum(1 << (4 * rank) for rank in range(3)) | MAH_JONG_MASK | PHOENIX_MASK
    assert len(candidates.straights(low, 5)) == 1


# Command and samples -------------------------------------------------------------------------------------------------


def test_the_command_writes_a_folder_or_a_zip(tmp_path, capsys):
    assert main(["--games", "3", "--seed", "4", "--out", str(tmp_path / "logs")]) == 0
    assert main(["--games", "3", "--seed", "4", "--out", str(tmp_path / "logs.zip")]) == 0
    files = sorted((tmp_path / "logs").iterdir())
    assert [path.name for path in files] == ["000001.tch", "000002.tch", "000003.tch"]
    with zipfile.ZipFile(tmp_path / "logs.zip") as archive:
        assert archive.namelist() == [f"200701/{path.name}" for path in files]
        assert [archive.read(name) for name in archive.namelist()] == [path.read_bytes() for path in files]
    assert main(["--games", "1", "--seed", "4", "--out", str(files[0] / "below")]) == 2
    assert str(files[0]) in capsys.readouterr().err


def test_a_zip_has_a_folder_for_each_month():
    assert [month_of(number) for number in (1, 500, 501, 6000, 6001)] == [
        "200701",
        "200701",
        "200702",
        "200712",
        "200801",
    ]
