"""Static evaluations: what an unfinished position is worth to a seat.

An evaluation is a plain function over a game's record, compiled like a kernel: `value(s, seat) -> float`, or with
parameters `value(s, seat, weights) -> float`, where `weights` is a C array of float64. Only comparisons matter, so it
may use any unit, but its absolute value must stay below `WIN`; a greater one counts as `WIN`. Any player that looks
ahead can use any of them. A game without one is judged by its returns so far, which in most games are 0 until the end.
A plug-in game provides its own as a class attribute; the first is what players use by default, and named weights can be
evolved:

    evaluations = {"lines": lines, "shape": (shape, {"corners": 5.0, "mobility": 1.0})}

Finished games are never evaluated: `result` says what they are worth, and a win is worth more than any evaluation. An
evaluation that is a sum of named weights times features can say what it adds up in a position, see `Evaluation.terms`.
"""

import ctypes
import inspect
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import Any

import numba
import numpy as np
from numba import types
from numba.core.errors import NumbaError
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import pack
from ludarium.envs import kernels
from ludarium.envs.calls import address
from ludarium.envs.chance import below, stream
from ludarium.envs.game import Game
from ludarium.envs.jit import c_function, jit
from ludarium.envs.kernels import CHANCE, FLOATS, OVER
from ludarium.envs.opinions import Term
from ludarium.envs.position import Position

WIN = 1e6
"""What a win is worth beside evaluations, apart from its payoff; see `result`."""
_GAMES = 8
_ROUNDING = 1e-6


@dataclass(frozen=True, eq=False)
class Evaluation:
    """An evaluation function with its parameters.

    Attributes:
        function: `value(s, seat)`, or `value(s, seat, weights)`.
        weights: the parameters, shape (n,) float64; empty for a function without parameters.
        names: what the weights stand for, one name each; empty if they cannot be told apart by name.
        labels: the same in words, where the names are short.
        parts: what it adds up for a position and a seat, if its weights do not tell.
        expects: the payoff that a value stands for, if it has learned to expect payoffs.
    """

    function: Callable[..., Any]
    weights: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    names: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    parts: Callable[[Position, int], Iterable[Term]] | None = None
    expects: Callable[[float], float] | None = None

    def address(self, game: Game) -> int:
        """Address of the compiled function, for `worth`.

        Raises:
            TypeError: if it does not compile for the record, or if it takes weights and has none, or the reverse.
        """
        return int(self._compiled(game).address)

    def value(self, position: Position, seat: int) -> float:
        """What an unfinished position is worth to a seat, in units of the evaluation; for Python code.

        Raises:
            TypeError: as `address`.
        """
        return self._value(position, seat, self.weights if len(self.weights) else np.zeros(1))

    def _value(self, position: Position, seat: int, weights: NDArray[np.float64]) -> float:
        call = ctypes.PYFUNCTYPE(ctypes.c_double, ctypes.c_void_p, ctypes.c_int64, ctypes.c_void_p)
        return float(call(self.address(position.game))(address(position.data), seat, address(weights)))

    def terms(self, position: Position, seat: int) -> tuple[Term, ...]:
        """What the value of an unfinished position adds up, without zeros, the largest first.

        Named weights tell by themselves: a feature is the value with its weight 1 and all others 0.

        Returns:
            Nothing if the evaluation has neither names nor `parts`, or is not their sum.
        """
        terms = list(self.parts(position, seat) if self.parts else self._weighted(position, seat))
        difference = sum(term.value for term in terms) - self.value(position, seat)
        if not abs(difference) <= _ROUNDING * (1 + sum(abs(term.value) for term in terms)):
            return ()
        return tuple(sorted(filter(lambda term: term.value, terms), key=lambda term: -abs(term.value)))

    def _weighted(self, position: Position, seat: int) -> Iterator[Term]:
        for number, name in enumerate(self.labels or self.names):
            alone = np.zeros(len(self.weights))
            alone[number] = 1
            yield Term(name, self._value(position, seat, alone), float(self.weights[number]))

    def check(self, game: Game) -> "Evaluation":
        """Try the evaluation on the positions of random games; return it.

        Raises:
            TypeError: as `address`.
            ValueError: if it is not a number somewhere, or too large.
        """
        for position in random_positions(game):
            for seat in range(game.seats):
                value = self.value(position, seat)
                if not abs(value) < WIN:
                    raise ValueError(
                        f"{game.name}: the evaluation must be a number between -{WIN:,.0f} and {WIN:,.0f}, but for "
                        f"{game.seat_names[seat]} it is {value} in the position {game.to_text(position)!r}"
                    )
        return self

    def unit(self, game: Game) -> float:
        """The root mean square of the values in random games: a typical advantage, above 0."""
        return _unit(self, game)

    def _compiled(self, game: Game) -> Any:
        function = getattr(self.function, "py_func", self.function)
        takes = len(inspect.signature(function).parameters)
        if takes != (3 if len(self.weights) else 2):
            own = f"{len(self.weights)} weights" if len(self.weights) else "no weights"
            raise TypeError(f"{game.name}: the evaluation takes {takes} arguments (s, seat, weights), and has {own}")
        try:
            return _compiled(self.function, game.state, takes)
        except (NumbaError, KeyError) as error:  # a KeyError names a field that the record does not have
            raise TypeError(f"{game.name}: the evaluation does not compile:\n{error}") from None


