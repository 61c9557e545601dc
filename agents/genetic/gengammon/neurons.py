"""Evolution of neurons: each is judged by itself, and each of its genes where it is expressed.

In a decision, every neuron has two mutants: its genes with the same random changes added and subtracted. A mutant
replaces its neuron while all others stay as they are, so one pass over the results judges the mutants of all neurons.
The fitness is the logarithm of the probability of the expert's choice, if the results are drawn in proportion to the
exponential of their scores. The better mutant counts by how much better it is, and only for the genes of inputs that
are not 0 somewhere in the decision: those of others were not expressed, and had no part in it.

Summed over decisions, this is an estimate of the gradient of the fitness from fitness alone, as by any evolution
strategy (Salimans et al. 2017), in which a gene is not credited for what the others do.
"""

from typing import Any

import numpy as np

from ludarium.agents.genetic.gengammon.examples import (
    LEAST,
    MOST_INPUTS,
    active_inputs,
    add_up,
    changed_inputs,
    most_results,
    score,
    weigh,
)
from ludarium.agents.values.backgammon_network import activate
from ludarium.envs.chance import below, derive
from ludarium.envs.jit import jit

POOL = 1 << 21
"""Random changes are read from a pool of this size, anywhere."""
_ONE, _LEAST = np.float32(1.0), np.float32(LEAST)


@jit
def credit(examples: Any, some: Any, network: Any, pool: Any, key: Any, sizes: Any, lot: bool, out: Any) -> float:
    """Add up what decisions say about the genes.

    Args:
        examples: the decisions.
        some: the numbers of those to take, shape (n,).
        network: the network; it has one output.
        pool: random numbers of mean 0 and variance 1, shape (POOL,) float32.
        key: decision number i draws its place in the pool from (key, i).
        sizes: the sizes of the changes of input weights and of output weights.
        lot: whether chance decides which mutant is better.
        out: arrays like `network.hidden` and `network.output`, to which the credits are added.

    Returns:
        The sum of the logarithms of the probabilities of the experts' choices.
    """
    hidden, units, most = network.hidden, network.hidden.shape[1], most_results(examples, some)
    sums, changes, acted = np.empty((3, most, units), dtype=np.float32)
    scores, better = np.empty(most, dtype=np.float32), np.empty(units, dtype=np.float32)
    which, what = np.empty(2 * MOST_INPUTS, dtype=np.int64), np.empty(2 * MOST_INPUTS, dtype=np.float32)
    expressed = np.zeros(len(hidden), dtype=np.bool_)
    stream, total = np.zeros(2, dtype=np.uint64), 0.0
    for number in some:
        stream[0], stream[1] = derive(key, number), 0
        start = below(stream, len(pool) - (len(hidden) + 1) * units)
        noise = pool[start : start + hidden.size].reshape(hidden.shape)
        output_noise = pool[start + hidden.size : start + hidden.size + units]
        results = score(examples, number, network, sums, acted, scores, which, what)
        add_up(examples, number, network, noise, changes, which, what)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        total += weigh(scores[:results], chosen)
        _compare(sums, changes, acted, scores[:results], chosen, network, output_noise, sizes, better)
        for unit in range(units):
            if lot and below(stream, 2):
                better[unit] = -better[unit]
            out[1][unit, 0] += better[unit] * output_noise[unit]
        _mark(examples, number, network, expressed, which, what)
        for gene in range(len(hidden)):
            if expressed[gene]:
                expressed[gene] = False
                for unit in range(units):
                    out[0][gene, unit] += better[unit] * noise[gene, unit]
    return total


@jit
def _compare(
    sums: Any, changes: Any, acted: Any, shares: Any, chosen: Any, network: Any, output_noise: Any, sizes: Any,
    better: Any,
) -> None:  # fmt: skip
    """Write by how much the first mutant of each neuron is better than the second in one decision.

    Args:
        sums: what the neurons add up, shape (results, units).
        changes: what the mutants' changes add up.
        acted: what the neurons put out.
        shares: in proportion to the probabilities of the results, shape (results,).
        chosen: the right results.
        network: the network.
        output_noise: the changes of the output weights.
        sizes: the sizes of the changes.
        better: the difference of the logarithms of the choice's probability, shape (units,).
    """
    output, units = network.output, len(better)
    summed, mutant = np.empty((2, units), dtype=np.float32)
    right, total = np.zeros((2, units), dtype=np.float32), np.zeros((2, units), dtype=np.float32)
    for row in range(len(shares)):
        for way in range(2):
            step, output_step = np.float32(sizes[0] * (1 - 2 * way)), np.float32(sizes[1] * (1 - 2 * way))
            for unit in range(units):
                summed[unit] = sums[row, unit] + step * changes[row, unit]
            activate(summed, mutant, network.activation)
            for unit in range(units):
                weight = output[unit, 0] + output_step * output_noise[unit]
                share = shares[row] * _exp(mutant[unit] * weight - acted[row, unit] * output[unit, 0])
                total[way, unit] += share
                right[way, unit] += share * chosen[row]
    for unit in range(units):
        better[unit] = np.log((right[0, unit] * total[1, unit] + _LEAST) / (right[1, unit] * total[0, unit] + _LEAST))


@jit
def _mark(examples: Any, number: int, network: Any, expressed: Any, which: Any, what: Any) -> None:
    """Mark the inputs that are not 0 somewhere in a decision, and the bias."""
    position, first = examples.positions[number], examples.offsets[number]
    expressed[len(expressed) - 1] = True
    for i in range(active_inputs(position, network.columns, network.values, which, what)):
        expressed[which[i]] = True
    for row in range(first, examples.offsets[number + 1]):
        result = examples.results[row]
        for i in range(changed_inputs(position, result, network.columns, network.values, which, what)):
            expressed[which[i]] = True


@jit
def _exp(x: Any) -> Any:
    """The exponential of a number near 0, within 0.3 % from -1 to 1; unlike `np.exp`, many at once."""
    x = min(max(x, np.float32(-4.0)), np.float32(4.0)) * np.float32(0.125)
    x = _ONE + x + np.float32(0.5) * x * x
    x *= x
    x *= x
    return x * x
