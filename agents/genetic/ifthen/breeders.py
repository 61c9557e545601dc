"""Maps that explore and breed: what the presets with a population share."""

from dataclasses import dataclass

from ludarium.agents.genetic.ifthen.contest import Order
from ludarium.agents.genetic.ifthen.heredity import Heredity, founders, replace_by_children, replace_by_founders
from ludarium.agents.genetic.ifthen.maps import Maps
from ludarium.agents.genetic.ifthen.players import BREEDING, MapPlayers
from ludarium.agents.learning.learner import LEARNING
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import stream
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Breeders(MapPlayers):
    """Options of maps that breed; see `MapPlayers` for the twins, and `Evolver` for the others.

    Attributes:
        games_per_comparison: the number of games in a comparison. Seats alternate; who begins is decided at random, and
            so is a tie.
        founder_limit: the upper limit of the founders' randomness, the probability of a random move in a position that
            the map knows; it is uniform between 0 and this.
        randomness_rate: the probability that a child's randomness is chosen again; otherwise it is inherited.
    """

    games_per_comparison: int
    founder_limit: float
    randomness_rate: float

    def settle(self) -> None:
        self.check_at_least(1, "games_per_comparison")
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_number(0, 1, "founder_limit", "randomness_rate")

    def start(self, game: Game) -> Arrays:
        arrays = super().start(game)
        arrays["randomness"][:] = founders(stream(self.seed, LEARNING), self.population, self.founder_limit)
        return arrays

    @property
    def heredity(self) -> Heredity:
        """What children inherit."""
        raise NotImplementedError

    def renew(self, maps: Maps, order: Order, number: int, parallel: Parallel) -> None:
        """Replace the bottom half of the ranking of generation `number`, unless a twin keeps everybody."""
        key = self.key(number, BREEDING)
        if self.replaces and self.inherits:
            replace_by_children(maps, order, self.heredity, key, parallel)
        elif self.replaces:
            replace_by_founders(maps, order, self.founder_limit, key)
