"""Temporal-difference learning by self-play: `ludarium train td othello?size=6`, then the agent `td:runs/x`.

TD(λ) (Sutton 1988) on afterstates: the value of a position to the seat that has just moved, learned from games against
itself. The value is the tanh of a sum of table entries, one from each *n-tuple*, a set of n squares whose contents are
the index into the tuple's table (Bledsoe & Browning 1959; for Othello, Lucas 2008). The tuples are random walks on the
board; a board with few enough contents is one tuple, and the learner is then tabular.

For games on boards: two seats, zero-sum, without chance and hidden information, whose observations are planes of
(rows, columns) with at most one plane set on each square, as seen from the seat's side.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numba
import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.training import LEARNING, Arrays, Checkpoint, Learner, images
from ludarium.envs import kernels
from ludarium.envs.chance import below, derive, seed_key, stream, uniform
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS, MAX_MOVES, OBSERVATION_SIZE, OVER, SEATS, STATE_SIZE
from ludarium.envs.policy import Policy

MEMORY = np.dtype([("tuples", np.int64), ("length", np.int64), ("contents", np.int64), ("scale", np.float64)])
_MEMORY_SIZE = MEMORY.itemsize
_WHOLE_BOARD = 1 << 16  # a board with at most so many contents is one tuple
_LARGEST = 1 << 24  # entries of all tables
_WALKS = 2  # the stream of a seed that the random walks come from


@dataclass(frozen=True, kw_only=True)
class TD(Learner):
    """Options of temporal-difference learning; see `Learner` for the others.

    Attributes:
        alpha: step size, shared by the tuples.
        td_lambda: λ, from 0 (learn from the next value) to 1 (from the result).
        epsilon: share of random moves.
        tuples: number of n-tuples, where the board is not one.
        length: squares in each.
        symmetry: learn each position in all its mirror images at once, if the game declares `symmetries`.
    """

    name: ClassVar[str] = "td"
    alpha: float = 0.5
    td_lambda: float = 0.5
    epsilon: float = 0.3
    tuples: int = 60
    length: int = 6
    symmetry: bool = True

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_share("td_lambda", "epsilon")
        if not isinstance(self.alpha, int | float) or not 0 < self.alpha <= 10:
            raise ValueError(f"td: alpha must be a number above 0 and at most 10, not {self.alpha!r}")
        for option in ("tuples", "length"):
            value = getattr(self, option)
            if type(value) is not int or value < 1:
                raise ValueError(f"td: {option} must be an integer of at least 1, not {value!r}")
        if len(game.observation_shape) != 3 or game.observation_range != (0, 1):
            raise ValueError(
                f"td: {game.spec} cannot be learned; its observation must be planes of 0 and 1 in the shape "
                f"(rows, columns, planes), not {game.observation_shape} from {game.observation_range}"
            )
        rows, columns, planes = game.observation_shape
        if self.length <= rows * columns and self.tuples * (planes + 1) ** self.length > _LARGEST:
            raise ValueError(f"td: {self.tuples} tuples of {self.length} squares are too large; lower tuples or length")

    def start(self, game: Game) -> Arrays:
        squares = self._squares(game)
        contents = game.observation_shape[2] + 1
        return {"squares": squares, "weights": np.zeros((len(squares), contents ** squares.shape[1]), dtype=np.float32)}

    def _squares(self, game: Game) -> NDArray[np.int64]:
        """The squares of each tuple, shape (tuples, length): the whole board, or random walks."""
        rows, columns, planes = game.observation_shape
        if rows * columns <= self.length or (planes + 1) ** (rows * columns) <= _WHOLE_BOARD:
            return np.arange(rows * columns)[None]
        draws = stream(self.seed, _WALKS)
        return np.array([_walk(rows, columns, self.length, draws) for _ in range(self.tuples)], dtype=np.int64)

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return super().fits(game, arrays) and bool((arrays["squares"] == self._squares(game)).all())

    def learn(self, game: Game, arrays: Arrays, first: int, count: int) -> int:
        mirrors = images(game) if self.symmetry else images(game)[:1]
        rates = np.array([self.alpha, self.td_lambda, self.epsilon, _scale(game)])
        return int(
            _learn(
                game.table, game.option_bytes, first, first + count, seed_key(self.seed, LEARNING), rates, mirrors,
                game.observation_shape[2], arrays["squares"], arrays["weights"],
            )
        )  # fmt: skip

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        squares, weights = arrays["squares"], arrays["weights"]
        header = np.array([(*squares.shape, game.observation_shape[2] + 1, _scale(game))], dtype=MEMORY)
        memory = bytearray(b"".join(part.tobytes() for part in (header, squares, weights)))
        return Policy(_best, MEMORY, np.frombuffer(memory, dtype=np.uint8), needs_state=True)


def trained(game: Game, path: str) -> CompiledAgent:
    """The agent `td:PATH`: plays what a run has learned to value most, the lowest action among equals.

    Raises:
        ValueError: if the folder holds no such run, or one of another game.
    """
    checkpoint = Checkpoint.load(Path(path), TD)
    checkpoint.check_game(path, game)
    return CompiledAgent(f"td:{path}", checkpoint.learner.policy(game, checkpoint.arrays))


def _scale(game: Game) -> float:
    """What brings payoffs into -1 to 1."""
    return 1.0 / max(map(abs, game.payoff_range))


def _walk(rows: int, columns: int, length: int, draws: NDArray[np.uint64]) -> list[int]:
    """Different squares on a random walk of king's moves, in increasing order."""
    row, column = int(below(draws, rows)), int(below(draws, columns))
    found = {row * columns + column}
    while len(found) < length:
        row = min(max(row + int(below(draws, 3)) - 1, 0), rows - 1)
        column = min(max(column + int(below(draws, 3)) - 1, 0), columns - 1)
        found.add(row * columns + column)
    return sorted(found)


