"""The Gymnasium interface: one agent, with its opponents inside the environment.

`gym.make("ludarium/Othello-v0", opponent="greedy", seat="random", size=6)`; every option of the game is a keyword.
"""

import operator
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from ludarium.envs.chance import LINE_UP, child_key, seed_key, weighted
from ludarium.envs.episode import (
    ILLEGAL_POLICIES,
    MOST_SKIPPED,
    Episode,
    agent_seed,
    check_choice,
    read_reset_options,
    render,
    turn_never_comes,
)
from ludarium.envs.game import Game, Position
from ludarium.envs.kernels import OVER
from ludarium.envs.opponents import LineUps, make_opponents
from ludarium.envs.options import IllegalAction
from ludarium.envs.registry import make_game

RENDER_MODES = ["ansi", "svg", "rgb_array", "human"]


def observation_space(game: Game) -> spaces.Box:
    """Box of the game's `observation_shape`, int8."""
    low, high = game.observation_range
    return spaces.Box(low, high, game.observation_shape, np.int8)


class GameEnv(gymnasium.Env[Any, Any]):
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
        self._seat = check_choice("seat", seat, ("random", *range(self.game.seats)))
        self._self_play = self_play
        self._line_ups = LineUps([], np.ones(1), []) if self_play else make_opponents(opponent, self.game)
        self._opponents: list[Any] = []  # of this episode
        self.observation_space = observation_space(self.game)
        self.action_space = spaces.Discrete(self.game.actions)
        self._seed: np.uint64 | None = None
        self._episodes = 0
        self._episode: Episode | None = None
        self._learner = self._actor = 0

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
        for _ in range(MOST_SKIPPED):
            key = child_key(self._seed, self._episodes)
            self._episodes += 1
            self._episode = episode = Episode(self.game, key, start, script)
            self._learner = episode.random_seat() if self._seat == "random" else int(self._seat)
            if self._line_ups.seated:
                weights = self._line_ups.weights
                drawn = weighted(weights, child_key(key, LINE_UP)) if len(weights) > 1 else 0
                self._opponents = self._line_ups.seated[drawn]
            for seat in range(self.game.seats):
                if self._opponents and seat != self._learner:
                    opponent = self._opponent(seat)
                    opponent.reset(seat, agent_seed(opponent, key, seat))
            self._reply(np.zeros(self.game.seats))
            if episode.turn != OVER and not episode.truncated:  # else it ended before the learner's first move
                self._actor = episode.turn
                if self.render_mode == "human":
                    self.render()
                return self._observation(), self._info()
        self._episode = None
        raise turn_never_comes(self.game)

    def step(self, action: int) -> tuple[NDArray[np.int8], float, bool, bool, dict[str, Any]]:
        episode = self._running()
        if episode.turn == OVER or episode.truncated:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: the episode is over; call reset() first")
        try:
            action = operator.index(action)
        except TypeError:
            raise TypeError(f"{self.game.name}: an action is an integer, not {action!r}") from None
        actor = self._actor = episode.turn
        gained = np.zeros(self.game.seats)
        if not episode.is_legal(action):
            if self._illegal == "raise":
                episode.position.play(action)
            episode.forfeit(actor)
            gained += episode.rewards
        else:
            episode.play(action)
            gained += episode.rewards
            self._reply(gained)
        if self.render_mode == "human":
            self.render()
        over = episode.turn == OVER
        return self._observation(), float(gained[actor]), over, episode.truncated, self._info(gained)

    def _reply(self, gained: NDArray[np.float64]) -> None:
        """Let the opponents move until it is the learner's turn; adds every seat's rewards to `gained`."""
        episode = self._running()
        while self._opponents and episode.turn not in (OVER, self._learner) and not episode.truncated:
            seat = episode.turn
            opponent = self._opponent(seat)
            info = episode.info(seat, opponent)
            action = opponent(episode.position.observe(seat), episode.mask().copy(), info)
            objection = episode.objection(action)
            if objection:
                raise IllegalAction(f"the opponent {opponent.name!r} returned an action that is not legal: {objection}")
            episode.play(operator.index(action))
            gained += episode.rewards

    def _opponent(self, seat: int) -> Any:
        return self._opponents[seat if seat < self._learner else seat - 1]

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, shape (actions,) bool."""
        return self._running().mask().astype(np.bool_)

    def render(self) -> Any:
        """The position in the render mode, as seen by the seat whose view is shown."""
        return render(self.position, self.render_mode, self._viewer())

    def close(self) -> None:
        """Close the opponents that the environment made; an agent that was passed in belongs to the caller."""
        for opponent in self._line_ups.made:
            opponent.close()
        super().close()

    def _running(self) -> Episode:
        if self._episode is None:
            raise gymnasium.error.ResetNeeded(f"{self.game.name}: call reset() before anything else")
        return self._episode

    def _viewer(self) -> int:
        """The seat whose view is shown: the learner; in self-play the seat to move or, at the end, the last actor."""
        turn = self._running().turn
        return (turn if turn >= 0 else self._actor) if self._self_play else self._learner

    def _observation(self) -> NDArray[np.int8]:
        return self.position.observe(self._viewer())

    def _info(self, gained: NDArray[np.float64] | None = None) -> dict[str, Any]:
        episode = self._running()
        info: dict[str, Any] = {"action_mask": episode.mask().copy(), "seat": self._viewer()}
        if self._self_play:
            info["rewards"] = np.zeros(self.game.seats) if gained is None else gained
            info["sign"] = 1 if self.game.cooperative or info["seat"] == self._actor else -1
        if episode.turn == OVER or episode.truncated:
            info["payoffs"] = episode.returns.copy()
        return info
