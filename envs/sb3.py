"""The compiled vector environment as a Stable-Baselines3 `VecEnv`. Needs the extra `ludarium[rl]`.

`MaskablePPO("MlpPolicy", SB3VecEnv("othello", 64, opponent="greedy"))`: sb3-contrib finds `action_masks` by itself.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

try:
    from stable_baselines3.common.vec_env import VecEnv
except ModuleNotFoundError as error:
    raise ImportError('ludarium.envs.sb3 needs the extra rl: pip install "ludarium[rl]"') from error

from ludarium.envs.game import Game
from ludarium.envs.vector import GameVectorEnv


class SB3VecEnv(VecEnv):
    """`num_envs` games in lockstep, with the opponents inside.

    Args:
        game: a game, or its spec such as `"othello"`.
        num_envs: number of games.
        **arguments: those of `ludarium.envs.single.GameEnv`, except `self_play`: SB3's algorithms learn from the view
            of one agent, and would mistake the opponent's reward for their own.

    Raises:
        ValueError: for `self_play=True`.
    """

    def __init__(self, game: str | Game, num_envs: int, **arguments: Any) -> None:
        if arguments.get("self_play"):
            raise ValueError("SB3VecEnv: self_play must be False; put the opponent inside with opponent=...")
        self.vector = GameVectorEnv(game, num_envs, **arguments)
        self._actions: NDArray[np.int64] = np.zeros(num_envs, dtype=np.int64)
        super().__init__(num_envs, self.vector.single_observation_space, self.vector.single_action_space)

    def reset(self) -> NDArray[np.int8]:
        seeds = self._seeds if any(seed is not None for seed in self._seeds) else None
        options = self._options[0] or None
        observations, _ = self.vector.reset(seed=seeds, options=options)
        self._reset_seeds()
        self._reset_options()
        return observations

    def set_options(self, options: list[dict[str, Any]] | dict[str, Any] | None = None) -> None:
        """The options of the next reset, the same for all environments.

        Raises:
            ValueError: for a list of options that are not the same.
        """
        if isinstance(options, list):
            if not options or any(one != options[0] for one in options):
                raise ValueError(
                    f"SB3VecEnv: the options of a reset are the same for all environments; give one dict, not {options}"
                )
            options = options[0]
        super().set_options(options)

    def step_async(self, actions: NDArray[np.int64]) -> None:
        self._actions = np.asarray(actions)

    def step_wait(self) -> tuple[NDArray[np.int8], NDArray[np.float32], NDArray[np.bool_], list[dict[str, Any]]]:
        observations, rewards, terminated, truncated, extra = self.vector.step(self._actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for i in np.flatnonzero(done):
            infos[i] = {
                "terminal_observation": extra["final_obs"][i],
                "TimeLimit.truncated": bool(truncated[i]),
                "payoffs": extra["final_info"]["payoffs"][i],
            }
        return observations, rewards.astype(np.float32), done, infos

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, shape (num_envs, actions) bool."""
        return self.vector.action_masks()

    def env_method(
        self, method_name: str, *method_args: Any, indices: int | Iterable[int] | None = None, **method_kwargs: Any
    ) -> list[Any]:
        if method_name == "action_masks":
            masks = self.action_masks()
            return [masks[i] for i in self._get_indices(indices)]
        if method_name == "render":
            return [self.vector.render()[i] for i in self._get_indices(indices)]
        raise AttributeError(
            f"SB3VecEnv has no method {method_name!r} for its environments; it has: action_masks, render"
        )

    def get_attr(self, attr_name: str, indices: int | Iterable[int] | None = None) -> list[Any]:
        return [getattr(self.vector, attr_name) for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: int | Iterable[int] | None = None) -> None:
        raise AttributeError(f"SB3VecEnv: {attr_name!r} cannot be set; pass it when the environment is made")

    def env_is_wrapped(self, wrapper_class: type[Any], indices: int | Iterable[int] | None = None) -> list[bool]:
        return [False for _ in self._get_indices(indices)]  # no wrapper has a place between it and the games

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        return list(self.vector.render())

    def close(self) -> None:
        self.vector.close()
