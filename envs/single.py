"""The Gymnasium interface: one agent, with its opponents inside the environment.

`gym.make("ludarium/Othello-v0", opponent="greedy", seat="random", size=6)`; every option of the game is a keyword.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ludarium.envs.calls import INT8
from ludarium.envs.chance import seed_key
from ludarium.envs.episode import ILLEGAL_POLICIES, check_choice, read_reset_options, render
from ludarium.envs.episodes import Episodes, episodes, viewer
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.envs.lanes import who_plays
from ludarium.envs.pickled import Pickled
from ludarium.envs.position import Position, as_integer
from ludarium.envs.registry import make_game

RENDER_MODES = ["ansi", "svg", "rgb_array", "human"]


def observation_space(game: Game) -> spaces.Box:
    """Box of the game's `observation_shape`, int8."""
    low, high = game.observation_range
    return spaces.Box(low, high, game.observation_shape, np.int8)


class GameEnv(Pickled, gymnasium.Env[Any, Any]):
    """One seat of a game as a Gymnasium environment.

    Observation: what the seat may see, int8, of the game's shape. Action: `Discrete(actions)`; the legal ones are in
    `info["action_mask"]` (int8) and `action_masks()` (bool, as MaskablePPO wants it). Reward: the change in the seat's
    return since its last action, the opponents' replies included; so a lost game ends with the loss.
    `info` also has `seat`, the seat to move, and at the end `payoffs`, every seat's return.

    Args:
        game: a game, or its spec such as `"othello"`.
        opponent: who plays the other seats: a spec such as `"random"` or `"mcts?simulations=100"`, an agent, a
            callable of (observation, action_mask, info), or a list with one of them for each other seat in order.
            From a mixture, `{"greedy": 3, "random": 1}` or as text `"3*greedy+1*random"`, an opponent is drawn for each
            episode.
        seat: the learner's seat, or `"random"` for a new draw each episode.
        self_play: no opponents: every step is made for the seat to move. The reward is then the acting seat's,
            `info["rewards"]` has every seat's, and `info["sign"]` is the sign that the next observation's value has for
            the seat that acted: 1 if the same side moves again (or all win together), -1 if the other side does.
            A value target is `reward + sign * discount * value(next)`; when an episode ends, every seat's share is in
            `info["rewards"]`.
        illegal: an illegal action ends the episode with the minimum return (`"lose"`), or is an error (`"raise"`).
        render_mode: `"ansi"`, `"svg"`, `"rgb_array"` or `"human"`.
        **options: the game's options.

    `reset(seed, options)` takes the options `"position"` (text; not in games with a hidden past) and those of the game:
    `"dice"` (backgammon), `"deck"` (Hanabi). Episode number k after a seed is a function of (seed, k).
    """

    metadata = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        game: str | Game,
        *,
        opponent: Any = "random",
        seat: int | str = "random",
        self_play: bool = False,
        illegal: str = "lose",
        render_mode: str | None = None,
        **options: Any,
    ) -> None:
        self.game = make_game(game, **options)
        self.render_mode = check_choice("render_mode", render_mode, (None, *RENDER_MODES))
        self._illegal = check_choice("illegal", illegal, ILLEGAL_POLICIES)
        self._self_play = self_play
        self._cooperative = self.game.cooperative
        self._line_ups, self._seat_rule = who_plays(self.game, opponent, seat, self_play)
        self._run: Episodes | None = None  # it compiles the game
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.actions)
        self._seed: np.uint64 | None = None
        self._episodes = 0  # since the seed was set
        self._actor = 0

    @property
    def position(self) -> Position:
        """The current position.

        Raises:
            gymnasium.error.ResetNeeded: before the first reset.
        """
        return self._running().position

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.int8], dict[str, Any]]:
        super().reset(seed=seed)
        if seed is not None or self._seed is None:
            self._seed = seed_key(seed if seed is not None else int(self.np_random.integers(2**63)))
            self._episodes = 0
        start, script = read_reset_options(self.game, options)
        run = self._run or episodes(self.game, self._line_ups, self._seat_rule)
        self._run = None  # if it cannot begin, there is no episode
        self._episodes = run.begin(self._seed, self._episodes, start, script)
        self._run, self._actor = run, run.turn
        if self.render_mode == "human":
            self.render()
        observation, mask = run.position.look(viewer(run, self._actor))
        return observation, self._info(run, mask, np.zeros(self.game.seats))

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        run = self._run or self._running()
        actor = self._actor = run.turn
        if actor == OVER or run.truncated:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: the episode is over; call reset() first")
        if type(action) is not int:
            action = as_integer(self.game, action)
        game = self.game
        actions, shape, _ = game.shapes
        gained, mask, observation = np.empty(game.seats), np.empty(actions, INT8), np.empty(shape, INT8)
        self._run = None  # if an opponent fails, there is no episode any more
        legal = run.step_and_look(action, gained, mask, observation)
        self._run = run
        if not legal:
            if self._illegal == "raise":
                run.position.play(action)
            run.forfeit(gained)
            observation, mask = run.position.look(actor)
        if self.render_mode == "human":
            self.render()
        over = run.turn == OVER
        return observation, gained.item(actor), over, run.truncated, self._info(run, mask, gained)

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, shape (actions,) bool."""
        return self._running().position.action_mask().astype(np.bool_)

    def render(self) -> Any:
        """The position in the render mode, as seen by the seat whose view is shown."""
        run = self._running()
        return render(run.position, self.render_mode, viewer(run, self._actor))

    def close(self) -> None:
        """Close the opponents that the environment made; an agent that was passed in belongs to the caller."""
        for opponent in self._line_ups.made:
            opponent.close()
        super().close()

    def _running(self) -> Episodes:
        if self._run is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before anything else")
        return self._run

    def _info(self, run: Episodes, mask: NDArray[np.int8], gained: NDArray[np.float64]) -> dict[str, Any]:
        seat = viewer(run, self._actor)
        info: dict[str, Any] = {"action_mask": mask, "seat": seat}
        if self._self_play:
            info["rewards"] = gained
            info["sign"] = 1 if self._cooperative or seat == self._actor else -1
        if run.turn == OVER or run.truncated:
            info["payoffs"] = run.returns
        return info
