"""Temporal-difference learning by self-play: `ludarium train td othello?size=6`, then the agent `td:runs/x`.

TD(λ) (Sutton 1988) on afterstates: the value of a position to the seat that has just moved, learned from games against
itself. The values are held either by a set of tables, for board games (`ludarium.agents.baselines.td.tuples`), or by a
small neural network, for games with chance and for all others (`ludarium.agents.baselines.td.network`); backgammon has
one of its own (`ludarium.agents.backgammon.td`). For two-seat zero-sum games without hidden information.
"""

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent, CompiledAgent
from ludarium.agents.backgammon.player import plays
from ludarium.agents.baselines.td.approximators import KINDS, Approximator, OutcomeNetwork, approximator
from ludarium.agents.learning.learner import LEARNING, SelfPlay, Takes
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy

_DEFAULTS: dict[str, dict[str, Any]] = {
    "tuples": {"alpha": 0.5, "alpha_decay": 0.0, "td_lambda": 0.5, "epsilon": 0.3},
    "patterns": {"alpha": 1.0, "alpha_decay": 0.95, "td_lambda": 0.0, "epsilon": 0.1},
    "network": {"alpha": 0.1, "alpha_decay": 0.95, "td_lambda": 0.7, "epsilon": 0.0},
}


@dataclass(frozen=True, kw_only=True)
class TD(SelfPlay):
    """Options of temporal-difference learning; see `SelfPlay` and `Learner` for the others.

    Attributes:
        approximator: `"tuples"`, `"network"`, or `"auto"`: the network if the game has chance, else tuples. In Othello
            also `"patterns"`: tuples in chosen places, with tables of their own for each phase of the game.
        alpha: step size, above 0, up to 10; by default 0.5 for tuples, which share it, 1 for patterns, and 0.1 for the
            network.
        alpha_decay: share of the step size, from 0 to 1, that is lost, linearly, by the last game; by default 0 for
            tuples, otherwise 0.95.
        td_lambda: λ, from 0 (learn from the next value) to 1 (from the result); by default 0.5 for tuples and 0.7 for
            the network. Patterns learn with 0.
        epsilon: share of random moves, from 0 to 1; by default 0.3 for tuples, 0.1 for patterns, and 0 for the network,
            where the dice explore.
        tuples: number of n-tuples, unless the whole board is one.
        length: number of squares in each.
        symmetry: tuples learn each position in all its mirror images at once, if the game declares `symmetries`.
        hidden: hidden units of the network.
        inputs: backgammon: what the network sees, such as `"tesauro"` or `"threats"`, see
            `ludarium.agents.backgammon.inputs`.
        patterns: which patterns: see `ludarium.agents.othello.tuples.layout`.
        phases: the number of phases, 1 to 60, each with tables of its own.
        opening: random moves at the start of each game, 0 to 60, if there are patterns.
    """

    name: ClassVar[str] = "td"
    takes: ClassVar[Takes] = Takes(chance=True)
    approximator: str = "auto"
    alpha: float | None = None
    alpha_decay: float | None = None
    td_lambda: float | None = None
    epsilon: float | None = None
    tuples: int = 60
    length: int = 6
    symmetry: bool = True
    hidden: int = 40
    inputs: str = "tesauro"
    patterns: str = "patterns"
    phases: int = 6
    opening: int = 4

    def settle(self) -> None:
        super().settle()
        self.fill("approximator", "auto", "network" if self.learned.max_outcomes else "tuples")
        for option, value in _DEFAULTS.get(self.approximator, {}).items():
            self.fill(option, None, value)

    def check(self, game: Game) -> None:
        super().check(game)
        if self.approximator not in _DEFAULTS:
            raise ValueError(
                f"td: approximator must be 'auto', 'tuples', 'patterns' or 'network', not {self.approximator!r}"
            )
        self.check_number(0, 1, "alpha_decay", "td_lambda", "epsilon")
        self.check_number(0, 10, "alpha")
        if not self.alpha:
            raise ValueError(f"td: alpha must be a number above 0 and at most 10, not {self.alpha!r}")
        self.check_at_least(1, "tuples", "length", "hidden")
        self.check_at_least(1, "phases", most=60)
        self.check_at_least(0, "opening", most=60)
        own = vars(self.values)
        idle = (field.name for kind in KINDS.values() for field in fields(kind) if field.name not in own)
        self.check_idle(f"with approximator={self.approximator!r}", *idle)
        if "inputs" not in own:
            self.check_idle("outside backgammon", "inputs")
        self.values.check(game, float(self.td_lambda or 0))

    @cached_property
    def values(self) -> Approximator:
        """What holds the values."""
        return approximator(self.approximator, self.learned, vars(self))

    def start(self, game: Game) -> Arrays:
        return self.values.start(game, self.seed)

    def fits(self, game: Game, arrays: Arrays) -> bool:
        fixed = arrays.keys() & {"squares", "scale"}  # what is not learned, but follows from the options
        return super().fits(game, arrays) and all((arrays[k] == self.start(game)[k]).all() for k in fixed)

    def learn(self, game: Game, arrays: Arrays, first: int, count: int) -> int:
        options = self.alpha, self.td_lambda, self.epsilon, self.alpha_decay
        rates: NDArray[np.float64] = np.array(options, dtype=np.float64)
        rates[3] /= self.games
        return self.values.learn(game, arrays, first, count, seed_key(self.seed, LEARNING), rates)

    def plays(self, game: Game) -> bool:
        return super().plays(game) or (isinstance(self.values, OutcomeNetwork) and plays(self.game, game))

    def player(self, game: Game, arrays: Arrays, *, ply: int = 0, cube: bool = True, races: bool = True) -> Agent:
        """The agent `td:RUN`; the options are for networks that play backgammon.

        Args:
            game: the game that the run learned.
            arrays: what it learned.
            ply: 1 to look at the opponent's best answers to all rolls before choosing between good results, else 0.
            cube: double and drop, if the game has the cube.
            races: take the outcomes of positions with all checkers at home from tables in place of the network.

        Raises:
            ValueError: if an option is given for another player.
        """
        if isinstance(self.values, OutcomeNetwork):
            policy = self.values.policy(game, arrays, ply=ply, cube=cube, races=races)
            return CompiledAgent(self.name, policy)
        if (ply, cube, races) != (0, True, True):
            raise ValueError("td: ply, cube and races are options of a network that plays backgammon")
        return super().player(game, arrays)

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return self.values.policy(game, arrays)

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        return self.values.evaluation(game, arrays)
