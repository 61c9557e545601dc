"""Decisions of experts as networks see them: the inputs of a position, and those that a turn changes.

The original calls a decision a *test*: a position, the dice, and the result that the expert chose among all that the
roll allows. A network passes it the better, the higher it ranks that result.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.values.backgammon_inputs import UNITS
from ludarium.agents.values.backgammon_network import activate
from ludarium.envs.backgammon.decision_files import load, shipped
from ludarium.envs.backgammon.decisions import COLUMNS, OPPONENT_BAR, OPPONENT_OFF, Decisions
from ludarium.envs.backgammon.rules import BAR
from ludarium.envs.jit import jit

MOST_INPUTS = 30 * UNITS
"""No position has more inputs that are not 0, and no turn changes more."""
LEAST = 1e-30
"""Probabilities below this count as this."""
_PLACES = 26


class Examples(NamedTuple):
    """Decisions for compiled code; see `Decisions`."""

    positions: NDArray[np.int8]
    results: NDArray[np.int8]
    offsets: NDArray[np.int64]
    chosen: NDArray[np.bool_]

    @property
    def number(self) -> int:
        """The number of examples."""
        return len(self.positions)


@cache
def decisions_of(file: str) -> Decisions:
    """The decisions in a file; those that come with the package if it is `""`.

    Raises:
        ValueError: if it is not a file of decisions, or there is none to learn from.
        OSError: if it cannot be read.
    """
    found = load(file) if file else shipped()
    if found.held_out.all():
        raise ValueError(f"{file}: all decisions are held out; make the file again with a smaller --held-out")
    return found


@cache
def examples_of(file: str, held_out: bool) -> Examples:
    """The decisions of a file to learn from, or those that are held out."""
    found = decisions_of(file).part(held_out)
    return Examples(found.positions, found.results, found.offsets, found.chosen)


@jit
def _count(position: Any, side: int, place: int) -> int:
    """The checkers of a side on a place, as `Inputs` number them."""
    if place == 0 or place == BAR:
        if side == 0:
            return position[place]
        return position[OPPONENT_OFF if place == 0 else OPPONENT_BAR]
    return max(position[place], 0) if side == 0 else max(-position[25 - place], 0)


@jit
def active_inputs(position: Any, columns: Any, values: Any, which: Any, what: Any) -> int:
    """Write the inputs that are not 0 and their values; return their number."""
    found = 0
    for side in range(2):
        for place in range(_PLACES):
            count = _count(position, side, place)
            for k in range(UNITS if count else 0):
                value = values[place, count, k]
                if value != 0:
                    which[found], what[found] = columns[side, place, k], value
                    found += 1
    return found


@jit
def changed_inputs(before: Any, after: Any, columns: Any, values: Any, which: Any, what: Any) -> int:
    """Write the inputs that differ and by how much; return their number."""
    found = 0
    for column in range(COLUMNS):
        if before[column] == after[column]:
            continue
        for side in range(2):
            if column == 0 or column == BAR:
                place = column if side == 0 else -1
            elif column > BAR:
                place = -1 if side == 0 else (BAR if column == OPPONENT_BAR else 0)
            else:
                place = column if side == 0 else 25 - column
            if place < 0:
                continue
            old, new = _count(before, side, place), _count(after, side, place)
            for k in range(UNITS if old != new else 0):
                value = values[place, new, k] - values[place, old, k]
                if value != 0:
                    which[found], what[found] = columns[side, place, k], value
                    found += 1
    return found


@jit
def add_up(examples: Any, number: int, network: Any, weights: Any, sums: Any, which: Any, what: Any) -> int:
    """Write what the inputs of each result of a decision add up to, with any weights; return the number of results.

    Args:
        examples: the decisions.
        number: of the decision.
        network: the network, for its inputs.
        weights: shape (inputs + 1, units), the biases last.
        sums: room for the results, shape (at least as many, units).
        which: scratch, shape (2 * MOST_INPUTS,) int64.
        what: scratch, shape (2 * MOST_INPUTS,) float32.
    """
    position, first, units = examples.positions[number], examples.offsets[number], weights.shape[1]
    results = examples.offsets[number + 1] - first
    base = sums[results - 1]  # it is overwritten last
    base[:] = weights[len(weights) - 1]
    for i in range(active_inputs(position, network.columns, network.values, which, what)):
        for unit in range(units):
            base[unit] += what[i] * weights[which[i], unit]
    for row in range(results):
        if row < results - 1:
            sums[row] = base
        result = examples.results[first + row]
        for i in range(changed_inputs(position, result, network.columns, network.values, which, what)):
            for unit in range(units):
                sums[row, unit] += what[i] * weights[which[i], unit]
    return results


@jit
def most_results(examples: Any, some: Any) -> int:
    """The number of results of the decision that has most."""
    most = 1
    for number in some:
        most = max(most, examples.offsets[number + 1] - examples.offsets[number])
    return most


@jit
def score(examples: Any, number: int, network: Any, sums: Any, acted: Any, scores: Any, which: Any, what: Any) -> int:
    """Let a network with one output score the results of a decision; return their number.

    Writes what the hidden units add up, what they put out, and the scores; the other arguments are those of `add_up`.
    """
    results, units = add_up(examples, number, network, network.hidden, sums, which, what), sums.shape[1]
    for row in range(results):
        activate(sums[row], acted[row], network.activation)
        scores[row] = network.output[units, 0]
        for unit in range(units):
            scores[row] += acted[row, unit] * network.output[unit, 0]
    return results


@jit
def weigh(scores: Any, chosen: Any) -> float:
    """Replace scores by their exponentials, but for a factor; return the logarithm of the share of those chosen."""
    top, right, total = scores.max(), 0.0, 0.0
    for i in range(len(scores)):
        scores[i] = np.exp(scores[i] - top)
        total += scores[i]
        right += scores[i] * chosen[i]
    return np.log(max(right, LEAST) / total)
