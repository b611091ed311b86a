"""The tables against a second derivation straight from the text of the logs, which shares no code with the tool.

It takes for granted that the rounds the tool keeps were played legally, and works out every cell that follows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from itertools import chain, pairwise, product
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import tichu_analytics as ta
from tichu_analytics.simulate import simulate_games

Row = dict[str, Any]
Key = tuple[str, int]

RANK = {**{str(n): n for n in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
POINTS = {"5": 5, "10": 10, "K": 10, "r": 25, "h": -25}
SPECIAL: dict[str, tuple[int, int | None]] = {"Ma": (52, 1), "Hu": (53, 0), "Ph": (54, None), "Dr": (55, 15)}
#: The bit and the rank of each card.
FACTS = {s + r: (4 * n - 8 + "SBGR".index(s), n) for r, n in RANK.items() for s in "SBGR"} | SPECIAL
WHERE = ("right", "partner", "left")

CARD = r"(?:[SBGR](?:[2-9]|10|[BDKA])|Ma|Hu|Ph|Dr)"
CARDS = rf"({CARD}(?: {CARD})*) ?"
SEAT = r"\(([0-3])\)([^ \t:]*)"
DEAL = re.compile(rf"{SEAT} {CARDS}")
GIFTS = re.compile(rf"{SEAT} gibt: [^ \t:]*: ({CARD}) - [^ \t:]*: ({CARD}) - [^ \t:]*: ({CARD}) - ?")
PLAY = re.compile(rf"{SEAT}: {CARDS}")
PASS = re.compile(rf"{SEAT} passt\.")
CALL = re.compile(rf"(Grosses Tichu|Tichu): {SEAT}")
WISH = re.compile(r"Wunsch:([2-9]|10|[BDKA])")
GIFT = re.compile(rf"Drache an: {SEAT}")
RESULT = re.compile(r"Ergebnis: (-?[0-9]+) - (-?[0-9]+)")
BEGIN, START, PLAYING = (f"{'-' * 15}{name}{'-' * 18}" for name in ("Gr.Tichukarten", "Startkarten", "Rundenverlauf"))
EXCHANGE = "Schupfen:"


def mask(cards: set[str] | list[str]) -> int:
    return sum(1 << FACTS[card][0] for card in cards)


def points(cards: set[str] | list[str]) -> int:
    return sum(POINTS.get(card[1:], 0) for card in cards)


def contains_bomb(cards: set[str]) -> bool:
    have = {FACTS[card][0] for card in cards}
    fours = [range(4 * r, 4 * r + 4) for r in range(13)]
    return any(have.issuperset(bomb) for bomb in (*fours, *(range(low, low + 17, 4) for low in range(36))))


class Combination(NamedTuple):
    """A reading of some cards."""

    kind: str
    rank: float
    length: int
    phoenix: int | None = None

    def beats(self, other: Combination) -> bool:
        if "bomb" in self.kind:
            return "bomb" not in other.kind or (self.length, self.rank) > (other.length, other.rank)
        return (self.kind, self.length) == (other.kind, other.length) and self.rank > other.rank


def shape(ranks: list[int], suits: set[str]) -> tuple[str, int] | None:
    """Kind and rank of two cards or more; ``suits`` is more than one suit if the Phoenix or the Mah Jong is in it."""
    groups, low, high, n = Counter(ranks), min(ranks), max(ranks), len(ranks)
    sizes, run = sorted(groups.values()), high - low == len(groups) - 1
    if len(sizes) == 1 and n <= 4:
        return ("pair", "triple", "four_bomb")[n - 2], low
    if sizes == [2, 3]:
        return "full_house", next(r for r in groups if groups[r] == 3)
    if run and n >= 4 and set(sizes) == {2}:
        return "stairs", high
    if run and n >= 5 and set(sizes) == {1}:
        return ("straight_bomb" if len(suits) == 1 else "straight"), high
    return None


def readings(cards: list[str], table: Combination | None) -> list[Combination]:
    """What the cards can be, the highest first; the single Phoenix depends on what it covers."""
    if len(cards) == 1:
        natural = FACTS[cards[0]][1]
        covers = (table.rank if table else 1) + 0.5
        return [Combination("dog" if cards == ["Hu"] else "single", covers if natural is None else natural, 1)]
    assert not {"Hu", "Dr"} & set(cards)
    ranks = [FACTS[card][1] or 0 for card in cards if card != "Ph"]
    suits = {card if card == "Ma" else card[0] for card in cards if card != "Ph"}
    if "Ph" not in cards:
        return [Combination(*found, len(cards)) for found in [shape(ranks, suits)] if found]
    # The Phoenix is of a suit of its own, so that no straight with it is a bomb; with three of a kind it is nothing.
    every = [(r, shape([*ranks, r], suits | {"Ph"})) for r in range(14, 1, -1)]
    return [Combination(*found, len(cards), r) for r, found in every if found and "bomb" not in found[0]]


class Trick:
    """A trick as it is being played."""

    def __init__(self, number: int, line: int, seat: int) -> None:
        self.number, self.first, self.last, self.lead, self.owner = number, line, line, seat, seat
        self.plays: list[tuple[Row, list[Combination], set[str]]] = []
        self.passes = self.in_a_row = 0
        self.dragon_to: int | None = None

    def settle(self) -> None:
        """Reads the Phoenix: what the later plays leave open is read high. There is one Phoenix, so one doubt."""
        for i, (move, possible, _) in enumerate(self.plays):
            next_play = self.plays[i + 1][1] if i + 1 < len(self.plays) else []
            left = [one for one in possible if not next_play or any(later.beats(one) for later in next_play)]
            move |= dict(zip(("kind", "rank", "length", "phoenix_rank"), left[0], strict=True))
            move["bomb"] = "bomb" in left[0].kind
            if left[0].phoenix is not None:
                move["phoenix_reading"] = "only" if len(possible) == 1 else "later" if len(left) == 1 else "highest"

    def last_is(self, card: str) -> bool:
        return self.plays[-1][2] == {card}


class Round:
    """All that the tables say of one round, from its lines."""

    def __init__(self, lines: list[tuple[int, str]]) -> None:
        self.lines, self.names, part = lines, [""] * 4, BEGIN
        self.first8, self.dealt = [set[str]() for _ in range(4)], [set[str]() for _ in range(4)]
        self.given: dict[int, list[str]] = {}
        self.calls: dict[int, tuple[str, str, int, int]] = {}
        self.tricks: list[Trick] = []
        self.moves: list[Row] = []
        self.out: list[int] = []
        self.wish: Row = dict.fromkeys(("wish_seat", "wish_rank", "wish_line"))
        self.wish |= dict.fromkeys(("wish_fulfilled_seat", "wish_fulfilled_line"))
        self.open: Trick | None = None
        self.open_wish: int | None = None
        self.logged: list[int | None] = [None, None]
        for number, line in lines:
            if line in (BEGIN, START, EXCHANGE, PLAYING):
                part = line
                if line == PLAYING:
                    self.begin()
            elif part in (BEGIN, START) and (found := DEAL.fullmatch(line)):
                (self.first8 if part == BEGIN else self.dealt)[int(found[1])] = set(found[3].split())
            elif found := CALL.fullmatch(line):
                grand = found[1] != "Tichu"
                when = "first8" if grand else "after_exchange" if part == PLAYING else "before_exchange"
                self.calls.setdefault(int(found[2]), ("grand" if grand else "tichu", when, number, len(self.tricks)))
            elif part == EXCHANGE and (found := GIFTS.fullmatch(line)):
                self.names[int(found[1])] = found[2]
                self.given[int(found[1])] = list(found.groups()[2:])
            elif part == PLAYING:
                self.event(number, line)
            else:
                assert line.startswith("BOMBE:") and part == EXCHANGE, line
        assert self.over()

    @property
    def double(self) -> int | None:
        return self.out[0] % 2 if len(self.out) == 2 and sum(self.out) in (2, 4) else None

    def over(self) -> bool:
        return len(self.out) == 3 or self.double is not None

    def begin(self) -> None:
        self.held = [set(cards) for cards in self.dealt]
        for giver, step in product(range(4), (1, 2, 3)):
            self.held[giver].remove(self.given[giver][step - 1])
            self.held[(giver + step) % 4].add(self.given[giver][step - 1])
        self.hands = [set(cards) for cards in self.held]
        self.turn = self.mah_jong = next(seat for seat in range(4) if "Ma" in self.hands[seat])

    def next_with_cards(self, seat: int) -> int:
        """The next seat that has cards, in play order; the seat itself comes last."""
        return next(s for s in ((seat + step) % 4 for step in range(1, 5)) if self.hands[s])

    def event(self, number: int, line: str) -> None:
        if found := PLAY.fullmatch(line):
            self.play(number, int(found[1]), found[3].split())
        elif found := PASS.fullmatch(line):
            if not self.over():
                self.pass_or_take(number, int(found[1]))
        elif found := WISH.fullmatch(line):
            self.open_wish = RANK[found[1]]
            self.wish |= {"wish_seat": self.mah_jong, "wish_rank": RANK[found[1]], "wish_line": number}
        elif found := GIFT.fullmatch(line):
            trick = self.tricks[-1]
            assert trick.last_is("Dr")
            if self.double is None:
                trick.dragon_to, trick.last = int(found[1]), number
        elif found := RESULT.fullmatch(line):
            self.logged = [int(found[1]), int(found[2])]
        else:
            assert line.startswith("Ergebnis: "), line

    def move(self, number: int, seat: int, cards: list[str]) -> Row:
        row: Row = dict.fromkeys(("kind", "rank", "length", "phoenix_rank", "phoenix_reading"))
        row |= {"move": len(self.moves) + 1, "trick": len(self.tricks), "line": number, "seat": seat, "bomb": False}
        row |= {"action": "play" if cards else "pass", "cards": mask(cards), "hand_before": mask(self.hands[seat])}
        row |= {"out_of_turn": seat != self.turn, "wish_open": self.open_wish}
        self.hands[seat] -= set(cards)
        self.moves.append(row | {"cards_left": len(self.hands[seat])})
        return self.moves[-1]

    def play(self, number: int, seat: int, cards: list[str]) -> None:
        assert not self.over() and set(cards) <= self.hands[seat]
        table: list[Combination] = self.open.plays[-1][1] if self.open else []
        if self.open is None:
            self.tricks.append(Trick(len(self.tricks) + 1, number, seat))
        trick = self.open = self.tricks[-1]
        possible = readings(cards, table[0] if table else None)
        possible = [one for one in possible if not table or any(one.beats(other) for other in table)]
        trick.plays.append((self.move(number, seat, cards), possible, set(cards)))
        trick.owner, trick.last, trick.in_a_row = seat, number, 0
        if self.open_wish is not None and any(FACTS[card][1] == self.open_wish for card in cards):
            self.wish |= {"wish_fulfilled_seat": seat, "wish_fulfilled_line": number}
            self.open_wish = None
        if not self.hands[seat]:
            self.out.append(seat)
        if not self.over():
            self.turn = self.next_with_cards((seat + trick.last_is("Hu")) % 4)
            self.open = None if trick.last_is("Hu") else trick

    def pass_or_take(self, number: int, seat: int) -> None:
        trick = self.open
        assert trick is not None and seat == self.turn, number
        trick.last = number
        if seat != trick.owner:
            self.move(number, seat, [])
            trick.passes, trick.in_a_row = trick.passes + 1, trick.in_a_row + 1
            self.turn = self.next_with_cards(seat)
        if seat == trick.owner or trick.in_a_row == sum(map(bool, self.hands)):
            self.open = None  # taken, or the owner is out and all others passed
            self.turn = trick.owner if self.hands[trick.owner] else self.next_with_cards(trick.owner)

    def tables(self) -> dict[str, list[Row]]:
        """The rows of the round, apart from what the rounds before decide."""
        taken, tricks, hands, exchanges = [0] * 4, list[Row](), list[Row](), list[Row]()
        for trick in self.tricks:
            trick.settle()
            cards = set().union(*(played for _, _, played in trick.plays))
            taker = None if trick.last_is("Hu") else trick.dragon_to if trick.last_is("Dr") else trick.owner
            if taker is not None:
                taken[taker] += points(cards)
            plays = [move for move, _, _ in trick.plays]
            row: Row = {"trick": trick.number, "lead_seat": trick.lead, "taker_seat": taker, "kind": plays[0]["kind"]}
            row |= {"winner_seat": None if trick.last_is("Hu") else trick.owner, "length": plays[0]["length"]}
            row |= {"won_with": plays[-1]["kind"], "n_plays": len(plays), "n_passes": trick.passes}
            row |= {"n_bombs": sum(move["bomb"] for move in plays), "points": points(cards), "cards": mask(cards)}
            row |= {"dragon_to": trick.dragon_to, "first_line": trick.first, "last_line": trick.last}
            tricks.append(row)
        last = next(seat for seat in range(4) if seat not in self.out)
        card_points = [taken[team] + taken[team + 2] for team in range(2)]
        card_points[last % 2] -= taken[last]
        card_points[self.out[0] % 2] += taken[last]
        card_points[1 - last % 2] += points(self.hands[last])
        score = card_points.copy() if self.double is None else [200 * (self.double == team) for team in range(2)]
        for seat, (call, *_) in self.calls.items():
            score[seat % 2] += (1 if seat == self.out[0] else -1) * (200 if call == "grand" else 100)
        plays = [move for move in self.moves if move["cards"]]
        whole: Row = {"first_line": self.lines[0][0], "last_line": self.lines[-1][0], "complete": True, "legal": True}
        whole |= {"double_victory": self.double, "n_tricks": len(tricks), **self.wish}
        whole["score_agrees"] = None if None in self.logged else score == self.logged
        for team in range(2):
            whole |= {f"score_{team}": score[team], f"logged_score_{team}": self.logged[team]}
            whole[f"card_points_{team}"] = card_points[team] if self.double is None else None
        whole |= dict(zip(("finish_1", "finish_2", "finish_3"), [*self.out, None], strict=False))
        whole |= {"n_plays": len(plays), "n_passes": len(self.moves) - len(plays)}
        whole["n_bombs"] = sum(move["bomb"] for move in plays)
        for seat in range(4):
            row = {"seat": seat, "team": seat % 2, "player": self.names[seat], "first8": mask(self.first8[seat])}
            row |= {"dealt": mask(self.dealt[seat]), "held": mask(self.held[seat]), "points_taken": taken[seat]}
            row |= {"dealt_bomb": contains_bomb(self.dealt[seat]), "held_bomb": contains_bomb(self.held[seat])}
            call, when, line, begun = self.calls.get(seat, ("none", None, None, None))
            row |= {"call": call, "call_when": when, "call_line": line, "call_trick": begun}
            row["call_success"] = None if call == "none" else self.out[0] == seat
            row["partner_call"] = self.calls[(seat + 2) % 4][0] if (seat + 2) % 4 in self.calls else "none"
            row["finish"] = self.out.index(seat) + 1 if seat in self.out else None
            row |= {"score_own": score[seat % 2], "score_opponents": score[1 - seat % 2]}
            hands.append(row)
        for giver, step in product(range(4), (1, 2, 3)):
            card = self.given[giver][step - 1]
            row = {"giver": giver, "receiver": (giver + step) % 4, "card": FACTS[card][0], "rank": FACTS[card][1]}
            exchanges.append(row | {"passed_to": WHERE[step - 1], "received_from": WHERE[3 - step]})
        return {"rounds": [whole], "hands": hands, "exchanges": exchanges, "tricks": tricks, "moves": self.moves}


def rounds_of(text: str) -> Iterator[list[tuple[int, str]]]:
    """The lines of each round with their numbers; empty ones belong to no round."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line]
    starts = [i for i, (_, line) in enumerate(lines) if line == BEGIN]
    return (lines[start:end] for start, end in pairwise([*starts, len(lines)]))


