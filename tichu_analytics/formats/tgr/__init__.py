"""TGR, the Tichu game record: JSON, one game an object (``.tgr.json``) or a game a line (``.tgr.jsonl``)."""

from tichu_analytics.formats.tgr.convert import NotForRecord
from tichu_analytics.formats.tgr.files import InvalidRecord, dump, dump_all, dumps, load, load_all, loads
from tichu_analytics.formats.tgr.reader import read_game

__all__ = ["InvalidRecord", "NotForRecord", "dump", "dump_all", "dumps", "load", "load_all", "loads", "read_game"]
