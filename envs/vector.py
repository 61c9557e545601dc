"""Many games in step, compiled: the Gymnasium vector environment.

`gym.make_vec("ludarium/Othello-v0", num_envs=1024, opponent="greedy")`. Environment i seeded with s plays the very
games that `GameEnv` plays when seeded with s + i, whatever the number of environments.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from ludarium.envs import kernels
from ludarium.envs.arena import ILLEGAL, choose, draw, nth_legal
from ludarium.envs.chance import AGENTS, DEALING, SEATING, bits, derive, mix, scale, seed_key
from ludarium.envs.episode import check_choice, read_reset_options, render
from ludarium.envs.game import Game
from ludarium.envs.jit import jit
from ludarium.envs.kernels import (
    ACTIONS,
    CHANCE,
    MAX_MOVES,
    MAX_OUTCOMES,
    MAX_SEATS,
    OBSERVATION_SIZE,
    OVER,
    SEATS,
)
from ludarium.envs.opponents import make_opponents
from ludarium.envs.policy import Policy, policy_rows
from ludarium.envs.position import Position
from ludarium.envs.registry import make_game
from ludarium.envs.single import RENDER_MODES, observation_space

LANE = np.dtype(
    [
        ("seed", np.uint64),
        ("episode", np.int64),  # number of the next episode
        ("dealing", np.uint64, (2,)),  # stream of the chance nodes
        ("agents", np.uint64, (MAX_SEATS, 2)),  # streams of the opponents
        ("drawn", np.int64),  # chance outcomes so far, for the script
        ("plies", np.int64),
        ("learner", np.int64),  # the learner's seat
        ("actor", np.int64),  # self-play: the seat that acted last
        ("returns", np.float64, (MAX_SEATS,)),
    ],
    align=True,
)
"""What an environment remembers beside its game's state."""

_RUNNING, _OVER, _TRUNCATED = 0, 1, 2
_RANDOM_SEAT, _SELF_PLAY = -1, -2
_NO_SCRIPT = 2**62  # more outcomes than any script prescribes


@jit
def _advance(
    game: Any, state: Any, lane: Any, script: Any, seat_rule: int, policies: Any, mask: Any, view: Any,
    probabilities: Any,
) -> int:  # fmt: skip
    """Let chance and the opponents move until it is the learner's turn; how the episode stands."""
    while True:
        seat = kernels.turn(game, state)
        if seat == OVER:
            return _OVER
        if seat == CHANCE:
            if lane.drawn < len(script):
                outcome = script[lane.drawn]
            else:
                outcome = draw(game, state, probabilities, lane.dealing)
            kernels.play(game, state, outcome)
            lane.drawn += 1
            continue
        if lane.plies >= game[MAX_MOVES]:
            return _TRUNCATED
        if seat_rule == _SELF_PLAY or seat == lane.learner:
            return _RUNNING
        row = seat if seat < lane.learner else seat - 1
        action = choose(game, state, seat, policies[row], mask, view, lane.agents[seat])
        if action < 0:
            return ILLEGAL + row
        kernels.play(game, state, action)
        lane.plies += 1


@jit
def _begin(
    game: Any, options: Any, state: Any, lane: Any, start: Any, script: Any, seat_rule: int, policies: Any, mask: Any,
    view: Any, probabilities: Any, payoffs: Any,
) -> int:  # fmt: skip
    """Start the lane's next episode that reaches a decision of the learner."""
    while True:
        key = derive(lane.seed, lane.episode)
        lane.episode += 1
        if len(start) > 0:
            state[:] = start
        else:
            state[:] = 0
            kernels.setup(game, state, options)
        lane.dealing[0], lane.dealing[1] = derive(key, DEALING), 0
        for seat in range(game[SEATS]):
            lane.agents[seat, 0], lane.agents[seat, 1] = derive(key, AGENTS + seat), 0
        lane.drawn = 0 if len(script) > 0 else _NO_SCRIPT
        lane.plies = 0
        lane.learner = scale(mix(derive(key, SEATING)), game[SEATS]) if seat_rule == _RANDOM_SEAT else seat_rule
        kernels.payoffs(game, state, payoffs)
        for seat in range(game[SEATS]):
            lane.returns[seat] = payoffs[seat]
        code = _advance(game, state, lane, script, seat_rule, policies, mask, view, probabilities)
        if code == _RUNNING or code >= ILLEGAL:
            kernels.payoffs(game, state, payoffs)
            for seat in range(game[SEATS]):
                lane.returns[seat] = payoffs[seat]
            return code


@jit
def _look(game: Any, state: Any, lane: Any, seat_rule: int, mask: Any, view: Any) -> int:
    """Write the mask and the view of the seat that is shown; the seat."""
    turn = kernels.turn(game, state)
    seat = lane.learner
    if seat_rule == _SELF_PLAY:
        seat = turn if turn >= 0 else lane.actor
    kernels.legal(game, state, mask)
    kernels.observe(game, state, seat, view)
    return seat


