"""The twin of evolution: the same network learns the same decisions by backpropagation."""

from typing import Any

import numpy as np

from ludarium.agents.backgammon.network import slopes
from ludarium.agents.genetic.gengammon.examples import LEAST, make_room, score, weigh
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
    """Add the gradient of one decision, from that of its scores, `error`; `back` are the derivatives of the units.

    The bias of a score changes nothing.
    """
    positions, changes, first, units = examples.positions, examples.changes, examples.offsets[number], back.shape[1]
    output, outputs = network.output[:units].reshape((1, units)), out[1][:units].reshape((1, units))
    base, slopes = room.base[0], np.empty(units, dtype=np.float32)
    base[:] = 0  # what all results have in common
    for row in range(len(error)):
        go_back(error[row : row + 1], _ONE, room.acted[row], output, outputs, slopes)
        for unit in range(units):
            slopes[unit] *= back[row, unit]
            base[unit] += slopes[unit]
        _add_row(changes, first + row, slopes, out[0])
    _add_row(positions, number, base, out[0])
    out[0][len(out[0]) - 1] += base


@jit
def _add_row(inputs: Any, row: int, back: Any, out: Any) -> None:
    start, end = inputs.ends[row], inputs.ends[row + 1]
    add_slopes(inputs.which[start:end], inputs.what[start:end], back, out)


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
