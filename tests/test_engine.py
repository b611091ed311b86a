"""Which way games are checked, what the user is told of it, and where the compiled pass is kept."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tichu_analytics import checking
from tichu_analytics.bulk import choice
from tichu_analytics.bulk.cache import FILE, Code, Untrusted, cache_folder, has_code, source_key
from tichu_analytics.checking import CheckedGame, Remark, check_inputs, check_paths
from tichu_analytics.formats.sources import Input, Trouble
from tichu_analytics.rules.options import BSW_POSITION, LOWEST_BEATING, OFFICIAL
from tichu_analytics.rules.rulesets import get_rule_set, rule_set_names
from tichu_analytics.simulate import simulate_games

BSW = get_rule_set("bsw").options


@pytest.fixture(scope="module")
def game() -> bytes:
    (one,) = simulate_games(1, 3)
    return one.text.encode()


def inputs(data: bytes, count: int) -> list[Input]:
    return [Input(f"{number}.tch", str(number), data, None) for number in range(count)]


@pytest.fixture
def no_numba(monkeypatch):
    monkeypatch.setitem(sys.modules, "numba", None)


def in_process(code: str, kept: Path, *args: str, **env: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *args],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "XDG_CACHE_HOME": str(kept), **env},
    )


def test_another_process_loads_the_pass_without_numba(kept, game, tmp_path):
    """What is kept is loaded and called without Numba, whose import would take longer than the check."""
    path = tmp_path / "1.tch"
    path.write_bytes(game)
    code = (
        "import sys\n"
        "from tichu_analytics.checking import check_paths\n"
        "print(list(check_paths(sys.argv[1:], engine='compiled')))\n"
        "from tichu_analytics.bulk import engine\n"
        "print(len(engine._loaded), 'numba' in sys.modules)\n"
    )
    found, counts = in_process(code, kept, str(path)).stdout.splitlines()
    rounds = game.count(b"Ergebnis")
    numbers = f"rounds={rounds}, clean_rounds={rounds}"
    assert found == f"[CheckedGame(path={str(path)!r}, game_id='1', {numbers}, findings=[], course=None)]"
    assert counts == "1 False"


def test_the_command_with_the_compiled_engine(kept, root):
    code = "from tichu_cli.main import run; run()"
    args = ["check", "--exit-zero", str(root / "sample_logs")]
    ends = [in_process(code, kept, *args, "--engine", engine) for engine in ("compiled", "careful")]
    assert ends[0].stdout == ends[1].stdout != ""
    assert ends[0].stderr == ends[1].stderr


def test_one_game_loads_nothing_heavy(kept, game, tmp_path):
    path = tmp_path / "1.tch"
    path.write_bytes(game)
    code = (
        "import sys\nfrom tichu_cli.main import run\n"
        "try: run()\nexcept SystemExit: print([name for name in ('numba', 'llvmlite', 'numpy', 'rich', 'pandas')"
        " if name in sys.modules])"
    )
    assert in_process(code, kept, "check", "--quiet", str(path)).stdout.splitlines()[-1] == "[]"


def test_automatic_choice(kept, game, monkeypatch):
    """Small inputs go the short way; the compiled pass comes when it is kept and there is enough to check."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    way = choice.Way(BSW, "auto")
    assert not way.is_due(choice.WORTH_LOADING - 1)
    assert way.is_due(choice.WORTH_LOADING)
    assert choice.Way(BSW, "auto", choice.WORTH_LOADING).is_due(0)
    assert not choice.Way(BSW, "careful", choice.WORTH_COMPILING).is_due(choice.WORTH_COMPILING)
    assert (way.prepare(choice.WORTH_LOADING), way.load(), way.compiled is None) == (None, None, False)
    assert not way.is_due(1 << 40)


