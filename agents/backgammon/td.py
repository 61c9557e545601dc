"""Backgammon: the network of `td` there, after TD-Gammon (Tesauro 1992, 1995).

It learns from money games without the cube, in which it plays both sides: for each position that a turn has led to, the
probabilities of the six outcomes. So the network also serves matches and games with the cube.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.inputs import OF_PLACES, inputs
from ludarium.agents.backgammon.network import (
    OUTCOMES,
    SEEN,
    SIGMOID,
    add_up,
    equity,
    final_outcome,
    has_ended,
    look,
    network_of,
    put_out,
    see_change,
    see_places,
)
from ludarium.agents.backgammon.player import network_policy
from ludarium.agents.values.gradients import add_slopes, go_back
from ludarium.envs import kernels
from ludarium.envs.backgammon import rules
from ludarium.envs.backgammon.rules import FINISHED, OPENING, ROLLING, STATE, roll
from ludarium.envs.backgammon.turns import MAX_AFTERSTATES, SIZE, afterstates, copy
from ludarium.envs.chance import below, derive, stream, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import advance, local, view
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

_FIRST_WEIGHTS = 3  # the stream of a seed
_SPREAD = 0.1
_LARGEST = 1 << 24  # weights
_LONGEST = 4096  # turns of a game; one that takes longer teaches nothing
_ONE = np.float32(1.0)


def check(hidden: int, name: str) -> None:
    """Refuse unknown inputs, and a network that is too large.

    Raises:
        ValueError: if there is one of these.
    """
    if name not in OF_PLACES:
        raise ValueError(f"td: inputs must be one of {', '.join(OF_PLACES)}, not {name!r}")
    if hidden * (inputs(name).number + OUTCOMES) > _LARGEST:
        raise ValueError(f"td: hidden={hidden} is too large for backgammon; lower it")


def start(hidden: int, name: str, seed: int) -> Arrays:
    """Small random weights, see `ludarium.agents.backgammon.network.Network`."""
    draws = stream(seed, _FIRST_WEIGHTS)
    shapes = {"hidden": (inputs(name).number + 1, hidden), "output": (hidden + 1, OUTCOMES)}
    return {
        key: np.array([_SPREAD * (2 * uniform(draws) - 1) for _ in range(math.prod(shape))], dtype=np.float32).reshape(
            shape
        )
        for key, shape in shapes.items()
    }


def learn(
    game: Game, arrays: Arrays, name: str, first: int, count: int, key: np.uint64, rates: NDArray[np.float64]
) -> int:
    """Learn from games `first` to `first + count - 1`; return the number of their turns.

    Args:
        game: the game; its variant counts, its cube and its matches do not.
        arrays: what `start` returned; the weights change.
        name: of the inputs.
        first: number of the first game.
        count: how many games.
        key: game number i draws its randomness from (key, i).
        rates: step size, λ, the share of random turns, and the share of the step size lost with each game.
    """
    network = network_of(inputs(name), arrays, SIGMOID)
    money = make_game(f"backgammon?variant={game.options['variant']}")
    return int(_learn(money.table, money.option_bytes, first, first + count, key, rates, network))


def policy(game: Game, arrays: Arrays, name: str, **options: Any) -> Policy:
    """The player that takes the turn with the most valuable result; the options are those of `network_policy`."""
    return network_policy(game, network_of(inputs(name), arrays, SIGMOID), **options)


@jit
def _learn(game: Any, options: Any, first: int, end: int, key: Any, rates: Any, network: Any) -> int:
    """Learn from games `first` to `end - 1`; return the number of their turns."""
    s, start, results = local(STATE), local(STATE), np.zeros(MAX_AFTERSTATES * SIZE, dtype=np.uint8)
    seen = np.zeros((_LONGEST, SIZE), dtype=np.uint8)  # by turn: the position it led to
    strayed = np.zeros(_LONGEST, dtype=np.bool_)  # it was random, and not the best
    bests = np.zeros((_LONGEST, OUTCOMES), dtype=np.float32)  # the outcomes expected of the best
    units = network.hidden.shape[1]
    scratch = np.zeros((3, units), dtype=np.float32)
    stream, total = np.zeros(2, dtype=np.uint64), 0
    state = advance(s, 0)
    kernels.setup(game, start, options)
    for number in range(first, end):
        stream[0], stream[1] = derive(key, number), 0
        copy(state, advance(start, 0))
        turns = 0
        while s.phase != FINISHED and turns < _LONGEST:
            if s.phase == OPENING or s.phase == ROLLING:
                roll(s, below(stream, rules.outcomes(s)))
                continue
            count = afterstates(s, results)
            choice = _best(s, results, count, network, scratch, bests[turns])
            taken = below(stream, count) if uniform(stream) < rates[2] else choice
            strayed[turns] = taken != choice
            for byte in range(SIZE):
                state[byte] = seen[turns, byte] = results[taken * SIZE + byte]
            turns += 1
        if s.phase == FINISHED:
            alpha = rates[0] * (1.0 - number * rates[3])
            _correct(seen[:turns], strayed, bests, np.float32(alpha), np.float32(rates[1]), network, scratch)
        total += turns
    return total


@jit
def _best(s: Any, results: Any, count: int, network: Any, scratch: Any, expected: Any) -> int:
    """The number of the turn's most valuable result; write the outcomes that are expected of it."""
    outcomes = np.zeros(OUTCOMES, dtype=np.float32)
    before_sums, sums, units = scratch
    see_places(s, s.seat, network, before_sums)
    best, most = 0, -np.inf
    for i in range(count):
        result = view(advance(results, i * SIZE), STATE)
        if has_ended(result):
            outcomes[:] = 0
            outcomes[final_outcome(result, s.seat)] = _ONE
        else:
            see_change(s, result, s.seat, network, before_sums, sums)
            put_out(sums, network, units, outcomes)
        value = equity(outcomes)
        if value > most:
            best, most = i, value
            expected[:] = outcomes
    return best


