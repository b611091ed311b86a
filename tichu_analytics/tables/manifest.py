"""What ``_dataset.json`` says, and what it and the notes of an unfinished export may say; nothing is believed unseen.

They are files like others: edited by hand, cut off, from another version. What is not as it should be counts as not
there, so that the parts in question are made anew.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection
from typing import TYPE_CHECKING, Any, Final, TypeGuard

from tichu_analytics.replay.codes import CODES
from tichu_analytics.rules.rulesets import rule_set_names
from tichu_analytics.tables.schema import REASONS, SCHEMA_VERSION, TABLES

if TYPE_CHECKING:
    from tichu_analytics.tables.plan import Plan

FORMAT: Final = "tichu_analytics data set"
#: Of a long list of inputs, how many are written down.
_LISTED: Final = 100

#: What is known of a part: see :func:`tichu_analytics.tables.part.make_part`.
Info = dict[str, Any]

#: Why a round is left out although nothing is wrong with it: the tables cannot number it.
BEYOND: Final = "round-number-beyond-limit"
ENGINES: Final = ("careful", "compiled")

_KEY: Final = re.compile(r"[0-9a-f]{16}")
_NAME: Final = re.compile(r"[0-9]{6,12}-[0-9a-f]{16}")
_LARGEST: Final = 2**62
_NUMBERS: Final = ("logs", "bytes", "games", "rounds", "rounds_complete", "rounds_kept")
_COUNTS: Final[dict[str, Collection[str]]] = {
    "excluded": (*REASONS, BEYOND),
    "findings": CODES,
    "games_by_rules": rule_set_names(),
    "rounds_by_engine": ENGINES,
}


def key_of(name: str) -> str | None:
    """The key of a part by the name of its files without an ending; None for a name that no export gives."""
    return name.partition("-")[2] if _NAME.fullmatch(name) else None


def is_info(value: object) -> TypeGuard[Info]:
    """Whether a value says what is known of a part, and its numbers agree with each other."""
    if not isinstance(value, dict) or not isinstance(value.get("first"), str):
        return False
    key = value.get("key")
    if not isinstance(key, str) or not _KEY.fullmatch(key):
        return False
    if not all(_is_number(value.get(name)) for name in _NUMBERS):
        return False
    if not all(_is_count(value.get(name), words) for name, words in _COUNTS.items()):
        return False
    files = value.get("files")
    if not isinstance(files, dict) or not all(name in TABLES and _is_file(file) for name, file in files.items()):
        return False
    return bool(
        value["rounds"] == value["rounds_kept"] + sum(value["excluded"].values())
        and value["rounds"] == sum(value["rounds_by_engine"].values())
        and value["games"] == sum(value["games_by_rules"].values())
    )


def is_header(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value says what an export is about: rule set, tables, paths."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("rules"), str)
        and _is_list(value.get("tables"), TABLES)
        and isinstance(value.get("paths"), list)
        and all(isinstance(path, str) for path in value["paths"])
    )


def is_manifest(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value has all that is needed to find the tables of a data set and to tell about them."""
    if not is_header(value) or not isinstance(value.get("parts"), list):
        return False
    tables = value["tables"]
    rows = value.get("rows")
    if not isinstance(rows, dict) or list(rows) != tables or not all(map(_is_number, rows.values())):
        return False
    if not all(_is_number(value.get(name)) for name in ("games", "rounds", "rounds_complete", "rounds_kept")):
        return False
    if not _is_count(value.get("rounds_excluded"), _COUNTS["excluded"]):
        return False
    for part in value["parts"]:
        if not is_info(part) or not isinstance(part.get("name"), str) or key_of(part["name"]) != part["key"]:
            return False
        if not all(table in part["files"] for table in tables):
            return False
    return True


def manifest_of(plan: Plan, infos: dict[str, Info], header: dict[str, Any]) -> dict[str, Any]:
    """The content of ``_dataset.json``; the same for the same inputs, whenever and however they were exported.

    Args:
        plan: which parts there are, and which inputs.
        infos: what is known of each part, by its key.
        header: rule set, tables and paths.
    """
    from tichu_analytics import __version__

    parts = [infos[part.key] | {"name": part.name} for part in plan.parts]
    tables = header["tables"]
    manifest = {
        "format": FORMAT,
        "tool_version": __version__,
        "schema_version": SCHEMA_VERSION,
        "rules": header["rules"],
        "games_by_rules": _sum(parts, "games_by_rules"),
        "tables": tables,
        "paths": header["paths"],
        "inputs": {
            "logs": plan.logs,
            "bytes": plan.size,
            "unreadable": len(plan.troubles),
            "unreadable_first": [trouble._asdict() for trouble in plan.troubles[:_LISTED]],
            "read_once": sum(new_id is None for new_id in plan.new_ids.values()),
            "renamed": sum(new_id is not None for new_id in plan.new_ids.values()),
            "same_id_first": [same._asdict() for same in plan.same[:_LISTED]],
        },
        "games": sum(part["games"] for part in parts),
        "rounds": sum(part["rounds"] for part in parts),
        "rounds_complete": sum(part["rounds_complete"] for part in parts),
        "rounds_kept": sum(part["rounds_kept"] for part in parts),
        "rounds_excluded": _sum(parts, "excluded"),
        "rounds_by_engine": _sum(parts, "rounds_by_engine"),
        "findings": {code: {"name": CODES[code].name, "count": n} for code, n in _sum(parts, "findings").items()},
        "rows": {table: sum(part["files"][table]["rows"] for part in parts) for table in tables},
        "parts": [{**part, "files": {table: part["files"][table] for table in tables}} for part in parts],
    }
    # As it is read again, with lists in place of tuples.
    read_again: dict[str, Any] = json.loads(json.dumps(manifest))
    return read_again


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _LARGEST


def _is_count(value: object, words: Collection[str]) -> bool:
    return isinstance(value, dict) and all(word in words and _is_number(count) for word, count in value.items())


def _is_file(value: object) -> bool:
    return isinstance(value, dict) and _is_number(value.get("rows")) and _is_number(value.get("bytes"))


def _is_list(value: object, words: Collection[str]) -> bool:
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(word, str) and word in words for word in value)
        and len(set(value)) == len(value)
    )


def _sum(parts: list[Info], name: str) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part[name])
    return dict(sorted(total.items()))
