"""How the networks of `expert` learn backgammon: what a teacher thinks of positions, by Adam.

Positions come from games, see `ludarium.agents.backgammon.teaching_games`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import CUBIC_SLOPE, OUTCOMES, SEEN, add_up, look
from ludarium.agents.backgammon.teaching_games import LANES, put_out, weights
from ludarium.agents.values.adam import Adam
from ludarium.agents.values.gradients import add_slopes, go_back
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.backgammon.rules import STATE
from ludarium.envs.files import Arrays
from ludarium.envs.jit import jit
from ludarium.envs.kernels import local

_NAMES = ("hidden", "output", "bias")
_POINTS = np.array([-3, -2, -1, 1, 2, 3], dtype=np.float32)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)


def learn(
    arrays: Arrays,
    part: str,
    rows: NDArray[np.int8],
    targets: NDArray[np.float32],
    batches: NDArray[np.int64],
    rate: float,
) -> float:
    """Take one step for each batch; the weights change.

    Args:
        arrays: what `start` returned.
        part: the network that learns.
        rows: positions that turns led to, shape (n, 28).
        targets: the probabilities of their outcomes, shape (n, 6).
        batches: shape (steps, size): which of them.
        rate: the step size.

    Returns:
        The root mean square of the difference between targets and predictions, in points.
    """
    steps, network, error = arrays[f"{part}_steps"], weights(arrays, part), 0.0
    slopes = {name: np.zeros_like(arrays[f"{part}_{name}"]) for name in _NAMES}
    for batch in batches:
        for slope in slopes.values():
            slope[:] = 0
        error += _add_positions(network, rows, targets, batch, tuple(slopes.values()))
        steps[0] += 1
        for name, slope in slopes.items():
            adam = Adam(arrays[f"{part}_{name}_mean"], arrays[f"{part}_{name}_square"])
            adam.step(arrays[f"{part}_{name}"], slope, rate, int(steps[0]))
    return math.sqrt(error / max(batches.size, 1))


@jit
def _add_positions(network: Any, rows: Any, targets: Any, some: Any, slopes: Any) -> float:
    """Add the slope of the mean cross-entropy, uphill; return the sum of squared differences in points."""
    size, share, total = network.hidden.shape[1], np.float32(1.0 / max(len(some), 1)), 0.0
    sums, units, back = (
        np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32),
    )  # fmt: skip
    lanes, outcomes, error = (
        np.zeros(LANES, dtype=np.float32), np.zeros(OUTCOMES, dtype=np.float32), np.zeros(OUTCOMES, dtype=np.float32),
    )  # fmt: skip
    s, seen = local(STATE), local(SEEN)
    for number in some:
        set_up(s, rows[number])
        look(s, 0, network, seen)
        add_up(seen, network, sums)
        put_out(sums, network, units, lanes, outcomes)
        points = _ZERO
        for k in range(OUTCOMES):
            error[k] = targets[number, k] - outcomes[k]
            points += _POINTS[k] * error[k]
            error[k] *= share
        total += float(points * points)
        _add_position(network, seen, error, sums, units, back, slopes)
    return total


@jit
def _add_position(network: Any, seen: Any, error: Any, sums: Any, units: Any, back: Any, slopes: Any) -> None:
    """Add the slopes of one position, from those of its outputs; `back` is room for those of the hidden units."""
    hidden, output, bias = slopes
    for k in range(OUTCOMES):
        bias[k] += error[k]
    go_back(error, _ONE, units, network.output, output, back)
    for unit in range(len(units)):
        back[unit] *= max(_ONE - CUBIC_SLOPE * sums[unit] * sums[unit], _ZERO)
        hidden[len(hidden) - 1, unit] += back[unit]
    add_slopes(seen.which[: seen.number], seen.what[: seen.number], back, hidden)
