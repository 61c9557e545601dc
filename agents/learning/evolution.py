"""Evolution: what all learners that keep a population share.

What an evolver knows is a whole population, as plain arrays. It learns in generations; generation n is a function of
(seed, n) and of the previous generation. So any number of workers, of any kind, arrive at the same champion.

Every evolver has *twins*, the same program without one of its parts, to show what that part contributes for the same
number of games: `selection=none` ranks at random, `breeding=founders` lets children start from scratch,
`breeding=none` never replaces anybody, and `population=1` is a single player that learns by itself.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.learner import LEARNING, Learner
from ludarium.agents.learning.parallel import Parallel
from ludarium.envs.chance import below, seed_key, stream, uniform
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

BREEDING = ("parents", "founders", "none")
_LOTS = 1 << 20  # the stream of a generation for random rankings, apart from the learners' own streams


def sample_place(number: int, size: int, draws: NDArray[np.uint64]) -> int:
    """Where thing `number`, counted from 0, goes in a uniform sample of all things so far (Vitter 1985, algorithm R).

    Args:
        number: the number of the thing.
        size: how many things the sample holds.
        draws: the stream to draw from.

    Returns:
        The place; `size` or more if the sample does not take it.
    """
    return number if number < size else int(below(draws, number + 1))


@dataclass(frozen=True, kw_only=True)
class Evolver(Learner):
    """Options that all evolving learners have; subclasses add their own and define a generation.

    Attributes:
        games: the budget in games, from 0: a generation that might exceed it is not started. By default as many as
            `generations` may take or, if that is not given either, what the learner declares.
        generations: the budget in generations; 0: as many as fit into `games`. If both are given, the larger counts.
        population: the number of players at any time, up to 10,000; 1 is a twin, a single player that learns by itself.
        selection: what makes a player better: `"merit"`, or what else the learner offers; `"none"` is a twin.
        breeding: where children come from: `"parents"`; `"founders"` and `"none"` are twins.
        checkpoints: how often the champion is measured, evenly spaced. In between, the run is also saved from time
            to time.

    Raises:
        ValueError: for options out of range, or a game this learner does not take.
    """

    selections: ClassVar[tuple[str, ...]] = ("merit", "none")
    numbers: ClassVar[str] = "generations"
    usual_games: ClassVar[int] = 10_000
    least_population: ClassVar[int] = 2
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
        largest = self.largest_generation(self.learned)
        self.fill("games", 0, self.generations * largest or self.usual_games)
        if self.games < largest:
            raise ValueError(
                f"{self.name}: a generation may take {largest} games; games={self.games!r} is less than one"
            )

    @property
    def unit(self) -> str:
        """The unit of the larger of the two budgets, which is the one that counts."""
        largest = self.largest_generation(self.learned)
        return "generations" if self.generations * largest >= self.games else "games"

    @property
    def budget(self) -> int:
        return self.generations if self.unit == "generations" else self.games

    def generation(self, game: Game, arrays: Arrays, number: int, parallel: Parallel) -> dict[str, float]:
        """Play and breed generation `number` (0 is the first); the dictionary and its arrays change.

        Returns:
            The metrics: `games` and `decisions` of this generation, `best`, `mean`, `diversity`, `rule_share` (the
            share of the moves that a rule made), `draws`, and whatever else the learner reports.
        """
        raise NotImplementedError

    def largest_generation(self, game: Game) -> int:
        """The maximum number of games in a generation."""
        raise NotImplementedError

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        """A member of the population, numbered from 0, the champion."""
        raise NotImplementedError

    def merits(self, arrays: Arrays) -> list[str]:
        """A note on each member, in order of rank: its weight, or how many of its games it won."""
        return [""] * self.population

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.member(game, arrays, 0)

    def advance(self, game: Game, now: Checkpoint, until: int, parallel: Parallel) -> tuple[Checkpoint, dict[str, Any]]:
        line = self.generation(game, now.arrays, now.generations, parallel)
        later = replace(
            now,
            games=now.games + int(line.pop("games")),
            decisions=now.decisions + int(line.pop("decisions")),
            generations=now.generations + 1,
        )
        return later, {name: round(float(value), 6) for name, value in line.items()}

    def is_over(self, game: Game, now: Checkpoint) -> bool:
        """Whether there is no room for another generation."""
        if self.unit == "generations":
            return now.generations >= self.generations
        return now.games + self.largest_generation(game) > self.games

    def summary(self, line: Mapping[str, Any]) -> str:
        return f"generation {line['generation']:,}" if "generation" in line else ""

    def ended(self, now: Checkpoint) -> str:
        """Which budget counted, if both were given."""
        if not self.generations or self.games == replace(self, games=0).games:  # it follows from the generations
            return ""
        budgets = (f"games={self.games}", f"generations={self.generations}")
        larger, smaller = budgets if self.unit == "games" else budgets[::-1]
        return f"{now.generations:,} generations, {now.games:,} games: {larger} counted, more than {smaller}"

    def counts(self, now: Checkpoint) -> dict[str, int]:
        return {**super().counts(now), "generation": now.generations}

    def key(self, number: int, *path: int) -> np.uint64:
        """The key of a random stream of generation `number`; each learner numbers its streams itself."""
        return seed_key(self.seed, LEARNING, number, *path)

    def ranking(self, order: NDArray[np.int64], number: int) -> NDArray[np.int64]:
        """The order in which members breed: the given one, best first; with `selection=none` a random one.

        Args:
            order: the members, best first.
            number: the number of the generation.
        """
        if self.selects:
            return order
        draws = stream(self.seed, LEARNING, number, _LOTS)
        return order[np.argsort([uniform(draws) for _ in order])]

    @property
    def selects(self) -> bool:
        """Whether the better members breed; with `selection=none` chance decides."""
        return self.selection != "none"

    @property
    def replaces(self) -> bool:
        """Whether children replace members; not with `breeding=none`."""
        return self.breeding != "none"

    @property
    def inherits(self) -> bool:
        """Whether children come from parents; with `breeding=founders` they start from scratch."""
        return self.breeding == "parents"

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None) -> Agent:
        """A run's champion, or another member of its population.

        Args:
            game: the game that the run learned.
            arrays: what it learned.
            member: the member, by its place in the population from 0; by default the champion.

        Raises:
            ValueError: if there is no such member.
        """
        return CompiledAgent(self.name, self.chosen(game, arrays, member))

    def chosen(self, game: Game, arrays: Arrays, member: int | None) -> Policy:
        """The policy of a member, or of the champion.

        Raises:
            ValueError: if there is no such member.
        """
        if member is None:
            return self.policy(game, arrays)
        if type(member) is not int or not 0 <= member < self.population:
            raise ValueError(f"{self.name}: member must be an integer from 0 to {self.population - 1}, not {member!r}")
        return self.member(game, arrays, member)
