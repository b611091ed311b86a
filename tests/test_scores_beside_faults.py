"""A wrong result is found beside an illegal act if the act leaves it known who took which points, and only then."""

from __future__ import annotations

import re
from zipfile import ZipFile

import pytest

from tests.conftest import ROOT
from tests.mischief import play_with
from tichu_analytics.formats.bsw import read_game
from tichu_analytics.formats.bsw.writer import write_game
from tichu_analytics.replay.game import replay
from tichu_analytics.rules.cards import DRAGON
from tichu_analytics.simulate import simulate_games
from tichu_analytics.view.text import trick_text

HEADER = "---------------Gr.Tichukarten------------------"


def findings(text: str, rules: str = "bsw"):
    return [
        (one.line, one.name, one.severity) for one in replay(read_game(text.encode(), "1.tch", "1"), rules).findings
    ]


def shifted(text: str, by: int) -> str:
    """The text with points moved from one side of the last result to the other."""
    first, second = map(int, re.findall(r"-?[0-9]+", text.rstrip().split("Ergebnis: ")[-1].replace(" - ", " ")))
    return text[: text.rindex("Ergebnis: ")] + f"Ergebnis: {first + by} - {second - by}\n"


@pytest.mark.parametrize("kind", ["wish_passed", "wish_not_followed", "not_higher", "not_taken", "dragon_to_own_team"])
def test_wrong_score_beside_one_illegal_act(kind):
    compared = 0
    for number in range(80):
        game, done = play_with((kind,), f"score:{number}")
        if len(done) != 1:
            continue
        text = write_game(game)
        lines = text.count("\n")
        names = [name for _, name, _ in findings(text)]
        assert len(names) == 1
        for by in (5, -5):
            found = findings(shifted(text, by))
            assert found[0][1] == names[0]
            # What the last player is left with may explain it, and then nothing is said.
            if len(found) > 1:
                compared += 1
                assert found[1:] == [(lines, "wrong-score", "error")]
    assert compared >= 3


def test_half_results_are_truncations():
    text = next(simulate_games(1, 8)).text.split(HEADER)[1]
    text = HEADER + text
    assert findings(text) == []
    last = text.rstrip("\n").count("\n") + 1
    start = text.rindex("Ergebnis:")
    for end in range(start + 1, len(text) - 1):
        found = findings(text[:end])
        assert found == [(last, "truncated", "warning")], text[start:end]


def test_a_result_that_cannot_be_read_as_a_line_is_one_finding():
    parts = next(simulate_games(1, 8)).text.split(HEADER)[1:3]
    first, second = (HEADER + part for part in parts)
    for lost in ("Ergebnis", "Ergebnsi: 55 - 45", "x"):
        text = first[: first.rindex("Ergebnis:")] + lost + "\n"
        assert [name for _, name, _ in findings(text + second)] == ["unknown-line"]
        assert [name for _, name, _ in findings(text)] == ["unknown-line"]


def test_a_repeated_call_may_have_been_counted_twice():
    for game in simulate_games(30, 21):
        for part in game.text.split(HEADER)[1:]:
            text = HEADER + part
            match = re.search(r"\nTichu: \(([0-3])\)[^\n]*\n(?=\(\1\))", text)
            if match is None:
                continue
            # Once more, two lines later: behind the caller's own play and the next line.
            lines = text.split("\n")
            place = text[: match.end()].count("\n") + 2
            if not lines[place - 1].startswith("(") or not lines[place - 2].startswith("("):
                continue
            again = "\n".join([*lines[:place], match[0].strip("\n"), *lines[place:]])
            assert [name for _, name, _ in findings(again)] == ["call-repeated"]
            score = re.findall(r"-?[0-9]+", lines[-2].replace(" - ", " "))
            team = int(match[1]) % 2
            for bonus in (100, -100):
                twice = [int(number) for number in score]
                twice[team] += bonus
                found = findings(again.replace(lines[-2], f"Ergebnis: {twice[0]} - {twice[1]}"))
                if [name for _, name, _ in found] == ["call-repeated"]:
                    return
    pytest.fail("no round shows a Tichu that counts twice")


