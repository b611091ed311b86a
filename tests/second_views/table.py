"""The table line by line, as somebody would keep it who reads a log aloud: nothing of the toolkit is used for it.

Only for rounds in which all is as it should be. Cards are pairs of suit and rank, ranks 2 to 14 with the Mah Jong
as 1; the other special cards have no rank.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

Card = tuple[str, int]
Hands = tuple[frozenset[Card], ...]

RANKS = {**{str(rank): rank for rank in range(2, 11)}, "B": 11, "D": 12, "K": 13, "A": 14}
SPECIAL: dict[str, Card] = {"Dr": ("Dr", 0), "Ph": ("Ph", 0), "Ma": ("Ma", 1), "Hu": ("Hu", 0)}
DRAGON, PHOENIX, MAH_JONG, DOG = SPECIAL["Dr"], SPECIAL["Ph"], SPECIAL["Ma"], SPECIAL["Hu"]
WORTH = {5: 5, 10: 10, 13: 10}
RESULT = "Ergebnis: "


def card(text: str) -> Card:
    return SPECIAL[text] if text in SPECIAL else (text[0], RANKS[text[1:]])


def worth(cards: Iterator[Card] | list[Card]) -> int:
    return sum({DRAGON: 25, PHOENIX: -25}.get(one, WORTH.get(one[1], 0)) for one in cards)


@dataclass(frozen=True)
class Table:
    """What lies there and who is to act, after a line.

    Attributes:
        line: the number of the line in the file.
        kind: what the line is: start, play, pass, take, wish, tichu, gift.
        trick, move: the trick that the line belongs to, and how many moves there have been.
        hands: by seat.
        laid: the plays of the trick.
        turn: the seat to act; None where the round is over.
        wish: the rank of the open wish, else 0.
        out: the seats without cards in the order in which they went out.
        points: card points of the tricks that were taken, by seat; one with a Dragon is its owner's until it is given.
        calls: by seat.
        over: whether the trick is over, so that the next play begins another one.
        taken, taken_by: the plays of the trick that was taken last, and whose it is.
    """

    line: int
    kind: str
    trick: int
    move: int
    hands: Hands
    laid: tuple[tuple[int, tuple[Card, ...]], ...] = ()
    turn: int | None = None
    wish: int = 0
    out: tuple[int, ...] = ()
    points: tuple[int, ...] = (0, 0, 0, 0)
    calls: tuple[str, ...] = ("", "", "", "")
    over: bool = False
    taken: tuple[tuple[int, tuple[Card, ...]], ...] = ()
    taken_by: int = -1


@dataclass
class Round:
    """A round: the table after the beginning and after each line of the course, and the logged result."""

    number: int
    tables: list[Table] = field(default_factory=list)
    result: tuple[int, int] | None = None


def rounds_of(text: str) -> list[Round]:
    """All rounds of a log."""
    found: list[Round] = []
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if "Gr.Tichukarten" in line]
    for number, (start, end) in enumerate(zip(starts, [*starts[1:], len(lines)], strict=True), start=1):
        found.append(_round(number, [(at + 1, lines[at]) for at in range(start, end)]))
    return found


def _round(number: int, lines: list[tuple[int, str]]) -> Round:
    one = Round(number)
    dealt: list[set[Card]] = [set() for _ in range(4)]
    gifts: list[tuple[int, list[Card]]] = []
    calls = ["", "", "", ""]
    part = ""
    table: Table | None = None
    for line, text in lines:
        if text.startswith("------"):
            part = text.strip("-")
            if part == "Rundenverlauf":
                hands = _exchanged(dealt, gifts)
                (first,) = [seat for seat in range(4) if MAH_JONG in hands[seat]]
                table = Table(line, "start", 0, 0, hands, turn=first, calls=tuple(calls), over=True)
                one.tables.append(table)
        elif part == "Startkarten" and text.startswith("(") and " gibt: " not in text:
            dealt[int(text[1])] = {card(word) for word in text.split(" ")[1:] if word}
        elif " gibt: " in text:
            parts = text.partition(" gibt: ")[2].split(" - ")[:3]
            gifts.append((int(text[1]), [card(each.rpartition(": ")[2]) for each in parts]))
        elif text.startswith(RESULT):
            left, _, right = text.removeprefix(RESULT).partition(" - ")
            one.result = (int(left), int(right))
        elif table is None and text.startswith(("Tichu: ", "Grosses Tichu: ")):
            seat = int(text.partition("(")[2][0])
            calls[seat] = "grand" if text.startswith("G") else "tichu"
        elif table is not None and text and one.result is None:
            table = _after(table, line, text)
            one.tables.append(table)
    return one


def _exchanged(dealt: list[set[Card]], gifts: list[tuple[int, list[Card]]]) -> Hands:
    hands = [set(cards) for cards in dealt]
    for giver, cards in gifts:
        for further, given in enumerate(cards, start=1):
            hands[giver].remove(given)
            hands[(giver + further) % 4].add(given)
    return tuple(map(frozenset, hands))


def _after(table: Table, line: int, text: str) -> Table:
    """The table after one more line of the course."""
    if text.startswith("Wunsch:"):
        return replace(table, line=line, kind="wish", wish=RANKS[text.removeprefix("Wunsch:")])
    seat = int(text.partition("(")[2][0])
    if text.startswith("Tichu: "):
        calls = tuple("tichu" if one == seat else call for one, call in enumerate(table.calls))
        return replace(table, line=line, kind="tichu", laid=() if table.over else table.laid, calls=calls)
    if text.startswith("Drache an: "):
        owner = table.taken_by
        given = worth([one for _, laid in table.taken for one in laid])
        change = {owner: -given, seat: given}
        points = tuple(has + change.get(one, 0) for one, has in enumerate(table.points))
        return replace(table, line=line, kind="gift", laid=(), points=points)
    if text.endswith(" passt."):
        return _passed(table, line, seat)
    return _played(table, line, seat, tuple(card(word) for word in text.rpartition(": ")[2].split(" ") if word))


def _played(table: Table, line: int, seat: int, cards: tuple[Card, ...]) -> Table:
    hands = tuple(hand - frozenset(cards) if one == seat else hand for one, hand in enumerate(table.hands))
    assert len(hands[seat]) == len(table.hands[seat]) - len(cards)
    out = table.out if hands[seat] else (*table.out, seat)
    met = table.wish in {rank for suit, rank in cards if suit in "SBGR"}
    laid = () if table.over else table.laid
    now = replace(
        table, line=line, kind="play", trick=table.trick + table.over, move=table.move + 1, hands=hands,
        laid=(*laid, (seat, cards)), out=out, wish=0 if met else table.wish, over=False,
    )  # fmt: skip
    if _is_over(out):
        # Nobody collects any more. After a double victory nobody is given a Dragon either, and the trick is nobody's.
        return replace(now, turn=None, over=True) if len(out) == 2 and DRAGON in cards else _taken(now, seat, keep=True)
    if cards == (DOG,):
        return replace(_taken(now, seat, keep=True), turn=_next(hands, seat + 2))
    return replace(now, turn=_next(hands, seat + 1))


def _passed(table: Table, line: int, seat: int) -> Table:
    owner = table.laid[-1][0]
    if seat == owner:
        return _taken(replace(table, line=line, kind="take"), owner)
    now = replace(table, line=line, kind="pass", move=table.move + 1)
    following = _next(table.hands, seat + 1)
    goes_round = [one for one in ((seat + step) % 4 for step in range(1, 5)) if one == owner or table.hands[one]]
    if goes_round[0] != owner:
        return replace(now, turn=following)
    if table.hands[owner]:
        return replace(now, turn=owner)
    # Its owner is out, and there is no line for the taking of the trick.
    return _taken(now, owner)


def _taken(table: Table, by: int, *, keep: bool = False) -> Table:
    """The trick goes to a seat; whoever has laid the last cards leads, or the next one with cards."""
    cards = [one for _, laid in table.laid for one in laid]
    points = tuple(has + worth(cards) * (seat == by) for seat, has in enumerate(table.points))
    turn = None if _is_over(table.out) else _next(table.hands, table.laid[-1][0])
    return replace(
        table, laid=table.laid if keep else (), taken=table.laid, taken_by=by, points=points, turn=turn, over=True
    )


def _next(hands: Hands, seat: int) -> int:
    return next(one % 4 for one in range(seat, seat + 4) if hands[one % 4])


def _is_over(out: tuple[int, ...]) -> bool:
    return len(out) == 3 or (len(out) == 2 and out[0] % 2 == out[1] % 2)


def score(one: Round) -> tuple[int, int]:
    """What a round brings both teams by what was played and called."""
    last = one.tables[-1]
    teams = [0, 0]
    if len(last.out) == 2:
        teams[last.out[0] % 2] = 200
    else:
        (left,) = {0, 1, 2, 3} - set(last.out)
        teams[1 - left % 2] += worth(list(last.hands[left]))
        for seat, points in enumerate(last.points):
            teams[(last.out[0] if seat == left else seat) % 2] += points
    for seat, call in enumerate(last.calls):
        value = {"": 0, "tichu": 100, "grand": 200}[call]
        teams[seat % 2] += value if last.out[0] == seat else -value
    return teams[0], teams[1]


def phoenix(cards: tuple[Card, ...], before: tuple[Card, ...] | None) -> str | None:
    """For what the Phoenix stands in a play on another one, as a rank.

    Returns:
        An empty text if it is not there, None where it may be two.
    """
    if PHOENIX not in cards:
        return ""
    ranks = Counter(rank for suit, rank in cards if suit != "Ph")
    counts = sorted(ranks.values())
    if not ranks:
        # Alone it is half a rank above what lay there, and 1.5 where nothing did.
        under = max(before[0][1], 1) if before else 1
        return f"{under}.5" if under <= 10 else f"{_name(under)}+\u00bd"
    if len(ranks) == 1:
        return _name(next(iter(ranks)))
    if counts == [1, 3]:
        return _name(next(rank for rank, count in ranks.items() if count == 1))
    if counts == [2, 2] and max(ranks) - min(ranks) > 1:
        return None  # a full house: either pair may be the triple
    if counts[-1] == 2:  # stairs, or a full house of two pairs next to each other, which the former is not
        missing = [rank for rank, count in ranks.items() if count == 1]
        return _name(missing[0]) if len(missing) == 1 else None
    missing = sorted(set(range(min(ranks), max(ranks))) - set(ranks))
    return _name(missing[0]) if missing else None


def _name(rank: int) -> str:
    return {11: "J", 12: "Q", 13: "K", 14: "A"}.get(rank, str(rank))
