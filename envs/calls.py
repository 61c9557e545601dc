"""The rules of any game as Python calls them: compiled functions over a game's table and a position's bytes.

`CALLS.turn(table, data)` takes the address of a game's table and the bytearray of a position; one compiled function
serves every game. Only `play` checks anything.
"""

import ctypes
import functools
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import types
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.chance import draw
from ludarium.envs.jit import entry, jit
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, OVER
from ludarium.envs.unboxing import BYTEARRAY

PLAYED, IS_OVER, NO_OUTCOME, NOT_LEGAL = range(4)
"""What `play` answers."""

NUMBER = types.int64
INT8S, _UINT8S, _UINT64S, FLOATS = (
    types.Array(element, 1, "C") for element in (types.int8, types.uint8, types.uint64, types.float64)
)
INT8 = np.dtype(np.int8)
"""What arrays of `np.int8` are made with: NumPy would look the type up each time."""
_OUTCOME = types.Tuple((types.int64, types.float64))
_LOW = 0x7F7F7F7F7F7F7F7F  # all bits of eight bytes but the highest of each


@jit
def _marked(eight: int) -> int:
    """Eight bytes, with the highest bit of each that is not 0 set and all others cleared."""
    return (((eight & _LOW) + _LOW) | eight) & ~_LOW


def _actions(table: Any, data: Any) -> Any:
    game = kernels.at(table, np.int64)
    eights = game[ACTIONS] // 8 + 1  # most masks are nearly empty: eight actions are looked at together
    words = kernels.scratch(np.int64, eights)
    words[eights - 1] = 0
    kernels.legal(game, data, words)
    count = 0  # what the kernel returns may be wrong, in a game that is being written
    for eight in range(eights):
        count += kernels.count_bits(_marked(words[eight]))
    actions = [0] * count
    place = 0
    for eight in range(eights):
        left = _marked(words[eight])
        while left:
            byte = kernels.lowest(left) // 8
            actions[place] = 8 * eight + byte
            place += 1
            left &= ~(128 << 8 * byte)
    return actions


def _outcomes(table: Any, data: Any) -> Any:
    game = kernels.at(table, np.int64)
    probabilities = kernels.scratch(np.float64, game[MAX_OUTCOMES] + 1)
    count = possible = 0
    if kernels.turn(game, data) == CHANCE:
        count = min(kernels.outcomes(game, data, probabilities), game[MAX_OUTCOMES])
    for outcome in range(count):
        possible += probabilities[outcome] > 0.0
    outcomes = [(0, 0.0)] * possible
    place = 0
    for outcome in range(count):
        if probabilities[outcome] > 0.0:
            outcomes[place] = (outcome, probabilities[outcome])
            place += 1
    return outcomes


def _draw(table: Any, data: Any, stream: Any) -> int:
    game = kernels.at(table, np.int64)
    if kernels.turn(game, data) != CHANCE:
        return -1
    return draw(game, data, kernels.scratch(np.float64, game[MAX_OUTCOMES] + 1), stream)


def _play(table: Any, data: Any, action: Any) -> int:
    game = kernels.at(table, np.int64)
    seat = kernels.turn(game, data)
    if seat == OVER:
        return IS_OVER
    if seat == CHANCE:
        probabilities = kernels.scratch(np.float64, game[MAX_OUTCOMES] + 1)
        count = min(kernels.outcomes(game, data, probabilities), game[MAX_OUTCOMES])
        if not (0 <= action < count and probabilities[action] > 0.0):
            return NO_OUTCOME
    else:
        mask = kernels.scratch(np.int8, game[ACTIONS])
        kernels.legal(game, data, mask)
        if not (0 <= action < game[ACTIONS] and mask[action]):
            return NOT_LEGAL
    kernels.play(game, data, action)
    return PLAYED


def _look(table: Any, data: Any, seat: Any, mask: Any, observation: Any) -> int:
    kernels.legal(table, data, mask)
    return kernels.observe(table, data, seat, observation)


def address(array: NDArray[Any]) -> int:
    """The address of the data of a contiguous, writable, non-empty array; cheaper than `array.ctypes.data`."""
    return ctypes.addressof(ctypes.c_char.from_buffer(array))  # type: ignore[arg-type]


class Calls:
    """Compiled functions by name, each compiled, or loaded from disk, when it is first asked for.

    Args:
        functions: by name, a function and its Numba signature.
        nogil: whether other threads go on meanwhile.
    """

    def __init__(self, functions: Mapping[str, tuple[Callable[..., Any], Any]], *, nogil: bool = False) -> None:
        self._functions, self._nogil = functions, nogil

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in self._functions:
            raise AttributeError(name)
        call = self.__dict__[name] = entry(*self._functions[name], nogil=self._nogil)
        return call


def _takes(*others: Any) -> Any:
    """The signature of a call that takes a table and a position's bytes, then others, and returns a number."""
    return NUMBER(NUMBER, BYTEARRAY, *others)


CALLS = Calls(
    {
        "setup": (lambda table, data, options: kernels.setup(table, data, options), _takes(NUMBER)),
        "turn": (lambda table, data: kernels.turn(table, data), _takes()),
        "mask": (lambda table, data, out: kernels.legal(table, data, out), _takes(INT8S)),
        "actions": (_actions, types.List(NUMBER)(NUMBER, BYTEARRAY)),
        "outcomes": (_outcomes, types.List(_OUTCOME)(NUMBER, BYTEARRAY)),
        "draw": (_draw, _takes(_UINT64S)),
        "play": (_play, _takes(NUMBER)),
        "push": (lambda table, data, action: kernels.play(table, data, action), _takes(NUMBER)),
        "payoffs": (lambda table, data, out: kernels.payoffs(table, data, out), _takes(FLOATS)),
        "see": (lambda table, data, seat, out: kernels.see(table, data, seat, out), _takes(NUMBER, _UINT8S)),
        "afterstates": (lambda table, data, out: kernels.afterstates(table, data, out), _takes(_UINT8S)),
    }
)
"""The rules of every game: each function takes the address of a game's table, then a position's bytes."""


@functools.cache
def observing(dimensions: int) -> Calls:
    """Calls that write an observation of so many dimensions, int8, of the game's `observation_shape`.

    `observe(table, data, seat, out)`; and `look(table, data, seat, mask, out)`, with the mask, shape (actions,) int8.
    """
    out = types.Array(types.int8, dimensions, "C")
    observe = lambda table, data, seat, out: kernels.observe(table, data, seat, out)  # noqa: E731
    return Calls({"observe": (observe, _takes(NUMBER, out)), "look": (_look, _takes(NUMBER, INT8S, out))})
