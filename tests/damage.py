"""Single faults put into the lines of a round, of every kind that a file gets on its way."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from typing import NamedTuple

from tichu_analytics.formats.bsw.lines import CARD_BITS

CARDS = list(CARD_BITS)
GARBAGE = ("xyz", "Ergebnis", "(0)", "(1)foo", "---", "Wunsch", "Drache", "\x00\x00", "<b>", "(0)a b c d")


class Damage(NamedTuple):
    """A damaged round: its lines, the index of the line that was changed, what was done."""

    lines: list[str]
    place: int
    what: str


def _pick(rng: random.Random, lines: list[str], wanted: Callable[[str], object]) -> int:
    return rng.choice([index for index, line in enumerate(lines) if wanted(line)])


def _card_places(line: str) -> list[int]:
    return [place for place, word in enumerate(line.split(" ")) if place and word in CARD_BITS]


_SEAT = re.compile(r"\(([0-3])\)([^ :]*)")


def _changed(lines: list[str], index: int, *instead: str) -> list[str]:
    return [*lines[:index], *instead, *lines[index + 1 :]]


def delete(rng, lines):
    index = rng.randrange(len(lines))
    return Damage(_changed(lines, index), index, "delete")


def double(rng, lines):
    index = rng.randrange(len(lines))
    return Damage(_changed(lines, index, lines[index], lines[index]), index + 1, "double")


def swap(rng, lines):
    index = rng.randrange(len(lines) - 1)
    swapped = [lines[index + 1], lines[index]]
    return Damage([*lines[:index], *swapped, *lines[index + 2 :]], index, "swap")


def change_card(rng, lines):
    index = _pick(rng, lines, _card_places)
    words = lines[index].split(" ")
    words[rng.choice(_card_places(lines[index]))] = rng.choice(CARDS)
    return Damage(_changed(lines, index, " ".join(words)), index, "change a card")


def unknown_card(rng, lines):
    index = _pick(rng, lines, _card_places)
    words = lines[index].split(" ")
    words[rng.choice(_card_places(lines[index]))] = rng.choice(["G11", "X", "RZ", "s5", "SQ", "", "B1"])
    return Damage(_changed(lines, index, " ".join(words)), index, "unknown card")


def drop_card(rng, lines):
    index = _pick(rng, lines, _card_places)
    words = lines[index].split(" ")
    del words[rng.choice(_card_places(lines[index]))]
    return Damage(_changed(lines, index, " ".join(words)), index, "drop a card")


def add_card(rng, lines):
    index = _pick(rng, lines, _card_places)
    words = lines[index].split(" ")
    words.insert(rng.choice(_card_places(lines[index])), rng.choice(CARDS))
    return Damage(_changed(lines, index, " ".join(words)), index, "add a card")


def change_seat(rng, lines):
    index = _pick(rng, lines, _SEAT.search)
    match = _SEAT.search(lines[index])
    assert match is not None
    seat = rng.choice([digit for digit in "0123459" if digit != match[1]])
    line = f"{lines[index][: match.start()]}({seat}){lines[index][match.start() + 3 :]}"
    return Damage(_changed(lines, index, line), index, "change a seat")


def change_name(rng, lines):
    index = _pick(rng, lines, _SEAT.search)
    match = _SEAT.search(lines[index])
    assert match is not None
    name = rng.choice(["", "Zorro", match[2] + "x"])
    line = f"{lines[index][: match.start(2)]}{name}{lines[index][match.end() :]}"
    return Damage(_changed(lines, index, line), index, "change a name")


def garbage(rng, lines):
    index = rng.randrange(1, len(lines))
    return Damage([*lines[:index], rng.choice(GARBAGE), *lines[index:]], index, "garbage")


def blank(rng, lines):
    index = rng.randrange(1, len(lines))
    return Damage([*lines[:index], "", *lines[index:]], index, "blank")


def insert(rng, lines):
    index = rng.randrange(1, len(lines))
    return Damage([*lines[:index], rng.choice(lines), *lines[index:]], index, "insert another line")


def cut_characters(rng, lines):
    index = rng.randrange(len(lines))
    line = lines[index][: rng.randrange(len(lines[index]))]
    return Damage(_changed(lines, index, line), index, "cut a line")


def break_off(rng, lines):
    index = rng.randrange(1, len(lines))
    return Damage(lines[:index], index - 1, "break off")


def change_result(rng, lines):
    index = len(lines) - 1
    first, _, second = lines[index].removeprefix("Ergebnis: ").partition(" - ")
    by = rng.choice([5, 10, 25, 100, 200, -100, -200, 50])
    line = f"Ergebnis: {int(first) + by} - {int(second) - rng.choice([0, by])}"
    return Damage(_changed(lines, index, line), index, "change the result")


KINDS = (
    delete,
    double,
    swap,
    change_card,
    unknown_card,
    drop_card,
    add_card,
    change_seat,
    change_name,
    garbage,
    blank,
    insert,
    cut_characters,
    break_off,
    change_result,
)
