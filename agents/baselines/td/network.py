"""A small neural network: the values of `td` in games with chance, after TD-Gammon (Tesauro 1992, 1995).

The network sees a position as the seat that has just moved observes it, through one hidden layer of sigmoid units. Its
outputs, a softmax, are the probabilities of each payoff from the least to the greatest integer: in backgammon, of
losing and winning one, two or three points. The position's value is the expected payoff.

A turn is chosen by the positions that it can lead to. If the game has the kernel `afterstates`, these are the results
of whole turns, so that both halves of a double in backgammon are decided together; otherwise they are the results of
single actions.

Which seat moves after the dice is not an input, since it is the other seat after every move. Where it is not, as after
the decision to roll in games with a doubling cube, the network does not tell the two cases apart.
"""

import math
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.compiled.blocks import pack, table
from ludarium.agents.search.one_ply import judging
from ludarium.agents.values.evaluations import Evaluation, packed
from ludarium.agents.values.gradients import add_slopes, go_back
from ludarium.agents.values.turns import first_action, turn_results
from ludarium.envs import kernels
from ludarium.envs.batch import random_legal
from ludarium.envs.chance import below, derive, draw, seed_key, stream, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_AFTERSTATES,
    MAX_MOVES,
    MAX_OUTCOMES,
    OBSERVATION_SIZE,
    OVER,
    SEATS,
    STATE_SIZE,
    Floats,
    Record,
    view,
)
from ludarium.envs.policy import Policy

_BLOCK = np.dtype(
    [
        ("inputs", np.int64),
        ("units", np.int64),
        ("outputs", np.int64),
        ("game", np.int64),  # the game's table
        ("scale", np.int64),  # (inputs,) float32, as are the next two
        ("hidden", np.int64),  # (inputs + 1, units)
        ("output", np.int64),  # (units + 1, outputs)
        ("seen", np.int64),  # (inputs,) int8, scratch
        ("sums", np.int64),  # (units,) float32, scratch
        ("chances", np.int64),  # (outputs,) float32, scratch
    ]
)
_LARGEST = 1 << 24  # weights
_FIRST_WEIGHTS, _FIRST_GAMES = 3, 4  # streams of a seed
_GAMES = 100  # random games that determine the scale of the inputs
_ONE = np.float32(1.0)


class _Network(NamedTuple):
    """What was learned; see `PayoffNetwork.start`."""

    scale: Any
    hidden: Any
    output: Any


@dataclass(frozen=True)
class PayoffNetwork:
    """The approximator `network`, for any game; see `Approximator`."""

    hidden: int

    def check(self, game: Game, td_lambda: float) -> None:
        if self.hidden * (game.observation_size + _outputs(game)) > _LARGEST:
            raise ValueError(f"td: hidden={self.hidden} is too large for {game.spec}; lower it")

    def start(self, game: Game, seed: int) -> Arrays:
        """The network before the first game.

        Returns:
            `scale`, shape (inputs,): the factor for each number of an observation, which is one over its root mean
            square in random games, zeros left out; `hidden`, shape (inputs + 1, hidden), and `output`, shape
            (hidden + 1, outputs): small random weights, with those of the bias last. All float32.
        """
        moments = np.zeros((2, game.observation_size))
        _add_moments(game.table, game.option_bytes, seed_key(seed, _FIRST_GAMES), moments)
        count, squares = np.where(moments[0] > 0, moments, 1.0)
        draws = stream(seed, _FIRST_WEIGHTS)
        shapes = {"hidden": (game.observation_size + 1, self.hidden), "output": (self.hidden + 1, _outputs(game))}
        weights = {
            name: np.array([uniform(draws) - 0.5 for _ in range(math.prod(shape))], dtype=np.float32).reshape(shape)
            for name, shape in shapes.items()
        }
        return {"scale": np.sqrt(count / squares).astype(np.float32), **weights}

    def learn(
        self, game: Game, arrays: Arrays, first: int, count: int, key: np.uint64, rates: NDArray[np.float64]
    ) -> int:
        network = _Network(arrays["scale"], arrays["hidden"], arrays["output"])
        return int(_learn(game.table, game.option_bytes, first, first + count, key, rates, network))

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        """The player that takes the turn with the most valuable result, the first among equals."""
        policy = Policy(_best, _BLOCK, pack(_BLOCK, *_in_block(game, arrays)), needs_state=True)
        return policy if game.max_outcomes else judging(policy, lambda here: self.evaluation(here, arrays))

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        """The expected payoff."""
        if game.max_outcomes:
            raise has_chance(game)
        return replace(packed(_value_of_position, _BLOCK, *_in_block(game, arrays)), expects=float)


def _in_block(game: Game, arrays: Arrays) -> tuple[dict[str, int], Arrays]:
    """The numbers and the tables of a block."""
    inputs, (units, outputs) = len(arrays["scale"]), (arrays[name].shape[1] for name in ("hidden", "output"))
    scratch: Arrays = {
        "seen": np.zeros(inputs, dtype=np.int8),
        "sums": np.zeros(units, dtype=np.float32),
        "chances": np.zeros(outputs, dtype=np.float32),
    }
    kept = {name: arrays[name] for name in _Network._fields}
    return {"inputs": inputs, "units": units, "outputs": outputs}, {"game": game.table, **kept, **scratch}


