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

from ludarium.agents.genetic.gengammon.examples import add_up, most_results, rows, score, weigh
from ludarium.agents.values.backgammon_network import activate
from ludarium.envs.chance import below, derive
from ludarium.envs.jit import jit

POOL = 1 << 17
"""Random signs are read from a pool of this size, anywhere; it fits a core's cache."""
_ONE, _ZERO, _LEAST = np.float32(1.0), np.float32(0.0), np.float32(1e-30)


@jit
def credit(examples: Any, some: Any, network: Any, pool: Any, key: Any, sizes: Any, lot: bool, out: Any) -> float:
    """Add up what decisions say about the genes.

    Args:
        examples: the decisions.
        some: the numbers of those to take, shape (n,).
        network: the network; it has one output.
        pool: random signs, shape (POOL,) float32.
        key: decision number i draws its place in the pool from (key, i).
        sizes: the sizes of the changes of input weights and of output weights, float32.
        lot: whether chance decides which mutant is better.
        out: arrays like `network.hidden` and `network.output`, to which the credits are added.

    Returns:
        The sum of the logarithms of the probabilities of the experts' choices.
    """
    hidden, units, most = network.hidden, network.hidden.shape[1], most_results(examples, some)
    base, sums, changes, acted = rows(1, units), rows(most, units), rows(most, units), rows(most, units)
    changed, mutant, better = rows(most, units), rows(most, units), np.empty(units, dtype=np.float32)
    scores, expressed, outputs = np.empty(most, dtype=np.float32), np.zeros(len(hidden), dtype=np.bool_), out[1].ravel()
    stream, total = np.zeros(2, dtype=np.uint64), 0.0
    for number in some:
        stream[0], stream[1] = derive(key, number), 0
        start = below(stream, len(pool) - (len(hidden) + 1) * units)
        noise = pool[start : start + hidden.size].reshape(hidden.shape)
        output_noise = pool[start + hidden.size : start + hidden.size + units]
        results = score(examples, number, network, base, sums, acted, scores)
        add_up(examples, number, noise, base, changes)
        chosen = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        total += weigh(scores[:results], chosen)
        _compare(sums, changes, acted, changed, mutant, scores[:results], chosen, network, output_noise, sizes, better)
        if lot:
            for unit in range(units):
                better[unit] *= 1 - 2 * below(stream, 2)
        for unit in range(units):
            outputs[unit] += better[unit] * output_noise[unit]
        _mark(examples, number, expressed)
        for gene in range(len(hidden)):
            if expressed[gene]:
                expressed[gene] = False
                for unit in range(units):
                    out[0][gene, unit] += better[unit] * noise[gene, unit]
    return total


@jit
def _compare(
    sums: Any, changes: Any, acted: Any, changed: Any, mutant: Any, shares: Any, chosen: Any, network: Any,
    output_noise: Any, sizes: Any, better: Any,
) -> None:  # fmt: skip
    """Write by how much the first mutant of each neuron is better than the second in one decision.

    Args:
        sums: what the neurons add up, shape (results, units).
        changes: what the mutants' changes add up.
        acted: what the neurons put out.
        changed: room for what mutants add up.
        mutant: room for what they put out.
        shares: in proportion to the probabilities of the results, shape (results,).
        chosen: the right results.
        network: the network.
        output_noise: the changes of the output weights.
        sizes: the sizes of the changes.
        better: the difference of the logarithms of the choice's probability, shape (units,).
    """
    results, units, output = len(shares), len(better), network.output.ravel()
    weights, odds = np.empty(units, dtype=np.float32), rows(4, units)
    odds[:] = 0  # of the wrong results and of the right ones, by either mutant
    for way in range(2):
        step, output_step = sizes[0] * np.float32(1 - 2 * way), sizes[1] * np.float32(1 - 2 * way)
        for unit in range(units):
            weights[unit] = output[unit] + output_step * output_noise[unit]
        _change(sums[:results].ravel(), step, changes[:results].ravel(), changed[:results].ravel())
        activate(changed[:results].ravel(), mutant[:results].ravel(), network.activation)
        for row in range(results):
            share, of = shares[row], 2 * way + chosen[row]
            for unit in range(units):
                odds[of, unit] += share * _exp(mutant[row, unit] * weights[unit] - acted[row, unit] * output[unit])
    for unit in range(units):
        one, other = odds[1, unit] / (odds[0, unit] + odds[1, unit]), odds[3, unit] / (odds[2, unit] + odds[3, unit])
        better[unit] = np.log((one + _LEAST) / (other + _LEAST))


@jit
def _change(sums: Any, step: Any, changes: Any, changed: Any) -> None:
    for i in range(len(sums)):
        changed[i] = sums[i] + step * changes[i]


@jit
def _mark(examples: Any, number: int, expressed: Any) -> None:
    """Mark the inputs that are not 0 somewhere in a decision, and the bias."""
    first, last = examples.offsets[number], examples.offsets[number + 1]
    expressed[len(expressed) - 1] = True
    _mark_rows(examples.positions, number, number + 1, expressed)
    _mark_rows(examples.changes, first, last, expressed)


@jit
def _mark_rows(inputs: Any, first: int, last: int, expressed: Any) -> None:
    for i in range(inputs.ends[first], inputs.ends[last]):
        if inputs.what[i] != 0:
            expressed[inputs.which[i]] = True


@jit
def _exp(x: Any) -> Any:
    """The exponential of a number near 0, within 0.3 % from -1 to 1; unlike `np.exp`, many at once."""
    x = max(x, np.float32(-8.0))
    x = _ONE + x * (np.float32(1 / 8) + x * np.float32(1 / 128))
    x *= x
    x *= x
    return x * x
