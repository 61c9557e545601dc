"""Episodes one after the other, as an environment for one learner plays them: compiled, or with opponents in Python.

Both play the same games. Compiled, a step is one call, with all replies and chance; it is what the vector environment
does for each of its lanes.
"""

import operator
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import LINE_UP, child_key, weighted
from ludarium.envs.episode import MOST_SKIPPED, Episode, agent_seed, final_returns, turn_never_comes
from ludarium.envs.game import Game
from ludarium.envs.kernels import OVER
from ludarium.envs.lanes import BEGIN, BEGIN_AS_PRESCRIBED, RANDOM_SEAT, TRUNCATED, Setting, one_lane
from ludarium.envs.opponents import LineUps, Opponent
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position

Int8s = NDArray[np.int8]


class Episodes(Protocol):
    """One episode after the other; episode number k is a function of the seed's key and k.

    Attributes:
        position: the position.
        turn: the seat to move, or `OVER`.
        learner: the learner's seat; negative in self-play.
        truncated: whether the episode was cut off at its maximum length.
    """

    position: Position
    turn: int
    learner: int
    truncated: bool

    @property
    def returns(self) -> NDArray[np.float64]:
        """Each seat's return so far, shape (seats,); a new array."""

    def begin(self, key: np.uint64, number: int, start: Position | None, script: Sequence[int]) -> int:
        """Begin episode `number`, or the next in which the learner's turn comes; returns the number of the one after.

        Args:
            key: the seed's key.
            number: the number of the episode.
            start: the position to start from; None for the game's own.
            script: the first chance outcomes.

        Raises:
            ValueError: if the learner's turn never comes.
            IllegalAction: if an outcome of the script is not possible.
        """

    def step(self, action: int, gained: NDArray[np.float64]) -> bool:
        """Play on to the learner's next decision; false if the action is illegal, and then nothing has changed.

        Args:
            action: the action.
            gained: shape (seats,); every seat's reward is written here.
        """

    def step_and_look(self, action: int, gained: NDArray[np.float64], mask: Int8s, seen: Int8s) -> bool:
        """As `step`; if the action is legal, it also writes the mask, shape (actions,), and what the `viewer` sees."""

    def forfeit(self, gained: NDArray[np.float64]) -> None:
        """End the episode as a loss for the seat to move; every seat's reward is written to `gained`."""


def episodes(game: Game, line_ups: LineUps, seat_rule: int) -> Episodes:
    """Compiled episodes where all opponents are compiled; see `ludarium.envs.lanes.Setting` for the arguments."""
    if all(opponent.policy is not None for seated in line_ups.seated for opponent in seated):
        return CompiledEpisodes(Setting(game, line_ups, seat_rule))
    return PythonEpisodes(game, line_ups, seat_rule)


def viewer(run: Episodes, actor: int) -> int:
    """The seat whose view is shown: the learner; in self-play the seat to move or, at the end, the last actor."""
    return run.learner if run.learner >= 0 else run.turn if run.turn >= 0 else actor


class CompiledEpisodes:
    """Episodes in one lane."""

    def __init__(self, setting: Setting) -> None:
        game, self._setting, self._setting_address = setting.game, setting, setting.address
        self._lane = setting.lane
        self._seed, self._number, self._seat = (self._lane[field] for field in ("seed", "episode", "learner"))
        self._returns = self._lane["returns"][0, : game.seats]
        self._calls = one_lane(len(game.observation_shape), bool(setting.line_ups.seated))
        self._actions, self._nothing = game.actions, np.zeros(game.seats)
        self._first = self.position = game.start()
        setting.play_in(self.position)
        self.turn, self.learner, self.truncated = OVER, 0, False

    def begin(self, key: np.uint64, number: int, start: Position | None, script: Sequence[int]) -> int:
        prescribed = (start is not None or script) and self._setting.prescribe(start, script)
        self._seed[0], self._number[0] = key, number
        self.position = self._first.copy()
        self._setting.play_in(self.position)
        first = BEGIN_AS_PRESCRIBED if prescribed else BEGIN
        self._settle(self._calls.step(self._setting_address, first, self._nothing))
        self.learner = self._seat.item(0)
        return self._number.item(0)

    def step(self, action: int, gained: NDArray[np.float64]) -> bool:
        if not 0 <= action < self._actions:  # it may be too large for the call
            return False
        return self._settle(self._calls.step(self._setting_address, action, gained))

    def step_and_look(self, action: int, gained: NDArray[np.float64], mask: Int8s, seen: Int8s) -> bool:
        if not 0 <= action < self._actions:
            return False
        return self._settle(self._calls.step_and_look(self._setting_address, action, gained, mask, seen))

    def _settle(self, answer: int) -> bool:
        """Note what a call has answered; false if the action was illegal."""
        if answer < 0:
            return False
        code = answer >> 4
        if code > TRUNCATED:
            self._setting.check(code)
        self.turn, self.truncated = (answer & 15) - 2, code == TRUNCATED
        return True

    @property
    def returns(self) -> NDArray[np.float64]:
        return self._returns.copy()

    def forfeit(self, gained: NDArray[np.float64]) -> None:
        final = final_returns(self.position.game, self.turn)
        gained[:] = final - self._returns
        self._returns[:] = final
        self._lane["turn"] = self.turn = OVER

    def __reduce__(self) -> Any:
        state = self._lane, self.position, self.turn, self.learner, self.truncated
        return CompiledEpisodes, (self._setting,), state

    def __setstate__(self, state: Any) -> None:
        self._lane[:], self.position, self.turn, self.learner, self.truncated = state
        self._setting.play_in(self.position)


