"""The preset `modern`: each neuron of a network evolves by itself, to choose as experts do.

In every decision all neurons have mutants, see `ludarium.agents.genetic.gengammon.neurons`. The next step goes
where the better ones went, summed over all decisions of a generation.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludarium.agents.genetic.gengammon.climbing import Student
from ludarium.agents.genetic.gengammon.mutants import check_size
from ludarium.agents.genetic.gengammon.neurons import Mutation
from ludarium.envs.game import Game

_CREDITS = 2  # stream of a generation


@dataclass(frozen=True, kw_only=True)
class Imitation(Student):
    """Options of the preset `modern`; see `Student` for the others.

    Attributes:
        spread: the size of a mutant's changes.
        mutants: the pairs of mutants of each neuron in a decision, each with a share of its genes.
    """

    preset: ClassVar[str] = "modern"
    generations: int = 6000
    decay: float = 0.1
    validation: float = 0.05
    spread: float = 0.05
    mutants: int = 8

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_at_least(1, "mutants", most=100)
        self.check_number(1e-6, 1000, "spread")
        check_size(self.architecture)

    def mutation(self, number: int) -> Mutation:
        """The outputs of a sum do not change."""
        size = np.float32(self.spread)
        output_size = np.float32(0.0) if self.output == "sum" else size
        return Mutation(self.key(number, _CREDITS), size, output_size, self.mutants, by_chance=not self.selects)
