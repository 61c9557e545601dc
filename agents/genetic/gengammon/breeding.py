"""The genetic algorithm's two halves: the same decisions judge all genomes, and the better ones have children."""

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gengammon import genes as genetic
from ludarium.agents.genetic.gengammon.architecture import WRAP, Architecture
from ludarium.agents.genetic.gengammon.fitness import rank, rank_tables
from ludarium.agents.genetic.gengammon.genes import Genes
from ludarium.agents.genetic.gengammon.lessons import Lesson, split
from ludarium.agents.learning.parallel import Parallel


class Trial(NamedTuple):
    """Genomes to judge, for any worker.

    Attributes:
        architecture: of their networks.
        scale: their largest weight.
        genes: shape (genomes, genes).
        lesson: where the decisions are that judge them.
        batch: the numbers of the decisions.
        fitness: one of `FITNESSES`.
        reference: one of `REFERENCES`.
    """

    architecture: Architecture
    scale: float
    genes: NDArray[np.int16]
    lesson: Lesson
    batch: NDArray[np.int64]
    fitness: str
    reference: str


class Variation(NamedTuple):
    """How children come to differ from their parents; see `Original`.

    Attributes:
        tournament: how many genomes compete to be a parent.
        crossover: by `"weights"`, by `"bits"` or `"none"`.
        mutation: as in `genes.mutate`.
        rate: the expected number of mutations of a child.
        creep: the standard deviation of a creep, as a share of the largest weight.
    """

    tournament: int
    crossover: str
    mutation: str
    rate: float
    creep: float


def judge(trial: Trial, parallel: Parallel) -> NDArray[np.float64]:
    """The fitness of each genome."""
    return np.concatenate(parallel(_judge, [trial._replace(genes=some) for some in split(trial.genes)]))


def _judge(trial: Trial) -> NDArray[np.float64]:
    examples, batch, smooth = trial.lesson.examples, trial.batch, trial.fitness == "likelihood"
    networks = [trial.architecture.expressed(genome, trial.scale) for genome in trial.genes]
    if trial.architecture.activation == WRAP:
        ranks = rank_tables(examples, batch, np.concatenate([network.hidden for network in networks], axis=1))
    else:
        ranks = [rank(examples, batch, network, likelihood=smooth) for network in networks]
    return np.array([one.fitness(trial.fitness, trial.reference).mean() for one in ranks])


def offspring(
    draws: np.random.Generator, genes: NDArray[np.int16], order: NDArray[np.int64], number: int, variation: Variation
) -> NDArray[np.int16]:
    """Children, each of two winners of tournaments.

    Args:
        draws: randomness.
        genes: the population, shape (members, genes).
        order: the members, best first.
        number: of children.
        variation: how they come to differ.
    """
    places = np.argsort(order)
    return np.array([_child(draws, genes, places, variation) for _ in range(number)])


def _child(
    draws: np.random.Generator, genes: NDArray[np.int16], places: NDArray[np.int64], variation: Variation
) -> Genes:
    """A child; `places[i]` is the rank of member i."""
    one, other = (genes[genetic.winner(draws, places, variation.tournament)] for _ in range(2))
    child = genetic.cross(draws, one, other, variation.crossover)
    mutations = math.floor(variation.rate + draws.random())
    genetic.mutate(draws, child, variation.mutation, variation.creep, mutations)
    return child
