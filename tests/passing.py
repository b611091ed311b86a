"""Logs for tests of the compiled pass: of every kind, whole, in pieces and damaged."""

from __future__ import annotations

import random

from tests.damage import KINDS
from tichu_analytics.formats.sources import Input
from tichu_analytics.simulate import simulate_games
from tichu_analytics.simulate.series import Wants, simulate_series


def log(name: str, data: bytes | str) -> Input:
    return Input(f"{name}.tch", name, data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass"), None)


def all_kinds_of_games() -> list[str]:
    """Games of both kinds of players, with all that logs of real games have."""
    wants = Wants(anomalies=20, odd_names=True)
    return [game.text for game in (*simulate_games(12, 7), *simulate_series(28, 3, wants=wants))]


def that_do_not_break_off(games: list[str]) -> list[str]:
    """The games that end with a result."""
    return [text for text in games if text.rpartition("\n")[0].rpartition("\n")[2].startswith("Ergebnis")]


def damaged(rng: random.Random, text: str) -> bytes:
    """A log in which one thing is wrong."""
    if rng.random() < 0.3:
        data = bytearray(text.encode("utf-8", "surrogatepass"))
        at = rng.randrange(len(data))
        how = rng.randrange(4)
        if how == 0:
            data[at] = rng.choice((rng.randrange(256), 10, 32, 0, 13, ord("-"), ord("1")))
        elif how == 1:
            del data[at : at + rng.choice((1, 1, 2, 40))]
        elif how == 2:
            data[at:at] = rng.choice((b"\n", b" ", b"\r", b"\xc3", b"\xc2\x85", b"x", b"\n\n", b"\xef\xbb\xbf"))
        else:
            del data[at:]
        return bytes(data)
    lines = rng.choice(KINDS)(rng, text.removesuffix("\n").split("\n")).lines
    return ("\n".join(lines) + "\n" * (rng.random() < 0.95)).encode("utf-8", "surrogatepass")


def short(rng: random.Random, text: str) -> str:
    """A few neighbouring rounds of a game."""
    header = "---------------Gr.Tichukarten------------------\n"
    rounds = [header + part for part in text.split(header)[1:]]
    first = rng.randrange(max(1, len(rounds) - 2))
    return "".join(rounds[first : first + 3])
