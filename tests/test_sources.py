"""Reading of inputs: everything that a path can name, whole or damaged, and archives made to do harm."""

from __future__ import annotations

import gzip
import io
import os
import struct
import sys
import threading
import tracemalloc
import zipfile
import zlib
from pathlib import Path
from types import SimpleNamespace

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tichu_analytics.formats.sources import DEFAULT, Input, Limits, Trouble, read_inputs

LOG = b"---------------Gr.Tichukarten------------------\n(0)Anouk Ma Hu Ph Dr S2 S3 S4 S5\n" * 20
SMALL = Limits(log_bytes=200_000, ratio=200, ratio_free_bytes=10_000, archive_bytes=1_000_000, archive_members=100)


def make_zip(members: dict[str, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return out.getvalue()


def read(*paths: Path | str, limits: Limits = DEFAULT) -> list[Input | Trouble]:
    return list(read_inputs(map(str, paths), limits))


def one(path: Path | str, limits: Limits = DEFAULT) -> Input | Trouble:
    (result,) = read(path, limits=limits)
    return result


def message(path: Path | str, limits: Limits = DEFAULT) -> str:
    result = one(path, limits)
    assert isinstance(result, Trouble), result
    return result.message


def paths_of(results: list[Input | Trouble]) -> list[str]:
    assert all(isinstance(result, Input) for result in results), results
    return [result.path for result in results]


def write(path: Path, data: bytes) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def feed_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))


# ---------------------------------------------------------------- files and folders


def test_a_file_named_directly_is_read_whatever_its_name(tmp_path: Path) -> None:
    for name, game_id in (
        ("7.tch", "7"),
        ("notes.txt", "notes.txt"),
        ("x.tgr.json", "x"),
        ("y.TCH", "y"),
        (".tch", ".tch"),
    ):
        path = write(tmp_path / name, LOG)
        assert one(path) == Input(str(path), game_id, LOG, None)


def test_the_path_is_given_back_as_it_was_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "201402" / "1.tch", LOG)
    monkeypatch.chdir(tmp_path)
    assert one("./201402/../201402/1.tch").path == "./201402/../201402/1.tch"


def test_the_month_is_the_innermost_folder_of_such_a_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path / "201402" / "201403" / "deep" / "1.tch", LOG)
    write(tmp_path / "201413" / "2.tch", LOG)
    (first, second) = read(tmp_path)
    assert isinstance(first, Input) and first.month == "201403"
    assert isinstance(second, Input) and second.month is None
    monkeypatch.chdir(tmp_path / "201402" / "201403" / "deep")
    result = one(".")
    assert isinstance(result, Input) and result.month == "201403"


def test_a_folder_is_searched_through_in_the_order_of_names(tmp_path: Path) -> None:
    names = ("b.tch", "a/2.tch", "a/10.tch", "a.tch", "c/d/e.tgr.jsonl", "c/x.tgr.json", "Z.TCH")
    for name in (*names, "read.me", "a/x.json", "a/x.txt", "tch", "a/._2.tch", "__MACOSX/q.tch"):
        write(tmp_path / name, LOG)
    found = paths_of(read(tmp_path))
    assert found == ["Z.TCH", "a/10.tch", "a/2.tch", "a.tch", "b.tch", "c/d/e.tgr.jsonl", "c/x.tgr.json"]
    assert sorted(found) == sorted(names)


def test_archives_and_compressed_files_in_a_folder(tmp_path: Path) -> None:
    write(tmp_path / "in" / "a.zip", make_zip({"201402/1.tch": LOG, "readme.txt": b"x"}))
    write(tmp_path / "in" / "b.tch.gz", gzip.compress(LOG))
    write(tmp_path / "in" / "c.tch.zst", zstandard.compress(LOG))
    assert read(tmp_path) == [
        Input("in/a.zip!/201402/1.tch", "1", LOG, "201402"),
        Input("in/b.tch.gz", "b", LOG, None),
        Input("in/c.tch.zst", "c", LOG, None),
    ]


