"""What holds the values that `td` learns: one of four, with the same interface.

Tables for n-tuples, on boards without chance; in Othello also tables at chosen places, for each phase of the game; a
network that expects payoffs, for any game; and one that expects the outcomes of backgammon. The fields of each are the
options of `td` that it takes.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.backgammon import td as backgammon
from ludarium.agents.baselines.td.network import PayoffNetwork, has_chance
from ludarium.agents.baselines.td.tuples import TupleTables
from ludarium.agents.othello import td as othello
from ludarium.agents.othello.tuples import layout
from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs.files import Arrays
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy


class Approximator(Protocol):
    """Holds the values of the positions of a game."""

    def check(self, game: Game, td_lambda: float) -> None:
        """Refuse a game, options and a λ that do not fit.

        Raises:
            ValueError: for any of these.
        """

    def start(self, game: Game, seed: int) -> Arrays:
        """What is known before the first game."""

    def learn(
        self, game: Game, arrays: Arrays, first: int, count: int, key: np.uint64, rates: NDArray[np.float64]
    ) -> int:
        """Learn from games `first` to `first + count - 1`; return the number of their decisions.

        Args:
            game: the game.
            arrays: what `start` returned; they change.
            first: number of the first game.
            count: how many games.
            key: game number i draws its randomness from (key, i).
            rates: step size, λ, the share of random moves, and the share of the step size lost with each game.
        """

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        """The player that takes the most valuable result."""

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        """What positions are worth, for players that look ahead.

        Raises:
            ValueError: if the game has chance.
        """


@dataclass(frozen=True)
class Patterns:
    """See `ludarium.agents.othello.td`."""

    patterns: str
    phases: int
    opening: int

    def check(self, game: Game, td_lambda: float) -> None:
        if game.name != "othello":
            raise ValueError(f"td: approximator=patterns needs othello, not {game.spec}; use tuples or network")
        layout(game.options["size"], self.patterns)
        if td_lambda:
            raise ValueError(f"td: td_lambda must be 0 with approximator=patterns, not {td_lambda!r}")

    def start(self, game: Game, seed: int) -> Arrays:
        """Tables of zeros, shape (phases, weights) float32."""
        weights = layout(game.options["size"], self.patterns).starts[-1]
        return {"weights": np.zeros((self.phases, weights), dtype=np.float32)}

    def learn(
        self, game: Game, arrays: Arrays, first: int, count: int, key: np.uint64, rates: NDArray[np.float64]
    ) -> int:
        shape = layout(game.options["size"], self.patterns, merged=False)
        return othello.learn(game, shape, arrays["weights"], first, count, key, rates, self.opening)

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return one_ply(game, self.evaluation(game, arrays))

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        """The value, before it is squashed."""
        weights = arrays["weights"]
        evaluation = layout(game.options["size"], self.patterns).evaluation(weights.reshape(-1), len(weights))
        return replace(evaluation, expects=lambda value: game.largest_payoff * math.tanh(value))


@dataclass(frozen=True)
class OutcomeNetwork:
    """See `ludarium.agents.backgammon.td`."""

    hidden: int
    inputs: str

    def check(self, game: Game, td_lambda: float) -> None:
        backgammon.check(self.hidden, self.inputs)

    def start(self, game: Game, seed: int) -> Arrays:
        return backgammon.start(self.hidden, self.inputs, seed)

    def learn(
        self, game: Game, arrays: Arrays, first: int, count: int, key: np.uint64, rates: NDArray[np.float64]
    ) -> int:
        return backgammon.learn(game, arrays, self.inputs, first, count, key, rates)

    def policy(self, game: Game, arrays: Arrays, **options: Any) -> Policy:
        """The player; the options are those of `network_policy`."""
        return backgammon.policy(game, arrays, self.inputs, **options)

    def evaluation(self, game: Game, arrays: Arrays) -> Evaluation:
        raise has_chance(game)


KINDS: dict[str, type[TupleTables] | type[Patterns] | type[PayoffNetwork]] = {
    "tuples": TupleTables,
    "patterns": Patterns,
    "network": PayoffNetwork,
}
"""By the name of the option, which in backgammon means a network of its own."""


def approximator(name: str, game: Game, options: Mapping[str, Any]) -> Approximator:
    """The approximator of a name, for a game, with the options that belong to it."""
    in_backgammon = name == "network" and game.name == "backgammon"
    kind = OutcomeNetwork if in_backgammon else KINDS[name]
    return kind(**{field.name: options[field.name] for field in fields(kind)})
