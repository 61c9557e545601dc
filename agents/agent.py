"""The agent protocol: how the rest of the package sees whatever chooses moves.

Any callable `f(observation, action_mask, info) -> action` is an agent; `Agent` lists what else one may offer.
`ludarium.agents.specs` finds agents by name.
"""

import contextlib
import copy
import os
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.drawing import Drawing
from ludarium.envs.game import Game
from ludarium.envs.opinions import Opinions
from ludarium.envs.opponents import make_opponent
from ludarium.envs.policy import Policy
from ludarium.envs.position import Position


@dataclass(frozen=True)
class Reason:
    """Why an agent chose what it did.

    Attributes:
        text: in a few words, or a small board; lines are shown as they are. Empty if the agent cannot say.
        values: what actions seem worth to it, by action, the greater the better; empty if it does not value them.
        drawing: a picture of the reason, if there is one.
    """

    text: str = ""
    values: Mapping[int, float] = field(default_factory=dict)
    drawing: Drawing | None = None


_Factory = TypeVar("_Factory", bound=Callable[..., Any])


def takes(check: Callable[[Game], None]) -> Callable[[_Factory], _Factory]:
    """Declare which games a factory of agents takes, so that an agent is offered only where it can play.

    Args:
        check: raises a ValueError for a game that the factory would refuse. It is asked often, so it must not compile,
            solve or load anything.

    Examples:
        >>> from ludarium.agents import takes
        >>> def only_othello(game):
        ...     if game.name != "othello":
        ...         raise ValueError(f"expected othello, not {game.name}")
        >>> @takes(only_othello)
        ... def first(game):
        ...     return lambda observation, action_mask, info: int(action_mask.argmax())
    """

    def declare(factory: _Factory) -> _Factory:
        factory.check_game = check  # type: ignore[attr-defined]
        return factory

    return declare


class AgentFailure(Exception):
    """An agent cannot go on and forfeits the game; the message is the cause that results record."""


def is_interrupt(error: BaseException) -> bool:
    """Whether an exception is the user's Ctrl-C, and not a KeyboardInterrupt that an agent raised itself.

    Only the main thread is interrupted, and not in worker processes, which ignore the signal.
    """
    return (
        isinstance(error, KeyboardInterrupt)
        and threading.current_thread() is threading.main_thread()
        and signal.getsignal(signal.SIGINT) is not signal.SIG_IGN
    )


@contextlib.contextmanager
def in_this_folder() -> Iterator[None]:
    """For code of others: if it changes the working directory, where relative paths start, that is changed back.

    The directory is that of all threads, so nothing is touched if it has not moved, and our own code does without.
    """
    folder = os.getcwd()
    try:
        yield
    finally:
        try:
            moved = os.getcwd() != folder
        except FileNotFoundError:  # it has been removed
            moved = True
        if moved:
            os.chdir(folder)


