"""Records and documents of any content, legal or not, for property tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tichu_analytics.record import Call, Deal, Event, EventKind, Game, Gift, Result, Round
from tichu_analytics.record.model import NO_SEAT, BombLine
from tichu_analytics.record.notation import CARD_CODES

SEATS = st.integers(0, 3)
#: What a log can hold as a name: anything but blanks, colons and control characters.
LOG_NAMES = st.text(
    st.characters(exclude_categories=("Cs", "Cc"), exclude_characters=" :"),
    max_size=6,
)
RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
CARDS = st.sampled_from(CARD_CODES[:-1])


def _mask(cards: tuple[int, ...]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << card
    return mask


@st.composite
def log_rounds(draw: Any, number: int, first_line: int, is_last: bool) -> Round:
    """A round as a log could have it, complete but for its sense: lines are numbered as they would stand."""
    names = tuple(draw(st.lists(LOG_NAMES, min_size=4, max_size=4)))
    deck = draw(st.permutations(range(56)))
    line = first_line
    first8, dealt = [], []
    for seat in range(4):
        line += 1
        cards = tuple(deck[14 * seat : 14 * seat + 8])
        first8.append(Deal(line, seat, names[seat], cards, _mask(cards)))
    line += 1
    for seat in range(4):
        line += 1
        cards = tuple(deck[14 * seat : 14 * seat + 14])
        dealt.append(Deal(line, seat, names[seat], cards, _mask(cards)))
    calls = []
    for seat, grand in draw(st.lists(st.tuples(SEATS, st.booleans()), max_size=3)):
        line += 1
        calls.append(Call(line, seat, names[seat], grand, False))
    line += 1
    gifts = []
    for seat in range(4):
        line += 1
        given = draw(st.permutations(dealt[seat].cards))[:3]
        receivers = tuple(names[(seat + step) % 4] for step in (1, 2, 3))
        gifts.append(Gift(line, seat, names[seat], receivers, (given[0], given[1], given[2]), True))
    holders = tuple(sorted(draw(st.sets(SEATS))))
    bombs = None
    if holders:
        line += 1
        bombs = BombLine(line, holders, tuple(names[seat] for seat in holders))
    line += 1
    play_line = line
    events = []
    for event in draw(st.lists(log_events(), max_size=12)):
        line += 1
        name = names[event.seat] if event.seat != NO_SEAT else ""
        events.append(event._replace(line=line, name=name))
    line += 1
    score = draw(st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)))
    result = Result(line, score[0], score[1], f"{score[0]} - {score[1]}")
    return Round(
        number,
        first_line,
        line,
        tuple(first8),
        tuple(dealt),
        tuple(calls),
        tuple(gifts),
        bombs,
        play_line,
        tuple(events),
        result,
        (names[0], names[1], names[2], names[3]),
        True,
        (),
        is_last,
        False,
    )


@st.composite
def log_events(draw: Any) -> Event:
    """An event without its line and name."""
    kind = draw(
        st.sampled_from(
            (EventKind.PASS, EventKind.PLAY, EventKind.WISH, EventKind.TICHU, EventKind.GRAND, EventKind.GIFT)
        )
    )
    if kind == EventKind.WISH:
        return Event(kind, 0, NO_SEAT, "", value=draw(st.integers(2, 14)))
    seat = draw(SEATS)
    if kind == EventKind.PLAY:
        cards = tuple(draw(st.lists(st.integers(0, 55), min_size=1, max_size=14)))
        return Event(kind, 0, seat, "", cards, _mask(cards))
    return Event(kind, 0, seat, "")


@st.composite
def log_games(draw: Any) -> Game:
    """A game as a log could have it."""
    rounds = []
    line = 1
    count = draw(st.integers(1, 3))
    for number in range(1, count + 1):
        one = draw(log_rounds(number, line, number == count))
        line = one.last_line + 1
        rounds.append(one)
    return Game("", draw(st.text("0123456789abc", min_size=1, max_size=6)), "bsw", None, tuple(rounds), ())


# Documents ------------------------------------------------------------------------------------------------------------

TEXT = st.text(st.characters(codec="utf-8"), max_size=8)
CARDS_TEXT = st.lists(
    CARDS
    | st.just("Hu")
    | st.just("SB")
    | st.text(st.characters(exclude_categories=("Cs", "Z", "Cc")), min_size=1, max_size=3).map("?{}".format),
    min_size=1,
    max_size=15,
).map(" ".join)
FREE = st.dictionaries(
    TEXT.map("_{}".format),
    st.recursive(
        st.none() | st.booleans() | st.integers() | TEXT, lambda inner: st.lists(inner, max_size=2), max_leaves=3
    ),
    max_size=2,
)


def _with(required: dict[str, Any], optional: dict[str, Any]) -> Any:
    return st.builds(lambda fields, free: {**fields, **free}, st.fixed_dictionaries(required, optional=optional), FREE)


@st.composite
def events(draw: Any, collects: bool) -> dict[str, Any]:
    """An event of a document."""
    at = {"at": st.integers(0, 9999) | st.floats(0, 9999)}
    kinds = ["play", "pass", "wish", "gift", "call", "unreadable", *(["collect"] if collects else [])]
    kind = draw(st.sampled_from(kinds))
    seat = {"seat": SEATS}
    optional = dict(at)
    required: dict[str, Any]
    if kind == "play":
        cards = draw(CARDS_TEXT)
        required = seat | {"cards": st.just(cards)}
        optional["turn"] = st.sampled_from(("in", "out"))
        if "Ph" in cards.split(" "):
            optional["phoenix_as"] = st.sampled_from(RANKS)
    elif kind in ("pass", "collect"):
        required = dict(seat)
    elif kind == "wish":
        required = {"rank": st.sampled_from((*RANKS, "B", "D", "?0"))}
    elif kind == "gift":
        required = {"to": SEATS}
    elif kind == "call":
        required = seat | {"call": st.sampled_from(("tichu", "grand"))}
    else:
        required = {"text": TEXT.map(lambda text: text.replace("\n", " "))}
    found: dict[str, Any] = draw(_with({"event": st.just(kind)} | required, optional))
    return found


def rounds(collects: bool) -> Any:
    """A round of a document, without ``bsw`` fields."""
    hands = st.lists(st.none() | CARDS_TEXT, min_size=4, max_size=4)
    names = st.lists(TEXT, min_size=4, max_size=4)
    calls = _with(
        {
            "seat": SEATS,
            "call": st.sampled_from(("tichu", "grand")),
            "when": st.sampled_from(("first8", "before_exchange", "after_exchange")),
        },
        {},
    )
    return _with(
        {"first8": hands, "dealt": hands, "exchange": hands, "events": st.lists(events(collects), max_size=6)},
        {
            "players": names,
            "deal_players": names,
            "calls": st.lists(calls, max_size=3),
            "bombs": st.sets(SEATS).map(sorted),
            "score": st.tuples(st.integers(-2000, 2000), st.integers(-2000, 2000)).map(list),
        },
    )


@st.composite
def documents(draw: Any) -> dict[str, Any]:
    """A valid document of any content."""
    collects = draw(st.booleans())
    ends = st.just("collect") if collects else st.just("last_pass")
    found: dict[str, Any] = draw(
        _with(
            {"tgr": st.just(1), "rounds": st.lists(rounds(collects), max_size=3)},
            {
                "id": TEXT,
                "source": _with({}, {"name": TEXT, "url": TEXT, "file": TEXT, "format": TEXT}),
                "rules": st.sampled_from(("official", "bsw", "dodgr")),
                "options": st.just({"wish_bomb_in_turn": "allow"}),
                "target": st.integers(1, 5000),
                "played_at": st.sampled_from(
                    ("2014", "2014-02", "2014-02-03", "2014-02-03T19:30Z", "2014-02-03T19:30:12.5+01:00")
                ),
                "players": st.lists(TEXT, min_size=4, max_size=4),
                "trick_ends": ends,
            },
        )
    )
    return found
