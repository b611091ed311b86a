"""BrettspielWelt logs (``.tch``)."""

from tichu_analytics.formats.bsw.files import dump, dumps, load, loads
from tichu_analytics.formats.bsw.reader import read_game

__all__ = ["dump", "dumps", "load", "loads", "read_game"]
