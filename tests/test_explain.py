"""The pages of the findings: complete, in step with codes and options, and right in their examples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tichu_analytics.replay import explain as module
from tichu_analytics.replay.codes import BY_NAME, CODES, group_of
from tichu_analytics.replay.explain import SOURCES, Page, all_pages, as_markdown, as_text, explain
from tichu_analytics.replay.findings import SEVERITIES
from tichu_analytics.rules import play, turns
from tichu_analytics.rules.cards import DECK, PHOENIX_MASK
from tichu_analytics.rules.combinations import DOG_PLAY, NO_COMBINATION, is_bomb, readings, single_phoenix_rank2
from tichu_analytics.rules.options import OFFICIAL, OPTIONS
from tichu_analytics.rules.rulesets import differing_options, rule_set_names

PAGES = all_pages()
IDS = [page.code for page in PAGES]
NAMES = ("Anouk", "Bertil", "Carla", "Dolf")

RANKS = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "B", "D", "K", "A")
SUITS = "SBGR"
SPECIALS = ("Ma", "Hu", "Ph", "Dr")
#: The bit of each card in the notation of the logs, worked out here and not by the reader.
BITS = {f"{suit}{rank}": 4 * r + s for r, rank in enumerate(RANKS) for s, suit in enumerate(SUITS)}
BITS |= {card: 52 + place for place, card in enumerate(SPECIALS)}

CARD = r"(?:[SBGR](?:[2-9]|10|[BDKA])|Ma|Hu|Ph|Dr)"
SEAT = r"\([0-3]\)[^ :]*"
GRAMMAR = {
    "header": r"-{15}(?:Gr\.Tichukarten|Startkarten|Rundenverlauf)-{18}|Schupfen:",
    "deal": rf"{SEAT} {CARD}(?: {CARD}){{7}}(?:(?: {CARD}){{6}})?",
    "gift": rf"{SEAT} gibt:(?: [^ :]+: {CARD} -){{3}}",
    "bombs": rf"BOMBE:(?: {SEAT})+",
    "call": rf"(?:Tichu|Grosses Tichu): {SEAT}",
    "play": rf"{SEAT}: {CARD}(?: {CARD})*",
    "pass": rf"{SEAT} passt\.",
    "wish": r"Wunsch:(?:[2-9]|10|[BDKA])",
    "dragon": rf"Drache an: {SEAT}",
    "result": r"Ergebnis: -?[0-9]+ - -?[0-9]+",
    "gap": r"\.\.\.",
}
#: Examples may have lines of TGR records, a JSON object each: events by their fields, and records.
RECORD_FIELDS = {
    "play": ({"seat", "cards"}, {"phoenix_as", "turn"}),
    "pass": ({"seat"}, set()),
    "collect": ({"seat"}, set()),
    "wish": ({"rank"}, set()),
    "gift": ({"to"}, set()),
    "call": ({"seat", "call"}, set()),
}
RECORD_CARD = r"(?:[SBGR](?:[2-9]|10|[JQKA])|Ma|Do|Ph|Dr)"
#: Names of a record's fields that pages may mention beside options.
MENTIONED_FIELDS = {"trick_ends"}
#: Codes about lines that cannot be read: the line marked breaks the grammar, if not in print then in its bytes.
MALFORMED = {"T001", "T002", "T003", "T007", "T020", "T021", "T022", "T023", "T025", "T026", "T032"}
MALFORMED |= {"T311", "T502", "T040", "T041", "T042"}

#: What the small replay below says beside the rulebook's verdicts, of what only records can say.
PASS_FOR_COLLECT, COLLECT_NOT_DUE, TURN_MARKED_WRONG = 100, 101, 102
#: What the rulebook says about the line marked.
VERDICTS = {
    "T329": PASS_FOR_COLLECT,
    "T330": COLLECT_NOT_DUE,
    "T331": TURN_MARKED_WRONG,
    "T304": play.IS_NO_COMBINATION,
    "T305": play.OTHER_COMBINATION,
    "T306": play.NOT_HIGHER,
    "T307": play.NOT_ON_TURN,
    "T308": play.NOT_THE_LEADER,
    "T320": play.PASS_ON_LEAD,
    "T321": play.TRICK_CLOSED,
    "T322": play.DOG_NOT_LED,
    "T323": play.EMPTY_TABLE_BOMBED,
    "T324": play.DOG_BOMBED,
    "T325": play.FIRST_PLAY_BOMB,
    "T326": play.PASS_BINDS,
    "T327": play.AFTER_END,
    "T328": play.AFTER_END,
    "T312": play.WISH_IGNORED,
    "T317": play.WISH_IGNORED,
}
#: Examples under other options than the official ones, as their remarks say.
SPECIAL_OPTIONS = {"T325": {"bomb_first_play": 0}, "T326": {"pass_and_out": 1}}


def test_every_verdict_has_an_example() -> None:
    """What the rulebook may say of a play or a pass; whether cards are held cannot be seen in an example."""
    unseen = {play.LEGAL, play.NOT_HELD}
    assert {*range(len(play.VERDICT_NAMES))} - unseen - {*VERDICTS.values()} == set()


def record_line(line: str) -> dict[str, Any] | None:
    """A line of a TGR record, if it is as the format asks for."""
    try:
        found = json.loads(line)
    except ValueError:
        return None
    if not isinstance(found, dict):
        return None
    if "tgr" in found:
        known = found.keys() <= {"tgr", "rules", "rounds"} and found.get("rules", "official") in rule_set_names()
        return found if known and found["tgr"] == 1 and isinstance(found.get("rounds"), list) else None
    needed, optional = RECORD_FIELDS.get(found.get("event", ""), ({"nothing has this"}, set()))
    fields = found.keys() - {"event"}
    values = {
        "seat": (0, 1, 2, 3),
        "to": (0, 1, 2, 3),
        "call": ("tichu", "grand"),
        "turn": ("in", "out"),
    }
    if not needed <= fields <= needed | optional or any(
        found[name] not in values[name] for name in fields & set(values)
    ):
        return None
    cards = found.get("cards", "Ma")
    return found if re.fullmatch(rf"{RECORD_CARD}(?: {RECORD_CARD})*", cards) else None


def kind_of(line: str) -> str | None:
    if line.startswith("{"):
        found = record_line(line)
        return None if found is None else found.get("event", "record")
    return next((kind for kind, pattern in GRAMMAR.items() if re.fullmatch(pattern, line)), None)


def cards_of(text: str) -> list[str]:
    return re.findall(rf"(?<![A-Za-z0-9]){CARD}(?![A-Za-z0-9])", text)


def act_of(line: str) -> tuple[int, list[str]]:
    """The seat and the cards of a play, a pass or the taking of a trick, cards in the letters of the logs."""
    found = record_line(line)
    if found is None:
        return int(line[1]), cards_of(line.partition(": ")[2])
    cards = found.get("cards", "").replace("J", "B").replace("Q", "D").replace("Do", "Hu")
    return found["seat"], cards.split()


def verdict_name(verdict: int) -> str:
    own = {
        PASS_FOR_COLLECT: "pass for collect",
        COLLECT_NOT_DUE: "collect not due",
        TURN_MARKED_WRONG: "turn marked wrong",
    }
    return own[verdict] if verdict in own else play.VERDICT_NAMES[verdict]


def mask_of(cards: list[str]) -> int:
    mask = 0
    for card in cards:
        mask |= 1 << BITS[card]
    return mask


class Table:
    """A small replay of an example, of which only some lines are known; the rulebook judges."""

    def __init__(self, code: str) -> None:
        self.options = OFFICIAL._replace(**SPECIAL_OPTIONS.get(code, {}))
        self.out: list[int] = []
        self.over = False
        self.first_play = False
        self.hands: dict[int, int] = {}
        self.seen = 0
        self.marks_collects = False
        self.forget()

    def forget(self) -> None:
        """Lines are left out: nobody knows who is to act."""
        self.turn: int | None = None
        self.owner: int | None = None
        self.kind, self.length, self.rank2 = NO_COMBINATION, 0, 0
        self.passed = 0
        self.passed_before = 0
        self.after_dog = False
        self.wish = 0

    @property
    def active(self) -> int:
        return 15 & ~sum(1 << seat for seat in self.out)

    @property
    def closed(self) -> bool:
        return self.owner is not None and turns.all_passed(self.owner, self.passed, self.active)

    def remark(self, text: str) -> None:
        if "the round is over" in text:
            self.over = True
        match = re.fullmatch(r"\((\d)\)\w+ is out", text)
        if match:
            self.out.append(int(match[1]))
        match = re.match(r"(\w+) holds (?!no|the|four|G9 and)", text)
        if match:
            self.hands[NAMES.index(match[1])] = mask_of(cards_of(text))

    def situation(self, seat: int) -> play.Situation:
        return play.Situation(
            table_kind=self.kind,
            table_length=self.length,
            table_rank2=self.rank2,
            in_turn=int(self.turn is None or self.turn == seat),
            taking=int(self.closed and self.owner == seat),
            others_passed=int(self.closed),
            after_dog=int(self.after_dog),
            first_play=int(self.first_play),
            passed=int(bool(self.passed_before >> seat & 1)),
            over=int(self.over),
            wish=self.wish,
            wish_first_trick=1,
        )

    def lead_by(self, seat: int) -> None:
        wish = self.wish
        self.forget()
        self.turn, self.wish = seat, wish

    def passes(self, seat: int, hand: int | None) -> int:
        if self.closed and seat == self.owner:
            self.lead_by(seat)
            return PASS_FOR_COLLECT if self.marks_collects else play.LEGAL
        verdict = play.judge_pass(hand or 0, self.situation(seat), self.options)
        self.passed |= 1 << seat
        self.passed_before |= 1 << seat
        self.turn = turns.next_seat(seat, self.active)
        if self.closed and self.owner in self.out:
            self.lead_by(turns.leader_after_trick(self.owner or 0, self.active))
        return verdict

    def collects(self, seat: int) -> int:
        due = self.closed and seat == self.owner
        self.lead_by(seat)
        return play.LEGAL if due else COLLECT_NOT_DUE

    def marked(self, turn: str | None, seat: int, cards: list[str]) -> bool:
        """Whether what a record says about the turn of a play can be so; asked before the play."""
        bomb = is_bomb(readings(mask_of(cards), self.options).kind)
        if turn == "out":
            return bomb and self.owner is not None
        return turn is None or self.turn in (None, seat)

    def plays(self, seat: int, cards: list[str], hand: int | None) -> int:
        mask = mask_of(cards)
        found = readings(mask, self.options)
        verdict = play.judge_play(
            (DECK if hand is None else hand) | mask, mask, found, self.situation(seat), self.options
        )
        if hand is None and verdict == play.WISH_IGNORED:
            verdict = play.LEGAL  # the example does not tell the hand
        self.first_play = False
        if found.kind == DOG_PLAY:
            self.lead_by(turns.leader_after_dog(seat, self.active))
            self.after_dog = True
            return verdict
        rank2 = single_phoenix_rank2(self.kind, self.rank2) if mask == PHOENIX_MASK else found.rank2
        self.kind, self.length, self.rank2 = found.kind, found.length, rank2
        self.owner, self.passed, self.after_dog = seat, 0, False
        self.turn = turns.next_seat(seat, self.active)
        return verdict


@pytest.mark.parametrize("code", CODES)
def test_every_code_has_a_complete_page(code: str) -> None:
    page = explain(code)
    assert page.code == code
    assert page.group == group_of(code)
    assert all(page.meaning) and all(page.rule) and all(page.advice)
    assert page.line and page.message and page.sources
    assert page.title == CODES[code].title and page.severity == CODES[code].severity
    # A severity in words begins with one, and names the one that the registry has.
    assert not page.severity_note or page.severity_note.split()[0].rstrip(";") in SEVERITIES
    assert not page.severity_note or page.severity in page.severity_note


def test_no_page_without_a_code() -> None:
    assert sorted(IDS) == sorted(CODES)


def test_pages_stand_by_group_and_code() -> None:
    groups = [page.group for page in PAGES]
    assert list(dict.fromkeys(groups)) == list(module.group_names())
    assert groups == [group for group in module.group_names() for _ in range(groups.count(group))]
    for group in module.group_names():
        codes = [page.code for page in PAGES if page.group == group]
        assert codes == sorted(codes)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_pages_refer_to_what_exists(page: Page) -> None:
    assert set(page.sources) <= SOURCES.keys()
    assert len(set(page.sources)) == len(page.sources)
    known = {option.name: option for option in OPTIONS}
    assert set(page.options) <= known.keys()
    text = " ".join((*page.meaning, *page.rule, *page.advice, page.severity_note))
    for word in re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+)+)`", text):
        values = {value for option in OPTIONS for value in option.values}
        assert word in known or word in values or word in MENTIONED_FIELDS, word
    for other in re.findall(r"\bT\d+\b", text):
        assert other in CODES
    assert all(option in text for option in page.options)
    assert not re.search(r"seeds? (?!00[0-4])\d", text)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_sources_named_in_the_rule_are_listed(page: Page) -> None:
    named = set(re.findall(r"\b00[0-4]\b", " ".join(page.rule)))
    # A slip of a seed may be mentioned without the rule resting on it.
    assert named <= set(page.sources) | {"001", "003", "004"}


def test_pages_say_rightly_which_rule_sets_differ() -> None:
    differing = differing_options()
    special = {
        option: {name for name, value in values.items() if value != values["official"]}
        for option, values in differing.items()
        if option != "seat_layout"  # for drawing only; no finding depends on it
    }
    named = {
        "phoenix_ambiguity": {"bsw"},
        "wish_bomb_in_turn": {"bsw"},
        "late_tichu": {"bsw"},
        "tie_at_target": {"bsw"},
        "wish_held_as_bomb": {"tichugr"},
        "bomb_first_play": {"tichugr"},
    }
    assert special == named
    for option, names in named.items():
        pages = [page for page in PAGES if option in page.options]
        assert pages, option
        for page in pages:
            text = " ".join((*page.rule, page.severity_note, *page.advice))
            assert all(name in text for name in names), (page.code, option)
    # "a rule set of your own": none of the named ones differs from the official rules there.
    for page in PAGES:
        if "of your own that sets" in page.severity_note or "in all named rule sets" in " ".join(page.rule):
            assert not differing.keys() & set(page.options), page.code


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_page_says_what_it_means_in_a_few_sentences(page: Page) -> None:
    sentences = len(re.findall(r"[.!?](?=\s|$)", " ".join(page.meaning)))
    assert 2 <= sentences <= 6


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_every_example_marks_one_line(page: Page) -> None:
    assert sum(line.is_wrong for line in page.example) == 1
    assert not any(line.is_wrong and line.is_remark for line in page.example)


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_example_lines_are_lines_of_a_log(page: Page) -> None:
    for line in page.example:
        if not line.is_remark and not (line.is_wrong and page.code in MALFORMED):
            assert kind_of(line.text) is not None, line.text
        if line.is_wrong and page.code in MALFORMED - {"T032"}:
            assert kind_of(line.text) is None, line.text
        if line.is_remark:
            # A word that looks like a card is one.
            for word in re.findall(r"\b[SBGR][0-9]+\b", line.text):
                assert word in BITS, word


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ('{"event": "collect", "seat": 0}', "collect"),
        ('{"event": "play", "seat": 0, "cards": "S5 Ph", "turn": "in", "phoenix_as": "5"}', "play"),
        ('{"event": "gift", "to": 3}', "gift"),
        ('{"tgr": 1, "rules": "bsw", "rounds": []}', "record"),
        ('{"event": "collect", "seat": 4}', None),
        ('{"event": "collect"}', None),
        ('{"event": "take", "seat": 0}', None),
        ('{"event": "pass", "seat": 0, "cards": "S5"}', None),
        ('{"event": "play", "seat": 0, "cards": "SD"}', None),
        ('{"event": "play", "seat": 0, "cards": "S5", "turn": "maybe"}', None),
        ('{"tgr": 1, "rules": "house", "rounds": []}', None),
        ('{"tgr": 1, "rounds": [', None),
        ('{"seat": 0}', None),
    ],
)
def test_the_grammar_of_record_lines_can_fail(line: str, kind: str | None) -> None:
    assert kind_of(line) == kind


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_names_belong_to_their_seats(page: Page) -> None:
    for line in page.example:
        for seat, name in re.findall(r"\(([0-3])\)(\w+)", line.text):
            if not (line.is_wrong and page.code in ("T030", "T031")) and "<" not in line.text:
                assert name == NAMES[int(seat)], line.text


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_no_card_is_played_twice_in_an_example(page: Page) -> None:
    if page.code in ("T302", "T303"):
        return
    played = [
        card
        for line in page.example
        if not line.is_remark and kind_of(line.text) == "play"
        for card in act_of(line.text)[1]
    ]
    assert len(played) == len(set(played)), played


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_examples_are_right_by_the_rules(page: Page) -> None:
    table = Table(page.code)
    table.marks_collects = any(line.text.startswith("{") for line in page.example)
    verdict = play.LEGAL
    for line in page.example:
        if line.is_remark:
            table.remark(line.text)
            continue
        kind = kind_of(line.text)
        if kind == "gap":
            table.forget()
        elif kind == "header":
            table.first_play = "Rundenverlauf" in line.text
        elif kind == "collect":
            verdict = table.collects(act_of(line.text)[0])
            assert line.is_wrong or verdict == play.LEGAL, line.text
        elif kind == "wish":
            table.wish = RANKS.index(line.text.partition(":")[2]) + 2
        elif kind in ("play", "pass"):
            seat, cards = act_of(line.text)
            hand = table.hands.get(seat)
            if kind == "pass":
                verdict = table.passes(seat, hand)
            else:
                mark_fits = table.marked((record_line(line.text) or {}).get("turn"), seat, cards)
                if page.code == "T317" and line.is_wrong:
                    hand = mask_of(["G9", *cards])
                verdict = table.plays(seat, cards, hand)
                if verdict == play.LEGAL and not mark_fits:
                    verdict = TURN_MARKED_WRONG
            if not line.is_wrong:
                assert verdict == play.LEGAL, (line.text, verdict_name(verdict))
        if line.is_wrong:
            if page.code in VERDICTS:
                assert verdict_name(verdict) == verdict_name(VERDICTS[page.code])
            elif kind in ("play", "pass", "collect") and page.code not in ("T303", "T309"):
                assert verdict == play.LEGAL, verdict_name(verdict)
            return


def test_the_scores_of_the_examples_add_up() -> None:
    for code in ("T510", "T511", "T512", "T513"):
        page = explain(code)
        texts = [line.text for line in page.example]
        shares = [
            re.search(r"card points: (\d+) for Anouk and Carla, (\d+) for Bertil and Dolf", text) for text in texts
        ]
        found = next(share for share in shares if share)
        ours, theirs = int(found[1]), int(found[2])
        assert ours + theirs == 100
        if code == "T512":
            theirs += 100
        stated = re.search(r"comes to (-?\d+) - (-?\d+)", page.message)
        assert stated and (int(stated[1]), int(stated[2])) == (ours, theirs)
        logged = re.search(r"Ergebnis: (-?\d+) - (-?\d+)", "\n".join(texts))
        assert logged
        difference = (int(logged[1]) - ours, int(logged[2]) - theirs)
        assert difference == {"T510": (-5, 5), "T511": (-200, 0), "T512": (0, -100), "T513": (25, -25)}[code]


def test_codes_and_names_in_any_case() -> None:
    assert explain("T312") is explain("t312") is explain("wish-ignored") is explain(" Wish_Ignored ")
    for name, code in BY_NAME.items():
        assert explain(name).code == code.code


@pytest.mark.parametrize(
    ("wanted", "near"),
    [("wish-ignord", "T312 (wish-ignored)"), ("T319", "T318 (wish-missing)"), ("T9999", "T601 (played-on)")],
)
def test_unknown_codes_have_near_matches(wanted: str, near: str) -> None:
    with pytest.raises(ValueError, match=re.escape(near)):
        explain(wanted)


@pytest.mark.parametrize("wanted", ["", "xyzzy", "\x1b[31mT312", "Ω" * 1000, "T\u0663\u0661\u0662"])
def test_unknown_codes_without_near_matches(wanted: str) -> None:
    with pytest.raises(ValueError) as caught:
        explain(wanted)
    assert str(caught.value).isascii() and str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("page", PAGES, ids=IDS)
def test_text_and_markdown_are_complete(page: Page) -> None:
    text, markdown = as_text(page), module.as_page_markdown(page)
    flat = " ".join(text.split())
    for part in (*page.meaning, *page.rule, *page.advice, page.message):
        assert " ".join(part.split()) in flat
        assert " ".join(part.split()) in " ".join(markdown.split())
    assert all(len(line) <= 100 for line in text.split("\n"))
    assert markdown.count("```") == 2


def test_the_document_is_up_to_date() -> None:
    document = Path(__file__).parent.parent / "docs" / "findings.md"
    assert document.read_text(encoding="utf-8") == as_markdown(), (
        "run: python -m tichu_analytics.replay.explain > docs/findings.md"
    )


def test_links_of_the_document_lead_somewhere() -> None:
    document = as_markdown()
    anchors = {heading.lower().replace(" ", "-") for heading in re.findall(r"^### (.*)$", document, re.MULTILINE)}
    links = re.findall(r"\(#([^)]*)\)", document)
    assert len(links) == len(CODES) and set(links) == anchors


# The command --------------------------------------------------------------------------------------------------------
