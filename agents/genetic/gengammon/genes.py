"""The genetic operators of Gengammon. A gene is an integer of sixteen bits, and a weight in proportion to it."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.inputs import inputs
from ludarium.envs.jit import jit

Genes = NDArray[np.int16]
"""Shape (genes,)."""
MUTATIONS = ("swap", "bit", "both", "creep")
CROSSOVERS = ("weights", "bits", "alternate", "none")
_BITS = 16
_FIRST_PARENT, _SWAPS = 0.5, 0.5  # the shares of genes from the first parent, and of swaps in "both"


def founders(draws: np.random.Generator, population: int, number: int, share: float = 1.0) -> NDArray[np.int16]:
    """Genomes of genes evenly spread over a share of the values, around 0; shape (population, number)."""
    most = max(round(2**15 * share), 1)
    return draws.integers(-most, most, (population, number)).astype(np.int16)


def weights(genes: NDArray[Any], scale: float) -> NDArray[np.float32]:
    """The weights of genes, from -scale to scale."""
    return (genes * np.float32(scale / 2**15)).astype(np.float32)


def table(genes: Genes, hidden: int) -> NDArray[np.int64]:
    """What each of the inputs `stacks` adds to the score, if products of genes and checkers overflow; shape (750, 1).

    In the original a weight is an integer, and so is its product with the number of checkers, which loses the bits
    that do not fit. The sums of the units stay as they are, so the network is a table.

    Args:
        genes: of a network with the inputs `counts`.
        hidden: its hidden units.
    """
    counts, stacks = inputs("counts"), inputs("stacks")
    sums = np.zeros((stacks.number, 1), dtype=np.int64)
    _add_products(genes.reshape(counts.number, hidden), counts.columns, stacks.columns, sums)
    return sums


@jit
def _add_products(genes: Any, counts: Any, stacks: Any, sums: Any) -> None:
    for side in range(counts.shape[0]):
        for place in range(counts.shape[1]):
            for row in counts[side, place]:
                for checkers in range(1, stacks.shape[2] + 1 if row >= 0 else 1):
                    total: Any = 0
                    for gene in genes[row]:
                        total += (np.int64(gene) * checkers + 2**15) % 2**16 - 2**15
                    sums[stacks[side, place, checkers - 1], 0] += total


def winner(draws: np.random.Generator, places: NDArray[np.int64], size: int) -> int:
    """The best of a tournament; `places[i]` is the rank of member i."""
    return int(min(draws.integers(0, len(places), size), key=lambda member: places[member]))


def cross(draws: np.random.Generator, one: Genes, other: Genes, how: str) -> Genes:
    """A child that takes each gene, or each bit of each gene, from either parent; with `"none"`, all from the first."""
    if how == "none":
        return one.copy()
    if how == "weights":
        return np.where(draws.random(len(one)) < _FIRST_PARENT, one, other)
    mask = draws.integers(-(2**15), 2**15, len(one)).astype(np.int16)
    return (one & mask) | (other & ~mask)


def mutate(draws: np.random.Generator, genes: Genes, how: str, size: float, number: int) -> None:
    """Mutate a child.

    Args:
        draws: randomness.
        genes: the child; it changes.
        how: `"swap"`: exchange two weights, so that there is never a new value; `"bit"`: flip a bit of a gene;
            `"both"`: half of the mutations are swaps, and half flips; `"creep"`: add normally distributed noise to a
            gene.
        size: the standard deviation of that noise, as a share of the largest value.
        number: how often.
    """
    if how == "both":
        swaps = int(draws.binomial(number, _SWAPS))
        mutate(draws, genes, "swap", size, swaps)
        mutate(draws, genes, "bit", size, number - swaps)
        return
    places = draws.integers(0, len(genes), (2, number))
    if how == "swap":
        for one, other in places.T:
            genes[one], genes[other] = genes[other], genes[one]
    elif how == "bit":
        flips = np.left_shift(1, draws.integers(0, _BITS, number)).astype(np.uint16).view(np.int16)
        np.bitwise_xor.at(genes, places[0], flips)
    else:
        moved = genes[places[0]] + np.rint(size * 2**15 * draws.normal(size=number))
        genes[places[0]] = np.clip(moved, -(2**15), 2**15 - 1)


def values_per_gene(genes: NDArray[np.int16]) -> float:
    """The mean number of distinct values that a gene has in the population, of shape (population, genes)."""
    ordered: NDArray[Any] = np.sort(genes, axis=0)
    return float(1 + (np.diff(ordered, axis=0) != 0).sum(axis=0).mean())
