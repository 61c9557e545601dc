"""The twin of evolution: the same network learns the same decisions by backpropagation."""

from typing import Any

import numpy as np

from ludarium.agents.genetic.gengammon.examples import (
    MOST_INPUTS,
    active_inputs,
    add_up,
    changed_inputs,
    most_results,
    scores_of,
)
from ludarium.agents.values.backgammon_network import CUBIC, RELU, SIGMOID, TANH, activate
from ludarium.envs.jit import jit

_ONE = np.float32(1.0)
_CUBIC_END, _CUBIC_SLOPE = np.float32(1.5), np.float32(4 / 9)


@jit
def add_gradient(examples: Any, some: Any, network: Any, out: Any) -> float:
    """Add up the gradient of the likelihood of the experts' choices.

    Args:
        examples: the decisions.
        some: the numbers of those to take, shape (n,).
        network: the network; it has one output.
        out: arrays like `network.hidden` and `network.output`, to which the gradient is added.

    Returns:
        The sum of the logarithms of the probabilities of the choices.
    """
    units, most = network.hidden.shape[1], most_results(examples, some)
    sums, acted = np.empty((2, most, units), dtype=np.float32)
    scores, back = np.empty(most, dtype=np.float32), np.empty((2, units), dtype=np.float32)
    which, what = np.empty(2 * MOST_INPUTS, dtype=np.int64), np.empty(2 * MOST_INPUTS, dtype=np.float32)
    total = 0.0
    for number in some:
        results = add_up(examples, number, network, network.hidden, sums, which, what)
        for row in range(results):
            activate(sums[row], acted[row], network.activation)
        scores_of(acted, network.output, scores[:results])
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        total += errors(scores[:results], chosen)
        _descend(examples, number, network, sums, acted, scores, back, out, which, what)
    return total


@jit
def _descend(
    examples: Any, number: int, network: Any, sums: Any, acted: Any, error: Any, back: Any, out: Any, which: Any,
    what: Any,
) -> None:  # fmt: skip
    """Add the gradient of one decision, from that of its scores; `back` is scratch, shape (2, units)."""
    columns, values, hidden, output, activation = network
    position, first, units = examples.positions[number], examples.offsets[number], hidden.shape[1]
    back[1] = 0.0  # what all results have in common
    for row in range(examples.offsets[number + 1] - first):
        for unit in range(units):
            out[1][unit, 0] += error[row] * acted[row, unit]
            back[0, unit] = error[row] * output[unit, 0] * _slope(sums[row, unit], acted[row, unit], activation)
            back[1, unit] += back[0, unit]
        for i in range(changed_inputs(position, examples.results[first + row], columns, values, which, what)):
            for unit in range(units):
                out[0][which[i], unit] += what[i] * back[0, unit]
    for i in range(active_inputs(position, columns, values, which, what)):
        for unit in range(units):
            out[0][which[i], unit] += what[i] * back[1, unit]
    for unit in range(units):
        out[0][len(hidden) - 1, unit] += back[1, unit]


@jit
def errors(scores: Any, chosen: Any) -> float:
    """Replace scores by the gradient of the likelihood with respect to them; return the likelihood."""
    top, right, total = scores.max(), 0.0, 0.0
    for i in range(len(scores)):
        scores[i] = np.exp(scores[i] - top)
        total += scores[i]
        right += scores[i] * chosen[i]
    right = max(right, 1e-30)
    for i in range(len(scores)):
        scores[i] = scores[i] * chosen[i] / right - scores[i] / total
    return np.log(right / total)


@jit
def _slope(x: Any, acted: Any, activation: int) -> Any:
    """The derivative of a unit's activation."""
    if activation == TANH:
        return _ONE - acted * acted
    if activation == SIGMOID:
        return acted * (_ONE - acted)
    if activation == CUBIC:
        return _ONE - _CUBIC_SLOPE * x * x if abs(x) < _CUBIC_END else np.float32(0.0)
    if activation == RELU:
        return np.float32(1.0) if x > 0 else np.float32(0.0)
    return _ONE
