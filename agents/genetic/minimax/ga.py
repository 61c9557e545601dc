"""The genetic algorithm of the original: the two best have two children, which replace the two worst."""

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import below, uniform

Genes = NDArray[np.float64]


def founders(draws: NDArray[np.uint64], count: int, genes: int, limit: int) -> Genes:
    """Genomes of random integers from 0 to `limit`, shape (count, genes)."""
    return np.array([[float(below(draws, limit + 1)) for _ in range(genes)] for _ in range(count)])


def children(
    draws: NDArray[np.uint64], first: Genes, second: Genes, mutation: float, limit: int, crossover: bool = True
) -> Genes:
    """Two children by one-point crossover, shape (2, genes); each may get a random new value in a random gene.

    Args:
        draws: a stream.
        first: one parent, shape (genes,).
        second: the other.
        mutation: the probability that a child mutates.
        limit: the largest value of a gene.
        crossover: if not, each child begins as a copy of one parent.
    """
    genes = len(first)
    point = 1 + int(below(draws, genes - 1)) if genes > 1 else 0  # at least one gene from each
    if not crossover:
        point = genes
    found = np.stack([np.append(first[:point], second[point:]), np.append(second[:point], first[point:])])
    for child in found:
        if uniform(draws) < mutation:
            child[int(below(draws, genes))] = float(below(draws, limit + 1))
    return found
