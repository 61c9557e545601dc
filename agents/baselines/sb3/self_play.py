"""The opponents of self-play: earlier states of the network that learns."""

import copy
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.perceptron import Network
from ludarium.agents.baselines.sb3.model import network_of
from ludarium.envs.files import replacing
from ludarium.envs.game import Game
from ludarium.envs.opponents import read_mixture

SELF = "self"
"""The name of past selves among opponents."""


class PastSelves:
    """The opponents of self-play: snapshots of the network that learns, as compiled policies.

    The first is the network at the start. After that, a snapshot is taken at the first rollout that begins
    `snapshot_every` decisions or more after the last one. For each game one of the latest `pool` snapshots is drawn; it
    sits in all other seats and draws its actions from its probabilities (DQN has none, so it takes the best action). So
    the learner does not just respond to its own last change, but has to keep beating its former selves.

    It is not a league: nothing is rated, a self that was beaten long ago is met as often as the last one until it
    leaves, and the learner never meets moves that no self ever played.

    Args:
        game: the game.
        pool: how many snapshots can be met; the oldest leave.
        snapshot_every: decisions between one snapshot and the next.
        deterministic: whether opponents take their best action; otherwise they draw one.
        folder: where the snapshots are; those that are newer than the run's checkpoint are removed.
        done: the steps of the checkpoint.
        network: the network that learns.

    Attributes:
        seats: agents whose blocks hold the snapshots. One more than can be met: a snapshot that leaves the pool
            stays until the next one is taken, so that games against it can end.
        steps: the steps at which the snapshots that can be met were taken.
    """

    def __init__(
        self, game: Game, pool: int, snapshot_every: int, deterministic: bool, folder: Path, done: int, network: Network
    ) -> None:
        self._game, self._folder, self._deterministic = game, folder, deterministic
        self._pool, self._snapshot_every = pool, snapshot_every
        self.steps: list[int] = []
        self._taken = 0
        policy = network.policy(game, deterministic=deterministic)
        self.seats = [CompiledAgent("self", copy.deepcopy(policy)) for _ in range(pool + 1)]
        for file in sorted(folder.glob("[0-9]" * len(numbered(0)) + ".npz")):
            if done > 0 and int(file.stem) <= done:
                self._add(int(file.stem), Network.load(file))
            else:
                file.unlink()
        if not self.steps:
            self._take(done, network)

    def follow(self, model: Any) -> None:
        """Take a snapshot if one is due."""
        now = int(model.num_timesteps)
        if now - self.steps[-1] >= self._snapshot_every:
            self._take(now, network_of(model.policy))

    def line_ups(self, opponent: str) -> dict[Any, float]:
        """The opponents of an environment: a mixture in which all of `seats` take the place of `"self"`."""
        others, line_ups = self._game.seats - 1, {}
        for spec, weight in read_mixture(opponent):
            for one in self.seats if spec == SELF else [spec]:
                line_ups[(one,) * others] = weight
        return line_ups

    def weigh(self, opponent: str, weights: NDArray[np.float64]) -> None:
        """Write the weights of `line_ups`, in the same order: the snapshots that can be met share that of `"self"`."""
        latest = np.arange(self._taken - len(self.steps), self._taken) % len(self.seats)
        first = 0
        for spec, weight in read_mixture(opponent):
            if spec == SELF:
                weights[first : first + len(self.seats)] = 0.0
                weights[first + latest] = weight / len(latest)
            first += len(self.seats) if spec == SELF else 1

    def _take(self, now: int, network: Network) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        with replacing(self._folder / f"{numbered(now)}.npz") as part, part.open("wb") as file:
            network.save(file)
        self._add(now, network)

    def _add(self, steps: int, network: Network) -> None:
        policy, seat = network.policy(self._game, deterministic=self._deterministic), self._taken % len(self.seats)
        block = self.seats[seat].policy.block
        assert block is not None
        block[:] = policy.block  # in place: the environment keeps its address
        self._taken += 1
        self.steps = [*self.steps, steps][-self._pool :]


def numbered(steps: int) -> str:
    """Steps as part of a file name, so that names sort as the numbers do."""
    return f"{steps:012}"
