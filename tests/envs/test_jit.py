"""Compiled code is kept on disk, can never be stale, and does not exist before it is needed."""

import os
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import ludarium
from ludarium.envs.jit import Signatures, fingerprint

PACKAGE = Path(ludarium.__file__).parent


def run(code, folder=None, **environment):
    """What a fresh interpreter prints, with `folder` in place of the installed package."""
    # Python takes an edit of the same length within a second for no edit, if it finds its own compiled file.
    search = {"PYTHONDONTWRITEBYTECODE": "1"} | ({"PYTHONPATH": str(folder)} if folder else {})
    clean = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "NUMBA_CACHE_DIR")}
    done = subprocess.run(
        [sys.executable, "-c", code], env=clean | search | environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip(), done.stderr


@pytest.fixture
def package(tmp_path):
    """A copy of the package, without its compiled code."""
    copy = tmp_path / "ludarium"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    return copy


def edit(path, old, new):
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))


def kept(package):
    return {path.name for path in package.rglob("*.nbc")}


# The action that tic-tac-toe's `sample` takes for given random bits: it calls `scale`, which lives in another file.
SAMPLE = """
import ctypes
from ludarium.envs.kernels import signatures
from ludarium.envs.jit import c_function
from ludarium.envs.tictactoe import TicTacToe, rules
from ludarium.envs import compilation
assert {folder!r} in rules.__file__, rules.__file__
game = TicTacToe()
compiled = c_function(rules.sample, signatures(game.state, game.option_record.dtype, None)["sample"])
import numpy as np
state = np.zeros(1, dtype=game.state)
state["rows"], state["columns"], state["empty"] = 3, 3, 9
call = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_uint64)(compiled.address)
print(call(state.ctypes.data, 2**64 - 1), compilation._said)
"""

TURN = """
import ctypes
from ludarium.envs.kernels import signatures
from ludarium.envs.jit import c_function
from ludarium.envs.tictactoe import TicTacToe, rules
import numpy as np
game = TicTacToe()
compiled = c_function(rules.turn, signatures(game.state, game.option_record.dtype, None)["turn"])
state = np.zeros(1, dtype=game.state)
state["winner"], state["empty"] = 1, 4
print(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p)(compiled.address)(state.ctypes.data))
"""


def test_a_change_in_a_function_of_another_file_is_seen(package):
    code = SAMPLE.format(folder=str(package))
    assert run(code, package.parent)[0] == "8 True"
    before = kept(package)
    assert before
    assert run(code, package.parent)[0] == "8 False"  # from disk
    assert kept(package) == before

    edit(package / "envs" / "chance.py", "* np.uint64(n)) >> _32)", "* np.uint64(n)) >> _32) // 2")
    assert run(code, package.parent)[0] == "4 True"
    assert kept(package) > before


def test_a_change_back_finds_the_old_code(package):
    """The change of a number, in another file."""
    kernels = package / "envs" / "kernels.py"
    assert run(TURN, package.parent)[0] == "-2"
    edit(kernels, "OVER = -2", "OVER = -7")
    assert run(TURN, package.parent)[0] == "-7"
    both = kept(package)
    edit(kernels, "OVER = -7", "OVER = -2")
    assert run(TURN, package.parent)[0] == "-2"
    assert kept(package) == both
    assert len(both) == 2


IMPORTS = """
import sys
import ludarium
print("numba" in sys.modules)
import importlib, pkgutil
import ludarium.envs
for module in pkgutil.walk_packages(ludarium.envs.__path__, "ludarium.envs."):
    if not module.name.endswith(".sb3"):
        importlib.import_module(module.name)
from ludarium.envs.tictactoe import TicTacToe
TicTacToe()
import ludarium.envs.jit
print("numba" in sys.modules, ludarium.envs.compilation._said)
"""


def test_nothing_compiles_at_import(package):
    assert run(IMPORTS, package.parent)[0].split() == ["False", "True", "False"]
    assert kept(package) == set()


