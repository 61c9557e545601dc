"""The preset `games`: evolution that has seen no expert and knows nothing but points.

In each generation, pairs of networks with the same random changes added and subtracted play each other, and a step is
taken towards the winners. The network that has been reached is another matter: after each season it meets the hall of
fame, the latest champions, with new dice, and becomes champion if it wins.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon.network import Network
from ludarium.agents.genetic.gengammon.climbing import Climber
from ludarium.agents.genetic.gengammon.duels import Duel, dice, duel, latest_champion, meet_hall, new_hall
from ludarium.agents.genetic.gengammon.lessons import mean_of
from ludarium.agents.genetic.gengammon.mutants import both_ways, changes, check_size
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

SEASON = 10
"""Generations after which the network meets the hall of fame."""
_DICE, _HALL_DICE = 1 << 21, (1 << 21) + 1  # streams of a generation


@dataclass(frozen=True, kw_only=True)
class Games(Climber):
    """Options of the preset `games`; see `Climber` for the others.

    Attributes:
        population: the networks, an even number from 2, of a generation, two in a pair.
        batch: the number of times, from 1, that two networks play with the same dice, once in each seat, in a
            generation.
        decisions: not learned from, but a first network with `output="outcomes"` expects the mean of their odds.
        spread: the size of a network's changes, 0.000001 to 1,000.
    """

    preset: ClassVar[str] = "games"
    selections: ClassVar[tuple[str, ...]] = ("merit",)
    outputs: ClassVar[tuple[str, ...]] = ("sum", "weights", "outcomes")
    generations: int = 700
    hidden: int = 40
    batch: int = 500
    spread: float = 0.1

    def check(self, game: Game) -> None:
        super().check(game)
        self.check_number(1e-6, 1000, "spread")
        check_size(self.architecture)
        if self.batch < self._pairs:
            raise ValueError(
                f"gengammon: each of the {self._pairs} pairs of the population needs dice; give a batch of at least "
                f"{self._pairs}, not {self.batch!r}"
            )

    @property
    def _pairs(self) -> int:
        return max(self.population // 2, 1)

    def largest_generation(self, game: Game) -> int:
        return 4 * self.batch

    def champions(self, arrays: Arrays) -> Arrays:
        return new_hall(arrays)

    def network(self, arrays: Arrays, member: int = 0) -> Network:
        return latest_champion(self.architecture, arrays)

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        architecture, variant = self.architecture, game.options["variant"]
        keys, weights = self._dice(number, _DICE), (arrays["hidden"], arrays["output"])
        signs = [changes(architecture, self.seed, number, pair) for pair in range(self._pairs)]
        pairs = [both_ways(architecture, weights, sign, self.spread) for sign in signs]
        answers = parallel(duel, [Duel(variant, *pair, keys[i :: self._pairs]) for i, pair in enumerate(pairs)])
        won = [np.float32(points / (2 * self.spread)) for points, _ in answers]
        shown = [(0.0, (points * sign[0], points * sign[1])) for points, sign in zip(won, signs, strict=True)]
        self.climb(arrays, mean_of(shown, len(keys))[1], number)
        games, decisions = 2 * len(keys), sum(decisions for _, decisions in answers)
        if (number + 1) % SEASON == 0:
            more, further = meet_hall(architecture, arrays, variant, self._dice(number, _HALL_DICE), parallel)
            games, decisions = games + more, decisions + further
        crowned, size = float(arrays["crowned"][0]), float(arrays["hidden"].std())
        return {"games": games, "decisions": decisions, "champions": crowned, "size": size}

    def _dice(self, number: int, stream: int) -> NDArray[np.uint64]:
        """The keys of a generation's games."""
        return dice(int(self.key(number, stream)), self.batch)
