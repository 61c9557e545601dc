"""A table for each n-tuple of squares: the values of `td` on boards.

The value of a position to the seat that has just moved is the tanh of a sum of table entries, one from each *n-tuple*,
a set of n squares whose contents are the index into the tuple's table (Bledsoe & Browning 1959; for Othello, Lucas
2008). The tuples are random walks on the board; a board with few enough possible contents is a single tuple, and then
the learner is tabular.

For games without chance whose observations are planes of (rows, columns) with at most one plane set on each square, as
seen from the seat's side.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.search.one_ply import judging
from ludarium.agents.values.evaluations import Evaluation, packed
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive, stream, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE, Floats, Record, view
from ludarium.envs.policy import Policy

_BLOCK = np.dtype(
    [
        ("tuples", np.int64),
        ("length", np.int64),
        ("contents", np.int64),
        ("inputs", np.int64),
        ("scale", np.float64),
        ("game", np.int64),  # the game's table
        ("squares", np.int64),  # (tuples, length) int64
        ("weights", np.int64),  # (tuples, entries) float32
        ("seen", np.int64),  # (inputs,) int8, scratch
        ("entries", np.int64),  # (tuples,) int64, scratch
    ]
)
_WHOLE_BOARD = 1 << 16  # a board with at most this many possible contents is one tuple
_LARGEST = 1 << 24  # entries of all tables
_WALKS = 2  # the stream of a seed that the random walks come from


class Tuples(NamedTuple):
    """What holds the values: the tables, and how to read them."""

    planes: int
    scale: float  # what scales payoffs to -1 to 1
    squares: Any  # (tuples, length) int64
    weights: Any  # (tuples, entries) float32


@dataclass(frozen=True)
class TupleTables:
    """The approximator `tuples`; see `Approximator`."""

    tuples: int
    length: int
    symmetry: bool

    def check(self, game: Game, td_lambda: float) -> None:
        if game.max_outcomes:
            raise ValueError(f"td: {game.spec} has chance, which tuples cannot learn; use approximator=network")
        if len(game.observation_shape) != 3 or game.observation_range != (0, 1):
            raise ValueError(
                f"td: {game.spec} cannot be learned by tuples; its observation must be planes of 0 and 1 in the shape "
                f"(rows, columns, planes), not {game.observation_shape} from {game.observation_range}; "
                "use approximator=network"
            )
        rows, columns, planes = game.observation_shape
        tuples, length = (1, rows * columns) if self._is_whole(game) else (self.tuples, self.length)
        if tuples * (planes + 1) ** length > _LARGEST:
            tables = f"one tuple of {length} squares is" if tuples == 1 else f"{tuples} tuples of {length} squares are"
            raise ValueError(f"td: {tables} too large; lower {'tuples or ' * (tuples > 1)}length")

    def start(self, game: Game, seed: int) -> Arrays:
        """The squares of the tuples, shape (tuples, length) int64, and tables of zeros, (tuples, entries) float32."""
        places = self._squares(game, seed)
        contents = game.observation_shape[2] + 1
        return {"squares": places, "weights": np.zeros((len(places), contents ** places.shape[1]), dtype=np.float32)}

    def _is_whole(self, game: Game) -> bool:
        """Whether one tuple holds the whole board."""
        rows, columns, planes = game.observation_shape
        return bool(rows * columns <= self.length or (planes + 1) ** (rows * columns) <= _WHOLE_BOARD)

    def _squares(self, game: Game, seed: int) -> NDArray[np.int64]:
        """The squares of each tuple, shape (tuples, length): the whole board, or random walks."""
        rows, columns, _ = game.observation_shape
        if self._is_whole(game):
            return np.arange(rows * columns)[None]
        draws = stream(seed, _WALKS)
        return np.array([_walk(rows, columns, self.length, draws) for _ in range(self.tuples)], dtype=np.int64)

    def learn(
        self, game: Game, arrays: Arrays, first: int, count: int, key: np.uint64, rates: NDArray[np.float64]
    ) -> int:
        mirrors = game.images if self.symmetry else game.images[:1]
        tuples = Tuples(game.observation_shape[2], 1.0 / game.largest_payoff, arrays["squares"], arrays["weights"])
        return int(_learn(game.table, game.option_bytes, first, first + count, key, rates, mirrors, tuples))

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        """The player that takes the action with the most valuable result, the lowest among equals."""
        block = pack(_BLOCK, *_in_block(game, arrays))
        return judging(Policy(_best, _BLOCK, block, needs_state=True), lambda here: self.evaluation(here, arrays))

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        """The value that the tuples add up to, before it is squashed."""
        evaluation = packed(_value_of_position, _BLOCK, *_in_block(game, arrays))
        return replace(evaluation, expects=lambda value: game.largest_payoff * math.tanh(value))


def _in_block(game: Game, arrays: Arrays) -> tuple[dict[str, float], Arrays]:
    """The numbers and the tables of a block."""
    count, length = arrays["squares"].shape
    numbers = {"tuples": count, "length": length, "contents": game.observation_shape[2] + 1}
    scratch: Arrays = {"seen": np.zeros(game.observation_size, np.int8), "entries": np.zeros(count, np.int64)}
    return (
        {**numbers, "inputs": game.observation_size, "scale": 1.0 / game.largest_payoff},
        {"game": game.table, "squares": arrays["squares"], "weights": arrays["weights"], **scratch},
    )


def _walk(rows: int, columns: int, length: int, draws: NDArray[np.uint64]) -> list[int]:
    """Different squares on a random walk of king's moves, in increasing order."""
    row, column = int(below(draws, rows)), int(below(draws, columns))
    squares = {row * columns + column}
    while len(squares) < length:
        row = min(max(row + int(below(draws, 3)) - 1, 0), rows - 1)
        column = min(max(column + int(below(draws, 3)) - 1, 0), columns - 1)
        squares.add(row * columns + column)
    return sorted(squares)


