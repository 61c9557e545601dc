"""Evolution: what every learner that keeps a population shares.

An evolver's knowledge is a whole population as plain arrays. It lives in generations; number n is a function of
(seed, n) and of the generation before. So on any number of workers, of whatever kind, it comes to the same champion.

Every evolver has *twins*, the same program without one of its parts, to show at equal games what the part brings:
`selection=none` ranks by lot, `breeding=founders` lets children begin anew, `breeding=none` lets everybody live for
ever, `population=1` is a single player that learns by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.learning.checkpoint import Arrays, Checkpoint
from ludarium.agents.learning.learner import LEARNING, Learner
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import stream, uniform
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import make_game

BREEDING = ("parents", "founders", "none")
_LOTS = 1 << 20  # the stream of a generation that random rankings come from, out of the way of the learners' own


@dataclass(frozen=True, kw_only=True)
class Evolver(Learner):
    """Options that all evolving learners have; subclasses add theirs, and say what a generation is.

    Attributes:
        games: the budget in games: a generation that might pass it is not begun. As a default as many as `generations`
            may take, or if that is not given either, what the learner declares.
        generations: the budget in generations; 0: as many as `games` holds. If both are given, the larger counts.
        population: how many players live at a time; 1 is a twin, see the module.
        selection: who is better: `"merit"`, or what else the learner offers; `"none"` is a twin.
        breeding: where children come from: `"parents"`; `"founders"` and `"none"` are twins.
        checkpoints: how often the champion is measured, evenly spaced. What is kept on disk follows the clock besides.

    Raises:
        ValueError: for options out of range, or a game this learner does not take.
    """

    selections: ClassVar[tuple[str, ...]] = ("merit", "none")
    usual_games: ClassVar[int] = 10_000
    least_population: ClassVar[int] = 2
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {"seed": {}}
    games: int = 0
    generations: int = 0
    population: int = 100
    selection: str = "merit"
    breeding: str = "parents"

    def settle(self) -> None:
        self.check_at_least(0, "generations", "games")
        self.check_at_least(1, "population", most=10_000)
        if 1 < self.population < self.least_population:
            raise ValueError(
                f"{self.name}: population must be an integer of at least {self.least_population}, not "
                f"{self.population!r}; or 1, a single player that learns by itself"
            )
        self.check_choice("selection", *self.selections)
        self.check_choice("breeding", *BREEDING)
        largest = self.largest_generation(make_game(self.game))
        self.fill("games", 0, self.generations * largest or self.usual_games)
        if self.games < largest:
            raise ValueError(
                f"{self.name}: a generation may take {largest} games; games={self.games!r} is less than one"
            )

    @property
    def unit(self) -> str:
        """The larger of the two budgets counts."""
        largest = self.largest_generation(make_game(self.game))
        return "generations" if self.generations * largest >= self.games else "games"

    @property
    def budget(self) -> int:
        return self.generations if self.unit == "generations" else self.games

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        """Play and breed generation `number` (0 is the first); the dictionary changes, and its arrays.

        Returns:
            The metrics: `games` and `decisions` of this generation, `best`, `mean`, `diversity`, `rule_share` (the
            share of the moves that a rule made), `draws`, and what else the learner wants to tell.
        """
        raise NotImplementedError

    def largest_generation(self, game: Game) -> int:
        """The most games that a generation may take."""
        raise NotImplementedError

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """Any member of the population, from 0: the champion."""
        raise NotImplementedError

    def merits(self, arrays: Arrays) -> list[str]:
        """What the run says of each member, by place: its weight, or how many of its games it won."""
        return [""] * self.population

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.member(game, arrays, 0)

    def advance(self, game: Game, now: Checkpoint, until: int, parallel: Parallel) -> tuple[Checkpoint, dict[str, Any]]:
        told = self.generation(game, now.arrays, now.generations, parallel)
        later = replace(
            now,
            games=now.games + int(told.pop("games")),
            decisions=now.decisions + int(told.pop("decisions")),
            generations=now.generations + 1,
        )
        return later, {name: round(float(value), 6) for name, value in told.items()}

    def is_over(self, game: Game, now: Checkpoint) -> bool:
        """Whether there is no room for another generation."""
        if self.unit == "generations":
            return now.generations >= self.generations
        return now.games + self.largest_generation(game) > self.games

    def ended(self, now: Checkpoint) -> str:
        """Which budget counted, if both were given."""
        if not self.generations or self.games == replace(self, games=0).games:  # it follows from the generations
            return ""
        given = (f"games={self.games}", f"generations={self.generations}")
        larger, smaller = given if self.unit == "games" else given[::-1]
        return f"{now.generations:,} generations, {now.games:,} games: {larger} counted, more than {smaller}"

    def counts(self, now: Checkpoint) -> dict[str, int]:
        return {**super().counts(now), "generation": now.generations}

    def ranking(self, order: NDArray[np.int64], number: int) -> NDArray[np.int64]:
        """The order in which members breed: the one given, the best first; with `selection=none` one by lot.

        Args:
            order: the members, the best first.
            number: of the generation.
        """
        if self.selection != "none":
            return order
        draws = stream(self.seed, LEARNING, number, _LOTS)
        return order[np.argsort([uniform(draws) for _ in order])]

    @classmethod
    def agent(cls, game: Game, path: str, *, member: int | None = None) -> Agent:
        """The agent `NAME:PATH`, a run's champion, or `NAME:PATH?member=3`, any of its population.

        Raises:
            ValueError: if the folder holds no such run, one of another game, or no such member.
        """
        found = Checkpoint.of_game(path, game, cls)
        learner: Any = found.learner
        if member is None:
            return CompiledAgent(f"{cls.name}:{path}", learner.policy(game, found.arrays))
        if type(member) is not int or not 0 <= member < learner.population:
            raise ValueError(f"{path}: member must be an integer from 0 to {learner.population - 1}, not {member!r}")
        return CompiledAgent(f"{cls.name}:{path}?member={member}", learner.member(game, found.arrays, member))
