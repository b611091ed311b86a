"""JSON text of TGR records: read strictly, written for people, its lines found."""

from __future__ import annotations

import inspect
import json
import pickle
import random
import sys
import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.test_tgr_schema import FULL, NAMES
from tichu_analytics.formats.tgr.layout import excerpt, one_line, pretty
from tichu_analytics.formats.tgr.locate import lines_of, pointer_to
from tichu_analytics.formats.tgr.text import MOST_DIGITS, MOST_LEVELS, BadText, parse

TEXTS = st.text(max_size=8) | st.text(
    alphabet='"\\/\u202e\u2028\u2029\x00\x1f\x7f\x85\xad\ufeff\U000e0001 aé😀', max_size=8
)
NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=5) | st.dictionaries(st.sampled_from(NAMES) | TEXTS, inner, max_size=5)
    ),
    max_leaves=20,
)  # fmt: skip


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same, true and 1 being different, and fields in any order."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(same(one[name], other[name]) for name in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(same(*pair) for pair in zip(one, other, strict=True))
    return isinstance(one, bool) == isinstance(other, bool) and bool(one == other)


def nested(levels: int, value: Any = None, in_objects: bool = False) -> Any:
    for _ in range(levels):
        value = {"a": value} if in_objects else [value]
    return value


# Reading


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1),
        (" \r\n\t[ ] ", []),
        (b"\xef\xbb\xbf{}", {}),
        ("\ufeff{}", {}),
        ("1.0", 1),
        ("-0.0", 0),
        ("2e3", 2000),
        ("1.5", 1.5),
        ("9007199254740992.0", 2**53),
        ("1e300", 1e300),
        ("1e-999", 0),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\\\ud800"', "\\ud800"),
        ('"\u2028"', "\u2028"),
        ("-" + "9" * 50, -(10**50) + 1),
        ('{"a": {"b": 1}, "b": 1}', {"a": {"b": 1}, "b": 1}),
    ],
)
def test_good_texts(text: str | bytes, value: Any) -> None:
    found = parse(text)
    assert found == value
    assert type(found) is type(value)


