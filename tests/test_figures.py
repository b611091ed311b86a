"""What figures draw is what the frame says, whatever stands in it."""

from __future__ import annotations

import itertools
import re
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tests.drawing import KINDS, Frames, across, ends, lines, made, parsed, patches, sample_frames, texts, upwards
from tichu_analytics.report import figures
from tichu_analytics.report.canvas import WIDTH, text_width
from tichu_analytics.report.labels import CARDS, percent
from tichu_analytics.report.palette import PAPER, channels, shade
from tichu_analytics.report.scale import scale_of
from tichu_analytics.report.spread import bounds
from tichu_analytics.report.svg import figure_svg


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    return sample_frames(tmp_path_factory.mktemp("figures"))


# What is drawn is what the frame says ---------------------------------------------------------------------------------


def test_dots_are_the_rates_and_lines_their_intervals(frames: Frames) -> None:
    frame = frames["by seat"]
    figure = made(frames, "rates by seat")
    assert across(figure, "estimate") == frame["estimate"].tolist()
    assert across(figure, "interval") == ends(frame)
    for row in frame.to_dict("records"):
        assert percent(row["estimate"]) in texts(figure)
        assert f"{row['n']:,}" in texts(figure)
        assert f"seat {row['seat']}" in texts(figure)


def test_rates_leave_means_out_and_the_other_way_round(frames: Frames) -> None:
    frame = frames["bombs"]
    rates = frame[(frame["unit"] == "proportion") & frame["estimate"].notna()]
    assert across(made(frames, "rates"), "estimate") == rates["estimate"].tolist()
    means = frame[(frame["unit"] != "proportion") & frame["estimate"].notna()]
    drawn = across(figures.mean_dots(frame), "estimate")
    assert sorted(drawn) == sorted(means["estimate"])
    assert len(figures.mean_dots(frame).axes) == means["unit"].nunique()  # an axis for each unit


def test_exact_odds_stand_beside_the_rates_they_belong_to(frames: Frames) -> None:
    odds = {"bombs.dealt_rate": 0.0541, "bombs.dealt8_rate": 0.0042}
    figure = figures.rate_dots(frames["bombs"], beside=odds)
    assert sorted(across(figure, "beside")) == sorted(odds.values())
    assert "exact odds" in texts(figure)
    heights = {line.get_ydata()[0] for line in lines(figure, "beside")}
    rows = frames["bombs"].query("unit == 'proportion'").reset_index(drop=True)
    places = {line.get_ydata()[0]: index for index, line in enumerate(lines(figure, "estimate"))}
    assert {rows["measure"][places[height]] for height in heights} == set(odds)
    assert not lines(made(frames, "rates"), "beside")


def test_a_column_beside_does_so_row_by_row(frames: Frames) -> None:
    frame = frames["by seat"].assign(beside=[0.5, None, 0.25, 0.75] * 2)
    figure = figures.rate_dots(frame, beside_label="everybody")
    assert across(figure, "beside") == [0.5, 0.25, 0.75] * 2
    assert "everybody" in texts(figure)


def test_players_are_drawn_to_the_mean_with_the_plain_rate_beside(frames: Frames) -> None:
    frame = frames["wins"].head(30)
    figure = made(frames, "players")
    assert across(figure, "estimate") == frame["shrunk"].tolist()
    assert across(figure, "beside") == frame["estimate"].tolist()
    assert across(figure, "interval") == [
        value for pair in zip(frame["shrunk_low"], frame["shrunk_high"], strict=True) for value in pair
    ]


def test_ratings_keep_their_order(frames: Frames) -> None:
    frame = frames["ratings"].head(30)
    figure = made(frames, "ratings")
    assert across(figure, "estimate") == frame["mu"].tolist()
    heights = upwards(figure, "estimate")
    assert heights == sorted(heights)


@pytest.mark.parametrize(("kind", "column"), [("exchange", "passed_to"), ("received", "received_from")])
def test_cells_of_the_exchange(frames: Frames, kind: str, column: str) -> None:
    frame = frames[KINDS[kind][0]]
    figure = made(frames, kind)
    cells = {patch.get_label(): patch for patch in figure.axes[0].patches}
    assert len(cells) == 3 * len(CARDS) == len(frame)
    most = frame["estimate"].max()
    for row in frame.to_dict("records"):
        colour: Any = cells[f"{row['card']} {row[column]}"].get_facecolor()
        wanted = shade(row["estimate"] / most) if row["estimate"] else PAPER
        assert tuple(round(255 * one) for one in colour[:3]) == channels(wanted)
        if row["estimate"] > 0.001:
            assert f"{100 * row['estimate']:.1f}" in texts(figure)


