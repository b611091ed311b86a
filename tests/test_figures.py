"""Figures: what they draw is what the frame says, whatever stands in it, and they can be seen and read by everybody."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import tichu_analytics as ta
from tests.conftest import ROOT
from tichu_analytics import stats
from tichu_analytics.report import figures
from tichu_analytics.report.canvas import WIDTH, ReportFigure, shortened, text_width
from tichu_analytics.report.labels import CARDS, cleaned, percent
from tichu_analytics.report.palette import BANDS, GRID, INK, MUTED, PAPER, SERIES, channels, contrast, ink_on, shade
from tichu_analytics.report.scale import scale_of
from tichu_analytics.report.spread import bounds
from tichu_analytics.report.svg import figure_svg

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


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    """What the statistics say of the sample logs."""
    data = ta.export(ROOT / "sample_logs" / "games.zip", tmp_path_factory.mktemp("figures") / "data")
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


def texts(figure: ReportFigure) -> list[str]:
    return [text.get_text() for text in figure.texts]


def ends(frame: pd.DataFrame) -> list[float]:
    """The ends of the intervals, row by row."""
    there = frame.dropna(subset=["estimate", "low", "high"])
    return [float(value) for pair in zip(there["low"], there["high"], strict=True) for value in pair]


def parsed(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


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
        colour = cells[f"{row['card']} {row[column]}"].get_facecolor()
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
    bars = [patch.get_height() for patch in figure.axes[0].patches]
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
        assert str(n) in texts(figure)
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
    bars = [patch.get_width() for patch in figure.axes[0].patches]
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
            left = x - {"left": 0.0, "center": 0.5, "right": 1.0}[str(text.get_ha())] * wide
            assert left >= -0.5, (kind, text.get_text())
            assert left + wide <= WIDTH + 0.5, (kind, text.get_text())
            assert 0 <= text.get_position()[1] <= 1, (kind, text.get_text())


def test_texts_beside_each_other_do_not_touch(frames: Frames) -> None:
    for kind in KINDS:
        rows: dict[float, list[tuple[float, float, str]]] = {}
        for text in made(frames, kind).figure.texts:
            wide = text_width(text.get_text(), float(text.get_fontsize()), bold=text.get_fontweight() == "bold")
            x, y = text.get_position()
            left = x * WIDTH - {"left": 0.0, "center": 0.5, "right": 1.0}[str(text.get_ha())] * wide
            rows.setdefault(round(y, 6), []).append((left, left + wide, text.get_text()))
        for row in rows.values():
            for one, other in itertools.pairwise(sorted(row)):
                assert one[1] < other[0] + 0.5, (kind, one, other)


# Other people's text --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("draw", [figures.ratings, figures.player_rates])
def test_hostile_names_do_no_harm(
    frames: Frames, draw: Callable[..., ReportFigure], capfd: pytest.CaptureFixture[str]
) -> None:
    source = frames["ratings"] if draw is figures.ratings else frames["wins"]
    frame = source.head(len(HOSTILE)).copy()
    frame["player"] = pd.Series(HOSTILE, index=frame.index, dtype=object)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure = draw(frame, title=HOSTILE[0])
        svg = figure_svg(figure, title=HOSTILE[6], description="\n".join(HOSTILE))
        figure.savefig(__import__("io").BytesIO(), format="png")
    assert capfd.readouterr() == ("", "")
    root = parsed(svg)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} <= {
        *("svg", "title", "desc", "g", "defs", "path", "use", "text"),
    }
    shown = "".join(root.itertext())
    assert "\\u202e" in shown
    assert "\\u0000" in shown
    assert "$x^2$" in shown  # as it is, not as a formula
    assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", shown)
    assert "<img" not in svg
    assert "(no name)" in texts(figure)
    for text in figure.texts:
        assert not text.get_parse_math()
        assert len(text.get_text()) < 80
        assert not text.get_usetex()


def test_hostile_columns_and_measures_do_no_harm(frames: Frames) -> None:
    for name in HOSTILE:
        if name != "\ud800":  # half a surrogate pair cannot be in a data frame
            frame = frames["by seat"].rename(columns={"seat": name}).assign(measure=name or "x", population=name)
            parsed(figure_svg(figures.rate_dots(frame)))
            parsed(figure_svg(figures.rates_along(frame)))
        labelled = figures.rate_dots(frames["by seat"], labels={"tichu.success_rate": name}, title=name)
        parsed(figure_svg(labelled))


def test_names_are_shortened_to_their_room() -> None:
    assert shortened("short", 100) == "short"
    for name in (*HOSTILE, "\u5927" * 100):
        label = shortened(cleaned(name), 100)
        assert text_width(label) <= 100
        assert len(label) <= 201
    assert cleaned("Z" + "\u0301" * 300) == "Z\u0301\u0301"


# The piece of SVG -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
def test_svg_for_a_page(frames: Frames, kind: str) -> None:
    figure = made(frames, kind)
    svg = figure_svg(figure, title="A & B", description="What <it> shows", id_prefix="calls-1")
    root = parsed(svg)
    assert svg.startswith("<svg ")
    assert root.get("role") == "img"
    assert root.get("viewBox", "").startswith(f"0 0 {WIDTH:g} ")
    assert root.get("width") is None
    found = {element.get("id"): element for element in root.iter() if element.get("id")}
    assert all(str(one).startswith("calls-1-") for one in found)
    assert found[root.get("aria-labelledby")].text == "A & B"
    assert found[root.get("aria-describedby")].text == "What <it> shows"
    assert len(found) == len([element for element in root.iter() if element.get("id")])
    references = re.findall(r'href="([^"]*)"|url\(([^)]*)\)', svg)
    for one in references:
        assert "".join(one).removeprefix("#") in found
    for forbidden in ("<?xml", "<!DOCTYPE", "<metadata", "<script", "style", "xlink", "<image", "matplotlib"):
        assert forbidden not in svg
    assert re.findall(r"https?://[^\"' ]+", svg) == ["http://www.w3.org/2000/svg"]
    assert len(svg) < 60_000
    assert {text.get_text() for text in figure.texts} <= {element.text for element in root.iter() if element.text}


@pytest.mark.parametrize("kind", KINDS)
def test_texts_can_be_read_on_a_phone(frames: Frames, kind: str) -> None:
    """A page of 390 pixels leaves 330 to a figure; nothing is smaller than 11 pixels there."""
    root = parsed(figure_svg(made(frames, kind)))
    sizes = [float(str(one.get("font-size"))) for one in root.iter() if one.tag.endswith("text")]
    assert min(sizes) * 330 / WIDTH >= 11


@pytest.mark.parametrize("kind", KINDS)
def test_svg_is_the_same_each_time(frames: Frames, kind: str) -> None:
    assert figure_svg(made(frames, kind)) == figure_svg(made(frames, kind))
    figure = made(frames, kind)
    assert figure_svg(figure) == figure_svg(figure)


def test_title_and_description_of_the_figure_itself(frames: Frames) -> None:
    figure = made(frames, "rates by seat", title="Calls that were made")
    root = parsed(figure_svg(figure))
    found = [element.text for element in root.iter() if element.tag.endswith(("title", "desc"))]
    assert found == ["Calls that were made", figure.description]
    highest = frames["by seat"]["estimate"].max()
    assert percent(highest) in figure.description


@pytest.mark.parametrize("prefix", ["", "1a", 'a"b', "a b", "a<"])
def test_prefixes_that_are_no_ids(frames: Frames, prefix: str) -> None:
    with pytest.raises(ValueError, match="cannot begin ids"):
        figure_svg(made(frames, "wishes"), id_prefix=prefix)


def test_figures_of_others_become_svg_as_well() -> None:
    from matplotlib.figure import Figure

    figure = Figure()
    axes = figure.add_subplot()
    axes.plot([1, 3], [2, 1])
    root = parsed(figure_svg(figure, "A line"))
    assert root[0].text == root[1].text == "A line"
    assert "style=" not in figure_svg(figure)


def test_settings_of_others_change_nothing_and_are_left_alone(frames: Frames) -> None:
    import matplotlib

    usual = figure_svg(made(frames, "strength"))
    with matplotlib.rc_context({"lines.linewidth": 9, "svg.fonttype": "path", "text.usetex": True, "font.size": 30}):
        before = dict(matplotlib.rcParams)
        assert figure_svg(made(frames, "strength")) == usual
        assert dict(matplotlib.rcParams) == before


def test_a_figure_shows_itself_in_a_notebook(frames: Frames) -> None:
    root = parsed(made(frames, "exchange")._repr_svg_())
    assert float(str(root.get("width"))) > WIDTH
    assert float(str(root.get("height"))) > 0


def test_neither_pyplot_nor_an_early_import_of_matplotlib() -> None:
    code = (
        "import sys; from tichu_analytics.report import figures, svg; assert 'matplotlib' not in sys.modules; "
        "import pandas; assert figures.rate_dots(pandas.DataFrame())._repr_svg_(); "
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=ROOT)


# Colours --------------------------------------------------------------------------------------------------------------


def test_contrasts() -> None:
    """WCAG 2: 4.5 for text, 3 for what is drawn; lines of the grid are to stay behind."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    for colour in (INK, MUTED, *(one.colour for one in SERIES)):
        assert contrast(colour, PAPER) >= 4.5, colour
    assert contrast(BANDS[0], PAPER) >= 3
    assert contrast(BANDS[0], BANDS[1]) >= 2.5
    assert contrast(BANDS[1], PAPER) >= 2.7  # each bar has its value in ink above it
    assert 1.1 < contrast(GRID, PAPER) < 1.6
    for step in range(101):
        cell = shade(step / 100)
        assert contrast(ink_on(cell), cell) >= 4.5, cell