@jit
def look_up(game: Any, state: Any, seat: int, tuples: Any, observation: Any, out: Any) -> None:
    """Write the entry of each tuple's table that a position, as a seat sees it, refers to."""
    planes, squares = tuples.planes, tuples.squares
    kernels.observe(game, state, seat, observation)
    for number in range(squares.shape[0]):
        entry = 0
        for i in range(squares.shape[1]):
            content = 0
            for plane in range(planes):
                content += (plane + 1) * observation[squares[number, i] * planes + plane]
            entry = entry * (planes + 1) + content
        out[number] = entry


@jit
def add_up(weights: Any, entries: Any) -> float:
    """The sum of the entries, any number."""
    total = 0.0
    for number in range(len(entries)):
        total += weights[number, entries[number]]
    return total


@jit
def _output(weights: Any, entries: Any) -> float:
    """The value that the entries stand for, from -1 to 1."""
    return np.tanh(add_up(weights, entries))


@jit
def _value(
    game: Any, state: Any, seat: int, tuples: Any, observation: Any, entries: Any, payoffs: Any
) -> float:  # fmt: skip
    """What a position is worth to a seat that has just moved: its payoff at the end, else what was learned."""
    if kernels.turn(game, state) == OVER:
        kernels.payoffs(game, state, payoffs)
        return tuples.scale * payoffs[seat]
    look_up(game, state, seat, tuples, observation, entries)
    return _output(tuples.weights, entries)


