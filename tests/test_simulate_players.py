"""Players who plan: the same for the same seed, legal, near the published figures, and true to their conventions."""

from __future__ import annotations

import hashlib
import subprocess
import sys

import pytest

from benchmarks import simulation
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.record.notation import card_bit, parse_mask
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import (
    CARD_RANK,
    DOG_MASK,
    DRAGON_MASK,
    MAH_JONG_MASK,
    PHOENIX_MASK,
)
from tichu_analytics.rules.combinations import bomb_cards, readings
from tichu_analytics.rules.options import OFFICIAL
from tichu_analytics.rules.scoring import GRAND_TICHU, NO_CALL, TICHU
from tichu_analytics.simulate.anomalies import PER_GAME, PER_ROUND, anomalous_game
from tichu_analytics.simulate.dice import Dice
from tichu_analytics.simulate.edits import EDITS
from tichu_analytics.simulate.faults import FAULTS, faulty_game
from tichu_analytics.simulate.illegal import KINDS
from tichu_analytics.simulate.judging import calls_grand, dragon_receiver, first_strength, gives, prospect, wish
from tichu_analytics.simulate.notes import SimulatedGame
from tichu_analytics.simulate.plans import change, plan
from tichu_analytics.simulate.series import Wants, simulate_series
from tichu_analytics.simulate.skilled import SkilledPlayer
from tichu_analytics.simulate.skilled_round import play_skilled_game
from tichu_analytics.simulate.skills import LEVELS, Member, Pool
from tichu_analytics.simulate.table import Table

#: SHA-256 of the logs of games 1 to 3 with seed 1; changes whenever the players change their minds.
GOLDEN = "2bce7d9539458d2631d273ca074adbf9b9b38271182b42ab75a6e3fe4a8f8e8b"

BEGINNER, EXPERT = LEVELS[0], LEVELS[-1]
NO_CALLS = (NO_CALL,) * 4


def digest(games: int, seed: int, **wants) -> str:
    text = "".join(one.text for one in simulate_series(games, seed, wants=Wants(**wants)))
    return hashlib.sha256(text.encode()).hexdigest()


def read(one: SimulatedGame):
    game = read_game(one.text.encode(), one.game.path, one.game_id)
    assert game == one.game, "what was written down is what happened, lines included"
    return game


def compare_with_notes(one: SimulatedGame) -> None:
    """Just the findings that the notes name, at their lines."""
    found = [(finding.line, finding.name, finding.round or 0) for finding in replay(read(one), "bsw").findings]
    noted = [(note.line, note.finding, note.round) for note in one.notes if note.finding]
    assert sorted(found) == sorted(noted), (one.game_id, one.notes)


# Determinism ---------------------------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bytes_everywhere():
    assert digest(3, 1) == GOLDEN


def test_hash_randomness_has_no_influence(root):
    code = "from tests.test_simulate_players import digest; print(digest(2, 3, anomalies=30, odd_names=True))"
    found = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": f"{root}:{root / 'cli'}"},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert found == {digest(2, 3, anomalies=30, odd_names=True)}


@pytest.mark.parametrize("wants", [Wants(), Wants(anomalies=20), Wants(faults=("wrong_leader", "unknown_card"))])
def test_a_game_depends_on_its_own_number_only(wants):
    games = list(simulate_series(4, 9, wants=wants))
    assert list(simulate_series(2, 9, first=3, wants=wants)) == games[2:]
    assert len({one.text for one in games}) == 4
    assert next(iter(simulate_series(1, 8, wants=wants))).text != games[0].text


def test_what_was_planned_before_has_no_influence(monkeypatch):
    from tichu_analytics.simulate import plans

    monkeypatch.setattr(plans, "_CACHE_SIZE", 1)
    assert digest(1, 5) == hashlib.sha256(next(iter(simulate_series(1, 5))).text.encode()).hexdigest()
    small = digest(1, 5)
    monkeypatch.setattr(plans, "_CACHE_SIZE", 30_000)
    assert digest(1, 5) == small


# Legality and figures ------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def series():
    """120 games and their replays under ``bsw``."""
    games = list(simulate_series(120, 2))
    return games, [replay(read(one), "bsw") for one in games]


