"""The agent protocol: what chooses moves, as everything else sees it.

Any callable `f(observation, action_mask, info) -> action` is an agent; `Agent` says what more one may offer.
`ludarium.agents.specs` finds agents by name.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Drawing
from ludarium.envs.policy import Policy


@dataclass(frozen=True)
class Reason:
    """Why an agent chose what it did.

    Attributes:
        text: in a few words, or a small board; lines are shown as they are. Empty if the agent cannot say.
        values: what actions seem worth to it, by action, the greater the better; empty if it does not value them.
        drawing: a picture of the reason, if there is one.
    """

    text: str = ""
    values: Mapping[int, float] = field(default_factory=dict)
    drawing: Drawing | None = None


class AgentFailure(Exception):
    """An agent cannot go on, and forfeits the game; the message is the cause, as results record it."""


class Agent:
    """A player in one seat.

    Attributes:
        name: what tables call it.
        needs_state: it wants the position itself in `info["position"]`; games with hidden information refuse it.
        policy: the same player as a compiled policy, or None.
        act_batch: the same player for many games at once, or None. A method
            `act_batch(observations, action_masks, infos) -> actions`, for agents to whom one call for n games is
            cheaper than n calls: observations int8 of shape (n, *observation_shape), action masks int8 of shape
            (n, actions), n infos; n actions, in order. An info is what `__call__` gets and also holds `"seed"`, what
            `reset` would have been given, and `"decision"`, how many decisions the agent has made in that game before.
            Matches play such agents in many games at once, without `reset`: so an action must be a function of its own
            observation, mask and info, and the one that `__call__` chooses in a game of its own. `check_agent` checks.
    """

    name: str = ""
    needs_state: bool = False
    policy: Policy | None = None
    act_batch: Callable[..., Any] | None = None

    def close(self) -> None:
        """Give back what the agent holds, such as a running program; whoever made the agent calls it at the end."""

    def reset(self, seat: int, seed: int) -> None:
        """A new game begins: the agent sits in `seat`, and draws its randomness from `seed` alone."""

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        """Choose a legal action.

        Args:
            observation: what the seat may see, int8, of the game's shape.
            action_mask: 1 for each legal action, shape (actions,) int8.
            info: `"seat"`, `"game"`, and if the agent declares `needs_state`, `"position"` and `"history"`, the
                decisions and chance outcomes that led there in order.
        """
        raise TypeError(f"the agent {self.name!r} does not say how it acts: it must define __call__")

    def distribution(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> NDArray[np.float64] | None:
        """The probability of each action here, shape (actions,), from what `__call__` takes; None if it cannot say.

        Optional: exact measures ask for it, and otherwise ask for many actions.
        """
        return None

    def explain(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> Reason | str:
        """Why it chose what it just did here, from what `__call__` took; a string is a `Reason` of words alone.

        Optional: people who play against it are told.
        """
        return Reason()


class FunctionAgent(Agent):
    """A plain callable as an agent."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.needs_state = bool(getattr(function, "needs_state", False))
        self.act_batch = getattr(function, "act_batch", None)
        self._function = function

    def reset(self, seat: int, seed: int) -> None:
        reset = getattr(self._function, "reset", None)
        if reset is not None:
            reset(seat, seed)

    def close(self) -> None:
        close = getattr(self._function, "close", None)
        if close is not None:
            close()

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        return self._function(observation, action_mask, info)

    def distribution(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> NDArray[np.float64] | None:
        distribution = getattr(self._function, "distribution", None)
        return None if distribution is None else distribution(observation, action_mask, info)

    def explain(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> Reason | str:
        explain = getattr(self._function, "explain", None)
        return Reason() if explain is None else explain(observation, action_mask, info)


class CompiledAgent(Agent):
    """A compiled policy as an agent: it acts for Python exactly as it does in a compiled batch."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self.policy: Policy = policy
        self.needs_state = policy.needs_state
        self._stream = np.zeros(2, dtype=np.uint64)

    def reset(self, seat: int, seed: int) -> None:
        self._stream[:] = seed, 0

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        position = info.get("position")
        if position is None and self.needs_state:
            raise ValueError(f"the agent {self.name!r} needs the position in info['position']")
        state = position.data if position is not None else np.zeros(0, dtype=np.uint8)
        return self.policy.choose(info["game"], state, observation, action_mask, self._stream)