#: A text, the line, column and pointer of its fault, and words of the message.
BAD: list[tuple[str | bytes, int, int, str, list[str]]] = [
    ("", 1, 1, "", ["a value", "the end of the text"]),
    (b"  \n ", 2, 2, "", ["a value", "the end of the text"]),
    ("nul", 1, 1, "", ["a value", '"nul"']),
    ("\xa0[]", 1, 1, "", ["a value", "U+00A0"]),
    ("[1\n,\n 2 3]", 3, 4, "", ["a comma or the closing bracket", '"3"']),
    ('{"a":1\n "b":2}', 2, 2, "", ["a comma or the closing bracket", '"\\""']),
    ("[1,]", 1, 3, "", ["no comma before the closing bracket"]),
    ('{"a":1\n, }', 2, 1, "", ["no comma before the closing bracket"]),
    ("[,]", 1, 2, "", ["a value", '","']),
    ("{a:1}", 1, 2, "", ["a name in double quotes", '"a"']),
    ("{'a':1}", 1, 2, "", ["a name in double quotes"]),
    ('{"a" 1}', 1, 6, "", ["a colon after the name", '"1"']),
    ('{"a":}', 1, 6, "", ["a value", '"}"']),
    ('{"a": 1', 1, 8, "", ["the end of the text"]),
    ('["a', 1, 2, "", ["a double quote that ends the text"]),
    ('["a\nb"]', 1, 4, "", ["a control character", "U+000A"]),
    ('["a\x00b"]', 1, 4, "", ["a control character", "U+0000"]),
    ('["\\x41"]', 1, 3, "", ["after the backslash"]),
    ('["\\u12G4"]', 1, 4, "", ["four hexadecimal digits"]),
    ("[] []", 1, 4, "", ["nothing more", '"["']),
    ('{"tgr":1}\n{"tgr":1}', 2, 1, "", ["nothing more"]),
    ("[1 // one\n]", 1, 4, "", ["a comma"]),
    ("01", 1, 2, "", ["nothing more"]),
    ("[+1]", 1, 2, "", ["a value"]),
    ("[1.]", 1, 3, "", ["a comma"]),
    ("\ufeff\ufeff[]", 1, 1, "", ["a value", "U+FEFF"]),
    # What the parser of the standard library would let through.
    ('[0,\n {"a": NaN}]', 2, 8, "/1/a", ["a number", "found NaN"]),
    ("[Infinity]", 1, 2, "/0", ["found Infinity"]),
    ("-Infinity", 1, 1, "", ["found -Infinity"]),
    ('{"a":1,\n"b":{"c":1,"d":{},"c":2}}', 2, 19, "/b", ["every name once", '"c" twice']),
    ('{"a":1, "\\u0061":2}', 1, 9, "", ['"a" twice']),
    ('[[{"/~":{"a":[],"a":[]}}]]', 1, 17, "/0/0/~1~0", ['"a" twice']),
    ("[0, 1e999]", 1, 5, "/1", ["1e999"]),
    ('{"a":-1.5e400}', 1, 6, "/a", ["-1.5e400"]),
    ("[" + "1" * (MOST_DIGITS + 1) + "]", 1, 2, "/0", ["at most 4300 digits", "found 4301 digits"]),
    ("-" + "1" * 1_000_000, 1, 1, "", ["found 1000000 digits"]),
    ('["a",\n"b\\ud800"]', 2, 1, "/1", ["\\ud800 alone"]),
    ('{"x":{"\\uDE00\\ud83d":1}}', 1, 7, "/x", ["\\ude00 alone"]),
    ("[" * (MOST_LEVELS + 1) + "]" * (MOST_LEVELS + 1), 1, MOST_LEVELS + 1, "/0" * MOST_LEVELS, ["at most 200 levels"]),
    ('{"a":\n' * 100_000, MOST_LEVELS + 1, 1, "/a" * MOST_LEVELS, ["at most 200 levels"]),
    ("[" * 1_000_000, 1, MOST_LEVELS + 1, "/0" * MOST_LEVELS, ["at most 200 levels"]),
    # Bytes that are no text.
    (b'["a",\n"\xc3\xa9\xe9"]', 2, 3, "", ["UTF-8", "byte 0xE9"]),
    (b"\xef\xbb\xbf[\xff]", 1, 2, "", ["byte 0xFF"]),
    ('{"tgr": 1}'.encode("utf-16"), 1, 1, "", ["expected UTF-8, found UTF-16"]),
    (b'["\xed\xa0\x80"]', 1, 3, "", ["byte 0xED"]),
    ('["\n\ud800"]', 2, 1, "", ["U+D800"]),
]


@pytest.mark.parametrize(("text", "line", "column", "pointer", "words"), BAD)
def test_bad_texts(text: str | bytes, line: int, column: int, pointer: str, words: list[str]) -> None:
    with pytest.raises(BadText) as caught:
        parse(text)
    fault = caught.value
    assert (fault.line, fault.column, fault.pointer) == (line, column, pointer)
    for word in words:
        assert word in fault.message
    assert fault.message == f"{fault.message.partition(':')[0]}: expected {fault.expected}, found {fault.found}"
    assert len(fault.message) < 200
    assert fault.message.isprintable()
    assert str(fault) == f"line {line}, column {column}: {fault.message}"


def test_deep_is_allowed_to_a_limit() -> None:
    for in_objects in (False, True):
        value = nested(MOST_LEVELS, 5, in_objects)
        assert parse(json.dumps(value)) == value
        with pytest.raises(BadText, match="nested too deeply"):
            parse(json.dumps(nested(MOST_LEVELS + 1, 5, in_objects)))


def test_little_stack_left_is_no_crash() -> None:
    def down(levels: int) -> str:
        if levels:
            return down(levels - 1)
        with pytest.raises(BadText) as caught:
            parse("[" * 190 + "]" * 190 + "]}\\")
        return caught.value.message

    limit = sys.getrecursionlimit()
    # Some Pythons have a stack of their own for the parser, and come to the end of the text.
    assert down(limit - len(inspect.stack(0)) - 120).startswith(
        ("the text is nested too deeply", "the text is not JSON")
    )


def test_long_numbers_switched_off() -> None:
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(640)
    try:
        with pytest.raises(BadText, match="too long a number"):
            parse("[" + "1" * 700 + "]")
    finally:
        sys.set_int_max_str_digits(before)


