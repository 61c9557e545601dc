"""How environments get their opponents.

Environments know nothing about agents. They are given, by name, a function that makes an agent from a spec such as
`"mcts?simulations=100"`; the package does this when it is imported.
"""

import copy
import importlib
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:  # importing the package must not load the compiler
    from ludarium.envs.game import Game

_source = ""


class Opponent(Protocol):
    """What an environment needs from an agent; `ludarium.agents.Agent` is one."""

    name: str
    needs_state: bool
    policy: Any

    def reset(self, seat: int, seed: int) -> None:
        """Begin a new game."""

    def __call__(self, observation: Any, action_mask: Any, info: dict[str, Any]) -> int:
        """Choose an action."""

    def close(self) -> None:
        """Release its resources."""


def agents_from(source: str) -> None:
    """Set the function that makes agents: `"module:function"`, called as `function(spec, game)`."""
    global _source
    _source = source


def make_opponent(spec: Any, game: "Game") -> Opponent:
    """The agent that `spec` names: a spec string, an agent, or any callable of observation, mask and info."""
    module, _, function = _source.partition(":")
    made: Opponent = getattr(importlib.import_module(module), function)(spec, game)
    return made


def make_opponents(spec: Any, game: "Game") -> list[Opponent]:
    """One opponent for each other seat, from one spec for all or from a list with one spec per seat.

    Raises:
        ValueError: if a list has the wrong length.
    """
    if isinstance(spec, list | tuple):
        if len(spec) != game.seats - 1:
            raise ValueError(f"{game.name}: opponent must be one spec or a list of {game.seats - 1}, not {spec!r}")
        return [make_opponent(one, game) for one in spec]
    others = range(game.seats - 2)  # several seats must not share state
    return [make_opponent(spec, game), *(make_opponent(copy.deepcopy(spec), game) for _ in others)]


def made_here(spec: Any, opponents: list[Opponent]) -> list[Opponent]:
    """The opponents for `spec` that `make_opponents` created itself: those made from text, and copies."""
    if isinstance(spec, list | tuple):
        return [opponent for one, opponent in zip(spec, opponents, strict=False) if isinstance(one, str)]
    return opponents if isinstance(spec, str) else opponents[1:]