@jit
def _index(game: Any, state: Any, seat: int, planes: int, squares: Any, observation: Any, out: Any) -> None:
    """Write the entry of each tuple's table that a position, as a seat sees it, refers to."""
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
def _output(weights: Any, entries: Any) -> float:
    """The value that the entries add up to, from -1 to 1."""
    total = 0.0
    for number in range(len(entries)):
        total += weights[number, entries[number]]
    return np.tanh(total)


@jit
def _value(
    game: Any, state: Any, seat: int, scale: float, planes: int, squares: Any, weights: Any, observation: Any,
    entries: Any, payoffs: Any,
) -> float:  # fmt: skip
    """What a position is worth to a seat that has just moved: its payoff at the end, else what was learned."""
    if kernels.turn(game, state) == OVER:
        kernels.payoffs(game, state, payoffs)
        return scale * payoffs[seat]
    _index(game, state, seat, planes, squares, observation, entries)
    return _output(weights, entries)


@jit
def _learn(
    game: Any, options: Any, first: int, end: int, key: Any, rates: Any, mirrors: Any, planes: int, squares: Any,
    weights: Any,
) -> int:  # fmt: skip
    """Learn from games `first` to `end - 1`; their decisions."""
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
                value = _value(game, child, seat, rates[3], planes, squares, weights, observation, entries, payoffs)
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
                _index(game, states[image], seat, planes, squares, observation, trail[plies, image])
            plies += 1
        kernels.payoffs(game, states[0], payoffs)
        _correct(trail[: plies - 1], movers, worths, bests, rates[3] * payoffs[seat], rates[0], rates[1], weights)
        decisions += plies
    return decisions


@jit
def _correct(
    trail: Any, movers: Any, worths: Any, bests: Any, value: float, alpha: float, td_lambda: float, weights: Any
) -> None:
    """Move the value of each position of a game towards its λ-return, the last first.

    The step follows the gradient of the cross-entropy, in which the slope of the tanh cancels. What comes after a
    random move that was not among the best tells nothing of the positions before it, so the return begins anew there,
    from the value of the best move.

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


def _best(game: Any, state: Any, observation: Any, mask: Any, memory: Any, stream: Any) -> int:
    """The policy of `trained`."""
    tuples, length, contents = memory.tuples, memory.length, memory.contents
    entries_each = contents**length
    size = 8 * tuples * length
    tables = numba.carray(kernels.advance(memory, _MEMORY_SIZE), (size + 4 * tuples * entries_each,))
    squares = tables[:size].view(np.int64).reshape((tuples, length))
    weights = tables[size:].view(np.float32).reshape((tuples, entries_each))
    child, payoffs = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[SEATS])
    seen, entries = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros(tuples, dtype=np.int64)
    seat = kernels.turn(game, state)
    choice, best = -1, 0.0
    for action in range(game[ACTIONS]):
        if mask[action]:
            for byte in range(len(child)):
                child[byte] = state[byte]
            kernels.play(game, child, action)
            value = _value(game, child, seat, memory.scale, contents - 1, squares, weights, seen, entries, payoffs)
            if choice < 0 or value > best:
                choice, best = action, value
    return choice
