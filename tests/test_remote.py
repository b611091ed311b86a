"""Inputs and data sets at URLs: an object store on this machine, and what there is when it does not answer."""

from __future__ import annotations

import pickle
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest

import tichu_analytics as ta
from tests.clusters import objects, store, system
from tests.exporting import PART, tichu, tree
from tichu_analytics.checking import check_paths
from tichu_analytics.formats import places, remote
from tichu_analytics.formats.pieces import Files, Ready, Run, pieces, read_piece
from tichu_analytics.formats.sources import Input, Trouble, read_inputs, read_spots
from tichu_analytics.jobs import checks
from tichu_analytics.simulate import simulate_games
from tichu_analytics.tables import store as stores
from tichu_analytics.tables.dataset import NoDataset
from tichu_analytics.tables.export import ExportRefused, export_inputs
from tichu_analytics.tables.files import CannotWrite
from tichu_analytics.tables.places import place

__all__ = ["store"]  # a fixture

pytest.importorskip("s3fs", reason="needs the extra [cluster]")

TABLES = ["games", "rounds", "moves"]


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with months, an archive, and names in an order that is easily got wrong."""
    folder = tmp_path_factory.mktemp("archive")
    texts = [game.text for game in simulate_games(16, 11)]
    names = [
        "200801/b.tch",
        "200801/a.tch",
        "200801.tch",
        "200801-x/c.tch",
        "Z.tch",
        "a.tch",
        "é[1]*?.tch",
        "readme.txt",
    ]
    for name, text in zip(names, texts, strict=False):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8", newline="\n")
    (folder / "empty.tch").touch()
    (folder / "bad.zip").write_bytes(b"PK\x03\x04 and no more")
    with zipfile.ZipFile(folder / "many.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        for number, text in enumerate(texts[8:]):
            packed.writestr(f"200902/{number}.tch", text)
    (folder / "large.tch").write_bytes(b"nothing of a game\n" * 100_000)
    return folder


@pytest.fixture(scope="module")
def logs_url(store: str, archive: Path) -> str:
    one = system()
    for path in archive.rglob("*"):
        if path.is_file():
            one.pipe_file(f"games/logs/{path.relative_to(archive)}", path.read_bytes())
    one.pipe_file("games/logs/", b"")  # some tools put such a mark where others have a folder
    return f"{store}/logs"


# Inputs


def test_a_folder_at_a_url_is_read_as_one_on_a_disk(archive: Path, logs_url: str) -> None:
    expected = list(read_inputs([str(archive)]))
    assert len(expected) == 18
    assert list(read_inputs([logs_url])) == list(read_inputs([f"{logs_url}/"])) == expected


@pytest.mark.parametrize("name", ["a.tch", "200801", "many.zip", "200801/a.tch", "é[1]*?.tch", "large.tch", "bad.zip"])
def test_a_name_at_a_url_is_read_as_one_on_a_disk(archive: Path, logs_url: str, name: str) -> None:
    there = [one._replace(path=one.path.replace(logs_url, str(archive))) for one in read_inputs([f"{logs_url}/{name}"])]
    assert there == list(read_inputs([str(archive / name)]))
    assert there


def test_checks_of_a_url(archive: Path, logs_url: str) -> None:
    assert list(check_paths([logs_url])) == list(check_paths([str(archive)]))
    assert [game.game_id for game in ta.read_games(f"{logs_url}/many.zip")] == list("01234567")


def test_a_large_archive_is_fetched_in_large_pieces(logs_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    import s3fs

    fetched = []
    real = s3fs.S3File._fetch_range

    def fetch(self, start: int, end: int) -> bytes:
        fetched.append((start, end))
        return real(self, start, end)

    monkeypatch.setattr(s3fs.S3File, "_fetch_range", fetch)
    monkeypatch.setattr(places, "_SMALL", 0)
    assert len(list(read_inputs([f"{logs_url}/many.zip"]))) == 8
    assert 0 < len(fetched) <= 4


def test_an_archive_is_cut_into_runs_that_anybody_reads(archive: Path, logs_url: str) -> None:
    """What is named of it is small, whatever it holds; those who read it fetch what they need."""
    path = f"{logs_url}/many.zip"
    cut = list(pieces([path], most=20_000))
    assert len(cut) >= 4 and {type(one) for one in cut} == {Run}
    assert max(len(pickle.dumps(one)) for one in cut) < 600
    whole = [one._replace(path=one.path.replace(logs_url, str(archive))) for one in read_inputs([path])]
    assert whole == list(read_inputs([str(archive / "many.zip")]))
    assert [one for piece in cut for _, one in read_piece(pickle.loads(pickle.dumps(piece)))] == list(
        read_inputs([path])
    )
    (small,) = pieces([f"{logs_url}/200801"])
    assert isinstance(small, Files) and [spot.place.shown for spot in small.spots] == ["a.tch", "b.tch"]


def test_small_files_are_fetched_together(logs_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    together = []
    real = remote.fetch

    def fetch(urls: Sequence[str], sizes: Sequence[int]) -> list[bytes | OSError]:
        together.append(len(urls))
        return real(urls, sizes)

    monkeypatch.setattr(places, "fetch", fetch)
    expected = list(read_inputs([logs_url]))
    # The empty file and the large one come by themselves.
    assert sum(together) == 9 and max(together) >= 4
    together.clear()
    monkeypatch.setattr(places, "_TOGETHER", 2)
    assert list(read_inputs([logs_url])) == expected
    assert max(together) == 2
    assert not places._fetched


def test_names_with_colons(store: str, archive: Path) -> None:
    """Two of them stand between the parts of a chain of URLs, but may as well stand in a name."""
    system().pipe_file("games/colons/a::b.tch", (archive / "a.tch").read_bytes())
    (one,) = read_inputs([f"{store}/colons"])
    (two,) = read_inputs([f"{store}/colons/a::b.tch"])
    (other,) = read_inputs([str(archive / "a.tch")])
    assert isinstance(one, Input) and isinstance(two, Input) and isinstance(other, Input)
    assert one.data == two.data == other.data
    assert one.path == "a::b.tch"


def test_a_check_by_processes(archive: Path, logs_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checks, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(checks, "WORTH_WHILE", 1)
    assert list(check_paths([logs_url], jobs=2)) == list(check_paths([str(archive)]))


def test_what_is_in_the_memory_of_this_process_is_read_by_it(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import fsspec

    monkeypatch.setattr(checks, "BATCH_BYTES", 20_000)
    monkeypatch.setattr(checks, "WORTH_WHILE", 1)
    for path in archive.rglob("*"):
        if path.is_file():
            fsspec.filesystem("memory").pipe_file(f"/logs/{path.relative_to(archive)}", path.read_bytes())
    assert {type(piece) for piece in pieces(["memory://logs"])} == {Ready}
    assert list(check_paths(["memory://logs"], jobs=2)) == list(check_paths([str(archive)]))


def test_file_urls(archive: Path) -> None:
    assert list(read_inputs([f"file://{archive}"])) == list(read_inputs([str(archive)]))


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("s3://no-such-bucket/logs", "bucket does not exist"),
        ("s3://no-such-bucket", "nothing of this name|does not exist"),
        ("s3://games/none", "nothing of this name"),
        ("s3://Bad_Bucket$/x", "invalid bucket name"),
        ("s3://", "."),
        ("strange://x/y", "protocol not known: strange"),
        ("gs://bucket/x", r"needs gcsfs, which is not installed: pip install gcsfs"),
        ("file:///no/such/folder", "no such file or directory"),
    ],
)
def test_what_cannot_be_read_is_told(store: str, path: str, said: str) -> None:
    import re

    (found,) = read_inputs([path])
    assert isinstance(found, Trouble)
    assert re.search(said, found.message, re.IGNORECASE), found.message
    assert "\n" not in found.message
    if "Bad_Bucket" in path:
        done = tichu("check", path)
        assert (done.returncode, done.stderr) == (2, f"tichu: {found.path}: {found.message}\n")


def test_a_prefix_without_logs(store: str) -> None:
    system().pipe_file("games/texts/readme.txt", b"nothing")
    (found,) = read_inputs(["s3://games/texts"])
    assert isinstance(found, Trouble) and "no name below ends in .tch" in found.message


def test_no_credentials_no_permission_no_network(
    store: str, logs_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import s3fs

    async def denied(self, *args, **more):
        raise PermissionError("Forbidden")

    with monkeypatch.context() as patch:
        patch.setattr(s3fs.S3FileSystem, "_call_s3", denied)
        assert list(read_inputs([logs_url])) == [Trouble(logs_url, "permission denied (Forbidden)")]
    with monkeypatch.context() as patch:
        patch.delenv("AWS_ACCESS_KEY_ID")
        patch.delenv("AWS_SECRET_ACCESS_KEY")
        patch.setenv("HOME", str(tmp_path))
        done = tichu("check", logs_url)
        assert done.returncode == 2
        assert done.stderr == f"tichu: {logs_url}: unable to locate credentials\n"
    with monkeypatch.context() as patch:
        patch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
        patch.setenv("AWS_MAX_ATTEMPTS", "1")
        done = tichu("check", logs_url)
        assert done.returncode == 2
        assert done.stderr.startswith(f"tichu: {logs_url}: could not connect to the endpoint")
        assert done.stderr.count("\n") == 1


def test_an_object_that_goes_away_meanwhile(logs_url: str, archive: Path) -> None:
    for name in ("large.tch", "a.tch"):
        troubles = []
        for number, one in enumerate(read_inputs([logs_url])):
            if number == 0:
                system().rm_file(f"games/logs/{name}")
            if isinstance(one, Trouble):
                troubles.append(one)
        system().pipe_file(f"games/logs/{name}", (archive / name).read_bytes())
        assert Trouble(name, "there is nothing of this name") in troubles or name == "a.tch"
        assert len(troubles) == (2 if name == "large.tch" else 1)  # one archive is damaged


def test_small_files_that_go_away_before_they_are_fetched(logs_url: str, archive: Path) -> None:
    spots = list(places.spots([logs_url]))
    system().rm_file("games/logs/a.tch")
    troubles = [one for _, one in read_spots(spots) if isinstance(one, Trouble)]
    system().pipe_file("games/logs/a.tch", (archive / "a.tch").read_bytes())
    assert [one.path for one in troubles] == ["a.tch", "bad.zip"]
    assert "does not exist" in troubles[0].message


# Data sets


@pytest.fixture(scope="module")
def local(archive: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("local") / "data"
    export_inputs([str(archive)], out, part_bytes=PART, tables=TABLES)
    return tree(out)


def with_paths(files: dict[str, bytes], old: object, new: object) -> dict[str, bytes]:
    """The files of the same export under other paths, which the manifest tells."""
    return files | {"_dataset.json": files["_dataset.json"].replace(str(old).encode(), str(new).encode())}


@pytest.mark.parametrize("jobs", [1, 2])
def test_an_export_to_a_url_writes_the_same_bytes(
    archive: Path, logs_url: str, store: str, local: dict[str, bytes], jobs: int
) -> None:
    out = f"{store}/same{jobs}"
    done = export_inputs([str(archive)], out, part_bytes=PART, tables=TABLES, jobs=jobs)
    assert objects(out) == local
    assert done.parts_made > 3
    again = export_inputs([str(archive)], out, part_bytes=PART, tables=TABLES, jobs=jobs)
    assert (again.parts_made, again.parts_kept) == (0, done.parts_made)
    from_url = f"{store}/from{jobs}"
    export_inputs([logs_url], from_url, part_bytes=PART, tables=TABLES, jobs=jobs)
    assert objects(from_url) == with_paths(local, archive, logs_url)


class StopHere(Exception):
    pass


def test_an_interrupted_export_goes_on(
    archive: Path, store: str, local: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = f"{store}/resumed"
    noted = []
    real = stores.Store.note

    def note(self: stores.Store, info: dict) -> None:
        real(self, info)
        noted.append(info["key"])
        if len(noted) == 3:
            raise StopHere

    with monkeypatch.context() as patch:
        patch.setattr(stores.Store, "note", note)
        with pytest.raises(StopHere):
            export_inputs([str(archive)], out, part_bytes=PART, tables=TABLES)
    assert "_dataset.json" not in objects(out) and "_unfinished/export.json" in objects(out)
    with pytest.raises(NoDataset, match="was not finished"):
        ta.Dataset(out)
    done = export_inputs([str(archive)], out, part_bytes=PART, tables=TABLES)
    assert done.parts_kept == 3 and done.parts_made > 0
    assert objects(out) == local


def test_new_logs_give_files_other_names(store: str, tmp_path: Path) -> None:
    """A file that gets another name is copied first; whenever that is interrupted, no row is there twice in the end."""
    texts = [game.text for game in simulate_games(3, 12)]
    for number, text in enumerate(texts[1:], 1):
        (tmp_path / f"20080{number}").mkdir()
        (tmp_path / f"20080{number}" / f"{number}.tch").write_text(text, newline="\n")
    out = f"{store}/renamed"
    export_inputs([str(tmp_path)], out, tables=TABLES)
    before = objects(out)
    (tmp_path / "200712").mkdir()
    (tmp_path / "200712" / "0.tch").write_text(texts[0], newline="\n")
    one = system()
    for name in before:
        if name.startswith("moves/000000"):
            one.copy(f"games/renamed/{name}", f"games/renamed/{name.replace('000000', '000001')}")
    done = export_inputs([str(tmp_path)], out, tables=TABLES)
    assert (done.parts_made, done.parts_kept) == (1, 2)
    export_inputs([str(tmp_path)], tmp_path / "data", tables=TABLES)
    assert objects(out) == tree(tmp_path / "data")


def test_questions_to_a_data_set_at_a_url(archive: Path, store: str, tmp_path: Path) -> None:
    out = f"{store}/asked"
    data = ta.export(str(archive / "many.zip"), out)
    here = ta.export(str(archive / "many.zip"), tmp_path / "data")
    question = "select call, count(*) as n from hands group by call order by call"
    assert data.sql(question).to_arrow() == here.sql(question).to_arrow()
    assert data.moves.to_arrow() == here.moves.to_arrow()
    assert data.validate() == []
    with data.connect() as connection:
        assert connection.execute("select count(*) from moves").fetchall() == [(len(here.moves),)]
    assert repr(data).startswith("Dataset('s3://games/asked'")
    done = tichu("query", out, question, "--format", "csv")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == tichu("query", tmp_path / "data", question, "--format", "csv").stdout
    name = data.files("moves")[0]
    system().pipe_file(str(name)[5:], b"short")
    with pytest.raises(NoDataset, match=r"has 5 bytes instead of"):
        ta.Dataset(out)
    system().rm_file(str(name)[5:])
    with pytest.raises(NoDataset, match="is missing"):
        ta.Dataset(out)


@pytest.mark.parametrize(
    ("out", "said"),
    [
        ("s3://no-such-bucket/data", "bucket does not exist"),
        ("s3://Bad_Bucket$/data", "nvalid bucket name"),
        ("strange://x/data", "protocol not known"),
        ("s3://", "names nothing"),
    ],
)
def test_a_place_that_cannot_be_written_to(archive: Path, store: str, out: str, said: str) -> None:
    with pytest.raises((CannotWrite, ValueError), match=said) as caught:
        export_inputs([str(archive / "a.tch")], out)
    with pytest.raises(ValueError):
        ta.Dataset(out)
    if "no-such" in out:
        done = tichu("export", archive / "a.tch", "--out", out)
        assert (done.returncode, done.stdout, done.stderr) == (2, "", f"tichu: {caught.value}\n")
        done = tichu("query", out, "select 1")
        assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert [bucket for bucket in system().ls("") if bucket != "games"] == []


def test_what_is_no_data_set(store: str, archive: Path) -> None:
    with pytest.raises(NoDataset, match="there is no such folder"):
        ta.Dataset(f"{store}/nothing-there")
    one = system()
    one.pipe_file("games/foreign/moves/mine.txt", b"mine")
    with pytest.raises(ExportRefused, match="files that no export has made"):
        export_inputs([str(archive / "a.tch")], f"{store}/foreign")
    assert objects(f"{store}/foreign") == {"moves/mine.txt": b"mine"}


def test_a_place_in_memory(archive: Path, tmp_path: Path) -> None:
    data = ta.export([archive / "a.tch"], "memory://data", jobs=2)
    here = ta.export([archive / "a.tch"], tmp_path / "data")
    assert data.moves.to_arrow() == here.moves.to_arrow()
    assert data.info == here.info
    with pytest.raises(ExportRefused, match="memory of this process"):
        export_inputs([str(archive / "a.tch")], "memory://data", scheduler="127.0.0.1:9")


def test_a_file_url_is_a_folder_of_this_machine(tmp_path: Path) -> None:
    assert place(f"file://{tmp_path}/data") == tmp_path / "data"
    assert str(place("s3://games/data/")) == "s3://games/data"
