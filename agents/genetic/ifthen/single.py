"""One map with values that plays itself: the preset `single`.

It learns from each game as either side. Its randomness, the probability of a random move in a position that it knows,
is chosen again before each hundred games, so that it both explores and finds out what its own moves lead to.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.ifthen.contest import Contest, most_games
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.genetic.ifthen.players import EXPLORING, SORTING
from ludarium.agents.genetic.ifthen.valued import ValuedMaps
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import stream, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Single(ValuedMaps):
    """Options of the preset `single`: those of `ValuedMaps`, and of `Evolver` those that need no population.

    Attributes:
        population: 1, a map that plays itself.
    """

    preset: ClassVar[str] = "single"
    population: int = 1

    def settle(self) -> None:
        self.check_at_least(1, "population", most=1)
        super().settle()

    def largest_generation(self, game: Game) -> int:
        return most_games(self.population)

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        maps, order = Maps.of(arrays), arrays["order"]
        maps.randomness[:] = uniform(stream(self.seed, LEARNING, number, EXPLORING))
        contest = Contest(self.rules(game), maps, parallel)
        contest.sort(order, self.key(number, SORTING))
        line = self.metrics(maps, order, order, contest.counts, number)
        arrays.update(maps.grown(self.capacity)._asdict())
        return line
