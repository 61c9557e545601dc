"""A population of evaluations under a search: what all presets share."""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.genetic.minimax.contest import SEARCHES, Player
from ludarium.agents.genetic.minimax.inspection import inspect_features, inspect_tuples
from ludarium.agents.learning.evolution import Evolver
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, same_layout
from ludarium.agents.othello.tuples import layout
from ludarium.agents.search.evaluations import Form, form
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import stream
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

FOUNDERS, GAMES, CHILDREN, HALL, RIVALS, LESSONS, OPENING = range(7)
"""The streams of a generation."""


@dataclass(frozen=True, kw_only=True)
class SearchPlayers(Evolver):
    """Options that all presets have; see `Evolver` for the others.

    The twins of `Evolver` leave all other options as they are. With `selection=none`, all games are played, but chance
    decides who is best. With `breeding=founders`, children are new random genomes: a random search. With
    `breeding=none`, the first genomes play on.

    Attributes:
        crossover: whether children inherit from several parents, the usual way; another twin.
    """

    name: ClassVar[str] = "minimax"
    least_population: ClassVar[int] = 4
    test_games: int = 100
    crossover: bool = True

    @property
    def form_name(self) -> str:
        """The evaluation whose weights are genes, as `ludarium.agents.search.evaluations.form` calls it."""
        raise NotImplementedError

    @property
    def searcher(self) -> Player:
        """How an evaluation is played."""
        raise NotImplementedError

    def champion(self, arrays: Arrays) -> NDArray[np.float64]:
        """The weights of the champion, shape (weights,)."""
        raise NotImplementedError

    @cached_property
    def form(self) -> Form:
        """The evaluation without its weights."""
        return form(self.learned, self.form_name)

    def check(self, game: Game) -> None:
        super().check(game)
        if self.population == 1:
            raise ValueError(
                f"{self.name}: population must be at least 4: a single player has nobody to be better than"
            )
        if not self.inherits:
            self.check_idle(f"with breeding={self.breeding}", "crossover")
        evaluation = self.form.evaluation(np.ones(len(self.form.names)))
        self.searcher.policy(game, evaluation.check(game))

    def draws(self, number: int, purpose: int) -> NDArray[np.uint64]:
        """One of a generation's streams."""
        return stream(self.seed, LEARNING, number, purpose)

    def fits(self, game: Game, arrays: Arrays) -> bool:
        return (
            same_layout(arrays, self.start(game))
            and all(np.isfinite(array).all() for array in arrays.values())
            and bool((np.sort(arrays["order"]) == np.arange(self.population)).all())
        )

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        return self.form.evaluation(self.champion(arrays))

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.searcher.policy(game, self.evaluation(game, arrays))

    def member(self, game: Game, arrays: Arrays, index: int) -> Policy:
        return self.searcher.policy(game, self.form.evaluation(arrays["genes"][arrays["order"][index]]))

    def player(self, game: Game, arrays: Arrays, *, member: int | None = None, generation: int | None = None) -> Agent:
        """A run's champion, `…?member=3`, or `…?generation=6`, the champion after a generation.

        Args:
            game: the game that the run learned.
            arrays: what it learned.
            member: a member, by its place in the population from 0; by default the champion.
            generation: the champion after this generation, from 1, instead; by default after the last.

        Raises:
            ValueError: if there is no such member or generation.
        """
        if generation is None:
            return super().player(game, arrays, member=member)
        champions = len(arrays.get("champions", ()))
        if member is not None or type(generation) is not int or not 1 <= generation <= champions:
            kept = (
                f"an integer from 1 to {champions}" if champions else "left out: this run keeps its last champion only"
            )
            raise ValueError(f"{self.name}: generation must be {kept}, and member be left out, not {generation!r}")
        evaluation = self.form.evaluation(arrays["champions"][generation - 1])
        return CompiledAgent(self.name, self.searcher.policy(game, evaluation))

    def merits(self, arrays: Arrays) -> list[str]:
        return [f"{arrays['points'][number]:g} points" for number in arrays["order"]]

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        weights = self.champion(arrays) if member == 0 else arrays["genes"][arrays["order"][member]]
        kind, _, tuples = self.form_name.partition(":")
        if kind == "tuples":
            return inspect_tuples(layout(game.options["size"], tuples), weights)
        return inspect_features(self.form.names, weights)


@dataclass(frozen=True, kw_only=True)
class Features(SearchPlayers):
    """Options of presets whose genes are the weights of any features, under any search.

    Attributes:
        features: the evaluation whose weights are genes, by its name (see `Game.evaluations`); or `"tuples:all-2"` and
            the like, n-tuples of Othello.
        search: how players search: `"alphabeta"`, `"one-ply"`, or `"beam"` (see `ludarium.agents.search.beam`).
        depth: plies to look ahead, from 1.
    """

    features: str
    search: str
    depth: int

    def check(self, game: Game) -> None:
        self.check_choice("search", *SEARCHES)
        self.check_at_least(1, "depth", most=10_000)
        if self.search == "one-ply" and self.depth != 10:  # the default of earlier versions, in their runs
            self.check_idle("with search=one-ply", "depth")
        super().check(game)

    @property
    def form_name(self) -> str:
        return self.features