def test_the_exchange_of_one_beside_that_of_all(frames: Frames) -> None:
    everybody = frames["given"]
    one = everybody.assign(k=everybody["n"] // 4, estimate=0.25)
    figure = figures.exchange_heatmap(pd.concat([one.assign(whose="me"), everybody.assign(whose="everybody")]))
    share = everybody["estimate"][0]
    assert f"25.0 ({100 * share:.1f})" in texts(figure)
    assert "In brackets: everybody." in texts(figure)


@pytest.mark.parametrize("kind", ["scores", "scores by call"])
def test_strips_reach_from_quantile_to_quantile(frames: Frames, kind: str) -> None:
    frame = frames[KINDS[kind][0]]
    frame = frame[frame["measure"].str.endswith("score_difference")]
    figure = made(frames, kind)
    for low, high in (("p1", "p99"), ("p5", "p95"), ("p25", "p75")):
        wanted = [float(value) for pair in zip(frame[low], frame[high], strict=True) for value in pair]
        assert across(figure, f"{low} {high}") == wanted
    assert across(figure, "p50")[::2] == frame["p50"].tolist()
    assert across(figure, "estimate") == frame["estimate"].tolist()


def test_other_spreads_are_drawn_where_there_are_no_scores(frames: Frames) -> None:
    frame = frames["spread"].query("measure in ('results.rounds_per_game', 'results.tricks_per_round')")
    figure = figures.round_scores(frame)
    assert len(figure.axes) == 2
    assert across(figure, "estimate") == frame["estimate"].tolist()


def test_bars_of_score_ranges(frames: Frames) -> None:
    frame = frames["ranges"]
    figure = made(frames, "ranges")
    bars = [patch.get_height() for patch in patches(figure)]
    assert bars == pytest.approx(frame["estimate"].tolist())
    assert upwards(figure, "interval") == pytest.approx(ends(frame))


def test_ranges_are_read_from_their_words(frames: Frames) -> None:
    assert bounds("below -400") == (-float("inf"), -401)
    assert bounds("above 400") == (401, float("inf"))
    assert bounds("from -100 to -1") == (-100, -1)
    assert bounds("0") == (0, 0)
    assert bounds("somewhere") is None
    assert all(bounds(words) for words in frames["ranges"]["range"])
    other = frames["ranges"].assign(range="somewhere")
    assert across(figures.score_ranges(other), "estimate") == other["estimate"].tolist()


@pytest.mark.parametrize("kind", ["strength", "along"])
def test_rates_along_a_column(frames: Frames, kind: str) -> None:
    name, _ = KINDS[kind]
    frame = frames[name].dropna(subset=["estimate"])
    figure = made(frames, kind)
    assert upwards(figure, "estimate") == frame["estimate"].tolist()
    assert upwards(figure, "interval") == ends(frame)
    for n in frame["n"]:
        assert f"{n:,}" in texts(figure)
    for _, group in frame.groupby("measure", sort=False):
        columns = group[group.columns[-1]]
        assert columns.is_monotonic_increasing


def test_strength_in_words_becomes_rows(frames: Frames) -> None:
    frame = frames["honours"].head(40)
    figure = made(frames, "honours")
    assert across(figure, "estimate") == frame["estimate"].tolist()


@pytest.mark.parametrize("kind", ["bombs", "bombs of all kinds"])
def test_bombs_by_rank(frames: Frames, kind: str) -> None:
    frame = frames[KINDS[kind][0]]
    figure = made(frames, kind)
    if "kind" in frame:
        impossible = (frame["kind"] == "straight_bomb") & frame["rank_of_bomb"].isin(["2", "3", "4", "5"])
        assert frame.loc[impossible, "k"].sum() == 0
        frame = frame[~impossible]
        assert {"four of a kind", "straight flush"} <= set(texts(figure))
    assert sorted(across(figure, "estimate")) == sorted(frame["estimate"])
    assert sorted(across(figure, "interval")) == sorted(ends(frame))


def test_wishes_and_their_fulfilment(frames: Frames) -> None:
    frame = frames["wishes"].dropna(subset=["wish_rank"])
    wished = frame[frame["measure"] == "results.wish_rate"]
    kept = frame[frame["measure"] == "results.wish_fulfilled_rate"]
    figure = made(frames, "wishes")
    bars = [patch.get_width() for patch in patches(figure)]
    assert bars == pytest.approx((wished["k"] / wished["k"].sum()).tolist())
    assert across(figure, "estimate") == kept["estimate"].tolist()
    assert sum(bars) == pytest.approx(1)


# Nothing, little, and too much ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_to_draw_is_said(frames: Frames, kind: str) -> None:
    name, draw = KINDS[kind]
    frame = frames[name]
    unknown = frame.assign(n=0, k=0, estimate=np.nan, low=np.nan, high=np.nan)
    for name in ("shrunk", "mu", *(column for column in frame if re.fullmatch(r"p\d+", str(column)))):
        if name in unknown:
            unknown[name] = np.nan
    for nothing in (frame.head(0), pd.DataFrame(), unknown):
        figure = draw(nothing, title="A title")
        assert "No data" in texts(figure)
        assert "A title" in texts(figure)
        assert figure.description == "No data."
        parsed(figure_svg(figure))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", ["one row", "no intervals", "none", "all", "not finite", "objects"])
def test_odd_frames_are_drawn_without_a_warning(frames: Frames, kind: str, change: str) -> None:
    name, draw = KINDS[kind]
    frame = frames[name].copy()
    if change == "one row":
        frame = frame.head(1)
    elif change == "no intervals":
        frame = frame.assign(low=np.nan, high=np.nan)
    elif change == "none":
        frame = frame.assign(k=0, estimate=0.0, low=0.0, high=0.0)
    elif change == "all":
        frame = frame.assign(k=frame["n"], estimate=1.0, low=1.0, high=1.0)
    elif change == "not finite":
        frame = frame.assign(low=-np.inf, high=np.inf)
    else:
        frame = frame.astype(object).where(frame.notna(), None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw(frame)
        parsed(figure_svg(figure))
    assert figure.description


def test_a_rate_without_interval_is_hollow_and_told(frames: Frames) -> None:
    frame = frames["by seat"].copy()
    frame.loc[1, ["low", "high"]] = np.nan
    figure = figures.rate_dots(frame)
    dots = lines(figure, "estimate")
    assert dots[1].get_markerfacecolor() == PAPER != dots[0].get_markerfacecolor()
    assert "Hollow: without interval, too few games." in texts(figure)
    assert across(figure, "interval") == ends(frame)


def test_many_groups_are_cut_and_told(frames: Frames) -> None:
    row = frames["by seat"].head(1)
    many = pd.concat([row.assign(seat=number) for number in range(60)])
    figure = figures.rate_dots(many)
    assert len(across(figure, "estimate")) == 40
    assert "20 more rows are not drawn." in texts(figure)
    assert len(across(figures.rate_dots(many, limit=60), "estimate")) == 60


def test_texts_keep_to_the_figure(frames: Frames) -> None:
    """By the metrics of the layout, whose font is wider than those of most systems."""
    for kind in KINDS:
        figure = made(frames, kind, title="A rather long title, which does not fit into one line of a phone")
        for text in figure.texts:
            wide = text_width(text.get_text(), float(text.get_fontsize()), bold=text.get_fontweight() == "bold")
            x = text.get_position()[0] * WIDTH
            left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[text.get_horizontalalignment()] * wide
            assert left >= -0.5, (kind, text.get_text())
            assert left + wide <= WIDTH + 0.5, (kind, text.get_text())
            assert 0 <= text.get_position()[1] <= 1, (kind, text.get_text())


def test_texts_beside_each_other_do_not_touch(frames: Frames) -> None:
    for kind in KINDS:
        rows: dict[float, list[tuple[float, float, str]]] = {}
        for text in made(frames, kind).figure.texts:
            wide = text_width(text.get_text(), float(text.get_fontsize()), bold=text.get_fontweight() == "bold")
            x, y = text.get_position()
            left = x * WIDTH - {"left": 0.0, "center": 0.5, "right": 1.0}[text.get_horizontalalignment()] * wide
            rows.setdefault(round(y, 6), []).append((left, left + wide, text.get_text()))
        for row in rows.values():
            for one, other in itertools.pairwise(sorted(row)):
                assert one[1] < other[0] + 0.5, (kind, one, other)


# Axes -----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "values",
    [
        [0.1, 0.9],
        [0.61, 0.64],
        [0.0],
        [1.0],
        [0.0, 0.0],
        [1.0, 1.0],
        [-600, 600],
        [-3, -1],
        [1e-9],
        [1e12, 1],
        [5.0],
        [],
    ],
)
def test_axes_hold_what_is_drawn(values: list[float]) -> None:
    rates = all(0 <= value <= 1 for value in values)
    scale = scale_of(values, least=0, greatest=1) if rates else scale_of(values)
    assert scale.low < scale.high
    assert all(scale.low - 1e-9 <= value <= scale.high + 1e-9 * abs(scale.high) for value in values)
    assert 2 <= len(scale.ticks) <= 5
    assert scale.low >= 0 or not rates
