"""Models that are in memory, as agents: whatever has Stable-Baselines3's method `predict`."""

import inspect
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.agents.agent import Agent
from ludarium.agents.baselines.sb3.model import SB3Agent
from ludarium.envs.game import Game


def predicting(name: str, model: Any, game: Game) -> Agent:
    """The agent that a model is; it plays its best action.

    Models of Stable-Baselines3 that know no masks consider only legal actions all the same, as `sb3:FILE` does; of
    other models an illegal action is a mistake.

    Raises:
        ValueError: if the model was made for other observations or actions than those of the game.
    """
    for space, attribute, wanted in (
        ("observation_space", "shape", game.observation_shape),
        ("action_space", "n", game.actions),
    ):
        actual = getattr(getattr(model, space, None), attribute, wanted)
        if actual != wanted:
            raise ValueError(
                f"agent {name!r}: the model's {space} has {attribute} {actual}, but {game.spec} needs {wanted}: give a "
                "model that was trained on this game, with the same options"
            )
    policy = getattr(model, "policy", None)
    if "action_masks" not in inspect.signature(model.predict).parameters and (
        hasattr(policy, "q_net") or (hasattr(policy, "get_distribution") and not hasattr(policy, "lstm_actor"))
    ):
        return SB3Agent(name, policy, deterministic=True)
    return PredictingAgent(name, model)


class PredictingAgent(Agent):
    """An object with `predict(observation, …)`, which returns an action, or an action and what it remembers."""

    def __init__(self, name: str, model: Any) -> None:
        self.name = name
        self._model, self._state = model, None
        self._known = inspect.signature(model.predict).parameters

    def reset(self, seat: int, seed: int) -> None:
        self._state = None

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        keywords = {
            "action_masks": action_mask.astype(bool),
            "state": self._state,
            "episode_start": np.array([self._state is None]),
            "deterministic": True,
        }
        answer = self._model.predict(observation, **{key: keywords[key] for key in keywords if key in self._known})
        action, self._state = answer if isinstance(answer, tuple) else (answer, None)
        return int(np.asarray(action).item())

    def __deepcopy__(self, memo: dict[int, Any]) -> "PredictingAgent":
        other = PredictingAgent(self.name, self._model)  # the model itself remembers nothing
        memo[id(self)] = other
        return other
