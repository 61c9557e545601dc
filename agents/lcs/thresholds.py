"""The preset `thresholds`: CMA-ES moves the numbers of one list, whose rules stay as they are, as the original wished.

The threshold of each condition is a dimension, unless its feature is a fact. Its unit is the distance from the least to
the greatest level of the feature. Thresholds of counts are whole numbers, the nearest to the point, so a list that has
moved less than half a step in all directions plays as it did.

The champion is the list in the middle of the distribution, unless it has scored less on the latest decks than the list
that the run started from.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.lcs.language import FEATURES
from ludarium.agents.lcs.operators import Rules, padded
from ludarium.agents.lcs.origin import given_list, settled_origin
from ludarium.agents.lcs.players import BREEDING, DECKS, RuleLists
from ludarium.agents.lcs.racing import Player, Race
from ludarium.agents.lcs.tables import Table
from ludarium.agents.learning import cma
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game

Floats = NDArray[np.float64]
CHILDREN = 12
"""The children of a generation."""
_SPREAD = 0.1
"""The standard deviation in the first generation."""
_MEMORY = 0.9
"""The weight of the earlier generations in the lead of the middle."""
_LEVELS = [feature.levels or (1.0,) for feature in FEATURES]
_LOW, _HIGH = np.array([levels[0] for levels in _LEVELS]), np.array([levels[-1] for levels in _LEVELS])
_DIGITS = np.array([2 if any(level % 1 for level in levels) else 0 for levels in _LEVELS])
_MOVABLE = np.array([*(len(levels) > 1 for levels in _LEVELS), False])  # the last is that of no condition, -1


@dataclass(frozen=True, kw_only=True)
class Thresholds(RuleLists):
    """Options of the preset `thresholds`; see `RuleLists` for the others.

    Attributes:
        population: the run has one list.
        origin: that list: the one written by `"hand"`, that in a file, `FILE.txt`, or the champion of the run in a
            folder. The run keeps the rules, and does not read them again.
        decks: how many decks, 10 to 100,000, the same for all and new in each generation, judge the children, the list
            in the middle and that of `origin`.
    """

    preset: ClassVar[str] = "thresholds"
    usual_games: ClassVar[int] = 600_000
    population: int = 1
    origin: str = "hand"
    decks: int = 400

    def settle(self) -> None:
        self.check_at_least(10, "decks", most=100_000)
        object.__setattr__(self, "origin", settled_origin(self.origin, self.learned))
        super().settle()

    def check(self, game: Game) -> None:
        super().check(game)
        if self.population != 1:
            raise ValueError(f"{self.name}: population must be 1, one list, not {self.population!r}")
        if not len(point(self.given)):
            raise ValueError(f"{self.name}: origin must be a list with thresholds to move, not {self.origin!r}")

    @cached_property
    def given(self) -> Rules:
        """The list that the run starts from."""
        return given_list(self.origin)

    def largest_generation(self, game: Game) -> int:
        return (CHILDREN + 2) * self.decks

    def start(self, game: Game) -> Arrays:
        rules, lengths = padded([self.given], len(self.given))
        return {
            "rules": rules,
            "lengths": lengths,
            "scores": np.zeros(1),  # of the champion on the latest decks
            "lead": np.zeros(1),  # of the middle over the list of origin
            **self._first_distribution(),
        }

    def _first_distribution(self) -> Arrays:
        first = point(self.given)
        return {**cma.start(len(first), _SPREAD, diagonal=True), "mean": first}

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        decks, random = self.deals(range(self.decks), number, DECKS), self.random(number, BREEDING)
        race = Race((Table(game),), decks, self.exact, parallel)
        state = arrays if self.inherits else self._first_distribution()
        points = cma.sample(state, random.standard_normal((CHILDREN, len(state["mean"]))))
        children = [Player(moved(self.given, child)) for child in points]
        origin, middle = Player(self.given), Player(moved(self.given, arrays["mean"]))
        race.renew([origin, middle, *children], self.decks)
        arrays["lead"] = _MEMORY * arrays["lead"] + (1 - _MEMORY) * (middle.mean - origin.mean)
        champion = origin if arrays["lead"][0] < 0 else middle
        order = self.ranking(np.argsort([-child.mean for child in children], kind="stable"), number)
        if self.replaces:
            cma.update(state, points[order], number)
            arrays.update(state)
        arrays["rules"], arrays["lengths"] = padded([champion.rules], len(champion.rules))
        arrays["scores"] = np.array([champion.mean])
        return {
            **race.metrics(),
            "best": champion.mean,
            "mean": float(np.mean([child.mean for child in children])),
            "diversity": len({child.rules["threshold"].tobytes() for child in children}) / CHILDREN,
            "rules": len(champion.rules),
            "lead": float(arrays["lead"][0]),
            "step": float(arrays["sigma"][0]),
        }

    def merits(self, arrays: Arrays) -> list[str]:
        score = arrays["scores"][0]
        return [f"{score:.2f} points" if score else ""]


def point(rules: Rules) -> Floats:
    """Where the thresholds of a list are: a number for each that can be moved."""
    movable = _MOVABLE[rules["feature"]]
    features = rules["feature"][movable]
    return np.asarray((rules["threshold"][movable] - _LOW[features]) / (_HIGH - _LOW)[features])


def moved(rules: Rules, to: Any) -> Rules:
    """A copy of a list with its thresholds at a point."""
    rules, movable = rules.copy(), _MOVABLE[rules["feature"]]
    features = rules["feature"][movable]
    low, high = _LOW[features], _HIGH[features]
    scale = 10.0 ** _DIGITS[features]
    rules["threshold"][movable] = np.round(np.clip(low + to * (high - low), low, high) * scale) / scale
    return rules
