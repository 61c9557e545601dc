"""The random agent: every legal action is equally likely."""

from ludarium.agents.compiled.random_legal import random_policy
from ludarium.envs.game import Game
from ludarium.envs.policy import Policy


def random(game: Game) -> Policy:
    """Uniformly random legal actions, in any game."""
    return random_policy()