class Agent:
    """A player in one seat.

    Attributes:
        name: its name in tables.
        needs_state: whether it needs the position itself in `info["position"]`; games with hidden information refuse
            such agents.
        needs_view: whether it needs, in `info["view"]`, all that its seat may know of the game so far; only for games
            that have views (Hanabi, unless its observations are minimal).
        policy: the same player as a compiled policy, or None.
        act_batch: the same player for many games at once, or None. A method
            `act_batch(observations, action_masks, infos) -> actions`, for agents that answer n games in one call at
            less cost than in n calls. It takes observations, int8 of shape (n, *observation_shape), action masks, int8
            of shape (n, actions), and n infos, and returns n actions in the same order. An info holds what `__call__`
            gets, the `"seed"` that `reset` would have been given, and as `"decision"` the number of decisions that the
            agent has already made in that game. Matches play such agents in many games at once, without `reset`; so
            each action must depend only on its own observation, mask and info, and must be the one that `__call__`
            would choose in a game played alone. `check_agent` tests this.
    """

    name: str = ""
    needs_state: bool = False
    needs_view: bool = False
    policy: Policy | None = None
    act_batch: Callable[..., Any] | None = None

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}>"

    def close(self) -> None:
        """Release what the agent holds, such as a running program; whoever made the agent calls this at the end."""

    def reset(self, seat: int, seed: int) -> None:
        """Begin a new game: the agent sits in `seat` and draws its randomness from `seed` alone."""

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        """Choose a legal action.

        Args:
            observation: what the seat may see, int8, of the game's shape.
            action_mask: 1 for each legal action, shape (actions,) int8.
            info: `"seat"`, `"game"`, and if the agent declares `needs_state`, `"position"` and `"history"`: the
                decisions and chance outcomes that led to the position, in order; if it declares `needs_view`, `"view"`:
                a record of the game's type, `game.view`, with its fields as attributes. In timed games also
                `"clock"`: see `ludarium.agents.time_control.TimeLeft`.
        """
        raise TypeError(f"the agent {self.name!r} does not say how it acts: it must define __call__")

    def distribution(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> NDArray[np.float64] | None:
        """The probability of each action, shape (actions,), for the arguments of `__call__`; None if it is not known.

        Optional: exact measures use it, and without it they ask for many actions.
        """
        return None

    def explain(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> Reason | str:
        """Why it chose what it just did here, from what `__call__` took; a string is a `Reason` of words alone.

        Optional: people who play against it are told.
        """
        return Reason()

    def judge(self, position: Position, seed: int) -> Opinions | None:
        """What it thinks of every legal action, and which it plays; None if it cannot say.

        Optional: `ludarium analyse` and the table show it. The action that it plays must be the one that `__call__`
        would choose after `reset` with the same seed: see `Opinions.marked`.

        Args:
            position: a position where a seat is to move; not to be changed. What is hidden from this seat is not as it
                truly is, see `Game.redealt`.
            seed: what its randomness is drawn from.
        """
        return None


class SpecAgent(Agent):
    """An agent that is pickled as the spec that it was made from, and what it remembers from one move to the next.

    Attributes:
        made_from: the spec and the game, if `make_agent` made it from a spec.
        remembered: the names of the attributes that change while it plays.
    """

    made_from: tuple[str, Game] | None = None
    remembered: tuple[str, ...] = ()

    def __reduce__(self) -> Any:
        if self.made_from is None:
            raise TypeError(f"the agent {self.name!r} cannot be pickled, since it was not made from a spec")
        return make_opponent, self.made_from, {name: getattr(self, name) for name in self.remembered}

    def __setstate__(self, remembered: dict[str, Any]) -> None:
        for name, value in remembered.items():
            setattr(self, name, value)

    def __deepcopy__(self, memo: dict[int, Any]) -> Any:
        other = memo[id(self)] = type(self).__new__(type(self))
        vars(other).update(copy.deepcopy(vars(self), memo))
        return other


class FunctionAgent(SpecAgent):
    """A plain callable as an agent, or an object with a method `act` that takes the same arguments."""

    remembered = ("memory",)

    @property
    def memory(self) -> dict[str, Any]:
        """The attributes of the callable, if it is an object."""
        return dict(getattr(self._function, "__dict__", {}))

    @memory.setter
    def memory(self, attributes: dict[str, Any]) -> None:
        if attributes:
            vars(self._function).update(attributes)

    def __reduce__(self) -> Any:
        if self.made_from is None:
            return FunctionAgent, (self.name, self._function)
        return super().__reduce__()

    def __init__(self, name: str, function: Any) -> None:
        self.name = name
        self.needs_state = bool(getattr(function, "needs_state", False))
        self.needs_view = bool(getattr(function, "needs_view", False))
        self.act_batch = getattr(function, "act_batch", None)
        self._function = function
        act = getattr(function, "act", None)
        self._act = act if callable(act) else function

    def reset(self, seat: int, seed: int) -> None:
        reset = getattr(self._function, "reset", None)
        if reset is not None:
            reset(seat, seed)

    def close(self) -> None:
        close = getattr(self._function, "close", None)
        if close is not None:
            close()

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        return self._act(observation, action_mask, info)

    def distribution(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> NDArray[np.float64] | None:
        distribution = getattr(self._function, "distribution", None)
        return None if distribution is None else distribution(observation, action_mask, info)

    def explain(
        self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]
    ) -> Reason | str:
        explain = getattr(self._function, "explain", None)
        return Reason() if explain is None else explain(observation, action_mask, info)

    def judge(self, position: Position, seed: int) -> Opinions | None:
        judge = getattr(self._function, "judge", None)
        return None if judge is None else judge(position, seed)


class CompiledAgent(SpecAgent):
    """A compiled policy as an agent: it acts for Python exactly as it does in a compiled batch."""

    remembered: tuple[str, ...] = ("_stream",)

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self.policy: Policy = policy
        self.needs_state, self.needs_view = policy.needs_state, policy.needs_view
        self._stream = np.zeros(2, dtype=np.uint64)

    def reset(self, seat: int, seed: int) -> None:
        self._stream[:] = seed, 0

    @property
    def drawn(self) -> int:
        """How many random numbers it has drawn in this game: all that it remembers from one move to the next."""
        return int(self._stream[1])

    @drawn.setter
    def drawn(self, number: int) -> None:
        self._stream[1] = number

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        for needed, key in ((self.needs_state, "position"), (self.needs_view, "view")):
            if needed and key not in info:
                raise ValueError(f"the agent {self.name!r} needs the {key} in info[{key!r}]")
        if self.needs_view:
            state = np.frombuffer(info["view"].tobytes(), dtype=np.uint8).copy()
        else:
            state = info["position"].data if "position" in info else np.zeros(0, dtype=np.uint8)
        return self.policy.choose(info["game"], state, observation, action_mask, self._stream)

    def judge(self, position: Position, seed: int) -> Opinions | None:
        opinions = None if self.policy.judge is None else self.policy.judge(position, _stream(seed))
        if opinions is None or opinions.played is not None:
            return opinions
        shown = position.observe(position.turn), position.action_mask()
        return opinions.marked(self.policy.choose(position.game, position.data, *shown, _stream(seed)))


def _stream(seed: int) -> NDArray[np.uint64]:
    return np.array([seed, 0], dtype=np.uint64)
