"""The 324 rule cases: each is put to the rulebook or the replay, under the rule set or option value it is for."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tichu_analytics.formats.bsw.lines import CARD_BITS, WISH_RANKS, result_numbers
from tichu_analytics.formats.bsw.reader import read_game
from tichu_analytics.record import Event, EventKind
from tichu_analytics.record.notation import parse_mask
from tichu_analytics.replay.deal import Hands
from tichu_analytics.replay.state import RoundState
from tichu_analytics.rules import calls, combinations, play, scoring, wish
from tichu_analytics.rules.cards import CARD_RANK, DECK, DRAGON_MASK, card_count, points
from tichu_analytics.rules.options import OFFICIAL, OPTIONS, Options, make_options
from tichu_analytics.rules.turns import NOBODY, round_over

CASES_FILE = Path(__file__).resolve().parents[1] / ".." / "shared" / "rules" / "rule_cases.jsonl"
CASES: list[dict[str, Any]] = (
    [json.loads(line) for line in CASES_FILE.read_text(encoding="utf-8").splitlines()] if CASES_FILE.exists() else []
)


def mask(text: str | list[str] | None) -> int:
    if isinstance(text, list):
        text = " ".join(text)
    return parse_mask(text or "")


def play_event(seat: int, text: str, declared: int = 0, line: int = 1) -> Event:
    cards = tuple(CARD_BITS[word] for word in text.split())
    return Event(EventKind.PLAY, line, seat, "", cards, mask(text), declared)


def event_of(step: str, line: int) -> Event:
    seat, _, what = step.partition(":")
    if what in ("pass", "collect"):
        return Event(EventKind.PASS, line, int(seat), "")
    return play_event(int(seat), what, line=line)


def state_for(case: dict[str, Any], options: Options, steps: list[str]) -> RoundState:
    """A round in which the steps of a case can be done: players hold what they play, and something more."""
    s = case["situation"]
    out = list(s.get("out", ()))
    gone = s.get("went_out_on_play", ())
    hands = [0, 0, 0, 0]
    for step in steps:
        number, _, what = step.partition(":")
        if what not in ("pass", "collect"):
            hands[int(number)] |= mask(what)
    by = s.get("by", s.get("turn_of"))
    if by is not None and "hand" in s:
        hands[by] |= mask(s["hand"])
    if by is not None and isinstance(s.get("play"), str) and s["play"] != "pass":
        hands[by] |= mask(s["play"])
    free = [card for card in range(52) if not (hands[0] | hands[1] | hands[2] | hands[3]) >> card & 1]
    playing = {int(step[0]) for step in steps if step[2:] not in ("pass", "collect")}
    # Seats that are out before the case begins; others go out with what they play in it.
    before = [seat for seat in out if seat not in playing]
    for seat in range(4):
        if seat in before:
            hands[seat] = 0
        elif seat not in gone and seat not in out and not (seat == by and "hand" in s):
            hands[seat] |= 1 << free.pop(0)
    first = int(steps[0][0]) if steps else s.get("turn_of", s.get("leader_seat", 0))
    held = (hands[0], hands[1], hands[2], hands[3])
    explicit = "implicitly" not in case.get("note", "") and any(
        word in json.dumps(s) for word in ("collect", '"Dr', ":Dr")
    )
    names = ("", "", "", "")
    state = RoundState(
        options,
        Hands((0, 0, 0, 0), (0, 0, 0, 0), held, (None,) * 4, (0, 0, 0, 0), 0, first),
        names,
        explicit_ends=explicit,
        marks_interrupts=True,
    )
    for place, seat in enumerate(before):
        state.finish.append(seat)
        state.last_play[seat] = place - 10
    if round_over(*[*state.finish, NOBODY, NOBODY, NOBODY][:3]):
        raise AssertionError("the case begins after the end of the round")
    if s.get("wish"):
        state.wish = s["wish"]
        state.wish_first_trick = True
    state.played = 0 if s.get("first_lead") else 1
    return state


def run(state: RoundState, steps: list[str]) -> RoundState:
    for line, step in enumerate(steps, start=1):
        state.do(event_of(step, line))
    assert not [breach for breach in state.breaches if breach.severity == "error"], state.breaches
    return state


def table_of(s: dict[str, Any], options: Options) -> tuple[int, int, int]:
    """Kind, length and rank2 of what lies on the table."""
    text = s.get("table")
    if text in (None, "empty"):
        return combinations.NO_COMBINATION, 0, 0
    found = combinations.readings(mask(text), options)
    rank2 = found.rank2
    if text == "Ph":
        rank2 = round(2 * s["table_value"])
    return found.kind, found.length, rank2


def situation_of(s: dict[str, Any], options: Options, **more: int) -> play.Situation:
    kind, length, rank2 = table_of(s, options)
    return play.Situation(
        kind,
        length,
        rank2,
        wish=s.get("wish") or 0,
        wish_first_trick=0 if s.get("leader") or s.get("table") == "empty" else 1,
        first_play=1 if s.get("first_lead") else 0,
        **more,
    )


def answer(case: dict[str, Any], options: Options) -> Any:
    """What the rulebook or the replay says to a case."""
    s = case["situation"]
    return ANSWERS[case["question"]](case, s, options)


def answer_deck(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    suits = ["S", "B", "G", "R"]
    names = sorted(CARD_BITS, key=CARD_BITS.__getitem__)
    return {
        "cards": card_count(DECK),
        "suited": sum(1 for name in names if name[0] in suits and len(name) <= 3 and name not in ("Dr",)),
        "special": names[52:],
        "suits": [name[0] for name in names[:4]],
        "ranks": [name[1:] for name in names[:52:4]],
    }


def answer_points(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    return points(mask(s.get("cards", s.get("trick")))) if s else points(DECK)


def answer_card(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    bit = CARD_BITS[s["token"]]
    assert "RZ" not in CARD_BITS
    return {"suit": "SBGR"[bit % 4], "rank": CARD_RANK[bit]}


def answer_combination(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    found = combinations.readings(mask(s["cards"]), options)
    ways = []
    for index in range(found.ways):
        one = combinations.reading(found, index)
        way: dict[str, Any] = {
            "type": combinations.KIND_NAMES[one.kind],
            "length": one.length,
            "rank": one.rank2 // 2,
        }
        if one.phoenix:
            way["phoenix_as"] = one.phoenix
        ways.append(way)
    return "invalid" if not ways else ways[0] if len(ways) == 1 else ways


def answer_beats(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    kind, length, rank2 = table_of(s, options)
    found = combinations.readings(mask(s["play"]), options)
    if s["play"] == "Ph" and "play_value" in s:
        assert combinations.single_phoenix_rank2(kind, rank2) == round(2 * s["play_value"])
    return play.reading_fits(found.kind, found.length, found.rank2, mask(s["play"]), kind, length, rank2)


def answer_rank(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    if "log_line" in s:
        seat = int(s["log_line"][1])
        text = s["log_line"].partition(": ")[2]
    else:
        seat, text = 0, s["play"]
    state = state_for({"situation": {"by": seat, "play": text}}, options, [])
    state.turn = seat
    state.do(play_event(seat, text, s.get("phoenix_as", 0)))
    assert not state.breaches
    moves = state.moves
    assert state.table_rank2 == moves[-1].rank2
    return moves[-1].rank2 // 2


def answer_legal(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    topic = case["topic"]
    if "log" in s:
        return legal_log(case, s, options)
    if topic == "calls":
        return legal_call(s, options)
    if topic == "exchange":
        return legal_exchange(s)
    if "declared_wish" in s:
        return legal_wish(s, options)
    if "gift_to" in s:
        state = run(state_for(case, options, s["seq"]), s["seq"])
        if not state.over and state.n_plays:  # the owner takes the trick first
            state.do(Event(EventKind.PASS, 9, state.owner, ""))
        return state.gift_breach(Event(EventKind.GIFT, 10, s["gift_to"], "")) is None
    if "seq" in s:
        return legal_after(case, s, options)
    hand = mask(s["hand"])
    if s.get("play") == "pass":
        return play.judge_pass(hand, situation_of(s, options), options) == play.LEGAL
    return legal_here(s, hand, options)


def legal_here(s: dict[str, Any], hand: int, options: Options) -> bool:
    """A play on a given table, without a course before it."""
    in_turn = s.get("turn", True) and s.get("by", 0) == s.get("turn_of", s.get("by", 0))
    situation = situation_of(s, options, in_turn=int(bool(in_turn)))
    state = RoundState(options, Hands((0,) * 4, (0,) * 4, (hand, 1, 1, 1), (None,) * 4, (0,) * 4, 0, 0))
    found = state.read(mask(s["play"]), s.get("phoenix_as", 0))
    return play.judge_play(hand, mask(s["play"]), found, situation, options) == play.LEGAL


def legal_after(case: dict[str, Any], s: dict[str, Any], options: Options) -> bool:
    steps = list(s["seq"])
    if "play" not in s:  # the last step is what is asked about
        state = run(state_for(case, options, steps), steps[:-1])
        return state.may(event_of(steps[-1], len(steps)))
    if s.get("out") and round_over(*[*s["out"], *s["went_out_on_play"], NOBODY, NOBODY][:3]):
        # After the end only the rulebook is asked, with the final play still on the table.
        before = situation_of({"table": steps[-1].partition(":")[2]}, options, in_turn=0, over=1)
        found = combinations.readings(mask(s["play"]), options)
        return play.judge_play(mask(s["hand"]), mask(s["play"]), found, before, options) == play.LEGAL
    state = run(state_for(case, options, steps), steps)
    event = play_event(s["by"], s["play"], line=len(steps) + 1)
    if s.get("turn") is False:
        # An interrupt before the player's own turn: marked as such in this record.
        found = state.read(event.mask)
        situation = state.situation(s["by"])._replace(in_turn=0)
        return state.judge(event, found, situation) == play.LEGAL
    return state.may(event)


def legal_call(s: dict[str, Any], options: Options) -> bool:
    already = {"grand": scoring.GRAND_TICHU, "tichu": scoring.TICHU}.get(s.get("already", ""), scoring.NO_CALL)
    if s["call"] == "grand":
        return calls.may_call_grand(s["cards_seen"], already)
    played = s.get("cards_played", 1 if "played" in s else 0)
    return calls.may_call_tichu(s.get("cards_seen", 14), s.get("exchanged", True), played, already, options)


def legal_exchange(s: dict[str, Any]) -> bool:
    if s.get("give_received_card"):
        # The card given was received, so it is not among the fourteen that one has before giving.
        return calls.may_exchange(mask("S2 G3 B4"), mask("S2"), mask("G3"), mask("SA"))
    give = s["give"]
    cards = [card for value in give.values() for card in (value if isinstance(value, list) else [value])]
    hand = mask(cards)
    if len(give) != 3 or any(isinstance(value, list) for value in give.values()):
        # Two cards for one player and none for another: the third place has no card of its own.
        return calls.may_exchange(hand, mask(give["next"]), mask(give["partner"]), 0)
    return calls.may_exchange(hand, mask(give["next"]), mask(give["partner"]), mask(give["previous"]))


def legal_wish(s: dict[str, Any], options: Options) -> bool:
    text = s["declared_wish"]
    state = state_for({"situation": {"by": 0, "play": s["play"], "hand": s["hand"]}}, options, [])
    state.turn = 0
    state.do(play_event(0, s["play"]))
    assert not state.breaches
    if text is None:
        state.do(Event(EventKind.PASS, 2, 1, ""))
        return not state.breaches
    breach = state.wish_breach(Event(EventKind.WISH, 2, -1, "", value=WISH_RANKS.get(text, 0), text=text))
    if breach is None:
        state.do(Event(EventKind.WISH, 2, -1, "", value=WISH_RANKS[text]))
        assert state.wish == WISH_RANKS[text], "cards in the Mah Jong's own straight do not meet the wish"
    return breach is None


def log_state(s: dict[str, Any], options: Options) -> RoundState:
    """Reads the lines of a case with the reader and does all events but the last."""
    lines = [line for line in s["log"] if not line.startswith("Ergebnis")]
    header = "---------------Rundenverlauf------------------"
    start = "---------------Gr.Tichukarten------------------"
    game = read_game("\n".join([start, header, *lines, ""]).encode(), "case", "case")
    events = game.rounds[0].events
    assert len(events) == len(lines)
    hands = [0, 0, 0, 0]
    for event in events:
        if event.kind == EventKind.PLAY:
            hands[event.seat] |= event.mask
    third = "third to go out" in s.get("note", "")
    free = [card for card in range(52) if not (hands[0] | hands[1] | hands[2] | hands[3]) >> card & 1]
    for seat in range(4):
        if not (third and seat != 2):
            hands[seat] |= 1 << free.pop(0)
    leader = next(event.seat for event in events if event.kind == EventKind.PLAY)
    held = (hands[0], hands[1], hands[2], hands[3])
    state = RoundState(options, Hands((0,) * 4, (0,) * 4, held, (None,) * 4, (0,) * 4, 0, leader), events=events)
    if third:
        state.finish = [0, 3]
        state.last_play = [-3, -1, -1, -2]
    return state


def legal_log(case: dict[str, Any], s: dict[str, Any], options: Options) -> bool:
    state = log_state(s, options)
    for event in state.events:
        state.do(event)
    return all(breach.severity == "note" for breach in state.breaches)


def answer_next(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    if "hands_after_exchange" in s:
        return next(int(seat) for seat, cards in s["hands_after_exchange"].items() if "Ma" in cards.split())
    steps = list(s["seq"])
    state = run(state_for(case, options, steps), steps)
    if "gift_to" in s:
        if state.n_plays:
            state.do(Event(EventKind.PASS, 9, state.owner, ""))
        state.do(Event(EventKind.GIFT, 10, s["gift_to"], ""))
        assert not state.breaches
    return "round_over" if state.over else state.turn


def answer_binds(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    if not s["turn"]:
        situation = situation_of(s, options, in_turn=0)
        return play.wish_forbids_here(mask(s["hand"]), 0, 0, situation, options)
    if "seq" in s:
        state = state_for(case, options, s["seq"])
        state.wish = 0  # the question is only whether it binds now
        run(state, s["seq"])
        table = (state.table_kind, state.table_length, state.table_rank2)
        assert state.turn == s["turn_of"]
    else:
        table = table_of(s, options)
    return wish.wish_binds(mask(s["hand"]), s["wish"] or 0, *table, True, options)


def answer_open_after(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    if s.get("new_round"):
        return state_for({"situation": {}}, options, []).wish != 0
    if "log" in s:
        state = log_state(s, options)
        for event in state.events:
            state.do(event)
        return state.wish != 0
    steps = list(s["seq"])
    state = state_for(case, options, steps)
    if s.get("wisher") is None and steps[0].endswith(":Ma"):
        state.wish = 0
        state.do(event_of(steps[0], 1))
        state.do(Event(EventKind.WISH, 2, -1, "", value=s["wish"]))
        steps = steps[1:]
    for line, step in enumerate(steps, start=3):
        state.do(event_of(step, line))
    return state.wish != 0


def answer_trick_to(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    steps = list(s["seq"])
    state = run(state_for(case, options, steps), steps)
    if not state.over and state.n_plays:
        state.do(Event(EventKind.PASS, 9, state.owner, ""))
    assert state.gift_due == NOBODY
    return state.tricks[-1].taker_seat


def answer_gift_required(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    state = run(state_for(case, options, s["seq"]), s["seq"])
    assert state.tricks[-1].cards & DRAGON_MASK
    return state.gift_due != NOBODY


def answer_score(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    if "log" in s:
        numbers = result_numbers(s["log"][0].removeprefix("Ergebnis:"))
        assert numbers is not None
        return {"A": numbers[0], "B": numbers[1]}
    made = [scoring.NO_CALL] * 4
    for seat, call in s.get("calls", {}).items():
        made[int(seat)] = scoring.GRAND_TICHU if call == "grand" else scoring.TICHU
    order = s.get("order", [])
    first = s["first"] if "first" in s else order[0]
    if "double_victory" in s:
        assert first % 2 == "AB".index(s["double_victory"])
        score = scoring.round_score(0, 0, first, (first + 2) % 4, *made)
    elif "card_points" in s:
        score = scoring.round_score(s["card_points"]["A"], s["card_points"]["B"], first, (first + 1) % 4, *made)
    elif "tricks_A" in s:
        score = scoring.round_score(points(mask(s["tricks_A"])), points(mask(s["tricks_B"])), order[0], order[1], *made)
    else:
        tricks = {int(seat): mask(cards) for seat, cards in s["tricks"].items()}
        tricks[s["last"]] = mask(s["last_tricks"])
        taken = [points(tricks.get(seat, 0)) for seat in range(4)]
        pair = scoring.card_points(
            taken[0], taken[1], taken[2], taken[3], order[0], s["last"], points(mask(s["last_hand"]))
        )
        score = scoring.round_score(pair.team_0, pair.team_1, order[0], order[1], *made)
    return {"A": score.team_0, "B": score.team_1}


def answer_game_over(case: dict[str, Any], s: dict[str, Any], options: Options) -> Any:
    winner = scoring.game_winner(s["total_A"], s["total_B"], 10, options)
    if winner == scoring.NOT_OVER:
        return {"over": False}
    if winner == scoring.DRAW:
        return {"over": True}
    return {"over": True, "winner": "AB"[winner]}


ANSWERS = {
    "deck?": answer_deck,
    "points?": answer_points,
    "card?": answer_card,
    "combination?": answer_combination,
    "beats?": answer_beats,
    "rank?": answer_rank,
    "legal?": answer_legal,
    "next_player?": answer_next,
    "wish_binds?": answer_binds,
    "wish_open_after?": answer_open_after,
    "trick_to?": answer_trick_to,
    "gift_required?": answer_gift_required,
    "score?": answer_score,
    "game_over?": answer_game_over,
}

#: The answer under the other value of the option on which a case turns: option value, answer. Cases that the option
#: leaves as they are say so with the same answer.
OTHER_ANSWERS: dict[str, tuple[str, str | int, Any]] = {
    "c-7777ph": ("fullhouse_same_rank", "allow", {"type": "full_house", "length": 5, "rank": 7, "phoenix_as": 7}),
    "c-bombstraight-not-plain": (
        "straight_flush_as_straight",
        "allow",
        [{"type": "straight_bomb", "length": 5, "rank": 8}, {"type": "straight", "length": 5, "rank": 8}],
    ),
    "amb-lead-undeclared": ("phoenix_ambiguity", "lowest_beating", 8),
    "amb-fh-undeclared": ("phoenix_ambiguity", "lowest_beating", 4),
    "amb-fh-declared-low": ("phoenix_ambiguity", "lowest_beating", 4),
    "amb-straight-declared-low": ("phoenix_ambiguity", "bsw_lazy", False),
    "amb-bsw-pos-high": ("phoenix_ambiguity", "lowest_beating", 2),
    "amb-bsw-pos-low": ("phoenix_ambiguity", "highest", 6),
    "pass-then-play": ("pass_and_out", "true", False),
    "bomb-empty-out-of-turn": ("bomb_on_empty_table", "anyone", True),
    "bomb-on-dog": ("bomb_on_dog", "allow", True),
    "bomb-after-all-passed": ("bomb_after_all_passed", "forbid", False),
    "wl-lead-pair": ("wish_later_tricks", "singles_only", False),
    "wl-lead-dog-held": ("wish_dog_lead", "allow", True),
    "wl-sf-dup": ("wish_held_as_bomb", "must_bomb", True),
    "wish-omitted": ("wish_optional", "false", False),
    "e-bomb-by-last": ("last_player_may_bomb", "true", True),
    "t-small-pre-exchange": ("tichu_before_exchange", "forbid", False),
    "t-small-8": ("tichu_with_8_cards", "allow", True),
    "ge-neg": ("lower_limit", -1000, {"over": True, "winner": "B"}),
    "ge-tie": ("tie_at_target", "draw", {"over": True}),
}

#: Cases about the readings themselves, which no value of the option changes: it only says which of them counts.
READINGS_ONLY = {"c-001-fullhouse-phoenix", "c-straight-open-ph", "c-AAph99"}


def options_for(case: dict[str, Any]) -> Options:
    option = case.get("option", {})
    if "value" in option:
        return make_options({option["name"]: option["value"]})
    if case["topic"] == "bsw_log":
        from tichu_analytics.rules.rulesets import get_rule_set

        return get_rule_set("bsw").options
    return OFFICIAL


def test_all_cases_are_there() -> None:
    if not CASES_FILE.exists() and not os.environ.get("CI"):
        pytest.skip("the folder shared with the rule cases is not beside the project")
    assert len(CASES) == 324


@pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
def test_case(case: dict[str, Any]) -> None:
    assert answer(case, options_for(case)) == case["expected"]


VALUES = {option.name: option.values for option in OPTIONS}
WITH_OPTION = [case for case in CASES if "option" in case and case["id"] not in READINGS_ONLY]


@pytest.mark.parametrize("case", WITH_OPTION, ids=[case["id"] for case in WITH_OPTION])
def test_case_under_the_other_value(case: dict[str, Any]) -> None:
    option = case["option"]
    if "opposite_under" in option and option["opposite_under"] in VALUES[option["name"]]:
        other = answer(case, make_options({option["name"]: option["opposite_under"]}))
        assert other != case["expected"]
        if isinstance(case["expected"], bool):
            assert other is (not case["expected"])
        return
    name, value, expected = OTHER_ANSWERS[case["id"]]
    assert name == option["name"]
    assert answer(case, make_options({name: value})) == expected
