"""Reads TGR records. Reading never stops at a fault: the rest of the record, and of the file, is still read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from tichu_analytics.formats.bsw.sections import shorten
from tichu_analytics.formats.tgr.build import Rounds
from tichu_analytics.formats.tgr.loglines import NotForLog
from tichu_analytics.formats.tgr.mend import Unmendable, mended
from tichu_analytics.record import Game, Problem, Round

#: More faults than this in one round, or in a record outside of its rounds, are only counted.
_MOST_SHOWN: Final = 20
#: With more faults than this a record is not read at all.
_MOST_FAULTS: Final = 1_000
# As far as folders are taken for months.
_MONTH: Final = re.compile(r"((?:19|20)[0-9]{2})-([0-9]{2})")
_OWN_ID: Final = re.compile(rb'\s*\{\s*(?:"tgr"\s*:\s*1\s*,\s*)?"id"\s*:\s*("(?:[^"\\\x00-\x1f]|\\.)*")\s*[,}]')


def own_id(data: bytes) -> str | None:
    """The id that a record has, or None if it has none or cannot be read."""
    import json

    match = _OWN_ID.match(data)
    try:
        if match is not None:
            found = json.loads(match[1])
        else:
            document = json.loads(data)
            found = document.get("id") if isinstance(document, dict) else None
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, str):
        return None
    # Half of a pair of surrogates is no text; the reader says so.
    return found.encode("utf-8", "backslashreplace").decode() or None


class FilePlaces:
    """Where the elements of a record stand in its file.

    Args:
        pointers: by running number less one, the JSON pointer of an element.
        text: the record as it stands in the file.
        first_line: the line of the file on which it begins.
    """

    def __init__(self, pointers: list[str], text: str, first_line: int) -> None:
        self._pointers = pointers
        self._text = text
        self._first_line = first_line
        self._lines: dict[str, int] = {}

    def pointer(self, number: int) -> str:
        """The JSON pointer of the element with a running number."""
        return self._pointers[number - 1] if 0 < number <= len(self._pointers) else ""

    def line(self, pointer: str) -> int:
        """The line of the file on which the element at a pointer begins, or the nearest one around it."""
        if "\n" not in self._text.strip():
            before = len(self._text) - len(self._text.lstrip())
            return self._first_line + self._text.count("\n", 0, before)
        found = self._lines.get(pointer)
        if found is None:
            from tichu_analytics.formats.tgr.locate import lines_of

            # All at once: one pass over the text is enough.
            self._lines |= lines_of(self._text, {pointer, *self._pointers})
            found = self._lines[pointer]
        return found + self._first_line - 1


def read_game(data: bytes, path: str, game_id: str, month: str | None = None, line: int = 1) -> Game:
    """Reads one record.

    Args:
        data: the bytes of the record.
        path: how the file is named in findings.
        game_id: the id of the game.
        month: ``YYYYMM`` where the archive's folder tells it.
        line: the line of the file on which the record begins.

    Returns:
        The game with all its rounds, and what was noticed in reading them as problems: text that is no JSON, and what
        is not as the format asks for, each at its place. Never raises for anything that a file may contain.
    """
    from tichu_analytics.formats.tgr.text import BadText, parse

    if not data.strip():
        problem = Problem(line, "no-rounds", None, "the file is empty", "a TGR record", None)
        return Game(path, game_id, "tgr", None, (), (problem,), month)
    try:
        document = parse(data)
    except BadText as trouble:
        message = f"{trouble.message} (column {trouble.column})"
        problem = Problem(line + trouble.line - 1, "not-json", None, message, trouble.expected, trouble.found)
        return Game(path, game_id, "tgr", None, (), (problem,), month)
    text = data.decode("utf-8-sig")
    return game_of(document, path, game_id, month, text, line)


def game_of(document: Any, path: str, game_id: str, month: str | None, text: str, line: int) -> Game:
    """The game of a document that has been parsed; see :func:`read_game`. ``text`` is what it was parsed from."""
    from tichu_analytics.formats.tgr.schema import faults

    found = faults(document, _MOST_FAULTS + 1)
    wrong = [Problem(1, "record-invalid", None, one.message, one.expected, one.found, one.pointer) for one in found]
    if not found:
        if describes_log(document):
            try:
                return _from_log(document, path, game_id, month, text, line)
            except NotForLog as trouble:
                pointer, _, why = str(trouble).partition(": ")
                wrong = [Problem(1, "record-invalid", None, why, "what a log can say", None, pointer)]
        good = document
    try:
        if len(found) > _MOST_FAULTS:
            raise Unmendable
        if wrong:
            good = mended(document, [problem.pointer or "" for problem in wrong])
    except Unmendable:
        places = FilePlaces([], text, line)
        return Game(path, game_id, "tgr", None, (), tuple(_fewer(wrong)), month, (), places, _kept(document))
    made = Rounds(good, frozenset(problem.pointer or "" for problem in wrong))
    rounds, apart = _into_rounds(made, wrong)
    places = FilePlaces(made.pointers, text, line)
    return _game(document, good, path, game_id, month, rounds, _fewer(apart), places)


def _game(
    document: Any,
    good: Mapping[str, Any],
    path: str,
    game_id: str,
    month: str | None,
    rounds: list[Round],
    problems: list[Problem],
    places: FilePlaces,
) -> Game:
    rules, options, noticed = _rules(good)
    if not rounds and not problems:
        noticed.append(Problem(1, "no-rounds", None, "the record has no round", "rounds", None, "/rounds"))
    played = _MONTH.match(good.get("played_at", ""))
    own_month = played[1] + played[2] if played else None
    return Game(
        path,
        game_id,
        "tgr",
        rules,
        tuple(rounds),
        (*problems, *noticed),
        own_month or month,
        options,
        places,
        _kept(document),
    )


def describes_log(document: Mapping[str, Any]) -> bool:
    """Whether a valid document describes how a BrettspielWelt log is written, and so is read as one."""
    return "bsw" in document or any("bsw" in one for one in document["rounds"])


def _kept(document: Any) -> Mapping[str, Any] | None:
    return document if isinstance(document, dict) else None


def _from_log(document: Mapping[str, Any], path: str, game_id: str, month: str | None, text: str, line: int) -> Game:
    """The game of a document that describes a log: what the reader of such logs makes of it.

    Raises:
        NotForLog: if there can be no such log.
    """
    from tichu_analytics.formats.bsw.reader import read_game as read_log
    from tichu_analytics.formats.tgr.notation import read_rank
    from tichu_analytics.formats.tgr.to_log import write_log

    written = write_log(document)
    game = read_log(written.data, path, game_id, month)
    # What a log has no words for is still said by the record.
    said: dict[str, tuple[int, int]] = {}
    for index, one in enumerate(document["rounds"]):
        for place, event in enumerate(one["events"]):
            if "phoenix_as" in event or "turn" in event:
                rank = read_rank(event["phoenix_as"]) if "phoenix_as" in event else 0
                turn = {"in": 1, "out": 2}.get(event.get("turn"), 0)
                said[f"/rounds/{index}/events/{place}"] = (rank, turn)
    rounds = list(game.rounds)
    if said:
        for number, record in enumerate(rounds):
            events = []
            for event in record.events:
                rank, turn = said.get(written.pointers[event.line - 1], (0, 0))
                events.append(event._replace(value=rank or event.value, turn=turn) if rank or turn else event)
            rounds[number] = record._replace(events=tuple(events))
    places = FilePlaces(written.pointers, text, line)
    return _game(document, document, path, game_id, month, rounds, list(game.problems), places)


def _into_rounds(made: Rounds, wrong: list[Problem]) -> tuple[list[Round], list[Problem]]:
    """The rounds with the faults that are in them, and the faults that are in none."""
    by_round: dict[int, list[Problem]] = {}
    apart = []
    for problem in wrong:
        parts = (problem.pointer or "").split("/")
        if len(parts) > 2 and parts[1] == "rounds" and parts[2].isdecimal() and int(parts[2]) < len(made.rounds):
            number = made.number(problem.pointer or "")
            by_round.setdefault(int(parts[2]), []).append(problem._replace(line=number))
        else:
            apart.append(problem)
    rounds = [
        one._replace(problems=(*_fewer(by_round[index]), *one.problems)) if index in by_round else one
        for index, one in enumerate(made.rounds)
    ]
    return rounds, apart


def _fewer(problems: list[Problem]) -> list[Problem]:
    """The first faults; the last of them tells how many more there are."""
    if len(problems) <= _MOST_SHOWN:
        return problems
    shown = problems[:_MOST_SHOWN]
    more = len(problems) - _MOST_SHOWN
    shown[-1] = shown[-1]._replace(message=f"{shown[-1].message} (and {more} more of such faults)")
    return shown


def _rules(good: Mapping[str, Any]) -> tuple[str | None, tuple[tuple[str, str | int], ...], list[Problem]]:
    """The rule set and the options that a record names, without those that do not exist."""
    from tichu_analytics.rules.options import make_options
    from tichu_analytics.rules.rulesets import rule_set_names

    problems = []
    rules = good.get("rules")
    if rules is not None and rules not in rule_set_names():
        names = ", ".join(rule_set_names())
        message = "there is no rule set of this name; the official rules are taken"
        problems.append(Problem(1, "unknown-rules", None, message, names, rules[:60], "/rules"))
        rules = None
    options = []
    for name, value in good.get("options", {}).items():
        if name.startswith("_"):
            continue
        try:
            make_options({name: value})
        except ValueError as trouble:
            pointer = f"/options/{name.replace('~', '~0').replace('/', '~1')}"
            problems.append(_wrong_option(name, value, shorten(str(trouble), 300), pointer))
        else:
            options.append((name, value))
    if "target" in good and "target" not in good.get("options", {}):
        options.append(("target", good["target"]))
    return rules, tuple(options), _fewer(problems)


def _wrong_option(name: str, value: object, why: str, pointer: str) -> Problem:
    """An option that does not exist, or that does not have a value."""
    from difflib import get_close_matches

    from tichu_analytics.rules.options import OPTIONS

    option = next((one for one in OPTIONS if one.name == name), None)
    if option is not None:
        values = " or ".join(option.values) or "a whole number"
        return Problem(1, "unknown-rules", None, why, values, str(value)[:60], pointer)
    near = get_close_matches(name, [one.name for one in OPTIONS], n=1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    message = f"there is no option {name[:60]!r}{hint}"
    return Problem(1, "unknown-rules", None, message, "an option that 'tichu rules' lists", name[:60], pointer)
