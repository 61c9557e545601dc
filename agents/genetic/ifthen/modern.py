"""A small population of maps with values, in which many explore: the preset `modern`.

Each pair of players meets with both colours, and both learn from each game. Of two parents that know a position, the
one that met it in more games passes its pair on; a child takes the mean of what both say of a window.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.ifthen.contest import Contest, most_games
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.heredity import Heredity, founders, replace_by_children, replace_by_founders
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.genetic.ifthen.players import BREEDING, SORTING
from ludarium.agents.genetic.ifthen.valued import ValuedMaps
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import stream
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Modern(ValuedMaps):
    """Options of the preset `modern`; see `ValuedMaps`, and `Evolver` for the others.

    Attributes:
        population: the number of maps; 1 is a twin. In a small population a discovery soon reaches everybody.
        games_per_comparison: the number of games in a comparison, from 1. Seats alternate; who begins is decided at
            random, and so is a tie.
        founder_limit: the upper limit of the founders' randomness, the probability of a random move in a position that
            the map knows; it is uniform between 0 and this.
        randomness_rate: the probability that a child's randomness is chosen again, between 0 and 1; otherwise it is
            that of one parent, changed by up to ± 2.5 %.
    """

    preset: ClassVar[str] = "modern"
    population: int = 8
    games_per_comparison: int = 2
    founder_limit: float = 1.0
    randomness_rate: float = 0.5

    def settle(self) -> None:
        self.check_at_least(1, "games_per_comparison")
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_number(0, 1, "founder_limit", "randomness_rate")

    def largest_generation(self, game: Game) -> int:
        return most_games(self.population, self.games_per_comparison)

    def start(self, game: Game) -> Arrays:
        arrays = super().start(game)
        arrays["randomness"][:] = founders(stream(self.seed, LEARNING), self.population, self.founder_limit)
        return arrays

    def rules(self, game: Game) -> Rules:
        return super().rules(game)._replace(games_per_comparison=self.games_per_comparison)

    @property
    def heredity(self) -> Heredity:
        """What children inherit."""
        return Heredity(float(self.randomness_rate), evidence=True)

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        maps, before = Maps.of(arrays), arrays["order"]
        contest = Contest(self.rules(game), maps, parallel)
        order = self.ranking(contest.sort(before, self.key(number, SORTING)), number)
        told = self.metrics(maps, before, order, contest.counts, number)
        if self.replaces and self.inherits:
            replace_by_children(maps, order, self.heredity, self.key(number, BREEDING), parallel)
        elif self.replaces:
            replace_by_founders(maps, order, self.founder_limit, self.key(number, BREEDING))
        arrays.update(maps.grown(self.capacity)._asdict(), order=order)
        return told