@jit
def _learn(
    game: Any, options: Any, first: int, end: int, key: Any, rates: Any, mirrors: Any, tuples: Any
) -> int:  # fmt: skip
    """Learn from games `first` to `end - 1`; return the number of their decisions."""
    squares = tuples.squares
    states = np.zeros((len(mirrors), game[STATE_SIZE]), dtype=np.uint8)  # the position in each mirror image
    child = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    mask, observation = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    payoffs, stream = np.zeros(game[SEATS]), np.zeros(2, dtype=np.uint64)
    entries = np.zeros(len(squares), dtype=np.int64)
    trail = np.zeros((game[MAX_MOVES], len(mirrors), len(squares)), dtype=np.int64)  # the entries after each decision
    movers, worths, bests = np.zeros(game[MAX_MOVES]), np.zeros(game[MAX_MOVES]), np.zeros(game[MAX_MOVES])
    decisions = 0
    for number in range(first, end):
        stream[0], stream[1] = derive(key, number), 0
        states[:] = 0
        for image in range(len(mirrors)):
            kernels.setup(game, states[image], options)
        plies, seat = 0, 0
        while kernels.turn(game, states[0]) != OVER and plies < game[MAX_MOVES]:
            seat = kernels.turn(game, states[0])
            count = kernels.legal(game, states[0], mask)
            left = below(stream, count) if uniform(stream) < rates[2] else -1  # legal actions before the random one
            choice, best, ties, taken, worth = -1, 0.0, 0, -1, 0.0
            for action in range(len(mask)):
                if not mask[action]:
                    continue
                child[:] = states[0]
                kernels.play(game, child, action)
                value = _value(game, child, seat, tuples, observation, entries, payoffs)
                ties = 1 if choice < 0 or value > best else ties + (value == best)
                if choice < 0 or value > best or (value == best and below(stream, ties) == 0):
                    choice, best = action, value
                if left == 0:
                    taken, worth = action, value
                left -= 1
            if taken < 0:
                taken, worth = choice, best
            movers[plies], worths[plies], bests[plies] = seat, worth, best
            for image in range(len(mirrors)):
                kernels.play(game, states[image], mirrors[image, taken])
                look_up(game, states[image], seat, tuples, observation, trail[plies, image])
            plies += 1
        kernels.payoffs(game, states[0], payoffs)
        alpha = rates[0] * (1.0 - number * rates[3])
        _correct(
            trail[: plies - 1], movers, worths, bests, tuples.scale * payoffs[seat], alpha, rates[1], tuples.weights
        )
        decisions += plies
    return decisions


@jit
def _correct(
    trail: Any, movers: Any, worths: Any, bests: Any, value: float, alpha: float, td_lambda: float, weights: Any
) -> None:
    """Move the value of each position of a game towards its λ-return, last position first.

    The step follows the gradient of the cross-entropy, in which the slope of the tanh cancels. What comes after a
    random move that was not among the best says nothing about the positions before it, so the return starts again
    there, from the value of the best move.

    Args:
        trail: shape (positions, images, tuples): entries; the position after the game's last decision is not in it.
        movers: the seat that decides, by decision.
        worths: what the action taken is worth to that seat.
        bests: what its best action is worth.
        value: the result for the seat that decided last.
        alpha: step size.
        td_lambda: λ.
        weights: the tables.
    """
    result = value
    for ply in range(len(trail) - 1, -1, -1):
        after = ply + 1
        if worths[after] < bests[after]:
            result = bests[after]
        else:
            result = (1.0 - td_lambda) * worths[after] + td_lambda * result
        if movers[after] != movers[ply]:
            result = -result
        for image in range(trail.shape[1]):
            step = alpha * (result - _output(weights, trail[ply, image])) / trail.shape[2]
            for number in range(trail.shape[2]):
                weights[number, trail[ply, image, number]] += step


@jit
def _tuples_in(block: Any) -> Tuples:
    count, length, contents = block.tuples, block.length, block.contents
    squares = table(block, block.squares, np.int64, (count, length))
    weights = table(block, block.weights, np.float32, (count, contents**length))
    return Tuples(contents - 1, block.scale, squares, weights)


def _best(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The action with the most valuable result."""
    tuples = _tuples_in(block)
    child, payoffs = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[SEATS])
    seen, entries = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros(block.tuples, dtype=np.int64)
    seat = kernels.turn(game, state)
    choice, best = -1, 0.0
    for action in range(game[ACTIONS]):
        if mask[action]:
            for byte in range(len(child)):
                child[byte] = state[byte]
            kernels.play(game, child, action)
            value = _value(game, child, seat, tuples, seen, entries, payoffs)
            if choice < 0 or value > best:
                choice, best = action, value
    return choice


def _value_of_position(s: Record, seat: int, weights: Floats) -> float:
    block = view(weights, _BLOCK)
    game, tuples = table(block, block.game, np.int64, (kernels.TABLE_SIZE,)), _tuples_in(block)
    seen = table(block, block.seen, np.int8, (block.inputs,))
    entries = table(block, block.entries, np.int64, (block.tuples,))
    mover = 1 - kernels.turn(game, s)
    look_up(game, s, mover, tuples, seen, entries)
    value = add_up(tuples.weights, entries)
    return value if seat == mover else -value
