"""How the networks of `expert` learn backgammon: what a teacher thinks of positions, by Adam (Kingma & Ba 2015).

Positions come from games, see `ludarium.agents.backgammon.teaching_games`.
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import CUBIC_SLOPE, OUTCOMES, see
from ludarium.agents.backgammon.teaching_games import LANES, put_out, weights
from ludarium.agents.backgammon.threats import threats
from ludarium.envs.backgammon.decisions import set_up
from ludarium.envs.backgammon.rules import STATE
from ludarium.envs.files import Arrays
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, local

_POINTS = np.array([-3, -2, -1, 1, 2, 3], dtype=np.float32)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_KEPT, _KEPT_SQUARES = np.float32(0.9), np.float32(0.999)


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
    memories = tuple(
        arrays[f"{part}_{name}_{memory}"] for name in ("hidden", "output", "bias") for memory in ("mean", "square")
    )
    error = _learn(weights(arrays, part), memories, arrays[f"{part}_steps"], (rows, targets, batches), rate)
    return math.sqrt(error / max(batches.size, 1))


@jit
def _learn(found: Any, memories: Any, steps: Any, known: Any, rate: float) -> float:
    rows, targets, batches = known
    hidden, output, bias = found.hidden, found.output, found.bias
    slopes = np.zeros_like(hidden), np.zeros_like(output), np.zeros_like(bias)
    error = 0.0
    for step in range(len(batches)):
        slopes[0][:] = 0
        slopes[1][:] = 0
        slopes[2][:] = 0
        error += _add_positions(found, rows, targets, batches[step], slopes)
        steps[0] += 1
        decay = 1.0 - np.float64(_KEPT) ** steps[0], 1.0 - np.float64(_KEPT_SQUARES) ** steps[0]
        _step(hidden.ravel(), slopes[0].ravel(), memories[0].ravel(), memories[1].ravel(), rate, decay)
        _step(output.ravel(), slopes[1].ravel(), memories[2].ravel(), memories[3].ravel(), rate, decay)
        _step(bias, slopes[2], memories[4], memories[5], rate, decay)
    return error


@jit
def _step(numbers: Any, slope: Any, mean: Any, square: Any, rate: float, decay: Any) -> None:
    """One step of Adam, uphill."""
    size, scale = np.float32(rate / decay[0]), np.float32(1.0 / decay[1])
    for i in range(len(numbers)):
        mean[i] = _KEPT * mean[i] + (_ONE - _KEPT) * slope[i]
        square[i] = _KEPT_SQUARES * square[i] + (_ONE - _KEPT_SQUARES) * slope[i] * slope[i]
        numbers[i] += size * mean[i] / (np.sqrt(square[i] * scale) + np.float32(1e-8))


@jit
def _add_positions(found: Any, rows: Any, targets: Any, some: Any, slopes: Any) -> float:
    """Add the slope of the mean cross-entropy, uphill; return the sum of squared differences in points."""
    size, share, total = found.hidden.shape[1], np.float32(1.0 / max(len(some), 1)), 0.0
    sums, units, back = (
        np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32),
    )  # fmt: skip
    lanes, outcomes, error = (
        np.zeros(LANES, dtype=np.float32), np.zeros(OUTCOMES, dtype=np.float32), np.zeros(OUTCOMES, dtype=np.float32),
    )  # fmt: skip
    s = local(STATE)
    for number in some:
        set_up(s, rows[number])
        see(s, 0, found, sums)
        put_out(sums, found, units, lanes, outcomes)
        points = _ZERO
        for k in range(OUTCOMES):
            error[k] = targets[number, k] - outcomes[k]
            points += _POINTS[k] * error[k]
            error[k] *= share
        total += float(points * points)
        _go_back(found, error, sums, units, back, slopes)
        _add_places(s, found, back, slopes[0])
        _add_threats(s, found, back, slopes[0])
    return total


@jit
def _go_back(found: Any, error: Any, sums: Any, units: Any, back: Any, slopes: Any) -> None:
    """Add the slopes of the outputs' weights, and write those of what the hidden units add up."""
    back[:] = 0
    for k in range(OUTCOMES):
        one, row, slope = error[k], found.output[k], slopes[1][k]
        slopes[2][k] += one
        for unit in range(len(units)):
            back[unit] += one * row[unit]
            slope[unit] += one * units[unit]
    for unit in range(len(units)):
        back[unit] *= max(_ONE - CUBIC_SLOPE * sums[unit] * sums[unit], _ZERO)


@jit
def _add_places(s: Record, found: Any, back: Any, slope: Any) -> None:
    """Add the slopes of the weights of the inputs of places, as seat 0 sees them, and of the bias."""
    for unit in range(len(back)):
        slope[len(slope) - 1, unit] += back[unit]
    for seat in range(2):
        for place in range(26):
            count = s.checkers[seat, place]
            for k in range(found.values.shape[2] if count else 0):
                value = found.values[place, count, k]
                if value != 0:
                    row = slope[found.columns[seat, place, k]]
                    for unit in range(len(back)):
                        row[unit] += value * back[unit]


@jit
def _add_threats(s: Record, found: Any, back: Any, slope: Any) -> None:
    """Add the slopes of the weights of the other inputs."""
    row = len(slope) - 1 - 2 * found.threats
    for seat in range(2 if found.threats else 0):
        numbers = threats(s, seat)
        for k in range(found.threats):
            for unit in range(len(back)):
                slope[row, unit] += numbers[k] * back[unit]
            row += 1
