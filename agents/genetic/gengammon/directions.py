"""Which way a network should change: what mutants show, or the twin's gradient, for parts of a generation.

Parts can be sent to other processes.
"""

from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.examples import filled_up
from ludarium.agents.genetic.gengammon.fitness import rank
from ludarium.agents.genetic.gengammon.gradient import add_gradient
from ludarium.agents.genetic.gengammon.neurons import POOL, credit
from ludarium.agents.genetic.gengammon.outcomes import add_outcome_gradient, credit_outcomes
from ludarium.agents.learning.learner import LEARNING
from ludarium.envs.chance import seed_key

if TYPE_CHECKING:
    from ludarium.agents.genetic.gengammon.learner import Gengammon

Slopes = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Of the hidden weights and of the output weights."""
_CREDITS, _POOL, _PAIRS = 2, 3, 4  # streams of a generation; those of pairs follow


class Asked(NamedTuple):
    """A network, and who is to say how it should change: some of the decisions, or some pairs of mutants."""

    learner: "Gengammon"
    hidden: NDArray[np.float32]
    output: NDArray[np.float32]
    batch: NDArray[np.int64]
    pairs: NDArray[np.int64]
    number: int


def ask(part: Asked) -> tuple[float, Slopes]:
    """The sum of the likelihoods of the decisions, and the slope of that sum for each weight, or an estimate of it."""
    learner = part.learner
    if learner.method == "strategy":
        return _compare_pairs(part)
    outcomes = learner.output == "outcomes"
    known: Any = learner.judged if outcomes else learner.examples
    network = filled_up(learner.network(part.hidden, part.output))
    out = np.zeros_like(network.hidden), np.zeros_like(network.output)
    if learner.method == "backprop":
        total = (add_outcome_gradient if outcomes else add_gradient)(known, part.batch, network, out)
    else:
        key = seed_key(learner.seed, LEARNING, part.number, _CREDITS)
        sizes = np.array([learner.spread, 0.0 if learner.output == "sum" else learner.spread], dtype=np.float32)
        how = sizes, learner.mutants, learner.selection == "none"
        judge = credit_outcomes if outcomes else credit
        total = judge(known, part.batch, network, _pool(learner.seed), key, how, out)
        for array in out:
            array /= 2 * learner.spread
    return total, (out[0][:, : learner.hidden], np.append(out[1][: learner.hidden], out[1][-1:], axis=0))


def changes(learner: "Gengammon", number: int, pair: int) -> Slopes:
    """The random signs of a pair of networks, like the hidden weights and the output weights."""
    shapes = list(learner.shapes.values())
    sizes = [int(np.prod(shape)) for shape in shapes]
    draws = np.random.default_rng(int(seed_key(learner.seed, LEARNING, number, _PAIRS + pair)))
    start = draws.integers(POOL - sum(sizes))
    hidden, output = np.split(_pool(learner.seed)[start : start + sum(sizes)], sizes[:1])
    return hidden.reshape(shapes[0]), output.reshape(shapes[1])


def both_ways(learner: "Gengammon", weights: Slopes, signs: Slopes) -> tuple[Network, Network]:
    """The two networks with changes added and subtracted; the outputs of a sum do not change."""
    steps = learner.spread, 0.0 if learner.output == "sum" else learner.spread
    by = [np.float32(step) * sign for step, sign in zip(steps, signs, strict=True)]
    return (
        learner.network(weights[0] + by[0], weights[1] + by[1]),
        learner.network(weights[0] - by[0], weights[1] - by[1]),
    )


def _compare_pairs(part: Asked) -> tuple[float, Slopes]:
    """Judge networks with the same changes added and subtracted, each pair by its own share of the decisions."""
    learner, total = part.learner, 0.0
    weights = part.hidden, part.output
    out = np.zeros_like(part.hidden), np.zeros_like(part.output)
    for pair in part.pairs:
        signs, some = changes(learner, part.number, int(pair)), part.batch[pair :: learner.pairs]
        sums = [rank(learner.examples, some, net).likelihood.sum() for net in both_ways(learner, weights, signs)]
        for array, sign in zip(out, signs, strict=True):
            array += np.float32((sums[0] - sums[1]) / (2 * learner.spread)) * sign
        total += (sums[0] + sums[1]) / 2
    return total, out


@cache
def _pool(seed: int) -> NDArray[np.float32]:
    """Random signs."""
    draws = np.random.default_rng(int(seed_key(seed, LEARNING, 0, _POOL)))
    return np.where(draws.random(POOL) < 0.5, -1, 1).astype(np.float32)
