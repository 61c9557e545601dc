"""The twin of evolution: the same network learns the same decisions, or odds, by backpropagation."""

from typing import Any

import numpy as np

from ludarium.agents.backgammon.network import OUTCOMES, slopes
from ludarium.agents.genetic.gengammon.examples import LEAST, make_room, rows, score, weigh
from ludarium.agents.genetic.gengammon.odds import expect_odds
from ludarium.agents.values.gradients import add_slopes, go_back
from ludarium.envs.jit import jit

_ONE = np.float32(1.0)


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
    units = network.hidden.shape[1]
    room, back, total = make_room(examples, some, units), np.empty(units, dtype=np.float32), 0.0
    base, derivatives = room.base[0], np.empty_like(room.sums)
    output, outputs = network.output[:units].reshape((1, units)), out[1][:units].reshape((1, units))
    for number in some:
        first, results = examples.offsets[number], score(examples, number, network, room)
        total += _turn_to_slopes(room.scores[:results], examples.chosen[first : first + results])
        sums, acted = room.sums[:results].ravel(), room.acted[:results].ravel()
        slopes(sums, acted, network.activation, derivatives[:results].ravel())
        base[:] = 0  # what all results have in common
        for row in range(results):
            _go_back(room.scores[row : row + 1], room.acted[row], derivatives[row], output, outputs, back)
            base += back
            _add_row(examples.changes, first + row, back, out)
        _add_row(examples.positions, number, base, out)
        out[0][len(out[0]) - 1] += base
    return total


@jit
def add_outcome_gradient(judged: Any, some: Any, network: Any, out: Any) -> float:
    """Add up the gradient of the fitness by odds; the same arguments, with positions and six outputs.

    Returns:
        The sum of the fitness over the positions.
    """
    units, total = network.hidden.shape[1], 0.0
    sums, acted, back, derivatives = rows(1, units)[0], rows(1, units)[0], rows(1, units)[0], rows(1, units)[0]
    odds, output, outputs = np.zeros(OUTCOMES, dtype=np.float32), network.output[:units].T, out[1][:units].T
    for number in some:
        total += expect_odds(judged, number, network, sums, acted, odds)
        for k in range(OUTCOMES):
            odds[k] = judged.odds[number, k] - odds[k]
        slopes(sums, acted, network.activation, derivatives)
        _go_back(odds, acted, derivatives, output, outputs, back)
        _add_row(judged.seen, number, back, out)
        out[0][len(out[0]) - 1] += back
    return total


@jit
def _go_back(error: Any, acted: Any, derivatives: Any, output: Any, outputs: Any, back: Any) -> None:
    """Add the slopes of the output weights, and write those of what the hidden units add up.

    The biases of the outputs are left out: that of a score changes nothing.
    """
    go_back(error, _ONE, acted, output, outputs, back)
    for unit in range(len(back)):
        back[unit] *= derivatives[unit]


@jit
def _add_row(inputs: Any, row: int, back: Any, out: Any) -> None:
    start, end = inputs.ends[row], inputs.ends[row + 1]
    add_slopes(inputs.which[start:end], inputs.what[start:end], back, out[0])


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
