"""What positions of Othello are worth in discs, whatever evaluation judges them.

A value is multiplied by a slope that depends on how many discs lie on the board: the one that best tells, in the sense
of least squares, the final disc difference of games that were played well from all kinds of positions. So 0 stays 0, a
greater value stays greater, and values of all parts of the game, of all evaluations, can be compared. A slope takes the
positions with almost as many discs into account. `benchmarks/othello_discs.py` plays the games, which are shipped
beside this file for each size of the board, and prints how far the result is from what is expected.
"""

from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs import kernels
from ludarium.envs.files import read_arrays, reading
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.opinions import Opinion
from ludarium.envs.othello import Othello
from ludarium.envs.position import Position

SHIPPED = Path(__file__).parent / "games.npz"
"""The shipped games, for each size N: `movesN`, shape (games, squares - 4) uint8: where discs were put, 255 after the
end; `openingN`, shape (games,): how many of them at random; `playoutsN`, see `playout_slopes`."""
NONE = 255

_AROUND, _LEAST = 3, 1000  # discs more or less, and more of them until there are so many positions
_TINY = 1e-300


class Sample(NamedTuple):
    """The positions of the shipped games from the first good move on.

    Attributes:
        states: the records, shape (positions, bytes of a record) uint8.
        discs: on the board, shape (positions,).
        results: the final disc difference for the seat to move, shape (positions,).
    """

    states: NDArray[np.uint8]
    discs: NDArray[np.int64]
    results: NDArray[np.float64]


def counted(game: Game) -> Othello:
    """The game of Othello that pays discs: the same, or if only wins are paid, with the empty squares to the winner."""
    assert isinstance(game, Othello)
    if game.options["scoring"] != "wins":
        return game
    return Othello(**{**game.options, "scoring": "empties_to_winner"})


@cache
def sample(game: Othello) -> Sample:
    """The positions of the shipped games on the board of a game, with results as that game pays."""
    size = game.options["size"]
    with reading(f"{SHIPPED}: the games cannot be read"):
        stored = read_arrays(SHIPPED)
        return replay(game, stored[f"moves{size}"], stored[f"opening{size}"])


def replay(game: Othello, moves: NDArray[np.uint8], opening: NDArray[np.uint8]) -> Sample:
    """The positions of games; the arguments are those of `SHIPPED`."""
    sample = Sample(
        np.zeros((moves.size, game.state.itemsize), dtype=np.uint8),
        np.zeros(moves.size, dtype=np.int64),
        np.zeros(moves.size),
    )
    count = _replay(game.table, game.start().data, moves, opening, sample, np.zeros(game.actions, dtype=np.int8))
    return Sample(sample.states[:count].copy(), sample.discs[:count].copy(), sample.results[:count].copy())


def values(game: Game, evaluation: Evaluation, states: NDArray[np.uint8]) -> NDArray[np.float64]:
    """What positions are worth to the seats to move, shape (positions,); see `Sample`."""
    worths = np.zeros(len(states))
    weights = evaluation.weights if len(evaluation.weights) else np.zeros(1)
    _evaluate(states, evaluation.address(game), weights, game.table, worths)
    return worths


@lru_cache(maxsize=16)
def slopes(game: Othello, evaluation: Evaluation) -> NDArray[np.float64]:
    """How many discs one point of an evaluation stands for, by the number of discs on the board, shape (squares + 1,).

    An evaluation whose greater values go with worse results tells nothing; its slopes are 0.
    """
    positions = sample(counted(game))
    return fit(
        values(game, evaluation, positions.states), positions.discs, positions.results, game.options["size"] ** 2
    )


@cache
def playout_slopes(game: Othello) -> NDArray[np.float64]:
    """How many discs a mean result of random games stands for, as a share of the best one; otherwise as `slopes`.

    They are fitted to `mcts` with its default number of simulations, once for wins and once for discs.
    """
    with reading(f"{SHIPPED}: the games cannot be read"):
        slopes: NDArray[np.float64] = read_arrays(SHIPPED)[f"playouts{game.options['size']}"].astype(np.float64)
    return slopes[0 if game.options["scoring"] == "wins" else 1]