@jit
def _reset(
    game: Any, options: Any, states: Any, lanes: Any, which: Any, start: Any, script: Any, seat_rule: int,
    policies: Any, masks: Any, views: Any, seats: Any,
) -> int:  # fmt: skip
    """Begin new episodes in the environments that `which` marks; 0, or the code of an illegal reply."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    view = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    payoffs = np.zeros(game[SEATS])
    for i in range(len(states)):
        if which[i]:
            code = _begin(
                game, options, states[i], lanes[i], start, script, seat_rule, policies, mask, view, probabilities,
                payoffs,
            )  # fmt: skip
            if code != _RUNNING:
                return code
            seats[i] = _look(game, states[i], lanes[i], seat_rule, masks[i], views[i])
    return 0


@jit
def _step(
    game: Any, states: Any, lanes: Any, actions: Any, legal: Any, script: Any, seat_rule: int, policies: Any,
    lowest: float, highest: float, cooperative: bool, masks: Any, views: Any, seats: Any, rewards: Any, signs: Any,
    terminated: Any, truncated: Any,
) -> int:  # fmt: skip
    """One step of every environment; 0, or the code of an illegal reply."""
    mask = np.zeros(game[ACTIONS], dtype=np.int8)
    view = np.zeros(game[OBSERVATION_SIZE], dtype=np.int8)
    probabilities = np.zeros(game[MAX_OUTCOMES] + 1)
    payoffs = np.zeros(game[SEATS])
    for i in range(len(states)):
        state, lane, action = states[i], lanes[i], actions[i]
        lane.actor = kernels.turn(game, state)
        if 0 <= action < game[ACTIONS] and legal[i, action]:
            kernels.play(game, state, action)
            lane.plies += 1
            code = _advance(game, state, lane, script, seat_rule, policies, mask, view, probabilities)
            if code >= ILLEGAL:
                return code
            kernels.payoffs(game, state, payoffs)
        else:  # a forfeit
            code = _OVER
            for seat in range(game[SEATS]):
                payoffs[seat] = lowest if cooperative or seat == lane.actor else highest
        for seat in range(game[SEATS]):
            rewards[i, seat] = payoffs[seat] - lane.returns[seat]
            lane.returns[seat] = payoffs[seat]
        terminated[i] = code == _OVER
        truncated[i] = code == _TRUNCATED
        seats[i] = _look(game, state, lane, seat_rule, masks[i], views[i])
        signs[i] = 1 if cooperative or seats[i] == lane.actor else -1
    return 0


@jit
def _random_actions(masks: Any, stream: Any, out: Any) -> None:
    for i in range(len(masks)):
        count = 0
        for action in range(masks.shape[1]):
            count += masks[i, action]
        out[i] = nth_legal(masks[i], count, bits(stream)) if count > 0 else 0


def random_actions(masks: NDArray[np.int8], stream: NDArray[np.uint64]) -> NDArray[np.int64]:
    """A uniformly random legal action for each row of masks, shape (n, actions); 0 where a row has none."""
    out = np.empty(len(masks), dtype=np.int64)
    _random_actions(masks, stream, out)
    return out


class GameVectorEnv(VectorEnv[NDArray[np.int8], NDArray[np.int64], NDArray[Any]]):
    """`num_envs` games in step. Arguments and meanings are those of `ludarium.envs.single.GameEnv`.

    The differences:
    Opponents must be compiled (all built-in agents are); others need `vectorization_mode="sync"`.
    An illegal action ends its episode as a loss. Finished environments begin their next episode in the same step
    (`AutoresetMode.SAME_STEP`): `infos["final_obs"]` (num_envs, …) holds the last views where `infos["_final_obs"]`
    says so, and `infos["final_info"]["payoffs"]` (num_envs, seats) every seat's return.
    `infos["action_mask"]` is (num_envs, actions) int8, `infos["seat"]` (num_envs,); in self-play also
    `infos["rewards"]` (num_envs, seats) and `infos["sign"]` (num_envs,).
    Every array returned is new; the mask is also what the next step judges legality by.
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
        check_choice("seat", seat, ("random", *range(self.game.seats)))
        self.single_observation_space = observation_space(self.game)
        self.single_action_space = spaces.Discrete(self.game.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._self_play = self_play
        self._opponents = [] if self_play else make_opponents(opponent, self.game)
        self._policies = policy_rows(self.game, [_compiled(agent) for agent in self._opponents])
        self._seat_rule = _SELF_PLAY if self_play else _RANDOM_SEAT if seat == "random" else int(seat)
        self._states = np.zeros((num_envs, self.game.state.itemsize), dtype=np.uint8)
        self._lanes = np.zeros(num_envs, dtype=LANE)
        self._masks: NDArray[np.int8] | None = None
        self._script = np.zeros(0, dtype=np.int64)

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        start, script = read_reset_options(self.game, options)
        for i, environment_seed in enumerate(self._seeds(seed)):
            if environment_seed is not None:
                self._lanes[i]["seed"], self._lanes[i]["episode"] = seed_key(environment_seed), 0
        data = start.data if start is not None else np.zeros(0, dtype=np.uint8)
        views, masks, seats = self._buffers()
        chosen = np.asarray(script, dtype=np.int64)
        self._begin(np.ones(self.num_envs, dtype=np.bool_), data, chosen, masks, views, seats)
        self._script = chosen
        self._masks = masks
        infos: dict[str, Any] = {"action_mask": masks, "seat": seats}
        if self._self_play:
            infos["rewards"] = np.zeros((self.num_envs, self.game.seats))
            infos["sign"] = np.ones(self.num_envs, dtype=np.int64)
        return self._shaped(views), infos

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
        views, masks, seats = self._buffers()
        all_rewards = np.empty((self.num_envs, self.game.seats))
        signs = np.empty(self.num_envs, dtype=np.int64)
        terminated, truncated = np.empty(self.num_envs, dtype=np.bool_), np.empty(self.num_envs, dtype=np.bool_)
        low, high = self.game.payoff_range
        self._check_replies(
            _step(
                self.game.table,
                self._states,
                self._lanes,
                actions.astype(np.int64, copy=False),
                self._masks,
                self._script,
                self._seat_rule,
                self._policies,
                low,
                high,
                self.game.cooperative,
                masks,
                views,
                seats,
                all_rewards,
                signs,
                terminated,
                truncated,
            )
        )
        acted = self._lanes["actor" if self._self_play else "learner"]
        rewards = all_rewards[np.arange(self.num_envs), acted]
        infos: dict[str, Any] = {"action_mask": masks, "seat": seats}
        if self._self_play:
            infos["rewards"], infos["sign"] = all_rewards, signs
        done = terminated | truncated
        if done.any():
            infos["final_obs"] = self._final(views, done)
            infos["_final_obs"] = infos["_final_info"] = done
            infos["final_info"] = {"payoffs": self._lanes["returns"][:, : self.game.seats].copy(), "_payoffs": done}
            self._begin(done, np.zeros(0, dtype=np.uint8), np.zeros(0, dtype=np.int64), masks, views, seats)
        self._masks = masks
        return self._shaped(views), rewards, terminated, truncated, infos

    def _begin(
        self, which: NDArray[np.bool_], start: NDArray[np.uint8], script: NDArray[np.int64], masks: NDArray[np.int8],
        views: NDArray[np.int8], seats: NDArray[np.int64],
    ) -> None:  # fmt: skip
        self._check_replies(
            _reset(
                self.game.table,
                self.game.option_record,
                self._states,
                self._lanes,
                which,
                start,
                script,
                self._seat_rule,
                self._policies,
                masks,
                views,
                seats,
            )
        )

    def _seeds(self, seed: int | list[int | None] | None) -> list[int | None]:
        if isinstance(seed, list | tuple):
            if len(seed) != self.num_envs:
                raise ValueError(f"seed must be one integer or a list of {self.num_envs}, not {len(seed)} of them")
            return list(seed)
        if seed is None:
            if self._masks is not None:
                return [None] * self.num_envs
            seed = int(self.np_random.integers(2**62))
        return [seed + i for i in range(self.num_envs)]

    def _buffers(self) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]:
        return (
            np.empty((self.num_envs, self.game.observation_size), dtype=np.int8),
            np.empty((self.num_envs, self.game.actions), dtype=np.int8),
            np.empty(self.num_envs, dtype=np.int64),
        )

    def _shaped(self, views: NDArray[np.int8]) -> NDArray[np.int8]:
        return views.reshape(self.num_envs, *self.game.observation_shape)

    def _final(self, views: NDArray[np.int8], done: NDArray[np.bool_]) -> NDArray[np.int8]:
        final = np.zeros_like(views)
        final[done] = views[done]
        return self._shaped(final)

    def _check_replies(self, code: int) -> None:
        if code >= ILLEGAL:
            name = self._opponents[code - ILLEGAL].name
            raise ValueError(f"{self.game.name}: the opponent {name!r} returned an action that is not legal")

    def position(self, index: int) -> Position:
        """The current position of one environment (a copy)."""
        return Position(self.game, self._states[index].copy())

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, shape (num_envs, actions) bool."""
        if self._masks is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before action_masks()")
        return self._masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...]:
        return tuple(render(self.position(i), self.render_mode) for i in range(self.num_envs))


def _compiled(agent: Any) -> Policy:
    if agent.policy is None:
        raise ValueError(
            f"the opponent {agent.name!r} is not compiled, so it cannot play inside the vector environment; "
            'use gym.make_vec(..., vectorization_mode="sync")'
        )
    policy: Policy = agent.policy
    return policy
