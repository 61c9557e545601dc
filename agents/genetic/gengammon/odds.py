"""Networks that learn what positions come to: the six outcomes that a judge expects of results.

The judge's odds come with the decisions, see `ludarium data --judge`. Networks learn the results of a roll that are
nearly as good as the best, and some of the others. The fitness is the mean of the logarithms of the network's odds,
weighted with the judge's. Neurons evolve as in `ludarium.agents.genetic.gengammon.neurons`, each judged by itself in
each position.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.inputs import inputs
from ludarium.agents.backgammon.network import OUTCOMES, activate, expect
from ludarium.agents.genetic.gengammon.examples import LEAST, Sparse, part_of, rows, rows_seen_by
from ludarium.agents.genetic.gengammon.neurons import exponential, log_ratio
from ludarium.envs.chance import below, derive
from ludarium.envs.jit import jit

_POINTS = np.array([-3, -2, -1, 1, 2, 3], dtype=np.float32)
_NEAR, _REST = 0.15, 8  # results within so many points of the best are learned, and one in so many of the others


class Judged(NamedTuple):
    """Positions as networks see them, and what a judge expects of them.

    Attributes:
        seen: the inputs of each position, a row each.
        odds: shape (n, 6) float32: the probabilities of the outcomes.
    """

    seen: Sparse
    odds: NDArray[np.float32]

    @property
    def number(self) -> int:
        """The number of positions."""
        return len(self.odds)


@cache
def judged_of(file: str, part: str, seen: str, validation: float = 0.0) -> Judged:
    """Results of the decisions of one part of a file, see `part_of`, by the inputs of the name `seen`.

    Raises:
        ValueError: if the file says nothing about their outcomes.
    """
    decisions = part_of(file, part, validation)
    if decisions.odds is None:
        where = file or "the built-in decisions"
        raise ValueError(
            f"gengammon: output=outcomes needs a judge's odds, and there are none in {where}; make a file with "
            "'ludarium data --judge SPEC'"
        )
    odds = decisions.odds.astype(np.float32)
    points = odds @ _POINTS
    best = np.repeat(np.maximum.reduceat(points, decisions.offsets[:-1]), decisions.counts)
    wanted = points >= best - _NEAR
    wanted[::_REST] = True
    return Judged(rows_seen_by(inputs(seen), decisions.results[wanted]), odds[wanted])


@jit
def expect_odds(judged: Any, number: int, network: Any, sums: Any, acted: Any, odds: Any) -> float:
    """Write what the network expects of a position; return the fitness."""
    seen, hidden = judged.seen, network.hidden
    sums[:] = hidden[len(hidden) - 1]
    for i in range(seen.ends[number], seen.ends[number + 1]):
        gene, what = seen.which[i], seen.what[i]
        for unit in range(len(sums)):
            sums[unit] += what * hidden[gene, unit]
    activate(sums, acted, network.activation)
    expect(acted, network.output, odds)
    total = 0.0
    for k in range(OUTCOMES):
        total += judged.odds[number, k] * np.log(max(odds[k], LEAST))
    return total


@jit
def credit_outcomes(judged: Any, some: Any, network: Any, pool: Any, mutation: Any, out: Any) -> float:
    """Add up what positions say about the genes; the arguments are those of `neurons.credit`, with positions."""
    pairs = mutation.pairs
    hidden, units, seen = network.hidden, network.hidden.shape[1], judged.seen
    sums, acted, odds = rows(1, units)[0], rows(1, units)[0], np.zeros(OUTCOMES, dtype=np.float32)
    weights = network.output[:units].T.copy()
    changes, better, room = rows(pairs, units), rows(1, units)[0], rows(4, units)
    turned, stream, total = np.zeros((OUTCOMES, units), dtype=np.float32), np.zeros(2, dtype=np.uint64), 0.0
    size = hidden.size + OUTCOMES * units
    for number in some:
        stream[0], stream[1] = derive(mutation.key, number), 0
        start = below(stream, len(pool) - size)
        noise = pool[start : start + hidden.size].reshape(hidden.shape)
        others = pool[start + hidden.size : start + size].reshape((OUTCOMES, units))
        total += expect_odds(judged, number, network, sums, acted, odds)
        changes[:] = 0
        changes[0] = noise[len(noise) - 1]
        for i in range(seen.ends[number], seen.ends[number + 1]):
            gene, what = seen.which[i], seen.what[i]
            for unit in range(units):
                changes[gene % pairs, unit] += what * noise[gene, unit]
        for pair in range(pairs):
            steps = mutation.size, mutation.output_size if pair == 0 else np.float32(0.0)
            view = _View(sums, acted, odds, judged.odds[number])
            _compare_odds(view, changes[pair], weights, others, steps, network.activation, room, better)
            if mutation.by_chance:
                for unit in range(units):
                    better[unit] *= 1 - 2 * below(stream, 2)
            for i in range(seen.ends[number], seen.ends[number + 1]):
                gene = seen.which[i]
                if gene % pairs == pair and seen.what[i] != 0:
                    for unit in range(units):
                        out[0][gene, unit] += better[unit] * noise[gene, unit]
            if pair == 0:
                for unit in range(units):
                    out[0][len(hidden) - 1, unit] += better[unit] * noise[len(hidden) - 1, unit]
                for k in range(OUTCOMES):
                    for unit in range(units):
                        turned[k, unit] += better[unit] * others[k, unit]
    out[1][:units] += turned.T
    return total


class _View(NamedTuple):
    """A position as the network and the judge see it.

    Attributes:
        sums: what the hidden units add up, shape (units,).
        acted: what they put out.
        odds: the probabilities of the outcomes that the network expects, shape (6,).
        wanted: those that the judge expects.
    """

    sums: NDArray[np.float32]
    acted: NDArray[np.float32]
    odds: NDArray[np.float32]
    wanted: NDArray[np.float32]


@jit
def _compare_odds(
    view: Any, change: Any, weights: Any, others: Any, steps: Any, activation: int, room: Any, better: Any
) -> None:  # fmt: skip
    """Write by how much the first mutant of a pair is better than the second, for each neuron, in one position.

    Args:
        view: the position.
        change: what the changes of the input weights add up to, shape (units,).
        weights: the output weights, shape (6, units).
        others: their changes.
        steps: the sizes of the changes of input weights and of output weights.
        activation: of the network.
        room: shape (4, units).
        better: written, shape (units,).
    """
    sums, acted, odds, wanted = view.sums, view.acted, view.odds, view.wanted
    changed, now, totals = room[0], room[1], room[2:]
    better[:] = 0
    totals[:] = 0
    for way in range(2):
        sign = np.float32(1 - 2 * way)
        for unit in range(len(better)):
            changed[unit] = sums[unit] + sign * steps[0] * change[unit]
        activate(changed, now, activation)
        for k in range(OUTCOMES):
            share, goal = odds[k], sign * wanted[k]
            for unit in range(len(better)):
                weight = weights[k, unit]
                more = now[unit] * (weight + sign * steps[1] * others[k, unit]) - acted[unit] * weight
                better[unit] += goal * more
                totals[way, unit] += share * exponential(more)
    for unit in range(len(better)):
        better[unit] -= log_ratio(totals[0, unit], totals[1, unit])