def fit(
    values: NDArray[np.float64], discs: NDArray[np.int64], results: NDArray[np.float64], squares: int
) -> NDArray[np.float64]:
    """The slopes of results over values, by the number of discs, shape (squares + 1,).

    Args:
        values: for the seats to move, shape (positions,).
        discs: on the board, shape (positions,).
        results: the final disc differences for the seats to move, shape (positions,).
        squares: of the board.
    """
    places = np.arange(squares + 1)
    fitted, many = np.zeros(squares + 1), np.bincount(discs, minlength=squares + 1)
    products, powers = (np.bincount(discs, part, squares + 1) for part in (values * results, values * values))
    for place in places:
        around = _AROUND
        while many[abs(places - place) <= around].sum() < min(_LEAST, len(discs)):
            around += 1
        near = abs(places - place) <= around
        fitted[place] = max(0.0, products[near].sum() / max(powers[near].sum(), _TINY))
    return fitted


def in_discs(position: Position, opinion: Opinion, by_discs: NDArray[np.float64] | None) -> Opinion:
    """An opinion in discs.

    Args:
        position: the position, of Othello.
        opinion: the opinion; if it is exact, its value is a payoff.
        by_discs: what its value, if not exact, is multiplied by; None to leave it as it is. Terms are multiplied, too.
    """
    if opinion.exact:
        return _known(position, opinion)
    if by_discs is None:
        return opinion
    squares, lying = len(by_discs) - 1, len(by_discs) - 1 - position.text.count("-")
    value = opinion.value * by_discs[min(squares, lying + opinion.depth)]
    slope = float(by_discs[min(squares, lying + 1)])
    terms = tuple(replace(term, weight=slope * term.weight) for term in opinion.terms)
    return replace(opinion, value=float(np.clip(value, -squares, squares)), terms=terms)


def _known(position: Position, opinion: Opinion) -> Opinion:
    """An exact payoff in discs.

    Where only wins are paid, a win that is certain may still be won by more or by fewer discs: those at the end of the
    line are then an estimate, or the fewest if the line does not reach the end.
    """
    game = counted(position.game)
    if game == position.game or not opinion.value:
        return opinion
    end = game.from_text(position.text)
    for action in opinion.line:
        end.push(action)
    value = float(end.payoffs()[position.turn]) if end.over else 2.0 * opinion.value
    return replace(opinion, value=value, exact=end.over and len(opinion.line) == 1)


@jit
def _replay(game: Any, start: Any, moves: Any, opening: Any, sample: Any, mask: Any) -> int:
    """Write the positions of games from the first good move on; return their number."""
    states, discs, results = sample
    state, payoffs, passing, count = start.copy(), np.zeros(2), len(mask) - 1, 0
    for number in range(moves.shape[0]):
        state[:] = start
        first, lying = count, 4
        for k in range(moves.shape[1]):
            if moves[number, k] == NONE:
                break
            if k >= opening[number]:
                states[count], discs[count], results[count] = state, lying, kernels.turn(game, state)
                count += 1
            kernels.play(game, state, np.int64(moves[number, k]))
            lying += 1
            kernels.legal(game, state, mask)
            if mask[passing]:
                kernels.play(game, state, passing)
        kernels.payoffs(game, state, payoffs)
        for i in range(first, count):
            results[i] = payoffs[np.int64(results[i])]
    return count


@jit
def _evaluate(states: Any, evaluation: int, weights: Any, game: Any, values: Any) -> None:
    """Write what an evaluation thinks of positions for the seats to move."""
    for i in range(len(states)):
        seat = kernels.turn(game, states[i])
        values[i] = kernels.call_evaluation(evaluation, states[i], seat, weights)