def test_a_call_after_the_end_does_not_count():
    text = HEADER + next(simulate_games(1, 22)).text.split(HEADER)[1]
    callers = set(re.findall(r"Tichu: \(([0-3])\)", text))
    for seat in sorted({"0", "1", "2", "3"} - callers):
        name = re.search(rf"\n(\({seat}\)[^ ]*) gibt", text)
        assert name is not None
        start = text.rindex("Ergebnis:")
        for call in ("Tichu", "Grosses Tichu"):
            found = findings(f"{text[:start]}{call}: {name[1]}\n{text[start:]}")
            assert [one[1] for one in found] == ["tichu-too-late" if call == "Tichu" else "grand-too-late"]
    assert len(callers) < 4


def texts():
    """Logs of the sample archive."""
    with ZipFile(ROOT / "sample_logs" / "games.zip") as archive:
        for name in archive.namelist()[:120]:
            yield archive.read(name).decode()


def facts(one):
    """What must not depend on a line that is one too many."""
    taken = [(trick.winner_seat, trick.taker_seat, trick.dragon_to, trick.points) for trick in one.tricks]
    return one.score, one.card_points, one.points_taken, taken


def test_a_gift_before_the_dragon_is_bombed_gives_nothing_away():
    """The bomb takes the trick, whatever has been said: who took what, and the score, are as without the gift."""

    count = 0
    for text in texts():
        lines = text.split("\n")
        sound = replay(read_game(text.encode(), "x.tch", "x"))
        for one in sound.rounds if not sound.findings else ():
            for trick in one.tricks:
                dragon = next((move for move in trick.moves if move.cards == (DRAGON,)), None)
                if dragon is None or not trick.n_bombs:
                    continue
                for to in ((dragon.seat + 1) % 4, (dragon.seat + 3) % 4):
                    gift = f"Drache an: ({to}){one.record.names[to]}"
                    changed = "\n".join([*lines[: dragon.line], gift, *lines[dragon.line :]])
                    found = replay(read_game(changed.encode(), "x.tch", "x"))
                    assert [(finding.name, finding.line) for finding in found.findings] == [
                        ("gift-too-early", dragon.line + 1)
                    ]
                    assert facts(found.rounds[one.number - 1]) == facts(one)
                    assert "with the Dragon" not in trick_text(found, one.number, trick.number)
                    count += 1
    assert count > 5


@pytest.mark.parametrize("rules", ["bsw", "official"])
def test_a_pass_before_the_play_that_meets_the_wish_is_one_line_too_many(rules):
    """It ignores the wish, and is shown as a pass; the trick goes on with the play, as without it."""
    count = 0
    for text in texts():
        lines = text.split("\n")
        sound = replay(read_game(text.encode(), "x.tch", "x"), rules)
        for one in sound.rounds if not sound.findings else ():
            wish = one.wish
            if wish is None or wish.fulfilled_line is None:
                continue
            trick = next(trick for trick in one.tricks if any(move.line == wish.fulfilled_line for move in trick.moves))
            met = next(move for move in trick.moves if move.line == wish.fulfilled_line)
            if met is trick.moves[0] or met.out_of_turn or met.bomb:
                continue
            line = met.line - 1
            changed = [*lines[:line], f"({met.seat}){one.record.names[met.seat]} passt.", *lines[line:]]
            found = replay(read_game("\n".join(changed).encode(), "x.tch", "x"), rules)
            assert [(finding.name, finding.line) for finding in found.findings] == [("wish-ignored", met.line)]
            its = found.rounds[one.number - 1]
            assert facts(its) == facts(one)
            moves = [(move.line, move.seat, move.cards) for move in its.tricks[trick.number - 1].moves]
            passing = next(index for index, move in enumerate(moves) if move[0] == met.line)
            assert moves[passing : passing + 2] == [(met.line, met.seat, ()), (met.line + 1, met.seat, met.cards)]
            count += 1
    assert count > 20