def has_chance(game: Game) -> ValueError:
    """The error for games in which a position does not tell who has just moved."""
    return ValueError(
        f"td: {game.spec} has chance, so a position does not tell who has just moved; what the run has learned can "
        "be played as it is, td:RUN, but not searched"
    )


def _outputs(game: Game) -> int:
    """The number of different payoffs, from minus the greatest to the greatest."""
    return 2 * math.ceil(game.largest_payoff) + 1


@jit
def _add_moments(game: Any, options: Any, key: Any, moments: Any) -> None:
    """In random games, count how often each number that a seat sees after its actions is not 0, and sum its squares.

    `moments` has shape (2, inputs). The sums are integers, so the order of adding does not matter.
    """
    state, mask = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[ACTIONS], dtype=np.int8)
    seen, chances = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8), np.zeros(game[MAX_OUTCOMES] + 1)
    stream = np.zeros(2, dtype=np.uint64)
    for number in range(_GAMES):
        stream[0], stream[1] = derive(key, number), 0
        state[:] = 0
        kernels.setup(game, state, options)
        plies, seat = 0, kernels.turn(game, state)
        while seat != OVER and plies < game[MAX_MOVES]:
            if seat == CHANCE:
                kernels.play(game, state, draw(game, state, chances, stream))
            else:
                kernels.play(game, state, random_legal(game, state, mask, stream))
                kernels.observe(game, state, seat, seen)
                for i in range(len(seen)):
                    moments[0, i] += seen[i] != 0
                    moments[1, i] += np.float64(seen[i]) ** 2
                plies += 1
            seat = kernels.turn(game, state)