class PythonEpisodes:
    """Episodes with opponents in Python, one call for each move."""

    def __init__(self, game: Game, line_ups: LineUps, seat_rule: int) -> None:
        self._game, self._line_ups, self._seat_rule = game, line_ups, seat_rule
        self._opponents: list[Opponent] = []  # of this episode
        self.position, self.turn, self.learner, self.truncated = game.start(), OVER, 0, False

    def begin(self, key: np.uint64, number: int, start: Position | None, script: Sequence[int]) -> int:
        game, weights = self._game, self._line_ups.weights
        for skipped in range(MOST_SKIPPED):
            own = child_key(key, number + skipped)
            self._episode = episode = Episode(game, own, start, list(script))
            self.learner = episode.random_seat() if self._seat_rule == RANDOM_SEAT else self._seat_rule
            line_up = weighted(weights, child_key(own, LINE_UP)) if len(weights) > 1 else 0
            self._opponents = self._line_ups.seated[line_up] if self._line_ups.seated else []
            for seat in range(game.seats):
                if self._opponents and seat != self.learner:
                    opponent = self._opponent(seat)
                    opponent.reset(seat, agent_seed(opponent, own, seat))
            self._reply(np.zeros(game.seats))
            if self.turn != OVER and not self.truncated:
                return number + skipped + 1
        raise turn_never_comes(game)

    def step(self, action: int, gained: NDArray[np.float64]) -> bool:
        episode = self._episode
        if not episode.is_legal(action):
            return False
        episode.play(action)
        gained[:] = episode.rewards
        self._reply(gained)
        return True

    def step_and_look(self, action: int, gained: NDArray[np.float64], mask: Int8s, seen: Int8s) -> bool:
        actor = self.turn
        legal = self.step(action, gained)
        if legal:
            seen[...], mask[:] = self.position.look(viewer(self, actor))
        return legal

    def _reply(self, gained: NDArray[np.float64]) -> None:
        """Let the opponents move until it is the learner's turn; adds every seat's rewards to `gained`."""
        episode = self._episode
        while self._opponents and episode.turn not in (OVER, self.learner) and not episode.truncated:
            opponent = self._opponent(episode.turn)
            info = episode.info(episode.turn, opponent)
            action = opponent(episode.position.observe(episode.turn), episode.mask().copy(), info)
            if objection := episode.objection(action):
                raise IllegalAction(f"the opponent {opponent.name!r} returned an action that is not legal: {objection}")
            episode.play(operator.index(action))
            gained += episode.rewards
        self.position, self.turn, self.truncated = episode.position, episode.turn, episode.truncated

    def __getstate__(self) -> dict[str, Any]:
        for opponent in self._opponents:
            if getattr(opponent, "connected", False):
                raise TypeError(
                    f"the opponent {opponent.name!r} is connected to a program, which knows the game: "
                    "in the middle of it, the environment cannot be copied or pickled"
                )
        return dict(vars(self))

    def _opponent(self, seat: int) -> Opponent:
        return self._opponents[seat if seat < self.learner else seat - 1]

    @property
    def returns(self) -> NDArray[np.float64]:
        return self._episode.returns.copy()

    def forfeit(self, gained: NDArray[np.float64]) -> None:
        self._episode.forfeit(self.turn)
        self.turn = OVER
        gained[:] = self._episode.rewards
