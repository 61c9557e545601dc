"""Agents: whatever chooses moves, and how they are named.

Any callable `f(observation, action_mask, info) -> action` is an agent. `make_agent` finds one by its spec:

| spec | agent |
|---|---|
| `"random"`, `"mcts?simulations=400&exploration=1.2"` | a built-in agent with options |
| `"my_package.bots:Clever"` | an attribute of a module: a callable, an agent, or a factory that takes the game |

Installed packages add names through the entry-point group `ludarium.agents`; each entry is a factory
`make(game, *, option=default, ...)` that returns an `Agent`, a `Policy` or a callable.
"""

import difflib
import importlib
import inspect
from collections.abc import Callable
from importlib.metadata import entry_points
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludarium.envs.game import Game
from ludarium.envs.policy import Policy
from ludarium.envs.registry import parse_value

_BUILT_IN = {
    "random": "ludarium.agents.baselines.random:random",
    "greedy": "ludarium.agents.baselines.greedy:greedy",
    "alphabeta": "ludarium.agents.baselines.alphabeta:alphabeta",
    "mcts": "ludarium.agents.baselines.mcts:mcts",
    "perfect": "ludarium.agents.baselines.solver:perfect",
}


class Agent:
    """A player in one seat.

    Attributes:
        name: what tables call it.
        needs_state: it wants the position itself in `info["position"]`; games with hidden information refuse it.
        policy: the same player as a compiled policy, or None.
    """

    name: str = ""
    needs_state: bool = False
    policy: Policy | None = None

    def reset(self, seat: int, seed: int) -> None:
        """A new game begins: the agent sits in `seat`, and draws its randomness from `seed` alone."""

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        """Choose a legal action.

        Args:
            observation: what the seat may see, int8, of the game's shape.
            action_mask: 1 for each legal action, shape (actions,) int8.
            info: `"seat"`, `"game"`, and `"position"` if the agent declares `needs_state`.
        """
        raise TypeError(f"the agent {self.name!r} does not say how it acts: it must define __call__")


class FunctionAgent(Agent):
    """A plain callable as an agent."""

    def __init__(self, name: str, function: Callable[..., Any]) -> None:
        self.name = name
        self.needs_state = bool(getattr(function, "needs_state", False))
        self._function = function

    def reset(self, seat: int, seed: int) -> None:
        reset = getattr(self._function, "reset", None)
        if reset is not None:
            reset(seat, seed)

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        return self._function(observation, action_mask, info)


class CompiledAgent(Agent):
    """A compiled policy as an agent: it acts for Python exactly as it does inside the arena."""

    def __init__(self, name: str, policy: Policy) -> None:
        self.name = name
        self.policy: Policy = policy
        self.needs_state = policy.needs_state
        self._stream = np.zeros(2, dtype=np.uint64)

    def reset(self, seat: int, seed: int) -> None:
        self._stream[:] = seed, 0

    def __call__(self, observation: NDArray[np.int8], action_mask: NDArray[np.int8], info: dict[str, Any]) -> int:
        position = info.get("position")
        state = position.data if position is not None else np.zeros(0, dtype=np.uint8)
        return self.policy.choose(info["game"], state, observation, action_mask, self._stream)


def make_agent(spec: Any, game: Game) -> Agent:
    """The agent that `spec` names, for this game.

    Args:
        spec: a spec string (see the module), an `Agent`, a `Policy`, or a callable.
        game: the game it will play.

    Raises:
        ValueError: for an unknown name, an option's value that is not allowed, or an agent this game refuses.
        TypeError: for an unknown option, or something that is no agent.
    """
    if isinstance(spec, str):
        agent = _from_text(spec, game)
    else:
        agent = _as_agent(spec, getattr(spec, "__name__", type(spec).__name__))
    if agent.needs_state and game.hidden_information:
        raise ValueError(
            f"{game.name}: the agent {agent.name!r} needs the position, which a game with hidden information withholds"
        )
    return agent


def agent_names() -> list[str]:
    """Names of the built-in agents and of those that installed packages bring."""
    return [*_BUILT_IN, *(point.name for point in entry_points(group="ludarium.agents"))]


def agent_options(name: str) -> dict[str, Any]:
    """The options of a named agent, with their defaults."""
    return {key: value.default for key, value in _option_parameters(_load(_target(name))).items()}


def _from_text(spec: str, game: Game) -> Agent:
    name, _, query = spec.partition("?")
    factory = _load(_target(name))
    given: dict[str, Any] = {}
    for part in filter(None, query.split("&")):
        key, equals, text = part.partition("=")
        if not equals:
            raise ValueError(f"agent {spec!r}: expected option=value, not {part!r}")
        given[key] = parse_value(text)
    if name.partition(":")[1] and not _takes_game(factory):
        if given:
            raise TypeError(f"agent {spec!r}: {name} is not a factory, so it takes no options")
        return _as_agent(factory() if isinstance(factory, type) else factory, spec)
    known = _option_parameters(factory)
    for key in given:
        if key not in known:
            raise TypeError(f"agent {name!r}: unknown option {key!r}; the options are: {', '.join(known) or 'none'}")
        default = known[key].default
        if isinstance(default, float) and type(given[key]) is int:
            given[key] = float(given[key])
        elif default is not None and default is not inspect.Parameter.empty and type(given[key]) is not type(default):
            raise ValueError(
                f"agent {name!r}: {key} must be of type {type(default).__name__}, like {default!r}, not {given[key]!r}"
            )
    return _as_agent(factory(game, **given), spec)


def _target(name: str) -> str:
    if name in _BUILT_IN:
        return _BUILT_IN[name]
    if ":" in name:
        return name
    points = {point.name: point.value for point in entry_points(group="ludarium.agents")}
    if name in points:
        return points[name]
    known = [*_BUILT_IN, *points]
    close = difflib.get_close_matches(name, known, n=1)
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise ValueError(f"unknown agent {name!r}; {hint}known: {', '.join(known)}, or module:attribute")


def _load(target: str) -> Any:
    module_name, _, attribute = target.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        raise ValueError(f"agent {target!r}: there is no module {error.name!r}") from None
    if not hasattr(module, attribute):
        raise ValueError(f"agent {target!r}: the module {module_name} has no attribute {attribute!r}")
    return getattr(module, attribute)


def _takes_game(factory: Any) -> bool:
    if not callable(factory) or isinstance(factory, Agent | Policy):
        return False
    try:
        parameters = list(inspect.signature(factory).parameters)
    except (TypeError, ValueError):
        return False
    return parameters[:1] == ["game"]


def _option_parameters(factory: Any) -> dict[str, inspect.Parameter]:
    parameters = inspect.signature(factory).parameters
    return {name: p for name, p in parameters.items() if name != "game" and p.kind is p.KEYWORD_ONLY}


def _as_agent(made: Any, name: str) -> Agent:
    if isinstance(made, Policy):
        return CompiledAgent(name, made)
    if isinstance(made, Agent):
        made.name = made.name or name
        return made
    if callable(made) and not isinstance(made, type):
        return FunctionAgent(name, made)
    raise TypeError(f"{made!r} is no agent: expected a spec string or a callable (observation, action_mask, info)")