def test_cells_are_darker_the_fuller_they_are() -> None:
    found = [contrast(shade(step / 50), PAPER) for step in range(51)]
    assert found == sorted(found)
    assert found[0] == 1
    assert shade(-1) == shade(0)
    assert shade(2) == shade(1)


def linear(colour: str) -> np.ndarray:
    values = np.array(channels(colour)) / 255
    return np.where(values <= 0.04045, values / 12.92, ((values + 0.055) / 1.055) ** 2.4)


#: Simulations of missing cones in linear RGB, at full severity (Machado, Oliveira and Fernandes, 2009).
BLINDNESS = {
    "none": np.eye(3),
    "protan": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deutan": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritan": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def lab(rgb: np.ndarray) -> np.ndarray:
    """CIE Lab of linear RGB, white point D65."""
    matrix = np.array(
        [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    )
    xyz = matrix @ np.clip(rgb, 0, 1) / np.array([0.95047, 1.0, 1.08883])
    root = np.where(xyz > (6 / 29) ** 3, np.cbrt(xyz), xyz / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * root[1] - 16, 500 * (root[0] - root[1]), 200 * (root[1] - root[2])])


@pytest.mark.parametrize("eyes", BLINDNESS)
def test_colour_blind_people_can_tell_series_apart(eyes: str) -> None:
    """Beside which the marks have different shapes."""
    seen = [lab(BLINDNESS[eyes] @ linear(one.colour)) for one in SERIES]
    for (first, one), (second, other) in itertools.combinations(enumerate(seen), 2):
        distance = float(np.linalg.norm(one - other))
        assert distance >= 24, (eyes, first, second, distance)  # 2.3 is just to be seen
    assert len({one.marker for one in SERIES}) == len(SERIES)


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
    scale = scale_of(values, most=5, **({"least": 0.0, "greatest": 1.0} if rates else {}))
    assert scale.low < scale.high
    assert all(scale.low - 1e-9 <= value <= scale.high + 1e-9 * abs(scale.high) for value in values)
    assert 2 <= len(scale.ticks) <= 5
    assert scale.low >= 0 or not rates
