"""Figures in a page: hostile names, the piece of SVG, and colours that everybody can see."""

from __future__ import annotations

import itertools
import re
import subprocess
import sys
import warnings
from base64 import b64decode
from collections.abc import Callable
from html.parser import HTMLParser
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from tests.conftest import ROOT
from tests.drawing import HOSTILE, KINDS, Frames, made, parsed, sample_frames, texts
from tests.test_notebook import words
from tichu_analytics.report import figures
from tichu_analytics.report.canvas import WIDTH, ReportFigure, shortened, text_width
from tichu_analytics.report.labels import cleaned, percent, value_label
from tichu_analytics.report.palette import BANDS, GRID, INK, MUTED, PAPER, SERIES, channels, contrast, ink_on, shade
from tichu_analytics.report.svg import figure_svg


@pytest.fixture(scope="module")
def frames(tmp_path_factory: pytest.TempPathFactory) -> Frames:
    return sample_frames(tmp_path_factory.mktemp("figures"))


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
        figure.savefig(BytesIO(), format="png")
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


def test_yes_and_no_words() -> None:
    assert [value_label("from_pair", one) for one in (True, False)] == ["from a pair", "not from a pair"]
    assert [value_label("opponent_bomb", one) for one in (True, False)] == ["opponent bomb", "no opponent bomb"]


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
    paper = [one for one in root.iter() if one.get("class") == "paper"]
    assert [(one.tag.rpartition("}")[2], one.get("fill")) for one in paper] == [("path", PAPER)]
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


# In a notebook --------------------------------------------------------------------------------------------------------


class Images(HTMLParser):
    """The attributes of the images of a piece of HTML, in which there is nothing else."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "img"
        self.found.append(dict(attrs))

    def handle_data(self, data: str) -> None:
        raise AssertionError(data)


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_an_image_with_words(frames: Frames, kind: str) -> None:
    figure = made(frames, kind, title="Calls & bombs")
    (image,) = Images(figure._repr_html_()).found
    held = str(image["src"]).removeprefix("data:image/svg+xml;base64,")
    assert b64decode(held, validate=True).decode() == figure._repr_svg_()
    assert "max-width: 100%" in str(image["style"]) and "height" not in image
    assert image["alt"] == words(figure) == f"Calls & bombs. {figure.description}"
    assert figure._repr_html_() == figure._repr_html_()


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_words_stay_words(name: str) -> None:
    figure = figures.rate_dots(pd.DataFrame(), title=name)
    (image,) = Images(figure._repr_html_()).found
    assert set(image) == {"class", "src", "alt", "width", "style"}
    assert image["alt"] == words(figure)
    assert not re.search("[\x00-\x1f\u202a-\u202e\u2066-\u2069\ud800-\udfff]", str(image["alt"]))


def test_a_figure_without_words() -> None:
    assert words(ReportFigure(10, 10)) == "Figure"
    assert words(ReportFigure(10, 10, "Who calls?", "Dots.")) == "Who calls? Dots."


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
