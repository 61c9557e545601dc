"""The preset `backprop`, the twin that does not evolve: the same network learns the same decisions by its gradient."""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.gengammon.climbing import Student
from ludarium.agents.genetic.gengammon.lessons import Asked, gradient, mean_of, split
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Backpropagation(Student):
    """Options of the preset `backprop`; see `Student`. With `output="outcomes"` it learns a judge's odds."""

    preset: ClassVar[str] = "backprop"
    selections: ClassVar[tuple[str, ...]] = ("merit",)
    outputs: ClassVar[tuple[str, ...]] = ("sum", "weights", "outcomes")
    generations: int = 2000
    decay: float = 0.1
    validation: float = 0.05

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        network, batch = self.now(arrays), self.batch_of(number)
        parts = [Asked(self.lesson, network, some) for some in split(batch)]
        likelihood, slopes = mean_of(parallel(gradient, parts), len(batch))
        self.climb(arrays, slopes, number)
        told = {"games": 0, "decisions": len(batch), "likelihood": likelihood, "size": float(arrays["hidden"].std())}
        return told | self.look(arrays, number, parallel)
