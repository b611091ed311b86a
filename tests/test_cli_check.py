"""The verb ``check`` around the library: what it writes in each format, how it selects, how it ends.

The games are made-up: a small stand-in for the library's check takes each line ``CODE severity round message`` of a log
as a finding, so that these tests are about the command alone.
"""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from tichu_analytics.replay.codes import BY_NAME, CODES, GROUPS, group_of
from tichu_cli.progress import Line
from tichu_cli.selection import UnknownSelector, codes_of, selected_codes

STAND_IN = textwrap.dedent(
    """
    import sys, time, types
    from typing import NamedTuple
    from tichu_analytics.formats.sources import Trouble, read_inputs
    from tichu_analytics.replay.codes import CODES
    from tichu_analytics.replay.findings import Finding

    class CheckedGame(NamedTuple):
        path: str
        game_id: str
        rounds: int
        clean_rounds: int
        findings: list

    class Remark(NamedTuple):
        text: str

    def check_paths(paths, rules="auto", engine="auto", *, jobs, with_course=False, scheduler=None):
        if rules not in ("auto", "bsw", "official"):
            raise ValueError(f"there is no rule set {rules!r}")
        return games(read_inputs(paths))

    def games(inputs):
        for item in inputs:
            if isinstance(item, Trouble):
                yield item
                continue
            findings = []
            for number, line in enumerate(item.data.decode("utf-8", "surrogateescape").split("\\n"), start=1):
                if line == "wait":
                    sys.stdout.flush()
                    time.sleep(60)
                elif line:
                    code, severity, round_, message = line.split(" ", 3)
                    found = "S5" if "S5" in message else None
                    findings.append(Finding(item.path, item.game_id, int(round_) or None, number, 2, code,
                                            CODES[code].name, severity, message, None, found))
            yield CheckedGame(item.path, item.game_id, 10, 10 - len({f.round for f in findings} - {None}), findings)

    sys.modules["tichu_analytics.checking"] = module = types.ModuleType("tichu_analytics.checking")
    module.check_paths, module.CheckedGame, module.Remark = check_paths, CheckedGame, Remark
    from tichu_cli.main import run
    sys.argv[0] = "tichu"
    run()
    """
)

ERROR = "T312 error 3 Anouk could have played S5"
WARNING = "T020 warning 4 an empty line"
NOTE = "T030 note 3 another name"


