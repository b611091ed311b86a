"""Where the compiled pass is kept between runs: a folder of the user's own, one for each state of the sources.

What is kept is loaded and run, so nobody else may be able to write there, and it has its checksum before it: what is
damaged would take the whole process with it. The folder's name depends on all sources, on what turns them into machine
code, and on the processor.
"""

from __future__ import annotations

import os
import platform
import stat
import sys
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple

#: The name of the file with the machine code.
FILE: Final = "check_games.code"
_MAGIC: Final = b"tichu machine code 1\n"
_DIGEST: Final = 32
_NAME: Final = "tichu_analytics"
_PACKAGE: Final = Path(__file__).resolve().parent.parent
#: What goes into the machine code: the rulebook, the pass itself, and how cards and headers are written.
_SOURCES: Final = ("rules/*.py", "bulk/*.py", "formats/bsw/lines.py", "record/model.py")
_OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


class Code(NamedTuple):
    """The code of a function.

    Attributes:
        name: what it is called in the code.
        binary: an object file without anything that would have to be looked up elsewhere.
    """

    name: str
    binary: bytes


class Untrusted(Exception):
    """A folder that cannot be used for the compiled pass; the text says which one and why."""


def source_key() -> str:
    """A name for the sources of the compiled pass together with all that turns them into machine code.

    Raises:
        ImportError: if Numba, or what it needs, is not installed.
    """
    # The versions are looked up without importing Numba, which takes its time.
    from importlib.metadata import version

    from llvmlite.binding import get_host_cpu_features, get_host_cpu_name

    words = [
        sys.version,
        platform.platform(),
        *(f"{name} {version(name)}" for name in ("numba", "llvmlite", "numpy")),
        get_host_cpu_name(),
        get_host_cpu_features().flatten(),
    ]
    digest = sha256("\n".join(words).encode("utf-8", "surrogateescape"))
    for pattern in _SOURCES:
        for path in sorted(_PACKAGE.glob(pattern)):
            digest.update(b"\0" + path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:32]


def cache_folder(key: str) -> Path:
    """The folder for the compiled pass of some key, made if need be.

    It lies in ``XDG_CACHE_HOME``, or else in ``.cache`` in the user's home.

    Raises:
        Untrusted: if it cannot be made, is not the user's own, or others can write there.
    """
    home = os.environ.get("XDG_CACHE_HOME", "")
    # By the XDG specification a path that is not absolute counts as none.
    base = Path(home) if os.path.isabs(home) else Path(os.path.expanduser("~")) / ".cache"  # noqa: PTH117, PTH111
    if not base.is_absolute():
        raise Untrusted("there is no home folder to keep it in")
    ours = base / _NAME
    try:
        base.mkdir(parents=True, exist_ok=True)
        _check_parent(base)
        for folder in (ours, ours / key):
            folder.mkdir(mode=0o700, exist_ok=True)
            _check(folder)
    except OSError as trouble:
        raise Untrusted(f"{ours} cannot be used: {trouble.strerror or trouble}") from None
    return ours / key


def _check_parent(folder: Path) -> None:
    """Makes sure that nobody else can put another folder in the place of ours."""
    if not hasattr(os, "getuid"):  # Windows
        return
    state = folder.stat()
    if state.st_uid not in (0, os.getuid()):
        raise Untrusted(f"{folder} belongs to somebody else")
    if state.st_mode & _OTHERS_WRITE and not state.st_mode & stat.S_ISVTX:
        raise Untrusted(f"others can write to {folder}")


def _check(folder: Path) -> None:
    """Makes sure that a folder is a real one, the user's own, and that nobody else can write there."""
    state = folder.lstat()
    if not stat.S_ISDIR(state.st_mode):
        raise Untrusted(f"{folder} is no folder")
    if not hasattr(os, "getuid"):
        return
    if state.st_uid != os.getuid():
        raise Untrusted(f"{folder} belongs to somebody else")
    if state.st_mode & _OTHERS_WRITE:
        raise Untrusted(f"others can write to {folder}")


def keep(code: Code, folder: Path) -> None:
    """Keeps code in a folder, whole or not at all.

    Raises:
        OSError: if that is not possible.
    """
    content = code.name.encode() + b"\n" + code.binary
    path = folder / f".{FILE}-{os.getpid()}"
    try:
        path.write_bytes(_MAGIC + sha256(content).digest() + content)
        path.replace(folder / FILE)
    except OSError:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def kept(folder: Path) -> Code | None:
    """The code that is kept in a folder; None if there is none, or it is damaged."""
    try:
        data = (folder / FILE).read_bytes()
    except OSError:
        return None
    content = data[len(_MAGIC) + _DIGEST :]
    if data[: len(_MAGIC) + _DIGEST] != _MAGIC + sha256(content).digest():
        return None
    name, _, binary = content.partition(b"\n")
    return Code(name.decode(), binary)


def has_code(folder: Path) -> bool:
    """Whether a compiled pass is kept in a folder, undamaged."""
    return kept(folder) is not None
