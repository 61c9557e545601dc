"""Evolution of neurons: each is judged by itself, and each of its genes where it is expressed.

In a decision, every neuron has pairs of mutants: its genes with the same random changes added and subtracted. A mutant
replaces its neuron while all others stay as they are, so one pass over the results judges the mutants of all neurons.
The fitness is the logarithm of the probability of the expert's choice, if the results are drawn in proportion to the
exponential of their scores. The better mutant of a pair counts by how much better it is.

A mutant changes only genes that have a part in the decision, those of inputs that are not 0 somewhere in it: the others
are not expressed. Genes whose input is the same in all results hardly matter for the choice, but their changes would
blur what the others are worth. So they have a pair of their own, with the output weight, and the other pairs share the
genes that tell results apart.

Summed over decisions, this is an estimate of the gradient of the fitness from fitness alone, as by any evolution
strategy (Salimans et al. 2017), in which a gene is not credited for what the others do.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import activate
from ludarium.agents.genetic.gengammon.examples import make_room, rows, score, weigh
from ludarium.envs.chance import below, derive
from ludarium.envs.jit import jit

POOL = 1 << 17
"""Random signs are read from a pool of this size, anywhere; it fits a core's cache."""
_ONE, _TWO, _LEAST = np.float32(1.0), np.float32(2.0), np.float32(1e-30)
_NEGLIGIBLE = 0.003  # results that are less probable than the most probable one by this factor tell nothing


class Mutation(NamedTuple):
    """The mutants of all neurons in a generation.

    Attributes:
        key: decision number i draws its place in the pool of signs from (key, i).
        size: of the changes of input weights.
        output_size: of the changes of output weights.
        pairs: the pairs of mutants of each neuron in a decision, each with a share of the genes.
        by_chance: whether chance decides which of a pair is better.
    """

    key: np.uint64
    size: np.float32
    output_size: np.float32
    pairs: int
    by_chance: bool


@jit
def credit(examples: Any, some: Any, network: Any, pool: Any, mutation: Any, out: Any) -> float:
    """Add up what decisions say about the genes.

    Args:
        examples: the decisions.
        some: the numbers of those to take, shape (n,).
        network: the network; it has one output.
        pool: random signs, shape (POOL,) float32.
        mutation: a `Mutation`.
        out: arrays like `network.hidden` and `network.output`, to which the credits are added.

    Returns:
        The sum of the logarithms of the probabilities of the experts' choices.
    """
    pairs = mutation.pairs
    hidden, units, room = network.hidden, network.hidden.shape[1], make_room(examples, some, network.hidden.shape[1])
    most, still = len(room.scores), np.float32(0.0)
    mutants = _Mutants(
        np.empty((pairs, most, units), dtype=np.float32),
        np.empty((pairs, units), dtype=np.float32),
        rows(most, units),
        rows(most, units),
        np.empty(units, dtype=np.float32),
    )
    share, outputs, stream = np.full(len(hidden), -1), out[1].ravel(), np.zeros(2, dtype=np.uint64)
    chosen, total = np.empty(most, dtype=np.bool_), 0.0
    for number in some:
        stream[0], stream[1] = derive(mutation.key, number), 0
        start = below(stream, len(pool) - (len(hidden) + 1) * units)
        noise = pool[start : start + hidden.size].reshape(hidden.shape)
        output_noise = pool[start + hidden.size : start + hidden.size + units]
        results = score(examples, number, network, room)
        right = examples.chosen[examples.offsets[number] : examples.offsets[number + 1]]
        total += weigh(room.scores[:results], right)
        results = leave_out(room, right, chosen)
        _divide(examples, number, share, pairs)
        _mutate(examples, number, room.lines[:results], noise, share, mutants)
        for pair in range(pairs):
            step = still if pair else mutation.output_size
            _compare(room, mutants, pair, chosen[:results], network, mutation.size, output_noise, step)
            if mutation.by_chance:
                for unit in range(units):
                    mutants.better[unit] *= 1 - 2 * below(stream, 2)
            for gene in range(len(hidden)):
                if share[gene] == pair:
                    for unit in range(units):
                        out[0][gene, unit] += mutants.better[unit] * noise[gene, unit]
            for unit in range(0 if pair else units):
                outputs[unit] += mutants.better[unit] * output_noise[unit]
        share[:] = -1
    return total


class _Mutants(NamedTuple):
    """Room for the mutants of all neurons in one decision.

    Attributes:
        changes: what the changes of each pair add up to, shape (pairs, results, units).
        base: what they add up to in the position, shape (pairs, units).
        sums: what the mutants of one pair add up, shape (results, units).
        acted: what they put out.
        better: by how much the first is better than the second: the difference of the logarithms of the choice's
            probability, shape (units,).
    """

    changes: NDArray[np.float32]
    base: NDArray[np.float32]
    sums: NDArray[np.float32]
    acted: NDArray[np.float32]
    better: NDArray[np.float32]


