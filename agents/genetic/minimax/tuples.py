"""The preset `tuples`: the many weights of n-tuples, which evolve and learn, played one ply ahead.

Evolution is Lamarckian: before each generation, the mean of the distribution learns from games against itself by
temporal differences, and children inherit that, as in "coevolutionary temporal difference learning" (Szubert,
Jaskowski & Krawiec 2009).
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ludarium.agents.genetic.minimax.cma import CMA
from ludarium.agents.genetic.minimax.contest import Player
from ludarium.agents.genetic.minimax.players import LESSONS, OPENING
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.othello import td
from ludarium.agents.othello.tuples import layout
from ludarium.envs.chance import below
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game


@dataclass(frozen=True, kw_only=True)
class Tuples(CMA):
    """Options of `tuples`; see `CMA` for the others.

    Attributes:
        tuples: which tuples, see `ludarium.agents.othello.tuples.layout`: `"all-2"`, `"4+2x2"`, a list, ….
        opening_varies: whether only every other generation has random moves at the start, on average, and draws their
            number, from 1 to `opening`; the others begin at the start of the game.
        noise: the probability, from 0 to 1, of a random move later on.
        lessons: games against itself, up to 1,000,000, by which the mean learns before each generation, by TD(0); they
            count.
        lessons_until: the share of the budget, above 0, after which there are no more lessons.
        alpha: the step size in the first lesson, up to 10; it falls linearly to 0 by the last.
    """

    preset: ClassVar[str] = "tuples"
    usual_games: ClassVar[int] = 300_000
    diagonal: ClassVar[bool] = True
    population: int = 320
    spread: float = 0.02
    rivals: int = 1
    anchors: str = "wpc+wpc"
    tuples: str = "all-2"
    opening_varies: bool = True
    noise: float = 0.1
    lessons: int = 1000
    lessons_until: float = 0.3
    alpha: float = 1.0

    def settle(self) -> None:
        self.check_at_least(0, "lessons", most=1_000_000)
        super().settle()

    def check(self, game: Game) -> None:
        self.check_number(1e-3, 1, "lessons_until")
        self.check_number(1e-6, 10, "alpha")
        self.check_number(0, 1, "noise")
        if not self.lessons:
            self.check_idle("without lessons", "lessons_until", "alpha")
        super().check(game)

    @property
    def form_name(self) -> str:
        return f"tuples:{self.tuples}"

    @property
    def searcher(self) -> Player:
        return Player("one-ply")

    @property
    def trainee(self) -> Player:
        return Player("one-ply", noise=self.noise)

    def opening_of(self, number: int) -> int:
        if not self.opening_varies or not self.opening:
            return self.opening
        draws = self.draws(number, OPENING)
        return 0 if below(draws, 2) else 1 + int(below(draws, self.opening))

    def largest_generation(self, game: Game) -> int:
        return super().largest_generation(game) + self.lessons

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        time = number * self.largest_generation(game) / (self.lessons_until * self.games)
        lessons = self.lessons if time < 1 else 0
        decisions = self.learn(game, arrays, number, self.alpha * (1 - time)) if lessons else 0
        line = super().generation(game, arrays, number, parallel)
        return {**line, "games": line["games"] + lessons, "decisions": line["decisions"] + decisions}

    def learn(self, game: Game, arrays: Arrays, number: int, alpha: float) -> int:
        """Let the mean learn from lessons; return the number of their decisions."""
        shape = layout(game.options["size"], self.tuples, merged=False)
        weights = arrays["mean"].astype(np.float32)[None]
        rates = np.array([alpha, 0.0, self.noise, 0.0])
        decisions = td.learn(game, shape, weights, 0, self.lessons, self.key(number, LESSONS), rates, self.opening)
        arrays["mean"] = weights[0].astype(np.float64)
        return decisions
