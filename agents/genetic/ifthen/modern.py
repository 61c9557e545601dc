"""A small population of maps with values, in which many explore: the preset `modern`.

Each pair of players meets with both colours, and both learn from each game. Of two parents that know a position, the
one that met it in more games passes its pair on; a child takes the mean of what both say of a window.
"""

from dataclasses import dataclass
from typing import ClassVar

from ludarium.agents.genetic.ifthen.breeders import Breeders
from ludarium.agents.genetic.ifthen.contest import Contest, most_games
from ludarium.agents.genetic.ifthen.games import Rules
from ludarium.agents.genetic.ifthen.heredity import Heredity
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.genetic.ifthen.players import SORTING
from ludarium.agents.genetic.ifthen.valued import ValuedMaps
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Modern(Breeders, ValuedMaps):
    """Options of the preset `modern`; see `Breeders` and `ValuedMaps` for the others.

    Attributes:
        population: the number of maps, from 1; 1 is a twin. In a small population a discovery soon reaches everybody.
    """

    preset: ClassVar[str] = "modern"
    population: int = 8
    games_per_comparison: int = 2
    founder_limit: float = 1.0
    randomness_rate: float = 0.5

    def largest_generation(self, game: Game) -> int:
        return most_games(self.population, self.games_per_comparison)

    def rules(self, game: Game) -> Rules:
        return super().rules(game)._replace(games_per_comparison=self.games_per_comparison)

    @property
    def heredity(self) -> Heredity:
        return Heredity(float(self.randomness_rate), evidence=True)

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        maps, before = Maps.of(arrays), arrays["order"]
        contest = Contest(self.rules(game), maps, parallel)
        order = self.ranking(contest.sort(before, self.key(number, SORTING)), number)
        line = self.metrics(maps, before, order, contest.counts, number)
        self.renew(maps, order, number, parallel)
        arrays.update(maps.grown(self.capacity)._asdict(), order=order)
        return line