@pytest.fixture
def logs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to work in, with a log for each severity."""
    (tmp_path / "tichu.py").write_text(STAND_IN)
    monkeypatch.chdir(tmp_path)
    for name, text in (("clean", ""), ("error", ERROR), ("warning", f"\n{WARNING}"), ("note", NOTE)):
        (tmp_path / f"{name}.tch").write_text(text)
    (tmp_path / "all.tch").write_text(f"{ERROR}\n{NOTE}\n{WARNING}\nT020 warning 5 again")
    return tmp_path


def check(*args: str | Path, data: bytes | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "tichu.py", "check", *map(str, args)],
        capture_output=True,
        text=True,
        errors="surrogateescape",
        input=None if data is None else data.decode("utf-8", "surrogateescape"),
        timeout=60,
        check=False,
        env={**os.environ, **environment},
    )


def test_without_options_it_is_the_same(logs: Path) -> None:
    """Without options Typer is not loaded; an option with its default value brings it in."""
    for names in (["all.tch"], ["clean.tch", "error.tch"], ["note.tch", "gone.tch"], ["warning.tch"], ["clean.tch"]):
        plain, parsed = check(*names), check(*names, "--format", "text")
        assert (plain.returncode, plain.stdout, plain.stderr) == (parsed.returncode, parsed.stdout, parsed.stderr)
    for data in (b"", ERROR.encode()):
        plain, parsed = check("-", data=data), check("-", "--rules", "auto", data=data)
        assert (plain.returncode, plain.stdout, plain.stderr) == (parsed.returncode, parsed.stdout, parsed.stderr)


# ---------------------------------------------------------------- the three formats


def test_text(logs: Path) -> None:
    result = check("all.tch", "clean.tch")
    assert result.stderr == ""
    assert result.stdout == textwrap.dedent(
        """\
        all.tch:1: T312 wish-ignored: Anouk could have played S5 [error]
            round 3; seat 2; found: S5
        all.tch:2: T030 name-changed: another name [note]
            round 3; seat 2
        all.tch:3: T020 blank-line: an empty line [warning]
            round 4; seat 2
        all.tch:4: T020 blank-line: again [warning]
            round 5; seat 2
        code  name          severity  count
        T020  blank-line    warning       2
        T030  name-changed  note          1
        T312  wish-ignored  error         1
        4 findings in 2 games, 20 rounds, 17 of them clean
        """
    )


def test_text_without_findings_and_quiet(logs: Path) -> None:
    assert check("clean.tch").stdout == "0 findings in 1 game, 10 rounds, 10 of them clean\n"
    assert check("clean.tch", "--quiet").stdout == ""
    assert check("note.tch", "--quiet").stdout.count("\n") == 2


def test_json(logs: Path) -> None:
    result = check("all.tch", "--format", "json")
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert list(lines[0]) == (
        "type path game_id round line seat code name severity message expected found".split()  # noqa: SIM905
    )
    assert lines[0]["type"] == "finding" and lines[0]["path"] == "all.tch" and lines[0]["game_id"] == "all"
    assert (lines[0]["round"], lines[0]["line"], lines[0]["seat"]) == (3, 1, 2)
    assert (lines[0]["expected"], lines[0]["found"]) == (None, "S5")
    assert lines[-1] == {
        "type": "summary",
        "games": 1,
        "rounds": 10,
        "clean_rounds": 7,
        "findings": {"T020": 2, "T030": 1, "T312": 1},
    }
    assert len(lines) == 5
    assert check("all.tch", "--format", "json", "--quiet").stdout == result.stdout


def test_github(logs: Path) -> None:
    (logs / "a,b:c%.tch").write_text("T312 error 3 100 %\rlost")
    result = check("a,b:c%.tch", "note.tch", "warning.tch", "--format", "github")
    assert result.stdout.splitlines() == [
        "::error file=a%2Cb%3Ac%25.tch,line=1,title=T312 wish-ignored::100 %25%0Dlost",
        "::notice file=note.tch,line=1,title=T030 name-changed::another name",
        "::warning file=warning.tch,line=2,title=T020 blank-line::an empty line",
    ]
    assert "3 findings in 3 games" in result.stderr
    assert check("note.tch", "--format", "github", "--quiet").stderr == ""


def test_text_of_others_does_no_harm(logs: Path) -> None:
    (logs / "odd.tch").write_bytes("T031 warning 1 \x1b[2J\u202e\x07 Jürgen\u00a0Ł".encode() + b" \xff")
    for args in ((), ("--format", "github"), ("--format", "json")):
        for encoding in ("utf-8", "ascii", "cp1252"):
            result = check("odd.tch", *args, PYTHONIOENCODING=encoding)
            assert result.returncode == 0, result.stderr
            assert not set("\x1b\x07\u202e") & set(result.stdout)
            assert "Traceback" not in result.stderr
    assert (
        "\\u001b[2J\\u202e\\u0007 Jürgen\u00a0Ł \\udcff [warning]" in check("odd.tch", PYTHONIOENCODING="utf-8").stdout
    )


def test_colours_are_for_terminals(logs: Path) -> None:
    pty = pytest.importorskip("pty", reason="this system has no pseudo terminals")
    for environment, coloured in (({}, True), ({"NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)):
        ours, theirs = pty.openpty()
        subprocess.run(
            [sys.executable, "tichu.py", "check", "error.tch"],
            stdout=theirs,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
            env={**os.environ, "TERM": "xterm", "NO_COLOR": "", **environment},
        )
        shown = os.read(ours, 10_000).decode()
        os.close(ours)
        os.close(theirs)
        assert ("[\x1b[31merror\x1b[0m]" in shown) is coloured, shown
    assert "\x1b" not in check("error.tch").stdout


def test_progress_is_a_line_that_goes_away_again() -> None:
    out = io.StringIO()
    progress = Line(out, shown=True, pause=0)
    progress.clear()
    assert out.getvalue() == ""
    progress.show(lambda: "1 game")
    progress.show(lambda: "2 games")
    progress.clear()
    progress.clear()
    assert out.getvalue() == "\r1 game\033[K\r2 games\033[K\r\033[K"
    for silent in (Line(out := io.StringIO(), shown=False, pause=0), Line(out, shown=True, pause=1000)):
        silent.show(lambda: "3 games")
        assert out.getvalue() == ""


# ---------------------------------------------------------------- exit codes


@pytest.mark.parametrize("form", ["text", "json", "github"])
@pytest.mark.parametrize(
    ("args", "code"),
    [
        (["clean.tch"], 0),
        (["error.tch"], 1),
        (["warning.tch"], 0),
        (["warning.tch", "--strict"], 1),
        (["note.tch", "--strict"], 0),
        (["error.tch", "--exit-zero"], 0),
        (["error.tch", "clean.tch", "--rules", "bsw", "--jobs", "2", "--engine", "careful"], 1),
        (["error.tch", "--ignore", "T3"], 0),
        (["all.tch", "--select", "T030"], 0),
        (["all.tch", "--select", "T020", "--strict"], 1),
        (["gone.tch"], 2),
        (["gone.tch", "error.tch"], 2),
        (["gone.tch", "error.tch", "--exit-zero"], 2),
        (["error.tch", "--rules", "nonsense"], 2),
    ],
)
def test_exit_codes(logs: Path, form: str, args: list[str], code: int) -> None:
    result = check(*args, "--format", form)
    assert result.returncode == code, result.stderr
    assert "Traceback" not in result.stderr


def test_an_input_that_cannot_be_read_is_told_and_the_others_are_checked(logs: Path) -> None:
    result = check("gone\x1b.tch", "error.tch")
    assert result.stderr == "tichu: gone\\u001b.tch: no such file or directory\n"
    assert result.stdout.startswith("error.tch:1: T312")


def test_standard_input(logs: Path) -> None:
    result = check("-", data=ERROR.encode())
    assert result.stdout.startswith("-:1: T312 wish-ignored:")
    assert result.returncode == 1
    assert json.loads(check("-", "--format", "json", data=ERROR.encode()).stdout.splitlines()[0])["game_id"] == "stdin"


def test_an_unknown_rule_set_is_wrong_use(logs: Path) -> None:
    result = check("error.tch", "--rules", "nonsense")
    assert result.stdout == ""
    assert "there is no rule set 'nonsense'" in result.stderr


def test_interruption(logs: Path) -> None:
    (logs / "slow.tch").write_text(f"{ERROR}\nwait")
    with subprocess.Popen(
        [sys.executable, "tichu.py", "check", "error.tch", "slow.tch"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline().startswith("error.tch:1:")
        time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert process.returncode == 130
    assert errors == ""


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_closed_pipe_is_a_quiet_end(logs: Path, form: str) -> None:
    (logs / "many.tch").write_text("\n".join([ERROR] * 20_000))
    with subprocess.Popen(
        [sys.executable, "tichu.py", "check", "many.tch", "--format", form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        process.wait(30)
    assert errors == ""
    assert process.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no device that is always full")
def test_output_that_cannot_be_written_is_told(logs: Path) -> None:
    (logs / "many.tch").write_text("\n".join([ERROR] * 5_000))
    for name in ("many.tch", "error.tch"):
        with open("/dev/full", "w") as full:  # noqa: PTH123
            result = subprocess.run(
                [sys.executable, "tichu.py", "check", name],
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                timeout=60,
                check=False,
            )
        assert result.returncode == 2
        assert result.stderr == "tichu: cannot go on: No space left on device\n"


# ---------------------------------------------------------------- with the library itself


@pytest.mark.parametrize("form", ["text", "json", "github"])
def test_made_up_games(shared: Path, form: str) -> None:
    def run(*args: Path) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "tichu_cli.main", "check", "--format", form, *map(str, args)]
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)

    legal = run(shared / "checks" / "legal", shared / "checks" / "legal_odd_names")
    assert (legal.returncode, len(legal.stdout.splitlines())) == (0, 0 if form == "github" else 1), legal.stdout
    assert run(shared / "checks" / "one_illegal_move", shared / "checks" / "legal").returncode == 1


# ---------------------------------------------------------------- selection


def test_words_for_findings() -> None:
    assert codes_of("T312") == codes_of("t312") == codes_of("wish-ignored") == {"T312"}
    assert codes_of("T5") == {code for code in CODES if code[1] == "5"}
    assert codes_of("T") == set(CODES)
    assert codes_of("Moves") == {code for code in CODES if group_of(code) == "moves"}
    for group in GROUPS.values():
        assert codes_of(group)
    for name, code in BY_NAME.items():
        assert codes_of(name) == {code.code}


def test_selecting_and_ignoring() -> None:
    assert selected_codes([], []) == set(CODES)
    assert selected_codes(["T312, T020", "wish-missing"], []) == {"T312", "T020", "T318"}
    assert selected_codes(["wish"], ["T312"]) == codes_of("wish") - {"T312"}
    assert selected_codes([], ["moves,T0"]) == set(CODES) - codes_of("moves") - codes_of("T0")


@pytest.mark.parametrize(
    ("word", "expected"),
    [("T999", "'T999' is no code"), ("move", "did you mean moves?"), ("wish_ignored", "did you mean wish-ignored?")],
)
def test_words_that_stand_for_nothing(word: str, expected: str) -> None:
    with pytest.raises(UnknownSelector, match=expected.replace("?", r"\?")):
        selected_codes([word], [])


def test_selection_shapes_summary(logs: Path) -> None:
    summary = json.loads(check("all.tch", "--format", "json", "--select", "T020,T312").stdout.splitlines()[-1])
    assert summary["findings"] == {"T020": 2, "T312": 1}
    assert summary["clean_rounds"] == 7
    summary = json.loads(check("all.tch", "--format", "json", "--ignore", "blank-line").stdout.splitlines()[-1])
    assert summary["findings"] == {"T030": 1, "T312": 1}
    assert summary["clean_rounds"] == 9
