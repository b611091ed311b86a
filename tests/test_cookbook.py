"""The cookbook: its answers are what its queries give, and what counting without tables and SQL gives as well."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple

import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tests.regenerate_cookbook import FAULTY, GOOD, PAGE, Question, answer, exported, questions
from tichu_analytics.replay.facts import GameReplay, Move, RoundReplay
from tichu_analytics.rules.combinations import KIND_NAMES

Row = tuple[Any, ...]

TEXT = PAGE.read_text(encoding="utf-8")
QUESTIONS = questions(TEXT)
SEEN_FROM = {0: "the wisher", 1: "right", 2: "partner", 3: "left", None: "nobody"}
RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
MAH_JONG, DOG, PHOENIX, DRAGON = 52, 53, 54, 55


@pytest.fixture(scope="module")
def datasets(tmp_path_factory: pytest.TempPathFactory) -> list[ta.Dataset]:
    return exported(tmp_path_factory.mktemp("cookbook"))


@pytest.fixture(scope="module")
def games() -> list[GameReplay]:
    return [ta.replay(game) for game in ta.read_games(GOOD)]


def named(question: Question) -> str:
    return f"{question.number}"


def test_there_are_fifteen_questions() -> None:
    assert [question.number for question in QUESTIONS] == list(range(1, 16))
    assert TEXT.count("```text\n") == sum(len(question.answers) for question in QUESTIONS)
    for question in QUESTIONS:
        assert 1 <= len(question.answers) <= 2
        assert all(one.count("\n") >= 2 for one in question.answers), question.title
    assert sorted(BY_HAND) == list(range(1, 16))


@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_answers(question: Question, datasets: list[ta.Dataset]) -> None:
    for data, printed in zip(datasets, question.answers, strict=False):
        assert answer(data, question.sql) == printed


@pytest.mark.parametrize("question", QUESTIONS, ids=named)
def test_answers_by_hand(question: Question, datasets: list[ta.Dataset], games: list[GameReplay]) -> None:
    """The same rows, counted from the replays in plain Python; their order is a matter of the answer as printed."""
    rows = list(datasets[0].sql(question.sql))
    counted = list(BY_HAND[question.number](games))
    assert sorted(map(plain, rows)) == sorted(map(plain, counted))


def test_a_plain_duckdb(datasets: list[ta.Dataset]) -> None:
    """The page's way to prepare any DuckDB gives the same answers, whatever the order of the rows in the tables."""
    import duckdb

    (prepared,) = re.findall(r"```sql\n(\.read .*?)```", TEXT, re.DOTALL)
    read, *views = prepared.splitlines()
    macros = ROOT / read.removeprefix(".read ")
    with duckdb.connect() as connection:
        connection.execute(macros.read_text(encoding="utf-8"))
        for view in views:
            made = re.fullmatch(r"create view (\w+) as from 'data/(\w+/\*\.parquet)';", view)
            assert made and made[2] == f"{made[1]}/*.parquet"
            path = datasets[0].path / made[2]
            connection.execute(f"create table {made[1]} as select * from '{path}' as one order by hash(one)")
        made_tables = {name for (name,) in connection.execute("show tables").fetchall()}
        assert made_tables == set(datasets[0].tables)
        for question in QUESTIONS:
            rows = connection.execute(question.sql).fetchall()
            assert list(map(plain, rows)) == list(map(plain, datasets[0].sql(question.sql))), question.title