def derive(path: Path, tool: dict[Key, list[Row]]) -> dict[str, dict[Key, list[Row]]]:
    """The rows of a log by table and round, up to the first round that the tool does not keep."""
    found: dict[str, dict[Key, list[Row]]] = {"games": {}}
    totals, names = [0, 0], list[list[str]]()
    game: Row = {"rules": "bsw", "winner": None, "outcome": "unfinished", "n_player_changes": 0}
    for number, lines in enumerate(rounds_of(path.read_text("utf-8")), 1):
        if not tool[path.stem, number][0]["legal"]:
            return found
        one = Round(lines)
        tables = one.tables()
        game["outcome"] = "unfinished" if game["outcome"] == "unfinished" else "overplayed"
        tables["rounds"][0] |= {f"total_before_{team}": totals[team] for team in range(2)}
        for row in tables["hands"]:
            row["total_before_own"], row["total_before_opponents"] = totals[row["team"]], totals[1 - row["team"]]
        totals = [totals[team] + tables["rounds"][0][f"score_{team}"] for team in range(2)]
        if game["outcome"] == "unfinished" and max(totals) >= 1000:
            game["outcome"] = "finished"
            game["winner"] = None if totals[0] == totals[1] else int(totals[1] > totals[0])
        game["n_player_changes"] += sum(map(str.__ne__, names[-1], one.names)) if names else 0
        names.append(one.names)
        for name, rows in tables.items():
            found.setdefault(name, {})[path.stem, number] = rows
    game |= {"n_rounds": len(names), "total_0": totals[0], "total_1": totals[1]}
    found["games"][path.stem, 0] = [game | {f"player_{seat}": names[0][seat] for seat in range(4)}]
    return found