def test_it_goes_on_compiled_in_the_middle(kept, game, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    monkeypatch.setattr(choice, "WORTH_LOADING", 3 * len(game))
    monkeypatch.setattr(checking, "BATCH_INPUTS", 4)
    some: list[Input | Trouble] = [*inputs(game, 5), Trouble("x", "is lost"), *inputs(game + b"x\n", 5)]
    assert list(check_inputs(some)) == list(check_inputs(some, engine="careful"))


def test_it_is_not_compiled_for_little(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    way = choice.Way(BSW, "auto")
    assert (way.prepare(choice.WORTH_LOADING), way.load(), way.compiled) == (None, None, None)
    assert not way.is_due(choice.WORTH_COMPILING - 1)
    assert way.is_due(choice.WORTH_COMPILING)
    said = way.prepare(choice.WORTH_COMPILING)
    assert said is not None
    assert re.match(r"compiling .*, once; this takes about", said)


def test_without_numba(no_numba, game, tmp_path, monkeypatch):
    for number in range(2):
        (tmp_path / f"{number}.tch").write_bytes(game)
    monkeypatch.setattr(choice, "WORTH_LOADING", 1)
    careful = list(check_paths([str(tmp_path)], engine="careful"))
    assert list(check_paths([str(tmp_path)])) == careful
    said, *others = check_paths([str(tmp_path)], engine="compiled")
    assert said == Remark("Numba is not installed, so every game is replayed on the careful way")
    assert others == careful
    assert list(check_inputs(inputs(game, 1), engine="compiled")) == list(check_inputs(inputs(game, 1)))


def test_numba_that_does_not_work(kept, game, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(kept))
    monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
    found = list(checking.check_in_order(inputs(game, 2), "bsw", choice.Way(BSW, "compiled")))
    assert isinstance(found[0], Remark)
    assert found[0].text.startswith("the compiled engine cannot be used (Numba is told not to compile")
    assert all(isinstance(one, CheckedGame) and not one.findings for one in found[1:])
    assert len(found) == 3


def test_numba_that_passes_arguments_in_another_way(tmp_path, game, monkeypatch):
    """A later Numba may: then its code is not called, and the work goes on without it."""
    from tichu_analytics.bulk import engine
    from tichu_analytics.bulk.machine import Unusable

    def refuse() -> Code:
        raise Unusable("this version of Numba passes arguments in a way that is not known here")

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(engine, "_compiled", refuse)
    found = list(checking.check_in_order(inputs(game, 2), "bsw", choice.Way(BSW, "compiled")))
    assert [type(one) for one in found] == [Remark, Remark, CheckedGame, CheckedGame]
    assert isinstance(found[1], Remark)
    assert "this version of Numba passes arguments" in found[1].text


def test_rules_that_ask_for_more():
    for name in rule_set_names():
        assert choice._covers(get_rule_set(name).options), name
    for change in (
        {"pass_and_out": 1},
        {"wish_optional": 0},
        {"phoenix_ambiguity": LOWEST_BEATING},
        {"phoenix_ambiguity": BSW_POSITION},
    ):
        way = choice.Way(OFFICIAL._replace(**change), "compiled")
        said = way.prepare(0)
        assert said is not None
        assert "does not know all of these rules" in said
        assert (way.load(), way.compiled, way.quick) == (None, None, None)


# Where it is kept ----------------------------------------------------------------------------------------------------


def test_the_folder_is_the_users_own(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = cache_folder("key")
    assert folder == tmp_path / "cache" / "tichu_analytics" / "key"
    assert [path.stat().st_mode & 0o777 for path in (folder, folder.parent)] == [0o700, 0o700]
    assert not has_code(folder)
    folder.chmod(0o770)
    with pytest.raises(Untrusted, match=r"others can write to .*key"):
        cache_folder("key")
    folder.parent.chmod(0o702)
    with pytest.raises(Untrusted, match=r"others can write to .*tichu_analytics"):
        cache_folder("key")


def test_without_a_path_in_the_environment_it_is_in_the_home(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", "not/absolute")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert cache_folder("key") == tmp_path / ".cache" / "tichu_analytics" / "key"


def test_folders_that_are_not_trusted(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "tichu_analytics").symlink_to(elsewhere)
    with pytest.raises(Untrusted, match="is no folder"):
        cache_folder("key")
    (tmp_path / "tichu_analytics").unlink()
    (tmp_path / "tichu_analytics").write_text("")
    with pytest.raises(Untrusted, match="cannot be used"):
        cache_folder("key")
    (tmp_path / "tichu_analytics").unlink()
    cache_folder("key")
    me = os.getuid()
    monkeypatch.setattr(os, "getuid", lambda: me + 1)
    with pytest.raises(Untrusted, match="belongs to somebody else"):
        cache_folder("key")
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    tmp_path.chmod(0o777)
    with pytest.raises(Untrusted, match="others can write to"):
        cache_folder("key")
    tmp_path.chmod(0o1777)
    cache_folder("key")


def kept_code(kept: Path) -> bytes:
    (path,) = kept.glob(f"tichu_analytics/*/{FILE}")
    return path.read_bytes()


@pytest.mark.parametrize("damage", ["cut", "byte", "empty", "text", "longer"])
def test_what_is_damaged_is_compiled_anew(kept, tmp_path, monkeypatch, damage):
    """Damaged machine code would take the process with it; whatever is wrong with it, it is not loaded."""
    from tichu_analytics.bulk import engine

    whole = kept_code(kept)
    middle = len(whole) // 2
    ways = {
        "cut": whole[:-1],
        "byte": whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1 :],
        "empty": b"",
        "text": b"damaged",
        "longer": whole + b"\0",
    }
    (tmp_path / FILE).write_bytes(ways[damage])
    (name, _, binary) = whole.partition(b"\n")[2][32:].partition(b"\n")
    monkeypatch.setattr(engine, "_compiled", lambda: Code(name.decode(), binary))
    assert not has_code(tmp_path)
    assert engine.loaded(tmp_path) is None
    assert engine.compiled(tmp_path) is engine.loaded(tmp_path)
    assert has_code(tmp_path)
    assert (tmp_path / FILE).read_bytes() == whole


def test_a_folder_in_which_nothing_can_be_kept(kept, tmp_path, monkeypatch):
    from tichu_analytics.bulk import engine
    from tichu_analytics.bulk.cache import kept as kept_in

    code = kept_in(next(kept.glob("tichu_analytics/*/")))
    assert code is not None
    monkeypatch.setattr(engine, "_compiled", lambda: code)
    (tmp_path / FILE).mkdir()
    assert callable(engine.compiled(tmp_path))
    assert [path.name for path in tmp_path.iterdir() if path.name != "lock"] == [FILE]


def test_other_arguments_than_expected_are_refused(kept):
    """Nothing checks arguments when machine code is called, so it is done when it is compiled."""
    numba = pytest.importorskip("numba", reason="the compiled pass needs Numba, an extra")
    import numpy as np

    from tichu_analytics.bulk.machine import Unusable, callable_code, code_of

    function = numba.njit("i8(i8[::1], i8[:, ::1], UniTuple(i8, 3))", _nrt=False, no_cpython_wrapper=True)(
        lambda numbers, table, three: numbers[0] + 10 * table[1, 0] + 100 * three[2]
    )
    numbers, table, three = np.array([3]), np.array([[0], [4]]), (0, 0, 5)
    assert callable_code(code_of(function, (numbers, table, three)))(numbers, table, three) == 543
    for wrong in ((numbers, table, (0, 0)), (numbers, numbers, three), (table, numbers, three), (numbers, table)):
        with pytest.raises(Unusable, match="passes arguments in a way"):
            code_of(function, wrong)


def test_the_key_depends_on_the_sources(tmp_path, monkeypatch):
    from tichu_analytics.bulk import cache

    before = source_key()
    assert before == source_key()
    package = Path(cache.__file__).parent.parent
    for pattern in cache._SOURCES:
        for path in package.glob(pattern):
            copy = tmp_path / path.relative_to(package)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_bytes(path.read_bytes())
    monkeypatch.setattr(cache, "_PACKAGE", tmp_path)
    assert source_key() == before
    (tmp_path / "rules" / "wish.py").write_text("# changed")
    assert source_key() != before
