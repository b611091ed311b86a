"""The page about adding a format: its example reads a game, and never raises."""

from __future__ import annotations

import contextlib
import gzip
import io
import random
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.pages import FORMATS, HEADING, SMALL, WHOLE, code, fences, section, shell, shell_code, tables
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.formats import registry, tgr
from tichu_analytics.record import EventKind, Result, Round
from tichu_analytics.record.model import NO_SEAT
from tichu_analytics.record.notation import CARD_CODES
from tichu_analytics.replay.codes import BY_NAME
from tichu_analytics.replay.game import replay

# The example format ---------------------------------------------------------------------------------------------------

(EVENING,) = fences(FORMATS, "text evening.mini")
READER, USE = fences(FORMATS, "python")


@pytest.fixture
def evening(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder with the game, after the example has been run there; its format is gone afterwards."""
    before, endings = registry.formats(), registry.endings()
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "evening.mini"
    path.write_text(EVENING, encoding="utf-8")
    out = io.StringIO()
    try:
        with contextlib.redirect_stdout(out):
            exec(compile(READER, "docs/formats.md", "exec"), {})
        assert f"  # {out.getvalue()}" in READER
        yield path
    finally:
        registry.unregister("mini")
        assert registry.formats() == before
        assert registry.endings() == endings


def checked(path: Path | str) -> CheckedGame:
    (one,) = check_paths([str(path)])
    assert isinstance(one, CheckedGame), one
    return one


def test_the_example_reads_the_game(evening: Path) -> None:
    game = registry.by_name("mini").read_game(evening.read_bytes(), "evening.mini", "evening", None, 1)
    found = replay(game)
    assert (found.rules, found.totals, found.findings) == ("official", (200, 0), ())
    # It is the same game as the smallest record.
    other = replay(tgr.loads(SMALL))
    assert [one.score for one in found.rounds] == [one.score for one in other.rounds]
    assert [one.held for one in found.rounds] == [one.held for one in other.rounds]
    assert [[trick.cards for trick in one.tricks] for one in found.rounds] == [
        [trick.cards for trick in one.tricks] for one in other.rounds
    ]


def test_the_example_in_python(evening: Path, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(USE, "docs/formats.md", "exec"), {})
    lines = capsys.readouterr().out.splitlines()
    assert f"  # {lines[0]}\n" in USE
    assert lines[1].endswith(" 9")
    assert replay(tgr.loads(Path("evening.tgr.json").read_text(encoding="utf-8"))).totals == (200, 0)
    assert "0 findings in 1 game" in shell("check", "evening.tgr.json")
    exit_code, said_of_mini = shell_code("check", "evening.mini")
    assert exit_code == 1 and "T001" in said_of_mini


def test_what_goes_where() -> None:
    """The table about records names what there is, and says of it what a record in order shows."""
    (rows,) = [table for table in tables(section("Adding a format", FORMATS)) if table[0][0] == "in the file"]
    text = "\n".join(row[1] for row in rows)
    kinds = {name for name in vars(EventKind) if name.isupper()}
    assert {*re.findall(r"EventKind\.(\w+)", text)} == kinds
    for name in re.findall(r"`Round\.(\w+)`", text):
        assert name in Round._fields
    assert {"first8", "dealt", "gifts", "calls", "bomb_line", "result"} <= {*re.findall(r"`Round\.(\w+)`", text)}
    assert {*Result._fields} == {"line", "score_0", "score_1", "text"}
    one = tgr.loads(WHOLE).rounds[0]
    by_kind = {event.kind: event for event in reversed(one.events)}
    assert (by_kind[EventKind.WISH].seat, by_kind[EventKind.WISH].value) == (NO_SEAT, 10)
    assert by_kind[EventKind.GIFT].seat == 1
    assert by_kind[EventKind.PLAY].value == 3
    assert (one.calls[0].exchange_begun, one.calls[0].seen) == (False, 0)
    assert one.result is not None and (one.result.score_0, one.result.score_1) == (195, -95)
    assert [CARD_CODES[card] for card in one.dealt[0].cards[:2]] == ["RK", "GK"]  # type: ignore[union-attr]


def test_the_example_is_found_by_content_and_by_name(evening: Path, tmp_path: Path) -> None:
    data = evening.read_bytes()
    (tmp_path / "game.txt").write_bytes(data)
    assert checked(tmp_path / "game.txt").findings == []
    folder = tmp_path / "201905"
    folder.mkdir()
    (folder / "a.mini").write_bytes(data)
    (folder / "b.mini.gz").write_bytes(gzip.compress(data + b"\n"))
    (folder / "c.txt").write_bytes(data)
    found = [one for one in check_paths([str(folder)]) if isinstance(one, CheckedGame)]
    assert [(one.game_id, one.rounds, one.findings) for one in found] == [("a", 1, []), ("b", 1, [])]
    (tmp_path / "odd.mini").write_bytes(b"what is this?\n")
    assert [finding.message for finding in checked(tmp_path / "odd.mini").findings] == ["there is no round"]


def test_without_the_example_its_format_is_not_known(tmp_path: Path) -> None:
    path = tmp_path / "evening.mini"
    path.write_text(EVENING, encoding="utf-8")
    assert checked(path).rounds == 0
    with pytest.raises(LookupError):
        registry.by_name("mini")


def test_the_example_finds_what_is_wrong(evening: Path) -> None:
    lines = EVENING.splitlines()

    def with_line(number: int, *texts: str) -> list[tuple[int, str]]:
        changed = [*lines[: number - 1], *texts, *lines[number:]]
        evening.write_text("\n".join(changed) + "\n", encoding="utf-8")
        return [(finding.line, finding.name) for finding in checked(evening).findings]

    numbers = {start: number for number, line in reversed([*enumerate(lines, 1)]) for start in (line[:7], line[:8])}
    hand, play = numbers["dealt 2"], numbers["plays 0"]
    assert with_line(hand, lines[hand - 1] + " S5") == [(hand, "unknown-line")]
    assert with_line(hand, lines[hand - 1].replace("RQ", "RX")) == [(hand, "unknown-line")]
    assert with_line(hand) == [(play - 1, "part-missing")]
    assert with_line(hand, lines[hand - 1].replace("RQ", "SA")) != []
    assert with_line(play, "leads 0") == [(play, "unknown-line")]
    assert with_line(numbers["passes 1"], "passes 4") == [(numbers["passes 1"], "unknown-line")]
    assert with_line(numbers["passes 1"]) != []
    assert with_line(len(lines)) == [(len(lines) - 1, "truncated")]


def test_the_example_never_raises(evening: Path) -> None:
    one = registry.by_name("mini")
    good = evening.read_bytes()
    rng = random.Random(7)
    for _ in range(300):
        data = bytearray(good)
        at = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at : at + rng.randrange(200)]
        elif kind == 2:
            data[at:at] = rng.choice((b"\n", b" ", b"\0", b"round\n", b"\xff", b"9" * 5000, b"passes\n"))
        else:
            rows = bytes(data).split(b"\n")
            rng.shuffle(rows)
            data = bytearray(b"\n".join(rows))
        replay(one.read_game(bytes(data), "x", "x", None, 1))
    for data in (bytearray(), bytearray(rng.randbytes(500)), bytearray(b"MINI 1\nround")):
        replay(one.read_game(bytes(data), "x", "x", None, 1))


def test_the_page_on_formats_names_what_there_is() -> None:
    (rows, *_) = tables(section("Which formats there are", FORMATS))
    assert [code(row[0]) for row in rows[1:]] == [one.name for one in registry.formats()]
    for row, one in zip(rows[1:], registry.formats(), strict=True):
        assert re.findall(r"`(\.[\w.]+)`", row[2]) == [*one.endings]
    words = re.findall(r"`([a-z]+-[a-z-]+)`", section("Adding a format", FORMATS))
    assert words and all(word in BY_NAME for word in words)


@pytest.mark.parametrize("page", ["tgr.md", "formats.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    links = re.findall(r"\]\(([^)]+)\)", text)
    assert links
    for link in links:
        if link.startswith("https://"):
            continue
        name, _, anchor = link.partition("#")
        target = (ROOT / "docs" / name).resolve() if name else ROOT / "docs" / page
        assert target.is_file(), link
        if anchor:
            titles = HEADING.findall(target.read_text(encoding="utf-8"))
            assert anchor in [re.sub(r"[^\w -]", "", title).lower().replace(" ", "-") for title in titles], link