#: Where a game lay, and what the rules make of it.
NOT_DERIVED = {"game_id", "round", "path", "played_month", "n_findings", "severity", "excluded_by"}


def compare(logs: list[Path], out: Path) -> dict[str, int]:
    """Exports the logs and compares every cell; returns how many rows of each table there were to compare."""
    data = ta.export(logs, out, rules="bsw")
    tool: dict[str, dict[Key, list[Row]]] = {name: {} for name in data.tables}
    for name, by_round in tool.items():
        for row in data.table(name).to_arrow().to_pylist():
            by_round.setdefault((row["game_id"], row.get("round") or 0), []).append(row)
    counts: Counter[str] = Counter()
    for path in logs:
        for name, rounds in derive(path, tool["rounds"]).items():
            for key, rows in rounds.items():
                counts[name] += len(rows)
                for mine, theirs in zip(rows, tool[name][key], strict=True):
                    assert mine == {k: v for k, v in theirs.items() if k not in NOT_DERIVED}, (name, key)
    return counts


@pytest.mark.parametrize(("folder", "rounds"), [("real_logs", 66), ("checks/legal", 150), ("checks/one_fault", 62)])
def test_logs_as_derived(shared: Path, folder: str, rounds: int, tmp_path: Path):
    assert compare(sorted((shared / folder).glob("*.tch")), tmp_path / "data")["hands"] == 4 * rounds


