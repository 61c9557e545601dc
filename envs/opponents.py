"""How environments get their opponents.

Environments know nothing about agents. They are given, by name, a function that makes an agent from a spec such as
`"mcts?simulations=100"`; the package does this when it is imported.
"""

import copy
import importlib
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # importing the package must not load the compiler
    from ludarium.envs.game import Game

_source = ""
_TERM = re.compile(r"(\d+\.?\d*|\.\d+)\*(.+)", re.DOTALL)
_PLUS = re.compile(r"\+(?=(?:\d+\.?\d*|\.\d+)\*.)")


class Opponent(Protocol):
    """What an environment needs from an agent; `ludarium.agents.Agent` is one."""

    name: str
    needs_state: bool
    needs_view: bool
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


class LineUps(NamedTuple):
    """Who may sit in the other seats: one line-up is drawn for each episode.

    Attributes:
        seated: the line-ups, each with an opponent for every other seat.
        weights: shape (line-ups,) float64: a line-up is drawn with the probability of its share of the sum.
        made: the opponents that were made here, from text or as copies, and have to be closed.
    """

    seated: list[list[Opponent]]
    weights: NDArray[np.float64]
    made: list[Opponent]


def make_opponents(spec: Any, game: "Game") -> LineUps:
    """The opponents that an environment was given.

    Args:
        spec: one of the following, each of them one spec for all other seats, or a list with one spec for each:

            - a spec such as `"greedy"`, an agent, or a callable;
            - a mixture: a dictionary of specs and their weights, or the same as text, `"3*greedy+1*random"`.
        game: the game.

    Raises:
        ValueError: if a list has the wrong length, or a weight is not a positive number.
    """
    seated, made = [], []
    mixture = read_mixture(spec)
    for one, _ in mixture:
        opponents = _line_up(one, game)
        seated.append(opponents)
        made += _made_here(one, opponents)
    return LineUps(seated, np.array([weight for _, weight in mixture], dtype=np.float64), made)


def read_mixture(spec: Any) -> list[tuple[Any, float]]:
    """The specs in a mixture with their weights; anything else is a mixture of one.

    Raises:
        ValueError: if a weight is not a positive number.
    """
    if isinstance(spec, str) and _TERM.match(spec):
        terms = [_TERM.fullmatch(term) for term in _PLUS.split(spec)]
        mixture = [(term[2], float(term[1])) for term in terms if term]
    elif isinstance(spec, Mapping):
        mixture = list(spec.items())
    else:
        return [(spec, 1.0)]
    if not mixture or not all(type(weight) in (int, float) and 0 < weight < np.inf for _, weight in mixture):
        raise ValueError(f"opponent: the weights of a mixture must be positive numbers, not as in {spec!r}")
    return mixture


def _line_up(spec: Any, game: "Game") -> list[Opponent]:
    """One opponent for each other seat, from one spec for all or from a list with one spec for each."""
    if isinstance(spec, list | tuple):
        if len(spec) != game.seats - 1:
            raise ValueError(f"{game.name}: opponent must be one spec or a list of {game.seats - 1}, not {spec!r}")
        return [make_opponent(one, game) for one in spec]
    others = range(game.seats - 2)  # several seats must not share state
    return [make_opponent(spec, game), *(make_opponent(copy.deepcopy(spec), game) for _ in others)]


def _made_here(spec: Any, opponents: list[Opponent]) -> list[Opponent]:
    """Those of a line-up that `_line_up` made itself: from text, and copies."""
    if isinstance(spec, list | tuple):
        return [opponent for one, opponent in zip(spec, opponents, strict=True) if isinstance(one, str)]
    return opponents if isinstance(spec, str) else opponents[1:]