@jit
def forward(seen: Any, network: Any, units: Any, chances: Any) -> float:
    """Write the hidden units and the probabilities of the payoffs; return the expected payoff."""
    scale, hidden, output = network
    units[:] = hidden[len(scale)]
    for i in range(len(scale)):
        if seen[i] != 0:
            x = scale[i] * np.float32(seen[i])
            for unit in range(len(units)):
                units[unit] += x * hidden[i, unit]
    chances[:] = output[len(units)]
    for unit in range(len(units)):
        units[unit] = _ONE / (_ONE + np.exp(-units[unit]))
        for k in range(len(chances)):
            chances[k] += units[unit] * output[unit, k]
    chances[:] = np.exp(chances - chances.max())
    chances /= chances.sum()
    value = 0.0
    for k in range(len(chances)):
        value += (k - len(chances) // 2) * chances[k]
    return value


@jit
def _judge(
    game: Any, state: Any, seat: int, seen: Any, network: Any, units: Any, payoffs: Any, chances: Any
) -> float:  # fmt: skip
    """Write the probabilities of the payoffs of a seat that has just moved; return the expected payoff."""
    if kernels.turn(game, state) == OVER:
        _certain(game, state, seat, payoffs, chances)
        return payoffs[seat]
    kernels.observe(game, state, seat, seen)
    return forward(seen, network, units, chances)


@jit
def _certain(game: Any, state: Any, seat: int, payoffs: Any, chances: Any) -> None:
    """Write the probabilities of the payoffs when a game has ended: 1 for what the seat got."""
    kernels.payoffs(game, state, payoffs)
    chances[:] = 0
    chances[len(chances) // 2 + round(payoffs[seat])] = _ONE


@jit
def _learn(game: Any, options: Any, first: int, end: int, key: Any, rates: Any, network: Any) -> int:
    """Learn from games `first` to `end - 1`; return the number of their turns."""
    scale, hidden, output = network
    state = np.zeros(game[STATE_SIZE], dtype=np.uint8)
    results = np.zeros((max(game[ACTIONS], game[MAX_AFTERSTATES]), len(state)), dtype=np.uint8)
    mask, dice = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(game[MAX_OUTCOMES] + 1)
    payoffs, stream = np.zeros(game[SEATS]), np.zeros(2, dtype=np.uint64)
    units, chances = np.zeros(hidden.shape[1], dtype=np.float32), np.zeros(output.shape[1], dtype=np.float32)
    seen = np.zeros((game[MAX_MOVES], len(scale)), dtype=np.int8)  # by turn: the position it led to
    movers = np.zeros(game[MAX_MOVES], dtype=np.int64)
    strayed = np.zeros(game[MAX_MOVES], dtype=np.bool_)  # it was random, and not the best
    bests = np.zeros((game[MAX_MOVES], len(chances)), dtype=np.float32)  # the payoffs expected of the best
    total = 0
    for number in range(first, end):
        stream[0], stream[1] = derive(key, number), 0
        state[:] = 0
        kernels.setup(game, state, options)
        turns, seat = 0, kernels.turn(game, state)
        while seat != OVER and turns < game[MAX_MOVES]:
            if seat == CHANCE:
                kernels.play(game, state, draw(game, state, dice, stream))
            else:
                count = turn_results(game, state, mask, results)
                choice, best = -1, 0.0
                for i in range(count):
                    value = _judge(game, results[i], seat, seen[turns], network, units, payoffs, chances)
                    if choice < 0 or value > best:
                        choice, best, bests[turns] = i, value, chances
                taken = below(stream, count) if uniform(stream) < rates[2] else choice
                movers[turns], strayed[turns] = seat, taken != choice
                state[:] = results[taken]
                kernels.observe(game, state, seat, seen[turns])
                turns += 1
            seat = kernels.turn(game, state)
        _certain(game, state, movers[turns - 1], payoffs, chances)
        alpha = rates[0] * (1.0 - number * rates[3])
        _correct(seen[:turns], movers, strayed, bests, chances, alpha, rates[1], network)
        total += turns
    return total


@jit
def _correct(
    seen: Any, movers: Any, strayed: Any, bests: Any, target: Any, alpha: float, td_lambda: float, network: Any
) -> None:  # fmt: skip
    """Move the prediction for each position of a game towards its λ-return, last position first.

    The λ-return consists of probabilities, which are reversed if the other seat moves next. What comes after a random
    turn that was not the best says nothing about the positions before it, so the return starts again there, from what
    the best turn promised.

    Args:
        seen: shape (turns, inputs): the positions that the turns led to, as their movers see them.
        movers: the seat that moves, by turn.
        strayed: whether a turn other than the best was played.
        bests: shape (turns, outputs): the payoffs expected of the best turn.
        target: the result for the last mover, shape (outputs,); it changes.
        alpha: step size.
        td_lambda: λ.
        network: see `PayoffNetwork.start`.
    """
    units, chances = np.zeros(network.hidden.shape[1], dtype=np.float32), np.zeros(len(target), dtype=np.float32)
    kept, last = np.float32(td_lambda), len(seen) - 1
    for turn in range(last, -1, -1):
        if turn < last:
            after = turn + 1
            kept = np.float32(0.0 if strayed[after] else td_lambda)
            target[:] = (_ONE - kept) * bests[after] + kept * target
            if movers[after] != movers[turn]:
                target[:] = target[::-1].copy()
        forward(seen[turn], network, units, chances)
        _descend(seen[turn], np.float32(alpha), target - chances, network, units)


@jit
def _descend(seen: Any, alpha: Any, error: Any, network: Any, units: Any) -> None:
    """Take one step down the gradient of the cross-entropy, after `forward`."""
    scale, hidden, output = network
    which, what, count = np.zeros(len(scale), dtype=np.int64), np.zeros(len(scale), dtype=np.float32), 0
    for i in range(len(scale)):
        if seen[i] != 0:
            which[count], what[count] = i, alpha * scale[i] * np.float32(seen[i])
            count += 1
    back, weights = np.zeros(len(units), dtype=np.float32), output[: len(units)].T
    output[len(units)] += alpha * error
    go_back(error, alpha, units, weights, weights, back)
    for unit in range(len(units)):
        back[unit] = units[unit] * ((_ONE - units[unit]) * back[unit])
        hidden[len(scale), unit] += alpha * back[unit]
    add_slopes(which[:count], what[:count], back, hidden)


@jit
def _network_in(block: Any) -> _Network:
    inputs, width, outputs = block.inputs, block.units, block.outputs
    return _Network(
        table(block, block.scale, np.float32, (inputs,)),
        table(block, block.hidden, np.float32, (inputs + 1, width)),
        table(block, block.output, np.float32, (width + 1, outputs)),
    )


def _best(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    """The first action on the way to the most valuable result of the turn."""
    network = _network_in(block)
    units, chances = np.zeros(block.units, dtype=np.float32), np.zeros(block.outputs, dtype=np.float32)
    now, goal = np.zeros(game[STATE_SIZE], dtype=np.uint8), np.zeros(game[STATE_SIZE], dtype=np.uint8)
    results = np.empty((max(game[ACTIONS], game[MAX_AFTERSTATES]), len(now)), dtype=np.uint8)
    scratch, seen = np.zeros(game[ACTIONS], dtype=np.int8), np.zeros(block.inputs, dtype=np.int8)
    payoffs, seat, best = np.zeros(game[SEATS]), kernels.turn(game, state), -np.inf
    for byte in range(len(now)):
        now[byte] = state[byte]
    for i in range(turn_results(game, now, scratch, results)):
        value = _judge(game, results[i], seat, seen, network, units, payoffs, chances)
        if value > best:
            best, goal[:] = value, results[i]
    return first_action(game, now, goal, mask, results)


def _value_of_position(s: Record, seat: int, weights: Floats) -> float:
    block = view(weights, _BLOCK)
    game = table(block, block.game, np.int64, (kernels.TABLE_SIZE,))
    seen, mover = table(block, block.seen, np.int8, (block.inputs,)), 1 - kernels.turn(game, s)
    sums = table(block, block.sums, np.float32, (block.units,))
    chances = table(block, block.chances, np.float32, (block.outputs,))
    kernels.observe(game, s, mover, seen)
    value = forward(seen, _network_in(block), sums, chances)
    return value if seat == mover else -value
