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
from ludarium.envs.game import Game
from ludarium.envs.lanes import LANE, Outcome, Setting, Views, reset_lanes, step_lanes, who_plays
from ludarium.envs.pickled import Pickled
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game
from ludarium.envs.single import RENDER_MODES, observation_space


class GameVectorEnv(Pickled, VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games in lockstep. Arguments and meanings are those of `ludarium.envs.single.GameEnv`.

    The differences:
    Opponents must be compiled (all built-in agents are); others need `vectorization_mode="sync"`.
    An illegal action ends its episode as a loss.
    `infos["action_mask"]` is (num_envs, actions) int8, `infos["seat"]` (num_envs,); in self-play also
    `infos["rewards"]` (num_envs, seats) and `infos["sign"]` (num_envs,).
    Every array returned is new, but the next step uses the returned mask to judge legality.

    `autoreset_mode`, an `AutoresetMode` or its value, says when a finished environment begins its next episode:

    - `"SameStep"`, in the same step: `infos["final_obs"]` (num_envs, …) holds the final observations where
      `infos["_final_obs"]` is true, and `infos["final_info"]["payoffs"]` (num_envs, seats) every seat's return;
    - `"NextStep"`: in the next step, which ignores its action and gives no reward; `infos["payoffs"]` holds the returns
      where `infos["_payoffs"]` is true;
    - `"Disabled"`: when `reset` is called with the option `"reset_mask"`, (num_envs,) bool, which may be used in the
      other modes too. A step with a finished environment is an error.
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2, "autoreset_mode": AutoresetMode.SAME_STEP}
    _over: NDArray[np.bool_]  # environments whose episode has ended and whose next one has not begun

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
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        **options: Any,
    ) -> None:
        if not (isinstance(num_envs, int) and num_envs >= 1):
            raise ValueError(f"num_envs must be an integer of at least 1, not {num_envs!r}")
        self.game = make_game(game, **options)
        self.num_envs = num_envs
        self.render_mode = check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        modes = {mode.value: mode for mode in AutoresetMode}
        named = autoreset_mode.value if isinstance(autoreset_mode, AutoresetMode) else autoreset_mode
        self._mode = modes[check_choice("autoreset_mode", named, tuple(modes))]
        self.metadata = {**self.metadata, "autoreset_mode": self._mode}
        check_choice("illegal (in the vector environment)", illegal, ("lose",))
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._self_play = self_play
        self._setting = Setting(self.game, *who_plays(self.game, opponent, seat, self_play))
        self.weights = self._setting.line_ups.weights
        self._states = np.zeros((num_envs, self.game.state.itemsize), dtype=np.uint8)
        self._lanes = np.zeros(num_envs, dtype=LANE)
        self._now: Views | None = None
        self._over = np.zeros(num_envs, dtype=np.bool_)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        which, others = self._reset_mask(options)
        start, script = read_reset_options(self.game, others)
        for i, environment_seed in enumerate(self._seeds(seed)):
            if environment_seed is not None and which[i]:
                self._lanes[i]["seed"], self._lanes[i]["episode"] = seed_key(environment_seed), 0
        prescribed = False
        if which.all():
            prescribed = self._setting.prescribe(start, script)
        elif start is not None or script:
            raise ValueError(
                f"{self.game.name}: a position or chance can only be prescribed for all environments at once"
            )
        views = self._new_views()
        if self._now is not None:
            views.masks[:], views.observations[:], views.seats[:] = self._now
        self._now = None  # if an opponent fails, all environments must be reset
        self._begin(which, prescribed, views)
        self._now, self._over = views, self._over & ~which
        infos: dict[str, Any] = {"action_mask": views.masks, "seat": views.seats}
        if self._self_play:
            infos["rewards"] = np.zeros((self.num_envs, self.game.seats))
            infos["sign"] = np.ones(self.num_envs, dtype=np.int64)
        return self._shaped(views.observations), infos

    def _reset_mask(self, options: dict[str, Any] | None) -> tuple[NDArray[np.bool_], dict[str, Any]]:
        """The environments to reset, shape (num_envs,), and the other options."""
        others = dict(options or {})
        mask = others.pop("reset_mask", None)
        which = np.ones(self.num_envs, dtype=np.bool_) if mask is None else np.asarray(mask)
        if which.shape != (self.num_envs,) or which.dtype != np.bool_ or not which.any():
            raise ValueError(
                f"{self.game.name}: reset_mask must be {self.num_envs} booleans, one of them true, not {mask!r}"
            )
        if self._now is None and not which.all():
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: reset all environments before some of them")
        return which, others

    def step(
        self, actions: NDArray[np.int64]
    ) -> tuple[NDArray[np.int8], NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        if self._now is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before step()")
        over = self._over
        if self._mode == AutoresetMode.DISABLED and over.any():
            raise gymnasium.error.ResetNeeded(
                f"{self.game.name}: environments {np.flatnonzero(over).tolist()} are over; "
                'call reset(options={"reset_mask": …}) before step()'
            )
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
        chosen, legal = actions.astype(np.int64, copy=False), self._now.masks
        self._now = None  # as in `reset`
        self._setting.check(
            step_lanes(self._setting.address, self._states, self._lanes, over, chosen, legal, views, outcome)
        )
        if over.any():
            self._begin(over, False, views)
        infos: dict[str, Any] = {"action_mask": views.masks, "seat": views.seats}
        if self._self_play:
            infos["rewards"], infos["sign"] = outcome.all_rewards, outcome.signs
        self._over = outcome.terminated | outcome.truncated
        if self._over.any():
            self._end(self._over, views, infos)
        self._now = views
        observations = self._shaped(views.observations)
        return observations, outcome.rewards, outcome.terminated, outcome.truncated, infos

    def _end(self, over: NDArray[np.bool_], views: Views, infos: dict[str, Any]) -> None:
        """Tell the returns of the episodes that are over; in the same-step mode, begin the next ones."""
        payoffs = self._lanes["returns"][:, : self.game.seats].copy()
        if self._mode != AutoresetMode.SAME_STEP:
            infos["payoffs"], infos["_payoffs"] = payoffs, over
            return
        final = np.zeros_like(views.observations)
        final[over] = views.observations[over]
        infos["final_obs"], infos["_final_obs"] = self._shaped(final), over
        infos["final_info"], infos["_final_info"] = {"payoffs": payoffs, "_payoffs": over}, over
        self._begin(over, False, views)
        self._over = np.zeros(self.num_envs, dtype=np.bool_)

    def _begin(self, which: NDArray[np.bool_], prescribed: bool, views: Views) -> None:
        self._setting.check(reset_lanes(self._setting.address, self._states, self._lanes, which, prescribed, views))

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
        if self._now is None:  # no earlier seeds to continue from
            fresh = self.np_random.integers(2**62, size=self.num_envs).tolist()
            seeds = [new if seed is None else seed for seed, new in zip(seeds, fresh, strict=True)]
        return seeds

    def _new_views(self) -> Views:
        return Views(
            np.empty((self.num_envs, self.game.actions), dtype=np.int8),
            np.empty((self.num_envs, self.game.observation_size), dtype=np.int8),
            np.empty(self.num_envs, dtype=np.int64),
        )

    def _shaped(self, views: NDArray[np.int8]) -> NDArray[np.int8]:
        return views.reshape(self.num_envs, *self.game.observation_shape)

    def position(self, index: int) -> Position:
        """The current position of one environment (a copy)."""
        return Position(self.game, self._states[index].copy())

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, shape (num_envs, actions) bool."""
        if self._now is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before action_masks()")
        return self._now.masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...]:
        if self._now is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before render()")
        return tuple(render(self.position(i), self.render_mode, int(seat)) for i, seat in enumerate(self._now.seats))