def test_games_are_legal_under_both_rule_sets(series):
    games, replays = series
    for one, found in zip(games, replays, strict=True):
        assert one.notes == ()
        assert found.findings == ()
        assert replay(one.game, "official").findings == ()
        assert found.outcome == "finished" and found.winner is not None
        assert all(a.score == a.logged_score for a in found.rounds)


def counted(series):
    pool = Pool(2, Wants().players)
    return simulation.count(series[1], {member.name: member.skill.name for member in pool.members})


def test_figures_are_near_the_published_ones(series):
    found = counted(series)
    asked = [figure for figure in simulation.FIGURES if figure.asked]
    assert len(asked) == 9
    for figure in asked:
        value = figure.factor * found.counts[figure.over] / found.counts[figure.of]
        # A third, and some room for the chance of so few games.
        assert 0.62 * figure.published < value < 1.38 * figure.published, (figure.title, value)
    table = "\n".join(simulation.figure_table(found))
    assert table.count("\n| ") == len(simulation.FIGURES) + 1


def test_what_is_received_is_near_the_published_figures(series):
    found = counted(series)
    for direction, index, published in simulation.RECEIVED:
        for rank, hundredths in zip(simulation.RANKS, published, strict=True):
            share = 100 * found.received[index, rank] / found.counts["seats"]
            assert abs(share - hundredths / 100) < 8, (direction, rank, share)


def test_players_meet_again(series):
    seats = [name for found in series[1] for name in found.rounds[0].record.names]
    often = sorted((seats.count(name) for name in set(seats)), reverse=True)
    assert len(often) > 40 and often[0] > 20 and often[0] > 3 * often[-1]
    assert all(len(set(found.rounds[0].record.names)) == 4 for found in series[1])


def test_skill_shows_in_results():
    members = (Member("a", EXPERT, 1), Member("b", BEGINNER, 1), Member("c", EXPERT, 1), Member("d", BEGINNER, 1))
    games = [play_skilled_game(Dice(f"skill:{number}"), str(number), members) for number in range(60)]
    won = [replay(game, "bsw").winner for game in games].count(0)
    assert won >= 40, "chance alone does that in one of two hundred cases"


def test_better_players_call_grand_tichu_more_often():
    dice = Dice("grand")
    hands = [random_hand(dice, 8) for _ in range(3000)]
    rates = [sum(calls_grand(dice, skill, hand, 0) for hand in hands) for skill in LEVELS]
    assert rates == sorted(rates) and 0.005 < rates[0] / 3000 < 0.08 < rates[-1] / 3000 < 0.2


# Plans ---------------------------------------------------------------------------------------------------------------


def random_hand(dice: Dice, cards: int) -> int:
    return sum(1 << card for card in dice.shuffled(56)[:cards])


def test_a_plan_parts_a_hand_into_combinations():
    dice = Dice("plans")
    for _ in range(1500):
        hand = random_hand(dice, 1 + dice.below(14))
        found = plan(hand)
        together = 0
        for part in found.parts:
            assert not together & part.mask
            together |= part.mask
            combination = readings(part.mask, OFFICIAL)
            assert (combination.kind, combination.length) == (part.kind, part.length)
            assert part.rank2 == combination.rank2 or part.mask in (PHOENIX_MASK, DOG_MASK)
            assert change(hand, part.mask) == -part.cost
        assert together == hand
        assert found.cost == sum(part.cost for part in found.parts)


def test_good_hands_look_better_than_bad_ones():
    good = parse_mask("Dr SA BA GA SK BK S9 B9 G9 S5 B5 S4 B4 S3")
    bad = parse_mask("Do S2 B3 G5 S5 B7 G8 R8 S10 BJ GK RK S4 B10")
    assert plan(good).cost < 150 < 300 < plan(bad).cost
    assert prospect(good) > 100 and prospect(bad) < -200
    assert first_strength(parse_mask("Dr SA BA S2 B3 G4 R6 S7")) > first_strength(parse_mask("Ma SK BQ S2 B3 G4 R6 S7"))


def test_bombs_and_straights_stay_whole_in_a_plan():
    assert parse_mask("S7 B7 G7 R7") in [part.mask for part in plan(parse_mask("S7 B7 G7 R7 S2 B9")).parts]
    flush = parse_mask("S4 S5 S6 S7 S8")
    assert flush in [part.mask for part in plan(flush | parse_mask("B8 GK R2")).parts]
    assert parse_mask("S5 B6 G7 Ph R9") in [part.mask for part in plan(parse_mask("S5 B6 G7 Ph R9 S2")).parts]


