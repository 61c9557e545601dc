"""The twin of evolution: the same network learns the same decisions by backpropagation."""

from typing import Any

import numpy as np

from ludarium.agents.backgammon.network import slopes
from ludarium.agents.genetic.gengammon.examples import LEAST, make_room, score, weigh
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
    room, total = make_room(examples, some, network.hidden.shape[1]), 0.0
    back = np.empty_like(room.sums)
    for number in some:
        results = score(examples, number, network, room)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        total += _turn_to_slopes(room.scores[:results], chosen)
        slopes(room.sums[:results].ravel(), room.acted[:results].ravel(), network.activation, back[:results].ravel())
        _descend(examples, number, network, room, room.scores[:results], back, out)
    return total


@jit
def _descend(examples: Any, number: int, network: Any, room: Any, error: Any, back: Any, out: Any) -> None:
    """Add the gradient of one decision, from that of its scores, `error`, and those of its units, `back`."""
    output, outputs, first = network.output.ravel(), out[1].ravel(), examples.offsets[number]
    acted, base = room.acted, room.base
    base[:] = 0  # what all results have in common
    for row in range(len(error)):
        wrong = error[row]
        for unit in range(acted.shape[1]):
            outputs[unit] += wrong * acted[row, unit]
            back[row, unit] *= wrong * output[unit]
            base[0, unit] += back[row, unit]
    _spread(examples.changes, first, first + len(error), back, out[0])
    _spread(examples.positions, number, number + 1, base, out[0])
    out[0][len(out[0]) - 1] += base[0]


@jit
def _spread(inputs: Any, first: int, end: int, back: Any, out: Any) -> None:
    """Add to the gradient what rows of inputs have part in."""
    which, what = inputs.which, inputs.what
    for row in range(end - first):
        for i in range(inputs.ends[first + row], inputs.ends[first + row + 1]):
            gene, value = which[i], what[i]
            for unit in range(back.shape[1]):
                out[gene, unit] += value * back[row, unit]


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
