"""The genetic algorithm of the original: the two best have two children, which replace the two worst."""

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import below, uniform

Genes = NDArray[np.float64]


def founders(draws: NDArray[np.uint64], count: int, genes: int, limit: int) -> Genes:
    """Genomes of random integers from 0 to `limit`, shape (count, genes)."""
    return np.array([[float(below(draws, limit + 1)) for _ in range(genes)] for _ in range(count)])


def children(draws: NDArray[np.uint64], parents: Genes, mutation: float, limit: int, crossover: bool = True) -> Genes:
    """Two children by one-point crossover, shape (2, genes); each may get a random new value in a random gene.

    Args:
        draws: a stream.
        parents: shape (2, genes).
        mutation: the probability, from 0 to 1, that a child mutates.
        limit: the largest value of a gene.
        crossover: if not, each child begins as a copy of one parent.
    """
    genes = parents.shape[1]
    point = 1 + int(below(draws, genes - 1)) if genes > 1 else 0  # at least one gene from each
    born = parents.copy()
    if crossover:
        born[:, point:] = parents[::-1, point:]
    for child in born:
        if uniform(draws) < mutation:
            child[int(below(draws, genes))] = float(below(draws, limit + 1))
    return born