# Conventions ---------------------------------------------------------------------------------------------------------

HAND = parse_mask("SA BA SK BK GQ RQ S10 B10 G8 R8 S7 B7 S3 B4")


def test_odd_left_even_right_low_to_the_opponents_high_to_the_partner():
    dice = Dice("gives")
    for _ in range(50):
        right, partner, left = gives(dice, EXPERT, HAND, NO_CALLS, 0, True)
        assert (right, left) == (card_bit("B4"), card_bit("S3"))
        assert CARD_RANK[partner] >= 8


def test_the_convention_shows_over_many_hands_and_is_dropped_by_others():
    dice = Dice("convention")

    def share(convention: bool) -> float:
        kept = given = 0
        for _ in range(400):
            right, _, left = gives(dice, EXPERT, random_hand(dice, 14), NO_CALLS, 1, convention)
            for card, even in ((right, True), (left, False)):
                if CARD_RANK[card] >= 2:
                    given += 1
                    kept += (CARD_RANK[card] % 2 == 0) == even
        return kept / given

    assert share(True) > 0.75
    assert 0.4 < share(False) < 0.6


def test_a_partner_who_has_called_gets_the_best():
    dice = Dice("caller")
    calls = (NO_CALL, NO_CALL, GRAND_TICHU, NO_CALL)
    hand = HAND & ~parse_mask("S7 B7") | DRAGON_MASK | DOG_MASK
    got = [gives(dice, EXPERT, hand, calls, 0, True)[1] for _ in range(100)]
    assert {CARD_RANK[card] for card in got} == {14, 15}


def test_the_dog_goes_to_the_partner_of_a_caller_or_to_a_calling_opponent():
    dice = Dice("dog")
    hand = HAND & ~card_mask("S7") | DOG_MASK
    own = [gives(dice, EXPERT, hand, (GRAND_TICHU, 0, 0, 0), 0, True) for _ in range(200)]
    assert 120 < sum(given[1] == card_bit("Do") for given in own) < 180
    against = [gives(dice, EXPERT, hand, (0, GRAND_TICHU, 0, 0), 0, True) for _ in range(200)]
    assert 100 < sum(given[0] == card_bit("Do") for given in against) < 160
    partners = [gives(dice, EXPERT, hand, (0, 0, GRAND_TICHU, 0), 0, True) for _ in range(50)]
    assert not any(card_bit("Do") in given for given in partners)


def card_mask(code: str) -> int:
    return 1 << card_bit(code)


def table_of(*hands: str) -> Table:
    return Table([parse_mask(hand) for hand in hands], OFFICIAL)


def player_at(table: Table, seat: int, calls: list[int], skill=EXPERT) -> SkilledPlayer:
    player = SkilledPlayer(Dice(f"player:{seat}"), table, seat, skill, calls)
    player.call = calls[seat]
    player.partner_called = calls[(seat + 2) % 4] != NO_CALL
    return player


def test_against_a_call_an_ace_is_wished_for_and_otherwise_what_the_next_player_was_given():
    table = table_of("S9 B9", "SA", "S5 Ma", "BA")
    given = (card_bit("B4"), card_bit("SK"), card_bit("S3"))
    dice = Dice("wish")
    against = [wish(dice, EXPERT, table, 0, given, (0, TICHU, 0, 0)) for _ in range(100)]
    assert set(against) == {0, 14}
    quiet = [wish(dice, EXPERT, table, 0, given, NO_CALLS) for _ in range(300)]
    assert quiet.count(4) > 100 and 20 < quiet.count(0) < 90


def test_the_dragon_goes_to_the_harmless_opponent():
    dice = Dice("dragon")
    table = table_of("S9 Ma", "S2", "S5 B5", "S8 B8 G8 R8 SJ")
    table.gift_due = 0
    assert {dragon_receiver(dice, EXPERT, table, NO_CALLS) for _ in range(50)} == {3}
    table = table_of("S9 Ma", "S2 B2 G2 R2 S3", "S5 B5", "S8")
    table.gift_due = 0
    assert {dragon_receiver(dice, EXPERT, table, NO_CALLS) for _ in range(50)} == {1}
    table = table_of("S9 Ma", "S2 B2", "S5 B5", "S8 B8")
    table.gift_due = 0
    assert {dragon_receiver(dice, EXPERT, table, (0, 0, 0, TICHU)) for _ in range(50)} == {1}
    lefts = [dragon_receiver(dice, EXPERT, table, NO_CALLS) for _ in range(200)].count(3)
    assert 110 < lefts < 165