def packed(function: Callable[..., Any], record: np.dtype[Any], numbers: Any, tables: Any) -> Evaluation:
    """An evaluation whose weights are a block, see `ludarium.agents.compiled.blocks.pack`."""
    block = pack(record, numbers, tables)
    return Evaluation(function, np.append(block, np.zeros(-len(block) % 8, dtype=np.uint8)).view(np.float64))


@cache
def random_positions(game: Game) -> list[Position]:
    """Unfinished positions of a few random games, the same in every call; do not change them."""
    positions = []
    for number in range(_GAMES):
        draws, position = stream(0, number), game.start()
        for _ in range(game.max_moves):
            while position.turn == CHANCE:
                position.push(position.draw_outcome(draws))
            if position.over:
                break
            positions.append(position.copy())
            position.push(position.legal_actions()[int(below(draws, len(position.legal_actions())))])
    return positions


@lru_cache(maxsize=16)
def _unit(evaluation: Evaluation, game: Game) -> float:
    values = [evaluation.value(position, 0) for position in random_positions(game)]
    return float(np.sqrt(np.mean(np.square(values)))) or 1.0


@cache  # also keeps the machine code alive while its address is in use
def _compiled(function: Callable[..., Any], state: np.dtype[Any], takes: int) -> Any:
    arguments = (numba.from_dtype(state), types.int64, FLOATS)[:takes]
    return c_function(function, types.float64(*arguments))


@jit
def result(payoff: float, evaluated: int) -> float:
    """What a finished game is worth to a seat.

    Args:
        payoff: of the seat.
        evaluated: whether unfinished games have an evaluation: then a win is worth `WIN` more, and a loss `WIN` less.
    """
    return payoff + WIN * np.sign(payoff) if evaluated else payoff


def payoff_of(value: float, evaluated: bool) -> float:
    """The payoff of a finished game that is worth `value`, the inverse of `result`."""
    return value - math.copysign(WIN, value) if evaluated and value else value


@jit
def worth(game: Any, state: Any, seat: int, turn: int, evaluation: int, weights: Any, payoffs: Any) -> float:
    """What a position is worth to a seat: its `result` when the game is over, else its evaluation.

    Args:
        game: the game's table.
        state: the position.
        seat: for whom.
        turn: whose turn it is in that position.
        evaluation: `Evaluation.address`; 0 for none.
        weights: the parameters, an array or a pointer; ignored by a function without parameters.
        payoffs: scratch of `seats` floats.
    """
    if turn != OVER and evaluation != 0:
        value = kernels.call_evaluation(evaluation, state, seat, weights)
        return value if abs(value) < WIN else WIN * np.sign(value)
    kernels.payoffs(game, state, payoffs)
    return result(payoffs[seat], evaluation)