@jit
def leave_out(room: Any, right: Any, chosen: Any) -> int:
    """Move results that are out of question out of the way; return the number of the others."""
    kept, floor = 0, np.float32(_NEGLIGIBLE) * room.scores[: len(right)].max()
    for row in range(len(right)):
        if right[row] or room.scores[row] >= floor:
            room.sums[kept], room.acted[kept] = room.sums[row], room.acted[row]
            room.scores[kept], room.lines[kept], chosen[kept] = room.scores[row], room.lines[row], right[row]
            kept += 1
    return kept


@jit
def _divide(examples: Any, number: int, share: Any, pairs: int) -> None:
    """Share out the genes that are expressed among pairs of mutants; `share` is -1 for others, shape (inputs + 1,)."""
    positions, changes = examples.positions, examples.changes
    for i in range(positions.ends[number], positions.ends[number + 1]):
        if positions.what[i] != 0:
            share[positions.which[i]] = 0
    share[len(share) - 1] = 0
    for i in range(changes.ends[examples.offsets[number]], changes.ends[examples.offsets[number + 1]]):
        if changes.what[i] != 0:
            share[changes.which[i]] = 1 + changes.which[i] % (pairs - 1) if pairs > 1 else 0


@jit
def _mutate(examples: Any, number: int, lines: Any, noise: Any, share: Any, mutants: Any) -> None:
    """Write what the changes of each pair add up to in the results whose numbers are `lines`."""
    positions, changes = examples.positions, examples.changes
    base, sums = mutants.base, mutants.changes
    base[:] = 0
    base[0] = noise[len(noise) - 1]
    for i in range(positions.ends[number], positions.ends[number + 1]):
        gene, what = positions.which[i], positions.what[i]
        pair = max(share[gene], 0)
        for unit in range(base.shape[1]):
            base[pair, unit] += what * noise[gene, unit]
    for row in range(len(lines)):
        for pair in range(len(base)):
            for unit in range(base.shape[1]):
                sums[pair, row, unit] = base[pair, unit]
        for i in range(changes.ends[lines[row]], changes.ends[lines[row] + 1]):
            gene, what = changes.which[i], changes.what[i]
            pair = max(share[gene], 0)
            for unit in range(base.shape[1]):
                sums[pair, row, unit] += what * noise[gene, unit]


@jit
def _compare(
    room: Any, mutants: Any, pair: int, chosen: Any, network: Any, step: Any, output_noise: Any, output_step: Any
) -> None:  # fmt: skip
    """Write by how much the first mutant of a pair is better than the second, for each neuron, in one decision.

    Args:
        room: what the network makes of the results; `scores` are in proportion to their probabilities.
        mutants: their `better` is written.
        pair: which of them.
        chosen: the right results.
        network: the network.
        step: the size of the changes of input weights.
        output_noise: the changes of the output weights.
        output_step: their size.
    """
    results, units, output = len(chosen), len(mutants.better), network.output.ravel()
    weights, odds = np.empty(units, dtype=np.float32), rows(4, units)
    odds[:] = 0  # of the wrong results and of the right ones, by either mutant
    before, sums, acted = room.acted, mutants.sums, mutants.acted
    for way in range(2):
        sign = np.float32(1 - 2 * way)
        for unit in range(units):
            weights[unit] = output[unit] + sign * output_step * output_noise[unit]
        _change(
            room.sums[:results].ravel(), sign * step, mutants.changes[pair, :results].ravel(), sums[:results].ravel()
        )
        activate(sums[:results].ravel(), acted[:results].ravel(), network.activation)
        for row in range(results):
            share, of = room.scores[row], 2 * way + chosen[row]
            for unit in range(units):
                odds[of, unit] += share * exponential(
                    acted[row, unit] * weights[unit] - before[row, unit] * output[unit]
                )
    for unit in range(units):
        one, other = odds[1, unit] * (odds[2, unit] + odds[3, unit]), odds[3, unit] * (odds[0, unit] + odds[1, unit])
        mutants.better[unit] = log_ratio(one, other)


@jit
def _change(sums: Any, step: Any, changes: Any, changed: Any) -> None:
    for i in range(len(sums)):
        changed[i] = sums[i] + step * changes[i]


@jit
def exponential(x: Any) -> Any:
    """The exponential of a number near 0, within 0.3 % from -1 to 1; unlike `np.exp`, many at once."""
    x = max(x, np.float32(-8.0))
    x = _ONE + x * (np.float32(1 / 8) + x * np.float32(1 / 128))
    x *= x
    x *= x
    return x * x


@jit
def log_ratio(one: Any, other: Any) -> Any:
    """The logarithm of the ratio of two numbers that are not far apart; unlike `np.log`, many at once."""
    x = (one - other) / (one + other + _LEAST)
    y = x * x  # 2 atanh(x), here by the first terms of its series
    return x * (_TWO + y * (np.float32(2 / 3) + y * (np.float32(2 / 5) + y * np.float32(2 / 7))))
