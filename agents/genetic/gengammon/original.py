"""The preset `seed`: "Gengammon", a genetic algorithm for a network that plays as experts did in recorded games.

A gene is a single network; its weights are random when it is made. Every decision of an expert is a test: of all
results that the roll allows, the network should give the expert's the highest score, and its fitness says how nearly it
does. The best genomes live on. The others are replaced by children, which take their weights from two parents, and
swap two of them.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import ACTIVATIONS, Network
from ludarium.agents.genetic.gengammon.architecture import WRAP
from ludarium.agents.genetic.gengammon.breeding import Trial, Variation, judge, offspring
from ludarium.agents.genetic.gengammon.fitness import FITNESSES, REFERENCES
from ludarium.agents.genetic.gengammon.genes import CROSSOVERS, MUTATIONS, founders, values_per_gene
from ludarium.agents.genetic.gengammon.lessons import Lesson
from ludarium.agents.genetic.gengammon.players import FOUNDERS, BackgammonNetworks
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.backgammon.recorded_decisions import CONTRADICTING
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

_BREEDING = 2  # stream of a generation


@dataclass(frozen=True, kw_only=True)
class Original(BackgammonNetworks):
    """Options of the preset `seed`; see `BackgammonNetworks` for the others. The defaults are those of the original.

    Attributes:
        activation: also `"wrap"`: none, but products of weights and checkers overflow as in the original, see
            `genes.table`; it goes with `inputs="counts"` and `output="sum"`.
        contradicting: where the same decision was met with several choices, `"first"`: only the first of them is
            right, and decisions with another one are dropped; `"majority"`: only the most frequent one; `"all"`.
        fitness: see `ludarium.agents.genetic.gengammon.fitness`.
        reference: of `fitness="v3"`: the distance counts from the `"best"` result, or from the `"next"` better one.
        tournament: how many genomes compete to be a parent, from 1.
        elites: how many of the best live on, from 0.
        gene_scale: the largest weight, up to 1000.
        founders: the largest weight of the first genomes, as a share of that.
        mutation: `"swap"` two weights, flip a `"bit"`, `"both"` in turn by chance, or `"creep"`.
        mutation_rate: mutations of a child, from 0; the expected number, if it is not whole.
        creep: the standard deviation of a creep, as a share of the largest weight; it falls linearly to 0.
        crossover: by `"weights"`, by `"bits"`, `"alternate"`, or `"none"`: a child has one parent.
        alternate_every: generations, from 1, after which the crossovers alternate.
    """

    preset: ClassVar[str] = "seed"
    activations: ClassVar[tuple[str, ...]] = (*ACTIVATIONS, WRAP)
    inputs: str = "counts"
    hidden: int = 26
    activation: str = WRAP
    output: str = "sum"
    contradicting: str = "first"
    fitness: str = "v3"
    reference: str = "best"
    tournament: int = 3
    elites: int = 2
    gene_scale: float = 0.2
    founders: float = 1.0
    mutation: str = "swap"
    mutation_rate: float = 1.0
    creep: float = 0.1
    crossover: str = "weights"
    alternate_every: int = 100

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_choice("contradicting", *CONTRADICTING)
        self.check_choice("fitness", *FITNESSES)
        self.check_choice("reference", *REFERENCES)
        self.check_choice("mutation", *MUTATIONS)
        self.check_choice("crossover", *CROSSOVERS)
        self.check_at_least(1, "tournament", "alternate_every", most=10**9)
        self.check_at_least(0, "elites")
        self.check_number(0, 10**6, "mutation_rate")
        self.check_number(0, 1000, "creep")
        self.check_number(0, 1, "founders")
        self.check_number(1e-6, 1000, "gene_scale")
        if self.activation == WRAP and (self.inputs, self.output) != ("counts", "sum"):
            raise ValueError(
                f"gengammon: activation={WRAP} goes with inputs=counts and output=sum, not with inputs={self.inputs} "
                f"and output={self.output}; give activation=tanh, for example"
            )
        if self.elites >= self.population:
            raise ValueError(f"gengammon: elites must be below the population, {self.population}, not {self.elites!r}")

    @property
    def lesson(self) -> Lesson:
        return super().lesson._replace(contradicting=self.contradicting)

    def first(self) -> Arrays:
        return {
            "genes": self._founders(self.draws(0, FOUNDERS), self.population),
            "order": np.arange(self.population),
            "points": np.zeros(self.population),
        }

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        genes, batch = arrays["genes"], self.batch_of(number)
        trial = Trial(self.architecture, self.gene_scale, genes, self.lesson, batch, self.fitness, self.reference)
        points = judge(trial, parallel)
        order = self.ranking(np.argsort(-points, kind="stable"), number)
        line = {
            "games": 0,
            "decisions": len(batch),
            "best": points[order[0]],
            "mean": points.mean(),
            "diversity": values_per_gene(genes) / self.population,
        }
        if self.replaces and number + 1 < self.generations:
            draws, wanted = self.draws(number, _BREEDING), self.population - self.elites
            if self.inherits:
                born = offspring(draws, genes, order, wanted, self._variation(number))
            else:
                born = self._founders(draws, wanted)
            elites = order[: self.elites]
            genes, points = np.concatenate([genes[elites], born]), np.append(points[elites], np.full(wanted, np.nan))
            order = np.arange(self.population)
        arrays.update(genes=genes, points=points, order=order)
        return line

    def _founders(self, draws: np.random.Generator, number: int) -> NDArray[np.int16]:
        return founders(draws, number, self.architecture.genes, self.founders)

    def _variation(self, number: int) -> Variation:
        """How the children of a generation come to differ."""
        crossover = self.crossover
        if crossover == "alternate":
            crossover = "bits" if number // self.alternate_every % 2 else "weights"
        creep = self.creep * (1 - number / self.generations)
        return Variation(self.tournament, crossover, self.mutation, self.mutation_rate, creep)

    def network(self, arrays: Arrays, member: int = 0) -> Network:
        return self.architecture.expressed(arrays["genes"][arrays["order"][member]], self.gene_scale)

    def merits(self, arrays: Arrays) -> list[str]:
        points = arrays["points"][arrays["order"]]
        return ["newborn" if np.isnan(point) else f"{self.fitness} {point:.4f}" for point in points]
