"""The opponents of self-play: earlier states of the network that learns."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.baselines.sb3.model import network_of
from ludarium.agents.values.perceptron import Network
from ludarium.envs.chance import below, stream
from ludarium.envs.files import replacing
from ludarium.envs.game import Game

_SELVES = 2  # the stream of a seed that the choice comes from


class PastSelves:
    """The opponents of self-play: snapshots of the network that learns, as compiled policies.

    The first is the network at the start. After that, a snapshot is taken at the first rollout that begins
    `snapshot_every` decisions or more after the last one. In each rollout one of the latest `pool` snapshots, drawn by
    the seed, sits in all other seats; it draws its actions from its probabilities (DQN has none, so it takes the best
    action). So the learner does not just respond to its own last change, but has to keep beating its former selves.

    It is not a league: nothing is rated, a self that was beaten long ago is met as often as the last one until it
    leaves, and what no self ever played stays unknown. Games that are under way when a rollout begins continue against
    the new opponent; with short rollouts (A2C, DQN) the opponent changes within nearly every game.

    Args:
        game: the game.
        pool: how many snapshots can be met; the oldest leave.
        snapshot_every: decisions between one snapshot and the next.
        seed: the choice of the opponent is a function of it and of the steps.
        deterministic: whether opponents take their best action; otherwise they draw one.
        folder: where the snapshots are; those that are newer than the run's checkpoint are removed.
        done: the steps of the checkpoint.
    """

    def __init__(
        self, game: Game, pool: int, snapshot_every: int, seed: int, deterministic: bool, folder: Path, done: int
    ) -> None:
        self._game, self._folder, self._seed, self._deterministic = game, folder, seed, deterministic
        self._most, self._snapshot_every = pool, snapshot_every
        self._pool: dict[int, NDArray[Any]] = {}  # by steps: the block of a policy
        for file in sorted(folder.glob("[0-9]" * len(numbered(0)) + ".npz")):
            if done > 0 and int(file.stem) <= done:
                self._add(int(file.stem), Network.load(file))
            else:
                file.unlink()

    def meet(self, model: Any) -> None:
        """Take a snapshot if one is due, and put one of the past selves in the other seats."""
        now = int(model.num_timesteps)
        if not self._pool or now - max(self._pool) >= self._snapshot_every:
            network = network_of(model.policy)
            self._folder.mkdir(exist_ok=True)
            with replacing(self._folder / f"{numbered(now)}.npz") as part, part.open("wb") as file:
                network.save(file)
            self._add(now, network)
        self.met = self.steps[int(below(stream(self._seed, _SELVES, now), len(self._pool)))]
        self._block[:] = self._pool[self.met]

    def _add(self, steps: int, network: Network) -> None:
        policy = network.policy(self._game, deterministic=self._deterministic)
        block = policy.block
        assert block is not None
        if not self._pool:  # the environment keeps the address of this one's block
            self._block = block.copy()
            player = CompiledAgent("self", replace(policy, block=self._block))
            self.seats = [player] * (self._game.seats - 1)
        self._pool[steps] = block
        for old in self.steps[: -self._most]:
            del self._pool[old]

    @property
    def steps(self) -> list[int]:
        """The steps at which the past selves that can be met were taken."""
        return list(self._pool)


def numbered(steps: int) -> str:
    """Steps as part of a file name, so that names sort as the numbers do."""
    return f"{steps:012}"
