"""What a further format takes: it is read, checked, exported and converted as those that come along."""

from __future__ import annotations

import base64
import gzip
import json
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.test_formats import write
from tichu_analytics.checking import CheckedGame, check_paths
from tichu_analytics.converting import NotConverted, convert_game
from tichu_analytics.formats import bsw, registry
from tichu_analytics.formats.registry import read_input
from tichu_analytics.formats.sources import Input, log_endings
from tichu_analytics.record import Game


class Wrapped:
    """A made-up format: logs in base64, one on each line."""

    name = "wrapped"
    title = "wrapped log"
    endings: tuple[str, ...] = (".wrapped",)
    has_ids = False

    def recognises(self, start: bytes) -> bool:
        return start.startswith(base64.b64encode(b"-" * 12))

    def many(self, name: str, start: bytes) -> bool:
        return True

    def game_id(self, data: bytes) -> str | None:
        raise AssertionError("its records have none")

    def read_game(self, data: bytes, path: str, game_id: str, month: str | None, line: int) -> Game:
        try:
            log = base64.b64decode(data)
        except ValueError:
            log = b""
        return bsw.read_game(log, path, game_id, month)._replace(format=self.name)


@pytest.fixture
def wrapped() -> Iterator[None]:
    registry.register(Wrapped())
    yield
    registry.unregister("wrapped")


@pytest.mark.usefixtures("wrapped")
def test_a_further_format_is_read_everywhere(tmp_path: Path, root: Path) -> None:
    logs = sorted((root / "sample_logs" / "faulty").glob("*.tch"))
    lines = b"\n".join(base64.b64encode(path.read_bytes()) for path in logs)
    write(tmp_path / "in" / "all.wrapped.gz", gzip.compress(lines))
    write(tmp_path / "in" / "other.txt", b"passed over")
    (tmp_path / "zip").mkdir()
    with zipfile.ZipFile(tmp_path / "zip" / "all.zip", "w") as file:
        file.writestr("201402/all.wrapped", lines)
    wanted = [[one._replace(path="", game_id="") for one in ta.check(path)] for path in logs]
    for place in (tmp_path / "in", tmp_path / "zip", write(tmp_path / "by its content", lines)):
        games = list(check_paths([str(place)], "bsw"))
        assert [game.game_id.rpartition("-")[2] for game in games if isinstance(game, CheckedGame)] == [
            str(line) for line in range(1, len(logs) + 1)
        ]
        found = [
            [one._replace(path="", game_id="") for one in game.findings]
            for game in games
            if isinstance(game, CheckedGame)
        ]
        assert found == wanted
    data = ta.export(tmp_path / "in", tmp_path / "out", rules="bsw")
    assert data.games.to_pandas()["game_id"].tolist() == [f"all-{line}" for line in range(1, len(logs) + 1)]
    both = list(check_paths([str(tmp_path / "in"), str(tmp_path / "zip")], "bsw"))
    assert len([one for one in both if isinstance(one, CheckedGame)]) == len(logs)


@pytest.mark.usefixtures("wrapped")
def test_a_further_format_is_converted(root: Path) -> None:
    log = (root / "sample_logs" / "1001.tch").read_bytes()
    one = Input("x.wrapped", "1001", base64.b64encode(log), None, "wrapped")
    record = convert_game(one, "tgr.json")
    assert json.loads(record.data)["id"] == "1001"
    assert convert_game(one._replace(data=record.data, format="tgr"), "tch").data == log
    assert convert_game(one, "tch").data == log
    odd = (root / "sample_logs" / "faulty" / "unknown_line.tch").read_bytes()
    with pytest.raises(NotConverted, match=r"^line 135: the line is none of a BrettspielWelt log$"):
        convert_game(one._replace(data=base64.b64encode(odd)), "tgr.json")


@pytest.mark.usefixtures("wrapped")
def test_the_list_of_formats(tmp_path: Path) -> None:
    assert [one.name for one in registry.formats()] == ["bsw", "tgr", "wrapped"]
    assert log_endings() == (".tch", ".tgr.json", ".tgr.jsonl", ".wrapped", ".zip", ".gz", ".zst")
    for name, endings in (("wrapped", (".x",)), ("new", (".x", ".tch"))):
        form = Wrapped()
        form.name, form.endings = name, endings
        with pytest.raises(ValueError, match="is taken"):
            registry.register(form)
    registry.unregister("wrapped")
    assert log_endings() == (".tch", ".tgr.json", ".tgr.jsonl", ".zip", ".gz", ".zst")
    with pytest.raises(LookupError, match="no format 'wrapped'; the formats are bsw, tgr"):
        read_input(Input("x", "x", b"", None, "wrapped"))


def test_short_cuts_are_for_the_two_formats_alone() -> None:
    """They are named: a third one in the list itself puts them aside just as one that has been registered."""
    assert registry._OWN == ("bsw", "tgr")
    assert registry.is_alone()
    registry.register(Wrapped())
    try:
        assert not registry.is_alone()
    finally:
        registry.unregister("wrapped")
    assert registry.is_alone()
