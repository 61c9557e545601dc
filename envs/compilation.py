"""What people are told while functions are compiled: for which part of the package, and how far it is.

A function may need everything that it names, so the whole is known as soon as its compilation begins. It grows when
another function is called for the first time.
"""

import contextlib
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple


class Compilation(NamedTuple):
    """How far this process is.

    Attributes:
        part: the part of the package that is being compiled, such as a game.
        done: how many functions are ready.
        total: how many are needed, as far as known; `done` equals it whenever nothing is being compiled.
    """

    part: str
    done: int
    total: int

    def __str__(self) -> str:
        return f"compiling {self.part} for this machine, once: {self.done} of {self.total}"

    @property
    def is_over(self) -> bool:
        """Whether nothing is being compiled any more."""
        return self.done == self.total


_needed: set[Any] = set()
_ready: set[Any] = set()
_outermost: Any = None  # the function that was called; those that it calls are compiled within its compilation
_said = False


def _say_once(state: Compilation) -> None:
    global _said
    if not _said:
        _said = True
        print("ludarium: compiling for this machine, once; the result is kept on disk", file=sys.stderr)


_listener: Callable[[Compilation], object] = _say_once


def begins(function: Any, within: Callable[[], set[Any]]) -> None:
    """A function is not on disk.

    Args:
        function: the function.
        within: gives all functions that it may need, itself included.
    """
    global _outermost
    if function not in _needed:
        _outermost = function
        _needed.update(within())
    _ready.discard(function)
    _listener(_state())


def is_ready(function: Any, *, compiled: bool) -> None:
    """A function was found on disk, or is now compiled."""
    _ready.add(function)
    if compiled:
        if function is _outermost:
            _ready.update(_needed)  # it called fewer than it names
        _listener(_state())


def _state() -> Compilation:
    *folders, module = _outermost.__module__.split(".")
    return Compilation(folders[-1] if len(folders) > 2 else module, len(_ready & _needed), len(_needed))


@contextlib.contextmanager
def compilation_shown(listener: Callable[[Compilation], object]) -> Iterator[None]:
    """Within it, `listener` is told how far compilation is, instead of one line on standard error."""
    global _listener
    outer, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = outer


@contextlib.contextmanager
def at_first_compilation(act: Callable[[], object]) -> Iterator[None]:
    """Within it, the first function that is not on disk calls `act`, too."""
    outer, waiting = _listener, [act]

    def listener(state: Compilation) -> None:
        while waiting:
            waiting.pop()()
        outer(state)

    with compilation_shown(listener):
        yield
