"""Figures of the sample logs as their tests make and read them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd

import tichu_analytics as ta
from tests.conftest import ROOT
from tichu_analytics import stats
from tichu_analytics.report import figures
from tichu_analytics.report.canvas import ReportFigure

Frames = dict[str, pd.DataFrame]

SUCCESS = ["tichu.success_rate", "grand.success_rate"]
RANKS = ["bombs.held_rank_rate", "bombs.played_rank_rate"]
WISHES = ["results.wish_rate", "results.wish_fulfilled_rate"]

#: A figure of each kind: the frame it is made of, and the function.
KINDS: dict[str, tuple[str, Callable[..., ReportFigure]]] = {
    "rates by seat": ("by seat", figures.rate_dots),
    "rates": ("bombs", figures.rate_dots),
    "means": ("results", figures.mean_dots),
    "players": ("wins", figures.player_rates),
    "ratings": ("ratings", figures.ratings),
    "exchange": ("given", figures.exchange_heatmap),
    "received": ("received", figures.exchange_heatmap),
    "scores": ("spread", figures.round_scores),
    "scores by call": ("spread by call", figures.round_scores),
    "ranges": ("ranges", figures.score_ranges),
    "strength": ("high cards", figures.success_by_strength),
    "honours": ("honours", figures.success_by_strength),
    "along": ("lead", figures.rates_along),
    "bombs": ("bomb ranks", figures.bombs_by_rank),
    "bombs of all kinds": ("bomb ranks together", figures.bombs_by_rank),
    "wishes": ("wishes", figures.wishes),
}

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "x" * 300,
    "many words of a name " * 20,
    "\u202eabc\u05d0\u05d1\u2066",
    "\u0645\u0631\u062d\u0628\u0627",
    "a\x00b\x1b[31m\r\n\t",
    "$x^2$ $\\frac{}{ \\undefined",
    "\U0001f600\U0001f0cf\U000e0001",
    "Z" + "\u0301" * 300,
    "\ud800",
    "]]>&amp;<![CDATA[",
    "",
    " ",
    "{}%s",
]


def sample_frames(folder: Path) -> Frames:
    """What the statistics say of the sample logs."""
    data = ta.export(ROOT / "sample_logs" / "games.zip", folder / "data")
    return {
        "by seat": stats.tichu(data, by=["seat"], measures=SUCCESS),
        "bombs": stats.bombs(data),
        "results": stats.results(data),
        "wins": stats.players(data, measures=["players.win_rate"]),
        "ratings": stats.rating(data),
        "given": stats.exchange(data, measures=["exchange.given_rate"]),
        "received": stats.exchange(data, measures=["exchange.received_rate"]),
        "spread": stats.compute(data, "results", distribution=True),
        "spread by call": stats.compute(
            data, "results", by=["call"], measures=["results.seat_score_difference"], distribution=True
        ),
        "ranges": stats.results(data, measures=["results.score_difference_rate"]),
        "high cards": stats.tichu(data, by=["high_cards"], measures=SUCCESS),
        "honours": stats.tichu(data, by=["honours8"], measures=["grand.success_rate"]),
        "lead": stats.results(data, by=["score_gap"], measures=["results.game_won_rate"]),
        "bomb ranks": stats.bombs(data, by=["kind"], measures=RANKS),
        "bomb ranks together": stats.bombs(data, measures=RANKS),
        "wishes": stats.results(data, by=["wish_rank"], measures=WISHES),
    }


def made(frames: Frames, kind: str, **more: Any) -> ReportFigure:
    name, draw = KINDS[kind]
    return draw(frames[name], **more)


def lines(figure: ReportFigure, label: str) -> list[Any]:
    """The lines (dots are lines of one point) with a label, in the order in which they were drawn."""
    return [line for axes in figure.axes for line in axes.get_lines() if line.get_label() == label]


def across(figure: ReportFigure, label: str) -> list[float]:
    return [float(value) for line in lines(figure, label) for value in np.asarray(line.get_xdata())]


def upwards(figure: ReportFigure, label: str) -> list[float]:
    return [float(value) for line in lines(figure, label) for value in np.asarray(line.get_ydata())]


def patches(figure: ReportFigure) -> list[Any]:
    return list(figure.axes[0].patches)


def texts(figure: ReportFigure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def ends(frame: pd.DataFrame) -> list[float]:
    """The ends of the intervals, row by row."""
    there = frame.dropna(subset=["estimate", "low", "high"])
    return [float(value) for pair in zip(there["low"], there["high"], strict=True) for value in pair]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)
