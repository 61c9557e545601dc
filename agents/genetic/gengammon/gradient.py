"""The twin of evolution: the same network learns the same decisions by backpropagation."""

from typing import Any

import numpy as np

from ludarium.agents.genetic.gengammon.examples import (
    LEAST,
    MOST_INPUTS,
    active_inputs,
    changed_inputs,
    most_results,
    score,
    weigh,
)
from ludarium.agents.values.backgammon_network import slope
from ludarium.envs.jit import jit


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
        results = score(examples, number, network, sums, acted, scores, which, what)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        total += _turn_to_slopes(scores[:results], chosen)
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
            back[0, unit] = error[row] * output[unit, 0] * slope(sums[row, unit], acted[row, unit], activation)
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
def _turn_to_slopes(scores: Any, chosen: Any) -> float:
    """Replace scores by the derivatives of the likelihood with respect to them; return the likelihood."""
    likelihood, right, total = weigh(scores, chosen), 0.0, 0.0
    for i in range(len(scores)):
        total += scores[i]
        right += scores[i] * chosen[i]
    right = max(right, LEAST)
    for i in range(len(scores)):
        scores[i] = scores[i] * chosen[i] / right - scores[i] / total
    return likelihood
