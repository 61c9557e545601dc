"""Networks with random changes, by one pool of signs for a whole run."""

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.architecture import Architecture
from ludarium.agents.genetic.gengammon.neurons import POOL
from ludarium.agents.learning.learner import LEARNING
from ludarium.envs.chance import seed_key

Slopes = tuple[NDArray[Any], NDArray[Any]]
"""Numbers for the hidden weights and for the output weights, of their shapes, float32."""
_POOL, _PAIRS = 3, 4  # streams of a generation; those of pairs follow
_NEGATIVE = 0.5  # the share of negative signs


@cache
def pool(seed: int) -> NDArray[np.float32]:
    """Random signs."""
    draws = np.random.default_rng(int(seed_key(seed, LEARNING, 0, _POOL)))
    return np.where(draws.random(POOL) < _NEGATIVE, -1, 1).astype(np.float32)


def check_size(architecture: Architecture) -> None:
    """Refuse networks with more weights than there are signs.

    Raises:
        ValueError: for such a network.
    """
    weights = sum(math.prod(shape) for shape in architecture.shapes)
    if weights >= POOL:
        raise ValueError(
            f"gengammon: networks with mutants have fewer than {POOL:,} weights; with hidden={architecture.hidden} "
            f"there are {weights:,}"
        )


def changes(architecture: Architecture, seed: int, number: int, pair: int) -> Slopes:
    """The random signs of a pair of networks in a generation, like the hidden weights and the output weights."""
    shapes = architecture.shapes
    sizes = [math.prod(shape) for shape in shapes]
    draws = np.random.default_rng(int(seed_key(seed, LEARNING, number, _PAIRS + pair)))
    start = draws.integers(POOL - sum(sizes))
    hidden, output = np.split(pool(seed)[start : start + sum(sizes)], sizes[:1])
    return hidden.reshape(shapes[0]), output.reshape(shapes[1])


def both_ways(architecture: Architecture, weights: Slopes, signs: Slopes, spread: float) -> tuple[Network, Network]:
    """The two networks with changes of a size added and subtracted; the outputs of a sum do not change."""
    hidden = np.float32(spread) * signs[0]
    output = np.float32(0.0 if architecture.output == "sum" else spread) * signs[1]
    return (
        architecture.network(weights[0] + hidden, weights[1] + output),
        architecture.network(weights[0] - hidden, weights[1] - output),
    )