def test_the_first_steps(
    datasets: list[ta.Dataset], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (python,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    monkeypatch.chdir(datasets[0].path.parent)
    names: dict[str, Any] = {}
    exec(compile(python.replace('Dataset("data")', 'Dataset("good")'), "cookbook.md", "exec"), names)
    assert capsys.readouterr().out.startswith("dog 1607\n")
    assert len(names["frame"]) == 2155
    (first,) = re.findall(r'tichu query data "(.*?)"', TEXT)
    assert list(datasets[0].sql(first)) == [(seat, 2155) for seat in range(4)]


def test_the_data_are_those_of_the_page() -> None:
    """The page's commands make the data sets that its answers are from, and its figures are theirs."""
    for name, wanted in (("data", GOOD), ("all", [*GOOD, FAULTY])):
        (paths,) = re.findall(rf"tichu export (.*) --out {name}\b", TEXT)
        assert [found for path in paths.split() for found in sorted(ROOT.glob(path))] == wanted
    figures = re.search(r"(\d+) games with\s([\d,]+) rounds", TEXT)
    assert figures
    games = list(ta.read_games(GOOD))
    assert int(figures[1]) == len(games)
    assert int(figures[2].replace(",", "")) == sum(len(game.rounds) for game in games)


def test_left_out_rounds_are_those_of_the_export(datasets: list[ta.Dataset]) -> None:
    rows = list(datasets[1].sql(QUESTIONS[9].sql))
    assert {reason: n for legal, reason, n, *_ in rows if not legal} == datasets[1].info["rounds_excluded"]
    assert [n for legal, _, n, *_ in rows if legal] == [datasets[1].info["rounds_kept"]]


# Counting without the tables.


class Hand(NamedTuple):
    """A seat in a round."""

    game: GameReplay
    round: RoundReplay
    seat: int

    @property
    def call(self) -> str:
        call = self.round.calls[self.seat]
        return "none" if call is None else "grand" if call.grand else "tichu"

    @property
    def made(self) -> bool:
        return self.call != "none" and self.round.finish[0] == self.seat

    @property
    def difference(self) -> int:
        assert self.round.score is not None
        return self.round.score[self.seat % 2] - self.round.score[1 - self.seat % 2]

    @property
    def ahead(self) -> int:
        return self.round.total_before[self.seat % 2] - self.round.total_before[1 - self.seat % 2]


def plain(row: Iterable[Any]) -> str:
    return repr([int(value) if isinstance(value, (bool, Decimal)) else value for value in row])


def rate(k: int, n: int, places: int = 3) -> float | None:
    if n == 0:
        return None
    return float((Decimal(k) / Decimal(n)).quantize(Decimal(10) ** -places, ROUND_HALF_UP))


def rounds(games: list[GameReplay]) -> Iterator[RoundReplay]:
    return (one for game in games for one in game.rounds if one.legal)


def hands(games: list[GameReplay]) -> Iterator[Hand]:
    return (Hand(game, one, seat) for game in games for one in game.rounds if one.legal for seat in range(4))


def grouped(things: Iterable[Any], key: Callable[[Any], Any]) -> dict[Any, list[Any]]:
    groups = defaultdict(list)
    for thing in things:
        groups[key(thing)].append(thing)
    return groups


def split(mask: int) -> list[int]:
    return [card for card in range(56) if mask >> card & 1]


def has_bomb(mask: int) -> bool:
    cards = set(split(mask))
    fours = any({rank, rank + 1, rank + 2, rank + 3} <= cards for rank in range(0, 52, 4))
    return fours or any({low, low + 4, low + 8, low + 12, low + 16} <= cards for low in range(36))


def is_bomb(mask: int) -> bool:
    """Whether a legal play is a bomb. A long straight can hold a bomb and be none."""
    cards = split(mask)
    one_suit = cards[-1] < MAH_JONG and len({card % 4 for card in cards}) == 1
    return len(cards) >= 4 and has_bomb(mask) and (one_suit or len({card // 4 for card in cards}) == 1)


def has_straight(mask: int) -> bool:
    ranks = {card // 4 + 2 for card in split(mask) if card < 52} | ({1} if mask >> MAH_JONG & 1 else set())
    return any(set(range(low, low + 5)) <= ranks for low in range(1, 11))


def plays(one: RoundReplay) -> Iterator[list[Move]]:
    """The plays of each trick."""
    return ([move for move in trick.moves if move.cards] for trick in one.tricks)


def moments(games: list[GameReplay]) -> Iterator[Row]:
    calls = [call for one in rounds(games) for call in one.calls if call]
    for (grand, when), some in grouped(calls, lambda call: (call.grand, call.when)).items():
        k = sum(call.success for call in some)
        yield "grand" if grand else "tichu", when, len(some), k, rate(k, len(some))


def seats(games: list[GameReplay]) -> Iterator[Row]:
    for name in ("0", "1", "2", "3", "all"):
        some = [hand for hand in hands(games) if name in (str(hand.seat), "all")]
        called = [hand for hand in some if hand.call == "tichu"]
        made = sum(hand.made for hand in called)
        yield name, len(some), len(called), rate(len(called), len(some)), made, rate(made, len(called))


def strong(games: list[GameReplay]) -> Iterator[Row]:
    def picked(cards: list[int]) -> bool:
        return DRAGON in cards and sum(48 <= card < 52 for card in cards) >= 2

    some = [hand for hand in hands(games) if picked(split(hand.round.held[hand.seat]))]
    for call, group in grouped(some, lambda hand: hand.call).items():
        k = sum(hand.round.finish.index(hand.seat) == 0 for hand in group if hand.seat in hand.round.finish)
        yield call, len(group), k, rate(k, len(group)), rate(sum(hand.difference for hand in group), len(group), 1)


def standing(games: list[GameReplay]) -> Iterator[Row]:
    def key(hand: Hand) -> tuple[bool, str]:
        word = "ahead" if hand.ahead >= 200 else "behind" if hand.ahead <= -200 else "close"
        return max(hand.round.total_before) >= 800, word

    for group, some in grouped(hands(games), key).items():
        called = sum(hand.call != "none" for hand in some)
        made = sum(hand.made for hand in some)
        yield *group, len(some), called, rate(called, len(some)), made, rate(made, called)


def wishes(games: list[GameReplay]) -> Iterator[Row]:
    wished = [one.wish for one in rounds(games) if one.wish]
    met = Counter(None if wish.fulfilled_seat is None else (wish.fulfilled_seat - wish.seat) % 4 for wish in wished)
    for way, k in met.items():
        yield SEEN_FROM[way], len(wished), k, rate(k, len(wished))


def received(games: list[GameReplay]) -> Iterator[Row]:
    passed: Counter[tuple[str, int]] = Counter()
    for one in rounds(games):
        for gift in one.exchanged:
            assert gift
            for card, way in zip(gift, (3, 2, 1), strict=True):  # to the right is received from the left
                name = {MAH_JONG: "Ma", DOG: "Do", PHOENIX: "Ph", DRAGON: "Dr"}.get(card)
                passed[name or RANKS[card // 4], way] += 1
    n = 4 * sum(1 for _ in rounds(games))
    for name in {name for name, _ in passed}:
        yield name, n, *(value for way in (1, 2, 3) for value in (passed[name, way], rate(passed[name, way], n)))


def trick_points(games: list[GameReplay]) -> Iterator[Row]:
    worth = {card: {3: 5, 8: 10, 11: 10}.get(card // 4, 0) for card in range(52)}
    worth |= {MAH_JONG: 0, DOG: 0, PHOENIX: -25, DRAGON: 25}
    taken = [trick for one in rounds(games) for trick in one.tricks if trick.taker_seat is not None]
    for kind, some in grouped(taken, lambda trick: trick.kind).items():
        to: Counter[int] = Counter()
        for trick in some:
            to[(trick.taker_seat - trick.moves[0].seat) % 4] += sum(
                worth[card] for move in trick.moves for card in move.cards
            )
        total = sum(to.values())
        yield KIND_NAMES[kind], len(some), total, rate(total, len(some), 2), to[0], to[2], to[1] + to[3]


def dragon_gifts(games: list[GameReplay]) -> Iterator[Row]:
    gifts = [(one, trick) for one in rounds(games) for trick in one.tricks if trick.dragon_to is not None]
    for side, some in grouped(gifts, lambda gift: (gift[1].dragon_to - gift[1].winner_seat) % 4).items():
        double = k = 0
        for one, trick in some:
            out = one.finish
            if out[0] % 2 == out[1] % 2:
                double += 1
            elif trick.dragon_to not in out[:3] and (out[0] - trick.winner_seat) % 2 == 0:
                k += 1
        mean = rate(sum(trick.points for _, trick in some), len(some), 1)
        yield SEEN_FROM[side], len(some), mean, double, k, rate(k, len(some))


def bombs_and_calls(games: list[GameReplay]) -> Iterator[Row]:
    def key(hand: Hand) -> tuple[bool, bool]:
        bombs = [has_bomb(mask) for mask in hand.round.held]
        return bombs[hand.seat], bombs[hand.seat - 1] or bombs[hand.seat - 3]

    for group, some in grouped(hands(games), key).items():
        called = [hand for hand in some if hand.call == "tichu"]
        made = sum(hand.made for hand in called)
        yield *group, len(some), len(called), rate(len(called), len(some)), made, rate(made, len(called))


def left_out(games: list[GameReplay]) -> Iterator[Row]:
    def reason(one: RoundReplay) -> tuple[bool, str]:
        if one.legal:
            return True, "counted"
        (finding,) = one.findings
        return False, finding.name

    for group, some in grouped((one for game in games for one in game.rounds), reason).items():
        k = sum(len(one.finish) > 1 and one.finish[0] % 2 == one.finish[1] % 2 for one in some)
        yield *group, len(some), k, rate(k, len(some))


def specials(games: list[GameReplay]) -> Iterator[Row]:
    fates = defaultdict(list)
    for hand in hands(games):
        for card, name in ((DOG, "Do"), (MAH_JONG, "Ma")):
            if card in split(hand.round.dealt[hand.seat]):
                gift = hand.round.exchanged[hand.seat]
                assert gift
                fate = ("right", "partner", "left")[gift.index(card)] if card in gift else "kept"
                fates[name, fate].append(hand)
    for group, some in fates.items():
        doubles = [hand for hand in some if hand.round.finish[0] % 2 == hand.round.finish[1] % 2]
        own = sum(hand.round.finish[0] % 2 == hand.seat % 2 for hand in doubles)
        mean = rate(sum(hand.difference for hand in some), len(some), 1)
        yield *group, len(some), mean, own, len(doubles) - own


def bombs_played(games: list[GameReplay]) -> Iterator[Row]:
    thrown = defaultdict(list)
    for one in rounds(games):
        for moves in plays(one):
            for below, move in zip([None, *moves], moves, strict=False):
                if is_bomb(move.mask):
                    dragon = below and below.cards == (DRAGON,)
                    thrown["Dragon" if dragon else KIND_NAMES[below.kind] if below else "nothing"].append(move)
    for name, some in thrown.items():
        fours = sum(len(move.cards) == 4 for move in some)
        k = sum(move.out_of_turn for move in some)
        yield name, len(some), fours, len(some) - fours, k, rate(k, len(some))


def phoenix(games: list[GameReplay]) -> Iterator[Row]:
    used = [
        (KIND_NAMES[move.kind], move is moves[0], move is moves[-1])
        for one in rounds(games)
        for moves in plays(one)
        for move in moves
        if PHOENIX in move.cards
    ]
    for kind, some in grouped(used, lambda use: use[0]).items():
        led, won = sum(use[1] for use in some), sum(use[2] for use in some)
        yield kind, len(some), led, rate(led, len(some)), won, rate(won, len(some))


def changes(games: list[GameReplay]) -> Iterator[Row]:
    for what, holds in (("bomb", has_bomb), ("straight", has_straight)):
        pairs = Counter(
            (holds(hand.round.dealt[hand.seat]), holds(hand.round.held[hand.seat])) for hand in hands(games)
        )
        made, broken, both = pairs[False, True], pairs[True, False], pairs[True, True]
        yield what, pairs.total(), both + broken, both + made, made, broken


def players(games: list[GameReplay]) -> list[Row]:
    records: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0] * 6)
    for game in games:
        names = grouped(
            (hand for hand in hands([game])),
            lambda hand: (hand.round.record.names[hand.seat], hand.round.record.names[(hand.seat + 2) % 4]),
        )
        for pair, some in names.items():
            own, other = game.totals[some[0].seat % 2], game.totals[1 - some[0].seat % 2]
            won = own > other and own >= 1000
            behind = any(hand.ahead <= -200 for hand in some)
            calls = sum(hand.call != "none" for hand in some)
            figures = (1, won, behind, behind and won, calls, sum(hand.made for hand in some))
            records[pair] = [old + new for old, new in zip(records[pair], figures, strict=True)]
    rows: list[Row] = [(*pair, *record) for pair, record in records.items()]
    return sorted(rows, key=lambda row: (-row[2], -row[3], -row[5], -row[6], row[0], row[1]))[:12]


BY_HAND: dict[int, Callable[[list[GameReplay]], Iterable[Row]]] = dict(
    enumerate(
        (
            *(moments, seats, strong, standing, wishes, received, trick_points, dragon_gifts, bombs_and_calls),
            *(left_out, specials, bombs_played, phoenix, changes, players),
        ),
        start=1,
    )
)
