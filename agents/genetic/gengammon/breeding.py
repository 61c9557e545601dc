"""A generation of the genetic algorithm: the same decisions judge all genomes, and their children replace them."""

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.genetic.gengammon import genes as genetic
from ludarium.agents.genetic.gengammon.fitness import rank, rank_tables
from ludarium.agents.genetic.gengammon.genes import WRAP
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays

if TYPE_CHECKING:
    from ludarium.agents.genetic.gengammon.learner import Gengammon

PARTS = 8
"""The work of a generation is divided into this many parts, whatever the number of workers."""
_BREEDING = 2  # stream of a generation


class _Judged(NamedTuple):
    """Genomes to judge, for any worker."""

    learner: "Gengammon"
    genes: NDArray[np.int16]
    batch: NDArray[np.int64]


def breed(
    learner: "Gengammon", arrays: Arrays, number: int, batch: NDArray[np.int64], parallel: Parallel
) -> dict[str, float]:
    """Judge all genomes, and replace them by their children."""
    genes = arrays["genes"]
    parts = [_Judged(learner, some, batch) for some in np.array_split(genes, PARTS) if len(some)]
    points = np.concatenate(parallel(_judge, parts))
    order = learner.ranking(np.argsort(-points, kind="stable"), number)
    arrays["points"], arrays["order"] = points, order
    told = {
        "best": points[order[0]],
        "mean": points.mean(),
        "diversity": genetic.values_per_gene(genes) / learner.population,
    }
    if number + 1 < learner.generations and learner.breeding != "none":
        _replace(learner, arrays, number)
    return told


def _judge(part: _Judged) -> NDArray[np.float64]:
    """The fitness of each genome."""
    learner, smooth = part.learner, part.learner.fitness == "likelihood"
    networks = [learner.expressed(genome) for genome in part.genes]
    if learner.activation == WRAP:
        tables = np.concatenate([network.hidden for network in networks], axis=1)
        ranks = rank_tables(learner.examples, part.batch, tables)
    else:
        ranks = [rank(learner.examples, part.batch, network, likelihood=smooth) for network in networks]
    return np.array([found.fitness(learner.fitness).mean() for found in ranks])


def _replace(learner: "Gengammon", arrays: Arrays, number: int) -> None:
    """Let the best live on as the first members, and fill the rest with children."""
    genes, order, draws = arrays["genes"], arrays["order"], learner.draws(number, _BREEDING)
    elites, wanted = genes[order[: learner.elites]], len(genes) - learner.elites
    if learner.breeding == "founders":
        children = learner.founding(draws, wanted)
    else:
        places = np.argsort(order)
        children = np.array([_child(learner, genes, places, number, draws) for _ in range(wanted)])
    arrays["genes"] = np.concatenate([elites, children])
    arrays["order"] = np.arange(learner.population)


def _child(
    learner: "Gengammon", genes: NDArray[np.int16], places: NDArray[np.int64], number: int, draws: np.random.Generator
) -> NDArray[np.int16]:
    """A child of two winners of tournaments; `places[i]` is the rank of member i."""
    one, other = (genes[genetic.winner(draws, places, learner.tournament)] for _ in range(2))
    how = learner.crossover
    if how == "alternate":
        how = "bits" if number // learner.alternate_every % 2 else "weights"
    child = genetic.cross(draws, one, other, how)
    mutations = math.floor(learner.mutation_rate + draws.random())
    creep = learner.creep * (1 - number / learner.generations)
    genetic.mutate(draws, child, learner.mutation, creep, mutations)
    return child
