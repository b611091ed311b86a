"""BrettspielWelt logs (``.tch``)."""

from tichu_analytics.formats.bsw.reader import read_game

__all__ = ["read_game"]
