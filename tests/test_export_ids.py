"""Exports of logs with the same id, in any order."""

from __future__ import annotations

import itertools
import zipfile
from hashlib import sha256
from pathlib import Path

import tichu_analytics as ta
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables.export import export_inputs
from tichu_analytics.tables.plan import make_plan, sources

# Ids that stand several times


def contents(seed: int) -> bytes:
    return next(iter(simulate_games(1, seed))).text.encode()


def short(content: bytes) -> str:
    return sha256(content).hexdigest()[:8]


def exported_ids(paths: list[Path], out: Path) -> list[str]:
    data = ta.export(paths, out)
    ids = data.games.to_pandas()["game_id"].tolist()
    for name in ("rounds", "hands", "moves"):
        assert data.table(name).to_pandas()["game_id"].drop_duplicates().tolist() == ids
    return ids


def test_colliding_ids_in_any_order(tmp_path: Path):
    """The same id with the same content is read once; with other content all of them get a longer one."""
    one, two, three = contents(1), contents(2), contents(3)
    for folder, name, content in (
        ("a", "17.tch", one),
        ("b", "17.tch", two),
        ("c", "17.tch", one),
        ("d", "17.tch", three),
        ("e", "18.tch", three),
    ):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_bytes(content)
    new = {"a": f"17~{short(one)}", "b": f"17~{short(two)}", "d": f"17~{short(three)}", "e": "18"}
    for turn, order in enumerate(itertools.permutations("abcde")):
        if turn % 7:
            continue
        paths = [tmp_path / name for name in order]
        wanted = [new[name] for name in ["a" if name == "c" else name for name in order]]
        assert exported_ids(paths, tmp_path / f"out{turn}") == list(dict.fromkeys(wanted))


def test_the_same_log_twice_is_one_game(tmp_path: Path):
    (tmp_path / "17.tch").write_bytes(contents(1))
    with zipfile.ZipFile(tmp_path / "all.zip", "w") as archive:
        archive.writestr("201402/17.tch", contents(1))
    done = export_inputs([str(tmp_path / "17.tch"), str(tmp_path / "all.zip")], tmp_path / "out")
    data = ta.Dataset(tmp_path / "out")
    assert data.games.to_pandas()["game_id"].tolist() == ["17"]
    assert data.info["inputs"]["logs"] == 2 and data.info["inputs"]["read_once"] == 1
    (same,) = done.same
    assert (same.game_id, same.logs, same.ids) == ("17", 2, ())
    assert same.paths == (str(tmp_path / "17.tch"), f"{tmp_path / 'all.zip'}!/201402/17.tch")


def test_an_id_that_is_just_what_another_log_would_get(tmp_path: Path):
    """A file may be called 17~12345678 itself; ids stay different, whatever the order."""
    one, two, three = contents(1), contents(2), contents(3)
    names = {"17.tch": one, "x/17.tch": two, f"y/17~{short(one)}.tch": three, f"z/17~{short(two)}.tch": two}
    for name, content in names.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    seen = set()
    for turn, order in enumerate(itertools.permutations(names)):
        ids = exported_ids([tmp_path / name for name in order], tmp_path / f"out{turn}")
        assert len(set(ids)) == len(ids) == 3
        seen.add(frozenset(ids))
    assert seen == {frozenset({f"17~{short(one)}", f"17~{short(two)}", f"17~{short(one)}~{short(three)}"})}


def test_contents_with_the_same_beginning_of_their_hash(tmp_path: Path, monkeypatch):
    """Eight hex digits can be made to be the same; then all 64 are taken."""

    class Weak:
        def __init__(self, data: bytes = b"") -> None:
            self.real = sha256(data)

        def update(self, data: bytes) -> None:
            self.real.update(data)

        def digest(self) -> bytes:
            return b"same" + self.real.digest()[4:]

        def hexdigest(self) -> str:
            return self.digest().hex()

    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "17.tch").write_bytes(contents(ord(name)))
    monkeypatch.setattr("hashlib.sha256", Weak)
    plan = make_plan(sources([str(tmp_path / "a"), str(tmp_path / "b")]), "")
    ids = [str(new) for new in plan.new_ids.values()]
    assert len(set(ids)) == 2 and all(len(name) == 3 + 64 for name in ids)
