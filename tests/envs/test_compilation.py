"""What is told of compilation: by value, without compiling anything."""

from types import SimpleNamespace

import pytest

from ludarium.envs import compilation
from ludarium.envs.compilation import at_first_compilation, compilation_shown
from ludarium.envs.jit import _LazyCache


def outer():
    pass


def inner():
    pass


def unused():
    pass


outer.__module__, inner.__module__ = "ludarium.envs.othello.rules", "ludarium.envs.chance"
ALL = {outer, inner, unused}


@pytest.fixture(autouse=True)
def nothing_is_compiled_yet(monkeypatch):
    monkeypatch.setattr(compilation, "_needed", set())
    monkeypatch.setattr(compilation, "_ready", set())
    monkeypatch.setattr(compilation, "_said", False)


def compile_outer():
    """As the compiler does it: what is called is compiled within; one function is never called."""
    compilation.begins(outer, lambda: ALL)
    compilation.begins(inner, lambda: {inner})
    compilation.is_ready(inner, compiled=True)
    compilation.is_ready(outer, compiled=True)


def test_it_says_for_what_and_how_far_it_is():
    told = []
    with compilation_shown(told.append):
        compile_outer()
    assert [str(state) for state in told] == [
        "compiling othello for this machine, once: 0 of 3",
        "compiling othello for this machine, once: 0 of 3",
        "compiling othello for this machine, once: 1 of 3",
        "compiling othello for this machine, once: 3 of 3",
    ]
    assert [state.is_over for state in told] == [False, False, False, True]


def test_another_signature_of_a_function_is_compiled_too():
    told = []
    compilation.begins(inner, lambda: {inner})
    compilation.is_ready(inner, compiled=True)
    with compilation_shown(told.append):
        compilation.begins(inner, lambda: {inner})
        compilation.is_ready(inner, compiled=True)
    assert [(state.part, state.done, state.total) for state in told] == [("chance", 0, 1), ("chance", 1, 1)]


def test_what_is_on_disk_is_not_told():
    with compilation_shown(lambda state: pytest.fail(str(state))):
        compilation.is_ready(outer, compiled=False)


def test_what_is_on_disk_is_done_and_what_cannot_be_loaded_is_not():
    def unloadable(signature, context):
        raise ImportError

    whole, broken = _LazyCache(inner), _LazyCache(unused)
    whole._cache = SimpleNamespace(load_overload=lambda signature, context: "code")
    broken._cache = SimpleNamespace(load_overload=unloadable)
    told = []
    with compilation_shown(told.append):
        compilation.begins(outer, lambda: ALL)
        assert whole.load_overload(None, None) == "code"
        assert broken.load_overload(None, None) is None
    assert [(state.done, state.total) for state in told] == [(0, 3), (1, 3)]


def test_nobody_listens_one_line_says_so(capsys):
    compile_outer()
    compile_outer()
    assert capsys.readouterr().err == "ludarium: compiling for this machine, once; the result is kept on disk\n"


def test_the_first_compilation_starts_what_waits_for_it():
    started, told = [], []
    with compilation_shown(told.append), at_first_compilation(lambda: started.append(len(told))):
        compile_outer()
    assert started == [0]
    assert len(told) == 4
