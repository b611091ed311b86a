"""Other people's text on a terminal and in workflow commands."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tichu_analytics.view.escape import for_github, for_terminal

KEPT = [
    "",
    "Anouk",
    "Jürgen Łukasz",
    "Ἀλέξανδρος",
    "Вера",
    "محمد",
    "山田",
    "no\u00a0break",
    "a\u3000b",
    "e\u0301",
    "🀄",
    "C:\\x",
    "[red]",
]
SHOWN = {
    "\x1b[31mred": "\\u001b[31mred",
    "a\r\nb\tc": "a\\u000d\\u000ab\\u0009c",
    "\x00\x7f\x9b": "\\u0000\\u007f\\u009b",
    "\u202eabc\u202c": "\\u202eabc\\u202c",
    "\u2066x\u2069": "\\u2066x\\u2069",
    "a\u2028b\u2029c\u0085d": "a\\u2028b\\u2029c\\u0085d",
    "\u200e\u200b\ufeff\u00ad": "\\u200e\\u200b\\ufeff\\u00ad",
    "\udcff\ud800": "\\udcff\\ud800",
    "\U000e0041": "\\U000e0041",
}


@pytest.mark.parametrize("text", KEPT)
def test_text_that_can_be_read_stays(text: str) -> None:
    assert for_terminal(text) == text


@pytest.mark.parametrize("text", SHOWN)
def test_what_a_terminal_would_obey_or_hide_becomes_visible(text: str) -> None:
    assert for_terminal(text) == SHOWN[text]


@given(st.text(st.characters(codec=None)))
def test_nothing_unsafe_is_left_and_nothing_is_lost(text: str) -> None:
    shown = for_terminal(text)
    assert all(unicodedata.category(char)[0] != "C" and char not in "\u2028\u2029" for char in shown)
    assert len(shown.splitlines()) <= 1
    shown.encode()
    assert for_terminal(shown) == shown


def test_workflow_commands() -> None:
    assert for_github("100 % of a: b, c\r\nd") == "100 %25 of a: b, c%0D%0Ad"
    assert for_github("100 % of a: b, c\r\nd", is_property=True) == "100 %25 of a%3A b%2C c%0D%0Ad"
    assert for_github("\x1b\u202e") == "\\u001b\\u202e"


@given(st.text())
def test_workflow_commands_stay_on_their_line(text: str) -> None:
    for is_property in (False, True):
        written = for_github(text, is_property=is_property)
        assert len(written.splitlines()) <= 1
        assert not is_property or not set(":,") & set(written)
        decoded = written.replace("%3A", ":").replace("%2C", ",") if is_property else written
        decoded = decoded.replace("%0D", "\r").replace("%0A", "\n").replace("%25", "%")
        if text.replace("\n", "").replace("\r", "").isprintable():
            assert decoded == text


def test_an_empty_expectation_is_told_in_every_view() -> None:
    from tichu_analytics.replay.findings import Finding
    from tichu_analytics.view.fragments import findings_html
    from tichu_analytics.view.page_data import finding_data
    from tichu_analytics.view.sheet import Paper, finding_rows

    for expected, found in (("", "x"), ("x", ""), ("", "")):
        one = Finding("a.tch", "a", 1, 1, 0, "T101", "x", "error", "said", expected, found, None)
        words = (expected or "(nothing)", found or "(nothing)")
        assert finding_rows(one, Paper(None, "utf-8"))[1] == f"expected: {words[0]}; found: {words[1]}"
        assert all(f"<bdi>{word}</bdi>" in findings_html([one]) for word in words)
        data = finding_data(one)
        assert (data["expected"], data["found"]) == words