def test_a_caller_s_partner_leads_the_dog_and_does_not_beat_the_caller():
    calls = [TICHU, 0, 0, 0]
    table = table_of("S3 B5 G6", "S2 B2", "Do SA SK Ma", "S8 B8")
    assert player_at(table, 2, calls).lead() == DOG_MASK
    table = table_of("Ma S3 B5 G6", "S2 B2", "SA SK S9", "S8 B8")
    table.play(0, parse_mask("S3"))
    table.pass_turn(1)
    player = player_at(table, 2, calls)
    assert player.follow() == 0
    calls[0] = NO_CALL
    player.partner_called = False
    assert player.follow() == 0 or CARD_RANK[player.follow().bit_length() - 1] < 14


def test_a_player_goes_out_if_he_can_but_not_before_a_partner_who_has_called():
    table = table_of("S3 B5 G6", "Ma S2 B2", "SA", "S8 B8")
    table.play(1, parse_mask("S2"))
    calls = [TICHU, 0, 0, 0]
    table.turn = 2
    assert player_at(table, 2, calls).follow() == 0
    assert player_at(table, 2, [0, 0, 0, 0]).follow() == parse_mask("SA")


def test_sure_winners_are_led_before_the_last_loser():
    table = table_of("Dr S3 Ma", "SK B9 B8", "S5 B5 GQ", "S8 GJ G10")
    table.hands[0] &= ~MAH_JONG_MASK
    table.turn = 0
    assert player_at(table, 0, [0, 0, 0, 0]).lead() == DRAGON_MASK


def test_low_singles_are_not_led_to_an_opponent_with_one_card():
    table = table_of("S3 S9 B9 GJ RQ SQ Ma", "SK", "S5 B5 GA", "S8 GJ G10")
    table.hands[0] &= ~MAH_JONG_MASK
    table.turn = 0
    lead = player_at(table, 0, [0, 0, 0, 0]).lead()
    assert lead.bit_count() == 2


def test_a_bomb_falls_on_the_dragon_of_a_caller_and_spares_the_partner():
    table = table_of("S7 B7 G7 R7 S2 B3", "Ma Dr S10 BJ", "S5 B5 GA", "S8 GJ G10")
    calls = [0, TICHU, 0, 0]
    table.play(1, DRAGON_MASK)
    for seat in (2, 3):
        table.pass_turn(seat)
    table.turn = 1
    player = player_at(table, 0, calls)
    player.hurries = True
    assert player.bomb() == parse_mask("S7 B7 G7 R7")
    table = table_of("S7 B7 G7 R7 S2 B3 G4 R5 S6 B9", "Ma S10 BJ", "Dr GA S3 B2", "S8 GJ G10")
    table.turn = 2
    table.play(2, DRAGON_MASK)
    player = player_at(table, 0, [0, 0, TICHU, 0])
    player.hurries = True
    assert player.bomb() == 0


def test_bombs_are_kept_and_most_of_them_are_played(series):
    held = played = 0
    for found in series[1]:
        for one in found.rounds:
            held += sum(bomb_cards(hand) != 0 for hand in one.held)
            played += one.n_bombs
    assert 0.7 < played / held < 1.05


def test_partners_of_callers_seldom_go_out_first(series):
    first = [0, 0]
    for found in series[1]:
        for one in found.rounds:
            for seat in range(4):
                alone = one.calls[seat] is not None and one.calls[(seat + 2) % 4] is None
                first[0] += alone
                first[1] += alone and one.finish[0] == (seat + 2) % 4
    assert first[1] / first[0] < 0.1


# Put in on purpose ---------------------------------------------------------------------------------------------------


def test_every_kind_of_fault_can_be_had_and_is_listed():
    assert set(FAULTS) == set(KINDS) | set(EDITS) | {"unknown_line", "unknown_card", "truncated"}
    assert {kind: FAULTS[kind].finding for kind in EDITS} == {kind: finding for kind, (_, finding) in EDITS.items()}


