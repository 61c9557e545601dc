"""The agent `ppo`: a small network for each of the five games, which learned by playing itself.

`benchmarks/train_checkpoints.py` trains the networks with `examples/selfplay_ppo.py`, and writes them beside this file,
as plain arrays. They are played by a compiled policy, without PyTorch.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import CompiledAgent, Reason, takes
from ludarium.agents.baselines.perceptron import Network
from ludarium.envs.game import Game

FOLDER = Path(__file__).parent
"""Where the networks are: `GAME.npz`."""


def _check_game(game: Game) -> None:
    if not _file(game).is_file():
        shipped = ", ".join(sorted(file.stem for file in FOLDER.glob("*.npz")))
        raise ValueError(
            f"ppo: no trained network is shipped for {game.spec}; there is one for {shipped}; "
            f"train your own: ludarium train sb3:maskable-ppo '{game.spec}'"
        )


def _file(game: Game) -> Path:
    return FOLDER / f"{game.spec}.npz"


@takes(_check_game)
def ppo(game: Game) -> CompiledAgent:
    """The network that is shipped for a game; it plays the action that it thinks most probable.

    Raises:
        ValueError: for games and options for which no network is shipped.
    """
    _check_game(game)
    return _NetworkAgent(game, Network.load(_file(game)))


class _NetworkAgent(CompiledAgent):
    """A network that tells how probable it finds each action."""

    def __init__(self, game: Game, network: Network) -> None:
        super().__init__("ppo", network.policy(game))
        self._network = network

    def explain(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> Reason:
        chances = self._network.probabilities(observation, action_mask)
        legal = np.flatnonzero(action_mask).tolist()
        best = max(legal, key=lambda action: float(chances[action]))
        return Reason(f"the most probable move, {chances[best]:.0%}", {a: float(chances[a]) for a in legal})
