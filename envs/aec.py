"""The PettingZoo interface: every seat is an agent, and they take turns.

`pettingzoo.make("aec", "ludarium/othello-v0", size=6)`. It does cheaply what PettingZoo's standard wrappers do:
it checks the order of calls and the actions.
"""

from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv

from ludarium.envs.calls import INT8
from ludarium.envs.chance import seed_key
from ludarium.envs.episode import ILLEGAL_POLICIES, check_choice, read_reset_options, render
from ludarium.envs.episodes import Episodes, episodes
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.envs.lanes import who_plays
from ludarium.envs.pickled import Pickled
from ludarium.envs.position import Position, as_integer
from ludarium.envs.registry import make_game
from ludarium.envs.single import RENDER_MODES, observation_space


class GameAECEnv(Pickled, AECEnv):
    """A game as an agent-environment-cycle environment.

    Agents are `player_0`, `player_1`, … in seat order. An observation is a dict: `"observation"`, int8, of the game's
    shape, what this seat may see; `"action_mask"`, int8, shape (actions,), all zero for an agent that is not to move.
    Rewards are the changes in each seat's return. A game that reaches its maximum length is truncated.

    Args:
        game: a game, or its spec such as `"othello"`.
        illegal: an illegal action ends the game as a loss of its agent (`"lose"`), or is an error (`"raise"`).
        render_mode: `"ansi"`, `"svg"`, `"rgb_array"` or `"human"`.
        **options: the game's options.

    `reset(seed, options)` takes the same options as `ludarium.envs.single.GameEnv`.
    """

    def __init__(
        self, game: str | Game, *, illegal: str = "lose", render_mode: str | None = None, **options: Any
    ) -> None:
        super().__init__()
        self.game = make_game(game, **options)
        self.metadata = {
            "name": f"ludarium/{self.game.name}-v0",
            "render_modes": RENDER_MODES,
            "render_fps": 2,
            "is_parallelizable": False,
        }
        self.render_mode = check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._illegal = check_choice("illegal", illegal, ILLEGAL_POLICIES)
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        space = spaces.Dict(
            {
                "observation": observation_space(self.game),
                "action_mask": spaces.Box(0, 1, (self.game.actions,), np.int8),
            }
        )
        self.observation_spaces = dict.fromkeys(self.possible_agents, space)
        self.action_spaces = {agent: spaces.Discrete(self.game.actions) for agent in self.possible_agents}
        self._seed: np.uint64 | None = None
        self._episodes = 0
        self._run: Episodes | None = None  # it compiles the game
        self._gained = np.zeros(self.game.seats)
        self._no_rewards = dict.fromkeys(self.possible_agents, 0.0)

    @property
    def position(self) -> Position:
        """The current position.

        Raises:
            RuntimeError: before the first reset.
        """
        return self._running().position

    def _running(self) -> Episodes:
        if self._run is None:
            raise RuntimeError(f"{self.metadata['name']}: call reset() before anything else")
        return self._run

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        if options and "options" in options:  # the placeholder PettingZoo's tests pass
            options = {name: value for name, value in options.items() if name != "options"}
        start, script = read_reset_options(self.game, options)
        if seed is not None or self._seed is None:
            self._seed = seed_key(seed if seed is not None else int(np.random.default_rng().integers(2**63)))
            self._episodes = 0
        run = self._run or episodes(self.game, *who_plays(self.game, None, "random", self_play=True))
        self._run = None  # if it cannot begin, there is no episode
        self._episodes = run.begin(self._seed, self._episodes, start, script)
        self._run = run
        self.agents = self.possible_agents[:]
        self.rewards, self._cumulative_rewards = self._no_rewards.copy(), self._no_rewards.copy()
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.agents[run.turn]
        self._skip_agent_selection = None
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> dict[str, NDArray[np.int8]]:
        run, seat = self._run or self._running(), self._seat_of[agent]
        actions, shape, calls = self.game.shapes
        seen, mask, position = np.empty(shape, INT8), np.empty(actions, INT8), run.position
        calls.look(position.table, position.buffer, seat, mask, seen)  # `Position.look` would check the seat again
        if run.turn != seat or run.truncated:
            mask[:] = 0
        return {"observation": seen, "action_mask": mask}

    def step(self, action: int | None) -> None:
        run = self._run or self._running()
        agent = self.agent_selection
        if not self.agents or self.terminations[agent] or self.truncations[agent]:
            if not self.agents:
                raise RuntimeError(f"{self.metadata['name']}: the game is over for every agent; call reset()")
            self._was_dead_step(action)
            return
        if type(action) is not int:
            action = as_integer(self.game, action)
        gained = self._gained
        if not run.step(action, gained):
            if self._illegal == "raise":
                run.position.play(action)
            run.forfeit(gained)
        self._cumulative_rewards[agent] = 0.0
        self.rewards, gains = self._no_rewards.copy(), gained.tolist()
        if any(gains):
            for name, gain in zip(self.possible_agents, gains, strict=True):
                self.rewards[name] = gain
                self._cumulative_rewards[name] += gain
        turn = run.turn
        if turn >= 0:
            self.agent_selection = self.possible_agents[turn]
        if turn == OVER or run.truncated:
            self.terminations = dict.fromkeys(self.agents, turn == OVER)
            self.truncations = dict.fromkeys(self.agents, run.truncated)
            self._deads_step_first()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        return render(self.position, self.render_mode)

    def close(self) -> None:
        """Nothing to close."""
