"""BrettspielWelt logs (``.tch``)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tichu_analytics.formats.bsw.files import dump, dumps, load, loads
    from tichu_analytics.formats.bsw.reader import read_game

__all__ = ["dump", "dumps", "load", "loads", "read_game"]

#: Loaded when they are first asked for: a log without a fault is checked without them.
_MODULES: Final = {"dump": "files", "dumps": "files", "load": "files", "loads": "files", "read_game": "reader"}


def __getattr__(name: str) -> object:
    if name in _MODULES:
        return getattr(import_module(f"tichu_analytics.formats.bsw.{_MODULES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, *(name for name in globals() if name.startswith("__") and name.endswith("__"))})
