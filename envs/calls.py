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
from ludarium.envs.jit import entry
from ludarium.envs.kernels import ACTIONS, CHANCE, MAX_OUTCOMES, OVER
from ludarium.envs.unboxing import BYTEARRAY

PLAYED, IS_OVER, NO_OUTCOME, NOT_LEGAL = range(4)
"""What `play` answers."""

NUMBER = types.int64
INT8S, _UINT8S, _UINT64S, FLOATS = (
    types.Array(element, 1, "C") for element in (types.int8, types.uint8, types.uint64, types.float64)
)
INT8 = np.dtype(np.int8)  # NumPy would look it up for each array
_OUTCOME = types.Tuple((types.int64, types.float64))


def _actions(table: Any, data: Any) -> Any:
    game = kernels.at(table, np.int64)
    eights = game[ACTIONS] // 8 + 1  # most masks are nearly empty: eight actions are looked at together
    words = kernels.scratch(np.int64, eights)
    words[eights - 1] = 0
    kernels.legal(game, data, words)
    places = kernels.scratch(np.int64, 8 * eights)
    count = 0
    for eight in range(eights):
        word = words[eight]
        while word:
            byte = kernels.lowest(word) // 8
            places[count] = 8 * eight + byte
            count += 1
            word &= ~(255 << 8 * byte)
    found = [0] * count
    for place in range(count):
        found[place] = places[place]
    return found


def _outcomes(table: Any, data: Any) -> Any:
    game = kernels.at(table, np.int64)
    probabilities = kernels.scratch(np.float64, game[MAX_OUTCOMES] + 1)
    count = possible = 0
    if kernels.turn(game, data) == CHANCE:
        count = min(kernels.outcomes(game, data, probabilities), game[MAX_OUTCOMES])
    for outcome in range(count):
        possible += probabilities[outcome] > 0.0
    found = [(0, 0.0)] * possible
    place = 0
    for outcome in range(count):
        if probabilities[outcome] > 0.0:
            found[place] = (outcome, probabilities[outcome])
            place += 1
    return found


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


def _observe(table: Any, data: Any, seat: Any, observation: Any) -> int:
    return kernels.observe(table, data, seat, observation)


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


CALLS = Calls(
    {
        "setup": (lambda table, data, options: kernels.setup(table, data, options), NUMBER(NUMBER, BYTEARRAY, NUMBER)),
        "turn": (lambda table, data: kernels.turn(table, data), NUMBER(NUMBER, BYTEARRAY)),
        "mask": (lambda table, data, out: kernels.legal(table, data, out), NUMBER(NUMBER, BYTEARRAY, INT8S)),
        "actions": (_actions, types.List(NUMBER)(NUMBER, BYTEARRAY)),
        "outcomes": (_outcomes, types.List(_OUTCOME)(NUMBER, BYTEARRAY)),
        "draw": (_draw, NUMBER(NUMBER, BYTEARRAY, _UINT64S)),
        "play": (_play, NUMBER(NUMBER, BYTEARRAY, NUMBER)),
        "push": (lambda table, data, action: kernels.play(table, data, action), NUMBER(NUMBER, BYTEARRAY, NUMBER)),
        "payoffs": (lambda table, data, out: kernels.payoffs(table, data, out), NUMBER(NUMBER, BYTEARRAY, FLOATS)),
        "see": (
            lambda table, data, seat, out: kernels.see(table, data, seat, out),
            NUMBER(NUMBER, BYTEARRAY, NUMBER, _UINT8S),
        ),
        "afterstates": (lambda table, data, out: kernels.afterstates(table, data, out), NUMBER(NUMBER, BYTEARRAY, _UINT8S)),
    }
)
"""The rules of every game: each function takes the address of a game's table, then a position's bytes."""


@functools.cache
def observing(dimensions: int) -> Calls:
    """The same for observations, arrays of so many dimensions, which the calls fill.

    `observe(table, data, seat, observation)`, and `look(table, data, seat, mask, observation)` for both.
    """
    seen = types.Array(types.int8, dimensions, "C")
    return Calls(
        {
            "observe": (_observe, NUMBER(NUMBER, BYTEARRAY, NUMBER, seen)),
            "look": (_look, NUMBER(NUMBER, BYTEARRAY, NUMBER, INT8S, seen)),
        }
    )