def test_brackets_in_strings_are_no_levels() -> None:
    value = {"a": "[" * 5_000, "b": ["{" * 5_000]}
    assert parse(json.dumps(value)) == value


def test_a_fault_travels_to_another_process() -> None:
    with pytest.raises(BadText) as caught:
        parse('{"a":1,"a":2}')
    copied = pickle.loads(pickle.dumps(caught.value))
    assert str(copied) == str(caught.value)
    assert vars(copied) == vars(caught.value)


@given(value=VALUES, ascii_only=st.booleans(), indent=st.none() | st.integers(0, 2))
def test_what_the_standard_library_writes_is_read(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    assert same(parse(text), value)
    assert same(parse(text.encode()), value)


def whole_numbers_are_int(value: Any) -> bool:
    if isinstance(value, dict):
        return all(map(whole_numbers_are_int, value.values()))
    if isinstance(value, list):
        return all(map(whole_numbers_are_int, value))
    return not isinstance(value, float) or not value.is_integer() or abs(value) > 2**53


PIECES = st.lists(
    st.sampled_from([
        "{", "}", "[", "]", ",", ":", '"a"', '"a', '"', "\\", "\\ud800", '"\\ud800"', "1", "-", "1e999", "1.0", "NaN",
        "true", " ", "\n", "\x00", "\ufeff", "é", '{"a":', '"b":', "[[", '\\"',
    ]),
    max_size=25,
).map("".join)  # fmt: skip


@given(text=PIECES | st.text() | PIECES.map(str.encode) | st.binary())
@example(text='{"a":1,"a":{"a":NaN')
@example(text='["\\ud800" 1')
@example(text='[{"a":1,"a":2},"\\x"]')
def test_any_text_is_read_or_refused(text: str | bytes) -> None:
    try:
        value = parse(text)
    except BadText as fault:
        lines = (text if isinstance(text, bytes) else text.encode("utf-8", "surrogatepass")).split(b"\n")
        assert 1 <= fault.line <= len(lines)
        assert 1 <= fault.column <= len(lines[fault.line - 1]) + 1
        assert fault.expected
        assert fault.found
    else:
        assert same(value, json.loads(text if isinstance(text, bytes) else text.removeprefix("\ufeff")))
        assert whole_numbers_are_int(value)


# Writing


def test_pretty_full() -> None:
    lines = pretty(FULL).split("\n")
    assert lines[-1] == ""
    assert lines[:9] == [
        "{",
        '  "tgr": 1,',
        '  "id": "game 1",',
        '  "source": {',
        '    "name": "somewhere",',
        '    "url": "https://example.org/1",',
        '    "file": "1.tch",',
        '    "format": "bsw",',
        '    "_seen": true',
    ]
    assert '  "options": {"target": 500, "wish_optional": "true", "max_rounds": 3, "_why": [null]},' in lines
    assert '  "players": ["Ann", "", "Борис", "李"],' in lines
    assert '        "S2 S3 S4 S5 S6 S7 S8 S9",' in lines
    assert '        {"seat": 0, "call": "grand", "when": "first8"},' in lines
    assert (
        '        {"event": "play", "seat": 0, "cards": "Ma S2 S3 S4 Ph", "phoenix_as": "5", "turn": "in", "at": 12},'
        in lines
    )
    assert '        {"event": "gift", "to": 1, "at": 100, "_note": "Dragon"},' in lines
    assert '      "bombs": [0, 3],' in lines
    assert '      "score": [-100, 225],' in lines
    assert '          {"line": 6, "bombs": [3, 0, 3]},' in lines
    assert '    {"line": 1, "blank": true, "blanks": [[0, 3]]},' in [line[2:] for line in lines]
    assert [line for line in lines if line.endswith(" ")] == []


def test_known_fields_come_in_their_order() -> None:
    def shuffled(value: Any, chance: random.Random) -> Any:
        if isinstance(value, dict):
            names = list(value)
            chance.shuffle(names)
            return {name: shuffled(value[name], chance) for name in names}
        return [shuffled(inner, chance) for inner in value] if isinstance(value, list) else value

    ordered = {name: value for name, value in FULL.items() if name not in ("options", "_rating")}
    ordered["source"] = {name: value for name, value in FULL["source"].items() if name != "_seen"}
    for seed in range(20):
        other = shuffled(ordered, random.Random(seed))
        assert list(json.loads(one_line(other))) == [
            "tgr", "id", "source", "rules", "target", "played_at", "players", "trick_ends", "bsw", "rounds",
        ]  # fmt: skip
        first, second = (json.loads(write(other))["rounds"][1] for write in (pretty, one_line))
        assert first == second
        assert list(first) == [
            "players", "deal_players", "first8", "dealt", "calls", "exchange", "bombs", "events", "score", "bsw",
            "_comment",
        ]  # fmt: skip
        assert list(first["events"][0]) == ["event", "seat", "cards", "phoenix_as", "turn", "at"]
        assert list(first["calls"][0]) == ["seat", "call", "when"]
        assert list(first["bsw"]["lines"][6]["event"]) == ["event", "seat"]
    # The document itself is left as it is.
    assert list(other) == list(shuffled(ordered, random.Random(19)))


@given(document=VALUES)
@example(document={"rounds": [{"bsw": {"bsw": {"lines": []}}, "events": {"event": 1}}, 1], "bsw": [{}], "source": []})
def test_what_is_written_is_read_as_the_same(document: Any) -> None:
    for value in (document, {"rounds": [document, {"events": [document], "bsw": document}], "bsw": document}):
        line = one_line(value)
        assert same(parse(line), value)
        text = pretty(value)
        assert same(parse(text), value)
        assert text.endswith("\n")
        assert "\n" not in line
        for character in line + text.replace("\n", ""):
            assert unicodedata.category(character) not in ("Cc", "Cf", "Zl", "Zp", "Cs")
        assert pretty(parse(text)) == pretty(parse(line))


def test_letters_stay_and_hidden_characters_are_escaped() -> None:
    text = "Ünal 李 א 😀\u200d\u202e\u2028\u2029\x07\x7f\x85\xad\ufeff\U000e0041\ud800"
    shown = '"Ünal 李 א 😀\\u200d\\u202e\\u2028\\u2029\\u0007\\u007f\\u0085\\u00ad\\ufeff\\udb40\\udc41\\ud800"'
    assert one_line(text) == shown
    assert pretty({text: text}) == f"{{\n  {shown}: {shown}\n}}\n"
    assert one_line({"a": [1, {"b": None}]}) == '{"a":[1,{"b":null}]}'


def test_pretty_of_other_values() -> None:
    assert pretty({}) == "{}\n"
    assert pretty([]) == "[]\n"
    assert pretty("x") == '"x"\n'
    assert pretty({"rounds": [{}]}) == '{\n  "rounds": [\n    {}\n  ]\n}\n'
    long = ["x" * 60, {"y": "y" * 60, "z": []}]
    assert pretty({"_a": long}) == (
        '{\n  "_a": [\n    "' + "x" * 60 + '",\n    {"y": "' + "y" * 60 + '", "z": []}\n  ]\n}\n'
    )


@pytest.mark.parametrize("levels", [150, 400, 3_000, 30_000])
@pytest.mark.parametrize("in_objects", [False, True])
def test_deep_documents_are_written(levels: int, in_objects: bool) -> None:
    deep = nested(levels, "\u202e", in_objects)
    for value in ({"tgr": 1, "_deep": deep, "rounds": [deep]}, deep, {"bsw": deep}):
        for text in (one_line(value), pretty(value)):
            opening, closing = ("{", "}") if in_objects else ("[", "]")
            assert text.count(opening) >= levels
            assert text.count(opening) == text.count(closing)
            assert '"\\u202e"' in text
            assert len(text) < 30 * levels + 1_000


def test_nested_logs_do_not_grow_in_indents() -> None:
    value: Any = {f"a{index}": index for index in range(1_000)}
    for _ in range(190):
        value = {"bsw": value}
    text = pretty(value)
    assert parse(text) == value
    assert len(text) < 60_000


def test_no_numbers_that_json_lacks() -> None:
    for write in (pretty, one_line):
        with pytest.raises(ValueError, match="not JSON compliant"):
            write({"at": float("nan")})


def test_excerpts() -> None:
    assert excerpt("a" * 58) == f'"{"a" * 58}"'
    assert excerpt("a" * 10_000_000) == f'"{"a" * 58}…'
    assert excerpt([1, 2, {"a": None}]) == '[1,2,{"a":null}]'
    assert len(excerpt(list(range(1_000_000)))) == 60
    assert len(excerpt(nested(100_000))) == 60
    assert excerpt("\u202e\n", 5) == '"\\u2…'
    assert excerpt([1, 10**5_000]) in ("[1…", "[1,…")


# Lines


def test_lines_of_a_document() -> None:
    text = '\n{\n "a":\r\n  [1,\n   {"b/c": 2,\n "~": "x\\ny"}, []\n],\n "": {"0": true}, "\\u0064": [[\n[7]]]}\n'
    expected = {
        "": 2,
        "/a": 4,
        "/a/0": 4,
        "/a/1": 5,
        "/a/1/b~1c": 5,
        "/a/1/~0": 6,
        "/a/2": 6,
        "/": 8,
        "//0": 8,
        "/d": 8,
        "/d/0/0": 9,
        "/d/0/0/0": 9,
        # Nowhere: where the nearest thing around it is.
        "/nothing": 2,
        "/a/3": 4,
        "/a/-": 4,
        "/a/00": 4,
        "/a/1/b~1c/deeper/still": 5,
        "/a/2/0": 6,
        "//1/2": 8,
        "no pointer": 2,
    }
    assert lines_of(text, list(expected)) == expected
    for pointer, line in expected.items():
        assert lines_of(text, [pointer]) == {pointer: line}
    assert lines_of(text, ()) == {}
    assert lines_of("\n\n 5", ["", "/a"]) == {"": 3, "/a": 3}


def test_strings_with_signs_of_json_do_not_mislead() -> None:
    text = '{"x": "]},[{\\"", "y\\\\": ["{", "\\\\"],\n"z": 1}'
    assert lines_of(text, ["/z", "/y\\/1"]) == {"/z": 2, "/y\\/1": 1}


def test_lines_of_deep_and_long_texts() -> None:
    text = "[\n" * 5_000 + "]" * 5_000
    assert lines_of(text, ["/0" * 4_999, "/0" * 6_000, "/0"]) == {"/0" * 4_999: 5_000, "/0" * 6_000: 5_000, "/0": 2}
    text = '{"a": "' + "\\n" * 1_000_000 + '",\n"b": 0}'
    assert lines_of(text, ["/b"]) == {"/b": 2}


def spread(value: Any, chance: random.Random, path: tuple[str | int, ...], lines: dict[str, int], line: int) -> str:
    """JSON text with line feeds here and there; notes the line on which each value begins."""

    def gap() -> str:
        return chance.choice(["", "", " ", "\n", "\r\n", "\n\n "])

    lines[pointer_to(path)] = line
    if not isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=chance.random() < 0.5)
    text = "{" if isinstance(value, dict) else "["
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for index, (step, inner) in enumerate(entries):
        text += ("," if index else "") + gap()
        if isinstance(value, dict):
            text += json.dumps(step) + gap() + ":" + gap()
        text += spread(inner, chance, (*path, step), lines, line + text.count("\n")) + gap()
    return text + ("}" if isinstance(value, dict) else "]")


@given(value=VALUES, seed=st.integers(0, 2**32))
def test_lines_are_those_of_the_values(value: Any, seed: int) -> None:
    chance = random.Random(seed)
    lines: dict[str, int] = {}
    text = spread(value, chance, (), lines, 1)
    assert same(parse(text), value)
    some = chance.sample(list(lines), chance.randint(1, len(lines)))
    assert lines_of(text, some) == {pointer: lines[pointer] for pointer in some}
    beyond = {f"{pointer}/no such field/0": lines[pointer] for pointer in some}
    assert lines_of(text, list(beyond)) == beyond


def test_lines_of_the_full_document() -> None:
    text = pretty(FULL)
    lines = text.split("\n")
    pointers = [f"/rounds/1/events/{index}" for index in range(10)]
    found = lines_of(text, {*pointers, "/rounds/1/score", "/players"})
    assert [json.loads(lines[found[pointer] - 1].rstrip(",")) for pointer in pointers] == FULL["rounds"][1]["events"]
    assert lines[found["/rounds/1/score"] - 1] == '      "score": [-100, 225],'
    assert lines[found["/players"] - 1].startswith('  "players"')
    assert set(lines_of(one_line(FULL), pointers).values()) == {1}
