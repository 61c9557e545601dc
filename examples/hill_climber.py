"""A learner in one file: six weights for connect four, found by a (1+1) evolution strategy.

    export LUDARIUM_GAMES=examples/connect_four.py LUDARIUM_LEARNERS=examples/hill_climber.py
    ludarium train hill-climber connect_four --games 20000
    ludarium match connect_four hill-climber:runs/hill-climber-connect_four greedy random --pairs 200 --opening 4

A line of four squares with discs of one side alone may still become four in a row. Its weight depends on their number
and side. In each generation a child, its parent with a little noise, plays against it, and replaces it unless it loses.
"""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.learning.checkpoint import Checkpoint
from ludarium.agents.learning.inspection import Inspection, Watch
from ludarium.agents.learning.learner import LEARNING, SelfPlay
from ludarium.agents.learning.parallel import Parallel
from ludarium.agents.learning.registry import register_learner
from ludarium.agents.search.one_ply import one_ply
from ludarium.agents.values.evaluations import Evaluation
from ludarium.envs import Game
from ludarium.envs.batch import play_games
from ludarium.envs.chance import seed_key
from ludarium.envs.files import Arrays
from ludarium.envs.kernels import Record
from ludarium.envs.othello.rules import popcount
from ludarium.envs.policy import Policy


def _lines() -> NDArray[np.uint64]:
    """The 69 lines of four squares as sets; the squares are numbered as in examples/connect_four.py."""
    steps = ((1, 0), (0, 1), (1, 1), (1, -1))
    cells = [[(c + i * right, r + i * up) for i in range(4)] for c, r in np.ndindex(7, 6) for right, up in steps]
    inside = [line for line in cells if all(0 <= c < 7 and 0 <= r < 6 for c, r in line)]
    return np.array([sum(1 << (7 * c + r) for c, r in line) for line in inside], dtype=np.uint64)


LINES = _lines()


def value(s: Record, seat: int, weights: Any) -> float:
    """What a position is worth to a seat: weights 0 to 2 for its own lines of 1 to 3 discs, 3 to 5 for the other's."""
    total = 0.0
    for line in LINES:
        own, other = popcount(s.discs[seat] & line), popcount(s.discs[1 - seat] & line)
        if 0 < own < 4 and other == 0:
            total += weights[own - 1]
        elif 0 < other < 4 and own == 0:
            total -= weights[2 + other]
    return total


@register_learner
@dataclass(frozen=True, kw_only=True)
class HillClimber(SelfPlay):
    """Options of the hill climber; see `SelfPlay` and `Learner` for the others.

    Attributes:
        pairs: pairs of games in a generation; a pair has exchanged seats and the same random opening.
        spread: standard deviation of the noise.
    """

    name: ClassVar[str] = "hill-climber"
    pairs: int = 50
    spread: float = 0.5

    def check(self, game: Game) -> None:
        super().check(game)
        if game.name != "connect_four":
            raise ValueError(f"{self.name}: it learns connect_four, not {game.spec}")
        self.check_at_least(1, "pairs")
        self.check_number(0, 1000, "spread")

    def start(self, game: Game) -> Arrays:
        return {"weights": np.zeros(6)}

    def policy(self, game: Game, arrays: Arrays) -> Policy:
        return one_ply(game, Evaluation(value, arrays["weights"]))

    def inspect(self, game: Game, arrays: Arrays, member: int, watch: Watch) -> Inspection:
        weights = arrays["weights"].tolist()
        head = [f"{('own', 'other')[i // 3]} lines of {i % 3 + 1}: {weight:+.2f}" for i, weight in enumerate(weights)]
        return Inspection("weights", "6 weights", [], head=head, data={"weights": weights})

    def advance(self, game: Game, now: Checkpoint, until: int, parallel: Parallel) -> tuple[Checkpoint, dict[str, Any]]:
        noise = np.random.default_rng([self.seed, now.generations]).normal(scale=self.spread, size=6)
        child = {"weights": now.arrays["weights"] + noise}
        keys = np.array([seed_key(self.seed, LEARNING, now.games + number) for number in range(self.pairs)])
        players = [self.policy(game, child), self.policy(game, now.arrays)]
        seating = np.tile([[0, 1], [1, 0]], (self.pairs, 1))
        played = play_games(game, players, seating, np.repeat(keys, 2), np.repeat(keys, 2), opening=4)
        balance = np.sign(played.payoffs[::2, 0] + played.payoffs[1::2, 1]).sum()
        arrays = child if balance >= 0 else now.arrays
        games, decisions = now.games + 2 * self.pairs, now.decisions + int(played.lengths.sum())
        later = replace(now, arrays=arrays, games=games, decisions=decisions, generations=now.generations + 1)
        return later, {"balance": float(balance)}
