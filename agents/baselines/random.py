"""The random agent: every legal action is equally likely."""

from typing import Any

from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import bits
from ludarium.envs.game import Game
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.policy import Policy


def random(game: Game) -> Policy:
    """Uniformly random legal actions, in any game."""
    return Policy(_random)


def _random(game: Any, state: Any, observation: Any, mask: Any, memory: Any, stream: Any) -> int:
    count = 0
    for action in range(game[ACTIONS]):
        count += mask[action]
    return nth_legal(mask, count, bits(stream))