FINGERPRINTS = """
from ludarium.agents.othello.endgame.boards import flips
from ludarium.envs import batch, chance, hexapawn, tictactoe
from ludarium.envs.jit import fingerprint
functions = [batch._play_games.py_func, chance.mix.py_func, tictactoe.rules.setup, hexapawn.rules.play, flips.py_func]
print(*[fingerprint(function) for function in functions])
"""


def test_fingerprints_do_not_depend_on_the_process():
    first, second = (run(FINGERPRINTS, PACKAGE.parent, PYTHONHASHSEED=seed)[0] for seed in ("1", "2"))
    assert first == second
    assert len(set(first.split())) == 5


def test_a_fingerprint_knows_the_methods_of_a_class():
    """Classes write machine code: see `ludarium.agents.othello.endgame.vectors`."""

    def emit_with(operator):
        class Writer:
            emit = operator

        return lambda value: Writer().emit(value)

    first, same, other = (emit_with(f) for f in (lambda s, v: v + 1, lambda s, v: v + 1, lambda s, v: v - 1))
    assert fingerprint(first) == fingerprint(same) != fingerprint(other)


def test_a_fingerprint_knows_what_a_cached_function_does_but_not_where_it_is():
    """A field of a record may have the name of a cached function, as `board` has in `ludarium.agents.genetic`."""

    def naming(cached):
        return lambda: cached

    first, same, other = (fingerprint(naming(cache(f))) for f in (lambda: 1, lambda: 1, lambda: 2))
    assert first == same != other


def test_a_fingerprint_knows_the_defaults_of_arguments():
    def of(default):
        return fingerprint(lambda value=default: value)

    assert of(1) == of(1) != of(2)


def test_the_first_compilation_is_announced_once(package):
    code = "from ludarium.envs.chance import mix, scale; import numpy as np; mix(np.uint64(3)); scale(np.uint64(3), 5)"
    announcement = "ludarium: compiling for this machine, once; the result is kept on disk\n"
    assert run(code, package.parent)[1] == announcement
    assert run(code, package.parent)[1] == ""


BY_PATH = """
import importlib.util
spec = importlib.util.spec_from_file_location("a_game_from_a_file", {path!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
print(module.Mine().start().legal_actions())
"""


def test_a_game_loaded_from_a_file_works_again_from_disk(tmp_path):
    source = tmp_path / "mine.py"
    source.write_text(
        "from ludarium.envs.game import kernel\n"
        "from ludarium.envs.tictactoe import TicTacToe\n"
        "def legal(s, mask):\n"
        "    for square in range(9):\n"
        "        mask[square] = square == 5\n"
        "    return 1\n"
        "class Mine(TicTacToe):\n"
        "    legal = kernel(legal)\n"
    )
    for _ in range(2):
        assert run(BY_PATH.format(path=str(source)))[0] == "[5]"


def test_functions_without_a_file_compile_too():
    code = "from ludarium.envs.jit import jit\n@jit\ndef twice(x): return 2 * x\nprint(twice(21))"
    assert run(code)[0] == "42"


def test_code_that_is_saved_at_once_for_two_signatures_is_in_two_files(tmp_path):
    for signature in ("(int64,)", "(float64,)"):
        files = Signatures(str(tmp_path), "function", "stamp")
        files._load_index = dict  # as it was before the other process saved
        files.save(signature, f"code for {signature}")
    assert len(list(tmp_path.glob("*.nbc"))) == 2
    assert Signatures(str(tmp_path), "function", "stamp").load("(float64,)") == "code for (float64,)"


def test_an_index_that_names_a_type_that_has_moved_is_empty(tmp_path, monkeypatch):
    moved = type("Moved", (), {"__module__": __name__, "__hash__": lambda self: 1, "__eq__": lambda self, other: True})
    monkeypatch.setitem(globals(), "Moved", moved)
    moved.__qualname__ = "Moved"
    Signatures(str(tmp_path), "cached", "stamp").save(moved(), b"code")
    assert Signatures(str(tmp_path), "cached", "stamp")._load_index()
    monkeypatch.delitem(globals(), "Moved")
    assert Signatures(str(tmp_path), "cached", "stamp")._load_index() == {}
