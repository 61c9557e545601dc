"""The agent `ppo`: a small network for each of the five games, which learned by playing itself.

`benchmarks/train_checkpoints.py` trains the networks with `examples/selfplay_ppo.py`, and writes them beside this file,
as plain arrays. They are played by a compiled policy, without PyTorch.
"""

from pathlib import Path

from ludarium.agents.agent import CompiledAgent
from ludarium.agents.values.perceptron import Network
from ludarium.envs.game import Game

FOLDER = Path(__file__).parent
"""Where the networks are: `GAME.npz`."""


def ppo(game: Game) -> CompiledAgent:
    """The network that is shipped for a game; it plays the action that it thinks most probable.

    Raises:
        ValueError: for games and options for which no network is shipped.
    """
    file = FOLDER / f"{game.spec}.npz"
    if not file.is_file():
        shipped = ", ".join(sorted(file.stem for file in FOLDER.glob("*.npz")))
        raise ValueError(
            f"ppo: no trained network is shipped for {game.spec}; there is one for {shipped}; "
            f"train your own: ludarium train sb3:maskable-ppo '{game.spec}'"
        )
    return CompiledAgent("ppo", Network.load(file).policy(game))