@pytest.mark.parametrize("kind", FAULTS)
def test_a_game_with_a_fault_has_just_that_finding(kind):
    pool = Pool(3, 20)
    for number in range(2):
        one = faulty_game(kind, f"faults:{number}", str(number), pool.four(Dice(f"four:{number}")))
        assert [note.kind for note in one.notes] == [kind]
        assert one.notes[0].finding is not None and one.notes[0].what == FAULTS[kind].what
        compare_with_notes(one)


def test_every_game_has_one_of_the_faults_asked_for():
    kinds = ("wrong_score", "pass_on_lead")
    games = list(simulate_series(12, 4, wants=Wants(faults=kinds)))
    assert {note.kind for one in games for note in one.notes} == set(kinds)
    assert all(len(one.notes) == 1 for one in games)


def test_anomalies_are_what_the_notes_say():
    seen = set()
    for one in simulate_series(60, 6, wants=Wants(anomalies=25)):
        compare_with_notes(one)
        seen |= {note.kind for note in one.notes}
    assert seen <= set(PER_GAME) | set(PER_ROUND)
    assert {"player_changed", "player_changed_in_round", "names_in_other_order", "truncated", "abandoned"} <= seen
    assert {"call_doubled", "gift_nameless", "bonus_missing", "phoenix_low", "first8_unsorted", "no_round"} <= seen


def test_anomalies_come_at_the_rates_of_the_archive():
    changed = PER_GAME["player_changed"] + PER_GAME["player_changed_in_round"] + PER_GAME["names_in_other_order"]
    assert 0.06 < changed / 1e6 < 0.075
    assert PER_GAME["truncated"] == 6000
    assert 0.0008 < sum(PER_ROUND[kind] for kind in ("bonus_missing", "dragon_shifted", "wrong_score")) / 1e6 < 0.0011
    pool = Pool(1, 8)
    members = pool.four(Dice("four"))
    clean = [anomalous_game(f"rates:{number}", "1", members, pool, 1).notes for number in range(40)]
    assert sum(notes == () for notes in clean) > 24
    assert anomalous_game("none", "1", members, pool, 0).notes == ()


def test_a_low_phoenix_is_legal_where_the_server_lets_it_stand_and_nowhere_else():
    found = 0
    for one in simulate_series(40, 12, wants=Wants(anomalies=25)):
        low = [note for note in one.notes if note.kind == "phoenix_low"]
        for note in low:
            found += 1
            names = [(f.line, f.name) for f in replay(one.game, "official").findings if f.round == note.round]
            assert (note.line, "not-higher") in names
    assert found >= 2


def test_players_leave_as_often_as_asked():
    games = list(simulate_series(40, 5, wants=Wants(abandoned=50)))
    left = [one for one in games if one.notes]
    assert 10 <= len(left) <= 30
    within = 0
    for one in games:
        compare_with_notes(one)
        outcome = replay(one.game, "bsw").outcome
        assert outcome == ("finished" if not one.notes else "unfinished") or one.game.rounds[-1].number == 1
        within += any(note.finding == "truncated" for note in one.notes)
    assert 0 < within < len(left)


def test_odd_names_are_no_reason_for_a_finding():
    names = set()
    for one in simulate_series(30, 3, wants=Wants(odd_names=True, players=60)):
        assert replay(read(one), "bsw").findings == ()
        names |= set(one.game.rounds[0].names)
    assert len(names & {"", "=1+1", "<b>bold</b>", "passt.", "(1)", "Ma", "\u202eabc"}) >= 2


@pytest.mark.parametrize(
    ("wants", "what"),
    [
        (Wants(players=7), "too few"),
        (Wants(faults=("x",)), "no kind of fault 'x'"),
        (Wants(faults=("wrong_score",), anomalies=1), "come alone"),
        (Wants(faults=("wrong_score",), abandoned=1), "come alone"),
        (Wants(anomalies=-1), "negative"),
        (Wants(abandoned=101), "from 0 to 100"),
    ],
)
def test_what_cannot_be_had_is_refused_at_once(wants, what):
    with pytest.raises(ValueError, match=what):
        simulate_series(1, 1, wants=wants)
    with pytest.raises(ValueError, match="no kind of fault"):
        faulty_game("x", "1", "1", Pool(1, 8).four(Dice("1")))