@jit
def _correct(seen: Any, strayed: Any, bests: Any, alpha: Any, td_lambda: Any, network: Any, scratch: Any) -> None:
    """Move the prediction for each position of a game towards its λ-return, last position first.

    The λ-return consists of probabilities, which are reversed after each turn, for the other seat. What comes after a
    random turn that was not the best says nothing about the positions before it, so the return starts again there, from
    what the best turn promised.

    Args:
        seen: shape (turns, bytes): the positions that the turns led to.
        strayed: by turn, whether another turn than the best was played.
        bests: shape (turns, 6): the outcomes expected of the best turn.
        alpha: step size.
        td_lambda: λ.
        network: the network, which learns.
        scratch: shape (3, units).
    """
    last = len(seen) - 1
    end = view(seen[last], STATE)
    target = np.zeros(OUTCOMES, dtype=np.float32)
    target[final_outcome(end, end.seat)] = _ONE
    for turn in range(last - 1, -1, -1):
        kept = np.float32(0.0) if strayed[turn + 1] else td_lambda
        for k in range(OUTCOMES):
            target[k] = (_ONE - kept) * bests[turn + 1, k] + kept * target[k]
        for k in range(OUTCOMES // 2):
            target[k], target[OUTCOMES - 1 - k] = target[OUTCOMES - 1 - k], target[k]
        _approach(view(seen[turn], STATE), target, alpha, network, scratch)


@jit
def _approach(s: Any, target: Any, alpha: Any, network: Any, scratch: Any) -> None:
    """Take one step down the gradient of the cross-entropy, for a position after a turn."""
    sums, units, back = scratch[0], scratch[1], scratch[2]
    seen, error, hidden, output = local(SEEN), np.zeros(OUTCOMES, dtype=np.float32), network.hidden, network.output
    look(s, 1 - s.seat, network, seen)
    add_up(seen, network, sums)
    put_out(sums, network, units, error)
    for k in range(OUTCOMES):
        error[k] = target[k] - error[k]
        output[len(units), k] += alpha * error[k]
    weights = output[: len(units)].T
    go_back(error, alpha, units, weights, weights, back)
    for unit in range(len(units)):
        back[unit] = units[unit] * (alpha * (_ONE - units[unit]) * back[unit])
        hidden[len(hidden) - 1, unit] += back[unit]
    add_slopes(seen.which[: seen.number], seen.what[: seen.number], back, hidden)