def touched(lines: list[str]) -> list[str]:
    """The same round with what a log may have besides: calls twice, the wish after passes, passes after the end."""
    out: list[str] = []
    for line in lines:
        if line.startswith("Ergebnis"):
            out += ["(1) passt.", "(3) passt."]
        late = bool(out) and WISH.fullmatch(out[-1]) is not None and PASS.fullmatch(line) is not None
        out.insert(len(out) - late, line)
        if CALL.fullmatch(line):
            out.append(line)
    return out


def test_simulated_games_as_derived(tmp_path: Path):
    logs = [tmp_path / f"{i:02}.tch" for i in range(24)]
    for i, game in enumerate(simulate_games(len(logs), 31)):
        lines = game.text.split("\n")
        logs[i].write_text("\n".join(touched(lines) if i % 2 else lines), "utf-8")
    assert compare(logs, tmp_path / "data")["games"] == len(logs)


def test_a_low_reading_and_a_dragon_at_the_end(tmp_path: Path):
    """Seat 1 beats the low reading of a full house only, and everybody passes from then on; the Dragon comes last."""
    held = [["R8", "B8", "Ph", "R4", "B4", "Ma", "Hu"], ["R5", "B5", "G5", "R2", "B2"], [], ["Dr"]]
    rest = [suit + r for r in RANK for suit in "SBGR" if suit + r not in chain(*held)]
    for hand in held:
        while len(hand) < 14:
            hand.insert(-1 if "Dr" in hand else len(hand), rest.pop(len(rest) * 5 // 7))
    # The card that a seat gives k places on is the k-th last of its receiver.
    given = [[held[(seat + k) % 4][-k] for k in (1, 2, 3)] for seat in range(4)]
    dealt = [held[seat][:-3] + given[seat] for seat in range(4)]
    lines = [BEGIN, *(f"({seat})n {' '.join(dealt[seat][:8])} " for seat in range(4))]
    lines += [START, *(f"({seat})n {' '.join(dealt[seat])} " for seat in range(4)), EXCHANGE]
    lines += [f"({seat})n gibt: {''.join(f'n: {card} - ' for card in given[seat])}" for seat in range(4)]
    lines += [PLAYING, "(0)n: R8 B8 Ph R4 B4 "]
    for seat, plays in ((1, ["R5 B5 G5 R2 B2", *held[1][5:]]), (2, held[2]), (3, held[3])):
        for play in plays:
            lines += [f"({seat})n: {play} ", *(f"({other % 4})n passt." for other in range(seat + 1, 5))]
            lines.append(f"({seat})n passt.")
        lines.pop()
    lines[-1] = "Drache an: (0)n"
    tables = Round(list(enumerate(lines, 1))).tables()
    assert (tables["moves"][0]["phoenix_rank"], tables["moves"][0]["phoenix_reading"]) == (4, "later")
    lines.append(f"Ergebnis: {tables['rounds'][0]['score_0']} - {tables['rounds'][0]['score_1']}")
    (tmp_path / "low.tch").write_text("\n".join(lines), "utf-8")
    assert compare([tmp_path / "low.tch"], tmp_path / "data")["tricks"] == 1 + 9 + 14 + 14
