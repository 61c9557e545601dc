"""Random legal actions, for compiled policies."""

from typing import Any

from ludarium.envs.batch import nth_legal
from ludarium.envs.chance import bits
from ludarium.envs.jit import jit
from ludarium.envs.kernels import ACTIONS
from ludarium.envs.policy import Policy


@jit
def random_action(game: Any, mask: Any, stream: Any) -> int:
    """A uniformly random choice among the actions that a mask (a C array of `actions` int8) allows."""
    count = 0
    for action in range(game[ACTIONS]):
        count += mask[action]
    return nth_legal(mask, count, bits(stream))


def random_policy() -> Policy:
    """The player for which every legal action is equally likely."""
    return Policy(_random)


def _random(game: Any, state: Any, observation: Any, mask: Any, block: Any, stream: Any) -> int:
    return random_action(game, mask, stream)