def test_links_are_followed_and_circles_end(tmp_path: Path) -> None:
    write(tmp_path / "logs" / "1.tch", LOG)
    (tmp_path / "logs" / "again").symlink_to(tmp_path / "logs")
    (tmp_path / "logs" / "self").symlink_to("self")
    (tmp_path / "logs" / "zz").symlink_to(write(tmp_path / "other" / "2.tch", LOG).parent)
    assert paths_of(read(tmp_path / "logs")) == ["1.tch", "zz/2.tch"]


def test_a_log_that_is_a_link_to_nothing_is_told(tmp_path: Path) -> None:
    write(tmp_path / "1.tch", LOG)
    (tmp_path / "2.tch").symlink_to("gone")
    (tmp_path / "3").symlink_to("gone")
    assert read(tmp_path)[1:] == [Trouble("2.tch", "no such file or directory")]


def test_missing_and_empty_places(tmp_path: Path) -> None:
    assert message(tmp_path / "no.tch") == "no such file or directory"
    assert "null" in message("a\0b")
    write(tmp_path / "sub" / "x.txt", b"")
    assert "has no logs" in message(tmp_path)
    assert "has no logs" in message(write(tmp_path / "e.zip", make_zip({"x.txt": b""})))
    assert one(write(tmp_path / "e.tch", b"")) == Input(str(tmp_path / "e.tch"), "e", b"", None)


def test_the_others_are_read_although_one_is_missing(tmp_path: Path) -> None:
    good = write(tmp_path / "1.tch", LOG)
    results = read(good, tmp_path / "gone", good)
    assert [type(result) for result in results] == [Input, Trouble, Input]


