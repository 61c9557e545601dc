"""Many games in lockstep, compiled: the Gymnasium vector environment.

`gym.make_vec("ludarium/Othello-v0", num_envs=1024, opponent="greedy")`. With seed s, environment i plays exactly
the games that `GameEnv` plays with seed s + i, whatever the number of environments.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ludarium.envs.chance import seed_key
from ludarium.envs.episode import check_choice, read_reset_options, render
from ludarium.envs.game import Game, Position
from ludarium.envs.lanes import (
    LANE,
    Outcome,
    Setting,
    Views,
    reset_lanes,
    step_lanes,
    who_plays,
)
from ludarium.envs.pickled import Pickled
from ludarium.envs.registry import make_game
from ludarium.envs.single import RENDER_MODES, observation_space


class GameVectorEnv(Pickled, VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games in lockstep. Arguments and meanings are those of `ludarium.envs.single.GameEnv`.

    The differences:
    Opponents must be compiled (all built-in agents are); others need `vectorization_mode="sync"`.
    An illegal action ends its episode as a loss. Finished environments begin their next episode in the same step
    (`AutoresetMode.SAME_STEP`): `infos["final_obs"]` (num_envs, …) holds the final observations where
    `infos["_final_obs"]` is true, and `infos["final_info"]["payoffs"]` (num_envs, seats) every seat's return.
    `infos["action_mask"]` is (num_envs, actions) int8, `infos["seat"]` (num_envs,); in self-play also
    `infos["rewards"]` (num_envs, seats) and `infos["sign"]` (num_envs,).
    Every array returned is new, but the next step uses the returned mask to judge legality.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2, "autoreset_mode": AutoresetMode.SAME_STEP}

    def __init__(
        self,
        game: str | Game,
        num_envs: int = 1,
        *,
        opponent: Any = "random",
        seat: int | str = "random",
        self_play: bool = False,
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        if not (isinstance(num_envs, int) and num_envs >= 1):
            raise ValueError(f"num_envs must be an integer of at least 1, not {num_envs!r}")
        self.game = make_game(game, **options)
        self.num_envs = num_envs
        self.render_mode = check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        check_choice("illegal (in the vector environment)", illegal, ("lose",))
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._self_play = self_play
        self._setting = Setting(self.game, *who_plays(self.game, opponent, seat, self_play))
        self.weights = self._setting.line_ups.weights
        self._initial = self.game.start().data
        self._states = np.zeros((num_envs, self.game.state.itemsize), dtype=np.uint8)
        self._lanes = np.zeros(num_envs, dtype=LANE)
        self._masks: NDArray[np.int8] | None = None
        self._seats: NDArray[np.int64] | None = None

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        start, script = read_reset_options(self.game, options)
        for i, environment_seed in enumerate(self._seeds(seed)):
            if environment_seed is not None:
                self._lanes[i]["seed"], self._lanes[i]["episode"] = seed_key(environment_seed), 0
        self._setting.prescribe(script)
        views = self._new_views()
        every = np.ones(self.num_envs, dtype=np.bool_)
        self._begin(every, start.data if start else self._initial, bool(script), views)
        self._masks, self._seats = views.masks, views.seats
        infos: dict[str, Any] = {"action_mask": views.masks, "seat": views.seats}
        if self._self_play:
            infos["rewards"] = np.zeros((self.num_envs, self.game.seats))
            infos["sign"] = np.ones(self.num_envs, dtype=np.int64)
        return self._shaped(views.observations), infos

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        if self._masks is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before step()")
        actions = np.asarray(actions)
        if actions.shape != (self.num_envs,) or actions.dtype.kind not in "iu":
            raise ValueError(
                f"{self.game.name}: actions must be {self.num_envs} integers, "
                f"not an array of shape {actions.shape} and type {actions.dtype}"
            )
        views = self._new_views()
        outcome = Outcome(
            np.empty(self.num_envs),
            np.empty((self.num_envs, self.game.seats)),
            np.empty(self.num_envs, dtype=np.int64),
            np.empty(self.num_envs, dtype=np.bool_),
            np.empty(self.num_envs, dtype=np.bool_),
        )
        chosen = actions.astype(np.int64, copy=False)
        self._setting.check(
            step_lanes(self._setting.address, self._states, self._lanes, chosen, self._masks, views, outcome)
        )
        infos: dict[str, Any] = {"action_mask": views.masks, "seat": views.seats}
        if self._self_play:
            infos["rewards"], infos["sign"] = outcome.all_rewards, outcome.signs
        done = outcome.terminated | outcome.truncated
        if done.any():
            infos["final_obs"] = self._final(views.observations, done)
            infos["_final_obs"] = infos["_final_info"] = done
            infos["final_info"] = {"payoffs": self._lanes["returns"][:, : self.game.seats].copy(), "_payoffs": done}
            self._begin(done, self._initial, False, views)
        self._masks, self._seats = views.masks, views.seats
        observations = self._shaped(views.observations)
        return observations, outcome.rewards, outcome.terminated, outcome.truncated, infos

    def _begin(self, which: NDArray[np.bool_], start: NDArray[np.uint8], scripted: bool, views: Views) -> None:
        self._setting.check(
            reset_lanes(self._setting.address, self._states, self._lanes, which, start, scripted, views)
        )

    def _seeds(self, seed: int | list[int | None] | None) -> list[int | None]:
        if isinstance(seed, list | tuple):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed must be one integer or a list of {self.num_envs}, not of {len(seed)}")
            seeds: list[int | None] = list(seed)
        elif seed is not None:
            seed_key(seed)  # raises an error if it is not valid
            seeds = [seed + i for i in range(self.num_envs)]
        else:
            seeds = [None] * self.num_envs
        if self._masks is None:  # no earlier seeds to continue from
            fresh = self.np_random.integers(2**62, size=self.num_envs).tolist()
            seeds = [new if given is None else given for given, new in zip(seeds, fresh, strict=True)]
        return seeds

    def _new_views(self) -> Views:
        return Views(
            np.empty((self.num_envs, self.game.actions), dtype=np.int8),
            np.empty((self.num_envs, self.game.observation_size), dtype=np.int8),
            np.empty(self.num_envs, dtype=np.int64),
        )

    def _shaped(self, views: NDArray[np.int8]) -> NDArray[np.int8]:
        return views.reshape(self.num_envs, *self.game.observation_shape)

    def _final(self, views: NDArray[np.int8], done: NDArray[np.bool_]) -> NDArray[np.int8]:
        final = np.zeros_like(views)
        final[done] = views[done]
        return self._shaped(final)

    def position(self, index: int) -> Position:
        """The current position of one environment (a copy)."""
        return Position(self.game, self._states[index].copy())

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, shape (num_envs, actions) bool."""
        if self._masks is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before action_masks()")
        return self._masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...]:
        if self._seats is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before render()")
        return tuple(render(self.position(i), self.render_mode, int(seat)) for i, seat in enumerate(self._seats))
