"""How the networks of `expert` learn backgammon: from what a teacher thinks of positions, and from experts' choices.

Positions come from games, see `ludarium.agents.expert.backgammon_games`, and are judged by a teacher. Decisions of
experts yield comparisons: the probability of a choice is in proportion to the exponential of `SHARPNESS` times the
points expected of it. Both pull at the same weights, by Adam (Kingma & Ba 2015).
"""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.expert.backgammon_games import LANES, put_out, weights
from ludarium.agents.learning.checkpoint import Arrays
from ludarium.agents.values.backgammon_inputs import UNITS
from ludarium.agents.values.backgammon_network import (
    CUBIC_SLOPE,
    OUTCOMES,
    equity,
    see,
    see_change,
    see_places,
)
from ludarium.agents.values.backgammon_threats import threats
from ludarium.envs.backgammon.decisions import Decisions, set_up
from ludarium.envs.backgammon.rules import STATE
from ludarium.envs.backgammon.turns import SIZE
from ludarium.envs.jit import jit
from ludarium.envs.kernels import Record, view

SHARPNESS = np.float32(25.0)
_POINTS = np.array([-3, -2, -1, 1, 2, 3], dtype=np.float32)
_ZERO, _ONE = np.float32(0.0), np.float32(1.0)
_KEPT, _KEPT_SQUARES = np.float32(0.9), np.float32(0.999)
_UNLIKELY = np.float32(1e-3)  # results whose probability is that much right or wrong are left as they are


def learn(
    arrays: Arrays,
    part: str,
    rows: NDArray[np.int8],
    targets: NDArray[np.float32],
    batches: NDArray[np.int64],
    decisions: Decisions,
    chosen: NDArray[np.int64],
    rate: float,
    weight: float,
) -> tuple[float, float]:
    """Take one step for each batch; the weights change.

    Args:
        arrays: what `start` returned.
        part: the network that learns.
        rows: positions that turns led to, shape (n, 28).
        targets: the probabilities of their outcomes, shape (n, 6).
        batches: shape (steps, size): which of them.
        decisions: decisions of experts.
        chosen: shape (steps, size): which of them; the size may be 0.
        rate: the step size.
        weight: how much the mean logarithm of the probability of a choice counts, if positions count 1.

    Returns:
        The root mean square of the difference between targets and predictions, in points, and the mean logarithm.
    """
    memories = tuple(
        arrays[f"{part}_{name}_{memory}"] for name in ("hidden", "output", "bias") for memory in ("mean", "square")
    )
    most = int(decisions.counts.max(initial=1)) if chosen.size else 1
    known = decisions.positions, decisions.results, decisions.offsets, decisions.chosen
    played, judged = (rows, targets, batches), (known, chosen, most)
    error, likelihood = _learn(
        weights(arrays, part), memories, arrays[f"{part}_steps"], played, judged, rate, np.float32(weight)
    )
    return math.sqrt(error / max(batches.size, 1)), likelihood / max(chosen.size, 1)


@jit
def _learn(
    found: Any, memories: Any, steps: Any, played: Any, judged: Any, rate: float, weight: Any
) -> tuple[float, float]:
    rows, targets, batches = played
    known, chosen, most = judged
    hidden, output, bias = found.hidden, found.output, found.bias
    slopes = np.zeros_like(hidden), np.zeros_like(output), np.zeros_like(bias)
    error = likelihood = 0.0
    for step in range(len(batches)):
        slopes[0][:] = 0
        slopes[1][:] = 0
        slopes[2][:] = 0
        error += _add_positions(found, rows, targets, batches[step], slopes)
        if chosen.shape[1]:
            likelihood += _add_choices(found, known, chosen[step], most, weight, slopes)
        steps[0] += 1
        decay = 1.0 - np.float64(_KEPT) ** steps[0], 1.0 - np.float64(_KEPT_SQUARES) ** steps[0]
        _step(hidden.ravel(), slopes[0].ravel(), memories[0].ravel(), memories[1].ravel(), rate, decay)
        _step(output.ravel(), slopes[1].ravel(), memories[2].ravel(), memories[3].ravel(), rate, decay)
        _step(bias, slopes[2], memories[4], memories[5], rate, decay)
    return error, likelihood


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
    state = np.zeros(SIZE, dtype=np.uint8)
    s = view(state, STATE)
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
            for k in range(UNITS if count else 0):
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


@jit
def _add_change(before: Record, after: Record, found: Any, back: Any, slope: Any) -> None:
    """Add the slopes of the weights of the inputs of places that a turn of seat 0 changes."""
    for seat in range(2):
        for place in range(26):
            old, new = before.checkers[seat, place], after.checkers[seat, place]
            for k in range(UNITS if old != new else 0):
                value = found.values[place, new, k] - found.values[place, old, k]
                if value != 0:
                    row = slope[found.columns[seat, place, k]]
                    for unit in range(len(back)):
                        row[unit] += value * back[unit]


@jit
def _add_choices(found: Any, known: Any, some: Any, most: int, weight: Any, slopes: Any) -> float:
    """Add the slope of the mean logarithm of the probability of the experts' choices; return its sum."""
    positions, results, offsets, chosen = known
    size, total = found.hidden.shape[1], 0.0
    base, back, common = (
        np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32), np.zeros(size, dtype=np.float32),
    )  # fmt: skip
    sums, units = np.zeros((most, size), dtype=np.float32), np.zeros((most, size), dtype=np.float32)
    outcomes, points = np.zeros((most, OUTCOMES), dtype=np.float32), np.zeros(most, dtype=np.float32)
    shares, lanes, error = (
        np.zeros(most, dtype=np.float32), np.zeros(LANES, dtype=np.float32), np.zeros(OUTCOMES, dtype=np.float32),
    )  # fmt: skip
    old, new = np.zeros(SIZE, dtype=np.uint8), np.zeros(SIZE, dtype=np.uint8)
    before, after = view(old, STATE), view(new, STATE)
    for number in some:
        first, count = offsets[number], offsets[number + 1] - offsets[number]
        set_up(before, positions[number])
        see_places(before, 0, found, base)
        for i in range(count):
            set_up(after, results[first + i])
            see_change(before, after, 0, found, base, sums[i])
            put_out(sums[i], found, units[i], lanes, outcomes[i])
            points[i] = shares[i] = equity(outcomes[i])
        total += _share(shares[:count], chosen[first : first + count])
        common[:] = 0
        for i in range(count):
            if abs(shares[i]) < _UNLIKELY:
                continue
            factor = weight * SHARPNESS * shares[i] / len(some)
            for k in range(OUTCOMES):
                error[k] = factor * outcomes[i, k] * (_POINTS[k] - points[i])
            _go_back(found, error, sums[i], units[i], back, slopes)
            set_up(after, results[first + i])
            _add_change(before, after, found, back, slopes[0])
            _add_threats(after, found, back, slopes[0])
            for unit in range(size):
                common[unit] += back[unit]
        _add_places(before, found, common, slopes[0])
    return total


@jit
def _share(points: Any, chosen: Any) -> Any:
    """Replace the points of results by the slopes of the logarithm of the choice's probability; return it."""
    right, total, top = 1e-30, 0.0, points.max()
    for i in range(len(points)):
        points[i] = np.exp(SHARPNESS * (points[i] - top))
        total += points[i]
        right += points[i] * chosen[i]
    for i in range(len(points)):
        points[i] = points[i] * chosen[i] / right - points[i] / total
    return math.log(right / total)