def test_what_the_system_does_not_give(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a" / "1.tch", LOG)
    write(tmp_path / "b" / "2.tch", LOG)

    listed = os.listdir

    def refuse(name: str) -> list[str]:
        if str(name).endswith("a"):
            raise PermissionError(13, "Permission denied")
        return listed(name)

    import tichu_analytics.formats.walk as module

    fake_os = SimpleNamespace(**{name: getattr(os, name) for name in dir(os)})
    fake_os.listdir = refuse
    monkeypatch.setattr(module, "os", fake_os)
    assert read(tmp_path) == [Trouble("a", "permission denied"), Input("b/2.tch", "2", LOG, None)]
    monkeypatch.undo()

    def no_open(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", no_open)
    results = read(path)
    monkeypatch.undo()
    assert results == [Trouble(str(path), "permission denied")]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.tch")
    results: list[str] = []
    worker = threading.Thread(target=lambda: results.append(message(tmp_path / "pipe.tch")), daemon=True)
    worker.start()
    worker.join(10)
    assert results and "no regular file" in results[0]
    assert read(tmp_path) == [Trouble("pipe.tch", results[0])]
    assert "no regular file" in message(os.devnull)


def test_names_that_are_no_text(tmp_path: Path) -> None:
    try:
        (tmp_path / os.fsdecode(b"caf\xe9.tch")).write_bytes(LOG)
    except OSError:
        pytest.skip("this file system takes only names that are text")
    assert one(tmp_path) == Input("caf\\xe9.tch", "caf\\xe9", LOG, None)
    assert isinstance(one("\ud800.tch"), Trouble)


def test_a_file_that_is_too_long(tmp_path: Path) -> None:
    path = write(tmp_path / "long.tch", b"x" * (SMALL.log_bytes + 1))
    assert "more than 200000 bytes" in message(path, SMALL)
    assert isinstance(one(write(path, b"x" * SMALL.log_bytes), SMALL), Input)


# ---------------------------------------------------------------- standard input


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for data in (LOG, gzip.compress(LOG), zstandard.compress(LOG)):
        feed_stdin(monkeypatch, data)
        assert read("-") == [Input("-", "stdin", LOG, None)]
    feed_stdin(monkeypatch, make_zip({"201402/1.tch": LOG}))
    assert read("-", "-") == [Input("-!/201402/1.tch", "1", LOG, "201402"), Trouble("-", "is named twice")]
    feed_stdin(monkeypatch, b"x" * (SMALL.log_bytes + 1))
    assert "more than" in message("-", SMALL)
    monkeypatch.setattr(sys, "stdin", None)
    assert message("-") == "standard input is closed"


# ---------------------------------------------------------------- compressed files


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_compressed_files(tmp_path: Path, compress) -> None:
    path = tmp_path / "x.tch.gz"
    assert one(write(path, compress(LOG))) == Input(str(path), "x", LOG, None)
    assert one(write(path, compress(LOG) + compress(b"more"))) == Input(str(path), "x", LOG + b"more", None)
    assert one(write(path, compress(b""))) == Input(str(path), "x", b"", None)
    for cut in range(1, len(compress(LOG))):
        assert isinstance(one(write(path, compress(LOG)[:cut])), Trouble), cut
    assert "packed twice" in message(write(path, compress(compress(LOG))))
    assert "packed twice" in message(write(path, compress(make_zip({"1.tch": LOG}))))


def test_the_first_bytes_decide_and_not_the_name(tmp_path: Path) -> None:
    assert one(write(tmp_path / "a.tch", gzip.compress(LOG))) == Input(str(tmp_path / "a.tch"), "a", LOG, None)
    (member,) = read(write(tmp_path / "b.tch", make_zip({"1.tch": LOG})))
    assert member == Input(str(tmp_path / "b.tch!/1.tch"), "1", LOG, None)


@pytest.mark.parametrize("name", ["x.gz", "x.zst", "x.zip"])
@pytest.mark.parametrize("data", [b"", b"no archive", b"\x1f"])
def test_a_name_that_promises_what_the_bytes_are_not(tmp_path: Path, name: str, data: bytes) -> None:
    assert "is " in message(write(tmp_path / name, data))


def test_a_gzip_file_with_a_wrong_checksum_or_something_after_it(tmp_path: Path) -> None:
    data = bytearray(gzip.compress(LOG))
    data[-6] ^= 1
    assert "damaged" in message(write(tmp_path / "x.gz", bytes(data)))
    assert "after its compressed data" in message(write(tmp_path / "x.gz", gzip.compress(LOG) + b"more"))
    assert isinstance(one(write(tmp_path / "x.gz", gzip.compress(LOG) + bytes(512))), Input)


def test_a_tar_archive_is_named_as_such(tmp_path: Path) -> None:
    import tarfile

    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as archive:
        archive.addfile(tarfile.TarInfo("1.tch"))
    assert "tar archive" in message(write(tmp_path / "x.tar.gz", out.getvalue()))


def test_zstandard_frames_to_be_passed_over(tmp_path: Path) -> None:
    skipped = b"\x52\x2a\x4d\x18\x05\x00\x00\x00hello"
    path = tmp_path / "x.zst"
    assert one(write(path, skipped + zstandard.compress(LOG) + skipped)) == Input(str(path), "x", LOG, None)
    assert "cut off" in message(write(path, skipped[:-1]))
    assert "damaged" in message(write(path, zstandard.compress(LOG) + b"something else"))


@pytest.mark.parametrize("compress", [gzip.compress, zstandard.compress])
def test_a_bomb_is_stopped(tmp_path: Path, compress) -> None:
    path = write(tmp_path / "x.tch.gz", compress(bytes(50_000_000)))
    limits = Limits(log_bytes=40_000_000, ratio=1_000_000)
    tracemalloc.start()
    try:
        assert "inflates to more than 40000000 bytes" in message(path, limits)
        assert "inflates to more than" in message(path, SMALL)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 150_000_000


def test_a_zstandard_bomb_of_repeated_blocks_is_stopped_early(tmp_path: Path) -> None:
    # A frame without a size: 100,000 blocks of 4 bytes, each for 128 KiB of one byte. It comes to 13 GB.
    block = struct.pack("<I", (131072 << 3) | (1 << 1))[:3] + b"x"
    path = write(tmp_path / "x.zst", b"\x28\xb5\x2f\xfd\x00\x58" + block * 100_000)
    assert "inflates to more than 268435456 bytes" in message(path, Limits(ratio=10**6))


def test_a_zstandard_file_that_asks_for_a_huge_window(tmp_path: Path) -> None:
    packer = zstandard.ZstdCompressor(
        compression_params=zstandard.ZstdCompressionParameters(window_log=28)
    ).compressobj()
    data = packer.compress(LOG) + packer.flush()
    assert "damaged" in message(write(tmp_path / "x.zst", data))


# ---------------------------------------------------------------- archives


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_members_come_in_the_order_of_the_archive(tmp_path: Path, method: int) -> None:
    members = {"b/2.tch": LOG, "a/1.tch": b"", "x.txt": b"", "c.tgr.json": b"{}", "201402/d.tch.gz": gzip.compress(LOG)}
    path = write(tmp_path / "z.zip", make_zip(members, method))
    assert read(path) == [
        Input(f"{path}!/b/2.tch", "2", LOG, None),
        Input(f"{path}!/a/1.tch", "1", b"", None),
        Input(f"{path}!/c.tgr.json", "c", b"{}", None, "tgr"),
        Input(f"{path}!/201402/d.tch.gz", "d", LOG, "201402"),
    ]


def test_an_archive_named_by_its_month(tmp_path: Path) -> None:
    result = one(write(tmp_path / "201402.zip", make_zip({"1.tch": LOG})))
    assert isinstance(result, Input) and result.month == "201402"


@pytest.mark.parametrize(
    "name",
    ["../../etc/x.tch", "/x.tch", "C:\\x.tch", "\x1b[31m\n.tch", "\u202eabc.tch", "ä/ö.tch", " .tch", "a!/b.tch"],
)
def test_a_member_name_is_only_text(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / "z.zip", make_zip({name: LOG}))
    assert one(path) == Input(f"{path}!/{name}", name.replace("\\", "/").rpartition("/")[2][:-4], LOG, None)
    assert [entry.name for entry in tmp_path.iterdir()] == ["z.zip"]


def test_member_names_in_other_encodings(tmp_path: Path) -> None:
    data = make_zip({"xx.tch": LOG})
    for raw, name in ((b"\xc3\xa4", "ä"), (b"\x84\x84", "ää")):
        assert one(write(tmp_path / "z.zip", data.replace(b"xx", raw))).path.endswith(f"!/{name}.tch")
    claimed = bytearray(data.replace(b"xx", b"\xff\xff"))
    claimed[7] |= 8
    claimed[claimed.index(b"PK\x01\x02") + 9] |= 8
    assert one(write(tmp_path / "z.zip", bytes(claimed))).path.endswith("!/\\xff\\xff.tch")


def test_one_bad_member_leaves_the_others(tmp_path: Path) -> None:
    data = bytearray(make_zip({"1.tch": LOG, "2.tch": b"stored differently", "3.tch": LOG}, zipfile.ZIP_STORED))
    data[data.index(b"differently")] ^= 1
    good, bad, last = read(write(tmp_path / "z.zip", bytes(data)))
    assert isinstance(good, Input) and isinstance(last, Input)
    assert bad == Trouble(f"{tmp_path}/z.zip!/2.tch", "is damaged: its size or checksum is wrong")


def set_entry(data: bytes, offset: int, value: int, length: int = 2) -> bytes:
    """The archive with a number changed in the first entry of its directory."""
    at = data.index(b"PK\x01\x02") + offset
    return data[:at] + value.to_bytes(length, "little") + data[at + length :]


@pytest.mark.parametrize(
    ("offset", "value", "length", "expected"),
    [
        (8, 1, 2, "is encrypted"),
        (10, 12, 2, "bzip2"),
        (10, 77, 2, "number 77"),
        (16, 1, 4, "checksum"),
        (20, 3, 4, "cut off"),
        (20, 2**32 - 2, 4, "more than 268435456 bytes"),
        (24, 1, 4, "size or checksum"),
        (42, 5, 4, "does not stand where"),
        (42, 2**32 - 2, 4, "does not stand where"),
        (46, 0x39, 1, "another name"),
    ],
)
def test_damaged_entries(tmp_path: Path, offset: int, value: int, length: int, expected: str) -> None:
    data = set_entry(make_zip({"1.tch": LOG, "2.tch": LOG}), offset, value, length)
    results = read(write(tmp_path / "z.zip", data))
    assert isinstance(results[0], Trouble)
    assert expected in results[0].message or "lie over one another" in results[0].message
    if value < 2**31 and length != 4:
        assert isinstance(results[1], Input)


def test_an_encrypted_member(tmp_path: Path) -> None:
    assert message(write(tmp_path / "z.zip", set_entry(make_zip({"1.tch": LOG}), 8, 1))) == "is encrypted"


def test_an_archive_that_is_cut_off(tmp_path: Path) -> None:
    data = make_zip({f"{number}.tch": LOG for number in range(5)})
    for cut in range(4, len(data), 7):
        results = read(write(tmp_path / "z.zip", data[:cut]))
        assert isinstance(results[-1], Trouble)


def test_archives_after_a_program_and_with_a_comment(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("1.tch", LOG)
        archive.comment = b"PK\x05\x06" + bytes(30)
    path = tmp_path / "z.zip"
    assert one(write(path, b"#!/bin/sh\n" * 100 + out.getvalue())) == Input(f"{path}!/1.tch", "1", LOG, None)
    assert "has no logs" in message(write(path, make_zip({})))


def test_large_numbers(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        with archive.open("1.tch", "w", force_zip64=True) as member:
            member.write(LOG)
        for number in range(66_000):
            archive.writestr(zipfile.ZipInfo(f"{number}.x"), b"")
        archive.writestr("2.tch", LOG)
    path = write(tmp_path / "z.zip", b"before" + out.getvalue())
    assert paths_of(read(path)) == [f"{path}!/1.tch", f"{path}!/2.tch"]


def test_sizes_in_the_extra_field(tmp_path: Path) -> None:
    # The three numbers that have no room in an entry stand in its extra field, in this order.
    data = make_zip({"1.tch": LOG})
    entry = data.index(b"PK\x01\x02")
    size, compressed = (struct.unpack_from("<L", data, entry + at)[0] for at in (24, 20))
    extra = struct.pack("<2HQQQ", 1, 24, size, compressed, 0)
    head = bytearray(data[entry : entry + 46])
    struct.pack_into("<2L", head, 20, 0xFFFFFFFF, 0xFFFFFFFF)
    struct.pack_into("<H", head, 30, len(extra))
    struct.pack_into("<L", head, 42, 0xFFFFFFFF)
    end = bytearray(data[-22:])
    struct.pack_into("<L", end, 12, 46 + 5 + len(extra))
    path = write(tmp_path / "z.zip", data[:entry] + head + b"1.tch" + extra + end)
    assert one(path) == Input(f"{path}!/1.tch", "1", LOG, None)
    # The field cut short: the last of the bytes are zero in any case.
    for lost in range(16, 29):
        cut = extra[:-lost] + bytes(lost)
        assert isinstance(one(write(path, data[:entry] + head + b"1.tch" + cut + end)), Trouble), lost


def test_an_archive_in_an_archive(tmp_path: Path) -> None:
    path = write(tmp_path / "z.zip", make_zip({"in.zip": make_zip({"1.tch": LOG}), "2.tch": LOG}))
    inner, other = read(path)
    assert isinstance(inner, Trouble) and inner.path == f"{path}!/in.zip" and "packed twice" in inner.message
    assert isinstance(other, Input)


def test_a_bomb_in_an_archive_leaves_the_others(tmp_path: Path) -> None:
    path = write(tmp_path / "z.zip", make_zip({"1.tch": bytes(10_000_000), "2.tch": LOG}))
    bomb, other = read(path, limits=SMALL._replace(archive_bytes=10**9, ratio_free_bytes=100_000))
    assert isinstance(bomb, Trouble) and "inflates to more than" in bomb.message
    assert isinstance(other, Input)


def test_many_small_bombs_are_added_up(tmp_path: Path) -> None:
    path = write(tmp_path / "z.zip", make_zip({f"{number}.tch": bytes(9_000) for number in range(1000)}))
    results = read(path, limits=Limits(ratio=10, ratio_free_bytes=10_000))
    assert isinstance(results[-1], Trouble) and results[-1].path == str(path)
    assert "an archive of its size" in results[-1].message
    total = sum(len(result.data) for result in results if isinstance(result, Input))
    assert total <= 10 * path.stat().st_size + 10_000
    results = read(path, limits=SMALL._replace(archive_members=2000, archive_bytes=90_000))
    assert len(results) == 12 and isinstance(results[-1], Trouble)


def test_what_does_not_come_to_a_log_is_added_up_too(tmp_path: Path) -> None:
    data = make_zip({f"{number}.tch": bytes(9_000) for number in range(1000)})
    at = -1
    broken = bytearray(data)
    while (at := data.find(b"PK\x01\x02", at + 1)) >= 0:
        broken[at + 16] ^= 1
    results = read(write(tmp_path / "z.zip", bytes(broken)), limits=Limits(ratio=10, ratio_free_bytes=10_000))
    assert len(results) < 1000 and all(isinstance(result, Trouble) for result in results)


def test_too_many_members(tmp_path: Path) -> None:
    path = write(tmp_path / "z.zip", make_zip({f"{number}.txt": b"" for number in range(101)}))
    assert message(path, SMALL) == "has more than 100 members"


def test_members_that_lie_over_one_another(tmp_path: Path) -> None:
    # Many entries of the directory for one and the same member.
    body = zlib.compressobj(9, zlib.DEFLATED, -15)
    content = bytes(100_000)
    packed = body.compress(content) + body.flush()
    crc = zlib.crc32(content)
    local = (
        struct.pack("<4s5HL2L2H", b"PK\x03\x04", 20, 0, 8, 0, 0, crc, len(packed), len(content), 5, 0)
        + b"1.tch"
        + packed
    )
    entry = struct.pack(
        "<4s4B4HL2L5H2L", b"PK\x01\x02", 20, 0, 20, 0, 0, 8, 0, 0, crc, len(packed), len(content), 5, 0, 0, 0, 0, 0, 0
    )
    directory = (entry + b"1.tch") * 1000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 1000, 1000, len(directory), len(local), 0)
    results = read(write(tmp_path / "z.zip", local + directory + end), limits=Limits(ratio=10**6))
    assert isinstance(results[-1], Trouble) and "lie over one another" in results[-1].message
    assert len(results) < 1000


def test_memory_does_not_grow_with_the_number_of_members(tmp_path: Path) -> None:
    path = write(tmp_path / "z.zip", make_zip({f"{number:06}.tch": LOG for number in range(20_000)}))
    tracemalloc.start()
    try:
        count = sum(1 for _ in read_inputs([str(path)]))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert count == 20_000
    assert peak < 5_000_000


WHOLE = [
    gzip.compress(LOG),
    zstandard.compress(LOG),
    make_zip({"1.tch": LOG, "2.tch.gz": gzip.compress(LOG), "3.tch": b""}),
]


@settings(max_examples=400, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sampled_from(WHOLE), st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=8))
def test_damage_never_raises(tmp_path: Path, data: bytes, changes: list[tuple[float, int]]) -> None:
    changed = bytearray(data)
    for place, value in changes:
        changed[int(place * (len(changed) - 1))] = value
    for name in ("x.tch", "x.zip", "x.gz"):
        for result in read(write(tmp_path / name, bytes(changed)), limits=SMALL):
            assert isinstance(result, Input | Trouble)
