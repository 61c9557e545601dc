"""Callables that take PettingZoo's observations as agents."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent


class PettingZooAgent(Agent):
    """A policy written for the PettingZoo environments: `policy({"observation": …, "action_mask": …}, "player_0")`.

    Args:
        policy: a callable whose second argument is the name of its agent. If it has an `act_batch`, that is used.
    """

    def __init__(self, policy: Callable[[dict[str, NDArray[np.int8]], str], Any]) -> None:
        self.name = getattr(policy, "__name__", type(policy).__name__)
        self.act_batch = getattr(policy, "act_batch", None)
        self._policy = policy

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        return self._policy({"observation": observation, "action_mask": action_mask}, f"player_{info['seat']}")
