"""Static evaluations: what an unfinished position is worth to a seat.

An evaluation is a plain function over a game's record, compiled like a kernel: `value(s, seat) -> float`, or with
parameters `value(s, seat, weights) -> float`, where `weights` is a C array of float64. Only comparisons matter, so its
unit is its own; its absolute value must stay below `WIN`. Any player that looks ahead takes any of them. A game without
one is judged by its returns so far, which in most games are 0 until the end. A plug-in game brings its own as a class
attribute:

    evaluation = kernel(my_evaluation)

Finished games are never evaluated: `worth` counts what they pay.
"""

import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ludarium.agents.values.hand_made import BY_GAME
from ludarium.envs import kernels
from ludarium.envs.game import Game
from ludarium.envs.jit import c_function, jit
from ludarium.envs.kernels import FLOATS, OVER

WIN = 1e6
"""What the greatest payoff of a game counts in units of its evaluation."""


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation function with its parameters.

    Attributes:
        function: `value(s, seat)`, or `value(s, seat, weights)`.
        weights: the parameters, shape (n,) float64; empty for a function without.
    """

    function: Callable[..., Any]
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))

    def address(self, game: Game) -> int:
        """Address of the compiled function, for `worth`.

        Raises:
            TypeError: if it does not compile for the record, or takes weights and was given none, or the reverse.
        """
        function = getattr(self.function, "py_func", self.function)
        takes = len(inspect.signature(function).parameters)
        if takes != (3 if len(self.weights) else 2):
            given = f"{len(self.weights)} weights" if len(self.weights) else "no weights"
            raise TypeError(f"{game.name}: the evaluation takes {takes} arguments (s, seat, weights), and has {given}")
        try:
            return int(_compiled(self.function, game.state, takes).address)
        except (NumbaError, KeyError) as error:  # a KeyError names a field that the record does not have
            raise TypeError(f"{game.name}: the evaluation does not compile:\n{error}") from None


def evaluation_of(game: Game) -> Evaluation | None:
    """The evaluation that a game brings, or the hand-made one that there is for it; None if it has none."""
    function = getattr(game, "evaluation", None) or BY_GAME.get(game.name)
    return None if function is None else Evaluation(function)


@cache  # also keeps the machine code alive while its address is in use
def _compiled(function: Callable[..., Any], state: np.dtype[Any], takes: int) -> Any:
    arguments = (numba.from_dtype(state), types.int64, FLOATS)[:takes]
    return c_function(function, types.float64(*arguments))


def win_scale(game: Game) -> float:
    """`WIN` over the greatest payoff of either sign, for `worth`."""
    return WIN / game.largest_payoff


@jit
def worth(
    game: Any, state: Any, seat: int, turn: int, evaluation: int, weights: Any, scale: float, payoffs: Any
) -> float:  # fmt: skip
    """What a position is worth to a seat: its payoff times `scale` when the game is over, else its evaluation.

    Args:
        game: the game's table.
        state: the position.
        seat: for whom.
        turn: whose turn it is there.
        evaluation: `Evaluation.address`; 0 for none.
        weights: the parameters, an array or a pointer; a function without does not look.
        scale: from `win_scale`.
        payoffs: scratch of `seats` floats.
    """
    if turn != OVER and evaluation != 0:
        return kernels.call_evaluation(evaluation, state, seat, weights)
    kernels.payoffs(game, state, payoffs)
    return payoffs[seat] * scale
