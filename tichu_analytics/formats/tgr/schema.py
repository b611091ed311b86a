"""Compares TGR documents with the schema of the format, and with what a schema cannot say.

The schema is ``tgr-1.schema.json`` beside this module; the descriptions in it say what is expected at a place.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tichu_analytics.formats.tgr.layout import excerpt
from tichu_analytics.formats.tgr.locate import pointer_to
from tichu_analytics.record.notation import card_bit

if TYPE_CHECKING:
    from jsonschema_rs import ValidationError, Validator

#: The version of the format that this program reads and writes.
VERSION: Final = 1

#: The fields whose entries are looked at one by one once a document is known to be wrong, by definition in the schema.
_PARTS: Final[Mapping[str, Mapping[str, str]]] = {
    "game": {"bsw": "game_bsw", "rounds": "round"},
    "game_bsw": {"lines": "line"},
    "round": {"calls": "call", "events": "event", "bsw": "round_bsw"},
    "round_bsw": {"lines": "line"},
}
#: Of other arrays and of the options, which should be few, so many are looked at.
_ENTRIES: Final = 1_000

_DATE: Final = re.compile(r"([0-9]{4})(?:-([0-9]{2}))?(?:-([0-9]{2}))?")

#: The names of fields and the indexes that lead to a place.
Steps = tuple[str | int, ...]


class Fault(NamedTuple):
    """A place in a document that is not as the format asks for.

    Attributes:
        pointer: the JSON pointer (RFC 6901) of the place; of a field that is missing, where it would stand.
        expected: what should stand there.
        found: what does, as JSON of at most 60 characters; ``nothing`` for a field that is missing.
        message: a sentence without the place.
    """

    pointer: str
    expected: str
    found: str
    message: str


class _Wrong(NamedTuple):
    """A fault before its place in the document is known.

    ``kind`` is ``missing`` or ``unknown`` for a field that is, and ``meant`` the one that an unknown field may be.
    """

    path: Steps
    expected: str
    found: str
    message: str
    kind: str = ""
    meant: str = ""


def faults(document: Any, most: int = 20) -> list[Fault]:
    """What is wrong with a document, in the order of the document, one fault a place.

    Args:
        document: a JSON value as :func:`tichu_analytics.formats.tgr.text.parse` gives it: whole numbers are ``int``.
            A float like 1.0 would count as a whole number, as JSON Schema has it.
        most: how many faults are enough.

    Returns:
        The first faults; none for a valid document. A document of another version has that fault only.
    """
    if isinstance(document, dict) and type(document.get("tgr")) is int and document["tgr"] != VERSION:
        found = excerpt(document["tgr"])
        message = f"this is version {found} of the format; this program reads version {VERSION}"
        return [Fault("/tgr", _describe(_schema()["$defs"]["game"]["properties"]["tgr"]), found, message)]
    wrong: list[_Wrong] = []
    try:
        if not _validator("game").is_valid(document):
            wrong = _look_into("game", document, (), most)
            if not wrong:
                errors = _validator("game").iter_errors(document)
                wrong = [one for error in islice(errors, most) for one in _explain(error, (), document, most)]
    except (TypeError, ValueError) as error:
        message = f"the document is no JSON value, or is nested too deeply: {error}"
        return [Fault("", "a JSON value", excerpt(document), message)]
    wrong += islice(_beyond_schema(document), most)
    wrong = _misspelt(wrong)
    places = {one.path for one in wrong}
    # What is wrong within something that is wrong as a whole is the same fault.
    wrong = [one for one in wrong if not any(one.path[:length] in places for length in range(len(one.path)))]
    return _sorted(document, wrong, most)


@cache
def _schema() -> dict[str, Any]:
    from importlib.resources import files

    text = files("tichu_analytics.formats.tgr").joinpath("tgr-1.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


@cache
def _validator(name: str) -> Validator:
    """What compares a value with one definition of the schema."""
    from jsonschema_rs import Draft202012Validator, RegexOptions

    # These regular expressions take linear time, whatever the text.
    return Draft202012Validator(_schema() | {"$ref": f"#/$defs/{name}"}, pattern_options=RegexOptions())


def _look_into(name: str, value: Any, path: Steps, most: int) -> list[_Wrong]:
    """What is wrong with a value that should be as a definition says.

    The long arrays are looked through one entry at a time and no further than needed, since a fault takes some time to
    explain and a damaged file may have millions.
    """
    parts = _PARTS.get(name, {})
    shell: Any = value
    inside: list[_Wrong] = []
    if isinstance(value, dict):
        shell = {}
        for field, inner in value.items():
            if isinstance(field, str) and field.startswith("_"):
                continue  # whatever it is
            part = parts.get(field)
            if part is not None and field == "bsw" and isinstance(inner, dict):
                shell[field] = {}
                inside += _look_into(part, inner, (*path, field), most)
            elif part is not None and field != "bsw" and isinstance(inner, list):
                shell[field] = []
                inside += _look_through(part, inner, (*path, field), most)
            elif isinstance(inner, list):
                shell[field] = inner[:_ENTRIES]
            elif field == "options" and isinstance(inner, dict):
                shell[field] = dict(islice(inner.items(), _ENTRIES))
            else:
                shell[field] = inner
    validator = _validator(name)
    if validator.is_valid(shell):
        return inside
    found = [one for error in validator.iter_errors(shell) for one in _explain(error, path, value, most)]
    return found + inside


def _look_through(name: str, values: list[Any], path: Steps, most: int) -> list[_Wrong]:
    found: list[_Wrong] = []
    places: set[Steps] = set()
    validator = _validator(name)
    for index, value in enumerate(values):
        if validator.is_valid(value):
            continue
        here = _look_into(name, value, (*path, index), most)
        found += here
        places.update([one.path for one in here])
        if len(places) >= most:
            break
    return found


def _misspelt(wrong: list[_Wrong]) -> list[_Wrong]:
    """The faults without the fields that are missing because they have another name: that is one fault."""
    objects: dict[Steps, list[_Wrong]] = {}
    for one in wrong:
        if one.kind:
            objects.setdefault(one.path[:-1], []).append(one)
    less: set[Steps] = set()
    more: dict[Steps, str] = {}
    for faults_here in objects.values():
        missing = {one.meant: one.path for one in faults_here if one.kind == "missing"}
        unknown = [one for one in faults_here if one.kind == "unknown"]
        less |= {missing[one.meant] for one in unknown if one.meant in missing}
        if len(missing) == len(unknown) == 1 and not unknown[0].meant:
            name, path = next(iter(missing.items()))
            less.add(path)
            more[unknown[0].path] = f"; the field {excerpt(name)} is missing"
    return [
        one._replace(message=one.message + more.get(one.path, "")) if one.kind == "unknown" else one
        for one in wrong
        if not (one.kind == "missing" and one.path in less)
    ]


def _sorted(document: Any, wrong: list[_Wrong], most: int) -> list[Fault]:
    """The faults in the order of the document, the first of each place."""
    orders: dict[int, dict[str, int]] = {}

    def place(one: _Wrong) -> list[int]:
        node = document
        steps = []
        for step in one.path:
            if isinstance(node, dict):
                order = orders.get(id(node))
                if order is None:
                    order = orders[id(node)] = {name: index for index, name in enumerate(node)}
                # What is missing stands before what is there.
                steps.append(order.get(str(step), -1))
                node = node.get(step)
            else:
                steps.append(int(step))
                node = node[step]
        return steps

    found: dict[str, Fault] = {}
    for one in sorted(wrong, key=place):
        pointer = pointer_to(one.path)
        if pointer not in found:
            found[pointer] = Fault(pointer, one.expected, one.found, one.message)
    return list(found.values())[:most]


def _explain(error: ValidationError, base: Steps, value: Any, most: int) -> Iterator[_Wrong]:
    """What an error of the library means; ``base`` is the path of ``value``, which it was given (or a part of it)."""
    path = (*base, *error.instance_path)
    for step in error.instance_path:
        value = value[step]
    keyword = error.kind.name
    where = error.schema_path
    rule: Any = _schema()
    for step in where[:-1]:
        rule = rule[step]
    expected = _describe(rule)
    if keyword == "required":
        name = error.kind.value
        message = f"the field {excerpt(name)} is missing"
        yield _Wrong((*path, name), _describe(rule["properties"][name]), "nothing", message, "missing", name)
    elif keyword == "additionalProperties":
        for name in islice(error.kind.value, most):
            if where[1] == "options":
                message = f"no option has a name like {excerpt(name)}"
                yield _Wrong((*path, name), "a name of small letters, digits and _", excerpt(name), message)
            else:
                yield _unknown_field((*path, name), name, list(rule["properties"]))
    else:
        definition = str(where[1]) if len(where) == 3 else ""
        yield _explain_value(definition, keyword, path, value, expected)


def _explain_value(definition: str, keyword: str, path: Steps, value: Any, expected: str) -> _Wrong:
    found = excerpt(value)
    label = _label(path)
    message = f"{label} is {found}; it should be {expected}"
    if definition == "seat" and keyword in ("minimum", "maximum"):
        message = f"seat {found} does not exist; seats are 0 to 3"
    elif definition == "card_words":
        return _explain_cards(path, value, expected)
    elif definition in ("rank", "wished_rank") and keyword == "pattern":
        message = f"{found} is no rank; ranks are 2 to 10, J, Q, K and A"
    elif definition == "second_content":
        message = f"the line says something already; {label} is too much"
    elif keyword in ("minItems", "maxItems"):
        message = f"{label} has {_count(len(value), 'entry', 'entries')}; it should be {expected}"
    elif keyword == "maxLength":
        message = f"{label} has {_count(len(value), 'character', 'characters')}; it should be {expected}"
    return _Wrong(path, expected, found, message)


def _explain_cards(path: Steps, text: str, expected: str) -> _Wrong:
    """What is wrong with cards text: the words that are no cards, or else the blanks."""
    words = [word for word in text.split(" ") if word and not _is_card_word(word)]
    if not words:
        return _Wrong(path, expected, excerpt(text), f"{_label(path)} is {excerpt(text)}, which has a blank too many")
    shown = excerpt(words[0])
    if len(words) == 1:
        return _Wrong(path, expected, shown, f"{shown} is no card")
    more = excerpt(words[1]) if len(words) == 2 else f"{len(words) - 1} more words"
    return _Wrong(path, expected, shown, f"{shown} and {more} are no cards")


def _is_card_word(word: str) -> bool:
    if word[0] == "?":
        return len(word) > 1 and "\n" not in word
    try:
        card_bit(word)
    except ValueError:
        return False
    return True


def _unknown_field(path: Steps, name: str, known: Sequence[str]) -> _Wrong:
    from difflib import get_close_matches

    near = get_close_matches(name[:40].lower(), known, n=1, cutoff=0.75)
    hint = f"did you mean {excerpt(near[0])}? " if near else ""
    expected = f"one of the fields {', '.join(known)}, or a name that begins with _"
    message = f"there is no field {excerpt(name)} here; {hint}free fields begin with _"
    return _Wrong(path, expected, excerpt(name), message, "unknown", near[0] if near else "")


def _describe(rule: Mapping[str, Any]) -> str:
    """The description of a part of the schema, or of the definition that it refers to."""
    while "description" not in rule:
        rule = _schema()["$defs"][rule["$ref"].rpartition("/")[2]]
    return str(rule["description"])


def _label(path: Steps) -> str:
    """How a place is called in a sentence: the field, and the entry of it."""
    entries: list[str] = []
    for step in reversed(path):
        if isinstance(step, str):
            return f"{''.join(entries)}{excerpt(step)}"
        entries.append(f"entry {step} of ")
    return f"{''.join(entries)}the document"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _beyond_schema(document: Any) -> Iterator[_Wrong]:
    """What a schema cannot say. Parts of the document that are against the schema are passed over."""
    if not isinstance(document, dict):
        return
    yield from _wrong_date(document.get("played_at"))
    options = document.get("options")
    if isinstance(options, dict) and "target" in options and "target" in document:
        target, other = document["target"], options["target"]
        if target != other:
            expected = f'{excerpt(target)}, as in the field "target"'
            message = f'the option "target" is {excerpt(other)}, but the field "target" is {excerpt(target)}'
            yield _Wrong(("options", "target"), expected, excerpt(other), message)
    last_pass = document.get("trick_ends") == "last_pass"
    yield from _wrong_lines(document.get("bsw"), last_pass, ())
    for index, one in enumerate(_list(document.get("rounds"))):
        if not isinstance(one, dict):
            continue
        path = ("rounds", index)
        bombs = one.get("bombs")
        if isinstance(bombs, list) and all(type(seat) is int for seat in bombs) and bombs != sorted(bombs):
            message = f'the seats in "bombs" are not ascending: {excerpt(bombs)}'
            yield _Wrong((*path, "bombs"), excerpt(sorted(bombs)), excerpt(bombs), message)
        for number, event in enumerate(_list(one.get("events"))):
            yield from _wrong_event(event, last_pass, (*path, "events", number))
        yield from _wrong_lines(one.get("bsw"), last_pass, path)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _wrong_lines(log: Any, last_pass: bool, path: Steps) -> Iterator[_Wrong]:
    for index, line in enumerate(_list(log.get("lines")) if isinstance(log, dict) else ()):
        if isinstance(line, dict) and "event" in line:
            yield from _wrong_event(line["event"], last_pass, (*path, "bsw", "lines", index, "event"))


def _wrong_event(event: Any, last_pass: bool, path: Steps) -> Iterator[_Wrong]:
    if not isinstance(event, dict):
        return
    kind = event.get("event")
    if kind == "play" and "phoenix_as" in event:
        cards = event.get("cards")
        words = cards.split(" ") if isinstance(cards, str) else []
        if words and "Ph" not in words and all(word and _is_card_word(word) for word in words):
            message = 'the play has a rank for the Phoenix ("phoenix_as"), but the Phoenix is not in it'
            expected = "no such field, or Ph among the cards"
            yield _Wrong((*path, "phoenix_as"), expected, excerpt(event["phoenix_as"]), message)
    elif kind == "collect" and last_pass:
        message = 'a trick is taken by an event "collect", but by "trick_ends" of the game the last pass ends a trick'
        yield _Wrong(path, "no event of this kind", excerpt(event), message)


def _wrong_date(text: Any) -> Iterator[_Wrong]:
    """A day or a year that no calendar has."""
    from datetime import date

    match = _DATE.match(text) if isinstance(text, str) else None
    if match is None:
        return
    try:
        date(int(match[1]), int(match[2] or 1), int(match[3] or 1))
    except ValueError:
        message = f"no calendar has the date {excerpt(match[0])}"
        yield _Wrong(("played_at",), "a date of the calendar", excerpt(text), message)
