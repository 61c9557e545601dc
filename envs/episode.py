"""One episode of a game in Python, shared by the environments: chance from streams or a script, rewards, endings."""

import copy
import operator
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.chance import AGENTS, DEALING, SEATING, child_key, mix, one_way, scale
from ludarium.envs.game import Game
from ludarium.envs.kernels import CHANCE, OVER
from ludarium.envs.opponents import Opponent
from ludarium.envs.options import IllegalAction
from ludarium.envs.position import Position

ILLEGAL_POLICIES = ("lose", "raise")
MOST_SKIPPED = 10_000
"""Number of episodes in a row that may end before the learner's first move; more mean that its turn cannot come."""


def read_reset_options(game: Game, options: Mapping[str, Any] | None) -> tuple[Position | None, list[int]]:
    """The starting position and the chance script that reset options ask for.

    Raises:
        ValueError: for unknown options, or an impossible position or script.
    """
    if not options:
        return None, []
    options = dict(options)
    start = None
    if "position" in options:
        if game.hidden_information:
            raise ValueError(f"{game.name}: 'position' cannot be set, the game's past is hidden; use 'deck'")
        text = options.pop("position")
        if not isinstance(text, str):
            raise ValueError(f"{game.name}: 'position' must be the text of a position, not {text!r}")
        start = game.from_text(text)
        if start.over:
            raise ValueError(f"{game.name}: the position {start.text!r} is already over")
    return start, game.chance_script(options, start or game.start()) if options else []


class Episode:
    """A game in play. All its chance is a function of `key`; `script` prescribes the first chance outcomes.

    Attributes:
        position: the position; `turn` is its seat to move (never `CHANCE`), or `OVER`.
        plies: decisions so far.
        history: decisions and chance outcomes so far, in order.
        rewards: what the last play added to each seat's return, shape (seats,).
        truncated: whether the game was cut off at its maximum length.
    """

    def __init__(self, game: Game, key: np.uint64, start: Position | None, script: list[int]) -> None:
        self.game = game
        self.key = key
        self.position = start.copy() if start is not None else game.start()
        self.plies = 0
        self.history: list[int] = []
        self.truncated = False
        self.rewards = np.zeros(game.seats)
        self._script = iter(script)
        self._dealing = np.array([child_key(self.key, DEALING), 0], dtype=np.uint64)
        self._returns = self.position.payoffs()
        self._mask: NDArray[np.int8] | None = None
        self.turn = self._after_chance()

    def copy(self) -> "Episode":
        """An independent copy, with the same chance to come."""
        other = copy.copy(self)
        other.position, other.history = self.position.copy(), list(self.history)
        other._script, other._dealing = copy.copy(self._script), self._dealing.copy()
        return other

    def mask(self) -> NDArray[np.int8]:
        """The mask of legal actions, computed once per position; do not write to it, and hand out only copies."""
        if self._mask is None:
            self._mask = self.position.action_mask()
        return self._mask

    def is_legal(self, action: Any) -> bool:
        """Whether `action` is an integer and legal in the position."""
        try:
            number = operator.index(action)
        except TypeError:
            return False
        return 0 <= number < self.game.actions and bool(self.mask()[number])

    def objection(self, action: Any, *, resigning: bool = False) -> str:
        """Why an action cannot be played here; empty if it can. Giving up counts only with `resigning`."""
        if resigning and action in {way.action for way in self.game.resignations(self.position)}:
            return ""
        if not self.is_legal(action):
            try:
                self.position.play(action)
            except (IllegalAction, TypeError) as error:
                return str(error)
        return ""

    def info(self, seat: int, agent: Opponent) -> dict[str, Any]:
        """What an agent is told besides its observation, never anything hidden: see `ludarium.agents.Agent`."""
        info: dict[str, Any] = {"seat": seat, "game": self.game}
        if agent.needs_state and not self.game.hidden_information:
            info["position"], info["history"] = self.position.copy(), tuple(self.history)
        if agent.needs_view:
            info["view"] = self.position.view(seat)
        return info

    def random_seat(self) -> int:
        """A seat drawn from this episode's own stream."""
        return int(scale(np.uint64(mix(child_key(self.key, SEATING))), self.game.seats))

    def play(self, action: int) -> None:
        """Play a legal action and the chance that follows."""
        self.position.push(action)
        self.history.append(action)
        self._mask = None
        self.plies += 1
        self.turn = self._after_chance()
        returns = self.position.payoffs()
        self.rewards = returns - self._returns
        self._returns = returns
        self.truncated = self.turn != OVER and self.plies >= self.game.max_moves

    def forfeit(self, seat: int) -> None:
        """End the game as a loss for `seat`: it gets the minimum return, its opponent the maximum."""
        final = final_returns(self.game, seat)
        self.rewards, self._returns = final - self._returns, final
        self.turn = OVER

    @property
    def returns(self) -> NDArray[np.float64]:
        """Each seat's return so far, shape (seats,)."""
        return self._returns

    def _after_chance(self) -> int:
        position = self.position
        turn = position.turn
        while turn == CHANCE:
            outcome = next(self._script, None)
            if outcome is None:
                outcome = position.draw_outcome(self._dealing)
                position.push(outcome)
            else:
                position.play(outcome)
            self.history.append(outcome)
            turn = position.turn
        return turn


def final_returns(game: Game, loser: int) -> NDArray[np.float64]:
    """Every seat's return when one forfeits the game, shape (seats,)."""
    low, high = game.payoff_range
    final = np.full(game.seats, low if game.cooperative else high)
    final[loser] = low
    return final


def agent_seed(agent: Any, key: np.uint64, seat: int) -> int:
    """The seed of the private randomness of the agent in a seat.

    A compiled policy draws from the stream that it has in compiled games. Any other agent gets a seed that does not
    lead back to the key, from which the dice and the cards come.
    """
    return one_way(key, seat) if agent.policy is None else int(child_key(key, AGENTS + seat))


def check_choice(name: str, value: Any, choices: tuple[Any, ...]) -> Any:
    """The value, if it is one of the choices.

    Raises:
        ValueError: if it is not.
    """
    if value not in choices:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, choices))}, not {value!r}")
    return value


def turn_never_comes(game: Game) -> ValueError:
    """The error for when `MOST_SKIPPED` episodes in a row ended before the learner's first move."""
    return ValueError(
        f"{game.name}: {MOST_SKIPPED} episodes in a row ended before the learner's first move; "
        "choose another seat or position"
    )


def render(position: Position, mode: str | None, seat: int | None = None) -> Any:
    """The position in a render mode: text, SVG text, pixels (height, width, 3) uint8; `human` prints the text.

    With a seat, it is shown as that seat may see it; without one, as a spectator sees it.
    """
    game = position.game
    if mode in ("ansi", "human"):
        text = game.to_ansi(position) if seat is None else game.view_text(position, seat)
        return text if mode == "ansi" else print(text)
    if mode is None:
        return None
    drawing = position.picture(seat)
    return drawing.svg() if mode == "svg" else drawing.rgb()
